"""What tests of scripts share: a folder of their own with programs in it, texts in files, and scripts as modules."""

import importlib.machinery
import importlib.util
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BASELINES = ROOT / "scripts" / "baselines"


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        """Writes a program of the folder; its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())


class GoldenTest(unittest.TestCase):
    """Compares texts with files of the tests: RUNAHEAD_UPDATE_GOLDEN=1 writes these again."""

    maxDiff = None

    def assert_golden(self, name, cases):
        """Compares cases, (name, text) each, with the file report_NAME.txt."""
        found = "".join(f"== {case} ==\n{text}" for case, text in cases)
        golden = pathlib.Path(__file__).with_name(f"report_{name}.txt")
        if os.environ.get("RUNAHEAD_UPDATE_GOLDEN") == "1":
            golden.write_text(found, encoding="utf-8")
        self.assertEqual(found, golden.read_text(encoding="utf-8"))


def load(path):
    """The module of a script, whose name need not end in .py."""
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.stem, loader))
    loader.exec_module(module)
    return module
