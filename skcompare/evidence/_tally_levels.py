"""Levels that suit scores on an engine, from its first records and a look at all."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.score_bins import Levels
from skcompare._io.engine import Table

LARGEST = float(np.finfo(np.float64).max)

BUCKETS = 1 << 16
"""Parts of the range of scores that are counted to see how they lie."""

SAMPLE = 20_000
"""Values that stand for all when levels are fitted to them."""


def finite_score(score: Any, is_proba: bool) -> Any:
    """The condition that a score can be ranked; a missing value or NaN cannot."""
    if is_proba:
        return (score >= 0.0) & (score <= 1.0)
    return (score >= -LARGEST) & (score <= LARGEST)


def chosen_levels(table: Table, name: str, n_levels: int, is_proba: bool) -> Levels:
    """Levels of a column of scores.

    The scores themselves where all of them have at most `n_levels` values, else uniform
    levels where these suit the first records, else levels fitted to all.

    Parameters
    ----------
    table : Table
        The frame.
    name : str
        The column.
    n_levels : int
        Number of levels.
    is_proba : bool
        Whether scores are probabilities.
    """
    head = table.head([name])[name].astype(np.float64)
    low, high = (0.0, 1.0) if is_proba else (-LARGEST, LARGEST)
    head = head[(head >= low) & (head <= high)]
    plain = Levels.uniform(n_levels)
    # Without any good value the count of all says what is wrong.
    first = Levels.choose(head, n_levels) if len(head) else plain
    if len(np.unique(head)) <= n_levels and table.few_values(name, n_levels) is not None:
        return Levels.distinct()
    if is_proba and first == plain:
        return plain
    # The first records may be no fair sample: a file may be sorted.
    counts, least, greatest = _spans(table, name, is_proba)
    if not len(counts):
        return plain
    if len(counts) <= n_levels and np.array_equal(least, greatest):
        return Levels.distinct()
    sample = _spread(counts, least, greatest)
    levels = Levels.choose(sample, n_levels)
    return Levels.fitted(sample, n_levels) if levels.is_distinct else levels


def _spans(table: Table, name: str, is_proba: bool) -> tuple[NDArray[Any], ...]:
    """Records, least and greatest score of equal parts of the range."""
    program = table.program({name: (name, "fraction")})
    score = program.column(name)
    good = finite_score(score, is_proba)
    low, high = 0.0, 1.0
    if not is_proba:
        low, high = table.range(program, program.where(good, score, 0.0))
    # Halves, so that the distance of the greatest numbers is finite.
    width = high / 2 - low / 2
    scale = BUCKETS / 2 / width if width > 0 else 0.0
    scale = scale if np.isfinite(scale) else 0.0
    (clean,) = program.let(program.where(good, score, low))
    part = program.whole(program.floor((clean / 2.0 - low / 2.0) * (2.0 * scale)))
    key = program.where(good, part, -1)
    keys, counts, least, greatest = table.spans(program, key, clean)
    order = np.argsort(keys)
    order = order[keys[order] >= 0]
    return counts[order], least[order], greatest[order]


def _spread(
    counts: NDArray[Any], least: NDArray[Any], greatest: NDArray[Any]
) -> NDArray[np.float64]:
    """A sample with about as many values in each part as there are."""
    shares = np.ceil(counts * (SAMPLE / counts.sum())).astype(np.int64)
    position = np.arange(shares.sum()) - np.repeat(np.cumsum(shares) - shares, shares)
    steps = np.repeat(np.maximum(shares - 1, 1), shares)
    along = position / steps
    low, high = np.repeat(least, shares), np.repeat(greatest, shares)
    spread: NDArray[np.float64] = low * (1 - along) + high * along
    return spread
