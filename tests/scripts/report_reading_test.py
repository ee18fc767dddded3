"""Tests of scripts/report: reading records and samples, thinning."""

import pathlib
import random
import unittest

import numpy

from report_case import FolderTest  # Before report: it sets the path.

import record_fixtures as fixtures
from report import records, samples


class Thinning(unittest.TestCase):
    def test_keeps_every_peak_and_trough_and_the_ends(self):
        for seed in range(20):
            random.seed(seed)
            size = random.randrange(1, 30_000)
            values = numpy.array([random.random() for _ in range(size)])
            values[random.randrange(size)] = 5.0
            values[random.randrange(size)] = -5.0
            times = numpy.arange(size, dtype=float)
            with self.subTest(seed=seed, size=size):
                thin_times, thin_values = samples.thin(times, values, largest=100)
                self.assertLessEqual(len(thin_values), 100)
                self.assertEqual(thin_values.max(), values.max())
                self.assertEqual(thin_values.min(), values.min())
                self.assertTrue((numpy.diff(thin_times) > 0).all())
                self.assertEqual((thin_times[0], thin_times[-1]), (times[0], times[-1]))

    def test_leaves_short_series_alone(self):
        times = values = numpy.arange(10.0)
        self.assertEqual(list(samples.thin(times, values)[1]), list(values))


class Samples(FolderTest):
    def setUp(self):
        super().setUp()
        self.warnings = []

    def test_an_empty_field_is_not_measured(self):
        fixtures.write_samples(self.folder, [(0.0, 5, None), (0.1, None, None), (0.2, 7, None)])
        columns = samples.read_samples(self.folder / "samples.csv", self.warnings.append)
        times, values = samples.measured(columns, "rss_bytes")
        self.assertEqual(list(times), [0.0, 0.2])
        self.assertEqual(list(values), [5, 7])
        self.assertEqual(len(samples.measured(columns, "batches_in_flight")[0]), 0)
        self.assertEqual(len(samples.measured(columns, "no_such_column")[0]), 0)

    def test_a_torn_last_line_is_left_out_with_a_warning(self):
        fixtures.write_samples(self.folder, [(0.0, 5, 1)])
        with open(self.folder / "samples.csv", "a") as file:
            file.write("0.1" + ",7" * fixtures.COLUMNS.count(","))  # The last number may lack digits.
        self.assertEqual(len(samples.read_samples(self.folder / "samples.csv", self.warnings.append)["rss_bytes"]), 1)
        self.assertEqual(self.warnings, [f"{self.folder}/samples.csv, line 3 is damaged; it is left out"])

    def test_a_step_keeps_its_value_until_the_next_and_what_happens_between_samples_shows_in_the_next(self):
        times, values = numpy.array([0.0, 1.0]), numpy.array([3.0, 4.0])
        self.assertEqual([samples.value_at(times, values, time) for time in (-0.1, 0.9, 1.0, 2.0)], [3, 3, 4, 4])
        self.assertEqual([samples.value_after(times, values, time) for time in (-0.1, 0.0, 0.1, 2.0)], [3, 3, 4, 4])


class Records(unittest.TestCase):
    def test_what_is_not_there_is_none(self):
        run = records.Run({"time": None, "memory": {"a": 1}}, pathlib.Path("x"))
        self.assertIsNone(run.get("time", "issue_seconds"))
        self.assertIsNone(run.get("memory", "a", "b"))
        self.assertEqual((run.status, run.config, run.repeat), ("unknown", {}, 0))


if __name__ == "__main__":
    unittest.main()
