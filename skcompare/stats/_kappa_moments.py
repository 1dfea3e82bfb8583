"""Kappa and its variance, as Fleiss, Cohen and Everitt (1969) have it."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.polynomial import polyval

from skcompare._typing import FloatArray

ROUNDING = 4 * float(np.finfo(float).eps)
"""A variance that is this small beside the terms that make it is 0."""


@dataclass(frozen=True, slots=True)
class KappaMoments:
    """Kappa, and its variance as independent labels are mixed in.

    `variance` holds the coefficients of a polynomial: at 0 it is the variance at what was
    observed, at 1 that at independence with the same label rates.
    """

    n: float
    kappa: float
    observed: float
    chance: float
    variance: FloatArray

    def standard_error(self, independent: float) -> float:
        """At the mixture that independent labels have this share of."""
        return math.sqrt(max(0.0, float(polyval(independent, self.variance))))


def kappa_moments(counts: FloatArray, distances: FloatArray) -> KappaMoments:
    """Those of a table of labels, whose pairs differ by the distances."""
    n = float(counts.sum())
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    # Sums of whole numbers have no rounding below 2**53, so that kappa is exactly 0 and
    # on the limits of the scale where it should be.
    difference = n * float((distances * counts).sum())
    expected = float(rows @ distances @ columns)
    largest = float(distances.max()) or 1.0
    observed = 1 - difference / (largest * n * n)
    chance = 1 - expected / (largest * n * n)
    if expected == 0:
        return KappaMoments(n, math.nan, observed, chance, np.full(4, math.nan))
    kappa = (expected - difference) / expected
    weights = 1 - distances / largest
    means = (weights @ columns / n)[:, None] + (rows @ weights / n) - 2 * chance
    variances = [
        _variances(counts / n, weights - observed, means),
        _variances(np.outer(rows / n, columns / n), weights - chance, means),
    ]
    variance = _variance_polynomial(kappa, observed - chance, np.array(variances))
    scale = n * (expected / (largest * n * n)) ** 2
    return KappaMoments(n, kappa, observed, chance, variance / scale)


def _variances(joint: FloatArray, weights: FloatArray, means: FloatArray) -> list[float]:
    """Of centred weights and means: variance, covariance, variance."""
    products = (weights * weights, weights * means, means * means)
    return [float((joint * product).sum()) for product in products]


def _variance_polynomial(kappa: float, lift: float, variances: FloatArray) -> FloatArray:
    """Variance of weight - (1 - kappa) means, by the share of independent labels.

    This is the variance of Fleiss, Cohen and Everitt (1969) but for a constant. The weight
    of a pair of labels says how far they agree, and its means are the mean weights of
    either with what the other classifier gives.

    Parameters
    ----------
    kappa : float
        At what was observed. With a share x of independent labels it is (1 - x) kappa.
    lift : float
        Mean weight of observed less that of independent labels.
    variances : ndarray of shape (2, 3)
        Of observed and of independent labels: variance of the weights, covariance of
        weights and means, and variance of the means.
    """
    observed, independent = variances
    weight, crossed, means = np.stack([observed, independent - observed], axis=1)
    rest = np.array([1 - kappa, kappa])
    terms = np.zeros((3, 4))
    # The two parts have different mean weights, which adds to the variance of a mixture.
    terms[0, :3] = [weight[0], weight[1] + lift * lift, -lift * lift]
    terms[1, :3] = -2 * np.convolve(rest, crossed)
    terms[2] = np.convolve(np.convolve(rest, rest), means)
    total = terms.sum(axis=0)
    if total[0] <= ROUNDING * np.abs(terms[:, 0]).sum():
        total[0] = 0.0
    return total
