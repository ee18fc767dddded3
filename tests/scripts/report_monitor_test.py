"""Tests of scripts/report: the chart of what `runahead monitor` wrote."""

import unittest
from unittest import mock

from report_case import FolderTest, Page, unpacked

HEADER = "time_seconds,rss_bytes,pss_bytes,processes\n"
PROCESSES = "process_id,name,first_seconds,last_seconds,rss_peak_bytes,command"


class MonitorChart(FolderTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_is_written_beside_the_samples(self):
        path = self.write("m.csv", HEADER + "-0.1,,,0\n0.0,1000,900,1\n0.1,5000,,2\n0.2,3000,,1\n")
        code, out, err = self.report(path)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(self.folder / "m.png"), str(self.folder / "m.svg"), str(self.folder / "m.html")])
        self.assertIn("peak 5.00 kB at 100 ms", (self.folder / "m.svg").read_text())

    def test_a_column_that_is_dear_to_read_reaches_to_the_end(self):
        with mock.patch("report.command.write_pictures"):  # The page alone is looked at.
            self.report(self.write("m.csv", HEADER + "0.0,1000,900,1\n1.0,1000,,1\n2.0,1000,,1\n2.1,,,0\n"))
        drawn = {chart["layout"]["yaxis"]["title"]["text"]: chart["data"][0] for chart in Page((self.folder / "m.html").read_text()).charts}
        self.assertEqual(unpacked(drawn["MB"]["x"]).tolist(), [0.0, 2.0])  # The last chart in MB: PSS.

    def test_is_drawn_without_what_was_not_measured(self):
        path = self.write("m.csv", "time_seconds,rss_bytes\n0.0,1000\n")
        code, out, err = self.report(path, "--out", self.folder / "charts")
        self.assertEqual((code, err, len(out)), (0, "", 3))
        self.assertTrue((self.folder / "charts" / "m.svg").is_file())

    def test_several_files_are_one_chart_and_one_page_under_their_commands(self):
        for name, command in (("a", "train <1>"), ("b", "train 2")):
            self.write(f"{name}.csv", HEADER + "0.0,1000,,1\n0.1,5000,,2\n")
            rows = [f"{number},worker,0,1,{number}000000," for number in range(2, 13)]
            self.write(f"{name}.processes.csv", "\n".join([PROCESSES, f"1,python,0,2,1000000,{command}", *rows]))
        code, out, err = self.report(*sorted(self.folder.glob("*.csv")), "--out", self.folder / "charts")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.names(self.folder / "charts"), ["monitor.html", "monitor.png", "monitor.svg"])
        shown = Page((self.folder / "charts/monitor.html").read_text())
        self.assertEqual([[trace["name"] for trace in chart["data"]] for chart in shown.charts],
                         [["train &lt;1&gt;", "train 2"]] * 2)  # RSS and processes; PSS was not measured.
        self.assertIn(["", "2 others", "0 s", "2.00 s", "3.00 MB in all"], shown.rows)

    def test_the_title_is_the_command(self):
        self.write("m.processes.csv", f"{PROCESSES}\n1,python,0,2,,python $train.py\n")
        self.report(self.write("m.csv", HEADER + "0.0,1000,900,1\n"))
        self.assertIn("<h1>python $train.py</h1>", (self.folder / "m.html").read_text())
        self.assertIn("python $train.py", (self.folder / "m.svg").read_text())

    def test_damaged_rows_are_left_out_with_a_warning(self):
        path = self.write("m.csv", HEADER + "0.0,1000,900,1\n0.1,many,,2\n")
        code, _, err = self.report(path)
        self.assertEqual((code, err), (0, f"runahead: warning: {path}, line 3 is damaged; it is left out\n"))

    def test_folders_are_not_mixed_with_files_nor_files_taken_for_folders(self):
        path, tuned = self.write("m.csv", HEADER + "0.0,1000,900,1\n"), self.folder / "tuned"
        tuned.mkdir()
        (tuned / "tune.json").touch()
        for arguments, words in (([path, self.folder], f"found '{self.folder}' among files of samples: they cannot be mixed; report them one after the other"),
                                 ([self.folder, tuned], f"found '{self.folder}' among results of `tune`: they cannot be mixed; report"),
                                 ([path, "--out", path / "out"], f"'{path}' is a file; give another folder")):
            code, out, err = self.report(*arguments)
            self.assertEqual((code, out), (2, []))
            self.assertTrue(err.startswith(f"runahead: error: {words}"), err)

    def test_other_files_are_refused(self):
        for text in ("", "name,value\n1,2\n", HEADER, "time_seconds,rss_bytes\n0,many\n", "\x00\xff"):
            with self.subTest(text):
                code, out, err = self.report(self.write("m.csv", text))
                self.assertEqual((code, out), (2, []))
                self.assertIn("m.csv' holds no sample" if text == HEADER else "m.csv' is not a file of samples", err)


if __name__ == "__main__":
    unittest.main()
