"""Tests of scripts/report: the chart of what `runahead monitor` wrote."""

import unittest

from report_case import FolderTest

HEADER = "time_seconds,rss_bytes,pss_bytes,processes\n"


class MonitorChart(FolderTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_is_written_beside_the_samples(self):
        path = self.write("m.csv", HEADER + "-0.1,,,0\n0.0,1000,900,1\n0.1,5000,,2\n0.2,3000,,1\n")
        code, out, err = self.report(path)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [str(self.folder / "m.png"), str(self.folder / "m.svg")])
        self.assertIn("peak 5.00 kB at 100 ms", (self.folder / "m.svg").read_text())

    def test_is_drawn_without_what_was_not_measured(self):
        path = self.write("m.csv", "time_seconds,rss_bytes\n0.0,1000\n")
        code, out, err = self.report(path, "--out", self.folder / "charts")
        self.assertEqual((code, err, len(out)), (0, "", 2))
        self.assertTrue((self.folder / "charts" / "m.svg").is_file())

    def test_other_files_are_refused(self):
        for text in ("", "name,value\n1,2\n", HEADER, "time_seconds,rss_bytes\n0,many\n", "\x00\xff"):
            with self.subTest(text):
                code, out, err = self.report(self.write("m.csv", text))
                self.assertEqual((code, out), (2, []))
                self.assertIn("m.csv", err)


if __name__ == "__main__":
    unittest.main()
