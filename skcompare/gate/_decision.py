"""Decision of a gate with the outcomes of its conditions, and its reports and JSON."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from os import PathLike
from typing import Any, ClassVar, NamedTuple, Self, overload

from skcompare._analysis import IN_ORDER
from skcompare._core.design import design_in_text
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_confidence,
    format_number,
    format_pvalue,
    in_one_line,
    round_up,
    shortened,
    without_empty_columns,
)
from skcompare._core.report import (
    LONGEST_NAME,
    SCHEMA_VERSION,
    STOPPED,
    Check,
    Note,
    Report,
    Stored,
    Table,
    report_html,
    report_html_fragment,
    report_junit,
    text_or_file,
    to_standard_json,
)
from skcompare.comparators import MEAN_SCORE
from skcompare.gate._conditions import AnyOf, Condition, Superior, condition_of
from skcompare.reports import ComparisonRow, assumptions_of, row_from_dict, row_to_dict
from skcompare.stats.margins import LossReduction

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"
NOT_PASSED = "not passed"

STATUSES = (PASSED, FAILED, INCONCLUSIVE, NOT_PASSED)

# Fields that are stored as they are, in the order of their output.
LIMITS = ("low", "high", "level", "pvalue", "adjusted_pvalue")
NUMBERS = (*LIMITS, "n_records", "n_discordant", "records_needed")
OF_OUTCOME = ("status", "reasons", *NUMBERS, "flags", "blocked")
FACTS = ("champion", "challenger", "alpha", "design", "n_records", "size", "fingerprint")
OF_DECISION = (*FACTS, "seconds", "reasons", "flags")


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Outcome of one condition.

    Two outcomes are equal if their JSON is, where NaN equals NaN.

    Attributes
    ----------
    condition : Condition or AnyOf
        The condition.
    status : {"passed", "failed", "inconclusive"}
        "failed" where the opposite was shown, and "inconclusive" where neither was.
    reasons : tuple of str
        Reasons of the status.
    row : ComparisonRow or None
        The row behind it; None where no test ran.
    low, high : float or None
        One-sided confidence limits of the difference, each at `level`.
    level : float
        The level of the condition's test: that of the gate, or of one of several
        conditions of which any is enough.
    pvalue, adjusted_pvalue : float or None
        Of the null hypothesis that the condition does not hold; adjusted by Holm's method
        where any of several is enough.
    n_records : int
        Records of the slice.
    n_discordant : float or None
        Records that exactly one classifier predicts correctly, where that is known.
    records_needed : float or None
        Records at which the condition would be shown with 80 % probability if the observed
        difference is true; infinite where no number is enough, and None where the condition
        is settled or nothing is known.
    flags : tuple of str
        Codes of caveats.
    blocked : bool
        Whether nothing could be concluded, whatever the result of the test.
    parts : tuple of Outcome
        The outcomes of the conditions of an :class:`AnyOf`.
    reduction : LossReduction or None
        With a relative margin the reduction of the loss, 1 - challenger / champion: its
        `estimate`, and `low` and `high`, one-sided confidence limits, each at `level`.

    Examples
    --------
    >>> from skcompare.gate import Gate, Superior
    >>> y, old, new = [0, 1] * 10, [0, 1] * 9 + [1, 0], [0, 1] * 9 + [0, 0]
    >>> outcome, = Gate(Superior("accuracy")).decide(y, {"old": old, "new": new}).outcomes
    >>> outcome.condition.text, outcome.status
    ('accuracy is better', 'inconclusive')
    >>> outcome.n_records, outcome.n_discordant
    (20, 1)
    """

    condition: Condition | AnyOf
    status: str
    reasons: tuple[str, ...]
    row: ComparisonRow | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    n_records: int = 0
    n_discordant: float | None = None
    records_needed: float | None = None
    flags: tuple[str, ...] = ()
    blocked: bool = False
    parts: tuple["Outcome", ...] = ()
    reduction: LossReduction | None = None

    def __eq__(self, other: object) -> bool:
        # By their JSON: the limits of a row are functions, which are never equal.
        if not isinstance(other, Outcome):
            return NotImplemented
        return self is other or self._to_json() == other._to_json()

    def _to_json(self) -> str:
        return to_standard_json(outcome_values(self), indent=None)

    def __hash__(self) -> int:
        return hash((self.condition.text, self.status, self.reasons, self.n_records))

    @property
    def passed(self) -> bool:
        """Whether the condition was shown to hold."""
        return self.status == PASSED

    @property
    def caveats(self) -> list[str]:
        """Explanations of the flags."""
        return explain(self.flags)

    @property
    def leaves(self) -> tuple["Outcome", ...]:
        """Outcomes of single conditions: this outcome, or the parts of an `AnyOf`."""
        return self.parts or (self,)


@dataclass(frozen=True, slots=True, eq=False)
class GateDecision(Stored):
    """Decision of a gate on whether the challenger passes, with the reasons.

    True if it passed, and False otherwise. Two decisions are equal if their JSON is, so
    that a decision equals its copies, and the one that is read from its JSON.

    Attributes
    ----------
    status : {"passed", "failed", "inconclusive", "not passed"}
        "passed" where every condition was shown to hold; "failed" where one was shown not
        to; "inconclusive" otherwise. A blind gate has "passed" and "not passed" only.
    outcomes : tuple of Outcome
        Outcome of each condition.
    reasons : tuple of str
        Why nothing can pass, whatever the conditions; empty otherwise.
    flags : tuple of str
        Codes of caveats about the data.
    alpha : float
        Level of the gate: the probability, at most, that it passes where a condition does
        not hold.
    champion, challenger : str
        Their names.
    design : str
        How the evidence was collected.
    n_records : int
        Records, or items.
    size : str
        Text of the amount of data, where it is not records alone: items with their
        attempts, or records in groups.
    fingerprint : str
        Digest of the true labels.
    look : mapping or None
        Where a ledger counts the looks at these records: the "number" of this look, its
        level "alpha", the "rule", the "total_alpha" of all looks, "looks_left" (None: no
        end), "alpha_left", "next_alpha" (None: no further look), whether it is "repeated",
        and the "ledger". None also where both predict the same, which is not a look.
    blind : bool
        Whether only passed or not is revealed.
    seconds : float or None
        Time it took.
    versions : mapping of str to str
        Versions of the packages that were used.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.gate import Gate, GateDecision, Superior
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> old = np.where(rng.random(1000) < 0.80, y, 1 - y)
    >>> new = np.where(rng.random(1000) < 0.88, y, 1 - y)
    >>> decision = Gate(Superior("accuracy")).decide(y, {"old": old, "new": new})
    >>> "may replace it" if decision else "stays away"
    'may replace it'
    >>> [outcome.status for outcome in decision.outcomes]
    ['passed']
    >>> GateDecision.from_json(decision.to_json()) == decision
    True
    """

    schema: ClassVar[str] = "skcompare.gate.decision"

    status: str
    outcomes: tuple[Outcome, ...]
    alpha: float
    champion: str
    challenger: str
    design: str
    n_records: int
    size: str = ""
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    look: Mapping[str, Any] | None = None
    blind: bool = False
    seconds: float | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GateDecision):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        identity = self.champion, self.challenger, self.design, self.n_records
        return hash((self.status, self.alpha, *identity))

    def __bool__(self) -> bool:
        # Without it `if decision:` would be true for every decision.
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether every condition was shown to hold."""
        return self.status == PASSED

    @property
    def correction(self) -> str:
        """Description of the correction for several conditions."""
        parts = []
        if len(self.outcomes) > 1:
            parts.append(
                "all conditions must hold, which needs no correction (intersection-union)"
            )
        if any(outcome.parts for outcome in self.outcomes):
            parts.append("where any of several is enough, p-values are adjusted (Holm)")
        return "; ".join(parts) or "one condition, which needs no correction"

    @property
    def caveats(self) -> list[str]:
        """Explanations of all flags, those of the data first.

        With several conditions, each explanation names the condition of its flag.
        """
        return [
            f"{caveat} (condition {number})" if number else caveat
            for number, caveat in flags_told(self)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as a dict, without anything that a blind decision hides.

        Returns
        -------
        values : dict
            As described by `decision.schema.json` of the package.
        """
        shown = shown_part(self)
        return {
            "schema": self.schema,
            "schema_version": SCHEMA_VERSION,
            "status": shown.status,
            "passed": shown.passed,
            "headline": headline(shown),
            "blind": shown.blind,
            **_fields(shown, OF_DECISION),
            "caveats": shown.caveats,
            "correction": "" if shown.blind else shown.correction,
            "look": plain_values(shown.look),
            "versions": dict(shown.versions),
            "outcomes": [outcome_values(outcome) for outcome in shown.outcomes],
        }

    @classmethod
    def _from_dict(cls, stored: dict[str, Any]) -> Self:
        if stored["status"] not in STATUSES:
            raise ValueError(f"unknown status {stored['status']!r}")
        if stored["passed"] is not (stored["status"] == PASSED):
            raise ValueError("`passed` and `status` contradict each other")
        return cls(
            outcomes=tuple(map(_outcome, stored["outcomes"])),
            **_stored(stored, ("status", "look", "blind", "versions", *OF_DECISION)),
        )

    @overload
    def to_junit(self, path: None = None) -> str: ...
    @overload
    def to_junit(self, path: str | PathLike[str]) -> None: ...
    def to_junit(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return the report as JUnit XML, with one test case per condition.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.

        Returns
        -------
        text : str or None
            A complete XML document.
        """
        return text_or_file(report_junit(self._report()), path)

    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: str | PathLike[str]) -> None: ...
    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """Return the report as a self-contained HTML page.

        Parameters
        ----------
        path : str or path, optional
            File to write it to, and to return None.

        Returns
        -------
        text : str or None
            A complete page, with the JSON in it.
        """
        page = report_html(decision_page(self, self.to_json(indent=None)))
        return text_or_file(page, path)

    def _report(self) -> Report:
        return decision_report(self)

    def _repr_html_(self) -> str:
        return report_html_fragment(decision_page(self, ""))


def all_of(outcomes: Sequence[Outcome]) -> str:
    """Status of several outcomes if every condition must hold.

    A gate that passes by mistake also passes a condition that does not hold, which has a
    probability of at most alpha: the intersection-union test needs no correction.
    """
    if outcomes and all(outcome.passed for outcome in outcomes):
        return PASSED
    return FAILED if any(o.status == FAILED for o in outcomes) else INCONCLUSIVE


def any_of(condition: AnyOf, parts: Sequence[Outcome]) -> Outcome:
    """Combine outcomes of which one is enough, with p-values already adjusted."""
    if any(part.passed for part in parts):
        shown = [part.condition.text for part in parts if part.passed]
        reason = f"one of the conditions is enough, and shown: {'; '.join(shown)}"
        status = PASSED
    elif all(part.status == FAILED for part in parts):
        status, reason = FAILED, "each of the conditions was shown not to hold"
    else:
        status, reason = INCONCLUSIVE, "none of the conditions was shown to hold"
    n_records = max(part.n_records for part in parts)
    return Outcome(condition, status, (reason,), n_records=n_records, parts=tuple(parts))


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a dict of plain values."""
    row, level = outcome.row, outcome.level
    confidence_level = 1 - (0.05 if level is None else level)
    values = None if row is None else row_to_dict(row, confidence_level)
    return {
        "condition": plain_values(outcome.condition.to_dict()),
        "text": outcome.condition.text,
        **_fields(outcome, OF_OUTCOME),
        "row": plain_values(values),
        "parts": [outcome_values(part) for part in outcome.parts],
        "reduction": (
            None if outcome.reduction is None else plain_values(outcome.reduction._asdict())
        ),
    }


def _fields(instance: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: plain_values(getattr(instance, name)) for name in names}


def plain_values(value: Any) -> Any:
    """Convert a value to JSON types; other values are replaced by their `repr`."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    return value if isinstance(value, str | int | float | None) else repr(value)


NEEDED = "needed"
"""Name of the notes on the number of records that would settle a condition."""
LONGEST = 60
"""Largest number of characters of a condition in a table; notes have all of it."""
PARTS = "abcdefghijklmnopqrstuvwxyz"
ANY_TEXT = " where any of several conditions is enough"
BOUNDARIES = (
    "A condition holds if a one-sided confidence limit of the difference is on the right "
    "side of its boundary. Where the description of a test refers to equality, the null "
    "hypothesis here is that the true difference is at that boundary or beyond it."
)
OF_REDUCTIONS = (
    " Where the margin is relative to the champion's loss, the limit is that of the "
    "reduction of the loss as a share of the champion's."
)
LEFT, RIGHT = 40.0, 320.0
"""Ends of the scale in the picture of a condition."""


class Line(NamedTuple):
    """Outcome with its number, such as "2" or, for a part of an `AnyOf`, "2a"."""

    number: str
    outcome: Outcome

    @property
    def parts(self) -> list["Line"]:
        """Outcomes of the parts."""
        return [
            Line(f"{self.number}{PARTS[k] if k < len(PARTS) else f'.{k + 1}'}", part)
            for k, part in enumerate(self.outcome.parts)
        ]


def decision_report(decision: GateDecision) -> Report:
    """Return the report of a decision, without parts of a page."""
    decision = shown_part(decision)
    facts = _facts(decision)
    notes = list(_notes(decision))
    # The reasons are beside the conditions.
    remarks = [f"{note.name}: {note.text}" for note in notes if not note.is_reason]
    return Report(
        headline=headline(decision),
        facts=facts,
        tables=[_table(decision)] if decision.outcomes else [],
        notes=notes,
        outcome=decision.status,
        checks=[_check(line) for line in lines(decision) if line.number.isdigit()],
        seconds=decision.seconds,
        status=verdict_text(decision),
        remarks={"": remarks},
        settings_title="How it was evaluated",
        settings=_settings(decision, facts),
    )


def decision_page(decision: GateDecision, data: str) -> Report:
    """Return the report of a decision for a page, with its JSON."""
    shown = shown_part(decision)
    names = (decision.challenger, decision.champion)
    leaves = [leaf for outcome in shown.outcomes for leaf in outcome.leaves]
    tests = [(leaf.row.test, leaf.flags) for leaf in leaves if leaf.row is not None]
    design = design_in_text(decision.design)
    return replace(
        decision_report(decision),
        kind="Decision of a gate",
        title=f"Gate: {' against '.join(shortened(name, LONGEST_NAME) for name in names)}",
        about_assumptions=BOUNDARIES
        + OF_REDUCTIONS * any(leaf.reduction for leaf in leaves),
        assumptions=assumptions_of(tests, design) if tests else (),
        steps=next_steps_of(shown),
        data=data,
        reader="skcompare.gate.GateDecision",
        file="decision.json",
    )


def shown_part(decision: GateDecision) -> GateDecision:
    """Return the decision, or the part of a blind decision that may be shown.

    That is whether it passed, and reasons that do not depend on true labels.
    """
    if not decision.blind:
        return decision
    return replace(decision, outcomes=(), fingerprint="", seconds=None)


def lines(decision: GateDecision) -> list[Line]:
    """Number the outcomes in order, each followed by its parts."""
    wholes = [Line(str(k), part) for k, part in enumerate(decision.outcomes, start=1)]
    return [line for whole in wholes for line in (whole, *whole.parts)]


def verdict_text(decision: GateDecision) -> str:
    """Return the verdict in capitals."""
    if decision.passed:
        return "PASSED"
    unclear = not decision.blind and decision.status != FAILED
    return "NOT PASSED (inconclusive)" if unclear else "NOT PASSED"


def headline(decision: GateDecision) -> str:
    """Return the verdict in one line."""
    names = in_one_line(f"{decision.challenger} against {decision.champion}")
    if decision.blind:
        return (
            f"{verdict_text(decision)}: {names}; the gate is blind and reports nothing else"
        )
    return f"{verdict_text(decision)}: {names}, {_finding(decision)}"


def _finding(decision: GateDecision) -> str:
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


def _table(decision: GateDecision) -> Table:
    """Return the table of the conditions."""
    header = ["", "condition", "champion", "challenger", "difference", "at least"]
    header += [
        "at most",
        "reduction",
        "p",
        "p (Holm)",
        unit_of(decision.outcomes),
        "status",
    ]
    numbered = lines(decision)
    cells = [_cells(line, decision.alpha) for line in numbered]
    if len(numbered) == 1:
        cells[0][0] = ""
    return Table(
        *without_empty_columns(header, cells),
        ("", "condition", "status"),
        caption="Conditions: the difference is challenger minus champion, with its "
        "confidence limits",
        named_by="condition",
        unnamed="number",
    )


def _cells(line: Line, alpha: float) -> list[str]:
    outcome, row = line.outcome, line.outcome.row
    numbers = [""] * 5
    if row is not None:
        decimals = decimals_for(row.difference, outcome.low, outcome.high)
        numbers = [format_number(role, decimals) for role in (row.champion, row.challenger)]
        numbers += [
            format_number(value, decimals, signed=True)
            for value in (row.difference, outcome.low, outcome.high)
        ]
    return [
        line.number,
        "any of these" if outcome.parts else shortened(outcome.condition.text, LONGEST),
        *numbers,
        "" if outcome.reduction is None else _reduction_text(outcome.reduction),
        format_pvalue(outcome.pvalue, alpha if outcome.level is None else outcome.level),
        format_pvalue(outcome.adjusted_pvalue, alpha),
        "" if outcome.parts else f"{outcome.n_records:,}",
        outcome.status,
    ]


def _reduction_text(reduction: LossReduction) -> str:
    """Format a relative reduction with its limits, in percent."""
    decimals = max(0, decimals_for(*reduction, beside=(0.0,)) - 2)
    estimate, low, high = (format_number(100 * value, decimals) for value in reduction)
    return f"{estimate} % [{low}, {high}]"


def _check(line: Line) -> Check:
    """Return a condition with its reasons and picture, and its parts."""
    number, outcome = line
    reasons = [*outcome.reasons, *filter(None, [settles(outcome)])]
    picture, parts = partial(_picture, outcome), list(map(_check, line.parts))
    return Check(number, outcome.condition.text, outcome.status, reasons, picture, parts)


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
    measures = {leaf.measure for leaf in leaves if isinstance(leaf, Condition)}
    return "items" if measures == {MEAN_SCORE} else "records"


def _notes(decision: GateDecision) -> Iterator[Note]:
    """Yield notes beside the table."""
    for reason in decision.reasons:
        yield Note(STOPPED, reason)
    numbered, reported = lines(decision), {("", reason) for reason in decision.reasons}
    for number, outcome in numbered:
        label = "" if len(numbered) == 1 else f" {number}"
        reported |= {(label.strip(), reason) for reason in outcome.reasons}
        whole = in_one_line(outcome.condition.text)
        if not outcome.parts and len(whole) > LONGEST:
            yield Note(f"condition{label}", whole, is_reason=True)
        for reason in outcome.reasons:
            yield Note(f"reason{label}", reason, is_reason=True)
        if needed := settles(outcome):
            yield Note(f"{NEEDED}{label}", needed, is_reason=True)
    yield from _table_notes(decision)
    for number, caveat in flags_told(decision):
        # A flag by which nothing can be concluded is a reason already.
        if (number, caveat) not in reported:
            yield Note(f"flag {number}".rstrip(), caveat)
    if decision.look:
        yield Note("look", look_text(decision.look))


def flags_told(decision: GateDecision) -> Iterator[tuple[str, str]]:
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


def _table_notes(decision: GateDecision) -> Iterator[Note]:
    """Yield notes on reading the table."""
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    rows = [leaf.row for leaf in leaves if leaf.row is not None]
    losses = dict.fromkeys(row.subject for row in rows if not row.greater_is_better)
    if losses:
        names = ", ".join(losses)
        yield Note("note", f"lower is better for {names}; the difference is a gain")
    if rows:
        yield Note("limits", _limits_text(decision))
    if decision.outcomes:
        yield Note("correction", decision.correction)


def _limits_text(decision: GateDecision) -> str:
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
    leaves = [leaf for outcome in decision.outcomes for leaf in outcome.leaves]
    if any(leaf.reduction is not None for leaf in leaves):
        text += ", and in brackets those of the reduction of the loss"
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
    return ", ".join(parts)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def size_text(decision: GateDecision) -> str:
    """Describe the amount of data."""
    if decision.size:
        return in_one_line(decision.size)
    return f"{decision.n_records:,} {unit_of(decision.outcomes)}"


def _facts(decision: GateDecision) -> dict[str, str]:
    """Return the names and the design of the comparison."""
    values = {"champion": decision.champion, "challenger": decision.challenger}
    if decision.blind:
        return values
    parts = [decision.design, size_text(decision)]
    if decision.seconds is not None:
        parts.append(f"{decision.seconds:.2g} s")
    return values | {"design": ", ".join(parts)}


def _settings(decision: GateDecision, facts: Mapping[str, str]) -> dict[str, str]:
    values = {"verdict": verdict_text(decision), **facts}
    if not decision.blind:
        values["level"] = f"alpha {decision.alpha:g}"
        if decision.fingerprint:
            values["true labels"] = decision.fingerprint
    if decision.versions:
        values["versions"] = ", ".join(
            f"{name} {v}" for name, v in decision.versions.items()
        )
    return values


def next_steps_of(decision: GateDecision) -> list[str]:
    """Return the next steps after a decision, none for a blind decision."""
    if decision.blind or not decision.outcomes:
        return []
    if decision.passed:
        return [
            "The challenger may replace the champion, as far as these conditions say.",
            _next_look(decision)
            or "Evaluate the next challenger on new records: these have been looked at.",
        ]
    steps, again = [], "Evaluate again"
    for line in lines(decision):
        outcome, number = line.outcome, f"Condition {line.number}"
        if IN_ORDER in outcome.flags:
            steps.append(
                f"{number} was evaluated by a test of independent records, but the gains "
                "of neighbouring ones are correlated: evaluate it again with time=..., "
                "the time of each record, if they follow each other in time."
            )
        elif outcome.status == FAILED:
            again = "Evaluate another challenger"
            steps.append(
                f"{number} was shown not to hold: more records will not change that, "
                "another challenger may."
            )
        elif settles(outcome):
            steps.append(f"{number}: {settles(outcome)}.")
    steps.append(
        _next_look(decision)
        or f"{again} on new records, whose number is fixed in advance, or count all "
        "looks at the same ones with a ledger: a gate that is run repeatedly on the same "
        "records passes challengers that should not pass."
    )
    return steps


def _next_look(decision: GateDecision) -> str:
    """Describe the level of the next look, or return an empty string without a ledger."""
    if not decision.look:
        return ""
    level = decision.look.get("next_alpha")
    if level is None:
        return "The ledger has no level left for these records: use new ones next time."
    return (
        "The ledger counts the looks at these records: the next one has level "
        f"{level:.4g}. New records that nobody has looked at have the whole level again."
    )


def _picture(outcome: Outcome) -> str:
    """Draw the limits of the difference, 0, and the boundaries to exclude."""
    row, condition = outcome.row, outcome.condition
    if row is None or isinstance(condition, AnyOf) or not math.isfinite(row.difference):
        return ""
    shown = _drawn(outcome, row, condition)
    difference, ends, unit = shown.difference, shown.ends, shown.unit
    bounds = [boundary for boundary, _ in shown.boundaries]
    finite = [value for value in (difference, *ends, *bounds) if math.isfinite(value)]
    at = partial(_place, reach=1.15 * max(map(abs, finite)) or 1.0)
    edges = {side: at(bound) for bound, side in shown.boundaries}
    start, end = edges.get("greater", LEFT), edges.get("less", RIGHT)
    shapes = [
        # The differences that meet the condition.
        f'<rect x="{start:.1f}" y="14" width="{max(0.0, end - start):.1f}" height="32" '
        'fill="var(--mark)" opacity="0.15"/>',
        _mark(at(0.0), "0", 'y="58" text-anchor="middle"', "var(--soft)"),
    ]
    for bound in filter(None, bounds):
        # Away from 0, so that the labels of two boundaries do not overlap.
        place = f'y="10" text-anchor="{"start" if bound > 0 else "end"}"'
        colour = 'var(--ink)" stroke-dasharray="3 2'
        shapes.append(_mark(at(bound), f"{bound:+g}{unit}", place, colour))
    if len(ends) == 2 and not any(map(math.isnan, ends)):
        shapes.append(
            f'<line x1="{at(ends[0]):.1f}" x2="{at(ends[1]):.1f}" y1="30" y2="30" '
            'stroke="var(--mark)" stroke-width="3"/>'
        )
    label = escape(_picture_label(outcome, condition, shown))
    circle = f'<circle cx="{at(difference):.1f}" cy="30" r="5" fill="var(--mark)"/>'
    return (
        f'<svg viewBox="0 0 360 62" role="img" aria-label="{label}"><title>{label}</title>'
        f"{''.join(shapes)}{circle}</svg>"
    )


class Drawn(NamedTuple):
    """Difference with its limits and boundaries, in units of the measure or in percent."""

    difference: float
    ends: list[float]
    boundaries: list[tuple[float, str]]
    unit: str = ""


def _drawn(outcome: Outcome, row: ComparisonRow, condition: Condition) -> Drawn:
    """Return what a picture shows; of a relative margin the share of the loss gained."""
    if outcome.reduction is None:
        ends = [limit for limit in (outcome.low, outcome.high) if limit is not None]
        return Drawn(row.difference, ends, list(condition.boundaries))
    gain, low, high = (100 * value for value in outcome.reduction)
    bounds = [(round(100 * share, 9), side) for share, side in condition.boundaries]
    return Drawn(gain, [low, high], bounds, " %")


def _place(value: float, reach: float) -> float:
    """Return the place of a difference in a picture, clipped at its ends."""
    share = max(-1.0, min(1.0, value / reach))
    return (LEFT + RIGHT) / 2 + share * (RIGHT - LEFT) / 2


def _mark(at: float, label: str, place: str, colour: str) -> str:
    """Draw a vertical line with a label above or below."""
    return (
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="14" y2="46" stroke="{colour}"/>'
        f'<text x="{at:.1f}" {place}>{label}</text>'
    )


def _picture_label(outcome: Outcome, condition: Condition, shown: Drawn) -> str:
    """Describe a picture as text, for screen readers."""
    limits = [outcome.low, outcome.high] if outcome.reduction is None else shown.ends
    decimals = decimals_for(shown.difference, *limits)
    difference, low, high = (
        f"{format_number(value, decimals, signed=True)}{shown.unit}"
        if value is not None
        else "unknown"
        for value in (shown.difference, *limits)
    )
    sides = " and ".join(
        f"{'above' if side == 'greater' else 'below'} "
        f"{format_number(boundary, decimals, signed=True)}{shown.unit}"
        for boundary, side in shown.boundaries
    )
    return (
        f"{in_one_line(condition.measure)}: difference {difference}, from {low} to {high}, "
        f"must be {sides}"
    )


def _outcome(values: dict[str, Any]) -> Outcome:
    # Decisions of before there were relative margins have none.
    row, reduction = values["row"], values.get("reduction")
    return Outcome(
        condition=condition_of(values["condition"]),
        row=None if row is None else row_from_dict(row),
        parts=tuple(map(_outcome, values["parts"])),
        reduction=None if reduction is None else LossReduction(**reduction),
        **_stored(values, OF_OUTCOME),
    )


def _stored(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return stored fields, each as the type that it had."""
    stored = {name: values[name] for name in names}
    for name, kind in (("reasons", tuple), ("flags", tuple), ("versions", dict)):
        if name in stored:
            stored[name] = kind(stored[name])
    if stored.get("look") is not None:
        stored["look"] = dict(stored["look"])
    return stored
