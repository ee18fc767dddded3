"""Lets storages on `acpu` be pickled, and read and written in the format of torch before 1.6.

torch hands both to methods in C that read and write the storage's memory, which is not the host's: they get a copy on
the host instead.
"""

import functools
from collections.abc import Callable

import torch


def read_and_write_through_the_host() -> None:
    """Installs this in torch. Each call on an `acpu` storage waits for it. Other devices are not affected."""
    storage = torch.UntypedStorage
    storage._write_file = _through_the_host(storage._write_file, changes_it=False)
    for name in ("_set_from_file", "byteswap"):
        setattr(storage, name, _through_the_host(getattr(storage, name), changes_it=True))


def _through_the_host(method: Callable[..., object], *, changes_it: bool) -> Callable[..., object]:
    @functools.wraps(method)
    def on_host(storage: torch.UntypedStorage, *args: object, **kwargs: object) -> object:
        if storage.device.type != "acpu":
            return method(storage, *args, **kwargs)
        host = storage.cpu()
        returned = method(host, *args, **kwargs)
        if changes_it:
            storage.copy_(host)
        return storage if returned is host else returned

    return on_host
