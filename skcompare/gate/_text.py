"""A decision as plain text."""

from skcompare.gate._outcomes import DecisionData
from skcompare.gate._shown import TEXT_COLUMNS, facts, headline, notes, shown_part, table
from skcompare.reports._text import aligned, entry


def decision_text(decision: DecisionData) -> str:
    """The verdict first, then conditions, reasons and what would settle them."""
    decision = shown_part(decision)
    found = [headline(decision), ""]
    if decision.outcomes:
        found += [*aligned(*table(decision), TEXT_COLUMNS), ""]
    found += [entry(name, words) for name, words in notes(decision)]
    found += [entry(name, words) for name, words in facts(decision).items()]
    return "\n".join(found)
