"""How many times as much a figure is in one set of runs as in another, and how sure that is.

Times and sizes differ by factors, so it is their logarithms that are compared: the ratio is that of the geometric means.
The runs of two sweeps are no pairs, may differ in number, and scatter differently (two machines): the interval is that
of Welch's test for two means with unequal variances (B. L. Welch, Biometrika 34, 1947), over the logarithms:

    exp(d ± t √(a + b)),  d = mean ln second - mean ln first,  a = s₁²/n₁,  b = s₂²/n₂

t is Student's for (a + b)² / (a²/(n₁-1) + b²/(n₂-1)) degrees of freedom (Welch; F. E. Satterthwaite, 1946). It takes
the logarithms for normally distributed, and each run for independent of the others.
"""

import dataclasses
import math
import statistics

from report import student

CONFIDENCE = 0.95
# Of the changes that are named, the share that chance made, in the mean.
FALSE_DISCOVERIES = 0.05


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Second over first; without an interval where one of them was measured once.

    Nor has it one where neither side scatters: a few figures that are equal to the byte do not say that the next would be.
    """

    value: float
    lower: float = None
    upper: float = None
    # Probability of a ratio at least as far from 1 if there is no difference.
    chance: float = None


def of_two(first, second):
    """The Ratio of two lists of figures; None if one is empty or not all are above 0: they then have no ratio."""
    if not first or not second or min(*first, *second) <= 0:
        return None
    logarithms = [[math.log(value) for value in values] for values in (first, second)]
    difference = statistics.fmean(logarithms[1]) - statistics.fmean(logarithms[0])
    if min(len(first), len(second)) < 2:
        return Ratio(power(difference))
    counts = [len(values) for values in logarithms]
    squares = [statistics.variance(values) / count for values, count in zip(logarithms, counts)]
    if sum(squares) == 0:
        return Ratio(power(difference))
    degrees = sum(squares) ** 2 / sum(square ** 2 / (count - 1) for square, count in zip(squares, counts))
    return interval(difference, math.sqrt(sum(squares)), degrees)


def over_all(found):
    """The geometric mean of Ratios, with Student's interval over them; None without any. One Ratio is itself."""
    if len(found) < 2:
        return found[0] if found else None
    logarithms = [math.log(ratio.value) for ratio in found]
    error = statistics.stdev(logarithms) / math.sqrt(len(logarithms))
    return interval(statistics.fmean(logarithms), error, len(logarithms) - 1)


def interval(difference, error, degrees):
    """The Ratio of a difference of logarithms and its standard error."""
    if error == 0:
        return Ratio(power(difference))
    half = student.quantile((1 - CONFIDENCE) / 2, degrees) * error
    return Ratio(power(difference), power(difference - half), power(difference + half),
                 2 * student.upper_tail(abs(difference) / error, degrees))


def power(logarithm):
    """What it is the logarithm of, within a double's range: two runs that differ wildly have a wild interval."""
    return math.exp(max(-690.0, min(690.0, logarithm)))


def discoveries(found):
    """Which of many Ratios differ from 1: their indices, as a set.

    Of 100 intervals at 95 % five miss by chance alone. The step-up rule of Benjamini and Hochberg (1995) bounds the
    share of such misses among those that are named instead; who is named has an interval that leaves out 1.
    """
    ordered = sorted((ratio.chance, index) for index, ratio in enumerate(found) if ratio.chance is not None)
    named = 0
    for rank, (chance, _) in enumerate(ordered, 1):
        if chance <= FALSE_DISCOVERIES * rank / len(ordered):
            named = rank
    return {index for _, index in ordered[:named]}
