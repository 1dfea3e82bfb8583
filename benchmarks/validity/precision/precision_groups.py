"""Error rates of the tests of precision for grouped records, by simulation.

Records of a group are answered alike, and classes may be more frequent in some groups than
in others. Run

    python -m benchmarks.validity.precision.precision_groups

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from scipy import special

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import clustered_precision, gee_precision, precision_weighted_score

ALPHA = 0.05
GROUPS = (10, 20, 50, 100)
SIZES = {"equal": (10,), "unequal": (1, 2, 4, 13, 30)}
"""Records of groups, repeated until there are enough groups; 10 on average."""

RECALLS = {"equal": (0.6, 0.6), "champion's twice": (0.8, 0.4)}
PREVALENCE, PRECISION = 0.3, 0.8
CORRELATION = 0.6
"""Of the normal variables behind the two predictions for a record."""

ALIKE = {
    "none": (0.0, 0.0),
    "predictions": (0.0, 0.3),
    "predictions and classes": (0.2, 0.3),
}
"""Correlation, within a group, of classes and of the variables behind predictions."""

BATCH = 100
COLUMNS = {
    "score, t": (clustered_precision, {}),
    "score, normal": (clustered_precision, {"distribution": "normal"}),
    "wald, mancl-derouen, t": (
        clustered_precision,
        {"method": "wald", "correction": "mancl-derouen"},
    ),
    "gee, wald": (gee_precision, {}),
    "gee, mancl-derouen": (gee_precision, {"correction": "mancl-derouen"}),
}


def draw(n_groups, sizes, alike, recalls, rng):
    """Classes, and predictions of both classifiers, of a batch of data sets."""
    of_classes, of_predictions = alike
    group = np.repeat(np.arange(n_groups), np.resize(SIZES[sizes], n_groups))
    shape = (BATCH, n_groups)
    rate = np.full(shape, PREVALENCE)
    if of_classes:
        strength = 1 / of_classes - 1
        rate = rng.beta(strength * PREVALENCE, strength * (1 - PREVALENCE), size=shape)
    y = rng.random((BATCH, len(group))) < rate[:, group]

    def noise(n):
        both = rng.normal(size=(BATCH, 1, n))
        own = rng.normal(size=(BATCH, 2, n))
        return np.sqrt(CORRELATION) * both + np.sqrt(1 - CORRELATION) * own

    latent = np.sqrt(of_predictions) * noise(n_groups)[:, :, group]
    latent += np.sqrt(1 - of_predictions) * noise(len(group))
    found = np.array(recalls)[:, np.newaxis]
    odds = (1 - PRECISION) / PRECISION
    false = found * odds * PREVALENCE / (1 - PREVALENCE)
    predictions = latent < np.where(
        y[:, np.newaxis], special.ndtri(found), special.ndtri(false)
    )
    return group, y, predictions


def error_row(n_groups, sizes, alike, recalls, n_draws, seed):
    """Shares of rejections by each test and without groups, and of undefined p-values."""
    rng = np.random.default_rng(seed)
    pvalues = []
    for _ in range(-(-n_draws // BATCH)):
        group, *drawn = draw(n_groups, sizes, ALIKE[alike], RECALLS[recalls], rng)
        for y, predictions in zip(*drawn):
            given = y.astype(int), *predictions.astype(int)
            sums = ClusterSums.from_predictions(*given, groups=group)
            ignored = precision_weighted_score(JointCounts.from_predictions(*given))
            results = [test(sums, **words) for test, words in COLUMNS.values()]
            pvalues.append([result.pvalue for result in (*results, ignored)])
    pvalues = np.array(pvalues)
    return [*(pvalues < ALPHA).mean(axis=0), *np.isnan(pvalues[:, [0, 3]]).mean(axis=0)]


def error_table(args):
    """Type I error of all tests."""
    settings = [
        (n_groups, sizes, alike, recalls)
        for recalls, alike, sizes, n_groups in product(RECALLS, ALIKE, SIZES, args.groups)
        if sizes == "unequal" or alike == "predictions"
    ]
    rows = each_row(error_row, settings, args, 1)
    table = Table(
        f"Grouped records, equal precisions of {PRECISION}: type I error at {ALPHA}",
        (
            "groups",
            "sizes",
            "correlated in a group",
            "positive predictions",
            *COLUMNS,
            "weighted score, groups ignored",
            "undefined, score",
            "undefined, gee",
        ),
    )
    n_draws = -(-args.draws // BATCH) * BATCH
    for setting, shares in zip(settings, rows):
        table.add(*setting, *(with_error(share, n_draws) for share in shares))
    return table


if __name__ == "__main__":
    main(__doc__, error_table, draws=4000, groups=(GROUPS, "numbers of groups"))
