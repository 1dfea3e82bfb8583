"""Evidence that may be looked at after every record: e-values and their inversion.

The records' differences x lie in [-R, R]. Against a mean of at most d one can bet a share
kappa on the challenger: each record multiplies what one has by

    (1 + kappa x) / (1 + kappa d),    -1/R < kappa < 1/R,

which is expected to stay the same if the mean is d, and with a positive kappa to become no
more if it is less (Waudby-Smith and Ramdas 2024; their stake is kappa / (1 + kappa d)). A
mixture of such bets over shares that were fixed before the records came is a nonnegative
martingale too (Robbins 1970), called the e-value here. By Ville's (1939) inequality it ever
exceeds 1 / alpha with a probability of at most alpha, however long one watches.

The e-value is convex in d, and at most 1 where d is the mean of the records (by Jensen's
inequality), so that the differences that are not rejected are an interval around it.
"""

import math
from typing import Any, Protocol, Self

from scipy.optimize import brentq

from skcompare._core.validation import alpha_of

SMALLEST = 5e-324
"""The smallest double, instead of a p-value of 0."""

ROUNDING = 1e-12
"""An e-value whose logarithm is no larger is 1."""

LARGEST_LOG = 700.0
"""E-values with a larger logarithm are no doubles, or nearly so."""

BESIDE = 1e-15
"""So close to the largest difference, as a share of it, is at it."""


class Bets(Protocol):
    """What mixtures of bets have gained on some records."""

    @property
    def n(self) -> float:
        """Number of records."""

    @property
    def mean(self) -> float:
        """Mean difference of the records."""

    @property
    def bound(self) -> float:
        """The largest possible difference of a record."""

    @property
    def reach(self) -> float:
        """About half the width of the interval, more than 0."""

    def log_wealth(self, null: float, alternative: str) -> float:
        """Logarithm of the e-value against a mean difference."""

    def swap(self) -> Self:
        """The same with the roles exchanged."""

    def expected(self, records: float, beyond: float) -> Self:
        """What so many records like these have, by standard deviations beyond the mean."""

    def __add__(self, other: Any, /) -> Self: ...


def anytime_tail(log_wealth: float) -> tuple[float, float]:
    """The p-value of an e-value and its logarithm: 1 / e, at most 1."""
    log_pvalue = -log_wealth if log_wealth > ROUNDING else 0.0
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def signed_evidence(bets: Bets, log_wealth: float, null: float) -> float:
    """The logarithm of an e-value above 1, with the sign of mean less null value."""
    if log_wealth <= ROUNDING:
        return 0.0
    return math.copysign(log_wealth, bets.mean - null)


def evidence_details(log_wealth: float) -> dict[str, float]:
    """The e-value and its logarithm by their names."""
    details = {"log_e_value": log_wealth}
    if log_wealth < LARGEST_LOG:
        details["e_value"] = math.exp(log_wealth)
    return details


def anytime_limits(
    bets: Bets, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """The differences whose e-value is at most 1 / alpha."""
    most = -math.log(alpha_of(confidence_level))
    low, high = -bets.bound, bets.bound
    if alternative != "less":
        mirrored = {"greater": "less"}.get(alternative, alternative)
        low = -_upper(bets.swap(), most, mirrored)
    if alternative != "greater":
        high = _upper(bets, most, alternative)
    return low, high


def agreeing_limits(
    bets: Bets, confidence_level: float, alternative: str, null: float, pvalue: float
) -> tuple[float, float]:
    """The same, with the null value outside exactly where p is below alpha.

    That is so but for rounding, of a null value that is just at a limit.
    """
    low, high = anytime_limits(bets, confidence_level, alternative)
    if not pvalue < alpha_of(confidence_level):
        return min(low, null), max(high, null)
    if bets.mean > null:
        return max(low, math.nextafter(null, math.inf)), high
    return low, min(high, math.nextafter(null, -math.inf))


def _upper(bets: Bets, most: float, alternative: str) -> float:
    """The largest difference whose e-value is not above a bound."""

    def beyond(difference: float) -> float:
        return bets.log_wealth(difference, alternative) - most

    end, step = bets.bound * (1 - BESIDE), bets.reach
    inside = max(bets.mean, -end)
    while True:
        outside = min(end, inside + step)
        if outside <= inside:
            return bets.bound
        if beyond(outside) > 0:
            break
        if outside == end:
            return bets.bound
        inside, step = outside, 2 * step
    # The mean itself is inside but for rounding.
    if beyond(inside) >= 0:
        return inside
    return float(brentq(beyond, inside, outside, xtol=1e-15 * bets.bound, rtol=1e-14))
