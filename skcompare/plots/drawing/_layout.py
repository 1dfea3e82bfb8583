"""Figures, panels and legends of displays."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from skcompare.exceptions import MissingDependencyError
from skcompare.plots.drawing._labels import short_names
from skcompare.plots.drawing._style import INK, LONGEST, literal
from skcompare.plots.drawing._text import points_of, wrapped


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

ROLES = "champion", "challenger"
UNNAMED = ("champion", "classifier 1"), ("challenger", "classifier 2")
"""Names of each role that say no more than the role."""

LONGEST_SIDE, SHORTEST_SIDE, IN_COLUMNS = 20, 8, 12
"""Largest number of characters of a name that stands for a role; in legends `LONGEST`, and
`IN_COLUMNS` in those of several columns. The names of titles and labels that are longer
than their axes are shortened further."""

WRAPPED = 0.85
"""Share of the width of a figure to which titles with names are wrapped."""

ROLE_WORD = r"\b(?:the )?(?P<role>champion|challenger)\b"


def side_names(sides: Sequence[str], longest: int = LONGEST_SIDE) -> list[str]:
    """Return the names of two models, shortened, or the role of one without a name."""
    names = short_names(sides, longest)
    return [
        role if not side.strip() or side in unnamed else name
        for role, side, unnamed, name in zip(ROLES, sides, UNNAMED, names)
    ]


def named(
    text: str,
    sides: Sequence[str],
    longest: int = LONGEST_SIDE,
    *,
    escape: Callable[[str], str] = str,
) -> str:
    """Replace the roles in a text by the names of the models.

    Parameters
    ----------
    text : str
        Text on "the champion" and "the challenger". Names that it has already are left as
        they are, even if a role is a part of them.
    sides : sequence of str
        Names of champion and challenger, or these words.
    longest : int
        Largest number of characters of a name.
    escape : callable
        What changes a name for the text, such as `literal`.
    """
    names = dict(zip(ROLES, map(escape, side_names(sides, longest))))
    if tuple(names.values()) == ROLES:
        return text
    lengths = LONGEST, LONGEST_SIDE, IN_COLUMNS, longest
    whole = [re.escape(escape(n)) for size in lengths for n in side_names(sides, size)]
    whole = [name for name in whole if name not in ROLES]

    def name_of(match: re.Match[str]) -> str:
        role = (match["role"] or "").lower()
        return match[0] if names.get(role, role) == role else names[role]

    return re.sub("|".join([*whole, ROLE_WORD]), name_of, text, flags=re.IGNORECASE)


def name_roles(axes: Sequence[Any], sides: tuple[str, str]) -> None:
    """Replace the roles in the text of axes, but for their labels, by names of models.

    Parameters
    ----------
    axes : sequence of Axes
        The axes that were drawn on.
    sides : tuple of str
        Names of champion and challenger, or these words.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedLocator

    if tuple(side_names(sides)) == ROLES:
        return
    for ax in axes:
        for axis in (ax.xaxis, ax.yaxis):
            if not isinstance(axis.get_major_locator(), FixedLocator):
                continue
            labels = [label.get_text() for label in axis.get_ticklabels()]
            if any(re.search(ROLE_WORD, label, re.IGNORECASE) for label in labels):
                axis.set_ticklabels(
                    [named(label, sides, escape=literal) for label in labels]
                )
        legend = ax.get_legend()
        for text in [] if legend is None else legend.get_texts():
            longest = IN_COLUMNS if legend._ncols > 1 else LONGEST
            text.set_text(named(text.get_text(), sides, longest, escape=literal))
        titles = ax.title, ax._left_title, ax._right_title
        others = (*titles, ax.xaxis.label, ax.yaxis.label)
        for text in set(ax.findobj(Text)).difference(others):
            text.set_text(named(text.get_text(), sides, escape=literal))
        for title in titles:
            _name_title(ax, title, sides)


def _name_title(ax: Any, title: Any, sides: tuple[str, str]) -> None:
    """Put names into a title, and wrap lines that even short ones make too long."""
    before = title.get_text()
    if named(before, sides, escape=literal) == before:
        return
    width = 72 * size_of([ax])[0] / (CHARACTER * title.get_fontsize())
    most = max(int(WRAPPED * width), *map(len, before.split("\n")))
    for longest in range(LONGEST_SIDE, IN_COLUMNS - 1, -1):
        lines = named(before, sides, longest, escape=literal).split("\n")
        if max(map(len, lines)) <= most:
            break
    title.set_text("\n".join(wrapped(lines, most)))


def name_labels(axes: Sequence[Any], sides: tuple[str, str]) -> None:
    """Replace the roles in the labels of axes, by names as long as their size allows."""
    labels = [
        (ax, side, text, text.get_text())
        for ax in axes
        for text, side in ((ax.xaxis.label, "width"), (ax.yaxis.label, "height"))
        if re.search(ROLE_WORD, text.get_text(), re.IGNORECASE)
    ]
    if not labels or tuple(side_names(sides)) == ROLES:
        return
    full = [named(before, sides, escape=literal) for *_, before in labels]
    # There is room for the roles.
    are_short = all(len(a) <= len(before) for a, (*_, before) in zip(full, labels))
    for after, (_, _, text, before) in zip(full, labels):
        shortest = named(before, sides, SHORTEST_SIDE, escape=literal)
        text.set_text(after if are_short else shortest)
    if are_short:
        return
    with catch_warnings():
        # If there is no room at all, this is said again when the figure is drawn.
        simplefilter("ignore", UserWarning)
        # Long labels would themselves make the axes smaller.
        axes[0].figure.figure.draw_without_rendering()
    for ax, side, text, before in labels:
        most = 72 * getattr(ax.bbox, side) / ax.figure.dpi
        for longest in range(LONGEST_SIDE, SHORTEST_SIDE - 1, -1):
            after = named(before, sides, longest, escape=literal)
            if points_of(after, text.get_fontsize()) <= most:
                break
        text.set_text(after)


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
