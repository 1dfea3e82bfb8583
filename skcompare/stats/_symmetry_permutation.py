"""Permutation tests of symmetry: what if champion and challenger were exchangeable?"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from skcompare._core.validation import check_choice, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats._bowker import asymmetry
from skcompare.stats._marginal_homogeneity import rate_frame
from skcompare.stats._result import PairedResult
from skcompare.stats._symmetry_null import (
    LabelPairs,
    folded_binomial,
    label_pairs,
    log_tail_of_bowker,
    log_tail_of_rates,
    log_tail_of_total,
    slack_below,
)
from skcompare.stats._tails import SMALLEST

METHODS = ("auto", "exact", "monte-carlo")

VALUES_AT_ONCE = 1 << 20
"""Random numbers that are held at a time."""


@paired_test(
    "symmetry_permutation",
    title="Permutation test of symmetry",
    needs=AgreementMatrix,
    kind="omnibus",
    measures="label symmetry",
    designs=("holdout",),
    references=("Bowker1948", "Phipson2010", "Keich2005"),
)
def symmetry_permutation(
    matrix: AgreementMatrix,
    *,
    statistic: str = "total-asymmetry",
    method: str = "auto",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Could the labels of champion and challenger be exchanged on every record?

    The null hypothesis is symmetry, as in Bowker's test [1]_: exchanging the two labels of
    any record gives answers that are as likely. Records with equal labels do not change
    by it, and of the t records with two given classes, Binomial(t, 1/2) are one way round,
    so that records need not be shuffled one by one. The test speaks of labels, not of
    accuracy: two classifiers of different accuracy can be symmetric.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    statistic : {"total-asymmetry", "bowker", "stuart-maxwell"}, default="total-asymmetry"
        What is compared with its distribution under symmetry: the number of records in
        excess one way round, summed over all pairs of classes; Bowker's statistic; or that
        of Stuart and Maxwell, which sees differences of label rates only.
    method : {"auto", "exact", "monte-carlo"}, default="auto"
        "exact" sums the probabilities of all statistics as large; "monte-carlo" draws
        tables. "auto" is exact where that is quick, for "total-asymmetry" nearly always.
    n_resamples : int, default=9999
        Number of tables that "monte-carlo" draws.
    random_state : int, RandomState instance or None, default=0
        Seed of what is drawn; an integer makes the p-value reproducible.

    Returns
    -------
    result : PairedResult
        `estimate` is the asymmetry, the share of records in excess one way round, whatever
        the statistic; it has no interval. `method` says which p-value was computed, and
        `details` the standard error of a Monte Carlo one (`monte_carlo_error`).

    Raises
    ------
    ValueError
        If method="exact" would take too long.

    Notes
    -----
    The Monte Carlo p-value is (1 + number of draws at least as large) / (1 + number of
    draws) [2]_, with a relative slack of 1e-12 for rounding. The exact distribution of the
    total asymmetry is a convolution by Fourier transform, tilted so that small p-values
    keep their digits [3]_. Bowker's statistic is summed over its values as long as they
    are few, and that of Stuart and Maxwell over all tables, up to a million of them.

    Names and order of the classes do not matter to exact p-values, nor to Monte Carlo ones
    but for "stuart-maxwell", where another order is another draw. Without records that
    have different labels the statistic is 0 and p is 1, flagged "degenerate".

    References
    ----------
    .. [1] Bowker, A. H. (1948). "A test for symmetry in contingency tables." JASA 43(244),
       572-574.
    .. [2] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be
       zero." Statistical Applications in Genetics and Molecular Biology 9(1), 39.
    .. [3] Keich, U. (2005). "sFFT: a faster accurate computation of the p-value of the
       entropy score." Journal of Computational Biology 12(4), 416-430.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import symmetry_permutation
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = symmetry_permutation(matrix)
    >>> print(f"{result.statistic:g}, p = {result.pvalue:.4f} ({result.method})")
    10, p = 0.4258 (total-asymmetry, exact)

    .. versionadded:: 0.1
    """
    check_choice("statistic", statistic, tuple(STATISTICS))
    check_choice("method", method, METHODS)
    check_count("n_resamples", n_resamples)
    rng = check_random_state(random_state)
    pairs = label_pairs(matrix)
    measured = STATISTICS[statistic](pairs, matrix)
    log_pvalue = None
    if method != "monte-carlo" or len(pairs.totals) == 0:
        log_pvalue = measured.exact_log_pvalue()
    if log_pvalue is None and method == "exact":
        raise ValueError(
            f"The exact p-value of statistic={statistic!r} takes too long for "
            f"{int(pairs.totals.sum())} records in {len(pairs.totals)} pairs of classes. "
            "Use method='auto' or 'monte-carlo'."
        )
    details: dict[str, float] = {"disagreements": int(pairs.totals.sum())}
    how = "exact"
    if log_pvalue is None:
        least = slack_below(measured.observed)
        draws = measured.draws(n_resamples, rng)
        as_large = sum(int(np.count_nonzero(drawn >= least)) for drawn in draws)
        pvalue = (1 + as_large) / (1 + n_resamples)
        log_pvalue = math.log(pvalue)
        details["monte_carlo_error"] = math.sqrt(pvalue * (1 - pvalue) / (1 + n_resamples))
        how = f"monte-carlo, {n_resamples} resamples"
    return PairedResult(
        statistic=measured.observed,
        pvalue=max(SMALLEST, math.exp(log_pvalue)),
        log_pvalue=log_pvalue,
        df=None,
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        champion=None,
        challenger=None,
        alternative="two-sided",
        method=f"{statistic}, {how}",
        n=matrix.n,
        limits=None,
        flags=() if len(pairs.totals) else ("degenerate",),
        details=details,
    )


class _TotalAsymmetry:
    """Records in excess one way round."""

    def __init__(self, pairs: LabelPairs, matrix: AgreementMatrix) -> None:
        self.pairs = pairs
        self.observed = float(np.abs(pairs.differences).sum())

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_total(self.pairs.totals, int(self.observed))

    def draws(self, n: int, rng: np.random.RandomState) -> Iterator[FloatArray]:
        return _sums(self.pairs.totals, self.term, n, rng)

    @staticmethod
    def term(size: IntArray, total: int) -> Any:
        return size


class _Bowker(_TotalAsymmetry):
    """Squared differences over the records that they are of."""

    def __init__(self, pairs: LabelPairs, matrix: AgreementMatrix) -> None:
        self.pairs = pairs
        self.observed = float(pairs.contributions.sum())

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_bowker(self.pairs)

    @staticmethod
    def term(size: IntArray, total: int) -> Any:
        return size * (size / total)


class _StuartMaxwell:
    """Squared differences of label counts over their variance."""

    def __init__(self, pairs: LabelPairs, matrix: AgreementMatrix) -> None:
        self.pairs, self.n_classes = pairs, len(matrix.classes)
        self.frame = rate_frame(matrix.counts)
        champion, challenger = matrix.label_counts
        self.observed = float(self.frame.statistics(challenger - champion))

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_rates(self.pairs, self.frame, self.n_classes)

    def draws(self, n: int, rng: np.random.RandomState) -> Iterator[FloatArray]:
        """Statistics of tables, in batches; they need the difference of every pair."""
        pairs = self.pairs
        columns = (pairs.first.tolist(), pairs.second.tolist(), pairs.totals.tolist())
        for n_drawn in _batches(n, self.n_classes):
            differences = np.zeros((self.n_classes, n_drawn), dtype=np.int64)
            for first, second, total in zip(*columns, strict=True):
                moved = 2 * rng.binomial(total, 0.5, size=n_drawn) - total
                differences[first] += moved
                differences[second] -= moved
            yield self.frame.statistics(differences.T)


STATISTICS: dict[str, type[_TotalAsymmetry] | type[_StuartMaxwell]] = {
    "total-asymmetry": _TotalAsymmetry,
    "bowker": _Bowker,
    "stuart-maxwell": _StuartMaxwell,
}


def _batches(n: int, values_each: int) -> Iterator[int]:
    """How many to draw at a time."""
    most = max(1, VALUES_AT_ONCE // values_each)
    for start in range(0, n, most):
        yield min(most, n - start)


def _sums(
    totals: IntArray,
    term: Callable[[IntArray, int], Any],
    n: int,
    rng: np.random.RandomState,
) -> Iterator[FloatArray]:
    """Sums of a term of each pair's |difference|, of tables in batches.

    Pairs go in the order of their records, whatever their classes are called. Many that
    have equally many are drawn together, by how many of them have each difference.
    """
    sizes, repeats = np.unique(totals, return_counts=True)
    groups = list(zip(sizes.tolist(), repeats.tolist(), strict=True))
    together = [size // 2 + 1 for size, repeat in groups if repeat > size // 2 + 1]
    for n_drawn in _batches(n, max(together, default=1)):
        drawn = np.zeros(n_drawn)
        for size, repeat in groups:
            if repeat > size // 2 + 1:
                values, logs = folded_binomial(size)
                chances = np.exp(logs)
                found = rng.multinomial(repeat, chances / chances.sum(), size=n_drawn)
                drawn += found @ term(values, size)
                continue
            for _ in range(repeat):
                forward = rng.binomial(size, 0.5, size=n_drawn)
                drawn += term(np.abs(2 * forward - size), size)
        yield drawn
