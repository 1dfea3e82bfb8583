"""Data and learners on which two algorithms are equally good at a known setting.

EXP6, simple and letter of the paper on the 5×2 BCV McNemar test (arXiv:2304.03990, section
5.2). Every world has a champion that does not depend on the `strength`, and a challenger
that does, or whose data do: omega of the distance for EXP6, delta for simple, upsilon of
the distance for letter. So the champion is trained once a split, and a curve of strengths
costs little.
"""

import csv
import gzip
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from benchmarks.validity.splits.resampling.resampling_designs import (
    N_RECORDS,
    draw_splits,
    epsilon_tables,
)
from skcompare.datasets import make_exp6, make_simple

REACH = 24
"""Nearest records that are looked at first for one that is in the training set."""

NEWTON_STEPS = 25
CONVERGED = 1e-9


def nearest(distances, train, pairs):
    """The nearest training record of every test record; of equals, the first.

    `distances` are those of all records from all, and `pairs` the splits and records that
    are asked for.
    """
    split, record = pairs
    reach = min(REACH, len(distances) - 1)
    near = np.sort(np.argpartition(distances, reach, axis=1)[:, :reach], axis=1)
    away = np.take_along_axis(distances, near, axis=1)
    order = np.argsort(away, axis=1, kind="stable")
    near = np.take_along_axis(near, order, axis=1)
    limit = away.max(axis=1)

    candidates = near[record]
    usable = train[split[:, np.newaxis], candidates]
    first = np.argmax(usable, axis=1)
    rows = np.arange(len(record))
    found = candidates[rows, first]
    # At the limit a record that was left out may be as near and come first.
    unsure = ~usable[rows, first] | (distances[record, found] >= limit[record])
    for row in np.flatnonzero(unsure):
        far = np.where(train[split[row]], distances[record[row]], np.inf)
        found[row] = np.argmin(far)
    return found


def predictions_of_splits(X, y, splits, seeds, stop=0.0, **options):
    """Predictions of a tree trained on each split, for the pairs of test records."""
    X = X.astype(np.float32)
    predictions = np.empty(splits.test.shape, dtype=y.dtype)
    for row, train, seed in zip(predictions, splits.train, seeds):
        row[:] = tree_predictions(X[train], y[train], X, seed, stop, **options)
    return predictions[splits.pairs]


def tree_predictions(X, y, new, seed, stop=0.0, **options):
    """Labels of new records by a tree; X is of single precision, as scikit-learn's are.

    Nodes whose deviance is below the share `stop` of that of the root are not split. Since
    every node is split for itself, that may be done after growing.
    """
    model = DecisionTreeClassifier(random_state=int(seed), **options)
    model.fit(X, y, check_input=False)
    tree = model.tree_
    nodes = tree.apply(new)
    if stop:
        nodes = _stopped(tree, stop)[nodes]
    return model.classes_[np.argmax(tree.value[:, 0], axis=1)][nodes]


def _stopped(tree, stop):
    """The node at which the records of each node come to rest."""
    deviance = tree.n_node_samples * tree.impurity
    small = deviance < stop * deviance[0]
    rest = np.arange(tree.node_count)
    # A child's number is greater than its parent's.
    for node in range(tree.node_count):
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0 and (small[node] or rest[node] != node):
                rest[child] = rest[node]
    return rest


class Exp6:
    """A tree without pruning, and one nearest neighbour with distance (18)."""

    name, n, strength = "exp6", 300, "omega"
    champion, challenger = "tree", "nearest neighbour"

    def draw(self, n, rng):
        X, y = make_exp6(n, random_state=_legacy(rng))
        return np.rint(10 * X), y

    def squares(self, X, new):
        """Squared differences of each coordinate, as whole numbers."""
        return [(new[:, [k]] - X[:, k]) ** 2 for k in range(2)]

    def distances(self, squares, omega):
        return omega * squares[0] + squares[1] / omega

    def predict(self, X, y, new, seed):
        return tree_predictions(X.astype(np.float32), y, new.astype(np.float32), seed)

    def champion_right(self, data, splits, seeds):
        X, y = data
        return predictions_of_splits(X, y, splits, seeds) == y[splits.pairs[1]]

    def challengers_right(self, data, splits, strengths):
        X, y = data
        squares = self.squares(X, X)
        for strength in strengths:
            distances = self.distances(squares, strength)
            yield y[nearest(distances, splits.train, splits.pairs)] == y[splits.pairs[1]]


class Letter(Exp6):
    """A tree like that of R's package tree, and one nearest neighbour with distance (19).

    Records are drawn with replacement from the data set, so that a record may be in the
    training and in the test set.
    """

    name, n, strength = "letter", 300, "upsilon"
    # Predictors of the sets C1, C2 and C3, counted from 0.
    sets = ((0, 2, 8, 15), (1, 3, 5, 6, 7, 9, 11, 13, 14), (4, 10, 12))
    # tree.control: minsize 10, mincut 5, mindev 0.01.
    options = {"criterion": "entropy", "min_samples_split": 10, "min_samples_leaf": 5}
    stop = 0.01

    def __init__(self, folder):
        self.folder = folder

    def draw(self, n, rng):
        X, y = read_letter(self.folder)
        drawn = rng.integers(len(y), size=n)
        return X[drawn], y[drawn]

    def squares(self, X, new):
        return [_squared(X[:, some], new[:, some]) for some in map(list, self.sets)]

    def distances(self, squares, upsilon):
        return upsilon * squares[0] + squares[1] + squares[2] / upsilon

    def predict(self, X, y, new, seed):
        X, new = X.astype(np.float32), new.astype(np.float32)
        return tree_predictions(X, y, new, seed, self.stop, **self.options)

    def champion_right(self, data, splits, seeds):
        X, y = data
        predictions = predictions_of_splits(X, y, splits, seeds, self.stop, **self.options)
        return predictions == y[splits.pairs[1]]


class Simple:
    """The more frequent class, and a logistic regression without penalty.

    Without distance between the classes every prediction is a guess, so both are equally
    good at every number of training records.
    """

    name, n, strength = "simple", 1000, "delta"
    champion, challenger = "majority", "logistic regression"

    def draw(self, n, rng):
        return make_simple(n, 0.0, random_state=_legacy(rng))

    def champion_right(self, data, splits, seeds):
        _, y = data
        ones = splits.train @ y
        majority = 2 * ones > splits.train.sum(axis=1)
        split, record = splits.pairs
        return majority[split] == y[record]

    def challengers_right(self, data, splits, strengths):
        X, y = data
        split, record = splits.pairs
        for delta in strengths:
            # The draw of the same seed with this delta: see make_simple.
            x = X[:, 0] + delta * y
            intercept, slope = logistic_coefficients(x, y, splits.train)
            yield (intercept[split] + slope[split] * x[record] > 0) == y[record]


def logistic_coefficients(x, y, train):
    """Intercepts and slopes of logistic regressions on each training set, by Newton."""
    weights = train.astype(float)
    beta = np.zeros((2, len(train)))
    powers = np.stack([np.ones_like(x), x, x * x], axis=1)
    for _ in range(NEWTON_STEPS):
        chance = expit(beta[0][:, np.newaxis] + beta[1][:, np.newaxis] * x)
        residual = weights * (y - chance)
        g0, g1 = (residual @ powers[:, :2]).T
        h0, h1, h2 = (weights * chance * (1 - chance) @ powers).T
        determinant = h0 * h2 - h1 * h1
        step = np.stack([h2 * g0 - h1 * g1, h0 * g1 - h1 * g0]) / determinant
        beta += step
        if np.abs(step).max() < CONVERGED:
            return beta
    raise SystemExit("Newton's steps for the logistic regression did not converge.")


@cache
def read_letter(folder):
    """Predictors and labels of the letter data, by `letter.csv.gz` of a folder."""
    path = Path(folder) / "letter.csv.gz"
    with gzip.open(path, "rt", newline="") as file:
        _, *rows = csv.reader(file)
    table = np.array(rows)
    _, y = np.unique(table[:, -1], return_inverse=True)
    return table[:, :-1].astype(float), y


def _legacy(rng):
    """What the simulators take, seeded by a Generator."""
    return np.random.RandomState(rng.integers(2**32, size=4, dtype=np.uint32))


def _squared(X, new):
    """Squared distances, exact for whole numbers."""
    lengths = (new**2).sum(axis=1)[:, np.newaxis] + (X**2).sum(axis=1)
    return lengths - 2 * new @ X.T


class Epsilon:
    """Fixed losses: nothing is trained, and there is no strength."""

    name, n, strength = "epsilon", N_RECORDS, "epsilon"


CHUNK = {"epsilon": 2500, "exp6": 10, "simple": 10, "letter": 10}
"""Data sets that are simulated, and stored, together."""

WORLDS = tuple(CHUNK)


def simulate(world, strengths, seed, number, costly):
    """Tables of a chunk of data sets, of shape (data sets, strengths, splits, 4)."""
    label = [seed, WORLDS.index(world.name), number]
    if world.name == "epsilon":
        rng = np.random.default_rng(np.random.SeedSequence(label))
        size = CHUNK["epsilon"]
        return epsilon_tables(size, rng, costly=costly)[:, np.newaxis]
    seeds = np.random.SeedSequence(label).spawn(CHUNK[world.name])
    return np.stack([simulate_dataset(world, strengths, each, costly) for each in seeds])


def simulate_dataset(world, strengths, seed, costly):
    """Tables of one data set, (strengths, splits, 4)."""
    for_data, for_splits, for_fits = map(np.random.default_rng, seed.spawn(3))
    data = world.draw(world.n, for_data)
    splits = draw_splits(world.n, for_splits, costly=costly)
    seeds = for_fits.integers(2**31, size=len(splits.test))
    champion = world.champion_right(data, splits, seeds)
    challengers = world.challengers_right(data, splits, strengths)
    return np.stack([splits.tables(champion, challenger) for challenger in challengers])


BATCH = 50
N_TEST = 500

GRIDS = {
    "exp6": (0.2, 0.25, 0.3, 0.34, 0.38, 0.42, 0.46, 0.5, 0.6, 0.75, 1.0),
    "letter": (1.0, 2.0, 4.0, 7.0, 10.0, 14.0, 18.0, 23.0, 28.0, 34.0, 42.0, 60.0),
}


class Calibration(NamedTuple):
    """Errors of both learners after training on `n_train` records."""

    n_train: int
    grid: np.ndarray
    champion: float
    challenger: np.ndarray
    covariance: np.ndarray
    """Of the mean differences of error rates, over the strengths of the grid."""

    def strength(self, share=0.0):
        """Strength at which the challenger has that share of its largest lead.

        0 where both err equally often; 1 at strength 1. The paper's lambda.
        """
        gaps = self.challenger - self.champion
        target = share * gaps[self.grid == 1.0][0]
        curve = PchipInterpolator(np.log(self.grid), gaps - target)
        if share == 1:
            return 1.0
        signs = np.sign(curve(np.log(self.grid)))
        turn = int(np.flatnonzero(signs[:-1] != signs[1:])[0])
        low, high = np.log(self.grid[[turn, turn + 1]])
        return float(np.exp(brentq(curve, low, high)))

    def error(self):
        """Standard errors: of the strength without difference, and of the difference."""
        gaps = self.challenger - self.champion
        logs = np.log(self.grid)
        root = np.log(self.strength())
        closest = int(np.argmin(np.abs(logs - root)))
        error = float(self.covariance[closest] ** 0.5)
        slope = PchipInterpolator(logs, gaps).derivative()(root) / np.exp(root)
        return error / abs(float(slope)), error


def calibrate(world, n_train, n_sets, seed, n_jobs):
    """Errors over `n_sets` training sets of this size.

    Both learners are tested on new records, for several strengths of the challenger's
    distance, by the same random numbers; the strength without a mean difference is found by
    interpolation.
    """
    grid = np.array(GRIDS[world.name])
    seeds = np.random.SeedSequence([seed, n_train]).spawn(-(-n_sets // BATCH))
    batches = Parallel(n_jobs=n_jobs)(
        delayed(_errors)(world, n_train, grid, each) for each in seeds
    )
    errors = np.concatenate(batches)
    gaps = errors[:, 1:] - errors[:, :1]
    means = errors.mean(axis=0)
    variances = gaps.var(axis=0, ddof=1) / len(gaps)
    return Calibration(n_train, grid, float(means[0]), means[1:], variances)


def _errors(world, n_train, grid, seed):
    """Error rates of the champion, and of the challenger at each strength, by batch."""
    rng = np.random.default_rng(seed)
    errors = np.empty((BATCH, 1 + len(grid)))
    for row in errors:
        X, y = world.draw(n_train, rng)
        new, truth = world.draw(N_TEST, rng)
        predictions = world.predict(X, y, new, rng.integers(2**31))
        row[0] = np.mean(predictions != truth)
        squares = world.squares(X, new)
        for k, strength in enumerate(grid):
            closest = np.argmin(world.distances(squares, strength), axis=1)
            row[k + 1] = np.mean(y[closest] != truth)
    return errors
