"""Tests of two mean losses on a hold-out set where losses have heavy tails, by simulation.

Twelve losses of records, six distributions of errors, exchangeable regressors and such with
errors of unlike shapes, and real learners. Run

    python -m benchmarks.validity.regressors.holdout

or with ``--help`` for the options. All tests of a mean are tests of differences less a null
value, so that their 95 % intervals hold the true mean exactly where the true mean is not
rejected at 0.05: one column is both.
"""

from itertools import product

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.regressors import holdout_learners as learners
from benchmarks.validity.regressors.holdout_decisions import (
    CANDIDATES,
    ONLY_MOMENTS,
    Sets,
    adjusted,
    both_sides,
    check,
    degrees_of_few,
    few_records,
    flagged,
    sign_flips,
    student,
    two_sided,
)
from benchmarks.validity.regressors.holdout_worlds import (
    ERRORS,
    LOSSES,
    SHAPES,
    TRUTH,
    differences,
)
from skcompare.evidence import PairedLosses
from skcompare.stats import clustered_t
from skcompare.stats.losses._paired_t import even_groups

ALPHA = 0.05
STRICT = 0.01
RECORDS = (20, 50, 100, 200, 500, 2000)
MOST, PER_DRAW = max(RECORDS), 5
"""Records of one draw, and most data sets of a size that it is cut into."""
PART = 25
"""Draws at a time."""
COMPARED = ("squared", "absolute", "interval score", "gamma")
"""Losses with which all candidates are compared; t and the flag are tried with all."""
COMPARED_RECORDS = (50, 200, 2000)
MOST_RESAMPLED = 1000
"""Data sets of one size for tests that resample."""
EFFECT = 2.8
"""Gain in standard errors, which a t test of normal differences finds in 80 %."""
GROUPS = (20, 50, 200)
GROUP_SIZES = (1, 2, 4, 13)
SHARED = 0.5
FEW_GROUPS = 50
"""Groups below which `clustered_t` flips signs."""


RATES = ("two-sided 0.05", "two-sided 0.01", "greater 0.05", "less 0.05")
FEW = tuple(f"{rate}, few" for rate in RATES)
LEVEL_COLUMNS = ("flagged", *RATES, *FEW, "gate, above", "gate, below")
"""Of t, and of t that allows for few records ("few"): two-sided 0.05 is what t rejects
without a flag. A gate allows for skewness as well."""
SHOWN = LEVEL_COLUMNS.index(FEW[0])


def cut(drawn, n):
    """Data sets of n records each, out of sets of more records."""
    k = min(drawn.shape[1] // n, PER_DRAW)
    return drawn[:, : k * n].reshape(-1, n)


def draw_parts(make, n_draws):
    """Draws of `MOST` records each, a few at a time."""
    for start in range(0, n_draws, PART):
        yield make(min(PART, n_draws - start))


def level_row(loss, kind, shape, n_truth, n_draws, seed):
    """For each size: data sets without flag, rejections by t, and those without flag."""
    rng = np.random.default_rng(seed)

    def make(n_sets):
        return differences(loss, kind, shape, n_sets, MOST, rng, n_truth)

    return levels_of(make, n_draws)


def levels_of(make, n_draws):
    counts = np.zeros((len(RECORDS), len(LEVEL_COLUMNS)))
    sizes = np.zeros(len(RECORDS))
    for number, drawn in enumerate(draw_parts(make, n_draws)):
        for k, n in enumerate(RECORDS):
            sets = Sets(cut(drawn, n))
            events = events_of(sets)
            counts[k] += [each.sum() for each in events]
            sizes[k] += len(sets.differences)
            if number == 0 and n == RECORDS[1]:
                check(sets.differences[0])
    return counts, sizes


def events_of(sets):
    """Of each data set: a flag, rejections by t, without flag, few records, and gate."""
    sides, allowed = student(sets), few_records(sets)
    marked = flagged(two_sided(sides), two_sided(allowed))
    rejected, few = (
        [two_sided(p) < ALPHA, two_sided(p) < STRICT, *(p < ALPHA)]
        for p in (sides, allowed)
    )
    # The allowance for skewness is never negative, so that t alone is not needed.
    gate = adjusted(sets) < ALPHA
    return marked, *rejected, *few, *gate


def level_table(args):
    """Level of t for all losses, and of t where it is not flagged."""
    settings = [(*setting, args.truth) for setting in product(LOSSES, args.errors, SHAPES)]
    rows = each_row(level_row, settings, args, 1)
    titles = {
        "alike": "Exchangeable regressors: type I error of paired_t",
        "unlike": "Regressors with errors of unlike shapes: type I error of paired_t",
    }
    tables = {
        shape: Table(title, ("loss", "errors", "records", *LEVEL_COLUMNS))
        for shape, title in titles.items()
    }
    for (loss, kind, shape, _), row in zip(settings, rows):
        _add_levels(tables[shape], (loss, kind), row)
    summary = [_summary(settings, rows, shape) for shape in SHAPES]
    return *summary, *tables.values()


def _add_levels(table, names, row):
    for n, counts, size in zip(RECORDS, *row):
        table.add(*names, n, *(with_error(count / size, size) for count in counts))


def _summary(settings, rows, shape):
    """Median and largest shares over losses and distributions of errors."""
    table = Table(
        f"Median and largest shares over all losses, errors {shape}",
        ("records", *LEVEL_COLUMNS, "largest at", "Monte-Carlo error at 0.05"),
    )
    chosen = [(s, *row) for s, row in zip(settings, rows) if s[2] == shape]
    for k, n in enumerate(RECORDS):
        shares = np.array([counts[k] / sizes[k] for _, counts, sizes in chosen])
        worst = chosen[int(shares[:, SHOWN].argmax())]
        cells = zip(np.median(shares, axis=0), shares.max(axis=0))
        error = (ALPHA * (1 - ALPHA) / worst[2][k]) ** 0.5
        text = (f"{median:.3f} to {most:.3f}" for median, most in cells)
        table.add(n, *text, " ".join(worst[0][:2]), f"{error:.4f}")
    return table


def learner_row(pair, loss, kind, n_draws, seed):
    """The same for two learners, by data sets drawn from their pool."""
    rng = np.random.default_rng(seed)
    pool = learners.pool_of(pair, loss, kind)

    def make(n_sets):
        return pool[rng.integers(len(pool), size=(n_sets, MOST))]

    return levels_of(make, n_draws)


def learner_table(args):
    """Level of t for real learners."""
    kinds = learners.ERRORS[:1] if args.quick else learners.ERRORS
    # One kind of noise in one process, which fits its learners once.
    settings = [
        (pair, loss, kind)
        for kind in kinds
        for pair, loss in product(learners.PAIRS, learners.LOSSES)
    ]
    rows = each_row(learner_row, settings, args, 2)
    table = Table(
        "Real learners, mean losses made equal: type I error of paired_t",
        ("learners", "loss", "noise", "records", *LEVEL_COLUMNS),
    )
    for (pair, loss, kind), row in zip(settings, rows):
        _add_levels(table, (" and ".join(pair), loss, kind), row)
    return table


def candidate_row(loss, kind, shape, n_truth, n_draws, seed):
    """Type I errors (0.05, 0.01, greater, less) and power of all tests at each size."""
    rng = np.random.default_rng(seed)
    found = np.full((len(COMPARED_RECORDS), len(CANDIDATES), 6), np.nan)
    drawn = [
        differences(loss, kind, shape, PART, MOST, rng, n_truth)
        for _ in range(-(-n_draws // PART))
    ]
    drawn = np.concatenate(drawn)[:n_draws]
    spread = drawn.std()
    for k, n in enumerate(COMPARED_RECORDS):
        sets = Sets(cut(drawn, n))
        better = Sets(sets.differences + EFFECT * spread / n**0.5)
        for j, (name, test) in enumerate(CANDIDATES.items()):
            few = name not in ONLY_MOMENTS
            of_null, of_better = (
                each.first(MOST_RESAMPLED) if few else each for each in (sets, better)
            )
            sides = test(of_null, rng)
            pvalues = two_sided(sides)
            power = two_sided(test(of_better, rng)) < ALPHA
            rates = [pvalues < ALPHA, pvalues < STRICT, *(sides < ALPHA), power]
            found[k, j] = [*(rate.mean() for rate in rates), len(pvalues)]
    return found


def candidate_tables(args):
    """All candidates side by side."""
    losses = COMPARED[:1] if args.quick else COMPARED
    settings = [(*setting, args.truth) for setting in product(losses, args.errors, SHAPES)]
    rows = each_row(candidate_row, settings, args, 3)
    measured = (*RATES, "power")
    tables = [_side_by_side(settings, rows, shape, measured) for shape in SHAPES]
    for shape, (j, what) in product(SHAPES, enumerate(measured)):
        table = Table(
            f"All candidates, errors {shape}: {what}",
            ("loss", "errors", "records", *CANDIDATES),
        )
        for (loss, kind, own, _), found in zip(settings, rows):
            for n, of_size in zip(COMPARED_RECORDS, found):
                if own == shape:
                    cells = (with_error(test[j], test[-1]) for test in of_size)
                    table.add(loss, kind, n, *cells)
        tables.append(table)
    return tables


def _side_by_side(settings, rows, shape, measured):
    """Median and largest rates of all candidates, over losses and distributions."""
    table = Table(
        f"All candidates, median and largest rates, errors {shape}",
        ("test", "records", *measured),
    )
    chosen = np.stack([row for s, row in zip(settings, rows) if s[2] == shape])
    for j, name in enumerate(CANDIDATES):
        for k, n in enumerate(COMPARED_RECORDS):
            rates = chosen[:, k, j, : len(measured)]
            cells = zip(np.median(rates, axis=0), rates.max(axis=0))
            table.add(name, n, *(f"{median:.3f} to {most:.3f}" for median, most in cells))
    return table


def group_row(loss, kind, shape, n_groups, n_truth, n_draws, seed):
    """Rejections by "auto", those without flag, flags, and rejections by t."""
    rng = np.random.default_rng(seed)
    sizes = np.resize(GROUP_SIZES, n_groups)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    n, counts, done = sizes.sum(), np.zeros(4), 0
    while done < n_draws:
        k = min(200, n_draws - done)
        own = differences(loss, kind, shape, k, n, rng, n_truth)
        common = differences(loss, kind, shape, k, n_groups, rng, n_truth)
        gains = (1 - SHARED) * np.add.reduceat(own, starts, axis=1)
        gains += SHARED * sizes * common
        mean = gains.sum(axis=1, keepdims=True) / n
        rest = gains - sizes * mean
        squares = (rest**2).sum(axis=1)
        t = mean[:, 0] * n / np.sqrt(n_groups / (n_groups - 1) * squares)
        of_t = two_sided(both_sides(t, n_groups - 1))
        auto = of_t if n_groups >= FEW_GROUPS else two_sided(sign_flips(Sets(gains), rng))
        share = (rest**2).max(axis=1) / squares
        df = degrees_of_few(share, even_groups(sizes), n_groups - 1)
        allowed = two_sided(both_sides(t, df))
        if done == 0:
            _check_groups(gains[0], sizes, of_t[0], flagged(of_t, allowed)[0])
        marked = flagged(auto, allowed)
        rejected = auto < ALPHA
        counts += [
            rejected.sum(), (rejected & ~marked).sum(), marked.sum(), (of_t < ALPHA).sum()
        ]  # fmt: skip
        done += k
    return counts / n_draws


def _check_groups(gains, sizes, pvalue, is_flagged):
    """Stop if groups are decided otherwise than by the library."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    losses = PairedLosses.from_losses(
        (gains / sizes)[groups], np.zeros(sizes.sum()), groups, loss="absolute_error"
    )
    result = clustered_t(losses, method="t")
    np.testing.assert_allclose(pvalue, result.pvalue, rtol=1e-7)
    if ("decided-by-few-records" in result.flags) != is_flagged:
        raise AssertionError("groups are flagged otherwise than by the library")


def group_table(args):
    """Records of groups, whose losses have a common part."""
    losses = COMPARED[:1] if args.quick else COMPARED
    settings = [
        (*setting, args.truth) for setting in product(losses, args.errors, SHAPES, GROUPS)
    ]
    rows = each_row(group_row, settings, args, 4)
    table = Table(
        f"Groups of 1 to 13 records: type I error of clustered_t at {ALPHA}",
        ("loss", "errors", "shapes", "groups", "auto", "unflagged", "flagged", "t"),
    )
    for (loss, kind, shape, n_groups, _), shares in zip(settings, rows):
        cells = (with_error(share, args.draws) for share in shares)
        table.add(loss, kind, shape, n_groups, *cells)
    return table


PARTS = {
    "levels": level_table,
    "learners": learner_table,
    "candidates": candidate_tables,
    "groups": group_table,
}
QUICK_DRAWS, QUICK_TRUTH = 50, 200_000


def _prepared(part):
    """A part of the study with the smaller numbers of ``--quick``."""

    def run(args):
        args.errors = ERRORS[::4] if args.quick else ERRORS
        args.truth = QUICK_TRUTH if args.quick else TRUTH
        if args.quick:
            args.draws = min(args.draws, QUICK_DRAWS)
        return part(args)

    return run


if __name__ == "__main__":
    main(
        __doc__,
        {name: _prepared(part) for name, part in PARTS.items()},
        draws=2000,
        of="draws of 2000 records a setting, each cut into up to 5 smaller data sets",
        quick=(False, "two distributions of errors, and 50 draws"),
    )
