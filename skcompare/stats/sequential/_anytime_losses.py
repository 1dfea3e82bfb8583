"""Bets on losses with a known bound: a mixture of shares on a fixed grid."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from skcompare._core.validation import is_number
from skcompare._registry.metrics import record_losses
from skcompare._typing import FloatArray
from skcompare.evidence import PairedLosses
from skcompare.stats.losses._paired_t import without_noise

STEPS = np.arange(1, 65)
"""Numbers of the shares of one sign, the largest first."""

SHARES = np.concatenate([-(2.0 ** (-STEPS / 4)), 2.0 ** (-STEPS[::-1] / 4)])
"""Shares that are bet, in units of 1 / bound.

Neighbours are a quarter of an octave apart, so that one is within 9 % of the best share,
and its gain within 1 % of that of the best. They reach from 0.84 to 2^-16, which is the
best share for a difference that takes about 10^10 records to detect.
"""

FIRST = 8
"""Constant in the probabilities of shares, which fall as 1 / (FIRST + number).

Equal probabilities would cost more of the gain of large shares, which decide where there
are few records, and only a little less of that of small ones.
"""

LOG_WEIGHTS = -np.log(FIRST + np.concatenate([STEPS, STEPS[::-1]]))
LOG_WEIGHTS -= logsumexp(LOG_WEIGHTS)

SMALL = np.abs(SHARES) <= 2.0**-4
"""Shares for which 12 terms of the logarithm's power series leave 1e-17 per record."""

TERMS = 12
CHUNK = 1 << 14
FACTORS = 64
"""Number of factors, none below 0.15, that are multiplied before taking a logarithm."""

MOST_PLANNED = 10_000
"""Largest number of records for the variation of gains; more are thinned out."""

ROUNDING = 5e-7
"""Share of the bound by which differences may exceed it, for single precision."""

LEAST_BOUND = 1e-140
"""Least bound; the squares of smaller ones underflow."""


@dataclass(frozen=True, slots=True, eq=False)
class GridBets:
    """Gains on some records of a mixture of bets on a grid of shares.

    Attributes
    ----------
    n, mean, bound : float
        Number of records, mean difference, and largest possible size of a difference.
    growth : ndarray of shape (n_shares,)
        Sum of log(1 + share x / bound) over the differences x of the records, or less.
    deviation : float
        Root mean square of the differences.
    swings : ndarray of shape (n_shares,), optional
        Covariances of log(1 + share x / bound) with that of one share, over the standard
        deviation of the latter; for planning numbers of records.
    """

    n: float
    mean: float
    bound: float
    growth: FloatArray
    deviation: float
    swings: FloatArray | None = None

    @property
    def reach(self) -> float:
        """Approximate half-width of the interval."""
        return 3 * (self.deviation / math.sqrt(self.n) + self.bound / self.n)

    def swap(self) -> "GridBets":
        """Return the bets with the roles exchanged."""
        swings = None if self.swings is None else self.swings[::-1]
        mirrored = self.growth[::-1]
        return replace(self, mean=-self.mean, growth=mirrored, swings=swings)

    def expected(self, records: float, beyond: float) -> "GridBets":
        """Return the gains projected to `records` records, shifted from expectation.

        The shift is `beyond` standard deviations of the common variation of all gains.
        """
        growth = records * self.growth / self.n
        growth = growth + math.sqrt(records) * beyond * self._own_swings
        return replace(self, n=records, growth=growth)

    @property
    def _own_swings(self) -> FloatArray:
        """Swings, or if unknown those of normal differences.

        The mean slope of log(1 + s x), that of s / (1 + s x), is s (1 - s g'(s)), with g
        the mean gain; times a standard deviation of x (Stein's formula).
        """
        if self.swings is not None:
            return self.swings
        spread = math.sqrt(max(0.0, self.deviation**2 - self.mean**2)) / self.bound
        slopes = np.gradient(self.growth / self.n, SHARES)
        result: FloatArray = SHARES * (1 - SHARES * slopes) * spread
        return result

    def __add__(self, other: "GridBets") -> "GridBets":
        n = self.n + other.n
        squares = self.n * self.deviation**2 + other.n * other.deviation**2
        return GridBets(
            n,
            (self.n * self.mean + other.n * other.mean) / n,
            self.bound,
            self.growth + other.growth,
            math.sqrt(squares / n),
        )

    def log_wealth(self, null: float, alternative: str) -> float:
        """Return the logarithm of the e-value against a mean difference."""
        gained = self.growth - self.n * np.log1p(SHARES * (null / self.bound))
        gained = gained + LOG_WEIGHTS
        if alternative == "two-sided":
            return float(logsumexp(gained))
        half = SHARES > 0 if alternative == "greater" else SHARES < 0
        return math.log(2) + float(logsumexp(gained[half]))


def loss_bets(losses: PairedLosses, bound: float) -> GridBets:
    """Return the gains of bets on the losses, or their lower bound from moments."""
    moments = losses.moments
    squares = moments.gain_squares / losses.n + moments.gain**2
    if losses.values is None:
        _check_within(max(abs(moments.gain), math.sqrt(squares)), bound)
        growth = _least_growth(losses, bound)
    else:
        differences = without_noise(losses.differences, moments.noise)
        _check_within(float(np.abs(differences).max()), bound)
        growth = _growth(np.clip(differences / bound, -1.0, 1.0))
    return GridBets(losses.n, moments.gain, bound, growth, math.sqrt(squares))


def planned_bets(losses: PairedLosses, bound: float, null: float) -> GridBets:
    """Return the gains of bets, with the variation between records if available."""
    bets = loss_bets(losses, bound)
    if losses.values is None:
        return bets
    on_side = SHARES * (bets.mean - null) > 0
    rates = bets.growth / bets.n - np.log1p(SHARES * (null / bound))
    best = int(np.argmax(np.where(on_side, rates, -math.inf)))
    step = -(-losses.n // MOST_PLANNED)
    scaled = np.clip(losses.differences[::step] / bound, -1.0, 1.0)
    gains = np.log1p(np.multiply.outer(scaled, SHARES))
    gains -= gains.mean(axis=0)
    spread = math.sqrt(float(np.mean(gains[:, best] ** 2)))
    swings = gains.T @ gains[:, best] / (len(gains) * spread) if spread else 0.0 * SHARES
    return replace(bets, swings=swings)


def bound_of(loss: str, bound: float | None) -> float:
    """Return the bound on differences of losses, by default the bound of the loss."""
    entry = record_losses().get(loss)
    if bound is None and entry is not None:
        bound = entry.bound
    if bound is None:
        raise ValueError(
            "anytime_losses needs a bound on the differences of a record's losses, and "
            f"{loss!r} has none that is known. Pass `bound`, fixed before the "
            "records were seen: log losses of probabilities that were clipped by "
            "eps=0.01 differ by at most -log(0.01), about 4.61. Or take a bounded loss, "
            "such as 'binary_brier_loss'."
        )
    if not is_number(bound) or not LEAST_BOUND <= bound < math.inf:
        raise ValueError(
            f"`bound` must be a number above 0, of at least {LEAST_BOUND:g}. Got "
            f"{bound!r}. It is the largest difference that the two losses of a record can "
            "have, either way."
        )
    return float(bound)


def _check_within(largest: float, bound: float) -> None:
    if largest > bound * (1 + ROUNDING):
        raise ValueError(
            f"The two losses of a record must differ by at most `bound`, {bound:g}. Got a "
            f"difference of {largest:.9g}. The test is valid for a bound that no record "
            "can exceed: clip the losses to a range that is fixed beforehand, or pass the "
            "true bound."
        )


def _growth(scaled: FloatArray) -> FloatArray:
    """Sum of log(1 + share * x) over scaled differences x, for each share."""
    growth = np.zeros(len(SHARES))
    powers, large = np.zeros(TERMS), SHARES[~SMALL]
    for start in range(0, len(scaled), CHUNK):
        part = scaled[start : start + CHUNK]
        power = np.ones_like(part)
        for k in range(TERMS):
            power *= part
            powers[k] += power.sum()
        rows = np.zeros((FACTORS, -(-len(part) // FACTORS)))
        rows.ravel()[: len(part)] = part
        growth[~SMALL] += [
            np.log(np.multiply.reduce(1 + share * rows, axis=0)).sum() for share in large
        ]
    degrees = np.arange(1, TERMS + 1)
    terms = -((-SHARES[SMALL, np.newaxis]) ** degrees) / degrees
    growth[SMALL] = terms @ powers
    return growth


def _least_growth(losses: PairedLosses, bound: float) -> FloatArray:
    """Lower bound of the growth, from sums and sums of squares.

    log(1 + s x) >= s x + x² (log(1 - s) + s) for x >= -1 and 0 <= s < 1 (Fan, Grama and Liu
    2015), and the same for the mirrored x.
    """
    moments = losses.moments
    total = losses.n * moments.gain / bound
    squares = (moments.gain_squares + losses.n * moments.gain**2) / bound**2
    sizes = np.abs(SHARES)
    result: FloatArray = SHARES * total + squares * (np.log1p(-sizes) + sizes)
    return result
