"""Splits in time order: their recognition, their windows and their gap."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from skcompare._core.design import IN_TIME, Design
from skcompare.predictions._collect import Split
from skcompare.predictions._predictions import Predictions


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


def least_horizon(predictions: Predictions) -> int:
    """Time points by which forecasts are ahead: by default 1 more than the gap of splits.

    Records are left out before a test set where their true values are not known yet, or
    where they overlap with those of the test set, so that errors depend on as many earlier
    ones.
    """
    return max(predictions.horizon, predictions.design.gap + 1)


def why_no_series(predictions: Predictions) -> str:
    """Return why predictions of splits are no series in time order, or an empty string."""
    if predictions.records is None:
        return ""
    repeated = len(predictions.records) - predictions.n_tested
    if repeated:
        return (
            f"each record must be tested at most once, and {repeated:,} of "
            f"{len(predictions.records):,} predictions are of records that were tested "
            "before; let each test set begin where the one before ends"
        )
    return ""
