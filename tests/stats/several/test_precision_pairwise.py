"""All pairs of several precisions, and each against a control."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from skcompare.evidence import ClusterSums
from skcompare.stats import (
    adjust_pvalues,
    clustered_precision,
    gee_precision,
    pairwise_precision,
    precision_several,
)
from skcompare.stats.precision._precision_statistics import class_fit
from tests.stats.precision.test_gee import figures, joint_covariance, names, sums_of_case
from tests.stats.several.test_precision_several import predictions_of, sums_of

SCALES = ("difference", "odds ratio", "ratio")


def critical_of(result):
    """Two-sided critical value of the limits, in standard errors."""
    return -ndtri((1 - result.interval_level) / 2)


def single(sums, scale, method, alternative="two-sided"):
    if scale == "difference":
        return clustered_precision(
            sums, method=method, distribution="normal", alternative=alternative
        )
    link = {"odds ratio": "logit", "ratio": "log"}[scale]
    return gee_precision(sums, link=link, method=method, alternative=alternative)


def test_rows_are_single_tests():
    """Every row is the test of its two classifiers, at the level of the intervals."""
    for scale, method in itertools.product(SCALES, ["score", "wald"]):
        y, predictions, groups = predictions_of(3)
        result = pairwise_precision(
            sums_of(3),
            scale=scale,
            method=method,
            adjust="bonferroni",
            confidence_level=0.9,
        )

        assert ("m0", "m0", "m1") == result.champion
        assert ("m1", "m2", "m2") == result.challenger
        for row, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
            pair = ClusterSums.from_predictions(
                y, predictions[i], predictions[j], groups=groups
            )
            expected = single(pair, scale, method)
            limits = expected.confidence_interval(1 - 0.1 / 3)

            assert expected.estimate == pytest.approx(result.estimate[row], rel=1e-12)
            assert expected.statistic == pytest.approx(result.statistic[row], rel=1e-12)
            assert expected.pvalue == pytest.approx(result.pvalue[row], rel=1e-12)
            if scale != "difference" or method == "wald":
                assert tuple(limits) == pytest.approx((result.low[row], result.high[row]))
            else:
                assert tuple(limits) == pytest.approx(
                    (result.low[row], result.high[row]), rel=1e-6
                )
        assert adjust_pvalues(result.pvalue, "bonferroni").tolist() == (
            result.adjusted_pvalue.tolist()
        )
        assert 1 - 0.1 / 3 == pytest.approx(result.interval_level)
        assert precision_several(sums_of(3), method=method).pvalue == result.omnibus.pvalue


def test_odds_ratios_against_a_control_by_statsmodels():
    """Coefficients of the marginal model with the control as its intercept."""
    n = 0
    for case, figure in figures("converged"):
        if figure["link"] != "logit" or len(figure["coef"]) != 4:
            continue
        n += 1
        result = pairwise_precision(
            sums_of_case(case),
            label=figure["label"],
            score=figure["score"],
            scale="odds ratio",
            method="wald",
            control="m0",
            adjust="none",
        )
        errors = np.sqrt(np.diag(np.reshape(figure["cov_robust"], (4, 4))))[1:]
        coef = np.array(figure["coef"][1:])

        assert np.exp(coef) == pytest.approx(result.estimate, rel=1e-9)
        assert coef / errors == pytest.approx(result.statistic, rel=1e-8, abs=1e-9)
        assert np.exp(coef - 1.959963984540054 * errors) == pytest.approx(
            result.low, rel=1e-9
        )
    assert n > 5


@pytest.mark.slow
def test_max_t_intervals_agree_with_pvalues():
    """No difference is outside an interval exactly when the adjusted p is below alpha."""
    for scale, method, control in itertools.product(
        SCALES, ["score", "wald"], [None, "m1"]
    ):
        null = 0 if scale == "difference" else 1
        seen = set()
        for seed in range(4):
            for alternative in ("two-sided", "less", "greater")[: 3 if control else 1]:
                for alpha in (0.05, 0.2, 0.5):
                    result = pairwise_precision(
                        sums_of(4, seed=seed),
                        scale=scale,
                        method=method,
                        control=control,
                        adjust="max-t",
                        alternative=alternative,
                        confidence_level=1 - alpha,
                        n_resamples=499,
                    )
                    outside = (result.low > null) | (result.high < null)
                    significant = result.adjusted_pvalue < alpha
                    seen |= set(significant.tolist())

                    assert significant.tolist() == outside.tolist()
                    assert (result.adjusted_pvalue >= result.pvalue).all()
                    assert (result.low <= result.estimate).all()
                    assert (result.estimate <= result.high).all()
        assert {True, False} == seen


def test_max_t_is_the_equicoordinate_quantile():
    """The critical value is that of the multivariate normal distribution (Dunnett)."""
    sums = sums_of(3)
    result = pairwise_precision(
        sums,
        scale="odds ratio",
        method="wald",
        adjust="max-t",
        control="m0",
        n_resamples=200_000,
    )
    change = np.array([[-1, 1, 0], [-1, 0, 1]])
    covariance = change @ joint_covariance(class_fit(sums).raw, "logit") @ change.T
    root = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(root, root)
    c = critical_of(result)
    inside = multivariate_normal.cdf([c, c], cov=correlation, lower_limit=[-c, -c])

    assert 0.95 == pytest.approx(inside, abs=0.003)
    assert 1.959 < c < -ndtri(0.0125)
    assert 0.95 < result.interval_level < 0.975
    distance = np.log(result.high / result.estimate)
    assert distance == pytest.approx(c * root, rel=1e-9)


def test_one_pair_of_max_t():
    """With two classifiers there is nothing to adjust for, but for the draws."""
    result = pairwise_precision(sums_of(2), adjust="max-t", n_resamples=99_999)

    assert result.pvalue == pytest.approx(result.adjusted_pvalue, abs=0.005)
    assert critical_of(result) == pytest.approx(1.96, abs=0.03)


def test_order_of_classifiers():
    """Draws depend on names, so another order gives the same adjusted p-values."""
    expected = pairwise_precision(sums_of(3), adjust="max-t", n_resamples=299)
    other = pairwise_precision(sums_of(3, [2, 0, 1]), adjust="max-t", n_resamples=299)
    known = {
        frozenset(pair): p
        for *pair, p in zip(
            expected.champion, expected.challenger, expected.adjusted_pvalue, strict=True
        )
    }
    for *pair, p in zip(
        other.champion, other.challenger, other.adjusted_pvalue, strict=True
    ):
        assert known[frozenset(pair)] == pytest.approx(p, rel=1e-12)


def test_one_sided_directions_are_opposite():
    """A control's roles exchanged and the direction with them change nothing."""
    sums, turned = sums_of(2), sums_of(2, [1, 0])
    for adjust in ("holm", "max-t"):
        one = pairwise_precision(
            sums, control="m0", alternative="greater", adjust=adjust, n_resamples=199
        )
        other = pairwise_precision(
            turned, control="m1", alternative="less", adjust=adjust, n_resamples=199
        )
        assert one.adjusted_pvalue == pytest.approx(other.adjusted_pvalue, rel=1e-12)
        assert one.low == pytest.approx(-other.high, abs=1e-12)


def test_equal_and_silent_classifiers():
    """Equal predictions have p = 1; without predictions p is undefined, and counts as 1."""
    y, predictions, _ = predictions_of(2)
    silent = np.where(predictions[0] == 2, 0, predictions[0])
    sums = ClusterSums.from_predictions(
        y, *predictions, predictions[0], silent, names=names(4)
    )
    for scale in SCALES:
        for method in ("score", "wald"):
            for adjust in ("holm", "max-t"):
                result = pairwise_precision(
                    sums, scale=scale, method=method, adjust=adjust, n_resamples=99
                )
                pairs = list(zip(result.champion, result.challenger, strict=True))
                same, none = pairs.index(("m0", "m2")), pairs.index(("m0", "m3"))

                assert 1 == result.pvalue[same] == result.adjusted_pvalue[same]
                assert (0 if scale == "difference" else 1) == result.estimate[same]
                assert result.low[same] <= result.estimate[same] <= result.high[same]
                assert math.isnan(result.pvalue[none])
                assert math.isnan(result.adjusted_pvalue[none])
                assert "no-predictions" in result.flags
                assert "degenerate" not in result.flags


def test_precision_of_one():
    """Logarithms are undefined under Wald; scores and differences are not."""
    y, predictions, _ = predictions_of(3)
    perfect = np.where(y == 2, predictions[2], 0)
    sums = ClusterSums.from_predictions(y, *predictions[:2], perfect, names=names(3))
    wald = pairwise_precision(sums, scale="odds ratio", method="wald", adjust="max-t")
    score = pairwise_precision(sums, scale="odds ratio", adjust="max-t")

    assert [False, True, True] == np.isnan(wald.pvalue).tolist()
    assert (0, math.inf) == (wald.low[1], wald.high[1])
    assert "share-of-0-or-1" in wald.flags
    assert not np.isnan(score.pvalue).any()
    assert math.inf == score.estimate[1] == score.high[1]
    assert score.low[1] > 1


def test_clusters_of_each_pair():
    """A pair's limits are of its own clusters, not of those of other classifiers."""
    y = np.ones(90, dtype=int)
    y[60:] = 0
    few = np.where(np.arange(90) < 12, 1, 0)
    other = np.where((np.arange(90) > 8) & (np.arange(90) < 21), 1, 0)
    groups = np.arange(90) // 3
    sums = ClusterSums.from_predictions(
        y, few, other, np.ones(90, dtype=int), groups=groups, names=names(3)
    )
    result = pairwise_precision(sums, adjust="none")
    alone = clustered_precision(
        ClusterSums.from_predictions(y, few, other, groups=groups), distribution="normal"
    )

    assert (1, 1) == (alone.pvalue, result.pvalue[0])
    assert 7 == alone.details["n_clusters"]
    assert tuple(alone.confidence_interval()) == (result.low[0], result.high[0])


def assert_no_draws_of_one_cluster(seeds):
    """Where differences vary by rounding only nothing is drawn, and nothing warns."""
    for scale, method in itertools.product(SCALES, ["score", "wald"]):
        for seed in seeds:
            y, predictions, groups = predictions_of(3, n_groups=1, seed=seed)
            sums = ClusterSums.from_predictions(
                y, *predictions, groups=groups, names=names(3)
            )
            result = pairwise_precision(
                sums, scale=scale, method=method, adjust="max-t", n_resamples=99
            )
            assert (
                np.isnan(result.pvalue).tolist()
                == np.isnan(result.adjusted_pvalue).tolist()
            )
            if method == "wald":
                assert (np.isnan(result.pvalue) | (result.pvalue == 1)).all()
                assert critical_of(result) == pytest.approx(-ndtri(0.025))
            assert (result.low <= result.high).all()


def test_max_t_of_one_cluster():
    """Differences that do not vary but for rounding have no draws."""
    assert_no_draws_of_one_cluster(range(3))


@pytest.mark.slow
def test_max_t_of_one_cluster_whatever_is_rounded():
    """The same of more numbers, each rounded otherwise."""
    assert_no_draws_of_one_cluster(range(3, 20))


def test_result():
    """It prints, becomes a frame and a dict, and pickles with read-only arrays."""
    result = pairwise_precision(
        sums_of(3), scale="odds ratio", control="m0", adjust="max-t", n_resamples=199
    )
    values = json.loads(json.dumps(result.to_dict()))
    again = pickle.loads(pickle.dumps(result))

    assert 2 == len(result) == len(values["pairs"]) == len(result.to_frame())
    assert (2, "precision", "odds ratio", "score") == tuple(
        values[name] for name in ("label", "score", "scale", "method")
    )
    assert result.interval_level == values["interval_level"]
    assert str(result) == str(again)
    assert "odds ratio" in str(result)
    assert "m0        m2" in str(result)
    assert not again.estimate.flags.writeable


def test_wrong_input():
    """Unknown names, directions without a control and other evidence are refused."""
    sums = sums_of(3)
    for name in ("scale", "method", "adjust", "control", "score"):
        with pytest.raises(ValueError, match=rf"Unknown {name} 'no such'"):
            pairwise_precision(sums, **{name: "no such"})
    with pytest.raises(ValueError, match="needs a control"):
        pairwise_precision(sums, alternative="greater")
    with pytest.raises(TypeError, match=r"needs ClusterSums\. Got ndarray"):
        pairwise_precision(np.ones((3, 3)))
