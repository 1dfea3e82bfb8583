"""Wald tests of the difference, odds ratio and ratio of two precisions."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from skcompare._core.validation import check_alternative, check_choice
from skcompare._registry.tests import paired_test
from skcompare.evidence import CLASS_SCORES, ClassMoments, JointCounts
from skcompare.stats.core._limits import Limits, any_difference, any_ratio
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import normal_pvalue
from skcompare.stats.core._target_class import (
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_PREDICTIONS,
    SCORE_TEXT,
    class_label,
    class_text,
)
from skcompare.stats.core._wald import ZERO_VARIANCE
from skcompare.stats.precision._gee_model import BOUNDARY, ONE_CLUSTER
from skcompare.stats.precision._precision_limits import log_wald_limits, wald_limits
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    has_predictions,
    log_odds_contrast,
    log_ratio_contrast,
    mancl_derouen,
    predicted_alike,
    share_contrast,
)

CORRECTIONS = ("none", "mancl-derouen")


@dataclass(frozen=True, slots=True)
class Question:
    """Moments of two classifiers for one score of one class."""

    n: int
    label: Any
    score: str
    moments: ClassMoments
    alternative: str

    @property
    def shares(self) -> tuple[float, float]:
        """Scores of champion and challenger; NaN where the denominator is 0."""
        champion, challenger = self.moments.shares.tolist()
        return champion, challenger

    @property
    def known(self) -> bool:
        """Whether the scores of both classifiers are defined."""
        return bool(has_predictions(self.moments))

    @property
    def n_informative(self) -> int:
        """Number of records that enter the score of either classifier."""
        rr = self.moments.rr
        return int(rr[0, 0] + rr[1, 1] - rr[0, 1])

    def covariance(self, correction: str) -> Any:
        """Return the corrected covariance of the shares, or None without correction."""
        check_choice("correction", correction, CORRECTIONS)
        return mancl_derouen(self.moments) if correction == "mancl-derouen" else None

    def flags(self, contrast: Contrast, boundary: bool) -> tuple[str, ...]:
        """Return the codes of the caveats of the statistic."""
        root, flags = float(contrast.root), []
        no_variation = float(contrast.variance) == 0 or math.isnan(contrast.estimate)
        if predicted_alike(self.moments) or (root == 0 and no_variation):
            flags.append("degenerate")
        if not self.known:
            flags.append(NO_PREDICTIONS)
        elif boundary:
            flags.append(BOUNDARY)
        elif math.isnan(root):
            flags.append(ONE_CLUSTER)
        elif math.isinf(root):
            flags.append(ZERO_VARIANCE)
        elif "degenerate" not in flags and self.n_informative < FEW_INFORMATIVE:
            flags.append(FEW_CLUSTERS)
        return tuple(flags)

    def result(
        self,
        contrast: Contrast,
        *,
        estimate: float,
        scale: str,
        method: str,
        limits: Limits,
        unknown: Limits,
        boundary: bool = False,
        null_value: float = 0.0,
    ) -> PairedResult:
        """Return the result of the test of a contrast.

        Parameters
        ----------
        contrast : Contrast
            The statistic.
        estimate : float
            Estimated effect.
        scale : {"difference", "ratio", "odds ratio"}
            Name of the effect.
        method : str
            Method of the p-value.
        limits, unknown : callable
            Limits of the estimate, and those where it is undefined.
        boundary : bool, default=False
            Whether a logarithm that the scale needs is infinite.
        null_value : float, default=0.0
            Estimate under equal scores.
        """
        flags = self.flags(contrast, boundary)
        root, tail = float(contrast.root), (math.nan, math.nan)
        if "degenerate" in flags:
            root, tail = 0.0, (1.0, 0.0)
        elif math.isfinite(root):
            tail = normal_pvalue(root, self.alternative)
        champion, challenger = self.shares
        rows = self.moments.rows.tolist()
        defined = self.known and not boundary and not math.isnan(tail[0])
        return PairedResult(
            statistic=root**2,
            pvalue=tail[0],
            log_pvalue=tail[1],
            df=1,
            estimate=estimate if self.moments.rows.any() else null_value,
            estimate_name=f"{scale} of {SCORE_TEXT[self.score]}",
            champion=champion,
            challenger=challenger,
            method=method,
            null_value=null_value,
            limits=limits if defined else unknown,
            flags=flags,
            details={
                "champion_predictions": rows[0],
                "challenger_predictions": rows[1],
                "informative_records": self.n_informative,
                "standard_error": math.sqrt(float(contrast.variance)),
            },
            remark=class_text(self.label),
        )


def question(counts: JointCounts, label: Any, score: str, alternative: str) -> Question:
    """Check the options of a test, and return the moments of one class."""
    check_choice("score", score, CLASS_SCORES)
    check_alternative(alternative)
    label = class_label(counts.classes, label)
    moments = counts.class_rows().moments(score, label)
    return Question(counts.n, label, score, moments, alternative)


@paired_test(
    "precision_difference",
    title="Wald test of the difference of precisions",
    measures="precision",
    references=("Kosinski2013", "Mancl2001"),
)
def precision_difference(
    counts: JointCounts,
    *,
    label: Any = None,
    score: str = "precision",
    correction: str = "none",
    alternative: str = "two-sided",
) -> PairedResult:
    """By how much do the precisions of a class differ, in standard errors?

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. The difference in standard
    errors is taken as normal; the standard error is that of multinomial counts at the
    observed precisions [1]_. It is the GEE model with identity link.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    correction : {"none", "mancl-derouen"}, default="none"
        "mancl-derouen" divides the residuals of a classifier with T predictions of the
        class by 1 - 1 / T, which widens the interval where they are few [2]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), `statistic` is
        chi-squared with one degree of freedom. The interval is the estimate plus and minus
        a multiple of the standard error, which is in `details`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    With T1 and T2 predictions of the class, P1 and P2 the shares of them that are correct,
    and n5 correct and n1 incorrect predictions that both make, the variance of the
    difference is::

        P1 (1 - P1) / T1 + P2 (1 - P2) / T2 - 2 C (1 / T1 + 1 / T2)
        C = (n5 (1 - P1) (1 - P2) + n1 P1 P2) / (T1 + T2)

    If a classifier never predicts the class its precision is undefined, and so are estimate
    and p-value, flagged "no-predictions"; the interval is then the whole range. If neither
    does, they predict the same, and p is 1. Without any difference and variance (equal
    predictions, all correct, or all incorrect) the statistic is 0 and p is 1, flagged
    "degenerate", and the interval has no width: :func:`precision_weighted_score` has one.
    Where all predictions of one classifier are correct and none of the other, the statistic
    is infinite and p undefined, flagged "zero-variance". A correction is undefined where a
    classifier predicts the class once, flagged "one-cluster". Fewer than 40 records that
    either predicts as the class are flagged "few-informative-clusters".

    References
    ----------
    .. [1] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison
       of predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.
    .. [2] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_difference
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = precision_difference(counts)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.4f} [{low:.4f}, {high:.4f}], p = {result.pvalue:.4f}")
    0.0401 [0.0072, 0.0731], p = 0.0170
    """
    comparison = question(counts, label, score, alternative)
    contrast = share_contrast(comparison.moments, comparison.covariance(correction))
    estimate, error = float(contrast.estimate), math.sqrt(float(contrast.variance))
    champion, challenger = comparison.shares
    return comparison.result(
        contrast,
        estimate=challenger - champion,
        scale="difference",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(wald_limits, estimate, error),
        unknown=any_difference,
    )


@paired_test(
    "precision_wald",
    title="Wald test of the odds ratio of precisions",
    kind="ratio",
    measures="precision",
    references=("Leisenring2000", "Liang1986", "Mancl2001"),
)
def precision_wald(
    counts: JointCounts,
    *,
    label: Any = None,
    score: str = "precision",
    correction: str = "none",
    alternative: str = "two-sided",
) -> PairedResult:
    """What is the ratio of the odds that a prediction of a class is right?

    The null hypothesis is that the ratio of the odds of being right, of predictions of the
    class by challenger and champion, is 1: that their precisions (positive predictive
    values) are equal, over new records. It is the empirical Wald test of a marginal
    logistic model, fitted by GEE with independence as the working correlation [1]_ [2]_.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    correction : {"none", "mancl-derouen"}, default="none"
        "mancl-derouen" divides the residuals of a classifier with T predictions of the
        class by 1 - 1 / T, which widens the interval where they are few [3]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the odds ratio, odds(challenger) / odds(champion) with the odds ``P /
        (1 - P)`` of a precision P. It is no ratio of precisions, nor of probabilities to
        detect the class. `statistic` is chi-squared with one degree of freedom. The
        interval comes from the logarithm, whose standard error is in `details`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    With T1 and T2 predictions of the class, P1 and P2 the shares of them that are correct,
    v = P (1 - P), and n5 correct and n1 incorrect predictions that both make, the model has
    the closed form ``beta = logit(P2) - logit(P1)`` with the sandwich variance::

        1 / (T1 v1) + 1 / (T2 v2) - 2 (n5 (1 - P1) (1 - P2) + n1 P1 P2) / (T1 T2 v1 v2)

    A precision of 0 or 1 has infinite log odds: estimate and p-value are undefined then and
    the interval is the whole range, flagged "share-of-0-or-1"; the score tests need no
    logarithms. So they are if a classifier never gives the class, flagged "no-predictions",
    and the p-value also where a correction meets a classifier that predicts it once,
    flagged "one-cluster". If the classifiers predict the same the odds ratio is 1 and p is
    1, flagged "degenerate". Fewer than 40 records that either predicts as the class are
    flagged "few-informative-clusters".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_wald
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = precision_wald(counts)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.3f} [{low:.3f}, {high:.3f}], p = {result.pvalue:.4f}")
    1.361 [1.050, 1.765], p = 0.0200
    """
    comparison = question(counts, label, score, alternative)
    contrast = log_odds_contrast(comparison.moments, comparison.covariance(correction))
    hits, rows = comparison.moments.hits.tolist(), comparison.moments.rows.tolist()
    (champion_hits, champion_misses), (challenger_hits, challenger_misses) = (
        (hit, row - hit) for hit, row in zip(hits, rows, strict=True)
    )
    boundary = 0 in (champion_hits, champion_misses, challenger_hits, challenger_misses)
    ratio = (
        (challenger_hits * champion_misses) / (champion_hits * challenger_misses)
        if not boundary
        else math.nan
    )
    same = float(contrast.root) == 0 == float(contrast.variance)
    return comparison.result(
        contrast,
        estimate=1.0 if same else ratio,
        scale="odds ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        unknown=any_ratio,
        boundary=boundary,
        null_value=1.0,
    )


@paired_test(
    "relative_precision",
    title="Relative precision",
    kind="ratio",
    measures="precision",
    references=("Moskowitz2006", "Mancl2001"),
)
def relative_precision(
    counts: JointCounts,
    *,
    label: Any = None,
    score: str = "precision",
    correction: str = "none",
    alternative: str = "two-sided",
) -> PairedResult:
    """How many times the champion's precision of a class is the challenger's?

    The null hypothesis is that the ratio of the precisions of a class (positive predictive
    values) of the two trained classifiers is 1, over new records. The logarithm of the
    ratio in standard errors is taken as normal [1]_.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    correction : {"none", "mancl-derouen"}, default="none"
        "mancl-derouen" divides the residuals of a classifier with T predictions of the
        class by 1 - 1 / T, which widens the interval where they are few [2]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) / precision(champion), `statistic` is
        chi-squared with one degree of freedom. The interval comes from the logarithm, whose
        standard error is in `details`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    The variance of the logarithm is the sum over records of ``(x2 (D - P2) / (T2 P2) - x1
    (D - P1) / (T1 P1))²``, with x = 1 where a classifier predicts the class, D = 1 where
    that is correct, T predictions of the class and the share P of them that are correct. In
    counts of records it is::

        (n6 (1 - P2) + n5 (P2 - P1) + 2 (n7 + n3) P1 P2 + n7 (1 - 3 P1))
        / ((n5 + n6) (n5 + n7))

    with n5 correct predictions of both, n6 and n7 of the champion and of the challenger
    alone, and n3 incorrect ones of the challenger alone.

    A precision of 0 makes the ratio 0, infinite, or undefined where both are, and its
    logarithm unknown: the interval is from 0 to infinity, flagged "share-of-0-or-1". p is
    then undefined, but 1 if both are 0. If both are 1, or the classifiers predict the same,
    the ratio is 1 with an interval of no width and p is 1, flagged "degenerate". If a
    classifier never predicts the class everything is undefined, flagged "no-predictions",
    and the p-value also where a correction meets a classifier that predicts it once,
    flagged "one-cluster". Fewer than 40 records that either predicts as the class are
    flagged "few-informative-clusters".

    References
    ----------
    .. [1] Moskowitz, C. S. and Pepe, M. S. (2006). "Comparing the predictive values of
       diagnostic tests: sample size and analysis for paired study designs." Clinical Trials
       3(3), 272-279.
    .. [2] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import relative_precision
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = relative_precision(counts)
    >>> low, high = result.confidence_interval()
    >>> print(f"{result.estimate:.4f} [{low:.4f}, {high:.4f}], p = {result.pvalue:.4f}")
    1.0486 [1.0085, 1.0903], p = 0.0171
    """
    comparison = question(counts, label, score, alternative)
    contrast = log_ratio_contrast(comparison.moments, comparison.covariance(correction))
    champion, challenger = comparison.shares
    # NaN is not above 0, so that a class without predictions has no ratio.
    without_champion = math.inf if challenger > 0 else math.nan
    ratio = challenger / champion if champion else without_champion
    return comparison.result(
        contrast,
        estimate=ratio,
        scale="ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        unknown=any_ratio,
        boundary=0.0 in (champion, challenger),
        null_value=1.0,
    )
