"""How all pictures look: colours that differ in grey too, marks, and words that fit."""

import textwrap
from typing import Any

from skcompare._core.formatting import format_confidence, in_one_line

# Dark blue and orange are told apart by colour-blind readers, and their lightness (L* of
# 33 and 54) by readers in grey. Line and mark repeat what the colour says.
CHAMPION, CHALLENGER = "#004e8a", "#c96a00"
INK, SOFT, LINE = "#1d2733", "#5b6775", "#d8dee6"

CHAMPION_STYLE: dict[str, Any] = {"color": CHAMPION, "linestyle": "--", "marker": "o"}
CHALLENGER_STYLE: dict[str, Any] = {"color": CHALLENGER, "linestyle": "-", "marker": "s"}
ROLE_STYLES = (CHAMPION_STYLE, CHALLENGER_STYLE)
"""Champion and challenger, in this order."""

LONGEST = 28
"""Letters of a name within a picture; the frame has all of them."""


def dress(ax: Any, grid: str = "both") -> None:
    """Quiet axes: two spines, small ticks, a light grid behind what is drawn.

    `grid` is "both", "x", "y" or "none".
    """
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(SOFT)
    ax.tick_params(colors=INK, labelsize="medium", length=3)
    for words in (ax.xaxis.label, ax.yaxis.label, ax.title):
        words.set_color(INK)
    ax.set_facecolor("none")
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid != "none":
        ax.grid(True, axis=grid, color=LINE, linewidth=0.8)


def line_of_zero(ax: Any, at: float = 0.0, *, vertical: bool = True) -> Any:
    """The line of no difference."""
    draw = ax.axvline if vertical else ax.axhline
    return draw(at, color=INK, linewidth=1.0, zorder=1.5)


def brief(name: Any, longest: int = LONGEST, lines: int = 1) -> str:
    """A name that fits: in one line, or wrapped, with an ellipsis where it is cut."""
    words = in_one_line(str(name))
    if lines == 1:
        cut = words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"
        return literal(cut)
    wrapped = textwrap.wrap(words, longest, max_lines=lines, placeholder=" …")
    return literal("\n".join(wrapped or [""]))


def literal(words: str) -> str:
    """Words that matplotlib shows as they are: two dollars would make a formula."""
    return words.replace("$", r"\$")


def percent(level: float) -> str:
    """A confidence level in words, such as "95 %"."""
    return format_confidence(max(1 - level, 1e-15))
