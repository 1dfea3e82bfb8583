"""Command-line interface `skcompare`."""

from skcompare.cli._main import main

__all__ = ["main"]
