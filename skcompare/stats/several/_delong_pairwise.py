"""DeLong's tests of all pairs of several classifiers, with adjusted p-values."""

import math
from functools import partial
from typing import Any

import numpy as np

from skcompare._registry.tests import takes_evidence
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import DIFFERENCE
from skcompare.stats.core._wald import Wald, studentised
from skcompare.stats.ranking._delong import contrast, variance_flags
from skcompare.stats.ranking._delong_joint import delong_joint
from skcompare.stats.several._pairwise import (
    Draws,
    PairTests,
    PairwiseAdjustment,
    normal_draws,
    pairwise,
)
from skcompare.stats.several._pairwise_result import PairwiseResult


@takes_evidence
def pairwise_delong(
    placements: PlacementValues,
    *,
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
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
    result : PairwiseResult
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
    >>> result.estimate.round(2).tolist()
    [0.28, 0.04, -0.24]
    >>> result.adjusted_pvalue.round(3).tolist()
    [0.14, 0.878, 0.414]
    """
    return pairwise(
        placements,
        partial(_tests, placements, alternative),
        adjust=adjust,
        control=control,
        alternative=alternative,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def _tests(
    placements: PlacementValues,
    alternative: str,
    champion: IntArray,
    challenger: IntArray,
) -> PairTests:
    omnibus = delong_joint(placements)
    tested = [
        _pair_test(placements, i, j, alternative)
        for i, j in zip(champion, challenger, strict=True)
    ]
    estimate, deviation, statistic, pvalue = np.array([row for row, _ in tested]).T.copy()
    flags = dict.fromkeys(flag for _, of_pair in tested for flag in of_pair)
    flags |= dict.fromkeys(omnibus.flags)
    flags.pop("degenerate", None)
    return PairTests(
        test="pairwise_delong",
        title="pairwise DeLong",
        measure="roc_auc",
        estimate=estimate,
        statistic=statistic,
        pvalue=pvalue,
        omnibus=omnibus,
        limits=partial(_limits, estimate, deviation, alternative),
        draws=partial(_draws, placements, champion, challenger, statistic, deviation),
        details={"standard_error": deviation},
        flags=tuple(flags),
    )


def _draws(
    placements: PlacementValues,
    champion: IntArray,
    challenger: IntArray,
    statistic: FloatArray,
    deviation: FloatArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw normal differences with the covariances of the AUCs."""
    aucs = normal_draws(placements.covariance, placements.names, n_resamples, rng)
    scale = np.where(deviation > 0, deviation, np.inf)[:, np.newaxis]
    observed = np.where(np.isfinite(statistic), statistic, np.nan)
    return Draws(observed, [(aucs[challenger] - aucs[champion]) / scale])


def _limits(
    estimate: FloatArray, deviation: FloatArray, alternative: str, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the difference of each pair; -1 and 1 without variance."""
    limits = [
        Wald(difference, error, None, DIFFERENCE).limits(level, alternative)
        if error or not difference
        else DIFFERENCE
        for difference, error in zip(estimate.tolist(), deviation.tolist(), strict=True)
    ]
    low, high = np.array(limits).T.copy()
    return low, high


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
