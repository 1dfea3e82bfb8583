"""Goals and plans of comparisons, and those of two accuracies."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_count,
    is_number,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.stats.core._power import (
    LASTING,
    METHODS,
    SEARCHED,
    by_formula,
    check_power,
    likely_discordant,
    mcnemar_power,
    mcnemar_records,
)

GOALS = ("difference", "noninferiority", "equivalence")


@dataclass(frozen=True, slots=True)
class Goal:
    """Aim of a comparison: to find a difference, or to show that it is small enough.

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
    """

    goal: str
    margin: float | None
    alpha: float
    power: float
    alternative: str

    @classmethod
    def of(
        cls,
        goal: str,
        margin: float | None,
        alpha: float,
        power: float,
        alternative: str,
        measure: str,
    ) -> "Goal":
        """Check the options; `measure` is named in messages."""
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
        margin = _checked_margin(goal, margin, measure)
        return cls(goal, margin, alpha, float(power), alternative)

    @property
    def both_sides(self) -> bool:
        """Whether the difference is to be shown to be within both margins."""
        return self.goal == "equivalence"

    def distance(self, difference: float) -> float:
        """Distance of a difference from the null hypothesis; positive outside it."""
        if self.margin is not None:
            kept = -abs(difference) if self.both_sides else difference
            return self.margin + kept
        if self.alternative == "two-sided":
            return abs(difference)
        return difference if self.alternative == "greater" else -difference

    def check_possible(self, difference: float, measures: str) -> None:
        """Check that some number of records can reach the goal."""
        if self.distance(difference) > 0:
            return
        if self.margin is not None:
            raise ValueError(
                f"No number of records shows {self.goal} with a margin of {self.margin:g} "
                f"if the difference is {difference:+g}, challenger less champion. Choose "
                "the margin by what matters, and compare classifiers that can meet it."
            )
        if difference == 0:
            raise ValueError(
                f"No number of records finds a difference of 0. Got equal {measures}. Pass "
                f"{measures} that differ, or goal='equivalence' or 'noninferiority' with a "
                "margin."
            )
        raise ValueError(
            f"alternative={self.alternative!r} never finds a difference of {difference:+g},"
            " challenger less champion. Turn one of them round."
        )


def _checked_margin(goal: str, margin: float | None, measure: str) -> float | None:
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
        f"largest loss of {measure} that does not matter, fixed before the data are seen."
    )


class Plan:
    """Base class of plans, for frozen dataclasses with these attributes."""

    __slots__ = ()

    goal_texts: ClassVar[Mapping[str, str]]

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
        values = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]
        return values | {
            **self._further,
            "feasible": self.feasible,
            "enough": self.enough,
            "scenarios": [
                {name: _plain(value) for name, value in scenario._asdict().items()}
                for scenario in self.scenarios
            ],
        }

    def __str__(self) -> str:
        direction = f", {self.alternative}" if self.goal == "difference" else ""
        goal_text = self.goal_texts[self.goal].format(margin=self.margin)
        lines = [
            self._summary(),
            f"to {goal_text} ({self._method_text}{direction}, alpha {self.alpha:g})",
            *self._assumptions(),
        ]
        if self.design_effect != 1:
            lines.append(
                f"with {self.design_effect:.3g} records of groups worth an unrelated one"
            )
        return "\n".join([*lines, *(f"{row.name}: {row}" for row in self.scenarios)])

    def _summary(self) -> str:
        if not self.feasible:
            return "no number of records is enough"
        text = self._records_text()
        return text if self.enough else f"{text}, less than {self.required_power:g}"

    @property
    def _further(self) -> dict[str, Any]:
        """Values of `to_dict` beside the attributes."""
        raise NotImplementedError

    @property
    def _method_text(self) -> str:
        return self.method

    def _assumptions(self) -> list[str]:
        raise NotImplementedError

    def _records_text(self) -> str:
        raise NotImplementedError


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


STEPS = 1000
"""Inverse precision of numbers of records that are too large to be searched one by one."""

DECIDED = 1e-12
"""Smallest variance of a record; below it the outcome is certain."""


def margin_power(
    n: int,
    difference: float,
    disagreement: float,
    margin: float,
    *,
    alpha: float,
    both_sides: bool,
) -> float:
    """Power to show that the difference is above -margin, and below margin if `both_sides`.

    The test rejects a difference of -margin where Tango's score [1]_ exceeds the normal
    quantile of 1 - alpha; for equivalence (`both_sides`) it does so for both margins. The
    probabilities of all outcomes that do are added, as in :func:`mcnemar_power`; where
    the discordant pairs are too many, the difference is taken for normal as there.

    References
    ----------
    .. [1] Tango, T. (1998). "Equivalence test and confidence interval for the
       difference in proportions for the paired-sample design." Statistics in Medicine
       17(8), 891-908.
    """
    if by_formula(n, disagreement):
        z = float(-ndtri(alpha))
        return _normal_power(n, difference, disagreement, margin, z, both_sides)
    m = likely_discordant(n, n, disagreement)
    share = (1 + difference / disagreement) / 2 if disagreement else 0.5
    fewest = _fewest_in_favour(m, n, margin, -ndtri(alpha))
    shown = binom.sf(fewest - 1, m, share)
    if both_sides:
        # By symmetry as many must be against it, so the most in favour are m - fewest.
        shown = np.maximum(0.0, binom.cdf(m - fewest, m, share) - (1 - shown))
    return min(1.0, float(binom.pmf(m, n, disagreement) @ shown))


def margin_records(
    difference: float,
    disagreement: float,
    margin: float,
    *,
    alpha: float,
    power: float,
    both_sides: bool,
) -> float:
    """Smallest number of records that sustains the power; approximate if large."""

    def power_at(n: int) -> float:
        return margin_power(
            n, difference, disagreement, margin, alpha=alpha, both_sides=both_sides
        )

    def formula(n: int) -> float:
        return _normal_power(n, difference, disagreement, margin, -ndtri(alpha), both_sides)

    most = 1
    while formula(most) < power:
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if formula(middle) >= power else (middle, most)
    return fewest_records(power_at, most, power)


def fewest_records(power_at: Callable[[int], float], near: int, power: float) -> float:
    """Smallest number of records with the power, searched near the number of a formula.

    Power goes up and down a little from record to record: up to 2000 records the next ten
    must have it too. Above that, the number is accurate to a thousandth.
    """
    if near > SEARCHED:
        step = max(1, near // STEPS)
        while power_at(near) < power:
            near += step
        while near > step and power_at(near - step) >= power:
            near -= step
        return float(near)
    start = max(1, int(near * 0.8))
    while start > 1 and all(power_at(start + i) >= power for i in range(LASTING + 1)):
        start = max(1, int(start * 0.8))
    n_kept, n = 0, start
    while n_kept <= LASTING:
        n_kept = n_kept + 1 if power_at(n) >= power else 0
        n += 1
    return float(n - 1 - LASTING)


def _fewest_in_favour(m: IntArray, n: int, margin: float, z: float) -> IntArray:
    """Smallest number in favour of m discordant pairs with a score above z, or m + 1.

    The more pairs favour the challenger, the larger the score.
    """
    least, most = np.full(len(m), -1), m + 1
    while (most - least > 1).any():
        middle = (least + most) // 2
        enough = _score(np.clip(middle, 0, m), m, n, margin) > z
        # Where the two have met already, the middle is `least` and stays so.
        inside = most - least > 1
        most = np.where(inside & enough, middle, most)
        least = np.where(inside & ~enough, middle, least)
    return most


def _score(favour: IntArray, m: IntArray, n: int, margin: float) -> FloatArray:
    """Tango's score of a difference of -margin, with `favour` of m discordant pairs."""
    variance = n * _null_variance((m - favour) / n, favour / n, margin)
    return (2 * favour - m + n * margin) / np.sqrt(variance)


def _null_variance(against: FloatArray, favour: FloatArray, margin: float) -> FloatArray:
    """Variance of a record under a difference of -margin, from the discordant shares.

    The share in favour is estimated under the null hypothesis, as the positive root of a
    quadratic (Tango 1998); the other one is larger by the margin.
    """
    b = -against - favour + (2 - against + favour) * margin
    c = -favour * margin * (1 - margin)
    root = np.sqrt(b * b - 8 * c)
    # Each form where it does not cancel; a sum of 0 needs both to be 0.
    larger = np.where(b > 0, b + root, 1.0)
    share = np.where(b > 0, -2 * c / larger, (root - b) / 4)
    return 2 * share + margin * (1 - margin)


def _normal_power(
    n: int,
    difference: float,
    disagreement: float,
    margin: float,
    z: float,
    both_sides: bool,
) -> float:
    """Power by a normal approximation, as in Connor's formula for a margin."""
    deviation = math.sqrt(max(disagreement - difference**2, DECIDED))
    against, favour = (disagreement - difference) / 2, (disagreement + difference) / 2
    powers = []
    for distance, loss, gain in (
        (margin + difference, against, favour),
        (margin - difference, favour, against),
    ):
        null = math.sqrt(_null_variance(np.array([loss]), np.array([gain]), margin)[0])
        powers.append(float(ndtr((math.sqrt(n) * distance - z * null) / deviation)))
    return max(0.0, powers[0] + powers[1] - 1) if both_sides else powers[0]


class PlanScenario(NamedTuple):
    """Scenario of a plan: records and power under another assumption."""

    name: str
    """Name of the assumption."""

    difference: float
    """Accuracy of the challenger minus that of the champion."""

    disagreement: float
    """Probability that exactly one of the two predicts a record correctly."""

    records: float
    """Records needed, or those that were passed; infinite where no number is enough."""

    power: float
    """Probability of success with these records; NaN where they are infinite."""

    approximate: bool = False
    """Whether the power is that of a normal approximation."""

    def __str__(self) -> str:
        text = f"difference {self.difference:+.4f}, disagreement {self.disagreement:.4f}"
        if not math.isfinite(self.records):
            return f"{text}: no number of records is enough"
        return f"{text}: {self.records:.0f} records, {_power_text(self)}"


@dataclass(frozen=True, slots=True)
class ComparisonPlan(Plan):
    """Sample-size plan for a comparison of two accuracies on a hold-out set.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        The accuracies that are supposed to be true.
    difference : float
        Challenger minus champion.
    disagreement : float
        Probability that exactly one of the two predicts a record correctly.
    assumption : str
        Source of the disagreement.
    possible_disagreement : tuple of two floats
        The least and the greatest disagreement that two such classifiers can have.
    records : float
        The records needed, or those that were passed; infinite where no number is enough.
    power : float
        Probability of success with these records, summed over all outcomes if not
        `approximate`; NaN where they are infinite.
    required_power : float
        The requested power.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    method : str
        How the test computes its p-value.
    margin : float or None
        Margin of non-inferiority or equivalence.
    design_effect : float
        Number of records of groups that are worth an unrelated one.
    groups : float or None
        Number of groups that the records come from, where the size of groups is known.
    scenarios : tuple of PlanScenario
        Plans under other assumptions.
    approximate : bool
        Whether the power is that of a normal approximation, because discordant pairs are
        tens of thousands; see :func:`mcnemar_power`.
    """

    goal_texts: ClassVar[Mapping[str, str]] = {
        "difference": "find a difference",
        "noninferiority": "show that the challenger is less than {margin:g} worse",
        "equivalence": "show that the accuracies differ by less than {margin:g}",
    }

    goal: str
    champion: float
    challenger: float
    difference: float
    disagreement: float
    assumption: str
    possible_disagreement: tuple[float, float]
    records: float
    power: float
    required_power: float
    alpha: float
    alternative: str
    method: str
    margin: float | None = None
    design_effect: float = 1.0
    groups: float | None = None
    scenarios: tuple[PlanScenario, ...] = ()
    approximate: bool = False

    @property
    def discordant(self) -> float:
        """Expected number of discordant pairs among the records."""
        return self.records * self.disagreement if self.disagreement else 0.0

    @property
    def _further(self) -> dict[str, Any]:
        possible = list(self.possible_disagreement)
        return {"possible_disagreement": possible, "discordant": _plain(self.discordant)}

    def _assumptions(self) -> list[str]:
        least, greatest = self.possible_disagreement
        return [
            f"if accuracy is {self.champion:.4g} (champion) and {self.challenger:.4g} "
            f"(challenger), difference {self.difference:+.4f}",
            f"and they disagree on {self.disagreement:.4f} of the records: "
            f"{self.assumption}",
            f"{least:.4f} to {greatest:.4f} is possible",
        ]

    def _records_text(self) -> str:
        groups = "" if self.groups is None else f"from about {self.groups:.0f} groups, "
        return (
            f"{self.records:.0f} records, about {self.discordant:.0f} of them discordant, "
            f"{groups}have {_power_text(self)}"
        )


def _power_text(plan: ComparisonPlan | PlanScenario) -> str:
    text = f"power {plan.power:.3f}"
    return f"{text} (normal approximation)" if plan.approximate else text


ALL_METHODS = (*METHODS, "score")

ROUNDING = 1e-9
"""Distance above a whole number of records up to which it counts as that number."""


@dataclass(frozen=True, slots=True)
class Question(Goal):
    """Goal and options of a plan, without the assumed truth."""

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
        checked = Goal.of(goal, margin, alpha, power, alternative, "accuracy")
        default = "mid-p" if goal == "difference" else "score"
        method = check_choice("method", default if method is None else method, ALL_METHODS)
        if (method == "score") != (default == "score"):
            raise ValueError(
                f"goal={goal!r} has no method {method!r}. Use one of "
                f"{', '.join(METHODS) if goal == 'difference' else 'score'}."
            )
        n = None if n is None else check_count("n", n)
        return cls(**asdict(checked), method=method, n=n)

    def plan(
        self,
        accuracies: tuple[float, float],
        disagreement: float,
        assumption: str,
        scenarios: tuple[PlanScenario, ...],
    ) -> ComparisonPlan:
        """Return the plan for assumed accuracies, with alternative scenarios."""
        difference = difference_of(*accuracies)
        scenario = self.scenario("", difference, disagreement)
        return ComparisonPlan(
            goal=self.goal,
            champion=accuracies[0],
            challenger=accuracies[1],
            difference=difference,
            disagreement=scenario.disagreement,
            assumption=assumption,
            possible_disagreement=possible_disagreement(*accuracies),
            records=scenario.records,
            power=scenario.power,
            required_power=self.power,
            alpha=self.alpha,
            alternative=self.alternative,
            method=self.method,
            margin=self.margin,
            design_effect=self.design_effect,
            scenarios=scenarios,
            approximate=scenario.approximate,
        )

    def scenario(self, name: str, difference: float, disagreement: float) -> PlanScenario:
        """Return the records and power for an assumed difference and disagreement."""
        # By rounding of the shares the difference may exceed the disagreement.
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
                both_sides=self.both_sides,
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
                both_sides=self.both_sides,
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


def difference_of(champion: float, challenger: float) -> float:
    """Challenger minus champion, rounded to remove floating-point noise."""
    # 0.85 - 0.8 is a little less than 0.05 in floating point.
    return round(challenger - champion, 12)


def possible_disagreement(champion: float, challenger: float) -> tuple[float, float]:
    """Smallest and largest possible disagreement of classifiers with given accuracies."""
    total = champion + challenger
    least = abs(difference_of(champion, challenger))
    return least, max(least, round(min(total, 2 - total), 12))
