"""Tests of score differences of many splits: rules, results, corrected and jackknife t.

Every rule takes the differences of one data set, or of many along leading axes. Single
differences within rounding error are 0 already; `noise` is the largest mean, or range of
values, that is rounding error.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaincinv

from skcompare._core.validation import check_choice
from skcompare._registry.tests import ANY_LOSS, ANY_SCORE, paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import (
    SCORE_FAMILIES,
    BlockDifferences,
    ScoreDifferences,
    mean_defined,
)
from skcompare.stats.core._limits import DIFFERENCE, UNBOUNDED, Pair, Wald
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult, Tested, tested_result
from skcompare.stats.scores._confusion_scores import BY_CLASS, COUNT_SCORES

NOISE = 1e-12
"""Share of the scores that is rounding error."""


class Moments(NamedTuple):
    """Estimated difference with its standard error; arrays over data sets.

    `df` is None for the normal distribution.
    """

    estimate: FloatArray
    error: FloatArray
    df: float | None


def mean_of(values: FloatArray, noise: float = NOISE) -> FloatArray:
    """Mean of the defined values on the last axis; 0 if only rounding error."""
    return weighted_mean(values, np.ones(values.shape[-1]), noise)


def weighted_mean(
    values: FloatArray, weights: FloatArray | IntArray, noise: float = NOISE
) -> FloatArray:
    """Weighted mean of the defined values on the last axis; NaN if there is none."""
    undefined = np.isnan(values)
    total = np.where(undefined, 0, weights).sum(axis=-1)
    mean = np.where(undefined, 0.0, values * weights).sum(axis=-1)
    mean = mean / np.where(total > 0, total, np.nan)
    return np.where(np.abs(mean) <= noise, 0.0, mean)


def variance_of(values: FloatArray, noise: float = NOISE) -> FloatArray:
    """Sample variance on the last axis; 0 where the values are equal up to rounding."""
    is_equal = values.max(axis=-1) - values.min(axis=-1) <= noise
    return np.where(is_equal, 0.0, values.var(axis=-1, ddof=1))


def squared_distances(pairs: FloatArray, noise: float = NOISE) -> FloatArray:
    """Squared distances of pairs on the last axis; 0 where equal up to rounding."""
    distances = pairs[..., 0] - pairs[..., 1]
    return np.square(np.where(np.abs(distances) <= noise, 0.0, distances))


def t_of_splits(values: FloatArray, noise: float = NOISE, ratio: float = 0.0) -> Moments:
    """Mean of J splits with the variance (1 / J + ratio) s²; values of shape (..., J)."""
    n_splits = values.shape[-1]
    variance = (1 / n_splits + ratio) * variance_of(values, noise)
    return Moments(mean_of(values, noise), np.sqrt(variance), n_splits - 1)


def z_of_bisections(rows: FloatArray, noise: float = NOISE) -> Moments:
    """Mean of row 0, with the distances of rows 1 and 2, 3 and 4, ... as its error."""
    means = rows[..., 1:, :].mean(axis=-1)
    pairs = means.reshape(*means.shape[:-1], -1, 2)
    error = np.sqrt(squared_distances(pairs, noise).mean(axis=-1) / 2)
    return moments_of_first_row(rows, error, None, noise)


def moments_of_first_row(
    rows: FloatArray, error: FloatArray, df: float | None, noise: float
) -> Moments:
    # The mean of the defined splits alone is another quantity.
    undefined = np.isnan(rows).any(axis=(-2, -1))
    return Moments(mean_of(rows[..., 0, :], noise), np.where(undefined, np.nan, error), df)


UNDEFINED = "undefined-in-split"

SHARES = frozenset(
    {"accuracy", "average_precision", "balanced_accuracy", "roc_auc", *BY_CLASS}
)
"""Scores between 0 and 1, whose differences are at most 1."""

Scores = BlockDifferences | ScoreDifferences

split_test = partial(paired_test, measures=ANY_SCORE)
"""Register a test of the score differences of splits, of any score."""


def without_rounding(scores: ScoreDifferences) -> tuple[FloatArray, float]:
    """Return the differences of all splits, and the rounding tolerance.

    0.1 + 0.2 differs from 0.3, and such differences are set to 0: those below 1e-12 of the
    scores, or 1e-12 where the scores are unknown and the differences not above 1.
    """
    values = scores.values
    if scores.champion is None or scores.challenger is None:
        size = max(1.0, _largest(values))
    else:
        size = max(_largest(scores.champion), _largest(scores.challenger))
    noise = NOISE * size
    return np.where(np.abs(values) <= noise, 0.0, values), noise


def _largest(values: FloatArray | float) -> float:
    """Largest absolute value, ignoring NaN."""
    return float(np.fmax.reduce(np.abs(values), axis=None))


def wald_of(scores: Scores, estimate: Any, error: Any, df: float | None) -> Wald:
    """Wald test of a difference, with limits within the range of the score."""
    return Wald(float(estimate), float(error), df, range_of(scores))


def means_of(
    scores: ScoreDifferences, mean: Callable[[FloatArray], Any]
) -> tuple[float, float]:
    """Mean scores of champion and challenger, as the estimate has them; NaN if unknown."""
    champion, challenger = (
        math.nan if role is None else float(mean(role))
        for role in (scores.champion, scores.challenger)
    )
    return champion, challenger


def means_of_first_row(scores: ScoreDifferences) -> tuple[float, float]:
    """Mean scores of champion and challenger over the defined splits of the first row."""
    return means_of(scores, lambda role: mean_defined(role[0]))


def range_of(scores: Scores) -> Pair:
    """Range of the score difference; unbounded if unknown."""
    champion, challenger = scores.champion, scores.challenger
    if scores.score not in SHARES or champion is None or challenger is None:
        return UNBOUNDED
    least = min(float(np.fmin.reduce(role, axis=None)) for role in (champion, challenger))
    most = max(_largest(champion), _largest(challenger))
    return DIFFERENCE if 0 <= least and most <= 1 else UNBOUNDED


def wald_result(
    scores: Scores,
    wald: Wald,
    alternative: str,
    flags: tuple[str, ...] = (),
    **options: Any,
) -> PairedResult:
    """Return the result of a Wald test of a score difference."""
    undefined = (UNDEFINED,) if math.isnan(wald.error) else ()
    flags = (*undefined, *flags)
    return score_result(scores, **wald.fields(alternative), flags=flags, **options)


def score_result(
    scores: Scores,
    *,
    tested: Tested,
    flags: tuple[str, ...],
    means: tuple[float, float] | None = None,
    **options: Any,
) -> PairedResult:
    """Return the result of a test of score differences.

    `options` are the other fields of the result. By default the values of both roles are
    their means over the splits.
    """
    roles = means or scores.means
    kind = "difference" if scores.greater_is_better else "gain"
    return tested_result(
        tested,
        roles=None if any(map(math.isnan, roles)) else roles,
        estimate_name=f"{kind} in {scores.score}",
        greater_is_better=scores.greater_is_better,
        flags=(*flags, *scores.flags),
        **options,
    )


USUAL_BISECTIONS, LEAST_ROWS = 10, 3

HARDLY = 0.001
"""Probability of a variance between splits that small, if only records varied."""

CORRECTIONS = {"doubled": 2.0, "published": 1.0}
"""Weight of n2 / n1 in the variance of the mean of splits that share test records."""


def _corrected(test: str, scores: ScoreDifferences, correction: str = "doubled") -> Wald:
    return _of_splits(scores, test, _weight(scores, correction))


def _of_splits(scores: ScoreDifferences, test: str, weight: float = 0.0) -> Wald:
    """Mean of J splits with the variance (1 / J + weight n2 / n1) s²."""
    if scores.values.size < 2:
        raise ValueError(
            f"{test} needs the differences of at least 2 splits. Got "
            f"{scores.values.size}. One split says nothing about how others vary: split "
            "again, or test the one on its records by mcnemar or paired_t."
        )
    values, noise = without_rounding(scores)
    ratio = weight * sizes_ratio(scores, test) if weight else 0.0
    return wald_of(scores, *t_of_splits(values.ravel(), noise, ratio))


def t_result(
    scores: ScoreDifferences, test: str, alternative: str, weight: float = 0.0
) -> PairedResult:
    """Student's t test of the mean of J splits, with the corrected variance or as it is."""
    wald = _of_splits(scores, test, weight)
    values, noise = without_rounding(scores)
    variance = float(variance_of(values.ravel(), noise))
    details = {
        "deviation": math.sqrt(variance),
        "se": wald.error,
        "n_splits": float(values.size),
    }
    flags, method = _alike_flags(scores, variance), "Student's t"
    if weight:
        ratio = sizes_ratio(scores, test)
        factor = 1 / values.size + weight * ratio
        details |= {"test_train_ratio": ratio, "variance_factor": factor}
        flags = (*flags, *scores.flags, "selection-unseen")
        name = next(key for key, value in CORRECTIONS.items() if value == weight)
        method = f"Student's t, {name} correction"
    return wald_result(scores, wald, alternative, flags, method=method, details=details)


def _alike_flags(scores: ScoreDifferences, variance: float) -> tuple[str, ...]:
    """Flag for splits that differ less than chance in the test records explains.

    s² over the variance within the test sets is then about chi-squared over its degrees of
    freedom, or greater where training varies too.
    """
    if scores.variances is None or not variance > 0:
        return ()
    df = scores.values.size - 1
    least = 2 * float(gammaincinv(df / 2, HARDLY)) / df
    # False where a variance within a test set is NaN, that is, unknown.
    return ("splits-too-alike",) * bool(variance < least * np.mean(scores.variances))


def sizes_ratio(scores: ScoreDifferences, test: str) -> float:
    """Mean ratio of test records to training records over all splits."""
    if (scores.n_train == 0).any():
        raise ValueError(
            f"{test} needs to know how many records the classifiers were trained on. Got "
            "n_train=0. Pass n_train to ScoreDifferences; for classifiers that came "
            "trained, test their predictions on one test set."
        )
    return float((scores.n_test / scores.n_train).mean())


def _weight(scores: ScoreDifferences, correction: str) -> float:
    """Weight of n2 / n1 for a correction; 1 for a single K-fold with disjoint test sets."""
    check_choice("correction", correction, tuple(CORRECTIONS))
    values = scores.values
    if scores.design.kind == "kfold" or (values.ndim == 2 and len(values) == 1):
        return CORRECTIONS["published"]
    return CORRECTIONS[correction]


@split_test(
    title="corrected K-fold t test",
    designs=("kfold", "repeated kfold"),
    references=("Bouckaert2004", "Nadeau2003", "Yang2023"),
    sample_size=planned(partial(_corrected, "corrected_repeated_kfold_t")),
)
def corrected_repeated_kfold_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
    correction: str = "doubled",
) -> PairedResult:
    """Compare two learning algorithms by the corrected t test of K-fold cross-validation.

    The null hypothesis is that the two algorithms, trained on (K - 1) n / K records, have
    equal expected scores. It is about the algorithms, over new training and new test
    records. The folds share training records, and repetitions share all of them, so that
    their differences are correlated. Nadeau and Bengio [1]_, here for r times K folds [2]_,
    take their correlation to be n2 / (n1 + n2) = 1 / K, for n1 training and n2 test
    records. That holds the level for one K-fold cross-validation; for several it has to be
    taken twice as large, which is the default.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on the folds of one K-fold cross-validation or of several, of any score,
        with the sizes of training and test sets: of ``StratifiedKFold``,
        ``RepeatedStratifiedKFold`` and their like. A recommended setting is K = 10, 10
        times over [2]_ [3]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    correction : {"doubled", "published"}, default="doubled"
        Term that is added to 1 / J in the variance of the mean of J splits: 2 n2 / n1, or
        the n2 / n1 of the literature, which rejects too often (see Notes).

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, with rK - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the differences, the standard error, the number of splits,
        the ratio of the sizes, and the variance factor.

    Raises
    ------
    ValueError
        If there are fewer than 2 splits, or the size of a training set is unknown.

    See Also
    --------
    corrected_repeated_holdout_t : The same correction for a repeated hold-out.

    Notes
    -----
    With the mean and the sample variance s² (divisor rK - 1) of the rK differences::

        statistic = mean / sqrt((1 / (r K) + c n2 / n1) s²)

    where n2 / n1 is 1 / (K - 1), or its mean over the folds where these differ in size. For
    one K-fold cross-validation c is 1; for several it is 2, or 1 as published.

    The correction is a rule of thumb: no estimate of the variance from one cross-validation
    is unbiased. The published rule counts the records that test sets of different
    repetitions share. A record also takes part in training, and one that is easy to predict
    helps the classifiers that were trained on it, so that the differences are more
    correlated than that. Equal learners were rejected in up to 17 % of data sets by
    10×10 folds and the published correction, and in up to 6 % with the default one (7 % by
    5×5 folds); by one 10-fold cross-validation in up to 6 %
    (``benchmarks/validity/splits/score_resampling.py``). Learners that select a feature or
    a model inside the fit are rejected in up to 12 % by accuracy and 30 % by recall
    (``benchmarks/validity/splits/bcv_catalogue.py``), and nothing in the folds shows it:
    every result is flagged "selection-unseen".

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged "zero-variance".
    Differences of less than 1e-12 of the scores are rounding and taken as 0. If the score
    is undefined on a test set, so are statistic and p, flagged "undefined-in-split"; the
    estimate is then the mean of the other splits. Differences that vary less than the
    variances within the test sets explain, if these are known, are flagged
    "splits-too-alike": with few different predictions p may be far too small.

    References
    ----------
    .. [1] Nadeau, C. and Bengio, Y. (2003). "Inference for the generalization error."
       Machine Learning 52(3), 239-281.
    .. [2] Bouckaert, R. R. and Frank, E. (2004). "Evaluating the replicability of
       significance tests for comparing learning algorithms." Advances in Knowledge
       Discovery and Data Mining (PAKDD), 3-12.
    .. [3] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ScoreDifferences
    >>> from skcompare.stats import corrected_repeated_kfold_t
    >>> scores = ScoreDifferences(
    ...     [0.02, 0.00, 0.04, 0.02, 0.02], n_train=80, n_test=20, design="kfold"
    ... )
    >>> result = corrected_repeated_kfold_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.020, t = 2.108, p = 0.1027
    """
    weight = _weight(scores, correction)
    return t_result(scores, "corrected_repeated_kfold_t", alternative, weight)


@split_test(
    title="corrected repeated hold-out t test",
    designs=("repeated holdout",),
    references=("Nadeau2003", "Yang2023"),
    sample_size=planned(partial(_corrected, "corrected_repeated_holdout_t")),
)
def corrected_repeated_holdout_t(
    scores: ScoreDifferences,
    *,
    alternative: Alternative = "two-sided",
    correction: str = "doubled",
) -> PairedResult:
    """Compare two learning algorithms by the corrected t test of a repeated hold-out.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. It is about the algorithms, over new
    training and new test records. The splits of one data set share records, so that their
    differences are correlated. Nadeau and Bengio [1]_ take their correlation to be n2 / (n1
    + n2), for n1 training and n2 test records; it has to be taken twice as large to hold
    the level, which is the default.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences on J random splits, of any score, with the sizes of training and test
        sets: of ``ShuffleSplit`` or ``StratifiedShuffleSplit``. A recommended setting is J
        = 15 with n1 = 9n/10 [2]_.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    correction : {"doubled", "published"}, default="doubled"
        Term that is added to 1 / J in the variance of the mean of J splits: 2 n2 / n1, or
        the n2 / n1 of the literature, which rejects too often (see Notes).

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger minus champion, in the direction of
        better scores. `statistic` is that over its standard error, with J - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the differences, the standard error, the number of splits,
        the ratio of the sizes, and the variance factor.

    Raises
    ------
    ValueError
        If there are fewer than 2 splits, or the size of a training set is unknown.

    See Also
    --------
    corrected_repeated_kfold_t : The same correction for K-fold cross-validation.

    Notes
    -----
    With the mean and the sample variance s² (divisor J - 1) of the J differences::

        statistic = mean / sqrt((1 / J + c n2 / n1) s²)

    with the mean of n2 / n1 where sizes differ; c is 2, or 1 as published. More splits do
    not make the standard error vanish: it stays above sqrt(c n2 / n1) s.

    The correction is a rule of thumb: the correlation cannot be estimated from one data
    set. The published rule counts the records that test sets share. A record also takes
    part in training, and one that is easy to predict helps the classifiers that were
    trained on it, so that the differences are more correlated than that. Equal learners
    were rejected in up to 13 % of data sets with the published correction and 15
    hold-outs of a tenth, and in up to 7 % with the default one
    (``benchmarks/validity/splits/score_resampling.py``). Learners that select a feature or
    a model inside the fit are rejected more often, and nothing in the splits shows
    it: every result is flagged "selection-unseen".

    Edge cases are those of :func:`corrected_repeated_kfold_t`.

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
    >>> from skcompare.stats import corrected_repeated_holdout_t
    >>> scores = ScoreDifferences(
    ...     [0.02, 0.00, 0.04, 0.02, 0.03, 0.01],
    ...     n_train=90,
    ...     n_test=10,
    ...     design="repeated holdout",
    ... )
    >>> result = corrected_repeated_holdout_t(scores)
    >>> print(f"{result.estimate:.3f}, t = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.020, t = 2.268, p = 0.0726
    """
    weight = _weight(scores, correction)
    return t_result(scores, "corrected_repeated_holdout_t", alternative, weight)


def _of_bisections(scores: ScoreDifferences) -> Wald:
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
    return wald_of(scores, *z_of_bisections(*without_rounding(scores)))


@split_test(
    title="conservative Z test",
    designs=("holdout in halves",),
    references=("Nadeau2003", "Yang2023"),
    sample_size=planned(_of_bisections),
)
def conservative_z(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the conservative Z test.

    The null hypothesis is that the two algorithms, trained on as many records as the
    training sets of the first row have, have equal expected scores. It is about the
    algorithms, over new training and new test records. The mean difference of a repeated
    hold-out is compared with the distance between such means of two halves of the records
    [1]_. The halves share no record, but are half as many, so that their means tend to vary
    more than that of all records: the test is conservative, and needs many trainings.

    Parameters
    ----------
    scores : ScoreDifferences
        Differences of any score, of shape (1 + 2M, J): J hold-outs of all records in the
        first row, and then, for each of M random bisections, J hold-outs of one half and J
        of the other in two rows, as :class:`~skcompare.model_selection.HalvesShuffleSplit`
        makes them. J = 15 and M = 10 with n1 = 9n/10 training records are usual.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is the mean of the first row, challenger minus champion, in the direction
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

    With n records, hold-outs of n2 of them train on n1 = n - n2 in the first row and on n
    // 2 - n2 in the others [1]_. The M distances come from the same records, so that sigma²
    varies more than M would suggest, which the normal distribution ignores. Where only the
    test records vary, equal learners were rejected in 24 % of simulated data sets
    with M = 1, in 8 % with 3, 5 % with 5, and 3 % with 10
    (``benchmarks/validity/splits/bisections.py``); fewer than 10 are flagged
    "few-bisections". Section 5 of [2]_ names the test and leaves it out of the experiments,
    as less powerful and more expensive than the corrected t test.

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
    """
    wald = _of_bisections(scores)
    n_rows, n_splits = scores.values.shape
    n_bisections = (n_rows - 1) // 2
    return wald_result(
        scores,
        wald,
        alternative,
        ("few-bisections",) * (n_bisections < USUAL_BISECTIONS),
        means=means_of_first_row(scores),
        method="normal, halves",
        details={
            "se": wald.error,
            "n_splits": float(n_splits),
            "n_bisections": float(n_bisections),
        },
    )


CUT = 0.8
"""Share of the variance of `P` that is left where `P` is cut at its floor. A variable with
mean 0 keeps a third of it, one far above the floor all. The value between them was chosen
in `benchmarks/validity/splits/bcv_catalogue.py`."""

CHANCE = 1.5
"""Factor of chance in the training. With a factor of 1, equal learners with a random
threshold, such as stumps of many records, are rejected a little too often by recall:
the chance part has few degrees of freedom, and is not a normal variable."""


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
    "neg_root_mean_squared_error",
    "neg_root_mean_squared_log_error",
    "explained_variance",
    "d2_poisson_score",
    "d2_gamma_score",
    *SCORE_FAMILIES,
    "pearson_correlation",
    "spearman_correlation",
    "kendall_tau",
    "concordance_index",
)
"""Scores, besides mean losses, whose influence values are known.

Not the concordance correlation: by it exchangeable regressors of a skewed target were
rejected in .09 to .11 of data sets of 50 and 200 records.
"""


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
    equal expected scores. It is about the algorithms, over new training and new test
    records. The mean difference is divided by a standard error whose square has three
    parts: records as test data, records as training data, and randomness in training. The
    orthogonal array of the blocks distinguishes them, without another fit.

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
    dealt to the blocks, and take the place of records. A score that is not a mean over
    records (AUC, F1, precision, calibration) enters by the influence of each record on it.
    R², RMSE and other scores of errors of numbers are those of all predictions together,
    with the influences on them. Correlations and the concordance index are means over the
    test sets;
    in 400 data sets of 50 or 200 records (Monte-Carlo error .01) exchangeable ridge
    regressions were rejected in .04 to .05 by Spearman's and Kendall's and the
    index, and by Pearson's in .05 of normal targets and .07 to .08 of skewed ones, and
    random trees in .02 at most (``benchmarks/validity/regressors/correlations.py``).

    Where the chance part c B is more than half of v, the result is flagged
    "unstable-training"; a comparison leaves the flag out where neither learner has chance
    in its training. If no record differs, the statistic is 0 and p is 1, flagged
    "degenerate". If all records differ by the same, the statistic is infinite and p
    undefined, flagged "zero-variance". Where a score of counts is undefined on a test set,
    the counts of all of them are pooled, flagged "pooled-over-splits"; for other scores
    statistic and p are undefined, flagged "undefined-in-split".

    The type I error and the power of the rule are measured in
    ``benchmarks/validity/splits/bcv_catalogue.py``, and for regressors in
    ``benchmarks/validity/regressors/resampled.py``.

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
