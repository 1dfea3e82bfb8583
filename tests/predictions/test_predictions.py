"""Predictions from arrays, in files, and how the data travel."""

import json
import tracemalloc
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator
from skcompare.exceptions import WorkerLostError
from skcompare.predictions import Predictions, predictions_from_arrays
from skcompare.predictions._predictions import fingerprint, take_rows
from skcompare.predictions._worker_memory import (
    FileShipment,
    Shipment,
    blas_within,
    shipped,
)


@pytest.fixture(scope="module")
def collected():
    """Labels and probabilities of two classifiers under 5×2 BCV."""
    X, y = load_iris(return_X_y=True)
    comparator = PairedComparator(
        GaussianNB(),
        DecisionTreeClassifier(max_depth=2),
        scoring=["accuracy", "multiclass_brier_loss"],
        random_state=0,
    )
    return comparator.fit(X, np.array(["a", "b", "c"])[y]).predictions_


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_saved_predictions_are_restored(collected, tmp_path, suffix):
    """A file gives back every array in its type, and all the words."""
    path = tmp_path / f"predictions{suffix}"
    collected.save(path)
    restored = Predictions.load(path)

    assert collected.design == restored.design
    assert collected.fingerprint == restored.fingerprint
    assert [path] == list(tmp_path.iterdir())
    for name in ("classes", "y", "records", "bounds", "n_train"):
        expected, actual = getattr(collected, name), getattr(restored, name)
        assert expected.dtype == actual.dtype
        np.testing.assert_array_equal(expected, actual)
    for one, other in zip(collected.estimators, restored.estimators, strict=True):
        assert (one.name, one.description) == (other.name, other.description)
        for name in ("labels", "proba", "fit_times", "predict_times"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert other.decision is None


def test_files_of_another_kind_are_refused(tmp_path):
    """A file that holds no predictions is refused, and so is pickle inside one."""
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({"header": {"format": "else", "version": 1}, "arrays": {}}))
    with pytest.raises(ValueError, match=r"cannot be read as predictions"):
        Predictions.load(wrong)
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match=r"cannot be read as predictions"):
        Predictions.load(pickled)
    with pytest.raises(FileNotFoundError):
        Predictions.load(tmp_path / "missing.npz")


def test_unknown_suffix(collected, tmp_path):
    """Only npz and JSON are written, and nothing is left behind."""
    with pytest.raises(ValueError, match=r"must end in \.npz or \.json"):
        collected.save(tmp_path / "predictions.pkl")
    assert [] == list(tmp_path.iterdir())


def test_failed_write_leaves_the_old_file(collected, tmp_path, monkeypatch):
    """A write that fails half way keeps what was there, and leaves nothing beside it."""
    path = tmp_path / "predictions.json"
    path.write_text("old")
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        collected.save(path)

    assert "old" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_arrays_of_labels_and_probabilities():
    """Labels, two columns of probabilities and one column are all read."""
    y = ["no", "yes", "yes", "no"]
    predictions = predictions_from_arrays(
        y,
        {
            "labels": ["no", "yes", "no", "no"],
            "matrix": [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [1, 0]],
            "column": [0.9, 0.1, 0.5, 1.0],
        },
        pos_label="no",
    )

    assert [0, 1, 0, 0] == predictions["labels"].labels.tolist()
    assert [0, 1, 0, 0] == predictions["matrix"].labels.tolist()
    np.testing.assert_allclose([0.1, 0.9, 0.5, 0.0], predictions["column"].proba[:, 1])
    assert "holdout" == predictions.design.kind


def test_bad_arrays():
    """Each bad input gets a message that says what came and what to do."""
    for y, predictions, settings, message in [
        ([0, 1], {"a": [0, 1, 1]}, {}, "y_true has 2, a has 3"),
        ([], {"a": []}, {}, "at least one record"),
        ([0, 1], {"a": [0.2, np.nan]}, {}, "NaN"),
        ([0, 1], {"a": [0.2, 1.2]}, {}, r"in \[0, 1\]"),
        ([0, 1], {"a": [[0.5, 0.4], [1, 0]]}, {}, "sum to 1"),
        ([0, 1], {"a": [[0.5, 0.5, 0], [1, 0, 0]]}, {}, "`labels`"),
        ([0, 1, 2], {"a": [0.5, 0.2, 0.1]}, {}, "needs two classes"),
        (["a", "b"], {"a": [0.5, 0.2]}, {}, "`pos_label`"),
        (["a", "b"], {"a": [0.5, 0.2]}, {"pos_label": "c"}, "must be one of"),
        (["a", "b"], {"a": ["A", "b"]}, {}, "'A' where `y_true` has 'a'"),
        (["a", "b"], {"a": [0, 1]}, {}, "numeric"),
        ([0, 1], {"a": ["0", "1"]}, {}, "string labels"),
        ([0, None], {"a": [0, 1]}, {}, "missing labels"),
        ([0, 1], {"a": [5, 6]}, {}, "no label in common"),
    ]:
        with pytest.raises(ValueError, match=message):
            predictions_from_arrays(y, predictions, **settings)


def test_fingerprint_is_of_values():
    """Memory layout does not matter, and every value does."""
    X = np.arange(12.0).reshape(4, 3)
    changed = X.copy()
    changed[3, 2] += 1

    assert fingerprint(X) == fingerprint(np.asfortranarray(X))
    assert fingerprint(X) != fingerprint(changed)
    assert fingerprint(X) != fingerprint(X.astype(np.float32))
    assert fingerprint(X, None) != fingerprint(X)


def test_equal_data_and_splits_have_one_fingerprint():
    """Fingerprints tell whether predictions can be joined."""
    X, y = load_iris(return_X_y=True)

    def made(seed):
        pair = GaussianNB(), GaussianNB()
        comparator = PairedComparator(*pair, cv=ShuffleSplit(1), random_state=seed)
        return comparator.fit(X, y).predictions_.fingerprint

    assert made(0) == made(0)
    assert made(0) != made(1)


def test_precomputed_kernel():
    """Rows and columns of a kernel are cut together."""
    X, y = load_iris(return_X_y=True)
    direct = PairedComparator(SVC(), GaussianNB(), random_state=0, cv=None)
    expected = direct.set_params(champion=SVC(gamma=0.5)).fit(X, y)
    kernel = rbf_kernel(X, gamma=0.5)
    machine = SVC(kernel="precomputed")
    actual = PairedComparator(machine, machine, random_state=0).fit(kernel, y)

    assert expected.results_["accuracy"].champion == actual.results_["accuracy"].champion


def seen(shipment):
    """How a worker sees a column, and which object it is."""
    frame = shipment.open()[0]
    values = np.asarray(frame["x"])
    while values.base is not None and not isinstance(values, np.memmap):
        values = values.base
    return id(frame), isinstance(values, np.memmap) or type(values).__name__ == "mmap"


@pytest.mark.slow
@pytest.mark.parametrize("text", [False, True])
def test_frames_reach_a_worker_once(text):
    """A frame is unpickled once a worker, and its numbers stay in a file's memory."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": np.arange(1000.0)})
    if text:
        frame["name"] = "a"
    with joblib.parallel_config("loky", n_jobs=2), shipped((frame,), range(8), 2) as calls:
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(seen)(s) for _, s in calls)
        assert all(isinstance(shipment, FileShipment) for _, shipment in calls)

    assert len({identity for identity, _ in found}) <= 2
    assert all(mapped for _, mapped in found)


def test_arrays_are_left_to_joblib():
    """Arrays go as they are, and so does everything within one process."""
    arrays = np.zeros(3), np.zeros(3)
    with joblib.parallel_config("loky"), shipped(arrays, ["task"], 2) as calls:
        ((task, shipment),) = calls
    assert ("task", Shipment) == (task, type(shipment))
    with shipped(([1, 2],), ["task"], 1) as calls:
        ((task, shipment),) = calls
    assert ("task", Shipment) == (task, type(shipment))


def test_what_says_that_a_worker_is_gone():
    """Every error by which a cluster says so; one of a library's own name stays itself."""
    for package, name, expected in [
        ("ray.exceptions", "OutOfMemoryError", WorkerLostError),
        ("ray.exceptions", "WorkerCrashedError", WorkerLostError),
        ("ray.exceptions", "NodeDiedError", WorkerLostError),
        ("distributed.scheduler", "KilledWorker", WorkerLostError),
        ("torch", "OutOfMemoryError", None),
    ]:
        error = type(name, (Exception,), {"__module__": package})
        task = SimpleNamespace(name="challenger", split=3)
        words = "one of 1 fits, from challenger in split 3 .*full" if expected else "full"
        with pytest.raises(expected or error, match=words), shipped(([1],), [task], 1):
            raise error("full")


def blas_threads():
    """Threads that BLAS may use now."""
    from threadpoolctl import threadpool_info

    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


def test_worker_threads_leave_blas_one_thread():
    """Threads that fit side by side do not start BLAS threads of their own."""
    with joblib.parallel_config("threading", n_jobs=2), blas_within(2):
        assert {1} == set(blas_threads())


def test_rows_of_arrow_tables_and_lists():
    """Rows can be taken from Arrow tables and from lists."""
    index = np.array([2, 0])
    assert ["c", "a"] == take_rows(["a", "b", "c"], index)
    pa = pytest.importorskip("pyarrow")
    assert [3, 1] == take_rows(pa.table({"x": [1, 2, 3]}), index)["x"].to_pylist()


def test_fingerprint_of_texts_needs_little_memory():
    """One long text among many short ones does not widen all of them."""
    texts = ["short"] * 3000 + ["x" * 100_000]
    tracemalloc.start()
    fingerprint(texts)
    fingerprint(np.array(texts, dtype=object))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 5_000_000
    assert fingerprint(["a", "b"]) != fingerprint(["ab", ""])


def test_truncated_files_are_refused(collected, tmp_path):
    """Half a file is refused in words."""
    whole, half = tmp_path / "whole.npz", tmp_path / "half.npz"
    collected.save(whole)
    half.write_bytes(whole.read_bytes()[:500])
    with pytest.raises(ValueError, match="cannot be read as predictions"):
        Predictions.load(half)
