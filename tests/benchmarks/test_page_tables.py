"""Tables on pages are those that were stamped when their commands ran."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "page_tables.py"

pytestmark = pytest.mark.skipif(
    not (ROOT / "doc").is_dir() or not SCRIPT.exists(), reason="the pages are not here"
)


@pytest.fixture(scope="module")
def script():
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("page_tables", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = """\
Title
=====

.. code-block:: console

   $ python -m benchmarks.validity.losses.losses --draws 400
   $ python -m benchmarks.validity.losses.losses --only groups

Words.

.. csv-table:: One
   :header-rows: 1

   a,b
   1,2

More words.

.. code-block:: console

   $ python -m benchmarks.validity.accuracy.clustered

.. csv-table:: Two

   3,4
"""


def test_tables_belong_to_the_commands_above(script, tmp_path):
    """Commands side by side share the tables that follow."""
    page = tmp_path / "page.rst"
    page.write_text(PAGE)
    (first, one), (second, two) = script.commands_of(page)

    assert ["losses.py"] * 2 == [Path(name).name for _, name in first]
    assert ["python -m benchmarks.validity.accuracy.clustered"] == [
        words for words, _ in second
    ]
    assert one.startswith(".. csv-table:: One")
    assert one.endswith("1,2")
    assert two.endswith("3,4")


FOLDED = """\
.. folded-table::

   .. csv-table:: One
      :header-rows: 1
      :file: tables/one.csv

Words, and a table on the page.

.. csv-table:: Two
   :header-rows: 1

   c,d
   5,6

More words.
"""
PRINTED = """\
.. csv-table:: Two
   :header-rows: 1

   c,d
   7,8
   9,0

.. csv-table:: One
   :header-rows: 1

   a,b
   3,4

"""


def test_tables_in_files_are_those_of_the_page(script, tmp_path):
    """The text of a page has them where they are shown."""
    page, file = tmp_path / "page.rst", tmp_path / "tables" / "one.csv"
    file.parent.mkdir()
    file.write_text("a,b\n1,2\n")
    page.write_text(FOLDED)
    inside = FOLDED.replace("      :file: tables/one.csv", "\n      a,b\n      1,2")

    assert inside == script.read_page(page)
    (table, _) = script.tables_of(inside.split("\n"))
    assert ("One", 2, 4, 7) == (table.title, table.start, table.rows, table.end)


def test_printed_tables_are_put_in_their_places(script, tmp_path, capsys):
    """By their titles, in files and on the page; nothing changes where two have one."""
    page, file = tmp_path / "page.rst", tmp_path / "tables" / "one.csv"
    file.parent.mkdir()
    file.write_text("a,b\n1,2\n")
    page.write_text(FOLDED)

    script.fill(page, PRINTED + PRINTED.replace("One", "None").replace("Two", "Three"))

    assert "a,b\n3,4\n" == file.read_text()
    assert FOLDED.replace("   5,6", "   7,8\n   9,0") == page.read_text()
    assert ["Two: filled", "One: filled", "Three: not on the page"] == (
        capsys.readouterr().out.splitlines()[:3]
    )
    with pytest.raises(SystemExit, match="1 tables with the title 'Two', but 2 are"):
        script.fill(page, PRINTED + PRINTED.replace("7,8", "1,1"))
    assert "a,b\n3,4\n" == file.read_text()
    assert "" == capsys.readouterr().out


def test_what_changed_is_told(script):
    """Another number of the command, or a table that was changed by hand."""
    known = [{"commands": ["c"], "prints": "x", "tables": "y"}]

    assert [] == list(script.complaints("p.rst", known, known))
    for change, words in (
        ({"prints": "z"}, "is not as it was when"),
        ({"tables": "z"}, "are not those that were stamped"),
        ({"commands": ["d"]}, "its commands are others"),
    ):
        (found,) = script.complaints("p.rst", known, [known[0] | change])
        assert words in found


def test_all_tables_are_stamped(script):
    """No table was changed, and no command, since the commands ran."""
    known = json.loads(script.STAMPS.read_text())
    now = {page.name: script.commands_of(page) for page in script.PAGES.glob("*.rst")}

    assert sorted(name for name, found in now.items() if found) == sorted(known)
    for name, stamps in known.items():
        for old, (commands, tables) in zip(stamps, now[name], strict=True):
            assert old["commands"] == [words for words, _ in commands]
            assert old["tables"] == script.stamp(tables), f"{name}: {old['commands'][0]}"
