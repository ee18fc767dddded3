"""One model, trained on `cpu` and on `acpu` from the same weights: what differs, and waits.

    models_compare.py NAME    trains in this process; its record is the last line of stdout

models.py starts one such process for each model.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
import warnings
from typing import Any

import torch
from torch.utils import _pytree as pytree

import device_settings
from models_cases import STEPS, Case, all_cases

SEED = 20
MOST_DIFFERENCES = 5  # So many tensors that differ are named.
TRACE_CALLS = 6  # The innermost calls, which a record of a failure keeps.
LONGEST_ERROR = 2000  # Characters.


def as_named(tree: Any, device: str) -> dict[str, Any]:
    """Returns the leaves of a tree by their places in it, tensors as copies on the host.

    Raises ValueError where a tensor is not on the device.
    """
    values = {}
    for path, leaf in pytree.tree_flatten_with_path(tree)[0]:
        if isinstance(leaf, torch.Tensor):
            if leaf.device.type != device:
                raise ValueError(f"{pytree.keystr(path)} is on {leaf.device}, not on {device}")
            leaf = leaf.detach().to("cpu", copy=True)
        values[pytree.keystr(path)] = leaf
    return values


def waits_on(device: str) -> dict[str, int]:
    """Returns how often each operator waited for a shape since this was last asked."""
    if device != "acpu":
        return {}
    import runahead

    waits = runahead.blocking_operators()
    runahead.reset_peaks()
    return waits


def trained(case: Case, device: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Trains and evaluates the model; returns all values that it made, and what to report."""
    torch.manual_seed(SEED)
    training = case.training(device)
    torch.manual_seed(SEED + 1)
    waits_on(device)
    began = time.monotonic()
    steps, outputs, waits = [], [], []
    for index in range(STEPS):
        steps.append(training.step(index))
        waits.append(waits_on(device))
    training.module.eval()
    with torch.no_grad():
        for _ in range(2):
            outputs.append(training.evaluate())
            waits.append(waits_on(device))
    made = {"step": steps, "output": outputs, "state": dict(training.module.state_dict())}
    values = as_named(made, device)
    phases = {"first_step": waits[0], "last_step": waits[STEPS - 1],
              "first_evaluation": waits[STEPS], "second_evaluation": waits[STEPS + 1]}
    return values, {"seconds": round(time.monotonic() - began, 2), "waits": phases}


def is_same(actual: Any, expected: Any) -> bool:
    """Whether two values are equal to the bit; a NaN equals a NaN."""
    if not isinstance(expected, torch.Tensor):
        return actual == expected
    return (isinstance(actual, torch.Tensor)
            and (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            and torch.equal(actual.isnan(), expected.isnan())
            and torch.equal(actual.nan_to_num(), expected.nan_to_num()))


def relative_difference(actual: Any, expected: Any) -> float | None:
    """Returns the largest difference over the largest value; None if no tolerance can excuse it."""
    comparable = (isinstance(actual, torch.Tensor) and isinstance(expected, torch.Tensor)
                  and (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
                  and expected.is_floating_point()
                  and bool(actual.isfinite().all() and expected.isfinite().all()))
    if not comparable:
        return None
    actual, expected = actual.double(), expected.double()
    return float((actual - expected).abs().max() / expected.abs().max().clamp_min(1e-30))


def comparison(actual: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Returns what differs between the values of two runs; `difference` is None for no number."""
    apart = {name: relative_difference(actual.get(name), expected.get(name))
             for name in expected.keys() | actual.keys()
             if name not in actual or name not in expected
             or not is_same(actual[name], expected[name])}

    def size(name: str) -> float:
        return float("inf") if apart[name] is None else apart[name]

    largest = sorted(apart, key=lambda name: (-size(name), name))
    return {"values": len(expected), "values_differing": len(apart),
            "difference": apart[largest[0]] if apart else 0.0,
            "differing": {name: apart[name] for name in largest[:MOST_DIFFERENCES]}}


def status_of(found: dict[str, Any], tolerance: float) -> str:
    if not found["values_differing"]:
        return "equal"
    is_close = found["difference"] is not None and found["difference"] <= tolerance
    return "close" if is_close else "different"


def summary_of(error: Exception) -> str:
    """Returns type and text of an error, without the frames of C++ that torch may add."""
    text = str(error).partition("\nException raised from ")[0]
    return f"{type(error).__name__}: {text}"[:LONGEST_ERROR]


def difference_of_two_threads(case: Case, expected: dict[str, Any]) -> float:
    """Returns how far `cpu` with two threads is from itself with one."""
    torch.set_num_threads(2)
    found = comparison(trained(case, "cpu")[0], expected)
    torch.set_num_threads(1)
    return found["difference"] or 0.0


def record_of(case: Case) -> dict[str, Any]:
    """Trains the model on both devices; returns its record, whose `status` says how it went.

    Products of another library round in another order, as those of two threads do: there, a model
    may differ from `cpu` by as much as `cpu` differs from itself.
    """
    device = "cpu"
    try:
        expected, on_cpu = trained(case, device)
        device = "acpu"
        actual, on_acpu = trained(case, device)
    except Exception as error:
        return {"status": "failed", "device": device, "error": summary_of(error),
                "trace": traceback.format_tb(error.__traceback__)[-TRACE_CALLS:]}
    found = comparison(actual, expected)
    tolerance = case.tolerance
    if found["values_differing"]:
        again = comparison(trained(case, "cpu")[0], expected)
        found["cpu_repeats"] = not again["values_differing"]
        if device_settings.given().get("products") == "fastest":
            tolerance = max(tolerance, difference_of_two_threads(case, expected))
    return {"status": status_of(found, tolerance), "tolerance": tolerance, **found,
            "waits": on_acpu["waits"], "cpu_seconds": on_cpu["seconds"],
            "acpu_seconds": on_acpu["seconds"]}


def main(name: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    # The device must be there before the first backward pass of the process.
    import runahead

    runahead.register()
    runahead.configure(intra_op_threads=1)
    device_settings.apply("runahead")
    print("\n" + json.dumps(record_of(all_cases()[name])))


if __name__ == "__main__":
    main(sys.argv[1])
