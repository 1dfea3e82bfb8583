"""Columns of frames as plain arrays of numpy, by narwhals."""

import warnings
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skcompare._io.text_files import from_codes, text_array
from skcompare.exceptions import MissingDependencyError


def narwhals_module() -> Any:
    """The package, or an error that says what to install."""
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
        return narwhals_module().from_native(frame)


def arrays_of(frame: Any, words: str) -> dict[str, NDArray[Any]]:
    """The columns of a frame of narwhals, which messages call `words`."""
    nw = narwhals_module()
    if isinstance(frame, nw.LazyFrame):
        # All columns at once, because some engines give rows in another order each time.
        frame = frame.collect()
    return {name: array_of_series(nw, name, frame[name], words) for name in frame.columns}


def array_of_series(
    nw: Any, name: str, series: Any, words: str = "the frame"
) -> NDArray[Any]:
    """A column as a plain array: categories as labels, and no missing values."""
    if series.null_count():
        _refuse_missing(name, series.is_null().to_numpy(), words)
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _labels(name, series)
    if dtype == nw.Decimal:
        series = series.cast(nw.Float64)
    if dtype == nw.Object or dtype.is_nested():
        return _array_of(name, series.to_list())
    array = _plain(series)
    if array.dtype.kind == "O":
        return _array_of(name, array.tolist())
    if array.dtype.kind == "f" and np.isnan(array).any():
        _refuse_missing(name, np.isnan(array), words)
    return array


def _plain(series: Any) -> NDArray[Any]:
    """A column that has all its values, in an array of numpy's own.

    Arrow would keep the memory of the parts that it joins.
    """
    native = series.to_native()
    is_arrow = type(native).__module__.startswith("pyarrow.")
    chunks = native.chunks if is_arrow and series.dtype.is_numeric() else []
    if len(chunks) < 2:
        array: NDArray[Any] = series.to_numpy()
        return array
    first = chunks[0].to_numpy(zero_copy_only=False)
    array = np.empty(len(native), dtype=first.dtype)
    np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in chunks], out=array)
    return array


def _refuse_missing(name: str, missing: NDArray[Any], words: str) -> NoReturn:
    at = np.flatnonzero(missing.astype(bool))
    raise ValueError(
        f"`{name}` must not have missing values. Got {len(at)}, the first at position "
        f"{at[0]}. Drop these records of {words}, or name a value for them."
    )


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
        return from_codes(f"Column {name!r}", values, codes)
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
        return text_array(f"Column {name!r}", items)
    # numpy would make texts of numbers beside texts.
    return np.asarray(items, dtype=object if True in are_text else None)
