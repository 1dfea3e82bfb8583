"""The Z test of the central limit theorem for one K-fold cross-validation."""

import math

import numpy as np

from skcompare._core.validation import check_alternative, check_choice
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ScoreDifferences
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    LIBERAL,
    score_limits,
    score_result,
    studentised_scores,
    without_rounding,
)

VARIANCES = ("out", "in")


@paired_test(
    "cv_ci_z",
    title="K-fold CV-CI Z test",
    needs=ScoreDifferences,
    kind="difference",
    measures=("accuracy", ANY_LOSS),
    designs=("kfold",),
    references=("Bayle2020", "Yang2023"),
    inference="models",
    caution=LIBERAL,
)
def cv_ci_z(
    scores: ScoreDifferences, *, variance: str = "out", alternative: str = "two-sided"
) -> PairedResult:
    """Compare the classifiers that a K-fold cross-validation trained, by their mean loss.

    The null hypothesis is that the K classifiers of one algorithm and those of the other,
    as they were trained, have equal expected losses, on average over the folds [1]_. It
    speaks of these trained classifiers and new test records, not of the learning
    algorithms: other training records would give other classifiers, whose spread it leaves
    out. Read as a test of algorithms it rejects too often: on four of five data sets of
    [2]_, and up to twice as often as it should.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of mean losses, or of accuracies, on the K folds of one
        cross-validation, with their `variances`: of ``KFold`` or ``StratifiedKFold``. K =
        10 [2]_.
    variance : {"out", "in"}, default="out"
        "out" is the variance of the differences of all records about their mean; "in" the
        mean of the variances within the folds, which is smaller where folds differ, and
        needs 2 test records in each fold.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference over the records, challenger less champion, in the
        direction of better scores: folds of unequal size count by their records.
        `statistic` is that over its standard error, compared with the standard normal
        distribution; the interval is the mean plus and minus quantiles of it. `details` has
        the standard deviation of the differences of a record, the standard error and the
        number of splits. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If there are no variances, one is not known, or `variance` is "in" and a fold has
        one test record.

    See Also
    --------
    corrected_repeated_kfold_t : Speaks of the learning algorithms, for any score.

    Notes
    -----
    With the difference h of the losses of each of n records, R their mean, and v the sample
    variance of h within a fold (divisor n_k - 1)::

        out: sigma² = sum of (h - R)² / n
        in:  sigma² = mean of v over the folds
        statistic = R / (sigma / sqrt(n))

    [1]_ shows both to be right for large n where the algorithms are stable: leaving out a
    record must change their loss little. The sum over records is taken apart into parts
    within and between folds, so that the differences and variances of the folds are enough.
    In leave-one-out cross-validation every fold has one record, and only "out" is defined.

    If all differences are 0 and do not vary, the statistic is 0 and p is 1, flagged
    "degenerate". If they do not vary and are not 0, the statistic is infinite and p
    undefined, flagged "zero-variance". If the score is undefined on a fold, so are
    statistic and p, flagged "undefined-in-split"; the estimate is then the mean of the
    records of the other folds.

    References
    ----------
    .. [1] Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). "Cross-validation
       confidence intervals for test error." Advances in Neural Information Processing
       Systems 33, 16339-16350.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5 and Table V.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import cv_ci_z
    >>> scores = ScoreDifferences(
    ...     [0.05, 0.10, 0.00, 0.05],
    ...     n_train=60,
    ...     n_test=20,
    ...     variances=[0.0050, 0.0074, 0.0026, 0.0050],
    ...     design="kfold",
    ... )
    >>> result = cv_ci_z(scores)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.050, z = 1.441, p = 0.1494

    .. versionadded:: 0.1
    """
    check_choice("variance", variance, VARIANCES)
    check_alternative(alternative)
    flat, noise = without_rounding(scores)
    within = _variances_of_records(scores, variance)
    n_test = scores.n_test
    estimate = _weighted(flat, n_test)
    estimate = 0.0 if abs(estimate) <= noise else estimate
    if np.isnan(flat).any():
        deviation = math.nan
    elif variance == "in":
        deviation = math.sqrt(float(within.mean()))
    else:
        spread = (n_test - 1) * within + n_test * (flat - estimate) ** 2
        deviation = math.sqrt(float(spread.sum() / n_test.sum()))
    deviation = 0.0 if deviation <= noise else deviation
    error = deviation / math.sqrt(float(n_test.sum()))
    statistic, tail, flags = studentised_scores(estimate, error, None, alternative)
    return score_result(
        scores,
        statistic,
        tail,
        df=None,
        estimate=estimate,
        means=(_role_mean(scores, "champion"), _role_mean(scores, "challenger")),
        alternative=alternative,
        method=f"normal, variance={variance}",
        limits=score_limits(scores, estimate, error, None),
        flags=flags,
        details={"deviation": deviation, "se": error, "n_splits": float(flat.size)},
    )


def _variances_of_records(scores: ScoreDifferences, variance: str) -> FloatArray:
    """Sample variances of the differences of the records of each fold, in one row.

    0 for a fold of one record, which is all between folds.
    """
    if scores.variances is None:
        raise ValueError(
            "cv_ci_z needs the variances of the differences within the folds. Got none. "
            "Pass `variances` to ScoreDifferences, for each fold the sample variance of "
            "the differences of its records over their number, or use "
            "corrected_repeated_kfold_t."
        )
    lone = scores.n_test == 1
    if variance == "in" and lone.any():
        raise ValueError(
            "variance='in' needs at least 2 test records in each fold. Got "
            f"{int(lone.sum())} folds of one. Use variance='out'."
        )
    within = np.where(lone, 0.0, scores.n_test * scores.variances.ravel())
    unknown = np.isnan(within) & ~np.isnan(scores.values.ravel())
    if unknown.any():
        raise ValueError(
            "cv_ci_z needs the variance within every fold of 2 or more records. Got NaN "
            f"for fold {int(unknown.argmax())}. Pass all `variances`."
        )
    return within


def _role_mean(scores: ScoreDifferences, role: str) -> float:
    """Mean score of a role over the records; NaN where it is not known."""
    held = getattr(scores, role)
    return math.nan if held is None else _weighted(held.ravel(), scores.n_test)


def _weighted(values: FloatArray, n_test: IntArray) -> float:
    """Mean over the records of the folds on which the values are defined."""
    defined = ~np.isnan(values)
    if not defined.any():
        return math.nan
    return float(np.average(values[defined], weights=n_test[defined]))
