"""Display of the power of a planned comparison by the number of records."""

import math
import textwrap
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.optimize import brentq

from skcompare._core.validation import check_count
from skcompare._registry.entries import keywords_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClusterSums, ContingencyTable, JointCounts, PlacementValues
from skcompare.plots._base import PairDisplay, check_options
from skcompare.plots.drawing._labels import count_text, count_tick, short_tick
from skcompare.plots.drawing._layout import Room
from skcompare.plots.drawing._style import INK, SOFT, dress
from skcompare.stats import AUCPlan, ComparisonPlan, plan_auc_from_pilot, plan_from_pilot
from skcompare.stats.planning import AUCQuestion, Question, Truth

FEWEST = 4
"""Fewest records of a curve; DeLong's test needs two of each class."""

HARDLY = 1e-9
LARGEST_VARIANCE = 1e6


@dataclass(frozen=True, slots=True)
class Supposed:
    """Assumed true difference, with its power and number of records.

    `spread` is the disagreement of two accuracies, or the variance of a difference of AUCs
    times the number of positives; None if unknown. `records` are the records needed,
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


class AccuracyAsked:
    """Power calculator of a plan for accuracies, for other records and differences."""

    measure = "accuracy"

    def __init__(self, plan: ComparisonPlan) -> None:
        self.question = Question(
            plan.goal,
            plan.margin,
            plan.alpha,
            plan.required_power,
            plan.alternative,
            plan.method,
            None,
            plan.design_effect,
        )
        self.spread = plan.disagreement

    def power(self, records: int, difference: float, spread: float) -> float:
        """Compute the power for a number of records."""
        return replace(self.question, n=records).scenario("", difference, spread).power

    def needed(self, difference: float, power: float) -> float:
        """Compute the records needed for a power; infinite if no number is enough."""
        question = replace(self.question, power=power)
        return question.scenario("", difference, self.spread).records

    def beyond(self, difference: float) -> bool:
        """Whether a difference is detectable, and possible with the disagreement."""
        possible = abs(difference) <= self.spread
        return possible and self.question.distance(difference) > HARDLY


class AUCAsked:
    """Power calculator of a plan for AUCs, for other records and differences."""

    measure = "AUC"

    def __init__(self, plan: AUCPlan) -> None:
        self.question = AUCQuestion(
            plan.goal,
            plan.margin,
            plan.alpha,
            plan.required_power,
            plan.alternative,
            None,
            plan.prevalence,
            plan.design_effect,
        )
        self.spread = plan.variance
        self.null = plan.null_variance

    def truth(self, difference: float, spread: float) -> Truth:
        """Return the assumed truth, with a null variance proportional to `spread`."""
        ratio = self.null / self.spread if self.spread else 1.0
        return Truth(difference, spread, ratio * spread)

    def power(self, records: int, difference: float, spread: float) -> float:
        """Compute the power for a number of records by the plan's normal approximation."""
        positives = records * self.question.prevalence / self.question.design_effect
        return self.question.power_at(positives, self.truth(difference, spread))

    def needed(self, difference: float, power: float) -> float:
        """Compute the records needed for a power; infinite if no number is enough."""
        question = replace(self.question, power=power)
        plan = question.scenario("", self.truth(difference, self.spread))
        return plan.positives + plan.negatives

    def beyond(self, difference: float) -> bool:
        """Whether a difference is detectable."""
        return self.question.distance(difference) > HARDLY

    def spread_of(self, scenario: Any) -> float | None:
        """Solve for the variance of a scenario given its power; None if not determined."""
        if self.null != self.spread or not math.isfinite(scenario.positives):
            return None
        kappa = self.question.kappa
        positives = min(scenario.positives, scenario.negatives / kappa)
        positives /= self.question.design_effect
        d = scenario.difference

        def excess(log_variance: float) -> float:
            v = math.exp(log_variance)
            return self.question.power_at(positives, Truth(d, v, v)) - scenario.power

        ends = (
            math.log(self.spread / LARGEST_VARIANCE),
            math.log(self.spread * LARGEST_VARIANCE),
        )
        if excess(ends[0]) * excess(ends[1]) > 0:
            return None
        return math.exp(float(brentq(excess, *ends, xtol=1e-12)))


def requested(plan: ComparisonPlan | AUCPlan) -> AccuracyAsked | AUCAsked:
    """Return the power calculator of a plan."""
    if isinstance(plan, ComparisonPlan):
        return AccuracyAsked(plan)
    if isinstance(plan, AUCPlan):
        return AUCAsked(plan)
    raise TypeError(
        "`result` must be a plan, such as plan_comparison and plan_auc_comparison give, or "
        f"a pilot. Got {type(plan).__name__}."
    )


def supposed_by(
    plan: ComparisonPlan | AUCPlan,
    question: AccuracyAsked | AUCAsked,
    differences: tuple[float, ...] | None,
) -> list[Supposed]:
    """Return the assumed difference of the plan, and its scenarios or other differences."""
    if isinstance(plan, ComparisonPlan):
        spread = plan.disagreement
        others = [
            Supposed(s.name, s.difference, s.disagreement, s.records, s.power)
            for s in plan.scenarios
        ]
    else:
        assert isinstance(question, AUCAsked)
        spread = plan.variance
        others = [
            Supposed(
                s.name,
                s.difference,
                question.spread_of(s),
                s.positives + s.negatives,
                s.power,
            )
            for s in plan.scenarios
        ]
    if differences is not None:
        others = [
            _other(question, float(difference), spread, plan.required_power)
            for difference in differences
        ]
    return [Supposed("plan", plan.difference, spread, plan.records, plan.power), *others]


def _other(question: Any, difference: float, spread: float, power: float) -> Supposed:
    if isinstance(question, AccuracyAsked) and abs(difference) > spread:
        raise ValueError(
            f"`differences` must be at most the disagreement, {spread:g}, in size. Got "
            f"{difference!r}. Plan with a larger disagreement."
        )
    if not question.beyond(difference):
        return Supposed("", difference, spread, math.inf, math.nan)
    records = question.needed(difference, power)
    return Supposed(
        "", difference, spread, records, question.power(int(records), difference, spread)
    )


def reachable(question: Any, records: int, power: float, sign: float) -> float:
    """Return the difference detectable with `records` at a power; NaN if there is none.

    For a goal with a margin it is the one that is nearest to the margin.
    """
    plan_question = question.question
    margin, spread = plan_question.margin, question.spread
    largest = min(1.0, spread) if isinstance(question, AccuracyAsked) else 1.0

    def difference(distance: float) -> float:
        if margin is None:
            return sign * distance
        return (
            distance - margin if plan_question.goal != "equivalence" else margin - distance
        )

    def excess(distance: float) -> float:
        return question.power(records, difference(distance), spread) - power

    end = {"difference": largest, "equivalence": margin}.get(plan_question.goal)
    end = largest + margin if end is None else end
    # Classifiers cannot have a difference beyond their disagreement.
    start = HARDLY if margin is None else max(HARDLY, margin - largest)
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


WIDE = 6
"""A quarter of the ratio of numbers of records from which the scale is logarithmic."""

LONG = 20_000
"""Number of records from which the scale has short labels, such as 20k."""

LOOKS: tuple[dict[str, Any], ...] = (
    {"color": INK, "linestyle": "-", "marker": "o"},
    {"color": SOFT, "linestyle": "--", "marker": "^"},
    {"color": SOFT, "linestyle": ":", "marker": "s"},
    {"color": SOFT, "linestyle": "-.", "marker": "v"},
    {"color": SOFT, "linestyle": (0, (8, 2)), "marker": "D"},
    {"color": SOFT, "linestyle": (0, (1, 3)), "marker": "P"},
)
"""Styles of the curves, the plan first; more curves could not be distinguished."""


class PlanDisplay(PairDisplay):
    """Base class of displays of a plan, or of a plan made from a pilot."""

    needs = ContingencyTable

    @classmethod
    def of_result(cls, result: Any, **options: Any) -> Self:
        """Create the display from a plan or a pilot, without drawing it.

        Parameters
        ----------
        result : ComparisonPlan, AUCPlan, Comparison, PairedPredictions, or evidence
            A plan; or a pilot, of which one is made by
            :func:`~skcompare.stats.plan_from_pilot` (ContingencyTable, JointCounts,
            ClusterSums, or predictions) or :func:`~skcompare.stats.plan_auc_from_pilot`
            (PlacementValues).
        **options : dict
            Options of the display, and of the plan where it is made from a pilot.

        Returns
        -------
        display : PlanDisplay
            Its `frame()` needs no matplotlib.
        """
        if isinstance(result, ComparisonPlan | AUCPlan):
            check_options(cls, options, keywords_of(cls._of_plan))
            return cls._of_plan(result, **options)
        if isinstance(result, PlacementValues):
            return cls._planned(plan_auc_from_pilot, result, options)
        if isinstance(result, ClusterSums | JointCounts):
            return cls._of(result, **options)
        return super().of_result(result, **options)

    @classmethod
    def _of(cls, evidence: Any, **options: Any) -> Self:
        return cls._planned(plan_from_pilot, evidence, options)

    @classmethod
    def _planned(cls, make: Any, pilot: Any, options: dict[str, Any]) -> Self:
        """Create the display from a pilot, with options of the plan and of the display."""
        plot_options = keywords_of(cls._of_plan)
        check_options(cls, options, (*plot_options, *keywords_of(make)))
        own_options = {name: options.pop(name) for name in plot_options if name in options}
        return cls._of_plan(make(pilot, **options), **own_options)

    @classmethod
    def _own_options(cls) -> tuple[str, ...]:
        return (*keywords_of(cls._of_plan), *keywords_of(plan_from_pilot))

    @classmethod
    @abstractmethod
    def _of_plan(cls, *args: Any, **kwargs: Any) -> Self:
        """Create the display from a plan and options, without drawing it."""


@dataclass(eq=False, repr=False)
class PowerDisplay(PlanDisplay):
    """Power of a planned comparison as a function of the number of records.

    Each curve is the power under one supposed difference: that of the plan, and its
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
    of a pilot, and the options of :func:`~skcompare.stats.plan_from_pilot`. The power of
    accuracies is exact where the plan's is, so that it is not monotone in the number of
    records. That of AUCs is a normal approximation.

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
        question = requested(plan)
        if differences is not None:
            differences = tuple(np.ravel(differences).tolist())
            _check_few(differences)
        supposed = supposed_by(plan, question, differences)[: len(LOOKS)]
        needed = [scenario.records for scenario in supposed if scenario.feasible]
        least, most = (min(needed) / 4, 1.6 * max(needed)) if needed else (20.0, 20_000.0)
        records = record_grid(least, most, points, most / max(1.0, least) > 4 * WIDE)
        powers = []
        for scenario in supposed:
            difference, spread = scenario.difference, scenario.spread
            if spread is None:
                powers.append(np.full(len(records), np.nan))
                continue
            curve = [question.power(int(n), difference, spread) for n in records]
            powers.append(np.array(curve))
        title = str(plan).split("\n")[:2]
        return cls(supposed, records, powers, plan.required_power, title, question.measure)

    @property
    def summary(self) -> str:
        """Text summary of the records needed for each assumed difference."""
        return f"{'. '.join(map(self._sentence, self.supposed))}."

    def _sentence(self, scenario: Supposed) -> str:
        return f"With {self._scenario_text(scenario)} {self._records_text(scenario)}"

    def _scenario_text(self, scenario: Supposed) -> str:
        """Format an assumed difference."""
        text = f"difference {scenario.difference:+.3f}"
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
        if not scenario.feasible:
            return f"{self._scenario_text(scenario)}: no number of records"
        text = f"{self._scenario_text(scenario)}: {count_text(scenario.records)} records"
        return (
            text
            if scenario.power >= self.required_power
            else f"{text}, power {scenario.power:.2f}"
        )

    def _room(self) -> Room:
        return Room(width=6.4, height=3.9 + 0.24 * len(self.supposed))

    def _draw(self, ax: Any) -> None:
        for scenario, powers, line_style in zip(self.supposed, self.powers, LOOKS):
            line = {name: value for name, value in line_style.items() if name != "marker"}
            if not np.isnan(powers).all():
                ax.plot(
                    self.records, powers, lw=2 if line_style is LOOKS[0] else 1.5, **line
                )
            if scenario.feasible:
                ax.plot(
                    [scenario.records],
                    [scenario.power],
                    color=line_style["color"],
                    marker=line_style["marker"],
                    ms=7,
                    ls="none",
                    zorder=4,
                )
        ax.axhline(self.required_power, color=INK, lw=1, ls=(0, (1, 2)))
        dress(ax)
        ax.set_ylim(0, 1.03)
        draw_records(ax.xaxis, self.records)
        ax.set_ylabel("Power")
        self._mark_requested(ax)
        ax.set_title("\n".join(_wrapped(self.text)), color=INK, fontsize="medium")
        self._draw_legend(ax)

    def _mark_requested(self, ax: Any) -> None:
        """Mark the number of records of the plan and the requested power on the axes."""
        plan = self.supposed[0]
        if plan.feasible:
            ax.vlines(plan.records, 0, plan.power, color=INK, lw=1, ls=(0, (1, 2)))
        if not any(abs(tick - self.required_power) < 0.02 for tick in np.linspace(0, 1, 6)):
            ax.set_yticks([*np.linspace(0, 1, 6), self.required_power])
            ticks = [f"{tick:.1f}" for tick in np.linspace(0, 1, 6)]
            near = [abs(tick - self.required_power) < 0.06 for tick in np.linspace(0, 1, 6)]
            labels = ["" if hidden else tick for tick, hidden in zip(ticks, near)]
            ax.set_yticklabels([*labels, f"{self.required_power:g}"])

    def _draw_legend(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        handles = [Line2D([], [], lw=1.5, ms=6, **style) for style in LOOKS]
        labels = [self._legend_label(scenario) for scenario in self.supposed]
        legend = ax.legend(
            handles[: len(labels)],
            labels,
            loc="upper left",
            bbox_to_anchor=(-0.02, -0.17),
            frameon=False,
            fontsize="small",
            handlelength=3.2,
        )
        for text in legend.get_texts():
            text.set_color(INK)

    def _columns(self) -> Mapping[str, Any]:
        rows = [
            (scenario.name or "difference", scenario.difference, int(n), float(power))
            for scenario, powers in zip(self.supposed, self.powers)
            for n, power in zip(self.records, powers)
        ]
        names = ("supposed", "difference", "records", "power")
        return dict(zip(names, zip(*rows)))


def draw_records(axis: Any, records: IntArray) -> None:
    """Set up the axis of numbers of records, logarithmic if the range is wide."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    low, high = float(records[0]), float(records[-1])
    if high / low > 4 * WIDE:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        few = high / low < 1000
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axis.set_major_formatter(FuncFormatter(short_tick if high >= LONG else count_tick))
    axis.set_label_text("Records", color=INK)


def _check_few(differences: tuple[float, ...]) -> None:
    if not 0 < len(differences) < len(LOOKS) or not np.isfinite(differences).all():
        raise ValueError(
            f"`differences` must be one to {len(LOOKS) - 1} finite numbers. Got "
            f"{list(differences)!r}. Draw more in another picture."
        )


def _wrapped(lines: list[str]) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, 64)]
