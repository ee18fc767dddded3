"""`runahead.recording`: measures your own loop as the toolkit measures its own, on any device.

`runahead._recording`, or the device library on `acpu`, writes the same files.
"""

import atexit
import math
import os
import sys
import threading
import warnings

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from runahead import batch_contents, pacing, record_texts, recorded_loops, run_html

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
        """Counts a batch. Call it when all of the batch was issued and nothing of the next. Thread-safe. Never waits,
        except for the first on a `cuda` device that was not in use when the recording began. Counts nothing while a
        CUDA graph is captured.

        Args:
            inputs: the number of examples, or the batch as the loader returned it: the length of its first tensor is
                the number and, on cuda, its pinned tensors count as kept. If None, no examples per second are reported.

        Raises RuntimeError outside the `with` block, and in a process that was forked within it; ValueError for a number
        that is negative or not whole, for a text, and for a batch that is wholly on another GPU than the recorded one.
        """
        loop = self._loop
        if loop is None:
            raise RuntimeError("this recording has not begun, or has ended: call batch inside `with runahead.recording(…)`")
        if self._process != os.getpid():
            raise RuntimeError("this process was forked from the one that is recorded: count its batches there")
        loop.batch(batch_contents.examples(inputs), inputs)

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
        self._loop = recorded_loops.start(device, options, first_class)

    def _end(self, error: BaseException | None, report=lambda text: warnings.warn(text, stacklevel=4)) -> None:
        global _active
        with _lock:
            loop, self._loop = self._loop, None
            if _active is self:
                _active = None
        if loop is None or self._process != os.getpid():
            return
        late_error = loop.finish()
        ended_by = late_error if error is None or recorded_loops.is_of_a_signal(late_error) else error
        unread = late_error if ended_by is error else None  # What no wait will report any more.
        status, text = record_texts.described(ended_by, unread)
        try:
            loop.write({"status": status, "error": text})
        except Exception as unwritten:
            if ended_by is None:
                raise
            report(f"the recording could not be written: {unwritten}")
        if unread is not None:
            report(f"before that, {record_texts.described(unread)[1]}")
        if ended_by is not error:
            raise ended_by

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
            _print(f"a batch was not recorded: {error}")

    def _end_at_exit(self) -> None:
        if self._loop is None or self._process != os.getpid():
            return
        self._counts_steps.remove()
        loop = self._loop
        try:
            self._end(None if hasattr(sys, "ps1") else getattr(sys, "last_value", None), _print)
        except KeyboardInterrupt:
            loop.drop_queued()
            raise
        except Exception as error:
            _print(error)

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
    it. If an operation had failed as well, a warning and the record quote its error. What a signal's handler raises in that
    wait, such as KeyboardInterrupt, replaces the exception. Only one recording at a time per process.

    Without a change to the script, RUNAHEAD_RECORD=FOLDER in the environment records the whole program, where each step
    of an optimiser is a batch. A recording in the script then replaces it and uses its folder.

    Args:
        folder: created with its parents if missing; must not contain results.
        device: where the loop trains, if not on torch's accelerator; `cuda` is the GPU that is current at the beginning.
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
        _print(f"nothing is recorded: {error}")


def _print(text) -> None:
    print(f"runahead: {text}", file=sys.stderr)


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


def _device_of(optimizer: torch.optim.Optimizer) -> torch.device:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter.device
    return torch.device("cpu")
