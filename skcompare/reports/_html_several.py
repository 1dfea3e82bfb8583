"""The report of several classifiers as a page of its own, and as a part of a notebook."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare.reports._assumed import assumed_of_tests
from skcompare.reports._html import seed_words
from skcompare.reports._html_assumed import assumed_part
from skcompare.reports._html_page import Part, data_part, html_page, html_report
from skcompare.reports._html_parts import (
    html_facts,
    html_figures,
    html_list,
    html_table,
    text,
)
from skcompare.reports._html_pictures import gallery
from skcompare.reports._html_style import STYLE
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._next_steps import next_steps_among
from skcompare.reports._pairwise import ROLES, PairwiseComparison
from skcompare.reports._text import design_words

if TYPE_CHECKING:
    from skcompare.plots._pictures import Pictures

SENTENCE = ' class="sentence"'


def several_html(comparison: MultipleComparisonData, pictures: Any = "auto") -> str:
    """A whole page; the comparison's JSON is embedded for machines."""

    def find() -> "Pictures":
        from skcompare.plots._pictures import pictures_among

        return pictures_among(comparison)

    data = comparison.to_json(indent=None)
    tests = [
        (name, flags)
        for one in comparison.comparisons
        for name, flags in (
            (one.test, one.flags),
            (None, ()) if one.omnibus is None else (one.omnibus.test, one.omnibus.flags),
        )
    ]
    assumed = [
        # Some tests are of all classifiers, and those of pairs are of each two of them.
        replace(one, about=one.about.replace("two ", "the ", 1))
        for one in assumed_of_tests(tests, comparison.design)
    ]
    parts = [
        Part("verdict", "Verdict", _verdict(comparison)),
        Part("results", "Results", _results(comparison)),
        gallery(find, pictures).part,
        assumed_part(comparison.design, assumed),
        Part("next", "What to do next", html_list(next_steps_among(comparison))),
        Part("how", "How it was compared", html_facts(_facts(comparison))),
        data_part(data, "skcompare.MultipleComparison", "comparison.json"),
    ]
    title = f"{len(comparison.classifiers)} classifiers compared"
    body = html_report("Comparison of several classifiers", title, parts)
    return html_page(title, body, data)


def several_html_fragment(comparison: MultipleComparisonData) -> str:
    """The report without a page around it, for notebooks: no pictures."""
    return (
        f'<div class="skcompare"><style>{STYLE}</style>'
        f'<p class="verdict">{text(comparison.conclusion.sentence)}</p>'
        f"{_results(comparison)}"
        f"<h3>How it was compared</h3>{html_facts(_facts(comparison))}</div>"
    )


def _verdict(comparison: MultipleComparisonData) -> str:
    """Who is better, in words, and the numbers of the first two."""
    winner, sentence = comparison.verdict, comparison.conclusion.sentence
    # A name keeps its small letter.
    kind = "" if sentence.startswith(winner) and winner != "inconclusive" else SENTENCE
    status = "Inconclusive" if winner == "inconclusive" else f"{winner} wins"
    if comparison.control not in (None, winner) and winner != "inconclusive":
        # Others may be better than the control too.
        status = f"{winner} is better than {comparison.control}"
    return (
        f'<div class="verdict"><p class="status"><bdi>{text(status)}</bdi></p>'
        f"<p{kind}>{text(sentence)}</p></div>"
        f"{html_figures(_key_numbers(comparison.comparisons[0]))}"
    )


def _key_numbers(primary: PairwiseComparison) -> dict[str, str]:
    """The leader with its value, how it differs from the next one, and the joint test."""
    values = {row.name: row.value for row in primary.classifiers}
    leader = primary.leader
    found = {f"{primary.subject} of {_brief(leader)}": format_number(values[leader])}
    next_one = next((row.name for row in primary.classifiers if row.name != leader), None)
    first = {leader, next_one}
    row = next((r for r in primary.pairs if {r.champion, r.challenger} == first), None)
    if row is not None:
        # The difference is shown as the leader less the other one.
        sign = 1 if row.challenger == leader else -1
        name = "difference from" if primary.greater_is_better else "gain over"
        difference = format_number(sign * row.difference, signed=True)
        if row.low is not None and row.high is not None:
            ends = sorted((sign * row.low, sign * row.high))
            limits = " to ".join(format_number(end, signed=True) for end in ends)
            difference += f" ({100 * primary.interval_level:.4g} % interval {limits})"
        found[f"{name} {_brief(str(next_one))}"] = difference
        if row.adjusted_pvalue is not None:
            p = format_pvalue(row.adjusted_pvalue, primary.alpha)
            found[f"p of that ({primary.test}, {primary.adjust})"] = p
    if primary.omnibus is not None:
        p = format_pvalue(primary.omnibus.pvalue, primary.alpha)
        found[f"p of all together ({primary.omnibus.test})"] = p
    return found


def _brief(name: str) -> str:
    words = in_one_line(name)
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"


def _results(comparison: MultipleComparisonData) -> str:
    """Two tables a measure, and caveats."""
    said = html_list(words for _, words in comparison.remarks)
    caveats = html_list(comparison.caveats)
    return (
        f"{''.join(map(_tables, comparison.comparisons))}{said}"
        f"{f'<h3>Caveats</h3>{caveats}' if caveats else ''}"
    )


def _tables(one: PairwiseComparison) -> str:
    """The classifiers and the pairs by one measure."""
    (header, ranked), (pairs_header, pairs) = one.tables()
    better = "higher" if one.greater_is_better else "lower"
    captions = [
        f"Classifiers by {one.subject}, the best first: {better} is better",
        f"Pairs by {one.subject}, the smallest p-value first: above 0 favours the "
        "challenger",
    ]
    if "group" in header:
        captions[0] += ". Those who share a letter are not told apart"
    if one.control is not None:
        captions[1] = f"Differences from the control by {one.subject}"
    return html_table(header, ranked, ROLES, caption=captions[0]) + html_table(
        pairs_header, pairs, ROLES, caption=captions[1], named_by=1
    )


def _facts(comparison: MultipleComparisonData) -> dict[str, str]:
    primary = comparison.comparisons[0]
    level = f"alpha {comparison.alpha:g}, {comparison.alternative}"
    level += f", p adjusted by {comparison.adjust}"
    if primary.test is not None:
        shown = 100 * primary.interval_level
        level += f", each interval of a difference at {shown:.4g} %"
    return {
        # A name may be that of another fact.
        **{
            f"classifier {name}": words
            for name, words in comparison.descriptions.items()
            if words != name
        },
        "design": design_words(comparison),
        "control": comparison.control or "none, all pairs",
        "level": level,
        "random state": seed_words(comparison.random_state),
        "fingerprint of the data": comparison.fingerprint or "unknown",
        "versions": ", ".join(f"{name} {v}" for name, v in comparison.versions.items()),
    }
