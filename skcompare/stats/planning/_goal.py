"""Goals and plans of comparisons, whatever is compared."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

from skcompare._core.design import IN_TIME, TIME_ORDERED_HOLDOUT
from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    is_number,
)
from skcompare.stats.core._limits import Pair
from skcompare.stats.core._power import Aim, check_power
from skcompare.stats.core._tails import outward
from skcompare.stats.planning._records_at_boundary import Boundary

GOALS = ("difference", "noninferiority", "equivalence")

ROUNDING = 1e-9
"""Distance above a whole number of records up to which it counts as that number."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Aim of a comparison: to detect a difference, or to show that it is small enough.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    margin : float or None
        Margin of non-inferiority or equivalence.
    alpha, power : float
        Level of the test, and the requested probability of success.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    design_effect : float, default=1.0
        Number of grouped records that are worth an independent one.
    """

    measure: ClassVar[str]
    plan_type: ClassVar[type]
    harm: ClassVar[str]
    """Name of what a margin limits."""
    contrast: ClassVar[str] = "challenger minus champion"
    largest_margin: ClassVar[float] = 1.0

    goal: str
    margin: float | None
    alpha: float
    power: float
    alternative: str
    design_effect: float = field(default=1.0, kw_only=True)

    @classmethod
    def checked(
        cls,
        goal: str,
        margin: float | None,
        alpha: float,
        power: float,
        alternative: str,
        design_effect: object = 1.0,
        **options: Any,
    ) -> Self:
        """Check the options of a goal; `options` are those of its measure."""
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
        margin = cls._checked_margin(goal, margin)
        effect = check_between(
            "design_effect", design_effect, 0, math.inf, "1 stands for independent records."
        )
        own = cls._checked_options(goal, **options) | {"design_effect": effect}
        return cls(goal, margin, alpha, float(power), alternative, **own)

    @classmethod
    def _checked_options(cls, *args: Any, **options: Any) -> dict[str, Any]:
        """Check the other attributes, given the goal."""
        raise NotImplementedError

    @classmethod
    def of_plan(cls, plan: Any) -> Self:
        """Return the goal of a plan, whose attributes have the names of those of goals."""
        values = {f.name: getattr(plan, f.name) for f in fields(cls)}
        return cls(**values | {"power": plan.required_power})

    def scenario(self, name: str, truth: Any, n: int | None = None) -> Any:
        """Return the records, or `n` of them, and their power under an assumed truth."""
        raise NotImplementedError

    def plan(
        self,
        roles: tuple[float, float],
        truth: Any,
        n: int | None,
        scenarios: tuple[Any, ...],
        **fields: Any,
    ) -> Any:
        """Return the plan under an assumed truth, with alternative scenarios.

        `roles` are the measures of champion and challenger, and `fields` further attributes
        of the plan. Its power is that of the scenario.
        """
        values = asdict(self) | self.scenario("", truth, n)._asdict() | fields
        del values["name"]
        return self.plan_type(
            **values,
            required_power=self.power,
            champion=roles[0],
            challenger=roles[1],
            scenarios=scenarios,
        )

    @property
    def aim(self) -> Aim:
        """Level, power and direction of a test of a difference."""
        return Aim(self.alpha, self.power, self.alternative)

    @property
    def boundaries(self) -> list[Boundary]:
        """Differences that are to be excluded, if there is a margin."""
        if self.margin is None:
            return []
        beyond = [Boundary(-self.margin, "greater"), Boundary(self.margin, "less")]
        return beyond if self.goal == "equivalence" else beyond[:1]

    def distance(self, difference: float) -> float:
        """Distance of a difference from the null hypothesis; positive outside it."""
        if self.margin is None:
            return outward(difference, self.alternative)
        return min(boundary.distance(difference) for boundary in self.boundaries)

    def extremes(self, truth: Any, limits: Pair, n: int | None) -> tuple[Any, ...]:
        """Return scenarios of the hardest and the easiest difference of an interval."""
        candidates = [*limits, *([0.0] if limits[0] < 0 < limits[1] else [])]
        chosen = {
            "hardest difference": min(candidates, key=self.distance),
            "easiest difference": max(candidates, key=self.distance),
        }
        return tuple(
            self.scenario(name, truth.at(difference), n)
            for name, difference in chosen.items()
        )

    def check_possible(self, difference: float, measures: str) -> None:
        """Check that some number of records can reach the goal."""
        if self.distance(difference) > 0:
            return
        if self.margin is not None:
            raise ValueError(
                f"No number of records shows {self.goal} with a margin of {self.margin:g} "
                f"if the difference is {difference:+g}, {self.contrast}. Choose "
                "the margin by what matters, and compare models that can meet it."
            )
        if difference == 0:
            raise ValueError(
                f"No number of records finds a difference of 0. Got equal {measures}. Pass "
                f"{measures} that differ, or goal='equivalence' or 'noninferiority' with a "
                "margin."
            )
        raise ValueError(
            f"alternative={self.alternative!r} never finds a difference of {difference:+g},"
            f" {self.contrast}. Reverse one of them."
        )

    @classmethod
    def _checked_margin(cls, goal: str, margin: object) -> float | None:
        if goal == "difference":
            if margin is not None:
                raise ValueError(
                    f"goal='difference' has no margin. Got margin={margin!r}. Use "
                    "goal='noninferiority' or 'equivalence'."
                )
            return None
        what = f"It is the largest {cls.harm} that does not matter, fixed before the data"
        if is_number(margin) and 0 < margin < cls.largest_margin:
            return float(margin)
        within = range_text(0, cls.largest_margin)
        raise ValueError(
            f"`margin` of {goal} must be a number {within}. Got {margin!r} instead. {what} "
            "are seen."
        )


class Plan(ABC):
    """Base class of plans, for frozen dataclasses with these attributes."""

    __slots__ = ()

    goal_texts: ClassVar[Mapping[str, str]]
    method_text: ClassVar[str] = ""

    goal: str
    power: float
    required_power: float
    alpha: float
    alternative: str
    method: str
    margin: float | None
    design_effect: float
    scenarios: tuple[Any, ...]
    records: Any

    @property
    def feasible(self) -> bool:
        """Whether some number of records is enough."""
        return math.isfinite(self.records)

    @property
    def enough(self) -> bool:
        """Whether the number of records gives the requested power."""
        return self.power >= self.required_power

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, with None for infinite or undefined numbers."""
        values = {f.name: plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]
        return values | {
            **self._further,
            "feasible": self.feasible,
            "enough": self.enough,
            "scenarios": [
                {name: plain(value) for name, value in scenario._asdict().items()}
                for scenario in self.scenarios
            ],
        }

    def __str__(self) -> str:
        direction = f", {self.alternative}" if self.goal == "difference" else ""
        goal_text = self.goal_texts[self.goal].format(margin=self._margin_text)
        method = self.method_text or self.method
        lines = [
            self._summary(),
            f"to {goal_text} ({method}{direction}, alpha {self.alpha:g})",
            *self._assumptions(),
        ]
        if self.design_effect != 1:
            lines.append(self._effect_text())
        return "\n".join([*lines, *(f"{row.name}: {row}" for row in self.scenarios)])

    def _effect_text(self) -> str:
        """Text on the records that are worth an independent one, if that is not 1."""
        return f"with {self.design_effect:.3g} records of groups worth an independent one"

    @property
    def _margin_text(self) -> str:
        """Margin of non-inferiority or equivalence as text."""
        return "" if self.margin is None else f"{self.margin:g}"

    def _summary(self) -> str:
        if not self.feasible:
            return "no number of records is enough"
        text = self._records_text()
        return text if self.enough else f"{text}, less than {self.required_power:g}"

    @property
    @abstractmethod
    def _further(self) -> dict[str, Any]:
        """Values that `to_dict` adds to the attributes."""

    @abstractmethod
    def _assumptions(self) -> list[str]:
        """Text lines about what is assumed."""

    @abstractmethod
    def _records_text(self) -> str:
        """Text of the number of records and their power."""


def check_unrelated(pilot: Any) -> None:
    """Raise an error for a pilot in time order, whose records are alike."""
    design = getattr(pilot, "design", None)
    if design is not None and design.kind in (IN_TIME, TIME_ORDERED_HOLDOUT.kind):
        raise ValueError(
            f"The plan is for independent records. Got a pilot of a {design}. Use "
            "plan_time_from_pilot, with the evidence(OrderedDifferences) of the comparison."
        )


def plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def difference_of(champion: float, challenger: float) -> float:
    """Challenger minus champion, rounded to remove floating-point noise."""
    # 0.85 - 0.8 is a little less than 0.05 in floating point.
    return round(challenger - champion, 12)


def check_between(name: str, value: object, low: float, high: float, what: str) -> float:
    """Return a value as a float if it is a number strictly between two bounds."""
    if is_number(value) and low < value < high:
        return float(value)
    within = range_text(low, high)
    raise ValueError(f"`{name}` must be a number {within}. Got {value!r}. {what}")


def range_text(low: float, high: float) -> str:
    """Text of the numbers strictly between two bounds."""
    return f"above {low:g}" if math.isinf(high) else f"in ({low:g}, {high:g})"
