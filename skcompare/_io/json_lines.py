"""Reader of JSON lines that streams named columns of one type each."""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skcompare._io.text_files import TextColumn, TextFile, from_codes

BATCH = 1 << 12
"""Number of records in memory with all their values at the same time."""

BLANK = " \t\r\n"
"""White space of JSON between values."""

NUMBERS, TEXT, BOOLEANS = "numbers", "text", "true and false"
KINDS = {int: NUMBERS, float: NUMBERS, str: TEXT, bool: BOOLEANS}
NAMES = {dict: "an object", list: "an array", type(None): "no value"}
"""Names of kinds of JSON values in messages."""


class JsonLinesFile(TextFile):
    """File with a JSON object on each line, one per record.

    The columns are the names in the first object. A column that is read has numbers, text,
    or true and false only; others may have any values. Blank lines are skipped.

    Parameters
    ----------
    path : str or path-like
        Path of the file; with the suffix ".gz" it is compressed.
    """

    typed = True

    def __init__(self, path: Any) -> None:
        super().__init__(path, "JSON lines")

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
            for batch in iter(lambda: list(islice(lines, BATCH)), []):
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
        if len(kinds | ({self._kind} if self._kind else set())) > 1:
            self._refuse_mixed(lines, values)
        if self._kind is None:
            self._kind, self._first = KINDS[type(values[0])], lines[0]
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
        kind, first = self._kind, self._first
        if kind is None:
            kind, first = KINDS[type(values[0])], lines[0]
        at = next(i for i, value in enumerate(values) if KINDS[type(value)] != kind)
        raise ValueError(
            f"Column {self._name!r} of {self._label} must have values of one type. Got "
            f"{kind} in line {first} and {KINDS[type(values[at])]} in line {lines[at]}. "
            "Write all of them alike."
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
    raise ValueError(f"it has {text}, which is no number of JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_unique_names, parse_constant=_refuse_constant)
