"""Tensors, modules, generators and gradients on `acpu`, as PyTorch programs use them."""

import copy
import io
import unittest

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

import runahead


def saved_and_loaded(value, map_location=None):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, map_location=map_location)


def small_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 1))


class Copies(unittest.TestCase):
    def setUp(self):
        self.host = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
        self.x = self.host.to("acpu")

    def test_reads_give_the_values(self):
        self.assertEqual(self.x.tolist(), self.host.tolist())
        self.assertEqual(self.x[1, 2].item(), self.host[1, 2].item())
        self.assertEqual(repr(self.x), repr(self.host)[:-1] + ", device='acpu:0')")

    def test_numpy_needs_a_copy_to_the_host_as_for_other_devices(self):
        with self.assertRaisesRegex(TypeError, r"Use Tensor.cpu\(\)"):
            self.x.numpy()
        self.assertEqual(self.x.cpu().numpy().tolist(), self.host.tolist())

    def test_tensors_are_saved_and_loaded_both_ways(self):
        for value in (self.x, self.host):
            for location in ("cpu", "acpu", None):
                with self.subTest(value=value.device, location=location):
                    loaded = saved_and_loaded(value, location)
                    self.assertEqual(loaded.device.type, location or value.device.type)
                    self.assertTrue(torch.equal(loaded.cpu(), self.host))

    def test_views_that_share_a_storage_share_it_after_loading(self):
        whole, part = saved_and_loaded([self.x, self.x[1:]])
        part.zero_()
        self.assertEqual(whole[1:].abs().sum().item(), 0)

    def test_conjugate_and_negative_views_are_read_right(self):
        host = torch.randn(3, 3, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
        x = host.to("acpu")
        torch.testing.assert_close((x.conj() @ x).cpu(), host.conj() @ host)
        self.assertTrue(torch.equal(x.conj().imag.cpu(), host.conj().imag))

class Modules(unittest.TestCase):
    def test_modules_move_are_copied_and_saved(self):
        model = small_model()
        x = torch.randn(5, 6, generator=torch.Generator().manual_seed(1))
        expected = model(x)
        placed = copy.deepcopy(model).to("acpu")
        torch.testing.assert_close(placed(x.to("acpu")).cpu(), expected)
        torch.testing.assert_close(copy.deepcopy(placed)(x.to("acpu")).cpu(), expected)
        model.load_state_dict(saved_and_loaded(placed.state_dict(), "cpu"))
        torch.testing.assert_close(model(x), expected)
        torch.testing.assert_close(placed.to("cpu")(x), expected)

    def test_shared_parameters_stay_shared(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        model[1].weight = model[0].weight
        for device in ("acpu", "cpu"):
            model.to(device)
            self.assertIs(model[0].weight, model[1].weight)
            self.assertEqual(len(list(model.parameters())), 3)
            self.assertEqual({p.device.type for p in model.parameters()}, {device})

    def test_batches_of_a_data_loader_with_workers_can_be_pinned_and_moved(self):
        data = TensorDataset(torch.arange(12.0).reshape(6, 2))
        for options in ({"num_workers": 2}, {"num_workers": 2, "pin_memory": True}):
            with self.subTest(options):
                sums = [batch.to("acpu", non_blocking=True).sum() for (batch,) in DataLoader(data, 3, **options)]
                self.assertEqual([total.item() for total in sums], [15.0, 51.0])


class Operators(unittest.TestCase):
    """What broke in a process with Python, whose LibTorch has Meta kernels of its own."""

    def assert_equal_to_cpu(self, function, *tensors):
        for _ in range(2):  # The second call knows the layouts of the first.
            actual = function(*(tensor.to("acpu") for tensor in tensors))
            for a, e in zip(torch.utils._pytree.tree_leaves(actual), torch.utils._pytree.tree_leaves(function(*tensors))):
                self.assertEqual(a.device.type, "acpu")
                torch.testing.assert_close(a.cpu(), e)

    def test_outputs_of_recurrent_layers_may_be_changed_as_on_cpu(self):
        def changed(layer, device):
            with torch.no_grad():
                output = copy.deepcopy(layer).to(device)(torch.ones(2, 3, 4, device=device))[0]
            output.mul_(torch.ones(2, 3, 5, device=device).requires_grad_())
            return output._version, output.stride(), output.tolist()
        for layer in (nn.GRU(4, 5, batch_first=True), nn.RNN(4, 5, batch_first=True)):
            self.assertEqual(changed(layer, "acpu"), changed(layer, "cpu"))

    def test_indexing_by_masks_of_other_counts(self):
        x = torch.arange(12.0).reshape(3, 4)

        def replaced(x, mask):
            x = x.clone()
            x[mask] = 7
            return x

        for bound in (3, 9):
            self.assert_equal_to_cpu(lambda x, mask: x[mask], x, x > bound)
            self.assert_equal_to_cpu(replaced, x, x > bound)

    def test_sets_of_other_sizes(self):
        for values in ([1, 2, 2], [1, 1, 1], [3, 2, 1]):
            self.assert_equal_to_cpu(lambda x: torch.unique(x), torch.tensor(values))
            self.assert_equal_to_cpu(lambda x: torch.ops.aten._unique(x)[0], torch.tensor(values))

    def test_operators_that_torch_composes_of_kernels_that_only_cpu_has(self):
        self.assert_equal_to_cpu(lambda z: z.clone().conj_physical_(), torch.randn(4, dtype=torch.complex64))
        self.assert_equal_to_cpu(
            lambda x: torch.mode(x, out=(x.new_empty(0), torch.empty(0, dtype=torch.int64, device=x.device))),
            torch.tensor([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]]))

class Generators(unittest.TestCase):
    def test_a_generator_of_another_device_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "generator of device acpu|device type"):
            torch.ones(3, device="acpu").normal_(generator=torch.Generator())


class Gradients(unittest.TestCase):
    def setUp(self):
        self.x = torch.linspace(-2, 2, 12).reshape(3, 4).to("acpu").requires_grad_()

    def test_of_the_gradients_of_an_lstm_cell_have_the_bits_of_cpu(self):
        def curvatures(device):
            torch.manual_seed(0)
            cell, x, hidden = nn.LSTMCell(4, 5), torch.randn(3, 4), torch.randn(3, 5)
            weights = [x.to(device).requires_grad_(), *cell.to(device).parameters()]
            result = torch.stack(cell(weights[0], (hidden.to(device), hidden.to(device))))
            slopes = torch.autograd.grad(result.square().sum(), weights, create_graph=True)
            return torch.autograd.grad(sum(slope.square().sum() for slope in slopes), weights)
        for actual, expected in zip(curvatures("acpu"), curvatures("cpu")):
            self.assertTrue(torch.equal(actual.cpu(), expected))

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

    def test_no_grad_and_inference_mode(self):
        with torch.no_grad():
            self.assertFalse((self.x * 2).requires_grad)
        with torch.inference_mode():
            y = self.x * 2
        self.assertTrue(y.is_inference())
        self.assertTrue(torch.equal(y.cpu(), self.x.detach().cpu() * 2))

    def test_tensors_of_inference_mode_that_require_gradients_can_be_used_outside(self):
        uses = (lambda x: x.tril(), lambda x: x.cumsum(0), lambda x: x.softmax(0), lambda x: x.sort(0)[1],
                lambda x: torch.cat([x, x]), nn.functional.leaky_relu, lambda x: torch.linalg.lu_factor_ex(x)[0], lambda x: x.exp())
        for use in uses:
            results = []
            for device in ("cpu", "acpu"):
                with torch.inference_mode():
                    x = torch.eye(3, device=device, requires_grad=True)
                results.append(use(x))
            self.assertTrue(torch.equal(results[0], results[1].cpu()))

    def test_a_value_that_backward_needs_may_not_change(self):
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


if __name__ == "__main__":
    unittest.main()
