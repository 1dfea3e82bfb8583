"""Decision of a gate, and its conversion to text, Markdown, HTML, JSON and JUnit."""

from dataclasses import dataclass
from typing import Any

from skcompare._core.report import (
    Report,
    json_of_page,
    report_html,
    report_junit,
    to_standard_json,
)
from skcompare.gate._outcomes import DecisionData
from skcompare.gate.report._json import decision_from_json, decision_values
from skcompare.gate.report._report import caveats_of, decision_page, decision_report


@dataclass(frozen=True, slots=True, eq=False)
class GateDecision(DecisionData):
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
        and the "ledger". None also where both predict the same, which is no look.
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
    def caveats(self) -> list[str]:
        """Explanations of all flags, those of the data first.

        With several conditions, each explanation names the condition of its flag.
        """
        return caveats_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as a dict, without anything that a blind decision hides.

        Returns
        -------
        values : dict
            As described by `decision.schema.json` of the package.
        """
        return decision_values(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the decision as standard JSON, with NaN as {"number": "NaN"}.

        Parameters
        ----------
        indent : int or None, default=2
            Spaces per level; None writes a single line.

        Returns
        -------
        text : str
            JSON that :meth:`from_json` reads.
        """
        return to_standard_json(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "GateDecision":
        """Create a decision from the output of :meth:`to_json`.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        decision : GateDecision
            Equal to the one that was written. The result of a row has the interval of
            one level only.

        Raises
        ------
        ValueError
            If it is no decision, incomplete, or of another version.
        """
        return decision_from_json(text, cls)

    def to_junit(self) -> str:
        """Return the report as JUnit XML, with one test case per condition.

        Returns
        -------
        text : str
            A complete XML document.
        """
        return report_junit(self._report())

    def to_html(self) -> str:
        """Return the report as a self-contained HTML page.

        Returns
        -------
        text : str
            A complete page, with the JSON in it.
        """
        return report_html(decision_page(self, self.to_json(indent=None)))

    @classmethod
    def from_html(cls, page: str) -> "GateDecision":
        """Create a decision from the output of :meth:`to_html`.

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

    def _report(self) -> Report:
        return decision_report(self)
