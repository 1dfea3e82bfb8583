"""Intervals of a correlation: those that go with the p-value, and published ones."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray
from skcompare.stats._student import student_quantile

ROUNDING = 1e-12
"""A square of a correlation this close to 1 is 1, and such a part of a sum is 0."""


def agreeing_limits(
    r: float, n: int, of_ranks: bool, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Fisher's interval, with the exact critical value of a correlation of 0.

    The test of t rejects where |r| is above r_c = t_c / sqrt(t_c² + n - 2). A correlation
    rho is held where atanh(rho) is within atanh(r_c) of atanh(r). For ranks this distance
    grows with rho as the standard error of Bonett and Wright (2000) does, by
    sqrt(1 + rho² / 2).
    """
    t = student_quantile(alpha_of(confidence_level) / 2, n - 2)
    # atanh(t / sqrt(t² + n - 2)), also where the quotient is 1 in floating point.
    reach = math.asinh(t / math.sqrt(n - 2))
    z = math.atanh(r)
    if not of_ranks:
        return math.tanh(z - reach), math.tanh(z + reach)
    return _least_of_ranks(z, reach), -_least_of_ranks(-z, reach)


def _least_of_ranks(z: float, reach: float) -> float:
    def beyond(at: float) -> float:
        return z - at - reach * math.sqrt(1 + math.tanh(at) ** 2 / 2)

    # The factor of the distance is between 1 and sqrt(1.5).
    return math.tanh(brentq(beyond, z - 1.25 * reach, z - 0.99 * reach, xtol=1e-15))


def published_limits(
    r: float, n: int, of_ranks: bool, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Fisher's interval, with the standard error of Bonett and Wright (2000) for ranks."""
    if n < 4:
        return -1.0, 1.0
    if abs(r) >= 1:
        return r, r
    scale = math.sqrt((1 + r * r / 2 if of_ranks else 1.0) / (n - 3))
    reach = -float(ndtri(alpha_of(confidence_level) / 2)) * scale
    z = math.atanh(r)
    return math.tanh(z - reach), math.tanh(z + reach)


def robust_error(first: FloatArray, second: FloatArray) -> float:
    """Standard error of Fisher's z by the jackknife (Miller 1974, section 2.4).

    Without one record the sums of squares and products are less by the squares and products
    of its distances from the means, times n / (n - 1). Infinite where a correlation is
    perfect or undefined without some record.
    """
    n = len(first)
    u, v = (values - values.mean() for values in (first, second))
    u /= math.sqrt(float(u @ u))
    v /= math.sqrt(float(v @ v))
    without = n / (n - 1)
    left = 1 - without * np.square(np.stack([u, v]))
    squares = left[0] * left[1]
    products = float(u @ v) - without * u * v
    if (left < ROUNDING).any() or (products**2 > (1 - ROUNDING) * squares).any():
        return math.inf
    z = np.arctanh(products / np.sqrt(squares))
    return math.sqrt((n - 1) / n * float(np.square(z - z.mean()).sum()))


def robust_limits(
    r: float, n: int, error: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Fisher's interval with a standard error that supposes no distribution."""
    reach = student_quantile(alpha_of(confidence_level) / 2, n - 2) * error
    z = math.atanh(r)
    return math.tanh(z - reach), math.tanh(z + reach)


def perfect_limits(
    r: float, pvalue: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of a correlation of 1 or -1: itself, or all where it may be chance."""
    return (r, r) if pvalue < alpha_of(confidence_level) else (-1.0, 1.0)
