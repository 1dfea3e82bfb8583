"""The example of a gate in hosted CI runs from end to end, by the commands it shows."""

import re
import runpy
import shlex
import shutil
import string
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from skcompare.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "gate_in_ci"
TEMPLATE = ROOT / "templates" / "gate.gitlab-ci.yml"
TRAIN = "python train.py"
INSTALL = "pip install -r requirements.txt"
GATE = "skcompare gate --policy gate.toml champion.csv challenger.csv"
REPORTS = "--junit gate.xml --html gate.html --markdown summary.md"
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
    command = shlex.split(GATE)
    return main([*command[1:4], *(others or command[4:]), *shlex.split(REPORTS)])


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


def test_readme_runs_what_was_run_here():
    """The commands to run on one's own machine are those of these tests."""
    for command in (GATE, TRAIN, INSTALL):
        assert command in text_of("README.rst")
    assert "skcompare" in text_of("requirements.txt").split()


def test_workflow_runs_what_was_run_here():
    """GitHub trains and judges the files of these tests by the action of this project."""
    yaml = pytest.importorskip("yaml")
    read = yaml.safe_load((EXAMPLE / GITHUB).read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = read["jobs"]["gate"]["steps"]
    used = next(step for step in steps if step.get("id") == "gate")

    assert [INSTALL, TRAIN] == [step["run"] for step in steps if "run" in step][:2]
    assert used["uses"].startswith("skcompare/skcompare@")
    assert set(used["with"]) <= set(action["inputs"])
    given = [used["with"][name] for name in ("policy", "champion", "challenger")]
    assert shlex.split(GATE)[3:] == given
    outputs = re.findall(r"steps\.gate\.outputs\.(\w+)", text_of(GITHUB))
    assert outputs
    assert set(outputs) <= set(action["outputs"])
    assert "gate-ledger" in text_of(GITHUB)


def test_template_judges_what_was_run_here(repository):
    """GitLab trains, and its template judges the files of these tests."""
    yaml = pytest.importorskip("yaml")
    own = yaml.safe_load((EXAMPLE / GITLAB).read_text(encoding="utf-8"))
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))[".skcompare-gate"]

    assert own["include"][0]["remote"].endswith("/templates/gate.gitlab-ci.yml")
    assert ".skcompare-gate" == own["gate"]["extends"]
    assert [INSTALL, TRAIN] == own["gate"]["before_script"][1:]
    assert "gate-ledger" in own["gate"]["before_script"][0]
    *_, command = template["script"]
    words = shlex.split(string.Template(command).substitute(template["variables"]))
    assert "skcompare" == words[0]
    assert 0 == main(words[1:])
    artifacts = template["artifacts"]
    for name in (*artifacts["paths"], artifacts["reports"]["junit"]):
        assert Path(name).is_file()
    assert 2 == main([*words[1:-1], "missing.csv"])


def test_readme_lists_what_is_there():
    """Every file of the layout exists."""
    readme = (EXAMPLE / "README.rst").read_text(encoding="utf-8")
    layout = readme.partition(".. code-block:: text")[2].split("The ledger")[0]
    named = [line.split()[0] for line in layout.splitlines() if line.strip()]

    assert 6 == len(named)
    assert [] == [name for name in named if not (EXAMPLE / name).is_file()]
