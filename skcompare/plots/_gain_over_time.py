"""Display of the mean gain in a window that moves over time, with a band."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from skcompare._core.design import GROUPED_TIME_ORDERED, IN_TIME, TIME_ORDERED_HOLDOUT
from skcompare._core.formatting import format_pvalue, in_one_line
from skcompare._core.times import time_text
from skcompare._core.validation import alpha_of, check_confidence_level, check_count
from skcompare._registry.metrics import CLASSES, NUMBERS, VALUES
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import OrderedDifferences, order_of
from skcompare.plots._annotation import Finding, finding_of
from skcompare.plots._numbers_display import axis_text, gain_text, lines_of, short
from skcompare.plots.drawing._base import PairDisplay, pair_behind
from skcompare.plots.drawing._labels import count_text, records_text
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
from skcompare.predictions import LABELS, SCORES, PairedPredictions
from skcompare.stats import fluctuation

LINE_CHARACTERS, LINE_HEIGHT = 66, 0.17
"""Characters of a line of the title, and its height in inches."""

NAMES = {1: "challenger better", -1: "champion better", 0: "not distinguished"}
SHADES: dict[int, dict[str, Any]] = {
    0: {"fc": LINE, "ec": SOFT, "lw": 0.5},
    1: {"fc": CHALLENGER, "ec": CHALLENGER, "alpha": 0.55, "lw": 0.5},
    -1: {"fc": "none", "ec": CHAMPION, "hatch": "////", "lw": 0.5},
}

MOST_RUNS = 2
"""Largest number of stretches of time that are listed."""

ZERO_ONE = "zero_one_loss"
IN_ORDER = {"holdout": TIME_ORDERED_HOLDOUT, "grouped holdout": GROUPED_TIME_ORDERED}
"""Designs of records whose order is taken for that of time, with what they then are."""


@dataclass(eq=False, repr=False)
class GainOverTimeDisplay(PairDisplay, title="Gain over time"):
    """Mean gain of a challenger in a window that moves over time, with a band.

    When does the challenger gain, and when does it lose? The gain of a record is the
    champion's loss minus the challenger's, positive where the challenger is better. The
    line is the mean gain of the time points of a window, drawn at the middle of the window;
    the dashed line is the mean gain of all records.

    The null hypothesis is that both models are equally good at all times. Then the band of
    :func:`~skcompare.stats.fluctuation` holds 0 at all times together, with the probability
    `confidence_level`: it is filled at times at which the challenger is better and hatched
    where the champion is.

    Parameters
    ----------
    middle, first, last : ndarray of shape (n_windows,)
        Time of the middle, of the first and of the last time point of each window that is
        drawn: numbers or timestamps, or numbers of records without a time.
    gain, low, high : ndarray of shape (n_windows,)
        Mean gain in each window, and the band.
    pvalue : float
        P-value of the hypothesis that both are equal at all times.
    finding : Finding
        Mean gain of all records, its interval and p-value.
    loss, name : str
        Name of the loss, and of the time.
    window, n_times, n : int
        Time points of a window, all of them, and all records.
    confidence_level : float
        Level of the band and of the interval.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    GainByRangeDisplay : Mean gain over the range of a number other than time.
    AnytimeDisplay : Interim analyses of a stream.

    Notes
    -----
    Of a comparison on splits in time order, such as ``TimeSeriesSplit``, all test sets are
    one series. Without `time` a time is then the number of a record, from 0.

    The constructors take these options:

    time : array-like of shape (n_samples,), optional
        Number or timestamp of each record; equal ones are one time point. Without it the
        records are in time order, one at a time.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    loss : str or callable, optional
        A registered loss of probabilities or of numbers; by default the 0/1 loss of
        predicted classes, and the absolute error of numbers. Options of the loss are passed
        beside it.
    window : float, default=0.3
        Share of the time points in a window.
    name : str, default=""
        Name of the time, for the axis.
    most : int, default=300
        Largest number of windows that are drawn, besides those where the band begins or
        ceases to exclude 0, and those of the largest and smallest gain.
    confidence_level : float, default=0.95
        Level of the band and of the interval of all records.

    The band is a test that both are equal at all times, and is not one of the gains: two
    models of which one is better by the same amount at all times exceed it where their
    difference is large enough for a window. Its error rates are those of
    :func:`~skcompare.stats.fluctuation`. The interval of the mean gain is that of
    :func:`~skcompare.stats.diebold_mariano`, which for several series is about these.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.plots import GainOverTimeDisplay
    >>> rng = np.random.default_rng(0)
    >>> gains = np.repeat([0.5, -0.5], 200) + rng.normal(size=400)
    >>> ordered = OrderedDifferences.from_differences(gains, measure="absolute_error")
    >>> display = GainOverTimeDisplay.of_result(ordered)
    >>> f"p = {display.pvalue:.4f}"
    'p = 0.0003'
    >>> display.frame()["better"].unique().tolist()
    ['challenger better', 'not distinguished', 'champion better']
    """

    middle: np.ndarray
    first: np.ndarray
    last: np.ndarray
    gain: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: float
    finding: Finding
    loss: str
    name: str
    window: int
    n_times: int
    n: int
    confidence_level: float

    needs = OrderedDifferences
    targets = (CLASSES, NUMBERS)

    @classmethod
    def _of(
        cls,
        ordered: OrderedDifferences,
        *,
        window: float = 0.3,
        name: str = "",
        most: int = 300,
        confidence_level: float = 0.95,
    ) -> Self:
        level = check_confidence_level(confidence_level)
        check_count("most", most, least=10)
        ordered = _in_time(ordered)
        moving = fluctuation(ordered, window=window)
        finding = finding_of(ordered, ordered.estimate, ("diebold_mariano",), level)
        low, high = moving.band(level)
        sides = (low > 0).astype(np.int64) - (high < 0)
        at = _drawn(moving.gains, sides, most)
        starts, ends = moving.starts[at], moving.stops[at] - 1
        times = ordered.times
        if times is None:
            times, unnamed = np.arange(1, ordered.n_times + 1), "Record, in order of time"
        else:
            unnamed = "Time"
        places = times[(starts + ends) // 2], times[starts], times[ends]
        gains = moving.gains[at], low[at], high[at]
        about: Any = moving.pvalue, finding, ordered.measure, name or unnamed
        sizes: Any = moving.window, ordered.n_times, ordered.n, level
        return cls(*places, *gains, *about, *sizes)

    @classmethod
    def _required_for(cls, options: Mapping[str, Any], *estimators: Any) -> frozenset[str]:
        if cls._target_of(options, *estimators) == NUMBERS:
            return frozenset({VALUES})
        return frozenset({SCORES if "loss" in options else LABELS})

    @staticmethod
    def _evidence_of(result: Any, needs: Any, options: dict[str, Any]) -> Any:
        pair = pair_behind(result)
        of_labels = pair is not None and not {*options} - {"time", "horizon"}
        if pair is not None and of_labels:
            predictions = pair.predictions
            if not predictions.is_numeric and predictions.tally is None:
                return _by_labels(pair, **options)
        return PairDisplay._evidence_of(result, needs, options)

    @property
    def better(self) -> IntArray:
        """1 where the band says that the challenger is better, -1 the champion, else 0."""
        return (self.low > 0).astype(np.int64) - (self.high < 0)

    def _band_text(self) -> str:
        """Return a sentence on the times at which the band excludes 0."""
        named = []
        for sign in (1, -1):
            runs = [
                (
                    self._time_text(self.middle[run[0]]),
                    self._time_text(self.middle[run[-1]]),
                )
                for run in _runs(self.better == sign)
            ]
            if runs:
                named.append(f"{NAMES[sign]} {_runs_text(runs)}")
        band = f"{percent(self.confidence_level)} band of all times together"
        return f"{band}: {', '.join(named) or 'no difference is found'}"

    def _time_text(self, time: Any) -> str:
        if self.middle.dtype.kind != "M":
            return short(float(time))
        return time_text(time, self.middle)

    def _test_text(self) -> str:
        text = format_pvalue(self.pvalue, alpha_of(self.confidence_level))
        return (
            f"Equal at all times: p {text if text.startswith(('<', 'u')) else f'= {text}'}"
        )

    def _sentences(self) -> list[str]:
        """Return sentences on the windows, the band and the mean of all records."""
        best, worst = int(np.argmax(self.gain)), int(np.argmin(self.gain))
        points = f"{count_text(self.window)} of {count_text(self.n_times)} time points"
        near = [
            f"around {self._time_text(self.middle[k])}, with {gain_text(self.gain[k])}"
            for k in (best, worst)
        ]
        sentences = [
            f"Mean gain in {in_one_line(self.loss)} of {records_text(self.n)}, in windows "
            f"of {points}",
            f"It is largest {near[0]}, and smallest {near[1]}",
            self._band_text(),
            self._test_text(),
            ", ".join(self.finding.lines("Of all records: mean gain")),
        ]
        return [*sentences, *self.finding.caveats]

    def _title(self) -> list[str]:
        *mean, test = lines_of(self.finding)
        band = named(self._band_text(), self.sides, escape=literal)
        lines = [", ".join(mean), test, band, self._test_text()]
        if self.finding.flags:
            # The summary explains them, in several lines each.
            lines.append(f"Flagged: {', '.join(self.finding.flags)}")
        return wrapped(lines, LINE_CHARACTERS)

    def _room(self) -> Room:
        return Room(width=6.4, height=4.2 + LINE_HEIGHT * len(self._title()))

    def _draw(self, ax: Any) -> None:
        for sign, style in SHADES.items():
            members = self.better == sign
            # The grey band is below the others, so that no gaps are between them.
            runs = [range(len(members))] if sign == 0 else _runs(members)
            label = f"band: {NAMES[sign]}" if members.any() else None
            for run in runs:
                part = slice(run[0], run[-1] + 1)
                x, low, high = self.middle[part], self.low[part], self.high[part]
                ends = np.concatenate([low, high[::-1]])
                ax.fill(np.concatenate([x, x[::-1]]), ends, label=label, **style)
                label = None
        line = {"color": INK, "lw": 2, "zorder": 3}
        ax.plot(self.middle, self.gain, label="mean gain of the window", **line)
        mean = {"color": INK, "lw": 1.2, "ls": "--", "zorder": 2}
        ax.axhline(self.finding.estimate, label="mean gain of all records", **mean)
        line_of_zero(ax, vertical=False)
        dress(ax, grid="y")
        if self.middle.dtype.kind == "M":
            _date_axis(ax.xaxis)
        ax.set_ylabel(
            f"Gain in {brief(self.loss)}\n← champion better   challenger better →"
        )
        ax.set_xlabel(axis_text(f"{self.name} (middle of the window)"))
        ax.set_title("\n".join(self._title()), color=INK, fontsize="medium")
        legend_below(ax, ncols=2, columnspacing=1.5)

    def _columns(self) -> Mapping[str, Any]:
        times = {"middle": self.middle, "first": self.first, "last": self.last}
        return {
            **{name: _plain(values) for name, values in times.items()},
            "gain": self.gain.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "better": [NAMES[sign] for sign in self.better.tolist()],
        }


def _in_time(ordered: OrderedDifferences) -> OrderedDifferences:
    """Return the evidence as of records in time; raise an error if they are not."""
    design = ordered.design
    if design.kind in (TIME_ORDERED_HOLDOUT.kind, IN_TIME):
        return ordered
    if design.name not in IN_ORDER:
        raise ValueError(
            "The gain over time is that of a hold-out set, or of splits, in time order. "
            f"Got {design}. Pass predictions for records that no model was trained on, "
            "with their `time`, or compare with cv=TimeSeriesSplit()."
        )
    return replace(ordered, design=IN_ORDER[design.name])


def _by_labels(
    pair: PairedPredictions, time: Any = None, horizon: int | None = None
) -> OrderedDifferences:
    """Return the differences in the 0/1 loss, without time in the order of the records."""
    y = pair.predictions.y_predicted()
    wrong = [(role.known_labels() != y).astype(np.float64) for role in pair.roles]
    order = order_of(pair, time, horizon)
    ordered = OrderedDifferences.from_losses(*wrong, **order, loss=ZERO_ONE)
    is_holdout = pair.design.name in IN_ORDER
    return ordered if is_holdout else replace(ordered, design=pair.design)


def _drawn(gains: FloatArray, sides: IntArray, most: int) -> IntArray:
    """Return positions of windows: equally spaced, extreme, and where the side changes."""
    spaced = np.linspace(0, len(gains) - 1, min(len(gains), most)).round().astype(np.int64)
    changes = np.flatnonzero(np.diff(sides))[:most]
    extreme = [np.argmax(gains), np.argmin(gains)]
    return np.unique(np.concatenate([spaced, changes, changes + 1, extreme]))


def _runs(members: np.ndarray) -> list[range]:
    """Positions of a mask that is true, those that follow each other together."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], members, [False]])))
    return [range(start, end) for start, end in edges.reshape(-1, 2).tolist()]


def _runs_text(runs: list[tuple[str, str]]) -> str:
    """Return text on times at which the band excludes 0, all of them or the outermost."""
    if len(runs) > MOST_RUNS:
        return f"in {len(runs)} stretches from {runs[0][0]} to {runs[-1][1]}"
    texts = (f"around {a}" if a == b else f"from {a} to {b}" for a, b in runs)
    return " and ".join(texts)


def _plain(times: np.ndarray) -> list[Any]:
    """Times as numbers or datetimes."""
    if times.dtype.kind == "M":
        times = times.astype("datetime64[us]")
    return list(times.tolist())


def _date_axis(axis: Any) -> None:
    """Label dates in few characters."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=7)
    axis.set_major_locator(locator)
    axis.set_major_formatter(ConciseDateFormatter(locator))
