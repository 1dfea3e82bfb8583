"""One prediction for all classes: brute force, other routes to it, and edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import JointCounts
from skcompare.evidence.labels._class_moments import CLASS_SCORES
from skcompare.stats import (
    lancaster_correlated,
    precision_both_scores,
    precision_by_class,
    precision_difference,
    precision_joint,
    precision_lancaster,
    precision_score,
    precision_simes,
    precision_wald,
    precision_weighted_score,
    simes,
)
from skcompare.stats.precision._precision_global import (
    exchanged_moments,
    exchanged_pvalues,
    quadratic_form,
)
from skcompare.stats.precision._precision_statistics import CLASS_TESTS

TESTS = (precision_simes, precision_lancaster, precision_joint)


def random_labels(n, n_classes, seed, accuracies=(0.6, 0.75)):
    rng = np.random.default_rng([seed, n, n_classes])
    y = rng.integers(n_classes, size=n)
    return y, *(
        np.where(rng.random(n) < share, y, rng.integers(n_classes, size=n))
        for share in accuracies
    )


def random_counts(n, n_classes, seed, **settings):
    return JointCounts.from_predictions(*random_labels(n, n_classes, seed, **settings))


def influences(labels, n_classes, score, *, scale="difference"):
    """What each record adds to the difference of each class, record by record."""
    y, first, second = labels
    columns, differences = [], []
    for c in range(n_classes):
        found = []
        for prediction in (first, second):
            counted = {
                "precision": prediction == c,
                "recall": y == c,
                "specificity": y != c,
                "negative_predictive_value": prediction != c,
            }[score]
            named = score in ("precision", "recall")
            true, given = (y == c, prediction == c) if named else (y != c, prediction != c)
            hit = counted & true & given
            share = hit.sum() / counted.sum()
            value, slope = share, 1.0
            if scale == "wald":
                value, slope = np.log(share / (1 - share)), 1 / (share * (1 - share))
            elif scale == "relative":
                value, slope = np.log(share), 1 / share
            found.append((value, slope * counted * (hit - share) / counted.sum()))
        differences.append(found[1][0] - found[0][0])
        columns.append(found[1][1] - found[0][1])
    return np.array(differences), np.array(columns)


def test_joint_is_the_quadratic_form_of_record_influences():
    """Outer products of what each record adds give statistic and degrees of freedom."""
    for score, n_classes in itertools.product(CLASS_SCORES, [2, 3, 6]):
        labels = random_labels(300, n_classes, 0)
        differences, columns = influences(labels, n_classes, score)
        covariance = columns @ columns.T
        expected = differences @ np.linalg.pinv(covariance, rcond=1e-10) @ differences
        result = precision_joint(
            JointCounts.from_predictions(*labels), score=score, scale="difference"
        )

        assert expected == pytest.approx(result.statistic, rel=1e-8)
        assert np.linalg.matrix_rank(covariance, tol=1e-12) == result.df
        assert stats.chi2.sf(expected, result.df) == pytest.approx(result.pvalue, rel=1e-7)
        assert np.abs(differences).max() == pytest.approx(result.estimate, rel=1e-12)


def test_joint_on_log_odds():
    """The log odds have the influences of the shares over P (1 - P)."""
    for score in CLASS_SCORES:
        labels = random_labels(400, 3, 1)
        beta, columns = influences(labels, 3, score, scale="wald")
        expected = beta @ np.linalg.pinv(columns @ columns.T, rcond=1e-10) @ beta
        result = precision_joint(
            JointCounts.from_predictions(*labels), score=score, scale="log-odds"
        )

        assert expected == pytest.approx(result.statistic, rel=1e-8)
        assert 3 == result.df


def test_joint_of_both_scores():
    """The variance of a class is the largest of those of three tests of it."""
    cases = [("precision", 2), ("precision", 6), *((score, 3) for score in CLASS_SCORES)]
    for score, n_classes in cases:
        labels = random_labels(90, n_classes, 0, accuracies=(0.7, 0.9))
        counts = JointCounts.from_predictions(*labels)
        differences, columns = influences(labels, n_classes, score)
        covariance = columns @ columns.T
        tests = (precision_weighted_score, precision_score, precision_difference)
        for c in range(n_classes):
            errors = [
                test(counts, label=c, score=score).details["standard_error"]
                for test in tests
            ]
            covariance[c, c] = max(errors) ** 2
        result = precision_joint(counts, score=score)
        wald = precision_joint(counts, score=score, scale="difference")

        expected = differences @ np.linalg.solve(covariance, differences)
        assert expected == pytest.approx(result.statistic, rel=1e-8)
        assert result.statistic < wald.statistic
        assert n_classes == result.df
        assert "joint both scores" == result.method
        rows = precision_by_class(counts, score=score, test="both scores")
        assert [part["pvalue"] for part in result.parts] == sorted(rows.pvalue.tolist())


@pytest.mark.slow
def test_joint_of_both_scores_holds_the_level_of_small_classes():
    """Twenty records a class, where Wald's statistic of the differences is too large."""
    rng = np.random.default_rng(5)
    n_draws, k, n = 150, 20, 400
    rejected = dict.fromkeys(("both scores", "difference"), 0)
    for _ in range(n_draws):
        y = rng.integers(k, size=n)
        champion, own = (
            np.where(rng.random(n) < 0.75, y, (y + rng.integers(1, k, size=n)) % k)
            for _ in range(2)
        )
        challenger = np.where(rng.random(n) < 0.5, champion, own)
        # Withheld predictions are one more class, which no record is of.
        challenger = np.where(rng.random(n) < 0.6, k, challenger)
        counts = JointCounts.from_predictions(y, champion, challenger)
        for scale in rejected:
            rejected[scale] += precision_joint(counts, scale=scale).pvalue < 0.05

    assert rejected["both scores"] / n_draws < 0.06
    assert rejected["difference"] / n_draws > 0.2


def test_joint_of_one_class_is_its_own_test():
    """Where only one class is predicted by both, the statistic is that of its test."""
    y = [0] * 20 + [1] * 10
    first = [0] * 15 + [1] * 5 + [0] * 4 + [1] * 6
    second = [0] * 18 + [2] * 2 + [0] * 3 + [2] * 7
    counts = JointCounts.from_predictions(y, first, second)
    for scale, test in (
        ("both scores", precision_both_scores),
        ("difference", precision_difference),
        ("log-odds", precision_wald),
    ):
        joint = precision_joint(counts, scale=scale)

        assert 1 == joint.df
        assert test(counts, label=0).pvalue == pytest.approx(joint.pvalue)
        assert 2 == joint.details["n_left_out"]
        assert "unpredicted-classes" in joint.flags


def test_joint_is_a_step_of_no_scale():
    """Names and order of the classes change nothing."""
    y, first, second = random_labels(250, 5, 3)
    renamed = np.array(list("qazwe"))
    for test in TESTS:
        one = test(JointCounts.from_predictions(y, first, second))
        other = test(
            JointCounts.from_predictions(renamed[y], renamed[first], renamed[second])
        )

        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-10)
        assert [str(renamed[part["label"]]) for part in one.parts] == [
            part["label"] for part in other.parts
        ]


def test_dependent_classes_have_a_smaller_rank():
    """Differences that follow from others add nothing to the statistic."""
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(3, 6))
    loads = rng.normal(size=(5, 3))
    differences = rng.normal(size=3)
    small = quadratic_form(factor @ factor.T, differences)
    large = quadratic_form(loads @ factor @ factor.T @ loads.T, loads @ differences)

    assert (3, True) == small[1:]
    assert (3, True) == large[1:]
    assert small[0] == pytest.approx(large[0], rel=1e-8)


def test_what_cannot_vary_is_not_consistent():
    """A difference outside of what varies is left out and told."""
    singular = np.array([[1.0, 1.0], [1.0, 1.0]])

    assert (0.0, 0, True) == quadratic_form(np.zeros((2, 2)), np.zeros(2))
    assert quadratic_form(singular, np.array([2.0, 2.0])) == pytest.approx((4.0, 1, True))
    # What can vary is the mean of both.
    expected = pytest.approx((2.05**2, 1, False))
    assert quadratic_form(singular, np.array([2.0, 2.1])) == expected
    assert (0.0, 0, False) == quadratic_form(np.zeros((1, 1)), np.array([0.5]))


@pytest.mark.slow
def test_simes_and_lancaster_combine_the_classes():
    """Both are functions of the p-values of the classes alone, and of correlations."""
    labels = random_labels(400, 4, 5)
    counts = JointCounts.from_predictions(*labels)
    cases = {(test, "precision") for test in CLASS_TESTS}
    cases |= {("both scores", score) for score in CLASS_SCORES}
    cases |= {("wald", "recall"), ("relative", "negative_predictive_value")}
    for test, score in sorted(cases):
        rows = precision_by_class(counts, score=score, test=test)
        combined = precision_simes(counts, score=score, test=test)

        assert simes(rows.pvalue).pvalue == combined.pvalue
        assert sorted(rows.pvalue.tolist()) == [part["pvalue"] for part in combined.parts]
        assert sorted(rows.adjusted_pvalue.tolist()) == pytest.approx(
            [part["adjusted_pvalue"] for part in combined.parts]
        )

        lancaster = precision_lancaster(counts, score=score, test=test)
        scale = test if test in ("wald", "relative") else "difference"
        _, columns = influences(labels, 4, score, scale=scale)
        expected = lancaster_correlated(rows.pvalue, correlation=np.corrcoef(columns))
        assert expected.pvalue == pytest.approx(lancaster.pvalue, rel=1e-8)
        independent = lancaster_correlated(rows.pvalue)
        assert independent.details["sum"] == pytest.approx(lancaster.details["sum"])
        # Recalls are of different records, so that their classes are not correlated.
        added = lancaster.details["variance"] - independent.details["variance"]
        assert (added > 1e-12) == (score != "recall")


def test_exchanged_moments_are_those_of_exchanged_labels():
    """Every draw is the moments of some exchange of the predictions, as enumeration
    says.
    """
    y = np.array([2, 0, 2, 0, 1, 1, 2])
    first, second = np.array([[2, 0, 1, 2, 1, 1, 0], [2, 1, 2, 0, 1, 2, 0]])
    # Of the records that are predicted alike nothing is exchanged.
    different = np.flatnonzero(first != second)
    exchanges = []
    for flips in itertools.product((False, True), repeat=len(different)):
        flipped = np.isin(np.arange(len(y)), different[list(flips)])
        one, other = np.where(flipped, second, first), np.where(flipped, first, second)
        exchanges.append(JointCounts.from_predictions(y, one, other).class_rows())
    for score in CLASS_SCORES:
        possible = {key_of(rows.moments(score)) for rows in exchanges}
        drawn = {
            key_of(moments, i)
            for moments in exchanged_moments(
                JointCounts.from_predictions(y, first, second),
                score,
                400,
                np.random.RandomState(0),
            )
            for i in range(len(moments.rows))
        }

        assert drawn == possible


def key_of(moments, i=...):
    """What tells moments of one draw from those of another."""
    return tuple(
        tuple(getattr(moments, name)[i].ravel().tolist())
        for name in ("rows", "hits", "rr", "rh", "hh")
    )


def test_exchanges_make_the_classifiers_equal():
    """P-values of exchanged predictions are small as often as they should be."""
    counts = random_counts(600, 3, 2)
    pvalues = exchanged_pvalues(
        counts, "precision", "both scores", 4000, np.random.RandomState(1)
    )

    assert (4000, 3) == pvalues.shape
    assert (np.abs((pvalues < 0.05).mean(axis=0) - 0.05) < 0.015).all()


def test_permutation_and_influence_agree():
    """Both routes to the covariance lead to nearly the same p-value."""
    for seed in range(3):
        counts = random_counts(1500, 4, seed, accuracies=(0.7, 0.73))
        one = precision_lancaster(counts)
        other = precision_lancaster(counts, method="permutation", n_resamples=4000)

        assert math.log(one.pvalue) == pytest.approx(math.log(other.pvalue), abs=0.25)
        assert one.details["variance"] == pytest.approx(other.details["variance"], rel=0.15)
        assert 4000 == other.details["resamples"]


@pytest.mark.parametrize("test", [precision_simes, precision_lancaster])
def test_default_test_of_the_classes(test):
    """Both scores, by name or not: the greater of the p-values of each class."""
    counts = random_counts(60, 5, 2, accuracies=(0.6, 0.9))
    result = test(counts)

    assert result.to_dict() == test(counts, test="both scores").to_dict()
    each = []
    for name in ("weighted score", "score"):
        parts = test(counts, test=name).parts
        each.append({part["label"]: part["pvalue"] for part in parts})
    for part in result.parts:
        greater = max(pvalues[part["label"]] for pvalues in each)
        assert greater == pytest.approx(part["pvalue"], rel=1e-12)
    assert result.to_dict() not in (
        test(counts, test=name).to_dict() for name in ("weighted score", "score")
    )
    with pytest.raises(ValueError, match=r"Unknown test 'mcnemar'.*auto"):
        test(counts, test="mcnemar")


def test_draws_are_reproducible():
    """The same seed draws the same, and another one does not."""
    counts = random_counts(200, 3, 4)
    run = {"method": "permutation", "n_resamples": 200}
    one = precision_lancaster(counts, **run).pvalue

    assert one == precision_lancaster(counts, **run).pvalue
    assert one != precision_lancaster(counts, random_state=1, **run).pvalue


def test_a_class_that_is_never_given():
    """It counts as p = 1 for Simes, and is left out of the sum and of the joint test."""
    y, first, second = random_labels(200, 4, 6)
    second = np.where(second == 3, 0, second)
    counts = JointCounts.from_predictions(y, first, second)
    pvalues = precision_by_class(counts).pvalue
    combined, lancaster, joint = (test(counts) for test in TESTS)

    assert math.isnan(pvalues[3])
    assert simes([*pvalues[:3], 1.0]).pvalue == combined.pvalue
    assert 3 == joint.df
    assert (
        pytest.approx(lancaster_correlated(pvalues[:3]).details["sum"])
        == (lancaster.details["sum"])
    )
    for result in (combined, lancaster, joint):
        assert 1 == result.details["n_left_out"]
        assert "unpredicted-classes" in result.flags
        assert "undefined-pvalue" not in result.flags
        assert 3 == result.parts[-1]["label"]
        assert result.parts[-1]["pvalue"] is None


def test_a_class_that_is_predicted_alike():
    """It says nothing: the sum is that without it, and the rank one less."""
    y, first, second = random_labels(200, 3, 7)
    y, first, second = (
        np.concatenate([labels, np.full(30, 3)]) for labels in (y, first, second)
    )
    counts = JointCounts.from_predictions(y, first, second)
    without = JointCounts.from_predictions(y[:200], first[:200], second[:200])

    assert 1 == precision_lancaster(counts).details["n_alike"]
    for test in (precision_lancaster, precision_joint):
        assert test(without).pvalue == pytest.approx(test(counts).pvalue, rel=1e-10)
    assert 1 == precision_simes(counts).parts[-1]["pvalue"]


def test_no_class_is_predicted_by_both():
    """Nothing is known of precisions, and p is undefined."""
    counts = JointCounts.from_predictions([0, 1, 1], [0, 0, 0], [1, 1, 1])
    for test in TESTS:
        result = test(counts)

        assert math.isnan(result.pvalue)
        assert math.isnan(result.estimate)
        assert "no-predictions" in result.flags


def test_a_difference_without_variance():
    """Right once against wrong once: no joint p-value, but one of the score tests."""
    y = [0] * 30 + [1, 2]
    first, second = [0] * 20 + [2] * 10 + [1, 0], [0] * 20 + [2] * 10 + [0, 1]
    counts = JointCounts.from_predictions(y, first, second)
    joint = precision_joint(counts, scale="difference")

    assert math.isinf(joint.statistic)
    assert math.isnan(joint.pvalue)
    assert "zero-variance" in joint.flags
    for test in TESTS:
        assert 0 < test(counts).pvalue <= 1
        assert "zero-variance" not in test(counts).flags
    odds = precision_joint(counts, scale="log-odds")
    assert "undefined-odds" in odds.flags
    assert odds.details["n_undefined"] >= 1


def test_all_right_against_all_right():
    """Without a incorrect prediction nothing differs."""
    counts = JointCounts.from_predictions(list("abcabc"), list("abcabc"), list("abcabc"))
    for test in TESTS:
        result = test(counts)

        assert (0, 1) == (result.estimate, result.pvalue)
        assert result.degenerate


@pytest.mark.parametrize("method", ["influence", "permutation"])
def test_a_few_strong_and_many_weak_differences(method):
    """Simes finds one class among many, Lancaster finds many small differences."""
    rng = np.random.default_rng(12)
    k, n = 10, 4000
    y = rng.integers(k, size=n)

    def predictions(right):
        wrong = (y + rng.integers(1, k, size=n)) % k
        return np.where(rng.random(n) < right[y], y, wrong)

    even = np.full(k, 0.7)
    champion = predictions(even)
    many = JointCounts.from_predictions(y, champion, predictions(even + 0.03))
    sizes = {"method": method, "n_resamples": 1000}

    assert precision_lancaster(many, **sizes).pvalue < precision_simes(many).pvalue
    assert precision_lancaster(many, **sizes).pvalue < 0.05


@pytest.mark.parametrize("n_resamples", [0, 1, 1.5])
def test_wrong_number_of_draws(n_resamples):
    """A covariance needs two draws."""
    with pytest.raises(ValueError, match="`n_resamples` must be an integer of at least 2"):
        precision_lancaster(random_counts(30, 2, 0), n_resamples=n_resamples)
