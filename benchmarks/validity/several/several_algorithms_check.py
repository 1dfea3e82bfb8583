"""Does `MultipleComparator` decide as the simulation does?"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from benchmarks.validity.several.several_algorithms_decisions import (
    ALPHA,
    N_REPEATS,
    holm,
    pairs_of,
)
from benchmarks.validity.several.several_algorithms_draws import (
    bcv_found,
    kfold_found,
    kfold_scores,
)
from benchmarks.validity.several.several_algorithms_real import FLAG
from benchmarks.validity.several.several_algorithms_worlds import (
    N_CLASSIFIERS,
    Setting,
    draw_columns,
)
from benchmarks.validity.splits.bcv_catalogue_rules import PUBLISHED
from benchmarks.validity.splits.bcv_learners import Splits, fit
from benchmarks.validity.splits.bcv_worlds import STRONG
from benchmarks.validity.splits.score_resampling import Splits as KFoldSplits
from skcompare import MultipleComparator
from skcompare.model_selection import BlockRegularized5x2CV
from skcompare.model_selection._hadamard import orthogonal_array

SCORERS = {
    "accuracy": "accuracy",
    "brier": "neg_brier_score",
    "log_loss": "neg_log_loss",
    "auc": "roc_auc",
    "AUC": "roc_auc",
}
"""Scorers by the names of both studies."""

BCV = (
    (Setting("apart", "lda", 96, gain=1.5), LinearDiscriminantAnalysis(solver="lsqr"),
     ("accuracy", "brier", "log_loss", "auc")),
    (Setting("near", "logit", 200), LogisticRegression(tol=1e-10, max_iter=1000),
     ("accuracy", "brier", "log_loss", "auc")),
    (Setting("subspaces", "knn5", 96), KNeighborsClassifier(5), ("accuracy",)),
    (Setting("same", "jitter_large", 1000, STRONG, n_columns=3), None, ("accuracy",)),
    (Setting("same", "failing", 200, STRONG, n_columns=3), None, ("accuracy",)),
)  # fmt: skip
KFOLD = (
    (Setting("apart", "LDA", 100, gain=1.5), LinearDiscriminantAnalysis(),
     ("accuracy", "AUC")),
    (Setting("near", "5-NN", 100), KNeighborsClassifier(5), ("accuracy",)),
)  # fmt: skip
"""Measures that do not depend on the scale of the scores: scikit-learn divides the
covariance by the number of records, and nearest neighbours count without Laplace's rule.
Numbers of records are multiples of eight: the study takes all blocks for equally large.
The chance of learners without one of scikit-learn cannot be drawn again: their answers are
looked up."""


def check_all(seed=0):
    """Stop where p-values or winners differ from those of `MultipleComparator`."""
    for setting, learner, measures in BCV:
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(setting.n) % 2)
        features = draw_columns(setting, y[np.newaxis], rng)
        splits = list(BlockRegularized5x2CV(random_state=seed).split(y, y))
        fold = np.zeros((1, N_REPEATS, setting.n), dtype=np.int64)
        for repeat, (train, _) in enumerate(splits[::2]):
            fold[0, repeat, train] = 1
        held = Splits(y[np.newaxis], fold, 2, 2, rng)
        predictions = [fit(setting.learner, x, held, {}) for x in features]
        of_block = orthogonal_array(N_REPEATS)[:, np.newaxis] == fold[0].T
        found = bcv_found(
            predictions, held, of_block.all(axis=2).argmax(axis=0)[np.newaxis]
        )
        together = np.concatenate([x[0] for x in features], axis=1)
        learners = (
            [_own_columns(setting, i, learner) for i in range(N_CLASSIFIERS)]
            if learner
            else [_Prepared(_by_training(each[0], splits)) for each in predictions]
        )
        X = together if learner else np.arange(setting.n)[:, np.newaxis]
        _compare(found, measures, setting, learners, X, y, None, seed)
    for setting, learner, measures in KFOLD:
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], setting.n // 2)
        features = draw_columns(setting, y[np.newaxis], rng)
        cv = StratifiedKFold(10, shuffle=True, random_state=seed)
        tests = np.array([test for _, test in cv.split(y, y)])
        scores = kfold_scores(
            setting, [x[0] for x in features], y, KFoldSplits.of_parts(tests, setting.n)
        )
        found = kfold_found(scores[np.newaxis])
        learners = [_own_columns(setting, i, learner) for i in range(N_CLASSIFIERS)]
        X = np.concatenate([x[0] for x in features], axis=1)
        _compare(found, measures, setting, learners, X, y, cv, seed)


def _own_columns(setting, i, learner):
    p = setting.n_columns
    own = ColumnTransformer([("own", "passthrough", slice(i * p, (i + 1) * p))])
    return make_pipeline(own, learner)


class _Prepared(ClassifierMixin, BaseEstimator):
    """Answers of a simulated learner, looked up by the training records and the record.

    X is the number of the record.
    """

    def __init__(self, predictions=None):
        self.predictions = predictions

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.proba_ = self.predictions[frozenset(X[:, 0].tolist())]
        return self

    def predict_proba(self, X):
        return self.proba_[X[:, 0]]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _by_training(probabilities, splits):
    """Probabilities of all records by the set of training records."""
    return {
        frozenset(train.tolist()): probabilities[i // 2]
        for i, (train, _) in enumerate(splits)
    }


def _compare(found, measures, setting, learners, X, y, cv, seed):
    """Both sides on one data set."""
    names = [f"c{i}" for i in range(N_CLASSIFIERS)]
    comparator = MultipleComparator(
        list(zip(names, learners)),
        cv=cv,
        scoring=[SCORERS[measure] for measure in measures],
        random_state=seed,
    ).fit(X, y)
    what = f"{setting.learner}, {setting.words}"
    first, second = pairs_of(N_CLASSIFIERS)
    theirs = dict(zip(measures, comparator.comparison_.comparisons))
    if PUBLISHED in found.pvalues:
        comparator.set_params(scoring="accuracy", tests=PUBLISHED)
        theirs[PUBLISHED] = clone(comparator).fit(X, y).results_[PUBLISHED]
    for measure, comparison in theirs.items():
        rows = [comparison.pair(names[i], names[j]) for i, j in zip(first, second)]
        ours = found.pvalues[measure]
        _same(f"p of {measure}, {what}", ours[0], [row.pvalue for row in rows])
        _same(
            f"adjusted p of {measure}, {what}", holm(ours)[0],
            [row.adjusted_pvalue for row in rows],
        )  # fmt: skip
        if measure in found.flags:
            flagged = np.array([FLAG in row.flags for row in rows], dtype=float)
            _same(f"flags of {what}", found.flags[measure][0].astype(float), flagged)
    rejected = holm(found.pvalues[measures[0]])[0] < ALPHA
    values = found.values[measures[0]][0]
    better = values[first] < values[second]
    won = np.bincount(np.where(better, second, first)[rejected], minlength=N_CLASSIFIERS)
    winner = [names[i] for i in np.flatnonzero(won == N_CLASSIFIERS - 1)]
    if [comparator.verdict_] != (winner or ["inconclusive"]):
        raise SystemExit(f"{what}: {comparator.verdict_} wins in skcompare, not {winner}.")


def _same(what, ours, theirs, tolerance=1e-6):
    distance = np.abs(np.asarray(ours) - np.asarray(theirs, dtype=float)).max()
    if not distance <= tolerance:
        raise SystemExit(f"{what}: {ours} differs from {theirs} by {distance}.")
