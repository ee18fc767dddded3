"""Tests of scripts/baselines/setup and of the catalogue of baselines."""

import re
import subprocess
import sys
import unittest

from script_case import BASELINES, ROOT, FolderTest

sys.path.insert(0, str(BASELINES))

import interpreters  # noqa: E402 (after the path)
from catalogue import CATALOGUE, NEW_PYTHONS  # noqa: E402


class SetupTest(FolderTest):
    def interpreter(self, name, says, code=0):
        return self.program(name, f"#!/bin/sh\necho {says}\nexit {code}\n")


class Interpreters(SetupTest):
    def test_finds_the_preferred_version_that_can_make_environments(self):
        older, newer = self.interpreter("older", "3.11"), self.interpreter("newer", "3.12")
        broken = self.interpreter("broken", "3.13", code=1)
        self.assertEqual(interpreters.find(("3.12", "3.11"), [older, newer]), newer)
        self.assertEqual(interpreters.find(("3.13", "3.11"), [self.folder / "nothing", broken, older, newer]), older)
        self.assertIsNone(interpreters.find(("3.13",), [broken]))
        self.assertRegex(interpreters.missing("mxnet", ("3.8",)), "mxnet needs a Python 3.8 .*`pyenv install 3.8`")


class Setup(SetupTest):
    def assert_refused(self, message, *arguments):
        done = subprocess.run([sys.executable, BASELINES / "setup", *arguments], capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn(message, done.stderr)

    def test_leaves_a_folder_alone_that_is_no_environment_or_one_of_another_python(self):
        (self.folder / "letter").write_text("dear")
        self.assert_refused("is not a virtual environment", "numpy", self.folder)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["letter"])
        (self.folder / "pyvenv.cfg").write_text("home = here\n")
        python = self.interpreter("bin/python", "3.9")
        self.assert_refused("is an environment of Python 3.9, and mxnet needs 3.8", "mxnet", self.folder)
        self.assertTrue(python.exists())

    def test_names_the_baselines_when_asked_for_another(self):
        for name in CATALOGUE:
            self.assert_refused(name, "tensorflow")


class Catalogue(unittest.TestCase):
    def test_pins_every_package(self):
        for path in (BASELINES / "requirements").iterdir():
            for line in path.read_text().splitlines():
                self.assertRegex(line, r"^(#.*|[\w.-]+==[\w.]+|-r \.\./\.\./requirements/libtorch\.txt)$", path.name)

    def test_takes_a_framework_from_the_python_that_setup_accepts(self):
        accepted = re.search(r"\((\d, \d+)\) <= sys.version_info", (ROOT / "scripts" / "setup").read_text()).group(1)
        self.assertEqual(NEW_PYTHONS[0], accepted.replace(", ", "."))


if __name__ == "__main__":
    unittest.main()
