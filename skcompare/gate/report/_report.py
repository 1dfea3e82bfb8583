"""What a reader of a decision is told, in the same words in every format."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
    in_one_line,
)
from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import AnyOf, Condition, Superior
from skcompare.gate._outcomes import DecisionData, Outcome
from skcompare.reports import aligned, entry, markdown_table, markdown_text, round_up

PASSED, FAILED = "passed", "failed"
LONGEST = 60
"""Characters of a condition in a table; the rest is beside its reasons."""
PARTS = "abcdefghijklmnopqrstuvwxyz"
TEXT_COLUMNS = ("", "condition", "status")
ANY_WORDS = " where any of several conditions is enough"


Decision = TypeVar("Decision", bound=DecisionData)


class Line(NamedTuple):
    """An outcome with its number, such as "2" or, where any is enough, "2a"."""

    number: str
    outcome: Outcome


def shown_part(decision: Decision) -> Decision:
    """The decision, or what a blind one may tell.

    That is whether it passed, and reasons that have nothing to do with true labels.
    """
    if not decision.blind:
        return decision
    return replace(decision, outcomes=(), fingerprint="", seconds=None)


def lines(decision: DecisionData) -> list[Line]:
    """The outcomes in order, those of which any is enough after what they are parts of."""
    found = []
    for k, outcome in enumerate(decision.outcomes, start=1):
        found.append(Line(str(k), outcome))
        found += [
            Line(f"{k}{PARTS[i] if i < len(PARTS) else f'.{i + 1}'}", part)
            for i, part in enumerate(outcome.parts)
        ]
    return found


def verdict_words(decision: DecisionData) -> str:
    """Passed or not, in capitals."""
    if decision.passed:
        return "PASSED"
    unclear = not decision.blind and decision.status != FAILED
    return "NOT PASSED (inconclusive)" if unclear else "NOT PASSED"


def headline(decision: DecisionData) -> str:
    """The verdict in one line."""
    about = in_one_line(f"{decision.challenger} against {decision.champion}")
    if decision.blind:
        return f"{verdict_words(decision)}: {about}; the gate is blind and tells no more"
    return f"{verdict_words(decision)}: {about}, {_finding(decision)}"


def _finding(decision: DecisionData) -> str:
    if decision.reasons:
        return "and cannot pass whatever the conditions say"
    statuses = [outcome.status for outcome in decision.outcomes]
    n = len(statuses)
    level = f"at alpha {decision.alpha:g}"
    if decision.passed:
        subject = "the condition was" if n == 1 else f"all {n} conditions were"
        return f"{subject} shown to hold {level}"
    failed = statuses.count(FAILED)
    count = failed or sum(status != PASSED for status in statuses)
    verb = "was" if count == 1 else "were"
    subject = "the condition was" if n == 1 else f"{count} of {n} conditions {verb}"
    return f"{subject} {'shown not' if failed else 'not shown'} to hold {level}"


def table(decision: DecisionData) -> tuple[list[str], list[list[str]]]:
    """Header and cells: a line a condition; columns that nothing fills are left out."""
    header = ["", "condition", "champion", "challenger", "difference", "at least"]
    header += ["at most", "p", "p (Holm)", unit_of(decision.outcomes), "status"]
    found = lines(decision)
    cells = [_cells(line, decision.alpha) for line in found]
    if len(found) == 1:
        cells[0][0] = ""
    used = [i for i in range(len(header)) if any(row[i] for row in cells)]
    return [header[i] for i in used], [[row[i] for i in used] for row in cells]


def _cells(line: Line, alpha: float) -> list[str]:
    outcome = line.outcome
    condition = outcome.condition
    name = "any of these" if isinstance(condition, AnyOf) else condition.words
    numbers = [""] * 5
    if outcome.row is not None:
        row = outcome.row
        decimals = decimals_for(row.difference, outcome.low, outcome.high)
        numbers = [
            format_number(row.champion, decimals),
            format_number(row.challenger, decimals),
            format_number(row.difference, decimals, signed=True),
            format_number(outcome.low, decimals, signed=True),
            format_number(outcome.high, decimals, signed=True),
        ]
    return [
        line.number,
        shortened(in_one_line(name)),
        *numbers,
        _pvalue(outcome.pvalue, alpha if outcome.level is None else outcome.level),
        _pvalue(outcome.adjusted_pvalue, alpha),
        "" if outcome.parts else f"{outcome.n_records:,}",
        outcome.status,
    ]


def _pvalue(pvalue: float | None, alpha: float) -> str:
    return "" if pvalue is None else format_pvalue(pvalue, alpha)


def shortened(words: str) -> str:
    """Words that fit into a table."""
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def told(outcome: Outcome) -> list[str]:
    """Why, and what would settle it, each in one line."""
    found = [in_one_line(reason) for reason in outcome.reasons]
    return [*found, settles(outcome)] if settles(outcome) else found


def settles(outcome: Outcome) -> str:
    """What would settle a condition; empty where it is settled or nothing is known."""
    needed, condition = outcome.records_needed, outcome.condition
    if needed is None or math.isnan(needed) or outcome.status == PASSED:
        return ""
    unit = unit_of([outcome])
    if isinstance(condition, Condition) and condition.where:
        unit += " of the slice"
    if math.isfinite(needed):
        if outcome.blocked:
            return f"what was asked for needs about {math.ceil(needed):,} {unit}"
        return f"about {round_up(needed):,} {unit} would settle it (80 % power)"
    if outcome.blocked:
        return f"how many {unit} would settle it is unknown"
    if isinstance(condition, Superior) and condition.margin:
        why = "is not above the margin"
    elif isinstance(condition, Condition) and condition.margin:
        why = "is beyond the margin"
    else:
        why = "does not favour the challenger"
    return (
        f"no number of {unit} would settle it if the observed difference is the true one: "
        f"it {why}"
    )


def unit_of(outcomes: Sequence[Outcome]) -> str:
    """What the evidence is counted in."""
    leaves = [leaf.condition for outcome in outcomes for leaf in outcome.leaves]
    scored = [one for one in leaves if isinstance(one, Condition)]
    items = bool(scored) and all(one.measure == MEAN_SCORE for one in scored)
    return "items" if items else "records"


def notes(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """What is to be known beside the table, each with a short name."""
    for reason in decision.reasons:
        yield "stopped", in_one_line(reason)
    found = lines(decision)
    for number, outcome in found:
        label = "" if len(found) == 1 else f" {number}"
        whole = in_one_line(outcome.condition.words)
        if not outcome.parts and len(whole) > LONGEST:
            yield f"condition{label}", whole
        for reason in outcome.reasons:
            yield f"reason{label}", in_one_line(reason)
        if settles(outcome):
            yield f"needed{label}", settles(outcome)
    yield from _table_notes(decision)
    for number, caveat in flags_told(decision):
        if caveat not in decision.reasons:
            yield f"flag {number}".rstrip(), in_one_line(caveat)
    if decision.look:
        yield "look", look_words(decision.look)


def caveats_of(decision: DecisionData) -> list[str]:
    """All flags with their words, after the condition that they are about."""
    return [
        f"{words} (condition {number})" if number else words
        for number, words in flags_told(decision)
    ]


def flags_told(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """Each flag in words, after the number of its condition.

    Those of the data have no number, and those of the only condition need none.
    """
    for caveat in explain(decision.flags):
        yield "", caveat
    found = lines(decision)
    for number, outcome in found:
        own = (flag for flag in outcome.flags if flag not in decision.flags)
        for caveat in explain(own):
            yield "" if len(found) == 1 else number, caveat


def _table_notes(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """How the table is to be read."""
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    rows = [leaf.row for leaf in leaves if leaf.row is not None]
    losses = dict.fromkeys(row.subject for row in rows if not row.greater_is_better)
    if losses:
        names = in_one_line(", ".join(losses))
        yield "note", f"less is better of {names}; the difference is what is gained"
    if rows:
        yield "limits", _limit_words(decision)
    if decision.outcomes:
        yield "correction", decision.correction


def _limit_words(decision: DecisionData) -> str:
    levels: dict[str, str] = {}
    for outcome in decision.outcomes:
        for leaf in outcome.leaves:
            if leaf.row is not None and leaf.level is not None:
                percent = format_confidence(leaf.level)
                levels.setdefault(percent, ANY_WORDS if outcome.parts else "")
    several = len(levels) > 1
    words = ", and with ".join(
        f"{percent} confidence{why if several else ''}" for percent, why in levels.items()
    )
    said = "'at least' and 'at most' are one-sided limits of the difference"
    return f"{said}, each with {words}" if words else said


def look_words(look: Mapping[str, Any]) -> str:
    """What a ledger tells of this look."""
    known = {name: value for name, value in look.items() if value is not None}
    words = []
    if {"number", "alpha", "total_alpha"} <= set(known):
        words = [f"look {known.pop('number')} at these records"]
        if known.pop("repeated", False):
            words[0] += ", taken before"
        alpha, total = _number(known.pop("alpha")), _number(known.pop("total_alpha"))
        words.append(f"level {alpha} of {total} for all looks")
    words += [f"{str(name).replace('_', ' ')} {_number(v)}" for name, v in known.items()]
    return in_one_line(", ".join(words))


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def size_words(decision: DecisionData) -> str:
    """How much was judged."""
    if decision.size:
        return in_one_line(decision.size)
    return f"{decision.n_records:,} {unit_of(decision.outcomes)}"


def facts(decision: DecisionData) -> dict[str, str]:
    """Who was compared, and how."""
    found = {
        "champion": in_one_line(decision.champion),
        "challenger": in_one_line(decision.challenger),
    }
    if decision.blind:
        return found
    words = [in_one_line(decision.design)]
    words.append(size_words(decision))
    if decision.seconds is not None:
        words.append(f"{decision.seconds:.2g} s")
    return found | {"design": ", ".join(words)}


def decision_text(decision: DecisionData) -> str:
    """The verdict first, then conditions, reasons and what would settle them."""
    decision = shown_part(decision)
    found = [headline(decision), ""]
    if decision.outcomes:
        found += [*aligned(*table(decision), TEXT_COLUMNS), ""]
    found += [entry(name, words) for name, words in notes(decision)]
    found += [entry(name, words) for name, words in facts(decision).items()]
    return "\n".join(found)


# What hosts add to Markdown: struck text, formulas, quotes, and links without brackets.
ALSO_ESCAPED = {"~": "\\~", "$": "\\$", ">": "\\>", "://": "\\://", "www.": "www\\."}
SYMBOLS = {"passed": "✓", "inconclusive": "?"}
OTHER = "✗"


def decision_markdown(decision: DecisionData) -> str:
    """The verdict first, then conditions, reasons and what would settle them."""
    decision = shown_part(decision)
    symbol = SYMBOLS.get(decision.status, OTHER)
    found = [f"### {symbol} {_words(headline(decision))}", ""]
    if decision.outcomes:
        header, cells = table(decision)
        status = header.index("status")
        for row in cells:
            row[status] = f"{SYMBOLS.get(row[status], OTHER)} {row[status]}"
        rows = markdown_table(header, cells, TEXT_COLUMNS)
        found += [*map(_also_escaped, rows), ""]
    listed = [*notes(decision), *facts(decision).items()]
    found += [f"- {name}: {_words(words)}" for name, words in listed]
    return "\n".join(found) + "\n"


def _words(words: str) -> str:
    """Text that Markdown shows as it is, also where hosts add to it."""
    return _also_escaped(markdown_text(words))


def _also_escaped(line: str) -> str:
    for mark, escaped in ALSO_ESCAPED.items():
        line = line.replace(mark, escaped)
    return line
