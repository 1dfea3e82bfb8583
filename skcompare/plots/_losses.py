"""Display of the loss differences between two classifiers, record by record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import in_one_line
from skcompare._core.validation import check_count
from skcompare._registry.metrics import CLASSES, NUMBERS, record_losses
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots.drawing._base import PairDisplay
from skcompare.plots.drawing._labels import count_text, records_text
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    SOFT,
    brief,
    dress,
    line_of_zero,
)
from skcompare.plots.drawing._text import wrapped

USUAL = 0.98
"""Share of the records that set the range, where others are far beyond it."""

FAR = 1.5
"""Ratio of the whole to the usual range from which the usual one is drawn."""

POINTS = 200
"""Number of points of the curve of shares."""

LINE_CHARACTERS, LINE_HEIGHT = 66, 0.17
"""Characters of a line of the title, and its height in inches."""

BETTER, WORSE = {"fc": CHALLENGER, "ec": CHALLENGER}, {"fc": "none", "ec": CHAMPION}


@dataclass(eq=False, repr=False)
class LossDifferenceDisplay(PairDisplay, title="Losses record by record"):
    """Distribution and mean of the loss differences between two classifiers.

    A difference is the champion's loss of a record minus the challenger's: positive where
    the challenger is better. The first panel is their histogram; records on which both
    have the same loss have a separate thin bar at zero. The second has the share of
    records up to each difference, the third the mean with its interval. Where a few
    differences are far beyond the others, as those of log losses are, the range is that of
    98 % of the records, and a label states the number beyond it.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Limits of the bins; zero is one of them. Empty where records were not kept.
    records : ndarray of shape (n_bins,)
        Records in each bin, without those with equal losses.
    beyond : tuple of two int
        Records below the first edge and above the last one.
    balance : tuple of three int
        Records on which the challenger was better, equal and worse; zeros where records
        were not kept.
    curve : tuple of two ndarray
        Differences, and shares of the records with at most these.
    n : int
        All records.
    finding : Finding
        Mean gain, its interval and p-value.
    loss : str
        Name of the loss.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    skcompare.stats.paired_t : The test of the mean.
    skcompare.stats.wilcoxon : The signed-rank test, which is about typical records.

    Notes
    -----
    The constructors take the options of :meth:`PairedLosses.from_pair
    <skcompare.evidence.PairedLosses.from_pair>`, such as `loss`, and these. Arrays are
    predicted numbers if `loss` names a loss of numbers, such as "absolute_error", or the
    true ones have fractions:

    confidence_level : float, default=0.95
        Level of the interval.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test and the interval.
    bins : int, default=40
        Bins of the histogram.

    The interval is that of the paired t test, or of the t test for groups where records
    come in groups. Losses that were reduced to their moments have only mean and interval.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.plots import LossDifferenceDisplay
    >>> losses = PairedLosses.from_losses([0.5, 0.25, 0.75, 1.0], [0.25, 0.25, 1.0, 0.25])
    >>> display = LossDifferenceDisplay.of_result(losses, bins=4)
    >>> display.frame()[["low", "high", "records"]]
       low   high  records
    0 -0.25   0.00        1
    1  0.00   0.25        0
    2  0.25   0.50        1
    3  0.50   0.75        1
    4  0.00   0.00        1
    >>> print(display.summary.split(". ")[0])
    The challenger's loss is smaller on 50.0 %, equal on 25.0 % and larger on 25.0 % of 4
    records
    """

    edges: FloatArray
    records: IntArray
    beyond: tuple[int, int]
    balance: tuple[int, int, int]
    curve: tuple[FloatArray, FloatArray]
    n: int
    finding: Finding
    loss: str

    needs = PairedLosses
    targets = CLASSES, NUMBERS

    @classmethod
    def _target_of(
        cls, options: Mapping[str, Any], *estimators: Any, y_true: Any = None
    ) -> str:
        loss = options.get("loss")
        entry = record_losses().get(loss) if isinstance(loss, str) else None
        if entry is not None:
            return entry.target
        return super()._target_of(options, *estimators, y_true=y_true)

    @classmethod
    def _of(
        cls,
        evidence: PairedLosses,
        *,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        bins: int = 40,
    ) -> Self:
        check_count("bins", bins, least=2)
        tests = ("paired_t", "clustered_t")
        finding = finding_of(evidence, evidence.gain, tests, confidence_level, alternative)
        empty = np.empty(0)
        numbers: Any = empty, empty.astype(np.int64), (0, 0), (0, 0, 0), (empty, empty)
        if evidence.values is not None:
            numbers = _binned(np.sort(evidence.rounded_differences), bins)
        others: Any = evidence.n, finding, evidence.loss
        return cls(*numbers, *others)

    def _sentences(self) -> list[str]:
        """Return sentences on the balance of the records, the mean and its test."""
        finding = self.finding
        sentences = []
        if self.n_kept:
            better, equal, worse = (f"{100 * n / self.n:.1f} %" for n in self.balance)
            sentences.append(
                f"The challenger's loss is smaller on {better}, equal on {equal} and "
                f"larger on {worse} of {records_text(self.n)}"
            )
        else:
            sentences.append(f"Losses of {records_text(self.n)}, kept as moments only")
        sentences.append(", ".join(finding.lines(f"Mean gain in {in_one_line(self.loss)}")))
        for count, edge, side in zip(
            self.beyond, self.edges[[0, -1]] if self.n_kept else (), ("below", "above")
        ):
            if count:
                verb = "is" if count == 1 else "are"
                sentences.append(
                    f"{records_text(count)} {verb} {side} {edge:.3g}, beyond the picture"
                )
        return [*sentences, *finding.caveats]

    @property
    def n_kept(self) -> int:
        """Number of records whose losses were kept."""
        return sum(self.balance)

    def _room(self) -> Room:
        title = LINE_HEIGHT * len(wrapped(self.finding.caveats, LINE_CHARACTERS))
        if not self.n_kept:
            return Room(width=6.4, height=2.3 + title)
        return Room(width=6.4, height=6.2 + title, heights=(2.0, 1.1, 0.35))

    def _draw(self, *panels: Any) -> None:
        *upper, lowest = panels
        finding = self.finding
        *mean, test = finding.lines("Mean gain")
        title = [
            ", ".join(mean),
            test,
            f"{records_text(self.n)}, of which only the moments were kept",
        ]
        self._draw_mean(lowest)
        if upper:
            better, equal, worse = (f"{100 * n / self.n:.1f} %" for n in self.balance)
            title[-1] = f"challenger better on {better}, equal on {equal}, worse on {worse}"
            self._draw_histogram(upper[0])
            self._draw_curve(upper[1])
            reach = self.edges[-1] - self.edges[0]
            for ax in upper:
                ax.set_xlim(self.edges[0] - 0.02 * reach, self.edges[-1] + 0.02 * reach)
        title += wrapped(finding.caveats, LINE_CHARACTERS)
        panels[0].set_title("\n".join(title), color=INK, fontsize="medium")

    def _draw_mean(self, ax: Any) -> None:
        """Draw mean and interval on a separate scale, because the interval is short."""
        finding = self.finding
        low, high = (
            finding.estimate if limit is None else limit
            for limit in (finding.low, finding.high)
        )
        ends = [end for end in (low, high, finding.estimate, 0.0) if np.isfinite(end)]
        reach = 0.08 * (max(ends) - min(ends)) or 1.0
        ax.set_xlim(min(ends) - reach, max(ends) + reach)
        # A one-sided interval extends to the edge, and has no end there.
        ax.plot(np.clip([low, high], *ax.get_xlim()), [0, 0], color=INK, lw=2)
        limits = [end for end in {low, high} if np.isfinite(end)]
        ax.plot(limits, [0] * len(limits), color=INK, ls="none", marker="|", ms=11, mew=2)
        ax.plot([finding.estimate], [0], color=INK, marker="D", ms=6, ls="none")
        line_of_zero(ax)
        dress(ax, grid="x")
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(
            f"Mean gain in {brief(self.loss)}\n← champion better      challenger better →"
        )

    def _draw_histogram(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        above = self.edges[1:] > 0
        for side, style, hatch in ((above, BETTER, None), (~above, WORSE, "////")):
            left, width = self.edges[:-1][side], np.diff(self.edges)[side]
            shape = {"align": "edge", "hatch": hatch, "linewidth": 0.6}
            ax.bar(left, self.records[side], width, **shape, **style)
        if self.balance[1]:
            ax.vlines(0, 0, self.balance[1], color=SOFT, lw=4, zorder=3)
        line_of_zero(ax)
        dress(ax, grid="y")
        top = max(1, self.records.max(), self.balance[1])
        ax.set_ylim(0, (1.25 if any(self.beyond) else 1.08) * top)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_formatter(count_text)
        ax.tick_params(axis="x", labelbottom=False)
        ax.set_ylabel(f"Records (of {count_text(self.n)})")
        style = {"transform": ax.transAxes, "color": INK, "fontsize": "small"}
        corners = (("left", 0.01, 0), ("right", 0.99, -1))
        for (corner, x, edge), count in zip(corners, self.beyond):
            if count:
                label = f"{count_text(count)} beyond {self.edges[edge]:+.3g}"
                text = f"← {label}" if corner == "left" else f"{label} →"
                ax.text(x, 0.97, text, ha=corner, va="top", **style)

    def _draw_curve(self, ax: Any) -> None:
        ax.step(*self.curve, where="post", color=INK, lw=1.6)
        line_of_zero(ax)
        dress(ax)
        ax.set_ylim(0, 1.02)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        ax.set_ylabel("Records with at\nmost this gain")
        ax.set_xlabel(
            f"Gain of a record in {brief(self.loss)}\n(loss of champion − challenger)"
        )

    def _columns(self) -> Mapping[str, Any]:
        if not self.n_kept:
            return {"low": [-np.inf], "high": [np.inf], "records": [self.n], "share": [1.0]}
        edges = self.edges.tolist()
        bins = list(zip(edges[:-1], edges[1:], self.records.tolist()))
        bins.append((0.0, 0.0, self.balance[1]))
        if self.beyond[0]:
            bins.insert(0, (-np.inf, float(self.edges[0]), self.beyond[0]))
        if self.beyond[1]:
            bins.append((float(self.edges[-1]), np.inf, self.beyond[1]))
        low, high, records = zip(*bins)
        shares = [count / self.n for count in records]
        return {"low": low, "high": high, "records": records, "share": shares}


def _binned(differences: FloatArray, bins: int) -> tuple[Any, ...]:
    """Compute the histogram and the cumulative curve of sorted differences."""
    n = len(differences)
    edges = _edges(differences, bins)
    unequal = differences[differences != 0]
    records = np.histogram(unequal, edges)[0]
    # Bins are closed on the left, and the last one on both sides.
    below = int(np.searchsorted(differences, edges[0], "left"))
    above = n - int(np.searchsorted(differences, edges[-1], "right"))
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    inside = differences[below : n - above]
    at = np.unique(np.linspace(0, len(inside) - 1, POINTS).astype(np.int64))
    x = np.concatenate([edges[:1], inside[at], edges[-1:]])
    y = np.searchsorted(differences, x, "right") / n
    return edges, records, (below, above), (better, n - better - worse, worse), (x, y)


def _edges(differences: FloatArray, bins: int) -> FloatArray:
    """Return the edges of equal-width bins, zero among them, for usual differences."""
    n = len(differences)
    cut = int((1 - USUAL) / 2 * n)
    low, high = min(0.0, differences[0]), max(0.0, differences[-1])
    usual = min(0.0, differences[cut]), max(0.0, differences[n - 1 - cut])
    if usual[1] > usual[0] and high - low > FAR * (usual[1] - usual[0]):
        low, high = usual
    if high == low:
        return np.array([-1.0, 0.0, 1.0])
    below = round(bins * -low / (high - low))
    below = min(bins - (high > 0), max(int(low < 0), below))
    # Wide enough for both sides, in whole bins.
    width = max(
        -low / below if below else 0.0, high / (bins - below) if bins > below else 0.0
    )
    edges = width * np.arange(-below, bins - below + 1)
    # By rounding, a product may be less than the limit, and exclude the largest ones.
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges
