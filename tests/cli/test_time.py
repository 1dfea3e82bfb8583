"""Records in the order of time, from the shell."""

import json

import numpy as np
import pytest

from skcompare import compare, compare_scores
from skcompare.cli import main

N = 120
DAYS = np.arange("2024-01-01", N, dtype="datetime64[D]")


@pytest.fixture
def records(tmp_path):
    """Truth and predictions, with a CSV file of them in another order."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    old, new = (np.where(rng.random(N) < share, y, 1 - y) for share in (0.6, 0.8))
    rows = [
        f"{t},{a},{b},{d},{k % 3}" for k, (t, a, b, d) in enumerate(zip(y, old, new, DAYS))
    ]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["y,champion,challenger,day,store", *rng.permutation(rows)]))
    return y, {"champion": old, "challenger": new}, str(path)


@pytest.mark.parametrize("more", [[], ["--group", "store"]])
def test_compare(records, capsys, more):
    """--time names the column, and --horizon the time points ahead."""
    y, predictions, path = records
    options = ["--time", "day", "--horizon", "2", "--format", "json", *more]
    assert 0 == main(["compare", path, *options])
    shown = json.loads(capsys.readouterr().out)
    groups = np.arange(N) % 3 if more else None
    expected = compare(y, predictions, time=DAYS, horizon=2, groups=groups)

    assert expected.size == shown["size"]
    assert "diebold_mariano" == shown["rows"][0]["test"]
    assert expected.rows[0].pvalue == pytest.approx(shown["rows"][0]["pvalue"])


def test_scores(tmp_path, capsys):
    """Scores of items have a time too."""
    rng = np.random.default_rng(0)
    old, new = rng.random((2, N)).round(3)
    lines = [
        json.dumps({"item": k, "old": a, "new": b, "day": str(d)})
        for k, (a, b, d) in enumerate(zip(old.tolist(), new.tolist(), DAYS))
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(lines))
    options = ["--score", "old,new", "--time", "day", "--horizon", "2", "--format", "json"]
    assert 0 == main(["compare", "--scores", str(path), *options])
    shown = json.loads(capsys.readouterr().out)
    expected = compare_scores(old, new, time=DAYS, horizon=2)

    assert expected.rows[0].pvalue == pytest.approx(shown["rows"][0]["pvalue"])


def test_gate(records, capsys):
    """The gate takes the same options."""
    _, _, path = records
    options = ["--superior", "accuracy", "--time", "day", "--horizon", "2", "--groups"]

    assert 0 == main(["gate", path, *options, "store"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "120 records in 3 series at 120 times, horizon 2" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time", "dy"], "Did you mean 'day'?"),
        (["--horizon", "2"], "without --time"),
        (["--time", "day", "--horizon", "0"], "at least 1"),
    ],
)
def test_wrong_options(records, capsys, options, message):
    """Errors are one line."""
    _, _, path = records
    assert 2 == main(["compare", path, *options])
    shown = capsys.readouterr().err.strip()

    assert message in shown
    assert "\n" not in shown
