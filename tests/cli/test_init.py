"""The policy that `skcompare init` writes: its columns and its conditions."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skcompare.cli import main
from skcompare.cli._init import toml_value
from skcompare.gate import load_policy

N = 400
RNG = np.random.default_rng(0)
TEXT = RNG.choice(["ham", "spam"], N)
THREE = RNG.choice(["a", "b", "c"], N)
ORDER = RNG.permutation(N)
COUNTRY = np.where(np.arange(N) % 3 == 0, "DE", "FR")


def labels(truth, accuracy, seed):
    """Labels that are correct in about this share of the records."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < accuracy, truth, rng.permutation(truth))


def shares(truth, positive, noise, seed):
    """Probabilities of the positive class."""
    rng = np.random.default_rng(seed)
    logits = np.where(truth == positive, 2, -2) + noise * rng.normal(size=N)
    return (1 / (1 + np.exp(-logits))).round(4)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes frames as CSV files in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def write(**frames):
        for name, columns in frames.items():
            pd.DataFrame(columns).to_csv(f"{name}.csv", index=False)
        return [f"{name}.csv" for name in frames]

    return write


def init(files, *options):
    """The policy that is written, which judges the files."""
    assert 0 == main(["init", *files, *options])
    policy = load_policy("gate.toml")
    assert main(["gate", "--policy", "gate.toml", *files]) in (0, 1)
    return policy


def two_files():
    """Labels and probabilities of two classifiers, the second in another order."""
    old = {"message": np.arange(N), "kind": TEXT, "said": labels(TEXT, 0.7, 1)}
    old |= {"p_spam": shares(TEXT, "spam", 2, 1), "country": COUNTRY, "user": ORDER // 4}
    new = {"message": np.arange(N), "said": labels(TEXT, 0.9, 2)}
    new |= {"p_spam": shares(TEXT, "spam", 1, 2)}
    return {"old": old, "new": {name: values[ORDER] for name, values in new.items()}}


def test_two_files_of_labels_and_probabilities(written, capsys):
    """Ids, true labels, predictions, positive class, slices and groups are recognised."""
    files = written(**two_files())

    policy = init(files)

    rarer = min(("ham", "spam"), key=lambda label: (label == TEXT).sum())
    assert {
        "id": "message",
        "y": "kind",
        "label": "said",
        "proba": "p_spam",
        "pos_label": "spam",
    } == policy.to_dict()["data"]
    assert [
        {"superior": "accuracy"},
        {"noninferior": f"recall[{rarer}]", "margin": 0.02},
        {"noninferior": "binary_brier_loss", "margin": 0.005},
    ] == [condition.to_dict() for condition in policy.gate.conditions]
    printed = capsys.readouterr().out
    assert "new against old" in printed.splitlines()[0]
    assert "skcompare gate --policy gate.toml old.csv new.csv" in printed
    text = Path("gate.toml").read_text(encoding="utf-8")
    assert '# groups = "user"' in text
    assert '# where = { country = "DE" }' in text


def test_comments_are_conditions_to_take(written):
    """Without the "#", the proposed slices are conditions that hold or do not."""
    files = written(**two_files())
    init(files)
    text = Path("gate.toml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    kept = [
        line
        for old, line in zip(text.splitlines(), lines)
        if old == line or line.startswith(("[[", "noninferior", "margin", "where"))
    ]

    policy = tomllib.loads("\n".join(kept))

    assert 5 == len(policy["condition"])
    assert {"country": "FR"} == policy["condition"][-1]["where"]
    Path("gate.toml").write_text("\n".join(kept), encoding="utf-8")
    assert main(["gate", "--policy", "gate.toml", *files]) in (0, 1)


def one_file(truth, first, second, names=("y", "old", "new"), **others):
    """Columns of one file."""
    return {"both": dict(zip(names, (truth, first, second))) | others}


@pytest.mark.parametrize(
    ("frames", "options", "data", "measures"),
    [
        (
            one_file(TEXT, labels(TEXT, 0.7, 1), labels(TEXT, 0.9, 2)),
            (),
            {"y": "y", "champion": "old", "challenger": "new"},
            ["accuracy", "recall"],
        ),
        (
            one_file(
                THREE,
                labels(THREE, 0.9, 1),
                labels(THREE, 0.9, 2),
                ("truth", "challenger", "champion"),
                country=COUNTRY,
                price=RNG.normal(size=N),
            ),
            (),
            {"y": "truth", "champion": "champion", "challenger": "challenger"},
            ["accuracy", "balanced_accuracy"],
        ),
        (
            one_file(
                TEXT, shares(TEXT, "ham", 2, 1), shares(TEXT, "ham", 1, 2), ("y", "a", "b")
            ),
            ("--pos-label", "ham"),
            {"y": "y", "champion": "a", "challenger": "b", "pos_label": "ham"},
            ["roc_auc", "binary_brier_loss"],
        ),
        (
            one_file(
                RNG.normal(size=N) + 10, RNG.normal(size=N), RNG.normal(size=N) + 9,
                ("price", "old", "new"), id=np.arange(N),
            ),
            (),
            {"id": "id", "y": "price", "champion": "old", "challenger": "new"},
            ["neg_mean_absolute_error", "neg_mean_squared_error"],
        ),
        (
            one_file(
                RNG.poisson(5, N), RNG.normal(5, 1, N), RNG.normal(5, 2, N),
                ("count", "old", "new"),
            ),
            ("--superior", "neg_mean_absolute_error"),
            {"y": "count", "champion": "old", "challenger": "new"},
            ["neg_mean_absolute_error"],
        ),
        (
            {
                "old": {"id": np.arange(N), "y": THREE}
                | {f"p_{c}": np.where(THREE == c, 0.6, 0.2) for c in "abc"},
                "new": {"id": np.arange(N)}
                | {f"p_{c}": np.where(THREE == c, 0.8, 0.1) for c in "abc"},
            },
            (),
            {"id": "id", "y": "y", "proba": ["p_a", "p_b", "p_c"]},
            ["accuracy", "multiclass_brier_loss"],
        ),
        (
            {
                "old": {"key": np.arange(N), "truth": TEXT, "tree": labels(TEXT, 0.8, 1)},
                "new": {"key": np.arange(N), "forest": labels(TEXT, 0.8, 2)},
            },
            (),
            {"id": "key", "y": "truth", "champion": "tree", "challenger": "forest"},
            ["accuracy", "recall"],
        ),
        (
            {
                "old": {"item": np.arange(N), "score": RNG.random(N)},
                "new": {"item": np.arange(N), "score": RNG.random(N)},
            },
            (),
            {"score": "score"},
            ["mean_score"],
        ),
    ],
)  # fmt: skip
def test_files_as_they_come(frames, options, data, measures, written):
    """Labels, probabilities, numbers and scores, in one file or two."""
    policy = init(written(**frames), *options)

    assert data == policy.to_dict()["data"]
    kinds = [condition.measure.partition("[")[0] for condition in policy.gate.conditions]
    assert measures == kinds


@pytest.mark.parametrize(
    ("lacking", "options", "message"),
    [
        ("kind", (), "must have the true labels. Got 'country'"),
        ("message", (), "need a column of ids"),
        ("", ("--y", "truth"), "has no column 'truth', which --y names"),
        ("", ("--pos-label", "eggs"), "eggs"),
        ("", ("--superior", "acuracy"), "Did you mean 'accuracy'"),
        ("", ("--policy", "pyproject.toml"), "--policy must be a separate file"),
        ("", ("--policy", "old.csv"), "would overwrite 'old.csv'"),
    ],
)
def test_refused_files_leave_no_policy(lacking, options, message, written, capsys):
    """One line says what to name, the exit code is 2, and nothing is written."""
    frames = two_files()
    for frame in frames.values():
        frame.pop(lacking, None)

    assert 2 == main(["init", *written(**frames), *options])

    printed = capsys.readouterr()
    assert message in printed.err
    assert 1 == printed.err.count("\n")
    assert not Path("gate.toml").exists()


def test_columns_that_are_left_out(written, capsys):
    """A column with missing values is no prediction, and the error says so."""
    old = pd.Series(labels(TEXT, 0.7, 1)).mask(np.arange(N) == 3)
    files = written(both={"y": TEXT, "old": old, "new": labels(TEXT, 0.9, 2)})

    assert 2 == main(["init", *files])
    assert "Got 'new'" in (message := capsys.readouterr().err)
    assert "Left out for missing values: 'old'." in message
    assert 2 == main(["init", *files, "--y", "old"])
    assert "missing" in capsys.readouterr().err


def test_truth_beside_named_roles(written):
    """The roles say what is left for the true labels, whatever the order."""
    columns = {"champion": labels(TEXT, 0.7, 1), "challenger": labels(TEXT, 0.9, 2)}

    policy = init(written(both=columns | {"kind": TEXT}))

    assert "kind" == policy.data.y


def test_files_by_role(written, capsys):
    """Files may be named by their roles, in any order, or are missed."""
    written(**two_files())

    assert 0 == main(["init", "--challenger", "new.csv", "--champion", "old.csv"])
    assert "gate.toml old.csv new.csv" in capsys.readouterr().out
    assert 2 == main(["init", "--force"])
    assert "A gate needs files" in capsys.readouterr().err


def test_probabilities_of_an_unnamed_class(written, capsys):
    """A column that does not say of which class it is must not be guessed."""
    frames = two_files()
    for frame in frames.values():
        frame["p"] = frame.pop("p_spam")
        del frame["said"]

    assert 2 == main(["init", *written(**frames), "--y", "kind"])
    assert "Name it by --pos-label" in capsys.readouterr().err


def test_a_policy_is_replaced_only_by_force(written, capsys):
    """An existing file stays as it is, whatever it holds."""
    files = written(**two_files())
    Path("gate.toml").write_text("mine", encoding="utf-8")

    assert 2 == main(["init", *files])
    assert "'gate.toml' exists. Pass --force to replace it" in capsys.readouterr().err
    assert "mine" == Path("gate.toml").read_text(encoding="utf-8")
    assert 0 == main(["init", *files, "--policy", "other.toml", "--alpha", "0.01"])
    assert 0.01 == load_policy("other.toml").gate.alpha
    assert 0 == main(["init", *files, "--force"])
    assert load_policy("gate.toml").gate.conditions


@pytest.mark.parametrize(
    "value", ['é "q" \\ \t', 1, -2.5, 1e-9, True, ["a", 1], {"a b": {"ü": [0.5, "x"]}}]
)
def test_values_are_toml(value):
    """What is written is read as the same value."""
    assert {"key": value} == tomllib.loads(f"key = {toml_value(value)}")
    assert json.dumps(value) == json.dumps(
        tomllib.loads(f"key = {toml_value(value)}")["key"]
    )
