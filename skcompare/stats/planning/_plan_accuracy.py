"""Plans for comparing two accuracies, from expected accuracies or from a pilot."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from skcompare._core.validation import (
    check_choice,
    check_confidence_level,
    check_count,
    is_number,
)
from skcompare.evidence import ClusterSums, ContingencyTable, JointCounts
from skcompare.stats.accuracy._clustered_mcnemar import clustered_mcnemar, design_effect
from skcompare.stats.accuracy._mcnemar import mcnemar
from skcompare.stats.core._power import (
    METHODS,
    SEARCHED,
    Discordance,
    by_formula,
    fewest_near,
    smallest,
)
from skcompare.stats.planning._goal import (
    ROUNDING,
    Goal,
    Plan,
    check_unrelated,
    difference_of,
    plain,
)
from skcompare.stats.planning._records_at_boundary import CountPower

TOLERANCE = 1e-12
"""Shares this close are equal."""


class PlanScenario(NamedTuple):
    """Scenario of a plan: records and power under another assumption.

    Attributes
    ----------
    name : str
        Name of the assumption.
    difference : float
        Accuracy of the challenger minus that of the champion.
    disagreement : float
        Probability that exactly one of the two predicts a record correctly.
    records : float
        Records needed, or those that were passed; infinite where no number is enough.
    power : float
        Probability of success with these records; NaN where they are infinite.
    approximate : bool
        Whether the power is that of a normal approximation.
    """

    name: str
    difference: float
    disagreement: float
    records: float
    power: float
    approximate: bool = False

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
        The accuracies that are assumed to be true.
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
        Number of grouped records that are worth an independent one.
    groups : float or None
        Number of groups that the records come from, where the size of groups is known.
    scenarios : tuple of PlanScenario
        Plans under other assumptions.
    approximate : bool
        Whether the power is that of a normal approximation, because discordant pairs are
        tens of thousands; see :func:`mcnemar_power`.
    """

    goal_texts: ClassVar[Mapping[str, str]] = {
        "difference": "detect a difference",
        "noninferiority": "show that the challenger is less than {margin} worse",
        "equivalence": "show that the accuracies differ by less than {margin}",
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
        return {"possible_disagreement": possible, "discordant": plain(self.discordant)}

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


class Truth(NamedTuple):
    """Supposed true difference of two accuracies, and their disagreement."""

    difference: float
    spread: float

    def at(self, difference: float, spread: float | None = None) -> "Truth":
        """Return another difference, by default with the same disagreement."""
        # By rounding of the shares the difference may exceed the disagreement.
        spread = self.spread if spread is None else spread
        return Truth(difference, max(spread, abs(difference)))

    @property
    def largest(self) -> float:
        """Largest difference that is possible."""
        return min(1.0, self.spread)

    @property
    def shares(self) -> tuple[float, float]:
        """Probabilities that the champion alone, and the challenger alone, is correct."""
        against, favour = self.spread - self.difference, self.spread + self.difference
        return max(0.0, against / 2), max(0.0, favour / 2)


@dataclass(frozen=True, slots=True)
class AccuracyGoal(Goal):
    """Goal of a comparison of two accuracies, and the method of its test."""

    measure: ClassVar[str] = "accuracy"
    plan_type: ClassVar[type] = ComparisonPlan
    harm: ClassVar[str] = "loss of accuracy"

    method: str

    @classmethod
    def _checked_options(cls, goal: str, *, method: str | None) -> dict[str, Any]:
        default = "mid-p" if goal == "difference" else "score"
        method = check_choice("method", default if method is None else method, ALL_METHODS)
        if (method == "score") != (default == "score"):
            raise ValueError(
                f"goal={goal!r} has no method {method!r}. Use one of "
                f"{', '.join(METHODS) if goal == 'difference' else 'score'}."
            )
        return {"method": method}

    def scenario(self, name: str, truth: Truth, n: int | None = None) -> PlanScenario:
        """Return the records, or `n` of them, and their power under an assumed truth."""
        records = float(n or 0) or self.records(truth)
        power, approximate = math.nan, False
        if math.isfinite(records):
            power = self.power_at(records, truth)
            approximate = by_formula(self._unrelated(records), truth.spread)
        return PlanScenario(name, *truth, records, power, approximate)

    def power_at(self, records: float, truth: Truth) -> float:
        """Probability of success with a number of records."""
        return self._power(self._unrelated(records), truth)

    def records(self, truth: Truth) -> float:
        """Smallest number of records with the required power; infinite if there is none."""
        if self.distance(truth.difference) <= 0:
            return math.inf

        power_at = partial(self._power, truth=truth)
        if self.margin is not None:
            approximate = self._beyond_margin(truth).by_formula
            near = smallest(lambda n: approximate(n) >= self.power, 1, most=math.inf)
            needed = fewest_near(power_at, int(near), self.power)
        else:
            needed = Discordance(*truth, self.method).records(self.aim)
            if needed > SEARCHED:
                needed = fewest_near(power_at, math.ceil(needed), self.power)
        return float(math.ceil(needed * self.design_effect - ROUNDING))

    def _unrelated(self, records: float) -> int:
        """Number of independent records that are worth a number of records of groups."""
        return max(1, int(records / self.design_effect + ROUNDING))

    def _power(self, n: int, truth: Truth) -> float:
        if self.margin is not None:
            if by_formula(n, truth.spread):
                return self._beyond_margin(truth).by_formula(n)
            return self._beyond_margin(truth).at(n)
        if truth.spread == 0:
            return 0.0
        tail, alternative = self.aim.tail, self.alternative
        return Discordance(*truth, self.method).power(n, tail, alternative)

    def _beyond_margin(self, truth: Truth) -> CountPower:
        return CountPower(truth.shares, self.boundaries, self.alpha)


def plan_comparison(
    champion_accuracy: float,
    challenger_accuracy: float,
    *,
    disagreement: float | None = None,
    correlation: float | None = None,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    method: str | None = None,
    design_effect: float = 1.0,
) -> ComparisonPlan:
    """Plan the number of records of a comparison on a hold-out set, or compute its power.

    The number depends on the difference of the accuracies and on how often the two
    classifiers disagree: twice as much disagreement requires twice as many records. If the
    disagreement is unknown, the plan assumes that they are correct independently of each
    other, which real classifiers rarely are, and has scenarios for the least and the
    greatest disagreement that such accuracies allow.

    Parameters
    ----------
    champion_accuracy, challenger_accuracy : float
        The accuracies that are assumed to be true, in [0, 1].
    disagreement : float, optional
        Probability that exactly one of the two predicts a record correctly.
    correlation : float, optional
        Correlation of correctness, phi of the 2 × 2 table, instead of the disagreement.
    n : int, optional
        Number of records, whose power is then computed.
    goal : {"difference", "noninferiority", "equivalence"}, default="difference"
        What is to be shown: that the accuracies differ, that the challenger's is less
        than `margin` below the champion's, or that neither is `margin` below the other.
    margin : float, optional
        Needed for the last two goals; in (0, 1).
    alpha : float, default=0.05
        Level of the test, or of each of the two tests for equivalence.
    power : float, default=0.8
        Required probability of success, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test of a difference. The other goals have their own.
    method : {"mid-p", "exact", "asymptotic", "corrected", "score"}, optional
        How the test computes its p-value: as for :func:`mcnemar`, by default "mid-p";
        "score" (Tango's) is the method of the goals with a margin, and theirs only.
    design_effect : float, default=1
        Number of records of groups that are worth an independent one, see
        :func:`clustered_mcnemar`; the power is that of as many times fewer records.

    Returns
    -------
    plan : ComparisonPlan
        `records` and their `power`; `str(plan)` describes both. Up to 2000 independent
        records it is the smallest number with the power for itself and the next ten
        numbers, and above that it is accurate to a thousandth. With tens of thousands of
        discordant pairs the power is that of a normal approximation (`approximate`).

    Raises
    ------
    ValueError
        If the accuracies do not allow the disagreement or correlation, or if no number of
        records is enough and `n` is not given.

    See Also
    --------
    plan_from_pilot : The same from the predictions for a pilot.

    References
    ----------
    Connor, R. J. (1987). "Sample size for testing differences in proportions for the
    paired-sample design." Biometrics 43(1), 207-211.

    Nam, J. (1997). "Establishing equivalence of two treatments and sample size
    requirements in matched-pairs design." Biometrics 53(4), 1422-1430.

    Examples
    --------
    >>> from skcompare.stats import plan_comparison
    >>> plan = plan_comparison(0.80, 0.85, disagreement=0.15)
    >>> plan.records, round(plan.power, 3)
    (461.0, 0.8)
    >>> print(plan_comparison(0.90, 0.90, goal="noninferiority", margin=0.02, n=500))
    500 records, about 90 of them discordant, have power 0.275, less than 0.8
    to show that the challenger is less than 0.02 worse (score, alpha 0.05)
    if accuracy is 0.9 (champion) and 0.9 (challenger), difference +0.0000
    and they disagree on 0.1800 of the records: right independently
    0.0000 to 0.2000 is possible
    least disagreement: difference +0.0000, disagreement 0.0000: 500 records, power 1.000
    greatest disagreement: difference +0.0000, disagreement 0.2000: 500 records, power 0.258
    """
    aim = AccuracyGoal.checked(
        goal, margin, alpha, power, alternative, design_effect, method=method
    )
    n = None if n is None else check_count("n", n)
    accuracies = (
        _checked_share("champion_accuracy", champion_accuracy),
        _checked_share("challenger_accuracy", challenger_accuracy),
    )
    difference = difference_of(*accuracies)
    possible = possible_disagreement(*accuracies)
    share, assumption = _disagreement(*accuracies, disagreement, correlation)
    if n is None:
        aim.check_possible(difference, "accuracies")
    truth = Truth(0.0, share).at(difference)
    scenarios: tuple[PlanScenario, ...] = ()
    if disagreement is None and correlation is None:
        scenarios = tuple(
            aim.scenario(f"{name} disagreement", truth.at(difference, spread), n)
            for name, spread in zip(("least", "greatest"), possible, strict=True)
        )
    fields = {"assumption": assumption, "possible_disagreement": possible}
    plan: ComparisonPlan = aim.plan(accuracies, truth, n, scenarios, **fields)
    return plan


def plan_from_pilot(
    pilot: ContingencyTable | ClusterSums | JointCounts,
    *,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    method: str | None = None,
    confidence_level: float = 0.95,
) -> ComparisonPlan:
    """Plan the number of records of a comparison from a pilot.

    The pilot's difference and disagreement are assumed to be the true ones. They are not,
    so the plan has scenarios for the hardest and the easiest difference in the pilot's
    interval. Where that interval includes no difference, or the margin, no number of
    records may be enough.

    Parameters
    ----------
    pilot : ContingencyTable, ClusterSums or JointCounts
        Predictions for the pilot's records. For groups the design effect is used too, if it
        is above 1, for the total number of records.
    n, goal, margin, alpha, power, alternative, method
        As for :func:`plan_comparison`.
    confidence_level : float, default=0.95
        Level of the pilot's interval of the difference.

    Returns
    -------
    plan : ComparisonPlan
        `scenarios` has the hardest and the easiest difference of the interval, with the
        observed disagreement, or the difference's size if that is more. The records are
        new ones: those of the pilot, after which the plan was made, do not count.

    Raises
    ------
    TypeError
        If the pilot is other evidence.

    See Also
    --------
    plan_comparison : The same from expected accuracies.

    References
    ----------
    Connor, R. J. (1987). "Sample size for testing differences in proportions for the
    paired-sample design." Biometrics 43(1), 207-211.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> from skcompare.stats import plan_from_pilot
    >>> plan = plan_from_pilot(ContingencyTable(150, 12, 28, 10))
    >>> plan.records, [(row.name, row.records) for row in plan.scenarios]
    (237.0, [('hardest difference', 4916.0), ('easiest difference', 71.0)])
    """
    check_unrelated(pilot)
    aim = AccuracyGoal.checked(goal, margin, alpha, power, alternative, method=method)
    n = None if n is None else check_count("n", n)
    level = check_confidence_level(confidence_level)
    table, mean_size = _pilot_table(pilot)
    if isinstance(pilot, ClusterSums):
        result = clustered_mcnemar(pilot)
        aim = replace(aim, design_effect=max(1.0, design_effect(pilot) or 1.0))
    else:
        test_method: Any = "asymptotic" if aim.method == "score" else aim.method
        result = mcnemar(table, method=test_method)
    share = table.n_discordant / table.n
    accuracies, truth = table.accuracies, Truth(0.0, share)
    plan: ComparisonPlan = aim.plan(
        accuracies,
        truth.at(difference_of(*accuracies)),
        n,
        aim.extremes(truth, result.confidence_interval(level), n),
        assumption="as in the pilot",
        possible_disagreement=possible_disagreement(*accuracies),
    )
    return plan if mean_size is None else replace(plan, groups=plan.records / mean_size)


def _checked_share(name: str, value: float) -> float:
    if is_number(value) and 0 <= value <= 1:
        return float(value)
    raise ValueError(
        f"`{name}` must be a number in [0, 1]. Got {value!r}. It is the share of new "
        "records that the classifier predicts correctly."
    )


def _disagreement(
    champion: float,
    challenger: float,
    disagreement: float | None,
    correlation: float | None,
) -> tuple[float, str]:
    """Return the assumed disagreement and its source."""
    if disagreement is not None and correlation is not None:
        raise ValueError(
            "Pass `disagreement` or `correlation`, each says what the other does. Got "
            f"disagreement={disagreement!r} and correlation={correlation!r}."
        )
    least, greatest = possible_disagreement(champion, challenger)
    if correlation is not None:
        share = _of_correlation(champion, challenger, correlation)
        return min(greatest, max(least, share)), f"correlation {correlation:g}"
    if disagreement is None:
        share = champion * (1 - challenger) + challenger * (1 - champion)
        return min(greatest, max(least, share)), "right independently"
    share = _checked_share("disagreement", disagreement)
    if not least - TOLERANCE <= share <= greatest + TOLERANCE:
        raise ValueError(
            f"Accuracies of {champion:g} and {challenger:g} leave a disagreement from "
            f"{least:g} to {greatest:g}. Got disagreement={disagreement!r}. It is at least "
            "their difference, and at most the share of records that either may get wrong."
        )
    return min(greatest, max(least, share)), "as given"


def _of_correlation(champion: float, challenger: float, correlation: float) -> float:
    """Disagreement of classifiers whose correct predictions have a given correlation."""
    both, neither = champion * challenger, (1 - champion) * (1 - challenger)
    only_champion = champion * (1 - challenger)
    only_challenger = challenger * (1 - champion)
    unit = math.sqrt(only_champion * only_challenger)
    if unit == 0:
        raise ValueError(
            f"Accuracies of {champion:g} and {challenger:g} have no correlation, since one "
            "classifier is always right or always wrong. Leave `correlation` out."
        )
    low, high = -min(both, neither) / unit, min(only_champion, only_challenger) / unit
    if not is_number(correlation) or not low - TOLERANCE <= correlation <= high + TOLERANCE:
        raise ValueError(
            f"Accuracies of {champion:g} and {challenger:g} leave a correlation from "
            f"{low:.4g} to {high:.4g}. Got correlation={correlation!r}."
        )
    # Each discordant share is smaller by the covariance.
    return only_champion + only_challenger - 2 * correlation * unit


def _pilot_table(pilot: object) -> tuple[ContingencyTable, float | None]:
    """Contingency table of a pilot, and its mean number of records per group."""
    if isinstance(pilot, ContingencyTable):
        return pilot, None
    if isinstance(pilot, JointCounts):
        return pilot.contingency_table(), None
    if isinstance(pilot, ClusterSums):
        pilot.check_tables("plan_from_pilot")
        return pilot.contingency_table(), pilot.n / pilot.n_groups
    raise TypeError(
        "plan_from_pilot needs a ContingencyTable, ClusterSums or JointCounts. Got "
        f"{type(pilot).__name__}. Make one by its from_predictions."
    )


def possible_disagreement(champion: float, challenger: float) -> tuple[float, float]:
    """Smallest and largest possible disagreement of classifiers with given accuracies."""
    total = champion + challenger
    least = abs(difference_of(champion, challenger))
    return least, max(least, round(min(total, 2 - total), 12))
