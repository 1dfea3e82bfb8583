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

import numpy as np
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

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
    """Answers of a tree trained on each split, for the pairs of test records."""
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

    Without distance between the classes every answer is a guess, so both are equally good
    at every number of training records.
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
