"""Tests of any score of the counts: others' numbers, brute force, and edges."""

import json
import math
import sys
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

from skcompare._core.validation import alpha_of
from skcompare._registry.tests import get_test
from skcompare.evidence import JointCounts
from skcompare.stats import PairedResult, mcnemar, score_difference
from skcompare.stats.scores import _permutation as permutation
from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    count_score,
)
from tests.common.confusion import score_of
from tests.common.golden import golden

CASES = golden("count_scores")["cases"]
ALTERNATIVES = ("two-sided", "less", "greater")
LEVELS = (0.5, 0.7, 0.9, 0.95, 0.99)
TABLE = [[[60, 9], [3, 8]], [[5, 16], [4, 45]]]
MANY_CLASSES = [name for name in COUNT_SCORES if name not in BINARY_SCORES]


def accuracy(confusion):
    return np.trace(confusion) / confusion.sum()


def f1(confusion):
    both = 2 * confusion[1, 1]
    return both / (both + confusion[0, 1] + confusion[1, 0])


def random_records(n, n_classes, seed, accuracies=(0.7, 0.8)):
    rng = np.random.default_rng([seed, n, n_classes])
    y = rng.integers(n_classes, size=n)
    return y, *(
        np.where(rng.random(n) < share, y, rng.integers(n_classes, size=n))
        for share in accuracies
    )


def counted(records, n_classes):
    table = np.zeros((n_classes,) * 3, dtype=np.int64)
    np.add.at(table, records, 1)
    return JointCounts(table, np.arange(n_classes))


def random_counts(n, n_classes, seed, **settings):
    return counted(random_records(n, n_classes, seed, **settings), n_classes)


def of_class(case, label):
    """The counts of a case, or of one of its classes against the rest."""
    counts = JointCounts(case["counts"], np.arange(len(case["counts"])))
    return counts if label is None else counts.for_class(label)


def rows_of(kind):
    """The rows of all cases, each with its case."""
    return [(case, row) for case in CASES for row in case[kind]]


# ------------------------------------------------------- other people's numbers


def test_delta_is_the_sandwich_of_estimating_equations():
    """statsmodels and geepack give the same difference, standard error, z and p."""
    for case, row in rows_of("tests"):
        counts = of_class(case, row.get("class"))
        pos_label = None if row["what"] == "acc" else row["what"] != "npv"
        if pos_label is not None and counts.classes.dtype.kind != "b":
            pos_label = int(pos_label)

        result = score_difference(
            counts, score=row["score"], pos_label=pos_label, method="delta"
        )

        expected = [row[name] for name in ("estimate", "standard_error", "z", "pvalue")]
        actual = [
            result.estimate,
            result.details["standard_error"],
            result.statistic,
            result.pvalue,
        ]
        assert expected == pytest.approx(actual, rel=1e-9, abs=1e-12)


def test_permutation_of_a_share_is_the_exact_mcnemar_test():
    """R, statsmodels and scipy give p of accuracy, sensitivity and specificity."""
    for case, row in rows_of("exact"):
        counts = of_class(case, row.get("class"))
        if permutation.Exchange.from_counts(counts).n_outcomes > permutation.MOST_OUTCOMES:
            counts = counted_right(counts)

        result = score_difference(counts, score=row["score"], method="permutation")

        assert "permutation, exact" == result.method
        assert row["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)


def counted_right(counts):
    """Two classes with the same accuracies as the counts have."""
    table = counts.contingency_table()
    cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]
    right = [table.both_correct, table.only_champion, table.only_challenger]
    return JointCounts([*right, table.both_wrong], np.array([0, 1]), cells)


# ------------------------------------------------------------------ delta method


@pytest.mark.slow
def test_delta_and_jackknife():
    """Leaving out each record in turn gives the same standard error, but for 1 / n."""
    for score, n_classes in product(MANY_CLASSES, [2, 4]):
        counts = random_counts(200, n_classes, 1)
        result = score_difference(counts, score=score)
        known = count_score(score, counts.classes)
        champion, challenger = (
            table.astype(float) for table in counts.confusion_matrices()
        )

        table, without = counts.to_array(), []
        for y, a, b in zip(*np.nonzero(table)):
            champion[y, a] -= 1
            challenger[y, b] -= 1
            left = score_of(known, challenger) - score_of(known, champion)
            champion[y, a] += 1
            challenger[y, b] += 1
            without += [left] * table[y, a, b]

        assert 200 == len(without)
        jackknife = np.std(without) * math.sqrt(199)
        assert jackknife == pytest.approx(result.details["standard_error"], rel=0.02)


def test_delta_by_the_covariance_of_counts():
    """The standard error is that of numerical derivatives and multinomial counts."""
    counts = random_counts(150, 3, 2)
    table = counts.to_array().astype(float)
    steps = 1e-3 * np.eye(27).reshape(27, 3, 3, 3)[table.ravel() > 0]
    shares = (table / 150).ravel()[table.ravel() > 0]
    covariance = 150 * (np.diag(shares) - np.outer(shares, shares))

    def difference(joint, known):
        first, second = joint.sum(axis=-1), joint.sum(axis=-2)
        return score_of(known, second) - score_of(known, first)

    for score in MANY_CLASSES:
        known = count_score(score, counts.classes)
        slopes = difference(table + steps, known) - difference(table - steps, known)
        slopes /= 2e-3
        variance = slopes @ covariance @ slopes

        actual = score_difference(counts, score=score).details["standard_error"]
        assert math.sqrt(variance) == pytest.approx(actual, rel=1e-6)


@pytest.mark.parametrize("score", ["accuracy", "f1_micro", accuracy])
def test_accuracy_is_the_wald_statistic(score):
    """The variance of a difference of accuracies is Wald's, with the divisor n."""
    counts = random_counts(200, 3, 4)
    table = counts.contingency_table()
    b, c, n = table.only_champion, table.only_challenger, table.n
    error = math.sqrt((b + c - (b - c) ** 2 / n) / n**2)

    result = score_difference(counts, score=score, method="delta")

    assert error == pytest.approx(result.details["standard_error"], rel=1e-8)
    assert (c - b) / n / error == pytest.approx(result.statistic, rel=1e-8)
    assert stats.norm.sf(abs(result.statistic)) * 2 == pytest.approx(result.pvalue)
    half = stats.norm.isf(0.05) * error
    expected = (c - b) / n - half, (c - b) / n + half
    assert expected == pytest.approx(result.confidence_interval(0.9), rel=1e-8)


@pytest.mark.parametrize("method", ["delta", "permutation"])
@pytest.mark.parametrize("name", ["f1", "matthews_corrcoef", "balanced_accuracy"])
def test_own_function_is_like_the_built_in_score(name, method):
    """A function that returns the score has the same p-value and interval, to 1e-6."""
    counts = JointCounts([[[30, 6], [3, 8]], [[5, 6], [4, 25]]], [0, 1])
    known = count_score(name, counts.classes)

    expected = score_difference(counts, score=name, method=method)
    actual = score_difference(
        counts, score=lambda table: float(score_of(known, table)), method=method
    )

    assert expected.pvalue == pytest.approx(actual.pvalue, rel=1e-6)
    assert expected.statistic == pytest.approx(actual.statistic, rel=1e-6)
    assert expected.confidence_interval() == pytest.approx(
        actual.confidence_interval(), abs=1e-6
    )
    assert "difference of score" == actual.estimate_name
    assert f"difference of {name}" == expected.estimate_name


# ------------------------------------------------------------------- permutation


def exchanged_statistics(records, n_classes, score):
    """The statistics after exchanging the predictions of records, in all ways."""
    y, first, second = records
    swapped = np.flatnonzero(first != second)

    @cache
    def statistic(a, b):
        return score_difference(counted((y, [*a], [*b]), n_classes), score=score).statistic

    for signs in product([False, True], repeat=len(swapped)):
        chosen = swapped[list(signs)]
        a, b = first.copy(), second.copy()
        a[chosen], b[chosen] = second[chosen], first[chosen]
        # Records in another order have the same counts.
        order = np.lexsort((b, a, y))
        yield statistic(tuple(a[order]), tuple(b[order]))


def test_permutation_by_brute_force():
    """Counting exchanges by kind gives what exchanging record by record gives."""
    for score, n_classes, seed in [
        ("f1", 2, 0),
        ("f1_macro", 3, 1),
        ("matthews_corrcoef", 2, 2),
        ("precision", 2, 3),
    ]:
        y, *predictions = random_records(16, n_classes, seed)
        order = np.argsort(y, kind="stable")
        records = y[order], *(prediction[order] for prediction in predictions)
        assert 3 <= np.sum(records[1] != records[2]) <= 10
        # The first is that of exchanging nothing.
        statistics = np.array(list(exchanged_statistics(records, n_classes, score)))
        for alternative, sizes in [
            ("two-sided", np.abs(statistics)),
            ("greater", statistics),
            ("less", -statistics),
        ]:
            result = score_difference(
                counted(records, n_classes),
                score=score,
                method="permutation",
                alternative=alternative,
            )

            assert "permutation, exact" == result.method
            expected = np.mean(sizes >= sizes[0] - 1e-9)
            assert expected == pytest.approx(result.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_permutation_of_accuracy_is_exact_mcnemar(alternative):
    """Of a share the studentised difference has the order of the discordant counts."""
    for seed in range(10):
        counts = random_counts(60, 2, seed)
        expected = mcnemar(
            counts.contingency_table(), method="exact", alternative=alternative
        )

        result = score_difference(
            counts, score="accuracy", method="permutation", alternative=alternative
        )

        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-11)


def test_far_tail_of_the_exact_distribution():
    """Fewer than one in 1e308 of the outcomes are as extreme: the logarithm is exact."""
    counts = JointCounts([[[100, 3000], [0, 0]], [[0, 0], [0, 500]]], [0, 1])

    result = score_difference(counts, score="accuracy", method="permutation")

    assert 0 < result.pvalue < 1e-300
    assert math.log(2) * -2999 == pytest.approx(result.log_pvalue, rel=1e-12)


@contextmanager
def drawing():
    """No distribution is small enough for enumeration."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("skcompare.stats.scores._permutation.MOST_OUTCOMES", 0)
        yield


@pytest.fixture
def only_drawn():
    """Exchanges are drawn by every test."""
    with drawing():
        yield


def test_monte_carlo_is_near_the_exact_p():
    """Random exchanges give the exact p-value within their standard error."""
    counts = JointCounts(TABLE, [0, 1])
    for score in ["f1", "f1_macro", "matthews_corrcoef", f1]:
        exact = score_difference(counts, score=score, method="permutation")
        n_resamples = 100 if callable(score) else 9999
        with drawing():
            drawn = score_difference(
                counts, score=score, method="permutation", n_resamples=n_resamples
            )

        error = drawn.details["monte_carlo_error"]
        assert f"permutation, {n_resamples} Monte-Carlo resamples" == drawn.method
        assert n_resamples == drawn.details["resamples"]
        assert math.sqrt(exact.pvalue * (1 - exact.pvalue) / n_resamples) == pytest.approx(
            error, rel=0.5
        )
        assert abs(drawn.pvalue - exact.pvalue) < 3 * error
        assert 273 == exact.details["outcomes"]
        assert "monte_carlo_error" not in exact.details


@pytest.mark.parametrize(
    ("n_seeds", "most"), [(60, 0.3), pytest.param(300, 0.15, marks=pytest.mark.slow)]
)
def test_monte_carlo_error(n_seeds, most, only_drawn):
    """p-values of different seeds vary by the standard error that each of them has."""
    counts = JointCounts(TABLE, [0, 1])
    for alternative in ALTERNATIVES if n_seeds > 60 else ["two-sided", "greater"]:
        settings = {"score": "f1", "method": "permutation", "alternative": alternative}
        results = [
            score_difference(counts, n_resamples=199, random_state=seed, **settings)
            for seed in range(n_seeds)
        ]

        errors = [result.details["monte_carlo_error"] for result in results]

        assert np.std([result.pvalue for result in results]) == pytest.approx(
            np.mean(errors), rel=most
        )


def test_monte_carlo_p_is_never_zero(only_drawn):
    """What is observed is one of the outcomes; one-sided it counts with both signs."""
    counts = random_counts(400, 2, 0, accuracies=(0.5, 0.95))
    settings = {"method": "permutation", "n_resamples": 99, "score": "f1"}
    two_sided, less, greater = (
        score_difference(counts, alternative=alternative, **settings)
        for alternative in ALTERNATIVES
    )

    assert 0.01 == pytest.approx(two_sided.pvalue, rel=1e-12)
    assert 0.005 == pytest.approx(greater.pvalue, rel=1e-12)
    assert 1 == pytest.approx(less.pvalue)


@pytest.mark.slow
def test_monte_carlo_counts_as_it_says(only_drawn):
    """p is (1 + k) / (R + 1) with k of R exchanges at least as far from 0."""
    counts = JointCounts(TABLE, [0, 1])
    result = score_difference(counts, score="f1", method="permutation", n_resamples=60)
    rng = np.random.RandomState(0)
    # Truth 0 and truth 1 have 12 and 20 records with different predictions.

    @cache
    def statistic(first, second):
        table = [[[60, first], [12 - first, 8]], [[5, second], [20 - second, 45]]]
        return score_difference(JointCounts(table, [0, 1]), score="f1").statistic

    exchanges = rng.binomial([12, 20], 0.5, size=(60, 2))
    found = [statistic(first, second) for first, second in exchanges.tolist()]

    extreme = np.sum(np.abs(found) >= abs(result.statistic) - 1e-12)

    assert (1 + extreme) / 61 == pytest.approx(result.pvalue, rel=1e-12)


def test_random_state(only_drawn):
    """A seed gives the same p-value, another one another, and a RandomState goes on."""
    counts = JointCounts(TABLE, [0, 1])

    def pvalue(random_state):
        return score_difference(
            counts,
            score="f1",
            method="permutation",
            n_resamples=300,
            random_state=random_state,
        ).pvalue

    assert pvalue(0) == pvalue(0) == pvalue(np.random.RandomState(0))
    assert len({pvalue(seed) for seed in range(5)}) > 1
    rng = np.random.RandomState(0)
    assert len({pvalue(rng) for _ in range(5)}) > 1
    assert 0 < pvalue(None) < 1


@pytest.mark.parametrize("exact", [True, False])
def test_memory_is_bounded(exact, monkeypatch):
    """Scoring some outcomes at a time changes nothing."""
    counts = random_counts(200, 3, 1)
    settings = {"score": "f1_macro", "method": "permutation", "n_resamples": 700}
    if exact:
        counts = JointCounts(TABLE, [0, 1])
    expected = score_difference(counts, **settings)
    monkeypatch.setattr(permutation, "CHUNK", 400)

    actual = score_difference(counts, **settings)

    assert exact == ("exact" in expected.method)
    assert expected.to_dict() == actual.to_dict()


def test_a_thousand_classes():
    """Sparse counts of a thousand classes work by both methods."""
    records = random_records(20_000, 1000, 0, accuracies=(0.6, 0.8))
    counts = JointCounts.from_predictions(*records)

    for score in ("balanced_accuracy", "f1_macro", "matthews_corrcoef"):
        delta = score_difference(counts, score=score)
        resampled = score_difference(
            counts, score=score, method="permutation", n_resamples=19
        )

        assert delta.pvalue < 1e-10
        assert 0.05 == pytest.approx(resampled.pvalue)
        assert delta.statistic == pytest.approx(resampled.statistic)


# ------------------------------------------------- what interval and p promise


@pytest.mark.parametrize("n_seeds", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_interval_of_a_permutation_agrees(n_seeds):
    """0 is outside exactly when p is below alpha, and higher levels are wider."""
    scores = ["f1", "jaccard_macro", "precision", "matthews_corrcoef"]
    for (way, settings), score, alternative in product(
        [(nullcontext, {}), (drawing, {"n_resamples": 39})],
        scores if n_seeds > 8 else scores[:2],
        ALTERNATIVES,
    ):
        seen = set()
        for seed in range(n_seeds):
            n = (6, 15, 40, 90)[seed % 4]
            counts = random_counts(n, 2, seed, accuracies=(0.55, 0.9))
            with way():
                result = score_difference(
                    counts,
                    score=score,
                    method="permutation",
                    alternative=alternative,
                    **settings,
                )
            previous = math.inf, -math.inf
            for level in LEVELS:
                low, high = result.confidence_interval(level)
                significant = result.pvalue < alpha_of(level)
                assert significant == (not low <= 0 <= high), (seed, level)
                assert low <= previous[0] + 1e-12
                assert previous[1] <= high + 1e-12
                assert level == 0.5 or low - 1e-12 <= result.estimate <= high + 1e-12
                previous = low, high
                seen.add(significant)

        assert seen == {True, False} or (alternative == "less" and seen)


def test_interval_is_a_multiple_of_the_standard_error():
    """Its half width is the critical value of the permutation distribution."""
    counts = JointCounts(TABLE, [0, 1])
    result = score_difference(counts, score="f1", method="permutation")
    low, high = result.confidence_interval(0.9)
    critical = (high - low) / 2 / result.details["standard_error"]
    distribution = permutation.Exchange.from_counts(counts).enumerated(
        count_score("f1", counts.classes)
    )

    assert result.estimate == pytest.approx((low + high) / 2)
    # The least that is a reason to reject: differences up to it are kept.
    assert distribution.pvalue(critical, "two-sided")[0] < 0.1
    within = distribution.sizes[distribution.sizes < critical - 1e-9]
    assert distribution.pvalue(within[-1], "two-sided")[0] >= 0.1


def test_nothing_can_be_rejected():
    """Where no outcome is a reason to reject, the interval is the whole range."""
    # Three records with different predictions: p is at least 1/8, of nine draws 1/20.
    counts = JointCounts([[[30, 1], [0, 4]], [[3, 2], [0, 20]]], [0, 1])
    for (way, settings), alternative, score in product(
        [(nullcontext, {}), (drawing, {"n_resamples": 9})],
        ALTERNATIVES,
        ("f1", "accuracy", "balanced_accuracy"),
    ):
        with way():
            result = score_difference(
                counts,
                score=score,
                method="permutation",
                alternative=alternative,
                **settings,
            )

        assert (-1, 1) == tuple(result.confidence_interval(0.99))


def test_only_infinite_statistics_are_rejected():
    """A difference with variance is then no reason, whatever it is."""
    # Of 8 exchanges, that of all or of none alone leaves a score without variance.
    counts = JointCounts([[[20, 0], [0, 0]], [[0, 1], [7, 0]]], [0, 1])
    exchange = permutation.Exchange.from_counts(counts)
    distribution = exchange.enumerated(count_score("f1", counts.classes))
    assert math.inf == distribution.sizes[-1]
    assert sys.float_info.max == distribution.critical(0.05, "two-sided")

    for score, bound in (("f1", 1), (lambda c: 1e-9 * f1(c), math.inf)):
        result = score_difference(counts, score=score, method="permutation")

        assert math.isfinite(result.statistic)
        assert result.pvalue >= 0.05
        assert (-bound, bound) == tuple(result.confidence_interval(0.95))
        assert bound > result.confidence_interval(0.5).high


@pytest.mark.slow
def test_nested_intervals():
    """A higher level never shortens an interval, by sign only included."""
    tables = [
        [[[20, 0], [0, 0]], [[0, 8], [0, 0]]],
        [[[20, 0], [0, 0]], [[0, 1], [7, 0]]],
        [[[7, 2], [3, 0]], [[4, 0], [0, 0]]],
        [[[6, 0], [1, 0]], [[0, 3], [1, 2]]],
        TABLE,
    ]
    levels = (0.02, 0.3, 0.5, 0.9, 0.95, 0.99, 0.992, 0.993, 0.9961, 0.997, 0.9999)
    for (way, settings), alternative, table, score in product(
        [(nullcontext, {}), (drawing, {"n_resamples": 99})],
        ALTERNATIVES,
        tables,
        ("f1", "precision", "matthews_corrcoef"),
    ):
        with way():
            result = score_difference(
                JointCounts(table, [0, 1]),
                score=score,
                method="permutation",
                alternative=alternative,
                **settings,
            )
        limits = [result.confidence_interval(level) for level in levels]
        for (low, high), (lower, higher) in pairwise(limits):
            assert lower <= low <= high <= higher


@pytest.mark.parametrize(("score", "most"), [("f1", 1), ("matthews_corrcoef", 2)])
def test_limits_stay_in_the_range_of_the_score(score, most):
    """No limit is beyond the greatest difference that two scores can have."""
    counts = JointCounts([[[1, 2], [0, 1]], [[2, 5], [1, 0]]], [0, 1])
    for alternative in ALTERNATIVES:
        for method in ("delta", "permutation"):
            result = score_difference(
                counts, score=score, method=method, alternative=alternative
            )
            low, high = result.confidence_interval(0.9999)
            assert -most <= low < high <= most
            assert alternative != "greater" or high == most
            assert alternative != "less" or low == -most


def test_own_score_has_no_bounds():
    """A one-sided interval of an own function goes on for ever."""
    result = score_difference(
        JointCounts(TABLE, [0, 1]), score=lambda c: 100 * f1(c), alternative="greater"
    )

    assert math.inf == result.confidence_interval().high
    assert (
        PairedResult.from_dict(json.loads(json.dumps(result.to_dict()))).estimate
        == result.estimate
    )


# ------------------------------------------------------------------------ edges


def test_equal_predictions():
    """Without different predictions p is 1 and the interval is 0."""
    for method, alternative in product(["delta", "permutation"], ALTERNATIVES):
        counts = JointCounts([[[7, 0], [0, 2]], [[1, 0], [0, 5]]], [0, 1])
        for score in ("f1", "accuracy", accuracy):
            result = score_difference(
                counts, score=score, method=method, alternative=alternative
            )

            assert (0.0, 1.0, 0.0) == (result.statistic, result.pvalue, result.estimate)
            assert ("degenerate",) == result.flags
            assert 0 in result.confidence_interval()


def test_different_predictions_without_difference_or_variance():
    """Two classifiers that find no positive have F1 of 0 for certain."""
    counts = JointCounts([[[7, 2], [3, 0]], [[4, 0], [0, 0]]], [0, 1])
    for method in ("delta", "permutation"):
        result = score_difference(counts, score="f1", method=method)

        assert (0.0, 1.0, 0.0) == (result.statistic, result.pvalue, result.estimate)
        assert result.degenerate


def test_difference_without_variance():
    """A perfect classifier against one without a hit: undefined by the delta method."""
    counts = JointCounts([[[20, 0], [0, 0]], [[0, 8], [0, 0]]], [0, 1])
    delta = score_difference(counts, score="f1", method="delta")
    exact = score_difference(counts, score="f1", method="permutation")

    assert (0.0, 1.0) == (delta.champion, delta.challenger)
    assert math.inf == delta.statistic == exact.statistic
    assert math.isnan(delta.pvalue)
    assert math.isnan(delta.log_pvalue)
    assert "zero-variance" in delta.flags
    assert (-1, 1) == tuple(delta.confidence_interval())
    # All 8 exchanged or none: 2 of 256 ways.
    assert 2 / 256 == pytest.approx(exact.pvalue)
    assert ("few-different-predictions", "sign-only-interval") == exact.flags
    low, high = exact.confidence_interval(0.95)
    assert 0 < low < 1e-300
    assert 1 == high
    assert (-1, 1) == tuple(exact.confidence_interval(0.999))
    swapped = score_difference(counts.swap(), score="f1", method="permutation")
    assert (-1, -low) == tuple(swapped.confidence_interval(0.95))


@pytest.mark.parametrize(
    ("alternative", "pvalue", "interval"),
    [("greater", 1 / 256, (0, 1)), ("less", 1, (-1, 1))],
)
def test_one_sided_difference_without_variance(alternative, pvalue, interval):
    """Only the alternative that the difference is in has a limit at 0."""
    counts = JointCounts([[[20, 0], [0, 0]], [[0, 8], [0, 0]]], [0, 1])

    result = score_difference(
        counts, score="f1", method="permutation", alternative=alternative
    )

    assert pvalue == pytest.approx(result.pvalue)
    assert interval == pytest.approx(tuple(result.confidence_interval()))


@pytest.mark.parametrize("method", ["delta", "permutation"])
def test_never_predicted_class_is_flagged(method):
    """Precision without a positive prediction is 0 as in scikit-learn, and undefined."""
    counts = JointCounts([[[40, 5], [0, 0]], [[6, 9], [0, 0]]], [0, 1])
    result = score_difference(counts, score="precision", method=method)

    assert (0.0, 9 / 14) == pytest.approx((result.champion, result.challenger))
    assert "undefined-score" in result.flags
    other = score_difference(counts, score="recall", method=method)
    assert "undefined-score" not in other.flags


def test_flag_of_few_different_predictions():
    """Fewer than 25 are flagged: the normal approximation, or the interval alone."""
    few = JointCounts([[[90, 10], [4, 20]], [[5, 5], [5, 60]]], [0, 1])
    enough = JointCounts([[[90, 10], [4, 20]], [[5, 6], [5, 60]]], [0, 1])

    assert ("few-discordant-pairs",) == score_difference(
        few, score="f1", method="delta"
    ).flags
    assert ("few-different-predictions",) == score_difference(
        few, score="f1", method="permutation"
    ).flags
    assert () == score_difference(enough, score="f1", method="permutation").flags
    assert () == score_difference(enough, score="f1", method="delta").flags
    assert 24 == score_difference(few).details["different_predictions"]


def test_positive_class_is_said():
    """The result names the positive class, where there is one."""
    counts = JointCounts(TABLE, ["ham", "spam"])
    ham = score_difference(counts, score="f1", pos_label="ham")
    spam = score_difference(counts, score="f1", pos_label="spam")

    assert ("positive class 'ham'", "positive class 'spam'") == (ham.remark, spam.remark)
    assert ham.estimate != spam.estimate
    assert "" == score_difference(counts).remark
    recall = score_difference(counts, score="recall", pos_label="ham")
    specificity = score_difference(counts, score="specificity", pos_label="spam")
    assert tuple(recall) == tuple(specificity)


def test_defaults():
    """It is a score for any number of classes, permuted where records are few."""
    for n, n_classes, method in ((50, 2, "permutation"), (50, 5, "permutation")) + (
        (9000, 3, "delta"),
    ):
        counts = random_counts(n, n_classes, 0)
        expected = score_difference(counts, score="balanced_accuracy", method=method)

        assert expected.to_dict() == score_difference(counts).to_dict()

    assert "delta" == score_difference(random_counts(50, 2, 0), score=accuracy).method
    assert "delta" == score_difference(random_counts(50, 1, 0)).method


def test_own_score_is_named():
    """A function is known by its name."""
    result = score_difference(JointCounts(TABLE, [0, 1]), score=f1)

    assert "difference of f1" == result.estimate_name
    assert "" == result.remark


def test_own_score_of_some_exchanges_is_undefined():
    """An exchange without score counts as extreme, so that p is not too small."""

    def undefined_without_false_alarm(confusion):
        return accuracy(confusion) if confusion[0, 1] else math.nan

    counts = JointCounts([[[10, 3], [1, 0]], [[0, 5], [1, 0]]], [0, 1])
    defined = score_difference(counts, score=accuracy, method="permutation")
    undefined = score_difference(
        counts, score=undefined_without_false_alarm, method="permutation"
    )

    # Extreme is all but 5 to 5, and of these all with the 4 of truth 0 on one side.
    assert 1 - 252 / 1024 == pytest.approx(defined.pvalue)
    assert 1 - 240 / 1024 == pytest.approx(undefined.pvalue)
    assert "undefined-resamples" not in defined.flags
    assert "undefined-resamples" in undefined.flags


def test_own_score_must_be_a_number():
    """What is no finite number for the observed counts is refused."""
    for wrong in [
        lambda c: math.nan,
        lambda c: None,
        lambda c: c[1],
        lambda c: c[1, 0] / c[1, 0],
        lambda c: "0.5",
    ]:
        counts = JointCounts([[[60, 9], [3, 8]], [[0, 0], [0, 45]]], [0, 1])

        with pytest.raises(
            ValueError, match=r"The score 'score' must give a finite number"
        ):
            score_difference(counts, score=wrong)


def test_own_score_must_have_slopes():
    """A function that is finite at the observed counts alone is refused."""

    def whole_counts_only(confusion):
        return 0.5 if (confusion == np.round(confusion)).all() else math.nan

    with pytest.raises(ValueError, match=r"'whole_counts_only' must have finite slopes"):
        score_difference(JointCounts(TABLE, [0, 1]), score=whole_counts_only)


@pytest.mark.parametrize("wrong", [None, 3, ["f1"]])
def test_score_is_a_name_or_a_function(wrong):
    """Anything else is refused with the known names."""
    with pytest.raises(TypeError, match=r"`score` must be the name.*balanced_accuracy"):
        score_difference(JointCounts(TABLE, [0, 1]), score=wrong)


def test_options_that_do_not_fit():
    """Unknown names, a positive class without use, and no resamples are refused."""
    counts = JointCounts(TABLE, [0, 1])
    with pytest.raises(ValueError, match=r"Unknown score 'f1-macro'. Did you mea"):
        score_difference(counts, score="f1-macro")
    with pytest.raises(
        ValueError, match=r"`pos_label` goes with the name.*custom function"
    ):
        score_difference(counts, score=f1, pos_label=1)
    with pytest.raises(ValueError, match=r"has no positive class"):
        score_difference(counts, pos_label=1)
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match=r"`n_resamples` must be an integer of at le"):
            score_difference(counts, method="permutation", n_resamples=wrong)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_records_needed(alternative):
    """With so many records like these the statistic is where the power is 0.8."""
    counts = random_counts(60, 3, 5, accuracies=(0.6, 0.7))
    needed = get_test("score_difference").sample_size(
        counts, alpha=0.05, power=0.8, alternative=alternative, score="f1_macro"
    )

    result = score_difference(counts, score="f1_macro", alternative=alternative)

    tail = 0.025 if alternative == "two-sided" else 0.05
    required = stats.norm.isf(tail) + stats.norm.isf(0.2)
    assert result.pvalue > 0.05
    assert required == pytest.approx(abs(result.statistic) * math.sqrt(needed / 60))


def test_records_needed_are_more():
    """These records did not settle it, so they are never enough."""
    counts = random_counts(300, 2, 5, accuracies=(0.6, 0.9))
    needed = get_test("score_difference").sample_size(
        counts, alpha=0.05, power=0.8, alternative="two-sided", score="f1", pos_label=1
    )

    assert 301 == needed


def test_records_needed_for_no_difference():
    """No number of records finds what is not there."""
    counts = JointCounts([[[7, 0], [0, 2]], [[1, 0], [0, 5]]], [0, 1])

    assert math.inf == get_test("score_difference").sample_size(
        counts, alpha=0.05, power=0.8, alternative="two-sided"
    )
