"""Runs a function on many items, each in a forked child with a time limit: a crash or a hang is one failure."""

import faulthandler
import json
import os
import selectors
import signal
import sys
import time


def _run_in_child(function, item, write_end):
    # stdout and stderr of a crash are of use only to who debugs it.
    faulthandler.enable()
    result = json.dumps(function(item)).encode()
    with os.fdopen(write_end, "wb") as pipe:
        pipe.write(result)
    # Not sys.exit: what the parent registered to run at its exit is the parent's.
    sys.stdout.flush()
    os._exit(0)


class Child:
    def __init__(self, function, item):
        self.item = item
        self.started = time.monotonic()
        self.output = b""
        self.read_end, write_end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.read_end)
            try:
                _run_in_child(function, item, write_end)
            finally:
                os._exit(1)
        os.close(write_end)

    def read(self):
        """Takes what has come; returns whether the child is done."""
        part = os.read(self.read_end, 65536)
        self.output += part
        return not part

    def result(self, timed_out):
        if timed_out:
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.read_end)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if timed_out:
            return {"crash": "timed out"}
        if code == 0 and self.output:
            return json.loads(self.output)
        return {"crash": f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"}


def run_in_children(function, items, *, at_once, limit_seconds):
    """Yields (item, result) as they come; a result is what the function returned, or {"crash": why}."""
    waiting = list(reversed(items))
    selector = selectors.DefaultSelector()
    running = []
    while waiting or running:
        while waiting and len(running) < at_once:
            child = Child(function, waiting.pop())
            running.append(child)
            selector.register(child.read_end, selectors.EVENT_READ, child)
        done = [key.data for key, _ in selector.select(timeout=1) if key.data.read()]
        late = [child for child in running
                if child not in done and time.monotonic() - child.started > limit_seconds]
        for child in done + late:
            selector.unregister(child.read_end)
            running.remove(child)
            seconds = round(time.monotonic() - child.started, 2)
            yield child.item, child.result(timed_out=child in late) | {"seconds": seconds}
