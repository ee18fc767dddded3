"""Tests of the timeline that `run --trace` writes, by reading it as any program would. RUNAHEAD_CELL names the program."""

import collections
import csv
import decimal
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

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


FRONT_END = 1
PHASES = ["wait", "data", "issue", "wait"]


def end_of(slice):
    return slice["ts"] + slice["dur"]


class TraceFile:
    """What holds for the trace of each run; `name` is the run's."""

    @classmethod
    def setUpClass(cls):
        cls.run_of_it = TracedRun(RUNS[cls.name])
        cls.trace = cls.run_of_it.trace()
        cls.workers = WORKERS[cls.name]

    def events(self, phase, category=None):
        return [event for event in self.trace["traceEvents"]
                if event["ph"] == phase and category in (None, event.get("cat"))]

    def test_names_the_process_and_each_track(self):
        names = {event["args"]["name"] for event in self.events("M") if "name" in event["args"]}
        self.assertEqual(names, {f"runahead: train on {self.run_of_it.record['device']}", "front end", *self.workers})

    def test_slices_of_a_track_nest(self):
        tracks = collections.defaultdict(list)
        for slice in self.events("X"):
            tracks[slice["tid"]].append(slice)
        for slices in tracks.values():
            open_slices = []
            for slice in sorted(slices, key=lambda slice: slice["ts"]):
                while open_slices and end_of(open_slices[-1]) <= slice["ts"]:
                    open_slices.pop()
                if open_slices:
                    self.assertLessEqual(end_of(slice), end_of(open_slices[-1]), (slice, open_slices[-1]))
                open_slices.append(slice)

    def test_each_batch_is_data_issue_and_waits(self):
        batches = self.events("X", "batch")
        self.assertEqual([slice["name"] for slice in batches], [f"batch {i + 1}" for i in range(BATCHES)])
        phases = self.events("X", "phase")
        self.assertEqual([slice["name"] for slice in phases], PHASES * BATCHES)
        for i, batch in enumerate(batches):
            inside = phases[4 * i:4 * i + 4]
            self.assertEqual([batch["ts"], *(end_of(slice) for slice in inside)],
                             [*(slice["ts"] for slice in inside), end_of(batch)])
        self.assertEqual(len(self.events("X", "drain")), 1)

    def test_each_operation_issued_is_a_slice_of_a_worker(self):
        operations = self.events("X", "operation")
        self.assertEqual(len(operations) > 0, bool(self.workers))
        by_sequence = sorted(slice["args"]["sequence"] for slice in operations)
        self.assertEqual(by_sequence, list(range(by_sequence[0], by_sequence[0] + len(operations)))
                         if operations else [])
        of_batches = collections.defaultdict(collections.Counter)
        for slice in operations:
            self.assertNotEqual(slice["tid"], FRONT_END)
            of_batches[slice["args"].get("batch")][slice["name"]] += 1
        self.assertLessEqual(len({frozenset(names.items()) for batch, names in of_batches.items() if batch}), 1)
        self.assertEqual({batch for batch in of_batches if batch}, set(range(1, BATCHES + 1)) if operations else set())
        self.assertEqual(None in of_batches, self.name == "prefetching", "what another thread issued")

    def test_an_operation_names_what_it_was_called_on(self):
        products = [slice for slice in self.events("X", "operation") if slice["name"] == "aten::addmm"]
        self.assertEqual(len(products) >= BATCHES, bool(self.workers))
        shapes = {slice["args"]["on"] for slice in products}
        if products:
            self.assertIn("Float[8], Float[8, 4], Float[4, 8]", shapes)

    def test_an_arrow_leads_from_the_issue_of_each_operation_to_it(self):
        operations = {slice["args"]["sequence"]: slice for slice in self.events("X", "operation")}
        batches = {slice["args"]["batch"]: slice for slice in self.events("X", "batch")}
        begun, ended = self.events("s"), self.events("f")
        self.assertEqual({arrow["id"] for arrow in begun},
                         {number for number, slice in operations.items() if "batch" in slice["args"]})
        self.assertEqual([arrow["id"] for arrow in begun], [arrow["id"] for arrow in ended])
        self.assertEqual(len({arrow["id"] for arrow in begun}), len(begun))
        for start, finish in zip(begun, ended):
            operation = operations[start["id"]]
            batch = batches[operation["args"]["batch"]]
            self.assertEqual((finish["tid"], finish["ts"]), (operation["tid"], operation["ts"]))
            self.assertEqual(start["tid"], FRONT_END)
            self.assertTrue(batch["ts"] <= start["ts"] < end_of(batch))

    def test_counters_are_those_of_the_samples(self):
        shown = collections.Counter(f"{event['name']} {key}" for event in self.events("C")
                                    for key in event["args"])
        self.assertEqual(shown, self.run_of_it.counter_changes())
        self.assertGreater(shown["RSS bytes"], 0)

    def test_says_what_was_recorded_and_left_out_as_the_record_does(self):
        other, summary = self.trace["otherData"], self.run_of_it.record["results"]["trace"]
        self.assertEqual({key: other[key] for key in summary}, summary)
        self.assertEqual(summary["operations_recorded"], len(self.events("X", "operation")))
        self.assertEqual(summary["operations_left_out"], 0)
        self.assertEqual(summary["waits_recorded"], len(self.events("X", "blocked")))
        self.assertEqual(other["arrows"], len(self.events("s")))
        self.assertEqual(other["counter_events"], len(self.events("C")))


class TraceOfAHeldFrontEnd(TraceFile, unittest.TestCase):
    name = "held"

    def test_shows_what_held_it(self):
        self.assertIn("held at the run-ahead limit", {slice["name"] for slice in self.events("X", "blocked")})


class TraceOfTwoWorkers(TraceFile, unittest.TestCase):
    name = "two workers"


class TraceWithoutWorkers(TraceFile, unittest.TestCase):
    name = "inside push"


class TraceOfAPrefetchingRun(TraceFile, unittest.TestCase):
    name = "prefetching"


class TraceOfCpu(TraceFile, unittest.TestCase):
    name = "cpu"


if __name__ == "__main__":
    unittest.main(verbosity=2)
