"""What a notebook shows of a comparator: both classifiers, and links to our pages."""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import skcompare
from skcompare import PairedComparator
from skcompare._core.sklearn_private import (
    DOCUMENTATION,
    DocumentedEstimatorMixin,
    SideBySideMixin,
    public_name,
)

ROOT = Path(__file__).parents[2]
PAGE = f"{DOCUMENTATION}api/generated/skcompare.PairedComparator.html"


@pytest.fixture
def comparator():
    """A tree against a pipeline."""
    linear = make_pipeline(StandardScaler(), LogisticRegression())
    return PairedComparator(DecisionTreeClassifier(max_depth=1), linear, random_state=0)


def shown(estimator):
    """The HTML without its style sheet and scripts."""
    html = estimator._repr_mimebundle_()["text/html"]
    return re.sub(r"<(style|script).*?</\1>", "", html, flags=re.DOTALL)


def words(html):
    """What is to be read, and not the tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def labels(html):
    """The names over the classifiers, in their order."""
    return re.findall(r"<div>((?:champion|challenger|first|second): [^<]*)</div>", html)


def test_both_classifiers_under_their_roles(comparator):
    """Both stand side by side, the champion first, with all that they consist of."""
    html = shown(comparator)

    assert ["champion: DecisionTreeClassifier", "challenger: Pipeline"] == labels(html)
    assert 2 == html.count('class="sk-parallel-item"')
    for step in ("StandardScaler", "LogisticRegression"):
        assert step in words(html)


def test_fitted_comparator(comparator):
    """After fitting it is marked as fitted, and without refit no classifier is selected."""
    html = shown(comparator.set_params(cv=2).fit(*load_iris(return_X_y=True)))

    assert "Not fitted" in words(shown(sklearn.clone(comparator)))
    assert "Not fitted" not in words(html)
    assert "Fitted" in words(html)
    assert ["champion: DecisionTreeClassifier", "challenger: Pipeline"] == labels(html)


def test_selected_classifier(comparator):
    """With refit=True it says which classifier predicts, and shows it as it was fitted."""
    comparator.set_params(cv=5, refit=True, challenger__logisticregression__max_iter=1000)
    html = shown(comparator.fit(*load_iris(return_X_y=True)))
    selected = comparator.selected_estimator_[-1]

    assert ["champion: DecisionTreeClassifier", "challenger: Pipeline (selected)"] == (
        labels(html)
    )
    assert f"{selected.random_state}" in words(html)


def test_links(comparator):
    """It links to its page, and the classifiers to theirs."""
    html = shown(comparator)
    links = dict.fromkeys(re.findall(r'href="([^"#]*)', html))

    assert PAGE == next(iter(links))
    assert "Documentation for PairedComparator" in words(html)
    for name in ("linear_model.LogisticRegression", "tree.DecisionTreeClassifier"):
        assert any(link.endswith(f"/sklearn.{name}.html") for link in links)


@pytest.mark.newest
@pytest.mark.skipif(sklearn.__version__ < "1.8", reason="no table of parameters")
def test_parameters_are_explained(comparator):
    """Every parameter has its words from the docstring, and a link to them."""
    html = shown(comparator)
    linked = re.findall(rf'href="{PAGE}#:~:text=(\w+)', html)

    assert sorted(inspect.signature(PairedComparator).parameters) == sorted(linked)
    assert "The classifier or regressor that runs today." in words(html)
    assert 'data-param-prefix="champion__"' in html


def test_text_where_there_are_no_diagrams(comparator):
    """With diagrams off, a notebook shows the text."""
    with sklearn.config_context(display="text"):
        assert {"text/plain": repr(comparator)} == comparator._repr_mimebundle_()


@pytest.mark.parametrize("role", [None, "<b>bold</b>", DummyClassifier], ids=repr)
def test_wrong_classifiers_are_shown_too(role):
    """Printing works whatever was passed, and markup in it is text."""
    html = shown(PairedComparator(role, GaussianNB()))

    assert "GaussianNB" in words(html)
    assert "<b>bold" not in html


class Listed(SideBySideMixin, BaseEstimator):
    """Keeps its classifiers in a list."""

    def __init__(self, estimators):
        self.estimators = estimators

    def _named_estimators(self):
        return self.estimators

    def fit(self, X, y):
        return self


def test_classifiers_in_a_list():
    """Named classifiers in a list are shown side by side, their names as text."""
    estimators = [("first", GaussianNB()), ("second", DummyClassifier()), ("<i>", None)]
    html = shown(Listed(estimators))

    assert ["first: GaussianNB", "second: DummyClassifier"] == labels(html)
    assert "&lt;i&gt;: NoneType" in html
    assert "<i>" not in html


def test_foreign_subclasses_have_no_page():
    """A class of somebody else is not linked to a page that we do not have."""
    assert "" == Listed([])._get_doc_link()


def documented_classes():
    """Every class of ours that links to a page."""
    for info in pkgutil.walk_packages(skcompare.__path__, "skcompare."):
        if not info.name.endswith("__main__"):
            importlib.import_module(info.name)
    waiting, found = [DocumentedEstimatorMixin], set()
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        waiting += subclasses
        found.update(subclasses)
    ours = {cls for cls in found if cls.__module__.split(".")[0] == "skcompare"}
    return {cls for cls in ours if not inspect.isabstract(cls)} - {SideBySideMixin}


def test_pages_exist():
    """What is linked is among the pages that the documentation generates."""
    path = ROOT / "doc" / "sphinxext" / "registry_pages.py"
    spec = importlib.util.spec_from_file_location("registry_pages", path)
    registry_pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(registry_pages)
    lines = registry_pages.render_names().splitlines()
    pages, module = set(), None
    for line in lines:
        if line.startswith(".. module:: "):
            module = line.removeprefix(".. module:: ")
        elif re.fullmatch(r"   \w+", line):
            pages.add(f"{module}.{line.strip()}")
    classes = documented_classes()

    assert PairedComparator in classes
    assert "   :toctree: generated" in lines
    assert set() == {public_name(cls) for cls in classes} - pages
    assert f"{DOCUMENTATION}api/generated/skcompare.PairedComparator.html" == PAGE


def test_address_stands_in_the_project_file():
    """The links lead to the documentation that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert DOCUMENTATION == project["project"]["urls"]["Documentation"]
