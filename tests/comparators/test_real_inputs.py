"""Records and classifiers as users have them, judged by scikit-learn's cross_validate."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, LinearSVC

from skcompare import BlockRegularized5x2CV, PairedComparator
from tests.common.optional import made

N = 96
RNG = np.random.default_rng(0)
COLOURS = RNG.choice(["red", "green", "blue"], N)
SIZES = RNG.normal(size=N)
RISKS = SIZES + (COLOURS == "red") + RNG.normal(size=N)
# The splits are of equal sizes, so that the mean of their accuracies is that of all.
Y = (RISKS > np.median(RISKS)).astype(int)
TEXT = np.where(Y == 1, "yes", "no")
NUMBERS = RNG.normal(size=(N, 4)) + Y[:, np.newaxis]
GAPS = np.where(RNG.random(NUMBERS.shape) < 0.1, np.nan, NUMBERS)
TEXTS = [f"{'good fine' if y else 'bad poor'} {colour}" for y, colour in zip(Y, COLOURS)]


def encoded():
    """One-hot colours and sizes as they are, for a linear model."""
    encoder = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer((encoder, ["colour"]), remainder="passthrough")
    return make_pipeline(columns, LogisticRegression())


def boosted(**settings):
    return HistGradientBoostingClassifier(max_iter=2, random_state=0, **settings)


def by_dtype():
    return boosted(categorical_features="from_dtype")


def tfidf():
    return make_pipeline(TfidfVectorizer(), LogisticRegression())


def counts():
    return make_pipeline(CountVectorizer(ngram_range=(1, 2)), MultinomialNB())


def pandas_frame(**settings):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"colour": pd.Categorical(COLOURS), "size": SIZES}, **settings)


def polars_frame(categories=False):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"colour": COLOURS, "size": SIZES})
    return (
        frame.with_columns(pl.col("colour").cast(pl.Categorical)) if categories else frame
    )


def arrow_frame():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    types = {"colour": "string[pyarrow]", "size": "float64[pyarrow]"}
    return pd.DataFrame({"colour": COLOURS, "size": SIZES}).astype(types)


def arrow_table():
    pa = pytest.importorskip("pyarrow")
    return pa.table({"size": SIZES, "cube": SIZES**3})


def nullable_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(NUMBERS, columns=list("abcd")).astype("Float64")
    return frame.assign(whole=pd.array(np.round(SIZES), dtype="Int64"))


def sparse_frame():
    pd = pytest.importorskip("pandas")
    kept = np.where(NUMBERS > 0, NUMBERS, 0)
    return pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(kept), columns=list("abcd"))


def series(values, library="pandas", **settings):
    return pytest.importorskip(library).Series(values, **settings)


def distances():
    return np.abs(NUMBERS[:, np.newaxis] - NUMBERS).sum(axis=2)


def kernel(C=1.0):
    return SVC(kernel="precomputed", C=C)


INPUTS = {
    "pandas, categories": lambda: (encoded(), by_dtype(), pandas_frame(), TEXT),
    "pandas, index repeated": lambda: (
        encoded(),
        by_dtype(),
        pandas_frame(index=[0] * N),
        series(TEXT, index=[0] * N),
    ),
    "pandas, Arrow columns": lambda: (encoded(), DummyClassifier(), arrow_frame(), TEXT),
    "pandas, nullable": lambda: (LogisticRegression(), boosted(), nullable_frame(), Y),
    "pandas, sparse": lambda: (LogisticRegression(), LinearSVC(), sparse_frame(), TEXT),
    "float32": lambda: (
        GaussianNB(),
        LogisticRegression(),
        NUMBERS.astype(np.float32),
        TEXT,
    ),
    "float16": lambda: (GaussianNB(), boosted(), NUMBERS.astype(np.float16), TEXT),
    "polars": lambda: (
        encoded(),
        DummyClassifier(),
        polars_frame(),
        series(TEXT, "polars"),
    ),
    "polars, categories": lambda: (encoded(), by_dtype(), polars_frame(True), TEXT),
    "PyArrow": lambda: (boosted(), DummyClassifier(), arrow_table(), TEXT),
    "object array": lambda: (
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()),
        DummyClassifier(),
        np.column_stack([COLOURS, Y]).astype(object),
        TEXT,
    ),
    "missing values": lambda: (boosted(), boosted(max_depth=1), GAPS, Y),
    "texts": lambda: (tfidf(), counts(), TEXTS, TEXT),
    "texts, array": lambda: (tfidf(), counts(), np.array(TEXTS), Y),
    "texts, pandas": lambda: (tfidf(), counts(), series(TEXTS), Y),
    "kernel": lambda: (kernel(), kernel(0.1), NUMBERS @ NUMBERS.T, Y),
    "kernel in a search": lambda: (
        kernel(),
        GridSearchCV(kernel(), {"C": [0.1, 1]}, cv=2),
        NUMBERS @ NUMBERS.T,
        Y,
    ),
    "distances": lambda: (
        KNeighborsClassifier(metric="precomputed"),
        KNeighborsClassifier(1, metric="precomputed"),
        distances(),
        Y,
    ),
}
for container in ("csr_matrix", "csr_array", "csc_matrix", "coo_array"):
    INPUTS[container] = lambda container=container: (
        LogisticRegression(),
        LinearSVC(),
        getattr(sparse, container)(np.where(NUMBERS > 0, NUMBERS, 0)),
        TEXT,
    )


def judged(classifier, X, y, scoring="accuracy", cv=None):
    """The mean score by scikit-learn on the same splits."""
    cv = BlockRegularized5x2CV(random_state=0) if cv is None else cv
    return cross_validate(classifier, X, y, cv=cv, scoring=scoring)["test_score"].mean()


def fitted(champion, challenger, X, y, **settings):
    settings = {"refit": True, "random_state": 0} | settings
    return PairedComparator(champion, challenger, **settings).fit(X, y)


FEW_INPUTS = ("pandas, index repeated", "polars, categories", "texts", "kernel")
TRAINED = (*FEW_INPUTS, "pandas, nullable", "float16", "PyArrow", "coo_array", "distances")


def few_or_all(few, every):
    """Few kinds by halves, which are of equal sizes, too; or all by the default splits."""
    return pytest.mark.parametrize(
        ("names", "cv"),
        [
            pytest.param(few, 2, id="few"),
            pytest.param(every, None, id="all", marks=pytest.mark.slow),
        ],
    )


@few_or_all(FEW_INPUTS, INPUTS)
def test_trained_on_every_split(names, cv):
    """Accuracies are those of scikit-learn, and the selected one predicts as if alone."""
    for _, (champion, challenger, X, y) in made(INPUTS, names):
        comparator = fitted(champion, challenger, X, y, cv=cv)
        row = comparator.results_["accuracy"]
        kept = comparator.verdict_ != "challenger"
        alone = clone(champion if kept else challenger).fit(X, y)

        assert judged(champion, X, y, cv=cv) == pytest.approx(row.champion)
        assert judged(challenger, X, y, cv=cv) == pytest.approx(row.challenger)
        assert alone.predict(X).tolist() == comparator.predict(X).tolist()
        assert alone.classes_.tolist() == comparator.classes_.tolist()


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(TRAINED, id="few"),
        pytest.param(
            [name for name in INPUTS if name not in TRAINED],
            id="others",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_trained_already(names):
    """Fitted classifiers predict the same container as they are."""
    for _, (champion, challenger, X, y) in made(INPUTS, names):
        champion.fit(X, y)
        challenger.fit(X, y)
        comparator = fitted(champion, challenger, X, y, cv="prefit")
        row = comparator.results_["accuracy"]

        assert champion.score(X, y) == pytest.approx(row.champion)
        assert challenger.score(X, y) == pytest.approx(row.challenger)
        kept = champion if comparator.verdict_ != "challenger" else challenger
        assert kept is comparator.selected_estimator_
        assert kept.predict(X).tolist() == comparator.predict(X).tolist()


@pytest.mark.slow
def test_in_two_processes():
    """Frames and texts give the same predictions in worker processes."""
    names = ["pandas, categories", "polars", "PyArrow", "texts"]
    for _, (champion, challenger, X, y) in made(INPUTS, names):
        one = fitted(champion, challenger, X, y)
        two = fitted(champion, challenger, X, y, n_jobs=2)

        for role in ("champion", "challenger"):
            np.testing.assert_array_equal(
                one.predictions_[role].labels, two.predictions_[role].labels
            )
        assert one.results_["accuracy"].pvalue == two.results_["accuracy"].pvalue


def arrow_array(values):
    return pytest.importorskip("pyarrow").array(values)


def arrow_series(values, dtype):
    pytest.importorskip("pyarrow")
    return series(values, dtype=dtype)


LABELS = {
    "string objects": lambda: TEXT.astype(object),
    "list": lambda: TEXT.tolist(),
    "pandas": lambda: series(TEXT),
    "pandas, category": lambda: series(TEXT).astype("category"),
    "pandas, string": lambda: series(TEXT, dtype="string"),
    "pandas, Arrow string": lambda: arrow_series(TEXT, "string[pyarrow]"),
    "pandas, Arrow integer": lambda: arrow_series(Y, "int64[pyarrow]"),
    "pandas, category of numbers": lambda: series(Y).astype("category"),
    "pandas, nullable integer": lambda: series(Y, dtype="Int64"),
    "signs": lambda: 2 * Y - 1,
    "float64": lambda: Y.astype(float),
    "float32": lambda: Y.astype(np.float32),
    "float16": lambda: Y.astype(np.float16),
    "pandas, nullable boolean": lambda: series(Y == 1, dtype="boolean"),
    "booleans": lambda: Y == 1,
    "small integers": lambda: Y.astype(np.uint8),
    "polars": lambda: series(TEXT, "polars"),
    "polars, category": lambda: series(TEXT, "polars").cast(
        pytest.importorskip("polars").Categorical
    ),
    "PyArrow": lambda: arrow_array(TEXT),
}
CLASSES = {
    "pandas, Arrow integer": ["0", "1"],
    "pandas, category of numbers": ["0", "1"],
    "pandas, nullable integer": ["0", "1"],
    "signs": ["-1", "1"],
    "float64": ["0", "1"],
    "float32": ["0", "1"],
    "float16": ["0", "1"],
    "pandas, nullable boolean": ["False", "True"],
    "booleans": ["False", "True"],
    "small integers": ["0", "1"],
}
"""What the classes of labels are where these are no words."""


FEW_LABELS = (
    "list", "pandas, category", "pandas, nullable integer", "booleans", "polars, category",
    "PyArrow",
)  # fmt: skip


@few_or_all(FEW_LABELS, LABELS)
def test_labels(names, cv):
    """Every form of labels gives the prediction of 0 and 1, with classes under their
    names.
    """
    pair = LogisticRegression(), GaussianNB()
    expected = fitted(*pair, NUMBERS, Y, cv=cv).results_["accuracy"]
    for name, y in made(LABELS, names):
        comparator = fitted(*pair, NUMBERS, y, cv=cv)
        actual = comparator.results_["accuracy"]
        classes = [str(label) for label in comparator.predictions_.classes]
        trained = [clone(each).fit(NUMBERS, y) for each in pair]
        holdout = fitted(*trained, NUMBERS, y, cv="prefit").results_["accuracy"]

        assert (expected.difference, expected.pvalue) == (actual.difference, actual.pvalue)
        assert CLASSES.get(name, ["no", "yes"]) == classes
        assert trained[0].score(NUMBERS, y) == pytest.approx(holdout.champion)


def test_column_of_labels():
    """One column is taken for the labels, and warned of once, not by every fit."""
    pd = pytest.importorskip("pandas")
    column = pd.DataFrame({"label": TEXT})
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        comparator = fitted(LogisticRegression(), GaussianNB(), NUMBERS, column, cv=2)

    assert 1 == len(caught)
    assert judged(GaussianNB(), NUMBERS, Y, cv=2) == pytest.approx(
        comparator.results_["accuracy"].challenger
    )


WRAPPED = {
    "calibrated": lambda: CalibratedClassifierCV(GaussianNB(), cv=2),
    "calibrated, without probabilities": lambda: CalibratedClassifierCV(LinearSVC(), cv=2),
    "tuned threshold": lambda: TunedThresholdClassifierCV(GaussianNB(), cv=2, thresholds=5),
    "weighted classes": lambda: RandomForestClassifier(
        3, class_weight={"no": 1, "yes": 3}, random_state=0
    ),
}


@few_or_all(["tuned threshold"], WRAPPED)
def test_wrapped_classifiers(names, cv):
    """Calibrated and tuned classifiers are compared in either role, and fitted already."""
    measures = ["accuracy", "multiclass_brier_loss"]
    # By halves in one of the roles, which the kinds of classifiers take in turn.
    roles = ["champion", "challenger"] if cv is None else ["challenger"]
    for name, role in itertools.product(names, roles):
        wrapped, other = WRAPPED[name](), LogisticRegression()
        pair = (wrapped, other) if role == "champion" else (other, wrapped)
        splits = fitted(*pair, NUMBERS, TEXT, cv=cv, scoring=measures)
        trained = [clone(each).fit(NUMBERS, TEXT) for each in pair]
        holdout = fitted(*trained, NUMBERS, TEXT, cv="prefit", scoring=measures)
        row = splits.comparison_.rows[0]

        assert judged(pair[0], NUMBERS, TEXT, cv=cv) == pytest.approx(row.champion)
        assert judged(pair[1], NUMBERS, TEXT, cv=cv) == pytest.approx(row.challenger)
        assert all(row.pvalue is not None for row in holdout.comparison_.rows)


def test_equal_wrapped_classifiers():
    """Two that tune their threshold alike give the same predictions."""
    wrapped = WRAPPED["tuned threshold"]()
    row = fitted(wrapped, clone(wrapped), NUMBERS, TEXT, cv=2).results_["accuracy"]

    assert (0, 1) == (row.difference, row.pvalue)


@pytest.mark.parametrize("frozen", ["champion", "challenger", "both"])
def test_frozen_classifiers(frozen):
    """A frozen classifier predicts as it was trained, wherever it stands."""
    half = N // 2
    trained = {
        "champion": LogisticRegression().fit(NUMBERS[:half], TEXT[:half]),
        "challenger": RidgeClassifier().fit(NUMBERS[:half], TEXT[:half]),
    }
    pair = {
        role: FrozenEstimator(one) if frozen in (role, "both") else clone(one)
        for role, one in trained.items()
    }
    X, y = NUMBERS[half:], TEXT[half:]
    # Two frozen ones are not trained, so that there is nothing to split.
    cv = None if frozen == "both" else 2
    comparator = fitted(**pair, X=X, y=y, cv=cv, allow_mixed=frozen != "both")
    row = comparator.results_["accuracy"]

    for role, one in trained.items():
        if frozen in (role, "both"):
            assert one.score(X, y) == pytest.approx(getattr(row, role))
    assert ("mixed-frozen" in comparator.comparison_.flags) == (frozen != "both")
    assert "prefit" == comparator.cv_ or frozen != "both"


@pytest.mark.parametrize(
    "classifier",
    [
        RidgeClassifier(),
        pytest.param(LinearSVC(), marks=pytest.mark.slow),
        pytest.param(SVC(), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_ranking_without_probabilities(classifier):
    """Decision scores are ranked where there are no probabilities, trained or fitted."""
    X, half = sparse.csr_array(NUMBERS), N // 2
    pair = classifier, LogisticRegression()
    row = fitted(*pair, X, TEXT, cv=2, scoring="roc_auc").results_["roc_auc"]
    trained = [clone(one).fit(X[:half], TEXT[:half]) for one in pair]
    holdout = fitted(*trained, X[half:], TEXT[half:], cv="prefit", scoring="roc_auc")

    assert judged(pair[0], X, TEXT, "roc_auc", cv=2) == pytest.approx(row.champion)
    assert judged(pair[1], X, TEXT, "roc_auc", cv=2) == pytest.approx(row.challenger)
    assert "delong" == holdout.comparison_.rows[0].test


def test_equal_but_for_a_missing_value():
    """NaN as a setting is no difference between two classifiers of one kind."""
    pair = [
        make_pipeline(SimpleImputer(missing_values=np.nan), LogisticRegression(C=C))
        for C in (1.0, 0.01)
    ]
    comparison = fitted(*pair, NUMBERS, TEXT, cv=2).comparison_

    assert comparison.champion.endswith("with logisticregression__C=1.0")
