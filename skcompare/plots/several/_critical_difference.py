"""Display of groups of classifiers, in the form of a critical-difference diagram."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from skcompare._analysis import PairwiseComparison, both_ways
from skcompare._core.flags import explain
from skcompare._core.formatting import (
    decimals_for,
    format_number,
    in_one_line,
    shared_decimals,
)
from skcompare._typing import FloatArray
from skcompare.plots.drawing._labels import distinct, lanes_of, spread
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import CHAMPION, INK, SOFT, mark, write
from skcompare.plots.drawing._text import REMARK, SIZE, inches_of, remark_lines, text_below
from skcompare.plots.several._several_display import SeveralDisplay, adjusted_text, names_in
from skcompare.stats.scores import range_of

APART = 0.24
"""Inches between neighbouring lines, and between rows of names."""

FAN, LANE = 0.34, 0.19
"""Inches from the axis to the vertical lines, and height of each lane of bars."""

ABOVE = 1.05
"""Height in inches of the title, the axis and its label."""

MARKS = {"better": "^", "worse": "v", "not distinguished": "o", "undefined": "x"}


@dataclass(eq=False, repr=False)
class CriticalDifferenceDisplay(SeveralDisplay, title="Who is distinguished"):
    """Groups of classifiers that do not differ significantly on shared records.

    It looks like a critical-difference diagram: an axis, a line from each classifier's
    value to its name, and bars that join classifiers without a significant difference. But
    the axis has the values of the measure instead of mean ranks, and no critical difference
    applies to all pairs: each pair is tested on the records that both predicted, and
    p-values are adjusted for the number of pairs.

    A bar joins a largest set in which no two differ, with a mark at each of its members,
    because a line between two members may belong to a classifier that differs from one of
    them. A classifier can be in several sets. Where all differ there is no bar. With a
    control there are no bars either: the others were compared only with it, and marks
    distinguish those that are better, worse or not significantly different.

    It is made by its constructors, whose options :meth:`from_predictions` lists.

    Parameters
    ----------
    several : PairwiseComparison
        The classifiers with their values, and their pairs.
    groups : tuple of tuples of str
        The largest sets of classifiers in which no two differ significantly.
    n_records : int, optional
        Tested records.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    PairwiseDisplay : The difference of every pair as a matrix.
    skcompare.MultipleComparator : The comparison itself, of any measure and design.

    Notes
    -----
    By default p-values are adjusted by the resampled greatest statistic ("max-t"), which
    uses the dependence of pairs that share records. No significant difference does not mean
    equality: see the intervals of :class:`ForestDisplay`.

    References
    ----------
    .. [1] Demšar, J. (2006). "Statistical comparisons of classifiers over multiple data
       sets." Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.plots import CriticalDifferenceDisplay
    >>> from skcompare.predictions import predictions_from_arrays
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=400)
    >>> predictions = {
    ...     name: np.where(rng.random(400) < accuracy, y, 1 - y)
    ...     for name, accuracy in {"A": 0.9, "B": 0.89, "C": 0.7}.items()
    ... }
    >>> predictions = predictions_from_arrays(y, predictions)
    >>> CriticalDifferenceDisplay.of_result(predictions).groups
    (('B', 'A'), ('C',))
    """

    several: PairwiseComparison
    groups: tuple[tuple[str, ...], ...]
    n_records: int | None = None

    @classmethod
    def _of(cls, several: PairwiseComparison, n_records: int | None) -> Self:
        return cls(several, several.groups, n_records)

    def _text(self) -> str:
        several, values = self.several, _values_in(self.several)
        text = (
            f"{len(values)} classifiers by {several.subject}; "
            f"{in_one_line(names_in(several)[0])} is first with "
            f"{_value(values[0], values)}."
        )
        if several.test is None:
            return f"{text} Nothing was tested: {several.note}."
        if several.control is not None:
            verdicts = list(_beside_control(several).values())
            kinds = [kind for kind in MARKS if kind != "undefined" or kind in verdicts]
            counts = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds)
            return f"{text} Beside the control {in_one_line(several.control)}: {counts}."
        sets = [group for group in self.groups if len(group) > 1]
        if not sets:
            return f"{text} Each two differ at {several.alpha:g}."
        joined = "; ".join(", ".join(map(in_one_line, group)) for group in sets[:3])
        more = f"; and {len(sets) - 3} more" if len(sets) > 3 else ""
        return f"{text} Not distinguished at {several.alpha:g}: {joined}{more}."

    def _columns(self) -> Mapping[str, Any]:
        several, names = self.several, names_in(self.several)
        columns: dict[str, Any] = {"classifier": names, "value": _values_in(several)}
        if several.control is not None:
            verdicts = _beside_control(several)
            columns["beside control"] = [verdicts.get(name, "control") for name in names]
            return columns
        numbers = [
            [k for k, group in enumerate(self.groups, start=1) if name in group]
            for name in names
        ]
        columns["groups"] = [", ".join(map(str, own)) for own in numbers]
        return columns

    def _room(self) -> Room:
        plan = _Plan(self.several, self.groups)
        lines = len(remark_lines(plan.remarks, plan.width))
        return Room(width=plan.width, height=plan.height + ABOVE + REMARK * lines + 0.2)

    def _draw(self, ax: Any) -> None:
        plan = _Plan(self.several, self.groups)
        several = self.several
        _draw_axis(ax, plan, self.n_records)
        for k in range(len(plan.names)):
            _draw_leader(ax, plan, k)
        if several.control is None:
            for lane, positions in zip(plan.lanes, plan.members):
                _draw_bar(ax, plan, lane, positions)
        text_below(ax, plan.remarks, plan.width, plan.sides[0], under=ax.transAxes)


class _Plan:
    """Layout of the diagram in inches below the axis, the worst classifier on the left."""

    def __init__(
        self, several: PairwiseComparison, groups: Sequence[Sequence[str]]
    ) -> None:
        self.several = several
        names, values = names_in(several), _values_in(several)
        order = range(len(names) - 1, -1, -1)
        short = distinct(names)
        defined = [k for k in order if not math.isnan(values[k])]
        self.values = np.array([values[k] for k in defined])
        self.names = [names[k] for k in defined]
        self.undefined = [short[k] for k in order if math.isnan(values[k])]
        self.verdicts = {} if several.control is None else _beside_control(several)
        # The lower half has its names on the left, from the outermost one inwards.
        self.n_left = len(defined) // 2
        self.text = [self._label(short[k], names[k], values[k], values) for k in defined]
        positions = {name: k for k, name in enumerate(self.names)}
        sets = [sorted(positions[n] for n in group if n in positions) for group in groups]
        self.members = sorted(members for members in sets if len(members) > 1)
        self.lanes = lanes_of([(members[0], members[-1]) for members in self.members])
        left = max(map(inches_of, self.text[: self.n_left] or [""]))
        right = max(map(inches_of, self.text[self.n_left :] or [""]))
        self.sides = (left + 0.1, right + 0.1)
        self.inside = max(3.6, APART * (len(defined) + 2))
        self.width = sum(self.sides) + self.inside + 0.3
        self.slots = self._slots()
        n_lanes = max(self.lanes, default=-1) + 1
        self.bars = FAN + 0.08
        self.first = self.bars + LANE * max(n_lanes, 1) + 0.1
        rows = max(self.n_left, len(defined) - self.n_left)
        self.height = self.first + APART * rows
        self.remarks = self._remarks()

    @property
    def limits(self) -> tuple[float, float]:
        """Limits of the axis, the worse one first."""
        low, high = (
            (float(self.values.min()), float(self.values.max()))
            if len(self.values)
            else (0.0, 1.0)
        )
        room = 0.06 * (high - low) or 0.02 * max(abs(low), 0.5)
        ends = (low - room, high + room)
        return ends if self.several.greater_is_better else ends[::-1]

    def level(self, k: int) -> float:
        """Return the distance of a classifier's name below the axis, in inches."""
        row = k if k < self.n_left else len(self.names) - 1 - k
        return self.first + APART * row + 0.5 * APART

    def _slots(self) -> FloatArray:
        """Return the positions of the lines, as fractions of the axis."""
        low, high = self.limits
        desired = (self.values - low) / (high - low)
        edge = 0.3 * APART / self.inside
        return spread(desired.tolist(), APART / self.inside, edge, 1 - edge)

    def _label(self, short: str, name: str, value: float, values: Sequence[float]) -> str:
        text = f"{short}  {_value(value, values)}"
        if self.several.control is None or self.several.test is None:
            return text
        return f"{text}  {self.verdicts.get(name, 'control')}"

    def _remarks(self) -> list[str]:
        several = self.several
        remarks = []
        if several.test is None:
            remarks.append(f"No bars, because nothing was tested: {several.note}.")
        elif several.control is not None:
            remarks.append(
                f"▲ better, ▼ worse than {in_one_line(several.control)} "
                f"({self._decided('<')}); ○ not distinguished from it. The others were not "
                "compared with each other."
            )
        elif not self.members:
            remarks.append(f"No bars, because all pairs differ ({self._decided('<')}).")
        else:
            remarks.append(
                "A bar joins classifiers of which no two are distinguished "
                f"({self._decided('≥')}): those with a mark on it. Not distinguished does "
                "not mean equal."
            )
        remarks.append(f"The axis has values of {several.subject}, not mean ranks.")
        pvalues = [pair.adjusted_pvalue for pair in several.pairs]
        if any(p is not None and math.isnan(p) for p in pvalues):
            same = "× marks it" if several.control else "two are not distinguished"
            remarks.append(f"Where p is undefined, {same}.")
        if self.undefined:
            names = ", ".join(self.undefined)
            remarks.append(f"Without a value of {several.subject}: {names}.")
        return [*remarks, *(f"{caveat}." for caveat in explain(several.flags))]

    def _decided(self, sign: str) -> str:
        several = self.several
        side = "" if several.alternative == "two-sided" else f", {several.alternative}"
        adjusted = adjusted_text(several)
        return f"{several.test}, {adjusted} {sign} {several.alpha:g}{side}"


def _values_in(several: PairwiseComparison) -> tuple[float, ...]:
    return tuple(row.value for row in several.classifiers)


def _beside_control(several: PairwiseComparison) -> Mapping[str, str]:
    """Return the result of the comparison of each classifier with the control."""
    labels = {}
    for (name, champion), pair in both_ways(several).items():
        if champion != several.control:
            continue
        winner, pvalue = pair.beats(several.alpha), pair.adjusted_pvalue
        if winner is not None:
            labels[name] = "better" if winner[0] == name else "worse"
        elif several.test is None:
            labels[name] = "not tested"
        elif pvalue is None or math.isnan(pvalue):
            labels[name] = "undefined"
        else:
            labels[name] = "not distinguished"
    return labels


def _draw_axis(ax: Any, plan: _Plan, n_records: int | None) -> None:
    several = plan.several
    # The axis has shares, so that the places of lines do not depend on the values.
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(plan.height, 0.0)
    from matplotlib.ticker import MaxNLocator

    low, high = plan.limits
    places = MaxNLocator(nbins=6, min_n_ticks=3).tick_values(*sorted((low, high)))
    # The axis may exceed the range of the measure, but its ticks may not.
    start, stop = sorted((low, high))
    lowest, highest = range_of(several.measure.partition("[")[0])
    if all(lowest <= value <= highest for value in plan.values):
        start, stop = max(start, lowest), min(stop, highest)
    ticks = np.array([place for place in places if start <= place <= stop])
    step = places[1] - places[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    # Steps of 2.5 need one more, or neighbours would have the same label.
    decimals += not math.isclose(round(step, decimals), step, rel_tol=1e-6)
    ax.set_xticks((ticks - low) / (high - low), [f"{tick:.{decimals}f}" for tick in ticks])
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    records = "" if n_records is None else f" on {n_records:,} records"
    better = "" if several.greater_is_better else ", lower is better"
    ax.set_xlabel(
        f"{several.subject}{records}{better}; the best on the right →",
        color=INK,
        fontsize=SIZE,
    )
    ax.set_yticks([])
    ax.tick_params(colors=INK, labelsize=SIZE)
    ax.set_facecolor("none")
    for side, spine in ax.spines.items():
        spine.set_visible(side == "top")
        spine.set_color(INK)


def _draw_leader(ax: Any, plan: _Plan, k: int) -> None:
    """Draw the line from the value of a classifier on the axis to its name."""
    low, high = plan.limits
    start = (plan.values[k] - low) / (high - low)
    slot, level = plan.slots[k], plan.level(k)
    left = k < plan.n_left
    end = 0.0 if left else 1.0
    path = [start, start, slot, slot, end], [0.0, 0.05, FAN, level, level]
    line = {"clip_on": False, "zorder": 1.5, "solid_joinstyle": "round"}
    ax.plot(*path, color=SOFT, linewidth=1.0, **line)
    ax.plot([start], [0.0], marker="o", markersize=4.5, color=INK, clip_on=False, zorder=3)
    shift, side = (-4, "right") if left else (4, "left")
    write(ax, plan.text[k], (end, level), (shift, 0), ha=side, fontsize=SIZE)
    several = plan.several
    if several.control is not None and several.test is not None:
        # The control itself has no verdict, and a square.
        verdict = plan.verdicts.get(plan.names[k], "control")
        face = "none" if verdict == "not distinguished" else CHAMPION
        style: dict[str, Any] = {"markerfacecolor": face, "markeredgewidth": 1.4}
        mark(ax, slot, plan.bars + 0.5 * LANE, MARKS.get(verdict, "s"), 8, **style)


def _draw_bar(ax: Any, plan: _Plan, lane: int, positions: Sequence[int]) -> None:
    """Draw the bar of a group, with a mark at each member."""
    y = plan.bars + LANE * (lane + 0.5)
    ends = plan.slots[[positions[0], positions[-1]]]
    ax.plot(ends, [y, y], color=CHAMPION, linewidth=3.2, zorder=2, solid_capstyle="round")
    places = plan.slots[list(positions)]
    marks = {"marker": "o", "markersize": 6.5, "linestyle": "none"}
    ax.plot(places, np.full(len(places), y), color=CHAMPION, zorder=3, **marks)


def _value(value: float, values: Sequence[float]) -> str:
    """Format a value with decimals for its unit, or up to two more for neighbours."""
    unique = sorted({v for v in values if not math.isnan(v)})
    if math.isnan(value):
        return "undefined"
    least = shared_decimals(unique)
    gaps = [b - a for a, b in pairwise(unique)]
    unit = max(map(abs, unique), default=1.0)
    smallest = min((gap for gap in gaps if gap > 1e-9 * unit), default=1.0)
    decimals = min(least + 2, max(least, math.ceil(-math.log10(smallest))))
    return format_number(value, min(decimals, decimals_for(value, least=decimals)))
