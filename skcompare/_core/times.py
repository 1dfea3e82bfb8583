"""Times of records: numbers, or timestamps, that say in which order they were observed."""

import datetime as dt
import re
from typing import Any

import numpy as np

from skcompare._core.validation import as_array, check_count, check_numbers, missing_in

ISO = re.compile(
    r"(\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?)?)(Z|[+-]\d\d:?\d\d)?"
)
"""Form of timestamps in text, whose order is that of time: ISO 8601."""

RESOLUTION = "datetime64[ns]"
"""Timestamps are stored in nanoseconds since 1970, in UTC if they have a zone."""

EARLIEST, LATEST = 1678, 2261
"""Years between which all times can be stored."""


def check_times(name: str, values: Any) -> np.ndarray:
    """Check numbers or timestamps, one per record, and return them as a vector.

    Parameters
    ----------
    name : str
        Name of the argument in messages.
    values : array-like of shape (n_samples,)
        Numbers, timestamps, or text of ISO 8601. Timestamps with a time zone are converted
        to UTC.
    """
    if isinstance(values, str):
        raise ValueError(
            f"`{name}` must be numbers or timestamps, one per record. Got the name "
            f"{values!r}. Pass the column itself; columns have names where predictions are "
            "columns of a frame or a file."
        )
    array = as_array(values)
    if array.dtype.kind == "O" and hasattr(values, "to_numpy") and hasattr(values, "dt"):
        # Timestamps with one time zone are objects, until they are converted to UTC.
        array = values.to_numpy(dtype=RESOLUTION)
    if array.dtype.kind == "O" and _are_numbers(array):
        array = array.astype(np.float64)
    if array.dtype.kind in "USO":
        array = _of_items(name, array)
    if array.dtype.kind == "M":
        missing = np.isnat(array)
        if array.ndim != 1 or missing.any():
            raise ValueError(
                f"`{name}` must be timestamps of shape (n_samples,), none missing. Got "
                f"shape {array.shape}, {int(missing.sum())} missing. Drop these "
                "records for both models."
            )
        # Without a copy of an array that nobody writes to.
        stored = array.astype(RESOLUTION, copy=array.flags.writeable)
        # Nanoseconds overflow in silence.
        is_stored = array.dtype == stored.dtype
        days = "datetime64[D]"
        if not is_stored and (stored.astype(days) != array.astype(days)).any():
            raise ValueError(
                f"`{name}` must be timestamps of the years {EARLIEST} to {LATEST}. Got "
                f"{array.min()} to {array.max()}. Pass numbers, such as years."
            )
        return stored
    if array.dtype.kind == "m":
        raise ValueError(
            f"`{name}` must be numbers or timestamps. Got durations. Convert them to "
            "numbers, such as seconds since the first record."
        )
    whole = array.dtype.kind in "iu" and array.ndim == 1
    return array if whole else check_numbers(name, array)


def _are_numbers(array: np.ndarray) -> bool:
    items = array.ravel().tolist()
    return bool(items) and all(isinstance(item, int | float) for item in items)


def _of_items(name: str, array: np.ndarray) -> np.ndarray:
    """Convert timestamps in text or objects, with a time zone for all or for none."""
    items = array.ravel().tolist()
    missing = int(np.sum(missing_in(array)))
    if array.ndim != 1 or missing:
        raise ValueError(
            f"`{name}` must be numbers or timestamps of shape (n_samples,), none missing. "
            f"Got shape {array.shape}, {missing} missing. Drop these records for both "
            "models."
        )
    parsed = [_utc(name, item) for item in items]
    zones = [has_zone for _, has_zone in parsed]
    if any(zones) and not all(zones):
        raise ValueError(
            f"`{name}` must be timestamps that all have a time zone, or none of them. Got "
            f"{sum(zones)} of {len(zones)} with one, so that their order is unknown. "
            "Convert them to UTC."
        )
    return np.array([moment for moment, _ in parsed], dtype=RESOLUTION)


def _utc(name: str, item: Any) -> tuple[Any, bool]:
    """Return a timestamp in UTC, and whether it has a time zone."""
    if isinstance(item, str):
        match = ISO.fullmatch(item.strip())
        try:
            if match is None:
                raise ValueError(item)
            moment = np.datetime64(match[1].replace(" ", "T"), "ns")
        except ValueError as error:
            raise ValueError(
                f"`{name}` must be numbers or timestamps. Got text, such as {item!r:.40}, "
                "whose order need not be that of time. Convert it, for example by "
                "pandas.to_datetime, or write it as 2026-01-31 or 2026-01-31T12:00:00."
            ) from error
        if match[2] is None:
            return moment, False
        digits = match[2].replace(":", "").replace("Z", "+0000")
        minutes = 60 * int(digits[1:3]) + int(digits[3:])
        ahead = np.timedelta64(-minutes if digits[0] == "-" else minutes, "m")
        return moment - ahead, True
    if isinstance(item, dt.datetime):
        has_zone = item.tzinfo is not None
        nanoseconds = getattr(item, "nanosecond", 0)
        if hasattr(item, "to_pydatetime"):
            item = item.to_pydatetime(warn=False)
        naive = item.astimezone(dt.UTC).replace(tzinfo=None) if has_zone else item
        return np.datetime64(naive, "ns") + np.timedelta64(nanoseconds, "ns"), has_zone
    if isinstance(item, dt.date):
        return np.datetime64(item, "ns"), False
    if isinstance(item, np.datetime64):
        return item.astype(RESOLUTION), False
    raise ValueError(
        f"`{name}` must be numbers or timestamps, all of one kind. Got "
        f"{type(item).__name__}, such as {item!r:.40}. Convert them to one kind."
    )


def check_horizon(horizon: Any, time: Any) -> int:
    """Check the number of time points by which forecasts are ahead; it needs `time`."""
    number = check_count("horizon", horizon)
    if number > 1 and time is None:
        raise ValueError(
            f"`horizon` is a number of time points. Got {number} without `time`. Pass the "
            "time of each record too."
        )
    return number


def time_text(time: Any, times: np.ndarray) -> str:
    """Format a number or timestamp, as a date if all of the times are dates."""
    if times.dtype.kind != "M":
        return str(time.item())
    are_days = (times.astype("datetime64[D]") == times).all()
    text = np.datetime_as_string(time, unit="D" if are_days else "m")
    return str(text).replace("T", " ")


def time_codes(times: np.ndarray) -> np.ndarray:
    """Position of each time among the distinct times, in increasing order."""
    return np.unique(times, return_inverse=True)[1].reshape(-1)
