"""The right/wrong table of two classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._wording import format_number
from skcompare.evidence import ContingencyTable
from skcompare.plots._base import PairDisplay
from skcompare.plots._heat import heat_table
from skcompare.plots._room import Room
from skcompare.plots._style import INK

__all__ = ["ContingencyDisplay"]


@dataclass(eq=False)
class ContingencyDisplay(PairDisplay):
    """How often both classifiers, one of them, or neither was right.

    The two discordant cells, in which exactly one was right, are framed: they alone tell
    the accuracies apart, and McNemar's test looks at nothing else.

    Parameters
    ----------
    counts : array-like of shape (2, 2)
        Records. Rows: the champion was right, wrong. Columns: the challenger was right,
        wrong.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.mcnemar : The test of this table.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.plots import ContingencyDisplay
    >>> table = ContingencyTable(
    ...     both_correct=60, only_champion=5, only_challenger=15, both_wrong=20
    ... )
    >>> ContingencyDisplay.of_result(table).frame()["records"].tolist()
    [60, 5, 15, 20]

    .. versionadded:: 0.1
    """

    counts: Any

    needs = ContingencyTable

    @classmethod
    def _of(cls, evidence: ContingencyTable) -> Self:
        return cls(
            np.array(
                [
                    [evidence.both_correct, evidence.only_champion],
                    [evidence.only_challenger, evidence.both_wrong],
                ]
            )
        )

    @property
    def summary(self) -> str:
        """What the table says, in two sentences."""
        (both, champion), (challenger, neither) = self.counts
        return (
            f"Of {_count(self.counts.sum())} records only the challenger was right on "
            f"{_count(challenger)}, only the champion on {_count(champion)}. Both were "
            f"right on {_count(both)}, neither on {_count(neither)}."
        )

    def _room(self) -> Room:
        return Room(width=4.4, height=3.6)

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Rectangle

        shares = self.counts / self.counts.sum()
        words = [
            [f"{_count(n)}\n{100 * share:.1f} %" for n, share in zip(*line)]
            for line in zip(self.counts, shares)
        ]
        heat_table(ax, shares, words, rows=["right", "wrong"], columns=["right", "wrong"])
        for i, j in ((0, 1), (1, 0)):
            ax.add_patch(
                Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec=INK, lw=2)
            )
        ax.set_xlabel("Challenger was", color=INK)
        ax.set_ylabel("Champion was", color=INK)
        ax.set_title("Records by who was right", color=INK)

    def _columns(self) -> Mapping[str, Any]:
        answers = ("right", "wrong")
        return {
            "champion": [one for one in answers for _ in answers],
            "challenger": [other for _ in answers for other in answers],
            "records": self.counts.ravel().tolist(),
        }


def _count(number: Any) -> str:
    """Records in words; those of averaged tables are no whole numbers."""
    value = float(number)
    return f"{value:,.0f}" if value == int(value) else format_number(value, 1)
