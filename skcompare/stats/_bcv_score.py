"""A t test of any score for M × 2 block-regularized cross-validation."""

import math

import numpy as np

from skcompare._flags import register_flag
from skcompare._registry import ANY_LOSS, paired_test
from skcompare._validation import check_alternative
from skcompare.evidence import ScoreDifferences
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    check_halves,
    mean_of,
    score_limits,
    score_result,
    score_sample_size,
    studentised_scores,
    variance_of,
    without_rounding,
)

__all__ = ["bcv_score_t"]

SCORES = (
    "accuracy",
    "balanced_accuracy",
    "roc_auc",
    "precision",
    "recall",
    "f1",
    "specificity",
    "negative_predictive_value",
)
"""Scores, beside mean losses, that the rule was measured for, and what amounts to them:
the mirror images of recall and precision, and the balanced accuracy, a mean of recalls."""

BETWEEN = 1.25
"""Weight of the variance between the halves. Where training noise is all there is, it has
about M degrees of freedom in place of 2M - 1, and 0.9 t² with 5 over t² with 9 is 1.16."""

UNKNOWN_VARIANCE = register_flag(
    "unknown-variance",
    "nobody knows how much the difference varies within a test set, so p is undefined; use "
    "a hold-out set",
)


def _sample_size(
    scores: ScoreDifferences, *, alpha: float, power: float, alternative: str
) -> float:
    within, between = _variances(scores)
    return score_sample_size(
        scores,
        mean_of(*without_rounding(scores)),
        math.sqrt(max(within, BETWEEN * between)),
        alpha=alpha,
        power=power,
        alternative=alternative,
    )


@paired_test(
    "bcv_score_t",
    title="M×2 BCV t test of a score",
    needs=ScoreDifferences,
    kind="difference",
    measures=(ANY_LOSS, *SCORES),
    designs=("bcv",),
    references=("Yang2023",),
    sample_size=_sample_size,
)
def bcv_score_t(
    scores: ScoreDifferences, *, alternative: str = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by a score under M × 2 block-regularized CV.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The score can be a mean of losses, the area under the ROC curve, or the
    precision, recall or F1 of a class. Its mean difference is taken to be no more precise
    than the difference on one half.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of the repetitions of a block-regularized
        cross-validation, with their variances within the test sets, in the shape (M, 2): of
        :class:`~skcompare.BlockRegularized5x2CV`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger less champion, in the direction of
        better scores. `statistic` is that over its standard error, with 2M - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard error, and the roots of W and of s².

    Raises
    ------
    ValueError
        If the differences are not those of both halves of at least 2 repetitions.

    See Also
    --------
    bcv_mcnemar : For accuracies.

    Notes
    -----
    With the 2M differences, their mean, their sample variance s² (divisor 2M - 1), and the
    mean W of their estimated variances within the test sets::

        statistic = mean / sqrt(max(W, 1.25 s²))

    The argument of [1]_ for the disagreement, that ten halves are worth about as much as n
    independent records, holds for any average over records if only test records vary: the
    mean of all halves then has the variance W / 2. But training varies too, in ways
    that no variance of ten halves shows. A record that is easy to predict also helps the
    classifiers that were trained on it. With many nearest neighbours both go together, and
    the mean varies up to four times as much, while the halves differ less. The rule above
    was chosen among many on one half of a set of simulated studies, and measured on the
    other half (``benchmarks/validity/bcv_scores.py``). It is conservative for most
    learners: it finds what is large, and no simpler rule was valid for all of them.

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If they
    are not, and both variances are 0, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split". Without the variances within the test sets they are undefined and
    flagged "unknown-variance".

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, equation 8.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import bcv_score_t
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=500,
    ...     n_test=500,
    ...     variances=[[0.0003, 0.0004]] * 5,
    ...     design="bcv",
    ... )
    >>> result = bcv_score_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.043, t = 2.036, p = 0.0722

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    check_halves(scores, "bcv_score_t")
    mean = mean_of(*without_rounding(scores))
    within, between = _variances(scores)
    error = float(np.sqrt(np.maximum(within, BETWEEN * between)))  # NaN if either is
    df = scores.values.size - 1
    if mean == between == 0:
        # Nothing differs anywhere, whatever the variance would be.
        error = 0.0
    statistic, tail, flags = studentised_scores(mean, error, df, alternative)
    if math.isnan(error) and not scores.n_undefined:
        flags = (UNKNOWN_VARIANCE,)
    return score_result(
        scores,
        statistic,
        tail,
        df=df,
        alternative=alternative,
        method="Student's t, variance of one half",
        limits=score_limits(scores, mean, error, df),
        flags=flags,
        details={"se": error, "within": math.sqrt(within), "between": math.sqrt(between)},
    )


def _variances(scores: ScoreDifferences) -> tuple[float, float]:
    """Mean variance within the test sets, and the variance between them, or NaN."""
    values, noise = without_rounding(scores)
    between = variance_of(values, noise)
    if scores.variances is None:
        return math.nan, between
    within = float(np.mean(scores.variances))
    return (0.0 if within <= noise**2 else within), between
