"""Precisions of a champion and a challenger as ratios, class by class."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from skcompare._core.formatting import format_number, format_pvalue, in_one_line
from skcompare._core.validation import check_alpha
from skcompare.plots._base import check_options, comparison_behind
from skcompare.plots._interval_rows import (
    IntervalRow,
    caveat_words,
    interval_words,
    level_words,
    names_of,
    pvalue_cells,
    words_of_test,
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
"""One for each test, in the order in which they come."""


class RatioTests(PairTests):
    """Tests of ratios of one pair, which need labels only."""

    wanted = frozenset({LABELS})


@dataclass(eq=False, repr=False)
class RelativePrecisionDisplay(IntervalDisplay):
    """By which factor are the challenger's answers of each class more often right?

    A row is the precision of the challenger over that of the champion for one class, with
    its interval, on a logarithmic axis, so that a half is as far from 1 as the double. It
    has the form of Figure 2 of [1]_. Rows of one class by several tests stand together,
    each test with a mark of its own.

    It is made by its constructors.

    Parameters
    ----------
    rows : tuple of IntervalRow
        What is drawn, from top to bottom.
    alpha : float, default=0.05
        Level of the tests.
    adjust : str, default=""
        How the p-values were adjusted.
    remarks : tuple of str
        Sentences about the rows, which are written below the picture.

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
    A class that a classifier never answers has no precision: its ratio is undefined, and a
    remark says who is silent. A precision of 0 makes the ratio 0 or infinite, which is an
    arrow at the end of the axis. Odds ratios have a panel of their own, because they are
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
        """Draw what was found already.

        Parameters
        ----------
        result : Comparison, fitted PairedComparator, PrecisionByClass, PairedResult, \
PairedPredictions, or list or dict
            Where the ratios come from. A comparison without a test of a ratio is asked for
            the answers behind it, whose classes are compared by
            :func:`~skcompare.stats.precision_by_class`.
        alpha : float, optional
            Level of the intervals of single results, and of tests that are run for the
            picture; 0.05 by default. A comparison has its own.
        ax : matplotlib Axes or sequence of Axes, optional
            Where to draw; a new figure by default.
        **options : dict
            `tests`, `alternative` and `adjust` of tests that are run, where `result` has
            answers of a pair only.

        Returns
        -------
        display : RelativePrecisionDisplay
            Drawn.

        Raises
        ------
        ValueError
            If there is no ratio to draw.
        """
        return cls._drawn(cls.of_result(result, alpha=alpha, **options), ax)

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """The display of what was found already, not drawn yet.

        Parameters
        ----------
        result : Comparison, PrecisionByClass, PairedResult or others
            As for :meth:`from_result`.
        **options : dict
            Those of :meth:`from_result`.

        Returns
        -------
        display : RelativePrecisionDisplay
            Its `frame()` needs no matplotlib.
        """
        check_options(cls, options, (*OF_TESTS, "alpha"))
        given = {name: options.pop(name) for name in OF_TESTS if name in options}
        level = options.pop("alpha", None)
        alpha = 0.05 if level is None else check_alpha(level)
        if isinstance(result, PairedPredictions):
            tested = RatioTests.from_pair(result, kind="ratio", alpha=alpha, **given)
            return cls._of(tested)
        refuse_options(result, given, level)
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
        """How many ratios are above and below 1, and the first row."""
        first = self.rows[0]
        known = [row for row in self.rows if row.has_interval]
        above = sum(row.limits[0] > 1 for row in known)
        below = sum(row.limits[1] < 1 for row in known)
        p = "" if first.pvalue is None else f", p {format_pvalue(first.pvalue, self.alpha)}"
        one = "1 ratio" if len(self.rows) == 1 else f"{len(self.rows)} ratios"
        words = (
            f"{one}, challenger over champion; that of {in_one_line(first.name)} is "
            f"{interval_words(first, signed=False)} ({words_of_test(first)}{p})."
        )
        if known:
            words += (
                f" Intervals that are wholly above 1, where the challenger is better: "
                f"{above} of {len(known)}, and below it: {below}."
            )
        return f"{words}{caveat_words(first)}"

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
            [interval_words(row, signed=False) for row in rows],
            [_change(row) for row in rows],
            [_both(row) for row in rows],
            *columns,
            [words_of_test(row) for row in rows],
        ]
        return Lines(
            names=names,
            estimates=[row.estimate for row in rows],
            limits=[row.limits for row in rows],
            cells=list(zip(*columns, strict=True)),
            header=[
                f"{unit}{level_words(rows)}",
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
    """A ratio as the percentage by which it is more or less; large ones as a factor."""
    ratio = row.estimate
    if math.isnan(ratio) or math.isinf(ratio):
        return ""
    if ratio >= 2:
        return f"× {ratio:.3g}"
    change = 100 * (ratio - 1)
    return f"{format_number(change, 1, signed=True)} %"


def _both(row: IntervalRow) -> str:
    """The precisions of champion and challenger."""
    if row.champion is None or row.challenger is None:
        return ""
    numbers = (row.champion, row.challenger)
    one, other = ("no answer" if math.isnan(x) else format_number(x) for x in numbers)
    return f"{one} → {other}"
