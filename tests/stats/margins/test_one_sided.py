"""One-sided tests of a boundary: p-value and limit say the same, and nothing is free."""

import math

import numpy as np
import pytest

from skcompare._registry.tests import get_test
from skcompare.evidence import (
    ClusterSums,
    ContingencyTable,
    JointCounts,
    PairedLosses,
    PlacementValues,
    ScoredPair,
)
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.stats.margins._margin_test import (
    ConstantDifferences,
    InfluenceMoments,
    MarginTest,
    SkewnessAdjusted,
    influence_moments,
    margin_result,
)

MIRROR = {"greater": "less", "less": "greater"}


def ready(name, evidence, **options):
    """A test with its evidence, as a gate runs it once."""
    return MarginTest(evidence, get_test(name), options)


def some_losses(rng, groups=None):
    n = 60 if groups is None else len(groups)
    return PairedLosses.from_losses(*rng.exponential(size=(2, n)), groups=groups)


def some_labels(rng, n=150):
    y = rng.integers(2, size=n)
    right = rng.random((2, n)) < 0.8
    return y, *(np.where(one, y, 1 - y) for one in right)


def some_scores(rng, n=90):
    y = np.arange(n) % 3 == 0
    return y.astype(int), *(y + rng.normal(0, 1, size=(2, n)))


def cases(rng):
    """A test with evidence, its options, and whether roles can be exchanged exactly."""
    counts = rng.multinomial(rng.integers(5, 200), (0.7, 0.1, 0.1, 0.1))
    table = ContingencyTable(*counts.tolist())
    groups = rng.integers(25, size=150)
    yield "mcnemar", table, {"method": "exact-unconditional"}
    yield "mcnemar", table, {"method": "asymptotic"}
    yield "mcnemar", table, {"method": "exact"}
    yield "delong", PlacementValues.from_predictions(*some_scores(rng)), {}
    yield "paired_t", some_losses(rng), {}
    yield "clustered_t", some_losses(rng, groups), {"method": "t"}
    labels = JointCounts.from_predictions(*some_labels(rng))
    yield "precision_difference", labels, {"label": 1}
    yield "score_difference", labels, {"score": "f1_macro", "method": "delta"}
    sums = ClusterSums.from_predictions(*some_labels(rng), groups=groups)
    yield "clustered_mcnemar", sums, {}
    yield "clustered_precision", sums, {"label": 1}


@pytest.mark.slow
def test_pvalue_and_limit_agree():
    """The limit is beyond the boundary exactly when p is below the level."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        for name, evidence, options in cases(rng):
            test = ready(name, evidence, **options)
            for direction in MIRROR:
                for boundary in rng.uniform(-0.2, 0.2, size=2):
                    alpha = rng.choice([0.01, 0.05, 0.2])
                    side = margin_result(test, boundary, direction, alpha)
                    greater = direction == "greater"
                    beyond = side.limit > boundary if greater else side.limit < boundary
                    assert 0 < side.pvalue <= 1 or math.isnan(side.pvalue)
                    assert beyond == (side.pvalue < alpha), (name, direction, boundary)


def test_swapped_roles_mirror():
    """A boundary from above is that of the exchanged roles from below."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        for name, evidence, options in cases(rng):
            boundary = rng.uniform(-0.1, 0.1)
            swapped = ready(name, evidence.swap(), **options)
            one = margin_result(ready(name, evidence, **options), boundary, "greater", 0.05)
            other = margin_result(swapped, -boundary, "less", 0.05)

            assert one.pvalue == pytest.approx(other.pvalue, rel=1e-6, nan_ok=True), name
            assert one.limit == pytest.approx(-other.limit, rel=1e-6, abs=1e-9), name


def test_caution_only_adds_to_a_pvalue():
    """The p-value is never below that of the test alone."""
    rng = np.random.default_rng(0)
    losses = some_losses(rng)
    test = ready("paired_t", losses)
    alone = test.run(alternative="greater")
    side = margin_result(test, 0.0, "greater", 0.05)

    assert alone.pvalue <= side.pvalue
    assert isinstance(side.basis, SkewnessAdjusted)


def test_skewness_counts_against_what_is_to_be_shown():
    """A long tail on the side of the null hypothesis makes p larger than on the other."""
    longer = SkewnessAdjusted(1.0, InfluenceMoments(0.4, -0.3, 100, "records"), None)
    shorter = SkewnessAdjusted(1.0, InfluenceMoments(0.4, 0.3, 100, "records"), None)

    assert longer.pvalue(0.0, "greater") > shorter.pvalue(0.0, "greater")
    assert longer.pvalue(0.0, "greater") == SkewnessAdjusted(
        -1.0, InfluenceMoments(0.4, 0.3, 100, "records"), None
    ).pvalue(0.0, "less")


def test_limit_of_caution_is_where_its_pvalue_is_the_level():
    """Limit and p-value are inverses of each other."""
    for skewness in (-0.2, 0.0, 0.2):
        for df in (None, 40):
            cautious = SkewnessAdjusted(
                0.3, InfluenceMoments(0.1, skewness, 50, "records"), df
            )
            for direction in MIRROR:
                limit = cautious.limit(0.05, direction)
                found = cautious.pvalue(limit, direction)
                assert 0.05 == pytest.approx(found, rel=1e-6)


def test_strong_skewness_excludes_nothing():
    """Where a few records decide, no boundary however far is excluded."""
    cautious = SkewnessAdjusted(0.3, InfluenceMoments(0.1, -0.9, 50, "records"), None)

    assert -math.inf == cautious.limit(0.05, "greater")
    assert cautious.pvalue(-1e9, "greater") > 0.05


def test_moves_have_the_standard_error_of_the_test():
    """The spread of the moments is that of DeLong's test and of the t test."""
    rng = np.random.default_rng(1)
    placements = PlacementValues.from_predictions(*some_scores(rng))
    losses = some_losses(rng)
    auc = ready("delong", placements).run(alternative="greater")
    mean = ready("paired_t", losses).run(alternative="greater")

    assert auc.details["standard_error"] == pytest.approx(
        influence_moments(placements).error
    )
    assert mean.details["se"] == pytest.approx(influence_moments(losses).error)


def test_moves_of_any_score_are_those_of_its_own_evidence():
    """The area under the curve has one spread, by placements and by weights."""
    rng = np.random.default_rng(2)
    scores = some_scores(rng)
    one = influence_moments(PlacementValues.from_predictions(*scores))
    other = influence_moments(ScoredPair.from_predictions(*scores, score="roc_auc"))

    assert one.units == other.units
    assert one.error == pytest.approx(other.error, rel=0.05)
    assert one.skewness == pytest.approx(other.skewness, rel=0.1, abs=0.01)


def test_few_units_conclude_nothing():
    """19 records of a class, or 29 records, have no p-value, with the reason."""
    rng = np.random.default_rng(3)
    few = PlacementValues.from_predictions(*some_scores(rng, 57))
    side = margin_result(ready("delong", few), -0.9, "greater", 0.05)

    assert math.isnan(side.pvalue)
    assert "19 records of the rarer class" in side.reason
    losses = PairedLosses.from_losses(*rng.random((2, 29)))
    assert math.isnan(
        margin_result(ready("paired_t", losses), -9.0, "greater", 0.05).pvalue
    )


def test_same_order_has_an_exact_bound():
    """Scores in one order: the probability that no disjoint pair is ordered otherwise."""
    y = np.repeat([0, 1], [70, 30])
    score = np.random.default_rng(4).normal(size=100) + y
    placements = PlacementValues.from_predictions(y, score, 2 * score + 1)
    side = margin_result(ready("delong", placements), -0.05, "greater", 0.05)

    assert ConstantDifferences(30, 0.0, 1.0) == side.basis
    assert 0.95**30 == pytest.approx(side.pvalue)
    assert -(1 - 0.05 ** (1 / 30)) == pytest.approx(side.limit)


def test_equal_placements_in_another_order_have_no_pvalue():
    """Rankings that differ without a difference of any record say nothing exact."""
    y = np.tile([0, 0, 1, 1], 10)
    champion = np.tile([1.0, 3.0, 2.0, 4.0], 10)
    challenger = np.tile([1.0, 3.0, 2.0, 4.0], 10)
    challenger[y == 0] = champion[y == 0][::-1]
    placements = PlacementValues.from_predictions(y, champion, challenger)
    side = margin_result(ready("delong", placements), -0.05, "greater", 0.05)

    assert math.isnan(side.pvalue) or side.pvalue > 0.05
    assert not side.limit > -0.05


def test_equal_losses_have_an_exact_bound():
    """Brier losses that never differ: (1 - margin / bound) to the number of records."""
    rng = np.random.default_rng(5)
    y, proba = rng.integers(2, size=40), rng.random(40)
    losses = PairedLosses.from_predictions(y, proba, proba)
    for boundary, expected in ((-0.1, 0.9**40), (0.0, 1.0)):
        side = margin_result(ready("paired_t", losses), boundary, "greater", 0.05)

        assert expected == pytest.approx(side.pvalue)


def test_equal_losses_without_bound_are_undefined():
    """Log losses may be of any size, so that equal ones say nothing of others."""
    rng = np.random.default_rng(6)
    y, proba = rng.integers(2, size=40), rng.uniform(0.1, 0.9, size=40)
    losses = PairedLosses.from_predictions(y, proba, proba, loss="log_loss")
    side = margin_result(ready("paired_t", losses), -0.1, "greater", 0.05)

    assert math.isnan(side.pvalue)
    assert "nothing varies" in side.reason
    assert -math.inf == side.limit


def test_bound_of_equal_differences_is_valid():
    """Of the worst distribution at the boundary, no more than the p-value is all alike."""
    still = ConstantDifferences(12, 0.25, 1.0)
    boundary = 0.1
    # All mass at the least and at the observed difference, with the mean at the boundary.
    share = (boundary + 1) / (0.25 + 1)

    assert share**12 == pytest.approx(still.pvalue(boundary, "greater"))
    assert 1.0 == still.pvalue(0.25, "greater")


def test_labels_that_never_differ_pass_no_margin():
    """The same labels with other probabilities: F1 has no variance, and no pass."""
    rng = np.random.default_rng(7)
    y = rng.integers(2, size=200)
    proba = np.clip(0.5 + 0.3 * (2 * y - 1) * rng.choice([1, 1, -0.5], 200), 0, 1)
    predictions = {
        name: np.stack([1 - one, one], axis=1)
        for name, one in (("old", proba), ("new", 0.5 + 0.9 * (proba - 0.5)))
    }
    decision = Gate(NonInferior("f1_macro", margin=0.05)).decide(y, predictions)
    accuracy = Gate(NonInferior("accuracy", margin=0.05)).decide(y, predictions)

    assert "inconclusive" == decision.status
    assert "nothing varies" in decision.outcomes[0].reasons[0]
    # Accuracies that never differ in 200 records are exact evidence.
    assert "passed" == accuracy.status


def test_superiority_by_nothing_is_not_shown():
    """Without any difference the p-value of superiority is 1."""
    y = np.tile([0, 1], 50)
    same = np.where(np.arange(100) % 7 == 0, 1 - y, y)
    losses = ContingencyTable.from_predictions(y, same, same)
    side = margin_result(ready("mcnemar", losses), 0.0, "greater", 0.05)

    assert 1.0 == side.pvalue
    assert Superior("accuracy").boundaries == ((0.0, "greater"),)


def test_bounded_losses_that_are_nearly_alike_need_as_many_as_alike_ones():
    """A little noise is no evidence that no record has a large loss."""
    rng = np.random.default_rng(8)
    champion = np.full(200, 0.01)
    noise = rng.normal(0, 1e-6, size=200)
    sides = [
        margin_result(
            ready(
                "paired_t",
                PairedLosses.from_losses(champion, one, loss="binary_brier_loss"),
            ),
            -0.002,
            "greater",
            0.05,
        )
        for one in (champion, champion + noise)
    ]

    assert sides[0].pvalue == pytest.approx(0.998**200)
    assert sides[0].pvalue == pytest.approx(sides[1].pvalue, rel=1e-3)
    assert sides[0].limit == pytest.approx(sides[1].limit, abs=1e-5)


def test_bounded_losses_without_their_rare_errors_do_not_pass():
    """A large error is due once in the records: most samples without it pass nothing."""
    rng = np.random.default_rng(9)
    n, passed = 300, 0
    for _ in range(100):
        y = rng.random(n) < 1 / n
        p = rng.uniform(0.8, 1.2, size=n) * 2 / n
        losses = PairedLosses.from_losses(
            (y - p) ** 2, (y - p / 10) ** 2, loss="binary_brier_loss"
        )
        side = margin_result(ready("paired_t", losses), 0.0, "greater", 0.05)
        passed += side.pvalue < 0.05

    assert passed <= 10


def test_nearly_equal_rankings_need_as_many_as_equal_ones():
    """A single pair that is ordered otherwise does not make 20 positives enough."""
    y = np.repeat([1, 0], [20, 200])
    first = np.concatenate([np.linspace(1, 3, 20), np.linspace(0, 2, 200)])
    second = first.copy()
    second[5] += 0.02
    for other in (first, second):
        side = margin_result(
            ready("delong", PlacementValues.from_predictions(y, first, other)),
            -0.05,
            "greater",
            0.05,
        )
        assert 0.3 < side.pvalue


def test_few_large_groups_count_as_few():
    """Thirty groups of which one has most records tell as little as one."""
    rng = np.random.default_rng(10)
    sizes = np.concatenate([[600], np.full(29, 2)])
    groups = np.repeat(np.arange(30), sizes)
    y = rng.integers(2, size=len(groups))
    wrong = rng.random(len(y)) < 0.1
    sums = ClusterSums.from_predictions(y, np.where(wrong, 1 - y, y), y, groups=groups)
    side = margin_result(ready("clustered_mcnemar", sums), -0.1, "greater", 0.05)

    assert math.isnan(side.pvalue)
    assert "groups of equal size" in side.reason


def test_macro_scores_need_records_of_each_class():
    """A class of seven records makes a third of a macro average."""
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1, 2], [7, 246, 247])
    predictions = [np.where(rng.random(500) < 0.9, y, (y + 1) % 3) for _ in range(2)]
    counts = JointCounts.from_predictions(y, *predictions)
    for score, few in (("f1_macro", True), ("f1_weighted", False)):
        test = ready("score_difference", counts, score=score, method="delta")
        side = margin_result(test, -0.5, "greater", 0.05)
        assert few == math.isnan(side.pvalue), score
        assert few == ("7 records of the rarest class" in side.reason)


def test_average_precision_allows_for_positives_that_are_ranked_last():
    """Nearly equal scores of 30 positives do not exclude that one in 30 is lost."""
    rng = np.random.default_rng(12)
    y = np.repeat([1, 0], [30, 60])
    first = 2 * y + rng.normal(size=90)
    pair = ScoredPair.from_predictions(
        y, first, first + rng.normal(0, 0.01, size=90), score="average_precision"
    )
    side = margin_result(
        ready("bootstrap_difference", pair, n_resamples=199), -0.03, "greater", 0.05
    )

    assert 0.3 < side.pvalue
    assert side.limit < -0.03
