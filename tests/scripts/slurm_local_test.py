"""Tests of scripts/slurm_local with a real Slurm, in a folder of its own.

Skipped if Slurm's packages are missing and cannot be installed; RUNAHEAD_EXPECT_SLURM=1 makes that a failure.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

from script_case import ROOT, FolderTest

SCRIPT = ROOT / "scripts" / "slurm_local"
sys.path.insert(0, str(ROOT / "scripts"))

from slurm import cluster, daemons, packages, processes  # noqa: E402 (after the path)

WAIT_SECONDS = 60
LOOPBACK, LISTENING = "0100007F", "0A"  # As /proc/net/tcp writes them.


def setUpModule():
    try:
        packages.ensure(lambda message: print(message, file=sys.stderr))
    except packages.Missing as error:
        if os.environ.get("RUNAHEAD_EXPECT_SLURM") == "1":
            raise
        raise unittest.SkipTest(f"no Slurm here: {error}") from error


def slurm_local(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=600)


class RunningCluster(FolderTest):
    """A running cluster, removed after the test."""

    def setUp(self):
        super().setUp()
        self.local = cluster.of_folder(self.folder / "c")  # A short path: it holds sockets.
        self.addCleanup(slurm_local, "stop", "--dir", self.local.folder)
        started = self.call("start")
        self.assertEqual(started.returncode, 0, started.stderr)
        self.assertEqual(started.stdout, f"{self.local.configuration}\n")

    def call(self, action, *arguments):
        return slurm_local(action, "--dir", self.local.folder, *arguments)

    def submit(self, body, *options):
        """Submits a job that runs in self.folder. Returns its number."""
        script = self.folder / "job"
        script.write_text(f"#!/bin/bash\n{body}\n")
        done = daemons.client(self.local, "sbatch", "--parsable", f"--chdir={self.folder}", f"--output={self.folder}/output.%a",
                              *options, str(script))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def wait_until(self, condition):
        if not processes.wait_until(condition, WAIT_SECONDS):
            self.fail(f"condition not reached within {WAIT_SECONDS} s; jobs:\n{daemons.client(self.local, 'squeue').stdout}")

    def submit_waiting(self, *options):
        """Submits a job whose tasks ignore SIGTERM, write their pid and wait. Returns, once the first has, the
        Processes of those that have."""
        for path in self.folder.glob("task.*"):  # Of a job before.
            path.unlink()
        self.submit('trap "" TERM; echo $$ >$(mktemp -u task.XXXX); while :; do sleep 1; done', *options)
        self.wait_until(self.tasks)
        return self.tasks()

    def tasks(self):
        texts = [path.read_text() for path in self.folder.glob("task.*")]
        return [processes.of(int(text)) for text in texts if text.endswith("\n")]

    def assert_gone(self, tasks=()):
        self.assertEqual(daemons.left_over(self.local), [])
        self.assertEqual([task for task in tasks if task.is_running()], [])
        self.assertFalse(self.local.folder.exists())


class Jobs(RunningCluster):
    def test_a_job_over_its_memory_is_killed_with_a_message(self):
        number = self.submit(f"exec {sys.executable} -c 'import time; x = b\"x\" * 200_000_000; time.sleep(300)'", "--mem=50")
        self.wait_until(lambda: not daemons.jobs(self.local))
        shown = daemons.client(self.local, "scontrol", "show", "job", number).stdout
        self.assertRegex(shown, "JobState=(FAILED|OUT_OF_MEMORY)")
        self.assertIn("memory", "".join(path.read_text() for path in self.folder.glob("output.*")))

    def test_only_the_loopback_is_listened_on(self):
        ports = {int(port) for port in re.findall(r"Port=(\d+)", self.local.configuration.read_text())}
        lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        addresses = [line[1].split(":") for line in lines if line[3] == LISTENING]
        self.assertEqual(sorted((address, int(port, 16)) for address, port in addresses if int(port, 16) in ports),
                         sorted((LOOPBACK, port) for port in ports))


class Life(RunningCluster):
    def test_a_start_leaves_a_running_cluster_alone_and_refuses_another_size(self):
        before = daemons.running(self.local)
        again = self.call("start")
        self.assertEqual((again.returncode, again.stdout), (0, f"{self.local.configuration}\n"))
        other = self.call("start", "--cpus", "7")
        self.assertEqual(other.returncode, 1)
        self.assertIn("4 CPUs", other.stderr)
        self.assertEqual(daemons.running(self.local), before)
        shown = self.call("status").stdout
        for expected in ("munged: runs", "slurmctld: runs", "slurmd: runs", "node: idle, 4 CPUs and 4096 MiB", "jobs: 0"):
            self.assertIn(expected, shown)

    def test_a_start_restarts_killed_daemons_and_a_stop_ends_running_and_pending_jobs(self):
        tasks = self.submit_waiting("--mem=50")
        for name in ("slurmd", "slurmctld"):
            daemons.running(self.local)[name].send(signal.SIGKILL)
        self.wait_until(lambda: set(daemons.running(self.local)) == {"munged"})
        self.assertEqual(self.call("status").returncode, 1)
        self.assertEqual(self.call("start").returncode, 0)
        self.assertTrue(daemons.is_healthy(self.local))
        self.assertEqual((daemons.jobs(self.local), [task for task in tasks if task.is_running()]), ([], []))
        tasks = self.submit_waiting("--array=0-9", "--mem=50")
        self.assertEqual([self.call("stop").returncode for _ in range(2)], [0, 0])
        self.assert_gone(tasks)

    def test_a_stop_ends_jobs_whose_daemons_were_killed(self):
        tasks = self.submit_waiting("--mem=50")
        for process in daemons.running(self.local).values():
            process.send(signal.SIGKILL)
        self.wait_until(lambda: not daemons.running(self.local))
        self.assertEqual(self.call("stop").returncode, 0)
        self.assert_gone(tasks)
        self.assertEqual(self.call("status").stdout.count("does not run"), 3)

    def test_a_stop_ends_daemons_whose_folder_was_removed(self):
        shutil.rmtree(self.local.folder)
        self.assertEqual(self.call("stop").returncode, 0)
        self.assert_gone()


class FailingStart(FolderTest):
    """A start in which slurmctld is another program."""

    def setUp(self):
        super().setUp()
        self.local = cluster.of_folder(self.folder / "c")

    def start(self, *lines):
        """Starts, with these lines of bash as slurmctld."""
        self.program("slurmctld", "\n".join(["#!/bin/bash", "[ $1 != -V ] || { echo slurm-wlm 22.05.8; exit; }", *lines]) + "\n")
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.Popen([sys.executable, SCRIPT, "start", "--dir", self.local.folder], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def assert_left_nothing(self):
        self.assertEqual(daemons.left_over(self.local), [])
        self.assertFalse(self.local.folder.exists())

    def test_quotes_the_daemon_and_leaves_nothing(self):
        started = self.start("echo no luck today; exit 1")
        out, err = started.communicate(timeout=WAIT_SECONDS)
        self.assertEqual((started.returncode, out), (1, ""))
        self.assertIn("slurmctld ended at once, having said:\n  no luck today", err)
        self.assert_left_nothing()

    def test_leaves_nothing_when_interrupted(self):
        started = self.start('exec -a slurmctld bash -c "while :; do sleep 1; done" slurmctld "$@"')
        self.assertTrue(processes.wait_until(lambda: "slurmctld" in daemons.running(self.local), WAIT_SECONDS))
        started.terminate()
        _, err = started.communicate(timeout=WAIT_SECONDS)
        self.assertEqual((started.returncode, err), (130, "slurm_local: interrupted\n"))
        self.assert_left_nothing()


if __name__ == "__main__":
    unittest.main(verbosity=2)  # Shows why a test was skipped.
