"""Figures, panels and legends of displays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare.exceptions import MissingDependencyError
from skcompare.plots.drawing._style import INK, brief
from skcompare.plots.drawing._text import wrapped


@dataclass(frozen=True, slots=True)
class Room:
    """Size of a figure in inches, and its grid of panels in row-major order.

    `heights` and `widths` are relative, one per row and one per column; `together` names
    the axes that the panels of a column or row share: "x", "y", "both" or "none".
    """

    width: float = 6.4
    height: float = 4.0
    heights: tuple[float, ...] = (1.0,)
    widths: tuple[float, ...] = (1.0,)
    together: str = "none"

    @property
    def n_panels(self) -> int:
        """Number of panels."""
        return len(self.heights) * len(self.widths)


def room_for(ax: Any, room: Room) -> tuple[Any, list[Any]]:
    """Return the figure and the axes to draw on.

    Parameters
    ----------
    ax : matplotlib Axes, sequence of Axes, or None
        None makes a figure of pyplot. Axes are drawn on; for a picture with several panels,
        a single one is replaced by a grid of panels.
    room : Room
        Size and panels of the picture.
    """
    try:
        from matplotlib.axes import Axes
    except ImportError as error:
        raise MissingDependencyError(
            "Drawing needs matplotlib. Install it: pip install matplotlib. The "
            "numbers of the picture are in `frame()` all the same."
        ) from error
    if ax is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(room.width, room.height), layout="constrained")
        return figure, _panels(figure.add_gridspec, figure, room)
    axes = [ax] if isinstance(ax, Axes) else list(np.ravel(np.asarray(ax, dtype=object)))
    if not axes or not all(isinstance(item, Axes) for item in axes):
        raise TypeError(
            "`ax` must be axes of matplotlib, a sequence of them, or None. Got "
            f"{type(ax).__name__}."
        )
    if len(axes) == room.n_panels:
        return axes[0].figure, axes
    if len(axes) > 1:
        raise ValueError(
            f"`ax` must be one Axes, or {room.n_panels} of them, one per panel. Got "
            f"{len(axes)}."
        )
    return axes[0].figure, _within(axes[0], room)


def new_figure(room: Room) -> tuple[Any, list[Any]]:
    """Create a figure without pyplot, for saving to a file."""
    from matplotlib.figure import Figure

    # A page replaces the colours itself, whatever style is in use.
    figure = Figure(
        figsize=(room.width, room.height), layout="constrained", facecolor="white"
    )
    return figure, _panels(figure.add_gridspec, figure, room)


def _within(ax: Any, room: Room) -> list[Any]:
    """Replace axes by a grid of panels."""
    if not ax.axison or ax.has_data():
        raise ValueError(
            f"This picture puts {room.n_panels} panels in the place of axes. Got axes that "
            "were drawn on already. Pass empty ones; or `ax=display.axes_`, to draw on the "
            "panels of an earlier picture."
        )
    spec = ax.get_subplotspec()
    if spec is None:
        raise ValueError(
            f"This picture has {room.n_panels} panels, which need axes of a grid, such as "
            "those of plt.subplots(). Got axes that are not in a grid."
        )
    ax.set_axis_off()
    return _panels(spec.subgridspec, ax.figure, room)


def _panels(make_grid: Any, figure: Any, room: Room) -> list[Any]:
    heights, widths = room.heights, room.widths
    grid = make_grid(len(heights), len(widths), height_ratios=heights, width_ratios=widths)
    share_x, share_y = (room.together in (axis, "both") for axis in "xy")
    panels: list[Any] = []
    for row in range(len(heights)):
        for column in range(len(widths)):
            above = panels[column] if share_x and row else None
            left = panels[row * len(widths)] if share_y and column else None
            panels.append(figure.add_subplot(grid[row, column], sharex=above, sharey=left))
    # Later calls of pyplot apply to the main panel.
    figure.sca(panels[0])
    return panels


SMALLEST = 0.5
"""Share of its size to which text is scaled down on given axes."""

CHARACTER = 0.56
"""Width of an average character of a title as a share of its height."""


def fit_room(axes: list[Any], room: Room) -> None:
    """Fit what was drawn into axes that were given with less room than it needs.

    Text and its distances are scaled down together, so that they keep their places, and
    titles are wrapped to the width of their axes. The size of the figure stays.
    """
    width, height = size_of(axes)
    scale = min(1.0, width / room.width, height / room.height)
    if scale > 1 - 1e-3:
        return
    scale = max(SMALLEST, scale)
    for k, ax in enumerate(axes):
        _scale_text(ax, scale)
        share = room.widths[k % len(room.widths)] / sum(room.widths)
        size = 72 * width * share / (CHARACTER * ax.title.get_fontsize())
        for title in (ax.title, ax._left_title, ax._right_title):
            lines = title.get_text().split("\n")
            title.set_text("\n".join(wrapped(lines, max(16, int(size)))))


def size_of(axes: Sequence[Any]) -> tuple[float, float]:
    """Return width and height in inches of the cells of a figure that axes are in."""
    figure = axes[0].figure
    size = figure.bbox.width / figure.figure.dpi, figure.bbox.height / figure.figure.dpi
    specs = [ax.get_subplotspec() for ax in axes]
    if any(spec is None for spec in specs):
        boxes = [ax.get_position(original=True) for ax in axes]
        left, right = min(b.x0 for b in boxes), max(b.x1 for b in boxes)
        low, high = min(b.y0 for b in boxes), max(b.y1 for b in boxes)
        return size[0] * (right - left), size[1] * (high - low)
    tops = [spec.get_topmost_subplotspec() for spec in specs]
    grid = tops[0].get_gridspec()
    shares = []
    for spans, ratios, n in (
        ([top.colspan for top in tops], grid.get_width_ratios(), grid.ncols),
        ([top.rowspan for top in tops], grid.get_height_ratios(), grid.nrows),
    ):
        parts = np.ones(n) if ratios is None else np.asarray(ratios, dtype=float)
        first, last = min(s.start for s in spans), max(s.stop for s in spans)
        shares.append(parts[first:last].sum() / parts.sum())
    return size[0] * shares[0], size[1] * shares[1]


def _scale_text(ax: Any, scale: float) -> None:
    """Scale the text of axes, with the distances of annotations from their places."""
    from matplotlib.text import Annotation, Text

    ticks = {
        label for a in (ax.xaxis, ax.yaxis) for label in a.get_ticklabels(which="both")
    }
    for text in ax.findobj(Text):
        if text in ticks:
            continue
        text.set_fontsize(scale * text.get_fontsize())
        if isinstance(text, Annotation) and text.anncoords == "offset points":
            x, y = text.xyann
            text.xyann = (scale * x, scale * y)
    for axis in (ax.xaxis, ax.yaxis):
        labels = axis.get_ticklabels()
        if labels:
            axis.set_tick_params(labelsize=scale * labels[0].get_fontsize())


DISTANCE = 0.5
"""Distance in inches from the axes to a legend: room for the labels of the axis."""

UNNAMED = {
    "champion": ("champion", "classifier 1"),
    "challenger": ("challenger", "classifier 2"),
}


def role_text(role: str, name: str) -> str:
    """Format a role with the name of its classifier, if there is one."""
    title = role.capitalize()
    return title if name in UNNAMED[role] else f"{title}: {brief(name)}"


LONGEST_SIDE = 20
"""Largest number of characters of a name that stands for a role."""


def sides_of(champion: str, challenger: str) -> tuple[str, str]:
    """Return the names of two models if they are short, or else their roles."""
    named = {"champion": champion, "challenger": challenger}
    short = all(0 < len(name) <= LONGEST_SIDE for name in named.values())
    if not short or any(name in UNNAMED[role] for role, name in named.items()):
        return "champion", "challenger"
    return brief(champion), brief(challenger)


ROLE_WORD = re.compile(r"\b(champion|challenger)\b(?!:| \()", re.IGNORECASE)
"""A role in a text, unless its name follows."""


def name_roles(axes: Sequence[Any], sides: tuple[str, str]) -> None:
    """Replace the roles in the text of axes by the names of the models, if these are short.

    Parameters
    ----------
    axes : sequence of Axes
        The axes that were drawn on.
    sides : tuple of str
        Names of champion and challenger, or these words.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedLocator

    names = dict(zip(("champion", "challenger"), sides))
    if all(role == name for role, name in names.items()):
        return

    def named(text: str) -> str:
        return ROLE_WORD.sub(lambda match: names[match[0].lower()], text)

    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            if not isinstance(axis.get_major_locator(), FixedLocator):
                continue
            labels = [label.get_text() for label in axis.get_ticklabels()]
            if any(map(ROLE_WORD.search, labels)):
                axis.set_ticklabels([named(label) for label in labels])
        for text in ax.findobj(Text):
            text.set_text(named(text.get_text()))


def down_from(ax: Any) -> Any:
    """Return the transform of the axes, shifted below the x-axis labels."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transAxes + ScaledTranslation(0, -DISTANCE, ax.figure.dpi_scale_trans)


LEGEND: dict[str, Any] = {"loc": "upper left", "frameon": False, "labelcolor": INK}


def legend_at(ax: Any, y: float, handles: Any, **options: Any) -> None:
    """Draw a small legend at a share of the height of the axes."""
    place = {"bbox_to_anchor": (-0.02, y), "fontsize": "small"}
    ax.legend(handles=handles, **place, **LEGEND, **options)


def legend_below(ax: Any, **options: Any) -> None:
    """Draw a legend below the x-axis labels."""
    place = {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": down_from(ax)}
    ax.legend(borderaxespad=0.0, fontsize="medium", **place, **LEGEND, **options)
