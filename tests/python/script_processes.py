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

# An operator whose kernel in Python a thread may hold, and all ways in which a program waits for what is queued.
WAITS = """
import json, os, signal, sys, threading, weakref, numpy, torch, runahead
library = torch.library.Library("test", "DEF")
gate = threading.Event()
gate.set()
for name, kernel in (("hold", lambda x: gate.wait() and None), ("note", lambda x: os.write(1, b"ran") and None),
                     ("add_one", lambda x: x.add_(1).numel() < 0 or None)):
    library.define(name + "(Tensor(a!) x) -> ()")
    library.impl(name, kernel, "CPU")
x, event, pacer = torch.zeros(4, device="acpu"), torch.Event("acpu"), runahead.Pacer("window", 1)
weight = torch.ones(3, device="acpu", requires_grad=True)
str(x), x.nonzero()  # Imports what they need.
def wait_at_the_limit():
    runahead.set_limit(operations=1)
    x + 1
def wait_in_a_backward_pass():
    loss = (weight * 2).sum()
    runahead.set_limit(operations=1)
    loss.backward()
waits = [runahead.synchronize, torch.accelerator.synchronize, lambda: x.sum().item(), x.cpu, x.tolist, x.nonzero,
         event.synchronize, lambda: pacer.after_batch() or pacer.after_batch(), wait_at_the_limit, wait_in_a_backward_pass]
def hold():
    gate.clear()
    torch.ops.test.hold(x)
def add(count=20):
    for _ in range(count):
        torch.ops.test.add_one(x)
def soon(seconds, *call):
    timer = threading.Timer(seconds, *call)
    timer.daemon = True
    timer.start()
def interrupt_soon():
    soon(0.2, os.kill, (os.getpid(), signal.SIGINT))
"""


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
