"""Conditions that take a call of a test for each data set, for the gate's error rates."""

import numpy as np

from benchmarks.validity.margins.gate_formulas import count_moves, joint
from benchmarks.validity.margins.gate_worlds import LABELS, RANKINGS, right_predictions
from skcompare.evidence import ClusterSums, ScoredPair


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
            title = f"average precision, {world}"
            yield title, "jackknife_difference", n, draw_scores, truth, {}
    for n in (200,):
        for world in (LABELS[0], LABELS[4]):
            truth = count_moves(1e6 * world.cells[None], "f1_macro")[0][0]

            def draw_labels(n=n, world=world):
                return joint(world.draw(rng, 1, n)[0])

            options = {"score": "f1_macro", "n_resamples": 999}
            title = f"f1_macro by permutation, {world}"
            yield title, "score_difference", n, draw_labels, truth, options
    yield from grouped_rows(rng)


def grouped_rows(rng):
    rates = 0.95, 0.9
    for n_groups in (30, 100):
        own = np.repeat(np.arange(n_groups), 1 + np.arange(n_groups) % 7)

        def draw(own=own):
            y = (rng.random(len(own)) < 0.5).astype(int)
            right = right_predictions(rng, rates, 0.7, 0.3, own, 1)[:, 0]
            predictions = [np.where(one, y, 1 - y) for one in right]
            return ClusterSums.from_predictions(y, *predictions, groups=own)

        title = "accuracy 0.95 and 0.9 of grouped records"
        yield title, "clustered_mcnemar", n_groups, draw, rates[1] - rates[0], {}
