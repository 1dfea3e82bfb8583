"""Tests of the precisions of all pairs of classifiers, with adjusted p-values."""

from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._registry.tests import takes_evidence
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums, OutcomeRows
from skcompare.stats.core._result import pvalue_of
from skcompare.stats.core._wald import critical_value
from skcompare.stats.precision._clustered_precision import (
    ClassFit,
    ClassTest,
    Method,
    class_fit,
    class_test,
    informative_clusters,
    link_values,
)
from skcompare.stats.precision._precision_statistics import contrast_variance
from skcompare.stats.several._pairwise import (
    Draws,
    PairTests,
    PairwiseAdjustment,
    normal_draws,
    pairwise,
)
from skcompare.stats.several._pairwise_result import PairwiseResult
from skcompare.stats.several._precision_several import precision_several

Scale = Literal["difference", "odds ratio", "ratio"]
LINKS = {"difference": "identity", "odds ratio": "logit", "ratio": "log"}


@takes_evidence
def pairwise_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    scale: Scale = "difference",
    method: Method = "score",
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the precisions of all pairs of several classifiers on one test set.

    The null hypothesis of a pair is that predictions of the class are correct as often for
    both classifiers. Every pair is tested, or each classifier with a control, with p-values
    adjusted for their number and intervals that hold together.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two or more classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    scale : {"difference", "odds ratio", "ratio"}, default="difference"
        Scale of the estimates: challenger minus champion, or over champion.
    method : {"score", "wald"}, default="score"
        The generalized score test, whose p-values are the same on every scale, or Wald's on
        this scale, as in the tables of odds ratios of a marginal logistic model [1]_.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        compares each statistic with the greatest of all, over normal draws with the
        covariances of the classifiers (single-step [2]_; Dunnett's test for a control).
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion of
        every pair. By default all pairs are compared, and the classifier that is named
        first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals hold together.
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
        If there is no such class or classifier; if a one-sided alternative has no control.

    Notes
    -----
    Intervals of "max-t" take the quantile of the same greatest statistics that adjust the
    p-values, so that the null value is outside exactly when an adjusted p-value is below
    1 - `confidence_level`. The other intervals are at Bonferroni's level, which goes with
    adjust="bonferroni"; those of adjust="none" are at the level itself.

    Pairs with the same predictions have p = 1. A pair without a defined test has p NaN, an
    interval of the whole range, and a flag: "no-predictions", "zero-variance", or
    "share-of-0-or-1" for logarithms of precisions of 0 or 1 under "wald". It counts as 1 in
    the adjustment.

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Hothorn, T., Bretz, F. and Westfall, P. (2008). "Simultaneous inference in
       general parametric models." Biometrical Journal 50(3), 346-363.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import pairwise_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> predictions = [
    ...     np.where(rng.random(300) < accuracy, y, 1 - y) for accuracy in (0.7, 0.72, 0.78)
    ... ]
    >>> sums = ClusterSums.from_predictions(y, *predictions, names=["A", "B", "C"])
    >>> result = pairwise_precision(sums, scale="odds ratio", control="A")
    >>> result.estimate.round(2).tolist()
    [1.63, 2.47]
    >>> result.adjusted_pvalue.round(4).tolist()
    [0.0147, 0.0002]
    """
    fit = class_fit(sums, label, score)
    settings = {"label": fit.label, "score": score, "scale": scale, "method": method}
    return pairwise(
        sums,
        partial(_tests, sums, fit, settings, alternative),
        adjust=adjust,
        control=control,
        alternative=alternative,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def _tests(
    sums: ClusterSums,
    fit: ClassFit,
    settings: dict[str, Any],
    alternative: str,
    champion: IntArray,
    challenger: IntArray,
) -> PairTests:
    label, score, scale, method = settings.values()
    omnibus = precision_several(sums, label=label, score=score, method=method)
    link = LINKS[scale]
    outcomes = sums.class_rows().of_class(label, score)
    tested = [
        class_test(_pair_of(fit, outcomes, [i, j]), link, method)
        for i, j in zip(champion, challenger, strict=True)
    ]
    flags = dict.fromkeys(
        flag for test in tested if not test.degenerate for flag in test.flags
    )
    flags |= dict.fromkeys(omnibus.flags)
    flags.pop("degenerate", None)
    statistic = np.array([test.root for test in tested])
    tails = [
        pvalue_of(test.root, None, alternative, degenerate=test.degenerate)
        for test in tested
    ]
    pairs = champion, challenger
    return PairTests(
        test="pairwise_precision",
        title=f"pairwise {score} of class {label!r} ({method}, {scale})",
        measure=score,
        estimate=np.array([test.estimate for test in tested]),
        statistic=statistic,
        pvalue=np.array([pvalue for pvalue, _ in tails]),
        omnibus=omnibus,
        limits=partial(_limits, tested, alternative),
        draws=partial(_draws, fit, sums.names, pairs, (link, method), statistic),
        in_steps=False,
        estimate_name=scale,
        settings=settings,
        flags=tuple(flags),
    )


def _limits(
    tested: list[ClassTest], alternative: str, level: float, critical: float | None = None
) -> tuple[FloatArray, FloatArray]:
    if critical is None:
        critical = critical_value(level, alternative)
    low, high = np.array([test.limits(critical, alternative) for test in tested]).T.copy()
    return low, high


def _pair_of(fit: ClassFit, outcomes: OutcomeRows, pair: list[int]) -> ClassFit:
    moments = fit.raw.chosen(pair)
    n_clusters = informative_clusters(outcomes, pair)
    return fit._replace(raw=moments, moments=moments, n_clusters=n_clusters)


def _draws(
    fit: ClassFit,
    names: tuple[str, ...],
    pairs: tuple[IntArray, IntArray],
    scale: tuple[str, str],
    statistic: FloatArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw normal statistics with the covariance of the classifiers."""
    at, slopes = _shares_and_slopes(fit.raw, *scale)
    share_covariance = fit.raw.covariance(at)
    covariance = np.nan_to_num(np.outer(slopes, slopes) * share_covariance)
    drawn = normal_draws(covariance, names, n_resamples, rng)
    champion, challenger = pairs
    positions = [list(pair) for pair in zip(champion, challenger, strict=True)]
    variances = np.array(
        [
            contrast_variance(
                fit.raw.chosen(pair),
                at[pair],
                slopes[pair],
                share_covariance[np.ix_(pair, pair)],
            )
            for pair in positions
        ]
    )
    # Pairs without predictions, or with a constant difference, have no statistic that could
    # be greatest.
    kept = np.flatnonzero(variances > 0)
    if not len(kept):
        return Draws(statistic, [np.zeros((1, n_resamples))])
    errors = np.sqrt(variances[kept])[:, np.newaxis]
    return Draws(statistic, [(drawn[challenger] - drawn[champion])[kept] / errors])


def _shares_and_slopes(
    moments: ClassMoments, link: str, method: str
) -> tuple[FloatArray, FloatArray]:
    """Return shares for residuals, and slopes of the scale; NaN where undefined."""
    if method == "wald":
        return moments.shares, link_values(moments, link)[1]
    rows = moments.rows.sum()
    pooled = moments.hits.sum() / rows if rows else 0.0
    return np.full(len(moments.rows), pooled), np.ones(len(moments.rows))
