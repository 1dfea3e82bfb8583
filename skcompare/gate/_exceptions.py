"""What a person is told by a test that did not pass its gate, with what to do."""

import math
from collections.abc import Iterator

from skcompare._core.formatting import in_one_line
from skcompare.gate._decision import GateDecision
from skcompare.gate._outcomes import FAILED, Outcome
from skcompare.gate.report._report import (
    flags_told,
    headline,
    lines,
    shown_part,
    size_words,
    told,
    unit_of,
)
from skcompare.reports import round_up

BLIND = (
    "a blind gate tells no more, because a team that climbs on what a gate tells passes "
    "sooner or later without being better"
)


class GateNotPassed(AssertionError):
    """A gate did not pass; the message says why, and what to do.

    Parameters
    ----------
    decision : GateDecision
        What was decided.

    Attributes
    ----------
    decision : GateDecision
        The same.

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
    """Which conditions were not shown, what was observed, what is needed, what to do."""
    known = shown_part(decision)
    yield f"{headline(known)} ({size_words(known)})"
    for reason in known.reasons:
        yield f"  stopped: {in_one_line(reason)}"
    for number, outcome in lines(known):
        yield f"  {number}. {in_one_line(outcome.condition.words)}: {outcome.status}"
        yield from (f"     {words}" for words in told(outcome))
    stopping = set(known.flags) if known.reasons else set()
    for number, caveat in flags_told(known):
        if caveat.partition(":")[0] not in stopping:
            yield f"  {f'flag {number}'.rstrip()}: {in_one_line(caveat)}"
    for advice in [BLIND] if known.blind else _to_do(known):
        yield f"  what to do: {advice}"


def _to_do(decision: GateDecision) -> Iterator[str]:
    """An advice for each way in which a condition was not shown."""
    if decision.reasons:
        yield "mend what stopped the gate"
        return
    unit = unit_of(decision.outcomes)
    lacking = [one for one in decision.outcomes if not one.passed]
    if any(one.status == FAILED for one in lacking):
        yield f"keep the champion; more {unit} would show the same of this challenger"
        return
    needed, more = max(map(_records_needed, lacking), key=lambda pair: pair[1])
    if math.isinf(more):
        yield "improve the challenger, or collect evidence that it is better after all"
    elif more > 0:
        yield (
            f"judge about {round_up(needed):,} {unit}, {round_up(more):,} more than "
            f"these, and look at them once; who adds {unit} and looks again needs "
            "anytime=True or a ledger"
        )
    if any(_unknown(one) for one in lacking):
        yield "give each condition the evidence that it lacks, or leave it out"


def _records_needed(outcome: Outcome) -> tuple[float, float]:
    """Records needed, and how many more; the fewest where any condition will do."""
    known = [
        (leaf.records_needed, leaf.records_needed - leaf.n_records)
        for leaf in outcome.leaves
        if leaf.records_needed is not None
    ]
    return min(known, key=lambda pair: pair[1], default=(0.0, 0.0))


def _unknown(outcome: Outcome) -> bool:
    return all(leaf.records_needed is None for leaf in outcome.leaves)
