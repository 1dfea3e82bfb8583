"""Which record is which: tables in any order of their records, joined by their ids."""

import unicodedata
from collections.abc import Hashable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import Source
from skcompare._typing import IntArray

LONGEST_NUMBER = 25
"""Letters of a number all of whose digits count."""

TRUTH_VALUES = {"true": Decimal(1), "false": Decimal(0)}

SHOWN = 3
"""Ids that a message shows."""

SPARSEST = 4
"""Integers that are looked up in a table have a record for every so many entries of it."""

KINDS = {"U": "text", "i": "whole numbers", "u": "whole numbers", "f": "fractions"} | {
    "M": "dates",
    "m": "durations",
}
"""Types of values, by the kinds of numpy."""


def rows_by_id(
    sources: Mapping[Hashable, Source],
    tables: Mapping[Hashable, Mapping[str, NDArray[Any]]],
    id: str,
) -> dict[Hashable, IntArray]:
    """For every table but the first, where the records of the first are in it.

    A table in the order of the first has no entry.

    Parameters
    ----------
    sources, tables : mapping
        Tables with their columns, and what messages call them, by equal keys.
    id : str
        The column of ids that each table has.

    Raises
    ------
    ValueError
        If an id is repeated, or a table lacks ids of another one.
    """
    ids = _comparable({key: _whole(table[id]) for key, table in tables.items()}, sources)
    rows = _looked_up(list(ids.values()))
    if rows is None:
        rows = _sorted_rows(ids, sources, id)
    _, *others = ids
    return {key: own for key, own in zip(others, rows, strict=True) if own is not None}


def _looked_up(ids: list[NDArray[Any]]) -> list[IntArray | None] | None:
    """Where the first ids are among each of the others, by a table with all integers.

    None where they are too far from each other, or anything is wrong with them. Sorting
    takes many times as long.
    """
    first, *others = ids
    n = len(first)
    if not n or first.dtype.kind not in "iu" or any(len(own) != n for own in others):
        return None
    low, high = int(first.min()), int(first.max())
    n_entries = high - low + 1
    if n_entries > SPARSEST * n or high > np.iinfo(np.int64).max:
        return None
    at = _from_zero(first, low)
    seen = np.zeros(n_entries, dtype=bool)
    seen[at] = True
    if np.count_nonzero(seen) != n:
        return None
    small = np.int32 if n <= np.iinfo(np.int32).max else np.int64
    rows: list[IntArray | None] = []
    for own in others:
        if np.array_equal(own, first):
            rows.append(None)
            continue
        if own.min() < low or own.max() > high:
            return None
        position = np.full(n_entries, -1, dtype=small)
        position[_from_zero(own, low)] = np.arange(n, dtype=small)
        found = position[at]
        # As many records as the first has, all of which are there: each is there once.
        if found.min() < 0:
            return None
        rows.append(found.astype(np.intp, copy=False))
    return rows


def _from_zero(ids: NDArray[Any], low: int) -> NDArray[np.int64]:
    wide = ids.astype(np.int64, copy=False)
    return wide - low if low else wide


def _sorted_rows(
    ids: Mapping[Hashable, NDArray[Any]], sources: Mapping[Hashable, Source], id: str
) -> list[IntArray | None]:
    """Where the first ids are among each of the others, by sorting all of them."""
    orders: dict[Hashable, IntArray] = {}
    ordered: dict[Hashable, NDArray[Any]] = {}
    for key, own in ids.items():
        orders[key] = np.argsort(own)
        in_order = ordered[key] = own[orders[key]]
        repeated = in_order[1:][in_order[1:] == in_order[:-1]]
        if len(repeated):
            raise ValueError(
                f"Ids must tell records apart. Column {id!r} of {sources[key].words} has "
                f"{some_ids(np.unique(repeated))} more than once. Keep one record of "
                "each."
            )
    first, *others = ids
    rows: list[IntArray | None] = []
    for key in others:
        if not np.array_equal(ordered[first], ordered[key]):
            raise ValueError(
                f"Column {id!r} of {sources[first].words} and of {sources[key].words} must "
                f"hold the same ids: {_difference(ids, sources, first, key)}. Keep the "
                "records that all have, so that none is left out in silence."
            )
        found = np.empty_like(orders[key])
        found[orders[first]] = orders[key]
        rows.append(found)
    return rows


def _whole(ids: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as such, also where a missing value once made fractions of them."""
    if ids.dtype.kind == "f" and (np.trunc(ids) == ids).all() and (abs(ids) < 2**63).all():
        return ids.astype(np.int64)
    return ids


def _comparable(
    ids: dict[Hashable, NDArray[Any]], sources: Mapping[Hashable, Source]
) -> dict[Hashable, NDArray[Any]]:
    """Ids of one type: numbers beside text are compared as they are written."""
    kinds = {key: _kind(array) for key, array in ids.items()}
    found = set(kinds.values())
    if found == {"whole numbers"}:
        return _signed(ids)
    if found == {"text", "whole numbers"}:
        return {key: written(array) for key, array in ids.items()}
    if len(found) > 1 or not found <= set(KINDS.values()):
        listed = ", ".join(
            f"{sources[key].words} has {kind} (such as {first_of(ids[key], 1)})"
            for key, kind in kinds.items()
        )
        raise ValueError(
            f"Ids must be of one type to be compared: {listed}. Convert them to text."
        )
    return ids


def _signed(ids: dict[Hashable, NDArray[Any]]) -> dict[Hashable, NDArray[Any]]:
    """Whole numbers of types that are compared exactly.

    Signed and unsigned ones of 64 bits are compared as fractions by some numpys.
    """
    if np.result_type(*ids.values()).kind != "f":
        return ids
    if all(int(own.max(initial=0)) <= np.iinfo(np.int64).max for own in ids.values()):
        return {key: own.astype(np.int64, copy=False) for key, own in ids.items()}
    return {key: written(own) for key, own in ids.items()}


def _kind(ids: NDArray[Any]) -> str:
    if ids.dtype.kind == "O":
        types = sorted({type(one).__name__ for one in ids.tolist()})
        return KINDS["U"] if types == ["str"] else " and ".join(types)
    return KINDS.get(ids.dtype.kind, str(ids.dtype))


def some_ids(ids: NDArray[Any]) -> str:
    """How many there are, and the first of them."""
    return f"{len(ids):,} of them ({first_of(ids)})"


def first_of(ids: NDArray[Any], most: int = SHOWN) -> str:
    """The first ids in words."""
    words = (repr(str(i)) if isinstance(i, str) else str(i) for i in ids[:most])
    return ", ".join(words) + (", ..." if len(ids) > most > 1 else "")


def _difference(
    ids: Mapping[Hashable, NDArray[Any]],
    sources: Mapping[Hashable, Source],
    first: Hashable,
    other: Hashable,
) -> str:
    found = []
    for has, lacks in ((first, other), (other, first)):
        missing = np.setdiff1d(ids[has], ids[lacks])
        if len(missing):
            found.append(f"{sources[lacks].words} lacks {some_ids(missing)}")
    return " and ".join(found)


def is_text(array: NDArray[Any]) -> bool:
    """Whether values are texts, in an array of either kind."""
    return array.dtype.kind in "OU"


def written(array: NDArray[Any]) -> NDArray[Any]:
    """Values as they are written; texts as they are."""
    return array if array.dtype.kind == "O" else array.astype(np.str_, copy=False)


def value_of(text: Any) -> Decimal | str:
    """The number, or truth value, that a text stands for; otherwise the text itself.

    In the type of a file of columns that have none, 0012, 12.0 and 12 are one value. All
    digits of whole numbers count, which floats would lose.
    """
    words = unicodedata.normalize("NFC", str(text).strip())
    if words.lower() in TRUTH_VALUES:
        return TRUTH_VALUES[words.lower()]
    try:
        number = Decimal(words) if len(words) <= LONGEST_NUMBER else None
    except InvalidOperation:
        number = None
    return words if number is None or not number.is_finite() else number.normalize()
