"""DeLong's test of several AUCs, weighted sums of them, and all pairs."""

import itertools
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from skcompare.evidence import PlacementValues
from skcompare.stats import (
    adjust_pvalues,
    auc_contrast,
    delong,
    delong_joint,
    pairwise_delong,
)
from skcompare.stats.ranking._delong_joint import quadratic_form
from tests.common.golden import golden

GOLDEN = golden("auc")
FOUR = next(case for case in GOLDEN["cases"] if "auc_all" in case)
ASAH = GOLDEN["aSAH"]


def several(k=4, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:4] = 0, 1, 0, 1
    shared = rng.normal(size=n)
    return y, [y * (1 + 0.2 * i) + shared + rng.normal(size=n) for i in range(k)]


def test_other_implementations():
    """Four correlated classifiers: chi-squared of the covariances of pROC."""
    known = next(iter(FOUR["auc_all"].values()))
    placements = PlacementValues.from_predictions(FOUR["y"], *FOUR["scores"])

    result = delong_joint(placements)

    assert known["chi2"] == pytest.approx(result.statistic, rel=1e-10)
    assert known["df"] == result.df
    assert known["p"] == pytest.approx(result.pvalue, rel=1e-9, abs=0)
    expected = np.reshape(known["cov"], (4, 4))
    np.testing.assert_allclose(expected, placements.covariance, rtol=1e-10)


def test_proc_data():
    """The three markers of pROC's data."""
    markers = [ASAH[name] for name in ("wfns", "s100b", "ndka")]

    result = delong_joint(PlacementValues.from_predictions(ASAH["y"], *markers))

    assert ASAH["chi2_all_equal"] == pytest.approx(result.statistic, rel=1e-10)
    assert 2 == result.df
    assert max(ASAH["auc"]) - min(ASAH["auc"]) == pytest.approx(result.estimate)


def test_two_classifiers_are_delongs_test():
    """The statistic is the square, and p is the same."""
    y, scores = several(2)
    placements = PlacementValues.from_predictions(y, *scores)
    single, joint = delong(placements), delong_joint(placements)

    assert single.statistic**2 == pytest.approx(joint.statistic, rel=1e-12)
    assert single.pvalue == pytest.approx(joint.pvalue, rel=1e-12)
    assert 1 == joint.df


def test_any_order_of_the_classifiers():
    """Other neighbours span the same differences."""
    y, scores = several()
    expected = delong_joint(PlacementValues.from_predictions(y, *scores))
    for order in itertools.permutations(range(4)):
        placements = PlacementValues.from_predictions(y, *(scores[i] for i in order))
        assert expected.statistic == delong_joint(placements).statistic


def test_equal_rankings_drop_out():
    """A copy of a classifier changes neither statistic nor degrees of freedom."""
    y, scores = several(3)
    plain = delong_joint(PlacementValues.from_predictions(y, *scores))
    copies = [scores[0], scores[1], np.exp(scores[0]), scores[2], 2 * scores[1]]

    result = delong_joint(PlacementValues.from_predictions(y, *copies))

    assert (plain.statistic, plain.df, plain.pvalue) == (
        result.statistic,
        result.df,
        result.pvalue,
    )
    assert not result.degenerate


def test_only_copies():
    """Where all rank alike there is nothing to test."""
    y, (score, *_) = several()

    result = delong_joint(PlacementValues.from_predictions(y, score, 2 * score, score**3))

    assert (0.0, 1.0, 0) == (result.statistic, result.pvalue, result.df)
    assert result.degenerate


def test_more_classifiers_than_records():
    """The rank is at most that of the records, without a tolerance."""
    y = np.array([0, 0, 0, 1, 1, 1])
    scores = np.random.default_rng(0).integers(0, 3, size=(9, 6))
    result = delong_joint(PlacementValues.from_predictions(y, *scores))

    assert result.df <= 4
    assert math.isnan(result.pvalue) == ("zero-variance" in result.flags)


def test_difference_without_variance():
    """A perfect and a constant score differ by an amount that does not vary."""
    y = [0, 0, 1, 1]
    placements = PlacementValues.from_predictions(y, [1, 2, 3, 4], [0] * 4, [1, 3, 2, 4])

    result = delong_joint(placements)

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags


def test_quadratic_form():
    """Exact elimination gives what a pseudo-inverse does, and knows the range."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        root = rng.integers(-3, 4, size=(4, rng.integers(1, 6)))
        matrix = root @ root.T
        inside = matrix @ rng.integers(-3, 4, size=4)
        outside = rng.integers(-3, 4, size=4)
        rank = np.linalg.matrix_rank(matrix)

        value, found, consistent = quadratic_form(matrix.tolist(), inside.tolist())
        _, _, other = quadratic_form(matrix.tolist(), outside.tolist())

        expected = inside @ np.linalg.pinv(matrix) @ inside
        assert isinstance(value, Fraction)
        assert expected == pytest.approx(float(value), abs=1e-9)
        assert rank == found
        assert consistent
        joined = np.linalg.matrix_rank(np.column_stack([matrix, outside]))
        assert (joined == rank) == other


def test_joint_refusals():
    """One classifier has no other to be equal to."""
    y, (score, *_) = several()
    with pytest.raises(ValueError, match=r"two or more classifiers. Got 1"):
        delong_joint(PlacementValues.from_predictions(y, score))
    with pytest.raises(ValueError, match="at least two records of each class"):
        delong_joint(PlacementValues.from_predictions([0, 1, 1], [1, 2, 3], [1, 2, 3]))


def test_contrast_by_hand():
    """The weighted sum and the quadratic form of its covariances."""
    y, scores = several(3)
    placements = PlacementValues.from_predictions(y, *scores)
    weights = np.array([-1, 0.25, 0.75])

    result = auc_contrast(placements, weights)

    estimate = weights @ placements.aucs
    deviation = math.sqrt(weights @ placements.covariance @ weights)
    assert estimate == pytest.approx(result.estimate, rel=1e-12)
    assert estimate / deviation == pytest.approx(result.statistic, rel=1e-10)
    low, high = result.confidence_interval()
    assert (low + high) / 2 == pytest.approx(estimate)
    assert [-1, 0.25, 0.75] == [part["weight"] for part in result.parts]
    assert len(y) == result.n


def test_contrast_of_two_is_delongs_test():
    """Weights -1 and 1, at any alternative and null value."""
    y, scores = several(2)
    placements = PlacementValues.from_predictions(y, *scores)
    for alternative in ("two-sided", "less", "greater"):
        options = {"alternative": alternative, "null_value": 0.1}
        expected = delong(placements, **options)
        result = auc_contrast(placements, (-1, 1), **options)

        # 0.1 is meant as 1 / 10 here, and as the nearest double there.
        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-12)
        assert expected.confidence_interval() == pytest.approx(result.confidence_interval())


def test_single_auc_against_a_half():
    """Other weights test another null value."""
    y, (score, *_) = several()
    placements = PlacementValues.from_predictions(y, score)

    result = auc_contrast(placements, [1], null_value=0.5, alternative="greater")

    deviation = math.sqrt(placements.covariance[0, 0])
    assert (placements.aucs[0] - 0.5) / deviation == pytest.approx(result.statistic)
    assert 1 == result.confidence_interval().high


@pytest.mark.parametrize("weights", [(1 / 3, 1 / 3, -2 / 3), (0.1, 0.2, -0.3)])
def test_contrast_of_copies(weights):
    """Weights that mean to add up to 0 do, so that copies do not differ."""
    y, (score, *_) = several()
    placements = PlacementValues.from_predictions(y, score, score, score)

    result = auc_contrast(placements, weights)

    assert (0.0, 1.0) == tuple(result)
    assert result.degenerate
    assert (0, 0) == tuple(result.confidence_interval())


def test_contrast_without_variance():
    """Nothing is known of a sum that does not vary."""
    placements = PlacementValues.from_predictions([0, 0, 1, 1], [1, 2, 3, 4], [0] * 4)

    result = auc_contrast(placements, (1, -1))

    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert (-1, 1) == tuple(result.confidence_interval())
    assert (0, 1) == tuple(auc_contrast(placements, (1, 0)).confidence_interval())


def test_refused_weights():
    """A number a classifier, finite, not all 0."""
    for weights, message in [
        ((1, -1), "must have shape"),
        ((0, 0, 0), "not all 0"),
        ((1, np.nan, -1), "must be finite"),
        (("a", "b", "c"), "must have shape"),
    ]:
        y, scores = several(3)
        with pytest.raises(ValueError, match=message):
            auc_contrast(PlacementValues.from_predictions(y, *scores), weights)


def test_contrast_refusals():
    """Other evidence and other null values are refused; other designs are flagged."""
    y, scores = several(2)
    placements = PlacementValues.from_predictions(y, *scores)
    with pytest.raises(TypeError, match="auc_contrast needs PlacementValues"):
        auc_contrast(y, (1, -1))
    for null in (np.inf, np.nan, 1.5, -1.5, "0", None):
        with pytest.raises(ValueError, match=r"these weights allow, between -1 and 1. Got"):
            auc_contrast(placements, (1, -1), null_value=null)
    assert auc_contrast(placements, (0, 3), null_value=1.5).null_value == 1.5
    grouped = PlacementValues.from_predictions(y, *scores, groups=np.arange(len(y)))
    assert ("invalid-design",) == auc_contrast(grouped, (1, -1)).flags
    assert "invalid-design" in pairwise_delong(grouped).flags


def test_pairs_are_delongs_tests():
    """Every pair by itself, and p adjusted as any other."""
    y, scores = several()
    placements = PlacementValues.from_predictions(y, *scores, names=list("ABCD"))
    for adjust in ("holm", "hochberg", "bonferroni", "benjamini-hochberg", "none"):
        result = pairwise_delong(placements, adjust=adjust)

        for i, (a, b) in enumerate(itertools.combinations(range(4), 2)):
            pair = PlacementValues.from_predictions(y, scores[a], scores[b])
            expected = delong(pair)
            assert ("ABCD"[a], "ABCD"[b]) == (result.champion[i], result.challenger[i])
            assert expected.estimate == result.estimate[i]
            assert tuple(expected) == pytest.approx((result.statistic[i], result.pvalue[i]))
            level = 0.95 if adjust == "none" else 1 - 0.05 / 6
            assert (result.low[i], result.high[i]) == pytest.approx(
                expected.confidence_interval(level)
            )
        np.testing.assert_array_equal(
            adjust_pvalues(result.pvalue, adjust), result.adjusted_pvalue
        )


def test_max_t_is_between_raw_and_bonferroni():
    """It uses the dependence of the pairs, and one pair needs no adjustment."""
    y, scores = several(5)
    placements = PlacementValues.from_predictions(y, *scores)
    plain = pairwise_delong(placements, adjust="bonferroni")

    result = pairwise_delong(placements, adjust="max-t", n_resamples=20_000)

    slack = 4 * result.monte_carlo_error
    assert (result.adjusted_pvalue >= result.pvalue).all()
    assert (result.adjusted_pvalue <= plain.adjusted_pvalue + slack).all()
    pair = PlacementValues.from_predictions(y, *scores[:2])
    one = pairwise_delong(pair, adjust="max-t", n_resamples=20_000)
    error = one.monte_carlo_error[0]
    assert one.pvalue[0] == pytest.approx(one.adjusted_pvalue[0], abs=4 * error)


def test_max_t_does_not_depend_on_order():
    """Neither the order of records nor that of classifiers with names matters."""
    y, scores = several()
    order = np.random.default_rng(5).permutation(len(y))
    names = list("ABCD")
    one = pairwise_delong(
        PlacementValues.from_predictions(y, *scores, names=names), adjust="max-t"
    )
    mixed = pairwise_delong(
        PlacementValues.from_predictions(
            y[order], *(score[order] for score in scores), names=names
        ),
        adjust="max-t",
    )
    turned = pairwise_delong(
        PlacementValues.from_predictions(y, *scores[::-1], names=names[::-1]),
        adjust="max-t",
    )

    np.testing.assert_array_equal(one.adjusted_pvalue, mixed.adjusted_pvalue)
    back = dict(
        zip(zip(turned.challenger, turned.champion), turned.adjusted_pvalue, strict=True)
    )
    for pair, adjusted in zip(
        zip(one.champion, one.challenger), one.adjusted_pvalue, strict=True
    ):
        assert adjusted == back[pair]


def test_control_and_direction():
    """Each classifier against a control, in both directions, mirrored exactly."""
    y, scores = several()
    names = list("ABCD")
    placements = PlacementValues.from_predictions(y, *scores, names=names)
    mirrored = PlacementValues.from_predictions(
        y, *(-score for score in scores), names=names
    )
    for adjust in ("holm", "max-t"):
        greater = pairwise_delong(
            placements, control="B", alternative="greater", adjust=adjust
        )
        less = pairwise_delong(mirrored, control="B", alternative="less", adjust=adjust)

        assert ("A", "C", "D") == greater.challenger
        np.testing.assert_allclose(
            greater.adjusted_pvalue, less.adjusted_pvalue, rtol=1e-12
        )
    with pytest.raises(ValueError, match="needs a control"):
        pairwise_delong(placements, alternative="greater")
    with pytest.raises(ValueError, match="Unknown control 'E'"):
        pairwise_delong(placements, control="E")
    with pytest.raises(ValueError, match="Unknown adjust 'tukey'"):
        pairwise_delong(placements, adjust="tukey")
    with pytest.raises(TypeError, match="pairwise_delong needs PlacementValues"):
        pairwise_delong(y)


def test_pairs_without_variance():
    """Copies have p 1, differences without variance none, and both stay in the table."""
    y = np.array([0, 0, 0, 1, 1, 1])
    scores = [1, 2, 3, 4, 5, 6], [0] * 6, [1, 4, 3, 2, 5, 6], [2, 8, 6, 4, 10, 12]
    placements = PlacementValues.from_predictions(y, *scores, names=list("ABCD"))
    for adjust in ("holm", "max-t"):
        result = pairwise_delong(placements, adjust=adjust)
        rows = dict(zip(zip(result.champion, result.challenger), range(6)))

        copies, undefined = rows["C", "D"], rows["A", "B"]
        assert (1, 1) == (result.pvalue[copies], result.adjusted_pvalue[copies])
        assert math.isnan(result.pvalue[undefined])
        assert math.isnan(result.adjusted_pvalue[undefined])
        assert (-1, 1) == (result.low[undefined], result.high[undefined])
        assert "zero-variance" in result.flags


def test_pairwise_result_says_all():
    """Text, plain values, frame, and a copy by pickle."""
    y, scores = several(3)
    placements = PlacementValues.from_predictions(y, *scores, names=list("ABC"))
    result = pairwise_delong(placements, adjust="max-t", n_resamples=99)
    again = pickle.loads(pickle.dumps(result))

    assert json.loads(json.dumps(result.to_dict())) == json.loads(
        json.dumps(again.to_dict())
    )
    assert 3 == len(result) == len(result.to_frame())
    assert "pairwise DeLong, two-sided, n = 120" in str(result)
    assert "PairwiseResult(pairwise_delong, 3 pairs" in repr(result)
    assert not again.pvalue.flags.writeable
    assert [] == result.caveats


@pytest.mark.slow
def test_size_under_the_null():
    """Three equally good classifiers differ significantly in about 5 % of samples."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [60, 60])
    found = []
    for _ in range(600):
        shared = rng.normal(size=120)
        scores = [1.2 * y + shared + rng.normal(size=120) for _ in range(3)]
        found.append(delong_joint(PlacementValues.from_predictions(y, *scores)).statistic)

    assert 0.03 < np.mean(np.array(found) > chi2.isf(0.05, 2)) < 0.085
