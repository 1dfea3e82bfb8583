"""The report as plain text and as Markdown."""

import textwrap
from typing import TYPE_CHECKING, NamedTuple

from skcompare._wording import decimals_for, format_number, format_pvalue, in_one_line
from skcompare.reports._rows import ComparisonRow

if TYPE_CHECKING:
    from skcompare.reports._comparison import Comparison

__all__ = ["TEXT_COLUMNS", "Section", "comparison_markdown", "comparison_text"]

WIDTH = 96
INDENT = 12
TEXT_COLUMNS = ("", "lower is better", "test")


class Section(NamedTuple):
    """A table of the report: its header, and a line of cells for each row."""

    header: list[str]
    cells: list[list[str]]
    rows: list[ComparisonRow]


def comparison_text(comparison: "Comparison") -> str:
    """Roles, design, a table of measures, caveats and the verdict."""
    lines = [
        _entry("champion", in_one_line(comparison.champion)),
        _entry("challenger", in_one_line(comparison.challenger)),
        _entry("design", design_words(comparison)),
        "",
    ]
    for section in sections(comparison):
        lines += [*_aligned(section), ""]
    lines += [_entry("note", note) for note in notes(comparison)]
    lines += [_entry("flag", caveat) for caveat in comparison.caveats]
    lines.append(_entry("verdict", comparison.conclusion.sentence))
    return "\n".join(lines)


def comparison_markdown(comparison: "Comparison") -> str:
    """The same as Markdown, the verdict first."""
    lines = [
        f"**Verdict:** {_escaped(comparison.conclusion.sentence)}",
        "",
        f"- champion: {_escaped(comparison.champion)}",
        f"- challenger: {_escaped(comparison.challenger)}",
        f"- design: {design_words(comparison)}",
        "",
    ]
    for section in sections(comparison):
        rule = ["---" if name in TEXT_COLUMNS else "---:" for name in section.header]
        for cells in (section.header, rule, *section.cells):
            lines.append(f"| {' | '.join(map(_escaped, cells))} |")
        lines.append("")
    lines += [f"- {_escaped(note)}" for note in notes(comparison)]
    lines += [f"- flag {caveat}" for caveat in comparison.caveats]
    return "\n".join(lines).rstrip() + "\n"


def design_words(comparison: "Comparison") -> str:
    """How the evidence was collected, in one line."""
    records = f"{comparison.n_records:,} records"
    if comparison.n_tested < comparison.n_records:
        records = f"{comparison.n_tested:,} of {records} tested"
    words = [str(comparison.design), records]
    if comparison.n_fits:
        words.append(
            "1 fit each" if comparison.n_fits == 1 else f"{comparison.n_fits} fits each"
        )
    if comparison.seconds is not None:
        words.append(f"{comparison.seconds:.1f} s")
    return ", ".join(words)


def sections(comparison: "Comparison") -> list[Section]:
    """Scores and losses apart, because the difference of a loss is a gain."""
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    adjusted = f"p ({comparison.adjust})"
    found = []
    for greater, first, difference in (
        (True, "", "difference"),
        (False, "lower is better", "gain"),
    ):
        rows = [row for row in comparison.rows if row.greater_is_better is greater]
        header = [first, "champion", "challenger", difference, level, "p", adjusted, "test"]
        if rows:
            found.append(_without_empty_columns(header, rows, comparison.alpha))
    return found


def _without_empty_columns(
    header: list[str], rows: list[ComparisonRow], alpha: float
) -> Section:
    cells = [table_cells(row, alpha) for row in rows]
    used = [i for i in range(len(header)) if any(line[i] for line in cells)]
    return Section(
        [header[i] for i in used], [[line[i] for i in used] for line in cells], rows
    )


def notes(comparison: "Comparison") -> list[str]:
    """Why rows have no p-value, each reason once with its measures."""
    reasons: dict[str, list[str]] = {}
    for row in comparison.rows:
        if row.note:
            reasons.setdefault(row.note.replace(row.measure, "{}"), []).append(row.measure)
    return [reason.replace("{}", ", ".join(names)) for reason, names in reasons.items()]


def table_cells(row: ComparisonRow, alpha: float) -> list[str]:
    """The row's cells as text."""
    name = row.measure if row.label is None else f"{row.measure}[{row.label}]"
    decimals = decimals_for(row.difference)
    limits = [] if row.low is None or row.high is None else [row.low, row.high]
    interval = ", ".join(format_number(limit, decimals) for limit in limits)
    return [
        in_one_line(name),
        format_number(row.champion, decimals),
        format_number(row.challenger, decimals),
        format_number(row.difference, decimals, signed=True),
        f"[{interval}]" if limits else "",
        "" if row.pvalue is None else format_pvalue(row.pvalue, alpha),
        "" if row.adjusted_pvalue is None else format_pvalue(row.adjusted_pvalue, alpha),
        row.test or "no test",
    ]


def _aligned(section: Section) -> list[str]:
    lines = [section.header, *section.cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if name in TEXT_COLUMNS else cell.rjust(width)
            for name, cell, width in zip(section.header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]


def _entry(name: str, words: str) -> str:
    return textwrap.fill(
        words,
        WIDTH,
        initial_indent=name.ljust(INDENT),
        subsequent_indent=" " * INDENT,
        break_long_words=False,
    )


def _escaped(words: str) -> str:
    """Text that Markdown shows as it is."""
    line = in_one_line(words).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{c}" if c in "|`[]*_#" else c for c in line)
