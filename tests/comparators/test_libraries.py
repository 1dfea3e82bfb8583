"""Classifiers of other libraries, each where it is installed.

Nets of torch are tested beside the engines, because some of these libraries and torch
bring different builds of OpenMP, which do not go together in one process.
"""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate

from skcompare import (
    BlockRegularized5x2CV,
    MultipleComparator,
    PairedComparator,
    cross_compare,
)
from skcompare.metrics import McNemarScorer
from tests.common.optional import made

X, Y = make_classification(96, n_features=4, n_redundant=0, flip_y=0.1, random_state=0)
X = X.astype(np.float32)
TEXT = np.array(["no", "perhaps", "yes"])[Y + (X[:, 0] > 0.5)]


def part(module, name):
    """Something of a library, which skips the test where it is missing."""
    return getattr(pytest.importorskip(module), name)


def xgboost():
    return part("xgboost", "XGBClassifier")(n_estimators=4, n_jobs=1, subsample=0.7)


def lightgbm():
    kind = part("lightgbm", "LGBMClassifier")
    return kind(n_estimators=4, n_jobs=1, verbose=-1, subsample=0.7, subsample_freq=1)


def catboost():
    kind = part("catboost", "CatBoostClassifier")
    return kind(iterations=4, verbose=0, thread_count=1, allow_writing_files=False)


def under_sampled():
    sampler = part("imblearn.under_sampling", "RandomUnderSampler")
    make_pipeline = part("imblearn.pipeline", "make_pipeline")
    return make_pipeline(sampler(), LogisticRegression())


def balanced_forest():
    return part("imblearn.ensemble", "BalancedRandomForestClassifier")(n_estimators=4)


def balanced_bags():
    return part("imblearn.ensemble", "BalancedBaggingClassifier")(n_estimators=2)


def tabular():
    return part("skrub", "tabular_pipeline")(LogisticRegression())


CLASSIFIERS = {
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "imblearn, sampler": under_sampled,
    "imblearn, forest": balanced_forest,
    "imblearn, bags": balanced_bags,
    "skrub": tabular,
}
NAMES = list("abcd")


def frame(library, make):
    return lambda: make(pytest.importorskip(library))


CONTAINERS = {
    "float32": lambda: X,
    "float64": lambda: X.astype(np.float64),
    "float16": lambda: X.astype(np.float16),
    "list": lambda: X.tolist(),
    "sparse": lambda: sparse.csr_matrix(X),
    "pandas": frame("pandas", lambda pd: pd.DataFrame(X, columns=NAMES)),
    "pandas, nullable": frame(
        "pandas", lambda pd: pd.DataFrame(X, columns=NAMES).astype("Float64")
    ),
    "polars": frame("polars", lambda pl: pl.DataFrame(X, schema=NAMES)),
    "PyArrow": frame("pyarrow", lambda pa: pa.table(dict(zip(NAMES, X.T, strict=True)))),
}
SPLITTER = BlockRegularized5x2CV(random_state=0)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize(
    ("containers", "cv"),
    [
        pytest.param(["list", "sparse"], KFold(2), id="few"),
        pytest.param(CONTAINERS, SPLITTER, id="all", marks=pytest.mark.slow),
    ],
)
def test_containers(name, containers, cv):
    """What a library fits is compared, equal to itself; what it does not, says who."""
    classifier = CLASSIFIERS[name]()
    scoring = ["accuracy", "roc_auc", "neg_log_loss"]
    for container, records in made(CONTAINERS, containers):
        refused = ""
        pair = PairedComparator(classifier, clone(classifier), cv=cv, random_state=0)
        try:
            cross_validate(classifier, records, Y, cv=cv, error_score="raise")
        except Exception as error:
            refused = str(error)[:40]
        if refused:
            with pytest.raises(Exception, match=re.escape(refused)) as caught:
                pair.fit(records, Y)
            assert container == "list" or "champion" in str(caught.value)
            continue
        rows = pair.set_params(scoring=scoring).fit(records, Y).comparison_.rows

        assert [0.0] * 3 == [row.difference for row in rows]
        assert [1.0] * 3 == [row.pvalue for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_as_scikit_learn_scores_it(name):
    """Accuracies of three classes of words are those of cross_validate, with its seed."""
    classifier = clone(CLASSIFIERS[name]())
    if name == "xgboost":
        pytest.skip("it takes 0, 1 and 2 only")
    seeds = {key: 0 for key in classifier.get_params() if key.endswith("random_state")}
    classifier.set_params(**seeds)
    pair = LogisticRegression(), classifier
    fitted = PairedComparator(*pair, refit=True, random_state=0).fit(X, TEXT)
    scores = cross_validate(classifier, X, TEXT, cv=SPLITTER)["test_score"]
    assert scores.mean() == pytest.approx(fitted.comparison_.rows[0].challenger)
    assert {*fitted.predict(X)} <= {*TEXT}
    assert pickle.loads(pickle.dumps(fitted)).verdict_ == fitted.verdict_


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_in_every_comparison(name):
    """Among several, in cross_compare, as a fitted champion, and in two processes."""
    classifier = CLASSIFIERS[name]()
    named = [
        ("old", LogisticRegression()),
        ("new", classifier),
        ("same", clone(classifier)),
    ]
    several = MultipleComparator(named, random_state=0, n_jobs=2).fit(X, Y)
    crossed = cross_compare(
        dict(named), X, Y, scoring="neg_binary_brier_loss", random_state=0
    )
    champion = McNemarScorer(clone(classifier).fit(X, Y))

    new, same = (several.predictions_[name].labels.tolist() for name in ("new", "same"))
    assert new == same
    assert np.isfinite(crossed["test_score_new"]).all()
    assert crossed["test_score_new"].tolist() == crossed["test_score_same"].tolist()
    assert 1 >= champion(LogisticRegression().fit(X, Y), X, Y) >= -1
