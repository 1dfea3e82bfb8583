"""Scorers of regressors against a champion: values, stored predictions, refusals."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy.stats import ttest_rel
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.tree import DecisionTreeRegressor

from skcompare.metrics import McNemarScorer, PairedScorer

X, TARGET = load_diabetes(return_X_y=True)
OLD, NEW = slice(0, 200), slice(200, None)
MODEL = Ridge(alpha=0.1).fit(X[OLD], TARGET[OLD])


@pytest.fixture(scope="module")
def champion():
    return DecisionTreeRegressor(max_depth=2, random_state=0).fit(X[OLD], TARGET[OLD])


@pytest.mark.parametrize("returns", ["difference", "statistic", "confidence"])
def test_values(champion, returns):
    """Gains in mean absolute errors, t, and the one-sided confidence of the t test."""
    losses = [abs(m.predict(X[NEW]) - TARGET[NEW]) for m in (champion, MODEL)]
    test = ttest_rel(*losses, alternative="greater")
    expected = {
        "difference": losses[0].mean() - losses[1].mean(),
        "statistic": test.statistic,
        "confidence": 1 - test.pvalue,
    }

    scorer = PairedScorer("paired_t", champion, returns=returns)

    assert_allclose(scorer(MODEL, X[NEW], TARGET[NEW]), expected[returns], rtol=1e-10)


def test_any_score_of_numbers(champion):
    """A test of any score compares R² by default, and what `scoring` names."""
    predicted = [model.predict(X[NEW]) for model in (champion, MODEL)]
    for scoring, metric in (({}, r2_score), ({"scoring": "neg_mean_absolute_error"}, None)):
        scorer = PairedScorer("bootstrap_difference", champion, n_resamples=99, **scoring)
        first, second = (
            metric(TARGET[NEW], each) if metric else -mean_absolute_error(TARGET[NEW], each)
            for each in predicted
        )
        assert_allclose(scorer(MODEL, X[NEW], TARGET[NEW]), second - first)


def test_model_selection(champion):
    """Searches choose by the confidence, and route stored predictions of the champion."""
    cv = KFold(3)
    scorer = PairedScorer("paired_t", champion, loss="absolute_error")
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 100.0]}, scoring=scorer, cv=cv)
    assert {"alpha": 0.1} == search.fit(X[NEW], TARGET[NEW]).best_params_

    expected = cross_val_score(MODEL, X[NEW], TARGET[NEW], scoring=scorer, cv=cv)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_val_score(
            MODEL,
            X[NEW],
            TARGET[NEW],
            scoring=PairedScorer("paired_t", loss="absolute_error"),
            cv=cv,
            params={"champion_predictions": champion.predict(X[NEW])},
        )
    assert_allclose(expected, routed)


def test_equal_regressors(champion):
    """The difference is 0, and there is no confidence that one is better."""
    for returns in ("difference", "statistic", "confidence"):
        scorer = PairedScorer("paired_t", champion, returns=returns)
        assert 0 == scorer(champion, X[NEW], TARGET[NEW])


def test_refusals(champion):
    """What is of the other target is refused when the scorer is made or called."""
    classifier = LogisticRegression().fit(X[OLD], TARGET[OLD] > 100)
    with pytest.raises(ValueError, match=r"mcnemar is for classes, and the champion or"):
        McNemarScorer(champion)
    with pytest.raises(TypeError, match=r"must be a regressor. Got the classifier Logist"):
        PairedScorer("bootstrap_difference", classifier, scoring="r2")
    with pytest.raises(
        TypeError, match=r"must be a classifier. Got the regressor Decision"
    ):
        PairedScorer("bootstrap_difference", champion, scoring="accuracy")
    scorer = PairedScorer("paired_t", champion)
    with pytest.raises(ValueError, match="finite numbers"):
        scorer(MODEL, X[NEW], np.where(TARGET[NEW] > 300, np.nan, TARGET[NEW]))
