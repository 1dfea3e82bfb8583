"""McNemar's test for M × 2 block-regularized cross-validation."""

import math
from functools import partial
from numbers import Real

import numpy as np
from scipy.special import betainc

from skcompare._flags import register_flag
from skcompare._registry import paired_test
from skcompare._validation import check_alternative, check_choice
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats._difference_limits import one_sided, quantile, score_limits
from skcompare.stats._mcnemar import accuracy_result
from skcompare.stats._result import PairedResult
from skcompare.stats._sample_size import bcv_mcnemar_sample_size
from skcompare.stats._tails import normal_pvalue

__all__ = ["bcv_mcnemar"]

FEW_DISCORDANT = 10
OUTLYING = 4.0
ROUNDING = 1e-9
RECORDS_OF_AVERAGES = 2
"""The averaged table has half of the records, so that twice the table has them all."""

VARIANCES = ("guarded", "published")
BETWEEN = 2.5
"""Weight of s² / 2M, the variance that the mean of independent splits has. A larger one
would act where training is steady too, and a smaller one is too small for normal quantiles
far out in the tail, because s² has 2M - 1 degrees of freedom."""

UNSTABLE = register_flag(
    "unstable-training",
    "the splits differ by more than their test records explain, so the variance between "
    "them is used; where chance in the training is the cause, make it steadier: scale the "
    "features, train until it converges, or average several trainings",
)


def _sample_size(
    blocks: PairedBlocks,
    *,
    alpha: float,
    power: float,
    alternative: str,
    rho1: float = 0.5,
    rho2: float = 0.5,
    variance: str = "guarded",
) -> float:
    table = blocks.average
    if variance == "guarded" and _least_variance(blocks):
        # Chance in the training does not go away with more records.
        return math.nan
    needed = bcv_mcnemar_sample_size(
        table.difference,
        table.n_discordant / table.n,
        alpha=alpha,
        power=power,
        alternative=alternative,
        rho1=rho1,
        rho2=rho2,
        n_repeats=_n_repeats(blocks),
    )
    # These records did not settle it, so the answer is never that they are enough.
    return max(needed, math.floor(blocks.n_records) + 1.0)


@paired_test(
    "bcv_mcnemar",
    title="M×2 BCV McNemar's test",
    needs=PairedBlocks,
    kind="difference",
    measures="accuracy",
    designs=("bcv",),
    references=("Yang2023",),
    sample_size=_sample_size,
)
def bcv_mcnemar(
    blocks: PairedBlocks,
    *,
    alternative: str = "two-sided",
    rho1: float = 0.5,
    rho2: float = 0.5,
    variance: str = "guarded",
) -> PairedResult:
    """Compare two learning algorithms by the 5×2 BCV McNemar test.

    The null hypothesis is that the two algorithms, trained on half as many records, have
    equal accuracy [1]_. It speaks of the algorithms, over new training and new test
    records. The tables of all splits are averaged, and the average is scaled to an
    effective table of as many independent records as all splits are worth: of n records,
    10n/11 by default, where the splits together count 5n answers. McNemar's corrected
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
    variance : {"guarded", "published"}, default="guarded"
        "published" is the variance of the effective table, as in [1]_: records are all
        that varies. "guarded" takes that between the splits where it is larger by much.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion) over all splits, and the
        interval inverts the corrected statistic. `details` holds the effective
        discordant counts, the effective number of records, the standard deviation of the
        difference between the splits, and the posterior probability that the challenger
        is better (Beta(1, 1) prior on the discordant share), which takes records to be
        all that varies.

    Raises
    ------
    ValueError
        If the tables do not come in halves, or rho1 and rho2 are outside the bound.

    Notes
    -----
    With averaged counts b (only the champion right) and c (only the challenger) over the
    2M splits, the multiplier is t = 2M / (1 + rho1 + 2 (M - 1) rho2), 20/11 by default
    for M = 5, and the test compares::

        statistic = max(0, |t c - t b| - 1)² / (t c + t b)

    with chi-squared. Theorem 3 has t for M = 5 only, and the error rate was measured for
    M = 5; other M are an extension made here. Equation 15 of [1]_ lacks the maximum:
    without it a difference below one effective record would raise the statistic as it
    shrinks. Without discordant pairs the statistic is 0 and p is 1, flagged "degenerate".
    Fewer than 10 effective discordant pairs are flagged "few-discordant-pairs", because
    the counts are fractional and no exact test exists. rho1 and rho2 that leave more
    effective records than the default are flagged "less-conservative-correlation", and
    "more-effective-than-records" too where there are more of them than records: with rho1
    = rho2 = 0 the type I error on the epsilon data is .35 instead of .05. A split whose
    difference is more than four standard deviations of its test set from the mean is
    flagged "outlying-split".

    The published test counts records, and has no room for chance in the training: two
    copies of an unscaled stochastic gradient descent, with seeds of their own, differ
    "significantly" in a third of draws, and more records make it worse. So by default the
    variance of the difference is at least 2.5 s² / 2M, of the sample variance s² of the 2M
    differences. In the units of the statistic its denominator is then::

        max(t c + t b, (t n)² 2.5 s² / 2M)

    with n records in an averaged half. Where that decides, the result is flagged
    "unstable-training". For steady learners it seldom decides, and then changes little
    (measured in ``benchmarks/validity/several_algorithms.py``).

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

    .. versionadded:: 0.1
    """
    check_alternative(alternative)
    check_choice("variance", variance, VARIANCES)
    effective = blocks.effective(effective_multiplier(_n_repeats(blocks), rho1, rho2))
    against, favour = effective.only_champion, effective.only_challenger
    between = _variance_between(blocks)
    least = _least_variance(blocks) if variance == "guarded" else 0.0
    root = _corrected_root(effective, least)
    return accuracy_result(
        effective,
        root**2,
        normal_pvalue(root, alternative),
        df=1,
        alternative=alternative,
        method=f"rho1={rho1:g}, rho2={rho2:g}"
        + (", published variance" if variance == "published" else ""),
        n=blocks.n_records,
        limits=partial(_limits, effective, least),
        flags=_flags(blocks, effective, rho1, rho2) + (UNSTABLE,) * bool(least),
        details={
            "only_champion": blocks.average.only_champion,
            "only_challenger": blocks.average.only_challenger,
            "effective_only_champion": against,
            "effective_only_challenger": favour,
            "effective_n": effective.n,
            "between": math.sqrt(between),
            "probability_challenger_better": float(betainc(against + 1, favour + 1, 0.5)),
        },
    )


def _corrected_root(effective: ContingencyTable, least: float) -> float:
    """The signed root of the statistic; `least` is the least variance of the difference."""
    against, favour = effective.only_champion, effective.only_challenger
    denominator = max(against + favour, least * effective.n**2)
    distance = max(0.0, abs(favour - against) - 1.0)
    if not distance:
        return 0.0
    return math.copysign(distance / math.sqrt(denominator), favour - against)


def _limits(
    effective: ContingencyTable, least: float, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Differences that are not rejected: by either of the two variances."""
    counts = effective.only_champion, effective.only_challenger, effective.n
    low, high = score_limits(*counts, 1.0, confidence_level, alternative)
    if not least:
        return low, high
    z = quantile(confidence_level, alternative)
    reach = math.copysign(abs(z) * math.sqrt(least) + 1.0 / effective.n, z)
    ends = np.clip([effective.difference - reach, effective.difference + reach], -1, 1)
    # The larger variance has the smaller root, which is farther out unless z is negative.
    widest = (min, max) if z >= 0 else (max, min)
    low, high = widest[0](low, float(ends[0])), widest[1](high, float(ends[1]))
    return one_sided(low, high, alternative)


def _variance_between(blocks: PairedBlocks) -> float:
    """Sample variance of the differences of all splits."""
    tables = blocks.tables.reshape(-1, 4)
    differences = (tables[:, 2] - tables[:, 1]) / tables.sum(axis=1)
    return float(np.var(differences, ddof=1))


def _least_variance(blocks: PairedBlocks) -> float:
    """What the mean difference varies at least, as the splits show; 0 if that is less.

    Less than records alone explain with the recommended correlations, also where others
    were asked for: these say how records go together, and nothing of training.
    """
    n_repeats = _n_repeats(blocks)
    effective = blocks.effective(effective_multiplier(n_repeats, 0.5, 0.5))
    least = BETWEEN * _variance_between(blocks) / (2 * n_repeats)
    explained = effective.n_discordant / effective.n**2
    return least if least > explained * (1 + ROUNDING) else 0.0


def effective_multiplier(n_repeats: int, rho1: float, rho2: float) -> float:
    """How many averaged tables the effective table is worth (Theorem 3 of the source)."""
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
    if effective.n_discordant == 0:
        flags += ["degenerate", "no-discordant-pairs"]
    elif effective.n_discordant < FEW_DISCORDANT:
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
    tables = blocks.tables.reshape(-1, 4)
    n = tables.sum(axis=1)
    differences = (tables[:, 2] - tables[:, 1]) / n
    average = blocks.average
    variance = average.n_discordant / average.n - average.difference**2
    distances = np.abs(differences - average.difference)
    return bool((distances > OUTLYING * np.sqrt(variance / n) + ROUNDING).any())
