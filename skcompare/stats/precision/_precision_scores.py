"""Kosinski's and Leisenring's score tests of the precision of one class."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._registry.tests import paired_test
from skcompare.evidence import ClassMoments, JointCounts
from skcompare.stats.core._limits import any_difference
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._target_class import class_label
from skcompare.stats.core._wald import Wald
from skcompare.stats.precision._precision_difference import Question, question
from skcompare.stats.precision._precision_limits import (
    both_score_limits,
    score_limits,
    wald_limits,
)
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    both_scores,
    generalized_score,
    share_contrast,
    weighted_generalized_score,
)

INTERVALS = ("agreeing", "wald")


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
    score: str = "precision",
    alternative: str = "two-sided",
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
        scale="difference",
        method="both generalized scores",
        limits=partial(both_score_limits, comparison.moments),
        unknown=any_difference,
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
    score: str = "precision",
    interval: str = "agreeing",
    alternative: str = "two-sided",
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
    score: str = "precision",
    interval: str = "agreeing",
    alternative: str = "two-sided",
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
    check_choice("interval", interval, INTERVALS)
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
        scale="difference",
        method="weighted generalized score" if weighted else "generalized score",
        limits=limits,
        unknown=any_difference,
    )
