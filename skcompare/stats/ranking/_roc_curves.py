"""ROC curves of records that count more than once, each order found only once."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues, combined_cells

SNAP = 1e-12
"""A rate that is so near a whole number of records, as a share of them, is this number."""


class RocCurve:
    """Sensitivity of one score at any false positive rate, for any weights of the records.

    The curve goes from threshold to threshold; records of one score pass a threshold
    together, along a straight line. Above a false positive rate that several sensitivities
    share the greatest is meant, which the data reach without a further false positive.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Greater for the positive class.
    positive : ndarray of shape (n_rows,), dtype bool
        Which rows are of the positive class.
    """

    def __init__(self, score: FloatArray, positive: NDArray[np.bool_]) -> None:
        ours, others = -score[positive], -score[~positive]
        self._positives: IntArray = np.argsort(ours, kind="stable")
        self._negatives: IntArray = np.argsort(others, kind="stable")
        ours, others = ours[self._positives], others[self._negatives]
        # Runs of negative records of one score; only they move the false positive rate.
        last = np.flatnonzero(np.append(others[1:] != others[:-1], True))
        values = others[last]
        # Rows that passed: at the end of a run, and before the next run begins.
        self._passed: IntArray = np.append(0, last + 1)
        self._landed: IntArray = np.append(0, np.searchsorted(ours, values, "right"))
        above = np.searchsorted(ours, values, "left")
        self._lifted: IntArray = np.append(above, len(ours))

    def sensitivities(
        self,
        positives: IntArray,
        negatives: IntArray,
        rates: FloatArray,
        *,
        before: bool = False,
    ) -> FloatArray:
        """Sensitivities at false positive rates, a row for each row of weights.

        Parameters
        ----------
        positives, negatives : ndarray of shape (n_resamples, n_positive_rows) or \
                (n_resamples, n_negative_rows), of whole numbers
            How often each row of a class counts; at least one of each class does.
        rates : ndarray of shape (n_rates,)
            False positive rates between 0 and 1.
        before : bool, default=False
            The sensitivity just before a rate instead of that at it.
        """
        passed = _added(negatives, self._negatives)[:, self._passed]
        raised = _added(positives, self._positives)
        totals, n_vertices = passed[:, -1:], passed.shape[1]
        wanted = _whole(totals * rates, totals)
        floor = np.ceil(wanted).astype(np.int64) if before else wanted.astype(np.int64)
        # One search for all rows: those of another row are greater or less than any here.
        offset = np.arange(len(passed))[:, np.newaxis] * (int(totals.max()) + 1)
        at = np.searchsorted(
            (passed + offset).reshape(-1),
            (floor + offset).reshape(-1),
            "left" if before else "right",
        ).reshape(floor.shape)
        at -= np.arange(len(passed))[:, np.newaxis] * n_vertices
        start = np.maximum(at - 1, 0)
        end = np.minimum(start + 1, n_vertices - 1)
        rows = np.arange(len(passed))[:, np.newaxis]
        low, high = passed[rows, start], passed[rows, end]
        share = np.divide(
            wanted - low, high - low, out=np.zeros(wanted.shape), where=high > low
        )
        first = raised[rows, self._lifted[start]]
        if before:
            first = np.where(at == 0, raised[rows, self._landed[0]], first)
        found = first + share * (raised[rows, self._landed[end]] - first)
        return np.asarray(found / raised[:, -1:], dtype=np.float64)


def auc_of(rates: FloatArray, sensitivities: FloatArray) -> float:
    """The area under a curve of straight lines; rates may come twice, at a jump."""
    steps = np.diff(rates)
    return float(np.sum(steps * (sensitivities[1:] + sensitivities[:-1])) / 2)


def same_ranking(one: FloatArray, other: FloatArray) -> bool:
    """Whether two scores put all rows in the same order, with the same ties."""
    if np.array_equal(one, other):
        return True
    order = np.lexsort((other, one))
    first, second = one[order], other[order]
    rises = second[1:] > second[:-1]
    falls = second[1:] < second[:-1]
    return bool(((first[1:] > first[:-1]) == rises).all() and not falls.any())


def _added(weights: IntArray, order: IntArray) -> IntArray:
    """Running sums in an order, from 0."""
    sums = np.zeros((len(weights), weights.shape[1] + 1), dtype=np.int64)
    np.cumsum(weights[:, order], axis=1, out=sums[:, 1:])
    return sums


def _whole(numbers: FloatArray, totals: IntArray) -> FloatArray:
    """Numbers of records without the rounding of the rates that they come from."""
    near = np.rint(numbers)
    return np.where(np.abs(numbers - near) <= SNAP * totals, near, numbers)


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
