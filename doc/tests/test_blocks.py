"""Every block of code in the README and on the pages runs, or is left out for a reason."""

import ast
import json
import re
import shlex
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from doc.tests.pages import GUIDE, PAGES, ROOT, blocks, name_of
from skcompare import evidence, metrics, stats
from skcompare._registry import metrics as registered_metrics
from skcompare._registry import tests as registered_tests
from skcompare.cli import main
from skcompare.gate import load_policy

pytestmark = [
    pytest.mark.skipif(not GUIDE.is_dir(), reason="the pages are not here"),
    pytest.mark.newest,
]

BLOCKS = [block for page in PAGES for block in blocks(page)]
CODE = [block for block in BLOCKS if not block.is_doctest]
LANGUAGES = {"", "bash", "console", "json", "pycon", "python", "text", "toml", "yaml"}

# Commands of the shell that no test runs here, and why. Everything else is run.
NOT_RUN = {
    r"pip install ": "installs; that the extras exist is tested",
    r"python -m venv |source |pre-commit ": "sets up an environment",
    r"git ": "changes a repository",
    r"(\w+=\S+ )*pytest|\.ci/(lint|run)": "checks that .ci/run runs",
    r"sphinx-build |python doc/(check|count)_\w+\.py": "builds the pages, as .ci/run",
    r"python -m (build|twine)|towncrier build|cd |python -c ": "steps of a release",
    r"asv ": "measures the commits of a repository for minutes",
    r"(\w+=\S+ )*python (-m benchmarks\.|benchmarks/)": "measures for hours",
    r"python examples/three_boosting_libraries\.py --data": "data that must be fetched",
}
# Code that runs in another test, which needs packages or processes of its own.
ELSEWHERE = {
    "doc/user_guide/array_api.rst": "tests/engines/test_pages.py",
    "doc/user_guide/cluster.rst": "tests/engines/test_cluster_fits.py",
    "doc/user_guide/mlflow_and_skore.rst": "tests/engines/test_pages.py",
}


def commands(block):
    """The commands of a block of the shell, and what is shown below each."""
    found = []
    for line in block.code.replace("\\\n", " ").split("\n"):
        if block.language == "console" or line.startswith("$ "):
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found:
                found[-1][1].append(line)
        elif line.strip():
            found += [(part, []) for part in line.strip().split(" && ")]
    return [(" ".join(command.split()), "\n".join(shown)) for command, shown in found]


SHELL = [
    (block, command, shown)
    for block in CODE
    if block.language in ("bash", "console") or (block.language == "" and block.code)
    if not re.match(r"cli\n", block.code)
    for command, shown in commands(block)
]


def reason(command):
    """Why a command is not run, or None."""
    return next((why for words, why in NOT_RUN.items() if re.match(words, command)), None)


def included():
    """The files whose text a page shows."""
    shown = re.compile(r"^\.\. literalinclude:: (\S+)", re.MULTILINE)
    return [
        (page.parent / name).resolve()
        for page in PAGES
        for name in shown.findall(page.read_text(encoding="utf-8"))
    ]


def of(language):
    return [block for block in CODE if block.language == language]


def test_blocks_have_a_known_language():
    """A block of another language would go unseen here."""
    assert set() == {block.language for block in BLOCKS} - LANGUAGES


def test_doctests_are_on_pages_that_pytest_collects(pytestconfig):
    """What begins with `>>>` is run as a doctest, so its page must be among the tests."""
    collected = [
        ROOT / path for path in (*pytestconfig.getini("testpaths"), "doc/user_guide")
    ]
    pages = {block.page for block in BLOCKS if block.is_doctest}
    pages |= {page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")}

    unseen = [
        name_of(page)
        for page in pages
        if not any(path == page or path in page.parents for path in collected)
    ]

    assert [] == unseen


def test_command_runs_or_has_a_reason():
    """A command is one of skcompare, or is left out for a reason that is told above."""
    for block, command, shown in SHELL:
        assert command.startswith("skcompare ") or reason(command), (str(block), command)
        if reason(command) and "benchmarks" not in command and "examples" not in command:
            assert shown == "", f"{block}: output of a command that is not run"


def test_reasons_are_needed():
    """A command that no page has needs no reason."""
    for words in NOT_RUN:
        assert any(re.match(words, command) for _, command, _ in SHELL)


def test_scripts_and_their_options_exist():
    """A page that tells how a table is printed names a script and options that exist."""
    for block, command, _ in SHELL:
        if match := re.search(r"python ((?:benchmarks|examples|doc)/\S+\.py)(.*)", command):
            script = ROOT / match[1]
            assert script.is_file(), f"{block}: {match[1]}"
            known = _source_with_helpers(script)
            for option in re.findall(r"(?<= )--[\w-]+", match[2]):
                assert f'"{option}"' in known, f"{block}: {match[1]} has no {option}"
        for name in re.findall(r"pip install .*\[([\w,]+)\]", command):
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
            extras = project["project"]["optional-dependencies"]
            assert set(name.split(",")) <= set(extras), f"{block}: {name}"


def _source_with_helpers(script):
    """The text of a script and of what it imports from the folders beside it."""
    text = script.read_text(encoding="utf-8")
    helpers = script.parent.rglob("*.py"), script.parent.parent.glob("*.py")
    names = set(re.findall(r"^(?:from|import) ([\w.]+)", text, re.MULTILINE))
    parts = {part for name in names for part in name.split(".")}
    return text + "".join(
        path.read_text(encoding="utf-8")
        for folder in helpers
        for path in folder
        if path.stem in parts
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with all files that the commands of the pages name."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rng = np.random.default_rng(0)
    truth = rng.choice(["ham", "spam"], 800)
    other = np.where(truth == "spam", "ham", "spam")
    old, new = (np.where(rng.random(800) < share, truth, other) for share in (0.8, 0.9))
    ids = np.arange(800)
    predictions = {"id": ids, "message": ids, "truth": truth, "y": truth}
    both = {"old": old, "old_filter": old, "new": new, "new_filter": new}
    pd.DataFrame(predictions | both).to_csv("predictions.csv", index=False)
    trained = {f"{name}_{k}": both[name] for name in ("old", "new") for k in range(3)}
    pd.DataFrame(predictions | trained).to_csv("trainings.csv", index=False)
    for name, said in {"champion": old, "challenger": new}.items():
        frame = pd.DataFrame({"message": ids, "truth": truth, "said": said})
        frame.to_csv(f"{name}.csv", index=False)
        frame.to_parquet(f"{name}.parquet")
    for name, said in {"old": old, "new": new}.items():
        lines = [
            {"id": f"q{i // 5}", "attempt": i % 5, "topic": f"d{i // 20}", "score": int(ok)}
            for i, ok in enumerate(said == truth)
        ]
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    policy, *_ = [block for block in of("toml") if block.page.name == "gate.rst"]
    Path("gate.toml").write_text(policy.code, encoding="utf-8")
    return tmp_path


def saved_classifiers(seed=0):
    """Two saved classifiers and the records that they predict."""
    pd = pytest.importorskip("pandas")
    io = pytest.importorskip("skops.io")
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    X, y = make_classification(1200, random_state=seed)
    X = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    for name, model in {
        "champion": GaussianNB(),
        "challenger": LogisticRegression(),
    }.items():
        io.dump(model.fit(X[:200], y[:200]), f"{name}.skops")
    X[200:].assign(id=range(200, 1200), y=y[200:]).to_parquet("holdout.parquet")
    X[:200].assign(id=range(200)).to_parquet("train.parquet")
    Path("gate.toml").write_text(
        '[[condition]]\nnoninferior = "accuracy"\nmargin = 0.2\n'
        '[train]\nfile = "train.parquet"\n'
    )


@pytest.mark.parametrize(
    ("block", "command", "shown"),
    [
        one
        for one in SHELL
        if one[1].startswith("skcompare ") and one[1] != "skcompare demo"
    ],
    ids=str,
)
def test_command_of_skcompare_runs(block, command, shown, folder, capsys):
    """It finds its files and its options, and prints what is shown below it."""
    if ".skops" in command:
        saved_classifiers()
    if command.startswith("skcompare init "):
        Path("gate.toml").unlink()

    code = main(shlex.split(command)[1:])

    printed = capsys.readouterr()
    assert 0 == code, printed.err
    assert shown.split() == (printed.out.split() if shown else [])


def test_demo_is_run():
    """`skcompare demo` is run by the tests of the command line, with its whole output."""
    source = (ROOT / "tests" / "cli" / "test_cli.py").read_text(encoding="utf-8")

    assert "def test_readme_shows_what_the_demo_prints" in source


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_policy_is_read(block, tmp_path):
    """A block of TOML is a policy of a gate, or the part of one that it shows."""
    text = block.code
    if "condition" not in text:
        text = '[[condition]]\nsuperior = "accuracy"\n' + text
    (tmp_path / "gate.toml").write_text(text, encoding="utf-8")

    assert load_policy(tmp_path / "gate.toml").gate.conditions


def test_yaml_is_read():
    """A block of YAML, or a file of it that a page shows, is whole."""
    yaml = pytest.importorskip("yaml")
    shown = [
        file.read_text(encoding="utf-8") for file in included() if file.suffix == ".yml"
    ]

    for text in [*shown, *(block.code for block in of("yaml"))]:
        assert isinstance(yaml.safe_load(text), dict)


@pytest.mark.parametrize("block", of("json"), ids=str)
def test_json_is_read(block):
    """A block of JSON has an object in every line."""
    assert all(isinstance(json.loads(line), dict) for line in block.code.split("\n"))


@pytest.mark.parametrize("block", of("python"), ids=str)
def test_python_runs(block, monkeypatch, request):
    """A block of Python runs: as a test of pytest where it holds tests."""
    if test := ELSEWHERE.get(name_of(block.page)):
        assert block.page.name in (ROOT / test).read_text(encoding="utf-8")
        return
    if "def test_" in block.code:
        request.getfixturevalue("pytester_with_predictions")(block.code)
        return
    # What is registered already may be registered again, for this test.
    monkeypatch.setattr(registered_tests, "_tests", {})
    monkeypatch.setattr(registered_metrics, "_metrics", {})
    # scikit-learn must not hear of it, or it would keep the toy beside the metric.
    monkeypatch.setattr(registered_metrics, "_listeners", [])
    names = {
        name: getattr(module, name)
        for module in (evidence, stats, metrics)
        for name in module.__all__
    }
    exec(compile(ast.parse(block.code), str(block), "exec"), names)


@pytest.fixture
def pytester_with_predictions(pytester, monkeypatch):
    """Runs tests that ask for the fixtures that a page speaks of."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makeconftest(
        """
        import numpy as np
        import pytest
        from sklearn.datasets import make_classification
        from sklearn.linear_model import LogisticRegression
        from sklearn.tree import DecisionTreeClassifier

        X_ALL, Y_ALL = make_classification(3000, n_informative=8, random_state=0)
        WORDS = np.array(["ham", "spam"])

        @pytest.fixture
        def X(): return X_ALL[500:]

        @pytest.fixture
        def old_model():
            stump = DecisionTreeClassifier(max_depth=2, random_state=0)
            return stump.fit(X_ALL[:500], WORDS[Y_ALL[:500]])

        @pytest.fixture
        def new_model(): return LogisticRegression().fit(X_ALL[:500], WORDS[Y_ALL[:500]])

        @pytest.fixture
        def y(): return WORDS[Y_ALL[500:]]

        @pytest.fixture
        def old(X, old_model): return old_model.predict(X)

        @pytest.fixture
        def new(X, new_model): return new_model.predict(X)
        """
    )

    def run(code):
        pytester.makepyfile(test_page=code)
        plugins = ("-p", "_skcompare_pytest", "-p", "no:cacheprovider")
        result = pytester.runpytest_inprocess(*plugins)
        result.assert_outcomes(passed=len(re.findall(r"def test_", code)))

    return run


def test_included_files_are_run():
    """A file that a page shows exists, and a test runs the folder that it is from."""
    tests = (ROOT / "tests" / "test_gate_example.py").read_text(encoding="utf-8")
    files = included()

    assert all(file.is_file() for file in files)
    assert {"gate_in_ci"} == {
        file.relative_to(ROOT / "examples").parts[0] for file in files
    }
    assert '"gate_in_ci"' in tests


def test_several_blocks_were_found():
    """The search for blocks finds what is there."""
    found = Counter(block.language for block in BLOCKS)

    assert min(found[name] for name in ("console", "python", "toml", "json")) >= 1
