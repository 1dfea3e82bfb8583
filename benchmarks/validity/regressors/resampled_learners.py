"""Regressors in numpy that learn from all training sets of many data sets at once.

Records have a fold in every repetition, (draws, repetitions, records), and each is
predicted by the model that was trained on all other folds. Of a hold-out, only fold 0 is
tested.
"""

from dataclasses import dataclass

import numpy as np

N_NEAR = 40
"""Neighbours that are kept of every record: half of them are trained on, at least."""

K = 5
PENALTY = 0.001
LEAST_OF_LEAF = 5


@dataclass
class Prepared:
    """Features of many data sets, (draws, records, features), and what splits share."""

    x: np.ndarray
    near: np.ndarray | None = None
    order: np.ndarray | None = None

    @classmethod
    def of(cls, kind, x):
        near = nearest(x) if kind == "5-NN" else None
        order = np.argsort(x, axis=1) if "tree" in kind else None
        return cls(x, near, order)


def predict(kind, prepared, y, fold, n_models, rng):
    """Predictions (draws, repetitions, records) of one learner; NaN where not tested.

    `n_models` is the number of folds that are tested, from fold 0.
    """
    if kind == "5-NN":
        found = _neighbours(prepared, y, fold)
        return np.where(fold < n_models, found, np.nan)
    if kind == "ridge":
        return _ridge(prepared.x, y, fold, n_models)
    return _tree(prepared, y, fold, n_models, rng, is_random=kind == "random tree")


def nearest(x):
    """The nearest other records, (draws, records, N_NEAR), the nearest first."""
    squares = (x**2).sum(axis=2)
    distance = squares[:, :, None] + squares[:, None] - 2 * x @ x.swapaxes(1, 2)
    n = x.shape[1]
    distance[:, np.arange(n), np.arange(n)] = np.inf
    kept = min(N_NEAR, n - 1)
    near = np.argpartition(distance, kept - 1, axis=2)[..., :kept]
    order = np.argsort(np.take_along_axis(distance, near, axis=2), axis=2)
    return np.take_along_axis(near, order, axis=2)


def _neighbours(prepared, y, fold):
    n_draws, n, kept = prepared.near.shape
    near = prepared.near.reshape(n_draws, -1)
    values = np.take_along_axis(y, near, axis=1).reshape(n_draws, n, kept)
    found = np.empty(fold.shape)
    for repeat in range(fold.shape[1]):
        own = fold[:, repeat]
        theirs = np.take_along_axis(own, near, axis=1).reshape(n_draws, n, kept)
        trained = theirs != own[:, :, None]
        used = trained & (np.cumsum(trained, axis=2, dtype=np.int32) <= K)
        found[:, repeat] = (used * values).sum(axis=2) / used.sum(axis=2)
    return found


def _in_folds(fold, n_models):
    """Whether each record is in each tested fold, (draws, repetitions, folds, records)."""
    return fold[:, :, None] == np.arange(n_models)[:, None]


def _own(of_models, fold, n_models):
    """What the model of its fold has for each record; NaN for folds that have no model."""
    own = np.minimum(fold, n_models - 1)[:, :, None]
    found = np.take_along_axis(of_models, own, axis=2)[:, :, 0]
    return np.where(fold < n_models, found, np.nan)


def _ridge(x, y, fold, n_models):
    """Ridge regression with an intercept; the penalty is that of a mean squared error."""
    n_draws, n, p = x.shape
    squares = (x[..., None] * x[..., None, :]).reshape(n_draws, n, p * p)
    parts = [np.ones((n_draws, n, 1)), x, y[..., None], squares, x * y[..., None]]
    columns = np.concatenate(parts, axis=2)
    tested = _in_folds(fold, n_models).reshape(n_draws, -1, n).astype(float)
    sums = columns.sum(axis=1)[:, None] - tested @ columns
    count = sums[..., :1]
    means = sums / count
    mean_x, mean_y = means[..., 1 : p + 1], means[..., p + 1]
    cross = mean_x[..., None] * mean_x[..., None, :]
    covariance = means[..., p + 2 : p + 2 + p * p].reshape(*cross.shape) - cross
    right = means[..., p + 2 + p * p :] - mean_x * mean_y[..., None]
    slope = np.linalg.solve(covariance + PENALTY * np.eye(p), right[..., None])[..., 0]
    level = mean_y - (slope * mean_x).sum(axis=-1)
    all_models = slope @ x.swapaxes(1, 2) + level[..., None]
    return _own(all_models.reshape(*fold.shape[:2], n_models, n), fold, n_models)


def _tree(prepared, y, fold, n_models, rng, *, is_random):
    """Regression tree of four leaves; a random one splits on half of the features."""
    x, order = prepared.x, prepared.order
    n_draws, n, p = x.shape
    train = ~_in_folds(fold, n_models).reshape(n_draws, -1, n)
    allowed = np.ones((n_draws, train.shape[1], p), dtype=bool)
    if is_random:
        ranks = np.argsort(rng.random(allowed.shape), axis=2)
        allowed = ranks < p // 2
    level = np.broadcast_to(y.mean(axis=1)[:, None, None], train.shape)
    here = np.ones(train.shape, dtype=bool)
    found = _grown(x, y, order, train, here, level, allowed, depth=2)
    return _own(found.reshape(*fold.shape[:2], n_models, n), fold, n_models)


def _grown(x, y, order, train, here, level, allowed, depth):
    """Predictions of all records by the part of a tree that the records `here` reach."""
    inside = train & here
    count = inside.sum(axis=2)
    mean = (inside * y[:, None]).sum(axis=2) / np.maximum(count, 1)
    level = np.where((count > 0)[..., None], mean[..., None], level)
    if depth == 0:
        return level
    feature, value, gain = _best_split(x, y, order, inside, allowed)
    own = np.take_along_axis(x.swapaxes(1, 2), feature[..., None], axis=1)
    left = own <= value[..., None]
    deeper = [
        _grown(x, y, order, train, here & side, level, allowed, depth - 1)
        for side in (left, ~left)
    ]
    is_split = np.isfinite(gain)[..., None]
    return np.where(is_split, np.where(left, *deeper), level)


def _best_split(x, y, order, inside, allowed):
    """Feature and largest value on the left of the best split, and its gain, or -inf."""
    best = np.full((3, *inside.shape[:2]), -np.inf)
    best[0] = 0
    for feature in range(x.shape[2]):
        sorted_ = order[:, :, feature]
        weight = np.take_along_axis(inside, sorted_[:, None], axis=2)
        target = np.take_along_axis(y, sorted_, axis=1)[:, None]
        below = np.cumsum(weight, axis=2, dtype=np.int32)
        sums = np.cumsum(weight * target, axis=2)
        above = below[..., -1:] - below
        rest = sums[..., -1:] - sums
        gain = sums**2 / np.maximum(below, 1) + rest**2 / np.maximum(above, 1)
        valid = (below >= LEAST_OF_LEAF) & (above >= LEAST_OF_LEAF) & weight
        gain = np.where(valid & allowed[..., feature, None], gain, -np.inf)
        place = gain.argmax(axis=2)
        most = np.take_along_axis(gain, place[..., None], axis=2)[..., 0]
        record = np.take_along_axis(sorted_, place, axis=1)
        value = np.take_along_axis(x[..., feature], record, axis=1)
        is_better = most > best[2]
        best = np.where(is_better, [np.full_like(most, feature), value, most], best)
    return best[0].astype(np.intp), best[1], best[2]
