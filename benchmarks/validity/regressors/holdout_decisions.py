"""Tests of a mean difference of losses, for many data sets at once.

Each takes the sets of :class:`Sets` and a generator, and returns one-sided p-values: of
"greater", that the mean is above 0, and of "less". Two-sided p-values are twice the smaller
one. All tests of a mean depend on differences less their null value, so that intervals by
inversion hold the true mean exactly where they do not reject it.
"""

from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import rankdata

from skcompare.evidence import PairedLosses
from skcompare.stats import (
    SkewnessAdjusted,
    influence_moments,
    loss_permutation,
    paired_t,
    wilcoxon,
)
from skcompare.stats.losses._paired_t import FEW_DEGREES, LEVEL, ONE_SIDED_DEGREES

RESAMPLES = 399
DEVIATES = 6
"""Distance of two Monte-Carlo p-values, in standard errors, that shows an error."""


class Sets:
    """Differences of many data sets, of shape (n_sets, n), and their moments."""

    def __init__(self, differences):
        self.differences = differences
        self.n = differences.shape[1]

    @cached_property
    def mean(self):
        return self.differences.mean(axis=1)

    @cached_property
    def deviations(self):
        return self.differences - self.mean[:, None]

    @cached_property
    def squares(self):
        return np.einsum("ij,ij->i", self.deviations, self.deviations)

    @cached_property
    def t(self):
        """The mean in standard errors."""
        return self.mean / np.sqrt(self.squares / (self.n - 1) / self.n)

    @cached_property
    def skewness(self):
        """Skewness of the mean: that of a record over the root of n."""
        return (self.deviations**3).sum(axis=1) / self.squares**1.5

    @cached_property
    def share(self):
        """The largest record's share of the sum of squares."""
        return (self.deviations**2).max(axis=1) / self.squares

    def first(self, n_sets):
        """The first data sets alone."""
        return Sets(self.differences[:n_sets])


def both_sides(statistic, df):
    """P-values of Student's t above and below 0."""
    return np.stack([stdtr(df, -statistic), stdtr(df, statistic)])


def student(sets, rng=None):
    """Student's t, as `paired_t`."""
    return both_sides(sets.t, sets.n - 1)


def degrees_of_few(share, units, most, of_one=FEW_DEGREES):
    """`few_records_df` of many data sets, and not more than those of all units."""
    beyond = np.maximum(share - 2 * np.log(units) / units, 1e-300)
    return np.clip(of_one / beyond, 1, most)


def few_records(sets, rng=None):
    """Student's t with the degrees of freedom that allow for a few records."""
    return both_sides(sets.t, degrees_of_few(sets.share, sets.n, sets.n - 1))


def flagged(sides, allowed):
    """Whether p-values of a side, or twice the smaller, are significant unallowed only."""
    return (sides < LEVEL) & (allowed >= LEVEL)


def johnson(sets, rng=None):
    """Johnson's t (1978), equation 2.5: the mean moved by its third moment."""
    shift = sets.skewness / 6 * (1 - 1 / sets.n) ** 1.5
    return both_sides(sets.t + shift * (1 + 2 * sets.t**2), sets.n - 1)


def hall(sets, rng=None):
    """Hall's cubic transformation (1992), which increases everywhere."""
    slope = sets.skewness / 3
    t = sets.t + slope * sets.t**2 + slope**2 * sets.t**3 / 3 + slope / 2
    return both_sides(t, sets.n - 1)


def satterthwaite(sets, rng=None):
    """Student's t with the degrees of freedom of a variance of such kurtosis."""
    fourth = (sets.deviations**4).sum(axis=1)
    spread = np.maximum(fourth - sets.squares**2 / sets.n, 1e-300)
    return both_sides(sets.t, np.clip(2 * sets.squares**2 / spread, 1, sets.n - 1))


def adjusted(sets, rng=None, df=None):
    """The test of gates: twice the skewness that counts against the conclusion."""
    if df is None:
        df = degrees_of_few(sets.share, sets.n, sets.n - 1, ONE_SIDED_DEGREES)
    least = 2 / np.sqrt(sets.n)
    sides = []
    for t, skewness in ((sets.t, sets.skewness), (-sets.t, -sets.skewness)):
        allowed = np.maximum(-2 * skewness, least)
        shrunk = np.maximum(0, 1 - allowed * t / 3)
        statistic = (1 - shrunk**3) / allowed - allowed / 6
        sides.append(np.where(t > 0, stdtr(df, -statistic), 1.0))
    return np.stack(sides)


def sign_flips(sets, rng):
    """`loss_permutation`, with the same random signs for all sets."""
    signs = rng.choice([-1.0, 1.0], size=(sets.n, RESAMPLES))
    sums, total = sets.differences @ signs, sets.n * sets.mean[:, None]
    return _counted(sums >= total, sums <= total)


def signed_ranks(sets, rng=None):
    """`wilcoxon` by its normal approximation: another null hypothesis."""
    ranks = rankdata(np.abs(sets.differences), axis=1)
    z = (np.sign(sets.differences) * ranks).sum(axis=1) / np.sqrt((ranks**2).sum(axis=1))
    return np.stack([ndtr(-z), ndtr(z)])


def bootstrap_t(sets, rng):
    """T of resamples about the observed mean, with equal tails."""
    resampled, t = _resamples(sets, rng)
    del resampled
    observed = sets.t[:, None]
    return _counted(t >= observed, t <= observed)


def bootstrap_bca(sets, rng):
    """Level at which a limit of Efron's BCa interval (1987) is the null value 0."""
    resampled, _ = _resamples(sets, rng)
    most = RESAMPLES + 1
    below = (0.5 + (resampled < 0).sum(axis=1)) / most
    bias = ndtri(np.clip(below, 0.5 / most, 1 - 0.5 / most))
    under = (0.5 + (resampled <= -sets.mean[:, None]).sum(axis=1)) / most
    distance = ndtri(np.clip(under, 0.5 / most, 1 - 0.5 / most)) - bias
    z = distance / (1 + sets.skewness / 6 * distance) - bias
    return np.stack([ndtr(z), ndtr(-z)])


def _resamples(sets, rng):
    """Means of resamples less that of the set, and these in their own standard errors."""
    n = sets.n
    counts = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T.astype(float)
    means = sets.deviations @ counts / n
    variances = (sets.deviations**2 @ counts / n - means**2) * n / (n - 1)
    return means, means / np.sqrt(np.maximum(variances, 1e-300) / n)


def _counted(above, below):
    shares = [(1 + side.sum(axis=1)) / (1 + RESAMPLES) for side in (above, below)]
    return np.stack(shares)


CANDIDATES = {
    "t": student,
    "few records": few_records,
    "Johnson": johnson,
    "Hall": hall,
    "Satterthwaite": satterthwaite,
    "adjusted": adjusted,
    "sign flips": sign_flips,
    "bootstrap-t": bootstrap_t,
    "BCa": bootstrap_bca,
    "signed ranks": signed_ranks,
}
ONLY_MOMENTS = ("t", "few records", "Johnson", "Hall", "Satterthwaite", "adjusted")


def two_sided(pvalues):
    """Two-sided p-values from those of both sides."""
    return np.minimum(1, 2 * pvalues.min(axis=0))


def check(differences):
    """Stop if a data set is decided otherwise than by the library."""
    rng = np.random.default_rng(0)
    sets = Sets(differences[None])
    losses = PairedLosses.from_losses(differences, np.zeros(sets.n), loss="absolute_error")
    found = {name: test(sets, rng)[:, 0] for name, test in CANDIDATES.items()}
    share = losses.moments.largest_share
    np.testing.assert_allclose(sets.share[0], share, rtol=1e-7)
    two, allowed = (two_sided(test(sets)) for test in (student, few_records))
    result = paired_t(losses)
    few_p = result.details["few_records_pvalue"]
    np.testing.assert_allclose(allowed[0], few_p, rtol=1e-7)
    if ("decided-by-few-records" in result.flags) != flagged(two, allowed)[0]:
        raise AssertionError("records are flagged otherwise than by the library")
    for k, side in enumerate(("greater", "less")):
        options = {"alternative": side}
        student_p = paired_t(losses, **options).pvalue
        np.testing.assert_allclose(found["t"][k], student_p, rtol=1e-7)
        ranks_p = wilcoxon(losses, method="normal", **options).pvalue
        np.testing.assert_allclose(found["signed ranks"][k], ranks_p, rtol=1e-7)
        moments = influence_moments(losses)
        df = min(sets.n - 1, moments.df)
        of_gate = SkewnessAdjusted(losses.gain, moments, df).pvalue(0.0, side)
        np.testing.assert_allclose(found["adjusted"][k], of_gate, rtol=1e-7)
        flips_p = loss_permutation(losses, n_resamples=9999, **options).pvalue
        error = (flips_p * (1 - flips_p) / RESAMPLES) ** 0.5 + 1 / RESAMPLES
        if abs(flips_p - found["sign flips"][k]) > DEVIATES * error:
            raise AssertionError("sign flips are decided otherwise than by the library")
