"""P-values combined: others' numbers, integrals and draws, and edges."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy import stats

from skcompare.stats import adjust_pvalues, lancaster_correlated, simes
from skcompare.stats.precision._precision_global import transformed_covariance
from tests.common.golden import golden

GOLDEN = golden("combined_pvalues")
INDEPENDENT = GOLDEN["independent"]["cases"]


def equal_correlation(n, rho):
    matrix = np.full((n, n), float(rho))
    np.fill_diagonal(matrix, 1)
    return matrix


def integrated_covariance(rho, weights):
    """Over the plane of two standard normal variables, by a grid in each quadrant."""
    s, share = np.polynomial.legendre.leggauss(240)
    s = (s + 1) / 2
    z = 9 * s**3
    step = share / 2 * 27 * s**2
    first, second = (stats.chi2.isf(2 * stats.norm.sf(z), weight) for weight in weights)
    x, y = z[:, np.newaxis], z
    # Each quadrant has one with the same integral across the origin.
    total = 0.0
    for sign in (1, -1):
        exponent = (x * x - 2 * sign * rho * x * y + y * y) / (2 * (1 - rho**2))
        total += 2 * (first * step) @ np.exp(-exponent) @ (second * step)
    return total / (2 * math.pi * math.sqrt(1 - rho**2)) - weights[0] * weights[1]


def test_independent_pvalues():
    """Without correlations the sum is Fisher's, and Simes' p that of others."""
    for case in INDEPENDENT:
        fisher = lancaster_correlated(case["pvalues"])

        assert case["fisher_p"] == pytest.approx(fisher.pvalue, rel=1e-10)
        assert case["fisher_statistic"] == pytest.approx(fisher.statistic, rel=1e-12)
        assert 2 * len(case["pvalues"]) == pytest.approx(fisher.df)
        assert case["simes_p"] == pytest.approx(simes(case["pvalues"]).pvalue, rel=1e-12)


@pytest.mark.parametrize("case", GOLDEN["worked"]["cases"])
def test_worked_example(case):
    """The diabetes data of a paper, as if its classes were independent."""
    result = lancaster_correlated(case["pvalues"])

    assert case["value"] == pytest.approx(result.pvalue, rel=1e-10)


def test_a_covariance_explains_the_printed_pvalue():
    """The paper prints 0.002, which some positive covariance gives."""
    pvalues = GOLDEN["worked"]["cases"][0]["pvalues"]
    found = [
        lancaster_correlated(pvalues, covariance=[[4, c], [c, 4]]).pvalue
        for c in (0.0, 0.5, 1.0)
    ]

    assert sorted(found) == found
    assert any(GOLDEN["worked"]["printed"] == round(pvalue, 3) for pvalue in found)


def test_published_covariances():
    """Covariances of -2 log p of R poolr."""
    known = GOLDEN["covariances"]
    for rho, value in zip(known["correlations"], known["value"]):
        found = transformed_covariance(equal_correlation(2, rho), np.full(2, 2.0))

        assert value == pytest.approx(found[0, 1], abs=known["atol"])


@pytest.mark.parametrize(
    "some",
    [
        [(2.0, 2.0), (8.0, 0.5)],
        pytest.param([(1.0, 5.0), (3.0, 3.0)], marks=pytest.mark.slow),
    ],
)
def test_covariance_is_the_integral(some):
    """The covariance is that of an integral over the plane."""
    for weights, rho in itertools.product(some, [0.3, 0.8]):
        found = transformed_covariance(equal_correlation(2, rho), np.array(weights))

        assert integrated_covariance(rho, weights) == pytest.approx(found[0, 1], abs=2e-6)


def test_covariance_of_squares():
    """Of weight 1 the quantiles are squares, whose covariance is twice that of rho."""
    for rho in [-1.0, -0.97, -0.4, 0.0, 0.1, 0.6, 0.999, 1.0]:
        found = transformed_covariance(equal_correlation(2, rho), np.ones(2))

        assert 2 * rho**2 == pytest.approx(found[0, 1], abs=1e-12)


def test_covariance_of_many_weights_is_that_of_each_pair():
    """Tests with different weights have the covariance that two of them have alone."""
    correlation = np.corrcoef(np.random.default_rng(0).normal(size=(4, 20)))
    weights = np.array([2.0, 1.0, 2.0, 0.5])
    found = transformed_covariance(correlation, weights)

    for pair in itertools.combinations(range(4), 2):
        alone = transformed_covariance(correlation[np.ix_(pair, pair)], weights[list(pair)])
        assert found[pair] == pytest.approx(alone[0, 1], abs=1e-12)
    assert np.allclose(found, found.T, atol=1e-12)
    assert (2 * weights).tolist() == found.diagonal().tolist()


def test_covariance_is_monotone_and_positive():
    """More correlation of either sign is more covariance, and none is none."""
    rhos = np.linspace(0, 1, 101)
    for weights in ((2.0, 2.0), (1.0, 8.0)):
        found = [
            transformed_covariance(equal_correlation(2, rho), np.array(weights))[0, 1]
            for rho in rhos
        ]
        mirrored = [
            transformed_covariance(equal_correlation(2, -rho), np.array(weights))[0, 1]
            for rho in rhos
        ]

        assert 0 == found[0]
        assert (np.diff(found) > 0).all()
        assert mirrored == found


@pytest.mark.slow
def test_size_under_the_null():
    """With correlations the level is kept where Fisher's method is liberal."""
    known, n = GOLDEN["size"], 8000
    correlation = equal_correlation(known["tests"], known["correlation"])
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal(np.zeros(known["tests"]), correlation, size=n)
    pvalues = 2 * stats.norm.sf(np.abs(z))
    rejected = {
        "lancaster": [
            lancaster_correlated(p, correlation=correlation).pvalue for p in pvalues
        ],
        "fisher": [lancaster_correlated(p).pvalue for p in pvalues],
        "simes": [simes(p).pvalue for p in pvalues],
    }
    for name, found in rejected.items():
        share = np.mean(np.array(found) < 0.05)

        assert known[name] == pytest.approx(share, abs=known["atol"]), name


def test_draws_and_correlation_agree():
    """P-values drawn under the null give the covariance of their correlation."""
    rho, n = 0.7, 60_000
    rng = np.random.default_rng(1)
    z = rng.multivariate_normal(np.zeros(3), equal_correlation(3, rho), size=n)
    draws = 2 * stats.norm.sf(np.abs(z))
    pvalues = [0.01, 0.03, 0.2]
    by_draws = lancaster_correlated(pvalues, null_draws=draws)
    by_rho = lancaster_correlated(pvalues, correlation=equal_correlation(3, rho))

    assert by_rho.pvalue == pytest.approx(by_draws.pvalue, rel=0.02)
    expected = np.cov(-2 * np.log(draws), rowvar=False)
    np.fill_diagonal(expected, 4)
    assert expected.sum() == pytest.approx(by_draws.details["variance"], rel=1e-10)


def test_sum_is_that_of_the_formula():
    """Equations (22) to (26) for different weights and a covariance that is given."""
    pvalues, weights = [0.01, 0.2, 0.6], [1.0, 2.0, 5.0]
    covariance = np.array([[9, 0.4, 0.3], [0.4, 9, 0.7], [0.3, 0.7, 9]])
    result = lancaster_correlated(pvalues, covariance=covariance, weights=weights)

    total = sum(
        stats.gamma.isf(p, w / 2, scale=2) for p, w in zip(pvalues, weights, strict=True)
    )
    variance = 2 * 8 + 2 * (0.4 + 0.3 + 0.7)
    nu = 2 * 8**2 / variance
    assert total == pytest.approx(result.details["sum"], rel=1e-12)
    assert variance == pytest.approx(result.details["variance"], rel=1e-12)
    assert nu == pytest.approx(result.df, rel=1e-12)
    assert stats.chi2.sf(nu / 8 * total, nu) == pytest.approx(result.pvalue, rel=1e-10)


def test_one_test_requested_several_times():
    """Perfectly correlated tests with one p-value have that p-value together."""
    for weight, sign in itertools.product([0.5, 1.0, 2.0, 7.0], [1.0, -1.0]):
        for p in (1e-280, 1e-20, 0.04, 0.9):
            correlation = sign * np.ones((4, 4))
            np.fill_diagonal(correlation, 1)
            result = lancaster_correlated([p] * 4, correlation=correlation, weights=weight)

            assert p == pytest.approx(result.pvalue, rel=1e-8)
            assert weight == pytest.approx(result.df, rel=1e-12)
            assert p == pytest.approx(
                lancaster_correlated([p], weights=weight).pvalue, 1e-8
            )


def test_far_tail():
    """Tiny p-values keep their logarithm, and 0 counts as 1e-300."""
    result = lancaster_correlated([0.0, 1e-310, 1e-300])
    total = 3 * 600 * math.log(10)
    x = total / 2

    assert total == pytest.approx(result.statistic, rel=1e-12)
    assert 0 < result.pvalue <= 1e-300
    assert -x + math.log(1 + x + x**2 / 2) == pytest.approx(result.log_pvalue, rel=1e-12)
    assert 0 < simes([0.0, 0.5]).pvalue <= 1e-300
    assert 0 == simes([0.0, 0.5]).statistic


def test_nothing_found():
    """If all p-values are 1, so are the combined ones."""
    for correlation in (None, equal_correlation(3, 0.5), np.ones((3, 3))):
        result = lancaster_correlated([1.0, 1.0, 1.0], correlation=correlation)

        assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
    assert (1, 1, 0) == (*simes([1.0, 1.0]), simes([1.0, 1.0]).log_pvalue)


def test_an_undefined_pvalue_counts_as_1():
    """Leaving it out would weaken the correction; a flag says so."""
    for combine in (simes, lancaster_correlated):
        result = combine([0.01, math.nan, 0.2])

        assert combine([0.01, 1.0, 0.2]).pvalue == result.pvalue
        assert ("undefined-pvalue",) == result.flags
        assert result.caveats[0].startswith("undefined-pvalue: ")
        assert () == combine([0.01, 1.0, 0.2]).flags


def test_order_does_not_matter():
    """P-values, weights and correlations in another order combine alike."""
    rng = np.random.default_rng(3)
    pvalues, weights = rng.random(4), np.array([1.0, 2.0, 3.5, 2.0])
    correlation = np.corrcoef(rng.normal(size=(4, 12)))
    order = [2, 0, 3, 1]
    first = lancaster_correlated(pvalues, correlation=correlation, weights=weights)
    second = lancaster_correlated(
        pvalues[order],
        correlation=correlation[np.ix_(order, order)],
        weights=weights[order],
    )

    assert first.pvalue == pytest.approx(second.pvalue, rel=1e-12)
    assert simes(pvalues).pvalue == simes(pvalues[order]).pvalue


def test_simes_is_between_the_smallest_pvalue_and_bonferroni():
    """Simes' p is the least of Benjamini and Hochberg's, never above Bonferroni's."""
    rng = np.random.default_rng(4)
    for n in (1, 2, 7, 30):
        pvalues = rng.random(n) ** 3
        combined = simes(pvalues).pvalue

        assert pvalues.min() <= combined <= min(1, n * pvalues.min()) + 1e-15
        adjusted = adjust_pvalues(pvalues, "benjamini-hochberg")
        assert adjusted.min() == pytest.approx(combined, rel=1e-12)


def test_correlation_never_makes_small_pvalues_smaller():
    """Correlated evidence counts for less, whatever the sign."""
    pvalues = [0.001, 0.004, 0.01]
    found = [
        lancaster_correlated(pvalues, correlation=equal_correlation(3, rho)).pvalue
        for rho in (0, 0.2, 0.5, 0.9, 1)
    ]

    assert sorted(found) == found
    assert found[0] == pytest.approx(lancaster_correlated(pvalues).pvalue, rel=1e-12)


def test_result_is_a_small_value():
    """It unpacks, pickles, becomes plain values, and says what it is."""
    result = lancaster_correlated([0.02, 0.3], correlation=equal_correlation(2, 0.5))

    assert (result.statistic, result.pvalue) == tuple(result)
    assert result == pickle.loads(pickle.dumps(result))
    values = json.loads(json.dumps(result.to_dict()))
    assert result.pvalue == values["pvalue"]
    assert "Lancaster, correlated tests" == values["method"]
    assert str(result).startswith("Lancaster, correlated tests of 2 p-values\nstatistic ")
    assert str(simes([0.2])).startswith("Simes of 1 p-value\n")


def test_wrong_pvalues():
    """P-values are probabilities in one row."""
    for combine, pvalues in itertools.product(
        [simes, lancaster_correlated], [[], [[0.1]], 0.1, [0.1, 1.2], [-0.1], [math.inf]]
    ):
        with pytest.raises(ValueError, match="`pvalues` must be"):
            combine(pvalues)


def test_wrong_options():
    """What is not possible is refused with what is."""
    for options, message in [
        ({"correlation": np.eye(3)}, r"`correlation` must be of shape \(2, 2\)"),
        ({"correlation": [[1, math.nan], [0, 1]]}, "without missing values"),
        ({"correlation": [[1, 0.5], [0.4, 1]]}, "must be symmetric"),
        ({"correlation": [[1, 1.5], [1.5, 1]]}, r"must be in \[-1, 1\]. Got 1.5"),
        ({"covariance": [[4, -4.5], [-4.5, 4]]}, "variance of the sum must be positive"),
        ({"null_draws": [[0.1, 0.2]]}, r"`null_draws` must be of shape \(n_draws, 2\)"),
        ({"null_draws": [[0.1, 0.2], [0.1, 2.0]]}, r"`null_draws` must be in \[0, 1\]"),
        ({"weights": [1, 2, 3]}, r"`weights` must be a number, or of shape \(2,\)"),
        ({"weights": [1, 0]}, "`weights` must be positive"),
        (
            {"correlation": np.eye(2), "covariance": np.eye(2)},
            "Pass one of .* Got correlation and covariance",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            lancaster_correlated([0.1, 0.2], **options)
