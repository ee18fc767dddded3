#!/usr/bin/env python3
"""What scripts/fuzz says where it cannot run; tests/fuzz/README.md describes what it finds."""

import subprocess
import sys
import unittest

from script_case import ROOT, FolderTest


class Fuzz(FolderTest):
    def run_fuzz(self, *arguments, compiler=None):
        """Runs the script where `compiler`, a shell script, is the only program there is."""
        if compiler:
            self.program("clang++", f"#!/bin/sh\n{compiler}\n")
        return subprocess.run([sys.executable, ROOT / "scripts/fuzz", *arguments], env={"PATH": str(self.folder)},
                              capture_output=True, text=True, timeout=60)

    def test_says_why_it_cannot_run(self):
        for compiler, code, words in ((None, 3, "there is no clang.. here.*apt-get install"),
                                      ("echo 'cannot find libclang_rt.fuzzer' >&2; exit 1", 3, "(?s)without libFuzzer.*cannot find libclang_rt.fuzzer"),
                                      ("exit 0", 1, "cmake")):  # A build that fails is no finding.
            run = self.run_fuzz("1", compiler=compiler)
            self.assertEqual(run.returncode, code)
            self.assertRegex(run.stderr, words)

    def test_wrong_arguments_are_usage(self):
        for arguments in (["0"], ["soon"], ["--only", "nothing"]):
            self.assertEqual(self.run_fuzz(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
