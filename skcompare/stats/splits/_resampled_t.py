"""Corrected and uncorrected t tests of score differences of many splits."""

import math
from functools import partial

import numpy as np
from scipy.special import gammaincinv

from skcompare._core.validation import check_choice
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ScoreDifferences
from skcompare.stats.core._power import planned
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._wald import Wald
from skcompare.stats.splits._score_result import (
    LIBERAL,
    check_splits,
    mean_of,
    variance_of,
    wald_of,
    wald_result,
    without_rounding,
)

TOO_ALIKE = "splits-too-alike"

SELECTION_UNSEEN = "selection-unseen"

HARDLY = 0.001
"""Probability of a variance between splits that small, if only records varied."""

CORRECTIONS = {"doubled": 2.0, "published": 1.0}
"""Weight of n2 / n1 in the variance of the mean of splits that share test records."""


def resampled(scores: ScoreDifferences, test: str, weight: float = 0.0) -> Wald:
    """Mean of J splits with the variance (1 / J + weight n2 / n1) s²."""
    check_splits(scores, test)
    values, noise = without_rounding(scores)
    factor = 1 / len(values)
    if weight:
        factor += weight * sizes_ratio(scores, test)
    error = math.sqrt(factor * variance_of(values, noise))
    return wald_of(scores, mean_of(values, noise), error, len(values) - 1)


def _corrected(test: str, scores: ScoreDifferences, correction: str = "doubled") -> Wald:
    return resampled(scores, test, _weight(scores, correction))


def corrected_t(
    scores: ScoreDifferences, test: str, alternative: str, correction: str
) -> PairedResult:
    """Student's t test with the corrected variance of the mean of J splits."""
    weight = _weight(scores, correction)
    wald, ratio = _corrected(test, scores, correction), sizes_ratio(scores, test)
    name = next(key for key, value in CORRECTIONS.items() if value == weight)
    return wald_result(
        scores,
        wald,
        alternative,
        (*_alike_flags(scores, wald), *scores.flags, SELECTION_UNSEEN),
        method=f"Student's t, {name} correction",
        details=_details(scores, wald)
        | {
            "test_train_ratio": ratio,
            "variance_factor": 1 / scores.values.size + weight * ratio,
        },
    )


def uncorrected_t(scores: ScoreDifferences, test: str, alternative: str) -> PairedResult:
    """Student's t test of the mean of J splits, treated as independent."""
    wald = resampled(scores, test)
    return wald_result(
        scores,
        wald,
        alternative,
        _alike_flags(scores, wald),
        method="Student's t",
        details=_details(scores, wald),
    )


def _details(scores: ScoreDifferences, wald: Wald) -> dict[str, float]:
    deviation = math.sqrt(variance_of(*without_rounding(scores)))
    n_splits = float(scores.values.size)
    return {"deviation": deviation, "se": wald.error, "n_splits": n_splits}


def _alike_flags(scores: ScoreDifferences, wald: Wald) -> tuple[str, ...]:
    """Flag for splits that differ less than chance in the test records explains.

    s² over the variance within the test sets is then about chi-squared over its degrees of
    freedom, or greater where training varies too.
    """
    if scores.variances is None or not wald.error > 0:
        return ()
    df = scores.values.size - 1
    least = 2 * float(gammaincinv(df / 2, HARDLY)) / df
    variance = variance_of(*without_rounding(scores))
    # False where a variance within a test set is NaN, that is, unknown.
    return (TOO_ALIKE,) * (variance < least * float(np.mean(scores.variances)))


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


@paired_test(
    "corrected_repeated_kfold_t",
    title="corrected K-fold t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
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
    return corrected_t(scores, "corrected_repeated_kfold_t", alternative, correction)


@paired_test(
    "kfold_t",
    title="K-fold t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=("kfold",),
    references=("Dietterich1998", "Yang2023"),
    caution=LIBERAL,
)
def kfold_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the uncorrected t test of one K-fold CV.

    The null hypothesis is that the two algorithms, trained on (K - 1) n / K records, have
    equal expected scores. The differences of the folds are taken as independent [1]_, which
    they are not, because any two training sets share most of their records: its type I
    error can be well above the level. It is there to reproduce published results; use
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

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged "zero-variance".
    Differences of less than 1e-12 of the scores are rounding and taken as 0. If the score
    is undefined on a test set, so are statistic and p, flagged "undefined-in-split"; the
    estimate is then the mean of the other splits. Differences that vary less than the
    variances within the test sets explain, if these are known, are flagged
    "splits-too-alike": with few different predictions p may be far too small.

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
    return uncorrected_t(scores, "kfold_t", alternative)


DESIGNS = ("repeated holdout",)


@paired_test(
    "corrected_repeated_holdout_t",
    title="corrected repeated hold-out t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=DESIGNS,
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
    return corrected_t(scores, "corrected_repeated_holdout_t", alternative, correction)


@paired_test(
    "repeated_holdout_t",
    title="repeated hold-out t test",
    needs=ScoreDifferences,
    measures=ANY_SCORE,
    designs=DESIGNS,
    references=("Dietterich1998", "Nadeau2003", "Yang2023"),
    caution=LIBERAL,
)
def repeated_holdout_t(
    scores: ScoreDifferences, *, alternative: Alternative = "two-sided"
) -> PairedResult:
    """Compare two learning algorithms by the uncorrected t test of a repeated hold-out.

    The null hypothesis is that the two algorithms, trained on as many records as each
    training set has, have equal expected scores. The differences of the splits are taken as
    independent [1]_, which those of one data set are not: its type I error is far above the
    level and rises with the number of splits. It is there to reproduce published results;
    use :func:`corrected_repeated_holdout_t`.

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

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged "zero-variance".
    Differences of less than 1e-12 of the scores are rounding and taken as 0. If the score
    is undefined on a test set, so are statistic and p, flagged "undefined-in-split"; the
    estimate is then the mean of the other splits. Differences that vary less than the
    variances within the test sets explain, if these are known, are flagged
    "splits-too-alike": with few different predictions p may be far too small.

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
    return uncorrected_t(scores, "repeated_holdout_t", alternative)
