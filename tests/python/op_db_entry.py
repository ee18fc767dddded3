"""One entry of torch's operator database, called on `acpu` and on `cpu`, with each of its sample inputs."""

import itertools
import re
import threading
import warnings

import torch
from torch.utils import _pytree as pytree

import op_db_values as values
from gate import Gate

GATE_SECONDS = 5  # What waits behind the closed gate waits this long.
# Make tensors on the device that is named, whatever their arguments are on.
FACTORIES = {"arange", "linspace", "logspace"}
# Take tensors on the host, and have them in their samples for any device.
TAKE_HOST_ARGUMENTS = {"tensor_split"}
# Filled: on cpu too, some operators leave part of what they are given unwritten.
MAKE_OUT = {"out": torch.ones_like, "resized out": lambda tensor: tensor.new_empty(0), "out with gaps": values.with_gaps,
            "out of another type": lambda tensor: torch.ones_like(tensor, dtype=values.another_type(tensor))}
# Where acpu is known to differ: it leaves the strides of an expanded tensor that has the size already, and refuses late.
DIFFERENT = {("resize_as_", "inplace in other layout"), ("histc", "of torch.int32")}
# Casts the same arguments to the same types: to the bit. Those left out are equal to 1e-6 without it, too.
AUTOCAST_SAMPLES, NO_AUTOCAST = 3, {"linalg.lstsq"}
# What errors say of values: only the kernel knows these, so the error comes with a read.
OF_VALUES = re.compile(r"out of bounds|probability|multinomial|element \d+ is zero")
# What a sample is also called with, whether the operator takes it or not.
OTHER_TYPES = (torch.bool, torch.int32, torch.float16, torch.complex64)


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
        with torch.autocast(device, dtype=torch.bfloat16, enabled=self.variant == "autocast"):
            return self.results(device)

    def results(self, device):
        input, args, kwargs = self.arguments(device)
        torch.manual_seed(0)
        if self.variant.startswith("inplace"):
            return [self.entry.get_inplace()(input, *args, **kwargs), input]
        if self.variant in MAKE_OUT:
            return self.run_with_out(input, args, kwargs)
        result = self.entry.op(input, *args, **kwargs)
        if self.variant != "gradient":
            return result
        return self.gradients(result, values.differentiable((input, args, kwargs)))

    def run_with_out(self, input, args, kwargs):
        out = pytree.tree_map(MAKE_OUT[self.variant], self.entry.op(input, *args, **kwargs))
        torch.manual_seed(0)
        return [self.entry.op(input, *args, **kwargs, out=out), out]

    def gradients(self, result, inputs):
        outputs = values.differentiable(self.sample.output_process_fn_grad(result))
        if not outputs or not inputs:
            return []
        return torch.autograd.grad(outputs, inputs, values.drawn_like(outputs), allow_unused=True)


def calls_of(entry, dtype, most_samples=None):
    """Yields every call that the entry's samples, or the first ones, stand for."""
    def samples(requires_grad, most=most_samples):
        torch.manual_seed(0)
        return list(itertools.islice(entry.sample_inputs("cpu", dtype, requires_grad=requires_grad), most))

    def layout_of(number):
        return values.LAYOUTS[(number + len(entry.name)) % len(values.LAYOUTS)]

    for number, sample in enumerate(samples(False)):
        yield Call(entry, "forward", sample)
        relaid = sample.transform(layout_of(number))
        yield Call(entry, "other layout", relaid)
        if entry.get_inplace() is not None and not sample.broadcasts_input:
            yield Call(entry, "inplace", sample)
            yield Call(entry, "inplace in other layout", relaid)
        if entry.supports_out:
            yield Call(entry, "out", sample)
            yield Call(entry, "resized out", sample)
            yield Call(entry, "out with gaps", relaid)
            if number == 0:
                yield Call(entry, "out of another type", sample)
        if number == 0:
            for other in OTHER_TYPES:
                yield Call(entry, f"of {other}", sample.transform(values.converted(other)))
    for sample in samples(False, AUTOCAST_SAMPLES) if entry.name not in NO_AUTOCAST else []:
        yield Call(entry, "autocast", sample)
    if entry.supports_autograd and dtype in entry.supported_backward_dtypes("cpu"):
        for number, sample in enumerate(samples(True)):
            yield Call(entry, "gradient", sample if number % 2 == 0 else sample.transform(layout_of(number)))
    if entry.error_inputs_func is not None:
        for wrong in entry.error_inputs("cpu"):
            yield Call(entry, "refused", wrong.sample_input)


def check(call):
    """Compares `acpu` with `cpu`; returns whether every bit is equal, None where `cpu` and `acpu` both raise.

    Raises what is wrong with `acpu`.
    """
    try:
        expected = call.run("cpu")
    except Exception as error:
        try:
            results = values.tensors_of(call.run("acpu"))
        except Exception as refusal:  # In the same words; those of a kernel are followed by its operator.
            words = re.sub(r"acpu(\w+)Type", r"torch.\1Tensor", first_line(refusal))
            if type(refusal) is type(error) and words.startswith(first_line(error)):
                return None
            found = f"{type(refusal).__name__}: {words}"
        else:
            found = "no error"
            if is_raised_by_reads(results) and OF_VALUES.search(first_line(error)):
                return None
        raise values.Difference(f"{found}, but cpu raised {type(error).__name__}: {first_line(error)}") from None
    has_values = call.entry.name not in values.UNINITIALISED
    is_equal = values.compare(call.run("acpu"), expected, values=has_values)
    if call.variant == "autocast" and has_values and not is_equal:
        raise values.Difference("other bits than under autocast on cpu")
    return is_equal


def is_raised_by_reads(results):
    """Whether a read of the results, or a wait for all, raises. Leaves no error to the next call."""
    import runahead

    has_raised = False
    for read in [result.cpu for result in results] + [runahead.synchronize] * 9:
        try:
            read()
        except Exception:
            has_raised = True
    return has_raised


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:200]


def blocking_of_second_calls(calls):
    """Returns the operators that made the program wait when calls were made a second time.

    `a read` stands for waits that are not for a shape.
    """
    import runahead

    runahead.configure(workers=1)  # The gate holds one.
    arguments = [(call, *call.arguments("acpu")) for call in calls]
    runahead.synchronize()
    runahead.reset_peaks()
    gate = Gate()
    gate.ones()
    timer = threading.Timer(GATE_SECONDS, gate.opened.set)
    timer.start()
    kept = [call.entry.op(input, *args, **kwargs) for call, input, args, kwargs in arguments]
    has_waited = gate.opened.is_set()
    timer.cancel()
    gate.opened.set()
    runahead.synchronize()
    del kept
    return list(runahead.blocking_operators()) or (["a read"] if has_waited else [])


def run_entry(entry, wanted_dtype, most_samples):
    """Returns the record of one entry: what failed, with its first line; what differs in a bit; what blocked, if all
    samples are called.
    """
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    dtype = dtype_for(entry, wanted_dtype)
    record = {"dtype": str(dtype).removeprefix("torch."), "calls": {}, "failures": {}, "failed_calls": {},
              "unequal": [], "blocking": []}
    if dtype is None:
        return record | {"dtype": None}
    right = []
    for call in calls_of(entry, dtype, most_samples):
        if (entry.name, call.variant) in DIFFERENT:
            continue
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
    if most_samples is not None:
        return record
    try:
        record["blocking"] = blocking_of_second_calls(right)
    except Exception as error:
        record["failures"]["second call"] = f"{type(error).__name__}: {first_line(error)}"
    return record
