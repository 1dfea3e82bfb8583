"""Records at which a test of bets rejects with a wanted probability."""

import math
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr, xlogy

from skcompare._core.validation import check_alpha, check_alternative
from skcompare._typing import FloatArray
from skcompare.stats._anytime import Bets
from skcompare.stats._anytime_counts import CountBets, log_factors
from skcompare.stats._sample_size import check_power

FEW_DISCORDANT = 120
"""Up to so many expected discordant records all their numbers are summed over."""

NEGLIGIBLE = 5.0
"""Counts so many standard deviations from the mean are left out."""

SPACING, FARTHEST = 0.04, 6.0
"""Nodes of the mixture, as t of kappa = tanh t, close enough for two digits of power."""

FARTHEST_MEAN = 9.0
"""No mean is so many standard deviations from what is expected."""

MOST_RECORDS = 1e15


def anytime_records(
    bets: Bets, *, null: float, alpha: float, power: float, alternative: str
) -> float:
    """Fewest records at which the e-value is above 1 / alpha with a probability of `power`.

    Records are taken to be like those that were seen. Infinite where the mean is at the
    null value, or on the other side. A test that is looked at before needs fewer on the
    average, because it may stop there.
    """
    check_alternative(alternative)
    check_power(power, check_alpha(alpha))
    distance = bets.mean - null
    outward = {"greater": distance, "less": -distance}.get(alternative, abs(distance))
    if outward <= 0:
        return math.inf
    # A rejection on the wrong side is no success, and hardly ever happens.
    if distance < 0:
        bets, null = bets.swap(), -null
    side = "two-sided" if alternative == "two-sided" else "greater"
    powered = partial(normal_power, bets, null=null, alpha=alpha, alternative=side)
    needed = _least(powered, 1.0, MOST_RECORDS, power)
    if isinstance(bets, CountBets):
        share = (bets.only_champion + bets.only_challenger) / bets.n
        if needed * share <= FEW_DISCORDANT:
            summed = partial(counted_power, bets, null=null, alpha=alpha, alternative=side)
            needed = _least(summed, max(1.0, needed // 2), 2 * needed + 8, power)
    # These records did not settle it, so the answer is never that they are enough.
    return max(needed, math.floor(bets.n) + 1.0)


def _least(power_at: partial[float], low: float, high: float, power: float) -> float:
    """The least whole number of records with this power, by bisection of its logarithm."""
    if power_at(low) >= power:
        return low
    step = 2 * low
    while step < high and power_at(step) < power:
        low, step = step, 2 * step
    if step >= high and power_at(high) < power:
        return math.inf
    high = min(step, high)
    while high - low > 1 and high / low > 1 + 1e-6:
        middle = math.floor((low + high) / 2)
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return float(high)


def normal_power(
    bets: Bets, records: float, *, null: float, alpha: float, alternative: str
) -> float:
    """Power where one normal variable moves all that the bets gain.

    Of a two-sided test the bets on the right side count, half of all.
    """
    most = math.log((2 if alternative == "two-sided" else 1) / alpha)

    def excess(beyond: float) -> float:
        return bets.expected(records, beyond).log_wealth(null, "greater") - most

    if excess(FARTHEST_MEAN) <= 0:
        return 0.0
    if excess(-FARTHEST_MEAN) >= 0:
        return 1.0
    return float(ndtr(-brentq(excess, -FARTHEST_MEAN, FARTHEST_MEAN, xtol=1e-4)))


def counted_power(
    bets: CountBets, records: float, *, null: float, alpha: float, alternative: str
) -> float:
    """Power by the probabilities of all likely numbers of discordant records."""
    b, c = bets.only_champion / bets.n, bets.only_challenger / bets.n
    wrong, right = _likely(records, b)[:, np.newaxis], _likely(records, c)
    other = records - wrong - right
    possible = other >= 0
    other = np.where(possible, other, 0.0)
    logs = gammaln(records + 1) - gammaln(wrong + 1) - gammaln(right + 1)
    logs = logs - gammaln(other + 1) + xlogy(wrong, b) + xlogy(right, c)
    logs = logs + xlogy(other, max(0.0, 1 - b - c))
    chances = np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
    gained = _grid_wealth(bets.prior, wrong, right, records, null, alternative)
    return float(chances[gained >= 1 / alpha].sum() / chances.sum())


def _likely(records: float, share: float) -> FloatArray:
    """Numbers of records that an answer of this probability can well have."""
    mean = records * share
    reach = NEGLIGIBLE * math.sqrt(mean * (1 - share)) + NEGLIGIBLE * (mean > 0)
    low, high = max(0, math.floor(mean - reach)), min(records, math.ceil(mean + reach))
    return np.arange(low, high + 1, dtype=float)


def _grid_wealth(
    prior: float,
    wrong: FloatArray,
    right: FloatArray,
    records: float,
    null: float,
    alternative: str,
) -> FloatArray:
    """E-values of many counts at once, by one sum over the shares."""
    t = np.arange(SPACING / 2, FARTHEST, SPACING)
    if alternative == "two-sided":
        t = np.concatenate([-t[::-1], t])
    gains, losses, other = log_factors(t, null)
    log_density = prior * (log_factors(t, 0.0)[0] + log_factors(-t, 0.0)[0])
    density = np.exp(log_density)
    density /= density.sum()
    wealth = np.zeros(np.broadcast_shapes(wrong.shape, right.shape))
    for gain, loss, cost, weight in zip(gains, losses, other, density, strict=True):
        grown = right * gain + wrong * loss - records * cost
        wealth += weight * np.exp(np.minimum(grown, 600.0))
    return wealth
