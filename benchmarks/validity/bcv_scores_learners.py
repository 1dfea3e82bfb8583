"""Learners trained on all halves of many data sets at once, in numpy.

Every learner answers with probabilities of shape (draws, M, n, classes): those of a record
in a repetition come from the half that it is not in. Linear discriminants, naive Bayes,
nearest centroids, logistic regression and nearest neighbours are checked against
scikit-learn by `check_learners`; trees are scikit-learn's.
"""

import numpy as np
from scipy.special import expit, softmax
from sklearn.tree import DecisionTreeClassifier

JITTER = {"jitter_small": 0.3, "jitter_large": 1.5}
FAILING = 0.1
NEIGHBOURS = {1: 24, 5: 44, 15: 84}
"""Nearest records among which k of the other half are looked for: the chance that there
are fewer is below 1e-6."""


class Halves:
    """Labels and halves of many data sets, as the learners need them."""

    def __init__(self, y, first, n_classes, rng):
        self.y, self.first, self.n_classes, self.rng = y, first, n_classes, rng
        n_draws, n_repeats, n = first.shape
        self.train = np.empty((n_draws, 2 * n_repeats, n))
        self.train[:, ::2], self.train[:, 1::2] = first, ~first
        self.onehot = (y[..., np.newaxis] == np.arange(n_classes)).astype(float)
        self.counts = self.train @ self.onehot
        # Two records of every class in every half, or the repetition is kept apart.
        self.usable = (self.counts >= 2).all(axis=(1, 2))
        self.safe = np.maximum(self.counts, 1.0)

    def answers(self, scores):
        """Scores (draws, n, fits, classes) of all fits to (draws, M, n, classes)."""
        scores = scores.transpose(0, 2, 1, 3)
        return np.where(self.first[..., np.newaxis], scores[:, 1::2], scores[:, ::2])


def fit(name, x, halves, cache):
    """Probabilities of the learner called `name`."""
    if name.startswith("knn"):
        return _neighbours(x, halves, int(name[3:]), cache)
    if name in ("tree2", "tree", "random_tree", "forest5"):
        return _trees(x, halves, name)
    if name == "majority":
        shares = (halves.safe / halves.safe.sum(axis=2, keepdims=True))[:, np.newaxis]
        return halves.answers(np.broadcast_to(shares, (*x.shape[:2], *shares.shape[2:])))
    if name == "logit":
        return _logistic(x, halves)
    linear = _naive_bayes if name == "nb" else _discriminant
    return _chances(halves.answers(linear(name, x, halves)))


def _chances(scores):
    """Probabilities from scores of the classes, or the difference of those of two."""
    if scores.shape[-1] > 1:
        return softmax(scores, axis=-1)
    chance = expit(scores)
    return np.concatenate([1 - chance, chance], axis=-1)


def _class_means(x, halves):
    n_draws, n, p = x.shape
    parts = (halves.onehot[..., np.newaxis] * x[:, :, np.newaxis]).reshape(n_draws, n, -1)
    sums = (halves.train @ parts).reshape(*halves.counts.shape, p)
    return sums / halves.safe[..., np.newaxis]


def _discriminant(name, x, halves):
    n_draws, n, p = x.shape
    means = _class_means(x, halves)
    products = (x[..., np.newaxis] * x[:, :, np.newaxis]).reshape(n_draws, n, -1)
    second = (halves.train @ products).reshape(*means.shape[:2], p, p)
    weighted = halves.counts[..., np.newaxis] * means
    within = second - weighted.swapaxes(2, 3) @ means
    total = halves.counts.sum(axis=2)
    within /= total[..., np.newaxis, np.newaxis]
    if name == "centroid":
        spread = np.trace(within, axis1=2, axis2=3) / p
        coef = means / spread[..., np.newaxis, np.newaxis]
    else:
        within += 1e-9 * np.eye(p)
        coef = np.linalg.solve(within, means.swapaxes(2, 3)).swapaxes(2, 3)
    prior = np.log(halves.safe / total[..., np.newaxis])
    constant = prior - (means * coef).sum(axis=3) / 2
    if name in JITTER:
        # An untuned seed: training noise that has nothing to do with the records.
        coef = coef + JITTER[name] * halves.rng.standard_normal(coef.shape)
    elif name == "failing":
        failed = halves.rng.random(coef.shape[:2]) < FAILING
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


def _naive_bayes(name, x, halves):
    means = _class_means(x, halves)
    spread = np.maximum(_class_means(x**2, halves) - means**2, 1e-6)
    prior = np.log(halves.safe / halves.counts.sum(axis=2, keepdims=True))
    constant = prior - (means**2 / spread + np.log(spread)).sum(axis=3) / 2
    coef = np.concatenate([means / spread, -0.5 / spread], axis=3)
    return _linear(np.concatenate([x, x**2], axis=2), coef, constant)


def _logistic(x, halves, n_steps=12, tolerance=1e-8):
    """Two classes, with the penalty of scikit-learn's default, by Newton's method."""
    n_draws, n, p = x.shape
    design = np.concatenate([x, np.ones((n_draws, n, 1))], axis=2)
    products = (design[..., np.newaxis] * design[:, :, np.newaxis]).reshape(n_draws, n, -1)
    penalty = np.append(np.ones(p), 1e-6)
    coef = np.zeros((n_draws, halves.train.shape[1], p + 1))
    target = (halves.y == 1).astype(float)[:, np.newaxis]
    for _ in range(n_steps):
        chance = expit(coef @ design.swapaxes(1, 2))
        slope = (halves.train * (target - chance)) @ design - penalty * coef
        weight = halves.train * chance * (1 - chance)
        bend = (weight @ products).reshape(*coef.shape[:2], p + 1, p + 1)
        step = np.linalg.solve(bend + np.diag(penalty), slope[..., np.newaxis])[..., 0]
        # Steps longer than 5 are cut, for classes that are nearly separated.
        length = np.abs(step).max(axis=2, keepdims=True)
        coef = coef + step * np.minimum(1, 5 / np.maximum(length, 1e-12))
        if length.max() < tolerance:
            break
    scores = (design @ coef.swapaxes(1, 2))[..., np.newaxis]
    return _chances(halves.answers(scores))


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


def _neighbours(x, halves, k, cache):
    """Shares of the classes among the k nearest records of the other half (Laplace)."""
    n_draws, n, _ = x.shape
    if "nearest" not in cache:
        cache["nearest"] = _nearest_records(x, min(n - 1, max(NEIGHBOURS.values())))
    nearest = cache["nearest"][..., : NEIGHBOURS[k]]
    each = np.arange(n_draws)[:, np.newaxis, np.newaxis]
    labels = halves.y[each, nearest].astype(np.int8)
    votes = np.empty((*halves.first.shape, halves.n_classes))
    for repeat in range(halves.first.shape[1]):
        first = halves.first[:, repeat]
        other = first[each, nearest] != first[..., np.newaxis]
        chosen = other & (np.cumsum(other, axis=2, dtype=np.int16) <= k)
        for label in range(halves.n_classes):
            votes[:, repeat, :, label] = (chosen & (labels == label)).sum(axis=2)
    return (votes + 1) / (votes.sum(axis=-1, keepdims=True) + halves.n_classes)


def _trees(x, halves, name):
    x = np.ascontiguousarray(x, dtype=np.float32)
    answers = np.empty((*halves.first.shape, halves.n_classes))
    seeds = halves.rng.integers(0, 2**31 - 1, halves.counts.shape[:2])
    for draw, records in enumerate(x):
        target = halves.y[draw].astype(float)
        for split, seed in enumerate(seeds[draw]):
            first = halves.first[draw, split // 2]
            train, test = (first, ~first) if split % 2 == 0 else (~first, first)
            found = _one_tree(name, records, target, train, test, int(seed))
            answers[draw, split // 2, test] = _columns(found, halves, target[train])
    return answers


def _columns(found, halves, labels):
    """Columns for all classes, where a half lacked some."""
    if found.shape[1] == halves.n_classes:
        return found
    full = np.full((len(found), halves.n_classes), 0.01)
    full[:, np.unique(labels).astype(int)] = found
    return full / full.sum(axis=1, keepdims=True)


def _one_tree(name, x, y, train, test, seed):
    if name == "forest5":
        rng = np.random.default_rng(seed)
        rows = np.flatnonzero(train)
        bags = [_bag(rows, y, rng) for _ in range(5)]
        parts = [
            _leaf_shares(x, y, bag, test, seed + i, max_features="sqrt")
            for i, bag in enumerate(bags)
        ]
        return np.mean(parts, axis=0)
    depth = 2 if name == "tree2" else None
    splitter = "random" if name == "random_tree" else "best"
    return _leaf_shares(x, y, train, test, seed, max_depth=depth, splitter=splitter)


def _bag(rows, y, rng):
    """A bootstrap sample that has all classes."""
    n_classes = len(np.unique(y[rows]))
    while True:
        bag = rng.choice(rows, len(rows))
        if len(np.unique(y[bag])) == n_classes:
            return bag


def _leaf_shares(x, y, train, test, seed, **options):
    """Shares of the classes in the leaves, by Laplace's rule so that none is 0."""
    tree = DecisionTreeClassifier(random_state=seed, **options)
    tree.fit(x[train], y[train], check_input=False)
    leaves = tree.tree_.apply(x[test])
    shares = tree.tree_.value[leaves, 0]
    sizes = tree.tree_.n_node_samples[leaves][:, np.newaxis]
    return (shares * sizes + 1) / (sizes + shares.shape[1])
