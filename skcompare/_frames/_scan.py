"""Parquet files and datasets as lazy frames of an engine that is installed."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from skcompare._frames._arrays import narwhals_module
from skcompare._frames._parquet import PARQUET

READ_AT_ONCE = 1 << 26
"""Bytes of Parquet files that are read into arrays rather than left to an engine."""


_OPEN = threading.local()


class Scanned(NamedTuple):
    """A lazy frame, and what must live as long as it."""

    frame: Any
    kept: Any = None


def scanned_file(path: str, even_small: bool = False) -> Scanned | None:
    """A Parquet file, or a folder of them, on DuckDB or else Polars.

    None where the files are small or neither is installed.
    """
    files = _files(path)
    size = sum(os.path.getsize(file) for file in files)
    if not files or (size <= READ_AT_ONCE and not even_small):
        return None
    return _first(lambda: _by_duckdb(files), lambda: _by_polars(files))


def scanned_dataset(dataset: Any) -> Scanned | None:
    """A dataset of pyarrow on DuckDB or else Polars; None where neither is installed."""

    def by_duckdb() -> Scanned:
        connection = _connection()
        return Scanned(_lazy(connection.from_arrow(dataset)), (connection, dataset))

    def by_polars() -> Scanned:
        import polars

        return Scanned(_lazy(polars.scan_pyarrow_dataset(dataset)), dataset)

    return _first(by_duckdb, by_polars)


def _first(*openers: Callable[[], Scanned]) -> Scanned | None:
    for opener in openers:
        try:
            return opener()
        except ImportError:
            continue
    return None


def _files(path: str) -> list[str]:
    """The files of a folder, as pyarrow finds them, or the file itself."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    found = (file for file in sorted(Path(path).rglob("*")) if file.is_file())
    return [
        str(file)
        for file in found
        if file.name.lower().endswith(PARQUET) and not file.name.startswith(("_", "."))
    ]


def _by_duckdb(files: list[str]) -> Scanned:
    if any(set("*?[") & set(file) for file in files):
        # It would look for a pattern.
        raise ImportError("DuckDB cannot read these names")
    connection = _connection()
    return Scanned(_lazy(connection.read_parquet(files)), connection)


def _by_polars(files: list[str]) -> Scanned:
    import polars

    return Scanned(_lazy(polars.scan_parquet(files, glob=False)))


def _connection() -> Any:
    """One connection a thread, so that what it reads can be joined."""
    import duckdb

    if not hasattr(_OPEN, "connection"):
        _OPEN.connection = duckdb.connect()
    return _OPEN.connection


def _lazy(native: Any) -> Any:
    return narwhals_module().from_native(native)
