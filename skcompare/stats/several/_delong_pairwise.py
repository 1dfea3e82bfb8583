"""DeLong's tests of all pairs of several classifiers, with adjusted p-values."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from skcompare._core.design import Design
from skcompare._core.validation import (
    check_alternative,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._limits import DIFFERENCE, interval_level
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald, studentised
from skcompare.stats.ranking._delong_joint import delong_joint
from skcompare.stats.ranking._placement_moments import contrast, variance_flags
from skcompare.stats.several._pairwise_rows import (
    PAIRWISE_ADJUSTMENTS,
    PairwiseRows,
    pairs_of,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseAUCResult(PairwiseRows):
    """DeLong's tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    difference, standard_error : ndarray of shape (n_pairs,)
        AUC of the challenger minus that of the champion, and its standard error.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of :func:`~skcompare.stats.delong`, and adjusted for the number of pairs.
    low, high : ndarray of shape (n_pairs,)
        Limits of the differences, at `interval_level`.
    n : int
        Number of records.
    adjust, alternative : str
        Options of the call.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        Level of the intervals together.
    omnibus : PairedResult
        :func:`~skcompare.stats.delong_joint` of all classifiers.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t".
    """

    columns: ClassVar[tuple[str, ...]] = (
        "difference",
        "standard_error",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    difference: FloatArray
    standard_error: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    n: int
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None

    def __repr__(self) -> str:
        return (
            f"PairwiseAUCResult({len(self)} pairs, adjust={self.adjust!r}, "
            f"control={self.control!r}, n={self.n})"
        )

    def __str__(self) -> str:
        return self._text("pairwise DeLong")


SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""


def max_t_auc_pvalues(
    placements: PlacementValues,
    pairs: tuple[IntArray, IntArray],
    statistic: FloatArray,
    deviation: FloatArray,
    alternative: str,
    n_resamples: int,
    rng: Any,
) -> FloatArray:
    """Step-down adjusted p-values from normal draws with the covariances of the AUCs."""
    # By name, so that the order of the classifiers changes no draw.
    by_name = np.argsort(placements.names)
    values, vectors = np.linalg.eigh(placements.covariance[np.ix_(by_name, by_name)])
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn_aucs = np.empty((placements.n_scores, n_resamples))
    drawn_aucs[by_name] = (rng.standard_normal((n_resamples, len(root))) @ root).T
    champion, challenger = pairs
    defined = np.isfinite(statistic)
    scale = np.where(deviation > 0, deviation, np.inf)[:, np.newaxis]
    draws = (drawn_aucs[challenger] - drawn_aucs[champion]) / scale
    sign, two_sided = (-1.0 if alternative == "less" else 1.0), alternative == "two-sided"
    draws, observed = sign * draws, sign * np.where(defined, statistic, -np.inf)
    if two_sided:
        draws, observed = np.abs(draws), np.where(defined, np.abs(observed), -np.inf)
    order = np.argsort(-observed, kind="stable")
    bars = observed - SLACK * np.maximum(1, np.abs(observed))
    extreme = 1.0 + _at_least(draws[order], bars[order])
    n_signs = 1
    if not two_sided:
        n_signs = 2
        extreme += _at_least(-observed[order][:, np.newaxis], bars[order])
        extreme += _at_least(-draws[order], bars[order])
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(extreme / (n_signs * (n_resamples + 1)))
    return np.where(defined, np.minimum(adjusted, 1.0), np.nan)


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Count draws in which the running maximum of each statistic reaches its threshold."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars[:, np.newaxis], axis=1)


def pairwise_delong(
    placements: PlacementValues,
    *,
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseAUCResult:
    """Compare the AUC of all pairs of several classifiers on one test set.

    DeLong's test of every pair, or of each classifier with a control, and p-values
    adjusted for their number. The null hypothesis of a pair is that the two trained
    classifiers have the same area under the ROC curve.

    Parameters
    ----------
    placements : PlacementValues
        Scores of two or more classifiers for the records of a hold-out set.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        compares each statistic with the greatest of all that are not yet rejected, over
        normal draws with the covariances of the AUCs (step-down [1]_), and so makes use of
        the dependence of pairs that share classifiers and records.
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion
        of every pair. By default all pairs are compared, and the classifier that is
        named first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all differences hold together.
    n_resamples : int, default=9999
        Draws of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseAUCResult
        One row per pair; `omnibus` is the test that all are equal.

    Raises
    ------
    ValueError
        If there are fewer than two classifiers, or fewer than two records of a class; if a
        one-sided alternative has no control.

    Notes
    -----
    Pairs with equal rankings have p = 1, and those whose difference does not vary an
    undefined p (NaN, flagged "zero-variance"), which counts as 1 in the adjustment, as for
    :func:`~skcompare.stats.delong`. Their intervals have no width, and are from -1 to 1.
    An adjusted p of "max-t" is (1 + draws as extreme) / (1 + draws), and no smaller than
    the p-value itself. One-sided, each draw counts with its opposite, so that exchanged
    roles give exactly the opposite.

    References
    ----------
    .. [1] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.

    Examples
    --------
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import pairwise_delong
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> first = [0.1, 0.6, 0.3, 0.8, 0.4, 0.5, 0.2, 0.7, 0.9, 0.6]
    >>> second = [0.2, 0.1, 0.4, 0.6, 0.3, 0.7, 0.5, 0.8, 0.9, 0.6]
    >>> third = [0.5, 0.4, 0.1, 0.3, 0.2, 0.4, 0.3, 0.6, 0.2, 0.7]
    >>> placements = PlacementValues.from_predictions(
    ...     y, first, second, third, names=["A", "B", "C"]
    ... )
    >>> result = pairwise_delong(placements)
    >>> result.difference.round(2).tolist()
    [0.28, 0.04, -0.24]
    >>> result.adjusted_pvalue.round(3).tolist()
    [0.14, 0.878, 0.414]
    """
    check_choice("adjust", adjust, PAIRWISE_ADJUSTMENTS)
    check_alternative(alternative)
    level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    if not isinstance(placements, PlacementValues):
        raise TypeError(
            f"pairwise_delong needs PlacementValues. Got {type(placements).__name__}. Make "
            "them by PlacementValues.from_predictions(y_true, *scores)."
        )
    omnibus = delong_joint(placements)
    champion, challenger = pairs_of(placements.names, control, alternative)
    tested = [
        _pair_test(placements, i, j, alternative)
        for i, j in zip(champion, challenger, strict=True)
    ]
    estimate, deviation, statistic, pvalue = np.array([row for row, _ in tested]).T.copy()
    flags = dict.fromkeys(
        flag for _, pair_flags in tested for flag in pair_flags if flag != "degenerate"
    )
    flags |= dict.fromkeys(flag for flag in omnibus.flags if flag != "degenerate")
    error = None
    if adjust == "max-t":
        rng = check_random_state(random_state)
        adjusted = max_t_auc_pvalues(
            placements,
            (champion, challenger),
            statistic,
            deviation,
            alternative,
            n_resamples,
            rng,
        )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_resamples))
        adjusted = np.maximum(adjusted, pvalue)
    else:
        adjusted = adjust_pvalues(pvalue, adjust)
    own_level = interval_level(level, adjust, len(champion))
    low, high = _limits(estimate, deviation, own_level, alternative)
    names = np.array(placements.names, dtype=object)
    return PairwiseAUCResult(
        champion=tuple(names[champion]),
        challenger=tuple(names[challenger]),
        difference=estimate,
        standard_error=deviation,
        statistic=statistic,
        pvalue=pvalue,
        adjusted_pvalue=adjusted,
        low=low,
        high=high,
        n=placements.n,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=level,
        omnibus=omnibus,
        design=placements.design,
        flags=tuple(flags),
        monte_carlo_error=error,
    )


def _limits(
    estimate: FloatArray, deviation: FloatArray, level: float, alternative: str
) -> FloatArray:
    """Limits of the difference of each pair; -1 and 1 without variance."""
    limits = [
        Wald(difference, error, None, DIFFERENCE).limits(level, alternative)
        if error or not difference
        else (-1.0, 1.0)
        for difference, error in zip(estimate.tolist(), deviation.tolist(), strict=True)
    ]
    return np.array(limits).T.copy()


def _pair_test(
    placements: PlacementValues, i: int, j: int, alternative: str
) -> tuple[tuple[float, float, float, float], tuple[str, ...]]:
    """Return difference, standard error, statistic, p-value and flags of a pair."""
    weights = [0] * placements.n_scores
    weights[i], weights[j] = -1, 1
    estimate, variance = contrast(placements, weights)
    error = math.sqrt(variance)
    statistic, (pvalue, _), flags = studentised(estimate, error, None, alternative)
    flags += variance_flags(placements, weights)
    return (float(estimate), float(variance) ** 0.5, statistic, pvalue), flags
