"""How records and tasks reach the workers: mapped into memory, or once a worker."""

import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from joblib import parallel_config
from joblib.parallel import get_active_backend
from scipy import sparse
from threadpoolctl import threadpool_limits

from skcompare.exceptions import WorkerLostError

LOCAL_PROCESSES = ("LokyBackend", "MultiprocessingBackend")
DASK, RAY = "DaskDistributedBackend", "RayBackend"
LOST = frozenset(
    {
        "concurrent.BrokenExecutor",
        "concurrent.CancelledError",
        "distributed.KilledWorker",
        "ray.NodeDiedError",
        "ray.ObjectLostError",
        "ray.OutOfMemoryError",
        "ray.RayActorError",
        "ray.WorkerCrashedError",
    }
)
"""Errors by which joblib, Dask and Ray say that a worker is gone, with their packages."""

RUNS = "runs-"
"""How the files are called that say what runs."""

ALIGNMENT = 64
FORMATS_OF_ARRAYS = ("bsr", "coo", "csc", "csr", "dia")

_unpacked: dict[str, Any] = {}

Call = tuple[Any, Any]
"""A task as it is sent, and the shipment that goes with it."""


class Shipment:
    """Records as a task gets them; `open()` gives them back.

    Arrays and sparse matrices are left to joblib, which maps them into the workers'
    memory. A task is sent as it is. With a folder each task leaves a file there while it
    runs, which stays if its process is lost.
    """

    def __init__(self, data: tuple[Any, ...], folder: str | None = None) -> None:
        self.data = data
        self.folder = folder

    def open(self) -> tuple[Any, ...]:
        """The records."""
        return self.data

    def task(self, sent: Any) -> Any:
        """The task that was sent."""
        return sent

    def at_work(self, task: Any) -> AbstractContextManager[Any]:
        """What a task runs within."""
        return nullcontext() if self.folder is None else _noted(self.folder, task)


@contextmanager
def _noted(folder: str, task: Any) -> Iterator[None]:
    note = Path(folder) / f"{RUNS}{uuid4().hex}"
    note.write_text(_words(task), encoding="utf-8")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def _words(task: Any) -> str:
    """The classifier of a task, and its split."""
    own = getattr(task, "task", task)
    return f"{own.name} in split {own.split}"


class FileShipment(Shipment):
    """Records in a file that local worker processes map: buffers are shared, the rest is
    unpickled once a worker.
    """

    def __init__(self, data: tuple[Any, ...], folder: str) -> None:
        self.folder = folder
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

    def open(self) -> tuple[Any, ...]:
        """The records, read once a process and kept until others come."""
        return _once(self.token, self._read)

    def _read(self) -> Any:
        stored = np.memmap(self.path, mode="r") if self.spans else None
        views = [stored[start : start + size] for start, size in self.spans]  # type: ignore[index]
        return pickle.loads(self.frame, buffers=views)


class Cargo(Shipment):
    """Records and all tasks, which a cluster brings to each worker once.

    A task is sent as its position, because its training and test rows are as long as the
    records.
    """

    def __init__(self, data: tuple[Any, ...], tasks: Sequence[Any]) -> None:
        super().__init__(data)
        self.tasks = tasks

    def __sizeof__(self) -> int:
        """Bytes, by which Dask plans the memory of its workers."""
        parts = [*self.data, *(array for task in self.tasks for array in _arrays(task))]
        return sum({id(part): _size(part) for part in parts}.values())

    def task(self, sent: Any) -> Any:
        """The task at the position that was sent."""
        return self.tasks[sent]

    def at_work(self, task: Any) -> AbstractContextManager[Any]:
        """Jobs of an estimator are threads of its worker, as in local processes.

        Otherwise its training records would travel again, to other workers.
        """
        return parallel_config("threading", n_jobs=1)


class RayShipment(Shipment):
    """Cargo in Ray's object store: one copy a machine, opened once a worker."""

    def __init__(self, cargo: Cargo) -> None:
        self.token = uuid4().hex
        self.reference = import_module("ray").put(cargo)

    def _cargo(self) -> Cargo:
        return _once(self.token, lambda: import_module("ray").get(self.reference))

    def open(self) -> tuple[Any, ...]:
        """The records, kept until the worker ends or others come."""
        return self._cargo().open()

    def task(self, sent: Any) -> Any:
        """The task at the position that was sent."""
        return self._cargo().task(sent)

    def at_work(self, task: Any) -> AbstractContextManager[Any]:
        """As of the cargo."""
        return self._cargo().at_work(task)


def _once(token: str, read: Callable[[], Any]) -> Any:
    """What is read once a process, and kept until something else is."""
    if token not in _unpacked:
        _unpacked.clear()
        _unpacked[token] = read()
    return _unpacked[token]


def run_shipped(run: Callable[..., Any], sent: Any, shipment: Shipment, *args: Any) -> Any:
    """Run a task where it was sent: `run(task, *data, *args)`."""
    task = shipment.task(sent)
    with shipment.at_work(task):
        return run(task, *shipment.open(), *args)


@contextmanager
def shipped(
    data: tuple[Any, ...], tasks: Sequence[Any], n_jobs: int | None
) -> Iterator[list[Call]]:
    """Records and tasks made ready for the active joblib backend.

    Frames would be pickled for every task; local processes read them from a file instead.
    A cluster gets records and tasks once a worker, and drops them at the end.
    """
    backend, workers = _workers(n_jobs)
    kind = "" if workers == 1 else type(backend).__name__
    sent: Sequence[Any] = tasks
    way: AbstractContextManager[Any]
    if kind == DASK:
        way, sent = _on_dask(backend.client, Cargo(data, tasks)), range(len(tasks))
    elif kind == RAY:
        way, sent = nullcontext(RayShipment(Cargo(data, tasks))), range(len(tasks))
    elif kind in LOCAL_PROCESSES:
        way = _in_a_folder(data)
    else:
        way = nullcontext(Shipment(data))
    with way as shipment, _lost_workers_told(shipment, tasks):
        yield [(task, shipment) for task in sent]


@contextmanager
def _on_dask(client: Any, cargo: Cargo) -> Iterator[Any]:
    """The future of a cargo, in whose place Dask gives a task the cargo itself.

    It is on several workers from the start, so that tasks go to all of them, and so that it
    outlives a worker: Dask cannot make scattered data again.
    """
    spread = min(len(cargo.tasks), len(client.nthreads()))
    # Hashing would read all the records once more.
    future = client.scatter(cargo, broadcast=spread, hash=False)
    try:
        yield future
    finally:
        # After an error, the tasks that wait for it are dropped with it. A cluster that is
        # gone has nothing to drop, and what went wrong there is already on its way.
        with suppress(Exception):
            future.cancel()


@contextmanager
def _in_a_folder(data: tuple[Any, ...]) -> Iterator[Shipment]:
    """Records for local processes, in a file if joblib does not map them."""
    with tempfile.TemporaryDirectory(
        prefix="skcompare-", ignore_cleanup_errors=True
    ) as folder:
        if _is_mapped_by_joblib(data):
            yield Shipment(data, folder)
        else:
            yield FileShipment(data, folder)


@contextmanager
def _lost_workers_told(shipment: Any, tasks: Sequence[Any]) -> Iterator[None]:
    """Say in the same words on every backend that a worker is gone, and what it ran."""
    try:
        yield
    except Exception as error:
        bases = type(error).__mro__
        if LOST.isdisjoint(f"{b.__module__.partition('.')[0]}.{b.__name__}" for b in bases):
            raise
        kind = type(error).__name__
        raise WorkerLostError(
            "A worker process ended before its fits were done, so there is no result. Most "
            "often it ran out of memory, or an estimator crashed it. Give the workers more "
            f"memory, or run fewer at a time, and fit again. {_what_ran(shipment, tasks)}. "
            f"{kind}: {error}"
        ) from error


def _what_ran(shipment: Any, tasks: Sequence[Any]) -> str:
    """The fits that ran in the end, or all of them where nobody knows."""
    folder = getattr(shipment, "folder", None)
    notes = () if folder is None else Path(folder).glob(f"{RUNS}*")
    running = sorted(note.read_text(encoding="utf-8") for note in notes)
    if running:
        return f"In the end it ran {' and '.join(running)}"
    first, last = _words(tasks[0]), _words(tasks[-1])
    return f"It was one of {len(tasks)} fits, from {first} to {last}"


def _workers(n_jobs: int | None) -> tuple[Any, int]:
    """The active joblib backend and how many tasks it runs at a time."""
    backend, n_active = get_active_backend()
    n_asked = n_active if n_jobs is None else n_jobs
    if type(backend).__name__ == RAY and n_asked == -1:
        # The cores of a cluster are known once it is there.
        ray = import_module("ray")
        if not ray.is_initialized():
            ray.init()
    return backend, backend.effective_n_jobs(n_asked)


def _is_mapped_by_joblib(data: tuple[Any, ...]) -> bool:
    return all(part is None or _has_plain_arrays(part) for part in data)


def _has_plain_arrays(part: Any) -> bool:
    # A subclass, such as a masked array, would be pickled for every task.
    if type(part) in (np.ndarray, np.memmap):
        return bool(part.dtype.kind != "O")
    return sparse.issparse(part) and part.format in FORMATS_OF_ARRAYS


def _arrays(task: Any) -> Iterator[Any]:
    """The arrays that a task holds."""
    if hasattr(task, "shape"):
        yield task
    elif isinstance(task, dict):
        for value in task.values():
            yield from _arrays(value)
    elif is_dataclass(task) and not isinstance(task, type):
        for field in fields(task):
            yield from _arrays(getattr(task, field.name))


def _size(data: Any) -> int:
    """Bytes of records."""
    if hasattr(data, "estimated_size"):
        return int(data.estimated_size())
    return int(import_module("dask.sizeof").sizeof(data))


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
