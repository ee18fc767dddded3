"""`runahead.read`, and how a notebook shows recordings and runs."""

import importlib.util
import json
import math
import sys
import types
import unittest
from unittest import mock

from recording_test import RecordingTest, train  # Before runahead.

import runahead
from runahead import run_html


class Reading(RecordingTest):
    PANDAS = types.SimpleNamespace(DataFrame=list, read_csv=lambda path, index_col: (path, index_col))

    def test_a_row_has_the_figures_of_a_run_by_their_places(self):
        with runahead.recording(self.folder, device="cpu"):
            pass
        with mock.patch.dict(sys.modules, pandas=self.PANDAS):
            runs = runahead.read(self.folder)
            self.assertEqual((runs.records[0]["status"], runs.records[0]["config.experiment"]), ("ok", "recording"))
            self.assertEqual(runs.samples(), (self.folder / "samples.csv", "time_seconds"))
            with self.assertRaisesRegex(IndexError, "no run 1"):
                runs.samples(1)

    def test_a_sweep_has_the_newest_record_of_each_run_and_its_axes(self):
        def line(cell, status):
            return json.dumps({"schema_version": 1, "id": cell * 64, "repeat": 0, "status": status, "axes": {"/sync/policy": cell}})

        self.folder.mkdir()
        (self.folder / "records.jsonl").write_text("\n".join([line("a", "failed"), line("b", "ok"), '{"torn', line("a", "ok"), '{"to']))
        with mock.patch.dict(sys.modules, pandas=self.PANDAS):
            runs = runahead.read(str(self.folder))
            self.assertEqual([(row["/sync/policy"], row["status"]) for row in runs.records], [("a", "ok"), ("b", "ok")])
            self.assertEqual(runs.samples(1)[0], self.folder / "cells/bbbbbbbbbbbb-0/samples.csv")

    def test_a_record_of_a_sweep_without_an_id_is_left_out_with_a_warning(self):
        self.folder.mkdir()
        kept = {"schema_version": 1, "id": "a", "status": "ok", "axes": None, "time": None}
        (self.folder / "records.jsonl").write_text(json.dumps({"schema_version": 1}) + "\n" + json.dumps(kept) + "\n")
        with mock.patch.dict(sys.modules, pandas=self.PANDAS), self.assertWarnsRegex(UserWarning, "records.jsonl, line 1 has no id; it is left out") as found:
            runs = runahead.read(self.folder)
        self.assertEqual((runs.records, found.filename), ([kept], __file__))

    def test_what_is_missing_is_named(self):
        with mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(ImportError, "pip install pandas"):
            runahead.read(self.folder)
        with mock.patch.dict(sys.modules, pandas=self.PANDAS), self.assertRaisesRegex(FileNotFoundError, "neither record.json"):
            runahead.read(self.folder)


class InANotebook(RecordingTest):
    def test_a_recording_that_has_ended_is_a_table_with_units(self):
        self.folder = self.parent / "<mine>"
        with runahead.recording(self.folder, device="cpu") as recording:
            train(recording, "cpu")
            self.assertRegex(recording._repr_html_(), r"\A<p>a recording into /.*/&lt;mine&gt;, which has no record of it yet</p>\Z")
        shown = recording._repr_html_()
        self.assertIn("<th>issue time</th><th>total time</th><th>RSS growth</th>", shown)
        self.assertRegex(shown, r"<td>recording on cpu</td>\n?<td>ok</td><td>[\d.]+ (µs|ms|s)</td>")
        self.assertEqual(shown.count("<svg"), 2)

    def test_a_sweep_has_a_line_a_run_up_to_a_bound(self):
        rows = [{"/sync/policy": "<none>", "/n": number, "status": "ok", "repeat": number % 2, "time.issue_seconds": 6.28e-05,
                 "memory.rss_growth_bytes": 25_400_000, "loss.last": math.nan} for number in range(21)]
        (self.parent / "samples.csv").write_text("time_seconds,rss_bytes\n0,5\n1,\n2,15\n2,10\n")
        shown = run_html.table(rows, [self.parent / "samples.csv"] + [self.parent / "missing.csv"] * 20)
        self.assertTrue(shown.startswith("<table><thead><tr><th>sync/policy</th><th>n</th><th>repeat</th><th>status</th><th>issue time</th>"))
        self.assertIn("<tr><td>&lt;none&gt;</td><td>0</td><td>0</td><td>ok</td><td>62.8 µs</td><td>-</td><td>25.4 MB</td>", shown)
        self.assertIn('points="0,25.0 120,1.0"', shown)
        self.assertEqual((shown.count("<tr>"), shown.count("<svg"), shown.count("<td></td>")), (21, 1, 19))
        self.assertTrue(shown.endswith("<p>and 1 more</p>"))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "there is no pandas here")
    def test_runs_are_shown_as_their_records_are(self):
        with runahead.recording(self.folder, device="cpu") as recording:
            recording.batch(1)
        self.assertEqual(runahead.read(self.folder)._repr_html_(), recording._repr_html_())


if __name__ == "__main__":
    unittest.main()
