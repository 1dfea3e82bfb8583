"""Frames on engines: what is asked of them is aggregates only."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.arrays import array_of_series, from_native, narwhals_module
from skcompare._io.columns import FILES, Dataset, Frame, is_dataset
from skcompare._io.parquet import (
    ParquetFile,
    Scanned,
    refused_if_damaged,
    scanned_dataset,
    scanned_file,
)

PLAIN = "skcompare_{}"
"""Names of the columns that are made, whatever those of the frame are called."""


class Program:
    """Columns of a lazy frame, made step by step, and counted by one group-by.

    The same functions make columns of arrays and of frames: they take `+`, `-`, `*`, `/`,
    comparisons, `&` and `|` from what they get, and the rest from an object like this one.

    A comparison with a missing value is neither true nor false for most engines: where it
    decides, it counts as false. So a condition says what is good, and never what is bad.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The records.
    columns : dict of str to tuple of (str, str)
        For each name that the program uses the column and its kind of value.
    """

    def __init__(self, frame: Any, columns: dict[str, tuple[str, str]]) -> None:
        import narwhals

        self._nw = narwhals
        # pandas keeps missing values in conditions; nowhere else is there any harm.
        self._fills = frame.implementation.is_dask()
        self._is_polars = frame.implementation.is_polars()
        self._n = 0
        taken = {name: self._read(*column) for name, column in columns.items()}
        self._at = {name: PLAIN.format(i) for i, name in enumerate(taken)}
        self._n = len(taken)
        self._frame = frame.select(
            *(column.alias(self._at[name]) for name, column in taken.items())
        )

    def column(self, name: str) -> Any:
        """A column by the name that the program uses."""
        return self._nw.col(self._at[name])

    def let(self, *values: Any) -> tuple[Any, ...]:
        """The values as columns, so that what is used several times is computed once."""
        names = [PLAIN.format(self._n + i) for i in range(len(values))]
        self._n += len(values)
        self._frame = self._frame.with_columns(
            *(value.alias(name) for value, name in zip(values, names, strict=True))
        )
        return tuple(self._nw.col(name) for name in names)

    def where(self, condition: Any, value: Any, otherwise: Any) -> Any:
        """`value` where a condition is true, else `otherwise`, also where it is missing."""
        if self._fills:
            condition = condition.fill_null(False)
        return (
            self._nw.when(condition)
            .then(self._value(value))
            .otherwise(self._value(otherwise))
        )

    def flag(self, condition: Any) -> Any:
        """1.0 where a condition of values that are all there is true, else 0.0."""
        return condition.cast(self._nw.Float64)

    def share(self, part: Any, whole: int) -> Any:
        """A number divided by a whole one, rounded once."""
        # Polars multiplies by the reciprocal of a constant, which is rounded twice.
        return part / (part * 0.0 + float(whole) if self._is_polars else float(whole))

    def floor(self, value: Any) -> Any:
        """The greatest whole number that is not above a fraction, as a fraction."""
        # Releases of narwhals before 2.15 lack it.
        return value.floor() if hasattr(value, "floor") else value // 1

    def whole(self, value: Any) -> Any:
        """As an integer of 64 bits."""
        return value.cast(self._nw.Int64)

    def log(self, value: Any) -> Any:
        """The natural logarithm of a number above 0."""
        return value.log()

    def sqrt(self, value: Any) -> Any:
        """The square root."""
        return value.sqrt()

    @property
    def frame(self) -> Any:
        """The lazy frame with the columns made so far."""
        return self._frame

    def grouped(self, keys: Sequence[Any], sums: Sequence[Any], count: str) -> Any:
        """The groups of equal keys: keys, count of records, and sums, as a lazy frame."""
        nw = self._nw
        key_names = [f"skcompare_key_{i}" for i in range(len(keys))]
        sum_names = [f"skcompare_sum_{i}" for i in range(len(sums))]
        made = zip((*keys, *sums), (*key_names, *sum_names), strict=True)
        frame = self._frame.select(*(value.alias(name) for value, name in made))
        counted = nw.len().alias(count)
        totals = (nw.col(name).sum() for name in sum_names)
        return frame.group_by(*key_names).agg(counted, *totals)

    def extremes(self, value: Any) -> Any:
        """The least and the greatest of a value, as a lazy frame of one record."""
        low, high = self._nw.col("low"), self._nw.col("high")
        frame = self._frame.select(value.alias("low"), value.alias("high"))
        return frame.select(low.min(), high.max())

    def spans(self, key: Any, value: Any) -> Any:
        """The count, and the least and greatest of a value, by a key; a lazy frame."""
        nw = self._nw
        frame = self._frame.select(
            key.alias("key"), value.alias("low"), value.alias("high")
        )
        return frame.group_by("key").agg(
            nw.len().alias("count"), nw.col("low").min(), nw.col("high").max()
        )

    def _read(self, name: str, kind: str) -> Any:
        column = self._nw.col(name)
        if kind == "text":
            return column.cast(self._nw.String)
        if kind == "whole":
            # Sums and products of small integers overflow.
            return column.cast(self._nw.Int64)
        if kind == "fraction":
            return column.cast(self._nw.Float64)
        return column

    def _value(self, value: Any) -> Any:
        return self._nw.lit(value) if isinstance(value, float | int | str) else value


HEAD = 20_000
"""Records that are looked at before all are counted."""

COUNT = "skcompare_count"


class Groups(NamedTuple):
    """Groups of records: their keys, counts, and sums."""

    keys: list[NDArray[Any]]
    counts: NDArray[np.int64]
    sums: list[NDArray[np.float64]]


class Table:
    """A lazy frame on an engine, of which aggregates are asked and never all records.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The frame.
    words : str
        What messages call it.
    kept : object, optional
        What must live as long as the frame, such as a connection.
    is_file : bool, default=False
        Whether it is made of Parquet files, so that what fails is their reading.
    """

    def __init__(
        self, frame: Any, words: str, kept: Any = None, *, is_file: bool = False
    ) -> None:
        self.frame = frame
        self.words = words
        self.is_file = is_file
        self._kept = kept
        self._schema: Mapping[str, Any] | None = None

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return str(self.frame.implementation.name).lower()

    @property
    def schema(self) -> Mapping[str, Any]:
        """The type of each column."""
        if self._schema is None:
            with self._refused():
                self._schema = self.frame.collect_schema()
        return self._schema

    def kind(self, name: str) -> str:
        """What a column holds: "text", "boolean", "whole", "fraction" or "date"."""
        nw = narwhals_module()
        dtype = self.schema[name]
        if dtype in (nw.String, nw.Categorical, nw.Enum):
            return "text"
        if dtype == nw.Boolean:
            return "boolean"
        if dtype.is_integer():
            return "whole"
        if dtype.is_numeric():
            return "fraction"
        if dtype.is_temporal():
            return "date"
        raise ValueError(
            f"Column {name!r} of {self.words} must hold one value a record: numbers, text, "
            f"True and False, or dates. Got {dtype}. Make columns of its parts, a column "
            "a class for probabilities, or convert it."
        )

    def n_records(self) -> int:
        """The number of records."""
        nw = narwhals_module()
        # Not all engines count a frame without columns.
        name = next(iter(self.schema))
        found = self.collected(self.frame.select(nw.col(name)).select(nw.len()))
        return int(found[found.columns[0]].to_list()[0])

    def only(self, values: Mapping[str, Sequence[Any]]) -> "Table":
        """The records with one of the values in each of some columns.

        Values of another type than a column's occur in none of its records.
        """
        nw = narwhals_module()
        frame = self.frame
        for name, wanted in values.items():
            kind = self.kind(name)
            if kind == "text":
                known: list[Any] = [str(value) for value in wanted]
            else:
                is_boolean = kind == "boolean"
                known = [
                    value
                    for value in wanted
                    if not isinstance(value, str) and isinstance(value, bool) is is_boolean
                ]
            column = nw.col(name).cast(nw.String) if kind == "text" else nw.col(name)
            # Not all engines take a filter that looks at no column.
            none = column.is_null() & ~column.is_null()
            frame = frame.filter(column.is_in(known) if known else none)
        return Table(frame, self.words, self, is_file=self.is_file)

    def head(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """The first records, without those that lack a value."""
        columns = {f"h{i}": (name, self.kind(name)) for i, name in enumerate(names)}
        program = self.program(columns)
        found = self.collected(program.frame.head(HEAD))
        missing = np.zeros(len(found), dtype=bool)
        for series in found.iter_columns():
            missing |= _missing(series)
        kept = found.filter((~missing).tolist()) if missing.any() else found
        return {
            name: array_of_series(narwhals_module(), name, series)
            for name, series in zip(names, kept.iter_columns(), strict=True)
        }

    def few_values(self, name: str, most: int) -> NDArray[np.float64] | None:
        """All different numbers of a column, or None where there are more than `most`.

        Each look brings some records with other values than those known, so that a column
        of very many values is never held, whatever the order of the records.
        """
        nw = narwhals_module()
        value = nw.col(name).cast(nw.Float64)
        known: NDArray[np.float64] = np.empty(0)
        while len(known) <= most:
            others = self.frame.select(value.alias("value"))
            if len(known):
                others = others.filter(~nw.col("value").is_in(known.tolist()))
            found = self.collected(others.head(HEAD))["value"]
            more = found.filter(~found.is_null()).to_numpy().astype(np.float64)
            more = np.unique(more[~np.isnan(more)])
            if not len(more):
                return known
            known = np.union1d(known, more)
        return None

    def program(self, columns: dict[str, tuple[str, str]]) -> Program:
        """A program over columns, each with its kind of value."""
        dotted = [name for name, _ in columns.values() if "." in name]
        if dotted and self.engine == "pyspark":
            raise ValueError(
                f"PySpark takes {dotted[0]!r} for a part of a nested column, because of "
                "the dot. Rename the column, for example by `withColumnRenamed`."
            )
        return Program(self.frame, columns)

    def counted(self, names: Sequence[str]) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
        """The different values of some columns together, and their records."""
        program = self.program({name: (name, self.kind(name)) for name in names})
        return self.grouped(program, [program.column(name) for name in names], [], names)[
            :2
        ]

    def grouped(
        self,
        program: Program,
        keys: Sequence[Any],
        sums: Sequence[Any],
        names: Sequence[str],
    ) -> Groups:
        """Keys, counts and sums of all groups, from one group-by.

        Parameters
        ----------
        program : Program
            What makes the columns.
        keys, sums : sequence of expressions
            What records are grouped by, and what is added up.
        names : sequence of str
            What messages call the keys.
        """
        found = self.collected(program.grouped(keys, sums, COUNT))
        counts = found[COUNT].to_numpy().astype(np.int64)
        if not counts.sum():
            raise ValueError(f"{self.words} must have at least one record. Got none.")
        columns = [found[name] for name in found.columns]
        own, totals = columns[: len(names)], columns[len(names) + 1 :]
        for name, series in zip(names, own, strict=True):
            missing = int(counts[_missing(series)].sum())
            if missing:
                raise ValueError(
                    f"Column {name!r} of {self.words} must not have missing values. Got "
                    f"{missing:,} of {int(counts.sum()):,} records. Drop these records, or "
                    "name a value for them."
                )
        nw = narwhals_module()
        return Groups(
            [
                array_of_series(nw, name, series)
                for name, series in zip(names, own, strict=True)
            ],
            counts,
            [_number(series) for series in totals],
        )

    def spans(self, program: Program, key: Any, value: Any) -> tuple[NDArray[Any], ...]:
        """Keys, their records, and the least and greatest of a value with each key."""
        found = self.collected(program.spans(key, value))
        names = ("key", "count", "low", "high")
        keys, counts, low, high = (found[name].to_numpy() for name in names)
        return keys.astype(np.int64), counts.astype(np.int64), low, high

    def range(self, program: Program, value: Any) -> tuple[float, float]:
        """The least and the greatest of a value."""
        found = self.collected(program.extremes(value))
        low, high = (float(found[name].to_list()[0]) for name in found.columns)
        return low, high

    def read(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """All records of some columns, in arrays."""
        nw = narwhals_module()
        found = self.collected(self.frame.select(*dict.fromkeys(names)))
        return {
            name: array_of_series(nw, name, found[name], self.words)
            for name in found.columns
        }

    def collected(self, frame: Any) -> Any:
        """A lazy frame of this engine, computed."""
        with self._refused():
            return _streamed(frame) if self.engine == "polars" else frame.collect()

    def _refused(self) -> AbstractContextManager[None]:
        return refused_if_damaged(self.words) if self.is_file else nullcontext()


def _streamed(frame: Any) -> Any:
    """What Polars computes batch by batch, so that memory does not grow with records."""
    try:
        return frame.collect(engine="streaming")
    except TypeError:
        # Releases before 1.23 call it by another name, and stream few queries.
        return frame.collect()


def _missing(series: Any) -> NDArray[np.bool_]:
    """Where a collected column has no value or NaN."""
    nw = narwhals_module()
    missing = np.array(series.is_null().to_numpy(), dtype=bool)
    if series.dtype in (nw.Float64, nw.Float32):
        missing |= np.isnan(series.to_numpy().astype(np.float64))
    return missing


def _number(series: Any) -> NDArray[np.float64]:
    return series.to_numpy().astype(np.float64)


def table_of(frame: Any, words: str = "`frame`", *, whole_file: bool = False) -> Any:
    """A frame on an engine as a :class:`Table`; None for what is better read into arrays.

    Engines are lazy frames of Polars, DuckDB, Dask, PySpark and others that narwhals
    knows, datasets of pyarrow, and Parquet files too large to be read at once. Frames in
    memory, small Parquet files and all files of other formats are read.

    Parameters
    ----------
    frame : frame, str, path-like, Source or Table
        What was passed.
    words : str
        What messages call a frame.
    whole_file : bool, default=False
        Whether small Parquet files are left to an engine, too.
    """
    if isinstance(frame, Table):
        return frame
    if isinstance(frame, ParquetFile):
        with refused_if_damaged(frame.words):
            return _table(scanned_file(frame.path, whole_file), frame.words, is_file=True)
    if isinstance(frame, FILES):
        return None
    if isinstance(frame, Frame | Dataset):
        frame, words = frame.native, frame.words
    if is_dataset(frame):
        return _table(scanned_dataset(frame), words)
    try:
        found = from_native(frame)
    except TypeError:
        return None
    is_lazy = isinstance(found, narwhals_module().LazyFrame)
    return Table(found, words) if is_lazy else None


def _table(scanned: Scanned | None, words: str, *, is_file: bool = False) -> Table | None:
    if scanned is None:
        return None
    return Table(scanned.frame, words, scanned.kept, is_file=is_file)


ID = "skcompare_id"


def joined_tables(
    tables: Sequence[tuple[Table, Sequence[str]]], id: str
) -> tuple[Table, list[dict[str, str]]]:
    """Some columns of several tables, side by side for each id.

    Parameters
    ----------
    tables : sequence of (Table, sequence of str)
        Tables of one engine and the columns that are taken of each.
    id : str
        Column that each table has.

    Returns
    -------
    table : Table
        The joined table.
    names : list of dict of str to str
        For each table what its columns are called in it.

    Raises
    ------
    ValueError
        If an id is missing or repeated, or a table lacks ids of another one.
    """
    engines = {table.engine for table, _ in tables}
    if len(engines) > 1:
        words = " and ".join(f"{table.words} ({table.engine})" for table, _ in tables)
        raise ValueError(
            f"Frames can only be joined on one engine. Got {words}. Move them to one "
            "engine, or read all of them into memory."
        )
    kinds = {table.kind(id) for table, _ in tables}
    as_text = len(kinds) > 1
    if not kinds <= {"text", "whole"} and as_text:
        words = ", ".join(f"{table.words} has {table.kind(id)}" for table, _ in tables)
        raise ValueError(
            f"Ids must be of one type to be compared: {words}. Convert them to text."
        )
    frames, names = [], []
    for i, (table, columns) in enumerate(tables):
        own = {name: f"skcompare_{i}_{j}" for j, name in enumerate(dict.fromkeys(columns))}
        frames.append(_selected(table, own, id, as_text))
        names.append(own)
    kept = [table for table, _ in tables]
    words = " and ".join(table.words for table in kept)
    is_file = all(table.is_file for table in kept)
    sizes = [_n_unique(table, frame, id) for (table, _), frame in zip(tables, frames)]
    whole = frames[0]
    for i, frame in enumerate(frames[1:], start=1):
        ids = frames[0].select(ID).join(frame.select(ID), on=ID, how="inner")
        n_both = Table(ids, words, is_file=is_file).n_records()
        _check_all(tables[0][0], tables[i][0], id, (sizes[0], sizes[i], n_both))
        whole = whole.join(frame, on=ID, how="inner")
    return Table(whole, words, kept, is_file=is_file), names


def _selected(table: Table, names: dict[str, str], id: str, as_text: bool) -> Any:
    nw = narwhals_module()
    own = nw.col(id).cast(nw.String) if as_text else nw.col(id)
    taken = (nw.col(name).alias(new) for name, new in names.items())
    return table.frame.select(own.alias(ID), *taken)


def _n_unique(table: Table, frame: Any, id: str) -> int:
    """The number of records, each of which must have an id of its own."""
    nw = narwhals_module()
    often = frame.select(ID).group_by(ID).agg(nw.len().alias("often"))
    twice = nw.when(nw.col("often") > 1).then(nw.lit(1)).otherwise(nw.lit(0))
    missing = nw.when(nw.col(ID).is_null()).then(nw.col("often")).otherwise(nw.lit(0))
    counted = often.select(
        nw.col("often"), twice.alias("twice"), missing.alias("missing")
    ).select(nw.col("often").sum(), nw.col("twice").sum(), nw.col("missing").sum())
    found = table.collected(counted)
    n, n_twice, n_missing = (int(found[name].to_list()[0] or 0) for name in found.columns)
    if n_missing:
        raise ValueError(
            f"Column {id!r} of {table.words} must not have missing values. Got "
            f"{n_missing:,} of {n:,} records. Ids tell records apart: drop these."
        )
    if n_twice:
        raise ValueError(
            f"Ids must tell records apart. Column {id!r} of {table.words} has {n_twice:,} "
            "of them more than once. Keep one record of each."
        )
    return n


def _check_all(first: Table, other: Table, id: str, sizes: tuple[int, int, int]) -> None:
    n_first, n_other, n_both = sizes
    lacks = [
        f"{table.words} lacks {n - n_both:,} of them"
        for table, n in ((other, n_first), (first, n_other))
        if n > n_both
    ]
    if lacks:
        raise ValueError(
            f"Column {id!r} of {first.words} and of {other.words} must hold the same ids: "
            f"{' and '.join(lacks)}. Keep the records that all have, so that none is left "
            "out in silence."
        )
