"""Display of detectable differences by the number of records."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skcompare._core.validation import check_count
from skcompare._typing import FloatArray, IntArray
from skcompare.plots._power import (
    LOOKS,
    PlanDisplay,
    draw_records,
    reachable,
    record_grid,
    requested,
)
from skcompare.plots.drawing._labels import records_text
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import INK, dress

AROUND = 8
"""Factor by which the curve extends below and above the records of the plan."""

USUAL = 1000.0
"""Center of the curve where no number of records is enough for the plan."""

SECOND = 0.9
"""Power of the second curve."""


@dataclass(eq=False, repr=False)
class SampleSizeDisplay(PlanDisplay):
    """Detectable differences by the number of records, at constant power.

    Along a curve the power is constant. The mark is the plan's difference with the records
    needed; where the number of records was set, it is the difference that these show. All
    else is as the plan supposes, above all the disagreement of the two classifiers.

    Parameters
    ----------
    records : ndarray of shape (n_points,)
        Numbers of records.
    powers : list of float
        The power of each curve.
    required_power : float
        The requested power of the plan, whose curve is solid.
    differences : list of ndarray of shape (n_points,)
        The true difference that is shown with each power; NaN if none is.
    marked : tuple of two float
        Difference and records of the mark; NaN if there is none.
    question : str
        The goal of the plan.
    supposed : str
        The assumption besides the difference.
    measure : str
        The compared measure.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    PowerDisplay : The power of numbers of records.
    skcompare.stats.plan_comparison : The plan.

    Notes
    -----
    The constructors take these options:

    powers : sequence of float, optional
        Powers of the curves; by default the requested one and 0.9.
    points : int, default=16
        Number of points of a curve.

    `from_estimators`, `from_predictions` and `from_result` take predictions for the records
    of a pilot, and the options of :func:`~skcompare.stats.plan_from_pilot`.

    Examples
    --------
    >>> from skcompare.plots import SampleSizeDisplay
    >>> from skcompare.stats import plan_comparison
    >>> plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    >>> display = SampleSizeDisplay.of_result(plan, powers=[0.8], points=3)
    >>> print(display.frame().round(3))
       power  records  difference
    0    0.8       57       0.132
    1    0.8      458       0.050
    2    0.8     3688       0.018
    """

    records: IntArray
    powers: list[float]
    required_power: float
    differences: list[FloatArray]
    marked: tuple[float, float]
    question: str
    supposed: str
    measure: str

    @classmethod
    def _of_plan(cls, plan: Any, *, powers: Any = None, points: int = 16) -> Self:
        check_count("points", points, least=2)
        question = requested(plan)
        chosen_powers = _checked_powers(powers, plan)
        center = plan.records if plan.feasible else USUAL
        records = record_grid(center / AROUND, center * AROUND, points, True)
        sign = -1.0 if plan.alternative == "less" or plan.difference < 0 else 1.0
        differences = [
            np.array([reachable(question, int(n), power, sign) for n in records])
            for power in chosen_powers
        ]
        marked = (plan.difference, float(plan.records))
        if not plan.feasible:
            marked = (math.nan, math.nan)
        elif not plan.enough:
            power = plan.required_power
            marked = (reachable(question, int(plan.records), power, sign), plan.records)
        supposed = (
            f"disagreement {plan.disagreement:.3g}"
            if hasattr(plan, "disagreement")
            else str(plan.assumption)
        )
        plan_question = str(plan).split("\n")[1]
        return cls(
            records,
            chosen_powers,
            plan.required_power,
            differences,
            marked,
            plan_question,
            supposed,
            question.measure,
        )

    @property
    def summary(self) -> str:
        """Text summary of the mark and the ends of each curve."""
        difference, records = self.marked
        sentences = [f"Records needed {self.question}, {self.supposed}"]
        if math.isfinite(difference):
            sentences.append(
                f"{records_text(records)} show a difference of {difference:+.4f} with "
                f"power {self.required_power:g}"
            )
        for power, differences in zip(self.powers, self.differences):
            finite = np.flatnonzero(np.isfinite(differences))
            ends = [
                f"{records_text(self.records[k])} {differences[k]:+.4f}"
                for k in sorted({*finite[:1].tolist(), *finite[-1:].tolist()})
            ]
            if ends:
                sentences.append(f"With power {power:g} {', '.join(ends)}")
        return f"{'. '.join(sentences)}."

    def _room(self) -> Room:
        return Room(width=6.4, height=4.4)

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        other_styles = iter(LOOKS[1:])
        for power, differences in zip(self.powers, self.differences):
            line_style = LOOKS[0] if power == self.required_power else next(other_styles)
            line = {name: value for name, value in line_style.items() if name != "marker"}
            label = f"power {power:g}"
            ax.plot(
                differences,
                self.records,
                lw=2 if line_style is LOOKS[0] else 1.5,
                **line,
                label=label,
            )
        difference, records = self.marked
        if math.isfinite(difference):
            ax.plot(
                [difference], [records], color=INK, marker="o", ms=7, ls="none", zorder=4
            )
            dots = {"color": INK, "lw": 1, "ls": (0, (1, 2))}
            edge = ax.get_xlim()[0]
            ax.hlines(records, edge, difference, **dots)
            ax.vlines(difference, self.records[0], records, **dots)
            ax.set_xlim(left=edge)
        dress(ax)
        draw_records(ax.yaxis, self.records)
        ax.set_ylim(self.records[0], self.records[-1])
        ax.xaxis.set_major_locator(MaxNLocator(nbins=7))
        ax.set_xlabel(f"True difference in {self.measure}, challenger − champion")
        title = [self._mark_text(), self.question, self.supposed]
        ax.set_title("\n".join(filter(None, title)), color=INK, fontsize="medium")
        legend = ax.legend(
            loc="upper left",
            bbox_to_anchor=(-0.02, -0.15),
            ncols=4,
            frameon=False,
            fontsize="small",
            handlelength=3.2,
        )
        for text in legend.get_texts():
            text.set_color(INK)

    def _mark_text(self) -> str:
        difference, records = self.marked
        if not math.isfinite(difference):
            return "No number of records is enough for the plan"
        return f"{records_text(records)} for a difference of {difference:+.3f}"

    def _columns(self) -> Mapping[str, Any]:
        rows = [
            (power, int(n), float(difference))
            for power, differences in zip(self.powers, self.differences)
            for n, difference in zip(self.records, differences)
        ]
        return dict(zip(("power", "records", "difference"), zip(*rows)))


def _checked_powers(powers: Any, plan: Any) -> list[float]:
    if powers is None:
        powers = [plan.required_power, *([SECOND] if plan.required_power < SECOND else [])]
    checked = [float(power) for power in np.ravel(powers)]
    if not 0 < len(checked) < len(LOOKS) or not all(plan.alpha < p < 1 for p in checked):
        raise ValueError(
            f"`powers` must be one to {len(LOOKS) - 1} numbers above alpha, "
            f"{plan.alpha:g}, and below 1. Got {powers!r}. 0.8 and 0.9 are usual."
        )
    return checked
