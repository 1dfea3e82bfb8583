"""Columns of data frames and files as NumPy arrays, and data frames made from columns.

Frames and Parquet files are read by narwhals.
"""

import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cached_property, partial
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.validation import check_choice, unknown_name
from skcompare._io.npz import NpzFile as NpzFile
from skcompare._io.readers import (
    CsvFile,
    File,
    Source,
    cannot_read,
    from_codes,
    list_formats,
    reader_of,
    register_reader,
    text_array,
)
from skcompare.exceptions import MissingDependencyError

T = TypeVar("T")

LEAST_NARWHALS = (2, 9)
"""Older ones let DuckDB count records with the same scores wrongly."""
BACKENDS = ("pandas", "polars", "pyarrow")
MOST_NAMES, LONGEST_NAME = 20, 60
"""Largest numbers of columns in a message, and of characters of each name."""


def columns_of(
    frame: Any, names: Sequence[str], *, as_written: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """Read named columns of a frame or file as NumPy arrays without missing values.

    Other columns are not read, as far as the format allows.

    Parameters
    ----------
    frame : frame, str, path-like or Source
        A frame of any library that narwhals knows, eager or lazy, or the path of a file.
    names : sequence of str
        Columns to read; repeated names are read once.
    as_written : collection of str, optional
        Columns of a CSV file that stay text, such as ids.

    Returns
    -------
    columns : dict of str to ndarray of shape (n_samples,)
        Integers, floats, booleans, dates or text. Categories are their labels. An array
        of two dimensions in an `.npz` file keeps its shape.
    """
    source = source_of(frame)
    for name in names:
        check_column(source, name)
    return source.read(list(dict.fromkeys(names)), as_written)


def source_of(frame: Any, text: str = "`frame`", delimiter: str | None = None) -> Source:
    """Return the source of the columns of a frame or file.

    Parameters
    ----------
    frame : frame, str, path-like or Source
        Frame or path. The suffix of a path decides which reader reads it; files with
        unknown suffixes are CSV files.
    text : str, default="`frame`"
        Name of a frame in messages. Files are named by their path.
    delimiter : str, optional
        Delimiter of a CSV file; by default a tab for `.tsv` files, otherwise a comma.
    """
    if isinstance(frame, Source):
        return frame
    if not isinstance(frame, str | os.PathLike):
        return Frame(frame, text)
    path = os.fspath(frame)
    if "\0" in path:
        raise ValueError(f"A path must not have a null in it. Got {path!r}.")
    reader = reader_of(path) or CsvFile
    return CsvFile(path, delimiter) if reader is CsvFile else reader(path)


def is_file(data: Any) -> bool:
    """Whether an object is the path of a file, or already a source of columns."""
    return isinstance(data, str | os.PathLike | Source)


def has_columns(data: Any) -> bool:
    """Whether an object is a file, or a data frame with columns."""
    # Reading the columns of a lazy frame would run its query.
    # A pyarrow dataset has only a schema.
    names = "columns", "column_names", "schema"
    return is_file(data) or any(hasattr(type(data), name) for name in names)


def check_column(source: Source, name: str, advice: str = "") -> None:
    """Raise an error if a column is unknown, with the closest names and advice."""
    names = source.names
    if name in names or name in source.index_names:
        return
    listed = [str(column)[:LONGEST_NAME] for column in names]
    if len(listed) > MOST_NAMES:
        listed = get_close_matches(name, listed, n=5) or listed[:MOST_NAMES]
    remainder = (
        f" and {len(names) - len(listed):,} more" if len(listed) < len(names) else ""
    )
    message = str(unknown_name("column", name, listed)).removesuffix(".")
    raise ValueError(f"{message}{remainder}, the columns of {source.text}.{advice}")


def frame_from_columns(
    columns: Mapping[str, Sequence[Any]], backend: str = "pandas"
) -> Any:
    """Create a native frame from named columns.

    Parameters
    ----------
    columns : mapping of str to sequence
        Columns of equal length.
    backend : {"pandas", "polars", "pyarrow"}, default="pandas"
        Library of the returned frame.
    """
    check_choice("backend", backend, BACKENDS)
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingDependencyError(
            f"A {backend} frame needs narwhals and {backend}. Install them with "
            f"`pip install narwhals {backend}`."
        ) from error


def is_older(version: str, least: tuple[int, ...]) -> bool:
    """Whether the version of a package is below the least one that is supported."""
    numbers = version.split(".")[: len(least)]
    return tuple(int(part) for part in numbers if part.isdigit()) < least


def narwhals_module() -> Any:
    """Import and return the package narwhals, or raise an error with instructions."""
    try:
        import narwhals
    except ImportError as error:
        raise MissingDependencyError(
            "Frames and Parquet files need narwhals. Install it with "
            "`pip install narwhals`, or pass arrays or a CSV file."
        ) from error
    installed = narwhals.__version__
    if is_older(installed, LEAST_NARWHALS):
        raise MissingDependencyError(
            f"narwhals {installed} counts some records of DuckDB wrongly. Install a newer "
            f"one: pip install 'narwhals>={'.'.join(map(str, LEAST_NARWHALS))}'."
        )
    return narwhals


def from_native(frame: Any) -> Any:
    """Convert a native frame to a narwhals frame."""
    with warnings.catch_warnings():
        # Users can do nothing about it while the package that it names is unavailable.
        warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals")
        return narwhals_module().from_native(frame)


def is_dataset(frame: Any) -> bool:
    """Whether a frame is a dataset of pyarrow, which refers to files."""
    kind = type(frame)
    return kind.__module__ == "pyarrow._dataset" and hasattr(kind, "to_batches")


class Frame(Source):
    """Source of the columns of a data frame, eager or lazy, or of a dataset of pyarrow."""

    def __init__(self, frame: Any, text: str) -> None:
        self.key = id(frame)
        self.text = text
        try:
            self.frame = None if is_dataset(frame) else from_native(frame)
        except TypeError as error:
            raise TypeError(
                f"{text} must be a frame, such as one of pandas, Polars or PyArrow, or "
                f"the path of a {list_formats()} file. Got {type(frame).__name__}."
            ) from error
        # Keep the frame alive, so that no other frame gets the id that is its key.
        self.native = frame

    @property
    def is_lazy(self) -> bool:
        """Whether it is a lazy frame, which an engine computes."""
        return isinstance(self.frame, narwhals_module().LazyFrame)

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        if self.frame is None:
            return list(self.native.schema.names)
        if self.is_lazy:
            return list(self.frame.collect_schema().names())
        return list(self.frame.columns)

    @property
    def index_names(self) -> list[str]:
        """Names of levels of the index of pandas that are read like columns."""
        levels = getattr(getattr(self.native, "index", None), "names", None)
        if not levels or self.is_lazy:
            return []
        return [name for name in levels if isinstance(name, str) and name not in self.names]

    def select(self, names: Sequence[str]) -> Any:
        """Return the named columns as an eager frame of narwhals."""
        if self.frame is None:
            return from_native(self.native.to_table(columns=list(names)))
        levels = set(self.index_names)
        if not levels.isdisjoint(names):
            columns = [name for name in names if name not in levels]
            return from_native(self.native[columns].reset_index()).select(*names)
        selected = self.frame.select(*names)
        # All columns at once, because some engines give rows in another order each time.
        return selected.collect() if self.is_lazy else selected

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns, without missing values."""
        return arrays_of(self.select(names), self.text)


def arrays_of(frame: Any, text: str) -> dict[str, NDArray[Any]]:
    """Convert the columns of an eager frame, called `text` in messages, to arrays."""
    return {name: array_of_series(name, frame[name], text) for name in frame.columns}


def array_of_series(name: str, series: Any, text: str = "the frame") -> NDArray[Any]:
    """Convert a series without missing values to a NumPy array, categories to labels."""
    nw = narwhals_module()
    if series.null_count():
        _refuse_missing(name, series.is_null().to_numpy(), text)
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _array_of_text(name, series)
    if dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    if dtype == nw.Object or dtype.is_nested():
        return _array_of_items(name, series.to_list())
    array = _numpy_array(series)
    if array.dtype.kind == "O":
        return _array_of_items(name, array.tolist())
    if array.dtype.kind == "f" and np.isnan(array).any():
        _refuse_missing(name, np.isnan(array), text)
    return array


def _numpy_array(series: Any) -> NDArray[Any]:
    """Convert a series without missing values to an array that owns its memory.

    Arrow would keep the memory of the chunks that it joins.
    """
    native = series.to_native()
    is_arrow = type(native).__module__.startswith("pyarrow.")
    chunks = native.chunks if is_arrow and series.dtype.is_numeric() else []
    if len(chunks) < 2:
        array: NDArray[Any] = series.to_numpy()
        return array
    first_chunk = chunks[0].to_numpy(zero_copy_only=False)
    array = np.empty(len(native), dtype=first_chunk.dtype)
    np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in chunks], out=array)
    return array


def _refuse_missing(name: str, missing: NDArray[Any], label: str) -> NoReturn:
    positions = np.flatnonzero(missing.astype(bool))
    raise ValueError(
        f"`{name}` must not have missing values. Got {len(positions)}, the first at "
        f"position {positions[0]}. Drop these records of {label}, or name a value for them."
    )


def _array_of_text(name: str, series: Any) -> NDArray[Any]:
    """Convert text or categories to an array, without an object per record."""
    try:
        encoded = series.to_arrow().dictionary_encode()
        encoded = encoded.combine_chunks() if hasattr(encoded, "chunks") else encoded
        values, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    # Without pyarrow, and for values without an Arrow type or encoding, such as mixed text
    # and numbers; Arrow's errors are subclasses of these.
    except (ImportError, NotImplementedError, TypeError, ValueError):
        return _array_of_items(name, series.to_list())
    if all(isinstance(value, str) for value in values):
        return from_codes(f"Column {name!r}", values, codes)
    return _array_of_items(name, values)[codes]


def _array_of_items(name: str, items: list[Any]) -> NDArray[Any]:
    kinds = set(map(type, items))
    if any(issubclass(kind, list | tuple | dict | set | np.ndarray) for kind in kinds):
        raise ValueError(
            f"Column {name!r} must hold one value per record. Got "
            f"{type(items[0]).__name__}s. Make columns of their parts, one column per "
            "class for probabilities."
        )
    are_text = {issubclass(kind, str) for kind in kinds}
    if are_text == {True}:
        return text_array(f"Column {name!r}", items)
    # numpy would convert numbers next to strings to strings.
    return np.asarray(items, dtype=object if True in are_text else None)


@register_reader("Parquet", ".parquet", ".pq")
class ParquetFile(File):
    """Parquet file, or a folder of them, read by any installed library."""

    @cached_property
    def names(self) -> list[str]:
        """Names of all columns."""
        opened = self._opened
        with refused_if_damaged(self.text):
            return opened.names

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """Read the named columns, without missing values."""
        opened = self._opened
        with refused_if_damaged(self.text):
            frame = opened.select(names)
        try:
            columns = arrays_of(frame, self.text)
        except UnicodeDecodeError as error:
            raise _damaged(self.text, error) from error
        del frame
        if arrow := sys.modules.get("pyarrow"):
            # Its unused memory is returned to the system.
            arrow.default_memory_pool().release_unused()
        return columns

    @cached_property
    def _opened(self) -> Frame:
        try:
            os.stat(self.path)
        except OSError as error:
            raise cannot_read(self.path, error) from error
        nw = narwhals_module()
        libraries = (_opened_by_pyarrow, _opened_by_polars, _opened_by_pandas)
        with refused_if_damaged(self.text):
            opened = first_installed(*(partial(by, nw, self.path) for by in libraries))
        if opened is not None:
            return Frame(opened, self.text)
        raise MissingDependencyError(
            f"Reading the Parquet file {self.text} needs pyarrow or polars. Install one "
            "with `pip install pyarrow`, or pass a CSV file."
        )


@contextmanager
def refused_if_damaged(text: str) -> Iterator[None]:
    """Convert any error of a library on a damaged Parquet file to a ValueError."""
    try:
        yield
    except ImportError:
        raise
    # Each library has its own errors, and damaged sizes lead to MemoryError.
    except Exception as error:
        raise _damaged(text, error) from error
    except BaseException as error:
        # A panic of Polars is not an Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(text, error) from error


def _damaged(label: str, error: BaseException) -> ValueError:
    text = " ".join(str(error).split()) or type(error).__name__
    return ValueError(
        f"Cannot read {label} as a Parquet file: {text:.200}. Write it again, or pass a "
        "CSV file."
    )


def _opened_by_pyarrow(nw: Any, path: str) -> Any:
    from pyarrow import dataset

    return dataset.dataset(path, format="parquet")


def _opened_by_polars(nw: Any, path: str) -> Any:
    return nw.scan_parquet(path, backend="polars")


def _opened_by_pandas(nw: Any, path: str) -> Any:
    return nw.read_parquet(path, backend="pandas")


def first_installed(*openers: Callable[[], T]) -> T | None:
    """Return the result of the first function whose library is installed, or None."""
    for opener in openers:
        try:
            return opener()
        except ImportError:
            continue
    return None
