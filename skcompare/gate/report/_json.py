"""Conversion of decisions to standard JSON, and back."""

from collections.abc import Callable
from typing import Any, TypeVar

from skcompare._core.report import from_standard_json
from skcompare.gate._conditions import AnyOf, Condition, Equivalent, NonInferior, Superior
from skcompare.gate._outcomes import (
    COUNTS,
    NUMBERS,
    DecisionData,
    Outcome,
    outcome_values,
    plain_values,
)
from skcompare.gate.report._report import caveats_of, headline, shown_part
from skcompare.reports import row_from_dict

Decision = TypeVar("Decision", bound=DecisionData)

SCHEMA = "skcompare.gate.decision"
SCHEMA_VERSION = 1

KINDS = {kind.name: kind for kind in (Superior, NonInferior, Equivalent)}
STATUSES = ("passed", "failed", "inconclusive", "not passed")
# In the order of their output.
NAMES = (
    "champion",
    "challenger",
    "alpha",
    "design",
    "n_records",
    "size",
    "fingerprint",
    "seconds",
)


def decision_values(decision: DecisionData) -> dict[str, Any]:
    """Return a decision as a dict of plain values."""
    decision = shown_part(decision)
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "status": decision.status,
        "passed": decision.passed,
        "headline": headline(decision),
        "blind": decision.blind,
        **{name: getattr(decision, name) for name in NAMES},
        "reasons": list(decision.reasons),
        "flags": list(decision.flags),
        "caveats": caveats_of(decision),
        "correction": "" if decision.blind else decision.correction,
        "look": None if decision.look is None else plain_values(decision.look),
        "versions": dict(decision.versions),
        "outcomes": [outcome_values(outcome) for outcome in decision.outcomes],
    }


def decision_from_json(text: str, decision: Callable[..., Decision]) -> Decision:
    """Create a decision from JSON."""

    def make(stored: dict[str, Any]) -> Decision:
        if stored["status"] not in STATUSES:
            raise ValueError(f"unknown status {stored['status']!r}")
        look = stored["look"]
        return decision(
            status=stored["status"],
            outcomes=tuple(_outcome(values) for values in stored["outcomes"]),
            reasons=tuple(stored["reasons"]),
            flags=tuple(stored["flags"]),
            look=None if look is None else dict(look),
            blind=stored["blind"],
            versions=dict(stored["versions"]),
            **{name: stored[name] for name in NAMES},
        )

    return from_standard_json(text, SCHEMA, SCHEMA_VERSION, make)


def _outcome(values: dict[str, Any]) -> Outcome:
    row = values["row"]
    return Outcome(
        condition=_condition(values["condition"]),
        status=values["status"],
        reasons=tuple(values["reasons"]),
        row=None if row is None else row_from_dict(row),
        flags=tuple(values["flags"]),
        blocked=values["blocked"],
        parts=tuple(_outcome(part) for part in values["parts"]),
        **{name: values[name] for name in (*NUMBERS, *COUNTS)},
    )


def _condition(values: dict[str, Any]) -> Condition | AnyOf:
    """Create a condition from the output of its `to_dict`."""
    if AnyOf.name in values:
        return AnyOf(*map(_single, values[AnyOf.name]))
    return _single(values)


def _single(values: dict[str, Any]) -> Condition:
    values = dict(values)
    (name,) = [name for name in KINDS if name in values]
    measure = values.pop(name)
    return KINDS[name](measure, **values)
