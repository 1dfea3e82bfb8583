"""Plans of comparisons of two mean losses: others' numbers, units, groups and errors."""

import json
import math
import pickle
import re

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.stats import (
    LossPlan,
    clustered_t,
    paired_t,
    plan_loss_comparison,
    plan_loss_from_pilot,
)
from tests.common.golden import golden

GOLDEN = golden("plan_losses")


def pilot_of(seed=0, n=80, groups=None, scale=1.0, shift=0.4):
    rng = np.random.default_rng(seed)
    champion = rng.exponential(size=n) + 1
    challenger = champion - shift + 0.5 * rng.normal(size=n) + 0.5
    if groups is not None:
        challenger = challenger + 0.4 * rng.normal(size=groups.max() + 1)[groups]
    return PairedLosses.from_losses(scale * champion, scale * challenger, groups=groups)


# ---------------------------------------------------------- other people's numbers


@pytest.mark.parametrize("case", GOLDEN["sample_size"], ids=str)
def test_sample_size_of_statsmodels(case):
    """The number of records is that of TTestPower, rounded up."""
    plan = plan_loss_comparison(
        difference=case["effect"],
        deviation=1.0,
        power=case["power"],
        alpha=case["alpha"],
        alternative=case["alternative"],
    )

    assert math.ceil(case["n"]) == plan.records
    assert plan.power >= case["power"]


@pytest.mark.parametrize("case", GOLDEN["power"], ids=str)
def test_power_of_statsmodels(case):
    """Both tails of the noncentral t distribution count."""
    plan = plan_loss_comparison(
        difference=case["effect"],
        deviation=1.0,
        n=case["n"],
        alternative=case["alternative"],
    )

    assert case["power"] == pytest.approx(plan.power, rel=1e-10)


def test_published_examples():
    """R's power.t.test for pairs, and the manual of G*Power."""
    of_r, of_gpower = GOLDEN["published"]
    effect = {"difference": of_r["effect"], "deviation": 1.0}
    below, above = (
        plan_loss_comparison(**effect, n=n).power
        for n in (int(of_r["n"]), math.ceil(of_r["n"]))
    )
    effect = {"difference": of_gpower["effect"], "deviation": 1.0}
    plan = plan_loss_comparison(**effect, n=of_gpower["records"])

    assert below < of_r["power"] < above
    assert of_gpower["power_there"] == pytest.approx(plan.power, abs=5e-7)


@pytest.mark.parametrize("case", GOLDEN["equivalence"], ids=str)
def test_power_of_two_one_sided_tests(case):
    """Near that of both tests by integration."""
    plan = plan_loss_comparison(
        difference=case["difference"],
        deviation=1.0,
        n=case["n"],
        goal="equivalence",
        margin=case["margin"],
    )

    assert case["power"] == pytest.approx(plan.power, abs=1e-4)
    # The oldest releases of scipy have nine digits of a noncentral t distribution.
    assert plan.power <= case["power"] + 2e-9


def test_many_records_have_the_normal_limit():
    """Just above and below a million degrees of freedom the power is the same."""
    powers = [
        plan_loss_comparison(difference=0.0028, deviation=1.0, n=n).power
        for n in (1_000_001, 1_000_002)
    ]

    assert powers[0] == pytest.approx(powers[1], abs=2e-6)


# ----------------------------------------------------------------------- margins


def test_relative_margin_is_that_of_weighted_losses():
    """2 % of the champion's loss: the plan of the mean of 1.02 champion - challenger."""
    own = {"champion_deviation": 3.0, "challenger_deviation": 2.5, "correlation": 0.7}
    options = {"goal": "noninferiority"}
    plan = plan_loss_comparison(10.0, 10.05, **own, margin="2 %", **options)
    spread = math.sqrt((1.02 * 3) ** 2 + 2.5**2 - 2 * 1.02 * 0.7 * 3 * 2.5)
    same = plan_loss_comparison(
        difference=1.02 * 10 - 10.05, deviation=spread, alternative="greater"
    )

    assert same.records == plan.records
    assert same.power == pytest.approx(plan.power, rel=1e-9)
    assert 0.2 == pytest.approx(plan.margin)
    assert "less than 2 % higher" in str(plan)


def test_relative_margin_of_a_pilot():
    """From the moments of a pilot it is the test that a gate makes of weighted losses."""
    pilot = pilot_of(shift=0.5)
    plan = plan_loss_from_pilot(pilot, goal="equivalence", margin="10 %")
    sides = [paired_t(pilot.weighted(ratio)).details["deviation"] for ratio in (1.1, 0.9)]

    assert sides == pytest.approx(list(plan.at_margins))
    assert plan.deviation == pytest.approx(paired_t(pilot).details["deviation"])


def test_roles_and_direction():
    """Exchanged roles turn the difference and keep the records."""
    pilot = pilot_of()
    plan, other = (plan_loss_from_pilot(each) for each in (pilot, pilot.swap()))

    assert plan.records == other.records
    assert plan.difference == -other.difference == pytest.approx(pilot.gain)
    direction = "greater" if pilot.gain > 0 else "less"
    one_sided = plan_loss_from_pilot(pilot, alternative=direction)
    assert one_sided.records < plan.records


@pytest.mark.parametrize("unit", [1e-9, 1e6])
def test_unit_does_not_matter(unit):
    """Records and power are those of the same losses in another unit."""
    plans = [plan_loss_from_pilot(pilot_of(scale=scale)) for scale in (1.0, unit)]
    stated = [
        plan_loss_comparison(
            difference=0.1 * scale,
            deviation=scale,
            goal="noninferiority",
            margin=0.05 * scale,
        )
        for scale in (1.0, unit)
    ]

    for first, second in (plans, stated):
        assert first.records == second.records
        assert first.power == pytest.approx(second.power, rel=1e-9)
        assert [row.records for row in first.scenarios] == [
            row.records for row in second.scenarios
        ]


# ------------------------------------------------------------------------ pilots


def test_pilot_has_the_deviation_and_interval_of_the_test():
    """The extremes are the ends of the interval, or 0 if that is inside."""
    pilot = pilot_of()
    result = paired_t(pilot)
    low, high = result.confidence_interval()
    plan = plan_loss_from_pilot(pilot)

    assert plan.deviation == pytest.approx(result.details["deviation"])
    hardest, easiest = (row.difference for row in plan.scenarios)
    hard = 0.0 if low < 0 < high else min(low, high, key=abs)
    assert hard == pytest.approx(hardest)
    assert max(low, high, key=abs) == pytest.approx(easiest)
    moments = PairedLosses.from_losses(*pilot.values, keep_values=False)
    assert plan_loss_from_pilot(moments).records == plan.records


def test_groups_take_more_records():
    """The design effect is the ratio of squared standard errors, and groups count."""
    groups = np.repeat(np.arange(40), 5)
    pilot = pilot_of(n=200, groups=groups)
    plan = plan_loss_from_pilot(pilot)
    clustered = clustered_t(pilot, method="t").details["se"]
    unrelated = paired_t(PairedLosses.from_losses(*pilot.values)).details["se"]

    assert plan.design_effect == pytest.approx((clustered / unrelated) ** 2)
    assert plan.design_effect > 1.2
    assert plan.groups == plan.records / 5
    assert "from about" in str(plan)
    # A plan of as many records as the pilot has its standard error.
    error = plan.deviation * math.sqrt(plan.design_effect / 200)
    assert error == pytest.approx(clustered)


def test_negative_dependence_within_groups_is_not_used():
    """Groups whose differences cancel do not make the plan smaller."""
    groups = np.repeat(np.arange(30), 2)
    x = np.random.default_rng(0).normal(size=30)
    gains = 0.2 + np.ravel(np.column_stack([x, -0.9 * x]))
    pilot = PairedLosses.from_losses(gains + 5, np.full(60, 5.0), groups=groups)
    plan = plan_loss_from_pilot(pilot)

    assert plan.design_effect == 1
    assert plan.deviation == pytest.approx(gains.std(ddof=1))


def test_pilot_decided_by_one_record_says_so():
    """Its variance is mostly that of one record."""
    champion, challenger = np.random.default_rng(0).normal(5, 1, size=(2, 50))
    champion[3] = 60.0
    plan = plan_loss_from_pilot(PairedLosses.from_losses(champion, challenger))

    assert "one record makes" in plan.assumption


# ------------------------------------------------------------- texts, values, errors


def test_unknown_correlation_has_scenarios():
    """None is supposed, and two others are planned for."""
    plan = plan_loss_comparison(5.0, 4.5, champion_deviation=3, challenger_deviation=3)
    expected = plan_loss_comparison(difference=0.5, deviation=math.sqrt(18))

    assert expected.records == plan.records
    assert ["correlation 0.5", "correlation 0.8"] == [row.name for row in plan.scenarios]
    assert sorted((row.records for row in plan.scenarios), reverse=True)[0] < plan.records


def test_plan_is_plain_and_pickles():
    """As JSON it has None where a number is unknown."""
    plan = plan_loss_comparison(difference=1.0, deviation=4.0)
    values = json.loads(json.dumps(plan.to_dict()))

    assert values["champion"] is None
    assert values["enough"]
    assert isinstance(plan, LossPlan)
    known = plan_loss_comparison(5.0, 4.0, deviation=4.0)
    assert pickle.loads(pickle.dumps(known)) == known


def test_existing_set_may_not_be_enough():
    """With `n` the power is computed, also of no difference."""
    plan = plan_loss_comparison(difference=0.0, deviation=1.0, n=50)

    assert plan.power == pytest.approx(0.05)
    assert not plan.enough


def test_infinite_scenario():
    """A pilot whose interval has no difference inside needs infinitely many at worst."""
    plan = plan_loss_from_pilot(pilot_of(shift=0.5))

    assert math.isinf(plan.scenarios[0].records)
    assert "no number of records is enough" in str(plan)


STATED = {"difference": 1.0, "deviation": 2.0}
BOTH = {"champion_deviation": 1.0, "challenger_deviation": 2.0}
ERRORS = [
    ({"difference": 1.0}, "needs the standard deviation"),
    ({"deviation": 1.0}, "needs the difference of the mean losses. Got none"),
    (STATED | {"champion_loss": 3.0, "challenger_loss": 2.0}, "Pass two of"),
    (STATED | {"difference": math.nan}, "`difference` must be a finite number"),
    (STATED | {"difference": 0.0}, "No number of records finds a difference of 0"),
    (STATED | {"deviation": 0.0}, "`deviation` must be a number above 0"),
    (STATED | {"correlation": 0.5}, "each says what the other does"),
    (STATED | {"n": 1}, "`n` must be an integer of at least 2"),
    (STATED | {"alternative": "less"}, "minus the challenger's. Reverse one of them"),
    (STATED | {"margin": "2 %"}, "goal='difference' has no margin"),
    (STATED | {"goal": "equivalence"}, "`margin` of equivalence must be a number above 0"),
    (STATED | {"goal": "noninferiority", "margin": "2"}, "such as '2 %'. Got '2'"),
    (STATED | {"goal": "noninferiority", "margin": "2 %"}, "Pass `champion_loss`, or"),
    (
        STATED | {"goal": "noninferiority", "margin": "2 %", "champion_loss": 5.0},
        "needs those of both losses",
    ),
    (STATED | {"goal": "equivalence", "margin": 0.5}, "No number of records shows"),
    (BOTH | STATED | {"deviation": 4.0}, "one from 1 to 3. Got deviation=4.0"),
    (STATED | {"champion_deviation": 1.0}, "go together"),
    (BOTH | {"difference": 1.0, "correlation": 1.0}, "`correlation` must be a number in"),
]


@pytest.mark.parametrize(("options", "message"), ERRORS)
def test_errors_of_stated_numbers(options, message):
    """Each says what is expected, what was passed and what to do."""
    with pytest.raises(ValueError, match=re.escape(message)):
        plan_loss_comparison(**options)


def test_errors_of_pilots():
    """Other evidence, too few records, and differences without variation."""
    with pytest.raises(TypeError, match=r"needs PairedLosses\. Got ContingencyTable"):
        plan_loss_from_pilot(ContingencyTable(1, 2, 3, 4))
    with pytest.raises(ValueError, match="at least 2 records"):
        plan_loss_from_pilot(PairedLosses.from_losses([1.0], [2.0]))
    with pytest.raises(ValueError, match="do not vary"):
        plan_loss_from_pilot(PairedLosses.from_losses([1.0, 2.0], [1.0, 2.0]))
    with pytest.raises(ValueError, match="2 groups"):
        plan_loss_from_pilot(PairedLosses.from_losses([1.0, 2.0], [3.0, 2.0], ["a", "a"]))
    pilot = PairedLosses.from_losses([-1.0, 5.0, 2.0], [1.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="must be above 0"):
        plan_loss_from_pilot(pilot, goal="noninferiority", margin="2 %")
