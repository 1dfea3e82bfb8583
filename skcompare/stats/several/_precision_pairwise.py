"""Tests of the precisions of all pairs of classifiers, with adjusted p-values."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_random_state

from skcompare._core.design import Design
from skcompare._core.formatting import format_pvalue
from skcompare._core.validation import (
    alpha_of,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    CLASS_SCORES,
    ClassMoments,
    ClassScore,
    ClusterSums,
    OutcomeRows,
)
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._limits import interval_level, one_sided, one_sided_ratio
from skcompare.stats.core._result import PairedResult
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
from skcompare.stats.several._pairwise_rows import (
    PAIRWISE_ADJUSTMENTS,
    SETTINGS,
    PairwiseRows,
    pairs_of,
)
from skcompare.stats.several._precision_several import (
    Method,
    chosen_moments,
    precision_several,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwisePrecisionResult(PairwiseRows):
    """Tests of the precisions of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    estimate : ndarray of shape (n_pairs,)
        Challenger minus champion, or over champion, as `scale` says.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        Signed roots, standard normal if two classifiers are equal, p-values, and those
        adjusted for the number of pairs.
    low, high : ndarray of shape (n_pairs,)
        Limits of the estimates, at `interval_level`.
    n : int
        Number of predictions of each classifier.
    label : object
        The class.
    score, scale, method, adjust, alternative : str
        Options of the call.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        Level of the intervals together.
    omnibus : PairedResult
        :func:`~skcompare.stats.precision_several` of all classifiers.
    critical : float
        Critical value of the limits, in standard errors or as a score.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t".
    """

    columns: ClassVar[tuple[str, ...]] = (
        "estimate",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )
    settings: ClassVar[tuple[str, ...]] = ("label", "score", "scale", "method", *SETTINGS)

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    n: int
    label: object
    score: str
    scale: str
    method: str
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    critical: float
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None

    def __repr__(self) -> str:
        return (
            f"PairwisePrecisionResult({len(self)} pairs, scale={self.scale!r}, "
            f"adjust={self.adjust!r}, control={self.control!r}, n={self.n})"
        )

    def __str__(self) -> str:
        return self._text(
            f"pairwise {self.score} of class {self.label!r} ({self.method}, {self.scale})"
        )

    @property
    def interval_level(self) -> float:
        """Confidence level of each interval.

        All hold together at `confidence_level`: by the distribution of the greatest
        statistic for adjust="max-t", and by Bonferroni's inequality otherwise, except for
        adjust="none", where each holds by itself.
        """
        if self.adjust != "max-t":
            return interval_level(self.confidence_level, self.adjust, len(self))
        beyond = float(ndtr(-self.critical))
        return 1 - (2 if self.alternative == "two-sided" else 1) * beyond

    def _table(self) -> list[str]:
        rows = [("champion", "challenger", self.scale, "interval", "p", "adjusted p")]
        sign = "+" if self.scale == "difference" else ""
        rows += [
            (
                row["champion"],
                row["challenger"],
                f"{row['estimate']:{sign}.4f}",
                f"[{row['low']:.4f}, {row['high']:.4f}]",
                format_pvalue(row["pvalue"]),
                format_pvalue(row["adjusted_pvalue"]),
            )
            for row in self.to_dict()["pairs"]
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]


SCALES = {"difference": "identity", "odds ratio": "logit", "ratio": "log"}
METHODS = ("score", "wald")

SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""


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
) -> PairwisePrecisionResult:
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
    result : PairwisePrecisionResult
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
    check_choice("adjust", adjust, PAIRWISE_ADJUSTMENTS)
    check_alternative(alternative)
    level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    if not isinstance(sums, ClusterSums):
        raise TypeError(
            f"pairwise_precision needs ClusterSums. Got {type(sums).__name__}. Make them "
            "by ClusterSums.from_predictions(y_true, *predictions)."
        )
    fit = class_fit(sums, label, score)
    omnibus = precision_several(sums, label=fit.label, score=score, method=method)
    pairs = pairs_of(sums.names, control, alternative)
    options = _Options(SCALES[scale], method, alternative)
    outcomes = sums.class_rows().of_class(fit.label, score)
    tested = [
        _pair_test(_pair_of(fit, outcomes, [i, j]), options)
        for i, j in zip(*pairs, strict=True)
    ]
    own_level = level if adjust == "max-t" else interval_level(level, adjust, len(tested))
    share = alpha_of(own_level)
    greatest = None
    if adjust == "max-t":
        rng = check_random_state(random_state)
        greatest = _greatest(fit, sums.names, pairs, options, n_resamples, rng)
    adjusted, critical, error = _adjusted(tested, adjust, alternative, share, greatest)
    limits = [_limits(test, options, critical) for test in tested]
    flags = dict.fromkeys(flag for test in tested for flag in test.flags)
    flags |= dict.fromkeys(omnibus.flags)
    names = np.array(sums.names, dtype=object)
    low, high = np.array(limits).T.copy()
    return PairwisePrecisionResult(
        champion=tuple(names[pairs[0]]),
        challenger=tuple(names[pairs[1]]),
        estimate=np.array([test.estimate for test in tested]),
        statistic=np.array([test.statistic for test in tested]),
        pvalue=np.array([test.pvalue for test in tested]),
        adjusted_pvalue=adjusted,
        low=low,
        high=high,
        n=sums.n,
        label=fit.label,
        score=score,
        scale=scale,
        method=method,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=level,
        omnibus=omnibus,
        design=sums.design,
        critical=critical,
        flags=tuple(flag for flag in flags if flag != "degenerate"),
        monte_carlo_error=error,
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


def _limits(pair: _Pair, options: _Options, critical: float) -> tuple[float, float]:
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


def _adjusted(
    tested: list[_Pair],
    adjust: str,
    alternative: str,
    share: float,
    greatest: FloatArray | None,
) -> tuple[FloatArray, float, FloatArray | None]:
    """Return adjusted p-values, the critical value of intervals, and Monte Carlo errors."""
    pvalue = np.array([test.pvalue for test in tested])
    critical = normal_critical(share, alternative)
    if greatest is None:
        return adjust_pvalues(pvalue.tolist(), adjust), critical, None
    statistic = np.array([test.statistic for test in tested])
    adjusted, drawn_critical = _single_step(greatest, statistic, alternative, share)
    error = np.sqrt(adjusted * (1 - adjusted) / (1 + len(greatest)))
    # No smaller than without adjustment, and the limits no nearer.
    adjusted, critical = np.fmax(adjusted, pvalue), max(critical, drawn_critical)
    return np.where(np.isnan(pvalue), np.nan, adjusted), critical, error


def _greatest(
    fit: ClassFit,
    names: tuple[str, ...],
    pairs: tuple[IntArray, IntArray],
    options: _Options,
    n_resamples: int,
    rng: Any,
) -> FloatArray:
    """Sorted maximum statistics of normal draws with the covariance of the classifiers."""
    at, slopes = _shares_and_slopes(fit.raw, options)
    share_covariance = fit.raw.covariance(at)
    covariance = np.nan_to_num(np.outer(slopes, slopes) * share_covariance)
    # By name, so that the order of the classifiers changes no draw.
    by_name = np.argsort(names)
    values, vectors = np.linalg.eigh(covariance[np.ix_(by_name, by_name)])
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((len(names), n_resamples))
    drawn[by_name] = (rng.standard_normal((n_resamples, len(root))) @ root).T
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
        return np.zeros(n_resamples)
    draws = (drawn[challenger] - drawn[champion])[kept] / np.sqrt(variances[kept])[
        :, np.newaxis
    ]
    if options.alternative == "two-sided":
        return np.sort(np.abs(draws).max(axis=0))
    # Each draw with its opposite, so that exchanged roles give exactly the opposite.
    return np.sort(np.concatenate([draws.max(axis=0), (-draws).max(axis=0)]))


def _shares_and_slopes(
    moments: ClassMoments, options: _Options
) -> tuple[FloatArray, FloatArray]:
    """Return shares for residuals, and slopes of the scale; NaN where undefined."""
    if options.method == "wald":
        return moments.shares, link_values(moments, options.link)[1]
    rows = moments.rows.sum()
    pooled = moments.hits.sum() / rows if rows else 0.0
    return np.full(len(moments.rows), pooled), np.ones(len(moments.rows))


def _single_step(
    greatest: FloatArray, statistic: FloatArray, alternative: str, share: float
) -> tuple[FloatArray, float]:
    """Return adjusted p-values, and the critical value at the level `share`."""
    observed = -statistic if alternative == "less" else statistic
    if alternative == "two-sided":
        observed = np.abs(observed)
    observed = np.where(np.isnan(observed), -np.inf, observed)
    magnitude = np.where(np.isfinite(observed), np.abs(observed), 0)
    bars = observed - SLACK * np.maximum(1, magnitude)
    beyond = len(greatest) - np.searchsorted(greatest, bars, side="left")
    adjusted = (1 + beyond) / (1 + len(greatest))
    # Largest number of draws that may be as great for a p-value below the level.
    allowed = math.ceil(share * (1 + len(greatest)) - SLACK) - 2
    critical = float(greatest[-1 - allowed]) if allowed >= 0 else math.inf
    return adjusted, critical
