"""A decision as standard JSON, and back."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from skcompare.gate._conditions import (
    AnyOf,
    Condition,
    Equivalent,
    NonInferior,
    Superior,
)
from skcompare.gate._shown import headline, shown_part
from skcompare.reports import ComparisonRow
from skcompare.reports._json import from_standard_json
from skcompare.stats import PairedResult

if TYPE_CHECKING:
    from skcompare.gate._outcomes import GateDecision, Outcome

SCHEMA = "skcompare.gate.decision"
SCHEMA_VERSION = 1

KINDS = {kind.name: kind for kind in (Superior, NonInferior, Equivalent)}
STATUSES = ("passed", "failed", "inconclusive", "not passed")
# In the order in which they are written.
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
NUMBERS = ("low", "high", "level", "pvalue", "adjusted_pvalue")
COUNTS = ("n_records", "n_discordant", "records_needed")


def decision_values(decision: "GateDecision") -> dict[str, Any]:
    """The decision as plain values."""
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
        "caveats": decision.caveats,
        "correction": "" if decision.blind else decision.correction,
        "look": None if decision.look is None else _plain(decision.look),
        "versions": dict(decision.versions),
        "outcomes": [outcome_values(outcome) for outcome in decision.outcomes],
    }


def outcome_values(outcome: "Outcome") -> dict[str, Any]:
    """What became of a condition, as plain values."""
    row = outcome.row
    values = None if row is None else _plain(row.to_dict())
    if row is not None and values is not None:
        level = 0.05 if outcome.level is None else outcome.level
        result = row.result
        values["result"] = None if result is None else _plain(result.to_dict(1 - level))
    return {
        "condition": _plain(outcome.condition.to_dict()),
        "words": outcome.condition.words,
        "status": outcome.status,
        "reasons": list(outcome.reasons),
        **{name: getattr(outcome, name) for name in (*NUMBERS, *COUNTS)},
        "flags": list(outcome.flags),
        "blocked": outcome.blocked,
        "row": values,
        "parts": [outcome_values(part) for part in outcome.parts],
    }


def _plain(value: Any) -> Any:
    """Values that JSON has; others as they are written in Python."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    return value if isinstance(value, str | int | float | None) else repr(value)


def decision_from_json(
    text: str, decision: Callable[..., "GateDecision"], outcome: Callable[..., "Outcome"]
) -> "GateDecision":
    """The decision that was written."""
    stored = from_standard_json(text, SCHEMA, SCHEMA_VERSION)
    try:
        if stored["status"] not in STATUSES:
            raise ValueError(f"unknown status {stored['status']!r}")
        look = stored["look"]
        return decision(
            status=stored["status"],
            outcomes=tuple(_outcome(one, outcome) for one in stored["outcomes"]),
            reasons=tuple(stored["reasons"]),
            flags=tuple(stored["flags"]),
            look=None if look is None else dict(look),
            blind=stored["blind"],
            versions=dict(stored["versions"]),
            **{name: stored[name] for name in NAMES},
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(
            f"The JSON of this decision is not complete: {error}. Write it again."
        ) from error


def _outcome(values: dict[str, Any], make: Callable[..., "Outcome"]) -> "Outcome":
    row = values["row"]
    return make(
        condition=_condition(values["condition"]),
        status=values["status"],
        reasons=tuple(values["reasons"]),
        row=None if row is None else _row(row),
        flags=tuple(values["flags"]),
        blocked=values["blocked"],
        parts=tuple(_outcome(part, make) for part in values["parts"]),
        **{name: values[name] for name in (*NUMBERS, *COUNTS)},
    )


def _row(values: dict[str, Any]) -> ComparisonRow:
    result = values.pop("result")
    return ComparisonRow(
        **values | {"flags": tuple(values["flags"])},
        result=None if result is None else PairedResult.from_dict(result),
    )


def _condition(values: dict[str, Any]) -> Condition | AnyOf:
    """The condition that `to_dict` of it wrote."""
    if AnyOf.name in values:
        return AnyOf(*map(_single, values[AnyOf.name]))
    return _single(values)


def _single(values: dict[str, Any]) -> Condition:
    values = dict(values)
    (name,) = [name for name in KINDS if name in values]
    measure = values.pop(name)
    return KINDS[name](measure, **values)
