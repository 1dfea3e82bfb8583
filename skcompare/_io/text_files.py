"""Text files with checks of their size, and columns of distinct texts."""

import gzip
import io
import os
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.atomic_write import check_unpacked

LONGEST_LINE = 1 << 26
"""Largest number of characters of a line; a small compressed file could have billions."""

LARGEST_PIPE = 1 << 29
"""Largest number of characters read from a pipe, which may not end."""

READ_SIZE = 1 << 20
"""Number of characters per read from a pipe."""

WIDEST_TEXT = 64
"""Longest text in a unicode array, which uses that number of characters for each item."""


class TextFile:
    """File of UTF-8 text that is read line by line.

    Parameters
    ----------
    path : str or path-like
        Path of the file; with the suffix ".gz" it is compressed.
    kind : str
        Name of the format in messages, such as "CSV".
    errors : tuple of type
        Exceptions that the parser raises.
    """

    def __init__(self, path: Any, kind: str, *errors: type[Exception]) -> None:
        self.path: str = os.fspath(path)
        self.key: Hashable = os.path.realpath(self.path)
        self.text = repr(self.path)
        self.kind = kind
        all_errors: tuple[type[Exception], ...] = (*errors, EOFError, zlib.error)
        self._errors = all_errors
        self._piped: str | None = None

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """Yield an iterator over the lines, with clear errors for an invalid file."""
        try:
            with self._open() as file:
                lines = iter(lambda: self._line(file.readline), "")
                yield self._unpacked(lines) if self._is_packed else lines
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.text} must be UTF-8 text. Save it as UTF-8 {self.kind}."
            ) from error
        except self._errors as error:
            raise ValueError(f"{self.text} is not a {self.kind} file: {error}.") from error
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _line(self, readline: Callable[[int], str]) -> str:
        line = readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:
            raise ValueError(
                f"{self.text} has a line of more than {LONGEST_LINE:,} characters. Is it a "
                f"{self.kind} file?"
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

    def _pipe(self, pipe: Any) -> str:
        """Read the text of a pipe, or raise an error if it does not end."""
        parts, n_characters = [], 0
        while part := pipe.read(READ_SIZE):
            parts.append(part)
            n_characters += len(part)
            if n_characters > LARGEST_PIPE:
                raise ValueError(
                    f"{self.text} is no file, and does not end after {LARGEST_PIPE:,} "
                    "characters. Save what it has in a file if it is right."
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


def cannot_read(path: str, error: OSError) -> OSError:
    """Create an error of the same type that names the file."""
    return type(error)(f"Cannot read {path!r}: {error.strerror or error}.")


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
