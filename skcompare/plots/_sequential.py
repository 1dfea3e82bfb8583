"""Display of the interim analyses of a growing stream of records."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import (
    decimals_for,
    format_number,
    format_pvalue,
    in_one_line,
    named_limits,
)
from skcompare._core.validation import alpha_of
from skcompare._typing import FloatArray, IntArray
from skcompare.plots.drawing._base import Display, checked_sides
from skcompare.plots.drawing._labels import records_axis, records_text
from skcompare.plots.drawing._layout import Room, legend_at
from skcompare.plots.drawing._style import (
    INK,
    LINE,
    SOFT,
    brief,
    dress,
    line_of_zero,
    percent,
)
from skcompare.plots.drawing._text import wrapped
from skcompare.stats import AnytimeMonitor

DRAWN = 300
"""Largest number of looks that are drawn; more would not be visible."""

LATE = 0.1
"""Share of the records below which intervals of looks may exceed the axes."""

ACCURACY = "difference in accuracy"

DRIFTED = (
    "The intervals have no value in common: the difference has changed with time, or one "
    "of them misses it"
)


@dataclass(eq=False, repr=False)
class AnytimeDisplay(Display, title="Interim analyses"):
    """Differences and p-values of the interim analyses of an anytime-valid test.

    The upper panel shows the difference of the records up to each look, with the interval
    of that look; the intervals cover the true difference at all looks together. The dashed
    lines are the intersection of all intervals so far. The lower panel shows the p-value of
    each look, small circles, and the smallest of all looks so far, a line. It is valid at
    any stopping time; where it crosses alpha, the question is decided, and a vertical line
    marks the number of records.

    The p-value of a usual test is not shown: it would be valid for a single look only, and
    a monitor keeps no records from which to compute it.

    Parameters
    ----------
    n : ndarray of shape (n_looks,)
        Records, or batches if these are the units, up to each look.
    estimate, low, high : ndarray of shape (n_looks,)
        Their mean difference and its interval.
    log_pvalue : ndarray of shape (n_looks,)
        Logarithm of each look's own p-value.
    null_value : float
        Difference under the null hypothesis.
    confidence_level : float
        Level of all intervals together; alpha is 1 minus it.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    bound : float
        The largest possible difference.
    measure : str
        Name of the estimate.
    unit : {"record", "batch"}
        What `n` counts.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.AnytimeMonitor : The monitor that is drawn.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.plots import AnytimeDisplay
    >>> from skcompare.stats import AnytimeMonitor
    >>> monitor = AnytimeMonitor(alternative="greater")
    >>> for counts in [(80, 3, 9, 8), (84, 2, 10, 4), (79, 4, 12, 5)]:
    ...     look = monitor.update(ContingencyTable(*counts))
    >>> display = AnytimeDisplay.of_result(monitor)
    >>> display.decided_at
    200
    >>> display.frame()[["n", "smallest_pvalue"]].round(4)
         n  smallest_pvalue
    0  100           0.3660
    1  200           0.0317
    2  300           0.0051
    """

    n: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    log_pvalue: FloatArray
    null_value: float = 0.0
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    bound: float = 1.0
    measure: str = ACCURACY
    unit: str = "record"

    @classmethod
    def from_result(
        cls,
        result: AnytimeMonitor,
        *,
        names: tuple[str, str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot the looks of a monitor.

        Parameters
        ----------
        result : AnytimeMonitor
            A monitor with at least one look.
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.
        ax : matplotlib Axes or sequence of two Axes, optional
            Axes to draw on; a new figure by default.

        Returns
        -------
        display : AnytimeDisplay
            The display, drawn.
        """
        return cls.of_result(result, names=names).plot(ax=ax)

    @classmethod
    def of_result(
        cls, result: AnytimeMonitor, *, names: tuple[str, str] | None = None
    ) -> Self:
        """Create the display from a monitor, without drawing it.

        Parameters
        ----------
        result : AnytimeMonitor
            A monitor with at least one look.
        names : tuple of str, optional
            Names of both models in the picture, instead of champion and challenger.

        Returns
        -------
        display : AnytimeDisplay
            Its `frame()` needs no matplotlib.

        Raises
        ------
        TypeError
            If it is not a monitor.
        ValueError
            If the monitor has no look yet.
        """
        if not isinstance(result, AnytimeMonitor):
            raise TypeError(
                f"`result` must be an AnytimeMonitor. Got {type(result).__name__}. Make "
                "one, and give it batches by `update`."
            )
        if not result.history:
            raise ValueError(
                "The monitor has seen no records, so there is nothing to draw. Call "
                "`update` with the first batch."
            )
        n, estimate, low, high, _, log_pvalue = (
            np.array(column) for column in zip(*result.history)
        )
        of_counts = result.test == "anytime_mcnemar"
        bound = 1.0 if of_counts else float(result.bound or math.inf)
        measure = ACCURACY if of_counts else f"mean gain in {result.loss}"
        question = result.null_value, result.confidence_level, result.alternative
        about = bound, measure, result.unit
        display = cls(n, estimate, low, high, log_pvalue, *question, *about)
        display.sides = checked_sides(names)
        return display

    @property
    def alpha(self) -> float:
        """Significance level, below which a p-value is decisive."""
        return alpha_of(self.confidence_level)

    @property
    def decided_at(self) -> int | None:
        """Number of records at the first decisive look, or None."""
        below = np.flatnonzero(self.log_pvalue < math.log(self.alpha))
        return int(self.n[below[0]]) if len(below) else None

    @property
    def smallest(self) -> FloatArray:
        """Logarithm of the smallest p-value up to each look."""
        return np.minimum.accumulate(self.log_pvalue)

    def _sentences(self) -> list[str]:
        """Return sentences on the last look and the first decisive look."""
        last = math.exp(max(-700.0, self.smallest[-1]))
        looks = "1 look" if len(self.n) == 1 else f"{len(self.n)} looks"
        sentences = [
            f"After {looks} at {self._units_text(self.n[-1])} the "
            f"{in_one_line(self.measure)} is "
            f"{format_number(self.estimate[-1], self._decimals, signed=True)}, "
            f"{self._interval()}, and "
            f"the smallest p-value of all looks is {format_pvalue(last, self.alpha)}",
            self._decision_text(),
        ]
        return [*sentences, DRIFTED] if self.drifted else sentences

    def _units_text(self, number: Any) -> str:
        """Format a number of records, or of batches."""
        text = records_text(number)
        if self.unit == "record":
            return text
        return text.replace("records", "batches").replace("record", "batch")

    @property
    def _decimals(self) -> int:
        """Number of decimals of the last look."""
        return decimals_for(self.estimate[-1], self.low[-1], self.high[-1], least=4)

    def _interval(self) -> str:
        """Format the interval of the last look, or its one-sided limit."""
        ends = self.low[-1], self.high[-1]
        name, limits = named_limits(self.alternative, ends, self._decimals)
        return f"{percent(self.confidence_level)} {name} of the last look {limits}"

    @property
    def drifted(self) -> bool:
        """Whether the intervals of all looks have no value in common."""
        return bool(self.low.max() > self.high.min())

    def _decision_text(self) -> str:
        null = f" for a difference of {self.null_value:g}" if self.null_value else ""
        if self.decided_at is None:
            return f"Not decided: p{null} was never below {self.alpha:g}"
        at = self._units_text(self.decided_at)
        return f"Decided after {at}: p{null} below {self.alpha:g}"

    def _room(self) -> Room:
        height = 6.1 if self.drifted else 5.8
        return Room(width=6.4, height=height, heights=(1.5, 1.0), together="x")

    def _drawn_looks(self) -> IntArray:
        """Return the indices of the looks to draw, including the first decisive one."""
        if len(self.n) <= DRAWN:
            return np.arange(len(self.n))
        spaced = np.linspace(0, len(self.n) - 1, DRAWN).round().astype(np.int64)
        decisive = np.searchsorted(self.n, [self.decided_at or self.n[-1]])
        return np.union1d(spaced, decisive)

    def _draw(self, ax: Any, below: Any) -> None:
        at = self._drawn_looks()
        self._draw_differences(ax, at)
        self._draw_pvalues(below, at)
        for panel in (ax, below):
            if self.decided_at is not None:
                panel.axvline(self.decided_at, color=INK, lw=1, ls=(0, (1, 2)))
        side = (
            "" if self.alternative == "two-sided" else f", alternative {self.alternative}"
        )
        title = [
            self._decision_text(),
            f"{percent(self.confidence_level)} intervals that hold at all looks "
            f"together{side}",
        ]
        if self.drifted:
            title += wrapped([DRIFTED], 66)
        ax.set_title("\n".join(title), color=INK, fontsize="medium")

    def _draw_differences(self, ax: Any, at: IntArray) -> None:
        n, low, high = self.n[at], self.low[at], self.high[at]
        few = len(at) <= 40
        ax.fill_between(n, low, high, color=LINE, lw=0, zorder=1)
        for limits in (low, high):
            ax.plot(n, limits, color=SOFT, lw=1)
        for common in (
            np.maximum.accumulate(self.low)[at],
            np.minimum.accumulate(self.high)[at],
        ):
            ax.step(n, common, where="post", color=INK, lw=1.2, ls="--")
        mark = "o" if few else None
        ax.plot(n, self.estimate[at], color=INK, lw=2, marker=mark, ms=4)
        line_of_zero(ax, self.null_value, vertical=False)
        dress(ax, grid="none")
        ax.set_ylim(*self._view())
        ax.tick_params(axis="x", labelbottom=False)
        name = brief(self.measure[:1].upper() + self.measure[1:])
        favour = "above 0: challenger better" if self.null_value == 0 else ""
        ax.set_ylabel(f"{name}\n{favour}".rstrip())

    def _view(self) -> tuple[float, float]:
        """Return the axis limits of the differences, ignoring early looks."""
        late = self.n >= LATE * self.n[-1]
        low, high = self.low[late], self.high[late]
        # A one-sided interval extends to the bound, which need not be visible.
        ends = [self.null_value, *self.estimate[late]]
        ends += [*low[low > -self.bound], *high[high < self.bound]]
        reach = 0.08 * (max(ends) - min(ends)) or 0.1
        return min(ends) - reach, max(ends) + reach

    def _draw_pvalues(self, ax: Any, at: IntArray) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator

        n, decade = self.n[at], math.log(10)
        ax.step(n, self.smallest[at] / decade, where="post", color=INK, lw=2)
        each: dict[str, Any] = {"color": SOFT, "marker": "o", "mfc": "none", "ls": "none"}
        dashed: dict[str, Any] = {"color": INK, "lw": 1.2, "ls": "--"}
        size = 4 if len(at) <= 40 else 2
        ax.plot(n, self.log_pvalue[at] / decade, ms=size, **each)
        level = math.log10(self.alpha)
        ax.axhline(level, **dashed)
        lowest = min(float(self.smallest[-1]) / decade, level)
        ax.set_ylim(1.12 * lowest, -0.06 * lowest)
        dress(ax, grid="y")
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        ax.yaxis.set_major_formatter(_power_of_ten)
        ax.set_ylabel(f"p-value\n(alpha {self.alpha:g} dashed)")
        records_axis(ax.xaxis, self.n, wide=math.inf)
        if self.unit != "record":
            ax.set_xlabel("Batches", color=INK)
        handles = [
            Line2D([], [], color=INK, lw=2, label="estimate; smallest p so far"),
            Patch(fc=LINE, ec=SOFT, lw=1, label="interval of each look"),
            Line2D([], [], label="p of each look", ms=4, **each),
            Line2D([], [], label="common to all intervals so far", **dashed),
        ]
        # Of both panels.
        legend_at(ax, -0.32, handles, ncols=2)

    def _columns(self) -> Mapping[str, Any]:
        return {
            "n": self.n.tolist(),
            "estimate": self.estimate.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "low_so_far": np.maximum.accumulate(self.low).tolist(),
            "high_so_far": np.minimum.accumulate(self.high).tolist(),
            "pvalue": np.exp(self.log_pvalue).tolist(),
            "smallest_pvalue": np.exp(self.smallest).tolist(),
        }


def _power_of_ten(value: float, _: Any = None) -> str:
    """Format a p-value given its decimal logarithm."""
    return f"{10**value:g}" if value >= -4 else f"1e{value:.0f}"
