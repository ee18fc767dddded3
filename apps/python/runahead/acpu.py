"""The device module `torch.acpu`: what torch expects a device to have in Python.

There is one device, index 0. Functions that take a device accept an index, a string, a torch.device or None.
"""

import contextlib

import torch

from runahead import _C
from runahead.registration import unforked


def _check(device) -> None:
    index = device if isinstance(device, int) else torch.device("acpu" if device is None else device).index or 0
    kind = "acpu" if device is None or isinstance(device, int) else torch.device(device).type
    if kind != "acpu" or index not in (0, -1):
        raise ValueError(f"there is one device, acpu:0, but found {device!r}")


# ---- Devices.

_initialized = True  # Checkpointing preserves the random state of devices with this attribute.


def init() -> None:
    """Does nothing: the device is ready when it is registered."""


_lazy_init = init  # torch looks it up; without it, torch.accelerator.synchronize() would return immediately.


def is_available() -> bool:
    return not _is_in_bad_fork()


def is_initialized() -> bool:
    return True


def _is_in_bad_fork() -> bool:
    return _C.is_forked()


def device_count() -> int:
    return 0 if _is_in_bad_fork() else 1


def current_device() -> int:
    return 0


def set_device(device) -> None:
    _check(device)


class device:
    """A context manager that selects a device; there is only one."""

    def __init__(self, device) -> None:
        _check(device)

    def __enter__(self) -> "device":
        return self

    def __exit__(self, *exception) -> None:
        pass


class device_of(device):
    """A context manager that selects the device of a tensor or storage; does nothing for a host tensor."""

    def __init__(self, obj) -> None:
        super().__init__(0 if obj.device.type == "acpu" else None)


def get_device_name(device=None) -> str:
    _check(device)
    return "acpu"


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """True: the CPU's kernels support bfloat16 on every processor."""
    return True


def synchronize(device=None) -> None:
    """Waits until everything issued so far has finished. Raises what `runahead.synchronize` raises."""
    _check(device)
    _C.synchronize()


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The types that `torch.autocast("acpu", dtype=...)` takes, which are the CPU's."""
    return [torch.float16, torch.bfloat16]


# ---- Streams and events, as on CUDA: an event covers what was issued on its stream; order across streams comes from
# events (`wait_event`, `wait_stream`) or from data. torch's own classes use the accelerator, acpu, by default.

Stream = torch.Stream
Event = torch.Event


def current_stream(device=None) -> torch.Stream:
    """The calling thread's stream."""
    _check(device)
    return torch.accelerator.current_stream()


def default_stream(device=None) -> torch.Stream:
    _check(device)
    current = torch.accelerator.current_stream()
    return torch.Stream(stream_id=0, device_index=0, device_type=current.device_type)


def set_stream(stream) -> None:
    """Makes `stream` the calling thread's current stream; None changes nothing."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


@contextlib.contextmanager
def stream(stream):
    """A context manager in which the calling thread issues on `stream`; None changes nothing."""
    previous = current_stream()
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(previous)


# ---- Random numbers. Seeding does not wait; reading and setting the state do.

def manual_seed(seed: int) -> None:
    _C.default_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    manual_seed(seed)


def seed() -> int:
    """Seeds from the system's randomness; returns the seed."""
    return _C.default_generator().seed()


def seed_all() -> int:
    return seed()


def initial_seed() -> int:
    return _C.default_generator().initial_seed()


def get_rng_state(device="acpu") -> torch.Tensor:
    """Returns the default generator's state, uint8 on cpu."""
    _check(device)
    return _C.default_generator().get_state()


def set_rng_state(new_state: torch.Tensor, device="acpu") -> None:
    _check(device)
    _C.default_generator().set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    return [get_rng_state()]


def set_rng_state_all(new_states) -> None:
    for state in new_states:
        set_rng_state(state)


# ---- Memory, in bytes. `runahead.memory_stats` returns the device's own figures.

def memory_stats(device=None) -> dict[str, int]:
    """Returns the statistics of torch's allocators, named as for CUDA: "allocated_bytes.all.current", …"""
    _check(device)
    return dict(torch.accelerator.memory_stats())


def host_memory_stats() -> dict[str, int]:
    """Returns the statistics of pinned host memory, named as for CUDA: "active_bytes.current", "num_host_alloc", …"""
    return _C.host_memory_stats()


def reset_peak_host_memory_stats() -> None:
    _C.reset_peak_host_memory_stats()


def empty_cache() -> None:
    """Returns free memory that is kept for reuse to the system."""
    torch._C._accelerator_emptyCache()


def memory_allocated(device=None) -> int:
    _check(device)
    return _C.memory_stats()["allocated_bytes"]


def max_memory_allocated(device=None) -> int:
    _check(device)
    return _C.memory_stats()["allocated_peak_bytes"]


def memory_reserved(device=None) -> int:
    _check(device)
    return _C.memory_stats()["reserved_bytes"]


def max_memory_reserved(device=None) -> int:
    _check(device)
    return _C.memory_stats()["reserved_peak_bytes"]


def reset_peak_memory_stats(device=None) -> None:
    _check(device)
    unforked().reset_peaks()


# ---- Functions that other devices have but this one lacks.

_MISSING = {
    "memory_summary": "use runahead.memory_stats()",
    "mem_get_info": "use torch.accelerator.get_memory_info()",
    "reset_max_memory_allocated": "use reset_peak_memory_stats()",
    "reset_max_memory_reserved": "use reset_peak_memory_stats()",
    "get_device_properties": "there is one device, the CPU",
    "get_device_capability": "there is one device, the CPU",
    "set_sync_debug_mode": "runahead.blocking_operators() counts the waits that a program did not ask for",
    "StreamContext": "use torch.acpu.stream(...)",
    "default_generators": "use torch.acpu.manual_seed and get_rng_state",
}


def __getattr__(name: str):
    if name in _MISSING:
        raise AttributeError(f"torch.acpu has no {name}: {_MISSING[name]}")
    raise AttributeError(f"module 'torch.acpu' has no attribute {name!r}")
