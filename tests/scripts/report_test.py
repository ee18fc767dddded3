"""Tests of scripts/report: from made-up records to charts and a page."""

import contextlib
import html.parser
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import numpy  # noqa: E402 (after the path)

import record_fixtures as fixtures  # noqa: E402
from report import command, comparisons, findings, labels, records, samples, units  # noqa: E402


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *arguments):
        """Runs the command. Returns exit code, lines of stdout, stderr."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = command.main([str(argument) for argument in arguments])
        return code, out.getvalue().splitlines(), err.getvalue()

    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())


class Thinning(unittest.TestCase):
    def test_keeps_every_peak_and_trough_and_the_ends(self):
        for seed in range(20):
            random.seed(seed)
            size = random.randrange(1, 30_000)
            values = numpy.array([random.random() for _ in range(size)])
            values[random.randrange(size)] = 5.0
            values[random.randrange(size)] = -5.0
            times = numpy.arange(size, dtype=float)
            with self.subTest(seed=seed, size=size):
                thin_times, thin_values = samples.thin(times, values, largest=100)
                self.assertLessEqual(len(thin_values), 100)
                self.assertEqual(thin_values.max(), values.max())
                self.assertEqual(thin_values.min(), values.min())
                self.assertTrue((numpy.diff(thin_times) > 0).all())
                self.assertEqual((thin_times[0], thin_times[-1]), (times[0], times[-1]))

    def test_leaves_short_series_alone(self):
        times = values = numpy.arange(10.0)
        self.assertIs(samples.thin(times, values)[1], values)


class Samples(FolderTest):
    def test_an_empty_field_is_not_measured(self):
        fixtures.write_samples(self.folder, [(0.0, 5, None), (0.1, None, None), (0.2, 7, None)])
        columns = samples.read_samples(self.folder / "samples.csv")
        times, values = samples.measured(columns, "rss_bytes")
        self.assertEqual(list(times), [0.0, 0.2])
        self.assertEqual(list(values), [5, 7])
        self.assertEqual(len(samples.measured(columns, "batches_in_flight")[0]), 0)
        self.assertEqual(len(samples.measured(columns, "no_such_column")[0]), 0)

    def test_a_torn_last_line_is_left_out(self):
        fixtures.write_samples(self.folder, [(0.0, 5, 1)])
        with open(self.folder / "samples.csv", "a") as file:
            file.write("0.1,7")
        self.assertEqual(len(samples.read_samples(self.folder / "samples.csv")["rss_bytes"]), 1)

    def test_refuses_other_files(self):
        (self.folder / "x.csv").write_text("a,b\n1,2\n")
        with self.assertRaises(ValueError):
            samples.read_samples(self.folder / "x.csv")

    def test_a_step_keeps_its_value_until_the_next(self):
        times, values = numpy.array([0.0, 1.0]), numpy.array([3.0, 4.0])
        self.assertEqual([samples.value_at(times, values, time) for time in (-0.1, 0.9, 1.0, 2.0)], [3, 3, 4, 4])

    def test_what_happens_between_samples_shows_in_the_next(self):
        times, values = numpy.array([0.0, 1.0]), numpy.array([3.0, 4.0])
        self.assertEqual([samples.value_after(times, values, time) for time in (-0.1, 0.0, 0.1, 2.0)], [3, 3, 4, 4])


class Records(FolderTest):
    def test_the_last_record_of_a_repeat_counts(self):
        old, new = fixtures.make_record(status="failed"), fixtures.make_record(status="ok")
        fixtures.write_sweep(self.folder, [old, fixtures.make_record(repeat=1), new])
        runs, warnings = records.read_folders([self.folder])
        self.assertEqual([(run.repeat, run.status) for run in runs], [(0, "ok"), (1, "ok")])
        self.assertEqual(warnings, [])
        self.assertEqual(runs[0].samples_path, self.folder / "cells" / ("f" * 12 + "-0") / "samples.csv")

    def test_torn_and_foreign_lines_are_warnings(self):
        good = json.dumps(fixtures.make_record())
        (self.folder / "records.jsonl").write_text(f'{good}\n[1]\n\n{good[:40]}')
        runs, warnings = records.read_folders([self.folder])
        self.assertEqual(len(runs), 1)
        self.assertEqual(len(warnings), 2)
        self.assertIn("records.jsonl, line 4", warnings[1])

    def test_an_unknown_schema_is_a_warning(self):
        fixtures.write_run(self.folder, fixtures.make_record(schema_version=2))
        runs, warnings = records.read_folders([self.folder])
        self.assertEqual(len(runs), 1)
        self.assertIn("schema_version 2", warnings[0])

    def test_what_is_not_there_is_none(self):
        run = records.Run({"time": None, "memory": {"a": 1}}, pathlib.Path("x"))
        self.assertIsNone(run.get("time", "issue_seconds"))
        self.assertIsNone(run.get("memory", "a", "b"))
        self.assertEqual((run.status, run.config, run.axes, run.repeat), ("unknown", {}, {}, 0))


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


class Words(unittest.TestCase):
    def test_units(self):
        self.assertEqual(units.bytes_text(None), "–")
        self.assertEqual([units.bytes_text(n) for n in (0, 999, 2_101_248, 215_000_000, 999_500)],
                         ["0 B", "999 B", "2.10 MB", "215 MB", "1.00 MB"])
        self.assertEqual([units.seconds_text(s) for s in (None, 0.2618, 12.24)], ["–", "0.262 s", "12.2 s"])

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


class Page(html.parser.HTMLParser):
    """What a page shows and what it would load."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.rows, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th") and self.rows:
            self.rows[-1].append(data)


class Report(FolderTest):
    def write_pair(self):
        made = [fixtures.sweep_record(cell, policy, repeat=repeat) for repeat in range(2)
                for cell, policy in (("a", "every_batch"), ("b", "none"))]
        fixtures.write_sweep(self.folder / "sweep", made, fixtures.ramp_rows())

    def test_writes_charts_and_a_page_and_prints_their_paths(self):
        self.write_pair()
        code, out, err = self.report(self.folder / "sweep")
        target = self.folder / "sweep" / "report"
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(target / name) for name in ("memory.png", "memory.svg", "index.html")])
        self.assertEqual(self.names(target), ["index.html", "memory.png", "memory.svg"])
        self.assertTrue((target / "memory.png").read_bytes().startswith(b"\x89PNG"))

    def test_the_page_needs_no_network_and_lists_every_run(self):
        self.write_pair()
        self.report(self.folder / "sweep", "--out", self.folder / "elsewhere" / "out")
        page = Page((self.folder / "elsewhere" / "out" / "index.html").read_text())
        self.assertTrue(page.loads)
        self.assertTrue(all(load.startswith("data:") for load in page.loads), page.loads)
        self.assertEqual(page.rows[1], ["policy every_batch", "0", "ok", "0.260 s", "12.2 s", "215 MB", "97", "204 MB",
                                        "0.00419"])
        self.assertEqual([row[0] for row in page.rows[1:5]], ["policy every_batch", "policy none"] * 2)

    def test_a_report_of_the_same_records_is_the_same(self):
        self.write_pair()
        for name in ("one", "two"):
            self.report(self.folder / "sweep", "--out", self.folder / name)
        for name in ("memory.svg", "memory.png", "index.html"):
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "two" / name).read_bytes())

    def test_failed_cells_are_listed_and_null_figures_are_dashes(self):
        failed = fixtures.sweep_record("c", "every_batch", status="out_of_memory", error="aten::mm needs <1 TB>",
                                       time=None, memory=None, backlog=None, loss=None)
        fixtures.write_sweep(self.folder, [fixtures.sweep_record("b", "none"), failed], fixtures.ramp_rows())
        code, out, _ = self.report(self.folder)
        rows = Page(pathlib.Path(out[-1]).read_text()).rows
        self.assertEqual(code, 0)
        self.assertEqual(rows[2], ["policy every_batch", "0", "out_of_memory", *["–"] * 6, "aten::mm needs <1 TB>"])

    def test_a_run_that_was_not_monitored_has_a_page_without_chart(self):
        fixtures.write_run(self.folder, fixtures.make_record())
        code, out, err = self.report(self.folder)
        self.assertEqual(code, 0)
        self.assertEqual([pathlib.Path(line).name for line in out], ["index.html"])
        self.assertIn("no chart", err)

    def test_half_measured_runs_are_drawn(self):
        for name, rows in {"rss": [(0.0, 5, None), (0.1, 9, None)], "backlog": [(0.0, None, 1), (0.1, None, 2)],
                           "one": [(0.0, 5, 1)]}.items():
            with self.subTest(name):
                fixtures.write_run(self.folder / name, fixtures.make_record(memory__rss_baseline_bytes=None), rows)
                code, out, err = self.report(self.folder / name)
                self.assertEqual((code, len(out), err), (0, 3, ""))

    def test_samples_that_cannot_be_read_are_a_warning(self):
        fixtures.write_run(self.folder, fixtures.make_record())
        (self.folder / "samples.csv").write_text("time_seconds,rss_bytes\n0,many\n")
        code, _, err = self.report(self.folder)
        self.assertEqual(code, 0)
        self.assertIn("samples.csv cannot be drawn", err)

    def test_several_folders_are_shown_together(self):
        for policy in ("none", "every_batch"):
            fixtures.write_run(self.folder / policy, fixtures.make_record(config__sync={"policy": policy}),
                               fixtures.ramp_rows())
        code, out, _ = self.report(self.folder / "none", self.folder / "every_batch")
        self.assertEqual(code, 0)
        self.assertEqual(out[0], str(self.folder / "none" / "report" / "memory.png"))
        self.assertEqual(len(out), 3)

    def test_a_folder_without_records_is_a_usage_error(self):
        code, out, err = self.report(self.folder, self.folder / "missing")
        self.assertEqual((code, out), (2, []))
        self.assertIn("no records", err)
        self.assertEqual(self.names(self.folder), [])

    def test_what_cannot_be_written_leaves_no_half_of_it(self):
        self.write_pair()
        with mock.patch("report.files.os.replace", side_effect=OSError("disk full")):
            code, out, err = self.report(self.folder / "sweep")
        self.assertEqual((code, out), (1, []))
        self.assertIn("disk full", err)
        self.assertEqual(self.names(self.folder / "sweep" / "report"), [])


class Program(FolderTest):
    def test_says_which_package_is_missing(self):
        fixtures.write_run(self.folder, fixtures.make_record())
        for package in ("matplotlib", "numpy"):
            with self.subTest(package):
                hidden = self.folder / f"without-{package}"
                hidden.mkdir()
                (hidden / f"{package}.py").write_text(f"raise ImportError('no {package} here')\n")
                ran = subprocess.run([sys.executable, ROOT / "scripts" / "report.py", self.folder],
                                     capture_output=True, text=True, env={"PYTHONPATH": str(hidden)})
                self.assertEqual(ran.returncode, 3, ran.stderr)
                self.assertIn(f"no {package} here", ran.stderr)
                self.assertFalse((self.folder / "report").exists())

    def test_usage_errors_exit_with_2(self):
        ran = subprocess.run([sys.executable, ROOT / "scripts" / "report.py"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)


if __name__ == "__main__":
    unittest.main()
