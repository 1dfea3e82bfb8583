"""xgboost and lightgbm through their scikit-learn interface, where they are installed."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, cross_validate

from skcompare import BlockRegularized5x2CV, PairedComparator
from skcompare.exceptions import EstimatorFailedError
from tests.common.optional import made

XGBClassifier = pytest.importorskip("xgboost").XGBClassifier
LGBMClassifier = pytest.importorskip("lightgbm").LGBMClassifier

X, Y = make_classification(96, n_features=4, flip_y=0.1, random_state=0)
HALF = len(Y) // 2
MEASURES = ["accuracy", "roc_auc", "multiclass_brier_loss"]


def xgboost(**settings):
    return XGBClassifier(n_estimators=4, n_jobs=1, **settings)


def lightgbm(**settings):
    return LGBMClassifier(n_estimators=4, n_jobs=1, verbose=-1, **settings)


def compared(champion, challenger, X=X, y=Y, **settings):
    settings = {"refit": True, "random_state": 0} | settings
    return PairedComparator(champion, challenger, **settings).fit(X, y)


def pandas_frame():
    return pytest.importorskip("pandas").DataFrame(X, columns=list("abcd"))


def polars_frame():
    return pytest.importorskip("polars").DataFrame(X, schema=list("abcd"))


def arrow_table():
    return pytest.importorskip("pyarrow").table(dict(zip("abcd", X.T, strict=True)))


CONTAINERS = {
    "array": lambda: X,
    "pandas": pandas_frame,
    "polars": polars_frame,
    "PyArrow": arrow_table,
    "sparse": lambda: sparse.csr_matrix(X),
    "list": lambda: X.tolist(),
}


@pytest.mark.parametrize(
    ("containers", "cv"),
    [
        pytest.param(["pandas", "sparse"], 2, id="few"),
        pytest.param(CONTAINERS, BlockRegularized5x2CV(random_state=0), id="all",
                     marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_containers(containers, cv):
    """Accuracies are those of scikit-learn for every container, without a warning."""
    # Each library's own parameter takes the seed, so there is nothing random in here.
    scores = [
        cross_validate(one, X, Y, cv=cv)["test_score"].mean()
        for one in (xgboost(), lightgbm())
    ]
    for _, records in made(CONTAINERS, containers):
        comparator = compared(xgboost(), lightgbm(), records, cv=cv)
        row = comparator.results_["accuracy"]

        assert scores == pytest.approx([row.champion, row.challenger])
        assert set(comparator.predict(records)) == {0, 1}
        assert (len(Y), 2) == comparator.predict_proba(records).shape


@pytest.mark.slow
@pytest.mark.parametrize("container", ["array", "pandas", "polars"])
def test_in_two_processes(container):
    """Two processes give the same predictions."""
    records = CONTAINERS[container]()
    one, two = (
        compared(xgboost(subsample=0.5), lightgbm(), records, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )

    for role in ("champion", "challenger"):
        np.testing.assert_array_equal(
            one.predictions_[role].labels, two.predictions_[role].labels
        )


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_categories(n_jobs):
    """Both libraries find the categories of a frame in every training set."""
    pd = pytest.importorskip("pandas")
    frame = pandas_frame().assign(
        kind=pd.Categorical(np.array(["u", "v", "w"])[Y + X[:, 0].astype(int) % 2])
    )
    comparator = compared(
        xgboost(enable_categorical=True), lightgbm(), frame, cv=2, n_jobs=n_jobs
    )

    assert "kind" == comparator.feature_names_in_[-1]
    assert comparator.results_["accuracy"].champion > 0.8
    assert set(comparator.predict(frame)) == {0, 1}


@pytest.mark.parametrize("frozen", [False, True])
def test_trained_already(frozen):
    """Trained classifiers are compared as they are, in all measures, and pickled."""
    pair = [one.fit(X[:HALF], Y[:HALF]) for one in (xgboost(), lightgbm())]
    given = [FrozenEstimator(one) for one in pair] if frozen else pair
    comparator = compared(
        *given, X[HALF:], Y[HALF:], cv=None if frozen else "prefit", scoring=MEASURES
    )
    rows = comparator.comparison_.rows
    restored = pickle.loads(pickle.dumps(comparator))

    assert pair[0].score(X[HALF:], Y[HALF:]) == pytest.approx(rows[0].champion)
    assert pair[1].score(X[HALF:], Y[HALF:]) == pytest.approx(rows[0].challenger)
    assert MEASURES == [row.measure for row in rows]
    np.testing.assert_array_equal(comparator.predict_proba(X), restored.predict_proba(X))


@pytest.mark.parametrize("make", [xgboost, lightgbm], ids=["xgboost", "lightgbm"])
def test_equal_classifiers_do_not_differ(make):
    """Rows and columns drawn at random are the same for both, and so are the
    predictions.
    """
    settings = {"subsample": 0.5, "colsample_bytree": 0.5}
    settings |= {"subsample_freq": 1} if make is lightgbm else {}
    comparator = compared(make(**settings), make(**settings), cv=2, scoring=MEASURES)

    assert [0, 0, 0] == [row.difference for row in comparator.comparison_.rows]
    assert "inconclusive" == comparator.verdict_


def test_strings_are_for_lightgbm():
    """lightgbm takes strings; xgboost wants 0 and 1, and the message says who and what."""
    words = np.where(Y == 1, "yes", "no")
    comparator = compared(LogisticRegression(), lightgbm(), y=words, cv=2)
    message = r"challenger .XGBClassifier. failed to fit on split 0 .*Expected: \[0 1\]"

    assert ["no", "yes"] == comparator.classes_.tolist()
    with pytest.raises(EstimatorFailedError, match=message):
        compared(LogisticRegression(), xgboost(), y=words)


@pytest.mark.slow
def test_series_of_labels():
    """Labels in a series are as good as in an array."""
    pair = xgboost(), lightgbm()
    expected = compared(*pair, cv=2).results_["accuracy"]
    series = {
        "pandas": lambda: pytest.importorskip("pandas").Series(Y),
        "polars": lambda: pytest.importorskip("polars").Series(Y),
    }
    for _, labels in made(series):
        actual = compared(*pair, y=labels, cv=2).results_["accuracy"]

        assert (expected.difference, expected.pvalue) == (actual.difference, actual.pvalue)


@pytest.mark.slow
def test_within_other_classifiers():
    """Calibrated, with a tuned threshold, and under names that say how they differ."""
    pair = (
        CalibratedClassifierCV(lightgbm(), cv=2),
        TunedThresholdClassifierCV(xgboost(), cv=2, thresholds=5),
    )
    comparison = compared(*pair, pandas_frame(), cv=2).comparison_
    settings = compared(xgboost(), xgboost(max_depth=1), cv=2).comparison_

    assert "CalibratedClassifierCV(LGBMClassifier)" == comparison.champion
    assert "TunedThresholdClassifierCV(XGBClassifier)" == comparison.challenger
    assert "XGBClassifier with max_depth=1" == settings.challenger


@pytest.mark.slow
def test_shown_in_a_notebook():
    """Both libraries' classifiers have a picture."""
    html = compared(clone(xgboost()), lightgbm(), cv=2)._repr_mimebundle_()["text/html"]

    assert "champion: XGBClassifier" in html
    assert "challenger: LGBMClassifier" in html
