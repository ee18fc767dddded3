"""The asynchronous CPU device `acpu` for the installed torch, with a bound on its run-ahead.

    import runahead
    x = torch.randn(1000, 1000).to("acpu")
    y = (x @ x).relu()                 # returns at once; the operation is queued
    y.sum().item()                     # waits for exactly what it reads

The import registers `acpu` where CUDA is not usable; elsewhere `register()` does, or RUNAHEAD_DEVICE=acpu in the environment.
Until then nothing here but `register` can be used (RuntimeError). The import raises ImportError with a torch that
the package was not built for.

Reads (`item`, `cpu`, printing) wait for what they read. A queued operation that failed raises at the next read
of what it should have written, naming the operator. Everything here is thread-safe, and every wait releases
the interpreter lock. With RUNAHEAD_BLOCKING=1 in the environment every operation runs at issue.
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
    wait has reported yet, one a call.
    """
    _native().synchronize()


def memory_stats() -> dict[str, int]:
    """Returns the device's account of memory, in bytes, and its peaks (`live_peak_bytes`, …).

    `live_bytes`: allocated memory that tensors or operations in flight use. It is `allocated_bytes`, which
    tensors have, and `freed_in_flight_bytes`, which no tensor has any more. `reserved_bytes`: live, and kept
    by the allocator for reuse.
    `promised_bytes`: outputs of operations in flight, not yet allocated. `held_bytes`: host tensors kept only
    by operations in flight. `committed_bytes`: what memory will reach when everything issued so far has run.
    Peaks are counted at every change, since `reset_peaks`. Does not wait.
    """
    return _unforked().memory_stats()


def reset_peaks() -> None:
    """Sets every peak to the present value and forgets the blocking operators counted so far."""
    _unforked().reset_peaks()


def backlog() -> dict[str, float]:
    """Returns what is issued and not finished: `operations`, `bytes` that they promise or hold, and
    `oldest_seconds`, the age of the oldest operation in flight. Does not wait."""
    return _unforked().backlog()


def set_limit(*, operations: int | None = None, bytes: int | float | str | None = None,
              seconds: int | float | str | None = None) -> None:
    """Bounds the run-ahead: issuing an operation blocks while any limit is reached. None: no limit of that kind.
    Replaces the limit that held, at first the guard: half of the memory that was available at the registration.

    Args:
        operations: operations in flight, at least 1.
        bytes: committed bytes: a number, or a size such as "256MiB".
        seconds: age of the oldest operation in flight: a number above 0, or a duration such as "500ms".

    Takes effect at once, without waiting. Raises ValueError or TypeError for anything else.
    """
    _native().set_limit(operations, bytes, seconds)


def configure(*, workers: int | None = None, ready_order: Literal["oldest_first", "first_ready"] | None = None,
              allocation: Literal["at_execution", "in_stream_order", "caching", "at_issue"] | None = None,
              allocator: str | None = None, capacity: int | str | None = None,
              intra_op_threads: int | None = None, host_copies: Literal["snapshot", "keep"] | None = None,
              products: Literal["libtorch", "fastest"] | None = None,
              freed_memory: Literal["returned", "kept"] | None = None) -> None:
    """Waits for all work, then changes the settings that are given. Tensors stay valid, and other threads may go
    on using the device: what they issue meanwhile waits.

    Args:
        workers: threads that run operations, 0 to 256; 0 runs every operation at issue.
        ready_order: which of the ready operations runs next: "oldest_first" or "first_ready".
        allocation: when an output's memory is claimed: "at_execution", "in_stream_order", "caching" or "at_issue".
        allocator: settings of allocation "caching" in the format of PYTORCH_CUDA_ALLOC_CONF, such as
            "expandable_segments:True,max_split_size_mb:64"; what is not named has its default.
        capacity: the most bytes that segments of allocation "caching" may take, a number or a size such as "512MiB";
            "off" for no bound. An allocation beyond it raises `torch.OutOfMemoryError`.
        intra_op_threads: threads that a worker's kernels use, at least 1. With more than 1, call `torch.set_num_threads(1)`
            as well: the program's own threads only issue, and where both together exceed the CPUs, kernels slow down.
        host_copies: what a non-blocking copy from host memory reads. "snapshot": the values at the call, so that
            the source may be changed at once, as with CUDA and pageable memory. "keep": the values when it runs;
            the source is kept until then and must not be changed, as with CUDA and pinned memory.
        products: who multiplies matrices. "libtorch": the library that torch takes, so that results are those of
            `cpu`. "fastest": oneDNN where it is faster on this machine, which a calibration finds out: it is made
            once, takes some 20 s, and is kept in `~/.cache/runahead`. Results differ by rounding.
        freed_memory: what becomes of results' memory that is free. "kept", the default: later results get it, which
            saves page faults; results and kept memory take at most a quarter more than results lately had at once, and
            `torch.accelerator.empty_cache()` returns what is kept. "returned", the default with allocation "caching":
            it goes back to the system.

    Raises ValueError or TypeError for anything else, and what `synchronize` raises.
    """
    _native().configure(workers, ready_order, allocation, allocator, capacity, intra_op_threads, host_copies, products,
                        freed_memory)


def blocking_operators() -> dict[str, int]:
    """Returns how often each operator made the program wait for its result's shape, since `reset_peaks`."""
    return _unforked().blocking_operators()


def products() -> dict | None:
    """Returns which library made which products of matrices since `reset_peaks`, with `configure(products="fastest")`; else None.

    `made` lists them by shape, with the library, "libtorch" or "onednn", and how often; `calibration` is what decided.
    """
    return json.loads(_unforked().product_report())


if decisions.registers_at_import(torch, os.environ):
    register()
_start_recording()
