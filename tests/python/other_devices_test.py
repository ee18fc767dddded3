"""What `acpu` refuses because it is another device than `cpu` or CUDA, and what torch does otherwise because of it."""

import concurrent.futures
import multiprocessing.reduction
import unittest
import warnings

import torch
from torch import nn

import runahead

from refusals_test import RefusalTest


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
        parts = (torch.tensor([0, 1], device="acpu"), torch.tensor([0], device="acpu"), torch.ones(1, device="acpu"))
        for use in (self.x.to_sparse, matrix.to_sparse_csr, lambda: torch.eye(2).to_sparse().to("acpu"),
                    lambda: torch.eye(2).to_sparse_csr().to("acpu"), lambda: torch.eye(2).to_sparse_csc().to("acpu"),
                    lambda: torch.eye(2).to_sparse_bsr(1).to("acpu"), lambda: torch.eye(2).to_sparse_bsc(1).to("acpu"),
                    lambda: torch.sparse_csr_tensor(*parts, (1, 1)), lambda: torch.sparse_csc_tensor(*parts, (1, 1)),
                    lambda: torch.sparse_compressed_tensor(*parts, (1, 1), layout=torch.sparse_csr),
                    lambda: torch.empty(2, 2, layout=torch.sparse_csr, device="acpu"),
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

    def test_named_tensors(self):
        x = torch.ones(2, 3, names=("N", "C"), device="acpu")
        self.assert_refused("named dimensions", x.exp, lambda: x + 1, lambda: x.sum("N"), lambda: x.cumsum(1), x.relu,
                            lambda: torch.cat([x, x]))
        self.assertEqual(x.rename(None).exp().names, (None, None))
        self.assertEqual((x.cpu().names, x.rename("A", "B").names, x.names), (("N", "C"), ("A", "B"), ("N", "C")))

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

    def test_tensors_in_queues_between_processes_raise_at_the_receiver(self):
        queue = multiprocessing.Queue()
        queue.put([self.x])
        self.assert_refused("acpu can't share", lambda: queue.get(timeout=60))
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            self.assert_refused("acpu can't share", lambda: pool.submit(print, self.x).result())
            self.assertEqual(pool.submit(abs, -1).result(), 1)


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

    def test_traces_compute_with_what_they_are_called_with(self):
        first, second = torch.randn(2, 1, 3, 8, 8, device="acpu")
        for layer in (nn.Conv2d(3, 3, 3, padding=1), nn.ConvTranspose2d(3, 3, 1), nn.Sequential(nn.Flatten(2), nn.Conv1d(3, 3, 1))):
            layer.to("acpu")
            for is_recording in (True, False):
                with torch.set_grad_enabled(is_recording):
                    self.assertTrue(torch.equal(torch.jit.trace(layer, first)(second), layer(second)))

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
