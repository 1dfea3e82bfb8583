"""Figures, panels and legends of displays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare.exceptions import MissingDependencyError
from skcompare.plots.drawing._style import INK, brief


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
            f"`ax` must be one Axes, or {room.n_panels} of them, a panel each. Got "
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
            "those of plt.subplots(). Got axes that stand by themselves."
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
