"""What `acpu` refuses at the call, with the errors of torch's other devices, and what it does not refuse."""

import multiprocessing.reduction
import re
import unittest
import warnings

import torch
from torch import nn

import runahead


class RefusalTest(unittest.TestCase):
    def setUp(self):
        self.x = torch.arange(3.0, device="acpu")

    def tearDown(self):
        runahead.synchronize()  # Nothing comes after the call.

    def assert_refused_as_on_cpu(self, *uses):
        """Each `use(x)` raises on acpu, at the call, what it raises on cpu."""
        for number, use in enumerate(uses):
            with self.subTest(use=number):
                with self.assertRaises(Exception) as expected:
                    use(self.x.cpu())
                sentence = re.escape(str(expected.exception).split("\n")[0])
                for _ in range(2):
                    with self.assertRaisesRegex(type(expected.exception), sentence):
                        use(self.x)


class Numbers(RefusalTest):
    def test_out_of_the_range_of_a_distribution(self):
        self.assert_refused_as_on_cpu(
            lambda x: x.uniform_(3, 1), lambda x: x.random_(5, 2), lambda x: x.random_(0),
            lambda x: x.normal_(0, -1), lambda x: x.exponential_(-1), lambda x: x.bernoulli_(2),
            lambda x: x.geometric_(2), lambda x: x.log_normal_(0, -1), lambda x: x.cauchy_(0, -1))

    def test_of_no_meaning(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.arange(0, 3, 0, device=x.device), lambda x: torch.arange(0, 3, -1, device=x.device),
            lambda x: torch.linspace(0, 1, -1, device=x.device), lambda x: torch.eye(-1, device=x.device),
            lambda x: torch.full((-1,), 1, device=x.device), lambda x: x.repeat(-1),
            lambda x: nn.functional.dropout(x, 2.0))


class Types(RefusalTest):
    def test_that_an_operator_does_not_take(self):
        self.assert_refused_as_on_cpu(
            lambda x: x & 1, lambda x: x << 1, lambda x: (x > 0) - (x > 0), lambda x: -(x > 0),
            lambda x: x.to(torch.complex64) < 1, lambda x: x.int().div_(2), lambda x: x.int().add_(0.5),
            lambda x: x.int().mean(), lambda x: x.to(torch.complex64).floor(), lambda x: x.int().softmax(0))

    def test_that_only_empty_tensors_may_have(self):
        torch.linalg.svdvals(torch.empty(0, 3, dtype=torch.half, device="acpu"))
        self.assert_refused_as_on_cpu(lambda x: torch.linalg.svdvals(x.half().outer(x.half())),
                                      lambda x: torch.linalg.matrix_norm(x.bfloat16().outer(x.bfloat16()), "nuc"))

    def test_that_only_one_way_of_an_operator_takes(self):
        images, kernel = torch.ones(1, 1, 5, 5, device="acpu"), torch.ones(1, 1, 2, 2, device="acpu")
        nn.functional.conv2d(images.int(), kernel.int())
        torch.pdist(torch.ones(1, 3, device="acpu").half())
        x, places = self.x.to(torch.complex64), torch.zeros(3, dtype=torch.long, device="acpu")
        x.scatter_reduce(0, places, x, "sum")
        torch.cumsum(self.x[0] > 0, 0, dtype=torch.bool)
        self.assert_refused_as_on_cpu(
            lambda x: nn.functional.conv2d(images.to(x.device).int(), kernel.to(x.device).int(), dilation=2),
            lambda x: nn.functional.conv2d(images.to(x.device), kernel.to(x.device), dilation=-1),
            lambda x: nn.functional.conv3d(x.expand(1, 1, 4, 4, 3), x.expand(1, 1, 2, 2, 3), padding=-1),
            lambda x: torch.pdist(torch.ones(2, 3, device=x.device).half()),
            lambda x: x.to(torch.complex64).scatter_reduce(0, places.to(x.device), x.to(torch.complex64), "amin"),
            lambda x: torch.cumsum(x > 0, 0, dtype=torch.bool))

    def test_of_given_results(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.aminmax(x, out=(x.double(), x.clone())), lambda x: torch.sort(x, out=(x.double(), x.long())),
            lambda x: torch.linalg.solve_triangular(x.outer(x), x[:, None], upper=True, out=x.int()),
            lambda x: torch.all(x, out=x.long()), lambda x: torch.index_select(x, 0, x.long(), out=x.double()))

    def test_of_random_draws(self):
        torch.empty(0, dtype=torch.complex64, device="acpu").bernoulli_(0.5)
        self.assert_refused_as_on_cpu(
            lambda x: x.to(torch.complex64).bernoulli_(0.5), lambda x: x.bernoulli_((x > 0).long()),
            lambda x: nn.functional.dropout(x.to(torch.complex64)),
            lambda x: torch.multinomial(x, 0), lambda x: torch.multinomial(x, 4),
            lambda x: torch.multinomial(x.expand(2, 1, 3), 1), lambda x: torch.multinomial(x, 1, out=x.double()))

    def test_of_masks_and_indices(self):
        self.assert_refused_as_on_cpu(
            lambda x: x.masked_fill_(x, 1), lambda x: x.masked_select(x), lambda x: x[x],
            lambda x: x.gather(0, x), lambda x: x.index_select(0, x), lambda x: x.scatter(0, x, x),
            lambda x: torch.where(x, x, x))

    def test_that_are_mixed(self):
        self.assert_refused_as_on_cpu(
            lambda x: nn.functional.nll_loss(x[None], torch.tensor([0], device=x.device), x.half()),
            lambda x: torch.addbmm(x[None], x[None, :, None], x.half()[None, None]),
            lambda x: torch.dot(x, x.double()), lambda x: nn.functional.linear(x, x.bfloat16()[None]))

    def test_of_matrices(self):
        self.assert_refused_as_on_cpu(
            lambda x: x.view(3, 1) @ x.int().view(1, 3), lambda x: torch.linalg.inv(x.int().view(1, 3).t() * x.int()),
            lambda x: torch.linalg.qr(x.half().view(3, 1)))


class Shapes(RefusalTest):
    def test_that_do_not_fit(self):
        self.assert_refused_as_on_cpu(
            lambda x: x + x[:2], lambda x: x @ x[:2], lambda x: x.view(2, 2), lambda x: x.expand(4),
            lambda x: torch.cat([x, x.view(1, 3)]), lambda x: torch.stack([x, x[:2]]),
            lambda x: x.masked_fill_(x[:2] > 0, 1), lambda x: x.masked_select(x[:2] > 0),
            lambda x: x.copy_(x.new_zeros(4)), lambda x: nn.functional.linear(x, x.new_zeros(2, 2)))

    def test_that_only_kernels_look_at(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.zeros(5, 0, device=x.device).max(), lambda x: torch.median(x.view(1, 3)[:, :0], 1),
            lambda x: torch.mode(x[:0]), lambda x: torch.mode(x.new_zeros(0, 0), 1), lambda x: torch.median(x.new_zeros(0, 0), 0),
            lambda x: torch.rsub(x, x > 0), lambda x: nn.functional.conv1d(x.view(3, 1, 1), x[:2].view(1, 1, 2), stride=2), lambda x: torch.nanmedian(x[:0], 0), lambda x: torch.bucketize(x, x[None]),
            lambda x: torch.searchsorted(x[None].expand(2, 3), x[None].expand(3, 3)),
            lambda x: torch.addbmm(x.expand(2, 3), x.expand(1, 2, 3), x.double().expand(1, 3, 3)),
            lambda x: torch.channel_shuffle(x.expand(1, 4, 3), -2), lambda x: nn.functional.huber_loss(x, x, delta=-1.0),
            lambda x: nn.functional.unfold(x.expand(1, 1, 3, 3), 2, padding=-1),
            lambda x: x.index_fill(0, torch.tensor([0], dtype=torch.int32, device=x.device), x.sum()),
            lambda x: nn.functional.grid_sample(x.expand(1, 1, 3, 3), torch.zeros(1, 3, 3, 2, dtype=torch.int64, device=x.device)))

    def test_that_callers_ask_to_be_checked(self):
        self.assert_refused_as_on_cpu(
            lambda x: torch.linalg.cholesky_ex(-torch.eye(3, device=x.device), check_errors=True),
            lambda x: torch.linalg.inv_ex(x.outer(x), check_errors=True),
            lambda x: torch.linalg.solve_ex(x.outer(x), x, check_errors=True),
            lambda x: torch.linalg.eig(x.outer(x) / 0))

    def test_of_normalised_dimensions(self):
        self.assert_refused_as_on_cpu(lambda x: nn.functional.layer_norm(x, ()))

    def test_of_indices_stay_index_errors(self):
        for use in (lambda x: x[7], lambda x: x[0, 0], lambda x: x.select(0, 9), lambda x: x.sum(4), lambda x: x.softmax(3),
                    lambda x: x.unsqueeze(7), lambda x: x[x[:2] > 0], lambda x: x.transpose(0, 2), lambda x: x.sort(3),
                    lambda x: x.index_select(1, torch.tensor([0], device=x.device)), lambda x: x.cumsum(2)):
            with self.subTest(use), self.assertRaises(IndexError):
                use(self.x)
            self.assert_refused_as_on_cpu(use)


class Overlaps(RefusalTest):
    def test_of_what_is_read_and_written(self):
        self.assert_refused_as_on_cpu(
            lambda x: x[1:].add_(x[:2]), lambda x: x[:1].expand(3).add_(1), lambda x: x[:1].expand(3).copy_(x),
            lambda x: torch.add(x[:2], 1, out=x[1:]),
            lambda x: torch.cat([x[:1], x[1:2]], out=x[1:]), lambda x: torch.take(x, x.long(), out=x),
            lambda x: (lambda y: torch.index_select(y, 0, x.long(), out=y))(x.repeat(2)[::2]),
            lambda x: torch.gather(x, 0, x.long(), out=x),
            lambda x: (lambda y: y.copy_(y[0]))(x.new_zeros(2, 3)))
        self.assertEqual(self.x.tolist(), [0, 1, 2])


    def test_where_there_is_none_nothing_waits(self):
        whole, mask = torch.ones(4, 6, device="acpu"), torch.ones(4, 6, device="acpu") > 0
        left, right = whole.chunk(2, 1)
        uses = (lambda: left.mul_(right), lambda: left.sub_(right), lambda: left.copy_(right), lambda: left.mul_(left),
                lambda: torch.sigmoid(left, out=right), lambda: torch.mul(right, left, out=left),
                lambda: torch.where(mask, left.new_zeros(4, 6), whole, out=whole), lambda: torch.where(mask, whole, whole, out=whole))
        for number, use in enumerate(uses):
            with self.subTest(use=number):
                use()
                runahead.reset_peaks()
                use()
                self.assertEqual(runahead.blocking_operators(), {})


class MixedDevices(RefusalTest):
    def setUp(self):
        super().setUp()
        self.host = torch.ones(3)

    def test_are_refused(self):
        for number, use in enumerate([lambda x, h: x + h, lambda x, h: x.add_(h), lambda x, h: h.add_(x), lambda x, h: h + x,
                    lambda x, h: x.view(1, 3) @ h, lambda x, h: x.view(1, 3) @ h.view(3, 1), lambda x, h: torch.cat([x, h]),
                    lambda x, h: torch.stack([h, x]), lambda x, h: nn.functional.linear(x, h.view(1, 3)),
                    lambda x, h: torch.where(x > 0, x, h), lambda x, h: torch.where(h > 0, x, x),
                    lambda x, h: x.masked_fill(h > 0, 1), lambda x, h: x.gather(0, h.long()),
                    lambda x, h: x.index_select(0, h.long()), lambda x, h: torch.add(x, x, out=h),
                    lambda x, h: nn.functional.mse_loss(x, h), lambda x, h: torch.addcmul(x, x, h),
                    lambda x, h: nn.functional.embedding(h.long(), x.view(3, 1)), lambda x, h: torch.equal(x, h),
                    lambda x, h: x.lerp(h, 0.5), lambda x, h: torch.maximum(h, x)]):
            with self.subTest(use=number), self.assertRaisesRegex(RuntimeError, "same device|acpu.*cpu|cpu.*acpu"):
                use(self.x, self.host)

    def test_layers_on_another_device_are_refused(self):
        for layer, sizes in ((nn.Linear(4, 2), (3, 4)), (nn.Conv2d(4, 2, 1), (1, 4, 2, 2)), (nn.BatchNorm1d(4), (3, 4)),
                             (nn.LayerNorm(4), (3, 4)), (nn.LSTM(4, 2), (3, 1, 4)), (nn.PReLU(4), (3, 4))):
            with self.assertRaises(RuntimeError):
                layer(torch.zeros(sizes, device="acpu"))
            with self.assertRaises(RuntimeError):
                layer.to("acpu")(torch.zeros(sizes))

    def test_what_cuda_takes_is_taken(self):
        x, number = self.x, torch.tensor(2.0)
        self.assertEqual((x + number).tolist(), [2, 3, 4])
        self.assertEqual((number * x).tolist(), [0, 2, 4])
        self.assertEqual(x.clone().mul_(number).tolist(), [0, 2, 4])
        self.assertEqual(torch.where(x > 0, x, number).tolist(), [2, 1, 2])
        self.assertEqual(x.masked_fill(x > 0, number).tolist(), [0, 2, 2])
        self.assertEqual(x[torch.tensor([2, 0])].tolist(), [2, 0])
        self.assertEqual(x[self.host > 0].tolist(), [0, 1, 2])
        self.assertEqual(x.clone().index_put_((torch.tensor([1]),), torch.tensor(5.0)).tolist(), [0, 5, 2])
        self.assertEqual([part.tolist() for part in x.tensor_split(torch.tensor([1]))], [[0], [1, 2]])
        self.assertEqual(x.clone().copy_(self.host).tolist(), [1] * 3)
        self.assertEqual(self.host.copy_(x).tolist(), [0, 1, 2])
        packed = nn.utils.rnn.pack_padded_sequence(x.view(3, 1, 1), torch.tensor([2]))
        self.assertEqual(packed.data.flatten().tolist(), [0, 1])


class OtherLayouts(RefusalTest):
    def assert_refused(self, use):
        with self.subTest(use), warnings.catch_warnings(), \
                self.assertRaisesRegex((RuntimeError, NotImplementedError), "acpu has strided tensors only.*cpu"):
            warnings.simplefilter("ignore")  # Such layouts are prototypes.
            use()

    def test_sparse_tensors(self):
        matrix = torch.eye(2, device="acpu")
        indices = torch.tensor([[0]], device="acpu")
        for use in (self.x.to_sparse, matrix.to_sparse_csr, lambda: torch.eye(2).to_sparse().to("acpu"),
                    lambda: torch.sparse_coo_tensor(indices, torch.ones(1, device="acpu"), (3,)),
                    lambda: torch.empty(2, 2, layout=torch.sparse_coo, device="acpu"),
                    lambda: nn.functional.embedding(indices, matrix.requires_grad_(), sparse=True).sum().backward()):
            self.assert_refused(use)

    def test_quantised_tensors(self):
        self.assert_refused(lambda: torch.quantize_per_tensor(self.x, 0.1, 0, torch.qint8))

    def test_nested_tensors(self):
        part = torch.ones(3, 2, device="acpu", requires_grad=True)
        on_cpu = torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)])
        for use in (lambda: torch.nested.as_nested_tensor([part, part]),
                    lambda: torch.nested.as_nested_tensor([part.detach(), part.detach()]),
                    lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="acpu"),
                    lambda: on_cpu.to("acpu")):
            self.assert_refused(use)


class Devices(RefusalTest):
    def test_that_are_not_there(self):
        for use in (lambda: torch.empty(2, device="acpu:1"), lambda: torch.randn(2, device="acpu:7"),
                    lambda: torch.tensor([1.0], device="acpu:1"), lambda: torch.ones(2).to("acpu:1"),
                    lambda: self.x.to("acpu:1"), lambda: torch.ones(2).acpu(1), lambda: torch.Generator("acpu:1"),
                    lambda: torch.empty_strided((2,), (1,), device="acpu:1"), lambda: nn.Linear(2, 2, device="acpu:1"),
                    lambda: torch.Stream("acpu:1"), lambda: torch.UntypedStorage(4, device="acpu:1")):
            with self.subTest(use), self.assertRaisesRegex(RuntimeError, "there is one device, acpu:0, but found acpu:"):
                use()

    def test_the_one_has_two_names(self):
        self.assertEqual(torch.ones(2, device="acpu:0").device, torch.ones(2, device="acpu").device)


class PlannedForLater(RefusalTest):
    def assert_refused(self, text, *uses):
        for use in uses:
            with self.subTest(use), self.assertRaisesRegex(NotImplementedError, text):
                use()

    def test_dlpack(self):
        self.assert_refused("acpu has no DLPack.*tensor.cpu", lambda: torch.utils.dlpack.to_dlpack(self.x),
                            lambda: torch.to_dlpack(self.x), lambda: torch.from_dlpack(self.x), self.x.__dlpack__)
        self.assertEqual(torch.from_dlpack(torch.ones(2)).tolist(), [1, 1])

    def test_the_profiler(self):
        on_acpu = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.PrivateUse1]
        self.assert_refused("profiler has no times of acpu", lambda: torch.autograd.profiler.profile(use_device="acpu"),
                            lambda: torch.profiler.profile(activities=on_acpu).start())
        with torch.profiler.profile(activities=on_acpu[:1]) as profiled:
            (self.x + 1).cpu()
        self.assertIn("aten::add", {event.key for event in profiled.key_averages()})
        with torch.profiler.profile() as profiled:
            self.x + 1
        self.assertIn("aten::add", {event.key for event in profiled.key_averages()})

    def test_tensors_shared_with_another_process(self):
        for shared in (self.x, self.x.untyped_storage(), nn.Parameter(self.x)):
            self.assert_refused("acpu can't share", lambda: multiprocessing.reduction.ForkingPickler.dumps(shared))


class Warnings(RefusalTest):
    def assert_warns_as_on_cpu(self, use):
        seen = []
        for x in (self.x.cpu(), self.x):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                use(x)
                runahead.synchronize()
            seen.append([(warning.category, str(warning.message)[:40]) for warning in caught])
        self.assertTrue(seen[0])
        self.assertEqual(seen[1], seen[0])

    def test_of_kernels_are_pythons(self):
        for use in (lambda x: torch.add(x, x, out=x.new_zeros(2)), lambda x: torch.mul(x, x, out=x.new_zeros(2)),
                    lambda x: torch.mm(x.view(3, 1), x.view(1, 3), out=x.new_zeros(2)),
                    lambda x: nn.functional.mse_loss(x.view(3, 1), x), lambda x: x[:1].std(), lambda x: x[(x > 0).byte()]):
            for call in range(2):
                with self.subTest(use, call=call):
                    self.assert_warns_as_on_cpu(use)


class TorchsOwnWays(RefusalTest):
    """Parts of torch that look for devices, and must not be led astray."""

    def test_data_parallel_modules_run_where_they_are(self):
        module = nn.Linear(2, 2)
        x = torch.ones(1, 2)
        expected = module(x)
        self.assertTrue(torch.equal(nn.DataParallel(module)(x), expected))
        torch.testing.assert_close(nn.DataParallel(module.to("acpu"))(x.to("acpu")).cpu(), expected)

    def test_scripts_assign_by_masks(self):
        @torch.jit.script
        def f(x):
            x[x < 50] = 1.0
            return x

        for _ in range(3):
            self.assertEqual(f(torch.arange(0, 100, 25.0, device="acpu")).tolist(), [1, 1, 50, 75])

    def test_deterministic_algorithms_alone_are_used_if_asked_for(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        with self.assertRaisesRegex(RuntimeError, "put_ does not have a deterministic implementation"):
            self.x.put_(torch.tensor([0, 1], device="acpu"), torch.ones(2, device="acpu"))

    def test_deterministic_algorithms_fill_what_is_not_written(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        self.assertTrue(torch.empty(3, device="acpu").isnan().all().item())
        self.assertTrue(torch.empty_strided((3,), (1,), device="acpu").isnan().all().item())
        self.assertEqual(torch.empty(2, dtype=torch.int32, device="acpu").tolist(), [torch.iinfo(torch.int32).max] * 2)
        self.assertTrue(self.x.clone().resize_(5)[3:].isnan().all().item())


if __name__ == "__main__":
    unittest.main()
