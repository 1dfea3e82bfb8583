"""Fisher's exact test of a contingency table, and the z-test of two proportions.

Given both accuracies, the table is known from one of its cells, whose distribution is
hypergeometric if errors are independent, and Fisher's noncentral hypergeometric one under
another odds ratio (Fisher 1935, "The logic of inductive inference").
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import paired_test
from skcompare._typing import Alternative
from skcompare.evidence import ContingencyTable
from skcompare.stats.accuracy._mcnemar import accuracy_result
from skcompare.stats.core._limits import DIFFERENCE, increasing_root
from skcompare.stats.core._result import PairedResult
from skcompare.stats.core._tails import SMALLEST, normal_pvalue, stirling_error
from skcompare.stats.core._wald import Wald

ExactMethod = Literal["auto", "asymptotic", "exact"]

SMALL_EXPECTED = "small-expected-counts"

LEAST_EXPECTED = 5.0

NEGLIGIBLE = 50.0
"""Distance of logarithms at which a term no longer counts in a sum."""

FIRST_TERMS = 64
MOST_TERMS_AT_ONCE = 1 << 16
PRECISION = 1e-13
NO_DIGIT = 1e-17


def is_sparse(table: ContingencyTable) -> bool:
    """Whether a cell has an expected count below 5 if errors are independent."""
    champion = table.both_correct + table.only_champion
    challenger = table.both_correct + table.only_challenger
    least = min(champion, table.n - champion) * min(challenger, table.n - challenger)
    return least < LEAST_EXPECTED * table.n


def is_exact(table: ContingencyTable, method: str) -> bool:
    """Whether the exact method is used, with "auto" resolved from the table."""
    if method == "exact" and table.fractional:
        raise ValueError(
            f"method='exact' needs whole counts. Got the fractional table {table}. Pass "
            "integers, or method='asymptotic'."
        )
    if method == "auto":
        return is_sparse(table) and not table.fractional
    return method == "exact"


@dataclass(frozen=True, slots=True)
class FixedMargins:
    """Contingency tables with the margins of an observed one, which has no empty margin.

    They are those where records move from the two cells of agreement to the two of
    disagreement, or the reverse. The cells are arranged so that the observed association is
    not negative; the smaller cell comes first.

    Parameters
    ----------
    positive : bool
        Whether the observed association was not negative.
    filled : tuple of int
        The two cells of agreement, or those of disagreement if it was negative.
    others : tuple of int
        The other two cells. The product of these is at most that of `filled`.
    """

    positive: bool
    filled: tuple[int, int]
    others: tuple[int, int]

    @classmethod
    def of(cls, table: ContingencyTable) -> "FixedMargins":
        """Return the tables with the margins of `table`."""
        agree = sorted((int(table.both_correct), int(table.both_wrong)))
        apart = sorted((int(table.only_champion), int(table.only_challenger)))
        positive = math.prod(agree) >= math.prod(apart)
        filled, others = (agree, apart) if positive else (apart, agree)
        return cls(positive, (filled[0], filled[1]), (others[0], others[1]))

    def pvalue(self) -> tuple[float, float]:
        """P-value of independent errors, twice the smaller tail, and its logarithm.

        The smaller tail is that of tables with still more association, because the other
        is at least 1/2: the hypergeometric distribution is a sum of independent
        Bernoulli variables, and the median of these is within 1 of the mean (Jogdeo and
        Samuels 1968, Annals of Mathematical Statistics 39, 1191-1195).
        """
        log_tail = self._log_probability() + math.log(self._outward_sum())
        log_pvalue = min(0.0, math.log(2) + log_tail)
        return max(SMALLEST, math.exp(log_pvalue)), log_pvalue

    @property
    def log_odds(self) -> float:
        """Logarithm of the sample odds ratio."""
        excess = math.prod(self.filled) - math.prod(self.others)
        product = math.prod(self.others)
        size = math.log1p(excess / product) if product else math.inf
        return size if self.positive else -size

    def log_odds_limits(self, confidence_level: float) -> tuple[float, float]:
        """Confidence limits of the logarithm of the odds ratio, by inverting each tail.

        The conditional interval is that of Fisher (1935); it is made to hold the sample
        odds ratio, which differs from the conditional estimate.
        """
        tail = alpha_of(confidence_level) / 2
        low = min(self._limit(tail, outward=True), abs(self.log_odds))
        high = math.inf
        if self.others[0]:
            high = max(self._limit(tail, outward=False), abs(self.log_odds))
        return (low, high) if self.positive else (-high, -low)

    def _log_probability(self) -> float:
        """Logarithm of the probability of the observed table if errors are independent.

        By Stirling's formula with its error, and relative to the expected counts, so that
        no large numbers cancel.
        """
        (a, d), (b, c) = self.filled, self.others
        n = a + b + c + d
        rows, columns = (a + b, c + d), (a + c, b + d)
        excess = (a * d - b * c) / n  # of the observed over the expected a and d
        deviance = math.fsum(
            _deviance(row * column / n, excess if i == j else -excess)
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        )
        margins = math.fsum(_factorial_error(margin) for margin in (*rows, *columns))
        return margins - math.fsum(_factorial_error(x) for x in (n, a, b, c, d)) - deviance

    def _outward_sum(self) -> float:
        """Sum of relative probabilities of tables with at least the observed association.

        They are relative to the observed table, and fall from the start.
        """
        total, last, start = 1.0, 1.0, 0
        (few, many), (rare, common) = self.filled, self.others
        size = FIRST_TERMS
        while start < rare:
            step = np.arange(start, min(start + size, rare), dtype=np.float64)
            ratios = (
                (rare - step) / (few + 1 + step) * ((common - step) / (many + 1 + step))
            )
            terms = last * np.cumprod(ratios)
            total += float(terms.sum())
            last = float(terms[-1])
            # The terms left are less than a geometric series.
            if last * ratios[-1] <= NO_DIGIT * total * (1 - ratios[-1]):
                break
            start += size
            size = min(4 * size, MOST_TERMS_AT_ONCE)
        return total

    def _limit(self, tail: float, outward: bool) -> float:
        """Logarithm of the odds ratio at which a tail has probability `tail`."""

        def excess(log_odds: float) -> float:
            more = _log_sum(self.others, self.filled, log_odds)
            less = _log_sum(self.filled, self.others, -log_odds)
            total = np.logaddexp(0.0, np.logaddexp(more, less))
            log_tail = np.logaddexp(0.0, more if outward else less) - total
            distance = float(log_tail) - math.log(tail)
            return distance if outward else -distance

        cells = [cell + 0.5 for cell in (*self.filled, *self.others)]
        start = math.log(cells[0] / cells[2]) + math.log(cells[1] / cells[3])
        step = math.sqrt(math.fsum(1 / c for c in cells))
        return increasing_root(excess, start, step, precision=PRECISION)


def _factorial_error(x: int) -> float:
    """Difference between log x! and x log x - x."""
    return 0.5 * math.log(2 * math.pi * x) + stirling_error(x) if x else 0.0


def _deviance(expected: float, excess: float) -> float:
    """Half the deviance of one count: x log(x / expected) + expected - x."""
    u = excess / expected  # x is 1 + u times the expected count
    if u <= -1:
        return expected
    if abs(u) < 0.01:
        # The first terms of (1 + u) log(1 + u) and u cancel.
        return expected * math.fsum((-u) ** k / (k * (k - 1)) for k in range(2, 12))
    return expected * ((1 + u) * math.log1p(u) - u)


def _log_sum(filled: tuple[int, int], others: tuple[int, int], shift: float) -> float:
    """Logarithm of the sum of weights of tables with records moved to `others`.

    Relative to the observed table, which is left out. Each record that moves has the
    factor exp(shift).
    """
    (few, many), (rare, common) = filled, others
    if few == 0:
        return -math.inf
    n_terms = FIRST_TERMS
    while True:
        k = np.arange(min(n_terms, few), dtype=np.float64)
        ratios = np.log((few - k) / (rare + 1 + k)) + np.log((many - k) / (common + 1 + k))
        ratios += shift
        terms = np.cumsum(ratios)
        largest = float(terms.max())
        total = largest + math.log(float(np.exp(terms - largest).sum()))
        # The ratios fall, so that terms after a small falling one are smaller still.
        if len(k) == few or (terms[-1] < total - NEGLIGIBLE and ratios[-1] < 0):
            return total
        n_terms *= 4


Interval = Literal["pooled", "unpooled"]

IGNORES_PAIRING = "ignores-pairing"


@paired_test(
    "proportional_z",
    title="proportional test",
    measures="accuracy",
    references=("Dietterich1998", "Yang2023"),
    caution=IGNORES_PAIRING,
)
def proportional_z(
    table: ContingencyTable,
    *,
    interval: Interval = "pooled",
    alternative: Alternative = "two-sided",
) -> PairedResult:
    """Compare two accuracies on one test set as if each had its own test records.

    The null hypothesis is that both trained classifiers have the same accuracy over new
    records. The two numbers of errors are taken as independent [1]_, which they are not on
    one test set. Classifiers usually err on the same records: the difference then varies
    less than the test allows for, and it rejects too seldom and finds less than
    :func:`mcnemar`, which is the test to use. Where they err on different records it
    rejects too often.

    Parameters
    ----------
    table : ContingencyTable
        Counts of records by which classifiers were correct, from a hold-out set. The
        literature trains on n1 = 2n/3 of the records [2]_.
    interval : {"pooled", "unpooled"}, default="pooled"
        Interval of the difference. "pooled" is made with the standard error of the test, so
        that it goes with the p-value; "unpooled" with that of two accuracies that differ,
        so that it may disagree with the p-value, and has no width if each classifier is
        always correct or always wrong.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" means that the challenger is better.

    Returns
    -------
    result : PairedResult
        `estimate` is accuracy(challenger) - accuracy(champion). `statistic` is that over
        its standard error, compared with the standard normal distribution; the interval is
        the difference plus and minus quantiles of it, within -1 and 1. `details` has the
        pooled error and both standard errors. Every result is flagged "ignores-pairing".

    See Also
    --------
    mcnemar : The test of these counts.

    Notes
    -----
    With the shares of errors p of n records, pB of the champion and pA of the challenger,
    and their mean p::

        statistic = (pB - pA) / sqrt(2 p (1 - p) / n)

    and the interval "unpooled" has sqrt(pA (1 - pA) / n + pB (1 - pB) / n) instead.

    If both classifiers are correct on all records, or on none, the statistic is 0 and p is
    1, flagged "degenerate"; so are predictions that are correct on the same records.

    References
    ----------
    .. [1] Dietterich, T. G. (1998). "Approximate statistical tests for comparing supervised
       classification learning algorithms." Neural Computation 10(7), 1895-1923, section
       3.2.
    .. [2] Yang, J., Wang, R., Song, Y. and Li, J. (2023). "Block-regularized 5×2
       cross-validated McNemar's test for comparing two classification algorithms."
       arXiv:2304.03990, section 5.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import mcnemar, proportional_z
    >>> table = ContingencyTable(150, 25, 15, 10)
    >>> result = proportional_z(table)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    -0.050, z = -1.400, p = 0.1614
    >>> print(f"{mcnemar(table).pvalue:.4f}")
    0.1173
    """
    errors = table.n_discordant + 2 * table.both_wrong
    share = errors / (2 * table.n)
    pooled = math.sqrt(2 * share * (1 - share) / table.n)
    unpooled = math.sqrt(sum(p * (1 - p) for p in table.accuracies) / table.n)
    error = pooled if interval == "pooled" else unpooled
    statistic = table.difference / pooled if pooled > 0 else 0.0
    none_discordant = table.n_discordant == 0
    return accuracy_result(
        table,
        statistic,
        normal_pvalue(statistic, alternative),
        df=None,
        method="normal, pooled variance",
        limits=Wald(table.difference, error, bounds=DIFFERENCE).limits,
        flags=("degenerate", "no-discordant-pairs") if none_discordant else (),
        details={
            "pooled_error": share,
            "se": pooled,
            "se_unpooled": unpooled,
        },
    )
