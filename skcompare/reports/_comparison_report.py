"""Report of a comparison of two classifiers."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from skcompare._analysis import FAMILY_WISE, ComparisonRow, decimals_of
from skcompare._core.design import HALVES
from skcompare._core.formatting import (
    format_number,
    format_pvalue,
    shortened,
    without_empty_columns,
)
from skcompare._core.report import LONGEST_NAME, MARK, Note, Report, Table
from skcompare.reports._assumptions import assumptions_of
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._figures import figures_of
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._next_steps import next_steps, records_needed

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
CAPTIONS = {
    ("difference", True): (
        "Differences, challenger less champion: above 0 favours the challenger"
    ),
    ("difference", False): (
        "Losses: lower is better, and a gain above 0 favours the challenger"
    ),
    ("ratio", True): "Ratios, challenger over champion: above 1 favours the challenger",
    ("association", True): "How the predictions of both go together",
    ("omnibus", True): "Whether the two differ in any way, not which one is better",
    ("combination", True): "Tests of all classes together",
}
STATUS = {
    "challenger": "The challenger is better",
    "champion": "The champion is better",
    "inconclusive": "Inconclusive",
}
ABOUT_ADVICE = (
    "Whether to use one classifier or both together, by rules on the numbers that were "
    "observed. Which one is shown to be better, the verdict says."
)


def comparison_report(comparison: ComparisonData) -> Report:
    """Return the report of a comparison of two classifiers, without parts of a page."""
    facts = {
        "champion": comparison.champion,
        "challenger": comparison.challenger,
        "design": design_text(comparison),
    }
    others, remarks = _about_others(comparison), _notes_on_rows(comparison)
    notes = []
    if len(comparison.rows) > 1:
        primary = f"the verdict comes from this row, at alpha {comparison.alpha:g}"
        notes.append(Note(MARK, ". ".join([primary, *others]), "\\* "))
    notes += [Note("note", remark, "") for remark in remarks]
    notes += [Note("flag", caveat, "flag ") for caveat in comparison.caveats]
    advice = comparison.advice
    if advice is not None:
        notes.append(Note("ensemble", advice.sentence))
    if needed := records_needed(comparison):
        notes.append(Note("records", needed, ""))
    return Report(
        headline=comparison.conclusion.sentence,
        facts=facts,
        tables=_tables(comparison),
        notes=notes,
        remarks={"Notes and caveats": [*others, *remarks, *comparison.caveats]},
        advice=()
        if advice is None
        else (ABOUT_ADVICE, advice.sentence, *(step.sentence for step in advice.steps)),
        settings={
            **facts,
            "level": f"alpha {comparison.alpha:g}, {comparison.alternative}",
            "adjustment": f"{comparison.adjust}, of the rows after the first",
            **settings_of(comparison),
        },
    )


def comparison_page(comparison: ComparisonData, pictures: Any) -> Report:
    """Return the report of a comparison of two classifiers for a page."""
    names = (comparison.challenger, comparison.champion)
    return replace(
        comparison_report(comparison),
        kind="Comparison of two classifiers",
        title=" against ".join(shortened(name, LONGEST_NAME) for name in names),
        status=STATUS[comparison.verdict],
        key_numbers=_key_numbers(comparison),
        **figures_of(comparison, pictures),
        assumptions=assumptions_of(
            ((row.test, row.flags) for row in comparison.rows), comparison.design
        ),
        steps=next_steps(comparison),
        data=comparison.to_json(indent=None),
        reader="skcompare.Comparison",
    )


def settings_of(comparison: ComparisonData | MultipleComparisonData) -> dict[str, str]:
    """Return the settings that comparisons of two and of several share."""
    seed, versions = comparison.random_state, comparison.versions.items()
    return {
        "random state": "none was set" if seed is None else str(seed),
        "fingerprint of the data": comparison.fingerprint or "unknown",
        "versions": ", ".join(f"{name} {version}" for name, version in versions),
    }


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


def _about_others(comparison: ComparisonData) -> list[str]:
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


def _notes_on_rows(comparison: ComparisonData) -> list[str]:
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


def _tables(comparison: ComparisonData) -> list[Table]:
    """Return one table per kind of estimate; scores and losses are separate.

    The difference of a loss is a gain.
    """
    level = f"{100 * (1 - comparison.alpha):g} % interval"
    test = [level, "p", f"p ({comparison.adjust})", "test"]
    headers = {
        ("difference", True): ["", *ROLES, "difference", *test],
        ("difference", False): ["lower is better", *ROLES, "gain", *test],
        ("ratio", True): ["challenger over champion", *ROLES, "ratio", *test],
        ("association", True): ["association", "estimate", *test],
        ("omnibus", True): ["without direction", "statistic", "df", *test[1:]],
        ("combination", True): ["all classes together", "statistic", "df", *test[1:]],
    }
    tables = []
    for (kind, greater), header in headers.items():
        rows = [
            row
            for row in comparison.rows
            if row.kind == kind and row.greater_is_better is greater
        ]
        if rows:
            tables.append(_table(comparison, header, rows))
    return tables


def _table(
    comparison: ComparisonData, header: list[str], rows: Sequence[ComparisonRow]
) -> Table:
    kind = rows[0].kind
    caption = CAPTIONS[kind, rows[0].greater_is_better]
    marked = [k for k, row in enumerate(rows) if row.primary]
    if len(comparison.rows) == 1:
        marked = []
    if marked:
        caption += ". The verdict comes from the row in bold"
    if any(map(_is_one_sided, rows)):
        caption += ". Intervals and p-values are one-sided"
    cells = [_cells(row, comparison.alpha) for row in rows]
    return Table(
        *without_empty_columns(header, cells),
        TEXT_COLUMNS,
        caption=caption,
        marked=marked,
        drawings=partial(_drawings, rows, header[3]) if kind == "difference" else None,
    )


def _cells(row: ComparisonRow, alpha: float) -> list[str]:
    """Format a row as table cells, in the columns of its kind."""
    name = row.subject
    ends = [
        format_pvalue(row.pvalue, alpha),
        format_pvalue(row.adjusted_pvalue, alpha),
        row.test or "no test",
    ]
    if row.kind == "ratio" and row.result is not None:
        name = row.result.estimate_name
        name += "" if row.label is None else f"[{row.label}]"
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


def _key_numbers(comparison: ComparisonData) -> dict[str, str]:
    """Return the formatted numbers of the primary row by name."""
    row = comparison.rows[0]
    decimals = decimals_of(row)
    numbers = {}
    if row.champion is not None and row.challenger is not None:
        numbers[f"{row.subject}, champion"] = format_number(row.champion, decimals)
        numbers[f"{row.subject}, challenger"] = format_number(row.challenger, decimals)
    if row.kind == "difference":
        name = "difference" if row.greater_is_better else "gain"
        numbers[name] = format_number(row.difference, decimals, signed=True)
    level = f"{100 * (1 - comparison.alpha):g} %"
    one_sided = _is_one_sided(row)
    if row.low is not None and row.high is not None:
        low, high = (
            format_number(end, decimals, signed=True) for end in (row.low, row.high)
        )
        if not one_sided:
            numbers[f"{level} interval"] = f"{low} to {high}"
        elif comparison.alternative == "greater":
            numbers[f"{level} lower limit"] = low
        else:
            numbers[f"{level} upper limit"] = high
    if row.pvalue is not None:
        p = format_pvalue(row.pvalue, comparison.alpha)
        numbers[f"p ({row.test}{', one-sided' if one_sided else ''})"] = p
    return numbers


def _is_one_sided(row: ComparisonRow) -> bool:
    return row.result is not None and row.result.alternative != "two-sided"


def _drawings(rows: Sequence[ComparisonRow], difference: str) -> list[str]:
    limits = [(row.low, row.high, row.difference) for row in rows]
    reach = max((abs(value) for line in limits for value in line if value), default=0.0)
    return [_drawing(row, difference, reach) for row in rows]


def _drawing(row: ComparisonRow, difference: str, reach: float) -> str:
    """Draw the difference and its interval on a line with a mark at 0."""
    if not reach or row.difference != row.difference:
        return ""

    def at(value: float) -> float:
        return round(60 + 55 * max(-1.0, min(1.0, value / reach)), 1)

    bar = ""
    if row.low is not None and row.high is not None:
        bar = (
            f'<line x1="{at(row.low)}" x2="{at(row.high)}" y1="9" y2="9" '
            'stroke="currentColor" stroke-width="2"/>'
        )
    label = f"{difference} {row.difference:+.3f}, 0 in the middle"
    return (
        f'<svg width="120" height="18" role="img" aria-label="{escape(label)}">'
        '<line x1="60" x2="60" y1="1" y2="17" stroke="currentColor" '
        'stroke-dasharray="2 2"/>'
        f'{bar}<circle cx="{at(row.difference)}" cy="9" r="4" fill="var(--mark)"/></svg>'
    )
