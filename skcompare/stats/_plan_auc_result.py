"""A plan of a comparison of two AUCs: how many positives and negatives it takes."""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

GOAL_WORDS = {
    "difference": "find a difference of the AUCs",
    "noninferiority": "show that the challenger's AUC is less than {margin:g} lower",
    "equivalence": "show that the AUCs differ by less than {margin:g}",
}


class AUCPlanScenario(NamedTuple):
    """What a plan would be if something else were true.

    .. versionadded:: 0.1
    """

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

    .. versionadded:: 0.1
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
