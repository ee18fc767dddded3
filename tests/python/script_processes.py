"""Runs scripts, each in a process of its own with a time limit, without the import of torch that each would begin with.

Importing this forks a process that has torch and nothing of runahead, so it comes before an import of runahead. Each script
is a fork of that process, and ends as a program does: Python's own exit follows its last line, SystemExit, or an exception.
"""

import atexit
import gc
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest

import torch  # noqa: F401

TIME_LIMIT_SECONDS = 120


def run(script, **environment):
    """Runs a Python script; returns the finished process with its output as text."""
    outputs = [pathlib.Path(_folder.name, name) for name in ("stdout", "stderr")]
    _server.send((textwrap.dedent(script), os.environ | environment, [str(output) for output in outputs]))
    process = _server.recv()
    is_in_time = _server.poll(TIME_LIMIT_SECONDS)
    if not is_in_time:
        os.kill(process, signal.SIGKILL)
    finished = subprocess.CompletedProcess(script, _server.recv(), *(output.read_text() for output in outputs))
    if not is_in_time:
        raise subprocess.TimeoutExpired(script, TIME_LIMIT_SECONDS, finished.stdout, finished.stderr)
    return finished


class ProcessTest(unittest.TestCase):
    def assert_prints(self, expected, script, **environment):
        finished = run(script, **environment)
        self.assertEqual((finished.returncode, finished.stdout.strip()), (0, expected), finished.stderr)


def _serve(requests):
    """Forks a process for each request until the test ends; returns the request in that process."""
    gc.freeze()  # What is there now stays: collections in the scripts' processes need not copy it.
    while True:
        try:
            request = requests.recv()
        except EOFError:
            os._exit(0)
        process = os.fork()
        if process == 0:
            requests.close()
            return request
        requests.send(process)
        requests.send(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


def _become(script, environment, outputs):
    """Does what `python -c` does, up to Python's own exit."""
    for descriptor, path in enumerate([os.devnull, *outputs]):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if descriptor > 0 else os.O_RDONLY)
        os.dup2(file, descriptor)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.path[0] = ["-c"], ""
    sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(script, "<string>", "exec"), vars(sys.modules["__main__"]))
    sys.exit()


def _stop():
    _server.close()
    os.waitpid(_process, 0)


if "runahead" in sys.modules:
    raise ImportError("import script_processes before runahead")
_server, _requests = multiprocessing.Pipe()
_process = os.fork()
if _process == 0:
    _server.close()
    _become(*_serve(_requests))
_requests.close()
_folder = tempfile.TemporaryDirectory()
atexit.register(_stop)
