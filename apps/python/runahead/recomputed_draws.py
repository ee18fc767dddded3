"""Lets a checkpointed region that AOTAutograd has compiled draw the same numbers again when its backward recomputes it.

AOTAutograd wraps each draw in two operators, which know by name the devices whose random state they save and restore.
"""

import warnings

import torch
from torch.utils import _pytree

from runahead import acpu


def _is_drawn_on_acpu(arguments, device=None, **_named) -> bool:
    """torch takes the host's state if any argument is there, such as a probability."""
    if device is not None:
        return torch.device(device).type == "acpu"
    return any(isinstance(leaf, torch.Tensor) and leaf.device.type == "acpu" for leaf in _pytree.tree_leaves(arguments))


def _run_and_save_state(operator, *arguments, **named):
    return acpu.get_rng_state(), operator(*arguments, **named)


def _run_with_state(state, operator, *arguments, **named):
    current = acpu.get_rng_state()
    acpu.set_rng_state(state.cpu())
    try:
        return operator(*arguments, **named)
    finally:
        acpu.set_rng_state(current)


def _add_acpu(wrapper, run_on_acpu) -> None:
    key = torch._C.DispatchKey.BackendSelect
    run_elsewhere = wrapper.py_kernels[key]
    cache = wrapper._dispatch_cache

    def run(*arguments, **named):
        return (run_on_acpu if _is_drawn_on_acpu(arguments, **named) else run_elsewhere)(*arguments, **named)

    for kernel in wrapper.python_key_table.values():  # Those of tracers call torch's kernel by its name.
        for name, cell in zip(kernel.__code__.co_freevars, kernel.__closure__ or ()):
            if name == "impl_backend_select":
                cell.cell_contents = run
    wrapper.py_kernels[key] = run
    cache.clear()


def recompute_draws_on_acpu() -> None:
    """Warns if the installed torch has no such operators."""
    try:
        from torch._prims import rng_prims
        _add_acpu(rng_prims.run_and_save_rng_state, _run_and_save_state)
        _add_acpu(rng_prims.run_with_rng_state, _run_with_state)
    except (AttributeError, ImportError, KeyError) as error:
        warnings.warn("runahead does not know how this torch recomputes random numbers: a compiled, checkpointed region may draw others on acpu in its "
                      f"backward pass ({error})", stacklevel=2)
