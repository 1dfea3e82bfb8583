"""Tasks on workers: transport of their records, and the random generators they share."""

import pickle
import random
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from sklearn import config_context
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from skcompare._core.progress import progress_bar
from skcompare.exceptions import WorkerLostError

LOCAL_PROCESSES = ("LokyBackend", "MultiprocessingBackend")
THREADS = "ThreadingBackend"
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
"""Errors of joblib, Dask and Ray for a lost worker, with their packages."""

RUNS = "runs-"
"""Prefix of the names of files that record the tasks that are running."""

ALIGNMENT = 64
FORMATS_OF_ARRAYS = ("bsr", "coo", "csc", "csr", "dia")

_cache: dict[str, Any] = {}

Call = tuple[Any, Any]
"""Task in the form that is sent, and its shipment."""


class Shipment:
    """Records in the form sent to tasks; `open()` returns the records.

    Arrays and sparse matrices are left to joblib, which maps them into the workers'
    memory. A task is sent as it is. With a folder, each task keeps a file there while it
    runs, which remains if its process is lost.
    """

    def __init__(self, data: tuple[Any, ...], folder: str | None = None) -> None:
        self.data = data
        self.folder = folder

    def received(self) -> "Shipment":
        """Return the shipment itself, in a worker that may have a reference to it."""
        return self

    def open(self) -> tuple[Any, ...]:
        """Return the records."""
        return self.data

    def task(self, sent: Any) -> Any:
        """Return the task that was sent."""
        return sent

    def at_work(self, task: Any) -> AbstractContextManager[Any]:
        """Return the context manager in which a task runs."""
        return nullcontext() if self.folder is None else _running_note(self.folder, task)


@contextmanager
def _running_note(folder: str, task: Any) -> Iterator[None]:
    note = Path(folder) / f"{RUNS}{uuid4().hex}"
    note.write_text(_task_label(task), encoding="utf-8")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def _task_label(task: Any) -> str:
    """Return the classifier and split of a task as text."""
    fit_task = getattr(task, "task", task)
    return f"{fit_task.name} in split {fit_task.split}"


class FileShipment(Shipment):
    """Records in a file that local workers map into memory, with shared buffers."""

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
        """Return the records, read once per process and kept until others are opened."""
        return _cached(self.token, self._read)

    def _read(self) -> Any:
        stored = np.memmap(self.path, mode="r") if self.spans else None
        views = [stored[start : start + size] for start, size in self.spans]  # type: ignore[index]
        return pickle.loads(self.frame, buffers=views)


class Cargo(Shipment):
    """Records and all tasks, sent to each worker of a cluster once.

    A task is sent as its position, because its training and test rows are as long as the
    records.
    """

    def __init__(self, data: tuple[Any, ...], tasks: Sequence[Any]) -> None:
        super().__init__(data)
        self.tasks = tasks

    def __sizeof__(self) -> int:
        """Return the size in bytes, by which Dask plans the memory of its workers."""
        parts = [*self.data, *(array for task in self.tasks for array in _arrays(task))]
        return sum({id(part): _n_bytes(part) for part in parts}.values())

    def task(self, sent: Any) -> Any:
        """Return the task at the position that was sent."""
        return self.tasks[sent]

    def at_work(self, task: Any) -> AbstractContextManager[Any]:
        """Run the jobs of an estimator as threads of its worker, as in local processes.

        Otherwise its training records would be sent again, to other workers.
        """
        return parallel_config("threading", n_jobs=1)


class RayShipment(Shipment):
    """Cargo in Ray's object store: one copy per machine, opened once per worker."""

    def __init__(self, cargo: Cargo) -> None:
        self.token = uuid4().hex
        self.reference = import_module("ray").put(cargo)

    def received(self) -> Cargo:
        """Return the cargo, kept until the worker ends or others are opened."""
        return _cached(self.token, lambda: import_module("ray").get(self.reference))


def _cached(token: str, read: Callable[[], Any]) -> Any:
    """Return a value that is read once per process, and cached until another is read."""
    if token not in _cache:
        _cache.clear()
        _cache[token] = read()
    return _cache[token]


def seed_generators(seed: int) -> None:
    """Seed the global random generators of numpy, Python and torch.

    An estimator with a nested `random_state` of None that cannot be set uses numpy's
    generator. Neural nets use that of torch; only the one on the CPU is seeded, as it draws
    their initial weights. Threads share the generators, so that fits in threads stay as
    random as before.
    """
    check_random_state(None).seed(seed)
    random.seed(seed)
    torch_generator = _torch_generator()
    if torch_generator is not None:
        torch_generator.manual_seed(seed)


@contextmanager
def kept_generators() -> Iterator[None]:
    """Restore the states of the global random generators at the end.

    The generator of a torch that is imported meanwhile has no earlier state.
    """
    shared, torch_generator = check_random_state(None), _torch_generator()
    numpy_state, python_state = shared.get_state(), random.getstate()
    torch_state = None if torch_generator is None else torch_generator.get_state()
    try:
        yield
    finally:
        shared.set_state(numpy_state)
        random.setstate(python_state)
        if torch_generator is not None:
            torch_generator.set_state(torch_state)


def _torch_generator() -> Any:
    # An estimator that uses torch has imported it.
    return getattr(sys.modules.get("torch"), "default_generator", None)


def run_shipped(run: Callable[..., Any], sent: Any, shipment: Shipment, *args: Any) -> Any:
    """Run a task on its worker: `run(task, *data, *args)`."""
    shipment = shipment.received()
    task = shipment.task(sent)
    with shipment.at_work(task), kept_generators():
        return run(task, *shipment.open(), *args)


def run_tasks(
    run: Callable[..., Any],
    tasks: Sequence[Any],
    data: tuple[Any, ...],
    *args: Any,
    n_jobs: int | None,
    verbose: int = 0,
    pre_dispatch: Any = "2*n_jobs",
    progress: Callable[[Iterable[Any]], Iterable[Any]] | None = None,
) -> list[Any]:
    """Run tasks on the workers of the active joblib backend, and return their outcomes.

    Each is `run(task, *data, *args)`. `progress` wraps the iterable of outcomes, which come
    in the order of the tasks, and so does a progress bar if `verbose` is 1. More than 1 is
    passed to joblib, which then writes its own messages.
    """
    outcomes: Iterable[Any]
    shows_bar = verbose == 1
    joblib_verbose = 0 if shows_bar else verbose
    # For tasks in this process the generators are kept here, because to keep them for each
    # takes as long as a small fit.
    with shipped(data, tasks, n_jobs) as calls, blas_within(n_jobs), kept_generators():
        backend, workers = _workers(n_jobs)
        if workers == 1 and not joblib_verbose:
            outcomes = _one_by_one(run, calls, args)
        else:
            streams = getattr(backend, "supports_return_generator", False)
            parallel = Parallel(
                n_jobs,
                verbose=joblib_verbose,
                pre_dispatch=pre_dispatch,
                return_as="generator" if streams else "list",
            )
            is_local = streams and type(backend).__name__ in LOCAL_PROCESSES
            # A generator is returned as soon as the workers have started.
            with interrupts_ignored() if is_local else nullcontext():
                sent = (delayed(run_shipped)(run, *call, *args) for call in calls)
                outcomes = parallel(sent)
        with closed_quietly(outcomes):
            if progress:
                outcomes = progress(outcomes)
            if shows_bar:
                outcomes = progress_bar("Fits", len(tasks))(outcomes)
            return list(outcomes)


@contextmanager
def closed_quietly(outcomes: Any) -> Iterator[None]:
    """Close a generator at the end, without joblib's warning that tasks were cancelled."""
    try:
        yield
    finally:
        if hasattr(outcomes, "close"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcomes.close()


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Ignore interrupts by the user, which processes that start meanwhile do for good.

    Ctrl-C reaches all processes of a terminal, and each worker would print a traceback. So
    only this process is interrupted, and joblib then terminates its workers.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is None:
        # Signals are handled by the main thread, or by a program that runs Python.
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def within_reach(n_jobs: int | None) -> bool:
    """Whether tasks run on this machine, from where callbacks can send messages back."""
    backend, workers = _workers(n_jobs)
    return workers == 1 or type(backend).__name__ in (*LOCAL_PROCESSES, THREADS)


def _one_by_one(
    run: Callable[..., Any], calls: Sequence[Call], args: tuple[Any, ...]
) -> Iterator[Any]:
    """Run tasks in this process, each with the filters of warnings and options of now."""
    for task, shipment in calls:
        with warnings.catch_warnings(), config_context():
            outcome = run(task, *shipment.open(), *args)
        yield outcome


@contextmanager
def shipped(
    data: tuple[Any, ...], tasks: Sequence[Any], n_jobs: int | None
) -> Iterator[list[Call]]:
    """Prepare records and tasks for the active joblib backend.

    Frames would be pickled for every task; local processes read them from a file instead.
    A cluster receives records and tasks once per worker, and drops them at the end.
    """
    backend, workers = _workers(n_jobs)
    kind = "" if workers == 1 else type(backend).__name__
    sent: Sequence[Any] = tasks
    shipping: AbstractContextManager[Any]
    if kind == DASK:
        shipping, sent = _on_dask(backend.client, Cargo(data, tasks)), range(len(tasks))
    elif kind == RAY:
        shipping, sent = nullcontext(RayShipment(Cargo(data, tasks))), range(len(tasks))
    elif kind in LOCAL_PROCESSES:
        shipping = _local_shipment(data)
    else:
        shipping = nullcontext(Shipment(data))
    with shipping as shipment, _report_lost_workers(shipment, tasks):
        yield [(task, shipment) for task in sent]


@contextmanager
def _on_dask(client: Any, cargo: Cargo) -> Iterator[Any]:
    """Yield the future of a cargo, which Dask replaces by the cargo itself in a task.

    It is on several workers from the start, so that tasks run on all of them, and so that
    it outlives a worker: Dask cannot recompute scattered data. Its active memory manager
    may drop copies from workers without tasks.
    """
    n_copies = min(len(cargo.tasks), len(client.nthreads()))
    # Hashing would read all the records once more.
    future = client.scatter(cargo, broadcast=n_copies, hash=False)
    try:
        yield future
    finally:
        # After an error, the tasks that wait for it are dropped with it. A cluster that is
        # gone has nothing to drop, and its error is being raised already.
        with suppress(Exception):
            future.cancel()


@contextmanager
def _local_shipment(data: tuple[Any, ...]) -> Iterator[Shipment]:
    """Yield records for local processes, in a file if joblib does not map them."""
    with tempfile.TemporaryDirectory(
        prefix="skcompare-", ignore_cleanup_errors=True
    ) as folder:
        if all(map(_is_mapped_by_joblib, data)):
            yield Shipment(data, folder)
        else:
            yield FileShipment(data, folder)


@contextmanager
def _report_lost_workers(shipment: Any, tasks: Sequence[Any]) -> Iterator[None]:
    """Raise the same error on every backend for a lost worker, with its tasks."""
    try:
        yield
    except Exception as error:
        bases = type(error).__mro__
        if LOST.isdisjoint(
            f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in bases
        ):
            raise
        kind = type(error).__name__
        raise WorkerLostError(
            "A worker process ended before its fits were done, so there is no result. Most "
            "often it ran out of memory, or an estimator crashed it. Give the workers more "
            f"memory, or run fewer at a time, and fit again. "
            f"{_last_tasks(shipment, tasks)}. {kind}: {error}"
        ) from error


def _last_tasks(shipment: Any, tasks: Sequence[Any]) -> str:
    """Describe the fits that were running last, or all fits if unknown."""
    folder = getattr(shipment, "folder", None)
    notes = () if folder is None else Path(folder).glob(f"{RUNS}*")
    running = sorted(note.read_text(encoding="utf-8") for note in notes)
    if running:
        return f"In the end it ran {' and '.join(running)}"
    first_label, last_label = _task_label(tasks[0]), _task_label(tasks[-1])
    return f"It was one of {len(tasks)} fits, from {first_label} to {last_label}"


def _workers(n_jobs: int | None) -> tuple[Any, int]:
    """Return the active joblib backend, and the number of its simultaneous tasks."""
    backend, n_active = get_active_backend()
    n_requested = n_active if n_jobs is None else n_jobs
    if type(backend).__name__ == RAY and n_requested == -1:
        # The cores of a cluster are known once it has started.
        ray = import_module("ray")
        if not ray.is_initialized():
            ray.init()
    return backend, backend.effective_n_jobs(n_requested)


def _is_mapped_by_joblib(part: Any) -> bool:
    # A subclass, such as a masked array, would be pickled for every task.
    if type(part) in (np.ndarray, np.memmap):
        return bool(part.dtype.kind != "O")
    return part is None or (sparse.issparse(part) and part.format in FORMATS_OF_ARRAYS)


def _arrays(task: Any) -> Iterator[Any]:
    """Yield the arrays of a task."""
    if hasattr(task, "shape"):
        yield task
    elif isinstance(task, dict):
        for value in task.values():
            yield from _arrays(value)
    elif is_dataclass(task) and not isinstance(task, type):
        for field in fields(task):
            yield from _arrays(getattr(task, field.name))


def _n_bytes(data: Any) -> int:
    """Size of records in bytes."""
    if hasattr(data, "estimated_size"):
        return int(data.estimated_size())
    return int(import_module("dask.sizeof").sizeof(data))


@contextmanager
def blas_within(n_jobs: int | None) -> Iterator[None]:
    """Keep BLAS from starting more threads than there are cores.

    joblib does so in worker processes; worker threads share one BLAS, which is limited to
    one thread per worker here.
    """
    backend, workers = _workers(n_jobs)
    if not getattr(backend, "uses_threads", False) or workers == 1:
        yield
        return
    with threadpool_limits(limits=1):
        yield
