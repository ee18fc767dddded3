"""Holds the device's worker, so that a test sees the queue as it was issued."""

import contextlib
import threading

import torch

PATIENCE_SECONDS = 60


class Gate:
    """Holds an operation until it opens: one with a kernel in Python, which fills its argument with ones."""

    library = torch.library.Library("worker_gate", "DEF")
    library.define("ones_behind_gate(Tensor(a!) x) -> ()")
    library.impl("ones_behind_gate", lambda x: Gate.present.fill(x), "CPU")

    def __init__(self):
        Gate.present = self
        self.reached, self.opened = threading.Event(), threading.Event()

    def ones(self):
        x = torch.zeros(4, device="acpu")
        torch.ops.worker_gate.ones_behind_gate(x)
        return x

    def open_once_waited_for(self):
        """A thread that opens the gate; until then the wait that follows lasts."""
        opener = threading.Thread(target=self.opened.set)
        self.reached.wait(PATIENCE_SECONDS)
        opener.start()
        return opener

    def fill(self, x):
        self.reached.set()
        if not self.opened.wait(PATIENCE_SECONDS):
            raise TimeoutError("the gate was not opened")
        x.fill_(1)


@contextlib.contextmanager
def held_worker():
    """A block in which the one worker executes nothing that is issued."""
    gate = Gate()
    gate.ones()
    gate.reached.wait(PATIENCE_SECONDS)
    try:
        yield
    finally:
        gate.opened.set()
