"""Faults of other libraries' tests under resampling, on the same inputs.

Each test names what is wrong elsewhere; the correct prediction is asserted here.
"""

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skcompare import PairedComparator
from skcompare.evidence import ScoreDifferences
from skcompare.stats import paired_tests

HALVES = ("paired_5x2_t", "combined_5x2_t", "combined_5x2_f")
KFOLD = ("kfold_t", "corrected_repeated_kfold_t")
HOLDOUTS = ("repeated_holdout_t", "corrected_repeated_holdout_t")
DESIGNS = {
    **dict.fromkeys(HALVES, ("random 5x2", (5, 2))),
    **dict.fromkeys(KFOLD, ("kfold", (10,))),
    **dict.fromkeys(HOLDOUTS, ("repeated holdout", (10,))),
    "blocked_t": ("bcv", (5, 2)),
    "calibrated_5x2_f": ("bcv", (5, 2)),
}


def evidence(test, champion, challenger):
    """Ten scores of each role, in the design of a test."""
    design, shape = DESIGNS[test]
    first, second = (np.reshape(role, shape) for role in (champion, challenger))
    return ScoreDifferences.from_scores(
        first, second, 90, 10, design=design, variances=np.full(shape, 0.0)
    )


def test_identical_scores():
    """Elsewhere t tests of equal classifiers give NaN, and the F test divides by 0."""
    for test in DESIGNS:
        scores = np.linspace(0.8, 0.9, 10)
        result = paired_tests()[test].function(evidence(test, scores, scores))

        assert (0.0, 1.0) == tuple(result)
        assert result.degenerate
        assert (0.0, 0.0) == result.confidence_interval()


def test_scores_that_differ_by_rounding():
    """0.1 + 0.2 is not better than 0.3, however small the variance of such differences."""
    for test in DESIGNS:
        champion = np.full(10, 0.3)
        challenger = np.array([0.1 + 0.2, 0.3] * 5)
        result = paired_tests()[test].function(evidence(test, champion, challenger))

        assert (0.0, 1.0) == tuple(result)
        assert result.degenerate


@pytest.mark.parametrize("test", ["combined_5x2_t"])
def test_sums_that_are_zero_but_for_rounding(test):
    """Differences that cancel have a mean of 1e-17, which is no difference of any size."""
    values = np.repeat([0.1, 0.2, -0.3, 0.0, 0.0], 2)
    assert values.mean() != 0

    result = paired_tests()[test].function(evidence(test, np.zeros(10), values))

    assert (0.0, 1.0) == tuple(result)
    assert math.copysign(1, result.estimate) == 1


@pytest.mark.parametrize("test", ["corrected_repeated_kfold_t", "combined_5x2_f"])
def test_no_pvalue_is_zero(test):
    """A difference that hardly varies has a p-value that is small, and not 0 or NaN."""
    champion = np.full(10, 0.5)
    challenger = 0.9 + 1e-9 * np.arange(10)
    result = paired_tests()[test].function(evidence(test, champion, challenger))

    assert 0 < result.pvalue < 1e-20
    assert math.isfinite(result.log_pvalue)


def test_uncorrected_tests_never_decide():
    """Elsewhere the uncorrected t tests are offered without a word."""
    uncorrected = ("kfold_t", "repeated_holdout_t", *HALVES)

    for test in uncorrected:
        assert paired_tests()[test].caution == "liberal"


def test_correction_makes_the_error_larger():
    """More repetitions of one data set are no more data."""
    rng = np.random.default_rng(0)
    errors = []
    for n_repeats in (1, 10, 100):
        values = rng.normal(0.01, 0.02, (n_repeats, 10))
        scores = ScoreDifferences(values, 90, 10, design="repeated kfold")
        result = paired_tests()["corrected_repeated_kfold_t"].function(scores)
        errors.append(result.details["se"] / result.details["deviation"])

    assert errors[2] > math.sqrt(2 / 9)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(3),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.2, random_state=0),
    ],
    ids=str,
)
def test_frames_and_labels_that_are_text(cv):
    """Elsewhere a frame is a KeyError, because its columns are looked up by row numbers."""
    data = load_iris(as_frame=True)
    # Records in another order than their index says.
    frame = data.data.sample(frac=1, random_state=0)
    labels = data.target_names[data.target[frame.index]]
    pair = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
    settings = {"cv": cv, "tests": ["corrected_repeated_kfold_t"], "random_state": 0}

    of_frame = PairedComparator(*pair, **settings).fit(frame, labels)
    of_array = PairedComparator(*pair, **settings).fit(frame.to_numpy(), labels)

    for one, other in zip(
        of_frame.comparison_.rows, of_array.comparison_.rows, strict=True
    ):
        assert one.difference == other.difference
        assert one.pvalue == other.pvalue


def test_estimators_of_the_user_stay_as_they_were():
    """Elsewhere the classifiers that were passed are fitted again, and change."""
    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[:60], y[:60])
    tree, classes = fitted.tree_, fitted.classes_.tolist()
    unfitted = GaussianNB()

    PairedComparator(unfitted, fitted, cv=KFold(3, shuffle=True, random_state=0)).fit(X, y)

    assert fitted.tree_ is tree
    assert classes == fitted.classes_.tolist()
    assert not hasattr(unfitted, "classes_")


def test_other_folds_are_refused():
    """Elsewhere scores on other folds are subtracted all the same."""
    X, y = load_iris(return_X_y=True)
    outputs = [
        cross_validate(
            GaussianNB(),
            X,
            y,
            cv=StratifiedKFold(5, shuffle=True, random_state=seed),
            return_indices=True,
        )
        for seed in (0, 1)
    ]

    with pytest.raises(ValueError, match="must have the same splits"):
        ScoreDifferences.from_cv_results(*outputs)


def test_test_of_trained_models_on_averaged_folds_is_flagged():
    """Elsewhere AUCs of folds are averaged, and compared as if of one test set."""
    X, y = load_iris(return_X_y=True)
    comparator = PairedComparator(
        GaussianNB(),
        LogisticRegression(max_iter=1000),
        cv=StratifiedKFold(5),
        scoring="roc_auc",
        tests=["delong"],
    ).fit(X, (y == 1).astype(int))
    default, delong = comparator.comparison_.rows

    assert "corrected_repeated_kfold_t" == default.test
    assert default.primary
    assert "invalid-design" in delong.flags
