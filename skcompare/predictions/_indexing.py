"""Row indexing of arrays, sparse matrices, data frames and lists."""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

CHUNK = 1 << 22
"""Number of values hashed at the same time, so that no whole array is copied."""


def n_rows(data: Any) -> int:
    """Number of records."""
    return data.shape[0] if hasattr(data, "shape") else len(data)


def take_rows(data: Any, index: np.ndarray) -> Any:
    """Select the records at `index`, in a container of the same type."""
    if hasattr(data, "iloc"):
        return data.iloc[index]
    if sparse.issparse(data):
        return data.tocsr()[index]
    if type(data).__module__.startswith("pyarrow."):
        return data.take(index)
    if isinstance(data, list | tuple):
        return [data[i] for i in index]
    return data[index]


def fingerprint(*parts: Any) -> str:
    """Compute a digest of data that does not depend on memory layout."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        for piece in _pieces(part):
            digest.update(piece)
    return digest.hexdigest()


def _pieces(data: Any) -> Iterable[Any]:
    if data is None:
        yield b"none"
    elif sparse.issparse(data):
        csr = data.tocsr()
        for part in (np.array(csr.shape), csr.indptr, csr.indices, csr.data):
            yield from _array_pieces(part)
    elif hasattr(data, "columns") and not isinstance(data, np.ndarray):
        names = getattr(data, "column_names", None) or list(data.columns)
        for name in names:
            yield str(name).encode()
            yield from _array_pieces(np.asarray(data[name]))
    elif isinstance(data, list | tuple):
        yield from _item_pieces(data)
    else:
        yield from _array_pieces(np.asarray(data))


def _item_pieces(items: Any) -> Iterable[bytes]:
    """Yield items one by one, because an array of long and short strings would be huge."""
    yield f"{len(items)} items".encode()
    for item in items:
        yield f"{type(item).__name__} {item!r}\0".encode()


def _array_pieces(array: np.ndarray) -> Iterable[Any]:
    yield f"{array.dtype.str}{array.shape}".encode()
    if array.dtype.kind == "O":
        yield from _item_pieces(array.ravel().tolist())
        return
    rows = max(1, CHUNK // max(1, array[:1].size))
    for start in range(0, len(array), rows) if array.ndim else ():
        yield np.ascontiguousarray(array[start : start + rows]).view(np.uint8).data
