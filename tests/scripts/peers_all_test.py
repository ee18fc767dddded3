"""Tests of scripts/peers/all: a document of each peer, whether it is set up or not."""

import json
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIME_LIMIT_SECONDS = 120


class All(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"

    def run_all(self, *arguments):
        """Every peer, with environments in none of which there is a Python."""
        return subprocess.run([str(ROOT / "scripts" / "peers" / "all"), "--out", str(self.out), "--environment",
                               str(self.out), *arguments], capture_output=True, text=True, timeout=TIME_LIMIT_SECONDS,
                              check=False)

    def test_writes_a_document_of_each_peer(self):
        done = self.run_all("--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        documents = [json.loads(path.read_text()) for path in sorted(self.out.glob("*.json"))]
        self.assertEqual([document["peer"] for document in documents],
                         ["jax", "mxnet", "mxnet_1_3", "numpy", "paddle", "torch"])
        for document in documents:
            self.assertEqual(document["status"], "absent")

    def test_refuses_options_that_no_peer_knows(self):
        self.assertEqual(self.run_all("--nonsense").returncode, 2)

    def test_needs_a_folder(self):
        done = subprocess.run([str(ROOT / "scripts" / "peers" / "all")], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
