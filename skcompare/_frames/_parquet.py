"""Parquet files, read by whichever library is installed."""

import os
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from numpy.typing import NDArray

from skcompare._frames._arrays import arrays_of, narwhals_module
from skcompare._text_files import cannot_read
from skcompare.exceptions import MissingDependencyError

PARQUET = (".parquet", ".pq")


class ParquetFile:
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
        with refused_if_damaged(self.words):
            frame = opened.select(list(names))
        try:
            columns = arrays_of(frame, self.words)
        except UnicodeDecodeError as error:
            raise _damaged(self.words, error) from error
        del frame
        _give_back()
        return columns

    def _opened(self) -> "_Opened":
        if self._known is None:
            self._known = self._open()
        return self._known

    def _open(self) -> "_Opened":
        try:
            os.stat(self.path)
        except OSError as error:
            raise cannot_read(self.path, error) from error
        nw = narwhals_module()
        for open_by in (_by_pyarrow, _by_polars, _by_pandas):
            try:
                with refused_if_damaged(self.words):
                    return open_by(nw, self.path)
            except ImportError:
                continue
        raise MissingDependencyError(
            f"Reading the Parquet file {self.words} needs pyarrow or polars. Install them "
            "with `pip install skcompare[frames]`, or pass a CSV file."
        )


@contextmanager
def refused_if_damaged(words: str) -> Iterator[None]:
    """One error for all that libraries raise where Parquet files are damaged."""
    try:
        yield
    except ImportError:
        raise
    # Each library has its own errors, and damaged sizes ask for too much memory.
    except Exception as error:
        raise _damaged(words, error) from error
    except BaseException as error:
        # What Polars raises where its own code fails is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(words, error) from error


def _damaged(words: str, error: BaseException) -> ValueError:
    said = " ".join(str(error).split()) or type(error).__name__
    return ValueError(
        f"Cannot read {words} as a Parquet file: {said:.200}. Write it again, or pass a "
        "CSV file."
    )


def _give_back() -> None:
    """Have Arrow give the memory of what it read back to the system."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


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
