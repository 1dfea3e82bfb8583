"""Predictions that are stored fit by fit, so that an interrupted comparison goes on."""

import contextlib
import os
import subprocess
import sys
from importlib import import_module, reload
from pathlib import Path

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skcompare import MultipleComparator, PairedComparator
from skcompare.exceptions import WorkerLostError

X, y = make_classification(80, 4, random_state=0)
FITS: list[int] = []
INTERRUPTED_AT: set[int] = set()


class Counted(GaussianNB):
    """Naive Bayes that counts its fits, and is interrupted in some."""

    def fit(self, X, y, sample_weight=None):
        FITS.append(len(X))
        if len(FITS) in INTERRUPTED_AT:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


class Deadly(GaussianNB):
    """Naive Bayes one of whose fits ends its process: the third, or one beside it."""

    def __init__(self, folder=""):
        super().__init__()
        self.folder = folder

    def fit(self, X, y):
        Path(self.folder, f"fit-{os.urandom(8).hex()}").touch()
        if len(list(Path(self.folder).glob("fit-*"))) >= 3:
            # Of two workers that count at once, both may see a fourth fit and no third:
            # the one that makes the file is the one that ends.
            with contextlib.suppress(FileExistsError):
                Path(self.folder, "ended").touch(exist_ok=False)
                os._exit(1)
        return super().fit(X, y)


@pytest.fixture(autouse=True)
def no_fits():
    FITS.clear()
    INTERRUPTED_AT.clear()


def comparator(cache, **settings):
    settings = {"random_state": 0, "cv": 3, **settings}
    roles = (
        settings.pop("champion", Counted()),
        settings.pop("challenger", Counted(priors=[0.5, 0.5])),
    )
    return PairedComparator(*roles, cache=cache, **settings)


@pytest.fixture
def fitted(tmp_path):
    """Return a function that fits with the cache and returns the number of new fits."""

    def fit(data=(X, y), weights=None, **settings):
        FITS.clear()
        comparator(tmp_path, **settings).fit(*data, sample_weight=weights)
        return len(FITS)

    return fit


def stored(folder):
    return sorted(Path(folder).rglob("output.pkl"))


def bits(predictions):
    """Return all arrays of predictions but the measured times, as bytes."""
    return [
        getattr(role, name).tobytes()
        for role in predictions.estimators
        for name in ("labels", "proba")
        if getattr(role, name) is not None
    ]


pytestmark = pytest.mark.filterwarnings("ignore:There will be no")


def test_interrupted_and_resumed(tmp_path):
    """Only the fits that had not ended run again, and the result is the same to the bit."""
    expected = comparator(None, scoring=["accuracy", "roc_auc"]).fit(X, y)
    FITS.clear()
    INTERRUPTED_AT.add(3)
    resumed = comparator(tmp_path, scoring=["accuracy", "roc_auc"])
    with pytest.raises(KeyboardInterrupt):
        resumed.fit(X, y)
    assert 3 == len(FITS)
    assert not hasattr(resumed, "comparison_")
    resumed.fit(X, y)
    assert 3 + 4 == len(FITS)
    again = clone(resumed).fit(X, y)

    assert 3 + 4 == len(FITS)
    for one in (resumed, again):
        assert bits(expected.predictions_) == bits(one.predictions_)
        assert expected.predictions_.fingerprint == one.predictions_.fingerprint
        assert [row.difference for row in expected.comparison_.rows] == [
            row.difference for row in one.comparison_.rows
        ]


@pytest.mark.parametrize("kind", [str, Path, joblib.Memory])
def test_kinds_of_caches(tmp_path, capsys, kind):
    """A folder by its name or path, or a memory of joblib, in silence."""
    for expected in (6, 6):
        comparator(kind(tmp_path)).fit(X, y)
        assert expected == len(FITS)

    assert 6 == len(stored(tmp_path))
    assert ("", "") == capsys.readouterr()


def test_conventions(tmp_path):
    """The cache is a parameter as others are, and anything else is refused."""
    memory = joblib.Memory(tmp_path, verbose=0)

    assert memory.location == clone(comparator(memory)).get_params()["cache"].location
    assert clone(comparator(None)).set_params(cache="a").cache == "a"
    with pytest.raises(ValueError, match="'cache' parameter of PairedComparator must be"):
        comparator(3).fit(X, y)


def test_several(tmp_path):
    """Another estimator beside those that were fitted is the only one that is fitted."""
    named = [(str(k), Counted(var_smoothing=10.0**-k)) for k in range(3, 7)]
    for part, expected in ((named[:3], 9), (named, 12)):
        MultipleComparator(part, cv=3, cache=tmp_path, random_state=0).fit(X, y)
        assert expected == len(FITS)


CHANGES = {
    "parameters": {"champion": Counted(var_smoothing=1e-3)},
    "class": {"champion": GaussianNB(), "fits": 0},
    "data": {"data": (X + 1e-12, y)},
    "type of data": {"data": (X.astype(np.float32), y)},
    "order of labels": {"data": (X, np.where(y, 0, 1))},
    "seed": {"random_state": 1},
    "splits": {"cv": KFold(3, shuffle=True, random_state=0)},
    "weights": {"weights": np.linspace(0.1, 1, len(y))},
    "predictions": {"scoring": "roc_auc"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_fits_again(fitted, change):
    """Every fit, or those of the estimator that was changed; the rest is read."""
    settings = dict(CHANGES[change])
    expected = 3 if "champion" in settings else 6
    expected = settings.pop("fits", expected)
    assert 6 == fitted()
    assert 0 == fitted()

    assert expected == fitted(**settings)
    assert 0 == fitted(**settings)
    assert 0 == fitted()


def test_other_versions(fitted, monkeypatch):
    """Another scikit-learn, or another configuration of it, may predict differently."""
    assert 6 == fitted()
    with monkeypatch.context() as patched:
        patched.setattr(sklearn, "__version__", "99.0")
        assert 6 == fitted()
    with sklearn.config_context(assume_finite=True):
        assert 6 == fitted()

    assert 0 == fitted()


def test_source_of_a_class(tmp_path, monkeypatch):
    """An edited class is another one, also by what stands beside it in its module."""
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "edited_estimator.py"
    code = (
        "from sklearn.naive_bayes import GaussianNB\n"
        "SHIFT, FITS = {shift}, []\n"
        "class Edited(GaussianNB):\n"
        "    def fit(self, X, y):\n"
        "        FITS.append(1)\n"
        "        return super().fit(X + SHIFT, y)\n"
    )
    path.write_text(code.format(shift=0))
    module = import_module("edited_estimator")
    for shift, expected in ((0, 3), (0, 0), (10, 3)):
        path.write_text(code.format(shift=shift))
        os.utime(path, (shift, shift))
        module = reload(module)
        comparator(tmp_path / "cache", champion=module.Edited()).fit(X, y)

        assert expected == len(module.FITS)


def test_what_cannot_be_hashed(tmp_path):
    """One message, before anything is fitted."""

    class Local(GaussianNB):
        pass

    within = make_pipeline(FunctionTransformer(lambda X: X), Counted())
    for champion in (Local(), within):
        with pytest.raises(TypeError, match=r"`cache` needs.*Got champion \(.*in a module"):
            comparator(tmp_path, champion=champion).fit(X, y)

    assert [] == FITS


@pytest.mark.parametrize("damage", ["cut", "changed", "exchanged", "empty", "foreign"])
def test_damaged_files_are_fitted_again(tmp_path, fitted, damage):
    """A file that is not what was stored under its key is replaced."""
    expected = bits(comparator(tmp_path).fit(X, y).predictions_)
    first, second, *_ = stored(tmp_path)
    content, other = first.read_bytes(), second.read_bytes()
    if damage == "changed":
        # Labels are stored as they are in memory.
        labels = joblib.load(first)[1].labels
        changed = labels.copy()
        changed[0] = 1 - changed[0]
        assert labels.tobytes() in content
        first.write_bytes(content.replace(labels.tobytes(), changed.tobytes()))
    elif damage == "exchanged":
        assert content != other
        first.write_bytes(other)
    elif damage == "foreign":
        joblib.dump("no predictions", first)
    else:
        first.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")

    assert 1 == fitted()
    assert 0 == fitted()
    assert expected == bits(comparator(tmp_path).fit(X, y).predictions_)


def test_repeated_fits_are_fits(fitted):
    """The check of reproducibility would always succeed with stored predictions."""
    assert 8 == fitted(check_reproducible=True)
    assert 2 == fitted(check_reproducible=True)


@pytest.mark.newest
def test_random_seeds(tmp_path):
    """Seeds that nobody can draw again are worth a warning."""
    with pytest.warns(UserWarning, match="`cache` will not be read again") as caught:
        comparator(tmp_path, random_state=None).fit(X, y)

    assert __file__ == caught[0].filename


@pytest.mark.newest
def test_frames_are_hashed_by_value(fitted):
    """A frame that was used is the same frame."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert 6 == fitted((frame, pd.Series(y)))
    frame["a"].mean(), frame.loc[frame.a > 0]

    assert 0 == fitted((frame, pd.Series(y)))
    assert 0 == fitted((frame.copy(), pd.Series(y.copy())))
    assert 6 == fitted((frame.rename(columns={"a": "e"}), pd.Series(y)))


def test_workers_share_the_cache(tmp_path):
    """Threads write and read the same files."""
    expected = bits(comparator(None).fit(X, y).predictions_)
    with joblib.parallel_config("threading", n_jobs=2):
        for _ in range(2):
            FITS.clear()
            assert expected == bits(comparator(tmp_path).fit(X, y).predictions_)

    assert [] == FITS


@pytest.mark.slow
def test_lost_worker_and_resumed(tmp_path):
    """A process that ended does not take the fits of others with it."""
    folder = tmp_path / "fits"
    folder.mkdir()
    settings = {"champion": Deadly(str(folder)), "challenger": GaussianNB(), "cv": 5}
    with joblib.parallel_config("loky", n_jobs=2):
        with pytest.raises(WorkerLostError):
            comparator(tmp_path, **settings).fit(X, y)
        n_stored = len(stored(tmp_path))
        resumed = comparator(tmp_path, **settings).fit(X, y)

    assert 2 <= n_stored < 10
    # One fit was lost, and that of the other worker may have been with it.
    assert 5 < len(list(folder.glob("fit-*"))) <= 5 + 2
    assert bits(comparator(None, **settings).fit(X, y).predictions_) == bits(
        resumed.predictions_
    )


@pytest.mark.slow
def test_other_process(tmp_path):
    """Keys do not depend on the order of sets, which differs between processes."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from sklearn.datasets import load_iris\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "from skcompare import PairedComparator\n"
        "class Own(GaussianNB):\n"
        "    def fit(self, X, y):\n"
        "        print('fit')\n"
        "        return super().fit(X, y)\n"
        "PairedComparator(Own(), GaussianNB(), scoring=['accuracy', 'neg_log_loss'],\n"
        "    random_state=0, cache=sys.argv[1]).fit(*load_iris(return_X_y=True))\n"
    )
    counts = [
        subprocess.run(
            [sys.executable, str(script), str(tmp_path / "cache")],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.count("fit")
        for seed in range(2)
    ]

    assert [10, 0] == counts
