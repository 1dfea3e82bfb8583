"""Tests of the difference, ratio and odds ratio of two precisions on one test set."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ClassMoments, ClassScore, JointCounts
from skcompare.stats.core._limits import Limits, any_difference, any_ratio
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._target_class import class_label
from skcompare.stats.core._wald import Wald
from skcompare.stats.precision._clustered_precision import ClassFit, ratio_of_shares
from skcompare.stats.precision._precision_limits import (
    both_score_limits,
    log_wald_limits,
    score_limits,
    wald_limits,
)
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    Significance,
    at_boundary,
    both_scores,
    generalized_score,
    log_odds_contrast,
    log_ratio_contrast,
    mancl_derouen,
    share_contrast,
    weighted_generalized_score,
)

Correction = Literal["none", "mancl-derouen"]


@dataclass(frozen=True, slots=True)
class Question:
    """Two classifiers compared by one score of one class; every record is a cluster."""

    fit: ClassFit
    alternative: str
    covariance: Any = None

    @property
    def moments(self) -> ClassMoments:
        """Sums over the records."""
        return self.fit.raw

    @property
    def shares(self) -> tuple[float, float]:
        """Scores of champion and challenger; NaN where the denominator is 0."""
        champion, challenger = self.moments.shares.tolist()
        return champion, challenger

    def result(
        self,
        contrast: Contrast,
        *,
        estimate: float,
        effect: str,
        method: str,
        limits: Limits,
        boundary: bool = False,
    ) -> PairedResult:
        """Return the result of the test of a contrast.

        Parameters
        ----------
        contrast : Contrast
            The statistic.
        estimate : float
            Estimated effect.
        effect : {"difference", "ratio", "odds ratio"}
            Name of the effect.
        method : str
            Method of the p-value.
        limits : callable
            Limits of the estimate where it is defined.
        boundary : bool, default=False
            Whether a logarithm that the scale needs is infinite.
        """
        tested = Significance(self.moments, contrast, self.alternative, boundary)
        pvalue, log_pvalue = float(tested.pvalue[0]), float(tested.log_pvalue[0])
        null_value = 0.0 if effect == "difference" else 1.0
        undefined = any_ratio if null_value else any_difference
        defined = self.fit.known and not boundary and not math.isnan(pvalue)
        return self.fit.result(
            float(tested.root[0]) ** 2,
            (pvalue, log_pvalue),
            df=1,
            estimate=estimate if self.moments.rows.any() else null_value,
            effect=effect,
            method=method,
            null_value=null_value,
            limits=limits if defined else undefined,
            flags=tested.flags(self.fit.n_clusters)[0],
            details={
                "informative_records": self.fit.n_clusters,
                "standard_error": math.sqrt(float(contrast.variance)),
            },
        )


def question(
    counts: JointCounts, label: Any, score: str, alternative: str, correction: str = "none"
) -> Question:
    """Return what is compared, with the moments of one class."""
    label = class_label(counts.classes, label)
    moments = counts.class_rows().moments(score, label)
    rr = moments.rr
    n_informative = int(rr[0, 0] + rr[1, 1] - rr[0, 1])
    fit = ClassFit(label, score, moments, moments, n_informative)
    corrected = mancl_derouen(moments) if correction == "mancl-derouen" else None
    return Question(fit, alternative, corrected)


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
    score: ClassScore = "precision",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
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
    comparison = question(counts, label, score, alternative, correction)
    contrast = share_contrast(comparison.moments, comparison.covariance)
    estimate, error = float(contrast.estimate), math.sqrt(float(contrast.variance))
    champion, challenger = comparison.shares
    return comparison.result(
        contrast,
        estimate=challenger - champion,
        effect="difference",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(wald_limits, estimate, error),
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
    score: ClassScore = "precision",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
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
    comparison = question(counts, label, score, alternative, correction)
    contrast = log_odds_contrast(comparison.moments, comparison.covariance)
    boundary = bool(at_boundary(comparison.moments, "wald"))
    ratio = math.nan if boundary else ratio_of_shares(comparison.fit, "logit")
    same = float(contrast.root) == 0 == float(contrast.variance)
    return comparison.result(
        contrast,
        estimate=1.0 if same else ratio,
        effect="odds ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        boundary=boundary,
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
    score: ClassScore = "precision",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
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
    comparison = question(counts, label, score, alternative, correction)
    contrast = log_ratio_contrast(comparison.moments, comparison.covariance)
    champion, challenger = comparison.shares
    # NaN is not above 0, so that a class without predictions has no ratio.
    without_champion = math.inf if challenger > 0 else math.nan
    ratio = challenger / champion if champion else without_champion
    return comparison.result(
        contrast,
        estimate=ratio,
        effect="ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        boundary=0.0 in (champion, challenger),
    )


Interval = Literal["agreeing", "wald"]


def _effect(
    statistic: Callable[[ClassMoments], Contrast],
    counts: JointCounts,
    *,
    label: Any = None,
    score: str = "precision",
    **options: object,
) -> Wald:
    moments = counts.class_rows().moments(score, class_label(counts.classes, label))
    # Without predictions of the class no number of records is enough.
    return Wald(float(np.nan_to_num(statistic(moments).root)), 1.0)


@paired_test(
    "precision_both_scores",
    title="Both generalized score tests of precision",
    measures="precision",
    references=("Kosinski2013", "Leisenring2000"),
    sample_size=planned(partial(_effect, both_scores)),
)
def precision_both_scores(
    counts: JointCounts,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Is one classifier's prediction of a class right more often than the other's?

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. It is rejected where both the
    generalized score [1]_ and the weighted one [2]_ reject it: the p-value is the greater
    of those of :func:`precision_score` and :func:`precision_weighted_score`. Each rejects
    equal precisions too often in small samples of its own kind, and they do not share these
    (``benchmarks/validity/precision/precision.py``), so that this is the test of precision
    to take on a hold-out.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest. For recall and specificity both
        are McNemar's test within the class.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), `statistic` is
        chi-squared with one degree of freedom. It is that of the test whose p-value it is,
        as is the standard error in `details`: two-sided the smaller statistic. The interval
        holds all differences that not both tests reject. `details` is as of
        :func:`precision_weighted_score`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    The weighted score takes the variances of independent predictions and the observed
    covariance. Its variance is too small where one classifier's predictions of the class
    are nearly all among the other's and few of them are incorrect. The plain one estimates
    all from the predictions, which is too small where a classifier with few predictions of
    the class has hardly an incorrect one. Flags are those of
    :func:`precision_weighted_score`.

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison
       of predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_both_scores
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = precision_both_scores(counts)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.825 to 0.865, p = 0.0194
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [0.0066, 0.0733]
    """
    comparison = question(counts, label, score, alternative)
    contrast = both_scores(comparison.moments, alternative)
    return comparison.result(
        contrast,
        estimate=float(contrast.estimate),
        effect="difference",
        method="both generalized scores",
        limits=partial(both_score_limits, comparison.moments),
    )


@paired_test(
    "precision_weighted_score",
    title="Weighted generalized score test of precision",
    measures="precision",
    references=("Kosinski2013", "Leisenring2000"),
    sample_size=planned(partial(_effect, weighted_generalized_score)),
)
def precision_weighted_score(
    counts: JointCounts,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Do the precisions of a class differ, by Kosinski's weighted score?

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. It is tested by the weighted
    generalized score [1]_, which also works where a precision is 0 or 1. Predictions are
    paired: the records that both classifiers give the class enter with their covariance.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    interval : {"agreeing", "wald"}, default="agreeing"
        Interval of the difference. "agreeing" holds the differences that the test does not
        reject. "wald" is the one that its author recommends, the difference plus and minus
        a multiple of its standard error, as of :func:`precision_difference`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), `statistic` is
        chi-squared with one degree of freedom. `details` has the numbers of predictions of
        the class, of records for which either predicts it, and the standard error of the
        difference if the precisions are equal.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    With T1 and T2 predictions of the class, P1 and P2 the shares of them that are correct,
    P the share of all T1 + T2, and n5 correct and n1 incorrect predictions that both make,
    the statistic is the difference squared over::

        (P (1 - P) - 2 C) (1 / T1 + 1 / T2),    C = (n5 (1 - P)² + n1 P²) / (T1 + T2)

    It is Pearson's chi-squared where the classifiers never predict the class for the same
    record, and McNemar's, without continuity correction, for recall and specificity.

    The interval inverts the same statistic with the most likely shares that differ by the
    tested difference [3]_ in the place of P, and ends where the statistic first passes its
    critical value; a variance that is not positive there counts as rejection. Where no
    variance is left (equal predictions, all correct, or all incorrect) the limits are those
    of an outcome that T predictions do not show, ``z² / (T + z²)`` to both sides.

    If a classifier never predicts the class its precision is undefined, and so are estimate
    and p-value, flagged "no-predictions"; the interval is then the whole range. If neither
    does, they predict the same, and p is 1. Without any difference and variance the
    statistic is 0 and p is 1, flagged "degenerate". Fewer than 40 records that either
    classifier predicts as the class are flagged "few-informative-clusters".

    References
    ----------
    .. [1] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison
       of predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.
    .. [2] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [3] Farrington, C. P. and Manning, G. (1990). "Test statistics and sample size
       formulae for comparative binomial trials with null hypothesis of non-zero risk
       difference or non-unity relative risk." Statistics in Medicine 9(12), 1447-1454.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_weighted_score
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = precision_weighted_score(counts)
    >>> print(f"{result.champion:.3f} to {result.challenger:.3f}, p = {result.pvalue:.4f}")
    0.825 to 0.865, p = 0.0194
    >>> low, high = result.confidence_interval()
    >>> print(f"[{low:.4f}, {high:.4f}]")
    [0.0066, 0.0729]
    """
    return _result(question(counts, label, score, alternative), True, interval)


@paired_test(
    "precision_score",
    title="Generalized score test of precision",
    measures="precision",
    references=("Leisenring2000", "Kosinski2013"),
)
def precision_score(
    counts: JointCounts,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    interval: Interval = "agreeing",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Do the precisions of a class differ, by the score of a marginal model?

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. It is tested by the score of a
    marginal logistic model with independence as the working correlation [1]_. For
    predictions to different records it is not the usual score test;
    :func:`precision_weighted_score` is [2]_.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and both predictions, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    interval : {"agreeing", "wald"}, default="agreeing"
        Interval of the difference: the differences that the test does not reject, or the
        one of :func:`precision_difference`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), `statistic` is
        chi-squared with one degree of freedom. `details` is as of
        :func:`precision_weighted_score`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    For a record with m predictions of the class, t of them the champion's, D = 1 if it is
    of the class, the share P of all predictions that are correct, and the share Z of them
    that are the champion's, ``U = (D - P) (t - m Z)``, and the statistic is ``(ΣU)² /
    ΣU²``. It is the difference squared over::

        (P (1 - P) + W - 2 C) (1 / T1 + 1 / T2),    W = (2 P - P1 - P2) (2 P - 1)

    with the names of :func:`precision_weighted_score`, which is without W. The statistic is
    at most the number of records for which either classifier predicts the class, so that
    with three of them no difference is significant at the level 0.05.

    The interval and the flags are as of :func:`precision_weighted_score`, with the
    residuals from the restricted shares squared for the variance. Where one precision is 1
    and the other 0 the test rejects any other difference: both limits are the estimate.

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Kosinski, A. S. (2013). "A weighted generalized score statistic for comparison
       of predictive values of diagnostic tests." Statistics in Medicine 32(6), 964-977.

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.stats import precision_score
    >>> counts = JointCounts(
    ...     [[[155, 22], [53, 31]], [[32, 22], [78, 319]]], classes=[0, 1]
    ... )
    >>> result = precision_score(counts)
    >>> print(f"{result.statistic:.4f}, p = {result.pvalue:.4f}")
    5.7112, p = 0.0169
    """
    return _result(question(counts, label, score, alternative), False, interval)


def _result(comparison: Question, weighted: bool, interval: str) -> PairedResult:
    statistic = weighted_generalized_score if weighted else generalized_score
    contrast = statistic(comparison.moments)
    wald = share_contrast(comparison.moments)
    if interval == "agreeing":
        limits: Any = partial(score_limits, comparison.moments, weighted)
    else:
        limits = partial(wald_limits, float(wald.estimate), math.sqrt(float(wald.variance)))
    return comparison.result(
        contrast,
        estimate=float(contrast.estimate),
        effect="difference",
        method="weighted generalized score" if weighted else "generalized score",
        limits=limits,
    )
