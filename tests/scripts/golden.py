"""Texts that tests compare with files of theirs: RUNAHEAD_UPDATE_GOLDEN=1 writes these again."""

import os
import pathlib
import unittest


class GoldenTest(unittest.TestCase):
    maxDiff = None

    def assert_golden(self, name, cases):
        """Compares cases, (name, text) each, with the file report_NAME.txt."""
        found = "".join(f"== {case} ==\n{text}" for case, text in cases)
        golden = pathlib.Path(__file__).with_name(f"report_{name}.txt")
        if os.environ.get("RUNAHEAD_UPDATE_GOLDEN") == "1":
            golden.write_text(found, encoding="utf-8")
        self.assertEqual(found, golden.read_text(encoding="utf-8"))
