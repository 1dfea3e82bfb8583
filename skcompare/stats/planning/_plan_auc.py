"""Plans for comparing two AUCs, from expected AUCs or from a pilot."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from skcompare._core.validation import check_choice, check_confidence_level, check_count
from skcompare.evidence import PlacementValues
from skcompare.stats.core._limits import DIFFERENCE, Wald
from skcompare.stats.core._power import smallest
from skcompare.stats.planning._goal import (
    ROUNDING,
    Goal,
    Plan,
    check_between,
    check_unrelated,
    difference_of,
    plain,
)
from skcompare.stats.ranking._delong import auc_spread


class AUCPlanScenario(NamedTuple):
    """Scenario of a plan: records and power under another assumption.

    Attributes
    ----------
    name : str
        Name of the assumption.
    difference : float
        AUC of the challenger minus that of the champion.
    positives : float
        Records of the positive class that are needed; infinite where none are enough.
    negatives : float
        Records of the negative class.
    power : float
        Probability of success with these records; NaN where they are infinite.
    variance : float
        Assumed variance of the difference, times the number of positives.
    """

    name: str
    difference: float
    positives: float
    negatives: float
    power: float
    variance: float

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
        The AUCs that are assumed to be true.
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
        as assumed, and under the null hypothesis.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    method : str
        Method of the variances.
    margin : float or None
        Margin of non-inferiority or equivalence.
    design_effect : float
        Number of grouped records that are worth an independent one.
    scenarios : tuple of AUCPlanScenario
        Plans under other assumptions.
    """

    goal_texts: ClassVar[Mapping[str, str]] = {
        "difference": "detect a difference of the AUCs",
        "noninferiority": "show that the challenger's AUC is less than {margin} lower",
        "equivalence": "show that the AUCs differ by less than {margin}",
    }
    method_text: ClassVar[str] = "DeLong"

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
        return {"records": plain(self.records)}

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


class AUCTruth(NamedTuple):
    """Assumed true difference, with variances multiplied by the number of positives."""

    difference: float
    spread: float
    null_variance: float

    def at(self, difference: float, spread: float | None = None) -> "AUCTruth":
        """Return another difference, with variances in the same proportion."""
        if spread is None:
            return self._replace(difference=difference)
        ratio = self.null_variance / self.spread if self.spread else 1.0
        return AUCTruth(difference, spread, ratio * spread)

    @property
    def largest(self) -> float:
        """Largest difference that is possible."""
        return 1.0


@dataclass(frozen=True, slots=True)
class AUCGoal(Goal):
    """Goal of a comparison of two AUCs, and the design of its records."""

    measure: ClassVar[str] = "AUC"
    plan_type: ClassVar[type] = AUCPlan
    harm: ClassVar[str] = "loss of AUC"

    prevalence: float

    @classmethod
    def _checked_options(
        cls, goal: str, *, prevalence: object, n: int | None
    ) -> dict[str, Any]:
        prevalence = check_between(
            "prevalence", prevalence, 0, 1, "It is the share of positives in the records."
        )
        rarer = min(prevalence, 1 - prevalence)
        fewest = LEAST if n is None else check_count("n", n) * rarer
        if fewest < LEAST:
            raise ValueError(
                f"DeLong's test needs {LEAST} records of each class. Got n={n} with a "
                f"prevalence of {prevalence:g}, of which {fewest:g} of the rarer class are "
                "expected. Pass a larger `n`."
            )
        return {"prevalence": prevalence}

    @property
    def kappa(self) -> float:
        """Number of negatives per positive."""
        return (1 - self.prevalence) / self.prevalence

    @property
    def _quantile(self) -> float:
        """Normal quantile of the test."""
        return -float(ndtri(self.aim.tail if self.margin is None else self.alpha))

    def power_at(self, records: float, truth: AUCTruth) -> float:
        """Probability of success with a number of records."""
        return self._power(records * self.prevalence / self.design_effect, truth)

    def records(self, truth: AUCTruth) -> float:
        """Smallest number of records with the required power; infinite if there is none."""
        scenario = self.scenario("", truth)
        return scenario.positives + scenario.negatives

    def _power(self, positives: float, truth: AUCTruth) -> float:
        """Probability of success with a given number of independent positives."""
        d = truth.difference
        if self.margin is None:
            distances = {"greater": [d], "less": [-d]}.get(self.alternative, [d, -d])
            surplus = 0
        else:
            distances = [boundary.distance(d) for boundary in self.boundaries]
            surplus = len(distances) - 1
        root, z = math.sqrt(positives), self._quantile
        shown = sum(_beyond(root * distance, z, truth) for distance in distances)
        return max(0.0, shown - surplus)

    def scenario(self, name: str, truth: AUCTruth, n: int | None = None) -> AUCPlanScenario:
        """Return the records, or `n` of them, and their power under an assumed truth."""
        d = truth.difference
        if n is not None:
            positives = n * self.prevalence
            power = self.power_at(n, truth)
            return AUCPlanScenario(name, d, positives, n - positives, power, truth.spread)
        if self.distance(d) <= 0:
            return AUCPlanScenario(name, d, math.inf, math.inf, math.nan, truth.spread)
        needed = self._positives(truth) * self.design_effect
        positives = max(LEAST, math.ceil(needed - ROUNDING))
        negatives = max(LEAST, math.ceil(needed * self.kappa - ROUNDING))
        # The class that is rounded up less gives the least power.
        at_least = min(positives, negatives / self.kappa) / self.design_effect
        power = self._power(max(at_least, needed / self.design_effect), truth)
        sizes = float(positives), float(negatives)
        return AUCPlanScenario(name, d, *sizes, power, truth.spread)

    def _positives(self, truth: AUCTruth) -> float:
        """Smallest number of independent positives with the required power, not rounded."""
        if self.goal != "equivalence":
            reach = self._quantile * math.sqrt(truth.null_variance)
            reach += float(ndtri(self.power)) * math.sqrt(truth.spread)
            return max(0.0, reach / self.distance(truth.difference)) ** 2

        def enough(positives: float) -> bool:
            return self._power(positives, truth) >= self.power

        return smallest(enough, 1.0, whole=False, precision=1e-15)


def _beyond(distance: float, z: float, truth: AUCTruth) -> float:
    """Probability that an estimate exceeds z standard deviations of the null hypothesis."""
    excess = distance - z * math.sqrt(truth.null_variance)
    if truth.spread == 0:
        return float(excess > 0)
    return float(ndtr(excess / math.sqrt(truth.spread)))


class AUCPilot:
    """Pilot data of two classifiers: AUCs and centred placement values.

    Attributes
    ----------
    areas : tuple of two floats
        Champion and challenger.
    positives, negatives : ndarray of shape (2, n_positives) and (2, n_negatives)
        Placement values minus their means, DeLong's V10 and V01.
    design_effect : float
        Number of records of the pilot's groups that are worth an independent one; at least
        1.
    prevalence : float
        Share of positives.
    variance : float
        DeLong's variance of the difference, for independent records.
    """

    def __init__(self, pilot: object) -> None:
        if not isinstance(pilot, PlacementValues):
            raise TypeError(
                "plan_auc_from_pilot needs PlacementValues. Got "
                f"{type(pilot).__name__}. Make them by PlacementValues.from_predictions."
            )
        check_unrelated(pilot)
        if pilot.n_scores != 2:
            raise ValueError(
                f"The pilot must have the scores of two classifiers. Got {pilot.n_scores}. "
                "Choose those that are to be compared."
            )
        if min(pilot.n_positives, pilot.n_negatives) < 2:
            raise ValueError(
                "The pilot must have two records of each class. Got "
                f"{pilot.n_positives} positive and {pilot.n_negatives} negative. Use "
                "plan_auc_comparison, which needs no records."
            )
        areas = pilot.aucs
        values = [np.stack(value) for value in zip(pilot.values(0), pilot.values(1))]
        self.positives, self.negatives = (value - areas[:, None] for value in values)
        self.areas: tuple[float, float] = tuple(areas.tolist())
        m, n = self.positives.shape[1], self.negatives.shape[1]
        self.prevalence, self.design_effect = m / (m + n), 1.0
        self.variance = self.variances(n / m)[0] / m
        if not self.variance > 0:
            raise ValueError(
                "The difference of the pilot's AUCs does not vary from record to record, "
                "so that it tells nothing about what a comparison needs. Got areas "
                f"{areas[0]:g} and {areas[1]:g}. Use plan_auc_comparison."
            )
        if pilot.groups is None:
            return
        spread = auc_spread(pilot)
        if spread.fewest < 2:
            raise ValueError(
                "The pilot must have records of each class in two groups. Got "
                f"{spread.fewest}. Collect more groups, or use plan_auc_comparison with a "
                "design effect."
            )
        effect = float(spread.covariance[2, 2]) / self.variance
        self.design_effect = max(1.0, effect)

    def variances(self, kappa: float) -> tuple[float, float]:
        """Variances of the difference, times the number of positives.

        The second is for areas that both vary as the champion's and keep their correlation.

        Parameters
        ----------
        kappa : float
            Negatives for each positive of the plan.
        """
        covariance = np.cov(self.positives) + np.cov(self.negatives) / kappa
        (champion, shared), (_, challenger) = covariance.tolist()
        unit = math.sqrt(champion * challenger)
        correlation = shared / unit if unit > 0 else 0.0
        at_null = 2 * champion * max(0.0, 1 - correlation)
        # Of the differences themselves, so that equal rankings have exactly none.
        inside, outside = np.diff(self.positives, axis=0), np.diff(self.negatives, axis=0)
        return float(inside.var(ddof=1) + outside.var(ddof=1) / kappa), at_null

    def limits(self, level: float) -> tuple[float, float]:
        """DeLong's confidence interval of the difference."""
        error = math.sqrt(self.variance * self.design_effect)
        difference = self.areas[1] - self.areas[0]
        return Wald(difference, error, bounds=DIFFERENCE).limits(level, "two-sided")


class Binormal(NamedTuple):
    """Binormal ROC curve: scores normal in both classes, up to a monotone transformation.

    With mean 0 and variance 1 of the positives' scores, `a` is the distance of the means in
    standard deviations of the positives, and `b` the standard deviation of the negatives in
    the same unit.
    """

    a: float
    b: float

    @classmethod
    def of_area(cls, area: float, b: float) -> "Binormal":
        """Return the curve with a given area, which is Phi(a / sqrt(1 + b²))."""
        return cls(float(ndtri(area)) * math.sqrt(1 + b * b), b)

    @property
    def f(self) -> float:
        """Derivative of the area with respect to a."""
        square = 1 + self.b**2
        return math.exp(-(self.a**2) / (2 * square)) / math.sqrt(2 * math.pi * square)

    @property
    def g(self) -> float:
        """Derivative of the area with respect to b."""
        return -self.f * self.a * self.b / (1 + self.b**2)


def area_variance(curve: Binormal, kappa: float, *, with_covariance: bool = True) -> float:
    """Variance of the estimated area, times the number of positives.

    Equation (4) of Obuchowski and McClish (1997) takes the estimates of a and b for
    uncorrelated; their covariance, a b / 2, adds the last term. Without it a curve differs
    from itself (the variance of the difference is not 0) and the variance is a third too
    large for usual areas.

    Parameters
    ----------
    curve : Binormal
        The curve.
    kappa : float
        Negatives for each positive.
    with_covariance : bool, default=True
        False for the equation as it is printed.
    """
    a, b, f, g = *curve, curve.f, curve.g
    variance = f * f * (1 + b * b / kappa + a * a / 2)
    variance += g * g * b * b * (1 + kappa) / (2 * kappa)
    return variance + f * g * a * b * with_covariance


def area_covariance(
    first: Binormal, second: Binormal, positives: float, negatives: float, kappa: float
) -> float:
    """Covariance of two estimated areas, times the number of positives.

    Equation (5) of Obuchowski and McClish (1997), with the correlations of the scores
    among positives and among negatives.
    """
    f1, f2, g1, g2 = first.f, second.f, first.g, second.g
    square = positives**2
    of_a = (
        positives + negatives * first.b * second.b / kappa + square * first.a * second.a / 2
    )
    of_b = first.b * second.b * (negatives**2 + kappa * square) / (2 * kappa)
    crossed = f1 * g2 * first.a * second.b + f2 * g1 * second.a * first.b
    return f1 * f2 * of_a + g1 * g2 * of_b + crossed * square / 2


METHODS = ("binormal", "obuchowski1997")
NULLS = ("alternative", "champion")
SUPPOSED_CORRELATIONS = (0.5, 0.8)
UNCORRELATED = "the two scores are uncorrelated in each class, as nothing is known"


def plan_auc_comparison(
    champion_auc: float,
    challenger_auc: float,
    *,
    correlation: float | None = None,
    positive_correlation: float | None = None,
    negative_correlation: float | None = None,
    prevalence: float = 0.5,
    spread_ratio: float = 1.0,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    method: str = "binormal",
    null_variance: str | None = None,
    design_effect: float = 1.0,
) -> AUCPlan:
    """Plan the number of records of a comparison of two AUCs, or compute its power.

    The plan is for DeLong's test of two classifiers on one hold-out set. The number depends
    on the difference of the areas, the correlation of the two scores of a record, and the
    share of the rarer class. The curves are assumed to be binormal: after some increasing
    function the scores of each class are normal.

    Parameters
    ----------
    champion_auc, challenger_auc : float
        The areas that are assumed to be true, in (0, 1).
    correlation : float, optional
        Correlation of both scores, the same among positives and among negatives, in (-1,
        1). By default the plan assumes none, which takes the most records unless scores
        are opposed, and has scenarios with more.
    positive_correlation, negative_correlation : float, optional
        The same for each class of its own, instead of `correlation`.
    prevalence : float, default=0.5
        Share of positives among the records.
    spread_ratio : float, default=1
        Standard deviation of the negatives' scores in that of the positives', the parameter
        b of binormal curves, of both classifiers.
    n : int, optional
        Number of records, whose power is then computed.
    goal : {"difference", "noninferiority", "equivalence"}, default="difference"
        What is to be shown: that the areas differ, that the challenger's is less than
        `margin` below the champion's, or that neither is `margin` below the other.
    margin : float, optional
        Needed for the last two goals; in (0, 1).
    alpha : float, default=0.05
        Level of the test; of each of both tests for equivalence.
    power : float, default=0.8
        Required probability of success, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test of a difference. The other goals have their own.
    method : {"binormal", "obuchowski1997"}, default="binormal"
        How the variance of an area is computed: with the covariance of the estimates of a
        and b, or without it as Obuchowski and McClish print it [1]_ and R's pROC computes
        it. The second is too large for usual areas, and takes more records than are needed.
    null_variance : {"alternative", "champion"}, optional
        The variance that the level of the test rests on: that of areas as assumed, which
        is what DeLong's test estimates and the default of "binormal", or that of two
        areas as large as the champion's, as in [1]_ and the default of "obuchowski1997".
        Goals with a margin have the first only.
    design_effect : float, default=1
        Number of grouped records that are worth an independent one.

    Returns
    -------
    plan : AUCPlan
        `positives` and `negatives`, and their `power` by a normal approximation;
        `str(plan)` describes them.

    Raises
    ------
    ValueError
        If a number is out of range, or if no number of records is enough and `n` is not
        given.

    See Also
    --------
    plan_auc_from_pilot : The same from scores of a pilot, without supposing curves.

    Notes
    -----
    With variances V of the difference times the number of positives, the number of these is
    ``((z_alpha sqrt(V0) + z_power sqrt(VA)) / difference)**2``, and that of negatives
    follows from the prevalence. The null variance of the champion makes the plan too small
    where the challenger's area is the smaller one and too large where it is the larger
    one: for 0.95 against 0.90, correlation 0.6 and equal classes, 69 positives, whose power
    is 0.61 by simulation. 103 have the power of 0.80.

    References
    ----------
    .. [1] Obuchowski, N. A. and McClish, D. K. (1997). "Sample size determination for
       diagnostic accuracy studies involving binormal ROC curve indices." Statistics in
       Medicine 16(13), 1529-1542.

    Examples
    --------
    >>> from skcompare.stats import plan_auc_comparison
    >>> print(plan_auc_comparison(0.80, 0.85, correlation=0.6, prevalence=0.3))
    163 positive and 381 negative records have power 0.800
    to detect a difference of the AUCs (DeLong, two-sided, alpha 0.05)
    if AUC is 0.8 (champion) and 0.85 (challenger), difference +0.0500
    and scores correlate 0.6 among positives, 0.6 among negatives (binormal)
    """
    check_choice("method", method, METHODS)
    options: dict[str, Any] = {"prevalence": prevalence, "n": n}
    aim = AUCGoal.checked(goal, margin, alpha, power, alternative, design_effect, **options)
    champion_null = _checked_null(null_variance, method, aim)
    no_curve = "An area of 0 or 1 has no binormal curve."
    areas = (
        check_between("champion_auc", champion_auc, 0, 1, no_curve),
        check_between("challenger_auc", challenger_auc, 0, 1, no_curve),
    )
    b = check_between("spread_ratio", spread_ratio, 0, math.inf, "1 is for equal spread.")
    difference = difference_of(*areas)
    if n is None:
        aim.check_possible(difference, "AUCs")
    correlations = _correlations(correlation, positive_correlation, negative_correlation)
    curves = Binormal.of_area(areas[0], b), Binormal.of_area(areas[1], b)

    def truth(pair: tuple[float, float]) -> AUCTruth:
        variance, at_null = _variances(curves, pair, aim.kappa, method)
        return AUCTruth(difference, variance, at_null if champion_null else variance)

    scenarios: tuple[AUCPlanScenario, ...] = ()
    if correlations:
        supposed = correlations
        assumption = "scores correlate {:g} among positives, {:g} among negatives".format(
            *correlations
        )
    else:
        supposed, assumption = (0.0, 0.0), UNCORRELATED
        scenarios = tuple(
            aim.scenario(f"correlation {r:g}", truth((r, r)), n)
            for r in SUPPOSED_CORRELATIONS
        )
    own = truth(supposed)
    fields = {"assumption": assumption, "method": method}
    plan: AUCPlan = aim.plan(
        areas, own, n, scenarios, null_variance=own.null_variance, **fields
    )
    return plan


def plan_auc_from_pilot(
    pilot: PlacementValues,
    *,
    prevalence: float | None = None,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    null_variance: str = "alternative",
    confidence_level: float = 0.95,
) -> AUCPlan:
    """Plan the number of records of a comparison of two AUCs from a pilot.

    The pilot's areas and DeLong's variances of them are assumed to be the true ones; no
    shape of the curves is. The plan has scenarios for the hardest and the easiest
    difference in the pilot's interval.

    Parameters
    ----------
    pilot : PlacementValues
        Scores of two classifiers for the pilot's records. Of groups, the design effect is
        used too, where it is above 1.
    prevalence : float, optional
        Share of positives among the new records; that of the pilot by default.
    n, goal, margin, alpha, power, alternative
        As for :func:`plan_auc_comparison`.
    null_variance : {"alternative", "champion"}, default="alternative"
        As for :func:`plan_auc_comparison`; "champion" assumes that both areas vary as the
        champion's does, with the correlation of both, as R's pROC.
    confidence_level : float, default=0.95
        Level of the pilot's interval of the difference.

    Returns
    -------
    plan : AUCPlan
        `scenarios` has the hardest and the easiest difference of the interval, with the
        pilot's variances. The records are new ones: those of the pilot, after which the
        plan was made, do not count.

    Raises
    ------
    TypeError
        If the pilot is other evidence.
    ValueError
        If it does not have two classifiers, fewer than two records of a class, or areas
        whose difference does not vary.

    See Also
    --------
    plan_auc_comparison : The same from expected areas.

    References
    ----------
    Obuchowski, N. A. and McClish, D. K. (1997). "Sample size determination for diagnostic
    accuracy studies involving binormal ROC curve indices." Statistics in Medicine 16(13),
    1529-1542.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import PlacementValues
    >>> from skcompare.stats import plan_auc_from_pilot
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> champion = rng.normal(size=100) + y
    >>> challenger = champion + rng.normal(scale=0.7, size=100) + 0.8 * y
    >>> pilot = PlacementValues.from_predictions(y, champion, challenger)
    >>> plan = plan_auc_from_pilot(pilot)
    >>> plan.positives, plan.negatives, round(plan.power, 3)
    (59.0, 59.0, 0.805)
    >>> for row in plan.scenarios:
    ...     print(f"{row.name} {row.difference:+.4f}: {row.positives:.0f} positives")
    hardest difference +0.0188: 968 positives
    easiest difference +0.1348: 19 positives
    """
    auc_pilot = AUCPilot(pilot)
    options: dict[str, Any] = {
        "design_effect": auc_pilot.design_effect,
        "prevalence": auc_pilot.prevalence if prevalence is None else prevalence,
        "n": n,
    }
    aim = AUCGoal.checked(goal, margin, alpha, power, alternative, **options)
    champion_null = _checked_null(null_variance, "binormal", aim)
    level = check_confidence_level(confidence_level)
    variance, at_null = auc_pilot.variances(aim.kappa)
    null = at_null if champion_null else variance
    truth = AUCTruth(auc_pilot.areas[1] - auc_pilot.areas[0], variance, null)
    plan: AUCPlan = aim.plan(
        auc_pilot.areas,
        truth,
        n,
        aim.extremes(truth, auc_pilot.limits(level), n),
        assumption="the areas vary as in the pilot",
        method="pilot",
        null_variance=null,
    )
    return plan


def _checked_null(null_variance: str | None, method: str, aim: AUCGoal) -> bool:
    """Whether the null variance is computed from the champion alone."""
    if null_variance is None:
        return method == "obuchowski1997" and aim.margin is None
    check_choice("null_variance", null_variance, NULLS)
    if null_variance == "champion" and aim.margin is not None:
        raise ValueError(
            f"goal={aim.goal!r} has no null_variance 'champion', since its null "
            "hypothesis is not that of equal areas. Leave it out."
        )
    return null_variance == "champion"


def _correlations(
    common: float | None, positives: float | None, negatives: float | None
) -> tuple[float, float] | None:
    """Correlations among positives and among negatives; None if neither is specified."""
    by_class = (positives, negatives)
    if common is not None and by_class != (None, None):
        raise ValueError(
            "Pass `correlation` for both classes, or `positive_correlation` and "
            f"`negative_correlation`. Got correlation={common!r} and {by_class}."
        )
    if common is None and by_class == (None, None):
        return None
    if common is None and None in by_class:
        raise ValueError(
            "`positive_correlation` and `negative_correlation` go together. Got "
            f"{positives!r} and {negatives!r}. Pass `correlation` if they are the same."
        )
    what = "It is that of two scores of a record."
    of_positives, of_negatives = (
        check_between("correlation", value, -1, 1, what)
        for value in (by_class if common is None else (common, common))
    )
    return of_positives, of_negatives


def _variances(
    curves: tuple[Binormal, Binormal],
    correlations: tuple[float, float],
    kappa: float,
    method: str,
) -> tuple[float, float]:
    """Variances of the difference, times the number of positives.

    If the curves are as assumed, and if both are the champion's.
    """
    full = method == "binormal"
    champion, challenger = curves
    of_champion = area_variance(champion, kappa, with_covariance=full)
    of_challenger = area_variance(challenger, kappa, with_covariance=full)
    shared = area_covariance(champion, challenger, *correlations, kappa)
    same = area_covariance(champion, champion, *correlations, kappa)
    variance = of_champion + of_challenger - 2 * shared
    return max(0.0, variance), max(0.0, 2 * of_champion - 2 * same)
