"""Tables of every split: shapes, designs, averages, and what they refuse."""

import pickle

import numpy as np
import pytest

from skcompare._core.design import Design
from skcompare.evidence import ContingencyTable, PairedBlocks
from tests.common.subjects import random_predictions

CELLS = ("both_correct", "only_champion", "only_challenger", "both_wrong")
TABLE = [30, 5, 12, 3]


def cells(table):
    return tuple(getattr(table, name) for name in CELLS)


def test_design_of_blocks():
    """Pairs of halves are taken for block-regularized, other shapes for unknown."""
    for tables, name, shape in [
        ([[TABLE, TABLE]] * 5, "bcv", (5, 2)),
        ([[TABLE, TABLE]], "bcv", (1, 2)),
        ([TABLE] * 10, "unknown", (1, 10)),
        ([TABLE], "unknown", (1, 1)),
        ([[TABLE] * 3] * 4, "unknown", (4, 3)),
    ]:
        blocks = PairedBlocks(tables)

        assert name == blocks.design.name
        assert shape == (blocks.design.n_repeats, blocks.design.n_folds)
        assert shape[0] * shape[1] == blocks.design.n_splits


def test_declared_design_takes_its_numbers_from_the_tables():
    """A name says the kind; repetitions and folds are counted."""
    for name in ("random 5x2", "grouped bcv"):
        design = PairedBlocks([[TABLE, TABLE]] * 5, name).design
        assert (name, 5, 2) == (design.name, design.n_repeats, design.n_folds)
    design = PairedBlocks([TABLE] * 10, Design("kfold", n_folds=10)).design
    assert Design("kfold", n_folds=10) == design


def test_blocks_of_tables():
    """Tables may come as objects, lists, tuples, arrays, or mixed."""
    table = ContingencyTable(*TABLE)
    expected = PairedBlocks([[TABLE, TABLE]] * 3)

    for tables in (
        [[table, table]] * 3,
        ((tuple(TABLE), table),) * 3,
        np.array([[TABLE, TABLE]] * 3),
        np.array([[TABLE, TABLE]] * 3, dtype=float),
        [np.array([TABLE, TABLE])] * 3,
    ):
        assert expected == PairedBlocks(tables)
        assert np.int64 == PairedBlocks(tables).tables.dtype


def test_bad_blocks():
    """Other shapes, fractions, negatives, empty and uneven repetitions are refused."""
    for tables, message in [
        ([], "must have shape"),
        (TABLE, "must have shape"),
        ([TABLE[:3]] * 2, "must have shape"),
        ([[[TABLE]]], "must have shape"),
        (ContingencyTable(*TABLE), "must have shape"),
        ([[1.5, 2, 3, 4]], "whole counts"),
        ([[-1, 2, 3, 4]], "whole counts"),
        ([["1", "2", "3", "4"]], "whole counts"),
        ([TABLE, [0, 0, 0, 0]], "Got an empty table"),
        ([[TABLE, TABLE], [TABLE, [1, 0, 0, 0]]], "repetitions of 100, 51 records"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedBlocks(tables)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_undefined_counts_in_blocks(value):
    """NaN and infinity are no whole counts; nothing warns on the way."""
    with pytest.raises(ValueError, match="whole counts"):
        PairedBlocks([[value, 2, 3, 4]])


def test_ragged_blocks():
    """Repetitions with different numbers of halves are refused."""
    with pytest.raises(ValueError, match="shape"):
        PairedBlocks([[TABLE, TABLE], [TABLE]])


def test_average():
    """Counts are averaged over all splits, so unequal halves weigh by records."""
    blocks = PairedBlocks([[[4, 1, 2, 3], [5, 0, 6, 0]]] * 5)

    assert (4.5, 0.5, 4.0, 1.5) == cells(blocks.average)
    assert blocks.average.fractional
    assert blocks.design == blocks.average.design
    assert 21 == blocks.n_records
    assert (9.0, 1.0, 8.0, 3.0) == cells(blocks.effective(2))


def test_records_of_loose_splits():
    """Without repetitions the records are all that are tested."""
    assert 150 == PairedBlocks([TABLE] * 3).n_records


def test_swap_of_blocks():
    """Each table has its roles exchanged; twice is as before."""
    blocks = PairedBlocks([[TABLE, TABLE]] * 2)

    assert PairedBlocks([[[30, 12, 5, 3]] * 2] * 2) == blocks.swap()
    assert blocks == blocks.swap().swap()


def test_merge_of_blocks():
    """Shards add table by table; other shapes, designs and objects do not."""
    blocks = PairedBlocks([[TABLE, TABLE]] * 2)

    assert PairedBlocks([[[60, 10, 24, 6]] * 2] * 2) == blocks + blocks
    with pytest.raises(ValueError, match=r"one shape|one design"):
        blocks + PairedBlocks([[TABLE, TABLE]] * 3)
    with pytest.raises(ValueError, match="Only evidence of one design"):
        blocks + PairedBlocks([[TABLE, TABLE]] * 2, "random 5x2")
    with pytest.raises(TypeError):
        blocks + 1


def test_blocks_are_frozen():
    """Their array is read-only and their own; they hash, compare and pickle by value."""
    given = np.array([[TABLE, TABLE]] * 2)
    blocks = PairedBlocks(given)
    given[0, 0, 0] = 99

    assert [[TABLE, TABLE]] * 2 == blocks.tables.tolist()
    with pytest.raises(ValueError, match="read-only"):
        blocks.tables[0, 0, 0] = 1
    assert {blocks} == {PairedBlocks([[TABLE, TABLE]] * 2)}
    assert blocks != PairedBlocks([[TABLE, TABLE]] * 2, "random 5x2")
    assert blocks != "blocks"
    assert blocks == pickle.loads(pickle.dumps(blocks))
    assert blocks == eval(repr(blocks))
    assert {"tables": [[TABLE, TABLE]] * 2, "design": "bcv"} == blocks.to_dict()


def test_blocks_from_predictions():
    """Each test set is counted by itself, in the order given."""
    y = [[0, 1], [1, 1, 0]]
    champion = [[0, 1], [1, 0, 0]]
    challenger = [[0, 0], [1, 1, 1]]

    blocks = PairedBlocks.from_predictions(y, champion, challenger)
    halves = PairedBlocks.from_predictions(y, champion, challenger, design="bcv")

    assert [[1, 1, 0, 0], [1, 1, 1, 0]] == blocks.tables.tolist()
    assert "unknown" == blocks.design.name
    assert [blocks.tables.tolist()] == halves.tables.tolist()
    assert ("bcv", 1, 2) == (
        halves.design.name,
        halves.design.n_repeats,
        halves.design.n_folds,
    )


def test_blocks_from_bad_predictions():
    """Uneven lists of splits, and half a pair of halves, are refused."""
    y = [[0, 1], [1, 0], [0, 1]]
    with pytest.raises(ValueError, match="y_true has 3, champion has 2"):
        PairedBlocks.from_predictions(y, y[:2], y)
    with pytest.raises(ValueError, match=r"even number of test sets. Got 3"):
        PairedBlocks.from_predictions(y, y, y, design="bcv")
    with pytest.raises(ValueError, match="y_true has 2, champion has 1"):
        PairedBlocks.from_predictions(y, [[0], [1], [0]], y)


def test_blocks_from_pair():
    """Every test set has its table, and together they hold all predictions."""
    for kind in ["bcv", "random 5x2", "repeated kfold", "kfold"]:
        predictions = random_predictions(kind, 41, 2)
        pair = predictions.pair("champion", "challenger")
        y = predictions.y_predicted()
        first, second = (prediction.labels for prediction in predictions.estimators)
        parts = list(predictions.slices())
        expected = PairedBlocks.from_predictions(
            *([values[part] for part in parts] for values in (y, first, second))
        )

        blocks = PairedBlocks.from_pair(pair)

        assert predictions.design == blocks.design
        assert expected.tables.tolist() == blocks.tables.reshape(-1, 4).tolist()
        assert len(y) == blocks.tables.sum()
