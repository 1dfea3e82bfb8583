"""What scores, ids, groups and bounds of items must be, in words where they are not."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import as_array, is_number, missing_in, some_of
from skcompare._typing import FloatArray, IntArray

LARGEST = 1e140
"""The sum of the squares of larger scores overflows."""

UNSCORED = (
    "An item without an answer is scored like a wrong one, or dropped for both systems; "
    "say in your report which."
)


def checked_scores(name: str, values: Any) -> FloatArray:
    """Finite scores, one a row; True and False are 1 and 0."""
    array = as_array(values)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"{name} must have one score a row, in a column with at least one row. Got an "
            f"array of shape {array.shape}."
        )
    if array.dtype.kind == "O":
        _check_known(name, array, UNSCORED)
    if array.dtype.kind not in "biuf":
        array = _numbers(name, array)
    scores = array.astype(np.float64)
    wrong = ~(np.abs(scores) <= LARGEST)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"{name} must have finite scores, of a size of at most {LARGEST:g}. Got "
            f"{int(wrong.sum())} others, the first at position {at} ({scores[at]}). "
            f"{UNSCORED}"
        )
    return scores


def _numbers(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Numbers of exact types, such as decimals; text is refused."""
    try:
        if array.dtype.kind == "O" and not any(isinstance(v, str) for v in array.tolist()):
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(
        f"{name} must have scores that are numbers, or true and false. Got values such as "
        f"{some_of(array[:1])}. Write 1 for a right answer and 0 for a wrong one."
    )


def checked_labels(name: str, values: Any) -> NDArray[Any]:
    """Ids, groups or other facts of items: numbers, dates or text, none missing."""
    array = as_array(values)
    if array.ndim != 1:
        raise ValueError(
            f"{name} must have one value a row. Got an array of shape {array.shape}."
        )
    _check_known(name, array, "Fill them in, or drop these rows.")
    if array.dtype.kind in "OT":
        items = array.tolist()
        kinds = {isinstance(item, str) for item in items}
        if len(kinds) > 1:
            raise ValueError(
                f"{name} must have values of one type. Got text and others mixed. Write "
                "all of them as text."
            )
        # Objects that are no text become numbers where they are some.
        array = np.asarray(items)
    if array.dtype.kind not in "biufUSmM":
        raise ValueError(
            f"{name} must have numbers, dates or text. Got {array.dtype} such as "
            f"{array[0]!r}. Write them as text."
        )
    return array


def _check_known(name: str, array: NDArray[Any], advice: str) -> None:
    missing = missing_in(array)
    if missing.any():
        raise ValueError(
            f"{name} must have a value in every row. Got {int(missing.sum())} missing "
            f"ones, the first at position {int(np.argmax(missing))}. {advice}"
        )


def checked_attempts(values: Any, n: int) -> IntArray:
    """How often each system tried each item, of shape (n_items, 2)."""
    if values is None:
        return np.ones((n, 2), dtype=np.int64)
    array = np.asarray(values)
    if array.shape != (n, 2) or array.dtype.kind not in "iu" or (array < 1).any():
        raise ValueError(
            f"`attempts` must be whole numbers of at least 1, of shape ({n}, 2): those of "
            f"champion and challenger at each item. Got {array.dtype} of shape "
            f"{array.shape}."
        )
    return array.astype(np.int64)


def check_length(name: str, values: NDArray[Any], n: int) -> None:
    """Refuse what has not one entry for each of the others."""
    if len(values) != n:
        raise ValueError(
            f"{name} must have one entry for each of {n} others. Got {len(values)}. Give "
            "the item of each score, where the two systems have other rows."
        )


def check_each_once(ids: NDArray[Any]) -> None:
    """Refuse an item that is there more than once."""
    different, counts = np.unique(ids, return_counts=True)
    if len(different) < len(ids):
        raise ValueError(
            f"Each of `items` must occur once. Got {some_of(different[counts > 1])} more "
            "often. Scores of several attempts go through ItemScores.from_scores."
        )


def check_names(names: Iterable[str]) -> tuple[str, str]:
    """What the two systems are called."""
    found = (names,) if isinstance(names, str) else tuple(names)
    if len(found) != 2 or not all(isinstance(name, str) and name.strip() for name in found):
        raise ValueError(f"`names` must be two names, the champion's first. Got {names!r}.")
    return found[0], found[1]


def check_bounds(bounds: Any) -> tuple[float, float] | None:
    """Least and greatest possible score."""
    if bounds is None:
        return None
    pair = tuple(bounds) if isinstance(bounds, list | tuple | np.ndarray) else ()
    if (
        len(pair) != 2
        or not all(is_number(end) and math.isfinite(end) for end in pair)
        or not pair[0] < pair[1]
    ):
        raise ValueError(
            "`bounds` must be two finite numbers, the least and the greatest score that "
            f"there can be, such as (0, 1). Got {bounds!r}."
        )
    return float(pair[0]), float(pair[1])


def check_within(name: str, scores: FloatArray, bounds: tuple[float, float] | None) -> None:
    """Refuse scores that are out of bounds."""
    if bounds is None:
        return
    beyond = (scores < bounds[0]) | (scores > bounds[1])
    if beyond.any():
        at = int(np.argmax(beyond))
        raise ValueError(
            f"{name} must have scores from {bounds[0]:g} to {bounds[1]:g}, as `bounds` "
            f"says. Got {int(beyond.sum())} others, the first at position {at} "
            f"({scores[at]:g}). Correct the scores or the bounds."
        )
