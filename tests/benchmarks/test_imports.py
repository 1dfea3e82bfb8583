"""Benchmarks find what they import from the package."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="benchmarks are not here")


IMPORT = re.compile(r"^ *(from skcompare\b[\w.]* import (?:\([^)]*\)|.*))", re.MULTILINE)
"""Statements alone, because syntax trees of whole files take their time."""


def test_names_of_the_package_are_there():
    """Whatever moves in the package, no benchmark is left behind."""
    found = [
        (path.name, ast.parse(statement).body[0])
        for path in sorted(BENCHMARKS.rglob("*.py"))
        for statement in IMPORT.findall(path.read_text(encoding="utf-8"))
    ]
    missing = [
        f"{name}: {node.module}.{alias.name}"
        for name, node in found
        for alias in node.names
        if not is_there(node.module, alias.name)
    ]

    assert len(found) > 100
    assert [] == missing


def is_there(module, name):
    """Whether a module has a name, or a module of that name."""
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.util.find_spec(f"{module}.{name}")
        )
    except ModuleNotFoundError:
        return False
