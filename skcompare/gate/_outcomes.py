"""What a gate decided, with the reasons and the rows behind them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skcompare._flags import explain, register_flag
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._html import decision_html, decision_html_fragment
from skcompare.gate._json import decision_from_json, decision_values
from skcompare.gate._junit import decision_junit
from skcompare.gate._markdown import decision_markdown
from skcompare.gate._text import decision_text
from skcompare.reports import ComparisonRow
from skcompare.reports._json import to_standard_json

__all__ = [
    "FAILED",
    "INCONCLUSIVE",
    "NOT_PASSED",
    "PASSED",
    "GateDecision",
    "Outcome",
    "all_of",
    "any_of",
]

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"
NOT_PASSED = "not passed"

SAME_PREDICTIONS = register_flag(
    "same-predictions",
    "champion and challenger gave the same answers to every record, so that there is "
    "nothing to decide; check that the files are not those of one model",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one condition.

    Attributes
    ----------
    condition : Condition or AnyOf
        What was to be shown.
    status : {"passed", "failed", "inconclusive"}
        "failed" where the opposite was shown, and "inconclusive" where neither was.
    reasons : tuple of str
        Why, in words.
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
        Records that exactly one classifier answers rightly, where that is known.
    records_needed : float or None
        Records at which the condition would be shown with 80 % probability if what was
        observed is true; infinite where no number is enough, and None where the condition
        is settled or nothing is known.
    flags : tuple of str
        Codes of caveats.
    blocked : bool
        Whether nothing could be concluded whatever the test says.
    parts : tuple of Outcome
        The outcomes of the conditions of an :class:`AnyOf`.

    .. versionadded:: 0.1
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

    @property
    def passed(self) -> bool:
        """Whether the condition was shown to hold."""
        return self.status == PASSED

    @property
    def caveats(self) -> list[str]:
        """The flags with their words."""
        return explain(self.flags)

    @property
    def leaves(self) -> tuple["Outcome", ...]:
        """The outcomes of single conditions: this one, or those of which any is enough."""
        return self.parts or (self,)


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Whether the challenger may pass, with every reason.

    True where it passed, and False otherwise.

    Attributes
    ----------
    status : {"passed", "failed", "inconclusive", "not passed"}
        "passed" where every condition was shown to hold; "failed" where one was shown not
        to; "inconclusive" otherwise. A blind gate has "passed" and "not passed" only.
    outcomes : tuple of Outcome
        What became of each condition.
    reasons : tuple of str
        Why nothing can pass, whatever the conditions say; empty where that is not so.
    flags : tuple of str
        Codes of caveats about the data.
    alpha : float
        Level of the gate: the probability, at most, that it passes where a condition does
        not hold.
    champion, challenger : str
        What they are called.
    design : str
        How the evidence was collected.
    n_records : int
        Records, or items.
    fingerprint : str
        Digest of the true labels.
    look : mapping or None
        Where a ledger counts the looks at these records: the "number" of this look, its
        level "alpha", the "rule", the "total_alpha" of all looks, "looks_left" (None: no
        end), "alpha_left", "next_alpha" (None: no further look), whether it is "repeated",
        and the "ledger". None also where the answers of both are the same, which is no
        look.
    blind : bool
        Whether nothing but passed or not is revealed.
    seconds : float or None
        Time it took.
    versions : mapping of str to str
        What it ran with.

    .. versionadded:: 0.1
    """

    status: str
    outcomes: tuple[Outcome, ...]
    alpha: float
    champion: str
    challenger: str
    design: str
    n_records: int
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    fingerprint: str = ""
    look: Mapping[str, Any] | None = None
    blind: bool = False
    seconds: float | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        # Without it an `if decision:` would pass whatever was decided.
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether every condition was shown to hold."""
        return self.status == PASSED

    @property
    def caveats(self) -> list[str]:
        """All flags with their words, those of the data first."""
        leaves = [leaf for outcome in self.outcomes for leaf in outcome.leaves]
        return explain([*self.flags, *(flag for leaf in leaves for flag in leaf.flags)])

    @property
    def correction(self) -> str:
        """How several conditions were allowed for, in words."""
        return correction_words(self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain values; of a blind one only what it may tell."""
        return decision_values(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """The decision as standard JSON; NaN is written as {"number": "NaN"}."""
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "GateDecision":
        """The decision that :meth:`to_json` wrote."""
        return decision_from_json(text, cls, Outcome)

    def to_markdown(self) -> str:
        """The report as Markdown, for job summaries and pull requests."""
        return decision_markdown(self)

    def to_junit(self) -> str:
        """The report as JUnit XML, a test case a condition."""
        return decision_junit(self)

    def to_html(self) -> str:
        """The report as a self-contained page."""
        return decision_html(self)

    def _repr_html_(self) -> str:
        return decision_html_fragment(self)

    def __str__(self) -> str:
        return decision_text(self)


def all_of(outcomes: Sequence[Outcome]) -> str:
    """The status where every condition must hold.

    A gate that passes by mistake passes each condition, also the one that does not hold,
    which has probability alpha at most: the intersection-union test needs no correction.
    """
    if outcomes and all(outcome.passed for outcome in outcomes):
        return PASSED
    return FAILED if any(one.status == FAILED for one in outcomes) else INCONCLUSIVE


def any_of(condition: AnyOf, parts: Sequence[Outcome]) -> Outcome:
    """The outcome where one condition is enough; p-values are adjusted already."""
    if any(part.passed for part in parts):
        held = [part.condition.words for part in parts if part.passed]
        reason = f"one of the conditions is enough, and shown: {'; '.join(held)}"
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


def correction_words(outcomes: Iterable[Outcome]) -> str:
    """How several conditions were allowed for."""
    outcomes = list(outcomes)
    words = []
    if len(outcomes) > 1:
        words.append(
            "all conditions must hold, which needs no correction (intersection-union)"
        )
    if any(outcome.parts for outcome in outcomes):
        words.append("where any of several is enough, p-values are adjusted (Holm)")
    return "; ".join(words) or "one condition, which needs no correction"
