"""Tests of scripts/report in a real browser: the page as it is drawn, and that nothing leaves it.

Skipped where there is no Chromium (apt-get install chromium); RUNAHEAD_EXPECT_BROWSER=1 makes that a failure.
"""

import base64
import os
import pathlib
import unittest
from unittest import mock

from report_case import FolderTest  # First: it sets the path.

import browser
import record_fixtures as fixtures
import reproduce_fixtures
from report import command

PAGE_BYTES = 15_000_000
WIDTHS = (390, 1280, 1920)
A4_PIXELS = 703  # Within the margins.
LEAST_CONTRAST = 4.5  # WCAG 2, level AA.

UNFOLD = """document.querySelectorAll("details.more").forEach((details) => { details.open = true; });
  typeof update === "undefined" ? 0 : Promise.all(sections.filter((section) => !section.hidden).map(update))"""
# What sticks out of the window or of its chart, or scrolls without a scrollbar to show it.
CUT_OFF = """[...document.body.querySelectorAll("*")].filter((element) => {
  const box = element.getBoundingClientRect();
  if (!element.checkVisibility() || box.width === 0 || element.closest("#js-plotly-tester")) return false;
  if (element.matches(".table, .picture, pre") && element.scrollWidth > element.clientWidth + 1
      && element.offsetHeight - element.clientHeight < 8) return true;
  if (element.parentElement.closest(".table, .picture, pre")) return false;
  const chart = element.matches("text") && element.closest(".plot")?.getBoundingClientRect();
  return box.left < -1 || box.right > innerWidth + 1
      || chart && (box.left < chart.left - 1 || box.right > chart.right + 1 || box.top < chart.top - 1 || box.bottom > chart.bottom + 1);
}).map((element) => `${element.tagName} ${element.getAttribute("class")}: ${element.textContent.slice(0, 60)}`)"""
# Texts with less contrast to what is behind them than LEAST_CONTRAST.
FAINT = """(() => {
  const parts = (colour) => colour.match(/[0-9.]+/g).map(Number);
  const light = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
    const share = parts(colour)[index] / 255;
    return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = (element) => {
    const colour = element ? getComputedStyle(element).backgroundColor : "rgb(255, 255, 255)";
    return (parts(colour)[3] ?? 1) > 0 ? colour : behind(element.parentElement);
  };
  return [...document.body.querySelectorAll("*")].filter((element) => {
    if (!element.checkVisibility() || element.matches("script, style, option")) return false;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) return false;
    const style = getComputedStyle(element);
    const both = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) < LEAST_CONTRAST;
  }).map((element) => `${element.tagName}: ${element.textContent.slice(0, 60)}`);
})()""".replace("LEAST_CONTRAST", str(LEAST_CONTRAST))

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
        """Opens a page; everything of it is unfolded and drawn."""
        self.browser.open(path, **size)
        self.browser.evaluate("window.drawn")
        self.browser.evaluate(UNFOLD)

    def assert_fits(self, path):
        """Nothing is cut off at any width, and every text can be read on light and on dark."""
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", features=[])
        for scheme, width in (*(("light", width) for width in WIDTHS), ("dark", WIDTHS[0])):
            with self.subTest(scheme=scheme, width=width):
                self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                self.open(path, width=width)
                self.assertEqual(self.value(CUT_OFF), [])
                self.assertEqual(self.value(FAINT), [])

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
        """Everything on it is drawn, it fits, no error was logged and nothing was asked for but the page."""
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

    def test_a_pair_is_drawn_whole_at_every_width(self):
        path = self.open_report(self.write_pair())
        self.assert_sound(path)
        self.assertEqual([title for title, _ in self.value(DRAWN)],
                         ["Memory growth", "Batches in flight", "Memory by class", "Memory by class", "Operations in flight",
                          "Bytes held", "Bytes promised", "Issue against execution", "Time by batch"])
        self.assert_fits(path)

    def test_the_verdict_and_the_first_chart_are_above_the_fold_and_the_rest_is_folded(self):
        self.browser.open(self.open_report(self.write_pair()), width=1280, height=800)
        self.value("window.drawn")
        self.assertLessEqual(self.value("document.querySelector('.plot').getBoundingClientRect().bottom"), 800)
        self.assertEqual(self.value("document.querySelectorAll('details.more:not([open])').length"), 1)
        self.assertEqual(self.value("document.querySelectorAll('details.more .js-plotly-plot').length"), 0)

    def test_prints_everything_on_a4(self):
        path = self.open_report(self.write_pair())
        self.browser.open(path)
        self.value("window.drawn")
        self.value("""addEventListener('beforeprint', () => {
            window.undrawn = document.querySelectorAll('section:not([hidden]) .plot:not(.js-plotly-plot)').length;
            window.widest = Math.max(...[...document.querySelectorAll('.main-svg')].map((drawn) => drawn.clientWidth));
        })""")
        printed = base64.b64decode(self.browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
        self.assertRegex(printed, rb"/MediaBox \[0 0 59[45][0-9.]* 84[12][0-9.]*\]")
        self.assertEqual(self.value("window.undrawn"), 0)
        self.assertLessEqual(self.value("window.widest"), A4_PIXELS)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", media="")
        self.browser.open(path, width=A4_PIXELS)
        self.value("window.drawn.then(beforePrinting)")
        self.assertEqual(self.value(CUT_OFF), [])

    def test_what_rss_is_made_of_is_drawn(self):
        fixtures.write_attributed_run(self.folder / "run")
        path = self.open_report(self.folder / "run")
        self.assert_sound(path)
        drawn = dict(self.value(DRAWN))
        self.assertEqual(drawn["What RSS is made of"], 2 * 2 + 2)  # Two areas, each filled and outlined, and two lines.
        self.assert_fits(path)

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
        self.assertIn("new against sweep", self.value("document.querySelector('h1').textContent"))

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


class OtherPages(BrowserTest):
    def test_that_of_monitor_fits(self):
        for name, command_line in (("a", "python train.py --data=/" + 30 * "long/"), ("b", "python serve.py")):
            rows = [f"{step / 10},{step * 10_000_000},{step * 9_000_000},2" for step in range(50)]
            (self.folder / f"{name}.csv").write_text("\n".join(["time_seconds,rss_bytes,pss_bytes,processes", *rows]))
            (self.folder / f"{name}.processes.csv").write_text(
                f"process_id,name,first_seconds,last_seconds,rss_peak_bytes,command\n1,python,0,5,1000000,{command_line}\n")
        for names in (["a"], ["a", "b"]):
            code, out, _ = self.report(*(self.folder / f"{name}.csv" for name in names), "--out", self.folder)
            self.assertEqual(code, 0)
            self.assert_fits(pathlib.Path(out[-1]))
            self.assertEqual([title for title, curves in self.value(DRAWN) if curves == 0], [])

    def test_that_of_reproduce_fits(self):
        made = reproduce_fixtures.Reproduced()
        made.claims += [{**claim, "device": "cpu", "met": False, "holds": None} for claim in made.claims]
        made.write(self.folder, devices=["cpu", "acpu", "cuda"])
        reproduce_fixtures.write_baselines(self.folder, size=1000)
        code, out, _ = self.report(self.folder, "--out", self.folder)
        self.assertEqual(code, 0)
        self.assert_fits(pathlib.Path(out[-1]))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # So that a skipped test says why.
