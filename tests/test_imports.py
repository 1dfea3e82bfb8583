"""What `import skcompare` loads, and that nothing is missed by what loads later."""

import copy
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.naive_bayes import GaussianNB

import skcompare
from skcompare._registry.losses import record_losses
from skcompare._registry.metrics import metrics
from skcompare._registry.scorer_names import SCORER_NAMES, NamedScorer
from skcompare._registry.tests import paired_tests
from skcompare.metrics import get_scorer


def run_alone(code):
    """The lines that a process of its own prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout.splitlines()


def test_import_loads_scikit_learn_and_little_else():
    """A name scores in scikit-learn as the metric does, loaded for it and not before.

    Beside the scorers of scikit-learn only the files that extend them are loaded at first.
    """
    ours, heavy, before, score, shown, after = run_alone(
        "import sys, sklearn.model_selection, sklearn.metrics\n"
        "before = set(sys.modules)\n"
        "import skcompare\n"
        "new = set(sys.modules) - before\n"
        "print(*(name.removeprefix('skcompare.') for name in new))\n"
        "print([m for m in ('matplotlib', 'polars', 'pyspark') if m in sys.modules])\n"
        "from sklearn.datasets import load_iris\n"
        "from sklearn.metrics import _scorer, get_scorer, get_scorer_names\n"
        "from sklearn.model_selection import cross_val_score\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "ece = 'neg_expected_calibration_error'\n"
        "print(ece in get_scorer_names(), 'skcompare.metrics' in sys.modules)\n"
        "X, y = load_iris(return_X_y=True)\n"
        "by_name = cross_val_score(GaussianNB(), X, y, scoring=ece, cv=2)\n"
        "scorer = skcompare.metrics.get_scorer(ece)\n"
        "by_object = cross_val_score(GaussianNB(), X, y, scoring=scorer, cv=2)\n"
        "print((by_name == by_object).all())\n"
        "print(get_scorer(ece))\n"
        "print(type(_scorer._SCORERS[ece]).__name__)\n"
    )

    light = {
        "skcompare",
        "_core",
        "_core.sklearn_private",
        "_registry",
        "_registry.scorer_names",
        "_version",
        "exceptions",
    }
    assert set(ours.split()) <= light
    assert "[]" == heavy
    assert "True False" == before
    assert "True" == score
    assert shown.startswith("make_scorer(expected_calibration_error, greater_is_better=Fal")
    assert "ScorerToldClasses" == after


def test_names_are_those_of_the_registry():
    """The list of names that stands for the metrics has each of ours, and no other."""
    ours = [entry.scorer_name for entry in metrics().values() if is_ours(entry)]

    assert sorted(ours) == list(SCORER_NAMES)


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


DOORS = {
    "comparators": "compare",
    "gate": "GateDecision",
    "metrics": "get_scorer",
    "plots": "ContingencyDisplay",
    "reports": "Comparison",
}


def test_doors_load_what_is_registered():
    """Whatever is imported first finds all tests and metrics, in one order."""
    reads = {
        "list(paired_tests())": [n for n, e in paired_tests().items() if is_ours(e)],
        "list(metrics())": [n for n, e in metrics().items() if is_ours(e)],
        "list(record_losses())": [n for n, e in record_losses().items() if is_ours(e)],
    }
    lines = "".join(
        f"for name in [n for n in sys.modules if n.startswith('skcompare')]:\n"
        f"    del sys.modules[name]\n"
        f"from skcompare.{door} import {name}\n"
        f"from skcompare._registry.losses import record_losses\n"
        f"from skcompare._registry.metrics import metrics\n"
        f"from skcompare._registry.tests import paired_tests\n"
        f"print([{', '.join(reads)}])\n"
        for door, name in DOORS.items()
    )
    told = run_alone(f"import sys\n{lines}")

    assert len(DOORS) == len(told)
    for door, found in zip(DOORS, told):
        assert str([*reads.values()]) == found, door


def is_ours(entry):
    """Whether an entry is no toy of another test."""
    return entry.function.__module__.startswith("skcompare.")


def test_those_of_others_come_after_ours():
    """An entry of somebody else stands after ours, under a name of its own."""
    told = run_alone(
        "from skcompare.metrics import metric, metrics\n"
        "from skcompare.stats import paired_test, paired_tests\n"
        "register = metric('toy', response_method='predict', greater_is_better=True)\n"
        "toy = register(lambda y_true, y_pred: 0.0)\n"
        "print(list(metrics())[0], list(metrics())[-1])\n"
        "test = dict(title='', kind='difference', measures='accuracy', references=())\n"
        "try:\n"
        "    @paired_test('mcnemar', needs=int, designs=('holdout',), **test)\n"
        "    def mcnemar(table): ...\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )

    assert "accuracy toy" == told[0]
    assert "A test named 'mcnemar' is registered. Choose another name." == told[1]


def test_modules_of_others_are_only_looked_at():
    """A proxy that fails when it is asked for anything, as in Flask, does not stop us."""
    told = run_alone(
        "import sys, types\n"
        "from sklearn.metrics import get_scorer_names\n"
        "class Proxy:\n"
        "    def __call__(self): ...\n"
        "    def __getattr__(self, name):\n"
        "        raise RuntimeError('outside of a request')\n"
        "app = sys.modules['app'] = types.ModuleType('app')\n"
        "app.get_scorer_names, app.request = get_scorer_names, Proxy()\n"
        "import skcompare\n"
        "print('neg_brier_loss' in get_scorer_names())\n"
    )

    assert ["True"] == told


def test_public_names_load_when_they_are_asked_for():
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


def test_threads_load_at_the_same_time():
    """Threads that ask for different names at once all find them complete."""
    asked = [
        "skcompare.PairedComparator",
        "len(skcompare.metrics.metrics())",
        "len(skcompare.stats.paired_tests())",
        "sklearn.metrics.get_scorer('sensitivity')",
        "skcompare.Comparison",
        "skcompare.evidence.JointCounts",
        "skcompare.BlockRegularized5x2CV",
        "len(skcompare.stats.paired_tests())",
    ]
    told = run_alone(
        "import sys, threading, sklearn.metrics, skcompare\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "sys.setswitchinterval(1e-5)\n"
        f"asked = {asked}\n"
        "start = threading.Barrier(len(asked))\n"
        "def find(line):\n"
        "    start.wait()\n"
        "    return eval(line)\n"
        "with ThreadPoolExecutor(len(asked)) as threads:\n"
        "    found = list(threads.map(find, asked))\n"
        "print([str(eval(line)) == str(one) for line, one in zip(asked, found)])\n"
    )

    assert [str([True] * len(asked))] == told
