"""Data frames as sources of columns, and their conversion to NumPy arrays by narwhals."""

import warnings
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from skcompare._io.readers import Source, from_codes, list_formats, text_array
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

    def select(self, names: Sequence[str]) -> Any:
        """Return the named columns as an eager frame of narwhals."""
        if self.frame is None:
            return from_native(self.native.to_table(columns=list(names)))
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
