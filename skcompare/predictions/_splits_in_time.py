"""Splits in time order: their recognition, their windows and their gap."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from skcompare._core.design import IN_TIME, Design
from skcompare.predictions._collect import Split


def with_windows(design: Design, splits: Sequence[Split]) -> Design:
    """Return a design of splits with their windows and gap, if they are in time order.

    Splits of unknown design are in time order if there are several, and each tests later
    records than it trains on, as the origins of a series do that roll forward. Positions
    are the order of time.

    Parameters
    ----------
    design : Design
        Design of the splits as far as it is known.
    splits : sequence of (ndarray, ndarray)
        Positions of the training and test records of each split.

    Raises
    ------
    ValueError
        If the design is said to be in time order, and the splits are not.
    """
    later = [train.max() < test.min() for train, test in splits]
    if design.kind == "unknown" and len(splits) > 1 and all(later):
        design = Design(IN_TIME, 1, len(splits), design.grouped)
    if design.kind != IN_TIME:
        return design
    if not all(later):
        k = later.index(False)
        train, test = splits[k]
        raise ValueError(
            "Splits in time order must test records that come after all that are trained "
            f"on. Got split {k}, which trains on record {train.max()} and tests record "
            f"{test.min()}. Sort the records by time, or leave out the design."
        )
    gap = min(int(test.min() - train.max()) - 1 for train, test in splits)
    return replace(design, window=_window(splits), gap=gap)


def _window(splits: Sequence[Split]) -> str:
    """Whether training sets keep the records of earlier ones, or leave some behind."""
    trains = sorted((np.sort(train) for train, _ in splits), key=lambda train: train[-1])
    if len(trains) < 2:
        return ""
    keeps = all(np.isin(first, second).all() for first, second in pairwise(trains))
    return "expanding" if keeps else "sliding"
