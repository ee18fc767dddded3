"""The asynchronous CPU device `acpu` for the installed torch, with a bound on its run-ahead.

    import runahead
    x = torch.randn(1000, 1000).to("acpu")
    y = (x @ x).relu()                 # returns at once; the operation is queued
    y.sum().item()                     # waits for exactly what it reads

Reads (`item`, `cpu`, printing) wait for what they read. A queued operation that failed raises at the next read
of what it should have written, naming the operator. Everything here is thread-safe, and every wait releases
the interpreter lock. With RUNAHEAD_BLOCKING=1 in the environment every operation runs at issue.
"""

import atexit
import threading
import time

import torch

from runahead._build import TORCH_VERSION

__all__ = ["Pacer", "synchronize", "memory_stats", "reset_peaks", "backlog", "set_limit", "configure",
           "blocking_operators"]

if torch.__version__.split("+")[0] != TORCH_VERSION:
    raise ImportError(f"runahead was built for torch {TORCH_VERSION}, but this Python has torch {torch.__version__}: "
                      "run scripts/build with it, or use the Python that scripts/setup made (.venv)")

from runahead import _C, acpu, refusals  # noqa: E402
from runahead.data_parallel import keep_data_parallel_on_its_device  # noqa: E402
from runahead.pacing import Pacer  # noqa: E402


def synchronize() -> None:
    """Waits until everything issued before the call has finished.

    Raises RuntimeError (torch.OutOfMemoryError, if that was the cause) for a failed operation whose error no
    wait has reported yet, one a call.
    """
    _C.synchronize()


def memory_stats() -> dict[str, int]:
    """Returns the device's account of memory, in bytes, and its peaks (`live_peak_bytes`, …).

    `live_bytes`: allocated memory that tensors or operations in flight use. It is `allocated_bytes`, which
    tensors have, and `freed_in_flight_bytes`, which no tensor has any more. `reserved_bytes`: live, and kept
    by the allocator for reuse.
    `promised_bytes`: outputs of operations in flight, not yet allocated. `held_bytes`: host tensors kept only
    by operations in flight. `committed_bytes`: what memory will reach when everything issued so far has run.
    Peaks are counted at every change, since `reset_peaks`. Does not wait.
    """
    acpu.require_no_fork()
    return _C.memory_stats()


def reset_peaks() -> None:
    """Sets every peak to the present value and forgets the blocking operators counted so far."""
    acpu.require_no_fork()
    _C.reset_peaks()


def backlog() -> dict[str, float]:
    """Returns what is issued and not finished: `operations`, `bytes` that they promise or hold, and
    `oldest_seconds`, the age of the oldest operation in flight. Does not wait."""
    acpu.require_no_fork()
    return _C.backlog()


def set_limit(*, operations=None, bytes=None, seconds=None) -> None:
    """Bounds the run-ahead: issuing an operation blocks while any limit is reached. None: no limit of that kind.
    Replaces the limit that held, at first the guard: half of the memory that was available at the import.

    Args:
        operations: operations in flight, at least 1.
        bytes: committed bytes: a number, or a size such as "256MiB".
        seconds: age of the oldest operation in flight: a number above 0, or a duration such as "500ms".

    Takes effect at once, without waiting. Raises ValueError or TypeError for anything else.
    """
    _C.set_limit(operations, bytes, seconds)


def configure(*, workers=None, ready_order=None, allocation=None, intra_op_threads=None, host_copies=None) -> None:
    """Waits for all work, then changes the settings that are given. Tensors stay valid, and other threads may go
    on using the device: what they issue meanwhile waits.

    Args:
        workers: threads that run operations, 0 to 256; 0 runs every operation at issue.
        ready_order: which of the ready operations runs next: "oldest_first" or "first_ready".
        allocation: when an output's memory is claimed: "at_execution", "in_stream_order" or "at_issue".
        intra_op_threads: threads that a worker's kernels use, at least 1.
        host_copies: what a non-blocking copy from host memory reads. "snapshot": the values at the call, so that
            the source may be changed at once, as with CUDA and pageable memory. "keep": the values when it runs;
            the source is kept until then and must not be changed, as with CUDA and pinned memory.

    Raises ValueError or TypeError for anything else, and what `synchronize` raises.
    """
    _C.configure(workers, ready_order, allocation, intra_op_threads, host_copies)


def blocking_operators() -> dict[str, int]:
    """Returns how often each operator made the program wait for its result's shape, since `reset_peaks`."""
    acpu.require_no_fork()
    return _C.blocking_operators()


def _finish_at_exit() -> None:
    # What no wait has reported is raised here: Python prints it, though it can't change the exit code.
    if _C.is_forked():
        return
    try:
        _C.finish()
    finally:
        # Daemon threads stop at their next use of the device. Python would end them inside LibTorch, which aborts.
        if any(thread.daemon for thread in threading.enumerate()):
            time.sleep(0.05)


def _load() -> None:
    if hasattr(torch, "acpu"):
        return
    if torch.cuda.is_initialized():
        raise RuntimeError("acpu can't be used in this process: CUDA is in use here, and LibTorch takes one "
                           "accelerator a process. Use acpu in a process of its own")
    _C.register_acpu()
    torch.utils.rename_privateuse1_backend("acpu")
    torch._register_device_module("acpu", acpu)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    keep_data_parallel_on_its_device()
    refusals.install()
    atexit.register(_finish_at_exit)
    torch.empty(0, device="acpu")  # torch synchronises a device only after its first tensor.


_load()
