"""Interval that agrees with the exact unconditional test of a paired difference."""

import math
from collections.abc import Callable
from functools import lru_cache

from scipy.optimize import brentq
from scipy.special import ndtri

from skcompare._core.validation import alpha_of
from skcompare.stats._difference_limits import lower_score_limit, one_sided
from skcompare.stats._mcnemar_unconditional import (
    log_pvalue_at_least,
    unconditional_pvalue,
    worst,
)

SCALES = 2.0**14, 2.0**30
"""Limits are looked for on a coarse and then on a fine scale, of steps of about 1e-9.

Where the p-value jumps across several levels, their limits are then the same.
"""

TINY = math.ulp(0.0)


def unconditional_limits(
    only_champion: int,
    only_challenger: int,
    n: int,
    null_value: float,
    confidence_level: float,
    alternative: str,
) -> tuple[float, float]:
    """Differences that the exact unconditional test does not reject.

    The search for a limit goes outwards from `null_value` where that is not rejected, and
    inwards from it where it is, so that the limits leave it out exactly when the test
    rejects it. The p-value jumps a little from difference to difference, because the order
    of the outcomes changes; where it crosses the level more than once, the limit is one of
    the crossings.
    """
    b, c, two_sided = only_champion, only_challenger, alternative == "two-sided"
    alpha = alpha_of(confidence_level)
    low, high = -1.0, 1.0
    if alternative != "less":
        low = _lower_limit(b, c, n, null_value, alpha, two_sided)
    if alternative != "greater":
        high = -_lower_limit(c, b, n, -null_value, alpha, two_sided)
    return one_sided(low, high, alternative)


@lru_cache(maxsize=1024)
def _lower_limit(
    b: int, c: int, n: int, null: float, alpha: float, two_sided: bool
) -> float:
    """The least difference that is not rejected at this level."""
    search = Search(b, c, n, alpha, two_sided)
    kept, rejected = (c - b) / n, -1.0
    if b == n:
        return -1.0
    if null < kept and search.keeps(null):
        kept = null
    elif null < kept:
        rejected = null
    elif not two_sided and not search.keeps(kept):
        # A one-sided interval of a level below 1/2, which is beyond the estimate.
        kept, rejected = 1.0, kept
    start = lower_score_limit(b, c, n, 0.0, search.quantile)
    return search.edge(min(max(start, rejected), kept), kept, rejected)


class Search:
    """A search for the least difference that a test does not reject.

    Parameters
    ----------
    b, c, n : int
        Records that favour the champion and the challenger, and all records.
    alpha : float
        Level of the test.
    two_sided : bool
        Whether the test is.

    Attributes
    ----------
    angles : set of float
        Nuisances that were the worst for some difference, and a first one. The p-value is
        never below what they give, which takes little time.
    """

    def __init__(self, b: int, c: int, n: int, alpha: float, two_sided: bool) -> None:
        self.counts = b, c, n
        self.alpha = alpha
        self.two_sided = two_sided
        self.angles = {math.pi / 4}

    @property
    def quantile(self) -> float:
        """Standard normal quantile of the level."""
        return float(-ndtri(self.alpha / 2 if self.two_sided else self.alpha))

    def keeps(self, delta: float) -> bool:
        """Whether the test does not reject a difference."""
        alternative = "two-sided" if self.two_sided else "greater"
        self.angles.add(worst(*self.counts, delta, self.two_sided).angle)
        return not unconditional_pvalue(*self.counts, delta, alternative)[0] < self.alpha

    def excess(self, delta: float) -> float:
        """Logarithm of p / alpha, or less, by the angles met so far."""
        if abs(delta) >= 1:
            # At the ends of the scale there is no test, but its side is known.
            return math.copysign(1.0, delta)
        found = log_pvalue_at_least(self.angles, *self.counts, delta, self.two_sided)
        return found - math.log(self.alpha)

    def edge(self, start: float, kept: float, rejected: float) -> float:
        """The least difference that is kept, between one that is and one that is not.

        `start` is a guess. Once the edge is found by the angles met so far, the
        difference just beyond it is tested, and if it is kept the search goes on there.
        """
        if rejected < start < kept:
            kept, rejected = (start, rejected) if self.keeps(start) else (kept, start)
        for scale in SCALES:
            while kept - rejected > 1 / scale:
                outside = self._outside(kept, rejected, scale)
                inside, outside = _narrowed(self.excess, kept, outside, scale)
                if outside == rejected or not self.keeps(outside):
                    kept, rejected = inside, outside
                    break
                kept = outside
        return kept

    def _outside(self, kept: float, rejected: float, scale: float) -> float:
        """A difference beyond the edge by the angles met so far, in growing steps."""
        b, c, n = self.counts
        step = math.sqrt(b + c + 1) / (10 * n)
        here = kept
        while here - rejected > 1 / scale:
            here = max(here - step, (here + rejected) / 2)
            step *= 2
            if self.excess(here) < 0:
                return here
        return rejected


def _narrowed(
    excess: Callable[[float], float], inside: float, outside: float, scale: float
) -> tuple[float, float]:
    """Neighbours on the scale of limits: an excess of at least 0, and one below.

    What was found to be kept or rejected stays so, whatever angles are known.
    """
    values = {inside: max(excess(inside), TINY), outside: min(excess(outside), -TINY)}

    def on_scale(delta: float) -> float:
        if delta > outside:
            delta = min(inside, math.ceil(delta * scale) / scale)
        if delta not in values:
            values[delta] = excess(delta)
        return values[delta]

    brentq(on_scale, outside, inside, xtol=1 / (4 * scale))
    edge = min(delta for delta, value in values.items() if value >= 0)
    return edge, max(delta for delta, value in values.items() if value < 0 and delta < edge)
