"""Goals and plans for the comparison of two AUCs."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

from scipy.special import ndtr, ndtri

from skcompare._core.validation import check_count, is_number
from skcompare.stats.core._power import tail_of
from skcompare.stats.planning._goal import ROUNDING, Goal, Plan, _plain


class AUCPlanScenario(NamedTuple):
    """Scenario of a plan: records and power under another assumption."""

    name: str
    """Name of the assumption."""

    difference: float
    """AUC of the challenger minus that of the champion."""

    positives: float
    """Records of the positive class that are needed; infinite where none are enough."""

    negatives: float
    """Records of the negative class."""

    power: float
    """Probability of success with these records; NaN where they are infinite."""

    def __str__(self) -> str:
        text = f"difference {self.difference:+.4f}"
        if not math.isfinite(self.positives):
            return f"{text}: no number of records is enough"
        return f"{text}: {_counts_text(self)}, power {self.power:.3f}"


@dataclass(frozen=True, slots=True)
class AUCPlan(Plan):
    """Sample-size plan for a comparison of two AUCs on a hold-out set.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        The AUCs that are supposed to be true.
    difference : float
        Challenger minus champion.
    assumption : str
        Source of the variance of the difference.
    positives, negatives : float
        Records of each class that are needed, or expected among those that were passed;
        infinite where no number is enough.
    power : float
        Probability of success with these records, by a normal approximation; NaN where
        they are infinite.
    required_power : float
        The requested power.
    prevalence : float
        Share of positives among the records.
    variance, null_variance : float
        Variance of the estimated difference times the number of positives: if the AUCs are
        as supposed, and under the null hypothesis.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    method : str
        Method of the variances.
    margin : float or None
        Margin of non-inferiority or equivalence.
    design_effect : float
        Number of records of groups that are worth an unrelated one.
    scenarios : tuple of AUCPlanScenario
        Plans under other assumptions.
    """

    goal_texts: ClassVar[Mapping[str, str]] = {
        "difference": "find a difference of the AUCs",
        "noninferiority": "show that the challenger's AUC is less than {margin:g} lower",
        "equivalence": "show that the AUCs differ by less than {margin:g}",
    }

    goal: str
    champion: float
    challenger: float
    difference: float
    assumption: str
    positives: float
    negatives: float
    power: float
    required_power: float
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
        """Number of records of both classes."""
        return self.positives + self.negatives

    @property
    def _further(self) -> dict[str, Any]:
        return {"records": _plain(self.records)}

    @property
    def _method_text(self) -> str:
        return "DeLong"

    def _assumptions(self) -> list[str]:
        return [
            f"if AUC is {self.champion:.4g} (champion) and {self.challenger:.4g} "
            f"(challenger), difference {self.difference:+.4f}",
            f"and {self.assumption} ({self.method})",
        ]

    def _records_text(self) -> str:
        return f"{_counts_text(self)} have power {self.power:.3f}"


def _counts_text(plan: AUCPlan | AUCPlanScenario) -> str:
    return f"{plan.positives:.0f} positive and {plan.negatives:.0f} negative records"


LEAST = 2
"""Least number of records of each class, for DeLong's variance."""

BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class Truth:
    """Assumed true difference, with its variances times the number of positives."""

    difference: float
    variance: float
    null_variance: float


@dataclass(frozen=True, slots=True)
class AUCQuestion(Goal):
    """Goal and options of a plan, without the assumed truth."""

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
        checked = Goal.of(goal, margin, alpha, power, alternative, "AUC")
        check_between(
            "prevalence", prevalence, 0, 1, "It is the share of positives in the records."
        )
        check_between(
            "design_effect", design_effect, 0, math.inf, "1 stands for unrelated records."
        )
        return cls(
            **asdict(checked),
            n=None if n is None else _checked_records(n, prevalence),
            prevalence=float(prevalence),
            design_effect=float(design_effect),
        )

    @property
    def kappa(self) -> float:
        """Number of negatives per positive."""
        return (1 - self.prevalence) / self.prevalence

    def power_at(self, positives: float, truth: Truth) -> float:
        """Probability of success with a given number of unrelated positives."""
        d, root = truth.difference, math.sqrt(positives)
        if self.margin is None:
            z = -float(ndtri(tail_of(self.alpha, self.alternative)))
            sides = {"greater": (d,), "less": (-d,)}.get(self.alternative, (d, -d))
            return sum(_beyond(root * side, z, truth) for side in sides)
        z = -float(ndtri(self.alpha))
        shown = _beyond(root * (self.margin + d), z, truth)
        if self.both_sides:
            shown += _beyond(root * (self.margin - d), z, truth) - 1
        return max(0.0, shown)

    def scenario(self, name: str, truth: Truth) -> AUCPlanScenario:
        """Return the records and power under an assumed truth."""
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
        # The class that is rounded up less gives the least power.
        at_least = min(positives, negatives / self.kappa) / self.design_effect
        power = self.power_at(max(at_least, needed / self.design_effect), truth)
        return AUCPlanScenario(name, d, float(positives), float(negatives), power)

    def _positives(self, truth: Truth) -> float:
        """Smallest number of unrelated positives with the required power, not rounded."""
        if not self.both_sides:
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
        **fields: Any,
    ) -> AUCPlan:
        """Return the plan under an assumed truth, with alternative scenarios."""
        scenario = self.scenario("", truth)
        return AUCPlan(
            goal=self.goal,
            champion=areas[0],
            challenger=areas[1],
            difference=truth.difference,
            positives=scenario.positives,
            negatives=scenario.negatives,
            power=scenario.power,
            required_power=self.power,
            prevalence=self.prevalence,
            variance=truth.variance,
            null_variance=truth.null_variance,
            alpha=self.alpha,
            alternative=self.alternative,
            margin=self.margin,
            design_effect=self.design_effect,
            scenarios=scenarios,
            **fields,
        )


def _beyond(distance: float, z: float, truth: Truth) -> float:
    """Probability that an estimate exceeds z standard deviations of the null hypothesis."""
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


def check_between(name: str, value: object, low: float, high: float, what: str) -> None:
    """Check that a value is a number strictly between two bounds."""
    if not is_number(value) or not low < value < high:
        range_text = f"above {low:g}" if math.isinf(high) else f"in ({low:g}, {high:g})"
        raise ValueError(f"`{name}` must be a number {range_text}. Got {value!r}. {what}")
