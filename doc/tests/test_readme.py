"""The lines of code in the README's table run."""

import re
import shlex
import shutil

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skcompare
from doc.tests.pages import ROOT
from skcompare.cli import main
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.metrics import McNemarScorer
from skcompare.stats import plan_comparison

README = (ROOT / "README.rst").read_text(encoding="utf-8")
LINES = re.findall(r"^   \* - (.*)\n     - ``(.*)``$", README, flags=re.MULTILINE)
N = 240


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the lines name."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    old, new = (np.where(rng.random(N) < p, y, 1 - y) for p in (0.8, 0.85))
    rows = [f"{k},{y[k]},{old[k]},{new[k]}" for k in range(N)]
    (tmp_path / "predictions.csv").write_text("\n".join(["id,truth,old,new", *rows]))
    shutil.copy(tmp_path / "predictions.csv", tmp_path / "today.csv")
    for name, column in {"champion": old, "challenger": new}.items():
        rows = [f"{k},{y[k]},{column[k]}" for k in range(N)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,truth,label", *rows]))
    policy = '[[condition]]\nsuperior = "accuracy"\n\n[data]\nid = "id"\ny = "truth"\n'
    (tmp_path / "gate.toml").write_text(policy)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names():
    """What the lines of Python use."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    X = y[:, None] + rng.normal(size=(N, 4))
    p_old, p_new = (1 / (1 + np.exp(2 - 4 * X[:, k])) for k in (0, 1))
    runs = [(X[:, 0] + rng.normal(size=(5, N)) > 0.5).astype(int) for _ in range(2)]
    a, b, c = LogisticRegression(), GaussianNB(), LogisticRegression(C=0.01)
    return {
        **{name: getattr(skcompare, name) for name in skcompare.__all__},
        **{part.__name__: part for part in (Gate, McNemarScorer, NonInferior, Superior)},
        **{part.__name__: part for part in (cross_val_score, make_pipeline)},
        **{part.__name__: part for part in (plan_comparison, Ridge, StandardScaler)},
        "RandomForestRegressor": lambda: RandomForestRegressor(5, random_state=0),
        **{"y": y, "X": X, "p_old": p_old, "p_new": p_new, "day": np.arange(N)},
        **{"runs_of_old": runs[0], "runs_of_new": runs[1], "patient": np.arange(N) // 3},
        **{"a": a, "b": b, "c": c, "model": a, "champion": b.fit(X, y), "linear": a},
        "forest": RandomForestClassifier(5, random_state=0),
    }


@pytest.mark.parametrize(("what", "line"), LINES, ids=[what for what, _ in LINES])
def test_line_runs(what, line, folder, capsys):
    """In the shell, or in Python with the imports that its names need."""
    if line.startswith("$ skcompare init"):
        (folder / "gate.toml").unlink()
    if line.startswith("$ "):
        assert main(shlex.split(line)[2:]) in (0, 1)
        return
    if ".parquet" in line:
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        own = {key: names()[key] for key in ("y", "p_old", "p_new")}
        pd.DataFrame(own).to_parquet(folder / "predictions.parquet")
    assert eval(line, names()) is not None


def test_readme_can_be_read_in_a_minute():
    """It has a line for each kind of comparison, and is no longer than it may be."""
    assert len(LINES) >= 12
    assert len(README.splitlines()) <= 150
