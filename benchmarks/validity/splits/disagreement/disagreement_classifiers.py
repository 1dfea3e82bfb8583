"""Seven classifiers for `disagreement_correlations.py`, trained on half of a draw.

They stand for those of the paper (arXiv:2304.03990, section 5.1), which are of R and Weka.
Classes are codes; a class that no training record has is never answered.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

NEIGHBOURS = 5
RIDGE = 1e-8
"""Of Weka's Logistic, which adds the ridge times the sum of squares to the loss."""

CONFIDENCE = 0.25
"""Of C4.5's pruning."""

LEAST_DISTANCE = 1e-6
"""As in kknn: a relative distance is not less, and not more than 1 less this."""


@dataclass(frozen=True)
class Half:
    """Training records with class codes, and the records to predict."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    seed: int

    @cached_property
    def n_classes(self):
        return int(self.y.max()) + 1

    @cached_property
    def standardized(self):
        """Both sets of records, scaled to mean 0 and variance 1 in training."""
        spread = self.X.std(axis=0)
        spread[spread == 0] = 1
        mean = self.X.mean(axis=0)
        return (self.X - mean) / spread, (self.X_test - mean) / spread

    @cached_property
    def normalized(self):
        """Both sets of records, scaled to 0 to 1 in training."""
        low = self.X.min(axis=0)
        width = self.X.max(axis=0) - low
        width[width == 0] = 1
        return (self.X - low) / width, (self.X_test - low) / width


def majority(half):
    return np.full(len(half.X_test), np.bincount(half.y).argmax())


def nearest_mean(half):
    return distances_to_means(half).argmin(axis=1)


def distances_to_means(half):
    """Squared distances to the class means; infinite where a class has no record."""
    members = np.eye(half.n_classes)[half.y]
    sizes = members.sum(axis=0)
    means = members.T @ half.X / np.maximum(sizes, 1)[:, np.newaxis]
    distances = squared_distances(half.X_test, means)
    distances[:, sizes == 0] = np.inf
    return distances


def squared_distances(A, B):
    # Means are taken off first, as large numbers would cancel.
    centre = B.mean(axis=0)
    A, B = A - centre, B - centre
    squares = (A**2).sum(axis=1)[:, np.newaxis] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.maximum(squares, 0)


def logistic(half):
    X, X_test = half.standardized
    model = LogisticRegression(C=0.5 / RIDGE, max_iter=100)
    with warnings.catch_warnings():
        # Classes that are separable have no finite solution but for the ridge.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, half.y).predict(X_test)


def linear_svm(half):
    X, X_test = half.normalized
    return SVC(kernel="linear", C=1).fit(X, half.y).predict(X_test)


def neighbours(half):
    X, X_test = half.standardized
    distances = np.sqrt(squared_distances(X_test, X))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : NEIGHBOURS + 1]
    weights = triangular(np.take_along_axis(distances, nearest, axis=1))
    votes = np.zeros((len(X_test), half.n_classes))
    rows = np.arange(len(X_test))
    for column in range(NEIGHBOURS):
        votes[rows, half.y[nearest[:, column]]] += weights[:, column]
    return votes.argmax(axis=1)


def triangular(distances):
    """Weights of all neighbours but the last, whose distance is the unit, as in kknn."""
    unit = np.maximum(distances[:, -1:], LEAST_DISTANCE)
    relative = np.clip(distances[:, :-1] / unit, LEAST_DISTANCE, 1 - LEAST_DISTANCE)
    return 1 - relative


def c45_tree(half):
    """Grown by entropy to leaves of 2 records, pruned by C4.5's upper limit of errors."""
    tree = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, random_state=half.seed
    ).fit(half.X, half.y)
    grown = tree.tree_
    counts = grown.weighted_n_node_samples[:, np.newaxis] * grown.value[:, 0, :]
    sizes = grown.weighted_n_node_samples
    wrong = np.rint(sizes - counts.max(axis=1))
    labels = _prune(grown, tree.classes_[counts.argmax(axis=1)], upper_errors(sizes, wrong))
    return labels[tree.apply(half.X_test)]


def upper_errors(n, wrong):
    """Upper confidence limit of the number of errors among n, as Weka's J48 counts it."""
    z = ndtri(1 - CONFIDENCE)
    share = np.minimum((wrong + 0.5) / n, 1)
    limit = share + z**2 / (2 * n)
    limit += z * np.sqrt(share / n - share**2 / n + z**2 / (4 * n**2))
    found = np.where(wrong + 0.5 >= n, n, n * limit / (1 + z**2 / n))
    return np.where(wrong == 0, n * (1 - CONFIDENCE ** (1 / n)), found)


def reduced_error_tree(half):
    """Grown on two thirds, and pruned where that does not err more on the other third.

    RIPPER grows and prunes its rules on such thirds too.
    """
    order = np.random.RandomState(half.seed).permutation(len(half.y))
    held_out, kept = np.split(order, [len(order) // 3])
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=half.seed)
    tree.fit(half.X[kept], half.y[kept])
    grown = tree.tree_
    predictions = tree.classes_[grown.value[:, 0, :].argmax(axis=1)]
    visits = tree.decision_path(half.X[held_out]).toarray().astype(bool)
    wrong = (visits & (half.y[held_out][:, np.newaxis] != predictions)).sum(axis=0)
    return _prune(grown, predictions, wrong)[tree.apply(half.X_test)]


def _prune(grown, predictions, errors):
    """The prediction of each node once all subtrees no better than a leaf are cut."""
    left, right = grown.children_left.tolist(), grown.children_right.tolist()
    errors, cut = errors.tolist(), [child == -1 for child in left]
    below = list(errors)
    # Children come after their parents.
    for node in range(len(left) - 1, -1, -1):
        if left[node] != -1:
            below[node] = below[left[node]] + below[right[node]]
            if errors[node] <= below[node] + 1e-9:
                cut[node], below[node] = True, errors[node]
    labels = predictions.copy()
    for node, is_cut in enumerate(cut):
        if is_cut and left[node] != -1:
            for child in (left[node], right[node]):
                labels[child], cut[child] = labels[node], True
    return labels


CLASSIFIERS = {
    "majority": majority,
    "mean": nearest_mean,
    "logistic": logistic,
    "SVM": linear_svm,
    "pruned tree": reduced_error_tree,
    "C4.5": c45_tree,
    "5-NN": neighbours,
}
"""The pruned tree is in place of RIPPER, for which scikit-learn has nothing alike."""


def wrong_predictions(half, y_test):
    """Whether each classifier errs (rows) on each record to predict."""
    if (half.y == half.y[0]).all():
        return np.tile(half.y[0] != y_test, (len(CLASSIFIERS), 1))
    return np.array([prediction(half) != y_test for prediction in CLASSIFIERS.values()])
