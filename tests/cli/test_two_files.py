"""Two files of predictions are compared by the shell, joined as a gate joins them."""

import json

import numpy as np
import pytest

from skcompare import compare
from skcompare.cli import main

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=60)
OLD, NEW = (np.where(RNG.random(60) < share, Y, 1 - Y) for share in (0.7, 0.95))
EXPECTED = compare(Y, OLD, NEW).rows[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, columns, *, turned=False):
    """Write columns to a CSV file, in order or from the last record to the first."""
    rows = list(zip(*columns.values()))[:: -1 if turned else 1]
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def compared(capsys, *arguments):
    """The result of the command as JSON."""
    assert 0 == main(["compare", *arguments, "--format=json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("truth_in", [("old",), ("new",), ("old", "new")])
def test_truth_in_either_file(folder, capsys, truth_in):
    """Two files are joined by "id"; the true labels are in either, or in both."""
    ids = np.arange(60)
    for name, predicted in (("old", OLD), ("new", NEW)):
        truth = {"y": Y} if name in truth_in else {}
        columns = {"id": ids, **truth, "pred": predicted}
        write(folder / f"{name}.csv", columns, turned=name == "new")

    stored = compared(capsys, "old.csv", "new.csv")

    assert ("old", "new") == (stored["champion"], stored["challenger"])
    assert EXPECTED.pvalue == pytest.approx(stored["rows"][0]["pvalue"])
    assert EXPECTED.difference == pytest.approx(stored["rows"][0]["difference"])


def test_named_columns(folder, capsys):
    """The options name columns of each file, and groups are in the champion's."""
    ids = np.arange(60)
    write(folder / "a.csv", {"key": ids, "truth": Y, "user": ids // 6, "p": OLD, "q": Y})
    write(folder / "b.csv", {"key": ids, "p": Y, "q": NEW})

    options = ["--id=key", "--y=truth", "--champion=p", "--challenger=q", "--group=user"]
    stored = compared(capsys, "a.csv", "b.csv", *options)

    assert ("p", "q") == (stored["champion"], stored["challenger"])
    assert "clustered_mcnemar" == stored["rows"][0]["test"]


def test_what_is_missing_is_said_by_options(folder, capsys):
    """Errors name the options of the command, and not the keys of a policy."""
    ids = np.arange(60)
    write(folder / "a.csv", {"id": ids, "pred": OLD})
    write(folder / "b.csv", {"id": ids, "pred": NEW, "other": NEW})
    write(folder / "c.csv", {"id": ids, "y": Y, "pred": OLD})
    write(folder / "plain.csv", {"y": Y, "pred": NEW})

    for arguments, message in (
        (["a.csv", "a.csv"], "Name the true labels by --y"),
        (["c.csv", "b.csv"], "Name it by --champion and --challenger"),
        (["c.csv", "plain.csv"], "Name it by --id"),
        (["c.csv", "c.csv"], "the same file 'c.csv'"),
        (["c.csv", "a.csv", "--challenger-file=b.csv"], "--challenger-file is for one"),
    ):
        assert 2 == main(["compare", *arguments])
        printed = capsys.readouterr().err
        assert message in printed
        assert 1 == printed.count("\n")
