"""Plans for comparing two accuracies, from expected accuracies or from a pilot."""

import math
from dataclasses import replace
from typing import Any

from skcompare._core.validation import check_confidence_level, is_number
from skcompare.evidence import ClusterSums, ContingencyTable, JointCounts
from skcompare.stats.accuracy._clustered_mcnemar import clustered_mcnemar, design_effect
from skcompare.stats.accuracy._mcnemar import mcnemar
from skcompare.stats.planning._goal import (
    ComparisonPlan,
    PlanScenario,
    Question,
    difference_of,
    possible_disagreement,
)

ROUNDING = 1e-12
"""Shares this close are equal."""


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
    """Plan the number of records of a comparison on a hold-out set, or find its power.

    The number depends on the difference of the accuracies and on how often the two
    classifiers disagree: twice as much disagreement takes twice as many records. If the
    disagreement is unknown, the plan supposes that they are correct independently of each
    other, which real classifiers seldom are, and has scenarios for the least and the
    greatest disagreement that such accuracies allow.

    Parameters
    ----------
    champion_accuracy, challenger_accuracy : float
        The accuracies that are supposed to be true, in [0, 1].
    disagreement : float, optional
        Probability that exactly one of the two predicts a record correctly.
    correlation : float, optional
        Correlation of being correct, phi of the 2 × 2 table, instead of the disagreement.
    n : int, optional
        Number of records, whose power is then computed.
    goal : {"difference", "noninferiority", "equivalence"}, default="difference"
        What is to be shown: that the accuracies differ, that the challenger's is less
        than `margin` below the champion's, or that neither is `margin` below the other.
    margin : float, optional
        Needed for the last two goals; in (0, 1).
    alpha : float, default=0.05
        Level of the test; of each of both tests for equivalence.
    power : float, default=0.8
        Required probability of success, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test of a difference. The other goals have their own.
    method : {"mid-p", "exact", "asymptotic", "corrected", "score"}, optional
        How the test computes its p-value: as for :func:`mcnemar`, by default "mid-p";
        "score" (Tango's) is the method of the goals with a margin, and theirs only.
    design_effect : float, default=1
        Number of records of groups that are worth an unrelated one, see
        :func:`clustered_mcnemar`; the power is that of as many times fewer records.

    Returns
    -------
    plan : ComparisonPlan
        `records` and their `power`; `str(plan)` describes both. Up to 2000 unrelated
        records the number is the fewest with a power that the next ten keep, and above it
        is accurate to a thousandth. With tens of thousands of discordant pairs the power is
        that of a normal approximation (`approximate`).

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
    question = Question.checked(goal, margin, alpha, power, alternative, method, n)
    if not is_number(design_effect) or not 0 < design_effect < math.inf:
        raise ValueError(
            f"`design_effect` must be a number above 0. Got {design_effect!r}. 1 stands "
            "for unrelated records."
        )
    question = replace(question, design_effect=float(design_effect))
    for name, accuracy in (
        ("champion_accuracy", champion_accuracy),
        ("challenger_accuracy", challenger_accuracy),
    ):
        _check_share(name, accuracy)
    accuracies = (float(champion_accuracy), float(challenger_accuracy))
    difference = difference_of(*accuracies)
    share, assumption = _disagreement(*accuracies, disagreement, correlation)
    if n is None:
        question.check_possible(difference, "accuracies")
    least, greatest = possible_disagreement(*accuracies)
    scenarios: tuple[PlanScenario, ...] = ()
    if disagreement is None and correlation is None:
        scenarios = (
            question.scenario("least disagreement", difference, least),
            question.scenario("greatest disagreement", difference, greatest),
        )
    return question.plan(accuracies, share, assumption, scenarios)


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

    The pilot's difference and disagreement are supposed to be the true ones. They are not,
    so the plan has scenarios for the hardest and the easiest difference in the pilot's
    interval. Where that interval includes no difference, or the margin, no number of
    records may be enough.

    Parameters
    ----------
    pilot : ContingencyTable, ClusterSums or JointCounts
        Predictions for the pilot's records. Of groups, the design effect is used too, where
        it is above 1, for the whole number of records.
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
    question = Question.checked(goal, margin, alpha, power, alternative, method, n)
    level = check_confidence_level(confidence_level)
    table, mean_size = _pilot_table(pilot)
    if isinstance(pilot, ClusterSums):
        result = clustered_mcnemar(pilot)
        effect = max(1.0, design_effect(pilot) or 1.0)
        question = replace(question, design_effect=effect)
    else:
        test_method: Any = "asymptotic" if question.method == "score" else question.method
        result = mcnemar(table, method=test_method)
    share = table.n_discordant / table.n
    low, high = result.confidence_interval(level)
    candidates = [low, high, *([0.0] if low < 0 < high else [])]
    hardest = min(candidates, key=question.distance)
    easiest = max(candidates, key=question.distance)
    scenarios = tuple(
        question.scenario(name, difference, share)
        for name, difference in (
            ("hardest difference", hardest),
            ("easiest difference", easiest),
        )
    )
    plan = question.plan(table.accuracies, share, "as in the pilot", scenarios)
    return plan if mean_size is None else replace(plan, groups=plan.records / mean_size)


def _check_share(name: str, value: float) -> None:
    if not is_number(value) or not 0 <= value <= 1:
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
    _check_share("disagreement", disagreement)
    if not least - ROUNDING <= disagreement <= greatest + ROUNDING:
        raise ValueError(
            f"Accuracies of {champion:g} and {challenger:g} leave a disagreement from "
            f"{least:g} to {greatest:g}. Got disagreement={disagreement!r}. It is at least "
            "their difference, and at most the share of records that either may get wrong."
        )
    return min(greatest, max(least, float(disagreement))), "as given"


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
    if not is_number(correlation) or not low - ROUNDING <= correlation <= high + ROUNDING:
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
