"""Tables of correct and incorrect predictions: where they come from, and what they
refuse.
"""

import itertools
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from skcompare._core.design import HOLDOUT, Design
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.predictions import EstimatorPredictions, Predictions
from tests.common.subjects import random_predictions

CELLS = ("both_correct", "only_champion", "only_challenger", "both_wrong")


def cells(table):
    return tuple(getattr(table, name) for name in CELLS)


# ----------------------------------------------------------------- ContingencyTable


def test_numbers_of_a_table():
    """Counts, shares and the difference follow from the four cells."""
    table = ContingencyTable(150, 25, 15, 10)

    assert 200 == table.n
    assert 40 == table.n_discordant
    assert (0.875, 0.825) == table.accuracies
    assert -0.05 == pytest.approx(table.difference)
    assert not table.fractional
    assert HOLDOUT == table.design


def test_counts_are_python_integers():
    """Whatever integer type comes in, no count overflows."""
    table = ContingencyTable(np.int8(100), np.uint8(200), np.int64(1), np.int32(7))

    assert all(type(cell) is int for cell in cells(table))
    assert 308 == table.n


def test_one_float_makes_a_table_fractional():
    """All four cells are floats then, so that no exact test takes it for counts."""
    table = ContingencyTable(1, 2.5, 3, 4)

    assert table.fractional
    assert all(type(cell) is float for cell in cells(table))
    assert 10.5 == table.n


def test_no_count():
    """Negative, undefined and non-numeric counts are refused by the name of the cell."""
    for wrong, position in itertools.product(
        [-1, -0.5, np.nan, np.inf, "3", None, True, 1j, [3]], range(4)
    ):
        given = [1, 1, 1, 1]
        given[position] = wrong

        with pytest.raises(
            ValueError, match=rf"`{CELLS[position]}` must be a count of rec"
        ):
            ContingencyTable(*given)


def test_no_records():
    """A table of zeros is no evidence."""
    with pytest.raises(ValueError, match="at least one record"):
        ContingencyTable(0, 0, 0, 0)
    with pytest.raises(ValueError, match="at least one record"):
        ContingencyTable(0.0, 0, 0, 0)


def test_swap():
    """The roles are exchanged, nothing else; twice is as before."""
    table = ContingencyTable(1, 2, 3, 4, "bcv")

    assert ContingencyTable(1, 3, 2, 4, "bcv") == table.swap()
    assert table == table.swap().swap()


def test_merge():
    """Shards add cell by cell, exactly for whole counts."""
    shards = [ContingencyTable(2**53, 1, 2, 3), ContingencyTable(1, 10, 20, 30)]

    assert ContingencyTable(2**53 + 1, 11, 22, 33) == shards[0] + shards[1]
    mixed = shards[1] + ContingencyTable(0.5, 1, 2, 3)
    assert mixed.fractional
    assert (1.5, 11, 22, 33) == cells(mixed)


def test_merge_of_other_things():
    """Tables of two designs, and other objects, are not merged."""
    table = ContingencyTable(1, 2, 3, 4)

    with pytest.raises(ValueError, match="Only evidence of one design can be merged"):
        table + ContingencyTable(1, 2, 3, 4, "kfold")
    with pytest.raises(TypeError):
        table + 1


def test_table_is_frozen():
    """A table cannot be changed by accident, is hashable, and survives pickling."""
    table = ContingencyTable(1, 2, 3, 4, "grouped holdout")

    with pytest.raises(FrozenInstanceError):
        table.both_wrong = 5
    assert {table} == {ContingencyTable(1, 2, 3, 4, Design("holdout", grouped=True))}
    assert table == pickle.loads(pickle.dumps(table))


def test_text_of_a_table():
    """The text is code that makes the table again, and the dict is plain."""
    table = ContingencyTable(1, 2, 3, 4, "kfold")

    assert table == eval(repr(table))
    assert "design" not in repr(ContingencyTable(1, 2, 3, 4))
    expected = dict(zip(CELLS, (1, 2, 3, 4))) | {"design": "kfold"}
    assert expected == table.to_dict()


def test_unknown_design():
    """A misspelt design is refused with the known ones."""
    with pytest.raises(ValueError, match=r"Unknown design 'k-fold'. Known: holdout"):
        ContingencyTable(1, 2, 3, 4, "k-fold")


# ----------------------------------------------------------------- from predictions


def as_pandas(values, dtype=None):
    return pytest.importorskip("pandas").Series(
        values, dtype=dtype, index=range(7, 7 + len(values))
    )


Y = [0, 1, 1, 2, 0, 2]
A = [0, 1, 0, 2, 1, 0]
B = [0, 0, 1, 2, 2, 2]
EXPECTED = ContingencyTable(2, 1, 2, 1)
NAMES = np.array(["ant", "bee", "cow"])


def test_labels_of_any_kind():
    """Numbers, strings, objects and pandas columns count alike, by position."""
    for convert in [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=np.int8),
        lambda v: np.array(v, dtype=float),
        lambda v: np.array(v, dtype=object),
        lambda v: np.array(v)[:, np.newaxis],
        lambda v: NAMES[v],
        lambda v: NAMES[v].astype(object),
        lambda v: NAMES[v].tolist(),
        lambda v: NAMES[v].astype(bytes),
        as_pandas,
        lambda v: as_pandas(NAMES[v]),
        lambda v: as_pandas(NAMES[v], "category"),
        lambda v: as_pandas(NAMES[v], "string"),
        lambda v: as_pandas(v, "Int64"),
    ]:
        table = ContingencyTable.from_predictions(convert(Y), convert(A), convert(B))

        assert EXPECTED == table


def test_kinds_may_differ():
    """A list of integers, an array of floats and a pandas column mean the same."""
    table = ContingencyTable.from_predictions(Y, np.array(A, float), as_pandas(B))

    assert EXPECTED == table


def test_boolean_labels():
    """Booleans are labels, and equal 0 and 1."""
    y = [True, False, True]
    table = ContingencyTable.from_predictions(y, np.array([1, 1, 1]), [True, False, False])

    assert ContingencyTable(1, 1, 1, 0) == table


def test_labels_are_compared_whole():
    """Strings are not cut to the length of shorter ones."""
    table = ContingencyTable.from_predictions(["a", "ab"], ["a", "a"], ["a", "abc"])

    assert ContingencyTable(1, 0, 0, 1) == table


def test_classes_that_are_never_true():
    """A predicted class that no record has is simply wrong."""
    table = ContingencyTable.from_predictions([0, 1, 1], [0, 7, 1], [0, 1, 9])

    assert ContingencyTable(1, 1, 1, 0) == table


def test_one_record():
    """One record is enough for a table."""
    assert ContingencyTable(0, 1, 0, 0) == ContingencyTable.from_predictions(
        ["a"], ["a"], ["b"]
    )


def test_bad_predictions():
    """What cannot be counted is refused by name, with what came and what to do."""
    for y, champion, challenger, message in [
        ([0, 1], [0, 1, 1], [0, 1], r"y_true has 2, champion has 3, challenger has 2"),
        ([], [], [], "at least one record"),
        (["cat", "dog"], ["Cat", "dog"], ["cat"] * 2, r"'Cat' where `y_true` has 'cat'"),
        (["cat", "dog"], ["cat "] * 2, ["cat"] * 2, r"'cat ' where `y_true` has 'cat'"),
        ([0, 1], ["0", "1"], [0, 1], r"`champion` has string labels .* numeric"),
        (["0", "1"], ["0", "1"], [0, 1], r"`challenger` has numeric labels .* string"),
        ([0, 1], [2, 3], [0, 1], r"`champion` has no label in common with `y_true`: 2, 3"),
        ([0, 1], [0, np.nan], [0, 1], r"`champion` must not have missing labels"),
        ([0, None], [0, 1], [0, 1], r"`y_true` must not have missing labels"),
        (["a", None], ["a", "b"], ["a", "b"], r"`y_true` must not have missing labels"),
        (["a", "b"], ["a", np.nan], ["a", "b"], r"`champion` must not have missing"),
        ([0, 1], [0, np.inf], [0, 1], r"`champion` must not have missing labels"),
        ([0, 1], [0.2, 0.9], [0, 1], r"`champion` must be class labels.*not whole"),
        ([0, 1], np.eye(2), [0, 1], r"`champion` must be class labels of shape"),
        ([[0, 1], [1, 1]], [0, 1], [0, 1], r"`y_true` must be class labels.*Multilabel"),
        (["a", 1], ["a", "b"], ["a", "b"], r"`y_true` must have labels of one type"),
        ([1j, 0], [0, 1], [0, 1], r"must be integer, boolean or string labels"),
        (5, [0, 1], [0, 1], r"`y_true` must be class labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            ContingencyTable.from_predictions(y, champion, challenger)


def test_missing_values_of_pandas():
    """pandas.NA and NaT are missing labels too."""
    pd = pytest.importorskip("pandas")
    for missing in (
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype="category"),
        pd.Series(["a", pd.NaT], dtype=object),
    ):
        with pytest.raises(ValueError, match="missing labels"):
            ContingencyTable.from_predictions(missing, missing, missing)


def test_from_pair_is_from_predictions():
    """Collected predictions count as their labels do."""
    predictions = random_predictions("holdout", 50, 0, n_classes=3)
    first, second = (prediction.labels for prediction in predictions.estimators)
    expected = ContingencyTable.from_predictions(predictions.y, first, second)

    actual = ContingencyTable.from_pair(predictions.pair("champion", "challenger"))

    assert expected == actual


def test_from_pair_keeps_the_design():
    """The predictions of a cross-validation are counted together and stay what they are."""
    predictions = random_predictions("kfold", 50, 0)
    table = ContingencyTable.from_pair(predictions.pair("champion", "challenger"))

    assert Design("kfold", n_folds=4) == table.design
    assert 50 == table.n


@pytest.mark.parametrize("evidence", [ContingencyTable, PairedBlocks])
def test_predictions_without_labels(evidence):
    """Scores alone are refused by the name of the classifier."""
    y = np.array([0, 1])
    predictions = (
        EstimatorPredictions("old", "old", y),
        EstimatorPredictions("new", "new", decision=np.zeros(2)),
    )
    collected = Predictions(np.array([0, 1]), y, predictions)

    with pytest.raises(ValueError, match="The predictions of new have no labels"):
        evidence.from_pair(collected.pair("old", "new"))
