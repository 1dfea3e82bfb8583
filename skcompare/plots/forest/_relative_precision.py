"""Forest plot of the precision ratios of two classifiers, class by class."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare._core.validation import check_alpha
from skcompare.plots._base import check_options, comparison_behind
from skcompare.plots._interval_rows import (
    IntervalRow,
    caveat_text,
    interval_text,
    level_text,
    names_of,
    pvalue_cells,
    test_text,
)
from skcompare.plots._run_tests import OF_TESTS, RATIOS, PairTests, refuse_options
from skcompare.plots.forest._forest_rows import (
    by_class,
    ratios_of_classes,
    ratios_of_comparison,
    ratios_of_results,
)
from skcompare.plots.forest._interval_axes import IntervalDisplay, Lines
from skcompare.predictions import LABELS, PairedPredictions
from skcompare.stats import PrecisionByClass

COLUMNS = (
    "name",
    "measure",
    "test",
    "champion",
    "challenger",
    "estimate",
    "low",
    "high",
    "level",
    "alternative",
    "pvalue",
    "adjusted_pvalue",
    "flags",
    "note",
)
MARKERS = ("s", "o", "D", "^", "v", "P")
"""Markers of the tests, in the order of their appearance."""


class RatioTests(PairTests):
    """Ratio tests of a pair of classifiers, which need labels only."""

    required = frozenset({LABELS})


@dataclass(eq=False, repr=False)
class RelativePrecisionDisplay(IntervalDisplay):
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

    needs = RatioTests
    null = 1.0
    in_frame = COLUMNS

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
        return cls._drawn(cls.of_result(result, alpha=alpha, **options), ax)

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
        display : RelativePrecisionDisplay
            Its `frame()` needs no matplotlib.
        """
        check_options(cls, options, (*OF_TESTS, "alpha"))
        test_options = {name: options.pop(name) for name in OF_TESTS if name in options}
        level = options.pop("alpha", None)
        alpha = 0.05 if level is None else check_alpha(level)
        if isinstance(result, PairedPredictions):
            tests = RatioTests.from_pair(result, kind="ratio", alpha=alpha, **test_options)
            return cls._of(tests)
        refuse_options(result, test_options, level)
        return cls._of(result, alpha=alpha)

    @classmethod
    def _of(cls, result: Any, alpha: float = 0.05) -> Self:
        holder = comparison_behind(result)
        if isinstance(holder, PairTests):
            return cls(by_class(holder.rows), holder.alpha, holder.adjust)
        if isinstance(holder, PrecisionByClass):
            return cls(*ratios_of_classes(holder))
        if hasattr(holder, "rows") and hasattr(holder, "conclusion"):
            return cls(*ratios_of_comparison(holder))
        return cls(by_class(ratios_of_results(result, alpha)), alpha)

    @property
    def summary(self) -> str:
        """Text summary of the first row, and of the intervals above and below 1."""
        first = self.rows[0]
        intervals = [row for row in self.rows if row.has_interval]
        above = sum(row.limits[0] > 1 for row in intervals)
        below = sum(row.limits[1] < 1 for row in intervals)
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

    def _panels(self) -> list[Lines]:
        names = names_of(self.rows)
        units = [unit for unit in RATIOS if any(row.unit == unit for row in self.rows)]
        panels = []
        for unit in units:
            places = [k for k, row in enumerate(self.rows) if row.unit == unit]
            panels.append(self._panel([names[k] for k in places], places, unit))
        return panels

    def _panel(self, names: Sequence[str], places: Sequence[int], unit: str) -> Lines:
        rows = [self.rows[k] for k in places]
        markers = _markers(self.rows)
        adjusted = any(row.adjusted_pvalue is not None for row in self.rows)
        header, columns = pvalue_cells(rows, self.alpha, self.adjust, adjusted)
        columns = [
            [interval_text(row, signed=False) for row in rows],
            [_change(row) for row in rows],
            [_precisions(row) for row in rows],
            *columns,
            [test_text(row) for row in rows],
        ]
        return Lines(
            names=names,
            estimates=[row.estimate for row in rows],
            limits=[row.limits for row in rows],
            cells=list(zip(*columns, strict=True)),
            header=[
                f"{unit}{level_text(rows)}",
                "change" if unit == RATIOS[0] else "of odds",
                "from → to",
                *header,
                "test",
            ],
            tested=[row.test is not None for row in rows],
            bold=[False] * len(rows),
            excluded=[()] * len(rows),
            title="",
            label=f"{unit}, challenger over champion (logarithmic)",
            sides=("← champion better", "challenger better →"),
            null=1.0,
            log=True,
            markers=[markers[row.test] for row in rows],
        )


def _markers(rows: Sequence[IntervalRow]) -> dict[str | None, str]:
    tests = list(dict.fromkeys(row.test for row in rows))
    return {test: MARKERS[k % len(MARKERS)] for k, test in enumerate(tests)}


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
