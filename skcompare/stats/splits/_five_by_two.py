"""F and t tests for M×2 cross-validation with random or block-regularized halves."""

import math
from functools import partial
from typing import Any

import numpy as np

from skcompare._core.validation import alpha_of, check_choice
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray
from skcompare.evidence import ScoreDifferences
from skcompare.stats.core._limits import Pair, one_sided
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import f_pvalue, f_quantile
from skcompare.stats.core._wald import ZERO_VARIANCE, Wald, studentised
from skcompare.stats.splits._score_result import (
    LIBERAL,
    UNDEFINED,
    check_halves,
    mean_of,
    range_of,
    score_result,
    variance_of,
    wald_of,
    wald_result,
    within_repetitions,
    without_rounding,
)

N_REPEATS, N_SPLITS = 5, 10
USUAL_LEVEL = 0.95

EMPTY_INTERVAL = "empty-interval"


@paired_test(
    "combined_5x2_f",
    title="combined 5×2 CV F test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("random 5x2",),
    references=("Alpaydin1999", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def combined_5x2_f(scores: ScoreDifferences) -> PairedResult:
    """Compare two learning algorithms by the combined 5×2 cross-validated F test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. All ten squared differences are taken over the variance within repetitions,
    so that their order does not matter [1]_. The test has no direction. Equal learners are
    distinguished more often than the level says, where training varies: it is there to
    reproduce published results. Split with
    :class:`~skcompare.BlockRegularized5x2CV` instead.

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


@paired_test(
    "calibrated_5x2_f",
    title="calibrated 5×2 BCV F test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("bcv",),
    references=("Wang2017", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def calibrated_5x2_f(scores: ScoreDifferences) -> PairedResult:
    """Compare two learning algorithms by the calibrated 5×2 BCV F test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The statistic of the combined 5×2 F test, on halves that overlap equally, is
    compared with F(7, 5) in place of F(10, 5) [1]_. The test has no direction. Equal
    learners are distinguished more often than the level says, where training varies: it is
    there to reproduce published results. Use :func:`bcv_jackknife_t`.

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

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    s² are 0 and a difference is not, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.

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
    values, noise = without_rounding(scores)
    mean = mean_of(values, noise)
    squares = float(np.square(values).sum())
    variances = within_repetitions(values, noise)
    statistic, (pvalue, log_pvalue), flags = _compared(squares, variances, df1, df2)
    squares_around_mean = _squares_around(values, mean, noise)
    limits = partial(
        _inverted, mean, squares_around_mean, variances, (df1, df2), range_of(scores)
    )
    if not math.isnan(variances) and math.isnan(limits(USUAL_LEVEL, "two-sided")[0]):
        flags = (*flags, EMPTY_INTERVAL)
    return score_result(
        scores,
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=None,
        estimate=mean,
        method=f"F({df1}, {df2})",
        limits=limits,
        flags=flags,
        details={
            "df1": float(df1),
            "df2": float(df2),
            "sum_of_squares": squares,
            "sum_of_variances": variances,
        },
    )


def _compared(
    squares: float, within: float, df1: int, df2: int
) -> tuple[float, tuple[float, float], tuple[str, ...]]:
    """Return the statistic, the p-value with its logarithm, and flags."""
    if math.isnan(within):
        return math.nan, (math.nan, math.nan), (UNDEFINED,)
    if within > 0:
        statistic = squares / (2 * within)
        return statistic, f_pvalue(statistic, df1, df2), ()
    if squares == 0:
        return 0.0, (1.0, 0.0), ("degenerate",)
    return math.inf, (math.nan, math.nan), (ZERO_VARIANCE,)


def _squares_around(values: FloatArray, mean: float, noise: float) -> float:
    """Sum of squares around the mean; 0 where the values are equal up to rounding."""
    if float(values.max() - values.min()) <= noise:
        return 0.0
    return float(np.square(values - mean).sum())


def _inverted(
    mean: float,
    around: float,
    within: float,
    df: tuple[int, int],
    bounds: Pair,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Limits of the differences that the test does not reject; NaN if it rejects all."""
    critical = f_quantile(alpha_of(confidence_level), *df)
    bracket = 2 * critical * within - around
    if math.isnan(bracket) or bracket < 0:
        return math.nan, math.nan
    reach = math.sqrt(bracket / N_SPLITS)
    return one_sided(mean - reach, mean + reach, alternative, bounds)


ALPHA = 0.05

FOLD_ORDER = "depends-on-fold-order"


@paired_test(
    "paired_5x2_t",
    title="5×2 CV paired t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("random 5x2",),
    references=("Dietterich1998", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def paired_5x2_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the 5×2 cross-validated paired t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The difference of one half, the first, is taken in standard errors that are
    made of all ten [1]_. Where training varies, equal learners are distinguished more often
    than the level says: it is there to reproduce published results. Split with
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
    flagged "depends-on-fold-order". Choosing among them after seeing them is no test.

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
    values, noise = without_rounding(scores)
    error = math.sqrt(within_repetitions(values, noise) / N_REPEATS)
    wald = wald_of(scores, float(values[0]), error, N_REPEATS)
    parts = _variants(values, error, alternative)
    depends = len({part["pvalue"] < ALPHA for part in parts}) == 2
    return wald_result(
        scores,
        wald,
        alternative,
        (FOLD_ORDER,) * depends,
        means=_first_scores(scores),
        method="Student's t of the first half",
        details={"se": error, "mean": mean_of(values, noise)},
        parts=parts,
    )


@paired_test(
    "combined_5x2_t",
    title="combined 5×2 CV t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("random 5x2",),
    references=("Yildiz2013", "Yang2023"),
    n_repeats=N_REPEATS,
    caution=LIBERAL,
)
def combined_5x2_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the combined 5×2 cross-validated t test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal expected scores. The mean of the ten differences is taken in standard errors as if
    they were independent [1]_, which those of different repetitions are not: they share
    half of their test records, and the type I error is far above the level. It is
    there to reproduce published results; use :func:`combined_5x2_f`.

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
    values, noise = without_rounding(scores)
    error = math.sqrt(within_repetitions(values, noise) / N_REPEATS / len(values))
    return wald_result(
        scores,
        wald_of(scores, mean_of(values, noise), error, N_REPEATS),
        alternative,
        method="Student's t",
        details={"se": error},
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


def _first_scores(scores: ScoreDifferences) -> tuple[float, float]:
    """Scores of both roles on the first half; NaN if unknown."""
    if scores.champion is None or scores.challenger is None:
        return math.nan, math.nan
    return float(scores.champion[0, 0]), float(scores.challenger[0, 0])


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
