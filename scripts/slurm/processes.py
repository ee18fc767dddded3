"""Processes of this machine, as /proc shows them."""

import dataclasses
import os
import pathlib
import signal
import time

PROC = pathlib.Path("/proc")
POLL_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class Process:
    """One process. Its number may be given to another later, the moment of its start may not."""

    pid: int
    started: str  # In clock ticks since the machine started.

    def is_running(self):
        """Whether it is still there and no zombie, which nobody may ever collect."""
        found = stat(self.pid)
        return found is not None and found.started == self.started and found.state not in "ZX"

    def send(self, number):
        if self.is_running():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass


@dataclasses.dataclass(frozen=True)
class Stat:
    """What /proc/PID/stat says."""

    name: str
    state: str
    parent: int
    started: str


def stat(pid):
    """None if there is no such process."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")  # The name may hold anything.
    fields = rest.split()
    return Stat(name, fields[0], int(fields[1]), fields[19])


def of(pid):
    """The Process of that number, or None."""
    found = stat(pid)
    return Process(pid, found.started) if found else None


def all_stats():
    """{pid: Stat} of every process."""
    numbers = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return {pid: found for pid in numbers if (found := stat(pid))}


def with_descendants(pids):
    """The Processes of these numbers and of all that they started, as far as the chain of parents holds."""
    stats = all_stats()
    children = {}
    for pid, found in stats.items():
        children.setdefault(found.parent, []).append(pid)
    known, left = set(), list(pids)
    while left:
        pid = left.pop()
        if pid in stats and pid not in known:
            known.add(pid)
            left += children.get(pid, [])
    return [Process(pid, stats[pid].started) for pid in sorted(known)]


def wait_until(condition, limit_seconds):
    """Waits until the condition holds, at most so long. Returns whether it does."""
    deadline = time.monotonic() + limit_seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end(processes, grace_seconds):
    """Ends them by SIGTERM and, after the grace, by SIGKILL. Returns those that are still there."""
    for process in processes:
        process.send(signal.SIGTERM)
    if not wait_until(lambda: not any(process.is_running() for process in processes), grace_seconds):
        for process in processes:
            process.send(signal.SIGKILL)
        wait_until(lambda: not any(process.is_running() for process in processes), grace_seconds)
    return [process for process in processes if process.is_running()]
