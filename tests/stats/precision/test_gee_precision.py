"""Odds ratio and ratio of precisions in marginal models."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2, norm

from skcompare.evidence import ClusterSums, JointCounts
from skcompare.stats import gee_precision, precision_score, precision_wald
from tests.stats.precision.test_clustered_precision import sums_of, two_of


def test_wald_by_statsmodels():
    """exp(b), its standard error and p-value, two classifiers and repeated predictions."""
    for link, correction in itertools.product(["logit", "log"], ["none", "mancl-derouen"]):
        n = 0
        key = "cov_robust" if correction == "none" else "cov_mancl_derouen"
        for sums, figure in two_of("converged"):
            if figure["link"] != link:
                continue
            n += 1
            b, error = figure["coef"][1], math.sqrt(figure[key][3])

            result = gee_precision(
                sums,
                label=figure["label"],
                score=figure["score"],
                link=link,
                correction=correction,
            )
            low, high = result.confidence_interval()

            assert math.exp(b) == pytest.approx(result.estimate, rel=1e-9)
            assert error == pytest.approx(result.details["standard_error"], rel=1e-9)
            assert 2 * norm.sf(abs(b / error)) == pytest.approx(result.pvalue, rel=1e-8)
            assert math.exp(b - norm.ppf(0.975) * error) == pytest.approx(low, rel=1e-9)
            assert math.exp(b + norm.ppf(0.975) * error) == pytest.approx(high, rel=1e-9)
        assert n > 10


def test_wald_by_both_packages():
    """Wald chi-squared of statsmodels and geepack, to their common digits."""
    n = 0
    for sums, figure in two_of("shared"):
        if figure["link"] != "logit" or "geepack" not in figure["sources"]:
            continue
        n += 1
        result = gee_precision(sums, label=figure["label"], score=figure["score"])

        assert figure["wald"] == pytest.approx(result.statistic**2, rel=1e-6, abs=1e-9)
        assert figure["wald_p"] == pytest.approx(result.pvalue, rel=1e-6)
    assert n >= 10


def test_score_by_statsmodels():
    """compare_score_test of the logistic and of the log-linear model."""
    n = 0
    for sums, figure in two_of("converged"):
        if figure["link"] == "identity":
            continue
        n += 1
        result = gee_precision(
            sums,
            label=figure["label"],
            score=figure["score"],
            link=figure["link"],
            method="score",
        )

        assert figure["score_statistic"] == pytest.approx(
            result.statistic**2, rel=1e-9, abs=1e-11
        )
        assert figure["score_p"] == pytest.approx(result.pvalue, rel=1e-8)
    assert n > 20


def test_unrelated_records():
    """Records of their own have Wald's and the score test of joint counts."""
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=200)
    predictions = [
        np.where(rng.random(200) < accuracy, y, 1 - y) for accuracy in (0.7, 0.8)
    ]
    sums = ClusterSums.from_predictions(y, *predictions)
    joint = JointCounts.from_predictions(y, *predictions)

    wald, score = gee_precision(sums), gee_precision(sums, method="score")

    assert precision_wald(joint).pvalue == pytest.approx(wald.pvalue, rel=1e-10)
    assert precision_wald(joint).estimate == pytest.approx(wald.estimate, rel=1e-12)
    assert precision_score(joint).pvalue == pytest.approx(score.pvalue, rel=1e-10)


def test_repeated_predictions_count_once_a_record():
    """The same predictions in every repetition say no more than one repetition."""
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=80)
    predictions = [np.where(rng.random(80) < accuracy, y, 1 - y) for accuracy in (0.7, 0.8)]
    once = gee_precision(ClusterSums.from_repeats(y, [predictions]))
    for link in ("logit", "log"):
        for method in ("wald", "score"):
            options = {"link": link, "method": method}
            once, often = (
                gee_precision(ClusterSums.from_repeats(y, [predictions] * times), **options)
                for times in (1, 10)
            )
            assert once.pvalue == pytest.approx(often.pvalue, rel=1e-12)
            assert tuple(once.confidence_interval()) == pytest.approx(
                tuple(often.confidence_interval()), rel=1e-9
            )
    assert "invalid-design" in often.flags
    assert 800 == often.n


def test_score_interval_inverts_the_test():
    """At the level of the p-value a limit is 1, for both links."""
    for seed in range(3):
        sums = sums_of(seed)
        for link in ("logit", "log"):
            result = gee_precision(sums, link=link, method="score")
            limits = result.confidence_interval(1 - result.pvalue)

            assert 0 == pytest.approx(min(map(abs, np.log(limits))), abs=1e-9)


def always_right(sums=None):
    y = np.array([1] * 20 + [0] * 20)
    first, second = np.zeros((2, 40), dtype=int)
    first[:25], second[:8] = 1, 1
    return ClusterSums.from_predictions(y, first, second)


def test_precision_of_one():
    """Odds are infinite: no Wald test; the score test holds, with one limit."""
    wald = gee_precision(always_right())
    score = gee_precision(always_right(), method="score")
    ratio = gee_precision(always_right(), link="log")

    assert math.inf == wald.estimate == score.estimate
    assert math.isnan(wald.pvalue)
    assert "share-of-0-or-1" in wald.flags
    assert (0, math.inf) == tuple(wald.confidence_interval())
    assert 0 < score.pvalue < 1
    low, high = score.confidence_interval()
    assert 0 < low < high == math.inf
    assert 25 / 20 == pytest.approx(ratio.estimate)
    assert ratio.pvalue < 0.05


def test_precision_of_zero():
    """A ratio of infinity, or of 0 with exchanged roles."""
    y = np.array([1] * 20 + [0] * 20)
    first, second = 1 - y, y.copy()
    first[:5] = 0
    second[20:24] = 1
    sums = ClusterSums.from_predictions(y, first, second)
    for link in ("logit", "log"):
        wald = gee_precision(sums, link=link)
        score = gee_precision(sums, link=link, method="score")
        turned = gee_precision(sums.swap(), link=link, method="score")

        assert math.inf == wald.estimate
        assert math.isnan(wald.pvalue)
        assert "share-of-0-or-1" in wald.flags
        assert score.pvalue < 0.001
        assert 0 == turned.estimate
        low, _ = score.confidence_interval()
        assert 1 / low == pytest.approx(turned.confidence_interval()[1], rel=1e-9)


def test_both_always_right():
    """The ratio is 1 without doubt; nothing is known of the odds."""
    y = np.array([1] * 20 + [0] * 5)
    first, second = y.copy(), y.copy()
    first[:8], second[10:14] = 0, 0
    sums = ClusterSums.from_predictions(y, first, second)
    ratio = gee_precision(sums, link="log")
    wald, score = gee_precision(sums), gee_precision(sums, method="score")

    assert (1, 1, True) == (ratio.estimate, ratio.pvalue, ratio.degenerate)
    assert (1, 1) == tuple(ratio.confidence_interval())
    assert math.isnan(wald.pvalue)
    assert math.isnan(wald.estimate)
    assert (1, True) == (score.pvalue, score.degenerate)
    assert (0, math.inf) == tuple(score.confidence_interval())


def test_never_given():
    """A class that a classifier never gives is flagged, and p is undefined."""
    sums = ClusterSums.from_predictions([0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 1, 1])
    for options in ({}, {"method": "score"}, {"link": "log"}):
        result = gee_precision(sums, **options)

        assert math.isnan(result.pvalue)
        assert math.isnan(result.estimate)
        assert "no-predictions" in result.flags
        assert (0, math.inf) == tuple(result.confidence_interval())


def test_square_is_chi_squared():
    """The two-sided p-value is that of chi-squared with one degree of freedom."""
    result = gee_precision(sums_of(2))

    assert chi2.sf(result.statistic**2, 1) == pytest.approx(result.pvalue, rel=1e-12)
