"""Blocks of the pages that need packages which only the tests of engines have."""

import os

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from doc.tests.pages import GUIDE, blocks

PAGE = GUIDE / "array_api.rst"
KEPT = GUIDE / "mlflow_and_skore.rst"


@pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not here")
def test_arrays_of_torch(monkeypatch, capsys):
    """What array_api.rst shows runs with tensors on the CPU, and prints both results."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_strict")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    y = np.random.default_rng(0).integers(2, size=200)
    old, new = (np.random.default_rng(seed).random((200, 2)) for seed in (1, 2))
    names = {name: torch.asarray(v) for name, v in {"y": y, "old": old, "new": new}.items()}
    (block,) = [block for block in blocks(PAGE) if block.language == "python"]

    exec(compile(block.code, str(block), "exec"), names)

    printed = capsys.readouterr().out
    assert printed.startswith("mcnemar")
    assert "delong" in printed


@pytest.mark.skipif(not KEPT.is_file(), reason="the pages are not here")
@pytest.mark.filterwarnings("ignore")
def test_what_mlflow_and_skore_keep(monkeypatch, tmp_path):
    """What mlflow_and_skore.rst shows runs, with two runs, two versions and two models."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("skore")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("page")
    X, y = make_classification(600, random_state=0)
    names = {"X_test": X[300:], "y_test": y[300:], "y": y[300:]}
    try:
        for name, model in {"old": GaussianNB(), "new": LogisticRegression()}.items():
            names[f"{name}_model"] = model.fit(X[:300], y[:300])
            names[name] = model.predict(X[300:])
            table = {"id": list(range(300)), "y": names["y"], "label": names[name]}
            with mlflow.start_run(run_name=name) as run:
                mlflow.log_table(
                    {key: list(own) for key, own in table.items()}, "predictions.json"
                )
                settings = {"serialization_format": "cloudpickle", "pip_requirements": []}
                mlflow.sklearn.log_model(
                    model, name="model", registered_model_name="churn", **settings
                )
            names[f"{name}_run"] = run.info.run_id
        for block in blocks(KEPT):
            exec(compile(block.code, str(block), "exec"), names)
            if "comparison" in names:
                assert "challenger" in names.pop("comparison").to_markdown()
        runs = mlflow.search_runs()
    finally:
        mlflow.set_tracking_uri(before)

    assert 1 == runs["metrics.comparison/accuracy/difference"].notna().sum()
