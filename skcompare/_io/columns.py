"""Frames and files as they enter and leave; the one place that calls narwhals."""

import os
from collections.abc import Collection, Hashable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from numpy.typing import NDArray

from skcompare._core.validation import check_choice, unknown_name
from skcompare._io.arrays import arrays_of, from_native, narwhals_module
from skcompare._io.csv import CsvFile
from skcompare._io.json_lines import JsonLinesFile
from skcompare._io.npz import NpzFile
from skcompare._io.parquet import PARQUET, ParquetFile
from skcompare.exceptions import MissingDependencyError

BACKENDS = ("pandas", "polars", "pyarrow")
JSON_LINES = (".jsonl", ".ndjson")
NPZ = ".npz"
FILES = (CsvFile, JsonLinesFile, NpzFile, ParquetFile)
MOST_NAMES, LONGEST_NAME = 20, 60
"""Columns that a message lists, and letters of the name of each."""


class Source(Protocol):
    """Where columns come from: a frame, or a file of one of several formats.

    Attributes
    ----------
    key : hashable
        Equal for one and the same frame or file.
    words : str
        What messages call it.
    typed : bool
        Whether columns have types; those of CSV files are guessed.
    """

    key: Hashable
    words: str
    typed: bool

    @property
    def names(self) -> list[str]:
        """The names of all columns."""

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns without missing values."""


def columns_of(
    frame: Any, names: Sequence[str], *, as_written: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """The named columns of a frame or file, in plain arrays without missing values.

    Nothing else is read, as far as the format allows.

    Parameters
    ----------
    frame : frame, str, path-like or Source
        A frame of any library that narwhals knows, eager or lazy, or the path of a file:
        CSV, TSV, JSON lines, `.npz` or Parquet.
    names : sequence of str
        The columns. Each comes once.
    as_written : collection of str, optional
        Columns that stay text where they come from a CSV file, such as ids.

    Returns
    -------
    columns : dict of str to ndarray of shape (n_samples,)
        Whole numbers, fractions, booleans, dates or texts. Categories are their labels.
        An array of two dimensions in an `.npz` file stays one.
    """
    source = source_of(frame)
    for name in names:
        check_column(source, name)
    return source.read(list(dict.fromkeys(names)), as_written)


def source_of(frame: Any, words: str = "`frame`", delimiter: str | None = None) -> Source:
    """Where the columns of a frame or file come from.

    Parameters
    ----------
    frame : frame, str, path-like or Source
        What was passed. The end of a path says what it is: `.parquet` or `.pq`, `.jsonl`
        or `.ndjson` (with or without `.gz`), `.npz`, and for all others a CSV file.
    words : str, default="`frame`"
        What messages call a frame. Files have their path.
    delimiter : str, optional
        Of a CSV file; by default a tab for `.tsv` files, otherwise a comma.
    """
    if is_source(frame):
        return frame
    if isinstance(frame, str | os.PathLike):
        return _file(os.fspath(frame), delimiter)
    return Dataset(frame, words) if is_dataset(frame) else Frame(frame, words)


def _file(path: str, delimiter: str | None) -> Source:
    if "\0" in path:
        raise ValueError(f"A path must not have a null in it. Got {path!r}.")
    name = path.lower().rstrip(os.sep)
    if name.endswith(PARQUET):
        return ParquetFile(path)
    if name.endswith(NPZ):
        return NpzFile(path)
    if name.removesuffix(".gz").endswith(JSON_LINES):
        return JsonLinesFile(path)
    return CsvFile(path, delimiter)


def is_dataset(frame: Any) -> bool:
    """Whether it is a dataset of pyarrow, which says where files are."""
    kind = type(frame)
    return kind.__module__ == "pyarrow._dataset" and hasattr(kind, "to_batches")


def is_source(frame: Any) -> bool:
    """Whether it is known where the columns come from."""
    return isinstance(frame, (*FILES, Dataset, Frame))


def check_column(source: Source, name: str, advice: str = "") -> None:
    """Refuse a column that is not there, with the nearest names and advice."""
    names = source.names
    if name in names:
        return
    listed = [str(known)[:LONGEST_NAME] for known in names]
    if len(listed) > MOST_NAMES:
        listed = get_close_matches(name, listed, n=5) or listed[:MOST_NAMES]
    rest = f" and {len(names) - len(listed):,} more" if len(listed) < len(names) else ""
    message = str(unknown_name("column", name, listed)).removesuffix(".")
    raise ValueError(f"{message}{rest}, the columns of {source.words}.{advice}")


class Frame:
    """A frame that the user has in memory, or a lazy one."""

    typed = True

    def __init__(self, frame: Any, words: str) -> None:
        self.key: Hashable = id(frame)
        self.words = words
        try:
            self._frame = from_native(frame)
        except TypeError as error:
            raise TypeError(
                f"{words} must be a frame, such as one of pandas, Polars or PyArrow, or "
                "the path of a CSV, JSON lines, npz or Parquet file. Got "
                f"{type(frame).__name__}."
            ) from error
        # The key is an id, which must not go to another frame.
        self.native = frame

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        if isinstance(self._frame, narwhals_module().LazyFrame):
            return list(self._frame.collect_schema().names())
        return list(self._frame.columns)

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns without missing values."""
        return arrays_of(self._frame.select(*names), self.words)


class Dataset:
    """A dataset of pyarrow: files that are read as far as they are asked for."""

    typed = True

    def __init__(self, dataset: Any, words: str) -> None:
        self.key: Hashable = id(dataset)
        self.words = words
        self.native = dataset

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self.native.schema.names)

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns without missing values."""
        table = self.native.to_table(columns=list(names))
        return arrays_of(from_native(table), self.words)


def frame_from_columns(
    columns: Mapping[str, Sequence[Any]], backend: str = "pandas"
) -> Any:
    """A native frame from named columns.

    Parameters
    ----------
    columns : mapping of str to sequence
        Columns of equal length.
    backend : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library whose frame is returned.
    """
    check_choice("backend", backend, BACKENDS)
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingDependencyError(
            f"A {backend} frame needs narwhals and {backend}. Install them with "
            "`pip install skcompare[frames]`."
        ) from error
