"""Resamples of the records of two classes, or of their groups, as weights of rows."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues
from skcompare.evidence._placement_cells import combined_cells

MOST_ROWS = 200_000
"""Rows that are resampled one by one; more of them are counted in cells first."""

NODES = 150
"""Shares of each class at which scores are cut into levels, so that there are 300."""

CHUNK = 1 << 20
"""Weights that are held at a time."""

RESAMPLES = {20_000: 2000, MOST_ROWS: 1000}
LEAST_RESAMPLES = 400
"""Resamples by default, by the most rows; of more rows, which are in groups, the last."""

TRIES = 20
"""Resamples of groups for each that is needed, where some have one class only."""


class Rows(NamedTuple):
    """Rows to resample: records, or cells of them with their numbers."""

    positive: NDArray[np.bool_]
    scores: FloatArray
    repeats: IntArray | None
    groups: IntArray | None

    @property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Records of each positive and of each negative row, of shape (1, n)."""
        if self.repeats is None:
            n_positives = int(np.count_nonzero(self.positive))
            sizes = n_positives, len(self.positive) - n_positives
            return np.ones((1, sizes[0]), np.int64), np.ones((1, sizes[1]), np.int64)
        return self.repeats[np.newaxis, self.positive], self.repeats[
            np.newaxis, ~self.positive
        ]


def rows_of(placements: PlacementValues) -> tuple[Rows, Rows]:
    """The rows of evidence, and those to resample, which may be fewer cells."""
    groups = None if placements.groups is None else placements.group_codes()
    rows = Rows(placements.positive, placements.scores, placements.repeats, groups)
    if groups is not None or len(rows.positive) <= MOST_ROWS:
        return rows, rows
    weights = rows.repeats
    if weights is None:
        weights = np.ones(len(rows.positive), np.int64)
    codes = np.array(
        [_levels(score, rows.positive, weights) for score in rows.scores], np.float64
    )
    return rows, Rows(*combined_cells(rows.positive, codes, weights), None)


def default_resamples(rows: Rows) -> int:
    """How many resamples take some seconds."""
    for most, number in RESAMPLES.items():
        if len(rows.positive) <= most:
            return number
    return LEAST_RESAMPLES


def resampled(
    rows: Rows, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Weights of the positive and of the negative rows, some resamples at a time."""
    if rows.groups is not None:
        yield from _resampled_groups(rows, rows.groups, n_resamples, rng)
        return
    step = max(1, CHUNK // len(rows.positive))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        first, second = (
            _drawn_rows(len(each[0]), size, rng)
            if rows.repeats is None
            else rng.multinomial(each[0].sum(), each[0] / each[0].sum(), size)
            for each in rows.counted
        )
        yield first, second


def _drawn_rows(n: int, size: int, rng: np.random.Generator) -> IntArray:
    """How often each of n rows is drawn in n draws, a row a resample."""
    drawn = rng.integers(n, size=(size, n))
    drawn += n * np.arange(size)[:, np.newaxis]
    return np.bincount(drawn.reshape(-1), minlength=size * n).reshape(size, n)


def _resampled_groups(
    rows: Rows, groups: IntArray, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Whole groups are drawn; what lacks a class has no curve, and is drawn anew."""
    n_groups = int(groups.max()) + 1
    ours, others = groups[rows.positive], groups[~rows.positive]
    step = max(1, CHUNK // len(groups))
    found = tried = 0
    while found < n_resamples:
        weights = _drawn_rows(n_groups, min(step, n_resamples), rng)
        positives, negatives = weights[:, ours], weights[:, others]
        good = np.flatnonzero(positives.any(axis=1) & negatives.any(axis=1))
        good = good[: n_resamples - found]
        found, tried = found + len(good), tried + len(weights)
        if found < n_resamples and tried > TRIES * n_resamples:
            raise ValueError(
                "Resamples of the groups need records of both classes. Got one class only "
                f"in {100 * (1 - found / tried):.0f} % of them, because few groups have "
                "the other. Collect more groups."
            )
        if len(good):
            yield positives[good], negatives[good]


def _levels(score: FloatArray, positive: NDArray[np.bool_], weights: IntArray) -> IntArray:
    """Levels cut at shares of either class, which are closer together near 0 and 1.

    Between two cuts a curve is taken as straight. What it varies there beyond the cuts is
    a share of some hundredth of its variance, the same at all rates.
    """
    order = np.argsort(score, kind="stable")
    ordered = score[order]
    cuts = []
    for one in (positive, ~positive):
        own = np.cumsum(np.where(one[order], weights[order], 0))
        most = np.log(2.0 * own[-1])
        shares = expit(np.linspace(-most, most, NODES)) * own[-1]
        cuts.append(ordered[np.minimum(np.searchsorted(own, shares), len(own) - 1)])
    return np.searchsorted(np.unique(np.concatenate(cuts)), score, "left")
