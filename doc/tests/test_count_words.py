"""Words that a page shows are counted apart from those that it folds or hides."""

import importlib.util

import pytest

from doc.tests.pages import DOC, GUIDE

pytestmark = pytest.mark.skipif(not GUIDE.is_dir(), reason="the pages are not here")

PAGE = """\
Two words
=========

.. _a-label:

.. a comment

Five words, with :func:`~skcompare.stats.mcnemar` — shown.

>>> for both in ["four, two"]:
...     print(both)
four, two

* An item with code::

      x = 3

  and three more.

.. note:: Two words
   and two.

.. figure:: figures/none.svg
   :alt: Not counted, nor is
         what goes on.

   A caption.

.. csv-table:: Shown
   :header-rows: 1

   one,cell
   1,2

.. folded-table::
   :values: not; counted
   :alt: Not counted.

   A short caption.

   .. csv-table:: Not counted
      :header-rows: 1

      not,counted
      1,2

   Not counted.

=== ===
one two
=== ===

.. toctree::

   page

.. [1] A reference
   of six words.
"""
SHOWN = 2 + 5 + (5 + 1 + 2) + (4 + 2 + 3) + 4 + 2 + (1 + 2) + 3 + 2 + 6


@pytest.fixture(scope="module")
def count_words():
    """The script."""
    spec = importlib.util.spec_from_file_location("count_words", DOC / "count_words.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_page_shows_is_counted(count_words):
    """Text, captions, notes, lists, code and open tables; not options and folded tables."""
    words, others = count_words.count(PAGE)

    assert SHOWN == words
    assert others > 0


def test_limits(count_words, tmp_path, capsys):
    """A page above the limit is listed, and so is a total above its own."""
    page = tmp_path / "page.rst"
    page.write_text(PAGE, encoding="utf-8")

    assert 0 == count_words.main([str(page), "--limit", str(SHOWN)])
    capsys.readouterr()
    assert 1 == count_words.main([str(page), "--limit", str(SHOWN - 1), "--total", "2"])
    assert [
        f"page.rst shows {SHOWN} words, 1 above {SHOWN - 1}",
        f"all pages show {SHOWN} words, more than 2",
    ] == capsys.readouterr().out.splitlines()[-2:]


def test_every_page_has_words(count_words):
    """The pages of the guide are counted one by one."""
    for page in GUIDE.glob("*.rst"):
        assert count_words.count(page.read_text(encoding="utf-8"))[0] > 100, page.name


def test_public_docstrings_are_counted(count_words, tmp_path):
    """Those of what `__all__` names and of its public methods; a private one is not."""
    (tmp_path / "__init__.py").write_text('"""Two words."""\n__all__ = ["Public"]\n')
    (tmp_path / "_module.py").write_text(
        '"""Private."""\n'
        "class Public:\n"
        '    """Three more words."""\n'
        "    def method(self):\n"
        '        """One."""\n'
        "    def _method(self):\n"
        '        """Private."""\n'
        "def _function():\n"
        '    """Private."""\n'
    )
    found = [text for texts in count_words.docstrings(tmp_path).values() for text in texts]

    assert ["Two words.", "Three more words.", "One."] == found
