"""Tests of scripts/report: what is compared, and what is said of it."""

import json
import pathlib
import unittest

import report_case  # Before report: it sets the path.
import record_fixtures as fixtures
from report import comparisons, findings, labels, records, units


class Comparing(unittest.TestCase):
    def compare(self, *made):
        return comparisons.compare([records.Run(record, pathlib.Path("none")) for record in made])

    def test_policies_are_lines_and_other_axes_are_charts(self):
        made = [fixtures.sweep_record(str(number), policy, axes={"/acpu/ready_order": order},
                                      config__acpu__ready_order=order)
                for number, (policy, order) in enumerate([("every_batch", "first_ready"), ("none", "first_ready"),
                                                          ("every_batch", "oldest_first"), ("none", "oldest_first")])]
        charts = self.compare(*made)
        self.assertEqual([chart.slug for chart in charts],
                         ["memory-ready_order-first_ready", "memory-ready_order-oldest_first"])
        self.assertEqual([group.policy for group in charts[0].groups], ["every_batch", "none"])
        self.assertIn("sync against async", charts[0].title)
        self.assertIn("first_ready", charts[0].subtitle)

    def test_the_subtitle_says_what_ran(self):
        chart, = self.compare(fixtures.make_record())
        for part in ["acpu", "MLP 512-2048-512-1", "100 batches of 1024", "made on host", "oldest_first"]:
            self.assertIn(part, chart.subtitle)

    def test_the_headline_says_what_went_on_meanwhile(self):
        for experiment, title in (("train", "Memory growth and backlog while training, by sync policy"),
                                  ("predict", "Memory growth and backlog while predicting, by sync policy"),
                                  ("front_end", "Memory growth and backlog, by sync policy")):
            chart, = self.compare(fixtures.make_record(config__experiment=experiment))
            self.assertEqual(chart.title, title)
        chart, = self.compare(fixtures.make_record(config__experiment="launch_queue", config__sync={}))
        self.assertEqual(chart.title, "Memory growth and backlog")

    def test_axes_that_the_subtitle_lacks_are_added(self):
        made = fixtures.make_record(axes={"/optimizer/learning_rate": 0.25})
        self.assertIn("learning_rate 0.25", self.compare(made)[0].subtitle)

    def test_the_run_of_the_median_total_stands_for_its_repeats(self):
        made = [fixtures.make_record(repeat=repeat, time__total_seconds=total)
                for repeat, total in enumerate([9.0, 30.0, 12.0])]
        made.append(fixtures.make_record(repeat=3, status="timed_out", time__total_seconds=11.0))
        group, = self.compare(*made)[0].groups
        ordered = comparisons.by_median_total(group.runs)
        self.assertEqual([run.repeat for run in ordered], [2, 0, 1, 3])

    def test_lines_of_one_policy_are_told_apart_by_their_axes(self):
        made = [fixtures.sweep_record(str(n), "none", axes={"/acpu/limit": limit}, config__acpu__limit=limit)
                for n, limit in enumerate(["off", {"operations": 10}])]
        chart, = self.compare(*made)
        self.assertEqual([group.label for group in chart.groups],
                         ["async: never waits, policy none, limit off",
                          "async: never waits, policy none, limit operations 10"])

    def test_charts_never_share_a_file(self):
        made = [fixtures.make_record(id=str(n) * 64, config__seed=n) for n in range(3)]
        self.assertEqual([chart.slug for chart in self.compare(*made)], ["memory", "memory-2", "memory-3"])

    def test_records_without_a_config_are_compared_all_the_same(self):
        chart, = self.compare({"schema_version": 1, "status": "crashed", "axes": {"/sync/policy": "none"}})
        self.assertEqual(chart.groups[0].label, "policy none")


class Headline(unittest.TestCase):
    def headline(self, *made):
        comparison, = comparisons.compare([records.Run(record, pathlib.Path("none")) for record in made])
        return findings.headline(comparison)

    def sync(self, **changes):
        return fixtures.sweep_record("a", "every_batch", **{"backlog__batches_peak": 2, **changes})

    def test_says_what_ran_ahead_and_what_that_cost(self):
        self.assertEqual(
            self.headline(self.sync(memory__rss_growth_bytes=25_000_000, time__total_seconds=12.0),
                          fixtures.sweep_record("b", "none")),
            "Without a wait the front end finished issuing after 0.260 s; 97 batches were in flight; their inputs held "
            "204 MB. The process grew by 215 MB, 8.60 times as much as with a wait after every batch (25.0 MB), in "
            "about the same time.")

    def test_says_when_running_ahead_cost_nothing(self):
        text = self.headline(self.sync(memory__rss_growth_bytes=213_000_000, time__total_seconds=24.4),
                             fixtures.sweep_record("b", "none"))
        self.assertIn("about as much as with a wait after every batch (213 MB), in 0.500 times its time.", text)

    def test_gives_no_ratio_of_what_was_cut_short_or_not_measured(self):
        text = self.headline(self.sync(memory__rss_growth_bytes=0, status="timed_out"),
                             fixtures.sweep_record("b", "none"))
        self.assertTrue(text.endswith("grew by 215 MB; with a wait after every batch by 0 B."), text)
        text = self.headline(self.sync(memory=None), fixtures.sweep_record("b", "none", status="crashed"))
        self.assertTrue(text.endswith("their inputs held 204 MB; it ended as crashed."), text)

    def test_of_a_run_alone_compares_nothing(self):
        self.assertEqual(self.headline(self.sync(memory__held_peak_bytes=None, time__issue_seconds=None)),
                         "With a wait after every batch; 2 batches were in flight.")

    def test_of_a_run_alone_says_what_the_program_says(self):
        cases = json.loads((report_case.ROOT / "tests" / "data" / "findings.json").read_text())
        self.assertTrue(cases)
        for case in cases:
            self.assertEqual(self.headline(case["record"]), case["sentence"])

    def test_without_a_backlog_says_what_is_known(self):
        self.assertIn("async: never waits: ended as failed", self.headline(
            fixtures.make_record(status="failed", backlog=None)))


class Words(unittest.TestCase):
    def test_units(self):
        self.assertEqual(units.bytes_text(None), "–")
        self.assertEqual([units.bytes_text(n) for n in (0, 999, 2_101_248, 215_000_000, 999_500)],
                         ["0 B", "999 B", "2.10 MB", "215 MB", "1.00 MB"])
        self.assertEqual([units.seconds_text(s) for s in (None, 0.2618, 12.24)], ["–", "0.262 s", "12.2 s"])

    def test_small_times_are_shown_in_the_unit_that_fits(self):
        self.assertEqual([units.duration_text(s) for s in (None, 12.24, 0.00362, 1e-7, 0)],
                         ["–", "12.2 s", "3.62 ms", "0.100 µs", "0.000 µs"])

    def test_ratios_are_shown_as_how_far_off_they_are(self):
        self.assertEqual([units.ratio_text(ratio) for ratio in (None, 1.0, 0.988, 1.5, 25.0)],
                         ["–", "+0.0 %", "-1.2 %", "+50 %", "+2,400 %"])

    def test_every_policy_has_a_label(self):
        known = [{"policy": "none"}, {"policy": "every_batch", "wait": "print"},
                 {"policy": "every_n", "n": 10, "wait": "all"}, {"policy": "window", "batches": 2},
                 {"policy": "budget", "bytes": 256_000_000}, {"policy": "adaptive", "ceiling": "1GiB"}]
        self.assertEqual([labels.sync_label(sync) for sync in known],
                         ["async: never waits", "sync: waits after every batch (print)", "waits every 10 batches (all)",
                          "window of 2 batches", "budget of 256 MB", "adaptive, at most 1GiB"])
        self.assertEqual(labels.sync_label({"policy": "newer"}), "newer")
        self.assertEqual(labels.sync_label({}), "")

    def test_findings_leave_out_what_was_not_measured(self):
        run = records.Run(fixtures.make_record(), pathlib.Path("x"))
        self.assertEqual(findings.sentence(run),
                         "the last batch was issued after 0.260 s, and everything had run after 12.2 s; "
                         "up to 97 batches were in flight, whose inputs held 204 MB; the process grew by 215 MB")
        self.assertEqual(findings.sentence(records.Run({"status": "crashed"}, pathlib.Path("x"))), "ended as crashed")


if __name__ == "__main__":
    unittest.main()
