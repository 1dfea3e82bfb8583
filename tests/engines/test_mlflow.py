"""Results in runs of MLflow, and comparisons of its runs and models."""

import csv
import io
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skcompare import Comparison, PairedComparator, compare
from skcompare.exceptions import MissingDependencyError
from skcompare.gate import (
    Gate,
    GateDecision,
    GateFiles,
    Ledger,
    NonInferior,
    Policy,
    Superior,
    judge_files,
)
from skcompare.integrations import compare_mlflow_models, compare_mlflow_runs, log_to_mlflow

# MLflow warns of its own code, and of its stores of files.
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
Y = RNG.choice(["ham", "spam"], 400)
OTHER = np.where(Y == "ham", "spam", "ham")
OLD, NEW = (np.where(RNG.random(400) < share, Y, OTHER) for share in (0.8, 0.9))
MEASURES = ["accuracy", "recall[spam]", "precision[spam]"]


@pytest.fixture(scope="module")
def mlflow():
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    return pytest.importorskip("mlflow")


@pytest.fixture
def store(mlflow, tmp_path, monkeypatch):
    """An empty store of runs, with an experiment."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("comparisons")
    yield mlflow
    mlflow.set_tracking_uri(before)


def logged(mlflow, run_id, path):
    """The text of an artifact."""
    local = mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=path)
    return Path(local).read_text(encoding="utf-8")


def test_comparison_in_the_active_run(store):
    """Metrics, tags, table, page and JSON are those of the comparison."""
    comparison = compare(Y, {"old": OLD, "new": NEW}, scoring=MEASURES)

    with store.start_run() as run:
        assert run.info.run_id == log_to_mlflow(comparison)

    run = store.get_run(run.info.run_id)
    row = comparison.results["accuracy", None, "mcnemar"]
    for quantity in ("champion", "challenger", "difference", "low", "high", "pvalue"):
        key = f"comparison/accuracy/{quantity}"
        assert getattr(row, quantity) == pytest.approx(run.data.metrics[key], rel=1e-12)
    assert "comparison/recall.spam/difference" in run.data.metrics
    assert comparison.verdict == run.data.tags["skcompare.comparison.verdict"]
    sentence = comparison.conclusion.sentence
    assert sentence == run.data.tags["skcompare.comparison.headline"]
    text = logged(store, run.info.run_id, "comparison/result.json")
    assert str(comparison) == str(Comparison.from_json(text))
    assert logged(store, run.info.run_id, "comparison/report.html").startswith("<!DOCTYPE")
    assert "accuracy" in logged(store, run.info.run_id, "comparison/report.md")
    table = csv.DictReader(
        io.StringIO(logged(store, run.info.run_id, "comparison/table.csv"))
    )
    assert MEASURES == [line["measure"] for line in table]


def test_decision_of_a_gate(store):
    """Each condition has its numbers; the verdict is a tag, and passed a metric."""
    gate = Gate(Superior("accuracy"), NonInferior("accuracy", 0.02), Superior("f1_macro"))
    decision = gate.decide(Y, {"old": OLD, "new": NEW})
    run_id = store.start_run(run_name="gate").info.run_id
    store.end_run()

    log_to_mlflow(decision, run_id=run_id, name="spam gate", step=3)

    run = store.get_run(run_id)
    assert "passed" == run.data.tags["skcompare.spam gate.verdict"]
    assert 1.0 == run.data.metrics["spam gate/passed"]
    assert decision.outcomes[1].low == run.data.metrics["spam gate/2 accuracy/low"]
    history = store.MlflowClient().get_metric_history(run_id, "spam gate/passed")
    assert [3] == [metric.step for metric in history]
    text = logged(store, run_id, "spam gate/result.json")
    assert decision == GateDecision.from_json(text)
    assert 4 == len(logged(store, run_id, "spam gate/table.csv").splitlines())


def test_blind_decision_tells_nothing_else(store, tmp_path):
    """No number of a blind decision leaves it."""
    frame = {"id": range(400), "y": Y, "old": OLD, "new": NEW}
    text = "\n".join(",".join(map(str, row)) for row in [frame, *zip(*frame.values())])
    (tmp_path / "both.csv").write_text(text)
    values = {"condition": [{"superior": "accuracy"}]}
    values["data"] = {"champion": "old", "challenger": "new"}
    files = GateFiles(
        (str(tmp_path / "both.csv"),),
        ledger=Ledger(str(tmp_path / "looks.jsonl")),
        blind=True,
    )
    decision = judge_files(files, Policy.from_dict(values))

    with store.start_run() as run:
        log_to_mlflow(decision)

    assert {"gate/passed"} == set(store.get_run(run.info.run_id).data.metrics)
    assert "0.9" not in logged(store, run.info.run_id, "gate/report.md")


def test_several_estimators(store):
    """Each pair has its numbers, under names that MLflow allows."""
    names = {"old/a": OLD, "new: b": NEW, "..": np.roll(NEW, 1)}
    comparison = compare(Y, names, scoring=["accuracy", "f1_macro"])

    with store.start_run() as run:
        log_to_mlflow(comparison)

    metrics = store.get_run(run.info.run_id).data.metrics
    pairs = [name for name in metrics if name.endswith("/difference")]
    assert 6 == len(pairs)
    assert "comparison/accuracy new. b against old.a/pvalue" in metrics


def test_undefined_numbers_are_no_metrics(store):
    """Equal predictions have no interval by some tests; what is not finite is left out."""
    with store.start_run() as run:
        log_to_mlflow(compare(Y, {"old": OLD, "new": OLD.copy()}, tests="all"))

    metrics = store.get_run(run.info.run_id).data.metrics
    assert np.isfinite(list(metrics.values())).all()
    assert 0.0 == metrics["comparison/accuracy/difference"]


def test_where_nothing_is_logged(store):
    """Without a run, with another object, and with a name that is none."""
    comparison = compare(Y, {"old": OLD, "new": NEW})
    with pytest.raises(ValueError, match=r"No run of MLflow is active\. Call this within"):
        log_to_mlflow(comparison)
    assert store.active_run() is None
    with pytest.raises(TypeError, match="must be a Comparison, a MultipleComparison or a"):
        log_to_mlflow(comparison.rows[0])
    with pytest.raises(ValueError, match=r"`name` must have letters.*Got 'a/b'"):
        log_to_mlflow(comparison, name="a/b")


def run_with(mlflow, name, columns, artifact="predictions.json"):
    """The id of a run with a table of predictions."""
    with mlflow.start_run(run_name=name) as run:
        if artifact.endswith(".json"):
            mlflow.log_table({key: list(own) for key, own in columns.items()}, artifact)
        else:
            rows = [columns, *zip(*columns.values())]
            mlflow.log_text("\n".join(",".join(map(str, row)) for row in rows), artifact)
    return run.info.run_id


@pytest.mark.parametrize("artifact", ["predictions.json", "out/predictions.csv"])
def test_predictions_of_two_runs(artifact, store):
    """They are joined by the ids, whatever their order, and are called as the runs."""
    order = RNG.permutation(400)
    ids = np.arange(400)
    old = {"id": ids, "y": Y, "label": OLD}
    new = {"id": ids[order], "y": Y[order], "label": NEW[order]}
    runs = [run_with(store, *one, artifact) for one in (("tree", old), ("forest", new))]

    comparison = compare_mlflow_runs(*runs, artifact, predictions="label", alpha=0.01)

    expected = compare(Y, {"tree": OLD, "forest": NEW}, alpha=0.01)
    assert expected.verdict == comparison.verdict
    assert expected.rows[0].pvalue == comparison.rows[0].pvalue
    assert expected.rows[0].difference == comparison.rows[0].difference
    assert "forest" in str(comparison)

    new["y"] = np.roll(new["y"], 1)
    runs[1] = run_with(store, "forest", new, artifact)
    with pytest.raises(ValueError, match="differ"):
        compare_mlflow_runs(*runs, artifact, predictions="label")


def test_groups_and_both_kinds_of_predictions(store):
    """Columns may be of labels and of probabilities, and groups are the champion's."""
    shares = [np.where(labels == "spam", 0.7, 0.3) for labels in (OLD, NEW)]
    runs = [
        run_with(store, name, {"id": range(400), "label": labels, "p": share} | others)
        for name, labels, share, others in zip(
            ("tree", "forest"),
            (OLD, NEW),
            shares,
            ({"y": Y, "user": np.arange(400) // 4}, {}),
        )
    ]
    columns = {"labels": "label", "proba": "p"}
    options = {"scoring": ["accuracy", "neg_brier_score"], "pos_label": "spam"}

    comparison = compare_mlflow_runs(
        *runs, "predictions.json", predictions=columns, groups="user", **options
    )

    both = {
        name: {"labels": labels, "proba": share}
        for name, labels, share in zip(("tree", "forest"), (OLD, NEW), shares)
    }
    expected = compare(Y, both, groups=np.arange(400) // 4, **options)
    assert [row.pvalue for row in expected.rows] == [row.pvalue for row in comparison.rows]


def test_predictions_of_several_outputs(store):
    """Each output has a column of true numbers, and the columns of both files agree."""
    numbers = RNG.normal(size=(400, 2)).round(6)  # the digits that tables of MLflow keep
    runs, both = [], {}
    for name, noise in (("ridge", 1.0), ("forest", 0.8)):
        forecast = (numbers + noise * RNG.normal(size=numbers.shape)).round(6)
        columns = {"low": forecast[:, 0], "high": forecast[:, 1]}
        truth = {"y_low": numbers[:, 0], "y_high": numbers[:, 1]}
        runs.append(run_with(store, name, {"id": range(400)} | truth | columns))
        both[name] = forecast
    options = {"predictions": ["low", "high"], "y_true": ["y_low", "y_high"]}

    comparison = compare_mlflow_runs(*runs, "predictions.json", **options)

    expected = compare(numbers, both)
    assert [row.pvalue for row in expected.rows] == [row.pvalue for row in comparison.rows]

    truth["y_high"] = np.roll(truth["y_high"], 1)
    runs[1] = run_with(store, "forest", {"id": range(400)} | truth | columns)
    with pytest.raises(ValueError, match="differ"):
        compare_mlflow_runs(*runs, "predictions.json", **options)
    del truth["y_low"]
    runs[1] = run_with(store, "forest", {"id": range(400)} | truth | columns)
    with pytest.raises(ValueError, match="Unknown column 'y_low'"):
        compare_mlflow_runs(*runs, "predictions.json", **options)


def test_runs_that_cannot_be_compared(store):
    """One run twice, a missing column, and a file that is no table."""
    columns = {"id": np.arange(400), "y": Y, "label": OLD}
    first, second = (run_with(store, "tree", columns) for _ in range(2))
    with pytest.raises(ValueError, match="must be two runs"):
        compare_mlflow_runs(first, first, "predictions.json", predictions="label")
    with pytest.raises(ValueError, match=r"Unknown column 'truth'.*`y_true`"):
        compare_mlflow_runs(
            first, second, "predictions.json", predictions="label", y_true="truth"
        )
    for run_id in (first, second):
        store.MlflowClient().log_text(run_id, json.dumps([1]), "other.json")
    with pytest.raises(ValueError, match=r"must be a table of `mlflow\.log_table`"):
        compare_mlflow_runs(first, second, "other.json", predictions="label")
    with pytest.raises(Exception, match=r"none\.csv"):
        compare_mlflow_runs(first, second, "none.csv", predictions="label")


def test_two_models(store):
    """Models of scikit-learn are compared as fitted ones, with their probabilities."""
    X, y = make_classification(600, random_state=0)
    models = [model.fit(X[:200], y[:200]) for model in (GaussianNB(), LogisticRegression())]
    settings = {"pip_requirements": [], "serialization_format": "cloudpickle"}
    with store.start_run():
        uris = [
            store.sklearn.log_model(model, name=f"model{k}", **settings).model_uri
            for k, model in enumerate(models)
        ]
    X, y = X[200:], y[200:]

    comparison = compare_mlflow_models(*uris, X, y, scoring=["accuracy", "roc_auc"])

    expected = PairedComparator(*models, cv="prefit", scoring=["accuracy", "roc_auc"])
    rows = expected.fit(X, y).comparison_.rows
    assert [row.pvalue for row in rows] == [row.pvalue for row in comparison.rows]
    groups = np.arange(400) // 4
    grouped = compare_mlflow_models(*uris, X, y, groups=groups)
    assert "group" in str(grouped)
    with pytest.raises(ValueError, match="must be two models"):
        compare_mlflow_models(uris[0], uris[0], X, y)


def test_models_as_python_functions(store):
    """Of other models the predictions are compared."""
    X, y = make_classification(400, random_state=0)

    class Model(store.pyfunc.PythonModel):
        def __init__(self, threshold):
            self.threshold = threshold

        def predict(self, context, model_input):
            return (np.asarray(model_input)[:, 0] > self.threshold).astype(int)

    with store.start_run():
        uris = [
            store.pyfunc.log_model(
                python_model=Model(threshold), name=f"model{k}", pip_requirements=[]
            ).model_uri
            for k, threshold in enumerate((0.0, 0.5))
        ]

    comparison = compare_mlflow_models(*uris, X, y)

    labels = [(X[:, 0] > threshold).astype(int) for threshold in (0.0, 0.5)]
    expected = compare(y, dict(zip(("champion", "challenger"), labels)))
    assert expected.rows[0].pvalue == comparison.rows[0].pvalue


def test_without_mlflow(monkeypatch):
    """The error says how to install it."""
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingDependencyError, match="pip install mlflow-skinny"):
        log_to_mlflow(compare(Y, {"old": OLD, "new": NEW}))
