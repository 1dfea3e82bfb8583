"""Aggregation of data frames on query engines."""

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import (
    Frame,
    ParquetFile,
    array_of_series,
    first_installed,
    from_native,
    narwhals_module,
    refused_if_damaged,
)
from skcompare._io.readers import Source

PLAIN = "skcompare_{}"
"""Pattern of the names of computed columns, different from those of the frame."""


class Program:
    """Program that computes columns of a lazy frame, to be aggregated by one group-by.

    The same functions compute columns of arrays and of frames: they use `+`, `-`, `*`, `/`,
    comparisons, `&` and `|` of their arguments, and other operations of such an object.

    A comparison with a missing value is neither true nor false for most engines, and counts
    as false in a condition. So a condition states what is valid, and never what is not.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The records.
    columns : dict of str to tuple of (str, str)
        Column and its kind of values, for each name that the program uses.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        Frame with all columns computed so far.
    """

    def __init__(self, frame: Any, columns: dict[str, tuple[str, str]]) -> None:
        self._nw = narwhals_module()
        # pandas (in Dask) keeps missing values in conditions; other engines need no
        # filling.
        self._fills = frame.implementation.is_dask()
        self._is_polars = frame.implementation.is_polars()
        self._n = 0
        selected = {name: self._read(*column) for name, column in columns.items()}
        self._at = {name: PLAIN.format(i) for i, name in enumerate(selected)}
        self._n = len(selected)
        self.frame = frame.select(
            *(column.alias(self._at[name]) for name, column in selected.items())
        )

    def column(self, name: str) -> Any:
        """Return a column by its name in the program."""
        return self._nw.col(self._at[name])

    def let(self, *values: Any) -> tuple[Any, ...]:
        """Store values as columns, so that repeated use computes them once."""
        names = [PLAIN.format(self._n + i) for i in range(len(values))]
        self._n += len(values)
        self.frame = self.frame.with_columns(
            *(value.alias(name) for value, name in zip(values, names, strict=True))
        )
        return tuple(self._nw.col(name) for name in names)

    def where(self, condition: Any, value: Any, otherwise: Any) -> Any:
        """Select `value` where a condition is true, and `otherwise` if false or missing."""
        if self._fills:
            condition = condition.fill_null(False)
        return (
            self._nw.when(condition)
            .then(self._value(value))
            .otherwise(self._value(otherwise))
        )

    def checked(self, values: Any, condition: Any, expected: str, advice: str) -> Any:
        """Return the values, with NaN where a condition fails, which no sum hides."""
        return self.where(condition, values, float("nan"))

    def flag(self, condition: Any) -> Any:
        """Convert a condition without missing values to 1.0 or 0.0."""
        return condition.cast(self._nw.Float64)

    def share(self, part: Any, whole: int) -> Any:
        """Quotient of a number and an integer, rounded once."""
        # Polars multiplies by the reciprocal of a constant, which is rounded twice.
        return part / (part * 0.0 + float(whole) if self._is_polars else float(whole))

    def floor(self, value: Any) -> Any:
        """Floor of a float, as a float."""
        # Releases of narwhals before 2.15 lack it.
        return value.floor() if hasattr(value, "floor") else value // 1

    def whole(self, value: Any) -> Any:
        """Convert a value to a 64-bit integer."""
        return value.cast(self._nw.Int64)

    def abs(self, value: Any) -> Any:
        """Absolute value."""
        return value.abs()

    def log(self, value: Any) -> Any:
        """Natural logarithm of a positive number."""
        return value.log()

    def sqrt(self, value: Any) -> Any:
        """Square root of a value."""
        return value.sqrt()

    def exp(self, value: Any) -> Any:
        """Exponential of a value."""
        return value.exp()

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


LARGEST = float(np.finfo(np.float64).max)
"""Largest finite number."""

HEAD = 20_000
"""Number of records that are inspected before all are counted."""

COUNT = "skcompare_count"


class Groups(NamedTuple):
    """Groups of records with their keys, counts, sums and maxima."""

    keys: list[NDArray[Any]]
    counts: NDArray[np.int64]
    sums: list[NDArray[np.float64]]
    maxima: list[NDArray[np.float64]]


class Table:
    """Lazy frame on a query engine, from which aggregates are computed.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The frame.
    text : str
        Name in messages.
    kept : object, optional
        Object that must live as long as the frame, such as a connection.
    is_file : bool, default=False
        Whether it reads Parquet files, so that errors are attributed to these.
    """

    def __init__(
        self, frame: Any, text: str, kept: Any = None, *, is_file: bool = False
    ) -> None:
        self.frame = frame
        self.text = text
        self.is_file = is_file
        self._kept = kept

    @property
    def engine(self) -> str:
        """Name of the engine."""
        return str(self.frame.implementation.name).lower()

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """Type of each column."""
        with self._refused():
            schema: Mapping[str, Any] = self.frame.collect_schema()
            return schema

    def kind(self, name: str) -> str:
        """Kind of values of a column: "text", "boolean", "whole", "fraction" or "date"."""
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
            f"Column {name!r} of {self.text} must hold one value per record: numbers, "
            f"text, True and False, or dates. Got {dtype}. Make columns of its parts, one "
            "column per class for probabilities, or convert it."
        )

    def n_records(self) -> int:
        """Number of records."""
        nw = narwhals_module()
        # Not all engines count a frame without columns.
        name = next(iter(self.schema))
        result = self.collected(self.frame.select(nw.col(name)).select(nw.len()))
        return int(result[result.columns[0]].to_list()[0])

    def only(self, values: Mapping[str, Sequence[Any]]) -> "Table":
        """Select the records with one of the given values in each of some columns.

        Values of another type than that of the column occur in no record.
        """
        nw = narwhals_module()
        frame = self.frame
        for name, accepted in values.items():
            kind = self.kind(name)
            if kind == "text":
                candidates: list[Any] = [str(value) for value in accepted]
            else:
                is_boolean = kind == "boolean"
                candidates = [
                    value
                    for value in accepted
                    if not isinstance(value, str) and isinstance(value, bool) is is_boolean
                ]
            column = nw.col(name).cast(nw.String) if kind == "text" else nw.col(name)
            # Not all engines accept a filter without a column.
            nothing = column.is_null() & ~column.is_null()
            frame = frame.filter(column.is_in(candidates) if candidates else nothing)
        return Table(frame, self.text, self, is_file=self.is_file)

    def head(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Read the first records, without those that have missing values."""
        columns = {f"h{i}": (name, self.kind(name)) for i, name in enumerate(names)}
        program = self.program(columns)
        result = self.collected(program.frame.head(HEAD))
        missing = np.zeros(len(result), dtype=bool)
        for series in result.iter_columns():
            missing |= _missing(series)
        complete = result.filter((~missing).tolist()) if missing.any() else result
        return {
            name: array_of_series(name, series)
            for name, series in zip(names, complete.iter_columns(), strict=True)
        }

    def few_values(self, name: str, most: int) -> NDArray[np.float64] | None:
        """Return the distinct numbers of a column, or None if there are more than `most`.

        Each query returns some records with values other than those known, so that a column
        of many values is never in memory, whatever the order of the records.
        """
        nw = narwhals_module()
        value = nw.col(name).cast(nw.Float64)
        distinct: NDArray[np.float64] = np.empty(0)
        while len(distinct) <= most:
            rest = self.frame.select(value.alias("value"))
            if len(distinct):
                rest = rest.filter(~nw.col("value").is_in(distinct.tolist()))
            values = self.collected(rest.head(HEAD))["value"]
            new = values.filter(~values.is_null()).to_numpy().astype(np.float64)
            new = np.unique(new[~np.isnan(new)])
            if not len(new):
                return distinct
            distinct = np.union1d(distinct, new)
        return None

    def are_whole(self, name: str) -> bool:
        """Whether all finite numbers of a column are whole, as those of classes are."""
        head = self.head([name])[name].astype(np.float64)
        head = head[np.isfinite(head)]
        if (head != np.trunc(head)).any():
            return False
        program = self.program({name: (name, "fraction")})
        value = program.column(name)
        fraction = program.where(value > program.floor(value), 1.0, 0.0)
        return self.range(program, fraction)[1] == 0

    def are_beyond(self, name: str, low: float, high: float) -> bool:
        """Whether numbers of a column are outside of an interval."""
        program = self.program({name: (name, "fraction")})
        value = program.column(name)
        outside = (value < low) | ((value > high) & (value <= LARGEST))
        return self.range(program, program.where(outside, 1.0, 0.0))[1] > 0

    def program(self, columns: dict[str, tuple[str, str]]) -> Program:
        """Create a program for columns, each with its kind of values."""
        dotted = [name for name, _ in columns.values() if "." in name]
        if dotted and self.engine == "pyspark":
            raise ValueError(
                f"PySpark takes {dotted[0]!r} for a part of a nested column, because of "
                "the dot. Rename the column, for example by `withColumnRenamed`."
            )
        return Program(self.frame, columns)

    def counted(
        self, names: Sequence[str], known_as: Sequence[str] | None = None
    ) -> tuple[list[NDArray[Any]], NDArray[np.int64]]:
        """Count the records of each combination of values of some columns."""
        program = self.program({name: (name, self.kind(name)) for name in names})
        keys = [program.column(name) for name in names]
        return self.grouped(program, keys, [], known_as or names)[:2]

    def grouped(
        self,
        program: Program,
        keys: Sequence[Any],
        sums: Sequence[Any],
        names: Sequence[str],
        maxima: Sequence[Any] = (),
    ) -> Groups:
        """Compute the keys, counts, sums and maxima of all groups by one group-by.

        Parameters
        ----------
        program : Program
            Program that computes the columns.
        keys, sums, maxima : sequence of expressions
            Expressions to group records by, to sum, and to find the greatest value of.
        names : sequence of str
            Names of the keys in messages.
        """
        nw = narwhals_module()
        key_names = [f"skcompare_key_{i}" for i in range(len(keys))]
        sum_names = [f"skcompare_sum_{i}" for i in range(len(sums))]
        max_names = [f"skcompare_max_{i}" for i in range(len(maxima))]
        new_names = *key_names, *sum_names, *max_names
        computed = zip((*keys, *sums, *maxima), new_names, strict=True)
        frame = program.frame.select(*(value.alias(name) for value, name in computed))
        totals = [nw.col(name).sum() for name in sum_names]
        totals += [nw.col(name).max() for name in max_names]
        aggregated = frame.group_by(*key_names).agg(nw.len().alias(COUNT), *totals)
        result = self.collected(aggregated)
        counts = result[COUNT].to_numpy().astype(np.int64)
        if not counts.sum():
            raise ValueError(f"{self.text} must have at least one record. Got none.")
        key_columns = list(zip(names, (result[key] for key in key_names), strict=True))
        for name, series in key_columns:
            missing = int(counts[_missing(series)].sum())
            if missing:
                raise ValueError(
                    f"Column {name!r} of {self.text} must not have missing values. Got "
                    f"{missing:,} of {int(counts.sum()):,} records. Drop these records, or "
                    "name a value for them."
                )
        return Groups(
            [array_of_series(name, series) for name, series in key_columns],
            counts,
            [result[name].to_numpy().astype(np.float64) for name in sum_names],
            [result[name].to_numpy().astype(np.float64) for name in max_names],
        )

    def spans(self, program: Program, key: Any, value: Any) -> tuple[NDArray[Any], ...]:
        """Compute the count, minimum and maximum of a value for each key."""
        nw = narwhals_module()
        low, high = value.alias("low"), value.alias("high")
        grouped = program.frame.select(key.alias("key"), low, high).group_by("key")
        n_records = nw.len().alias("count")
        result = self.collected(
            grouped.agg(n_records, nw.col("low").min(), nw.col("high").max())
        )
        names = ("key", "count", "low", "high")
        keys, counts, *limits = (result[name].to_numpy() for name in names)
        return keys.astype(np.int64), counts.astype(np.int64), *limits

    def range(self, program: Program, value: Any) -> tuple[float, float]:
        """Minimum and maximum of a value."""
        nw = narwhals_module()
        frame = program.frame.select(value.alias("low"), value.alias("high"))
        result = self.collected(frame.select(nw.col("low").min(), nw.col("high").max()))
        low, high = (float(result[name].to_list()[0]) for name in result.columns)
        return low, high

    def collected(self, frame: Any) -> Any:
        """Compute a lazy frame of this engine."""
        with self._refused():
            return _streamed(frame) if self.engine == "polars" else frame.collect()

    def _refused(self) -> AbstractContextManager[None]:
        return refused_if_damaged(self.text) if self.is_file else nullcontext()


def _streamed(frame: Any) -> Any:
    """Compute a lazy frame of Polars in batches, so that memory is bounded."""
    try:
        return frame.collect(engine="streaming")
    except TypeError:
        # Releases before 1.23 have another name for it, and stream few queries.
        return frame.collect()


def _missing(series: Any) -> NDArray[np.bool_]:
    """Mask of the missing values and NaN of a collected column."""
    nw = narwhals_module()
    missing = np.array(series.is_null().to_numpy(), dtype=bool)
    if series.dtype in (nw.Float64, nw.Float32):
        missing |= np.isnan(series.to_numpy().astype(np.float64))
    return missing


READ_AT_ONCE = 1 << 26
"""Largest size in bytes of Parquet files that are read into arrays, not by an engine."""


_CONNECTIONS = threading.local()


def table_of(source: Source) -> Any:
    """Return a source as a :class:`Table`, or None if it is better read into arrays.

    Engines are lazy frames of Polars, DuckDB, Dask, PySpark and others that narwhals
    knows, datasets of pyarrow, and Parquet files too large to be read at once, if DuckDB or
    Polars is installed. Frames in memory, small Parquet files and files of all other
    formats are read.
    """
    if isinstance(source, ParquetFile):
        with refused_if_damaged(source.text):
            files = _files(source.path)
            if files and sum(map(os.path.getsize, files)) > READ_AT_ONCE:
                return _scanned(files, source.text, is_file=True)
    elif isinstance(source, Frame) and source.frame is None:
        return _scanned(source.native, source.text)
    elif isinstance(source, Frame) and source.is_lazy:
        return Table(source.frame, source.text)
    return None


def _files(path: str) -> list[str]:
    """List the Parquet files of a folder as pyarrow does, or the file itself."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    files = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
    return [
        str(file)
        for file in files
        if file.name.lower().endswith(ParquetFile.suffixes)
        and not file.name.startswith(("_", "."))
    ]


def _scanned(data: Any, text: str, *, is_file: bool = False) -> Table | None:
    """Scan a list of Parquet files, or a pyarrow dataset, by an installed library."""
    libraries = (_scanned_by_duckdb, _scanned_by_polars)
    scanned = first_installed(*(partial(by, data, is_file) for by in libraries))
    if scanned is None:
        return None
    return Table(from_native(scanned[0]), text, scanned, is_file=is_file)


def _scanned_by_duckdb(data: Any, is_file: bool) -> tuple[Any, ...]:
    """Return a lazy frame, and objects that must live as long as it does."""
    import duckdb

    if is_file and any(set("*?[") & set(file) for file in data):
        # DuckDB would read them as patterns.
        raise ImportError("DuckDB cannot read these names")
    # One connection of the current thread, shared by all frames for joins.
    if not hasattr(_CONNECTIONS, "connection"):
        _CONNECTIONS.connection = duckdb.connect()
    connection = _CONNECTIONS.connection
    scan = connection.read_parquet if is_file else connection.from_arrow
    return scan(data), connection, data


def _scanned_by_polars(data: Any, is_file: bool) -> tuple[Any, ...]:
    import polars

    if is_file:
        return (polars.scan_parquet(data, glob=False),)
    return polars.scan_pyarrow_dataset(data), data


ID = "skcompare_id"


def joined_tables(
    tables: Sequence[tuple[Table, Sequence[str]]], id: str
) -> tuple[Table, list[dict[str, str]]]:
    """Join columns of several tables by an id.

    Parameters
    ----------
    tables : sequence of (Table, sequence of str)
        Tables of one engine, and the columns to select from each.
    id : str
        Column of ids, in each table.

    Returns
    -------
    table : Table
        The joined table.
    names : list of dict of str to str
        Names of the columns of each table in the joined one.

    Raises
    ------
    ValueError
        If an id is missing or repeated, or a table lacks ids of another table.
    """
    engines = {table.engine for table, _ in tables}
    if len(engines) > 1:
        label = " and ".join(f"{table.text} ({table.engine})" for table, _ in tables)
        raise ValueError(
            f"Frames can only be joined on one engine. Got {label}. Move them to one "
            "engine, or read all of them into memory."
        )
    kinds = {table.kind(id) for table, _ in tables}
    as_text = len(kinds) > 1
    if not kinds <= {"text", "whole"} and as_text:
        label = ", ".join(f"{table.text} has {table.kind(id)}" for table, _ in tables)
        raise ValueError(
            f"Ids must be of one type to be compared: {label}. Convert them to text."
        )
    frames, names = [], []
    for i, (table, columns) in enumerate(tables):
        new_names = {
            name: f"skcompare_{i}_{j}" for j, name in enumerate(dict.fromkeys(columns))
        }
        frames.append(_selected(table, new_names, id, as_text))
        names.append(new_names)
    sources = [table for table, _ in tables]
    label = " and ".join(table.text for table in sources)
    is_file = all(table.is_file for table in sources)
    sizes = [_n_unique(table, frame, id) for (table, _), frame in zip(tables, frames)]
    joined = frames[0]
    for i, frame in enumerate(frames[1:], start=1):
        ids = frames[0].select(ID).join(frame.select(ID), on=ID, how="inner")
        n_both = Table(ids, label, is_file=is_file).n_records()
        _check_same_ids(tables[0][0], tables[i][0], id, (sizes[0], sizes[i], n_both))
        joined = joined.join(frame, on=ID, how="inner")
    return Table(joined, label, sources, is_file=is_file), names


def _selected(table: Table, names: dict[str, str], id: str, as_text: bool) -> Any:
    nw = narwhals_module()
    ids = nw.col(id).cast(nw.String) if as_text else nw.col(id)
    columns = (nw.col(name).alias(new) for name, new in names.items())
    return table.frame.select(ids.alias(ID), *columns)


def _n_unique(table: Table, frame: Any, id: str) -> int:
    """Check that ids are unique and not missing, and return the number of records."""
    nw = narwhals_module()
    frequencies = frame.select(ID).group_by(ID).agg(nw.len().alias("often"))
    repeated = nw.when(nw.col("often") > 1).then(nw.lit(1)).otherwise(nw.lit(0))
    missing = nw.when(nw.col(ID).is_null()).then(nw.col("often")).otherwise(nw.lit(0))
    totals = frequencies.select(
        nw.col("often"), repeated.alias("twice"), missing.alias("missing")
    ).select(nw.col("often").sum(), nw.col("twice").sum(), nw.col("missing").sum())
    result = table.collected(totals)
    n, n_twice, n_missing = (int(result[name].to_list()[0] or 0) for name in result.columns)
    if n_missing:
        raise ValueError(
            f"Column {id!r} of {table.text} must not have missing values. Got "
            f"{n_missing:,} of {n:,} records. Ids identify records: drop these."
        )
    if n_twice:
        raise ValueError(
            f"Ids must identify records. Column {id!r} of {table.text} has {n_twice:,} "
            "of them more than once. Keep one record of each."
        )
    return n


def _check_same_ids(a: Table, b: Table, id: str, sizes: tuple[int, int, int]) -> None:
    n_a, n_b, n_both = sizes
    lacking = [
        f"{table.text} lacks {n - n_both:,} of them"
        for table, n in ((b, n_a), (a, n_b))
        if n > n_both
    ]
    if lacking:
        raise ValueError(
            f"Column {id!r} of {a.text} and of {b.text} must hold the same ids: "
            f"{' and '.join(lacking)}. Keep the records that all have, so that none is "
            "dropped silently."
        )
