"""Tests of parts of scripts/report: reading, thinning, what memory is made of, colours, sizes, damaged records."""

import copy
import json
import pathlib
import random
import subprocess
import sys
import unittest

import numpy
from plotly import graph_objects

from report_case import FolderTest, Page, unpacked  # Before report: it sets the path.

import record_fixtures as fixtures
from report import (attribution, attribution_chart, colours, comparisons, cuda_memory, figure, files, page, plot, records, samples,
                    series, time_charts)

NAN = float("nan")
PARTS = ("parameters_bytes", "inputs_bytes")
DESCRIBED = {"executing_bytes": {"label": "results being made", "rss_sign": 1},
             "untouched_bytes": {"label": "not touched yet", "rss_sign": -1},
             **{part: {"label": part.removesuffix("_bytes"), "rss_sign": 1} for part in PARTS}}


def attributed_line(columns, label="none", baseline=1000):
    """A line whose samples have these columns; every other part is 0."""
    rows = len(columns["rss_bytes"])
    names = [*DESCRIBED, *(attribution.untouched(part) for part in PARTS), attribution.REST, attribution.OVERCOUNTED]
    everything = {column: numpy.zeros(rows) for column in names}
    everything["time_seconds"] = numpy.arange(float(rows))
    everything |= {name: numpy.array(values, dtype=float) for name, values in columns.items()}
    run = records.Run({"memory": {"attribution": {"baseline_bytes": baseline}},
                       "results": {"sample_columns": DESCRIBED}}, pathlib.Path("x"))
    group = type("Group", (), {"label": label, "runs": [run]})()
    return series.Line(group=group, colour="#000000", dash="solid", others=[], main=series.Series(run, everything))


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
        self.assertEqual(list(samples.thin(times, values)[1]), list(values))


class Samples(FolderTest):
    def setUp(self):
        super().setUp()
        self.warnings = []

    def test_an_empty_field_is_not_measured(self):
        fixtures.write_samples(self.folder, [(0.0, 5, None), (0.1, None, None), (0.2, 7, None)])
        columns = samples.read_samples(self.folder / "samples.csv", self.warnings.append)
        times, values = samples.measured(columns, "rss_bytes")
        self.assertEqual(list(times), [0.0, 0.2])
        self.assertEqual(list(values), [5, 7])
        self.assertEqual(len(samples.measured(columns, "batches_in_flight")[0]), 0)
        self.assertEqual(len(samples.measured(columns, "no_such_column")[0]), 0)

    def test_a_torn_last_line_is_left_out_with_a_warning(self):
        fixtures.write_samples(self.folder, [(0.0, 5, 1)])
        with open(self.folder / "samples.csv", "a") as file:
            file.write("0.1" + ",7" * fixtures.COLUMNS.count(","))  # The last number may lack digits.
        self.assertEqual(len(samples.read_samples(self.folder / "samples.csv", self.warnings.append)["rss_bytes"]), 1)
        self.assertEqual(self.warnings, [f"{self.folder}/samples.csv, line 3 is damaged; it is left out"])

    def test_a_step_keeps_its_value_until_the_next_and_what_happens_between_samples_shows_in_the_next(self):
        times, values = numpy.array([0.0, 1.0]), numpy.array([3.0, 4.0])
        self.assertEqual([samples.value_at(times, values, time) for time in (-0.1, 0.9, 1.0, 2.0)], [3, 3, 4, 4])
        self.assertEqual([samples.value_after(times, values, time) for time in (-0.1, 0.0, 0.1, 2.0)], [3, 3, 4, 4])


class Parts(unittest.TestCase):
    def test_tensors_are_shown_without_what_is_untouched(self):
        line = attributed_line({"rss_bytes": [1100, 1500], "parameters_bytes": [100, 100],
                                "inputs_bytes": [0, 400], "inputs_untouched_bytes": [0, 50],
                                "rest_bytes": [0, 30], "overcounted_bytes": [20, 0]})
        _, rss, added, rest = attribution.parts(line.main)
        self.assertEqual(list(rss), [100, 500])
        self.assertEqual(list(added["inputs_bytes"]), [0, 350])
        self.assertEqual(list(added), [*PARTS, "executing_bytes"])
        self.assertEqual(list(rest), [-20, 30])

    def test_samples_that_were_not_attributed_are_left_out(self):
        line = attributed_line({"rss_bytes": [1000, 1010, 1020], "rest_bytes": [1, NAN, 2]})
        self.assertEqual(list(attribution.parts(line.main)[0]), [0, 2])
        no_counters = series.Series(line.run, {"time_seconds": numpy.zeros(1), "rss_bytes": numpy.ones(1)})
        self.assertIsNone(attribution.parts(no_counters))
        self.assertIsNone(attribution.parts(series.Series(records.Run({}, pathlib.Path("x")), line.main.columns)))


class AttributionChart(unittest.TestCase):
    def test_areas_share_their_times_and_keep_the_peak(self):
        rss = 1000 + numpy.arange(5000) % 1700
        rss[3333] = 9000
        line = attributed_line({"rss_bytes": rss, "inputs_bytes": rss - 1000, "parameters_bytes": [100] * 5000})
        drawn = attribution_chart.charts([line], 400)[0]
        areas = [trace for trace in drawn.data if "stackgroup" in trace]
        self.assertEqual([trace["name"] for trace in areas], ["parameters", "inputs"])
        self.assertEqual(len({trace["x"]["bdata"] for trace in drawn.data}), 1)
        self.assertGreater(drawn.layout["yaxis"]["range"][1], 8000 / 1e6)

    def test_charts_of_all_lines_have_one_scale(self):
        small = attributed_line({"rss_bytes": [1000, 2000]})
        large = attributed_line({"rss_bytes": [1000, 9000]}, "every_batch")
        not_attributed = series.Line(group=small.group, colour="#000000", dash="solid", others=[],
                                     main=series.Series(records.Run({}, pathlib.Path("x")), {}))
        drawn = attribution_chart.charts([small, not_attributed, large], 100)
        self.assertEqual([chart.line for chart in drawn], [0, 2])
        self.assertEqual(len({chart.layout["yaxis"]["range"][1] for chart in drawn}), 1)


class Cuda(FolderTest):
    def test_the_picture_has_a_panel_that_names_the_mechanism(self):
        fixtures.write_cuda_run(self.folder)
        self.report(self.folder)
        summary = json.loads((self.folder / "report" / "summary.json").read_text(encoding="utf-8"))
        comparison, = comparisons.read(summary, records.read_listed(summary["runs"]))
        self.assertIn("cuda (pinned, in order)", comparison.subtitle)
        drawing = figure.draw(comparison, series.load_lines(comparison, []))
        self.addCleanup(figure.close, drawing)
        _, cuda, _ = drawing.axes
        curves = [list(line.get_ydata()) for line in cuda.lines]
        self.assertIn([0, 0, 90], curves)
        self.assertIn([4, 64], curves)
        self.assertIn("each queued copy keeps its page-locked memory", cuda.get_title().replace("\n", " "))

    def test_with_record_stream_deferred_frees_are_shown(self):
        times = numpy.array([0.0, 0.1])
        columns = {"time_seconds": times, "rss_bytes": times, "cuda_active_bytes": numpy.array([900.0, 700.0]),
                   "cuda_allocated_bytes": numpy.array([900.0, 580.0])}
        column, name, *_ = cuda_memory.shown(fixtures.cuda_config({"copies": "side_record_stream"}))[0]
        self.assertIn("deferred frees", name)
        self.assertEqual(cuda_memory.points(series.Series(None, columns), column)[1].tolist(), [0.0, 120.0])


class Charts(FolderTest):
    def test_plotly_knows_every_property(self):
        for chart in self.page_alone(self.write_pair()).charts:
            graph_objects.Figure(data=chart["data"], layout=chart["layout"])

    def test_no_peak_is_lost_in_a_long_series(self):
        rows = [(step / 1000, fixtures.BASELINE_BYTES, 1) for step in range(20_000)]
        rows[12_345] = (12.345, fixtures.BASELINE_BYTES + 512_000_000, 99)
        charts = self.page_alone(self.write_pair(rows)).charts
        main = [trace for chart in charts if chart["layout"]["yaxis"]["title"]["text"] == "RSS growth (MB)"
                for trace in chart["data"] if trace["mode"] == "lines"]
        self.assertEqual({float(unpacked(trace["y"]).max()) for trace in main}, {512.0})
        self.assertLessEqual(max(len(unpacked(trace["x"])) for trace in main), plot.LARGEST_DRAWN)

    def test_a_repeat_that_does_not_stand_for_the_others_is_named_where_it_is_drawn(self):
        sweep = self.write_pair()
        (sweep / "cells" / f"{'a' * 12}-0" / "samples.csv").unlink()
        page = self.page_alone(sweep)
        self.assertIn("charts show repeat 1, because repeat 0, which stands for the others elsewhere, has no samples", page.text)
        names = {trace["name"] for chart in page.charts for trace in chart["data"] if chart["layout"]["yaxis"]["title"]["text"] == "RSS growth (MB)"}
        self.assertEqual(len([name for name in names if name.endswith(", repeat 1")]), 1, names)

    def test_a_class_of_memory_that_is_not_listed_waits_in_the_legend(self):
        run = records.Run({"results": {"sample_columns": {"idle_bytes": {"label": "idle arenas", "rss_sign": 0},
                                                          "heap_bytes": {"label": "heap", "rss_sign": 1}}}}, pathlib.Path("x"))
        columns = {name: numpy.arange(3.0) for name in ("time_seconds", "arena_bytes", "idle_bytes", "heap_bytes")}
        line = series.Line(group=None, colour="#000000", dash="solid", others=[], main=series.Series(run, columns))
        traces = [trace for trace in time_charts.class_traces(0, line, set(), 100) if trace]
        self.assertEqual([(trace["name"], trace["visible"]) for trace in traces], [("arena", "legendonly"), ("idle arenas", "legendonly")])

    def test_colours_differ_while_they_last_and_never_run_out(self):
        chosen = colours.of_places([0, 1, 0, 99, *[None] * 20])
        self.assertEqual(len(set(chosen[:7])), 7)
        self.assertEqual(chosen[:2], ["#D55E00", "#0072B2"])
        styles = colours.distinct((colour, "dash") for colour in chosen)
        self.assertEqual((styles[0], styles[7]), (("#D55E00", "dash"), (chosen[7], "solid")))
        self.assertEqual(len(set(styles)), len(styles))
        self.assertEqual(len(colours.distinct([("#D55E00", "solid")] * 99)), 99)

    def test_each_part_of_rss_that_acpu_counts_has_a_colour_of_its_own(self):
        self.assertEqual(len(set(attribution.COLOURS)), len(attribution.COLOURS))
        self.assertGreaterEqual(len(attribution.COLOURS), 11)

    def test_names_are_cut_where_they_differ(self):
        self.assertEqual(figure.shortened(["train 123456", "short"], 9), ["train 12…", "short"])
        self.assertEqual(figure.shortened(["train --batch 64", "train --batch 128"], 9), ["trai…h 64", "trai… 128"])
        self.assertEqual(figure.shortened(["a" * 20 + "b" + "c" * 20, "a" * 20 + "d" + "c" * 20], 9), ["a" * 20 + "b" + "c" * 20, "a" * 20 + "d" + "c" * 20])

    def test_pictures_name_any_text(self):
        self.assertEqual(figure.plain("_u $x\x1b[31m\ny\udcff\uffff"), " _u \\$x\ufffd[31m\ny\ufffd\ufffd")

    def test_a_page_of_many_lines_shares_its_size(self):
        self.assertEqual(plot.points_of_a_series(2), plot.LARGEST_DRAWN)
        for lines in (100, 500):
            self.assertLessEqual(lines * plot.SERIES_OF_A_LINE * plot.points_of_a_series(lines), plot.POINTS_OF_A_PAGE)
        self.assertEqual(plot.points_of_a_series(10**6), plot.SMALLEST_DRAWN)

    def test_configs_of_a_large_sweep_are_bounded(self):
        runs = [records.Run(fixtures.make_record(config__seed=seed), pathlib.Path("x")) for seed in range(200)]
        self.assertIn(f"{200 - page.LARGEST_CONFIGS} more", Page(page.configs(runs)).text)


class Endings(unittest.TestCase):
    def test_a_signal_exits_the_script_and_one_that_is_ignored_stays_so(self):
        script = ("import os, signal; from report.files import remove_unfinished_when_ended; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
                  "remove_unfinished_when_ended(); os.kill(os.getpid(), signal.SIGHUP)\n"
                  "try: os.kill(os.getpid(), signal.SIGTERM); signal.pause()\n"
                  "finally: os.kill(os.getpid(), signal.SIGINT); print('cleaned')")
        ran = subprocess.run([sys.executable, "-c", script], cwd=pathlib.Path(files.__file__).parents[1], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout), (143, "cleaned\n"), ran.stderr)


class DamagedRecords(FolderTest):
    ODD = [None, True, -1, 0, 1e308, "", "text", "$x_{$", [], [1, "a"], {}, {"a": {"b": []}}]

    def test_any_value_in_any_place_has_a_page(self):
        random.seed(7)
        damaged = [fixtures.make_record(id=str(number) * 64, repeat=number) for number in range(60)]
        for record in damaged:
            for _ in range(random.randrange(1, 4)):
                place = record
                while True:
                    key = random.choice(list(place))
                    if not isinstance(place[key], dict) or not place[key] or random.random() < 0.3:
                        break
                    place = place[key]
                place[key] = copy.deepcopy(random.choice(self.ODD))
        fixtures.write_sweep(self.folder, damaged)
        named = sum(isinstance(record["id"], str) and record["id"] != "" for record in damaged)
        self.assertIn(f"{named} runs", self.page(self.folder).text)


if __name__ == "__main__":
    unittest.main()
