"""Placements of the records of every class among those of every other, from one sort."""

from typing import NamedTuple

import numpy as np

from skcompare._typing import FloatArray, IntArray


class PairRanks(NamedTuple):
    """Where records stand in the scores of one class, class against class.

    Counts are doubled, so that half of a tied record is a whole number.
    """

    own: IntArray
    """Positions of the records of the class, in ascending order of their scores."""

    below: IntArray
    """Of each of these, twice the records of every class below it, ties counted half."""

    above: IntArray
    """Of every record, twice the records of the class above it, ties counted half."""

    distinct: int
    """Number of different scores."""


def pair_ranks(scores: FloatArray, codes: IntArray, own: int, n_classes: int) -> PairRanks:
    """Compare the records of one class with those of all others by a column of scores.

    Runs of equal scores that hold a record of the class cut the sorted records into
    stretches: before the first run, the first run, between it and the second one, and so
    on. The records of every class in every stretch are counted once; sums of these counts
    are all that the K - 1 comparisons with single classes need, so that after the sort
    the time is proportional to the records and to `n_classes` times those of the class.
    """
    order = np.argsort(scores)
    values, labels = scores[order], codes[order]
    is_own = labels == own
    begins = np.empty(len(values), dtype=bool)
    begins[:1] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    if begins.all():
        held = is_own
        runs_before = np.cumsum(is_own) - is_own
    else:
        run = np.cumsum(begins) - 1
        run_held = np.zeros(run[-1] + 1, dtype=bool)
        run_held[run[is_own]] = True
        before = np.cumsum(run_held) - run_held
        held, runs_before = run_held[run], before[run]
    stretch = 2 * runs_before + held
    n_stretches = int(stretch[-1]) + 2
    within = np.bincount(stretch * n_classes + labels, minlength=n_stretches * n_classes)
    # Row 0 is empty, so that row s holds the records before stretch s.
    before_stretch = np.zeros((len(within) // n_classes + 1, n_classes), dtype=np.int64)
    np.cumsum(within.reshape(-1, n_classes), axis=0, out=before_stretch[1:])
    own_stretch = stretch[is_own]
    below = before_stretch[own_stretch] + before_stretch[own_stretch + 1]
    mine = np.ascontiguousarray(before_stretch[:, own])
    above = np.empty(len(values), dtype=np.int64)
    above[order] = 2 * mine[-1] - mine[stretch] - mine[stretch + 1]
    return PairRanks(order[is_own], below, above, int(np.count_nonzero(begins)))
