"""Block jackknife t test of any score for M × 2 block-regularized cross-validation."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import BlockDifferences
from skcompare.stats.core._limits import Wald
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.scores._confusion_scores import COUNT_SCORES
from skcompare.stats.splits._resampled_t import UNDEFINED, score_result, wald_of

CUT = 0.8
"""Share of the variance of `P` that is left where `P` is cut at its floor. A variable with
mean 0 keeps a third of it, one far above the floor all. The value between them was chosen
in `benchmarks/validity/splits/bcv_catalogue.py`."""

CHANCE = 1.5
"""Factor of chance in the training. With a factor of 1, equal learners with a random
threshold, such as stumps of many records, are found to differ a little too often by recall:
the chance part has few degrees of freedom, and is no normal variable."""


class BlockContrasts(NamedTuple):
    """Contrasts of the two sides of each repetition; arrays over data sets.

    Attributes
    ----------
    test : ndarray of shape (..., n_repeats)
        Differences of the sides as test data, from the other repetitions.
    training : ndarray of shape (..., n_repeats)
        Differences of the sides as training data.
    """

    test: FloatArray
    training: FloatArray


class BlockVariance(NamedTuple):
    """Variance of the mean difference and its parts; arrays over data sets.

    Attributes
    ----------
    total : ndarray
        Estimated variance of the mean difference.
    chance : ndarray
        Part for chance in the training, by the means of the repetitions.
    df : ndarray
        Degrees of freedom of `total`, by Satterthwaite's rule.
    """

    total: FloatArray
    chance: FloatArray
    df: FloatArray


def block_contrasts(
    values: FloatArray, sides: IntArray, sizes: IntArray | None = None
) -> BlockContrasts:
    """Contrasts of test and of training data, from differences by repetition and block.

    Parameters
    ----------
    values : ndarray of shape (..., n_repeats, n_blocks)
        Mean difference of each block in each repetition.
    sides : ndarray of shape (n_repeats, n_blocks)
        1 and -1: columns of an orthogonal array.
    sizes : ndarray of shape (n_blocks,), optional
        Records of each block; equal ones by default.

    Notes
    -----
    Let ``Z[r, s]`` be the contrast of the two sides of repetition r in the means of
    repetition s. In repetition r itself it is the difference of the sides as test data
    minus that as training data. In every other one training is balanced, so that the mean
    over them, E, is the test part alone, and F = E - Z[r, r] the training part.
    """
    n_repeats, n_blocks = sides.shape
    weights = np.full(n_blocks, 1.0) if sizes is None else np.asarray(sizes, dtype=float)
    weights = weights / weights.sum()
    centred = (values - (values @ weights)[..., np.newaxis]) * weights
    contrasts = np.swapaxes(centred @ sides.T, -1, -2)
    same = np.diagonal(contrasts, axis1=-2, axis2=-1)
    test = (contrasts.sum(axis=-1) - same) / (n_repeats - 1)
    return BlockContrasts(test, test - same)


def block_variance(
    values: FloatArray,
    sides: IntArray,
    own: FloatArray,
    variance: FloatArray | float,
    df: FloatArray | float,
    sizes: IntArray | None = None,
    *,
    cut: float = CUT,
    times: float = CHANCE,
) -> BlockVariance:
    """Variance of the mean of differences by repetition and block.

    Parameters
    ----------
    values, sides, sizes
        As for :func:`block_contrasts`.
    own : ndarray of shape (..., n_repeats, n_repeats)
        Covariance of the repetitions' means due to single records.
    variance, df : ndarray of shape (...,) or float
        Variance of the mean where only the test records vary, and its degrees of freedom.
    cut, times : float
        Constants of the rule, for studies of it.

    Returns
    -------
    variance : BlockVariance
        Each of shape (...,). See :func:`~skcompare.stats.bcv_jackknife_t`.
    """
    n_repeats, n_blocks = sides.shape
    test, training = block_contrasts(values, sides, sizes)
    # The same contrasts as weights of the repetitions, for products of a record with
    # itself.
    test_weights = (1 - np.eye(n_repeats)) / (n_repeats - 1)
    training_weights = test_weights - np.eye(n_repeats)

    def of_records(first: FloatArray, second: FloatArray) -> FloatArray:
        products = np.einsum("ir,...rs,is->...", first, own, second) / n_repeats
        return np.asarray(products)

    squares = (training**2).mean(axis=-1)
    covariance = 2 * (test * training).mean(axis=-1) - 2 * of_records(
        test_weights, training_weights
    )
    training_only = squares - of_records(training_weights, training_weights)
    weights = np.full(n_blocks, 1.0) if sizes is None else np.asarray(sizes, dtype=float)
    between = (values @ (weights / weights.sum())).var(axis=-1, ddof=1)
    centred = np.eye(n_repeats) - 1 / n_repeats
    between = between - np.einsum("rs,...rs->...", centred, own) / (n_repeats - 1)

    share = times / n_repeats
    chance = share * np.maximum(between, 0)
    beyond = covariance + training_only - (1 - share) * between
    total = variance + np.maximum(chance, beyond)

    # Variance of F² + 2 E F = (E + F)² - E² of normal contrasts, over the repetitions.
    records_variance, positive_covariance = np.asarray(variance), np.maximum(covariance, 0)
    noise = (
        positive_covariance**2
        + 4 * positive_covariance * squares
        + 4 * records_variance * squares
        + 2 * squares**2
    )
    noise = noise / n_repeats + 2 * chance**2 / (n_repeats - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = 2 * total**2 / (2 * records_variance**2 / df + cut * noise)
    return BlockVariance(total, chance, np.fmax(degrees, n_repeats - 1.0))


SCORES = (
    "accuracy",
    "roc_auc",
    *(score for score in COUNT_SCORES if score != "accuracy"),
    "negative_predictive_value",
    "squared_calibration_error",
)
"""Scores, besides mean losses, whose influence values are known."""


def _effect(blocks: BlockDifferences) -> Wald:
    variance = _variance(blocks)
    wald = _wald(blocks, variance)
    # Chance in the training does not go away with more records.
    return replace(wald, error=math.nan) if _is_unstable(blocks, variance) else wald


@paired_test(
    title="M×2 BCV block jackknife t test",
    measures=(ANY_LOSS, *SCORES),
    designs=("bcv", "grouped bcv"),
    references=("Efron1981", "Satterthwaite1946", "Yang2023"),
    sample_size=planned(_effect),
)
def bcv_jackknife_t(
    blocks: BlockDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by a score under M × 2 block-regularized CV.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The mean difference is taken in standard errors whose square has three parts:
    records as test data, records as training data, and chance in the training. The
    orthogonal array of the blocks tells them apart, without another fit.

    Parameters
    ----------
    blocks : BlockDifferences
        Differences by repetition and block: of :class:`~skcompare.BlockRegularized5x2CV`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, and the interval is the
        mean plus and minus quantiles of t. `details` has the standard error, and the roots
        of its parts: `records` as test data alone, and `chance` in the training.

    See Also
    --------
    bcv_mcnemar : The published test of accuracies, from the counts of the splits alone.

    Notes
    -----
    Each of M repetitions has two sides, of half of the blocks each. The records of one side
    are tested by classifiers that were trained on the other. So a block shows its effect as
    test data, plus the training effect on the classifiers of the other side. In repetition
    r itself, the contrast of the two sides is a test part minus a training part. In every
    other repetition the training sets are balanced over these two sides, so that the same
    contrast has the test part alone. The mean of those others is `E_r`, and the difference
    is the training part `F_r`. With the variance v of the records' mean differences over
    their number, and the variance B between the means of the repetitions::

        P = mean of (F² + 2 E F) over the repetitions
        V = v + max(c B, P - (1 - c) B),  c = 1.5 / M
        statistic = mean difference / sqrt(V)

    Products of a record with itself are left out of P and B, because v has them. To first
    order, the mean difference is a sum of what each record adds as test data and as
    training data, and V without its maximum has the variance of that sum as its
    expectation: 2 E F has the covariance of the two, which no spread between splits shows.
    Chance in the training, of which B / M is in the mean difference, is counted one and a
    half times, because it has few degrees of freedom. Interactions of two records are
    counted correctly; where a pair helps or hurts whichever of the two is tested, as where
    a feature is selected because of records that it does well on, they are counted a fifth
    too much.

    The degrees of freedom are Satterthwaite's [1]_: ``2 V²`` over the variance of V. That
    is the sum of the variances of ``F² + 2 E F`` of normal contrasts over M, of B with M -
    1 degrees of freedom, times 0.8 because P is cut at its floor, and of v by the fourth
    moments of the records. They are at least M - 1. There are M contrasts whatever the
    number of records: that is the price of a variance without assumptions, and more
    repetitions lower it.

    Blocks of unequal size are weighted by their records. Records of a class are dealt
    evenly to the blocks, so that the products of a record with itself are those of its
    deviation from others of the same block and class. Of grouped records, whole groups are
    dealt to the blocks, and take the place of records. A score that is no mean over records
    (AUC, F1, precision, calibration) enters by the influence of each record on it.

    Where the chance part c B is more than half of v, the result is flagged
    "unstable-training". If no record differs, the statistic is 0 and p is 1, flagged
    "degenerate". If all records differ by the same, the statistic is infinite and p
    undefined, flagged "zero-variance". Where a score of counts is undefined on a test set,
    the counts of all of them are pooled, flagged "pooled-over-splits"; for other scores
    statistic and p are undefined, flagged "undefined-in-split".

    How often equal learners are found to differ, and what the rule costs, is measured in
    ``benchmarks/validity/splits/bcv_catalogue.py``.

    References
    ----------
    .. [1] Satterthwaite, F. E. (1946). "An approximate distribution of estimates of
       variance components." Biometrics Bulletin 2(6), 110-114.
    .. [2] Efron, B. and Stein, C. (1981). "The jackknife estimate of variance." Annals of
       Statistics 9(3), 586-596.
    .. [3] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import BlockRegularized5x2CV
    >>> from skcompare.evidence import BlockDifferences
    >>> from skcompare.stats import bcv_jackknife_t
    >>> n, rng = 200, np.random.default_rng(0)
    >>> splits = BlockRegularized5x2CV(stratify=False, random_state=0).split(np.zeros(n))
    >>> in_first = np.zeros((5, n), dtype=bool)
    >>> for split, (train, test) in enumerate(splits):
    ...     in_first[split // 2, test] = split % 2 == 0
    >>> gains = rng.normal(0.2, 1, size=n) + rng.normal(0, 0.3, size=(5, n))
    >>> result = bcv_jackknife_t(BlockDifferences.from_records(gains, in_first))
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.2f}, p = {result.pvalue:.4f}")
    0.203, t = 2.92, p = 0.0096
    """
    variance = _variance(blocks)
    wald = _wald(blocks, variance)
    return score_result(
        blocks,
        **wald.fields(alternative),
        flags=_flags(blocks, variance),
        method="Student's t, variance from blocks",
        details={
            "se": wald.error,
            "records": math.sqrt(blocks.variance),
            "chance": math.sqrt(variance.chance),
        },
    )


def _wald(blocks: BlockDifferences, variance: BlockVariance) -> Wald:
    return wald_of(blocks, blocks.mean, math.sqrt(variance.total), float(variance.df))


def _flags(blocks: BlockDifferences, variance: BlockVariance) -> tuple[str, ...]:
    unknown = math.isnan(variance.total) and UNDEFINED not in blocks.flags
    unstable = _is_unstable(blocks, variance)
    return ("unknown-variance",) * unknown + ("unstable-training",) * unstable


def _variance(blocks: BlockDifferences) -> BlockVariance:
    return block_variance(
        blocks.values, blocks.sides, blocks.own, blocks.variance, blocks.df, blocks.sizes
    )


def _is_unstable(blocks: BlockDifferences, variance: BlockVariance) -> bool:
    """Whether chance in the training is more than half of the variance of records."""
    return bool(2 * variance.chance > blocks.variance)
