"""Error rates of the tests of precision for grouped records, by simulation.

Records of a group are answered alike, and classes may be more frequent in some groups than
in others. Run

    python -m benchmarks.validity.precision.precision_groups

or with ``--help`` for the options.
"""

import argparse
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from scipy import special

from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClusterSums
from skcompare.evidence.labels._class_moments import ClassMoments
from skcompare.stats import clustered_precision, gee_precision
from skcompare.stats.precision._precision_statistics import (
    generalized_score,
    log_odds_contrast,
    predicted_alike,
    share_contrast,
    weighted_generalized_score,
)

ALPHA = 0.05
GROUPS = (10, 20, 50, 100)
SIZES = {"equal": (10,), "unequal": (1, 2, 4, 13, 30)}
"""Records of groups, repeated until there are enough groups; 10 on average."""

RECALLS = {"equal": (0.6, 0.6), "champion's twice": (0.8, 0.4)}
PREVALENCE, PRECISION = 0.3, 0.8
CORRELATION = 0.6
"""Of the normal variables behind the two answers to a record."""

ALIKE = {"none": (0.0, 0.0), "answers": (0.0, 0.3), "answers and classes": (0.2, 0.3)}
"""Correlation, within a group, of classes and of the variables behind answers."""

BATCH = 100
COLUMNS = {
    "score, t": ("clustered", {}),
    "score, normal": ("clustered", {"distribution": "normal"}),
    "wald, mancl-derouen, t": (
        "clustered",
        {"method": "wald", "correction": "mancl-derouen"},
    ),
    "gee, wald": ("gee", {}),
    "gee, mancl-derouen": ("gee", {"correction": "mancl-derouen"}),
}
TESTS = {"clustered": clustered_precision, "gee": gee_precision}


def draw(n_groups, sizes, alike, recalls, rng):
    """Classes, and answers of both classifiers, of a batch of data sets."""
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


def moments_of(rows, hits, *, corrected=False):
    """Moments of sums by group, of shape (batch, 2, n_groups), or Mancl and DeRouen's."""
    totals, right = rows.sum(axis=-1), hits.sum(axis=-1)
    if corrected:
        left = totals[..., np.newaxis] - rows
        scale = totals[..., np.newaxis] / np.where(left > 0, left, np.nan)
        scale = np.where(rows > 0, scale, 1.0)
        rows, hits = rows * scale, hits * scale
    products = (
        first @ np.swapaxes(second, -1, -2)
        for first, second in ((rows, rows), (rows, hits), (hits, hits))
    )
    return ClassMoments(totals, right, *products)


def pvalues_of(rows, hits):
    """P-values of all tests; NaN where undefined."""
    n_clusters = rows.any(axis=1).sum(axis=-1)
    df = np.maximum(n_clusters - 1, 1)
    plain, corrected = (moments_of(rows, hits, corrected=c) for c in (False, True))
    score = generalized_score(plain).root
    t = score * np.sqrt(df / np.maximum(n_clusters - score**2, 1e-12))
    found = [
        2 * special.stdtr(df, -np.abs(t)),
        2 * special.ndtr(-np.abs(score)),
        2 * special.stdtr(df, -np.abs(share_contrast(corrected).root)),
        2 * special.ndtr(-np.abs(log_odds_contrast(plain).root)),
        2 * special.ndtr(-np.abs(log_odds_contrast(corrected).root)),
    ]
    # Classifiers that answer alike do not differ, even if they never name the class.
    return np.where(predicted_alike(plain), 1.0, np.stack(found))


def error_row(n_groups, sizes, alike, recalls, n_draws, seed):
    """Shares of rejections, of undefined p-values, and a gap to the library."""
    rng = np.random.default_rng(seed)
    pvalues, gap = [], 0.0
    for _ in range(-(-n_draws // BATCH)):
        group, y, predictions = draw(n_groups, sizes, ALIKE[alike], RECALLS[recalls], rng)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        right = predictions & y[:, np.newaxis]
        rows, hits = (
            np.add.reduceat(each.astype(float), starts, axis=-1)
            for each in (predictions, right)
        )
        # Each record a cluster, whatever group it is of.
        apart = moments_of(predictions.astype(float), right.astype(float))
        ignored = 2 * special.ndtr(-np.abs(weighted_generalized_score(apart).root))
        found = pvalues_of(rows, hits)
        pvalues.append(np.vstack([found, ignored]))
        sums = ClusterSums.from_predictions(
            y[0].astype(int), *predictions[0].astype(int), groups=group
        )
        library = [TESTS[name](sums, **words).pvalue for name, words in COLUMNS.values()]
        apart = np.nan_to_num(library, nan=2) - np.nan_to_num(found[:, 0], nan=2)
        gap = max(gap, float(np.abs(apart).max()))
    pvalues = np.concatenate(pvalues, axis=1)
    undefined = np.isnan(pvalues[[0, 3]]).mean(axis=1)
    return (pvalues < ALPHA).mean(axis=1), undefined, gap


def error_table(args):
    """Type I error of all tests."""
    settings = [
        (n_groups, sizes, alike, recalls)
        for recalls, alike, sizes, n_groups in product(RECALLS, ALIKE, SIZES, args.groups)
        if sizes == "unequal" or alike == "answers"
    ]
    seeds = np.random.SeedSequence([args.seed, 1]).spawn(len(settings))
    rows = Parallel(args.n_jobs)(
        delayed(error_row)(*setting, args.draws, seed)
        for setting, seed in zip(settings, seeds)
    )
    gap = max(row[2] for row in rows)
    print(f"grouped records, by the library too: largest gap of p-values {gap:.0e}.\n")
    if gap > 1e-9:
        raise SystemExit("The simulation does not decide as the library does.")
    table = Table(
        f"Grouped records, equal precisions of {PRECISION}: type I error at {ALPHA}",
        (
            "groups",
            "sizes",
            "alike in a group",
            "answers",
            *COLUMNS,
            "weighted score, groups ignored",
            "undefined, score",
            "undefined, gee",
        ),
    )
    n_draws = -(-args.draws // BATCH) * BATCH
    for setting, (rejected, undefined, _) in zip(settings, rows):
        shown = (with_error(share, n_draws) for share in (*rejected, *undefined))
        table.add(*setting, *shown)
    return table


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--draws", type=int, default=4000, help="data sets a setting")
    add("--groups", type=int, nargs="+", default=list(GROUPS), help="numbers of groups")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="settings at a time; -1 for all processors")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)

    error_table(args).show(rst=args.rst)


if __name__ == "__main__":
    main()
