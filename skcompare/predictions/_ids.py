"""Ids of records, for joining tables with records in any order."""

import unicodedata
from collections.abc import Hashable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.readers import Source
from skcompare._typing import IntArray

LONGEST_NUMBER = 25
"""Largest number of characters of a number all of whose digits are compared."""

TRUTH_VALUES = {"true": Decimal(1), "false": Decimal(0)}

SHOWN = 3
"""Number of ids in a message."""

SPARSEST = 4
"""Largest number of entries per record of a look-up table of integers."""

KINDS = {"U": "text", "i": "whole numbers", "u": "whole numbers", "f": "fractions"} | {
    "M": "dates",
    "m": "durations",
}
"""Names of types of values, by kind of dtype."""


def rows_by_id(
    sources: Mapping[Hashable, Source],
    tables: Mapping[Hashable, Mapping[str, NDArray[Any]]],
    id: str,
) -> dict[Hashable, IntArray]:
    """Return the rows of each table, except the first, in the order of the first.

    A table that is in the order of the first has no entry.

    Parameters
    ----------
    sources, tables : mapping
        Names in messages and columns of the tables, by the same keys.
    id : str
        Column of ids, in each table.

    Raises
    ------
    ValueError
        If an id is repeated, or a table lacks ids of another table.
    """
    ids = _to_one_type(
        {key: _as_integers(table[id]) for key, table in tables.items()}, sources
    )
    rows = _table_rows(list(ids.values()))
    if rows is None:
        rows = _sorted_rows(ids, sources, id)
    _, *others = ids
    return {
        key: order for key, order in zip(others, rows, strict=True) if order is not None
    }


def _table_rows(ids: list[NDArray[Any]]) -> list[IntArray | None] | None:
    """Return positions of the first ids among each of the others, by a look-up table.

    None if they are too far apart, or not valid. Sorting takes many times as long.
    """
    first, *others = ids
    n = len(first)
    if (
        not n
        or first.dtype.kind not in "iu"
        or any(len(table_ids) != n for table_ids in others)
    ):
        return None
    low, high = int(first.min()), int(first.max())
    n_entries = high - low + 1
    if n_entries > SPARSEST * n or high > np.iinfo(np.int64).max:
        return None
    offsets = _offsets(first, low)
    seen = np.zeros(n_entries, dtype=bool)
    seen[offsets] = True
    if np.count_nonzero(seen) != n:
        return None
    dtype = np.int32 if n <= np.iinfo(np.int32).max else np.int64
    rows: list[IntArray | None] = []
    for table_ids in others:
        if np.array_equal(table_ids, first):
            rows.append(None)
            continue
        if table_ids.min() < low or table_ids.max() > high:
            return None
        position = np.full(n_entries, -1, dtype=dtype)
        position[_offsets(table_ids, low)] = np.arange(n, dtype=dtype)
        order = position[offsets]
        # All ids of the first occur, and the numbers of records are equal: each occurs
        # once.
        if order.min() < 0:
            return None
        rows.append(order.astype(np.intp, copy=False))
    return rows


def _offsets(ids: NDArray[Any], low: int) -> NDArray[np.int64]:
    wide = ids.astype(np.int64, copy=False)
    return wide - low if low else wide


def _sorted_rows(
    ids: Mapping[Hashable, NDArray[Any]], sources: Mapping[Hashable, Source], id: str
) -> list[IntArray | None]:
    """Return positions of the first ids among each of the others, by sorting."""
    orders: dict[Hashable, IntArray] = {}
    ordered: dict[Hashable, NDArray[Any]] = {}
    for key, table_ids in ids.items():
        orders[key] = np.argsort(table_ids)
        sorted_ids = ordered[key] = table_ids[orders[key]]
        repeated = sorted_ids[1:][sorted_ids[1:] == sorted_ids[:-1]]
        if len(repeated):
            raise repeated_ids(id, sources[key], np.unique(repeated))
    first, *others = ids
    rows: list[IntArray | None] = []
    for key in others:
        if not np.array_equal(ordered[first], ordered[key]):
            raise ValueError(
                f"Column {id!r} of {sources[first].text} and of {sources[key].text} must "
                f"hold the same ids: {_difference(ids, sources, first, key)}. Keep the "
                "records that all have, so that none is left out in silence."
            )
        order = np.empty_like(orders[key])
        order[orders[first]] = orders[key]
        rows.append(order)
    return rows


def _as_integers(ids: NDArray[Any]) -> NDArray[Any]:
    """Convert whole float ids, as in columns with missing values, to integers."""
    if ids.dtype.kind == "f" and (np.trunc(ids) == ids).all() and (abs(ids) < 2**63).all():
        return ids.astype(np.int64)
    return ids


def _to_one_type(
    ids: dict[Hashable, NDArray[Any]], sources: Mapping[Hashable, Source]
) -> dict[Hashable, NDArray[Any]]:
    """Convert ids to one type; numbers and text are compared as text."""
    kinds = {key: _kind(array) for key, array in ids.items()}
    distinct_kinds = set(kinds.values())
    if distinct_kinds == {"whole numbers"}:
        return _signed(ids)
    if distinct_kinds == {"text", "whole numbers"}:
        return {key: written(array) for key, array in ids.items()}
    if len(distinct_kinds) > 1 or not distinct_kinds <= set(KINDS.values()):
        listed = ", ".join(
            f"{sources[key].text} has {kind} (such as {first_of(ids[key], 1)})"
            for key, kind in kinds.items()
        )
        raise ValueError(
            f"Ids must be of one type to be compared: {listed}. Convert them to text."
        )
    return ids


def _signed(ids: dict[Hashable, NDArray[Any]]) -> dict[Hashable, NDArray[Any]]:
    """Convert integers to types that are compared exactly.

    Some versions of numpy compare signed and unsigned ones of 64 bits as floats.
    """
    if np.result_type(*ids.values()).kind != "f":
        return ids
    if all(int(array.max(initial=0)) <= np.iinfo(np.int64).max for array in ids.values()):
        return {key: array.astype(np.int64, copy=False) for key, array in ids.items()}
    return {key: written(array) for key, array in ids.items()}


def _kind(ids: NDArray[Any]) -> str:
    if ids.dtype.kind == "O":
        types = sorted({type(value).__name__ for value in ids.tolist()})
        return KINDS["U"] if types == ["str"] else " and ".join(types)
    return KINDS.get(ids.dtype.kind, str(ids.dtype))


def repeated_ids(name: str, source: Source, ids: NDArray[Any]) -> ValueError:
    """Create an error about repeated ids in a column."""
    return ValueError(
        f"Ids must tell records apart. Column {name!r} of {source.text} has "
        f"{some_ids(ids)} more than once. Keep one record of each."
    )


def some_ids(ids: NDArray[Any]) -> str:
    """Format the number of ids and the first of them."""
    return f"{len(ids):,} of them ({first_of(ids)})"


def first_of(ids: NDArray[Any], most: int = SHOWN) -> str:
    """Format the first ids."""
    texts = (
        repr(str(value)) if isinstance(value, str) else str(value) for value in ids[:most]
    )
    return ", ".join(texts) + (", ..." if len(ids) > most > 1 else "")


def _difference(
    ids: Mapping[Hashable, NDArray[Any]],
    sources: Mapping[Hashable, Source],
    first: Hashable,
    second: Hashable,
) -> str:
    parts = []
    for full, lacking in ((first, second), (second, first)):
        missing = np.setdiff1d(ids[full], ids[lacking])
        if len(missing):
            parts.append(f"{sources[lacking].text} lacks {some_ids(missing)}")
    return " and ".join(parts)


def is_text(array: NDArray[Any]) -> bool:
    """Whether an array has text, as strings or objects."""
    return array.dtype.kind in "OU"


def written(array: NDArray[Any]) -> NDArray[Any]:
    """Convert values to text; text is unchanged."""
    return array if array.dtype.kind == "O" else array.astype(np.str_, copy=False)


def value_of(text: Any) -> Decimal | str:
    """Parse text as a number or truth value; return other text unchanged.

    In columns without types, 0012, 12.0 and 12 are one value. All digits of integers are
    compared, which floats would lose.
    """
    stripped = unicodedata.normalize("NFC", str(text).strip())
    if stripped.lower() in TRUTH_VALUES:
        return TRUTH_VALUES[stripped.lower()]
    try:
        number = Decimal(stripped) if len(stripped) <= LONGEST_NUMBER else None
    except InvalidOperation:
        number = None
    return stripped if number is None or not number.is_finite() else number.normalize()
