"""Bins of probabilities: where they end, and which bin a record is in."""

from typing import Any

import numpy as np

from skcompare._core.validation import check_choice, check_count
from skcompare._typing import FloatArray, IntArray

STRATEGIES = ("uniform", "equal_mass", "quantile")
"""How bins can be laid."""


def bin_edges(p: FloatArray, n_bins: int, strategy: str) -> FloatArray:
    """Edges of bins of probabilities, from 0 to 1.

    Bin b holds ``edges[b] <= p < edges[b + 1]``; the last bin is closed at 1.

    Parameters
    ----------
    p : ndarray of shape (n_samples,)
        Probabilities.
    n_bins : int
        Number of bins asked for, at least 1.
    strategy : {"uniform", "equal_mass", "quantile"}
        "uniform": bins of equal width, edges b / n_bins. "equal_mass": the sorted
        probabilities are cut into groups whose sizes differ by at most one, midway
        between neighbours. "quantile": edges at the interpolated quantiles, as many
        published values have it.

    Returns
    -------
    edges : ndarray of shape (n_used + 1,)
        There are fewer bins than asked for where equal probabilities, which no strategy
        parts, take the place of several. The last two edges are both 1 where records with
        probability 1 have a bin of their own.
    """
    check_count("n_bins", n_bins)
    check_choice("strategy", strategy, STRATEGIES)
    if strategy == "uniform":
        return _uniform(n_bins)
    if strategy == "equal_mass":
        return _around(_equal_mass_cuts(p, n_bins))
    # Edges at the least and the greatest probability would hold the same records as 0
    # and 1 do, which also take the records of another shard.
    return _around(np.unique(np.quantile(p, np.arange(n_bins + 1) / n_bins))[1:-1])


def bin_codes(p: FloatArray, edges: FloatArray) -> IntArray:
    """The bin of each probability, of shape (n_samples,)."""
    last = len(edges) - 2
    if not np.array_equal(edges, _uniform(last + 1)):
        return np.clip(np.searchsorted(edges, p, side="right") - 1, 0, last)
    # The product is off by rounding only, so the bin is right or next to it. Looking at
    # its two edges costs less than a search.
    codes = np.minimum((p * (last + 1)).astype(np.intp), last)
    codes -= p < edges[codes]
    above = edges[1:].copy()
    above[-1] = np.inf
    codes += p >= above[codes]
    return codes


def check_edges(edges: Any) -> FloatArray:
    """Edges as a read-only array: from 0 to 1, increasing."""
    given = np.array(edges, dtype=np.float64)
    if given.ndim != 1 or len(given) < 2:
        raise ValueError(
            f"`edges` must have shape (n_bins + 1,), at least two numbers. Got shape "
            f"{given.shape}. One bin of all records is [0, 1]."
        )
    steps = np.diff(given)
    # Two last edges of 1 make a bin of the records with probability 1.
    rising = (steps[:-1] > 0).all() and (steps[-1] > 0 or (given[-2:] == 1).all())
    if not (given[0] == 0 and given[-1] == 1 and rising):
        raise ValueError(
            f"`edges` must increase from 0 to 1. Got {given.tolist()}. Add 0 and 1, sort "
            "the edges, and leave out those that occur twice."
        )
    given.setflags(write=False)
    return given


def _uniform(n_bins: int) -> FloatArray:
    # Unlike linspace, quotients are the doubles nearest to the edges: 3 / 10 is 0.3.
    return np.arange(n_bins + 1) / n_bins


def _around(cuts: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], cuts, [1.0]])


def equal_mass_starts(ordered: FloatArray, n_bins: int) -> IntArray:
    """Where the bins after the first begin among sorted probabilities.

    Sizes differ by at most one, the first bins being larger, but for equal probabilities,
    which stay together in the bin above.
    """
    n_groups = min(n_bins, len(ordered))
    base, longer = divmod(len(ordered), n_groups)
    g = np.arange(1, n_groups)
    starts = g * base + np.minimum(g, longer)
    starts = np.unique(np.searchsorted(ordered, ordered[starts]))
    return starts[starts > 0]


def _equal_mass_cuts(p: FloatArray, n_bins: int) -> FloatArray:
    ordered = np.sort(p)
    starts = equal_mass_starts(ordered, n_bins)
    below, above = ordered[starts - 1], ordered[starts]
    middle = below + (above - below) / 2
    # Between two neighbouring doubles there is no third one.
    return np.where(middle > below, middle, above)
