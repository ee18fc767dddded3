"""Tests that Perfetto opens the timeline that `run --trace` writes, and sees in it what ran.

Skipped where its trace processor is not installed (scripts/requirements/tests.txt);
RUNAHEAD_EXPECT_TRACE_PROCESSOR=1 makes that a failure.
"""

import os
import unittest

import trace_processor
from trace_case import BATCHES, RUNS, WORKERS, TracedRun

ERRORS = "SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"
ENDS_OF_ARROWS = """
SELECT begun.category AS begun, ended.category AS ended, COUNT(*) AS arrows
FROM flow JOIN slice AS begun ON flow.slice_out = begun.id JOIN slice AS ended ON flow.slice_in = ended.id
GROUP BY 1, 2"""
ROWS_OF_COUNTERS = """
SELECT counter_track.name AS name, COUNT(*) AS changes
FROM counter JOIN counter_track ON counter.track_id = counter_track.id GROUP BY 1"""
PARENTS = """
SELECT slice.category AS category, parent.category AS parent, COUNT(*) AS slices
FROM slice LEFT JOIN slice AS parent ON slice.parent_id = parent.id GROUP BY 1, 2"""
TRACKS = """
SELECT thread.name AS name, COUNT(*) AS slices
FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
WHERE slice.category = 'operation' GROUP BY 1"""
SHAPES = """
SELECT DISTINCT slice.name AS name, args.display_value AS shapes
FROM slice JOIN args USING (arg_set_id) WHERE args.key = 'args.on'"""


class TraceInPerfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := trace_processor.missing_packages():
            wanted = f"{', '.join(missing)} of scripts/requirements/tests.txt"
            if os.environ.get("RUNAHEAD_EXPECT_TRACE_PROCESSOR") == "1":
                raise trace_processor.TraceProcessorError(f"RUNAHEAD_EXPECT_TRACE_PROCESSOR is set, without {wanted}")
            raise unittest.SkipTest(f"no trace processor here: {wanted}")
        cls.processor = trace_processor.TraceProcessor()

    def rows(self, query):
        return {tuple(keys): count for *keys, count in self.processor.query(query)}

    def test_sees_what_ran(self):
        for name, changes in RUNS.items():
            with self.subTest(name):
                run = TracedRun(changes)
                self.processor.load(run.text)
                self.assertEqual(self.processor.query(ERRORS), [])
                self.check_slices(run.record["results"]["trace"])
                self.check_arrows(run.trace())
                self.check_workers(WORKERS[name])
                counters = {key: count for (key,), count in self.rows(ROWS_OF_COUNTERS).items()}
                self.assertEqual(counters, run.counter_changes())

    def check_slices(self, recorded):
        slices = self.rows(PARENTS)
        self.assertEqual(slices.pop(("batch", None)), BATCHES)
        self.assertEqual(slices.pop(("phase", "batch")), 4 * BATCHES)
        self.assertEqual(slices.pop(("drain", None)), 1)
        self.assertEqual(slices.pop(("operation", None), 0), recorded["operations_recorded"])
        blocked = slices.pop(("blocked", "phase"), 0) + slices.pop(("blocked", "drain"), 0)
        self.assertEqual(blocked, recorded["waits_recorded"])
        self.assertEqual(slices, {})

    def check_workers(self, known):
        workers = {key for (key,) in self.rows(TRACKS)}
        self.assertLessEqual(workers, set(known))
        self.assertEqual(bool(workers), bool(known))
        if known:
            self.assertIn(("aten::addmm", "Float[8], Float[8, 4], Float[4, 8]"), self.processor.query(SHAPES))

    def check_arrows(self, trace):
        arrows = self.rows(ENDS_OF_ARROWS)
        self.assertLessEqual({begun for begun, _ in arrows}, {"phase", "blocked"})
        self.assertLessEqual({ended for _, ended in arrows}, {"operation"})
        self.assertEqual(sum(arrows.values()), trace["otherData"]["arrows"])
        of_batches = [event for event in trace["traceEvents"]
                      if event.get("cat") == "operation" and "batch" in event["args"]]
        self.assertEqual(sum(arrows.values()), len(of_batches))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # So that a skipped test says why.
