"""Tests of scripts/report: two sweeps, cell by cell."""

import csv
import pathlib
import unittest
import warnings

from report_case import FolderTest, Page  # Before report: it sets the path.

import record_fixtures as fixtures
from report import comparisons, pairing, records, two_sweeps, two_sweeps_charts, two_sweeps_tables, two_sweeps_words


def repeats(cell, policy, totals, growths=None, **changes):
    """The records of a cell whose repeats took so many seconds, and grew by so many MB."""
    growths = growths or [200.0] * len(totals)
    return [fixtures.sweep_record(cell, policy, repeat=repeat, time__total_seconds=total,
                                  memory__rss_growth_bytes=int(growth * 1e6), **changes)
            for repeat, (total, growth) in enumerate(zip(totals, growths))]


def runs_of(made):
    return [records.Run(record, pathlib.Path("none"), line) for line, record in enumerate(made)]


def compare(first, second):
    return two_sweeps.compare(("old", "new"), runs_of(first), runs_of(second))


def changes_of(two):
    return {(words_of(one.cell), one.figure.heading): one.change for row in two.rows for one in row if one.change}


def words_of(cell):
    return two_sweeps_words.cell_name(cell)


STEADY, SLOWER = [10.0, 10.1, 9.9], [14.0, 14.2, 13.9]


class Pairing(unittest.TestCase):
    def pairs(self, first, second):
        both, alone = pairing.bring_together(runs_of(first), runs_of(second))
        return [(len(cell.first), len(cell.second)) for cell in both], [words_of(cell) for cell in alone]

    def test_cells_are_known_by_their_id_whatever_the_axes_are_called(self):
        other = repeats("a", "none", STEADY[:2])
        for record in other:
            record["axes"] = {"/sync": {"policy": "none"}}
        self.assertEqual(self.pairs(repeats("a", "none", STEADY), other), ([(3, 2)], []))

    def test_cells_of_another_version_are_known_by_their_axes(self):
        self.assertEqual(self.pairs(repeats("a", "none", STEADY), repeats("b", "none", STEADY)), ([(3, 3)], []))

    def test_an_id_counts_before_axes(self):
        first = repeats("a", "none", STEADY)
        second = repeats("b", "none", STEADY[:1]) + repeats("a", "every_batch", STEADY[:2])
        self.assertEqual(self.pairs(first, second), ([(3, 2)], ["policy none"]))

    def test_axes_that_name_several_cells_name_none(self):
        first = repeats("a", "none", STEADY) + repeats("b", "none", STEADY)
        self.assertEqual(self.pairs(first, repeats("c", "none", STEADY)), ([], ["policy none"] * 3))

    def test_cells_of_one_sweep_are_told(self):
        first = repeats("a", "none", STEADY) + repeats("b", "every_batch", STEADY)
        second = repeats("a", "none", STEADY) + repeats("c", "window", STEADY)
        self.assertEqual(self.pairs(first, second), ([(3, 3)], ["policy every_batch", "policy window"]))

    def test_only_runs_of_the_version_that_wrote_last_count(self):
        made = repeats("a", "none", STEADY) + repeats("b", "none", STEADY[:2], environment__runahead="0.2.0")
        told = []
        kept = pairing.of_one_version(runs_of(made), told)
        self.assertEqual([run.get("environment", "runahead") for run in kept], ["0.2.0"] * 2)
        self.assertIn("3 runs", told[0])

    def test_runs_of_one_version_all_count(self):
        told = []
        self.assertEqual(len(pairing.of_one_version(runs_of(repeats("a", "none", STEADY)), told)), 3)
        self.assertEqual((told, pairing.of_one_version([], told)), ([], []))

    def test_runs_that_do_not_tell_their_version_count(self):
        made = repeats("a", "none", STEADY) + repeats("b", "none", STEADY[:1], status="skipped", environment=None)
        told = []
        self.assertEqual((len(pairing.of_one_version(runs_of(made), told)), told), (4, []))

    def test_configs_that_differ_are_named_with_both_values(self):
        cell = pairing.Cell(runs_of(repeats("a", "none", STEADY, config__batches=100)),
                            runs_of(repeats("b", "none", STEADY, config__batches=60, config__model={"kind": "mlp", "x": 1})))
        self.assertEqual(pairing.differences([cell]), {"/batches": ("100", "60"), "/model/x": ("not there", "1"),
                                                       "/model/layers": ("[2048, 512, 1]", "not there")})

    def test_sweeps_are_called_by_what_their_paths_do_not_share(self):
        for paths, names in {("/x/old", "/x/new"): ["old", "new"], ("/x/a/runs", "/x/b/runs"): ["a/runs", "b/runs"],
                             ("/x", "/x/y"): ["/x", "/x/y"]}.items():
            self.assertEqual(pairing.sources_of([pathlib.Path(path) for path in paths]), names)
        long = [pathlib.Path("/x", "l" * 50 + end) for end in "ab"]
        self.assertEqual([len(name) for name in pairing.sources_of(long)], [pairing.LONGEST_SOURCE] * 2)


class Changes(unittest.TestCase):
    def test_what_became_slower_and_larger_is_named(self):
        two = compare(repeats("a", "none", STEADY, [200, 202, 199]) + repeats("b", "every_batch", STEADY),
                      repeats("a", "none", SLOWER, [260, 263, 261]) + repeats("b", "every_batch", STEADY))
        self.assertEqual(changes_of(two), {("policy none", "total"): "slower", ("policy none", "RSS growth"): "larger"})
        self.assertIn("2 cells: 1 slower, 1 larger.", two_sweeps_words.headline(two))
        self.assertIn("total, slower (1): policy none 1.40 (1.37 to 1.44), from 10.0 s to 14.0 s",
                      two_sweeps_words.sentences(two))

    def test_the_other_way_round_it_is_faster_and_smaller(self):
        two = compare(repeats("a", "none", SLOWER, [260, 263, 261]), repeats("a", "none", STEADY, [200, 202, 199]))
        self.assertEqual(set(changes_of(two).values()), {"faster", "smaller"})

    def test_numbers_of_repeats_may_differ(self):
        two = compare(repeats("a", "none", [10.0, 10.1]), repeats("a", "none", [*SLOWER, 14.1, 14.05]))
        total = two.rows[0][0]
        self.assertEqual((total.counts, total.change), ((2, 5), "slower"))

    def test_noise_is_no_change(self):
        two = compare(repeats("a", "none", [8.0, 10.0, 13.0]), repeats("a", "none", [9.0, 12.0, 14.0]))
        self.assertEqual(changes_of(two), {})
        self.assertIn("no change beyond chance", two_sweeps_words.headline(two))

    def test_what_is_sure_but_tiny_is_no_change(self):
        two = compare(repeats("a", "none", [10.0, 10.0001], [2.0, 2.0]), repeats("a", "none", [10.02, 10.0201], [2.5, 2.5]))
        self.assertEqual(changes_of(two), {})

    def test_what_the_medians_deny_is_no_change(self):
        first, second = [1.0] * 9 + [10.0] * 11, [9.9, 9.8] * 10
        two = compare(repeats("a", "none", first), repeats("a", "none", second))
        total = two.rows[0][0]
        self.assertGreater(total.ratio.value, 2)
        self.assertLess(total.ratio.chance, 0.01)
        self.assertEqual(changes_of(two), {})

    def test_two_repeats_that_are_equal_name_nothing(self):
        two = compare(repeats("a", "none", [10.0, 10.0]), repeats("a", "none", [11.0, 11.0]))
        self.assertEqual(changes_of(two), {})

    def test_one_repeat_names_nothing_and_says_why(self):
        two = compare(repeats("a", "none", STEADY), repeats("a", "none", [30.0]))
        self.assertEqual(changes_of(two), {})
        self.assertIn("takes two repeats", two_sweeps_words.headline(two))
        self.assertIn("total: 3.00 over 1 cell", two_sweeps_words.sentences(two))

    def test_only_runs_that_are_ok_count(self):
        second = repeats("a", "none", [*STEADY, 99.0])
        second[3]["status"] = "timed_out"
        total = compare(repeats("a", "none", STEADY), second).rows[0][0]
        self.assertEqual((total.counts, total.ratio.value), ((3, 3), 1.0))

    def test_cells_whose_state_changed_are_named(self):
        broken, mended = repeats("a", "none", STEADY), repeats("b", "every_batch", STEADY, status="crashed")
        two = compare(broken + mended, repeats("a", "none", STEADY, status="out_of_memory")
                      + repeats("b", "every_batch", STEADY))
        self.assertIn("1 no longer ok; 1 ok now", two_sweeps_words.headline(two))
        self.assertEqual(two_sweeps_words.sentences(two),
                         ["no longer ok (1): policy none, 3 ok, then 3 out_of_memory",
                          "ok now (1): policy every_batch, 3 crashed, then 3 ok"])

    def test_a_growth_of_nothing_has_no_ratio(self):
        growth = compare(repeats("a", "none", STEADY, [0, 0, 0]), repeats("a", "none", STEADY)).rows[0][2]
        self.assertEqual((growth.ratio, growth.medians), (None, (0, 200_000_000)))

    def test_runs_of_which_nothing_is_known_are_compared_all_the_same(self):
        empty = [{"schema_version": 1, "id": "a", "status": "ok", "axes": {}, "time": None, "memory": 7}]
        two = compare(empty, empty)
        self.assertEqual([one.ratio for one in two.rows[0]], [None] * len(two_sweeps.FIGURES))
        self.assertIn("the only cell", two_sweeps_tables.as_text(two))
        self.assertIsNone(two_sweeps_charts.draw(two))
        self.assertEqual(two_sweeps_charts.interactive(two), [])


class Charts(unittest.TestCase):
    def test_of_many_cells_those_that_changed_most_are_drawn(self):
        names = [f"p{number}" for number in range(100)]
        first, second = ([record for number, name in enumerate(names)
                          for record in repeats(f"{number:02x}", name, SLOWER if name == "p70" and side else STEADY)]
                         for side in range(2))
        shown = two_sweeps_charts.shown_of(compare(first, second).of(two_sweeps.FIGURES[0]))
        self.assertEqual(len(shown), two_sweeps_charts.MOST_CELLS)
        self.assertEqual([words_of(one.cell) for one in shown if one.is_worse], ["policy p70"])

    def test_one_wide_interval_does_not_hide_the_ratios(self):
        two = compare(repeats("a", "none", [10, 10.5]) + repeats("b", "every_batch", [1, 1000]),
                      repeats("a", "none", [10, 10.5]) + repeats("b", "every_batch", [2, 900]))
        low, high = two_sweeps_charts.limits(two_sweeps_charts.shown_of(two.of(two_sweeps.FIGURES[0])))
        self.assertTrue(0.1 < low < 1 < high < 10, (low, high))


class Lines(unittest.TestCase):
    def test_runs_without_a_policy_are_told_apart_by_their_sweep(self):
        record = fixtures.make_record(experiment="dispatch", config={"experiment": "dispatch"})
        runs = [records.Run(record, pathlib.Path("none"), source=source) for source in ("old", "new")]
        comparison, = comparisons.compare(runs)
        self.assertEqual([group.label for group in comparison.groups], ["old: run", "new: run"])


class Command(FolderTest):
    def setUp(self):
        super().setUp()
        self.first, self.second = self.folder / "old", self.folder / "new"
        common = repeats("b", "every_batch", STEADY)
        fixtures.write_sweep(self.first, repeats("a", "none", STEADY) + common + repeats("c", "window", STEADY),
                             fixtures.ramp_rows())
        fixtures.write_sweep(self.second, repeats("a", "none", SLOWER, environment__runahead="0.2.0"),
                             fixtures.ramp_rows())
        with open(self.second / "records.jsonl", "a") as file:
            file.write((self.first / "records.jsonl").read_text().replace('"0.1.0"', '"0.2.0"').split("\n")[4] + "\n")

    def test_prints_what_changed_and_writes_charts_and_a_page(self):
        code, out, err = self.report(self.first, self.second)
        target = self.first / "report"
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out[0], "new against old, 2 cells: 1 slower.")
        self.assertIn("  only in old (1): policy window", out)
        self.assertEqual(out[-5:], [str(target / name) for name in ("comparison.png", "comparison.svg", "memory.png",
                                                                    "memory.svg", "index.html")])

    def test_the_page_tells_it_and_draws_both_sweeps_in_one_chart(self):
        self.report(self.first, self.second)
        page = Page((self.first / "report" / "index.html").read_text(encoding="utf-8"))
        self.assertEqual(page.loads, [])
        self.assertIn("new against old, 2 cells: 1 slower.", page.text)
        self.assertIn(["policy none", "3 ok", "1.40 (1.37 to 1.44) slower"], [row[:3] for row in page.rows])
        self.assertEqual(page.charts[0]["layout"]["xaxis"]["title"]["text"], "total, ratio")
        self.assertIn("new: async: never waits", page.text)
        self.assertIn("In old without a wait", page.text)

    def test_long_names_leave_room_for_the_curves(self):
        long = [path.rename(self.folder / f"{path.name} with a name as long as can be") for path in (self.first, self.second)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # Of matplotlib, where a legend leaves no room.
            code, *_ = self.report(*long)
        self.assertEqual(code, 0)

    def test_the_table_is_written_as_markdown_and_csv(self):
        code, out, err = self.report(self.first, self.second, "--table", "--out", self.folder / "table")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual("\n".join(out) + "\n", (self.folder / "table" / "table.md").read_text(encoding="utf-8"))
        with open(self.folder / "table" / "table.csv", newline="") as file:
            rows = {row["/sync/policy"]: row for row in csv.DictReader(file)}
        none = rows["none"]
        self.assertEqual((none["total_seconds_first_median"], none["total_seconds_second_median"],
                          none["total_seconds_first_count"], none["total_seconds_change"]), ("10.0", "14.0", "3", "slower"))
        self.assertLess(float(none["total_seconds_ratio_lower"]), float(none["total_seconds_ratio"]))
        self.assertEqual(rows["every_batch"]["total_seconds_ratio_lower"], "")
        self.assertEqual((rows["window"]["states_second"], rows["window"]["total_seconds_ratio"]), ("", ""))

    def test_sweeps_without_a_common_cell_are_shown_together(self):
        fixtures.write_sweep(self.second, repeats("d", "budget", STEADY), fixtures.ramp_rows())
        code, out, err = self.report(self.first, self.second)
        self.assertEqual(code, 0)
        self.assertIn("no cell in common", err)
        self.assertEqual([pathlib.Path(line).name for line in out], ["memory.png", "memory.svg", "index.html"])

    def test_configs_that_differ_are_a_warning(self):
        fixtures.write_sweep(self.second, repeats("d", "none", STEADY, config__batches=60), fixtures.ramp_rows())
        _, _, err = self.report(self.first, self.second)
        self.assertIn("configs differ: /batches (100 in old, 60 in new)", err)

    def test_three_sweeps_and_one_sweep_twice_are_shown_together(self):
        for folders in ([self.first, self.second, self.first], [self.first, self.first]):
            code, out, _ = self.report(*folders, "--out", self.folder / "together")
            self.assertEqual((code, pathlib.Path(out[0]).name), (0, "memory.png"))


if __name__ == "__main__":
    unittest.main()
