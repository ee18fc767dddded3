"""Tests of scripts/report: ratios, their intervals, and which of many are named."""

import math
import random
import unittest

import report_case  # noqa: F401 (before report: it sets the path)
from report import ratios, student


class Student(unittest.TestCase):
    def test_quantiles_are_those_of_the_tables(self):
        tabled = {(0.025, 1): 12.7062, (0.025, 2): 4.30265, (0.025, 4): 2.77645, (0.025, 10): 2.22814,
                  (0.025, 100): 1.98397, (0.05, 3): 2.35336, (0.0005, 5): 6.86883}
        for (upper, degrees), expected in tabled.items():
            self.assertAlmostEqual(student.quantile(upper, degrees), expected, delta=1e-5 * expected)

    def test_the_tail_of_one_degree_is_cauchys(self):
        for t in (0.0, 0.3, 1.0, 12.0, 1e6):
            self.assertAlmostEqual(student.upper_tail(t, 1), math.atan2(1, t) / math.pi, delta=1e-12)

    def test_degrees_between_whole_numbers_lie_between_their_quantiles(self):
        found = [student.quantile(0.025, degrees) for degrees in (1, 1.01, 1.5, 1.99, 2)]
        self.assertEqual(found, sorted(found, reverse=True))

    def test_quantile_and_tail_undo_each_other(self):
        for degrees in (1.2, 3.7, 28.5, 900):
            self.assertAlmostEqual(student.upper_tail(student.quantile(0.01, degrees), degrees), 0.01, places=10)

    def test_of_very_many_degrees_it_is_the_normal_distribution(self):
        self.assertAlmostEqual(student.quantile(0.025, 1e9), 1.95996, delta=0.003)


class Interval(unittest.TestCase):
    def test_is_that_of_welch_on_logarithms(self):
        # By hand: logarithms 0, 0.1, 0.2 and 1.0, 1.3; a = 0.01/3, b = 0.045/2, so that
        # nu = (a + b)^2 / (a^2/2 + b^2/1) = 1.303936 degrees.
        first, second = [math.exp(x) for x in (0.0, 0.1, 0.2)], [math.exp(x) for x in (1.0, 1.3)]
        found = ratios.of_two(first, second)
        half = student.quantile(0.025, 1.303936) * math.sqrt(0.01 / 3 + 0.0225)
        self.assertAlmostEqual(found.value, math.exp(1.05), places=9)
        self.assertAlmostEqual(math.log(found.lower), 1.05 - half, places=5)
        self.assertAlmostEqual(math.log(found.upper), 1.05 + half, places=5)

    def test_covers_the_true_ratio_as_often_as_it_says(self):
        rng = random.Random(5)
        missed = 0
        for _ in range(2000):  # Unequal numbers and unequal scatter.
            found = ratios.of_two([rng.lognormvariate(0, 0.05) for _ in range(4)],
                                  [2 * rng.lognormvariate(0, 0.2) for _ in range(7)])
            missed += not found.lower <= 2 <= found.upper
        self.assertTrue(70 <= missed <= 130, missed)  # 100 of 2000 expected, with a deviation of 10.

    def test_swapped_sides_give_the_reciprocal(self):
        there, back = (ratios.of_two(*sides) for sides in (([1.0, 1.1, 1.3], [2.0, 2.5]), ([2.0, 2.5], [1.0, 1.1, 1.3])))
        self.assertAlmostEqual(there.value * back.value, 1)
        self.assertAlmostEqual(there.lower * back.upper, 1)
        self.assertAlmostEqual(there.chance, back.chance)

    def test_one_repeat_gives_a_ratio_without_interval(self):
        self.assertEqual(ratios.of_two([2.0], [3.0, 3.0]), ratios.Ratio(ratios.of_two([2.0], [3.0]).value))
        self.assertAlmostEqual(ratios.of_two([2.0], [3.0]).value, 1.5)

    def test_what_is_not_above_zero_has_no_ratio(self):
        for sides in (([], [1.0]), ([1.0], []), ([0.0, 1.0], [1.0, 1.0]), ([1.0], [-1.0])):
            self.assertIsNone(ratios.of_two(*sides))

    def test_figures_without_scatter_have_no_interval(self):
        self.assertEqual(ratios.of_two([4.0, 4.0], [4.0, 4.0]), ratios.Ratio(1.0))
        self.assertEqual(ratios.of_two([4.0, 4.0], [8.0, 8.0]), ratios.of_two([4.0], [8.0]))
        self.assertEqual(ratios.over_all([ratios.Ratio(2.0), ratios.Ratio(2.0)]).chance, None)

    def test_scatter_of_one_side_gives_an_interval(self):
        found = ratios.of_two([4.0, 4.0], [5.0, 5.1])
        self.assertTrue(found.lower < found.value < found.upper)
        self.assertTrue(0 < found.chance < 1)

    def test_wild_figures_stay_within_what_a_number_holds(self):
        found = ratios.of_two([1e-300, 1e300], [1e-300, 1e299])
        self.assertTrue(0 < found.lower < found.upper < math.inf)

    def test_over_all_is_the_geometric_mean_of_the_cells(self):
        found = ratios.over_all([ratios.Ratio(2.0), ratios.Ratio(8.0)])
        self.assertAlmostEqual(found.value, 4.0)
        self.assertAlmostEqual(math.log(found.upper / 4), 12.7062 * math.log(2), places=3)
        self.assertEqual(ratios.over_all([ratios.Ratio(2.0)]), ratios.Ratio(2.0))
        self.assertIsNone(ratios.over_all([]))


class Discoveries(unittest.TestCase):
    def found(self, *chances):
        return ratios.discoveries([ratios.Ratio(1.0, 1.0, 1.0, chance) for chance in chances])

    def test_names_up_to_the_last_that_is_below_its_share(self):
        # Limits are 0.0125, 0.025, 0.0375, 0.05 by rank; the third is below its own, so the second is named too.
        self.assertEqual(self.found(0.5, 0.001, 0.036, 0.03), {1, 2, 3})
        self.assertEqual(self.found(0.5, 0.013, 0.03, 0.04), set())

    def test_what_has_no_interval_is_never_named(self):
        self.assertEqual(ratios.discoveries([ratios.Ratio(9.0), ratios.Ratio(9.0, 8.0, 10.0, 1e-6)]), {1})
        self.assertEqual(ratios.discoveries([]), set())

    def test_among_cells_that_did_not_change_hardly_any_is_named(self):
        rng = random.Random(1)
        named = 0
        for _ in range(100):
            found = [ratios.of_two(*([rng.lognormvariate(0, 0.1) for _ in range(3)] for _ in range(2))) for _ in range(20)]
            named += bool(ratios.discoveries(found))
        self.assertLessEqual(named, 12)  # 5 sweeps of 100 expected at most; intervals alone would name one in 64 of the 100.


if __name__ == "__main__":
    unittest.main()
