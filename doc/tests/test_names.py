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
    """And no row is of a name that is not there."""
    # A cell goes on until the next one begins.
    cells = re.findall(
        r"(?ms)^     - (.*?)(?=^   \* - |\Z)", PAGE.read_text(encoding="utf-8")
    )
    listed = [name for cell in cells[1:] for name in re.findall(r"``(\w+)``", cell)]

    assert sorted(public_names()) == sorted(listed)
