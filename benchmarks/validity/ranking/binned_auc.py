"""What levels of scores change of AUCs and of DeLong's test, by simulation.

Records are counted by levels of the probabilities that two classifiers give, and beside it
ranked by the probabilities themselves. Run

    python -m benchmarks.validity.ranking.binned_auc

or with ``--help`` for the options.
"""

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import PlacementValues
from skcompare.stats import delong

ALPHA = 0.05

N_LEVELS = (64, 256, 512, 1024, 4096)
"""Levels of each classifier whose errors are measured."""

TESTED = (16, 64, 512)
"""Levels whose error rates are."""

RECORDS = 5000
"""Of each data set whose test is counted."""

WHOLE = {"rounded": 1000}
"""Probabilities are rounded to one part in so many."""

LOGITS = {
    # Mean and standard deviation of the true logit, and deviations that classifiers add.
    "smooth": (0.0, 1.5, (1.0, 1.0)),
    "U-shaped": (0.0, 6.0, (2.0, 2.0)),
    "rare": (-7.0, 2.0, (1.0, 1.0)),
    "rounded": (-2.0, 1.5, (1.0, 1.0)),
    "alike": (0.0, 1.5, (0.05, 0.05)),
    "challenger better": (0.0, 1.5, (1.5, 0.5)),
}
"""The kinds of scores."""

NULLS = tuple(LOGITS)[:-1]
"""Those of equal classifiers."""


def draw(kind, n, rng):
    """Classes with two of each at least, and probabilities of two classifiers."""
    mean, spread, noise = LOGITS[kind]
    logit = rng.normal(mean, spread, n)
    y = rng.random(n) < special.expit(logit)
    y[:4] = True, True, False, False
    scores = [special.expit(logit + rng.normal(0, each, n)) for each in noise]
    whole = WHOLE.get(kind)
    return y, scores if whole is None else [np.round(s * whole) / whole for s in scores]


def error_row(kind, n, seed):
    """Errors and bounds for each number of levels, and the standard error."""
    y, scores = draw(kind, n, np.random.default_rng(seed))
    exact = PlacementValues.from_predictions(y, *scores)
    truth = delong(exact)
    error = truth.details["standard_error"]
    rows = []
    for n_score_bins in N_LEVELS:
        found = PlacementValues.from_predictions(y, *scores, n_score_bins=n_score_bins)
        result = delong(found)
        details = result.details
        rows.append(
            [
                np.abs(found.aucs - exact.aucs).max(),
                found.auc_bounds.max(),
                abs(result.estimate - truth.estimate),
                details.get("auc_error_expected", 0.0),
                details.get("auc_error_bound", 0.0),
                error,
                abs(details["standard_error"] / error - 1),
                details.get("standard_error_bound", 0.0) / error,
            ]
        )
    return np.array(rows)


def error_tables(args):
    """The greatest errors of some draws, and the means of what is said of them."""
    settings = [(kind,) for kind in LOGITS for _ in range(args.repeats)]
    rows = each_row(error_row, settings, args, 1, args.records)
    aucs = Table(
        f"AUC of {args.records} records: greatest error by number of bins",
        ("scores", "bins", "error of an AUC", "bound"),
    )
    differences = Table(
        f"Difference of two AUCs of {args.records} records: greatest error by number of "
        "bins",
        (
            "scores",
            "bins",
            "error",
            "expected",
            "bound",
            "standard error",
        ),
    )
    errors = Table(
        f"Standard error of the difference, {args.records} records: relative error",
        ("scores", "bins", "greatest error", "bound"),
    )
    every = np.array(rows).reshape(len(LOGITS), args.repeats, len(N_LEVELS), -1)
    for kind, drawn in zip(LOGITS, every):
        for i, n_score_bins in enumerate(N_LEVELS):
            most, mean = drawn[:, i].max(axis=0), drawn[:, i].mean(axis=0)
            aucs.add(kind, n_score_bins, *map(small, (most[0], mean[1])))
            shown = most[2], mean[3], mean[4], mean[5]
            differences.add(kind, n_score_bins, *map(small, shown))
            errors.add(kind, n_score_bins, *map(small, (most[6], mean[7])))
    return aucs, differences, errors


def small(value):
    return f"{value:.1e}" if value else "0"


def test_row(kind, n_draws, seed):
    """Shares of rejections by the scores and by levels, and of other decisions."""
    rng = np.random.default_rng(seed)
    counts = np.zeros(1 + 2 * len(TESTED))
    for _ in range(n_draws):
        y, scores = draw(kind, RECORDS, rng)
        first = delong(PlacementValues.from_predictions(y, *scores)).pvalue < ALPHA
        others = [
            delong(PlacementValues.from_predictions(y, *scores, n_score_bins=n)).pvalue
            < ALPHA
            for n in TESTED
        ]
        counts += [first, *others, *(one != first for one in others)]
    return counts / n_draws


def test_tables(args):
    """Type I error of DeLong's test of levels."""
    rows = each_row(test_row, [(kind,) for kind in NULLS], args, 2)
    table = Table(
        f"Two equal AUCs, {RECORDS} records: type I error of DeLong's test at {ALPHA}",
        (
            "scores",
            "by the scores",
            *(f"{n} bins" for n in TESTED),
            *(f"different decision, {n} bins" for n in TESTED),
        ),
    )
    for kind, shares in zip(NULLS, rows):
        table.add(kind, *(with_error(share, args.draws) for share in shares))
    return table


PARTS = {"errors": error_tables, "tests": test_tables}


if __name__ == "__main__":
    main(
        __doc__,
        PARTS,
        draws=200,
        of="data sets a setting that are tested",
        records=(1_000_000, "records whose errors are measured"),
        repeats=(3, "data sets of so many records"),
    )
