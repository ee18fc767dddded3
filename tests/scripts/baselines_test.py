"""Tests of what every baseline of scripts/baselines shares, on a framework made up in baselines_fake.py."""

import ast
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from script_case import BASELINES, FolderTest

FAKE = pathlib.Path(__file__).resolve().parent / "baselines_fake.py"
sys.path.insert(0, str(BASELINES))

import case_process  # noqa: E402 (after the path)
import document  # noqa: E402
import measure  # noqa: E402
from plan import plan  # noqa: E402

TIME_LIMIT_SECONDS = 300


class FakeTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "document.json"

    def command(self, *arguments):
        return [sys.executable, str(FAKE), "--quick", "--out", str(self.out), *arguments]

    def measured(self, *arguments, **environment):
        """Runs the baseline. Returns the exit code, the document (None: not written) and stderr."""
        done = subprocess.run(self.command(*arguments), env=dict(os.environ, **environment), capture_output=True,
                              text=True, timeout=TIME_LIMIT_SECONDS)
        self.assertEqual(done.stdout, "")
        return done.returncode, json.loads(self.out.read_text()) if self.out.exists() else None, done.stderr


class Document(FakeTest):
    def test_has_every_program_and_case_and_each_figure_with_its_spread(self):
        code, found, _ = self.measured("--runs", "2", "--threads", "1", "--cpus", "1")
        self.assertEqual((code, found["status"], found["reason"]), (0, "ok", None))
        self.assertEqual((found["baseline"], found["asynchronous"], found["quick"], found["runs"]), ("fake", True, True, 2))
        self.assertEqual(found["threads"], {"compute": 1, "cpus": [min(os.sched_getaffinity(0))]})
        self.assertEqual(found["versions"], {"fake": "1.0", "omp_num_threads": "1", "python": ".".join(map(str, sys.version_info[:3]))})
        cases = {(program, name): case for program, measured in found["programs"].items() for name, case in measured["cases"].items()}
        expected = {(program, case) for program, planned in plan(True).items() for case in planned.cases}
        self.assertEqual(set(cases), expected | {("train", "every_batch_other"), ("train", "none_other")})
        for key, case in cases.items():
            self.assertEqual(case["status"], "ok", key)
            for name, figure in case["figures"].items():
                self.assertRegex(name, "_(seconds|bytes)$")
                self.assertEqual((figure["runs"], sorted([figure["median"], figure["min"], figure["max"]])),
                                 (2, [figure["min"], figure["median"], figure["max"]]), (key, name))
        self.assertEqual(cases["graph", "default"]["results"], {"z": [[3.0, 3.0]]})
        self.assertEqual([cases["train", name]["results"]["last_loss"] for name in ("every_batch", "every_batch_other", "none")], [1.0, 2.0, None])
        self.assertEqual(cases["train", "every_batch_other"]["environment"], {"FAKE_LOSS": "2"})


class Misfortunes(FakeTest):
    def test_a_case_that_fails_fails_alone(self):
        aborted = "killed by signal {}".format(int(signal.SIGABRT))
        for misfortune, reason in (("raise", "RuntimeError: dot is broken"), ("abort", aborted)):
            code, found, _ = self.measured("--programs", "dispatch,graph", "--runs", "1", FAKE_DOT=misfortune)
            failed = found["programs"]["dispatch"]["cases"]["default"]
            self.assertEqual((failed["status"], failed["reason"], failed["figures"]), ("failed", reason, None))
            self.assertEqual(found["programs"]["graph"]["cases"]["default"]["status"], "ok")
            self.assertEqual((code, found["status"], found["reason"]), (1, "failed", "dispatch default: " + reason))

    def test_a_framework_that_cannot_be_imported_is_absent_and_one_without_time_timed_out(self):
        code, found, _ = self.measured(FAKE_IMPORT="fails")
        self.assertEqual((code, found["status"], found["reason"]), (3, "absent", "ImportError: no fake here"))
        self.assertEqual((found["programs"], found["versions"]), (None, None))
        code, found, _ = self.measured("--timeout", "0.001")
        self.assertEqual((code, found["status"], found["programs"]), (1, "timed_out", None))

    def test_what_hangs_is_ended_when_the_time_is_up(self):
        launcher = case_process.Launcher(str(FAKE), {"FAKE_DOT": "pause", "OMP_NUM_THREADS": "1"}, time.monotonic() + 0.5)
        request = {"program": "dispatch", "parameters": {"size": 1}, "quick": True, "runs": 1, "warm_up": 0,
                   "threads": 1, "cpus": [min(os.sched_getaffinity(0))], "seed": 0}
        self.assertEqual(launcher.ask(request, {})["status"], "timed_out")
        self.assertEqual(launcher.ask(request, {})["reason"], "no time was left to start it")

    def test_a_signal_ends_the_child_and_keeps_what_was_measured(self):
        fifo = self.folder / "child"
        os.mkfifo(fifo)
        parent = subprocess.Popen(self.command("--programs", "graph,dispatch"),
                                  env=dict(os.environ, FAKE_DOT="pause", FAKE_FIFO=str(fifo)))
        with open(fifo) as child:  # Opens when the child does; ends when the child does.
            parent.send_signal(signal.SIGTERM)
            self.assertEqual(child.read(), "")
        self.assertEqual(parent.wait(TIME_LIMIT_SECONDS), 130)
        found = json.loads(self.out.read_text())
        self.assertEqual(found["status"], "interrupted")
        self.assertEqual(found["programs"]["graph"]["cases"]["default"]["status"], "ok")
        self.assertEqual(found["programs"]["dispatch"]["cases"]["default"]["status"], "interrupted")

    def test_usage_errors_say_what_is_allowed_and_measure_nothing(self):
        for arguments, message in ((["--programs", "graf"], "'graf' is not a program: dispatch, "),
                                   (["--runs", "0"], "'0' is not a number from 1 on"),
                                   (["--timeout", "nan"], "'nan' is not a number of seconds above 0"),
                                   (["--out", "/nowhere/x.json"], "name a file in a folder that is there")):
            code, found, complaint = self.measured(*arguments)
            self.assertEqual((code, found), (2, None))
            self.assertIn(message, complaint)


class Measures(unittest.TestCase):
    def test_a_spread_is_median_smallest_and_largest_and_none_if_one_run_did_not_measure_it(self):
        self.assertEqual(document.spreads([{"peak": 1, "now": 2}, {"peak": None, "now": 4}, {"peak": 1, "now": 1}]),
                         {"peak": None, "now": {"median": 2, "min": 1, "max": 4, "runs": 3}})
    def test_a_peak_that_has_passed_is_seen(self):
        watch = measure.MemoryWatch()
        if not watch.can_reset_peak:
            self.skipTest("this kernel does not let the peak of RSS be reset")
        size = 64 << 20
        del bytearray(b"x" * size)[:]
        self.assertGreater(watch.peak_growth_bytes(), size // 2)
        self.assertLess(watch.growth_bytes(), size // 2)

        watch.can_reset_peak = False
        self.assertIsNone(watch.peak_growth_bytes())


class Sources(unittest.TestCase):
    def test_what_runs_in_old_environments_is_python_3_6(self):
        for path in sorted(BASELINES.glob("*.py")):
            ast.parse(path.read_text(), str(path), feature_version=(3, 6))


if __name__ == "__main__":
    unittest.main()
