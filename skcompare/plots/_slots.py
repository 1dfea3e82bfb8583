"""Places for lines that must keep their order and a distance."""

from collections.abc import Sequence

import numpy as np

from skcompare._typing import FloatArray


def spread(places: Sequence[float], distance: float, low: float, high: float) -> FloatArray:
    """The nearest places at least a distance apart, in the same order, within limits.

    Of all such places they have the least sum of squared moves: where wished places are
    too close, their block is moved as one (pooling adjacent violators).

    Parameters
    ----------
    places : sequence of float
        Wished places, ascending.
    distance : float
        The least distance; smaller where the limits leave no room for it.
    low, high : float
        Limits.
    """
    n = len(places)
    if n == 0:
        return np.empty(0)
    if n > 1:
        distance = min(distance, (high - low) / (n - 1))
    steps = distance * np.arange(n)
    # Without the steps the places need only not descend.
    blocks: list[tuple[float, int]] = []
    for wish in np.asarray(places, dtype=float) - steps:
        mean, size = float(wish), 1
        while blocks and blocks[-1][0] > mean:
            other, often = blocks.pop()
            mean = (mean * size + other * often) / (size + often)
            size += often
        blocks.append((mean, size))
    found = np.concatenate([np.full(size, mean) for mean, size in blocks])
    limit = high - steps[-1]
    return np.clip(found, low, max(low, limit)) + steps


def lanes_of(spans: Sequence[tuple[int, int]]) -> list[int]:
    """A lane for each span of positions, so that none overlap within a lane.

    Spans that share an end get lanes of their own too.
    """
    ends: list[int] = []
    lanes = []
    for first, last in spans:
        free = next((k for k, end in enumerate(ends) if end < first), len(ends))
        if free == len(ends):
            ends.append(last)
        else:
            ends[free] = last
        lanes.append(free)
    return lanes
