"""The device as a process sees it that collects tests and forks: known by name, not started.

A device's workers don't survive a fork. So the process that forks only announces the device, which is enough to
import test modules; the real one starts in each fork.
"""

import importlib
import sys
import types

import torch

import device_settings


class Announced(types.ModuleType):
    """Stands for `torch.<device>` until that is there, and hands on to it then."""

    def __init__(self, device: str) -> None:
        super().__init__(f"torch.{device}")
        self._device = device

    def __getattr__(self, name: str):
        real = getattr(torch, self._device, None)
        if real is not None and real is not self:
            return getattr(real, name)
        if name in KNOWN:
            return KNOWN[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} before the device starts")


KNOWN = {
    "is_available": lambda: True,
    "is_initialized": lambda: False,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "is_bf16_supported": lambda *_: True,
    # torch's seeding then leaves the device alone.
    "_is_in_bad_fork": lambda: True,
}


class Announcement:
    def __init__(self, device: str, package: str) -> None:
        self._device, self._package = device, package
        torch.utils.rename_privateuse1_backend(device)
        torch._register_device_module(device, Announced(device))
        answers = {"is_available": lambda: True, "device_count": lambda: 1,
                   "current_accelerator": lambda check_available=False: torch.device(device)}
        self._hidden = {name: getattr(torch.accelerator, name) for name in answers}
        vars(torch.accelerator).update(answers)

    def start(self) -> None:
        """Brings the real device up, in this process."""
        delattr(torch, self._device)
        sys.modules.pop(f"torch.{self._device}", None)
        vars(torch.accelerator).update(self._hidden)
        importlib.import_module(self._package)
        device_settings.apply(self._package)
