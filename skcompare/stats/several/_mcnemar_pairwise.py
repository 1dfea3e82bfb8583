"""McNemar's tests of all pairs of several classifiers, with adjusted p-values."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np

from skcompare._registry.tests import takes_evidence
from skcompare._typing import Alternative, FloatArray, IntArray
from skcompare.evidence import ContingencyTable, CorrectnessPatterns
from skcompare.stats.accuracy._mcnemar import FEW_DISCORDANT, mcnemar, mcnemar_pvalues
from skcompare.stats.core._result import PairedResult
from skcompare.stats.several._cochran_q import cochran_q
from skcompare.stats.several._pairwise import (
    Draws,
    PairTests,
    PairwiseAdjustment,
    normal_draws,
    pairwise,
)
from skcompare.stats.several._pairwise_result import PairwiseResult

Method = Literal["mid-p", "exact", "asymptotic", "corrected"]

MOST_DRAWS = 1 << 24
"""Number of random values (about a second) above which normal ones are drawn instead."""

AT_ONCE = 1 << 20
"""Largest number of values that are held at a time."""

MAX_T_NORMAL = "max-t-normal"


@takes_evidence
def pairwise_mcnemar(
    patterns: CorrectnessPatterns,
    *,
    method: Method = "mid-p",
    adjust: PairwiseAdjustment = "holm",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairwiseResult:
    """Compare the accuracies of all pairs of several classifiers on one test set.

    McNemar's test of every pair, or of each classifier with a control, and p-values
    adjusted for their number. The null hypothesis of a pair is that the two classifiers
    are equally accurate.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Which classifiers are correct on each record of a hold-out set.
    method : {"mid-p", "exact", "asymptotic", "corrected"}, default="mid-p"
        How the p-value of a pair is computed, as for :func:`~skcompare.stats.mcnemar`.
    adjust : {"holm", "hochberg", "bonferroni", "benjamini-hochberg", "max-t", "none"}, \
default="holm"
        How p-values are adjusted, as for :func:`~skcompare.stats.adjust_pvalues`. "max-t"
        is Westfall and Young's step-down adjustment [1]_, which makes use of the dependence
        of pairs that share their records and so mostly rejects more than "holm" of "exact"
        p-values, which it resamples. "holm" of "mid-p" ones, which are smaller, may reject
        more where few records are discordant.
    control : str, optional
        Name of the classifier that each other one is compared with. It is the champion
        of every pair. By default all pairs are compared, and the classifier that is
        named first is the champion.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better. One-sided tests need a control,
        because all pairs have no direction of their own.
    confidence_level : float, default=0.95
        Level at which the intervals of all differences hold together.
    n_resamples : int, default=9999
        Resamples of "max-t".
    random_state : int, RandomState instance or None, default=0
        Seed of "max-t".

    Returns
    -------
    result : PairwiseResult
        One row per pair, with the difference of accuracies, challenger minus champion, and
        its interval. `omnibus` is the asymptotic :func:`~skcompare.stats.cochran_q` of all
        classifiers.

    Raises
    ------
    ValueError
        If a one-sided alternative is requested without a control.

    Notes
    -----
    Two classifiers that are correct on the same records have p = 1. Each interval is the
    one that :func:`~skcompare.stats.mcnemar` gives by the method, at the level 1 - alpha /
    n_pairs; with adjust="none" at the level 1 - alpha. Those of "bonferroni" and "none"
    exclude 0 exactly when the adjusted p is below alpha; with another adjustment 0 may lie
    inside although p is.

    The p-value before "max-t" is that of `method`; "exact" is the one that max-t resamples.
    An adjusted p is never smaller than it. `monte_carlo_error` is the standard error of
    resampled p-values.

    Cochran's Q may reject although no pair does: the text of the result then says so.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.
       Wiley.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats import pairwise_mcnemar
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3},
    ...     names=["A", "B", "C"],
    ... )
    >>> result = pairwise_mcnemar(patterns, method="asymptotic")
    >>> result.pvalue.round(4).tolist()
    [0.0209, 0.0455, 1.0]
    >>> result.adjusted_pvalue.round(4).tolist()
    [0.0628, 0.091, 1.0]
    >>> pairwise_mcnemar(patterns, control="A", adjust="max-t").challenger
    ('B', 'C')
    """
    return pairwise(
        patterns,
        partial(_tests, patterns, method, alternative),
        adjust=adjust,
        control=control,
        alternative=alternative,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def _tests(
    patterns: CorrectnessPatterns,
    method: str,
    alternative: str,
    champion: IntArray,
    challenger: IntArray,
) -> PairTests:
    both = patterns.both_correct[champion, challenger]
    against, favour = (
        patterns.n_correct[position] - both for position in (champion, challenger)
    )
    statistic, pvalue = mcnemar_pvalues(against, favour, method, alternative)
    omnibus = cochran_q(patterns)
    tables = [
        ContingencyTable(*counts, patterns.n - sum(counts), patterns.design)
        for counts in zip(both.tolist(), against.tolist(), favour.tolist(), strict=True)
    ]
    return PairTests(
        test="pairwise_mcnemar",
        title=f"pairwise McNemar ({method})",
        measure="accuracy",
        estimate=(favour - against) / patterns.n,
        statistic=statistic,
        pvalue=pvalue,
        omnibus=omnibus,
        limits=partial(_limits, tables, method, alternative),
        draws=partial(max_t_draws, patterns, champion, challenger),
        details={"only_champion": against, "only_challenger": favour},
        settings={"method": method},
        flags=_flags(omnibus, against + favour, method),
    )


def _limits(
    tables: list[ContingencyTable], method: Any, alternative: Any, level: float
) -> tuple[FloatArray, FloatArray]:
    results = [mcnemar(table, method=method, alternative=alternative) for table in tables]
    low, high = np.array([result.confidence_interval(level) for result in results]).T.copy()
    return low, high


def _flags(omnibus: PairedResult, discordant: IntArray, method: str) -> tuple[str, ...]:
    flags = [flag for flag in omnibus.flags if flag == "invalid-design"]
    few = (discordant > 0) & (discordant < FEW_DISCORDANT)
    if method in ("asymptotic", "corrected") and few.any():
        flags.append("few-discordant-pairs")
    return tuple(flags)


def max_t_draws(
    patterns: CorrectnessPatterns,
    first: IntArray,
    second: IntArray,
    n_resamples: int,
    rng: Any,
) -> Draws:
    """Draw the statistics of pairs by exchanging correct and incorrect.

    Comparisons that share their records are dependent, and Holm's adjustment of exact
    p-values, which allows for any dependence, is mostly more conservative than necessary.
    (Of mid-p ones, which are smaller, it may be less so.) Here each statistic is compared
    with the greatest of all that are not yet rejected [1]_, over resamples in which no
    classifier is better than another: correct and incorrect are exchanged with probability
    1/2 for each record, for all classifiers at once [3]_. For one pair these are the
    exchanges of the exact McNemar test, and between pairs they keep the dependence.

    The family-wise error rate is controlled exactly where each pattern of correct and
    incorrect is as likely as its opposite, which is more than equal accuracies. Otherwise
    it is controlled for many records, whichever classifiers differ: the exchanges give the
    differences of equally accurate classifiers their true covariances whatever the others
    do (subset pivotality [1]_, in the limit), and the greatest of fewer statistics is never
    greater, which step-down procedures need [2]_.

    Parameters
    ----------
    patterns : CorrectnessPatterns
        Which classifiers are correct on each record.
    first, second : ndarray of shape (n_pairs,)
        Positions of champion and challenger of each pair.
    n_resamples : int
        Resamples.
    rng : RandomState
        Source of the draws.

    Returns
    -------
    draws : Draws
        Roots of McNemar's chi-squared without correction. They do not depend on the order
        of the records, nor on that of classifiers with names. Flagged "max-t-normal" where
        patterns are too many: a resample would take nearly one random number per record.
        The statistics of normal differences with the same covariances are drawn then.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.
       Wiley.
    .. [2] Romano, J. P. and Wolf, M. (2005). "Exact and approximate stepdown methods for
       multiple hypothesis testing." Journal of the American Statistical Association
       100(469), 94-108.
    .. [3] Klingenberg, B. and Agresti, A. (2006). "Multivariate extensions of McNemar's
       test." Biometrics 62(3), 921-928.
    """
    discordant = patterns.discordant
    spread = (discordant + discordant.T)[first, second]
    # Without discordant records the statistic is 0, here and in each resample.
    root = np.sqrt(np.maximum(spread, 1))
    batches, flags = _exchanged(patterns, len(first), n_resamples, rng)
    observed = (patterns.n_correct[second] - patterns.n_correct[first]) / root
    scale = root[:, np.newaxis]
    return Draws(
        observed, ((sums[second] - sums[first]) / scale for sums in batches), flags
    )


def _exchanged(
    patterns: CorrectnessPatterns, n_pairs: int, n_resamples: int, rng: Any
) -> tuple[Iterator[FloatArray], tuple[str, ...]]:
    """Draw numbers of correct predictions, up to a constant common to all classifiers.

    Arrays of shape (n_classifiers, some of the resamples), where exchanged records count
    as -1 and others as 1, and flags.
    """
    # By name, so that the order of the classifiers changes no resample.
    by_name = np.argsort(patterns.names)
    marks, counts = _merged_opposites(patterns, by_name)
    normal = len(counts) * n_resamples > MOST_DRAWS
    width = max(n_pairs, 1 if normal else len(counts))
    sizes = _parts(n_resamples, max(1, AT_ONCE // width))

    def draws() -> Iterator[FloatArray]:
        for size in sizes:
            if normal:
                yield normal_draws(patterns.both_correct, patterns.names, size, rng)
                continue
            heads = rng.binomial(counts, 0.5, size=(size, len(counts)))
            sums = np.empty((patterns.n_classifiers, size))
            sums[by_name] = ((2.0 * heads - counts) @ marks).T
            yield sums

    return draws(), (MAX_T_NORMAL,) if normal else ()


def _merged_opposites(
    patterns: CorrectnessPatterns, order: IntArray
) -> tuple[FloatArray, IntArray]:
    """Merge each pattern with its opposite, drop agreement, and count records.

    An exchange turns a pattern into its opposite, so that resamples do not distinguish
    them.
    """
    marks, counts = patterns.distinct()
    marks = marks[:, order]
    marks = marks ^ marks[:, :1]
    merged, position = np.unique(marks, axis=0, return_inverse=True)
    sums = np.zeros(len(merged), dtype=np.int64)
    np.add.at(sums, position.ravel(), counts)
    kept = merged.any(axis=1)
    return merged[kept].astype(float), sums[kept]


def _parts(total: int, most: int) -> list[int]:
    """Batch sizes of at most `most` that sum to the total."""
    return [min(most, total - start) for start in range(0, total, most)]
