"""Forest plot of the differences of two or several classifiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.formatting import format_pvalue, in_one_line
from skcompare.plots.drawing._base import CHALLENGER, CHAMPION
from skcompare.plots.forest._forest_rows import Found, found_in, with_margins
from skcompare.plots.forest._interval_axes import Lines
from skcompare.plots.forest._interval_display import IntervalDisplay
from skcompare.plots.forest._interval_rows import (
    SHARES,
    IntervalRow,
    caveat_text,
    interval_text,
    level_text,
)


@dataclass(eq=False, repr=False)
class ForestDisplay(IntervalDisplay, title="Differences with intervals"):
    """Forest plot of differences of classifiers, with their confidence intervals.

    A row is a difference, challenger minus champion on a greater-is-better scale, with its
    interval: a filled mark where it was tested, a hollow one where no test is valid. Scores
    and losses with a bound share an axis; a measure without a bound, such as the log loss,
    has a separate panel.

    It is made by its constructors. All objects with differences can be drawn by
    :meth:`from_result`: comparisons of two and of several classifiers, decisions of a gate
    with their margins, results of single tests, and lists or dicts of them.

    Parameters
    ----------
    rows : tuple of IntervalRow
        Rows of the picture, from top to bottom.
    alpha : float, default=0.05
        Level of the tests.
    adjust : str, default=""
        Method of adjustment of the p-values of the rows.
    sides : tuple of str, default=("champion", "challenger")
        Roles that are better on the left and on the right of the line of no difference.
    remarks : tuple of str
        Sentences about the rows, written below the picture.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    RelativePrecisionDisplay : Ratios of precisions, class by class.
    CriticalDifferenceDisplay : Groups of classifiers without significant differences.

    Notes
    -----
    An arrow marks an interval that extends beyond the axis: that of a one-sided test, or
    one much longer than the others. The text beside it has its limits. The part of the axis
    that a condition of a gate must exclude is hatched, and a margin as a number is a shaded
    band around the line of no difference.

    Options of :meth:`from_estimators`, :meth:`from_predictions` and
    :meth:`from_cv_results`, beside those of :meth:`from_result`: `tests`, a name, names, or
    a dict of names and options; by default the design's test of the accuracy and, with
    probabilities, those of the AUC and of the Brier score. `alternative`, `adjust` and
    `pos_label` are as for :func:`~skcompare.compare`.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare
    >>> from skcompare.plots import ForestDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> predictions = {"old": np.clip(0.3 + 0.4 * y + rng.normal(0, 0.3, 300), 0, 1)}
    >>> predictions["new"] = np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 300), 0, 1)
    >>> comparison = compare(y, predictions, scoring=["accuracy", "roc_auc"])
    >>> display = ForestDisplay.of_result(comparison, margin=0.02)
    >>> display.frame()[["name", "estimate", "low", "high"]].round(3)
           name  estimate    low   high
    0  accuracy     0.060  0.001  0.119
    1   roc_auc     0.086  0.040  0.132
    """

    rows: tuple[IntervalRow, ...]
    alpha: float = 0.05
    adjust: str = ""
    sides: tuple[str, str] = (CHAMPION, CHALLENGER)
    remarks: tuple[str, ...] = ()

    not_in_frame = ("champion", "challenger")

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        margin: Any = None,
        pairs: str = "auto",
        most: int = 20,
        alpha: float | None = None,
        measure: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the differences of a result.

        Parameters
        ----------
        result : Comparison, MultipleComparison, PairwiseComparison, GateDecision, \
PairedResult, PrecisionByClass, fitted comparator, PairedPredictions, or list or dict
            Source of the differences. A dict gives each result a name. A result may have
            been read from JSON.
        margin : float, dict or conditions of a gate, optional
            The largest difference that does not matter, fixed before the data are seen: a
            number for all rows, which must be on one axis, or a dict with one per measure.
            Conditions, such as ``NonInferior("accuracy", margin=0.02)``, define what must
            be excluded. A GateDecision has its own.
        pairs : {"auto", "leader", "different", "all"}, default="auto"
            Selection of the pairs of several classifiers: all, those with the best one, or
            those with the largest differences. "auto" draws up to `most` pairs, and
            those with the best one where there are more. The picture states what it leaves
            out. With a control there are only pairs with that.
        most : int, default=20
            Largest number of pairs for "auto" and "different".
        alpha : float, optional
            Level of intervals of single results, and of tests that are run for the
            picture; 0.05 by default. A comparison has its own.
        measure : str or tuple, optional
            The comparison of a MultipleComparison to draw; by default the primary one.
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw on; a new figure by default.
        **options : dict
            `tests`, `alternative`, `adjust` and `pos_label` of tests that are run, where
            `result` has only predictions of a pair.

        Returns
        -------
        display : ForestDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If there is no difference to draw, or a margin for a measure without a row.
        """
        display = cls.of_result(
            result,
            margin=margin,
            pairs=pairs,
            most=most,
            alpha=alpha,
            measure=measure,
            **options,
        )
        return display.plot(ax=ax)

    @classmethod
    def _of(cls, result: Any, *, margin: Any = None, **options: Any) -> Self:
        source: Found = found_in(result, **options)
        if not source.rows:
            raise ValueError(
                "There is no difference to draw: the result has ratios, associations or "
                f"tests without direction only. {' '.join(source.remarks)}"
            )
        rows = with_margins(source.rows, margin)
        return cls(rows, source.alpha, source.adjust, source.sides, source.remarks)

    @property
    def summary(self) -> str:
        """Text summary of the main row and of the intervals on either side of 0."""
        main = next((row for row in self.rows if row.primary), self.rows[0])
        test = f" ({main.test}{self._pvalues(main)})" if main.test else " (no test)"
        intervals, right, left = self._beyond_null()
        left_side, right_side = self.sides
        return (
            f"{_counted(len(self.rows), 'difference')}{level_text(intervals)}; that of "
            f"{in_one_line(main.name)} is {interval_text(main)}{test}. Of "
            f"{_counted(len(intervals), 'interval')} {right} {_lies(right)} wholly where "
            f"the {right_side} is better, and {left} where the {left_side} is."
            f"{caveat_text(main)}{''.join(f' {remark}' for remark in self.remarks)}"
        )

    def _pvalues(self, row: IntervalRow) -> str:
        """Format the p-value of a row, and the adjusted p-value if there is one."""
        if row.pvalue is None:
            return ""
        text = f", p {format_pvalue(row.pvalue, self.alpha)}"
        if row.adjusted_pvalue is None or self.adjust == "none":
            return text
        return f"{text}, by {self.adjust} {format_pvalue(row.adjusted_pvalue, self.alpha)}"

    def _panel(self, names: Sequence[str], rows: Sequence[IntervalRow], unit: str) -> Lines:
        quantity = "difference of scores" if unit == SHARES else unit
        is_gain = unit.startswith("gain in ")
        left, right = self.sides
        return self._lines(
            names,
            rows,
            "gain" if is_gain else "difference",
            quantity if is_gain else f"{quantity}, {right} less {left}",
            title="Differences of scores" if unit == SHARES else unit,
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _lies(number: int) -> str:
    return "lies" if number == 1 else "lie"
