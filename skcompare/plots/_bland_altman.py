"""Display of the agreement of two regressors by Bland and Altman."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from skcompare._core.formatting import (
    decimals_for,
    format_interval,
    format_number,
    format_pvalue,
    in_one_line,
)
from skcompare._core.validation import check_confidence_level, check_count
from skcompare._typing import FloatArray
from skcompare.evidence import AgreementMoments
from skcompare.plots._numbers_display import (
    NumbersDisplay,
    axis_text,
    is_wide,
    number_of,
    short,
    thinned,
    usual_range,
    why_no_limits,
)
from skcompare.plots.drawing._labels import count_text, records_text
from skcompare.plots.drawing._layout import Room, down_from, named
from skcompare.plots.drawing._style import INK, SOFT, dress, line_of_zero, literal, percent
from skcompare.plots.drawing._text import wrapped
from skcompare.predictions import PairedPredictions
from skcompare.stats import bland_altman

LINE = 84
"""Characters of a line below the panel."""

STEPS = 50
"""Points of a line that is straight on a linear axis."""

Estimate = tuple[float, float, float, float]
"""Estimate, its limits and its p-value."""


@dataclass(eq=False, repr=False)
class BlandAltmanDisplay(NumbersDisplay, title="Agreement of the predictions"):
    """Differences of two predictions of a record against their mean (Bland and Altman).

    How far apart are the predictions of two regressors, and does this depend on the size
    of the number? No true number is needed: it shows how often a challenger would change
    a prediction, and by how much, not which of both is right. A point is a record, above 0
    where the challenger predicts more. The lines are the mean difference, the limits of
    agreement between which a share of the differences is, and the least squares line, the
    first two with bands of their intervals.

    Parameters
    ----------
    x, values : ndarray of shape (n_drawn,)
        The mean of both predictions of each drawn record, and the challenger's prediction
        minus the champion's.
    difference, lower_limit, upper_limit, slope, concordance : tuple of float
        Each estimate with its limits and p-value: the mean difference, the limits of
        agreement, the slope of the least squares line, and the concordance correlation.
        Without an interval limits are infinite.
    centre : float
        Mean of both predictions of all records.
    view : tuple of float
        Range of differences that is drawn; those beyond it are at its edges.
    beyond : tuple of two int
        Records below and above it.
    span : tuple of float
        Least and greatest mean of both predictions of a record.
    logarithmic : bool
        Whether the axis of the mean is logarithmic.
    names : tuple of str
        Champion and challenger.
    quantity : str
        Name of the target; may be empty.
    n : int
        Predictions.
    coverage, confidence_level : float
        Share of the differences between the limits of agreement, and level of the
        intervals.
    why_no_band : str
        Reason why there are no intervals; empty if there are.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.bland_altman : The numbers, and what they assume.
    GainByRecordDisplay : Gains of records, where the truth is known.

    Notes
    -----
    The constructors take these options:

    coverage : float, default=0.95
        Share of the differences between the limits of agreement.
    method : {"exact", "approximate"}, default="exact"
        Intervals of the limits of agreement.
    most : int, default=300
        Largest number of points.
    quantity : str, default=""
        Name of the target with its unit, for the axes.
    confidence_level : float, default=0.95
        Level of the intervals.

    ``from_predictions(None, champion, challenger)`` takes predictions without true numbers.
    Of more than `most` records a tenth of the points are those farthest from the mean
    difference, and the others are equally spaced in the order of the mean. Predictions of
    several splits, and for groups of records, have no intervals, because their differences
    are not independent.

    Examples
    --------
    >>> from skcompare.plots import BlandAltmanDisplay
    >>> old, new = [494, 395, 516, 434, 476], [512, 430, 520, 428, 500]
    >>> display = BlandAltmanDisplay.from_predictions(None, old, new, quantity="l/min")
    >>> frame = display.frame().query("kind == 'estimate'")
    >>> frame[["name", "value", "low", "high"]].round(1)
              name  value   low   high
    5   difference   15.0  -5.1   35.1
    6  lower_limit  -16.8 -81.9    0.0
    7  upper_limit   46.8  30.0  111.9
    8        slope   -0.1  -0.7    0.6
    9  concordance    0.9   0.4    1.0
    """

    x: FloatArray
    values: FloatArray
    difference: Estimate
    lower_limit: Estimate
    upper_limit: Estimate
    slope: Estimate
    concordance: Estimate
    centre: float
    view: tuple[float, float]
    beyond: tuple[int, int]
    span: tuple[float, float]
    logarithmic: bool
    names: tuple[str, str]
    quantity: str
    n: int
    coverage: float
    confidence_level: float
    why_no_band: str

    @classmethod
    def _of(
        cls,
        pair: PairedPredictions,
        *,
        coverage: float = 0.95,
        method: Literal["exact", "approximate"] = "exact",
        most: int = 300,
        quantity: str = "",
        confidence_level: float = 0.95,
    ) -> Self:
        level, why = check_confidence_level(confidence_level), why_no_limits(pair)
        if pair.predictions.groups is not None:
            why = why or "the records of a group depend on each other"
        check_count("most", most, least=10)
        moments = AgreementMoments.from_pair(pair)
        result = bland_altman(
            moments, coverage=coverage, method=method, confidence_level=level
        )
        estimates = {name: tuple(own) for name, own in result.estimates.items()}
        if why:
            unknown = -math.inf, math.inf, math.nan
            estimates = {name: (own[0], *unknown) for name, own in estimates.items()}
        x, _ = number_of(pair, "prediction", quantity)
        first, second = (np.asarray(role.values, dtype=np.float64) for role in pair.roles)
        values = second - first
        order = np.lexsort((values, x))
        drawn = order[thinned(values[order] - result.difference.estimate, most)]
        low, high = usual_range(values)
        view = (
            min(low, result.lower_limit.estimate),
            max(high, result.upper_limit.estimate),
        )
        beyond = int((values < view[0]).sum()), int((values > view[1]).sum())
        names = tuple(str(role.name) for role in pair.roles)
        numbers: Any = estimates | {"names": names}
        return cls(
            x=x[drawn],
            values=values[drawn],
            centre=float(moments.means[:2].mean()),
            view=view,
            beyond=beyond,
            span=(float(x.min()), float(x.max())),
            logarithmic=is_wide(x),
            quantity=quantity,
            n=len(x),
            coverage=coverage,
            confidence_level=level,
            why_no_band=why,
            **numbers,
        )

    def _text_of(self, estimate: Estimate, least: int = 2, *, test: str = "") -> str:
        """Return an estimate with its interval and p-value."""
        value, low, high, pvalue = estimate
        if math.isnan(value):
            return "undefined"
        limits = [end for end in (low, high) if math.isfinite(end)]
        decimals = decimals_for(value, *(limits or [value]), beside=(0.0,), least=least)
        text = format_number(value, decimals, signed=bool(test))
        if not self.why_no_band and len(limits) == 2:
            text += f" {format_interval(limits, decimals)}"
        known = test and not math.isnan(pvalue) and not self.why_no_band
        return f"{text}, p = {format_pvalue(pvalue)}" if known else text

    def _lines(self) -> list[str]:
        """Return lines of text on the estimates."""
        share = percent(self.coverage)
        unit = f" of {in_one_line(self.quantity)}" if self.quantity else ""
        interval = f", with {percent(self.confidence_level)} intervals"
        interval = f". No intervals: {self.why_no_band}" if self.why_no_band else interval
        lines = [
            f"Challenger − champion{unit}, {records_text(self.n)}{interval}",
            f"Solid line: mean difference {self._text_of(self.difference, test='t')}",
            f"Dashed lines: {share} of the differences are from "
            f"{self._text_of(self.lower_limit)} to {self._text_of(self.upper_limit)}, if "
            "they are normal",
            f"Dotted line: slope on the mean {self._text_of(self.slope, 3, test='t')}",
            f"Concordance correlation {self._text_of(self.concordance, 3)}",
        ]
        if len(self.x) < self.n:
            lines.append(f"{count_text(len(self.x))} of {records_text(self.n)} are drawn")
        for count, edge, side in zip(self.beyond, self.view, ("below", "above")):
            if count:
                end = short(edge, 3, signed=True)
                lines.append(f"Triangles: {records_text(count)} {side} {end}")
        return lines

    def _sentences(self) -> list[str]:
        return self._lines()

    def _text(self) -> list[str]:
        lines = [named(line, self.sides) for line in self._lines()]
        lines = [literal(line).replace("p = ", "p\xa0=\xa0") for line in lines]
        return wrapped([f"{line}." for line in lines], LINE)

    def _room(self) -> Room:
        return Room(width=7.6, height=4.1 + 0.19 * len(self._text()))

    def _draw(self, ax: Any) -> None:
        low, high = self.view
        reach = 0.06 * (high - low)
        ax.set_ylim(low - reach, high + reach)
        if self.logarithmic:
            ax.set_xscale("log")
        self._draw_lines(ax)
        inside = (self.values >= low) & (self.values <= high)
        points = {"ls": "none", "mew": 0.7, "alpha": 0.6, "color": INK}
        ax.plot(
            self.x[inside], self.values[inside], marker="o", ms=3.4, mfc="none", **points
        )
        for side, edge, marker in (
            (self.values < low, low, "v"),
            (self.values > high, high, "^"),
        ):
            ax.plot(self.x[side], np.full(side.sum(), edge), marker=marker, ms=5, **points)
        dress(ax)
        label = f"Mean prediction of {self.quantity}" if self.quantity else ""
        ax.set_xlabel(axis_text(label or "Mean of both predictions"))
        ax.set_ylabel("Challenger − champion\n← champion more   challenger more →")
        style = {"transform": down_from(ax), "color": INK, "linespacing": 1.35}
        ax.text(0.0, 0.0, "\n".join(self._text()), va="top", **style)

    def _draw_lines(self, ax: Any) -> None:
        """Draw the mean difference, the limits of agreement and the slope."""
        line_of_zero(ax, vertical=False)
        lines = (
            (self.difference, INK, "-"),
            (self.lower_limit, SOFT, "--"),
            (self.upper_limit, SOFT, "--"),
        )
        for (value, low, high, _), colour, style in lines:
            if not self.why_no_band and np.isfinite([low, high]).all():
                ends = np.clip([low, high], *ax.get_ylim())
                ax.axhspan(*ends, color=colour, alpha=0.14, lw=0)
            ax.axhline(value, color=colour, ls=style, lw=1.8)
        slope = self.slope[0]
        if math.isfinite(slope) and self.span[1] > self.span[0]:
            space = np.geomspace if self.logarithmic else np.linspace
            x = space(*self.span, STEPS)
            y = self.difference[0] + slope * (x - self.centre)
            ax.plot(x, y, color=SOFT, ls=":", lw=2)

    def _columns(self) -> Mapping[str, Any]:
        names = "difference", "lower_limit", "upper_limit", "slope", "concordance"
        rows = [("record", "", x, y, np.nan, np.nan, np.nan) for x, y in self._points()]
        rows += [("estimate", name, np.nan, *getattr(self, name)) for name in names]
        columns = "kind", "name", "x", "value", "low", "high", "pvalue"
        return dict(zip(columns, zip(*rows)))

    def _points(self) -> list[tuple[float, float]]:
        return list(zip(self.x.tolist(), self.values.tolist()))
