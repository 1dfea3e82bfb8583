"""The example of a gate in hosted CI runs from end to end, by the commands it shows."""

import runpy
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from skcompare.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "gate_in_ci"
TRAIN = "python train.py"
GATE = (
    "skcompare gate --policy gate.toml champion.csv challenger.csv "
    "--junit gate.xml --html gate.html"
)
SUMMARY = ' --markdown "$GITHUB_STEP_SUMMARY"'
GITHUB, GITLAB = ".github/workflows/gate.yml", ".gitlab-ci.yml"

pytestmark = pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the examples are not here")


def text_of(path):
    """The text of a file of the example, with any white space as one blank."""
    return " ".join((EXAMPLE / path).read_text(encoding="utf-8").split())


@pytest.fixture
def repository(pytester, monkeypatch):
    """A copy of the example, in which the gate was not run yet."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    shutil.copytree(EXAMPLE, pytester.path, dirs_exist_ok=True)
    (pytester.path / "ledger").mkdir(exist_ok=True)
    runpy.run_path("train.py", run_name="__main__")
    return pytester.path


def gate(*others):
    """The exit code of the gate as the workflows run it, with other files or options."""
    command = shlex.split(GATE + SUMMARY.replace("$GITHUB_STEP_SUMMARY", "summary.md"))
    return main([*command[1:4], *(others or command[4:6]), *command[6:]])


def test_a_better_challenger_passes(repository, pytester, capsys):
    """The shell and pytest let it pass, with every report, as one look."""
    assert 0 == gate()
    assert capsys.readouterr().out.startswith("PASSED: challenger against champion")
    assert {"0"} == {
        suite.get("failures") for suite in ElementTree.parse("gate.xml").iter("testsuite")
    }
    assert "PASSED" in Path("summary.md").read_text(encoding="utf-8")
    assert "PASSED" in Path("gate.html").read_text(encoding="utf-8")
    looks = (repository / "ledger" / "looks.jsonl").read_bytes()

    plugins = ("-p", "_skcompare_pytest", "-p", "no:cacheprovider")
    result = pytester.runpytest_inprocess(*plugins, "--skcompare-report=gate.html")

    result.assert_outcomes(passed=1)
    assert "test_challenger" in Path("gate.html").read_text(encoding="utf-8")
    assert looks == (repository / "ledger" / "looks.jsonl").read_bytes()


def test_other_challengers_do_not_pass(repository, capsys):
    """A worse one, a copy, one of other records, and one that saw these records."""
    tables = {
        name: pd.read_csv(f"{name}.csv", dtype=str) for name in ("champion", "challenger")
    }
    better = tables["champion"][["record", "diagnosis"]].merge(tables["challenger"])
    better.to_csv("better.csv", index=False)
    tables["champion"].drop(columns="diagnosis").to_csv("worse.csv", index=False)
    assert 2 == gate("challenger.csv", "champion.csv")
    capsys.readouterr()
    assert 1 == gate("better.csv", "worse.csv")
    assert "shown not to hold" in capsys.readouterr().out

    shutil.copy("champion.csv", "copy.csv")
    assert gate("champion.csv", "copy.csv") in (1, 2)

    lines = Path("challenger.csv").read_text(encoding="utf-8").splitlines()
    Path("short.csv").write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert 2 == gate("champion.csv", "short.csv")

    with Path("train.csv").open("a", encoding="utf-8") as train:
        train.write(lines[1].partition(",")[0] + "\n")
    capsys.readouterr()
    assert 2 == gate()
    assert "training data" in capsys.readouterr().err


def test_workflows_run_what_was_run_here():
    """Both services train and judge by the commands of these tests, and keep reports."""
    for path, command in ((GITHUB, GATE + SUMMARY), (GITLAB, GATE)):
        words = text_of(path)
        assert f"- run: {TRAIN} " in words or f"- {TRAIN} " in words
        assert f">- {command} - " in words or f">- {command} after_script" in words
        assert "pip install -r requirements.txt" in words
        assert "gate-ledger" in words
        assert "gate.html" in words.partition("artifact")[2]
    assert GATE.partition(" --junit")[0] in text_of("README.rst")
    assert TRAIN in text_of("README.rst")
    assert "skcompare" in text_of("requirements.txt").split()


@pytest.mark.parametrize("path", [GITHUB, GITLAB])
def test_workflows_are_yaml(path):
    """They can be read, and have steps."""
    yaml = pytest.importorskip("yaml")
    read = yaml.safe_load((EXAMPLE / path).read_text(encoding="utf-8"))
    job = read["gate"] if path == GITLAB else read["jobs"]["gate"]

    steps = (
        job["script"] if path == GITLAB else [s["run"] for s in job["steps"] if "run" in s]
    )
    assert TRAIN in steps
    assert GATE in {step.removesuffix(SUMMARY) for step in steps}


def test_readme_lists_what_is_there():
    """Every file of the layout exists."""
    readme = (EXAMPLE / "README.rst").read_text(encoding="utf-8")
    layout = readme.partition(".. code-block:: text")[2].split("The ledger")[0]
    named = [line.split()[0] for line in layout.splitlines() if line.strip()]

    assert 6 == len(named)
    assert [] == [name for name in named if not (EXAMPLE / name).is_file()]
