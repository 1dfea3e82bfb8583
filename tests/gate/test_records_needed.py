"""Records that would settle a condition: the power they promise is the power they have."""

import math
from functools import cache

import numpy as np
import pytest

from skcompare.evidence import (
    ContingencyTable,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
)
from skcompare.gate import AnyOf, Equivalent, Gate, NonInferior, Superior
from skcompare.gate._evaluate import records_needed
from skcompare.stats import mcnemar, mcnemar_power, plan_comparison
from skcompare.stats.calibration._squared_errors import (
    row_sums,
    squared_errors,
    variance_of,
)
from skcompare.stats.margins._margin_test import (
    InfluenceMoments,
    SkewnessAdjusted,
    margin_result,
    moments_of_counts,
)
from skcompare.stats.planning._records_at_boundary import (
    MOST_EXACT,
    Boundary,
    CountPower,
    Sides,
    method_for,
    records_of_counts,
)
from tests.stats.margins.test_one_sided import ready

ALPHA, POWER = 0.05, 0.8


def table_of(against, favour, n=10_000):
    b, c = round(n * against), round(n * favour)
    return ContingencyTable(n - b - c, b, c, 0)


@pytest.mark.parametrize(
    ("n", "method"), [(300, "mid-p"), (300, "asymptotic"), (400, "exact")]
)
def test_power_of_superiority_is_that_of_mcnemar(n, method):
    """Summed over all tables it is the power that is planned with."""
    boundary = [Boundary(0.0, "greater")]
    found = CountPower((0.05, 0.11), boundary, ALPHA, method).at(n)
    required = mcnemar_power(n, 0.06, 0.16, alternative="greater", method=method)

    assert required == pytest.approx(found, abs=0.015)


@pytest.mark.parametrize("both", [False, True])
def test_power_at_margins_is_that_of_a_plan(both):
    """Of Tango's score it is the power of planning non-inferiority and equivalence."""
    boundaries = [Boundary(-0.06, "greater"), Boundary(0.06, "less")][: 1 + both]
    found = CountPower((0.05, 0.06), boundaries, ALPHA).at(300)
    goal = "equivalence" if both else "noninferiority"
    plan = plan_comparison(
        0.8, 0.81, disagreement=0.11, goal=goal, margin=0.06, alpha=ALPHA, n=300
    )

    assert plan.power == pytest.approx(found, rel=1e-9)


def test_power_of_the_exact_test_is_summed_over_what_it_rejects():
    """The power with a critical score is that of all tables, each tested by itself."""
    n, shares = 25, (0.08, 0.1)
    boundary = Boundary(-0.1, "greater")
    power = 0.0
    log = math.lgamma
    for b in range(n + 1):
        for c in range(n - b + 1):
            chance = log(n + 1) - log(b + 1) - log(c + 1) - log(n - b - c + 1)
            chance += b * math.log(shares[0]) + c * math.log(shares[1])
            chance = math.exp(chance + (n - b - c) * math.log(1 - sum(shares)))
            if chance < 1e-4:
                continue
            result = mcnemar(
                ContingencyTable(n - b - c, b, c, 0),
                method="exact-unconditional",
                alternative="greater",
                null_value=-0.1,
            )
            power += chance * (result.pvalue < ALPHA)
    found = CountPower(shares, [boundary], ALPHA, "exact-unconditional").at(n)

    assert power == pytest.approx(found, abs=0.02)


def test_records_of_accuracies_have_the_power():
    """80 % within 3 points, of superiority, non-inferiority and equivalence."""
    for boundaries, shares in [
        ([(0.0, "greater")], (0.05, 0.09)),
        ([(-0.03, "greater")], (0.05, 0.04)),
        ([(0.01, "greater")], (0.02, 0.08)),
        ([(-0.06, "greater"), (0.06, "less")], (0.06, 0.05)),
    ]:
        requested = [Boundary(*one) for one in boundaries]
        n = records_of_counts(table_of(*shares), requested, None, False, ALPHA, POWER)
        method = method_for(n, abs(boundaries[0][0]), exact=False)
        found = CountPower(shares, requested, ALPHA, method).at(int(n))

        assert n <= MOST_EXACT
        assert POWER == pytest.approx(found, abs=0.03)


def test_no_number_is_enough_beyond_a_boundary():
    """An observed difference on the wrong side needs infinitely many records."""
    table = table_of(0.1, 0.05)
    side = margin_result(ready("mcnemar", table), 0.0, "greater", ALPHA)
    found = records_needed(Superior("accuracy"), ready("mcnemar", table), [side], ALPHA)

    assert math.inf == found


def test_records_of_means_have_the_power():
    """Losses with a skewed difference: simulated gates pass as often as promised."""
    rng = np.random.default_rng(0)

    def gains(shape):
        return 0.5 - rng.exponential(0.5, size=shape)

    many = gains(300_000)
    losses = PairedLosses.from_losses(many + 9, np.full(len(many), 9.0))
    test = ready("paired_t", losses)
    boundary = losses.gain - 0.08
    n = math.ceil(
        Sides([margin_result(test, boundary, "greater", ALPHA)], ALPHA, POWER).of_means()
    )
    drawn = gains((3000, n))
    passed = 0
    mean, deviation = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
    third = ((drawn - mean[:, None]) ** 3).mean(axis=1) / drawn.std(axis=1) ** 3
    for one in zip(mean, deviation / math.sqrt(n), third / math.sqrt(n), strict=True):
        cautious = SkewnessAdjusted(
            one[0], InfluenceMoments(one[1], one[2], n, "records"), n - 1
        )
        passed += cautious.pvalue(-0.08, "greater") < ALPHA

    assert POWER == pytest.approx(passed / 3000, abs=0.03)


def test_records_of_scores_have_the_power():
    """A score of labels with few different predictions, drawn with another seed."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=4000)
    right = rng.random((2, 4000)) < np.array([[0.9], [0.91]])
    counts = JointCounts.from_predictions(y, *(np.where(one, y, 1 - y) for one in right))
    options = {"score": "f1_macro", "method": "delta"}
    test = ready("score_difference", counts, **options)
    side = margin_result(test, -0.05, "greater", ALPHA)
    near = Sides([side], ALPHA, POWER).of_means()
    n = int(Sides([side], ALPHA, POWER).of_scores(counts, options, near))
    drawn = rng.multinomial(n, counts.counts / counts.n, size=2000)
    difference, error, skewness, units = moments_of_counts(
        counts.classes, counts.cells, drawn, options
    )
    name = "records with different predictions"
    passed = [
        SkewnessAdjusted(d, InfluenceMoments(e, a, int(k), name), None).pvalue(
            -0.05, "greater"
        )
        < ALPHA
        for d, e, a, k in zip(difference, error, skewness, units, strict=True)
        if k >= 15
    ]

    assert POWER == pytest.approx(sum(passed) / 2000, abs=0.03)


def some_calibration(rng, n, **words):
    """An overconfident champion, and a challenger that is calibrated."""
    logit = 1.5 * rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    proba = [1 / (1 + np.exp(-factor * logit)) for factor in (1.3, 1.0)]
    return PairedCalibration.from_predictions(
        y, *proba, n_bins=10, strategy="uniform", **words
    )


@pytest.mark.slow
def test_records_of_calibration_have_the_power():
    """Limits vary less than the difference, and its error is less than all make expect."""
    rng = np.random.default_rng(6)
    test = ready("calibration_difference", some_calibration(rng, 50_000))
    # The difference in truth, as benchmarks/validity/margins/gate_worlds.py adds it up.
    boundary = test.result_at(0.0, "greater").estimate - 0.00181 - 0.002
    side = margin_result(test, boundary, "greater", ALPHA)
    plain = Sides([side], ALPHA, POWER).of_means()
    n = math.ceil(Sides([side], ALPHA, POWER).of_calibration(test.evidence, plain))
    passed = 0
    for _ in range(400):
        drawn = some_calibration(rng, n)
        sums = row_sums(drawn, 0), row_sums(drawn, 1)
        champion, challenger = squared_errors(sums)
        variance = variance_of(sums)
        moments = InfluenceMoments(math.sqrt(variance.total), 0.0, n, "records in bins")
        cautious = SkewnessAdjusted(champion - challenger, moments, variance.df)
        passed += cautious.limit(ALPHA, "greater") > -0.002

    assert n < 0.9 * plain
    assert POWER == pytest.approx(passed / 400, abs=0.06)


@pytest.mark.slow
def test_calibration_is_resampled_by_records_only():
    """Groups, rows of classes, sums and other standard errors stay with the formula."""
    for kind in ["binary", "grouped", "classwise", "sums", "bootstrap"]:
        rng = np.random.default_rng(7)
        groups = np.arange(200) // 5 if kind == "grouped" else None
        found = some_calibration(rng, 200, groups=groups)
        if kind == "sums":
            found = found.reduced()
        if kind == "classwise":
            proba = [np.stack([1 - p, p], axis=1) for p in found.proba]
            found = PairedCalibration.from_predictions(
                found.outcomes[0], *proba, kind=kind, n_bins=5, strategy="uniform"
            )
        options = {"method": kind, "n_resamples": 50} if kind == "bootstrap" else {}
        test = ready("calibration_difference", found, **options)
        boundary = test.result_at(0.0, "greater").estimate - 0.003
        side = margin_result(test, boundary, "greater", ALPHA)
        needed = records_needed(Superior("squared_calibration_error"), test, [side], ALPHA)
        plain = max(201, math.ceil(Sides([side], ALPHA, POWER).of_means()))

        assert needed < plain if kind == "binary" else needed == plain


@cache
def gate_data(n=400):
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=n)
    predictions = {
        name: np.where(rng.random(n) < share, y, 1 - y)
        for name, share in (("old", 0.85), ("new", 0.87))
    }
    return y, predictions


def test_what_is_needed_is_more_than_there_is():
    """An inconclusive condition asks for more records than it has, as a whole number."""
    for condition in (
        Superior("accuracy"),
        NonInferior("accuracy", 0.03),
        Equivalent("accuracy", 0.03),
        NonInferior("f1_macro", 0.01),
        Superior("precision[1]"),
    ):
        (outcome,) = Gate(condition).decide(*gate_data(200)).outcomes
        assert "inconclusive" == outcome.status, condition.text
        needed = outcome.records_needed
        assert math.isinf(needed) or (needed > 200 and needed == round(needed))


def test_equivalence_needs_more_than_either_side():
    """Both boundaries must be excluded at once."""
    table = table_of(0.06, 0.05, n=1000)
    lower, upper = Boundary(-0.03, "greater"), Boundary(0.03, "less")
    both, *each = (
        records_of_counts(table, sides, "asymptotic", False, ALPHA, POWER)
        for sides in ([lower, upper], [lower], [upper])
    )

    assert both > max(each)


def test_minimum_is_part_of_what_is_needed():
    """What a minimum asks for comes on top of what the test needs."""
    few = Gate(NonInferior("accuracy", 0.05, min_records=5000)).decide(*gate_data())
    pairs = Gate(NonInferior("accuracy", 0.2, min_discordant=10_000)).decide(*gate_data())
    (outcome,) = pairs.outcomes

    assert 5000 <= few.outcomes[0].records_needed
    assert outcome.blocked
    assert outcome.records_needed == pytest.approx(400 * 10_000 / outcome.n_discordant)


def test_any_of_needs_the_least_of_its_parts():
    """The part that is shown first is enough."""
    either = AnyOf(Superior("accuracy"), NonInferior("accuracy", 0.005))
    (outcome,) = Gate(either).decide(*gate_data()).outcomes
    parts = [part.records_needed for part in outcome.parts]

    assert "inconclusive" == outcome.status
    assert min(parts) == outcome.records_needed
    (alone,) = Gate(NonInferior("accuracy", 0.005)).decide(*gate_data()).outcomes
    # Each part has half of the level.
    assert parts[1] > alone.records_needed


def test_few_units_need_their_number():
    """Where a class is too rare the records are at least those with enough of it."""
    rng = np.random.default_rng(3)
    y = (np.arange(200) % 20 == 0).astype(int)
    scores = {"old": y + rng.normal(size=200), "new": y + rng.normal(size=200)}
    proba = {name: np.stack([-one, one], axis=1) for name, one in scores.items()}
    proba = {k: np.exp(v) / np.exp(v).sum(axis=1, keepdims=True) for k, v in proba.items()}
    (outcome,) = Gate(NonInferior("roc_auc", 0.4)).decide(y, proba).outcomes

    assert "inconclusive" == outcome.status
    assert "10 records of the rarer class" in outcome.reasons[0]
    assert math.isinf(outcome.records_needed) or outcome.records_needed >= 390


def test_two_records_are_no_plan():
    """Both favour the challenger: that does not say that three are enough."""
    predictions = {"old": [1, 0], "new": [0, 1]}
    (outcome,) = Gate(Superior("accuracy")).decide([0, 1], predictions).outcomes

    assert "inconclusive" == outcome.status
    assert outcome.records_needed is None
    assert "too few to say how many" in outcome.reasons[-1]


def test_rare_errors_are_planned_for():
    """Nearly equal AUCs: the records of the rarer class allow for what none shows."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [100, 900])
    first = y + rng.normal(size=1000)
    test = ready(
        "delong",
        PlacementValues.from_predictions(y, first, first + rng.normal(0, 1e-3, 1000)),
    )
    side = margin_result(test, -0.01, "greater", ALPHA)
    needed = records_needed(NonInferior("roc_auc", 0.01), test, [side], ALPHA)

    # 300 of the rarer class, which is a tenth.
    assert needed == pytest.approx(2990, rel=0.1)
    assert 0.05 < side.pvalue


def test_no_limit_is_said_in_text():
    """A limit that nothing is excluded by is not shown as a number."""
    rng = np.random.default_rng(5)
    y = (np.arange(60) % 2).astype(int)
    p = np.where(y == 1, 0.9, 0.1) + rng.normal(0, 0.01, 60)
    q = np.clip(p, 0.01, 0.99)
    q[0] = 0.9999
    proba = {"old": np.stack([1 - p, p], 1), "new": np.stack([1 - q, q], 1)}
    gate = Gate(NonInferior("neg_log_loss", margin=0.3))
    (outcome,) = gate.decide(y, proba).outcomes

    assert not outcome.passed
    assert "no limit below" in outcome.reasons[0]
    assert "inf" not in outcome.reasons[0]
