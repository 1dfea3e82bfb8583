"""Report of a comparison of several classifiers."""

from dataclasses import replace
from typing import Any

from skcompare._analysis import PairwiseComparison
from skcompare._core.formatting import format_number, format_pvalue, shortened
from skcompare._core.report import Note, Report, Table
from skcompare.reports._assumptions import assumptions_of
from skcompare.reports._comparison_report import design_text, settings_of
from skcompare.reports._figures import figures_of
from skcompare.reports._multiple_data import MultipleComparisonData
from skcompare.reports._next_steps import next_steps_among

ROLES = ("classifier", "champion", "challenger", "group", "test")
"""Columns of text in tables of several classifiers."""

LONGEST = 40
"""Largest number of characters of a name beside a number."""


def multiple_report(comparison: MultipleComparisonData) -> Report:
    """Return the report of a comparison of several classifiers, without parts of a page."""
    remarks, caveats = comparison.remarks, comparison.caveats
    notes = [Note(name, remark, "") for name, remark in remarks]
    notes += [Note("flag", caveat, "flag ") for caveat in caveats]
    return Report(
        headline=comparison.conclusion.sentence,
        facts={"design": design_text(comparison)},
        tables=[table for part in comparison.comparisons for table in _tables(part)],
        notes=notes,
        remarks={"": [remark for _, remark in remarks], "Caveats": caveats},
        settings=_settings(comparison),
    )


def multiple_page(comparison: MultipleComparisonData, pictures: Any) -> Report:
    """Return the report of a comparison of several classifiers for a page."""
    winner, sentence = comparison.verdict, comparison.conclusion.sentence
    status = "Inconclusive" if winner == "inconclusive" else f"{winner} wins"
    if comparison.control not in (None, winner) and winner != "inconclusive":
        # Others may be better than the control too.
        status = f"{winner} is better than {comparison.control}"
    tests = [
        (result.test, result.flags)
        for part in comparison.comparisons
        for result in (part, part.omnibus)
        if result is not None
    ]
    return replace(
        multiple_report(comparison),
        kind="Comparison of several classifiers",
        title=f"{len(comparison.classifiers)} classifiers compared",
        status=status,
        has_names=True,
        # A name at the beginning is not capitalized.
        is_capitalized=winner == "inconclusive" or not sentence.startswith(winner),
        key_numbers=_key_numbers(comparison.comparisons[0]),
        **figures_of(comparison, pictures),
        assumptions=assumptions_of(tests, comparison.design, "the"),
        steps=next_steps_among(comparison),
        data=comparison.to_json(indent=None),
        reader="skcompare.MultipleComparison",
    )


def _tables(comparison: PairwiseComparison) -> list[Table]:
    """Return the tables of the classifiers and of the pairs by one measure."""
    ranked, pairs = comparison.tables()
    better = "higher" if comparison.greater_is_better else "lower"
    about = f"Classifiers by {comparison.subject}, the best first: {better} is better"
    if "group" in ranked[0]:
        about += ". Those who share a letter are not distinguished"
    of_pairs = (
        f"Pairs by {comparison.subject}, the smallest p-value first: above 0 favours the "
        "challenger"
    )
    if comparison.control is not None:
        of_pairs = f"Differences from the control by {comparison.subject}"
    return [
        Table(*ranked, ROLES, caption=about),
        Table(*pairs, ROLES, caption=of_pairs, named_by="challenger"),
    ]


def _key_numbers(primary: PairwiseComparison) -> dict[str, str]:
    """Return the leader's value, its difference from the next, and the omnibus test."""
    values = {row.name: row.value for row in primary.classifiers}
    leader = primary.leader
    name = shortened(leader, LONGEST)
    numbers = {f"{primary.subject} of {name}": format_number(values[leader])}
    runner_up = next((row.name for row in primary.classifiers if row.name != leader), None)
    best_two = {leader, runner_up}
    row = next((r for r in primary.pairs if {r.champion, r.challenger} == best_two), None)
    if row is not None:
        # The difference is shown as the leader minus the next one.
        sign = 1 if row.challenger == leader else -1
        difference = format_number(sign * row.difference, signed=True)
        if row.low is not None and row.high is not None:
            ends = sorted((sign * row.low, sign * row.high))
            limits = " to ".join(format_number(end, signed=True) for end in ends)
            difference += f" ({100 * primary.interval_level:.4g} % interval {limits})"
        relation = "difference from" if primary.greater_is_better else "gain over"
        numbers[f"{relation} {shortened(str(runner_up), LONGEST)}"] = difference
        if row.adjusted_pvalue is not None:
            p = format_pvalue(row.adjusted_pvalue, primary.alpha)
            numbers[f"p of that ({primary.test}, {primary.adjust})"] = p
    if primary.omnibus is not None:
        p = format_pvalue(primary.omnibus.pvalue, primary.alpha)
        numbers[f"p of all together ({primary.omnibus.test})"] = p
    return numbers


def _settings(comparison: MultipleComparisonData) -> dict[str, str]:
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
        **settings_of(comparison),
    }
