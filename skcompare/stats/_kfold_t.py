"""Student's t tests for K-fold cross-validation: the classical and the corrected one."""

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
        "corrected_repeated_kfold_t",
        alpha=alpha,
        power=power,
        alternative=alternative,
        correction=correction,
    )


@paired_test(
    "corrected_repeated_kfold_t",
    title="corrected K-fold t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("kfold", "repeated kfold"),
    references=("Bouckaert2004", "Nadeau2003", "Yang2023"),
    sample_size=_sample_size,
)
def corrected_repeated_kfold_t(
    scores: ScoreDifferences,
    *,
    alternative: str = "two-sided",
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
        What is added to 1 / J in the variance of the mean of J splits: 2 n2 / n1, or the
        n2 / n1 of the literature, which rejects too often (see Notes).

    Returns
    -------
    result : PairedResult
        `estimate` is the mean difference, challenger less champion, in the direction of
        better scores. `statistic` is that over its standard error, with rK - 1 degrees of
        freedom, and the interval is the mean plus and minus quantiles of t. `details` has
        the standard deviation of the differences, the standard error, the number of
        splits, the ratio of the sizes, and the variance factor.

    Raises
    ------
    ValueError
        If there are fewer than 2 splits, or the size of a training set is not known.

    See Also
    --------
    corrected_repeated_holdout_t : The same correction for a repeated hold-out.

    Notes
    -----
    With the mean and the sample variance s² (divisor rK - 1) of the rK differences::

        statistic = mean / sqrt((1 / (r K) + c n2 / n1) s²)

    where n2 / n1 is 1 / (K - 1), and its mean over the folds where these differ in size.
    For one K-fold cross-validation c is 1; for several it is 2, or 1 as published.

    The correction is a rule of thumb: no estimate of the variance from one
    cross-validation is unbiased. The published rule counts the records that test sets of
    different repetitions share. A record also takes part in training, and one that is easy
    to predict helps the classifiers that were trained on it, so that the differences go
    together more than that. Equal learners were told apart in up to 17 % of data sets by
    10×10 folds and the published correction, and in up to 6 % with the default one (7 % by
    5×5 folds); by one 10-fold cross-validation in up to 6 %
    (``benchmarks/validity/score_resampling.py``). Learners that select a feature or a
    model inside the fit are told apart in up to 12 % by accuracy and 30 % by recall
    (``benchmarks/validity/bcv_catalogue.py``), and nothing in the folds shows it: every
    result is flagged "selection-unseen".

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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    return corrected_t(scores, "corrected_repeated_kfold_t", alternative, correction)


@paired_test(
    "kfold_t",
    title="K-fold t test",
    needs=ScoreDifferences,
    kind="difference",
    measures=ANY_SCORE,
    designs=("kfold",),
    references=("Dietterich1998", "Yang2023"),
    caution=LIBERAL,
)
def kfold_t(scores: ScoreDifferences, *, alternative: str = "two-sided") -> PairedResult:
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
        `estimate` is the mean difference, challenger less champion, in the direction of
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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    return resampled_t(scores, "kfold_t", alternative)
