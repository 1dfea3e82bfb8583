"""Predictions of each fit in a folder, from which an interrupted comparison goes on."""

import inspect
import io
import os
import pickle
import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import joblib
import numpy as np
import scipy
import sklearn
from sklearn.base import clone

from skcompare._version import __version__
from skcompare.predictions._predictions import EstimatorPredictions, fingerprint

STORED = "stored predictions"
"""Marks the last checksum of a fit, so that it is no checksum of anything else."""


def memory_of(cache: Any, random_state: Any) -> joblib.Memory | None:
    """Return the memory of a `cache` argument: a folder, a memory, or None.

    Warns if the seeds of another call would be others.
    """
    if cache is not None and random_state is None:
        warnings.warn(
            "`cache` will not be read again: random_state=None gives other seeds to the "
            "fits of each call. Pass an int.",
            stacklevel=5,
        )
    if cache is None or isinstance(cache, joblib.Memory):
        return cache
    return joblib.Memory(os.fspath(cache), verbose=0)


def with_keys(memory: joblib.Memory, tasks: Sequence[Any], X: Any, y: Any) -> list[Any]:
    """Return tasks with a key of all that their predictions depend on.

    These are the estimator with its source code and metadata, the records, the rows that it
    trains on and predicts, the seed, the kinds of predictions, the versions of packages and
    the configuration of scikit-learn. The name is in it because estimators whose seed
    cannot be set may predict differently under two names.
    """
    common = _key("the records", (X, y)), _versions(), sorted(sklearn.get_config().items())
    of_names: dict[str, str] = {}
    keyed = []
    for task in tasks:
        if task.name not in of_names:
            of_names[task.name] = _key_of_estimator(task)
        rows = np.asarray(task.train), np.asarray(task.test)
        own = task.name, of_names[task.name], task.seed, sorted(task.required)
        keyed.append(replace(task, key=joblib.hash((common, own, rows))))
    # joblib notes the code of the stored function at its first use. That is here, because
    # a worker that reads half of another's note would empty the folder.
    read_predictions(memory, keyed[0].key)
    return keyed


def _key_of_estimator(task: Any) -> str:
    estimator = f"{task.name} ({type(task.estimator).__name__})"
    with naming_unhashable(estimator):
        unfitted = clone(task.estimator)
        sources = _sources(unfitted)
    return _key(estimator, (unfitted, sources, sorted(task.fit_params.items())))


def _key(name: str, value: Any) -> str:
    with naming_unhashable(name):
        return str(joblib.hash(value))


class naming_unhashable:
    """Raise an error of pickling again, with what could not be pickled and what to do."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Exception):
            reason = str(error.args[0] if error.args else error).partition("\n")[0]
            raise TypeError(
                "`cache` needs estimators and records that can be pickled, and whose code "
                f"can be read. Got {self.name}: {type(error).__name__}: {reason:.200}. "
                "Define classes and functions in a module, outside of functions and "
                "without lambda, or leave `cache` out."
            ) from error


def _versions() -> dict[str, str]:
    packages = {"numpy": np, "scipy": scipy, "scikit-learn": sklearn}
    versions = {name: package.__version__ for name, package in packages.items()}
    return {**versions, "skcompare": __version__, "Python": platform.python_version()}


class _Definitions(pickle.Pickler):
    """Pickler that collects the classes and functions of a value, and writes nothing."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), protocol=5, buffer_callback=lambda buffer: None)
        self.all: set[Any] = set()

    def persistent_id(self, item: Any) -> None:
        """Collect the class of an object with its bases, or a class or function itself."""
        if isinstance(item, FunctionType):
            self.all.add(item)
        else:
            self.all.update((item if isinstance(item, type) else type(item)).__mro__)


def _sources(value: Any) -> list[tuple[str, str, str]]:
    """Return modules, their versions and digests of their code, for all parts of a value.

    The code is that of a whole module, because a class uses the functions beside it. Of a
    script or a notebook it is that of the classes and functions alone, so that other lines
    can change before a comparison is run again.
    """
    definitions = _Definitions()
    definitions.dump(value)
    sources = set()
    for item in definitions.all:
        name = str(item.__module__)
        if name == "__main__":
            sources.add((item.__qualname__, "", _source_in_script(item)))
            continue
        version = getattr(sys.modules.get(name.partition(".")[0]), "__version__", "")
        path = getattr(sys.modules.get(name), "__file__", None)
        code = Path(path).read_bytes() if path and os.path.isfile(path) else b""
        sources.add((name, str(version), str(joblib.hash(code))))
    return sorted(sources)


def _source_in_script(item: Any) -> str:
    # Before Python 3.13 there is no source of a class in a notebook, but of its methods.
    with suppress(OSError, TypeError):
        return inspect.getsource(item)
    methods = [part for part in vars(item).values() if isinstance(part, FunctionType)]
    return "".join(map(inspect.getsource, methods))


def sealed(key: str, run: Callable[..., Any], arguments: Any) -> tuple[str, Any]:
    """Return the checksum of predictions and the predictions themselves, to be stored."""
    predictions = run(*arguments)
    return _checksum(key, predictions), predictions


def _checksum(key: str, predictions: EstimatorPredictions) -> str:
    values = [getattr(predictions, field.name) for field in fields(predictions)]
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    plain = [value for value in values if not isinstance(value, np.ndarray)]
    return fingerprint([STORED, key, *plain], *arrays)


def read_predictions(memory: joblib.Memory, key: str) -> EstimatorPredictions | None:
    """Return the predictions that are stored under a key, or None.

    What is damaged, or was stored under another key, is removed.
    """
    cached = _memorized(memory)
    if not cached.check_call_in_cache(key, None, ()):
        return None
    # A damaged file may raise any error, also if it is removed meanwhile.
    with suppress(Exception):
        saved = cached.call_and_shelve(key, None, ())
        with suppress(Exception):
            checksum, predictions = saved.get()
            if checksum == _checksum(key, predictions):
                return predictions
        saved.clear()
    return None


def stored_predictions(
    memory: joblib.Memory, key: str, run: Callable[..., Any], *arguments: Any
) -> EstimatorPredictions:
    """Run, store the predictions under a key, and return them.

    joblib renames a file once it is written, so that an interruption leaves no half of it.
    """
    return _memorized(memory)(key, run, arguments)[1]


def _memorized(memory: joblib.Memory) -> Any:
    # The comparator decides what is printed, and arrays are not mapped, as without a cache.
    return memory.cache(sealed, ignore=["run", "arguments"], verbose=0, mmap_mode=None)
