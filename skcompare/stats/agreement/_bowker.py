"""Bowker's test and the permutation test of symmetry."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from scipy.special import betainc, betaincinv
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats.agreement._marginal_homogeneity import FEW_DISAGREEMENTS, rate_frame
from skcompare.stats.agreement._symmetry_null import (
    LabelPairs,
    folded_binomial,
    label_pairs,
    log_tail_of_bowker,
    log_tail_of_rates,
    log_tail_of_total,
    slack_below,
)
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import SMALLEST, binomial_pvalue, chi2_pvalue

Method = Literal["asymptotic", "exact"]
Degrees = Literal["informative", "full"]
LEVEL = 0.95


@paired_test(
    "bowker",
    title="Bowker's test",
    kind="omnibus",
    measures="label symmetry",
    references=("Bowker1948", "Clopper1934"),
)
def bowker(
    matrix: AgreementMatrix,
    *,
    method: Method = "asymptotic",
    df: Degrees = "informative",
    max_pairs: int = 10,
) -> PairedResult:
    """Do two classifiers confuse classes with each other the same way round?

    The null hypothesis is symmetry [1]_: for each two classes, a record which the two
    classifiers give one each is as likely to be one way round as the other. It is about
    labels, not accuracy. Even for two classes it is not McNemar's test: classifiers that
    give both classes equally often are symmetric whatever their accuracies.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    method : {"asymptotic", "exact"}, default="asymptotic"
        How the p-value of the statistic is computed: chi-squared, or exact given the
        number of records of each pair of classes.
    df : {"informative", "full"}, default="informative"
        Degrees of freedom of chi-squared: the pairs of classes that any record has as its
        two labels, or all pairs of the classes of `matrix`. Pairs without records add
        nothing to the statistic, so counting them hides asymmetry.
    max_pairs : int, default=10
        Largest number of pairs in `parts`, those that contribute most first.

    Returns
    -------
    result : PairedResult
        `estimate` is the asymmetry: the share of records in excess one way round, summed
        over all pairs; it has no interval. `parts` has a mapping for each pair: the label
        of `champion` and that of `challenger`, the records with these (`count`) and with
        the reverse (`reverse_count`), the `contribution` to the statistic, the exact
        binomial `pvalue` and its Holm-adjusted value over all informative pairs
        (`adjusted_pvalue`), and the `odds_ratio` count / reverse_count with its exact
        95 % interval (`low`, `high`) [2]_.

    Raises
    ------
    ValueError
        If the exact p-value takes too long; symmetry_permutation approximates it.

    Notes
    -----
    Without records that have different labels the statistic is 0 and p is 1, flagged
    "degenerate". "few-disagreements" flags a chi-squared p-value where more than a fifth of
    the informative pairs have fewer than 10 records, or any has 1 (Cochran's rule for
    expected counts).

    References
    ----------
    .. [1] Bowker, A. H. (1948). "A test for symmetry in contingency tables." JASA 43(244),
       572-574.
    .. [2] Clopper, C. J. and Pearson, E. S. (1934). "The use of confidence or fiducial
       limits illustrated in the case of the binomial." Biometrika 26(4), 404-413.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import bowker
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = bowker(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6667, df 3, p = 0.4459
    >>> most = result.parts[0]
    >>> most["champion"], most["challenger"], most["count"], most["reverse_count"]
    ('a', 'c', 4, 8)
    """
    check_count("max_pairs", max_pairs, least=0)
    pairs = label_pairs(matrix)
    n_pairs, n_classes = len(pairs.totals), len(matrix.classes)
    statistic = float(pairs.contributions.sum())
    degrees = n_pairs if df == "informative" else n_classes * (n_classes - 1) // 2
    if method == "exact":
        pvalue, log_pvalue = _exact_pvalue(pairs)
    else:
        pvalue, log_pvalue = chi2_pvalue(statistic, degrees)
    return PairedResult(
        statistic=statistic,
        pvalue=pvalue,
        log_pvalue=log_pvalue,
        df=degrees,
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        method=method,
        flags=_flags(pairs, method),
        details={"disagreements": int(pairs.totals.sum()), "informative_pairs": n_pairs},
        parts=_pair_parts(matrix, pairs, max_pairs),
    )


def asymmetry(matrix: AgreementMatrix, pairs: LabelPairs) -> float:
    """Share of records in excess in one direction, summed over all pairs of classes."""
    return int(np.abs(pairs.differences).sum()) / matrix.n


def _exact_pvalue(pairs: LabelPairs) -> tuple[float, float]:
    log_pvalue = log_tail_of_bowker(pairs)
    if log_pvalue is None:
        raise ValueError(
            "method='exact' of bowker goes through the values of the statistic, which are "
            f"too many for {int(pairs.totals.sum())} records in {len(pairs.totals)} pairs "
            "of classes. Use symmetry_permutation(matrix, statistic='bowker')."
        )
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def _flags(pairs: LabelPairs, method: str) -> tuple[str, ...]:
    totals = pairs.totals
    if len(totals) == 0:
        return ("degenerate",)
    # Half of the records of a pair are expected either way round.
    too_few = np.mean(totals < 10) > 0.2 or (totals == 1).any()
    return (FEW_DISAGREEMENTS,) if method == "asymptotic" and too_few else ()


def _pair_parts(
    matrix: AgreementMatrix, pairs: LabelPairs, most: int
) -> tuple[dict[str, Any], ...]:
    """Describe the pairs of classes, in decreasing order of contribution."""
    contributions = pairs.contributions
    shown = np.argsort(-contributions, kind="stable")[:most]
    if len(shown) == 0:
        return ()
    adjusted = adjust_pvalues(_binomial_pvalues(pairs), "holm")  # type: ignore[arg-type]
    parts = []
    for i in shown.tolist():
        count, reverse = int(pairs.forward[i]), int(pairs.backward[i])
        pvalue, _ = binomial_pvalue(count, count + reverse, "two-sided", mid=False)
        low, high = odds_limits(count, reverse, LEVEL)
        parts.append(
            {
                "champion": matrix.classes[pairs.first[i]].item(),
                "challenger": matrix.classes[pairs.second[i]].item(),
                "count": count,
                "reverse_count": reverse,
                "contribution": float(contributions[i]),
                "pvalue": pvalue,
                "adjusted_pvalue": max(pvalue, float(adjusted[i])),
                "odds_ratio": count / reverse if reverse else math.inf,
                "low": low,
                "high": high,
            }
        )
    return tuple(parts)


def _binomial_pvalues(pairs: LabelPairs) -> FloatArray:
    """Exact two-sided binomial p-values of all pairs of classes."""
    fewer = np.minimum(pairs.forward, pairs.backward)
    tails = betainc(pairs.totals - fewer, fewer + 1, 0.5)
    return np.clip(2 * tails, SMALLEST, 1.0)


def odds_limits(count: int, reverse: int, level: float) -> tuple[float, float]:
    """Exact confidence limits of the odds of one order of two labels.

    Those of Clopper and Pearson for its share, as share / (1 - share).
    """
    tail = alpha_of(level) / 2
    low, inverse = _least_odds(count, reverse, tail), _least_odds(reverse, count, tail)
    return low, 1 / inverse if inverse else math.inf


def _least_odds(count: int, reverse: int, tail: float) -> float:
    if count == 0:
        return 0.0
    share = float(betaincinv(count, reverse + 1, tail))
    # The complement is computed by itself, so that no digits cancel.
    return share / float(betaincinv(reverse + 1, count, 1 - tail))


PermutationMethod = Literal["auto", "exact", "monte-carlo"]

VALUES_AT_ONCE = 1 << 20
"""Largest number of random numbers that are held at a time."""


@paired_test(
    "symmetry_permutation",
    title="Permutation test of symmetry",
    kind="omnibus",
    measures="label symmetry",
    references=("Bowker1948", "Phipson2010", "Keich2005"),
)
def symmetry_permutation(
    matrix: AgreementMatrix,
    *,
    statistic: Literal["total-asymmetry", "bowker", "stuart-maxwell"] = "total-asymmetry",
    method: PermutationMethod = "auto",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Could the labels of champion and challenger be exchanged on every record?

    The null hypothesis is symmetry, as in Bowker's test [1]_: exchanging the two labels of
    any record gives predictions that are as likely. Records with equal labels do not change
    by it, and of the t records with two given classes, Binomial(t, 1/2) are one way round,
    so that records need not be shuffled one by one. The test is about labels, not accuracy:
    two classifiers of different accuracy can be symmetric.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    statistic : {"total-asymmetry", "bowker", "stuart-maxwell"}, default="total-asymmetry"
        Statistic that is compared with its distribution under symmetry: the number of
        records in excess one way round, summed over all pairs of classes; Bowker's
        statistic; or that of Stuart and Maxwell, which detects differences of label rates
        only.
    method : {"auto", "exact", "monte-carlo"}, default="auto"
        "exact" sums the probabilities of all statistics as large; "monte-carlo" draws
        tables. "auto" is exact where that is quick, for "total-asymmetry" nearly always.
    n_resamples : int, default=9999
        Number of tables that "monte-carlo" draws.
    random_state : int, RandomState instance or None, default=0
        Seed of the draws; an integer makes the p-value reproducible.

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
    """
    check_count("n_resamples", n_resamples)
    rng = check_random_state(random_state)
    pairs = label_pairs(matrix)
    test_statistic = STATISTICS[statistic](pairs, matrix)
    log_pvalue = None
    if method != "monte-carlo" or len(pairs.totals) == 0:
        log_pvalue = test_statistic.exact_log_pvalue()
    if log_pvalue is None and method == "exact":
        raise ValueError(
            f"The exact p-value of statistic={statistic!r} takes too long for "
            f"{int(pairs.totals.sum())} records in {len(pairs.totals)} pairs of classes. "
            "Use method='auto' or 'monte-carlo'."
        )
    details: dict[str, float] = {"disagreements": int(pairs.totals.sum())}
    computation = "exact"
    if log_pvalue is None:
        least = slack_below(test_statistic.observed)
        draws = test_statistic.draws(n_resamples, rng)
        as_large = sum(int(np.count_nonzero(drawn >= least)) for drawn in draws)
        pvalue = (1 + as_large) / (1 + n_resamples)
        log_pvalue = math.log(pvalue)
        details["monte_carlo_error"] = math.sqrt(pvalue * (1 - pvalue) / (1 + n_resamples))
        computation = f"monte-carlo, {n_resamples} resamples"
    return PairedResult(
        statistic=test_statistic.observed,
        pvalue=max(SMALLEST, math.exp(log_pvalue)),
        log_pvalue=log_pvalue,
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        method=f"{statistic}, {computation}",
        flags=() if len(pairs.totals) else ("degenerate",),
        details=details,
    )


class _TotalAsymmetry:
    """Total asymmetry: sum of |difference| over all pairs of classes."""

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
    """Bowker's statistic: sum of squared differences over the sizes of their pairs."""

    def __init__(self, pairs: LabelPairs, matrix: AgreementMatrix) -> None:
        self.pairs = pairs
        self.observed = float(pairs.contributions.sum())

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_bowker(self.pairs)

    @staticmethod
    def term(size: IntArray, total: int) -> Any:
        return size * (size / total)


class _StuartMaxwell:
    """Stuart-Maxwell statistic: quadratic form of the differences of label counts."""

    def __init__(self, pairs: LabelPairs, matrix: AgreementMatrix) -> None:
        self.pairs, self.n_classes = pairs, len(matrix.classes)
        self.frame = rate_frame(matrix.counts)
        champion, challenger = matrix.label_counts
        self.observed = float(self.frame.statistics(challenger - champion))

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_rates(self.pairs, self.frame, self.n_classes)

    def draws(self, n: int, rng: np.random.RandomState) -> Iterator[FloatArray]:
        """Yield batches of statistics of tables drawn under symmetry."""
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
    """Yield the sizes of the batches of draws."""
    most = max(1, VALUES_AT_ONCE // values_each)
    for start in range(0, n, most):
        yield min(most, n - start)


def _sums(
    totals: IntArray,
    term: Callable[[IntArray, int], Any],
    n: int,
    rng: np.random.RandomState,
) -> Iterator[FloatArray]:
    """Yield batches of sums of `term` over all pairs, for tables drawn under symmetry.

    Pairs go in the order of their numbers of records, whatever the names of their classes.
    Many with the same number are drawn together, as multinomial counts of their
    differences.
    """
    sizes, repeats = np.unique(totals, return_counts=True)
    groups = list(zip(sizes.tolist(), repeats.tolist(), strict=True))
    n_values = [size // 2 + 1 for size, repeat in groups if repeat > size // 2 + 1]
    for n_drawn in _batches(n, max(n_values, default=1)):
        drawn = np.zeros(n_drawn)
        for size, repeat in groups:
            if repeat > size // 2 + 1:
                values, logs = folded_binomial(size)
                probabilities = np.exp(logs)
                counts = rng.multinomial(
                    repeat, probabilities / probabilities.sum(), size=n_drawn
                )
                drawn += counts @ term(values, size)
                continue
            for _ in range(repeat):
                forward = rng.binomial(size, 0.5, size=n_drawn)
                drawn += term(np.abs(2 * forward - size), size)
        yield drawn
