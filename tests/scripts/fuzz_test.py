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
    def test_without_clang_it_says_what_to_install(self):
        run = run_fuzz("1")
        self.assertEqual(run.returncode, 3)
        self.assertIn("there is no clang++ here", run.stderr)
        self.assertIn("apt-get install", run.stderr)

    def test_a_clang_without_libfuzzer_is_not_mistaken_for_none(self):
        run = run_fuzz("1", compiler="echo 'cannot find libclang_rt.fuzzer' >&2; exit 1")
        self.assertEqual(run.returncode, 3)
        self.assertIn("without libFuzzer", run.stderr)
        self.assertIn("cannot find libclang_rt.fuzzer", run.stderr)

    def test_a_build_that_fails_is_no_finding(self):
        run = run_fuzz("1", compiler="exit 0")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cmake", run.stderr)

    def test_wrong_arguments_are_usage(self):
        for arguments in (["0"], ["soon"], ["--only", "nothing"]):
            self.assertEqual(run_fuzz(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
