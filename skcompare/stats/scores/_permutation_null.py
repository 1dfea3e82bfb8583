"""The distribution of a studentised difference when answers are exchanged in records."""

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
from skcompare.stats.core._limits import NO_DIFFERENCE
from skcompare.stats.core._tails import SMALLEST
from skcompare.stats.scores._confusion_scores import CellScores

MOST_OUTCOMES = 100_000
"""The exact distribution is computed up to so many outcomes."""

CHUNK = 1 << 19
"""Counts that are scored at a time."""


class Score(Protocol):
    """What is asked of a score, built in or a user's own."""

    @property
    def rounding(self) -> float:
        """Slopes that cancel to this share are 0, and statistics so close are equal."""

    def of_cells(
        self, truth: IntArray, answer: IntArray, counts: FloatArray, n_classes: int
    ) -> CellScores:
        """The score of records in cells, with its slopes by their counts."""


@dataclass(frozen=True, slots=True)
class ScorePair:
    """The scores of both roles and the variance of their difference, a set of counts each.

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
        """Challenger less champion."""
        return self.challenger - self.champion

    @property
    def statistic(self) -> FloatArray:
        """The difference in standard errors.

        Without variance it is 0 for no difference and infinite otherwise.
        """
        difference = self.difference
        still = np.abs(difference) <= NO_DIFFERENCE
        unbounded = np.where(still, 0.0, np.where(still, 1.0, difference) * np.inf)
        fixed = self.variance == 0
        spread = np.sqrt(np.where(fixed, 1.0, self.variance))
        return np.where(fixed, unbounded, difference / spread)


def score_pair(
    score: Score, cells: IntArray, counts: FloatArray, n_classes: int
) -> ScorePair:
    """Both scores of records in cells of (truth, champion, challenger).

    A record adds the slope of the challenger's score by its cell less that of the
    champion's, so that the variance of the difference is the sum of the squared distances
    of these from their mean (Bishop, Fienberg and Holland 1975, section 14.6).
    """
    truth, first, second = cells.T
    champion = score.of_cells(truth, first, counts, n_classes)
    challenger = score.of_cells(truth, second, counts, n_classes)
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
    """What exchanging the two answers within records can make of joint counts.

    Records of one truth and the same two different answers are alike, so that only the
    number of them whose first answer is the champion's is random: Binomial(total, 1/2).

    Attributes
    ----------
    cells : ndarray of shape (n_equal + 2 n_pairs, 3)
        Cells of equal answers, then those of each pair one way and the other way round.
    equal : ndarray of shape (n_equal,)
        Records with equal answers, which no exchange changes.
    totals : ndarray of shape (n_pairs,)
        Records of each pair of different answers.
    """

    cells: IntArray
    equal: FloatArray
    totals: IntArray
    n_classes: int

    @classmethod
    def from_counts(cls, counts: JointCounts) -> "Exchange":
        """The exchange that counts allow; swapped roles give the same one."""
        truth, first, second = counts.cells.T
        same = first == second
        pairs = np.stack([truth, np.minimum(first, second), np.maximum(first, second)], 1)
        pairs, where = np.unique(pairs[~same], axis=0, return_inverse=True)
        cells = np.concatenate([counts.cells[same], pairs, pairs[:, [0, 2, 1]]])
        totals = sums_of(where.reshape(-1), counts.counts[~same], len(pairs))
        equal = counts.counts[same].astype(np.float64)
        return cls(cells, equal, totals, counts.n_classes)

    @property
    def n_outcomes(self) -> float:
        """How many different counts there can be; infinite where there are too many."""
        with np.errstate(over="ignore"):
            return float(np.prod(self.totals + 1.0))

    @property
    def _chunk(self) -> int:
        return max(1, CHUNK // len(self.cells))

    def statistics(self, score: Score, outcomes: IntArray) -> FloatArray:
        """Sizes of the statistic for numbers of shape (n_outcomes, n_pairs)."""
        equal = np.broadcast_to(self.equal, (len(outcomes), len(self.equal)))
        parts = [equal, outcomes, self.totals - outcomes]
        counts = np.concatenate(parts, axis=1, dtype=np.float64)
        found = score_pair(score, self.cells, counts, self.n_classes)
        return np.abs(found.statistic)

    def enumerated(self, score: Score) -> "PermutationDistribution":
        """The exact distribution.

        An outcome and the one with all numbers counted from the other end have opposite
        statistics and are equally likely, and stand at opposite places: half are enough.
        """
        shape = tuple(self.totals + 1)
        n_outcomes = math.prod(shape)
        half = (n_outcomes + 1) // 2
        sizes, log_weights = np.empty(half), np.empty(half)
        for start in range(0, half, self._chunk):
            part = slice(start, min(half, start + self._chunk))
            place = np.arange(part.start, part.stop)
            outcomes = np.stack(np.unravel_index(place, shape), axis=1)
            sizes[part] = self.statistics(score, outcomes)
            log_weights[part] = _log_binomials(outcomes, self.totals).sum(axis=1)
        # The one in the middle is its own opposite.
        log_weights[: n_outcomes // 2] += math.log(2)
        return PermutationDistribution.from_sizes(sizes, score.rounding, log_weights)

    def drawn(
        self, score: Score, observed: float, n_resamples: int, random_state: Any
    ) -> "PermutationDistribution":
        """The distribution of random outcomes and the observed one, with both signs."""
        rng = check_random_state(random_state)
        sizes = [
            self.statistics(score, rng.binomial(self.totals, 0.5, (n, len(self.totals))))
            for n in _parts(n_resamples, self._chunk)
        ]
        # What is observed is one of the outcomes (Phipson and Smyth 2010).
        together = np.concatenate([*sizes, [abs(observed)]])
        return PermutationDistribution.from_sizes(together, score.rounding)


def _parts(total: int, most: int) -> Iterator[int]:
    for start in range(0, total, most):
        yield min(most, total - start)


def _log_binomials(successes: IntArray, trials: IntArray) -> FloatArray:
    """Logarithms of binomial coefficients."""
    return -betaln(1 + trials - successes, 1 + successes) - np.log1p(trials)


@dataclass(frozen=True, slots=True)
class PermutationDistribution:
    """A symmetric distribution of a statistic.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        The different absolute values, ascending.
    log_tails : ndarray of shape (n_sizes,)
        Logarithms of the probabilities of at least this absolute value.
    slack : float
        Values this close are equal, relative to their size where it is above 1.
    n_undefined : int
        Outcomes without a statistic; they count as infinite, so that p is not too small.
    """

    sizes: FloatArray
    log_tails: FloatArray
    slack: float
    n_undefined: int = 0

    @classmethod
    def from_sizes(
        cls, sizes: FloatArray, slack: float, log_weights: FloatArray | None = None
    ) -> "PermutationDistribution":
        """The distribution of absolute values, equally likely or with weights.

        Of equal values the greatest is kept: none that is equal is beyond it.
        """
        undefined = np.isnan(sizes)
        sizes = np.where(undefined, np.inf, sizes)
        order = np.argsort(sizes)
        sizes = sizes[order]
        first = _first_of_equal(sizes, slack)
        last = np.concatenate([first[1:], [len(sizes)]]) - 1
        if log_weights is None:
            log_tails = np.log(np.arange(len(sizes), 0, -1) / len(sizes))
        else:
            # On the log scale, so that no tail is 0.
            log_tails = np.logaddexp.accumulate(log_weights[order][::-1])[::-1]
            log_tails = np.minimum(0.0, log_tails - log_tails[0])
        return cls(sizes[last], log_tails[first], slack, int(undefined.sum()))

    def pvalue(self, statistic: float, alternative: str) -> tuple[float, float]:
        """Probability of a statistic at least as far out, and its logarithm.

        The statistic must be one that has a probability.
        """
        size = abs(statistic)
        slack = 0.0 if math.isinf(size) else self.slack * max(1.0, size)
        place = int(np.searchsorted(self.sizes, size - slack))
        if alternative == "two-sided":
            log_pvalues = self.log_tails
        elif (statistic > 0) == (alternative == "greater"):
            log_pvalues = self._log_beyond
        else:
            log_pvalues = self._log_before
        return float(_probabilities(log_pvalues)[place]), float(log_pvalues[place])

    def critical(self, alpha: float, alternative: str) -> float:
        """The least statistic, towards the alternative, that is a reason to reject.

        Where only an infinite one is, it is the largest number; where none is, infinity.
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
        """Logarithms of the probabilities of at least each size, with its sign."""
        none = self.sizes <= self.slack
        return np.where(none, self._log_before, self.log_tails - math.log(2))

    @property
    def _log_before(self) -> FloatArray:
        """The same of at least each size with the opposite sign."""
        beyond = np.append(np.exp(self.log_tails[1:]), 0.0) / 2
        return np.log1p(-beyond)


def _first_of_equal(sizes: FloatArray, slack: float) -> IntArray:
    """Where values that differ by more than rounding begin, among sorted ones."""
    before, after = sizes[:-1], sizes[1:]
    finite = np.isfinite(before)
    with np.errstate(invalid="ignore"):
        differ = np.where(
            np.isfinite(after), after - before > slack * np.maximum(1.0, after), finite
        )
    return np.concatenate([[0], 1 + np.flatnonzero(differ)])


def _probabilities(logarithms: FloatArray) -> FloatArray:
    return np.maximum(np.exp(logarithms), SMALLEST)
