"""Plans for comparing two mean losses, from expected losses or from a pilot."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from skcompare._core.validation import check_confidence_level, check_count, is_number
from skcompare.evidence import PairedLosses
from skcompare.stats.core._power import smallest, t_power
from skcompare.stats.losses._paired_t import (
    check_records,
    few_records_df,
    gain_of_groups,
    gain_of_records,
    loss_title,
)
from skcompare.stats.margins import check_positive_losses, share_of
from skcompare.stats.planning._goal import Goal, Plan, check_between, check_unrelated

FEWEST = 2
"""Fewest records, or groups, that vary."""

SUPPOSED_CORRELATIONS = (0.5, 0.8)
MANY_DEGREES = 10.0
"""Degrees of freedom, for a few records that decide, from which a pilot's variance is taken
without a remark.
"""

UNCORRELATED = "the losses of a record are uncorrelated, as nothing is known"
OF_DIFFERENCE = (
    "It is the standard deviation, from record to record, of the champion's loss minus the "
    "challenger's."
)


class LossPlanScenario(NamedTuple):
    """Scenario of a plan: records and power under another assumption.

    Attributes
    ----------
    name : str
        Name of the assumption.
    difference : float
        Mean loss of the champion minus that of the challenger.
    deviation : float
        Standard deviation of the differences of the records' losses.
    records : float
        Records needed, or those that were passed; infinite where no number is enough.
    power : float
        Probability of success with these records; NaN where they are infinite.
    """

    name: str
    difference: float
    deviation: float
    records: float
    power: float

    def __str__(self) -> str:
        text = f"difference {self.difference:+.4g}, standard deviation {self.deviation:.4g}"
        if not math.isfinite(self.records):
            return f"{text}: no number of records is enough"
        return f"{text}: {self.records:.0f} records, power {self.power:.3f}"


@dataclass(frozen=True, slots=True)
class LossPlan(Plan):
    """Sample-size plan for a comparison of two mean losses on a hold-out set.

    Attributes
    ----------
    goal : {"difference", "noninferiority", "equivalence"}
        What is to be shown.
    champion, challenger : float
        The mean losses that are assumed to be true; NaN where only their difference is
        known.
    difference : float
        The champion's mean loss minus the challenger's; positive favours the challenger.
    deviation : float
        Assumed standard deviation of the differences of the records' losses.
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
        Direction of the test; "greater" means that the challenger's loss is lower.
    loss : str
        Title of the loss.
    method : str
        Name of the test.
    margin : float or None
        Margin of non-inferiority or equivalence, in the units of the loss.
    relative_margin : float or None
        The same as a share of the champion's mean loss, if it was one.
    at_margins : tuple of two floats
        Standard deviations of the differences that a test at each margin is about: for a
        relative one those of the champion's loss times 1 plus or minus the margin, minus
        the challenger's.
    design_effect : float
        Number of grouped records that are worth an independent one.
    group_size : float or None
        Mean number of records of a group, where it is known.
    scenarios : tuple of LossPlanScenario
        Plans under other assumptions.
    """

    goal_texts: ClassVar[dict[str, str]] = {
        "difference": "detect a difference of the mean losses",
        "noninferiority": "show that the challenger's mean loss is less than {margin} "
        "higher",
        "equivalence": "show that the mean losses differ by less than {margin}",
    }

    goal: str
    champion: float
    challenger: float
    difference: float
    deviation: float
    assumption: str
    records: float
    power: float
    required_power: float
    alpha: float
    alternative: str
    loss: str = "loss"
    method: str = "paired t"
    margin: float | None = None
    relative_margin: float | None = None
    at_margins: tuple[float, float] = (math.nan, math.nan)
    design_effect: float = 1.0
    group_size: float | None = None
    scenarios: tuple[LossPlanScenario, ...] = ()

    @property
    def groups(self) -> float | None:
        """Number of groups that the records come from, where their size is known."""
        return None if self.group_size is None else self.records / self.group_size

    @property
    def _further(self) -> dict[str, Any]:
        groups = self.groups
        finite = groups is not None and math.isfinite(groups)
        return {"at_margins": list(self.at_margins), "groups": groups if finite else None}

    @property
    def _margin_text(self) -> str:
        if self.relative_margin is not None:
            return f"{100 * self.relative_margin:g} %"
        return super(LossPlan, self)._margin_text

    def _assumptions(self) -> list[str]:
        difference = f"if the difference is {self.difference:+.4g}"
        if not math.isnan(self.champion):
            difference = (
                f"if mean {self.loss} is {self.champion:.4g} (champion) and "
                f"{self.challenger:.4g} (challenger), difference {self.difference:+.4g}"
            )
        return [
            difference,
            f"and differences have standard deviation {self.deviation:.4g}: "
            f"{self.assumption}",
        ]

    def _records_text(self) -> str:
        groups = ""
        if self.groups is not None:
            groups = f" from about {self.groups:.0f} groups"
        return f"{self.records:.0f} records{groups} have power {self.power:.3f}"


class LossTruth(NamedTuple):
    """Supposed true difference of two mean losses, and standard deviations of records.

    `spread` is that of the difference, and `below` and `above` are those of the differences
    that tests at the lower and at the upper margin are about.
    """

    difference: float
    spread: float
    below: float
    above: float

    def at(self, difference: float, spread: float | None = None) -> "LossTruth":
        """Return another difference, with standard deviations in the same proportion."""
        times = 1.0 if spread is None else spread / self.spread
        spreads = self.spread * times, self.below * times, self.above * times
        return LossTruth(difference, *spreads)

    @property
    def largest(self) -> float:
        """Largest difference that is possible."""
        return math.inf


@dataclass(frozen=True, slots=True)
class LossGoal(Goal):
    """Goal of a comparison of two mean losses, and the groups of its records."""

    measure: ClassVar[str] = "mean loss"
    plan_type: ClassVar[type] = LossPlan
    harm: ClassVar[str] = "increase of the mean loss"
    contrast: ClassVar[str] = "the champion's mean loss minus the challenger's"
    largest_margin: ClassVar[float] = math.inf

    relative_margin: float | None = None
    group_size: float | None = None

    @classmethod
    def of_margin(
        cls, goal: str, margin: object, champion: float, *args: Any, **options: Any
    ) -> Self:
        """Check the options of a goal, with a margin that may be a share of a mean loss."""
        share = None
        if isinstance(margin, str) and goal != "difference":
            share = share_of(margin)
            if share is None:
                raise ValueError(
                    f"`margin` of {goal} must be a number above 0, in units of the loss, "
                    "or a share of the champion's mean loss between 0 and 100 %, such as "
                    f"'2 %'. Got {margin!r} instead."
                )
            if not champion > 0:
                got = "none" if math.isnan(champion) else f"{champion:g}"
                raise ValueError(
                    "A relative margin is a share of the champion's mean loss, which must "
                    f"be a number above 0. Got {got}. Pass `champion_loss`, or a margin in "
                    "units of the loss."
                )
            margin = share * champion
        return cls.checked(goal, margin, *args, relative_margin=share, **options)  # type: ignore[arg-type]

    @classmethod
    def _checked_options(cls, goal: str, **options: Any) -> dict[str, Any]:
        return options

    def scenario(
        self, name: str, truth: LossTruth, n: int | None = None
    ) -> LossPlanScenario:
        """Return the records, or `n` of them, and their power under an assumed truth."""
        records = float(n or 0) or self.records(truth)
        power = math.nan
        if math.isfinite(records):
            power = self.power_at(records, truth)
        return LossPlanScenario(name, truth.difference, truth.spread, records, power)

    def records(self, truth: LossTruth) -> float:
        """Smallest number of records with the required power; infinite if there is none."""
        if self.distance(truth.difference) <= 0:
            return math.inf
        enough = smallest(lambda n: self.power_at(n, truth) >= self.power, 16, low=1)
        return float(enough)

    def size_of(self, records: float) -> tuple[float, float]:
        """Number of independent records that these are worth, and degrees of freedom."""
        groups = records / (self.group_size or self.design_effect)
        return records / self.design_effect, groups - 1

    def power_at(self, records: float, truth: LossTruth) -> float:
        """Probability of success with a number of records."""
        units, df = self.size_of(records)
        if df < FEWEST - 1:
            return 0.0
        root, d = math.sqrt(units), truth.difference
        if self.margin is None:
            distances = {"greater": [d], "less": [-d]}.get(self.alternative, [d, -d])
            effects = [root * distance / truth.spread for distance in distances]
            return min(1.0, sum(t_power(each, df, self.aim.tail) for each in effects))
        # Both sides fail together only if the standard deviation comes out far too large,
        # which hardly happens: their powers add up to that of both, plus 1.
        powers = [
            t_power(root * boundary.distance(d) / spread, df, self.alpha)
            for boundary, spread in zip(self.boundaries, (truth.below, truth.above))
        ]
        return max(0.0, sum(powers) - (len(powers) - 1))


def plan_loss_comparison(
    champion_loss: float | None = None,
    challenger_loss: float | None = None,
    *,
    difference: float | None = None,
    deviation: float | None = None,
    champion_deviation: float | None = None,
    challenger_deviation: float | None = None,
    correlation: float | None = None,
    n: int | None = None,
    goal: str = "difference",
    margin: float | str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    design_effect: float = 1.0,
) -> LossPlan:
    """Plan the number of records of a comparison of two mean losses, or compute its power.

    The plan is for the paired t test of two regressors, or of any losses of records, on one
    hold-out set. The number depends on the difference of the mean losses, and on how much
    the difference of the two losses varies from record to record: twice the standard
    deviation requires four times as many records.

    Parameters
    ----------
    champion_loss, challenger_loss : float, optional
        The mean losses that are assumed to be true, such as mean absolute errors.
    difference : float, optional
        The champion's mean loss minus the challenger's, in units of the loss: positive if
        the challenger is better. Instead of `challenger_loss`, or of both.
    deviation : float, optional
        Standard deviation of the differences of the two losses of a record.
    champion_deviation, challenger_deviation : float, optional
        Standard deviations of the losses of each, instead of `deviation`, or beside it for
        a relative margin.
    correlation : float, optional
        Correlation of the two losses of a record, in (-1, 1). By default the plan assumes
        none, which takes the most records unless losses are opposed, and has scenarios with
        more.
    n : int, optional
        Number of records, whose power is then computed; at least 2.
    goal : {"difference", "noninferiority", "equivalence"}, default="difference"
        What is to be shown: that the mean losses differ, that the challenger's is less than
        `margin` above the champion's, or that neither is `margin` above the other.
    margin : float or str, optional
        Needed for the last two goals: in units of the loss, or a share of the champion's
        mean loss such as "2 %". The latter needs `champion_loss` and how both losses vary.
    alpha : float, default=0.05
        Level of the test; of each of both tests for equivalence.
    power : float, default=0.8
        Required probability of success, more than alpha.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Direction of the test of a difference; "greater" means that the challenger's loss
        is lower. The other goals have their own.
    design_effect : float, default=1
        Number of grouped records that are worth an independent one.

    Returns
    -------
    plan : LossPlan
        `records` and their `power`; `str(plan)` describes both.

    Raises
    ------
    ValueError
        If the standard deviation of the differences does not follow from what is passed,
        or if no number of records is enough and `n` is not given.

    See Also
    --------
    plan_loss_from_pilot : The same from the losses of a pilot.
    paired_t : The test.

    Notes
    -----
    With n records the t statistic has n - 1 degrees of freedom and the noncentrality
    ``sqrt(n) * difference / deviation``, if differences are normal. A two-sided test finds
    a difference of either sign, the wrong one included, as in statsmodels' ``TTestPower``
    and R's ``power.t.test(type = "paired", strict = TRUE)``. For equivalence the powers of
    both tests less 1 are a lower bound of that of both, with an error below 0.0001 from 10
    records on, where they have a power of 0.8.

    A relative margin m is tested by the champion's loss times 1 + m, minus the
    challenger's, as a gate does.

    Losses of regressors have heavy tails. The t statistic is then not quite a noncentral
    one: for squared and absolute errors of normal, of t- and of log-normally distributed
    noise ``benchmarks/validity/planning/loss_plans.py`` measures the power that plans have.

    References
    ----------
    Johnson, N. L. and Welch, B. L. (1940). "Applications of the non-central
    t-distribution." Biometrika 31(3/4), 362-389.

    Examples
    --------
    >>> from skcompare.stats import plan_loss_comparison
    >>> plan = plan_loss_comparison(difference=2.0, deviation=12.0)
    >>> plan.records, round(plan.power, 3)
    (285.0, 0.801)
    >>> print(plan_loss_comparison(
    ...     48.0, 48.0, champion_deviation=34.0, challenger_deviation=33.0, correlation=0.9,
    ...     goal="noninferiority", margin="5 %",
    ... ))
    263 records have power 0.801
    to show that the challenger's mean loss is less than 5 % higher (paired t, alpha 0.05)
    if mean loss is 48 (champion) and 48 (challenger), difference +0
    and differences have standard deviation 15.01: losses of a record correlate 0.9
    """
    means = _means(champion_loss, challenger_loss, difference)
    aim = LossGoal.of_margin(
        goal, margin, means[0], alpha, power, alternative, design_effect
    )
    n = None if n is None else check_count("n", n, least=FEWEST)
    expected = means[2]
    if n is None:
        aim.check_possible(expected, "mean losses")
    own = _checked_deviations(champion_deviation, challenger_deviation)
    if deviation is not None:
        spread, assumption = _deviation_beside(deviation, own, correlation), "as given"
    elif own is None:
        raise ValueError(
            "The plan needs the standard deviation of the differences of the records' "
            "losses. Got none. Pass `deviation`, or `champion_deviation` and "
            "`challenger_deviation`, with their `correlation` if it is known."
        )
    else:
        r = 0.0 if correlation is None else _checked_correlation(correlation)
        spread = _spread(own, r)
        assumption = UNCORRELATED
        if correlation is not None:
            assumption = f"losses of a record correlate {r:g}"
    truth = _truth(expected, spread, own, aim.relative_margin)
    scenarios: tuple[LossPlanScenario, ...] = ()
    if deviation is None and correlation is None:
        scenarios = tuple(
            aim.scenario(
                f"correlation {r:g}",
                _truth(expected, _spread(own, r), own, aim.relative_margin),  # type: ignore[arg-type]
                n,
            )
            for r in SUPPOSED_CORRELATIONS
        )
    return _plan(aim, means, truth, n, scenarios, assumption, "loss")


def plan_loss_from_pilot(
    pilot: PairedLosses,
    *,
    n: int | None = None,
    goal: str = "difference",
    margin: float | str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
) -> LossPlan:
    """Plan the number of records of a comparison of two mean losses from a pilot.

    The pilot's mean losses and the variance of their difference are assumed to be the true
    ones. They are not, so the plan has scenarios for the hardest and the easiest difference
    in the pilot's interval.

    Parameters
    ----------
    pilot : PairedLosses
        Losses of the pilot's records, or their moments. Of groups, the variance between
        groups is used: the design effect where it is above 1, and the mean size.
    n, goal, margin, alpha, power, alternative
        As for :func:`plan_loss_comparison`.
    confidence_level : float, default=0.95
        Level of the pilot's interval of the difference.

    Returns
    -------
    plan : LossPlan
        `scenarios` has the hardest and the easiest difference of the interval, with the
        pilot's standard deviation. The records are new ones: those of the pilot, after
        which the plan was made, do not count.

    Raises
    ------
    TypeError
        If the pilot is other evidence.
    ValueError
        If it has fewer than two records or groups, or the differences of its losses do not
        vary.

    See Also
    --------
    plan_loss_comparison : The same from expected mean losses.

    Notes
    -----
    Records of groups are planned for the t test of :func:`clustered_t`, with as many
    degrees of freedom as there are groups, less 1. If one record makes much of the pilot's
    variance, the plan says so: without that record, or with another such, it would be
    another one.

    References
    ----------
    Johnson, N. L. and Welch, B. L. (1940). "Applications of the non-central
    t-distribution." Biometrika 31(3/4), 362-389.

    Examples
    --------
    >>> from skcompare.evidence import PairedLosses
    >>> from skcompare.stats import plan_loss_from_pilot
    >>> pilot = PairedLosses.from_moments(
    ...     60, [48.2, 44.5], variances=[1020.0, 980.0], difference_variance=600.0
    ... )
    >>> plan = plan_loss_from_pilot(pilot)
    >>> plan.records, [(row.name, row.records) for row in plan.scenarios]
    (346.0, [('hardest difference', inf), ('easiest difference', 49.0)])
    """
    if not isinstance(pilot, PairedLosses):
        raise TypeError(
            f"plan_loss_from_pilot needs PairedLosses. Got {type(pilot).__name__}. Make "
            "them by PairedLosses.from_predictions or from_losses."
        )
    check_unrelated(pilot)
    check_records(pilot, "plan_loss_from_pilot")
    level = check_confidence_level(confidence_level)
    effect, size = _grouping(pilot)
    options: dict[str, Any] = {"group_size": size}
    aim = LossGoal.of_margin(
        goal, margin, pilot.means[0], alpha, power, alternative, effect, **options
    )
    n = None if n is None else check_count("n", n, least=FEWEST)
    root = math.sqrt(pilot.n / effect)
    spreads = [_largest_error(pilot) * root] * 3
    if aim.relative_margin is not None:
        check_positive_losses(pilot)
        ratios = 1 + aim.relative_margin, 1 - aim.relative_margin
        spreads[1:] = [_largest_error(pilot.weighted(ratio)) * root for ratio in ratios]
    gain = _gain_of(pilot)
    truth = LossTruth(gain.estimate, *spreads)
    scenarios = aim.extremes(truth, gain.limits(level, "two-sided"), n)
    means = *pilot.means, gain.estimate
    loss = loss_title(pilot.loss)
    return _plan(aim, means, truth, n, scenarios, _as_in(pilot), loss)


def _plan(
    aim: LossGoal,
    means: tuple[float, float, float],
    truth: LossTruth,
    n: int | None,
    scenarios: tuple[Any, ...],
    assumption: str,
    loss: str,
) -> LossPlan:
    fields = {"assumption": assumption, "loss": loss}
    at_margins = truth.below, truth.above
    plan: LossPlan = aim.plan(
        means[:2], truth, n, scenarios, at_margins=at_margins, **fields
    )
    return plan


def _means(
    champion: float | None, challenger: float | None, difference: float | None
) -> tuple[float, float, float]:
    """Return both mean losses, NaN where they are unknown, and their difference."""
    named = {"champion_loss": champion, "challenger_loss": challenger}
    named["difference"] = difference
    passed = {name: value for name, value in named.items() if value is not None}
    for name, value in passed.items():
        if not is_number(value) or not math.isfinite(value):
            raise ValueError(
                f"`{name}` must be a finite number, in units of the loss. Got {value!r}."
            )
    if difference is None and (champion is None or challenger is None):
        raise ValueError(
            "The plan needs the difference of the mean losses. Got "
            f"{', '.join(passed) or 'none'}. Pass `champion_loss` and `challenger_loss`, "
            "or `difference`."
        )
    if len(passed) == 3:
        raise ValueError(
            "Pass two of `champion_loss`, `challenger_loss` and `difference`. Got three."
        )
    if difference is None:
        return float(champion), float(challenger), float(champion - challenger)  # type: ignore[operator, arg-type]
    if champion is not None:
        return float(champion), float(champion - difference), float(difference)
    if challenger is not None:
        return float(challenger + difference), float(challenger), float(difference)
    return math.nan, math.nan, float(difference)


def _checked_deviations(
    champion: float | None, challenger: float | None
) -> tuple[float, float] | None:
    """Return the standard deviations of both losses, or None if there are none."""
    if champion is None and challenger is None:
        return None
    if champion is None or challenger is None:
        raise ValueError(
            "`champion_deviation` and `challenger_deviation` go together. Got "
            f"{champion!r} and {challenger!r}. Pass `deviation`, that of the differences, "
            "if one is unknown."
        )
    what = "It is the standard deviation of a loss, from record to record."
    return (
        check_between("champion_deviation", champion, 0, math.inf, what),
        check_between("challenger_deviation", challenger, 0, math.inf, what),
    )


def _checked_correlation(correlation: object) -> float:
    what = "It is that of the two losses of a record."
    return check_between("correlation", correlation, -1, 1, what)


def _deviation_beside(
    deviation: object, own: tuple[float, float] | None, correlation: float | None
) -> float:
    """Check the standard deviation of the differences beside those of both losses."""
    spread = check_between("deviation", deviation, 0, math.inf, OF_DIFFERENCE)
    if correlation is not None:
        raise ValueError(
            "Pass `deviation` or `correlation`, each says what the other does. Got "
            f"deviation={deviation!r} and correlation={correlation!r}."
        )
    if own is not None and not abs(own[0] - own[1]) <= spread <= sum(own):
        raise ValueError(
            f"Losses with standard deviations of {own[0]:g} and {own[1]:g} have "
            f"differences with one from {abs(own[0] - own[1]):g} to {sum(own):g}. Got "
            f"deviation={deviation!r}."
        )
    return spread


def _spread(own: tuple[float, float], correlation: float) -> float:
    """Standard deviation of the difference of losses that correlate."""
    first, second = own
    return math.sqrt((first - second) ** 2 + 2 * (1 - correlation) * first * second)


def _truth(
    difference: float,
    spread: float,
    own: tuple[float, float] | None,
    share: float | None,
) -> LossTruth:
    """Return what is assumed to be true, with the deviations at relative margins."""
    if share is None:
        return LossTruth(difference, spread, spread, spread)
    if own is None:
        raise ValueError(
            "A relative margin is tested by the champion's loss times 1 plus or minus the "
            "margin, minus the challenger's, and its standard deviation needs those of "
            "both losses. Got `deviation` alone. Pass `champion_deviation` and "
            "`challenger_deviation` as well, or a margin in units of the loss."
        )
    first, second = own
    covariance = (first**2 + second**2 - spread**2) / 2
    below, above = (
        math.sqrt(max(0.0, (w * first) ** 2 + second**2 - 2 * w * covariance))
        for w in (1 + share, 1 - share)
    )
    if not min(below, above) > 0:
        raise ValueError(
            "At the margin the differences of records do not vary, so that every number "
            f"of records would do. Got standard deviations of {first:g} and {second:g}. "
            "Pass a lower `correlation`."
        )
    return LossTruth(difference, spread, below, above)


def _gain_of(pilot: PairedLosses) -> Any:
    """Gain of a pilot, with its standard error between records or groups."""
    return (gain_of_records if pilot.groups is None else gain_of_groups)(pilot)


def _largest_error(pilot: PairedLosses) -> float:
    """Standard error of a pilot's gain; of groups, no less than that of as many records."""
    error = max(_gain_of(pilot).error, gain_of_records(pilot).error)
    if error > 0:
        return error
    raise ValueError(
        "The differences of the pilot's losses do not vary, so that it tells nothing "
        f"about what a comparison needs. Got mean losses of {pilot.means[0]:g} and "
        f"{pilot.means[1]:g}. Use plan_loss_comparison, or a pilot with more records."
    )


def _grouping(pilot: PairedLosses) -> tuple[float, float | None]:
    """Design effect of a pilot, at least 1, and the mean size of its groups."""
    if pilot.groups is None:
        return 1.0, None
    if pilot.groups.n_groups < FEWEST:
        raise ValueError(
            "The pilot must have records of at least 2 groups. Got 1. Collect more groups, "
            "or use plan_loss_comparison with a design effect."
        )
    unrelated = gain_of_records(pilot).error
    effect = (_largest_error(pilot) / unrelated) ** 2 if unrelated > 0 else 1.0
    return effect, pilot.n / pilot.groups.n_groups


def _as_in(pilot: PairedLosses) -> str:
    """Source of a standard deviation, with the largest record's share if it is large."""
    share = pilot.moments.largest_share
    if math.isnan(share) or few_records_df(share, pilot.n) >= MANY_DEGREES:
        return "as in the pilot"
    return f"as in the pilot, of whose variance one record makes {100 * share:.0f} %"
