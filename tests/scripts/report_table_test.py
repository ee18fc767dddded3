"""Tests of scripts/report: the table of a sweep."""

import csv
import io
import pathlib
import unittest

from report_case import FolderTest  # Before report: it sets the path.

import record_fixtures as fixtures
from report import records, summary


def runs_of(*made):
    return [records.Run(record, pathlib.Path("none")) for record in made]


class Table(FolderTest):
    def setUp(self):
        super().setUp()
        totals = [10.0, 14.0, 11.0]
        self.made = [fixtures.sweep_record("a", "none", repeat=repeat, time__total_seconds=total)
                     for repeat, total in enumerate(totals)]
        self.made += [fixtures.sweep_record("b", "every_batch", status="out_of_memory", time=None),
                      fixtures.sweep_record("b", "every_batch", repeat=1, time__total_seconds=20.0)]

    def test_numbers_are_in_the_units_of_their_keys(self):
        rows = list(csv.DictReader(io.StringIO(summary.as_csv(runs_of(*self.made)))))
        self.assertEqual([(row["/sync/policy"], row["states"]) for row in rows],
                         [("none", "3 ok"), ("every_batch", "1 out_of_memory, 1 ok")])
        self.assertEqual([float(rows[0][f"total_seconds_{part}"]) for part in ("median", "min", "max")],
                         [11.0, 10.0, 14.0])

    def test_only_runs_that_are_ok_have_a_median(self):
        cut_short = fixtures.sweep_record("a", "none", repeat=3, status="interrupted", time__total_seconds=0.1)
        self.assertEqual(summary.spread(runs_of(*self.made[:3], cut_short), ("time", "total_seconds")), (11.0, 10.0, 14.0))
        self.assertIsNone(summary.spread(runs_of(cut_short), ("time", "total_seconds")))

    def test_what_was_not_measured_is_empty_or_a_dash(self):
        runs = runs_of(fixtures.sweep_record("c", "none", status="crashed"))
        row, = csv.DictReader(io.StringIO(summary.as_csv(runs)))
        self.assertEqual(row["total_seconds_median"], "")
        self.assertIn("–", summary.as_markdown(runs))

    def test_markdown_shows_the_spread_where_there_is_one(self):
        lines = summary.as_markdown(runs_of(*self.made)).splitlines()
        self.assertEqual({line.count("|") for line in lines}, {9})
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertIn("| 11.0 s (10.0 s to 14.0 s) |", lines[2])
        self.assertIn("| 20.0 s |", " ".join(lines[3].split()))

    def test_fields_cannot_break_the_table(self):
        made = fixtures.make_record(axes={"/model/kind": "a|b\nc"})
        self.assertIn("a\\|b c", summary.as_markdown(runs_of(made)))

    def test_runs_without_axes_are_told_apart_by_their_config(self):
        made = [fixtures.make_record(config__sync={"policy": policy}) for policy in ("none", "every_batch")]
        rows = list(csv.DictReader(io.StringIO(summary.as_csv(runs_of(*made)))))
        self.assertEqual([row["states"] for row in rows], ["1 ok", "1 ok"])

    def test_the_command_prints_it_and_writes_both_forms_and_no_chart(self):
        fixtures.write_sweep(self.folder / "sweep", self.made)
        code, out, err = self.report(self.folder / "sweep", "--table")
        target = self.folder / "sweep" / "report"
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.names(target), ["table.csv", "table.md"])
        self.assertEqual("\n".join(out) + "\n", (target / "table.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
