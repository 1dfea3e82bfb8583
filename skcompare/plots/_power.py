"""Displays of planned comparisons: power, and detectable differences, by records."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import brentq

from skcompare._core.formatting import decimals_for, format_number
from skcompare._core.validation import check_count
from skcompare._registry.metrics import CLASSES, NUMBERS, keywords_of
from skcompare._registry.tests import options_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import (
    ClusterSums,
    ContingencyTable,
    JointCounts,
    OrderedDifferences,
    PairedLosses,
    PlacementValues,
)
from skcompare.plots.drawing._base import PairDisplay, check_options, pair_behind
from skcompare.plots.drawing._labels import WIDE, count_text, records_axis, records_text
from skcompare.plots.drawing._layout import Room, legend_at
from skcompare.plots.drawing._style import INK, SOFT, dress
from skcompare.plots.drawing._text import wrapped
from skcompare.stats import (
    AUCPlan,
    ComparisonPlan,
    LossPlan,
    TimePlan,
    plan_auc_from_pilot,
    plan_from_pilot,
    plan_loss_from_pilot,
    plan_time_from_pilot,
)
from skcompare.stats.planning import (
    AccuracyGoal,
    AUCGoal,
    AUCTruth,
    LossGoal,
    LossTruth,
    TimeGoal,
    Truth,
)

FEWEST = 4
"""Fewest records of a curve; DeLong's test needs two of each class."""

HARDLY = 1e-9


@dataclass(frozen=True, slots=True)
class Supposed:
    """Assumed true difference, with its power and number of records.

    `spread` is the disagreement of two accuracies, the standard deviation of differences of
    losses, or the variance of a difference of AUCs times the number of positives; None if
    unknown. `records` are the records needed,
    infinite if no number is enough, or the number that was set.
    """

    name: str
    difference: float
    spread: float | None
    records: float
    power: float

    @property
    def feasible(self) -> bool:
        """Whether a sufficient number of records exists."""
        return math.isfinite(self.records)


PILOTS = (PlacementValues, ClusterSums, JointCounts, PairedLosses, OrderedDifferences)
"""Evidence that is a pilot as it is, besides contingency tables."""

AnyPlan = ComparisonPlan | AUCPlan | LossPlan


def aim_of(plan: AnyPlan) -> tuple[Any, Any]:
    """Return the goal of a plan, and what it assumes to be true."""
    if isinstance(plan, ComparisonPlan):
        return AccuracyGoal.of_plan(plan), Truth(plan.difference, plan.disagreement)
    if isinstance(plan, LossPlan):
        of_losses = LossTruth(plan.difference, plan.deviation, *plan.at_margins)
        goal = TimeGoal if isinstance(plan, TimePlan) else LossGoal
        return goal.of_plan(plan), of_losses
    truth = AUCTruth(plan.difference, plan.variance, plan.null_variance)
    return AUCGoal.of_plan(plan), truth


def supposed_by(plan: AnyPlan, aim: Any, truth: Any, differences: Any) -> list[Supposed]:
    """Return the assumed difference of the plan, and its scenarios or other differences."""
    own = Supposed("plan", plan.difference, truth.spread, plan.records, plan.power)
    if differences is not None:
        return [own, *(_other(aim, truth, float(d)) for d in differences)]
    if not isinstance(plan, AUCPlan):
        return [own, *(Supposed(*scenario[:5]) for scenario in plan.scenarios)]
    supposed = [own]
    for name, difference, positives, negatives, power, variance in plan.scenarios:
        # A null variance of its own is not in the plan, so there is no curve.
        known = truth.null_variance == truth.spread and math.isfinite(positives)
        spread, records = variance if known else None, positives + negatives
        supposed.append(Supposed(name, difference, spread, records, power))
    return supposed


def _other(aim: Any, truth: Any, difference: float) -> Supposed:
    """Return another difference than that of the plan, with the records needed."""
    spread, truth = truth.spread, truth.at(difference)
    if isinstance(truth, Truth) and abs(difference) > spread:
        raise ValueError(
            f"`differences` must be at most the disagreement, {spread:g}, in size. Got "
            f"{difference!r}. Plan with a larger disagreement."
        )
    if aim.distance(difference) <= HARDLY * min(1.0, spread):
        return Supposed("", difference, spread, math.inf, math.nan)
    records = aim.records(truth)
    return Supposed("", difference, spread, records, aim.power_at(int(records), truth))


def reachable(aim: Any, truth: Any, records: int, power: float, sign: float) -> float:
    """Return the difference detectable with `records` at a power; NaN if there is none.

    For a goal with a margin it is the one that is nearest to the margin.
    """
    margin, largest = aim.margin, truth.largest
    nearest = HARDLY * min(1.0, truth.spread)

    def difference(distance: float) -> float:
        if margin is None:
            return sign * distance
        return distance - margin if aim.goal != "equivalence" else margin - distance

    def excess(distance: float) -> float:
        return float(aim.power_at(records, truth.at(difference(distance)))) - power

    end = {"difference": largest, "equivalence": margin}.get(aim.goal)
    end = largest + margin if end is None else end
    # Classifiers cannot have a difference beyond their disagreement.
    start = nearest if margin is None else max(nearest, margin - largest)
    if math.isinf(end):
        end = truth.spread / math.sqrt(records)
        while excess(end) < 0:
            start, end = end, 2 * end
    if excess(end) < 0:
        return math.nan
    if excess(start) >= 0:
        return difference(start)
    return difference(float(brentq(excess, start, end, xtol=1e-5 * end)))


def record_grid(least: float, most: float, points: int, logarithmic: bool) -> IntArray:
    """Return a grid of numbers of records, with every integer if the range is small."""
    low, high = max(FEWEST, math.floor(least)), max(FEWEST + 1, math.ceil(most))
    if high - low <= points and not logarithmic:
        return np.arange(low, high + 1)
    grid = (
        np.geomspace(low, high, points) if logarithmic else np.linspace(low, high, points)
    )
    return np.unique(np.round(grid).astype(np.int64))


LOOKS: tuple[dict[str, Any], ...] = (
    {"color": INK, "linestyle": "-", "marker": "o"},
    {"color": SOFT, "linestyle": "--", "marker": "^"},
    {"color": SOFT, "linestyle": ":", "marker": "s"},
    {"color": SOFT, "linestyle": "-.", "marker": "v"},
    {"color": SOFT, "linestyle": (0, (8, 2)), "marker": "D"},
    {"color": SOFT, "linestyle": (0, (1, 3)), "marker": "P"},
)
"""Styles of the curves, the plan first; more curves could not be distinguished."""

DOTTED: dict[str, Any] = {"color": INK, "lw": 1, "ls": (0, (1, 2))}
MARK: dict[str, Any] = {"ms": 7, "ls": "none", "zorder": 4}


class PlanDisplay(PairDisplay):
    """Base class of displays of a plan, or of a plan made from a pilot."""

    needs = ContingencyTable
    targets = (CLASSES, NUMBERS)

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a plan or a pilot, without drawing it.

        Parameters
        ----------
        result : ComparisonPlan, AUCPlan, LossPlan, Comparison, PairedPredictions, or \
evidence
            A plan; or a pilot, of which one is made by
            :func:`~skcompare.stats.plan_from_pilot` (ContingencyTable, JointCounts,
            ClusterSums, or predictions of classes),
            :func:`~skcompare.stats.plan_auc_from_pilot` (PlacementValues),
            :func:`~skcompare.stats.plan_time_from_pilot` (OrderedDifferences) or
            :func:`~skcompare.stats.plan_loss_from_pilot` (PairedLosses, or predicted
            numbers, by their absolute errors or another `loss`).
        **options : dict
            Options of the display, and of the plan where it is made from a pilot.

        Returns
        -------
        display : PlanDisplay
            Its `frame()` needs no matplotlib.
        """
        if isinstance(result, ComparisonPlan | AUCPlan | LossPlan):
            check_options(cls, options, keywords_of(cls._of_plan))
            return cls._of_plan(result, **options)
        if isinstance(result, PILOTS):
            return cls._of(result, **options)
        pair = pair_behind(result)
        if pair is not None and pair.predictions.is_numeric:
            # `alpha` and `power` are those of the plan, not of a loss.
            names = set(options_of(PairedLosses, "from_pair")) - set(cls._own_options())
            of_loss = {name: options.pop(name) for name in names & options.keys()}
            losses = cls._evidence_of(result, PairedLosses, of_loss)
            return cls._of(losses, **options)._named_by(result)
        return super().of_result(result, **options)

    @classmethod
    def _of(cls, evidence: Any, **options: Any) -> Self:
        """Create the display from a pilot, with options of the plan and of the display."""
        make = _maker(type(evidence))
        plot_options = keywords_of(cls._of_plan)
        check_options(cls, options, (*plot_options, *keywords_of(make)))
        own_options = {name: options.pop(name) for name in plot_options if name in options}
        return cls._of_plan(make(evidence, **options), **own_options)

    @classmethod
    def _own_options(cls) -> tuple[str, ...]:
        return (*keywords_of(cls._of_plan), *keywords_of(plan_from_pilot))

    @classmethod
    @abstractmethod
    def _of_plan(cls, *args: Any, **kwargs: Any) -> Self:
        """Create the display from a plan and options, without drawing it."""

    def _draw_curve(
        self, ax: Any, x: Any, y: Any, look: dict[str, Any], label: str = ""
    ) -> Any:
        """Draw a curve in one of the styles, that of the plan wider."""
        width = 2 if look is LOOKS[0] else 1.5
        [curve] = ax.plot(x, y, lw=width, label=label, **look | {"marker": None})
        return curve


def _maker(evidence: type) -> Any:
    """Return the function that makes a plan of a pilot with evidence of a type."""
    if issubclass(evidence, PlacementValues):
        return plan_auc_from_pilot
    if issubclass(evidence, OrderedDifferences):
        return plan_time_from_pilot
    return plan_loss_from_pilot if issubclass(evidence, PairedLosses) else plan_from_pilot


def _measure_of(plan: AnyPlan, aim: Any) -> str:
    if isinstance(plan, TimePlan):
        return plan.loss
    return f"mean {plan.loss}" if isinstance(plan, LossPlan) else str(aim.measure)


def _signed(difference: float, least: int = 3) -> str:
    """Format a difference with as many decimals as its unit needs."""
    return format_number(difference, decimals_for(difference, least=least), signed=True)


@dataclass(eq=False, repr=False)
class PowerDisplay(PlanDisplay, title="Power"):
    """Power of a planned comparison as a function of the number of records.

    Each curve is the power under one assumed difference: that of the plan, and its
    scenarios or other differences. The mark on it is the number of records that is needed,
    or that was set. The curve of the plan is solid, and the dotted line is the requested
    power.

    Parameters
    ----------
    supposed : list of Supposed
        Supposed differences, that of the plan first, with the records needed.
    records : ndarray of shape (n_points,)
        Numbers of records.
    powers : list of ndarray of shape (n_points,)
        Power of each of `supposed`; NaN where a plan does not determine a curve.
    required_power : float
        The requested power.
    text : list of str
        The result and the question of the plan.
    measure : str
        The compared measure.

    Attributes
    ----------
    ax_, axes_, figure_
        See :class:`Display`.

    See Also
    --------
    SampleSizeDisplay : Differences that numbers of records can show.
    skcompare.stats.plan_comparison : The plan.

    Notes
    -----
    The constructors take these options:

    differences : sequence of float, optional
        True differences to draw instead of the plan's scenarios, at most five.
    points : int, default=48
        Number of points of a curve; all numbers of records where these are few.

    `from_estimators`, `from_predictions` and `from_result` take predictions for the records
    of a pilot, and the options of :func:`~skcompare.stats.plan_from_pilot`, or for
    predicted numbers those of :func:`~skcompare.stats.plan_loss_from_pilot` and `loss`. The
    power of accuracies is exact where the plan's is, so that it is not monotone in the
    number of records. That of AUCs is a normal approximation.

    Examples
    --------
    >>> from skcompare.plots import PowerDisplay
    >>> from skcompare.stats import plan_comparison
    >>> plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    >>> display = PowerDisplay.of_result(plan, differences=[0.04], points=5)
    >>> display.summary.split(". ")[0]
    'With difference +0.050 it takes 461 records for a power of 0.8'
    >>> display.frame().columns.tolist()
    ['supposed', 'difference', 'records', 'power']
    """

    supposed: list[Supposed]
    records: IntArray
    powers: list[FloatArray]
    required_power: float
    text: list[str]
    measure: str

    @classmethod
    def _of_plan(cls, plan: Any, *, differences: Any = None, points: int = 48) -> Self:
        check_count("points", points, least=2)
        aim, truth = aim_of(plan)
        if differences is not None:
            differences = tuple(np.ravel(differences).tolist())
            _check_few(differences)
        supposed = supposed_by(plan, aim, truth, differences)[: len(LOOKS)]
        needed = [scenario.records for scenario in supposed if scenario.feasible]
        least, most = (min(needed) / 4, 1.6 * max(needed)) if needed else (20.0, 20_000.0)
        records = record_grid(least, most, points, most / max(1.0, least) > WIDE)
        powers = [
            np.full(len(records), np.nan)
            if scenario.spread is None
            else _powers(aim, truth.at(scenario.difference, scenario.spread), records)
            for scenario in supposed
        ]
        title, measure = str(plan).split("\n")[:2], _measure_of(plan, aim)
        return cls(supposed, records, powers, plan.required_power, title, measure)

    def _sentences(self) -> list[str]:
        """Return a sentence on the records needed for each assumed difference."""
        return [
            f"With {self._scenario_text(scenario)} {self._records_text(scenario)}"
            for scenario in self.supposed
        ]

    def _scenario_text(self, scenario: Supposed) -> str:
        """Format an assumed difference."""
        text = f"difference {_signed(scenario.difference)}"
        if scenario.name in ("plan", ""):
            return text
        if self.measure == "accuracy":
            text = f"{text}, disagreement {scenario.spread:.3f}"
        return f"{text} ({scenario.name})"

    def _records_text(self, scenario: Supposed) -> str:
        """Format the number of records needed."""
        if not scenario.feasible:
            return "no number of records is enough"
        if scenario.power < self.required_power:
            return f"{count_text(scenario.records)} records have power {scenario.power:.3f}"
        count = count_text(scenario.records)
        return f"it takes {count} records for a power of {self.required_power:g}"

    def _legend_label(self, scenario: Supposed) -> str:
        """Format an assumed difference and its number of records for the legend."""
        records = "no number of records"
        if scenario.feasible:
            records = f"{count_text(scenario.records)} records"
        is_less = scenario.power < self.required_power
        power = f", power {scenario.power:.2f}" if is_less else ""
        return f"{self._scenario_text(scenario)}: {records}{power}"

    def _room(self) -> Room:
        return Room(width=6.4, height=3.9 + 0.24 * len(self.supposed))

    def _draw(self, ax: Any) -> None:
        for scenario, powers, look in zip(self.supposed, self.powers, LOOKS):
            if not np.isnan(powers).all():
                self._draw_curve(ax, self.records, powers, look)
            if scenario.feasible:
                mark = {"color": look["color"], "marker": look["marker"], **MARK}
                ax.plot([scenario.records], [scenario.power], **mark)
        ax.axhline(self.required_power, **DOTTED)
        dress(ax)
        ax.set_ylim(0, 1.03)
        records_axis(ax.xaxis, self.records)
        ax.set_ylabel("Power")
        self._mark_requested(ax)
        ax.set_title("\n".join(wrapped(self.text, 64)), color=INK, fontsize="medium")
        self._draw_handles(ax)

    def _mark_requested(self, ax: Any) -> None:
        """Mark the number of records of the plan and the requested power on the axes."""
        plan = self.supposed[0]
        if plan.feasible:
            ax.vlines(plan.records, 0, plan.power, **DOTTED)
        requested, ticks = self.required_power, np.linspace(0, 1, 6)
        distances = np.abs(ticks - requested)
        if distances.min() >= 0.02:
            # The label of a near tick would touch that of the requested power.
            near = distances < 0.06
            labels = ["" if hidden else f"{tick:.1f}" for tick, hidden in zip(ticks, near)]
            ax.set_yticks([*ticks, requested], [*labels, f"{requested:g}"])

    def _draw_handles(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], lw=1.5, ms=6, label=self._legend_label(scenario), **look)
            for scenario, look in zip(self.supposed, LOOKS)
        ]
        legend_at(ax, -0.17, handles, handlelength=3.2)

    def _columns(self) -> Mapping[str, Any]:
        rows = [
            (scenario.name or "difference", scenario.difference, int(n), float(power))
            for scenario, powers in zip(self.supposed, self.powers)
            for n, power in zip(self.records, powers)
        ]
        names = ("supposed", "difference", "records", "power")
        return dict(zip(names, zip(*rows)))


def _powers(aim: Any, truth: Any, records: IntArray) -> FloatArray:
    return np.array([aim.power_at(int(n), truth) for n in records])


def _check_few(differences: tuple[float, ...]) -> None:
    if not 0 < len(differences) < len(LOOKS) or not np.isfinite(differences).all():
        raise ValueError(
            f"`differences` must be one to {len(LOOKS) - 1} finite numbers. Got "
            f"{list(differences)!r}. Draw more in another picture."
        )


AROUND = 8
"""Factor by which the curve extends below and above the records of the plan."""

USUAL = 1000.0
"""Center of the curve where no number of records is enough for the plan."""

SECOND = 0.9
"""Power of the second curve."""

CHALLENGER_MINUS, CHAMPION_MINUS = "challenger − champion", "champion − challenger"
GAIN = "positive where the challenger is better"


def _supposed_text(plan: AnyPlan) -> str:
    """Text of what a plan assumes besides the difference."""
    if isinstance(plan, ComparisonPlan):
        return f"disagreement {plan.disagreement:.3g}"
    if isinstance(plan, LossPlan):
        return f"standard deviation of differences {plan.deviation:.3g}"
    return str(plan.assumption)


@dataclass(eq=False, repr=False)
class SampleSizeDisplay(PlanDisplay, title="Records needed"):
    """Detectable differences by the number of records, at constant power.

    Along a curve the power is constant. The mark is the plan's difference with the records
    needed; where the number of records was set, it is the difference that these show.
    Everything else is as assumed in the plan, above all the disagreement of the two
    classifiers.

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
    contrast : str
        Which of the two is subtracted, so that a positive difference favours the
        challenger.

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
    of a pilot, and the options of :func:`~skcompare.stats.plan_from_pilot`, or for
    predicted numbers those of :func:`~skcompare.stats.plan_loss_from_pilot` and `loss`.

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
    contrast: str = CHALLENGER_MINUS

    @classmethod
    def _of_plan(cls, plan: Any, *, powers: Any = None, points: int = 16) -> Self:
        check_count("points", points, least=2)
        aim, truth = aim_of(plan)
        required, powers = plan.required_power, _checked_powers(powers, plan)
        center = plan.records if plan.feasible else USUAL
        records = record_grid(center / AROUND, center * AROUND, points, True)
        sign = -1.0 if plan.alternative == "less" or plan.difference < 0 else 1.0
        differences = [
            np.array([reachable(aim, truth, int(n), power, sign) for n in records])
            for power in powers
        ]
        mark = plan.difference, float(plan.records)
        if not plan.feasible:
            mark = math.nan, math.nan
        elif not plan.enough:
            mark = reachable(aim, truth, int(plan.records), required, sign), plan.records
        texts = str(plan).split("\n")[1], _supposed_text(plan), _measure_of(plan, aim)
        contrast = (CHALLENGER_MINUS, CHAMPION_MINUS)[isinstance(plan, LossPlan)]
        contrast = GAIN if isinstance(plan, TimePlan) else contrast
        return cls(records, powers, required, differences, mark, *texts, contrast)

    def _sentences(self) -> list[str]:
        """Return sentences on the mark and the ends of each curve."""
        difference, records = self.marked
        sentences = [f"Records needed {self.question}, {self.supposed}"]
        if math.isfinite(difference):
            sentences.append(
                f"{records_text(records)} show a difference of {_signed(difference, 4)} "
                f"with power {self.required_power:g}"
            )
        for power, differences in zip(self.powers, self.differences):
            finite = np.flatnonzero(np.isfinite(differences))
            ends = [
                f"{records_text(self.records[k])} {_signed(differences[k], 4)}"
                for k in sorted({*finite[:1].tolist(), *finite[-1:].tolist()})
            ]
            if ends:
                sentences.append(f"With power {power:g} {', '.join(ends)}")
        return sentences

    def _room(self) -> Room:
        return Room(width=6.4, height=4.4)

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        other_looks, curves = iter(LOOKS[1:]), []
        for power, differences in zip(self.powers, self.differences):
            look = LOOKS[0] if power == self.required_power else next(other_looks)
            label = f"power {power:g}"
            curves.append(self._draw_curve(ax, differences, self.records, look, label))
        legend_at(ax, -0.15, curves, handlelength=3.2, ncols=4)
        difference, records = self.marked
        if math.isfinite(difference):
            ax.plot([difference], [records], color=INK, marker="o", **MARK)
            edge = ax.get_xlim()[0]
            ax.hlines(records, edge, difference, **DOTTED)
            ax.vlines(difference, self.records[0], records, **DOTTED)
            ax.set_xlim(left=edge)
        dress(ax)
        records_axis(ax.yaxis, self.records)
        ax.set_ylim(self.records[0], self.records[-1])
        ax.xaxis.set_major_locator(MaxNLocator(nbins=7))
        ax.set_xlabel(f"True difference in {self.measure}, {self.contrast}")
        title = filter(None, [self._mark_text(), self.question, self.supposed])
        ax.set_title("\n".join(wrapped(list(title), 72)), color=INK, fontsize="medium")

    def _mark_text(self) -> str:
        difference, records = self.marked
        if not math.isfinite(difference):
            return "No number of records is enough for the plan"
        return f"{records_text(records)} for a difference of {_signed(difference)}"

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
