"""Data sets with two sets of features, A for the champion and B for the challenger.

Where the sets have the same distribution, two learners of one kind are exactly equal by
every measure, whatever they do with their features.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from skcompare.model_selection._hadamard import orthogonal_array

WEAK, MIDDLING, STRONG = 0.358, 1.19, 2.66
"""Distances of two normal classes at which the area under the curve is .6, .8, .97."""

SECOND_BEST, LESS_OFTEN = 0.365 / 0.55, 0.067
"""Of features that are nearly as good as the best one: means, and shares of right ones."""


@dataclass(frozen=True)
class World:
    """How records are drawn and split.

    `strength` is the distance of the classes, or what the family makes of it. Records come
    in groups of `group` that share a part of their features.
    """

    family: str
    n: int
    share: float = 0.5
    strength: float = MIDDLING
    n_features: tuple[int, int] = (4, 4)
    n_classes: int = 2
    n_repeats: int = 5
    group: int = 1

    @property
    def name(self):
        features = "x".join(map(str, self.n_features))
        extra = "" if self.n_repeats == 5 else f"-m{self.n_repeats}"
        grouped = "" if self.group == 1 else f"-g{self.group}"
        return (
            f"{self.family}-n{self.n}-s{self.share:g}-d{self.strength:g}"
            f"-p{features}-k{self.n_classes}{grouped}{extra}"
        )


def draw_classes(world, n_draws, rng):
    uniform = rng.random((n_draws, world.n))
    if world.n_classes == 2:
        return (uniform < world.share).astype(np.int64)
    # Class 1 has `share`, the others what is left.
    rest = (1 - world.share) / (world.n_classes - 1)
    edges = np.cumsum([world.share] + [rest] * (world.n_classes - 2))
    return (np.searchsorted(edges, uniform, side="right") + 1) % world.n_classes


def draw_blocks(world, y, rng):
    """The block of every record, (draws, n): dealt class by class, groups as a whole."""
    return _dealt(world, y, n_blocks_of(world.n_repeats), rng)


def _dealt(world, y, n_parts, rng):
    n_draws, n = y.shape
    if world.group > 1:
        dealt = np.argsort(rng.random((n_draws, n // world.group)), axis=1)
        return np.repeat(dealt, world.group, axis=1) % n_parts
    order = np.argsort(y + rng.random(y.shape), axis=1)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(n)[np.newaxis].repeat(n_draws, 0), axis=1)
    deal = np.argsort(rng.random((n_draws, n_parts)), axis=1)
    return np.take_along_axis(deal, place % n_parts, axis=1)


def n_blocks_of(n_repeats):
    return len(orthogonal_array(n_repeats))


def halves_of(blocks, n_repeats):
    """The fold, 0 or 1, of every record in every repetition, (draws, M, n)."""
    first_halves = np.asarray(orthogonal_array(n_repeats), dtype=np.int64)
    return first_halves[blocks].transpose(0, 2, 1)


def draw_folds(world, y, n_folds, n_repeats, rng):
    """The fold of every record, dealt class by class, groups as a whole, (draws, M, n)."""
    return np.stack([_dealt(world, y, n_folds, rng) for _ in range(n_repeats)], axis=1)


def draw_features(world, value, y, rng):
    """Features of the champion and of the challenger, (draws, n, features)."""
    p, q = world.n_features
    noise = rng.standard_normal((*y.shape, p + q + 1))
    if world.group > 1:
        # Half of the variance is that of the groups.
        shape = (len(y), y.shape[1] // world.group, p + q + 1)
        of_groups = np.repeat(rng.standard_normal(shape), world.group, axis=1)
        noise = (noise + of_groups) / np.sqrt(2)
    return _FAMILIES[world.family](world, value, y, noise[..., :p], noise[..., p:], rng)


def _shifted(y, noise, distance, n_classes):
    """Normal features whose class means are `distance` apart (each two of several)."""
    p = noise.shape[-1]
    if n_classes == 2:
        return noise + y[..., np.newaxis] * (distance / np.sqrt(p))
    own = np.arange(p) % n_classes == y[..., np.newaxis]
    return noise + own * (distance * np.sqrt(n_classes / (2 * p)))


def _shift(world, value, y, first, second, rng):
    strength = world.strength if value is None else value
    return (
        _shifted(y, first, world.strength, world.n_classes),
        _shifted(y, second[..., :-1], strength, world.n_classes),
    )


def _sparse(world, value, y, first, second, rng):
    """Three features that tell the classes apart, among many that do not."""

    def features(noise, strength):
        x = noise.copy()
        x[..., :3] += y[..., np.newaxis] * (strength / np.sqrt(3))
        return x

    strength = world.strength if value is None else value
    return features(first, world.strength), features(second[..., :-1], strength)


def _lucky(world, value, y, first, second, rng):
    """One feature that is better than the others, which are good too."""

    def features(noise, strength):
        means = np.full(noise.shape[-1], SECOND_BEST * strength)
        means[0] = strength
        return noise + (2 * y[..., np.newaxis] - 1) * means

    strength = world.strength if value is None else value
    return features(first, world.strength), features(second[..., :-1], strength)


def _alike(world, value, y, first, second, rng):
    """Features that are equally good, all of them."""
    strength = world.strength if value is None else value
    sign = 2 * y[..., np.newaxis] - 1
    return first + sign * world.strength, second[..., :-1] + sign * strength


def _predictions(world, value, y, first, second, rng):
    """Features that are predictions: the first is right most often, the others less."""

    def features(noise, strength):
        right = np.full(noise.shape[-1], strength - LESS_OFTEN)
        right[0] = strength
        return np.where(ndtr(noise) < right, y[..., np.newaxis], 1 - y[..., np.newaxis])

    strength = world.strength if value is None else value
    return features(first, world.strength), features(second[..., :-1], strength)


def _near(world, value, y, first, second, rng):
    """Three features in common and one of their own."""
    a = _shifted(y, first, world.strength, 2)
    own = world.strength if value is None else value
    b = a.copy()
    b[..., -1] = second[..., 0] + y * (own / 2)
    return a, b


def _scale(world, value, y, first, second, rng):
    """Half of the features differ in mean, the others in spread."""

    def features(noise, strength):
        x = noise.copy()
        x[..., :2] += y[..., np.newaxis] * (strength / np.sqrt(2))
        x[..., 2:] *= 1 + y[..., np.newaxis] * strength
        return x

    strength = world.strength if value is None else value
    return features(first, world.strength), features(second[..., :-1], strength)


def _correlated(world, value, y, first, second, rng):
    """Correlated features, which favour the one learner, of unequal spread, the other."""
    x = np.sqrt(1 - value) * first + np.sqrt(value) * second[..., :1]
    x *= 1 + 0.5 * y[..., np.newaxis]
    x[..., 0] += world.strength * y
    return x, x


def _scaled(world, value, y, first, second, rng):
    x = first * np.where(y, value, 1.0)[..., np.newaxis]
    x = x + y[..., np.newaxis] * (world.strength / np.sqrt(x.shape[-1]))
    return x, x


def _nested(world, value, y, first, second, rng):
    strength = world.strength if value is None else value
    x = _shifted(y, first, strength, 2)
    return x, x


def _stretched(world, value, y, first, second, rng):
    """The last feature is noise, and its scale bothers the nearest neighbours only."""
    x = first.copy()
    x[..., :2] += y[..., np.newaxis] * (world.strength / np.sqrt(2))
    x[..., 2] *= value
    return x, x


def _checker(world, value, y, first, second, rng):
    """A checkerboard in part of the records, and a plain step in the others.

    Records are drawn by their class: a square is taken with the chance it has there.
    """
    n_draws, n = y.shape
    x = rng.random((n_draws, n, 2, 12))
    cells = np.floor(4 * x).astype(int)
    white = cells.sum(axis=2) % 2
    right = x[:, :, 0] > 0.5
    likely = (1 - value) * (0.15 + 0.7 * right) + value * (0.05 + 0.9 * white)
    likely = np.where(y[..., np.newaxis] == 1, likely, 1 - likely)
    # The first of twelve proposals that is accepted.
    accepted = rng.random(likely.shape) < likely
    chosen = accepted.argmax(axis=-1)[..., np.newaxis, np.newaxis]
    x = np.take_along_axis(x, chosen, axis=-1)[..., 0]
    return x, x


_FAMILIES = {
    "sparse": _sparse,
    "lucky": _lucky,
    "alike": _alike,
    "predictions": _predictions,
    "shift": _shift,
    "near": _near,
    "scale": _scale,
    "correlated": _correlated,
    "scaled": _scaled,
    "nested": _nested,
    "stretched": _stretched,
    "checker": _checker,
}
