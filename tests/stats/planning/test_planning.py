"""Plans of comparisons: numbers of records, power by enumeration, and their words."""

import dataclasses
import itertools
import json
import math
import pickle
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats

from skcompare.evidence import ClusterSums, ContingencyTable, JointCounts, PairedBlocks
from skcompare.stats import (
    ComparisonPlan,
    clustered_mcnemar,
    mcnemar,
    mcnemar_power,
    mcnemar_sample_size,
    plan_comparison,
    plan_from_pilot,
)
from skcompare.stats.accuracy._limits import score_limits
from skcompare.stats.accuracy._unconditional import _scores
from skcompare.stats.planning import AccuracyGoal, Truth
from tests.common.golden import golden

METHODS = ("mid-p", "exact", "asymptotic", "corrected")
PLAN = golden("mcnemar")["sample_size"]
MARGIN = golden("clustered")["margins"]


# ----------------------------------------------------------- finding a difference


def test_power_of_a_number_of_records():
    """Power at 469 records is that of an independent enumeration."""
    for method in METHODS:
        p01, p10 = PLAN["only_champion"], PLAN["only_challenger"]

        plan = plan_comparison(
            0.8, 0.8 + p10 - p01, disagreement=p10 + p01, n=PLAN["n"], method=method
        )

        assert PLAN["power_at_n"][method] == pytest.approx(plan.power, abs=1e-7)
        assert (469, 0.15 * 469) == (plan.records, pytest.approx(plan.discordant))
        assert (plan.power >= 0.8) == plan.enough


def test_fewest_records():
    """The number has the power, so have the next ten, and one less does not."""
    for (champion, challenger, disagreement), method, alternative in itertools.product(
        [(0.8, 0.85, 0.15), (0.0, 0.4, 0.4)],
        METHODS,
        ["two-sided", "greater"],
    ):
        settings = {"method": method, "alternative": alternative}
        difference = round(challenger - champion, 12)
        plan = plan_comparison(champion, challenger, disagreement=disagreement, **settings)
        n = int(plan.records)
        powers = [
            mcnemar_power(n + more, difference, disagreement, **settings)
            for more in range(-1, 11)
        ]

        assert powers[1] == plan.power
        assert min(powers[1:]) >= 0.8 > powers[0]


def test_many_records():
    """Above two thousand the power is still there, and a thousandth less lacks it."""
    for method in METHODS:
        plan = plan_comparison(0.90, 0.91, disagreement=0.06, method=method)

        assert plan.records == pytest.approx(mcnemar_sample_size(0.01, 0.06), rel=0.05)
        assert (
            plan.power
            >= 0.8
            > mcnemar_power(int(plan.records * 0.998), 0.01, 0.06, method=method)
        )


@pytest.mark.slow
def test_power_by_formula(monkeypatch):
    """Where discordant pairs are too many to sum over, the formula is as good."""
    for method, alternative, (disagreement, errors) in itertools.product(
        METHODS,
        ["two-sided", "less", "greater"],
        [(0.01, 1.0), (0.5, 0.0), (0.5, 1.0), (0.9, 3.0)],
    ):
        n = math.ceil(20_001 / disagreement / (1 - disagreement))
        difference = errors * math.sqrt(disagreement / n)
        settings = {"alternative": alternative, "method": method, "alpha": 0.01}
        formula = mcnemar_power(n, difference, disagreement, **settings)
        with monkeypatch.context() as patched:
            patched.setattr("skcompare.stats.core._power.MOST_SUMMED", math.inf)
            summed = mcnemar_power(n, difference, disagreement, **settings)

        assert summed == pytest.approx(formula, abs=5e-4)
        assert summed != formula


def margin_power(n, difference, disagreement, margin, *, alpha, both_sides):
    """Power of a goal with a margin."""
    name = "equivalence" if both_sides else "noninferiority"
    goal = AccuracyGoal(name, margin, alpha, 0.8, "two-sided", "score")
    return goal.power_at(n, Truth(difference, disagreement))


def test_margin_power_by_formula(monkeypatch):
    """So it is for a margin."""
    for both_sides, disagreement in itertools.product([False, True], [0.01, 0.5, 0.9]):
        n = math.ceil(20_001 / disagreement / (1 - disagreement))
        error = math.sqrt(disagreement / n)
        for errors in (-1, 0, 0.5):
            settings = {"alpha": 0.05, "both_sides": both_sides}
            arguments = n, errors * error, disagreement, 2.5 * error
            formula = margin_power(*arguments, **settings)
            with monkeypatch.context() as patched:
                patched.setattr("skcompare.stats.core._power.MOST_SUMMED", math.inf)
                summed = margin_power(*arguments, **settings)

            assert summed == pytest.approx(formula, abs=5e-4)
            assert summed != formula


def test_certain_disagreement_is_summed():
    """If the number of discordant pairs hardly varies, the sum is short and is taken."""
    for n in (10**6, 10**6 + 1):
        expected = stats.binom.cdf(stats.binom.ppf(0.05, n, 0.5) - 1, n, 0.499)
        settings = {"alternative": "greater", "method": "exact"}

        power = mcnemar_power(n, 0.002, 1.0, **settings)

        assert expected == pytest.approx(power, rel=1e-12)


def test_very_many_records():
    """However small the difference, there is a plan, and it says what is approximate."""
    for challenger, settings in [
        (0.9001, {}),
        (0.9000001, {"method": "exact"}),
        (0.900000000001, {"alternative": "greater", "power": 0.99}),
        (0.9, {"goal": "noninferiority", "margin": 1e-8}),
        (0.9, {"goal": "equivalence", "margin": 1e-5}),
    ]:
        plan = plan_comparison(0.9, challenger, disagreement=0.18, **settings)
        power = settings.get("power", 0.8)
        tails = stats.norm.isf(
            0.05 if "alternative" in settings else 0.025
        ) + stats.norm.ppf(power)

        assert plan.approximate
        assert plan.enough
        assert power == pytest.approx(plan.power, abs=1e-4)
        if "goal" not in settings:
            expected = 0.18 * (tails / (challenger - 0.9)) ** 2
            assert expected == pytest.approx(plan.records, rel=2e-3)
        assert f"have power {power:.3f} (normal approximation)" in str(plan)
        assert plan.to_dict()["approximate"] is True
        less = plan_comparison(
            0.9, challenger, disagreement=0.18, n=int(plan.records * 0.99), **settings
        )
        assert less.power < power - 2e-4


def test_scenarios_say_what_is_approximate():
    """Each by itself: at the least disagreement few records may do."""
    plan = plan_comparison(0.5, 0.5001)
    least, greatest = plan.scenarios

    assert (False, True, True) == (
        least.approximate,
        greatest.approximate,
        plan.approximate,
    )
    assert ["(normal approximation)" in line for line in str(plan).splitlines()[-2:]] == [
        False,
        True,
    ]
    plan = plan_comparison(0.8, 0.85)
    assert not plan.approximate
    assert "approximation" not in str(plan)


def test_required_power_level_and_direction_count():
    """More power, a lower level, and two directions take more records."""

    def needed(**settings):
        return plan_comparison(0.8, 0.85, disagreement=0.15, **settings).records

    assert needed() < needed(power=0.9) < needed(power=0.9, alpha=0.01)
    assert needed(alternative="greater") < needed()
    assert needed() < needed(design_effect=1.5)


def test_swapped_roles():
    """The same classifiers the other way round take the same records."""
    one = plan_comparison(0.8, 0.85, alternative="greater")
    other = plan_comparison(0.85, 0.8, alternative="less")

    assert (one.records, pytest.approx(one.power)) == (other.records, other.power)
    assert one.difference == -other.difference == 0.05


# ------------------------------------------------------------------ disagreement


def test_correlation():
    """Disagreement follows from the correlation of the 2 x 2 table."""
    both, first, second, neither = 0.7, 0.1, 0.15, 0.05
    p1, p2 = both + first, both + second
    covariance = both - p1 * p2
    phi = covariance / math.sqrt(p1 * (1 - p1) * p2 * (1 - p2))
    assert neither == pytest.approx(1 - both - first - second)

    plan = plan_comparison(p1, p2, correlation=phi)

    assert first + second == pytest.approx(plan.disagreement)
    expected = plan_comparison(p1, p2, disagreement=first + second).records
    assert expected == pytest.approx(plan.records, abs=1)
    assert f"correlation {phi:g}" == plan.assumption


def test_unknown_disagreement():
    """It is taken for independent, with both extremes beside it."""
    plan = plan_comparison(0.8, 0.9)

    assert 0.8 * 0.1 + 0.9 * 0.2 == pytest.approx(plan.disagreement)
    assert (0.1, 0.3) == plan.possible_disagreement
    least, greatest = plan.scenarios
    assert (0.1, 0.3) == (least.disagreement, greatest.disagreement)
    assert least.records < plan.records < greatest.records
    for one in plan.scenarios:
        expected = plan_comparison(0.8, 0.9, disagreement=one.disagreement)
        assert (expected.records, expected.power) == (one.records, one.power)
        assert () == expected.scenarios
    assert plan.disagreement == plan_comparison(0.8, 0.9, correlation=0).disagreement


def test_possible_disagreement():
    """It is at least the difference and at most what either gets wrong, or right."""
    for champion, challenger, possible in [
        (0.8, 0.85, (0.05, 0.35)),
        (0.3, 0.1, (0.2, 0.4)),
        (0, 1, (1, 1)),
        (1, 1, (0, 0)),
    ]:
        plan = plan_comparison(champion, challenger, n=10)

        assert possible == plan.possible_disagreement
        for share in possible:
            kept = plan_comparison(champion, challenger, disagreement=share, n=10)
            assert share == kept.disagreement
        for share in (possible[0] - 0.01, possible[1] + 0.01):
            with pytest.raises(
                ValueError, match=r"leave a disagreement from|number in \[0"
            ):
                plan_comparison(champion, challenger, disagreement=share, n=10)


@pytest.mark.parametrize("end", [0, 1])
def test_possible_correlation(end):
    """Its ends are those at which a cell of the 2 x 2 table is empty."""
    unit = math.sqrt(0.8 * 0.2 * 0.9 * 0.1)
    ends = (-0.2 * 0.1 / unit, 0.8 * 0.1 / unit)

    plan = plan_comparison(0.8, 0.9, correlation=ends[end])

    assert (0.3, 0.1)[end] == pytest.approx(plan.disagreement)
    with pytest.raises(ValueError, match=r"leave a correlation from -0\.1667 to 0\.6667"):
        plan_comparison(0.8, 0.9, correlation=ends[end] + (-0.01, 0.01)[end])


# ------------------------------------------------------------------------ margins


def test_score_of_a_margin():
    """Tango's score at the margin has the p-values that others computed."""
    for case in MARGIN["cases"]:
        against, favour, n = case["only_B"], case["only_A"], case["n"]
        counts = np.array([against]), np.array([favour])
        root = _scores(*counts, n, -case["margin"])[0]

        assert case["pvalue"] == pytest.approx(stats.norm.sf(root), rel=1e-9)


def score_slowly(against, favour, n, margin):
    """Tango's score with the most likely shares found by a search."""

    def unlikely(share):
        cells = (share, share - margin, 1 - 2 * share + margin)
        counts = (against, favour, n - against - favour)
        return -sum(c * math.log(p) for c, p in zip(counts, cells, strict=True) if c)

    low, high = margin, (1 + margin) / 2
    inside = optimize.minimize_scalar(
        unlikely,
        bounds=(low + 1e-15, high - 1e-15),
        method="bounded",
        options={"xatol": 1e-13},
    ).x
    if favour == 0 and unlikely(low + 1e-15) < unlikely(inside):
        inside = low
    variance = 2 * inside - margin - margin**2
    return (favour - against + n * margin) / math.sqrt(n * variance)


def test_score_by_maximum_likelihood():
    """The quadratic's root is the constrained maximum, and more in favour score more."""
    for n, margin in itertools.product([1, 3, 8], [0.02, 0.3, 0.7]):
        for m in range(n + 1):
            favour = np.arange(m + 1)
            scores = _scores(m - favour, favour, n, -margin)

            assert (np.diff(scores) > 0).all()
            expected = [score_slowly(m - k, k, n, margin) for k in range(m + 1)]
            assert expected == pytest.approx(scores, rel=1e-5, abs=1e-5)


def test_margin_power_by_enumeration():
    """It adds the probabilities of the tables whose Tango limits are within the margin."""
    tango = {
        (b, c, n): score_limits(b, c, n, 0.0, 0.9, "two-sided")
        for n in (1, 6, 30)
        for b in range(n + 1)
        for c in range(n + 1 - b)
    }
    for n, margin, both_sides, (difference, disagreement) in itertools.product(
        [1, 6, 30],
        [0.05, 0.2],
        [False, True],
        [(0, 0), (0, 0.1), (-0.04, 0.3), (0.1, 0.1), (0.1, 1)],
    ):
        p10, p01 = (disagreement - difference) / 2, (disagreement + difference) / 2
        within = [
            (b, c, n - b - c)
            for (b, c, of), (low, high) in tango.items()
            if of == n and low > -margin and (high < margin or not both_sides)
        ]
        shares = stats.multinomial.pmf(
            np.reshape(within, (-1, 3)), n, (p10, p01, 1 - disagreement)
        )
        expected = shares.sum()

        power = margin_power(
            n, difference, disagreement, margin, alpha=0.05, both_sides=both_sides
        )

        assert expected == pytest.approx(power, abs=1e-10)


@pytest.mark.parametrize(
    ("goal", "alternative"), [("noninferiority", "greater"), ("equivalence", "two-sided")]
)
def test_fewest_records_for_a_margin(goal, alternative):
    """The number has the power, so have the next ten, and one less does not."""
    for champion, challenger, disagreement, margin in [
        (0.9, 0.9, 0.1, 0.1),
        (0.9, 0.88, 0.06, 0.08),
        (0.7, 0.71, 0.3, 0.2),
    ]:
        plan = plan_comparison(
            champion, challenger, disagreement=disagreement, goal=goal, margin=margin
        )
        n = int(plan.records)
        difference = round(challenger - champion, 12)
        settings = {"alpha": 0.05, "both_sides": goal == "equivalence"}
        powers = [
            margin_power(n + more, difference, disagreement, margin, **settings)
            for more in range(-1, 11)
        ]

        assert powers[1] == plan.power
        assert min(powers[1:]) >= 0.8 > powers[0]
        assert ("score", alternative) == (plan.method, plan.alternative)


def test_margin_of_classifiers_that_never_disagree():
    """The number follows from Tango's interval without discordant pairs."""
    plan = plan_comparison(1, 1, goal="noninferiority", margin=0.05)

    # The limit -z² / (n + z²) is above the margin.
    z2 = stats.norm.isf(0.05) ** 2
    assert math.ceil(z2 * 0.95 / 0.05) == plan.records
    assert (1, 0) == (plan.power, plan.discordant)


def test_margins_take_more_for_more():
    """Equivalence takes more than non-inferiority, a smaller margin more than a large."""

    @cache
    def needed(goal, margin):
        given = {"goal": goal, "margin": margin, "disagreement": 0.18}
        return plan_comparison(0.9, 0.9, **given).records

    assert needed("noninferiority", 0.1) < needed("equivalence", 0.1)
    assert needed("noninferiority", 0.1) < needed("noninferiority", 0.06)
    assert 4 == pytest.approx(
        needed("noninferiority", 0.005) / needed("noninferiority", 0.01), rel=0.02
    )


# ------------------------------------------------------------------------- groups


def test_design_effect():
    """Records of groups are worth so many times fewer independent ones."""
    plain = plan_comparison(0.8, 0.85, disagreement=0.15)
    grouped = plan_comparison(0.8, 0.85, disagreement=0.15, design_effect=1.7)
    at = plan_comparison(0.8, 0.85, disagreement=0.15, design_effect=1.7, n=1700)

    assert math.ceil(plain.records * 1.7) == grouped.records
    assert plain.power == grouped.power
    assert plan_comparison(0.8, 0.85, disagreement=0.15, n=1000).power == at.power
    assert "1.7 records of groups worth an independent one" in str(grouped)


# ------------------------------------------------------------------------- pilots


def test_pilot():
    """Difference and disagreement are the pilot's; its interval is the uncertainty."""
    table = ContingencyTable(150, 12, 28, 10)

    plan = plan_from_pilot(table, power=0.9)

    expected = plan_comparison(*table.accuracies, disagreement=0.2, power=0.9)
    assert (expected.records, expected.power) == (plan.records, plan.power)
    low, high = mcnemar(table).confidence_interval()
    hardest, easiest = plan.scenarios
    assert (low, high) == (hardest.difference, easiest.difference)
    assert hardest.records > plan.records > easiest.records
    assert min(one.power for one in plan.scenarios) >= 0.9


def test_pilot_that_settles_nothing():
    """Where the interval includes no difference, no number of records may be enough."""
    plan = plan_from_pilot(ContingencyTable(150, 18, 22, 10))

    hardest, easiest = plan.scenarios
    assert (0, math.inf) == (hardest.difference, hardest.records)
    assert math.isnan(hardest.power)
    assert easiest.records < plan.records < math.inf
    assert "hardest difference" in str(plan)
    assert "no number of records is enough" in str(plan)


@pytest.mark.parametrize(
    "table", [ContingencyTable(50, 0, 0, 3), ContingencyTable(50, 4, 4, 3)]
)
def test_pilot_without_a_difference(table):
    """The prediction is that no number is enough, and it can be written down."""
    plan = plan_from_pilot(table)

    assert not plan.feasible
    assert not plan.enough
    assert str(plan).startswith("no number of records is enough")
    assert plan.to_dict()["records"] is plan.to_dict()["power"] is None


def test_pilot_in_the_other_direction():
    """A one-sided test has a hardest difference where it never finds one."""
    table = ContingencyTable(150, 28, 12, 10)

    less = plan_from_pilot(table, alternative="less")
    greater = plan_from_pilot(table, alternative="greater")

    assert less.feasible
    assert less.scenarios[0].difference > less.scenarios[1].difference
    assert not greater.feasible
    assert math.inf == greater.scenarios[1].records


@pytest.mark.slow
def test_pilot_with_a_margin():
    """Tango's interval says how near the margin the truth may be."""
    table = ContingencyTable(200, 10, 10, 30)
    tango = mcnemar(table, method="asymptotic").confidence_interval(0.9)

    ni = plan_from_pilot(table, goal="noninferiority", margin=0.08, confidence_level=0.9)
    both = plan_from_pilot(table, goal="equivalence", margin=0.08, confidence_level=0.9)

    assert tuple(tango) == tuple(one.difference for one in ni.scenarios)
    assert 0 == both.scenarios[1].difference
    assert abs(both.scenarios[0].difference) == pytest.approx(max(map(abs, tango)))
    assert ni.scenarios[0].records > ni.records
    tight = plan_from_pilot(table, goal="noninferiority", margin=0.01)
    assert math.inf == tight.scenarios[0].records


def test_pilot_of_groups():
    """Its design effect and the size of its groups are used, and its own interval."""
    tables = (
        np.random.default_rng(0)
        .multinomial(8, [0.5, 0.05, 0.2, 0.25], size=6)
        .repeat(4, axis=0)
    )
    sums = ClusterSums(np.concatenate([tables * 2, tables]), range(48))
    result = clustered_mcnemar(sums)
    effect = result.details["design_effect"]

    plan = plan_from_pilot(sums)

    assert effect == plan.design_effect > 1
    plain = plan_from_pilot(sums.contingency_table())
    assert math.ceil(plain.records * effect - 1e-9) == plan.records
    assert plan.records / 12 == plan.groups
    limits = result.confidence_interval()
    assert set(limits) == {one.difference for one in plan.scenarios}
    assert (
        f"{plan.records:.0f} records, about {plan.discordant:.0f} of them discordant, from "
        f"about {plan.groups:.0f} groups, have power {plan.power:.3f}"
    ) == str(plan).splitlines()[0]


def test_pilot_of_groups_that_vary_little():
    """A design effect below 1 is not counted on."""
    sums = ClusterSums([[5, 1, 3, 1]] * 12, range(12))

    assert 1 == plan_from_pilot(sums).design_effect
    assert (
        plan_from_pilot(sums).records == plan_from_pilot(sums.contingency_table()).records
    )


def test_pilot_of_joint_counts():
    """They hold the table of correct and incorrect predictions."""
    rng = np.random.default_rng(0)
    y, first = rng.integers(3, size=(2, 200))
    second = np.where(rng.random(200) < 0.5, y, first)
    joint = JointCounts.from_predictions(y, first, second)

    assert plan_from_pilot(joint.contingency_table()) == plan_from_pilot(joint)


def test_pilot_of_other_things():
    """Other evidence is refused by its name."""
    with pytest.raises(TypeError, match=r"needs a ContingencyTable.*Got PairedBlocks"):
        plan_from_pilot(PairedBlocks([[[4, 1, 2, 3], [4, 1, 2, 3]]] * 5))


def test_share_that_rounds_below_the_difference():
    """One discordant pair in six: the difference is not more than the disagreement."""
    assert plan_from_pilot(ContingencyTable(5, 0, 1, 0)).feasible


# --------------------------------------------------------------- words and values


def test_plan_in_text():
    """The prediction comes first, then what it is for and what it supposes."""
    plan = plan_comparison(0.8, 0.85)
    lines = str(plan).splitlines()

    assert f"{plan.records:.0f} records, about {plan.discordant:.0f} of them" in lines[0]
    assert "to detect a difference (mid-p, two-sided, alpha 0.05)" == lines[1]
    assert "accuracy is 0.8 (champion) and 0.85 (challenger)" in lines[2]
    assert "right independently" in lines[3]
    assert lines[5].startswith("least disagreement: difference +0.0500")
    short = plan_comparison(0.8, 0.85, disagreement=0.15, n=100)
    assert "less than 0.8" in str(short).splitlines()[0]


@pytest.mark.parametrize("goal", ["noninferiority", "equivalence"])
def test_margin_in_text(goal):
    """The margin is said."""
    assert "0.05" in str(plan_comparison(0.9, 0.9, goal=goal, margin=0.05, n=100))


def test_plan_is_a_value():
    """It is frozen, pickles, and has plain values that JSON can hold."""
    plan = plan_comparison(0.8, 0.85)

    with pytest.raises(AttributeError):
        plan.records = 5
    assert plan == pickle.loads(pickle.dumps(plan))
    values = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert values == plan.to_dict()
    assert plan.records == values["records"]
    assert plan.scenarios[1].records == values["scenarios"][1]["records"]
    fields = {field.name for field in dataclasses.fields(ComparisonPlan)}
    assert fields | {"discordant", "feasible", "enough"} == values.keys()


# ------------------------------------------------------------------- what is wrong


def test_impossible_plans():
    """What cannot be meant is refused, with what was expected and what to do."""
    for settings, message in [
        ({"champion_accuracy": 1.2}, r"`champion_accuracy` must be a number in \[0, 1\]"),
        ({"challenger_accuracy": math.nan}, "`challenger_accuracy` must be a number"),
        ({"challenger_accuracy": "0.9"}, "`challenger_accuracy` must be a number"),
        ({"challenger_accuracy": 0.8}, "finds a difference of 0. Got equal accuracies"),
        ({"alternative": "less"}, r"'less' never finds a difference of \+0\.05"),
        ({"alternative": "bigger"}, "Unknown alternative 'bigger'"),
        ({"goal": "superiority"}, "Unknown goal 'superiority'"),
        ({"method": "midp"}, "Unknown method 'midp'"),
        ({"method": "score"}, "goal='difference' has no method 'score'"),
        ({"margin": 0.1}, "goal='difference' has no margin"),
        ({"goal": "equivalence"}, "`margin` of equivalence must be a number"),
        ({"goal": "noninferiority", "margin": -0.1}, "`margin` of noninferiority must"),
        (
            {"goal": "equivalence", "margin": 0.05},
            r"shows equivalence with a margin of 0\.05 if the difference is \+0\.05",
        ),
        (
            {"goal": "noninferiority", "margin": 0.1, "alternative": "less"},
            "has its own direction",
        ),
        (
            {"goal": "noninferiority", "margin": 0.1, "method": "exact"},
            "has no method 'exact'. Use one of score",
        ),
        ({"disagreement": 0.1, "correlation": 0.1}, "Pass `disagreement` or `correlation`"),
        ({"disagreement": math.nan}, "`disagreement` must be a number"),
        ({"correlation": "high"}, "leave a correlation from"),
        ({"challenger_accuracy": 1, "correlation": 0.1}, "have no correlation"),
        ({"n": 0}, "`n` must be an integer of at least 1"),
        ({"n": 10.5}, "`n` must be an integer of at least 1"),
        ({"alpha": 0.7}, "`alpha` must be a number"),
        ({"power": 1}, "`power` must be between 0 and 1"),
        ({"power": 0.05}, "`power` must be more than `alpha`"),
        ({"design_effect": 0}, "`design_effect` must be a number above 0"),
        ({"design_effect": math.inf}, "`design_effect` must be a number above 0"),
    ]:
        accuracies = {"champion_accuracy": 0.8, "challenger_accuracy": 0.85}

        with pytest.raises(ValueError, match=message):
            plan_comparison(**accuracies | settings)


def test_power_of_what_is_not_there():
    """A given number has the type I error for no difference, and 0 if none can differ."""
    assert (
        mcnemar_power(200, 0, 0.2)
        == plan_comparison(0.8, 0.8, disagreement=0.2, n=200).power
    )
    assert 0 == plan_comparison(1, 1, n=200).power
    assert plan_comparison(0.85, 0.8, n=200, alternative="greater").power < 0.05
