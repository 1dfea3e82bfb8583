"""Rows of estimates with intervals, and their text in plots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from skcompare._analysis import ComparisonRow
from skcompare._core.flags import explain
from skcompare._core.formatting import decimals_for, format_number, format_pvalue
from skcompare.plots.drawing._base import ROLES
from skcompare.plots.drawing._labels import distinct, marks_of
from skcompare.plots.drawing._style import percent
from skcompare.stats import PairedResult
from skcompare.stats.scores import range_of

SHARES = ""
"""Unit of differences of scores and losses with a bound, which share an axis."""


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """Estimate with its interval and p-values.

    `unit` names the axis that it is drawn on, `excluded` has the parts of the axis that a
    claim excludes, `claim` is the text of that, and `band` is the largest difference that
    does not matter. `short` is a name that is short enough. One-sided intervals have an
    `alternative`; the limit that they lack is not drawn. The fields are in the order of the
    columns of frames.
    """

    name: str
    measure: str = field(default="", kw_only=True)
    test: str | None
    champion: float | None = field(default=None, kw_only=True)
    challenger: float | None = field(default=None, kw_only=True)
    estimate: float
    low: float | None = None
    high: float | None = None
    level: float | None = field(default=None, kw_only=True)
    alternative: str = field(default="two-sided", kw_only=True)
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    primary: bool = False
    flags: tuple[str, ...] = ()
    note: str = ""
    claim: str = ""
    band: float | None = None
    unit: str = SHARES
    excluded: tuple[tuple[float, float], ...] = ()
    short: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """Lower and upper limit, infinite on an open side and NaN without an interval."""
        if self.low is None or self.high is None:
            return math.nan, math.nan
        low = -math.inf if self.alternative == "less" else self.low
        high = math.inf if self.alternative == "greater" else self.high
        return low, high

    @property
    def has_interval(self) -> bool:
        """Whether the row has an interval to draw."""
        return any(math.isfinite(limit) for limit in self.limits) or (
            self.limits == (-math.inf, math.inf)
        )


RATIOS = ("ratio", "odds ratio")
"""Units of estimates whose value of equal classifiers is 1."""


def interval_row(row: ComparisonRow, alpha: float) -> IntervalRow:
    """Return a row of a comparison as it is drawn, with an interval of level 1 - alpha."""
    result, note, unit, alternative = row.result, row.note, "", "two-sided"
    if result is not None:
        unit = ratio_unit(result)
        if row.low is not None:
            alternative = result.alternative
        counts = {role: result.details.get(f"{role}_predictions", 1) for role in ROLES}
        note = absence_note([role for role in ROLES if not counts[role]])
    return row_of(
        row,
        name=row.subject,
        alternative=alternative,
        level=1 - alpha,
        unit=unit or unit_of(row.measure, row.greater_is_better),
        note=note,
    )


def row_of(source: Any, **others: Any) -> IntervalRow:
    """Return a row with the fields that its source has as well, and with others."""
    names = [field.name for field in fields(IntervalRow) if hasattr(source, field.name)]
    return IntervalRow(**{name: getattr(source, name) for name in names} | others)


def ratio_unit(result: PairedResult) -> str:
    """Return the unit of a ratio or odds ratio; empty for other estimates."""
    quantity, of, _ = result.estimate_name.partition(" of ")
    return quantity if of and quantity in RATIOS else ""


def absence_note(roles: Sequence[str]) -> str:
    """Return a note on the roles that never predict the class of a row."""
    return f"{' and '.join(roles)} never gave this prediction" if roles else ""


def unit_of(measure: str, greater_is_better: bool) -> str:
    """Return the unit of differences of a measure, which determines their axis.

    Shares and losses with a bound have a common axis, and every other measure its own.
    """
    least, most = range_of(measure.partition("[")[0])
    if math.isfinite(most - least):
        return SHARES
    return measure if greater_is_better else f"gain in {measure}"


LONGEST = 44
"""Largest number of characters of the name of a row."""

NAMED = 3
"""Largest number of rows that a remark names; more are counted."""


def names_of(rows: Sequence[IntervalRow], longest: int = LONGEST) -> list[str]:
    """Return the short name of each row, with a superscript number for each flag."""
    names = [row.short or row.name for row in rows]
    unique = list(dict.fromkeys(names))
    short = dict(zip(unique, distinct(unique, longest)))
    marks = _marks(rows)
    return [
        f"{short[name]} {' '.join(marks[flag] for flag in row.flags)}".rstrip()
        for name, row in zip(names, rows)
    ]


def interval_text(row: IntervalRow, *, signed: bool = True) -> str:
    """Format the estimate with its interval or one-sided limit."""
    low, high = row.limits
    edges = [edge for part in row.excluded for edge in part if math.isfinite(edge)]
    beside = (0.0 if signed else 1.0, *edges)
    decimals = decimals_for(row.estimate, low, high, beside=beside)
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


def level_text(rows: Sequence[IntervalRow]) -> str:
    """Format the level and kind of the intervals for the column header."""
    with_interval = [row for row in rows if row.has_interval]
    if not with_interval:
        return ""
    levels = {round(row.level, 9) for row in with_interval if row.level is not None}
    level = f"{percent(levels.pop())} " if len(levels) == 1 else ""
    sides = {row.alternative for row in with_interval}
    if len(sides) == 1:
        return f" [{level}interval]" if sides == {"two-sided"} else f", {level}limit"
    return ", limits"


def adjusted_name(adjust: str) -> str:
    """Name the p-values that are adjusted by a method, which may be unknown."""
    return f"p ({adjust})" if adjust else "adjusted p"


def pvalue_columns(
    rows: Sequence[IntervalRow], alpha: float, adjust: str, adjusted: bool
) -> dict[str, list[str]]:
    """Return the columns of p-values, and of adjusted p-values if there are any."""
    columns = {"p": [format_pvalue(row.pvalue, alpha) for row in rows]}
    if adjusted and adjust != "none":
        cells = [format_pvalue(row.adjusted_pvalue, alpha) for row in rows]
        columns[adjusted_name(adjust)] = cells
    return columns


def caveat_text(row: IntervalRow) -> str:
    """Format the caveats of a row as sentences, each preceded by a space."""
    return "".join(f" {caveat}." for caveat in explain(row.flags))


def test_text(row: IntervalRow) -> str:
    """Return the name of the test of a row, or a note that there is no test."""
    if row.test is not None:
        return row.test
    return "no test" if "was requested" in row.note else "no valid test"


def level_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return a remark on the confidence levels of the intervals if these differ."""
    names_by_level: dict[str, list[str]] = {}
    for row in rows:
        # The claims of a gate's conditions state their levels.
        if row.has_interval and row.level is not None and not row.claim:
            names_by_level.setdefault(percent(row.level), []).append(row.name)
    if len(names_by_level) < 2:
        return []
    parts = (
        f"{level} of {_names_or_number(names)}" for level, names in names_by_level.items()
    )
    return [f"Levels of the intervals: {'; '.join(parts)}."]


def conflict_remarks(
    rows: Sequence[IntervalRow], alpha: float, adjust: str, null: float
) -> list[str]:
    """Return a remark on conflicts between intervals and adjusted p-values, if any."""
    conflicts = [
        row
        for row in rows
        if row.adjusted_pvalue is not None
        and not math.isnan(row.adjusted_pvalue)
        and row.has_interval
        and not row.claim
        and (row.adjusted_pvalue < alpha) != (row.limits[0] > null or row.limits[1] < null)
    ]
    pvalue = adjusted_name(adjust)
    single = [
        row for row in conflicts if row.level is None or row.level <= 1 - alpha + 1e-9
    ]
    if single:
        return [f"An interval is of its row alone, as p is; {pvalue} is of several rows."]
    if not any(row.adjusted_pvalue < alpha for row in conflicts):  # type: ignore[operator]
        return []
    return [
        f"The intervals hold all together, which takes more than {pvalue}: one may have "
        f"{null:g} in it although {pvalue} is below {alpha:g}."
    ]


def flag_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return the explanation of each flag, preceded by its superscript number."""
    marks = _marks(rows)
    return [f"{mark} {caveat}." for mark, caveat in zip(marks.values(), explain(marks))]


def note_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return the distinct notes, each with the names of the rows concerned."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            reasons.setdefault(row.note, []).append(row.name)
    return [f"{_names_or_number(names)}: {note}." for note, names in reasons.items()]


def _names_or_number(names: Sequence[str]) -> str:
    """Join the names of rows, or return the number of rows if there are many."""
    unique = list(dict.fromkeys(names))
    return ", ".join(unique) if len(unique) <= NAMED else f"{len(unique)} rows"


def _marks(rows: Sequence[IntervalRow]) -> dict[str, str]:
    return marks_of([flag for row in rows for flag in row.flags])
