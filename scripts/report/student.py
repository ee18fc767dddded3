"""Student's t distribution, with degrees of freedom that need not be whole.

With t = √ν · cot φ the probability of more than t is an integral over a finite range of angles:

    P(T > t) = Γ((ν+1)/2) / (√π Γ(ν/2)) · ∫ sin^(ν-1) from 0 to φ
"""

import math

import numpy

# Beyond this the distribution is the normal one, to 0.1 % of the quantile; as it is, the integral is good to 1e-9.
MOST_DEGREES = 1000.0
NODES, WEIGHTS = numpy.polynomial.legendre.leggauss(128)
# The integrand may begin like a root, which no polynomial follows: angles that go with u⁴ make it smooth.
UNIT = ((NODES + 1) / 2) ** 4
UNIT_WEIGHTS = WEIGHTS / 2 * 4 * ((NODES + 1) / 2) ** 3


def upper_tail(t, degrees):
    """The probability of more than t (at least 0), with so many degrees of freedom (at least 1)."""
    degrees = min(degrees, MOST_DEGREES)
    return tail_at(math.atan2(math.sqrt(degrees), t), degrees)


def quantile(upper, degrees):
    """The t that is exceeded with this probability, which is above 0 and at most a half."""
    degrees = min(degrees, MOST_DEGREES)
    angle = math.pi / 2
    # The tail is convex in the angle: Newton's steps from its end come down to the solution and never pass it.
    for _ in range(100):
        step = (tail_at(angle, degrees) - upper) / (scale(degrees) * math.sin(angle) ** (degrees - 1))
        angle -= step
        if abs(step) <= 1e-12 * angle:
            break
    return math.sqrt(degrees) / math.tan(angle)


def tail_at(angle, degrees):
    values = numpy.sin(angle * UNIT) ** (degrees - 1)
    return scale(degrees) * angle * float(numpy.dot(UNIT_WEIGHTS, values))


def scale(degrees):
    return math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
