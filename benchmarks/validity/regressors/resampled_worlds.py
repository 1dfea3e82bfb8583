"""Data sets of numbers, pairs of equally good regressors for them, and their splits."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_ndtr

from benchmarks.validity.regressors.resampled_learners import Prepared, predict
from skcompare.model_selection import BlockRegularized5x2CV

N_FEATURES = 3
"""Features of each of two sets, which are equally informative."""

TARGETS = ("normal", "skewed")
"""Distributions of the noise: normal, or exponential, of skewness 2."""

N_HOLDOUTS = 15

DESIGNS = ("5×2", "5×2 by quantile", "10 folds", "5×5 folds", "hold-outs")
TRAINED = {"5×2": 0.5, "5×2 by quantile": 0.5, "10 folds": 0.9, "5×5 folds": 0.8,
           "hold-outs": 0.9}  # fmt: skip
"""Share of the records that each design trains on."""


@dataclass(frozen=True)
class Pair:
    """Two regressors, and the features that each of them learns from.

    Unlike regressors learn from the first set. The more the signal is bent, the worse is
    ridge regression beside the others, so that in some world both are equally good.
    """

    name: str
    champion: str
    challenger: str
    features: str
    """"own" for one set each, "all" for both sets, "first" for the first."""

    @property
    def is_unlike(self):
        return self.champion != self.challenger


EXCHANGEABLE = (
    Pair("5-NN", "5-NN", "5-NN", "own"),
    Pair("ridge", "ridge", "ridge", "own"),
    Pair("tree", "tree", "tree", "own"),
    Pair("random trees", "random tree", "random tree", "all"),
)
UNLIKE = (
    Pair("ridge, 5-NN", "5-NN", "ridge", "first"),
    Pair("ridge, tree", "tree", "ridge", "first"),
)


USUAL_BEND = 0.5


@dataclass(frozen=True)
class World:
    """How targets depend on features: half of the signal is that of each set of features.

    `bend` is the weight of the quadratic part, and `better` what the second set is better.
    """

    target: str
    bend: float = USUAL_BEND
    better: float = 0.0

    def targets(self, x, noise):
        """Targets of features (draws, n, 2 N_FEATURES) and normal noise (draws, n)."""
        first, second = (self._signal(part) for part in np.split(x, 2, axis=2))
        signal = np.sqrt(1 - self.better) * first + np.sqrt(1 + self.better) * second
        return signal + (noise if self.target == "normal" else -log_ndtr(-noise) - 1)

    def _signal(self, x):
        straight = x.sum(axis=-1) / np.sqrt(x.shape[-1])
        bent = (x[..., 0] ** 2 - 1) / np.sqrt(2)
        return (straight + self.bend * bent) / np.sqrt(1 + self.bend**2)


def draw_features(n_draws, n, rng):
    return rng.standard_normal((n_draws, n, 2 * N_FEATURES)), rng.standard_normal(
        (n_draws, n)
    )


def features_of(pair, x):
    """Features of champion and challenger."""
    if pair.features == "all":
        return x, x
    first, second = np.split(x, 2, axis=2)
    return (first, first) if pair.features == "first" else (first, second)


def prepared_pair(pair, x):
    """Features for champion and challenger, with what all splits share."""
    kinds = pair.champion, pair.challenger
    return [Prepared.of(kind, part) for kind, part in zip(kinds, features_of(pair, x))]


def folds_of(design, y, rng):
    """The fold of each record in each repetition, and how many folds are tested."""
    if design.startswith("5×2"):
        return _halves(y, design.endswith("quantile"), rng), 2
    n_draws, n = y.shape
    n_repeats, n_folds = {
        "10 folds": (1, 10),
        "5×5 folds": (5, 5),
        "hold-outs": (N_HOLDOUTS, 10),
    }[design]
    place = np.argsort(rng.random((n_draws, n_repeats, n)), axis=2)
    return place % n_folds, 1 if design == "hold-outs" else n_folds


def _halves(y, by_quantile, rng):
    """Test halves of the splitter of the library, one data set after the other."""
    random_state = np.random.RandomState(rng.integers(2**31))
    stratify = "quantile" if by_quantile else False
    splitter = BlockRegularized5x2CV(stratify=stratify, random_state=random_state)
    found = np.ones((len(y), 5, y.shape[1]), dtype=np.int64)
    for own, target in zip(found, y):
        for split, (_, test) in enumerate(splitter.split(target, target)):
            if split % 2 == 0:
                own[split // 2, test] = 0
    return found


N_TUNING = 120_000
"""Records that are tested to make unlike regressors equally good."""

STEPS = 12
MOST_BENT = 4.0


LOSSES = ("squared", "absolute")


def equal_world(pair, n_train, world, loss, n_tested=N_TUNING):
    """The world in which both regressors of an unlike pair have equal mean losses.

    Many training sets are drawn, with as many records to test on, and the bend is bisected.
    """
    if not pair.is_unlike:
        return world
    drawn = _drawn(pair, n_train, n_tested)
    low, high = 0.0, MOST_BENT
    for _ in range(STEPS):
        middle = replace(world, bend=(low + high) / 2)
        champion, challenger = _mean_losses(
            pair, drawn, middle, 2 if loss == "squared" else 1
        )
        # The challenger is the ridge regression.
        low, high = (middle.bend, high) if challenger < champion else (low, middle.bend)
    return replace(world, bend=low)


def _drawn(pair, n_train, n_tested):
    rng = np.random.default_rng([0, n_train])
    n_draws, size = max(40, n_tested // (2 * n_train)), max(1, 40_000 // n_train)
    parts = []
    for start in range(0, n_draws, size):
        x, noise = draw_features(min(size, n_draws - start), 2 * n_train, rng)
        parts.append((prepared_pair(pair, x), x, noise))
    return parts


def _mean_losses(pair, drawn, world, power):
    """Mean losses of both, trained on half of the records and tested on the other."""
    losses, count = np.zeros(2), 0
    for both, x, noise in drawn:
        y = world.targets(x, noise)
        n_draws, n = y.shape
        fold = np.broadcast_to(np.repeat([0, 1], n // 2), (n_draws, 1, n))
        for role, (kind, own) in enumerate(zip((pair.champion, pair.challenger), both)):
            errors = predict(kind, own, y, fold, 2, None)[:, 0] - y
            losses[role] += (np.abs(errors) ** power).sum()
        count += y.size
    return losses / count
