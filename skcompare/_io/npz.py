"""Arrays of a `.npz` file as columns, read without pickle and not larger than they say."""

import io
import math
import os
import warnings
import zipfile
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.text_files import cannot_read

LARGEST = 1 << 32
"""Bytes of an array that is read; a file of a few megabytes could hold more."""

AT_ONCE = 1 << 20
"""Bytes that are read at a time."""

LONGEST_HEADER = 10_000
"""Letters of the description of an array, as numpy has it."""

MOST_PARTS = 1000
"""Columns of an array of two dimensions that have names of their own."""

KINDS = "biufUSmM"
"""Kinds of numpy that hold one value a record, and no Python object."""

LAST_LETTER, FIRST_HALF, LAST_HALF = 0x10FFFF, 0xD800, 0xDFFF
"""The last letter of Unicode, and what is half a letter."""


class NpzFile:
    """A file that `numpy.savez` or `numpy.savez_compressed` wrote.

    Each array of one dimension is a column. One of two dimensions, such as probabilities
    of shape (n_samples, n_classes), is read whole by its name, and column by column as
    "name[0]", "name[1]" and so on. Arrays that nobody asks for are not read.

    Parameters
    ----------
    path : str or path-like
        The file.
    """

    typed = True

    def __init__(self, path: Any) -> None:
        self.path: str = os.fspath(path)
        self.key: Hashable = os.path.realpath(self.path)
        self.words = repr(self.path)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        found = []
        for name, stored in self._arrays.items():
            found.append(name)
            found += _parts(name, stored)
        return found

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns.

        Parameters
        ----------
        names : sequence of str
            Columns that the file has.
        as_written : collection of str, optional
            Columns that stay text where files have no types, which this one has.

        Returns
        -------
        columns : dict of str to ndarray
            Arrays of equal length; those of two dimensions by their whole names.
        """
        stored = self._arrays
        found: dict[str, NDArray[Any]] = {}
        places = {
            part: (name, i)
            for name, one in stored.items()
            for i, part in enumerate(_parts(name, one))
        }
        # An array may be called as a part of another one.
        whole = {name for name in names if name in stored}
        needed = whole | {places[name][0] for name in names if name not in stored}
        self._check_lengths({name: stored[name] for name in stored if name in needed})
        read = {name: self._read(name, stored[name]) for name in stored if name in needed}
        for name in names:
            if name in whole:
                found[name] = read[name]
            else:
                array, position = places[name]
                found[name] = np.ascontiguousarray(read[array][:, position])
        return found

    @cached_property
    def _arrays(self) -> dict[str, "_Stored"]:
        """What each array is, from the descriptions at their starts."""
        found: dict[str, _Stored] = {}
        with self._opened() as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                if name == member.filename:
                    continue
                if name in found:
                    raise ValueError(f"several arrays are called {name!r}")
                with archive.open(member) as file:
                    shape, is_fortran, dtype = _header(file)
                    size = member.file_size - file.tell()
                found[name] = _Stored(member.filename, shape, is_fortran, dtype, size)
        if not found:
            raise ValueError(f"{self.words} must have at least one array. Got none.")
        return found

    def _check_lengths(self, needed: dict[str, "_Stored"]) -> None:
        """Refuse arrays that are no columns, before any of them is read."""
        for name, one in needed.items():
            if one.dtype.kind not in KINDS or not one.dtype.itemsize:
                is_object = one.dtype.hasobject
                what = "Python objects, which only pickle reads" if is_object else one.dtype
                raise ValueError(
                    f"Array {name!r} of {self.words} must hold numbers, texts, dates, or "
                    f"True and False. Got {what}. Save it as an array of one of these."
                )
            if len(one.shape) != 1 and not one.is_table:
                raise ValueError(
                    f"Array {name!r} of {self.words} must have one value a record, or a "
                    f"row of probabilities. Got shape {one.shape} of {one.dtype}."
                )
            if one.n_bytes != one.size:
                raise ValueError(
                    f"Array {name!r} of {self.words} is damaged: it has {one.size:,} bytes "
                    f"where shape {one.shape} of {one.dtype} needs {one.n_bytes:,}."
                )
        n_bytes = sum(one.n_bytes for one in needed.values())
        if n_bytes > LARGEST:
            raise ValueError(
                f"Arrays of {self.words} must have at most {LARGEST:,} bytes together. "
                f"They say that they have {n_bytes:,}. Save large data as Parquet."
            )
        lengths = {name: one.shape[0] for name, one in needed.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
            raise ValueError(
                f"Arrays of {self.words} must have one entry a record: {listed}. Save "
                "arrays of the same records."
            )
        if not any(lengths.values()):
            raise ValueError(
                f"{self.words} must have at least one record. Got empty arrays."
            )

    def _read(self, name: str, stored: "_Stored") -> NDArray[Any]:
        with self._opened() as archive, archive.open(stored.member) as file:
            if _header(file) != (stored.shape, stored.is_fortran, stored.dtype):
                raise ValueError("it has changed meanwhile")
            # Not all at once, because not all there is need be as long as it says.
            buffer = np.empty(stored.n_bytes, dtype=np.uint8)
            at = 0
            while at < len(buffer):
                n_read = file.readinto(buffer[at : at + AT_ONCE].data)  # type: ignore[attr-defined]
                if not n_read:
                    raise ValueError(f"array {name!r} ends early")
                at += n_read
        flat: NDArray[Any] = buffer.view(stored.dtype)
        array = flat.reshape(stored.shape, order="F" if stored.is_fortran else "C")
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        return self._checked(name, array)

    def _checked(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """The values, none of which is missing or no value of its type."""
        kind = array.dtype.kind
        missing = np.isnan(array) if kind in "fmM" else np.zeros(0, dtype=bool)
        if missing.any():
            record = int(np.argmax(missing.any(axis=1) if array.ndim > 1 else missing))
            raise ValueError(
                f"Record {record + 1} of array {name!r} of {self.words} has a missing "
                "value (NaN or NaT). Drop records with missing values, or fill them."
            )
        if kind == "S":
            if not all(text.isascii() for text in np.unique(array).tolist()):
                raise ValueError(
                    f"Array {name!r} of {self.words} has bytes that are not ASCII. Save "
                    "texts as an array of str."
                )
            return array.astype(np.str_)
        if kind == "U" and array.dtype.itemsize and not _are_letters(array):
            raise ValueError(
                f"Array {name!r} of {self.words} is damaged: it has texts with letters "
                "that Unicode does not have."
            )
        if kind == "b" and np.ascontiguousarray(array).view(np.uint8).max() > 1:
            raise ValueError(
                f"Array {name!r} of {self.words} is damaged: it has values that are "
                "neither True nor False."
            )
        return array

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        # zipfile and its decompressors have errors of many kinds.
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except OSError as error:
            raise cannot_read(self.path, error) from error
        except Exception as error:
            words = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(
                f"Cannot read {self.words} as an .npz file: {words:.200}. Write it again "
                "by numpy.savez."
            ) from error


class _Stored(NamedTuple):
    """What an array is, and how many bytes it has."""

    member: str
    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]
    size: int

    @property
    def n_bytes(self) -> int:
        """The bytes that such an array has."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def is_table(self) -> bool:
        """Whether it has a row of numbers for each record."""
        is_wide = len(self.shape) == 2 and self.shape[1] > 0
        return is_wide and self.dtype.kind in "biuf"


def _parts(name: str, stored: _Stored) -> list[str]:
    """Names of the columns of an array of two dimensions."""
    if not stored.is_table or stored.shape[1] > MOST_PARTS:
        return []
    return [f"{name}[{i}]" for i in range(stored.shape[1])]


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape of an array, the order of its values, and their type."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"an array has version {version} of the format")
    of_first = version == (1, 0)
    size = file.read(2 if of_first else 4)
    length = int.from_bytes(size, "little")
    if length > LONGEST_HEADER:
        raise ValueError(f"an array has a description of {length:,} letters")
    header = io.BytesIO(size + file.read(length))
    read = np.lib.format.read_array_header_2_0
    if of_first:
        read = np.lib.format.read_array_header_1_0
    with warnings.catch_warnings():
        # Files that Python 2 wrote.
        warnings.simplefilter("ignore", UserWarning)
        shape, is_fortran, dtype = read(header, max_header_size=LONGEST_HEADER)
    if any(n < 0 for n in shape):
        raise ValueError(f"an array has shape {shape}")
    return shape, is_fortran, dtype


def _are_letters(texts: NDArray[Any]) -> bool:
    codes = np.ascontiguousarray(texts).view(np.uint32)
    is_half = (codes >= FIRST_HALF) & (codes <= LAST_HALF)
    return bool(codes.max(initial=0) <= LAST_LETTER) and not is_half.any()
