"""Tests of scripts/baselines/run, which writes a document of each baseline and prints their medians."""

import json
import subprocess
import sys
import unittest

from script_case import BASELINES, FolderTest

RUN = BASELINES / "run"
TIME_LIMIT_SECONDS = 120
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
        return [sys.executable, str(RUN), "--out", str(self.out), "--environment", str(self.folder), *arguments]

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


if __name__ == "__main__":
    unittest.main()
