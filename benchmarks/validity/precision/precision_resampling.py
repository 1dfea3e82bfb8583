"""Error rates of tests of precision on pooled predictions of cross-validation.

Two algorithms learn the same way from two sets of features that are alike, so that their
expected precisions are equal for every number of training records, and a test that finds
one better is wrong about the algorithms. Run

    python -m benchmarks.validity.precision.precision_resampling

or with ``--help`` for the options.
"""

from itertools import product

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.validity._lib.study import each_row, main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ClusterSums, JointCounts
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.stats import (
    clustered_precision,
    gee_precision,
    precision_score,
    precision_wald,
)
from skcompare.stats.precision._precision_statistics import wald_contrast

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
    "gee, each prediction a cluster",
    "score, each prediction a cluster",
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

    The other records train the classifiers that predict those of a fold.
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


def results_of(y, repetitions):
    """P-values of all tests of one data set, and its difference with its variance.

    From the predictions of champion and challenger in each repetition.
    """
    sums = ClusterSums.from_repeats(y, repetitions, classes=[0, 1])
    apart = JointCounts.from_predictions(
        np.tile(y, len(repetitions)), *map(np.concatenate, zip(*repetitions))
    )
    score = clustered_precision(sums)
    results = gee_precision(sums), score, precision_wald(apart), precision_score(apart)
    variance = wald_contrast(sums.class_rows().moments("precision", 1)).variance
    return *(result.pvalue for result in results), score.estimate, variance


def batch_of(learner, n, correlation, design, rng):
    """The results of a batch of data sets."""
    y, X = draw(learner, n, correlation, rng)
    folds = folds_of(design, n, rng)
    tested = folds[0] >= 0
    repetitions = [
        (LEARNERS[learner](X, y, fold)[..., tested]).astype(int) for fold in folds
    ]
    return [
        results_of(y[k][tested].astype(int), [one[k] for one in repetitions])
        for k in range(BATCH)
    ]


def row_of(learner, n, correlation, design, n_draws, seed):
    """Rejections, undefined p-values, and how much the error is above its estimate."""
    rng = np.random.default_rng(seed)
    setting = (learner, n, correlation, design)
    parts = [batch_of(*setting, rng) for _ in range(-(-n_draws // BATCH))]
    *pvalues, estimates, variances = np.concatenate(parts).T
    rejected = (np.array(pvalues) < ALPHA).mean(axis=1)
    error = np.sqrt(np.nanvar(estimates) / np.nanmean(variances))
    return [*rejected, np.isnan(pvalues[0]).mean()], error


def table_of(args):
    """Type I error for all algorithms and designs."""
    settings = list(product(LEARNERS, args.records, CORRELATIONS, DESIGNS))
    rows = each_row(row_of, settings, args, 1)
    table = Table(
        "Algorithms of equal expected precision, pooled predictions: "
        f"type I error at {ALPHA}",
        ("algorithm", "records", "correlation", "design", *COLUMNS),
    )
    n_draws = -(-args.draws // BATCH) * BATCH
    for setting, (shares, error) in zip(settings, rows):
        shown = [with_error(share, n_draws) for share in shares]
        table.add(*setting, *shown, f"{error:.2f}")
    return table


if __name__ == "__main__":
    main(__doc__, table_of, records=(RECORDS, "sizes of data sets"))
