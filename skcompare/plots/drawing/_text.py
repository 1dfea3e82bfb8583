"""Width of text, and remarks below a plot."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from skcompare.plots.drawing._style import SOFT, literal, write

SIZE, SMALL = 9.0, 8.0
"""Font sizes of the text of rows, and of remarks."""

CHARACTER = 0.6
"""Width of an average character as a share of its height, rather too large."""

WIDER = 0.4
"""Additional width of a mathematical sign, as a share of that of a character."""

WIDEST = 46
"""Characters of a line above or below one of two panels."""

REMARK = 0.16
"""Height in inches of a line of remarks."""


def text_below(
    ax: Any, remarks: Sequence[str], width: float, left: float, *, under: Any = None
) -> None:
    """Write remarks below the last panel.

    `width` is that of the picture in inches, and `left` the distance from their beginning
    to the axes. They stand below `under`, by default the label of the axis.
    """
    if not remarks:
        return
    text = literal("\n".join(remark_lines(remarks, width)))
    style = {"fontsize": SMALL, "color": SOFT, "va": "top", "linespacing": 1.25}
    under = under or ax.xaxis.label
    write(ax, text, (0, 0), (-72 * left, -8), xycoords=(ax.transAxes, under), **style)


def remark_lines(remarks: Iterable[str], width: float) -> list[str]:
    """Wrap remarks to the width of a figure in inches."""
    return wrapped(remarks, max(40, int((width - 0.3) * 72 / (SMALL * 0.56))))


def wrapped(lines: Iterable[str], characters: int) -> list[str]:
    """Wrap lines to a number of characters, dropping empty lines.

    They are not broken before a percent sign.
    """
    whole = "\N{NO-BREAK SPACE}%"
    return [
        part.replace(whole, " %")
        for line in lines
        for part in textwrap.wrap(
            line.replace(" %", whole), characters, break_on_hyphens=False
        )
    ]


def inches_of(text: str, size: float = SIZE) -> float:
    """Estimate the width of text in inches, by its longest line."""
    return max(map(_characters, text.split("\n"))) * size * CHARACTER / 72


def points_of(text: str, size: float) -> float:
    """Measure the width of text in points, by its longest line."""
    from matplotlib.textpath import TextPath

    lines = filter(str.strip, text.split("\n"))
    widths = [TextPath((0, 0), line, size=size).get_extents().width for line in lines]
    return float(max(widths, default=0.0))


def _characters(line: str) -> float:
    """Return the width of a line in average characters."""
    return len(line) + WIDER * sum(line.count(sign) for sign in "+−=<>≥≤")
