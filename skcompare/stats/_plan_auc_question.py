"""What a comparison of two AUCs is to show, and what that takes if something is true."""

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr, ndtri

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare.stats._plan_auc_result import AUCPlan, AUCPlanScenario
from skcompare.stats._plan_question import GOALS
from skcompare.stats._sample_size import check_power, tail_of

LEAST = 2
"""Records of each class; DeLong's variance needs two."""

ROUNDING = 1e-9
"""A number of records this close above a whole one is that one."""

BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class Truth:
    """What is supposed: the difference and its variances times the number of positives."""

    difference: float
    variance: float
    null_variance: float


@dataclass(frozen=True, slots=True)
class AUCQuestion:
    """What is to be shown and how, but for the truth."""

    goal: str
    margin: float | None
    alpha: float
    power: float
    alternative: str
    n: int | None
    prevalence: float
    design_effect: float = 1.0

    @classmethod
    def checked(
        cls,
        goal: str,
        margin: float | None,
        alpha: float,
        power: float,
        alternative: str,
        n: int | None,
        prevalence: float,
        design_effect: float,
    ) -> "AUCQuestion":
        check_choice("goal", goal, GOALS)
        check_alternative(alternative)
        if goal != "difference":
            direction = "greater" if goal == "noninferiority" else "two-sided"
            if alternative not in ("two-sided", direction):
                raise ValueError(
                    f"goal={goal!r} has its own direction. Got alternative="
                    f"{alternative!r}. Leave it out, or exchange the classifiers."
                )
            alternative = direction
        alpha = check_alpha(alpha)
        check_power(power, alpha)
        check_between(
            "prevalence", prevalence, 0, 1, "It is the share of positives in the records."
        )
        check_between(
            "design_effect", design_effect, 0, math.inf, "1 stands for unrelated records."
        )
        return cls(
            goal,
            _checked_margin(goal, margin),
            alpha,
            float(power),
            alternative,
            None if n is None else _checked_records(n, prevalence),
            float(prevalence),
            float(design_effect),
        )

    @property
    def kappa(self) -> float:
        """Negatives for each positive."""
        return (1 - self.prevalence) / self.prevalence

    def distance(self, difference: float) -> float:
        """How far a difference is from those that are not to be shown; above 0 outside."""
        if self.margin is not None:
            kept = difference if self.goal == "noninferiority" else -abs(difference)
            return self.margin + kept
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference

    def power_at(self, positives: float, truth: Truth) -> float:
        """Probability of success with so many unrelated positives."""
        d, root = truth.difference, math.sqrt(positives)
        if self.margin is None:
            z = -float(ndtri(tail_of(self.alpha, self.alternative)))
            sides = {"greater": (d,), "less": (-d,)}.get(self.alternative, (d, -d))
            return sum(_beyond(root * side, z, truth) for side in sides)
        z = -float(ndtri(self.alpha))
        shown = _beyond(root * (self.margin + d), z, truth)
        if self.goal == "equivalence":
            shown += _beyond(root * (self.margin - d), z, truth) - 1
        return max(0.0, shown)

    def answer(self, name: str, truth: Truth) -> AUCPlanScenario:
        """Records and power if this is the truth."""
        d = truth.difference
        if self.n is not None:
            positives = self.n * self.prevalence
            negatives = self.n - positives
            power = self.power_at(positives / self.design_effect, truth)
            return AUCPlanScenario(name, d, positives, negatives, power)
        if self.distance(d) <= 0:
            return AUCPlanScenario(name, d, math.inf, math.inf, math.nan)
        needed = self._positives(truth) * self.design_effect
        positives = max(LEAST, math.ceil(needed - ROUNDING))
        negatives = max(LEAST, math.ceil(needed * self.kappa - ROUNDING))
        # Whichever class is rounded up less says how much the power is at least.
        at_least = min(positives, negatives / self.kappa) / self.design_effect
        power = self.power_at(max(at_least, needed / self.design_effect), truth)
        return AUCPlanScenario(name, d, float(positives), float(negatives), power)

    def _positives(self, truth: Truth) -> float:
        """Fewest unrelated positives with the power, as a fraction."""
        if self.goal != "equivalence":
            z = -float(ndtri(tail_of(self.alpha, self.alternative)))
            if self.margin is not None:
                z = -float(ndtri(self.alpha))
            reach = z * math.sqrt(truth.null_variance)
            reach += float(ndtri(self.power)) * math.sqrt(truth.variance)
            return max(0.0, reach / self.distance(truth.difference)) ** 2
        least, most = 0.0, 1.0
        while self.power_at(most, truth) < self.power:
            most *= 2
        for _ in range(BISECTIONS):
            middle = (least + most) / 2
            enough = self.power_at(middle, truth) >= self.power
            least, most = (least, middle) if enough else (middle, most)
        return most

    def plan(
        self,
        areas: tuple[float, float],
        truth: Truth,
        scenarios: tuple[AUCPlanScenario, ...],
        **words: Any,
    ) -> AUCPlan:
        """The plan if this is the truth, with what else may be true."""
        answer = self.answer("", truth)
        return AUCPlan(
            goal=self.goal,
            champion=areas[0],
            challenger=areas[1],
            difference=truth.difference,
            positives=answer.positives,
            negatives=answer.negatives,
            power=answer.power,
            wanted_power=self.power,
            prevalence=self.prevalence,
            variance=truth.variance,
            null_variance=truth.null_variance,
            alpha=self.alpha,
            alternative=self.alternative,
            margin=self.margin,
            design_effect=self.design_effect,
            scenarios=scenarios,
            **words,
        )

    def check_possible(self, difference: float) -> None:
        """Refuse what no number of records shows."""
        if self.n is not None or self.distance(difference) > 0:
            return
        if self.margin is not None:
            raise ValueError(
                f"No number of records shows {self.goal} with a margin of {self.margin:g} "
                f"if the difference is {difference:+g}, challenger less champion. Choose "
                "the margin by what matters, and compare classifiers that can meet it."
            )
        if difference == 0:
            raise ValueError(
                "No number of records finds a difference of 0. Got equal AUCs. Pass AUCs "
                "that differ, or goal='equivalence' or 'noninferiority' with a margin."
            )
        raise ValueError(
            f"alternative={self.alternative!r} never finds a difference of {difference:+g},"
            " challenger less champion. Turn one of them round."
        )


def _beyond(distance: float, z: float, truth: Truth) -> float:
    """Probability that an estimate this far out is beyond z null standard deviations."""
    excess = distance - z * math.sqrt(truth.null_variance)
    if truth.variance == 0:
        return float(excess > 0)
    return float(ndtr(excess / math.sqrt(truth.variance)))


def _checked_records(n: object, prevalence: float) -> int:
    count = check_count("n", n)
    fewest = count * min(prevalence, 1 - prevalence)
    if fewest < LEAST:
        raise ValueError(
            f"DeLong's test needs {LEAST} records of each class. Got n={count} with a "
            f"prevalence of {prevalence:g}, of which {fewest:g} of the rarer class are "
            "expected. Pass a larger `n`."
        )
    return count


def _checked_margin(goal: str, margin: float | None) -> float | None:
    if goal == "difference":
        if margin is not None:
            raise ValueError(
                f"goal='difference' has no margin. Got margin={margin!r}. Use "
                "goal='noninferiority' or 'equivalence'."
            )
        return None
    check_between(
        "margin",
        margin,
        0,
        1,
        "It is the largest loss of AUC that does not matter, fixed before data are seen.",
    )
    return float(margin)  # type: ignore[arg-type]


def check_between(name: str, value: object, low: float, high: float, what: str) -> None:
    """Refuse what is no number strictly between two others."""
    if not is_number(value) or not low < value < high:
        words = f"above {low:g}" if math.isinf(high) else f"in ({low:g}, {high:g})"
        raise ValueError(f"`{name}` must be a number {words}. Got {value!r}. {what}")
