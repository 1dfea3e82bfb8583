"""Forest plots of differences and of ratios, and their base class."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare._core.validation import check_alpha
from skcompare._registry.metrics import keywords_of
from skcompare.plots.drawing._base import ROLES, PairDisplay, check_options
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._text import text_below
from skcompare.plots.forest._forest_rows import Intervals, found_in, ratios_in, with_margins
from skcompare.plots.forest._interval_axes import (
    GOES_ON,
    Lines,
    column_widths,
    draw_lines,
    goes_on,
    names_width,
    room_of,
)
from skcompare.plots.forest._interval_rows import (
    RATIOS,
    SHARES,
    IntervalRow,
    caveat_text,
    conflict_remarks,
    flag_remarks,
    interval_text,
    level_remarks,
    level_text,
    names_of,
    note_remarks,
    pvalue_columns,
    test_text,
)
from skcompare.plots.forest._run_tests import HOLM, OF_TESTS, refuse_options, rows_of_tests
from skcompare.predictions import LABELS, SCORES, PairedPredictions, askable


class IntervalDisplay(Intervals, PairDisplay):
    """Base class of displays of intervals, in one or several panels with remarks below.

    A subclass shows estimates of one `kind`, which equal classifiers have at `null`, on a
    logarithmic axis with `log`. `not_in_frame` names fields of the rows that its frame
    leaves out, and `_panel` makes the panel of a unit by `_lines`.
    """

    kind: ClassVar[str] = "difference"
    null: ClassVar[float] = 0.0
    log: ClassVar[bool] = False
    not_in_frame: ClassVar[tuple[str, ...]]

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a result, without drawing it.

        Parameters
        ----------
        result : Comparison, PrecisionByClass, PairedResult or others
            As for :meth:`from_result`.
        **options : dict
            Options of :meth:`from_result`.

        Returns
        -------
        display : Display
            Its `frame()` needs no matplotlib.
        """
        check_options(cls, options, (*OF_TESTS, *cls._own_options()))
        test_options = {name: options.pop(name) for name in OF_TESTS if name in options}
        level = options.pop("alpha", None)
        alpha = 0.05 if level is None else check_alpha(level)
        if isinstance(result, PairedPredictions):
            rows = rows_of_tests(result, cls.kind, alpha=alpha, **test_options)
            result = Intervals(rows, alpha, test_options.get("adjust", HOLM))
        else:
            refuse_options(result, test_options, level)
        return cls._of(result, alpha=alpha, **options)

    @classmethod
    def _required_of(cls, *estimators: Any) -> frozenset[str]:
        # One without scores is compared by its labels.
        kinds = frozenset({LABELS, SCORES})
        return kinds.intersection(*(askable(estimator, kinds) for estimator in estimators))

    @classmethod
    def _evidence_options(cls) -> tuple[str, ...]:
        return OF_TESTS

    @classmethod
    def _own_options(cls) -> tuple[str, ...]:
        return tuple(name for name in keywords_of(cls.from_result) if name != "ax")

    @abstractmethod
    def _panel(self, names: Sequence[str], rows: Sequence[IntervalRow], unit: str) -> Lines:
        """Return the contents of the panel of a unit."""

    def _units(self) -> list[str]:
        """Return the units of the panels, from top to bottom."""
        return list(dict.fromkeys(row.unit for row in self.rows))

    def _panels(self) -> list[Lines]:
        """Return the contents of the panels, from top to bottom."""
        names, units = names_of(self.rows), self._units()
        panels = []
        for unit in units:
            places = [k for k, row in enumerate(self.rows) if row.unit == unit]
            rows = [self.rows[k] for k in places]
            panel = self._panel([names[k] for k in places], rows, unit)
            panels.append(panel if len(units) > 1 else replace(panel, title=""))
        return panels

    def _lines(
        self,
        names: Sequence[str],
        rows: Sequence[IntervalRow],
        quantity: str,
        label: str,
        columns: Mapping[str, list[str]] | None = None,
        **others: Any,
    ) -> Lines:
        """Return the contents of a panel of rows.

        `quantity` heads the estimates, and `columns` has text beside them by its header.
        """
        adjusted = any(row.adjusted_pvalue is not None for row in self.rows)
        texts = {
            f"{quantity}{level_text(rows)}": [
                interval_text(row, signed=not self.log) for row in rows
            ],
            **(columns or {}),
            **pvalue_columns(rows, self.alpha, self.adjust, adjusted),
            "test": [test_text(row) for row in rows],
        }
        left, right = self.sides
        return Lines(
            rows=rows,
            names=names,
            cells=list(zip(*texts.values(), strict=True)),
            header=list(texts),
            bold=[row.primary and len(self.rows) > 1 for row in rows],
            label=label,
            sides=(f"← {left} better", f"{right} better →"),
            null=self.null,
            log=self.log,
            **others,
        )

    def _beyond_null(self) -> tuple[list[IntervalRow], int, int]:
        """Return the rows with an interval, and the numbers of those above and below."""
        rows = [row for row in self.rows if row.has_interval]
        above = sum(row.limits[0] > self.null for row in rows)
        return rows, above, sum(row.limits[1] < self.null for row in rows)

    def _marks(self) -> list[str]:
        """Return remarks on the marks of the rows."""
        remarks = []
        if any(row.primary for row in self.rows) and len(self.rows) > 1:
            remarks.append("Bold: the primary measure, which the verdict is about.")
        claims = list(dict.fromkeys(row.claim for row in self.rows if row.claim))
        if claims:
            remarks.append(f"Hatched: must be excluded to show that {'; '.join(claims)}.")
        bands = dict.fromkeys(f"{row.band:g}" for row in self.rows if row.band is not None)
        if bands:
            remarks.append(
                f"Shaded: a difference of up to {' or '.join(bands)}, the margin."
            )
        return remarks

    def _room(self) -> Room:
        panels = self._panels()
        return room_of(panels, self._remarks(panels))

    def _draw(self, *axes: Any) -> None:
        panels = self._panels()
        widths = column_widths(panels)
        for ax, lines in zip(axes, panels, strict=True):
            draw_lines(ax, lines, widths)
        remarks = self._remarks(panels)
        text_below(axes[-1], remarks, room_of(panels, ()).width, names_width(panels))

    def _columns(self) -> Mapping[str, Any]:
        left_out = {"unit", "excluded", "short", *self.not_in_frame}
        names = [f.name for f in fields(IntervalRow) if f.name not in left_out]
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return columns | {"flags": [" ".join(flags) for flags in columns["flags"]]}

    def _remarks(self, panels: Sequence[Lines]) -> list[str]:
        """Return remarks on marks, omitted rows, intervals, notes and flags."""
        remarks = [*self.remarks, *self._marks()]
        if any(map(goes_on, panels)):
            remarks.append(GOES_ON)
        remarks += level_remarks(self.rows)
        remarks += conflict_remarks(self.rows, self.alpha, self.adjust, self.null)
        return [*remarks, *note_remarks(self.rows), *flag_remarks(self.rows)]


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
        source = found_in(result, **options)
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
        lie = "lies" if right == 1 else "lie"
        return (
            f"{_counted(len(self.rows), 'difference')}{level_text(intervals)}; that of "
            f"{in_one_line(main.name)} is {interval_text(main)}{test}. Of "
            f"{_counted(len(intervals), 'interval')} {right} {lie} wholly where "
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

    sides: tuple[str, str] = field(default=ROLES, init=False)

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
        text = (
            f"{_counted(len(self.rows), 'ratio')}, challenger over champion; that of "
            f"{in_one_line(first.name)} is {interval_text(first, signed=False)} "
            f"({test_text(first)}{p})."
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
