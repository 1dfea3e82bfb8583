"""A score, leaving out one record or group at a time."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, f1_score

from skcompare import compare
from skcompare.evidence import ScoredPair
from skcompare.stats import bootstrap_difference, jackknife_difference


def made_up(n=120, n_positive=30, seed=0):
    """True labels with scores of a coarse and a finer ranking, of equal quality."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n - n_positive])
    return y, y + rng.normal(0, 1, n), y * rng.normal(1, 2, n) + rng.normal(0, 0.8, n)


def ranked(y, champion, challenger, **words):
    """Evidence of average precision."""
    return ScoredPair.from_predictions(
        y, champion, challenger, score="average_precision", **words
    )


def jackknife(differences, observed):
    """The corrected difference, its error and degrees of freedom, by formula."""
    k = len(differences)
    moves = differences - differences.mean()
    bias = (k - 1) * (differences.mean() - observed)
    square, fourth = (moves**2).sum(), (moves**4).sum()
    df = 2 * square**2 / (fourth - square**2 / k)
    corrected = observed - bias
    corrected = corrected if corrected * observed > 0 else 0.0
    return corrected, math.sqrt((k - 1) / k * square), min(max(df, 1), k - 1)


def log_odds(p):
    """Log-odds of a share."""
    return np.log(p / (1 - p))


@pytest.mark.parametrize("grouped", [False, True])
def test_formula(grouped):
    """The larger p of the score as it is and of its log-odds, by scikit-learn."""
    y, champion, challenger = made_up(60, 20)
    groups = np.arange(60) % 20 if grouped else np.arange(60)
    result = jackknife_difference(
        ranked(y, champion, challenger, groups=groups if grouped else None)
    )
    whole = [average_precision_score(y, scores) for scores in (champion, challenger)]
    without = np.array(
        [
            [average_precision_score(y[keep], s[keep]) for s in (champion, challenger)]
            for keep in (groups != unit for unit in np.unique(groups))
        ]
    ).T
    found = []
    for scale in (lambda p: p, log_odds):
        first, second = scale(np.array(whole))
        apart = scale(without)
        difference, error, df = jackknife(apart[1] - apart[0], second - first)
        p = 2 * stats.t.sf(abs(difference / error), df)
        slope = (whole[1] - whole[0]) / (second - first)
        half = stats.t.isf(0.025, df) * error
        limits = slope * (difference - half), slope * (difference + half)
        found.append((p, difference / error, df, *limits))
    expected = max(found)

    assert whole[1] - whole[0] == pytest.approx(result.estimate)
    p, statistic, df, low, high = expected
    assert (statistic, p, df) == pytest.approx(
        (result.statistic, result.pvalue, result.df), rel=1e-8
    )
    assert (low, high) == pytest.approx(tuple(result.confidence_interval()), rel=1e-6)


@pytest.mark.slow
def test_average_precision_of_unlike_shapes():
    """Rankings of equal average precision and unlike shapes do not differ too often.

    Positive records have a wide spread of scores in one and a narrow one in the other.
    """
    rng = np.random.default_rng(21)
    y = np.repeat([1, 0], [15, 135])
    found = np.zeros(2)
    for _ in range(200):
        shared, *own = rng.normal(size=(3, 150))
        wide, narrow = (
            mean * y + np.where(y, sd, 1) * (shared + part) / math.sqrt(2)
            for mean, sd, part in zip((1.291, 1.645), (2, 0.5), own)
        )
        pair = ranked(y, wide, narrow)
        percentile = bootstrap_difference(pair, n_resamples=199, random_state=0)
        found += [jackknife_difference(pair).pvalue < 0.05, percentile.pvalue < 0.05]

    assert found[0] <= 5 < 10 <= found[1]


def test_no_correction_turns_the_sign():
    """A bias that is larger than the difference is taken for all of it."""
    for seed in range(40):
        result = jackknife_difference(ranked(*made_up(40, 8, seed)))
        assert result.statistic * result.estimate >= 0


def test_default_of_average_precision():
    """It is the default on a hold-out set, with groups as units where there are any."""
    y, champion, challenger = made_up()
    predictions = {"a": stats.norm.cdf(champion), "b": stats.norm.cdf(challenger)}
    alone = compare(y, predictions, scoring="average_precision")
    grouped = compare(
        y, predictions, scoring="average_precision", groups=np.arange(120) % 40
    )

    for comparison in (alone, grouped):
        assert "jackknife_difference" == comparison.rows[0].test
    assert 40 == grouped.rows[0].result.details["groups"]


def test_default_of_f1_by_groups():
    """Scores of counts have it where records come in groups."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    predictions = {name: np.where(rng.random(200) < 0.8, y, 1 - y) for name in "ab"}
    row = compare(y, predictions, scoring="f1", groups=np.arange(200) // 5).rows[0]

    assert "jackknife_difference" == row.test
    assert f1_score(y, predictions["b"]) - f1_score(y, predictions["a"]) == pytest.approx(
        row.difference
    )


def test_equal_scores():
    """No difference: 0 with p = 1, also where nothing can be left out."""
    y, champion, _ = made_up()
    for labels in (y, np.r_[1, np.zeros(119, int)]):
        result = jackknife_difference(ranked(labels, champion, champion))
        assert (0, 1) == (result.statistic, result.pvalue)
        assert "degenerate" in result.flags


def test_undefined_without_a_record():
    """With one positive record nothing is known of the spread, and another test decides."""
    y = np.r_[1, np.zeros(19, int)]
    predictions = {"a": np.linspace(0, 1, 20), "b": np.linspace(1, 0.3, 20) ** 2}
    result = jackknife_difference(ranked(y, predictions["a"], predictions["b"]))
    comparison = compare(y, predictions, scoring="average_precision")
    row = comparison.rows[0]

    assert math.isnan(result.pvalue)
    assert "undefined-left-out" in result.flags
    assert result.confidence_interval() == (-1, 1)
    assert "permutation_difference" == row.test
    assert "jackknife_difference has no p-value here" in row.note
    assert comparison.conclusion.records_needed is None


def test_difference_that_does_not_vary():
    """A known score without any spread: p is undefined, the interval has everything."""
    y = np.repeat([0, 1], 20)
    pair = ScoredPair.from_predictions(y, 1 - y, y, score="accuracy")
    result = jackknife_difference(pair)

    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags
    assert result.confidence_interval() == (-1, 1)


def test_many_records_are_left_out_in_parts():
    """Above 2000 records, 200 parts that depend neither on order nor on roles."""
    y, champion, challenger = made_up(2500, 600)
    result = jackknife_difference(ranked(y, champion, challenger))
    order = np.random.default_rng(1).permutation(2500)
    again = jackknife_difference(ranked(y[order], champion[order], challenger[order]))
    swapped = jackknife_difference(ranked(y, challenger, champion))

    assert 200 == result.details["left_out"]
    assert result.df <= 199
    assert again.pvalue == pytest.approx(result.pvalue, rel=1e-9)
    assert swapped.pvalue == pytest.approx(result.pvalue, rel=1e-9)
