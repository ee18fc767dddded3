"""Tests of scripts/gpu_claims.py: from made-up results of scripts/gpu_check to what holds."""

import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import gpu_claims  # noqa: E402 (after the path)

REPEATS = 3
DATA = {"batch_size": 1024, "features": 1023, "targets": {"width": 1}}
BATCH_BYTES = 4 << 20
DEVICE_BYTES = 1 << 30
IN_FLIGHT = {"every_batch": 1, "window": 2, "budget": 4, "none": 21}
TOO_LARGE = 1 << 24
TESTS = '<testsuite name="gpu" tests="{}" failures="{}" disabled="0" skipped="{}"/>'


def make_record(policy, repeat, cuda=None, axes=None):
    """A run in which nothing but the backlog depends on the policy."""
    batches = IN_FLIGHT[policy]
    peaks = {key: DEVICE_BYTES for key in (*gpu_claims.PEAKS_OF_DEVICE, gpu_claims.PEAK_IN_USE)}
    return {
        "schema_version": 1, "id": json.dumps([policy, axes]), "repeat": repeat, "status": "ok", "experiment": "train",
        "device": "cuda", "axes": {**(axes or {}), "/sync/policy": policy},
        "config": {"experiment": "train", "device": "cuda", "data": DATA, "sync": {"policy": policy, "batches": 2},
                   "cuda": {"staging": "pinned", "copies": "in_order", **(cuda or {})}},
        "time": {"issue_seconds": 0.1, "examples_per_second": 100_000.0 + repeat, "t1_seconds": 0.002, "t2_seconds": 0.034},
        "memory": {"cuda": {**peaks, gpu_claims.PEAK_PINNED: 4 * BATCH_BYTES}},
        "backlog": {"batches_peak": batches}, "loss": {"first": 0.6, "last": 0.25},
    }


def records_of(policies, grown=None, cuda=None, axes=None):
    """Every repeat of these policies; the peak `grown` is that of the batches in flight."""
    made = [make_record(policy, repeat, cuda, axes) for repeat in range(REPEATS) for policy in policies]
    for record in made if grown else []:
        base = 0 if grown == gpu_claims.PEAK_PINNED else DEVICE_BYTES
        record["memory"]["cuda"][grown] = base + record["backlog"]["batches_peak"] * BATCH_BYTES
    return made


def by_key(pointer, key, values, policies, grown):
    """A sweep over values of /cuda/…; `grown`: by value the peak that grows."""
    return [record for value in values
            for record in records_of(policies, grown.get(value), {key: value}, {pointer: value})]


def out_of_memory():
    made = [make_record("none", 0, axes={"/data/batch_size": size}) for size in (4096, TOO_LARGE, 8192)]
    made[1]["status"] = "out_of_memory"
    made[1]["memory"]["cuda"]["out_of_memory_summary"] = "allocated 137 GB"
    return made


def predictions():
    """They have no loss, and no cost model is fitted to them."""
    made = records_of(["every_batch", "none"])
    for record in made:
        record["config"]["experiment"], record["loss"] = "predict", None
        record["time"].update(t1_seconds=None, t2_seconds=None, issue_seconds=0.04,
                              batch_finished_seconds=[0.012 * (batch + 1) for batch in range(40)])
    return made


def make_sweeps():
    """What a GPU leaves on which everything holds, by sweep."""
    pair, three = ["every_batch", "none"], ["every_batch", "window", "none"]
    sweeps = {path.stem: records_of(pair) for path in gpu_claims.CONFIGS.glob("*.json")}
    sweeps["plain"] = records_of(three)
    sweeps["staging"] = by_key("/cuda/staging", "staging", ["pageable", "pinned", "pinned_ring"], pair,
                               {"pinned": gpu_claims.PEAK_PINNED})
    sweeps["copies"] = by_key("/cuda/copies", "copies", ["side_record_stream", "side_reuse"], three,
                              {"side_record_stream": gpu_claims.PEAK_IN_USE})
    sweeps["outputs"] = predictions()
    sweeps["out_of_memory"] = out_of_memory()
    return sweeps


class GpuClaims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.sweeps = make_sweeps()
        self.tests = TESTS.format(12, 0, 0)

    def claims(self, *arguments):
        """Writes the results and reads the claims. Returns the exit code and what was printed."""
        if self.tests is not None:
            (self.out / "tests.xml").write_text(self.tests)
        for sweep, made in self.sweeps.items():
            (self.out / sweep).mkdir()
            (self.out / sweep / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in made))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            code = gpu_claims.main([str(self.out), *arguments])
        return code, printed.getvalue()

    def failing(self):
        """What does not hold: (claim, where)."""
        code, printed = self.claims("--json")
        told = json.loads(printed)
        failing = [(claim["text"], claim["where"]) for claim in told["claims"] if not claim["holds"]]
        self.assertEqual((code, told["hold"]), (1, False) if failing else (0, True))
        return failing

    def change(self, sweep, policy, *keys, to, key=None, value=None):
        """Sets a figure of a policy's runs, of those alone whose /cuda/<key> is a value."""
        for record in self.sweeps[sweep]:
            if record["config"]["sync"]["policy"] == policy and (key is None or record["config"]["cuda"][key] == value):
                place = record
                for name in keys[:-1]:
                    place[name] = copy.copy(place[name])
                    place = place[name]
                place[keys[-1]] = to(place[keys[-1]]) if callable(to) else to

    def assert_only(self, text, where):
        self.assertEqual(self.failing(), [(text, where)])

    def test_everything_holds_of_results_that_are_as_expected(self):
        self.assertEqual(self.failing(), [])

    def test_the_table_says_what_was_expected_and_what_was_measured(self):
        self.change("losses", "none", "time", "examples_per_second", to=97_000.0)
        code, printed = self.claims()
        self.assertEqual(code, 1)
        row, = [line for line in printed.splitlines() if "| NO " in line]
        for part in ("none keeps the throughput of every_batch", "losses", "at least 0.98", "0.970 (3 pairs)"):
            self.assertIn(part, row)

    def test_a_test_that_failed_or_was_skipped_is_told(self):
        for tests in (TESTS.format(12, 1, 0), TESTS.format(12, 0, 1), TESTS.format(0, 0, 0), "no XML", None):
            with self.subTest(tests):
                self.setUp()
                self.tests = tests
                self.assert_only("the tests that need a GPU pass", "tests")

    def test_a_run_that_did_not_end_ok_is_told(self):
        self.sweeps["launch_queue"][0]["status"] = "crashed"
        self.assertIn(("each run ends as it should", "launch_queue"), self.failing())

    def test_a_sweep_without_records_is_told(self):
        del self.sweeps["allocator"]
        self.assertIn(("each run ends as it should", "allocator"), self.failing())

    def test_the_batch_that_has_no_memory_must_fail_for_that_and_the_next_must_run(self):
        for index, status in ((1, "ok"), (1, "crashed"), (2, "out_of_memory")):
            with self.subTest((index, status)):
                self.setUp()
                self.sweeps["out_of_memory"][index]["status"] = status
                self.assertIn(("each run ends as it should", "out_of_memory"), self.failing())

    def test_a_run_without_memory_must_say_what_the_allocator_held(self):
        self.sweeps["out_of_memory"][1]["memory"]["cuda"]["out_of_memory_summary"] = None
        self.assert_only("a run without memory has the allocator's summary in its record", "out_of_memory")

    def test_losses_that_differ_are_told_wherever_they_do(self):
        self.change("copies", "none", "loss", "last", to=0.2500001, key="copies", value="side_reuse")
        self.assert_only("sync and async losses are equal", "copies: copies side_reuse")

    def test_a_loss_that_is_no_number_is_not_equal(self):
        for policy in ("every_batch", "window", "none"):
            self.change("plain", policy, "loss", "last", to=None)
        self.assert_only("sync and async losses are equal", "plain")

    def test_a_window_that_costs_throughput_is_told(self):
        self.change("plain", "window", "time", "examples_per_second", to=98_500.0)
        self.assert_only("window keeps the throughput of none", "plain")

    def test_one_slow_repeat_decides_nothing(self):
        slow = [record for record in self.sweeps["plain"] if record["config"]["sync"]["policy"] == "none"][0]
        slow["time"]["examples_per_second"] = 50_000.0
        self.assertEqual(self.failing(), [])

    def test_a_front_end_that_is_too_slow_to_queue_anything_is_told(self):
        self.change("staging", "every_batch", "time", "t1_seconds", to=0.01, key="staging", value="pageable")
        self.assert_only("t2 is several times t1: batches queue", "staging: staging pageable")

    def test_a_wait_within_the_issue_of_runs_that_nobody_waits_in_is_no_slow_front_end(self):
        self.change("staging", "none", "time", "t1_seconds", to=0.034, key="staging", value="pageable")
        self.assertEqual(self.failing(), [])

    def test_of_predictions_the_costs_come_from_issue_and_finish(self):
        self.change("outputs", "none", "time", "issue_seconds", to=0.2)
        self.assert_only("t2 is several times t1: batches queue", "outputs")

    def test_device_memory_that_is_not_flat_on_one_stream_is_told(self):
        self.change("plain", "none", "memory", "cuda", "reserved_peak_bytes", to=int(1.03 * DEVICE_BYTES))
        self.assert_only("one stream is flat in device memory (reserved)", "plain")

    def test_memory_that_was_not_measured_is_not_flat(self):
        self.change("plain", "none", "memory", "cuda", "used_peak_bytes", to=None)
        self.assert_only("one stream is flat in device memory (used)", "plain")

    def test_pinned_staging_must_grow_as_much_as_is_in_flight(self):
        for peak in (4 * BATCH_BYTES, 40 * BATCH_BYTES, None):
            with self.subTest(peak):
                self.setUp()
                self.change("staging", "none", "memory", "cuda", gpu_claims.PEAK_PINNED, to=peak, key="staging", value="pinned")
                self.assert_only("pinned staging grows with the batches in flight", "staging: staging pinned")

    def test_growth_of_a_few_batches_shows_nothing(self):
        few = gpu_claims.LEAST_IN_FLIGHT
        self.change("staging", "none", "backlog", "batches_peak", to=few, key="staging", value="pinned")
        self.change("staging", "none", "memory", "cuda", gpu_claims.PEAK_PINNED, to=few * BATCH_BYTES, key="staging", value="pinned")
        self.assert_only("pinned staging grows with the batches in flight", "staging: staging pinned")

    def test_a_ring_that_grows_is_told(self):
        self.change("staging", "none", "memory", "cuda", gpu_claims.PEAK_PINNED, to=lambda peak: peak + BATCH_BYTES,
                    key="staging", value="pinned_ring")
        self.assert_only("a ring of pinned buffers does not grow", "staging: staging pinned_ring")

    def test_a_side_stream_with_record_stream_must_grow(self):
        self.change("copies", "none", "memory", "cuda", gpu_claims.PEAK_IN_USE, to=DEVICE_BYTES + BATCH_BYTES,
                    key="copies", value="side_record_stream")
        self.assert_only("record_stream on a side stream: device memory grows", "copies: copies side_record_stream")

    def test_reused_buffers_on_a_side_stream_must_not(self):
        self.change("copies", "none", "memory", "cuda", gpu_claims.PEAK_IN_USE, to=DEVICE_BYTES + 20 * BATCH_BYTES,
                    key="copies", value="side_reuse")
        self.assert_only("events and reuse on a side stream: it does not", "copies: copies side_reuse")

    def test_a_folder_that_is_not_there_is_an_error(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(gpu_claims.main([str(self.out / "none")]), 2)
        self.assertIn("is no folder", told.getvalue())


if __name__ == "__main__":
    unittest.main()
