"""Products of matrices by the faster library: `configure(products="fastest")`, with a calibration that prefers oneDNN everywhere."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

cache = tempfile.TemporaryDirectory()
os.environ["XDG_CACHE_HOME"] = cache.name

import torch  # noqa: E402

import runahead  # noqa: E402

CACHE = pathlib.Path(cache.name) / "runahead"


def losses(device, steps=100):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 32)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inputs = torch.randn(48, 64).to(device)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    return [loss.item() for loss in found]


class Products(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        done = subprocess.run([os.environ["RUNAHEAD"], "calibrate", "--json"], capture_output=True, text=True, check=True)
        cls.measured = json.loads(done.stdout)
        (kept,) = CACHE.glob("products-1-*.json")
        cls.kept = json.loads(kept.read_text())
        kept.write_text(json.dumps({**cls.kept, "speedups": [2.0] * len(cls.kept["speedups"])}))

    def setUp(self):
        runahead.configure(products="fastest")
        self.addCleanup(runahead.configure, products="libtorch", allocation="at_execution", workers=1)

    def test_the_calibration_of_this_machine_is_kept(self):
        self.assertEqual(self.measured, self.kept)
        self.assertEqual(len(self.kept["speedups"]), 3 * 7 ** 3)
        self.assertGreaterEqual(min(self.kept["speedups"]), 0)  # A busy machine may take any time for a product.

    def test_losses_are_alike_in_every_setting_and_near_those_of_cpu(self):
        runahead.reset_peaks()
        expected = losses("acpu")
        made = {(one["library"], one["rows"], one["inner"], one["columns"]) for one in runahead.products()["made"]}
        self.assertEqual(made, {("onednn", 48, 64, 128), ("onednn", 48, 128, 32), ("onednn", 128, 48, 64),
                                ("onednn", 32, 48, 128), ("onednn", 48, 32, 128)})
        for settings in ({"allocation": "in_stream_order"}, {"allocation": "caching"}, {"allocation": "at_issue"}, {"workers": 2}, {"workers": 0}):
            with self.subTest(settings):
                runahead.configure(**settings)
                self.assertEqual(losses("acpu"), expected)
        torch.testing.assert_close(expected, losses("cpu"), rtol=1e-5, atol=0.0)

    def test_runs_of_one_config_take_the_same_way_and_record_it(self):
        config = {"experiment": "train", "batches": 3, "model": {"layers": [64, 32]}, "data": {"features": 32, "batch_size": 64, "targets": {"width": 32}},
                  "acpu": {"products": "fastest"}, "threads": {"pin": False}}
        found = []
        for policy in ("none", "every_batch", "every_batch"):
            done = subprocess.run([os.environ["RUNAHEAD"], "run", "-", "--json", "--set", f"/sync/policy={policy}", "--out",
                                   tempfile.mkdtemp(dir=cache.name) + "/run"],
                                  input=json.dumps(config), capture_output=True, text=True, check=True)
            record = json.loads(done.stdout)
            self.assertEqual(record["results"]["products"]["calibration"]["threads"], 1)
            found.append((record["results"]["products"]["made"], record["loss"]))
        self.assertEqual({one["library"] for one in found[0][0]}, {"onednn"})
        self.assertEqual(found, [found[0]] * 3)

    def test_the_library_of_torch_makes_what_is_not_asked_for(self):
        runahead.configure(products="libtorch")
        self.assertEqual(losses("acpu", 5), losses("cpu", 5))
        self.assertIsNone(runahead.products())

    def test_onednn_can_be_switched_off(self):
        with torch.backends.mkldnn.flags(enabled=False):
            of_acpu = losses("acpu", 5)
            self.assertEqual(of_acpu, losses("cpu", 5))


if __name__ == "__main__":
    unittest.main()
