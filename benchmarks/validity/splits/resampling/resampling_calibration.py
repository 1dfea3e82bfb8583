"""At which setting two learners err equally often, for each number of training records.

Training sets of each size are drawn, the errors of both learners are measured on new
records for several strengths of the challenger's distance, by the same random numbers, and
the strength at which the mean difference is 0 is found by interpolation.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

BATCH = 50
N_TEST = 500

GRIDS = {
    "exp6": (0.2, 0.25, 0.3, 0.34, 0.38, 0.42, 0.46, 0.5, 0.6, 0.75, 1.0),
    "letter": (1.0, 2.0, 4.0, 7.0, 10.0, 14.0, 18.0, 23.0, 28.0, 34.0, 42.0, 60.0),
}


class Calibration(NamedTuple):
    """Errors of both learners after training on `n_train` records."""

    n_train: int
    grid: np.ndarray
    champion: float
    challenger: np.ndarray
    covariance: np.ndarray
    """Of the mean differences of error rates, over the strengths of the grid."""

    def strength(self, share=0.0):
        """Strength at which the challenger has that share of its largest lead.

        0 where both err equally often; 1 at strength 1. The paper's lambda.
        """
        gaps = self.challenger - self.champion
        target = share * gaps[self.grid == 1.0][0]
        curve = PchipInterpolator(np.log(self.grid), gaps - target)
        if share == 1:
            return 1.0
        signs = np.sign(curve(np.log(self.grid)))
        turn = int(np.flatnonzero(signs[:-1] != signs[1:])[0])
        low, high = np.log(self.grid[[turn, turn + 1]])
        return float(np.exp(brentq(curve, low, high)))

    def error(self):
        """Standard errors: of the strength without difference, and of the difference."""
        gaps = self.challenger - self.champion
        logs = np.log(self.grid)
        root = np.log(self.strength())
        closest = int(np.argmin(np.abs(logs - root)))
        error = float(self.covariance[closest] ** 0.5)
        slope = PchipInterpolator(logs, gaps).derivative()(root) / np.exp(root)
        return error / abs(float(slope)), error


def calibrate(world, n_train, n_sets, seed, n_jobs):
    """Errors over `n_sets` training sets."""
    grid = np.array(GRIDS[world.name])
    seeds = np.random.SeedSequence([seed, n_train]).spawn(-(-n_sets // BATCH))
    batches = Parallel(n_jobs=n_jobs)(
        delayed(_errors)(world, n_train, grid, each) for each in seeds
    )
    errors = np.concatenate(batches)
    gaps = errors[:, 1:] - errors[:, :1]
    means = errors.mean(axis=0)
    variances = gaps.var(axis=0, ddof=1) / len(gaps)
    return Calibration(n_train, grid, float(means[0]), means[1:], variances)


def _errors(world, n_train, grid, seed):
    """Error rates of the champion, and of the challenger at each strength, by batch."""
    rng = np.random.default_rng(seed)
    errors = np.empty((BATCH, 1 + len(grid)))
    for row in errors:
        X, y = world.draw(n_train, rng)
        new, truth = world.draw(N_TEST, rng)
        predictions = world.predict(X, y, new, rng.integers(2**31))
        row[0] = np.mean(predictions != truth)
        squares = world.squares(X, new)
        for k, strength in enumerate(grid):
            closest = np.argmin(world.distances(squares, strength), axis=1)
            row[k + 1] = np.mean(y[closest] != truth)
    return errors
