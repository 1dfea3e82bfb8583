"""Tests of the precisions of all pairs of classifiers, with adjusted p-values."""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.validation import alpha_of, check_choice
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    CLASS_SCORES,
    ClassMoments,
    ClassScore,
    ClusterSums,
    OutcomeRows,
)
from skcompare.stats.core._limits import one_sided, one_sided_ratio
from skcompare.stats.core._tails import normal_pvalue
from skcompare.stats.core._wald import normal_critical
from skcompare.stats.precision._clustered_precision import log_contrast, ratio_of_shares
from skcompare.stats.precision._gee_model import (
    ClassFit,
    class_fit,
    difference_score_limits,
    informative_clusters,
    link_values,
    ratio_score_limits,
    undecided,
)
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    contrast_variance,
    generalized_score,
    share_contrast,
)
from skcompare.stats.several._pairwise import Draws, PairTests, normal_draws, pairwise
from skcompare.stats.several._pairwise_result import PairwiseResult
from skcompare.stats.several._precision_several import (
    Method,
    chosen_moments,
    precision_several,
)


class _Options(NamedTuple):
    """Options of the tests of all pairs."""

    link: str
    method: str
    alternative: str


class _Pair(NamedTuple):
    """Result of the test of one pair."""

    fit: ClassFit
    estimate: float
    statistic: float
    pvalue: float
    error: float
    flags: tuple[str, ...]


SCALES = {"difference": "identity", "odds ratio": "logit", "ratio": "log"}
METHODS = ("score", "wald")


def pairwise_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    scale: str = "difference",
    method: Method = "score",
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
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
    check_choice("score", score, CLASS_SCORES)
    check_choice("scale", scale, tuple(SCALES))
    check_choice("method", method, METHODS)
    if not isinstance(sums, ClusterSums):
        raise TypeError(
            f"pairwise_precision needs ClusterSums. Got {type(sums).__name__}. Make them "
            "by ClusterSums.from_predictions(y_true, *predictions)."
        )
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
    options = _Options(SCALES[scale], method, alternative)
    outcomes = sums.class_rows().of_class(label, score)
    tested = [
        _pair_test(_pair_of(fit, outcomes, [i, j]), options)
        for i, j in zip(champion, challenger, strict=True)
    ]
    flags = dict.fromkeys(flag for test in tested for flag in test.flags)
    flags |= dict.fromkeys(omnibus.flags)
    flags.pop("degenerate", None)
    statistic = np.array([test.statistic for test in tested])
    pairs = champion, challenger
    return PairTests(
        test="pairwise_precision",
        title=f"pairwise {score} of class {label!r} ({method}, {scale})",
        measure=score,
        estimate=np.array([test.estimate for test in tested]),
        statistic=statistic,
        pvalue=np.array([test.pvalue for test in tested]),
        omnibus=omnibus,
        limits=partial(_limits, tested, options),
        draws=partial(_draws, fit, sums.names, pairs, options, statistic),
        in_steps=False,
        estimate_name=scale,
        settings=settings,
        flags=tuple(flags),
    )


def _limits(
    tested: list[_Pair], options: _Options, level: float, critical: float | None = None
) -> tuple[FloatArray, FloatArray]:
    if critical is None:
        critical = normal_critical(alpha_of(level), options.alternative)
    limits = [_pair_limits(pair, options, critical) for pair in tested]
    low, high = np.array(limits).T.copy()
    return low, high


def _pair_of(fit: ClassFit, outcomes: OutcomeRows, pair: list[int]) -> ClassFit:
    moments = chosen_moments(fit.raw, pair)
    return ClassFit(fit.label, moments, moments, informative_clusters(outcomes, pair))


def _pair_test(fit: ClassFit, options: _Options) -> _Pair:
    """Test a pair; return its estimate, statistic, p-value, standard error and flags."""
    shares = fit.raw.shares
    estimate = float(shares[1] - shares[0])
    if options.link != "identity":
        estimate = ratio_of_shares(fit, options.link)
    contrast = _contrast(fit.raw, options)
    root, variance = float(contrast.root), float(contrast.variance)
    if fit.alike or (root == 0 and not variance > 0):
        estimate = 0.0 if options.link == "identity" else estimate
        return _Pair(fit, estimate, 0.0, 1.0, 0.0, ("degenerate",))
    pvalue = (
        normal_pvalue(root, options.alternative)[0] if math.isfinite(root) else math.nan
    )
    error = math.sqrt(variance) if variance >= 0 else math.nan
    flags = (*undecided(fit, root), *(flag for flag in fit.caveats))
    return _Pair(fit, estimate, root, pvalue, error, flags)


def _contrast(moments: ClassMoments, options: _Options) -> Contrast:
    if options.method == "score":
        return generalized_score(moments)
    if options.link == "identity":
        return share_contrast(moments)
    return log_contrast(moments, options.link)


def _pair_limits(pair: _Pair, options: _Options, critical: float) -> tuple[float, float]:
    """Limits at the critical value; the whole range for an undefined p-value."""
    differences = options.link == "identity"
    if math.isnan(pair.pvalue) or math.isnan(pair.estimate) or not pair.fit.known:
        return (-1.0, 1.0) if differences else (0.0, math.inf)
    moments, sides = pair.fit.raw, options.alternative
    if options.method == "score" and differences:
        return difference_score_limits(moments, pair.fit.n_clusters, critical, sides)
    if "degenerate" in pair.flags:
        restrict = one_sided if differences else one_sided_ratio
        return restrict(pair.estimate, pair.estimate, sides)
    if options.method == "score":
        return ratio_score_limits(moments, options.link, pair.estimate, critical, sides)
    reach = critical * pair.error
    if differences:
        return one_sided(pair.estimate - reach, pair.estimate + reach, sides)
    with np.errstate(over="ignore"):
        low, high = (float(pair.estimate * np.exp(by)) for by in (-reach, reach))
    return one_sided_ratio(low, high, sides)


def _draws(
    fit: ClassFit,
    names: tuple[str, ...],
    pairs: tuple[IntArray, IntArray],
    options: _Options,
    statistic: FloatArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw normal statistics with the covariance of the classifiers."""
    at, slopes = _shares_and_slopes(fit.raw, options)
    share_covariance = fit.raw.covariance(at)
    covariance = np.nan_to_num(np.outer(slopes, slopes) * share_covariance)
    drawn = normal_draws(covariance, names, n_resamples, rng)
    champion, challenger = pairs
    positions = [list(pair) for pair in zip(champion, challenger, strict=True)]
    variances = np.array(
        [
            contrast_variance(
                chosen_moments(fit.raw, pair),
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
    scale = np.sqrt(variances[kept])[:, np.newaxis]
    return Draws(statistic, [(drawn[challenger] - drawn[champion])[kept] / scale])


def _shares_and_slopes(
    moments: ClassMoments, options: _Options
) -> tuple[FloatArray, FloatArray]:
    """Return shares for residuals, and slopes of the scale; NaN where undefined."""
    if options.method == "wald":
        return moments.shares, link_values(moments, options.link)[1]
    rows = moments.rows.sum()
    pooled = moments.hits.sum() / rows if rows else 0.0
    return np.full(len(moments.rows), pooled), np.ones(len(moments.rows))
