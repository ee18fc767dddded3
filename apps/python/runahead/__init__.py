"""The asynchronous CPU device `acpu` for the installed torch, with a bound on its run-ahead.

    import runahead
    x = torch.randn(1000, 1000).to("acpu")
    y = (x @ x).relu()                 # returns at once; the operation is queued
    y.sum().item()                     # waits for exactly what it reads

The import registers `acpu` if CUDA is not usable or RUNAHEAD_DEVICE=acpu is in the environment; otherwise `register()`
does. Until then everything here but `register` raises RuntimeError. The import raises ImportError with a torch that the
package was not built for.

Reads (`item`, `cpu`, printing) wait for the value that they read. If a queued operation failed, the next read of its
result raises its error, which names the operator. Everything here is thread-safe, and every wait releases the
interpreter lock. With RUNAHEAD_BLOCKING=1 in the environment, every operation runs at issue, and the call raises its error.
"""

import json
import os
from typing import Literal

import torch

from runahead_loader import decisions
from runahead_loader._build import RUNAHEAD_VERSION as __version__

__all__ = ["Pacer", "Recording", "Runs", "read", "recording", "register", "synchronize", "memory_stats", "reset_peaks", "backlog", "set_limit", "configure",
           "blocking_operators", "products"]

_problem = decisions.misfit_of(torch)
if _problem is not None:
    raise ImportError(_problem)

from runahead.loop_recording import Recording, recording, start_from_environment as _start_recording  # noqa: E402
from runahead.pacing import Pacer  # noqa: E402
from runahead.reading import Runs, read  # noqa: E402
from runahead.registration import native as _native, register, unforked as _unforked  # noqa: E402


def synchronize() -> None:
    """Waits until everything issued before the call has finished.

    Raises RuntimeError (torch.OutOfMemoryError, if that was the cause) for a failed operation whose error no
    wait has reported yet, one per call.
    """
    _native().synchronize()


def memory_stats() -> dict[str, int]:
    """Returns the device's account of memory, in bytes, and its peaks (`live_peak_bytes`, …).

    `live_bytes`: allocated memory that tensors or operations in flight use. It is the sum of `allocated_bytes`, which
    tensors own, and `freed_in_flight_bytes`, which no tensor owns any more. `reserved_bytes`: live memory plus
    memory that the allocator keeps for reuse.
    `promised_bytes`: what tensors will need, not yet allocated. `held_bytes`: host tensors kept only
    by operations in flight. `committed_bytes`: what memory will reach when everything issued so far has run.
    Peaks are counted at every change, since `reset_peaks`. Does not wait.
    """
    return _unforked().memory_stats()


def reset_peaks() -> None:
    """Sets every peak to the present value and forgets the blocking operators counted so far.

    The record of a recording under way keeps the peaks and counts before.
    """
    _unforked().reset_peaks()


def backlog() -> dict[str, float]:
    """Returns the work in flight: the number of `operations`, the `bytes` that they promise or hold, and
    `oldest_seconds`, the age of the oldest operation. Does not wait."""
    return _unforked().backlog()


def set_limit(*, operations: int | None = None, bytes: int | float | str | None = None,
              seconds: int | float | str | None = None) -> None:
    """Bounds the run-ahead: issuing an operation blocks while any limit is reached. None means no limit of that kind.
    Replaces the current limit, which initially is the guard: half of the memory available at registration.

    Args:
        operations: operations in flight, at least 1.
        bytes: committed bytes, as a whole number or a size such as "256MiB".
        seconds: age of the oldest operation in flight, as a number above 0 or a duration such as "500ms".

    Takes effect at once, without waiting. Raises ValueError or TypeError for anything else.
    """
    _native().set_limit(operations, bytes, seconds)


def configure(*, workers: int | None = None, ready_order: Literal["oldest_first", "first_ready"] | None = None,
              allocation: Literal["at_execution", "in_stream_order", "caching", "at_issue"] | None = None,
              allocator: str | None = None, capacity: int | str | None = None,
              intra_op_threads: int | None = None, host_copies: Literal["snapshot", "keep"] | None = None,
              products: Literal["libtorch", "fastest"] | None = None,
              freed_memory: Literal["returned", "kept"] | None = None) -> None:
    """Waits for all work, then changes the given settings. Tensors stay valid, and other threads may continue to
    use the device: operations that they issue meanwhile wait.

    Args:
        workers: threads that run operations, 0 to 256; 0 runs every operation at issue.
        ready_order: which of the ready operations runs next: "oldest_first" or "first_ready".
        allocation: when an output's memory is claimed: "at_execution", "in_stream_order", "caching" or "at_issue".
        allocator: settings of allocation "caching" in the format of PYTORCH_CUDA_ALLOC_CONF, such as
            "expandable_segments:True,max_split_size_mb:64"; options that are not named have their defaults.
        capacity: the maximum size of all segments of allocation "caching", as a whole number or a size such as "512MiB";
            "off" for no bound. An allocation beyond it raises `torch.OutOfMemoryError`. A change to another allocation
            resets both.
        intra_op_threads: threads that a worker's kernels use, at least 1. With more than 1, call `torch.set_num_threads(1)`
            as well: the program's own threads only issue, and if both together exceed the CPUs, kernels slow down.
        host_copies: what a non-blocking copy from host memory reads. "snapshot": the values at the call, so that
            the source may be changed at once, as with CUDA and pageable memory. "keep": the values when it runs;
            the source is kept until then and must not be changed, as with CUDA and pinned memory.
        products: which library multiplies matrices. "libtorch": the library that torch uses, so that results equal
            those of `cpu`. "fastest": oneDNN where a calibration shows that it is faster on this machine. The
            calibration runs once, takes about 20 s, and is kept in `~/.cache/runahead`. Results differ by rounding.
        freed_memory: what happens to the memory of results when it is freed. "kept", the default: later results reuse
            it, which saves page faults; results and kept memory take at most a quarter more than the recent peak of
            results, and `torch.accelerator.empty_cache()` returns kept memory to the system. "returned", the default
            with allocation "caching": it goes back to the system.

    Raises ValueError or TypeError for anything else and for a setting that the allocation does not have, and what
    `synchronize` raises.
    """
    _native().configure(**locals())  # Each setting by its name.


def blocking_operators() -> dict[str, int]:
    """Returns how often each operator made the program wait for the shape of its result, since `reset_peaks`."""
    return _unforked().blocking_operators()


def products() -> dict | None:
    """Returns which library computed which matrix products since `reset_peaks`; None without
    `configure(products="fastest")`.

    `made` lists them by shape, with the library ("libtorch" or "onednn") and the count; `calibration` has the
    measurements behind the choice.
    """
    return json.loads(_unforked().product_report())


if decisions.registers_at_import(torch, os.environ):
    register()
_start_recording()
