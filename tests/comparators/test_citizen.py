"""What data scientists pass: any floats, any containers, any version of scikit-learn."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator
from skcompare._validation import check_probabilities
from skcompare.exceptions import EstimatorValueError
from skcompare.metrics import DeLongScorer

# 13. Floats of four bytes.


def small_floats(seed, dtype=np.float32):
    """Records of which a naive Bayes classifier is very sure."""
    X, y = make_classification(300, 10, random_state=seed)
    return (3 * X).astype(dtype), y


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss", "brier_loss"])
@pytest.mark.parametrize("seed", range(5))
def test_probabilities_of_float32_records(scoring, seed):
    """Rows sum to 1 as closely as such floats can, and are compared as those of float64."""
    X, y = small_floats(seed)
    pair = GaussianNB(), LogisticRegression(max_iter=500)
    found, exact = (
        PairedComparator(*pair, scoring=scoring, random_state=0)
        .fit(records, y)
        .comparison_.rows[0]
        for records in (X, X.astype(np.float64))
    )

    assert found.pvalue == pytest.approx(exact.pvalue, abs=0.05)
    assert found.difference == pytest.approx(exact.difference, abs=1e-3)


def test_scorer_of_float32_records():
    """It gives a number, and not NaN."""
    X, y = small_floats(0)
    champion = GaussianNB().fit(X[:150], y[:150])
    challenger = LogisticRegression().fit(X[:150], y[:150])

    assert np.isfinite(DeLongScorer(champion)(challenger, X[150:], y[150:]))


class Scaled(GaussianNB):
    """Probabilities that add up to less than 1."""

    def predict_proba(self, X):
        return 0.7 * super().predict_proba(X)


def test_a_ranking_asks_for_no_sums():
    """The same order has the same AUC; a loss of such probabilities is refused."""
    X, y = small_floats(1, np.float64)
    plain, scaled = (
        PairedComparator(one, LogisticRegression(), scoring="roc_auc", random_state=0)
        .fit(X, y)
        .comparison_.rows[0]
        for one in (GaussianNB(), Scaled())
    )

    assert plain.pvalue == scaled.pvalue
    with pytest.raises(EstimatorValueError, match=r"within 1e-06 as float64.* 0\.7"):
        PairedComparator(
            Scaled(), LogisticRegression(), scoring="neg_log_loss", random_state=0
        ).fit(X, y)


@pytest.mark.parametrize(
    ("dtype", "off", "fits"),
    [
        (np.float64, 5e-7, True),
        (np.float64, 1e-5, False),
        (np.float32, 5e-4, True),
        (np.float32, 5e-3, False),
        (np.float16, 0.02, True),
        (np.float16, 0.1, False),
    ],
)
def test_sums_by_the_type_that_came_in(dtype, off, fits):
    """What is near enough is brought to 1, and what is not shows its digits."""
    proba = np.array([[0.5 + off, 0.5], [1.0, 0.0]]).astype(dtype)
    if not fits:
        with pytest.raises(ValueError, match=rf"as {np.dtype(dtype)}\. Row 0 sums to 1\."):
            check_probabilities("p", proba, 2)
        return
    found = check_probabilities("p", proba, 2)

    assert found.dtype == np.float64
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-6)
    if dtype is not np.float64:
        column = np.array([1 + off / 2, 0.5]).astype(dtype)
        assert 1 == check_probabilities("p", column, 2).max()
