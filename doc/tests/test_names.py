"""Every public name is on the page of names, with its reason."""

import pkgutil
import re
from importlib import import_module

import pytest

import skcompare
from doc.tests.pages import DOC

PAGE = DOC / "names.rst"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not here")


def public_names():
    """Names of the package and of its public packages."""
    packages = [
        import_module(f"skcompare.{info.name}")
        for info in pkgutil.iter_modules(skcompare.__path__)
        if not info.name.startswith("_") and info.name != "cli"
    ]
    return {name for package in (skcompare, *packages) for name in package.__all__}


def test_each_name_has_one_row():
    """A name is changed or kept, not both, and no row is of a name that is not there."""
    changed, kept = PAGE.read_text(encoding="utf-8").split("\nKept names\n")
    listed = []
    for table, column in ((changed, "   *"), (kept, "    ")):
        # A cell goes on until the next one begins.
        cells = re.findall(r"(?ms)^(   \*|    ) - (.*?)(?=^   \* - |^     - |\Z)", table)
        for of_column, cell in cells[3 if table is changed else 2 :]:
            if of_column == column:
                listed += re.findall(r"``(\w+)``", cell.split("\n\n")[0])

    assert sorted(public_names()) == sorted(listed)
