"""Axes of forest plots: one estimate and interval per row, with columns of text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skcompare._typing import FloatArray
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import CHAMPION, INK, LINE, SOFT, dress, mark, write
from skcompare.plots.drawing._text import REMARK, SIZE, SMALL, inches_of, remark_lines
from skcompare.plots.forest._interval_rows import IntervalRow

BOLD = 1.12
"""Ratio of the widths of bold and normal text."""

ROW, HEAD = 0.3, 0.95
"""Heights in inches of a row, and of all else in a panel."""

PLOT = 3.4
"""Width in inches between the names and the columns of text."""

GOES_ON = "Arrow: it goes on beyond the axis; the words have the limits."

GAP = 0.16
"""Inches between columns of text."""

WIDEST = 6.0
"""Multiple of the median half-width beyond which an interval is cut by an arrow."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Content of a panel, row by row from top to bottom.

    `cells` has the text beside each row, by columns, and `header` their heads. Estimates
    and limits of the rows may be infinite or NaN, which is not drawn. `bold` marks the
    primary rows.
    """

    rows: Sequence[IntervalRow]
    names: Sequence[str]
    cells: Sequence[Sequence[str]]
    header: Sequence[str]
    bold: Sequence[bool]
    label: str
    sides: tuple[str, str]
    title: str = ""
    null: float = 0.0
    log: bool = False
    markers: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def estimates(self) -> FloatArray:
        """Estimates of the rows."""
        return np.array([row.estimate for row in self.rows], dtype=float)

    @property
    def limits(self) -> FloatArray:
        """Limits of the rows, of shape (n_rows, 2)."""
        return np.array([row.limits for row in self.rows], dtype=float)


def room_of(panels: Sequence[Lines], remarks: Sequence[str]) -> Room:
    """Compute the size of the figure from its panels, text and remarks."""
    width = names_width(panels) + PLOT + sum(column_widths(panels)) + 0.3
    heights = tuple(ROW * len(lines) for lines in panels)
    text_height = HEAD * len(panels) + REMARK * len(remark_lines(remarks, width))
    return Room(width=width, height=sum(heights) + text_height + 0.2, heights=heights)


def draw_lines(ax: Any, lines: Lines, widths: Sequence[float]) -> None:
    """Draw one panel: rows, the line of no difference, margins, and columns of text.

    `widths` has the width of each column in inches, the same in all panels.
    """
    n = len(lines)
    low, high = _view(lines)
    if lines.log:
        ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(n - 0.4, -0.6)
    dress(ax, grid="x")
    if lines.log:
        _ratio_ticks(ax, low, high)
    ax.spines["left"].set_visible(False)
    _margins(ax, lines, low, high)
    ax.plot([lines.null] * 2, [-0.6, n - 0.4], color=INK, linewidth=1.0, zorder=1.5)
    for k in range(n):
        _row(ax, lines, k, low, high)
    ax.set_yticks(range(n), lines.names, fontsize=SIZE)
    ax.tick_params(axis="y", length=0, pad=8)
    for label, bold in zip(ax.get_yticklabels(), lines.bold):
        label.set_fontweight("bold" if bold else "normal")
    _columns(ax, lines, widths)
    if lines.title:
        ax.set_title(lines.title, loc="left", fontsize=10.5, pad=22, color=INK)
    ax.set_xlabel(lines.label, fontsize=SIZE)


def goes_on(lines: Lines) -> bool:
    """Whether an interval or estimate extends beyond the axis."""
    low, high = _view(lines)
    ends = np.append(lines.limits, lines.estimates)
    return bool(((ends < low) | (ends > high)).any())


def names_width(panels: Sequence[Lines]) -> float:
    """Return the width in inches of the longest row name."""
    return max(inches_of(name) for lines in panels for name in lines.names) + 0.15


def column_widths(panels: Sequence[Lines]) -> list[float]:
    """Return the width in inches of each text column, common to all panels."""
    rows = [
        [inches_of(text) * (BOLD if bold and k == 0 else 1) for k, text in enumerate(row)]
        for lines in panels
        for row, bold in zip(
            [lines.header, *lines.cells], [False, *lines.bold], strict=True
        )
    ]
    return [max(column) + GAP for column in zip(*rows, strict=True)]


def _columns(ax: Any, lines: Lines, widths: Sequence[float]) -> None:
    """Write the columns of text to the right of the axes, with their headers."""
    x = GAP * 72
    of_row = {"xycoords": ("axes fraction", "data"), "fontsize": SIZE}
    above = {"xycoords": "axes fraction", "fontsize": SMALL, "color": SOFT}
    for k, width in enumerate(widths):
        for row, cells in enumerate(lines.cells):
            weight = "bold" if lines.bold[row] and k == 0 else "normal"
            if cells[k]:
                write(ax, cells[k], (1, row), (x, 0), fontweight=weight, **of_row)
        write(ax, lines.header[k], (1, 1), (x, 9), **above)
        x += 72 * width
    for text, at, side in zip(lines.sides, (0, 1), ("left", "right")):
        write(ax, text, (at, 1), (0, 9), ha=side, **above)


def _row(ax: Any, lines: Lines, k: int, low: float, high: float) -> None:
    """Draw an estimate and its interval, with arrows for ends beyond the axis."""
    estimate, ends = lines.rows[k].estimate, lines.rows[k].limits
    width = 2.4 if lines.bold[k] else 1.6
    if not any(map(math.isnan, ends)):
        start, stop = max(ends[0], low), min(ends[1], high)
        ax.plot([start, stop], [k, k], color=CHAMPION, linewidth=width, zorder=2.5)
        for end, beyond, edge, arrow in (
            (ends[0], ends[0] < low, low, "<"),
            (ends[1], ends[1] > high, high, ">"),
        ):
            if beyond:
                mark(ax, edge, k, arrow, 6, clip_on=False)
            else:
                ax.plot([end, end], [k - 0.14, k + 0.14], color=CHAMPION, linewidth=width)
    if math.isnan(estimate):
        return
    marker = lines.markers[k] if lines.markers else "s"
    if low <= estimate <= high:
        size = 8 if lines.bold[k] else 6.5
        face = "none" if lines.rows[k].test is None else CHAMPION
        mark(ax, estimate, k, marker, size, markerfacecolor=face, clip_on=False)
    elif math.isnan(ends[0]):
        edge, arrow = (low, "<") if estimate < low else (high, ">")
        mark(ax, edge, k, arrow, 7, clip_on=False)


def _margins(ax: Any, lines: Lines, low: float, high: float) -> None:
    """Draw margins as shaded bands, and excluded regions as hatched areas."""
    from matplotlib.patches import Rectangle

    for k, row in enumerate(lines.rows):
        band = row.band
        if band is not None:
            place = (-band, k - 0.5), 2 * band, 1.0
            ax.add_patch(Rectangle(*place, fc=LINE, alpha=0.6, zorder=0.5, lw=0))
            for edge in (-band, band):
                _edge(ax, edge, k, 0.5)
        for start, stop in row.excluded:
            left, right = max(start, low), min(stop, high)
            place = (left, k - 0.42), right - left, 0.84
            ax.add_patch(
                Rectangle(*place, fc="none", ec=LINE, hatch="////", lw=0, zorder=0.5)
            )
            for edge in (start, stop):
                if math.isfinite(edge):
                    _edge(ax, edge, k, 0.42)


def _edge(ax: Any, at: float, row: int, half: float) -> None:
    ax.plot([at, at], [row - half, row + half], color=SOFT, linewidth=1.2, linestyle=":")


def _view(lines: Lines) -> tuple[float, float]:
    """Return the axis limits, which leave out the ends of very long intervals."""
    scale = np.log if lines.log else np.asarray
    with np.errstate(divide="ignore", invalid="ignore"):
        estimates, limits = scale(lines.estimates), scale(lines.limits)
    edges = [edge for row in lines.rows for part in row.excluded for edge in part]
    edges += [sign * row.band for row in lines.rows if row.band for sign in (-1, 1)]
    # Margins are always visible, because intervals are read against them.
    fixed = [float(scale(np.asarray(lines.null))), *filter(math.isfinite, edges)]
    finite = estimates[np.isfinite(estimates)]
    with np.errstate(invalid="ignore"):
        halves = np.abs(limits - estimates[:, np.newaxis])
    positive = halves[np.isfinite(halves) & (halves > 0)]
    longest = WIDEST * float(np.median(positive)) if len(positive) else 0.0
    # A missing limit needs no more room than the other one.
    lengths = np.where(np.isfinite(halves), halves, halves[:, ::-1])
    reach = np.minimum(np.where(np.isfinite(lengths), lengths, 0.0), longest) * np.array(
        [-1, 1]
    )
    near = estimates[:, np.newaxis] + reach
    visible = np.concatenate([finite, near[np.isfinite(near)], fixed])
    low, high = float(visible.min()), float(visible.max())
    room = 0.06 * (high - low) or 0.05
    low, high = low - room, high + room
    return (math.exp(low), math.exp(high)) if lines.log else (low, high)


def _ratio_ticks(ax: Any, low: float, high: float) -> None:
    """Set the ticks of a ratio axis as plain numbers, including 1."""
    from matplotlib.ticker import FixedLocator, NullLocator

    if high / low < 3:
        span = high - low
        raw = span / 5
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= raw)
        ticks = 1 + step * np.arange(math.ceil((low - 1) / step), (high - 1) // step + 1)
    else:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps: tuple[float, ...] = (1, 1.5, 2, 3, 5, 7)
        if high / low >= 20:
            steps = (1, 2, 5) if high / low < 200 else (1,)
        power_step = max(1, len(powers) // 7)
        # Powers are skipped symmetrically around 1.
        ticks = np.array(
            [m * 10.0**p for p in powers for m in steps if p % power_step == 0]
        )
    ticks = ticks[(ticks >= low) & (ticks <= high)]
    ax.xaxis.set_major_locator(FixedLocator(ticks.tolist()))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks.tolist(), [f"{tick:g}" for tick in np.round(ticks, 6)])
