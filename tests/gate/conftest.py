"""What tests of gates share."""

from functools import cache

import pytest

from skcompare.cli import _main


@pytest.fixture
def one_parser(monkeypatch):
    """Options are the same each time, and making the parser takes most of the time."""
    monkeypatch.setattr(_main, "_parser", cache(_main._parser))
