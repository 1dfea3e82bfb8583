"""Tests of ten (or 2 M) differences, decided for many data sets at once.

With `p` the differences of the test halves, `W` the mean of their variances within the
halves, and `s2` the sample variance of all of them, a rule is a standard error of the mean
difference and degrees of freedom.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

ALPHA = 0.05


@cache
def t_critical(alpha, df):
    """Two-sided critical value of Student's t."""
    return t_distribution.ppf(1 - alpha / 2, df)


@dataclass(frozen=True)
class Summary:
    """What the rules need to know of every data set (axis 0) and measure (axis 1)."""

    mean: np.ndarray
    within: np.ndarray
    spread: np.ndarray
    halves: np.ndarray
    repeats: np.ndarray
    squares: np.ndarray
    n_repeats: int

    @classmethod
    def of(cls, difference, variance, n_repeats=None):
        """From (draws, M, 2, measures), or the first `n_repeats` of the M repetitions."""
        p = difference[:, :n_repeats].astype(float)
        v = variance[:, :n_repeats].astype(float)
        m = p.shape[1]
        mean = p.mean(axis=(1, 2))
        total = ((p - mean[:, np.newaxis, np.newaxis]) ** 2).sum(axis=(1, 2))
        halves = ((p[:, :, 0] - p[:, :, 1]) ** 2 / 2).mean(axis=1)
        repeats = p.mean(axis=2).var(axis=1, ddof=1) if m > 1 else np.zeros_like(mean)
        return cls(
            mean, v.mean(axis=(1, 2)), total / (2 * m - 1), halves, repeats,
            (p**2).sum(axis=(1, 2)), m,
        )  # fmt: skip


def widest(summary, c, k):
    """Squared standard error c max(W, k s2)."""
    return c * np.maximum(summary.within, k * summary.spread)


def added(summary, a, b):
    """Squared standard error a W + b s2."""
    return a * summary.within + b * summary.spread


def split(summary, a, b):
    """Squared standard error a W + b (variance of the means of repetitions)."""
    return a * summary.within + b * summary.repeats


@dataclass(frozen=True)
class Rule:
    """A t test with a squared standard error of these weights."""

    kind: str
    first: float
    second: float
    df: float

    @property
    def name(self):
        reference = "normal" if np.isinf(self.df) else f"t({self.df:g})"
        c, k = f"{self.first:g}", f"{self.second:g}"
        if self.kind == "widest":
            inside = "W" if self.second == 0 else f"max(W, {k} s2)"
            return f"{c} {inside}, {reference}"
        if self.kind == "added":
            sums = [f"{c} W"] * (self.first > 0) + [f"{k} s2"] * (self.second > 0)
            return f"{' + '.join(sums)}, {reference}"
        return f"{c} W + {k} s2 between repetitions, {reference}"

    def squared_error(self, summary):
        return _KINDS[self.kind](summary, self.first, self.second)

    def rejections(self, summary, null=0.0, alpha=ALPHA):
        """Which data sets are rejected; those without a difference or an error are not."""
        critical = t_critical(alpha, self.df)
        error = self.squared_error(summary)
        distance = (summary.mean - null) ** 2
        return (distance > critical**2 * error) & (error > 0)


_KINDS = {"widest": widest, "added": added, "split": split}

FACTORS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1.0, 1.1, 1.25, 1.5)
WIDEST = tuple(
    Rule("widest", c, k, df)
    for c in FACTORS
    for k in (0, 0.8, 1, 1.25, 1.5, 1.8, 2, 2.5)
    for df in (5, 9, np.inf)
)
ADDED = tuple(
    Rule("added", a, b, df)
    for a in (0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    for b in (0.25, 0.45, 0.6, 0.9, 1.1)
    for df in (5, 9, np.inf)
)
SPLIT = tuple(
    Rule("split", a, b, df)
    for a in (0.55, 0.7, 0.85, 1.0)
    for b in (0.2, 0.5, 1.0)
    for df in (5, 9, np.inf)
)
SPREAD_ONLY = tuple(
    Rule("added", 0.0, b, df)
    for b in (0.9, 1.0, 1.1, 1.25, 1.4, 1.5, 1.6, 1.75, 2.0, 2.25, 2.5, 3.0, 3.5, 4.0)
    for df in (5, 9)
)
CANDIDATES = WIDEST + ADDED + SPLIT
REFERENCE = Rule("widest", 0.55, 2.0, 9)
FIRST_SIMULATION = (
    Rule("widest", 0.55, 0.0, np.inf), Rule("added", 0.0, 1.1, 9), REFERENCE,
)  # fmt: skip


def published_tests(n_repeats):
    """Squared standard errors and references of published t tests: name, function, df.

    The conservative blocked test is also the corrected resampled t test of 2 M halves.
    """
    m = n_repeats

    def blocked(correlations, df):
        rho1, rho2 = correlations
        shared = 1 + rho1 + 2 * (m - 1) * rho2
        multiple = shared / (2 * m - shared)
        return lambda s: multiple * s.spread * (2 * m - 1) / (2 * m), df

    return {
        "blocked_t, published": (
            lambda s: s.spread * (2 * m - 1) / (2 * m), 2 * m - 1,
        ),
        "blocked_t, validation": blocked((0.0, 0.5), m),
        "blocked_t, conservative": blocked((0.5, 0.5), _df(m, 0.5, 0.5)),
        "combined_5x2_t": (lambda s: s.halves / (2 * m), m),
    }  # fmt: skip


def _df(m, rho1, rho2):
    """Degrees of freedom of the blocked m × 2 t test."""
    top = (2 * m * (1 - rho2) - (1 + rho1 - 2 * rho2)) ** 2
    return top / (m * (1 - rho1) ** 2 + (m - 1) * (1 + rho1 - 2 * rho2) ** 2)


def published_rejections(summary, alpha=ALPHA):
    """Rejections by every published test of the differences."""
    m = summary.n_repeats
    out = {}
    for name, (squared_error, df) in published_tests(m).items():
        critical = t_critical(alpha, df)
        error = squared_error(summary)
        out[name] = (summary.mean**2 > critical**2 * error) & (error > 0)
    for name, df in (("combined_5x2_f", 2 * m), ("calibrated_5x2_f", 7)):
        if name == "calibrated_5x2_f" and m != 5:
            continue
        critical = f_distribution.ppf(1 - alpha, df, m)
        error = summary.halves * 2 * m
        out[name] = (summary.squares > critical * error) & (error > 0)
    return out


BETWEEN = 2.5
"""Weight of the variance between the halves in the default of bcv_mcnemar."""


def mcnemar_rejections(counts, n_repeats, alpha=ALPHA, least=0.0):
    """Rejections by bcv_mcnemar, from average discordant records and their balance.

    `least` is the least variance in squared effective records; without one it is the
    published test.
    """
    discordant, balance = (counts * effective_halves(n_repeats)).astype(float).T
    distance = np.maximum(0, np.abs(balance) - 1)
    critical = t_critical(alpha, np.inf)
    return distance**2 > critical**2 * np.maximum(np.maximum(discordant, least), 1e-12)


def mcnemar_least(spread, n, n_repeats):
    """The least variance of the default, from `s2` and the number of all records."""
    effective = effective_halves(n_repeats) * n / 2
    return effective**2 * BETWEEN * spread.astype(float) / (2 * n_repeats)


def effective_halves(n_repeats):
    """Averaged halves that all splits are worth to bcv_mcnemar."""
    return 2 * n_repeats / (1.5 + n_repeats - 1)


CHOSEN = Rule("widest", 1.0, 1.25, 9)
"""The mean of the ten differences is taken to be no more precise than one of them, and s2
is raised by a quarter. Where training noise dominates, the ten differences have about five
degrees of freedom, which asks for .9 t(5)² / t(9)² = 1.16."""

FIRST_CHOICE = Rule("widest", 1.0, 1.0, 9)
"""The most powerful rule with round constants that tuning found at or below the nominal
level everywhere, at .01, .05 and .1. Confirmation rejected it in one cell."""

CHOSEN_SPREAD = Rule("added", 0.0, 4.0, 5)
"""The rule without variances that holds the level in tuning; it finds next to nothing."""

NEIGHBOURS = (Rule("widest", 0.9, 0.8, 9), Rule("widest", 0.9, 1.25, 9))
"""Rules of more power, for comparison."""


def for_repeats(rule, n_repeats):
    """A rule for five repetitions carried over to others: the degrees of freedom change."""
    df = n_repeats if rule.df == 5 else 2 * n_repeats - 1
    return Rule(rule.kind, rule.first, rule.second, df)
