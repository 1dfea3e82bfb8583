"""What a comparison of two AUCs is to show, and what that takes if something is true."""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from scipy.special import ndtr, ndtri

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare.stats.core._power import check_power, tail_of
from skcompare.stats.planning._goal import GOALS

GOAL_WORDS = {
    "difference": "find a difference of the AUCs",
    "noninferiority": "show that the challenger's AUC is less than {margin:g} lower",
    "equivalence": "show that the AUCs differ by less than {margin:g}",
}


class AUCPlanScenario(NamedTuple):
    """What a plan would be if something else were true."""

    name: str
    """What is supposed."""

    difference: float
    """AUC of the challenger less that of the champion."""

    positives: float
    """Records of the positive class that it takes; infinite where none are enough."""

    negatives: float
    """Records of the negative class."""

    power: float
    """Probability of success with these records; NaN where they are infinite."""


@dataclass(frozen=True, slots=True)
class AUCPlan:
    """How many records a comparison of two AUCs on a hold-out set takes.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        The AUCs that are supposed to be true.
    difference : float
        Challenger less champion.
    assumption : str
        Where the variance of the difference comes from.
    positives, negatives : float
        Records of each class that it takes, or that those that were given are expected to
        have; infinite where no number is enough.
    power : float
        Probability of success with these records, by a normal approximation; NaN where
        they are infinite.
    wanted_power : float
        The power that was asked for.
    prevalence : float
        Share of positives among the records.
    variance, null_variance : float
        Variance of the estimated difference times the number of positives: if the AUCs are
        as supposed, and as the level of the test supposes it.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    method : str
        How the variances were found.
    margin : float or None
        Margin of non-inferiority or equivalence.
    design_effect : float
        How many records of groups are worth an unrelated one.
    scenarios : tuple of AUCPlanScenario
        The answer if something that is not known is otherwise.
    """

    goal: str
    champion: float
    challenger: float
    difference: float
    assumption: str
    positives: float
    negatives: float
    power: float
    wanted_power: float
    prevalence: float
    variance: float
    null_variance: float
    alpha: float
    alternative: str
    method: str
    margin: float | None = None
    design_effect: float = 1.0
    scenarios: tuple[AUCPlanScenario, ...] = ()

    @property
    def records(self) -> float:
        """Records of both classes."""
        return self.positives + self.negatives

    @property
    def feasible(self) -> bool:
        """Whether some number of records is enough."""
        return math.isfinite(self.positives)

    @property
    def enough(self) -> bool:
        """Whether the records have the power that was asked for."""
        return self.power >= self.wanted_power

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values; None where a number is infinite or undefined."""
        values = {name: _plain(value) for name, value in asdict(self).items()}
        return values | {
            "records": _plain(self.records),
            "feasible": self.feasible,
            "enough": self.enough,
            "scenarios": [
                {name: _plain(value) for name, value in one._asdict().items()}
                for one in self.scenarios
            ],
        }

    def __str__(self) -> str:
        direction = f", {self.alternative}" if self.goal == "difference" else ""
        lines = [
            self._answer(),
            f"to {GOAL_WORDS[self.goal].format(margin=self.margin)} "
            f"(DeLong{direction}, alpha {self.alpha:g})",
            f"if AUC is {self.champion:.4g} (champion) and {self.challenger:.4g} "
            f"(challenger), difference {self.difference:+.4f}",
            f"and {self.assumption} ({self.method})",
        ]
        if self.design_effect != 1:
            lines.append(
                f"with {self.design_effect:.3g} records of groups worth an unrelated one"
            )
        return "\n".join(lines + [f"{one.name}: {_needed(one)}" for one in self.scenarios])

    def _answer(self) -> str:
        if not self.feasible:
            return "no number of records is enough"
        words = f"{_counted(self)} have power {self.power:.3f}"
        return words if self.enough else f"{words}, less than {self.wanted_power:g}"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _counted(one: AUCPlan | AUCPlanScenario) -> str:
    return f"{one.positives:.0f} positive and {one.negatives:.0f} negative records"


def _needed(one: AUCPlanScenario) -> str:
    found = f"difference {one.difference:+.4f}"
    if not math.isfinite(one.positives):
        return f"{found}: no number of records is enough"
    return f"{found}: {_counted(one)}, power {one.power:.3f}"


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
