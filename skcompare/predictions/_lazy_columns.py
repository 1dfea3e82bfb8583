"""Columns of truth and predictions in a table of a data frame engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from skcompare._io.columns import check_column, source_of
from skcompare._io.engine import Table, joined_tables, table_of
from skcompare.predictions._from_arrays import LABELS
from skcompare.predictions._from_frames import Place, check_id, place_of, places_of


@dataclass(frozen=True, slots=True)
class EngineColumns:
    """Columns of truth, predictions and groups of a table.

    Attributes
    ----------
    table : Table
        The table, joined if there were several.
    y_true : str or None
        Column of true labels.
    predictions : dict of str to tuple of str
        Columns of each classifier.
    proba : frozenset of str
        Classifiers whose columns are known to be probabilities: one column per class, or
        next to labels.
    labels : dict of str to str
        Columns of labels of classifiers that have both.
    groups : str or None
        Column of groups.
    known_as : dict of str to str
        User's name of each column.
    others : dict of str to str
        Further columns, by the user's names.
    """

    table: Table
    y_true: str | None
    predictions: dict[str, tuple[str, ...]]
    proba: frozenset[str]
    labels: dict[str, str]
    groups: str | None
    known_as: dict[str, str]
    others: Mapping[str, str] = field(default_factory=dict)

    def of_table(self, table: Table) -> "EngineColumns":
        """Return the same columns of another table, such as one with fewer records."""
        return replace(self, table=table)

    def read(self) -> list[Any]:
        """Read arrays of truth, of the single column of each classifier, and of groups."""
        names = [
            self.y_true,
            *(columns[0] for columns in self.predictions.values()),
            self.groups,
        ]
        arrays = self.table.read([name for name in names if name is not None])
        return [None if name is None else arrays[name] for name in names]


def columns_on_engine(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    lists: bool = True,
    others: Sequence[str] = (),
) -> EngineColumns | None:
    """Return columns on their engine, or None if better read into arrays.

    That is so if a frame is in memory, or a file is small. Parameters are those of
    :func:`predictions_from_frame`; without `lists` each classifier has one column, and
    `others` are further columns of `frame`.
    """
    main = source_of(frame)
    role_places = places_of(main, y_true, predictions, groups, lists)
    further = [place_of(f"column {name!r}", name, main) for name in others]
    places = [*role_places, *further]
    check_id(places, id)
    sources = {place.source.key: place.source for place in places}
    tables = {key: table_of(source) for key, source in sources.items()}
    if any(table is None for table in tables.values()):
        return None
    for place in places:
        for name in place.columns:
            check_column(place.source, name)
    names: dict[tuple[Any, str], str] = {}
    if id is None:
        (table,) = tables.values()
        (key,) = tables
        names = {(key, name): name for place in places for name in place.columns}
    else:
        for source in sources.values():
            check_column(source, id)
        table, renamed = joined_tables(
            [
                (source_table, _names_in(places, key))
                for key, source_table in tables.items()
            ],
            id,
        )
        for key, new_names in zip(tables, renamed, strict=True):
            names |= {(key, name): new for name, new in new_names.items()}
    columns = _assign_columns(table, role_places, names, y_true, groups)
    other_columns = {name: names[main.key, name] for name in others}
    return replace(columns, others=other_columns)


def _names_in(places: Sequence[Place], key: Any) -> list[str]:
    own_places = (place for place in places if place.source.key == key)
    return [name for place in own_places for name in place.columns]


def _assign_columns(
    table: Table,
    places: Sequence[Place],
    names: Mapping[tuple[Any, str], str],
    y_true: Any,
    groups: Any,
) -> EngineColumns:
    columns = [
        tuple(names[place.source.key, name] for name in place.columns) for place in places
    ]
    group = columns.pop()[0] if groups is not None else None
    truth = columns.pop(0)[0] if y_true is not None else None
    known_as = {new: name for (_, name), new in names.items()}
    prediction_places = [place for place in places if place.name is not None]
    predictions: dict[str, tuple[str, ...]] = {}
    labels, proba = {}, set()
    for place, place_columns in zip(prediction_places, columns, strict=True):
        name = str(place.name)
        if place.kind == LABELS:
            labels[name] = place_columns[0]
            continue
        predictions[name] = place_columns
        if place.is_list or place.kind is not None:
            proba.add(name)
    return EngineColumns(
        table, truth, predictions, frozenset(proba), labels, group, known_as
    )
