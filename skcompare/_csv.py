"""CSV files by the standard library: the named columns, streamed and typed."""

import csv
import gzip
import io
import os
import zlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CsvFile", "cannot_read", "from_codes", "text_array"]

BATCH = 1 << 10
"""Records in memory with all their fields at a time."""

WIDEST_TEXT = 64
"""Letters of the longest text in a unicode array, which has room for as many in each."""


class CsvFile:
    """A CSV file of UTF-8 text with a line of column names.

    Parameters
    ----------
    path : str or path-like
        The file; ".gz" at its end means that it is compressed.
    delimiter : str, optional
        One character; by default a tab for `.tsv` and `.tab` files, otherwise a comma.
    """

    typed = False

    def __init__(self, path: Any, delimiter: str | None = None) -> None:
        self.path = os.fspath(path)
        self.key: Hashable = os.path.realpath(self.path)
        self.words = repr(self.path)
        if delimiter is None:
            stem = self.path.lower().removesuffix(".gz")
            delimiter = "\t" if stem.endswith((".tsv", ".tab")) else ","
        self.delimiter = delimiter
        self._piped: str | None = None

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns."""
        with self._lines() as lines:
            return self._header(lines)

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns, in arrays of whole numbers, fractions or text.

        A column is of whole numbers where all are written plainly: "01" and "1" are
        different labels. It is of fractions where all its fields are numbers and one is
        not whole; otherwise it is text.

        Parameters
        ----------
        names : sequence of str
            Columns that the file has.
        as_written : collection of str, optional
            Columns that stay text.
        """
        columns = {name: _Column() for name in names}
        n_records = 0
        with self._lines() as lines:
            header = self._header(lines)
            at = [(columns[name], header.index(name)) for name in columns]
            for batch in iter(lambda: list(islice(lines, BATCH)), []):
                if set(map(len, batch)) != {len(header)}:
                    raise self._uneven(header, batch, n_records)
                n_records += len(batch)
                for column, position in at:
                    column.extend(map(itemgetter(position), batch), len(batch))
        if not n_records:
            raise ValueError(
                f"{self.words} must have at least one record. Got column names only."
            )
        return {
            name: self._values(name, column, name in as_written)
            for name, column in columns.items()
        }

    def _values(self, name: str, column: "_Column", as_written: bool) -> NDArray[Any]:
        stripped = [field.strip() for field in column.fields]
        codes = np.concatenate(column.codes)
        if "" in stripped:
            position = int(np.argmax(codes == stripped.index("")))
            raise ValueError(
                f"Record {position + 1} of {self.words} has an empty field in column "
                f"{name!r}. Drop records with missing values, or fill them."
            )
        numbers = None if as_written else _numbers(stripped)
        return from_codes(stripped, codes) if numbers is None else numbers[codes]

    def _header(self, lines: Iterator[list[str]]) -> list[str]:
        first = next(lines, [])
        if not any(first):
            raise ValueError(
                f"{self.words} must start with a line of column names. Got an empty file."
            )
        header = [name.strip() for name in first]
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise ValueError(
                f"{self.words} has several columns named {', '.join(repeated)}. Give each "
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
            f"Record {number} of {self.words} has {fields} fields. Expected "
            f"{len(header)}, one for each of {names}."
        )

    @contextmanager
    def _lines(self) -> Iterator[Iterator[list[str]]]:
        """The lines that are not blank, split into fields."""
        try:
            with self._open() as file:
                # A quoted field may go on in the next line; the reader sees to it.
                yield filter(None, csv.reader(file, delimiter=self.delimiter, strict=True))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.words} must be UTF-8 text. Save it as UTF-8 CSV."
            ) from error
        except (csv.Error, EOFError, zlib.error) as error:
            raise ValueError(f"{self.words} is not a CSV file: {error}.") from error
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _open(self) -> Any:
        text: dict[str, Any] = {"encoding": "utf-8-sig", "newline": ""}
        if self.path.lower().endswith(".gz"):
            return gzip.open(self.path, "rt", **text)
        if os.path.isfile(self.path) and not self.path.startswith("/dev/"):
            return open(self.path, **text)
        # What comes through a pipe comes once.
        if self._piped is None:
            with open(self.path, **text) as pipe:
                self._piped = pipe.read()
        return io.StringIO(self._piped, newline="")


class _Column:
    """The different fields of a column, in the order in which they occur, and which of
    them each record has.
    """

    def __init__(self) -> None:
        self.fields = _Numbered()
        self.codes: list[NDArray[np.intp]] = []

    def extend(self, fields: Iterable[str], n: int) -> None:
        """Add the fields of `n` more records."""
        self.codes.append(np.fromiter(map(self.fields.__getitem__, fields), np.intp, n))


class _Numbered(dict[str, int]):
    """Numbers texts as they come."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def cannot_read(path: str, error: OSError) -> OSError:
    """An error of the same kind that names the file."""
    return type(error)(f"Cannot read {path!r}: {error.strerror or error}.")


def text_array(texts: list[str]) -> NDArray[Any]:
    """Texts in a unicode array, or in one of objects where some are long."""
    column = _Column()
    column.extend(texts, len(texts))
    return from_codes(list(column.fields), column.codes[0])


def from_codes(distinct: list[str], codes: NDArray[np.intp]) -> NDArray[Any]:
    """The texts at `codes`."""
    # A unicode array has the room of the longest text for every one.
    is_wide = max(map(len, distinct), default=0) > WIDEST_TEXT
    return np.array(distinct, dtype=object if is_wide else np.str_)[codes]


def _numbers(cells: list[str]) -> NDArray[Any] | None:
    """The cells as numbers, or None where they are text."""
    try:
        whole = [int(cell) for cell in cells]
    except ValueError:
        pass
    else:
        plain = [str(number) for number in whole] == cells
        fits = plain and all(-(1 << 63) <= number < 1 << 63 for number in whole)
        return np.array(whole, dtype=np.int64) if fits else None
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        return None
