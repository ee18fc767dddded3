"""Tests of scripts/gpu_check: its parts, with a program that only notes how it was called in place of runahead."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST = ["plain", "staging", "copies", "launch_queue", "out_of_memory"]
SWEEPS = FIRST + sorted({path.stem for path in (ROOT / "configs" / "cuda").glob("*.json")} - set(FIRST))
SEEDS = sorted(path.stem for path in (ROOT / "configs" / "cuda" / "seeds").glob("*.json"))
PROGRAM = """#!/usr/bin/env bash
echo "$*" >>calls
case $1 in
  devices) echo '[{"device": "cpu", "available": true}, {"device": "cuda", "available": HAS_GPU}]' ;;
  sweep) exit "${SWEEP_EXIT_CODE:-0}" ;;
  run) mkdir "$4" && echo '{"status": "ok"}' >"$4/record.json" ;;
  bench) echo '{}' ;;
esac
"""


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        (self.project / "scripts").mkdir()
        for name in ("gpu_check", "gpu_claims.py", "gpu_collect", "gpu_figures.py"):
            shutil.copy(ROOT / "scripts" / name, self.project / "scripts")
        (self.project / "scripts" / "report").symlink_to(ROOT / "scripts" / "report")
        (self.project / "configs").symlink_to(ROOT / "configs")
        self.out = self.project / "out"

    def write_program(self, has_gpu="true"):
        program = self.project / "build" / "gpu" / "bin" / "runahead"
        program.parent.mkdir(parents=True)
        program.write_text(PROGRAM.replace("HAS_GPU", has_gpu))
        program.chmod(0o755)

    def check(self, *arguments, **environment):
        """Runs the script. Returns the exit code and what it said."""
        ran = subprocess.run([self.project / "scripts" / "gpu_check", *arguments], capture_output=True, text=True,
                             env={**os.environ, "RUNAHEAD_PYTHON": sys.executable, **environment})
        return ran.returncode, ran.stdout + ran.stderr

    def calls(self, command):
        called = (self.project / "calls").read_text().splitlines()
        return [call.split() for call in called if call.split()[0] == command]

    def test_an_unknown_part_is_a_usage_error_that_names_the_parts(self):
        code, said = self.check("--only", "build,bild", "out")
        self.assertEqual(code, 2)
        self.assertIn("found 'bild'; allowed: build, tests, experiments, charts, claims", said)
        self.assertFalse(self.out.exists())

    def test_what_it_does_not_know_shows_how_to_call_it(self):
        code, said = self.check("--help")
        self.assertEqual(code, 2)
        self.assertIn("RUNAHEAD_DEPS=<dir>", said)
        self.assertNotIn("pipefail", said)

    def test_collects_into_no_folder_that_holds_something(self):
        code, said = self.check("--collect", "scripts")
        self.assertEqual(code, 2)
        self.assertIn("'scripts' is not empty", said)

    def test_collects_nothing_where_no_build_tells_what_is_needed(self):
        code, said = self.check("--collect", "dependencies")
        self.assertEqual(code, 3)
        self.assertIn("scripts/build dev makes one", said)

    def test_without_a_build_it_says_how_to_make_one(self):
        code, said = self.check("--only", "tests", "out")
        self.assertEqual(code, 3)
        self.assertIn("--only build makes it", said)

    def test_without_a_gpu_nothing_runs(self):
        self.write_program(has_gpu="false")
        code, said = self.check("--only", "experiments", "out")
        self.assertEqual(code, 3)
        self.assertIn("no CUDA device", said)
        self.assertEqual(self.calls("sweep"), [])

    def test_every_experiment_runs_what_must_hold_first_and_leaves_its_results(self):
        self.write_program()
        code, said = self.check("--only", "experiments", "out")
        self.assertEqual(code, 0, said)
        self.assertEqual([call[1:4] for call in self.calls("sweep")],
                         [[f"configs/cuda/{name}.json", "--out", f"out/{name}"] for name in SWEEPS])
        self.assertEqual([call[3] for call in self.calls("run")], [f"out/seeds/{name}" for name in SEEDS])
        self.assertTrue((self.out / "transfer.json").exists())

    def test_called_again_it_does_not_repeat_what_is_there_and_sweeps_go_on(self):
        self.write_program()
        for _ in range(2):
            self.check("--only", "experiments", "out")
        self.assertEqual(len(self.calls("sweep")), 2 * len(SWEEPS))
        self.assertEqual(len(self.calls("run")), len(SEEDS))
        self.assertEqual(len(self.calls("bench")), 1)

    def test_a_sweep_that_goes_on_repeats_what_did_not_end_well(self):
        self.write_program()
        self.check("--only", "experiments", "out")
        for call in self.calls("sweep"):
            self.assertEqual(call[call.index("--retry") + 1], "failed,crashed,timed_out,skipped")

    def build_with_cmake(self, version, **environment):
        """Tries to build with a CMake that can only tell its version."""
        cmake = self.project / "tools" / "cmake"
        cmake.parent.mkdir()
        cmake.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo cmake version {version}\n")
        cmake.chmod(0o755)
        return self.check("--only", "build", "out", RUNAHEAD_DEPS=".", RUNAHEAD_LIBTORCH=".",
                          PATH=f"{cmake.parent}:{os.environ['PATH']}", **environment)

    def test_a_build_with_an_old_cmake_says_which_is_needed(self):
        code, said = self.build_with_cmake("3.22.1")
        self.assertEqual(code, 3)
        self.assertIn("found 3.22.1 CMake; 3.25 or newer is needed", said)

    @unittest.skipIf(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "skipped: there is a CUDA toolkit")
    def test_a_build_without_a_cuda_toolkit_says_what_to_set(self):
        code, said = self.build_with_cmake("3.25.1", CUDA_HOME=".")
        self.assertEqual(code, 3)
        self.assertIn("set CUDA_HOME to one with bin/nvcc", said)

    def test_a_seed_that_was_cut_short_is_run_again(self):
        self.write_program()
        self.check("--only", "experiments", "out")
        (self.out / "seeds" / SEEDS[0] / "record.json").write_text('{"status": "interrupted"}')
        self.check("--only", "experiments", "out")
        self.assertEqual([call[3] for call in self.calls("run")].count(f"out/seeds/{SEEDS[0]}"), 2)

    def test_cells_that_failed_are_left_to_the_claims_and_a_sweep_that_could_not_run_is_not(self):
        self.write_program()
        self.assertEqual(self.check("--only", "experiments", "out", SWEEP_EXIT_CODE="4")[0], 0)
        code, said = self.check("--only", "experiments", "out", SWEEP_EXIT_CODE="1")
        self.assertEqual(code, 1)
        self.assertIn("not well: experiments", said)

    def test_claims_that_do_not_hold_fail_it_and_are_packed_with_the_results(self):
        code, said = self.check("--only", "claims", "out")
        self.assertEqual(code, 1)
        self.assertIn("not well: claims", said)
        self.assertIn("| NO ", (self.out / "claims.md").read_text())
        with tarfile.open(f"{self.out}.tar.gz") as packed:
            self.assertLessEqual({"out/claims.md", "out/claims.json"}, set(packed.getnames()))

    def test_charts_of_no_records_are_an_error(self):
        code, said = self.check("--only", "charts", "out")
        self.assertEqual(code, 3)
        self.assertIn("there are no records", said)


if __name__ == "__main__":
    unittest.main()
