"""How often conditions are shown with the number of records that the gate asks for."""

import math

import numpy as np

from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.margins.gate_formulas import (
    ALPHA,
    SCORES,
    auc_moves,
    beyond,
    count_moves,
    is_shown,
    joint,
    mean_moves,
)
from benchmarks.validity.margins.gate_others import calibration_evidence
from benchmarks.validity.margins.gate_worlds import (
    LABELS,
    LossWorld,
    RankingWorld,
    calibration_truth,
    draw_odds,
)
from skcompare._registry.tests import get_test
from skcompare.evidence import ContingencyTable, PairedLosses, PlacementValues, ScoredPair
from skcompare.gate import Equivalent, NonInferior, Superior
from skcompare.stats.margins import MarginTest, margin_result
from skcompare.stats.planning import records_beyond_boundaries
from skcompare.stats.planning._records_at_boundary import (
    Boundary,
    CountPower,
    method_for,
    records_of_counts,
)

POWER = 0.8
POPULATION = 400_000
"""Records of the large data set that stands for the truth."""
MOST = 6_000_000
"""Records that are drawn at a time."""


def needed(entry, evidence, boundaries, truth=None, **options):
    """Records for the power, from evidence that has the shares of the truth.

    The boundaries are moved by what the difference in the evidence is beside the truth.
    """
    test = MarginTest(evidence, entry, options)
    moved = 0.0
    if truth is not None:
        moved = test.run(alternative="greater").estimate - truth
    sides = [margin_result(test, at + moved, side, ALPHA) for at, side in boundaries]
    return math.ceil(expected_records(test, sides))


def expected_records(test, sides):
    """Records for the power, also where the evidence has more of them already."""
    found = records_beyond_boundaries(test, sides, ALPHA, POWER)
    return math.inf if found is None else found


def powers(draws, loops, seed):
    table = Table(
        "Power at the records required by the gate, target 0.8",
        ("condition", "truth", "records", "power"),
    )
    rng = np.random.default_rng(seed)
    for row in accuracy_rows():
        table.add(*row)
    for rows in (loss_rows, auc_rows, label_rows, calibration_rows):
        for words, truth, n, decide in rows(rng):
            passed, done = 0, 0
            while done < draws:
                n_sets = int(min(draws - done, max(1, MOST // (8 * n))))
                passed += int(np.count_nonzero(decide(n_sets)))
                done += n_sets
            table.add(words, truth, n, with_error(passed / draws, draws))
    for words, truth, n, decide in other_rows(rng):
        passed = sum(decide() for _ in range(loops))
        table.add(words, truth, n, with_error(passed / loops, loops))
    return table


def accuracy_rows():
    """By the probabilities of all tables."""
    for condition, against, favour in (
        (Superior("accuracy"), 0.05, 0.08),
        (Superior("accuracy"), 0.02, 0.15),
        (Superior("accuracy", 0.01), 0.04, 0.09),
        (NonInferior("accuracy", 0.02), 0.05, 0.05),
        (NonInferior("accuracy", 0.05), 0.06, 0.04),
        (NonInferior("accuracy", 0.01), 0.02, 0.02),
        (Equivalent("accuracy", 0.03), 0.05, 0.05),
        (Equivalent("accuracy", 0.05), 0.07, 0.06),
    ):
        boundaries = [Boundary(*one) for one in condition.boundaries]
        part = 10_000
        counts = round(part * against), round(part * favour)
        table = ContingencyTable(part - sum(counts), *counts, 0)
        n = int(records_of_counts(table, boundaries, None, False, ALPHA, POWER))
        method = method_for(n, condition.margin, exact=False)
        found = CountPower((against, favour), boundaries, ALPHA, method).at(n)
        yield condition.text, f"{against} against {favour}", n, f"{found:.4f} (exact)"


def boundaries_around(truth, kind, distance):
    """Boundaries at a distance from the truth."""
    below = (truth - distance, "greater")
    return [below] if kind == "above" else [below, (truth + distance, "less")]


def shown(moments, boundaries, units, name, **words):
    """Whether all boundaries are excluded in each data set."""
    decided = [beyond(*one, *moments, units, name, **words)[1] for one in boundaries]
    return np.all(decided, axis=0)


def loss_rows(rng):
    for world, distance in (
        (LossWorld("brier", 1, 1, 0), 0.01),
        (LossWorld("brier", 0.5, 1, -3), 0.008),
        (LossWorld("brier", 2, 0.5, 0), 0.02),
        (LossWorld("log", 0.5, 1, 0), 0.03),
        (LossWorld("log", 0.5, 2, -3), 0.1),
    ):
        truth = world.difference()
        gains = world.draw(rng, (POPULATION,))
        evidence = PairedLosses.from_losses(
            np.maximum(gains, 0), np.maximum(-gains, 0), loss=world.known_as
        )
        for kind in ("above", "within"):
            boundaries = boundaries_around(truth, kind, distance)
            n = needed(get_test("paired_t"), evidence, boundaries, truth)

            def decide(n_sets, n=n, boundaries=boundaries, world=world):
                found = mean_moves(world.draw(rng, (n_sets, n)))
                known = n, "records"
                return shown(found, boundaries, *known, bound=world.bound, df=n - 1)

            yield f"{kind} {distance} of the truth", world, n, decide


def auc_rows(rng):
    for world, share, distance in (
        (RankingWorld(0.9, 0.9, 0.8), 0.3, 0.03),
        (RankingWorld(0.97, 0.96, 0.5), 0.5, 0.02),
        (RankingWorld(0.75, 0.8, 0.5), 0.1, 0.06),
    ):
        positives = int(POPULATION * share)
        scores = world.draw(rng, 1, positives, POPULATION - positives)[:, 0]
        y = np.repeat([1, 0], [positives, POPULATION - positives])
        evidence = PlacementValues.from_predictions(y, *scores.astype(float))
        for kind in ("above", "within"):
            boundaries = boundaries_around(world.difference, kind, distance)
            n = needed(get_test("delong"), evidence, boundaries, world.difference)
            m = round(n * share)

            def decide(n_sets, n=n, m=m, boundaries=boundaries, world=world):
                found = auc_moves(world.draw(rng, n_sets, m, n - m), m)
                known = min(m, n - m), "records of the rarer class"
                return shown(found, boundaries, *known, bound=1.0)

            yield f"{kind} {distance} of the truth", f"{world}, {share} positive", n, decide


def label_rows(rng):
    for world, score, distance in (
        (LABELS[0], "f1_macro", 0.05),
        (LABELS[4], "balanced_accuracy", 0.08),
        (LABELS[2], "precision", 0.05),
    ):
        counts = np.round(POPULATION * world.cells).astype(int)
        truth = count_moves(counts[None], score)[0][0]
        name, options = SCORES[score]
        for kind in ("above", "within"):
            boundaries = boundaries_around(truth, kind, distance)
            n = needed(get_test(name), joint(counts), boundaries, **options)

            def decide(n_sets, n=n, boundaries=boundaries, world=world, score=score):
                found = count_moves(world.draw(rng, n_sets, n), score)
                known = found[3], "records with different predictions"
                return shown(found[:3], boundaries, *known)

            yield f"{score} {kind} {distance} of the truth", world, n, decide


def other_rows(rng):
    """Tests that run once a data set."""
    world, share = RankingWorld(0.9, 0.9, 0.8), 0.3

    def scored(n):
        m = round(n * share)
        scores = world.draw(rng, 1, m, n - m)[:, 0].astype(float)
        y = np.repeat([1, 0], [m, n - m])
        return ScoredPair.from_predictions(y, *scores, score="average_precision")

    entry = get_test("jackknife_difference")
    boundaries = [(-0.06, "greater")]
    # More than 2,000 records are left out in parts, whose number is the degrees of freedom.
    n = round(np.mean([needed(entry, scored(2000), boundaries, 0.0) for _ in range(40)]))
    yield (
        "average precision above -0.06",
        world,
        n,
        lambda: is_shown(entry, scored(n), *boundaries[0]),
    )


def calibration_rows(rng):
    """Of the evidence that has the shares of the truth, a million records."""
    factors = 1.3, 1.0
    tested = get_test("calibration_difference")
    many = (one[0] for one in draw_odds(rng, 1, 1_000_000, factors))
    evidence = calibration_evidence(*many)
    truth = calibration_truth(factors)
    for margin in (0.002, 0.001):
        n = needed(tested, evidence, [(-margin, "greater")], truth)

        def decide(n_sets, n=n, margin=margin):
            drawn = map(calibration_evidence, *draw_odds(rng, n_sets, n, factors))
            return [is_shown(tested, one, -margin, "greater") for one in drawn]

        title = f"squared calibration error above -{margin}"
        yield title, "log odds times 1.3 and 1", n, decide
