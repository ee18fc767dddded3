#!/usr/bin/env python3
"""What users get wrong: each command of bad_inputs.txt ends with the exit code and the words there, and leaves nothing behind.

RUNAHEAD names the program, RUNAHEAD_CELL a stub in place of `runahead-cell`. The commands run in one folder, which bad_inputs.sh fills,
so they must not change it. An entry of the table is

    [exit code] command of the shell
        words that stderr contains
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60
# Words that are for us and not for users.
INTERNAL = re.compile(r"unexpected:|does not hold|what\(\)|std::|Traceback|parse_error|\[json|/core/|_error\.")
RAW_NUMBER = re.compile(r"\d\.\d{6,}\b")


class Entry:
    def __init__(self, exit_code, command):
        self.exit_code = exit_code
        self.command = command
        self.words = []


def entries():
    found = []
    for line in (HERE / "bad_inputs.txt").read_text(encoding="utf-8").splitlines():
        head = re.fullmatch(r"\[(\d+)\] (.+)", line)
        if head:
            found.append(Entry(int(head[1]), head[2]))
        elif line.startswith("    "):
            found[-1].words.append(line.strip())
    return found


class BadInputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        program = pathlib.Path(os.environ["RUNAHEAD"]).resolve()
        cls.environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        subprocess.run(["sh", HERE / "bad_inputs.sh"], cwd=cls.folder, check=True)

    def listing(self):
        """Files and their sizes; but for locks, which stay."""
        return {str(path.relative_to(self.folder)): path.lstat().st_size for path in self.folder.rglob("*") if path.name != "sweep.lock"}

    def test_each_ends_in_order(self):
        for entry in entries():
            with self.subTest(command=entry.command):
                before = self.listing()
                end = subprocess.run(["bash", "-c", entry.command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                     capture_output=True, timeout=SECONDS)
                said = end.stderr.decode("utf-8", "replace")
                self.assertEqual(end.returncode, entry.exit_code, said)
                for words in entry.words:
                    self.assertIn(words, said)
                self.assertTrue(entry.words, "an entry without words")
                self.assertNotRegex(said, INTERNAL)
                self.assertNotRegex(said, RAW_NUMBER)
                self.assertEqual(self.listing(), before)

    def test_there_are_many(self):
        self.assertGreaterEqual(len(entries()), 150)


if __name__ == "__main__":
    unittest.main()
