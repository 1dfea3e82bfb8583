"""Numbers of records in words, long and short."""

from typing import Any

from skcompare._core.formatting import format_number

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
