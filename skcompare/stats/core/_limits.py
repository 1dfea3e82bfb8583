"""Confidence limits: bounds, direction, level, of Wald's form, and by inversion."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from skcompare._core.validation import alpha_of
from skcompare.stats.core._power import Aim
from skcompare.stats.core._result import UNDEFINED, Tested
from skcompare.stats.core._tails import (
    chi2_pvalue,
    each_tail,
    outward,
    reference_pvalue,
    reference_quantile,
)

Pair = tuple[float, float]
Limits = Callable[[float, str], Pair]
"""Limits as a function of confidence level and direction."""

DIFFERENCE: Pair = (-1.0, 1.0)
"""Range of a difference of two shares."""

UNBOUNDED: Pair = (-math.inf, math.inf)

RATIO: Pair = (0.0, math.inf)
"""Range of a ratio."""


def fixed_limits(bounds: Pair, confidence_level: float, alternative: str) -> Pair:
    """Limits that are the same at all levels, as a whole range where they are undefined."""
    return bounds


any_difference: Limits = partial(fixed_limits, DIFFERENCE)
any_ratio: Limits = partial(fixed_limits, RATIO)


def one_sided(low: float, high: float, alternative: str, bounds: Pair = DIFFERENCE) -> Pair:
    """Clip limits to bounds, and extend one-sided limits to the bound on the open side."""
    least, greatest = bounds
    # One-sided limits of levels below 1/2 are on the other side of the estimate.
    low = least if alternative == "less" else min(max(low, least), greatest)
    high = greatest if alternative == "greater" else max(min(high, greatest), least)
    return low, high


def ratio_of(challenger: float, champion: float) -> float:
    """Ratio of two numbers of at least 0: infinite above 0 alone, and NaN for 0 / 0."""
    if champion == 0:
        return math.inf if challenger > 0 else math.nan
    return challenger / champion


def interval_level(confidence_level: float, adjust: str, n_pairs: int) -> float:
    """Confidence level of each interval, Bonferroni-adjusted unless `adjust` is "none"."""
    if adjust == "none":
        return confidence_level
    return 1 - (1 - confidence_level) / n_pairs


def wilson_limits(successes: float, n: float, z: float) -> tuple[float, float]:
    """Wilson score limits of a share at a normal quantile.

    Both keep their digits near 0.
    """
    return _wilson_limit(successes, n, z), _wilson_limit(successes, n, -z)


def _wilson_limit(successes: float, n: float, z: float) -> float:
    """Lower Wilson limit, or the upper one if the quantile is negative."""
    middle = 2 * successes + z**2
    root = z * math.sqrt(z**2 + 4 * successes * (n - successes) / n)
    if root <= 0:
        return min(1.0, (middle - root) / (2 * (n + z**2)))
    # The product of both limits is successes² / (n (n + z²)).
    return 2 * successes**2 / (n * (middle + root))


def increasing_root(
    function: Callable[[float], float],
    guess: float,
    step: float,
    bounds: Pair = UNBOUNDED,
    *,
    precision: float,
) -> float:
    """Root of an increasing function, or the nearer bound if no root is in between."""
    cached = cache(function)
    low, high = bounds
    here = min(max(guess, low), high)
    step = -step if cached(here) > 0 else step
    while True:
        there = min(max(here + step, low), high)
        if cached(there) * step >= 0:
            return float(brentq(cached, *sorted((here, there)), xtol=precision))
        if there in bounds:
            return there
        here, step = there, 3 * step


ZERO_VARIANCE = "zero-variance"

NO_SKEWNESS = 1e-8
"""Third of a skewness up to which Hall's transformation changes nothing."""

NO_DIFFERENCE = 1e-12
"""Largest difference that is rounding where there is no variance."""


def studentised(
    distance: float | Fraction, error: float, df: float | None, alternative: str
) -> Tested:
    """Test an estimate by its distance from the null value in standard errors.

    Parameters
    ----------
    distance, error : float
        The distance and its standard error. Where that is 0, the statistic is 0 and p is 1
        without a distance, flagged "degenerate"; with one the statistic is infinite and p
        undefined, flagged "zero-variance". Where it is NaN, so are statistic and p.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution.
    alternative : str
        Direction of the test.
    """
    if math.isnan(error):
        return math.nan, UNDEFINED, ()
    if error > 0:
        statistic = float(distance) / error
        return statistic, reference_pvalue(statistic, df, alternative), ()
    if distance == 0:
        return 0.0, (1.0, 0.0), ("degenerate",)
    return math.copysign(math.inf, distance), UNDEFINED, (ZERO_VARIANCE,)


def chi2_tested(statistic: float, df: float) -> Tested:
    """Test by a chi-squared statistic; one that is infinite has no p-value."""
    if math.isinf(statistic):
        return statistic, UNDEFINED, (ZERO_VARIANCE,)
    return statistic, chi2_pvalue(statistic, df), ("degenerate",) * (df == 0)


@dataclass(frozen=True, slots=True)
class Wald:
    """Estimate with its standard error, tested against a null value of 0.

    Attributes
    ----------
    estimate, error : float
        The estimate and its standard error; NaN where that is undefined.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution.
    bounds : tuple of two floats
        Range of the estimate.
    """

    estimate: float
    error: float
    df: float | None = None
    bounds: Pair = UNBOUNDED

    def limits(self, confidence_level: float, alternative: str) -> Pair:
        """Confidence limits at a quantile of t (or normal) times the standard error."""
        if math.isnan(self.error):
            return math.nan, math.nan
        reach = critical_value(confidence_level, alternative, self.df) * self.error
        low, high = self.estimate - reach, self.estimate + reach
        return one_sided(low, high, alternative, self.bounds)

    def limits_beyond(self, null: float) -> Limits:
        """Limits, or the whole range if an estimate without error differs from `null`."""
        known = self.error != 0 or self.estimate == null
        return self.limits if known else partial(fixed_limits, self.bounds)

    def with_df(self, df: float) -> "Wald":
        """Return the estimate with these degrees of freedom, or with its fewer own."""
        return self if self.df is not None and self.df <= df else replace(self, df=df)

    def fields(self, alternative: str) -> dict[str, Any]:
        """Arguments for the result of the test."""
        return {
            "tested": studentised(self.estimate, self.error, self.df, alternative),
            "df": self.df,
            "estimate": self.estimate,
            "limits": self.limits,
        }

    def sample_size(self, n: float, aim: Aim) -> float:
        """Number of records required to detect an estimate as large as the observed one.

        By the normal approximation, for a standard error that falls with the square root
        of the records. Infinite without a distance from the null value, or where it is in
        the other direction; NaN where it is undefined.
        """
        size = outward(self.estimate, aim.alternative)
        return math.inf if size <= 0 else n * (aim.reach * self.error / size) ** 2


@dataclass(frozen=True, slots=True)
class SkewedWald:
    """Estimate that is tested by the larger of two p-values: of t, and for its skewness.

    A skewed estimate and its standard error depend on each other, and t has a long tail on
    the other side. Hall (1992) transforms it to remove this. Where a few
    records are large, either alone rejects too often.

    Attributes
    ----------
    wald : Wald
        The estimate with its standard error.
    skewness : float
        Skewness of the estimate: that of a record over the root of their number.
    """

    wald: Wald
    skewness: float

    def _transformed(self, t: float) -> float:
        s = self.skewness / 3
        return t + s * t**2 + s**2 * t**3 / 3 + s / 2

    def _critical(self, quantile: float) -> float:
        """Value of t that is transformed to a quantile."""
        s = self.skewness / 3
        if abs(s) < NO_SKEWNESS:
            return quantile
        return float(np.cbrt(1 + 3 * s * (quantile - s / 2)) - 1) / s

    def limits(self, confidence_level: float, alternative: str) -> Pair:
        """Limits of the null values that one of both does not reject."""
        wald = self.wald
        if not wald.error > 0:
            return wald.limits(confidence_level, alternative)
        quantile = critical_value(confidence_level, alternative, wald.df)
        below = max(quantile, self._critical(quantile))
        above = max(quantile, -self._critical(-quantile))
        low, high = wald.estimate - below * wald.error, wald.estimate + above * wald.error
        return one_sided(low, high, alternative, wald.bounds)

    def tested(self, alternative: str, null: float = 0.0) -> Tested:
        """Test a null value; the statistic is t."""
        wald = replace(self.wald, estimate=self.wald.estimate - null)
        statistic, tail, flags = studentised(
            wald.estimate, wald.error, wald.df, alternative
        )
        if not wald.error > 0:
            return statistic, tail, flags
        both = statistic, self._transformed(statistic)
        least, most = min(both), max(both)
        nearest = {"greater": least, "less": most}
        # Of both signs: neither direction is shown.
        cautious = nearest.get(alternative, max(least, 0.0) + min(most, 0.0))
        return statistic, reference_pvalue(cautious, wald.df, alternative), flags


def tanh_limits(wald: Wald, confidence_level: float, alternative: str) -> Pair:
    """Limits between -1 and 1 of an estimate that is tested on Fisher's arctanh scale."""
    low, high = wald.limits(confidence_level, alternative)
    return math.tanh(low), math.tanh(high)


def critical_value(
    confidence_level: float, alternative: str, df: float | None = None
) -> float:
    """Critical value of t (or normal) for a confidence level."""
    return reference_quantile(tail_of(confidence_level, alternative), df)


def tail_of(confidence_level: float, alternative: str) -> float:
    """Probability of each tail beyond the limits at a confidence level."""
    return each_tail(alpha_of(confidence_level), alternative)


def log_wald_limits(
    ratio: float, error: float, confidence_level: float, alternative: str
) -> Pair:
    """Wald limits of a ratio on the log scale, with the standard error of its logarithm.

    0 and infinity where one of them is unknown.
    """
    reach = critical_value(confidence_level, alternative) * error
    if math.isnan(reach) or math.isnan(ratio):
        return RATIO
    return around_ratio(ratio, reach, alternative)


def around_ratio(ratio: float, reach: float, alternative: str) -> Pair:
    """Limits of a ratio whose logarithm is known up to a distance on either side."""
    # A huge standard error gives limits beyond the largest double.
    with np.errstate(over="ignore"):
        low, high = (float(ratio * np.exp(by)) for by in (-reach, reach))
    return one_sided(low, high, alternative, RATIO)


def normal_critical(alpha: float, alternative: str) -> float:
    """Critical value of a standard normal statistic."""
    return reference_quantile(each_tail(alpha, alternative), None)


def no_critical(alpha: float, alternative: str) -> float:
    """Critical value of a test that never rejects."""
    return math.inf


def score_range(
    estimate: float,
    error: float,
    critical: Callable[[float, str], float],
    bounds: Pair,
    confidence_level: float,
    alternative: str,
    *,
    rounding: float = NO_DIFFERENCE,
) -> Pair:
    """Limits of a difference, at the critical number of standard errors from the estimate.

    Parameters
    ----------
    estimate, error : float
        The difference and its standard error. If that is 0, so is the difference, or it is
        infinite in standard errors.
    critical : callable
        Least statistic, in the direction of the alternative, that is significant at a
        level: infinity where none is, and the largest number where only an infinite one is.
    bounds : tuple of two floats
        The range of the difference.
    confidence_level, alternative
        As of the interval.
    rounding : float, default=1e-12
        Largest difference that is rounding where there is no variance: 0 for one whose
        rounding errors were taken as 0 before.
    """
    threshold = critical(alpha_of(confidence_level), alternative)
    if error > 0:
        # No difference is infinitely many standard errors away.
        threshold = math.inf if threshold == sys.float_info.max else threshold
        low, high = estimate - threshold * error, estimate + threshold * error
    elif abs(estimate) <= rounding:
        low = high = 0.0
    else:
        low, high = _range_by_sign(estimate, math.isfinite(threshold), alternative)
    return one_sided(low, high, alternative, bounds)


def _range_by_sign(estimate: float, significant: bool, alternative: str) -> Pair:
    """Range of a difference with zero variance, decided by the sign of the estimate."""
    if significant and estimate > 0 and alternative != "less":
        return 0.0, math.inf
    if significant and estimate < 0 and alternative != "greater":
        return -math.inf, 0.0
    return -math.inf, math.inf
