"""The ratio of the precisions of one class, and the ratio of their odds."""

import math
from functools import partial
from typing import Any

from skcompare._registry.tests import paired_test
from skcompare.evidence import JointCounts
from skcompare.stats._precision_limits import log_wald_limits, ratio_range
from skcompare.stats._precision_result import question
from skcompare.stats._precision_statistics import log_odds_contrast, log_ratio_contrast
from skcompare.stats._result import PairedResult


@paired_test(
    "precision_wald",
    title="Wald test of the odds ratio of precisions",
    needs=JointCounts,
    kind="ratio",
    measures="precision",
    designs=("holdout",),
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
    """What is the ratio of the odds that an answer of a class is right?

    The null hypothesis is that the ratio of the odds of being right, of answers of the
    class by challenger and champion, is 1: that their precisions (positive predictive
    values) are equal, over new records. It is the empirical Wald test of a marginal
    logistic model, fitted by GEE with independence as the working correlation [1]_ [2]_.

    Parameters
    ----------
    counts : JointCounts
        Records by true class and the two answers, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    correction : {"none", "mancl-derouen"}, default="none"
        "mancl-derouen" divides the residuals of a classifier with T answers of the class by
        1 - 1 / T, which widens the interval where they are few [3]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the odds ratio, odds(challenger) / odds(champion) with the odds ``P /
        (1 - P)`` of a precision P. It is no ratio of precisions, nor of chances to detect
        the class. `statistic` is chi-squared with one degree of freedom. The interval comes
        from the logarithm, whose standard error is in `details`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    With T1 and T2 answers of the class, P1 and P2 the shares of them that are right, v = P
    (1 - P), and n5 right and n1 wrong answers that both give, the model has the closed form
    ``beta = logit(P2) - logit(P1)`` with the sandwich variance::

        1 / (T1 v1) + 1 / (T2 v2) - 2 (n5 (1 - P1) (1 - P2) + n1 P1 P2) / (T1 T2 v1 v2)

    A precision of 0 or 1 has infinite log odds: estimate and p-value are undefined then and
    the interval is everything, flagged "share-of-0-or-1"; the score tests do without
    logarithms. So they are if a classifier never gives the class, flagged "no-answers", and
    the p-value also where a correction meets a classifier that gives it once, flagged
    "one-cluster". If the classifiers answer alike the odds ratio is 1 and p is 1, flagged
    "degenerate". Fewer than 40 records that either gives the class are flagged
    "few-informative-clusters".

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

    .. versionadded:: 0.1
    """
    asked = question(counts, label, score, alternative)
    contrast = log_odds_contrast(asked.moments, asked.covariance(correction))
    hits, rows = asked.moments.hits.tolist(), asked.moments.rows.tolist()
    (first, wrong), (second, wrong_too) = (
        (hit, row - hit) for hit, row in zip(hits, rows, strict=True)
    )
    boundary = 0 in (first, wrong, second, wrong_too)
    ratio = (second * wrong) / (first * wrong_too) if not boundary else math.nan
    alike = float(contrast.root) == 0 == float(contrast.variance)
    return asked.result(
        contrast,
        estimate=1.0 if alike else ratio,
        scale="odds ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        unknown=ratio_range,
        boundary=boundary,
        null_value=1.0,
    )


@paired_test(
    "relative_precision",
    title="Relative precision",
    needs=JointCounts,
    kind="ratio",
    measures="precision",
    designs=("holdout",),
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
        Records by true class and the two answers, from a hold-out set.
    label : object, optional
        The class; by default 1 or True of two classes, and otherwise the last one.
    score : {"precision", "recall", "specificity", "negative_predictive_value"}, \
default="precision"
        What is compared, of this class against the rest.
    correction : {"none", "mancl-derouen"}, default="none"
        "mancl-derouen" divides the residuals of a classifier with T answers of the class by
        1 - 1 / T, which widens the interval where they are few [2]_.
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
    (D - P1) / (T1 P1))²``, with x = 1 where a classifier gives the class, D = 1 where that
    is right, T answers of the class and the share P of them that are right. In counts of
    records it is::

        (n6 (1 - P2) + n5 (P2 - P1) + 2 (n7 + n3) P1 P2 + n7 (1 - 3 P1))
        / ((n5 + n6) (n5 + n7))

    with n5 right answers of both, n6 and n7 of the champion and of the challenger alone,
    and n3 wrong ones of the challenger alone.

    A precision of 0 makes the ratio 0, infinite, or undefined where both are, and its
    logarithm unknown: the interval is from 0 to infinity, flagged "share-of-0-or-1". p is
    then undefined, but 1 if both are 0. If both are 1, or the classifiers answer alike, the
    ratio is 1 with an interval of no width and p is 1, flagged "degenerate". If a
    classifier never gives the class everything is undefined, flagged "no-answers", and the
    p-value also where a correction meets a classifier that gives it once, flagged
    "one-cluster". Fewer than 40 records that either gives the class are flagged
    "few-informative-clusters".

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

    .. versionadded:: 0.1
    """
    asked = question(counts, label, score, alternative)
    contrast = log_ratio_contrast(asked.moments, asked.covariance(correction))
    first, second = asked.shares
    # NaN is not above 0, so that a class that is not answered has no ratio.
    beyond = math.inf if second > 0 else math.nan
    ratio = second / first if first else beyond
    return asked.result(
        contrast,
        estimate=ratio,
        scale="ratio",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(log_wald_limits, ratio, math.sqrt(float(contrast.variance))),
        unknown=ratio_range,
        boundary=0.0 in (first, second),
        null_value=1.0,
    )
