"""How often a hold-out is flagged whose gains are alike where records follow each other.

Unrelated records, and records sorted by their class, should not be; records in time whose
disagreement drifts should be where that matters. Run

    python -m benchmarks.validity.time.guard

or with ``--help`` for the options. With 10000 draws a setting it takes two minutes.
"""

import numpy as np

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.conditional import smaller
from benchmarks.validity.time.diebold_mariano import drawn
from benchmarks.validity.time.time_worlds import brier, squared, zero_one
from skcompare import compare
from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.time import correlation_in_order

FLAG = "serially-correlated"
RECORDS = (50, 100, 300, 1000, 10_000)
CORRELATIONS = (0.3, 0.5, 0.8, 0.95)
ALPHA = 0.05


def rare(shape, correlation, rng):
    """One of both is right in 3 % of the records."""
    return np.where(rng.random(shape) < 0.03, np.sign(rng.standard_normal(shape)), 0.0)


def one_sided(shape, correlation, rng):
    """The challenger is right in a tenth of the records where the champion is wrong."""
    return (rng.random(shape) < 0.1).astype(float)


def heavy(shape, correlation, rng):
    """Squares of errors from a t distribution with 3 degrees of freedom."""
    champion, challenger = (rng.standard_t(3, shape) ** 2 for _ in range(2))
    return champion - challenger


UNRELATED = {
    "0/1, 20 % discordant": zero_one,
    "0/1, 3 % discordant": rare,
    "0/1, challenger never worse": one_sided,
    "Brier": brier,
    "squared": squared,
    "squared, t errors": heavy,
}


def flagged_row(world, n, correlation, draws, seed):
    """Share of flags, and of rejections by McNemar's test or z, without and with flag."""
    draws = draws if n < 5000 else max(100, draws // 5)
    counts = np.zeros(3)
    for gains in drawn(world, n, correlation, draws, seed):
        flag, rejected = correlation_in_order(gains) is not None, False
        if world is zero_one:
            table = ContingencyTable(0, int((gains < 0).sum()), int((gains > 0).sum()), n)
            rejected = mcnemar(table).pvalue < ALPHA
        counts += flag, rejected, rejected and not flag
    return [with_error(count / draws, draws) for count in counts]


def unrelated_table(args):
    """Records in random order."""
    table = Table(
        "Unrelated records: share of hold-outs that are flagged",
        ("gains", *(f"{n} records" for n in RECORDS)),
    )
    settings = [(world, n, 0.0) for world in UNRELATED.values() for n in RECORDS]
    rows = each_row(flagged_row, settings, args, 1)
    shares = iter([row[0] for row in rows])
    for name in UNRELATED:
        table.add(name, *(next(shares) for _ in RECORDS))
    return table


def drift_table(args):
    """Records in time whose disagreement drifts."""
    table = Table(
        "Drifting disagreement, 0/1 loss: flags, and rejections by mcnemar at 0.05",
        ("autocorrelation", "records", "flagged", "rejected", "rejected without flag"),
    )
    settings = [(zero_one, n, rho) for rho in CORRELATIONS for n in RECORDS[1:]]
    rows = each_row(flagged_row, settings, args, 2)
    for (_, n, rho), row in zip(settings, rows):
        table.add(rho, n, *row)
    return table


def sorted_row(n, shuffled, draws, seed):
    """Share of flags of unrelated records sorted by class, of classes that differ."""
    rng, flags = np.random.default_rng(seed), 0
    draws = max(50, draws // 10)
    for _ in range(draws):
        y = rng.integers(3, size=n)
        y = y if shuffled else np.sort(y)
        right = [rng.random(n) < rates[y] for rates in np.array(RATES)]
        old, new = (np.where(each, y, (y + 1) % 3) for each in right)
        comparison = compare(y, {"old": old, "new": new})
        flags += FLAG in comparison.rows[0].flags
    return with_error(flags / draws, draws)


RATES = [[0.95, 0.8, 0.6], [0.6, 0.8, 0.95]]
"""Accuracies of both models in each class."""


def sorted_table(args):
    """Files that are sorted by the true class."""
    table = Table(
        "Models that are good at different classes: share of files that are flagged",
        ("records", "sorted by class", "in random order"),
    )
    settings = [(n, shuffled) for n in RECORDS[1:4] for shuffled in (False, True)]
    rows = iter(each_row(sorted_row, settings, args, 3))
    for n in RECORDS[1:4]:
        table.add(n, next(rows), next(rows))
    return table


if __name__ == "__main__":
    main(
        __doc__,
        {
            "unrelated": smaller(unrelated_table),
            "drift": smaller(drift_table),
            "sorted": smaller(sorted_table),
        },
        draws=2000,
        of="hold-outs a setting",
        quick=(False, "100 hold-outs a setting"),
    )
