"""Files of text as they are read: opened, told apart from other files, kept small."""

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
"""Letters of a line; a compressed file of a few megabytes could have billions."""

LARGEST_PIPE = 1 << 29
"""Letters that are taken from a pipe, which need not end."""

AT_ONCE = 1 << 20
"""Letters of a pipe that are read at a time."""

WIDEST_TEXT = 64
"""Letters of the longest text in a unicode array, which has room for as many in each."""


class TextFile:
    """A file of UTF-8 text that is read line by line.

    Parameters
    ----------
    path : str or path-like
        The file; ".gz" at its end means that it is compressed.
    kind : str
        What messages call such a file, such as "CSV".
    errors : tuple of type
        What the parser raises.
    """

    def __init__(self, path: Any, kind: str, *errors: type[Exception]) -> None:
        self.path: str = os.fspath(path)
        self.key: Hashable = os.path.realpath(self.path)
        self.words = repr(self.path)
        self.kind = kind
        known: tuple[type[Exception], ...] = (*errors, EOFError, zlib.error)
        self._errors = known
        self._piped: str | None = None

    @contextmanager
    def lines(self) -> Iterator[Iterator[str]]:
        """The lines with their ends; what is wrong with the file is one clear error."""
        try:
            with self._open() as file:
                lines = iter(lambda: self._line(file.readline), "")
                yield self._unpacked(lines) if self._is_packed else lines
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.words} must be UTF-8 text. Save it as UTF-8 {self.kind}."
            ) from error
        except self._errors as error:
            raise ValueError(f"{self.words} is not a {self.kind} file: {error}.") from error
        except OSError as error:
            raise cannot_read(self.path, error) from error

    def _line(self, readline: Callable[[int], str]) -> str:
        line = readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:
            raise ValueError(
                f"{self.words} has a line of more than {LONGEST_LINE:,} letters. Is it a "
                f"{self.kind} file?"
            )
        return line

    @property
    def _is_packed(self) -> bool:
        return self.path.lower().endswith(".gz")

    def _unpacked(self, lines: Iterator[str]) -> Iterator[str]:
        """The lines of a compressed file, as many as one of its size may have."""
        size, read = os.path.getsize(self.path), 0
        for line in lines:
            read += len(line)
            check_unpacked(self.words, read, size, "Unpack it if it is right.")
            yield line

    def _pipe(self, pipe: Any) -> str:
        """What comes through a pipe, if it ends."""
        parts, read = [], 0
        while part := pipe.read(AT_ONCE):
            parts.append(part)
            read += len(part)
            if read > LARGEST_PIPE:
                raise ValueError(
                    f"{self.words} is no file, and does not end after {LARGEST_PIPE:,} "
                    "letters. Save what it has in a file if it is right."
                )
        return "".join(parts)

    def _open(self) -> Any:
        text: dict[str, Any] = {"encoding": "utf-8-sig", "newline": ""}
        if self._is_packed:
            return gzip.open(self.path, "rt", **text)
        if os.path.isfile(self.path) and not self.path.startswith("/dev/"):
            return open(self.path, **text)
        # What comes through a pipe comes once.
        if self._piped is None:
            with open(self.path, **text) as pipe:
                self._piped = self._pipe(pipe)
        return io.StringIO(self._piped, newline="")


class TextColumn:
    """The different texts of a column, in the order in which they occur, and which of
    them each record has.
    """

    def __init__(self) -> None:
        self.texts = _Numbered()
        self.codes: list[NDArray[np.intp]] = []

    def extend(self, texts: Iterable[str], n: int) -> None:
        """Add the texts of `n` more records."""
        self.codes.append(np.fromiter(map(self.texts.__getitem__, texts), np.intp, n))


class _Numbered(dict[str, int]):
    """Numbers texts as they come."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def cannot_read(path: str, error: OSError) -> OSError:
    """An error of the same kind that names the file."""
    return type(error)(f"Cannot read {path!r}: {error.strerror or error}.")


def text_array(words: str, texts: list[str]) -> NDArray[Any]:
    """Texts in a unicode array, or in one of objects where some are long."""
    column = TextColumn()
    column.extend(texts, len(texts))
    return from_codes(words, list(column.texts), column.codes[0])


def from_codes(words: str, distinct: list[str], codes: NDArray[np.intp]) -> NDArray[Any]:
    """The texts at `codes`; messages call the column `words`."""
    for text in distinct:
        # numpy drops the first at the end, and nobody can print the second.
        if text.endswith("\0") or not (text.isascii() or _is_printable(text)):
            raise ValueError(
                f"{words} must have texts that can be written. Got {text!a:.60}, which "
                "ends with a null or has half a letter of two. Clean such texts."
            )
    # A unicode array has the room of the longest text for every one.
    is_wide = max(map(len, distinct), default=0) > WIDEST_TEXT
    return np.array(distinct, dtype=object if is_wide else np.str_)[codes]


def _is_printable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
