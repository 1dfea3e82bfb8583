"""How often tests of resampled regressors err, and what dealing blocks by the target does.

Champion and challenger are exchangeable: one learner on two sets of equally informative
features, or random trees with other seeds; or they are unlike, and equally good in a world
that is bisected until they are. Tests look for a difference in squared and absolute error,
RMSE and R². Run

    python -m benchmarks.validity.regressors.resampled

or with ``--help`` for the options.

With 1200 data sets a cell of 50 or 200 records (Monte-Carlo error .006) no default test of
a design was above its level: exchangeable regressors were found to differ in at most .040
(5×2, squared error), .049 (R²), .044 (10 folds) and .047 (15 hold-outs) of the data sets of
a cell, and unlike ones in at most .035 (5×2), .040 (10 folds) and .036 (hold-outs). So the
rules of classifiers hold for regressors as they are. With 2000 records (100 data sets a
cell) exchangeable regressors were found to differ in at most .07 ± .026 (5×2) and .04 (10
folds and hold-outs), in .02 on average. 25 folds of 5×5 cross-validation taken as 25
records find exchangeable regressors to differ in .35 on average and in up to .54.

Blocks that are dealt along the sorted target do not overstate the variance: in the mean the
estimate is 1.75 times that of exchangeable regressors where it is 1.87 with random blocks
(n = 50; 1.82 both at n = 200), and type I errors are at most .009 higher, up to .057. They
leave out of the contrasts of blocks what the distribution of the target adds to training,
and the mean difference does not vary less. So blocks for regressors are random by default.

Among unlike regressors of equal squared errors, the mean of the R² of the test sets is up
to .36 standard deviations of an estimate away from 0 at n = 50, and the R² of all
predictions .11 at most. Intervals around a challenger with better features cover the mean
difference in .95 to .99 of the data sets (300 a cell), and 5×2 finds it most often: in .56
by squared errors of 200 records (.58 where dealt), 10 folds in .39, hold-outs in .35.
"""

from collections import defaultdict

import numpy as np
from joblib import Parallel, delayed

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.regressors.resampled_decisions import (
    ALPHA,
    BY_SPLIT,
    MEASURES,
    TESTS,
    Estimate,
    estimate,
)
from benchmarks.validity.regressors.resampled_learners import predict
from benchmarks.validity.regressors.resampled_worlds import (
    DESIGNS,
    EXCHANGEABLE,
    LOSSES,
    N_TUNING,
    TARGETS,
    TRAINED,
    UNLIKE,
    World,
    draw_features,
    equal_world,
    folds_of,
    prepared_pair,
)

SIZES = (50, 100, 200, 500)
QUICK_SIZES, QUICK_TUNING = (50, 100), 4000
BATCH = 40_000
"""Records of the data sets that are drawn at once."""

BETTER = 7.0
"""How much better the challenger's features are where power is measured, over sqrt(n)."""

OF_LOSS = {"squared": ("squared error", "RMSE", "R²", *BY_SPLIT),
           "absolute": ("absolute error",)}  # fmt: skip


def estimates(pair, target, n, better, n_draws, n_tuning, seed):
    """Estimates of all tests for all measures: {(test, measure): Estimate}."""
    rng = np.random.default_rng(seed)
    plain = World(target, better=better)
    found = defaultdict(list)
    trained = {round(share * n) for share in TRAINED.values()}
    equal = {
        (n_train, loss): equal_world(pair, n_train, plain, loss, n_tuning)
        for n_train in trained
        for loss in LOSSES
    }
    size = max(1, BATCH // n)
    for start in range(0, n_draws, size):
        x, noise = draw_features(min(size, n_draws - start), n, rng)
        both = prepared_pair(pair, x)
        for design in DESIGNS:
            measures_of = defaultdict(list)
            for loss in LOSSES:
                measures_of[equal[round(TRAINED[design] * n), loss]] += OF_LOSS[loss]
            for world, measures in measures_of.items():
                y = world.targets(x, noise)
                _add(found, pair, both, y, design, measures, rng)
    return {key: Estimate(*map(np.concatenate, zip(*own))) for key, own in found.items()}


def _add(found, pair, both, y, design, measures, rng):
    """Fit both regressors on the splits of a design, and add the estimates of its tests."""
    fold, n_models = folds_of(design, y, rng)
    kinds = zip((pair.champion, pair.challenger), both)
    first, second = (predict(kind, own, y, fold, n_models, rng) for kind, own in kinds)
    for test, (of_design, weight) in TESTS.items():
        for measure in measures:
            if of_design != design or (measure in BY_SPLIT and weight is None):
                continue
            own = estimate(test, weight, measure, y, first, second, fold, n_models)
            found[test, measure].append(own)


def summary(*setting):
    """Of each test and measure: rejections, coverage of the mean, bias, and variance.

    The bias is the mean estimate in standard deviations of the estimates, and the variance
    the mean estimated one over that of the estimates.
    """
    found = {}
    for key, own in estimates(*setting).items():
        mean, deviation = own.mean.mean(), own.mean.std(ddof=1)
        found[key] = np.array(
            [
                1 - own.is_within(0).mean(),
                own.is_within(mean).mean(),
                mean / deviation,
                (own.error**2).mean() / deviation**2,
            ]
        )
    return found


REJECTED, COVERED, BIAS, VARIANCE = range(4)


def sizes_of(args):
    return QUICK_SIZES if args.quick else args.records


class Cells:
    """Summaries of all cells: {(pair, target, n): {(test, measure): numbers}}."""

    def __init__(self, pairs, args, stream, better=0.0):
        self.sizes, n_tuning = sizes_of(args), QUICK_TUNING if args.quick else N_TUNING
        settings = [(p, t, n) for p in pairs for t in TARGETS for n in self.sizes]
        # What takes longest first, so that no processor waits at the end.
        settings.sort(key=lambda setting: -setting[2])
        draws = 40 if args.quick else args.draws
        self.draws = {n: max(20, draws // (1 + (n >= 500))) for n in self.sizes}
        seeds = np.random.SeedSequence([args.seed, stream]).spawn(len(settings))
        found = Parallel(args.n_jobs)(
            delayed(summary)(
                *setting, better / setting[2] ** 0.5, self.draws[setting[2]], n_tuning, seed
            )
            for setting, seed in zip(settings, seeds)
        )
        self.found = dict(zip(settings, found))

    def of(self, n, key, which):
        """One number of all pairs and targets."""
        return np.array(
            [own[key][which] for cell, own in self.found.items() if cell[2] == n]
        )

    def tested(self):
        """Tests with their measures."""
        own = next(iter(self.found.values()))
        return [
            (test, measure)
            for measure in (*MEASURES, *BY_SPLIT)
            for test in TESTS
            if (test, measure) in own
        ]


def levels(cells, title):
    """Mean type I error and the highest over pairs and targets."""
    columns = [f"n = {n}: mean, highest" for n in cells.sizes]
    table = Table(title, ("measure", "test", *columns))
    for test, measure in cells.tested():
        shown = []
        for n in cells.sizes:
            shares = cells.of(n, (test, measure), REJECTED)
            shown.append(f"{shares.mean():.3f}, {with_error(shares.max(), cells.draws[n])}")
        table.add(measure, test, *shown)
    return table


def each_pair(cells, title, measure):
    """Type I error of each pair, by the default tests of their designs."""
    tests = ("5×2 block jackknife", "the same, by quantile", "10 folds")
    columns = [f"n = {n}: 5×2, by quantile, 10 folds" for n in cells.sizes]
    table = Table(title, ("pair", "noise", *columns))
    for pair, target in dict.fromkeys(cell[:2] for cell in cells.found):
        shown = []
        for n in cells.sizes:
            own = cells.found[pair, target, n]
            shown.append(" ".join(f"{own[test, measure][REJECTED]:.3f}" for test in tests))
        table.add(pair.name, target, *shown)
    return table


def power(cells):
    title = f"Challenger {BETTER} / sqrt(n) better: power, coverage of the mean difference"
    columns = [f"n = {n}: power, coverage" for n in cells.sizes]
    table = Table(title, ("measure", "test", *columns))
    for key in cells.tested():
        shown = []
        for n in cells.sizes:
            share, covered = (cells.of(n, key, which).mean() for which in (0, 1))
            shown.append(f"{share:.3f}, {covered:.3f}")
        table.add(key[1], key[0], *shown)
    return table


def biases(cells):
    """Unlike regressors of equal squared errors: how far the mean estimate is from 0."""
    columns = [f"n = {n}: lowest, highest" for n in cells.sizes]
    title = "Equal squared errors: mean estimate, in standard deviations of an estimate"
    table = Table(title, ("measure", "test", *columns))
    for key in cells.tested():
        if key[1] in ("squared error", "absolute error"):
            continue
        shown = [cells.of(n, key, BIAS) for n in cells.sizes]
        table.add(key[1], key[0], *(f"{own.min():+.2f}, {own.max():+.2f}" for own in shown))
    return table


def variances(cells, kind):
    """How large the estimated variance is, in the mean."""
    columns = [f"n = {n}: mean, lowest" for n in cells.sizes]
    title = f"{kind}: mean estimated variance over that of the estimates"
    table = Table(title, ("measure", "test", *columns))
    for key in cells.tested():
        if "5×2" in TESTS[key[0]][0]:
            shown = [cells.of(n, key, VARIANCE) for n in cells.sizes]
            table.add(
                key[1], key[0], *(f"{own.mean():.2f}, {own.min():.2f}" for own in shown)
            )
    return table


def balance(args):
    """How unlike the targets of the two halves of a repetition are."""
    title = (
        "Standard deviation of half less other half, in standard deviations of the target"
    )
    kinds = ("random", "by quantile")
    columns = [f"{what}, {kind}" for what in ("mean", "median", "0.9") for kind in kinds]
    table = Table(title, ("noise", "records", *columns))
    rng = np.random.default_rng([args.seed, 3])
    n_draws = 20 if args.quick else max(20, args.draws // 5)
    for target in TARGETS:
        for n in sizes_of(args):
            y = World(target).targets(*draw_features(n_draws, n, rng))
            spread = {}
            for design, kind in zip(("5×2", "5×2 by quantile"), kinds):
                fold, _ = folds_of(design, y, rng)
                gaps = _gaps(y, fold) / y.std()
                spread[kind] = np.sqrt((gaps**2).mean(axis=1))
            both = np.stack([spread[kind] for kind in kinds], axis=1).ravel()
            table.add(target, n, *(f"{own:.4f}" for own in both))
    return table


def _gaps(y, fold):
    """Differences of mean, median and 0.9 quantile between halves, (3, halvings)."""
    target = np.broadcast_to(y[:, None], fold.shape)
    halves = [np.where(fold == half, target, np.nan) for half in (0, 1)]
    first, second = (
        np.stack([np.nanmean(own, axis=2), *np.nanquantile(own, (0.5, 0.9), axis=2)])
        for own in halves
    )
    return (first - second).reshape(3, -1)


def null(args):
    for stream, (kind, pairs) in enumerate(
        {"Exchangeable": EXCHANGEABLE, "Unlike": UNLIKE}.items()
    ):
        cells = Cells(pairs, args, stream)
        yield levels(cells, f"{kind} regressors: type I error at {ALPHA}")
        for measure in MEASURES:
            yield each_pair(cells, f"{kind} regressors, {measure}: type I error", measure)
        yield variances(cells, f"{kind} regressors")
        if kind == "Unlike":
            yield biases(cells)


def of_power(args):
    own = [pair for pair in EXCHANGEABLE if pair.features == "own"]
    return power(Cells(own, args, 2, BETTER))


PARTS = {"balance": balance, "null": null, "power": of_power}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=4000,
        of="data sets a pair, target and number of records; half as many from 500 on",
        records=(SIZES, "numbers of records"),
        quick=(False, "40 data sets a cell, of 50 or 100 records"),
    )
