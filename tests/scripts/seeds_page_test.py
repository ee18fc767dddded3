"""Tests of scripts/seeds/page, on a made-up page and a program that prints what it is told."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = """# Page

```console
$ runahead run configs/seeds/jax_dispatch.json
{}```

Prose.
"""
OUTPUT = "dispatch on acpu: ok\n  issue time        0.1 s\n  copy_seconds      0.5\n  record            /here/record.json\n"


def load():
    path = ROOT / "scripts" / "seeds" / "page"
    loader = importlib.machinery.SourceFileLoader("seeds_page", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("seeds_page", loader))
    loader.exec_module(module)
    return module


class SeedsPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = load()
        self.page.ROOT, self.page.PAGE = self.folder, self.folder / "README.md"
        (self.folder / "jax_dispatch.json").write_text("{}")
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\necho \"$@\" >>{self.folder}/calls\ncat {self.folder}/output\n")
        program.chmod(0o755)
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
        code, err = self.run_page("other.json")
        self.assertEqual(code, 2)
        self.assertIn("no block of other.json", err)
        self.assertFalse((self.folder / "calls").exists())
        self.assertEqual(self.run_page("jax_dispatch.json")[0], 0)
        self.assertIn("copy_seconds", self.page.PAGE.read_text())

    def test_refuses_what_is_no_config(self):
        code, err = self.run_page("jax.json")
        self.assertEqual(code, 2)
        self.assertIn("jax.json", err)

    def test_runs_the_frameworks_only_when_they_are_named(self):
        (self.folder / "jax_dispatch.json").rename(self.folder / "frameworks.json")
        self.page.PAGE.write_text(PAGE.format("").replace("jax_dispatch", "frameworks"))
        self.assertEqual(self.run_page()[0], 0)
        self.assertEqual(self.run_page("--check")[0], 0)
        self.assertFalse((self.folder / "calls").exists())
        self.assertEqual(self.run_page("frameworks.json")[0], 0)
        self.assertIn("copy_seconds", self.page.PAGE.read_text())

    def test_writes_what_the_command_prints_but_the_place_of_its_record(self):
        self.assertEqual(self.run_page()[0], 0)
        self.assertEqual(self.page.PAGE.read_text(), PAGE.format(OUTPUT.replace("  record            /here/record.json\n", "")))

    def test_what_it_has_written_is_not_stale(self):
        self.run_page()
        self.prints(OUTPUT.replace("0.5", "7.25"))
        self.assertEqual(self.run_page("--check")[0], 0)

    def test_a_block_without_a_figure_of_the_command_is_stale(self):
        self.run_page()
        self.prints(OUTPUT + "  block_seconds     0.5\n")
        code, err = self.run_page("--check")
        self.assertEqual(code, 1)
        self.assertIn("jax_dispatch.json", err)

    def test_a_config_without_a_block_is_stale(self):
        self.run_page()
        (self.folder / "mxnet_train.json").write_text("{}")
        code, err = self.run_page("--check")
        self.assertEqual(code, 1)
        self.assertIn("mxnet_train.json", err)

    def test_checks_at_small_sizes_and_writes_at_those_of_the_documents(self):
        self.run_page()
        self.assertNotIn("--set", (self.folder / "calls").read_text())
        self.run_page("--check")
        self.assertIn("--set=/size=32", (self.folder / "calls").read_text())

    def test_a_command_that_fails_is_told(self):
        (self.folder / "program").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
        code, err = self.run_page()
        self.assertEqual(code, 1)
        self.assertIn("broken", err)
        self.assertEqual(self.page.PAGE.read_text(), PAGE.format(""))

    def test_says_how_to_get_the_program(self):
        os.environ["RUNAHEAD"] = "/nowhere/runahead"
        code, err = self.run_page()
        self.assertEqual(code, 3)
        self.assertIn("scripts/build", err)


if __name__ == "__main__":
    unittest.main()
