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
    PANDAS = types.SimpleNamespace(DataFrame=list, read_csv=lambda file, index_col: (file.read(), index_col))

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(sys.modules, pandas=self.PANDAS))

    def test_a_row_has_the_figures_of_a_run_by_their_places(self):
        with runahead.recording(self.folder, device="cpu"):
            pass
        runs = runahead.read(self.folder)
        self.assertEqual((runs.records[0]["status"], runs.records[0]["config.experiment"]), ("ok", "recording"))
        self.assertEqual(runs.samples(), ((self.folder / "samples.csv").read_text(), "time_seconds"))
        for run, error, words in ((1, IndexError, "run: found 1; allowed: the number of a row of `records`, counted from 0; there are 1"), ("x", TypeError, "run: found 'x'; allowed: the number of a row of `records`")):
            with self.assertRaisesRegex(error, words):
                runs.samples(run)

    def write_records(self, *lines):
        self.folder.mkdir()
        (self.folder / "records.jsonl").write_bytes(b"\n".join(lines))

    def test_a_sweep_has_the_newest_record_of_each_run_and_its_axes(self):
        def line(cell, status):
            axes = {"/sync/policy": cell}
            return json.dumps({"schema_version": 1, "id": cell * 64, "repeat": 0, "status": status, "axes": axes}).encode()

        self.write_records(line("a", "failed"), line("b", "ok"), line("a", "ok"))
        samples = self.folder / "cells/bbbbbbbbbbbb-0/samples.csv"
        samples.parent.mkdir(parents=True)
        samples.write_text("time_seconds,rss_bytes\n0,5\n")
        runs = runahead.read(str(self.folder))
        self.assertEqual([(row["/sync/policy"], row["status"]) for row in runs.records], [("a", "ok"), ("b", "ok")])
        self.assertEqual(runs.samples(1)[0], samples.read_text())

    def test_a_merged_record_of_a_shard_is_known_whatever_keys_it_has(self):
        def line(minute, status, **keys):
            record = {"schema_version": 1, "id": "a" * 64, "repeat": 0, "status": status, "ended_at": f"2026-11-24T20:{minute}:00Z"}
            return json.dumps(record | keys).encode()

        self.write_records(line(18, "failed", cuda=None), line(19, "ok"))
        shard = self.folder / "shards/0-of-1.jsonl"
        shard.parent.mkdir()
        for minute, counts in ((18, "ok"), (20, "failed")):
            shard.write_bytes(line(minute, "failed") + b"\n")
            with self.subTest(minute):
                self.assertEqual([row["status"] for row in runahead.read(self.folder).records], [counts])

    def test_damaged_records_of_a_sweep_are_left_out_with_a_warning_each(self):
        kept = {"schema_version": 1, "id": "a", "status": "ok", "axes": None, "time": None}
        self.write_records(b'{"schema_version": 1}', b'{"torn', b"\xff", b"[" * 100_000, b"[1]", b'{"id": "b"}', b"",
                           json.dumps(kept).encode())
        with self.assertWarns(UserWarning) as found:
            runs = runahead.read(self.folder)
        self.assertEqual((runs.records, found.filename), ([kept], __file__))
        torn, path = "is torn: it is not valid JSON; this record is left out", self.folder / "records.jsonl"
        ends = ["has no id; it is left out", torn, torn, torn, "is not a JSON object; it is left out",
                "is not a record: it has no schema_version; it is left out"]
        self.assertEqual([str(one.message) for one in found.warnings], [f"{path}, line {number} {end}" for number, end in enumerate(ends, 1)])

    def test_a_run_whose_record_is_damaged_is_refused(self):
        self.folder.mkdir()
        path = self.folder / "record.json"
        for content, words in ((b"\xff\0", "record.json is torn: it is not valid JSON"), (b"[]", "record.json is not a JSON object"),
                               (b'{"schema_version": 2}', "has schema_version 2, and this version reads 1 only")):
            path.write_bytes(content)
            with self.subTest(content), self.assertRaisesRegex(ValueError, words):
                runahead.read(self.folder)

    def test_samples_that_are_missing_or_damaged_are_named(self):
        self.folder.mkdir()
        record, samples = {"schema_version": 1, "status": "ok", "config": {"monitor": {"rate_hz": 0}}}, self.folder / "samples.csv"

        def read(**changes):
            (self.folder / "record.json").write_text(json.dumps(record | changes))
            return runahead.read(self.folder).samples(0)

        for changes, words in (({}, "run 0 has no samples: its monitor.rate_hz is 0; run it again with --set"),
                               ({"status": "skipped"}, "its status is skipped"), ({"config": {}}, "samples.csv; tune keeps none")):
            with self.subTest(words), self.assertRaisesRegex(FileNotFoundError, words):
                read(**changes)
        for content, words in ((b"", "it is empty"), (b"time_seconds,rss_b", "its heading, in line 1, is torn"),
                               (b"time_seconds\n\xff", "it is not text in UTF-8"), (b"a,b\n", "its first column is not time_seconds")):
            samples.write_bytes(content)
            with self.subTest(content), self.assertRaisesRegex(ValueError, f"samples of run 0 cannot be read: .*samples.csv: {words}"):
                read()
        samples.write_text('time_seconds,rss_bytes\n0,5\nnan,1\n1,\n2,abc\n2,1e99\n3,"4\n3\n4,5,6\n5,12')
        with self.assertWarnsRegex(UserWarning, "samples.csv, line 3 is damaged; it is left out, and 6 more after it"):
            self.assertEqual(read()[0], "time_seconds,rss_bytes\n0,5\n1,\n")

    def test_what_is_missing_is_named(self):
        with mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(ImportError, "pip install pandas"):
            runahead.read(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "neither record.json"):
            runahead.read(self.folder)
        (self.parent / "record.json").touch()
        for given, words in (("", "found '' as the folder: name the folder of a run"), (self.parent / "record.json", "is a file: name its folder, '")):
            with self.subTest(given), self.assertRaisesRegex(ValueError, words):
                runahead.read(given)


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
