"""The pictures of the first pages are there, small, and made by a command."""

import importlib.util
import xml.etree.ElementTree as ET

import pytest

from doc.tests.pages import DOC

SCRIPT = DOC / "readme_pictures.py"
LARGEST = 120_000
"""Bytes of a picture."""

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="the pages are not here")


@pytest.fixture(scope="module")
def pictures():
    """The script."""
    spec = importlib.util.spec_from_file_location("readme_pictures", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reports(pictures):
    """Paths of the pictures of the report, with their sizes."""
    return {
        pictures.report_picture(suffix, is_dark=is_dark): (scale * width, scale * height)
        for suffix, (width, height, scale) in pictures.SIZES.items()
        for is_dark in (False, True)
    }


def test_the_home_page_shows_them(pictures):
    """A report, in a size and with a background for each screen, and a display."""
    page = (DOC / "index.rst").read_text(encoding="utf-8")
    for path in (*reports(pictures), pictures.FOREST):
        _, _, options = page.partition(f".. image:: user_guide/figures/{path.name}\n")

        assert options.startswith("   :alt: ")
        assert 0 < path.stat().st_size < LARGEST
        assert "   :class: framed" in options.partition("\n\n")[0]


def test_pictures_have_the_numbers_of_the_page(pictures):
    """The plot is drawn of three measures, the report in the promised size."""
    image = pytest.importorskip("PIL.Image")
    for path, size in reports(pictures).items():
        with image.open(path) as report:
            assert size == report.size
    plot = pictures.FOREST.read_text(encoding="utf-8")
    ET.fromstring(plot)
    for text in ("accuracy", "balanced_accuracy", "multiclass_brier_loss"):
        assert f"<!-- {text} -->" in plot
