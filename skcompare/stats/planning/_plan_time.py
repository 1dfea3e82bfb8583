"""Plans for comparing two models on records in time order."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from scipy.special import chdtri

from skcompare._core.validation import alpha_of, check_confidence_level, check_count
from skcompare.evidence import OrderedDifferences
from skcompare.stats.core._power import smallest
from skcompare.stats.planning._goal import ROUNDING, check_between
from skcompare.stats.planning._plan_losses import LossGoal, LossPlan, LossTruth
from skcompare.stats.time import FEWEST_HORIZONS, TimeSpread, spread_in_time
from skcompare.stats.time._diebold_mariano import check_length, diebold_mariano

FEW = "too-few-independent-times"
"""Flag of pilots that tell little of the variance over time."""


@dataclass(frozen=True, slots=True)
class TimePlan(LossPlan):
    """Plan of how long to compare two models on records in time order.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        Measure of both in the pilot; NaN where only their difference is known.
    difference : float
        The difference that is assumed to be true; positive favours the challenger.
    deviation : float
        Assumed standard deviation of the mean differences of time points.
    assumption : str
        Source of the standard deviation.
    records : float
        The records needed, or those that were passed; infinite where no number is enough.
    power : float
        Probability of success with these records; NaN where they are infinite.
    required_power : float
        The requested power.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test; "greater" means that the challenger is better.
    loss : str
        Name of the measure.
    method : str
        Name of the test.
    margin : float or None
        Margin of non-inferiority or equivalence, in units of the measure.
    design_effect : float
        Assumed inflation of the variance: number of time points that are worth an
        independent one.
    group_size : float or None
        Records of a time point.
    horizon : int
        Time points by which forecasts are ahead.
    most_cosines : float
        Largest number of cosines per time point; 1 if the inflation alone decides.
    scenarios : tuple of LossPlanScenario
        Plans under other assumptions.
    """

    goal_texts: ClassVar[dict[str, str]] = {
        "difference": "detect a difference",
        "noninferiority": "show that the challenger is worse by less than {margin}",
        "equivalence": "show that the two differ by less than {margin}",
    }
    horizon: int = 1
    most_cosines: float = 1.0

    @property
    def times(self) -> float:
        """Number of time points that the records come from."""
        return self.records / (self.group_size or 1.0)

    @property
    def n_cosines(self) -> float:
        """Degrees of freedom of the variance that the test is likely to have."""
        if not self.feasible:
            return math.nan
        return TimeGoal.of_plan(self).cosines(self.times)

    @property
    def _further(self) -> dict[str, Any]:
        finite = self.feasible
        return {
            "at_margins": list(self.at_margins),
            "times": self.times if finite else None,
            "n_cosines": self.n_cosines if finite else None,
        }

    def _assumptions(self) -> list[str]:
        difference = f"if the difference is {self.difference:+.4g}"
        if not math.isnan(self.champion):
            difference = (
                f"if {self.loss} is {self.champion:.4g} (champion) and "
                f"{self.challenger:.4g} (challenger), difference {self.difference:+.4g}"
            )
        return [
            difference,
            "and differences of time points have standard deviation "
            f"{self.deviation:.4g}: {self.assumption}",
        ]

    def _records_text(self) -> str:
        points = f"{self.times:.0f} time points"
        if (self.group_size or 1.0) != 1:
            points = f"{self.records:.0f} records at {points}"
        return f"{points} have power {self.power:.3f}"

    def _effect_text(self) -> str:
        text = f"and {self.design_effect:.3g} time points are worth an independent one"
        if not self.feasible:
            return text
        return f"{text}, with about {self.n_cosines:.0f} cosines"


@dataclass(frozen=True, slots=True)
class TimeGoal(LossGoal):
    """Goal of a comparison of records in time order.

    `design_effect` is the inflation of the variance, and `group_size` the number of records
    of a time point.
    """

    measure: ClassVar[str] = "measure"
    plan_type: ClassVar[type] = TimePlan
    harm: ClassVar[str] = "harm to the measure"
    contrast: ClassVar[str] = "positive where the challenger is better"

    horizon: int = 1
    most_cosines: float = 1.0

    def cosines(self, times: float) -> float:
        """Number of cosines that the test is likely to choose."""
        return self._spread.likely_cosines(times, self.horizon)

    @property
    def _spread(self) -> TimeSpread:
        return TimeSpread(math.nan, self.design_effect, math.nan, self.most_cosines)

    def records(self, truth: LossTruth) -> float:
        """Records of the smallest number of time points with the required power."""
        size = self.group_size or 1.0
        if self.distance(truth.difference) <= 0:
            return math.inf
        enough = smallest(lambda t: self.power_at(t * size, truth) >= self.power, 16)
        return float(math.ceil(enough * size - ROUNDING)) if enough < math.inf else enough

    def size_of(self, records: float) -> tuple[float, float]:
        """Number of independent time points that records are worth, and of cosines.

        No number of cosines if there are too few time points for a test.
        """
        times = records / (self.group_size or 1.0)
        if times < FEWEST_HORIZONS * self.horizon - ROUNDING:
            return 0.0, 0.0
        return self._spread.worth(times), self.cosines(times)


def plan_time_comparison(
    difference: float,
    deviation: float,
    *,
    variance_inflation: float,
    records_per_time: float = 1.0,
    horizon: int = 1,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> TimePlan:
    """Plan how long to compare two models on records in time order, or compute the power.

    How many time points (days, weeks) are needed? The plan is for :func:`diebold_mariano`,
    by any mean loss or score. The number depends on the difference, on how much the
    differences of time points vary, and on how long they remain correlated: twice the
    inflation of the variance requires twice as many time points, and somewhat more where
    these are few.

    Parameters
    ----------
    difference : float
        Difference that is assumed to be true, in units of the measure: positive if the
        challenger is better.
    deviation : float
        Standard deviation of the differences of records; where a time point has several,
        that of their mean difference.
    variance_inflation : float
        Variance of the mean difference over that of independent time points, at least 1:
        the detail `variance_inflation` of :func:`diebold_mariano`. In an autoregression
        with correlation rho of neighbours it is (1 + rho) / (1 - rho).
    records_per_time : float, default=1
        Mean number of records of a time point.
    horizon : int, default=1
        Time points by which forecasts are ahead.
    n : int, optional
        Number of records, whose power is then computed.
    goal : {"difference", "noninferiority", "equivalence"}, default="difference"
        What is to be shown: that the models differ, that the challenger is worse by less
        than `margin`, or that they differ by less than it.
    margin : float, optional
        Needed for the last two goals, in units of the measure.
    alpha : float, default=0.05
        Level of the test; of each of both tests for equivalence.
    power : float, default=0.8
        Required probability of success, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test of a difference; "greater" means that the challenger is
        better. The other goals have their own.

    Returns
    -------
    plan : TimePlan
        `times`, `records` and their `power`; `str(plan)` describes them.

    Raises
    ------
    ValueError
        If no number of records is enough, and `n` is not given.

    See Also
    --------
    plan_time_from_pilot : The same from a pilot.
    diebold_mariano : The test.

    Notes
    -----
    With T time points, standard deviation s and inflation I of the variance, the statistic
    has about a noncentral t distribution [1]_ with the noncentrality
    ``difference * sqrt(0.9 T / I) / s``, where 0.9 stands for the share by which the test
    takes the variance for larger. Its degrees of freedom are the cosines that the test is
    likely to choose: at least 4, and at most 0.4 T^(2/3), half of the horizons in T, and
    the number whose bias is 5 % in an autoregression with that inflation,
    ``2 T / pi * sqrt(0.15 / (I² - 1))``. Differences that are alike for longer than such
    an autoregression, beneath noise, as 0/1 losses of which few differ, have fewer, so that
    the power is lower; a pilot shows it.

    ``benchmarks/validity/planning/time_plans.py`` measures the power at the planned
    numbers, where 0.8 is wanted (standard error 0.015). For normal differences, absolute
    and squared errors with autocorrelations of 0 to 0.95 it is 0.77 to 0.85, and 0.66 to
    0.81 where the plan has less than 33 times as many time points as the inflation. Of 0/1
    losses of which a fifth differ it is 0.73 to 0.90, and 0.59 at 469 time points with an
    autocorrelation of 0.95.

    References
    ----------
    .. [1] Lazarus, E., Lewis, D. J. and Stock, J. H. (2021). "The size-power tradeoff in
       HAR inference." Econometrica 89(5), 2497-2516.

    Examples
    --------
    >>> from skcompare.stats import plan_time_comparison
    >>> print(plan_time_comparison(0.05, 0.4, variance_inflation=3.0))
    1732 time points have power 0.800
    to detect a difference (Diebold-Mariano, two-sided, alpha 0.05)
    if the difference is +0.05
    and differences of time points have standard deviation 0.4: as given
    and 3 time points are worth an independent one, with about 58 cosines
    """
    check_between("difference", difference, -math.inf, math.inf, "It may be negative.")
    what = "It is that of the differences of time points."
    spread = check_between("deviation", deviation, 0, math.inf, what)
    size = check_between("records_per_time", records_per_time, 0, math.inf, "1 is usual.")
    if variance_inflation != 1:
        # Below 1 the differences of neighbours are opposed, which does not last.
        what = "1 stands for independent time points."
        check_between("variance_inflation", variance_inflation, 1, math.inf, what)
    aim = TimeGoal.checked(
        goal,
        margin,
        alpha,
        power,
        alternative,
        variance_inflation,
        group_size=size,
        horizon=check_count("horizon", horizon),
    )
    n = None if n is None else check_count("n", n)
    if n is None:
        aim.check_possible(difference, "measures")
    truth = LossTruth(float(difference), spread, spread, spread)
    return _plan(aim, (math.nan, math.nan), truth, n, (), "as given", "measure")


def plan_time_from_pilot(
    pilot: OrderedDifferences,
    *,
    n: int | None = None,
    goal: str = "difference",
    margin: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> TimePlan:
    """Plan how long to compare two models on records in time order, from a pilot.

    The pilot's difference, and its variance and dependence over time, are assumed to be the
    true ones. They are not, so the plan has scenarios for the hardest and the easiest
    difference in the pilot's interval, and for the largest variance that the pilot is
    compatible with.

    Parameters
    ----------
    pilot : OrderedDifferences
        Differences of the pilot: the `evidence(OrderedDifferences)` of a comparison with
        `time`, or made by its constructors. The records are then planned to come at the
        same times, with the same horizon.
    n, goal, margin, alpha, power, alternative
        As for :func:`plan_time_comparison`.
    confidence_level : float, default=0.95
        Level of the pilot's intervals of the difference and of the variance.

    Returns
    -------
    plan : TimePlan
        The records are new ones: those of the pilot, after which the plan was made, do not
        count.

    Raises
    ------
    TypeError
        If the pilot is other evidence.
    ValueError
        If it has fewer than 8 time points for each step of the horizon, or its differences
        do not vary.

    See Also
    --------
    plan_time_comparison : The same from expected numbers.

    Notes
    -----
    A short pilot tells little of a variance over time: estimated from B cosines it has B
    degrees of freedom, and the largest variance is the upper limit of its chi-squared
    interval. Where the dependence left the pilot fewer cosines per time point than
    :func:`plan_time_comparison` assumes, the plan has no more either. Planned for the
    true difference from pilots of 2000 time points the mean power is 0.76 to 0.85, and from
    120 it is 0.86, 0.77, 0.69 and 0.46 at autocorrelations of 0, 0.5, 0.8 and 0.95.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import OrderedDifferences
    >>> from skcompare.stats import plan_time_from_pilot
    >>> rng = np.random.default_rng(0)
    >>> gains = 0.2 + np.convolve(rng.normal(size=123), np.ones(4) / 2, "valid")
    >>> pilot = OrderedDifferences.from_differences(gains, measure="absolute_error")
    >>> plan = plan_time_from_pilot(pilot)
    >>> plan.times
    307.0
    >>> for scenario in plan.scenarios:
    ...     print(f"{scenario.name}: {scenario.records}")
    hardest difference: inf
    easiest difference: 76.0
    largest variance: 2125.0
    """
    if not isinstance(pilot, OrderedDifferences):
        raise TypeError(
            f"plan_time_from_pilot needs OrderedDifferences. Got {type(pilot).__name__}. "
            "Take them from a comparison with `time`, by evidence(OrderedDifferences), or "
            "make them by OrderedDifferences.from_losses."
        )
    check_length(pilot, "plan_time_from_pilot")
    level = check_confidence_level(confidence_level)
    spread = spread_in_time(pilot)
    if not spread.deviation > 0:
        raise ValueError(
            "The pilot's differences do not vary, so that it tells nothing about what a "
            f"comparison needs. Got {pilot.n_times} equal ones. Use "
            "plan_time_comparison, or a pilot with more records."
        )
    aim = TimeGoal.checked(
        goal,
        margin,
        alpha,
        power,
        alternative,
        spread.inflation,
        group_size=pilot.n / pilot.n_times,
        horizon=pilot.horizon,
        most_cosines=spread.most_cosines,
    )
    n = None if n is None else check_count("n", n)
    truth = LossTruth(pilot.estimate, *[spread.deviation] * 3)
    result = diebold_mariano(pilot)
    limits = result.confidence_interval(level)
    scenarios = (
        *aim.extremes(truth, limits, n),
        aim.scenario("largest variance", _at_largest_variance(truth, spread, level), n),
    )
    means = (math.nan, math.nan) if pilot.means is None else pilot.means
    assumption = "as in the pilot"
    if FEW in result.flags:
        assumption += ", which is short for how long its records are alike"
    return _plan(aim, means, truth, n, scenarios, assumption, pilot.measure)


def _at_largest_variance(truth: LossTruth, spread: TimeSpread, level: float) -> LossTruth:
    """Return the truth with the upper limit of the standard deviation."""
    df = spread.n_cosines
    ratio = df / float(chdtri(df, 1 - alpha_of(level) / 2))
    return truth.at(truth.difference, spread.deviation * math.sqrt(ratio))


def _plan(
    aim: TimeGoal,
    means: tuple[float, float],
    truth: LossTruth,
    n: int | None,
    scenarios: tuple[Any, ...],
    assumption: str,
    measure: str,
) -> TimePlan:
    fields = {"assumption": assumption, "loss": measure, "method": "Diebold-Mariano"}
    at_margins = truth.below, truth.above
    plan: TimePlan = aim.plan(means, truth, n, scenarios, at_margins=at_margins, **fields)
    return plan
