"""How the default test of a cross-validation was chosen: level and power of many rules.

A catalogue of pairs of equal learners, among them such that select a feature or a model
inside the fit, in two halves: the rule was chosen on one, and confirmed on the other.
Beside it stand the tests of the literature, the former defaults and other rules that take
the variance from the blocks. Run

    python -m benchmarks.validity.splits.bcv_catalogue --store FOLDER

or with ``--help`` for the options. Drawn data sets are kept in the folder, and a second run
goes on where the first was stopped.
"""

import warnings
from collections import defaultdict

import numpy as np
from joblib import Memory, Parallel, delayed
from scipy.stats import t as t_distribution

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table as Printed
from benchmarks.validity._lib.tables import with_error
from benchmarks.validity.splits.bcv_catalogue_draws import PART, better, drawn_part
from benchmarks.validity.splits.bcv_catalogue_pairs import (
    CONFIRMING,
    HARDEST,
    K_FOLDS,
    KINDS,
    LAYOUTS,
    TUNING,
    UNLIKE,
)
from benchmarks.validity.splits.bcv_catalogue_rules import (
    ACCURACY_ONLY,
    ALPHA,
    CHOSEN,
    EFFECTS,
    FORMER,
    GUARDED,
    PUBLISHED,
    decisions,
    effect_ratio,
    fold_decisions,
    squared_errors,
)
from benchmarks.validity.splits.bcv_measures import MEASURES, Table

SCORES = tuple(measure for measure in MEASURES if measure != "accuracy")
SHOWN = (PUBLISHED, GUARDED, FORMER, "V_OA, t(7)", "V_R, Satterthwaite",
         "V_B, Satterthwaite", CHOSEN)  # fmt: skip
MOST = 0.06
"""What no level may be above beyond its Monte-Carlo error."""
BEYOND = 2.33
"""Standard errors that a level is above, one-sided at 1 %."""
LEAST_DEFINED = 0.5
DRAWS = {"tune": 8, "confirm": 16, "fresh": 40, "power": 4, "unlike": 8, "layouts": 8,
         "kfold": 4}  # fmt: skip
"""Parts of 500 data sets of the pairs that cost least; others have fewer."""


def study(args):
    warnings.simplefilter("ignore")
    source = _Source(args)
    for name in args.only:
        yield from STAGES[name](source)
    if args.figure:
        figure(source, args.figure)


class _Source:
    """Draws of the pairs of a stage, as many as were asked for."""

    def __init__(self, options):
        self.options = options
        self.drawn, self.better = map(
            Memory(options.store or None, verbose=0).cache, (drawn_part, better)
        )
        self._drawn = {}

    def draws(self, stage, pairs, **words):
        """Pairs with their tables."""
        if stage in self._drawn:
            return self._drawn[stage]
        o = self.options
        pairs = pairs[:: 6 if o.quick else 1]
        run = Parallel(o.n_jobs)
        values = [words] * len(pairs)
        if stage == "power":
            strengths = run(delayed(self.better)(pair, o.seed) for pair in pairs)
            values = [words | {"value": strength} for strength in strengths]
        plans = []
        for pair, more in zip(pairs, values):
            n_parts = 1 if o.quick else max(1, round(o.share * DRAWS[stage] / pair.cost))
            size = 100 if o.quick else PART
            plans += [(stage, pair, part, size, o.seed, more) for part in range(n_parts)]
        # What takes longest first, so that no processor waits at the end.
        plans.sort(key=lambda plan: -plan[1].cost)
        parts = defaultdict(list)
        for (_, pair, *_), table in zip(
            plans, run(delayed(self.drawn)(*plan) for plan in plans)
        ):
            parts[pair].append(table)
        self._drawn[stage] = [(pair, Table.joined(parts[pair])) for pair in pairs]
        return self._drawn[stage]


def shares(drawn, decide=decisions):
    """Shares of rejections and numbers of data sets: {rule: {(pair, measure): ...}}."""
    found = defaultdict(dict)
    for pair, table in drawn:
        rules = decide(table, pair.world.n_repeats, pair.world.n)
        for k, measure in enumerate(MEASURES):
            defined = np.isfinite(table.mean[:, k])
            if defined.mean() < LEAST_DEFINED or not table.mean[defined, k].any():
                continue
            for name, rejected in rules.items():
                if name in ACCURACY_ONLY and measure != "accuracy":
                    continue
                share = rejected[defined, k].mean()
                found[name][pair, measure] = share, int(defined.sum())
    return found


def is_above(share, n, level):
    """Whether a share is above a level beyond its Monte-Carlo error."""
    return share - level > BEYOND * (level * (1 - level) / n) ** 0.5


def summary(title, found):
    """Of every rule: cells above the levels, the worst one, and the mean level."""
    levels = (ALPHA, MOST)
    above = [f"above {level}" for level in levels]
    columns = ("test", "cells", *above, "highest error rate", "cell", "mean error rate")
    table = Printed(title, columns)
    for name, cells in found.items():
        distance = {
            key: (share - ALPHA) / (ALPHA * (1 - ALPHA) / n) ** 0.5
            for key, (share, n) in cells.items()
        }
        # The cell that is most clearly high, and not the one of fewest draws.
        pair, measure = max(distance, key=distance.get)
        table.add(
            name,
            len(cells),
            *(sum(is_above(*cell, level) for cell in cells.values()) for level in levels),
            with_error(*cells[pair, measure]),
            f"{measure}, {pair.words}, n = {pair.world.n}",
            f"{np.mean([share for share, _ in cells.values()]):.4f}",
        )
    return table


def pairs_table(title, found, drawn, measures):
    """Levels of the rules by pair, for one measure or the highest of several."""
    rules = [
        name for name in SHOWN if measures == ("accuracy",) or name not in ACCURACY_ONLY
    ]
    table = Printed(title, ("learners", "records", "data sets", *rules))
    for pair, _ in drawn:
        cells, n = [], 0
        for name in rules:
            mine = [found[name][pair, m] for m in measures if (pair, m) in found[name]]
            cells.append(f"{max(share for share, _ in mine):.3f}" if mine else "")
            n = max([n, *(count for _, count in mine)])
        table.add(pair.words, pair.world.n, n, *cells)
    return table


def level_tables(stage, pairs, title):
    def tables(source):
        drawn = source.draws(stage, pairs)
        found = shares(drawn)
        yield summary(f"{title}: equal learners", found)
        yield pairs_table(f"{title}, accuracy: type I error", found, drawn, ("accuracy",))
        yield pairs_table(
            f"{title}, {len(SCORES)} scores: highest type I error", found, drawn, SCORES
        )

    return tables


def fresh_tables(source):
    """New data sets of the pairs whose level was highest in either half.

    They were found by looking, so that neither half can judge the rule that they led to.
    """
    found = shares(source.draws("fresh", HARDEST))
    table = Printed("New data sets of the hardest pairs: type I error",
                    ("learners", "records", "test", *MEASURES))  # fmt: skip
    for pair, _ in source.draws("fresh", HARDEST):
        for name in (CHOSEN, "the same, chance counted once"):
            cells = found[name]
            row = (
                with_error(*cells[pair, m])
                + (" above" if is_above(*cells[pair, m], MOST) else "")
                if (pair, m) in cells
                else ""
                for m in MEASURES
            )
            table.add(pair.words, pair.world.n, name, *row)
    yield table


def effect_tables(source):
    """What the rule without its floor makes of effects whose variance is known."""
    table = Printed(
        "Mean estimate over the variance of the mean difference, chance counted once",
        ("effect", *(f"{m} repetitions" for m in (2, 3, 5, 7))),
    )
    n_draws = 200 if source.options.quick else 4000
    for name in EFFECTS:
        ratios = (effect_ratio(name, m, n_draws, source.options.seed) for m in (2, 3, 5, 7))
        table.add(name, *(f"{ratio:.2f} ± {error:.2f}" for ratio, error in ratios))
    yield table


def power_tables(source):
    """Power by kind of learner, where one classifier has better features."""
    found = shares(source.draws("power", _for_power()))
    for what, measures in (("accuracy", ("accuracy",)), ("scores", SCORES)):
        kinds = [kind for kind in KINDS if kind not in ("chance", "few", "groups")]
        rules = [name for name in found if what == "accuracy" or name not in ACCURACY_ONLY]
        table = Printed(f"Power, {what}", ("test", *kinds))
        for name in rules:
            row = [
                np.mean([s for (pair, m), (s, _) in found[name].items()
                         if pair.kind == kind and m in measures])
                for kind in kinds
            ]  # fmt: skip
            table.add(name, *(f"{share:.3f}" for share in row))
        yield table
    rules = (PUBLISHED, GUARDED, FORMER, CHOSEN)
    table = Printed("Power by pair", ("learners", "records", "data sets",
                    *(f"accuracy, {name}" for name in rules),
                    *(f"scores, {name}" for name in (FORMER, CHOSEN))))  # fmt: skip
    for pair, drawn in source.draws("power", _for_power()):
        cells = [f"{found[name][pair, 'accuracy'][0]:.3f}" for name in rules]
        for name in (FORMER, CHOSEN):
            mine = [found[name][pair, m][0] for m in SCORES if (pair, m) in found[name]]
            cells.append(f"{np.mean(mine):.3f}")
        table.add(pair.words, pair.world.n, len(drawn.mean), *cells)
    yield table


def _for_power():
    left_out = ("chance", "few", "groups")
    return tuple(p for p in TUNING if p.kind not in left_out and p.world.family != "alike")


def variance_tables(source):
    """Estimated variance over the true one, which the draws show."""
    names = ("V_R, Satterthwaite", "V_B, Satterthwaite", CHOSEN)
    table = Printed(
        "Accuracy: mean estimate of the variance over the variance",
        ("learners", "records", "records as test data alone", "half differences", *names),
    )
    k = MEASURES.index("accuracy")
    for pair, drawn in source.draws("tune", TUNING):
        true = drawn.mean[:, k].var()
        rules = squared_errors(drawn, pair.world.n_repeats)
        shown = [drawn.variance, rules["half differences, t(2M - 1)"][0]]
        shown += [rules[name][0] for name in names]
        row = (f"{np.nanmean(error[:, k]) / true:.2f}" for error in shown)
        table.add(pair.words, pair.world.n, *row)
    yield table


def unlike_tables(source):
    """Coverage of the interval, where two unlike learners differ."""
    table = Printed(
        "Different learners: coverage of the 95 % interval of bcv_jackknife_t",
        ("learners", "records", "data sets", *MEASURES),
    )
    for pair, drawn in source.draws("unlike", UNLIKE):
        error, df = squared_errors(drawn, pair.world.n_repeats)[CHOSEN]
        reach = t_distribution.ppf(1 - ALPHA / 2, df) * np.sqrt(error)
        row = []
        for k in range(len(MEASURES)):
            mean = drawn.mean[np.isfinite(drawn.mean[:, k]), k]
            held = np.abs(drawn.mean[:, k] - mean.mean()) <= reach[:, k]
            enough = len(mean) >= LEAST_DEFINED * len(held)
            row.append(with_error(held.sum() / len(mean), len(mean)) if enough else "")
        table.add(pair.words, pair.world.n, len(drawn.mean), *row)
    yield table


def layout_tables(source):
    """Other numbers of repetitions."""
    found = shares(source.draws("layouts", LAYOUTS))[CHOSEN]
    table = Printed(
        "bcv_jackknife_t by the number of repetitions: type I error",
        ("repetitions", "learners", *MEASURES),
    )
    for pair, _ in source.draws("layouts", LAYOUTS):
        row = (with_error(*found[pair, m]) if (pair, m) in found else "" for m in MEASURES)
        table.add(pair.world.n_repeats, pair.words, *row)
    yield table


def kfold_tables(source):
    """What the tests of one K-fold cross-validation say of the same learners."""
    found = shares(
        source.draws("kfold", K_FOLDS, kfold=(10, 1)),
        lambda drawn, n_repeats, n: fold_decisions(drawn),
    )
    yield summary("One 10-fold cross-validation: equal learners", found)
    table = Printed(
        "One 10-fold cross-validation by pair: type I error",
        ("learners", "records", "data sets",
         *(f"{what}, {name}" for what in ("accuracy", "greatest of scores")
           for name in found)),
    )  # fmt: skip
    for pair, drawn in source.draws("kfold", K_FOLDS):
        cells = [f"{cells[pair, 'accuracy'][0]:.3f}" for cells in found.values()]
        for cells_of in found.values():
            mine = [cells_of[pair, m][0] for m in SCORES if (pair, m) in cells_of]
            cells.append(f"{max(mine):.3f}")
        table.add(pair.words, pair.world.n, len(drawn.mean), *cells)
    yield table


STAGES = {
    "tune": level_tables("tune", TUNING, "Tuning"),
    "confirm": level_tables("confirm", CONFIRMING, "Confirmation"),
    "fresh": fresh_tables,
    "effects": effect_tables,
    "power": power_tables,
    "variance": variance_tables,
    "unlike": unlike_tables,
    "layouts": layout_tables,
    "kfold": kfold_tables,
}


def figure(source, path):
    """Greatest level in both halves against mean power, a point a rule."""
    from matplotlib.figure import Figure

    levels = [
        shares(source.draws("tune", TUNING)),
        shares(source.draws("confirm", CONFIRMING)),
    ]
    power = shares(source.draws("power", _for_power()))
    drawing = Figure(figsize=(9, 4.2), layout="constrained")
    for axes, (what, measures) in zip(
        drawing.subplots(1, 2), (("accuracy", ("accuracy",)), ("seven scores", SCORES))
    ):
        for name in power:
            if what != "accuracy" and name in ACCURACY_ONLY:
                continue
            most = max(
                share
                for found in levels
                for (_, measure), (share, _) in found[name].items()
                if measure in measures
            )
            mean = np.mean(
                [share for (_, m), (share, _) in power[name].items() if m in measures]
            )
            axes.scatter(most, mean, s=50 if name == CHOSEN else 22,
                         color="C1" if name == CHOSEN else "C0", zorder=3)  # fmt: skip
            axes.annotate(name, (most, mean), xytext=(5, 3), textcoords="offset points",
                          fontsize=7)  # fmt: skip
        axes.axvline(MOST, color="0.6", linewidth=1, linestyle="--")
        axes.set(xscale="log", xlabel="greatest type I error at 0.05", ylabel="mean power",
                 title=what)  # fmt: skip
        axes.set_xlim(right=axes.get_xlim()[1] * 3)
    drawing.savefig(path)


if __name__ == "__main__":
    main(
        __doc__,
        study,
        draws=None,
        store=("", "folder that keeps what was drawn"),
        only=(tuple(STAGES), "some of the tables"),
        quick=(False, "few pairs and data sets"),
        share=(1.0, "of the data sets"),
        figure=("", "file for the figure of level against power"),
    )
