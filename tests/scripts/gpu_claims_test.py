"""Tests of scripts/gpu_claims.py: from made-up results of scripts/gpu_check to what holds."""

import contextlib
import copy
import io
import itertools
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import gpu_claims  # noqa: E402 (after the path)

DATA = {"batch_size": 1024, "features": 1023, "targets": {"width": 1}}
BATCH_BYTES = 4 << 20
DEVICE_BYTES = 1 << 30
BUDGET_BYTES = 16 << 20
IN_FLIGHT = {"every_batch": 1, "window": 2, "adaptive": 2, "budget": 3, "none": 21}
IN_BUFFERS = 5  # Where none is ahead of a few buffers only.
OUTPUT_WIDTH = 1024
OUTPUT_BYTES = 256 * 256 * 4
DEPTH = 1000
TESTS = '<testsuite name="gpu" tests="{}" failures="{}" disabled="0" skipped="{}"/>'


def make_record(axes, repeat):
    """A training run in which nothing but the backlog depends on the policy."""
    policy = axes.get("/sync/policy", "none")
    cuda = {"staging": "pinned", "copies": "in_order"}
    cuda.update((pointer.removeprefix("/cuda/"), value) for pointer, value in axes.items() if pointer.startswith("/cuda/"))
    has_few_buffers = policy == "none" and "side_reuse" in cuda.values()
    batches = IN_BUFFERS if has_few_buffers else IN_FLIGHT[policy]
    peaks = {key: DEVICE_BYTES for key in (*gpu_claims.PEAKS_OF_DEVICE, gpu_claims.PEAK_IN_USE)}
    return {
        "schema_version": 1, "id": json.dumps(axes), "repeat": repeat, "status": "ok", "experiment": "train",
        "device": "cuda", "axes": axes, "environment": {"runahead": "0.1.0", "git": "abc"},
        "config": {"experiment": "train", "device": "cuda", "data": DATA, "cuda": cuda,
                   "sync": {"policy": policy, "batches": 2, "bytes": BUDGET_BYTES}},
        "time": {"issue_seconds": 0.1, "examples_per_second": 100_000.0 + repeat, "t1_seconds": 0.002, "t2_seconds": 0.034},
        "memory": {"cuda": {**peaks, gpu_claims.PEAK_PINNED: 4 * BATCH_BYTES}},
        "backlog": {"batches_peak": batches, "bytes_peak": batches * BATCH_BYTES}, "loss": {"first": 0.6, "last": 0.25},
    }


def records_of(sweep):
    """Every repeat of every cell that the sweep's config asks for."""
    config = json.loads((gpu_claims.CONFIGS / f"{sweep}.json").read_text())
    grid = [dict(zip(config["axes"], values)) for values in itertools.product(*config["axes"].values())]
    return [make_record(axes, repeat) for repeat in range(config.get("repeats", 1))
            for axes in grid + config.get("cells", [])]


def grow(records, key, value, peak, base):
    """Lets the peak of runs with that value of /cuda/<key> be that of the batches in flight."""
    for record in records:
        if record["config"]["cuda"][key] == value:
            record["memory"]["cuda"][peak] = base + record["backlog"]["batches_peak"] * BATCH_BYTES


def make_predictions(records):
    """They have no loss, and no cost model is fitted to them."""
    for record in records:
        record["config"].update(experiment="predict", outputs=record["axes"]["/outputs"], batches=48,
                                model={"layers": [8192, OUTPUT_WIDTH]})
        if record["axes"]["/outputs"] == "kept":
            record["memory"]["cuda"][gpu_claims.PEAK_IN_USE] += 48 * DATA["batch_size"] * OUTPUT_WIDTH * 4
        record["loss"] = None
        record["time"].update(t1_seconds=None, t2_seconds=None, issue_seconds=0.04,
                              batch_finished_seconds=[0.012 * (batch + 1) for batch in range(40)])


def make_launch_queues(records):
    for record in records:
        record["config"] = {"experiment": "launch_queue", "device": "cuda", "outputs": record["axes"]["/outputs"],
                            "shape": [256, 256]}
        is_kept = record["axes"]["/outputs"] == "kept"
        record["results"] = {"launch_queue": {"depth": {"median": DEPTH}, "depth_unknown_because": None,
                                              "kept_bytes": {"median": DEPTH * OUTPUT_BYTES if is_kept else 0}}}


def make_sweeps():
    """What a GPU leaves on which everything holds, by sweep."""
    sweeps = {path.stem: records_of(path.stem) for path in gpu_claims.CONFIGS.glob("*.json")}
    for sweep in ("plain", "staging"):
        grow(sweeps[sweep], "staging", "pinned", gpu_claims.PEAK_PINNED, 0)
    for sweep in ("copies", "expandable_segments"):
        grow(sweeps[sweep], "copies", "side_record_stream", gpu_claims.PEAK_IN_USE, DEVICE_BYTES)
    make_predictions(sweeps["outputs"])
    make_launch_queues(sweeps["launch_queue"])
    too_large = sweeps["out_of_memory"][1]
    too_large["status"] = "out_of_memory"
    too_large["memory"]["cuda"]["out_of_memory_summary"] = "allocated 137 GB"
    return sweeps


class GpuClaims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.sweeps = make_sweeps()
        self.seeds = [path.stem for path in (gpu_claims.CONFIGS / "seeds").glob("*.json")]
        self.tests = TESTS.format(12, 0, 0)

    def claims(self, *arguments):
        """Writes the results and reads the claims. Returns the exit code and what was printed."""
        if self.tests is not None:
            (self.out / "tests.xml").write_text(self.tests)
        for sweep, made in self.sweeps.items():
            (self.out / sweep).mkdir()
            (self.out / sweep / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in made))
        for name in self.seeds:
            (self.out / "seeds" / name).mkdir(parents=True)
            (self.out / "seeds" / name / "record.json").write_text('{"schema_version": 1, "status": "ok"}')
        (self.out / "transfer.json").write_text("{}")
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
        self.change("losses", "none", "time", "examples_per_second", to=lambda figure: 0.97 * figure)
        code, printed = self.claims()
        self.assertEqual(code, 1)
        row, _ = [line for line in printed.splitlines() if "| NO " in line]
        for part in ("none keeps the throughput of every_batch", "losses", "at least 0.98", "0.970 (5 pairs)"):
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

    def test_a_sweep_that_was_cut_short_is_told(self):
        self.sweeps["plain"] = [record for record in self.sweeps["plain"] if record["repeat"] < 4]
        self.assert_only("each run ends as it should", "plain")

    def test_more_repeats_than_were_asked_for_are_as_good(self):
        self.sweeps["plain"] += [{**record, "repeat": 5} for record in self.sweeps["plain"] if record["repeat"] == 0]
        self.assertEqual(self.failing(), [])

    def test_a_figure_that_one_repeat_lacks_is_not_measured(self):
        self.sweeps["plain"][0]["time"]["examples_per_second"] = None
        self.assertIn(("none keeps the throughput of every_batch", "plain"), self.failing())

    def test_a_seed_that_is_missing_is_told(self):
        self.seeds.pop()
        self.assert_only("the seeds' programs and bench transfer ended well", "seeds, transfer.json")

    def test_a_launch_queue_without_a_bottom_is_told(self):
        dropped, = [record for record in self.sweeps["launch_queue"] if record["axes"]["/outputs"] == "dropped"]
        dropped["results"]["launch_queue"]["depth"] = None
        self.assert_only("launching blocks when the queue is full", "launch_queue: outputs dropped")

    def test_launches_that_keep_less_than_their_outputs_are_told(self):
        kept, = [record for record in self.sweeps["launch_queue"] if record["axes"]["/outputs"] == "kept"]
        kept["results"]["launch_queue"]["kept_bytes"]["median"] = DEPTH * OUTPUT_BYTES / 2
        self.assert_only("launches in the queue keep their outputs", "launch_queue: outputs kept")

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
        self.assert_only("sync and async losses are equal", "copies: staging pinned_ring, copies side_reuse")

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
        self.assertEqual(self.failing(), [("t2 is several times t1: batches queue", f"outputs: outputs {outputs}")
                                          for outputs in ("dropped", "kept")])

    def test_device_memory_that_is_not_flat_on_one_stream_is_told(self):
        self.change("plain", "none", "memory", "cuda", "reserved_peak_bytes", to=int(1.03 * DEVICE_BYTES))
        self.assert_only("one stream is flat in device memory (reserved)", "plain")

    def test_memory_is_not_called_flat_where_nothing_was_ahead(self):
        self.change("plain", "none", "backlog", "batches_peak", to=2)
        self.assertEqual([text for text, _ in self.failing()],
                         [f"one stream is flat in device memory ({which})" for which in ("allocated", "reserved", "used")])

    def test_a_window_or_a_budget_that_lets_more_in_is_told(self):
        for policy, sweep, where in (("window", "plain", "plain"), ("budget", "staging", "staging: staging pinned")):
            with self.subTest(policy):
                self.setUp()
                self.sweeps[sweep][-1 if policy == "budget" else 1]["backlog"]["bytes_peak"] = 5 * BATCH_BYTES
                self.assert_only(f"{policy} bounds the bytes in flight", where)

    def test_memory_that_a_window_or_a_budget_does_not_bound_is_told_though_its_count_is_right(self):
        for policy, sweep, key, where, text in (
                ("window", "plain", gpu_claims.PEAK_PINNED, "plain", "window bounds page-locked memory"),
                ("budget", "staging", gpu_claims.PEAK_PINNED, "staging: staging pinned", "budget bounds page-locked memory"),
                ("window", "copies", gpu_claims.PEAK_IN_USE, "copies: staging pinned_ring, copies side_record_stream",
                 "window bounds deferred frees")):
            with self.subTest((sweep, policy)):
                self.setUp()
                self.change(sweep, policy, "memory", "cuda", key, to=DEVICE_BYTES + 9 * BATCH_BYTES)
                self.assert_only(text, where)

    def test_one_batch_that_is_in_flight_may_keep_a_little_less_than_its_bytes(self):
        where = "copies: staging pinned_ring, copies side_record_stream"
        for kept, holds in ((BATCH_BYTES - 512, True), (BATCH_BYTES // 2, False)):
            with self.subTest(kept):
                self.setUp()
                self.change("copies", "window", "memory", "cuda", gpu_claims.PEAK_IN_USE,
                            to=DEVICE_BYTES + BATCH_BYTES + kept)
                texts = [text for text, place in self.failing() if place == where]
                self.assertEqual("window bounds deferred frees" not in texts, holds)

    def test_a_count_of_less_than_a_batch_is_told(self):
        self.change("plain", "window", "backlog", "bytes_peak", to=BATCH_BYTES - 512)
        self.assert_only("window bounds the bytes in flight", "plain")

    def test_predictions_that_are_not_kept_are_told(self):
        for record in self.sweeps["outputs"]:
            record["memory"]["cuda"][gpu_claims.PEAK_IN_USE] = DEVICE_BYTES
        self.assert_only("predictions that are kept stay in memory", "outputs")

    def test_records_of_two_versions_are_told(self):
        self.sweeps["losses"][0]["environment"] = {"runahead": "0.1.0", "git": "abd"}
        self.assert_only("one version of the program made every record", "all sweeps")

    def test_a_bottom_that_one_repeat_did_not_find_is_told(self):
        self.sweeps["launch_queue"][0]["results"]["launch_queue"]["depth_unknown_because"] = "none blocked"
        self.assert_only("launching blocks when the queue is full", "launch_queue: outputs dropped")

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
        self.assert_only("record_stream on a side stream: device memory grows", "copies: staging pinned_ring, copies side_record_stream")

    def test_reused_buffers_on_a_side_stream_must_not(self):
        self.change("copies", "none", "memory", "cuda", gpu_claims.PEAK_IN_USE, to=DEVICE_BYTES + 20 * BATCH_BYTES,
                    key="copies", value="side_reuse")
        self.assert_only("events and reuse on a side stream: it does not", "copies: staging pinned_ring, copies side_reuse")

    def test_a_folder_that_is_not_there_is_an_error(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(gpu_claims.main([str(self.out / "none")]), 2)
        self.assertIn("is no folder", told.getvalue())


if __name__ == "__main__":
    unittest.main()
