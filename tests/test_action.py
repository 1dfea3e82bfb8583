"""The GitHub Action runs step by step, in bash, with what a runner sets.

``gh`` is replaced by a program that keeps the comments of a pull request in a file, and in
the quick tests ``skcompare`` by one that gives back what the gate reported in this process.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from skcompare.cli import main

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "action.yml"

pytestmark = [
    pytest.mark.skipif(not ACTION.is_file(), reason="the action is not here"),
    pytest.mark.skipif(
        os.name == "nt" or shutil.which("bash") is None, reason="needs bash"
    ),
]

BOT, PERSON = {"login": "github-actions[bot]"}, {"login": "somebody"}
CHALLENGERS = {"passed": "better", "failed": "worse", "refused": "missing"}

GH = """\
import json, os, subprocess, sys

path = os.environ["COMMENTS"]
comments = json.load(open(path)) if os.path.exists(path) else None
arguments = sys.argv[2:]
assert sys.argv[1] == "api" and os.environ["GH_TOKEN"] == "token"
if comments is None:
    sys.exit("HTTP 403")
if "-X" not in arguments:
    command = ["jq", arguments[arguments.index("--jq") + 1]]
    subprocess.run(command, input=json.dumps(comments), text=True, check=True)
    sys.exit()
file = arguments[arguments.index("-F") + 1].removeprefix("body=@")
body = open(file, encoding="utf-8").read()
url = next(word for word in arguments if word.startswith("repos/"))
if "PATCH" in arguments:
    assert url.startswith("repos/us/model/issues/comments/")
    next(c for c in comments if c["id"] == int(url.rpartition("/")[2]))["body"] = body
else:
    assert url == "repos/us/model/issues/7/comments"
    user = {"login": "github-actions[bot]"}
    comments.append({"id": len(comments) + 1, "user": user, "body": body})
json.dump(comments, open(path, "w"))
"""
REPLAYED = """\
import json, shutil, sys
from pathlib import Path

arguments = sys.argv[1:]
files = arguments[arguments.index("--") + 1:]
stored = Path("stored", Path(files[-1]).stem)
code = 2 if not stored.is_dir() else int((stored / "code").read_text())
if code == 2:
    sys.stderr.write("skcompare gate: error: Cannot read 'missing.csv'.\\n")
else:
    for option in ("--markdown", "--json", "--html", "--junit"):
        path = Path(arguments[arguments.index(option) + 1])
        shutil.copy(stored / path.name, path)
json.dump(arguments, open("arguments.json", "w"))
sys.exit(code)
"""


def program(folder, name, source):
    """A program of Python, first on the path."""
    folder.mkdir(exist_ok=True)
    # Under another name, or it would be what it imports.
    (folder / f"_{name}.py").write_text(source, encoding="utf-8")
    script = f'#!/bin/sh\nexec "{sys.executable}" "{folder}/_{name}.py" "$@"\n'
    (folder / name).write_text(script, encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Predictions, a policy, and what the gate reports of each challenger."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    for name, accuracy in (("champion", 0.75), ("better", 0.95), ("worse", 0.4)):
        labels = np.where(rng.random(300) < accuracy, y, 1 - y)
        rows = zip(range(300), y, labels)
        text = "id,y,label\n" + "".join(f"{i},{t},{label}\n" for i, t, label in rows)
        (folder / f"{name}.csv").write_text(text)
    (folder / "gate.toml").write_text('[[condition]]\nsuperior = "accuracy"\n')
    for name in ("better", "worse"):
        stored = folder / "stored" / name
        stored.mkdir(parents=True)
        names = {"markdown": "md", "json": "json", "html": "html", "junit": "xml"}
        options = [f"--{key}={stored / 'gate'}.{suffix}" for key, suffix in names.items()]
        paths = [str(folder / f"{own}.csv") for own in ("champion", name)]
        code = main(["gate", "--policy", str(folder / "gate.toml"), *options, *paths])
        (stored / "code").write_text(str(code))
    return folder


class Runner:
    """A job of GitHub Actions that uses the action, one step after the other."""

    def __init__(self, folder, **others):
        self.folder = folder
        self.action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        inputs = {name: own.get("default") for name, own in self.action["inputs"].items()}
        self.context = {f"inputs.{name}": value for name, value in inputs.items()}
        self.context |= {
            "inputs.champion": "champion.csv",
            "inputs.policy": "gate.toml",
            "github.token": "token",
            "github.event_name": "pull_request",
            "github.event.pull_request.head.repo.full_name": "us/model",
            "github.event.pull_request.number": "7",
        }
        self.context |= {name.replace("__", "."): own for name, own in others.items()}
        self.summary = folder / "summary.md"
        self.output = ""
        self.failed = False

    def text(self, value):
        """A value with its expressions replaced; an unknown one is an error."""
        return re.sub(
            r"\$\{\{ ([\w.-]+) \}\}", lambda match: self.value(match[1]), str(value)
        )

    def value(self, name):
        if name.startswith("steps."):
            return self.context.get(name, "")
        return self.context[name]

    def holds(self, condition):
        """Whether a step runs by its condition; `success()` is implied by GitHub."""
        if condition is None:
            return not self.failed
        code = condition.replace("!cancelled()", "True").replace("always()", "True")
        code = re.sub(
            r"(inputs|github|steps)\.[\w.-]+", lambda m: repr(self.value(m[0])), code
        )
        runs = eval(code.replace("&&", "and").replace("||", "or"))
        has_status = "cancelled()" in condition or "always()" in condition
        return runs and (has_status or not self.failed)

    def run(self, *, without=()):
        """Run all steps, and return whether the job succeeds."""
        for step in self.action["runs"]["steps"]:
            if "uses" in step or step.get("name") in without:
                continue
            if self.holds(step.get("if")):
                self._run(step)
        return not self.failed

    def _run(self, step):
        output = self.folder / f"output-{step.get('id', '')}"
        output.unlink(missing_ok=True)
        output.touch()
        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        env = {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REPOSITORY": "us/model",
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self.folder),
            "COMMENTS": str(self.folder / "comments.json"),
            **{name: self.text(value) for name, value in step.get("env", {}).items()},
        }
        assert "${{" not in step["run"], "values of others must not be part of a script"
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, check=False
        )
        self.output += done.stdout + done.stderr
        self.failed |= done.returncode != 0
        for line in output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.context[f"steps.{step['id']}.outputs.{name}"] = value

    @property
    def outputs(self):
        """What the action gives to the steps after it."""
        outputs = self.action["outputs"]
        return {name: self.text(own["value"]) for name, own in outputs.items()}

    @property
    def comments(self):
        """Bodies of the comments of the pull request."""
        path = self.folder / "comments.json"
        return [one["body"] for one in json.loads(path.read_text(encoding="utf-8"))]


@pytest.fixture
def job(files, tmp_path):
    """Makes a job in a copy of the files, with the programs of a runner."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    program(tmp_path / "bin", "skcompare", REPLAYED)
    program(tmp_path / "bin", "gh", GH)
    (tmp_path / "comments.json").write_text("[]")
    python = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
    (tmp_path / "bin" / "python").write_text(python, encoding="utf-8")
    (tmp_path / "bin" / "python").chmod(0o755)

    def start(challenger, **others):
        (tmp_path / "summary.md").unlink(missing_ok=True)
        return Runner(tmp_path, inputs__challenger=f"{challenger}.csv", **others)

    return start


@pytest.fixture
def sticky(job):
    """Makes a job whose comments can be searched."""
    if shutil.which("jq") is None:
        pytest.skip("needs jq, for the query of gh")
    return job


SETUP = ["Install skcompare"]
QUIET = [*SETUP, "Comment"]


@pytest.mark.parametrize("verdict", CHALLENGERS)
def test_verdicts(verdict, job):
    """Only a pass is passed; a failed and a refused gate fail the job, with a summary."""
    runner = job(CHALLENGERS[verdict])

    assert (verdict == "passed") is runner.run(without=QUIET)
    assert verdict == runner.outputs["verdict"]
    assert str(verdict == "passed").lower() == runner.outputs["passed"]
    summary = runner.summary.read_text(encoding="utf-8")
    title = {"passed": "PASSED", "failed": "NOT PASSED", "refused": "REFUSED"}[verdict]
    assert title in summary.splitlines()[0]
    if verdict == "refused":
        assert "\n    skcompare gate: error: Cannot read" in summary
        assert "" == runner.outputs["report"]
    else:
        assert Path(runner.outputs["report"]).read_text(encoding="utf-8").startswith("<!D")
        assert {"gate.xml", "gate.json"} <= set(os.listdir(runner.outputs["reports"]))
    assert ("::error title=skcompare::gate: " in runner.output) is (verdict != "passed")


@pytest.mark.slow
@pytest.mark.parametrize("verdict", CHALLENGERS)
def test_verdicts_of_the_command(verdict, job):
    """The same of the command itself, on the files."""
    runner = job(CHALLENGERS[verdict])
    source = "import sys\nfrom skcompare.cli import main\nsys.exit(main())\n"
    program(runner.folder / "bin", "skcompare", source)

    assert (verdict == "passed") is runner.run(without=QUIET)
    assert verdict == runner.outputs["verdict"]


def test_a_verdict_that_may_be_reported_only(job):
    """With fail: false a gate that did not pass is reported; refused input still fails."""
    assert job("worse", inputs__fail="false").run(without=QUIET)
    assert not job("missing", inputs__fail="false").run(without=QUIET)
    assert not job("worse", inputs__fail="no").run(without=QUIET)


@pytest.mark.parametrize(
    "source",
    [
        "import sys; sys.exit(0)",  # without a decision
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        REPLAYED.replace("sys.exit(code)", "sys.exit(2)"),  # a report was not written
        REPLAYED.replace("sys.exit(code)", "sys.exit(1)"),  # it says passed
    ],
)
def test_no_fault_is_a_pass(source, job):
    """What contradicts itself, or ends early, is refused, and its summary says no pass."""
    runner = job("better")
    program(runner.folder / "bin", "skcompare", source)

    assert not runner.run(without=QUIET)
    assert ("refused", "false", "") == tuple(
        runner.outputs[name] for name in ("verdict", "passed", "report")
    )
    assert "REFUSED" in runner.summary.read_text(encoding="utf-8")
    assert "PASSED" not in runner.summary.read_text(encoding="utf-8")


def test_arguments(job):
    """Options are one per line, reports are the action's, and files are never options."""
    runner = job("better", inputs__champion="--blind")
    runner.run(without=QUIET)
    arguments = json.loads((runner.folder / "arguments.json").read_text())
    assert ["--", "--blind", "better.csv"] == arguments[-3:]

    runner = job("better", inputs__options="--alpha\n0.01\n\n--ledger\nmy looks.jsonl\n")
    runner.run(without=QUIET)

    arguments = json.loads((runner.folder / "arguments.json").read_text())
    expected = ["--policy", "gate.toml", "--alpha", "0.01", "--ledger", "my looks.jsonl"]
    assert ["gate", *expected, "--markdown"] == arguments[:8]


@pytest.mark.parametrize("name", ["", "a b", "x --> <img>", "$(touch x)", 'a")'])
def test_names_that_could_be_more_than_a_name(name, job):
    """They stand in comments and queries, so they have plain characters only."""
    runner = job("better", inputs__name=name)

    assert not runner.run(without=SETUP)
    assert [] == runner.comments
    assert not (runner.folder / "x").exists()


def test_installs_itself(job):
    """The version of skcompare is that of the action."""
    runner = job("better", inputs__extras="frames")
    source = 'import sys\nopen("pip.txt", "w").write(" ".join(sys.argv[1:]))\n'
    program(runner.folder / "bin", "python", source)

    runner.run(without=["Judge", "Comment", "Require a pass"])

    expected = f"-m pip install --quiet {ROOT}[frames]"
    assert expected == (runner.folder / "pip.txt").read_text()


def test_a_step_that_failed_is_no_pass(job):
    """Without an installed package nothing is judged, and the job fails."""
    runner = job("better")
    runner.failed = True

    assert not runner.run(without=SETUP)
    assert "refused" in runner.output
    assert [] == runner.comments


def test_one_comment_is_updated(sticky):
    """A second run replaces the comment of the first; those of others stay."""
    runner = sticky("worse")
    marker = "<!-- skcompare gate: gate -->"
    theirs = [f"{marker}\nmine", "hello"]
    comments = [
        {"id": 1, "user": PERSON, "body": theirs[0]},
        {"id": 2, "user": BOT, "body": theirs[1]},
    ]
    (runner.folder / "comments.json").write_text(json.dumps(comments))

    assert not runner.run(without=SETUP)
    assert theirs == runner.comments[:2]
    assert 3 == len(runner.comments)
    assert runner.comments[2].startswith(f"{marker}\n### ")
    assert "NOT PASSED" in runner.comments[2]

    assert sticky("better").run(without=SETUP)
    assert theirs == runner.comments[:2]
    assert 3 == len(runner.comments)
    assert "NOT PASSED" not in runner.comments[2]

    assert sticky("better", inputs__name="other").run(without=SETUP)
    assert 4 == len(runner.comments)
    assert not sticky("missing").run(without=SETUP)
    assert "REFUSED" in runner.comments[2]


def test_no_comment_where_none_may_be_written(sticky):
    """From a fork there is a notice, without rights a warning, and the verdict stays."""
    fork = {"github__event__pull_request__head__repo__full_name": "them/model"}
    runner = sticky("better", **fork)
    assert runner.run(without=SETUP)
    assert [] == runner.comments
    assert "::notice title=skcompare::No comment on a pull request from a fork" in (
        runner.output
    )
    assert "PASSED" in runner.summary.read_text(encoding="utf-8")

    for others in ({"github__event_name": "push"}, {"inputs__comment": "false"}):
        runner = sticky("better", **others)
        assert runner.run(without=SETUP)
        assert [] == runner.comments

    (runner.folder / "comments.json").unlink()
    runner = sticky("better")
    assert runner.run(without=SETUP)
    assert "::warning title=skcompare::The comment could not be written" in runner.output


def test_no_right_that_is_not_needed():
    """No secret is used but the token of the job, and no script has an expression in it."""
    text = ACTION.read_text(encoding="utf-8")

    assert "secrets." not in text
    assert "pull_request_target" not in text
    assert ["github.token"] == re.findall(r"\$\{\{ (\S*token\S*) \}\}", text)


def test_page_shows_what_is_there():
    """The ten lines and the table on the page name inputs and outputs of the action."""
    page = ROOT / "doc" / "user_guide" / "gates_in_ci.rst"
    text = page.read_text(encoding="utf-8").partition("GitHub Actions\n")[2]
    block = text.partition("yaml\n\n")[2].partition("\n\n")[0]
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    workflow = yaml.safe_load(block)
    inputs = workflow["jobs"]["gate"]["steps"][-1]["with"]

    assert 10 >= len(block.splitlines())
    assert set(re.findall(r"^``([\w-]+)``  ", text, re.MULTILINE)) <= set(action["inputs"])
    assert set(inputs) <= set(action["inputs"])
    required = [name for name, own in action["inputs"].items() if own.get("required")]
    assert set(required) <= set(inputs)
    for name in action["outputs"]:
        assert f"``{name}``" in text
