"""Permutation distribution of a studentised difference, by exchanges within records."""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import betaln
from sklearn.utils import check_random_state

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import JointCounts, sums_of
from skcompare.stats.core._tails import SMALLEST
from skcompare.stats.core._wald import NO_DIFFERENCE
from skcompare.stats.scores._confusion_scores import CellScores

MOST_OUTCOMES = 100_000
"""Largest number of outcomes for which the exact distribution is computed."""

CHUNK = 1 << 19
"""Number of counts to score at a time."""


class Score(Protocol):
    """Interface of a score, built in or user-defined."""

    @property
    def rounding(self) -> float:
        """Relative tolerance at which slopes cancel and statistics are equal."""

    def of_cells(
        self, truth: IntArray, prediction: IntArray, counts: FloatArray, n_classes: int
    ) -> CellScores:
        """Return the scores of cell counts, with slopes with respect to the counts."""


@dataclass(frozen=True, slots=True)
class ScorePair:
    """Scores of both roles and the variance of their difference, for each set of counts.

    Attributes
    ----------
    champion, challenger, variance, undefined : ndarray of shape (...)
        Scores, variance by the delta method, and whether a denominator is 0.
    """

    champion: FloatArray
    challenger: FloatArray
    variance: FloatArray
    undefined: Any

    @property
    def difference(self) -> FloatArray:
        """Score of the challenger minus that of the champion."""
        return self.challenger - self.champion

    @property
    def statistic(self) -> FloatArray:
        """Difference in standard errors.

        Without variance it is 0 for no difference and infinite otherwise.
        """
        difference = self.difference
        is_zero = np.abs(difference) <= NO_DIFFERENCE
        unbounded = np.where(is_zero, 0.0, np.where(is_zero, 1.0, difference) * np.inf)
        no_variance = self.variance == 0
        error = np.sqrt(np.where(no_variance, 1.0, self.variance))
        return np.where(no_variance, unbounded, difference / error)


def score_pair(
    score: Score, cells: IntArray, counts: FloatArray, n_classes: int
) -> ScorePair:
    """Scores of both roles, from counts of cells (truth, champion, challenger).

    The influence of a record is the slope of the challenger's score by its cell minus that
    of the champion's, so that the variance of the difference is the sum of the squared
    distances of these from their mean (Bishop, Fienberg and Holland 1975, section 14.6).
    """
    truth, prediction1, prediction2 = cells.T
    champion = score.of_cells(truth, prediction1, counts, n_classes)
    challenger = score.of_cells(truth, prediction2, counts, n_classes)
    influence = challenger.slopes - champion.slopes
    n = counts.sum(axis=-1, keepdims=True)
    influence -= (counts * influence).sum(axis=-1, keepdims=True) / n
    variance = (counts * influence**2).sum(axis=-1)
    size = (counts * (champion.slopes**2 + challenger.slopes**2)).sum(axis=-1)
    return ScorePair(
        champion.values,
        challenger.values,
        np.where(variance <= score.rounding**2 * size, 0.0, variance),
        champion.undefined | challenger.undefined,
    )


@dataclass(frozen=True, slots=True)
class Exchange:
    """Joint counts under exchanges of the two predictions within records.

    Records of one true class and the same two different predictions are identical, so that
    only the number of them whose first prediction is the champion's is random:
    Binomial(total, 1/2).

    Attributes
    ----------
    cells : ndarray of shape (n_equal + 2 n_pairs, 3)
        Cells of equal predictions, then those of each pair in one order and in the other.
    equal : ndarray of shape (n_equal,)
        Records with equal predictions, which no exchange changes.
    totals : ndarray of shape (n_pairs,)
        Records of each pair of different predictions.
    """

    cells: IntArray
    equal: FloatArray
    totals: IntArray
    n_classes: int

    @classmethod
    def from_counts(cls, counts: JointCounts) -> "Exchange":
        """Create an exchange from joint counts, identical for swapped roles."""
        truth, prediction1, prediction2 = counts.cells.T
        is_equal = prediction1 == prediction2
        pairs = np.stack(
            [
                truth,
                np.minimum(prediction1, prediction2),
                np.maximum(prediction1, prediction2),
            ],
            1,
        )
        pairs, where = np.unique(pairs[~is_equal], axis=0, return_inverse=True)
        cells = np.concatenate([counts.cells[is_equal], pairs, pairs[:, [0, 2, 1]]])
        totals = sums_of(where.reshape(-1), counts.counts[~is_equal], len(pairs))
        equal = counts.counts[is_equal].astype(np.float64)
        return cls(cells, equal, totals, counts.n_classes)

    @property
    def n_outcomes(self) -> float:
        """Number of possible sets of counts; infinite on overflow."""
        with np.errstate(over="ignore"):
            return float(np.prod(self.totals + 1.0))

    @property
    def _chunk(self) -> int:
        return max(1, CHUNK // len(self.cells))

    def statistics(self, score: Score, outcomes: IntArray) -> FloatArray:
        """Return absolute statistics of outcomes of shape (n_outcomes, n_pairs)."""
        equal = np.broadcast_to(self.equal, (len(outcomes), len(self.equal)))
        parts = [equal, outcomes, self.totals - outcomes]
        counts = np.concatenate(parts, axis=1, dtype=np.float64)
        pair = score_pair(score, self.cells, counts, self.n_classes)
        return np.abs(pair.statistic)

    def enumerated(self, score: Score) -> "PermutationDistribution":
        """Return the exact distribution.

        An outcome and its complement (totals minus its numbers) have opposite statistics,
        equal probabilities and mirrored positions, so that half of them are enough.
        """
        shape = tuple(self.totals + 1)
        n_outcomes = math.prod(shape)
        half = (n_outcomes + 1) // 2
        sizes, log_weights = np.empty(half), np.empty(half)
        for start in range(0, half, self._chunk):
            part = slice(start, min(half, start + self._chunk))
            positions = np.arange(part.start, part.stop)
            outcomes = np.stack(np.unravel_index(positions, shape), axis=1)
            sizes[part] = self.statistics(score, outcomes)
            log_weights[part] = _log_binomials(outcomes, self.totals).sum(axis=1)
        # The outcome in the middle is its own complement.
        log_weights[: n_outcomes // 2] += math.log(2)
        return PermutationDistribution.from_sizes(sizes, score.rounding, log_weights)

    def drawn(
        self, score: Score, observed: float, n_resamples: int, random_state: Any
    ) -> "PermutationDistribution":
        """Return the distribution of random and observed outcomes, with both signs."""
        rng = check_random_state(random_state)
        sizes = [
            self.statistics(score, rng.binomial(self.totals, 0.5, (n, len(self.totals))))
            for n in blocks_of(n_resamples, self._chunk)
        ]
        # The observed statistic is one of the outcomes (Phipson and Smyth 2010).
        all_sizes = np.concatenate([*sizes, [abs(observed)]])
        return PermutationDistribution.from_sizes(all_sizes, score.rounding)


def blocks_of(total: int, block: int) -> Iterator[int]:
    """Yield sizes of up to `block` that add up to a total."""
    for start in range(0, total, block):
        yield min(block, total - start)


def _log_binomials(successes: IntArray, trials: IntArray) -> FloatArray:
    """Logarithms of binomial coefficients."""
    return -betaln(1 + trials - successes, 1 + successes) - np.log1p(trials)


@dataclass(frozen=True, slots=True)
class PermutationDistribution:
    """Symmetric distribution of a statistic.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Distinct absolute values, ascending.
    log_tails : ndarray of shape (n_sizes,)
        Logarithms of the probabilities of at least this absolute value.
    slack : float
        Tolerance at which values are equal, relative to their size where it is above 1.
    n_undefined : int
        Number of outcomes without a statistic; they count as infinite, so that p is not too
        small.
    """

    sizes: FloatArray
    log_tails: FloatArray
    slack: float
    n_undefined: int = 0

    @classmethod
    def from_sizes(
        cls, sizes: FloatArray, slack: float, log_weights: FloatArray | None = None
    ) -> "PermutationDistribution":
        """Return the distribution of absolute values, equally likely or with weights.

        The greatest of tied values is kept, so that no tied value exceeds it.
        """
        undefined = np.isnan(sizes)
        sizes = np.where(undefined, np.inf, sizes)
        order = np.argsort(sizes)
        sizes = sizes[order]
        starts = _first_of_equal(sizes, slack)
        ends = np.concatenate([starts[1:], [len(sizes)]]) - 1
        if log_weights is None:
            log_tails = np.log(np.arange(len(sizes), 0, -1) / len(sizes))
        else:
            # On the log scale, so that no tail is 0.
            log_tails = np.logaddexp.accumulate(log_weights[order][::-1])[::-1]
            log_tails = np.minimum(0.0, log_tails - log_tails[0])
        return cls(sizes[ends], log_tails[starts], slack, int(undefined.sum()))

    def pvalue(self, statistic: float, alternative: str) -> tuple[float, float]:
        """Return the probability of a statistic at least as extreme, and its logarithm.

        The statistic must be in the support of the distribution.
        """
        size = abs(statistic)
        slack = 0.0 if math.isinf(size) else self.slack * max(1.0, size)
        position = int(np.searchsorted(self.sizes, size - slack))
        if alternative == "two-sided":
            log_pvalues = self.log_tails
        elif (statistic > 0) == (alternative == "greater"):
            log_pvalues = self._log_beyond
        else:
            log_pvalues = self._log_before
        return float(_probabilities(log_pvalues)[position]), float(log_pvalues[position])

    def critical(self, alpha: float, alternative: str) -> float:
        """Return the critical value: the least rejected statistic towards the alternative.

        It is the largest number if only an infinite one is rejected, and infinity if none
        is.
        """
        if alternative == "two-sided":
            support, log_pvalues = self.sizes, self.log_tails
        else:
            support = np.concatenate([-self.sizes[::-1], self.sizes])
            log_pvalues = np.concatenate([self._log_before[::-1], self._log_beyond])
        rejected = np.flatnonzero(_probabilities(log_pvalues) < alpha)
        if not len(rejected):
            return math.inf
        return min(float(support[rejected[0]]), sys.float_info.max)

    @property
    def _log_beyond(self) -> FloatArray:
        """Log probabilities of a statistic at or above each size."""
        is_zero = self.sizes <= self.slack
        return np.where(is_zero, self._log_before, self.log_tails - math.log(2))

    @property
    def _log_before(self) -> FloatArray:
        """Log probabilities of a statistic at or above minus each size."""
        beyond = np.append(np.exp(self.log_tails[1:]), 0.0) / 2
        return np.log1p(-beyond)


def _first_of_equal(sizes: FloatArray, slack: float) -> IntArray:
    """Starts of runs of sorted values that are equal up to rounding."""
    before, after = sizes[:-1], sizes[1:]
    finite = np.isfinite(before)
    with np.errstate(invalid="ignore"):
        differ = np.where(
            np.isfinite(after), after - before > slack * np.maximum(1.0, after), finite
        )
    return np.concatenate([[0], 1 + np.flatnonzero(differ)])


def _probabilities(logarithms: FloatArray) -> FloatArray:
    return np.maximum(np.exp(logarithms), SMALLEST)
