"""Reader of CSV files that streams named columns and infers their types."""

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.text_files import TextColumn, TextFile, from_codes

BATCH = 1 << 10
"""Number of records in memory with all their fields at the same time."""


class CsvFile(TextFile):
    """CSV file of UTF-8 text with a header of column names.

    Parameters
    ----------
    path : str or path-like
        Path of the file; with the suffix ".gz" it is compressed.
    delimiter : str, optional
        One character; by default a tab for `.tsv` and `.tab` files, otherwise a comma.
    """

    typed = False

    def __init__(self, path: Any, delimiter: str | None = None) -> None:
        super().__init__(path, "CSV", csv.Error)
        if delimiter is None:
            stem = self.path.lower().removesuffix(".gz")
            delimiter = "\t" if stem.endswith((".tsv", ".tab")) else ","
        self.delimiter = delimiter

    @cached_property
    def names(self) -> list[str]:
        """Names of all columns."""
        with self._lines() as lines:
            return self._header(lines)

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns, as arrays of integers, floats or text.

        A column has integers if all fields are written in their usual form: "01" and "1"
        are different labels. It has floats if all fields are numbers and one is not whole;
        otherwise it is text.

        Parameters
        ----------
        names : sequence of str
            Columns that the file has.
        as_written : collection of str, optional
            Columns that stay text.
        """
        columns = {name: TextColumn() for name in names}
        n_records = 0
        with self._lines() as lines:
            header = self._header(lines)
            positions = [(columns[name], header.index(name)) for name in columns]
            for batch in iter(lambda: list(islice(lines, BATCH)), []):
                if set(map(len, batch)) != {len(header)}:
                    raise self._uneven(header, batch, n_records)
                n_records += len(batch)
                for column, position in positions:
                    column.extend(map(itemgetter(position), batch), len(batch))
        if not n_records:
            raise ValueError(
                f"{self.text} must have at least one record. Got column names only."
            )
        return {
            name: self._values(name, column, name in as_written)
            for name, column in columns.items()
        }

    def _values(self, name: str, column: TextColumn, as_written: bool) -> NDArray[Any]:
        stripped = [field.strip() for field in column.texts]
        codes = np.concatenate(column.codes)
        if "" in stripped:
            position = int(np.argmax(codes == stripped.index("")))
            raise ValueError(
                f"Record {position + 1} of {self.text} has an empty field in column "
                f"{name!r}. Drop records with missing values, or fill them."
            )
        numbers = None if as_written else _numbers(stripped)
        if numbers is not None:
            return numbers[codes]
        return from_codes(f"Column {name!r} of {self.text}", stripped, codes)

    def _header(self, lines: Iterator[list[str]]) -> list[str]:
        line = next(lines, [])
        if not any(line):
            raise ValueError(
                f"{self.text} must start with a line of column names. Got an empty file."
            )
        header = [name.strip() for name in line]
        repeated = sorted(name for name, count in Counter(header).items() if count > 1)
        if repeated:
            raise ValueError(
                f"{self.text} has several columns named {', '.join(repeated)}. Give each "
                "a name of its own."
            )
        return header

    def _uneven(
        self, header: list[str], batch: list[list[str]], n_before: int
    ) -> ValueError:
        number, fields = next(
            (number, len(record))
            for number, record in enumerate(batch, start=n_before + 1)
            if len(record) != len(header)
        )
        names = ", ".join(header[:10]) + (", ..." if len(header) > 10 else "")
        return ValueError(
            f"Record {number} of {self.text} has {fields} fields. Expected "
            f"{len(header)}, one for each of {names}."
        )

    @contextmanager
    def _lines(self) -> Iterator[Iterator[list[str]]]:
        """Yield an iterator over the lines that are not blank, split into fields."""
        with self.lines() as lines:
            # A quoted field may continue on the next line, which the reader handles.
            yield filter(None, csv.reader(lines, delimiter=self.delimiter, strict=True))


def _numbers(cells: list[str]) -> NDArray[Any] | None:
    """Convert cells to numbers, or return None if the cells are text."""
    try:
        integers = [int(cell) for cell in cells]
    except ValueError:
        pass
    else:
        is_plain = [str(number) for number in integers] == cells
        fits = is_plain and all(-(1 << 63) <= number < 1 << 63 for number in integers)
        return np.array(integers, dtype=np.int64) if fits else None
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return None
