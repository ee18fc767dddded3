"""Tests of scripts/report: the chart of what `runahead tune` found."""

import json
import unittest

from report_case import FolderTest


def candidate(**changes):
    return {"policy": "window", "name": "window 2", "of_none": 0.995, "of_none_lower": 0.991, "of_none_upper": 0.999,
            "verdict": "keeps", "is_smallest": True, "peak_bytes": 44_000_000, **changes}


def budget(**changes):
    return {**candidate(policy="budget", name="budget 47MiB"), **changes}


class TuneChart(FolderTest):
    def write(self, **changes):
        found = {"schema_version": 1, "target": 0.99, "none": {"peak_bytes": 104_000_000},
                 "candidates": [candidate(name="window 1", of_none=0.9, of_none_lower=0.88, of_none_upper=0.92,
                                          is_smallest=False), candidate(), budget()], **changes}
        (self.folder / "tune.json").write_text(json.dumps(found))
        return self.folder

    def test_marks_the_smallest_that_keep_the_target(self):
        code, out, err = self.report(self.write(), "--out", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(self.folder / "tune.png"), str(self.folder / "tune.svg")])
        picture = (self.folder / "tune.svg").read_text()
        for text in ("window 2, 44.0 MB", "budget 47MiB, 44.0 MB", "target: 0.99", "no bound"):
            self.assertIn(text, picture)
        self.assertNotIn("window 1,", picture)

    def test_goes_to_the_folder_report_by_default(self):
        self.assertEqual(self.report(self.write())[0], 0)
        self.assertEqual(self.names(self.folder / "report"), ["tune.png", "tune.svg"])

    def test_is_drawn_without_what_was_not_measured(self):
        folder = self.write(candidates=[candidate(), budget(of_none=None)])
        code, _, err = self.report(folder, "--out", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("budget", (self.folder / "tune.svg").read_text())

    def test_is_over_rss_where_the_device_counts_no_bytes(self):
        folder = self.write(none={"peak_bytes": None, "growth_bytes": 90_000_000},
                            candidates=[candidate(peak_bytes=None, growth_bytes=20_000_000)])
        code, _, err = self.report(folder, "--out", self.folder)
        self.assertEqual((code, err), (0, ""))
        picture = (self.folder / "tune.svg").read_text()
        self.assertIn("RSS growth (MB)", picture)
        self.assertIn("window 2, 20.0 MB", picture)

    def test_spans_wide_ranges(self):
        code, _, err = self.report(self.write(candidates=[candidate(), candidate(peak_bytes=4_000_000_000)]))
        self.assertEqual((code, err), (0, ""))

    def test_what_holds_no_points_is_refused(self):
        for changes in ({"candidates": []}, {"candidates": [candidate(peak_bytes=None)]}, {"candidates": None}, {"none": None}):
            with self.subTest(changes):
                code, out, err = self.report(self.write(**changes))
                self.assertEqual((code, out), (2, []))
                self.assertIn("tune.json", err)

    def test_other_files_are_refused(self):
        for text in ("", "[]", "{", "\x00"):
            with self.subTest(text):
                (self.folder / "tune.json").write_text(text)
                self.assertEqual(self.report(self.folder)[0], 2)


if __name__ == "__main__":
    unittest.main()
