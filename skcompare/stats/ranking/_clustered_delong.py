"""DeLong's test for grouped records."""

import math
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import Wald, any_difference, studentised
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import FEW, FEW_GROUPS, UNDEFINED, PairedResult, Tested
from skcompare.stats.ranking._delong import (
    Interval,
    auc_effect,
    auc_result,
    check_auc_difference,
    check_members,
    check_two,
    score_flags,
)

Method = Literal["t", "normal"]

ROUNDING = 1e-12
"""Share of the terms of a variance below which their sum is rounding error, and 0."""

LIBERAL = 30


def _effect(
    placements: PlacementValues, *, null_value: float = 0.0, **options: object
) -> Wald:
    variance = float(auc_spread(placements).covariance[2, 2])
    return auc_effect(float(_difference(placements)) - null_value, variance)


@paired_test(
    title="DeLong's test for grouped records",
    measures="roc_auc",
    designs=("grouped holdout",),
    references=("Obuchowski1997", "DeLong1988"),
    inference="models",
    sample_size=planned(_effect),
    of_records=True,
)
def clustered_delong(
    placements: PlacementValues,
    *,
    method: Method = "t",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Compare two AUCs on one test set whose records come in groups.

    The null hypothesis is that both trained classifiers have the same area under the ROC
    curve for the records of new groups; or, with another `null_value`, that they differ by
    that much. Records of one group may depend on each other in any way, also those of
    different classes; groups are independent. The placement values of
    :func:`~skcompare.stats.delong` are added up group by group, and the variance is that of
    these sums between groups [1]_.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two classifiers for the records of a hold-out set, the champion first,
        with `groups`.
    method : {"t", "normal"}, default="t"
        Reference distribution of the statistic: Student's t with k - 1 degrees of freedom,
        for k groups of the class that has fewer, or the normal distribution, as
        published [1]_. The latter is liberal for few groups: equal classifiers differ
        significantly in 7 to 11 % of samples of 10 groups and in 6 to 8 % of 20 at a
        level of 5 %, where "t" does in 3 to 6 %.
    interval : {"agreeing", "arctanh"}, default="agreeing"
        Interval of the difference: the one that agrees with the p-value, or the one on
        Fisher's scale, as for :func:`~skcompare.stats.delong`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the difference is above the null value.
    null_value : float, default=0.0
        Difference of the AUCs under the null hypothesis, challenger minus champion.

    Returns
    -------
    result : PairedResult
        `estimate` is AUC(challenger) - AUC(champion), over all pairs of records whatever
        their groups. `details` has the numbers of groups, covariance and correlation of
        the AUCs, and `design_effect`, the variance of the difference over that of unrelated
        records; `parts` has each AUC with its variance and logit interval.

    Raises
    ------
    ValueError
        If there are no groups or only one, not two classifiers, or fewer than two records
        of a class.

    Notes
    -----
    Groups of one record each give the variance of DeLong's test exactly, and its p-value
    under method="normal". Fewer than 30
    groups of a class are flagged "few-groups-for-normal" under method="normal", and fewer
    than 10 groups "few-groups" as well. Where all records of a class are in one group, or
    the variance comes out negative, p is undefined (NaN, flagged "one-group-of-a-class"),
    and the interval is from -1 to 1. Equal rankings still have p = 1. The other
    rules for differences without variance are those of :func:`~skcompare.stats.delong`.

    References
    ----------
    .. [1] Obuchowski, N. A. (1997). "Nonparametric analysis of clustered ROC curve data."
       Biometrics 53(2), 567-578.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import clustered_delong
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(60), 4)
    >>> y = rng.integers(2, size=240)
    >>> effect = rng.normal(size=60)[patients]
    >>> champion, challenger = (gain * y + effect + rng.normal(size=240) for gain in (1, 2))
    >>> placements = PlacementValues.from_predictions(
    ...     y, champion, challenger, groups=patients
    ... )
    >>> result = clustered_delong(placements)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.089, p = 0.0059
    """
    null = check_auc_difference(null_value)
    check_two(placements, "clustered_delong")
    check_members(placements, "clustered_delong")
    spread = auc_spread(placements)
    if spread.n_groups < 2:
        raise ValueError(
            "clustered_delong needs records of at least 2 groups. Got 1 group. One group "
            "says nothing of new ones: collect more, or use delong if the records are "
            "unrelated after all."
        )
    estimate = _difference(placements)
    variance = float(spread.covariance[2, 2])
    # One group of a class has no degree of freedom and no p either, unless nothing differs.
    df = float(max(1, spread.fewest - 1)) if method == "t" else None
    tested: Tested = math.nan, UNDEFINED, ("one-group-of-a-class",)
    other_limits = {"limits": any_difference}
    if spread.defined or (estimate == 0 == variance and null == 0):
        distance, other_limits = estimate - Fraction(null), {}
        tested = studentised(distance, math.sqrt(variance), df, alternative)
    liberal = method == "normal" and spread.fewest < LIBERAL
    flags = (FEW_GROUPS,) * (spread.n_groups < FEW) + ("few-groups-for-normal",) * liberal
    return auc_result(
        placements,
        tested,
        float(estimate),
        math.sqrt(max(0.0, variance)),
        spread.covariance,
        interval,
        df=df,
        method=method,
        flags=flags + score_flags(placements),
        details=_group_details(placements, spread),
        **other_limits,
    )


class Spread(NamedTuple):
    """Covariances of both AUCs and their difference, and numbers of groups."""

    covariance: FloatArray
    n_groups: int
    with_positives: int
    with_negatives: int

    @property
    def fewest(self) -> int:
        """Smaller of the numbers of groups with positives and with negatives."""
        return min(self.with_positives, self.with_negatives)

    @property
    def defined(self) -> bool:
        """Whether the variance of the difference is defined and not negative."""
        return self.fewest > 1 and self.covariance[2, 2] >= 0


def auc_spread(placements: PlacementValues) -> Spread:
    """Covariances of both AUCs and their difference, from sums over groups.

    They are made of the sums X and Y of V10 - A and of V01 - A over the positive and the
    negative records of a group, with Obuchowski's corrections for the numbers of groups.
    """
    codes = placements.group_codes()
    n_groups = int(codes.max()) + 1
    positive, (champion, challenger) = placements.positive, placements.counts
    totals = placements.sums.totals
    rows = (
        (champion, totals[0]),
        (challenger, totals[1]),
        # Whole numbers, so that the difference of equal rankings is exactly 0.
        (challenger - champion, totals[1] - totals[0]),
    )
    m, n = placements.n_positives, placements.n_negatives
    positive_sums, i10 = _group_sums(rows, codes, positive, m, n_groups)
    negative_sums, i01 = _group_sums(rows, codes, ~positive, n, n_groups)
    positive_sums, negative_sums = (
        positive_sums / (2.0 * m * m * n),
        negative_sums / (2.0 * m * n * n),
    )
    if min(i10, i01) < 2:
        return Spread(np.zeros((3, 3)), n_groups, i10, i01)
    cross = positive_sums @ negative_sums.T
    covariance = i10 / (i10 - 1) * (positive_sums @ positive_sums.T)
    covariance += i01 / (i01 - 1) * (negative_sums @ negative_sums.T)
    within_class = covariance.diagonal().copy()
    covariance += n_groups / (n_groups - 1) * (cross + cross.T)
    # The terms of both classes may cancel, up to rounding.
    total = covariance.diagonal()
    np.fill_diagonal(
        covariance, np.where(np.abs(total) > ROUNDING * within_class, total, 0.0)
    )
    return Spread(covariance, n_groups, i10, i01)


def _group_sums(
    rows: tuple[tuple[IntArray, int], ...],
    codes: IntArray,
    chosen: np.ndarray,
    size: int,
    n_groups: int,
) -> tuple[FloatArray, int]:
    """Sums of centred counts over the records of one class by group, and number of groups.

    They are multiplied by the number of these records, so that they are whole, and 0 where
    nothing varies.
    """
    member_codes = codes[chosen]
    members = np.bincount(member_codes, minlength=n_groups)
    # Counts are at most twice the records.
    bound = 4 * size * len(codes) * int(members.max())
    dtype: Any = np.int64 if bound < 1 << 63 else object
    sums = np.empty((len(rows), n_groups))
    for row, (counts, total) in zip(sums, rows, strict=True):
        weighted = np.bincount(member_codes, weights=counts[chosen], minlength=n_groups)
        sums_of_counts = weighted.astype(np.int64).astype(dtype)
        row[:] = size * sums_of_counts - members.astype(dtype) * total
    return sums, int(np.count_nonzero(members))


def _difference(placements: PlacementValues) -> Fraction:
    champion, challenger = placements.sums.totals
    return Fraction(challenger - champion, placements.sums.total_of_one)


def _group_details(placements: PlacementValues, spread: Spread) -> dict[str, float]:
    covariance, scale = placements.sums.covariance, placements.sums.scale
    unrelated = (covariance[0][0] + covariance[1][1] - 2 * covariance[0][1]) / scale
    details: dict[str, float] = {
        "n_groups": spread.n_groups,
        "n_groups_with_positives": spread.with_positives,
        "n_groups_with_negatives": spread.with_negatives,
    }
    if unrelated > 0 and spread.defined:
        return details | {"design_effect": float(spread.covariance[2, 2]) / unrelated}
    return details
