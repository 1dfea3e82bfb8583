"""The constants of the cautious test, each against a number that was worked out by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ClusterSums, ContingencyTable, JointCounts, PairedLosses
from skcompare.gate import Equivalent, Gate, Superior
from skcompare.stats import mcnemar
from skcompare.stats.margins._margin_test import (
    EVEN,
    FLOORS,
    OTHER,
    UNRELATED,
    InfluenceMoments,
    MarginResult,
    SkewnessAdjusted,
    _agreeing,
    influence_moments,
    moments_of_counts,
    skewness_adjusted_passes,
)

ERROR = 0.01


def cautious(skewness, units, name="records", estimate=0.02, observed=True):
    """A difference of some standard errors of 0.01."""
    return SkewnessAdjusted(
        estimate, InfluenceMoments(ERROR, skewness, units, name, observed), None
    )


def test_twice_the_observed_skewness_is_allowed_for():
    """Two standard errors, skewness -0.5: (1 - (1 - 2/3)³) / 1 - 1/6 = 0.7963."""
    pvalue = cautious(-0.5, 10_000).pvalue(0.0, "greater")

    assert stats.norm.sf(26 / 27 - 1 / 6) == pytest.approx(pvalue, rel=1e-12)
    assert stats.norm.sf(26 / 27 - 1 / 6) == pytest.approx(0.21292992, abs=1e-8)


def test_a_favourable_skewness_is_not_counted_on():
    """The least skewness of the units is allowed for instead: 2 over the root of 400."""
    lean = 2 / 20
    expected = stats.norm.sf((1 - (1 - lean * 2 / 3) ** 3) / lean - lean / 6)

    assert expected == pytest.approx(cautious(0.5, 400).pvalue(0.0, "greater"), rel=1e-12)
    both = cautious(0.5, 400, observed=False).pvalue(0.0, "greater")
    assert stats.norm.sf(26 / 27 - 1 / 6) == pytest.approx(both, rel=1e-12)


FLOORS_BY_HAND = {
    "records": (2.0, 30),
    "records with different predictions": (0.5, 15),
    UNRELATED: (2.0, 30),
    "groups": (2.0, 20),
    "groups that differ": (2.0, 20),
    EVEN: (2.0, 10),
    "records in bins": (4.0, 100),
    "groups in bins": (4.0, 20),
    "records of the rarer class": (2.0, 20),
}
"""What the page of error rates was measured with."""


def test_least_skewness_and_fewest_units():
    """Less concludes nothing, and no sample counts as less skewed."""
    for name in FLOORS_BY_HAND:
        skewness, units = FLOORS_BY_HAND[name]
        lean = skewness / np.sqrt(10_000)
        statistic = (1 - (1 - lean * 2 / 3) ** 3) / lean - lean / 6

        found = cautious(0.0, 10_000, name)
        assert stats.norm.sf(statistic) == pytest.approx(
            found.pvalue(0.0, "greater"), rel=1e-9
        )
        assert "" == cautious(0.0, units, name).too_few()
        assert f"needs {units}" in cautious(0.0, units - 1, name).too_few()


def test_all_floors_are_known_here():
    """A new kind of unit has a number here, too."""
    assert {*FLOORS_BY_HAND} == {*FLOORS, "records of the rarer class"}
    assert FLOORS_BY_HAND["records of the rarer class"] == tuple(OTHER)


def test_many_data_sets_are_decided_as_one():
    """The vectorised decision is that of the p-value."""
    rng = np.random.default_rng(0)
    skewness, units = rng.normal(0, 0.2, 500), rng.integers(5, 400, 500)
    distance = rng.uniform(-0.01, 0.05, 500)
    floor = FLOORS["records"]
    many = skewness_adjusted_passes(
        distance, np.full(500, ERROR), skewness, units, floor, stats.norm.isf(0.05)
    )
    alone = [
        not one.too_few() and one.pvalue(0.0, "greater") < 0.05
        for one in map(
            lambda d, s, u: cautious(s, int(u), estimate=d), distance, skewness, units
        )
    ]

    assert alone == many.tolist()
    assert 50 < sum(alone) < 450


def grouped(sizes):
    """Losses in groups of these sizes."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    champion, challenger = rng.random((2, len(groups)))
    return PairedLosses.from_losses(champion, challenger, groups=groups)


def test_groups_of_uneven_size_count_as_fewer():
    """As many as even ones that would tell as much, where they are less than half."""
    for sizes, units, name in [
        # 60² / (30 + 900) = 3.87 of 31 groups, by Kish's formula.
        ([1] * 30 + [30], 3, EVEN),
        # 50² / (39 + 121) = 15.6 of 40, less than a half.
        ([1] * 39 + [11], 15, EVEN),
        # 47² / (39 + 64) = 21.4 of 40, more than a half.
        ([1] * 39 + [8], 40, "groups"),
        ([3] * 25, 25, "groups"),
    ]:
        moments = influence_moments(grouped(sizes))

        assert (units, name) == (moments.units, moments.name)


def test_groups_of_one_record_are_records():
    """The score of counts by group has the moments of the same records without groups."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    predictions = [np.where(rng.random(400) < 0.8, y, 1 - y) for _ in range(2)]
    counts = JointCounts.from_predictions(y, *predictions)
    sums = ClusterSums.from_predictions(y, *predictions, groups=np.arange(400))
    for score in ("f1", "precision"):
        moments = influence_moments(counts, score=score, pos_label=1)
        by_group = influence_moments(sums, score=score, pos_label=1)

        assert moments.error > 0.01
        assert moments.error == pytest.approx(by_group.error, rel=2e-3)
        assert moments.skewness == pytest.approx(by_group.skewness, rel=2e-2)


def test_skewness_of_counts_has_its_sign():
    """A few records that one of the two alone gets right make a long tail on its side."""
    counts = JointCounts(np.zeros((2, 2, 2), dtype=int) + 1, classes=[0, 1])
    cells, n = counts.cells, 412
    # Truth, champion and challenger of the few records.
    for few, sign in (((0, 1, 0), 1), ((0, 0, 1), -1)):
        records = np.where((cells == few).all(axis=1), 12, 0)
        records = records + 200 * (cells == 0).all(axis=1) + 200 * (cells == 1).all(axis=1)
        difference, error, skewness, units = moments_of_counts(
            counts.classes, cells, records[None], {"score": "accuracy"}
        )

        each = np.repeat([sign, 0.0], [12, 400])
        spread = each.std() / np.sqrt(n) * np.sqrt(12 / 11)
        assert sign * 12 / n == pytest.approx(difference[0])
        assert 12 == units[0]
        assert stats.skew(each) / np.sqrt(n) == pytest.approx(skewness[0], rel=1e-9)
        assert spread == pytest.approx(error[0], rel=1e-9)


def test_a_rare_class_counts_where_classes_weigh_alike():
    """Fewer than 20 records of a class are its units, and conclude nothing."""
    for rare, too_few in ((19, True), (20, False)):
        y = np.repeat([0, 1], [200, rare])
        rng = np.random.default_rng(0)
        predictions = [np.where(rng.random(len(y)) < 0.8, y, 1 - y) for _ in range(2)]
        counts = JointCounts.from_predictions(y, *predictions)
        moments = influence_moments(counts, score="balanced_accuracy")

        assert too_few == (moments.name == "records of the rarest class")
        assert too_few == bool(SkewnessAdjusted(0.1, moments, None).too_few())
        assert too_few == (moments.units == rare)


def test_a_skewness_that_nobody_saw_is_supposed():
    """Of sums alone it is ten over the root of the records, on either side."""
    losses = np.random.default_rng(0).random((2, 400))
    sums = PairedLosses.from_losses(*losses)
    known, supposed = (influence_moments(one) for one in (sums, replace(sums, values=None)))

    assert known.error == pytest.approx(supposed.error, rel=0.01)
    assert 10 / 20 == pytest.approx(supposed.skewness)
    assert (True, False) == (known.observed, supposed.observed)


@pytest.mark.slow
def test_two_chances_to_fail_share_the_level():
    """An equivalence is refuted at half the level beyond either margin."""
    n = 600
    y, both_wrong = np.arange(n) % 2, np.arange(n) >= n - 15
    old = np.where(both_wrong, 1 - y, y)
    gate = Gate(Equivalent("accuracy", margin=0.03))
    for worse, status in ((26, "inconclusive"), (30, "failed")):
        new = np.where(both_wrong | (np.arange(n) < worse), 1 - y, y)
        (outcome,) = gate.decide(y, {"a": old, "b": new}).outcomes
        assert status == outcome.status
    table = ContingencyTable(n - 15 - 26, 26, 0, 15)
    for method in ("asymptotic", "exact-unconditional"):
        result = mcnemar(table, method=method, alternative="less", null_value=-0.03)
        assert 0.025 < result.pvalue < 0.05


def test_a_minimum_is_reached_or_not():
    """One less is less: 300 records, of which 40 tell the two apart."""
    for (lacking, blocked), what in itertools.product(
        [(0, False), (1, True)], ["min_records", "min_discordant"]
    ):
        y = np.arange(300) % 2
        old = np.where(np.random.default_rng(0).permutation(300) < 40, 1 - y, y)
        least = {"min_records": 300, "min_discordant": 40}[what] + lacking
        decision = Gate(Superior("accuracy", **{what: least})).decide(y, {"a": old, "b": y})

        assert blocked == decision.outcomes[0].blocked
        assert blocked != decision.passed


def test_rounding_is_no_pass():
    """Where p-value and limit disagree, neither is a pass."""
    below = MarginResult(0.0, "greater", 0.01, -0.1, None)
    above = MarginResult(0.0, "greater", 0.2, 0.1, None)

    assert 0.05 == _agreeing(below, 0.05).pvalue
    assert 0.0 == _agreeing(above, 0.05).limit
    assert -np.inf == _agreeing(above._replace(pvalue=np.nan, reason="few"), 0.05).limit
