"""Where two learners are equal by one measure, or how far apart a test finds half of them.

All values of a search meet the same draws (common random numbers).
"""

import json
from pathlib import Path

import numpy as np
from bcv_scores_draws import simulate
from bcv_scores_measures import MEASURES
from bcv_scores_rules import REFERENCE, Summary

COARSE, FINE, PILOT = 150, 1000, 100


def equal_values(study, seed, n_fine=FINE):
    """The value at which the learners are equal, by measure, with the slope there."""
    low, high = study.search
    grid = np.linspace(low, high, 9)
    pair = [(study.champion, study.challenger)]
    coarse = np.array([_mean(study.world, v, pair, COARSE, seed) for v in grid])
    found = {}
    for name in study.measures:
        along = coarse[:, MEASURES.index(name)]
        crossings = np.flatnonzero(np.sign(along[1:]) != np.sign(along[:-1]))
        if len(crossings) == 0 or not np.isfinite(along).any():
            continue
        # Where it crosses twice, the crossing of the steepest slope.
        i = max(crossings, key=lambda j: abs(along[j + 1] - along[j]))
        slope = (along[i + 1] - along[i]) / (grid[i + 1] - grid[i])
        value = grid[i] - along[i] / slope
        value = _refined(study, name, value, slope, grid[1] - grid[0], seed, n_fine)
        if low <= value <= high:
            found[name] = float(value)
    return found


def _refined(study, name, value, slope, width, seed, n_fine):
    """Two steps of the secant with more draws."""
    pair = [(study.champion, study.challenger)]
    column = MEASURES.index(name)
    before = _mean(study.world, value, pair, n_fine, seed + 1)[column]
    second = value + np.clip(-before / slope, -width, width)
    if abs(second - value) < 1e-3 * width:
        return second
    after = _mean(study.world, second, pair, n_fine, seed + 1)[column]
    if after == before:
        return second
    local = (after - before) / (second - value)
    step = -after / local if np.sign(local) == np.sign(slope) else -after / slope
    return second + np.clip(step, -width, width)


def _mean(world, value, pair, n_draws, seed):
    draws = simulate(world, value, pair, n_draws, np.random.default_rng(seed))
    return np.nanmean(draws.difference[0], axis=(0, 1, 2))


def half_power_value(world, pairs, seed, n_pilot=PILOT):
    """A strength of the challenger at which the reference rule finds about half."""
    low, high = world.strength, world.strength + 4.0
    for _ in range(5):
        value = (low + high) / 2
        draws = simulate(world, value, pairs, n_pilot, np.random.default_rng(seed))
        powers = []
        for i in range(len(pairs)):
            summary = Summary.of(draws.difference[i], draws.variance[i])
            defined = np.isfinite(summary.mean)
            rejected = REFERENCE.rejections(summary) & defined
            powers.append(rejected.sum(axis=0) / np.maximum(defined.sum(axis=0), 1))
        if np.mean(powers) < 0.5:
            low = value
        else:
            high = value
    return (low + high) / 2


class Notes:
    """Searched values, kept in one file a search."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, name, make):
        path = self.folder / (name.replace("/", "--") + ".json")
        if path.exists():
            return json.loads(path.read_text())
        value = make()
        path.write_text(json.dumps(value))
        return value
