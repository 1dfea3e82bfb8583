"""Forest plot of the precision ratios of two classifiers, class by class."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare.plots.drawing._base import ROLES
from skcompare.plots.forest._forest_rows import ratios_in
from skcompare.plots.forest._interval_axes import Lines
from skcompare.plots.forest._interval_display import IntervalDisplay
from skcompare.plots.forest._interval_rows import (
    RATIOS,
    IntervalRow,
    caveat_text,
    interval_text,
    test_text,
)
from skcompare.predictions import LABELS

MARKERS = ("s", "o", "D", "^", "v", "P")
"""Markers of the tests, in the order of their appearance."""


@dataclass(eq=False, repr=False)
class RelativePrecisionDisplay(IntervalDisplay, title="Ratios with intervals"):
    """Forest plot of the precision ratios of two classifiers, class by class.

    A row is the precision of the challenger over that of the champion for one class, with
    its interval, on a logarithmic axis, so that 1/2 and 2 are equally far from 1. It has
    the form of Figure 2 of [1]_. Rows of one class by several tests are adjacent, each test
    with a different mark.

    It is made by its constructors.

    Parameters
    ----------
    rows : tuple of IntervalRow
        Rows of the picture, from top to bottom.
    alpha : float, default=0.05
        Level of the tests.
    adjust : str, default=""
        Method of adjustment of the p-values.
    remarks : tuple of str
        Sentences about the rows, written below the picture.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    ForestDisplay : Differences of any measure.
    skcompare.stats.precision_by_class : Tests of all classes.

    Notes
    -----
    A class that a classifier never predicts has no precision: its ratio is undefined, and a
    remark names the classifier. A precision of 0 makes the ratio 0 or infinite, which is an
    arrow at the end of the axis. Odds ratios have a separate panel, because they are
    farther from 1 than ratios of the same precisions.

    Options of :meth:`from_estimators`, :meth:`from_predictions` and
    :meth:`from_cv_results`: `tests`, a name, names, or a dict of names and options of
    registered tests that estimate a ratio; :func:`~skcompare.stats.relative_precision` of
    every class by default. `alternative` and `adjust` are as for
    :func:`~skcompare.compare`, and `alpha` is the level.

    References
    ----------
    .. [1] Gondara, L. (2016). "Classifier comparison using precision."

    Examples
    --------
    >>> from skcompare.evidence import JointCounts
    >>> from skcompare.plots import RelativePrecisionDisplay
    >>> from skcompare.stats import precision_by_class
    >>> y = ["cat"] * 60 + ["dog"] * 60
    >>> old = ["cat"] * 40 + ["dog"] * 20 + ["dog"] * 45 + ["cat"] * 15
    >>> new = ["cat"] * 50 + ["dog"] * 10 + ["dog"] * 50 + ["cat"] * 10
    >>> classes = precision_by_class(JointCounts.from_predictions(y, old, new))
    >>> RelativePrecisionDisplay.of_result(classes).frame()[["name", "estimate"]].round(2)
                 name  estimate
    0  precision[cat]      1.15
    1  precision[dog]      1.20
    """

    rows: tuple[IntervalRow, ...]
    alpha: float = 0.05
    adjust: str = ""
    remarks: tuple[str, ...] = ()

    sides = ROLES
    kind = "ratio"
    null = 1.0
    log = True
    not_in_frame = ("primary", "claim", "band")

    @classmethod
    def from_result(
        cls, result: Any, *, alpha: float | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Plot the ratios of a result.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PrecisionByClass, PairedResult, \
PairedPredictions, or list or dict
            Source of the ratios. For a comparison without a test of a ratio, the classes of
            its predictions are compared by
            :func:`~skcompare.stats.precision_by_class`.
        alpha : float, optional
            Level of the intervals of single results, and of tests that are run for the
            picture; 0.05 by default. A comparison has its own.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            `tests`, `alternative` and `adjust` of tests that are run, where `result` has
            only predictions of a pair.

        Returns
        -------
        display : RelativePrecisionDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there is no ratio to draw.
        """
        return cls.of_result(result, alpha=alpha, **options).plot(ax=ax)

    @classmethod
    def _required_of(cls, *estimators: Any) -> frozenset[str]:
        return frozenset({LABELS})

    @classmethod
    def _of(cls, result: Any, *, alpha: float = 0.05) -> Self:
        source = ratios_in(result, alpha)
        return cls(source.rows, source.alpha, source.adjust, source.remarks)

    @property
    def summary(self) -> str:
        """Text summary of the first row, and of the intervals above and below 1."""
        first = self.rows[0]
        intervals, above, below = self._beyond_null()
        p = "" if first.pvalue is None else f", p {format_pvalue(first.pvalue, self.alpha)}"
        count = "1 ratio" if len(self.rows) == 1 else f"{len(self.rows)} ratios"
        text = (
            f"{count}, challenger over champion; that of {in_one_line(first.name)} is "
            f"{interval_text(first, signed=False)} ({test_text(first)}{p})."
        )
        if intervals:
            text += (
                f" Intervals that are wholly above 1, where the challenger is better: "
                f"{above} of {len(intervals)}, and below it: {below}."
            )
        return f"{text}{caveat_text(first)}"

    def _units(self) -> list[str]:
        return [unit for unit in RATIOS if any(row.unit == unit for row in self.rows)]

    def _panel(self, names: Sequence[str], rows: Sequence[IntervalRow], unit: str) -> Lines:
        tests = list(dict.fromkeys(row.test for row in self.rows))
        change = "change" if unit == RATIOS[0] else "of odds"
        return self._lines(
            names,
            rows,
            unit,
            f"{unit}, challenger over champion (logarithmic)",
            columns={
                change: [_change(row) for row in rows],
                "from → to": [_precisions(row) for row in rows],
            },
            markers=[MARKERS[tests.index(row.test) % len(MARKERS)] for row in rows],
        )


def _change(row: IntervalRow) -> str:
    """Format a ratio as a percentage change, or as a factor if large."""
    ratio = row.estimate
    if math.isnan(ratio) or math.isinf(ratio):
        return ""
    if ratio >= 2:
        return f"× {ratio:.3g}"
    change = 100 * (ratio - 1)
    return f"{format_number(change, 1, signed=True)} %"


def _precisions(row: IntervalRow) -> str:
    """Format the precisions of champion and challenger."""
    if row.champion is None or row.challenger is None:
        return ""
    numbers = (row.champion, row.challenger)
    champion, challenger = (
        "no prediction" if math.isnan(x) else format_number(x) for x in numbers
    )
    return f"{champion} → {challenger}"
