"""Data sets, splits and nets of the MNIST column, each from a seed of its own.

So what a net learns does not depend on which others are trained beside it, nor on what was
trained before.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.validity.splits.resampling.resampling_designs import (
    FOLDS,
    draw_splits,
    layout,
)

LABEL = 4
"""Of MNIST among the data of Table V, in the seeds; see `resampling_worlds.WORLDS`."""

N_IMAGES = 60_000
ROLES = ("champion", "challenger")
CHUNK = 5
"""Splits of a data set that are trained, and stored, together."""

_WHERE = layout(False)


def _positions():
    places = {name: list(range(s.start, s.stop)) for name, s in _WHERE.items()}
    first, rest = places["repeated holdout"][:1], places["repeated holdout"][1:]
    return {
        "5x2": places["5x2"],
        "holdout": first,
        "10 folds": places["10x10"][:FOLDS],
        "random 5x2": places["random 5x2"],
        "repeated holdout": rest,
        "small holdout": places["small holdout"],
        "10x10": places["10x10"][FOLDS:],
    }


DESIGNS = _positions()
"""Splits of each design, by their places among all splits of a data set, in the order in
which they are trained. Those of "repeated holdout" and "10x10" are what "holdout" and "10
folds" leave."""


class Setting(NamedTuple):
    """What a result depends on beside the data set and the split."""

    seed: int
    records: int
    gamma: float
    epochs: int


class Unit(NamedTuple):
    """Some splits of one data set, for both roles."""

    number: int
    splits: tuple

    @property
    def nets(self):
        return [(self.number, s, role) for s in self.splits for role in range(len(ROLES))]


def units_of(design, n_datasets):
    """Units of all data sets, in order."""
    places = DESIGNS[design]
    chunks = [tuple(places[k : k + CHUNK]) for k in range(0, len(places), CHUNK)]
    return [Unit(number, chunk) for number in range(n_datasets) for chunk in chunks]


@lru_cache(maxsize=8)
def draw(seed, number, n):
    """Images of a data set, drawn with replacement as the letters are, and its splits."""
    children = np.random.SeedSequence([seed, LABEL, number]).spawn(2)
    for_data, for_splits = map(np.random.default_rng, children)
    return for_data.integers(N_IMAGES, size=n), draw_splits(n, for_splits)


def rng_of_net(seed, number, split, role):
    """For the initial weights of a net, the order of its records and its dropout."""
    key = (2, split, role)
    return np.random.default_rng(
        np.random.SeedSequence([seed, LABEL, number], spawn_key=key)
    )


def read_images(folder):
    """The 60,000 images and labels of the training set, by `mnist.npz` of a folder."""
    path = Path(folder) / "mnist.npz"
    if not path.is_file():
        raise SystemExit(f"{path} is not there. --data names the folder of mnist.npz.")
    with np.load(path) as data:
        return data["x_train"], data["y_train"]
