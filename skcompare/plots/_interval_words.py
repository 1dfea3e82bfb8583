"""Estimates, intervals and p-values of rows in words, and remarks about them."""

import math
from collections.abc import Sequence

from skcompare._flags import explain
from skcompare._wording import decimals_for, format_number, format_pvalue
from skcompare.plots._interval_rows import IntervalRow
from skcompare.plots._names import distinct, marks_of
from skcompare.plots._style import percent

__all__ = [
    "flag_remarks",
    "interval_words",
    "level_words",
    "names_of",
    "note_remarks",
    "pvalue_cells",
    "words_of_test",
]

LONGEST = 44
"""Letters of the name of a row."""

NAMED = 3
"""Rows that a remark names; more are counted."""


def names_of(rows: Sequence[IntervalRow], longest: int = LONGEST) -> list[str]:
    """What each row is about, with a small number for each of its flags."""
    given = [row.short or row.name for row in rows]
    known = list(dict.fromkeys(given))
    short = dict(zip(known, distinct(known, longest)))
    marks = _marks(rows)
    return [
        f"{short[name]} {' '.join(marks[flag] for flag in row.flags)}".rstrip()
        for name, row in zip(given, rows)
    ]


def interval_words(row: IntervalRow, *, signed: bool = True) -> str:
    """The estimate and its interval, or its limit."""
    low, high = row.limits
    decimals = decimals_for(row.estimate, low, high)
    estimate = _number(row.estimate, decimals, signed)
    if math.isnan(row.estimate):
        return "undefined"
    if not row.has_interval:
        return estimate
    ends = [_number(limit, decimals, signed) for limit in (low, high)]
    if row.alternative == "greater":
        return f"{estimate} (≥ {ends[0]})"
    if row.alternative == "less":
        return f"{estimate} (≤ {ends[1]})"
    return f"{estimate} [{ends[0]}, {ends[1]}]"


def _number(value: float, decimals: int, signed: bool) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return format_number(value, decimals, signed=signed)


def level_words(rows: Sequence[IntervalRow]) -> str:
    """What the intervals are, for the head of their column."""
    shown = [row for row in rows if row.has_interval]
    if not shown:
        return ""
    levels = {round(row.level, 9) for row in shown if row.level is not None}
    level = f"{percent(levels.pop())} " if len(levels) == 1 else ""
    sides = {row.alternative for row in shown}
    if len(sides) == 1:
        return f" [{level}interval]" if sides == {"two-sided"} else f", {level}limit"
    return ", limits"


def pvalue_cells(
    rows: Sequence[IntervalRow], alpha: float, adjust: str, adjusted: bool
) -> tuple[list[str], list[list[str]]]:
    """Columns of p-values, and of adjusted ones if some row has one, with their heads."""
    header, columns = ["p"], [[_pvalue(row.pvalue, alpha) for row in rows]]
    if adjusted:
        header.append(f"p ({adjust})" if adjust else "adjusted p")
        columns.append([_pvalue(row.adjusted_pvalue, alpha) for row in rows])
    return header, columns


def _pvalue(pvalue: float | None, alpha: float) -> str:
    return "" if pvalue is None else format_pvalue(pvalue, alpha)


def words_of_test(row: IntervalRow) -> str:
    """The test of a row, or that there is none."""
    if row.test is not None:
        return row.test
    return "no test" if "was asked for" in row.note else "no valid test"


def flag_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """The words of each flag, with the small number that rows have."""
    marks = _marks(rows)
    return [f"{mark} {words}." for mark, words in zip(marks.values(), explain(marks))]


def note_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Why rows have no test, each reason once with its rows."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            reasons.setdefault(row.note, []).append(row.name)
    remarks = []
    for note, names in reasons.items():
        unique = list(dict.fromkeys(names))
        about = ", ".join(unique) if len(unique) <= NAMED else f"{len(unique)} rows"
        remarks.append(f"{about}: {note}.")
    return remarks


def _marks(rows: Sequence[IntervalRow]) -> dict[str, str]:
    return marks_of([flag for row in rows for flag in row.flags])
