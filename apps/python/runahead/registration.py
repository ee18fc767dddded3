"""Registers `acpu` with torch, once per process. The device library is loaded here, and not before."""

import atexit
import os
import sys
import threading
import time
from types import ModuleType

import torch

from runahead_loader import decisions

_lock = threading.Lock()


def is_registered() -> bool:
    return hasattr(torch, "acpu")


def register() -> None:
    """Registers the device `acpu` with torch, for the whole process; does nothing if it is already registered.

    `import runahead` calls it if CUDA is not usable. While `acpu` is registered, torch.accelerator ignores CUDA.
    Thread-safe. Raises RuntimeError if CUDA or another library's device is in use in this process: call it
    before the first tensor or backward pass there.
    """
    with _lock:
        if not is_registered():
            _load()


def native() -> ModuleType:
    """Returns the device library's functions. Raises RuntimeError if `acpu` is not registered."""
    if not is_registered():
        raise RuntimeError("acpu is not registered, because torch found another accelerator here and a process has one: "
                           "call runahead.register() first, or set RUNAHEAD_DEVICE=acpu, to use acpu in this process")
    from runahead import _C
    return _C


def unforked() -> ModuleType:
    """As `native`, but also raises RuntimeError in a process that was forked after the device had started."""
    library = native()
    if library.is_forked():
        library.synchronize()
    return library


def _load() -> None:
    if torch.cuda.is_initialized():
        raise RuntimeError("acpu can't be used in this process: CUDA is in use here, and LibTorch takes one "
                           "accelerator a process. Call runahead.register() before the first tensor or backward pass on "
                           "CUDA, or use acpu in a process of its own")
    if (other := decisions.other_backend(torch)) is not None:
        raise RuntimeError(f"acpu can't be used in this process: the device {other} is registered here, and LibTorch takes "
                           "one of its kind a process. Use acpu in a process of its own")
    from runahead import _C, acpu, refusals
    from runahead.benchmark_timer import wait_before_reading_the_clock
    from runahead.data_parallel import keep_data_parallel_on_its_device
    from runahead.default_dtype import wait_before_changing_the_default_dtype
    from runahead.recomputed_draws import recompute_draws_on_acpu
    from runahead.storage_files import read_and_write_through_the_host
    _C.register_acpu()
    torch.utils.rename_privateuse1_backend("acpu")
    torch._register_device_module("acpu", acpu)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    keep_data_parallel_on_its_device()
    wait_before_reading_the_clock()
    read_and_write_through_the_host()
    wait_before_changing_the_default_dtype(lambda: _C.is_forked() or _C.wait_for_issued())
    recompute_draws_on_acpu()
    refusals.install()
    atexit.register(lambda _: None, _LastAtExit(_C))
    atexit.register(_finish_at_exit, _C)
    torch.empty(0, device="acpu")  # torch synchronises a device only after its first tensor.


def is_ended_by_interrupt() -> bool:
    """For the exit: whether Ctrl-C ends the program. An interactive interpreter goes on after it."""
    return getattr(sys, "last_type", None) is KeyboardInterrupt and not hasattr(sys, "ps1")


class _LastAtExit:
    """Keeps other threads from using the device once all functions registered with atexit have run.

    A function that was registered earlier runs later, and may wait for a thread that needs the device. Python drops
    the functions' arguments when it has run them all, before it ends other threads at their next use of the interpreter.
    """

    def __init__(self, library: ModuleType):
        self._library = library

    def __del__(self) -> None:
        if self._library.is_forked():
            return
        self._library.keep_to_this_thread()
        # Daemon threads stop at their next use of the device. Python would end them inside LibTorch, which aborts.
        if any(thread.daemon for thread in threading.enumerate()):
            time.sleep(0.05)


def _finish_at_exit(library: ModuleType) -> None:
    # Errors that no wait has reported are raised here: Python prints them, but they cannot change the exit code.
    if library.is_forked():
        # LibTorch would wait 10 s for autograd's threads, which a forked process does not have.
        os.environ["TORCH_AUTOGRAD_SHUTDOWN_WAIT_LIMIT"] = "0"
    else:
        if is_ended_by_interrupt():
            library.drop_queued()
        library.finish()  # Ctrl-C meanwhile drops what is queued.
