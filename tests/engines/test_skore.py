"""Reports of skore, compared as their estimators are."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skcompare import MultipleComparator, PairedComparator
from skcompare.exceptions import MissingDependencyError
from skcompare.integrations import compare_skore_reports

# skore and what it imports warn of their own code.
pytestmark = pytest.mark.filterwarnings("ignore")

X, Y = make_classification(600, random_state=0)
TRAIN, TEST = slice(0, 200), slice(200, None)
MODELS = GaussianNB(), LogisticRegression()


@pytest.fixture(scope="module")
def skore():
    return pytest.importorskip("skore")


def report(skore, model, X=X, y=Y):
    """The report of a model on a test set."""
    parts = {"X_train": X[TRAIN], "y_train": y[TRAIN]}
    return skore.EstimatorReport(clone(model), **parts, X_test=X[TEST], y_test=y[TEST])


@pytest.mark.parametrize("together", [False, True])
def test_two_estimators(together, skore):
    """The comparison is that of the fitted estimators on the test set."""
    scoring = ["accuracy", "roc_auc"]
    reports = [report(skore, model) for model in MODELS]
    passed = [skore.ComparisonReport(reports)] if together else reports

    comparison = compare_skore_reports(*passed, scoring=scoring)

    fitted = [clone(model).fit(X[TRAIN], Y[TRAIN]) for model in MODELS]
    comparator = PairedComparator(*fitted, cv="prefit", scoring=scoring)
    rows = comparator.fit(X[TEST], Y[TEST]).comparison_.rows
    assert [row.pvalue for row in rows] == [row.pvalue for row in comparison.rows]
    assert [row.difference for row in rows] == [row.difference for row in comparison.rows]


def test_regressors_of_a_frame(skore):
    """Numbers are compared as such, and missing values in X are no difference."""
    X, y = make_regression(300, 4, noise=20, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.iloc[::7, 0] = np.nan
    reports = [
        report(
            skore, DecisionTreeRegressor(max_depth=depth, random_state=0), frame.copy(), y
        )
        for depth in (1, 4)
    ]

    comparison = compare_skore_reports(*reports, scoring="neg_mean_absolute_error")

    assert "challenger" == comparison.verdict
    assert 100 == comparison.n_records


def test_several_estimators(skore):
    """Three estimators of one report are compared in pairs."""
    models = {"bayes": GaussianNB(), "linear": LogisticRegression()}
    models["tree"] = DecisionTreeClassifier(random_state=0)
    reports = {name: report(skore, model) for name, model in models.items()}

    comparison = compare_skore_reports(skore.ComparisonReport(reports), control="bayes")

    fitted = [(name, model.fit(X[TRAIN], Y[TRAIN])) for name, model in models.items()]
    comparator = MultipleComparator(fitted, cv="prefit", control="bayes")
    expected = comparator.fit(X[TEST], Y[TEST]).comparison_
    assert [pair.pvalue for pair in expected.pairs] == [
        pair.pvalue for pair in comparison.pairs
    ]


@pytest.mark.parametrize("together", [False, True])
def test_cross_validation(together, skore):
    """Nothing is fitted again, and the test is that of the splits."""
    cv = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    reports = [skore.CrossValidationReport(model, X, Y, splitter=cv) for model in MODELS]
    passed = [skore.ComparisonReport(reports)] if together else reports

    comparison = compare_skore_reports(*passed)

    expected = PairedComparator(*MODELS, cv=cv).fit(X, Y).comparison_
    assert expected.design == comparison.design
    assert expected.rows[0].test == comparison.rows[0].test
    assert expected.rows[0].pvalue == comparison.rows[0].pvalue


def test_positive_class_of_the_reports(skore):
    """A positive class that the report names is that of the measures."""
    parts = {"X_test": X[TEST], "y_test": Y[TEST], "pos_label": 0}
    fitted = [clone(model).fit(X[TRAIN], Y[TRAIN]) for model in MODELS]
    reports = [skore.EstimatorReport(model, **parts) for model in fitted]

    comparison = compare_skore_reports(*reports, scoring="recall")

    comparator = PairedComparator(*fitted, cv="prefit", scoring="recall", pos_label=0)
    assert comparator.fit(X[TEST], Y[TEST]).comparison_.rows[0].champion == (
        comparison.rows[0].champion
    )


def test_reports_that_cannot_be_compared(skore):
    """Other records, other kinds, no test set, and objects that are no reports."""
    first = report(skore, MODELS[0])
    with pytest.raises(ValueError, match=r"champion and challenger .* different `y_test`"):
        compare_skore_reports(first, report(skore, GaussianNB(), y=1 - Y))
    with pytest.raises(ValueError, match="different `X_test`"):
        compare_skore_reports(first, report(skore, GaussianNB(), X=X + 1))
    sparse = [
        report(skore, LogisticRegression(), csr_array(values)) for values in (X, X + 1)
    ]
    with pytest.raises(ValueError, match="different `X_test`"):
        compare_skore_reports(*sparse)
    cv = skore.CrossValidationReport(GaussianNB(), X, Y, splitter=3)
    with pytest.raises(TypeError, match=r"one kind.*Got EstimatorReport, CrossValidation"):
        compare_skore_reports(first, cv)
    with pytest.raises(TypeError, match="Got EstimatorReport, NoneType"):
        compare_skore_reports(first)
    with pytest.raises(TypeError, match="Got LogisticRegression, GaussianNB"):
        compare_skore_reports(LogisticRegression(), GaussianNB())
    three = skore.ComparisonReport(
        [skore.CrossValidationReport(GaussianNB(), X, Y, splitter=3) for _ in range(3)]
    )
    with pytest.raises(ValueError, match=r"compared in pairs\. Got 3"):
        compare_skore_reports(three)


def test_without_skore(monkeypatch):
    """The error says how to install it."""
    monkeypatch.setitem(sys.modules, "skore", None)
    with pytest.raises(MissingDependencyError, match="pip install skore"):
        compare_skore_reports(None, None)
