"""Reports as plain text and as Markdown."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from skcompare._analysis import FAMILY_WISE, ComparisonRow, decimals_of
from skcompare._core.design import HALVES
from skcompare._core.formatting import aligned, format_number, format_pvalue, in_one_line
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._next_steps import records_needed

MARK = "*"
"""Mark of the row that the verdict comes from."""

WIDTH = 96
INDENT = 12
ROLES = ("champion", "challenger")
TEXT_COLUMNS = (
    "",
    "lower is better",
    "challenger over champion",
    "association",
    "without direction",
    "all classes together",
    "test",
)


class Section(NamedTuple):
    """Table of a report: rows of one kind with their header and cells."""

    kind: str
    header: list[str]
    cells: list[list[str]]
    rows: list[ComparisonRow]
    is_alone: bool

    @property
    def marked(self) -> list[list[str]]:
        """Cells with a mark on the row of the verdict, if there are several rows."""
        return [
            [f"{name} {MARK}" if row.primary and not self.is_alone else name, *others]
            for row, (name, *others) in zip(self.rows, self.cells, strict=True)
        ]


def comparison_text(comparison: ComparisonData) -> str:
    """Return the report of two classifiers as plain text, the verdict last."""
    lines = [
        entry("champion", in_one_line(comparison.champion)),
        entry("challenger", in_one_line(comparison.challenger)),
        entry("design", design_text(comparison)),
        "",
    ]
    for section in sections(comparison):
        lines += [*aligned(section.header, section.marked, TEXT_COLUMNS), ""]
    if len(comparison.rows) > 1:
        lines.append(entry(MARK, about_primary(comparison)))
    lines += [entry("note", note) for note in notes(comparison)]
    lines += [entry("flag", caveat) for caveat in comparison.caveats]
    if comparison.advice is not None:
        lines.append(entry("ensemble", comparison.advice.sentence))
    needed = records_needed(comparison)
    if needed:
        lines.append(entry("records", needed))
    lines.append(entry("verdict", comparison.conclusion.sentence))
    return "\n".join(lines)


def comparison_markdown(comparison: ComparisonData) -> str:
    """Return the report of two classifiers as Markdown, the verdict first."""
    lines = [
        f"**Verdict:** {markdown_text(comparison.conclusion.sentence)}",
        "",
        f"- champion: {markdown_text(comparison.champion)}",
        f"- challenger: {markdown_text(comparison.challenger)}",
        f"- design: {design_text(comparison)}",
        "",
    ]
    for section in sections(comparison):
        lines += [*markdown_table(section.header, section.marked, TEXT_COLUMNS), ""]
    if len(comparison.rows) > 1:
        lines.append(f"- {markdown_text(f'{MARK} {about_primary(comparison)}')}")
    lines += [f"- {markdown_text(note)}" for note in notes(comparison)]
    lines += [f"- flag {caveat}" for caveat in comparison.caveats]
    if comparison.advice is not None:
        lines.append(f"- ensemble: {markdown_text(comparison.advice.sentence)}")
    needed = records_needed(comparison)
    if needed:
        lines.append(f"- {markdown_text(needed)}")
    return "\n".join(lines).rstrip() + "\n"


def design_text(comparison: ComparisonData | MultipleComparisonData) -> str:
    """Format the design and size of the evidence in one line."""
    records = getattr(comparison, "size", "") or f"{comparison.n_records:,} records"
    if comparison.n_tested < comparison.n_records:
        records = f"{comparison.n_tested:,} of {records} tested"
    parts = [str(comparison.design), records]
    if comparison.design.kind in HALVES:
        parts.append("trained on half of them")
    if comparison.n_fits:
        parts.append(
            "1 fit each" if comparison.n_fits == 1 else f"{comparison.n_fits} fits each"
        )
    if comparison.seconds is not None:
        parts.append(f"{comparison.seconds:.1f} s")
    return ", ".join(parts)


def sections(comparison: ComparisonData) -> list[Section]:
    """Return one table per kind of estimate; scores and losses are separate.

    The difference of a loss is a gain.
    """
    is_alone = len(comparison.rows) == 1
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    test = [level, "p", f"p ({comparison.adjust})", "test"]
    tables = []
    for kind, greater, header in (
        ("difference", True, ["", *ROLES, "difference", *test]),
        ("difference", False, ["lower is better", *ROLES, "gain", *test]),
        ("ratio", True, ["challenger over champion", *ROLES, "ratio", *test]),
        ("association", True, ["association", "estimate", *test]),
        ("omnibus", True, ["without direction", "statistic", "df", *test[1:]]),
        ("combination", True, ["all classes together", "statistic", "df", *test[1:]]),
    ):
        rows = [
            row
            for row in comparison.rows
            if row.kind == kind and row.greater_is_better is greater
        ]
        if rows:
            columns = _without_empty_columns(header, rows, comparison.alpha)
            tables.append(Section(kind, *columns, rows, is_alone))
    return tables


def _without_empty_columns(
    header: list[str], rows: list[ComparisonRow], alpha: float
) -> tuple[list[str], list[list[str]]]:
    cells = [table_cells(row, alpha) for row in rows]
    used = [i for i in range(len(header)) if any(line[i] for line in cells)]
    return [header[i] for i in used], [[line[i] for i in used] for line in cells]


def about_primary(comparison: ComparisonData) -> str:
    """Explain the mark of the primary row, and the error rates of the other rows."""
    text = f"the verdict comes from this row, at alpha {comparison.alpha:g}"
    return ". ".join([text, *about_others(comparison)])


def about_others(comparison: ComparisonData) -> list[str]:
    """Return a remark on the error rates of the other rows; empty if none is tested."""
    tested = [row for row in comparison.rows if row.pvalue is not None]
    alpha, others = comparison.alpha, [row for row in tested if not row.primary]
    if not others:
        return []
    if comparison.adjust == "none":
        return [
            f"The p-values of the other rows are not adjusted: each is below {alpha:g} in "
            f"up to {100 * alpha:g} % of comparisons in which there is no difference"
        ]
    if comparison.adjust not in FAMILY_WISE:
        return [
            f"The p-values of the other rows are adjusted for the share of false findings "
            f"among them ({comparison.adjust}), and not for the row that decides"
        ]
    return [
        f"The p-values of the other rows are adjusted among themselves ({comparison.adjust}"
        "), beside that of the row that decides: a false finding in any row has a "
        f"probability of up to {len({row.primary for row in tested}) * alpha:g}"
    ]


def notes(comparison: ComparisonData) -> list[str]:
    """Return the reasons for missing p-values, by measure, and remarks on tests."""
    reasons: dict[str, list[str]] = {}
    remarks = []
    tested_notes = {(row.test, row.note) for row in comparison.rows}
    tests = [test for test, _ in tested_notes]
    for row in comparison.rows:
        if row.note and row.result is not None:
            name = row.test if tests.count(row.test) == 1 else row.subject
            remarks.append(f"{name}: {row.note}")
        elif row.note:
            reasons.setdefault(row.note.replace(row.measure, "{}"), []).append(row.subject)
    shared = [reason.replace("{}", ", ".join(names)) for reason, names in reasons.items()]
    return [*shared, *dict.fromkeys(remarks)]


def table_cells(row: ComparisonRow, alpha: float) -> list[str]:
    """Format a row as table cells, in the columns of its kind."""
    name = row.subject
    ends = [
        "" if row.pvalue is None else format_pvalue(row.pvalue, alpha),
        "" if row.adjusted_pvalue is None else format_pvalue(row.adjusted_pvalue, alpha),
        row.test or "no test",
    ]
    if row.kind == "ratio" and row.result is not None:
        name = row.result.estimate_name
        name += "" if row.label is None else f"[{row.label}]"
    name = in_one_line(name)
    if row.kind in ("omnibus", "combination"):
        df = None if row.result is None else row.result.df
        return [
            name,
            format_number(row.statistic),
            "" if df is None else f"{df:g}",
            *ends,
        ]
    decimals = decimals_of(row)
    limits = [] if row.low is None or row.high is None else [row.low, row.high]
    interval = ", ".join(format_number(limit, decimals) for limit in limits)
    numbers = [
        *([] if row.kind == "association" else [row.champion, row.challenger]),
        row.estimate,
    ]
    *roles, estimate = (format_number(number, decimals) for number in numbers)
    if row.kind == "difference":
        estimate = format_number(row.difference, decimals, signed=True)
    return [name, *roles, estimate, f"[{interval}]" if limits else "", *ends]


def markdown_table(
    header: list[str], cells: list[list[str]], text_columns: Sequence[str]
) -> list[str]:
    """Format a table as lines of Markdown."""
    rule = ["---" if name in text_columns else "---:" for name in header]
    return [
        f"| {' | '.join(map(markdown_text, line))} |" for line in (header, rule, *cells)
    ]


def entry(name: str, text: str) -> str:
    """Format a named entry of the report, with wrapped text."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=name.ljust(INDENT),
        subsequent_indent=" " * INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def markdown_text(text: str) -> str:
    """Escape text for Markdown."""
    line = in_one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    escaped = "".join(f"\\{c}" if c in "\\|`[]*_#" else c for c in line)
    # Hosts notify the user whose name follows it.
    return escaped.replace("@", "@&#8203;")
