"""Tests of scripts/report: the page's words, tables and charts, from any record."""

import copy
import pathlib
import random
import unittest

import numpy
from plotly import graph_objects

from report_case import FolderTest, Page, unpacked  # Before report: it sets the path.

import record_fixtures as fixtures
from report import colours, page, plot, records, series, time_charts


def traces_of(charts, axis_title):
    return [trace for chart in charts if chart["layout"]["yaxis"]["title"]["text"] == axis_title
            for trace in chart["data"]]


class Charts(FolderTest):
    def test_plotly_knows_every_property(self):
        for chart in self.page_alone(self.write_pair()).charts:
            graph_objects.Figure(data=chart["data"], layout=chart["layout"])

    def test_no_peak_is_lost_in_a_long_series(self):
        rows = [(step / 1000, fixtures.BASELINE_BYTES, 1) for step in range(20_000)]
        rows[12_345] = (12.345, fixtures.BASELINE_BYTES + 512_000_000, 99)
        charts = self.page_alone(self.write_pair(rows)).charts
        main = [trace for trace in traces_of(charts, "RSS growth (MB)") if trace["mode"] == "lines"]
        self.assertEqual({float(unpacked(trace["y"]).max()) for trace in main}, {512.0})
        self.assertLessEqual(max(len(unpacked(trace["x"])) for trace in main), plot.LARGEST_DRAWN)

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

    def test_a_page_of_many_lines_shares_its_size(self):
        self.assertEqual(plot.points_of_a_series(2), plot.LARGEST_DRAWN)
        for lines in (100, 500):
            self.assertLessEqual(lines * plot.SERIES_OF_A_LINE * plot.points_of_a_series(lines), plot.POINTS_OF_A_PAGE)
        self.assertEqual(plot.points_of_a_series(10**6), plot.SMALLEST_DRAWN)

    def test_configs_of_a_large_sweep_are_bounded(self):
        runs = [records.Run(fixtures.make_record(config__seed=seed), pathlib.Path("x")) for seed in range(200)]
        self.assertIn(f"{200 - page.LARGEST_CONFIGS} more", Page(page.configs(runs)).text)


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
