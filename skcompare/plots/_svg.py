"""Pictures as SVG within a page: its colours, ids of their own, words to be read out."""

import io
import re
from html import escape

from skcompare.plots._base import Display
from skcompare.plots._room import new_figure
from skcompare.plots._style import CHALLENGER, CHAMPION, INK, LINE, SOFT

__all__ = ["svg_of"]

VARIABLES = {
    CHAMPION: "--champion",
    CHALLENGER: "--challenger",
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
}
"""Colours that a page may set for dark readers."""


def svg_of(display: Display, name: str) -> str:
    """The picture as an element of a page, with colours that the page can change.

    Parameters
    ----------
    display : Display
        What is drawn.
    name : str
        A word that begins the ids, another one for each picture of a page.
    """
    from matplotlib import rc_context

    figure, axes = new_figure(display._room())
    display.plot(ax=axes)
    figure.patch.set_alpha(0.0)
    file = io.StringIO()
    # Words stay words, which can be found, read out and scaled. A constant salt gives equal
    # pictures equal files.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "skcompare"}):
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing)
    return _for_page(file.getvalue(), name, display.summary)


def _for_page(svg: str, name: str, summary: str) -> str:
    """The element alone, named, described, and of flexible size."""
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body)
    inside = body[body.index(">") + 1 :]
    inside = re.sub(r"<metadata>.*?</metadata>", "", inside, flags=re.DOTALL)
    inside = re.sub(r'(\bid=")', rf"\1{name}-", inside)
    inside = re.sub(r'((?:xlink:)?href="#)', rf"\1{name}-", inside)
    inside = re.sub(r"url\(#", f"url(#{name}-", inside)
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var({variable}, {colour})")
    size = box.group(1) if box else "0 0 400 300"
    width = float(size.split()[2])
    words = escape(summary)
    return (
        f'<svg class="picture" viewBox="{size}" width="{width:.0f}" role="img" '
        f'aria-labelledby="{name}-words" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{name}-words">{words}</title>{inside.strip()}'
    )
