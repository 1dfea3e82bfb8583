"""Frames on engines: what is asked of them is aggregates only."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._frames._arrays import array_of_series, from_native, narwhals_module
from skcompare._frames._columns import FILES, Dataset, Frame, is_dataset
from skcompare._frames._parquet import ParquetFile, refused_if_damaged
from skcompare._frames._program import Program
from skcompare._frames._scan import Scanned, scanned_dataset, scanned_file

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
