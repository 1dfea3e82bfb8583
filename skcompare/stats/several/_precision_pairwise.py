"""Which of several classifiers differ in precision: every pair, adjusted."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
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
from skcompare.evidence import CLASS_SCORES, ClassMoments, ClusterSums, OutcomeRows
from skcompare.stats.accuracy._limits import one_sided
from skcompare.stats.accuracy._relative_accuracy import one_sided_ratio
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._limits import interval_level
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue
from skcompare.stats.precision._gee_model import (
    ClassFit,
    class_fit,
    difference_score_limits,
    informative_clusters,
    link_values,
    ratio_score_limits,
    undecided,
)
from skcompare.stats.precision._gee_precision import log_contrast, ratio_of_shares
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
from skcompare.stats.several._precision_several import chosen_moments, precision_several


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwisePrecisionResult(PairwiseRows):
    """Tests of the precisions of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    estimate : ndarray of shape (n_pairs,)
        Challenger less champion, or over champion, as `scale` says.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        Signed roots, standard normal if two classifiers are equal, p-values, and those
        adjusted for the number of pairs.
    low, high : ndarray of shape (n_pairs,)
        Limits of the estimates, at `interval_level`.
    n : int
        Answers of each classifier.
    label : object
        The class.
    score, scale, method, adjust, alternative : str
        As they were asked for.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        At which the intervals hold together.
    omnibus : PairedResult
        :func:`~skcompare.stats.precision_several` of all classifiers.
    critical : float
        How many standard errors, or how large a score, the limits are away.
    flags : tuple of str
        Codes of caveats; `caveats` has their words.
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
        statistic for adjust="max-t", and by Bonferroni's inequality otherwise, but for
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
"""Statistics this close are equal, for those above 1 relative to them."""


def pairwise_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: str = "precision",
    scale: str = "difference",
    method: str = "score",
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwisePrecisionResult:
    """Which of several classifiers differ in precision on one test set?

    The null hypothesis of a pair is that answers that name the class are right as often for
    both classifiers. Every pair is tested, or each classifier with a control, with p-values
    adjusted for their number and intervals that hold together.

    Parameters
    ----------
    sums : ClusterSums
        Answers of two or more classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    scale : {"difference", "odds ratio", "ratio"}, default="difference"
        What is estimated: challenger less champion, or over champion.
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
        A row a pair; `omnibus` is the test that all are equal.

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

    Pairs with the same answers have p = 1. A pair of which nothing can be said has p NaN,
    an interval of all there is, and a flag: "no-answers", "zero-variance", or
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
    >>> answers = [
    ...     np.where(rng.random(300) < accuracy, y, 1 - y) for accuracy in (0.7, 0.72, 0.78)
    ... ]
    >>> sums = ClusterSums.from_predictions(y, *answers, names=["A", "B", "C"])
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
            "by ClusterSums.from_predictions(y_true, *answers)."
        )
    fit = class_fit(sums, label, score)
    omnibus = precision_several(sums, label=fit.label, score=score, method=method)
    pairs = pairs_of(sums.names, control, alternative)
    asked = _Asked(SCALES[scale], method, alternative)
    outcomes = sums.class_rows().of_class(fit.label, score)
    tested = [
        _tested(_pair_of(fit, outcomes, [i, j]), asked) for i, j in zip(*pairs, strict=True)
    ]
    own_level = level if adjust == "max-t" else interval_level(level, adjust, len(tested))
    share = alpha_of(own_level)
    greatest = None
    if adjust == "max-t":
        draw = check_random_state(random_state)
        greatest = _greatest(fit, sums.names, pairs, asked, n_resamples, draw)
    adjusted, critical, error = _adjusted(tested, adjust, alternative, share, greatest)
    limits = [_limits(one, asked, critical) for one in tested]
    flags = dict.fromkeys(flag for one in tested for flag in one.flags)
    flags |= dict.fromkeys(omnibus.flags)
    names = np.array(sums.names, dtype=object)
    low, high = np.array(limits).T.copy()
    return PairwisePrecisionResult(
        champion=tuple(names[pairs[0]]),
        challenger=tuple(names[pairs[1]]),
        estimate=np.array([one.estimate for one in tested]),
        statistic=np.array([one.statistic for one in tested]),
        pvalue=np.array([one.pvalue for one in tested]),
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


class _Asked(NamedTuple):
    """What is asked of every pair."""

    link: str
    method: str
    alternative: str


class _Pair(NamedTuple):
    """A pair, tested."""

    fit: ClassFit
    estimate: float
    statistic: float
    pvalue: float
    error: float
    flags: tuple[str, ...]


def _pair_of(fit: ClassFit, outcomes: OutcomeRows, pair: list[int]) -> ClassFit:
    moments = chosen_moments(fit.raw, pair)
    return ClassFit(fit.label, moments, moments, informative_clusters(outcomes, pair))


def _tested(fit: ClassFit, asked: _Asked) -> _Pair:
    """Estimate, statistic, p-value and standard error of a pair, and its flags."""
    shares = fit.raw.shares
    estimate = float(shares[1] - shares[0])
    if asked.link != "identity":
        estimate = ratio_of_shares(fit, asked.link)
    found = _contrast(fit.raw, asked)
    root, variance = float(found.root), float(found.variance)
    if fit.alike or (root == 0 and not variance > 0):
        estimate = 0.0 if asked.link == "identity" else estimate
        return _Pair(fit, estimate, 0.0, 1.0, 0.0, ("degenerate",))
    pvalue = normal_pvalue(root, asked.alternative)[0] if math.isfinite(root) else math.nan
    error = math.sqrt(variance) if variance >= 0 else math.nan
    flags = (*undecided(fit, root), *(flag for flag in fit.caveats))
    return _Pair(fit, estimate, root, pvalue, error, flags)


def _contrast(moments: ClassMoments, asked: _Asked) -> Contrast:
    if asked.method == "score":
        return generalized_score(moments)
    if asked.link == "identity":
        return share_contrast(moments)
    return log_contrast(moments, asked.link)


def _limits(pair: _Pair, asked: _Asked, critical: float) -> tuple[float, float]:
    """What is less than the critical value away; everything where p is undefined."""
    differences = asked.link == "identity"
    if math.isnan(pair.pvalue) or math.isnan(pair.estimate) or not pair.fit.known:
        return (-1.0, 1.0) if differences else (0.0, math.inf)
    moments, sides = pair.fit.raw, asked.alternative
    if asked.method == "score" and differences:
        return difference_score_limits(moments, pair.fit.n_clusters, critical, sides)
    if "degenerate" in pair.flags:
        only = one_sided if differences else one_sided_ratio
        return only(pair.estimate, pair.estimate, sides)
    if asked.method == "score":
        return ratio_score_limits(moments, asked.link, pair.estimate, critical, sides)
    reach = critical * pair.error
    if differences:
        low, high = (min(1.0, max(-1.0, pair.estimate + by)) for by in (-reach, reach))
        return one_sided(low, high, sides)
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
    """Adjusted p-values, the critical value of the intervals, and errors of drawn p's."""
    pvalue = np.array([one.pvalue for one in tested])
    critical = -float(ndtri(share / 2 if alternative == "two-sided" else share))
    if greatest is None:
        return adjust_pvalues(pvalue.tolist(), adjust), critical, None
    statistic = np.array([one.statistic for one in tested])
    adjusted, farther = _single_step(greatest, statistic, alternative, share)
    error = np.sqrt(adjusted * (1 - adjusted) / (1 + len(greatest)))
    # No smaller than without adjustment, and the limits no nearer.
    adjusted, critical = np.fmax(adjusted, pvalue), max(critical, farther)
    return np.where(np.isnan(pvalue), np.nan, adjusted), critical, error


def _greatest(
    fit: ClassFit,
    names: tuple[str, ...],
    pairs: tuple[IntArray, IntArray],
    asked: _Asked,
    n_resamples: int,
    rng: Any,
) -> FloatArray:
    """Sorted greatest statistics of normal draws with the covariances of classifiers."""
    at, slopes = _shares_and_slopes(fit.raw, asked)
    apart = fit.raw.covariance(at)
    covariance = np.nan_to_num(np.outer(slopes, slopes) * apart)
    # By name, so that the order of the classifiers changes no draw.
    by_name = np.argsort(names)
    values, vectors = np.linalg.eigh(covariance[np.ix_(by_name, by_name)])
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    drawn = np.empty((len(names), n_resamples))
    drawn[by_name] = (rng.standard_normal((n_resamples, len(root))) @ root).T
    first, second = pairs
    both = [list(pair) for pair in zip(first, second, strict=True)]
    spread = np.array(
        [
            contrast_variance(
                chosen_moments(fit.raw, pair),
                at[pair],
                slopes[pair],
                apart[np.ix_(pair, pair)],
            )
            for pair in both
        ]
    )
    # Pairs without answers, or whose difference does not vary, have no statistic that
    # could be greatest.
    kept = np.flatnonzero(spread > 0)
    if not len(kept):
        return np.zeros(n_resamples)
    draws = (drawn[second] - drawn[first])[kept] / np.sqrt(spread[kept])[:, np.newaxis]
    if asked.alternative == "two-sided":
        return np.sort(np.abs(draws).max(axis=0))
    # Each draw with its opposite, so that exchanged roles give exactly the opposite.
    return np.sort(np.concatenate([draws.max(axis=0), (-draws).max(axis=0)]))


def _shares_and_slopes(
    moments: ClassMoments, asked: _Asked
) -> tuple[FloatArray, FloatArray]:
    """Shares that residuals are taken from, and slopes of the scale; NaN where unknown."""
    if asked.method == "wald":
        return moments.shares, link_values(moments, asked.link)[1]
    rows = moments.rows.sum()
    pooled = moments.hits.sum() / rows if rows else 0.0
    return np.full(len(moments.rows), pooled), np.ones(len(moments.rows))


def _single_step(
    greatest: FloatArray, statistic: FloatArray, alternative: str, share: float
) -> tuple[FloatArray, float]:
    """Adjusted p-values, and the value beyond which they are below `share`."""
    observed = -statistic if alternative == "less" else statistic
    if alternative == "two-sided":
        observed = np.abs(observed)
    observed = np.where(np.isnan(observed), -np.inf, observed)
    size = np.where(np.isfinite(observed), np.abs(observed), 0)
    bars = observed - SLACK * np.maximum(1, size)
    beyond = len(greatest) - np.searchsorted(greatest, bars, side="left")
    adjusted = (1 + beyond) / (1 + len(greatest))
    # At most so many draws may be as great for a p-value below the level.
    allowed = math.ceil(share * (1 + len(greatest)) - SLACK) - 2
    critical = float(greatest[-1 - allowed]) if allowed >= 0 else math.inf
    return adjusted, critical
