"""Tests of two correlations with one target."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from skcompare import PairedComparator, compare
from skcompare._registry.tests import paired_tests
from skcompare.evidence import (
    NUMBER_SCORES,
    AgreementMoments,
    BlockDifferences,
    CorrelationMoments,
    load_evidence,
)
from skcompare.metrics import pearson_correlation, spearman_correlation
from skcompare.stats import bcv_jackknife_t, dependent_correlations
from skcompare.stats.scores._correlations import Correlations
from tests.common.golden import golden

GOLDEN = golden("correlations")
METHODS = ("steiger", "williams", "zou")


def moments_of(case):
    """Moments with the correlations of a golden case."""
    names = "champion", "challenger", "between", "n"
    return CorrelationMoments.from_correlations(*(case[name] for name in names))


def numbers(n=50, noise=(1.0, 0.7), seed=0):
    """A target, and two predictions with a part of their errors in common."""
    rng = np.random.default_rng(seed)
    y, shared, *own = rng.normal(size=(4, n))
    return y, *(y + 0.5 * shared + scale * e for scale, e in zip(noise, own))


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_equations_of_the_papers(case):
    """Statistics, p-values and limits are those of the printed equations."""
    moments = moments_of(case)
    for method in ("steiger", "williams"):
        result = dependent_correlations(moments, method=method)

        assert_allclose(result.statistic, case[method], rtol=1e-11)
        assert_allclose(result.pvalue, case[f"{method}_pvalue"], rtol=1e-10)
    result = dependent_correlations(moments, method="zou")
    for level, limits in case["zou"].items():
        assert_allclose(result.confidence_interval(float(level)), limits, rtol=1e-10)
    assert_allclose(result.details["between"], case["between"], rtol=1e-12)


@pytest.mark.parametrize("case", GOLDEN["published"])
def test_published_examples(case):
    """Steiger (1980), Silver, Hittner and May (2006), and Zou (2007)."""
    moments = moments_of(case)
    for method in {"steiger", "williams"} & set(case):
        result = dependent_correlations(moments, method=method)

        assert case[method] == pytest.approx(result.statistic, abs=6e-5)
        if f"{method}_pvalue" in case:
            assert case[f"{method}_pvalue"] == pytest.approx(result.pvalue, abs=6e-5)
    if "zou" in case:
        limits = dependent_correlations(moments, method="zou").confidence_interval()
        assert case["zou"] == pytest.approx(list(limits), abs=6e-4)


def test_pvalue_of_zou_inverts_the_interval():
    """The interval at the level 1 - p ends at 0, on the side of the champion's as well."""
    arrays = numbers()
    for roles in (arrays, (arrays[0], arrays[2], arrays[1])):
        result = dependent_correlations(*roles, method="zou")
        limits = result.limits(1 - result.pvalue, "two-sided")

        assert 0 == pytest.approx(min(map(abs, limits)), abs=1e-12)
        assert result.pvalue == pytest.approx(2 * norm.sf(abs(result.statistic)), rel=1e-12)


def test_interval_of_steiger_is_the_range_in_an_ellipse():
    """Brute force: the differences in an ellipse of the arctanh's mean and difference."""
    moments = CorrelationMoments.from_predictions(*numbers(20))
    result = dependent_correlations(moments)
    own = Correlations.of(moments)
    first, second = np.arctanh([own.champion, own.challenger])
    r = np.corrcoef(numbers(20))
    a, b, c = r[0, 1], r[0, 2], r[1, 2]
    joint = (c - a * b / 2) * (1 - a**2 - b**2 - c**2) + c**3
    joint /= (1 - a**2) * (1 - b**2)
    angle = np.linspace(0, 2 * np.pi, 200_001)
    z = norm.ppf(0.95)
    apart = second - first
    apart = apart + z * apart / result.statistic * np.cos(angle)
    middle = (first + second) / 2 + z * np.sqrt((1 + joint) / 2 / 17) * np.sin(angle)
    differences = np.tanh(middle + apart / 2) - np.tanh(middle - apart / 2)

    expected = differences.min(), differences.max()
    assert_allclose(result.confidence_interval(0.9), expected, atol=1e-9)


def test_correlations_are_those_of_the_metric():
    """The roles have their correlations, whatever the units of predictions and target."""
    y, champion, challenger = numbers()
    expected = dependent_correlations(y, champion, challenger)
    scaled = 1e6 * y, 1e-5 * champion + 3, 1e4 * challenger - 1e5

    assert_allclose(expected.champion, pearson_correlation(y, champion), rtol=1e-12)
    assert_allclose(expected.challenger, pearson_correlation(y, challenger), rtol=1e-12)
    for method in METHODS:
        result = dependent_correlations(y, champion, challenger, method=method)
        other = dependent_correlations(*scaled, method=method)
        assert_allclose(other.pvalue, result.pvalue, rtol=1e-8)
    assert dependent_correlations(*scaled, method="williams").df == 47


@pytest.mark.parametrize("step", [1e-3, 1e-6, 1e-9])
def test_nearly_equal_predictions_keep_their_digits(step):
    """The statistic of nearly equal predictions is that of the direction they differ in."""
    y, champion, noise = numbers(80)
    first, second = (
        dependent_correlations(y, champion, champion + by * noise, method="williams")
        for by in (step, step / 2)
    )

    assert_allclose(first.statistic, second.statistic, rtol=10 * step + 1e-6)
    assert_allclose(first.estimate, 2 * second.estimate, rtol=10 * step + 1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1.0, 3.0, 1e-8, 7e9])
def test_collinear_predictions(method, scale):
    """Predictions on one line have no difference, and p is 1."""
    y, champion, _ = numbers()
    result = dependent_correlations(y, champion, scale * champion + 0.1, method=method)

    assert (0, 0, 1) == (result.estimate, result.statistic, result.pvalue)
    assert result.degenerate
    assert result.champion == result.challenger
    assert not result.has_interval or (0, 0) == result.confidence_interval()


def test_opposite_predictions():
    """They have opposite correlations, and Williams' t is about that of one of them."""
    y, champion, _ = numbers(30)
    r = pearson_correlation(y, champion)
    result = dependent_correlations(y, champion, -champion, method="williams")

    assert_allclose(result.estimate, -2 * r, rtol=1e-12)
    assert_allclose(result.statistic, -r * np.sqrt(27 / (1 - r**2)), rtol=1e-9)
    for method in ("steiger", "zou"):
        other = dependent_correlations(y, champion, -champion, method=method)
        assert other.pvalue < 0.01
        assert other.confidence_interval()[1] < 0


def test_perfect_correlations():
    """One correlation of 1 has no p-value on Fisher's scale, and has one by Williams."""
    y, champion, _ = numbers(30)
    for method in ("steiger", "zou"):
        result = dependent_correlations(y, champion, 2 * y, method=method)
        assert np.isnan(result.pvalue)
        assert "zero-variance" in result.flags
        assert (-2, 2) == result.confidence_interval()
    assert 0 < dependent_correlations(y, champion, 2 * y, method="williams").pvalue < 0.01
    both = dependent_correlations(y, -y, y, method="williams")
    assert np.isnan(both.pvalue)
    assert 2 == both.estimate


def test_refusals():
    """Constant numbers and few records have one clear error."""
    y, champion, challenger = numbers(10)
    with pytest.raises(ValueError, match="constant numbers of the champion's predictions"):
        dependent_correlations(y, 0 * y + 0.1, challenger)
    with pytest.raises(ValueError, match="of the target and the challenger's predictions"):
        dependent_correlations(0 * y + 1e9, champion, 0 * y)
    with pytest.raises(ValueError, match=r"at least 4 records\. Got 3"):
        dependent_correlations(y[:3], champion[:3], challenger[:3])
    with pytest.raises(ValueError, match="negative eigenvalues"):
        CorrelationMoments.from_correlations(0.9, -0.9, 0.9, 50)
    with pytest.raises(ValueError, match="must be finite"):
        CorrelationMoments.from_predictions(1e200 * y, champion, challenger)
    with pytest.raises(ValueError, match=r"must have shape \(4,\)"):
        CorrelationMoments(3, np.zeros(3), np.eye(3))
    labels = compare([0, 1, 1, 0], {"a": [0, 1, 0, 0], "b": [0, 1, 1, 1]})
    with pytest.raises(ValueError, match="Got predictions of classes"):
        labels.evidence(CorrelationMoments)


def test_moments_are_merged_and_stored(tmp_path):
    """Shards have the moments of all records, far from 0 as well."""
    y, champion, challenger = (values + 1e6 for values in numbers(60))
    whole = CorrelationMoments.from_predictions(y, champion, challenger)
    parts = [slice(0, 1), slice(1, 40), slice(40, 60)]
    shards = [
        CorrelationMoments.from_predictions(y[part], champion[part], challenger[part])
        for part in parts
    ]
    merged = sum(shards)

    assert 60 == merged.n
    assert_allclose(merged.means, whole.means, rtol=1e-14)
    assert_allclose(merged.products, whole.products, rtol=1e-7)
    assert whole == whole.swap().swap()
    columns = np.stack([champion, challenger, challenger - champion, y])
    assert_allclose(whole.products, 59 * np.cov(columns), rtol=1e-6)
    whole.save(tmp_path / "moments.json")
    assert whole == load_evidence(tmp_path / "moments.json")
    agreement = AgreementMoments.from_predictions(champion, challenger)
    assert_allclose(agreement.products, whole.products[:3, :3])


def test_only_by_name():
    """A comparison by correlations runs it where it is named, with its caveat."""
    y, champion, challenger = numbers(100)
    both = {"old": champion, "new": challenger}
    usual = compare(y, both, scoring="pearson_correlation")
    assert ["influence_difference"] == [row.test for row in usual.rows]
    assert "assumes-normality" == paired_tests()["dependent_correlations"].caution

    tests = {"dependent_correlations": {"method": "williams"}, "influence_difference": {}}
    named = compare(y, both, scoring="pearson_correlation", tests=tests)
    row = {row.test: row for row in named.rows}["dependent_correlations"]
    expected = dependent_correlations(y, champion, challenger, method="williams")
    assert expected.pvalue == row.pvalue
    assert "assumes-normality" in row.flags
    grouped = compare(
        y, both, scoring="pearson_correlation", tests=tests, groups=np.arange(100) // 2
    )
    row = {row.test: row for row in grouped.rows}["dependent_correlations"]
    assert "invalid-design" in row.flags


@pytest.mark.parametrize("metric", [pearson_correlation, spearman_correlation])
def test_block_regularized_cross_validation(metric):
    """The default design has a test of the mean correlation over the halves."""
    scoring, (X, y) = metric.__name__, load_diabetes(return_X_y=True)
    X, y = X[:120], y[:120]
    pair = DecisionTreeRegressor(max_depth=2, random_state=0), Ridge(0.1)
    comparator = PairedComparator(*pair, scoring=scoring, random_state=0).fit(X, y)
    (row,) = comparator.comparison_.rows
    predictions = comparator.predictions_
    truth, parts = predictions.y_predicted(), list(predictions.slices())
    scores = [
        np.mean([metric(truth[part], role.values[part]) for part in parts])
        for role in predictions.estimators
    ]
    gains = np.empty((5, 120))
    for split, part in enumerate(parts):
        y_part, *both = truth[part], *(own.values[part] for own in predictions.estimators)
        once = np.ones((1, len(y_part)), dtype=np.int32)
        score = NUMBER_SCORES[scoring]
        slopes = [score.prepared(y_part, own, None).slopes(once)[0] for own in both]
        values = [metric(y_part, own) for own in both]
        own = len(y_part) * (slopes[1] - slopes[0]) + values[1] - values[0]
        gains[split // 2, predictions.records[part]] = own
    in_first = np.zeros((5, 120), dtype=bool)
    for split in range(0, 10, 2):
        in_first[split // 2, predictions.records[parts[split]]] = True
    expected = bcv_jackknife_t(BlockDifferences.from_records(gains, in_first))

    assert "bcv_jackknife_t" == row.test
    assert "invalid-design" not in row.flags
    assert_allclose((row.champion, row.challenger), scores, rtol=1e-12)
    assert_allclose((row.difference, row.pvalue), (expected.estimate, expected.pvalue))
    (same,) = (
        PairedComparator(Ridge(), Ridge(), scoring=scoring, random_state=0)
        .fit(X, y)
        .comparison_.rows
    )
    assert (0, 1) == (same.difference, same.pvalue)
