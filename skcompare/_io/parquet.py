"""Reader of Parquet files that uses any installed library."""

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from skcompare._io.arrays import Frame, arrays_of, from_native, narwhals_module
from skcompare._io.readers import File, cannot_read, register_reader
from skcompare.exceptions import MissingDependencyError

T = TypeVar("T")


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
            opened = _first_installed(*(partial(by, nw, self.path) for by in libraries))
        if opened is not None:
            return Frame(opened, self.text)
        raise MissingDependencyError(
            f"Reading the Parquet file {self.text} needs pyarrow or polars. Install them "
            "with `pip install skcompare[frames]`, or pass a CSV file."
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


READ_AT_ONCE = 1 << 26
"""Largest size in bytes of Parquet files that are read into arrays, not by an engine."""


_CONNECTIONS = threading.local()


class Scanned(NamedTuple):
    """Lazy frame, and an object that must live as long as the frame."""

    frame: Any
    kept: Any = None


def scanned_file(path: str) -> Scanned | None:
    """Scan a Parquet file, or a folder of them, by DuckDB or else Polars.

    None if the files are small or neither is installed.
    """
    files = _files(path)
    size = sum(os.path.getsize(file) for file in files)
    if not files or size <= READ_AT_ONCE:
        return None
    return _first_installed(
        lambda: _scanned_by_duckdb(files), lambda: _scanned_by_polars(files)
    )


def scanned_dataset(dataset: Any) -> Scanned | None:
    """Scan a pyarrow dataset by DuckDB or Polars, or return None without these."""

    def by_duckdb() -> Scanned:
        connection = _connection()
        return Scanned(from_native(connection.from_arrow(dataset)), (connection, dataset))

    def by_polars() -> Scanned:
        import polars

        return Scanned(from_native(polars.scan_pyarrow_dataset(dataset)), dataset)

    return _first_installed(by_duckdb, by_polars)


def _first_installed(*openers: Callable[[], T]) -> T | None:
    """Return the result of the first function whose library is installed, or None."""
    for opener in openers:
        try:
            return opener()
        except ImportError:
            continue
    return None


def _files(path: str) -> list[str]:
    """List the Parquet files of a folder as pyarrow does, or the file itself."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    files = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
    return [
        str(file)
        for file in files
        if file.name.lower().endswith(ParquetFile.suffixes)
        and not file.name.startswith(("_", "."))
    ]


def _scanned_by_duckdb(files: list[str]) -> Scanned:
    if any(set("*?[") & set(file) for file in files):
        # DuckDB would read them as patterns.
        raise ImportError("DuckDB cannot read these names")
    connection = _connection()
    return Scanned(from_native(connection.read_parquet(files)), connection)


def _scanned_by_polars(files: list[str]) -> Scanned:
    import polars

    return Scanned(from_native(polars.scan_parquet(files, glob=False)))


def _connection() -> Any:
    """DuckDB connection of the current thread, shared by all frames for joins."""
    import duckdb

    if not hasattr(_CONNECTIONS, "connection"):
        _CONNECTIONS.connection = duckdb.connect()
    return _CONNECTIONS.connection
