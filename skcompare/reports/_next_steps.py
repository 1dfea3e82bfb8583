"""Recommended next steps after a comparison of two classifiers."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from skcompare._analysis import ComparisonRow, decimals_of, far_end, is_against
from skcompare._core.design import IN_TIME, TIME_ORDERED_HOLDOUT, TRAININGS, Design
from skcompare._core.formatting import format_number, named_limits, round_up
from skcompare._registry.tests import paired_tests, tests_for

INCONCLUSIVE = "inconclusive"
MOST_NAMED = 5
"""Largest number of names in a sentence; more are counted."""

ABOUT_HOLDOUTS = ("models", "methods", "recipes")
"""Subjects of conclusions from records that were tested and not trained on."""

NO_DISCORDANT_PAIRS = "no-discordant-pairs"
UNSTABLE = "unstable-training"
SAME = "Both gave the same prediction for every record."
SERIALLY_CORRELATED = "serially-correlated"
PASS_TIME = (
    "The gains of neighbouring records are correlated, and the p-value assumes that they "
    "are independent. If records follow each other in time, compare them again with "
    "time=..., which diebold_mariano allows for, before you rely on it."
)
TAKE_TURNS = (
    "Check whether each is better at some times: skcompare.plots.GainOverTimeDisplay "
    "shows the gain over time, with a band."
)


def next_steps(comparison: Any) -> list[str]:
    """Return recommended next steps after a comparison of two classifiers."""
    row = comparison.rows[0]
    advice = _undecided if comparison.verdict == INCONCLUSIVE else _decided
    tests = ((row.test, row.measure) for row in comparison.rows)
    steps = [*advice(comparison, row), *valid_instead(tests, comparison.design)]
    if any(SERIALLY_CORRELATED in each.flags for each in comparison.rows):
        # Whatever else is advised assumes independent records.
        steps.insert(0, PASS_TIME)
    if comparison.advice is not None and comparison.advice.recalibrate:
        whose = " and ".join(f"the {role}" for role in comparison.advice.recalibrate)
        steps.append(
            f"Recalibrate the probabilities of {whose} before they are averaged or used as "
            "probabilities; calibrate on records other than these."
        )
    if comparison.advice is not None and comparison.advice.advice == "combine":
        steps.append(
            f"{sentence(comparison.advice.sentence)} Whether the ensemble is better is a "
            "separate comparison, on new records."
        )
    return steps


def _decided(comparison: Any, row: ComparisonRow) -> Iterator[str]:
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
        names = listed(dict.fromkeys(secondary.subject for secondary in worse))
        rival = "champion" if comparison.verdict == "challenger" else "challenger"
        yield (
            f"Weigh what matters more: the {comparison.verdict} is better by "
            f"{row.subject}, and the {rival} by {names}. A gate with a condition for each "
            "measure makes the rule explicit before the next comparison."
        )
    elif comparison.verdict == "challenger":
        yield (
            f"By {row.subject}, the challenger can replace the champion{_at_least(row)}. "
            "Whether that is worth the change is not a question of statistics."
        )
    else:
        yield (
            f"By {row.subject}, keep the champion{_at_least(row)}: a better challenger is "
            "needed, not more records."
        )
    yield (
        "To let only challengers pass that are shown to be good enough, write the rule "
        "down as a gate (skcompare.gate.Gate, or the command skcompare gate)."
    )


def _at_least(row: ComparisonRow) -> str:
    """Return text about the confidence limit closer to 0."""
    if row.low is None or row.high is None or row.low * row.high <= 0:
        return ""
    least = min(abs(row.low), abs(row.high))
    return (
        f"; these records are compatible with a difference as small as "
        f"{format_number(least, decimals_of(row))}"
    )


def _undecided(comparison: Any, row: ComparisonRow) -> Iterator[str]:
    """Yield advice for an inconclusive comparison."""
    if "no-truth" in comparison.flags:
        if "degenerate" in row.flags:
            yield f"{SAME} Whatever the true labels are, neither predicts better here."
            return
        yield (
            "Label the records on which the predictions differ, or a random sample of "
            "them: without true labels it is unknown which classifier is better."
        )
        return
    if row.pvalue is None:
        yield sentence(row.note.replace(row.measure, row.subject))
        return
    if row.kind != "difference" or math.isnan(row.pvalue):
        return
    if NO_DISCORDANT_PAIRS in row.flags:
        yield (
            f"The two were correct on the same {_unit(comparison, row)}. Check that two "
            "different models were compared, and not one with itself."
        )
    needed = records_needed(comparison)
    if UNSTABLE in row.flags and row.result and row.result.inference == "recipes":
        yield (
            "Use more trainings: more than half of the variance is due to randomness in "
            "training, which more test records do not reduce."
        )
    if needed:
        yield _more_records(comparison, row, needed)
    in_time = comparison.design.kind in (TIME_ORDERED_HOLDOUT.kind, IN_TIME)
    if in_time and _unit(comparison, row) != "items":
        yield TAKE_TURNS
    if is_against(row, comparison.alternative):
        yield (
            "The difference is not in the direction of alternative="
            f"{comparison.alternative!r}. Do not reverse the question on the same "
            'records; on new ones, alternative="two-sided" tests both directions.'
        )
    yield from _good_enough(row)


def _more_records(comparison: Any, row: ComparisonRow, needed: str) -> str:
    """Format advice to compare more records, whose number is fixed before."""
    enough = comparison.n_tested if _is_holdout(row) else comparison.n_records
    more, number = f"more {_unit(comparison, row)} than {enough:,}", "their number"
    another = ", unless a test for that is used (anytime_mcnemar, anytime_losses)"
    if comparison.design.kind in TRAININGS:
        another = ""
    if comparison.design.kind in (TIME_ORDERED_HOLDOUT.kind, IN_TIME):
        # Those tests allow for dependence.
        more, number, another = f"{more}, of a longer time", "that time", ""
    return (
        f"Compare {more}: {needed}. Choose the difference that matters to you, and fix "
        f"{number} in advance: repeated tests of a growing set find differences that do "
        f"not exist{another}."
    )


def records_needed(comparison: Any) -> str:
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
    if comparison.design.kind in TRAININGS:
        text = f"{text}, with as many trainings"
    return f"80 % power requires about {text}; more if it is smaller"


def _good_enough(row: ComparisonRow) -> Iterator[str]:
    """Yield advice on the conclusions that a difference without significance permits."""
    if row.low is None or row.high is None:
        return
    of_recipes = row.result is not None and row.result.inference == "recipes"
    by = "skcompare.stats.margin_test" if of_recipes else "skcompare.gate.NonInferior"
    # The other limit of a one-sided interval is that of the measure, and not of the data.
    name, limits = named_limits(direction(row), (row.low, row.high), decimals_of(row))
    if name == "interval":
        low, high = (format_number(end, decimals_of(row)) for end in (row.low, row.high))
        compatible = f"anything from {low} to {high}"
    else:
        side = "low" if name == "lower limit" else "high"
        compatible = f"a difference as {side} as {limits}"
    yield (
        "An inconclusive result does not show that there is no difference: "
        f"{compatible} is compatible with these records. If it is enough that "
        "the challenger is not worse by more than some margin, test that, with a margin "
        f"fixed before new records are seen: {by}."
    )


def direction(row: ComparisonRow) -> str:
    """Direction of the test of a row."""
    return "two-sided" if row.result is None else row.result.alternative


def _is_holdout(row: ComparisonRow) -> bool:
    return row.result is not None and row.result.inference in ABOUT_HOLDOUTS


def _unit(comparison: Any, row: ComparisonRow) -> str:
    if " items" in comparison.size:
        return "items"
    return "test records" if _is_holdout(row) else "records"


def valid_instead(tests: Iterable[tuple[str | None, str]], design: Design) -> Iterator[str]:
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
            instead = f"{listed(valid[:2], 'or')} would be"
        yield (
            f"Do not rely on {name} here: it is not valid for {design}. For {measure}, "
            f"{instead} valid."
        )


def listed(names: Iterable[str], last: str = "and") -> str:
    """Join names into a phrase; of many, the first names and the number of others."""
    shown = list(names)
    if len(shown) > MOST_NAMED:
        hidden = len(shown) - MOST_NAMED + 1
        shown = [*shown[: MOST_NAMED - 1], f"{hidden} others"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def sentence(text: str) -> str:
    """Capitalize a text and end it with a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
