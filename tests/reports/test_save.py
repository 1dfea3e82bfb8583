"""Reports are written to files, in the format of their suffix."""

import csv

import pandas as pd
import pytest

from skcompare import Comparison, MultipleComparison, compare
from skcompare.gate import Gate, GateDecision, Superior

Y = [0, 1, 1, 0, 1, 1, 0, 1] * 5
OLD, NEW = [0, 1, 0, 1, 1, 0, 0, 1] * 5, [0, 1, 1, 0, 1, 1, 0, 1] * 5


@pytest.fixture(scope="module")
def comparison():
    """A comparison of two."""
    return compare(Y, OLD, NEW)


def test_format_of_the_suffix(comparison, tmp_path):
    """A saved report has the text that the method of its format returns."""
    saved = {name: tmp_path / f"x{name}" for name in (".json", ".MD", ".txt", ".csv")}
    for path in saved.values():
        assert comparison.save(path) is None
    text = {name: path.read_text(encoding="utf-8") for name, path in saved.items()}

    assert comparison.to_dict() == Comparison.from_json(text[".json"]).to_dict()
    assert comparison.to_markdown() == text[".MD"]
    assert str(comparison) == text[".txt"]
    assert comparison.to_csv() == text[".csv"]
    comparison.save(str(tmp_path / "x.html"))
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert comparison.to_dict() == Comparison.from_html(page).to_dict()


def test_path_of_a_method(comparison, tmp_path):
    """With a path a method writes what it returns without one."""
    for name in ("html", "json", "markdown", "csv"):
        write = getattr(comparison, f"to_{name}")
        options = {"pictures": False} if name == "html" else {}
        assert write(tmp_path / name, **options) is None
        assert write(**options) == (tmp_path / name).read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="`path` must be the path of a file"):
        comparison.to_json(2)


def test_csv_is_the_frame(comparison):
    """The CSV has the rows and columns of the frame."""
    several = compare(Y, {"a": OLD, "b": NEW, "c": NEW})
    for result in (comparison, several):
        header, *rows = csv.reader(result.to_csv().splitlines())
        frame = result.to_frame()
        assert list(frame.columns) == header
        assert len(frame) == len(rows)
        position = header.index("pvalue")
        expected = pd.to_numeric(frame["pvalue"]).tolist()
        assert expected == pytest.approx([float(row[position]) for row in rows])


def test_several_and_decisions(tmp_path):
    """Comparisons of several models and decisions of gates are saved alike."""
    several = compare(Y, {"a": OLD, "b": NEW, "c": NEW})
    several.save(tmp_path / "x.json")
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert several.to_dict() == MultipleComparison.from_json(text).to_dict()
    decision = Gate(Superior("accuracy")).decide(Y, {"old": OLD, "new": NEW})
    for name in (".json", ".md", ".xml", ".html", ".txt"):
        decision.save(tmp_path / f"y{name}")
    text = (tmp_path / "y.json").read_text(encoding="utf-8")
    assert decision == GateDecision.from_json(text)
    assert decision.to_junit() == (tmp_path / "y.xml").read_text(encoding="utf-8")


def test_unknown_suffix(comparison, tmp_path):
    """Another suffix is an error that lists those that are known."""
    with pytest.raises(ValueError, match=r"Got '.*x\.pdf'\. Known: \.html, \.json, \.md"):
        comparison.save(tmp_path / "x.pdf")
    assert not list(tmp_path.iterdir())
