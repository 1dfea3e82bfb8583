"""Student's t test for M × 2 block-regularized cross-validation."""

import math

from skcompare._core.validation import check_choice
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import ScoreDifferences
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.splits._score_result import (
    LIBERAL,
    check_halves,
    mean_of,
    planned,
    variance_of,
    wald_of,
    wald_result,
    without_rounding,
)

CORRELATIONS = {"conservative": (0.5, 0.5), "validation": (0.0, 0.5)}
"""Values of rho1 and rho2 by variant; the published one has neither."""

VARIANTS = (*CORRELATIONS, "published")


def _blocked(scores: ScoreDifferences, variant: str = "conservative") -> Wald:
    """Mean difference, with the standard error C sqrt(V)."""
    check_choice("variant", variant, VARIANTS)
    check_halves(scores, "blocked_t")
    values, noise = without_rounding(scores)
    scale, df = _scale_and_df(len(values) // 2, variant)
    error = scale * math.sqrt(_spread(values, noise))
    return wald_of(scores, mean_of(values, noise), error, df)


def _scale_and_df(n_repeats: int, variant: str) -> tuple[float, float]:
    if variant not in CORRELATIONS:
        return 1.0, 2 * n_repeats - 1.0
    correlations = CORRELATIONS[variant]
    return (
        correlated_scale(n_repeats, *correlations),
        correlated_df(n_repeats, *correlations),
    )


def _spread(values: FloatArray, noise: float) -> float:
    """Variance V of the differences, with the divisor 2M."""
    return variance_of(values, noise) * (len(values) - 1) / len(values)


@paired_test(
    "blocked_t",
    title="blocked M×2 t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("bcv",),
    references=("Wang2014", "Yang2023"),
    sample_size=planned(_blocked),
    caution=LIBERAL,
)
def blocked_t(
    scores: ScoreDifferences,
    *,
    variant: str = "conservative",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two learning algorithms by the blocked M×2 cross-validated t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The mean difference of the 2M halves is taken in standard errors, which are
    made of the variance between the halves and of correlations that are assumed [1]_. No
    variant holds the level with all learners, and for scores other than accuracy with many:
    it is there to reproduce published results. Use :func:`bcv_jackknife_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of at least 2 repetitions of an M × 2 block-regularized
        cross-validation, of any score, in the shape (M, 2): of
        :class:`~skcompare.BlockRegularizedMx2CV`. The published test has
        M = 3.
    variant : {"conservative", "validation", "published"}, default="conservative"
        Assumed correlations of the differences: rho1 within a repetition and rho2 between
        repetitions. "conservative" takes both as 1/2, the largest practical ones [2]_.
        "validation" takes rho1 = 0 and rho2 = 1/2, their values where only the test records
        vary and the training does not. "published" is the test as it was published for M =
        3, with C = 1 and 2M - 1 degrees of freedom; the scale is that of "validation",
        whose degrees of freedom are M only, so that it is liberal.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores, `statistic` that over its standard error, and the interval the mean
        plus and minus quantiles of t. `details` has the standard error, the factor C, and
        the root of V. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of at least 2 repetitions.

    See Also
    --------
    bcv_jackknife_t : For any score, with a variance from the blocks.
    bcv_mcnemar : For accuracies, from the counts of the same splits.

    Notes
    -----
    With the differences p of the 2M halves and their mean::

        V = sum (p - mean)² / (2M)
        statistic = mean / (C sqrt(V))

    The divisor is 2M, not 2M - 1. C and the degrees of freedom f are those of normal
    differences with the assumed correlations; with S = 1 + rho1 + 2 (M - 1) rho2::

        C² = S / (2M - S)
        f = (2M (1 - rho2) - (1 + rho1 - 2 rho2))²
            / (M (1 - rho1)² + (M - 1) (1 + rho1 - 2 rho2)²)

    For "conservative" this is C² = (2M + 1) / (2M - 1) and f = 2M - 1, for "validation"
    C = 1 and f = M.

    On data where only the test records matter, "published" rejects a true null hypothesis
    more often than its level. Where a record that is easy to predict also helps classifiers
    that are trained on it, as with many nearest neighbours, the mean varies more than the
    halves show, and all variants do so (see :func:`bcv_jackknife_t`).

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.

    References
    ----------
    .. [1] Wang, Y., Wang, R., Jia, H. and Li, J. (2014). "Blocked 3×2 cross-validated
       t-test for comparing supervised classification learning algorithms." Neural
       Computation 26(1), 208-235.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, equation 10 and section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import blocked_t
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.03, 0.01], [0.05, 0.03]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="bcv",
    ... )
    >>> result = blocked_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, t = 1.964, p = 0.1067
    >>> print(f"{blocked_t(scores, variant='published').pvalue:.4f}")
    0.0677
    """
    wald = _blocked(scores, variant)
    return wald_result(
        scores,
        wald,
        alternative,
        method=f"Student's t, {variant}",
        details={
            "se": wald.error,
            "C": _scale_and_df(scores.values.size // 2, variant)[0],
            "root_V": math.sqrt(_spread(*without_rounding(scores))),
            "n_splits": float(scores.values.size),
        },
    )


def correlated_scale(n_repeats: int, rho1: float, rho2: float) -> float:
    """Factor C: standard deviation of the mean over the root of the expected V."""
    shared = 1 + rho1 + 2 * (n_repeats - 1) * rho2
    return math.sqrt(shared / (2 * n_repeats - shared))


def correlated_df(n_repeats: int, rho1: float, rho2: float) -> float:
    """Degrees of freedom f of a chi-squared variable matching mean and variance of V."""
    between = 1 + rho1 - 2 * rho2
    mean = 2 * n_repeats * (1 - rho2) - between
    variance = n_repeats * (1 - rho1) ** 2 + (n_repeats - 1) * between**2
    return mean**2 / variance
