"""Scores of numbers that are no means, through the same doors as any measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer, r2_score
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.tree import DecisionTreeRegressor

from skcompare import PairedComparator, compare
from skcompare._analysis.measures._measures import StoredNumbers
from skcompare._registry.metrics import NUMBERS, metrics
from skcompare._registry.tests import tests_for as for_measure
from skcompare.evidence import NUMBER_SCORES, BlockDifferences
from skcompare.gate import Superior
from skcompare.metrics import resolve_scoring
from skcompare.predictions import predictions_from_arrays
from skcompare.stats import bcv_jackknife_t, influence_difference

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


SCORES = {
    "r2": r2_score,
    "neg_root_mean_squared_error": lambda y, predicted: (
        -np.sqrt(np.mean((y - predicted) ** 2))
    ),
    "kendall_tau": lambda y, predicted: kendalltau(y, predicted).statistic,
}


def fitted_scores(name, comparator, model):
    """Mean score of a model on the test sets, and that of all of its predictions."""
    truth, predicted = [], []
    for train, test in comparator.cv_.split(X, TARGET):
        truth.append(TARGET[test])
        predicted.append(clone(model).fit(X[train], TARGET[train]).predict(X[test]))
    each = [SCORES[name](*both) for both in zip(truth, predicted, strict=True)]
    return np.mean(each), SCORES[name](np.concatenate(truth), np.concatenate(predicted))


PAIR = DecisionTreeRegressor(max_depth=2, random_state=0), Ridge()
CVS = (
    KFold(7, shuffle=True, random_state=0),
    RepeatedKFold(n_splits=5, n_repeats=2, random_state=0),
    ShuffleSplit(6, test_size=0.2, random_state=0),
)


@pytest.mark.parametrize("cv", CVS)
@pytest.mark.parametrize("name", ["r2", "neg_root_mean_squared_error"])
def test_pooled_scores(name, cv):
    """R² and RMSE are those of all predictions, with folds of unequal sizes too."""
    comparator = PairedComparator(*PAIR, cv=cv, scoring=name, random_state=0)
    (row,) = comparator.fit(X, TARGET).comparison_.rows
    roles = [fitted_scores(name, comparator, model)[1] for model in PAIR]

    assert row.test.startswith("corrected_repeated")
    assert_allclose((row.champion, row.challenger), roles, rtol=1e-9)
    assert_allclose(row.difference, roles[1] - roles[0], rtol=1e-9)
    assert 0 < row.pvalue < 1


def test_scores_that_are_not_pooled():
    """Correlations, and scores by a callable, are means over the test sets."""
    for scoring in ("kendall_tau", {"own": lambda m, X, y: get_scorer("r2")(m, X, y)}):
        comparator = PairedComparator(*PAIR, cv=CVS[0], scoring=scoring, random_state=0)
        (row,) = comparator.fit(X, TARGET).comparison_.rows
        name = scoring if isinstance(scoring, str) else "r2"
        means = [fitted_scores(name, comparator, model)[0] for model in PAIR]
        assert_allclose((row.champion, row.challenger), means, rtol=1e-9)


def test_influences_of_blocks():
    """Under 5×2 block-regularized CV, RMSE is tested by its influences, by hand."""
    name = "neg_root_mean_squared_error"
    comparator = PairedComparator(*PAIR, scoring=name, random_state=0).fit(X, TARGET)
    (row,) = comparator.comparison_.rows
    in_first, errors = np.zeros((5, 120), dtype=bool), np.empty((2, 5, 120))
    for split, (train, test) in enumerate(comparator.cv_.split(X, TARGET)):
        in_first[split // 2, test] = split % 2 == 0
        for own, model in zip(errors, PAIR, strict=True):
            predicted = clone(model).fit(X[train], TARGET[train]).predict(X[test])
            own[split // 2, test] = TARGET[test] - predicted
    squares = errors**2
    roots = np.sqrt(squares.mean(axis=(1, 2), keepdims=True))
    gains = -np.diff(roots / 2 + squares / (2 * roots), axis=0)[0]
    expected = bcv_jackknife_t(BlockDifferences.from_records(gains, in_first))

    assert "bcv_jackknife_t" == row.test
    assert_allclose((row.champion, row.challenger), -roots.ravel(), rtol=1e-12)
    assert_allclose((row.difference, row.pvalue), (expected.estimate, expected.pvalue))
    (same,) = (
        PairedComparator(Ridge(), Ridge(), scoring=name).fit(X, TARGET).comparison_.rows
    )
    assert (0, 1) == (same.difference, same.pvalue)


def test_constant_targets():
    """A constant target in one test set is pooled with others; in all, there is no R²."""
    y = np.r_[np.ones(30), TARGET[:90]]
    pair = DecisionTreeRegressor(max_depth=2, random_state=0), Ridge()
    comparator = PairedComparator(*pair, cv=KFold(4), scoring="r2").fit(X, y)
    (row,) = comparator.comparison_.rows

    assert "undefined-in-split" not in row.flags
    assert np.isfinite(row.difference)
    with pytest.raises(ValueError, match="the target is constant"):
        PairedComparator(*pair, cv=KFold(4), scoring="r2").fit(X, np.ones(120))
