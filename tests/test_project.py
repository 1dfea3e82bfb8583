"""What must hold for the project as a whole, whatever it computes."""

import datetime
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
CHANGELOG = ROOT / "doc" / "whats_new" / "changelog.rst"
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
    """Only `_version.py` states the version; everything else reads it there.

    `CITATION.cff`, a file without code, states the last release.
    """
    assert "version" in _pyproject()["project"]["dynamic"]
    candidates = [
        *MODULES,
        ROOT / "pyproject.toml",
        ROOT / "doc" / "conf.py",
    ]

    stating = [path for path in candidates if skcompare.__version__ in _text(path)]

    assert [PACKAGE / "_version.py"] == stating


def _citation():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_citation_has_what_its_format_requires():
    """Services that read the file need these keys, and two or none that date a release."""
    citation = _citation()

    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == _pyproject()["project"]["license"]
    assert ("version" in citation) == ("date-released" in citation)


def test_citation_names_the_last_release():
    """A release is cited by its version and date; between releases, the last one is."""
    citation = _citation()
    released = "dev" not in skcompare.__version__

    if released:
        assert citation.get("version") == skcompare.__version__
    if "version" in citation:
        # Without quotes YAML reads 1.0 as a number, and a date as one.
        assert isinstance(citation["version"], str)
        assert isinstance(citation["date-released"], datetime.date)
        heading = f"skcompare {citation['version']}\n---"
        assert heading in CHANGELOG.read_text(encoding="utf-8")


def test_fragments_before_the_first_release_are_new():
    """Nothing that no user had can be changed, fixed or faster."""
    if "\nskcompare " in CHANGELOG.read_text(encoding="utf-8"):
        pytest.skip("there is a release whose behaviour can change")

    fragments = (CHANGELOG.parent / "upcoming_changes").glob("*.rst")
    new = (".highlight.rst", ".feature.rst")
    others = [path.name for path in fragments if not path.name.endswith(new)]

    assert [] == sorted(others)


def test_every_requirement_of_an_extra_has_a_lower_bound():
    """Without a bound pip may keep, or go back to, a version that was never tried."""
    extras = _pyproject()["project"]["optional-dependencies"]

    unbounded = [
        f"{extra}: {requirement}"
        for extra, requirements in extras.items()
        for requirement in requirements
        if not requirement.startswith("skcompare[")
        and ">=" not in requirement.split(";")[0]
    ]

    assert [] == unbounded


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
