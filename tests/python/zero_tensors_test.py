"""Attention, and tensors of zeros without memory: what the front end decides by layouts alone."""

import unittest

import runahead
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from kernels_test import KernelTest


class Attention(KernelTest):
    def test_of_negative_views(self):
        def of_views(_, *tensors):
            return nn.functional.scaled_dot_product_attention(*(torch._neg_view(x) for x in tensors))

        for dtype in (torch.float32, torch.float64):
            self.assert_equal_to_cpu(of_views, *(torch.randn(1, 2, 3, 4, dtype=dtype) for _ in range(3)))

    def test_of_fake_tensors(self):
        with FakeTensorMode():
            x = torch.empty(1, 2, 3, 4, device="acpu")
            self.assertEqual(nn.functional.scaled_dot_product_attention(x, x, x).shape, x.shape)


class ZeroTensors(KernelTest):
    """Tensors of zeros without memory, which derivatives use."""

    def test_are_zeros_for_every_operator(self):
        def unary(z):
            return [z - z, z * 2, z.mul(2.0), z / 2, z.neg(), z.t() @ z, z[0].dot(z[0]), z.sum(), z == z, torch.isclose(z, z)]

        def views(z):
            return [z.t(), z.view(8), z[::2], z.unfold(0, 2, 1), z.diagonal(), torch.view_as_real(z), z.real, z.imag]

        def complex_views(z):
            return [torch.view_as_complex(z)]

        for function, dtype in ((unary, torch.float32), (unary, torch.complex64), (views, torch.complex64),
                                (complex_views, torch.float32)):
            z = torch._efficientzerotensor((4, 2), dtype=dtype, device="acpu")
            with self.subTest(function=function.__name__, dtype=dtype):
                for actual, expected in zip(function(z), function(torch.zeros(4, 2, dtype=dtype)), strict=True):
                    self.assertEqual((actual.dtype, actual.shape), (expected.dtype, expected.shape))
                    torch.testing.assert_close(actual.cpu().clone(), expected.clone())

    def test_in_attention(self):
        zeros = torch._efficientzerotensor((1, 2, 4), device="acpu")
        ones = torch.ones(1, 2, 4, device="acpu")
        torch.testing.assert_close(nn.functional.scaled_dot_product_attention(zeros, ones, ones).cpu(), torch.ones(1, 2, 4))

    def test_whose_memory_is_filled_at_once(self):
        runahead.configure(workers=0)
        try:
            for _ in range(20):
                self.test_in_attention()
        finally:
            runahead.configure(workers=1)

    def test_forward_mode_is_refused_or_right(self):
        torch.manual_seed(0)
        layer, x, tangent = nn.Conv2d(1, 1, 2), torch.randn(1, 1, 4, 4), torch.randn(1, 1, 4, 4)
        expected = torch.func.jvp(layer, (x,), (tangent,))[1]
        try:
            actual = torch.func.jvp(layer.to("acpu"), (x.to("acpu"),), (tangent.to("acpu"),))[1]
        except (RuntimeError, NotImplementedError) as error:
            self.assertIn("acpu", str(error))
        else:
            torch.testing.assert_close(actual.cpu(), expected)


if __name__ == "__main__":
    unittest.main()
