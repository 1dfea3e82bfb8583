"""Intervals of a difference of accuracies from grouped records, each with its p-value."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, ndtri_exp

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray
from skcompare.stats._difference_limits import one_sided, score_limits
from skcompare.stats._sign_flip import sign_flip_tail

MOST_ENUMERATED = 14
"""Up to so many groups all choices of some of them are looked at."""


class GroupTotals(NamedTuple):
    """What the interval of a difference needs of the groups.

    Parameters
    ----------
    against, favour : float
        Records that only the champion, or only the challenger, got right.
    n : float
        Records.
    n_groups : int
        Groups.
    variance : tuple of three floats
        Variance of favour - against - n delta as a polynomial of the difference delta.
    """

    against: float
    favour: float
    n: float
    n_groups: int
    variance: tuple[float, float, float]

    @property
    def total(self) -> float:
        """Records in favour of the challenger less those against it."""
        return self.favour - self.against

    @property
    def discordant(self) -> float:
        """Records that exactly one of the two got right."""
        return self.favour + self.against

    def swap(self) -> "GroupTotals":
        """The totals with the roles exchanged."""
        constant, linear, square = self.variance
        return GroupTotals(
            self.favour, self.against, self.n, self.n_groups, (constant, -linear, square)
        )


def moment_limits(
    totals: GroupTotals, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The differences that a test of the total over its standard deviation keeps.

    The statistic for a difference delta is (favour - against - n delta)² over its
    variance, which has the group's own difference d - n delta in the place of d. What it
    keeps is joined with Tango's score interval of as many unrelated records, see
    :func:`_joined`.
    """
    z = float(-ndtri(_tail(confidence_level, alternative)))
    low, high = _lower_limit(totals, z), -_lower_limit(totals.swap(), z)
    shrinkage = _at_most_one(totals.variance[0], totals.discordant)
    return _joined(low, high, totals, shrinkage, confidence_level, alternative)


def flip_limits(
    differences: IntArray,
    sizes: IntArray,
    totals: GroupTotals,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """The differences that the sign-flip test keeps.

    For a difference delta the signs of d - n delta are flipped. A choice of signs gives
    at least the observed sum exactly when the groups that are flipped have a pooled
    difference of at most delta, so the limits are quantiles of the pooled differences of
    all choices of groups (the typical values of [1]_). Of more than 14 groups there are
    too many choices: there the sum is taken to be normal, separately for the differences
    on either side of 0, each with its exact probability, so that the limits agree with
    the exact p-value.

    Both are joined with Tango's interval, see :func:`_joined`: few groups with a
    difference make the flipped sums alike, and the limits too short.

    References
    ----------
    .. [1] Hartigan, J. A. (1969). "Using subsample values as typical values." Journal of
       the American Statistical Association 64(328), 1303-1317.
    """
    tail = _tail(confidence_level, alternative)
    if len(differences) <= MOST_ENUMERATED:
        pooled = _pooled_differences(differences, sizes)
        low, high = _typical_limit(pooled, tail), -_typical_limit(-pooled[::-1], tail)
    else:
        low = _calibrated_limit(differences, totals, tail)
        high = -_calibrated_limit(-differences, totals.swap(), tail)
    shrinkage = _at_most_one(_implied_variance(differences, totals), totals.discordant)
    return _joined(low, high, totals, shrinkage, confidence_level, alternative)


def shrunk_limits(
    totals: GroupTotals, shrinkage: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Tango's score interval of the table whose counts are divided by `shrinkage`.

    Without discordant pairs nothing is known of how groups vary, and each counts as one
    record.
    """
    if totals.discordant == 0:
        shrinkage = totals.n / totals.n_groups
    return score_limits(
        totals.against / shrinkage,
        totals.favour / shrinkage,
        totals.n / shrinkage,
        0.0,
        confidence_level,
        alternative,
    )


def wald_limits(
    estimate: float, deviation: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Estimate plus and minus a normal quantile of standard deviations, within [-1, 1]."""
    reach = float(-ndtri(_tail(confidence_level, alternative))) * deviation
    return one_sided(*_within(estimate - reach, estimate + reach), alternative)


def _tail(confidence_level: float, alternative: str) -> float:
    return alpha_of(confidence_level) / (2 if alternative == "two-sided" else 1)


def _within(low: float, high: float) -> tuple[float, float]:
    return min(1.0, max(-1.0, low)), min(1.0, max(-1.0, high))


def _at_most_one(variance: float, discordant: float) -> float:
    """Variance of the total as a part of that of unrelated records; 1 if it is more."""
    return min(1.0, variance / discordant) if variance > 0 and discordant > 0 else 1.0


def _joined(
    low: float,
    high: float,
    totals: GroupTotals,
    shrinkage: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """A test's own limits, with Tango's interval of as many unrelated records in them.

    An interval that allows for groups is not to be shorter than one that need not; with
    few discordant pairs it would be, because none of them may go the other way. Where
    the groups vary less than unrelated records, the counts are divided by that part, so
    that Tango's interval never has a 0 that the test rejects.
    """
    if alternative != "two-sided":
        low, high = one_sided(low, high, alternative)
    lower, upper = shrunk_limits(totals, shrinkage, confidence_level, alternative)
    return _within(min(low, lower), max(high, upper))


def _lower_limit(totals: GroupTotals, z: float) -> float:
    """Least difference with a signed root of at most z, next to the estimate.

    With the total T and its variance u + v delta + w delta², the root is z or -z where
    (n² - z² w) delta² - 2 (n T + z² v / 2) delta + T² - z² u = 0.
    """
    if z < 0:
        return -_lower_limit(totals.swap(), -z)
    if math.isinf(z):
        return -1.0
    constant, linear, square = totals.variance
    a = totals.n**2 - z * z * square
    half = totals.n * totals.total + z * z * linear / 2
    c = totals.total**2 - z * z * constant
    root = math.sqrt(max(0.0, half * half - a * c))
    if a > 0:
        # The form without cancellation, so that a limit beside 0 keeps its digits.
        return c / (half + root) if half > 0 else (half - root) / a
    return _lower_limit_of_few(a, half, c, root, totals.total / totals.n)


def _lower_limit_of_few(
    a: float, half: float, c: float, root: float, estimate: float
) -> float:
    """The limit where a far enough difference is kept, whatever it is.

    With few groups for the level, or one that holds most records, the rejected
    differences are those between two roots. Those that are kept beyond them count only
    if 0 is one of them, as the p-value says then.
    """
    turn = half + math.copysign(root, half)
    if root == 0 or turn == 0:
        return -1.0
    ends = [c / turn] if a == 0 else sorted((c / turn, turn / a))
    if ends[-1] > estimate or (a < 0 and ends[0] >= 0):
        return -1.0
    return ends[-1]


def _pooled_differences(differences: IntArray, sizes: IntArray) -> FloatArray:
    """Sorted pooled differences of all choices of at least one group."""
    total, n = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for difference, size in zip(differences, sizes, strict=True):
        total = np.concatenate([total, total + difference])
        n = np.concatenate([n, n + size])
    return np.sort(total[1:] / n[1:])


def _typical_limit(pooled: FloatArray, tail: float) -> float:
    """Least difference that as large a part of the choices as `tail` do not exceed.

    The empty choice, no group flipped, is one of them whatever the difference.
    """
    needed = math.ceil(tail * (len(pooled) + 1)) - 1
    return float(pooled[needed - 1]) if needed > 0 else -1.0


def _calibrated_limit(differences: IntArray, totals: GroupTotals, tail: float) -> float:
    """The limit of a normal sum whose p-value for a difference of 0 is the exact one."""
    exact = sign_flip_tail(differences, int(totals.total))[0]
    deviation = math.sqrt(totals.variance[0])
    normal = float(ndtr(-totals.total / deviation)) if deviation else 0.5
    if tail <= exact:
        share = tail * normal / exact
    else:
        share = (tail - exact + normal * (1 - tail)) / (1 - exact)
    return _lower_limit(totals, float(-ndtri(share)))


def _implied_variance(differences: IntArray, totals: GroupTotals) -> float:
    """The variance with which a normal total would have the exact p-value."""
    if totals.total == 0:
        return totals.variance[0]
    z = -float(ndtri_exp(sign_flip_tail(differences, int(abs(totals.total)))[1]))
    return (totals.total / z) ** 2 if z > 0 else math.inf
