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
    """One process. Its pid may be reused; its start time distinguishes it from later ones."""

    pid: int
    started: str  # Clock ticks since boot.

    def is_running(self):
        """Whether it still exists and is not a zombie, which may never be reaped."""
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
    """Fields of /proc/PID/stat."""

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
    name, _, rest = text.partition("(")[2].rpartition(")")  # The name may contain anything.
    fields = rest.split()
    return Stat(name, fields[0], int(fields[1]), fields[19])


def of(pid):
    """The Process with that pid, or None."""
    found = stat(pid)
    return Process(pid, found.started) if found else None


def all_stats():
    """{pid: Stat} of every process."""
    numbers = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return {pid: found for pid in numbers if (found := stat(pid))}


def with_descendants(pids):
    """The Processes with these pids and all their descendants whose parents still run."""
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
    """Waits until the condition holds or the limit has passed. Returns whether it holds."""
    deadline = time.monotonic() + limit_seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end(processes, grace_seconds):
    """Sends SIGTERM and, after the grace, SIGKILL. Returns those that remain."""
    for process in processes:
        process.send(signal.SIGTERM)
    if not wait_until(lambda: not any(process.is_running() for process in processes), grace_seconds):
        for process in processes:
            process.send(signal.SIGKILL)
        wait_until(lambda: not any(process.is_running() for process in processes), grace_seconds)
    return [process for process in processes if process.is_running()]
