"""Plans of comparisons of two AUCs: others' numbers, simulated power, and their words."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ClassPlacementValues, PlacementValues
from skcompare.stats import AUCPlan, plan_auc_comparison, plan_auc_from_pilot
from skcompare.stats.planning._plan_auc import (
    AUCPilot,
    Binormal,
    area_covariance,
    area_variance,
)
from tests.common.golden import golden

GOLDEN = golden("plan_auc")
Z = stats.norm.isf(0.025)


def area_of(a, b):
    return stats.norm.cdf(a / math.sqrt(1 + b * b))


def asah(first="s100b", second="ndka"):
    scores = [np.array(GOLDEN["aSAH"][name], dtype=float) for name in (first, second)]
    return PlacementValues.from_predictions(np.array(GOLDEN["aSAH"]["y"]), *scores)


# ------------------------------------------------------------- variance of an area


def test_an_area_does_not_differ_from_itself():
    """Var + Var - 2 Cov is 0 for correlation 1; without the covariance term it is not."""
    for kappa, curve in itertools.product(
        [0.2, 1.0, 1.5, 30.0], [(1.2, 1.0), (0.3, 0.6), (2.5, 1.8), (-0.7, 1.0)]
    ):
        one = Binormal(*curve)
        variance = area_variance(one, kappa)

        assert area_covariance(one, one, 1, 1, kappa) == pytest.approx(variance, rel=1e-14)
        printed = area_variance(one, kappa, with_covariance=False)
        assert printed - variance == pytest.approx(-one.f * one.g * one.a * one.b)
        assert printed > variance


def test_known_variances():
    """Both forms have the figures that were found by the delta method and simulation."""
    known = GOLDEN["variance"]
    curve = Binormal(known["a"], known["b"])

    full = area_variance(curve, known["kappa"])
    printed = area_variance(curve, known["kappa"], with_covariance=False)

    assert known["delta_method"] == pytest.approx(full, abs=5e-5)
    assert known["printed"] == pytest.approx(printed, abs=5e-5)
    assert known["simulated"] == pytest.approx(full, rel=0.03)
    assert 1.33 < printed / full < 1.37


def placements(positives, negatives):
    """V10 and V01 of normal scores, whose distribution functions are known."""
    order = np.sort(negatives)
    v10 = np.searchsorted(order, positives) / len(negatives)
    v01 = 1 - np.searchsorted(np.sort(positives), negatives) / len(positives)
    return v10, v01


@pytest.mark.parametrize(
    ("curve", "kappa"), [((1.2, 1.0), 1.5), ((0.8, 1.0), 0.5), ((1.5, 1.0), 4.0)]
)
def test_simulated_variance(curve, kappa):
    """DeLong's variance of normal scores is near the binormal one, below the printed."""
    rng = np.random.default_rng(1)
    m = 40_000
    a, b = curve
    v10, v01 = placements(a + rng.normal(size=m), b * rng.normal(size=int(kappa * m)))
    simulated = v10.var() + v01.var() / kappa

    assert area_variance(Binormal(a, b), kappa) == pytest.approx(simulated, rel=0.06)
    printed = area_variance(Binormal(a, b), kappa, with_covariance=False)
    assert printed > 1.05 * simulated


def test_derivatives():
    """f and g are the slopes of the area in a and b."""
    for a, b in ((1.2, 1.0), (0.4, 1.7), (-1, 0.5)):
        step = 1e-6
        by_a = (area_of(a + step, b) - area_of(a - step, b)) / (2 * step)
        by_b = (area_of(a, b + step) - area_of(a, b - step)) / (2 * step)

        assert by_a == pytest.approx(Binormal(a, b).f, rel=1e-6)
        assert by_b == pytest.approx(Binormal(a, b).g, rel=1e-6)
        assert area_of(a, b) == pytest.approx(area_of(*Binormal.of_area(area_of(a, b), b)))


# ---------------------------------------------------------- other people's numbers


def formula(plan, distance=None):
    """Positives by Obuchowski and McClish's formula, from the plan's variances."""
    reach = Z * math.sqrt(plan.null_variance)
    reach += stats.norm.ppf(plan.required_power) * math.sqrt(plan.variance)
    return (reach / (plan.difference if distance is None else distance)) ** 2


def test_sample_size_of_proc():
    """R pROC's number of cases for two binormal curves."""
    known = GOLDEN["proc"]["binormal"]
    areas = [area_of(a, b) for a, b in zip(known["a"], known["b"])]

    plan = plan_auc_comparison(
        *areas,
        correlation=known["correlation"],
        power=known["power"],
        method="obuchowski1997",
    )

    assert known["ncases"] == pytest.approx(formula(plan), abs=5e-5)
    assert math.ceil(known["ncases"]) == plan.positives == plan.negatives
    corrected = plan_auc_comparison(
        *areas, correlation=known["correlation"], null_variance="champion"
    )
    assert 69.3957 == pytest.approx(formula(corrected), abs=1e-3)


def test_sample_size_of_proc_from_scores():
    """R pROC's numbers of cases and controls from two scores of the aSAH data."""
    known = GOLDEN["proc"]["asah"]

    plan = plan_auc_from_pilot(
        asah(known["first"], known["second"]),
        power=known["power"],
        null_variance="champion",
    )

    assert known["ncases"] == pytest.approx(formula(plan), rel=1e-9)
    kappa = (1 - plan.prevalence) / plan.prevalence
    assert known["ncontrols"] == pytest.approx(kappa * formula(plan), rel=1e-9)
    assert (211, 371) == (plan.positives, plan.negatives)


def test_variance_of_the_pilot():
    """A plan of as many records as the pilot has DeLong's variance of the difference."""
    pilot = asah()
    covariance = pilot.covariance
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]

    plan = plan_auc_from_pilot(pilot, n=113)

    assert variance == pytest.approx(plan.variance / 41, rel=1e-12)
    assert (41, 72) == pytest.approx((plan.positives, plan.negatives))
    z = abs(plan.difference) / math.sqrt(variance)
    expected = stats.norm.cdf(z - Z) + stats.norm.cdf(-z - Z)
    assert expected == pytest.approx(plan.power, rel=1e-12)
    low, high = (one.difference for one in plan.scenarios)
    assert 0 == low  # the interval includes no difference, which is the hardest
    ends = (
        plan.difference - Z * math.sqrt(variance),
        plan.difference + Z * math.sqrt(variance),
    )
    assert max(ends, key=abs) == pytest.approx(high)


# -------------------------------------------------------------------- power it has


def simulated_power(plan, correlation, rng, repeats=4000, shown=None):
    """How often DeLong's test of normal scores rejects with the records of a plan."""
    m, n = int(plan.positives), int(plan.negatives)
    centres = [[math.sqrt(2) * stats.norm.ppf(v)] for v in (plan.champion, plan.challenger)]
    shown = shown or (lambda d, error: abs(d) > Z * error)
    found = 0
    for _ in range(repeats):
        sides = []
        for size in (m, n):
            scores = rng.normal(size=(2, size))
            scores[1] = correlation * scores[0] + math.sqrt(1 - correlation**2) * scores[1]
            sides.append(scores)
        pairs = [placements(p, q) for p, q in zip(sides[0] + centres, sides[1])]
        change = [pairs[1][side] - pairs[0][side] for side in (0, 1)]
        error = math.sqrt(change[0].var(ddof=1) / m + change[1].var(ddof=1) / n)
        found += shown(change[0].mean(), error)
    return found / repeats


PLANS = [(0.8, 0.88, 0.5, 0.5), (0.95, 0.9, 0.6, 0.5), (0.7, 0.8, 0.3, 0.25)]


def test_variance_of_the_champion():
    """The champion's variance for both takes more records if it is worse, else fewer."""
    for champion, challenger, correlation, prevalence in PLANS:
        given = {"correlation": correlation, "prevalence": prevalence}
        plan = plan_auc_comparison(champion, challenger, **given)
        other = plan_auc_comparison(champion, challenger, **given, null_variance="champion")

        assert 0.8 == pytest.approx(plan.power, abs=0.01)
        assert (champion < challenger) == (other.positives > plan.positives)


@pytest.mark.slow
@pytest.mark.parametrize(("champion", "challenger", "correlation", "prevalence"), PLANS)
def test_simulated_power(champion, challenger, correlation, prevalence):
    """The plan's records have its power."""
    given = {"correlation": correlation, "prevalence": prevalence}
    plan = plan_auc_comparison(champion, challenger, **given)
    rng = np.random.default_rng(2)

    # 4000 tests leave 0.6 % of uncertainty.
    assert plan.power == pytest.approx(simulated_power(plan, correlation, rng), abs=0.025)


@pytest.mark.slow
def test_simulated_power_of_a_margin():
    """So have those of a non-inferiority plan."""
    plan = plan_auc_comparison(
        0.85, 0.85, correlation=0.6, goal="noninferiority", margin=0.05
    )
    z = stats.norm.isf(0.05)

    power = simulated_power(
        plan, 0.6, np.random.default_rng(3), shown=lambda d, error: d > z * error - 0.05
    )

    assert plan.power == pytest.approx(power, abs=0.025)


def test_fewest_records():
    """A record of each class less would lack the power."""
    for goal, prevalence in itertools.product(
        ["difference", "noninferiority", "equivalence"], [0.5, 0.3, 0.01]
    ):
        margin = None if goal == "difference" else 0.06
        given = {
            "correlation": 0.4,
            "goal": goal,
            "margin": margin,
            "prevalence": prevalence,
        }
        areas = (0.8, 0.82) if margin else (0.8, 0.85)
        plan = plan_auc_comparison(*areas, **given)

        assert plan.power >= 0.8
        assert plan.enough
        # The rarer class decides: with it as it is, fewer are too few.
        fewer = math.floor((plan.positives - 1) / prevalence)
        assert plan_auc_comparison(*areas, **given, n=fewer).power < 0.8
        assert plan_auc_comparison(*areas, **given, n=math.ceil(plan.records)).power > 0.79
        assert plan.negatives == pytest.approx(
            plan.positives * (1 - prevalence) / prevalence, rel=0.1
        )


def test_power_of_a_number():
    """Without a difference the power is the level, one-sided or two-sided."""
    for alternative in ("two-sided", "less", "greater"):
        plan = plan_auc_comparison(0.8, 0.8, n=100, alternative=alternative)
        assert 0.05 == pytest.approx(plan.power, rel=1e-12)
    powers = [plan_auc_comparison(0.8, 0.9, n=n).power for n in (10, 50, 200, 10**9)]
    assert sorted(powers) == powers
    assert 1 == powers[-1]
    assert plan_auc_comparison(0.9, 0.8, n=100, alternative="greater").power < 0.05


def test_what_counts():
    """Less correlation, rarer classes, more power and a lower level take more."""

    def needed(*areas, correlation=0.5, **settings):
        areas = areas or (0.8, 0.85)
        return plan_auc_comparison(*areas, correlation=correlation, **settings).records

    assert needed() < needed(correlation=0.2) < needed(correlation=-0.2)
    assert needed() < needed(prevalence=0.1) < needed(prevalence=0.01)
    assert needed() < needed(power=0.9) < needed(power=0.9, alpha=0.01)
    assert needed(alternative="greater") < needed()
    assert needed() == needed(0.85, 0.8)
    assert needed(method="obuchowski1997") > needed()
    assert 3 * needed() == pytest.approx(needed(design_effect=3), rel=0.01)
    assert needed(prevalence=0.2) == pytest.approx(needed(prevalence=0.8), rel=0.25)
    assert needed(0.8, 0.9) < needed()
    assert needed(spread_ratio=0.5) != needed()


def test_unknown_correlation():
    """None is supposed, and what more of it would take is said."""
    plan = plan_auc_comparison(0.8, 0.85)

    assert plan.positives == plan_auc_comparison(0.8, 0.85, correlation=0.0).positives
    assert ["correlation 0.5", "correlation 0.8"] == [one.name for one in plan.scenarios]
    for one in plan.scenarios:
        r = float(one.name.split()[1])
        expected = plan_auc_comparison(0.8, 0.85, correlation=r)
        assert (expected.positives, expected.power) == (one.positives, one.power)
        assert () == expected.scenarios


def test_correlations_of_each_class():
    """Each class may have its own; where they are the same, that is all the same."""
    own = {"positive_correlation": 0.3, "negative_correlation": 0.7}
    plan = plan_auc_comparison(0.8, 0.85, **own)
    between = [plan_auc_comparison(0.8, 0.85, correlation=r).positives for r in (0.7, 0.3)]
    same = plan_auc_comparison(
        0.8, 0.85, positive_correlation=0.3, negative_correlation=0.3
    )

    assert between[0] < plan.positives < between[1]
    assert between[1] == same.positives
    assert "0.3 among positives, 0.7 among negatives" in str(plan)


# -------------------------------------------------------------------------- pilots


def drawn_pilot(n=60, seed=4, groups=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    first = rng.normal(size=n) + y
    second = first + 0.8 * rng.normal(size=n) + y
    return PlacementValues.from_predictions(y, first, second, groups=groups)


def test_pilot_of_another_prevalence():
    """A rarer class takes fewer positives and more records, by the pilot's variances."""
    pilot = drawn_pilot()
    same, rarer = (plan_auc_from_pilot(pilot, prevalence=p) for p in (0.5, 0.1))

    assert plan_auc_from_pilot(pilot) == same
    assert rarer.positives < same.positives
    assert rarer.records > same.records
    v10, v01 = (pilot.values(1)[side] - pilot.values(0)[side] for side in (0, 1))
    expected = v10.var(ddof=1) + v01.var(ddof=1) / 9
    assert expected == pytest.approx(rarer.variance, rel=1e-12)


def test_scenarios_of_the_pilot():
    """The hardest and the easiest difference of its interval are there."""
    pilot = drawn_pilot(seed=5)
    plan = plan_auc_from_pilot(pilot)
    hardest, easiest = plan.scenarios

    assert hardest.positives > plan.positives > easiest.positives
    wider = plan_auc_from_pilot(pilot, confidence_level=0.999).scenarios
    assert wider[1].difference > easiest.difference
    assert math.inf == wider[0].positives
    assert "no number of records is enough" in str(
        plan_auc_from_pilot(pilot, confidence_level=0.999)
    )
    margin = plan_auc_from_pilot(pilot, goal="noninferiority", margin=0.05)
    assert margin.scenarios[0].difference < margin.difference


def test_groups_of_the_pilot():
    """Records that repeat each other are worth one; unrelated groups lose nothing."""
    once = drawn_pilot()
    four = [np.repeat(one, 4, axis=-1) for one in (once.positive, once.scores)]
    repeated = PlacementValues.from_predictions(
        four[0].astype(int), *four[1], groups=np.arange(240) // 4
    )

    plan, single = plan_auc_from_pilot(repeated), plan_auc_from_pilot(once)

    assert 4 == pytest.approx(plan.design_effect, rel=0.05)
    assert 4 * single.positives == pytest.approx(plan.positives, rel=0.05)
    assert single.scenarios[0].difference == pytest.approx(plan.scenarios[0].difference)
    alone = plan_auc_from_pilot(drawn_pilot(groups=np.arange(60)))
    assert 1 == pytest.approx(alone.design_effect, rel=1e-12)
    assert "with 4" in str(plan)


def test_variance_of_the_grouped_pilot():
    """It is Obuchowski's (1997), from the sums of the groups."""
    groups = np.random.default_rng(6).integers(15, size=60)
    pilot = drawn_pilot(groups=groups)
    sides = [pilot.values(1)[s] - pilot.values(0)[s] for s in (0, 1)]
    rows = pilot.positive, ~pilot.positive
    x, z = (
        np.array([(one - one.mean())[groups[row] == g].sum() for g in np.unique(groups)])
        / len(one)
        for one, row in zip(sides, rows)
    )
    i10, i01, i = (len(np.unique(groups[row])) for row in (*rows, rows[0] | rows[1]))
    expected = i10 / (i10 - 1) * x @ x + i01 / (i01 - 1) * z @ z + 2 * i / (i - 1) * x @ z

    own = AUCPilot(pilot)

    assert max(1, expected / own.variance) == pytest.approx(own.design_effect, rel=1e-10)


def test_wrong_pilots():
    """Other evidence, and pilots that tell nothing, are refused."""
    y, scores = [0, 1, 0, 1, 1], [0.1, 0.8, 0.2, 0.3, 0.9]
    three = PlacementValues.from_predictions(y, scores, scores, scores)
    single = PlacementValues.from_predictions([0, 1, 1], [1, 2, 3], [3, 2, 1])
    same = PlacementValues.from_predictions(y, scores, np.exp(scores))
    one_group = PlacementValues.from_predictions(
        y, scores, scores[::-1], groups=[0, 1, 0, 1, 2]
    )
    many = ClassPlacementValues.from_predictions(y, scores, scores)

    for wrong in (many, None, 0.5):
        with pytest.raises(TypeError, match="needs PlacementValues"):
            plan_auc_from_pilot(wrong)
    for pilot, message in (
        (three, "two classifiers. Got 3"),
        (single, "two records of each class"),
        (same, "does not vary"),
        (one_group, "in two groups. Got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            plan_auc_from_pilot(pilot)


# -------------------------------------------------------------------------- errors


def test_wrong_settings():
    """Each is refused by name, with what is possible."""
    for settings, message in [
        ({"champion_auc": 1.0}, r"`champion_auc` must be a number in \(0, 1\)"),
        ({"challenger_auc": 0}, r"`challenger_auc` must be a number in \(0, 1\)"),
        ({"challenger_auc": 0.8}, "finds a difference of 0. Got equal AUCs"),
        ({"correlation": 1}, r"`correlation` must be a number in \(-1, 1\)"),
        ({"positive_correlation": 0.3}, "go together"),
        ({"correlation": 0.1, "negative_correlation": 0.3}, "Pass `correlation` for both"),
        ({"prevalence": 0}, r"`prevalence` must be a number in \(0, 1\)"),
        ({"spread_ratio": 0}, "`spread_ratio` must be a number above 0"),
        ({"design_effect": -1}, "`design_effect` must be a number above 0"),
        ({"n": 0}, "`n` must be an integer"),
        ({"alpha": 0.7}, "`alpha` must be"),
        ({"power": 0.04}, "`power` must be more than `alpha`"),
        ({"alternative": "less"}, "never finds a difference of"),
        ({"margin": 0.1}, "has no margin"),
        (
            {"goal": "noninferiority"},
            r"`margin` of noninferiority must be a number in \(0, 1\). Got None",
        ),
        ({"goal": "equivalence", "margin": 0.05}, "No number of records shows equivalenc"),
        ({"goal": "equivalence", "margin": 0.2, "alternative": "less"}, "own direction"),
        (
            {"goal": "noninferiority", "margin": 0.2, "null_variance": "champion"},
            "has no null_variance 'champion'",
        ),
        ({"method": "delong"}, "Unknown method 'delong'"),
        ({"goal": "best"}, "Unknown goal 'best'"),
        ({"null_variance": "none"}, "Unknown null_variance 'none'"),
    ]:
        with pytest.raises(ValueError, match=message):
            plan_auc_comparison(**{"champion_auc": 0.8, "challenger_auc": 0.9} | settings)


# --------------------------------------------------------------------------- words


def test_plain_values():
    """A plan survives pickling, and JSON has no infinities."""
    plan = plan_auc_from_pilot(drawn_pilot(seed=5), confidence_level=0.999)
    values = plan.to_dict()

    assert isinstance(plan, AUCPlan)
    assert repr(plan) == repr(pickle.loads(pickle.dumps(plan)))
    assert values == json.loads(json.dumps(values, allow_nan=False))
    assert values["scenarios"][0]["positives"] is None
    assert plan.records == values["records"] == plan.positives + plan.negatives
    assert values["enough"]
    assert plan.feasible


def test_text():
    """What is asked, what it takes, and what was supposed."""
    words = str(plan_auc_comparison(0.8, 0.85, correlation=0.6, n=100, prevalence=0.2))

    assert words.startswith("20 positive and 80 negative records have power 0.1")
    assert "less than 0.8" in words
    assert "0.8 (champion) and 0.85 (challenger), difference +0.0500" in words
    for goal, required in (
        ("noninferiority", "the challenger's AUC is less than 0.1 lower (DeLong, alpha"),
        ("equivalence", "the AUCs differ by less than 0.1 (DeLong, alpha 0.05)"),
    ):
        assert required in str(plan_auc_comparison(0.8, 0.85, goal=goal, margin=0.1))


@pytest.mark.parametrize(("n", "prevalence"), [(3, 0.5), (100, 0.01), (100, 0.99)])
def test_fewer_records_than_the_test_needs(n, prevalence):
    """There is no power of records of which fewer than two of a class are expected."""
    with pytest.raises(ValueError, match=r"needs 2 records of each class\. Got n="):
        plan_auc_comparison(0.8, 0.9, correlation=0.5, n=n, prevalence=prevalence)

    assert plan_auc_comparison(0.8, 0.9, correlation=0.5, n=200, prevalence=0.01).power > 0
