"""The conservative Z test of a hold-out of all records and of halves."""

import math

import numpy as np

from skcompare._core.validation import check_alternative
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare.evidence import ScoreDifferences
from skcompare.stats._pseudo_bootstrap import means_of_first_row
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import (
    mean_of,
    score_limits,
    score_result,
    score_sample_size,
    studentised_scores,
    without_rounding,
)

LEAST_ROWS = 3
USUAL_BISECTIONS = 10

FEW_BISECTIONS = "few-bisections"


def _sample_size(
    scores: ScoreDifferences, *, alpha: float, power: float, alternative: str
) -> float:
    return score_sample_size(
        scores, *_found(scores), alpha=alpha, power=power, alternative=alternative
    )


@paired_test(
    "conservative_z",
    title="conservative Z test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("holdout in halves",),
    references=("Nadeau2003", "Yang2023"),
    sample_size=_sample_size,
)
def conservative_z(
    scores: ScoreDifferences, *, alternative: str = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the conservative Z test.

    The null hypothesis is that the two algorithms, trained on as many records as the
    training sets of the first row have, have equal expected scores. It speaks of the
    algorithms, over new training and new test records. The mean difference of a repeated
    hold-out is compared with how far such means of two halves of the records are apart
    [1]_. The halves share no record, but are half as many, so that their means tend to
    vary more than that of all records: the test rejects too seldom, rather than too often,
    and needs many trainings.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score, of shape (1 + 2M, J): J hold-outs of all records in the
        first row, and then, for each of M random bisections, J hold-outs of its one half
        and J of the other in two rows, as
        :class:`~skcompare.model_selection.HalvesShuffleSplit` makes them. J = 15 and M =
        10 with n1 = 9n/10 training records are usual.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger less champion, in the direction
        of better scores. `statistic` is that over its standard error, compared with the
        standard normal distribution; the interval is the mean plus and minus quantiles of
        it. `details` has the standard error, J and M.

    Raises
    ------
    ValueError
        If the differences do not come in an odd number of rows, at least 3, or if rows
        after the first have as many training records as the first.

    See Also
    --------
    corrected_repeated_holdout_t : Needs the first row only, and has more power.

    Notes
    -----
    With the means of rows m and m' of the two halves of a bisection::

        sigma² = sum of (mean of m - mean of m')² / (2M)
        statistic = mean of row 0 / sigma

    With n records, hold-outs of n2 of them train on n1 = n - n2 in the first row and on
    n // 2 - n2 in the others [1]_. The M distances come from the same records, so that
    sigma² varies more than M would suggest, which the normal distribution leaves out. Where
    only the test records vary, equal learners were told apart in 24 % of simulated data
    sets with M = 1, in 8 % with 3, 5 % with 5, and 3 % with 10
    (``benchmarks/validity/bisections.py``); fewer than 10 are flagged "few-bisections".
    Section 5 of [2]_ names the test and leaves it out of the experiments, as less powerful
    and more expensive than the corrected t test.

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If the
    two halves of every bisection agree and the estimate is not 0, the statistic is infinite
    and p undefined, flagged "zero-variance". If the score is undefined on a test set, so
    are statistic and p, flagged "undefined-in-split"; the estimate is then the mean of the
    other splits of the first row.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import conservative_z
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.00, 0.03], [0.06, 0.00], [0.04, 0.00], [0.03, 0.05]],
    ...     n_train=[90] * 2 + [40] * 8,
    ...     n_test=10,
    ...     design="holdout in halves",
    ... )
    >>> result = conservative_z(scores)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, z = 2.400, p = 0.0164

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    estimate, error = _found(scores)
    statistic, tail, flags = studentised_scores(estimate, error, None, alternative)
    n_rows, n_splits = scores.values.shape
    n_bisections = (n_rows - 1) // 2
    if n_bisections < USUAL_BISECTIONS:
        flags = (*flags, FEW_BISECTIONS)
    return score_result(
        scores,
        statistic,
        tail,
        df=None,
        estimate=estimate,
        means=means_of_first_row(scores),
        alternative=alternative,
        method="normal, halves",
        limits=score_limits(scores, estimate, error, None),
        flags=flags,
        details={
            "se": error,
            "n_splits": float(n_splits),
            "n_bisections": float(n_bisections),
        },
    )


def _found(scores: ScoreDifferences) -> tuple[float, float]:
    """The mean of the first row and its standard error; NaN where one is undefined."""
    _check_rows(scores)
    values, noise = without_rounding(scores)
    rows = values.reshape(scores.values.shape)
    estimate = mean_of(rows[0], noise)
    if np.isnan(rows).any():
        return estimate, math.nan
    means = rows[1:].mean(axis=1)
    distances = means[0::2] - means[1::2]
    distances = np.where(np.abs(distances) <= noise, 0.0, distances)
    return estimate, math.sqrt(float((distances**2).mean()) / 2)


def _check_rows(scores: ScoreDifferences) -> None:
    shape = scores.values.shape
    if len(shape) != 2 or shape[0] < LEAST_ROWS or shape[0] % 2 == 0:
        raise ValueError(
            "conservative_z needs the differences of hold-outs of all records and of both "
            f"halves of bisections, shape (1 + 2 * n_bisections, n_splits). Got {shape}. "
            "Split with HalvesShuffleSplit."
        )
    n_train = scores.n_train.reshape(shape)
    most, least = int(n_train[1:].max()), int(n_train[0].min())
    if 0 < least <= most:
        raise ValueError(
            "conservative_z needs hold-outs of halves after the first row, which have "
            f"fewer training records. Got {most} of them there and {least} in the first "
            "row. Split with HalvesShuffleSplit."
        )
