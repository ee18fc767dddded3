"""Tests of scripts/peers/all: a document of each peer, whether it is set up or not."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIME_LIMIT_SECONDS = 120
SLOW_TO_END = """#!{}
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print("begun", flush=True)
signal.sigwait([signal.SIGTERM])
open(sys.argv[3], "w").write('{{"status": "interrupted"}}')
sys.exit(130)
"""


class All(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

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

    def test_waits_for_the_document_of_the_peer_that_runs_when_it_is_interrupted(self):
        """With a peer that writes its document when it is told to end, and takes longer for it than a moment."""
        peers = self.folder / "peers"
        shutil.copytree(ROOT / "scripts" / "peers", peers)
        (peers / "run").write_text(SLOW_TO_END.format(sys.executable))
        child = subprocess.Popen([str(peers / "all"), "--out", str(self.out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(child.stdout.close)
        self.assertEqual(child.stdout.readline(), b"begun\n")
        child.terminate()
        self.assertEqual(child.wait(TIME_LIMIT_SECONDS), 130)
        self.assertEqual(json.loads((self.out / "jax.json").read_text()), {"status": "interrupted"})

    def test_refuses_options_that_no_peer_knows(self):
        self.assertEqual(self.run_all("--nonsense").returncode, 2)

    def test_needs_a_folder(self):
        done = subprocess.run([str(ROOT / "scripts" / "peers" / "all")], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
