"""Systems that were scored item by item, such as language models."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy import stats

from skcompare import Comparison, compare, compare_scores
from skcompare.comparators._compare_scores import prepared_scores
from skcompare.evidence import ClusterSums, ContingencyTable, PairedLosses
from skcompare.predictions import ItemScores
from skcompare.stats import mcnemar


def made_up(n=60, attempts=1, seed=0):
    """Items, and right or incorrect predictions of two systems of which the second is
    better.
    """
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n), attempts)
    hard = rng.normal(size=n)[item]
    right = rng.normal(size=(2, n * attempts)) + [[0.0], [0.6]] > hard
    return item, *right.astype(float)


# ------------------------------------------------------------------- right or wrong


def test_right_or_wrong_is_mcnemar():
    """Once rightly or wrongly: the numbers are those of `compare` on the same
    predictions.
    """
    _, old, new = made_up()
    row = compare_scores(old, new, unit="items").rows[0]
    expected = compare(
        np.ones(60, int), {"a": old.astype(int), "b": new.astype(int)}, labels=[0, 1]
    )

    assert ("mean_score", "mcnemar") == (row.measure, row.test)
    for name in ("champion", "challenger", "difference", "pvalue", "low", "high"):
        assert getattr(expected.rows[0], name) == getattr(row, name)


def test_counts_by_hand():
    """Six items that only the new one answers, and one that only the old one does."""
    old, new = [1] * 3 + [0] * 6 + [1] + [0] * 2, [1] * 3 + [1] * 6 + [0] + [0] * 2
    row = compare_scores(
        old, new, unit="items", tests={"mcnemar": {"method": "exact"}}
    ).rows[0]

    assert 2 * (1 + 7) / 2**7 == pytest.approx(row.pvalue)
    assert (5 / 12, 4 / 12, 9 / 12) == pytest.approx(
        (row.difference, row.champion, row.challenger)
    )


def test_groups_of_right_or_wrong():
    """In groups: the numbers are those of `compare` with groups."""
    item, old, new = made_up()
    row = compare_scores(old, new, group=item // 4).rows[0]
    predictions = {"a": old.astype(int), "b": new.astype(int)}
    expected = compare(np.ones(60, int), predictions, groups=item // 4, labels=[0, 1]).rows[
        0
    ]

    assert "clustered_mcnemar" == row.test
    assert (expected.pvalue, expected.low, expected.high) == (row.pvalue, row.low, row.high)


# --------------------------------------------------------------- attempts and grades


def test_attempts_are_averaged_to_items():
    """The paired t test of the items' mean scores, by scipy."""
    item, old, new = made_up(30, attempts=4)
    row = compare_scores(old, new, item=item).rows[0]
    means = [each.reshape(30, 4).mean(axis=1) for each in (old, new)]
    expected = stats.ttest_rel(means[1], means[0])

    assert "paired_t" == row.test
    assert expected.pvalue == pytest.approx(row.pvalue)
    assert expected.confidence_interval() == pytest.approx((row.low, row.high))
    assert (old.mean(), new.mean()) == pytest.approx((row.champion, row.challenger))


def test_attempts_are_clusters():
    """It is the cluster-robust test of all attempts, with items as clusters, by formula."""
    item, old, new = made_up(30, attempts=4)
    row = compare_scores(old, new, item=item).rows[0]
    d = np.bincount(item, new - old)
    gain = d.sum() / 120
    error = math.sqrt(30 / 29 * ((d - 4 * gain) ** 2).sum()) / 120

    assert gain / error == pytest.approx(row.result.statistic)
    assert error == pytest.approx(row.result.details["se"])


def test_groups_of_items_by_formula():
    """Sums a group of the items' differences: sqrt(K / (K-1) sum (d - n D)²) / N."""
    item, old, new = made_up(60, attempts=3)
    group = np.sort(np.random.default_rng(1).integers(15, size=60))
    tests = {"clustered_t": {"method": "t"}}
    row = compare_scores(old, new, item=item, group=group[item], tests=tests).rows[0]
    differences = (new - old).reshape(60, 3).mean(axis=1)
    d, n = np.bincount(group, differences), np.bincount(group)
    gain, k = differences.mean(), np.count_nonzero(n)
    error = math.sqrt(k / (k - 1) * ((d - n * gain) ** 2).sum()) / 60

    assert ("clustered_t", k - 1) == (row.test, row.result.df)
    assert gain == pytest.approx(row.difference)
    assert 2 * stats.t.sf(abs(gain / error), k - 1) == pytest.approx(row.pvalue)


def test_unequal_attempts():
    """Items weigh equally, however often each system tried them."""
    comparison = compare_scores(
        ItemScores.from_scores(
            [1, 0, 0, 1],
            [1, 1, 0],
            champion_items=["a", "b", "b", "b"],
            challenger_items=["a", "b", "b"],
        )
    )

    assert (1 / 2 - 1 / 3) / 2 == pytest.approx(comparison.rows[0].difference)
    assert "2 items, 4 and 3 attempts" == comparison.size


def test_roles_and_order():
    """Swapped roles mirror everything; the order of rows and of ids changes nothing."""
    for grouped, attempts in itertools.product([False, True], [1, 3]):
        item, old, new = made_up(40, attempts)
        words = {"item": item, "group": item // 3 if grouped else None}
        row = compare_scores(old, new, **words).rows[0]
        mirror = compare_scores(new, old, **words).rows[0]
        order = np.random.default_rng(0).permutation(len(item))
        words = {
            name: None if each is None else each[order] for name, each in words.items()
        }
        again = compare_scores(old[order], new[order], **words).rows[0]

        assert row.pvalue == pytest.approx(mirror.pvalue)
        assert row.difference == -mirror.difference
        assert (row.low, row.high) == pytest.approx((-mirror.high, -mirror.low))
        for name in ("champion", "challenger", "difference", "pvalue", "low", "high"):
            assert getattr(row, name) == getattr(again, name)


def test_equal_systems():
    """Equal scores differ by 0 with p = 1, and no number of items is named."""
    item, old, _ = made_up(20, attempts=2)
    comparison = compare_scores(old, old, item=item)

    assert (0, 1) == (comparison.rows[0].difference, comparison.rows[0].pvalue)
    assert comparison.conclusion.records_needed is None
    assert "both are correct on the same items" in str(
        compare_scores([1, 0], [1, 0], unit="items")
    )


# ------------------------------------------------------------------------ the report


def test_report_speaks_of_items():
    """Items, attempts and groups are named, and the items that would settle it."""
    item, old, new = made_up(40, attempts=3, seed=4)
    comparison = compare_scores(
        old, new, item=item, group=item // 4, names=("a.jsonl", "b.jsonl"), alpha=0.001
    )
    report = str(comparison)

    assert "hold-out by groups, 40 items, 3 attempts each, in 10 groups" in report
    assert ("a.jsonl", "b.jsonl") == (comparison.champion, comparison.challenger)
    assert "inconclusive" == comparison.verdict
    assert "80 % power requires about" in report
    assert " items if the difference is " in report
    assert "40 items" in comparison.to_markdown()
    assert "40 items" in comparison.to_html(pictures=False)
    assert report == str(Comparison.from_json(comparison.to_json()))
    assert "mean_score" == json.loads(comparison.to_json())["rows"][0]["measure"]


def test_verdict_is_about_systems():
    """No classifiers, no records: the verdict is about the two systems and new items."""
    comparison = compare_scores([0] * 20 + [1], [1] * 20 + [1], unit="items")

    assert "challenger" == comparison.verdict
    assert "about these two systems, over new items" in comparison.conclusion.sentence


def test_items_needed_are_those_of_the_test():
    """More items as the registry's formula for the test has them."""
    _, old, new = made_up(30, seed=3)
    needed = compare_scores(old, new, unit="items").conclusion.records_needed
    predictions = {"a": old.astype(int), "b": new.astype(int)}
    expected = compare(
        np.ones(30, int), predictions, labels=[0, 1]
    ).conclusion.records_needed

    assert expected is not None
    assert expected == needed


def test_direction():
    """A one-sided question has a one-sided p, and no number of items the wrong way."""
    _, old, new = made_up(seed=3)
    options = {"unit": "items", "alternative": "greater"}
    p = compare_scores(old, new, **options).rows[0].pvalue
    wrong = compare_scores(new, old, **options)

    assert p < compare_scores(old, new, unit="items").rows[0].pvalue
    assert "inconclusive" == wrong.verdict
    assert wrong.conclusion.records_needed is None


# ------------------------------------------------------------------------- the tests


def test_named_tests_stand_beside_the_default_one():
    """The default test decides; others have rows of their own with adjusted p-values."""
    item, old, new = made_up(30, attempts=2)
    tests = {"wilcoxon": {}, "loss_permutation": {"n_resamples": 99}}
    comparison = compare_scores(old, new, item=item, tests=tests)

    assert ["paired_t", *tests] == [row.test for row in comparison.rows]
    assert [True, False, False] == [row.primary for row in comparison.rows]
    assert comparison.rows[1].adjusted_pvalue >= comparison.rows[1].pvalue
    assert "gain" not in str(comparison.rows[0].result)
    assert comparison.results["wilcoxon"].champion is None


def test_all_tests():
    """ "all" has the tests that are valid for these scores, and no others."""
    item, old, new = made_up(24)
    unrelated = [
        row.test for row in compare_scores(old, new, tests="all", unit="items").rows
    ]
    grouped = compare_scores(old, new, group=item // 2, tests="all").rows

    assert {"mcnemar", "paired_t", "wilcoxon"} < set(unrelated)
    assert {"clustered_mcnemar", "clustered_t"} <= {row.test for row in grouped}
    assert "mcnemar" not in {row.test for row in grouped}
    losses = compare_scores(
        old, new, tests="all", unit="items", greater_is_better=False
    ).rows
    assert {"relative_loss"} == {row.test for row in losses} - {*unrelated}


def test_invalid_design_is_flagged():
    """A test that ignores the groups runs when it is requested, and is flagged."""
    item, old, new = made_up(24)
    row = compare_scores(old, new, group=item // 2, tests="mcnemar").results["mcnemar"]

    assert "invalid-design" in row.flags


def test_tests_that_do_not_suit():
    """A test of something else, or of another kind of scores, is refused."""
    for tests, message in [
        ("delong", "delong does not compare mean scores"),
        ("yule_q", "yule_q does not compare mean scores"),
        ({"paired_t": {"loss": "log"}}, "paired_t has no option 'loss' for scores"),
        ("mcnemar", "mcnemar cannot run.*several attempts, or grades.*Use paired_t"),
        ("clustered_mcnemar", "clustered_mcnemar cannot run"),
        ("clustered_t", "clustered_t needs records of at least 2 groups"),
        ({"paired_t": {"alternative": "less"}}, "The direction is one for all tests"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare_scores([0.5, 1, 0], [1, 1, 0.2], tests=tests, unit="items")


def test_what_cannot_be_compared():
    """What does not go together is refused with what to do."""
    for arguments, words, message in [
        (([1, 0],), {}, "Arrays of scores come as two.* Got no challenger"),
        (([1, 0], [1, 1]), {"item": "id"}, "Got the column 'id'"),
        (([1, 0], [1, 1]), {"group": "topic"}, "Got the column 'topic'"),
        (([1, 0], [1, 1]), {"score": "acc"}, "Arrays of scores have no columns"),
        (([1, 0], [1, 1]), {"attempt": "n"}, "Arrays of scores have no columns"),
        ((ItemScores([1], [1], [0]), [1]), {}, "Got `challenger` as well"),
        ((ItemScores([1], [1], [0]),), {"bounds": (0, 1)}, "Got `bounds` as well"),
        (("a.jsonl", [1, 0]), {}, "The challenger's is an array"),
        (([1, 0], [1, 1]), {"alpha": 2}, "`alpha` must be a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare_scores(*arguments, **words)


# ------------------------------------------------------------------ evidence for gates


def test_prepared_scores():
    """A test is ready with its evidence; its row is in terms of scores."""
    for attempts, grouped, test, kind in [
        (1, False, "mcnemar", ContingencyTable),
        (1, True, "clustered_mcnemar", ClusterSums),
        (2, False, "paired_t", PairedLosses),
        (2, True, "clustered_t", PairedLosses),
    ]:
        item, old, new = made_up(20, attempts)
        groups = item // 2 if grouped else None
        scores = ItemScores.from_scores(old, new, items=item, groups=groups)
        prepared = prepared_scores(scores, alternative="greater")
        result = prepared.run()
        row = prepared.row(result)

        assert (test, kind) == (prepared.entry.name, type(prepared.evidence))
        assert scores.design == prepared.evidence.design
        assert "greater" == result.alternative
        assert scores.means == pytest.approx((row.champion, row.challenger))
        assert np.mean(scores.differences) == pytest.approx(row.difference)
        assert row.greater_is_better
        assert 20 == result.n


def test_prepared_with_options():
    """Options of a test that is named go with it."""
    scores = ItemScores.from_scores([1, 0, 0, 0], [1, 1, 1, 1])
    prepared = prepared_scores(scores, "mcnemar", {"method": "exact"})

    assert mcnemar(ContingencyTable(1, 0, 3, 0), method="exact").pvalue == pytest.approx(
        prepared.run().pvalue
    )
    with pytest.raises(ValueError, match="mcnemar has no option 'nothing' for scores"):
        prepared_scores(scores, "mcnemar", {"nothing": 1})


# ---------------------------------------------------------------- folds are no items


def fold_scores(n=10, seed=0):
    """Accuracies of two systems on the folds of a cross-validation."""
    rng = np.random.default_rng(seed)
    old = rng.normal(0.8, 0.02, n)
    return old, old + rng.normal(0.015, 0.01, n)


def test_scores_of_unknown_unit_have_no_verdict():
    """Up to 100 values without ids may be those of folds: which one has to be said."""
    for n in (10, 100):
        old, new = fold_scores(n)
        comparison = compare_scores(old, new)
        row = comparison.rows[0]

        assert (None, None, "inconclusive") == (row.test, row.pvalue, comparison.verdict)
        assert new.mean() - old.mean() == pytest.approx(row.difference)
        assert "unit='items'" in row.note
        assert "folds=(n_train, n_test)" in row.note
    assert "paired_t" == compare_scores(*fold_scores(101)).rows[0].test


def test_unit_of_scores_is_known():
    """It is said, or the scores have ids or groups, or come from a file or frame."""
    old, new = fold_scores(30)
    by_hand = stats.ttest_rel(new, old)
    said = compare_scores(old, new, unit="items").rows[0]
    with_ids = compare_scores(old, new, item=np.arange(30)).rows[0]
    grouped = compare_scores(old, new, group=np.arange(30) // 2).rows[0]
    evidence = compare_scores(ItemScores.from_scores(old, new)).rows[0]

    assert by_hand.pvalue == pytest.approx(said.pvalue)
    assert said.pvalue == with_ids.pvalue == evidence.pvalue
    assert "clustered_t" == grouped.test


@pytest.mark.parametrize(
    ("shape", "folds", "test", "factor"),
    [
        ((10,), (90, 10), "corrected_repeated_kfold_t", 1 / 10 + 10 / 90),
        ((15,), (90, 10), "corrected_repeated_holdout_t", 1 / 15 + 2 * 10 / 90),
        ((3, 10), (90, 10), "corrected_repeated_kfold_t", 1 / 30 + 2 * 10 / 90),
    ],
)
def test_scores_of_folds_have_the_corrected_test(shape, folds, test, factor):
    """Nadeau and Bengio's correction by the sizes, by hand; twice of repeated splits."""
    old, new = (each.reshape(shape) for each in fold_scores(int(np.prod(shape))))
    comparison = compare_scores(old, new, folds=folds)
    row = comparison.rows[0]
    d = (new - old).ravel()
    statistic = d.mean() / math.sqrt(factor * d.var(ddof=1))

    assert (test, True) == (row.test, row.primary)
    assert statistic == pytest.approx(row.result.statistic)
    assert 2 * stats.t.sf(abs(statistic), len(d) - 1) == pytest.approx(row.pvalue)
    assert "two learning algorithms" in comparison.conclusion.sentence or row.pvalue > 0.05


def test_scores_of_folds_are_for_nothing_else():
    """`folds` goes with two arrays alone, and nothing that is passed with it is ignored."""
    old, new = fold_scores()
    for words, message in (
        ({"folds": 90}, "numbers of training and of test records"),
        ({"folds": (90, 10), "tests": "wilcoxon"}, "test of their own"),
        ({"folds": (90, 10), "group": np.arange(10)}, "test of their own"),
        ({"folds": (90, 10), "item": np.arange(10)}, "Got `item` as well"),
        ({"folds": (90, 10), "score": "acc"}, "Got `score` as well"),
        ({"folds": (90, 10), "bounds": (0, 1)}, "Got `bounds` as well"),
        ({"folds": (90, 10), "names": ["a"]}, "names"),
        ({"unit": "folds"}, "items"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_scores(old, new, **words)
