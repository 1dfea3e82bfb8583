"""Conditions that take a call of a test for each data set, for the gate's error rates.

A row has the measure, the test, the number of records or groups, a function that yields so
many data sets as evidence, the true difference, and the options of the test.
"""

from functools import partial

import numpy as np

from benchmarks.validity.margins.gate_formulas import count_moves, joint
from benchmarks.validity.margins.gate_worlds import (
    BINS,
    LABELS,
    RANKINGS,
    calibration_truth,
    draw_odds,
    right_predictions,
)
from skcompare.evidence import ClusterSums, PairedCalibration, PlacementValues, ScoredPair

BATCH = 4_000_000
"""Records that are drawn at a time."""

SKIPPED = 40
"""Data sets that are drawn first and left out, as when the tables were made."""

FACTORS = ((1.0, 1.6), (0.6, 1.0), (1.0, 2.5))
"""How many times their log odds champion and challenger tell, where 1 is calibrated."""

SHARED, OWN = 0.7, 0.714
"""Standard deviations of what scores of a group have in common, and of the rest."""

APART = np.array([2.326, 1.812])
"""Distances of the classes at AUCs of 0.95 and 0.9."""

RIGHT = (0.95, 0.9)


def other_rows(rng):
    for world in (RANKINGS[2], RANKINGS[5]):
        draw = partial(draw_precisions, rng, world)
        truth = np.mean([np.diff(draw(20_000).values)[0] for _ in range(40)])
        title = f"average precision, {world}"
        yield title, "jackknife_difference", 200, one_by_one(draw, 200), truth, {}
    for world in (LABELS[0], LABELS[4]):
        truth = count_moves(1e6 * world.cells[None], "f1_macro")[0][0]
        draw = partial(draw_labels, rng, world)
        options = {"score": "f1_macro", "n_resamples": 999}
        title = f"f1_macro by permutation, {world}"
        yield title, "score_difference", 200, one_by_one(draw, 200), truth, options
    for n_groups in (30, 100):
        draw = one_by_one(partial(draw_accuracies, rng), groups_of(n_groups))
        title = "accuracy 0.95 and 0.9 of grouped records"
        yield title, "clustered_mcnemar", n_groups, draw, RIGHT[1] - RIGHT[0], {}
    yield from calibration_rows(rng)
    yield from grouped_rows(rng)


def one_by_one(draw, size):
    """A function that yields data sets which are drawn one after the other."""
    return lambda n_sets: (draw(size) for _ in range(n_sets))


def in_batches(draw, size, evidence):
    """A function that yields data sets of some numbers which are drawn many at a time."""

    def drawn(n_sets):
        draw(SKIPPED)
        most = max(1, BATCH // size)
        for start in range(0, n_sets, most):
            yield from map(evidence, *draw(min(most, n_sets - start)))

    return drawn


def draw_precisions(rng, world, n):
    m = max(1, rng.binomial(n, 0.3))
    scores = world.draw(rng, 1, m, n - m)[:, 0].astype(float)
    y = np.repeat([1, 0], [m, n - m])
    return ScoredPair.from_predictions(y, *scores, score="average_precision")


def draw_labels(rng, world, n):
    return joint(world.draw(rng, 1, n)[0])


def groups_of(n_groups):
    """The groups of records, of 1 to 7 each."""
    return np.repeat(np.arange(n_groups), 1 + np.arange(n_groups) % 7)


def draw_accuracies(rng, groups):
    y = (rng.random(len(groups)) < 0.5).astype(int)
    right = right_predictions(rng, RIGHT, 0.7, 0.3, groups, 1)[:, 0]
    predictions = [np.where(one, y, 1 - y) for one in right]
    return ClusterSums.from_predictions(y, *predictions, groups=groups)


def calibration_rows(rng):
    for n in (300, 1000):
        for factors in FACTORS:
            title = "squared calibration error, log odds times {} and {}".format(*factors)
            draw = in_batches(
                partial(draw_odds, rng, n=n, factors=factors), 40 * n, calibration_evidence
            )
            truth = calibration_truth(factors)
            yield title, "calibration_difference", n, draw, truth, {}


def calibration_evidence(y, *proba):
    return PairedCalibration.from_predictions(y, *proba, n_bins=BINS, strategy="uniform")


def grouped_rows(rng):
    for n_groups in (30, 100):
        groups = groups_of(n_groups)
        size = 30 * len(groups)
        scores = in_batches(
            partial(draw_scores, rng, groups=groups),
            size,
            partial(PlacementValues.from_predictions, groups=groups),
        )
        predictions = in_batches(
            partial(draw_predictions, rng, groups=groups),
            size,
            partial(ClusterSums.from_predictions, groups=groups),
        )
        title = "{} 0.95 and 0.9 of grouped records"
        yield title.format("AUC"), "clustered_delong", n_groups, scores, -0.05, {}
        test, truth = "clustered_precision", RIGHT[1] - RIGHT[0]
        yield title.format("precision"), test, n_groups, predictions, truth, {"label": 1}


def draw_scores(rng, n_sets, groups):
    """Classes and both scores of the records of groups."""
    y = (rng.random((n_sets, len(groups))) < 0.5).astype(int)
    common = SHARED * rng.standard_normal((2, n_sets, groups.max() + 1))[..., groups]
    latent = common + OWN * rng.standard_normal((2, n_sets, len(groups)))
    latent[1] = 0.8 * latent[0] + 0.6 * latent[1]
    latent += APART[:, None, None] * y
    return y, latent[0], latent[1]


def draw_predictions(rng, n_sets, groups):
    """Classes and both predictions of the records of groups."""
    y = (rng.random((n_sets, len(groups))) < 0.5).astype(int)
    right = right_predictions(rng, RIGHT, 0.7, 0.3, groups, n_sets)
    return y, *(np.where(one, y, 1 - y) for one in right)
