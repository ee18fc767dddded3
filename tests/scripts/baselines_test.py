"""Tests of scripts/baselines: what every baseline shares, on a framework made up in baselines_fake.py; `run`, which writes a
document of each and prints their medians; `setup`, and the catalogue of baselines.
"""

import ast
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from script_case import BASELINES, ROOT, FolderTest

FAKE = pathlib.Path(__file__).resolve().parent / "baselines_fake.py"
sys.path.insert(0, str(BASELINES))

import case_process  # noqa: E402 (after the path)
import document  # noqa: E402
import interpreters  # noqa: E402
import measure  # noqa: E402
from catalogue import CATALOGUE, NEW_PYTHONS  # noqa: E402
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


NAMES = ["jax", "mxnet", "mxnet_1_3", "numpy", "paddle", "torch"]

# Stands in for the Python of an environment: "-s PROGRAM --name NAME --out FILE OPTION …".
MEASURES = """#!{python}
import json, sys
name, out = sys.argv[4], sys.argv[6]
cases = {{"default": {{"figures": {{"copy_seconds": {{"median": 0.0125}}, "block_seconds": None}}}}}}
status = "failed" if name == "paddle" else "ok"
with open(out, "w") as file:
    json.dump({{"status": status, "reason": "no memory", "options": sys.argv[7:],
               "programs": {{"dispatch": {{"cases": cases}}}} if name == "jax" else None}}, file)
sys.exit(status != "ok")
"""
ENDS_SLOWLY = """#!{python}
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print("begun", flush=True)
signal.sigwait([signal.SIGTERM])
open(sys.argv[6], "w").write('{{"status": "interrupted"}}')
sys.exit(130)
"""


class Run(FolderTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"

    def command(self, *arguments):
        return [sys.executable, str(BASELINES / "run"), "--out", str(self.out), "--environment", str(self.folder), *arguments]

    def run_baselines(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS)

    def set_up(self, python):
        self.program("bin/python", python.format(python=sys.executable))

    def document(self, name):
        return json.loads((self.out / f"{name}.json").read_text())

    def test_writes_a_document_with_the_reason_for_each_baseline_that_is_not_set_up(self):
        done = self.run_baselines()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(sorted(path.stem for path in self.out.glob("*.json")), NAMES)
        for name in NAMES:
            found = self.document(name)
            self.assertEqual((found["baseline"], found["status"], found["programs"]), (name, "absent", None))
            self.assertIn(f"`scripts/baselines/setup {name}` makes it", found["reason"])
            self.assertIn(f"{name} has no figures: it is not set up", done.stdout)

    def test_prints_medians_and_names_what_failed(self):
        self.set_up(MEASURES)
        done = self.run_baselines("paddle", "jax", "--quick", "--runs", "7", "--programs", "graph")
        self.assertEqual(done.returncode, 1)
        self.assertIn("paddle: failed: no memory", done.stderr)
        self.assertEqual([line.split("  ")[0] for line in done.stdout.splitlines()[2:]],
                         ["dispatch, default, copy_seconds", "paddle has no figures: no memory"])
        self.assertIn("0.0125", done.stdout)
        self.assertEqual(self.document("jax")["options"], ["--programs", "graph", "--runs", "7", "--threads", "1", "--cpus",
                                                           "2", "--timeout", "1800.0", "--quick"])

    def test_waits_for_the_document_of_the_baseline_that_runs_when_it_is_interrupted(self):
        self.set_up(ENDS_SLOWLY)
        child = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(child.stdout.close)
        self.assertEqual(child.stdout.readline(), b"begun\n")
        child.terminate()
        self.assertEqual(child.wait(TIME_LIMIT_SECONDS), 130)
        self.assertEqual(self.document("jax"), {"status": "interrupted"})

    def test_refuses_unknown_baselines_and_options(self):
        for arguments, message in ((["tensorflow"], "'tensorflow' is not a baseline: jax, mxnet"), (["--nonsense"], "--nonsense")):
            done = self.run_baselines(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            self.assertFalse(self.out.exists())


class SetupTest(FolderTest):
    def interpreter(self, name, says, code=0):
        return self.program(name, f"#!/bin/sh\necho {says}\nexit {code}\n")


class Interpreters(SetupTest):
    def test_finds_the_preferred_version_that_can_make_environments(self):
        older, newer = self.interpreter("older", "3.11"), self.interpreter("newer", "3.12")
        broken = self.interpreter("broken", "3.13", code=1)
        self.assertEqual(interpreters.find(("3.12", "3.11"), [older, newer]), newer)
        self.assertEqual(interpreters.find(("3.13", "3.11"), [self.folder / "nothing", broken, older, newer]), older)
        self.assertIsNone(interpreters.find(("3.13",), [broken]))
        self.assertRegex(interpreters.missing("mxnet", ("3.8",)), "mxnet needs a Python 3.8 .*`pyenv install 3.8`")


class Setup(SetupTest):
    def assert_refused(self, message, *arguments):
        done = subprocess.run([sys.executable, BASELINES / "setup", *arguments], capture_output=True, text=True,
                              timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn(message, done.stderr)

    def test_leaves_a_folder_alone_that_is_no_environment_or_one_of_another_python(self):
        (self.folder / "letter").write_text("dear")
        self.assert_refused("is not a virtual environment", "numpy", self.folder)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["letter"])
        (self.folder / "pyvenv.cfg").write_text("home = here\n")
        python = self.interpreter("bin/python", "3.9")
        self.assert_refused("is an environment of Python 3.9, and mxnet needs 3.8", "mxnet", self.folder)
        self.assertTrue(python.exists())

    def test_names_the_baselines_when_asked_for_another(self):
        for name in CATALOGUE:
            self.assert_refused(name, "tensorflow")


class Catalogue(unittest.TestCase):
    def test_pins_every_package(self):
        for path in (BASELINES / "requirements").iterdir():
            for line in path.read_text().splitlines():
                self.assertRegex(line, r"^(#.*|[\w.-]+==[\w.]+|-r \.\./\.\./requirements/libtorch\.txt)$", path.name)

    def test_takes_a_framework_from_the_python_that_setup_accepts(self):
        accepted = re.search(r"\((\d, \d+)\) <= sys.version_info", (ROOT / "scripts" / "setup").read_text()).group(1)
        self.assertEqual(NEW_PYTHONS[0], accepted.replace(", ", "."))


if __name__ == "__main__":
    unittest.main()
