"""Data, splits and fitted classifiers of the study of precision.

The author's published script draws the training records of diabetic retinopathy by
``set.seed(123)`` and ``sample`` of R; :func:`r_sample` draws the same ones, as R did before
release 3.6. Wilt and urban land cover are partitioned at UCI.
"""

import gzip
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Memory, Parallel, delayed
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

PARTITIONED = {"wilt": 4339, "urban_land_cover": 168}
"""Training records of UCI's partition, which come first."""

TRAINING_SHARE = 0.7
R_SEED = 123
SMALL_DENSITY = 0.001


class RNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes by the rules of R's e1071, which the paper used.

    Like GaussianNB, but with n - 1 in the variances, nothing added to them, and 0.001 for
    a density that is 0 in double precision and for a standard deviation of 0. Categorical
    features have the observed shares, and 0.001 for those that are 0.
    """

    def __init__(self, *, categorical=False):
        self.categorical = categorical

    def fit(self, X, y):
        self.classes_, sizes = np.unique(y, return_counts=True)
        self.prior_ = np.log(sizes / len(y))
        parts = [X[y == label] for label in self.classes_]
        if self.categorical:
            self.levels_ = np.unique(X)
            self.shares_ = np.stack(
                [(part[..., np.newaxis] == self.levels_).mean(axis=0) for part in parts]
            )
        else:
            self.mean_ = np.stack([part.mean(axis=0) for part in parts])
            deviation = np.stack([part.std(axis=0, ddof=1) for part in parts])
            self.deviation_ = np.where(deviation > 0, deviation, SMALL_DENSITY)
        return self

    def predict(self, X):
        density = np.stack([self._density(X, k) for k in range(len(self.classes_))], axis=1)
        density[density <= 0] = SMALL_DENSITY
        return self.classes_[np.argmax(np.log(density).sum(axis=2) + self.prior_, axis=1)]

    def _density(self, X, k):
        if not self.categorical:
            return norm.pdf(X, self.mean_[k], self.deviation_[k])
        found = X[..., np.newaxis] == self.levels_
        return (found * self.shares_[k]).sum(axis=-1)


def forest(trees, seed, n_jobs):
    return RandomForestClassifier(trees, random_state=seed, n_jobs=n_jobs)


def support_vectors():
    """As svm of e1071 by default: scaled, radial kernel, cost 1, gamma 1 / features."""
    return make_pipeline(StandardScaler(), SVC(gamma="auto"))


def categorical_bayes():
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_pipeline(codes, CategoricalNB())


LEARNERS = {
    "NB": GaussianNB,
    "NB R": RNaiveBayes,
    "NB categorical": categorical_bayes,
    "NB R, factors": partial(RNaiveBayes, categorical=True),
    "SVM": support_vectors,
}
"""Those that draw nothing; RF1 and RF2 are forests."""


@dataclass(frozen=True)
class Study:
    """Predictions of the classifiers, each fitted once.

    Parameters
    ----------
    folder : Path
        Of the data sets.
    cache : Path
        Folder for the predictions, which may have those of earlier runs.
    seed : int
        Of the forests and of the folds.
    trees : dict of str to int
        Trees of RF1 and RF2.
    n_jobs : int
        Trees, or folds, at a time.
    """

    folder: Path
    cache: Path
    seed: int = 0
    trees: dict[str, int] = field(default_factory=lambda: {"RF1": 1000, "RF2": 50})
    n_jobs: int = 1

    def all_classes(self, name):
        """True classes of all records."""
        return load(self.folder, name)[1]

    def truth(self, name, split=None):
        """True classes of the test records; by default of the paper's, as far as known."""
        y = self.all_classes(name)
        return y[split_of(name, len(y), split)[1]]

    def predictions(self, name, learner, *, split=None, repeat=0):
        """Predictions for the test records."""
        run = self._cached(fitted_predictions)
        return run(self.folder, name, *self._recipe(learner, repeat), split, self.n_jobs)

    def fold_predictions(self, name, learner, repeat):
        """Predictions for all records, each by the model trained without its fold."""
        run = self._cached(predictions_by_fold)
        recipe = self._recipe(learner, repeat)
        return run(self.folder, name, *recipe, seed_of(self.seed, repeat), self.n_jobs)

    def part_predictions(self, name, learner, kept, test_share, repeat):
        """True classes and predictions of a test share of a part of the records."""
        run = self._cached(predictions_of_part)
        recipe = self._recipe(learner, repeat)
        return run(self.folder, name, *recipe, kept, test_share, repeat)

    def _recipe(self, learner, repeat):
        if learner not in self.trees:
            return learner, None, None
        trees = self.trees[learner]
        return learner, trees, seed_of(self.seed, repeat, trees)

    def _cached(self, function):
        ignored = ["n_jobs"] if "n_jobs" in signature(function).parameters else []
        return Memory(self.cache, verbose=0).cache(function, ignore=ignored)


def load(folder, name):
    """Features and classes, in the order of the file."""
    with gzip.open(folder / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        frame = pd.read_csv(file)
    return frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()


def split_of(name, n, split=None):
    """Training and test records; `split` seeds a random one, None is the paper's."""
    everything = np.arange(n)
    if name in PARTITIONED:
        return np.split(everything, [PARTITIONED[name]])
    if split is None:
        train = r_sample(n, int(TRAINING_SHARE * n), R_SEED)
        return train, np.setdiff1d(everything, train)
    return train_test_split(everything, train_size=TRAINING_SHARE, random_state=split)


def r_sample(n, size, seed):
    """What ``set.seed(seed); sample(n, size)`` drew before R 3.6, counted from 0."""
    state = seed
    words = np.empty(675, dtype=np.uint32)
    for i in range(len(words)):
        state = (69069 * state + 1) % 2**32
        words[i] = state
    generator: Any = np.random.MT19937()
    # R drops 50 words and keeps its own position in the next one.
    key = {"key": words[51:], "pos": 624}
    generator.state = {"bit_generator": "MT19937", "state": key}
    left, drawn = list(range(n)), []
    for word in generator.random_raw(size):
        at = int(len(left) * (word * 2.3283064365386963e-10))
        drawn.append(left[at])
        last = left.pop()
        if at < len(left):
            left[at] = last
    return np.array(drawn)


def seed_of(*numbers):
    """A seed that depends on all the numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def made(learner, trees, seed, n_jobs=1):
    return LEARNERS[learner]() if trees is None else forest(trees, seed, n_jobs)


def fitted_predictions(folder, name, learner, trees, seed, split, n_jobs):
    """Predictions of a classifier of the training records for the test records."""
    X, y = load(folder, name)
    train, test = split_of(name, len(y), split)
    return made(learner, trees, seed, n_jobs).fit(X[train], y[train]).predict(X[test])


def predictions_of_part(folder, name, learner, trees, seed, kept, test_share, split):
    """True classes and predictions of a random test share of the records that are kept."""
    X, y = load(folder, name)
    train, test = train_test_split(kept, test_size=test_share, random_state=split)
    return y[test], made(learner, trees, seed).fit(X[train], y[train]).predict(X[test])


def predictions_by_fold(folder, name, learner, trees, seed, folds_seed, n_jobs):
    """Predictions of ten classifiers, each to the fold that it was not trained on."""
    X, y = load(folder, name)
    folds = StratifiedKFold(10, shuffle=True, random_state=folds_seed).split(X, y)

    def one(train, test):
        return test, made(learner, trees, seed).fit(X[train], y[train]).predict(X[test])

    predictions = np.empty_like(y)
    for test, found in Parallel(n_jobs)(delayed(one)(*fold) for fold in folds):
        predictions[test] = found
    return predictions
