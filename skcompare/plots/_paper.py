"""Colours for figures on a dark background."""

from collections.abc import Sequence
from typing import Any

from skcompare.plots._style import CHALLENGER, CHAMPION, INK, LINE, SOFT

ON_DARK = {
    CHAMPION: "#6cb0ff",
    CHALLENGER: "#f0a24a",
    INK: "#e6edf3",
    SOFT: "#9aa7b4",
    LINE: "#36404c",
}
"""Those of the report in its dark form. Words on shaded cells keep theirs."""

COLOURED = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
OF_TICKS = ("color", "labelcolor", "grid_color")
DARKEST = 0.4
"""Backgrounds whose lightness, from 0 to 1, is below this are dark."""


def suit_paper(axes: Sequence[Any]) -> None:
    """Exchange the colours of what was drawn where the figure's background is dark.

    What the drawing did not colour itself has those of matplotlib's style already.
    """
    if not _is_dark(axes[0].figure.figure):
        return
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            known = axis.get_tick_params()
            axis.set_tick_params(
                **{name: _on_dark(known[name]) for name in OF_TICKS if name in known}
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
    """The colour, or colours, that take the place of these; themselves if none do."""
    from matplotlib.colors import to_hex, to_rgba, to_rgba_array

    rows = to_rgba_array(colour)
    known = [ON_DARK.get(to_hex(row)) for row in rows]
    if not any(known):
        return colour
    exchanged = [
        to_rgba(new, row[3]) if new else tuple(row) for new, row in zip(known, rows)
    ]
    # Lines and words have one colour, collections a list of them.
    return exchanged if getattr(colour, "ndim", 1) == 2 else exchanged[0]
