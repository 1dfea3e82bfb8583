"""The examples ask a question, run, draw a picture, and end with a conclusion."""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
OPTIONAL = ("lightgbm", "xgboost")

pytestmark = pytest.mark.skipif(not EXAMPLES, reason="the examples are not here")


def test_title_is_a_question():
    """The docstring begins with a question, underlined as a title of a page."""
    for path in EXAMPLES:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        title, line, *_ = docstring.splitlines()

        assert title.endswith("?"), path
        assert "=" * len(title) == line, path


def test_data_are_real():
    """At least twelve examples need nothing but records that ship with scikit-learn."""
    words = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    real = [text for text in words if re.search(r"\bload_\w+\(", text)]
    made = re.compile(r"\b(make_(?!scorer|pipeline|column_)|fetch_|default_rng)")

    assert 12 <= len([text for text in real if not made.search(text)])


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, capsys, monkeypatch):
    """An example runs as it stands, shows a picture, and prints its conclusion last."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    text = path.read_text(encoding="utf-8")
    for name in OPTIONAL:
        if f"import {name}" in text or f"from {name}" in text:
            pytest.importorskip(name)
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.extend(pyplot.get_fignums()))
    monkeypatch.setattr(sys, "argv", [str(path)])
    pyplot.switch_backend("agg")
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        pyplot.close("all")
    *_, conclusion = capsys.readouterr().out.splitlines()

    assert shown
    assert conclusion.endswith(".")
