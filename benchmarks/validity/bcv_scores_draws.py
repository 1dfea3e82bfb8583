"""Differences of many data sets, drawn in parts that are kept and not drawn again."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bcv_scores_learners import Halves, fit
from bcv_scores_measures import Folds, compare, discordant, measure
from bcv_scores_worlds import draw_classes, draw_features, draw_halves

PART = 500
SETTINGS = {"version": 1, "part": PART}
FIELDS = ("difference", "variance", "counts")


@dataclass(frozen=True)
class Draws:
    """What the rules decide from, for one pair of learners or (leading axis) several.

    `difference` and `variance` are of shape (draws, M, 2, measures). `counts` (draws, 2)
    has the discordant records and their balance, averaged over the test halves.
    """

    difference: np.ndarray
    variance: np.ndarray
    counts: np.ndarray

    @classmethod
    def joined(cls, parts, axis):
        fields = zip(*((part.difference, part.variance, part.counts) for part in parts))
        return cls(*(np.concatenate(field, axis=axis) for field in fields))

    def pair(self, i):
        return Draws(self.difference[i], self.variance[i], self.counts[i])


def simulate(world, value, pairs, n_draws, rng):
    """Draws of several pairs of learners on the same data."""
    batch = max(4, min(100, 40000 // world.n))
    parts = [
        _batch(world, value, pairs, min(batch, n_draws - start), rng)
        for start in range(0, n_draws, batch)
    ]
    return Draws.joined(parts, axis=1)


def _batch(world, value, pairs, n_draws, rng):
    # Own streams, so that a searched number meets the same records at every value.
    streams = rng.spawn(3)
    y = draw_classes(world, n_draws, streams[0])
    first = draw_halves(world, y, streams[0])
    features = draw_features(world, value, y, streams[1])
    halves = Halves(y, first, world.n_classes, streams[2])
    folds = Folds(halves)
    caches = ({}, {})
    found = {}
    kept = []
    for pair in pairs:
        for side, learner in enumerate(pair):
            if (side, learner) not in found:
                answers = fit(learner, features[side], halves, caches[side])
                found[side, learner] = measure(answers, halves, folds)
        first_found, second_found = found[0, pair[0]], found[1, pair[1]]
        difference, variance = compare(first_found, second_found, folds)
        for numbers in (difference, variance):
            numbers[~halves.usable] = np.nan
        counts = discordant(first_found, second_found, folds)
        parts = (difference, variance, counts)
        kept.append([part.astype(np.float32) for part in parts])
    return Draws(*(np.stack(parts) for parts in zip(*kept)))


class Store:
    """Parts of the draws, one file each; a finished part is never drawn again."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = self.folder / "settings.json"
        if not settings.exists():
            settings.write_text(json.dumps(SETTINGS))
        elif json.loads(settings.read_text()) != SETTINGS:
            raise SystemExit(
                f"{settings} holds {settings.read_text()}, and this script needs "
                f"{SETTINGS}. Use another folder, or remove this one."
            )

    def draws(self, stage, world, value, pairs, n_draws, seed):
        """Draws of the pairs, from the store as far as it has them."""
        parts = []
        for part in range(-(-n_draws // PART)):
            size = min(PART, n_draws - part * PART)
            parts.append(self._part(stage, world, value, pairs, part, size, seed))
        return Draws.joined(parts, axis=1)

    def _part(self, stage, world, value, pairs, part, size, seed):
        names = "+".join(f"{a}-{b}" for a, b in pairs)
        number = "" if value is None else f"-at{value:.6g}"
        name = f"{names}-seed{seed}-part{part}-{size}.npz"
        path = self.folder / stage / f"{world.name}{number}" / name
        if path.exists():
            with np.load(path) as kept:
                return Draws(*(kept[field] for field in FIELDS))
        entropy = [seed, part, *map(ord, stage), *map(ord, world.name)]
        rng = np.random.default_rng(np.random.SeedSequence(entropy))
        draws = simulate(world, value, pairs, size, rng)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished.npz")
        np.savez(unfinished, **{field: getattr(draws, field) for field in FIELDS})
        unfinished.rename(path)
        return draws
