"""Where kernels of `acpu` give what those of `cpu` give though their arguments are unusual: numbers out of range,
results that are not defined or inputs too, lower precision, mixed formats, tensors of zeros without memory."""

import copy
import itertools
import threading
import unittest
import warnings

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from torch.testing._internal.logging_tensor import capture_logs_with_logging_tensor_mode

import runahead
from gate import PATIENCE_SECONDS, Gate
from on_both_devices import OnBothDevices, counted

FLOATS, HALVES = (torch.float16, torch.bfloat16, torch.float32), (torch.float16, torch.bfloat16)


class KernelTest(OnBothDevices):
    def setUp(self):
        super().setUp()
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # About results that are resized, and losses that broadcast.


class Numbers(KernelTest):
    def test_beyond_the_type_of_a_tensor(self):
        for dtypes, numbers, uses in (
                (FLOATS, (1e300, -1e300, float("inf"), float("nan"), 2 ** 63 - 1),
                 (lambda x, n: x * n, lambda x, n: x + n, lambda x, n: n - x, lambda x, n: x / n, lambda x, n: x.mul_(n),
                  lambda x, n: x < n, lambda x, n: x.clamp(max=n))),
                ((torch.uint8, torch.int32, torch.bool), (2 ** 40, -1, 300, 2.5, 1 + 2j, True),
                 (lambda x, n: x * n, lambda x, n: x + n, lambda x, n: x == n)),
                ((*FLOATS, torch.uint8, torch.int32), (1e300, 2 ** 40, -1),
                 (lambda x, n: x.fill_(n), lambda x, n: torch.full_like(x, n), lambda x, n: x.masked_fill(x == 1, n)))):
            for dtype, number in itertools.product(dtypes, numbers):
                self.assert_as_on_cpu(*uses, of=(torch.tensor([1, 0, 1]).to(dtype), number))

    def test_that_scale_are_refused_at_the_call(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.add(x, x, alpha=1e300), lambda x: torch.addmm(x, x, x, alpha=1e39),
            lambda x: torch.addcmul(x, x, x, value=1e300), of=(torch.ones(2, 2),))

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
                self.assert_as_on_cpu(lambda a, b: use(a, b, out=torch.empty_like(a, dtype=dtype)), of=numbers)

    def test_of_a_norm_may_have_any_size(self):
        for shape, dim, given in itertools.product(((), (3,), (2, 3)), (None, 0, -1), ((), (0,), (1,), (2,), (5, 5))):
            self.assert_as_on_cpu(lambda x: torch.linalg.vector_norm(x, dim=dim, out=x.new_empty(given)),
                                  of=(torch.ones(shape),))

    def test_that_are_an_input_too_may_have_another_size_than_the_result(self):
        def indices(x):
            return torch.empty(0, dtype=torch.long, device=x.device)

        self.assert_as_on_cpu(
            lambda x: torch.linalg.inv(x, out=x), lambda x: torch.linalg.cholesky(x, out=x),
            lambda x: torch.linalg.solve(x, x.clone(), out=x), lambda x: torch.linalg.qr(x, out=(x, x.new_empty(0))),
            lambda x: torch.var(x, 1, out=x), lambda x: torch.max(x, out=x), lambda x: torch.linalg.vector_norm(x, out=x),
            lambda x: torch.maximum(x, x[0, 0], out=x.view(-1)[:0]),
            lambda x: torch.mm(x, x, out=x[0, :1].clone().expand(5, 1)),
            lambda x: torch.mm(x[:1], x, out=x[0, :1].clone().expand(2)),
            lambda x: torch.cat([x, x], out=x[0, :1].clone().expand(8)),
            lambda x: torch.gather(x, 0, indices(x).expand(1, 1), out=x[:1, :1].expand(4, 1)),
            of=(torch.tensor([[4.0, 1.0], [1.0, 3.0]]),))
        row = torch.tensor([3.0, 1.0, 2.0])
        self.assert_as_on_cpu(
            lambda x: torch.sort(x, out=(x, indices(x))), lambda x: torch.topk(x, 2, out=(x, indices(x))),
            lambda x: torch.msort(x, out=x), lambda x: torch.histc(x, 2, 0, 3, out=x),
            lambda x: torch.sum(x, 0, out=x[:1].expand(2)),
            lambda x: torch.add(x[:0], x.view(1, 3)[:, :0], out=x[:0]), of=(row,))
        for use in (torch._C._nn.mse_loss, torch._C._nn.huber_loss, torch._C._nn.smooth_l1_loss):
            self.assert_as_on_cpu(lambda x: use(x, x * 2, 1, out=x.new_empty(0)),
                                  lambda x: use(x, x * 2, 1, out=x.new_empty(())), of=(row,))

    def test_that_share_memory_with_an_input_leave_other_changes_of_that_memory(self):
        def normalised(flat):
            x, mean, variance = flat[:16].view(4, 4), flat[40:44], flat[48:52]
            torch.ops.aten.native_batch_norm.out(x, None, None, mean, variance, True, 0.1, 1e-5, out=x,
                                                 save_mean=flat.new_empty(0), save_invstd=flat.new_empty(0))
            return flat

        self.assert_as_on_cpu(normalised, of=(counted(64),))

    def test_of_random_draws_may_have_gaps(self):
        def drawn(mean, deviation):
            whole = mean.new_zeros(4, 12)
            torch.normal(mean, deviation, out=whole[:, ::2])
            return whole

        for given in ((4, 6), (4, 1)):
            self.assert_as_on_cpu(drawn, of=(torch.zeros(4, 6), torch.ones(given)))

    def test_in_place_are_refused_where_the_result_does_not_fit(self):
        for name in ("logical_and_", "logical_or_", "logical_xor_", "ldexp_", "floor_divide_", "add_", "atan2_", "hypot_"):
            for first, second in (((), (2,)), ((1, 3), (2, 3))):
                self.assert_refused_as_on_cpu(lambda x, y: getattr(x, name)(y), lambda x, y: torch.logical_and(x, y, out=x),
                                              of=(torch.ones(first), torch.ones(second)))


class UndefinedResults(KernelTest):
    """Kernels leave out results that are not asked for, or that they have no use for."""

    def test_normalisations_whose_input_needs_no_gradient(self):
        torch.manual_seed(0)
        layers = (nn.BatchNorm2d(3), nn.InstanceNorm2d(3, affine=True), nn.GroupNorm(3, 3), nn.LayerNorm((4, 4)),
                  nn.Conv2d(3, 2, 2), nn.Conv2d(3, 2, 2, bias=False))
        losses = torch.sum, lambda y: y.square().sum()  # The gradient of the first one is expanded.
        for layer, loss in itertools.product(layers, losses):
            def gradients(x):
                placed = copy.deepcopy(layer).to(x.device)
                return torch.autograd.grad(loss(placed(x)), list(placed.parameters()))

            self.assert_as_on_cpu(gradients, of=(torch.randn(2, 3, 4, 4),))

    def test_half_layer_norm_of_a_transposed_input(self):
        for dtype, sizes in itertools.product(HALVES, ((4, 6), (3, 4, 6))):
            self.assert_as_on_cpu(lambda x: functional.layer_norm(x.transpose(-1, -2), (4,)),
                                  lambda x: torch.native_layer_norm(x.transpose(-1, -2), (4,), None, None, 1e-5)[1],
                                  of=(counted(*sizes).to(dtype),))


class ComposedKernels(KernelTest):
    """Operators that LibTorch composes for every device although they read memory or need a kernel that only cpu has,
    and those whose Meta kernel is wrong."""

    def test_are_those_of_cpu(self):
        x = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))
        self.assert_as_on_cpu(
            lambda x: torch.choose_qparams_optimized(x, 128, 200, 0.16, 8)[0], torch._saturate_weight_to_fp16,
            lambda x: torch.fbgemm_linear_quantize_weight(x)[0], lambda x: torch.ops.aten.range.out_(1, 3, out=x[0, :3]),
            lambda x: torch.mode(x, out=(x.new_empty(0), torch.empty(0, dtype=torch.int64, device=x.device))),
            lambda x: torch.complex(x, x).conj_physical_(), torch.ops.quantized.embedding_bag_byte_prepack,
            of=(x,), is_refused=False)
        with self.assertRaisesRegex(NotImplementedError, "call it on cpu"):
            torch.fbgemm_pack_gemm_matrix_fp16(x.to("acpu"))

    def test_of_quantiles_read_no_value_where_a_mode_sees_the_calls(self):
        x = torch.rand(5, device="acpu")
        for quantile in (torch.quantile, torch.nanquantile):
            with capture_logs_with_logging_tensor_mode() as calls:
                quantile(x, x)
            self.assertNotIn("_local_scalar_dense", str(calls))


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

    def test_gives_what_cpu_gives(self):
        self.assert_as_on_cpu(lambda x: torch._foreach_mul([x], 0.9), lambda x: torch._foreach_mul_([x], 0.9) or x,
                              of=((counted(400) / 37).bfloat16(),))
        for use in (torch.mul, torch.add, torch.div, torch.ops.aten.tanh_backward, torch.ops.aten.sigmoid_backward):
            self.assert_as_on_cpu(lambda x, y: use(y.expand(6, 5), x.t()),
                                  of=(counted(5, 6).bfloat16(), torch.ones((), dtype=torch.bfloat16)))

    def test_of_layers_of_another_shape_each_time(self):
        torch.manual_seed(0)
        layers = [(nn.LSTM(16, 32).bfloat16(), torch.randn(5, 6, 16).bfloat16())]
        for channels in (4, 8, 16):
            layer = nn.utils.parametrizations.weight_norm(nn.Conv1d(channels, 2 * channels, 1)).half()
            layers.append((layer, torch.ones(1, channels, 5).half()))
        for layer, x in layers:
            with torch.no_grad():
                self.assert_as_on_cpu(lambda x: copy.deepcopy(layer).to(x.device)(x), of=(x,), is_refused=False)


class Shapes(KernelTest):
    def test_of_mixed_formats_are_those_of_cpu(self):
        x, y = counted(5, 10, 5), counted(5, 10, 5).transpose(0, 2)
        for use in (torch.floor_divide, torch.ldexp, torch.logical_and, torch.add, torch.polar, torch.copysign, torch.rsub):
            self.assert_as_on_cpu(lambda x, y: use(x, y), lambda x, y: use(y, x), of=(x, y))
        losses = (functional.mse_loss, functional.smooth_l1_loss, functional.huber_loss)
        self.assert_as_on_cpu(*(lambda x, y, loss=loss: loss(x, y, reduction="none") for loss in losses),
                              of=(torch.ones(6, 1), counted(5, 6).t()))
        self.assert_as_on_cpu(lambda x, y: functional.binary_cross_entropy(x.t(), y, reduction="none"),
                              of=(torch.rand(5, 6), torch.rand(6, 5)))

    def test_of_expanded_tensors_that_kernels_cast(self):
        column, transposed = torch.ones(3, 4, 1, dtype=torch.int64), counted(3, 5, 4).transpose(1, 2)
        for x in (column, column.half()):
            self.assert_as_on_cpu(*(lambda x, y, use=use: use(x.expand(3, 4, 5), y) for use in (
                torch.add, torch.eq, torch.maximum, torch.pow, torch.xlogy, torch.atan2, torch.logical_and, torch.fmod,
                lambda x, y: torch.div(x, y.long() + 1), lambda x, y: torch.add(x, y, out=y.new_empty(0)),
                lambda x, y: torch.addcmul(y, x, y), lambda x, y: x * 1.5, lambda x, y: torch.sin(x))), of=(x, transposed))

    def test_of_elements_that_indices_and_masks_select(self):
        self.assert_as_on_cpu(
            lambda x, i: x[None, i], lambda x, i: x[:1, i], lambda x, i: x.unsqueeze(0)[:, i], lambda x, i: x[i],
            lambda x, i: x[i.expand(2, -1).t()], lambda x, i: x[i.outer(i).t()], lambda x, i: x[i.outer(i).t(), i[None]],
            *(lambda x, i, bound=bound: x[x > bound] for bound in (3, 9, 99)),
            *(lambda x, i, bound=bound: x.__setitem__(x > bound, 7) or x for bound in (3, 9, 99)),
            of=(counted(5, 4, 3).permute(2, 1, 0), torch.tensor([0, 2, 0])))
        for values in ([1, 2, 2], [1, 1, 1], [3, 2, 1]):
            self.assert_as_on_cpu(torch.unique, lambda x: torch.ops.aten._unique(x)[0], of=(torch.tensor(values),))

    def test_of_gradients_are_those_of_cpu(self):
        def gradient(loss):
            def compute(x, incoming):
                leaf = x.expand(4, 6).detach().requires_grad_()
                return torch.autograd.grad(loss(leaf), leaf, incoming)
            return compute

        for x in (torch.full((4, 6), 0.5), torch.full((1, 6), 0.5)):
            self.assert_as_on_cpu(
                gradient(lambda x: functional.binary_cross_entropy(x, torch.ones_like(x), reduction="none")),
                gradient(lambda x: functional.prelu(x, torch.full_like(x[0], 0.25))), of=(x, torch.ones(6, 4).t()))
        self.assert_as_on_cpu(lambda image, grid: torch.ops.aten.grid_sampler_2d_backward(
            image, image, grid, 0, 0, False, [True, False])[1], of=(torch.ones(1, 1, 4, 4), torch.zeros(1, 4, 4, 2)))

    def test_of_kernels_that_broadcast(self):
        vmap, grad, aten = torch.func.vmap, torch.func.grad, torch.ops.aten
        self.assert_as_on_cpu(
            lambda x, w, _: vmap(functional.prelu, (None, 0))(x, w),
            lambda x, w, _: vmap(grad(lambda w: functional.prelu(x, w).sum()))(w),
            lambda x, w, _: torch.func.jacrev(nn.PReLU(2).to(x.device))(x[None]),
            lambda x, _, y: aten.mse_loss_backward(y, x, y, 0), lambda x, _, y: aten.log_sigmoid_backward(x, y, y),
            of=(torch.tensor([-1.0, 2.0]), torch.tensor([0.1, 0.2, 0.3]), torch.ones(3, 2)))

    def test_of_results_whatever_was_called_before(self):
        zeros, aten = torch.zeros, torch.ops.aten

        def sums(a, b):
            return [torch.add(a, b, alpha=2), a + b, torch.sub(a, b, alpha=0.5), a - b]

        def given_results(x):
            names = "gelu", "hardshrink", "softshrink", "celu", "mish", "softplus"
            given = [getattr(aten, name).out(x, out=x.new_empty(0)) for name in names]
            return [*given, torch.where(x > 0, x, x, out=x.new_empty(0))]

        self.assert_as_on_cpu(sums, of=(zeros(5, 1, 4).transpose(0, 2), zeros(1, 3).t()))
        self.assert_as_on_cpu(given_results, of=(torch.ones(3, 4).t(),))

        self.assert_as_on_cpu(lambda x: functional.conv_transpose1d(x, x.new_zeros(3, 4, 2)),
                              lambda x: functional.conv1d(x, x.new_zeros(4, 3, 1)), of=(zeros(9, 1, 3).transpose(1, 2),))
        self.assert_as_on_cpu(lambda x: functional.max_pool1d(x, 2),
                              lambda x: functional.max_pool1d(x.requires_grad_(), 2).detach(),
                              of=(zeros(2, 9, 3).transpose(1, 2),))
        self.assert_as_on_cpu(lambda x: functional.adaptive_avg_pool2d(x.permute(0, 3, 1, 2), 2),
                              of=(zeros(2, 1, 1, 2, dtype=torch.float64),))

        def one_element(flat, gradient):
            x = flat.as_strided((2, 3, 1), (3, 1, 5)).requires_grad_()
            hardtanh = functional.hardtanh(x)
            return [functional.hardswish(x).detach(), torch.autograd.grad(hardtanh, x, torch.ones_like(hardtanh))[0],
                    functional.huber_loss(x.detach(), gradient, reduction="none")]

        self.assert_as_on_cpu(one_element, of=(zeros(12), torch.ones(2, 3, 1)))

        def contiguous_in_two_formats(flat):
            views = flat[:6].as_strided((2, 3, 1, 1), (3, 1, 3, 3)), flat.as_strided((2, 1, 4, 5), (20, 1, 5, 1))
            return [layer(x) for x in views for layer in (
                nn.BatchNorm2d(x.shape[1]).to(x.device).requires_grad_(False), lambda x: torch.where(x > 0, x, x),
                nn.BatchNorm2d(x.shape[1]).to(x.device).requires_grad_(False).eval(), lambda x: torch.where(x > 0, x, 0.0),
                lambda x: torch.where(x[:0] > 0, x[:0], 1))]

        self.assert_as_on_cpu(contiguous_in_two_formats, of=(zeros(40),))


class Attention(KernelTest):
    def test_of_negative_views(self):
        for dtype in (torch.float32, torch.float64):
            self.assert_as_on_cpu(lambda x: functional.scaled_dot_product_attention(*(torch._neg_view(part) for part in x)),
                                  of=(torch.randn(3, 1, 2, 3, 4, dtype=dtype),))

    def test_of_fake_tensors(self):
        with FakeTensorMode():
            x = torch.empty(1, 2, 3, 4, device="acpu")
            self.assertEqual(functional.scaled_dot_product_attention(x, x, x).shape, x.shape)


class ZeroTensors(KernelTest):
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
            return functional.scaled_dot_product_attention(zeros(x, 1, 2, 4), x.expand(1, 2, 4), x.expand(1, 2, 4))

        real, complex = (torch.ones((), dtype=dtype) for dtype in (torch.float32, torch.complex64))
        for uses, of in (((unary, lambda x: torch.view_as_complex(zeros(x)), attended), real), ((unary, views), complex)):
            self.assert_as_on_cpu(*uses, of=(of,), is_refused=False)
        self.addCleanup(runahead.configure, workers=1)
        runahead.configure(workers=0)  # Their memory is filled at once.
        self.assert_as_on_cpu(*[attended] * 10, of=(real,))

    def test_forward_mode_has_the_bits_of_the_cpu(self):
        torch.manual_seed(0)
        layer, x, tangent = nn.Conv2d(1, 1, 2), torch.randn(1, 1, 4, 4), torch.randn(1, 1, 4, 4)
        expected = torch.func.jvp(layer, (x,), (tangent,))[1]
        actual = torch.func.jvp(layer.to("acpu"), (x.to("acpu"),), (tangent.to("acpu"),))[1]
        self.assertTrue(torch.equal(actual.cpu(), expected))


if __name__ == "__main__":
    unittest.main()
