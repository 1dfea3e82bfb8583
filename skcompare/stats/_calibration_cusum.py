"""Cumulative differences of outcomes and probabilities: statistics and their laws."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from skcompare._typing import FloatArray, IntArray

DECIMALS = 12
"""Probabilities that agree to so many decimals are equal but for rounding."""

DRAWS_AT_ONCE = 1_000_000
"""Outcomes simulated at a time, which bounds the memory."""

SLACK = 1e-12
"""Statistics this close, relative to the greater of them and 1, are equal."""

LEAST_RANGE = 0.25
"""A Brownian motion stays in a smaller range with probability below 1e-33."""


class Walk(NamedTuple):
    """Probabilities in order, and where the blocks of equal ones end.

    `sd` is the standard deviation of the sum of all differences if the probabilities are
    right.
    """

    proba: FloatArray
    happened: NDArray[np.bool_]
    ends: IntArray
    sd: float

    def statistic(self, outcomes: NDArray[np.bool_], name: str) -> FloatArray:
        """The statistic of each row of outcomes, in the order of the probabilities."""
        sums = np.cumsum(outcomes - self.proba, axis=-1)[..., self.ends]
        # The walk starts at 0.
        high = np.maximum(sums.max(axis=-1), 0.0)
        low = np.minimum(sums.min(axis=-1), 0.0)
        found = high - low if name == "kuiper" else np.maximum(high, -low)
        return found / self.sd


def walk_of(proba: FloatArray, happened: NDArray[np.bool_]) -> Walk:
    """Records in the order of their probabilities.

    Equal probabilities are one step, because their order says nothing.
    """
    # Doubles that are not negative are in the order of their bits. The outcome as last bit
    # sorts equal probabilities, so that sums round alike in any order of the records.
    bits = np.sort((proba + 0.0).view(np.int64) * 2 + happened)
    ordered = (bits >> 1).view(np.float64)
    keys = np.round(ordered, DECIMALS)
    ends = np.append(np.flatnonzero(keys[1:] != keys[:-1]), len(keys) - 1)
    sd = math.sqrt(np.sum(ordered * (1 - ordered)))
    return Walk(ordered, (bits & 1).astype(np.bool_), ends, sd)


def simulated_pvalue(
    walk: Walk, name: str, observed: float, n_resamples: int, random_state: int
) -> float:
    """Share of simulated outcomes with as great a statistic; the observed one counts."""
    rng = np.random.default_rng(random_state)
    n = len(walk.proba)
    least = observed - SLACK * max(1.0, observed)
    as_great = 0
    at_once = max(1, DRAWS_AT_ONCE // n)
    for start in range(0, n_resamples, at_once):
        rows = min(at_once, n_resamples - start)
        drawn = rng.random((rows, n)) < walk.proba
        as_great += int(np.count_nonzero(walk.statistic(drawn, name) >= least))
    return (1 + as_great) / (n_resamples + 1)


def brownian_pvalue(name: str, observed: float) -> tuple[float, float]:
    """Tail probability of Brownian motion on [0, 1], and its logarithm.

    Of its greatest distance from 0 ("kolmogorov"; the reflection principle) or of its
    range ("kuiper"; Feller 1951, equation 3.7, integrated).
    """
    if observed <= LEAST_RANGE:
        return 1.0, 0.0
    k = np.arange(1, 2 + int(40 / observed))
    if name == "kuiper":
        steps, factors = k, 8.0 * k * (-1.0) ** (k - 1)
    else:
        steps, factors = 2 * k - 1, 4.0 * (-1.0) ** (k - 1)
    # Relative to the first term, so that a far tail keeps its digits.
    logs = log_ndtr(-steps * observed)
    total = float(np.sum(factors * np.exp(logs - logs[0])))
    pvalue = min(1.0, total * float(ndtr(-observed)))
    return pvalue, min(0.0, math.log(total) + float(logs[0]))
