"""Marginal models in closed form, against iterative fits."""

import itertools
from functools import cache

import numpy as np
import pytest

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats.core._target_class import FEW_CLUSTERS
from skcompare.stats.precision._precision_statistics import (
    class_fit,
    corrected_moments,
    difference_score_limits,
    link_values,
    ratio_score_limits,
    score_of_ratio,
    shares_at_ratio,
)
from tests.common.golden import golden

GOLDEN = golden("gee")
CASES = [*GOLDEN["cases"], *GOLDEN["repeats"]]
LINKS = ("logit", "identity", "log")


def joint_covariance(moments, link):
    """U'U, where U has the residuals of a cluster, times the slope over their number."""
    slopes = link_values(moments, link)[1]
    return np.outer(slopes, slopes) * moments.covariance()


def sums_of_case(case):
    """The predictions of a golden case."""
    return sums_at(CASES.index(case))


@cache
def sums_at(position):
    """The predictions of a golden case by its position."""
    case = CASES[position]
    if "repeats" in case:
        k = len(case["repeats"][0])
        return ClusterSums.from_repeats(case["y"], case["repeats"], names=names(k))
    k = len(case["answers"])
    return ClusterSums.from_predictions(
        case["y"], *case["answers"], groups=case["groups"], names=names(k)
    )


def names(k):
    return [f"m{i}" for i in range(k)]


def against_the_first(values, covariance):
    """Intercept and differences from the first classifier, with their covariance."""
    k = len(values)
    change = np.eye(k)
    change[1:, 0] = -1
    return change @ values, change @ covariance @ change.T


def figures(group):
    for case in CASES:
        for figure in case.get(group, ()):
            yield case, figure


@cache
def fit_at(position, *options):
    """The marginal model of a golden case, which all links share."""
    return class_fit(sums_at(position), *options)


def fitted(case, figure, correction="none"):
    fit = fit_at(CASES.index(case), figure["label"], figure["score"], correction)
    values, _ = link_values(fit.raw, figure["link"])
    return against_the_first(values, joint_covariance(fit.moments, figure["link"]))


def test_statsmodels_at_convergence():
    """Coefficients and robust covariances of GEE, also with several predictions a
    record.
    """
    seen = set()
    for case, figure in figures("converged"):
        coef, covariance = fitted(case, figure)
        seen.add((figure["link"], len(coef), "repeats" in case))

        assert figure["coef"] == pytest.approx(coef, rel=1e-9, abs=1e-11)
        assert figure["cov_robust"] == pytest.approx(
            covariance.ravel(), rel=1e-9, abs=1e-14
        )
    assert set(itertools.product(LINKS, (2, 4), (False, True))) <= seen


def test_mancl_and_derouen_by_statsmodels():
    """The bias-reduced covariance; a cluster's leverage is its part of the predictions."""
    for case, figure in figures("converged"):
        _, covariance = fitted(case, figure, "mancl-derouen")

        assert figure["cov_mancl_derouen"] == pytest.approx(
            covariance.ravel(), rel=1e-9, abs=1e-14
        )


def test_statsmodels_and_geepack():
    """Figures that both packages give, to their common digits."""
    n = 0
    for case, figure in figures("shared"):
        coef, covariance = fitted(case, figure)
        n += 1

        assert figure["coef"] == pytest.approx(coef, rel=1e-6, abs=1e-9)
        assert figure["cov_robust"] == pytest.approx(covariance.ravel(), rel=1e-6, abs=1e-9)
    assert n >= 30


def newton(outcome, classifier, cluster, link):
    """GEE by Fisher scoring on one row per prediction, with independence and a sandwich."""
    k = classifier.max() + 1
    design = (classifier[:, None] == np.arange(k)).astype(float)
    beta = np.full(k, {"logit": 0.0, "identity": 0.5, "log": np.log(0.5)}[link])
    for _ in range(100):
        eta = design @ beta
        mean = {
            "logit": 1 / (1 + np.exp(-eta)),
            "identity": eta,
            "log": np.exp(eta),
        }[link]
        # Canonical links: derivative and working variance are the same.
        weight = {"logit": mean * (1 - mean), "identity": 1 + 0 * eta, "log": mean}[link]
        bread = design.T @ (design * weight[:, None])
        step = np.linalg.solve(bread, design.T @ (outcome - mean))
        beta = beta + step
        if np.abs(step).max() < 1e-15:
            break
    scores = np.array(
        [design[cluster == c].T @ (outcome - mean)[cluster == c] for c in set(cluster)]
    )
    inverse = np.linalg.inv(bread)
    return beta, inverse @ scores.T @ scores @ inverse


def test_iterative_fit():
    """A fit by iterations on one row a prediction is the closed form."""
    for link, k in itertools.product(LINKS, [2, 3]):
        rng = np.random.default_rng(k)
        y = rng.integers(2, size=150)
        groups = rng.integers(25, size=150)
        predictions = [
            np.where(rng.random(150) < 0.6 + 0.1 * i, y, 1 - y) for i in range(k)
        ]
        sums = ClusterSums.from_predictions(y, *predictions, groups=groups, names=names(k))
        named = np.array([prediction == 1 for prediction in predictions])
        classifier, record = np.nonzero(named)
        expected = newton((y[record] == 1).astype(float), classifier, groups[record], link)

        fit = class_fit(sums)
        values, _ = link_values(fit.raw, link)

        assert expected[0] == pytest.approx(values, rel=1e-9)
        np.testing.assert_allclose(
            expected[1], joint_covariance(fit.raw, link), rtol=1e-9, atol=1e-14
        )


def test_records_are_clusters_of_their_own():
    """Joint counts and sums without groups have the same moments."""
    rng = np.random.default_rng(3)
    y, first, second = rng.integers(3, size=(3, 90))
    sums = ClusterSums.from_predictions(y, first, second)
    joint = JointCounts.from_predictions(y, first, second).class_rows()
    for score in ("precision", "recall"):
        fit, expected = class_fit(sums, 1, score), joint.moments(score, 1)
        for part in ("rows", "hits", "rr", "rh", "hh"):
            np.testing.assert_array_equal(getattr(expected, part), getattr(fit.raw, part))


def test_one_cluster_with_all_predictions():
    """Leverage 1 leaves Mancl and DeRouen's covariance undefined, not small."""
    sums = ClusterSums.from_predictions(
        [0, 1, 1, 0, 1], [1, 1, 0, 0, 0], [1, 1, 1, 1, 0], groups=[0, 0, 1, 2, 2]
    )
    fit = class_fit(sums, correction="mancl-derouen")

    assert np.isnan(fit.moments.covariance()[0, 0])
    assert 3 == fit.n_clusters
    assert (FEW_CLUSTERS,) == fit.caveats
    outcomes = sums.class_rows().of_class(1)
    alone = corrected_moments(fit.raw, outcomes, 1, "small-sample")
    assert np.isnan(alone.rr).all()


@cache
def pair_of_samples():
    """Moments of two classifiers in a dozen samples of groups."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(12):
        y = rng.integers(2, size=80)
        predictions = [
            np.where(rng.random(80) < q, y, 1 - y) for q in rng.uniform(0.5, 0.9, 2)
        ]
        groups = rng.integers(20, size=80)
        sums = ClusterSums.from_predictions(y, *predictions, groups=groups)
        found.append(class_fit(sums).raw)
    return tuple(found)


def test_shares_at_ratio():
    """They have the given ratio, and expect the observed hits."""
    at = np.array([-30.0, -3.0, -0.4, 0.0, 1e-9, 0.7, 5.0, 30.0])
    for moments in pair_of_samples():
        for link in ("logit", "log"):
            first, second = shares_at_ratio(moments, link, at).T
            near = np.abs(at) < 10
            ratio = second / first
            if link == "logit":
                ratio = ratio[near] * (1 - first[near]) / (1 - second[near])
            expected = np.exp(at[near] if link == "logit" else at)

            assert expected == pytest.approx(ratio, rel=1e-9)
            assert moments.hits.sum() == pytest.approx(
                moments.rows[0] * first + moments.rows[1] * second
            )


def test_score_of_a_ratio_of_one():
    """Both links then have the score of equal shares."""
    for moments in pair_of_samples():
        at = np.full(2, moments.hits.sum() / moments.rows.sum())
        covariance = moments.covariance(at)
        shares = moments.shares
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        expected = (shares[1] - shares[0]) / np.sqrt(variance)
        for link in ("logit", "log"):
            assert expected == pytest.approx(score_of_ratio(moments, link, [0.0])[0])


def test_score_limits_are_where_the_score_is():
    """Each limit has the score that it was requested."""
    for moments in pair_of_samples():
        shares = moments.shares
        odds = shares / (1 - shares)
        for link, values in (("logit", odds), ("log", shares)):
            ratio = values[1] / values[0]
            low, high = ratio_score_limits(moments, link, ratio, 1.6, "two-sided")
            assert -1.6 == pytest.approx(
                score_of_ratio(moments, link, [np.log(high)])[0], rel=1e-9
            )
            if low == 0:
                # Of two incorrect predictions a score is at most the root of 2.
                assert link == "logit"
                assert score_of_ratio(moments, link, [-60.0])[0] < 1.6
                continue
            assert 1.6 == pytest.approx(
                score_of_ratio(moments, link, [np.log(low)])[0], rel=1e-9
            )


def identity_score(moments, delta):
    """The score of a difference, from its restricted shares."""
    total = moments.rows.sum()
    first = (moments.hits.sum() - moments.rows[1] * delta) / total
    at = np.array([first, first + delta])
    covariance = moments.covariance(at)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    return (moments.shares[1] - moments.shares[0] - delta) / np.sqrt(variance)


def test_score_limits_of_a_difference():
    """The quadratic equation has the roots of the score, on both sides."""
    for moments in pair_of_samples():
        low, high = difference_score_limits(moments, 20, 1.3, "two-sided")

        assert 1.3 == pytest.approx(identity_score(moments, low), rel=1e-9)
        assert -1.3 == pytest.approx(identity_score(moments, high), rel=1e-9)
        assert (low, 1.0) == difference_score_limits(moments, 20, 1.3, "greater")


def test_no_score_is_large_enough():
    """With few clusters the score never passes the quantile, and nothing is excluded."""
    moments = pair_of_samples()[0]

    assert (-1.0, 1.0) == difference_score_limits(moments, 20, 8.0, "two-sided")
    assert (0.0, np.inf) == ratio_score_limits(moments, "logit", 1.2, 12.0, "two-sided")


def of_groups(y, first, second, groups):
    """Moments of class 1 for records of groups."""
    return class_fit(ClusterSums.from_predictions(y, first, second, groups=groups), 1).raw


def in_three_groups():
    """Precisions of 1/2 and 1 in each of three groups, so that the score has one size."""
    y = [1, 0, 1, 1, 0] * 3
    first, second = [1, 1, 0, 0, 0] * 3, [1, 0, 1, 0, 0] * 3
    return of_groups(y, first, second, np.repeat(range(3), 5))


@pytest.mark.parametrize(("link", "ratio"), [("log", 2.0), ("logit", np.inf)])
def test_score_of_one_size(link, ratio):
    """A ratio that all groups share: all others are rejected, or none of them."""
    moments = in_three_groups()
    size = np.sqrt(3)

    for at in (-4.0, 0.0, 0.5, 0.69, 1.0, 6.0):
        sign = 1 if at < np.log(ratio) else -1
        assert sign * size == pytest.approx(score_of_ratio(moments, link, [at])[0])
    assert (0, np.inf) == ratio_score_limits(moments, link, ratio, 1.74, "two-sided")
    assert (ratio, ratio) == ratio_score_limits(moments, link, ratio, 1.7, "two-sided")


def test_score_beside_a_ratio_without_variance():
    """What rounding leaves of a variance is not taken for one."""
    beside = np.log(2) + np.array([-1e-9, 1e-9])

    assert np.isnan(score_of_ratio(in_three_groups(), "log", beside)).all()


@pytest.mark.parametrize("link", ["logit", "log"])
def test_levels_below_one_half(link):
    """A one-sided limit at a level below a half is before the estimate, with its score."""
    seen = 0
    for moments in pair_of_samples()[::2]:
        shares = moments.shares
        values = shares / (1 - shares) if link == "logit" else shares
        ratio = values[1] / values[0]
        for z in (-0.3, -1.3, -3.0):
            low, high = ratio_score_limits(moments, link, ratio, z, "two-sided")
            at_null = score_of_ratio(moments, link, [0.0])[0]

            assert (at_null + z < 0) == (high < 1)
            assert (at_null - z > 0) == (low > 1)
            if 0 < high < np.inf:
                seen += 1
                actual = score_of_ratio(moments, link, [np.log(high)])[0]
                assert -z == pytest.approx(actual, rel=1e-9)
    assert seen > 10


def test_levels_below_one_half_of_an_infinite_ratio():
    """Seen from an infinite odds ratio, 1 is excluded exactly when the test says so."""
    y = np.array([1] * 20 + [0] * 20)
    first, second = np.zeros((2, 40), dtype=int)
    first[:25], second[:8] = 1, 1
    for moments, ratio in (
        (of_groups(y, first, second, np.arange(40)), np.inf),
        (of_groups(y, second, first, np.arange(40)), 0.0),
    ):
        root = score_of_ratio(moments, "logit", [0.0])[0]
        for z in np.linspace(-3, 3, 13):
            low, high = ratio_score_limits(moments, "logit", ratio, z, "two-sided")

            assert (root + z < 0) == (high < 1)
            assert (root - z > 0) == (low > 1)


def test_no_difference_and_no_variance_at_any_level():
    """Equal shares that no group departs from: no difference of 0 is ever rejected."""
    moments = of_groups([0, 0, 1, 1, 0], [1, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0])

    for z in (-1.7, -0.1, 0.1):
        low, high = difference_score_limits(moments, 1, z, "two-sided")
        assert low <= 0 <= high
