"""Tests of scripts/tutorials/page, on a made-up page and a program that prints a given text."""

import contextlib
import io
import os
import unittest

from script_case import ROOT, FolderTest, load

PAGE = """# Page

```console
$ runahead run configs/tutorials/jax_dispatch.json
{}```

Prose.
"""
OUTPUT = "dispatch on acpu: ok\n  issue time        0.1 s\n  copy_seconds      0.5\n  record            /here/record.json\n"



class TutorialsPage(FolderTest):
    def setUp(self):
        super().setUp()
        self.page = load(ROOT / "scripts" / "tutorials" / "page")
        self.page.ROOT, self.page.PAGE = self.folder, self.folder / "README.md"
        (self.folder / "jax_dispatch.json").write_text("{}")
        program = self.program("program", f"#!/bin/sh\necho \"$@\" >>{self.folder}/calls\ncat {self.folder}/output\n")
        os.environ["RUNAHEAD"] = str(program)
        self.addCleanup(os.environ.pop, "RUNAHEAD")
        self.prints(OUTPUT)
        self.write("")

    def prints(self, text):
        (self.folder / "output").write_text(text)

    def write(self, output):
        self.page.PAGE.write_text(PAGE.format(output))

    def run_page(self, *arguments):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            return self.page.main(list(arguments)), err.getvalue()

    def test_writes_named_blocks_alone(self):
        (self.folder / "other.json").write_text("{}")
        for name, message in (("other.json", "no block of other.json"), ("jax.json", "no tutorial: jax.json")):
            code, err = self.run_page(name)
            self.assertEqual(code, 2)
            self.assertIn(message, err)
        self.assertFalse((self.folder / "calls").exists())
        kept = PAGE.format("kept\n").replace("jax_dispatch", "other")
        self.page.PAGE.write_text(PAGE.format("") + kept)
        self.assertEqual(self.run_page("jax_dispatch.json")[0], 0)
        self.assertIn("copy_seconds", self.page.PAGE.read_text())
        self.assertTrue(self.page.PAGE.read_text().endswith(kept))

    def test_checks_the_form_at_small_sizes_and_not_the_numbers(self):
        self.assertEqual(self.run_page()[0], 0)
        self.assertEqual(self.page.PAGE.read_text(), PAGE.format(OUTPUT.replace("  record            /here/record.json\n", "")))
        self.assertNotIn("--set", (self.folder / "calls").read_text())
        self.prints(OUTPUT.replace("0.5", "7.25"))
        self.assertEqual(self.run_page("--check")[0], 0)
        self.assertIn("--set=/size=32", (self.folder / "calls").read_text())
        self.prints(OUTPUT + "  block_seconds     0.5\n")
        (self.folder / "mxnet_train.json").write_text("{}")
        code, err = self.run_page("--check")
        self.assertEqual(code, 1)
        self.assertIn("jax_dispatch.json", err)
        self.assertIn("mxnet_train.json", err)

    def test_reports_a_command_that_fails_and_a_missing_program(self):
        (self.folder / "program").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
        code, err = self.run_page()
        self.assertEqual(code, 1)
        self.assertIn("broken", err)
        self.assertEqual(self.page.PAGE.read_text(), PAGE.format(""))
        os.environ["RUNAHEAD"] = "/nowhere/runahead"
        code, err = self.run_page()
        self.assertEqual(code, 3)
        self.assertIn("scripts/build", err)


if __name__ == "__main__":
    unittest.main()
