"""Columns of data frames and files, and data frames made from columns."""

import os
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from numpy.typing import NDArray

from skcompare._core.validation import check_choice, unknown_name
from skcompare._io.arrays import Frame
from skcompare._io.npz import NpzFile as NpzFile
from skcompare._io.parquet import ParquetFile as ParquetFile
from skcompare._io.readers import CsvFile, Source, reader_of
from skcompare.exceptions import MissingDependencyError

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
    if name in names:
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
            "`pip install skcompare[frames]`."
        ) from error
