"""Tests that two classifiers give the labels symmetrically, and at the same rates."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import brentq
from scipy.special import betaincinv, logsumexp
from sklearn.utils import check_random_state

from skcompare._core.validation import alpha_of, check_count
from skcompare._registry.tests import paired_test
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats.accuracy._limits import score_limits
from skcompare.stats.accuracy._mcnemar import mcnemar_pvalues
from skcompare.stats.core._adjust import adjust_pvalues
from skcompare.stats.core._limits import chi2_tested, ratio_of
from skcompare.stats.core._result import PairedResult, tested_result
from skcompare.stats.core._tails import blocks_of, bounded, chi2_pvalue

FEW_DISAGREEMENTS = "few-disagreements"

FEW = 25
FEW_EACH = 5
"""Number of disagreements for each degree of freedom."""

ROUNDING = 1e-12
LEVEL = 0.95
"""Simultaneous confidence level of the intervals of all classes."""


@paired_test(
    title="Stuart-Maxwell test",
    kind="omnibus",
    measures="label rates",
    references=("Stuart1955", "Maxwell1970"),
    preferred=True,
)
def stuart_maxwell(matrix: AgreementMatrix, *, max_classes: int = 10) -> PairedResult:
    """Do two classifiers predict each class equally often, by the Stuart-Maxwell test?

    The null hypothesis is marginal homogeneity: each class has the same rate among the
    labels of either classifier [1]_ [2]_. It says nothing about which of them is right.
    The statistic is chi-squared.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    max_classes : int, default=10
        Largest number of classes in `parts`, those with the largest difference first.

    Returns
    -------
    result : PairedResult
        `estimate` is the distance of the two label rates in total variation, half the sum
        of their absolute differences; it has no interval. `parts` has a mapping for each
        class: its `label`, the rates of `champion` and `challenger`, their `difference`
        (challenger - champion), and its Tango interval (`low`, `high`), all classes
        together at 95 % (Bonferroni).

    Notes
    -----
    The variance of the differences is a graph Laplacian: classes are its nodes, and records
    with different labels its edges. Its rank is the number of classes minus that of the
    connected components, which is `df`; leaving out unused classes is not enough. Where two
    groups of classes are never confused with each other, the statistics of the groups add
    up. Classes with equal rates stay in, because they carry disagreements.

    Without records that have different labels, the statistic is 0, p is 1 and df 0,
    flagged "degenerate". Fewer than 25 of them, or fewer than 5 for each degree of freedom,
    are flagged "few-disagreements": a pair of classes with one record adds as much to the
    statistic whichever way round it is, so that the test is conservative there.
    Without symmetry it need not be: of three classes that change places in a circle it
    rejects at 0.05 in 0.056 of the cases of 200 records, of which 5 % have different labels
    (``benchmarks/validity/agreement/label_tests.py``).

    References
    ----------
    .. [1] Stuart, A. (1955). "A test for homogeneity of the marginal distributions in a
       two-way classification." Biometrika 42(3/4), 412-416.
    .. [2] Maxwell, A. E. (1970). "Comparing the classification of subjects by two
       independent judges." British Journal of Psychiatry 116, 651-655.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import stuart_maxwell
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = stuart_maxwell(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6364, df 2, p = 0.2676
    >>> most = result.parts[0]
    >>> print(f"{most['label']}: {most['difference']:+.2f}")
    a: +0.04
    """
    frame = rate_frame(matrix.counts)
    statistic = float(frame.statistics(_differences(matrix)))
    return _rates_result(matrix, statistic, frame.df, max_classes)


@paired_test(
    title="Bhapkar's test",
    kind="omnibus",
    measures="label rates",
    references=("Bhapkar1966",),
)
def bhapkar(matrix: AgreementMatrix, *, max_classes: int = 10) -> PairedResult:
    """Do two classifiers predict each class equally often, by Bhapkar's test?

    The null hypothesis is that of :func:`~skcompare.stats.stuart_maxwell`: each class has
    the same rate among the labels of either classifier. The variance is estimated without
    it [1]_, which makes the statistic larger: W = S / (1 - S / n), with S that of Stuart
    and Maxwell. For many records per class the two agree.

    Parameters
    ----------
    matrix : AgreementMatrix
        Counts of records by the two labels, from a hold-out set.
    max_classes : int, default=10
        Largest number of classes in `parts`, those with the largest difference first.

    Returns
    -------
    result : PairedResult
        As of :func:`~skcompare.stats.stuart_maxwell`.

    Notes
    -----
    It is liberal where few records have different labels. Of three classes with equal
    rates, and different labels on 30 % of the records, it rejects at 0.05 in up to 0.10 of
    the cases with 20 records, 0.07 with 50 and 0.055 with 200, where the test of Stuart and
    Maxwell does in up to 0.052 (``benchmarks/validity/agreement/label_tests.py``). Prefer
    that one.

    S = n where all records have different labels and go one way, such as when one
    classifier gives one class always and the other another. The statistic is then
    infinite and p NaN, flagged "zero-variance"; the test of Stuart and Maxwell is defined.
    All else is as there.

    With many classes and few records each, W is liberal: S is then about `df`, whichever
    way records differ, and its divisor well below 1. Where 40 % of the labels are redrawn,
    at rates of 1, 1/2, 1/3, ..., the true size at 0.05 is 0.28 for 100 classes and 400
    records, and 0.13 for 50 classes and 300, both flagged "few-disagreements"; for 100
    classes and 2000 records it is still 0.08.

    References
    ----------
    .. [1] Bhapkar, V. P. (1966). "A note on the equivalence of two test criteria for
       hypotheses in categorical data." Journal of the American Statistical Association
       61(313), 228-235.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.stats import bhapkar
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [8, 7, 35]], ["a", "b", "c"])
    >>> result = bhapkar(matrix)
    >>> print(f"{result.statistic:.4f}, df {result.df}, p = {result.pvalue:.4f}")
    2.6716, df 2, p = 0.2630
    """
    frame = rate_frame(matrix.counts)
    score, n = float(frame.statistics(_differences(matrix))), matrix.n
    # Each record with equal labels leaves the score one farther below n.
    unlimited = matrix.n_agreed == 0 and score >= n * (1 - ROUNDING)
    statistic = math.inf if unlimited else score / (1 - score / n)
    return _rates_result(matrix, statistic, frame.df, max_classes)


@dataclass(frozen=True, slots=True)
class RateFrame:
    """Retained classes and variance factor of the Stuart-Maxwell statistic.

    Parameters
    ----------
    kept : ndarray of shape (df,)
        The classes without one of each component, whose counts follow from the others.
    factor : ndarray of shape (df, df)
        Lower Cholesky factor of the variance of their differences.
    """

    kept: IntArray
    factor: FloatArray

    @property
    def df(self) -> int:
        """Degrees of freedom."""
        return len(self.kept)

    def statistics(self, differences: IntArray) -> FloatArray:
        """Stuart-Maxwell statistics of label count differences, shape (..., n_classes)."""
        if self.df == 0:
            return np.zeros(differences.shape[:-1])
        columns = differences[..., self.kept].reshape(-1, self.df).T.astype(np.float64)
        roots = solve_triangular(self.factor, columns, lower=True, check_finite=False)
        return (roots * roots).sum(axis=0).reshape(differences.shape[:-1])


def rate_frame(counts: IntArray) -> RateFrame:
    """Compute the frame of a table of labels, from records with different labels only."""
    edges = counts + counts.T
    np.fill_diagonal(edges, 0)
    component, degree = _components(edges > 0), edges.sum(axis=1)
    # Leaving out the class with most disagreements keeps the rest well conditioned.
    order = np.lexsort((degree, component))
    is_last = np.append(component[order][1:] != component[order][:-1], True)
    kept = np.sort(order[~is_last])
    variance = np.diag(degree) - edges
    # A Laplacian without one node of each component is positive definite.
    submatrix = variance[np.ix_(kept, kept)].astype(np.float64)
    return RateFrame(kept, cholesky(submatrix, lower=True) if len(kept) else submatrix)


def _components(joined: NDArray[np.bool_]) -> IntArray:
    """Connected component of each class, named by its first class."""
    component = np.arange(len(joined))
    while True:
        lowest = np.where(joined, component, len(joined)).min(axis=1)
        if (lowest >= component).all():
            return component
        component = np.minimum(component, lowest)


def _differences(matrix: AgreementMatrix) -> IntArray:
    champion, challenger = matrix.label_counts
    return challenger - champion


def _rates_result(
    matrix: AgreementMatrix, statistic: float, df: int, max_classes: int
) -> PairedResult:
    check_count("max_classes", max_classes, least=0)
    disagreements = matrix.n - matrix.n_agreed
    few = 0 < disagreements < max(FEW, FEW_EACH * df)
    distance = int(np.abs(_differences(matrix)).sum()) / (2 * matrix.n)
    return tested_result(
        chi2_tested(statistic, df),
        df=df,
        estimate=distance,
        estimate_name="distance of label rates",
        method="asymptotic",
        flags=(FEW_DISAGREEMENTS,) * few,
        details={"disagreements": disagreements},
        parts=_class_parts(matrix, max_classes),
    )


def _class_parts(matrix: AgreementMatrix, most: int) -> tuple[dict[str, Any], ...]:
    """Describe the label rates of classes with disagreements, largest difference first."""
    champion, challenger = matrix.label_counts
    equal, n = np.diag(matrix.counts), matrix.n
    informative = np.flatnonzero(champion + challenger > 2 * equal)
    size = np.abs(challenger - champion)[informative]
    shown = informative[np.argsort(-size, kind="stable")][:most]
    level = 1 - (1 - LEVEL) / max(1, len(informative))
    parts = []
    for k in shown.tolist():
        against, favour = int(champion[k] - equal[k]), int(challenger[k] - equal[k])
        low, high = score_limits(against, favour, n, 0.0, level, "two-sided")
        parts.append(
            {
                "label": matrix.classes[k].item(),
                "champion": int(champion[k]) / n,
                "challenger": int(challenger[k]) / n,
                "difference": (favour - against) / n,
                "low": low,
                "high": high,
            }
        )
    return tuple(parts)


MOST_TRANSFORMED = 10_000_000
"""Largest number of points of all Fourier transforms of an exact p-value."""

MOST_MERGED = 1 << 19
"""Largest number of values of two sums that are merged into one distribution."""

MOST_TABLES = 1_000_000
"""Largest number of tables that are enumerated."""

TABLES_AT_ONCE = 1 << 15
LARGEST_KEY = 1 << 62
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """Pairs of different labels, with their counts in both orders.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs,)
        Positions of the two classes, the first below the second.
    forward, backward : ndarray of shape (n_pairs,)
        Records that got the first class from the champion and the second from the
        challenger, and the reverse.
    """

    first: IntArray
    second: IntArray
    forward: IntArray
    backward: IntArray

    @property
    def totals(self) -> IntArray:
        """Number of records of each pair, at least 1."""
        return self.forward + self.backward

    @property
    def differences(self) -> IntArray:
        """Forward minus backward counts of each pair."""
        return self.forward - self.backward

    @property
    def contributions(self) -> FloatArray:
        """Contribution of each pair to Bowker's statistic."""
        return self.differences.astype(np.float64) ** 2 / self.totals


def label_pairs(matrix: AgreementMatrix) -> LabelPairs:
    """Return the pairs of different labels that occur in a matrix."""
    counts = matrix.counts
    first, second = np.nonzero(np.triu(counts + counts.T, 1))
    return LabelPairs(first, second, counts[first, second], counts[second, first])


def slack_below(observed: float) -> float:
    """Smallest value that is equal to the observed statistic up to rounding."""
    return observed - SLACK * max(1.0, abs(observed))


def folded_binomial(total: int) -> tuple[IntArray, FloatArray]:
    """Ascending values of |2X - total|, with the logarithms of their probabilities."""
    values = np.arange(total % 2, total + 1, 2, dtype=np.int64)
    # Ratios of neighbouring probabilities, from the middle outwards: no digits cancel.
    ahead = (total + values[:-1]) / 2
    logs = np.zeros(len(values))
    np.cumsum(np.log((total - ahead) / (ahead + 1)), out=logs[1:])
    if total % 2 == 0:
        logs[1:] += math.log(2)
    return values, logs - logsumexp(logs)


def log_tail_of_total(totals: IntArray, observed: int) -> float | None:
    """Logarithm of P(sum of |2X - t| >= observed); None if too expensive.

    All values are odd or even as t is, so that every second one is a step. The distribution
    is tilted until its mean is the observed value, so that a Fourier transform, whose
    rounding is relative to the largest probability, finds a small tail exactly.
    """
    sizes, repeats = np.unique(totals[totals > 1], return_counts=True)
    n_steps = int((repeats * (sizes // 2)).sum())
    steps = (observed - int((totals % 2).sum())) // 2
    if steps <= 0:
        return 0.0
    n_points = next_fast_len(n_steps + 1, real=True)
    if n_points * len(sizes) > MOST_TRANSFORMED:
        return None
    parts = [folded_binomial(size)[1] for size in sizes.tolist()]
    tilt = _tilt(parts, repeats, min(steps, n_steps - 0.5))
    transform = np.ones(n_points // 2 + 1, dtype=np.complex128)
    log_mass = 0.0
    for logs, repeat in zip(parts, repeats.tolist(), strict=True):
        tilted = logs + tilt * np.arange(len(logs))
        mass = float(logsumexp(tilted))
        transform *= rfft(np.exp(tilted - mass), n_points) ** repeat
        log_mass += repeat * mass
    beyond = irfft(transform, n_points)[steps : n_steps + 1]
    tail = (np.maximum(beyond, 0.0) * np.exp(-tilt * np.arange(len(beyond)))).sum()
    return min(0.0, log_mass - tilt * steps + math.log(tail))


def _tilt(parts: list[FloatArray], repeats: IntArray, target: float) -> float:
    """Exponential tilt that raises the mean to `target`; 0 if the mean is at least that."""
    steps = [np.arange(len(logs), dtype=np.float64) for logs in parts]

    def excess(tilt: float) -> float:
        mean = 0.0
        for logs, step, repeat in zip(parts, steps, repeats.tolist(), strict=True):
            tilted = logs + tilt * step
            weights = np.exp(tilted - tilted.max())
            mean += repeat * float(weights @ step) / float(weights.sum())
        return mean - target

    if excess(0.0) >= 0:
        return 0.0
    end = 1.0
    while excess(end) < 0:
        end *= 2
    return float(brentq(excess, 0.0, end, xtol=1e-4, rtol=1e-3))


class TooExpensive(Exception):
    """Raised if a distribution has more values than are enumerated."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """Distribution of a sum: ascending values with their log probabilities."""

    values: IntArray
    logs: FloatArray

    def plus(self, other: "_Sum") -> "_Sum":
        """Add an independent sum."""
        if len(self.values) * len(other.values) > MOST_MERGED:
            raise TooExpensive
        values = np.add.outer(self.values, other.values).ravel()
        logs = np.add.outer(self.logs, other.logs).ravel()
        order = np.argsort(values, kind="stable")
        values = values[order]
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        return _Sum(values[starts], np.logaddexp.reduceat(logs[order], starts))

    def times(self, repeat: int) -> "_Sum":
        """Sum `repeat` independent copies."""
        result, power = ZERO, self
        while repeat > 1:
            result = result.plus(power) if repeat % 2 else result
            repeat, power = repeat // 2, power.plus(power)
        return result.plus(power)

    def log_tail(self, other: "_Sum", least: int) -> float:
        """Logarithm of the probability that both sums add up to at least `least`."""
        tails = np.logaddexp.accumulate(other.logs[::-1])[::-1]
        index = np.searchsorted(other.values, least - self.values)
        possible = index < len(tails)
        if not possible.any():
            return -math.inf
        return float(logsumexp(self.logs[possible] + tails[index[possible]]))


ZERO = _Sum(np.zeros(1, dtype=np.int64), np.zeros(1))


def log_tail_of_bowker(pairs: LabelPairs) -> float | None:
    """Logarithm of the exact p-value of Bowker's statistic; None if too expensive.

    Over a common denominator of all t the values are whole numbers, so that equal ones
    are merged and ties are exact.
    """
    # A single record of a pair adds 1 whichever way it is.
    informative = pairs.totals > 1
    totals, differences = pairs.totals[informative], pairs.differences[informative]
    if len(totals) == 0:
        return 0.0
    sizes, repeats = np.unique(totals, return_counts=True)
    denominator = math.lcm(*sizes.tolist())
    if sizes[-1] // 2 > MOST_MERGED or denominator * int(totals.sum()) > LARGEST_KEY:
        return None
    sums = []
    try:
        for size, repeat in zip(sizes.tolist(), repeats.tolist(), strict=True):
            values, logs = folded_binomial(size)
            sums.append(_Sum(values**2 * (denominator // size), logs).times(repeat))
        first, second = _halves(sums)
    except TooExpensive:
        return None
    least = int((differences**2 * (denominator // totals)).sum())
    return min(0.0, first.log_tail(second, least))


def _halves(sums: list[_Sum]) -> list[_Sum]:
    """Merge all sums into two, so that their joint values need not be enumerated."""
    halves = [ZERO, ZERO]
    for distribution in sorted(sums, key=lambda distribution: -len(distribution.values)):
        halves.sort(key=lambda half: len(half.values))
        halves[0] = halves[0].plus(distribution)
    return halves


def log_tail_of_rates(pairs: LabelPairs, frame: RateFrame, n_classes: int) -> float | None:
    """Logarithm of the exact p-value of the Stuart-Maxwell statistic under symmetry.

    Enumerates all tables with the same t; None where there are too many.
    """
    totals = pairs.totals.tolist()
    n_tables = math.prod(total + 1 for total in totals)
    if n_tables > MOST_TABLES:
        return None
    flow = np.zeros((len(totals), n_classes), dtype=np.int64)
    rows = np.arange(len(totals))
    flow[rows, pairs.first] = 1
    flow[rows, pairs.second] = -1
    least = slack_below(float(frame.statistics(pairs.differences @ flow)))
    logs = [_binomial_logs(total) for total in totals]
    tail = -math.inf
    for start in range(0, n_tables, TABLES_AT_ONCE):
        rest = np.arange(start, min(start + TABLES_AT_ONCE, n_tables))
        log_probability = np.zeros(len(rest))
        differences = np.zeros((len(rest), n_classes), dtype=np.int64)
        for row, total in enumerate(totals):
            rest, forward = np.divmod(rest, total + 1)
            log_probability += logs[row][forward]
            differences += np.multiply.outer(2 * forward - total, flow[row])
        kept = frame.statistics(differences) >= least
        if kept.any():
            tail = float(np.logaddexp(tail, logsumexp(log_probability[kept])))
    return min(0.0, tail)


def _binomial_logs(total: int) -> FloatArray:
    """Logarithms of the probabilities of Binomial(total, 1/2)."""
    values, logs = folded_binomial(total)
    half = logs - np.where(values > 0, math.log(2), 0.0)
    return np.concatenate([half[values > 0][::-1], half])


Degrees = Literal["informative", "full"]


@paired_test(
    title="Bowker's test",
    kind="omnibus",
    measures="label symmetry",
    references=("Bowker1948", "Clopper1934"),
)
def bowker(
    matrix: AgreementMatrix,
    *,
    method: Literal["asymptotic", "exact"] = "asymptotic",
    df: Degrees = "informative",
    max_pairs: int = 10,
) -> PairedResult:
    """Test whether the disagreements of two classifiers are symmetric, by Bowker's test.

    The null hypothesis is symmetry [1]_: for each pair of classes, a record to which the
    two classifiers assign one each is as likely to be one way round as the other. It is
    about labels, not accuracy. Even for two classes it is not McNemar's test: classifiers
    that give both classes equally often are symmetric whatever their accuracies.

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
    .. [1] Bowker, A. H. (1948). "A test for symmetry in contingency tables." Journal of the
       American Statistical Association 43(244), 572-574.
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
    tail = _exact_pvalue(pairs) if method == "exact" else chi2_pvalue(statistic, degrees)
    return tested_result(
        (statistic, tail, _flags(pairs, method)),
        df=degrees,
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        method=method,
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
    return bounded(math.exp(log_pvalue), log_pvalue)


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
    _, pvalues = mcnemar_pvalues(pairs.backward, pairs.forward, "exact", "two-sided")
    adjusted = adjust_pvalues(pvalues, "holm")  # type: ignore[arg-type]
    parts = []
    for i in shown.tolist():
        count, reverse = int(pairs.forward[i]), int(pairs.backward[i])
        low, high = odds_limits(count, reverse, LEVEL)
        parts.append(
            {
                "champion": matrix.classes[pairs.first[i]].item(),
                "challenger": matrix.classes[pairs.second[i]].item(),
                "count": count,
                "reverse_count": reverse,
                "contribution": float(contributions[i]),
                "pvalue": float(pvalues[i]),
                "adjusted_pvalue": float(adjusted[i]),
                "odds_ratio": ratio_of(count, reverse),
                "low": low,
                "high": high,
            }
        )
    return tuple(parts)


def odds_limits(count: int, reverse: int, level: float) -> tuple[float, float]:
    """Exact confidence limits of the odds of one order of two labels.

    Those of Clopper and Pearson for its share, as share / (1 - share).
    """
    tail = alpha_of(level) / 2
    low, inverse = _least_odds(count, reverse, tail), _least_odds(reverse, count, tail)
    return low, ratio_of(1, inverse)


def _least_odds(count: int, reverse: int, tail: float) -> float:
    if count == 0:
        return 0.0
    share = float(betaincinv(count, reverse + 1, tail))
    # The complement is computed by itself, so that no digits cancel.
    return share / float(betaincinv(reverse + 1, count, 1 - tail))


VALUES_AT_ONCE = 1 << 20
"""Largest number of random numbers that are held at a time."""


@paired_test(
    title="Permutation test of symmetry",
    kind="omnibus",
    measures="label symmetry",
    references=("Bowker1948", "Phipson2010", "Keich2005"),
)
def symmetry_permutation(
    matrix: AgreementMatrix,
    *,
    statistic: Literal["total-asymmetry", "bowker", "stuart-maxwell"] = "total-asymmetry",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> PairedResult:
    """Test the symmetry of two classifiers' labels by exchanging them within records.

    The null hypothesis is symmetry, as in Bowker's test [1]_: exchanging the two labels of
    any record gives predictions that are as likely. Records with equal labels do not change
    by it, and of the t records with two given classes, Binomial(t, 1/2) are in one order,
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
    .. [1] Bowker, A. H. (1948). "A test for symmetry in contingency tables." Journal of the
       American Statistical Association 43(244), 572-574.
    .. [2] Phipson, B. and Smyth, G. K. (2010). "Permutation p-values should never be zero:
       calculating exact p-values when permutations are randomly drawn." Statistical
       Applications in Genetics and Molecular Biology 9(1), 39.
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
    tail = bounded(math.exp(log_pvalue), log_pvalue)
    return tested_result(
        (test_statistic.observed, tail, () if len(pairs.totals) else ("degenerate",)),
        estimate=asymmetry(matrix, pairs),
        estimate_name="asymmetry",
        method=f"{statistic}, {computation}",
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
        """Yield batches of sums of `term` over all pairs, for tables drawn under symmetry.

        Pairs go in the order of their numbers of records, whatever the names of their
        classes. Many with the same number are drawn together, as multinomial counts of
        their differences.
        """
        sizes, repeats = np.unique(self.pairs.totals, return_counts=True)
        groups = list(zip(sizes.tolist(), repeats.tolist(), strict=True))
        n_values = [size // 2 + 1 for size, repeat in groups if repeat > size // 2 + 1]
        most = max(1, VALUES_AT_ONCE // max(n_values, default=1))
        for n_drawn in blocks_of(n, most):
            drawn = np.zeros(n_drawn)
            for size, repeat in groups:
                if repeat > size // 2 + 1:
                    values, logs = folded_binomial(size)
                    probabilities = np.exp(logs)
                    counts = rng.multinomial(
                        repeat, probabilities / probabilities.sum(), size=n_drawn
                    )
                    drawn += counts @ self.term(values, size)
                    continue
                for _ in range(repeat):
                    forward = rng.binomial(size, 0.5, size=n_drawn)
                    drawn += self.term(np.abs(2 * forward - size), size)
            yield drawn

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
        self.observed = float(self.frame.statistics(_differences(matrix)))

    def exact_log_pvalue(self) -> float | None:
        return log_tail_of_rates(self.pairs, self.frame, self.n_classes)

    def draws(self, n: int, rng: np.random.RandomState) -> Iterator[FloatArray]:
        """Yield batches of statistics of tables drawn under symmetry."""
        pairs = self.pairs
        columns = (pairs.first.tolist(), pairs.second.tolist(), pairs.totals.tolist())
        for n_drawn in blocks_of(n, max(1, VALUES_AT_ONCE // self.n_classes)):
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
