"""Tests of the parts of scripts/slurm_local that need no Slurm."""

import contextlib
import io
import os
import subprocess
import sys
import unittest
from unittest import mock

import script_case
from script_case import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from slurm import cluster, command, daemons, packages, processes  # noqa: E402 (after the path)


class FolderTest(script_case.FolderTest):
    def call(self, *arguments):
        """Runs the command. Returns exit code and stderr."""
        err = io.StringIO()
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()), mock.patch("signal.signal"):
            code = command.main([str(argument) for argument in arguments])
        return code, err.getvalue()


class Packages(FolderTest):
    """A system in which this folder holds all programs."""

    def setUp(self):
        super().setUp()
        for replaced in (mock.patch.object(packages, "FOLDERS", str(self.folder)),
                         mock.patch.dict(os.environ, PATH=str(self.folder)), mock.patch("os.geteuid", return_value=0)):
            self.enterContext(replaced)

    def install(self):
        """Runs `ensure`. Returns why packages are missing, or what it said."""
        said = []
        try:
            packages.ensure(said.append)
        except packages.Missing as error:
            return str(error)
        return said

    def test_without_apt_it_says_what_to_install(self):
        self.program("slurmd", "")
        self.assertEqual(self.install(), "this system has no apt-get; install what Debian calls munge slurmctld slurm-client")

    def test_without_root_it_says_what_to_run(self):
        self.program("apt-get", "")
        with mock.patch("os.geteuid", return_value=1000):
            self.assertIn("sudo apt-get install -y --no-install-recommends munge slurmctld slurmd slurm-client", self.install())

    def test_apts_last_words_are_passed_on(self):
        self.program("env", '#!/bin/sh\nshift\nexec "$@"\n')
        self.program("apt-get", "#!/bin/sh\necho; echo 'E: no route to the mirror'; exit 100\n")
        self.assertRegex(self.install(), "apt could not install munge .*: E: no route to the mirror")

    def test_installs_what_is_missing(self):
        self.program("env", '#!/bin/sh\nshift\nexec "$@"\n')
        made = [f"echo >{self.folder}/{name}; /bin/chmod 755 {self.folder}/{name}" for name in packages.PROGRAMS]
        self.program("apt-get", "\n".join(["#!/bin/sh", *made, ""]))
        self.assertEqual(self.install(), ["installing system packages: munge slurmctld slurmd slurm-client"])

    def test_the_command_exits_with_3(self):
        code, err = self.call("start", "--dir", self.folder / "c")
        self.assertEqual(code, 3)
        self.assertIn("no apt-get", err)
        self.assertFalse((self.folder / "c").exists())


class Folders(FolderTest):
    def test_foreign_files_are_left_alone(self):
        (self.folder / "letter").write_text("dear")
        for action in ("start", "stop", "status"):
            code, err = self.call(action, "--dir", self.folder)
            self.assertEqual(code, 2)
            self.assertIn("did not make", err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["letter"])

    def test_paths_that_slurm_does_not_accept_are_refused(self):
        (self.folder / "file").touch()
        (self.folder / "link").symlink_to(self.folder)
        for path, why in {self.folder / "a b": "characters", self.folder / ("l" * 90): "too long", self.folder / "missing" / "c": "is not a folder",
                          self.folder / "file": "is not a folder", self.folder / "link": "is not a folder"}.items():
            with self.assertRaisesRegex(cluster.Refused, why):
                cluster.of_folder(path)

    def test_a_lock_that_is_never_given_up_is_an_error(self):
        local = cluster.of_folder(self.folder / "c")
        with mock.patch.object(cluster, "LOCK_SECONDS", 0), cluster.locked(local, make=True):
            with self.assertRaisesRegex(cluster.Refused, "been using"), cluster.locked(local):
                pass

    def test_usage_errors_exit_with_2(self):
        for arguments in ([], ["restart"], ["start", "--cpus", "0"]):
            ran = subprocess.run([sys.executable, ROOT / "scripts" / "slurm_local", *arguments], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 2, ran.stderr)


class Daemons(FolderTest):
    def run_daemon(self, seen, exit_code=None):
        """Starts a daemon that has the exit code, with what /proc shows at each look."""
        with mock.patch.object(daemons.subprocess, "Popen") as started, mock.patch.object(daemons, "running", side_effect=seen):
            started.return_value.poll.return_value = exit_code
            daemons.run(cluster.of_folder(self.folder), "slurmd", lambda: True)

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(packages, "find", return_value="slurmd"))
        (self.folder / cluster.MARKER).touch()

    def test_one_that_proc_does_not_show_yet_has_not_ended(self):
        self.run_daemon([{}, {"slurmd": mock.ANY}])

    def test_one_that_ends_or_is_never_ready_fails(self):
        with self.assertRaisesRegex(daemons.Failed, "slurmd ended at once"):
            self.run_daemon([], exit_code=0)
        with mock.patch.object(daemons, "START_SECONDS", 0), self.assertRaisesRegex(daemons.Failed, "was not ready within 0 s"):
            self.run_daemon([{}])


class Processes(unittest.TestCase):
    def test_neither_a_zombie_nor_another_process_of_the_same_pid_is_running(self):
        ended = subprocess.Popen(["true"])
        self.addCleanup(ended.wait)
        process = processes.of(ended.pid)
        self.assertTrue(processes.wait_until(lambda: not process.is_running(), 20))
        self.assertEqual(processes.stat(ended.pid).state, "Z")
        self.assertFalse(processes.Process(os.getpid(), "1").is_running())


if __name__ == "__main__":
    unittest.main()
