"""Sources of columns, the registry of readers, and those of CSV files and JSON lines.

Lines are split by `csv` and `json`, and columns are made here: no package that is always
installed reads them with bounded memory, keeps 01 apart from 1, and names the record of a
missing or a mixed value.
"""

import csv
import filecmp
import gzip
import io
import json
import math
import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.atomic_write import check_unpacked
from skcompare._core.progress import tracked


class Source:
    """Source of columns: a frame, or a file of one of several formats.

    Attributes
    ----------
    key : hashable
        Equal for the same frame or file.
    text : str
        Name in messages.
    typed : bool
        Whether columns have types; those of CSV files are guessed.
    """

    key: Hashable
    text: str
    typed = True

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        raise NotImplementedError

    @property
    def index_names(self) -> list[str]:
        """Names that are no columns and are read like them."""
        return []

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns, without missing values.

        Parameters
        ----------
        names : sequence of str
            Columns that the source has.
        as_written : collection of str, optional
            Columns that stay text where columns have no types.
        """
        raise NotImplementedError


class File(Source):
    """File with columns; its reader is registered by :func:`register_reader`.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    """

    format: str
    suffixes: tuple[str, ...]
    packed: bool

    def __init__(self, path: Any) -> None:
        self.path: str = os.fspath(path)
        self.key = os.path.realpath(self.path)
        self.text = repr(self.path)


FileType = TypeVar("FileType", bound=type[File])

_readers: list[type[File]] = []


def register_reader(
    format: str, *suffixes: str, packed: bool = False
) -> Callable[[FileType], FileType]:
    """Register a class as the reader of the files with some suffixes.

    Parameters
    ----------
    format : str
        Name of the format in messages and in the help of the command line.
    *suffixes : str
        Suffixes of its files, in lower case and with a dot.
    packed : bool, default=False
        Whether such files can be compressed, and then end in ".gz" as well.
    """

    def register(cls: FileType) -> FileType:
        cls.format, cls.suffixes, cls.packed = format, suffixes, packed
        _readers.append(cls)
        return cls

    return register


def reader_of(path: str) -> type[File] | None:
    """Return the reader of a file by its suffix, or None if no reader has it."""
    name = path.lower().rstrip(os.sep)
    for reader in _readers:
        stem = name.removesuffix(".gz") if reader.packed else name
        if stem.endswith(reader.suffixes):
            return reader
    return None


def all_suffixes() -> list[str]:
    """List the suffixes of files that can be read."""
    return [suffix for reader in _readers for suffix in reader.suffixes]


def list_formats(*, suffixes: bool = False) -> str:
    """Return the names of all formats as text, optionally with their suffixes."""
    *others, last = (
        f"{reader.format} ({', '.join(reader.suffixes)})" if suffixes else reader.format
        for reader in sorted(_readers, key=lambda reader: reader.format.lower())
    )
    return f"{', '.join(others)} or {last}"


def are_one_file(left: str, right: str) -> bool:
    """Whether two paths lead to the same file, possibly through links."""
    if os.path.realpath(left) == os.path.realpath(right):
        return True
    try:
        return os.path.samefile(left, right)
    except OSError:
        return False


def hold_the_same(left: str, right: str) -> bool:
    """Whether two files hold the same bytes.

    Different files differ in their size or early on, so that only copies take time. What
    is no regular file can be read only once, and is not read here.
    """
    are_files = os.path.isfile(left) and os.path.isfile(right)
    return are_files and filecmp.cmp(left, right, shallow=False)


def cannot_read(path: str, error: OSError) -> OSError:
    """Create an error of the same type that names the file."""
    return type(error)(f"Cannot read {path!r}: {error.strerror or error}.")


T = TypeVar("T")

LONGEST_LINE = 1 << 26
"""Largest number of characters of a line; a small compressed file could have billions."""

LARGEST_PIPE = 1 << 29
"""Largest number of characters read from a pipe, which may not end."""

READ_SIZE = 1 << 20
"""Number of characters per read from a pipe."""

WIDEST_TEXT = 64
"""Longest text in a unicode array, which uses that number of characters for each item."""


CSV_BATCH, JSON_BATCH = 1 << 10, 1 << 12
"""Numbers of records in memory with all their fields or values at the same time."""


class TextFile(File):
    """File of UTF-8 text that is read line by line.

    Parameters
    ----------
    path : str or path-like
        Path of the file; with the suffix ".gz" it is compressed.
    """

    _piped: str | None = None

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """Yield an iterator over the lines, with clear errors for an invalid file."""
        try:
            with self._open() as file:
                lines = iter(lambda: self._line(file.readline), "")
                yield self._unpacked(lines) if self._is_packed else lines
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.text} must be UTF-8 text. Save it as UTF-8 {self.format}."
            ) from error
        except (csv.Error, EOFError, zlib.error) as error:
            raise ValueError(
                f"{self.text} is not a {self.format} file: {error}."
            ) from error
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _line(self, readline: Callable[[int], str]) -> str:
        line = readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:
            raise ValueError(
                f"{self.text} has a line of more than {LONGEST_LINE:,} characters. Is it a "
                f"{self.format} file?"
            )
        return line

    @property
    def _is_packed(self) -> bool:
        return self.path.lower().endswith(".gz")

    def _unpacked(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the lines of a compressed file, with a check of its unpacked size."""
        size, n_characters = os.path.getsize(self.path), 0
        for line in lines:
            n_characters += len(line)
            check_unpacked(self.text, n_characters, size, "Unpack it if it is right.")
            yield line

    def _tracked(self, batches: Iterator[T], size_of: Callable[[T], int]) -> Iterable[T]:
        """Return batches with progress, by the size of the first one and of the file."""
        first = next(batches, None)
        if first is None:
            return ()
        total = 1
        if not self._is_packed and os.path.isfile(self.path):
            total = math.ceil(os.path.getsize(self.path) / max(1, size_of(first)))
        # An iterator forgets the batch that it has returned, and a list would keep it.
        joined = chain(iter([first]), batches)
        return tracked(joined, f"Reading {self.text}", total)

    def _pipe(self, pipe: Any) -> str:
        """Read the text of a pipe, or raise an error if it does not end."""
        parts, n_characters = [], 0
        while part := pipe.read(READ_SIZE):
            parts.append(part)
            n_characters += len(part)
            if n_characters > LARGEST_PIPE:
                raise ValueError(
                    f"{self.text} is not a regular file, and does not end after "
                    f"{LARGEST_PIPE:,} characters. Save what it has in a file if it is "
                    "right."
                )
        return "".join(parts)

    def _open(self) -> Any:
        options: dict[str, Any] = {"encoding": "utf-8-sig", "newline": ""}
        if self._is_packed:
            return gzip.open(self.path, "rt", **options)
        if os.path.isfile(self.path) and not self.path.startswith("/dev/"):
            return open(self.path, **options)
        # A pipe can be read only once.
        if self._piped is None:
            with open(self.path, **options) as pipe:
                self._piped = self._pipe(pipe)
        return io.StringIO(self._piped, newline="")


class TextColumn:
    """Distinct texts of a column in order of occurrence, and the code of each record."""

    def __init__(self) -> None:
        self.texts = _Numbered()
        self.codes: list[NDArray[np.intp]] = []

    def extend(self, texts: Iterable[str], n: int) -> None:
        """Add the texts of `n` more records."""
        self.codes.append(np.fromiter(map(self.texts.__getitem__, texts), np.intp, n))


class _Numbered(dict[str, int]):
    """Mapping of texts to numbers, in order of occurrence."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    return iter(lambda: list(islice(items, size)), [])


def size_of_rows(rows: list[list[str]]) -> int:
    """Return the number of characters of rows with delimiters and ends of lines."""
    return sum(sum(map(len, row)) + len(row) for row in rows)


def size_of_lines(lines: list[tuple[int, str]]) -> int:
    """Return the number of characters of numbered lines with their ends."""
    return sum(len(line) + 1 for _, line in lines)


def text_array(text: str, texts: list[str]) -> NDArray[Any]:
    """Convert texts to a unicode array, or to an array of objects if some are long."""
    column = TextColumn()
    column.extend(texts, len(texts))
    return from_codes(text, list(column.texts), column.codes[0])


def from_codes(column: str, distinct: list[str], codes: NDArray[np.intp]) -> NDArray[Any]:
    """Create an array of the texts at `codes`; messages name the column."""
    for text in distinct:
        # numpy drops nulls at the end, and lone surrogates cannot be printed.
        if text.endswith("\0") or not (text.isascii() or _is_printable(text)):
            raise ValueError(
                f"{column} must have texts that can be written. Got {text!a:.60}, which "
                "ends with a null or has half a letter of two. Clean such texts."
            )
    # Each item of a unicode array takes the memory of the longest text.
    is_wide = max(map(len, distinct), default=0) > WIDEST_TEXT
    return np.array(distinct, dtype=object if is_wide else np.str_)[codes]


def _is_printable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@register_reader("CSV", ".csv", ".tsv", ".tab", ".txt", ".dat", packed=True)
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
        super().__init__(path)
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
            for batch in self._tracked(_batches(lines, CSV_BATCH), size_of_rows):
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


BLANK = " \t\r\n"
"""White space of JSON between values."""

NUMBERS, TEXT, BOOLEANS = "numbers", "text", "true and false"
KINDS = {int: NUMBERS, float: NUMBERS, str: TEXT, bool: BOOLEANS}
NAMES = {dict: "an object", list: "an array", type(None): "no value"}
"""Names of kinds of JSON values in messages."""


@register_reader("JSON lines", ".jsonl", ".ndjson", packed=True)
class JsonLinesFile(TextFile):
    """File with a JSON object on each line, one per record.

    The columns are the names in the first object. A column that is read has numbers, text,
    or true and false only; others may have any values. Blank lines are skipped.

    Parameters
    ----------
    path : str or path-like
        Path of the file; with the suffix ".gz" it is compressed.
    """

    @cached_property
    def names(self) -> list[str]:
        """Names of all columns."""
        with self._numbered() as lines:
            for number, line in lines:
                return list(self._objects([number], [line])[0])
        raise self._empty()

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns, as arrays of integers, floats, booleans or text.

        Parameters
        ----------
        names : sequence of str
            Columns that the file has.
        as_written : collection of str, optional
            Ignored: columns that stay text in files without types.
        """
        columns = {name: _Column(self.text, name) for name in names}
        with self._numbered() as lines:
            for batch in self._tracked(_batches(lines, JSON_BATCH), size_of_lines):
                numbers, texts = zip(*batch)
                objects = self._objects(numbers, texts)
                for name, column in columns.items():
                    column.extend(numbers, self._values(name, numbers, objects))
        if not all(column.parts for column in columns.values()):
            raise self._empty()
        return {name: column.array() for name, column in columns.items()}

    @contextmanager
    def _numbered(self) -> Iterator[Iterator[tuple[int, str]]]:
        """Yield an iterator over the lines that are not blank, with their numbers."""
        with self.lines() as lines:
            stripped = ((i, line.strip(BLANK)) for i, line in enumerate(lines, start=1))
            yield ((i, line) for i, line in stripped if line)

    def _objects(
        self, numbers: Sequence[int], lines: Sequence[str]
    ) -> list[dict[str, Any]]:
        objects: list[dict[str, Any]] = []
        try:
            for line in lines:
                value, end = DECODER.raw_decode(line)
                if end != len(line) or type(value) is not dict:
                    break
                objects.append(value)
            else:
                return objects
        except RecursionError:
            problem = "is nested too deeply"
        except ValueError as error:
            problem = f"is not JSON: {_error_text(error)}"
        else:
            problem = "has more than one value"
            if end == len(line):
                problem = f"must be an object. Got {NAMES.get(type(value), 'a value')}"
        raise ValueError(
            f"Line {numbers[len(objects)]} of {self.text} {problem}. Each line must be "
            'one JSON object, such as {"id": 1, "y": "yes"}.'
        )

    def _values(
        self, name: str, numbers: Sequence[int], objects: list[dict[str, Any]]
    ) -> list[Any]:
        try:
            return list(map(itemgetter(name), objects))
        except KeyError:
            index = next(i for i, record in enumerate(objects) if name not in record)
            raise ValueError(_missing(numbers[index], self.text, name)) from None

    def _empty(self) -> ValueError:
        return ValueError(f"{self.text} must have at least one record. Got an empty file.")


class _Column:
    """Column of values of one kind, added in batches."""

    def __init__(self, label: str, name: str) -> None:
        self._label, self._name = label, name
        self._kind: str | None = None
        self._texts = TextColumn()
        self._first = 0
        # Line of an integer that may have no equal float.
        self._large: int | None = None
        self.parts: list[NDArray[Any]] = []

    def extend(self, lines: Sequence[int], values: list[Any]) -> None:
        """Add the values of more lines."""
        types = set(map(type, values))
        kinds = {KINDS.get(kind, "") for kind in types}
        if "" in kinds:
            self._refuse_parts(lines, values)
        if self._kind is None:
            self._kind, self._first = KINDS[type(values[0])], lines[0]
        if kinds != {self._kind}:
            self._refuse_mixed(lines, values)
        if self._kind == TEXT:
            self._texts.extend(values, len(values))
            self.parts.append(self._texts.codes[-1])
        elif self._kind == BOOLEANS:
            self.parts.append(np.array(values, dtype=bool))
        else:
            self.parts.append(self._numbers(lines, values, types))

    def _numbers(
        self, lines: Sequence[int], values: list[Any], types: set[type]
    ) -> NDArray[Any]:
        is_integer = float not in types
        try:
            numbers = np.array(values, dtype=np.int64 if is_integer else np.float64)
        except OverflowError:
            self._refuse_large(lines, values)
        if not np.isfinite(numbers).all():
            at = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"Line {lines[at]} of {self._label} has a number in column {self._name!r} "
                "that is too large for a fraction of 64 bits."
            )
        if self._large is None and int in types:
            numbered_values = zip(lines, values)
            large_lines = (
                line for line, n in numbered_values if type(n) is int and abs(n) > 2**53
            )
            self._large = next(large_lines, None)
        return numbers

    def array(self) -> NDArray[Any]:
        """Return the values of all lines as an array."""
        if self._kind == TEXT:
            label = f"Column {self._name!r} of {self._label}"
            return from_codes(label, list(self._texts.texts), np.concatenate(self.parts))
        has_fractions = any(part.dtype.kind == "f" for part in self.parts)
        if has_fractions and self._large is not None:
            raise ValueError(
                f"Column {self._name!r} of {self._label} has fractions, and in line "
                f"{self._large} a whole number above 2**53, which no fraction may equal. "
                "Write all of them as texts."
            )
        return np.concatenate(self.parts)

    def _refuse_parts(self, lines: Sequence[int], values: list[Any]) -> NoReturn:
        at = next(i for i, value in enumerate(values) if type(value) not in KINDS)
        if values[at] is None:
            raise ValueError(_missing(lines[at], self._label, self._name))
        raise ValueError(
            f"Line {lines[at]} of {self._label} has {NAMES[type(values[at])]} in column "
            f"{self._name!r}. Expected a number, a text, true or false: make columns of "
            "its parts, one column per class for probabilities."
        )

    def _refuse_mixed(self, lines: Sequence[int], values: list[Any]) -> NoReturn:
        at = next(i for i, value in enumerate(values) if KINDS[type(value)] != self._kind)
        raise ValueError(
            f"Column {self._name!r} of {self._label} must have values of one type. Got "
            f"{self._kind} in line {self._first} and {KINDS[type(values[at])]} in line "
            f"{lines[at]}. Write all of them in the same form."
        )

    def _refuse_large(self, lines: Sequence[int], values: list[Any]) -> NoReturn:
        at = max(range(len(values)), key=lambda i: abs(values[i]))
        raise ValueError(
            f"Line {lines[at]} of {self._label} has a whole number in column "
            f"{self._name!r} that is too large: {values[at]!s:.40}. Write all values of "
            "the column as texts."
        )


def _error_text(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at letter {error.colno}"
    return str(error)


def _missing(line: int, label: str, name: str) -> str:
    return (
        f"Line {line} of {label} has no value in column {name!r}. Drop records with "
        "missing values, or fill them."
    )


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Create a dict from the pairs of an object, whose names must be unique."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {repeated!r} more than once")
    return result


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"it has {text}, which is not a JSON number")


DECODER = json.JSONDecoder(object_pairs_hook=_unique_names, parse_constant=_refuse_constant)
