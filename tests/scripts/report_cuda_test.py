"""Tests of scripts/report: what is shown of a run on CUDA."""

import base64
import itertools
import json
import unittest

import numpy

from report_case import FolderTest  # Before report: it sets the path.

import record_fixtures as fixtures
from report import comparisons, cuda_memory, figure, records, series

CUDA = {"staging": "pinned", "copies": "in_order", "buffers": 4, "allocator": "native", "expandable_segments": False}
MEGABYTE = 1_000_000


def config(cuda=(), **changes):
    return {"experiment": "train", "device": "cuda:0", "data": {}, "log_every": 0, "cuda": {**CUDA, **dict(cuda)}, **changes}


class Mechanism(unittest.TestCase):
    def test_each_way_to_the_device_has_its_own_words(self):
        ways = list(itertools.product(("pageable", "pinned", "pinned_ring"), ("in_order", "side_record_stream", "side_reuse")))
        said = {cuda_memory.mechanism(config({"staging": staging, "copies": copies})) for staging, copies in ways}
        self.assertEqual(len(said), len(ways))
        self.assertNotIn("", said)

    def test_names_what_else_is_kept_and_who_allocates(self):
        self.assertIn("losses stay on the device, read every 16 batches", cuda_memory.mechanism(config(log_every=16)))
        self.assertIn("outputs are kept", cuda_memory.mechanism(config(outputs="kept")))
        self.assertIn("cudaMallocAsync", cuda_memory.mechanism(config({"allocator": "cuda_malloc_async"})))
        self.assertIn("expandable segments", cuda_memory.mechanism(config({"expandable_segments": True})))

    def test_of_the_launch_queue_speaks_of_no_copies(self):
        said = cuda_memory.mechanism(config(experiment="launch_queue", outputs="kept"))
        self.assertEqual(said, "launches are queued behind a device that is held; outputs are kept to the end")

    def test_other_devices_have_none(self):
        self.assertEqual(cuda_memory.mechanism(config(device="acpu")), "")
        self.assertEqual(cuda_memory.mechanism({}), "")

    def test_what_another_version_wrote_is_left_out(self):
        self.assertEqual(cuda_memory.mechanism({"device": "cuda", "cuda": {"copies": [1], "staging": None}, "log_every": "x"}), "")


class Charts(FolderTest):
    def setUp(self):
        super().setUp()
        record = fixtures.make_record(device="cuda", config__device="cuda", config__cuda=CUDA)
        fixtures.write_run(self.folder, record)
        # What is costly to read is not in every sample.
        rows = [(0.0, 1300, 4), (0.1, 1300, ""), (0.2, 1390, 64)]
        lines = [f"{seconds},{fixtures.BASELINE_BYTES},1,{active * MEGABYTE},{pinned and pinned * MEGABYTE}"
                 for seconds, active, pinned in rows]
        (self.folder / "samples.csv").write_text("\n".join(
            ["time_seconds,rss_bytes,batches_in_flight,cuda_active_bytes,cuda_pinned_bytes", *lines]) + "\n")

    def test_the_page_shows_growth_on_the_device_and_all_that_is_page_locked(self):
        page = self.page_alone(self.folder)
        chart, = [chart for chart in page.charts if chart["layout"]["yaxis"]["title"]["text"] == "CUDA memory (MB)"]
        drawn = {trace["name"]: numpy.frombuffer(base64.b64decode(trace["y"]["bdata"]), dtype="<f4").tolist()
                 for trace in chart["data"]}
        self.assertEqual(drawn, {"async: never waits: growth on the device": [0, 0, 90],
                                 "async: never waits: page-locked on the host": [4, 64]})
        self.assertIn("each queued copy keeps its page-locked memory", page.text)

    def test_the_picture_has_a_panel_that_names_the_mechanism(self):
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
        column, name, *_ = cuda_memory.shown(config({"copies": "side_record_stream"}))[0]
        self.assertIn("deferred frees", name)
        self.assertEqual(cuda_memory.points(series.Series(None, columns), column)[1].tolist(), [0.0, 120.0])


if __name__ == "__main__":
    unittest.main()
