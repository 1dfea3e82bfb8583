"""P-values and limits from resampled differences, each the inversion of the other."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray

NOISE = 1e-12

Pair = tuple[float, float]


def rounding_of(*values: float) -> float:
    """Differences of such values up to this are rounding."""
    return NOISE * max(1.0, *map(abs, values))


@dataclass(frozen=True, slots=True, eq=False)
class ResampledDifferences:
    """Sorted differences of resamples, with the corrections of Efron's BCa method.

    A true difference of theta is rejected towards larger ones where p(k) < alpha, with k
    the number of resampled differences up to theta. With no correction p(k) is
    (1 + k) / (R + 1). The limit is the least theta that is not rejected, one of the
    resampled differences, so that limits and p-values agree.

    Parameters
    ----------
    values : ndarray of shape (n_resamples,)
        Sorted.
    shift : float, default=0
        Efron's z0: the normal quantile of the share of resamples below the estimate.
    acceleration : float, default=0
        How fast the standard error changes with the difference, on the normal scale.
    """

    values: FloatArray
    shift: float = 0.0
    acceleration: float = 0.0

    @property
    def mirrored(self) -> "ResampledDifferences":
        """The same with the roles exchanged."""
        return ResampledDifferences(-self.values[::-1], -self.shift, -self.acceleration)

    def tails(self) -> FloatArray:
        """P-value towards larger differences for k = 0, ..., R resamples up to the null.

        Efron (1987), equation 2.3, solved for the level. It is never below 1 / (R + 1).
        """
        R = len(self.values)
        shares = np.arange(1, R + 2) / (R + 1)
        if not (self.shift or self.acceleration):
            # Exactly, so that p = 0.05 is no number just below it.
            return shares
        distance = ndtri(shares[:-1]) - self.shift
        scale = 1 + self.acceleration * distance
        with np.errstate(invalid="ignore", divide="ignore"):
            corrected = distance / scale - self.shift
        # Beyond the pole no level has a limit there, or all have.
        corrected[scale <= 0] = np.where(distance < 0, -np.inf, np.inf)[scale <= 0]
        return np.append(np.maximum(ndtr(corrected), 1 / (R + 1)), 1.0)

    def pvalue(self, alternative: str, null: float = 0.0) -> float:
        """Least level at which the limits exclude the null value."""
        if alternative == "less":
            return self.mirrored.pvalue("greater", -null)
        up_to = int(np.searchsorted(self.values, null, side="right"))
        pvalue = float(self.tails()[up_to])
        if alternative == "greater":
            return pvalue
        return min(1.0, 2 * pvalue, 2 * self.mirrored.pvalue("greater", -null))

    def limits(self, bounds: Pair, confidence_level: float, alternative: str) -> Pair:
        """All differences that are not rejected."""
        alpha, sides = alpha_of(confidence_level), 2 if alternative == "two-sided" else 1
        low = -math.inf if alternative == "less" else self._least(alpha, sides)
        high = math.inf if alternative == "greater" else -self.mirrored._least(alpha, sides)
        return max(low, bounds[0]), min(high, bounds[1])

    def _least(self, alpha: float, sides: int) -> float:
        n_rejected = int(np.searchsorted(np.minimum(1.0, sides * self.tails()), alpha))
        if n_rejected == 0:
            return -math.inf
        return float(self.values[min(n_rejected, len(self.values)) - 1])

    def error_of(self, pvalue: float, alternative: str, null: float = 0.0) -> float:
        """Standard error of the p-value, by the delta method for its two shares.

        Those are the resamples up to the null and those below the estimate; the
        acceleration is left out of it.
        """
        if alternative == "two-sided":
            smaller = min(("greater", "less"), key=lambda way: self.pvalue(way, null))
            return 2 * self.error_of(pvalue / 2, smaller, null)
        if alternative == "less":
            return self.mirrored.error_of(pvalue, "greater", -null)
        R = len(self.values)
        share = (1 + np.searchsorted(self.values, null, side="right")) / (R + 2)
        below = float(ndtr(self.shift))
        together = min(share, below) - share * below
        of_share, of_below = 1 / _density(ndtri(share)), -2 / _density(self.shift)
        variance = share * (1 - share) * of_share**2
        if self.shift or self.acceleration:
            variance += below * (1 - below) * of_below**2
            variance += 2 * together * of_share * of_below
        height = _density(ndtri(min(max(pvalue, NOISE), 1 - NOISE)))
        return float(height * math.sqrt(max(0.0, variance) / R))


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
