"""Learners trained on all halves or folds of many data sets at once, in numpy.

Every learner predicts probabilities of shape (draws, M, n, classes): those of a record
in a repetition come from the folds that it is not in. Linear discriminants, naive Bayes,
logistic regression and nearest neighbours are tested against scikit-learn. Those of `EACH`
learn from one training set after the other; their trees, boosting and lasso are
scikit-learn's.
"""

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.tree import DecisionTreeClassifier

JITTER = {"jitter_small": 0.3, "jitter_large": 1.5}
FAILING = 0.1
SURE = 1e-15
"""Probabilities are no nearer to 0 and 1, so that every loss is finite."""

NEIGHBOURS = {1: 24, 5: 44, 15: 84, 75: 250}
"""Nearest records among which k of the other half are looked for: the chance that there
are fewer is below 1e-6."""


class Splits:
    """Labels and folds of many data sets, as the learners need them.

    `fold` (draws, M, n) has the fold of every record in every repetition; each fold is
    answered by a learner that was trained on the others. `train` (draws, M K, n) has who is
    trained on what.
    """

    def __init__(self, y, fold, n_folds, n_classes, rng):
        self.y, self.fold, self.n_classes, self.rng = y, fold, n_classes, rng
        n_draws, n_repeats, n = fold.shape
        self.n_folds = n_folds
        others = fold[:, :, np.newaxis] != np.arange(n_folds)[:, np.newaxis]
        self.train = others.reshape(n_draws, n_repeats * n_folds, n).astype(float)
        self.onehot = (y[..., np.newaxis] == np.arange(n_classes)).astype(float)
        self.counts = self.train @ self.onehot
        tested = self.onehot.sum(axis=1)[:, np.newaxis] - self.counts
        # Two records of every class to learn and one to test, or the data are left out.
        self.usable = (self.counts >= 2).all(axis=(1, 2)) & (tested >= 1).all(axis=(1, 2))
        self.safe = np.maximum(self.counts, 1.0)
        self.zeros = np.zeros((*fold.shape, 1))

    def predictions(self, scores):
        """Scores (draws, n, fits, classes) of all fits to (draws, M, n, classes)."""
        n_draws, n_repeats, n = self.fold.shape
        scores = scores.transpose(0, 2, 1, 3)
        scores = scores.reshape(n_draws, n_repeats, self.n_folds, n, -1)
        own = self.fold[:, :, np.newaxis, :, np.newaxis]
        return np.take_along_axis(scores, own, axis=2)[:, :, 0]


def fit(name, x, splits, cache):
    """Probabilities of the learner called `name`."""
    if name in EACH:
        return _one_by_one(EACH[name], x, splits)
    if name.startswith("knn"):
        return _neighbours(x, splits, int(name[3:]), cache)
    if name == "no_training":
        return _chances(x.sum(axis=2)[:, np.newaxis, :, np.newaxis] + 0 * splits.zeros)
    if name == "majority":
        shares = (splits.safe / splits.safe.sum(axis=2, keepdims=True))[:, np.newaxis]
        return splits.predictions(
            np.broadcast_to(shares, (*x.shape[:2], *shares.shape[2:]))
        )
    if name == "logit":
        return _logistic(x, splits)
    linear = _naive_bayes if name == "nb" else _discriminant
    return _chances(splits.predictions(linear(name, x, splits)))


def _chances(scores):
    """Probabilities from scores of the classes, or the difference of those of two."""
    if scores.shape[-1] > 1:
        return softmax(scores, axis=-1)
    chance = expit(scores)
    return np.concatenate([1 - chance, chance], axis=-1)


def _class_means(x, splits):
    n_draws, n, p = x.shape
    parts = (splits.onehot[..., np.newaxis] * x[:, :, np.newaxis]).reshape(n_draws, n, -1)
    sums = (splits.train @ parts).reshape(*splits.counts.shape, p)
    return sums / splits.safe[..., np.newaxis]


def _discriminant(name, x, splits):
    n_draws, n, p = x.shape
    means = _class_means(x, splits)
    products = (x[..., np.newaxis] * x[:, :, np.newaxis]).reshape(n_draws, n, -1)
    second = (splits.train @ products).reshape(*means.shape[:2], p, p)
    weighted = splits.counts[..., np.newaxis] * means
    within = second - weighted.swapaxes(2, 3) @ means
    total = splits.counts.sum(axis=2)
    within /= total[..., np.newaxis, np.newaxis]
    if name == "centroid":
        spread = np.trace(within, axis1=2, axis2=3) / p
        coef = means / spread[..., np.newaxis, np.newaxis]
    else:
        within += 1e-9 * np.eye(p)
        coef = np.linalg.solve(within, means.swapaxes(2, 3)).swapaxes(2, 3)
    prior = np.log(splits.safe / total[..., np.newaxis])
    constant = prior - (means * coef).sum(axis=3) / 2
    if name in JITTER:
        # An untuned seed: training noise that has nothing to do with the records.
        coef = coef + JITTER[name] * splits.rng.standard_normal(coef.shape)
    elif name == "failing":
        failed = splits.rng.random(coef.shape[:2]) < FAILING
        coef = np.where(failed[..., np.newaxis, np.newaxis], 0.0, coef)
        constant = np.where(failed[..., np.newaxis], prior, constant)
    return _linear(x, coef, constant)


def _linear(x, coef, constant):
    """Scores (draws, n, fits, classes), and only their difference for two classes."""
    if coef.shape[2] == 2:
        coef, constant = (part[:, :, 1:] - part[:, :, :1] for part in (coef, constant))
    n_draws, n_fits, n_classes, p = coef.shape
    flat = coef.reshape(n_draws, n_fits * n_classes, p).swapaxes(1, 2)
    scores = (x @ flat).reshape(n_draws, x.shape[1], n_fits, n_classes)
    return scores + constant[:, np.newaxis]


def _naive_bayes(name, x, splits):
    means = _class_means(x, splits)
    spread = np.maximum(_class_means(x**2, splits) - means**2, 1e-6)
    prior = np.log(splits.safe / splits.counts.sum(axis=2, keepdims=True))
    constant = prior - (means**2 / spread + np.log(spread)).sum(axis=3) / 2
    coef = np.concatenate([means / spread, -0.5 / spread], axis=3)
    return _linear(np.concatenate([x, x**2], axis=2), coef, constant)


def _logistic(x, splits, n_steps=12, tolerance=1e-8):
    """Two classes, with the penalty of scikit-learn's default, by Newton's method."""
    n_draws, n, p = x.shape
    design = np.concatenate([x, np.ones((n_draws, n, 1))], axis=2)
    products = (design[..., np.newaxis] * design[:, :, np.newaxis]).reshape(n_draws, n, -1)
    penalty = np.append(np.ones(p), 1e-6)
    coef = np.zeros((n_draws, splits.train.shape[1], p + 1))
    target = (splits.y == 1).astype(float)[:, np.newaxis]
    for _ in range(n_steps):
        chance = expit(coef @ design.swapaxes(1, 2))
        slope = (splits.train * (target - chance)) @ design - penalty * coef
        weight = splits.train * chance * (1 - chance)
        bend = (weight @ products).reshape(*coef.shape[:2], p + 1, p + 1)
        step = np.linalg.solve(bend + np.diag(penalty), slope[..., np.newaxis])[..., 0]
        # Steps longer than 5 are cut, for classes that are nearly separated.
        length = np.abs(step).max(axis=2, keepdims=True)
        coef = coef + step * np.minimum(1, 5 / np.maximum(length, 1e-12))
        if length.max() < tolerance:
            break
    scores = (design @ coef.swapaxes(1, 2))[..., np.newaxis]
    return _chances(splits.predictions(scores))


def _nearest_records(x, n_nearest):
    """Indices (draws, n, nearest) of the nearest other records, the nearest first."""
    n_draws, n, _ = x.shape
    found = np.empty((n_draws, n, n_nearest), dtype=np.int32)
    index = np.arange(n, dtype=np.int64)
    low_bits = np.int64(8191)
    for draw, records in enumerate(x):
        squares = (records**2).sum(axis=1)
        distance = squares[:, np.newaxis] + squares - 2 * records @ records.T
        distance = np.maximum(distance, 0) + 1e-9
        np.fill_diagonal(distance, 1e30)
        # The low bits of the distance carry the index, so that sorting needs no argsort.
        keys = (distance.view(np.int64) & ~low_bits) | index
        keys = np.partition(keys, n_nearest - 1, axis=1)[:, :n_nearest]
        found[draw] = np.sort(keys, axis=1) & low_bits
    return found


def _neighbours(x, splits, k, cache):
    """Shares of the classes among the k nearest records of the other half (Laplace)."""
    n_draws, n, _ = x.shape
    required = min(
        n - 1, max(NEIGHBOURS[other] for other in NEIGHBOURS if other <= max(k, 15))
    )
    if required not in cache:
        cache[required] = _nearest_records(x, required)
    nearest = cache[required][..., : NEIGHBOURS[k]]
    each = np.arange(n_draws)[:, np.newaxis, np.newaxis]
    labels = splits.y[each, nearest].astype(np.int8)
    votes = np.empty((*splits.fold.shape, splits.n_classes))
    for repeat in range(splits.fold.shape[1]):
        fold = splits.fold[:, repeat]
        other = fold[each, nearest] != fold[..., np.newaxis]
        chosen = other & (np.cumsum(other, axis=2, dtype=np.int16) <= k)
        for label in range(splits.n_classes):
            votes[:, repeat, :, label] = (chosen & (labels == label)).sum(axis=2)
    return (votes + 1) / (votes.sum(axis=-1, keepdims=True) + splits.n_classes)


def _one_by_one(learner, x, splits):
    """Probabilities of a learner that is trained on one half after the other."""
    predictions = np.empty((*splits.fold.shape, splits.n_classes))
    for draw, records in enumerate(x):
        for split in range(splits.train.shape[1]):
            repeat, k = divmod(split, splits.n_folds)
            test = splits.fold[draw, repeat] == k
            labels = splits.y[draw, ~test]
            found = learner(records[~test], labels, records[test], splits.rng)
            predictions[draw, repeat, test] = _columns(found, splits, labels)
    return predictions


def _columns(found, splits, labels):
    """Columns for all classes, from chances of class 1 or where a half lacked some."""
    if found.ndim == 1:
        return np.stack([1 - found, found], axis=1)
    if found.shape[1] == splits.n_classes:
        return found
    full = np.full((len(found), splits.n_classes), 0.01)
    full[:, np.unique(labels)] = found
    return full / full.sum(axis=1, keepdims=True)


def _tree(**options):
    """Shares of the classes in the leaves, by Laplace's rule so that none is 0."""

    def learn(x, y, x_test, rng):
        tree = DecisionTreeClassifier(random_state=_seed(rng), **options)
        tree.fit(x.astype(np.float32), y, check_input=False)
        leaves = tree.tree_.apply(x_test.astype(np.float32))
        shares = tree.tree_.value[leaves, 0]
        sizes = tree.tree_.n_node_samples[leaves][:, np.newaxis]
        return (shares * sizes + 1) / (sizes + shares.shape[1])

    return learn


def _forest(n_trees, **options):
    """Trees of bootstrap samples that have all classes."""
    tree = _tree(max_features="sqrt", **options)

    def learn(x, y, x_test, rng):
        n_classes = len(np.unique(y))
        found = []
        while len(found) < n_trees:
            bag = rng.integers(len(y), size=len(y))
            if len(np.unique(y[bag])) == n_classes:
                found.append(tree(x[bag], y[bag], x_test, rng))
        return np.mean(found, axis=0)

    return learn


def _boosting(n_stages, depth, **options):
    def learn(x, y, x_test, rng):
        model = GradientBoostingClassifier(
            n_estimators=n_stages, max_depth=depth, learning_rate=0.2,
            random_state=_seed(rng), **options,
        )  # fmt: skip
        return model.fit(x, y).predict_proba(x_test)[:, 1]

    return learn


def _of_best(k):
    """Linear discriminants of the k features whose means lie farthest apart (Welch)."""

    def learn(x, y, x_test, rng):
        one, two = x[y == 1], x[y == 0]
        error = one.var(axis=0) / len(one) + two.var(axis=0) / len(two) + 1e-12
        apart = np.abs(one.mean(axis=0) - two.mean(axis=0)) / np.sqrt(error)
        best = np.argsort(-apart, kind="stable")[:k]
        return _normal_classes(x[:, best], y, x_test[:, best])

    return learn


def _normal_classes(x, y, x_test):
    means = np.stack([x[y == label].mean(axis=0) for label in (0, 1)])
    centred = x - means[y]
    within = centred.T @ centred / len(y) + 1e-9 * np.eye(x.shape[1])
    slope = np.linalg.solve(within, means[1] - means[0])
    odds = np.log(y.mean() / (1 - y.mean()))
    return expit(x_test @ slope - means.mean(axis=0) @ slope + odds)


def _best_feature(x, y, x_test, rng):
    """Of features that are predictions themselves, the one that is right most often."""
    right = (x == y[:, np.newaxis]).mean(axis=0)
    best = int(np.argmax(right + 1e-9 * rng.random(len(right))))
    share = np.clip(right[best], 0.02, 0.98)
    return np.where(x_test[:, best] == 1, share, 1 - share)


def _lasso(strength):
    def learn(x, y, x_test, rng):
        model = LogisticRegression(solver="liblinear", l1_ratio=1.0, C=strength, tol=1e-3)
        return model.fit(x, y).predict_proba(x_test)[:, 1]

    return learn


def _lasso_search(x, y, x_test, rng):
    """The strength of the penalty is searched inside the fit, on three folds."""
    fold = rng.permutation(np.arange(len(y)) % 3)
    right = [
        np.mean(
            [
                ((_lasso(c)(x[fold != k], y[fold != k], x[fold == k], rng) > 0.5)
                 == y[fold == k]).mean()
                for k in range(3)
            ]
        )
        for c in STRENGTHS
    ]  # fmt: skip
    return _lasso(STRENGTHS[int(np.argmax(right))])(x, y, x_test, rng)


def _neighbour_search(x, y, x_test, rng):
    """The number of neighbours is searched inside the fit, leaving one out."""
    distance = ((x[:, np.newaxis] - x) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1)
    counted = np.cumsum(y[order], axis=1)
    known = [k for k in NUMBERS if k < len(y)]
    right = [((counted[:, k - 1] > k / 2) == y).mean() for k in known]
    k = known[int(np.argmax(right))]
    distance = ((x_test[:, np.newaxis] - x) ** 2).sum(axis=2)
    near = np.argpartition(distance, k - 1, axis=1)[:, :k]
    return (y[near].sum(axis=1) + 1) / (k + 2)


def _stopped_early(x, y, x_test, rng, n_steps=40):
    """Logistic regression by gradient steps, stopped by a fifth of the records."""
    held = rng.permutation(len(y)) < max(4, len(y) // 5)
    design = np.column_stack([x, np.ones(len(x))])
    coef = best = np.zeros(design.shape[1])
    most = -1.0
    for _ in range(n_steps):
        gap = y[~held] - expit(design[~held] @ coef)
        coef = coef + 0.6 * design[~held].T @ gap / len(gap)
        right = ((design[held] @ coef > 0) == y[held]).mean()
        if right > most:
            most, best = right, coef
    return expit(np.column_stack([x_test, np.ones(len(x_test))]) @ best)


def _gradient_descent(x, y, x_test, rng):
    """Stochastic gradient descent on features as they are."""
    model = SGDClassifier(loss="log_loss", random_state=_seed(rng)).fit(x, y)
    return np.clip(model.predict_proba(x_test)[:, 1], SURE, 1 - SURE)


def _seed(rng):
    return int(rng.integers(2**31 - 1))


STRENGTHS, NUMBERS = (0.05, 0.2, 1.0), (1, 3, 5, 9, 15, 25, 51)

EACH = {
    "stump": _tree(max_depth=1),
    "tree2": _tree(max_depth=2),
    "tree3": _tree(max_depth=3),
    "tree": _tree(),
    "tree_of_leaves": _tree(min_samples_leaf=5),
    "random_tree": _tree(splitter="random"),
    "forest5": _forest(5),
    "forest15": _forest(15),
    "boosted_stumps": _boosting(20, 1),
    "boosted_trees": _boosting(10, 2),
    "boosted_early": _boosting(30, 1, n_iter_no_change=3),
    "select1": _of_best(1),
    "select3": _of_best(3),
    "best_feature": _best_feature,
    "lasso_strong": _lasso(0.1),
    "lasso": _lasso(0.3),
    "lasso_search": _lasso_search,
    "knn_search": _neighbour_search,
    "stopped_early": _stopped_early,
    "sgd": _gradient_descent,
}
