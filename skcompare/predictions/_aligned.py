"""Columns of frames and files, record by record."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import Source, columns_of
from skcompare._typing import IntArray
from skcompare.predictions._from_arrays import LABELS
from skcompare.predictions._ids import KINDS, rows_by_id, written
from skcompare.predictions._places import Place, check_id


class Aligned(NamedTuple):
    """The values of each place, and the id of each record where there is one."""

    columns: list[NDArray[Any]]
    ids: NDArray[Any] | None


def aligned(places: Sequence[Place], id: str | None) -> Aligned:
    """The columns of each place, all in the order of the first place's records.

    Each frame is read once, because some engines give rows in another order each time.
    """
    sources = {place.source.key: place.source for place in places}
    check_id(places, id)
    tables = {}
    for key, source in sources.items():
        own = [place for place in places if place.source.key == key]
        names = [name for place in own for name in place.columns]
        tables[key] = columns_of(
            source,
            names if id is None else [*names, id],
            as_written=_texts(own) if id is None else _texts(own) | {id},
        )
    if id is None:
        return Aligned([_values(p, tables[p.source.key], {}) for p in places], None)
    for key, table in tables.items():
        _check_single("id", id, table[id], sources[key])
    rows = rows_by_id(sources, tables, id)
    columns = [_values(place, tables[place.source.key], rows) for place in places]
    return Aligned(columns, next(iter(tables.values()))[id])


def _check_single(role: str, name: str, column: NDArray[Any], source: Source) -> None:
    """Refuse a column with several values a record, which only probabilities have."""
    if column.ndim > 1:
        raise ValueError(
            f"`{role}` must be a column with one value a record. Got {name!r} of "
            f"{source.words}, of shape {column.shape}. Columns of it are "
            f"'{name}[0]', '{name}[1]' and so on."
        )


def _texts(places: Sequence[Place]) -> set[str]:
    """Columns of a file that stay text, unless another role needs their numbers."""
    texts = {name for place in places if place.as_written for name in place.columns}
    return texts - {name for p in places if not p.as_written for name in p.columns}


def _values(
    place: Place, table: dict[str, NDArray[Any]], rows: Mapping[Hashable, IntArray]
) -> NDArray[Any]:
    columns = [table[name] for name in place.columns]
    is_proba = place.name is not None and place.kind != LABELS and not place.is_list
    if not is_proba:
        for name, column in zip(place.columns, columns):
            _check_single(place.role, name, column, place.source)
    if place.is_list:
        for name, column in zip(place.columns, columns):
            if column.dtype.kind not in "biuf":
                raise ValueError(
                    f"Column {name!r} of {place.source.words} must hold probabilities of a "
                    f"class, as `{place.role}` is a list of columns. Got "
                    f"{KINDS.get(column.dtype.kind, column.dtype)}."
                )
        values = np.column_stack(columns).astype(np.float64, copy=False)
    else:
        values = columns[0]
    if place.as_written and not place.source.typed:
        values = written(values)
    order = rows.get(place.source.key)
    return values if order is None else values[order]
