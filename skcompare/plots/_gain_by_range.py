"""Display of the mean gain over the range of a number, with a simultaneous band."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self

import numpy as np

from skcompare._core.formatting import in_one_line
from skcompare._core.validation import (
    as_array,
    check_confidence_level,
    check_count,
    check_numbers,
    is_number,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence import PairedLosses
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots._numbers_display import (
    GainsDisplay,
    axis_text,
    gain_text,
    groups_in,
    lines_of,
    number_of,
    short,
    why_no_limits,
)
from skcompare.plots.drawing._labels import records_text, short_count
from skcompare.plots.drawing._layout import Room, legend_below, named
from skcompare.plots.drawing._style import (
    CHALLENGER,
    CHAMPION,
    INK,
    LINE,
    SOFT,
    brief,
    dress,
    line_of_zero,
    literal,
    percent,
)
from skcompare.plots.drawing._text import wrapped
from skcompare.predictions import PairedPredictions
from skcompare.stats.losses import means_by_range, range_limits

LINE_CHARACTERS, LINE_HEIGHT = 74, 0.17
"""Characters of a line of the title, and its height in inches."""

WIDE = 0.5
"""Share of the axis of the last range from which the axis is logarithmic."""

BOXES: dict[int, dict[str, Any]] = {
    1: {"fc": CHALLENGER, "ec": CHALLENGER, "alpha": 0.55},
    -1: {"fc": "none", "ec": CHAMPION, "hatch": "////"},
    0: {"fc": LINE, "ec": SOFT},
}
NAMES = {1: "challenger better", -1: "champion better", 0: "not distinguished"}


@dataclass(eq=False, repr=False)
class GainByRangeDisplay(GainsDisplay, title="Gain over the range"):
    """Mean gain of a challenger over the range of a number, with a simultaneous band.

    In which part of the range does the challenger gain, and in which does it lose? The gain
    of a record is the champion's loss minus the challenger's, positive where the challenger
    is better. The range of the true values, of predictions or of any other number of a
    record is divided into parts with about equally many records; the first panel has the
    mean gain of each part with its limits, the second the number of records.

    The null hypothesis of a part is that its mean gain is 0. The limits hold in all parts
    together, with the probability `confidence_level`: boxes that exclude 0 are filled where
    the challenger is better and hatched where the champion is, and with this probability no
    part is misclassified, although all of them are inspected.

    Parameters
    ----------
    edges : ndarray of shape (n_ranges + 1,)
        Least number, upper limits of the ranges, and largest number. A range has its upper
        limit, and not its lower one.
    gain : ndarray of shape (n_ranges,)
        Mean gain in each range.
    low, high : ndarray of shape (n_ranges,)
        Simultaneous limits; infinite for a range of one record, or of equal gains other
        than 0, and in all ranges where no band is valid.
    records, units : ndarray of shape (n_ranges,)
        Records of each range, and the groups that they are from, or records again.
    finding : Finding
        Mean gain of all records, its interval and p-value.
    loss, number : str
        Names of the loss, and of the number.
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
    GainByRecordDisplay : Gains of single records, with a running mean.
    LossDifferenceDisplay : Distribution of the gains.

    Notes
    -----
    The constructors take these options:

    loss : str or callable, optional
        A registered loss of numbers, or a function of true and predicted numbers; the
        absolute error by default. Options of the loss are passed beside it, such as
        `alpha` of "pinball_loss".
    by : {"target", "prediction", "champion", "challenger"} or array-like, default="target"
        The number: the true value, the mean of both predictions, one of them, or a number
        for each record, such as a feature. True values are unknown when a model is used, so
        that a rule such as "the champion below 80" can only be made of predictions or
        features. At the ends of the true values most models predict too near to the middle;
        the one that does so less gains there, and mostly loses in the middle.
    ranges : int or array-like, optional
        Number of ranges with about equally many records, or the limits between them, such
        as ``[80, 200]``, which must be chosen before the gains are seen. By default as many
        ranges as have 40 records each (of groups: 40 of all groups), at most 8.
    quantity : str, default=""
        Name of the target, or of an array `by`, with its unit, for the axis.
    confidence_level : float, default=0.95
        Level of the band and of the interval of all records.

    The band has Student's limits with the skewness correction of Hall [1]_ where these are
    wider, at the level at which the largest of all statistics stays within them: for
    independent records the K-th root of the level for each of K ranges, which is exact for
    normal gains [2]_, for groups that of normal numbers with the observed correlations of
    the means.

    In simulations of 2000 samples, with 40 to 250 records in each of 2 to 8 ranges, all
    limits of the 95 % band held at once in 94.7 to 96.5 % of the samples for absolute
    errors, and in 91.7 to 96.4 % for squared ones, which are skewed where one regressor is
    much better. Squares of errors from a t distribution with 5 degrees of freedom have no
    fourth moment, and a few of them decide: 83 to 98 %. A wrong sign was read off in at
    most 5.3 % of any samples (``benchmarks/validity/regressors/bands.py``).

    Predictions of several splits have no band, because their models share training records.

    References
    ----------
    .. [1] Hall, P. (1992). "On the removal of skewness by transformation." Journal of the
       Royal Statistical Society B 54(1), 221-228.
    .. [2] Sidak, Z. (1967). "Rectangular confidence regions for the means of multivariate
       normal distributions." Journal of the American Statistical Association 62(318),
       626-633.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare import compare
    >>> from skcompare.plots import GainByRangeDisplay
    >>> rng = np.random.default_rng(0)
    >>> y = rng.uniform(0, 300, size=400)
    >>> old, new = y + rng.normal(0, 20, 400), y + rng.normal(0, 1, 400) * (10 + 0.1 * y)
    >>> comparison = compare(
    ...     y, {"old": old, "new": new}, scoring="neg_mean_absolute_error"
    ... )
    >>> display = GainByRangeDisplay.of_result(comparison, ranges=[80, 200])
    >>> display.frame()[["lower", "upper", "gain", "low", "high"]].round(1)
       lower  upper  gain   low  high
    0    0.1   80.0   5.1   1.2   9.2
    1   80.0  200.0  -1.2  -4.2   1.9
    2  200.0  299.2  -8.0 -13.1  -3.3
    """

    edges: FloatArray
    gain: FloatArray
    low: FloatArray
    high: FloatArray
    records: IntArray
    units: IntArray
    finding: Finding
    loss: str
    number: str
    confidence_level: float
    why_no_band: str

    @classmethod
    def _of(
        cls,
        pair: PairedPredictions,
        losses: PairedLosses,
        *,
        by: str | ArrayLike = "target",
        ranges: int | ArrayLike | None = None,
        quantity: str = "",
        confidence_level: float = 0.95,
    ) -> Self:
        level = check_confidence_level(confidence_level)
        tests = ("paired_t", "clustered_t")
        finding = finding_of(losses, losses.gain, tests, level)
        values, number = number_of(pair, by, quantity)
        groups = groups_in(pair)
        limits = _limits(values, ranges, groups)
        positions = np.searchsorted(limits, values, "left")
        n_ranges = len(limits) + 1
        records = np.bincount(positions, minlength=n_ranges)
        if not records.all():
            raise ValueError(
                f"Each range must have records. Got none in {int((records == 0).sum())} of "
                f"{n_ranges}: the numbers are from {values.min():g} to {values.max():g}. "
                "Move or remove limits."
            )
        means = means_by_range(
            losses.differences, positions, n_ranges, groups=groups, confidence_level=level
        )
        low, high, why = means.low, means.high, why_no_limits(pair)
        if why:
            low, high = np.full(n_ranges, -np.inf), np.full(n_ranges, np.inf)
        edges = np.concatenate([[values.min()], limits, [values.max()]])
        about: Any = finding, losses.loss, number, level, why
        return cls(edges, means.mean, low, high, means.records, means.units, *about)

    @property
    def better(self) -> IntArray:
        """1 in ranges where the challenger is better, -1 where the champion is, else 0."""
        return (self.low > 0).astype(np.int64) - (self.high < 0)

    @property
    def n(self) -> int:
        """Number of predictions."""
        return int(self.records.sum())

    def _parts(self) -> list[str]:
        """Return text on the ranges in which a role is better, next ones together."""
        parts: dict[int, list[str]] = {1: [], -1: []}
        last = len(self.gain)
        for sign, members in groupby(range(last), lambda k: int(self.better[k])):
            if sign:
                places = list(members)
                parts[sign].append(self._place_text(places[0], places[-1] + 1))
        return [f"{NAMES[sign]} {' and '.join(own)}" for sign, own in parts.items() if own]

    def _place_text(self, first: int, end: int) -> str:
        """Return text on the ranges from one to before another one."""
        lower, upper, last = self.edges[first], self.edges[end], len(self.gain)
        if (first, end) == (0, last):
            return "in the whole range"
        if first == 0:
            return f"up to {short(upper)}"
        return (
            f"above {short(lower)}"
            if end == last
            else f"from {short(lower)} to {short(upper)}"
        )

    def _band_text(self) -> str:
        """Return a sentence on what the band excludes."""
        if self.why_no_band:
            return f"No band: {self.why_no_band}"
        n_ranges = len(self.gain)
        band = f"{percent(self.confidence_level)} band of "
        band += f"all {n_ranges} ranges together" if n_ranges > 1 else "the one range"
        return f"{band}: {', '.join(self._parts()) or 'no difference is found'}"

    def _sentences(self) -> list[str]:
        """Return sentences on the ranges, on the mean of all records and on its test."""
        title = in_one_line(self.loss)
        number = in_one_line(self.number)
        best, worst = int(np.argmax(self.gain)), int(np.argmin(self.gain))
        sentences = [
            f"Mean gain in {title} by {number[:1].lower()}{number[1:]}, of "
            f"{records_text(self.n)} in {len(self.gain)} ranges",
            f"It is largest {self._from_to(best)}, and smallest {self._from_to(worst)}",
            self._band_text(),
            ", ".join(self.finding.lines("Of all records: mean gain")),
        ]
        return [*sentences, *self.finding.caveats]

    def _from_to(self, k: int) -> str:
        """Return a range and its mean gain as text."""
        low, high = self.edges[k : k + 2]
        return f"from {short(low)} to {short(high)}, with {gain_text(self.gain[k])}"

    def _title(self) -> list[str]:
        *mean, test = lines_of(self.finding)
        band = named(self._band_text(), self.sides, escape=literal)
        lines = [", ".join(mean), test, band]
        return wrapped([*lines, *self.finding.caveats], LINE_CHARACTERS)

    def _room(self) -> Room:
        title = LINE_HEIGHT * len(self._title())
        return Room(width=6.4, height=5.0 + title, heights=(3.4, 0.9), together="x")

    def _draw(self, upper: Any, lower: Any) -> None:
        self._draw_gains(upper)
        self._draw_records(lower)
        if self._is_logarithmic:
            lower.set_xscale("log")
        else:
            room = 0.02 * (self.edges[-1] - self.edges[0]) or 1.0
            lower.set_xlim(self.edges[0] - room, self.edges[-1] + room)
        upper.tick_params(axis="x", labelbottom=False)
        upper.set_title("\n".join(self._title()), color=INK, fontsize="medium")
        handles, labels = upper.get_legend_handles_labels()
        ordered = dict(zip(labels, handles))
        columns = {"ncols": 2, "columnspacing": 1.5}
        legend_below(lower, handles=list(ordered.values()), labels=list(ordered), **columns)

    @property
    def _is_logarithmic(self) -> bool:
        """Whether all numbers are positive, and the last range has most of the axis."""
        length = self.edges[-1] - self.edges[0]
        return bool(
            self.edges[0] > 0
            and len(self.gain) > 1
            and self.edges[-1] - self.edges[-2] > WIDE * length
        )

    @property
    def _sides(self) -> tuple[FloatArray, FloatArray]:
        """Left sides and widths of the ranges; a single number gets a width."""
        widths = np.diff(self.edges)
        return self.edges[:-1], np.where(widths > 0, widths, 1.0)

    def _draw_gains(self, ax: Any) -> None:
        left, width = self._sides
        for sign in (1, 0, -1):
            members = (self.better == sign) & np.isfinite(self.low)
            if members.any():
                label = f"band: {NAMES[sign]}"
                shape = {"align": "edge", "linewidth": 0.8, "zorder": 2, "label": label}
                size = (self.high - self.low)[members], width[members]
                ax.bar(
                    left[members],
                    *size,
                    bottom=self.low[members],
                    **shape,
                    **BOXES[sign],
                )
        style = {"color": INK, "lw": 2.2, "zorder": 3, "label": "mean gain of the range"}
        ax.hlines(self.gain, left, left + width, **style)
        line_of_zero(ax, vertical=False)
        dress(ax, grid="y")
        ends = np.concatenate([self.low, self.high, self.gain, [0.0]])
        ends = ends[np.isfinite(ends)]
        room = 0.05 * (ends.max() - ends.min()) or 1.0
        ax.set_ylim(ends.min() - room, ends.max() + room)
        ax.set_ylabel(
            f"Gain in {brief(self.loss)}\n← champion better   challenger better →",
        )

    def _draw_records(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        left, width = self._sides
        ax.bar(left, self.records, width, align="edge", fc=LINE, ec=SOFT, lw=0.8)
        dress(ax, grid="y")
        ax.set_ylim(0, 1.1 * self.records.max())
        ax.yaxis.set_major_locator(MaxNLocator(2, integer=True))
        ax.yaxis.set_major_formatter(short_count)
        ax.set_ylabel("Records")
        ax.set_xlabel(axis_text(self.number))

    def _columns(self) -> Mapping[str, Any]:
        return {
            "lower": self.edges[:-1].tolist(),
            "upper": self.edges[1:].tolist(),
            "gain": self.gain.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "records": self.records.tolist(),
            "units": self.units.tolist(),
            "better": [NAMES[sign] for sign in self.better.tolist()],
        }


def _limits(values: FloatArray, ranges: Any, groups: IntArray | None) -> FloatArray:
    """Return the limits between ranges: given ones, or quantiles."""
    if ranges is None:
        return range_limits(values, groups=groups)
    if is_number(ranges):
        return range_limits(values, check_count("ranges", ranges), groups)
    limits = check_numbers("ranges", as_array(ranges))
    if (np.diff(limits) <= 0).any():
        raise ValueError(
            f"`ranges` must be limits in increasing order, or a number of ranges. Got "
            f"{limits.tolist()}."
        )
    return limits
