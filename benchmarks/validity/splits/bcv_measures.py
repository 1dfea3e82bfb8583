"""Measures of all test sets, and what every record contributes to them.

The variance of a difference within a test set is that of the records' influences: DeLong's
for the area under the curve, the jackknife's for the calibration error, and for the other
measures the sample variance of the (linearised) contributions over the number of records.
"""

from dataclasses import dataclass, fields

import numpy as np

from skcompare.evidence.scores._scored_pair import AreaUnderCurve

LOSSES = ("brier", "log_loss", "calibration")
MEASURES = (
    "auc", "brier", "log_loss", "accuracy", "precision", "recall", "f1", "calibration",
)  # fmt: skip
N_BINS = 15


@dataclass
class Measured:
    """Values (draws, M, K, measures) and influences (measures, draws, M, n)."""

    values: np.ndarray
    influences: np.ndarray


class Folds:
    """Sums over test sets (draws, M, K)."""

    def __init__(self, splits):
        self.fold, self.n_folds = splits.fold, splits.n_folds
        n_draws, n_repeats, _ = self.fold.shape
        self.shape = n_draws, n_repeats, self.n_folds
        each = np.arange(n_draws * n_repeats).reshape(n_draws, n_repeats, 1)
        self.cell = each * self.n_folds + self.fold
        self.positive = np.broadcast_to((splits.y == 1)[:, np.newaxis], self.fold.shape)
        self.sizes = self.sum(np.ones(self.fold.shape))
        self.n_positive = self.sum(self.positive)
        # Weights of squared influences: 1 / (n (n - 1)) of the records or of their class.
        with np.errstate(divide="ignore", invalid="ignore"):
            self.weight = self.spread(1 / (self.sizes * (self.sizes - 1)))
            # A placement value counts in the mean over its class, not over the records.
            self.of_class = np.where(
                self.positive,
                self.spread(self.n_positive),
                self.spread(self.sizes - self.n_positive),
            )
            self.class_scale = self.spread(self.sizes) / self.of_class
            self.class_weight = 1 / (self.of_class * (self.of_class - 1))

    def sum(self, x):
        x = np.asarray(x, dtype=float)
        n_cells = int(np.prod(self.shape))
        return np.bincount(self.cell.ravel(), x.ravel(), n_cells).reshape(self.shape)

    def spread(self, x):
        """A number of every test set (draws, M, K) to its records (draws, M, n)."""
        return np.take_along_axis(np.broadcast_to(x, self.shape), self.fold, axis=2)


def measure(probabilities, splits, folds):
    """All measures of one learner."""
    if splits.n_classes == 2:
        own = np.where(folds.positive, probabilities[..., 1], probabilities[..., 0])
        squares = 2 * (1 - own) ** 2
        named = (probabilities[..., 1] > probabilities[..., 0]).astype(int)
    else:
        codes = splits.y[:, np.newaxis, :, np.newaxis]
        own = np.take_along_axis(probabilities, codes, axis=-1)[..., 0]
        squares = (probabilities**2).sum(axis=-1) - 2 * own + 1
        named = probabilities.argmax(axis=-1)
    right = (named == splits.y[:, np.newaxis]).astype(float)
    positive = folds.positive.astype(float)
    requested = (named == 1).astype(float)
    hits = requested * positive
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            _area(probabilities[..., 1], folds),
            _mean(squares, folds),
            _mean(-np.log(own), folds),
            _mean(right, folds),
            _ratio(hits, requested, folds),
            _ratio(hits, positive, folds),
            _ratio(2 * hits, requested + positive, folds),
            _calibration(probabilities, positive, folds),
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
    value, influence = np.empty(folds.shape), np.empty(score.shape)
    numbers = np.arange(folds.n_folds)[:, np.newaxis]
    for at in np.ndindex(score.shape[:2]):
        tested = folds.fold[at] == numbers
        area = AreaUnderCurve().prepared(folds.positive[at], score[at], ())
        value[at] = area.values(tested.astype(int))
        slopes = area.slopes(tested.astype(int))
        # Of a record in the mean over its class, not in the score.
        influence[at] = np.where(tested, slopes, 0).sum(axis=0)
    return value, influence * folds.of_class


def _calibration(probabilities, positive, folds):
    """The debiased squared calibration error of class 1, and jackknife influences."""
    if probabilities.shape[-1] > 2:
        return folds.sizes * np.nan, positive * np.nan
    p = probabilities[..., 1]
    bins = np.minimum((N_BINS * p).astype(int), N_BINS - 1)
    cell = folds.cell * N_BINS + bins
    n_cells = folds.sizes.size * N_BINS
    n, events, excess = (
        np.bincount(cell.ravel(), x.ravel(), n_cells)
        for x in (np.ones(p.shape), positive, positive - p)
    )
    own = _of_bin(n, events, excess)
    value = own.reshape(*folds.sizes.shape, N_BINS).sum(axis=-1) / folds.sizes
    left = n[cell] - 1, events[cell] - positive, excess[cell] - (positive - p)
    sizes, whole = folds.spread(folds.sizes), folds.spread(value)
    without = (whole * sizes - own[cell] + _of_bin(*left)) / (sizes - 1)
    influence = (sizes - 1) * (whole - without)
    return value, influence - folds.spread(folds.sum(influence) / folds.sizes)


def _of_bin(n, events, excess):
    """What bins add to the squared error, times all records."""
    share = events / np.maximum(n, 1)
    gap = excess / np.maximum(n, 1)
    return np.where(n > 1, n * (gap**2 - share * (1 - share) / np.maximum(n - 1, 1)), 0.0)


@dataclass(frozen=True)
class Table:
    """What a pair is decided from, (draws, measures, ...).

    `mean` is the mean difference, greater being better; `values`, `own`, `variance` and
    `df` are those of :class:`~skcompare.evidence.BlockDifferences`; `halves` (M, K) are the
    differences on the test sets, and `within` is the mean of their variances. `counts`
    (draws, 2) has the discordant records and their balance, averaged over the test sets.
    """

    mean: np.ndarray
    values: np.ndarray
    own: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    halves: np.ndarray
    within: np.ndarray
    counts: np.ndarray

    def keep(self, chosen):
        """Some of the data sets."""
        return Table(*(getattr(self, f.name)[chosen] for f in fields(self)))

    @classmethod
    def joined(cls, tables):
        return cls(
            *(np.concatenate([getattr(t, f.name) for t in tables]) for f in fields(cls))
        )


def table(champion, challenger, folds, blocks, y, group=1):
    """Differences of two learners, block by block.

    Blocks are taken for equally large: they differ by one record at most. The library
    weights them by their records.
    """
    greater = np.where(np.isin(MEASURES, LOSSES), -1.0, 1.0)
    halves = np.moveaxis((challenger.values - champion.values) * greater, -1, 1)
    found = []
    for i, sign in enumerate(greater):
        influence = sign * (challenger.influences[i] - champion.influences[i])
        if MEASURES[i] == "auc":
            influence = influence * folds.class_scale
        found.append(_of_records(influence + folds.spread(halves[:, i]), blocks, y, group))
    within = compare(champion, challenger, folds)[1].mean(axis=(1, 2))
    parts = [np.stack(part, axis=1) for part in zip(*found)]
    return Table(*parts, halves, within, discordant(champion, challenger, folds))


def fold_table(champion, challenger, folds):
    """The same of K folds, which have no blocks: differences on the test sets."""
    greater = np.where(np.isin(MEASURES, LOSSES), -1.0, 1.0)
    halves = np.moveaxis((challenger.values - champion.values) * greater, -1, 1)
    nothing = np.zeros((*halves.shape[:2], 0))
    within = compare(champion, challenger, folds)[1].mean(axis=(1, 2))
    counts = discordant(champion, challenger, folds)
    parts = halves.mean(axis=(2, 3)), nothing, nothing, within, within
    return Table(*parts, halves, within, counts)


def _of_records(d, blocks, y, group):
    """The mean, means of blocks, own covariance, and the variance with its degrees."""
    n_draws, n_repeats, n = d.shape
    n_blocks = blocks.max() + 1
    sizes, values = _cell_means(d, blocks, n_blocks)
    of_record = np.take_along_axis(sizes, blocks, axis=1)[:, np.newaxis]
    # Records of a class are dealt evenly to the blocks, and only vary within it.
    cells = blocks if group > 1 else blocks + n_blocks * y
    n_cells = cells.max() + 1
    n_units = n // group
    cell_sizes, means = _cell_means(d, cells, n_cells)
    own = (d - np.take_along_axis(means, cells[:, np.newaxis], axis=2)) / of_record
    own = own.reshape(n_draws, n_repeats, -1, group).sum(axis=-1)
    free = n_units - (cell_sizes > 0).sum(axis=1)
    factor = np.where(free > 0, n_units / np.maximum(free, 1), 0.0)
    own = factor[:, np.newaxis, np.newaxis] * (own @ own.swapaxes(1, 2)) / n_blocks**2
    means = d.mean(axis=1)
    mean = means.mean(axis=1)
    squares = (means - mean[:, np.newaxis]).reshape(n_draws, n_units, group).sum(
        axis=-1
    ) ** 2
    total, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    spread = fourth - total**2 / n_units
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.where(spread <= 1e-12 * fourth, n_units - 1, 2 * total**2 / spread)
    df = np.clip(df, 1, n_units - 1)
    return mean, values, own, total * n_units / (n_units - 1) / n**2, df


def _cell_means(d, cells, n_cells):
    """Sizes of cells (draws, cells), and means in them (draws, M, cells)."""
    onehot = (cells[..., np.newaxis] == np.arange(n_cells)).astype(float)
    sizes = onehot.sum(axis=1)
    return sizes, d @ onehot / np.maximum(sizes, 1)[:, np.newaxis]


def compare(champion, challenger, folds):
    """Differences and their variances within test sets, (draws, M, K, measures)."""
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
    """Discordant records and their balance, averaged over the test sets, (draws, 2)."""
    accuracy = MEASURES.index("accuracy")
    influence = challenger.influences[accuracy] - champion.influences[accuracy]
    difference = (challenger.values - champion.values)[..., accuracy]
    predictions = np.rint(influence + folds.spread(difference))
    sums = [np.abs(predictions).sum(axis=(1, 2)), predictions.sum(axis=(1, 2))]
    return np.stack(sums, axis=-1) / folds.sizes[0].size
