"""Bounds how far any training loop runs ahead of its device, with the sync policies of configs.

Needs no device library on `cuda` and `cpu`: there the policies work on torch's own events.
"""

import contextlib
import functools
import io
import math
import numbers
import reprlib
import threading
import warnings

import torch

from runahead import _pacing, batch_contents


class Pacer:
    """Waits in your loop so that the front end is not too far ahead.

        pacer = runahead.Pacer("window", 2)        # at most 2 batches in flight
        for inputs, targets in loader:
            ...                                    # forward, backward, optimizer.step()
            pacer.after_batch(loss)

    or, if the end of the loop's body is not accessible, `for inputs, targets in pacer(loader):`.

    Args:
        policy: "none", "every_batch", "every_n", "window", "budget" or "adaptive".
        value: the value of the policy's first key: `wait`, `n`, `batches`, `bytes`, `ceiling`.
        device: where the loop trains; None for the accelerator, or cpu if there is none.
        keys: the policy's keys by name, as in the section `sync` of a config: Pacer("every_n", n=10, wait="all").

    Raises ValueError for values that a config must not have, TypeError for what is neither number nor text. `cpu`
    executes at issue, so nothing ever waits. On `acpu`, `budget` and `adaptive` set the device's limit, which stays
    until `runahead.set_limit` replaces it, and creating `adaptive` waits for all work. Thread-safe: threads that
    share a pacer take turns.
    """

    def __init__(self, policy: str, value=None, *, device=None, **keys) -> None:
        if not isinstance(policy, str) or not policy.isprintable():
            error = ValueError if isinstance(policy, str) else TypeError
            raise error(f'Pacer: policy: found {reprlib.repr(policy)}; allowed: the name of a policy, as in Pacer("window", 2)')
        value = _plain("value", value)
        keys = {name: _plain(name, given) for name, given in keys.items()}
        self._device = _device_or_accelerator(device)
        self._turn = threading.Lock()
        self._pacer = None
        if self._device.type == "acpu":
            from runahead import _C
            self._pacer = _C.Pacer(policy, value, keys)
        elif self._device.type == "cpu":
            _pacing.check(policy, value, keys)
        else:
            self._pacer = _pacing.EventPacer(policy, value, keys, functools.partial(record_event, self._device),
                                             functools.partial(_wait, self._device), _warn)

    def after_batch(self, loss: torch.Tensor | None = None, *, kept=0) -> None:
        """Call this when all of a batch was issued and nothing of the next one. May wait, without the interpreter
        lock, and may then raise the error of an operation issued earlier. Does nothing while a CUDA graph is captured.

        Args:
            loss: the scalar on the device that the policy waits for. None waits for everything issued.
            kept: what the batch keeps until its last operation has finished, for `budget` and `adaptive` on
                cuda: a number of bytes, or the batch as the loader returned it, whose pinned tensors count.
                acpu does its own counting.
        """
        if loss is not None and not isinstance(loss, torch.Tensor):
            raise TypeError(f"after_batch: loss: found {reprlib.repr(loss)}; allowed: a tensor, and None")
        if loss is not None and (loss.device.type != self._device.type or is_another_of_its_type(loss.device, self._device)):
            raise ValueError(f"after_batch: loss: found a tensor on {loss.device}; allowed: one on {with_index(self._device)}, and None")
        kept_bytes = self._kept_bytes(kept)
        if self._pacer is not None and not is_capturing(self._device):
            with self._turn, on(self._device):
                self._pacer.after_batch(loss, kept_bytes)

    def __call__(self, batches) -> "PacedBatches":
        """Returns an iterable of the same batches that calls `after_batch` after each."""
        return PacedBatches(self, batches)

    def _kept_bytes(self, kept) -> int:
        if not isinstance(kept, numbers.Number | str | bytes):
            return 0 if self._device.type == "acpu" else batch_contents.pinned_bytes(kept)
        if not isinstance(kept, numbers.Integral) or not 0 <= kept < 2**63:
            raise ValueError(f"after_batch: kept: found {reprlib.repr(kept)}; allowed: a whole number of bytes, 0 or more, or the batch itself")
        return int(kept)


class PacedBatches:
    """The batches of an iterable, each paced."""

    def __init__(self, pacer: Pacer, batches) -> None:
        self._pacer = pacer
        self._batches = batches

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self):
        batches = iter(self._batches)
        while True:
            try:
                held = [next(batches)]
            except StopIteration:
                return
            kept = self._pacer._kept_bytes(held)
            yield held.pop()  # Keeps no reference here while the batch is in flight.
            self._pacer.after_batch(kept=kept)


def _device_or_accelerator(device) -> torch.device:
    default = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
    if device is None:
        return default
    usable = dict.fromkeys((default.type, "cpu"))
    try:
        chosen = torch.device(device)
    except RuntimeError as error:
        raise ValueError(f"device: found {device!r}; allowed: {' and '.join(usable)}") from error
    if chosen.type == "acpu" and chosen.index:
        raise ValueError(f"device: found {chosen}; there is one, acpu:0")
    if chosen.type not in usable:
        raise ValueError(f"device: found {chosen}; allowed: {' and '.join(usable)}")
    return chosen


def is_another_of_its_type(found: torch.device, device: torch.device) -> bool:
    """Whether `found` is, for example, a GPU, and `device` another; without an index, `device` is the current one."""
    return found.type == device.type and with_index(found) != with_index(device)


def with_index(device: torch.device) -> torch.device:
    if device.type == "cpu":
        return torch.device("cpu")
    if device.index is not None:
        return device
    return torch.device(device.type, torch.accelerator.current_device_index())


def is_capturing(device: torch.device) -> bool:
    """Whether calls are captured in a CUDA graph: nothing runs, and waits and queries of events would end the capture."""
    return device.type == "cuda" and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def _plain(name: str, given) -> str | int | float | None:
    """The value of an argument of a policy as JSON can hold it, NumPy's numbers too."""
    if given is None or isinstance(given, bool) or isinstance(given, str) and given.isprintable():
        return given
    if isinstance(given, numbers.Integral):
        return int(given)
    if isinstance(given, numbers.Real) and math.isfinite(given):
        return float(given)
    error = ValueError if isinstance(given, (str, numbers.Real)) else TypeError
    raise error(f"Pacer: {name}: found {reprlib.repr(given)}; allowed: a finite number, and printable text")


def on(device: torch.device) -> contextlib.AbstractContextManager:
    """For calls of events: a GPU that is current meanwhile gets a context, of hundreds of MB, even if no tensor is there."""
    return torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext()


def record_event(device: torch.device, enable_timing: bool = False):
    module = torch.get_device_module(device)
    event = module.Event(enable_timing=enable_timing)  # The end of a torch.Event would use the GPU that is current then.
    event.record(module.current_stream(device))
    return event


def _wait(device: torch.device, kind: str, loss: torch.Tensor | None) -> None:
    if loss is None or kind == "all":
        torch.accelerator.synchronize(device)
    elif kind == "loss_value":
        loss.item()
    elif kind == "loss_ready":
        record_event(device).synchronize()
    elif kind == "host_copy":
        loss.detach().cpu()
    elif kind == "print":
        print("loss", loss.item(), flush=True)
    else:
        torch.save(loss.detach().cpu(), io.BytesIO())


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=3)
