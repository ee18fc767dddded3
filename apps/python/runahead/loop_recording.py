"""`runahead.recording`: measures your own loop as the toolkit measures its own, on any device.

On `acpu` the device library counts and observes. On other devices it must not be loaded: `runahead._recording` writes
the same files, using torch's events for what finishes and torch's counters for what is allocated.
"""

import atexit
import collections
import math
import os
import sys
import threading
import warnings

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from runahead import _recording, pacing, record_texts, registration, run_html
from runahead.memory_classes import ClassFollower

_CUDA_COLUMNS = {"cuda_allocated_bytes": "CUDA allocated", "cuda_reserved_bytes": "CUDA reserved",
                 "cuda_active_bytes": "CUDA active", "cuda_requested_bytes": ""}

_LEAST_RATE_HZ, _MOST_RATE_HZ = 0.001, 10000  # As core/memory/memory_monitor.h has them.

_lock = threading.Lock()
_active: "Recording | None" = None


class Recording:
    """A recording of the loop in a `with` block: see `runahead.recording`."""

    def __init__(self, folder: str | os.PathLike[str], device: torch.device | str | None = None, trace: bool = True,
                 rate_hz: float = 100.0) -> None:
        self.folder = os.fspath(folder)
        self._device = None if device is None else pacing._device_or_accelerator(device)
        self._options = {"trace": _checked_trace(trace), "rate_hz": _checked_rate(rate_hz)}
        self._process = None
        self._loop = None
        self._counts_steps = None
        self._has_steps = False

    def batch(self, inputs=None) -> None:
        """Counts a batch. Call it when all of the batch was issued and nothing of the next. Never waits. Thread-safe.

        Args:
            inputs: the number of examples, or the batch as the loader returned it: the length of its first tensor is
                the number and, on cuda, its pinned tensors count as kept. If None, no examples per second are reported.

        Raises RuntimeError outside the `with` block, and in a process that was forked within it.
        """
        loop = self._loop
        if loop is None:
            raise RuntimeError("this recording has not begun, or has ended: call batch inside `with runahead.recording(…)`")
        if self._process != os.getpid():
            raise RuntimeError("this process was forked from the one that is recorded: count its batches there")
        loop.batch(pacing._examples_of(inputs), inputs)

    def __enter__(self) -> "Recording":
        global _active
        with _lock:
            if _active is not None and _active._process == os.getpid():
                if _active._counts_steps is None:
                    raise RuntimeError(f"a recording into '{_active.folder}' is under way in this process: end it before the next")
                asked, _active = _active, None
                asked._abandon()
                self.folder = asked.folder  # The folder that the environment names.
            self._begin("inputs")
            _active = self
        return self

    def __exit__(self, _type, error, _traceback) -> None:
        self._end(error)

    def _begin(self, first_class: str) -> None:
        if not self.folder:
            raise ValueError("recording: found '' as the folder; name one, which need not exist")
        self._process = os.getpid()
        self.folder = os.path.abspath(self.folder)  # The program may change its working folder.
        device = self._device or pacing._device_or_accelerator(None)
        options = self._options | {"folder": os.fsencode(self.folder), "command": record_texts.command(), "torch": torch.__version__}
        self._loop = _start(device, options, first_class)

    def _end(self, error: BaseException | None) -> None:
        global _active
        with _lock:
            loop, self._loop = self._loop, None
            if _active is self:
                _active = None
        if loop is None or self._process != os.getpid():
            return
        late_error = loop.finish()
        status, text = record_texts.described(error or late_error)
        try:
            loop.write({"status": status, "error": text})
        except Exception as unwritten:
            if error is None and late_error is None:
                raise
            warnings.warn(f"the recording could not be written: {unwritten}", stacklevel=3)
        if error is None and late_error is not None:
            raise late_error

    def _repr_html_(self) -> str:
        return run_html.recording(self.folder, has_ended=self._process is not None and self._loop is None)

    # The rest of the class is for the recording that the environment requests.

    def _begin_counting_steps(self) -> None:
        global _active
        with _lock:
            self._begin("parameters")
            self._counts_steps = register_optimizer_step_post_hook(self._count_step)
            _active = self
        atexit.register(self._end_at_exit)

    def _count_step(self, optimizer, _arguments, _keywords) -> None:
        loop = self._loop
        if loop is None or self._process != os.getpid():
            return
        try:
            if not self._has_steps:
                loop.move_to(_device_of(optimizer))
            self._has_steps = True
            loop.batch(None, None)
        except Exception as error:  # The program continues without the batch.
            print(f"runahead: a batch was not recorded: {error}", file=sys.stderr)

    def _end_at_exit(self) -> None:
        if self._loop is None or self._process != os.getpid():
            return
        self._counts_steps.remove()
        try:
            self._end(None if hasattr(sys, "ps1") else getattr(sys, "last_value", None))
        except Exception as error:
            print(f"runahead: {error}", file=sys.stderr)

    def _abandon(self) -> None:
        self._counts_steps.remove()
        loop, self._loop = self._loop, None
        error = loop.finish()
        if error is not None:
            raise error


def recording(folder: str | os.PathLike[str], *, device: torch.device | str | None = None, trace: bool = True,
              rate_hz: float = 100.0) -> Recording:
    """Records a loop over batches, on `acpu`, `cuda` or `cpu`, as the toolkit records its own runs:

        with runahead.recording("runs/mine") as run:
            for inputs, targets in loader:
                ...                                # forward, backward, optimizer.step()
                run.batch(inputs)

    At the end of the block the folder has `record.json`, `samples.csv` and `trace.json`, which `runahead report
    runs/mine` draws: issue against execution, batches in flight, and memory, on acpu by class. The block begins and
    ends with a wait for the device, and resets the device's peaks. An exception passes through, and the record names
    it. Only one recording at a time per process.

    Without a change to the script, RUNAHEAD_RECORD=FOLDER in the environment records the whole program, where each step
    of an optimiser is a batch. A recording in the script then replaces it and uses its folder.

    Args:
        folder: created with its parents if missing; must not contain results.
        device: where the loop trains, if not on torch's accelerator.
        trace: whether to write `trace.json`, which takes 18 MB of memory.
        rate_hz: memory samples per second, from 0.001 to 10000.

    Raises ValueError for a rate out of range, TypeError if `trace` is neither True nor False. Entering the block raises
    ValueError for a folder that has results or that another command writes to, RuntimeError inside another recording and
    for a folder that cannot be created or written to, and the error of an operation issued earlier. Leaving it also
    raises the latter, and RuntimeError if a file cannot be written.
    """
    return Recording(folder, device, trace, rate_hz)


def start_from_environment() -> None:
    """Starts the recording that RUNAHEAD_RECORD requests, which lasts until the process exits. Removes the variable
    from the environment, so that child processes record nothing. Never raises: a problem becomes one line on stderr."""
    folder = os.environ.pop("RUNAHEAD_RECORD", "")
    trace = os.environ.pop("RUNAHEAD_RECORD_TRACE", "") or "1"
    if not folder:
        return
    try:
        if trace not in ("0", "1"):
            raise ValueError(f"RUNAHEAD_RECORD_TRACE: found '{trace}'; allowed: 1, and 0 for a recording without trace.json")
        Recording(folder, trace=trace == "1")._begin_counting_steps()
    except Exception as error:
        print(f"runahead: nothing is recorded: {error}", file=sys.stderr)


def _checked_rate(rate_hz) -> float:
    try:
        rate = float(rate_hz)
    except (OverflowError, TypeError, ValueError):
        rate = math.nan
    if not _LEAST_RATE_HZ <= rate <= _MOST_RATE_HZ:
        raise ValueError(f"recording: rate_hz: found {rate_hz!r}; allowed: {_LEAST_RATE_HZ} to {_MOST_RATE_HZ} samples per second")
    return rate


def _checked_trace(trace) -> bool:
    if not isinstance(trace, bool):
        raise TypeError(f"recording: trace: found {trace!r}; allowed: True and False")
    return trace


def _start(device: torch.device, options: dict, first_class: str):
    if device.type == "acpu":
        return _AcpuLoop(device, options, first_class)
    return _EventLoop(device, options)


class _AcpuLoop:
    """A loop on `acpu`."""

    def __init__(self, device: torch.device, options: dict, first_class: str) -> None:
        self._device = device
        self._recording = registration.unforked().Recording(options)
        self._recording.start()
        self._follower = ClassFollower(self._recording.set_class)
        self._follower.start(first_class)

    def move_to(self, device: torch.device) -> None:
        self._device = device

    def batch(self, examples: int | None, _inputs) -> None:
        self._recording.batch(examples)
        self._follower.expect_inputs()

    def finish(self) -> Exception | None:
        """Waits for what is in flight. Returns its error."""
        self._follower.stop()
        self._recording.end_issue()
        library = registration.native()
        if registration.is_ended_by_interrupt():
            self._recording.end_counting()
            library.drop_queued()
        error = _error_of(library.synchronize)
        if library.backlog()["operations"]:  # Ctrl-C has ended the wait.
            self._recording.end_counting()
        self._recording.stop()
        return error

    def write(self, end: dict) -> None:
        self._recording.write(end | {"device": self._device.type, "executes_at_issue": self._device.type == "cpu"})


class _EventLoop:
    """A loop on `cpu`, or on a device with events."""

    def __init__(self, device: torch.device, options: dict) -> None:
        self._device = device
        self._lock = threading.Lock()
        self._pending = collections.deque()
        self._origin = None
        if _is_in_use(device):
            torch.accelerator.synchronize(device)
        self._recording = _recording.Recording(options, _CUDA_COLUMNS if device.type == "cuda" else {})
        if device.type == "cuda" and _is_in_use(device):
            torch.cuda.reset_peak_memory_stats(device)
        self._recording.start()

    def move_to(self, device: torch.device) -> None:
        self._device = device

    def batch(self, examples: int | None, inputs) -> None:
        if self._device.type == "cpu":
            self._recording.batch(examples, 0, True)
            return
        kept = pacing._pinned_bytes(inputs)
        with self._lock:
            if self._origin is None:
                self._begin_events()
            self._report_finished()
            self._pending.append((self._event(), kept))
            self._recording.batch(examples, kept, False)
            self._publish()

    def finish(self) -> Exception | None:
        """Waits for what is in flight. Returns its error."""
        self._recording.end_issue()
        error = _error_of(self._wait)
        self._recording.stop()
        return error

    def write(self, end: dict) -> None:
        device, cuda = self._device, None
        if device.type == "cuda" and _is_in_use(device):
            cuda = _cuda_figures(device)
            end = end | {"cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name(device)}
        self._recording.write(end | {"device": str(device), "executes_at_issue": device.type == "cpu"}, cuda)

    def _begin_events(self) -> None:
        self._event().synchronize()  # The first event of a device is slow.
        self._origin = self._event()
        self._origin.synchronize()
        self._origin_seconds = self._recording.seconds()

    def _event(self) -> torch.Event:
        event = torch.Event(device=self._device, enable_timing=True)
        event.record(torch.accelerator.current_stream(self._device))
        return event

    def _wait(self) -> None:
        if _is_in_use(self._device):
            torch.accelerator.synchronize(self._device)
        self._report_finished()

    def _report_finished(self) -> None:
        while self._pending and self._pending[0][0].query():
            event, kept = self._pending.popleft()
            finished = self._origin_seconds + self._origin.elapsed_time(event) / 1000.0
            self._recording.finish_batch(min(finished, self._recording.seconds()), kept)  # The origin is measured late.

    def _publish(self) -> None:
        if self._device.type != "cuda":
            return
        counted = torch.cuda.memory.memory_stats_as_nested_dict(self._device)
        self._recording.publish([counted.get(f"{name}_bytes", {}).get("all", {}).get("current", 0)
                                 for name in ("allocated", "reserved", "active", "requested")])


def _is_in_use(device: torch.device) -> bool:
    """Whether the device can be queried without starting it: a program that does not use it yet may still fork."""
    return device.type != "cpu" and (device.type != "cuda" or torch.cuda.is_initialized())


def _cuda_figures(device: torch.device) -> dict:
    counted = torch.cuda.memory_stats(device)
    free, total = torch.cuda.mem_get_info(device)
    figures = {"used_bytes": total - free, "total_bytes": total, "allocator": torch.cuda.get_allocator_backend()}
    for name in ("allocated", "reserved", "active", "requested"):
        for key, kind in (("", "current"), ("_peak", "peak")):
            figures[f"{name}{key}_bytes"] = counted.get(f"{name}_bytes.all.{kind}")
    return figures | {name: counted.get(name) for name in ("num_alloc_retries", "num_ooms")}


def _error_of(wait) -> BaseException | None:
    try:
        wait()
    except BaseException as error:  # Ctrl-C, too: the record is written all the same.
        return error
    return None


def _device_of(optimizer: torch.optim.Optimizer) -> torch.device:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter.device
    return torch.device("cpu")
