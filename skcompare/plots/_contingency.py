"""The right/wrong table of two classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare.evidence import ContingencyTable
from skcompare.plots._base import PairDisplay
from skcompare.plots._counts import count_words, records_words
from skcompare.plots._heat import DARK, heat_table
from skcompare.plots._room import Room
from skcompare.plots._style import INK
from skcompare.plots._tested import Finding, finding_of

LETTERS, LINE = 48, 0.17
"""Letters and inches of a line of the title."""


@dataclass(eq=False, repr=False)
class ContingencyDisplay(PairDisplay):
    """How often both classifiers, one of them, or neither was right.

    The two discordant cells, in which exactly one was right, are framed: they alone tell
    the accuracies apart, and McNemar's test looks at nothing else. The percentages beside
    the rows and under the columns are the accuracies.

    Parameters
    ----------
    counts : array-like of shape (2, 2)
        Records. Rows: the champion was right, wrong. Columns: the challenger was right,
        wrong.
    finding : Finding
        Difference of the accuracies, its interval and p-value.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.mcnemar : The test of this table.

    Notes
    -----
    The constructors take these options:

    confidence_level : float, default=0.95
        Level of the interval.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test and the interval.

    Records that were answered in cross-validation or come in groups have no p-value here,
    because McNemar's test is not valid for them; the picture says so.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.plots import ContingencyDisplay
    >>> table = ContingencyTable(
    ...     both_correct=60, only_champion=5, only_challenger=15, both_wrong=20
    ... )
    >>> display = ContingencyDisplay.of_result(table)
    >>> display.frame()["records"].tolist()
    [60, 5, 15, 20]
    >>> print(display.summary)
    Of 100 records only the challenger was right on 15, only the champion on 5. Both were
    right on 60, neither on 20. Difference of accuracy +0.100, 95 % interval +0.011 to
    +0.186, McNemar's test: p = 0.027.

    .. versionadded:: 0.1
    """

    counts: Any
    finding: Finding

    needs = ContingencyTable

    @classmethod
    def _of(
        cls,
        evidence: ContingencyTable,
        *,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> Self:
        # Exact p-values are of whole counts only.
        options = {"method": "asymptotic"} if evidence.fractional else {}
        finding = finding_of(
            evidence,
            evidence.difference,
            ("mcnemar",),
            confidence_level=confidence_level,
            alternative=alternative,
            **options,
        )
        first = [evidence.both_correct, evidence.only_champion]
        second = [evidence.only_challenger, evidence.both_wrong]
        return cls(np.array([first, second]), finding)

    @property
    def summary(self) -> str:
        """What the table says, in three sentences."""
        (both, champion), (challenger, neither) = self.counts
        return (
            f"Of {records_words(self.counts.sum())} only the challenger was right on "
            f"{count_words(challenger)}, only the champion on {count_words(champion)}. "
            f"Both were right on {count_words(both)}, neither on {count_words(neither)}. "
            f"{'. '.join([', '.join(self._lines()), *self.finding.caveats])}."
        )

    def _lines(self) -> list[str]:
        """The finding, a line each."""
        found = self.finding
        lines = [f"Difference of accuracy {found.estimate_words}"]
        return [*lines, *filter(None, (found.interval_words, found.pvalue_words))]

    def _room(self) -> Room:
        return Room(width=4.4, height=4.0 + LINE * len(self.finding.caveat_lines(LETTERS)))

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Rectangle

        shares = self.counts / self.counts.sum()
        words = [
            [f"{count_words(n)}\n{100 * share:.1f} %" for n, share in zip(*line)]
            for line in zip(self.counts, shares)
        ]
        heat_table(
            ax,
            shares,
            words,
            rows=_with_shares(shares.sum(axis=1)),
            columns=_with_shares(shares.sum(axis=0)),
        )
        for i, j in ((0, 1), (1, 0)):
            on_dark = shares[i, j] >= DARK
            ax.add_patch(
                Rectangle(
                    (j - 0.46, i - 0.46),
                    0.92,
                    0.92,
                    fill=False,
                    # Of the cell and not of the page, as the words in it.
                    ec="#ffffff" if on_dark else "#101820",
                    lw=2,
                )
            )
        ax.set_xlabel("Challenger was", color=INK)
        ax.set_ylabel("Champion was", color=INK)
        title = [*self._lines(), *self.finding.caveat_lines(LETTERS)]
        ax.set_title("\n".join(title), color=INK, fontsize="medium")

    def _columns(self) -> Mapping[str, Any]:
        answers = ("right", "wrong")
        return {
            "champion": [one for one in answers for _ in answers],
            "challenger": [other for _ in answers for other in answers],
            "records": self.counts.ravel().tolist(),
            "share": (self.counts / self.counts.sum()).ravel().tolist(),
        }


def _with_shares(shares: Any) -> list[str]:
    """The names of rows or columns with what is in them."""
    return [
        f"{answer}\n{100 * share:.1f} %"
        for answer, share in zip(("right", "wrong"), shares)
    ]
