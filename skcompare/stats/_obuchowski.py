"""Variances of areas under binormal curves, by Obuchowski and McClish."""

import math
from typing import NamedTuple

from scipy.special import ndtri


class Binormal(NamedTuple):
    """A curve whose scores are normal in both classes, after some increasing function.

    With mean 0 and variance 1 of the positives' scores less their mean, `a` is the distance
    of the means in standard deviations of the positives, and `b` the standard deviation of
    the negatives in the same unit.
    """

    a: float
    b: float

    @classmethod
    def of_area(cls, area: float, b: float) -> "Binormal":
        """The curve with this area, which is Phi(a / sqrt(1 + b²))."""
        return cls(float(ndtri(area)) * math.sqrt(1 + b * b), b)

    @property
    def f(self) -> float:
        """Derivative of the area by a."""
        square = 1 + self.b**2
        return math.exp(-(self.a**2) / (2 * square)) / math.sqrt(2 * math.pi * square)

    @property
    def g(self) -> float:
        """Derivative of the area by b."""
        return -self.f * self.a * self.b / (1 + self.b**2)


def area_variance(curve: Binormal, kappa: float, *, with_covariance: bool = True) -> float:
    """Variance of the estimated area, times the number of positives.

    Equation (4) of Obuchowski and McClish (1997) takes the estimates of a and b for
    uncorrelated; their covariance, a b / 2, adds the last term. Without it a curve differs
    from itself (the variance of the difference is not 0) and the variance is a third too
    large for usual areas.

    Parameters
    ----------
    curve : Binormal
        The curve.
    kappa : float
        Negatives for each positive.
    with_covariance : bool, default=True
        False for the equation as it is printed.
    """
    a, b, f, g = *curve, curve.f, curve.g
    variance = f * f * (1 + b * b / kappa + a * a / 2)
    variance += g * g * b * b * (1 + kappa) / (2 * kappa)
    return variance + f * g * a * b * with_covariance


def area_covariance(
    one: Binormal, two: Binormal, positives: float, negatives: float, kappa: float
) -> float:
    """Covariance of two estimated areas, times the number of positives.

    Equation (5) of Obuchowski and McClish (1997), with the correlations of the scores
    among positives and among negatives.
    """
    f1, f2, g1, g2 = one.f, two.f, one.g, two.g
    square = positives**2
    of_a = positives + negatives * one.b * two.b / kappa + square * one.a * two.a / 2
    of_b = one.b * two.b * (negatives**2 + kappa * square) / (2 * kappa)
    crossed = f1 * g2 * one.a * two.b + f2 * g1 * two.a * one.b
    return f1 * f2 * of_a + g1 * g2 * of_b + crossed * square / 2
