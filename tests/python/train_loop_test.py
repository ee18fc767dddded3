"""Tests of scripts/tutorials/train_loop.py, the training loop of `reproduce` in Python."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts" / "tutorials" / "train_loop.py"
CONFIG = {
    "seed": 0, "batches": 3, "repeats": 2, "model": {"layers": [8, 4, 1]},
    "data": {"batch_size": 16, "features": 8, "targets": {"width": 1}}, "optimizer": {"learning_rate": 0.005},
    "acpu": {"workers": 1}, "threads": {"intra_op": 1, "pin": True},
}


class TrainLoop(unittest.TestCase):
    def run_loop(self, packages):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.json"
            config.write_text(json.dumps(CONFIG))
            return subprocess.run([sys.executable, str(SCRIPT), str(config), packages], capture_output=True, text=True,
                                  timeout=100, check=False)

    def test_reports_what_all_batches_took_in_each_repeat(self):
        done = self.run_loop(os.environ["PYTHONPATH"])
        self.assertEqual(done.returncode, 0, done.stderr)
        total = json.loads(done.stdout)["total_seconds"]
        self.assertEqual(total["count"], 2)
        self.assertTrue(0 < total["min"] <= total["median"] <= total["max"])

    def test_says_what_is_missing(self):
        environment = os.environ.pop("PYTHONPATH")
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", environment)
        done = self.run_loop("/nowhere")
        self.assertEqual(done.returncode, 3)
        self.assertIn("scripts/build", done.stderr)


if __name__ == "__main__":
    unittest.main()
