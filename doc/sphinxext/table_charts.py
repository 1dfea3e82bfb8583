"""Charts of the numbers of a table, drawn from the very cells that the page shows.

A chart has lines of dots. `values` names the columns with the numbers. Where `rows` names
the columns that label a line, each column of `values` is a series of its own; without it
each column of `values` is a line, and `series` may name a column that distinguishes dots.
Cells are read as they are printed: `0.041`, `0.041 ± 0.002` (an estimate and its standard
error), or `0.030 / 0.052` (a mean and a maximum, of which the maximum is drawn).
"""

import math
import re
import textwrap
from dataclasses import dataclass
from html import escape

NUMBER = re.compile(r"[+-]?\d*\.?\d+")
ERROR = re.compile(r"± (\d*\.?\d+)")
LIMITS = re.compile(r"(\d*\.?\d+) to (\d*\.?\d+)$")
INTERVAL = "95 % interval"
"""The column, beside one with numbers, that has their limits."""

WIDTH = 420
LINE = 13
"""Height of a series in a line of the chart; dots are in the middle."""
CHARACTER = 6.4
"""Mean width of a character of a label; of a capital it is a third more."""
ABSENT = ("", "-", "–")
"""What a cell has where there is no number."""
MARKS = ("circle", "diamond", "square", "triangle", "cross", "ring")
ROOTS = (0, 0.01, 0.05, 0.1, 0.2, 0.5, 1)
Z = 1.96
"""Half the width of an error bar in standard errors."""


@dataclass(frozen=True)
class Dot:
    """A number of a table: its line, its series, the number and its interval."""

    row: str
    series: str
    value: float
    limits: tuple[float, float] | None
    cell: str


@dataclass(frozen=True)
class Options:
    """What a chart shows; `where` and `names` are pairs of strings, `a | b` is either."""

    values: tuple[str, ...]
    rows: tuple[str, ...] = ()
    series: str | None = None
    where: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    level: float | None = None
    start: float | None = None
    scale: str = "linear"
    axis: str = ""


def read_cell(cell):
    """The number of a cell with its 95 % interval by the standard error, or None."""
    number = NUMBER.match(cell.rpartition(" / ")[2].strip())
    if number is None:
        raise ValueError(f"the cell {cell!r} does not begin with a number")
    value, error = float(number[0]), ERROR.search(cell)
    half = Z * float(error[1]) if error else 0.0
    return value, (value - half, value + half) if half else None


def dots_of(table, options):
    """The dots of a chart of a table, whose first row has the names of the columns."""
    head, *body = table
    named = [*options.values, *options.rows, *(name for name, _ in options.where)]
    if options.series is not None:
        named.append(options.series)
    for name in named:
        if name not in head:
            raise ValueError(f"no column {name!r}; there are {', '.join(map(repr, head))}")
    found = []
    for line in body:
        line = [*line, *[""] * (len(head) - len(line))]
        cells = dict(zip(head, line))
        if all(cells[name] in _either(wanted) for name, wanted in options.where):
            found += _dots_of_row(head, line, cells, options)
    if not found:
        raise ValueError("no cell is left to draw")
    return found


def _dots_of_row(head, line, cells, options):
    """The dots of one row of a table, one for each of its numbers."""
    names = dict(options.names)
    labels = [names.get(cells[name], cells[name]) for name in options.rows]
    for column in options.values:
        if cells[column].strip() in ABSENT:
            continue
        title = names.get(column, column)
        row, series = (", ".join(labels), title) if labels else (title, "")
        if options.series is not None:
            series = names.get(cells[options.series], cells[options.series])
        value, limits = read_cell(cells[column])
        beside = head.index(column) + 1
        if head[beside : beside + 1] == [INTERVAL]:
            limits = tuple(map(float, LIMITS.match(line[beside]).groups()))
        yield Dot(row, series, value, limits, cells[column])


def _either(wanted):
    """The cells that a condition lets pass: `a | b` are two of them."""
    return [one.strip() for one in wanted.split("|")]


def draw(table, options, alt):
    """A chart as SVG, whose colours are those of the page."""
    dots = dots_of(table, options)
    rows = list(dict.fromkeys(dot.row for dot in dots))
    series = list(dict.fromkeys(dot.series for dot in dots))
    if len(series) > len(MARKS):
        raise ValueError(f"{len(series)} series; a chart has at most {len(MARKS)}")
    axis = _Axis(dots, options, left=_room_of(rows, options))
    wrapped = {row: _wrap(row, axis.left) for row in rows}
    legend, y = _legend(series, options.series)
    top, parts = y, []
    for row in rows:
        height = max(len(series) * LINE, len(wrapped[row]) * LINE) + 7
        parts += _row(row, wrapped[row], [d for d in dots if d.row == row], series, axis, y)
        y += height
        parts.append(_line("rule", 0, y, WIDTH, y))
    bottom = y
    frame = axis.draw(top, bottom)
    named = _wrap(", ".join(options.rows), axis.left)[:2]
    frame += [
        _text(2, bottom + 14 + k * LINE, line, "tick") for k, line in enumerate(named)
    ]
    height = bottom + (38 if options.axis or len(named) > 1 else 20)
    return (
        f'<svg class="table-chart" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {WIDTH} {height}" xmlns="http://www.w3.org/2000/svg">\n'
        + "\n".join([*legend, *frame, *parts])
        + "\n</svg>"
    )


def _room_of(rows, options):
    """Where the dots begin, to the right of the labels and of the words that name them."""
    longest = max(map(_width, [*rows, *" ".join(options.rows).split()]))
    return min(max(longest + 12, 60), 0.42 * WIDTH)


def _width(text):
    return CHARACTER * (len(text) + sum(map(str.isupper, text)) / 3)


def _wrap(label, left):
    return textwrap.wrap(label, max(int((left - 8) / CHARACTER), 8)) or [""]


def _line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x, y, text, kind="", anchor="start"):
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _legend(series, column):
    """Marks with their names, and where the lines of the chart begin."""
    if len(series) == 1:
        return [], 6
    parts, x, y = [], 8, 12
    if column is not None:
        parts.append(_text(2, y + 4, f"{column}:"))
        x = 2 + (len(column) + 1) * CHARACTER + 12
    for number, name in enumerate(series):
        width = 16 + _width(name) + 14
        if x > 8 and x + width > WIDTH:
            x, y = 8, y + 18
        parts += [_mark(number, x, y), _text(x + 9, y + 4, name)]
        x += width
    return parts, y + 14


def _row(name, label, dots, series, axis, y):
    """The label of a line, and its dots: one below the other, a series each."""
    height = max(len(series), len(label)) * LINE + 7
    first = y + (height - len(label) * LINE) / 2 + 10
    parts = [_text(2, first + k * LINE, text) for k, text in enumerate(label)]
    start = y + (height - len(series) * LINE) / 2 + LINE / 2
    for dot in dots:
        number = series.index(dot.series)
        middle = start + number * LINE
        bar = ""
        if dot.limits:
            low, high = map(axis.at, dot.limits)
            bar = _line(f"bar s{number}", low, middle, high, middle)
        title = ": ".join(filter(None, [name, dot.series, dot.cell]))
        mark = _mark(number, axis.at(dot.value), middle)
        parts.append(f"<g><title>{escape(title)}</title>{bar}{mark}</g>")
    return parts


def _mark(number, x, y):
    """A dot of a series: series differ by shape as well as by colour."""
    shape, kind = MARKS[number], f'class="mark s{number}"'
    if shape in ("circle", "ring"):
        hollow = " hollow" if shape == "ring" else ""
        return f'<circle class="mark s{number}{hollow}" cx="{x:.1f}" cy="{y:.1f}" r="3.6"/>'
    corners = {
        "diamond": [(0, -4.8), (4.8, 0), (0, 4.8), (-4.8, 0)],
        "square": [(-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)],
        "triangle": [(0, -4.4), (4.2, 3.6), (-4.2, 3.6)],
        "cross": [(-4, -2.5), (-2.5, -4), (0, -1.5), (2.5, -4), (4, -2.5), (1.5, 0),
                  (4, 2.5), (2.5, 4), (0, 1.5), (-2.5, 4), (-4, 2.5), (-1.5, 0)],
    }[shape]  # fmt: skip
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon {kind} points="{points}"/>'


class _Axis:
    """The scale from numbers to places, and its ticks."""

    def __init__(self, dots, options, left):
        self.options, self.left, self.right = options, left, WIDTH - 14
        level = options.level
        levels = [] if level is None else [level]
        least = min([*(dot.value for dot in dots), *levels])
        greatest = max([*(max(dot.limits or [dot.value]) for dot in dots), *levels])
        if max(dot.value for dot in dots) <= 1:
            greatest = min(greatest, 1)  # bars of shares end there
        if options.start is not None:
            self.low = options.start
        elif level is not None and level >= 0.5:
            self.low = math.floor(least * 20 - 1e-9) / 20
        else:
            self.low = 0.0 if least >= 0 else math.floor(least * 20) / 20
        spread = max(greatest - self.low, 1e-9)
        self.high = greatest + 0.04 * spread
        if self.high > 1 >= greatest:
            self.high = 1.0
        self.root = options.scale == "root"

    def at(self, value):
        """Where a number is; what is beyond the axis is at its end."""
        value = min(max(value, self.low), self.high)
        share = (value - self.low) / (self.high - self.low)
        share = math.sqrt(share) if self.root else share
        return self.left + 6 + share * (self.right - self.left - 6)

    def ticks(self):
        """Round numbers, four to six of them."""
        if self.root:
            return [tick for tick in ROOTS if self.low <= tick <= self.high]
        spread = self.high - self.low
        step = next(s for s in _steps() if spread / s <= 5.2)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(k * step, 6) for k in range(first, last + 1)]

    def draw(self, top, bottom):
        """Ticks, the level, and the name of the axis."""
        parts = [_line("axis", self.left, bottom, self.right, bottom)]
        for tick in self.ticks():
            x = self.at(tick)
            parts += [
                _line("grid", x, top, x, bottom),
                _text(x, bottom + 14, f"{tick:g}", "tick", "middle"),
            ]
        if self.options.level is not None:
            x = self.at(self.options.level)
            parts.append(_line("level", x, top, x, bottom))
        if self.options.axis:
            middle = (self.left + self.right) / 2
            parts.append(_text(middle, bottom + 31, self.options.axis, "tick", "middle"))
        return parts


def _steps():
    return (m * 10.0**k for k in range(-4, 6) for m in (1, 2, 5))
