#!/usr/bin/env python3
"""What scripts/fuzz says where it cannot run; tests/fuzz/README.md describes what it finds."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_fuzz(*arguments, compiler=None):
    """Runs the script where `compiler`, a shell script, is the only program there is."""
    with tempfile.TemporaryDirectory() as folder:
        if compiler:
            program = pathlib.Path(folder, "clang++")
            program.write_text(f"#!/bin/sh\n{compiler}\n")
            program.chmod(0o755)
        return subprocess.run([sys.executable, ROOT / "scripts/fuzz", *arguments], env={"PATH": folder},
                              capture_output=True, text=True, timeout=60)


class Fuzz(unittest.TestCase):
    def test_says_why_it_cannot_run(self):
        for compiler, code, words in ((None, 3, "there is no clang.. here.*apt-get install"),
                                      ("echo 'cannot find libclang_rt.fuzzer' >&2; exit 1", 3, "(?s)without libFuzzer.*cannot find libclang_rt.fuzzer"),
                                      ("exit 0", 1, "cmake")):  # A build that fails is no finding.
            run = run_fuzz("1", compiler=compiler)
            self.assertEqual(run.returncode, code)
            self.assertRegex(run.stderr, words)

    def test_wrong_arguments_are_usage(self):
        for arguments in (["0"], ["soon"], ["--only", "nothing"]):
            self.assertEqual(run_fuzz(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
