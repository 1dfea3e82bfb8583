"""What a gate decided, with the reasons and the rows behind them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skcompare._core.flags import explain
from skcompare.gate._conditions import AnyOf, Condition
from skcompare.gate._html import decision_html, decision_html_fragment
from skcompare.gate._json import decision_from_json, decision_values, outcome_values
from skcompare.gate._junit import decision_junit
from skcompare.gate._markdown import decision_markdown
from skcompare.gate._shown import flags_told
from skcompare.gate._text import decision_text
from skcompare.reports import ComparisonRow
from skcompare.reports._html_page import json_of_page
from skcompare.reports._json import to_standard_json

PASSED, FAILED, INCONCLUSIVE = "passed", "failed", "inconclusive"
NOT_PASSED = "not passed"

SAME_PREDICTIONS = "same-predictions"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of one condition.

    Two of them are equal where all that is written of them is, NaN and NaN among it.

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

    Examples
    --------
    >>> from skcompare.gate import Gate, Superior
    >>> y, old, new = [0, 1] * 10, [0, 1] * 9 + [1, 0], [0, 1] * 9 + [0, 0]
    >>> outcome, = Gate(Superior("accuracy")).decide(y, {"old": old, "new": new}).outcomes
    >>> outcome.condition.words, outcome.status
    ('accuracy is better', 'inconclusive')
    >>> outcome.n_records, outcome.n_discordant
    (20, 1)

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

    def __eq__(self, other: object) -> bool:
        # By what is written: the limits behind a row are functions, and equal to no other.
        if not isinstance(other, Outcome):
            return NotImplemented
        return self is other or _written(self) == _written(other)

    def __hash__(self) -> int:
        return hash((self.condition.words, self.status, self.reasons, self.n_records))

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


@dataclass(frozen=True, slots=True, eq=False)
class GateDecision:
    """Whether the challenger may pass, with every reason.

    True where it passed, and False otherwise. Two decisions are equal where their JSON is,
    so that one equals its copies, and what is read from its JSON.

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
    size : str
        What was judged, in words, where it is not records alone: items with their attempts,
        or records in groups.
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

    .. versionadded:: 0.1
    """

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
        about = self.champion, self.challenger, self.design, self.n_records
        return hash((self.status, self.alpha, *about))

    def __bool__(self) -> bool:
        # Without it an `if decision:` would pass whatever was decided.
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether every condition was shown to hold."""
        return self.status == PASSED

    @property
    def caveats(self) -> list[str]:
        """All flags with their words, those of the data first.

        Where there are several conditions, it is said which one a flag is about.
        """
        return [
            f"{words} (condition {number})" if number else words
            for number, words in flags_told(self)
        ]

    @property
    def correction(self) -> str:
        """How several conditions were allowed for, in words."""
        return correction_words(self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain values; of a blind one only what it may tell.

        Returns
        -------
        values : dict
            What `decision.schema.json` of the package describes.
        """
        return decision_values(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """The decision as standard JSON; NaN is written as {"number": "NaN"}.

        Parameters
        ----------
        indent : int or None, default=2
            Spaces of a level; None writes a single line.

        Returns
        -------
        text : str
            What :meth:`from_json` reads.
        """
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "GateDecision":
        """The decision that :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        decision : GateDecision
            Equal to the one that was written. A row's result knows the interval of one
            level only.

        Raises
        ------
        ValueError
            If it is no decision, not a whole one, or of another version.
        """
        return decision_from_json(text, cls, Outcome)

    def to_markdown(self) -> str:
        """The report as Markdown, for job summaries and pull requests.

        Returns
        -------
        text : str
            Markdown with a table, as hosts of repositories show it.
        """
        return decision_markdown(self)

    def to_junit(self) -> str:
        """The report as JUnit XML, a test case a condition.

        Returns
        -------
        text : str
            A whole XML document.
        """
        return decision_junit(self)

    def to_html(self) -> str:
        """The report as a self-contained page.

        Returns
        -------
        text : str
            A whole page, with the JSON in it.
        """
        return decision_html(self)

    @classmethod
    def from_html(cls, page: str) -> "GateDecision":
        """The decision within the text of a page that :meth:`to_html` wrote.

        Parameters
        ----------
        page : str
            The text of the page.

        Returns
        -------
        decision : GateDecision
            Equal to the one that was written.

        Raises
        ------
        ValueError
            If the text is no such page.
        """
        return cls.from_json(json_of_page(page))

    def _repr_html_(self) -> str:
        return decision_html_fragment(self)

    def __str__(self) -> str:
        return decision_text(self)


def _written(outcome: Outcome) -> str:
    return to_standard_json(outcome_values(outcome), indent=None)


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
