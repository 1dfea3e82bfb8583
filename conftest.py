"""What holds for the tests, the docstrings and the pages alike."""

import os
import sys

import pytest

# No picture opens a window, and workers draw alike.
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(autouse=True)
def closed_figures():
    """Pictures of an example are closed after it, because pyplot keeps them."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
