"""Decides whether the installed torch fits the device library, and whether `acpu` is registered automatically."""

from collections.abc import Mapping
from types import ModuleType

from runahead_loader._build import CUDA_VERSION, CXX11_ABI, RUNAHEAD_VERSION, TORCH_VERSION


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def major(cuda: str | None) -> str | None:
    """Returns the major version of CUDA, which is part of the names of its libraries; None without CUDA."""
    return cuda and cuda.split(".")[0]


def _described(version: str, cuda: str | None) -> str:
    return f"torch {version}" + (f" with CUDA {cuda}" if cuda else "")


def misfit(version: str, cuda: str | None, cxx11_abi: bool = CXX11_ABI) -> str | None:
    """Returns why a torch of that version does not fit the device library and what to install, or None if it fits.

    The library is linked to torch's C++ API, which changes between minor versions. A library that was built with CUDA
    needs the libraries of that CUDA version; one that was built without CUDA fits any torch.

    Args:
        version: `torch.__version__`.
        cuda: `torch.version.cuda`; None without CUDA.
        cxx11_abi: whether torch has the C++ ABI of C++11.
    """
    if (_minor(version) == _minor(TORCH_VERSION) and cxx11_abi == CXX11_ABI
            and (CUDA_VERSION is None or major(cuda) == major(CUDA_VERSION))):
        return None
    needed = _described(_minor(TORCH_VERSION), major(CUDA_VERSION))
    found = _described(version, cuda) + ("" if cxx11_abi == CXX11_ABI else " of another C++ ABI")
    return (f"runahead {RUNAHEAD_VERSION} was built for {needed}, but this Python has {found}: install {needed}, or a "
            f"runahead that was built for {_described(_minor(version), major(cuda))} (scripts/build_wheel makes one)")


def misfit_of(torch: ModuleType) -> str | None:
    """`misfit` of the module torch."""
    return misfit(torch.__version__, torch.version.cuda, torch.compiled_with_cxx11_abi())


def registers_at_import(torch: ModuleType, environment: Mapping[str, str]) -> bool:
    """Returns whether `acpu` is registered without a call: if RUNAHEAD_DEVICE requests it, else if that would not hide
    another accelerator. A process has only one: while `acpu` is registered, torch.accelerator ignores CUDA.

    Counts CUDA devices without starting CUDA if the driver's management library exists, so that the process may still
    fork. Raises ValueError for an unknown RUNAHEAD_DEVICE.
    """
    asked = environment.get("RUNAHEAD_DEVICE", "")
    if asked not in ("", "acpu"):
        raise ValueError(f"RUNAHEAD_DEVICE is {asked!r}: set it to acpu, or leave it out (acpu is then registered where "
                         "CUDA is not usable)")
    return asked == "acpu" or (other_backend(torch) is None and not _is_cuda_usable(torch))


def _is_cuda_usable(torch: ModuleType) -> bool:
    return torch.cuda.device_count() > 0 and not _is_driver_too_old(torch.version.cuda)


def _is_driver_too_old(cuda: str | None) -> bool:
    """Whether the driver's management library, which torch counts devices with, knows the driver to be of an earlier major
    version than `cuda`, which then cannot start."""
    import ctypes  # Here, since the programs start without it.
    version = ctypes.c_int(0)
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if cuda is None or library.nvmlInit_v2() != 0 or library.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(version)) != 0:
            return False
    except (OSError, AttributeError):
        return False
    return version.value // 1000 < int(major(cuda))


def other_backend(torch: ModuleType) -> str | None:
    """Returns the name of another library's device that occupies torch's only slot for such devices, or None."""
    name = torch._C._get_privateuse1_backend_name()
    return None if name in ("privateuseone", "acpu") else name
