"""What `import skcompare` loads, and that nothing is missed by what loads later."""

import copy
import json
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.naive_bayes import GaussianNB

import skcompare
from skcompare._registry.metrics import metrics, record_losses
from skcompare._registry.scorer_names import SCORER_NAMES, NamedScorer
from skcompare._registry.tests import paired_tests
from skcompare.metrics import get_scorer
from tests.import_claims import ASKED, DOORS

ROOT = Path(__file__).parents[1]


def results_of(claims, folder):
    """The results of claims in a process of their own, by name."""
    command = [sys.executable, "-W", "error", "-m", "tests.import_claims", str(folder)]
    done = subprocess.run(
        [*command, *claims], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def first_imports(tmp_path_factory):
    """The package imported once, and beside modules of others."""
    folder = tmp_path_factory.mktemp("compiled")
    return results_of(["first_import", "modules_of_others"], folder)


@pytest.fixture(scope="session")
def other_imports(tmp_path_factory):
    """The package imported in many orders."""
    folder = tmp_path_factory.mktemp("compiled")
    return results_of(["doors", "threads", "entries_of_others"], folder)


@pytest.mark.slow
def test_import_loads_scikit_learn_and_little_else(first_imports):
    """A name scores in scikit-learn as the metric does, loaded for it and not before.

    Beside the scorers of scikit-learn only the files that extend them are loaded at first.
    """
    found = first_imports["first_import"]
    light = {
        "skcompare",
        "_core",
        "_core.sklearn_private",
        "_registry",
        "_registry.scorer_names",
        "_version",
        "exceptions",
    }

    assert {"skcompare"} <= set(found["new"]) <= light
    assert [] == found["heavy"]
    assert found["known"]
    assert not found["loaded"]
    assert ours() == found["registered"]
    assert found["by object"] == found["by name"]
    assert found["shown"].startswith(
        "make_scorer(expected_calibration_error, greater_is_better=Fal"
    )
    assert "ScorerToldClasses" == found["kind"]


def test_names_are_those_of_the_registry():
    """The list of names that stands for the metrics has each of ours, and no other."""
    names = [entry.scorer_name for entry in metrics().values() if is_ours(entry)]

    assert sorted(names) == list(SCORER_NAMES)


def pickled(value):
    """A value that went to another process and back."""
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("become", [copy.copy, copy.deepcopy, pickled])
def test_what_stands_for_a_scorer_becomes_it(become):
    """Copies are the scorer; who takes the object itself can score by it and ask it."""
    name = "neg_multiclass_brier_loss"
    named, scorer = NamedScorer(name, get_scorer), get_sklearn_scorer(name)

    assert type(scorer) is type(become(named))
    assert repr(scorer) == repr(become(named)) == repr(named)
    assert scorer._sign == named._sign == -1
    with pytest.raises(AttributeError, match="__len__"):
        named.__len__  # noqa: B018
    with pytest.raises(AttributeError, match="name"):
        NamedScorer.__new__(NamedScorer).name  # noqa: B018


def test_what_stands_for_a_scorer_scores():
    """Called as it is, it gives the score."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    fitted = GaussianNB().fit(X, y)

    for name in ("accuracy", "neg_multiclass_brier_loss"):
        expected = skcompare.metrics.get_scorer(name)(fitted, X, y)
        assert expected == NamedScorer(name, get_scorer)(fitted, X, y)


def ours():
    """Names of our tests, metrics and losses, in their order."""
    return [
        [name for name, entry in entries.items() if is_ours(entry)]
        for entries in (paired_tests(), metrics(), record_losses())
    ]


@pytest.mark.slow
def test_doors_load_what_is_registered(other_imports):
    """Whatever is imported first finds all tests and metrics, in one order.

    The first may be a package, the name of a scorer, or several names in threads.
    """
    assert dict.fromkeys(DOORS, ours()) == other_imports["doors"]
    assert ours() == other_imports["threads"]["registered"]


def is_ours(entry):
    """Whether an entry is no toy of another test."""
    return entry.function.__module__.startswith("skcompare.")


@pytest.mark.slow
def test_those_of_others_come_after_ours(other_imports):
    """An entry of somebody else stands after ours, under a name of its own."""
    found = other_imports["entries_of_others"]
    tests, metrics, losses = ours()

    assert [tests, [*metrics, "toy"], losses] == found["registered"]
    assert "A test named 'mcnemar' is registered. Choose another name." == found["error"]


@pytest.mark.slow
def test_modules_of_others_are_only_looked_at(first_imports):
    """A proxy that fails at any access, as in Flask, does not stop us."""
    assert first_imports["modules_of_others"] is True


def test_public_names_load_when_they_are_needed():
    """Names and packages are there as if all had been imported, and are listed."""
    packages = {
        info.name
        for info in pkgutil.iter_modules(skcompare.__path__)
        if not info.name.startswith("_")
    }

    assert packages == skcompare._PACKAGES
    assert set(skcompare._HOMES) == set(skcompare.__all__) - {"__version__"}
    assert {*skcompare.__all__, *packages} <= set(dir(skcompare))
    for name in skcompare.__all__:
        assert getattr(skcompare, name) is not None
    for package in packages:
        assert f"skcompare.{package}" == getattr(skcompare, package).__name__
    with pytest.raises(AttributeError, match="'skcompare' has no attribute 'compar'") as no:
        skcompare.compar  # noqa: B018
    assert ("compar", skcompare) == (no.value.name, no.value.obj)  # for Python's "Did you"
    with pytest.raises(ImportError, match="cannot import name 'compar'"):
        from skcompare import compar  # noqa: F401


@pytest.mark.slow
def test_threads_load_at_the_same_time(other_imports):
    """Threads that ask for different names at once all find them complete."""
    assert [True] * len(ASKED) == other_imports["threads"]["same"]


def test_unknown_names_are_answered():
    """An unknown name leads to the closest one, or to the package that has it."""
    for module, name, message in (
        ("skcompare", "PairedComparater", r"Did you mean 'PairedComparator'\? dir\(skc"),
        ("skcompare", "mcnemar", "from skcompare.stats import mcnemar"),
        ("skcompare", "zzz", "no attribute 'zzz'$"),
        ("skcompare.stats", "mcnemer", "Did you mean 'mcnemar'"),
        ("skcompare.stats", "_mcnemar", "no attribute '_mcnemar'$"),
    ):
        with pytest.raises(AttributeError, match=message):
            getattr(import_module(module), name)
