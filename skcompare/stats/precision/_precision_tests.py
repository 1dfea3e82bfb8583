"""Tests of the difference, ratio and odds ratio of two precisions on one test set."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import ClassMoments, ClassScore, ClusterSums, JointCounts
from skcompare.stats.core._limits import (
    DIFFERENCE,
    RATIO,
    ZERO_VARIANCE,
    Pair,
    Wald,
    around_ratio,
    critical_value,
    one_sided,
)
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, pvalue_of, tested_result
from skcompare.stats.core._target_class import (
    BOUNDARY,
    FEW_CLUSTERS,
    FEW_INFORMATIVE,
    NO_PREDICTIONS,
    ONE_CLUSTER,
    SCORE_TEXT,
    class_label,
    class_text,
)
from skcompare.stats.precision._precision_statistics import (
    CLASS_TESTS,
    SCORE_TESTS,
    WALD_TESTS,
    ClassFit,
    Contrast,
    both_scores,
    class_fit,
    difference_score_limits,
    has_predictions,
    predicted_alike,
    range_of_test,
    ratio_of_shares,
    ratio_score_limits,
    wald_contrast,
    weighted_generalized_score,
)

RecordCorrection = Literal["none", "mancl-derouen"]
Interval = Literal["agreeing", "wald"]


@paired_test(
    title="Wald test of the difference of precisions",
    measures="precision",
    references=("Kosinski2013", "Mancl2001"),
)
def precision_difference(
    counts: JointCounts,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    correction: RecordCorrection = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions of a class by the Wald test of their difference.

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. The difference in standard
    errors is treated as normal; the standard error is that of multinomial counts at the
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
    return _one_class(
        counts, "difference", label, score, alternative, correction=correction
    )


@paired_test(
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
    correction: RecordCorrection = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions of a class by the Wald test of their odds ratio.

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
        (1 - P)`` of a precision P. It is not a ratio of precisions, nor of probabilities to
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
    return _one_class(counts, "wald", label, score, alternative, correction=correction)


@paired_test(
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
    correction: RecordCorrection = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions of a class by their ratio.

    The null hypothesis is that the ratio of the precisions of a class (positive predictive
    values) of the two trained classifiers is 1, over new records. The logarithm of the
    ratio in standard errors is treated as normal [1]_.

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
    return _one_class(counts, "relative", label, score, alternative, correction=correction)


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
    """Compare two precisions of a class by both generalized score tests.

    The null hypothesis is that the precisions of a class (positive predictive values) of
    the two trained classifiers are equal, over new records. It is rejected where both the
    generalized score [1]_ and the weighted one [2]_ reject it: the p-value is the greater
    of those of :func:`precision_score` and :func:`precision_weighted_score`. Each rejects
    equal precisions too often in small samples of its own kind, and they do not share these
    (``benchmarks/validity/precision/precision.py``), so that this is the recommended test
    of precision on a hold-out.

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
    return _one_class(counts, "both scores", label, score, alternative)


@paired_test(
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
    """Compare two precisions of a class by Kosinski's weighted score test.

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
    return _one_class(
        counts, "weighted score", label, score, alternative, interval=interval
    )


@paired_test(
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
    """Compare two precisions of a class by the generalized score test.

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
    return _one_class(counts, "score", label, score, alternative, interval=interval)


EFFECTS = {"identity": "difference", "logit": "odds ratio", "log": "ratio"}
LINKS = {test: link for link, test in WALD_TESTS.items()}
"""Scales of Wald tests."""


class ClassTests:
    """Tests of the scores of two classifiers, for one class or pair after the other.

    Parameters
    ----------
    moments : ClassMoments
        Sums over the clusters, with classes or pairs along the first axis.
    test : str
        Name in `CLASS_TESTS`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction, which "both scores" depends on.
    link : {"identity", "logit", "log"}, optional
        Scale of the estimate: difference, odds ratio or ratio; by default that of the test.
    corrected : ClassMoments, optional
        Sums that are corrected for few clusters.
    n_clusters : ndarray of shape (n,), optional
        Clusters with a prediction that counts; by default every record is a cluster.

    Attributes
    ----------
    contrast : Contrast
        The statistics as computed.
    known, alike, degenerate, boundary : ndarray of shape (n,)
        Whether both scores are defined; whether the predictions are the same; whether
        there is no difference and no variation; whether a logarithm that the scale needs is
        infinite.
    root : ndarray of shape (n,)
        Standard normal under the null hypothesis; 0 if degenerate.
    estimate : ndarray of shape (n,)
        Challenger minus champion, or over champion.
    error : ndarray of shape (n,)
        Standard error of the difference, or of the logarithm of the ratio.
    """

    def __init__(
        self,
        moments: ClassMoments,
        test: str,
        alternative: str = "two-sided",
        *,
        link: str = "",
        corrected: ClassMoments | None = None,
        n_clusters: Any = None,
    ) -> None:
        self.moments, self.test, self.n_clusters = moments, test, n_clusters
        self.link = link or LINKS.get(test, "identity")
        self.corrected = moments if corrected is None else corrected
        options = (alternative,) if test == "both scores" else ()
        plain = self.contrast = CLASS_TESTS[test](moments, *options)
        if corrected is not None:
            self.contrast = CLASS_TESTS[test](corrected, *options)
        basis = self.contrast if n_clusters is None else plain
        self.known, self.alike = has_predictions(moments), predicted_alike(moments)
        self.degenerate = self.alike | ((basis.root == 0) & ~(basis.variance > 0))
        self.root = np.where(self.degenerate, 0.0, self.contrast.root)
        variance = np.where(self.degenerate, plain.variance, self.contrast.variance)
        self.error = np.sqrt(variance)
        self.boundary = self._at_boundary()
        self.estimate = self._estimate()

    def _at_boundary(self) -> Any:
        """Whether a logarithm that the test needs is infinite."""
        hits, rows = self.moments.hits, self.moments.rows
        extreme = {"wald": (hits == 0) | (hits == rows), "relative": hits == 0}
        boundary = extreme.get(self.test, np.zeros_like(hits, dtype=bool)).any(axis=-1)
        if self.n_clusters is None:
            return boundary
        finite = np.isfinite(self.corrected.covariance()).all(axis=(-2, -1))
        return boundary & finite & ~self.degenerate

    def _estimate(self) -> FloatArray:
        if self.link == "identity":
            return np.where(self.degenerate, 0.0, np.diff(self.moments.shares)[..., 0])
        ratio = ratio_of_shares(self.moments, self.link)
        if self.n_clusters is not None:
            return ratio
        undefined = self.boundary & ~self.alike & (self.link == "logit")
        never_predicted = ~self.moments.rows.any(axis=-1)
        return np.where(undefined, np.nan, np.where(never_predicted, 1.0, ratio))

    @property
    def defined(self) -> Any:
        """Whether both the p-values and the estimates are defined."""
        known = self.known & ~self.boundary & ~np.isnan(self.estimate)
        return known & np.isfinite(self.root)

    def tails(self, alternative: str, df: float | None = None) -> list[Pair]:
        """P-values of t (or normal statistics), with their logarithms."""
        tests = zip(self.root.tolist(), self.degenerate.tolist(), strict=True)
        return [pvalue_of(root, df, alternative, degenerate=same) for root, same in tests]

    def flags(self, informative: Any) -> tuple[tuple[str, ...], ...]:
        """Flags of each test, given the numbers of records or clusters that count."""
        # Of records, only a p-value that depends on the approximation is flagged.
        approximate = self.defined & ~self.degenerate
        few = (approximate | (self.n_clusters is not None)) & (
            np.asarray(informative) < FEW_INFORMATIVE
        )
        scaled = self.known & ~self.boundary
        columns = {
            "degenerate": self.degenerate,
            NO_PREDICTIONS: ~self.known,
            BOUNDARY: self.known & self.boundary,
            ONE_CLUSTER: scaled & np.isnan(self.root),
            ZERO_VARIANCE: scaled & np.isinf(self.root),
            FEW_CLUSTERS: few,
        }
        rows = np.array(list(columns.values())).T.tolist()
        return tuple(
            tuple(code for code, holds in zip(columns, row, strict=True) if holds)
            for row in rows
        )

    def limits(self, critical: float, alternative: str) -> list[Pair]:
        """Limits at a critical value; the whole range where a test is undefined."""
        whole = DIFFERENCE if self.link == "identity" else RATIO
        if self.test in SCORE_TESTS and self.n_clusters is None:
            low, high = range_of_test(self.moments, self.test, critical)
            pairs = zip(low.tolist(), high.tolist(), self.defined, strict=True)
            return [
                one_sided(low, high, alternative) if defined else whole
                for low, high, defined in pairs
            ]
        return [
            self._limits_of(i, critical, alternative) if defined else whole
            for i, defined in enumerate(self.defined)
        ]

    def _limits_of(self, i: int, critical: float, alternative: str) -> Pair:
        """Limits of the test at a position."""
        degenerate = self.degenerate[i]
        moments = (self.moments if degenerate else self.corrected)[i]
        estimate, error = float(self.estimate[i]), float(self.error[i])
        if self.test == "score" and self.link == "identity":
            n_clusters = int(self.n_clusters[i])
            return difference_score_limits(moments, n_clusters, critical, alternative)
        if self.test == "score" and not degenerate:
            return ratio_score_limits(moments, self.link, estimate, critical, alternative)
        reach = critical * error if error else 0.0
        if self.link != "identity":
            return around_ratio(estimate, reach, alternative)
        return one_sided(estimate - reach, estimate + reach, alternative)


METHODS = {
    "both scores": "both generalized scores",
    "weighted score": "weighted generalized score",
    "score": "generalized score",
}


def _one_class(
    counts: JointCounts,
    test: str,
    label: Any,
    score: str,
    alternative: str,
    *,
    correction: str = "none",
    interval: str = "agreeing",
) -> PairedResult:
    """Return the result of a test of one class, where every record is a cluster."""
    fit = class_fit(counts, label, score, correction)
    tests = _tests_of(fit, test, alternative)
    fields: dict[str, Any] = {}
    if interval == "wald" and tests.defined[0]:
        wald = wald_contrast(fit.raw)
        error = math.sqrt(float(wald.variance))
        fields["limits"] = Wald(float(wald.estimate), error, None, DIFFERENCE).limits
    wald_method = "Wald" if correction == "none" else f"Wald, {correction}"
    result = _result(
        fit,
        tests,
        alternative,
        {"informative_records": fit.n_clusters, "standard_error": float(tests.error[0])},
        method=METHODS.get(test, wald_method),
        **fields,
    )
    return result.with_fields(statistic=result.statistic**2, df=1)


def _tests_of(fit: ClassFit, test: str, *options: Any, **settings: Any) -> ClassTests:
    """Return the test of one class, as the first of one test."""
    corrected = None if fit.moments is fit.raw else fit.moments[np.newaxis]
    moments = fit.raw[np.newaxis]
    return ClassTests(moments, test, *options, corrected=corrected, **settings)


def _result(
    fit: ClassFit,
    tests: ClassTests,
    alternative: str,
    details: Mapping[str, float],
    df: float | None = None,
    **fields: Any,
) -> PairedResult:
    """Return the result of a test of one class; of t with `df` degrees of freedom."""
    names = "champion_predictions", "challenger_predictions"
    predictions = dict(zip(names, fit.raw.rows.tolist(), strict=True))
    tail, flags = tests.tails(alternative, df)[0], tests.flags(fit.n_clusters)[0]
    return tested_result(
        (float(tests.root[0]), tail, flags),
        df=df,
        roles=fit.raw.shares.tolist(),
        estimate=float(tests.estimate[0]),
        estimate_name=f"{EFFECTS[tests.link]} of {SCORE_TEXT[fit.score]}",
        details={**predictions, **details},
        remark=class_text(fit.label),
        **{"limits": partial(_limits, tests, df)} | fields,
    )


Method = Literal["score", "wald"]
Correction = Literal["none", "small-sample", "mancl-derouen"]
Distribution = Literal["t", "normal"]

ROUNDING = 1e-12
"""Relative tolerance at which a score equals its greatest value."""


def _clustered_test(
    sums: ClusterSums, name: str, link: str, method: str, *options: Any
) -> tuple[ClassFit, ClassTests]:
    """Return fit and test of two classifiers; `options` are label, score and correction."""
    if sums.n_classifiers != 2:
        raise ValueError(
            f"{name} compares two classifiers. Got {sums.n_classifiers}: "
            f"{', '.join(sums.names)}. Use precision_several and pairwise_precision for "
            "more, or make sums of two of them."
        )
    fit = class_fit(sums, *options)
    test = "score" if method == "score" else WALD_TESTS[link]
    return fit, _tests_of(fit, test, link=link, n_clusters=[fit.n_clusters])


@paired_test(
    title="Score test of precision for grouped records",
    measures="precision",
    designs=("grouped holdout",),
    references=("Leisenring2000", "Liang1986", "Mancl2001", "Guo2005"),
)
def clustered_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    method: Method = "score",
    correction: Correction = "none",
    distribution: Distribution = "t",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions on one test set whose records come in groups.

    The null hypothesis is that predictions of the class are correct equally often for both
    trained classifiers, over the records of new groups. Records of one group may depend on
    each other in any way; groups are independent, and the variance is estimated from their
    sums: the marginal model with identity link and independence as working correlation.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers by group. Without groups every record is one, and the
        test, requested by name, is flagged "invalid-design"; for a plain hold-out use
        :func:`~skcompare.stats.precision_score`, the same score.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    method : {"score", "wald"}, default="score"
        The generalized score test [1]_, with residuals from the share of all predictions of
        both, or Wald's, with residuals from the share of each classifier [2]_.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the variance for few groups: none; a factor N / (N - 1), of N groups
        with a prediction that counts [4]_; or residuals of a group over 1 minus its share
        of the predictions of the classifier [3]_.
    distribution : {"t", "normal"}, default="t"
        Reference distribution: Student's t with N - 1 degrees of freedom, or the normal
        distribution.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is precision(challenger) - precision(champion), over all predictions that
        count. `details` has their numbers, and `n_clusters`, the N above.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    With the residuals e of a group over all predictions of the classifier, the variance is
    the sum over the groups of (e2 - e1)². For residuals from a common share the root S of
    the score test is at most √N, and S √((N - 1) / (N - S²)), which takes the mean out of
    the variance, is compared with t. The interval holds the differences that the test does
    not reject; for "score" with shares that have this difference and solve the estimating
    equation of their common level.

    For two equally precise classifiers, and groups of equal or unequal size whose records
    are correlated or not, ``benchmarks/validity/precision/precision_groups.py`` prints how
    often a level of 0.05 rejects. These are the means of its 8 designs, of 4,000 data sets
    each, and in brackets the greatest of them:

    ======================= =========== =========== =========== ===========
    groups                  10          20          50          100
    ======================= =========== =========== =========== ===========
    score, t                .042 (.053) .052 (.062) .051 (.055) .051 (.057)
    score, normal           .028 (.043) .046 (.058) .049 (.054) .050 (.056)
    wald, mancl-derouen, t  .051 (.067) .051 (.062) .050 (.059) .050 (.060)
    ======================= =========== =========== =========== ===========

    The bound of "score" makes it reject less with "normal" where groups are few. The
    corrections are meant for "wald"; N / (N - 1) lowers a score that is not too large.

    Fewer than 40 groups with a prediction that counts are flagged
    "few-informative-clusters". A classifier without one is flagged "no-predictions"; p is
    undefined then, and the interval from -1 to 1. Without difference and variance, as where
    all predictions are correct, the statistic is 0 and p is 1, flagged "degenerate". A
    difference without variance is flagged "zero-variance". Where a correction or a t
    distribution leaves no degree of freedom, because all predictions of a classifier are in
    one group, p is undefined, flagged "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [4] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import clustered_precision
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(60), 4)
    >>> y = rng.integers(2, size=240)
    >>> champion, challenger = (
    ...     np.where(rng.random(240) < accuracy, y, 1 - y) for accuracy in (0.7, 0.85)
    ... )
    >>> sums = ClusterSums.from_predictions(y, champion, challenger, groups=patients)
    >>> result = clustered_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    0.200, p = 7.1e-07
    """
    fit, tests = _clustered_test(
        sums, "clustered_precision", "identity", method, label, score, correction
    )
    df = float(max(1, fit.n_clusters - 1)) if distribution == "t" else None
    if df is not None and not tests.degenerate[0]:
        tests.root[0] = _root_for_t(tests)
    return _result(
        fit,
        tests,
        alternative,
        {"n_clusters": fit.n_clusters},
        df,
        method=method,
    )


def _root_for_t(tests: ClassTests) -> float:
    """Statistic of a difference for Student's t; NaN if one cluster has all predictions."""
    root, n_clusters = float(tests.root[0]), tests.n_clusters[0]
    if n_clusters < 2 and tests.known[0]:
        return math.nan
    if tests.test != "score" or math.isnan(root):
        return root
    # The mean is taken out of the variance.
    remainder = n_clusters - root**2
    bounded = remainder <= ROUNDING * n_clusters
    factor = math.inf if bounded else math.sqrt((n_clusters - 1) / remainder)
    return root * factor if root else 0.0


def _limits(
    tests: ClassTests, df: float | None, confidence_level: float, alternative: str
) -> Pair:
    """Limits that the first test does not reject, at a quantile of t or normal."""
    critical = critical_value(confidence_level, alternative, df)
    if tests.test == "score" and df is not None and math.isfinite(critical):
        # The critical value of the statistic that has the mean in its variance.
        critical *= math.sqrt(tests.n_clusters[0] / (df + critical**2))
    return tests.limits(critical, alternative)[0]


RatioLink = Literal["logit", "log"]


@paired_test(
    title="Marginal logistic model (GEE) of precision",
    kind="ratio",
    measures="precision",
    designs=("holdout", "grouped holdout"),
    references=(
        "Leisenring2000",
        "Liang1986",
        "Moskowitz2006",
        "Mancl2001",
        "Guo2005",
    ),
)
def gee_precision(
    sums: ClusterSums,
    *,
    label: Any = None,
    score: ClassScore = "precision",
    link: RatioLink = "logit",
    method: Method = "wald",
    correction: Correction = "none",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two precisions of a class by the odds ratio of a marginal model (GEE).

    The null hypothesis is that predictions of the class are correct equally often for both
    classifiers [1]_. The model is ``logit P = a + b [challenger]`` for the predictions of
    the class, fitted by generalized estimating equations with independence as working
    correlation; predictions of one cluster may depend on each other in any way, and the
    sandwich covariance allows for it [2]_. Here it is computed in closed form.

    Parameters
    ----------
    sums : ClusterSums
        Predictions of two classifiers, cluster by cluster.
    label : object, optional
        The class. By default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    link : {"logit", "log"}, default="logit"
        "logit" estimates the odds ratio ``exp(b)``, "log" the ratio of the precisions
        [3]_.
    method : {"wald", "score"}, default="wald"
        Wald's test of b, or the generalized score test, which needs no logarithm of a
        precision and so holds where one is 0 or 1. Its p-value is the same for both links.
    correction : {"none", "small-sample", "mancl-derouen"}, default="none"
        Correction of the sandwich for few clusters: none; a factor N / (N - 1), of N
        clusters with a prediction that counts [5]_; or residuals of a cluster over 1 minus
        its share of the predictions of the classifier [4]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is challenger over champion, `statistic` standard normal under the null
        hypothesis. `details` has the numbers of predictions and clusters, and for "wald"
        the standard error of the logarithm.

    Raises
    ------
    ValueError
        If there are not two classifiers, or no such class.

    Notes
    -----
    The clusters depend on the sums: groups of records; records with all their predictions,
    where they have more than one; otherwise records. Requested by name, the test runs on
    predictions of cross-validation, flagged "invalid-design". Clusters then make sure that
    a record that is predicted in ten repetitions does not count as ten. They do not account
    for classifiers of different folds being trained on shared records, nor for those of one
    fold predicting all its records: the conclusion is about these fitted models, and a test
    of learning algorithms needs a design made for it, such as 5x2 block-regularised
    cross-validation.

    An odds ratio is not a ratio of probabilities: precisions of 0.8 and 0.9 have an odds
    ratio of 2.25 and a ratio of 1.125.

    The interval of "score" holds the ratios that the test does not reject. Its restricted
    precisions solve the estimating equation of the common level, for "log" with the working
    variance of counts. With few clusters use it, or a correction: of two equally precise
    classifiers "wald" rejects 13 % at a level of 5 % with 10 groups, 10 % with 20 and 6 %
    with 100, "mancl-derouen" 6 % with each of these, and "score" 3, 5 and 5 % (means of the
    designs that ``benchmarks/validity/precision/precision_groups.py`` prints; the p-value
    of "score" is that of :func:`~skcompare.stats.clustered_precision` with "normal").

    A classifier without predictions that count is flagged "no-predictions", and with
    precision 0 or 1 under "wald" "share-of-0-or-1"; p is undefined then, and the interval
    from 0 to infinity. Two classifiers with the same predictions have p = 1, flagged
    "degenerate", as have those without an error in a score test. Fewer than 40 clusters
    with a prediction that counts are flagged "few-informative-clusters", and a correction
    where all predictions of a classifier are in one cluster "one-cluster".

    References
    ----------
    .. [1] Leisenring, W., Alonzo, T. and Pepe, M. S. (2000). "Comparisons of predictive
       values of binary medical diagnostic tests for paired designs." Biometrics 56(2),
       345-351.
    .. [2] Liang, K.-Y. and Zeger, S. L. (1986). "Longitudinal data analysis using
       generalized linear models." Biometrika 73(1), 13-22.
    .. [3] Moskowitz, C. S. and Pepe, M. S. (2006). "Comparing the predictive values of
       diagnostic tests: sample size and analysis for paired study designs." Clinical
       Trials 3(3), 272-279.
    .. [4] Mancl, L. A. and DeRouen, T. A. (2001). "A covariance estimator for GEE with
       improved small-sample properties." Biometrics 57(1), 126-134.
    .. [5] Guo, X., Pan, W., Connett, J. E., Hannan, P. J. and French, S. A. (2005).
       "Small-sample performance of the robust score test and its modifications in
       generalized estimating equations." Statistics in Medicine 24(22), 3479-3495.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import ClusterSums
    >>> from skcompare.stats import gee_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> repeats = [
    ...     [np.where(rng.random(200) < accuracy, y, 1 - y) for accuracy in (0.75, 0.85)]
    ...     for _ in range(3)
    ... ]
    >>> sums = ClusterSums.from_repeats(y, repeats)
    >>> result = gee_precision(sums)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.2g}")
    2.211, p = 2.7e-05
    >>> result.flags
    ('invalid-design',)
    """
    fit, tests = _clustered_test(
        sums, "gee_precision", link, method, label, score, correction
    )
    details: dict[str, float] = {"n_clusters": fit.n_clusters}
    if method == "wald" and tests.defined[0] and not tests.degenerate[0]:
        details["standard_error"] = float(tests.error[0])
    return _result(
        fit,
        tests,
        alternative,
        details,
        method=method,
    )
