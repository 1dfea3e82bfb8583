"""Counts of grouped records: where they come from, how they merge, what they refuse."""

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from skcompare._core.design import Design
from skcompare.evidence import ClusterSums, ContingencyTable
from skcompare.predictions import EstimatorPredictions, Predictions, predictions_from_arrays
from skcompare.stats import clustered_mcnemar
from tests.common.subjects import random_predictions

GROUPED = Design("holdout", grouped=True)


@pytest.fixture
def sums():
    """Three wards."""
    return ClusterSums([[4, 1, 0, 2], [0, 0, 3, 0], [1, 2, 2, 1]], ["a", "b", "c"])


def random_records(seed, n=200, n_groups=17):
    rng = np.random.default_rng(seed)
    y, first, second = rng.integers(3, size=(3, n))
    return y, first, second, rng.integers(n_groups, size=n)


def counted_slowly(y, first, second, groups):
    """A table of every group, record by record."""
    tables = {}
    for truth, one, two, group in zip(y, first, second, groups, strict=True):
        table = tables.setdefault(group, [0, 0, 0, 0])
        table[{(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[one == truth, two == truth]] += 1
    labels = sorted(tables)
    return labels, [tables[label] for label in labels]


def test_numbers_of_groups(sums):
    """Sizes, differences and the pooled table follow from the tables."""
    assert (3, 16, 8) == (sums.n_groups, sums.n, sums.n_discordant)
    assert [7, 3, 6] == sums.sizes.tolist()
    assert [-1, 3, 0] == sums.differences.tolist()
    assert ContingencyTable(5, 3, 5, 3, GROUPED) == sums.contingency_table()
    assert GROUPED == sums.design


def test_counts_of_predictions():
    """One pass counts what going through the records counts."""
    for seed in range(5):
        records = random_records(seed)
        labels, tables = counted_slowly(*records)

        sums = ClusterSums.from_predictions(*records[:3], groups=records[3])

        assert labels == sums.groups.tolist()
        assert tables == sums.tables.tolist()
        plain = ContingencyTable.from_predictions(*records[:3])
        assert replace(plain, design=GROUPED) == sums.contingency_table()


def test_kinds_of_groups():
    """Strings and numbers of any kind are groups, in sorted order."""
    for groups, labels in [
        (["b", "a", "b", "c"], ["a", "b", "c"]),
        (np.array(["b", "a", "b", "c"], dtype=object), ["a", "b", "c"]),
        (np.array([7, -2, 7, 2**40]), [-2, 7, 2**40]),
        (np.array([0.5, -1.0, 0.5, 2.0]), [-1.0, 0.5, 2.0]),
        (np.array([7, -2, 7, 9], dtype=object), [-2, 7, 9]),
    ]:
        sums = ClusterSums.from_predictions(
            [0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 0, 0], groups=groups
        )

        assert labels == sums.groups.tolist()
        assert [[0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1]] == sums.tables.tolist()


def test_counts_of_a_pair():
    """Groups of predictions are taken for the record behind each prediction."""
    y, first, second, groups = random_records(3)
    names = np.array([f"patient {group}" for group in groups])
    pair = predictions_from_arrays(y, {"old": first, "new": second}, groups=names).pair(
        "old", "new"
    )
    by_label = ClusterSums.from_predictions(y, first, second, groups=names)

    sums = ClusterSums.from_pair(pair)

    assert list(range(len(by_label.groups))) == sums.groups.tolist()
    assert by_label.tables.tolist() == sums.tables.tolist()
    assert GROUPED == sums.design


def test_records_behind_the_predictions_of_a_pair():
    """Predictions in another order than the records, and twice to one of them."""
    records = np.array([3, 0, 1, 3])
    predictions = [
        EstimatorPredictions(name, name, np.array(labels))
        for name, labels in (("old", [0, 1, 1, 1]), ("new", [1, 1, 0, 1]))
    ]
    collected = Predictions(
        np.array([0, 1]),
        np.array([1, 1, 0, 1]),
        tuple(predictions),
        Design("repeated holdout", 2, grouped=True),
        records,
        np.array([0, 2, 4]),
        groups=np.array([0, 1, 1, 2]),
    )

    sums = ClusterSums.from_pair(collected.pair("old", "new"))

    assert [0, 1, 2] == sums.groups.tolist()
    assert [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0]] == sums.tables.tolist()
    assert "grouped repeated holdout" == sums.design.name


def test_pair_without_groups():
    """Without groups there is nothing to count by, and the message says what to do."""
    pair = random_predictions("holdout", 20, 0).pair("champion", "challenger")

    with pytest.raises(ValueError, match=r"have no groups\. Pass `groups`.*mcnemar"):
        clustered_mcnemar(ClusterSums.from_pair(pair))


def test_groups_are_sorted():
    """Tables go with their groups, whatever the order they come in."""
    sums = ClusterSums([[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]], [30, 10, 20])

    assert [10, 20, 30] == sums.groups.tolist()
    assert [[0, 2, 0, 0], [0, 0, 3, 0], [1, 0, 0, 0]] == sums.tables.tolist()


def test_merge():
    """Shards add bit for bit, also where both have records of a group."""
    for seed in range(5):
        records = [np.asarray(column) for column in random_records(seed)]
        kept = np.random.default_rng(seed).random(200) < 0.3
        first, second = (
            ClusterSums.from_predictions(
                *(column[part] for column in records[:3]), groups=records[3][part]
            )
            for part in (kept, ~kept)
        )
        expected = ClusterSums.from_predictions(*records[:3], groups=records[3])

        assert expected == first + second == second + first
        assert set(first.groups) & set(second.groups)


def test_merge_of_text_groups():
    """Labels of different lengths are merged as they are."""
    first = ClusterSums([[1, 0, 0, 0]], ["a"])
    second = ClusterSums([[0, 1, 0, 0], [0, 0, 2, 0]], ["a", "abcdef"])

    merged = first + second

    assert ["a", "abcdef"] == merged.groups.tolist()
    assert [[1, 1, 0, 0], [0, 0, 2, 0]] == merged.tables.tolist()


def test_merge_of_other_things(sums):
    """Other designs, labels of another type, and other objects are not merged."""
    with pytest.raises(ValueError, match="Only evidence of one design can be merged"):
        sums + replace(sums, design="grouped kfold")
    with pytest.raises(ValueError, match=r"labels of one type.*'a'.* 1"):
        sums + ClusterSums([[1, 0, 0, 0]], [1])
    with pytest.raises(TypeError):
        sums + 1


def test_swap(sums):
    """The roles are exchanged, nothing else; twice is as before."""
    swapped = sums.swap()

    assert [[4, 0, 1, 2], [0, 3, 0, 0], [1, 2, 2, 1]] == swapped.tables.tolist()
    assert [1, -3, 0] == swapped.differences.tolist()
    assert sums == swapped.swap() != swapped


def test_sums_are_frozen(sums):
    """They cannot be changed by accident, are hashable, and survive pickling."""
    with pytest.raises(FrozenInstanceError):
        sums.design = "holdout"
    for array in (sums.tables, sums.groups):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    again = pickle.loads(pickle.dumps(sums))
    assert {sums} == {again}
    assert not again.tables.flags.writeable
    assert sums != replace(sums, groups=["a", "b", "d"])
    assert sums != replace(sums, design="grouped kfold")
    assert sums != sums.contingency_table()


def test_sums_own_their_arrays():
    """What was passed stays writeable, and changing it changes nothing."""
    tables, groups = np.array([[1, 0, 0, 0]]), np.array([5])
    sums = ClusterSums(tables, groups)

    tables[0, 0], groups[0] = 9, 9

    assert ([[1, 0, 0, 0]], [5]) == (sums.tables.tolist(), sums.groups.tolist())


def test_text_and_plain_values(sums):
    """`repr` says what is there, and `to_dict` holds all of it."""
    assert (
        "ClusterSums(n_groups=3, n=16, groups=['a', 'b', 'c'], design='grouped holdout')"
        == repr(sums)
    )
    values = sums.to_dict()
    assert sums == ClusterSums(**values)
    assert {"tables", "groups", "design"} == values.keys()


def test_what_is_refused():
    """Shapes, counts and labels that cannot be meant are refused in words."""
    for tables, groups, message in [
        ([[1, 2, 3]], [1], r"shape \(n_groups, 4\)"),
        ([1, 2, 3, 4], [1], r"shape \(n_groups, 4\)"),
        ([[1, 2, 3, 4]], [1, 2], r"Got \(1, 4\) and 2 groups"),
        (np.zeros((0, 4), int), [], "there must be a group"),
        ([[1, 0, 0, 0], [0, 0, 0, 0]], [1, 2], "1 of them empty"),
        ([[1, -1, 0, 0]], [1], "whole counts"),
        ([[1, 0.5, 0, 0]], [1], "whole counts"),
        ([[1, 0, 0, 0], [1, 0, 0, 0]], ["x", "x"], r"must occur once.*'x'"),
        ([[1, 0, 0, 0]], None, "group of each record. Got None"),
        ([[1, 0, 0, 0]], [np.nan], "missing"),
        ([[1, 0, 0, 0]], [[1]], r"shape \(n_samples,\)"),
        ([[1, 0, 0, 0], [1, 0, 0, 0]], [1, "x"], "labels of one type"),
        ([[1, 0, 0, 0]], [1j], "must be numbers or strings"),
    ]:
        with pytest.raises(ValueError, match=message):
            ClusterSums(tables, groups)


def test_predictions_that_do_not_match():
    """Columns of other lengths, and labels that cannot be about these classes."""
    with pytest.raises(ValueError, match="groups has 2"):
        ClusterSums.from_predictions([0, 1, 0], [0, 1, 0], [0, 1, 1], groups=["a", "b"])
    with pytest.raises(ValueError, match="no label in common"):
        ClusterSums.from_predictions(
            [0, 1, 0], [2, 3, 2], [0, 1, 1], groups=["a", "b", "b"]
        )
