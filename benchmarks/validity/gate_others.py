"""Conditions that take a call of a test for each data set, for the gate's error rates."""

import numpy as np
from gate_formulas import count_moves, joint
from gate_worlds import LABELS, RANKINGS, right_answers

from skcompare._registry import get_test
from skcompare.evidence import (
    ClusterSums,
    PairedCalibration,
    PlacementValues,
    ScoredPair,
)


def other_rows(rng):
    for n in (200,):
        for world in (RANKINGS[2], RANKINGS[5]):

            def draw_scores(n=n, world=world):
                m = max(1, rng.binomial(n, 0.3))
                scores = world.draw(rng, 1, m, n - m)[:, 0].astype(float)
                return ScoredPair.from_predictions(
                    np.repeat([1, 0], [m, n - m]), *scores, score="average_precision"
                )

            truth = np.mean(
                [np.diff(draw_scores(20_000, world).values)[0] for _ in range(40)]
            )
            options = {"n_resamples": 999}
            title = f"average precision, {world}"
            yield title, "bootstrap_difference", n, draw_scores, truth, options
    for n in (200,):
        for world in (LABELS[0], LABELS[4]):
            truth = count_moves(1e6 * world.cells[None], "f1_macro")[0][0]

            def draw_labels(n=n, world=world):
                return joint(world.draw(rng, 1, n)[0])

            options = {"score": "f1_macro", "n_resamples": 999}
            title = f"f1_macro by permutation, {world}"
            yield title, "score_difference", n, draw_labels, truth, options
    yield from calibration_rows(rng)
    yield from grouped_rows(rng)


def calibration_rows(rng):
    for n in (300, 1000):
        for first, second in ((1.0, 1.6), (0.6, 1.0), (1.0, 2.5)):

            def draw(n=n, first=first, second=second):
                logit = 1.5 * rng.standard_normal(n)
                y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
                proba = [1 / (1 + np.exp(-factor * logit)) for factor in (first, second)]
                return PairedCalibration.from_predictions(
                    y, *proba, n_bins=10, strategy="uniform"
                )

            truth = np.mean(
                [
                    get_test("calibration_difference").function(draw(200_000)).estimate
                    for _ in range(10)
                ]
            )
            title = f"squared calibration error, log odds times {first} and {second}"
            yield title, "calibration_difference", n, draw, truth, {}


def grouped_rows(rng):
    for n_groups in (30, 100):
        own = np.repeat(np.arange(n_groups), 1 + np.arange(n_groups) % 7)

        def draw_aucs(own=own):
            n_groups = own.max() + 1
            y = (rng.random(len(own)) < 0.5).astype(int)
            common = 0.7 * rng.standard_normal((2, n_groups))[:, own]
            noise = 0.714 * rng.standard_normal((2, len(own)))
            latent = common + noise
            latent[1] = 0.8 * latent[0] + 0.6 * latent[1]
            latent += np.array([[2.326], [1.812]]) * y
            return PlacementValues.from_predictions(y, *latent, groups=own)

        title = "AUC 0.95 and 0.9 of grouped records"
        truth = -0.05
        yield title, "clustered_delong", n_groups, draw_aucs, truth, {}
        rates_of = (0.95, 0.9)

        def draw_labels(own=own, rates_of=rates_of):
            y = (rng.random(len(own)) < 0.5).astype(int)
            right = right_answers(rng, rates_of, 0.7, 0.3, own, 1)[:, 0]
            answers = [np.where(one, y, 1 - y) for one in right]
            return ClusterSums.from_predictions(y, *answers, groups=own)

        title = "precision 0.95 and 0.9 of grouped records"
        options = {"label": 1}
        yield title, "clustered_precision", n_groups, draw_labels, truth, options
        yield (
            "accuracy of grouped records",
            "clustered_mcnemar",
            n_groups,
            draw_labels,
            (truth),
            {},
        )
