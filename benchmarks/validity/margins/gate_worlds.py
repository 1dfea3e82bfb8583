"""Worlds in which the difference of two classifiers is known, for the gate's error rates.

Each world draws predictions of a champion and a challenger, many data sets at a time.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr, ndtri
from scipy.stats import multivariate_normal

from skcompare._registry.metrics import record_losses

TRUTH_RECORDS = 4_000_000


class RankingWorld(NamedTuple):
    """Binormal scores with AUCs `first` and `second`, correlated within each class."""

    first: float
    second: float
    correlation: float

    @property
    def difference(self):
        return self.second - self.first

    def __str__(self):
        return f"AUC {self.first} and {self.second}, correlation {self.correlation}"

    def draw(self, rng, n_sets, positives, negatives):
        """Scores of both, of shape (n_sets, records), positives first."""
        size = positives + negatives
        scores = rng.standard_normal((2, n_sets, size), dtype=np.float32)
        rest = np.sqrt(1 - self.correlation**2)
        scores[1] = self.correlation * scores[0] + rest * scores[1]
        for one, auc in zip(scores, (self.first, self.second)):
            one[:, :positives] += np.sqrt(2) * ndtri(auc)
        return scores


class LossWorld(NamedTuple):
    """Probabilities that err by so much in the log odds, around a base rate."""

    loss: str
    champion: float
    challenger: float
    centre: float

    def __str__(self):
        return (
            f"{self.loss}, errors {self.champion} and {self.challenger}, "
            f"centre {self.centre:g}"
        )

    @property
    def known_as(self):
        """The loss a record by the name that has a known bound."""
        return "binary_brier_loss" if self.loss == "brier" else "log, no bound"

    @property
    def bound(self):
        """The largest loss of a record, where there is one."""
        entry = record_losses().get(self.known_as)
        return None if entry is None else entry.bound

    def draw(self, rng, shape, groups=None):
        """Gains of records, the champion's loss less the challenger's."""
        logit = self.centre + 1.5 * rng.standard_normal(shape)
        errors = rng.standard_normal((2, *shape))
        if groups is not None:
            n_groups = groups.max() + 1
            common = rng.standard_normal((3, shape[0], n_groups))[..., groups]
            logit, errors = logit + common[0], errors + common[1:]
        y = rng.random(shape) < expit(logit)
        second = 0.6 * errors[0] + 0.8 * errors[1]
        return self._loss(y, logit + self.champion * errors[0]) - self._loss(
            y, logit + self.challenger * second
        )

    def _loss(self, y, logit):
        if self.loss == "brier":
            return (y - expit(logit)) ** 2
        return np.logaddexp(0, np.where(y, -logit, logit))

    def difference(self, seed=0):
        """The expected gain."""
        rng = np.random.default_rng(seed)
        return float(
            np.mean([self.draw(rng, (TRUTH_RECORDS // 8,)).mean() for _ in range(8)])
        )


class LabelWorld(NamedTuple):
    """Labels of two classes, the first one rare, by their rates of correct predictions."""

    share: float
    of_positives: tuple[float, float]
    of_negatives: tuple[float, float]
    correlation: float

    def __str__(self):
        return (
            f"{self.share:g} positive, {self.of_positives} and {self.of_negatives} right, "
            f"correlation {self.correlation}"
        )

    @property
    def cells(self):
        """Probabilities of (class, champion right, challenger right), positives first."""
        parts = []
        for share, rates in (
            (self.share, self.of_positives),
            (1 - self.share, self.of_negatives),
        ):
            first, second = rates
            both = float(
                multivariate_normal.cdf(
                    ndtri(rates), cov=[[1, self.correlation], [self.correlation, 1]]
                )
            )
            table = [both, first - both, second - both, 1 - first - second + both]
            parts.append(share * np.clip(table, 0, 1))
        cells = np.concatenate(parts)
        return cells / cells.sum()

    def draw(self, rng, n_sets, n):
        """Counts of the eight cells, of shape (n_sets, 8)."""
        return rng.multinomial(n, self.cells, size=n_sets)


RANKINGS = tuple(
    RankingWorld(first, second, correlation)
    for first, second in ((0.98, 0.95), (0.95, 0.93), (0.9, 0.8), (0.8, 0.8), (0.95, 0.98))
    for correlation in (0.3, 0.8)
)
LOSSES = tuple(
    LossWorld(loss, *errors)
    for loss in ("brier", "log")
    for errors in ((1, 1, 0), (0.5, 1, -3), (0.5, 2, -3), (0.2, 3, -3), (2, 0.5, 0))
)
LABELS = tuple(
    LabelWorld(*rates, correlation)
    for rates in (
        (0.5, (0.8, 0.75), (0.8, 0.75)),
        (0.5, (0.97, 0.95), (0.97, 0.95)),
        (0.1, (0.9, 0.8), (0.97, 0.95)),
        (0.05, (0.95, 0.8), (0.97, 0.99)),
        (0.05, (0.8, 0.8), (0.95, 0.95)),
    )
    for correlation in (0.5, 0.9)
)


def right_predictions(rng, rates, correlation, alike, groups, n_sets):
    """Whether both are right on records of groups, of shape (2, n_sets, records).

    `alike` is the share of the variance that the records of a group have in common.
    """
    n_groups = groups.max() + 1
    rest = np.sqrt(1 - correlation**2)
    own = rng.standard_normal((2, n_sets, len(groups)))
    common = rng.standard_normal((2, n_sets, n_groups))
    for values in (own, common):
        values[1] = correlation * values[0] + rest * values[1]
    latent = np.sqrt(1 - alike) * own + np.sqrt(alike) * common[..., groups]
    return ndtr(latent) < np.reshape(rates, (2, 1, 1))


BINS = 10


def draw_odds(rng, n_sets, n, factors):
    """Events and both probabilities of them, each of shape (n_sets, n)."""
    logit = 1.5 * rng.standard_normal((n_sets, n))
    y = (rng.random((n_sets, n)) < expit(logit)).astype(int)
    return y, *(expit(factor * logit) for factor in factors)


def calibration_truth(factors, points=2_000_000):
    """The expected difference of calibration errors, by the quantiles of the log odds."""
    logit = 1.5 * ndtri((np.arange(points) + 0.5) / points)
    found = []
    for factor in factors:
        told = expit(factor * logit)
        bins = np.minimum((BINS * told).astype(int), BINS - 1)
        gaps = np.bincount(bins, expit(logit) - told, BINS)
        sizes = np.bincount(bins, minlength=BINS)
        found.append(float((gaps**2 / np.maximum(sizes, 1)).sum() / points))
    return found[0] - found[1]
