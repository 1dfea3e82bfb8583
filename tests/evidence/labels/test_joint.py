"""Joint counts: one pass, merged shards, and the tables that follow from them."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skcompare.evidence import AgreementMatrix, ContingencyTable, JointCounts
from skcompare.evidence.labels import _joint as joint_module
from tests.common.subjects import random_predictions

STRINGS = np.array(["ant", "bee", "cow", "dog", "eel"])


def random_labels(n, n_classes, seed, dtype=np.int64):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    first, second = (
        np.where(rng.random(n) < 0.7, y, rng.integers(n_classes, size=n)) for _ in range(2)
    )
    return [array.astype(dtype) for array in (y, first, second)]


def counted_by_loop(y, first, second):
    found = {}
    for cell in zip(y.tolist(), first.tolist(), second.tolist()):
        found[cell] = found.get(cell, 0) + 1
    return found


def as_dict(joint):
    labels = joint.classes[joint.cells]
    return dict(zip(map(tuple, labels.tolist()), joint.counts.tolist()))


def test_counts_agree_with_a_loop():
    """Each cell holds the records with this truth and these two predictions."""
    for n_classes in [1, 2, 3, 10, 60]:
        predictions = random_labels(500, n_classes, n_classes)

        joint = JointCounts.from_predictions(*predictions)

        assert counted_by_loop(*predictions) == as_dict(joint)
        assert 500 == joint.n
        assert not joint.counts.flags.writeable


def test_labels_of_any_type():
    """The same labels in another type have the same counts."""
    for convert in [
        lambda codes: STRINGS[codes],
        lambda codes: STRINGS[codes].astype(object),
        lambda codes: STRINGS[codes].tolist(),
        lambda codes: codes.astype(np.float32),
        lambda codes: codes.astype(np.uint8),
        lambda codes: (codes - 3) * 10**12,
        lambda codes: codes.reshape(-1, 1),
    ]:
        predictions = random_labels(300, 5, 0)
        expected = JointCounts.from_predictions(*predictions)

        joint = JointCounts.from_predictions(*map(convert, predictions))

        assert expected.counts.tolist() == joint.counts.tolist()
        assert expected.cells.tolist() == joint.cells.tolist()


def test_classes_that_only_one_side_gives():
    """A class may be missing from the truth, from the champion or from the challenger."""
    joint = JointCounts.from_predictions([1, 2, 2], [1, 3, 2], [2, 2, 4])

    assert [1, 2, 3, 4] == joint.classes.tolist()
    assert {(1, 1, 2): 1, (2, 2, 4): 1, (2, 3, 2): 1} == as_dict(joint)


def test_a_thousand_classes():
    """Only cells that occur are kept, and the derived tables are those of the records."""
    y, first, second = random_labels(20_000, 1000, 1)

    joint = JointCounts.from_predictions(y, first, second)

    assert 1000 == joint.n_classes
    assert len(joint.counts) <= 20_000 == joint.n
    champion, challenger = joint.confusion_matrices()
    labels = np.arange(1000)
    assert (confusion_matrix(y, first, labels=labels) == champion).all()
    assert (confusion_matrix(y, second, labels=labels) == challenger).all()
    with pytest.raises(ValueError, match="1000 classes have 1,000,000,000 cells, too many"):
        joint.to_array()


def test_large_and_small_tables_are_counted_alike(monkeypatch):
    """Counting by sorting gives what counting by table gives."""
    predictions = random_labels(1000, 8, 2)
    expected = JointCounts.from_predictions(*predictions)
    monkeypatch.setattr(joint_module, "LARGEST_TABLE", 10)

    assert expected == JointCounts.from_predictions(*predictions)


def test_shards_merge_to_the_whole():
    """Counts of shards add up to those of all records, bit for bit, in any order."""
    for n_shards, evidence in itertools.product(
        [1, 7, 40], [JointCounts, ContingencyTable, AgreementMatrix]
    ):
        predictions = [STRINGS[codes] for codes in random_labels(1000, 5, 3)]
        if evidence is AgreementMatrix:
            predictions = predictions[1:]
        whole = evidence.from_predictions(*predictions)
        rng = np.random.default_rng(n_shards)
        part = rng.integers(n_shards, size=1000)
        shards = [
            evidence.from_predictions(*(array[part == k] for array in predictions))
            for k in range(n_shards)
        ]
        rng.shuffle(shards)

        merged = shards[0]
        for shard in shards[1:]:
            merged = merged + shard

        assert whole == merged == sum(shards)
        assert whole.to_dict() == merged.to_dict()
        assert pickle.dumps(whole) == pickle.dumps(merged)


def test_derived_tables():
    """Contingency table and agreement matrix are those of the records themselves."""
    predictions = random_labels(400, 4, 4)
    joint = JointCounts.from_predictions(*predictions)

    assert ContingencyTable.from_predictions(*predictions) == joint.contingency_table()
    assert AgreementMatrix.from_predictions(*predictions[1:]) == joint.agreement_matrix()


def test_agreement_keeps_classes_that_nobody_predictions():
    """A class between others keeps its place, which weighted agreement depends on."""
    joint = JointCounts.from_predictions([0, 1, 2], [0, 2, 2], [0, 0, 2])

    assert [0, 1, 2] == joint.agreement_matrix().classes.tolist()


def test_one_class_against_the_rest():
    """The table of a class counts truth, champion and challenger of that class."""
    y, first, second = random_labels(400, 4, 5)
    joint = JointCounts.from_predictions(y, first, second)

    table = joint.for_class(2).to_array()

    for cell in itertools.product((0, 1), repeat=3):
        expected = (
            ((y == 2) == cell[0]) & ((first == 2) == cell[1]) & ((second == 2) == cell[2])
        )
        assert expected.sum() == table[cell]
    with pytest.raises(ValueError, match="7 is not a class of these counts"):
        joint.for_class(7)


def test_from_plain_counts():
    """A full array and its cells are the same evidence."""
    table = np.random.default_rng(6).integers(4, size=(3, 3, 3))
    joint = JointCounts(table, STRINGS[:3])

    assert (table == joint.to_array()).all()
    order = np.random.default_rng(7).permutation(len(joint.counts))
    assert joint == JointCounts(joint.counts[order], joint.classes, joint.cells[order])


def test_swapped_roles():
    """Swapping exchanges the two predictions, and twice is nothing."""
    y, first, second = random_labels(200, 3, 8)
    joint = JointCounts.from_predictions(y, first, second)

    assert JointCounts.from_predictions(y, second, first) == joint.swap()
    assert joint == joint.swap().swap()


def test_from_pair_pools_test_sets():
    """Predictions of all test sets are counted together, with their design."""
    predictions = random_predictions("kfold", 40, 0, n_classes=3)
    pair = predictions.pair("champion", "challenger")
    classes = predictions.classes

    joint = JointCounts.from_pair(pair)

    assert "kfold" == joint.design.name
    assert (
        JointCounts.from_predictions(
            classes[predictions.y_predicted()],
            classes[pair.champion.labels],
            classes[pair.challenger.labels],
        ).counts.tolist()
        == joint.counts.tolist()
    )


def test_no_joint_counts():
    """What cannot be counts of records is refused with what was expected."""
    for given, message in [
        ({"counts": np.ones((2, 2)), "classes": [0, 1]}, r"shape \(2, 2, 2\)"),
        ({"counts": -np.ones((2, 2, 2)), "classes": [0, 1]}, "whole counts"),
        ({"counts": np.full((2, 2, 2), 0.5), "classes": [0, 1]}, "whole counts"),
        ({"counts": np.full((1, 1, 1), np.nan), "classes": [0]}, "whole counts"),
        ({"counts": np.zeros((2, 2, 2)), "classes": [0, 1]}, "at least one record"),
        ({"counts": np.ones((2, 2, 2)), "classes": [1, 0]}, "in sorted order"),
        ({"counts": np.ones((2, 2, 2)), "classes": [1, 1]}, "different labels"),
        ({"counts": [1], "classes": [0], "cells": [[0, 0, 1]]}, "from 0 to 1"),
        ({"counts": [1], "classes": [0], "cells": [[0, 0]]}, r"shape \(n_cells, 3\)"),
        ({"counts": [1, 2], "classes": [0], "cells": [[0, 0, 0]]}, r"\(2,\)"),
        ({"counts": [1, 2], "classes": [0], "cells": [[0, 0, 0]] * 2}, "must occur once"),
    ]:
        with pytest.raises(ValueError, match=message):
            JointCounts(**given)


def test_designs_do_not_mix():
    """Counts of different designs are not added."""
    one = JointCounts.from_predictions([0, 1], [0, 1], [1, 1])
    other = JointCounts(one.counts, one.classes, one.cells, "kfold")

    with pytest.raises(ValueError, match="Only evidence of one design can be merged"):
        one + other
    with pytest.raises(TypeError):
        one + 1
    with pytest.raises(TypeError):
        1 + one


def test_labels_of_different_types_do_not_mix():
    """Shards with numbers and with strings as labels are not added."""
    numbers = JointCounts.from_predictions([0, 1], [0, 1], [1, 1])
    strings = JointCounts.from_predictions(["0", "1"], ["0", "1"], ["1", "1"])

    for one, other in (
        (numbers, strings),
        (numbers.agreement_matrix(), strings.agreement_matrix()),
    ):
        with pytest.raises(ValueError, match="about labels of one type can be merged"):
            one + other


def test_too_many_classes_for_a_matrix():
    """Labels that are ids are refused where a matrix of them would be made."""
    ids = np.arange(6000)

    with pytest.raises(ValueError, match=r"can have 5,000 classes\. Got 6,000"):
        JointCounts.from_predictions(ids, ids, ids).agreement_matrix()
    with pytest.raises(ValueError, match=r"can have 5,000 classes\. Got 6,000"):
        AgreementMatrix.from_predictions(ids, ids)


def test_bad_input():
    """Lengths, missing values, types and labels are checked as everywhere."""
    with pytest.raises(ValueError, match="y_true has 2, champion has 3"):
        JointCounts.from_predictions([0, 1], [0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="at least one record"):
        JointCounts.from_predictions([], [], [])
    with pytest.raises(ValueError, match="`challenger` must not have missing labels"):
        JointCounts.from_predictions([0, 1], [0, 1], [0, np.nan])
    with pytest.raises(ValueError, match=r"`champion` has the label 'Cat'"):
        JointCounts.from_predictions(["cat", "dog"], ["Cat", "dog"], ["cat", "dog"])


def test_is_a_value():
    """Equal counts are equal, hash alike, and survive pickling read-only."""
    joint = JointCounts.from_predictions([0, 1], [0, 1], [1, 1])
    again = pickle.loads(pickle.dumps(joint))

    assert joint == again
    assert hash(joint) == hash(again)
    assert not again.counts.flags.writeable
    assert joint != joint.swap()
    assert joint != "something else"
    assert "JointCounts(n=2, classes=[0, 1], design='holdout')" == repr(joint)
