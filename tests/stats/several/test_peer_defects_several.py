"""Faults that were seen in other libraries when several classifiers are compared.

Each test names what is wrong elsewhere; the correct prediction is asserted here.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import CorrectnessPatterns
from skcompare.stats import adjust_pvalues, cochran_q, pairwise_mcnemar

METHODS = ("asymptotic", "exact", "permutation")


def test_identical_classifiers():
    """Elsewhere Q is 0 / 0 and the p-value NaN."""
    y = np.array([0, 1, 2, 1, 0])
    predictions = np.array([0, 1, 1, 1, 0])
    patterns = CorrectnessPatterns.from_predictions(
        y, predictions, predictions, predictions
    )
    for method in METHODS:
        result = cochran_q(patterns, method=method)

        assert (0.0, 1.0) == tuple(result)
        assert result.degenerate
    assert [1.0] * 3 == pairwise_mcnemar(patterns).adjusted_pvalue.tolist()


def test_nobody_is_ever_right():
    """Elsewhere a table of zeros alone is read as one of correct predictions alone."""
    patterns = CorrectnessPatterns(np.zeros((6, 3)))

    assert [0, 0, 0] == patterns.n_correct.tolist()
    assert [0.0] * 3 == [part["accuracy"] for part in cochran_q(patterns).parts]


def test_forty_classifiers():
    """Elsewhere all 2**40 patterns are counted one after the other."""
    predictions = np.random.default_rng(0).random((2000, 40)) < 0.8
    patterns = CorrectnessPatterns(predictions)
    by_record, by_classifier = predictions.sum(axis=1), predictions.sum(axis=0)
    expected = 40 * 39 * by_classifier.var() * 40 / (by_record * (40 - by_record)).sum()

    result = cochran_q(patterns)

    assert expected == pytest.approx(result.statistic, rel=1e-12)
    assert stats.chi2.sf(expected, 39) == pytest.approx(result.pvalue, rel=1e-12)
    assert 780 == len(pairwise_mcnemar(patterns))


def test_unanimous_records_add_no_degrees_of_freedom():
    """Elsewhere an F test has (k - 1) n of them, though its mean square (k - 1)(n - 1)."""
    few = {"100": 4, "011": 11, "010": 5}
    alone = cochran_q(CorrectnessPatterns.from_counts(few))
    among = cochran_q(CorrectnessPatterns.from_counts(few | {"111": 5000}))

    assert 2 == alone.df == among.df
    assert tuple(alone) == pytest.approx(tuple(among), rel=1e-12)


def test_half_of_a_statistic():
    """A textbook prints Q without the factor of the classifiers less 1: 3.76."""
    counts = {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}

    result = cochran_q(CorrectnessPatterns.from_counts(counts))

    assert 7.5294 == pytest.approx(result.statistic, abs=5e-5)


def test_bonferroni_is_bonferroni():
    """Elsewhere what is called so steps like Holm, and not even monotonely."""
    pvalues = [0.01, 0.02, 0.03, 0.04]

    assert [0.04, 0.08, 0.12, 0.16] == pytest.approx(
        adjust_pvalues(pvalues, "bonferroni").tolist()
    )


def test_more_comparisons_weaken_nothing():
    """Elsewhere the required confidence falls from 0.995 to 0.955 for ten comparisons."""
    for method in ["bonferroni", "holm", "hochberg", "benjamini-hochberg"]:
        smallest = [
            adjust_pvalues([0.004] + [0.5] * others, method)[0] for others in range(20)
        ]

        assert all(fewer <= more for fewer, more in pairwise(smallest))
        assert 0.04 == pytest.approx(smallest[9])


def test_adjusted_pvalues_are_probabilities():
    """Elsewhere Holm's adjusted p-values rise to 2.78."""
    pvalues = np.random.default_rng(0).random(40)
    for method in ("bonferroni", "holm", "hochberg", "benjamini-hochberg"):
        assert adjust_pvalues(pvalues, method).max() <= 1


def test_comparisons_after_a_look_are_two_sided():
    """Elsewhere each pair is tested in the direction that was seen: 0.22 instead of 0.05.

    Of ten classifiers nine are equally accurate and one is not.
    """
    rng = np.random.default_rng(2)
    n_sets, errors = 120, 0
    accuracies = np.array([0.6] * 9 + [0.95])
    for _ in range(n_sets):
        predictions = rng.random((150, 10)) < accuracies
        result = pairwise_mcnemar(CorrectnessPatterns(predictions))
        equal = np.array(["classifier 10" not in pair for pair in _pairs(result)])
        errors += (result.adjusted_pvalue[equal] <= 0.05).any()

    assert stats.binom.sf(errors - 1, n_sets, 0.05) > 0.01


def _pairs(result):
    return zip(result.champion, result.challenger, strict=True)


def test_underflow_is_not_certainty():
    """Elsewhere small p-values of many pairs become 0, and 0 after any adjustment."""
    patterns = CorrectnessPatterns.from_counts({"100": 4000, "011": 5})
    for method in ("mid-p", "exact", "asymptotic", "corrected"):
        result = pairwise_mcnemar(patterns, method=method)

        assert (result.pvalue > 0).all()
    drawn = pairwise_mcnemar(patterns, adjust="max-t", n_resamples=99)
    assert 1 / 100 == drawn.adjusted_pvalue.min()
