#!/usr/bin/env python3
"""What users get wrong: each command of bad_inputs*.txt ends with the exit code and the words there, and leaves nothing behind.

RUNAHEAD names the program, RUNAHEAD_CELL a stub in place of `runahead-cell`. The commands run in one folder, which bad_inputs.sh fills,
so they must not change it. A line of the table is

    [exit code] command of the shell  =>  words that stderr contains
"""

import os
import pathlib
import re
import subprocess
import tempfile
import typing
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60
# Words that are for us and not for users.
INTERNAL = re.compile(r"unexpected:|does not hold|what\(\)|std::|Traceback|parse_error|\[json|/core/|_error\.")
RAW_NUMBER = re.compile(r"\d\.\d{6,}\b")


class Entry(typing.NamedTuple):
    exit_code: int
    command: str
    words: str


def entries():
    lines = [line for path in sorted(HERE.glob("bad_inputs*.txt")) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [re.fullmatch(r"\[(\d+)\] (.+)  =>  (.+)", line) for line in lines if line.startswith("[")]
    return [Entry(int(line[1]), line[2], line[3]) for line in found]


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
        """Files and their sizes, except locks, which stay."""
        return {str(path.relative_to(self.folder)): path.lstat().st_size for path in self.folder.rglob("*") if path.name != "sweep.lock"}

    def test_each_ends_in_order(self):
        for entry in entries():
            with self.subTest(command=entry.command):
                if "ulimit -n 5;" in entry.command and os.environ.get("RUNAHEAD_SANITIZE"):
                    self.skipTest("a sanitizer opens files, too, to check whether an address is an object")
                before = self.listing()
                end = subprocess.run(["bash", "-c", entry.command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                     capture_output=True, timeout=SECONDS)
                said = end.stderr.decode("utf-8", "replace")
                self.assertEqual(end.returncode, entry.exit_code, said)
                self.assertIn(entry.words, said)
                self.assertNotRegex(said, INTERNAL)
                self.assertNotRegex(said, RAW_NUMBER)
                self.assertEqual(self.listing(), before)

    def test_there_are_many(self):
        self.assertGreaterEqual(len(entries()), 350)


if __name__ == "__main__":
    unittest.main()
