"""Pictures as SVG within a page: its colours, ids of their own, words to be read out."""

import io
import re
from html import escape
from typing import Any
from warnings import catch_warnings, filterwarnings

from skcompare._core.formatting import in_one_line
from skcompare.exceptions import MissingDependencyError
from skcompare.plots._base import Display
from skcompare.plots._room import new_figure
from skcompare.plots._style import CHALLENGER, CHAMPION, INK, LINE, SOFT

VARIABLES = {
    CHAMPION: "--champion",
    CHALLENGER: "--challenger",
    INK: "--ink",
    SOFT: "--soft",
    LINE: "--line",
}
"""Colours that a page may set for dark readers."""

TAG = re.compile(r"<[^>]*>")
FAMILY = re.compile(r"(?:'[^']*'|&apos;[^;]*&apos;)(?:, *(?:'[^']*'|[\w -]+))*sans-serif")
LETTERS = "font-family: system-ui, sans-serif"
"""Said once for all words of a picture."""

RECTANGLE = re.compile(
    r"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 L \1 \2",
)
"""A path with four corners, two of whose numbers are said twice or more."""

STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "skcompare"}

PIXELS = 4 / 3
"""Pixels of a point, so that words have the size that was drawn."""
SMALLEST = 0.9
"""Share of its size to which a picture may shrink; then its box scrolls."""


def svg_of(display: Display, name: str) -> str:
    """The picture as an element of a page, with colours that the page can change.

    Parameters
    ----------
    display : Display
        What is drawn.
    name : str
        A word that begins the ids, another one for each picture of a page.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context, style
    except ImportError as error:
        raise MissingDependencyError(
            "Pictures need matplotlib. Install it: pip install 'skcompare[plot]'."
        ) from error
    file = io.StringIO()
    # Words stay words, which can be found, read out and scaled. A constant salt gives equal
    # pictures equal files, and so does leaving the reader's own style aside.
    with style.context("default"), rc_context(STYLE), catch_warnings():
        # A letter that the fonts of matplotlib lack is drawn by the browser.
        filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure, axes = new_figure(display._room())
        display.plot(ax=axes)
        figure.patch.set_alpha(0.0)
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        # Without the empty strips that squares and legends of odd sizes leave.
        tight = {"bbox_inches": "tight", "pad_inches": 0.05}
        figure.savefig(file, format="svg", metadata=nothing, **tight)
    return _for_page(file.getvalue(), name, display.summary)


def _for_page(svg: str, name: str, summary: str) -> str:
    """The element alone, named, described, and of flexible size."""
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body)
    size = box.group(1) if box else "0 0 400 300"
    inside = body[body.index(">") + 1 :]
    for hidden in ("metadata", "style"):
        # A style sheet within the picture would be one of the whole page.
        inside = re.sub(rf"<{hidden}.*?</{hidden}>", "", inside, flags=re.DOTALL)
    inside = re.sub(r"<!--.*?-->", "", inside, flags=re.DOTALL)
    # Only what stands in tags is changed, never the words between them.
    inside = TAG.sub(lambda tag: _tag_for_page(tag.group(0), name), inside)
    inside = re.sub(r">\s+<", "><", inside)
    words = escape(in_one_line(summary))
    width, least = _widths(float(size.split()[2]))
    return (
        f'<svg class="picture" viewBox="{size}" width="{width}" role="img" '
        f'aria-label="{words}" style="min-width: {least}px; --natural: {width}px; '
        'font-family: system-ui, sans-serif" '
        f'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"{inside.strip()}"
    )


def _tag_for_page(tag: str, name: str) -> str:
    """A tag with ids of its own and colours that the page can change."""
    tag = re.sub(r'( id=")', rf"\1{name}-", tag)
    tag = re.sub(r'((?:xlink:)?href="#)', rf"\1{name}-", tag)
    tag = tag.replace("url(#", f"url(#{name}-")
    for colour, variable in VARIABLES.items():
        tag = tag.replace(colour, f"var({variable}, {colour})")
    return _short(FAMILY.sub("system-ui, sans-serif", tag))


def _short(tag: str) -> str:
    """The same tag in fewer letters: a large table has a thousand of them."""
    # Hundredths of a point are seen by nobody.
    tag = re.sub(r"(\d\.\d\d)\d+", r"\1", tag)
    tag = re.sub(r' transform="rotate\(-?0(?:\.0*)? [^)]*\)"', "", tag)
    tag = tag.replace(f"{LETTERS}; ", "")
    tag = re.sub(r'<g id="[^"]*-(?:text|patch|line2d|[xy]tick)_\d+"', "<g", tag)
    tag = re.sub(r"\s+", " ", tag)
    return RECTANGLE.sub(r"M \1 \2 H \3 V \4 H \1 V \2", tag)


def _widths(points: float) -> tuple[int, int]:
    """The width in pixels, and the least one at which its words can be read."""
    pixels = points * PIXELS
    return round(pixels), round(pixels * SMALLEST)
