"""Permutation test of a score: enumeration, other implementations, level, edges."""

import itertools
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from skcompare.evidence import ClusterSums, ContingencyTable, ScoredPair
from skcompare.evidence.scores._scored_pair import RecordMean
from skcompare.stats import clustered_mcnemar, mcnemar, permutation_difference

ALTERNATIVES = ("two-sided", "less", "greater")


def random_scores(seed, n=60, *, signal=(1.0, 1.0), tied=False, share=0.4):
    """Truth with two correlated scores of it."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:4] = 0, 1, 0, 1
    common = rng.normal(size=n)
    scores = [s * y + (common + rng.normal(size=n)) * 0.7 for s in signal]
    return y, *(np.round(s * 2) / 2 if tied else s for s in scores)


def gap(y_true, predictions):
    """A score that nobody knows, and that is quick to call."""
    return predictions[y_true == 1].max() - predictions[y_true == 0].mean()


def tails(statistics, observed):
    """Exact p-values of a list of all statistics."""
    statistics, slack = np.array(statistics), 1e-9
    return {
        "two-sided": np.mean(np.abs(statistics) >= abs(observed) - slack),
        "greater": np.mean(statistics >= observed - slack),
        "less": np.mean(statistics <= observed + slack),
    }


def numerical_slopes(metric, y, scores):
    """Derivatives of a weighted score by the weights of the records."""
    step = 1e-4
    found = []
    for k in range(len(y)):
        sides = []
        for sign in (1, -1):
            weights = np.ones(len(y))
            weights[k] += sign * step
            sides.append(metric(y, scores, sample_weight=weights))
        found.append((sides[0] - sides[1]) / (2 * step))
    return np.array(found)


# --------------------------------------------------------------- other implementations


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_accuracy_is_exact_mcnemar(alternative):
    """For accuracy the exact test is McNemar's."""
    for only_champion, only_challenger in ((3, 8), (0, 6), (5, 5), (1, 0)):
        table = ContingencyTable(10, only_champion, only_challenger, 4)
        y = np.zeros(table.n, dtype=int)
        first = np.repeat([0, 0, 1, 1], [10, only_champion, only_challenger, 4])
        second = np.repeat([0, 1, 0, 1], [10, only_champion, only_challenger, 4])
        pair = ScoredPair.from_predictions(y, first, second)
        expected = mcnemar(table, method="exact", alternative=alternative)

        result = permutation_difference(pair, alternative=alternative)

        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
        assert "permutation, exact" == result.method


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_groups_are_sign_flips(alternative):
    """For accuracy in groups it is the test that flips the signs of whole groups."""
    rng = np.random.default_rng(1)
    y, groups = np.zeros(60, dtype=int), np.arange(60) % 11
    first, second = (rng.random((2, 60)) < [[0.6], [0.3]]).astype(int)
    sums = ClusterSums.from_predictions(y, first, second, groups=groups)
    expected = clustered_mcnemar(sums, method="sign-flip", alternative=alternative)
    pair = ScoredPair.from_predictions(y, first, second, groups=groups)

    result = permutation_difference(pair, alternative=alternative)

    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert expected.estimate == pytest.approx(result.estimate, rel=1e-12)
    assert 11 == result.details["groups"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mean_agrees_with_scipy(alternative):
    """SciPy's exact permutation of paired samples has the same p-value."""
    losses = np.random.default_rng(2).normal(size=(2, 10)) + [[0], [0.6]]
    pair = ScoredPair(
        RecordMean("loss", (-np.inf, np.inf)), np.zeros(10, dtype=int), *losses
    )
    expected = stats.permutation_test(
        (losses[1], losses[0]),
        lambda one, two: np.mean(one - two),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
    )

    result = permutation_difference(pair, alternative=alternative)

    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert expected.statistic == pytest.approx(result.estimate, rel=1e-12)


def test_own_function_by_enumeration():
    """Predictions are exchanged as they are, and all exchanges are counted."""
    y, first, second = random_scores(3, n=8)
    pair = ScoredPair.from_predictions(y, first, second, score=gap)
    statistics = [
        gap(y, np.where(mask, first, second)) - gap(y, np.where(mask, second, first))
        for mask in product([False, True], repeat=8)
    ]
    expected = tails(statistics, statistics[0])

    for alternative in ALTERNATIVES:
        result = permutation_difference(pair, alternative=alternative)

        assert statistics[0] == pytest.approx(result.estimate)
        assert expected[alternative] == pytest.approx(result.pvalue, rel=1e-12)
        assert 256 == result.details["outcomes"]
        error = np.sqrt(np.mean(np.square(statistics)))
        assert error == pytest.approx(result.details["standard_error"], rel=1e-12)


@pytest.mark.slow
def test_studentised_ranks_by_enumeration():
    """Ranks are exchanged, and each difference is divided by its own standard error."""
    for grouped, metric in itertools.product(
        [False, True], [roc_auc_score, average_precision_score]
    ):
        n = 8 if grouped else 5
        y, first, second = random_scores(4, n=n, tied=True)
        ranks = [stats.rankdata(scores) for scores in (first, second)]
        groups = np.arange(n) % 4 if grouped else np.arange(n)
        name = metric.__name__.removesuffix("_score")
        statistics = []
        for mask in product([False, True], repeat=groups.max() + 1):
            swapped = np.array(mask)[groups]
            one, two = np.where(swapped, ranks[::-1], ranks)
            moves = numerical_slopes(metric, y, two) - numerical_slopes(metric, y, one)
            error = np.sqrt(np.sum(np.bincount(groups, moves) ** 2))
            difference = metric(y, two) - metric(y, one)
            statistics.append(difference / error if abs(difference) > 1e-12 else 0.0)
        expected = tails(np.round(statistics, 5), round(statistics[0], 5))
        pair = ScoredPair.from_predictions(
            y, first, second, score=name, groups=groups if grouped else None
        )

        for alternative in ALTERNATIVES:
            result = permutation_difference(pair, alternative=alternative)

            assert statistics[0] == pytest.approx(result.statistic, rel=1e-5)
            assert expected[alternative] == pytest.approx(result.pvalue, rel=1e-12)


def test_error_is_that_of_the_slopes():
    """For many records the statistic of the area is DeLong's with divisors m and n."""
    y, first, second = random_scores(5, n=400)
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")
    placed = []
    for scores in (first, second):
        positive, negative = scores[y == 1], scores[y == 0]
        wins = positive[:, None] > negative
        placed.append((wins.mean(axis=1), wins.mean(axis=0)))
    of_positive, of_negative = (two - one for one, two in zip(*placed, strict=True))
    variance = of_positive.var() / len(of_positive) + of_negative.var() / len(of_negative)

    result = permutation_difference(pair, n_resamples=99)

    assert np.sqrt(variance) == pytest.approx(result.details["standard_error"], rel=1e-9)
    assert of_positive.mean() / np.sqrt(variance) == pytest.approx(result.statistic)


# --------------------------------------------------------------- random exchanges


@pytest.mark.parametrize("score", ["accuracy", "roc_auc", gap])
def test_random_exchanges_estimate_the_exact_pvalue(score):
    """With many draws p is that of all exchanges, within the stated error."""
    y, first, second = random_scores(6, n=10, signal=(0.4, 1.2))
    if score == "accuracy":
        first, second = y, np.where(np.arange(10) < 9, 1 - y, y)
    pair = ScoredPair.from_predictions(y, first, second, score=score)
    for alternative in ALTERNATIVES:
        exact = permutation_difference(pair, n_resamples=9999, alternative=alternative)
        drawn = permutation_difference(pair, n_resamples=99, alternative=alternative)
        n_differ = np.count_nonzero(pair.differs)

        assert "exact" in exact.method
        assert 2**n_differ == exact.details["outcomes"]
        assert "99 Monte-Carlo resamples" in drawn.method
        error = drawn.details["monte_carlo_error"]
        assert exact.pvalue == pytest.approx(drawn.pvalue, abs=4 * error + 0.02)


@pytest.mark.parametrize("score", ["roc_auc", "average_precision", gap])
def test_order_and_roles(score):
    """The order of the records changes nothing, swapped roles mirror everything."""
    opposite = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
    for seed, grouped, alternative in [
        (0, False, "two-sided"),
        (1, True, "two-sided"),
        (2, True, "less"),
        (3, False, "greater"),
    ]:
        y, first, second = random_scores(seed, tied=seed % 2 == 1)
        groups = np.arange(60) % 17 if grouped else None
        order = np.random.default_rng(seed).permutation(60)

        def compared(one, two, alternative, order=slice(None), y=y, groups=groups):
            own = None if groups is None else groups[order]
            pair = ScoredPair.from_predictions(
                y[order], one[order], two[order], score=score, groups=own
            )
            return permutation_difference(pair, n_resamples=99, alternative=alternative)

        result = compared(first, second, alternative)
        mixed = compared(first, second, alternative, order)
        mirrored = compared(second, first, opposite[alternative])

        low, high = result.confidence_interval(0.9)
        for other in (mixed, mirrored):
            assert result.pvalue == pytest.approx(other.pvalue, rel=1e-12)
        assert (low, high) == pytest.approx(mixed.confidence_interval(0.9), abs=1e-12)
        assert (-high, -low) == pytest.approx(mirrored.confidence_interval(0.9), abs=1e-12)


def test_interval_of_grouped_and_single_records_agree_with_pvalues():
    """0 is outside of the interval exactly when p is below alpha."""
    seen = set()
    for seed in range(10):
        y, first, second = random_scores(seed, n=40, signal=(0.5, 1.2))
        groups = np.arange(40) % 13 if seed % 2 else None
        pair = ScoredPair.from_predictions(y, first, second, score="roc_auc", groups=groups)
        for alternative in ALTERNATIVES:
            result = permutation_difference(pair, n_resamples=199, alternative=alternative)
            for alpha in (0.01, 0.05, 0.2, 0.5):
                low, high = result.confidence_interval(1 - alpha)
                assert (result.pvalue < alpha) == (not low <= 0 <= high)
                seen.add(low <= 0 <= high)

    assert {True, False} == seen


def test_many_records():
    """The number of exchanges of thousands of records is beyond the largest float."""
    y, first, second = random_scores(11, n=3000)
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")

    result = permutation_difference(pair, n_resamples=199)

    # For many records the studentised statistic is normal.
    expected = 2 * stats.norm.sf(abs(result.statistic))
    assert expected == pytest.approx(result.pvalue, abs=0.1)
    assert 199 == result.details["resamples"]


# --------------------------------------------------------------- level


@pytest.mark.slow
@pytest.mark.parametrize("score", ["roc_auc", "average_precision"])
def test_level(score):
    """Two classifiers that are equally good are distinguished in about 5 % of the cases.

    The bounds are those that a test of this level keeps with probability 0.999.
    """
    rejected = 0
    for seed in range(300):
        y, first, second = random_scores([1, seed], n=40, share=0.3)
        pair = ScoredPair.from_predictions(y, first, second, score=score)
        result = permutation_difference(pair, n_resamples=99, random_state=seed)
        rejected += result.pvalue <= 0.05

    least, most = stats.binom.ppf([0.0005, 0.9995], 300, 0.05)
    assert least <= rejected <= most


@pytest.mark.slow
def test_level_of_equal_areas_that_are_not_exchangeable():
    """Curves of equal area and different shape are distinguished in about 5 % of the cases.

    The challenger separates a third of the positive records and guesses the others, with
    four times as many negative as positive records.
    """
    rejected = 0
    for seed in range(300):
        rng = np.random.default_rng([2, seed])
        y = (np.arange(100) % 5 == 0).astype(int)
        first = rng.normal(size=100) + 0.60825 * y
        second = rng.normal(size=100) + 20 * ((y == 1) & (rng.random(100) < 1 / 3))
        pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")
        result = permutation_difference(pair, n_resamples=99, random_state=seed)
        rejected += result.pvalue <= 0.05

    least, most = stats.binom.ppf([0.0005, 0.9995], 300, 0.05)
    assert least <= rejected <= most


# --------------------------------------------------------------- edges


@pytest.mark.parametrize("score", ["accuracy", "roc_auc", gap])
def test_the_same_predictions(score):
    """Without different predictions nothing can be exchanged."""
    y, scores, _ = random_scores(7)
    predictions = y if score == "accuracy" else scores
    pair = ScoredPair.from_predictions(y, predictions, predictions, score=score)

    result = permutation_difference(pair)

    assert (0, 1) == tuple(result)
    assert "degenerate" in result.flags
    assert (0, 0) == result.confidence_interval()


def test_the_same_ranking():
    """Scores with the same ranking differ in nothing that the area looks at."""
    y, scores, _ = random_scores(8)
    pair = ScoredPair.from_predictions(y, scores, np.exp(scores), score="roc_auc")

    assert "degenerate" in permutation_difference(pair).flags


def test_difference_without_variance():
    """A perfect challenger against a constant champion has p, but no error."""
    y = np.tile([0, 1], 6)
    pair = ScoredPair.from_predictions(y, np.zeros(12), y, score="roc_auc")

    result = permutation_difference(pair)

    assert np.inf == result.statistic
    # Only the exchange of nothing and of everything have no error.
    assert 2 / 2**12 == pytest.approx(result.pvalue)
    assert "sign-only-interval" in result.flags
    assert (0, 1) == pytest.approx(result.confidence_interval())


def test_undefined_exchanges():
    """An exchange without a score counts as extreme."""

    def fragile(y_true, predictions):
        return np.mean(predictions) if predictions[0] < 5 or predictions[1] < 5 else np.nan

    y = np.array([0, 1, 1, 1, 1, 1])
    pair = ScoredPair.from_predictions(
        y, [1, 1, 1, 1, 1, 1], [2, 9, 3, 4, 2, 3], score=fragile
    )
    whole = ScoredPair.from_predictions(
        y, [1, 1, 1, 1, 1, 1], [2, 9, 3, 4, 2, 3], score=lambda y, a: np.mean(a)
    )

    result, expected = permutation_difference(pair), permutation_difference(whole)

    assert expected.pvalue <= result.pvalue

    def odd(y_true, predictions):
        return np.mean(predictions) if len(set(predictions)) != 2 else np.nan

    undefined = permutation_difference(
        ScoredPair.from_predictions(y[:3], [1, 1, 1], [2, 3, 4], score=odd)
    )
    # All but one of the four exchanges, so that p says nothing.
    assert "exchanges-undefined" in undefined.flags
    assert np.isnan(undefined.pvalue)
    assert (-np.inf, np.inf) == undefined.confidence_interval()

    def seldom(y_true, predictions):
        return np.mean(predictions) if sum(predictions) != 7 else np.nan

    y = np.zeros(4, dtype=int)
    pair = ScoredPair.from_predictions(y, [1, 1, 1, 1], [9, 9, 9, 4], score=seldom)
    result = permutation_difference(pair)
    assert "undefined-resamples" in result.flags
    # Of 8 exchanges, each with its opposite, the observed one is the most extreme one.
    assert 2 / 8 == result.pvalue


def test_pvalues_are_shares():
    """Not even rounding is between p and the share of exchanges, so that 0.05 is 0.05."""
    y, first, second = random_scores(12)
    for n_resamples in (99, 199, 999):
        for signal in (0, 0.2, 0.5):
            pair = ScoredPair.from_predictions(
                y, first, second + signal * y, score="roc_auc"
            )
            for alternative, share in (("two-sided", 1), ("greater", 2), ("less", 2)):
                result = permutation_difference(
                    pair, n_resamples=n_resamples, alternative=alternative
                )
                draws = share * (n_resamples + 1)
                assert round(result.pvalue * draws) / draws == result.pvalue
                assert np.exp(result.log_pvalue) == pytest.approx(result.pvalue)


def test_one_class():
    """Average precision of positive records alone is 1, whatever is exchanged."""
    _, first, second = random_scores(13)
    ones = np.ones(60, dtype=int)
    pair = ScoredPair.from_predictions(ones, first, second, score="average_precision")

    result = permutation_difference(pair, n_resamples=99)

    assert (0, 1) == tuple(result)
    assert "degenerate" in result.flags
    assert (0, 0) == result.confidence_interval()
    assert 0 == result.details["standard_error"]


def test_few_exchanges_that_matter():
    """Where all predictions differ and few count, no exchange is extreme, which is said."""
    rng = np.random.default_rng(14)
    y = np.zeros(40, dtype=int)
    first = rng.random(40) / 4
    second = rng.random(40) / 4
    second[:4] = 0.9

    def called_zero(y_true, predictions):
        return np.mean(predictions < 0.5)

    pair = ScoredPair.from_predictions(y, first, second, score=called_zero)
    result = permutation_difference(pair)

    assert 40 == result.details["different_predictions"]
    assert 2 / 2**4 == pytest.approx(result.pvalue, abs=0.03)
    assert "few-different-predictions" in result.flags
    second[:9] = 0.9
    pair = ScoredPair.from_predictions(y, first, second, score=called_zero)
    assert "few-different-predictions" not in permutation_difference(pair).flags


@pytest.mark.slow
def test_flags_and_numbers():
    """Few groups and few different predictions are said; slow scores get fewer
    exchanges.
    """
    y, first, second = random_scores(9)
    groups = np.arange(60) % 5
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc", groups=groups)
    labels = ScoredPair.from_predictions(y, y, np.where(np.arange(60) < 5, 1 - y, y))
    slow = ScoredPair.from_predictions(y, first, second, score=gap)
    y, first, second = random_scores(9, n=2001)
    many = ScoredPair.from_predictions(y, first, second, score="roc_auc")

    assert 999 == permutation_difference(many).details["resamples"]
    assert "few-groups" in permutation_difference(pair).flags
    assert "few-different-predictions" in permutation_difference(labels).flags
    assert 5 == permutation_difference(labels).details["different_predictions"]
    assert 999 == permutation_difference(slow).details["resamples"]


def test_bad_input():
    """What cannot be done is refused with what to do."""
    y, first, second = random_scores(10)
    pair = ScoredPair.from_predictions(y, first, second, score="roc_auc")
    single = ScoredPair.from_predictions(y, y, y, groups=np.zeros(60, dtype=int))

    with pytest.raises(ValueError, match="`n_resamples` must be an integer of at least 99"):
        permutation_difference(pair, n_resamples=9)
    with pytest.raises(ValueError, match=r"at least 2 of them\. Got 1 group"):
        permutation_difference(single)
