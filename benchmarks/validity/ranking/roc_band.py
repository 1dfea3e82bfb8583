"""How often the bands of the difference of two ROC curves hold the true one.

Scores are normal in either class, so that the true curves are known, and correlated between
the classifiers. Run

    python -m benchmarks.validity.ranking.roc_band

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy.stats import norm

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import PlacementValues
from skcompare.stats import roc_difference_band

CORRELATION = 0.5
"""Of the scores of the classifiers, within each class."""

SIZES = ((50, 50), (200, 200), (200, 1000), (20, 180))
"""Positive and negative records."""

CASES = {
    "equal": ((1.2, 1.0), (1.2, 1.0)),
    "better": ((1.0, 1.0), (1.5, 1.0)),
    "crossing": ((1.2, 1.0), (1.6, 1.6)),
    "near 1": ((2.5, 1.0), (3.0, 1.0)),
}
"""Mean and standard deviation of the positive scores of champion and challenger."""

STEPS = {"different": None, "tied": 3}
"""Levels in a standard deviation of the negative scores."""

GROUPS, GROUP_SIZE, SHARED = (20, 60), 10, 0.5
"""Groups, records of each, and the variance of a score that its group shares."""


def normal_scores(case, classes, rng, groups=None):
    """Scores of both classifiers."""
    shape = (2, len(classes))
    own = np.sqrt(CORRELATION) * rng.normal(size=shape[1])
    own = own + np.sqrt(1 - CORRELATION) * rng.normal(size=shape)
    if groups is not None:
        together = rng.normal(size=groups.max() + 1)[groups]
        own = np.sqrt(1 - SHARED) * own + np.sqrt(SHARED) * together
    for row, (mean, deviation) in zip(own, CASES[case]):
        row[classes] = mean + deviation * row[classes]
    return own


def true_difference(case, rates, steps):
    """Difference of the true curves, which are straight along tied scores."""
    curves = []
    for mean, deviation in CASES[case]:
        if steps is None:
            found = norm.cdf((mean + norm.ppf(rates)) / deviation)
        else:
            # Scores are rounded, so that thresholds are midway between two levels.
            cuts = (np.arange(20 * steps, -20 * steps, -1) + 0.5) / steps
            sizes = norm.sf(cuts), norm.sf((cuts - mean) / deviation)
            found = np.interp(rates, *sizes)
        curves.append(found)
    return curves[1] - curves[0]


def drawn(case, size, steps, rng):
    classes = np.arange(sum(size)) < size[0]
    scores = normal_scores(case, classes, rng)
    return classes, scores if steps is None else np.round(scores * steps) / steps, None


def drawn_groups(case, n_groups, rng):
    groups = np.repeat(np.arange(n_groups), GROUP_SIZE)
    classes = rng.random(len(groups)) < 0.5
    return classes, normal_scores(case, classes, rng, groups), groups


def coverage(case, size, words, n_draws, n_resamples, seed):
    """Of each draw: the mean share of rates that are held, the rates, and all at once."""
    rng, steps = np.random.default_rng(seed), STEPS[words]
    n_negatives = size[1] if isinstance(size, tuple) else size * GROUP_SIZE // 2
    rates = np.arange(min(n_negatives, 100) + 1) / min(n_negatives, 100)
    rates[0] = 1 / n_negatives
    rates = np.unique(rates[:-1])
    truth = true_difference(case, rates, steps)
    held, together, widths = [], [], []
    for _ in range(n_draws):
        if isinstance(size, tuple):
            classes, scores, groups = drawn(case, size, steps, rng)
        else:
            classes, scores, groups = drawn_groups(case, size, rng)
        placements = PlacementValues(classes, scores, groups=groups)
        band = roc_difference_band(
            placements, fpr=rates, n_resamples=n_resamples, random_state=rng.integers(99)
        )
        held.append((band.low <= truth) & (truth <= band.high))
        outside = (truth < band.simultaneous_low) | (truth > band.simultaneous_high)
        together.append(not outside.any())
        widths.append([half_width(band, band.low), half_width(band, band.simultaneous_low)])
    return np.array(held), np.array(together), np.mean(widths, axis=0)


def half_width(band, low):
    return np.mean(band.difference - low)


def row_of(case, size, words, found):
    """What is said of a setting."""
    held, together, widths = found
    n = len(held)
    means = held.mean(axis=1)
    error = means.std(ddof=1) / n**0.5
    return (
        case,
        *size,
        words,
        f"{means.mean():.3f} ± {error:.3f}",
        with_error(held.mean(axis=0).min(), n),
        with_error(together.mean(), n),
        *(f"{width:.3f}" for width in widths),
    )


COLUMNS = (
    "curves",
    "positives",
    "negatives",
    "scores",
    "pointwise, mean over rates",
    "pointwise, least of all rates",
    "simultaneous",
    "mean half-width, pointwise",
    "mean half-width, simultaneous",
)


def record_tables(args):
    """Coverage of both bands for independent records."""
    sizes = [tuple(map(int, size.split("+"))) for size in args.sizes]
    settings = [(case, size, words) for size, case, words in product(sizes, CASES, STEPS)]
    found = each_row(coverage, settings, args, 1, args.draws, args.resamples)
    table = Table("Coverage of the 95 % bands of the difference of ROC curves", COLUMNS)
    for (case, size, words), each in zip(settings, found):
        table.add(*row_of(case, size, words, each))
    return table


def group_tables(args):
    """The same for records in groups, each of both classes."""
    settings = [(case, size, "different") for size, case in product(GROUPS, CASES)]
    found = each_row(coverage, settings, args, 2, args.draws, args.resamples)
    columns = ("curves", "groups", *COLUMNS[4:])
    table = Table(f"The same for groups of {GROUP_SIZE} records", columns)
    for (case, size, _), each in zip(settings, found):
        cells = row_of(case, (size,), "", each)
        table.add(*cells[:2], *cells[3:])
    return table


PARTS = {"records": record_tables, "groups": group_tables}


if __name__ == "__main__":
    sizes = tuple(f"{m}+{n}" for m, n in SIZES)
    main(
        __doc__,
        PARTS,
        draws=1000,
        sizes=(sizes, "positive and negative records"),
        resamples=(400, "resamples a band"),
    )
