"""Exception raised if a gate does not pass, with reasons and advice."""

import math
from collections.abc import Iterator

from skcompare._core.formatting import in_one_line
from skcompare._core.report import STOPPED
from skcompare.gate._decision import GateDecision
from skcompare.gate._outcomes import FAILED, Outcome
from skcompare.gate.report._report import decision_report, shown_part, size_text, unit_of
from skcompare.reports import round_up

BLIND = (
    "a blind gate tells no more, because a team that climbs on what a gate tells passes "
    "sooner or later without being better"
)


class GateNotPassed(AssertionError):
    """Exception raised if a gate does not pass, with reasons and advice.

    Parameters
    ----------
    decision : GateDecision
        The decision.

    Attributes
    ----------
    decision : GateDecision
        The decision.

    Examples
    --------
    >>> from skcompare.gate import GateNotPassed, assert_better
    >>> y, old, new = [0, 1] * 10, [0, 1] * 9 + [1, 0], [0, 1] * 9 + [0, 0]
    >>> try:
    ...     assert_better(y, old, new)
    ... except GateNotPassed as error:
    ...     print(error.decision.status)
    inconclusive
    """

    def __init__(self, decision: GateDecision) -> None:
        super().__init__(decision)
        self.decision = decision

    def __str__(self) -> str:
        return "\n".join(failure_lines(self.decision))


def failure_lines(decision: GateDecision) -> Iterator[str]:
    """Yield the lines of the error message: verdict, outcomes, flags and advice."""
    shown = shown_part(decision)
    report = decision_report(decision)
    yield f"{report.headline} ({size_text(shown)})"
    for reason in shown.reasons:
        yield f"  {STOPPED}: {in_one_line(reason)}"
    for check in [line for top in report.checks for line in top.lines()]:
        yield f"  {check.number}. {in_one_line(check.name)}: {check.status}"
        yield from (f"     {in_one_line(reason)}" for reason in check.reasons)
    for note in report.notes:
        if note.name.startswith("flag"):
            yield f"  {note.name}: {in_one_line(note.text)}"
    for advice in [BLIND] if shown.blind else _to_do(shown):
        yield f"  what to do: {advice}"


def _to_do(decision: GateDecision) -> Iterator[str]:
    """Yield advice on the conditions that were not shown."""
    if decision.reasons:
        yield "mend what stopped the gate"
        return
    unit = unit_of(decision.outcomes)
    open_outcomes = [outcome for outcome in decision.outcomes if not outcome.passed]
    if any(outcome.status == FAILED for outcome in open_outcomes):
        yield f"keep the champion; more {unit} would show the same of this challenger"
        return
    needed, more = max(map(_records_needed, open_outcomes), key=lambda pair: pair[1])
    if math.isinf(more):
        yield "improve the challenger, or collect evidence that it is better after all"
    elif more > 0:
        yield (
            f"judge about {round_up(needed):,} {unit}, {round_up(more):,} more than "
            f"these, and look at them once; who adds {unit} and looks again needs "
            "anytime=True or a ledger"
        )
    if any(_unknown(outcome) for outcome in open_outcomes):
        yield "give each condition the evidence that it lacks, or leave it out"


def _records_needed(outcome: Outcome) -> tuple[float, float]:
    """Return the records needed in total and in addition, for an `AnyOf` the fewest."""
    pairs = [
        (leaf.records_needed, leaf.records_needed - leaf.n_records)
        for leaf in outcome.leaves
        if leaf.records_needed is not None
    ]
    return min(pairs, key=lambda pair: pair[1], default=(0.0, 0.0))


def _unknown(outcome: Outcome) -> bool:
    return all(leaf.records_needed is None for leaf in outcome.leaves)
