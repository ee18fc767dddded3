"""Tests of scripts/report in a real browser: the page as it is drawn, and that nothing leaves it.

Skipped where there is no Chromium (apt-get install chromium); RUNAHEAD_EXPECT_BROWSER=1 makes that a failure.
"""

import os
import pathlib
import unittest
from unittest import mock

from report_case import FolderTest  # First: it sets the path.

import browser
import record_fixtures as fixtures
from report import command

PAGE_BYTES = 15_000_000

# Of each chart that should be drawn: its title, and how many curves or points plotly drew in it.
DRAWN = """[...document.querySelectorAll("section:not([hidden]) figure:not([hidden])")].map((figure) =>
  [figure.querySelector("strong").textContent,
   figure.querySelectorAll(".plot.js-plotly-plot .trace path:not([d=''])").length])"""
COLOUR_OF_TEXT = """getComputedStyle(document.querySelector(".plot .xtick text")).fill"""
CURVES_OF_GROWTH = """document.querySelectorAll("section:not([hidden]) .plot[data-chart='0'] path.js-line").length"""

ZOOM = "Plotly.relayout(document.querySelector('.plot'), {'xaxis.range[0]': 1, 'xaxis.range[1]': 2}).then(() => 0)"
# Resolves to the number of charts that show seconds 1 to 2, once all over time do.
ZOOMED = """new Promise((done) => {
  const look = () => {
    const ranges = [...document.querySelectorAll("[data-over-time]")].map((plot) => plot.layout.xaxis.range.join());
    if (ranges.every((range) => range === "1,2")) done(ranges.length); else requestAnimationFrame(look);
  };
  look();
})"""


class BrowserTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        if browser.program() is None:
            if os.environ.get("RUNAHEAD_EXPECT_BROWSER") == "1":
                raise browser.BrowserError("RUNAHEAD_EXPECT_BROWSER is set and there is no Chromium")
            raise unittest.SkipTest("no Chromium here: apt-get install chromium")
        cls.browser = cls.enterClassContext(browser.Browser())

    def open(self, path, **size):
        self.browser.open(path, **size)
        self.browser.evaluate("window.drawn")

    def value(self, expression):
        return self.browser.evaluate(expression)

    def open_report(self, *folders):
        """Opens the page of these folders; its path. Pictures, which matplotlib draws slowly, are left out."""
        with mock.patch.object(command, "draw_chart"):
            code, out, _ = self.report(*folders, "--out", self.folder / "page")
        self.assertEqual(code, 0)
        path = pathlib.Path(out[-1])
        self.open(path)
        return path

    def assert_sound(self, path):
        """Everything on it is drawn, it fits, nobody complained and nothing was asked for but the page."""
        drawn = self.value(DRAWN)
        self.assertTrue(drawn)
        self.assertEqual([title for title, curves in drawn if curves == 0], [])
        self.assertLessEqual(*self.value("[document.documentElement.scrollWidth, innerWidth]"))
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual({url.partition("#")[0] for url in self.browser.requests}, {path.resolve().as_uri()})


class Harness(BrowserTest):
    def test_sees_what_the_tests_below_look_for(self):
        path = self.folder / "bad.html"
        path.write_text("<script>console.error('no'); undefined.drawn</script><img src='http://127.0.0.1:1/x.png'>")
        self.browser.open(path)
        self.assertIn("http://127.0.0.1:1/x.png", self.browser.requests)
        self.assertGreaterEqual(len(self.browser.complaints), 2)
        with self.assertRaises(browser.BrowserError):
            self.value("nowhere.to.be.found")


class ReportInABrowser(BrowserTest):
    def write_sizes(self, sizes, steps=200):
        """A sweep over batch sizes, two policies each."""
        made = [fixtures.sweep_record("a", policy, axes={"/data/batch_size": size}, config__data__batch_size=size)
                for size in sizes for policy in ("every_batch", "none")]
        for number, record in enumerate(made):
            record["id"] = f"{number:012x}" + "0" * 52
        fixtures.write_sweep(self.folder / "sizes", made, fixtures.ramp_rows(steps=steps))
        return self.folder / "sizes"

    def test_a_pair_is_drawn_whole_at_1280_pixels(self):
        path = self.open_report(self.write_pair())
        self.assert_sound(path)
        self.assertEqual([title for title, _ in self.value(DRAWN)],
                         ["Memory growth", "Batches in flight", "Operations in flight", "Bytes held", "Bytes promised",
                          "Issue against execution", "Time by batch", "Memory by class", "Memory by class", "Total time",
                          "Bytes claimed at the peak"])

    def test_what_rss_is_made_of_is_drawn(self):
        fixtures.write_attributed_run(self.folder / "run")
        path = self.open_report(self.folder / "run")
        self.assert_sound(path)
        drawn = dict(self.value(DRAWN))
        self.assertEqual(drawn["What RSS is made of"], 2 * 2 + 2)  # Two areas, each filled and outlined, and two lines.

    def test_it_fits_a_narrow_window(self):
        path = self.open_report(self.write_pair())
        self.open(path, width=700)
        self.assert_sound(path)

    def test_charts_follow_light_and_dark(self):
        path = self.open_report(self.write_pair())
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", features=[])
        colours = []
        for scheme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia",
                              features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.open(path)
            colours.append(self.value(COLOUR_OF_TEXT))
            self.assert_sound(path)
        self.assertEqual(colours, ["rgb(31, 35, 40)", "rgb(228, 231, 235)"])

    def test_a_switch_takes_its_line_from_every_chart(self):
        self.open_report(self.write_pair())
        before = self.value(CURVES_OF_GROWTH)
        self.value("document.querySelector('input[data-line=\"1\"]').checked = false")
        self.value("update(sections[0])")
        self.assertEqual(self.value(CURVES_OF_GROWTH), before // 2)
        self.assertEqual([title for title, _ in self.value(DRAWN)].count("Memory by class"), 1)
        self.assertEqual(self.browser.complaints, [])

    def test_charts_over_time_zoom_together(self):
        self.open_report(self.write_pair())
        self.value(ZOOM)
        self.assertEqual(self.value(ZOOMED), 8)
        self.assertEqual(self.browser.complaints, [])

    def test_the_comparison_of_the_address_is_shown(self):
        path = self.open_report(self.write_sizes([256, 1024]))
        self.assert_sound(path)
        self.assertEqual(self.value("document.querySelectorAll('section.comparison:not([hidden])').length"), 1)
        self.value("location.hash = 'memory-batch_size-1024'; show()")
        self.assertIn("of 1024", self.value("document.querySelector('section.comparison:not([hidden]) h2').textContent"))
        self.assert_sound(path)

    def test_two_sweeps_are_compared_above_their_charts(self):
        first, second = self.write_pair(), self.folder / "new"
        made = [fixtures.sweep_record(cell, policy, repeat=repeat, time__total_seconds=20.0 + repeat)
                for repeat in range(2) for cell, policy in (("a", "every_batch"), ("b", "none"))]
        fixtures.write_sweep(second, made, fixtures.ramp_rows())
        self.assert_sound(self.open_report(first, second))
        drawn = dict(self.value(DRAWN))
        self.assertGreater(drawn["total time"], 0)
        self.assertGreater(drawn["Memory growth"], 0)
        self.assertIn("new against sweep", self.value("document.querySelector('section.whole').textContent"))

    def test_a_heading_sorts_its_column_by_number(self):
        made = [fixtures.sweep_record("a", "none", repeat=repeat, time__total_seconds=total)
                for repeat, total in enumerate([9.5, 120.0, 30.0])]
        fixtures.write_sweep(self.folder / "sweep", made)
        self.open_report(self.folder / "sweep")
        runs = "[...document.querySelectorAll('.sortable')].at(-1)"
        rows = f"[...{runs}.tBodies[0].rows].map((row) => row.cells[5].textContent)"
        heading = f"{runs}.querySelectorAll('th')[5].click()"
        self.value(heading)
        self.assertEqual(self.value(rows), ["9.50 s", "30.0 s", "120 s"])
        self.value(heading)
        self.assertEqual(self.value(rows), ["120 s", "30.0 s", "9.50 s"])

    def test_a_sweep_of_100_cells_stays_small_and_is_drawn(self):
        path = self.open_report(self.write_sizes(range(1, 51), steps=2000))
        self.assertLess(path.stat().st_size, PAGE_BYTES)
        self.assert_sound(path)

    def test_more_lines_than_can_be_told_apart_wait_to_be_switched_on(self):
        made = [fixtures.sweep_record("a", "window", config__acpu__limit=number) for number in range(12)]
        for number, record in enumerate(made):
            record.update(id=f"{number:012x}" + "0" * 52, axes={"/acpu/limit": number})
        fixtures.write_sweep(self.folder / "many", made, fixtures.ramp_rows())
        path = self.open_report(self.folder / "many")
        self.assert_sound(path)
        self.assertEqual([title for title, _ in self.value(DRAWN)].count("Memory by class"), 8)
        self.value("document.querySelectorAll('input[data-line]').forEach((input) => { input.checked = true; })")
        self.value("update(sections[0])")
        self.assertEqual([title for title, _ in self.value(DRAWN)].count("Memory by class"), 12)
        self.assert_sound(path)

    def test_runs_of_which_little_is_known_have_a_page(self):
        made = [fixtures.sweep_record("a", "none", status="crashed", time=None, memory=None, backlog=None, loss=None),
                fixtures.sweep_record("b", "every_batch", status="out_of_memory", error="x" * 500)]
        fixtures.write_sweep(self.folder / "bad", made)
        self.assert_sound(self.open_report(self.folder / "bad"))
        fixtures.write_sweep(self.folder / "none", made[:1])
        self.open_report(self.folder / "none")
        self.assertEqual(self.browser.complaints, [])
        self.assertIn("Nothing was measured", self.value("document.body.textContent"))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # So that a skipped test says why.
