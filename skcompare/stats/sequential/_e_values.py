"""E-values of record differences, confidence limits by inversion, and sample sizes.

The differences x of the records lie in [-R, R]. Against a mean of at most d one can bet a
share kappa on the challenger: each record multiplies the wealth by

    (1 + kappa x) / (1 + kappa d),    -1/R < kappa < 1/R,

whose expectation is 1 if the mean is d, and with a positive kappa at most 1 if the mean is
less (Waudby-Smith and Ramdas 2024; their stake is kappa / (1 + kappa d)). A mixture of such
bets over shares that were fixed before the records were seen is a nonnegative martingale
too (Robbins 1970), called the e-value here. By Ville's (1939) inequality the probability
that it ever exceeds 1 / alpha is at most alpha.

The e-value is convex in d, and at most 1 where d is the mean of the records (by Jensen's
inequality), so that the differences that are not rejected are an interval around it.

On losses with a known bound the bets are a mixture of shares on a fixed grid.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, gammaln, logsumexp, ndtr, xlogy

from skcompare._core.validation import alpha_of, is_number
from skcompare._registry.metrics import NUMBERS, record_losses
from skcompare._typing import FloatArray
from skcompare.evidence import PairedLosses
from skcompare.stats.core._limits import Limits, increasing_root
from skcompare.stats.core._power import Aim, smallest
from skcompare.stats.core._result import Tested
from skcompare.stats.core._tails import outward
from skcompare.stats.losses._paired_t import without_noise

SMALLEST = 5e-324
"""Smallest double, instead of a p-value of 0."""

ROUNDING = 1e-12
"""Largest logarithm of an e-value that counts as 1."""

LARGEST_LOG = 700.0
"""Largest logarithm of an e-value that a double can safely hold."""

BESIDE = 1e-15
"""Distance from the largest difference, as a share of it, that counts as none."""


NEGLIGIBLE = 45.0
"""Distance of the logarithm of an integrand from its maximum where it is cut off."""

NO_WIDTH = 1e-200

LADDER = 2.0 ** np.arange(-52, 11)
"""Distances from the maximum at which the integrand may be cut off."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
FEWEST_PANELS, MOST_PANELS = 6, 96
ACCURACY = 1e-12


@dataclass(frozen=True, slots=True)
class CountBets:
    """Gains of a beta mixture of bets on records of correct predictions.

    (1 + kappa) / 2 has the density of a symmetric beta distribution with parameters
    `prior`. Against equal accuracies that gives

        2^(b + c) B(prior + b, prior + c) / B(prior, prior)

    for b and c discordant records, the beta-binomial mixture martingale, whatever the
    number of concordant ones. One-sided bets are the half of it that favours one
    classifier.
    """

    only_champion: float
    only_challenger: float
    n: float
    prior: float = 1.0

    @property
    def mean(self) -> float:
        """Accuracy of the challenger minus that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n

    @property
    def bound(self) -> float:
        """Largest possible difference for a single record."""
        return 1.0

    @property
    def reach(self) -> float:
        """Approximate half-width of the interval."""
        return 3 * math.sqrt(self.only_champion + self.only_challenger + 1) / self.n

    def swap(self) -> "CountBets":
        """Return the bets with the roles exchanged."""
        return replace(
            self, only_champion=self.only_challenger, only_challenger=self.only_champion
        )

    def expected(self, records: float, beyond: float) -> "CountBets":
        """Return bets projected to `records` records, `beyond` deviations from the mean.

        In standard deviations of the mean; the counts change by their correlation with it.
        """
        b, c, mean = self.only_champion / self.n, self.only_challenger / self.n, self.mean
        spread = math.sqrt(max(0.0, b + c - mean**2))
        step = beyond / (spread * math.sqrt(records)) if spread else 0.0
        lost = max(0.0, b * (1 - (1 + mean) * step))
        won = max(0.0, c * (1 + (1 - mean) * step))
        scale = records / max(1.0, lost + won)
        return CountBets(lost * scale, won * scale, records, self.prior)

    def __add__(self, other: "CountBets") -> "CountBets":
        return CountBets(
            self.only_champion + other.only_champion,
            self.only_challenger + other.only_challenger,
            self.n + other.n,
            self.prior,
        )

    def log_wealth(self, null: float, alternative: str) -> float:
        """Return the logarithm of the e-value against a difference of accuracies."""
        if alternative == "less":
            return self.swap().log_wealth(-null, "greater")
        constant = math.log(2) - float(betaln(self.prior, self.prior))
        if alternative == "two-sided":
            return constant + self._log_integral(null, -math.inf)
        return constant + math.log(2) + self._log_integral(null, 0.0)

    def _log_integral(self, null: float, start: float) -> float:
        """Log of the integral of gain times density over kappa = tanh t, from `start`.

        The integrand has one maximum in t, and falls exponentially at the ends.
        """

        def integrand(t: FloatArray) -> FloatArray:
            return self._log_integrand(t, null)

        mode = self._mode(null)
        # Panels of almost no width would have weights of 0.
        mode = max(start, mode if abs(mode) > NO_WIDTH else 0.0)
        above = _end(integrand, mode, 1.0)
        below = mode if mode == start else max(start, mode - _end(integrand, mode, -1.0))
        return _log_quadrature(integrand, [below, mode, mode + above])

    def _log_integrand(self, t: FloatArray, null: float) -> FloatArray:
        shares = _log_share(t), _log_share(-t)
        log_plus, log_minus, cost = log_factors(t, null, shares)
        edges = shares[0] + shares[1]
        gains = self.only_challenger * log_plus + self.only_champion * log_minus
        return gains - self.n * cost + self.prior * edges

    def _mode(self, null: float) -> float:
        """Maximum of the integrand: the root in (-1, 1) of a quadratic in kappa."""
        b, c, n = self.only_champion, self.only_challenger, self.n
        square = null * (n - b - c - 2 * self.prior)
        linear = b + c + 2 * self.prior - null * (c - b)
        constant = (c - b) - n * null
        root = math.sqrt(max(0.0, linear**2 - 4 * square * constant))
        kappa = 2 * constant / (linear + root)
        return math.atanh(min(1 - 1e-16, max(1e-16 - 1, kappa)))


def log_factors(
    t: FloatArray, null: float, shares: tuple[FloatArray, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of 1 + kappa, 1 - kappa and 1 + kappa null, for kappa = tanh t.

    Small ones keep their digits because they are multiplied by numbers of records. The
    logarithms of (1 + kappa) / 2 and (1 - kappa) / 2 are computed unless they are given.
    """
    above, below = shares or (_log_share(t), _log_share(-t))
    kappa = np.tanh(t)
    small = np.abs(kappa) < 0.5
    inner = np.where(small, kappa, 0.0)
    log_plus = np.where(small, np.log1p(inner), math.log(2) + above)
    log_minus = np.where(small, np.log1p(-inner), math.log(2) + below)
    step = kappa * null
    near = np.abs(step) < 0.5
    far = np.log((1 + null) * np.exp(above) + (1 - null) * np.exp(below))
    return log_plus, log_minus, np.where(near, np.log1p(np.where(near, step, 0.0)), far)


def _log_share(t: FloatArray) -> FloatArray:
    """Logarithm of (1 + tanh t) / 2."""
    return -np.logaddexp(0.0, -2 * t)


def _end(integrand: Callable[[FloatArray], FloatArray], mode: float, sign: float) -> float:
    """Distance from the maximum where the integrand is negligible, up to a factor of 2."""
    relevant = (
        integrand(np.add(mode, sign * LADDER)) > integrand(np.array([mode])) - NEGLIGIBLE
    )
    return float(LADDER[min(len(LADDER) - 1, int(np.count_nonzero(relevant)))])


def _log_quadrature(
    integrand: Callable[[FloatArray], FloatArray], bounds: list[float]
) -> float:
    """Logarithm of an integral, by Gauss-Legendre quadrature on ever more panels."""
    previous, n_panels = math.nan, FEWEST_PANELS
    while True:
        edges = np.concatenate(
            [np.linspace(*pair, n_panels + 1) for pair in pairwise(bounds)]
        )
        low, width = edges[:-1, np.newaxis], np.diff(edges)[:, np.newaxis]
        t = low + width * (NODES + 1) / 2
        value = float(logsumexp(integrand(t), b=WEIGHTS * width / 2))
        if abs(value - previous) <= ACCURACY or n_panels >= MOST_PANELS:
            return value
        previous, n_panels = value, 2 * n_panels


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

SINGLE_PRECISION = 5e-7
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
        return SHARES * (1 - SHARES * slopes) * spread

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
    if entry is not None and entry.relative:
        raise ValueError(
            f"anytime_losses is not valid for {loss!r}, which is relative to the targets "
            "of all records: it changes as they come, and no bound of it can be fixed "
            "beforehand. Use 'squared_error' or 'absolute_error' (as measures "
            "'neg_mean_squared_error', 'neg_mean_absolute_error'), with a `bound`."
        )
    if bound is None and entry is not None:
        bound = entry.bound
    if bound is None:
        raise ValueError(
            "anytime_losses needs a bound on the differences of a record's losses, and "
            f"{loss!r} has none that is known. Pass `bound`, fixed before the "
            f"records were seen: {_advice(loss)}"
        )
    if not is_number(bound) or not LEAST_BOUND <= bound < math.inf:
        raise ValueError(
            f"`bound` must be a number above 0, of at least {LEAST_BOUND:g}. Got "
            f"{bound!r}. It is the largest difference that the two losses of a record can "
            "have, either way."
        )
    return float(bound)


def _advice(loss: str) -> str:
    """Text of how to find a bound of a loss that has none."""
    entry = record_losses().get(loss.partition("(")[0])
    if entry is not None and entry.target == NUMBERS:
        return (
            "where targets and predictions are from 0 to 100, absolute errors differ by at "
            "most 100, and squared ones by 10000. Or clip the losses at a fixed value, "
            "which is then the bound."
        )
    return (
        "log losses of probabilities that were clipped by eps=0.01 differ by at most "
        "-log(0.01), about 4.61. Or take a bounded loss, such as 'binary_brier_loss'."
    )


def _check_within(largest: float, bound: float) -> None:
    if largest > bound * (1 + SINGLE_PRECISION):
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
    return SHARES * total + squares * (np.log1p(-sizes) + sizes)


Bets = CountBets | GridBets
"""Gains of a mixture of bets on some records."""


def anytime_tail(log_wealth: float) -> tuple[float, float]:
    """P-value min(1, 1 / e) of an e-value, and its logarithm."""
    log_pvalue = -log_wealth if log_wealth > ROUNDING else 0.0
    return max(SMALLEST, math.exp(log_pvalue)), log_pvalue


def anytime_limits(
    bets: Bets, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Limits of the differences whose e-value is at most 1 / alpha."""
    most = -math.log(alpha_of(confidence_level))
    low, high = -bets.bound, bets.bound
    if alternative != "less":
        mirrored = {"greater": "less"}.get(alternative, alternative)
        low = -_upper(bets.swap(), most, mirrored)
    if alternative != "greater":
        high = _upper(bets, most, alternative)
    return low, high


def _upper(bets: Bets, most: float, alternative: str) -> float:
    """Largest difference with a log e-value of at most `most`."""

    def beyond(difference: float) -> float:
        return bets.log_wealth(difference, alternative) - most

    end = bets.bound * (1 - BESIDE)
    inside = max(bets.mean, -end)
    if inside >= end:
        return bets.bound
    # The mean itself is inside up to rounding.
    if beyond(inside) >= 0:
        return inside
    precision = 1e-15 * bets.bound
    root = increasing_root(beyond, inside, bets.reach, (-end, end), precision=precision)
    return bets.bound if root == end else root


FEW_DISCORDANT = 120
"""Largest number of expected discordant records for summing over all counts."""

NEGLIGIBLE_SPREAD = 5.0
"""Standard deviations from the mean beyond which counts are left out."""

SPACING, FARTHEST = 0.04, 6.0
"""Nodes of the mixture, as t of kappa = tanh t, close enough for two digits of power."""

FARTHEST_MEAN = 9.0
"""Largest distance of a mean from its expectation, in standard deviations."""

PRECISION = 1e-6
"""Relative precision of numbers of records above a million."""


class BetsAgainst(NamedTuple):
    """Bets on records, and the mean difference that they are to be evidence against."""

    bets: Bets
    null: float

    def outcome(
        self, alternative: str, nothing: bool
    ) -> tuple[Tested, Limits, dict[str, float]]:
        """Test, limits and details of a result, also where `nothing` was won or lost."""
        bets, null = self
        # The logarithm of an e-value without bets is 0 without rounding.
        log_wealth = 0.0 if nothing else bets.log_wealth(null, alternative)
        statistic, details = 0.0, {"log_e_value": log_wealth}
        if log_wealth > ROUNDING:
            statistic = math.copysign(log_wealth, bets.mean - null)
        if log_wealth < LARGEST_LOG:
            details["e_value"] = math.exp(log_wealth)
        tested = statistic, anytime_tail(log_wealth), ("degenerate",) * nothing
        return tested, partial(anytime_limits, bets), details

    def sample_size(self, n: float, aim: Aim) -> float:
        """Smallest number of records at which the e-value exceeds 1 / alpha with `power`.

        Records are assumed to be like the observed ones. Infinite where the mean is at the
        null value, or on the other side. A test with interim analyses needs fewer on
        average, because it may stop at one of them.
        """
        bets, null = self
        distance = bets.mean - null
        if outward(distance, aim.alternative) <= 0:
            return math.inf
        # A rejection on the wrong side does not count, and hardly ever happens.
        if distance < 0:
            bets, null = bets.swap(), -null
        side = "two-sided" if aim.alternative == "two-sided" else "greater"
        options: dict[str, Any] = {"null": null, "alpha": aim.alpha, "alternative": side}
        needed = smallest(
            lambda n: normal_power(bets, n, **options) >= aim.power,
            1.0,
            precision=PRECISION,
        )
        if not isinstance(bets, CountBets):
            return needed
        share = (bets.only_champion + bets.only_challenger) / bets.n
        if needed * share > FEW_DISCORDANT:
            return needed
        counts, least = bets, max(1.0, needed // 2)
        return smallest(
            lambda n: counted_power(counts, n, **options) >= aim.power,
            least,
            low=least - 1,
            most=2 * needed + 8,
        )


def normal_power(
    bets: Bets, records: float, *, null: float, alpha: float, alternative: str
) -> float:
    """Power if one normal variable determines the gains of all bets.

    For a two-sided test the bets on the correct side count, half of all.
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
    """Power by summation over all likely numbers of discordant records."""
    b, c = bets.only_champion / bets.n, bets.only_challenger / bets.n
    only_champion, only_challenger = _likely(records, b)[:, np.newaxis], _likely(records, c)
    concordant = records - only_champion - only_challenger
    possible = concordant >= 0
    concordant = np.where(possible, concordant, 0.0)
    logs = gammaln(records + 1) - gammaln(only_champion + 1) - gammaln(only_challenger + 1)
    logs = logs - gammaln(concordant + 1) + xlogy(only_champion, b)
    logs = logs + xlogy(only_challenger, c) + xlogy(concordant, max(0.0, 1 - b - c))
    chances = np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
    counts: Any = only_champion, only_challenger, records, bets.prior
    gained = _grid_wealth(CountBets(*counts), null, alternative)
    return float(chances[gained >= 1 / alpha].sum() / chances.sum())


def _likely(records: float, share: float) -> FloatArray:
    """Likely numbers of records with an outcome of the given probability."""
    mean = records * share
    reach = NEGLIGIBLE_SPREAD * math.sqrt(mean * (1 - share)) + NEGLIGIBLE_SPREAD * (
        mean > 0
    )
    low, high = max(0, math.floor(mean - reach)), min(records, math.ceil(mean + reach))
    return np.arange(low, high + 1, dtype=float)


def _grid_wealth(bets: CountBets, null: float, alternative: str) -> FloatArray:
    """E-values of bets on arrays of counts, by summation over a grid of shares."""
    t = np.arange(SPACING / 2, FARTHEST, SPACING)
    if alternative == "two-sided":
        t = np.concatenate([-t[::-1], t])
    gains, losses, costs = log_factors(t, null)
    log_density = bets.prior * (log_factors(t, 0.0)[0] + log_factors(-t, 0.0)[0])
    density = np.exp(log_density)
    density /= density.sum()
    wealth: FloatArray = np.zeros(np.shape(bets.only_champion + bets.only_challenger))
    for gain, loss, cost, weight in zip(gains, losses, costs, density, strict=True):
        grown = bets.only_challenger * gain + bets.only_champion * loss - bets.n * cost
        wealth += weight * np.exp(np.minimum(grown, 600.0))
    return wealth
