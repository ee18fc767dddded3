"""`torch.autocast("acpu")`, compared with `torch.autocast("cpu")`: it casts the same arguments to the same types."""

import itertools
import unittest

import torch
from torch import nn

import runahead
from on_both_devices import OnBothDevices


def trained(make_model, dtype):
    """Returns the parameters after three steps, with scaled gradients, as a function of the inputs."""
    def train(x):
        model, device = make_model().to(x.device), x.device.type
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
        return [parameter.detach() for parameter in model.parameters()]
    return train


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


class Autocast(OnBothDevices):
    def test_has_a_kernel_for_every_operator_that_has_one_on_the_cpu(self):
        of = torch._C._dispatch_get_registrations_for_dispatch_key
        cpu = {name for name in of("AutocastCPU") if name.startswith("aten::")}
        self.assertEqual(cpu, {name for name in of("AutocastPrivateUse1") if name.startswith("aten::")})

    def test_trains_as_on_the_cpu(self):
        images, words = torch.randn(4, 3, 12, 12), torch.randn(5, 4, 16)
        for name, dtype in itertools.product(MODELS, (torch.bfloat16, torch.float16)):
            x = images if name == "convolutional" else words
            # The processor decides for which of these types oneDNN has an LSTM.
            is_refused = None if name == "recurrent" else False
            self.assert_as_on_cpu(trained(MODELS[name], dtype), of=(x,), is_refused=is_refused)

    def test_holds_within_kernels_that_call_others(self):
        def encoded(x):
            layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval().to(x.device)
            with torch.no_grad():
                plain = layer(x)
                with torch.autocast(x.device.type, dtype=torch.bfloat16):
                    return layer(x), layer(x), plain

        self.assert_as_on_cpu(encoded, of=(torch.randn(3, 5, 16),), is_refused=False)

    def test_keeps_double_and_takes_the_widest_of_what_is_concatenated(self):
        wide, narrow = torch.ones(2, device="acpu"), torch.ones(2, device="acpu", dtype=torch.bfloat16)
        with torch.autocast("acpu", dtype=torch.bfloat16):
            self.assertEqual(torch.cat([narrow, wide]).dtype, torch.float32)
            self.assertEqual(torch.cat([narrow, narrow]).dtype, torch.bfloat16)
            self.assertEqual((torch.ones(2, 2, device="acpu", dtype=torch.float64) @ torch.ones(2, 2, device="acpu",
                              dtype=torch.float64)).dtype, torch.float64)

    def test_is_apart_from_that_of_cpu_where_operations_run_at_issue(self):
        self.addCleanup(runahead.configure, workers=1)
        runahead.configure(workers=0)
        x, host = torch.ones(2, 4, 4, device="acpu"), torch.ones(4, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.assertEqual(x.bmm(x).dtype, torch.float32)
            self.assertTrue(x.bmm(x).cpu().eq(4).all())
            with self.assertRaisesRegex(RuntimeError, "expected scalar type Float but found BFloat16"):
                x.bmm(x.bfloat16())
            with torch.autocast("acpu", dtype=torch.float16):
                self.assertEqual(x.sinh().bmm(x).dtype, torch.float16)
                self.assertEqual((host @ host).dtype, torch.bfloat16)

    def test_of_the_host_leaves_views_of_the_device_alone(self):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pairs = torch.arange(8.0, device="acpu").half().view(4, 2)
            self.assertEqual(torch.view_as_complex(pairs).tolist(), [0 + 1j, 2 + 3j, 4 + 5j, 6 + 7j])

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
