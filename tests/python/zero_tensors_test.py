"""Attention, and tensors of zeros without memory: what the front end decides by layouts alone."""

import unittest

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

import runahead
from on_both_devices import OnBothDevices

attention = nn.functional.scaled_dot_product_attention


class Attention(OnBothDevices):
    def test_of_negative_views(self):
        for dtype in (torch.float32, torch.float64):
            self.assert_as_on_cpu(lambda x: attention(*(torch._neg_view(part) for part in x)),
                                  of=(torch.randn(3, 1, 2, 3, 4, dtype=dtype),))

    def test_of_fake_tensors(self):
        with FakeTensorMode():
            x = torch.empty(1, 2, 3, 4, device="acpu")
            self.assertEqual(attention(x, x, x).shape, x.shape)


class ZeroTensors(OnBothDevices):
    """Tensors of zeros without memory, which derivatives use."""

    def test_are_zeros_for_every_operator(self):
        def zeros(x, *sizes):
            make = torch._efficientzerotensor if x.device.type == "acpu" else torch.zeros
            return make(sizes or (4, 2), dtype=x.dtype, device=x.device)

        def unary(x):
            z = zeros(x)
            return [z - z, z * 2, z.mul(2.0), z / 2, z.neg(), z.t() @ z, z[0].dot(z[0]), z.sum(), z == z, torch.isclose(z, z)]

        def views(x):
            z = zeros(x)
            return [z.t(), z.view(8), z[::2], z.unfold(0, 2, 1), z.diagonal(), torch.view_as_real(z), z.real, z.imag]

        def attended(x):
            return attention(zeros(x, 1, 2, 4), x.expand(1, 2, 4), x.expand(1, 2, 4))

        real, complex = (torch.ones((), dtype=dtype) for dtype in (torch.float32, torch.complex64))
        for uses, of in (((unary, lambda x: torch.view_as_complex(zeros(x)), attended), real), ((unary, views), complex)):
            self.assert_as_on_cpu(*uses, of=(of,), is_refused=False)
        self.addCleanup(runahead.configure, workers=1)
        runahead.configure(workers=0)  # Their memory is filled at once.
        self.assert_as_on_cpu(*[attended] * 10, of=(real,))

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
