"""What an engine computes for each record before it counts: columns made of columns."""

from collections.abc import Sequence
from typing import Any

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
