"""The conservative Z test: its formula by loops, its design, edges, planning."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from skcompare._core.design import design_of
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.model_selection import HalvesShuffleSplit
from skcompare.stats import conservative_z, paired_tests

ALTERNATIVES = ("two-sided", "less", "greater")
SIZES = {"n_train": 90, "n_test": 10}


def differences(values, **words):
    """Evidence from differences, whose halves train on fewer records."""
    rows, n_splits = np.shape(values)
    n_train = [90] * n_splits + [40] * n_splits * (rows - 1)
    return ScoreDifferences(values, n_train, 10, design="holdout in halves", **words)


def random_values(seed, n_bisections=4, n_splits=3):
    """Differences in hundredths, so that fractions of them are exact."""
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 16, size=(1 + 2 * n_bisections, n_splits)) / 100


def test_formula_in_exact_fractions():
    """sigma² is the sum of the squared distances of halves over 2M."""
    for seed in range(10):
        values = random_values(seed, n_bisections=1 + seed)
        exact = [[Fraction(round(100 * v), 100) for v in row] for row in values.tolist()]
        means = [sum(row) / len(row) for row in exact]
        halves = list(zip(means[1::2], means[2::2], strict=True))
        square = sum((one - other) ** 2 for one, other in halves) / (2 * len(halves))

        result = conservative_z(differences(values))

        assert float(means[0]) == pytest.approx(result.estimate, rel=1e-12)
        assert float(means[0] ** 2 / square) == pytest.approx(
            result.statistic**2, rel=1e-10
        )
        assert math.sqrt(square) == pytest.approx(result.details["se"], rel=1e-10)
        assert 1 + seed == result.details["n_bisections"]
        z = float(means[0]) / math.sqrt(square)
        assert 2 * stats.norm.sf(abs(z)) == pytest.approx(result.pvalue, rel=1e-10)


def test_worked_by_hand():
    """Means .03; .01 and .05; .04 and .02: sigma² = (.0016 + .0004) / 4."""
    values = [[0.02, 0.04], [0.0, 0.02], [0.05, 0.05], [0.03, 0.05], [0.02, 0.02]]
    result = conservative_z(differences(values))

    assert 0.03 / math.sqrt(0.0005) == pytest.approx(result.statistic)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_interval(alternative):
    """The mean plus and minus normal quantiles; one-sided to infinity."""
    result = conservative_z(differences(random_values(1)), alternative=alternative)
    tail = 0.025 if alternative == "two-sided" else 0.05
    reach = stats.norm.isf(tail) * result.details["se"]
    low = -math.inf if alternative == "less" else result.estimate - reach
    high = math.inf if alternative == "greater" else result.estimate + reach

    assert (low, high) == pytest.approx(tuple(result.confidence_interval()))


def test_scores_of_both_roles():
    """They are those of the first row, whose difference is the estimate."""
    champion = np.array([[0.8, 0.7], [0.1, 0.2], [0.3, 0.2]])
    challenger = np.array([[0.9, 0.8], [0.4, 0.3], [0.2, 0.1]])
    scores = ScoreDifferences.from_scores(
        champion, challenger, [90, 90, 40, 40, 40, 40], 10, design="holdout in halves"
    )
    result = conservative_z(scores)

    assert (0.75, 0.85) == pytest.approx((result.champion, result.challenger))
    assert 0.1 == pytest.approx(result.estimate)


def test_from_splits_of_its_own_splitter():
    """Scores of scikit-learn, in the order of the splits, are the rows of the test."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.arange(80) % 2
    X[:, 0] += y
    cv = HalvesShuffleSplit(2, n_bisections=3, random_state=0)
    champion, challenger = (
        cross_val_score(model, X, y, cv=cv).reshape(7, 2)
        for model in (DummyClassifier(), GaussianNB())
    )
    n_train = [len(train) for train, _ in cv.split(X, y)]
    scores = ScoreDifferences.from_scores(
        champion, challenger, n_train, 8, design=design_of(cv, 14), score="accuracy"
    )
    rows = (challenger - champion).mean(axis=1)
    sigma = math.sqrt(((rows[1::2] - rows[2::2]) ** 2).sum() / 6)

    result = conservative_z(scores)

    assert rows[0] / sigma == pytest.approx(result.statistic)
    assert "invalid-design" not in result.flags
    assert 80 == result.n


def test_shapes():
    """All records once and both halves of every bisection make an odd number of rows."""
    for shape in [(9,), (1, 9), (2, 9), (4, 3)]:
        scores = ScoreDifferences(np.full(shape, 0.1), **SIZES)
        with pytest.raises(
            ValueError, match=r"shape \(1 \+ 2 \* n_bisections, n_splits\). Got"
        ):
            conservative_z(scores)


def test_rows_that_are_no_halves():
    """Replicates of all records have as many training records everywhere."""
    scores = ScoreDifferences(random_values(0), **SIZES)
    with pytest.raises(ValueError, match=r"Got 90 of them there and 90 in the first row"):
        conservative_z(scores)


def test_unknown_training_sizes():
    """Sizes that nobody told are not checked."""
    values = random_values(0)
    scores = ScoreDifferences(values, 0, 10, design="holdout in halves")

    assert tuple(conservative_z(differences(values))) == tuple(conservative_z(scores))


def test_no_difference():
    """All 0: statistic 0, p 1."""
    result = conservative_z(differences(np.zeros((5, 2))))

    assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
    assert result.degenerate
    assert (0, 0) == tuple(result.confidence_interval())


def test_equal_means_with_variation():
    """An estimate of 0 is no lack of variation; its rounding is none either."""
    values = random_values(3)
    values[0] = [0.1, 0.2, -0.3]
    result = conservative_z(differences(values))

    assert (0, 1) == tuple(result)
    assert not result.degenerate


@pytest.mark.parametrize("sign", [1, -1])
def test_halves_that_agree(sign):
    """No distance between halves, but a difference: p is undefined, not 0."""
    values = sign * np.array([[0.3, 0.3], [0.1 + 0.2, 0.3], [0.3, 0.3]])
    result = conservative_z(differences(values))

    assert sign * math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags


@pytest.mark.parametrize("row", [0, 1, 4])
def test_undefined_split(row):
    """NaN in any row: p is undefined, and the estimate is that of the first row."""
    values = random_values(2, n_bisections=2)
    values[row, 0] = math.nan
    result = conservative_z(differences(values))

    assert np.nanmean(values[0]) == pytest.approx(result.estimate)
    assert all(map(math.isnan, (result.statistic, result.pvalue, result.log_pvalue)))
    assert all(map(math.isnan, result.confidence_interval()))
    assert "undefined-in-split" in result.flags


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sample_size(alternative):
    """At that many records the standard error gives the wanted power."""
    scores = differences(random_values(1))
    result = conservative_z(scores)
    entry = paired_tests()["conservative_z"]
    options = {"alpha": 0.05, "power": 0.8, "alternative": alternative}
    needed = entry.sample_size(scores, **options)
    if alternative == "less":
        assert result.estimate > 0
        assert math.inf == needed
        return
    error = result.details["se"] * math.sqrt(scores.n_records / needed)
    critical = stats.norm.isf(0.025 if alternative == "two-sided" else 0.05)

    assert needed > scores.n_records
    assert stats.norm.sf(critical - result.estimate / error) == pytest.approx(0.8)


def test_default_of_its_design():
    """It is what hold-outs in halves are for, and of no other design."""
    design = HalvesShuffleSplit().skcompare_design

    assert "conservative_z" in [entry.name for entry in fitting_tests("roc_auc", design)]
    assert ("holdout in halves",) == paired_tests()["conservative_z"].designs
    assert "algorithms" == paired_tests()["conservative_z"].inference


def test_few_bisections():
    """Fewer bisections than the literature has are pointed out."""
    for n_bisections, flagged in [(1, True), (9, True), (10, False), (12, False)]:
        result = conservative_z(differences(random_values(3, n_bisections)))

        assert flagged == ("few-bisections" in result.flags)


def test_level_by_number_of_bisections():
    """Equal learners: one bisection makes the test reject far too often, ten do not."""
    rng = np.random.default_rng(7)
    n_draws, rejected = 250, {1: 0, 10: 0}
    for _ in range(n_draws):
        records = rng.standard_normal((1, 60))
        halves = rng.permuted(np.repeat(records, 10, axis=0), axis=1).reshape(20, 30)
        rows = np.concatenate([hold_outs(rng, records), hold_outs(rng, halves)])
        for m in rejected:
            rejected[m] += conservative_z(differences(rows[: 1 + 2 * m])).pvalue < 0.05

    assert rejected[1] > stats.binom.ppf(0.999, n_draws, 0.1)
    assert rejected[10] <= stats.binom.ppf(0.999, n_draws, 0.05)


def hold_outs(rng, records):
    """Means of 15 test sets of 6 records each, a row of them for each row of records."""
    n_rows, n = records.shape
    order = rng.random((n_rows, 15, n)).argsort(axis=2)[:, :, :6]
    return records[np.arange(n_rows)[:, np.newaxis, np.newaxis], order].mean(axis=2)
