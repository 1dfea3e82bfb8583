"""Measures of all test halves, and what every record contributes to them.

The variance of a difference within a test half is that of the records' influences: DeLong's
for the area under the curve, and for the other measures the sample variance of the
(linearised) contributions over the number of records.
"""

from dataclasses import dataclass

import numpy as np

MEASURES = ("auc", "brier", "log_loss", "accuracy", "precision", "recall", "f1")


@dataclass
class Measured:
    """Values (draws, M, 2, measures) and influences (measures, draws, M, n)."""

    values: np.ndarray
    influences: np.ndarray


class Folds:
    """Sums over test halves: of the second half first, which the first half answers."""

    def __init__(self, halves):
        self.first = halves.first
        self.positive = np.broadcast_to((halves.y == 1)[:, np.newaxis], self.first.shape)
        self.sizes = self.sum(np.ones(self.first.shape))
        self.n_positive = self.sum(self.positive)
        # Weights of squared influences: 1 / (n (n - 1)) of the records or of their class.
        self.weight = self.spread(1 / (self.sizes * (self.sizes - 1)))
        n_negative = self.sizes - self.n_positive
        with np.errstate(divide="ignore", invalid="ignore"):
            self.class_weight = np.where(
                self.positive,
                self.spread(1 / (self.n_positive * (self.n_positive - 1))),
                self.spread(1 / (n_negative * (n_negative - 1))),
            )

    def sum(self, x):
        x = np.asarray(x, dtype=float)
        in_first = np.einsum("rjn,rjn->rj", x, self.first.astype(float))
        return np.stack([x.sum(axis=-1) - in_first, in_first], axis=-1)

    def spread(self, x):
        """A number a test half (draws, M, 2) to its records (draws, M, n)."""
        return np.where(self.first, x[..., 1:], x[..., :1])


def measure(probabilities, halves, folds):
    """All measures of one learner."""
    if halves.n_classes == 2:
        own = np.where(folds.positive, probabilities[..., 1], probabilities[..., 0])
        squares = 2 * (1 - own) ** 2
        named = (probabilities[..., 1] > probabilities[..., 0]).astype(int)
    else:
        codes = halves.y[:, np.newaxis, :, np.newaxis]
        own = np.take_along_axis(probabilities, codes, axis=-1)[..., 0]
        squares = (probabilities**2).sum(axis=-1) - 2 * own + 1
        named = probabilities.argmax(axis=-1)
    right = (named == halves.y[:, np.newaxis]).astype(float)
    positive = folds.positive.astype(float)
    asked = (named == 1).astype(float)
    hits = asked * positive
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            _area(probabilities[..., 1], folds),
            _mean(squares, folds),
            _mean(-np.log(own), folds),
            _mean(right, folds),
            _ratio(hits, asked, folds),
            _ratio(hits, positive, folds),
            _ratio(2 * hits, asked + positive, folds),
        ]
    values, influences = zip(*parts)
    return Measured(np.stack(values, axis=-1), np.stack(influences))


def _mean(x, folds):
    mean = folds.sum(x) / folds.sizes
    return mean, x - folds.spread(mean)


def _ratio(top, bottom, folds):
    below = folds.sum(bottom)
    value = folds.sum(top) / below
    return value, (top - folds.spread(value) * bottom) * folds.spread(folds.sizes / below)


def _area(score, folds):
    """The area under the curve and DeLong's placement values, ties counted half."""
    # Test halves are sorted together: the scores of the first half lie above the others.
    key = score + 2.0 * folds.first
    order = np.argsort(key, axis=-1)
    key = np.take_along_axis(key, order, axis=-1)
    positive = np.take_along_axis(folds.positive, order, axis=-1)
    n = key.shape[-1]
    position = np.broadcast_to(np.arange(n), key.shape)
    new = np.concatenate(
        [np.ones((*key.shape[:-1], 1), dtype=bool), key[..., 1:] != key[..., :-1]], axis=-1
    )
    start = np.maximum.accumulate(np.where(new, position, 0), axis=-1)
    last = np.concatenate(
        [new[..., 1:], np.ones((*key.shape[:-1], 1), dtype=bool)], axis=-1
    )
    end = np.where(last, position, n)
    end = np.minimum.accumulate(end[..., ::-1], axis=-1)[..., ::-1]
    counted = np.cumsum(positive, axis=-1)
    padded = np.concatenate([np.zeros((*key.shape[:-1], 1), dtype=int), counted], axis=-1)
    below = np.take_along_axis(padded, start, axis=-1)
    up_to = np.take_along_axis(padded, end + 1, axis=-1)
    # Positives below and tied; negatives likewise, from the positions.
    half_way = (below + up_to) / 2
    place = (start + end + 1) / 2
    unsorted_positive = np.empty_like(half_way)
    np.put_along_axis(unsorted_positive, order, half_way, axis=-1)
    unsorted_place = np.empty_like(place)
    np.put_along_axis(unsorted_place, order, place, axis=-1)
    # The first half is sorted behind the second, whose records are taken off.
    n_positive, n_negative = folds.n_positive, folds.sizes - folds.n_positive
    positives = unsorted_positive - folds.first * n_positive[..., :1]
    negatives = unsorted_place - unsorted_positive - folds.first * n_negative[..., :1]
    placement = np.where(
        folds.positive,
        negatives / folds.spread(n_negative),
        1 - positives / folds.spread(n_positive),
    )
    value = folds.sum(placement * folds.positive) / n_positive
    return value, placement - folds.spread(value)


def compare(champion, challenger, folds):
    """Differences and their variances within test halves, (draws, M, 2, measures)."""
    difference = challenger.values - champion.values
    influence = challenger.influences - champion.influences
    variances = [
        folds.sum(
            influence[i] ** 2 * (folds.class_weight if name == "auc" else folds.weight)
        )
        for i, name in enumerate(MEASURES)
    ]
    return difference, np.stack(variances, axis=-1)


def discordant(champion, challenger, folds):
    """Discordant records and their balance, averaged over the test halves, (draws, 2)."""
    accuracy = MEASURES.index("accuracy")
    influence = challenger.influences[accuracy] - champion.influences[accuracy]
    difference = (challenger.values - champion.values)[..., accuracy]
    answers = np.rint(influence + folds.spread(difference))
    sums = [np.abs(answers).sum(axis=(1, 2)), answers.sum(axis=(1, 2))]
    return np.stack(sums, axis=-1) / folds.sizes[0].size
