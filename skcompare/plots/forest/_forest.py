"""Forest plots of differences and of ratios: displays, their text and their axes.

One estimate and interval per row, with columns of text, in one panel or several.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_number,
    format_pvalue,
    in_one_line,
)
from skcompare._core.report import LOSS, OPEN, WIN, outcome_of
from skcompare._core.validation import check_alpha
from skcompare._registry.metrics import CLASSES, NUMBERS, keywords_of
from skcompare.plots.drawing._base import PairDisplay, check_options
from skcompare.plots.drawing._labels import distinct, marks_of
from skcompare.plots.drawing._layout import (
    LONGEST_SIDE,
    ROLES,
    SHORTEST_SIDE,
    Room,
    side_names,
    size_of,
)
from skcompare.plots.drawing._style import (
    CHAMPION,
    INK,
    LINE,
    OUTCOME_MARKS,
    SOFT,
    dress,
    literal,
    mark,
    percent,
    write,
)
from skcompare.plots.drawing._text import (
    REMARK,
    SIZE,
    SMALL,
    inches_of,
    remark_lines,
    text_below,
)
from skcompare.plots.forest._interval_rows import (
    OF_TESTS,
    RATIOS,
    SHARES,
    IntervalRow,
    Intervals,
    found_in,
    ratios_in,
    refuse_options,
    run_tests,
    with_margins,
)
from skcompare.predictions import LABELS, SCORES, PairedPredictions, askable


@dataclass(frozen=True, slots=True)
class Lines:
    """Content of a panel, row by row from top to bottom.

    `columns` has the text beside the rows by its header. Estimates and limits of the rows
    may be infinite or NaN, which is not drawn. `bold` marks the primary rows, and
    `outcomes` are wins of the challenger, losses, or neither.
    """

    rows: Sequence[IntervalRow]
    columns: Mapping[str, Sequence[str]]
    bold: Sequence[bool]
    label: str
    title: str = ""
    names: Sequence[str] = ()
    outcomes: Sequence[str] = ()


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
        source = result
        if isinstance(result, PairedPredictions):
            source = run_tests(result, cls.kind, alpha=alpha, **test_options)
        else:
            refuse_options(result, test_options, level)
        display = cls._of(source, alpha=alpha, **options)
        return display._named_by(result) if display.sides == ROLES else display

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
    def _panel(self, rows: Sequence[IntervalRow], unit: str) -> Lines:
        """Return the contents of the panel of a unit, without names."""

    def _units(self) -> list[str]:
        """Return the units of the panels, from top to bottom."""
        return list(dict.fromkeys(row.unit for row in self.rows))

    def _panels(self) -> list[Lines]:
        """Return the contents of the panels, from top to bottom."""
        named, units = list(zip(self.rows, names_of(self.rows))), self._units()
        panels = []
        for unit in units:
            rows, names = zip(*((row, name) for row, name in named if row.unit == unit))
            panel = replace(self._panel(rows, unit), names=names)
            panels.append(panel if len(units) > 1 else replace(panel, title=""))
        return panels

    def _lines(
        self,
        rows: Sequence[IntervalRow],
        quantity: str,
        label: str,
        columns: Mapping[str, list[str]] | None = None,
        **others: Any,
    ) -> Lines:
        """Return the contents of a panel of rows.

        `quantity` heads the estimates, and `columns` has text beside them by its header.
        """
        pvalues = {"p": [format_pvalue(row.pvalue, self.alpha) for row in rows]}
        is_adjusted = any(row.adjusted_pvalue is not None for row in self.rows)
        if is_adjusted and self.adjust != "none":
            cells = [format_pvalue(row.adjusted_pvalue, self.alpha) for row in rows]
            pvalues[adjusted_name(self.adjust)] = cells
        texts = {
            f"{quantity}{level_text(rows)}": [
                interval_text(row, signed=not self.log) for row in rows
            ],
            **(columns or {}),
            **pvalues,
            "test": [test_text(row) for row in rows],
        }
        bold = [row.primary and len(self.rows) > 1 for row in rows]
        outcomes = [self._outcome(row) for row in rows]
        return Lines(rows, texts, bold, label, outcomes=outcomes, **others)

    def _outcome(self, row: IntervalRow) -> str:
        """Outcome of a row by its adjusted p-value, but for claims about margins."""
        if row.claim or row.test is None:
            return ""
        adjusted = row.adjusted_pvalue
        pvalue = row.pvalue if row.primary or adjusted is None else adjusted
        return outcome_of(row.estimate, self.null, pvalue, self.alpha)

    def _beyond_null(self) -> tuple[list[IntervalRow], int, int]:
        """Return the rows with an interval, and the numbers of those above and below."""
        rows = [row for row in self.rows if row.has_interval]
        above = sum(row.limits[0] > self.null for row in rows)
        return rows, above, sum(row.limits[1] < self.null for row in rows)

    def _marks(self) -> list[str]:
        """Return remarks on the marks of the rows."""
        remarks = []
        outcomes = {self._outcome(row) for row in self.rows}
        left, right = (f"{side} better" for side in side_names(self.sides))
        labels = {WIN: right, LOSS: left, OPEN: "inconclusive"}
        signs = [f"{OUTCOME_MARKS[o][2]} {labels[o]}" for o in labels if o in outcomes]
        if signs:
            remarks.append(f"{', '.join(signs)} at {self.alpha:g}.")
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

    def _room_on(self, axes: Sequence[Any]) -> Room:
        panels = fitting(self._panels(), axes)
        return room_of(panels, self._remarks(panels))

    def _draw(self, *axes: Any) -> None:
        panels = fitting(self._panels(), axes)
        widths = column_widths(panels)
        for ax, lines in zip(axes, panels, strict=True):
            self._draw_lines(ax, lines)
            _write_columns(ax, lines, widths, self.sides)
        remarks = self._remarks(panels)
        text_below(axes[-1], remarks, room_of(panels, ()).width, names_width(panels))

    def _draw_lines(self, ax: Any, lines: Lines) -> None:
        """Draw one panel: rows, the line of no difference, and margins."""
        n = len(lines.rows)
        low, high = self._view(lines)
        if self.log:
            ax.set_xscale("log")
        ax.set_xlim(low, high)
        ax.set_ylim(n - 0.4, -0.6)
        dress(ax, grid="x")
        if self.log:
            _ratio_ticks(ax, low, high)
        else:
            # Labels such as -0.0005 have room beside each other.
            ax.locator_params(axis="x", nbins=TICKS)
        ax.spines["left"].set_visible(False)
        _margins(ax, lines, low, high)
        ax.plot([self.null] * 2, [-0.6, n - 0.4], color=INK, linewidth=1.0, zorder=1.5)
        for k in range(n):
            _row(ax, lines, k, low, high)
        ax.set_yticks(range(n), lines.names, fontsize=SIZE)
        ax.tick_params(axis="y", length=0, pad=8)
        for label, bold in zip(ax.get_yticklabels(), lines.bold):
            label.set_fontweight("bold" if bold else "normal")
        if lines.title:
            ax.set_title(lines.title, loc="left", fontsize=10.5, pad=22, color=INK)
        ax.set_xlabel(lines.label, fontsize=SIZE)

    def _view(self, lines: Lines) -> tuple[float, float]:
        """Return the axis limits, which leave out the ends of very long intervals."""
        scale = np.log if self.log else np.asarray
        with np.errstate(divide="ignore", invalid="ignore"):
            estimates = scale(np.array([row.estimate for row in lines.rows], dtype=float))
            limits = scale(np.array([row.limits for row in lines.rows], dtype=float))
        edges = [edge for row in lines.rows for part in row.excluded for edge in part]
        edges += [sign * row.band for row in lines.rows if row.band for sign in (-1, 1)]
        # Margins are always visible, because intervals are read against them.
        fixed = [float(scale(np.asarray(self.null))), *filter(math.isfinite, edges)]
        finite = estimates[np.isfinite(estimates)]
        with np.errstate(invalid="ignore"):
            halves = np.abs(limits - estimates[:, np.newaxis])
        positive = halves[np.isfinite(halves) & (halves > 0)]
        longest = WIDEST * float(np.median(positive)) if len(positive) else 0.0
        # A missing limit needs no more room than the other one.
        lengths = np.where(np.isfinite(halves), halves, halves[:, ::-1])
        reach = np.minimum(
            np.where(np.isfinite(lengths), lengths, 0.0), longest
        ) * np.array([-1, 1])
        near = estimates[:, np.newaxis] + reach
        visible = np.concatenate([finite, near[np.isfinite(near)], fixed])
        low, high = float(visible.min()), float(visible.max())
        room = 0.06 * (high - low) or 0.05
        low, high = low - room, high + room
        return (math.exp(low), math.exp(high)) if self.log else (low, high)

    def _goes_on(self, lines: Lines) -> bool:
        """Whether an interval or estimate extends beyond the axis."""
        low, high = self._view(lines)
        ends = [end for row in lines.rows for end in (*row.limits, row.estimate)]
        return any(end < low or end > high for end in ends)

    def _columns(self) -> Mapping[str, Any]:
        left_out = {"unit", "excluded", "short", *self.not_in_frame}
        names = [f.name for f in fields(IntervalRow) if f.name not in left_out]
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return columns | {"flags": [" ".join(flags) for flags in columns["flags"]]}

    def _remarks(self, panels: Sequence[Lines]) -> list[str]:
        """Return remarks on marks, omitted rows, intervals, notes and flags."""
        remarks = [*self.remarks, *self._marks()]
        if any(map(self._goes_on, panels)):
            remarks.append(GOES_ON)
        remarks += level_remarks(self.rows)
        remarks += conflict_remarks(self.rows, self.alpha, self.adjust, self.null)
        return [*remarks, *note_remarks(self.rows), *flag_remarks(self.rows)]


class ForestDisplay(IntervalDisplay, title="Differences with intervals"):
    """Forest plot of differences of models, with their confidence intervals.

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
    probabilities, those of the AUC and of the Brier score; of numbers those of
    :func:`~skcompare.compare`. `alternative`, `adjust` and `pos_label` are as for it.
    Arrays whose true values have fractions are numbers.

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
    targets = CLASSES, NUMBERS

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

    def _sentences(self) -> list[str]:
        """Return sentences on the main row and on the intervals on either side of 0."""
        main = next((row for row in self.rows if row.primary), self.rows[0])
        test = f" ({main.test}{self._pvalues(main)})" if main.test else " (no test)"
        intervals, right, left = self._beyond_null()
        return [
            f"{_counted(len(self.rows), 'difference')}{level_text(intervals)}; that of "
            f"{in_one_line(main.name)} is {interval_text(main)}{test}",
            f"{right} of {_counted(len(intervals), 'interval')} above 0, where "
            f"the challenger is better, and {left} below 0, where the champion is",
            *explain(main.flags),
            *(remark.removesuffix(".") for remark in self.remarks),
        ]

    def _pvalues(self, row: IntervalRow) -> str:
        """Format the p-value of a row, and the adjusted p-value if there is one."""
        if row.pvalue is None:
            return ""
        text = f", p {format_pvalue(row.pvalue, self.alpha)}"
        if row.adjusted_pvalue is None or self.adjust == "none":
            return text
        return f"{text}, by {self.adjust} {format_pvalue(row.adjusted_pvalue, self.alpha)}"

    def _panel(self, rows: Sequence[IntervalRow], unit: str) -> Lines:
        quantity = "difference of scores" if unit == SHARES else unit
        is_gain = unit.startswith("gain in ")
        return self._lines(
            rows,
            "gain" if is_gain else "difference",
            quantity if is_gain else f"{quantity}, challenger minus champion",
            title="Differences of scores" if unit == SHARES else unit,
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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

    def _sentences(self) -> list[str]:
        """Return sentences on the first row, and on the intervals above and below 1."""
        first = self.rows[0]
        intervals, above, below = self._beyond_null()
        p = "" if first.pvalue is None else f", p {format_pvalue(first.pvalue, self.alpha)}"
        sentences = [
            f"{_counted(len(self.rows), 'ratio')}, challenger over champion; that of "
            f"{in_one_line(first.name)} is {interval_text(first, signed=False)} "
            f"({test_text(first)}{p})"
        ]
        if intervals:
            sentences.append(
                f"{above} of {_counted(len(intervals), 'interval')} above 1, where the "
                f"challenger is better, and {below} below 1"
            )
        return [*sentences, *explain(first.flags)]

    def _units(self) -> list[str]:
        return [unit for unit in RATIOS if any(row.unit == unit for row in self.rows)]

    def _panel(self, rows: Sequence[IntervalRow], unit: str) -> Lines:
        change = "change" if unit == RATIOS[0] else "of odds"
        return self._lines(
            rows,
            unit,
            f"{unit}, challenger over champion (logarithmic)",
            columns={
                change: [_change(row) for row in rows],
                "from → to": [_precisions(row) for row in rows],
            },
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


BOLD = 1.12
"""Ratio of the widths of bold and normal text."""

ROW, HEAD = 0.3, 0.95
"""Heights in inches of a row, and of all else in a panel."""

TICKS = 6
"""Largest number of intervals between the ticks of a linear axis."""

PLOT = 3.4
"""Width in inches between the names and the columns of text."""

GOES_ON = "Arrow: the interval continues beyond the axis; the text has the limits."

LEAST_SCALE = 0.8
"""Share of its size to which text is scaled down before columns of it are left out."""

GAP = 0.16
"""Inches between columns of text."""

WIDEST = 6.0
"""Multiple of the median half-width beyond which an interval is cut by an arrow."""


def room_of(panels: Sequence[Lines], remarks: Sequence[str]) -> Room:
    """Compute the size of the figure from its panels, text and remarks."""
    width = names_width(panels) + PLOT + sum(column_widths(panels)) + 0.3
    heights = tuple(ROW * len(lines.rows) for lines in panels)
    text_height = HEAD * len(panels) + REMARK * len(remark_lines(remarks, width))
    return Room(width=width, height=sum(heights) + text_height + 0.2, heights=heights)


def fitting(panels: Sequence[Lines], axes: Sequence[Any]) -> list[Lines]:
    """Return the panels without the last columns, if axes are too narrow for all of them.

    The estimate and its interval stay. What is left may be scaled down, within limits.
    """
    most = size_of(axes)[0] / LEAST_SCALE
    kept, total = list(panels), len(panels[0].columns)
    for n in range(total, 0, -1):
        kept = [
            replace(lines, columns=dict(list(lines.columns.items())[:n]))
            for lines in panels
        ]
        if room_of(kept, ()).width <= most:
            break
    return kept


def names_width(panels: Sequence[Lines]) -> float:
    """Return the width in inches of the longest row name."""
    return max(inches_of(name) for lines in panels for name in lines.names) + 0.15


def column_widths(panels: Sequence[Lines]) -> list[float]:
    """Return the width in inches of each text column, common to all panels."""
    widths = [
        [
            max(
                inches_of(text) * (BOLD if bold and k == 0 else 1)
                for text, bold in zip([header, *cells], [False, *lines.bold], strict=True)
            )
            for k, (header, cells) in enumerate(lines.columns.items())
        ]
        for lines in panels
    ]
    return [max(column) + GAP for column in zip(*widths, strict=True)]


def _write_columns(
    ax: Any, lines: Lines, widths: Sequence[float], sides: Sequence[str]
) -> None:
    """Write the columns of text to the right of the axes, and what is above them."""
    x = GAP * 72
    of_row = {"xycoords": ("axes fraction", "data"), "fontsize": SIZE}
    above = {"xycoords": "axes fraction", "fontsize": SMALL, "color": SOFT}
    for k, (header, cells) in enumerate(lines.columns.items()):
        for row, text in enumerate(cells):
            weight = "bold" if lines.bold[row] and k == 0 else "normal"
            if text:
                write(ax, text, (1, row), (x, 0), fontweight=weight, **of_row)
        write(ax, header, (1, 1), (x, 9), **above)
        x += 72 * widths[k]
    for longest in range(LONGEST_SIDE, SHORTEST_SIDE - 1, -1):
        left, right = (f"{name} better" for name in side_names(sides, longest))
        if inches_of(f"← {left}  {right} →", SMALL) <= PLOT:
            break
    write(ax, literal(f"← {left}"), (0, 1), (0, 9), ha="left", **above)
    write(ax, literal(f"{right} →"), (1, 1), (0, 9), ha="right", **above)


def _row(ax: Any, lines: Lines, k: int, low: float, high: float) -> None:
    """Draw an estimate and its interval, with arrows for ends beyond the axis."""
    estimate, ends = lines.rows[k].estimate, lines.rows[k].limits
    width = 2.4 if lines.bold[k] else 1.6
    outcome = lines.outcomes[k] if lines.outcomes else ""
    color, shape, _ = OUTCOME_MARKS.get(outcome, (CHAMPION, "s", ""))
    if not any(map(math.isnan, ends)):
        start, stop = max(ends[0], low), min(ends[1], high)
        ax.plot([start, stop], [k, k], color=color, linewidth=width, zorder=2.5)
        for end, beyond, edge, arrow in (
            (ends[0], ends[0] < low, low, "<"),
            (ends[1], ends[1] > high, high, ">"),
        ):
            if beyond:
                mark(ax, edge, k, arrow, 6, color, clip_on=False)
            else:
                ax.plot([end, end], [k - 0.14, k + 0.14], color=color, linewidth=width)
    if math.isnan(estimate):
        return
    if low <= estimate <= high:
        size = 8 if lines.bold[k] else 6.5
        face = "none" if lines.rows[k].test is None else color
        mark(ax, estimate, k, shape, size, color, markerfacecolor=face, clip_on=False)
    elif math.isnan(ends[0]):
        edge, arrow = (low, "<") if estimate < low else (high, ">")
        mark(ax, edge, k, arrow, 7, color, clip_on=False)


def _margins(ax: Any, lines: Lines, low: float, high: float) -> None:
    """Draw margins as shaded bands, and excluded regions as hatched areas."""
    from matplotlib.patches import Rectangle

    for k, row in enumerate(lines.rows):
        band = row.band
        if band is not None:
            place = (-band, k - 0.5), 2 * band, 1.0
            ax.add_patch(Rectangle(*place, fc=LINE, alpha=0.6, zorder=0.5, lw=0))
            for edge in (-band, band):
                _edge(ax, edge, k, 0.5)
        for start, stop in row.excluded:
            left, right = max(start, low), min(stop, high)
            place = (left, k - 0.42), right - left, 0.84
            ax.add_patch(
                Rectangle(*place, fc="none", ec=LINE, hatch="////", lw=0, zorder=0.5)
            )
            for edge in (start, stop):
                if math.isfinite(edge):
                    _edge(ax, edge, k, 0.42)


def _edge(ax: Any, at: float, row: int, half: float) -> None:
    ax.plot([at, at], [row - half, row + half], color=SOFT, linewidth=1.2, linestyle=":")


def _ratio_ticks(ax: Any, low: float, high: float) -> None:
    """Set the ticks of a ratio axis as plain numbers, including 1."""
    from matplotlib.ticker import FixedLocator, NullLocator

    if high / low < 3:
        span = high - low
        raw = span / 5
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= raw)
        ticks = 1 + step * np.arange(math.ceil((low - 1) / step), (high - 1) // step + 1)
    else:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps: tuple[float, ...] = (1, 1.5, 2, 3, 5, 7)
        if high / low >= 20:
            steps = (1, 2, 5) if high / low < 200 else (1,)
        power_step = max(1, len(powers) // 7)
        # Powers are skipped symmetrically around 1.
        ticks = np.array(
            [m * 10.0**p for p in powers for m in steps if p % power_step == 0]
        )
    ticks = ticks[(ticks >= low) & (ticks <= high)]
    ax.xaxis.set_major_locator(FixedLocator(ticks.tolist()))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks.tolist(), [f"{tick:g}" for tick in np.round(ticks, 6)])


LONGEST = 44
"""Largest number of characters of the name of a row."""

NAMED = 3
"""Largest number of rows that a remark names; more are counted."""


def names_of(rows: Sequence[IntervalRow], longest: int = LONGEST) -> list[str]:
    """Return the short name of each row, with a superscript number for each flag."""
    names = [row.short or row.name for row in rows]
    unique = list(dict.fromkeys(names))
    short = dict(zip(unique, distinct(unique, longest)))
    marks = _marks(rows)
    return [
        f"{short[name]} {' '.join(marks[flag] for flag in row.flags)}".rstrip()
        for name, row in zip(names, rows)
    ]


def interval_text(row: IntervalRow, *, signed: bool = True) -> str:
    """Format the estimate with its interval or one-sided limit."""
    low, high = row.limits
    edges = [edge for part in row.excluded for edge in part if math.isfinite(edge)]
    beside = (0.0 if signed else 1.0, *edges)
    decimals = decimals_for(row.estimate, low, high, beside=beside)
    estimate = _number(row.estimate, decimals, signed)
    if math.isnan(row.estimate):
        return "undefined"
    if not row.has_interval:
        return estimate
    ends = [_number(limit, decimals, False) for limit in (low, high)]
    if row.alternative == "greater":
        return f"{estimate} (≥ {ends[0]})"
    if row.alternative == "less":
        return f"{estimate} (≤ {ends[1]})"
    return f"{estimate} [{ends[0]}, {ends[1]}]"


def _number(value: float, decimals: int, signed: bool) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return format_number(value, decimals, signed=signed)


def level_text(rows: Sequence[IntervalRow]) -> str:
    """Format the level and kind of the intervals for the column header."""
    with_interval = [row for row in rows if row.has_interval]
    if not with_interval:
        return ""
    levels = {round(row.level, 9) for row in with_interval if row.level is not None}
    level = f"{percent(levels.pop())} " if len(levels) == 1 else ""
    sides = {row.alternative for row in with_interval}
    if len(sides) == 1:
        return f" [{level}interval]" if sides == {"two-sided"} else f", {level}limit"
    return ", limits"


def adjusted_name(adjust: str) -> str:
    """Name the p-values that are adjusted by a method, which may be unknown."""
    return f"p ({adjust})" if adjust else "adjusted p"


def test_text(row: IntervalRow) -> str:
    """Return the name of the test of a row, or a note that there is no test."""
    if row.test is not None:
        return row.test
    return "no test" if "was requested" in row.note else "no valid test"


def level_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return a remark on the confidence levels of the intervals if these differ."""
    # The claims of a gate's conditions state their levels.
    names_by_level = _names_by(
        (percent(row.level), row.name)
        for row in rows
        if row.has_interval and row.level is not None and not row.claim
    )
    if len(names_by_level) < 2:
        return []
    parts = (f"{level} of {names}" for level, names in names_by_level.items())
    return [f"Levels of the intervals: {'; '.join(parts)}."]


def conflict_remarks(
    rows: Sequence[IntervalRow], alpha: float, adjust: str, null: float
) -> list[str]:
    """Return a remark on conflicts between intervals and adjusted p-values, if any."""
    conflicts = [
        row
        for row in rows
        if row.adjusted_pvalue is not None
        and not math.isnan(row.adjusted_pvalue)
        and row.has_interval
        and not row.claim
        and (row.adjusted_pvalue < alpha) != (row.limits[0] > null or row.limits[1] < null)
    ]
    pvalue = adjusted_name(adjust)
    single = [
        row for row in conflicts if row.level is None or row.level <= 1 - alpha + 1e-9
    ]
    if single:
        return [f"An interval is of its row alone, as p is; {pvalue} is of several rows."]
    if not any(row.adjusted_pvalue < alpha for row in conflicts):  # type: ignore[operator]
        return []
    return [
        f"The intervals hold all together, which takes more than {pvalue}: one may have "
        f"{null:g} in it although {pvalue} is below {alpha:g}."
    ]


def flag_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return the explanation of each flag, preceded by its superscript number."""
    marks = _marks(rows)
    return [f"{mark} {caveat}." for mark, caveat in zip(marks.values(), explain(marks))]


def note_remarks(rows: Sequence[IntervalRow]) -> list[str]:
    """Return the distinct notes, each with the names of the rows concerned."""
    names_by_note = _names_by((row.note, row.name) for row in rows if row.note)
    return [f"{names}: {note}." for note, names in names_by_note.items()]


def _names_by(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each key to its names, or to their number if there are many."""
    groups: dict[str, dict[str, None]] = {}
    for key, name in pairs:
        groups.setdefault(key, {})[name] = None
    return {
        key: ", ".join(names) if len(names) <= NAMED else f"{len(names)} rows"
        for key, names in groups.items()
    }


def _marks(rows: Sequence[IntervalRow]) -> dict[str, str]:
    return marks_of([flag for row in rows for flag in row.flags])
