"""Programs traced with symbolic sizes, as torch.compile and torch.export do for dynamic shapes."""

import unittest

import runahead  # noqa: F401
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional

LSTM_OPTIONS = (False, 1, 0.0, True, False, False)  # Biases, layers, dropout, training, directions, batch first.


def attention(x):
    return functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True)


def masked_attention(x):
    return functional.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=x @ x.mT > 0)


def dropout(x):
    return functional.dropout(x, 0.5)


def dropout_of_a_view(x):
    return functional.dropout(x.mT, 0.5)


def lstm_cell(x):
    return torch.ops.aten.lstm_cell(x, [x, x], x.new_ones(16, 4), x.new_ones(16, 4))[0]


def lstm(x):
    state = x.new_zeros(1, 1, 4)
    weights = [x.new_ones(16, 4), x.new_ones(16, 4)]
    return torch.ops.aten.lstm.input(x[:, None], [state, state], weights, *LSTM_OPTIONS)[0]


class SymbolicSizes(unittest.TestCase):
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
