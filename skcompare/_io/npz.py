"""Reader of arrays in `.npz` files as columns, without pickle and limited in size.

NumPy reads the arrays. Their headers are read before, because `numpy.load` takes as much
memory as a file asks for, and accepts bytes that are no characters or truth values.
"""

import io
import math
import warnings
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._io.readers import File, cannot_read, register_reader

LARGEST = 1 << 32
"""Largest size of arrays in bytes; a file of a few megabytes could unpack to more."""

LONGEST_HEADER = 10_000
"""Largest number of characters of the header of an array, as in numpy."""

MOST_PARTS = 1000
"""Largest number of columns of a two-dimensional array that get their own names."""

KINDS = "biufUSmM"
"""Kinds of dtypes with one value per record, and no Python objects."""

LAST_CHARACTER, FIRST_SURROGATE, LAST_SURROGATE = 0x10FFFF, 0xD800, 0xDFFF
"""Last character of Unicode, and the range of surrogates."""


@register_reader("npz", ".npz")
class NpzFile(File):
    """File written by `numpy.savez` or `numpy.savez_compressed`.

    Each array of one dimension is a column. One of two dimensions, such as probabilities
    of shape (n_samples, n_classes), is read whole by its name, and column by column as
    "name[0]", "name[1]" and so on. Other arrays are not read.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    """

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        arrays = self._arrays.items()
        return [part for name, array in arrays for part in (name, *_parts(name, array))]

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns.

        Parameters
        ----------
        names : sequence of str
            Columns that the file has.
        as_written : collection of str, optional
            Ignored: columns that stay text in files without types.

        Returns
        -------
        columns : dict of str to ndarray
            Arrays of equal length; two-dimensional ones only if requested whole.
        """
        stored = self._arrays
        columns: dict[str, NDArray[Any]] = {}
        positions = {
            part: (name, i)
            for name, entry in stored.items()
            for i, part in enumerate(_parts(name, entry))
        }
        # An array may have the name of a column of another array.
        whole = {name for name in names if name in stored}
        needed = whole | {positions[name][0] for name in names if name not in stored}
        self._check_lengths({name: stored[name] for name in stored if name in needed})
        arrays = {name: self._read(name, stored[name]) for name in stored if name in needed}
        for name in names:
            if name in whole:
                columns[name] = arrays[name]
            else:
                array, position = positions[name]
                columns[name] = np.ascontiguousarray(arrays[array][:, position])
        return columns

    @cached_property
    def _arrays(self) -> dict[str, "_Stored"]:
        """Shape, order, dtype and size of each array, from the headers."""
        arrays: dict[str, _Stored] = {}
        with self._opened() as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                if name == member.filename:
                    continue
                if name in arrays:
                    raise ValueError(f"several arrays are called {name!r}")
                with archive.open(member) as file:
                    shape, is_fortran, dtype = _header(file)
                    size = member.file_size - file.tell()
                arrays[name] = _Stored(member.filename, shape, is_fortran, dtype, size)
        if not arrays:
            raise ValueError(f"{self.text} must have at least one array. Got none.")
        return arrays

    def _check_lengths(self, needed: dict[str, "_Stored"]) -> None:
        """Check that arrays are columns of equal length, before reading any."""
        for name, stored in needed.items():
            if stored.dtype.kind not in KINDS or not stored.dtype.itemsize:
                is_object = stored.dtype.hasobject
                kind = (
                    "Python objects, which only pickle reads" if is_object else stored.dtype
                )
                raise ValueError(
                    f"Array {name!r} of {self.text} must hold numbers, texts, dates, or "
                    f"True and False. Got {kind}. Save it as an array of one of these."
                )
            if len(stored.shape) != 1 and not stored.is_table:
                raise ValueError(
                    f"Array {name!r} of {self.text} must have one value per record, or a "
                    f"row of probabilities. Got shape {stored.shape} of {stored.dtype}."
                )
            if stored.n_bytes != stored.size:
                raise ValueError(
                    f"Array {name!r} of {self.text} is damaged: it has {stored.size:,} "
                    f"bytes where shape {stored.shape} of {stored.dtype} needs "
                    f"{stored.n_bytes:,}."
                )
        n_bytes = sum(stored.n_bytes for stored in needed.values())
        if n_bytes > LARGEST:
            raise ValueError(
                f"Arrays of {self.text} must have at most {LARGEST:,} bytes together. "
                f"They say that they have {n_bytes:,}. Save large data as Parquet."
            )
        lengths = {name: stored.shape[0] for name, stored in needed.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
            raise ValueError(
                f"Arrays of {self.text} must have one entry per record: {listed}. Save "
                "arrays of the same records."
            )
        if not any(lengths.values()):
            raise ValueError(
                f"{self.text} must have at least one record. Got empty arrays."
            )

    def _read(self, name: str, stored: "_Stored") -> NDArray[Any]:
        with self._opened() as archive, archive.open(stored.member) as file:
            if _header(file) != (stored.shape, stored.is_fortran, stored.dtype):
                raise ValueError("it has changed meanwhile")
            file.seek(0)
            array: NDArray[Any] = np.lib.format.read_array(
                file, allow_pickle=False, max_header_size=LONGEST_HEADER
            )
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        return self._checked(name, array)

    def _checked(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Check that no value is missing or invalid for its type, and return the array."""
        kind = array.dtype.kind
        missing = np.isnan(array) if kind in "fmM" else np.zeros(0, dtype=bool)
        if missing.any():
            record = int(np.argmax(missing.any(axis=1) if array.ndim > 1 else missing))
            raise ValueError(
                f"Record {record + 1} of array {name!r} of {self.text} has a missing "
                "value (NaN or NaT). Drop records with missing values, or fill them."
            )
        if kind == "S":
            if not all(text.isascii() for text in np.unique(array).tolist()):
                raise ValueError(
                    f"Array {name!r} of {self.text} has bytes that are not ASCII. Save "
                    "texts as an array of str."
                )
            return array.astype(np.str_)
        if kind == "U" and array.dtype.itemsize and not _are_characters(array):
            raise ValueError(
                f"Array {name!r} of {self.text} is damaged: it has texts with characters "
                "that Unicode does not have."
            )
        if kind == "b" and np.ascontiguousarray(array).view(np.uint8).max() > 1:
            raise ValueError(
                f"Array {name!r} of {self.text} is damaged: it has values that are "
                "neither True nor False."
            )
        return array

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        # zipfile and its decompressors raise many kinds of errors.
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except OSError as error:
            raise cannot_read(self.path, error) from error
        except Exception as error:
            text = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(
                f"Cannot read {self.text} as an .npz file: {text:.200}. Write it again "
                "by numpy.savez."
            ) from error


class _Stored(NamedTuple):
    """Header of an array, and the size of its data in bytes."""

    member: str
    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]
    size: int

    @property
    def n_bytes(self) -> int:
        """Number of bytes that shape and dtype require."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def is_table(self) -> bool:
        """Whether the array has a row of numbers for each record."""
        is_wide = len(self.shape) == 2 and self.shape[1] > 0
        return is_wide and self.dtype.kind in "biuf"


def _parts(name: str, stored: _Stored) -> list[str]:
    """Names of the columns of a two-dimensional array."""
    if not stored.is_table or stored.shape[1] > MOST_PARTS:
        return []
    return [f"{name}[{i}]" for i in range(stored.shape[1])]


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the shape, the order and the dtype of an array from its header."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"an array has version {version} of the format")
    is_first = version == (1, 0)
    size = file.read(2 if is_first else 4)
    length = int.from_bytes(size, "little")
    if length > LONGEST_HEADER:
        raise ValueError(f"an array has a description of {length:,} characters")
    header = io.BytesIO(size + file.read(length))
    read_header = np.lib.format.read_array_header_2_0
    if is_first:
        read_header = np.lib.format.read_array_header_1_0
    with warnings.catch_warnings():
        # Files written by Python 2.
        warnings.simplefilter("ignore", UserWarning)
        shape, is_fortran, dtype = read_header(header, max_header_size=LONGEST_HEADER)
    if any(n < 0 for n in shape):
        raise ValueError(f"an array has shape {shape}")
    return shape, is_fortran, dtype


def _are_characters(texts: NDArray[Any]) -> bool:
    codes = np.ascontiguousarray(texts).view(np.uint32)
    is_surrogate = (codes >= FIRST_SURROGATE) & (codes <= LAST_SURROGATE)
    return bool(codes.max(initial=0) <= LAST_CHARACTER) and not is_surrogate.any()
