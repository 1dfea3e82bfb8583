"""Plans of trainings and of records."""

import json
import math

import numpy as np
import pytest

from skcompare.evidence import CrossedDifferences
from skcompare.stats import (
    crossed_t,
    plan_loss_comparison,
    plan_trainings,
    plan_trainings_from_pilot,
)

SIGMAS = {"sigma_records": 0.5, "sigma_trainings": 0.03, "sigma_interaction": 0.3}


def simulated(difference, sigmas, n, s, draws, seed=0):
    """Share of significant results of normal effects."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(draws):
        gains = difference + sigmas["sigma_records"] * rng.normal(size=(1, n))
        gains = gains + sigmas["sigma_trainings"] * rng.normal(size=(s, 1))
        gains = gains + sigmas["sigma_interaction"] * rng.normal(size=(s, n))
        evidence = CrossedDifferences.from_losses(gains, np.zeros((s, n)))
        found += crossed_t(evidence).pvalue < 0.05
    return found / draws


def test_power_is_that_of_the_test():
    """Within the Monte-Carlo error of simulated comparisons."""
    for n, s in ((150, 3), (150, 6)):
        plan = plan_trainings(0.15, **SIGMAS, n=n, n_trainings=s)
        share = simulated(0.15, SIGMAS, n, s, 800)
        error = math.sqrt(share * (1 - share) / 800)
        assert abs(plan.power - share) < 3.5 * error


def test_records_alone_are_those_of_the_t_test():
    """Without chance in training it is a plan of records."""
    plan = plan_trainings(
        0.1, sigma_records=0.6, sigma_trainings=0, n_trainings=4, power=0.8
    )
    records = plan_loss_comparison(difference=0.1, deviation=0.6).records
    assert records == pytest.approx(plan.records, rel=0.02)


def test_cheapest_numbers_have_the_power():
    """One record less has not, nor is any other choice cheaper."""
    plan = plan_trainings(0.1, **SIGMAS, training_cost=30.0, record_cost=0.5)

    assert plan.enough
    assert plan.cost == pytest.approx(2 * plan.n_trainings * 30 + 0.5 * plan.records)
    assert plan.cost == min(row.cost for row in plan.choices)
    given = {"n_trainings": plan.n_trainings, "n": int(plan.records) - 1}
    assert plan_trainings(0.1, **SIGMAS, **given).power < 0.8
    dear = plan_trainings(0.1, **SIGMAS, training_cost=3000.0, record_cost=0.5)
    assert dear.n_trainings <= plan.n_trainings
    assert dear.records >= plan.records


def test_trainings_that_vary_too_much():
    """No number of records is enough for few of them, which the error says."""
    with pytest.raises(ValueError, match=r"up to 4 trainings, because trainings vary by"):
        plan_trainings(0.01, sigma_records=0.1, sigma_trainings=0.1, most_trainings=4)
    with pytest.raises(ValueError, match="No number of records"):
        plan_trainings(-0.1, **SIGMAS, alternative="greater")


def test_pilot_gives_its_components():
    """Standard deviations are those of crossed_t, where none is below 0."""
    rng = np.random.default_rng(0)
    gains = (
        0.1
        + 0.5 * rng.normal(size=(1, 300))
        + 0.1 * rng.normal(size=(6, 1))
        + 0.3 * rng.normal(size=(6, 300))
    )
    pilot = CrossedDifferences.from_losses(gains, np.zeros_like(gains))
    details = crossed_t(pilot).details
    plan = plan_trainings_from_pilot(pilot, difference=0.3, record_cost=0.1)

    for name in ("records", "trainings", "interaction"):
        variance = getattr(plan, f"sigma_{name}") ** 2
        assert details[f"sigma2_{name}"] == pytest.approx(variance, rel=1e-9)
    own = plan_trainings_from_pilot(pilot, n=300, n_trainings=6)
    assert pilot.estimate == own.difference
    less, more = plan.scenarios
    assert less.cost <= plan.cost <= more.cost
    assert json.loads(json.dumps(plan.to_dict()))["n_trainings"] == plan.n_trainings
    assert str(plan).startswith(f"{plan.n_trainings} trainings of each and")


def test_scenario_in_which_nothing_is_enough():
    """It names the most trainings that were considered, and not the fewest."""
    rng = np.random.default_rng(1)
    gains = rng.normal(size=(4, 200)) + 0.05 * rng.normal(size=(4, 1))
    pilot = CrossedDifferences.from_losses(gains, np.zeros_like(gains))
    plan = plan_trainings_from_pilot(
        pilot, difference=0.1, most_trainings=12, record_cost=0.01
    )

    assert plan.feasible
    assert 12 == plan.scenarios[1].n_trainings
    assert str(plan).endswith("no number of records is enough for 12 trainings of each")


def test_pilot_of_separate_trainings():
    """Of unequal numbers, with the variances of both added."""
    rng = np.random.default_rng(0)
    champion = rng.random((4, 200)) + 0.05 * rng.normal(size=(4, 1))
    challenger = rng.random((6, 200)) + 0.05 * rng.normal(size=(6, 1))
    pilot = CrossedDifferences.from_losses(champion, challenger)
    details = crossed_t(pilot).details
    plan = plan_trainings_from_pilot(pilot, difference=0.1)

    added = details["sigma2_trainings_champion"] + details["sigma2_trainings_challenger"]
    assert added == pytest.approx(plan.sigma_trainings**2, rel=1e-9)


def test_wrong_arguments():
    """One clear error each."""
    with pytest.raises(TypeError, match=r"needs CrossedDifferences\. Got list"):
        plan_trainings_from_pilot([1.0])
    one = CrossedDifferences.from_losses(np.ones((1, 9)), np.ones((3, 9)))
    with pytest.raises(ValueError, match=r"Got 9 and 1\. Train more often"):
        plan_trainings_from_pilot(one)
    with pytest.raises(ValueError, match="`sigma_records` must be a standard deviation"):
        plan_trainings(0.1, sigma_records=-1.0, sigma_trainings=0.1)
    with pytest.raises(ValueError, match="`training_cost`"):
        plan_trainings(0.1, **SIGMAS, training_cost=0.0)
