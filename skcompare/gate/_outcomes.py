"""Outcomes of the conditions of a gate, with reasons and rows of results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skcompare._core.flags import explain
from skcompare._core.report import Reported, to_standard_json
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.reports import ComparisonRow, row_to_dict

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"
NOT_PASSED = "not passed"

# In the order of their output.
NUMBERS = ("low", "high", "level", "pvalue", "adjusted_pvalue")
COUNTS = ("n_records", "n_discordant", "records_needed")

SAME_PREDICTIONS = "same-predictions"


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

    def __eq__(self, other: object) -> bool:
        # By their JSON: the limits of a row are functions, which are never equal.
        if not isinstance(other, Outcome):
            return NotImplemented
        return self is other or _written(self) == _written(other)

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
class DecisionData(Reported):
    """Fields of a decision, shared by all formats of its report."""

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

    @property
    def passed(self) -> bool:
        """Whether every condition was shown to hold."""
        return self.status == PASSED

    @property
    def correction(self) -> str:
        """Description of the correction for several conditions."""
        return correction_text(self.outcomes)


def _written(outcome: Outcome) -> str:
    return to_standard_json(outcome_values(outcome), indent=None)


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
    return Outcome(
        condition,
        status,
        (reason,),
        n_records=max(part.n_records for part in parts),
        parts=tuple(parts),
    )


def correction_text(outcomes: Iterable[Outcome]) -> str:
    """Describe the correction for several conditions."""
    outcomes = list(outcomes)
    parts = []
    if len(outcomes) > 1:
        parts.append(
            "all conditions must hold, which needs no correction (intersection-union)"
        )
    if any(outcome.parts for outcome in outcomes):
        parts.append("where any of several is enough, p-values are adjusted (Holm)")
    return "; ".join(parts) or "one condition, which needs no correction"


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a dict of plain values."""
    row, level = outcome.row, outcome.level
    confidence_level = 1 - (0.05 if level is None else level)
    values = None if row is None else plain_values(row_to_dict(row, confidence_level))
    return {
        "condition": plain_values(outcome.condition.to_dict()),
        "text": outcome.condition.text,
        "status": outcome.status,
        "reasons": list(outcome.reasons),
        **{name: getattr(outcome, name) for name in (*NUMBERS, *COUNTS)},
        "flags": list(outcome.flags),
        "blocked": outcome.blocked,
        "row": values,
        "parts": [outcome_values(part) for part in outcome.parts],
    }


def plain_values(value: Any) -> Any:
    """Convert a value to JSON types; other values are replaced by their `repr`."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    return value if isinstance(value, str | int | float | None) else repr(value)
