"""Runs of signs of differences in time, by which few time points are independent."""

import math

import numpy as np

from skcompare._typing import FloatArray

FEWEST_INDEPENDENT = 11.0
"""Number of independent time points below which they are too few.

Chosen with the numbers below by ``benchmarks/validity/time/diebold_mariano.py``.
"""

FEWEST_SIGNS = 6
"""Number of differences from which their signs count: 5 that are all of one sign are no
evidence against equal models in independent records either."""

MANY_RUNS = 60
"""Number of runs of signs from which more time points than these are independent."""

FEWEST_EXPECTED = 2.0
"""Number of changes of sign in random order from which as many show independence."""

MANY_TIMES = 10_000
"""Number of time points of which runs in the first ones are enough."""

LEAST, RATIO = 0.5, 1.1
"""Least number of independent time points that is considered, and the ratio of the next."""


def takes_few_turns(sums: FloatArray) -> bool:
    """Tell whether the signs of the differences leave few time points independent.

    The spectrum of few records that differ does not show it. Let the signs of equal models
    be a Markov chain of two states, so that those at k time points from each other are the
    same with a probability of (1 + r^k) / 2. A correlation r leaves T (1 - r) / (1 + r) of
    T time points independent. The prior weight of r = 0 is a half, and the rest is spread
    evenly over the logarithm of the independent time points; they are few if they are
    probably fewer than `FEWEST_INDEPENDENT`. So are those of few records that differ, all
    in favour of one model: it is the better one, or the better one for the time being.
    Signs that change as often as is expected in random order, if that is twice or more,
    are those of independent times, of which one model may be better.

    Parameters
    ----------
    sums : ndarray of shape (n_times,)
        Differences at each time point; those of 0 have no sign.
    """
    n = len(sums)
    if n > MANY_TIMES and _changes(_signs(sums[:MANY_TIMES])[1]).sum() >= MANY_RUNS:
        return False
    at, signs = _signs(sums)
    turns = _changes(signs)
    if len(at) < FEWEST_SIGNS or turns.sum() >= MANY_RUNS:
        return False
    expected = 2 * len(signs) * signs.mean() * (1 - signs.mean())
    if FEWEST_EXPECTED <= expected <= turns.sum():
        return False
    independent = LEAST * RATIO ** np.arange(math.log(n / LEAST) / math.log(RATIO))
    correlations = np.maximum((n - independent) / (n + independent), 0.0)
    log_weight = np.full(len(independent), math.log(0.5 / len(independent)))
    for turned in (True, False):
        gaps, numbers = np.unique(np.diff(at)[turns == turned], return_counts=True)
        powers = correlations[:, np.newaxis] ** gaps
        # The probability over that of independent times, one half.
        log_weight += np.log1p(-powers if turned else powers) @ numbers
    return _share_of_few(log_weight, independent) > 0.5


def _signs(sums: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of differences that are not 0, and whether each sign is positive.

    The sign is that of the distance from their mean: for gains and losses of one size that
    of the difference, and of losses of any size not that of the better model. Those of one
    size and side alone have one sign.
    """
    at = np.flatnonzero(sums)
    distances = sums[at] - sums[at].mean() if len(at) else sums[at]
    if distances.any():
        at, distances = at[distances != 0], distances[distances != 0]
    return at, distances > 0


def _changes(signs: np.ndarray) -> np.ndarray:
    """Tell whether each next sign is another one."""
    return np.asarray(signs[1:] != signs[:-1])


def _share_of_few(log_weight: FloatArray, independent: FloatArray) -> float:
    """Posterior probability of too few independent times; independent ones have a half."""
    largest = max(float(log_weight.max()), math.log(0.5))
    weight = np.exp(log_weight - largest)
    unrelated = math.exp(math.log(0.5) - largest)
    few = weight[independent < FEWEST_INDEPENDENT].sum()
    return float(few / (weight.sum() + unrelated))
