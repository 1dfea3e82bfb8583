"""A plan of a comparison: how many records, for what, with which probability."""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

GOAL_WORDS = {
    "difference": "find a difference",
    "noninferiority": "show that the challenger is less than {margin:g} worse",
    "equivalence": "show that the accuracies differ by less than {margin:g}",
}


class PlanScenario(NamedTuple):
    """What a plan would be if something else were true.

    .. versionadded:: 0.1
    """

    name: str
    """What is supposed."""

    difference: float
    """Accuracy of the challenger less that of the champion."""

    disagreement: float
    """Probability that exactly one of the two answers a record rightly."""

    records: float
    """Records it takes, or those that were given; infinite where no number is enough."""

    power: float
    """Probability of success with these records; NaN where they are infinite."""

    approximate: bool = False
    """Whether the power is that of a normal approximation."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """How many records a comparison of two accuracies on a hold-out set takes.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        The accuracies that are supposed to be true.
    difference : float
        Challenger less champion.
    disagreement : float
        Probability that exactly one of the two answers a record rightly.
    assumption : str
        Where the disagreement comes from.
    possible_disagreement : tuple of two floats
        The least and the greatest disagreement that two such classifiers can have.
    records : float
        The records it takes, or those that were given; infinite where no number is
        enough.
    power : float
        Probability of success with these records, summed over all outcomes if not
        `approximate`; NaN where they are infinite.
    wanted_power : float
        The power that was asked for.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    method : str
        How the test computes its p-value.
    margin : float or None
        Margin of non-inferiority or equivalence.
    design_effect : float
        How many records of groups are worth an unrelated one.
    groups : float or None
        Groups that so many records come from, where the size of groups is known.
    scenarios : tuple of PlanScenario
        The answer if something that is not known is otherwise.
    approximate : bool
        Whether the power is that of a normal approximation, because discordant pairs are
        tens of thousands; see :func:`mcnemar_power`.

    .. versionadded:: 0.1
    """

    goal: str
    champion: float
    challenger: float
    difference: float
    disagreement: float
    assumption: str
    possible_disagreement: tuple[float, float]
    records: float
    power: float
    wanted_power: float
    alpha: float
    alternative: str
    method: str
    margin: float | None = None
    design_effect: float = 1.0
    groups: float | None = None
    scenarios: tuple[PlanScenario, ...] = ()
    approximate: bool = False

    @property
    def feasible(self) -> bool:
        """Whether some number of records is enough."""
        return math.isfinite(self.records)

    @property
    def enough(self) -> bool:
        """Whether the records have the power that was asked for."""
        return self.power >= self.wanted_power

    @property
    def discordant(self) -> float:
        """Discordant pairs to be expected among the records."""
        return self.records * self.disagreement if self.disagreement else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values; None where a number is infinite or undefined."""
        values = {
            name: _plain(value)
            for name, value in asdict(self).items()
            if name not in ("possible_disagreement", "scenarios")
        }
        return values | {
            "possible_disagreement": list(self.possible_disagreement),
            "discordant": _plain(self.discordant),
            "feasible": self.feasible,
            "enough": self.enough,
            "scenarios": [
                {name: _plain(value) for name, value in one._asdict().items()}
                for one in self.scenarios
            ],
        }

    def __str__(self) -> str:
        least, greatest = self.possible_disagreement
        lines = [
            self._answer(),
            f"to {self._goal_words()}",
            f"if accuracy is {self.champion:.4g} (champion) and {self.challenger:.4g} "
            f"(challenger), difference {self.difference:+.4f}",
            f"and they disagree on {self.disagreement:.4f} of the records: "
            f"{self.assumption}",
            f"{least:.4f} to {greatest:.4f} is possible",
        ]
        if self.design_effect != 1:
            lines.append(
                f"with {self.design_effect:.3g} records of groups worth an unrelated one"
            )
        return "\n".join(lines + [f"{one.name}: {_needed(one)}" for one in self.scenarios])

    def _answer(self) -> str:
        if not self.feasible:
            return "no number of records is enough"
        groups = "" if self.groups is None else f"from about {self.groups:.0f} groups, "
        words = (
            f"{self.records:.0f} records, about {self.discordant:.0f} of them discordant, "
            f"{groups}have {_power_words(self)}"
        )
        return words if self.enough else f"{words}, less than {self.wanted_power:g}"

    def _goal_words(self) -> str:
        direction = f", {self.alternative}" if self.goal == "difference" else ""
        words = GOAL_WORDS[self.goal].format(margin=self.margin)
        return f"{words} ({self.method}{direction}, alpha {self.alpha:g})"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _power_words(one: ComparisonPlan | PlanScenario) -> str:
    found = f"power {one.power:.3f}"
    return f"{found} (normal approximation)" if one.approximate else found


def _needed(one: PlanScenario) -> str:
    found = f"difference {one.difference:+.4f}, disagreement {one.disagreement:.4f}"
    if not math.isfinite(one.records):
        return f"{found}: no number of records is enough"
    return f"{found}: {one.records:.0f} records, {_power_words(one)}"
