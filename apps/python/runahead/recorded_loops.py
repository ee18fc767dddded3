"""The loops that `runahead.recording` records: one on `acpu`, where the device library counts and observes, and one on any
other device, where that library must not be loaded, and torch's events and counters report.
"""

import collections
import contextlib
import threading
import traceback

import torch

from runahead import _recording, batch_contents, pacing, registration
from runahead.memory_classes import ClassFollower

_CUDA_COLUMNS = {"cuda_allocated_bytes": "CUDA allocated", "cuda_reserved_bytes": "CUDA reserved",
                 "cuda_active_bytes": "CUDA active", "cuda_requested_bytes": ""}
_FIGURES = ("allocated", "reserved", "active", "requested")


def start(device: torch.device, options: dict, first_class: str):
    if device.type == "acpu":
        return AcpuLoop(device, options, first_class)
    return EventLoop(device, options)


class AcpuLoop:
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

    def finish(self) -> BaseException | None:
        """Waits for what is in flight. Returns its error, or what a signal's handler raises meanwhile."""
        self._follower.stop()
        self._recording.end_issue()
        if registration.is_ended_by_interrupt():
            self.drop_queued()
        error = _error_of(registration.native().synchronize)
        if is_of_a_signal(error):
            self._recording.end_counting()
        self._recording.stop()
        return error

    def drop_queued(self) -> None:
        self._recording.end_counting()
        registration.native().drop_queued()

    def write(self, end: dict) -> None:
        self._recording.write(end | {"device": self._device.type, "executes_at_issue": self._device.type == "cpu"})


class EventLoop:
    """A loop on `cpu`, or on a device with events."""

    def __init__(self, device: torch.device, options: dict) -> None:
        self.move_to(device)
        self._lock = threading.Lock()
        self._pending = collections.deque()
        is_in_use = _is_in_use(device)
        if is_in_use:
            self._place = pacing.with_index(device)  # The program may make another device the current one.
            self._synchronize()
        self._recording = _recording.Recording(options, _CUDA_COLUMNS if device.type == "cuda" else {})
        if device.type == "cuda" and is_in_use and _counted_figures():
            torch.cuda.reset_peak_memory_stats(self._place)
        if is_in_use:
            self._warm_up()
        self._recording.start()
        if is_in_use:
            self._take_origin()

    def move_to(self, device: torch.device) -> None:
        self._device = self._place = device
        self._origin = None

    def batch(self, examples: int | None, inputs) -> None:
        if self._device.type == "cpu":
            self._recording.batch(examples, 0, True)
            return
        if pacing.is_capturing(self._device):
            return
        self._require_own_device(inputs)
        kept = batch_contents.pinned_bytes(inputs)
        with self._lock:
            if self._origin is None:  # The device was not in use when the recording began.
                self._place = pacing.with_index(self._device)
                self._warm_up()
                self._take_origin()
            with pacing.on(self._place):
                self._report_finished()
                self._pending.append((self._event(), kept))
            self._recording.batch(examples, kept, False)
            self._publish()

    def finish(self) -> BaseException | None:
        """Waits for what is in flight. Returns its error, or what a signal's handler raises meanwhile."""
        self._recording.end_issue()
        error = _error_of(self._wait)
        self._recording.stop()
        return error

    def write(self, end: dict) -> None:
        device, cuda = self._place, None
        if device.type == "cuda" and _is_in_use(device):
            with contextlib.suppress(Exception):  # After some errors, CUDA answers every call with them.
                cuda = _cuda_figures(device)
                end = end | {"cuda": torch.version.cuda, "gpu": torch.cuda.get_device_name(device)}
        self._recording.write(end | {"device": str(self._device), "executes_at_issue": device.type == "cpu"}, cuda)

    def drop_queued(self) -> None:
        pass  # Other devices cannot.

    def _require_own_device(self, inputs) -> None:
        found = sorted(str(device) for device in batch_contents.devices(inputs) if device.type == self._device.type)
        # A model on several may have parts of its batch elsewhere.
        if found and all(pacing.is_another_of_its_type(torch.device(device), self._place) for device in found):
            raise ValueError(f"batch: found a tensor on {found[0]}; the recording is of {self._place}: pass device={found[0]!r}")

    def _warm_up(self) -> None:
        self._passed_event()  # The first event of a device is slow.

    def _take_origin(self) -> None:
        self._origin = self._passed_event()
        self._origin_seconds = self._recording.seconds()

    def _event(self):
        return pacing.record_event(self._place, enable_timing=True)

    def _passed_event(self):
        with pacing.on(self._place):
            event = self._event()
            event.synchronize()
        return event

    def _wait(self) -> None:
        if _is_in_use(self._place):
            self._synchronize()
            with pacing.on(self._place):
                self._report_finished()

    def _synchronize(self) -> None:
        with pacing.on(self._place):
            torch.accelerator.synchronize(self._place)

    def _report_finished(self) -> None:
        while self._pending:
            event, kept = self._pending[0]
            try:
                if not event.query():
                    return
            except Exception:
                self._pending.popleft()  # It would fail for ever, and no later batch would count as finished.
                raise
            self._pending.popleft()
            # From event to event: CUDA gives times as floats, which are coarse after hours.
            self._origin_seconds += self._origin.elapsed_time(event) / 1000.0
            self._origin = event
            finished = min(self._origin_seconds, self._recording.seconds())  # The first origin is measured late.
            self._recording.finish_batch(finished, kept)

    def _publish(self) -> None:
        if self._device.type != "cuda":
            return
        names = _counted_figures()
        counted = torch.cuda.memory.memory_stats_as_nested_dict(self._place) if names else {}
        self._recording.publish([counted[f"{name}_bytes"]["all"]["current"] if name in names else None for name in _FIGURES])


def _is_in_use(device: torch.device) -> bool:
    """Whether the device can be queried without starting it: a program that does not use it yet may still fork."""
    return device.type != "cpu" and (device.type != "cuda" or torch.cuda.is_initialized())


def _cuda_figures(device: torch.device) -> dict:
    names = _counted_figures()
    counted = torch.cuda.memory_stats(device) if names else {}
    free, total = torch.cuda.mem_get_info(device)
    figures = {"used_bytes": total - free, "total_bytes": total, "allocator": torch.cuda.get_allocator_backend()}
    for name in _FIGURES:
        for key, kind in (("", "current"), ("_peak", "peak")):
            figures[f"{name}{key}_bytes"] = counted.get(f"{name}_bytes.all.{kind}") if name in names else None
    return figures | {name: counted.get(name) if names == _FIGURES else None for name in ("num_alloc_retries", "num_ooms")}


def _counted_figures() -> tuple[str, ...]:
    """What torch's allocator counts: CUDA's own leaves 0 in the rest, and one from elsewhere raises an error if it is asked."""
    return {"native": _FIGURES, "cudaMallocAsync": _FIGURES[:3]}.get(torch.cuda.get_allocator_backend(), ())


def is_of_a_signal(error: BaseException | None) -> bool:
    """Whether a signal's handler raised the error of a wait, which itself raises within torch or the device library."""
    if error is None or not isinstance(error, Exception):
        return error is not None
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").partition(".")[0] not in ("torch", "runahead")


def _error_of(wait) -> BaseException | None:
    try:
        wait()
    except BaseException as error:  # Ctrl-C, too: the record is written all the same.
        return error
    return None
