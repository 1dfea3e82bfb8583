"""The sheet with all displays, and the page that shows it."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tests.plots.cases import CASES

ROOT = Path(__file__).parents[2]
LARGEST = 600_000


@pytest.fixture(scope="module")
def script():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(
        "contact_sheet", ROOT / "doc/contact_sheet.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_displays_are_on_the_sheet(script):
    """Each has a case, and the page a section with its name."""
    page = (ROOT / "doc/user_guide/displays.rst").read_text(encoding="utf-8")

    assert sorted(CASES) == list(script.cases())
    assert [] == [name for name in CASES if f"plots.{name}`" not in page]
    assert "figures/contact_sheet.png" in page
    assert 0 < script.SHEET.stat().st_size < LARGEST


def test_grey_has_the_luminance_of_the_colours(script):
    """White and black stay, and pure red is as dark as its luminance says."""
    pixels = np.array([[[1.0, 1, 1], [0, 0, 0], [1, 0, 0]]])
    grey = script.in_grey(pixels)

    assert [1, 0] == pytest.approx(grey[0, :2, 0].tolist())
    assert 0.2126 == pytest.approx(((grey[0, 2, 0] + 0.055) / 1.055) ** 2.4)
    assert np.ptp(grey, axis=2).max() == 0


def test_pictures_do_not_cover_each_other(script):
    """Each is put whole, in colour and in grey, under its name."""
    pixels = np.full((40, script.WIDTH, 3), 0.0)
    sheet = script.sheet_of(dict.fromkeys("abc", pixels)).convert("L")
    dark = (np.asarray(sheet) < 10).sum()

    assert 3 * 2 * 40 * script.WIDTH <= dark
