"""Frames and files as they enter and leave; the one place that calls narwhals."""

import os
import warnings
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skcompare._csv import CsvFile, cannot_read, from_codes, text_array
from skcompare._validation import check_choice, check_not_missing, unknown_name
from skcompare.exceptions import MissingDependencyError

__all__ = ["Source", "check_column", "columns_of", "frame_from_columns", "source_of"]

BACKENDS = ("pandas", "polars", "pyarrow")
PARQUET = (".parquet", ".pq")
MOST_NAMES = 20
"""Columns that a message lists."""


class Source(Protocol):
    """Where columns come from: a frame, a Parquet file or a CSV file.

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
        A frame of any library that narwhals knows, eager or lazy, or the path of a CSV,
        TSV or Parquet file.
    names : sequence of str
        The columns. Each comes once.
    as_written : collection of str, optional
        Columns that stay text where they come from a CSV file, such as ids.

    Returns
    -------
    columns : dict of str to ndarray of shape (n_samples,)
        Whole numbers, fractions, booleans, dates or texts. Categories are their labels.
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
        What was passed. A path that ends in `.parquet` or `.pq` is a Parquet file, any
        other a CSV file.
    words : str, default="`frame`"
        What messages call a frame. Files have their path.
    delimiter : str, optional
        Of a CSV file; by default a tab for `.tsv` files, otherwise a comma.
    """
    if is_source(frame):
        return frame
    if isinstance(frame, str | os.PathLike):
        path = os.fspath(frame)
        is_parquet = path.lower().rstrip(os.sep).endswith(PARQUET)
        return _ParquetFile(path) if is_parquet else CsvFile(path, delimiter)
    return _Dataset(frame, words) if is_dataset(frame) else _Frame(frame, words)


def is_dataset(frame: Any) -> bool:
    """Whether it is a dataset of pyarrow, which says where files are."""
    kind = type(frame)
    return kind.__module__ == "pyarrow._dataset" and hasattr(kind, "to_batches")


def is_source(frame: Any) -> bool:
    """Whether it is known where the columns come from."""
    return isinstance(frame, CsvFile | _ParquetFile | _Dataset | _Frame)


def check_column(source: Source, name: str, advice: str = "") -> None:
    """Refuse a column that is not there, with the nearest names and advice."""
    names = source.names
    if name in names:
        return
    listed = [str(known) for known in names]
    if len(listed) > MOST_NAMES:
        listed = get_close_matches(name, listed, n=5) or listed[:MOST_NAMES]
    rest = f" and {len(names) - len(listed):,} more" if len(listed) < len(names) else ""
    message = str(unknown_name("column", name, listed)).removesuffix(".")
    raise ValueError(f"{message}{rest}, the columns of {source.words}.{advice}")


class _Frame:
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
                f"the path of a CSV or Parquet file. Got {type(frame).__name__}."
            ) from error
        # The key is an id, which must not go to another frame.
        self.native = frame

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        if isinstance(self._frame, _narwhals().LazyFrame):
            return list(self._frame.collect_schema().names())
        return list(self._frame.columns)

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns without missing values."""
        return _arrays(self._frame.select(*names))


class _Dataset:
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
        return _arrays(from_native(self.native.to_table(columns=list(names))))


class _ParquetFile:
    """A Parquet file, or a folder of them, read by whichever library is installed."""

    typed = True

    def __init__(self, path: str) -> None:
        self.path = path
        self.key: Hashable = os.path.realpath(path)
        self.words = repr(path)
        self._known: _Opened | None = None

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return self._opened().names

    def read(
        self, names: Sequence[str], as_written: Collection[str] = ()
    ) -> dict[str, NDArray[Any]]:
        """The named columns without missing values."""
        opened = self._opened()
        with self._refused():
            frame = opened.select(list(names))
        return _arrays(frame)

    def _opened(self) -> "_Opened":
        if self._known is None:
            self._known = self._open()
        return self._known

    def _open(self) -> "_Opened":
        try:
            os.stat(self.path)
        except OSError as error:
            raise cannot_read(self.path, error) from error
        nw = _narwhals()
        for open_by in (_by_pyarrow, _by_polars, _by_pandas):
            try:
                with self._refused():
                    return open_by(nw, self.path)
            except ImportError:
                continue
        raise MissingDependencyError(
            f"Reading the Parquet file {self.words} needs pyarrow or polars. Install them "
            "with `pip install skcompare[frames]`, or pass a CSV file."
        )

    @contextmanager
    def _refused(self) -> Iterator[None]:
        try:
            yield
        except (ImportError, MemoryError):
            raise
        # Each library has its own errors.
        except Exception as error:
            raise ValueError(
                f"Cannot read {self.words} as a Parquet file: {error}. Write it again, or "
                "pass a CSV file."
            ) from error


class _Opened(NamedTuple):
    """A Parquet file of which nothing but the names is read."""

    names: list[str]
    select: Callable[[list[str]], Any]


def _by_pyarrow(nw: Any, path: str) -> _Opened:
    from pyarrow import dataset

    files = dataset.dataset(path, format="parquet")
    return _Opened(
        files.schema.names, lambda names: nw.from_native(files.to_table(columns=names))
    )


def _by_polars(nw: Any, path: str) -> _Opened:
    lazy = nw.scan_parquet(path, backend="polars")
    return _Opened(
        lazy.collect_schema().names(), lambda names: lazy.select(*names).collect()
    )


def _by_pandas(nw: Any, path: str) -> _Opened:
    frame = nw.read_parquet(path, backend="pandas")
    return _Opened(frame.columns, lambda names: frame.select(*names))


def _narwhals() -> Any:
    try:
        import narwhals
    except ImportError as error:
        raise MissingDependencyError(
            "Frames and Parquet files need narwhals. Install it with "
            "`pip install skcompare[frames]`, or pass arrays or a CSV file."
        ) from error
    return narwhals


def from_native(frame: Any) -> Any:
    """A frame as narwhals has it."""
    with warnings.catch_warnings():
        # Users can do nothing about it while the package it names is not to be had.
        warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals")
        return _narwhals().from_native(frame)


def _arrays(frame: Any) -> dict[str, NDArray[Any]]:
    nw = _narwhals()
    if isinstance(frame, nw.LazyFrame):
        # All columns at once, because some engines give rows in another order each time.
        frame = frame.collect()
    return {name: _array(nw, name, frame[name]) for name in frame.columns}


def _array(nw: Any, name: str, series: Any) -> NDArray[Any]:
    """A column as a plain array: categories as labels, and no missing values."""
    if series.null_count():
        _refuse_missing(name, series.is_null().to_numpy())
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _labels(name, series)
    if dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    if dtype == nw.Object or dtype.is_nested():
        return _array_of(name, series.to_list())
    array = series.to_numpy()
    if array.dtype.kind == "O":
        return _array_of(name, array.tolist())
    if array.dtype.kind == "f" and np.isnan(array).any():
        _refuse_missing(name, np.isnan(array))
    return array


def _refuse_missing(name: str, missing: NDArray[Any]) -> None:
    marked = np.zeros(len(missing), dtype=object)
    marked[missing.astype(bool)] = None
    check_not_missing(name, marked)


def _labels(name: str, series: Any) -> NDArray[Any]:
    """Texts or categories by their different values: an object a record takes longer."""
    try:
        encoded = series.to_arrow().dictionary_encode()
        encoded = encoded.combine_chunks() if hasattr(encoded, "chunks") else encoded
        values, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    # Without pyarrow, and for what Arrow has no type or encoding for, such as texts and
    # numbers mixed; its own errors are kinds of these.
    except (ImportError, NotImplementedError, TypeError, ValueError):
        return _array_of(name, series.to_list())
    if all(isinstance(value, str) for value in values):
        return from_codes(values, codes)
    return _array_of(name, values)[codes]


def _array_of(name: str, items: list[Any]) -> NDArray[Any]:
    kinds = set(map(type, items))
    if any(issubclass(kind, list | tuple | dict | set | np.ndarray) for kind in kinds):
        raise ValueError(
            f"Column {name!r} must hold one value a record. Got "
            f"{type(items[0]).__name__}s. Make columns of their parts, a column a class "
            "for probabilities."
        )
    are_text = {issubclass(kind, str) for kind in kinds}
    if are_text == {True}:
        return text_array(items)
    # numpy would make texts of numbers beside texts.
    return np.asarray(items, dtype=object if True in are_text else None)


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
