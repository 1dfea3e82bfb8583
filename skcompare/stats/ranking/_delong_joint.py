"""DeLong's tests of the equality of several AUCs and of a contrast of AUCs."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from skcompare._core.validation import check_alternative, is_number
from skcompare._registry.tests import paired_test
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import Wald, chi2_tested, studentised
from skcompare.stats.core._result import PairedResult, Tested, tested_result
from skcompare.stats.ranking._delong import (
    check_members,
    class_sizes,
    contrast,
    design_flags,
    level_details,
    role_parts,
    score_flags,
    variance_flags,
)

LARGEST_DENOMINATOR = 1_000_000
SAME_WEIGHT = 1e-12
"""A weight within this relative distance of a simple fraction is taken to be it."""


@paired_test(
    title="DeLong's test of several AUCs",
    kind="omnibus",
    measures="roc_auc",
    references=("DeLong1988",),
)
def delong_joint(placements: PlacementValues) -> PairedResult:
    """Are the AUCs of two or more classifiers on one test set equal?

    The null hypothesis is that all trained classifiers have the same area under the ROC
    curve [1]_. The statistic is d' V⁻ d, with the differences d of neighbours and their
    covariances V; any other differences that span the same space give the same value.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two or more classifiers for the records of a hold-out set.

    Returns
    -------
    result : PairedResult
        `estimate` is the greatest AUC minus the least, and `statistic` chi-squared with
        `df` degrees of freedom: the rank of V, which is the number of classifiers minus one
        unless rankings depend on each other. `parts` has each AUC with its variance and
        its logit interval, `details` the sizes of the classes.

    Raises
    ------
    ValueError
        If there are fewer than two classifiers, or fewer than two records of a class.

    Notes
    -----
    The rank is found by elimination in whole numbers, without a tolerance. Classifiers
    with equal rankings add nothing to it and drop out. If none differs from another in
    any ranking, or all are perfect, the statistic is 0 and p is 1, flagged "degenerate". If
    some differ in AUC by an amount that does not vary, p is undefined (NaN), flagged
    "zero-variance".

    For two classifiers the statistic is the square of that of
    :func:`~skcompare.stats.delong`. The chi-squared approximation needs records: of 8 equal
    classifiers and 50 records, about 20 of them positive, it detects a difference in 7 % of
    samples at a level of 5 %, and with 200 or 1000 records in 4 to 6 %. Fewer than 10
    records of a class are flagged "few-records-of-a-class".

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import delong_joint
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> scores1 = [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6]
    >>> scores2 = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> scores3 = [0.5, 0.4, 0.1, 0.3, 0.2, 0.4, 0.3, 0.6, 0.2, 0.7]
    >>> placements = PlacementValues.from_predictions(y, scores1, scores2, scores3)
    >>> result = delong_joint(placements)
    >>> print(f"{result.statistic:.3f}, df {result.df}, p = {result.pvalue:.3f}")
    7.061, df 2, p = 0.029
    """
    if placements.n_scores < 2:
        raise ValueError(
            f"delong_joint compares two or more classifiers. Got {placements.n_scores}. "
            "Use auc_interval for one."
        )
    check_members(placements, "delong_joint")
    sums = placements.sums
    covariance = [[Fraction(value, sums.scale) for value in row] for row in sums.covariance]
    areas = [Fraction(total, sums.total_of_one) for total in sums.totals]
    tested, rank = exact_chi2(covariance, areas)
    return tested_result(
        tested,
        df=rank,
        estimate=float(max(areas) - min(areas)),
        estimate_name="greatest difference of AUCs",
        method="asymptotic",
        flags=score_flags(placements),
        details=class_sizes(placements),
        parts=role_parts(placements, placements.covariance.diagonal().tolist()),
    )


def exact_chi2(
    covariance: Sequence[Sequence[Fraction]], values: Sequence[Fraction]
) -> tuple[Tested, int]:
    """Chi-squared test that all values are equal, without rounding, and its df."""
    spread = _differenced(_differenced(covariance))
    steps = [b - a for a, b in pairwise(values)]
    scale = math.lcm(*(entry.denominator for row in spread for entry in row))
    unit = math.lcm(*(step.denominator for step in steps))
    whole = [[int(entry * scale) for entry in row] for row in spread]
    value, rank, consistent = quadratic_form(whole, [int(step * unit) for step in steps])
    statistic = float(value * scale / unit**2) if consistent else math.inf
    return chi2_tested(statistic, rank), rank


def _differenced(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Differences of neighbouring rows, transposed."""
    lower = [
        [b - a for a, b in zip(row, next_row, strict=True)]
        for row, next_row in pairwise(rows)
    ]
    return [list(column) for column in zip(*lower, strict=True)]


def quadratic_form(
    matrix: Sequence[Sequence[int]], vector: Sequence[int]
) -> tuple[Fraction, int, bool]:
    """Exact quadratic form v' M⁻ v of a positive semidefinite integer matrix.

    Bareiss's elimination of the bordered matrix (M v; v' 0), which divides without
    remainder. A diagonal element that is 0 has a row of zeros, so the rank is the number
    of pivots and needs no tolerance; v lies in the range of M, where any generalised
    inverse gives the same value, when its remainder is 0 in the rows that are left.

    Returns
    -------
    value : Fraction
    rank : int
    consistent : bool
        Whether v lies in the range of M.
    """
    q = len(vector)
    rows = [[*row, v] for row, v in zip(matrix, vector, strict=True)] + [[*vector, 0]]
    remaining, previous, rank = list(range(q)), 1, 0
    while True:
        pivot = next((i for i in remaining if rows[i][i]), None)
        if pivot is None:
            break
        remaining.remove(pivot)
        value, pivot_row = rows[pivot][pivot], rows[pivot]
        for i in (*remaining, q):
            factor = rows[i][pivot]
            for j in (*remaining, q):
                rows[i][j] = (rows[i][j] * value - factor * pivot_row[j]) // previous
        previous, rank = value, rank + 1
    consistent = not any(rows[i][q] for i in remaining)
    return Fraction(-rows[q][q], previous), rank, consistent


def auc_contrast(
    placements: PlacementValues,
    weights: Sequence[float],
    *,
    alternative: str = "two-sided",
    null_value: float = 0.0,
) -> PairedResult:
    """Test whether a weighted sum of the AUCs of several classifiers is 0.

    The null hypothesis is that the sum of the AUCs of the trained classifiers, each times
    its weight, is `null_value`. Weights that add up to 0 compare classifiers: (-1, 1) is
    DeLong's test, (-1, 1/2, 1/2) tests whether two challengers are better than the
    champion on average [1]_. Choose them before seeing the predictions.

    Parameters
    ----------
    placements : PlacementValues
        Scores of the classifiers for the records of a hold-out set.
    weights : array-like of shape (n_scores,)
        One finite weight per classifier, not all 0.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the sum is above the null value.
    null_value : float, default=0.0
        The sum under the null hypothesis. Weights that do not add up to 0 usually need
        another value, such as 0.5 for a single AUC.

    Returns
    -------
    result : PairedResult
        `estimate` is the weighted sum, `statistic` standard normal under the null
        hypothesis, and the interval normal, cut off at the bounds that the weights allow.
        `parts` has each AUC with its weight.

    Raises
    ------
    ValueError
        If the number of weights is not that of classifiers, or weights are not finite or
        all 0; if no AUCs have `null_value` as their weighted sum; if a class has fewer than
        two records.

    Notes
    -----
    Weights within 1e-12 of a fraction of whole numbers up to a million are taken to be it,
    so that (1/3, 1/3, -2/3) adds up to 0 and equal rankings differ by exactly 0. The rules
    for sums that do not vary are those of :func:`~skcompare.stats.delong`; such an interval
    has no width, or is the whole range that the weights allow where p is undefined.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). "Comparing the
       areas under two or more correlated receiver operating characteristic curves: a
       nonparametric approach." Biometrics 44(3), 837-845.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import auc_contrast
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> scores1 = [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6]
    >>> scores2 = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> scores3 = [0.5, 0.4, 0.1, 0.3, 0.2, 0.4, 0.3, 0.6, 0.2, 0.7]
    >>> placements = PlacementValues.from_predictions(y, scores1, scores2, scores3)
    >>> result = auc_contrast(placements, [-1, 0.5, 0.5])
    >>> print(f"{result.estimate:.2f}, p = {result.pvalue:.3f}")
    0.16, p = 0.392
    """
    if not isinstance(placements, PlacementValues):
        raise TypeError(
            f"auc_contrast needs PlacementValues. Got {type(placements).__name__}. Make "
            "them by PlacementValues.from_predictions(y_true, *scores)."
        )
    check_alternative(alternative)
    fractions = _weights(weights, placements.n_scores)
    low = float(sum((w for w in fractions if w < 0), Fraction(0)))
    high = float(sum((w for w in fractions if w > 0), Fraction(0)))
    if not is_number(null_value) or not low <= null_value <= high:
        raise ValueError(
            f"`null_value` must be a sum that these weights allow, between {low:g} and "
            f"{high:g}. Got {null_value!r}. Weights that add up to 0 mostly go with 0."
        )
    check_members(placements, "auc_contrast")
    estimate, variance = contrast(placements, fractions)
    distance = estimate - _simple(float(null_value))
    error = math.sqrt(variance)
    wald = Wald(float(estimate), error, bounds=(low, high))
    parts = role_parts(placements, placements.covariance.diagonal().tolist())
    return tested_result(
        studentised(distance, error, None, alternative),
        estimate=wald.estimate,
        estimate_name="contrast of AUCs",
        alternative=alternative,
        method="normal",
        n=placements.n,
        limits=wald.limits_beyond(float(null_value)),
        null_value=float(null_value),
        flags=design_flags(placements)
        + score_flags(placements)
        + variance_flags(placements, fractions),
        details={
            **class_sizes(placements),
            "standard_error": error,
            **level_details(placements, fractions),
        },
        parts=tuple(
            {**part, "weight": float(w)} for part, w in zip(parts, fractions, strict=True)
        ),
        test="auc_contrast",
        design=str(placements.design),
    )


def _weights(weights: Any, k: int) -> list[Fraction]:
    values = np.asarray(weights)
    if values.shape != (k,) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"`weights` must have shape ({k},), one number per classifier. Got {weights!r}."
        )
    if not np.isfinite(values).all() or not values.any():
        raise ValueError(
            f"`weights` must be finite and not all 0. Got {weights!r}. (-1, 1) compares "
            "two classifiers."
        )
    return [_simple(float(value)) for value in values]


def _simple(value: float) -> Fraction:
    exact = Fraction(value)
    simple = exact.limit_denominator(LARGEST_DENOMINATOR)
    return simple if abs(simple - exact) <= SAME_WEIGHT * abs(exact) else exact
