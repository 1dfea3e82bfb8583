"""The test that several precisions are equal."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from skcompare.evidence import ClusterSums
from skcompare.stats import gee_precision, precision_several
from tests.stats.precision.test_gee import figures, names, sums_of_case


def predictions_of(k=4, n=150, n_groups=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    shift = rng.integers(1, 3, size=n)
    predictions = [
        np.where(rng.random(n) < 0.5 + 0.08 * i, y, (y + shift) % 3) for i in range(k)
    ]
    return y, predictions, rng.integers(n_groups, size=n)


def sums_of(k=4, order=None, **options):
    y, predictions, groups = predictions_of(k, **options)
    order = range(k) if order is None else order
    return ClusterSums.from_predictions(
        y, *(predictions[i] for i in order), groups=groups, names=[f"m{i}" for i in order]
    )


def test_joint_wald_by_statsmodels():
    """Chi-squared of all odds ratios, with up to four classifiers and repetitions."""
    seen = set()
    for case, figure in figures("converged"):
        if figure["link"] != "logit":
            continue
        k = len(figure["coef"])
        seen.add((k, "repeats" in case))

        result = precision_several(
            sums_of_case(case),
            label=figure["label"],
            score=figure["score"],
            method="wald",
        )

        assert figure["wald"] == pytest.approx(result.statistic, rel=1e-9, abs=1e-11)
        assert figure["wald_p"] == pytest.approx(result.pvalue, rel=1e-8)
        assert k - 1 == result.df
        ratios = np.exp([0, *figure["coef"][1:]])
        assert ratios == pytest.approx([p["odds_ratio"] for p in result.parts], rel=1e-9)
    assert {(2, False), (4, False), (2, True), (4, True)} == seen


def test_joint_score_by_statsmodels():
    """compare_score_test against the model with an intercept alone."""
    n = 0
    for case, figure in figures("converged"):
        n += len(figure["coef"]) == 4
        result = precision_several(
            sums_of_case(case), label=figure["label"], score=figure["score"]
        )

        assert figure["score_df"] == result.df
        assert figure["score_statistic"] == pytest.approx(
            result.statistic, rel=1e-9, abs=1e-11
        )
        assert figure["score_p"] == pytest.approx(result.pvalue, rel=1e-8)
    assert n > 20


def test_statsmodels_and_geepack():
    """Both packages' Wald chi-squared of four classifiers, to their common digits."""
    n = 0
    for case, figure in figures("shared"):
        if figure["link"] != "logit" or "wald" not in figure:
            continue
        n += len(figure["coef"]) == 4
        result = precision_several(
            sums_of_case(case),
            label=figure["label"],
            score=figure["score"],
            method="wald",
        )
        assert figure["wald"] == pytest.approx(result.statistic, rel=1e-6, abs=1e-9)
        assert figure["wald_df"] == result.df
    assert n >= 5


def test_vector_of_scores():
    """U'V⁻U of the scores of all but the first classifier, one row per prediction."""
    y, predictions, groups = predictions_of()
    named = np.array(predictions) == 2
    right = y == 2
    pooled = (named & right).sum() / named.sum()
    share = named.sum(axis=1) / named.sum()
    scores = np.zeros((groups.max() + 1, 4))
    for record, group in enumerate(groups):
        own = named[:, record]
        scores[group] += (right[record] - pooled) * (own - own.sum() * share)
    scores = scores[:, 1:]
    total = scores.sum(axis=0)
    expected = total @ np.linalg.pinv(scores.T @ scores) @ total

    result = precision_several(sums_of())

    assert expected == pytest.approx(result.statistic, rel=1e-10)
    assert chi2.sf(expected, 3) == pytest.approx(result.pvalue, rel=1e-9)


def test_two_classifiers():
    """The statistic is the square of that of the marginal model."""
    for method in ("score", "wald"):
        for seed in range(5):
            sums = sums_of(2, seed=seed)
            joint, single = (
                f(sums, method=method) for f in (precision_several, gee_precision)
            )

            assert single.statistic**2 == pytest.approx(joint.statistic, rel=1e-10)
            assert single.pvalue == pytest.approx(joint.pvalue, rel=1e-10)
            assert abs(single.challenger - single.champion) == pytest.approx(joint.estimate)


def test_any_order_and_reference():
    """Neither the order of the classifiers nor the reference changes the test."""
    for method in ("score", "wald"):
        expected = precision_several(sums_of(), method=method)
        for order in ((3, 2, 1, 0), (1, 0, 2, 3), (2, 3, 0, 1), (1, 2, 3, 0)):
            result = precision_several(sums_of(order=order), method=method)
            assert expected.statistic == result.statistic
        for reference in names(4):
            result = precision_several(sums_of(), method=method, reference=reference)
            assert (expected.statistic, expected.pvalue) == tuple(result)
            at = names(4).index(reference)
            assert 1 == result.parts[at]["odds_ratio"]
            ratios = [part["odds_ratio"] for part in expected.parts]
            assert [one / ratios[at] for one in ratios] == pytest.approx(
                [part["odds_ratio"] for part in result.parts], rel=1e-12
            )


def test_the_same_classifier_again():
    """Every classifier twice adds no degree of freedom and changes nothing."""
    y, predictions, groups = predictions_of(3)
    alone = ClusterSums.from_predictions(y, *predictions, groups=groups, names=names(3))
    more = [*predictions, *predictions[::-1]]
    again = ClusterSums.from_predictions(y, *more, groups=groups, names=names(6))
    for method in ("score", "wald"):
        expected = precision_several(alone, method=method)
        result = precision_several(again, method=method)

        assert 2 == expected.df == result.df
        assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
        assert 1 == result.parts[5]["odds_ratio"]


def test_parts():
    """Each classifier with its counts, and the interval of its odds ratio."""
    y, predictions, groups = predictions_of()
    sums = sums_of()
    result = precision_several(sums)
    for part, prediction, name in zip(result.parts, predictions, names(4), strict=True):
        named = prediction == 2
        assert (name, named.sum(), (named & (y == 2)).sum()) == (
            part["name"],
            part["predictions"],
            part["hits"],
        )
        assert part["hits"] / part["predictions"] == part["share"]
    pair = gee_precision(ClusterSums.from_predictions(y, *predictions[:2], groups=groups))
    assert tuple(pair.confidence_interval()) == pytest.approx(
        (result.parts[1]["low"], result.parts[1]["high"]), rel=1e-9
    )


def test_a_classifier_without_predictions_is_left_out():
    """The others are tested, and the result says so."""
    y, predictions, groups = predictions_of(3)
    silent = np.where(predictions[0] == 2, 0, predictions[0])
    expected = precision_several(
        ClusterSums.from_predictions(y, *predictions, groups=groups, names=names(3))
    )
    result = precision_several(
        ClusterSums.from_predictions(y, *predictions, silent, groups=groups, names=names(4))
    )

    assert expected.statistic == result.statistic
    assert expected.df == result.df
    assert "no-predictions" in result.flags
    assert "no-predictions" not in expected.flags
    assert math.isnan(result.parts[3]["odds_ratio"])


def test_one_classifier_left():
    """Nothing is tested, and p is undefined."""
    y, predictions, _ = predictions_of(2)
    silent = np.where(predictions[0] == 2, 0, predictions[0])
    result = precision_several(ClusterSums.from_predictions(y, predictions[0], silent))

    assert math.isnan(result.statistic)
    assert math.isnan(result.pvalue)
    assert "no-predictions" in result.flags


def test_precision_of_one():
    """Wald's test is undefined, the score test is not."""
    y, predictions, _ = predictions_of(3)
    perfect = np.where(y == 2, predictions[2], 0)
    sums = ClusterSums.from_predictions(y, *predictions, perfect, names=names(4))
    wald, score = (precision_several(sums, method=m) for m in ("wald", "score"))

    assert math.isnan(wald.pvalue)
    assert "share-of-0-or-1" in wald.flags
    assert score.pvalue < 0.001
    assert math.isnan(score.parts[3]["odds_ratio"])
    assert (0, math.inf) == (score.parts[3]["low"], score.parts[3]["high"])


def test_fewer_groups_than_classifiers():
    """The rank is that of the groups; a score then still lies in their span."""
    sums = sums_of(4, n=40, n_groups=3)
    score = precision_several(sums)
    wald = precision_several(sums, method="wald")

    assert score.df <= 3
    assert score.statistic == pytest.approx(3, rel=1e-9)
    assert wald.df <= 2
    assert "zero-variance" in wald.flags
    assert math.isnan(wald.pvalue)


def test_unknown_reference():
    """A name that is no classifier is refused."""
    with pytest.raises(ValueError, match=r"Unknown reference 'm9'.*m0, m1"):
        precision_several(sums_of(2), reference="m9")


def test_others_alike():
    """Where all but a silent classifier prediction alike, nothing differs: p is 1."""
    y = np.array([1] * 20 + [0] * 20)
    right = np.where(np.arange(40) < 3, 0, y)
    sums = ClusterSums.from_predictions(y, right, right, 0 * y, names=names(3))
    for method in ("score", "wald"):
        result = precision_several(sums, method=method)

        assert (0, 1, 0) == (result.statistic, result.pvalue, result.df)
        assert {"degenerate", "no-predictions"} <= set(result.flags)
        assert [1, 1] == [part["odds_ratio"] for part in result.parts[:2]]
        assert (1, 1) == (result.parts[1]["low"], result.parts[1]["high"])
        assert math.isnan(result.parts[2]["odds_ratio"])


def test_ratio_without_variance():
    """One cluster gives odds ratios, whose limits are unknown, as in the test of a pair."""
    y, right, wrong = [1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]
    sums = ClusterSums.from_predictions(y, right, wrong, groups=[0] * 5)
    part = precision_several(sums, label=1).parts[1]
    pair = gee_precision(sums, label=1)

    assert (0.5, 0, math.inf) == (part["odds_ratio"], part["low"], part["high"])
    assert (part["odds_ratio"], (part["low"], part["high"])) == (
        pytest.approx(pair.estimate),
        tuple(pair.confidence_interval()),
    )
