"""Tests of scripts/report: the page of what `runahead reproduce` found."""

import json
import unittest

import record_fixtures as fixtures
from report_case import FolderTest, Page


def spread(median):
    return {"median": median, "min": 0.9 * median, "max": 1.2 * median, "count": 7}


def claim(experiment, device="acpu", **changes):
    return {"document": "JAX", "id": f"{experiment}.claim", "experiment": experiment, "claim": "The call returns early.",
            "condition": "dispatch < 10 % of the copy", "device": device, "expected": "holds", "holds": True, "met": True,
            "measured": "1 %", "values": {}, "depends_on": "On the device.", **changes}


def totals(operations):
    return {"operations": operations, "waited_each_seconds": spread(2.0 * operations),
            "waited_once_seconds": spread(1.0 * operations), "issue_seconds": spread(0.5 * operations),
            "predicted_each_seconds": 2.1 * operations, "predicted_once_seconds": 1.1 * operations,
            "error_each": 0.05, "error_once": 0.1}


RESULTS = {
    "dispatch": {"dispatch_seconds": spread(2e-5), "copy_seconds": spread(0.04)},
    "matmul_loop": {"without_wait_seconds": spread(1e-4), "with_wait_seconds": spread(0.5)},
    "graph": {"issue_seconds": spread(1e-5), "read_seconds": spread(1e-4), "text": "0: ones <1>",
              "svg": "<svg xmlns='http://www.w3.org/2000/svg'><text>mul</text></svg>"},
    "queued_finished": {"queued_seconds": spread(1e-4), "finished_seconds": spread(0.3)},
    "sync_functions": {"execution_seconds": spread(0.25), "loss_ready_seconds": spread(0.26)},
    "increment": {"independent": {"runs": [totals(1000), totals(10000)]}, "chained": {"runs": [totals(1000)]}},
    "data_iter": {"batches": [50, 100], "with_wait_elapsed_seconds": [1.0, 2.0], "without_wait_elapsed_seconds": [0.1, 0.2],
                  "with_wait_total_seconds": spread(2.0), "without_wait_total_seconds": spread(1.9)},
    "exercise": {"sizes": [{"elements": 2, "t2_over_t1": 0.2, "fitting_formula": "front_end"},
                           {"elements": 65536, "t2_over_t1": 4.0, "fitting_formula": "back_end"}]},
    "front_end": {"t2_seconds": 0.1, "delays": [{"percent": percent, "seconds_per_batch": spread(0.1 + percent / 1000)}
                                                for percent in (0, 100, 200)]},
}
RUNS = {"graph": "graph.2_workers", "increment": "increment.small"}
MEMORY = {"train": "train.on_device.none", "predict": "predict.dropped.none"}


class ReproducePage(FolderTest):
    def setUp(self):
        super().setUp()
        self.runs, self.records, self.claims = [], [], []
        for experiment, results in RESULTS.items():
            self.add_run(RUNS.get(experiment, experiment), "acpu", results={experiment: results}, config__size=1000)
            self.claims.append(claim(experiment))
        self.add_run("graph.1_worker", "acpu", results={"graph": RESULTS["graph"]})
        for experiment, name in MEMORY.items():
            for run, batches in ((f"{name}.short", 50), (f"{name}.long", 100)):
                for process in range(3):
                    self.add_run(run, "acpu", config__batches=batches,
                                 results={"occupied_peak_bytes": 2e6 * batches + process})
            self.claims.append(claim(experiment))

    def add_run(self, name, device, **changes):
        self.runs.append({"run": name, "device": device, "process": 0, "id": "f" * 64, "status": "ok"})
        self.records.append(fixtures.make_record(device=device, **changes))

    def write(self, *experiments, **changes):
        """Writes the result; with `experiments`, its claims are those of these alone, and their charts are drawn alone."""
        if experiments:
            self.claims = [claim for claim in self.claims if claim["experiment"] in experiments]
        document = {"schema_version": 1, "status": "ok", "quick": False, "devices": ["cpu", "acpu"], "all_met": True,
                    "runs": self.runs, "claims": self.claims, **changes}
        (self.folder / "reproduce.json").write_text(json.dumps(document))
        (self.folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return self.folder

    def test_has_a_section_and_a_chart_for_each_experiment(self):
        code, _, err = self.report(self.write())
        self.assertEqual((code, err), (0, ""))
        experiments = [*RESULTS, *MEMORY]
        expected = [f"{name}.{suffix}" for name in experiments for suffix in ("png", "svg")]
        self.assertEqual(self.names(self.folder / "report"), sorted([*expected, "index.html"]))
        text = (self.folder / "report" / "index.html").read_text()
        for experiment in experiments:
            self.assertIn(f'<section class="comparison" id="{experiment}">', text)
        self.assertEqual(text.count("<figure"), len(experiments) + 1)  # And the graph that was tracked.
        page = Page(text)
        self.assertEqual(page.loads, [])
        self.assertIn("0: ones <1>", page.text)

    def test_has_a_row_a_claim_with_what_was_found_on_each_device(self):
        self.claims = [claim("dispatch"), claim("dispatch", device="cpu", expected="fails", holds=False, measured="99 %")]
        page = self.page(self.write())
        self.assertIn(["The call returns early.dispatch < 10 % of the copy", "✓ fails, as expected: 99 %",
                       "✓ holds, as expected: 1 %"], page.rows)
        self.assertIn("Every claim was found as expected.", page.text)

    def test_says_what_was_not_as_expected(self):
        self.claims = [claim("dispatch", holds=None, met=False, measured="not measured: the run 'dispatch' is failed")]
        page = self.page(self.write(status="interrupted"))
        self.assertIn("0 of 1 claims", page.text)
        self.assertIn("interrupted", page.text)
        self.assertIn("1 not as expected", page.text)
        order = [page.text.index(text) for text in ("What was not as expected", "✗ not measured: the run 'dispatch' is failed",
                                                    "Contents", "The same programs", "Environment")]
        self.assertEqual(order, sorted(order))
        self.assertGreater(page.text.rindex("Glossary"), page.text.rindex("Environment"))

    def test_writes_values_on_bars_and_units_on_axes(self):
        self.report(self.write("dispatch"))
        picture = (self.folder / "report" / "dispatch.svg").read_text()
        for text in ("20.0 µs", "40.0 ms", "100 µs", "1 ms"):
            self.assertIn(f"<!-- {text} -->", picture)

    def test_leaves_what_was_run_again_out_of_the_charts(self):
        again = {**RESULTS["dispatch"], "copy_seconds": {"median": 7.0, "min": 7.0, "max": 7.0, "count": 5}}
        self.add_run("dispatch", "acpu", results={"dispatch": again}, config__size=1000)
        self.runs[-1]["attempt"] = 1
        self.assertIn(["np.asarray(jnp.dot(x, x) + 3.)", "wait", "copy time", "–",
                       "40.0 ms (36.0 ms to 48.0 ms)"], self.page(self.write("dispatch")).rows)

    def test_stands_without_what_was_not_measured(self):
        self.records = [fixtures.make_record(status="failed", results={}) for _ in self.records]
        code, _, err = self.report(self.write())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.names(self.folder / "report"), ["index.html"])

    def write_baselines(self, size):
        baselines = self.folder / "baselines"
        baselines.mkdir()
        figures = {"copy_seconds": {"median": 0.02, "min": 0.02, "max": 0.02, "runs": 5}}
        (baselines / "jax.json").write_text(json.dumps({
            "baseline": "jax", "status": "ok", "versions": {"jax": "0.10.2"},
            "programs": {"dispatch": {"cases": {"default": {"parameters": {"size": size}, "figures": figures}}}}}))
        (baselines / "mxnet.json").write_text(json.dumps({"baseline": "mxnet", "status": "absent", "reason": "it is not set up",
                                                      "programs": None}))

    def test_puts_the_frameworks_beside_ours(self):
        self.write_baselines(size=1000)
        page = self.page(self.write("dispatch"))
        self.assertIn(["dispatch, default", "copy time", "–", "40.0 ms (36.0 ms to 48.0 ms)",
                       "20.0 ms (20.0 ms to 20.0 ms)"], page.rows)
        self.assertIn("jax 0.10.2", page.text)
        self.assertIn("mxnet: it is not set up", page.text)

    def test_puts_no_other_size_beside_theirs(self):
        self.write_baselines(size=500)
        self.assertIn(["dispatch, default", "copy time", "–", "–", "20.0 ms (20.0 ms to 20.0 ms)"],
                      self.page(self.write("dispatch")).rows)

    def test_leaves_out_a_damaged_baseline(self):
        (self.folder / "baselines").mkdir()
        (self.folder / "baselines" / "jax.json").write_text("{")
        code, _, err = self.report(self.write("dispatch"))
        self.assertEqual(code, 0)
        self.assertIn("jax.json", err)

    def test_what_holds_no_claims_is_refused(self):
        for changes in ({"claims": None}, {"claims": [{}]}, {"runs": None}, {"devices": None}):
            with self.subTest(changes):
                code, out, err = self.report(self.write(**changes))
                self.assertEqual((code, out), (2, []))
                self.assertIn("reproduce.json", err)

    def test_is_reported_alone(self):
        self.assertEqual(self.report(self.write(), self.folder)[0], 2)


if __name__ == "__main__":
    unittest.main()
