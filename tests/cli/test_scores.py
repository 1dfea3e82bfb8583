"""Scores item by item from the shell."""

import json

import pytest

from skcompare.cli import main

OLD = [("q1", 0, "a"), ("q2", 1, "a"), ("q3", 0, "b"), ("q4", 1, "b"), ("q5", 0, "c")]
NEW = [("q5", 1, "c"), ("q4", 1, "b"), ("q3", 1, "b"), ("q2", 1, "a"), ("q1", 1, "a")]


@pytest.fixture
def files(tmp_path):
    """Writes two files of JSON lines and gives their paths."""

    def write(rows, name, names=("item", "score", "topic")):
        path = tmp_path / name
        lines = (json.dumps(dict(zip(names, row))) for row in rows)
        path.write_text("\n".join(lines), encoding="utf-8")
        return str(path)

    write.old, write.new = write(OLD, "old.jsonl"), write(NEW, "new.jsonl")
    return write


def test_two_files(files, capsys):
    """Two files of JSON lines are joined by their items, in any order."""
    assert 0 == main(["compare", "--scores", files.old, files.new, "--format", "json"])
    stored = json.loads(capsys.readouterr().out)

    assert (files.old, files.new) == (stored["champion"], stored["challenger"])
    assert "5 items" == stored["size"]
    (row,) = stored["rows"]
    assert ("mean_score", "mcnemar", 0.6) == (
        row["measure"],
        row["test"],
        row["difference"],
    )


def test_groups_and_attempts(files, capsys):
    """--group, --attempt and --tests say what is known of the rows."""
    names = ("id", "acc", "topic", "n")
    old = files([(*row, n) for row in OLD for n in (1, 2)], "old.jsonl", names)
    new = files([(*row, n) for row in NEW for n in (1, 2)], "new.jsonl", names)
    columns = ["--item", "id", "--score", "acc", "--group", "topic", "--attempt", "n"]

    assert 0 == main(["compare", "--scores", old, new, *columns, "--tests", "all"])
    printed = capsys.readouterr().out
    assert "hold-out by groups, 5 items, 2 attempts each, in 3 groups" in printed
    assert "clustered_t" in printed


def test_one_file_with_two_columns(tmp_path, capsys):
    """One file may have the scores of both."""
    path = tmp_path / "scores.csv"
    path.write_text("item;one;two\n1;0;1\n2;1;1\n3;0.5;1\n", encoding="utf-8")
    options = ["--score", "one,two", "--delimiter", ";"]

    assert 0 == main(["compare", "--scores", str(path), *options, "--format", "markdown"])
    printed = capsys.readouterr().out
    assert "- champion: one\n- challenger: two\n" in printed
    assert "paired\\_t" in printed


def test_bad_input_is_one_line_and_code_2(files, capsys):
    """Every error is one line that says what to do."""
    for arguments, message in [
        ([], "Pass FILE"),
        (["x.csv", "--score", "acc"], "--score is about --scores"),
        (["--scores", "OLD", "NEW", "x.csv"], "--scores takes two files"),
        (["x.csv", "--scores", "OLD", "NEW"], "--scores takes all files"),
        (["--scores", "OLD"], "--score names a column of two files"),
        (["--scores", "OLD", "NEW", "--scoring", "f1"], "--scoring is about predictions"),
        (["--scores", "OLD", "NEW", "--champion-file", "x"], "--champion-file is about"),
        (["--scores", "OLD", "NEW", "--score", "acc"], "Unknown column 'acc'"),
        (["--scores", "OLD", "OLD"], "must be two columns of scores"),
        (["--scores", "OLD", "SHORT"], "SHORT' lacks 1 of them ('q1')"),
        (["--scores", "OLD", "nothing.jsonl"], "nothing.jsonl"),
        (["--scores", "OLD", "NEW", "--tests", "delong"], "does not compare mean scores"),
    ]:
        paths = {"OLD": files.old, "NEW": files.new, "SHORT": files(NEW[:4], "short.jsonl")}

        assert 2 == main(["compare", *(paths.get(one, one) for one in arguments)])
        printed = capsys.readouterr()
        assert "" == printed.out
        assert 1 == printed.err.count("\n")
        assert message.replace("SHORT", paths["SHORT"]) in printed.err
