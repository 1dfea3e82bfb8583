"""`llms.txt` has all pages, tests and measures; `llms-full.txt` the text of all pages."""

import importlib.util
import re
import sys

import pytest

from doc.tests.pages import DOC, GUIDE
from skcompare._registry import metrics, tests

FOLDER = DOC / "sphinxext"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the pages are not here")


@pytest.fixture(scope="module")
def llms():
    """The extension."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location("llms", FOLDER / "llms.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


def test_pages_tests_and_measures_have_a_line_each(llms):
    """Every page of the guide, every registered test, metric and loss, and ten names."""
    text = llms.render_short(DOC, "https://skcompare.org/")
    pages = re.findall(r"^- \[.+\]\(\S+/user_guide/(\w+)\.html\): \S.*$", text, re.M)
    ten = text.partition("## The ten names")[2].partition("\n## ")[0]
    names = re.findall(r"^- \[?`?(\w+)[`\]].*: \S.*[.?]", text, re.M)

    assert text.startswith("# skcompare\n\n> ")
    assert sorted(page.stem for page in GUIDE.glob("*.rst") if page.stem != "index") == (
        sorted(pages)
    )
    assert 10 == ten.count("\n- `skcompare.")
    for registry in (tests.paired_tests, metrics.metrics, metrics.record_losses):
        assert set() == set(registry()) - set(names)
    assert not re.search(r":\w+:`|\]_|\|formats\|", text)


def test_the_full_text_has_every_page_once(llms):
    """In the order of the side bar, without markup that only Sphinx reads."""
    text = llms.render_full(DOC)
    for group in llms.guide_pages(DOC).values():
        for page in group:
            title = llms.title_of((DOC / f"{page}.rst").read_text(encoding="utf-8"))
            assert 1 == len(re.findall(rf"^{re.escape(title)}\n=+$", text, re.M)), page
    assert not re.search(r":(doc|func|class|ref):`", text)
    assert ".. include::" not in text


def test_markup_becomes_text(llms):
    """Roles have their titles or names, and labels and hidden examples are left out."""
    page = """.. _label:

Title of it
===========

Read :doc:`start`, :func:`~skcompare.stats.mcnemar` or :doc:`that <other>` [1]_. And more.

..
   Hidden:

   >>> 1

Shown.
"""
    assert (
        'Title of it\n===========\n\nRead "Start in five minutes", `mcnemar` or that. '
        "And more.\n\nShown.\n"
    ) == llms.plain(page)
    assert 'Read "Start in five minutes", `mcnemar` or that.' == llms.first_sentence(page)
