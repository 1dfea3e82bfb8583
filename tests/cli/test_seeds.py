"""The command `skcompare seeds`."""

import json

import numpy as np
import pandas as pd
import pytest

from skcompare import Comparison, compare_seeds
from skcompare.cli import main


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.arange(120), "truth": rng.integers(2, size=120)})
    for k in range(3):
        frame[f"old{k}"] = rng.random(120).round(3)
        frame[f"new{k}"] = (0.4 * frame.truth + 0.6 * rng.random(120)).round(3)
    return frame


@pytest.fixture
def arguments(table, tmp_path):
    path = tmp_path / "records.csv"
    table.to_csv(path, index=False)
    options = ["seeds", str(path), "--y", "truth", "--scoring", "roc_auc,f1"]
    for role, name in (("champion", "old"), ("challenger", "new")):
        for k in range(3):
            options += [f"--{role}", f"{name}{k}"]
    return options


def arrays(table, name):
    return np.stack([table[f"{name}{k}"] for k in range(3)])


def test_file_of_columns(table, arguments, capsys):
    """The same as of arrays, with a report in each format."""
    expected = compare_seeds(
        table.truth, arrays(table, "old"), arrays(table, "new"), scoring=["roc_auc", "f1"]
    )
    assert 0 == main([*arguments, "--format", "json"])
    result = Comparison.from_json(capsys.readouterr().out)

    assert expected.rows[0].pvalue == pytest.approx(result.rows[0].pvalue, rel=1e-12)
    assert expected.design == result.design
    assert 0 == main(arguments)
    assert "hold-out with 3 paired trainings" in capsys.readouterr().out


def test_options(arguments, capsys):
    """Separate trainings, models, and one of the champion as it is."""
    for more, expected in (
        (["--separate"], "3 separate trainings"),
        (["--population", "models"], "these trained models"),
    ):
        assert 0 == main([*arguments, *more])
        assert expected in capsys.readouterr().out
    first = arguments.index("--champion")
    alone = arguments[: first + 2] + arguments[first + 6 :]
    assert 2 == main(alone)
    assert "One training of champion" in capsys.readouterr().err
    assert 0 == main([*alone, "--fixed", "champion"])
    assert "one trained model and one recipe" in " ".join(capsys.readouterr().out.split())


def test_one_file_per_training(table, arguments, tmp_path, capsys):
    """Joined by --id, in any order of the records."""
    assert 0 == main([*arguments, "--format", "json"])
    expected = json.loads(capsys.readouterr().out)["rows"][0]["pvalue"]
    options = arguments[:6]
    for role, name in (("champion", "old"), ("challenger", "new")):
        for k in range(3):
            path = tmp_path / f"{name}{k}.csv"
            own = table[["id", f"{name}{k}"]].rename(columns={f"{name}{k}": "p"})
            own.sample(frac=1, random_state=k).to_csv(path, index=False)
            options += [f"--{role}", f"{path}:p"]

    assert 0 == main([*options, "--id", "id", "--format", "json"])
    found = json.loads(capsys.readouterr().out)["rows"][0]["pvalue"]
    assert expected == pytest.approx(found, rel=1e-12)
    assert 2 == main(options)
    assert "needs --id" in capsys.readouterr().err


def test_frames_of_columns(table):
    """Frames name columns, or lists of them for the classes."""
    old, new = ([f"{name}{k}" for k in range(3)] for name in ("old", "new"))
    expected = compare_seeds(
        table.truth, arrays(table, "old"), arrays(table, "new"), scoring="roc_auc"
    )
    found = compare_seeds(table, old, new, y_true="truth", scoring="roc_auc")
    named = compare_seeds(table, {"a": old, "b": new}, y_true="truth", scoring="roc_auc")

    for comparison in (found, named):
        assert expected.rows[0].pvalue == pytest.approx(
            comparison.rows[0].pvalue, rel=1e-12
        )
    with pytest.raises(ValueError, match="`y_true` names the column"):
        compare_seeds("records.csv", old, new)


def test_messages_name_options(arguments, capsys):
    """Parameters of functions are options in the messages of a command."""
    first = arguments.index("--champion")
    once = arguments[: first + 2] + arguments[arguments.index("--challenger") :]

    assert 2 == main(once)
    said = capsys.readouterr().err
    assert "or pass --fixed champion if" in said
    assert "or --population models." in said
    assert 2 == main([*arguments, "--fixed", "champion"])
    assert "leave --fixed out" in capsys.readouterr().err
