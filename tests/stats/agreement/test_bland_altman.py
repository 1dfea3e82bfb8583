"""Agreement of two predictions of numbers by Bland and Altman."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import nct, pearsonr

from skcompare import compare
from skcompare.evidence import AgreementMoments
from skcompare.metrics import concordance_correlation
from skcompare.stats import BlandAltmanResult, bland_altman
from skcompare.stats.agreement._bland_altman import quantile_factor
from tests.common.golden import golden

GOLDEN = golden("bland_altman")
NAMES = ("difference", "lower_limit", "upper_limit", "slope", "concordance")


def numbers(n=60, seed=0):
    """Two predictions, one of which varies more."""
    rng = np.random.default_rng(seed)
    y, *noise = rng.normal(size=(3, n))
    return y + 0.3 * noise[0], 1.2 * y + 0.4 * noise[1] + 0.1


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_other_software(case):
    """Estimates, intervals and p-values of SciPy, pyCompare and mpmath."""
    result = bland_altman(case["champion"], case["challenger"])
    approximate = bland_altman(case["champion"], case["challenger"], method="approximate")

    assert_allclose(result.deviation, case["deviation"], rtol=1e-12)
    for name in NAMES:
        own = getattr(result, name)
        known = len(case[name])
        assert_allclose(own[:known], case[name], rtol=1e-9)
    for name in ("lower", "upper"):
        own = getattr(approximate, f"{name}_limit")
        assert_allclose(own[1:3], case[f"approximate_{name}"], rtol=1e-9)


def test_published_example():
    """Bland and Altman (1986): litres per minute of two peak flow meters."""
    case = GOLDEN["cases"][0]
    result = bland_altman(case["champion"], case["challenger"])

    published = GOLDEN["published"]
    assert published["difference"] == round(result.difference.estimate, 1)
    assert published["deviation"] == round(result.deviation, 1)


@pytest.mark.parametrize("n", [2, 3, 12, 400])
@pytest.mark.parametrize("z", [0.2, 1.96, 3.0])
def test_exact_intervals_are_those_of_noncentral_t(n, z):
    """The distribution function at the factor is the share, where SciPy has its digits."""
    for share in (0.005, 0.025, 0.5, 0.975):
        factor = quantile_factor(n, z, share)
        with np.errstate(divide="ignore"):  # an old release divides by 0 far in the tail
            reached = nct.cdf(factor * np.sqrt(n), n - 1, z * np.sqrt(n))
        assert share == pytest.approx(reached, abs=1e-8)


def test_exact_intervals_hold_at_their_level():
    """Of normal differences 95 % intervals hold the true limits in 95 %, of 12 records."""
    rng = np.random.default_rng(0)
    factors = [quantile_factor(12, 1.959963984540054, share) for share in (0.025, 0.975)]
    draws = rng.normal(size=(20_000, 12))
    mean, deviation = draws.mean(axis=1), draws.std(axis=1, ddof=1)
    low, high = (mean + factor * deviation for factor in factors)

    held = (low <= 1.959964) & (high >= 1.959964)
    assert 0.95 == pytest.approx(held.mean(), abs=0.006)


def test_exchanged_roles():
    """Differences and the slope change their signs, and nothing else."""
    champion, challenger = numbers()
    result, other = bland_altman(champion, challenger), bland_altman(challenger, champion)

    for name, mirrored in zip(
        NAMES[:4], ("difference", "upper_limit", "lower_limit", "slope")
    ):
        estimate, low, high, pvalue = getattr(result, name)
        assert_allclose(getattr(other, mirrored), (-estimate, -high, -low, pvalue), 1e-12)
    assert_allclose(other.concordance, result.concordance, rtol=1e-12)
    scaled = bland_altman(1e6 * champion, 1e6 * challenger)
    assert_allclose(scaled.difference[:3], 1e6 * np.array(result.difference[:3]))
    assert_allclose(scaled.slope, result.slope)


def test_slope_is_the_test_of_pitman_and_morgan():
    """A slope of 0 is equal variances: sums and differences are not correlated."""
    champion, challenger = numbers()
    expected = pearsonr(champion + challenger, challenger - champion)

    assert_allclose(bland_altman(champion, challenger).slope.pvalue, expected.pvalue, 1e-9)


def test_moments_are_enough():
    """Merged shards, a comparison and the metric have the same numbers."""
    champion, challenger = numbers()
    result = bland_altman(champion, challenger)
    shards = [
        AgreementMoments.from_predictions(champion[part], challenger[part])
        for part in (slice(0, 20), slice(20, 60))
    ]
    merged = bland_altman(sum(shards))
    for name in NAMES:
        assert_allclose(getattr(merged, name), getattr(result, name), rtol=1e-10)
    comparison = compare(champion, {"old": champion + 1, "new": challenger}, scoring="r2")
    moments = comparison.evidence(AgreementMoments)
    assert_allclose(
        bland_altman(moments).difference, bland_altman(champion + 1, challenger).difference
    )
    expected = concordance_correlation(champion, challenger)
    assert_allclose(result.concordance.estimate, expected, rtol=1e-12)


def test_equal_predictions():
    """Without any difference all estimates are 0, and the concordance is 1."""
    champion, _ = numbers()
    result = bland_altman(champion, champion)

    for name in NAMES[:4]:
        assert (0, 0, 0) == getattr(result, name)[:3]
    assert 1 == result.difference.pvalue == result.slope.pvalue
    assert (1, 1, 1) == result.concordance[:3]
    assert ("degenerate",) == result.flags


def test_no_variation():
    """Constant differences, means and predictions have defined numbers, with flags."""
    champion, _ = numbers()
    apart = bland_altman(champion, champion + 2)
    assert 2 == pytest.approx(apart.difference.estimate)
    assert (-np.inf, np.inf) == apart.difference[1:3]
    assert np.isnan(apart.difference.pvalue)
    assert "zero-variance" in apart.flags
    assert (0, 0, 0, 1) == apart.slope

    opposite = bland_altman(champion, -champion)
    assert np.isnan(opposite.slope.estimate)
    assert "constant-mean" in opposite.flags
    assert_allclose(
        opposite.concordance[0], concordance_correlation(champion, -champion), rtol=1e-12
    )
    line = bland_altman(champion, 2 * champion)
    assert 2 / 3 == pytest.approx(line.slope.estimate)
    assert np.isnan(line.slope.pvalue)
    constant = bland_altman([1.0, 1.0, 1.0], [1.0, 2.0, 4.0])
    assert (0, -1, 1) == constant.concordance[:3]
    same = bland_altman([3.0, 3.0], [3.0, 3.0])
    assert np.isnan(same.concordance.estimate)
    assert {"degenerate", "constant-mean"} == set(same.flags)
    two = bland_altman([1.0, 2.0], [2.0, 2.5])
    assert np.isfinite(two.difference).all()
    assert (-np.inf, np.inf) == two.slope[1:3]


def test_refusals_and_caveats():
    """Options and few records have one clear error, and groups a flag."""
    champion, challenger = numbers()
    with pytest.raises(ValueError, match="`coverage` must be a share"):
        bland_altman(champion, challenger, coverage=95)
    with pytest.raises(ValueError, match="Unknown method 'mover'"):
        bland_altman(champion, challenger, method="mover")
    with pytest.raises(ValueError, match="Got 1 record"):
        bland_altman([1.0], [2.0])
    with pytest.raises(ValueError, match="needs true numbers"):
        compare(None, {"old": champion, "new": challenger}, scoring="r2")
    groups = np.arange(60) // 2
    comparison = compare(
        champion, {"old": champion + 1, "new": challenger}, scoring="r2", groups=groups
    )
    grouped = bland_altman(comparison.evidence(AgreementMoments))
    assert ("invalid-design",) == grouped.flags
    assert "hold-out by groups" == grouped.design


def test_output():
    """As text, frame and dictionary, and back."""
    result = bland_altman(*numbers(), coverage=0.9, confidence_level=0.99)
    values = result.to_dict()

    assert result == BlandAltmanResult.from_dict(values)
    assert list(NAMES) == result.to_frame()["name"].tolist()
    assert "lower limit of 90 % of the differences" in str(result)
    assert "99 % intervals" in str(result)
    wide, usual = result.upper_limit, bland_altman(*numbers(), coverage=0.9).upper_limit
    assert wide.low < usual.low < usual.high < wide.high
    assert "flag" in str(bland_altman([1.0, 2.0], [1.0, 2.0]))
