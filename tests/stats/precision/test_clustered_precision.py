"""The difference of precisions by groups: figures of others, identities and edges."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

from skcompare._registry.tests import paired_tests
from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import clustered_precision, precision_score
from tests.stats.precision.test_gee import figures, sums_of_case


def grouped(seed=0, n=120, n_groups=15, accuracies=(0.65, 0.75)):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    groups = rng.permutation(np.arange(n) % n_groups)
    predictions = [np.where(rng.random(n) < accuracy, y, 1 - y) for accuracy in accuracies]
    return y, predictions, groups


def sums_of(*args, **options):
    y, predictions, groups = grouped(*args, **options)
    return ClusterSums.from_predictions(y, *predictions, groups=groups)


def influence(y, predictions, groups, shares):
    """Residuals of each group over all predictions of the classifier, one row at a time."""
    found = np.zeros((2, groups.max() + 1))
    for k, prediction in enumerate(predictions):
        total = (prediction == 1).sum()
        for truth, given, group in zip(y, prediction, groups, strict=True):
            if given == 1:
                found[k, group] += ((truth == 1) - shares[k]) / total
    return found


def two_of(group):
    for case, figure in figures(group):
        if len(figure["coef"]) == 2:
            yield sums_of_case(case), figure


@pytest.mark.parametrize("correction", ["none", "mancl-derouen"])
def test_wald_by_statsmodels(correction):
    """GEE with identity link: difference, standard error and p-value."""
    n = 0
    for sums, figure in two_of("converged"):
        if figure["link"] != "identity":
            continue
        n += 1
        key = "cov_robust" if correction == "none" else "cov_mancl_derouen"
        z = figure["coef"][1] / math.sqrt(figure[key][3])

        result = clustered_precision(
            sums,
            label=figure["label"],
            score=figure["score"],
            method="wald",
            correction=correction,
            distribution="normal",
        )

        assert figure["coef"][1] == pytest.approx(result.estimate, rel=1e-9, abs=1e-12)
        assert z == pytest.approx(result.statistic, rel=1e-9, abs=1e-10)
        assert 2 * norm.sf(abs(z)) == pytest.approx(result.pvalue, rel=1e-8)
    assert n > 10


def test_score_by_statsmodels():
    """The score test of GEE with identity link, repeated predictions and groups
    included.
    """
    n = 0
    for sums, figure in two_of("converged"):
        if figure["link"] != "identity":
            continue
        n += 1

        result = clustered_precision(
            sums, label=figure["label"], score=figure["score"], distribution="normal"
        )

        assert figure["score_df"] == 1
        assert figure["score_statistic"] == pytest.approx(
            result.statistic**2, rel=1e-9, abs=1e-11
        )
        assert figure["score_p"] == pytest.approx(result.pvalue, rel=1e-8)
    assert n > 10


def test_prediction_by_prediction():
    """Sums of the residuals of single predictions give the statistic."""
    for method, correction in itertools.product(
        ["score", "wald"], ["none", "small-sample", "mancl-derouen"]
    ):
        y, predictions, groups = grouped(4)
        shares = [(y[prediction == 1] == 1).mean() for prediction in predictions]
        pooled = np.concatenate([y[prediction == 1] for prediction in predictions]).mean()
        at = [pooled, pooled] if method == "score" else shares
        found = influence(y, predictions, groups, at)
        if correction == "mancl-derouen":
            for k, prediction in enumerate(predictions):
                named = np.bincount(groups[prediction == 1], minlength=groups.max() + 1)
                found[k] /= 1 - named / named.sum()
        variance = ((found[1] - found[0]) ** 2).sum()
        if correction == "small-sample":
            variance *= 15 / 14
        expected = (shares[1] - shares[0]) / math.sqrt(variance)

        sums = ClusterSums.from_predictions(y, *predictions, groups=groups)
        result = clustered_precision(
            sums, method=method, correction=correction, distribution="normal"
        )

        assert expected == pytest.approx(result.statistic, rel=1e-12)
        assert 15 == result.details["n_clusters"]


def test_students_t_of_the_groups():
    """With t the score test is the one-sample t test of the groups' residuals."""
    y, predictions, groups = grouped(7)
    pooled = np.concatenate([y[prediction == 1] for prediction in predictions]).mean()
    found = influence(y, predictions, groups, [pooled, pooled])
    expected = ttest_1samp(found[1] - found[0], 0)

    result = clustered_precision(
        ClusterSums.from_predictions(y, *predictions, groups=groups)
    )

    assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-10)
    assert 14 == result.df


def test_unrelated_records():
    """Records of their own have the generalized score, and another default test."""
    y, predictions, _ = grouped(8)
    sums = ClusterSums.from_predictions(y, *predictions)
    result = clustered_precision(sums, distribution="normal")

    expected = precision_score(JointCounts.from_predictions(y, *predictions))
    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-10)
    assert "holdout" == sums.design.name
    assert "invalid-design" in result.flags
    assert ("grouped holdout",) == paired_tests()["clustered_precision"].designs


def test_groups_twice():
    """Each group twice, as groups of their own, leaves half the variance."""
    y, predictions, groups = grouped(5)
    once = ClusterSums.from_predictions(y, *predictions, groups=groups)
    twice = ClusterSums.from_predictions(
        np.tile(y, 2),
        *(np.tile(prediction, 2) for prediction in predictions),
        groups=np.concatenate([groups, groups + 15]),
    )
    for method in ("score", "wald"):
        one, two = (
            clustered_precision(sums, method=method, distribution="normal")
            for sums in (once, twice)
        )
        assert math.sqrt(2) * one.statistic == pytest.approx(two.statistic, rel=1e-12)


def test_interval_inverts_the_test():
    """The limits are differences whose score has the critical value."""
    sums = sums_of(3)
    for distribution in ("t", "normal"):
        result = clustered_precision(sums, distribution=distribution)
        for level in (0.5, 0.9, 0.99):
            low, high = result.confidence_interval(level)

            assert low < result.estimate < high
        at_p = result.confidence_interval(1 - result.pvalue)
        assert 0 == pytest.approx(min(at_p, key=abs), abs=1e-12)


def test_never_given():
    """A class that a classifier never gives leaves everything open, and is flagged."""
    sums = ClusterSums.from_predictions(
        [0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 1, 1], groups=[1, 1, 2, 2]
    )
    for options in ({}, {"method": "wald"}, {"correction": "mancl-derouen"}):
        result = clustered_precision(sums, **options)

        assert math.isnan(result.pvalue)
        assert math.isnan(result.estimate)
        assert (-1, 1) == tuple(result.confidence_interval())
        assert "no-predictions" in result.flags


@pytest.mark.parametrize("truth", [0, 1])
def test_all_right_or_all_wrong(truth):
    """No difference and no variance: p is 1; how little is known, the interval says."""
    y = np.full(12, truth)
    y[:2] = 1 - truth
    first, second = np.full((2, 12), 0)
    first[2:9], second[4:] = 1, 1
    sums = ClusterSums.from_predictions(y, first, second, groups=np.arange(12) // 2)
    result = clustered_precision(sums, label=1)
    low, high = result.confidence_interval()

    assert (0, 1, 0) == (result.statistic, result.pvalue, result.estimate)
    assert result.degenerate
    assert -1 < low < 0 < high < 1


def test_difference_without_variance():
    """One always right and one always wrong: only the score test has a variance."""
    y = np.array([1] * 6 + [0] * 9)
    first, second = y.copy(), 1 - y
    sums = ClusterSums.from_predictions(y, first, second)
    wald = clustered_precision(sums, method="wald")
    score = clustered_precision(sums)

    assert -math.inf == wald.statistic
    assert math.isnan(wald.pvalue)
    assert "zero-variance" in wald.flags
    assert (-1, 1) == tuple(wald.confidence_interval())
    assert score.pvalue < 0.01
    assert -1 == score.estimate


def test_all_predictions_in_one_group():
    """A correction or a t distribution without degrees of freedom is undefined."""
    y = [1, 0, 1, 0, 1, 1]
    sums = ClusterSums.from_predictions(
        y, [1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0], groups=[0, 0, 0, 1, 1, 1]
    )
    for options in ({}, {"method": "wald", "correction": "mancl-derouen"}):
        result = clustered_precision(sums, **options)

        assert "one-cluster" in result.flags
        assert math.isnan(result.pvalue)
        assert (-1, 1) == tuple(result.confidence_interval())


def test_few_groups_are_flagged():
    """Below 40 informative clusters, and not from there on."""
    assert "few-informative-clusters" in clustered_precision(sums_of()).flags
    many = sums_of(n=600, n_groups=60)
    assert () == clustered_precision(many).flags


def test_wrong_input():
    """Tables without classes, three classifiers and unknown classes are refused."""
    y, predictions, groups = grouped()
    tables = ClusterSums([[4, 0, 3, 1], [5, 1, 2, 0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"do not say which class"):
        clustered_precision(tables)
    three = ClusterSums.from_predictions(
        y, *predictions, y, groups=groups, names=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match=r"compares two classifiers\. Got 3: a, b, c"):
        clustered_precision(three)
    with pytest.raises(ValueError, match=r"`label` must be one of the classes"):
        clustered_precision(sums_of(), label=7)
