"""Names of torch.testing that the tests of other releases import, and that the installed release has elsewhere."""

import importlib
from collections.abc import Callable

PACKAGE = "torch.testing._internal"


def put_back() -> None:
    for module_name, makers in MOVED.items():
        module = importlib.import_module(f"{PACKAGE}.{module_name}")
        module.__getattr__ = getter(module, makers)


def getter(module, makers: dict[str, Callable]) -> Callable:
    """What Python calls for a name that the module lacks."""
    def find(name: str):
        if name in makers:
            return makers[name](module)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
    return find


MOVED = {
    # Whether a CUDA device rounds products of float32.
    "common_cuda": {"tf32_is_not_fp32": lambda module: lambda: False},
    "common_mkldnn": {"bf32_on_and_off": lambda module: module.reduced_f32_on_and_off},
    "common_nn": {"new_module_tests": lambda module: module.get_new_module_tests()},
    "common_utils": {"skipIfMps": lambda module: module.skipIfMPS,
                     "dtype_abbrs": lambda module: importlib.import_module("torch.utils._dtype_abbrs").dtype_abbrs},
}
