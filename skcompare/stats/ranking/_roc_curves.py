"""ROC curves of weighted or resampled records, with each score sorted only once."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PlacementValues, combined_cells

SNAP = 1e-12
"""A rate this close to a whole number of records, as a share of them, is that number."""


class RocCurve:
    """ROC curve of one score at any false positive rate, for any weights of the records.

    The curve goes from threshold to threshold; records with tied scores pass a threshold
    together, along a straight line. At a false positive rate with several sensitivities
    the value is the greatest, which is reached without a further false positive.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        Greater for the positive class.
    positive : ndarray of shape (n_rows,), dtype bool
        True for rows of the positive class.
    """

    def __init__(self, score: FloatArray, positive: NDArray[np.bool_]) -> None:
        positives, negatives = -score[positive], -score[~positive]
        self._positives: IntArray = np.argsort(positives, kind="stable")
        self._negatives: IntArray = np.argsort(negatives, kind="stable")
        positives, negatives = positives[self._positives], negatives[self._negatives]
        # Runs of negative records with tied scores; they alone change the rate.
        last = np.flatnonzero(np.append(negatives[1:] != negatives[:-1], True))
        values = negatives[last]
        # Rows above the threshold: at the end of a run, and before the next run begins.
        self._passed: IntArray = np.append(0, last + 1)
        self._at_run_end: IntArray = np.append(
            0, np.searchsorted(positives, values, "right")
        )
        above = np.searchsorted(positives, values, "left")
        self._before_next_run: IntArray = np.append(above, len(positives))

    def sensitivities(
        self,
        positives: IntArray,
        negatives: IntArray,
        rates: FloatArray,
        *,
        before: bool = False,
    ) -> FloatArray:
        """Return sensitivities at false positive rates, one row per row of weights.

        Parameters
        ----------
        positives, negatives : ndarray of shape (n_resamples, n_positive_rows) or \
                (n_resamples, n_negative_rows), of whole numbers
            Weight of each row of a class; each class has a positive one.
        rates : ndarray of shape (n_rates,)
            False positive rates between 0 and 1.
        before : bool, default=False
            Return the sensitivity just before a rate instead of that at it.
        """
        passed = _cumulative(negatives, self._negatives)[:, self._passed]
        true_positives = _cumulative(positives, self._positives)
        totals, n_vertices = passed[:, -1:], passed.shape[1]
        n_false = _without_rounding(totals * rates, totals)
        n_whole = np.ceil(n_false).astype(np.int64) if before else n_false.astype(np.int64)
        # One search for all rows: the offsets keep the values of the rows apart.
        offset = np.arange(len(passed))[:, np.newaxis] * (int(totals.max()) + 1)
        position = np.searchsorted(
            (passed + offset).reshape(-1),
            (n_whole + offset).reshape(-1),
            "left" if before else "right",
        ).reshape(n_whole.shape)
        position -= np.arange(len(passed))[:, np.newaxis] * n_vertices
        start = np.maximum(position - 1, 0)
        end = np.minimum(start + 1, n_vertices - 1)
        rows = np.arange(len(passed))[:, np.newaxis]
        low, high = passed[rows, start], passed[rows, end]
        share = np.divide(
            n_false - low, high - low, out=np.zeros(n_false.shape), where=high > low
        )
        base = true_positives[rows, self._before_next_run[start]]
        if before:
            base = np.where(position == 0, true_positives[rows, self._at_run_end[0]], base)
        n_true = base + share * (true_positives[rows, self._at_run_end[end]] - base)
        return np.asarray(n_true / true_positives[:, -1:], dtype=np.float64)


def auc_of(rates: FloatArray, sensitivities: FloatArray) -> float:
    """Area under a piecewise linear curve; a rate occurs twice at a jump."""
    steps = np.diff(rates)
    return float(np.sum(steps * (sensitivities[1:] + sensitivities[:-1])) / 2)


def same_ranking(left: FloatArray, right: FloatArray) -> bool:
    """Whether two scores rank all rows in the same order, with the same ties."""
    if np.array_equal(left, right):
        return True
    order = np.lexsort((right, left))
    sorted_left, sorted_right = left[order], right[order]
    rises = sorted_right[1:] > sorted_right[:-1]
    falls = sorted_right[1:] < sorted_right[:-1]
    return bool(((sorted_left[1:] > sorted_left[:-1]) == rises).all() and not falls.any())


def _cumulative(weights: IntArray, order: IntArray) -> IntArray:
    """Cumulative sums of the weights in a given order, starting from 0."""
    sums = np.zeros((len(weights), weights.shape[1] + 1), dtype=np.int64)
    np.cumsum(weights[:, order], axis=1, out=sums[:, 1:])
    return sums


def _without_rounding(numbers: FloatArray, totals: IntArray) -> FloatArray:
    """Numbers of records, without the rounding errors of the rates."""
    nearest = np.rint(numbers)
    return np.where(np.abs(numbers - nearest) <= SNAP * totals, nearest, numbers)


MOST_ROWS = 200_000
"""Largest number of rows to resample one by one; more are counted in cells first."""

NODES = 150
"""Number of quantiles of each class at which scores are cut, into 300 bins in total."""

CHUNK = 1 << 20
"""Largest number of weights in memory at a time."""

RESAMPLES = {20_000: 2000, MOST_ROWS: 1000}
LEAST_RESAMPLES = 400
"""Default numbers of resamples, by largest number of rows; the last for more rows."""

TRIES = 20
"""Largest number of resamples to draw per resample in which both classes occur."""


class Rows(NamedTuple):
    """Rows to resample: records, or cells of records with their counts."""

    positive: NDArray[np.bool_]
    scores: FloatArray
    repeats: IntArray | None
    groups: IntArray | None

    @property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Numbers of records of the positive and of the negative rows, of shape (1, n)."""
        if self.repeats is None:
            n_positives = int(np.count_nonzero(self.positive))
            sizes = n_positives, len(self.positive) - n_positives
            return np.ones((1, sizes[0]), np.int64), np.ones((1, sizes[1]), np.int64)
        return self.repeats[np.newaxis, self.positive], self.repeats[
            np.newaxis, ~self.positive
        ]


def rows_of(placements: PlacementValues) -> tuple[Rows, Rows]:
    """Rows of the evidence, and rows to resample, merged into cells if there are many."""
    groups = None if placements.groups is None else placements.group_codes()
    rows = Rows(placements.positive, placements.scores, placements.repeats, groups)
    if groups is not None or len(rows.positive) <= MOST_ROWS:
        return rows, rows
    weights = rows.repeats
    if weights is None:
        weights = np.ones(len(rows.positive), np.int64)
    codes = np.array(
        [_bins(score, rows.positive, weights) for score in rows.scores], np.float64
    )
    return rows, Rows(*combined_cells(rows.positive, codes, weights), None)


def default_resamples(rows: Rows) -> int:
    """Default number of resamples, which takes a few seconds."""
    for n_rows, n_resamples in RESAMPLES.items():
        if len(rows.positive) <= n_rows:
            return n_resamples
    return LEAST_RESAMPLES


def resampled(
    rows: Rows, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield weights of the positive and negative rows, in batches of resamples."""
    if rows.groups is not None:
        yield from _resampled_groups(rows, rows.groups, n_resamples, rng)
        return
    step = max(1, CHUNK // len(rows.positive))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        positives, negatives = (
            _drawn_rows(len(counts[0]), size, rng)
            if rows.repeats is None
            else rng.multinomial(counts[0].sum(), counts[0] / counts[0].sum(), size)
            for counts in rows.counted
        )
        yield positives, negatives


def _drawn_rows(n: int, size: int, rng: np.random.Generator) -> IntArray:
    """Counts of n rows in n draws with replacement, one row per resample."""
    drawn = rng.integers(n, size=(size, n))
    drawn += n * np.arange(size)[:, np.newaxis]
    return np.bincount(drawn.reshape(-1), minlength=size * n).reshape(size, n)


def _resampled_groups(
    rows: Rows, groups: IntArray, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield weights of resampled groups; resamples without a class are drawn again."""
    n_groups = int(groups.max()) + 1
    positive_groups, negative_groups = groups[rows.positive], groups[~rows.positive]
    step = max(1, CHUNK // len(groups))
    n_done = n_drawn = 0
    while n_done < n_resamples:
        weights = _drawn_rows(n_groups, min(step, n_resamples), rng)
        positives, negatives = weights[:, positive_groups], weights[:, negative_groups]
        usable = np.flatnonzero(positives.any(axis=1) & negatives.any(axis=1))
        usable = usable[: n_resamples - n_done]
        n_done, n_drawn = n_done + len(usable), n_drawn + len(weights)
        if n_done < n_resamples and n_drawn > TRIES * n_resamples:
            raise ValueError(
                "Resamples of the groups need records of both classes. Got one class only "
                f"in {100 * (1 - n_done / n_drawn):.0f} % of them, because few groups have "
                "the other. Collect more groups."
            )
        if len(usable):
            yield positives[usable], negatives[usable]


def _bins(score: FloatArray, positive: NDArray[np.bool_], weights: IntArray) -> IntArray:
    """Bins of a score, cut at quantiles of both classes with levels denser near 0 and 1.

    Between two cuts a curve is taken as straight. Its variation there beyond the cuts is
    about one hundredth of its variance, the same at all rates.
    """
    order = np.argsort(score, kind="stable")
    ordered = score[order]
    cuts = []
    for members in (positive, ~positive):
        cumulative = np.cumsum(np.where(members[order], weights[order], 0))
        log_odds = np.log(2.0 * cumulative[-1])
        shares = expit(np.linspace(-log_odds, log_odds, NODES)) * cumulative[-1]
        cuts.append(
            ordered[np.minimum(np.searchsorted(cumulative, shares), len(cumulative) - 1)]
        )
    return np.searchsorted(np.unique(np.concatenate(cuts)), score, "left")
