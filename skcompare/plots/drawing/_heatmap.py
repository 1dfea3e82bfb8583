"""Heat maps with text in each cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skcompare._typing import FloatArray
from skcompare.plots.drawing._style import INK

# One hue, from almost white to nearly the champion's dark blue: grey has the same order.
# The last one is not exactly that blue, which is replaced on a dark page.
SHADES = ("#f4f7fb", "#c3d6e8", "#8fb3d3", "#5889b8", "#2a659b", "#004e8b")
# From a loss to a win, by way of almost white; none is exactly a colour that is replaced.
LOSSES = ("#7d1053", "#9c2f74", "#cd70a6", "#e9b0d0", "#f6dbea")
WINS = ("#d3ebe6", "#96cfc4", "#459a8d", "#0c6357", "#01503f")
DIVERGING = (*LOSSES, "#f7f7f7", *WINS)
MUTED = "#56616e"
"""Text of a muted cell, which keeps its light ground on a dark page."""
DARK = 0.68
"""Shade from which white text has more contrast than dark text."""


def heat_table(
    ax: Any,
    shades: FloatArray,
    text: Sequence[Sequence[str]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    size: float | str = "medium",
    muted: Any = None,
) -> Any:
    """Draw a heat map of shades between 0 and 1, with text in each cell.

    The first row is the uppermost one. With a mask of `muted` cells, whose text is grey,
    the shades are between -1 and 1, from a loss to a win.
    """
    from matplotlib.colors import LinearSegmentedColormap

    n_rows, n_columns = shades.shape
    edges = (np.arange(n + 1) - 0.5 for n in (n_columns, n_rows))
    stops, least = (SHADES, 0.0) if muted is None else (DIVERGING, -1.0)
    colours = LinearSegmentedColormap.from_list("skcompare", stops)
    style = {"edgecolors": "white", "linewidth": 1.0, "clip_on": False}
    # Cells as shapes, which stay sharp in a file of any size; an image would not.
    mesh = ax.pcolormesh(*edges, shades, cmap=colours, vmin=least, vmax=1.0, **style)
    for i in range(n_rows):
        for j in range(n_columns):
            is_muted = muted is not None and muted[i, j]
            color = MUTED if is_muted else _ink_on(abs(shades[i, j]))
            ax.text(j, i, text[i][j], ha="center", va="center", fontsize=size, color=color)
    ax.set_xticks(range(n_columns), columns)
    ax.set_yticks(range(n_rows), rows)
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(n_rows - 0.5, -0.5)
    ax.tick_params(length=0, colors=INK)
    ax.set_facecolor("none")
    for spine in ax.spines.values():
        spine.set_visible(False)
    return mesh


def frame_cell(
    ax: Any, row: int, column: int, shade: float, size: float, **style: Any
) -> None:
    """Draw a frame within a cell, in the colour of the cell's text."""
    from matplotlib.patches import Rectangle

    corner = (column - size / 2, row - size / 2)
    ax.add_patch(Rectangle(corner, size, size, fill=False, ec=_ink_on(shade), **style))


def _ink_on(shade: float) -> str:
    """Return the colour of text and frames on a shade."""
    # Not the ink of the page, because the shade is unchanged on a dark page.
    return "#ffffff" if shade >= DARK else "#101820"
