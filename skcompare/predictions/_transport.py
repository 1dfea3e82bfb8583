"""How the data reach the workers: mapped into memory, or once a worker."""

import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from joblib.parallel import get_active_backend
from scipy import sparse
from threadpoolctl import threadpool_limits

__all__ = ["Shipment", "blas_within", "shipped"]

LOCAL_PROCESSES = ("LokyBackend", "MultiprocessingBackend")
ALIGNMENT = 64

_unpacked: dict[str, Any] = {}


class Shipment:
    """Data as a task gets them; `open()` gives them back.

    Arrays and sparse matrices are left to joblib, which maps them into the workers'
    memory.
    """

    def __init__(self, data: Any) -> None:
        self.data = data

    def open(self) -> Any:
        """The data."""
        return self.data


class FileShipment(Shipment):
    """Data in a file that local worker processes map: buffers are shared, the rest is
    unpickled once a worker.
    """

    def __init__(self, data: Any, folder: str) -> None:
        self.token = uuid4().hex
        self.path = str(Path(folder) / self.token)
        buffers: list[pickle.PickleBuffer] = []
        self.frame = pickle.dumps(data, protocol=5, buffer_callback=buffers.append)
        self.spans = []
        with open(self.path, "wb") as file:
            for buffer in buffers:
                file.write(b"\0" * (-file.tell() % ALIGNMENT))
                raw = buffer.raw()
                self.spans.append((file.tell(), raw.nbytes))
                file.write(raw)

    def open(self) -> Any:
        """The data, read once a process and kept until other data come."""
        if self.token not in _unpacked:
            _unpacked.clear()
            stored = np.memmap(self.path, mode="r") if self.spans else None
            views = [stored[start : start + size] for start, size in self.spans]  # type: ignore[index]
            _unpacked[self.token] = pickle.loads(self.frame, buffers=views)
        return _unpacked[self.token]


@contextmanager
def shipped(data: tuple[Any, ...], n_jobs: int | None) -> Iterator[Shipment]:
    """Data made ready for the active joblib backend.

    Frames would be pickled for every task; local processes read them from a file
    instead.
    """
    arrays = all(part is None or _is_mapped_by_joblib(part) for part in data)
    backend, workers = _workers(n_jobs)
    if arrays or workers == 1 or type(backend).__name__ not in LOCAL_PROCESSES:
        yield Shipment(data)
        return
    with tempfile.TemporaryDirectory(
        prefix="skcompare-", ignore_cleanup_errors=True
    ) as folder:
        yield FileShipment(data, folder)


def _workers(n_jobs: int | None) -> tuple[Any, int]:
    """The active joblib backend and how many tasks it runs at a time."""
    backend, n_active = get_active_backend()
    return backend, backend.effective_n_jobs(n_active if n_jobs is None else n_jobs)


def _is_mapped_by_joblib(part: Any) -> bool:
    is_plain = isinstance(part, np.ndarray) and part.dtype.kind != "O"
    return is_plain or sparse.issparse(part)


@contextmanager
def blas_within(n_jobs: int | None) -> Iterator[None]:
    """Keep BLAS from starting more threads than there are cores.

    joblib sees to it in worker processes; worker threads share one BLAS, which is
    limited to one thread a worker here.
    """
    backend, workers = _workers(n_jobs)
    if not getattr(backend, "uses_threads", False) or workers == 1:
        yield
        return
    with threadpool_limits(limits=1):
        yield
