"""What stands below the axes, where it covers nothing; words for the roles."""

import textwrap
from collections.abc import Iterable
from typing import Any

from skcompare.plots._style import INK, brief

DISTANCE = 0.5
"""From the axes to what is below, in inches: room for the words of the axis."""

WIDEST = 46
"""Letters of a line above or below one of two panels."""

UNNAMED = {
    "champion": ("champion", "classifier 1"),
    "challenger": ("challenger", "classifier 2"),
}


def role_words(role: str, name: str) -> str:
    """The role, with the name of the classifier where it has one."""
    known = role.capitalize()
    return known if name in UNNAMED[role] else f"{known}: {brief(name)}"


def wrapped(lines: Iterable[str]) -> str:
    """Lines that are no wider than a panel; empty ones are left out."""
    return "\n".join(
        part
        for line in lines
        for part in textwrap.wrap(line, WIDEST, break_on_hyphens=False)
    )


def down_from(ax: Any) -> Any:
    """Places relative to the axes, moved below the words of the axis."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transAxes + ScaledTranslation(0, -DISTANCE, ax.figure.dpi_scale_trans)


def legend_below(ax: Any, **options: Any) -> Any:
    """A legend below the words of the axis."""
    return ax.legend(
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=down_from(ax),
        frameon=False,
        borderaxespad=0.0,
        fontsize="medium",
        labelcolor=INK,
        **options,
    )
