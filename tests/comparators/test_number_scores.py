"""Scores of numbers that are no means, through the same doors as any measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

from skcompare import PairedComparator, compare
from skcompare._analysis.measures._measures import StoredNumbers
from skcompare._registry.metrics import NUMBERS, metrics
from skcompare._registry.tests import tests_for as for_measure
from skcompare.evidence import NUMBER_SCORES
from skcompare.gate import Superior
from skcompare.metrics import resolve_scoring
from skcompare.predictions import predictions_from_arrays
from skcompare.stats import influence_difference

RNG = np.random.default_rng(0)
Y = RNG.gamma(4, 2, size=240)
BOTH = {
    "old": Y * RNG.gamma(9, 1 / 9, size=240) + 0.1,
    "new": Y * RNG.gamma(25, 1 / 25, size=240) + 0.1,
}
GIVEN_TARGETS = ("r2", "d2_absolute_error_score")
"""Scores that are tested by the losses for these targets."""

X, TARGET = (array[:120] for array in load_diabetes(return_X_y=True))


@pytest.mark.parametrize("name", NUMBER_SCORES)
def test_test_of_a_score(name):
    """A row has scikit-learn's scores; the test by influences is the default of most."""
    tests = "auto" if name not in GIVEN_TARGETS else "influence_difference"
    row = compare(Y, BOTH, scoring=name, tests=tests).rows[-1]
    expected = influence_difference(Y, *BOTH.values(), score=name)
    scorer = get_scorer(name)
    roles = predictions_from_arrays(Y, BOTH, target=NUMBERS).estimators
    values = [scorer(StoredNumbers(role), np.zeros((240, 1)), Y) for role in roles]

    assert ("influence_difference", expected.pvalue) == (row.test, row.pvalue)
    assert_allclose((row.champion, row.challenger), values, rtol=1e-12)
    assert_allclose((row.low, row.high), expected.confidence_interval(), rtol=1e-12)


def test_targets_of_names():
    """Scores of numbers are measures of numbers, of scikit-learn and of ours."""
    for name in (*NUMBER_SCORES, "neg_median_absolute_error", "neg_max_error"):
        assert resolve_scoring(name)[0].is_numeric, name
    for name in ("accuracy", "roc_auc", "matthews_corrcoef", "neg_log_loss"):
        assert not resolve_scoring(name)[0].is_numeric, name
    of_numbers = {n for n, entry in metrics().items() if entry.target == NUMBERS}
    assert of_numbers == {name for name in metrics() if name in NUMBER_SCORES}


def test_groups():
    """Groups are the units of the default test."""
    groups = np.arange(240) // 4
    (row,) = compare(Y, BOTH, scoring="kendall_tau", groups=groups).rows
    expected = influence_difference(Y, *BOTH.values(), score="kendall_tau", groups=groups)

    assert ("influence_difference", expected.pvalue) == (row.test, row.pvalue)


def test_all_tests():
    """All tests of any score run, and agree; of a mean, the two by its losses do."""
    tests = {"bootstrap_difference": {"n_resamples": 999}, "influence_difference": {}}
    tests |= {"permutation_difference": {"n_resamples": 999}}
    rows = compare(Y, BOTH, scoring="spearman_correlation", tests=tests).rows
    of_mean = compare(Y, BOTH, scoring="neg_mean_absolute_error", tests=tests).rows
    few = Y[:20], {name: own[:20] for name, own in BOTH.items()}
    every = compare(*few, scoring="spearman_correlation", tests="all").rows

    assert "influence_difference" == rows[0].test
    assert {row.test for row in rows} < {row.test for row in every}
    by_test = {row.test: row for row in rows}
    for test in ("bootstrap_difference", "permutation_difference"):
        assert_allclose(by_test[test].low, rows[0].low, atol=0.02)
    by_test = {row.test: row for row in of_mean}
    assert_allclose(by_test["influence_difference"].low, of_mean[0].low, rtol=0.02)


def test_scores_without_formula():
    """The median error is resampled; a maximum has no test, and the note says why."""
    tests = {"bootstrap_difference": {"n_resamples": 99}}
    scoring = "neg_median_absolute_error"
    (median,) = compare(Y, BOTH, scoring=scoring, tests=tests).rows
    (greatest,) = compare(Y, BOTH, scoring="neg_max_error").rows

    assert "bootstrap_difference" == median.test
    assert_allclose(median.champion, -np.median(abs(Y - BOTH["old"])), rtol=1e-12)
    assert_allclose(greatest.champion, -abs(Y - BOTH["old"]).max(), rtol=1e-12)
    assert greatest.test is None
    assert "one record decides a maximum" in greatest.note
    assert "use scoring='neg_mean_absolute_error'" in greatest.note
    assert not for_measure("neg_max_error")
    with pytest.raises(ValueError, match="because one record decides a maximum"):
        Superior("neg_max_error")


@pytest.mark.parametrize("name", ["r2", "neg_root_mean_squared_error", "kendall_tau"])
def test_resampled_scores(name):
    """Splits are scored, and tested as those of any score."""
    cv = KFold(5, shuffle=True, random_state=0)
    pair = DecisionTreeRegressor(max_depth=2, random_state=0), Ridge()
    comparator = PairedComparator(*pair, cv=cv, scoring=name, random_state=0)
    (row,) = comparator.fit(X, TARGET).comparison_.rows
    scores = [
        get_scorer(name)(Ridge().fit(X[train], TARGET[train]), X[test], TARGET[test])
        for train, test in comparator.cv_.split(X, TARGET)
    ]

    assert "corrected_repeated_kfold_t" == row.test
    assert_allclose(row.challenger, np.mean(scores), rtol=1e-9)
    assert 0 < row.pvalue < 1


def test_undefined_on_a_test_set():
    """A test set with a constant target has no R², where scikit-learn returns 0."""
    y = np.r_[np.ones(30), TARGET[:90]]
    pair = DecisionTreeRegressor(max_depth=2, random_state=0), Ridge()
    comparator = PairedComparator(*pair, cv=KFold(4), scoring="r2").fit(X, y)
    (row,) = comparator.comparison_.rows

    assert "undefined-in-split" in row.flags
    with pytest.raises(ValueError, match="the target is constant"):
        PairedComparator(*pair, cv=KFold(4), scoring="r2").fit(X, np.ones(120))
