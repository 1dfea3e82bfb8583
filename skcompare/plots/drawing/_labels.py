"""Names of several classifiers or classes that fit and can still be told apart."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from skcompare._core.formatting import format_number, in_one_line
from skcompare._typing import FloatArray
from skcompare.plots.drawing._style import LONGEST, literal

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BEFORE = 2
"""Letters that are kept before the first one in which two long names differ."""


def distinct(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Shortened names as matplotlib shows them."""
    return [literal(name) for name in shortened(names, longest)]


def shortened(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Names of at most `longest` letters, each another one.

    Long names that begin alike are cut where they do, so that the end in which they differ
    is seen; those that cannot be told apart like this get the number of their place.
    """
    words = [in_one_line(str(name)) for name in names]
    shown = [_cut(name, longest) for name in words]
    for repeated in _repeated(shown):
        places = [k for k, name in enumerate(shown) if name == repeated]
        shared = _shared([words[k] for k in places])
        for k in places:
            shown[k] = _cut(_without_middle(words[k], shared, longest), longest)
    for repeated in _repeated(shown):
        for k in [k for k, name in enumerate(shown) if name == repeated]:
            mark = f" ({k + 1})"
            shown[k] = f"{_cut(words[k], longest - len(mark))}{mark}"
    return shown


def marks_of(codes: Sequence[str]) -> dict[str, str]:
    """A small raised number for each different code, in order."""
    return {
        code: str(number).translate(SUPERSCRIPTS)
        for number, code in enumerate(dict.fromkeys(codes), start=1)
    }


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def _repeated(shown: Sequence[str]) -> list[str]:
    return [name for name, often in Counter(shown).items() if often > 1]


def _shared(words: Sequence[str]) -> int:
    """Letters with which all of several words begin."""
    columns = enumerate(zip(*words, strict=False))
    return next(
        (k for k, letters in columns if len(set(letters)) > 1), min(map(len, words))
    )


def _without_middle(name: str, shared: int, longest: int) -> str:
    """A name that begins as others do, cut before the place where it differs."""
    head = longest // 3
    start = max(head + 1, shared - BEFORE)
    room = longest - head - 1
    if len(name) - start < room:
        start = len(name) - room
    return f"{name[:head].rstrip()}…{name[start:]}"


UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def count_words(number: Any) -> str:
    """A count with thousands apart; those of averaged tables are no whole numbers."""
    value = float(number)
    return f"{value:,.0f}" if value == int(value) else format_number(value, 1)


def count_tick(value: Any, position: Any = None) -> str:
    """A count at an axis. A function by name, so that a figure can be pickled."""
    return count_words(value)


def short_tick(value: Any, position: Any = None) -> str:
    """A short count at an axis."""
    return short_count(value)


def records_words(number: Any) -> str:
    """So many records; one is a record."""
    words = count_words(number)
    return f"{words} record" if words == "1" else f"{words} records"


def short_count(number: Any) -> str:
    """A count of at most four letters: 950, 1.2k, 48k, 1.2M."""
    value = float(number)
    for unit, letter in UNITS:
        # From here on three digits would round up to 1000 of the next smaller unit.
        if value >= 0.9995 * unit:
            part = value / unit
            return f"{part:.1f}{letter}" if part < 9.95 else f"{part:.0f}{letter}"
    return f"{value:.0f}" if value == int(value) or value >= 99.5 else f"{value:.1f}"


def spread(places: Sequence[float], distance: float, low: float, high: float) -> FloatArray:
    """The nearest places at least a distance apart, in the same order, within limits.

    Of all such places they have the least sum of squared moves: where wished places are
    too close, their block is moved as one (pooling adjacent violators).

    Parameters
    ----------
    places : sequence of float
        Wished places, ascending.
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
    # Without the steps the places need only not descend.
    blocks: list[tuple[float, int]] = []
    for wish in np.asarray(places, dtype=float) - steps:
        mean, size = float(wish), 1
        while blocks and blocks[-1][0] > mean:
            other, often = blocks.pop()
            mean = (mean * size + other * often) / (size + often)
            size += often
        blocks.append((mean, size))
    found = np.concatenate([np.full(size, mean) for mean, size in blocks])
    limit = high - steps[-1]
    return np.clip(found, low, max(low, limit)) + steps


def lanes_of(spans: Sequence[tuple[int, int]]) -> list[int]:
    """A lane for each span of positions, so that none overlap within a lane.

    Spans that share an end get lanes of their own too.
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
