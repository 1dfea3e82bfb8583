"""The gate's decisions on many data sets at once: calibration errors, and grouped records.

By the formulas of the tests in numpy. Every condition is checked on some data sets against
the gate itself, which also decides those that the formulas leave out.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri
from scipy.stats import t as student

from benchmarks.validity.margins.gate_formulas import ALPHA, both_shown, cautious, spread
from benchmarks.validity.margins.gate_worlds import right_predictions
from skcompare._registry.tests import get_test
from skcompare.evidence import ClusterSums, PairedCalibration, PlacementValues
from skcompare.stats.calibration._calibration_difference import FEW_DEGREES, MUCH_GROWTH
from skcompare.stats.calibration._influence import RoleSums, _beyond_means, _without_rows
from skcompare.stats.calibration._squared_errors import MOST_DEGREES, NOISE, weigh

BINS = 10
CHECKED = 40

FACTORS = ((1.0, 1.6), (0.6, 1.0), (1.0, 2.5))
"""How many times their log odds champion and challenger tell, where 1 is calibrated."""

SHARED, OWN = 0.7, 0.714
"""Standard deviations of what scores of a group have in common, and of the rest."""
APART = np.array([2.326, 1.812])
"""Distances of the classes at AUCs of 0.95 and 0.9."""
RIGHT = (0.95, 0.9)


class Closed(NamedTuple):
    """A condition whose test is decided for many data sets at once.

    Attributes
    ----------
    measure, test : str
    n : int
        Records or groups.
    size : int
        Numbers that a data set takes in memory.
    truth : float
        The boundary.
    draw : callable
        Data sets, by their number.
    decide : callable
        Of data sets: whether each is above and below the boundary, and whether the formulas
        hold for it.
    evidence : callable
        One of the data sets as evidence.
    options : dict
        Of the test.
    """

    measure: str
    test: str
    n: int
    size: int
    truth: float
    draw: object
    decide: object
    evidence: object
    options: dict

    def passed(self, n_sets):
        """How many data sets pass above and below the boundary."""
        drawn = self.draw(n_sets)
        *shown, known = self.decide(drawn, self.truth)
        passed = np.array([np.count_nonzero(one & known) for one in shown])
        for k in np.flatnonzero(~known):
            passed += self.by_the_gate(drawn, k, self.truth)
        return passed

    def check(self):
        """Formulas decide as the gate does, at the boundary and where many pass."""
        drawn = self.draw(CHECKED)
        for away in (0.0, self.where_many_pass(drawn)):
            for side, at in enumerate((self.truth - away, self.truth + away)):
                *shown, known = self.decide(drawn, at)
                for k in np.flatnonzero(known):
                    assert bool(shown[side][k]) == self.by_the_gate(drawn, k, at)[side]

    def where_many_pass(self, drawn):
        """How far from the truth a third of data sets pass."""
        away = 1e-4
        while np.mean(self.decide(drawn, self.truth - away)[0]) < 1 / 3:
            away *= 1.5
        return away

    def by_the_gate(self, drawn, k, at):
        evidence = self.evidence(*(one[k] for one in drawn))
        shown = both_shown(get_test(self.test), evidence, at, **self.options)
        return [bool(one) for one in shown]


def closed_rows(rng):
    yield from calibration_rows(rng)
    yield from grouped_rows(rng)


def calibration_rows(rng):
    for n in (300, 1000):
        for factors in FACTORS:
            yield Closed(
                "squared calibration error, log odds times {} and {}".format(*factors),
                "calibration_difference",
                n,
                40 * n,
                calibration_truth(factors),
                lambda n_sets, n=n, factors=factors: draw_odds(rng, n_sets, n, factors),
                calibration_shown,
                calibration_evidence,
                {},
            )


def draw_odds(rng, n_sets, n, factors):
    """Events and both probabilities of them, each of shape (n_sets, n)."""
    logit = 1.5 * rng.standard_normal((n_sets, n))
    y = (rng.random((n_sets, n)) < expit(logit)).astype(int)
    return y, *(expit(factor * logit) for factor in factors)


def calibration_evidence(y, *proba):
    return PairedCalibration.from_predictions(y, *proba, n_bins=BINS, strategy="uniform")


def calibration_truth(factors, points=2_000_000):
    """The expected difference, by the quantiles of the log odds."""
    logit = 1.5 * ndtri((np.arange(points) + 0.5) / points)
    found = []
    for factor in factors:
        told = expit(factor * logit)
        bins = np.minimum((BINS * told).astype(int), BINS - 1)
        gaps = np.bincount(bins, expit(logit) - told, BINS)
        sizes = np.bincount(bins, minlength=BINS)
        found.append(float((gaps**2 / np.maximum(sizes, 1)).sum() / points))
    return found[0] - found[1]


def calibration_shown(drawn, truth):
    """Decisions by the differences of squared errors in standard errors."""
    difference, error, df, few = calibration_moves(*drawn)
    n, above = drawn[0].shape[1], []
    for sign in (1, -1):
        distance = sign * (difference - truth)
        alone, shown = cautious(distance, error, 0.0, n, "records in bins", df=df)
        above.append(alone & shown & ~few)
    return *above, error > 0


def calibration_moves(y, first, second):
    """Difference, standard error, degrees of freedom, and whether few records decide."""
    n_sets, n = y.shape
    sums = [set_sums(y, one) for one in (first, second)]
    whole = [weigh(one.totals).reshape(n_sets, BINS).sum(axis=1) for one in sums]
    without = [
        (all_of[:, None] + _without_rows(one, one.totals).reshape(n_sets, n)) / (n - 1)
        for all_of, one in zip(whole, sums)
    ]
    influence = without[0] - without[1]
    influence -= influence.mean(axis=1, keepdims=True)
    square, fourth = (influence**2).sum(axis=1), (influence**4).sum(axis=1)
    jackknife = square * (n - 1) / n
    parts = under_equal_errors(sums, np.stack(whole, axis=1) / n, n_sets, n)
    observed, plain, total = (
        np.maximum(jackknife + shift - 2 * pairs, 0) + pairs for shift, pairs in parts
    )
    plain, total = np.maximum(plain, observed), np.maximum(total, observed)
    most = min(n - 1.0, MOST_DEGREES)
    with np.errstate(all="ignore"):
        df = 2 * square**2 / (fourth - square**2 / n) * (total / jackknife) ** 2
        grown = total / plain - 1
    df = np.where(df > 0, np.clip(df, 1, most), most)
    few = (df < FEW_DEGREES) | (grown > MUCH_GROWTH)
    return (whole[0] - whole[1]) / n, np.sqrt(total), df, few


def set_sums(y, proba):
    """The rows of all data sets, each of which has bins of its own."""
    n_sets = len(y)
    bins = np.minimum((BINS * proba).astype(int), BINS - 1)
    bins += BINS * np.arange(n_sets)[:, None]
    unit, events = np.arange(y.size), y.ravel().astype(float)
    excess = events - proba.ravel()
    ones = np.ones(y.size)
    return RoleSums(unit, bins.ravel(), ones, events, excess, BINS * n_sets, y.size, 1)


def products(sums, n_sets):
    """Products of residuals in two bins, and rows of one event in both, with weights.

    Of shape (n_sets, 2 BINS, 2 BINS); and what pairs of a record with itself add.
    """
    (one, other), weight = zip(*map(_beyond_means, sums), strict=True)
    joint = sums[0].bin * BINS + sums[1].bin % BINS
    alike = (sums[0].events == sums[1].events).astype(float)
    value, together = np.zeros((2, n_sets, 2 * BINS, 2 * BINS))
    for table, of_bins, of_pairs in (
        (value, (one**2, other**2), one * other),
        (together, (np.ones(len(one)),) * 2, alike),
    ):
        for role, each in enumerate(of_bins):
            bins = np.arange(BINS) + role * BINS
            table[:, bins, bins] = np.bincount(sums[role].bin, each, n_sets * BINS).reshape(
                n_sets, BINS
            )
        cross = np.bincount(joint, of_pairs, n_sets * BINS**2)
        table[:, :BINS, BINS:] = cross.reshape(n_sets, BINS, BINS)
        table[:, BINS:, :BINS] = table[:, :BINS, BINS:].swapaxes(1, 2)
    own = one**2 * weight[0][sums[0].bin] - other**2 * weight[1][sums[1].bin]
    signed = np.concatenate(
        [sign * each.reshape(n_sets, BINS) for sign, each in zip((1, -1), weight)], axis=1
    )
    return value, together, signed, (own**2).reshape(n_sets, -1).sum(axis=1)


def quadratic(table, vector):
    return np.einsum("sij,si,sj->s", table, vector, vector)


def under_equal_errors(sums, errors, n_sets, n):
    """Shifts of the variance and variances of pairs: as observed, plain, and in full."""
    value, together, weight, own = products(sums, n_sets)
    found = quadratic(value**2, weight) - own
    scale = np.einsum("sij,si,sj->s", value**2, np.abs(weight), np.abs(weight))
    second = 2 * np.where(found <= NOISE * scale, 0.0, found) / n**2
    size, y, excess = (
        np.concatenate([one.totals[k].reshape(n_sets, BINS) for one in sums], axis=1)
        for k in range(3)
    )
    some = np.maximum(size, 1)
    share, wary = y / some, (y + 1) / (size + 2)
    more = np.maximum(wary * (1 - wary) - share * (1 - share), 0)
    larger = value + together * np.minimum(more[:, :, None], more[:, None])
    pooled = np.maximum(errors.mean(axis=1, keepdims=True), 0)
    with np.errstate(all="ignore"):
        lowered = np.where(errors > 0, np.minimum(1, pooled / errors), 1)
    raised = np.maximum(pooled - errors, 0).repeat(BINS, axis=1)
    gap = excess / some
    equal = gap + wary - share
    equal = np.copysign(np.sqrt(equal**2 + raised), equal)
    equal *= np.sqrt(lowered).repeat(BINS, axis=1)
    sign = np.array([1.0, -1.0]).repeat(BINS)
    typical = np.sqrt((size * equal**2).reshape(n_sets, 2, BINS).sum(axis=2) / n)
    unseen = (2 * typical.sum(axis=1)) ** 2
    seen = 4 * quadratic(value, sign * gap)
    grown = quadratic(larger**2 - value**2, weight)
    pairs = np.maximum(second + 2 * grown / n**2, 0)
    plain = (4 * quadratic(value, sign * equal) - seen) / n**2
    full = (4 * quadratic(larger, sign * equal) + unseen - seen) / n**2
    return (0.0, second), (plain, second), (full, pairs)


def grouped_rows(rng):
    for n_groups in (30, 100):
        own = np.repeat(np.arange(n_groups), 1 + np.arange(n_groups) % 7)
        groups = Groups(own)
        yield Closed(
            "AUC 0.95 and 0.9 of grouped records",
            "clustered_delong",
            n_groups,
            30 * len(own),
            -0.05,
            lambda n_sets, own=own: draw_scores(rng, n_sets, own),
            groups.auc_shown,
            groups.placements,
            {},
        )
        yield Closed(
            "precision 0.95 and 0.9 of grouped records",
            "clustered_precision",
            n_groups,
            30 * len(own),
            RIGHT[1] - RIGHT[0],
            lambda n_sets, own=own: draw_predictions(rng, n_sets, own),
            groups.precision_shown,
            groups.sums,
            {"label": 1},
        )


def draw_scores(rng, n_sets, own):
    """Classes and both scores of the records of groups."""
    y = (rng.random((n_sets, len(own))) < 0.5).astype(int)
    common = SHARED * rng.standard_normal((2, n_sets, own.max() + 1))[..., own]
    latent = common + OWN * rng.standard_normal((2, n_sets, len(own)))
    latent[1] = 0.8 * latent[0] + 0.6 * latent[1]
    latent += APART[:, None, None] * y
    return y, latent[0], latent[1]


def draw_predictions(rng, n_sets, own):
    """Classes and both answers of the records of groups."""
    y = (rng.random((n_sets, len(own))) < 0.5).astype(int)
    right = right_predictions(rng, RIGHT, 0.7, 0.3, own, n_sets)
    return y, *(np.where(one, y, 1 - y) for one in right)


class Groups:
    """Tests of records whose groups are `own`, one beside the other."""

    def __init__(self, own):
        self.own = own
        self.starts = np.flatnonzero(np.diff(own, prepend=-1))

    def added(self, values):
        """Sums of groups, of shape (n_sets, n_groups)."""
        return np.add.reduceat(values, self.starts, axis=1)

    def placements(self, y, *scores):
        return PlacementValues.from_predictions(y, *scores, groups=self.own)

    def sums(self, y, *predictions):
        return ClusterSums.from_predictions(y, *predictions, groups=self.own)

    def auc_shown(self, drawn, truth):
        """Decisions by placement values that are added up group by group."""
        y, first, second = drawn
        positive = y == 1
        sizes = [chosen.sum(axis=1, keepdims=True) for chosen in (positive, ~positive)]
        known = (np.minimum(*sizes) > 1)[:, 0]
        sizes = [np.maximum(one, 1) for one in sizes]
        change = placed(positive, second, sizes) - placed(positive, first, sizes)
        difference = (change * positive).sum(axis=1) / sizes[0][:, 0]
        change -= difference[:, None]
        inside, outside = (
            self.added(change * chosen / size)
            for chosen, size in zip((positive, ~positive), sizes)
        )
        some = [
            (self.added(chosen * 1) > 0).sum(axis=1) for chosen in (positive, ~positive)
        ]
        fewest, n_groups = np.minimum(*some), len(self.starts)
        known &= fewest > 1
        with np.errstate(all="ignore"):
            variance = 2 * n_groups / (n_groups - 1) * (inside * outside).sum(axis=1)
            for groups, moved in zip(some, (inside, outside)):
                variance += groups / (groups - 1) * (moved**2).sum(axis=1)
            own = np.sqrt(variance)
        square, skewness = spread(inside + outside)
        error = np.sqrt(square * fewest / np.maximum(fewest - 1, 1))
        known &= (variance > 0) & (error > 0)
        above = []
        for sign in (1, -1):
            distance = sign * (difference - truth)
            alone = distance > student.isf(ALPHA, np.maximum(fewest - 1, 1)) * own
            name = "groups with records of the rarer class"
            words = {"df": np.maximum(fewest - 1, 1)}
            shown = cautious(distance, error, sign * skewness, fewest, name, **words)[1]
            above.append(alone & shown)
        return *above, known

    def precision_shown(self, drawn, truth):
        """Decisions by the score test of answers that name class 1."""
        y, *predictions = drawn
        rows = [self.added(one).astype(float) for one in predictions]
        hits = [self.added(one * y).astype(float) for one in predictions]
        n_rows, n_hits = (np.stack([one.sum(axis=1) for one in x]) for x in (rows, hits))
        shares, pooled = n_hits / n_rows, n_hits.sum(axis=0) / n_rows.sum(axis=0)
        difference = shares[1] - shares[0]
        n_groups = ((rows[0] > 0) | (rows[1] > 0)).sum(axis=1)
        # The residuals of the score from what both shares are, if they differ by the truth.
        ratio = n_rows[::-1] / n_rows / n_rows.sum(axis=0)
        parts = [(hits[k] - pooled[:, None] * rows[k]) / n_rows[k][:, None] for k in (0, 1)]
        slopes = sum(ratio[k][:, None] * rows[k] for k in (0, 1))
        score = parts[1] - parts[0] - truth * slopes
        quantile = student.isf(ALPHA, n_groups - 1)
        critical = quantile * np.sqrt(n_groups / (n_groups - 1 + quantile**2))
        reach = critical * np.sqrt((score**2).sum(axis=1))
        moved = [
            (hits[k] - shares[k][:, None] * rows[k]) / n_rows[k][:, None] for k in (0, 1)
        ]
        moved = moved[1] - moved[0]
        some = np.abs(moved) > 1e-9 * np.abs(moved).max(axis=1, keepdims=True)
        units = np.count_nonzero(some, axis=1)
        square, skewness = spread(moved)
        error = np.sqrt(square * units / np.maximum(units - 1, 1))
        known = (0 < pooled) & (pooled < 1) & (error > 0)
        # A limit that is seen from the estimate: the quadratic has two roots.
        known &= critical**2 * (slopes**2).sum(axis=1) < 1
        above = []
        for sign in (1, -1):
            distance = sign * (difference - truth)
            known_as = units, "groups that differ"
            words = {"df": n_groups - 1}
            shown = cautious(distance, error, sign * skewness, *known_as, **words)[1]
            above.append((distance > reach) & shown)
        return *above, known


def placed(positive, scores, sizes):
    """Shares of the other class that each record is on the right side of."""
    order = np.argsort(scores, axis=1)
    chosen = np.take_along_axis(positive, order, axis=1)
    below = np.cumsum(chosen, axis=1)
    place = np.arange(1, scores.shape[1] + 1)
    right = np.where(chosen, (place - below) / sizes[1], 1 - below / sizes[0])
    found = np.empty_like(right)
    np.put_along_axis(found, order, right, axis=1)
    return found
