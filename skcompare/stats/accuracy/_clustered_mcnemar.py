"""McNemar's test for grouped records."""

import math
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, ndtri_exp

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ClusterSums
from skcompare.stats.accuracy._limits import lower_root, score_limits
from skcompare.stats.core._limits import (
    DIFFERENCE,
    Limits,
    Pair,
    Wald,
    critical_value,
    one_sided,
    tail_of,
)
from skcompare.stats.core._power import Discordance, planned
from skcompare.stats.core._result import PairedResult, Tested, few_groups, tested_result
from skcompare.stats.core._sign_flip import can_flip_signs, sign_flip_pvalue, sign_flip_tail
from skcompare.stats.core._tails import normal_pvalue

MOST_ENUMERATED = 14
"""Number of groups up to which all choices of groups are enumerated."""


class GroupTotals(NamedTuple):
    """Totals over the groups, from which confidence limits of a difference are computed.

    Parameters
    ----------
    against, favour : float
        Records that only the champion, or only the challenger, predicted correctly.
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
        """Number of records in favour of the challenger minus the number against."""
        return self.favour - self.against

    @property
    def difference(self) -> float:
        """The difference, pooled over the groups."""
        return self.total / self.n

    @property
    def discordant(self) -> float:
        """Number of records that exactly one classifier predicted correctly."""
        return self.favour + self.against

    def swap(self) -> "GroupTotals":
        """Return the totals with the roles exchanged."""
        constant, linear, square = self.variance
        variance = constant, -linear, square
        return self._replace(against=self.favour, favour=self.against, variance=variance)


def moment_limits(totals: GroupTotals, confidence_level: float, alternative: str) -> Pair:
    """Confidence limits of the difference by inverting the test of the standardized total.

    The statistic for a difference delta is (favour - against - n delta)² over its variance,
    which has the group's own difference d - n delta in the place of d. The interval is
    joined with Tango's score interval of as many independent records, see :func:`_joined`.
    """
    z = critical_value(confidence_level, alternative)
    pair = _lower_limit(totals, z), -_lower_limit(totals.swap(), z)
    return _joined(pair, totals, totals.variance[0], confidence_level, alternative)


def flip_limits(
    sums: ClusterSums, totals: GroupTotals, confidence_level: float, alternative: str
) -> Pair:
    """Confidence limits of the difference by inverting the sign-flip test.

    For a difference delta the signs of d - n delta are flipped. A choice of signs gives
    at least the observed sum exactly when the groups that are flipped have a pooled
    difference of at most delta, so the limits are quantiles of the pooled differences of
    all choices of groups (the typical values of [1]_). Of more than 14 groups there are
    too many choices: there the sum is taken to be normal, separately for the differences
    on either side of 0, each with its exact probability, so that the limits agree with
    the exact p-value.

    Both are joined with Tango's interval, see :func:`_joined`: with few groups that have a
    difference the flipped sums vary little, and the limits are too short.

    References
    ----------
    .. [1] Hartigan, J. A. (1969). "Using subsample values as typical values." Journal of
       the American Statistical Association 64(328), 1303-1317.
    """
    differences = sums.differences
    tail = tail_of(confidence_level, alternative)
    if len(differences) <= MOST_ENUMERATED:
        pooled = _pooled_differences(differences, sums.sizes)
        low, high = _typical_limit(pooled, tail), -_typical_limit(-pooled[::-1], tail)
    else:
        low = _calibrated_limit(differences, totals, tail)
        high = -_calibrated_limit(-differences, totals.swap(), tail)
    variance = _implied_variance(differences, totals)
    return _joined((low, high), totals, variance, confidence_level, alternative)


def shrunk_limits(
    totals: GroupTotals, shrinkage: float, confidence_level: float, alternative: str
) -> Pair:
    """Tango's score interval of the table with its counts divided by `shrinkage`.

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


def _joined(
    pair: Pair, totals: GroupTotals, variance: float, level: float, alternative: str
) -> Pair:
    """Widen the limits of a test to Tango's interval of as many independent records.

    An interval that allows for groups is not to be shorter than one that need not; with
    few discordant pairs it would be, because none of them may go the other way. Where
    the groups vary less than independent records, the counts are divided by that part, so
    that Tango's interval never has a 0 that the test rejects.
    """
    low, high = one_sided(*pair, alternative)
    shrinkage = 1.0
    if variance > 0 and totals.discordant > 0:
        # Relative to the variance of as many independent records.
        shrinkage = min(1.0, variance / totals.discordant)
    lower, upper = shrunk_limits(totals, shrinkage, level, alternative)
    return min(low, lower), max(high, upper)


def _lower_limit(totals: GroupTotals, z: float) -> float:
    """Lower limit of the pooled difference at a critical value."""
    return lower_root(totals.total, totals.n, totals.variance, z)


def _pooled_differences(differences: IntArray, sizes: IntArray) -> FloatArray:
    """Sorted pooled differences of all non-empty subsets of the groups."""
    total, n = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for difference, size in zip(differences, sizes, strict=True):
        total = np.concatenate([total, total + difference])
        n = np.concatenate([n, n + size])
    return np.sort(total[1:] / n[1:])


def _typical_limit(pooled: FloatArray, tail: float) -> float:
    """Lower limit: the `tail` quantile of the pooled differences of all choices of groups.

    The empty choice, no group flipped, is one of them whatever the difference.
    """
    needed = math.ceil(tail * (len(pooled) + 1)) - 1
    return float(pooled[needed - 1]) if needed > 0 else -1.0


def _calibrated_limit(differences: IntArray, totals: GroupTotals, tail: float) -> float:
    """Lower limit by a normal approximation with the exact p-value at a difference of 0."""
    exact = sign_flip_tail(differences, int(totals.total))[0]
    deviation = math.sqrt(totals.variance[0])
    normal = float(ndtr(-totals.total / deviation)) if deviation else 0.5
    if tail <= exact:
        share = tail * normal / exact
    else:
        share = (tail - exact + normal * (1 - tail)) / (1 - exact)
    return _lower_limit(totals, float(-ndtri(share)))


def _implied_variance(differences: IntArray, totals: GroupTotals) -> float:
    """Variance at which a normally distributed total has the exact p-value."""
    if totals.total == 0:
        return totals.variance[0]
    z = -float(ndtri_exp(sign_flip_tail(differences, int(abs(totals.total)))[1]))
    return (totals.total / z) ** 2 if z > 0 else math.inf


Method = Literal["auto", "sign-flip", "obuchowski", "durkalski", "yang", "eliasziw"]
Interval = Literal["agreeing", "wald"]

NAMES = {"durkalski": "mean difference of the groups' accuracies"}

MOST_FLIPPED = 500
"""Number of groups up to which signs are flipped by default."""

NOISE = 1e-12
"""Size, relative to its terms, up to which a sum of shares is 0."""


def _effect(
    sums: ClusterSums, *, method: Method = "auto", **options: object
) -> Discordance:
    method = _resolved(method, sums)
    totals = _totals(_counts(sums, method), method)
    return Discordance(
        totals.difference,
        totals.discordant / totals.n,
        method="exact" if method == "sign-flip" else "asymptotic",
        # An effect below 1 may be chance.
        design_effect=max(1.0, design_effect(sums) or 1.0),
    )


@paired_test(
    title="McNemar's test for grouped records",
    measures="accuracy",
    designs=("grouped holdout",),
    references=("Obuchowski1998", "Durkalski2003", "Yang2010", "Eliasziw1991"),
    inference="models",
    sample_size=planned(_effect),
)
def clustered_mcnemar(
    sums: ClusterSums,
    *,
    method: Method = "auto",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two accuracies on one test set whose records come in groups.

    The null hypothesis is that both trained classifiers are equally accurate for the
    records of new groups. Records of one group may depend on each other in any way; groups
    are independent. With d the records of a group that only the challenger predicts
    correctly minus those that only the champion does, the tests use the sum of d over the
    groups and estimate its variance from the groups.

    Parameters
    ----------
    sums : ClusterSums
        Counts of records by group and by which classifiers were correct, from a hold-out
        set.
    method : {"auto", "sign-flip", "obuchowski", "durkalski", "yang", "eliasziw"}
        How the p-value is computed; "auto" by default. "sign-flip" gives each group's d a
        random sign, exactly: no choice of signs is left out. "obuchowski" is chi-squared
        with the sum of d² as variance [1]_, "yang" the same with a smaller variance [3]_.
        "durkalski" gives every group the same weight, whatever its size [2]_, and so is
        about the mean group instead of the mean record. "eliasziw" divides McNemar's
        statistic by an inflation that assumes one correlation common to all groups and
        predictions [4]_. "auto" flips signs up to 500 groups, if that is quick, and is
        "obuchowski" for more, where both agree.
    interval : {"agreeing", "wald"}, default="agreeing"
        Interval of the difference. "agreeing" agrees with the p-value. "wald" is the
        estimate plus and minus normal quantiles of its standard error between groups.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion) over all records; for
        "durkalski" the mean of the groups' differences, between the groups' mean
        accuracies. `statistic` is the sum of d for "sign-flip" and chi-squared with one
        degree of freedom for the others. `details` has the design effect: how many times
        larger the variance of the difference is than with independent records.

    Raises
    ------
    ValueError
        If there are fewer than two groups, or "sign-flip" would take too long.

    Notes
    -----
    Flipping all signs takes less than about a second and 200 MB, or is refused. Up to 40
    groups with d other than 0 it always can, however large they are. Of more, the sum of
    the sizes of d must be below four million and below 250 million over the number of
    groups, with a common divisor of all d taken out; of more than a thousand groups it must
    be smaller still, by the number of different sizes.

    If every group has d = 0, the statistic is 0 and p is 1; "degenerate" says so. With
    fewer than 10 groups the result is flagged "few-groups".

    With unequal groups in which predictions are correlated, "obuchowski" rejects too rarely
    and "yang" too often, until groups are many; "eliasziw" rejects far too often where the
    groups differ in which classifier they favour, which no common correlation describes.
    Sign flips keep near their level there, which is why they are the default. They are
    exact for the null hypothesis that exchanging the roles in a group changes nothing; of
    equal accuracies alone they are a test for many groups, as the others are.

    At the level 0.05 "yang" is liberal by up to 0.05 with 10 unequal groups and 0.02 with
    20, and "eliasziw" by up to 0.27; with few groups the "wald" interval is too short, and
    holds the difference in as few as 75 % of the cases with 10
    (``benchmarks/validity/accuracy/clustered.py``).

    The "agreeing" interval inverts the test: for a difference delta, d - n delta takes
    the place of d, with n the records of the group. It is never shorter than Tango's
    interval of independent records (see :func:`mcnemar`), but where the groups vary less
    than those would. For "eliasziw" it is Tango's interval of the counts divided by the
    inflation.

    References
    ----------
    .. [1] Obuchowski, N. A. (1998). "On the comparison of correlated proportions for
       clustered data." Statistics in Medicine 17(13), 1495-1507.
    .. [2] Durkalski, V. L., Palesch, Y. Y., Lipsitz, S. R. and Rust, P. F. (2003).
       "Analysis of clustered matched-pair data." Statistics in Medicine 22(15), 2417-2428.
    .. [3] Yang, Z., Sun, X. and Hardin, J. W. (2010). "A note on the tests for clustered
       matched-pair binary data." Biometrical Journal 52(5), 638-652.
    .. [4] Eliasziw, M. and Donner, A. (1991). "Application of the McNemar test to
       non-independent matched pair data." Statistics in Medicine 10(12), 1981-1991.

    Examples
    --------
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import clustered_mcnemar
    >>> tables = [[4, 0, 3, 1], [5, 1, 2, 0], [2, 0, 4, 2], [6, 1, 0, 1], [3, 0, 2, 3]]
    >>> result = clustered_mcnemar(ClusterSums(tables, ["a", "b", "c", "d", "e"]))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.3f}")
    0.225, p = 0.188
    """
    sums.check_tables("clustered_mcnemar")
    if sums.n_groups < 2:
        raise ValueError(
            "clustered_mcnemar needs records of at least 2 groups. Got 1 group. One group "
            "says nothing about new ones: collect more, or count with ContingencyTable and "
            "use mcnemar if the records are independent after all."
        )
    method = _resolved(method, sums)
    counts = _counts(sums, method)
    totals = _totals(counts, method)
    tested, limits = _tested(sums, totals, method, alternative)
    if interval == "wald":
        deviation = math.sqrt(_centred_variance(counts)) / totals.n
        limits = Wald(totals.difference, deviation, bounds=DIFFERENCE).limits
    return tested_result(
        tested,
        roles=_accuracies(sums, method),
        df=None if method == "sign-flip" else 1,
        estimate=totals.difference,
        estimate_name=NAMES.get(method, "difference of accuracies"),
        method=method,
        limits=limits,
        flags=("no-discordant-pairs",) * (sums.n_discordant == 0)
        + few_groups(sums.n_groups),
        details=_details(sums),
    )


class GroupCounts(NamedTuple):
    """Counts of records per group, or shares if all groups have equal weight."""

    against: FloatArray
    favour: FloatArray
    sizes: FloatArray

    @property
    def differences(self) -> FloatArray:
        return self.favour - self.against


def _resolved(method: Method, sums: ClusterSums) -> Method:
    if method != "auto":
        return method
    can_flip = sums.n_groups <= MOST_FLIPPED and can_flip_signs(sums.differences)
    return "sign-flip" if can_flip else "obuchowski"


def _counts(sums: ClusterSums, method: str) -> GroupCounts:
    tables = sums.tables.astype(np.float64)
    if method == "durkalski":
        tables /= sums.sizes[:, np.newaxis]
    sizes = np.ones(len(tables)) if method == "durkalski" else tables.sum(axis=1)
    return GroupCounts(tables[:, 1], tables[:, 2], sizes)


def _totals(counts: GroupCounts, method: str) -> GroupTotals:
    """Sum the counts over the groups and compute the variance of the total by a method."""
    against, favour = float(counts.against.sum()), float(counts.favour.sum())
    if abs(favour - against) <= NOISE * (favour + against):
        # Shares such as 1/3 + 1/3 - 2/3 need not add to 0 in floating point.
        favour = against
    d, n = counts.differences, counts.sizes
    k = len(n)
    variance = np.array([d @ d, -2 * (d @ n), n @ n])
    if method == "yang":
        # Half of the variance around the estimate, which has no null difference in it.
        variance = (variance + [_spread(counts), 0, 0]) / 2
    if method in ("obuchowski", "yang"):
        variance *= k / (k - 1)
    constant, linear, square = variance.tolist()
    return GroupTotals(against, favour, float(n.sum()), k, (constant, linear, square))


def _spread(counts: GroupCounts) -> float:
    """Sum of squared deviations of group differences from the estimated difference."""
    d, n = counts.differences, counts.sizes
    residuals = d - n * (d.sum() / n.sum())
    return float(residuals @ residuals)


def _centred_variance(counts: GroupCounts) -> float:
    """Between-group variance of the total, centred at the estimated difference."""
    k = len(counts.sizes)
    return k / (k - 1) * _spread(counts)


def _tested(
    sums: ClusterSums, totals: GroupTotals, method: str, alternative: str
) -> tuple[Tested, Limits]:
    """Test the total, and return the function of the confidence limits."""
    flags = ("degenerate",) * (not sums.differences.any())
    if method == "sign-flip":
        _check_feasible(sums)
        pvalue = sign_flip_pvalue(sums.differences, alternative)
        return (float(totals.total), pvalue, flags), partial(flip_limits, sums, totals)
    variance = totals.variance[0]
    limits = partial(moment_limits, totals)
    if method == "eliasziw":
        inflation = _inflation(sums)
        variance = totals.discordant * inflation
        limits = partial(shrunk_limits, totals, inflation)
        flags = ("degenerate",) * (sums.n_discordant == 0)
    if variance == 0:
        return (0.0, (1.0, 0.0), flags), limits
    root = totals.total / math.sqrt(variance)
    return (root**2, normal_pvalue(root, alternative), flags), limits


def _check_feasible(sums: ClusterSums) -> None:
    if not can_flip_signs(sums.differences):
        sizes = np.abs(sums.differences)
        raise ValueError(
            f"method='sign-flip' would take too long: {np.count_nonzero(sizes)} groups "
            f"whose differences add to {int(sizes.sum())} without their signs. Use "
            "method='auto', which is 'obuchowski' for them."
        )


def _inflation(sums: ClusterSums) -> float:
    """Factor by which a common correlation inflates the variance of the total [4]_.

    One correlation of the four kinds of outcomes within a group is estimated from mean
    squares. Two discordant records of a group then favour different classifiers with 1 - r'
    times the probability that independent ones do, where

        1 - r' = share (1 - r) / (share + r (1 - share))

    and `share` is the discordant part of the records. A negative r counts as 0, and one of
    records with identical outcomes as 1.
    """
    sizes = sums.sizes
    if sums.n_discordant == 0 or sizes.max() == 1:
        return 1.0
    k, mean = sums.n_groups, sums.n / sums.n_groups
    expected = np.outer(sizes, sums.tables.sum(axis=0) / sums.n)
    inside = sums.tables * (sizes[:, np.newaxis] - sums.tables)
    between = float(((sums.tables - expected) ** 2).sum(axis=1) @ (1 / sizes)) / k
    within = float(inside.sum(axis=1) @ (1 / sizes)) / (k * (mean - 1))
    # Smaller than the mean size where sizes differ, as in any such analysis of variance.
    size = mean - float(((sizes - mean) ** 2).sum()) / (k * (k - 1) * mean)
    spread = between + (size - 1) * within
    correlation = (between - within) / spread if spread else 1.0
    if correlation <= 0:
        return 1.0
    share = sums.n_discordant / sums.n
    of_discordant = correlation / (share + correlation * (1 - share))
    discordant = sums.tables[:, 1] + sums.tables[:, 2]
    together = float(discordant @ discordant) / sums.n_discordant
    return 1 + (together - 1) * of_discordant


def _accuracies(sums: ClusterSums, method: str) -> tuple[float, float]:
    if method != "durkalski":
        return sums.contingency_table().accuracies
    shares = sums.tables / sums.sizes[:, np.newaxis]
    both, champion, challenger, _ = shares.mean(axis=0).tolist()
    return both + champion, both + challenger


def _details(sums: ClusterSums) -> dict[str, float]:
    _, against, favour, _ = sums.tables.sum(axis=0).tolist()
    counts = {"only_champion": against, "only_challenger": favour}
    effect = design_effect(sums)
    of_design = {} if effect is None else {"design_effect": effect}
    return {"n_groups": sums.n_groups, **counts, **of_design}


def design_effect(sums: ClusterSums) -> float | None:
    """Ratio of the between-group variance of the difference to that of independent records.

    None where independent records would not vary either, because none is discordant or all
    favour one classifier.
    """
    counts = _counts(sums, "obuchowski")
    total = float(counts.differences.sum())
    unrelated = sums.n_discordant - total**2 / sums.n
    return _centred_variance(counts) / unrelated if unrelated > 0 else None
