"""Shapes, strides and lower precision: kernels of `acpu` give what those of `cpu` give, whatever the memory formats."""

import copy
import unittest
import warnings

import torch
from torch import nn
from torch.nn import functional

from kernels_test import KernelTest, counted


class MemoryFormats(KernelTest):
    """Strides are those of cpu."""

    def assert_formats_are_kept(self, function, *sizes):
        memory_format = torch.channels_last if len(sizes) == 4 else torch.channels_last_3d
        for laid_out in (lambda x: x, lambda x: x.contiguous(memory_format=memory_format),
                         lambda x: x.transpose(0, 1), lambda x: x[..., ::2]):
            self.assert_equal_to_cpu(lambda _, x: function(laid_out(x)), counted(*sizes))

    def test_paddings(self):
        for mode in ("replicate", "reflect", "constant", "circular"):
            self.assert_formats_are_kept(lambda x: functional.pad(x, (1, 1, 1, 0), mode=mode), 2, 3, 4, 4)
            self.assert_formats_are_kept(lambda x: functional.pad(x, (1, 1, 1, 0, 1, 1), mode=mode), 2, 3, 4, 4, 4)

    def test_of_one_element_a_channel(self):
        x = counted(10, 3, 1, 1).to(memory_format=torch.channels_last)
        for use in (lambda x: x * 5, lambda x: x + 1, lambda x: 2 - x, lambda x: x / 3, torch.relu, lambda x: x + x):
            self.assertEqual(use(x.to("acpu")).stride(), use(x).stride())

    def test_pointwise_functions(self):
        for function in (torch.abs, torch.neg, functional.relu, functional.relu6, functional.silu, functional.hardswish,
                         functional.gelu, lambda x: x + 1, lambda x: x.clamp(1, 5), lambda x: x.double(), torch.clone,
                         lambda x: torch.where(x > 3, x, -x)):
            self.assert_formats_are_kept(function, 2, 4, 4, 4)

    def test_poolings_and_samplings(self):
        for function in (lambda x: functional.max_pool2d(x, 2), lambda x: functional.avg_pool2d(x, 2),
                         lambda x: functional.adaptive_avg_pool2d(x, 2), lambda x: functional.pixel_unshuffle(x, 2),
                         lambda x: functional.interpolate(x, scale_factor=2),
                         lambda x: functional.channel_shuffle(x, 2), lambda x: x.roll(1, 1), lambda x: x.flip(1)):
            self.assert_formats_are_kept(function, 4, 4, 4, 4)
        self.assert_formats_are_kept(lambda x: functional.pixel_shuffle(x, 2), 4, 4, 4, 4)
        for function in (functional.pixel_shuffle, functional.pixel_unshuffle, functional.channel_shuffle):
            self.assert_formats_are_kept(lambda x, function=function: function(x[:0], 2), 4, 4, 4, 4)

    def test_convolutions_and_normalisations(self):
        def convolved(x):
            return functional.conv2d(x, torch.ones(4, 4, 3, 3, device=x.device))

        def normalised(x):
            zeros, ones = torch.zeros(4, device=x.device), torch.ones(4, device=x.device)
            return functional.batch_norm(x, zeros, ones, training=True)

        for function in (convolved, normalised, lambda x: functional.group_norm(x, 2)):
            self.assert_formats_are_kept(function, 4, 4, 8, 8)

    def test_volumes_of_one_example(self):
        for function in (functional.conv3d, functional.conv_transpose3d):
            self.assert_equal_to_cpu(lambda _, x, w: function(x, w), counted(1, 2, 4, 5, 6).to(memory_format=torch.channels_last_3d),
                                     torch.ones(2, 2, 2, 2, 2))


class LowerPrecision(KernelTest):
    """In bfloat16, the order of operands and the choice of a kernel show."""

    def test_scaling_in_place(self):
        x = (counted(400) / 37).bfloat16()
        self.assert_equal_to_cpu(lambda _, x: torch._foreach_mul([x], 0.9)[0], x)
        self.assert_equal_to_cpu(lambda _, x: torch._foreach_mul_([x.clone()], 0.9)[0], x)

    def test_layers_of_lstm(self):
        torch.manual_seed(0)
        lstm = nn.LSTM(16, 32).bfloat16()
        with torch.no_grad():
            self.assert_equal_to_cpu(lambda device, x: copy.deepcopy(lstm).to(device)(x)[0], torch.randn(5, 6, 16).bfloat16())

    def test_strides_beside_an_expanded_number(self):
        for use in (torch.mul, torch.add, torch.div, torch.ops.aten.tanh_backward, torch.ops.aten.sigmoid_backward):
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(y.expand(6, 5), x.t()), counted(5, 6).bfloat16(),
                                     torch.ones((), dtype=torch.bfloat16))


class Shapes(KernelTest):
    def test_norms_over_one_element(self):
        for dim, keepdim, order in ((-1, False, 2), (-1, True, 2), (0, False, 2), (-1, False, float("inf")), (1, False, 0.5)):
            for sizes in ((6, 1), (1, 6), (0, 1)):
                if order == float("inf") and 0 in sizes:
                    continue
                self.assert_equal_to_cpu(lambda _, x: x.norm(order, dim=dim, keepdim=keepdim), torch.ones(sizes))
                self.assert_equal_to_cpu(lambda _, x: torch.linalg.vector_norm(x, order, dim, keepdim), torch.ones(sizes))

    def test_of_mixed_formats_are_those_of_cpu(self):
        x, y = counted(5, 10, 5), counted(5, 10, 5).transpose(0, 2)
        for use in (torch.floor_divide, torch.ldexp, torch.logical_and, torch.add, torch.polar, torch.copysign, torch.rsub):
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(x, y), x, y)
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(y, x), x, y)

    def test_of_expanded_tensors_that_kernels_cast(self):
        column, transposed = torch.ones(3, 4, 1, dtype=torch.int64), counted(3, 5, 4).transpose(1, 2)
        for use in (torch.add, torch.eq, torch.maximum, torch.pow, torch.xlogy, torch.atan2, torch.logical_and, torch.fmod,
                    lambda x, y: torch.div(x, y.long() + 1), lambda x, y: torch.add(x, y, out=y.new_empty(0)),
                    lambda x, y: torch.addcmul(y, x, y), lambda x, y: x * 1.5, lambda x, y: torch.sin(x)):
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(x.expand(3, 4, 5), y), column, transposed)
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(x.half().expand(3, 4, 5), y), column, transposed)

    def test_of_elements_that_indices_select(self):
        rows = torch.tensor([0, 2, 0])
        for use in (lambda x, i: x[None, i], lambda x, i: x[:1, i], lambda x, i: x.unsqueeze(0)[:, i], lambda x, i: x[i],
                    lambda x, i: x[i.expand(2, -1).t()], lambda x, i: x[i.outer(i).t()], lambda x, i: x[i.outer(i).t(), i[None]]):
            self.assert_equal_to_cpu(lambda _, x, i, use=use: use(x, i), counted(5, 4, 3).permute(2, 1, 0), rows)

    def test_of_gradients_are_those_of_cpu(self):
        def gradient(loss):
            def compute(_, x, incoming):
                leaf = x.expand(4, 6).detach().requires_grad_()
                return torch.autograd.grad(loss(leaf), leaf, incoming)[0]
            return compute

        weight = torch.full((6,), 0.25)
        for loss in (lambda x: functional.binary_cross_entropy(x, torch.ones_like(x), reduction="none"),
                     lambda x: functional.prelu(x, weight.to(x.device))):
            for x in (torch.full((4, 6), 0.5), torch.full((1, 6), 0.5)):
                self.assert_equal_to_cpu(gradient(loss), x, torch.ones(6, 4).t())

    def test_of_kernels_that_broadcast(self):
        row, batch = torch.tensor([-1.0, 2.0]), torch.tensor([0.1, 0.2, 0.3])
        aten = torch.ops.aten
        self.assert_equal_to_cpu(lambda _, x, w: torch.func.vmap(functional.prelu, (None, 0))(x, w), row, batch)
        self.assert_equal_to_cpu(lambda _, x, w: torch.func.vmap(torch.func.grad(lambda w: functional.prelu(x, w).sum()))(w), row, batch)
        self.assert_equal_to_cpu(lambda _, x: torch.func.jacrev(nn.PReLU(2).to(x.device))(x), row[None])
        wide = torch.ones(3, 2)
        self.assert_equal_to_cpu(lambda _, x, y: aten.mse_loss_backward(y, x, y, 0), row, wide)
        self.assert_equal_to_cpu(lambda _, x, y: aten.log_sigmoid_backward(x, y, y), row, wide)

    def test_of_losses_of_mixed_formats_are_those_of_cpu(self):
        column, transposed = torch.ones(6, 1), counted(5, 6).t()
        for loss in (functional.mse_loss, functional.smooth_l1_loss, functional.huber_loss):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # About broadcasting.
                self.assert_equal_to_cpu(lambda _, x, y, loss=loss: loss(x, y, reduction="none"), column, transposed)
        self.assert_equal_to_cpu(lambda _, x, y: functional.binary_cross_entropy(x.t(), y, reduction="none"),
                                 torch.rand(5, 6), torch.rand(6, 5))

    def test_of_gradients_that_a_kernel_returns_unasked(self):
        def gradient(_, image, grid):
            return torch.ops.aten.grid_sampler_2d_backward(image, image, grid, 0, 0, False, [True, False])[1]

        self.assert_equal_to_cpu(gradient, torch.ones(1, 1, 4, 4), torch.zeros(1, 4, 4, 2))

    def test_segments_along_the_last_dimension(self):
        lengths = torch.tensor([1, 2, 3, 0])
        for axis in (0, -1):
            self.assert_equal_to_cpu(
                lambda _, x, lengths, axis=axis: torch.segment_reduce(x, "sum", lengths=lengths, axis=axis),
                counted(6), lengths)

    def test_powers_of_two_of_integers(self):
        self.assert_equal_to_cpu(lambda _, x, y: torch.ldexp(x, y), counted(3), torch.arange(3, dtype=torch.int32))

    def test_convolutions_of_nothing(self):
        self.assert_equal_to_cpu(lambda _, *tensors: functional.conv2d(*tensors),
                                 torch.zeros(0, 3, 4, 4), torch.zeros(5, 3, 2, 2))
        for function, spaces in ((functional.conv1d, 1), (functional.conv2d, 2), (functional.conv3d, 3)):
            self.assert_equal_to_cpu(lambda _, *tensors: function(*tensors),
                                     torch.zeros(2, 0, *[4] * spaces), torch.zeros(3, 0, *[2] * spaces))

    def test_what_cpu_refuses_is_refused_at_the_call(self):
        with self.assertRaisesRegex(RuntimeError, "expected weight to be at least 1 at dimension 0"):
            functional.conv1d(torch.zeros(2, 3, 4, device="acpu"), torch.zeros(0, 3, 2, device="acpu"))


if __name__ == "__main__":
    unittest.main()
