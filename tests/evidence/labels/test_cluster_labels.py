"""Labels of clusters: repeated predictions, several classifiers, and what follows by
class.
"""

import itertools
import json
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from skcompare._core.design import HOLDOUT, Design
from skcompare.evidence import ClusterSums, JointCounts
from skcompare.evidence.labels._class_moments import CLASS_SCORES, ClassRows
from skcompare.predictions import predictions_from_arrays
from tests.common.subjects import random_predictions

NAMES = ("one", "two", "three")


def random_labels(seed, n=240, n_classes=4, k=3):
    """True labels, and predictions that are mostly right."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    right = rng.random((k, n)) < 0.6
    return y, np.where(right, y, rng.integers(n_classes, size=(k, n)))


def counted_slowly(y, prediction, label, score):
    """Which predictions count towards a score of a class, and which have its outcome."""
    named, true = prediction == label, y == label
    if score == "precision":
        return named, named & true
    if score == "recall":
        return true, named & true
    if score == "specificity":
        return ~true, ~named & ~true
    return ~named, ~named & ~true


def influence_slowly(y, predictions, clusters, label, score):
    """Shares, and what each cluster adds to them, of shape (n_classifiers, n_clusters)."""
    counted = [counted_slowly(y, prediction, label, score) for prediction in predictions]
    rows, hits = (
        np.array([np.bincount(clusters, one[part]) for one in counted]) for part in (0, 1)
    )
    total = rows.sum(axis=1, keepdims=True)
    shares = hits.sum(axis=1, keepdims=True) / total
    return shares[:, 0], (hits - shares * rows) / total


def test_moments_of_every_class():
    """Shares and covariances are those of going through the clusters one by one."""
    for score, grouped in itertools.product(CLASS_SCORES, [False, True]):
        y, predictions = random_labels(1)
        groups = np.random.default_rng(2).integers(31, size=len(y)) if grouped else None
        clusters = (
            np.arange(len(y)) if groups is None else np.unique(groups, False, True)[1]
        )
        rows = ClusterSums.from_predictions(
            y, *predictions, groups=groups, names=NAMES
        ).class_rows()

        moments = rows.moments(score)

        for label in range(4):
            shares, influence = influence_slowly(y, predictions, clusters, label, score)
            expected = influence @ influence.T
            assert shares == pytest.approx(moments.shares[label], rel=1e-14)
            assert expected == pytest.approx(moments.covariance()[label], rel=1e-11)
            alone = rows.moments(score, label)
            assert expected == pytest.approx(alone.covariance(), rel=1e-11)


def test_covariance_over_classes():
    """Weighted sums of shares of different classes covary as their influences do."""
    for score, grouped in itertools.product(CLASS_SCORES, [False, True]):
        rng = np.random.default_rng(3)
        y, predictions = random_labels(3)
        groups = rng.integers(31, size=len(y)) if grouped else np.arange(len(y))
        sums = ClusterSums.from_predictions(
            y, *predictions, groups=groups if grouped else None, names=NAMES
        )
        weight = rng.normal(size=(4, 3))
        clusters = np.unique(groups, return_inverse=True)[1]
        influence = np.array(
            [
                weight[label] @ influence_slowly(y, predictions, clusters, label, score)[1]
                for label in range(4)
            ]
        )

        actual = sums.class_rows().influence_covariance(score, weight)

        assert influence @ influence.T == pytest.approx(actual, rel=1e-10, abs=1e-16)


def test_predictions_that_count():
    """Rows and hits of one class, cluster by cluster."""
    sums = ClusterSums.from_predictions(
        ["a", "b", "b", "a"],
        ["a", "a", "b", "b"],
        ["b", "b", "b", "a"],
        groups=[1, 1, 2, 2],
    )

    found = sums.class_rows().of_class("b")

    assert [1, 1] == found.weights.tolist()
    assert [[0, 2], [2, 1]] == found.rows.tolist()
    assert [[0, 1], [1, 1]] == found.hits.tolist()


def test_joint_counts_give_the_same():
    """A hold-out has one table of moments, whatever it was counted in."""
    y, predictions = random_labels(4, k=2)
    joint = JointCounts.from_predictions(y, *predictions)
    sums = ClusterSums.from_predictions(y, *predictions)

    assert HOLDOUT == sums.design
    assert sums.groups is sums.tables is None
    for score in CLASS_SCORES:
        expected = joint.class_rows().moments(score)
        actual = sums.class_rows().moments(score)
        for name in ("rows", "hits", "rr", "rh", "hh"):
            assert (getattr(expected, name) == getattr(actual, name)).all()


def test_repetitions_of_all_records():
    """Repetitions from a generator are the predictions one after the other."""
    y, predictions = random_labels(5, k=6)
    repeats = list(predictions.reshape(3, 2, -1))
    at_once = ClusterSums.from_predictions(
        np.tile(y, 3),
        np.concatenate(predictions[::2]),
        np.concatenate(predictions[1::2]),
        groups=np.tile(np.arange(len(y)), 3),
    )

    sums = ClusterSums.from_repeats(y, (pair for pair in repeats))

    assert replace(at_once, design="repeated kfold") == sums
    assert (3 * len(y), len(y)) == (sums.n, sums.n_groups)


def test_repetitions_add_up():
    """Repetition after repetition gives what all of them give."""
    y, predictions = random_labels(6, k=6)
    records = np.arange(len(y))
    added = sum(
        ClusterSums.from_predictions(y, *pair, groups=records)
        for pair in predictions.reshape(3, 2, -1)
    )

    expected = ClusterSums.from_repeats(
        y, predictions.reshape(3, 2, -1), design=Design("holdout", grouped=True)
    )

    assert expected == added


def test_repetitions_take_the_memory_of_their_counts():
    """Forty repetitions take no more than four."""
    y, _ = random_labels(0, n=5000, n_classes=2)

    def repeats(many):
        for seed in range(many):
            yield random_labels(seed, n=5000, n_classes=2, k=2)[1]

    def peak(many):
        tracemalloc.start()
        ClusterSums.from_repeats(y, repeats(many))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(40) < 2 * peak(4)


@pytest.mark.parametrize("n_classes", [3, 300])
def test_many_classes_and_groups(n_classes):
    """Tables too large to be kept whole are counted by what occurs."""
    y, predictions = random_labels(7, n=3000, n_classes=n_classes, k=2)
    groups = np.random.default_rng(0).integers(500, size=3000)
    expected = JointCounts.from_predictions(y, *predictions).class_rows().moments()

    sums = ClusterSums.from_predictions(y, *predictions, groups=groups)

    actual = sums.class_rows().moments()
    assert (expected.rows == actual.rows).all()
    assert (expected.hits == actual.hits).all()
    assert 3000 == sums.n == sums.counts.sum()


def test_very_many_classifiers():
    """More cells than whole numbers can count are distinguished all the same."""
    y, predictions = random_labels(8, n=200, n_classes=50, k=14)

    sums = ClusterSums.from_predictions(y, *predictions, groups=np.arange(200) // 2)

    assert 14 == sums.n_classifiers
    assert "classifier 14" == sums.names[-1]
    expected = (predictions[13] == 7).sum()
    assert expected == sums.class_rows().moments("precision", 7).rows[13]
    shards = [
        ClusterSums.from_predictions(
            y[part], *predictions[:, part], groups=np.arange(200)[part] // 2
        )
        for part in (slice(0, 90), slice(90, 200))
    ]
    assert sums == sum(shards)


@pytest.mark.parametrize("grouped", [False, True])
def test_merge_of_labels(grouped):
    """Shards add bit for bit, with classes and groups that one of them lacks."""
    y, predictions = random_labels(9)
    groups = np.arange(len(y)) % 17 if grouped else None
    first, second = (
        ClusterSums.from_predictions(
            y[part],
            *predictions[:, part],
            groups=None if groups is None else groups[part],
            names=NAMES,
        )
        for part in (y < 2, y >= 2)
    )

    expected = ClusterSums.from_predictions(y, *predictions, groups=groups, names=NAMES)

    assert expected == first + second == second + first


def test_swap_and_storage():
    """Swapped sums are those of swapped predictions; both survive pickling and plain
    values.
    """
    y, predictions = random_labels(10, k=2)
    groups = np.array([f"g{k % 9}" for k in range(len(y))])
    sums = ClusterSums.from_predictions(y, *predictions, groups=groups, names=["a", "b"])
    mirrored = ClusterSums.from_predictions(
        y, *predictions[::-1], groups=groups, names=["b", "a"]
    )

    assert mirrored == sums.swap() != sums
    assert {sums} == {pickle.loads(pickle.dumps(sums))}
    assert sums == ClusterSums(**sums.to_dict())
    assert not pickle.loads(pickle.dumps(sums)).cells.flags.writeable
    assert (sums.tables[:, [0, 2, 1, 3]] == sums.swap().tables).all()
    plain = JointCounts.from_predictions(y, *predictions).contingency_table()
    assert plain.accuracies == sums.contingency_table().accuracies


def test_groups_in_any_order():
    """Cells go with their groups, whatever the order these come in."""
    sums = ClusterSums(
        groups=["b", "a"],
        classes=[0, 1],
        cells=[[0, 0, 0, 1], [1, 1, 1, 1]],
        counts=[2, 5],
    )

    assert ["a", "b"] == sums.groups.tolist()
    assert [[5, 0, 0, 0], [0, 2, 0, 0]] == sums.tables.tolist()


def test_clusters_of_a_pair():
    """Groups first, then records that are predicted repeatedly, then each record."""
    kinds = {}
    for kind in ("holdout", "kfold", "repeated kfold", "bcv", "repeated holdout"):
        collected = random_predictions(kind, 24, 0)
        kinds[kind] = ClusterSums.from_pair(collected.pair("champion", "challenger"))
    # In the last kind some records are never predicted, and others repeatedly.
    counts = np.bincount(collected.records)
    y, predictions = random_labels(11, k=2)
    grouped = predictions_from_arrays(
        y, {"old": predictions[0], "new": predictions[1]}, groups=np.arange(len(y)) // 6
    ).pair("old", "new")

    assert kinds["holdout"].groups is kinds["kfold"].groups is None
    assert (24, 72) == (kinds["repeated kfold"].n_groups, kinds["repeated kfold"].n)
    assert (24, 120) == (kinds["bcv"].n_groups, kinds["bcv"].n)
    assert (0, 4) == (counts.min(), counts.max())
    shuffled = kinds["repeated holdout"]
    assert (np.count_nonzero(counts), counts.sum()) == (shuffled.n_groups, shuffled.n)
    assert 40 == ClusterSums.from_pair(grouped).n_groups
    assert ("old", "new") == ClusterSums.from_pair(grouped).names
    again = ClusterSums.from_pair(replace(grouped, challenger=grouped.champion))
    assert ("old", "old again") == again.names


def test_tables_say_nothing_of_classes():
    """Right and wrong alone are refused where a class matters, and the other way round."""
    tables = ClusterSums([[1, 0, 0, 0], [0, 1, 0, 0]], ["a", "b"])
    y, predictions = random_labels(12)
    several = ClusterSums.from_predictions(y, *predictions, groups=y)

    with pytest.raises(ValueError, match="do not say which class was predicted"):
        tables.class_rows()
    with pytest.raises(
        ValueError, match=r"mcnemar needs predictions of two classifiers\. Got 3"
    ):
        several.check_tables("mcnemar")
    with pytest.raises(ValueError, match="sums of one kind"):
        tables + ClusterSums.from_predictions(y, *predictions[:2], groups=y)
    with pytest.raises(ValueError, match="of the same classifiers"):
        several + ClusterSums.from_predictions(y, *predictions, groups=y, names=NAMES)


def test_cells_that_are_refused():
    """Shapes, counts and labels that cannot be meant are refused in words."""
    for changed, message in [
        ({"cells": [[0, 0, 0]], "counts": [1]}, r"shape \(n_cells, 2 \+ n_classifiers\)"),
        ({"counts": [1]}, "`cells` must be positions"),
        ({"counts": [0.5, 1]}, "whole numbers"),
        ({"counts": [0, 0]}, "one of them above 0"),
        ({"counts": [-1, 2]}, "at least 0"),
        ({"cells": [[0, 0, 0, 2], [1, 1, 1, 1]]}, "below the numbers of groups"),
        ({"cells": [[0, 0, 0, 1], [0, 0, 0, 1]]}, "must occur once"),
        ({"cells": [[0, 0, 0, 1], [0, 1, 1, 1]]}, "groups without one"),
        ({"groups": ["a", "a"]}, "must occur once"),
        ({"names": ["a", "a"]}, "different strings"),
        ({"classes": [1, 0]}, "sorted"),
    ]:
        given = {
            "groups": ["a", "b"],
            "classes": [0, 1],
            "cells": [[0, 0, 0, 1], [1, 1, 1, 1]],
            "counts": [2, 5],
        }

        with pytest.raises(ValueError, match=message):
            ClusterSums(**(given | changed))


def test_predictions_that_are_refused():
    """One classifier, unequal repetitions, and classes that nobody named."""
    y = [0, 1, 1]
    with pytest.raises(ValueError, match=r"at least two classifiers\. Got 1"):
        ClusterSums.from_predictions(y, y)
    with pytest.raises(ValueError, match=r"at least two classifiers\. Got 0"):
        ClusterSums.from_repeats(y, [])
    with pytest.raises(ValueError, match=r"must have predictions of 2 classifiers.*Got 3"):
        ClusterSums.from_repeats(y, [(y, y), (y, y, y)])
    with pytest.raises(ValueError, match=r"labels that are not classes: 2"):
        ClusterSums.from_repeats(y, [([0, 1, 2], y)])
    with pytest.raises(ValueError, match="one entry per record"):
        ClusterSums.from_repeats(y, [([0, 1], y)])
    sums = ClusterSums.from_repeats(y, [([0, 1, 2], y)], classes=[0, 1, 2])
    assert [0, 1, 2] == sums.classes.tolist()


def test_unknown_class_and_score():
    """A class that does not occur, and a score that is none of a class, are refused."""
    rows = ClassRows.from_cells(np.array([0, 1]), np.array([[0, 0, 1]]), np.array([3]))

    with pytest.raises(
        ValueError, match=r"`label` must be one of the classes 0, 1\. Got 5"
    ):
        rows.moments("precision", 5)
    with pytest.raises(ValueError, match="Unknown score 'f1'"):
        rows.moments("f1")
    assert np.isnan(rows.moments("recall", 1).shares).all()
    assert np.isnan(rows.moments("recall", 1).covariance()).all()


def test_plain_values_of_dates_and_truths():
    """Groups of dates become text, so that JSON holds them; others stay what they are."""
    days = np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]")
    for groups, known in (
        (days, ["2020-01-01", "2020-01-02"]),
        ([b"x", b"w"], ["w", "x"]),
        ([True, False], [False, True]),
        ([2.5, -1], [-1.0, 2.5]),
    ):
        sums = ClusterSums.from_predictions([0, 1], [0, 0], [1, 1], groups=groups)
        values = json.loads(json.dumps(sums.to_dict()))

        assert known == values["groups"]
        assert sums.tables.tolist() == ClusterSums(**values).tables.tolist()
        assert sums == pickle.loads(pickle.dumps(sums))


def test_more_predictions_than_can_be_squared():
    """Sums of squares that 64 bits cannot hold are refused, never wrapped around."""
    given = {"classes": [0, 1], "cells": [[0, 0, 0, 1], [0, 1, 1, 1]]}
    large = ClusterSums(groups=["a"], counts=[10**9, 10**9], **given)
    rr = large.class_rows().moments("precision", 1).rr

    assert [[10**18, 2 * 10**18], [2 * 10**18, 4 * 10**18]] == rr.tolist()
    beyond = ClusterSums(groups=["a"], counts=[5 * 10**9, 10**9], **given)
    with pytest.raises(ValueError, match=r"a cluster of 6,000,000,000 predictions"):
        beyond.class_rows()
    # Each record a cluster: nothing is squared.
    records = ClusterSums(counts=[10**15, 10**15], **given)
    assert 10**15 == records.class_rows().moments("precision", 1).rr[0, 0]
    with pytest.raises(ValueError, match=r"`counts` must add up to less than"):
        ClusterSums(counts=[2**62, 2**62], **given)


def test_numbers_that_need_two_classifiers_in_groups():
    """Sizes and differences of groups that there are none of are refused in words."""
    y, predictions = random_labels(13)
    single = ClusterSums.from_predictions(y, *predictions[:2])
    several = ClusterSums.from_predictions(y, *predictions, groups=y)

    for name in ("sizes", "differences", "n_discordant"):
        with pytest.raises(ValueError, match="have no groups"):
            getattr(single, name)
        with pytest.raises(ValueError, match=rf"{name} needs predictions of two.*Got 3"):
            getattr(several, name)
    with pytest.raises(ValueError, match="contingency_table needs predictions of two"):
        several.contingency_table()


@pytest.mark.parametrize("name", ["classes", "counts"])
def test_labels_without_cells(name):
    """Classes or counts without cells say nothing, and are not ignored."""
    with pytest.raises(ValueError, match="are about `cells`"):
        ClusterSums([[1, 0, 0, 0], [0, 1, 0, 0]], ["a", "b"], **{name: [0, 1]})


def test_cells_in_any_order():
    """Cells are sorted, by numbers or, where these would be too large, by columns."""
    rng = np.random.default_rng(0)
    for k, n_classes in ((2, 3), (40, 3)):
        y, predictions = random_labels(14, n=60, n_classes=n_classes, k=k)
        sums = ClusterSums.from_predictions(y, *predictions, groups=y % 2)
        mixed = rng.permutation(len(sums.cells))
        again = replace(sums, cells=sums.cells[mixed], counts=sums.counts[mixed])

        assert sums == again
        twice = np.concatenate([sums.cells, sums.cells[:1]])
        with pytest.raises(ValueError, match="must occur once"):
            replace(sums, cells=twice, counts=np.ones(len(twice), dtype=int))
