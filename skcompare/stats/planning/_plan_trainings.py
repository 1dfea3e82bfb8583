"""Plans for comparing recipes: how many trainings, and how many records."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri, ndtr, stdtrit

from skcompare._core.validation import check_count, is_number
from skcompare._typing import FloatArray
from skcompare.evidence import CrossedDifferences
from skcompare.stats.core._power import Aim, smallest
from skcompare.stats.core._tails import outward
from skcompare.stats.planning._goal import check_between, plain
from skcompare.stats.trainings import TrainingVariance, crossed_df, training_variance

FEWEST_TRAININGS = 3
"""Fewest trainings that are planned: of two, equal recipes differ too often."""

MOST_TRAININGS = 50
MOST_RECORDS = 1e9

N_QUANTILES = 200
"""Number of quantiles of the variance over trainings that a power is averaged over."""

MIDDLE = 0.8
"""Share of pilots whose variance over trainings is within that of the scenarios."""


class TrainingScenario(NamedTuple):
    """Numbers of trainings and of records with the required power, and their cost.

    Attributes
    ----------
    name : str
        Name of the assumption, or of the choice.
    n_trainings : int
        Trainings of each recipe.
    records : float
        Test records; infinite where no number is enough.
    power : float
        Probability of success; NaN where records are infinite.
    cost : float
        Cost of both.
    """

    name: str
    n_trainings: int
    records: float
    power: float
    cost: float

    def __str__(self) -> str:
        if not math.isfinite(self.records):
            return (
                f"no number of records is enough for {self.n_trainings} trainings of each"
            )
        return (
            f"{self.n_trainings} trainings of each and {self.records:.0f} records, power "
            f"{self.power:.3f}, cost {self.cost:.4g}"
        )


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Plan of a comparison of two recipes: trainings of each, and test records.

    Attributes
    ----------
    difference : float
        Difference that is assumed to be true.
    sigma_records, sigma_trainings, sigma_interaction : float
        Assumed standard deviations of the difference: between records, between pairs of
        trainings, and of what is left.
    n_trainings : int
        Trainings of each recipe.
    records : float
        Test records; infinite where no number is enough.
    power : float
        Probability of success with both; NaN where records are infinite.
    cost : float
        Cost of all trainings and records.
    training_cost, record_cost : float
        Cost of a training, and of a test record.
    required_power, alpha : float
        The requested power, and the level of the test.
    alternative : {"two-sided", "less", "greater"}
        Direction of the test.
    choices : tuple of TrainingScenario
        Records and cost by the number of trainings.
    scenarios : tuple of TrainingScenario
        The best choice if trainings vary more, or less, than assumed.
    """

    difference: float
    sigma_records: float
    sigma_trainings: float
    sigma_interaction: float
    n_trainings: int
    records: float
    power: float
    cost: float
    training_cost: float
    record_cost: float
    required_power: float
    alpha: float
    alternative: str
    choices: tuple[TrainingScenario, ...] = ()
    scenarios: tuple[TrainingScenario, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether some number of records is enough."""
        return math.isfinite(self.records)

    @property
    def enough(self) -> bool:
        """Whether both numbers give the requested power."""
        return self.power >= self.required_power

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, with None for infinite or undefined numbers."""
        values = {f.name: plain(getattr(self, f.name)) for f in fields(self)}
        several = {
            name: [
                {key: plain(value) for key, value in row._asdict().items()}
                for row in getattr(self, name)
            ]
            for name in ("choices", "scenarios")
        }
        return values | several | {"feasible": self.feasible, "enough": self.enough}

    def __str__(self) -> str:
        best = TrainingScenario("", self.n_trainings, self.records, self.power, self.cost)
        lines = [
            f"{best}" + ("" if self.enough else f": less than {self.required_power:g}"),
            f"to detect a difference (crossed t, {self.alternative}, alpha {self.alpha:g})",
            f"if it is {self.difference:+.4g}, with standard deviations of "
            f"{self.sigma_records:.4g} between records, {self.sigma_trainings:.4g} between",
            f"trainings and {self.sigma_interaction:.4g} of both at once",
        ]
        return "\n".join([*lines, *(f"{row.name}: {row}" for row in self.scenarios)])


class Components(NamedTuple):
    """Supposed variances of a difference, between records and between trainings."""

    difference: float
    records: float
    trainings: float
    interaction: float

    def power(self, n: float, n_trainings: int, aim: Aim) -> float:
        """Probability that the crossed t test finds the difference.

        The variance over trainings is averaged over its distribution; those of many
        records are taken as known.
        """
        of_both = self.interaction / (n * n_trainings)
        over_records = self.records / n + of_both
        over_trainings = self.trainings / n_trainings + of_both
        true = over_records + over_trainings - of_both
        if true == 0:
            return 1.0
        df = n_trainings - 1
        estimated = over_trainings * _chi_squared(df) / df
        total = np.maximum(over_records, over_records + estimated - of_both)
        total = np.maximum(total, estimated)
        own_df = crossed_df(over_records, [estimated], total, n - 1, [df])
        reach = stdtrit(own_df, 1 - aim.tail) * np.sqrt(total / true)
        effect = self.difference / math.sqrt(true)
        signs = {"greater": [1], "less": [-1]}.get(aim.alternative, [1, -1])
        return min(1.0, sum(float(ndtr(sign * effect - reach).mean()) for sign in signs))

    def records_for(self, n_trainings: int, aim: Aim) -> float:
        """Smallest number of records with the required power; infinite if there is none."""
        if outward(self.difference, aim.alternative) <= 0:
            return math.inf
        if self.power(MOST_RECORDS, n_trainings, aim) < aim.power:
            return math.inf
        return float(
            smallest(lambda n: self.power(n, n_trainings, aim) >= aim.power, 16, low=2)
        )


def _chi_squared(df: int) -> FloatArray:
    """Quantiles of chi-squared in the middle of parts of equal probability."""
    upper = 1 - (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    return np.asarray(chdtri(df, upper))


class _Costs(NamedTuple):
    training: float
    record: float

    def scenario(
        self, name: str, components: Components, n: float, s: int, aim: Aim
    ) -> TrainingScenario:
        if not math.isfinite(n):
            return TrainingScenario(name, s, math.inf, math.nan, math.inf)
        power = components.power(n, s, aim)
        return TrainingScenario(name, s, n, power, 2 * s * self.training + n * self.record)


def plan_trainings(
    difference: float,
    *,
    sigma_records: float,
    sigma_trainings: float,
    sigma_interaction: float = 0.0,
    n: int | None = None,
    n_trainings: int | None = None,
    training_cost: float = 1.0,
    record_cost: float = 0.0,
    most_trainings: int = MOST_TRAININGS,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> TrainingPlan:
    """Plan the trainings and the test records of a comparison of two recipes.

    More seeds, or more records? Each reduces its own part of the variance, and neither the
    other's. With the cost of a training and of a record, the plan has the numbers that
    reach the power at the least cost.

    Parameters
    ----------
    difference : float
        Difference that is to be found, challenger minus champion where greater is better.
    sigma_records : float
        Standard deviation of the difference of a record, from record to record.
    sigma_trainings : float
        Standard deviation of the mean difference, from pair to pair of trainings.
    sigma_interaction : float, default=0.0
        Standard deviation of what is left: how much the difference of one record varies
        from pair to pair, beside that of the mean.
    n : int, optional
        Number of test records, if it is given.
    n_trainings : int, optional
        Number of trainings of each recipe, if it is given.
    training_cost : float, default=1.0
        Cost of one training of one recipe.
    record_cost : float, default=0.0
        Cost of one test record, such as that of its label, in the same unit. At a cost of 0
        the plan has the fewest trainings for which some number of records is enough.
    most_trainings : int, default=50
        Most trainings of each that are considered.
    alpha, power : float
        Level of the test, and required probability of success.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        "greater" finds a challenger that is better only.

    Returns
    -------
    plan : TrainingPlan
        `n_trainings`, `records`, their `power` and `cost`, and `choices` by the number of
        trainings; `str(plan)` describes them. With both numbers given their power is
        computed.

    Raises
    ------
    ValueError
        If no numbers of trainings and records are enough.

    See Also
    --------
    plan_trainings_from_pilot : The same from a pilot.
    crossed_t : The test.

    Notes
    -----
    The variance of the mean difference over n records and S pairs of trainings is
    ``records / n + trainings / S + interaction / (n S)``, with the squares of the standard
    deviations. Without the last part, costs c of a record and C of a training are spent
    best if ``n / S = (sigma_records / sigma_trainings) sqrt(2 C / c)``, as in sampling in
    two stages [1]_. Degrees of freedom count as well, so that the plan compares all
    numbers of trainings from 3 on. The power is that of :func:`crossed_t` for normal
    effects, averaged over what the few trainings say of their variance.

    References
    ----------
    .. [1] Cochran, W. G. (1977). "Sampling techniques." 3rd edition, Wiley, New York,
       chapter 10.

    Examples
    --------
    >>> from skcompare.stats import plan_trainings
    >>> plan = plan_trainings(
    ...     0.01, sigma_records=0.2, sigma_trainings=0.005, sigma_interaction=0.2,
    ...     training_cost=20.0, record_cost=0.05,
    ... )
    >>> print(plan)
    7 trainings of each and 5529 records, power 0.800, cost 556.5
    to detect a difference (crossed t, two-sided, alpha 0.05)
    if it is +0.01, with standard deviations of 0.2 between records, 0.005 between
    trainings and 0.2 of both at once
    >>> [(row.n_trainings, row.records) for row in plan.choices[:4]]
    [(3, inf), (4, inf), (5, 11075.0), (6, 6716.0)]
    """
    deviations = {
        "sigma_records": sigma_records,
        "sigma_trainings": sigma_trainings,
        "sigma_interaction": sigma_interaction,
    }
    for name, value in deviations.items():
        if not is_number(value) or not 0 <= value < math.inf:
            raise ValueError(
                f"`{name}` must be a standard deviation of at least 0. Got {value!r}."
            )
    if not is_number(difference) or not math.isfinite(difference):
        raise ValueError(f"`difference` must be a finite number. Got {difference!r}.")
    squares = (value**2 for value in deviations.values())
    components = Components(float(difference), *squares)
    numbers = n, n_trainings, training_cost, record_cost, most_trainings
    return _plan(components, *numbers, aim=Aim(alpha, power, alternative))


def plan_trainings_from_pilot(
    pilot: CrossedDifferences,
    *,
    difference: float | None = None,
    n: int | None = None,
    n_trainings: int | None = None,
    training_cost: float = 1.0,
    record_cost: float = 0.0,
    most_trainings: int = MOST_TRAININGS,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> TrainingPlan:
    """Plan the trainings and the test records of a comparison of recipes from a pilot.

    The variances of the pilot are assumed to be the true ones. Few trainings give little
    information on their variance, so the plan has scenarios in which trainings vary more,
    and less.

    Parameters
    ----------
    pilot : CrossedDifferences
        Values of the pilot's records by its trainings, at least 2 of each recipe.
    difference : float, optional
        Difference that is to be found; by default that of the pilot.
    n, n_trainings, training_cost, record_cost, most_trainings, alpha, power, alternative
        As for :func:`plan_trainings`.

    Returns
    -------
    plan : TrainingPlan
        With `scenarios` at both ends of an 80 % interval of the variance between trainings.

    Raises
    ------
    TypeError
        If the pilot is other evidence.
    ValueError
        If a recipe was trained once, or no numbers of trainings and records are enough.

    See Also
    --------
    plan_trainings : The same from standard deviations.

    Notes
    -----
    Of trainings that are not paired, the variances of both roles are added.

    Examples
    --------
    >>> import numpy as np
    >>> from skcompare.evidence import CrossedDifferences
    >>> from skcompare.stats import plan_trainings_from_pilot
    >>> rng = np.random.default_rng(1)
    >>> champion, challenger = rng.random((2, 5, 400)) + 0.02 * rng.normal(size=(2, 5, 1))
    >>> pilot = CrossedDifferences.from_losses(champion, challenger)
    >>> plan = plan_trainings_from_pilot(pilot, difference=0.03, record_cost=0.01)
    >>> plan.n_trainings, plan.records
    (13, 462.0)
    >>> [(row.name, row.n_trainings) for row in plan.scenarios]
    [('trainings vary less', 7), ('trainings vary more', 44)]
    """
    if not isinstance(pilot, CrossedDifferences):
        raise TypeError(
            "plan_trainings_from_pilot needs CrossedDifferences. Got "
            f"{type(pilot).__name__}. Take evidence(CrossedDifferences) of a comparison by "
            "compare_seeds."
        )
    if min(pilot.n_trainings) < 2 or pilot.n < 2:
        raise ValueError(
            "A pilot has at least 2 records and 2 trainings of each recipe. Got "
            f"{pilot.n} and {min(pilot.n_trainings)}. Train more often, or use "
            "plan_trainings."
        )
    variance = training_variance(pilot)
    expected = pilot.estimate if difference is None else float(difference)
    numbers = n, n_trainings, training_cost, record_cost, most_trainings
    aim = Aim(alpha, power, alternative)
    components = _components_of(expected, variance, 1.0)
    df = sum(variance.df_trainings)
    tail = (1 - MIDDLE) / 2
    ends = {"trainings vary less": tail, "trainings vary more": 1 - tail}
    others = {
        name: _components_of(expected, variance, df / float(chdtri(df, upper)))
        for name, upper in ends.items()
    }
    return _plan(components, *numbers, aim=aim, others=others)


def _components_of(
    difference: float, variance: TrainingVariance, factor: float
) -> Components:
    """Return the variances of a pilot, of which that over trainings is multiplied."""
    moments = variance.moments.values()
    interaction = sum(each.interaction for each in moments)
    trainings = sum(
        max(0.0, factor * each.trainings - each.interaction) / each.n for each in moments
    )
    n = next(iter(moments)).n
    records = max(0.0, n * (variance.records - variance.interaction))
    return Components(difference, records, trainings, interaction)


def _plan(
    components: Components,
    n: int | None,
    n_trainings: int | None,
    training_cost: float,
    record_cost: float,
    most_trainings: int,
    *,
    aim: Aim,
    others: Any = (),
) -> TrainingPlan:
    """Return the cheapest numbers of trainings and records, or those that are given."""
    aim.check()
    what = "It is in the unit of the other cost."
    costs = _Costs(
        check_between("training_cost", training_cost, 0, math.inf, what),
        float(record_cost) and check_between("record_cost", record_cost, 0, math.inf, what),
    )
    n = None if n is None else check_count("n", n, least=2)
    fewest = most = 0
    if n_trainings is not None:
        fewest = most = check_count("n_trainings", n_trainings, least=2)
    else:
        most = check_count("most_trainings", most_trainings, least=FEWEST_TRAININGS)
        fewest = FEWEST_TRAININGS
    choices = tuple(_choices(components, n, fewest, most, costs, aim))
    best = _best(choices, aim.power)
    if not math.isfinite(best.records):
        raise ValueError(
            f"No number of records finds a difference of {components.difference:+g} with "
            f"up to {most} trainings, because trainings vary by a standard deviation of "
            f"{math.sqrt(components.trainings):.3g}. Train more often, make the training "
            "more stable, or look for a larger difference."
        )
    scenarios = tuple(
        _best(tuple(_choices(other, n, fewest, most, costs, aim)), aim.power)._replace(
            name=name
        )
        for name, other in dict(others).items()
    )
    return TrainingPlan(
        difference=components.difference,
        sigma_records=math.sqrt(components.records),
        sigma_trainings=math.sqrt(components.trainings),
        sigma_interaction=math.sqrt(components.interaction),
        n_trainings=best.n_trainings,
        records=best.records,
        power=best.power,
        cost=best.cost,
        training_cost=costs.training,
        record_cost=costs.record,
        required_power=aim.power,
        alpha=aim.alpha,
        alternative=aim.alternative,
        choices=choices,
        scenarios=scenarios,
    )


def _choices(
    components: Components, n: int | None, fewest: int, most: int, costs: _Costs, aim: Aim
) -> Iterator[TrainingScenario]:
    """Yield the records for each number of trainings, as long as more may be cheaper."""
    cheapest = math.inf
    for s in range(fewest, most + 1):
        if 2 * s * costs.training >= cheapest:
            return
        records = components.records_for(s, aim) if n is None else float(n)
        row = costs.scenario("", components, records, s, aim)
        yield row
        if row.power >= aim.power:
            cheapest = min(cheapest, row.cost)


def _best(choices: tuple[TrainingScenario, ...], power: float) -> TrainingScenario:
    """Return the cheapest choice with the power, or the one with the most of it."""
    enough = [row for row in choices if row.power >= power]
    if enough:
        return min(enough, key=lambda row: (row.cost, row.n_trainings))
    # Where no number of records is enough, that is so up to the most trainings.
    return max(
        choices, key=lambda row: (row.power if row.power >= 0 else -1.0, row.n_trainings)
    )
