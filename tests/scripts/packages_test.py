"""Tests of scripts/packages.py on a made-up installation."""

import subprocess
import sys
import unittest

from script_case import ROOT, FolderTest

MODULE_TEXT = "VALUE = 1\n"


class Packages(FolderTest):
    def setUp(self):
        super().setUp()
        self.site = self.folder
        self.module = self.site / "thing" / "__init__.py"
        self.record = self.site / "thing-1.0.dist-info" / "RECORD"
        self.module.parent.mkdir()
        self.record.parent.mkdir()
        self.module.write_text(MODULE_TEXT)
        (self.record.parent / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
        self.record.write_text(f"thing/__init__.py,sha256=x,{len(MODULE_TEXT)}\n"
                               "thing/__pycache__/__init__.cpython-311.pyc,,\n")
        self.requirements = self.site / "requirements.txt"
        self.requirements.write_text("# what is needed\nthing==1.0\n")

    def run_packages(self, command):
        return subprocess.run([sys.executable, ROOT / "scripts" / "packages.py", command, self.requirements],
                              env={"PYTHONPATH": str(self.site)}, capture_output=True, text=True)

    def test_accepts_a_whole_package(self):
        self.assertEqual(self.run_packages("verify").returncode, 0)

    def test_names_a_missing_package_and_another_version(self):
        for required, message in (("other==2.0", "other: missing\n"), ("thing==2.0", "thing: 1.0 instead of 2.0\n")):
            self.requirements.write_text(required + "\n")
            verified = self.run_packages("verify")
            self.assertEqual((verified.returncode, verified.stderr), (1, message))

    def test_finds_what_is_damaged(self):
        for damage in (lambda: self.module.write_text(MODULE_TEXT[:3]), lambda: self.module.unlink(), lambda: self.record.unlink()):
            self.setUp()  # A whole installation again.
            damage()
            self.assertEqual(self.run_packages("verify").stderr, "thing: damaged\n")

    def test_forgets_only_what_is_damaged(self):
        self.assertEqual(self.run_packages("forget").returncode, 0)
        self.assertEqual(self.run_packages("verify").returncode, 0)
        self.module.unlink()
        self.assertEqual(self.run_packages("forget").returncode, 0)
        self.assertEqual(self.run_packages("verify").stderr, "thing: missing\n")


if __name__ == "__main__":
    unittest.main()
