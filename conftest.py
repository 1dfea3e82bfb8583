"""Fixtures and settings of the tests, the docstrings and the pages."""

import gc
import os
import sys
from importlib import import_module

import pytest

# The fixture `pytester` runs pytest within a test. pytest has it, and loads it on demand.
pytest_plugins = ["pytester"]

# No picture opens a window, and workers draw alike.
os.environ.setdefault("MPLBACKEND", "agg")
# One process per core runs tests. Threads within them would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

WORKER = os.environ.get("PYTEST_XDIST_WORKER")
"""Name of this process among those that run tests, such as "gw0"."""


def pytest_collection():
    """Collect tests without garbage collections, which find little among syntax trees."""
    gc.disable()


class BackwardDir(pytest.Dir):
    """A folder whose files are collected from the last one to the first."""

    def collect(self):
        """Return the collectors of the last file first."""
        return [*super().collect()][::-1]


def pytest_collect_directory(path, parent):
    """Collect backwards in every other process.

    Every process collects all tests. The first time it compiles them, which takes longer
    than the rest, and from both ends each process compiles half of them.
    """
    is_odd = (WORKER or "gw0")[-1] in "13579"
    if is_odd and not (path / "__init__.py").exists():
        return BackwardDir.from_parent(parent, path=path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Sort the files in processes, all of which must have the tests in one order."""
    if WORKER:
        items.sort(key=lambda item: item.path)


def pytest_collection_finish():
    """Leave what was imported and collected out of garbage collections, and make few."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


@pytest.fixture(autouse=True)
def closed_figures():
    """Pictures of an example are closed after it, because pyplot keeps them."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(autouse=True)
def registries():
    """What an example registers is forgotten after it, by us and by scikit-learn."""
    from sklearn.metrics import _scorer

    # What registers is loaded first: its modules are not run again after the test.
    for name in ("stats", "metrics", "evidence"):
        import_module(f"skcompare.{name}")
    from skcompare._core import sklearn_private
    from skcompare._registry import metrics, tests

    registered = [
        tests._tests,
        metrics._metrics,
        metrics._losses,
        _scorer._SCORERS,
    ]
    before = [dict(entries) for entries in registered]
    yield
    new = _scorer._SCORERS.keys() - before[-1].keys()
    for entries, kept in zip(registered, before, strict=True):
        entries.clear()
        entries.update(kept)
    if new:
        for names in sklearn_private._lists_of_all_scorers():
            names.difference_update(new)
