"""Tests of scripts/report: what resident memory is made of, over time and at its peak."""

import pathlib
import unittest

import numpy

import report_case  # noqa: F401 (before report: it sets the path)

from report import attribution, attribution_chart, records, series

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


class Chart(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
