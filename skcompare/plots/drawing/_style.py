"""Style of plots: colours, markers, grids and shortened names."""

from collections.abc import Sequence
from typing import Any

from skcompare._core.formatting import format_confidence, shortened
from skcompare._core.report import LOSS, OPEN, WIN

# Colour-blind readers can distinguish dark blue and orange, and their lightness (L* of 33
# and 54) differs in grey. Line style and marker repeat the colour.
CHAMPION, CHALLENGER = "#004e8a", "#c96a00"
INK, SOFT, LINE = "#1d2733", "#5b6775", "#d8dee6"
# Green and purple differ for all readers, and are no colours of the roles.
WIN_COLOUR, LOSS_COLOUR = "#00705a", "#a0246e"

CHAMPION_STYLE: dict[str, Any] = {"color": CHAMPION, "linestyle": "--", "marker": "o"}
CHALLENGER_STYLE: dict[str, Any] = {"color": CHALLENGER, "linestyle": "-", "marker": "s"}
ROLE_STYLES = (CHAMPION_STYLE, CHALLENGER_STYLE)
"""Styles of champion and challenger, in this order."""

OUTCOME_MARKS = {
    WIN: (WIN_COLOUR, "^", "▲"),
    LOSS: (LOSS_COLOUR, "v", "▼"),
    OPEN: (SOFT, "o", "●"),
}
"""Colour, marker and sign of each outcome."""

LONGEST = 28
"""Largest number of characters of a name in a picture; the frame has all of them."""


def dress(ax: Any, grid: str = "both") -> None:
    """Style axes: two spines, small ticks, a light grid in the background.

    `grid` is "both", "x", "y" or "none".
    """
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(SOFT)
    ax.tick_params(colors=INK, labelsize="medium", length=3)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(INK)
    ax.set_facecolor("none")
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid != "none":
        ax.grid(True, axis=grid, color=LINE, linewidth=0.8)


LEAST_PLAIN, MOST_PLAIN = 1e-4, 1e5
"""Range of numbers whose ticks matplotlib labels without an exponent beside the axis."""

LONG_TICKS = 1e4
"""Number from which few ticks have room for their labels side by side."""


def plain_ticks(ax: Any) -> None:
    """Label ticks of huge and tiny numbers by themselves, without a common exponent.

    That would be written over the label of the axis, or beside the title.
    """
    from matplotlib.ticker import AutoLocator, MaxNLocator, ScalarFormatter

    for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        largest = max(map(abs, ends))
        # Formatters and locators of logarithmic axes are of another kind.
        if type(axis.get_major_formatter()) is not ScalarFormatter:
            continue
        is_plain = LEAST_PLAIN <= largest <= MOST_PLAIN
        if not is_plain:
            axis.set_major_formatter(tick_text)
        is_long = largest >= LONG_TICKS or not is_plain
        if is_long and axis is ax.xaxis and type(axis.get_major_locator()) is AutoLocator:
            axis.set_major_locator(MaxNLocator(nbins=4))


def tick_text(value: float, position: Any = None) -> str:
    """Format a huge or tiny number in a few characters, such as 2.5e8."""
    text = f"{value:g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return text.replace("-", "\N{MINUS SIGN}")


def line_of_zero(ax: Any, at: float = 0.0, *, vertical: bool = True) -> Any:
    """Draw the line of no difference."""
    draw = ax.axvline if vertical else ax.axhline
    return draw(at, color=INK, linewidth=1.0, zorder=1.5)


def mark(
    ax: Any,
    x: float,
    y: float,
    marker: str,
    size: float,
    color: str = CHAMPION,
    **style: Any,
) -> None:
    """Draw a mark, by default in the colour of the champion."""
    style = {"markerfacecolor": color, "markeredgewidth": 1.2, "zorder": 3} | style
    ax.plot([x], [y], color=color, marker=marker, ms=size, ls="none", **style)


def write(ax: Any, text: str, at: Any, shift: tuple[float, float], **style: Any) -> None:
    """Write text that is shifted from a place by points."""
    style = {"va": "center", "color": INK, "annotation_clip": False} | style
    ax.annotate(text, xy=at, xytext=shift, textcoords="offset points", **style)


def brief(name: Any) -> str:
    """Shorten a name, with an ellipsis if truncated."""
    return literal(shortened(str(name), LONGEST))


def literal(text: str) -> str:
    """Escape dollar signs, which matplotlib would read as math."""
    return text.replace("$", r"\$")


def percent(level: float) -> str:
    """Format a confidence level, such as "95 %"."""
    return format_confidence(max(1 - level, 1e-15))


ON_DARK = {
    CHAMPION: "#6cb0ff",
    CHALLENGER: "#f0a24a",
    INK: "#e6edf3",
    SOFT: "#9aa7b4",
    LINE: "#36404c",
    WIN_COLOUR: "#45c3a3",
    LOSS_COLOUR: "#f28bc8",
}
"""Colours on a dark background. Text on shaded cells keeps its colour."""

COLOURED = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
OF_TICKS = ("color", "labelcolor", "grid_color")
DARKEST = 0.4
"""Backgrounds whose lightness, from 0 to 1, is below this are dark."""


def suit_paper(axes: Sequence[Any]) -> None:
    """Replace the colours of displays if the figure has a dark background.

    All other artists have the colours of matplotlib's style already.
    """
    if not _is_dark(axes[0].figure.figure):
        return
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            ticks = axis.get_tick_params()
            axis.set_tick_params(
                **{name: _on_dark(ticks[name]) for name in OF_TICKS if name in ticks}
            )
        for artist in ax.findobj():
            _recolour(artist)


def _is_dark(figure: Any) -> bool:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(figure.get_facecolor())
    return bool(alpha > 0 and 0.299 * red + 0.587 * green + 0.114 * blue < DARKEST)


def _recolour(artist: Any) -> None:
    for name in COLOURED:
        getter, setter = (getattr(artist, f"{do}_{name}", None) for do in ("get", "set"))
        if getter is None or setter is None:
            continue
        before = getter()
        after = _on_dark(before)
        if after is not before:
            setter(after)


def _on_dark(colour: Any) -> Any:
    """Replace colours by those for a dark background, or return them unchanged."""
    from matplotlib.colors import to_hex, to_rgba, to_rgba_array

    rows = to_rgba_array(colour)
    replacements = [ON_DARK.get(to_hex(row)) for row in rows]
    if not any(replacements):
        return colour
    colours = [
        to_rgba(new, row[3]) if new else tuple(row) for new, row in zip(replacements, rows)
    ]
    # Lines and text have one colour, collections a list of them.
    return colours if getattr(colour, "ndim", 1) == 2 else colours[0]
