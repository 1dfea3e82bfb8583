"""Wald's test of the difference of the precisions of one class."""

import math
from functools import partial
from typing import Any

from skcompare._registry.tests import paired_test
from skcompare.evidence import JointCounts
from skcompare.stats._precision_limits import difference_range, wald_limits
from skcompare.stats._precision_result import question
from skcompare.stats._precision_statistics import share_contrast
from skcompare.stats._result import PairedResult


@paired_test(
    "precision_difference",
    title="Wald test of the difference of precisions",
    needs=JointCounts,
    kind="difference",
    measures="precision",
    designs=("holdout",),
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
        `estimate` is precision(challenger) - precision(champion), `statistic` is
        chi-squared with one degree of freedom. The interval is the estimate less and plus a
        multiple of the standard error, which is in `details`.

    Raises
    ------
    ValueError
        If there is no such class or score.

    Notes
    -----
    With T1 and T2 answers of the class, P1 and P2 the shares of them that are right, and n5
    right and n1 wrong answers that both give, the variance of the difference is::

        P1 (1 - P1) / T1 + P2 (1 - P2) / T2 - 2 C (1 / T1 + 1 / T2)
        C = (n5 (1 - P1) (1 - P2) + n1 P1 P2) / (T1 + T2)

    If a classifier never gives the class its precision is undefined, and so are estimate
    and p-value, flagged "no-answers"; the interval is then everything. If neither does,
    they answer alike, and p is 1. Without any difference and variance (answers alike, or
    all right, or all wrong) the statistic is 0 and p is 1, flagged "degenerate", and the
    interval has no width: :func:`precision_weighted_score` has one. Where one classifier
    has all of its answers right and the other none, the statistic is infinite and p
    undefined, flagged "zero-variance". A correction is undefined where a classifier gives
    the class once, flagged "one-cluster". Fewer than 40 records that either gives the class
    are flagged "few-informative-clusters".

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

    .. versionadded:: 0.1
    """
    asked = question(counts, label, score, alternative)
    contrast = share_contrast(asked.moments, asked.covariance(correction))
    estimate, error = float(contrast.estimate), math.sqrt(float(contrast.variance))
    champion, challenger = asked.shares
    return asked.result(
        contrast,
        estimate=challenger - champion,
        scale="difference",
        method="Wald" if correction == "none" else f"Wald, {correction}",
        limits=partial(wald_limits, estimate, error),
        unknown=difference_range,
    )
