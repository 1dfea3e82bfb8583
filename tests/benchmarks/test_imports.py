"""Benchmarks find what they import from the package."""

import ast
import importlib.util
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="benchmarks are not here")


def test_names_of_the_package_are_there():
    """Whatever moves in the package, no benchmark is left behind."""
    missing = []
    for path in sorted(BENCHMARKS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.level:
                continue
            if (node.module or "").partition(".")[0] != "skcompare":
                continue
            missing += [
                f"{path.name}: {node.module}.{alias.name}"
                for alias in node.names
                if not is_there(node.module, alias.name)
            ]

    assert [] == missing


def is_there(module, name):
    """Whether a module has a name, or a module of that name."""
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.util.find_spec(f"{module}.{name}")
        )
    except ModuleNotFoundError:
        return False
