"""Conversion of columns of data frames to NumPy arrays by narwhals."""

import warnings
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skcompare._io.readers import from_codes, text_array
from skcompare.exceptions import MissingDependencyError


def narwhals_module() -> Any:
    """Import and return the package narwhals, or raise an error with instructions."""
    try:
        import narwhals
    except ImportError as error:
        raise MissingDependencyError(
            "Frames and Parquet files need narwhals. Install it with "
            "`pip install skcompare[frames]`, or pass arrays or a CSV file."
        ) from error
    return narwhals


def from_native(frame: Any) -> Any:
    """Convert a native frame to a narwhals frame."""
    with warnings.catch_warnings():
        # Users can do nothing about it while the package that it names is unavailable.
        warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals")
        return narwhals_module().from_native(frame)


def arrays_of(frame: Any, text: str) -> dict[str, NDArray[Any]]:
    """Convert the columns of a narwhals frame, called `text` in messages, to arrays."""
    if isinstance(frame, narwhals_module().LazyFrame):
        # All columns at once, because some engines give rows in another order each time.
        frame = frame.collect()
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
