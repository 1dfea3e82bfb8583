"""Reads the numbers of others that are kept in `tests/golden`."""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"


def golden(name):
    """The contents of a file of golden values."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
