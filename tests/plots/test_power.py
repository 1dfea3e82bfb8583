"""Power and sample sizes of plans as pictures."""

import numpy as np
import pytest

from skcompare import compare
from skcompare.evidence import ContingencyTable, JointCounts, PairedLosses, PlacementValues
from skcompare.plots import PowerDisplay, SampleSizeDisplay
from skcompare.plots.drawing._layout import new_figure
from skcompare.stats import (
    mcnemar_power,
    plan_auc_comparison,
    plan_auc_from_pilot,
    plan_comparison,
    plan_from_pilot,
    plan_loss_comparison,
    plan_loss_from_pilot,
)

PLAN = plan_comparison(0.80, 0.85, disagreement=0.15)
AREAS = plan_auc_comparison(0.80, 0.85, prevalence=0.3)


def drawn(display):
    """On a figure that pyplot does not know."""
    return display.plot(ax=new_figure(display._room())[1])


def test_curve_is_the_exact_power():
    """At each number of records it is what mcnemar_power gives."""
    display = PowerDisplay.of_result(PLAN, differences=[0.04], points=5)
    expected = [mcnemar_power(int(n), 0.05, 0.15) for n in display.records]

    assert expected == display.powers[0].tolist()
    assert [461.0, 729.0] == [one.records for one in display.supposed]


def test_few_records_have_each_its_power():
    """The power goes up and down there, so that no number is left out."""
    plan = plan_comparison(0.1, 0.9, disagreement=1.0, method="exact")
    display = PowerDisplay.of_result(plan)

    assert (np.diff(display.records) == 1).all()
    assert (np.diff(display.powers[0]) < 0).any()


def test_marks_are_the_needed_records():
    """Each curve goes through its mark, which is at the wanted power or just above it."""
    display = drawn(PowerDisplay.of_result(PLAN, differences=[0.06], points=40))
    marks = [line for line in display.ax_.get_lines() if len(line.get_xdata()) == 1]

    assert [461, 316] == [line.get_xdata()[0] for line in marks]
    for one, powers in zip(display.supposed, display.powers):
        assert 0.8 <= one.power < 0.81
        at_mark = np.interp(one.records, display.records, powers)
        assert one.power == pytest.approx(at_mark, abs=0.005)


def test_scenarios_of_areas_have_curves():
    """The variance behind a scenario is in the plan."""
    display = PowerDisplay.of_result(AREAS, points=4)
    for one, correlation in zip(display.supposed[1:], (0.5, 0.8), strict=True):
        plan = plan_auc_comparison(0.80, 0.85, prevalence=0.3, correlation=correlation)
        assert plan.variance == one.spread
        assert plan.records == one.records
    assert not np.isnan(display.powers).any()


def without_variance():
    """The power of a plan that does not say all."""
    plan = plan_auc_comparison(0.80, 0.85, method="obuchowski1997")
    return PowerDisplay.of_result(plan, points=4)


def test_scenarios_without_variance_have_marks_alone():
    """A null variance of its own is not in the plan, so there is no curve."""
    display = without_variance()

    assert [False, True, True] == [np.isnan(each).all() for each in display.powers]


@pytest.mark.parametrize(
    ("pilot", "make"),
    [
        (ContingencyTable(150, 12, 28, 10), plan_from_pilot),
        (JointCounts.from_predictions([0, 1] * 9, [0] * 18, [0, 1] * 9), plan_from_pilot),
        (
            PlacementValues.from_predictions(
                [0, 1] * 20, np.arange(40) % 7 / 7, np.arange(40) % 8 / 8
            ),
            plan_auc_from_pilot,
        ),
    ],
)
def test_pilots_are_planned(pilot, make):
    """Evidence is a pilot, whose plan takes the options that the display does not."""
    display = PowerDisplay.of_result(pilot, power=0.7, points=3)
    plan = make(pilot, power=0.7)

    assert plan.records == display.supposed[0].records
    assert 0.7 == display.required_power


def test_predictions_are_a_pilot():
    """As are predictions of two classifiers."""
    y = np.arange(60) % 2
    old, new = np.where(np.arange(60) % 5, y, 1 - y), np.where(np.arange(60) % 9, y, 1 - y)
    display = PowerDisplay.from_predictions(y, old, new, points=3)

    assert plan_from_pilot(ContingencyTable.from_predictions(y, old, new)).records == (
        display.supposed[0].records
    )


def numbers():
    """True and predicted numbers."""
    rng = np.random.default_rng(0)
    y, errors = rng.normal(size=90), rng.normal(size=(2, 90))
    return y, y + errors[0], y + 0.8 * errors[1]


def test_predicted_numbers_are_a_pilot():
    """By their absolute errors, or another loss, also those of a comparison."""
    y, old, new = numbers()
    comparison = compare(y, {"old": old, "new": new})
    for loss in ("absolute_error", "squared_error"):
        pilot = PairedLosses.from_predictions(y, old, new, loss=loss)
        plan = plan_loss_from_pilot(pilot, power=0.9)
        options = {"loss": loss, "power": 0.9, "points": 3}
        of_arrays = PowerDisplay.from_predictions(y, old, new, **options)
        of_result = PowerDisplay.of_result(comparison, **options)
        of_losses = PowerDisplay.of_result(pilot, power=0.9, points=3)

        for display in (of_arrays, of_result, of_losses):
            assert plan.records == display.supposed[0].records
            assert f"mean {loss.replace('_', ' ')}" == display.measure
    assert PowerDisplay.of_result(comparison, points=3).measure == "mean absolute error"


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_plans_of_losses_in_any_unit(unit):
    """Curves and marks are those of other units, and no number is written as 0."""
    plan = plan_loss_comparison(difference=0.2 * unit, deviation=unit)
    power = PowerDisplay.of_result(plan, differences=[0.1 * unit], points=3)
    sizes = SampleSizeDisplay.of_result(plan, points=3)

    assert [199.0, 787.0] == [one.records for one in power.supposed]
    for n, difference in zip(sizes.records, sizes.differences[0]):
        found = plan_loss_comparison(difference=difference, deviation=unit, n=int(n))
        assert 0.8 == pytest.approx(found.power, abs=1e-4)
    assert "+0.000 " not in power.summary
    assert "+0.0000 " not in sizes.summary
    assert "champion − challenger" in drawn(sizes).ax_.get_xlabel()


def test_sizes_of_relative_margins():
    """The power at a difference is that of the weighted losses."""
    own = {"champion_deviation": 3.0, "challenger_deviation": 3.0, "correlation": 0.9}
    goal = {"goal": "noninferiority", "margin": "5 %"}
    plan = plan_loss_comparison(10.0, 10.0, **own, **goal)
    display = SampleSizeDisplay.of_result(plan, points=3, powers=[0.8])
    for n, difference in zip(display.records, display.differences[0]):
        again = plan_loss_comparison(10.0, 10.0 - difference, **own, **goal, n=int(n))
        assert 0.8 == pytest.approx(again.power, abs=1e-3)


def of_few():
    """The power of a plan with too few records."""
    plan = plan_comparison(0.80, 0.85, disagreement=0.15, n=100)
    return plan, PowerDisplay.of_result(plan, points=4)


def test_too_few_records():
    """Where records were given, the mark is their power, and the difference they show."""
    plan, display = of_few()
    sizes = SampleSizeDisplay.of_result(plan, points=3)

    assert "100 records have power 0.239" in display.summary
    difference, records = sizes.marked
    assert 100 == records
    assert 0.8 == pytest.approx(mcnemar_power(100, difference, 0.15), abs=1e-3)


def of_equals():
    """Power and sizes of a plan by a pilot without a difference."""
    pilot = ContingencyTable(150, 12, 12, 10)
    return (
        PowerDisplay.of_result(pilot, points=4),
        SampleSizeDisplay.of_result(pilot, points=3),
    )


def test_no_number_is_enough():
    """Equal classifiers of a pilot have no mark, and words say so."""
    display, sizes = map(drawn, of_equals())

    assert "no number of records is enough" in display.summary
    assert "No number of records is enough" in sizes.ax_.get_title()


@pytest.mark.slow
def test_text_fit(overlaps):
    """Also where there is less to show."""
    for display in (without_variance(), of_few()[1], *of_equals()):
        assert ([], []) == overlaps(drawn(display).figure_)


def planned(how):
    """A plan of accuracies."""
    if how == "less":
        return plan_comparison(0.85, 0.80, disagreement=0.15, alternative="less")
    return plan_comparison(0.9, 0.9, disagreement=0.2, goal=how, margin=0.1)


@pytest.mark.parametrize(
    "hows",
    [
        ["equivalence"],
        pytest.param(["less", "noninferiority"], marks=pytest.mark.slow),
    ],
)
def test_curves_of_sizes_have_one_power(hows):
    """The difference that is found for a number of records has the power of the curve."""
    for plan in [PLAN, AREAS, *map(planned, hows)]:
        display = SampleSizeDisplay.of_result(plan, points=2)
        areas = plan is AREAS
        for power, differences in zip(display.powers, display.differences):
            for n, difference in zip(display.records, differences):
                if np.isnan(difference):
                    continue
                if areas:
                    requested = plan_auc_comparison(
                        0.80, 0.80 + difference, prevalence=0.3, n=int(n)
                    )
                    # The variance of the plan is that of its own difference.
                    assert power == pytest.approx(requested.power, abs=0.12)
                else:
                    again = plan_comparison(
                        0.5,
                        0.5 + difference,
                        disagreement=plan.disagreement,
                        goal=plan.goal,
                        margin=plan.margin,
                        alternative=plan.alternative,
                        n=int(n),
                    )
                    assert power == pytest.approx(again.power, abs=2e-3)


def test_options_are_checked():
    """Differences that cannot be, too many of them, and impossible powers."""
    with pytest.raises(ValueError, match="at most the disagreement"):
        PowerDisplay.of_result(PLAN, differences=[0.2])
    with pytest.raises(ValueError, match="one to 5"):
        PowerDisplay.of_result(PLAN, differences=np.linspace(0.01, 0.1, 6))
    with pytest.raises(ValueError, match="`powers`"):
        SampleSizeDisplay.of_result(PLAN, powers=[0.01])
    with pytest.raises(TypeError, match="Comparison"):
        PowerDisplay.of_result("plan")
