"""TorchScript files as models of an experiment: a convolutional network and a transformer, trained alike on `cpu` and `acpu`.

RUNAHEAD_CELL names the program.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import torch
from torch import nn

CONFIG = {"experiment": "train", "batches": 6, "loss": "cross_entropy", "sync": {"policy": "none"},
          "data": {"features": 784, "batch_size": 16, "targets": {"value": 3}},
          "optimizer": {"kind": "sgd", "learning_rate": 0.01, "momentum": 0.9}, "threads": {"pin": False}}


class Transformer(nn.Module):
    """Over the rows of an image."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(28, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.encode = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.classify = nn.Linear(32, 10)

    def forward(self, rows):
        return self.classify(self.encode(self.embed(rows)).mean(1))


def convolutional():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Dropout(0.1), nn.Linear(8 * 14 * 14, 10))


class ScriptModels(unittest.TestCase):
    def losses(self, folder, device, model):
        config = folder / "config.json"
        config.write_text(json.dumps({**CONFIG, "device": device, "model": model}))
        out = folder / f"out-{device}"
        done = subprocess.run([os.environ["RUNAHEAD_CELL"], "run", config, "--out", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((out / "record.json").read_text())["loss"]

    def assert_same_on_both(self, module, input_shape):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            torch.jit.script(module).save(folder / "model.pt")
            model = {"kind": "torchscript", "path": str(folder / "model.pt"), "input_shape": input_shape}
            expected = self.losses(folder, "cpu", model)
            self.assertEqual(self.losses(folder, "acpu", model), expected)
            self.assertNotEqual(expected["first"], expected["last"])

    def test_a_convolutional_network_trains_as_on_cpu(self):
        torch.manual_seed(0)
        self.assert_same_on_both(convolutional(), [1, 28, 28])

    def test_a_transformer_trains_as_on_cpu(self):
        torch.manual_seed(0)
        self.assert_same_on_both(Transformer(), [28, 28])


if __name__ == "__main__":
    unittest.main()
