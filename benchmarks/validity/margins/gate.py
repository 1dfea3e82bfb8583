"""How often a gate passes by mistake, and how often it passes when it should.

At the boundary of each kind of condition, where a test passes by mistake most often:
accuracies by the probabilities of all tables, other measures by simulation. Run

    python -m benchmarks.validity.margins.gate

or with ``--help`` for the options; ``--only accuracy auc`` makes a part of the tables.
"""

import numpy as np

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.margins.gate_formulas import (
    ALPHA,
    SCORES,
    auc_moves,
    beyond,
    both_shown,
    both_ways,
    count_moves,
    discordant_shares,
    is_shown,
    mean_moves,
    pass_probability,
    passing_table,
)
from benchmarks.validity.margins.gate_others import other_rows
from benchmarks.validity.margins.gate_power import powers
from benchmarks.validity.margins.gate_worlds import (
    LABELS,
    LOSSES,
    RANKINGS,
    LossWorld,
    right_predictions,
)
from skcompare._registry.tests import get_test
from skcompare.evidence import PairedLosses, PlacementValues
from skcompare.stats.planning._records_at_boundary import method_for

SIZES = (5, 7, 10, 12, 15, 20, 30, 50, 75, 99, 100, 150, 200, 300, 500, 1000, 2000)
LARGE = (5001, 8000, 10000, 20000)
MARGINS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
CHECKED = 20
BATCH = 4_000_000
"""Records that are drawn at a time."""


def accuracy_table(name, sizes, deltas, method=None):
    """Largest probability of passing over all shares of discordant records."""
    heads = [f"boundary {delta:+g}" for delta in deltas]
    table = Table(f"Accuracy, {name}: largest probability of passing", ("records", *heads))
    for n in sizes:
        cells = []
        for delta in deltas:
            used = method or method_for(n, abs(delta), exact=False)
            if used == "exact":
                # It is never above the level; its size takes long to add up.
                cells.append("at most 0.05 (exact)")
                continue
            shares = discordant_shares(delta, 120 if n <= 2000 else 60)
            found = pass_probability(n, delta, shares, passing_table(n, delta, used))
            cells.append(f"{found.max():.4f}")
        table.add(n, *cells)
    return table


def accuracy(args):
    yield accuracy_table("as the gate tests it", SIZES, (0.0, -0.01, -0.05, -0.1))
    yield accuracy_table("practical margins", SIZES, (0.01, 0.02, 0.05, 0.1))
    yield accuracy_table("many records", LARGE, (0.0, -0.02, 0.02, -0.05, 0.05))
    yield accuracy_table(
        "Tango's score at every size, which the gate does not use",
        (20, 50, 100, 200, 500, 1000, 2000),
        (-0.01, -0.05, -0.1, 0.01, 0.02, 0.05, 0.1),
        "asymptotic",
    )


def rates(draws, per_set, decide):
    """Shares of data sets that the test alone and the gate pass, both directions."""
    passed, done = np.zeros(4), 0
    while done < draws:
        n_sets = int(min(draws - done, max(1, BATCH // per_set)))
        passed += [np.count_nonzero(one) for one in decide(n_sets)]
        done += n_sets
    return [with_error(one / draws, draws) for one in passed]


HEADS = ("test alone, above", "gate, above", "test alone, below", "gate, below")


def auc(args):
    table = Table(
        "AUC: pass rate at the boundary", ("world", "positives", "negatives", *HEADS)
    )
    rng = np.random.default_rng(args.seed)
    for world in RANKINGS:
        for positives, negatives in ((20, 100), (50, 200)):

            def decide(n_sets, m=positives, k=negatives, world=world):
                scores = world.draw(rng, n_sets, m, k)
                found = auc_moves(scores, m)
                known = min(m, k), "records of the rarer class"
                return both_ways(world.difference, *found, *known, bound=1.0)

            check_auc(world, rng, positives, negatives)
            per_set = 8 * (positives + negatives)
            table.add(world, positives, negatives, *rates(args.draws, per_set, decide))
    return table


def check_auc(world, rng, positives, negatives):
    """Formulas in numpy decide as the gate does."""
    scores = world.draw(rng, CHECKED, positives, negatives)
    found = auc_moves(scores, positives)
    known = min(positives, negatives), "records of the rarer class"
    ours = both_ways(world.difference, *found, *known, bound=1.0)[1]
    y = np.repeat([1, 0], [positives, negatives])
    theirs = [
        is_shown(
            get_test("delong"),
            PlacementValues.from_predictions(y, *one),
            world.difference,
            "greater",
        )
        for one in scores.transpose(1, 0, 2).astype(float)
    ]
    assert ours.tolist() == theirs


def losses(args):
    table = Table("Losses: pass rate at the boundary", ("world", "records", *HEADS))
    rng = np.random.default_rng(args.seed)
    for world in LOSSES:
        truth = world.difference()
        bound = world.bound
        for n in (30, 100, 300):

            def decide(n_sets, n=n, truth=truth, world=world, bound=bound):
                found = mean_moves(world.draw(rng, (n_sets, n)))
                return both_ways(truth, *found, n, "records", bound=bound, df=n - 1)

            gains = world.draw(rng, (CHECKED, n))
            known = *mean_moves(gains), n, "records"
            ours = both_ways(truth, *known, bound=bound, df=n - 1)[3]
            theirs = [
                is_shown(
                    get_test("paired_t"),
                    PairedLosses.from_losses(
                        np.maximum(one, 0), np.maximum(-one, 0), loss=world.known_as
                    ),
                    truth,
                    "less",
                )
                for one in gains
            ]
            assert ours.tolist() == theirs
            table.add(world, n, *rates(args.draws, 6 * n, decide))
    return table


def labels(args):
    table = Table(
        "Scores of labels by the delta method: pass rate at the boundary",
        ("world", "score", "records", *HEADS),
    )
    rng = np.random.default_rng(args.seed)
    for world in LABELS:
        for score in SCORES:
            truth = count_moves(1e6 * world.cells[None], score)[0][0]
            for n in (100, 300, 1000):

                def decide(n_sets, n=n, score=score, truth=truth, world=world):
                    found = count_moves(world.draw(rng, n_sets, n), score)
                    return both_ways(truth, *found, "records with different predictions")

                # The table on the page was made with these drawn first.
                world.draw(rng, CHECKED, n)
                table.add(world, score, n, *rates(args.draws, 200, decide))
    return table


def groups(args):
    """Accuracies and losses of grouped records, by tests of the sums of groups."""
    table = Table(
        "Grouped records, standard error between groups: pass rate at the boundary",
        ("measure", "groups", "rates or world", "gate, above", "gate, below"),
    )
    rng = np.random.default_rng(args.seed)
    for n_groups in (20, 30, 50, 100):
        sizes = 1 + np.arange(n_groups) % 7
        for sought, alike in (((0.95, 0.9), 0.5), ((0.8, 0.75), 0.3), ((0.99, 0.96), 0.3)):
            decide = of_group_accuracies(rng, sizes, sought, alike)
            cells = rates(args.draws, 6 * sizes.sum(), decide)
            table.add("accuracy", n_groups, sought, cells[1], cells[3])
        world = LossWorld("log", 0.5, 1.5, -1)
        decide = of_group_losses(rng, sizes, world)
        cells = rates(args.draws, 9 * sizes.sum(), decide)
        table.add("log loss", n_groups, world, cells[1], cells[3])
    return table


def of_group_accuracies(rng, sizes, sought, alike):
    """Decisions on accuracies of groups of these sizes."""
    own, starts = np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes) - sizes

    def decide(n_sets):
        right = right_predictions(rng, sought, 0.7, alike, own, n_sets)
        gains = right[1].astype(float) - right[0]
        found = mean_moves(np.add.reduceat(gains, starts, axis=1), sizes)
        return both_ways(sought[1] - sought[0], *found, len(sizes), "groups")

    return decide


def of_group_losses(rng, sizes, world):
    """Decisions on losses of groups of these sizes."""
    own, starts = np.repeat(np.arange(len(sizes)), sizes), np.cumsum(sizes) - sizes
    truth = np.mean([world.draw(rng, (2000, len(own)), own).mean() for _ in range(20)])

    def decide(n_sets):
        gains = world.draw(rng, (n_sets, len(own)), own)
        found = mean_moves(np.add.reduceat(gains, starts, axis=1), sizes)
        return both_ways(truth, *found, len(sizes), "groups", df=len(sizes) - 1)

    return decide


def others(args):
    """Tests that the gate runs on every data set."""
    table = Table(
        "Resampling and other tests: pass rate at the boundary",
        ("measure", "test", "records", "data sets", "gate, above", "gate, below"),
    )
    for measure, name, n, draw, truth, options in other_rows(
        np.random.default_rng(args.seed)
    ):
        is_slow = "n_resamples" in options or name == "jackknife_difference"
        n_sets = args.loops if is_slow else args.draws
        passed = np.zeros(2)
        for evidence in draw(n_sets):
            passed += both_shown(get_test(name), evidence, truth, **options)
        cells = [with_error(one / n_sets, n_sets) for one in passed]
        table.add(measure, name, n, n_sets, *cells)
    return table


def any_of(args):
    """Holm's method over two conditions of which none holds."""
    table = Table(
        "Any of two conditions at their boundaries", ("records", "one by one", "any of")
    )
    rng = np.random.default_rng(args.seed)
    world = LossWorld("brier", 0.5, 1, 0)
    truth = world.difference()
    for n in (100, 500):
        passed, done = np.zeros(2), 0
        while done < args.draws:
            n_sets = int(min(args.draws - done, max(1, BATCH // (12 * n))))
            found = []
            for _ in range(2):
                known = *mean_moves(world.draw(rng, (n_sets, n))), n, "records"
                words = {"df": n - 1, "bound": world.bound}
                for alpha in (ALPHA, ALPHA / 2):
                    shown = beyond(truth, "greater", *known, alpha=alpha, **words)[1]
                    found.append(shown)
            # Holm's method passes the first where it passes at half of the level.
            passed += [found[0].sum(), (found[1] | found[3]).sum()]
            done += n_sets
        table.add(n, *(with_error(one / args.draws, args.draws) for one in passed))
    return table


def power(args):
    return powers(min(args.draws, 20_000), args.loops, args.seed)


PARTS = {
    "accuracy": accuracy,
    "auc": auc,
    "losses": losses,
    "labels": labels,
    "groups": groups,
    "others": others,
    "any-of": any_of,
    "power": power,
}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=200_000,
        n_jobs=None,
        loops=(2000, "data sets of tests that take long"),
    )
