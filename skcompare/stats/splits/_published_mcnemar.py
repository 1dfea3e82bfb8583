"""McNemar's tests for block-regularized and K-fold cross-validation."""

import math
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import betainc

from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats.accuracy._limits import score_limits
from skcompare.stats.accuracy._mcnemar import accuracy_result, corrected_statistic
from skcompare.stats.core._power import bcv_mcnemar_sample_size
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import chi2_pvalue, normal_pvalue

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
    equal accuracy [1]_. It speaks of the algorithms, over new training and new test
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
    records in every split are found to differ in up to 12 % of data sets at a level of 5 %,
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
        root**2,
        normal_pvalue(root, alternative),
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
    _check_correlations(rho1, rho2)
    return 2 * n_repeats / (1 + rho1 + 2 * (n_repeats - 1) * rho2)


def _check_correlations(rho1: float, rho2: float) -> None:
    numbers = all(
        isinstance(rho, Real) and not isinstance(rho, bool) for rho in (rho1, rho2)
    )
    if not (numbers and -1 < rho1 <= 1 and 0 <= rho2 <= (1 + rho1) / 2):
        raise ValueError(
            "`rho1` must be in (-1, 1] and `rho2` in [0, (1 + rho1) / 2]. Got "
            f"rho1={rho1!r}, rho2={rho2!r}. The recommended 0.5 and 0.5 are conservative."
        )


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
    flags = []
    if 0 < effective.n_discordant < FEW_DISCORDANT:
        flags.append("few-discordant-pairs")
    n_repeats = _n_repeats(blocks)
    multiplier = effective_multiplier(n_repeats, rho1, rho2) / (1 + ROUNDING)
    if multiplier > effective_multiplier(n_repeats, 0.5, 0.5):
        flags.append("less-conservative-correlation")
    if multiplier > RECORDS_OF_AVERAGES:
        flags.append("more-effective-than-records")
    if _has_outlying_split(blocks):
        flags.append("outlying-split")
    return tuple(flags)


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
        statistic,
        chi2_pvalue(statistic, len(folds)),
        df=len(folds),
        method="sum of corrected chi-squared",
        details={
            "n_folds": float(len(folds)),
            "only_champion": table.only_champion,
            "only_challenger": table.only_challenger,
        },
        parts=_parts(against, favour, terms),
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


def _parts(
    against: list[int], favour: list[int], terms: list[float]
) -> tuple[dict[str, float], ...]:
    """Statistics of the folds, in descending order."""
    order = np.argsort([-term for term in terms], kind="stable").tolist()
    return tuple(
        {
            "fold": k,
            "only_champion": against[k],
            "only_challenger": favour[k],
            "statistic": terms[k],
        }
        for k in order
    )
