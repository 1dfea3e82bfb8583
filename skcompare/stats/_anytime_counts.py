"""Bets on who is right: the beta-binomial mixture, and what it is for other differences."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import betaln, logsumexp

from skcompare._typing import FloatArray

NEGLIGIBLE = 45.0
"""Where the logarithm of what is integrated is this much below its maximum, it ends."""

NO_WIDTH = 1e-200

LADDER = 2.0 ** np.arange(-52, 11)
"""Distances from the maximum at which its end is looked for."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
FEWEST_PANELS, MOST_PANELS = 6, 96
ACCURACY = 1e-12


@dataclass(frozen=True, slots=True)
class CountBets:
    """What a beta mixture of bets has gained on records of who was right.

    (1 + kappa) / 2 has the density of a symmetric beta distribution with parameters
    `prior`. Against equal accuracies that gives

        2^(b + c) B(prior + b, prior + c) / B(prior, prior)

    of b and c discordant records, the beta-binomial mixture martingale, whatever the number
    of concordant ones. One-sided bets are the half of it that favours one classifier.
    """

    only_champion: float
    only_challenger: float
    n: float
    prior: float = 1.0

    @property
    def mean(self) -> float:
        """Accuracy of the challenger less that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n

    @property
    def bound(self) -> float:
        """Nobody is better than by 1."""
        return 1.0

    @property
    def reach(self) -> float:
        """About half the width of the interval."""
        return 3 * math.sqrt(self.only_champion + self.only_challenger + 1) / self.n

    def swap(self) -> "CountBets":
        """The same with the roles exchanged."""
        return replace(
            self, only_champion=self.only_challenger, only_challenger=self.only_champion
        )

    def expected(self, records: float, beyond: float) -> "CountBets":
        """What so many records like these have, for a mean that is beyond the expected one.

        That is by so many of its standard deviations; counts move as they are correlated
        with it.
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
        """Logarithm of the e-value against a difference of the accuracies."""
        if alternative == "less":
            return self.swap().log_wealth(-null, "greater")
        constant = math.log(2) - float(betaln(self.prior, self.prior))
        if alternative == "two-sided":
            return constant + self._log_integral(null, -math.inf)
        return constant + math.log(2) + self._log_integral(null, 0.0)

    def _log_integral(self, null: float, start: float) -> float:
        """Of the bets' gain times their density, over kappa = tanh t for t above `start`.

        In t it rises to one maximum and falls again, exponentially at the ends.
        """

        def integrand(t: FloatArray) -> FloatArray:
            return self._log_integrand(t, null)

        mode = self._mode(null)
        # Panels of a width that is next to nothing would have no weights.
        mode = max(start, mode if abs(mode) > NO_WIDTH else 0.0)
        above = _end(integrand, mode, 1.0)
        below = mode if mode == start else max(start, mode - _end(integrand, mode, -1.0))
        return _log_quadrature(integrand, [below, mode, mode + above])

    def _log_integrand(self, t: FloatArray, null: float) -> FloatArray:
        right, wrong, other = log_factors(t, null)
        edges = _log_share(t) + _log_share(-t)
        gained = self.only_challenger * right + self.only_champion * wrong
        result: FloatArray = gained - self.n * other + self.prior * edges
        return result

    def _mode(self, null: float) -> float:
        """Where the integrand is largest: the root in (-1, 1) of a quadratic in kappa."""
        b, c, n = self.only_champion, self.only_challenger, self.n
        square = null * (n - b - c - 2 * self.prior)
        linear = b + c + 2 * self.prior - null * (c - b)
        constant = (c - b) - n * null
        root = math.sqrt(max(0.0, linear**2 - 4 * square * constant))
        kappa = 2 * constant / (linear + root)
        return math.atanh(min(1 - 1e-16, max(1e-16 - 1, kappa)))


def log_factors(t: FloatArray, null: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of 1 + kappa, 1 - kappa and 1 + kappa null, for kappa = tanh t.

    Small ones keep their digits because they are multiplied by numbers of records.
    """
    kappa = np.tanh(t)
    small = np.abs(kappa) < 0.5
    inner = np.where(small, kappa, 0.0)
    right = np.where(small, np.log1p(inner), math.log(2) + _log_share(t))
    wrong = np.where(small, np.log1p(-inner), math.log(2) + _log_share(-t))
    step = kappa * null
    near = np.abs(step) < 0.5
    share = np.exp(_log_share(t)), np.exp(_log_share(-t))
    far = np.log((1 + null) * share[0] + (1 - null) * share[1])
    return right, wrong, np.where(near, np.log1p(np.where(near, step, 0.0)), far)


def _log_share(t: FloatArray) -> FloatArray:
    """Logarithm of (1 + tanh t) / 2."""
    result: FloatArray = -np.logaddexp(0.0, -2 * t)
    return result


def _end(integrand: Callable[[FloatArray], FloatArray], mode: float, sign: float) -> float:
    """Distance from the maximum at which nothing is left, up to a factor of 2."""
    left = integrand(np.add(mode, sign * LADDER)) > integrand(np.array([mode])) - NEGLIGIBLE
    return float(LADDER[min(len(LADDER) - 1, int(np.count_nonzero(left)))])


def _log_quadrature(
    integrand: Callable[[FloatArray], FloatArray], bounds: list[float]
) -> float:
    """Logarithm of an integral by Gauss' rule on more and more panels."""
    last, n_panels = math.nan, FEWEST_PANELS
    while True:
        edges = np.concatenate(
            [np.linspace(*pair, n_panels + 1) for pair in pairwise(bounds)]
        )
        low, width = edges[:-1, np.newaxis], np.diff(edges)[:, np.newaxis]
        t = low + width * (NODES + 1) / 2
        found = float(logsumexp(integrand(t), b=WEIGHTS * width / 2))
        if abs(found - last) <= ACCURACY or n_panels >= MOST_PANELS:
            return found
        last, n_panels = found, 2 * n_panels
