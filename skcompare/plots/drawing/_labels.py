"""Labels of plots: short and distinct names, formatted counts, and placement."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from skcompare._core.formatting import format_number, in_one_line, shortened
from skcompare._typing import FloatArray, IntArray
from skcompare.plots.drawing._style import INK, LONGEST, literal

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BEFORE = 2
"""Characters that are kept before the first one in which two long names differ."""


def distinct(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Return shortened, distinct names, escaped for matplotlib."""
    return [literal(name) for name in short_names(names, longest)]


def short_names(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Return distinct names of at most `longest` characters.

    Long names with a common beginning are cut within it, so that their different ends are
    kept; those that are still equal get the number of their position.
    """
    full = [in_one_line(str(name)) for name in names]
    short = [shortened(name, longest) for name in full]
    for repeated in _repeated(short):
        places = [k for k, name in enumerate(short) if name == repeated]
        shared = _shared([full[k] for k in places])
        for k in places:
            short[k] = shortened(_without_middle(full[k], shared, longest), longest)
    for repeated in _repeated(short):
        for k in [k for k, name in enumerate(short) if name == repeated]:
            mark = f" ({k + 1})"
            short[k] = f"{shortened(full[k], longest - len(mark))}{mark}"
    return short


def marks_of(codes: Sequence[str]) -> dict[str, str]:
    """Map each distinct code to a superscript number, in order of appearance."""
    return {
        code: str(number).translate(SUPERSCRIPTS)
        for number, code in enumerate(dict.fromkeys(codes), start=1)
    }


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _shared(names: Sequence[str]) -> int:
    """Return the length of the common prefix of several names."""
    columns = enumerate(zip(*names, strict=False))
    return next(
        (k for k, characters in columns if len(set(characters)) > 1), min(map(len, names))
    )


def _without_middle(name: str, shared: int, longest: int) -> str:
    """Shorten a name by a cut within the prefix shared with other names."""
    head = longest // 3
    start = max(head + 1, shared - BEFORE)
    room = longest - head - 1
    if len(name) - start < room:
        start = len(name) - room
    return f"{name[:head].rstrip()}…{name[start:]}"


UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def count_text(number: Any, position: Any = None) -> str:
    """Format a count with thousands separators; averaged counts may be fractional.

    Like `short_count` it formats ticks too, and a named function can be pickled with them.
    """
    value = float(number)
    return f"{value:,.0f}" if value == int(value) else format_number(value, 1)


WIDE = 24
"""Ratio of numbers of records from which their scale is logarithmic."""

LONG = 20_000
"""Number of records from which their scale has short labels, such as 20k."""


def records_axis(axis: Any, records: IntArray, wide: float = WIDE) -> None:
    """Set up the axis of ascending numbers of records, logarithmic if the range is wide."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    low, high = float(records[0]), float(records[-1])
    if high / low > wide:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        few = high / low < 1000
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axis.set_major_formatter(short_count if high >= LONG else count_text)
    axis.set_label_text("Records", color=INK)


def records_text(number: Any) -> str:
    """Format a number of records, such as "1 record" or "20 records"."""
    count = count_text(number)
    return f"{count} record" if count == "1" else f"{count} records"


def short_count(number: Any, position: Any = None) -> str:
    """Format a count in at most four characters: 950, 1.2k, 48k, 1.2M."""
    value = float(number)
    for unit, symbol in UNITS:
        # From here on rounding would give 1000 of the next smaller unit.
        if value >= 0.9995 * unit:
            part = value / unit
            return f"{part:.1f}{symbol}" if part < 9.95 else f"{part:.0f}{symbol}"
    return f"{value:.0f}" if value == int(value) or value >= 99.5 else f"{value:.1f}"


def spread(places: Sequence[float], distance: float, low: float, high: float) -> FloatArray:
    """Return the nearest places with a minimum distance between them, in the same order.

    Of all such places they have the least sum of squared shifts: where desired places are
    too close, their block is shifted as one (pooling adjacent violators).

    Parameters
    ----------
    places : sequence of float
        Desired places, ascending.
    distance : float
        The least distance; smaller where the limits leave no room for it.
    low, high : float
        Limits.
    """
    n = len(places)
    if n == 0:
        return np.empty(0)
    if n > 1:
        distance = min(distance, (high - low) / (n - 1))
    steps = distance * np.arange(n)
    # After subtracting the steps, the places must only be non-decreasing.
    blocks: list[tuple[float, int]] = []
    for place in np.asarray(places, dtype=float) - steps:
        mean, size = float(place), 1
        while blocks and blocks[-1][0] > mean:
            mean_before, size_before = blocks.pop()
            mean = (mean * size + mean_before * size_before) / (size + size_before)
            size += size_before
        blocks.append((mean, size))
    pooled = np.concatenate([np.full(size, mean) for mean, size in blocks])
    limit = high - steps[-1]
    return np.clip(pooled, low, max(low, limit)) + steps


def lanes_of(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Assign a lane to each span of positions, so that none overlap within a lane.

    Spans that share an end also get different lanes.
    """
    ends: list[int] = []
    lanes = []
    for first, last in spans:
        free = next((k for k, end in enumerate(ends) if end < first), len(ends))
        if free == len(ends):
            ends.append(last)
        else:
            ends[free] = last
        lanes.append(free)
    return lanes
