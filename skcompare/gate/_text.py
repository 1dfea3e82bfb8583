"""A decision as plain text."""

from typing import TYPE_CHECKING

from skcompare.gate._shown import TEXT_COLUMNS, facts, headline, notes, shown_part, table
from skcompare.reports._text import aligned, entry

if TYPE_CHECKING:
    from skcompare.gate._outcomes import GateDecision


def decision_text(decision: "GateDecision") -> str:
    """The verdict first, then conditions, reasons and what would settle them."""
    decision = shown_part(decision)
    found = [headline(decision), ""]
    if decision.outcomes:
        found += [*aligned(*table(decision), TEXT_COLUMNS), ""]
    found += [entry(name, words) for name, words in notes(decision)]
    found += [entry(name, words) for name, words in facts(decision).items()]
    return "\n".join(found)
