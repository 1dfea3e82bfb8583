"""How often tests of fold scores find a difference between equal learners.

Two classifiers of one kind learn from two sets of features that are equally informative, so
that they are equal in every measure, whatever the splits. Tests of the scores of all splits
look for a difference in accuracy, AUC, Brier loss and log loss. Run

    python -m benchmarks.validity.splits.score_resampling

or with ``--help`` for the options.
"""

from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy import special

from benchmarks.validity._lib.study import main
from benchmarks.validity._lib.tables import Table, with_error
from skcompare.evidence import ScoreDifferences
from skcompare.stats import (
    combined_5x2_f,
    combined_5x2_t,
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
    kfold_t,
    paired_5x2_t,
    repeated_holdout_t,
)

ALPHA = 0.05
N_FEATURES = 4
MEASURES = ("accuracy", "AUC", "Brier", "log loss")
LEARNERS = ("LDA", "naive Bayes", "1-NN", "5-NN", "15-NN")
WORLDS = ((100, 0.36), (100, 1.19), (100, 2.66), (200, 1.19), (400, 1.19))
"""Records, and the distance of the classes: its AUC is .6, .8 or .97."""

N_HOLDOUTS = 15


class Splits:
    """Training and test sets of one data set, all of one size, with equal classes."""

    def __init__(self, train, test, n_train):
        self.train, self.test, self.n_train = train, test, n_train

    @classmethod
    def of_parts(cls, test, n):
        """Splits that train on all that they do not test."""
        train = np.ones((len(test), n), dtype=bool)
        np.put_along_axis(train, test, False, axis=1)
        return cls(train, test, n - test.shape[1])


def shuffled(y, rng):
    """Positions of the records of each class, shuffled; of shape (2, n / 2)."""
    return np.array([rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)])


def folds(y, n_folds, n_repeats, rng):
    """Stratified folds, repetition after repetition."""
    repeats = []
    for _ in range(n_repeats):
        by_class = shuffled(y, rng).reshape(2, n_folds, -1)
        repeats.append(np.concatenate(list(by_class), axis=1))
    return Splits.of_parts(np.concatenate(repeats), len(y))


def holdouts(y, n_test, n_splits, rng):
    """Stratified test sets that are drawn anew for every split."""
    half = n_test // 2
    parts = [shuffled(y, rng)[:, :half].ravel() for _ in range(n_splits)]
    return Splits.of_parts(np.array(parts), len(y))


def discriminant(x, y, splits, *, diagonal):
    """Log odds of class 1 by normal classes of one covariance matrix."""
    weights = splits.train.astype(float)
    means = [
        (weights * (y == label)) @ x / (weights @ (y == label))[:, None] for label in (0, 1)
    ]
    squares = np.einsum("fn,np,nq->fpq", weights, x, x, optimize=True)
    within = squares - sum(
        (weights @ (y == label))[:, None, None] * mean[:, :, None] * mean[:, None, :]
        for label, mean in enumerate(means)
    )
    covariance = within / (splits.n_train - 2)
    if diagonal:
        covariance = covariance * np.eye(x.shape[1])
    slope = np.linalg.solve(covariance, (means[1] - means[0])[..., None])[..., 0]
    middle = ((means[0] + means[1]) / 2 * slope).sum(axis=1)
    return np.einsum("ftp,fp->ft", x[splits.test], slope) - middle[:, None]


def neighbours(order, y, splits, k):
    """Share of class 1 among the k nearest training records, by Laplace's rule."""
    trained = np.take_along_axis(
        splits.train[:, None, :], order[splits.test], axis=2
    )  # (splits, test records, records), the nearest first
    near = trained & (np.cumsum(trained, axis=2, dtype=np.int32) <= k)
    share = (near * y[order[splits.test]]).sum(axis=2)
    return special.logit((share + 1) / (k + 2))


def log_odds(learner, x, y, splits, order):
    if learner == "LDA":
        return discriminant(x, y, splits, diagonal=False)
    if learner == "naive Bayes":
        return discriminant(x, y, splits, diagonal=True)
    return neighbours(order, y, splits, int(learner.partition("-")[0]))


def scores(odds, truth):
    """Measures of every split, greater being better; of shape (splits, measures)."""
    chance = special.expit(odds)
    own = np.where(truth == 1, chance, 1 - chance)
    right = np.where(truth == 1, odds > 0, odds <= 0)
    half = truth.shape[1] // 2
    # The test sets hold the records of class 0 before those of class 1.
    above = odds[:, half:, None] - odds[:, None, :half]
    area = ((above > 0) + 0.5 * (above == 0)).mean(axis=(1, 2))
    return np.stack(
        [
            right.mean(axis=1),
            area,
            -((1 - own) ** 2).mean(axis=1),
            np.log(own).mean(axis=1),
        ],
        axis=1,
    )


def differences(learner, features, y, splits, orders):
    """Challenger less champion on every split, of shape (splits, measures)."""
    truth = y[splits.test]
    first, second = (
        scores(log_odds(learner, x, y, splits, order), truth)
        for x, order in zip(features, orders)
    )
    return second - first


def all_tests(learner, features, y, rng):
    """Evidence of all designs, with the tests that each is for."""
    n = len(y)
    orders = [nearest(x) for x in features]
    designs = {
        "10×10": ("repeated kfold", (10, 10), folds(y, 10, 10, rng)),
        "5×5": ("repeated kfold", (5, 5), folds(y, 5, 5, rng)),
        "hold-outs": ("repeated holdout", (-1,), holdouts(y, n // 10, N_HOLDOUTS, rng)),
        "5×2": ("random 5x2", (5, 2), folds(y, 2, 5, rng)),
    }
    found = {}
    for name, (design, shape, splits) in designs.items():
        sizes = splits.n_train, splits.test.shape[1]
        gaps = differences(learner, features, y, splits, orders)
        for measure, column in zip(MEASURES, gaps.T):
            values = column.reshape(shape)
            found[name, measure] = ScoreDifferences(values, *sizes, design=design)
            if design == "repeated kfold":
                one = f"{shape[1]} folds"
                found[one, measure] = ScoreDifferences(values[0], *sizes, design="kfold")
    return found


def nearest(x):
    """For every record all others, the nearest first; itself last."""
    distance = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1, kind="stable")


KFOLD, HOLDOUT = corrected_repeated_kfold_t, corrected_repeated_holdout_t

TESTS = {
    "15 hold-outs, plain t": ("hold-outs", repeated_holdout_t),
    "15 hold-outs, published": ("hold-outs", partial(HOLDOUT, correction="published")),
    "15 hold-outs, doubled": ("hold-outs", HOLDOUT),
    "10 folds, plain t": ("10 folds", kfold_t),
    "10 folds": ("10 folds", KFOLD),
    "5 folds": ("5 folds", KFOLD),
    "10×10 folds, published": ("10×10", partial(KFOLD, correction="published")),
    "10×10 folds, doubled": ("10×10", KFOLD),
    "5×5 folds, doubled": ("5×5", KFOLD),
    "5×2 t": ("5×2", paired_5x2_t),
    "combined 5×2 t": ("5×2", combined_5x2_t),
    "combined 5×2 F": ("5×2", combined_5x2_f),
}


def rejections(learner, n, distance, n_draws, seed):
    """Share of data sets in which each test rejects, of shape (tests, measures)."""
    rng = np.random.default_rng(seed)
    rejected = np.zeros((len(TESTS), len(MEASURES)))
    y = np.repeat([0, 1], n // 2)
    for _ in range(n_draws):
        features = rng.standard_normal((2, n, N_FEATURES))
        features += (y * distance / np.sqrt(N_FEATURES))[:, None]
        evidence = all_tests(learner, features, y, rng)
        for i, (design, test) in enumerate(TESTS.values()):
            for j, measure in enumerate(MEASURES):
                rejected[i, j] += test(evidence[design, measure]).pvalue < ALPHA
    return rejected / n_draws


def all_tables(args):
    cells = [(learner, *world) for learner in LEARNERS for world in WORLDS]
    seeds = np.random.SeedSequence(args.seed).spawn(len(cells))
    shares = Parallel(args.n_jobs)(
        delayed(rejections)(*cell, args.draws, seed) for cell, seed in zip(cells, seeds)
    )
    for measure, found in zip(MEASURES, np.moveaxis(shares, 2, 0)):
        yield measure_table(measure, cells, found, args.draws)


def measure_table(measure, cells, found, n_draws):
    """A row a test; for each learner the highest share over the worlds, and that of all."""
    table = Table(
        f"Equal learners, difference of {measure}: highest type I error at {ALPHA} over "
        f"{len(WORLDS)} worlds",
        ("splits and test", *LEARNERS, "highest", "mean"),
    )
    names = np.array([cell[0] for cell in cells])
    for test, shares in zip(TESTS, found.T):
        highest = [f"{shares[names == learner].max():.3f}" for learner in LEARNERS]
        table.add(test, *highest, with_error(shares.max(), n_draws), f"{shares.mean():.3f}")
    return table


if __name__ == "__main__":
    main(__doc__, all_tables, draws=1000, of="data sets a learner and world")
