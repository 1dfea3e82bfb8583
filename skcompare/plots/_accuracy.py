"""Displays of the contingency table and the agreement matrix of two classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.flags import explain
from skcompare._core.formatting import format_pvalue, in_one_line
from skcompare._core.validation import check_alpha, check_count
from skcompare._registry.tests import get_test
from skcompare._typing import IntArray
from skcompare.evidence import AgreementMatrix, ContingencyTable, JointCounts
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots.drawing._base import (
    OF_LABELS,
    ONCE,
    ONCE_IN_ANY_ORDER,
    PairDisplay,
    Place,
)
from skcompare.plots.drawing._heatmap import frame_cell, heat_table
from skcompare.plots.drawing._labels import count_text, distinct, records_text, short_count
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import INK, SOFT, dress, write
from skcompare.plots.drawing._text import wrapped
from skcompare.stats import bowker

DIFFERENCE = "Difference of accuracy"
TITLE_CHARACTERS, LINE_HEIGHT = 48, 0.17
"""Characters of a line of the title, and its height in inches."""


@dataclass(eq=False, repr=False)
class ContingencyDisplay(
    PairDisplay,
    title="Who was right",
    place=Place(
        1,
        OF_LABELS,
        needs=("ContingencyTable",),
        same=OF_LABELS,
        designs=ONCE_IN_ANY_ORDER,
    ),
):
    """Contingency table of correct and incorrect predictions of two classifiers.

    The two discordant cells, in which exactly one is correct, are framed: the accuracies
    differ by them alone, and McNemar's test uses nothing else. The percentages beside the
    rows and under the columns are the accuracies.

    Parameters
    ----------
    counts : array-like of shape (2, 2)
        Records. Rows: the champion is correct, incorrect. Columns: the challenger is
        correct, incorrect.
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

    Predictions from cross-validation, or for records in groups or in time order, have no
    p-value here, because McNemar's test is not valid for them; the picture states this.

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
    right on 60, neither on 20. Difference of accuracy +0.100, 95 % interval [0.011,
    0.186], McNemar's test: p = 0.027.
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
        # Exact p-values need whole counts.
        method: dict[str, Any] = {"method": "asymptotic"} if evidence.fractional else {}
        gain, tests = evidence.difference, ("mcnemar",)
        finding = finding_of(evidence, gain, tests, confidence_level, alternative, **method)
        counts = [
            [evidence.both_correct, evidence.only_champion],
            [evidence.only_challenger, evidence.both_wrong],
        ]
        return cls(np.array(counts), finding)

    def _sentences(self) -> list[str]:
        """Return sentences on the counts, the difference and its test."""
        (both, champion), (challenger, neither) = self.counts
        return [
            f"Of {records_text(self.counts.sum())} only the challenger was right on "
            f"{count_text(challenger)}, only the champion on {count_text(champion)}",
            f"Both were right on {count_text(both)}, neither on {count_text(neither)}",
            ", ".join(self.finding.lines(DIFFERENCE)),
            *self.finding.caveats,
        ]

    @property
    def _title(self) -> list[str]:
        lines = [*self.finding.lines(DIFFERENCE), *self.finding.caveats]
        return wrapped(lines, TITLE_CHARACTERS)

    def _room(self) -> Room:
        return Room(width=4.4, height=4.0 + LINE_HEIGHT * max(0, len(self._title) - 3))

    def _draw(self, ax: Any) -> None:
        shares = self.counts / self.counts.sum()
        cell_texts = [
            [f"{count_text(n)}\n{100 * share:.1f} %" for n, share in zip(*line)]
            for line in zip(self.counts, shares)
        ]
        heat_table(
            ax,
            shares,
            cell_texts,
            rows=_with_shares(shares.sum(axis=1)),
            columns=_with_shares(shares.sum(axis=0)),
        )
        for i, j in ((0, 1), (1, 0)):
            frame_cell(ax, i, j, shares[i, j], 0.92, lw=2)
        ax.set_xlabel("Challenger was", color=INK)
        ax.set_ylabel("Champion was", color=INK)
        ax.set_title("\n".join(self._title), color=INK, fontsize="medium")

    def _columns(self) -> Mapping[str, Any]:
        labels = ("right", "wrong")
        return {
            "champion": [label for label in labels for _ in labels],
            "challenger": [label for _ in labels for label in labels],
            "records": self.counts.ravel().tolist(),
            "share": (self.counts / self.counts.sum()).ravel().tolist(),
        }


def _with_shares(shares: Any) -> list[str]:
    """Format the labels of rows or columns with their shares."""
    return [
        f"{label}\n{100 * share:.1f} %" for label, share in zip(("right", "wrong"), shares)
    ]


PAIR = (
    *("champion", "challenger", "records", "reverse", "contribution", "share"),
    *("pvalue", "adjusted_pvalue", "marked"),
)
"""Data of a pair of classes, in the order of the columns of frames."""


def pair_of(part: Mapping[str, Any], statistic: float, alpha: float) -> dict[str, Any]:
    """Return the data of a pair of classes, in the direction with more records."""
    roles = (part["champion"], part["challenger"])
    counts = (part["count"], part["reverse_count"])
    if counts[1] > counts[0]:
        roles, counts = roles[::-1], counts[::-1]
    contribution, adjusted = part["contribution"], part["adjusted_pvalue"]
    share = contribution / statistic if statistic else 0.0
    pvalues = part["pvalue"], adjusted, adjusted < alpha
    return dict(zip(PAIR, (*roles, *counts, contribution, share, *pvalues), strict=True))


def most_disagreeing(counts: IntArray, most: int) -> IntArray:
    """Return the indices of the classes with the most disagreements, in ascending order."""
    disagreements = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    return np.sort(np.argsort(-disagreements, kind="stable")[:most])


MOST_PAIRS = 1000
"""Largest number of pairs of classes in the frame, by descending contribution."""

BARS = 6
"""Largest number of pairs that have a bar."""

FRAMED_TWICE = 12
"""Largest number of classes for which the reverse of a marked pair is framed too."""

MOST_FRAMED = 30
"""Largest number of pairs with frames; more would obscure the matrix."""

CHARACTER, SMALL_CHARACTER = 0.078, 0.068
"""Width in inches of an average character of the title, and of labels beside bars."""

NAME_CHARACTERS = 14
"""Largest number of characters of the name of a class in the picture."""

LINE_CHARACTERS = 54
"""Characters of a line of the title of a matrix."""


@dataclass(eq=False, repr=False)
class AgreementDisplay(
    PairDisplay,
    title="Predictions of both",
    place=Place(4, needs=("AgreementMatrix",), test="bowker", designs=ONCE),
):
    """Agreement matrix of the labels of two classifiers, and Bowker's test of symmetry.

    The upper panel is the agreement matrix. Only its disagreements are shaded, by the
    square root of their share of the largest, because the diagonal would dominate them.
    The lower panel shows the pairs of classes that contribute to Bowker's statistic of
    symmetry, each with its two counts. A pair whose exact binomial p-value is below
    `alpha` after Holm's adjustment has a filled bar and frames in the matrix: a solid
    one on the more frequent direction, and, where classes are few, a dotted one on the
    reverse. At most 30 pairs have frames, those that contribute most.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Records by the predictions of the champion (rows) and the challenger (columns).
    classes : list of shape (n_classes,)
        Class labels.
    pairs : list of dict
        Pairs of classes with their contributions, the largest first.
    statistic, df : float
        Bowker's statistic and its degrees of freedom.
    pvalue : float or None
        P-value of the test; None where it is not valid for the design.
    alpha : float
        Level at which a pair is marked.
    design : str
        Design of the collection of the records.
    n_classes : int
        Number of all classes, some of which `counts` may leave out.
    flags : tuple of str
        Caveats of the test.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.bowker : The test, whose `parts` are the pairs.

    Notes
    -----
    The constructors take these options:

    alpha : float, default=0.05
        Level of the marks, for all pairs together.
    max_classes : int, default=30
        Largest number of classes drawn, those that disagree most. Statistic and pairs are
        of all classes.

    Evidence may be :class:`~skcompare.evidence.JointCounts` too.

    Examples
    --------
    >>> from skcompare.evidence import AgreementMatrix
    >>> from skcompare.plots import AgreementDisplay
    >>> matrix = AgreementMatrix([[70, 6, 4], [10, 55, 5], [25, 7, 35]], ["a", "b", "c"])
    >>> display = AgreementDisplay.of_result(matrix)
    >>> display.frame()[["champion", "challenger", "records", "reverse", "marked"]]
      champion challenger  records  reverse  marked
    0        c          a       25        4    True
    1        b          a       10        6   False
    2        c          b        7        5   False
    >>> print(display.summary.split(". ")[1])
    Bowker's test of symmetry: statistic 16.54, df 3, p = 0.00088
    """

    counts: IntArray
    classes: list[Any]
    pairs: list[dict[str, Any]]
    statistic: float
    df: float
    pvalue: float | None
    alpha: float = 0.05
    design: str = ""
    n_classes: int = 0
    flags: tuple[str, ...] = ()

    needs = AgreementMatrix

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PairedPredictions, AgreementMatrix \
or JointCounts
            Source of the numbers.
        **options : dict
            Options of the display.

        Returns
        -------
        display : AgreementDisplay
            Its `frame()` needs no matplotlib.
        """
        if isinstance(result, JointCounts):
            result = result.agreement_matrix()
        return super().of_result(result, **options)

    @classmethod
    def _of(
        cls, evidence: AgreementMatrix, *, alpha: float = 0.05, max_classes: int = 30
    ) -> Self:
        check_alpha(alpha)
        check_count("max_classes", max_classes, least=2)
        result = bowker(evidence, max_pairs=MOST_PAIRS)
        valid = get_test("bowker").valid_for(evidence.design)
        pairs = [
            pair_of(part, result.statistic, alpha if valid else 0.0)
            for part in result.parts
        ]
        shown = most_disagreeing(evidence.counts, max_classes)
        return cls(
            counts=evidence.counts[np.ix_(shown, shown)],
            classes=evidence.classes[shown].tolist(),
            pairs=pairs,
            statistic=float(result.statistic),
            df=float(result.df or 0),
            pvalue=float(result.pvalue) if valid else None,
            alpha=alpha,
            design=str(evidence.design),
            n_classes=len(evidence.classes),
            flags=result.flags if valid else (),
        )

    def _sentences(self) -> list[str]:
        """Return sentences on agreement, test and the pairs that contribute most."""
        agreed, all_shown = int(np.trace(self.counts)), int(self.counts.sum())
        sentences = [
            f"{self._classes_text()}champion and challenger gave the same label to "
            f"{count_text(agreed)} of {records_text(all_shown)}",
            self._test_text(),
        ]
        drivers = [pair for pair in self.pairs if pair["marked"]] or self.pairs[:1]
        drivers = [pair for pair in drivers if pair["contribution"] > 0]
        for pair in drivers[:3]:
            champion, challenger = (
                in_one_line(str(pair[role])) for role in ("champion", "challenger")
            )
            sentences.append(
                f"Champion {champion}, challenger {challenger}: "
                f"{records_text(pair['records'])} against "
                f"{count_text(pair['reverse'])} the other way round, "
                f"{100 * pair['share']:.0f} % of the statistic"
            )
        marked = sum(pair["marked"] for pair in self.pairs)
        if self.pairs and not marked and self.pvalue is not None:
            sentences.append(
                f"No pair of classes alone is shown to be asymmetric at {self.alpha:g}"
            )
        return [*sentences, *explain(self.flags)]

    def _classes_text(self) -> str:
        """Return the introductory phrase on the classes in the matrix."""
        if len(self.classes) >= self.n_classes:
            return "Of the same records "
        return (
            f"Among the {len(self.classes)} of {self.n_classes:,} classes that disagree "
            "most "
        )

    def _test_text(self) -> str:
        text = f"Bowker's test of symmetry: statistic {self.statistic:.4g}"
        if self.pvalue is None:
            return f"{text}, no p-value for {self.design}"
        pvalue = format_pvalue(self.pvalue, self.alpha)
        sign = "" if pvalue.startswith("<") else "= "
        return f"{text}, df {self.df:.0f}, p {sign}{pvalue}"

    @property
    def _bars(self) -> list[dict[str, Any]]:
        """Pairs of classes drawn as bars."""
        return [pair for pair in self.pairs[:BARS] if pair["contribution"] > 0]

    @property
    def _names(self) -> list[str]:
        """Short, distinct names of the classes in the matrix."""
        names = self._names_of
        return [names[label] for label in self.classes]

    @property
    def _names_of(self) -> dict[Any, str]:
        """Mapping of each class in the matrix or the bars to a short, distinct name."""
        bar_classes = (
            pair[role] for pair in self._bars for role in ("champion", "challenger")
        )
        classes = list(dict.fromkeys([*self.classes, *bar_classes]))
        return dict(zip(classes, distinct(classes, NAME_CHARACTERS)))

    @property
    def _cell(self) -> float:
        """Size of a cell in inches."""
        return min(0.75, max(0.34, 6.5 / len(self.classes)))

    def _room(self) -> Room:
        names = self._names
        margin = 0.9 + 0.085 * max(map(len, names))
        matrix = max(2.2, self._cell * len(names))
        # The title is centred on the matrix, which begins where the labels of bars end.
        bar_lengths = [len(_direction(pair, self._names_of)) for pair in self._bars]
        left = max(margin, SMALL_CHARACTER * max(bar_lengths, default=0))
        title = CHARACTER * max(map(len, [*self._title().split("\n"), self._bars_label]))
        width = max(6.0, matrix + margin, left + title)
        above = matrix + (margin if self._upright else 1.1)
        above += LINE_HEIGHT * len(wrapped(explain(self.flags), LINE_CHARACTERS))
        bars = len(self._bars)
        if not bars:
            return Room(width=width, height=above)
        below = 1.0 + 0.3 * bars
        return Room(width=width, height=above + below, heights=(above, below))

    @property
    def _bars_label(self) -> str:
        """Axis label of the bars."""
        note = "" if self.pvalue is None else f" (filled: p < {self.alpha:g} by Holm)"
        return f"Contribution to the statistic{note}"

    @property
    def _upright(self) -> bool:
        """Whether the column labels must be rotated."""
        longest = max(map(len, self._names))
        return 0.1 * longest > self._cell

    def _draw(self, ax: Any, bars: Any = None) -> None:
        disagreements = self.counts.copy()
        np.fill_diagonal(disagreements, 0)
        # A root, because one large pair would leave the others without a shade.
        shades = np.sqrt(disagreements / max(1, disagreements.max()))
        write = (
            count_text if self.counts.max() < 10_000 and self._cell > 0.5 else short_count
        )
        cell_texts = [
            [write(n) if n else "" for n in line] for line in self.counts.tolist()
        ]
        names = self._names
        size = min(10.0, 21 * self._cell)
        heat_table(ax, shades, cell_texts, rows=names, columns=names, size=size)
        ax.tick_params(labelsize=min(10.0, 26 * self._cell))
        if self._upright:
            ax.tick_params(axis="x", labelrotation=90)
        self._frame_marked(ax, shades)
        ax.set_xlabel("Challenger's prediction", color=INK)
        ax.set_ylabel("Champion's prediction", color=INK)
        ax.set_title(self._title(), color=INK, fontsize="medium")
        if bars is not None:
            self._draw_bars(bars)

    def _title(self) -> str:
        subset = ""
        if len(self.classes) < self.n_classes:
            subset = (
                f" ({len(self.classes)} of {self.n_classes:,} classes, that disagree most)"
            )
        lines = [
            self._test_text(),
            f"Records by predictions; disagreements shaded (root scale){subset}",
            *wrapped(explain(self.flags), LINE_CHARACTERS),
        ]
        return "\n".join(lines)

    def _frame_marked(self, ax: Any, shades: Any) -> None:
        """Draw solid frames around marked pairs, dotted ones around the reverse pairs."""
        positions = {name: i for i, name in enumerate(self.classes)}
        for pair in self.pairs[:MOST_FRAMED]:
            if not pair["marked"] or not {pair["champion"], pair["challenger"]} <= set(
                positions
            ):
                continue
            i, j = positions[pair["champion"]], positions[pair["challenger"]]
            cells = [(i, j, "-"), (j, i, ":")]
            # Frames of the reverse would cover a table of many classes.
            for row, column, dashes in cells[: 2 if len(positions) <= FRAMED_TWICE else 1]:
                style = {"lw": min(2.0, 4 * self._cell), "ls": dashes, "clip_on": False}
                frame_cell(ax, row, column, shades[row, column], 0.86, **style)

    def _draw_bars(self, ax: Any) -> None:
        """Draw the contributions of the pairs as bars, the largest on top."""
        pairs = self._bars
        for at, pair in enumerate(pairs):
            marked = pair["marked"]
            style = {"fc": SOFT} if marked else {"fc": "none", "hatch": "////"}
            ax.barh(at, pair["contribution"], height=0.62, ec=SOFT, lw=1.0, **style)
            place = (pair["contribution"], at)
            write(ax, f"{100 * pair['share']:.0f} %", place, (4, 0), fontsize="small")
        ax.set_yticks(
            range(len(pairs)), [_direction(pair, self._names_of) for pair in pairs]
        )
        ax.set_ylim(len(pairs) - 0.5, -0.5)
        ax.set_xlim(0, 1.15 * pairs[0]["contribution"])
        dress(ax, grid="x")
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.set_xlabel(self._bars_label)
        ax.set_title(
            "Pairs of classes that make up the statistic, champion → challenger",
            fontsize="small",
            color=INK,
            loc="right",
        )

    def _columns(self) -> Mapping[str, Any]:
        return {name: [pair[name] for pair in self.pairs] for name in PAIR}


def _direction(pair: Mapping[str, Any], names: Mapping[Any, str]) -> str:
    champion, challenger = (names[pair[role]] for role in ("champion", "challenger"))
    return (
        f"{champion} → {challenger} {count_text(pair['records'])}, "
        f"back {count_text(pair['reverse'])}"
    )
