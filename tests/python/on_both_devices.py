"""Uses of tensors, each on `cpu` and on `acpu`, which must be alike in all that a program sees."""

import unittest

import torch
from torch.utils import _pytree as pytree

import runahead


def counted(*sizes):
    return torch.arange(float(torch.Size(sizes).numel())).reshape(sizes)


def outcome(use, arguments):
    """Returns the results of a use, or the error that the call raises."""
    torch.manual_seed(0)
    try:
        return use(*arguments)
    except Exception as error:
        return error


class OnBothDevices(unittest.TestCase):
    def setUp(self):
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)  # As the device's worker has: some kernels round otherwise with more.

    def tearDown(self):
        runahead.synchronize()  # Nothing comes after the call.

    def assert_as_on_cpu(self, *uses, of=(), is_refused=None, **closeness):
        """Each `use(*of)` gives on `acpu` what it gives on `cpu`: values to the bit unless `closeness` is given, types,
        shapes and strides, or an error at the call, in the same words. is_refused: whether there must be one.
        """
        for number, use in enumerate(uses):
            with self.subTest(use=number):
                expected = outcome(use, pytree.tree_map_only(torch.Tensor, torch.clone, of))
                if is_refused is not None:
                    self.assertEqual(isinstance(expected, Exception), is_refused, expected)
                for _ in range(2):  # The second call knows the layouts of the first.
                    found = outcome(use, pytree.tree_map_only(torch.Tensor, lambda x: x.to("acpu"), of))
                    self.assert_alike(found, expected, closeness or {"rtol": 0, "atol": 0})

    def assert_alike(self, found, expected, closeness):
        if isinstance(found, Exception) or isinstance(expected, Exception):
            self.assertIs(type(found), type(expected), found)
            self.assertIn(str(expected).split("\n")[0], str(found))
            return
        for actual, wanted in zip(pytree.tree_leaves(found), pytree.tree_leaves(expected), strict=True):
            self.assertEqual((actual.device.type, actual.shape, actual.stride()), ("acpu", wanted.shape, wanted.stride()))
            torch.testing.assert_close(actual.cpu(), wanted, equal_nan=True, **closeness)

    def assert_refused_as_on_cpu(self, *uses, of=None):
        self.assert_as_on_cpu(*uses, of=of or (torch.arange(3.0),), is_refused=True)
