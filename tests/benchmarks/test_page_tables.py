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
