"""What `acpu` refuses because it is another device than `cpu` or CUDA, and what torch does otherwise because of it, with symbolic sizes too."""

import concurrent.futures
import json
import multiprocessing.reduction
import pathlib
import tempfile
import unittest
import warnings

import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

import runahead


class DeviceTest(unittest.TestCase):
    def setUp(self):
        self.x, self.host = torch.arange(3.0, device="acpu"), torch.ones(3)

    def tearDown(self):
        runahead.synchronize()  # Nothing comes after the call.


class Refusals(DeviceTest):
    def assert_refused(self, error, words, *uses):
        for number, use in enumerate(uses):
            with self.subTest(use=number), warnings.catch_warnings(), self.assertRaisesRegex(error, words):
                warnings.simplefilter("ignore")  # Other layouts are prototypes.
                use()

    def test_of_mixed_devices(self):
        x, h = self.x, self.host
        self.assert_refused(
            RuntimeError, "same device|acpu.*cpu|cpu.*acpu",
            lambda: x + h, lambda: x.add_(h), lambda: h.add_(x), lambda: h + x,
            lambda: x.view(1, 3) @ h, lambda: x.view(1, 3) @ h.view(3, 1), lambda: torch.cat([x, h]),
            lambda: torch.stack([h, x]), lambda: nn.functional.linear(x, h.view(1, 3)),
            lambda: torch.where(x > 0, x, h), lambda: torch.where(h > 0, x, x),
            lambda: x.masked_fill(h > 0, 1), lambda: x.gather(0, h.long()),
            lambda: x.index_select(0, h.long()), lambda: torch.add(x, x, out=h),
            lambda: nn.functional.mse_loss(x, h), lambda: torch.addcmul(x, x, h),
            lambda: nn.functional.embedding(h.long(), x.view(3, 1)), lambda: torch.equal(x, h),
            lambda: x.lerp(h, 0.5), lambda: torch.maximum(h, x),
            lambda: torch.addr(x[:2], x[:2], x[:2], out=h))

    def test_of_other_layouts(self):
        matrix, indices = torch.eye(2, device="acpu"), torch.tensor([[0]], device="acpu")
        parts = (torch.tensor([0, 1], device="acpu"), torch.tensor([0], device="acpu"), torch.ones(1, device="acpu"))
        part = torch.ones(3, 2, device="acpu", requires_grad=True)
        self.assert_refused(
            (RuntimeError, NotImplementedError), "acpu has strided tensors only.*cpu",
            self.x.to_sparse, matrix.to_sparse_csr, lambda: torch.eye(2).to_sparse().to("acpu"),
            lambda: torch.eye(2).to_sparse_csr().to("acpu"), lambda: torch.eye(2).to_sparse_csc().to("acpu"),
            lambda: torch.eye(2).to_sparse_bsr(1).to("acpu"), lambda: torch.eye(2).to_sparse_bsc(1).to("acpu"),
            lambda: torch.sparse_csr_tensor(*parts, (1, 1)), lambda: torch.sparse_csc_tensor(*parts, (1, 1)),
            lambda: torch.sparse_compressed_tensor(*parts, (1, 1), layout=torch.sparse_csr),
            lambda: torch.empty(2, 2, layout=torch.sparse_csr, device="acpu"),
            lambda: torch.sparse_coo_tensor(indices, torch.ones(1, device="acpu"), (3,)),
            lambda: torch.empty(2, 2, layout=torch.sparse_coo, device="acpu"),
            lambda: nn.functional.embedding(indices, matrix.requires_grad_(), sparse=True).sum().backward(),
            lambda: torch.quantize_per_tensor(self.x, 0.1, 0, torch.qint8),
            lambda: torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)]).to("acpu"))

    def test_of_nested_tensors_with_strided_layout(self):
        part = torch.ones(3, 2, device="acpu", requires_grad=True)
        heads = torch.nested.nested_tensor([torch.ones(3, 2, 4), torch.ones(5, 2, 4)], layout=torch.jagged, device="acpu").transpose(1, 2)
        self.assert_refused(
            RuntimeError, "acpu has no nested tensors with strided layout.*cpu",
            lambda: torch.nested.as_nested_tensor([part, part]),
            lambda: torch.nested.as_nested_tensor([part.detach(), part.detach()]),
            lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device="acpu"),
            lambda: nn.functional.scaled_dot_product_attention(heads, heads, heads),
            lambda: nn.functional.scaled_dot_product_attention(heads.detach().requires_grad_(), heads, heads))
        self.assertEqual((heads * 2).sum().item(), 128)  # Jagged ones work.

    def test_of_devices_that_are_not_there(self):
        self.assert_refused(
            RuntimeError, "there is one device, acpu:0, but found acpu:",
            lambda: torch.empty(2, device="acpu:1"), lambda: torch.randn(2, device="acpu:7"),
            lambda: torch.tensor([1.0], device="acpu:1"), lambda: torch.ones(2).to("acpu:1"),
            lambda: self.x.to("acpu:1"), lambda: torch.ones(2).acpu(1), lambda: torch.Generator("acpu:1"),
            lambda: torch.empty_strided((2,), (1,), device="acpu:1"), lambda: nn.Linear(2, 2, device="acpu:1"),
            lambda: torch.Stream("acpu:1"), lambda: torch.UntypedStorage(4, device="acpu:1"))
        self.assertEqual(torch.ones(2, device="acpu:0").device, torch.ones(2, device="acpu").device)

    def test_of_a_generator_of_another_device(self):
        self.assert_refused(RuntimeError, "generator of device acpu|device type",
                            lambda: self.x.normal_(generator=torch.Generator()))

    def test_of_dlpack(self):
        self.assert_refused(
            NotImplementedError, "acpu has no DLPack.*tensor.cpu", lambda: torch.utils.dlpack.to_dlpack(self.x),
            lambda: torch.to_dlpack(self.x), lambda: torch.from_dlpack(self.x), self.x.__dlpack__)
        self.assertEqual(torch.from_dlpack(torch.ones(2)).tolist(), [1, 1])

    def test_of_named_tensors(self):
        x = torch.ones(2, 3, names=("N", "C"), device="acpu")
        self.assert_refused(NotImplementedError, "named dimensions", x.exp, lambda: x + 1, lambda: x.sum("N"),
                            lambda: x.cumsum(1), x.relu, lambda: torch.cat([x, x]))
        self.assertEqual(x.rename(None).exp().names, (None, None))
        self.assertEqual((x.cpu().names, x.rename("A", "B").names, x.names), (("N", "C"), ("A", "B"), ("N", "C")))

    def test_of_the_profiler(self):
        on_acpu = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.PrivateUse1]
        self.assert_refused(
            NotImplementedError, r"has no times of acpu: leave .*PrivateUse1 .*; runahead.recording\(folder\) writes a trace.json", lambda: torch.autograd.profiler.profile(use_device="acpu"),
            lambda: torch.profiler.profile(activities=on_acpu).start())
        for activities in (on_acpu[:1], None):
            with torch.profiler.profile(activities=activities) as profiled:
                (self.x + 1).cpu()
            self.assertIn("aten::add", {event.key for event in profiled.key_averages()})
        with tempfile.TemporaryDirectory() as folder:  # What the refusal recommends.
            with runahead.recording(f"{folder}/run"):
                self.x + 1
            trace = json.loads(pathlib.Path(folder, "run", "trace.json").read_text())
        self.assertIn("aten::add.Tensor", {event["name"] for event in trace["traceEvents"] if event["ph"] == "X"})

    def test_of_tensors_shared_with_another_process(self):
        queue = multiprocessing.Queue()
        queue.put([self.x])
        pickler = multiprocessing.reduction.ForkingPickler
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            self.assert_refused(
                NotImplementedError, "acpu can't share", lambda: pickler.dumps(self.x),
                lambda: pickler.dumps(self.x.untyped_storage()), lambda: pickler.dumps(nn.Parameter(self.x)),
                lambda: queue.get(timeout=60), lambda: pool.submit(print, self.x).result())
            self.assertEqual(pool.submit(abs, -1).result(), 1)


class MixedDevices(DeviceTest):
    def test_what_cuda_takes_is_taken(self):
        x, number, host = self.x, torch.tensor(2.0), self.host
        packed = nn.utils.rnn.pack_padded_sequence(x.view(3, 1, 1), torch.tensor([2]))
        for found, expected in (
                (x + number, [2, 3, 4]), (number * x, [0, 2, 4]), (x.clone().mul_(number), [0, 2, 4]),
                (torch.where(x > 0, x, number), [2, 1, 2]), (x.masked_fill(x > 0, number), [0, 2, 2]),
                (x[torch.tensor([2, 0])], [2, 0]), (x[host > 0], [0, 1, 2]), (packed.data.flatten(), [0, 1]),
                (x.clone().index_put_((torch.tensor([1]),), torch.tensor(5.0)), [0, 5, 2]),
                (x.tensor_split(torch.tensor([1]))[1], [1, 2]), (x.clone().copy_(host), [1] * 3),
                (host.copy_(x), [0, 1, 2])):
            self.assertEqual(found.tolist(), expected)


class Warnings(DeviceTest):
    def test_of_kernels_are_pythons(self):
        def caught(use, x):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                use(x)
                runahead.synchronize()
            return [(warning.category, str(warning.message)[:40]) for warning in found]

        for use in (lambda x: torch.add(x, x, out=x.new_zeros(2)),
                    lambda x: torch.hypot(x, x, out=x.new_zeros([])), lambda x: torch.mul(x, x, out=x.new_zeros(2)),
                    lambda x: torch.mm(x.view(3, 1), x.view(1, 3), out=x.new_zeros(2)),
                    lambda x: nn.functional.mse_loss(x.view(3, 1), x), lambda x: x[:1].std(), lambda x: x[(x > 0).byte()]):
            expected = caught(use, self.x.cpu())
            self.assertTrue(expected)
            self.assertEqual([caught(use, self.x) for _ in range(2)], [expected] * 2)


class TorchsOwnWays(DeviceTest):
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

    def test_compiled_modules_train_as_the_module_does_unless_code_is_generated(self):
        batches = torch.randn(3, 2, 4, 8, device="acpu")

        def losses(backend):
            torch.compiler.reset()
            torch.manual_seed(1)
            module = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).to("acpu")
            compiled = torch.compile(module, backend=backend) if backend else module
            optimizer = torch.optim.SGD(module.parameters(), 0.1)
            found = []
            for batch in batches:
                optimizer.zero_grad()
                loss = compiled(batch).square().mean()
                loss.backward()
                optimizer.step()
                found.append(loss.item())
            return found

        self.assertEqual(losses("aot_eager"), losses(None))
        with self.assertRaisesRegex(RuntimeError, "Inductor generates no code for acpu: use"):
            losses("inductor")
        for made_inside in (lambda: torch.ones(3, device="acpu") + 1, lambda x: (x.to("acpu") + 1).cpu()):
            arguments = [torch.ones(2)] * made_inside.__code__.co_argcount
            with self.assertRaisesRegex(RuntimeError, "Inductor generates no code for acpu: use"):
                torch.compile(made_inside)(*arguments)

    def test_deterministic_algorithms_alone_are_used_and_memory_is_filled_if_asked_for(self):
        torch.use_deterministic_algorithms(True)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        with self.assertRaisesRegex(RuntimeError, "put_ does not have a deterministic implementation"):
            self.x.put_(torch.tensor([0, 1], device="acpu"), torch.ones(2, device="acpu"))
        # And what is not written is filled.
        self.assertTrue(torch.empty(3, device="acpu").isnan().all().item())
        self.assertTrue(torch.empty_strided((3,), (1,), device="acpu").isnan().all().item())
        self.assertEqual(torch.empty(2, dtype=torch.int32, device="acpu").tolist(), [torch.iinfo(torch.int32).max] * 2)
        self.assertTrue(self.x.clone().resize_(5)[3:].isnan().all().item())


LSTM_OPTIONS = (False, 1, 0.0, True, False, False)  # Biases, layers, dropout, training, directions, batch first.


def attention(x):
    return nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True)


def masked_attention(x):
    return nn.functional.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=x @ x.mT > 0)


def dropout(x):
    return nn.functional.dropout(x, 0.5)


def dropout_of_a_view(x):
    return nn.functional.dropout(x.mT, 0.5)


def lstm_cell(x):
    return torch.ops.aten.lstm_cell(x, [x, x], x.new_ones(16, 4), x.new_ones(16, 4))[0]


def lstm(x):
    state = x.new_zeros(1, 1, 4)
    weights = [x.new_ones(16, 4), x.new_ones(16, 4)]
    return torch.ops.aten.lstm.input(x[:, None], [state, state], weights, *LSTM_OPTIONS)[0]


class SymbolicSizes(unittest.TestCase):
    """As torch.compile and torch.export have them for dynamic shapes."""

    def test_programs_run_with_other_sizes_than_they_were_traced_with(self):
        host = torch.randn(9, 4, generator=torch.Generator().manual_seed(0))
        for program in (attention, masked_attention, dropout, dropout_of_a_view, lstm_cell, lstm):
            with self.subTest(program=program.__name__):
                results = []
                for device in ("cpu", "acpu"):
                    x = host.to(device)
                    traced = make_fx(program, tracing_mode="symbolic")(x[:5].clone())
                    torch.manual_seed(1)
                    results.append(traced(x).cpu())
                self.assertTrue(torch.equal(*results))

    def test_batch_sizes_stay_free_in_exported_programs(self):
        batch = {0: torch.export.Dim("batch")}
        x = torch.ones(3, 4).to("acpu")
        for module in (nn.LSTMCell(4, 2), nn.GRUCell(4, 2), nn.TransformerEncoderLayer(4, 2, 4)):
            module.to("acpu")
            exported = torch.export.export(module, (x,), dynamic_shapes=(batch,)).module()
            self.assertEqual(len(exported(torch.ones(5, 4).to("acpu"))), len(module(torch.ones(5, 4).to("acpu"))))

    def test_compiled_programs_have_the_cpus_gradients(self):
        for program in (lstm, dropout_of_a_view):
            gradients = []
            for device in ("cpu", "acpu"):
                x = torch.ones(3, 4).to(device).requires_grad_()
                torch.manual_seed(0)
                torch.compile(program, backend="aot_eager", dynamic=True)(x).sum().backward()
                gradients.append(x.grad.cpu())
            self.assertTrue(torch.equal(*gradients), program.__name__)


if __name__ == "__main__":
    unittest.main()
