"""Power and numbers of records of a plan, and of what else may be true."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq

from skcompare._typing import IntArray
from skcompare.stats import AUCPlan, ComparisonPlan
from skcompare.stats._plan_auc_question import AUCQuestion, Truth
from skcompare.stats._plan_question import Question

FEWEST = 4
"""Records of a curve's beginning; DeLong's test needs two of each class."""

HARDLY = 1e-9
LARGEST_VARIANCE = 1e6


@dataclass(frozen=True, slots=True)
class Supposed:
    """Something that may be true, and the power that it gives.

    `spread` is the disagreement of two accuracies, or the variance of a difference of AUCs
    times the number of positives; None where a plan does not say it. `records` are those
    that are needed, infinite where no number is enough, or those that were given.
    """

    name: str
    difference: float
    spread: float | None
    records: float
    power: float

    @property
    def feasible(self) -> bool:
        """Whether some number of records is enough."""
        return math.isfinite(self.records)


class AccuracyAsked:
    """The question of a plan for accuracies, asked again about other numbers."""

    measure = "accuracy"

    def __init__(self, plan: ComparisonPlan) -> None:
        self.question = Question(
            plan.goal,
            plan.margin,
            plan.alpha,
            plan.wanted_power,
            plan.alternative,
            plan.method,
            None,
            plan.design_effect,
        )
        self.spread = plan.disagreement

    def power(self, records: int, difference: float, spread: float) -> float:
        """Power of so many records."""
        return replace(self.question, n=records).answer("", difference, spread).power

    def needed(self, difference: float, power: float) -> float:
        """Records for a power; infinite where none are enough."""
        asked = replace(self.question, power=power)
        return asked.answer("", difference, self.spread).records

    def beyond(self, difference: float) -> bool:
        """Whether a difference can be had with this disagreement, and can be shown."""
        possible = abs(difference) <= self.spread
        return possible and self.question.distance(difference) > HARDLY


class AUCAsked:
    """The question of a plan for AUCs, asked again about other numbers."""

    measure = "AUC"

    def __init__(self, plan: AUCPlan) -> None:
        self.question = AUCQuestion(
            plan.goal,
            plan.margin,
            plan.alpha,
            plan.wanted_power,
            plan.alternative,
            None,
            plan.prevalence,
            plan.design_effect,
        )
        self.spread = plan.variance
        self.null = plan.null_variance

    def truth(self, difference: float, spread: float) -> Truth:
        """What is supposed, with the null variance that goes with it."""
        ratio = self.null / self.spread if self.spread else 1.0
        return Truth(difference, spread, ratio * spread)

    def power(self, records: int, difference: float, spread: float) -> float:
        """Power of so many records, by the normal approximation of the plan."""
        positives = records * self.question.prevalence / self.question.design_effect
        return self.question.power_at(positives, self.truth(difference, spread))

    def needed(self, difference: float, power: float) -> float:
        """Records for a power; infinite where none are enough."""
        asked = replace(self.question, power=power)
        answer = asked.answer("", self.truth(difference, self.spread))
        return answer.positives + answer.negatives

    def beyond(self, difference: float) -> bool:
        """Whether a difference can be shown."""
        return self.question.distance(difference) > HARDLY

    def spread_of(self, scenario: Any) -> float | None:
        """The variance behind a scenario, which has the power that it leads to."""
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


def asked(plan: ComparisonPlan | AUCPlan) -> AccuracyAsked | AUCAsked:
    """The question of a plan."""
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
    """The plan itself, and its scenarios or other differences."""
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
            _other(question, float(difference), spread, plan.wanted_power)
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
    """The true difference that so many records show with this power; NaN where none is.

    Of a goal with a margin it is the one that is nearest to the margin.
    """
    asked_for = question.question
    margin, spread = asked_for.margin, question.spread
    most = min(1.0, spread) if isinstance(question, AccuracyAsked) else 1.0

    def difference(distance: float) -> float:
        if margin is None:
            return sign * distance
        return distance - margin if asked_for.goal != "equivalence" else margin - distance

    def excess(distance: float) -> float:
        return question.power(records, difference(distance), spread) - power

    end = {"difference": most, "equivalence": margin}.get(asked_for.goal)
    end = most + margin if end is None else end
    # A difference beyond the disagreement is none that classifiers can have.
    start = HARDLY if margin is None else max(HARDLY, margin - most)
    if excess(end) < 0:
        return math.nan
    if excess(start) >= 0:
        return difference(start)
    return difference(float(brentq(excess, start, end, xtol=1e-5 * end)))


def record_grid(least: float, most: float, points: int, logarithmic: bool) -> IntArray:
    """Whole numbers of records: each one where they are few."""
    low, high = max(FEWEST, math.floor(least)), max(FEWEST + 1, math.ceil(most))
    if high - low <= points and not logarithmic:
        return np.arange(low, high + 1)
    spaced = (
        np.geomspace(low, high, points) if logarithmic else np.linspace(low, high, points)
    )
    return np.unique(np.round(spaced).astype(np.int64))
