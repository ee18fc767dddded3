"""Makes `torch.set_default_dtype` wait for `acpu`: kernels of integers read the default dtype when they run."""

from collections.abc import Callable

import torch


def wait_before_changing_the_default_dtype(wait: Callable[[], None]) -> None:
    """`wait` returns when what was issued so far has run; it must not raise for failed operations."""
    for name in ("_set_default_dtype", "_set_default_tensor_type"):
        setattr(torch._C, name, _after(wait, getattr(torch._C, name)))


def _after(wait: Callable[[], None], change: Callable[[object], None]) -> Callable[[object], None]:
    def change_after_wait(chosen: object) -> None:
        wait()
        change(chosen)

    return change_after_wait
