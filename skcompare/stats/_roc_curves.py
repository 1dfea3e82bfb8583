"""ROC curves of records that count more than once, each order found only once."""

import numpy as np
from numpy.typing import NDArray

from skcompare._typing import FloatArray, IntArray

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
