"""One entry of torch's operator database, called on `acpu` and on `cpu`, with each of its sample inputs."""

import threading
import warnings

import torch
from torch.utils import _pytree as pytree

import op_db_values as values

GATE_SECONDS = 5  # What waits behind the closed gate waits this long.
# Make tensors on the device that is named, whatever their arguments are on.
FACTORIES = {"arange", "linspace", "logspace"}
# Take tensors on the host, and have them in their samples for any device.
TAKE_HOST_ARGUMENTS = {"tensor_split"}


def dtype_for(entry, wanted):
    """Returns the dtype to call an entry with, or None: `wanted`, or for float32 the nearest that it supports."""
    supported = entry.supported_dtypes("cpu")
    others = (torch.int64, torch.complex64, torch.bool, torch.float64) if wanted == torch.float32 else ()
    return next((dtype for dtype in (wanted, *others) if dtype in supported), None)


class Call:
    """One variant of an entry with one sample, as a function of the device."""

    def __init__(self, entry, variant, sample):
        self.entry, self.variant, self.sample = entry, variant, sample

    def arguments(self, device):
        kwargs = dict(self.sample.kwargs)
        if self.entry.name in FACTORIES:
            kwargs["device"] = "cpu"
        args = values.placed(list(self.sample.args), "cpu" if self.entry.name in TAKE_HOST_ARGUMENTS else device)
        return values.placed(self.sample.input, device), args, values.placed(kwargs, device)

    def run(self, device):
        """Returns a tree of results. Raises what the operator raises."""
        input, args, kwargs = self.arguments(device)
        torch.manual_seed(0)
        if self.variant == "inplace":
            return [self.entry.get_inplace()(input, *args, **kwargs), input]
        if self.variant in ("out", "resized out"):
            return self.run_with_out(input, args, kwargs)
        result = self.entry.op(input, *args, **kwargs)
        if self.variant == "forward":
            return result
        return self.gradients(result, values.differentiable((input, args, kwargs)))

    def run_with_out(self, input, args, kwargs):
        # Filled: on cpu too, some operators leave part of what they are given unwritten.
        make = torch.ones_like if self.variant == "out" else lambda tensor: tensor.new_empty(0)
        out = pytree.tree_map(make, self.entry.op(input, *args, **kwargs))
        torch.manual_seed(0)
        return [self.entry.op(input, *args, **kwargs, out=out), out]

    def gradients(self, result, inputs):
        outputs = values.differentiable(self.sample.output_process_fn_grad(result))
        if not outputs or not inputs:
            return []
        return torch.autograd.grad(outputs, inputs, values.drawn_like(outputs), allow_unused=True)


def calls_of(entry, dtype):
    """Yields every call that the entry's samples stand for."""
    def samples(requires_grad):
        torch.manual_seed(0)
        return list(entry.sample_inputs("cpu", dtype, requires_grad=requires_grad))

    for sample in samples(False):
        yield Call(entry, "forward", sample)
        if entry.get_inplace() is not None and not sample.broadcasts_input:
            yield Call(entry, "inplace", sample)
        if entry.supports_out:
            yield Call(entry, "out", sample)
            yield Call(entry, "resized out", sample)
    if entry.supports_autograd and dtype in entry.supported_backward_dtypes("cpu"):
        for sample in samples(True):
            yield Call(entry, "gradient", sample)


def check(call):
    """Compares `acpu` with `cpu`; returns whether every bit is equal, None where `cpu` and `acpu` both raise.

    Raises what is wrong with `acpu`.
    """
    try:
        expected = call.run("cpu")
    except Exception as error:
        if call.variant == "resized out":
            return None  # Some operators resize no out argument on cpu.
        try:
            for tensor in values.tensors_of(call.run("acpu")):
                tensor.cpu()
        except Exception:
            return None
        raise values.Difference(f"no error, but cpu raised {type(error).__name__}: {first_line(error)}") from None
    return values.compare(call.run("acpu"), expected, values=call.entry.name not in values.UNINITIALISED)


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:400]


class Gate:
    """Holds the device's worker until it opens, after some seconds by itself: what returns before did not wait."""

    library = None

    def __init__(self):
        if Gate.library is None:
            Gate.library = torch.library.Library("op_db_test", "DEF")
            Gate.library.define("gate(Tensor(a!) x) -> ()")
            Gate.library.impl("gate", Gate.hold, "CPU")
        Gate.present = self
        self.passed = threading.Event()
        self.timer = threading.Timer(GATE_SECONDS, self.passed.set)

    @staticmethod
    def hold(x):
        Gate.present.passed.wait()

    def __enter__(self):
        torch.ops.op_db_test.gate(torch.empty(1, device="acpu"))
        self.timer.start()
        return self

    def __exit__(self, *exception):
        self.stayed_closed = not self.passed.is_set()
        self.timer.cancel()
        self.passed.set()


def blocking_of_second_calls(calls):
    """Returns the operators that made the program wait when calls were made a second time.

    `a read` stands for waits that are not for a shape.
    """
    import runahead

    runahead.synchronize()
    arguments = [(call, *call.arguments("acpu")) for call in calls]
    runahead.synchronize()
    runahead.reset_peaks()
    with Gate() as gate:
        kept = [call.entry.op(input, *args, **kwargs) for call, input, args, kwargs in arguments]
    runahead.synchronize()
    del kept
    return list(runahead.blocking_operators()) or ([] if gate.stayed_closed else ["a read"])


def run_entry(entry, wanted_dtype):
    """Returns the record of one entry: what failed, with its first line; what differs in a bit; what blocked."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dtype = dtype_for(entry, wanted_dtype)
    record = {"dtype": str(dtype).removeprefix("torch."), "calls": {}, "failures": {}, "failed_calls": {},
              "unequal": [], "blocking": []}
    if dtype is None:
        return record | {"dtype": None}
    right = []
    for call in calls_of(entry, dtype):
        record["calls"][call.variant] = record["calls"].get(call.variant, 0) + 1
        try:
            is_equal = check(call)
            if is_equal is False and call.variant not in record["unequal"]:
                record["unequal"].append(call.variant)
            if is_equal is not None and call.variant == "forward":
                right.append(call)
        except Exception as error:
            record["failures"].setdefault(call.variant, f"{type(error).__name__}: {first_line(error)}")
            record["failed_calls"][call.variant] = record["failed_calls"].get(call.variant, 0) + 1
    try:
        record["blocking"] = blocking_of_second_calls(right)
    except Exception as error:
        record["failures"]["second call"] = f"{type(error).__name__}: {first_line(error)}"
    return record
