"""Plans of comparisons in time order: the power of the test, units, pilots and errors."""

import json
import math

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import chi2, nct
from scipy.stats import t as student

from skcompare import compare
from skcompare.evidence import ContingencyTable, OrderedDifferences, PairedLosses
from skcompare.plots import PowerDisplay, SampleSizeDisplay
from skcompare.stats import (
    TimePlan,
    diebold_mariano,
    plan_from_pilot,
    plan_loss_from_pilot,
    plan_time_comparison,
    plan_time_from_pilot,
)
from skcompare.stats.time import cosines_at, spread_in_time


def drifting(n, correlation, rng):
    """A normal autoregression of variance 1."""
    noise = rng.normal(size=n)
    noise[1:] *= np.sqrt(1 - correlation**2)
    return lfilter([1.0], [1.0, -correlation], noise)


def pilot_of(n=200, gain=0.3, scale=1.0, horizon=1, per_time=1):
    """Differences that are alike for some time points, of several records each."""
    rng = np.random.default_rng(0)
    gains = gain + np.repeat(drifting(n, 0.5, rng), per_time)
    time = np.repeat(np.arange(n), per_time)
    return OrderedDifferences.from_differences(
        scale * gains, time=time, horizon=horizon, measure="absolute_error"
    )


@pytest.mark.parametrize(
    ("inflation", "horizon"), [(1.0, 1), (3.0, 1), (9.0, 1), (3.0, 20)]
)
def test_power_by_hand(inflation, horizon):
    """Both tails of the noncentral t, with the cosines that the test would choose."""
    n = 400
    options = {"variance_inflation": inflation, "horizon": horizon}
    plan = plan_time_comparison(0.2, 1.0, n=n, **options)
    rule = [0.4 * n ** (2 / 3), n / (2 * horizon)]
    if inflation > 1:
        rule.append(2 * n / math.pi * math.sqrt(0.15 / (inflation**2 - 1)))
    df = max(4, min(rule))
    effect, critical = 0.2 * math.sqrt(0.9 * n / inflation), student.isf(0.025, df)

    assert df == pytest.approx(plan.n_cosines)
    both = nct.sf(critical, df, effect) + nct.sf(critical, df, -effect)
    assert both == pytest.approx(plan.power)


def test_numbers_of_cosines_are_about_those_of_the_test():
    """In autoregressions, of long series as of short ones."""
    rng = np.random.default_rng(0)
    for n, correlation in [(60, 0.0), (250, 0.5), (500, 0.8), (2000, 0.8), (2000, 0.9)]:
        series = [drifting(n, correlation, rng) for _ in range(30)]
        ordered = [OrderedDifferences.from_differences(each) for each in series]
        chosen = np.mean([diebold_mariano(each).df for each in ordered])
        inflation = (1 + correlation) / (1 - correlation)
        estimated = np.median([spread_in_time(each).inflation for each in ordered])

        assert chosen == pytest.approx(cosines_at(n, inflation, 1), rel=0.35)
        assert inflation == pytest.approx(estimated, rel=0.3)


@pytest.mark.parametrize("goal", ["difference", "noninferiority", "equivalence"])
def test_number_is_the_smallest_that_is_enough(goal):
    """With one time point less the power is lower than required."""
    margin = None if goal == "difference" else 0.3
    difference = 0.2 if goal == "difference" else 0.05
    options = {"goal": goal, "margin": margin, "variance_inflation": 2.0}
    plan = plan_time_comparison(difference, 1.0, records_per_time=7, **options)
    less = plan_time_comparison(
        difference, 1.0, records_per_time=7, n=int(plan.records) - 7, **options
    )

    assert isinstance(plan, TimePlan)
    assert plan.enough
    assert not less.enough
    assert 7 * plan.times == plan.records
    assert f"{plan.records:.0f} records at {plan.times:.0f} time points" in str(plan)
    once = plan_time_comparison(difference, 1.0, **options)
    assert plan.times == once.records
    assert plan.to_dict() == json.loads(json.dumps(plan.to_dict()))


def test_more_dependence_takes_longer():
    """About as many times as long as the variance is larger, and never less than that."""
    times = [
        plan_time_comparison(0.2, 1.0, variance_inflation=inflation).times
        for inflation in (1.0, 2.0, 4.0, 8.0)
    ]
    assert [2, 4, 8] == pytest.approx([each / times[0] for each in times[1:]], rel=0.1)
    far = plan_time_comparison(9.0, 1.0, variance_inflation=1.0, horizon=6)
    assert 48 == far.times


def test_pilot_and_units():
    """The pilot's numbers in the plan; neither unit nor roles change how long it takes."""
    pilot = pilot_of()
    plan = plan_time_from_pilot(pilot)
    result = diebold_mariano(pilot)
    spread = spread_in_time(pilot)

    assert plan.difference == pytest.approx(result.estimate)
    assert plan.deviation == pytest.approx(pilot.sums.std(ddof=1))
    assert plan.design_effect <= result.details["variance_inflation"]
    large = plan_time_from_pilot(pilot_of(scale=1e6))
    assert plan.records == large.records
    swapped = plan_time_from_pilot(pilot.swap())
    assert (plan.records, -plan.difference) == (swapped.records, swapped.difference)
    hardest, easiest, largest = plan.scenarios
    limits = result.confidence_interval()
    assert max(np.abs(limits)) == pytest.approx(abs(easiest.difference))
    assert hardest.records >= plan.records >= easiest.records
    ratio = spread.n_cosines / chi2.ppf(0.025, spread.n_cosines)
    assert plan.deviation * ratio**0.5 == pytest.approx(largest.deviation)
    several = plan_time_from_pilot(pilot_of(per_time=5))
    assert plan.times == several.times
    assert 5 * plan.records == several.records


def test_pilot_of_a_comparison():
    """Of any measure, with the roles' values where they are known."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    scores = {
        name: np.clip(0.4 + 0.2 * y + 0.2 * drifting(300, 0.5, rng), 0, 1)
        for name in ("old", "new")
    }
    for scoring in ("roc_auc", "neg_brier_score"):
        comparison = compare(y, scores, time=np.arange(300), scoring=scoring)
        ordered = comparison.evidence(OrderedDifferences)
        plan = plan_time_from_pilot(ordered, n=1000)

        assert ordered.means == (plan.champion, plan.challenger)
        assert ordered.measure in str(plan)
        assert 1000 == plan.records


def test_displays_of_plans():
    """Power and records needed are drawn as those of other plans."""
    plan = plan_time_comparison(0.2, 1.0, variance_inflation=3.0)
    for display in (PowerDisplay, SampleSizeDisplay):
        of_plan = display.of_result(plan)
        of_pilot = display.of_result(pilot_of())

        assert len(of_plan.frame()) > 10
        assert len(of_pilot.frame()) > 10
        assert f"{plan.records:.0f}" in of_plan.summary.replace(",", "")


def test_errors():
    """Expected, got, and what to do."""
    with pytest.raises(TypeError, match=r"needs OrderedDifferences\. Got PairedLosses"):
        plan_time_from_pilot(PairedLosses.from_losses([1.0, 2.0, 3.0], [2.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="needs at least 16 time points"):
        plan_time_from_pilot(pilot_of(n=15, horizon=2))
    with pytest.raises(ValueError, match=r"do not vary, .* Got 20 equal ones"):
        plan_time_from_pilot(OrderedDifferences.from_differences(np.full(20, 0.25)))
    with pytest.raises(ValueError, match="No number of records finds a difference of 0"):
        plan_time_comparison(0.0, 1.0, variance_inflation=1.0)
    with pytest.raises(ValueError, match="`variance_inflation` must be a number above 1"):
        plan_time_comparison(0.1, 1.0, variance_inflation=0.5)
    with pytest.raises(ValueError, match="`deviation` must be a number above 0"):
        plan_time_comparison(0.1, 0.0, variance_inflation=1.0)
    with pytest.raises(ValueError, match="`margin` of noninferiority must be a number"):
        plan_time_comparison(
            0.1, 1.0, variance_inflation=1.0, goal="noninferiority", margin="2 %"
        )


def test_pilots_in_time_order_have_a_plan_of_their_own():
    """A plan for independent records would be too short, and is refused."""
    y = np.arange(200) % 2
    rng = np.random.default_rng(0)
    labels = {name: np.where(rng.random(200) < 0.2, 1 - y, y) for name in ("old", "new")}
    comparison = compare(y, labels, time=np.arange(200))
    with pytest.raises(ValueError, match=r"time-ordered hold-out.*plan_time_from_pilot"):
        PowerDisplay.of_result(comparison)
    y = rng.normal(size=200)
    numbers = compare(y, {"old": y + 1, "new": y * 0.9}, time=np.arange(200))
    for make, pilot in [
        (plan_from_pilot, comparison.evidence(ContingencyTable)),
        (plan_loss_from_pilot, numbers.evidence(PairedLosses, loss="absolute_error")),
    ]:
        with pytest.raises(ValueError, match="plan_time_from_pilot"):
            make(pilot)


@pytest.mark.slow
def test_power_of_planned_comparisons():
    """The test finds the difference about as often as planned."""
    rng = np.random.default_rng(0)
    for correlation, effect in [(0.0, 0.35), (0.5, 0.35), (0.8, 0.35)]:
        inflation = (1 + correlation) / (1 - correlation)
        difference = effect / inflation**0.5
        plan = plan_time_comparison(difference, 1.0, variance_inflation=inflation)
        found = [
            diebold_mariano(
                OrderedDifferences.from_differences(
                    difference + drifting(int(plan.records), correlation, rng)
                )
            ).pvalue
            < 0.05
            for _ in range(1000)
        ]
        assert 0.75 < np.mean(found) < 0.87
