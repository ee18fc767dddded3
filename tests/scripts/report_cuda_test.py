"""Tests of scripts/report: what is shown of a run on CUDA."""

import itertools
import json
import unittest

import numpy

from report_case import FolderTest  # Before report: it sets the path.

import record_fixtures as fixtures
from report import comparisons, cuda_memory, figure, records, series


def config(cuda=(), **changes):
    return {"experiment": "train", "device": "cuda:0", "data": {}, "log_every": 0, "cuda": {**fixtures.CUDA, **dict(cuda)}, **changes}


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
        column, name, *_ = cuda_memory.shown(config({"copies": "side_record_stream"}))[0]
        self.assertIn("deferred frees", name)
        self.assertEqual(cuda_memory.points(series.Series(None, columns), column)[1].tolist(), [0.0, 120.0])


if __name__ == "__main__":
    unittest.main()
