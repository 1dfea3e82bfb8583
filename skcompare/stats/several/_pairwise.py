"""McNemar's tests of all pairs of several classifiers, with adjusted p-values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from skcompare._core.design import Design
from skcompare._core.validation import (
    check_alternative,
    check_choice,
    check_confidence_level,
    check_count,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ContingencyTable, CorrectnessPatterns
from skcompare.stats.accuracy._mcnemar import FEW_DISCORDANT, mcnemar
from skcompare.stats.accuracy._mcnemar_methods import mcnemar_pvalues
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._power import METHODS
from skcompare.stats.core._result import PairedResult
from skcompare.stats.several._cochran_q import cochran_q
from skcompare.stats.several._pairwise_rows import (
    PAIRWISE_ADJUSTMENTS,
    SETTINGS,
    PairwiseRows,
    pairs_of,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairwiseResult(PairwiseRows):
    """McNemar's tests of several pairs of classifiers, with adjusted p-values.

    Attributes
    ----------
    champion, challenger : tuple of str
        Names of the two classifiers of each pair.
    both_correct, only_champion, only_challenger : ndarray of shape (n_pairs,)
        Numbers of records that both predict correctly, or only one of them.
    difference : ndarray of shape (n_pairs,)
        Accuracy of the challenger minus that of the champion.
    statistic, pvalue, adjusted_pvalue : ndarray of shape (n_pairs,)
        As of :func:`~skcompare.stats.mcnemar`, and the p-values adjusted for the number of
        pairs.
    n : int
        Number of records.
    method, adjust, alternative : str
        Options of the call.
    control : str or None
        The classifier that the others are compared with.
    confidence_level : float
        Level of the intervals together.
    omnibus : PairedResult
        Cochran's Q of all classifiers.
    flags : tuple of str
        Codes of caveats; `caveats` has their text.
    monte_carlo_error : ndarray of shape (n_pairs,) or None
        Standard errors of adjusted p-values that are drawn, as by "max-t". One-sided they
        are smaller, because each resample counts with its opposite.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "difference",
        "only_champion",
        "only_challenger",
        "statistic",
        "pvalue",
        "adjusted_pvalue",
        "low",
        "high",
    )
    settings: ClassVar[tuple[str, ...]] = ("method", *SETTINGS)

    champion: tuple[str, ...]
    challenger: tuple[str, ...]
    both_correct: IntArray
    only_champion: IntArray
    only_challenger: IntArray
    statistic: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    n: int
    method: str
    adjust: str
    alternative: str
    control: str | None
    confidence_level: float
    omnibus: PairedResult
    design: Design
    flags: tuple[str, ...] = ()
    monte_carlo_error: FloatArray | None = None
    # Intervals take longer than all tests together, so they are computed on request.
    _limits: FloatArray | None = field(default=None, init=False)

    def __repr__(self) -> str:
        return (
            f"PairwiseResult({len(self)} pairs, method={self.method!r}, "
            f"adjust={self.adjust!r}, control={self.control!r}, n={self.n})"
        )

    @property
    def difference(self) -> FloatArray:
        """Accuracy of the challenger minus that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n

    @property
    def low(self) -> FloatArray:
        """Lower limits of the differences, at `interval_level`."""
        return self._both_limits()[0]

    @property
    def high(self) -> FloatArray:
        """Upper limits of the differences, at `interval_level`."""
        return self._both_limits()[1]

    @property
    def results(self) -> tuple[PairedResult, ...]:
        """Unadjusted results of the tests of all pairs, with intervals at any level."""
        options: dict[str, Any] = {"method": self.method, "alternative": self.alternative}
        return tuple(mcnemar(table, **options) for table in self._tables())

    def __str__(self) -> str:
        return self._text(f"pairwise McNemar ({self.method})", list(self._contradiction()))

    def _contradiction(self) -> Iterator[str]:
        """Yield a remark if the omnibus test rejects but no pair does."""
        alpha = 1 - self.confidence_level
        if self.omnibus.pvalue < alpha and not (self.adjusted_pvalue < alpha).any():
            yield (
                f"{self.omnibus.test} rejects equal accuracies at {alpha:.3g}, but no pair "
                "differs after the adjustment: some classifiers differ, and these records "
                "do not show which."
            )

    def _tables(self) -> Iterator[ContingencyTable]:
        counts = (self.both_correct, self.only_champion, self.only_challenger)
        for both, champion, challenger in zip(
            *(count.tolist() for count in counts), strict=True
        ):
            neither = self.n - both - champion - challenger
            yield ContingencyTable(both, champion, challenger, neither, self.design)

    def _both_limits(self) -> FloatArray:
        if self._limits is None:
            level = self.interval_level
            pairs = [result.confidence_interval(level) for result in self.results]
            limits = np.array(pairs).T
            limits.setflags(write=False)
            object.__setattr__(self, "_limits", limits)
        return self._limits  # type: ignore[return-value]


MOST_DRAWS = 1 << 24
"""Number of random values (about a second) above which normal ones are drawn instead."""

AT_ONCE = 1 << 20
"""Largest number of values that are held at a time."""

SLACK = 1e-12
"""Tolerance of equal statistics, relative for those above 1."""

MAX_T_NORMAL = "max-t-normal"


def max_t_pvalues(
    patterns: CorrectnessPatterns,
    first: IntArray,
    second: IntArray,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Adjust p-values of pairs of classifiers by Westfall and Young's step-down max-T.

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
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.
    n_resamples : int, default=9999
        Resamples.
    random_state : int, RandomState instance or None, default=0
        Seed.

    Returns
    -------
    adjusted : ndarray of shape (n_pairs,)
        (1 + resamples whose greatest statistic is as extreme) / (1 + resamples), no
        smaller for a pair with a smaller statistic. The statistic is the root of
        McNemar's chi-squared without correction.
    flags : tuple of str
        "max-t-normal" where patterns are too many: a resample would take nearly
        one random number per record. The greatest statistic of normal differences with the
        same covariances is drawn then.

    Notes
    -----
    One-sided, each resample counts with its opposite, so that exchanged roles give
    exactly the opposite. The resamples do not depend on the order of the records, nor on
    that of classifiers with names.

    References
    ----------
    .. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing.
       Wiley.
    .. [2] Romano, J. P. and Wolf, M. (2005). "Exact and approximate stepdown methods for
       multiple hypothesis testing." Journal of the American Statistical Association
       100(469), 94-108.
    .. [3] Klingenberg, B. and Agresti, A. (2006). "Multivariate extensions of McNemar's
       test." Biometrics 62(3), 921-928.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> from skcompare.stats.several._pairwise import max_t_pvalues
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}
    ... )
    >>> adjusted, _ = max_t_pvalues(patterns, np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> adjusted.round(2).tolist()
    [0.08, 0.1, 1.0]
    """
    rng = check_random_state(random_state)
    discordant = patterns.discordant
    spread = (discordant + discordant.T)[first, second]
    # Without discordant records the statistic is 0, here and in each resample.
    root = np.sqrt(np.maximum(spread, 1))[:, np.newaxis]
    correct = patterns.n_correct[:, np.newaxis]
    sign = -1.0 if alternative == "less" else 1.0
    two_sided = alternative == "two-sided"

    def statistics(counts: FloatArray | IntArray) -> FloatArray:
        values = sign * (counts[second] - counts[first]) / root
        return np.abs(values) if two_sided else values

    observed = statistics(correct)
    order = np.argsort(-observed[:, 0], kind="stable")
    bars = (observed - SLACK * np.maximum(1, np.abs(observed)))[order]
    draws, flags = _exchanged(patterns, len(first), n_resamples, rng)
    extreme = np.ones(len(order))
    if not two_sided:
        extreme += _at_least(-observed[order], bars)
    for counts in draws:
        drawn = statistics(counts)[order]
        extreme += _at_least(drawn, bars)
        if not two_sided:
            extreme += _at_least(-drawn, bars)
    adjusted = np.empty(len(order))
    n_signs = 1 if two_sided else 2
    adjusted[order] = np.maximum.accumulate(extreme / (n_signs * (n_resamples + 1)))
    return adjusted, flags


def _at_least(drawn: FloatArray, bars: FloatArray) -> IntArray:
    """Count draws in which the running maximum of each statistic reaches its threshold."""
    greatest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(greatest >= bars, axis=1)


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
        root = _root(patterns.both_correct[np.ix_(by_name, by_name)]) if normal else None
        for size in sizes:
            if root is None:
                heads = rng.binomial(counts, 0.5, size=(size, len(counts)))
                drawn = (2.0 * heads - counts) @ marks
            else:
                drawn = rng.standard_normal((size, len(root))) @ root
            sums = np.empty((patterns.n_classifiers, size))
            sums[by_name] = drawn.T
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


def _root(covariance: IntArray) -> FloatArray:
    """Symmetric square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(covariance.astype(float))
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def _parts(total: int, most: int) -> list[int]:
    """Batch sizes of at most `most` that sum to the total."""
    return [min(most, total - start) for start in range(0, total, most)]


def pairwise_mcnemar(
    patterns: CorrectnessPatterns,
    *,
    method: str = "mid-p",
    adjust: str = "holm",
    control: str | None = None,
    alternative: str = "two-sided",
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
    if not isinstance(patterns, CorrectnessPatterns):
        raise TypeError(
            "pairwise_mcnemar needs CorrectnessPatterns. Got "
            f"{type(patterns).__name__}. Make them by "
            "CorrectnessPatterns.from_predictions(y_true, *predictions)."
        )
    check_choice("method", method, METHODS)
    check_choice("adjust", adjust, PAIRWISE_ADJUSTMENTS)
    check_alternative(alternative)
    confidence_level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    names = np.array(patterns.names, dtype=object)
    champion, challenger = pairs_of(patterns.names, control, alternative)
    both = patterns.both_correct[champion, challenger]
    against, favour = (
        patterns.n_correct[position] - both for position in (champion, challenger)
    )
    statistic, pvalue = mcnemar_pvalues(against, favour, method, alternative)
    omnibus = cochran_q(patterns)
    flags = _flags(omnibus, against + favour, method)
    error = None
    if adjust == "max-t":
        adjusted, max_t_flags = max_t_pvalues(
            patterns,
            champion,
            challenger,
            alternative=alternative,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        error = np.sqrt(adjusted * (1 - adjusted) / (1 + n_resamples))
        adjusted, flags = np.maximum(adjusted, pvalue), (*flags, *max_t_flags)
    else:
        adjusted = adjust_pvalues(pvalue, adjust)  # type: ignore[arg-type]
    return PairwiseResult(
        champion=tuple(names[champion]),
        challenger=tuple(names[challenger]),
        both_correct=both,
        only_champion=against,
        only_challenger=favour,
        statistic=statistic,
        pvalue=pvalue,
        adjusted_pvalue=adjusted,
        n=patterns.n,
        method=method,
        adjust=adjust,
        alternative=alternative,
        control=control,
        confidence_level=confidence_level,
        omnibus=omnibus,
        design=patterns.design,
        flags=flags,
        monte_carlo_error=error,
    )


def _flags(omnibus: PairedResult, discordant: IntArray, method: str) -> tuple[str, ...]:
    flags = [flag for flag in omnibus.flags if flag == "invalid-design"]
    few = (discordant > 0) & (discordant < FEW_DISCORDANT)
    if method in ("asymptotic", "corrected") and few.any():
        flags.append("few-discordant-pairs")
    return tuple(flags)
