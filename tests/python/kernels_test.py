"""Where kernels of `acpu` give what those of `cpu` give though their arguments are unusual: numbers out of range,
results that are not defined or inputs too, lower precision, mixed formats."""

import copy
import re
import threading
import unittest
import warnings

import torch
from torch import nn
from torch.nn import functional

import runahead
from gate import PATIENCE_SECONDS, Gate


def counted(*sizes):
    return torch.arange(float(torch.Size(sizes).numel())).reshape(sizes)


class KernelTest(unittest.TestCase):
    def assert_equal_to_cpu(self, function, *tensors):
        """`function(device, *tensors)` gives the same on both devices: the values, types, shapes and strides, or the error at the call."""
        try:
            expected = function("cpu", *tensors)
        except Exception as error:
            with self.assertRaisesRegex(type(error), re.escape(str(error))):
                function("acpu", *(tensor.to("acpu") for tensor in tensors))
            return
        for _ in range(2):  # The second call knows the layouts of the first.
            actual = function("acpu", *(tensor.to("acpu") for tensor in tensors))
            self.assertEqual(actual.device.type, "acpu")
            self.assertEqual((actual.shape, actual.stride()), (expected.shape, expected.stride()))
            torch.testing.assert_close(actual.cpu(), expected, equal_nan=True)

    def tearDown(self):
        runahead.synchronize()


class Numbers(KernelTest):
    """Numbers beyond the type of a tensor."""

    def test_are_rounded_to_infinity_beside_floats(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            for number in (1e300, -1e300, float("inf"), float("nan"), 2 ** 63 - 1):
                for function in (lambda x: x * number, lambda x: x + number, lambda x: number - x, lambda x: x / number,
                                 lambda x: x.clone().mul_(number), lambda x: x < number, lambda x: x.clamp(max=number)):
                    self.assert_equal_to_cpu(lambda _, x: function(x), torch.ones(3, dtype=dtype))

    def test_are_taken_beside_integers_as_on_cpu(self):
        for dtype in (torch.uint8, torch.int32, torch.bool):
            for number in (2 ** 40, -1, 300, 2.5, 1 + 2j, True):
                for function in (lambda x: x * number, lambda x: x + number, lambda x: x == number):
                    self.assert_equal_to_cpu(lambda _, x: function(x), torch.ones(3, dtype=dtype))

    def test_are_filled_in_or_refused_as_on_cpu(self):
        for dtype in (torch.float16, torch.float32, torch.uint8, torch.int32):
            for number in (1e300, 2 ** 40, -1):
                mask = torch.tensor([True, False, True])
                for function in (lambda x: x.clone().fill_(number), lambda x: torch.full_like(x, number),
                                 lambda x: x.masked_fill(mask.to(x.device), number)):
                    self.assert_equal_to_cpu(lambda _, x: function(x), torch.zeros(3, dtype=dtype))

    def test_that_scale_are_refused_at_the_call_as_on_cpu(self):
        x = torch.ones(2, 2)
        self.assert_equal_to_cpu(lambda _, x: torch.add(x, x, alpha=1e300), x)
        self.assert_equal_to_cpu(lambda _, x: torch.addmm(x, x, x, alpha=1e39), x)
        self.assert_equal_to_cpu(lambda _, x: torch.addcmul(x, x, x, value=1e300), x)

    def test_of_many_values_need_no_layout_of_their_own(self):
        x = torch.arange(4, device="acpu")
        runahead.reset_peaks()
        for i in range(1000):
            self.assertEqual((x + i).dtype, torch.int64)
        self.assertEqual((x + 999).tolist(), [999, 1000, 1001, 1002])
        self.assertEqual(runahead.blocking_operators(), {})


class OutArguments(KernelTest):
    """Results that are written into a part of a tensor leave the rest alone."""

    def test_of_another_type_than_the_one_computed_in(self):
        numbers = torch.tensor([2**24 + 1, 7, -5, 3, 6]), torch.tensor([3, 2, 2, 4, 4])
        for use in (torch.bitwise_and, torch.gcd, torch.floor_divide, torch.remainder, torch.sub, torch.atan2, torch.lt):
            for dtype in (torch.float32, torch.complex64):
                self.assert_equal_to_cpu(
                    lambda device, a, b, use=use, dtype=dtype: use(a, b, out=torch.empty(5, dtype=dtype, device=device)),
                    *numbers)

    def test_of_a_norm_may_have_any_size(self):
        for shape in ((), (3,), (2, 3)):
            for dim in (None, 0, -1):
                for given in ((), (0,), (1,), (2,), (5, 5)):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        self.assert_equal_to_cpu(
                            lambda device, x, dim=dim, given=given: torch.linalg.vector_norm(
                                x, dim=dim, out=torch.empty(given, device=device)), torch.ones(shape))

    def test_that_are_an_input_too_may_have_another_size_than_the_result(self):
        square, row = torch.tensor([[4.0, 1.0], [1.0, 3.0]]), torch.tensor([3.0, 1.0, 2.0])

        def indices(device):
            return torch.empty(0, dtype=torch.long, device=device)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for x, use in ((square, lambda device, x: torch.linalg.inv(x, out=x)),
                           (square, lambda device, x: torch.linalg.cholesky(x, out=x)),
                           (square, lambda device, x: torch.linalg.solve(x, x.clone(), out=x)),
                           (square, lambda device, x: torch.linalg.qr(x, out=(x, torch.empty(0, device=device)))[1]),
                           (square, lambda device, x: torch.var(x, 1, out=x)),
                           (square, lambda device, x: torch.max(x, out=x)),
                           (square, lambda device, x: torch.linalg.vector_norm(x, out=x)),
                           (square, lambda device, x: torch.maximum(x, x[0, 0], out=x.view(-1)[:0])),
                           (row, lambda device, x: torch.sort(x, out=(x, indices(device)))[0]),
                           (row, lambda device, x: torch.topk(x, 2, out=(x, indices(device)))[0]),
                           (row, lambda device, x: torch.msort(x, out=x)),
                           (row, lambda device, x: torch.histc(x, 2, 0, 3, out=x)),
                           (row, lambda device, x: torch.sum(x, 0, out=x[:1].expand(2))),
                           (square, lambda device, x: torch.mm(x, x, out=x[0, :1].clone().expand(5, 1))),
                           (square, lambda device, x: torch.gather(x, 0, indices(device).expand(1, 1), out=x[:1, :1].expand(4, 1))),
                           (row, lambda device, x: torch.add(x[:0], x.view(1, 3)[:, :0], out=x[:0]))):
                self.assert_equal_to_cpu(lambda device, x, use=use: use(device, x.clone()), x)
            for use in (torch._C._nn.mse_loss, torch._C._nn.huber_loss, torch._C._nn.smooth_l1_loss):
                for sizes in ((0,), ()):
                    self.assert_equal_to_cpu(
                        lambda device, x, use=use, sizes=sizes: use(x, x * 2, 1, out=torch.empty(sizes, device=device)), row)

    def test_that_share_memory_with_an_input_leave_other_changes_of_that_memory(self):
        def normalised(device):
            flat = torch.arange(64.0).to(device)
            x, mean, variance = flat[:16].view(4, 4), flat[40:44], flat[48:52]
            torch.ops.aten.native_batch_norm.out(x, None, None, mean, variance, True, 0.1, 1e-5, out=x,
                                                 save_mean=torch.empty(0, device=device),
                                                 save_invstd=torch.empty(0, device=device))
            return flat

        self.assert_equal_to_cpu(normalised)

    def test_of_random_draws_may_have_gaps(self):
        for given in ((4, 6), (4, 1)):
            def drawn(device, given=given):
                torch.manual_seed(3)
                whole = torch.zeros(4, 12, device=device)
                torch.normal(torch.zeros(4, 6, device=device), torch.ones(given, device=device), out=whole[:, ::2])
                return whole

            self.assert_equal_to_cpu(drawn)

    def test_on_another_device_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "same device"):
            torch.addr(*(torch.ones(sizes, device="acpu") for sizes in ((2, 3), (2,), (3,))), out=torch.empty(2, 3))

class OperationsInPlace(KernelTest):
    def test_are_refused_where_the_result_does_not_fit(self):
        for name in ("logical_and_", "logical_or_", "logical_xor_", "ldexp_", "floor_divide_", "add_", "atan2_", "hypot_"):
            for first, second in (((), (2,)), ((1, 3), (2, 3))):
                self.assert_equal_to_cpu(
                    lambda _, x, y, name=name: getattr(x, name)(y), torch.ones(first), torch.ones(second))

    def test_by_out_arguments_are_refused_where_the_result_does_not_fit(self):
        self.assert_equal_to_cpu(lambda _, x, y: torch.logical_and(x, y, out=x), torch.ones(()), torch.ones(2))


class UndefinedResults(KernelTest):
    """Kernels leave out results that are not asked for, or that they have no use for."""

    def gradients(self, device, make_layer, x, loss):
        torch.manual_seed(0)
        layer = make_layer().to(device)
        loss(layer(x.to(device))).backward()
        return torch.cat([parameter.grad.flatten() for parameter in layer.parameters()]).cpu()

    def test_normalisations_whose_input_needs_no_gradient(self):
        for make_layer in (lambda: nn.BatchNorm2d(3), lambda: nn.InstanceNorm2d(3, affine=True),
                           lambda: nn.GroupNorm(3, 3), lambda: nn.LayerNorm((4, 4)), lambda: nn.Conv2d(3, 2, 2),
                           lambda: nn.Conv2d(3, 2, 2, bias=False)):
            x = torch.randn(2, 3, 4, 4, generator=torch.Generator().manual_seed(1))
            for loss in (torch.sum, lambda y: y.square().sum()):  # The first one's gradient is expanded.
                expected = self.gradients("cpu", make_layer, x, loss)
                torch.testing.assert_close(self.gradients("acpu", make_layer, x, loss), expected, rtol=1e-5, atol=1e-4)
                runahead.synchronize()

    def test_half_layer_norm_of_a_transposed_input(self):
        for dtype in (torch.float16, torch.bfloat16):
            for sizes in ((4, 6), (3, 4, 6)):
                x = counted(*sizes).to(dtype)
                self.assert_equal_to_cpu(lambda _, x: functional.layer_norm(x.transpose(-1, -2), (4,)), x)
                self.assert_equal_to_cpu(
                    lambda _, x: torch.native_layer_norm(x.transpose(-1, -2), (4,), None, None, 1e-5)[1], x)


class ComposedKernels(KernelTest):
    """Operators that LibTorch composes for every device although they read memory."""

    def test_that_prepare_quantised_weights(self):
        x = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))
        for use in (lambda x: torch.choose_qparams_optimized(x, 128, 200, 0.16, 8)[0], torch._saturate_weight_to_fp16,
                    lambda x: torch.fbgemm_linear_quantize_weight(x)[0]):
            self.assert_equal_to_cpu(lambda _, x, use=use: use(x), x)
        with self.assertRaisesRegex(NotImplementedError, "call it on cpu"):
            torch.fbgemm_pack_gemm_matrix_fp16(x.to("acpu"))

    def test_that_fill_a_range(self):
        self.assert_equal_to_cpu(lambda _, out: torch.ops.aten.range.out_(1, 3, out=out.clone()), torch.empty(3))


class DefaultDtype(unittest.TestCase):
    def tearDown(self):
        torch.set_default_dtype(torch.float32)

    def test_changes_once_the_calls_of_integers_before_have_run(self):
        x = torch.tensor([2, 3], device="acpu")
        torch.set_default_dtype(torch.bfloat16)
        opened, gate = Gate(), Gate()
        opened.opened.set()
        Gate.present = opened
        opened.ones()  # The first call of its kind waits.
        Gate.present = gate
        gate.ones()
        gate.reached.wait(PATIENCE_SECONDS)
        is_greater = x > 2.999
        powers = torch.exp(x, out=torch.zeros(2, dtype=torch.float32, device="acpu"))
        threading.Timer(0.2, gate.opened.set).start()
        torch.set_default_dtype(torch.float32)
        self.assertEqual((is_greater.tolist(), powers.tolist()), ([False, False], [7.375, 20.125]))


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

    def test_weights_with_a_norm_of_another_shape_each_time(self):
        torch.manual_seed(0)
        for channels in (4, 8, 16):
            layer = nn.utils.parametrizations.weight_norm(nn.Conv1d(channels, 2 * channels, 1)).half()
            self.assert_equal_to_cpu(lambda device, x, layer=layer: copy.deepcopy(layer).to(device)(x), torch.ones(1, channels, 5).half())

    def test_strides_beside_an_expanded_number(self):
        for use in (torch.mul, torch.add, torch.div, torch.ops.aten.tanh_backward, torch.ops.aten.sigmoid_backward):
            self.assert_equal_to_cpu(lambda _, x, y, use=use: use(y.expand(6, 5), x.t()), counted(5, 6).bfloat16(),
                                     torch.ones((), dtype=torch.bfloat16))


class Shapes(KernelTest):
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

if __name__ == "__main__":
    unittest.main()
