"""Predictions from named columns of data frames and files, joined by ids if necessary."""

import os
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.times import check_horizon
from skcompare._core.validation import unknown_name
from skcompare._io.columns import check_column, columns_of, source_of
from skcompare._io.engine import Table, joined_tables, table_of
from skcompare._io.readers import Source
from skcompare._registry.metrics import CLASSES, QUANTILES, SAMPLES
from skcompare._typing import ArrayLike, IntArray
from skcompare.predictions._forecasts import INTERVALS, OF_NUMBERS, columns_by_level
from skcompare.predictions._predictions import (
    LABELS,
    Part,
    Predictions,
    parts_of,
    predictions_from_arrays,
)

Y_TRUE, GROUPS, TIME = "y_true", "groups", "time"
"""Roles other than those of the predictions."""

DEPTHS: dict[Any, int] = {LABELS: 0, INTERVALS: 2, SAMPLES: 2}
"""Levels of lists that may name the columns of each kind of predictions; 1 of others."""

LISTS = (
    "",
    ", a list of names (one column per class, or per output)",
    ", a list of names, or such a list for each of several outputs",
)
"""Further forms of the names of columns, by the levels of lists."""


@dataclass(frozen=True, slots=True)
class Place:
    """Columns of a role, with the name of the classifier for predictions.

    `kind` is that of the predictions, if it is known. The columns of a record are an array
    of `shape`, in its order; a single column without a list has none.
    """

    role: str
    source: Source
    columns: tuple[str, ...]
    shape: tuple[int, ...]
    as_written: bool
    name: str | None = None
    kind: str | tuple[str, float] | None = None

    @property
    def is_part(self) -> bool:
        """Whether these are the labels or the probabilities of a classifier with both.

        So are the parts of a forecast: numbers, deviations, quantiles, ...
        """
        return self.role != self.name

    @property
    def is_forecast(self) -> bool:
        """Whether these are the columns of a kind of forecast of numbers."""
        return isinstance(self.kind, tuple) or self.kind in OF_NUMBERS

    @property
    def is_of_several(self) -> bool:
        """Whether each record has several numbers, other than the limits of an interval."""
        is_interval = isinstance(self.kind, tuple) and self.kind[0] == INTERVALS
        are_numbers = self.role == Y_TRUE or self.is_forecast
        return are_numbers and len(self.columns) > (2 if is_interval else 1)

    def put(self, parts: dict[str, Any], values: Any) -> None:
        """Add what the columns hold to the parts of their model, by kind and level."""
        own = parts.setdefault(str(self.name), {})
        if isinstance(self.kind, tuple):
            kind, share = self.kind
            own.setdefault(kind, {})[share] = values
        else:
            own[self.kind] = values


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """Columns of frames and files by their roles: truth, predictions, groups, time, others.

    The way in for all tables: columns are read into arrays, or stay on their engine. All
    are read at once, because some engines return records in another order each time.

    Parameters
    ----------
    frame, y_true, predictions, id, groups
        As in :func:`predictions_from_frame`.
    others : mapping of str to str or tuple, optional
        Further columns, such as those that define slices: by name the column, or a pair of
        another frame and its column. Columns of CSV files are read as they are written.
    same : sequence of tuple of (str or None, tuple), optional
        Further columns that must be equal to one of `others`, which is named, or to the
        true labels (None), record by record. Numbers in `others` may be written in several
        ways.
    kind : {"labels", "scores"}, optional
        Kind of all predictions, where each classifier has one column of a known kind.
    time : str or tuple, optional
        Column of the time of each record.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    """

    frame: Any
    y_true: Any
    predictions: Mapping[str, Any]
    id: str | None = None
    groups: Any = None
    others: Mapping[str, Any] = field(default_factory=dict)
    same: Sequence[tuple[str | None, Any]] = ()
    kind: str | None = None
    time: Any = None
    horizon: int = 1

    def __post_init__(self) -> None:
        check_horizon(self.horizon, self.time)
        object.__setattr__(self, "frame", source_of(self.frame))

    @property
    def is_numeric(self) -> bool:
        """Whether forecasts or several outputs are named, so that the target is numbers."""
        is_pair = isinstance(self.y_true, tuple) and len(self.y_true) == 2
        columns = self.y_true[1] if is_pair else self.y_true
        predictions = self.predictions.values()
        return isinstance(columns, list) or any(map(is_forecast, predictions))

    def places(self) -> list[Place]:
        """Return the columns of truth, predictions and groups, in this order."""
        if not isinstance(self.predictions, Mapping):
            raise TypeError(
                "`predictions` must be a dict of the classifiers' columns, such as "
                '{"old": "column", "new": "other column"}. Got '
                f"{type(self.predictions).__name__}."
            )
        places = []
        for name, value in self.predictions.items():
            known = None if self.kind is None else [Part(name, name, self.kind, value)]
            for part in known or column_parts(name, value):
                kind = part.kind[0] if isinstance(part.kind, tuple) else part.kind
                depth = DEPTHS.get(kind, 1) if known is None else 0
                place = place_of(part.title, part.value, self.frame, depth=depth)
                places.append(replace(place, name=name, kind=part.kind))
        if self.y_true is not None:
            places.insert(0, place_of(Y_TRUE, self.y_true, self.frame, depth=1))
        if self.groups is not None:
            places.append(place_of(GROUPS, self.groups, self.frame, as_written=True))
        if self.time is not None:
            places.append(place_of(TIME, self.time, self.frame))
        return places

    def _other_places(self) -> dict[str, Place]:
        return {
            name: place_of(f"column {name!r}", column, self.frame, as_written=True)
            for name, column in self.others.items()
        }

    def read(self) -> "ColumnValues":
        """Read all columns at once, in the order of the records of the first.

        Raises an error if columns that must be the same differ.
        """
        places, others = self.places(), self._other_places()
        again = [
            place_of(
                f"the second {Y_TRUE if name is None else name}",
                value,
                self.frame,
                depth=int(name is None),
                as_written=name is not None,
            )
            for name, value in self.same
        ]
        values, ids = aligned([*places, *others.values(), *again], self.id)
        for (name, _), place in zip(self.same, again):
            _check_same(places[0] if name is None else others[name], place, values, ids)
        further = {name: values[place] for name, place in others.items()}
        outputs = places[0].columns if self.y_true is not None and places[0].shape else ()
        time = next((values[place] for place in places if place.role == TIME), None)
        typed = typed_columns({p: values[p] for p in places})
        return ColumnValues(*typed, further, outputs, time, self.horizon)

    def on_engine(self) -> "EngineColumns | None":
        """Return the columns on their engine, or None if better read into arrays.

        That is so if a frame is in memory, or a file is small.
        """
        places, others = self.places(), self._other_places()
        located = _joined([*places, *others.values()], self.id)
        if located is None or any(place.is_of_several for place in places):
            return None
        if self.time is not None:
            # The order of records counts, which are then read.
            places = [place for place in places if place.role != TIME]
        if self.same:
            # Engines do not compare columns: this raises an error where they differ.
            replace(self, predictions={}, groups=None).read()
        table, names = located
        predictions: dict[str, tuple[str, ...]] = {}
        facts: dict[str, str] = {}
        labels, proba = {}, set()
        forecasts: dict[str, dict[str, Any]] = {}
        for place in places:
            columns = tuple(names[place.source.key, name] for name in place.columns)
            if place.name is None:
                facts[place.role] = columns[0]
            elif place.is_part and place.kind == LABELS:
                labels[place.name] = columns[0]
            elif place.is_forecast:
                place.put(forecasts, columns if len(columns) > 1 else columns[0])
                predictions.setdefault(place.name, columns)
            else:
                predictions[place.name] = columns
                if place.shape or place.is_part:
                    proba.add(place.name)
        return EngineColumns(
            table,
            facts.get(Y_TRUE),
            predictions,
            frozenset(proba),
            labels,
            facts.get(GROUPS),
            {new: name for (_, name), new in names.items()},
            {
                name: names[place.source.key, place.columns[0]]
                for name, place in others.items()
            },
            self.kind,
            {name: columns_by_level(name, own) for name, own in forecasts.items()},
        )


class ColumnValues(NamedTuple):
    """Truth, predictions and groups for `predictions_from_arrays`, and further columns."""

    truth: NDArray[Any] | None
    predictions: dict[str, Any]
    groups: NDArray[Any] | None
    others: dict[str, NDArray[Any]]
    outputs: tuple[str, ...] = ()
    time: NDArray[Any] | None = None
    horizon: int = 1

    def collected(
        self, labels: ArrayLike | None, pos_label: Any, target: str = CLASSES
    ) -> Predictions:
        """Construct predictions for one hold-out set."""
        return predictions_from_arrays(
            self.truth,
            self.predictions,
            labels=labels,
            pos_label=pos_label,
            groups=self.groups,
            target=target,
            outputs=self.outputs or None,
            time=self.time,
            horizon=self.horizon,
        )


def is_forecast(value: Any) -> bool:
    """Whether columns are those of numbers by their kind, such as "values" and "std"."""
    return isinstance(value, Mapping) and not OF_NUMBERS.isdisjoint(value)


def column_parts(name: str, value: Any) -> list[Part]:
    """Return the columns of one classifier, or those of each kind of a forecast."""
    if not is_forecast(value):
        return parts_of(name, value)
    unknown = [kind for kind in value if kind not in OF_NUMBERS]
    if unknown:
        raise unknown_name(f"kind of columns of `{name}`:", unknown[0], sorted(OF_NUMBERS))
    parts = []
    for kind, columns in value.items():
        if kind not in (QUANTILES, INTERVALS):
            parts.append(Part(name, f"{kind} of {name}", kind, columns))
            continue
        if not isinstance(columns, Mapping) or not columns:
            raise TypeError(
                f"{kind!r} of `{name}` must be a dict of columns by level or coverage. Got "
                f"{columns!r:.60}."
            )
        for share, own in columns.items():
            title = f"{kind.removesuffix('s')} {share} of {name}"
            parts.append(Part(name, title, (kind, share), own))
    return parts


def place_of(
    role: str,
    value: Any,
    main: Source,
    *,
    depth: int = 0,
    as_written: bool = False,
) -> Place:
    """Return the columns of one role, in lists of at most `depth` levels."""
    source = main
    if isinstance(value, tuple) and len(value) == 2:
        if isinstance(value[0], str) and not os.path.exists(value[0]):
            raise FileNotFoundError(
                f"`{role}` is a pair, but there is no file {value[0]!r}. Pass another "
                "frame or file and its columns, or a list of columns."
            )
        source = source_of(value[0], f"the frame of `{role}`")
        value = value[1]
    columns, shape = (value,), ()
    if depth and isinstance(value, list):
        names = np.array(value, dtype=object)
        columns, shape = tuple(names.ravel().tolist()), names.shape
    is_name = [isinstance(name, str) for name in columns]
    if not is_name or not all(is_name) or len(shape) > depth:
        got = f"{value!r:.60}" if isinstance(value, list) else type(value).__name__
        raise TypeError(
            f"`{role}` must be the name of a column{LISTS[depth]}, or a pair of another "
            f"frame or file and its column. Got {got}."
        )
    return Place(role, source, columns, shape, as_written)


def sources_of(places: Sequence[Place], id: Any) -> dict[Hashable, Source]:
    """Return the data frames by key, of which several need an `id` to be joined by."""
    sources = {place.source.key: place.source for place in places}
    if id is None and len(sources) > 1:
        listed = " and ".join(source.text for source in sources.values())
        raise ValueError(
            f"Columns of {listed} can only be joined by a column that identifies records, "
            "because the order of records may differ. Name it as `id`."
        )
    if id is not None and not isinstance(id, str):
        raise TypeError(f"`id` must be the name of a column. Got {type(id).__name__}.")
    return sources


def aligned(
    places: Sequence[Place], id: str | None
) -> tuple[dict[Place, NDArray[Any]], NDArray[Any] | None]:
    """Read the values of each place in the order of the records of the first one, and ids.

    Each frame is read once, because some engines return rows in another order each time.
    """
    sources = sources_of(places, id)
    ids = [] if id is None else [id]
    tables = {
        key: columns_of(
            source,
            [*_names_in(places, key), *ids],
            as_written={*_text_columns(places, key), *ids},
        )
        for key, source in sources.items()
    }
    rows = {}
    if id is not None:
        for key, table in tables.items():
            _check_single("id", id, table[id], sources[key])
        rows = rows_by_id(sources, tables, id)
    values = {place: _values(place, tables[place.source.key], rows) for place in places}
    return values, None if id is None else next(iter(tables.values()))[id]


def _check_single(role: str, name: str, column: NDArray[Any], source: Source) -> None:
    """Check that a column other than of probabilities has one value per record."""
    if column.ndim > 1:
        raise ValueError(
            f"`{role}` must be a column with one value per record. Got {name!r} of "
            f"{source.text}, of shape {column.shape}. Columns of it are "
            f"'{name}[0]', '{name}[1]' and so on."
        )


def _names_in(places: Sequence[Place], key: Hashable) -> list[str]:
    own_places = (place for place in places if place.source.key == key)
    return [name for place in own_places for name in place.columns]


def _text_columns(places: Sequence[Place], key: Hashable) -> set[str]:
    """Return columns of a file that stay text, unless another role needs numbers."""
    texts = [place for place in places if place.as_written]
    others = [place for place in places if not place.as_written]
    return {*_names_in(texts, key)} - {*_names_in(others, key)}


def _joined(
    places: Sequence[Place], id: str | None
) -> tuple[Table, dict[tuple[Hashable, str], str]] | None:
    """Return one table on an engine, and the name in it of each column of each source.

    None if a frame is in memory, or a file is small.
    """
    sources = sources_of(places, id)
    tables = {key: table_of(source) for key, source in sources.items()}
    if any(table is None for table in tables.values()):
        return None
    for place in places:
        for name in place.columns:
            check_column(place.source, name)
    if id is None:
        ((key, table),) = tables.items()
        return table, {(key, name): name for name in _names_in(places, key)}
    for source in sources.values():
        check_column(source, id)
    requested = [(table, _names_in(places, key)) for key, table in tables.items()]
    table, renamed = joined_tables(requested, id)
    by_key = zip(tables, renamed, strict=True)
    return table, {(key, name): new for key, names in by_key for name, new in names.items()}


def _values(
    place: Place, table: dict[str, NDArray[Any]], rows: Mapping[Hashable, IntArray]
) -> NDArray[Any]:
    columns = [table[name] for name in place.columns]
    may_be_array = place.name is not None and place.kind != LABELS
    if not may_be_array or place.shape:
        for name, column in zip(place.columns, columns):
            _check_single(place.role, name, column, place.source)
    if place.shape:
        for name, column in zip(place.columns, columns):
            if column.dtype.kind not in "biuf":
                raise ValueError(
                    f"Column {name!r} of {place.source.text} must hold "
                    f"{_listed_text(place)}, as `{place.role}` is a list of columns. Got "
                    f"{KINDS.get(column.dtype.kind, column.dtype)}."
                )
        values = np.column_stack(columns).astype(np.float64, copy=False)
        values = values.reshape(-1, *place.shape)
    else:
        values = columns[0]
    if place.as_written and not place.source.typed:
        values = written(values)
    order = rows.get(place.source.key)
    return values if order is None else values[order]


def _listed_text(place: Place) -> str:
    """Content of columns in a list, as text."""
    is_proba = place.name is not None and place.kind in (None, "proba")
    return "probabilities of a class" if is_proba else "numbers"


def predictions_from_frame(
    frame: Any,
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    id: str | None = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    target: str = CLASSES,
    time: Any = None,
    horizon: int = 1,
) -> Predictions:
    """Construct predictions for one hold-out set from columns of data frames or files.

    Parameters
    ----------
    frame : frame, str or path-like
        A frame of pandas, Polars, PyArrow or another library that narwhals knows, or the
        path of a file, such as CSV or Parquet. Columns that are not named are not read,
        as far as the format allows.
    y_true : str, list of str or None
        Column of true labels, or columns of the true numbers of several outputs; None if
        they are unknown.
    predictions : mapping of str to str, list of str, dict, or tuple
        For each classifier its column in `frame`: labels, or probabilities of
        `pos_label`, distinguished as in :func:`predictions_from_arrays`; or a list of
        columns, the probabilities of each class in sorted order, or the name of an array
        of these in an `.npz` file; or both labels and probabilities, as
        ``{"labels": column, "proba": column or columns}``. Forecasts are a dict of the
        columns of each kind: ``{"values": ..., "std": ...}``, ``{"quantiles": {0.1: ...,
        0.5: ..., 0.9: ...}}``, ``{"values": ..., "intervals": {0.9: [low, high]}}`` or
        ``{"samples": [...]}``. For several outputs each column, pair of limits or list of
        draws is a list of these, one per output in the order of `y_true`: ``{"values":
        ["a", "b"], "intervals": {0.9: [["a_low", "a_high"], ["b_low", "b_high"]]}}``. A
        pair `(other_frame, columns)` takes columns from another frame or file.
    id : str, optional
        Column that identifies records, in every frame. Frames are joined by it, whatever
        the order of their records; each id must occur once in each of them. Text and
        numbers are compared as they are written. Required for more than one frame.
    groups : str, optional
        Column of the group of each record (patient, user).
    labels, pos_label, target, horizon
        As in :func:`predictions_from_arrays`.
    time : str, optional
        Column of the time of each record, whose order then counts: numbers, timestamps, or
        text of ISO 8601.

    Returns
    -------
    predictions : Predictions
        In the order of the records in `frame`.

    Raises
    ------
    ValueError
        If there is no such column, a value is missing, or ids do not match.
    MissingDependencyError
        If the library that reads such frames or files is not installed.

    Notes
    -----
    Columns of CSV files have no types. A column has integers if all its fields are
    integers in their usual form ("01" and "1" are different labels), floats if all are
    numbers, and text otherwise. If labels are text, numbers are probabilities, unless
    they are written as these labels are. Ids and groups stay text.

    Examples
    --------
    >>> import pandas as pd
    >>> truth = pd.DataFrame({"id": [1, 2, 3], "y": ["no", "yes", "no"]})
    >>> predictions = pd.DataFrame({"id": [3, 1, 2], "p_no": [1, 0.9, 0.4]})
    >>> predictions = predictions_from_frame(
    ...     truth, "y", {"new": (predictions, "p_no")}, id="id", pos_label="no"
    ... )
    >>> predictions["new"].proba[:, 0].tolist()
    [0.9, 0.4, 1.0]
    """
    roles = ColumnRoles(frame, y_true, predictions, id, groups, time=time, horizon=horizon)
    return roles.read().collected(labels, pos_label, target)


def typed_columns(
    values: Mapping[Place, NDArray[Any]],
) -> tuple[NDArray[Any] | None, dict[str, Any], NDArray[Any] | None]:
    """Return truth, predictions and groups of columns, with types for CSV files."""
    predicted = {place: values[place] for place in values if place.name is not None}
    facts = {place.role: place for place in values if place.name is None}
    truth, group = (values[facts[r]] if r in facts else None for r in (Y_TRUE, GROUPS))
    if truth is not None and not facts[Y_TRUE].source.typed:
        # Text as well, if any predicted labels are.
        truth = written(truth) if any(map(is_text, predicted.values())) else truth
    if not all(place.source.typed for place in predicted):
        base = list(predicted.values()) if truth is None else [truth]
        texts = {label for array in base if is_text(array) for label in array.tolist()}
        for place in predicted:
            if not place.source.typed:
                predicted[place] = _typed_predictions(place, predicted[place], texts)
    arrays: dict[str, Any] = {}
    for place, column in predicted.items():
        if place.is_part:
            place.put(arrays, column)
        else:
            arrays[str(place.name)] = column
    return truth, arrays, group


def _typed_predictions(
    place: Place, values: NDArray[Any], text_labels: set[Any]
) -> NDArray[Any]:
    """Infer the type of predictions of a CSV file, whose columns have no types.

    Next to text labels, numbers of an unknown kind are labels or probabilities.
    """
    if place.kind == LABELS:
        return written(values) if text_labels else values
    is_known = place.kind is not None or not text_labels
    if is_known or values.dtype.kind not in "if" or values.ndim > 1:
        return values
    distinct = np.unique(values)
    if len(distinct) <= len(text_labels) and text_labels.issuperset(
        written(distinct).tolist()
    ):
        return written(values)
    return values.astype(np.float64)


NUMBERS = "biuf"
"""Kinds of dtypes that are compared by value."""


def _check_same(
    place: Place,
    repeated: Place,
    columns: Mapping[Place, NDArray[Any]],
    ids: NDArray[Any] | None,
) -> None:
    """Raise an error if true labels or other values differ between two columns."""
    is_truth = place.role == Y_TRUE
    values, other_values = left, right = columns[place], columns[repeated]
    if not {left.dtype.kind, right.dtype.kind} <= set(NUMBERS):
        left, right = written(left), written(right)
    different = np.not_equal(left, right)
    if different.ndim == 2:
        different = different.any(axis=1)
    if not is_truth and is_text(left):
        # The types of columns of CSV files are unknown.
        rows = np.flatnonzero(different)
        different[rows] = [
            value_of(a) != value_of(b) for a, b in zip(left[rows], right[rows])
        ]
    if not different.any():
        return
    rows = np.flatnonzero(different)
    where = f"record {rows[0] + 1}" if ids is None else f"id {first_of(ids[rows], 1)}"
    listed = first_of(rows + 1) if ids is None else first_of(ids[rows])
    noun = "records" if ids is None else "ids"
    advice = "Correct one of them, or leave the column out of the second file."
    if is_truth:
        advice = "Both predictions must be about the same truth."
    raise ValueError(
        f"{'True labels' if is_truth else 'Facts about records'} differ between column "
        f"{place.columns[0]!r} of {place.source.text} and column "
        f"{repeated.columns[0]!r} of {repeated.source.text} in {len(rows):,} of "
        f"{len(values):,} records, {noun} {listed}: {where} has {values[rows[0]]!s:.40} "
        f"and {other_values[rows[0]]!s:.40}. {advice}"
    )


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
    kind : {"labels", "scores"} or None
        Kind of the single column of each classifier, where it is known: labels, or scores
        of any range that are greater for the positive class.
    forecasts : mapping of str to mapping
        Columns of forecasts that say how uncertain they are: by regressor those of
        "values" and "std", and those of quantiles by level.
    """

    table: Table
    y_true: str | None
    predictions: dict[str, tuple[str, ...]]
    proba: frozenset[str]
    labels: dict[str, str]
    groups: str | None
    known_as: dict[str, str]
    others: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    forecasts: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)


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
            raise ValueError(
                f"Ids must identify records. Column {id!r} of {sources[key].text} has "
                f"{some_ids(np.unique(repeated))} more than once. Keep one record of each."
            )
    first, *others = ids
    rows: list[IntArray | None] = []
    for key in others:
        if not np.array_equal(ordered[first], ordered[key]):
            raise ValueError(
                f"Column {id!r} of {sources[first].text} and of {sources[key].text} must "
                f"hold the same ids: {_difference(ids, sources, first, key)}. Keep the "
                "records that all have, so that none is dropped silently."
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
