"""Sources of columns, and the registry of the readers of files."""

import os
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, TypeVar

from numpy.typing import NDArray


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


def cannot_read(path: str, error: OSError) -> OSError:
    """Create an error of the same type that names the file."""
    return type(error)(f"Cannot read {path!r}: {error.strerror or error}.")
