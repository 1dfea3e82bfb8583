"""Corrected t tests of score differences of many splits, and the conservative Z test."""

import math
from functools import partial

import numpy as np
from scipy.special import gammaincinv

from skcompare._core.validation import check_choice
from skcompare._typing import Alternative
from skcompare.evidence import ScoreDifferences, mean_defined
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.splits._rules import t_of_splits, variance_of, z_of_bisections
from skcompare.stats.splits._score_result import (
    check_splits,
    means_of,
    split_test,
    wald_of,
    wald_result,
    without_rounding,
)

TOO_ALIKE = "splits-too-alike"
SELECTION_UNSEEN = "selection-unseen"
FEW_BISECTIONS = "few-bisections"

USUAL_BISECTIONS, LEAST_ROWS = 10, 3

HARDLY = 0.001
"""Probability of a variance between splits that small, if only records varied."""

CORRECTIONS = {"doubled": 2.0, "published": 1.0}
"""Weight of n2 / n1 in the variance of the mean of splits that share test records."""


def _corrected(test: str, scores: ScoreDifferences, correction: str = "doubled") -> Wald:
    return _of_splits(scores, test, _weight(scores, correction))


def _of_splits(scores: ScoreDifferences, test: str, weight: float = 0.0) -> Wald:
    """Mean of J splits with the variance (1 / J + weight n2 / n1) s²."""
    check_splits(scores, test)
    values, noise = without_rounding(scores)
    ratio = weight * sizes_ratio(scores, test) if weight else 0.0
    return wald_of(scores, *t_of_splits(values.ravel(), noise, ratio))


def t_result(
    scores: ScoreDifferences, test: str, alternative: str, weight: float = 0.0
) -> PairedResult:
    """Student's t test of the mean of J splits, with the corrected variance or as it is."""
    wald = _of_splits(scores, test, weight)
    values, noise = without_rounding(scores)
    details = {
        "deviation": math.sqrt(variance_of(values.ravel(), noise)),
        "se": wald.error,
        "n_splits": float(values.size),
    }
    flags, method = _alike_flags(scores, wald), "Student's t"
    if weight:
        ratio = sizes_ratio(scores, test)
        factor = 1 / values.size + weight * ratio
        details |= {"test_train_ratio": ratio, "variance_factor": factor}
        flags = (*flags, *scores.flags, SELECTION_UNSEEN)
        name = next(key for key, value in CORRECTIONS.items() if value == weight)
        method = f"Student's t, {name} correction"
    return wald_result(scores, wald, alternative, flags, method=method, details=details)


def _alike_flags(scores: ScoreDifferences, wald: Wald) -> tuple[str, ...]:
    """Flag for splits that differ less than chance in the test records explains.

    s² over the variance within the test sets is then about chi-squared over its degrees of
    freedom, or greater where training varies too.
    """
    if scores.variances is None or not wald.error > 0:
        return ()
    df = scores.values.size - 1
    least = 2 * float(gammaincinv(df / 2, HARDLY)) / df
    values, noise = without_rounding(scores)
    # False where a variance within a test set is NaN, that is, unknown.
    is_less = variance_of(values.ravel(), noise) < least * np.mean(scores.variances)
    return (TOO_ALIKE,) * bool(is_less)


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
    "corrected_repeated_kfold_t",
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
    equal expected scores. It speaks of the algorithms, over new training and new test
    records. The folds share training records, and repetitions share all of them, so that
    their differences go together. Nadeau and Bengio [1]_, here for r times K folds [2]_,
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
    correlated than that. Equal learners were found to differ in up to 17 % of data sets by
    10×10 folds and the published correction, and in up to 6 % with the default one (7 % by
    5×5 folds); by one 10-fold cross-validation in up to 6 %
    (``benchmarks/validity/splits/score_resampling.py``). Learners that select a feature or
    a model inside the fit are found to differ in up to 12 % by accuracy and 30 % by recall
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
    "corrected_repeated_holdout_t",
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
    training set has, have equal expected scores. It speaks of the algorithms, over new
    training and new test records. The splits of one data set share records, so that their
    differences go together. Nadeau and Bengio [1]_ take their correlation to be
    n2 / (n1 + n2), for n1 training and n2 test records; it has to be taken twice as large
    to hold the level, which is the default.

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
    were found to differ in up to 13 % of data sets with the published correction and 15
    hold-outs of a tenth, and in up to 7 % with the default one
    (``benchmarks/validity/splits/score_resampling.py``). Learners that select a feature or
    a model inside the fit are found to differ more often, and nothing in the splits shows
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
    _check_rows(scores)
    return wald_of(scores, *z_of_bisections(*without_rounding(scores)))


@split_test(
    "conservative_z",
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
    test records vary, equal learners were found to differ in 24 % of simulated data sets
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
        (FEW_BISECTIONS,) * (n_bisections < USUAL_BISECTIONS),
        means=means_of(scores, lambda role: mean_defined(role[0])),
        method="normal, halves",
        details={
            "se": wald.error,
            "n_splits": float(n_splits),
            "n_bisections": float(n_bisections),
        },
    )


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
