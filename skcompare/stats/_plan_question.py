"""What a comparison is to show, and what that takes if something is true."""

import math
from dataclasses import dataclass

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare.stats._margin_power import fewest_records, margin_power, margin_records
from skcompare.stats._plan import ComparisonPlan, PlanScenario
from skcompare.stats._power import (
    METHODS,
    SEARCHED,
    by_formula,
    mcnemar_power,
    mcnemar_records,
)
from skcompare.stats._sample_size import check_power

GOALS = ("difference", "noninferiority", "equivalence")
ALL_METHODS = (*METHODS, "score")

ROUNDING = 1e-9
"""A number of records this close above a whole one is that one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be shown and how, but for the truth."""

    goal: str
    margin: float | None
    alpha: float
    power: float
    alternative: str
    method: str
    n: int | None
    design_effect: float = 1.0

    @classmethod
    def checked(
        cls,
        goal: str,
        margin: float | None,
        alpha: float,
        power: float,
        alternative: str,
        method: str | None,
        n: int | None,
    ) -> "Question":
        check_choice("goal", goal, GOALS)
        check_alternative(alternative)
        own = "mid-p" if goal == "difference" else "score"
        method = check_choice("method", own if method is None else method, ALL_METHODS)
        if (method == "score") != (own == "score"):
            raise ValueError(
                f"goal={goal!r} has no method {method!r}. Use one of "
                f"{', '.join(METHODS) if goal == 'difference' else 'score'}."
            )
        margin = _checked_margin(goal, margin)
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
        n = None if n is None else check_count("n", n)
        return cls(goal, margin, alpha, float(power), alternative, method, n)

    def distance(self, difference: float) -> float:
        """How far a difference is from those that are not to be shown; above 0 outside."""
        if self.margin is not None:
            kept = difference if self.goal == "noninferiority" else -abs(difference)
            return self.margin + kept
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference

    def plan(
        self,
        accuracies: tuple[float, float],
        disagreement: float,
        assumption: str,
        scenarios: tuple[PlanScenario, ...],
    ) -> ComparisonPlan:
        """The plan if these are the accuracies, with what else may be true."""
        difference = difference_of(*accuracies)
        answer = self.answer("", difference, disagreement)
        return ComparisonPlan(
            goal=self.goal,
            champion=accuracies[0],
            challenger=accuracies[1],
            difference=difference,
            disagreement=answer.disagreement,
            assumption=assumption,
            possible_disagreement=possible_disagreement(*accuracies),
            records=answer.records,
            power=answer.power,
            wanted_power=self.power,
            alpha=self.alpha,
            alternative=self.alternative,
            method=self.method,
            margin=self.margin,
            design_effect=self.design_effect,
            scenarios=scenarios,
            approximate=answer.approximate,
        )

    def answer(self, name: str, difference: float, disagreement: float) -> PlanScenario:
        """Records and power if difference and disagreement are these."""
        # Rounded shares may say that they differ more than they disagree.
        disagreement = max(disagreement, abs(difference))
        records = float(self.n or 0) or self._records(difference, disagreement)
        power, approximate = math.nan, False
        if math.isfinite(records):
            unrelated = max(1, int(records / self.design_effect + ROUNDING))
            power = self._power(unrelated, difference, disagreement)
            approximate = by_formula(unrelated, disagreement)
        return PlanScenario(name, difference, disagreement, records, power, approximate)

    def _records(self, difference: float, disagreement: float) -> float:
        if self.distance(difference) <= 0:
            return math.inf
        if self.margin is not None:
            needed = margin_records(
                difference,
                disagreement,
                self.margin,
                alpha=self.alpha,
                power=self.power,
                both_sides=self.goal == "equivalence",
            )
        else:
            needed = mcnemar_records(
                difference,
                disagreement,
                alpha=self.alpha,
                power=self.power,
                alternative=self.alternative,
                method=self.method,
            )
            if needed > SEARCHED:
                needed = fewest_records(
                    lambda n: self._power(n, difference, disagreement),
                    math.ceil(needed),
                    self.power,
                )
        return float(math.ceil(needed * self.design_effect - ROUNDING))

    def _power(self, n: int, difference: float, disagreement: float) -> float:
        if self.margin is not None:
            return margin_power(
                n,
                difference,
                disagreement,
                self.margin,
                alpha=self.alpha,
                both_sides=self.goal == "equivalence",
            )
        if disagreement == 0:
            return 0.0
        return mcnemar_power(
            n,
            difference,
            disagreement,
            alpha=self.alpha,
            alternative=self.alternative,
            method=self.method,
        )

    def never(self, difference: float) -> str:
        """Why no number of records is enough."""
        if self.margin is None and difference == 0:
            return (
                "No number of records finds a difference of 0. Got equal accuracies. Pass "
                "accuracies that differ, or goal='equivalence' or 'noninferiority' with a "
                "margin."
            )
        if self.margin is None:
            return (
                f"alternative={self.alternative!r} never finds a difference of "
                f"{difference:+g}, challenger less champion. Turn one of them round."
            )
        return (
            f"No number of records shows {self.goal} with a margin of {self.margin:g} "
            f"if the difference is {difference:+g}, challenger less champion. Choose the "
            "margin by what matters, and compare classifiers that can meet it."
        )


def _checked_margin(goal: str, margin: float | None) -> float | None:
    if goal == "difference":
        if margin is not None:
            raise ValueError(
                f"goal='difference' has no margin. Got margin={margin!r}. Use "
                "goal='noninferiority' or 'equivalence'."
            )
        return None
    if is_number(margin) and 0 < margin < 1:
        return float(margin)
    raise ValueError(
        f"`margin` of {goal} must be a number in (0, 1). Got {margin!r} instead. It is the "
        "largest loss of accuracy that does not matter, fixed before the data are seen."
    )


def difference_of(champion: float, challenger: float) -> float:
    """Challenger less champion, without the noise of floating point."""
    # 0.85 - 0.8 is a little less than 0.05 in floating point.
    return round(challenger - champion, 12)


def possible_disagreement(champion: float, challenger: float) -> tuple[float, float]:
    """Least and greatest disagreement of classifiers with these accuracies."""
    total = champion + challenger
    least = abs(difference_of(champion, challenger))
    return least, max(least, round(min(total, 2 - total), 12))
