"""Tests of scores and tables of splits that are there to reproduce published results."""

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import betainc

from skcompare._core.validation import alpha_of, check_choice, check_switches, is_number
from skcompare._registry.tests import ANY_LOSS, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ContingencyTable, PairedBlocks, ScoreDifferences
from skcompare.stats.accuracy._limits import score_limits
from skcompare.stats.accuracy._mcnemar import (
    accuracy_result,
    corrected_statistic,
    discordant_counts,
)
from skcompare.stats.core._limits import ZERO_VARIANCE, Pair, Wald, one_sided, studentised
from skcompare.stats.core._power import bcv_mcnemar_sample_size, planned
from skcompare.stats.core._result import PairedResult, Tested
from skcompare.stats.core._tails import chi2_pvalue, f_pvalue, f_quantile, normal_pvalue
from skcompare.stats.splits._resampled_t import (
    NOISE,
    UNDEFINED,
    Moments,
    mean_of,
    means_of,
    means_of_first_row,
    moments_of_first_row,
    range_of,
    score_result,
    sizes_ratio,
    split_test,
    squared_distances,
    t_result,
    variance_of,
    wald_of,
    wald_result,
    weighted_mean,
    without_rounding,
)

EXPERIMENTAL = "experimental"

ALPHA, USUAL_LEVEL = 0.05, 0.95
LEAST_ROWS = 3

N_REPEATS, N_SPLITS = 5, 10
"""Repetitions and splits of 5×2 cross-validation."""

CORRELATIONS = {"conservative": (0.5, 0.5), "validation": (0.0, 0.5)}
"""Values of rho1 and rho2 by variant; the published one has neither."""

VARIANTS = (*CORRELATIONS, "published")

LIBERAL = "liberal"

liberal_test = partial(split_test, caution=LIBERAL)


def within_repetitions(halves: FloatArray, noise: float = NOISE) -> FloatArray:
    """Sum of the variances s² within repetitions, of halves of shape (..., M, 2)."""
    return np.asarray(squared_distances(halves, noise).sum(axis=-1) / 2)


def in_one_row(rows: FloatArray) -> FloatArray:
    """Differences of all splits on one axis, of shape (..., M, K) before."""
    return rows.reshape(*rows.shape[:-2], -1)


def t_of_first_half(halves: FloatArray, noise: float = NOISE) -> Moments:
    """First difference of 5×2 cross-validation, with the mean of the five s²."""
    error = np.sqrt(within_repetitions(halves, noise) / N_REPEATS)
    return Moments(halves[..., 0, 0], error, N_REPEATS)


def t_of_halves(halves: FloatArray, noise: float = NOISE) -> Moments:
    """Mean of all ten differences of 5×2 cross-validation, taken as independent."""
    error = np.sqrt(within_repetitions(halves, noise) / N_REPEATS / N_SPLITS)
    return Moments(mean_of(in_one_row(halves), noise), error, N_REPEATS)


def blocked_halves(
    halves: FloatArray, noise: float = NOISE, variant: str = "conservative"
) -> Moments:
    """Mean of M × 2 halves with the standard error C sqrt(V)."""
    check_choice("variant", variant, VARIANTS)
    scale, df = blocked_scale(halves.shape[-2], variant)
    error = scale * np.sqrt(spread_of(halves, noise))
    return Moments(mean_of(in_one_row(halves), noise), error, df)


def blocked_scale(n_repeats: int, variant: str) -> tuple[float, float]:
    """Factor C and degrees of freedom f of a variant of the blocked t test."""
    if variant not in CORRELATIONS:
        return 1.0, 2 * n_repeats - 1.0
    rhos = CORRELATIONS[variant]
    return correlated_scale(n_repeats, *rhos), correlated_df(n_repeats, *rhos)


def spread_of(halves: FloatArray, noise: float = NOISE) -> FloatArray:
    """Variance V of the differences, with the divisor 2M."""
    values = in_one_row(halves)
    n_splits = values.shape[-1]
    return variance_of(values, noise) * (n_splits - 1) / n_splits


def correlated_scale(n_repeats: int, rho1: float, rho2: float) -> float:
    """Factor C: standard deviation of the mean over the root of the expected V."""
    shared = 1 + rho1 + 2 * (n_repeats - 1) * rho2
    return float(np.sqrt(shared / (2 * n_repeats - shared)))


def correlated_df(n_repeats: int, rho1: float, rho2: float) -> float:
    """Degrees of freedom f of a chi-squared variable matching mean and variance of V."""
    between = 1 + rho1 - 2 * rho2
    mean = 2 * n_repeats * (1 - rho2) - between
    variance = n_repeats * (1 - rho1) ** 2 + (n_repeats - 1) * between**2
    return mean**2 / variance


def t_of_replicates(rows: FloatArray, noise: float = NOISE, ratio: float = 0.0) -> Moments:
    """Mean of row 0, with the variance (1 + J ratio) S² of the means of the others."""
    means = rows[..., 1:, :].mean(axis=-1)
    variance = (1 + rows.shape[-1] * ratio) * variance_of(means, noise)
    return moments_of_first_row(rows, np.sqrt(variance), means.shape[-1] - 1, noise)


def deviation_of_records(
    values: FloatArray,
    within: FloatArray,
    n_test: IntArray,
    noise: float = NOISE,
    variance: str = "out",
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the differences of all records of K folds.

    `within` are the variances of the differences within the folds.
    """
    estimate = weighted_mean(values, n_test, noise)
    if variance == "in":
        spread = within.mean(axis=-1)
    else:
        squares = n_test * (values - estimate[..., np.newaxis]) ** 2
        squares = (n_test - 1) * within + squares
        spread = squares.sum(axis=-1) / n_test.sum(axis=-1)
    deviation = np.sqrt(spread)
    deviation = np.where(deviation <= noise, 0.0, deviation)
    return estimate, np.where(np.isnan(values).any(axis=-1), np.nan, deviation)


def f_of_halves(halves: FloatArray, noise: float = NOISE) -> tuple[Any, Any]:
    """Numerator and denominator of F: squared differences, and twice the five variances."""
    squares = np.square(in_one_row(halves)).sum(axis=-1)
    return squares, 2 * within_repetitions(halves, noise)


def check_halves(scores: ScoreDifferences, test: str, n_repeats: int | None = None) -> None:
    """Check that there are differences of both halves of each repetition."""
    shape = scores.values.shape
    in_halves = len(shape) == 2 and shape[1] == 2
    if not in_halves or (shape[0] != n_repeats if n_repeats else shape[0] < 2):
        needed = f"({n_repeats or 'n_repeats'}, 2)"
        raise ValueError(
            f"{test} needs the differences of both halves of "
            f"{n_repeats or 'at least 2'} repetitions, shape {needed}. Got {shape}. Train "
            "on each half, test on the other, and give the two differences in one row."
        )


@liberal_test(
    title="K-fold t test", designs=("kfold",), references=("Dietterich1998", "Yang2023")
)
def kfold_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the uncorrected t test of one K-fold CV.

    The null hypothesis is that the two algorithms, trained on (K - 1) n / K records, have
    equal expected scores. The differences of the folds are treated as independent [1]_,
    which they are not, because any two training sets share most of their records: its type
    I error can be well above the level. It is provided to reproduce published results; use
    :func:`corrected_repeated_kfold_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on the folds of one cross-validation, of any score: of ``KFold`` or
        ``StratifiedKFold``. The published setting is K = 10 [1]_ [2]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, with K - 1 degrees of
        freedom, and the interval, too short as well, is the mean plus and minus quantiles
        of t. `details` has the standard deviation of the differences, the standard error
        and the number of splits. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If there are fewer than 2 folds.

    Notes
    -----
    With the mean and the sample variance s² (divisor K - 1) of the K differences::

        statistic = mean / sqrt(s² / K)

    Edge cases are those of :func:`corrected_repeated_kfold_t`.

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5 and Table V.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import kfold_t
    >>> scores = ScoreDifferences(
    ...     [0.02, 0.00, 0.04, 0.02, 0.02], n_train=80, n_test=20, design="kfold"
    ... )
    >>> result = kfold_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.020, t = 3.162, p = 0.0341
    >>> result.flags
    ('liberal',)
    """
    return t_result(scores, "kfold_t", alternative)


@liberal_test(
    title="repeated hold-out t test",
    designs=("repeated holdout",),
    references=("Dietterich1998", "Nadeau2003", "Yang2023"),
)
def repeated_holdout_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the uncorrected t test of a repeated hold-out.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. The differences of the splits are treated
    as independent [1]_, which those of one data set are not: its type I error is far above
    the level and rises with the number of splits. It is provided to reproduce published
    results; use :func:`corrected_repeated_holdout_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on J random splits, of any score: of ``ShuffleSplit`` or
        ``StratifiedShuffleSplit``. Published settings are J = 30 [1]_, and J = 15 with
        n1 = 2n/3 [3]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, with J - 1 degrees of
        freedom, and the interval, too short as well, is the mean plus and minus quantiles
        of t. `details` has the standard deviation of the differences, the standard error
        and the number of splits. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If there are fewer than 2 splits.

    Notes
    -----
    With the mean and the sample variance s² (divisor J - 1) of the J differences::

        statistic = mean / sqrt(s² / J)

    The variance of the mean is larger by a factor of about 1 + J n2 / n1, for n1 training
    and n2 test records [2]_.

    Edge cases are those of :func:`corrected_repeated_kfold_t`.

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923.
    .. [2] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.
    .. [3] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5 and Table V.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import repeated_holdout_t
    >>> scores = ScoreDifferences(
    ...     [0.02, 0.00, 0.04, 0.02, 0.03, 0.01],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="repeated holdout",
    ... )
    >>> result = repeated_holdout_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.020, t = 3.464, p = 0.0180
    >>> result.flags
    ('liberal',)
    """
    return t_result(scores, "repeated_holdout_t", alternative)


@liberal_test(
    title="5×2 CV paired t test",
    designs=("random 5x2",),
    references=("Dietterich1998", "Yang2023"),
    n_repeats=N_REPEATS,
)
def paired_5x2_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the 5×2 cross-validated paired t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It is about the algorithms, over new training and new test
    records. The difference of one half, the first, is divided by a standard error estimated
    from all ten [1]_. Where training varies, equal learners are rejected more often than
    the nominal level: it is provided to reproduce published results. Split with
    :class:`~skcompare.BlockRegularized5x2CV` instead.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of five random bisections, of any score, in the shape
        (5, 2): of ``RepeatedStratifiedKFold(n_splits=2, n_repeats=5)``.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the difference of the first half of the first repetition, challenger
        minus champion, in the direction of better scores; `champion` and `challenger` are
        the scores there. `statistic` is the estimate over its standard error, with 5
        degrees of freedom, and the interval is the estimate plus and minus quantiles of t.
        `parts` has the ten variants of the test, one for each half that could have come
        first, and `details` the standard error and the mean of the ten differences. Every
        result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    See Also
    --------
    combined_5x2_f : Uses all ten differences, and does not depend on their order.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = first p1 / sqrt(mean of the five s²)

    Which half comes first is a matter of chance, fixed by the seed of the splitter. Where
    some of the ten variants reject at the level 0.05 and others do not, the result is
    flagged "depends-on-fold-order". Choosing among them after seeing them is not a valid
    test.

    If all s² are 0, the statistic is 0 and p is 1 where the first difference is 0, flagged
    "degenerate"; otherwise the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on any of the ten test sets, so are statistic and p,
    flagged "undefined-in-split".

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import paired_5x2_t
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="random 5x2",
    ... )
    >>> result = paired_5x2_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.040, t = 1.807, p = 0.1306
    >>> print(" ".join(f"{part['pvalue']:.3f}" for part in result.parts))
    0.131 0.042 0.073 0.408 0.233 0.025 0.670 0.073 0.042 0.131
    >>> result.flags
    ('depends-on-fold-order', 'liberal')
    """
    check_halves(scores, "paired_5x2_t", N_REPEATS)
    halves, noise = without_rounding(scores)
    wald = wald_of(scores, *t_of_first_half(halves, noise))
    values = in_one_row(halves)
    parts = _variants(values, wald.error, alternative)
    depends = len({part["pvalue"] < ALPHA for part in parts}) == 2
    return wald_result(
        scores,
        wald,
        alternative,
        ("depends-on-fold-order",) * depends,
        means=means_of(scores, lambda role: role[0, 0]),
        method="Student's t of the first half",
        details={"se": wald.error, "mean": float(mean_of(values, noise))},
        parts=parts,
    )


def _variants(
    values: FloatArray, error: float, alternative: str
) -> tuple[dict[str, Any], ...]:
    """Results of the test with each half in turn as the first."""
    parts = []
    for k, value in enumerate(values.tolist()):
        statistic, (pvalue, _), _ = studentised(value, error, N_REPEATS, alternative)
        parts.append(
            {
                "repetition": k // 2 + 1,
                "half": k % 2 + 1,
                "difference": value,
                "statistic": statistic,
                "pvalue": pvalue,
            }
        )
    return tuple(parts)


@liberal_test(
    title="combined 5×2 CV t test",
    designs=("random 5x2",),
    references=("Yildiz2013", "Yang2023"),
    n_repeats=N_REPEATS,
)
def combined_5x2_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the combined 5×2 cross-validated t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. The mean of the ten differences is divided by a standard error
    that treats them as independent [1]_, which those of different repetitions are not: they
    share half of their test records, and the type I error is far above the level. It is
    provided to reproduce published results; use :func:`combined_5x2_f`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of five random bisections, of any score, in the shape
        (5, 2): of ``RepeatedStratifiedKFold(n_splits=2, n_repeats=5)``.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, with 5 degrees of
        freedom, and the interval, too short as well, is the mean plus and minus quantiles
        of t. `details` has the standard error. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = sqrt(10) mean of the ten / sqrt(mean of the five s²)

    Where only the test records vary, the differences of two repetitions have a correlation
    of 1/2, and the variance of the mean is five times as large as the test assumes.

    If all s² are 0, the statistic is 0 and p is 1 where the mean is 0, flagged
    "degenerate"; otherwise the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.

    References
    ----------
    .. [1] Yildiz, O. T. (2013). "Omnivariate rule induction using a novel pairwise
       statistical test." IEEE Transactions on Knowledge and Data Engineering 25(9),
       2105-2118.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import combined_5x2_t
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="random 5x2",
    ... )
    >>> result = combined_5x2_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.043, t = 6.143, p = 0.0017
    """
    check_halves(scores, "combined_5x2_t", N_REPEATS)
    wald = wald_of(scores, *t_of_halves(*without_rounding(scores)))
    details = {"se": wald.error}
    return wald_result(scores, wald, alternative, method="Student's t", details=details)


@liberal_test(
    title="combined 5×2 CV F test",
    designs=("random 5x2",),
    references=("Alpaydin1999", "Yang2023"),
    n_repeats=N_REPEATS,
)
def combined_5x2_f(scores: ScoreDifferences) -> PairedResult:
    """Compare two learning algorithms by the combined 5×2 cross-validated F test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It is about the algorithms, over new training and new test
    records. All ten squared differences are divided by the variance within repetitions, so
    that their order does not matter [1]_. The test has no direction. Where training varies,
    equal learners are rejected more often than the nominal level: it is provided to
    reproduce published results. Split with :class:`~skcompare.BlockRegularized5x2CV`
    instead.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of five random bisections, of any score, in the shape
        (5, 2): of ``RepeatedStratifiedKFold(n_splits=2, n_repeats=5)``.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the ten differences, challenger minus champion, in the
        direction of better scores. `statistic` is compared with F(10, 5). The interval
        holds the differences that the test does not reject; its limits are NaN where it
        rejects every one, which is flagged "empty-interval" where it is so at 95 %.
        `details` has the degrees of freedom, the sum of squares and the sum of the
        variances within repetitions. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    See Also
    --------
    paired_5x2_t : The test that this one combines, with a direction.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = sum of the ten p² / (2 sum of the five s²)

    A difference d is in the interval where the test does not reject after it is subtracted
    from all ten: the interval is mean ± sqrt((2 F sum s² - sum (p - mean)²) / 10), with the
    quantile F, and is empty where the bracket is negative. The test also rejects where the
    differences vary between the repetitions around a mean of 0.

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    s² are 0 and a difference is not, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.

    References
    ----------
    .. [1] Alpaydin, E. (1999). "Combined 5×2 cv F test for comparing supervised
       classification learning algorithms." Neural Computation 11(8), 1885-1892.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import combined_5x2_f
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="random 5x2",
    ... )
    >>> result = combined_5x2_f(scores)
    >>> print(f"{result.estimate:.3f}, F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.043, F = 4.429, p = 0.0571
    """
    return _f_result(scores, "combined_5x2_f", df1=10, df2=5)


@liberal_test(
    title="calibrated 5×2 BCV F test",
    designs=("bcv",),
    references=("Wang2017", "Yang2023"),
    n_repeats=N_REPEATS,
)
def calibrated_5x2_f(scores: ScoreDifferences) -> PairedResult:
    """Compare two learning algorithms by the calibrated 5×2 BCV F test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It is about the algorithms, over new training and new test
    records. The statistic of the combined 5×2 F test, on halves that overlap equally, is
    compared with F(7, 5) in place of F(10, 5) [1]_. The test has no direction. Where
    training varies, equal learners are rejected more often than the nominal level: it is
    provided to reproduce published results. Use :func:`bcv_jackknife_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on both halves of the five repetitions of a block-regularized 5×2
        cross-validation, of any score, in the shape (5, 2): of
        :class:`~skcompare.BlockRegularized5x2CV`.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the ten differences, challenger minus champion, in the
        direction of better scores. `statistic` is compared with F(7, 5). The interval holds
        the differences that the test does not reject; its limits are NaN where it rejects
        every one, which is flagged "empty-interval" where it is so at 95 %. `details` has
        the degrees of freedom, the sum of squares and the sum of the variances within
        repetitions. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If the differences are not those of both halves of five repetitions.

    See Also
    --------
    bcv_jackknife_t : For any score, with a variance from the blocks.
    bcv_mcnemar : For accuracies, from the counts of the same splits.

    Notes
    -----
    With the differences p1 and p2 of the two halves of each repetition, of which the
    variance is s² = (p1 - p2)² / 2::

        statistic = sum of the ten p² / (2 sum of the five s²)

    The degrees of freedom are those of the abstract of [1]_. That the statistic itself is
    that of the combined test is inferred: the abstract calls the calibration one of the F
    distribution, and with this statistic the type I error on the epsilon data is that of
    Table V of [2]_.

    The interval is mean ± sqrt((2 F sum s² - sum (p - mean)²) / 10), with the quantile F,
    and is empty where the bracket is negative.

    Edge cases are those of :func:`combined_5x2_f`.

    References
    ----------
    .. [1] Wang, Y., Li, J. and Li, Y. (2017). "Choosing between two classification learning
       algorithms based on calibrated balanced 5×2 cross-validated F-test." Neural
       Processing Letters 46(1), 1-13.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import calibrated_5x2_f
    >>> scores = ScoreDifferences(
    ...     [[0.04, 0.06], [0.05, 0.02], [0.03, 0.07], [0.01, 0.05], [0.06, 0.04]],
    ...     n_train=100,
    ...     n_test=100,
    ...     design="bcv",
    ... )
    >>> result = calibrated_5x2_f(scores)
    >>> print(f"{result.estimate:.3f}, F = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.043, F = 4.429, p = 0.0603
    """
    return _f_result(scores, "calibrated_5x2_f", df1=7, df2=5)


def _f_result(scores: ScoreDifferences, test: str, df1: int, df2: int) -> PairedResult:
    """Return the result of the statistic of Alpaydin (1999) with an F distribution."""
    check_halves(scores, test, N_REPEATS)
    halves, noise = without_rounding(scores)
    mean = float(mean_of(in_one_row(halves), noise))
    squares, twice_within = map(float, f_of_halves(halves, noise))
    # 0 where the values are equal up to rounding.
    varies = float(np.ptp(halves)) > noise
    around = float(np.square(in_one_row(halves) - mean).sum()) if varies else 0.0
    limits = partial(_inverted, mean, around, twice_within, (df1, df2), range_of(scores))
    undefined = math.isnan(limits(USUAL_LEVEL, "two-sided")[0])
    return score_result(
        scores,
        tested=_compared(squares, twice_within, df1, df2),
        estimate=mean,
        method=f"F({df1}, {df2})",
        limits=limits,
        flags=("empty-interval",) * (undefined and not math.isnan(twice_within)),
        details={
            "df1": float(df1),
            "df2": float(df2),
            "sum_of_squares": squares,
            "sum_of_variances": twice_within / 2,
        },
    )


def _compared(squares: float, twice_within: float, df1: int, df2: int) -> Tested:
    """Return the statistic, the p-value with its logarithm, and flags."""
    if math.isnan(twice_within):
        return math.nan, (math.nan, math.nan), (UNDEFINED,)
    if twice_within > 0:
        statistic = squares / twice_within
        return statistic, f_pvalue(statistic, df1, df2), ()
    if squares == 0:
        return 0.0, (1.0, 0.0), ("degenerate",)
    return math.inf, (math.nan, math.nan), (ZERO_VARIANCE,)


def _inverted(
    mean: float,
    around: float,
    twice_within: float,
    df: tuple[int, int],
    bounds: Pair,
    confidence_level: float,
    alternative: str,
) -> Pair:
    """Limits of the differences that the test does not reject; NaN if it rejects all."""
    bracket = f_quantile(alpha_of(confidence_level), *df) * twice_within - around
    if math.isnan(bracket) or bracket < 0:
        return math.nan, math.nan
    reach = math.sqrt(bracket / N_SPLITS)
    return one_sided(mean - reach, mean + reach, alternative, bounds)


def _blocked(scores: ScoreDifferences, variant: str = "conservative") -> Wald:
    check_halves(scores, "blocked_t")
    return wald_of(scores, *blocked_halves(*without_rounding(scores), variant))


@liberal_test(
    title="blocked M×2 t test",
    designs=("bcv",),
    references=("Wang2014", "Yang2023"),
    sample_size=planned(_blocked),
)
def blocked_t(
    scores: ScoreDifferences,
    *,
    variant: str = "conservative",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two learning algorithms by the blocked M×2 cross-validated t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It is about the algorithms, over new training and new test
    records. The mean difference of the 2M halves is divided by a standard error estimated
    from the variance between the halves and assumed correlations [1]_. No variant holds the
    level with all learners, and for scores other than accuracy with many: it is provided to
    reproduce published results. Use :func:`bcv_jackknife_t`.

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

    Edge cases are those of :func:`corrected_repeated_kfold_t`, without the flag
    "splits-too-alike".

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
            "C": blocked_scale(len(scores.values), variant)[0],
            "root_V": math.sqrt(spread_of(*without_rounding(scores))),
            "n_splits": float(scores.values.size),
        },
    )


@liberal_test(
    title="pseudo bootstrap t test",
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
)
def pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
    experimental: bool = False,
) -> PairedResult:
    """Compare two learning algorithms by the pseudo bootstrap, as far as it is known.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. A repeated hold-out is repeated on the
    same records, and the mean difference is compared with the variation of such means. They
    vary by the splits alone, not by the records, so that the test rejects far too often,
    like :func:`repeated_holdout_t`.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score on replicated hold-outs, of shape (1 + R, J): the estimate
        in the first row, R replicates of it in the others, as
        :class:`~skcompare.model_selection.ReplicatedShuffleSplit` makes them. J = 15 [2]_;
        R is unknown.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True, to confirm that you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
        of better scores. `statistic` is that over the standard deviation of the means of
        the other rows, with R - 1 degrees of freedom, and the interval, too short as well,
        is the mean plus and minus quantiles of t. `details` has the standard deviation of
        the means, the standard error, J and R. Every result is flagged "liberal" and
        "experimental".

    Raises
    ------
    ValueError
        If `experimental` is not True, or the differences do not come in at least 3 rows.

    See Also
    --------
    corrected_repeated_holdout_t : A test with a known definition that needs J splits only.

    Notes
    -----
    Section 5 of [2]_ names the test and leaves it out of the experiments, as less powerful
    and more expensive than the corrected t test. The statistic here is derived from the
    name and not verified::

        statistic = mean of row 0 / S,  S² = sample variance of the means of rows 1 to R

    and compared with Student's t with R - 1 degrees of freedom; S² has the divisor R - 1.
    Given the records, the means of the rows are independent, so that S² estimates
    sigma² (1 - rho) / J, for differences of variance sigma² and correlation rho. The
    variance of the mean over data sets is sigma² (rho + (1 - rho) / J).

    If all of these means are 0, the statistic is 0 and p is 1, flagged "degenerate". If the
    replicates do not vary and the estimate is not 0, the statistic is infinite and p
    undefined, flagged "zero-variance". If the score is undefined on a test set, so are
    statistic and p, flagged "undefined-in-split".

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
    >>> from skcompare.stats import pseudo_bootstrap_t
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.01, 0.03], [0.02, 0.00], [0.04, 0.02], [0.03, 0.03]],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="replicated holdout",
    ... )
    >>> result = pseudo_bootstrap_t(scores, experimental=True)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, t = 3.133, p = 0.0519
    """
    return _bootstrap_result(scores, "pseudo_bootstrap_t", alternative, experimental, False)


@split_test(
    title="corrected pseudo bootstrap t test",
    designs=("replicated holdout",),
    references=("Nadeau2003", "Yang2023"),
    caution=EXPERIMENTAL,
)
def corrected_pseudo_bootstrap_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
    experimental: bool = False,
) -> PairedResult:
    """Compare two learning algorithms by the corrected pseudo bootstrap, if reconstructed.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. A repeated hold-out is repeated on the
    same records. How much its mean varies by the splits is measured, and multiplied to
    make up for the records, which stay the same.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score on replicated hold-outs, of shape (1 + R, J): the estimate
        in the first row, R replicates of it in the others, as
        :class:`~skcompare.model_selection.ReplicatedShuffleSplit` makes them. J = 15 with
        n1 = 9n/10 training records [2]_; R is unknown.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    experimental : bool, default=False
        Must be True, to confirm that you know that the test is a reconstruction.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
        of better scores. `statistic` is that over its standard error, with R - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the means of the other rows, the standard error, J, R, the
        ratio of the sizes and the variance factor. Every result is flagged "experimental".

    Raises
    ------
    ValueError
        If `experimental` is not True, the differences do not come in at least 3 rows, or
        the size of a training set is unknown.

    See Also
    --------
    corrected_repeated_holdout_t : A test with a known definition that needs J splits only.

    Notes
    -----
    With S² as in :func:`pseudo_bootstrap_t`, and n1 training and n2 test records (the mean
    of n2 / n1 where sizes differ)::

        statistic = mean of row 0 / sqrt((1 + J n2 / n1) S²)

    The factor is the variance of the mean over data sets, sigma² (rho + (1 - rho) / J),
    over sigma² (1 - rho) / J, for a correlation rho = n2 / (n1 + n2) of the differences
    [1]_. Neither R nor the degrees of freedom could be verified.

    Edge cases are those of :func:`pseudo_bootstrap_t`.

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
    >>> from skcompare.stats import corrected_pseudo_bootstrap_t
    >>> scores = ScoreDifferences(
    ...     [[0.02, 0.04], [0.01, 0.03], [0.02, 0.00], [0.04, 0.02], [0.03, 0.03]],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="replicated holdout",
    ... )
    >>> result = corrected_pseudo_bootstrap_t(scores, experimental=True)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.030, t = 2.834, p = 0.0660
    """
    name = "corrected_pseudo_bootstrap_t"
    return _bootstrap_result(scores, name, alternative, experimental, True)


def _bootstrap_result(
    scores: ScoreDifferences,
    test: str,
    alternative: str,
    experimental: bool,
    corrected: bool,
) -> PairedResult:
    """Return the test of the first row's mean by the variance of the other rows' means."""
    _check_experimental(test, experimental)
    _check_bootstrap_rows(scores, test)
    rows, noise = without_rounding(scores)
    n_splits = rows.shape[1]
    ratio = sizes_ratio(scores, test) if corrected else 0.0
    wald = wald_of(scores, *t_of_replicates(rows, noise, ratio))
    details = {
        "deviation_of_means": math.sqrt(variance_of(rows[1:].mean(axis=1), noise)),
        "se": wald.error,
        "n_splits": float(n_splits),
        "n_replicates": float(len(rows) - 1),
    }
    if corrected:
        factor = math.nan if math.isnan(wald.error) else 1 + n_splits * ratio
        details |= {"test_train_ratio": ratio, "variance_factor": factor}
    return wald_result(
        scores,
        wald,
        alternative,
        () if corrected else (EXPERIMENTAL,),
        means=means_of_first_row(scores),
        method="Student's t, corrected" if corrected else "Student's t",
        details=details,
    )


def _check_experimental(test: str, experimental: object) -> None:
    check_switches(experimental=experimental)
    if not experimental:
        raise ValueError(
            f"{test} needs experimental=True. Got {experimental!r}. Its definition is "
            "known by name only, and what is done here is a reconstruction that nobody "
            "has verified. Pass experimental=True if you know this, or use "
            "corrected_repeated_holdout_t."
        )


def _check_bootstrap_rows(scores: ScoreDifferences, test: str) -> None:
    shape = scores.values.shape
    if scores.values.ndim != 2 or shape[0] < LEAST_ROWS:
        raise ValueError(
            f"{test} needs the differences of an estimate and of at least 2 replicates, "
            f"shape (1 + n_replicates, n_splits). Got {shape}. Split with "
            "ReplicatedShuffleSplit."
        )


@paired_test(
    title="K-fold CV-CI Z test",
    measures=("accuracy", ANY_LOSS),
    designs=("kfold",),
    references=("Bayle2020", "Yang2023"),
    inference="models",
    caution=LIBERAL,
)
def cv_ci_z(
    scores: ScoreDifferences,
    *,
    variance: Literal["out", "in"] = "out",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare the classifiers that a K-fold cross-validation trained, by their mean loss.

    The null hypothesis is that the K classifiers of one algorithm and those of the other,
    as they were trained, have equal expected losses, on average over the folds [1]_. It
    is about these trained classifiers and new test records, not of the learning
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
        `estimate` is the mean difference over the records, challenger minus champion, in
        the direction of better scores: folds of unequal size count by their records.
        `statistic` is that over its standard error, compared with the standard normal
        distribution; the interval is the mean plus and minus quantiles of it. `details` has
        the standard deviation of the differences of a record, the standard error and the
        number of splits. Every result is flagged "liberal".

    Raises
    ------
    ValueError
        If there are no variances, one is unknown, or `variance` is "in" and a fold has one
        test record.

    See Also
    --------
    corrected_repeated_kfold_t : A test of the learning algorithms, for any score.

    Notes
    -----
    With the difference h of the losses of each of n records, R their mean, and v the sample
    variance of h within a fold (divisor n_k - 1)::

        out: sigma² = sum of (h - R)² / n
        in:  sigma² = mean of v over the folds
        statistic = R / (sigma / sqrt(n))

    [1]_ shows both to be valid for large n where the algorithms are stable: leaving out a
    record must change their loss little. The sum over records is split into parts within
    and between folds, so that the differences and variances of the folds are enough. In
    leave-one-out cross-validation every fold has one record, and only "out" is defined.

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
    """
    within = _variances_of_records(scores, variance)
    values, noise = without_rounding(scores)
    n_test = scores.n_test
    estimate, deviation = deviation_of_records(
        values.ravel(), within, n_test, noise, variance
    )
    error = float(deviation) / math.sqrt(float(n_test.sum()))
    return wald_result(
        scores,
        wald_of(scores, estimate, error, None),
        alternative,
        means=means_of(scores, lambda role: weighted_mean(role.ravel(), n_test, 0.0)),
        method=f"normal, variance={variance}",
        details={
            "deviation": float(deviation),
            "se": error,
            "n_splits": float(values.size),
        },
    )


def _variances_of_records(scores: ScoreDifferences, variance: str) -> FloatArray:
    """Sample variances of the differences of the records of each fold, as one array.

    0 for a fold of one record, which has no variance within.
    """
    if scores.variances is None:
        raise ValueError(
            "cv_ci_z needs the variances of the differences within the folds. Got none. "
            "Pass `variances` to ScoreDifferences, for each fold the sample variance of "
            "the differences of its records over their number, or use "
            "corrected_repeated_kfold_t."
        )
    single = scores.n_test == 1
    if variance == "in" and single.any():
        raise ValueError(
            "variance='in' needs at least 2 test records in each fold. Got "
            f"{int(single.sum())} folds of one. Use variance='out'."
        )
    within = np.where(single, 0.0, scores.n_test * scores.variances.ravel())
    unknown = np.isnan(within) & ~np.isnan(scores.values.ravel())
    if unknown.any():
        raise ValueError(
            "cv_ci_z needs the variance within every fold of 2 or more records. Got NaN "
            f"for fold {int(unknown.argmax())}. Pass all `variances`."
        )
    return within


FEW_DISCORDANT = 10
OUTLYING = 4.0
ROUNDING = 1e-9
RECORDS_OF_AVERAGES = 2
"""Number of averaged tables with all records: each table has half of them."""


def _sample_size(blocks: PairedBlocks, **options: Any) -> float:
    table = blocks.average
    shares = table.difference, table.n_discordant / table.n
    needed = bcv_mcnemar_sample_size(*shares, n_repeats=_n_repeats(blocks), **options)
    # The observed records were not enough, so at least one more is needed.
    return max(needed, math.floor(blocks.n_records) + 1.0)


@paired_test(
    title="M×2 BCV McNemar's test",
    measures="accuracy",
    designs=("bcv",),
    references=("Yang2023",),
    sample_size=_sample_size,
    caution="training-unseen",
)
def bcv_mcnemar(
    blocks: PairedBlocks,
    *,
    alternative: Alternative = "two-sided",
    rho1: float = 0.5,
    rho2: float = 0.5,
) -> PairedResult:
    """Compare two learning algorithms by the 5×2 BCV McNemar test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal accuracy [1]_. It is about the algorithms, over new training and new test
    records. The tables of all splits are averaged, and the average is scaled to an
    effective table of as many independent records as all splits are worth: of n records,
    10n/11 by default, where the splits together count 5n predictions. McNemar's corrected
    statistic of that table is chi-squared with one degree of freedom.

    Parameters
    ----------
    blocks : PairedBlocks
        Tables of all splits of an M × 2 block-regularized cross-validation, of shape
        (M, 2, 4).
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    rho1, rho2 : float, default=0.5
        Correlation of the disagreement between the two halves of a repetition, and
        between halves of different repetitions. Theorem 2 bounds them by
        rho2 < (1 + rho1) / 2, of which the limit is allowed too, such as rho1 = 0 and
        rho2 = 1/2 (Lemma 3), and equation 10 by rho2 >= 0. The default is the source's
        recommendation and makes the test conservative.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion) over all splits, and the
        interval inverts the corrected statistic. `details` holds the effective discordant
        counts, the effective number of records, the standard deviation of the difference
        between the splits, and the posterior probability that the challenger is better
        (Beta(1, 1) prior on the discordant share), which assumes that only records vary.

    Raises
    ------
    ValueError
        If the tables do not come in halves, or rho1 and rho2 are outside the bound.

    Notes
    -----
    With averaged counts b (only the champion correct) and c (only the challenger) over the
    2M splits, the multiplier is t = 2M / (1 + rho1 + 2 (M - 1) rho2), 20/11 by default for
    M = 5, and the test compares::

        statistic = max(0, |t c - t b| - 1)² / (t c + t b)

    with chi-squared. Theorem 3 has t for M = 5 only, and the error rate was measured for M
    = 5; other M are an extension. Equation 15 of [1]_ lacks the maximum: without it a
    difference below one effective record would raise the statistic as it shrinks. Without
    discordant pairs the statistic is 0 and p is 1, flagged "degenerate". Fewer than 10
    effective discordant pairs are flagged "few-discordant-pairs", because the counts are
    fractional and no exact test exists. rho1 and rho2 that leave more effective records
    than the default are flagged "less-conservative-correlation", and
    "more-effective-than-records" too where there are more of them than records: with rho1 =
    rho2 = 0 the type I error on the epsilon data is .35 instead of .05. A split whose
    difference is more than four standard deviations of its test set from the mean is
    flagged "outlying-split".

    The test counts records, and does not account for what all trainings have in common, or
    for chance in them. Equal learners that select the same lucky feature of the same
    records in every split are rejected in up to 24 % of data sets at a level of 5 %,
    and two copies of an unscaled stochastic gradient descent, with different seeds, in a
    third of draws; more records make that worse. So every result is flagged
    "training-unseen", and :func:`bcv_jackknife_t` is the default where the records are
    known.

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, Theorem 3 and equations 11 to 15.

    Examples
    --------
    >>> from skcompare.evidence import PairedBlocks
    >>> from skcompare.stats import bcv_mcnemar
    >>> result = bcv_mcnemar(PairedBlocks([[[78, 5, 12, 5], [78, 5, 12, 5]]] * 5))
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.070, p = 0.0349
    """
    effective = blocks.effective(effective_multiplier(_n_repeats(blocks), rho1, rho2))
    against, favour = effective.only_champion, effective.only_challenger
    _, root = corrected_statistic(against, favour, 1.0)
    return accuracy_result(
        effective,
        (root**2, normal_pvalue(root, alternative), ()),
        df=1,
        method=f"rho1={rho1:g}, rho2={rho2:g}",
        limits=partial(score_limits, against, favour, effective.n, 1.0),
        flags=_flags(blocks, effective, rho1, rho2),
        details={
            "only_champion": blocks.average.only_champion,
            "only_challenger": blocks.average.only_challenger,
            "effective_only_champion": against,
            "effective_only_challenger": favour,
            "effective_n": effective.n,
            "between": float(np.std(_split_differences(blocks)[0], ddof=1)),
            "probability_challenger_better": float(betainc(against + 1, favour + 1, 0.5)),
        },
    )


def _split_differences(blocks: PairedBlocks) -> tuple[FloatArray, IntArray]:
    """Differences of all splits, and the numbers of their records."""
    tables = blocks.tables.reshape(-1, 4)
    n = tables.sum(axis=1)
    return (tables[:, 2] - tables[:, 1]) / n, n


def effective_multiplier(n_repeats: int, rho1: float, rho2: float) -> float:
    """Number of averaged tables in the effective table (Theorem 3 of the source)."""
    numbers = is_number(rho1) and is_number(rho2)
    if not (numbers and -1 < rho1 <= 1 and 0 <= rho2 <= (1 + rho1) / 2):
        raise ValueError(
            "`rho1` must be in (-1, 1] and `rho2` in [0, (1 + rho1) / 2]. Got "
            f"rho1={rho1!r}, rho2={rho2!r}. The recommended 0.5 and 0.5 are conservative."
        )
    return 2 * n_repeats / (1 + rho1 + 2 * (n_repeats - 1) * rho2)


def _n_repeats(blocks: PairedBlocks) -> int:
    tables = blocks.tables
    if tables.ndim != 3 or tables.shape[1] != 2:
        raise ValueError(
            "bcv_mcnemar needs a table of both halves of every repetition, shape "
            f"(n_repeats, 2, 4). Got {tables.shape}. Split with BlockRegularized5x2CV."
        )
    return len(tables)


def _flags(
    blocks: PairedBlocks, effective: ContingencyTable, rho1: float, rho2: float
) -> tuple[str, ...]:
    n_repeats = _n_repeats(blocks)
    multiplier = effective_multiplier(n_repeats, rho1, rho2) / (1 + ROUNDING)
    usual = effective_multiplier(n_repeats, 0.5, 0.5)
    causes = {
        "few-discordant-pairs": 0 < effective.n_discordant < FEW_DISCORDANT,
        "less-conservative-correlation": multiplier > usual,
        "more-effective-than-records": multiplier > RECORDS_OF_AVERAGES,
        "outlying-split": _has_outlying_split(blocks),
    }
    return tuple(flag for flag, holds in causes.items() if holds)


def _has_outlying_split(blocks: PairedBlocks) -> bool:
    """Whether a difference is farther from the mean than its test set explains."""
    differences, n = _split_differences(blocks)
    average = blocks.average
    variance = average.n_discordant / average.n - average.difference**2
    distances = np.abs(differences - average.difference)
    return bool((distances > OUTLYING * np.sqrt(variance / n) + ROUNDING).any())


@paired_test(
    title="naive K-fold McNemar's test",
    measures="accuracy",
    designs=("kfold",),
    references=("Yang2023",),
    caution="naive",
)
def naive_kfold_mcnemar(blocks: PairedBlocks) -> PairedResult:
    """Compare two learning algorithms by adding McNemar's statistics of K folds.

    The null hypothesis is that the two algorithms, trained on (K - 1)/K of the records,
    have equal accuracy. The corrected statistics of the K test sets are added, and the sum
    compared with chi-squared with K degrees of freedom, as if the folds were independent
    [1]_. They share training records, so that nothing guarantees the level; the authors
    advise against it and propose :func:`bcv_mcnemar`.

    Parameters
    ----------
    blocks : PairedBlocks
        Tables of the K test sets of one cross-validation, of shape (K, 4) or (1, K, 4): of
        ``KFold`` or ``StratifiedKFold``. K = 10 [1]_.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion) over all records.
        `statistic` is the sum, with K degrees of freedom. It has no direction: folds that
        favour different classifiers add up, so that there is no one-sided test and no
        interval. `parts` has the statistic of each fold, the largest first, and `details`
        the number of folds and the discordant counts. Every result is flagged "naive".

    Raises
    ------
    ValueError
        If the tables are those of several repetitions.

    Notes
    -----
    With b_k records of fold k that only the champion predicts correctly, and c_k that only
    the challenger does::

        statistic = sum over k of max(0, |c_k - b_k| - 1)² / (b_k + c_k)

    A fold without discordant pairs adds 0, and there are K degrees of freedom even so. Each
    term is the statistic of ``mcnemar(method="corrected")``. Equation 5 of [1]_ lacks the
    maximum: without it, a fold in which as many discordant pairs favour either classifier
    would add to the evidence for a difference. The correction is made K times, so that the
    test has hardly any power with few records per fold, and none with leave-one-out.

    Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 3.

    Examples
    --------
    >>> from skcompare.evidence import PairedBlocks
    >>> from skcompare.stats import naive_kfold_mcnemar
    >>> blocks = PairedBlocks(
    ...     [[40, 2, 9, 4], [41, 3, 8, 3], [39, 4, 7, 5]], design="kfold"
    ... )
    >>> result = naive_kfold_mcnemar(blocks)
    >>> print(f"{result.estimate:.3f}, p = {result.pvalue:.4f}")
    0.091, p = 0.1653
    """
    folds = _folds_of(blocks)
    against, favour = folds[:, 1].tolist(), folds[:, 2].tolist()
    terms = [
        corrected_statistic(b, c, 1.0)[0] for b, c in zip(against, favour, strict=True)
    ]
    statistic = sum(sorted(terms))
    both, only_champion, only_challenger, neither = folds.sum(axis=0).tolist()
    table = ContingencyTable(both, only_champion, only_challenger, neither)
    return accuracy_result(
        table,
        (statistic, chi2_pvalue(statistic, len(folds)), ()),
        df=len(folds),
        method="sum of corrected chi-squared",
        details={"n_folds": float(len(folds)), **discordant_counts(table)},
        parts=tuple(
            {
                "fold": k,
                "only_champion": against[k],
                "only_challenger": favour[k],
                "statistic": terms[k],
            }
            for k in np.argsort([-term for term in terms], kind="stable").tolist()
        ),
    )


def _folds_of(blocks: PairedBlocks) -> IntArray:
    """Return the tables of one cross-validation, one row per fold."""
    tables = blocks.tables
    if tables.ndim == 3 and len(tables) == 1:
        return tables[0]
    if tables.ndim == 3:
        raise ValueError(
            "naive_kfold_mcnemar needs the tables of one cross-validation, shape "
            f"(n_folds, 4) or (1, n_folds, 4). Got {tables.shape}. Pass one repetition, or "
            "use bcv_mcnemar for halves."
        )
    return tables
