"""Reports of comparisons as HTML pages, and as HTML fragments for notebooks."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from skcompare._analysis import ComparisonRow, PairwiseComparison, decimals_of
from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare.reports._assumptions import assumed_of_tests
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._html_page import STYLE, Part, data_part, html_page, html_report
from skcompare.reports._html_parts import (
    html_facts,
    html_figures,
    html_list,
    html_table,
    text,
)
from skcompare.reports._html_sections import assumed_part, gallery
from skcompare.reports._multiple_data import ROLES, MultipleComparisonData
from skcompare.reports._next_steps import next_steps, next_steps_among
from skcompare.reports._text import (
    TEXT_COLUMNS,
    Section,
    about_others,
    design_text,
    notes,
    sections,
)

if TYPE_CHECKING:
    from skcompare.plots import Pictures


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
LONGEST_TITLE = 90
"""Largest number of characters of a name in the heading."""


def comparison_html(comparison: ComparisonData, pictures: Any = "auto") -> str:
    """Return the report of two classifiers as an HTML page, with its JSON embedded."""

    def find() -> "Pictures":
        from skcompare.plots import pictures_of

        return pictures_of(comparison)

    figures = gallery(find, pictures)
    tables = _tables(comparison, drawings=not figures.n_pictures)
    remarks = html_list(_remarks(comparison))
    notes_part = f"<h3>Notes and caveats</h3>{remarks}" if remarks else ""
    tests = ((row.test, row.flags) for row in comparison.rows)
    assumptions = assumed_of_tests(tests, comparison.design)
    data = comparison.to_json(indent=None)
    parts = [
        Part("verdict", "Verdict", _verdict(comparison)),
        Part("results", "Results", f"{tables}{notes_part}"),
        figures.part,
        assumed_part(comparison.design, assumptions),
        Part("next", "What to do next", html_list(next_steps(comparison))),
        Part("ensemble", "Ensemble", _ensemble(comparison)),
        Part("how", "How it was compared", html_facts(_facts(comparison))),
        data_part(data, "skcompare.Comparison", "comparison.json"),
    ]
    names = (comparison.challenger, comparison.champion)
    title = " against ".join(brief_title(name) for name in names)
    body = html_report("Comparison of two classifiers", title, parts)
    return html_page(title, body, data)


def comparison_html_fragment(comparison: ComparisonData) -> str:
    """Return the report as an HTML fragment for notebooks, without large pictures."""
    remarks = html_list(_remarks(comparison))
    notes_part = f"<h3>Notes</h3>{remarks}" if remarks else ""
    advice = _ensemble(comparison)
    ensemble = f"<h3>Ensemble</h3>{advice}" if advice else ""
    return (
        f'<div class="skcompare"><style>{STYLE}</style>'
        f'<p class="verdict">{text(comparison.conclusion.sentence)}</p>'
        f"{_tables(comparison, drawings=True)}{notes_part}{ensemble}"
        f"<h3>How it was compared</h3>{html_facts(_facts(comparison))}</div>"
    )


def brief_title(name: str) -> str:
    """Shorten a name to fit into a heading."""
    line = in_one_line(name)
    if len(line) <= LONGEST_TITLE:
        return line
    return f"{line[: LONGEST_TITLE - 1].rstrip()}…"


def seed_text(random_state: Any) -> str:
    """Format the random state."""
    return "none was set" if random_state is None else str(random_state)


def _remarks(comparison: ComparisonData) -> list[str]:
    return [*about_others(comparison), *notes(comparison), *comparison.caveats]


def _verdict(comparison: ComparisonData) -> str:
    """Return the verdict and the primary row's numbers as HTML."""
    return (
        f'<div class="verdict"><p class="status">{STATUS[comparison.verdict]}</p>'
        f'<p class="sentence">{text(comparison.conclusion.sentence)}</p></div>'
        f"{html_figures(_key_numbers(comparison))}"
    )


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


def _ensemble(comparison: ComparisonData) -> str:
    """Return the advice on an ensemble, with the result of each step, as HTML."""
    advice = comparison.advice
    if advice is None:
        return ""
    steps = "".join(
        f'<li class="sentence">{text(step.sentence)}</li>' for step in advice.steps
    )
    return (
        f'<p class="soft">{ABOUT_ADVICE}</p>'
        f'<p class="sentence">{text(advice.sentence)}</p><ol>{steps}</ol>'
    )


def _facts(comparison: ComparisonData) -> dict[str, str]:
    return {
        "champion": comparison.champion,
        "challenger": comparison.challenger,
        "design": design_text(comparison),
        "level": f"alpha {comparison.alpha:g}, {comparison.alternative}",
        "adjustment": f"{comparison.adjust}, of the rows after the first",
        "random state": seed_text(comparison.random_state),
        "fingerprint of the data": comparison.fingerprint or "unknown",
        "versions": ", ".join(f"{name} {v}" for name, v in comparison.versions.items()),
    }


def _tables(comparison: ComparisonData, drawings: bool) -> str:
    """Return one HTML table per kind of estimate."""
    return "".join(_table(section, drawings) for section in sections(comparison))


def _table(section: Section, drawings: bool) -> str:
    rows = section.rows
    caption = CAPTIONS[section.kind, rows[0].greater_is_better]
    marked = [k for k, row in enumerate(rows) if row.primary]
    if marked and not section.is_alone:
        caption += ". The verdict comes from the row in bold"
    if any(map(_is_one_sided, rows)):
        caption += ". Intervals and p-values are one-sided"
    small = _drawings(rows, section.header[3]) if drawings and _is_drawn(section) else ()
    return html_table(
        section.header,
        section.cells,
        TEXT_COLUMNS,
        caption=caption,
        marked=marked,
        drawings=small,
    )


def _is_drawn(section: Section) -> bool:
    return section.kind == "difference" and len(section.header) > 3


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


SENTENCE = ' class="sentence"'


def several_html(comparison: MultipleComparisonData, pictures: Any = "auto") -> str:
    """Return the report of several classifiers as an HTML page, with its JSON embedded."""

    def find() -> "Pictures":
        from skcompare.plots import pictures_among

        return pictures_among(comparison)

    data = comparison.to_json(indent=None)
    tests = [
        (name, flags)
        for by_measure in comparison.comparisons
        for name, flags in (
            (by_measure.test, by_measure.flags),
            (None, ())
            if by_measure.omnibus is None
            else (by_measure.omnibus.test, by_measure.omnibus.flags),
        )
    ]
    assumptions = [
        # Some tests are of all classifiers, others of each pair of them.
        replace(test, about=test.about.replace("two ", "the ", 1))
        for test in assumed_of_tests(tests, comparison.design)
    ]
    parts = [
        Part("verdict", "Verdict", _several_verdict(comparison)),
        Part("results", "Results", _results(comparison)),
        gallery(find, pictures).part,
        assumed_part(comparison.design, assumptions),
        Part("next", "What to do next", html_list(next_steps_among(comparison))),
        Part("how", "How it was compared", html_facts(_several_facts(comparison))),
        data_part(data, "skcompare.MultipleComparison", "comparison.json"),
    ]
    title = f"{len(comparison.classifiers)} classifiers compared"
    body = html_report("Comparison of several classifiers", title, parts)
    return html_page(title, body, data)


def several_html_fragment(comparison: MultipleComparisonData) -> str:
    """Return the report as an HTML fragment for notebooks, without pictures."""
    return (
        f'<div class="skcompare"><style>{STYLE}</style>'
        f'<p class="verdict">{text(comparison.conclusion.sentence)}</p>'
        f"{_results(comparison)}"
        f"<h3>How it was compared</h3>{html_facts(_several_facts(comparison))}</div>"
    )


def _several_verdict(comparison: MultipleComparisonData) -> str:
    """Return the verdict and the numbers of the best two classifiers as HTML."""
    winner, sentence = comparison.verdict, comparison.conclusion.sentence
    # A name at the beginning is not capitalized.
    kind = "" if sentence.startswith(winner) and winner != "inconclusive" else SENTENCE
    status = "Inconclusive" if winner == "inconclusive" else f"{winner} wins"
    if comparison.control not in (None, winner) and winner != "inconclusive":
        # Others may be better than the control too.
        status = f"{winner} is better than {comparison.control}"
    return (
        f'<div class="verdict"><p class="status"><bdi>{text(status)}</bdi></p>'
        f"<p{kind}>{text(sentence)}</p></div>"
        f"{html_figures(_several_key_numbers(comparison.comparisons[0]))}"
    )


def _several_key_numbers(primary: PairwiseComparison) -> dict[str, str]:
    """Return the leader's value, its difference from the next, and the omnibus test."""
    values = {row.name: row.value for row in primary.classifiers}
    leader = primary.leader
    numbers = {f"{primary.subject} of {_brief(leader)}": format_number(values[leader])}
    runner_up = next((row.name for row in primary.classifiers if row.name != leader), None)
    best_two = {leader, runner_up}
    row = next((r for r in primary.pairs if {r.champion, r.challenger} == best_two), None)
    if row is not None:
        # The difference is shown as the leader minus the next one.
        sign = 1 if row.challenger == leader else -1
        name = "difference from" if primary.greater_is_better else "gain over"
        difference = format_number(sign * row.difference, signed=True)
        if row.low is not None and row.high is not None:
            ends = sorted((sign * row.low, sign * row.high))
            limits = " to ".join(format_number(end, signed=True) for end in ends)
            difference += f" ({100 * primary.interval_level:.4g} % interval {limits})"
        numbers[f"{name} {_brief(str(runner_up))}"] = difference
        if row.adjusted_pvalue is not None:
            p = format_pvalue(row.adjusted_pvalue, primary.alpha)
            numbers[f"p of that ({primary.test}, {primary.adjust})"] = p
    if primary.omnibus is not None:
        p = format_pvalue(primary.omnibus.pvalue, primary.alpha)
        numbers[f"p of all together ({primary.omnibus.test})"] = p
    return numbers


def _brief(name: str) -> str:
    line = in_one_line(name)
    return line if len(line) <= 40 else f"{line[:39].rstrip()}…"


def _results(comparison: MultipleComparisonData) -> str:
    """Return two tables per measure, remarks and caveats as HTML."""
    remarks = html_list(remark for _, remark in comparison.remarks)
    caveats = html_list(comparison.caveats)
    return (
        f"{''.join(map(_several_tables, comparison.comparisons))}{remarks}"
        f"{f'<h3>Caveats</h3>{caveats}' if caveats else ''}"
    )


def _several_tables(comparison: PairwiseComparison) -> str:
    """Return the HTML tables of the classifiers and of the pairs by one measure."""
    (header, ranked), (pairs_header, pairs) = comparison.tables()
    better = "higher" if comparison.greater_is_better else "lower"
    captions = [
        f"Classifiers by {comparison.subject}, the best first: {better} is better",
        f"Pairs by {comparison.subject}, the smallest p-value first: above 0 favours the "
        "challenger",
    ]
    if "group" in header:
        captions[0] += ". Those who share a letter are not distinguished"
    if comparison.control is not None:
        captions[1] = f"Differences from the control by {comparison.subject}"
    return html_table(header, ranked, ROLES, caption=captions[0]) + html_table(
        pairs_header, pairs, ROLES, caption=captions[1], named_by=1
    )


def _several_facts(comparison: MultipleComparisonData) -> dict[str, str]:
    primary = comparison.comparisons[0]
    level = f"alpha {comparison.alpha:g}, {comparison.alternative}"
    level += f", p adjusted by {comparison.adjust}"
    if primary.test is not None:
        shown = 100 * primary.interval_level
        level += f", each interval of a difference at {shown:.4g} %"
    return {
        # A name may be equal to that of another fact.
        **{
            f"classifier {name}": description
            for name, description in comparison.descriptions.items()
            if description != name
        },
        "design": design_text(comparison),
        "control": comparison.control or "none, all pairs",
        "level": level,
        "random state": seed_text(comparison.random_state),
        "fingerprint of the data": comparison.fingerprint or "unknown",
        "versions": ", ".join(f"{name} {v}" for name, v in comparison.versions.items()),
    }
