"""torch's module database on `acpu`, compared with `cpu`: every module of torch.nn with all its sample inputs.

Results, gradients of inputs and parameters, buffers afterwards; in training and evaluation, in float32 and float64.
Each module runs in a forked child with a time limit: a crash is one failure.
"""

import sys
import warnings

import torch

try:
    from torch.testing._internal.common_modules import module_db
except ImportError as error:
    print(f"skipped: torch's module database can't be imported: {error}")
    sys.exit(77)

import op_db_children
import op_db_values as values

MODULE_SECONDS = 200


def run(info, sample, dtype, is_training, device):
    """Returns what one module gives for one sample. Raises what it raises."""
    torch.manual_seed(0)
    constructor = sample.constructor_input
    module = info.module_cls(*constructor.args, **constructor.kwargs).to(dtype).train(is_training).to(device)
    forward = sample.forward_input
    args, kwargs = values.placed((list(forward.args), dict(forward.kwargs)), device)
    torch.manual_seed(1)
    result = module(*args, **kwargs)
    outputs, inputs = values.differentiable(result), values.differentiable((args, kwargs))
    inputs += list(module.parameters())
    gradients = []
    if outputs and inputs:
        gradients = torch.autograd.grad(outputs, inputs, values.drawn_like(outputs), allow_unused=True)
    return [values.tensors_of(result), [gradient for gradient in gradients if gradient is not None],
            list(module.state_dict().values())]


def failure_of(info, sample, dtype, is_training):
    """Returns the first line of what is wrong with `acpu`; None if nothing is."""
    expected = run(info, sample, dtype, is_training, "cpu")
    try:
        values.compare(run(info, sample, dtype, is_training, "acpu"), expected)
    except Exception as error:
        return f"{sample.desc}: {type(error).__name__}: {str(error).splitlines()[0]}"
    return None


def run_module(item):
    """In the child: the device starts here, after the fork."""
    import runahead

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    info, dtype = item
    record = {"samples": 0, "failures": []}
    for is_training in (True, False):
        torch.manual_seed(0)
        samples = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=is_training)
        for sample in samples:
            record["samples"] += 1
            failure = failure_of(info, sample, dtype, is_training)
            if failure:
                record["failures"].append(failure)
    runahead.synchronize()
    return record


def main():
    items = [(info, dtype) for info in module_db for dtype in (torch.float32, torch.float64) if dtype in info.dtypes]
    samples = failed = 0
    for (info, dtype), record in op_db_children.run_in_children(
            run_module, items, at_once=2, limit_seconds=MODULE_SECONDS):
        samples += record.get("samples", 0)
        for failure in [record["crash"]] if "crash" in record else record["failures"]:
            failed += 1
            print(f"{info.name} in {dtype}: {failure}", flush=True)
    print(f"{len(items)} modules with {samples} samples, {failed} failures")
    return 1 if failed or not samples else 0


if __name__ == "__main__":
    sys.exit(main())
