"""Tests of scripts/report: what is shown of a run on CUDA."""

import json
import unittest

import numpy

from report_case import FolderTest  # Before report: it sets the path.

import record_fixtures as fixtures
from report import comparisons, cuda_memory, figure, records, series


class Charts(FolderTest):
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


if __name__ == "__main__":
    unittest.main()
