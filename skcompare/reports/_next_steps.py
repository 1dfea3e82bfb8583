"""Recommended next steps after a comparison."""

import math
from collections.abc import Iterable, Iterator

from skcompare._analysis import ComparisonRow, decimals_of, far_end, is_against, round_up
from skcompare._core.design import Design
from skcompare._core.formatting import format_number, format_pvalue
from skcompare._registry.tests import paired_tests, tests_for
from skcompare.reports._comparison_data import ComparisonData
from skcompare.reports._multiple_data import MultipleComparisonData

INCONCLUSIVE = "inconclusive"
NO_DISCORDANT_PAIRS = "no-discordant-pairs"
SAME = "Both gave the same prediction for every record."
MOST_NAMED = 5
"""Largest number of names in a sentence; more are counted."""


def next_steps(comparison: ComparisonData) -> list[str]:
    """Return recommended next steps after a comparison of two classifiers."""
    row = comparison.rows[0]
    steps: list[str] = []
    if comparison.verdict == INCONCLUSIVE:
        steps += _undecided(comparison, row)
    else:
        steps += _decided(comparison, row)
    steps += _valid_instead(
        ((row.test, row.measure) for row in comparison.rows), comparison.design
    )
    if comparison.advice is not None and comparison.advice.recalibrate:
        whose = " and ".join(f"the {role}" for role in comparison.advice.recalibrate)
        steps.append(
            f"Recalibrate the probabilities of {whose} before they are averaged or used as "
            "probabilities; calibrate on records other than these."
        )
    if comparison.advice is not None and comparison.advice.advice == "combine":
        steps.append(
            f"{_sentence(comparison.advice.sentence)} Whether the ensemble is better is a "
            "comparison of its own, on new records."
        )
    return steps


def next_steps_among(comparison: MultipleComparisonData) -> list[str]:
    """Return recommended next steps after a comparison of several classifiers."""
    primary = comparison.comparisons[0]
    steps: list[str] = []
    if primary.test is None:
        steps.append(_sentence(primary.note))
    elif comparison.verdict != INCONCLUSIVE:
        steps += _better_than_control(comparison)
        steps.append(
            f"Use {comparison.verdict}. When it is to be replaced one day, a "
            "gate (skcompare.gate.Gate) lets a challenger pass only if it is shown to be "
            "good enough."
        )
    else:
        steps += _among_equals(comparison)
    tests = ((pairwise.test, pairwise.measure) for pairwise in comparison.comparisons)
    return [*steps, *_valid_instead(tests, comparison.design)]


def _decided(comparison: ComparisonData, row: ComparisonRow) -> Iterator[str]:
    """Yield advice for a comparison with a winner."""
    worse = [
        secondary
        for secondary in comparison.rows[1:]
        if secondary.kind == "difference"
        and secondary.adjusted_pvalue is not None
        and secondary.adjusted_pvalue < comparison.alpha
        and secondary.difference * row.difference < 0
    ]
    if worse:
        names = _listed(dict.fromkeys(secondary.subject for secondary in worse))
        rival = "champion" if comparison.verdict == "challenger" else "challenger"
        yield (
            f"Weigh what matters more: the {comparison.verdict} is better by "
            f"{row.subject}, and the {rival} by {names}. A gate with a condition for each "
            "measure makes the rule explicit before the next comparison."
        )
    elif comparison.verdict == "challenger":
        yield (
            f"As far as {row.subject} counts, the challenger can take the place of the "
            f"champion{_at_least(row)}. Whether that is worth the change is not a question "
            "of statistics."
        )
    else:
        yield (
            f"Keep the champion as far as {row.subject} counts{_at_least(row)}: what is "
            "needed is a better challenger, and not more records."
        )
    yield (
        "To let only challengers pass that are shown to be good enough, write the rule "
        "down as a gate (skcompare.gate.Gate, or the command skcompare gate)."
    )


def _at_least(row: ComparisonRow) -> str:
    """Return a clause on the confidence limit nearer to 0."""
    if row.low is None or row.high is None or row.low * row.high <= 0:
        return ""
    least = min(abs(row.low), abs(row.high))
    return (
        f"; these records are compatible with a difference as small as "
        f"{format_number(least, decimals_of(row))}"
    )


def _undecided(comparison: ComparisonData, row: ComparisonRow) -> Iterator[str]:
    """Yield advice for an inconclusive comparison."""
    if "no-truth" in comparison.flags:
        if "degenerate" in row.flags:
            yield f"{SAME} Whatever the true labels are, neither gives better ones here."
            return
        yield (
            "Find the true labels of the records on which the predictions differ, of all "
            "or of a random sample of them: without true labels nobody can say which "
            "classifier is better."
        )
        return
    if row.pvalue is None:
        yield _sentence(row.note.replace(row.measure, row.subject))
        return
    if row.kind != "difference" or math.isnan(row.pvalue):
        return
    if NO_DISCORDANT_PAIRS in row.flags:
        yield (
            f"The two were right and wrong on the same {_unit(comparison, row)}. See that "
            "two different classifiers were compared, and not one with itself."
        )
    needed = records_needed(comparison)
    if needed:
        enough = comparison.n_tested if _is_holdout(row) else comparison.n_records
        yield (
            f"Compare more {_unit(comparison, row)} than {enough:,}: {needed}. Choose the "
            "difference that matters to you, and fix their number before: looking again "
            "and again at a growing set finds differences that are none, unless a test for "
            "that is used (anytime_mcnemar, anytime_losses)."
        )
    if is_against(row, comparison.alternative):
        yield (
            "The difference is not in the direction of alternative="
            f"{comparison.alternative!r}. Do not turn the question round on the same "
            'records; on new ones, alternative="two-sided" asks both ways.'
        )
    yield from _good_enough(row)


def records_needed(comparison: ComparisonData) -> str:
    """Format the numbers of records for 80 % power, by the true difference."""
    row, conclusion = comparison.rows[0], comparison.conclusion
    needed, least = conclusion.records_needed, conclusion.least_records
    if needed is None:
        return ""
    decimals, unit = decimals_of(row), _unit(comparison, row)
    observed = f"{format_number(abs(row.difference), decimals)} as observed"
    if least is None:
        text = f"{round_up(needed):,} {unit} if the difference is {observed}"
    else:
        far = format_number(abs(far_end(row) or 0.0), decimals)
        text = (
            f"{round_up(least):,} {unit} if the difference is {far}, the far end of its "
            f"interval, and {round_up(needed):,} if it is {observed}"
        )
    return f"80 % power takes about {text}; if it is smaller, more"


def _good_enough(row: ComparisonRow) -> Iterator[str]:
    """Yield advice on the conclusions that a difference without significance permits."""
    if row.low is None or row.high is None:
        return
    decimals = decimals_of(row)
    low, high = (
        format_number(limit, decimals, signed=True) for limit in (row.low, row.high)
    )
    # The other limit of a one-sided interval is that of the measure, and not of the data.
    compatible = {
        "two-sided": f"anything from {low} to {high}",
        "greater": f"a difference as low as {low}",
        "less": f"a difference as high as {high}",
    }
    direction = "two-sided" if row.result is None else row.result.alternative
    yield (
        "Not to find a difference is not to show that there is none: "
        f"{compatible[direction]} is compatible with these records. If it is enough that "
        "the challenger is not worse by more than some margin, ask that, with a margin "
        "fixed before new records are seen: skcompare.gate.NonInferior."
    )


def _is_holdout(row: ComparisonRow) -> bool:
    return row.result is not None and row.result.inference == "models"


def _unit(comparison: ComparisonData, row: ComparisonRow) -> str:
    if comparison.size:
        return "items"
    return "test records" if _is_holdout(row) else "records"


def _better_than_control(comparison: MultipleComparisonData) -> Iterator[str]:
    """Yield a remark if several classifiers are better than the control."""
    primary = comparison.comparisons[0]
    wins = [row.beats(comparison.alpha) for row in primary.pairs]
    control = comparison.control
    better = [pair[0] for pair in wins if pair and pair[1] == control]
    if len(better) < 2:
        return
    yield (
        f"{_listed(better)} are better than the control. They were not compared with "
        f"each other: {comparison.verdict} has the best value here, and cost, "
        "speed or how they can be explained may speak for another one."
    )


def _among_equals(comparison: MultipleComparisonData) -> Iterator[str]:
    """Yield advice if no classifier is better than all others."""
    primary = comparison.comparisons[0]
    leader = primary.leader
    group = next((g for g in comparison.groups if leader in g), ())
    others = [name for name in group if name != leader]
    if others:
        yield (
            f"{leader} is not distinguished from {_listed(others)}: choose among these by "
            "cost, speed or how they can be explained, or compare them on more records, "
            "whose number is fixed beforehand."
        )
    if comparison.control is not None:
        yield (
            "Not to be told from the control is not to be as good: a margin of "
            "non-inferiority asks that (skcompare.gate.NonInferior)."
        )
        return
    count = len(primary.classifiers)
    if count > 2:
        p = next((row for row in primary.pairs if row.pvalue is not None), None)
        smallest = (
            f" (the smallest one here was {format_pvalue(p.pvalue)} before the adjustment)"
            if p is not None and p.pvalue is not None
            else ""
        )
        yield (
            f"All {len(primary.pairs)} pairs were tested, and their p-values adjusted for "
            f"that{smallest}. On new records, comparing {count - 1} classifiers with one "
            "control that is named beforehand (control=...) finds smaller differences."
        )


def _valid_instead(
    tests: Iterable[tuple[str | None, str]], design: Design
) -> Iterator[str]:
    """Yield advice on alternatives to tests that are not valid for the design."""
    registered, rows = paired_tests(), dict.fromkeys(tests)
    for name, measure in rows:
        if name is None or name not in registered or registered[name].valid_for(design):
            continue
        valid = [entry.name for entry in tests_for(measure, design)]
        instead = "no test is known that is"
        if ran := [test for test in valid if (test, measure) in rows]:
            instead = f"{ran[0]} is"
        elif valid:
            instead = f"{_listed(valid[:2], 'or')} would be"
        yield (
            f"Do not rely on {name} here: it is not valid for {design}. For {measure}, "
            f"{instead} valid."
        )


def _listed(names: Iterable[str], last: str = "and") -> str:
    """Join names to a phrase, with the first names and the number of others if many."""
    shown = list(names)
    if len(shown) > MOST_NAMED:
        hidden = len(shown) - MOST_NAMED + 1
        shown = [*shown[: MOST_NAMED - 1], f"{hidden} others"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def _sentence(text: str) -> str:
    """Capitalize a text and end it with a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
