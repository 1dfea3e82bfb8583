"""Anytime-valid tests of streams that depend on their past, record by record and by batch.

Two classifiers are equally accurate in the long run, and differ in a fifth of the records.
Either nobody can tell beforehand which one will be right, although the share of records in
which they differ drifts; or which one is better drifts, as the sign of an autoregression. A
table says how often a stream is ever rejected, and another one how many records it takes to
find a difference where batches are the unit. Run

    python -m benchmarks.validity.time.streams

or with ``--help`` for the options. It takes eight minutes. Equal models of which one is
better for a while are rejected, at 0.05, in these shares of 2000 streams of 5000 records:

===============  ================  =============  ==========================
autocorrelation  record by record  batches of 20  batches of 100, bound 0.3
===============  ================  =============  ==========================
0.0              0.039 ± 0.004     0.000          0.000
0.5              0.089 ± 0.006     0.000          0.000
0.8              0.308 ± 0.010     0.000          0.000
0.95             0.891 ± 0.007     0.024 ± 0.003  0.0005 ± 0.0005
0.99             0.9995 ± 0.0005   0.409 ± 0.011  0.081 ± 0.006
===============  ================  =============  ==========================
"""

import numpy as np
from scipy.special import betaln, logsumexp

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.conditional import smaller
from benchmarks.validity.time.diebold_mariano import drawn
from benchmarks.validity.time.time_worlds import brier, drift, zero_one
from skcompare.stats.sequential._e_values import LOG_WEIGHTS, SHARES

ALPHA = 0.05
LOG_DECISIVE = -np.log(ALPHA)
RECORDS = 5000
CORRELATIONS = (0.0, 0.5, 0.8, 0.95, 0.99)
BATCHES = ((20, 1.0), (100, 1.0), (100, 0.3), (500, 0.2))
"""Records of a batch, and the bound on its mean gain, which is clipped at it."""


def unpredictable(shape, correlation, rng):
    """Differences whose size drifts, and whose sign is that of a coin."""
    share = 0.4 / (1 + np.exp(-2 * drift(shape, correlation, rng)))
    return np.where(rng.random(shape) < share, rng.choice([-1.0, 1.0], shape), 0.0)


def better(shape, correlation, rng):
    """A challenger that gains 0.04 in the long run; which one is better drifts."""
    extra = rng.random(shape) < 0.04
    return np.where(extra, 1.0, zero_one(shape, correlation, rng))


def counted_wealth(gains):
    """Logarithm of the e-value of `anytime_mcnemar` after each record."""
    b, c = np.cumsum(gains < 0), np.cumsum(gains > 0)
    return (b + c) * np.log(2) + betaln(1 + b, 1 + c)


def grid_wealth(gains, bound=1.0):
    """Logarithm of the e-value of `anytime_losses` after each gain."""
    growth = np.cumsum(np.log1p(np.multiply.outer(gains / bound, SHARES)), axis=0)
    return logsumexp(growth + LOG_WEIGHTS - logsumexp(LOG_WEIGHTS), axis=1)


def batch_wealth(gains, size, bound):
    """Logarithm of the e-value after each batch, whose mean gain is one step."""
    means = gains[: len(gains) // size * size].reshape(-1, size).mean(axis=1)
    return grid_wealth(np.clip(means, -bound, bound), bound)


def unit_text(size, bound):
    """Name of a unit."""
    within = "" if bound == 1 else f", bound {bound:g}"
    return "record by record" if size == 1 else f"batches of {size}{within}"


def ever(wealth):
    """Whether an e-value ever exceeds 1 / alpha."""
    return wealth.max() > LOG_DECISIVE


def level_row(world, correlation, draws, seed):
    """Shares of streams that are ever rejected, by records and by batches."""
    counts = np.zeros(1 + len(BATCHES))
    for gains in drawn(world, RECORDS, correlation, draws, seed):
        by_record = grid_wealth(gains) if world is brier else counted_wealth(gains)
        batches = (ever(batch_wealth(gains, *batch)) for batch in BATCHES)
        counts += ever(by_record), *batches
    return [with_error(count / draws, draws) for count in counts]


WORLDS = {
    "which one is right is unknown": unpredictable,
    "which one is better drifts": zero_one,
    "errors of the logit drift, Brier": brier,
}


def level_table(args):
    """Equal models: share of streams that are ever rejected."""
    table = Table(
        f"Equal models, {RECORDS} records: share of streams ever rejected at {ALPHA}",
        (
            "stream",
            "autocorrelation",
            "record by record",
            *(unit_text(*batch) for batch in BATCHES),
        ),
    )
    settings = [(world, rho) for world in WORLDS.values() for rho in CORRELATIONS]
    names = {world: name for name, world in WORLDS.items()}
    for (world, rho), row in zip(settings, each_row(level_row, settings, args, 1)):
        table.add(names[world], rho, *row)
    return table


LONGEST = 20_000
UNITS = ((1, 1.0), (100, 1.0), (100, 0.3), (500, 0.2))


def stop_row(correlation, size, bound, draws, seed):
    """Share of streams that are decided, and their median number of records."""
    stops = []
    for gains in drawn(better, LONGEST, correlation, max(50, draws // 5), seed):
        by_record = size == 1
        wealth = counted_wealth(gains) if by_record else batch_wealth(gains, size, bound)
        above = wealth > LOG_DECISIVE
        stops.append((above.argmax() + 1) * size if above.any() else LONGEST + 1)
    stops = np.array(stops)
    return with_error((stops <= LONGEST).mean(), len(stops)), f"{np.median(stops):.0f}"


def stop_table(args):
    """A better challenger: records until that is found."""
    table = Table(
        f"A gain of 0.04: share of streams of {LONGEST} records that find it, and when",
        ("unit", "autocorrelation", "found", "median records"),
    )
    settings = [(rho, *unit) for unit in UNITS for rho in (0.0, 0.8)]
    for setting, row in zip(settings, each_row(stop_row, settings, args, 2)):
        table.add(unit_text(*setting[1:]), setting[0], *row)
    return table


if __name__ == "__main__":
    main(
        __doc__,
        {"level": smaller(level_table), "stops": smaller(stop_table)},
        draws=2000,
        of="streams a setting",
        quick=(False, "100 streams a setting"),
    )
