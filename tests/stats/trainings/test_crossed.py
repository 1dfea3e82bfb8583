"""T tests over records and trainings."""

import math

import numpy as np
import pytest
from scipy.stats import t

from skcompare._registry.tests import get_test
from skcompare.evidence import CrossedDifferences, PairedLosses
from skcompare.stats import crossed_t, paired_t, records_t
from skcompare.stats.trainings import crossed_df
from tests.common.golden import golden

GOLDEN = golden("crossed")


def crossed(s=5, n=40, seed=0, *, other=None, of_trainings=0.1, **options):
    """Losses with an effect of each training."""
    rng = np.random.default_rng(seed)
    values = [
        rng.random((count, n)) + of_trainings * rng.normal(size=(count, 1))
        for count in (s, other or s)
    ]
    return CrossedDifferences.from_losses(*values, **options)


def brute_force(y):
    """Mean squares of y_is, term by term."""
    s, n = y.shape
    mean = sum(y[j, i] for j in range(s) for i in range(n)) / (n * s)
    rows = [sum(y[j, i] for j in range(s)) / s for i in range(n)]
    columns = [sum(y[j, i] for i in range(n)) / n for j in range(s)]
    records = s * sum((row - mean) ** 2 for row in rows) / (n - 1)
    trainings = n * sum((column - mean) ** 2 for column in columns) / (s - 1)
    left = sum(
        (y[j, i] - rows[i] - columns[j] + mean) ** 2 for j in range(s) for i in range(n)
    )
    return records, trainings, left / ((n - 1) * (s - 1))


@pytest.mark.parametrize("of_trainings", [0.0, 0.02, 1.0])
def test_paired_variance_by_brute_force(of_trainings):
    """Variance, components and degrees of freedom of pairs."""
    evidence = crossed(of_trainings=of_trainings)
    s, n = 5, 40
    of_records, of_seeds, left = brute_force(evidence.champion - evidence.challenger)
    variance = max(of_records, of_seeds, of_records + of_seeds - left) / (n * s)
    larger = max(of_records, of_seeds) / (n * s)
    whole = larger + (1 - 2 / 4) * (variance - larger)
    df = whole**2 / ((of_records / (n * s)) ** 2 / 39 + (of_seeds / (n * s)) ** 2 / 4)

    result = crossed_t(evidence)

    assert math.sqrt(variance) == pytest.approx(result.details["se"], rel=1e-10)
    assert df == pytest.approx(result.df, rel=1e-10)
    assert (of_records - left) / s == pytest.approx(
        result.details["sigma2_records"], rel=1e-9
    )
    assert (of_seeds - left) / n == pytest.approx(
        result.details["sigma2_trainings"], rel=1e-9
    )
    assert left == pytest.approx(result.details["sigma2_interaction"], rel=1e-10)


def test_separate_variance_by_brute_force():
    """Each role has its own part of the trainings; the interaction is taken off once."""
    evidence = crossed(3, other=6)
    n = 40
    parts = [brute_force(own) for own in (evidence.champion, evidence.challenger)]
    gains = evidence.champion.mean(axis=0) - evidence.challenger.mean(axis=0)
    of_records = gains.var(ddof=1) / n
    of_seeds = [part[1] / (n * s) for part, s in zip(parts, (3, 6))]
    left = sum(part[2] / (n * s) for part, s in zip(parts, (3, 6)))
    variance = max(of_records, sum(of_seeds), of_records + sum(of_seeds) - left)
    over = max(of_seeds) + (1 - 1.5 * (1 / 2 - 1 / 5)) * min(of_seeds)
    larger = max(of_records, over)
    of_parts = of_seeds[0] ** 2 / 2 + of_seeds[1] ** 2 / 5
    counted = max(0, 1 - 2 * of_parts / over**2)
    whole = larger + counted * max(0, variance - sum(of_seeds) + over - larger)
    df = whole**2 / (of_records**2 / 39 + of_parts)

    result = crossed_t(evidence)

    assert math.sqrt(variance) == pytest.approx(result.details["se"], rel=1e-10)
    assert df == pytest.approx(result.df, rel=1e-10)


@pytest.mark.parametrize("counts", [(3, 5), (3, 30), (30, 3), (5, 20)])
def test_unequal_numbers_hold_their_level(counts):
    """Welch's degrees of freedom reject equal recipes of few and many trainings too often.

    Of 3 and 30, where nine tenths of the variance are of the 3, it is in 7.5 %.
    """
    rng = np.random.default_rng(0)
    draws, df = 40_000, [count - 1 for count in counts]
    shares = (0.9, 0.1) if counts[0] < counts[1] else (0.1, 0.9)
    parts = [
        share * rng.chisquare(k, draws) / k for share, k in zip(shares, df, strict=True)
    ]
    over = sum(parts)
    own = crossed_df(np.full(draws, 1e-9), parts, over, 1e6, df)

    rejected = np.abs(rng.normal(size=draws)) > t.isf(0.025, own) * np.sqrt(over)

    assert (own <= over**2 / sum(x**2 / k for x, k in zip(parts, df)) + 1e-6).all()
    assert rejected.mean() < 0.056


def test_golden_components():
    """Variances of crossed random effects by statsmodels."""
    for case in GOLDEN["cases"]:
        y = np.array(case["y"])
        evidence = CrossedDifferences.from_losses(np.zeros_like(y), -y)

        details = crossed_t(evidence).details

        for name in ("records", "trainings", "interaction"):
            expected = case["anova"][name]
            assert expected == pytest.approx(details[f"sigma2_{name}"], rel=1e-10), name
            if "reml" in case:
                # An optimiser stops near the optimum.
                assert case["reml"][name] == pytest.approx(expected, rel=case["rtol"])


def test_never_below_a_test_of_one_way():
    """The standard error is at least that over records, and that over trainings."""
    for seed in range(30):
        for evidence in (crossed(3, 8, seed), crossed(2, 8, seed, other=4)):
            details = crossed_t(evidence).details
            assert details["se"] >= details["se_records"]
            assert details["se"] >= details["se_trainings"]


def test_records_alone_are_the_paired_t_test_of_means():
    """Of the means over trainings, whatever the design."""
    evidence = crossed()
    means = PairedLosses.from_losses(
        evidence.champion.mean(axis=0), evidence.challenger.mean(axis=0)
    )

    assert paired_t(means).pvalue == pytest.approx(records_t(evidence).pvalue, rel=1e-9)


def test_order_of_trainings_does_not_matter():
    """Pairs are reordered together; separate trainings each by themselves."""
    evidence = crossed()
    order = np.random.default_rng(0).permutation(5)
    champion, challenger = evidence.champion, evidence.challenger
    mixed = CrossedDifferences.from_losses(champion[order], challenger[order])
    apart, turned = (
        CrossedDifferences.from_losses(champion[own], challenger, paired=False)
        for own in (np.arange(5), order)
    )

    assert crossed_t(evidence).pvalue == pytest.approx(crossed_t(mixed).pvalue, rel=1e-12)
    assert crossed_t(apart).pvalue == pytest.approx(crossed_t(turned).pvalue, rel=1e-12)


def test_trainings_that_are_all_the_same():
    """Without chance in training it is the test over records, and flagged."""
    rng = np.random.default_rng(0)
    champion, challenger = (np.tile(rng.random(50), (4, 1)) for _ in range(2))
    evidence = CrossedDifferences.from_losses(champion, challenger)
    result, records = crossed_t(evidence), records_t(evidence)

    assert records.pvalue == pytest.approx(result.pvalue, rel=1e-9)
    assert 0 == result.details["se_trainings"]
    assert "deterministic-training" in result.flags
    assert "unstable-training" not in result.flags


def test_constant_gains():
    """A difference without any variation has no p-value; of equal models p is 1."""
    values = np.tile(np.linspace(0, 1, 30), (3, 1))
    constant = crossed_t(CrossedDifferences.from_losses(values + 0.1, values))
    equal = crossed_t(CrossedDifferences.from_losses(values, values))

    assert math.isnan(constant.pvalue)
    assert "zero-variance" in constant.flags
    assert (0.0, 1.0, 0.0) == (*equal, equal.estimate)
    assert "degenerate" in equal.flags


def test_only_the_trainings_vary():
    """It is the t test over trainings."""
    rng = np.random.default_rng(0)
    values = np.tile(rng.random(60), (6, 1))
    effects = rng.normal(size=6)
    evidence = CrossedDifferences.from_losses(values + effects[:, None], values)
    result = crossed_t(evidence)

    statistic = effects.mean() / (effects.std(ddof=1) / math.sqrt(6))
    assert statistic == pytest.approx(result.statistic, rel=1e-9)
    assert 5 == pytest.approx(result.df, rel=1e-9)
    assert "unstable-training" in result.flags


def test_two_trainings_and_one():
    """Two are flagged; one of a role is that model; one of both is an error."""
    assert "few-trainings" in crossed_t(crossed(2)).flags
    assert "few-trainings" not in crossed_t(crossed(3)).flags
    one = crossed_t(crossed(1, other=4))
    assert "one-training" in one.flags
    assert "sigma2_trainings_challenger" in one.details
    with pytest.raises(ValueError, match=r"2 trainings of one model\. Got 1 and 1"):
        crossed_t(crossed(1))
    with pytest.raises(ValueError, match=r"at least 2 records\. Got 1"):
        crossed_t(crossed(3, 1))


def test_unit_of_the_losses():
    """P-value and degrees of freedom are the same in any unit."""
    evidence = crossed()
    expected = crossed_t(evidence)
    for unit in (1e-130, 1e-9, 1e9, 1e130):
        result = crossed_t(
            CrossedDifferences.from_losses(
                unit * evidence.champion, unit * evidence.challenger
            )
        )
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-9)
        assert expected.df == pytest.approx(result.df, rel=1e-9)


def test_records_needed():
    """More records help as far as the trainings allow."""
    plan = get_test("crossed_t").sample_size
    options = {"alpha": 0.05, "power": 0.8, "alternative": "two-sided"}
    stable = crossed(n=200, of_trainings=0.0)
    unstable = crossed(n=200, of_trainings=3.0)
    assert math.isfinite(plan(stable, **options))
    assert math.isinf(plan(unstable, **options))
