"""Splits in time order: their recognition, their windows and their gap."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from skcompare._core.design import HOLDOUT, IN_TIME, TIME_ORDERED_HOLDOUT, Design, remedy
from skcompare._core.times import check_horizon, check_times, time_codes, time_text
from skcompare._core.validation import check_count, check_same_length
from skcompare._typing import ArrayLike
from skcompare.predictions._collect import Split
from skcompare.predictions._predictions import Predictions, in_time


def with_windows(
    design: Design, splits: Sequence[Split], times: np.ndarray | None = None
) -> Design:
    """Return a design of splits with their windows and gap, if they are in time order.

    Splits of unknown design are in time order if there are several, and each tests later
    records than it trains on, as the origins of a series do that roll forward. Without
    times, positions are the order of time. With times a single split is a hold-out in time
    order, and a time point may be cut in two by a split.

    Parameters
    ----------
    design : Design
        Design of the splits as far as it is known.
    splits : sequence of (ndarray, ndarray)
        Positions of the training and test records of each split.
    times : ndarray of shape (n_samples,), optional
        Time of each record.

    Raises
    ------
    ValueError
        If the design is said to be in time order, and the splits are not; or if there are
        times, and records were split in another way.
    """
    if times is not None:
        codes = time_codes(times)
        splits = [(codes[train], codes[test]) for train, test in splits]
    # Positions of training and test records are never equal, but their times may be.
    later = [train.max() <= test.min() for train, test in splits]
    if design.kind == "unknown" and len(splits) > 1 and all(later):
        design = Design(IN_TIME, 1, len(splits), design.grouped)
    is_one = design.kind == HOLDOUT.kind or (design.kind == "unknown" and len(splits) == 1)
    if times is not None and is_one and all(later):
        return replace(TIME_ORDERED_HOLDOUT, grouped=design.grouped)
    if design.kind != IN_TIME:
        if times is not None:
            raise ValueError(
                "`time` is for records that are tested by models which were trained on "
                f"earlier ones. Got {design}, which trains on later ones too. Use "
                f"{remedy(IN_TIME)}, or fitted models on later records (cv='prefit')."
            )
        return design
    if not all(later):
        k = later.index(False)
        last, first = splits[k][0].max(), splits[k][1].min()
        unit, ways = "record", ", or leave out the design"
        if times is not None:
            moments = np.unique(times)
            last, first = (time_text(moments[code], moments) for code in (last, first))
            unit, ways = "time", ""
        raise ValueError(
            "Splits in time order must test records that come after all that are trained "
            f"on. Got split {k}, which trains on {unit} {last} and tests {unit} {first}. "
            f"Sort the records by time{ways}."
        )
    gap = min(int(test.min() - train.max()) - 1 for train, test in splits)
    return replace(design, window=_window(splits), gap=max(0, gap))


def times_of(time: ArrayLike | None, horizon: Any, n: int) -> np.ndarray | None:
    """Check the time of `n` records that are split, and the horizon; return the times."""
    check_count("horizon", horizon)
    if time is None:
        return None
    times = check_times("time", time)
    check_same_length({"time": times}, {"records": np.broadcast_to(0, n)})
    return times


def ordered_by(
    predictions: Predictions, times: np.ndarray | None, horizon: int
) -> Predictions:
    """Return predictions for splits with the time of their records, and the horizon."""
    if times is not None:
        return in_time(predictions, times, horizon)
    if predictions.design.kind != IN_TIME:
        check_horizon(horizon, times)
    return replace(predictions, horizon=horizon)


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
    """Return why predictions of splits are not a series in time order, or ""."""
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
