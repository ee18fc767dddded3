"""Arguments and results of operators: placing them on a device, drawing gradients, comparing them."""

import torch
from torch.utils import _pytree as pytree

# Their results are uninitialised memory: only shape and dtype can be compared.
UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
                 "resize_", "resize_as_"}


class Difference(AssertionError):
    """Two results that should be equal are not."""


def _copy(tensor, device):
    if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg() or tensor.numel() == 0:
        return tensor.detach().clone().to(device)
    storage = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
    return storage.clone().to(device).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).detach()


def with_gaps(tensor):
    """Returns ones shaped like a tensor, between other elements."""
    return torch.ones(*tensor.shape, 2, dtype=tensor.dtype, device=tensor.device)[..., 1]


def another_type(tensor):
    return torch.int64 if tensor.is_floating_point() else torch.float32


def converted(dtype):
    """Returns what converts a leaf of a sample, if it is a tensor of numbers that are not whole."""
    def convert(leaf):
        is_number = isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided and leaf.is_floating_point()
        return leaf.to(dtype) if is_number else leaf
    return convert


def _relaid(lay_out):
    def relaid(leaf):
        is_matrix = isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided and leaf.dim() > 1
        return lay_out(leaf) if is_matrix else leaf
    return relaid


# Change how the tensors of a sample lie in memory, or repeat their first part.
LAYOUTS = [_relaid(lay_out) for lay_out in (
    lambda x: x.transpose(0, -1).contiguous().transpose(0, -1),
    lambda x: with_gaps(x).copy_(x),
    lambda x: x[:1].expand_as(x),
    lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1))]


def placed(value, device):
    """Returns a copy of a tree of arguments on `device`: tensors with storages like theirs, and devices named."""
    def place(leaf):
        if isinstance(leaf, torch.Tensor):
            return _copy(leaf, device).requires_grad_(leaf.requires_grad)
        if isinstance(leaf, torch.device) or leaf == "cpu":
            return torch.device(device)
        return leaf

    return pytree.tree_map(place, value)


def tensors_of(value):
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def differentiable(values):
    """Returns the tensors of a tree that gradients flow through."""
    return [tensor for tensor in tensors_of(values)
            if tensor.requires_grad and (tensor.is_floating_point() or tensor.is_complex())]


def drawn_like(tensors):
    """Returns the same random numbers for each call, shaped like the tensors and on their devices."""
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(tensor.shape, dtype=tensor.dtype, generator=generator).to(tensor.device) for tensor in tensors]


def _has_same_bits(actual, expected):
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return False
    if actual.is_complex():
        actual, expected = torch.view_as_real(actual.resolve_conj()), torch.view_as_real(expected.resolve_conj())
    return torch.equal(actual.isnan(), expected.isnan()) and torch.equal(actual.nan_to_num(), expected.nan_to_num())


def compare(actual, expected, *, values=True):
    """Compares two trees of results, the first of `acpu`, the second of `cpu`; returns whether every bit is equal.

    Raises Difference, with one line on what differs.
    """
    actual_leaves, actual_tree = pytree.tree_flatten(actual)
    expected_leaves, expected_tree = pytree.tree_flatten(expected)
    if len(actual_leaves) != len(expected_leaves):
        raise Difference(f"results are {actual_tree} instead of {expected_tree}")
    is_equal = True
    for a, e in zip(actual_leaves, expected_leaves):
        if not isinstance(e, torch.Tensor):
            if a != e and not (a != a and e != e):
                raise Difference(f"{a!r} instead of {e!r}")
            continue
        if not isinstance(a, torch.Tensor):
            raise Difference(f"{a!r} instead of a tensor")
        if a.device.type != "acpu":
            raise Difference(f"the result is on {a.device}")
        host = a.detach().cpu()
        e = e.detach()
        if e.layout != torch.strided:
            e, host = e.to_dense(), host.to_dense() if host.layout != torch.strided else host
        if e.numel() != 0 and a.stride() != e.stride():
            raise Difference(f"strides are {a.stride()} instead of {e.stride()}")
        if not values:
            e, host = torch.zeros_like(e), torch.zeros_like(host)
        try:
            torch.testing.assert_close(host, e, equal_nan=True)
        except AssertionError as error:
            lines = [line for line in str(error).splitlines() if line]
            raise Difference(" ".join(lines[:3])) from None
        is_equal = is_equal and _has_same_bits(host, e)
    return is_equal
