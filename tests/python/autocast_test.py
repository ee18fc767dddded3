"""`torch.autocast("acpu")`, compared with `torch.autocast("cpu")`: it casts the same arguments to the same types."""

import itertools
import unittest
import warnings

import torch
from torch import nn

import op_db_entry
import op_db_values as values
import runahead  # noqa: F401

try:
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError:
    op_db = []

SAMPLES = 3  # Of each entry of the operator database.
# Not compared: they refuse other layouts, take tensors on the host, or are equal to 1e-6 without autocast, too.
LEFT_OUT = {"sparse.sampled_addmm", "sparse.mm", "to_sparse", "tensor_split", "linalg.lstsq"}


def called(call, device, dtype):
    """Returns a call's result under autocast, or the type of what it raised."""
    try:
        with torch.autocast(device, dtype=dtype):
            result = call.run(device)
    except Exception as error:
        return type(error).__name__
    return result


def difference(call, dtype):
    """Returns what differs from `cpu`; None if nothing does."""
    expected, actual = called(call, "cpu", dtype), called(call, "acpu", dtype)
    if isinstance(expected, str) or isinstance(actual, str):
        return None if expected == actual else f"{actual} instead of {expected}"
    try:
        is_equal = values.compare(actual, expected, values=call.entry.name not in values.UNINITIALISED)
    except values.Difference as error:
        return str(error)
    return None if is_equal or call.entry.name in values.UNINITIALISED else "other bits"


def trained(model, x, device, dtype):
    """Returns the parameters after three steps, with scaled gradients."""
    torch.manual_seed(0)
    model = model().to(device)
    x = x.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler(device, init_scale=256.0)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast(device, dtype=dtype):
            loss = model(x).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return [parameter.detach().cpu() for parameter in model.parameters()]


class Of(nn.Module):
    """A module of a sequence, whose first result is the one that counts."""

    def __init__(self, module, inputs=1):
        super().__init__()
        self.module, self.inputs = module, inputs

    def forward(self, x):
        return self.module(*[x] * self.inputs)[0]


MODELS = {
    "convolutional": lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(),
                                           nn.Linear(200, 4)),
    "attention": lambda: Of(nn.MultiheadAttention(16, 4, batch_first=True), inputs=3),
    "recurrent": lambda: Of(nn.LSTM(16, 8, num_layers=2, bidirectional=True))}


class Autocast(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)  # As the device's worker has: some kernels round otherwise with more.

    def test_has_a_kernel_for_every_operator_that_has_one_on_the_cpu(self):
        of = torch._C._dispatch_get_registrations_for_dispatch_key
        cpu = {name for name in of("AutocastCPU") if name.startswith("aten::")}
        self.assertEqual(cpu, {name for name in of("AutocastPrivateUse1") if name.startswith("aten::")})

    @unittest.skipUnless(op_db, "torch's operator database can't be imported")
    def test_gives_what_it_gives_on_the_cpu_for_every_operator(self):
        differences = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for entry in op_db:
                wanted = op_db_entry.dtype_for(entry, torch.float32)
                if entry.name in LEFT_OUT or wanted is None:
                    continue
                samples = entry.sample_inputs("cpu", wanted)
                for sample in itertools.islice(samples, SAMPLES):
                    found = difference(op_db_entry.Call(entry, "forward", sample), torch.bfloat16)
                    if found:
                        differences.append(f"{entry.formatted_name}: {found}")
        self.assertEqual(differences, [])

    def test_trains_as_on_the_cpu(self):
        images, words = torch.randn(4, 3, 12, 12), torch.randn(5, 4, 16)
        for name, dtype in itertools.product(MODELS, (torch.bfloat16, torch.float16)):
            if (name, dtype) == ("recurrent", torch.float16):
                continue  # oneDNN has no such LSTM, on cpu either.
            x = images if name == "convolutional" else words
            with self.subTest(model=name, dtype=dtype):
                for actual, expected in zip(*(trained(MODELS[name], x, device, dtype) for device in ("acpu", "cpu"))):
                    self.assertTrue(torch.equal(actual, expected))

    def test_holds_within_kernels_that_call_others(self):
        def encoded(device):
            torch.manual_seed(0)
            layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval().to(device)
            x = torch.randn(3, 5, 16).to(device)
            with torch.no_grad():
                plain = layer(x)
                with torch.autocast(device, dtype=torch.bfloat16):
                    return layer(x).cpu(), layer(x).cpu(), plain.cpu()

        for actual, expected in zip(encoded("acpu"), encoded("cpu")):
            self.assertEqual(actual.dtype, expected.dtype)
            self.assertTrue(torch.equal(actual, expected))

    def test_keeps_double_and_takes_the_widest_of_what_is_concatenated(self):
        wide, narrow = torch.ones(2, device="acpu"), torch.ones(2, device="acpu", dtype=torch.bfloat16)
        with torch.autocast("acpu", dtype=torch.bfloat16):
            self.assertEqual(torch.cat([narrow, wide]).dtype, torch.float32)
            self.assertEqual(torch.cat([narrow, narrow]).dtype, torch.bfloat16)
            self.assertEqual((torch.ones(2, 2, device="acpu", dtype=torch.float64) @ torch.ones(2, 2, device="acpu",
                              dtype=torch.float64)).dtype, torch.float64)

    def test_casts_a_weight_once_and_keeps_it_until_the_block_ends(self):
        linear, x = nn.Linear(64, 64, bias=False, device="acpu"), torch.ones(1, 64, device="acpu")
        runahead.synchronize()
        before = torch.acpu.memory_allocated()
        with torch.autocast("acpu", dtype=torch.bfloat16):
            outputs = [linear(x) for _ in range(8)]
            runahead.synchronize()
            self.assertLess(torch.acpu.memory_allocated() - before, 2 * linear.weight.nbytes)
        del outputs
        runahead.synchronize()
        self.assertEqual(torch.acpu.memory_allocated(), before)


if __name__ == "__main__":
    unittest.main()
