"""Text of the report of a decision, shared by all formats."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    aligned,
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
    in_one_line,
)
from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import AnyOf, Condition, Superior
from skcompare.gate._outcomes import DecisionData, Outcome
from skcompare.reports import entry, markdown_table, markdown_text, round_up

PASSED, FAILED = "passed", "failed"
LONGEST = 60
"""Largest number of characters of a condition in a table; notes have all of it."""
PARTS = "abcdefghijklmnopqrstuvwxyz"
TEXT_COLUMNS = ("", "condition", "status")
ANY_TEXT = " where any of several conditions is enough"


Decision = TypeVar("Decision", bound=DecisionData)


class Line(NamedTuple):
    """Outcome with its number, such as "2" or, for a part of an `AnyOf`, "2a"."""

    number: str
    outcome: Outcome


def shown_part(decision: Decision) -> Decision:
    """Return the decision, or the part of a blind decision that may be shown.

    That is whether it passed, and reasons that do not depend on true labels.
    """
    if not decision.blind:
        return decision
    return replace(decision, outcomes=(), fingerprint="", seconds=None)


def lines(decision: DecisionData) -> list[Line]:
    """Number the outcomes in order, each followed by its parts."""
    numbered = []
    for k, outcome in enumerate(decision.outcomes, start=1):
        numbered.append(Line(str(k), outcome))
        numbered += [
            Line(f"{k}{PARTS[i] if i < len(PARTS) else f'.{i + 1}'}", part)
            for i, part in enumerate(outcome.parts)
        ]
    return numbered


def verdict_text(decision: DecisionData) -> str:
    """Return the verdict in capitals."""
    if decision.passed:
        return "PASSED"
    unclear = not decision.blind and decision.status != FAILED
    return "NOT PASSED (inconclusive)" if unclear else "NOT PASSED"


def headline(decision: DecisionData) -> str:
    """Return the verdict in one line."""
    names = in_one_line(f"{decision.challenger} against {decision.champion}")
    if decision.blind:
        return f"{verdict_text(decision)}: {names}; the gate is blind and tells no more"
    return f"{verdict_text(decision)}: {names}, {_finding(decision)}"


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
    """Return header and cells of the table of conditions, without empty columns."""
    header = ["", "condition", "champion", "challenger", "difference", "at least"]
    header += ["at most", "p", "p (Holm)", unit_of(decision.outcomes), "status"]
    numbered = lines(decision)
    cells = [_cells(line, decision.alpha) for line in numbered]
    if len(numbered) == 1:
        cells[0][0] = ""
    used = [i for i in range(len(header)) if any(row[i] for row in cells)]
    return [header[i] for i in used], [[row[i] for i in used] for row in cells]


def _cells(line: Line, alpha: float) -> list[str]:
    outcome = line.outcome
    condition = outcome.condition
    name = "any of these" if isinstance(condition, AnyOf) else condition.text
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


def shortened(text: str) -> str:
    """Truncate a text to fit into a table."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def reasons_of(outcome: Outcome) -> list[str]:
    """List the reasons of an outcome and the records needed, each in one line."""
    reasons = [in_one_line(reason) for reason in outcome.reasons]
    return [*reasons, settles(outcome)] if settles(outcome) else reasons


def settles(outcome: Outcome) -> str:
    """Describe the records needed to settle a condition; empty if settled or unknown."""
    needed, condition = outcome.records_needed, outcome.condition
    if needed is None or math.isnan(needed) or outcome.status == PASSED:
        return ""
    unit = unit_of([outcome])
    if isinstance(condition, Condition) and condition.where:
        unit += " of the slice"
    if math.isfinite(needed):
        if outcome.blocked:
            return f"what was requested needs about {math.ceil(needed):,} {unit}"
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
    """Unit of the evidence: records or items."""
    leaves = [leaf.condition for outcome in outcomes for leaf in outcome.leaves]
    conditions = [leaf for leaf in leaves if isinstance(leaf, Condition)]
    items = bool(conditions) and all(c.measure == MEAN_SCORE for c in conditions)
    return "items" if items else "records"


def notes(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """Yield notes beside the table, each with a short name."""
    for reason in decision.reasons:
        yield "stopped", in_one_line(reason)
    numbered = lines(decision)
    for number, outcome in numbered:
        label = "" if len(numbered) == 1 else f" {number}"
        whole = in_one_line(outcome.condition.text)
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
        yield "look", look_text(decision.look)


def caveats_of(decision: DecisionData) -> list[str]:
    """Return the explanations of all flags, with the numbers of their conditions."""
    return [
        f"{caveat} (condition {number})" if number else caveat
        for number, caveat in flags_told(decision)
    ]


def flags_told(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """Yield the number of the condition and the explanation of each flag.

    Flags of the data have no number, and those of a single condition need none.
    """
    for caveat in explain(decision.flags):
        yield "", caveat
    numbered = lines(decision)
    for number, outcome in numbered:
        own = (flag for flag in outcome.flags if flag not in decision.flags)
        for caveat in explain(own):
            yield "" if len(numbered) == 1 else number, caveat


def _table_notes(decision: DecisionData) -> Iterator[tuple[str, str]]:
    """Yield notes on reading the table."""
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    rows = [leaf.row for leaf in leaves if leaf.row is not None]
    losses = dict.fromkeys(row.subject for row in rows if not row.greater_is_better)
    if losses:
        names = in_one_line(", ".join(losses))
        yield "note", f"less is better of {names}; the difference is what is gained"
    if rows:
        yield "limits", _limits_text(decision)
    if decision.outcomes:
        yield "correction", decision.correction


def _limits_text(decision: DecisionData) -> str:
    levels: dict[str, str] = {}
    for outcome in decision.outcomes:
        for leaf in outcome.leaves:
            if leaf.row is not None and leaf.level is not None:
                percent = format_confidence(leaf.level)
                levels.setdefault(percent, ANY_TEXT if outcome.parts else "")
    several = len(levels) > 1
    confidences = ", and with ".join(
        f"{percent} confidence{why if several else ''}" for percent, why in levels.items()
    )
    text = "'at least' and 'at most' are one-sided limits of the difference"
    return f"{text}, each with {confidences}" if confidences else text


def look_text(look: Mapping[str, Any]) -> str:
    """Describe a look of a ledger."""
    values = {name: value for name, value in look.items() if value is not None}
    parts = []
    if {"number", "alpha", "total_alpha"} <= set(values):
        parts = [f"look {values.pop('number')} at these records"]
        if values.pop("repeated", False):
            parts[0] += ", taken before"
        alpha, total = _number(values.pop("alpha")), _number(values.pop("total_alpha"))
        parts.append(f"level {alpha} of {total} for all looks")
    parts += [f"{str(name).replace('_', ' ')} {_number(v)}" for name, v in values.items()]
    return in_one_line(", ".join(parts))


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def size_text(decision: DecisionData) -> str:
    """Describe the amount of data."""
    if decision.size:
        return in_one_line(decision.size)
    return f"{decision.n_records:,} {unit_of(decision.outcomes)}"


def facts(decision: DecisionData) -> dict[str, str]:
    """Return the names and the design of the comparison."""
    values = {
        "champion": in_one_line(decision.champion),
        "challenger": in_one_line(decision.challenger),
    }
    if decision.blind:
        return values
    parts = [in_one_line(decision.design)]
    parts.append(size_text(decision))
    if decision.seconds is not None:
        parts.append(f"{decision.seconds:.2g} s")
    return values | {"design": ", ".join(parts)}


def decision_text(decision: DecisionData) -> str:
    """Format the report of a decision as text."""
    decision = shown_part(decision)
    output = [headline(decision), ""]
    if decision.outcomes:
        output += [*aligned(*table(decision), TEXT_COLUMNS), ""]
    output += [entry(name, text) for name, text in notes(decision)]
    output += [entry(name, text) for name, text in facts(decision).items()]
    return "\n".join(output)


# Extensions of Markdown by hosts: struck text, formulas, quotes, and bare links.
ALSO_ESCAPED = {"~": "\\~", "$": "\\$", ">": "\\>", "://": "\\://", "www.": "www\\."}
SYMBOLS = {"passed": "✓", "inconclusive": "?"}
OTHER = "✗"


def decision_markdown(decision: DecisionData) -> str:
    """Format the report of a decision as Markdown."""
    decision = shown_part(decision)
    symbol = SYMBOLS.get(decision.status, OTHER)
    output = [f"### {symbol} {_escaped(headline(decision))}", ""]
    if decision.outcomes:
        header, cells = table(decision)
        status = header.index("status")
        for row in cells:
            row[status] = f"{SYMBOLS.get(row[status], OTHER)} {row[status]}"
        rows = markdown_table(header, cells, TEXT_COLUMNS)
        output += [*map(_also_escaped, rows), ""]
    listed = [*notes(decision), *facts(decision).items()]
    output += [f"- {name}: {_escaped(text)}" for name, text in listed]
    return "\n".join(output) + "\n"


def _escaped(text: str) -> str:
    """Escape text for Markdown, with the extensions of hosts."""
    return _also_escaped(markdown_text(text))


def _also_escaped(line: str) -> str:
    for mark, escaped in ALSO_ESCAPED.items():
        line = line.replace(mark, escaped)
    return line
