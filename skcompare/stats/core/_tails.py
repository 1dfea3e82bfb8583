"""Tail probabilities and quantiles that neither underflow nor lose digits."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import (
    betainc,
    betaincinv,
    betaln,
    gammaincc,
    gammaln,
    log_ndtr,
    ndtr,
    ndtri,
    stdtr,
    stdtrit,
)

from skcompare._core.progress import tracked
from skcompare._typing import FloatArray

Points = FloatArray | float

SMALLEST = float(np.finfo(float).tiny)
"""P-value in the place of one that underflows; its logarithm stays exact."""

TRUSTED = 1e-250
"""Probability below which special functions lose digits, and series are used."""

CONVERGED = 1e-15
MOST_TERMS = 100_000


def each_tail(share: float, alternative: str) -> float:
    """Probability of each tail: all of `share` if one-sided, half of it if two-sided."""
    return share / (2 if alternative == "two-sided" else 1)


def outward(distance: float, alternative: str) -> float:
    """Distance in the direction of the alternative; its size if that is two-sided."""
    return {"greater": distance, "less": -distance}.get(alternative, abs(distance))


def normal_pvalue(z: float, alternative: str) -> tuple[float, float]:
    """P-value of a standard normal statistic, and its logarithm.

    Positive `z` favours the challenger. Two-sided it is that of chi-squared z² with one
    degree of freedom.
    """
    return symmetric_pvalue(lambda x: (ndtr(-x), log_ndtr(-x)), z, alternative)


def symmetric_pvalue(
    upper_tail: Callable[[Any], tuple[float, float]], statistic: float, alternative: str
) -> tuple[float, float]:
    """P-value of a symmetric statistic from its upper tail, and its logarithm."""
    if alternative == "two-sided":
        return doubled(*upper_tail(abs(statistic)))
    return bounded(*upper_tail(outward(statistic, alternative)))


def chi2_pvalue(statistic: float, df: float) -> tuple[float, float]:
    """P-value of a chi-squared statistic, and its logarithm; 1 and 0 if `df` is 0."""
    if df == 0 or statistic <= 0:
        return 1.0, 0.0
    pvalue = float(gammaincc(df / 2, statistic / 2))
    if pvalue > TRUSTED:
        return bounded(pvalue, np.log(pvalue))
    log_pvalue = _log_upper_gamma(df / 2, statistic / 2)
    return bounded(np.exp(log_pvalue), log_pvalue)


def _log_upper_gamma(a: float, x: float) -> float:
    """Logarithm of the regularised upper incomplete gamma function, far in its tail.

    Legendre's continued fraction (Abramowitz and Stegun 1964, 6.5.31), by Lentz's method.
    """
    b = x + 1 - a
    c = np.inf
    d = 1 / b
    fraction = d
    for k in range(1, MOST_TERMS):
        step = -k * (k - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= c * d
        if abs(c * d - 1) < CONVERGED:
            break
    return float(a * np.log(x) - x - gammaln(a) + np.log(fraction))


def binomial_pvalue(
    successes: int, trials: int, alternative: str, *, mid: bool
) -> tuple[float, float]:
    """Exact or mid-p p-value of Binomial(trials, 1/2), and its logarithm.

    Mid-p counts half the probability of the observed number.
    """
    if alternative == "greater":
        return bounded(*lower_tail(trials - successes, trials, mid=mid))
    if alternative == "less":
        return bounded(*lower_tail(successes, trials, mid=mid))
    if mid and 2 * successes == trials:
        # Both tails meet at the observed number, which then counts once (Fagerland,
        # Lydersen and Laake 2013, equation for n12 = n21).
        pvalue = (1 + _cdf(successes - 1, trials) + 1 - _cdf(successes, trials)) / 2
        return bounded(pvalue, np.log(pvalue))
    pvalue, log_pvalue = lower_tail(min(successes, trials - successes), trials, mid=mid)
    return doubled(pvalue, log_pvalue)


def lower_tail(k: int, trials: int, *, mid: bool) -> tuple[float, float]:
    """P(Binomial(trials, 1/2) <= k), or without half of that of k, and its logarithm."""
    pvalue = _cdf(k, trials)
    if mid:
        pvalue = (pvalue + _cdf(k - 1, trials)) / 2
    if pvalue > TRUSTED:
        return pvalue, float(np.log(pvalue))
    log_pvalue = log_at_least(trials - k, trials, 0.5, mid=mid)
    return float(np.exp(log_pvalue)), log_pvalue


def _cdf(k: int, trials: int) -> float:
    if k < 0:
        return 0.0
    return 1.0 if k >= trials else float(betainc(trials - k, k + 1, 0.5))


def doubled(pvalue: float, log_pvalue: float) -> tuple[float, float]:
    """Twice the probability of a tail, as a p-value, and its logarithm."""
    return bounded(2 * pvalue, np.log(2) + log_pvalue)


def bounded(pvalue: float, log_pvalue: float) -> tuple[float, float]:
    """P-value in (0, 1], despite rounding, and its logarithm."""
    return min(1.0, max(float(pvalue), SMALLEST)), min(0.0, float(log_pvalue))


def student_pvalue(t: float, df: float, alternative: str) -> tuple[float, float]:
    """P-value of Student's t, and its logarithm; positive `t` favours the challenger."""
    return symmetric_pvalue(lambda t: _upper_tail(t, df), t, alternative)


def student_quantile(tail: float, df: float) -> float:
    """Upper quantile of Student's t at tail probability `tail`, at most 1/2."""
    t = -float(stdtrit(df, tail))
    # SciPy before 1.12 has eight digits of it. Newton's method doubles them.
    log_density = (
        -(df + 1) / 2 * np.log1p(t / df * t) - np.log(df) / 2 - betaln(df / 2, 0.5)
    )
    return t + (float(stdtr(df, -t)) - tail) / float(np.exp(log_density))


def _upper_tail(t: float, df: float) -> tuple[float, float]:
    pvalue = float(stdtr(df, -t))
    if pvalue > TRUSTED:
        return pvalue, float(np.log(pvalue))
    log_pvalue = _log_far_tail(t, df)
    return float(np.exp(log_pvalue)), log_pvalue


def _log_far_tail(t: float, df: float) -> float:
    """Log tail of Student's t: half of I_x(df / 2, 1 / 2) at x = df / (df + t²)."""
    return _log_lower_beta(df / 2, 0.5, t / df * t) - float(np.log(2))


def f_pvalue(statistic: float, df1: float, df2: float) -> tuple[float, float]:
    """P-value of an F statistic, and its logarithm.

    It is the regularised incomplete beta function I_x(df2 / 2, df1 / 2) at
    x = df2 / (df2 + df1 F).
    """
    if statistic <= 0:
        return 1.0, 0.0
    a, b = df2 / 2, df1 / 2
    ratio = df1 * statistic / df2
    pvalue = float(betainc(a, b, 1 / (1 + ratio)))
    if pvalue > TRUSTED:
        return bounded(pvalue, math.log(pvalue))
    log_pvalue = _log_lower_beta(a, b, ratio)
    return bounded(math.exp(log_pvalue), log_pvalue)


def f_quantile(tail: float, df1: float, df2: float) -> float:
    """Upper quantile of the F distribution at tail probability `tail`."""
    x = float(betaincinv(df2 / 2, df1 / 2, tail))
    return df2 * (1 - x) / (df1 * x)


def _log_lower_beta(a: float, b: float, ratio: float) -> float:
    """Logarithm of the incomplete beta function I_x(a, b) at a small 1 / (1 + ratio)."""
    log_front = -a * np.log1p(ratio) + b * np.log(ratio / (1 + ratio)) - np.log(a)
    fraction = _log_beta_fraction(a, b, 1 / (1 + ratio))
    return float(log_front - betaln(a, b) + fraction)


def _log_beta_fraction(a: float, b: float, x: Points) -> FloatArray:
    """Logarithm of the continued fraction of the incomplete beta function, in the far tail.

    Equation 8.17.22 of the NIST Digital Library of Mathematical Functions, by Lentz's
    method. It converges fast where x is well below (a + 1) / (a + b + 2).
    """
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
    return np.asarray(np.log(fraction))


TINY = float(np.finfo(float).tiny)
NEARLY_ONE = 1 - float(np.finfo(float).epsneg)

TRUSTED_MASS = 1e-290
"""Probability below which the incomplete beta function loses digits or underflows."""


def inside_unit(x: Points) -> FloatArray:
    """Clip points to the open interval (0, 1), which they may have left by rounding."""
    return np.minimum(np.maximum(x, TINY), NEARLY_ONE)


def binomial_mass(k: int, n: int, x: FloatArray) -> FloatArray:
    """P(Binomial(n, x) = k) for x in (0, 1), accurate for large n."""
    return np.exp(log_binomial_mass(k, n, x))


def log_binomial_mass(k: int, n: int, x: FloatArray) -> FloatArray:
    """Logarithm of :func:`binomial_mass`."""
    if k in (0, n):
        return n * (np.log(x) if k else np.log1p(-x))
    # Relative to the largest value, because logarithms of n! would leave no digits.
    p, q = k / n, (n - k) / n
    fall = k * _log_ratio(x, x - p, p) + (n - k) * _log_ratio(1 - x, p - x, q)
    return _log_largest_mass(k, n) + fall


def _log_ratio(x: FloatArray, distance: FloatArray, p: float) -> FloatArray:
    """Logarithm of x / p, where x equals p plus `distance`."""
    is_near = np.abs(distance) < p / 2
    if is_near.all():
        return np.log1p(distance / p)
    near = np.where(is_near, distance / p, 0.0)
    return np.where(is_near, np.log1p(near), np.log(x / p))


@lru_cache(maxsize=64)
def _log_largest_mass(k: int, n: int) -> float:
    """Logarithm of P(Binomial(n, k / n) = k), by Stirling's formula with its error."""
    errors = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
    return errors - 0.5 * math.log(2 * math.pi * k * ((n - k) / n))


def stirling_error(n: int) -> float:
    """Error of Stirling's formula for the logarithm of n!, for n of at least 1."""
    if n < 100:
        formula = (n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)
        return float(gammaln(n + 1)) - formula
    return 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5)


def more(k: int, n: int, x: Points) -> FloatArray:
    """P(Binomial(n, x) > k) by the incomplete beta function, for k of at least 0."""
    return np.zeros_like(x) if k >= n else betainc(k + 1, n - k, x)


def log_more(k: int, n: int, x: Points) -> FloatArray:
    """Logarithm of :func:`more`, without underflow."""
    x = inside_unit(x)
    if k >= n:
        return np.full_like(x, -np.inf)
    plain = np.asarray(betainc(k + 1, n - k, x))
    lost = plain < TRUSTED_MASS
    logarithm = np.array(np.log(np.where(lost, 1.0, plain)))
    if lost.any():
        x = np.asarray(x)[lost]
        start = log_binomial_mass(k + 1, n, x) + np.log1p(-x)
        logarithm[lost] = start + _log_beta_fraction(k + 1.0, float(n - k), x)
    return logarithm


def log_at_least(count: int, n: int, share: float, *, mid: bool) -> float:
    """Logarithm of the exact or mid-p probability of at least `count` successes."""
    x = inside_unit(share)
    beyond = float(log_more(count, n, x))
    equal = float(log_binomial_mass(count, n, x)) - math.log(2) * mid
    larger, smaller = max(beyond, equal), min(beyond, equal)
    return min(0.0, larger + math.log1p(math.exp(smaller - larger)))


def blocks_of(total: int, block: int) -> Iterator[int]:
    """Yield sizes of up to `block` that add up to a total."""
    starts = range(0, total, block)
    for start in tracked(starts, "Resampling", len(starts)):
        yield min(block, total - start)


def error_of_draws(pvalue: float, n_resamples: int, alternative: str) -> float:
    """Monte Carlo error of a p-value from draws that count with both signs."""
    if alternative == "two-sided":
        return math.sqrt(pvalue * (1 - pvalue) / (1 + n_resamples))
    # A one-sided p-value is half of a two-sided one, or 1 minus half of one.
    two_sided = min(1.0, 2 * min(pvalue, 1 - pvalue))
    return math.sqrt(two_sided * (1 - two_sided) / (1 + n_resamples)) / 2


def reference_pvalue(
    statistic: float, df: float | None, alternative: str
) -> tuple[float, float]:
    """P-value of a t statistic, or of a normal one if `df` is None, and its logarithm."""
    if df is None:
        return normal_pvalue(statistic, alternative)
    return student_pvalue(statistic, df, alternative)


def reference_quantile(tail: float, df: float | None) -> float:
    """Upper quantile of t (or normal if `df` is None) at tail probability `tail`."""
    if df is None:
        return float(-ndtri(tail))
    return float(student_quantile(tail, df))
