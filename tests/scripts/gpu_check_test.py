"""Tests of scripts/gpu_check, with a program in place of runahead that only logs its calls."""

import os
import shutil
import subprocess
import sys
import tarfile
import unittest

from script_case import ROOT, FolderTest

FIRST = ["plain", "staging", "copies", "launch_queue", "out_of_memory"]
SWEEPS = FIRST + sorted({path.stem for path in (ROOT / "configs" / "cuda").glob("*.json")} - set(FIRST))
TUTORIALS = sorted(path.stem for path in (ROOT / "configs" / "cuda" / "tutorials").glob("*.json"))
PROGRAM = """#!/usr/bin/env bash
echo "$*" >>calls
case $1 in
  devices) echo '[{"device": "cpu", "available": true}, {"device": "cuda", "available": HAS_GPU}]' ;;
  sweep) exit "${SWEEP_EXIT_CODE:-0}" ;;
  run) mkdir "$4" && echo '{"status": "ok"}' >"$4/record.json" ;;
  bench) echo '{}' ;;
  reproduce) echo "$*: 3 of 4 as expected"; exit 5 ;;
esac
"""


class GpuCheck(FolderTest):
    def setUp(self):
        super().setUp()
        self.project = self.folder
        (self.project / "scripts").mkdir()
        for name in ("gpu_check", "gpu_collect"):
            shutil.copy(ROOT / "scripts" / name, self.project / "scripts")
        (self.project / "configs").symlink_to(ROOT / "configs")
        self.out = self.project / "out"

    def write_program(self, has_gpu="true"):
        self.program("build/gpu/bin/runahead", PROGRAM.replace("HAS_GPU", has_gpu))

    def check(self, *arguments, **environment):
        """Runs the script. Returns the exit code and what it said."""
        ran = subprocess.run([self.project / "scripts" / "gpu_check", *arguments], capture_output=True, text=True,
                             env={**os.environ, "RUNAHEAD_PYTHON": sys.executable, **environment})
        return ran.returncode, ran.stdout + ran.stderr

    def calls(self, command):
        called = (self.project / "calls").read_text().splitlines()
        return [call.split() for call in called if call.split()[0] == command]

    def test_says_what_is_wrong_with_the_call_or_the_machine(self):
        cases = (
            (2, "found 'bild'; allowed: build, tests, experiments, charts, claims", ["--only", "build,bild", "out"]),
            (2, "RUNAHEAD_DEPS=<dir>", ["--help"]),
            (2, "'scripts' is not empty", ["--collect", "scripts"]),
            (3, "scripts/build dev makes one", ["--collect", "dependencies"]),
            (3, "--only build makes it", ["--only", "tests", "out"]),
            (3, "--only build makes it", ["--only", "claims", "out"]),
            (3, "there are no records", ["--only", "charts", "out"]),
        )
        for expected, message, arguments in cases:
            with self.subTest(arguments):
                code, said = self.check(*arguments)
                self.assertEqual(code, expected)
                self.assertIn(message, said)
                self.assertNotIn("pipefail", said)

    def test_without_a_gpu_nothing_runs(self):
        self.write_program(has_gpu="false")
        code, said = self.check("--only", "experiments", "out")
        self.assertEqual(code, 3)
        self.assertIn("no CUDA device", said)
        self.assertEqual(self.calls("sweep"), [])

    def test_runs_every_experiment_what_must_hold_first_and_again_what_was_cut_short(self):
        self.write_program()
        code, said = self.check("--only", "experiments", "--repeats", "2", "out")
        self.assertEqual(code, 0, said)
        self.assertEqual([call[1:4] for call in self.calls("sweep")],
                         [[f"configs/cuda/{name}.json", "--out", f"out/{name}"] for name in SWEEPS])
        self.assertEqual([call[3] for call in self.calls("run")], [f"out/tutorials/{name}" for name in TUTORIALS])
        (self.out / "tutorials" / TUTORIALS[0] / "record.json").write_text('{"status": "interrupted"}')
        self.check("--only", "experiments", "--repeats", "2", "out")
        self.assertEqual(len(self.calls("sweep")), 2 * len(SWEEPS))
        for call in self.calls("sweep"):
            self.assertEqual((call[call.index("--set") + 1], call[call.index("--retry") + 1]), ("/repeats=2", "failed,crashed,timed_out,skipped"))
        self.assertEqual([call[3] for call in self.calls("run")], [f"out/tutorials/{name}" for name in [*TUTORIALS, TUTORIALS[0]]])
        self.assertEqual(len(self.calls("bench")), 1)

    def test_a_build_with_an_old_cmake_says_which_is_needed(self):
        cmake = self.program("tools/cmake", "#!/bin/sh\n[ $1 = --version ] && echo cmake version 3.22.1\n")
        code, said = self.check("--only", "build", "out", RUNAHEAD_DEPS=".", RUNAHEAD_LIBTORCH=".", PATH=f"{cmake.parent}:{os.environ['PATH']}")
        self.assertEqual(code, 3)
        self.assertIn("found 3.22.1 CMake; 3.25 or newer is needed", said)

    def test_cells_that_failed_are_left_to_the_claims_and_a_sweep_that_could_not_run_is_not(self):
        self.write_program()
        self.assertEqual(self.check("--only", "experiments", "out", SWEEP_EXIT_CODE="4")[0], 0)
        code, said = self.check("--only", "experiments", "out", SWEEP_EXIT_CODE="1")
        self.assertEqual(code, 1)
        self.assertIn("not well: experiments", said)

    def test_claims_that_do_not_hold_fail_it_and_are_packed_with_the_results(self):
        self.write_program(has_gpu="false")
        code, said = self.check("--only", "claims", "out")
        self.assertEqual(code, 1)
        self.assertIn("not well: claims", said)
        self.assertIn("reproduce --judge out: 3 of 4", (self.out / "claims.txt").read_text())
        self.assertIn("reproduce --judge out --json", (self.out / "claims.json").read_text())
        with tarfile.open(f"{self.out}.tar.gz") as packed:
            self.assertLessEqual({"out/claims.txt", "out/claims.json"}, set(packed.getnames()))


if __name__ == "__main__":
    unittest.main()
