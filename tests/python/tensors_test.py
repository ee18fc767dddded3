"""Tensors, modules, gradients and storages on `acpu`, as PyTorch programs use them."""

import copy
import io
import itertools
import pickle
import tempfile
import unittest
import warnings

import torch
import torch.multiprocessing  # Teaches the pickler tensors.
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

import runahead
from on_both_devices import OnBothDevices, counted


class Copies(OnBothDevices):
    def test_reads_give_the_values(self):
        host = torch.randn(2, 2, dtype=torch.complex64)
        x = host.to("acpu")
        self.assertEqual(x.tolist(), host.tolist())
        self.assertEqual(x[1, 0].item(), host[1, 0].item())
        self.assertEqual(repr(x), repr(host)[:-1] + ", device='acpu:0')")
        with self.assertRaisesRegex(TypeError, r"Use Tensor.cpu\(\)"):
            x.numpy()
        self.assert_as_on_cpu(lambda x: x.conj() @ x.t(), lambda x: x.conj().imag, of=(host,), is_refused=False)

    def test_to_booleans_lose_nothing_to_warn_of(self):
        self.addCleanup(torch.set_warn_always, torch.is_warn_always_enabled())
        torch.set_warn_always(True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(torch.tensor([0, 1j], device="acpu").to(torch.bool).tolist(), [False, True])
            with self.assertRaisesRegex(UserWarning, "discards the imaginary part"):
                torch.tensor([0, 1j], device="acpu").to(torch.float)


class Modules(unittest.TestCase):
    def test_move_are_copied_and_keep_parameters_shared(self):
        model = nn.Sequential(nn.Linear(6, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 6))
        model[3].weight = model[0].weight
        x = torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
        expected = model(x)
        for device in ("acpu", "cpu"):
            model.to(device)
            self.assertIs(model[0].weight, model[3].weight)
            self.assertEqual([p.device.type for p in model.parameters()], [device] * 5)
            for one in (model, copy.deepcopy(model)):
                torch.testing.assert_close(one(x.to(device)).cpu(), expected)

    def test_batches_of_a_data_loader_with_workers_can_be_pinned_and_moved(self):
        data = TensorDataset(torch.arange(12.0).reshape(6, 2))
        for is_pinned in (False, True):
            batches = DataLoader(data, 3, num_workers=2, pin_memory=is_pinned)
            sums = [batch.to("acpu", non_blocking=True).sum() for (batch,) in batches]
            self.assertEqual([total.item() for total in sums], [15.0, 51.0])

    def test_outputs_of_recurrent_layers_may_be_changed_as_on_cpu(self):
        def changed(layer, device):
            with torch.no_grad():
                output = copy.deepcopy(layer).to(device)(torch.ones(2, 3, 4, device=device))[0]
            output.mul_(torch.ones(2, 3, 5, device=device).requires_grad_())
            return output._version, output.stride(), output.tolist()
        for layer in (nn.GRU(4, 5, batch_first=True), nn.RNN(4, 5, batch_first=True)):
            self.assertEqual(changed(layer, "acpu"), changed(layer, "cpu"))


class Gradients(OnBothDevices):
    def setUp(self):
        super().setUp()
        self.x = torch.linspace(-2, 2, 12).reshape(3, 4).to("acpu").requires_grad_()

    def test_of_gradients_of_recurrent_layers_have_the_bits_of_cpu_each_time(self):
        def curvatures(x, hidden):
            cell = nn.LSTMCell(4, 5)
            weights = [x.requires_grad_(), *cell.to(x.device).parameters()]
            slopes = torch.autograd.grad(torch.stack(cell(x, (hidden, hidden))).square().sum(), weights, create_graph=True)
            return torch.autograd.grad(sum(slope.square().sum() for slope in slopes), weights)

        def third_gradients(x):
            model = nn.RNN(5, 6).double().to(x.device)
            weights, loss = list(model.parameters()), model(x)[0].square().sum()
            for _ in range(3):
                gradients = torch.autograd.grad(loss, weights, create_graph=True)
                loss = sum(gradient.square().sum() for gradient in gradients)
            return [gradient.detach() for gradient in gradients]

        self.assert_as_on_cpu(curvatures, of=(torch.randn(3, 4), torch.randn(3, 5)), is_refused=False)
        self.assert_as_on_cpu(third_gradients, of=(torch.linspace(-1, 1, 60).double().reshape(3, 4, 5),), is_refused=False)

    def test_checkpointing_recomputes_dropout_alike(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2)).to("acpu")
        gradients = []
        for reentrant in (None, True, False):
            torch.manual_seed(5)
            self.x.grad = None
            y = model(self.x) if reentrant is None else checkpoint(model, self.x, use_reentrant=reentrant)
            y.square().sum().backward()
            gradients.append(self.x.grad)
        self.assertTrue(torch.equal(gradients[0], gradients[1]))
        self.assertTrue(torch.equal(gradients[0], gradients[2]))

    def test_compiled_checkpointing_recomputes_draws_alike(self):
        draws = (lambda x: nn.functional.dropout(x.sin(), 0.5) * x,
                 lambda x: nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.3).sin(),
                 lambda x: (x * torch.rand(3, 4, device=x.device)).sin(),
                 lambda x: x.detach().clone().bernoulli_(torch.tensor(0.5)) * x)

        def trained(draw, backend):
            def train(x):
                torch.manual_seed(5)
                torch._dynamo.reset()
                compiled = torch.compile(lambda x: checkpoint(draw, x, use_reentrant=False), backend=backend)
                y = compiled(x.requires_grad_())
                return y.detach(), *torch.autograd.grad(y.sum(), x), torch.rand(3, device=x.device)
            return train

        for backend in ("aot_eager", "aot_eager_decomp_partition"):
            self.assert_as_on_cpu(*(trained(draw, backend) for draw in draws), of=(torch.linspace(-1, 1, 12).view(1, 3, 4),), is_refused=False)

    def test_the_state_of_a_traced_draw_is_that_of_the_device(self):
        from torch._prims.rng_prims import run_and_save_rng_state
        from torch.fx.experimental.proxy_tensor import make_fx
        traced = make_fx(lambda x: run_and_save_rng_state(torch.ops.aten.bernoulli_.Tensor, x, torch.tensor(0.5)))(torch.ones(8, device="acpu"))
        torch.acpu.manual_seed(5)
        state, drawn = traced(torch.ones(8, device="acpu"))
        torch.acpu.set_rng_state(state)
        self.assertTrue(torch.equal(drawn, torch.ones(8, device="acpu").bernoulli_(torch.tensor(0.5))))

    def test_tensors_of_inference_mode_can_be_used_outside(self):
        def infer(use):
            def used(x):
                with torch.inference_mode():
                    y = x.clone().requires_grad_()
                self.assertTrue(y.is_inference())
                return use(y)
            return used

        uses = (lambda x: x.tril(), lambda x: x.cumsum(0), lambda x: x.softmax(0), lambda x: x.sort(0)[1],
                lambda x: x.exp(), lambda x: torch.cat([x, x]), nn.functional.leaky_relu, lambda x: torch.linalg.lu_factor_ex(x)[0])
        self.assert_as_on_cpu(*map(infer, uses), of=(torch.eye(3),), is_refused=False)

    def test_a_value_that_backward_needs_may_not_change(self):
        with torch.no_grad():
            self.assertFalse((self.x * 2).requires_grad)
        y = self.x.exp()
        y.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()


class Failures(unittest.TestCase):
    def test_a_lack_of_memory_is_reported_as_for_other_devices(self):
        column = torch.ones(1 << 22, 1, device="acpu")
        huge = column @ column.T  # 64 TiB.
        for read in (lambda: huge.sum().item(), lambda: (huge + 1).sum().item(), lambda: huge[0].cpu(), lambda: huge.nonzero(),
                     lambda: print(huge[0])):
            with self.assertRaisesRegex(torch.OutOfMemoryError, r"aten::mm.*\[4194304, 1\]"):
                read()
        host = torch.ones(1).expand(1 << 44)
        unwritten = torch.empty(1 << 44, device="acpu")
        for use in (lambda: host.to("acpu"), lambda: host.to("acpu", non_blocking=True), lambda: unwritten.copy_(host),
                    lambda: unwritten[0].item(), lambda: unwritten[1:].copy_(host[1:])):
            with self.assertRaisesRegex(torch.OutOfMemoryError, "acpu: "):
                use()

    def test_a_refused_call_leaves_the_earlier_error_of_what_it_would_have_replaced(self):
        ones, wrong = torch.ones(4, device="acpu"), torch.tensor([9], device="acpu")
        for use in (lambda x: x.random_(5, 2), lambda x: x.uniform_(2, 1), lambda x: x.fill_(ones[:2]),
                    lambda x: torch.normal(ones, -ones, out=x), lambda x: torch.masked_select(ones, ones, out=x)):
            x = torch.zeros(4, device="acpu")
            x.index_add_(0, wrong, ones[:1])  # Fails when it runs.
            with self.assertRaises((RuntimeError, ValueError)):
                use(x)
            with self.assertRaisesRegex(RuntimeError, "index_add"):
                x.tolist()
            self.assertEqual(x.uniform_(2, 2).tolist(), [2, 2, 2, 2])

    def test_indices_out_of_range_fail_the_gradient_whose_kernel_counts_them(self):
        weights = torch.ones(4, 3, device="acpu").requires_grad_()
        for index in (-1, 100_000):
            places = torch.tensor([index], device="acpu")
            nn.functional.embedding(places, weights, scale_grad_by_freq=True).sum().backward()
            with self.assertRaisesRegex(RuntimeError, "aten::embedding_dense_backward.*"):
                weights.grad.tolist()
            weights.grad = None
            with self.assertRaisesRegex(RuntimeError, "index out of range in self"):
                runahead.synchronize()  # The call itself has failed, too.

    def test_a_failed_operation_is_raised_at_every_read_and_names_the_operator(self):
        x = torch.zeros(3, device="acpu")
        x.index_select(0, torch.tensor([0], device="acpu"))  # The shape of the result is known from here on.
        picked = x.index_select(0, torch.tensor([5], device="acpu"))
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, r"aten::index_select.*Float\[3\], Long\[1\]") as raised:
                (picked + 1).cpu()
            self.assertNotIsInstance(raised.exception, torch.OutOfMemoryError)
        runahead.synchronize()  # Reported already.
        self.assertEqual(torch.ones(3, device="acpu").sum().item(), 3)


class Bounds(OnBothDevices):
    """No tensor reaches beyond its storage: it grows, as on cpu, or the call is refused."""

    def test_a_storage_grows_as_far_as_its_tensor_reaches(self):
        def bytes_of(x):
            return torch.tensor(x.untyped_storage().nbytes(), device=x.device)

        def set_to(offset, sizes, strides, change):
            def use(x):
                y = x.new_zeros(4)
                change(y.set_(x.untyped_storage(), offset, sizes, strides))
                return x, y, bytes_of(x)
            return use

        def loaded_larger(x):  # As from a checkpoint.
            larger = torch._utils._rebuild_tensor(x.storage(), 0, (1000,), (1,))
            return larger[:6].clone(), larger.fill_(1), bytes_of(larger)

        def resized_to_nothing(x):
            part = x[3:]
            part.untyped_storage().resize_(0)
            return bytes_of(part.resize_(0, 4))

        self.assert_as_on_cpu(
            set_to(0, (100_000,), (1,), lambda y: y[6:].fill_(7)), set_to(2, (3, 2), (5, 2), lambda y: y.fill_(3)),
            set_to(1, (2, 2), (2, 1), lambda y: y.mul_(10)), loaded_larger, resized_to_nothing, of=(counted(6),),
            is_refused=False)

    def test_beyond_a_storage_that_does_not_grow_is_refused_at_the_next_use(self):
        x = torch.ones(1000, device="acpu")
        with self.assertRaisesRegex(RuntimeError, "out of bounds for storage"):
            x.as_strided((2000,), (1,))
        x.untyped_storage().resize_(16)
        for use in (lambda: x.fill_(7), x.sum):
            with self.assertRaisesRegex(RuntimeError, "beyond its storage"):
                use()


class Files(unittest.TestCase):
    """Storages go through pickles and both formats of torch's files, which share them, as on cpu."""

    def saved_and_loaded(self, saved, is_new, location=None, make=io.BytesIO):
        with make() as file:
            torch.save(saved, file, _use_new_zipfile_serialization=is_new)
            file.seek(0)
            return torch.load(file, map_location=location)

    def test_pickles(self):
        model = torch.nn.Linear(2, 2).to("acpu")
        loaded = pickle.loads(pickle.dumps(model))
        x = torch.ones(3, 2, device="acpu")
        self.assertTrue(torch.equal(loaded(x), model(x)))
        for x in (x.t(), x.bfloat16()[1:], torch.empty(0, 3, device="acpu"), torch.ones((), device="acpu", requires_grad=True)):
            loaded = pickle.loads(pickle.dumps(x))
            self.assertEqual((loaded.device.type, loaded.stride(), loaded.requires_grad),
                             ("acpu", x.stride(), x.requires_grad))
            self.assertTrue(torch.equal(loaded, x))

    def test_of_both_formats_keep_values_devices_and_what_is_shared(self):
        host = torch.arange(3.0)
        for is_new, x in itertools.product((True, False), (host, host.to("acpu"))):
            for location in ("cpu", "acpu", None):
                whole, part = self.saved_and_loaded([x, x[1:]], is_new, location)
                self.assertEqual((whole.device.type, whole.tolist()), (location or x.device.type, [0, 1, 2]))
                part.zero_()
                self.assertEqual(whole.tolist(), [0, 0, 0])
            self.assertEqual(self.saved_and_loaded(x, is_new, make=tempfile.TemporaryFile).tolist(), [0, 1, 2])

    def test_bytes_are_swapped_in_place(self):
        x = torch.tensor([1, 256], dtype=torch.int16, device="acpu")
        x.untyped_storage().byteswap(torch.int16)
        self.assertEqual(x.tolist(), [256, 1])


class OfElsewhere(unittest.TestCase):
    def test_slices_are_refused_and_whole_storages_are_read_and_copied(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", UserWarning)  # Typed storages are deprecated.
        x, empty = torch.arange(3.0, device="acpu"), torch.empty(0, device="acpu")
        with self.assertRaisesRegex(NotImplementedError, "acpu.*(torch.save|cpu)"):
            empty.set_(x.untyped_storage()[4:12]).fill_(1)
        self.assertEqual(x.storage().tolist(), [0, 1, 2])
        cloned = x.untyped_storage().clone()
        x.zero_()
        self.assertEqual(empty.set_(cloned, 0, (3,), (1,)).tolist(), [0, 1, 2])
        runahead.synchronize()


if __name__ == "__main__":
    unittest.main()
