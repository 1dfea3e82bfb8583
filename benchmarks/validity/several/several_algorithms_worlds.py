"""Several learning algorithms that are exactly equally good, and one that is better.

All classifiers of a setting are of one learner, and each learns from its own set of
columns. The columns of a data set have one distribution, so that classifiers whose sets are
alike are equal by every measure, whatever the splits.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.validity.splits.bcv_worlds import (
    MIDDLING,
    STRONG,
    WEAK,
    World,
    draw_features,
)

N_CLASSIFIERS = 10
BETTER = 0
"""Position of the classifier that is better than the others, where one is."""

LEARNERS = {
    "lda": "LDA",
    "logit": "logistic",
    "knn5": "5-NN",
    "knn15": "15-NN",
    "tree2": "tree of depth 2",
    "random_tree": "randomized tree",
    "jitter_small": "LDA with little noise",
    "jitter_large": "LDA with much noise",
    "failing": "LDA that may fail",
    "sgd": "SGD",
}
"""Learners of both studies as the tables call them."""


@dataclass(frozen=True)
class Setting:
    """A learner, what its classifiers learn from, and how many records there are.

    `columns` says what the classifiers have in common: nothing ("apart"), all columns but
    one ("near"), half of them on average ("subspaces"), or all ("same"; then only the
    chance in the training tells them apart). `strength` is the distance of two classes in
    `n_columns` columns, and `gain` what is added to it for the one that is better. Slow
    learners have only a `part` of the data sets.
    """

    columns: str
    learner: str
    n: int
    strength: float = MIDDLING
    n_columns: int = 4
    share: float = 0.5
    n_classes: int = 2
    gain: float = 0.0
    part: float = 1.0

    @property
    def who(self):
        return LEARNERS.get(self.learner, self.learner)

    @property
    def words(self):
        classes = "" if self.n_classes == 2 else f", {self.n_classes} classes"
        rare = "" if self.share == 0.5 else f", {self.share:.0%} positive"
        return (
            f"{self.columns}, {self.n_columns} columns, distance {self.strength:g}"
            f"{classes}{rare}"
        )

    def column_sets(self):
        """Columns of each classifier; of all together, the sets need `.max() + 1`."""
        k, p = N_CLASSIFIERS, self.n_columns
        if self.columns == "apart":
            return np.arange(k * p).reshape(k, p)
        if self.columns == "near":
            common = np.tile(np.arange(p - 1), (k, 1))
            return np.column_stack([common, p - 1 + np.arange(k)])
        if self.columns == "subspaces":
            rng = np.random.default_rng(0)
            return np.array([np.sort(rng.permutation(2 * p)[:p]) for _ in range(k)])
        return np.tile(np.arange(p), (k, 1))

    @property
    def world(self):
        """The world that draws all columns at once."""
        together = int(self.column_sets().max()) + 1
        # Each column is as strong as if the classifier's own were all there are.
        strength = self.strength * np.sqrt(together / self.n_columns)
        return World("shift", self.n, self.share, strength, (together, 1), self.n_classes)


def draw_columns(setting, y, rng):
    """Features of every classifier, each of shape (draws, n, n_columns)."""
    x, _ = draw_features(setting.world, None, y, rng)
    sets = setting.column_sets()
    if setting.gain:
        own = np.setdiff1d(sets[BETTER], np.delete(sets, BETTER, axis=0))
        x[..., own] += y[..., np.newaxis] * (setting.gain / np.sqrt(setting.n_columns))
    return [x[..., columns] for columns in sets]


EQUAL_COLUMNS = (
    Setting("apart", "lda", 100),
    Setting("apart", "lda", 200),
    Setting("apart", "lda", 1000),
    Setting("apart", "lda", 100, n_columns=12),
    Setting("apart", "lda", 200, WEAK),
    Setting("apart", "lda", 1000, WEAK),
    Setting("apart", "lda", 500, WEAK, n_columns=3, share=0.3, n_classes=3),
    Setting("apart", "knn5", 100),
    Setting("apart", "knn5", 200),
    Setting("apart", "knn15", 100),
    Setting("apart", "knn15", 200),
    Setting("apart", "knn15", 100, STRONG, n_columns=3, share=0.3, n_classes=3),
    Setting("apart", "tree2", 200, part=0.5),
    Setting("near", "lda", 100),
    Setting("near", "lda", 200),
    Setting("near", "lda", 1000),
    Setting("near", "knn15", 200),
    Setting("subspaces", "lda", 100),
    Setting("subspaces", "lda", 200),
    Setting("subspaces", "lda", 1000),
    Setting("subspaces", "logit", 200),
    Setting("subspaces", "knn5", 200),
)
"""Settings in which all classifiers are equally good, having equally good columns."""

EQUAL_BUT_FOR_CHANCE = (
    Setting("same", "random_tree", 200, part=0.5),
    Setting("same", "jitter_small", 100, STRONG, n_columns=3),
    Setting("same", "jitter_large", 100, STRONG, n_columns=3),
    Setting("same", "jitter_large", 1000, STRONG, n_columns=3),
    Setting("same", "sgd", 1000, part=0.25),
    Setting("same", "sgd", 4000, part=0.05),
    Setting("same", "failing", 200, STRONG, n_columns=3),
)
"""Settings in which they have the same columns, and only seeds differ."""

EQUAL = EQUAL_COLUMNS + EQUAL_BUT_FOR_CHANCE

ONE_BETTER = (
    Setting("apart", "lda", 100, gain=1.0),
    Setting("apart", "lda", 200, gain=0.7),
    Setting("apart", "lda", 200, gain=1.0),
    Setting("apart", "lda", 1000, gain=0.3),
    Setting("apart", "lda", 1000, gain=0.5),
    Setting("apart", "knn5", 200, gain=1.0),
    Setting("near", "lda", 200, gain=1.0),
    Setting("near", "lda", 1000, gain=0.5),
)
"""Settings in which the first classifier is better than the others, which are equal."""

KFOLD_EQUAL = (
    Setting("apart", "LDA", 100),
    Setting("apart", "LDA", 200),
    Setting("apart", "LDA", 1000),
    Setting("apart", "LDA", 100, STRONG),
    Setting("apart", "LDA", 200, WEAK),
    Setting("apart", "5-NN", 200),
    Setting("apart", "15-NN", 100),
    Setting("near", "LDA", 200),
    Setting("subspaces", "LDA", 200),
)
"""The same for 10-fold cross-validation, with equally many records of both classes."""

KFOLD_ONE_BETTER = (
    Setting("apart", "LDA", 200, gain=1.0),
    Setting("apart", "LDA", 1000, gain=0.5),
)

NEIGHBOURS = (
    Setting("apart", "knn5", 500, part=0.5),
    Setting("apart", "knn5", 1000, part=0.5),
    Setting("apart", "knn15", 500, part=0.25),
)
KFOLD_NEIGHBOURS = (
    Setting("apart", "15-NN", 100, STRONG),
    Setting("apart", "15-NN", 200, STRONG),
)
"""Further settings of the learners for which the level of a pair is highest."""
