"""Binomial probabilities of any share, exact in the far tail."""

import math
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln

from skcompare._typing import FloatArray

Points = FloatArray | float

TINY = float(np.finfo(float).tiny)
NEARLY_ONE = 1 - float(np.finfo(float).epsneg)

TRUSTED = 1e-290
"""Below it the incomplete beta function loses digits or underflows."""

CONVERGED = 1e-15
MOST_TERMS = 10_000


def inside_unit(x: Points) -> FloatArray:
    """Points of (0, 1), of which rounding may have made 0 or 1."""
    return np.minimum(np.maximum(x, TINY), NEARLY_ONE)


def binomial_mass(k: int, n: int, x: Points) -> FloatArray:
    """P(Binomial(n, x) = k) for x inside (0, 1), with all digits for large n too."""
    return np.exp(log_binomial_mass(k, n, x))


def log_binomial_mass(k: int, n: int, x: Points) -> FloatArray:
    """Logarithm of :func:`binomial_mass`."""
    x = inside_unit(x)
    if k in (0, n):
        return n * (np.log(x) if k else np.log1p(-x))
    # Relative to the largest value, because logarithms of n! have no digits left for it.
    p, q = k / n, (n - k) / n
    fall = k * _log_ratio(x, x - p, p) + (n - k) * _log_ratio(1 - x, p - x, q)
    return _log_largest_mass(k, n) + fall


def _log_ratio(x: FloatArray, distance: FloatArray, p: float) -> FloatArray:
    """Logarithm of x / p, where x is p plus the distance."""
    near = np.minimum(np.maximum(distance / p, -0.5), 0.5)
    return np.where(np.abs(distance) < p / 2, np.log1p(near), np.log(x / p))


@lru_cache(maxsize=64)
def _log_largest_mass(k: int, n: int) -> float:
    """Logarithm of P(Binomial(n, k / n) = k), by Stirling's formula with its error."""
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    return errors - 0.5 * math.log(2 * math.pi * k * ((n - k) / n))


def stirling_error(n: int) -> float:
    """Logarithm of n! less that of Stirling's formula for it, for n of at least 1."""
    if n < 100:
        rest = (n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)
        return float(gammaln(n + 1)) - rest
    return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)


def more(k: int, n: int, x: Points) -> FloatArray:
    """P(Binomial(n, x) > k), an incomplete beta function, for k of at least 0."""
    return np.zeros_like(x) if k >= n else betainc(k + 1, n - k, x)


def log_more(k: int, n: int, x: Points) -> FloatArray:
    """Logarithm of :func:`more`, which does not underflow."""
    x = inside_unit(x)
    if k >= n:
        return np.full_like(x, -np.inf)
    plain = np.asarray(betainc(k + 1, n - k, x))
    lost = plain < TRUSTED
    logarithm = np.array(np.log(np.where(lost, 1.0, plain)))
    if lost.any():
        x = np.asarray(x)[lost]
        start = log_binomial_mass(k + 1, n, x) + np.log1p(-x)
        logarithm[lost] = start + _log_tail_ratio(k, n, x)
    return logarithm


def _log_tail_ratio(k: int, n: int, x: FloatArray) -> FloatArray:
    """Logarithm of the continued fraction of the incomplete beta function, far out.

    Equation 8.17.22 of the NIST Digital Library of Mathematical Functions, by Lentz's
    method. It converges fast where x is well below k / n.
    """
    a, b = float(k + 1), float(n - k)
    c = np.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for j in range(1, MOST_TERMS):
        for step in (
            j * (b - j) * x / ((a + 2 * j - 1) * (a + 2 * j)),
            -(a + j) * (a + b + j) * x / ((a + 2 * j) * (a + 2 * j + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            fraction = fraction * (c * d)
        if np.all(np.abs(c * d - 1) < CONVERGED):
            break
    return np.log(fraction)
