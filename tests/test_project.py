"""What must hold for the project as a whole, whatever it computes."""

import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import skcompare

ROOT = Path(__file__).parents[1]
PACKAGE = Path(skcompare.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
PUBLIC_MODULES = [
    "skcompare",
    *(
        f"skcompare.{info.name}"
        for info in pkgutil.iter_modules(skcompare.__path__)
        if not info.name.startswith("_")
    ),
]


def _pyproject():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _repository_files():
    """The files that git has or would add; the test is skipped where there is no git."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a git checkout to tell the project's files from built ones")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    files = [ROOT / name for name in listing.decode().split("\0") if name]
    return [path for path in files if path.is_file()]


def _text(path):
    """The text of a file, empty where it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def test_project_file_exists():
    """A project has its licence, its front page and its house rules, and none is empty."""
    for name in [
        "CITATION.cff",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.rst",
        "LICENSE",
        "README.rst",
        "pyproject.toml",
    ]:
        assert (ROOT / name).read_text(encoding="utf-8").strip()


def test_package_is_marked_as_typed():
    """Type checkers use the annotations of an installed skcompare."""
    assert (PACKAGE / "py.typed").is_file()


def test_version_stands_in_one_place():
    """Only `_version.py` states the version; everything else reads it there."""
    assert "version" in _pyproject()["project"]["dynamic"]
    candidates = [
        *MODULES,
        ROOT / "pyproject.toml",
        ROOT / "CITATION.cff",
        ROOT / "doc" / "conf.py",
    ]

    stating = [path for path in candidates if skcompare.__version__ in _text(path)]

    assert [PACKAGE / "_version.py"] == stating


def test_oldest_requirements_are_the_lower_bounds():
    """What is tested as the oldest version is what pyproject.toml promises."""
    project = _pyproject()["project"]
    extras = project["optional-dependencies"]
    bounds = [*project["dependencies"], *extras["frames"], *extras["plot"]]
    promised = dict(bound.split(">=") for bound in bounds)
    pins = (ROOT / ".ci" / "oldest-requirements.txt").read_text(encoding="utf-8")
    tested = dict(line.split("==") for line in pins.splitlines() if "==" in line)

    assert {bound.split(">=")[0] for bound in project["dependencies"]} <= set(tested)
    for name, version in tested.items():
        assert version.startswith(promised[name]), name


def test_no_file_carries_a_path_of_somebodys_machine():
    """Nothing depends on, or tells, where somebody keeps the project."""
    home = re.compile(r"/(?<![\w.]/)" + r"(root|home|Users|work)/\w")

    carrying = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in _repository_files()
        if (match := home.search(_text(path)))
    ]

    assert [] == carrying


def test_public_names_have_docstrings():
    """Every public class and function says what it does, in its own words."""
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(module_name)
        assert inspect.getdoc(module)

        silent = []
        for name in getattr(module, "__all__", ()):
            obj = getattr(module, name)
            if inspect.isclass(obj) or inspect.isroutine(obj):
                doc = obj.__doc__ or ""
                # A dataclass without a docstring is given its signature as one.
                if not doc.strip() or doc.startswith(f"{obj.__name__}("):
                    silent.append(name)

        assert [] == silent
