"""Student's t tests for repeated hold-outs: the classical and the corrected one."""

from skcompare._core.validation import check_alternative
from skcompare._registry.tests import ANY_SCORE, paired_test
from skcompare.evidence import ScoreDifferences
from skcompare.stats._resampled_t import (
    corrected_t,
    resampled_sample_size,
    resampled_t,
)
from skcompare.stats._result import PairedResult
from skcompare.stats._score_result import LIBERAL

DESIGNS = ("repeated holdout",)


def _sample_size(
    scores: ScoreDifferences,
    *,
    alpha: float,
    power: float,
    alternative: str,
    correction: str = "doubled",
) -> float:
    return resampled_sample_size(
        scores,
        "corrected_repeated_holdout_t",
        alpha=alpha,
        power=power,
        alternative=alternative,
        correction=correction,
    )


@paired_test(
    "corrected_repeated_holdout_t",
    title="corrected repeated hold-out t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=DESIGNS,
    references=("Nadeau2003", "Yang2023"),
    sample_size=_sample_size,
)
def corrected_repeated_holdout_t(
    scores: ScoreDifferences,
    *,
    alternative: str = "two-sided",
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
        What is added to 1 / J in the variance of the mean of J splits: 2 n2 / n1, or the
        n2 / n1 of the literature, which rejects too often (see Notes).

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger less champion, in the direction of
        better scores. `statistic` is that over its standard error, with J - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the differences, the standard error, the number of
        splits, the ratio of the sizes, and the variance factor.

    Raises
    ------
    ValueError
        If there are fewer than 2 splits, or the size of a training set is not known.

    See Also
    --------
    corrected_repeated_kfold_t : The same correction for K-fold cross-validation.

    Notes
    -----
    With the mean and the sample variance s² (divisor J - 1) of the J differences::

        statistic = mean / sqrt((1 / J + c n2 / n1) s²)

    with the mean of n2 / n1 where sizes differ; c is 2, or 1 as published. More splits do
    not make the standard error vanish: it stays above sqrt(c n2 / n1) s.

    The correction is a rule of thumb: what the correlation is, nobody can find out from one
    data set. The published rule counts the records that test sets share. A record also
    takes part in training, and one that is easy to predict helps the classifiers that were
    trained on it, so that the differences go together more than that. Equal learners were
    told apart in up to 13 % of data sets with the published correction and 15 hold-outs of
    a tenth, and in up to 7 % with the default one
    (``benchmarks/validity/score_resampling.py``). Learners that select a feature or a
    model inside the fit are told apart more often, and nothing in the splits shows it:
    every result is flagged "selection-unseen".

    If all differences are 0, the statistic is 0 and p is 1, flagged "degenerate". If all
    are equal but not 0, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.
    Differences that vary less than the variances within the test sets explain, if these are
    known, are flagged "splits-too-alike": with few different answers p may be far too
    small.

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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    return corrected_t(scores, "corrected_repeated_holdout_t", alternative, correction)


@paired_test(
    "repeated_holdout_t",
    title="repeated hold-out t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=DESIGNS,
    references=("Dietterich1998", "Nadeau2003", "Yang2023"),
    caution=LIBERAL,
)
def repeated_holdout_t(
    scores: ScoreDifferences, *, alternative: str = "two-sided"
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
        `estimate` is the mean difference, challenger less champion, in the direction of
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
    are equal but not 0, the statistic is infinite and p undefined, flagged
    "zero-variance". Differences of less than 1e-12 of the scores are rounding and taken as
    0. If the score is undefined on a test set, so are statistic and p, flagged
    "undefined-in-split"; the estimate is then the mean of the other splits.
    Differences that vary less than the variances within the test sets explain, if these are
    known, are flagged "splits-too-alike": with few different answers p may be far too
    small.

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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    return resampled_t(scores, "repeated_holdout_t", alternative)
