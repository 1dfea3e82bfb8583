"""Probability that a gate passes a challenger at the boundary, for records in time order.

Two classifiers or regressors are equally good, or the challenger is worse by just the
margin: it is wrong alone in 6 %, and right alone in 1 % of the records, in runs. Run

    python -m benchmarks.validity.time.gates

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy.special import ndtri

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from benchmarks.validity.time.time_worlds import absolute, drift, zero_one
from skcompare.evidence import OrderedDifferences
from skcompare.stats import margin_test

ALPHA = 0.05
SIZES = (
    *((60, 0.0), (60, 0.5), (120, 0.0), (120, 0.8), (250, 0.5), (250, 0.8)),
    *((500, 0.0), (500, 0.8), (500, 0.95), (2000, 0.8), (2000, 0.95)),
)
"""Numbers of records, with the autocorrelation of what differs."""

WORSE, BETTER = 0.06, 0.01
MARGIN = WORSE - BETTER


def rarely_wrong(shape, correlation, rng):
    """The challenger is wrong alone, or right alone, at the ends of a drift."""
    level = drift(shape, correlation, rng)
    wrong, right = level < ndtri(WORSE), level > ndtri(1 - BETTER)
    return right.astype(float) - wrong


WORLDS = {
    "accuracy is better": (zero_one, 0.0, "zero_one_loss"),
    "absolute error is better": (absolute, 0.0, "absolute_error"),
    f"accuracy is worse by less than {MARGIN:g}": (rarely_wrong, -MARGIN, "zero_one_loss"),
}
"""Differences, the boundary, and the loss."""


def gate_row(world, n, correlation, draws, seed):
    """Shares of series that pass, and of those without a p-value."""
    rng = np.random.default_rng(seed)
    make, boundary, loss = WORLDS[world]
    shares = np.zeros(2)
    for gains in make((draws, n), correlation, rng):
        ordered = OrderedDifferences.from_losses(
            np.maximum(gains, 0), np.maximum(-gains, 0), loss=loss
        )
        bound = 1.0 if loss == "zero_one_loss" else None
        result = margin_test(ordered, "diebold_mariano", boundary, bound=bound)
        shares += [result.pvalue < ALPHA, np.isnan(result.pvalue)]
    return shares / draws


def gate_table(args):
    """Probability to pass by condition, records and autocorrelation."""
    table = Table(
        f"Records in time order, challenger at the boundary: pass rate at {ALPHA}",
        ("condition", "records", "autocorrelation", "passed", "no p-value"),
    )
    draws = min(args.draws, 100) if args.quick else args.draws
    sizes = SIZES[2:3] if args.quick else SIZES
    settings = [(world, *size) for world, size in product(WORLDS, sizes)]
    for setting, shares in zip(settings, each_row(gate_row, settings, args, 1, draws)):
        table.add(*setting, *(with_error(each, draws) for each in shares))
    return table


if __name__ == "__main__":
    main(
        __doc__,
        gate_table,
        draws=2000,
        of="series a setting",
        quick=(False, "100 series of one size"),
    )
