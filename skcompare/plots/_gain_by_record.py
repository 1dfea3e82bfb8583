"""Display of the gains of single records, with a running mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import in_one_line
from skcompare._core.validation import check_confidence_level, check_count
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots._numbers_display import (
    GainsDisplay,
    axis_text,
    gain_text,
    groups_in,
    is_wide,
    lines_of,
    number_of,
    short,
    thinned,
    usual_range,
    why_no_limits,
)
from skcompare.plots.drawing._labels import count_text, records_text
from skcompare.plots.drawing._layout import Room, down_from, legend_below
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    SOFT,
    brief,
    dress,
    line_of_zero,
    percent,
)
from skcompare.plots.drawing._text import WIDEST, wrapped
from skcompare.predictions import PairedPredictions
from skcompare.stats.losses import means_by_range

WINDOW_SHARE, LEAST_WINDOW = 0.1, 20
"""Share of the records in a window of the running mean, and their least number."""

PLACES = 60
"""Windows of the running mean."""

POINTS: dict[int, dict[str, Any]] = {
    1: {"color": CHALLENGER, "marker": "s", "label": "challenger better"},
    -1: {"color": CHAMPION, "marker": "o", "mfc": "none", "label": "champion better"},
    0: {"color": SOFT, "marker": ".", "label": "equal"},
}


@dataclass(frozen=True, eq=False, slots=True)
class GainsAgainst:
    """Gains of the drawn records against a number, and their running mean.

    `x` and `gain` are of shape (n_drawn,); `running` is of shape (4, n_windows): median
    number of a window, mean gain, and the limits of it. The axis may be `logarithmic`.
    """

    number: str
    x: FloatArray
    gain: FloatArray
    running: FloatArray
    logarithmic: bool


@dataclass(eq=False, repr=False)
class GainByRecordDisplay(GainsDisplay, title="Gains of records"):
    """Gains of a challenger record by record, against predictions and true values.

    Does the gain depend on the size of the number, and is it due to many records or to a
    few? A point is a record: the champion's loss minus the challenger's, positive where the
    challenger is better, against the mean of both predictions in the first panel, and
    against the true value in the second. The line is the running mean with a pointwise
    band.

    Parameters
    ----------
    panels : tuple of two GainsAgainst
        The drawn records of each panel, and the running mean of all of them.
    view : tuple of float
        Range of gains that is drawn; gains beyond it are at its edges.
    beyond : tuple of two int
        Records below and above it.
    n : int
        All predictions.
    finding : Finding
        Mean gain, its interval and p-value.
    loss : str
        Name of the loss.
    window : int
        Records of a window of the running mean.
    confidence_level : float
        Level of the band.
    why_no_band : str
        Reason why there is no band; empty if there is one.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    GainByRangeDisplay : Mean gains of ranges, with a simultaneous band.
    LossDifferenceDisplay : Distribution of the gains.

    Notes
    -----
    The constructors take these options:

    loss : str or callable, optional
        A registered loss of numbers, or a function of true and predicted numbers; the
        absolute error by default. Options of the loss are passed beside it, such as
        `alpha` of "pinball_loss".
    by : {"prediction", "champion", "challenger"} or array-like, default="prediction"
        Number of the first panel: the mean of both predictions, one of them, or a number
        for each record, such as a feature.
    most : int, default=300
        Largest number of points of a panel.
    quantity : str, default=""
        Name of the target with its unit, for the axes.
    confidence_level : float, default=0.95
        Level of the band and of the interval of the mean.

    Of more than `most` records a tenth of the points are those with the largest gains and
    losses, and the others are equally spaced in the order of the number (and of the gain,
    for equal numbers), so that the points do not depend on the order of the records. The
    running mean is of all records: of windows with a tenth of them, at least 20, in the
    order of the number. Its band has the limits of a t interval, with a correction for
    skewness, for each window by itself: it is for a place that was chosen beforehand, and
    :class:`GainByRangeDisplay` has a band for all places together. Where groups of records
    are compared the limits allow for them. Where a few gains are far beyond the others, the
    picture has the range of 98 % of them, with triangles at its edges for the others, and
    a label states their number.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare
    >>> from skcompare.plots import GainByRecordDisplay
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> predictions = {"old": y + [1, -1, 2, -2], "new": y + [0.5, -1, 1, 3]}
    >>> comparison = compare(y, predictions, scoring="neg_mean_absolute_error")
    >>> display = GainByRecordDisplay.of_result(comparison)
    >>> frame = display.frame().query("kind == 'record' and number == 'True value'")
    >>> frame[["x", "gain"]]
         x  gain
    5  1.0   0.5
    6  2.0   0.0
    7  3.0   1.0
    8  4.0  -1.0
    """

    panels: tuple[GainsAgainst, GainsAgainst]
    view: tuple[float, float]
    beyond: tuple[int, int]
    n: int
    finding: Finding
    loss: str
    window: int
    confidence_level: float
    why_no_band: str

    @classmethod
    def _of(
        cls,
        pair: PairedPredictions,
        losses: PairedLosses,
        *,
        by: str | ArrayLike = "prediction",
        most: int = 300,
        quantity: str = "",
        confidence_level: float = 0.95,
    ) -> Self:
        level, why = check_confidence_level(confidence_level), why_no_limits(pair)
        check_count("most", most, least=10)
        groups = groups_in(pair)
        tests = ("paired_t", "clustered_t")
        finding = finding_of(losses, losses.gain, tests, level)
        gains = losses.rounded_differences
        n = len(gains)
        window = min(n, max(LEAST_WINDOW, round(WINDOW_SHARE * n)))
        panels = []
        for name in (by, "target"):
            x, number = number_of(pair, name, quantity)
            order = np.lexsort((gains, x))
            drawn = order[thinned(gains[order], most)]
            own = None if groups is None else groups[order]
            running = _running(x[order], losses.differences[order], own, window, level)
            if why:
                running[2:] = [[-np.inf], [np.inf]]
            about = running, is_wide(x)
            panels.append(GainsAgainst(number, x[drawn], gains[drawn], *about))
        view = usual_range(gains)
        beyond = int((gains < view[0]).sum()), int((gains > view[1]).sum())
        first, second = panels
        return cls(
            *((first, second), view, beyond, n, finding, losses.loss, window, level, why)
        )

    def _band_text(self) -> str:
        if self.why_no_band:
            return f"No band: {self.why_no_band}"
        level, records = percent(self.confidence_level), records_text(self.window)
        return f"Pointwise {level} band, of windows of {records}"

    def _sentences(self) -> list[str]:
        """Return sentences on the points, on the mean and on the ends of its range."""
        drawn = len(self.panels[0].x)
        some = f", of which {count_text(drawn)} are drawn" if drawn < self.n else ""
        sentences = [
            f"Gains in {in_one_line(self.loss)} of {records_text(self.n)}{some}",
            ", ".join(self.finding.lines("Mean gain")),
        ]
        for panel in self.panels:
            x, mean = panel.running[:2]
            number = in_one_line(panel.number)
            best, worst = int(np.argmax(mean)), int(np.argmin(mean))
            sentences.append(
                f"By {number[:1].lower()}{number[1:]} the running mean is from "
                f"{gain_text(mean[worst])} near {short(x[worst])} to "
                f"{gain_text(mean[best])} near {short(x[best])}"
            )
        sentences.append(self._band_text())
        for count, edge, side in zip(self.beyond, self.view, ("below", "above")):
            if count:
                verb = "is" if count == 1 else "are"
                sentences.append(f"{records_text(count)} {verb} {side} {gain_text(edge)}")
        return [*sentences, *self.finding.caveats]

    def _text(self) -> list[str]:
        lines = [*lines_of(self.finding), *self.finding.caveats]
        drawn = len(self.panels[0].x)
        if drawn < self.n:
            lines.append(f"{count_text(drawn)} of {records_text(self.n)} are drawn.")
        for count, edge, side in zip(self.beyond, self.view, ("below", "above")):
            if count:
                lines.append(f"Triangles: {records_text(count)} {side} {gain_text(edge)}.")
        return wrapped([*lines, self._band_text()], WIDEST)

    def _room(self) -> Room:
        below = 0.19 * max(4, len(self._text()))
        return Room(width=9.0, height=4.0 + below, widths=(1.0, 1.0), together="y")

    def _draw(self, left: Any, right: Any) -> None:
        for ax, panel in zip((left, right), self.panels):
            self._draw_panel(ax, panel)
        room = 0.05 * (self.view[1] - self.view[0])
        left.set_ylim(self.view[0] - room, self.view[1] + room)
        left.set_ylabel(
            f"Gain in {brief(self.loss)}\n← champion better   challenger better →"
        )
        right.tick_params(axis="y", labelleft=False)
        handles, labels = left.get_legend_handles_labels()
        legend_below(left, handles=handles, labels=labels)
        style = {"transform": down_from(right), "color": INK, "linespacing": 1.35}
        right.text(0.0, 0.0, "\n".join(self._text()), va="top", **style)

    def _draw_panel(self, ax: Any, panel: GainsAgainst) -> None:
        low, high = self.view
        inside = (panel.gain >= low) & (panel.gain <= high)
        for sign, style in POINTS.items():
            members = np.sign(panel.gain) == sign
            if members.any():
                shown = members & inside
                points = {"ms": 3.2, "mew": 0.7, "ls": "none", "alpha": 0.6}
                ax.plot(panel.x[shown], panel.gain[shown], **points, **style)
                shown = members & ~inside
                edge, marker = (high, "^") if sign > 0 else (low, "v")
                style = {"color": style["color"], "marker": marker, "ms": 5, "ls": "none"}
                ax.plot(panel.x[shown], np.full(shown.sum(), edge), **style)
        x, mean, lower, upper = panel.running
        if not self.why_no_band:
            shade = {"color": INK, "alpha": 0.2, "lw": 0}
            ends = np.clip([lower, upper], low, high)
            label = f"pointwise {percent(self.confidence_level)} band"
            ax.fill_between(x, *ends, label=label, **shade)
        ax.plot(x, np.clip(mean, low, high), color=INK, lw=2, label="running mean")
        line_of_zero(ax, vertical=False)
        dress(ax)
        if panel.logarithmic:
            ax.set_xscale("log")
        ax.set_xlabel(axis_text(panel.number))

    def _columns(self) -> Mapping[str, Any]:
        rows: list[tuple[Any, ...]] = []
        for panel in self.panels:
            nothing = [np.nan] * len(panel.x)
            points = zip(panel.x.tolist(), panel.gain.tolist(), nothing, nothing)
            rows += [(panel.number, "record", *point) for point in points]
            rows += [
                (panel.number, "running mean", *numbers)
                for numbers in zip(*panel.running.tolist())
            ]
        names = "number", "kind", "x", "gain", "low", "high"
        return dict(zip(names, zip(*rows)))


def _running(
    x: FloatArray, gains: FloatArray, groups: IntArray | None, window: int, level: float
) -> FloatArray:
    """Return the running mean of ordered gains: place, mean, and limits of each window."""
    starts = np.unique(np.linspace(0, len(x) - window, PLACES).round().astype(np.int64))
    columns = []
    for start in starts:
        part = slice(start, start + window)
        own = None if groups is None else groups[part]
        everywhere = np.zeros(window, dtype=np.int64)
        means = means_by_range(
            gains[part], everywhere, 1, groups=own, confidence_level=level
        )
        columns.append((np.median(x[part]), means.mean[0], means.low[0], means.high[0]))
    return np.array(columns, dtype=np.float64).T
