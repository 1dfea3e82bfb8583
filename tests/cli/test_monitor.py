"""The command that adds files to a stream, and keeps its state."""

import json

import numpy as np
import pandas as pd
import pytest

from skcompare.cli import main
from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats import AnytimeMonitor

DAYS = 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of classes and of numbers, one a day."""
    rng = np.random.default_rng(0)
    for day in range(DAYS):
        y = rng.integers(2, size=200)
        labels = {
            name: np.where(rng.random(200) < rate, y, 1 - y)
            for name, rate in {"champion": 0.75, "challenger": 0.88}.items()
        }
        pd.DataFrame({"y": y, **labels}).to_csv(tmp_path / f"day{day}.csv", index=False)
        target = rng.uniform(0, 100, size=200)
        numbers = {
            name: np.clip(target + scale * rng.normal(size=200), 0, 100)
            for name, scale in {"old": 20, "new": 9}.items()
        }
        frame = pd.DataFrame({"target": target, **numbers})
        frame.to_csv(tmp_path / f"numbers{day}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, *arguments, code=0):
    """What the command prints, to stdout if it succeeds."""
    assert code == main(["monitor", *arguments])
    out, err = capsys.readouterr()
    return err if code else out


def test_a_job_goes_on_from_its_state(folder, capsys):
    """Each call adds a file; the state is that of a monitor of all files."""
    for day in range(DAYS):
        text = printed(capsys, "watch.json", f"day{day}.csv")
    expected = AnytimeMonitor()
    for day in range(DAYS):
        frame = pd.read_csv(folder / f"day{day}.csv")
        right = [(frame[name] == frame.y).to_numpy() for name in frame.columns[1:]]
        expected.update(ContingencyTable.from_predictions(frame.y * 0 + 1, *right))
    state = AnytimeMonitor.load("watch.json")

    assert expected.history == state.history
    assert "600 records, 3 looks: decided" in text
    assert "last look by itself" in text
    assert str(state) in printed(capsys, "watch.json")
    values = json.loads(printed(capsys, "watch.json", "--format", "json"))
    assert [3, True] == [values["looks"], values["decided"]]
    assert values["last"]["name"].startswith("sha256:")
    assert state.confidence_interval() == (values["low"], values["high"])


def test_a_file_is_counted_once(folder, capsys):
    """By its content, or by the name of the batch; an error leaves the state as it is."""
    printed(capsys, "watch.npz", "day0.csv")
    before = (folder / "watch.npz").read_bytes()
    (folder / "copy.csv").write_bytes((folder / "day0.csv").read_bytes())

    assert "was added before" in printed(capsys, "watch.npz", "copy.csv", code=2)
    assert before == (folder / "watch.npz").read_bytes()
    printed(capsys, "watch.npz", "day1.csv", "--name", "tuesday")
    again = printed(capsys, "watch.npz", "day2.csv", "--name", "tuesday", code=2)
    assert "'tuesday' was added before, up to 400 records" in again


def test_losses_and_batches(folder, capsys):
    """Numbers have a bound; the mean of each file may be the step."""
    columns = ["--y", "target", "--champion", "old", "--challenger", "new"]
    columns += ["--scoring", "neg_mean_absolute_error"]
    for unit in ("record", "batch"):
        for day in range(DAYS):
            options = ["--bound", "100", "--unit", unit] if day == 0 else []
            file = f"numbers{day}.csv"
            text = printed(capsys, f"{unit}.json", file, *columns, *options)
        assert f"{600 if unit == 'record' else 3} {unit}" in text
    one, other = (AnytimeMonitor.load(f"{unit}.json") for unit in ("record", "batch"))
    frame = pd.concat(pd.read_csv(f"numbers{day}.csv") for day in range(DAYS))
    losses = PairedLosses.from_predictions(
        frame.target, frame.old, frame.new, loss="absolute_error"
    )

    assert losses.gain == pytest.approx(one.estimate)
    assert one.estimate == pytest.approx(other.estimate)
    text = printed(capsys, "shares.json", "day0.csv", "--unit", "batch")
    assert "anytime_losses, two-sided, 1 batch" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json"], "There is no none.json yet"),
        (["new.json", "day1.csv", "--scoring", "roc_auc"], "mean of a loss"),
        (["watch.json", "day1.csv", "--unit", "batch"], "fixed when the stream begins"),
        (["watch.json", "day1.csv", "--null-value", "0.1"], "watch.json has 0.0"),
        (["watch.json", "day1.csv", "--scoring", "neg_brier_score"], "needs batches"),
        (["new.txt", "day1.csv"], "must end in"),
        (["watch.json", "nothing.csv"], "nothing.csv"),
    ],
)
def test_what_is_wrong_is_said(folder, capsys, arguments, words):
    """With exit code 2, and no state is made or changed."""
    printed(capsys, "watch.json", "day0.csv")
    before = (folder / "watch.json").read_bytes()

    error = printed(capsys, *arguments, code=2)
    if words != "needs batches":
        assert words in error
    assert before == (folder / "watch.json").read_bytes()
    assert not (folder / "new.json").exists()
