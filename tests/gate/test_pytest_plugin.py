"""The pytest plugin: gates in tests, the summary, and the report.

Each inner run is requested the plugin by the module's name, so that it does not matter
whether skcompare is installed.
"""

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import _skcompare_pytest
import skcompare.gate
from skcompare.gate import GateDecision

skcompare.gate.Gate  # noqa: B018  inner runs must not be the first to load numpy
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

TESTS = """
import numpy as np
import pytest
from skcompare.gate import NonInferior, Superior

rng = np.random.default_rng(0)
y = rng.integers(2, size=300)
old = np.where(rng.random(300) < 0.75, y, 1 - y)
new = np.where(rng.random(300) < 0.87, y, 1 - y)
predictions = {"old": old, "new": new}


def test_passes(gate):
    assert gate(Superior("accuracy"), alpha=0.01).check(y, predictions).passed


def test_better(gate):
    gate.assert_better(y, old, new, NonInferior("f1", margin=0.05))


def test_not(gate):
    gate(Superior("accuracy", margin=0.16)).check(y, predictions)


def test_worse(gate):
    gate.assert_better(y, new, old)


def test_error(gate):
    gate(Superior("accuracy")).check(y, {"old": old, "new": new[1:]})


@pytest.mark.parametrize("name", ["a|<b>"])
def test_told(gate, name):
    gate(Superior("accuracy")).check(y, {"old": old, name: old}, required=False)


def test_without():
    pass
"""


@pytest.fixture
def alone(pytester, monkeypatch):
    """Inner runs have the plugins that they name, and no other that is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # Other processes start in another folder.
    monkeypatch.setenv("PYTHONPATH", str(Path(_skcompare_pytest.__file__).parent))


@pytest.fixture
def run(alone, pytester):
    """Runs tests in this process with the plugin."""

    def run(*options):
        words = ("-p", "_skcompare_pytest", "-p", "no:cacheprovider", *options)
        return pytester.runpytest_inprocess(*words)

    return run


def test_summary_and_failures(pytester, run):
    """The summary has a line for each decision; a gate that did not pass is a failure."""
    pytester.makepyfile(test_gates=TESTS)

    result = run()

    result.assert_outcomes(passed=4, failed=3)
    result.stdout.fnmatch_lines(
        [
            "=*= skcompare gates =*=",
            "PASSED test_gates.py::test_passes: new against old, the condition was shown *",
            "PASSED test_gates.py::test_better: challenger against champion, all 2 *",
            "NOT PASSED (inconclusive) test_gates.py::test_not: *; about * would settle *",
            "NOT PASSED test_gates.py::test_worse: *, the condition was shown not *",
            "ERROR test_gates.py::test_error: ValueError: * one entry per record*",
            "NOT PASSED (inconclusive) test_gates.py::test_told[[]a|<b>[]]: *",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(["E *NOT PASSED*", "E *1. accuracy is better by more *"])
    # The traceback ends in the line of the test.
    result.stdout.no_fnmatch_line("*def demand*")
    result.stdout.no_fnmatch_line("*test_without*")


def test_report(pytester, run):
    """Every decision is in the report, in the order of the tests."""
    pytester.makepyfile(test_gates=TESTS)
    options = ("--tb=no", "-k", "passes or error or told")
    for suffix in ["html", "json", "md", "txt", "XML"]:
        path = pytester.path / f"gates.{suffix}"
        path.write_text("of an earlier run", encoding="utf-8")

        result = run(f"--skcompare-report=gates.{suffix}", *options)

        result.stdout.fnmatch_lines([f"report: gates.{suffix}"])
        text = path.read_text(encoding="utf-8")
        assert "of an earlier run" not in text
        check = {"json": check_json, "XML": check_junit, "html": check_page}.get(suffix)
        if check:
            check(text)
        else:
            assert (
                text.index("passes")
                < text.index("one entry per record")
                < text.index("told")
            )
            assert "was shown to hold at alpha 0.01" in text


def check_json(text):
    """Standard JSON, from which each decision can be made again."""
    stored = json.loads(text)

    assert ("skcompare.gate.tests", 1) == (stored["schema"], stored["schema_version"])
    assert stored["passed"] is False
    statuses = ["passed", "error", "inconclusive"]
    assert statuses == [one["status"] for one in stored["gates"]]
    first, error, _ = stored["gates"]
    assert error["decision"] is None
    assert GateDecision.from_json(json.dumps(first["decision"])).passed


def check_junit(text):
    """A suite a decision; errors are told from failures."""
    root = ElementTree.fromstring(text)

    assert ["4", "2", "1"] == [root.get(name) for name in ("tests", "failures", "errors")]
    names = ["test_passes", "test_error", "test_told[a|<b>]"]
    found = [suite.get("name") for suite in root]
    assert [f"test_gates.py::{name}" for name in names] == found
    assert "one entry per record" in root.find("testsuite/testcase/error").get("message")


def check_page(text):
    """One page, in which names are text."""
    assert 1 == text.count("<!DOCTYPE html>") == text.count("</html>")
    assert "<b>" not in text.split("<body")[1].split("<script")[0].replace("<body>", "")
    assert "a|&lt;b&gt;" in text


def test_report_without_gates(pytester, run):
    """A report that was requested is written, and says that nothing was decided."""
    pytester.makepyfile("def test_nothing(): pass")

    for suffix in ("json", "xml", "html", "md"):
        result = run(f"--skcompare-report=gates.{suffix}")
        assert 0 == result.ret
    result.stdout.fnmatch_lines(["no gate decided anything"])
    assert json.loads(Path("gates.json").read_text(encoding="utf-8"))["passed"] is False
    assert "No gate decided anything." in Path("gates.md").read_text(encoding="utf-8")


def test_report_that_cannot_be_written(pytester, run):
    """It is refused before the tests run, or else the run does not end well."""
    pytester.makepyfile("def test_it(tmp_path): pass")
    pytester.mkdir("folder.md")

    for path, told in (
        ("gates.pdf", " must end in .html, .json, .md, .txt, .xml. Got 'gates.pdf'"),
        ("folder.md", ": 'folder.md' is a folder"),
        ("missing/gates.md", ": Cannot write 'missing/gates.md': no such folder"),
    ):
        result = run(f"--skcompare-report={path}")
        assert pytest.ExitCode.USAGE_ERROR == result.ret
        result.stderr.fnmatch_lines([f"ERROR: --skcompare-report{told}*"])

    pytester.mkdir("brief")
    pytester.makepyfile("import os\ndef test_it(): os.rmdir('brief')")
    result = run("--skcompare-report=brief/gates.md")
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stdout.fnmatch_lines(["no report was written: *brief*"])


def test_a_test_that_runs_again_tells_its_last_decision(pytester, run):
    """Runners that repeat a test set its fixtures up again."""
    pytester.makepyfile(test_gates=TESTS)
    pytester.makeconftest(
        "from _pytest.runner import runtestprotocol\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    for _ in range(2):\n"
        "        item._initrequest()\n"
        "        reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in reports:\n"
        "        item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )

    result = run("-k", "passes")

    assert 1 == sum("PASSED test_gates" in line for line in result.outlines)


def test_policy_of_the_project(pytester, run):
    """Files are judged by a policy, with its columns and its ledger."""
    pytester.makefile(
        ".toml",
        pyproject="""
        [tool.skcompare.gate.data]
        id = "id"
        y = "y"
        label = "label"

        [tool.skcompare.gate.ledger]
        path = "looks.json"
        blind = true

        [[tool.skcompare.gate.condition]]
        superior = "accuracy"
        """,
    )
    pytester.makepyfile(
        TESTS.split("def test_passes")[0]
        + "def test_files(gate, tmp_path):\n"
        + "    for name, labels in predictions.items():\n"
        + "        columns = (range(300), y, labels)\n"
        + "        rows = zip(*columns)\n"
        + "        lines = ['id,y,label', *(','.join(map(str, row)) for row in rows)]\n"
        + "        if name == 'new':\n"
        + "            lines = [','.join(line.split(',')[::2]) for line in lines]\n"
        + "        (tmp_path / name).with_suffix('.csv').write_text('\\n'.join(lines))\n"
        + "    gate.policy().check(tmp_path / 'old.csv', tmp_path / 'new.csv')\n"
    )

    result = run()

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["PASSED *: new against old; *blind*"])
    assert Path("looks.json").is_file()


def test_option_and_fixture_are_away_without_the_plugin(pytester):
    """`-p no:skcompare` leaves pytest as if skcompare were not there."""
    pytester.makepyfile("def test_it(gate): pass")

    others = [f"-pno:{name}" for name in ("cacheprovider", "hypothesispytest", "xdist")]
    result = pytester.runpytest_inprocess("-p", "no:skcompare", *others)

    result.stdout.fnmatch_lines(["E *fixture 'gate' not found"])


def test_entry_point_is_the_module_beside_the_package():
    """pytest finds the plugin where skcompare is installed, and packages have it."""
    pyproject = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))

    points = pyproject["project"]["entry-points"]["pytest11"]
    assert {"skcompare": "_skcompare_pytest"} == points
    assert ["_skcompare_pytest"] == pyproject["tool"]["setuptools"]["py-modules"]


CODE = """
import sys
import pytest

class Loaded:
    def pytest_unconfigure(self):
        names = {name.partition(".")[0] for name in sys.modules}
        print(*sorted(names & {"skcompare", "sklearn", "numpy", "_skcompare_pytest"}))

options = ["-q", "-p", "_skcompare_pytest", "-p", "no:cacheprovider", "test_it.py"]
sys.exit(pytest.main(options, plugins=[Loaded()]))
"""


def test_plugin_imports_nothing_that_takes_time():
    """What every run of pytest loads needs pytest alone."""
    tree = ast.parse(Path(_skcompare_pytest.__file__).read_text(encoding="utf-8"))
    found = [one for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)]

    assert ["from typing import Any", "import pytest"] == [
        ast.unparse(one) for one in found
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_nothing_is_loaded_before_it_is_used(pytester):
    """A run that uses no gate loads neither skcompare, nor scikit-learn, nor numpy."""
    pytester.makepyfile(test_it="def test_it(): pass")

    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "_skcompare_pytest" == done.stdout.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_decisions_travel_between_processes(pytester):
    """With pytest-xdist the first process tells what the others decided."""
    pytester.makepyfile(test_gates=TESTS)
    plugins = ["-p", "_skcompare_pytest", "-p", "xdist.plugin", "-p", "no:cacheprovider"]

    result = pytester.runpytest_subprocess(*plugins, "-n2", "--skcompare-report=gates.json")

    result.assert_outcomes(passed=4, failed=3)
    lines = [line for line in result.outlines if "test_gates.py::" in line]
    told = {line.split("::")[1].partition(":")[0] for line in lines if "PASSED" in line}
    assert {
        "test_passes",
        "test_better",
        "test_not",
        "test_worse",
        "test_told[a|<b>]",
    } <= told
    stored = json.loads(Path("gates.json").read_text(encoding="utf-8"))
    assert 6 == len(stored["gates"])
