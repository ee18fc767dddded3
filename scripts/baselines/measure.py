"""Clocks and memory of this process. Python 3.6 and newer, the standard library alone; Linux."""

import time


class Stopwatch:
    """Wall and CPU time since its creation. CPU time is that of all threads of the process."""

    def __init__(self):
        self.cpu_start = time.process_time()
        self.start = time.perf_counter()

    def seconds(self):
        return time.perf_counter() - self.start

    def cpu_seconds(self):
        return time.process_time() - self.cpu_start


class MemoryWatch:
    """RSS over a baseline taken at creation.

    The peak is the kernel's own (VmHWM), reset at the start: samples would miss changes between two of them, and a
    sampling thread in Python would wait for the interpreter lock.
    """

    def __init__(self):
        self.can_reset_peak = reset_peak()
        self.baseline_bytes = status_bytes("VmRSS")

    def growth_bytes(self):
        """Current RSS minus the baseline; negative if memory was returned."""
        return status_bytes("VmRSS") - self.baseline_bytes

    def peak_growth_bytes(self):
        """Peak RSS minus the baseline; None if the kernel does not allow resetting the peak."""
        return status_bytes("VmHWM") - self.baseline_bytes if self.can_reset_peak else None


def reset_peak():
    """Sets VmHWM to the present RSS. Returns whether the kernel did so."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def status_bytes(field):
    """A field of /proc/self/status, in bytes. The file counts in KiB."""
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no {}".format(field))
