"""Tests of scripts/report: the command, from made-up records to files."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import warnings
from unittest import mock

from report_case import ROOT, RUNAHEAD, FolderTest

import record_fixtures as fixtures


class Report(FolderTest):
    def test_writes_charts_and_a_page_and_prints_their_paths(self):
        self.write_pair()
        code, out, err = self.report(self.folder / "sweep")
        target = self.folder / "sweep" / "report"
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(target / name) for name in ("memory.png", "memory.svg", "index.html")])
        self.assertEqual(self.names(target), ["index.html", "memory.png", "memory.svg", "summary.json"])
        self.assertTrue((target / "memory.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_report_of_the_same_records_is_the_same(self):
        self.write_pair()
        for name in ("one", "two"):
            self.report(self.folder / "sweep", "--out", self.folder / name)
        for name in ("memory.svg", "memory.png", "index.html"):
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "two" / name).read_bytes())

    def test_many_runs_that_were_not_monitored_are_one_warning_and_rows_of_a_table(self):
        made = [fixtures.make_record(id=f"{size:064x}", axes={"/sync/policy": "none", "/data/batch_size": size}) for size in range(300)]
        fixtures.write_sweep(self.folder / "sweep", made)
        code, _, err = self.report(self.folder / "sweep")
        self.assertEqual(code, 0)
        self.assertEqual(len(err.splitlines()), 2, err)
        self.assertIn("nothing was sampled in 100 of 100 comparisons", err)
        self.assertIn("100 of 300 comparisons have charts", err)
        self.assertIn(">policy none, batch_size 299<", (self.folder / "sweep/report/index.html").read_text())

    def test_figures_that_nobody_measured_and_letters_that_no_font_has_make_no_noise(self):
        folder = self.folder / "日本"
        absurd = {"time__issue_seconds": 1e308, "time__total_seconds": 1e308, "memory__rss_growth_bytes": 1e308, "memory__rss_baseline_bytes": -1e308}
        fixtures.write_run(folder, fixtures.make_record(**absurd), fixtures.ramp_rows())
        fixtures.write_run(self.folder / "usual", fixtures.make_record(), fixtures.ramp_rows())
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            code, _, _ = self.report(folder, self.folder / "usual")
        self.assertEqual((code, [str(one.message) for one in found]), (0, []))

    def test_two_sweeps_are_printed_and_drawn(self):
        first, second = self.write_pair(), self.folder / "new"
        made = [fixtures.sweep_record("a", "every_batch", repeat=repeat, time__total_seconds=20.0 + repeat) for repeat in range(2)]
        fixtures.write_sweep(second, made, fixtures.ramp_rows())
        code, out, err = self.report(first, second)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out[0].startswith("new against sweep, 1 cell: "), out[0])
        self.assertIn("comparison.png", self.names(first / "report"))
        (first / "report" / "mine.png").write_bytes(b"")
        self.assertEqual(self.report(first)[0], 0)
        self.assertEqual(self.names(first / "report"), ["index.html", "memory.png", "memory.svg", "mine.png", "summary.json"])

    def test_what_cannot_be_written_leaves_no_half_of_it(self):
        self.write_pair()
        with mock.patch("report.files.os.replace", side_effect=OSError("disk full")):
            code, out, err = self.report(self.folder / "sweep")
        self.assertEqual((code, out), (1, []))
        self.assertIn("disk full", err)
        self.assertEqual(self.names(self.folder / "sweep" / "report"), [])


class Program(FolderTest):
    def test_writes_everything_although_nobody_reads_what_it_prints(self):
        first, second = self.write_pair(), self.folder / "new"
        fixtures.write_sweep(second, [fixtures.sweep_record("a", "every_batch", repeat=repeat) for repeat in range(2)])
        for words, code in (([RUNAHEAD, "report", first, second], 0), ([RUNAHEAD, "report", first], 0), ([RUNAHEAD, "report", first], 1)):
            with self.subTest(words=words, code=code), open("/dev/full", "w") as full:
                reader, writer = os.pipe()
                os.close(reader)
                out = self.folder / "out"
                ran = subprocess.run([*words, "--out", out], stdout=full if code else writer, stderr=subprocess.PIPE, text=True,
                                     env={**os.environ, "RUNAHEAD_PYTHON": sys.executable, "RUNAHEAD_HOME": str(ROOT)})
                os.close(writer)
                said = "runahead: error: cannot write to stdout: No space left on device\n" if code else ""
                self.assertEqual((ran.returncode, ran.stderr), (code, said))
                self.assertIn("index.html", self.names(out))
                shutil.rmtree(out)

    def test_says_which_package_is_missing(self):
        fixtures.write_run(self.folder, fixtures.make_record())
        for package in ("matplotlib", "numpy", "plotly"):
            with self.subTest(package):
                hidden = self.folder / f"without-{package}"
                hidden.mkdir()
                (hidden / f"{package}.py").write_text(f"raise ImportError('no {package} here')\n")
                ran = subprocess.run([sys.executable, ROOT / "scripts" / "report.py", "--summary", self.folder / "summary.json"],
                                     capture_output=True, text=True, env={"PYTHONPATH": str(hidden)})
                self.assertEqual(ran.returncode, 3, ran.stderr)
                self.assertIn(f"no {package} here", ran.stderr)
                self.assertFalse((self.folder / "report").exists())


if __name__ == "__main__":
    unittest.main()
