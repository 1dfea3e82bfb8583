"""Exact p-values of tests of symmetry.

Under symmetry each of the t records that got the labels j and k, either way round, is as
likely to be one way as the other. The difference of the two counts is then |2X - t| in
size with X ~ Binomial(t, 1/2), independently of other pairs of classes. Probabilities are
kept as logarithms, so that small p-values keep their digits.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq
from scipy.special import logsumexp

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import AgreementMatrix
from skcompare.stats.agreement._marginal_homogeneity import RateFrame

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


@dataclass(frozen=True, slots=True)
class _Sum:
    """Distribution of a sum: ascending values with their log probabilities."""

    values: IntArray
    logs: FloatArray

    def plus(self, other: "_Sum") -> "_Sum | None":
        """Add an independent sum; return None if there are too many values."""
        if len(self.values) * len(other.values) > MOST_MERGED:
            return None
        values = np.add.outer(self.values, other.values).ravel()
        logs = np.add.outer(self.logs, other.logs).ravel()
        order = np.argsort(values, kind="stable")
        values = values[order]
        starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        return _Sum(values[starts], np.logaddexp.reduceat(logs[order], starts))

    def times(self, repeat: int) -> "_Sum | None":
        """Sum `repeat` independent copies; return None if there are too many values."""
        power: _Sum | None = self
        result: _Sum | None = None
        while power is not None:
            if repeat % 2:
                result = power if result is None else result.plus(power)
                if result is None:
                    return None
            repeat //= 2
            if repeat == 0:
                return result
            power = power.plus(power)
        return None

    def log_tail(self, other: "_Sum", least: int) -> float:
        """Logarithm of the probability that both sums add up to at least `least`."""
        tails = np.logaddexp.accumulate(other.logs[::-1])[::-1]
        index = np.searchsorted(other.values, least - self.values)
        possible = index < len(tails)
        if not possible.any():
            return -math.inf
        return float(logsumexp(self.logs[possible] + tails[index[possible]]))


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
    for size, repeat in zip(sizes.tolist(), repeats.tolist(), strict=True):
        values, logs = folded_binomial(size)
        distribution = _Sum(values**2 * (denominator // size), logs).times(repeat)
        if distribution is None:
            return None
        sums.append(distribution)
    halves = _halves(sums)
    if halves is None:
        return None
    least = int((differences**2 * (denominator // totals)).sum())
    return min(0.0, halves[0].log_tail(halves[1], least))


def _halves(sums: list[_Sum]) -> tuple[_Sum, _Sum] | None:
    """Merge all sums into two, so that their joint values need not be enumerated."""
    zero = _Sum(np.zeros(1, dtype=np.int64), np.zeros(1))
    halves: list[_Sum] = [zero, zero]
    for distribution in sorted(sums, key=lambda distribution: -len(distribution.values)):
        halves.sort(key=lambda half: len(half.values))
        joined = halves[0].plus(distribution)
        if joined is None:
            return None
        halves[0] = joined
    return halves[0], halves[1]


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
