"""What a batch holds, in whatever form a loader returns it: its number of examples, its devices, and its pinned memory.

A batch is a tensor or an array; or a mapping, list, tuple, dataclass or anything with keys that holds batches (Hugging
Face's `BatchEncoding`, `Data` of PyTorch Geometric, `TensorDict`); or something else, which holds none.
"""

import collections.abc
import dataclasses
import numbers
import operator
import reprlib

import torch


def examples(inputs) -> int | None:
    """The number itself, or the length of the batch's first tensor in depth; None if it has no tensor with a dimension.

    Raises ValueError if `inputs` is a number below 0 or not whole, or a text.
    """
    if isinstance(inputs, numbers.Number | str | bytes) or (isinstance(inputs, torch.Tensor) and inputs.dim() == 0):
        return _checked_number(inputs)
    return _length_of_first_tensor(inputs)


def pinned_bytes(batch) -> int:
    """The bytes of the host tensors in pinned memory that the batch holds."""
    if isinstance(batch, torch.Tensor):
        return batch.nbytes if batch.device.type == "cpu" and batch.is_pinned() else 0
    return sum(map(pinned_bytes, _parts(batch)))


def devices(batch) -> set[torch.device]:
    """The devices of the tensors that the batch holds."""
    if isinstance(batch, torch.Tensor):
        return {batch.device}
    return set().union(*map(devices, _parts(batch)))


def _checked_number(inputs) -> int:
    try:
        number = operator.index(inputs)  # NumPy's integers and tensors of one integer, too.
    except TypeError:
        number = -1
    if not 0 <= number < 2**63:
        raise ValueError(f"batch: found {reprlib.repr(inputs)}; allowed: a number of examples, 0 or more, or the batch itself")
    return number


def _length_of_first_tensor(batch) -> int | None:
    if getattr(batch, "shape", ()):
        return batch.shape[0]
    return next((length for length in map(_length_of_first_tensor, _parts(batch)) if length is not None), None)


def _parts(batch) -> list:
    if isinstance(batch, list | tuple):
        return list(batch)
    if isinstance(batch, collections.abc.Mapping):
        return list(batch.values())
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        return [getattr(batch, field.name) for field in dataclasses.fields(batch)]
    if hasattr(batch, "keys") and hasattr(batch, "__getitem__"):
        return [batch[key] for key in batch.keys()]
    return []
