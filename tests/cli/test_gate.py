"""The gate in the shell: exit codes, reports and errors of one line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from skcompare.cli import _gate, _main, main
from skcompare.gate import GateDecision

POLICY = '[data]\nid = "id"\n[[condition]]\nsuperior = "accuracy"\n'
N = 200
ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with predictions of which the second is better, and the same, and worse."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    for name, accuracy in (("old", 0.7), ("new", 0.9), ("worse", 0.4), ("even", 0.7)):
        said = np.where(rng.random(N) < accuracy, y, 1 - y)
        columns = {"id": range(N), "y": y, "said": said}
        if name != "old":
            del columns["y"]
        rows = [columns, *zip(*columns.values())]
        text = "".join(f"{','.join(map(str, row))}\n" for row in rows)
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "gate.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def gate(*arguments):
    """The exit code, with the policy of the folder."""
    return main(["gate", "--policy", "gate.toml", *map(str, arguments)])


def error(capsys):
    """The one line of an error, where nothing else was printed."""
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert "" == captured.out
    assert 1 == len(lines), captured.err
    assert re.match("skcompare( gate)?: error: ", lines[0])
    return lines[0]


def test_exit_codes(folder):
    """0 passed, 1 not passed, 2 bad input, 3 inconclusive where the policy asks for it."""
    for challenger, tells, code in [
        ("new", "false", 0),
        ("new", "true", 0),
        ("worse", "false", 1),
        ("worse", "true", 1),
        ("even", "false", 1),
        ("even", "true", 3),
        ("none", "true", 2),
    ]:
        (folder / "gate.toml").write_text(f"tell_inconclusive = {tells}\n{POLICY}")

        assert code == gate("old.csv", f"{challenger}.csv")


def test_conditions_without_a_policy(folder, capsys):
    """Conditions may be options, with a margin after a colon."""
    options = ["--superior", "accuracy", "--noninferior", "recall[1]:0.2"]
    options += ["--equivalent", "precision[0]:0.9", "--alpha", "0.01", "--format", "json"]

    assert 1 == main(["gate", *options, "old.csv", "new.csv"])
    decision = GateDecision.from_json(capsys.readouterr().out)
    measures = [one.condition.measure for one in decision.outcomes]
    margins = [one.condition.margin for one in decision.outcomes]
    assert ["accuracy", "recall[1]", "precision[0]"] == measures
    assert [0.0, 0.2, 0.9] == margins
    assert 0.01 == decision.alpha


def test_policy_of_the_project(folder):
    """Without --policy it is the table of the pyproject file."""
    table = POLICY.replace("[data]", "[tool.skcompare.gate.data]")
    table = table.replace("[[condition]]", "[[tool.skcompare.gate.condition]]")
    (folder / "pyproject.toml").write_text(table)

    assert 0 == main(["gate", "old.csv", "new.csv"])


def test_reports(folder, capsys):
    """Each format is written whole beside what is printed."""
    names = {"json": "a.json", "junit": "a.xml", "markdown": "a.md", "html": "a.html"}
    options = [part for name, path in names.items() for part in (f"--{name}", path)]

    assert 0 == gate("old.csv", "new.csv", *options)
    assert "PASSED" in capsys.readouterr().out
    assert "passed" == json.loads((folder / "a.json").read_text())["status"]
    assert 1 == len(list(ElementTree.parse(folder / "a.xml").iter("testcase")))
    assert "accuracy is better" in (folder / "a.md").read_text(encoding="utf-8")
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_time_is_told(folder):
    """Reports say how long reading and judging took, unless nothing may be told."""
    options = ["--json", "a.json", "--junit", "a.xml"]
    assert 0 == gate("old.csv", "new.csv", *options)
    suite = ElementTree.parse(folder / "a.xml").getroot()
    assert json.loads((folder / "a.json").read_text())["seconds"] > 0
    assert any(float(one.get("time", 0)) > 0 for one in suite.iter())

    assert 0 == gate("old.csv", "new.csv", *options, "--ledger", "looks.jsonl", "--blind")
    assert json.loads((folder / "a.json").read_text()).get("seconds") is None


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="Linux has such a folder")
def test_folder_that_takes_no_file(folder, capsys):
    """Whether a report can be written is known before anything is judged."""
    assert 2 == gate("old.csv", "new.csv", "--json", "/proc/x.json", "--html", "a.html")
    line = error(capsys)
    assert "--json: Cannot write '/proc/x.json': its folder accepts no new file" in line
    assert "/proc/.x" not in line
    assert not (folder / "a.html").exists()


def test_report_that_does_not_fit(folder, capsys, monkeypatch):
    """What goes wrong later names the file of the report too."""

    def fails(*_, **__):
        raise OSError(28, "No space left", ".a.json.1-2")

    monkeypatch.setattr(_gate, "write_text", fails)

    assert 2 == gate("old.csv", "new.csv", "--json", "a.json")
    assert "error: --json: cannot write 'a.json': No space left." in error(capsys)


def test_options_are_named_as_in_the_shell(folder, capsys):
    """An argument of Python is an option here."""
    for name in ("old", "new"):
        (folder / f"{name}.csv").write_text("id,y,p\n1,ham,0.5\n2,spam,0.25\n")
    (folder / "new.csv").write_text("id,y,p\n1,ham,0.5\n2,spam,0.75\n")

    assert 2 == gate("old.csv", "new.csv", "--proba", "p")
    assert "pass --pos-label" in error(capsys)


def test_job_summary_is_added_to(folder, monkeypatch):
    """Steps of a job add to its summary; other files are replaced."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    for name in ("summary.md", "other.md"):
        (folder / name).write_text("before")
        assert 0 == gate("old.csv", "new.csv", "--markdown", name)

    assert (folder / "summary.md").read_text(encoding="utf-8").startswith("before\n")
    assert not (folder / "other.md").read_text(encoding="utf-8").startswith("before")


def test_bad_input_is_one_line(folder, capsys):
    """Bad input ends in one clear line and exit code 2, and nothing is written."""
    for arguments, message in [
        (["old.csv", "old.csv"], "the same file"),
        (["old.csv"], "Name .* `champion`|Unknown column 'champion'"),
        (["old.csv", "new.csv", "worse.csv"], "Got 3 files"),
        (["old.csv", "new.csv", "--json", "new.csv"], "would overwrite 'new.csv'"),
        (["old.csv", "new.csv", "--json", "gate.toml"], "would overwrite 'gate.toml'"),
        (["old.csv", "new.csv", "--json", "a", "--html", "./a"], "in one file"),
        (["old.csv", "new.csv", "--json", "no/a.json"], "no such folder"),
        (["old.csv", "new.csv", "--markdown", ""], "Got an empty one"),
        (["old.csv", "new.csv", "--html", "."], "is a folder"),
        (["old.csv", "new.csv", "--superior", "accuracy"], "--policy and --superior"),
        (["old.csv", "new.csv", "--alpha", "nan"], "`alpha` must be"),
        (["old.csv", "new.csv", "--blind"], "needs a ledger"),
        (["old.csv", "new.csv", "--train", "old.csv"], "are in the training data"),
        (["old.csv", "new.csv", "--trust", "a.B"], "are for saved estimators"),
        (["old.csv", "new.csv", "--proba", "p", "--proba", "p"], "different columns"),
        (["old.csv", "new.pkl"], "can run any code"),
        (["old.csv", ""], "needs the name of a file"),
        (["old.csv", "new.csv", "--ledger", "a\0b"], "--ledger needs the name of a file"),
        (["old.csv", "new.csv", "--ledger", ""], "--ledger needs the name of a file"),
        (["old.csv", "new.json"], "Rename it to .jsonl"),
    ]:
        before = {path.name: path.read_bytes() for path in folder.iterdir()}

        assert 2 == gate(*arguments)
        assert re.search(message, error(capsys))
        assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_bad_configuration_is_one_line(folder, capsys):
    """So does a bad policy."""
    for options, message in [
        (["--noninferior", "accuracy"], "needs a margin"),
        (["--noninferior", "accuracy:2%"], "accuracy is not a mean of losses"),
        (["--noninferior", "neg_log_loss:2%%"], "such as '2 %'. Got '2%%'"),
        (["--noninferior", "accuracy:2p"], "--noninferior must be a number, .*Got '2p'"),
        (["--superior", "accuracy:"], "The margin of --superior must be a number"),
        (["--superior", "recall[a:b]"], r"'recall\[a:b\]' is about a class"),
        (["--superior", "acuracy"], "Did you mean 'accuracy'"),
        ([], "No policy"),
        (["--policy", "none.toml"], "Cannot read policy 'none.toml'"),
    ]:
        assert 2 == main(["gate", *options, "old.csv", "new.csv"])
        assert re.search(message, error(capsys))


@pytest.mark.parametrize("arguments", [["--nothing", "a"], ["a", "--format", "pdf"]])
def test_unknown_options_are_one_line(folder, capsys, arguments):
    """Options that are not known end in exit code 2 and one line too."""
    with pytest.raises(SystemExit) as caught:
        main(["gate", *arguments])

    assert 2 == caught.value.code
    assert "--help" in error(capsys)


def test_ledger_counts_looks(folder, capsys):
    """--ledger spends the level over the looks; what is refused before spends none."""
    looks = folder / "looks.jsonl"
    assert 2 == gate("old.csv", "new.csv", "--ledger", looks, "--json", "no/a.json")
    assert 2 == gate("old.csv", "new.csv", "--ledger", looks, "--json", looks)
    assert not looks.exists()
    capsys.readouterr()

    assert 1 == gate("old.csv", "even.csv", "--ledger", looks, "--blind")
    assert "difference" not in capsys.readouterr().out
    assert 0 == gate("old.csv", "new.csv", "--ledger", looks, "--blind")
    assert 2 == gate("old.csv", "worse.csv", "--ledger", looks, "--blind")


def test_ledger_of_the_policy(folder, capsys):
    """The policy's ledger lies beside the policy."""
    (folder / "ci").mkdir()
    text = POLICY + '[ledger]\npath = "looks.jsonl"\nrule = "equal"\nlooks = 1\n'
    (folder / "ci" / "gate.toml").write_text(text)
    options = ["gate", "--policy", "ci/gate.toml", "old.csv"]

    assert 0 == main([*options, "new.csv"])
    assert (folder / "ci" / "looks.jsonl").is_file()
    assert 2 == main([*options, "even.csv"])
    assert 2 == main([*options, "even.csv", "--ledger", "a\0b"])
    assert "--ledger needs the name of a file" in capsys.readouterr().err


class Panic(BaseException):
    """What libraries in other languages raise."""


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (RuntimeError("a\nb"), "internal error, nothing was decided .RuntimeError: a b"),
        (RecursionError("deep"), "internal error"),
        (MemoryError(), "out of memory"),
        (Panic("at\nthe disco"), "internal error, .*Panic: at the disco"),
        (SystemExit(0), "internal error"),
        (KeyError("name"), "internal error"),
        (ValueError(), "ValueError"),
        (ValueError("x" * 10_000 + "\x1b[31m"), "x{100}"),
    ],
)
def test_no_error_is_a_pass(folder, capsys, monkeypatch, raised, message):
    """Whatever goes wrong within is one line and exit code 2."""

    def fails(*_, **__):
        raise raised

    monkeypatch.setattr(_gate, "judge_files", fails)

    assert 2 == gate("old.csv", "new.csv")
    line = error(capsys)
    assert re.search(message, line)
    assert len(line) < 2100


def test_report_that_fails_is_no_pass(folder, capsys, monkeypatch):
    """A report that cannot be made, or written, ends in exit code 2."""

    def fails(*_, **__):
        raise OSError("No space left")

    monkeypatch.setattr(_gate, "write_reports", fails)

    assert 2 == gate("old.csv", "new.csv", "--json", "a.json")
    assert "No space left" in error(capsys)


@pytest.mark.parametrize("command", ["gate", "compare"])
def test_keyboard_interrupt_is_one_line(folder, capsys, monkeypatch, command):
    """Whoever stops the command is told so, by the code that shells know."""

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_gate, "judge_files", stopped)
    monkeypatch.setattr(_main, "named_columns", stopped)
    options = ["--superior", "accuracy"] if command == "gate" else []

    assert 130 == main([command, *options, "old.csv"])
    shown = capsys.readouterr()
    assert ("", f"skcompare {command}: interrupted, nothing was decided\n") == shown


def test_help_shows_how(folder, capsys):
    """The help has an example and the exit codes."""
    with pytest.raises(SystemExit) as caught:
        main(["gate", "--help"])
    printed = capsys.readouterr().out

    assert 0 == caught.value.code
    assert (
        "skcompare gate --policy gate.toml champion.parquet challenger.parquet" in printed
    )
    assert "exit codes: 0 passed, 1 not passed" in printed


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has such a device")
@pytest.mark.parametrize(
    ("end", "code", "message"),
    [
        ("| true; exit ${PIPESTATUS[0]}", 1, ""),
        ("> /dev/full", 2, "error: .*No space left"),
    ],
)
def test_output_that_nobody_takes(folder, end, code, message):
    """The exit code is that of the gate where nobody reads, and 2 where nothing fits."""
    files = [str(folder / name) for name in ("gate.toml", "old.csv", "worse.csv")]
    command = [sys.executable, "-m", "skcompare", "gate", "--policy", *files]
    script = f"{' '.join(command)} {end}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert code == done.returncode
    assert len(done.stderr.splitlines()) == bool(message)
    assert re.search(message, done.stderr)
