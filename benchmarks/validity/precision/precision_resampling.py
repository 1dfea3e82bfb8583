"""Error rates of tests of precision on pooled answers of cross-validation, by simulation.

Two algorithms learn the same way from two sets of features that are alike, so that their
expected precisions are equal for every number of training records, and a test that finds
one better is wrong about the algorithms. Run

    python -m benchmarks.validity.precision.precision_resampling

or with ``--help`` for the options.
"""

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from sklearn.model_selection import KFold

from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClusterSums
from skcompare.evidence.labels._class_moments import ClassMoments
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import clustered_precision, gee_precision
from skcompare.stats.precision._precision_statistics import (
    generalized_score,
    log_odds_contrast,
    predicted_alike,
    share_contrast,
)

ALPHA = 0.05
RECORDS = (200, 1000)
PREVALENCE = 0.3
CORRELATIONS = (0.3, 0.8)
"""Of a feature of the champion and the one of the challenger, within a class."""

SHIFT = 1.1
"""Distance of the classes in standard deviations, in all features together."""

FEATURES = {"fixed rule": 1, "linear discriminant": 10, "decision stump": 1}
FOLDS, REPEATS = 10, 10
BATCH = 20
"""Data sets that are split alike; records are in no order, so that it does not matter."""

COLUMNS = (
    "gee_precision",
    "clustered_precision",
    "gee, each answer a cluster",
    "score, each answer a cluster",
    "undefined",
    "error / estimated",
)


def draw(learner, n, correlation, rng):
    """Classes, and features of both algorithms of shape (batch, 2, n, n_features)."""
    d = FEATURES[learner]
    y = rng.random((BATCH, n)) < PREVALENCE
    common = rng.normal(size=(BATCH, 1, n, d))
    own = rng.normal(size=(BATCH, 2, n, d))
    X = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    X += SHIFT / np.sqrt(d) * y[:, np.newaxis, :, np.newaxis]
    return y, X


def folds_of(design, n, rng):
    """For each repetition the fold that tests each record; -1 where none does.

    The other records train the classifiers that answer those of a fold.
    """
    state = int(rng.integers(2**31))
    if design == "hold-out of half":
        return [np.where(rng.permutation(n) < n // 2, 0, -1)]
    if design == "5×2 BCV":
        splits = BlockRegularized5x2CV(stratify=False, random_state=state).split(
            np.zeros((n, 1)), np.zeros(n)
        )
        tests = [test for _, test in splits]
        pairs = zip(tests[::2], tests[1::2])
    else:
        repeats = 1 if design == f"{FOLDS}-fold" else REPEATS
        pairs = [
            [
                test
                for _, test in KFold(FOLDS, shuffle=True, random_state=state + i).split(y)
            ]
            for i, y in enumerate([np.zeros(n)] * repeats)
        ]
    repetitions = []
    for tests in pairs:
        fold = np.full(n, -1)
        for i, test in enumerate(tests):
            fold[test] = i
        repetitions.append(fold)
    return repetitions


DESIGNS = ("hold-out of half", f"{FOLDS}-fold", f"{REPEATS}×{FOLDS}-fold", "5×2 BCV")


def fixed_predictions(X, y, fold):
    """The rule with the fewest errors, which nobody has learned."""
    best = SHIFT / 2 + np.log((1 - PREVALENCE) / PREVALENCE) / SHIFT
    return X[..., 0] > best


def linear_predictions(X, y, fold):
    """Linear discriminants with independent features, fitted without each fold."""
    train = (fold != np.arange(fold.max() + 1)[:, np.newaxis]).astype(float)
    labels = y[:, np.newaxis, :, np.newaxis]
    positive = train @ labels
    negative = train.sum(axis=1)[:, np.newaxis] - positive
    total, of_positive = train @ X, train @ (X * labels)
    high, low = of_positive / positive, (total - of_positive) / negative
    squares = train @ X**2 - positive * high**2 - negative * low**2
    slopes = (high - low) * (positive + negative - 2) / squares
    level = np.log(positive / negative)[..., 0] - (slopes * (high + low)).sum(axis=-1) / 2
    return (slopes[:, :, fold] * X).sum(axis=-1) + level[:, :, fold] > 0


def stump_predictions(X, y, fold):
    """The cut-off with the fewest errors in training, fitted without each fold."""
    values = X[..., 0]
    order = np.argsort(-values, axis=-1)
    gains = np.take_along_axis(np.where(y, 1, -1)[:, np.newaxis], order, axis=-1)
    descending = np.take_along_axis(values, order, axis=-1)
    predictions = np.zeros(values.shape, dtype=bool)
    for i in range(fold.max() + 1):
        right = np.cumsum(gains * (fold != i)[order], axis=-1)
        best = right.argmax(axis=-1)[..., np.newaxis]
        # It may be best to call no record positive.
        some = np.take_along_axis(right, best, axis=-1) > 0
        above = values >= np.take_along_axis(descending, best, axis=-1)
        predictions |= above & some & (fold == i)
    return predictions


LEARNERS = {
    "fixed rule": fixed_predictions,
    "linear discriminant": linear_predictions,
    "decision stump": stump_predictions,
}


class Pooled(NamedTuple):
    """Moments of the answers of a batch, with records or single answers as clusters."""

    records: ClassMoments
    predictions: ClassMoments
    n_clusters: np.ndarray


def pooled(y, repetitions):
    """Moments of positive answers of shape (batch, 2, n) in each repetition."""
    right = y[:, np.newaxis]
    rows = np.sum(repetitions, axis=0)
    apart = [np.zeros((len(y), 2, 2), dtype=int) for _ in range(2)]
    for predicted in repetitions:
        for sums, values in zip(apart, (predicted, predicted & right)):
            sums += products(values, values)
    totals, hits = rows.sum(axis=-1), (rows * right).sum(axis=-1)
    of_records = (
        products(rows, rows),
        products(rows, rows * right),
        products(rows * right, rows * right),
    )
    return Pooled(
        ClassMoments(totals, hits, *of_records),
        ClassMoments(totals, hits, apart[0], apart[1], apart[1]),
        rows.any(axis=1).sum(axis=-1),
    )


def products(first, second):
    """Sums over the records of products of what two classifiers have."""
    # As floats, because only these are multiplied fast; the numbers are whole.
    found = first.astype(float) @ np.swapaxes(second, -1, -2).astype(float)
    return np.rint(found).astype(int)


def score_pvalues(moments, n_clusters):
    """P-values of `clustered_precision`: Student's t, with the mean out of the variance."""
    root = generalized_score(moments).root
    left = np.maximum(n_clusters - root**2, 1e-9)
    t = np.abs(root) * np.sqrt((n_clusters - 1) / left)
    alike = predicted_alike(moments)
    return np.where(alike, 1.0, 2 * special.stdtr(np.maximum(n_clusters - 1, 1), -t))


def wald_pvalues(moments):
    """P-values of `gee_precision`; NaN where undefined, 1 where both answer alike."""
    root = np.where(predicted_alike(moments), 0.0, log_odds_contrast(moments).root)
    return np.where(np.isfinite(root), 2 * special.ndtr(-np.abs(root)), np.nan)


def batch_of(learner, n, correlation, design, rng):
    """P-values of a batch, differences with variances, and a gap to the library."""
    y, X = draw(learner, n, correlation, rng)
    repetitions = []
    folds = folds_of(design, n, rng)
    for fold in folds:
        predictions = LEARNERS[learner](X, y, fold) & (fold >= 0)
        repetitions.append(predictions)
    found = pooled(y, repetitions)
    wald = wald_pvalues(found.records)
    pvalues = np.stack(
        [
            wald,
            score_pvalues(found.records, found.n_clusters),
            wald_pvalues(found.predictions),
            2 * special.ndtr(-np.abs(generalized_score(found.predictions).root)),
        ]
    )
    difference = share_contrast(found.records)
    tested = folds[0] >= 0
    given = [
        [prediction[0, k][tested].astype(int) for k in (0, 1)] for prediction in repetitions
    ]
    sums = ClusterSums.from_repeats(y[0][tested].astype(int), given, classes=[0, 1])
    library = [gee_precision(sums).pvalue, clustered_precision(sums).pvalue]
    gap = np.abs(np.nan_to_num(library, nan=2) - np.nan_to_num(pvalues[:2, 0], nan=2))
    return pvalues, difference.estimate, difference.variance, gap.max()


def row_of(learner, n, correlation, design, n_draws, seed):
    """Rejections, undefined p-values, and how much the error is above its estimate."""
    rng = np.random.default_rng(seed)
    setting = (learner, n, correlation, design)
    parts = [batch_of(*setting, rng) for _ in range(-(-n_draws // BATCH))]
    pvalues, estimates, variances = (
        np.concatenate([part[i] for part in parts], axis=-1) for i in range(3)
    )
    error = np.sqrt(np.nanvar(estimates) / np.nanmean(variances))
    rejected = (pvalues < ALPHA).mean(axis=1)
    return rejected, np.isnan(pvalues[0]).mean(), error, max(part[3] for part in parts)


def table_of(args):
    """Type I error for all algorithms and designs."""
    settings = list(product(LEARNERS, args.records, CORRELATIONS, DESIGNS))
    seeds = np.random.SeedSequence([args.seed, 1]).spawn(len(settings))
    rows = Parallel(args.n_jobs)(
        delayed(row_of)(*setting, args.draws, seed)
        for setting, seed in zip(settings, seeds)
    )
    gap = max(row[3] for row in rows)
    print(f"pooled answers, by the library too: largest gap of p-values {gap:.0e}.\n")
    if gap > 1e-9:
        raise SystemExit("The simulation does not decide as the library does.")
    table = Table(
        f"Algorithms of equal expected precision, pooled answers: type I error at {ALPHA}",
        ("algorithm", "records", "correlation", "design", *COLUMNS),
    )
    n_draws = -(-args.draws // BATCH) * BATCH
    for setting, (rejected, undefined, error, _) in zip(settings, rows):
        shown = [with_error(share, n_draws) for share in (*rejected, undefined)]
        table.add(*setting, *shown, f"{error:.2f}")
    return table


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--draws", type=int, default=2000, help="data sets a setting")
    add("--records", type=int, nargs="+", default=list(RECORDS), help="sizes of data sets")
    add("--seed", type=int, default=0)
    add("--n-jobs", type=int, default=-1, help="settings at a time; -1 for all processors")
    add("--rst", action="store_true", help="print reStructuredText")
    args = parser.parse_args(arguments)

    table_of(args).show(rst=args.rst)


if __name__ == "__main__":
    main()
