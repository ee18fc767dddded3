"""What the tests of `runahead-cell run --trace` share: runs, and the files that they leave."""

import collections
import csv
import decimal
import json
import os
import pathlib
import subprocess
import tempfile

BATCHES = 100
RUNS = {
    "held": {"device": "acpu", "sync": {"policy": "none"}, "acpu": {"workers": 1, "limit": {"operations": 2}}},
    "two workers": {"device": "acpu", "sync": {"policy": "window", "batches": 2}, "acpu": {"workers": 2}},
    "inside push": {"device": "acpu", "sync": {"policy": "every_batch", "wait": "loss_value"}, "acpu": {"workers": 0}},
    "cpu": {"device": "cpu"},
    "prefetching": {"device": "acpu", "sync": {"policy": "none"}, "acpu": {"workers": 1, "limit": {"operations": 10}},
                    "data": {"features": 4, "batch_size": 8, "made": "on_device", "prefetch": 2}},
}
WORKERS = {"held": ["worker 0"], "two workers": ["worker 0", "worker 1"], "inside push": ["inside push"], "cpu": [],
           "prefetching": ["worker 0"]}

# Of samples.csv, the columns that the trace shows, and what it calls them.
COUNTERS = {"rss_bytes": "RSS bytes", "live_bytes": "live bytes", "promised_bytes": "promised bytes",
            "held_bytes": "held bytes", "batches_in_flight": "batches in flight"}


class TracedRun:
    """The files of one traced run of a small MLP."""

    def __init__(self, changes):
        config = {"experiment": "train", "batches": BATCHES, "model": {"layers": [8, 1]},
                  "data": {"features": 4, "batch_size": 8}, "threads": {"pin": False}, **changes}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "config.json").write_text(json.dumps(config))
            subprocess.run([os.environ["RUNAHEAD_CELL"], "run", folder / "config.json", "--out", folder / "out", "--trace"],
                           check=True, stdout=subprocess.DEVNULL)
            self.text = (folder / "out/trace.json").read_text()
            self.record = json.loads((folder / "out/record.json").read_text())
            with open(folder / "out/samples.csv", newline="") as file:
                self.samples = list(csv.DictReader(file))

    def trace(self):
        """The trace, its times exact."""
        return json.loads(self.text, parse_float=decimal.Decimal, parse_constant=refuse)

    def counter_changes(self):
        """How often a sample of each counter differs from the one before."""
        changes, last = collections.Counter(), {}
        for sample in self.samples:
            for column, name in COUNTERS.items():
                if (value := sample.get(column, "")) not in ("", last.get(column)):
                    changes[name] += 1
                    last[column] = value
        return changes


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")
