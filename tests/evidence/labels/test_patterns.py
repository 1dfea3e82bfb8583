"""Who of several classifiers was right: made, packed, counted, merged."""

import itertools
import pickle
from collections import Counter
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from skcompare._core.design import HOLDOUT, Design
from skcompare.evidence import ContingencyTable, CorrectnessPatterns
from skcompare.evidence.labels import _patterns
from skcompare.predictions import EstimatorPredictions, Predictions
from tests.common.golden import golden
from tests.common.subjects import random_predictions

PUBLISHED = golden("several")["published"]
ABC = ("a", "b", "c")
SIZES = [(1, 2), (7, 2), (8, 3), (9, 5), (64, 8), (65, 9), (1000, 20), (300, 70)]


def random_labels(n, k, seed=0):
    """Right (1) and wrong (0), of shape (n, k)."""
    return (np.random.default_rng([seed, n, k]).random((n, k)) < 0.6).astype(int)


def unpacked(patterns):
    """Right (1) and wrong (0), of shape (n, k)."""
    return np.unpackbits(patterns.bits, axis=1, count=patterns.n).T


# ------------------------------------------------------------- where they come from


def test_published_table():
    """The predictions printed in a user guide make the table of patterns printed there."""
    arrays = {
        name: np.array(list(digits), dtype=int)
        for name, digits in PUBLISHED["answers"].items()
    }
    truth = arrays.pop("y_true")

    patterns = CorrectnessPatterns.from_predictions(truth, *arrays.values(), names=arrays)

    expected = {pattern: n for pattern, n in PUBLISHED["counts"].items() if n}
    assert expected == patterns.to_dict()["counts"]
    assert PUBLISHED["accuracies"] == patterns.accuracies.tolist()
    assert ("y_model_1", "y_model_2", "y_model_3") == patterns.names
    assert HOLDOUT == patterns.design


def test_from_right_and_wrong():
    """One column per classifier, of any type that holds 0 and 1."""
    for dtype in [bool, int, np.uint8, float]:
        predictions = random_labels(50, 4)

        patterns = CorrectnessPatterns(
            predictions.astype(dtype), ["a", "b", "c", "d"], "kfold"
        )

        np.testing.assert_array_equal(predictions, unpacked(patterns))
        assert ("a", "b", "c", "d") == patterns.names
        assert "kfold" == patterns.design.kind
        assert patterns == CorrectnessPatterns(predictions.tolist(), list("abcd"), "kfold")


def test_types_of_labels():
    """Integers of all widths, booleans, whole floats, strings and objects are labels."""
    for y, first, second in [
        ([0, 1, 1], [0, 1, 0], [1, 1, 1]),
        (["a", "b", "b"], ["a", "b", "a"], ["b", "b", "b"]),
        (np.array([0, 1, 1], dtype=object), [False, True, False], [1.0, 1.0, 1.0]),
        ([[0], [1], [1]], np.array([0, 1, 0], dtype=np.int8), np.ones(3, dtype=np.uint64)),
    ]:
        patterns = CorrectnessPatterns.from_predictions(y, first, second)

        assert [[1, 0], [1, 1], [0, 1]] == unpacked(patterns).tolist()


def test_comparison_with_the_truth():
    """Packed predictions are those of a plain comparison, at all lengths."""
    for n, k in SIZES:
        rng = np.random.default_rng(n)
        y = rng.integers(3, size=n)
        labels = rng.integers(3, size=(k, n))
        labels[:, 0] = y[0]  # a classifier without a common label would be refused

        patterns = CorrectnessPatterns.from_predictions(y, *labels)

        np.testing.assert_array_equal((labels == y).T, unpacked(patterns))


def test_of_a_pair_and_of_all_predictions():
    """A pair has its two roles in order; predictions all classifiers and the design."""
    predictions = random_predictions("kfold", 40, 3, n_classes=3)
    rng = np.random.default_rng(0)
    third = EstimatorPredictions("third", "third", rng.integers(3, size=40))
    predictions = replace(predictions, estimators=(*predictions.estimators, third))
    truth = predictions.y_predicted()
    expected = np.array(
        [prediction.labels == truth for prediction in predictions.estimators]
    ).T

    every = CorrectnessPatterns.from_predictions_of(predictions)
    pair = CorrectnessPatterns.from_pair(predictions.pair("third", "champion"))

    np.testing.assert_array_equal(expected, unpacked(every))
    assert ("champion", "challenger", "third") == every.names
    np.testing.assert_array_equal(expected[:, [2, 0]], unpacked(pair))
    assert ("third", "champion") == pair.names
    assert predictions.design == every.design == pair.design
    table = ContingencyTable.from_pair(predictions.pair("third", "champion"))
    assert (
        table
        == pair.contingency_table(0, 1)
        == every.contingency_table("third", "champion")
    )


def test_pair_of_one_classifier():
    """A classifier against itself has two names, because names differ."""
    predictions = random_predictions("holdout", 9, 0)

    patterns = CorrectnessPatterns.from_pair(predictions.pair("champion", "champion"))

    assert ("champion", "champion again") == patterns.names
    assert 0 == patterns.n_informative


def test_predictions_without_labels():
    """Scores alone say nobody is right; the message says whose labels are missing."""
    predictions = (
        EstimatorPredictions("a", "a", np.array([0, 1])),
        EstimatorPredictions("b", "b"),
    )
    collected = Predictions(np.array([0, 1]), np.array([0, 1]), predictions)

    with pytest.raises(ValueError, match="The predictions of b have no labels"):
        CorrectnessPatterns.from_predictions_of(collected)


def test_from_counts():
    """Patterns as strings or tuples, in any order, some without records or named twice."""
    for counts in [
        {"110": 2, "001": 3, "111": 4, "010": 0},
        {(1, 1, 0): 2, (0, 0, 1): 3, (1, 1, 1): 4},
        {(True, True, False): 2, tuple(np.array([0, 0, 1])): np.int32(3), "111": 4},
        {"110": 1, (1, 1, 0): 1, "001": 3, "111": 4},
    ]:
        patterns = CorrectnessPatterns.from_counts(counts, names=["a", "b", "c"])

        assert {"001": 3, "110": 2, "111": 4} == patterns.to_dict()["counts"]
        assert 9 == patterns.n
        assert ("a", "b", "c") == patterns.names


# --------------------------------------------------------------------- what they say


def test_counts():
    """All counts are those of the table of right and wrong."""
    for n, k in [*SIZES, (70_000, 3), (140_001, 2)]:
        predictions = random_labels(n, k)
        joint = predictions.T @ predictions
        totals = predictions.sum(axis=1)

        patterns = CorrectnessPatterns(predictions)

        assert (n, k) == (patterns.n, patterns.n_classifiers)
        np.testing.assert_array_equal(joint, patterns.both_correct)
        np.testing.assert_array_equal(predictions.sum(axis=0), patterns.n_correct)
        np.testing.assert_allclose(
            predictions.mean(axis=0), patterns.accuracies, rtol=1e-15
        )
        np.testing.assert_array_equal(
            predictions.T @ (1 - predictions), patterns.discordant
        )
        np.testing.assert_array_equal(
            np.bincount(totals, minlength=k + 1), patterns.row_totals
        )
        assert np.count_nonzero((totals > 0) & (totals < k)) == patterns.n_informative


def test_counts_without_instructions_for_bits(monkeypatch):
    """numpy < 2 counts bits by a table, with the same result."""
    monkeypatch.setattr(_patterns, "_count_bits", None)
    for n, k in SIZES:
        predictions = random_labels(n, k)
        patterns = CorrectnessPatterns(predictions)

        np.testing.assert_array_equal(predictions.T @ predictions, patterns.both_correct)


def test_all_right_in_many_records():
    """No partial sum overflows where every bit is 1."""
    n = 64 * _patterns.MOST_INTEGERS * 3 + 5
    patterns = CorrectnessPatterns(np.ones((n, 2), dtype=bool))

    assert [[n, n], [n, n]] == patterns.both_correct.tolist()
    assert [0, 0, n] == patterns.row_totals.tolist()


def test_distinct_patterns(monkeypatch):
    """Each pattern that occurs with its records, sorted, however many are read at once."""
    for block, (n, k) in itertools.product([16, _patterns.BLOCK], SIZES):
        monkeypatch.setattr(_patterns, "BLOCK", block)
        predictions = random_labels(n, k)
        expected = sorted(Counter(map(tuple, predictions.tolist())).items())

        patterns = CorrectnessPatterns(predictions)
        rows, counts = patterns.distinct()

        assert expected == list(
            zip(map(tuple, rows.tolist()), counts.tolist(), strict=True)
        )
        assert np.bincount(predictions.sum(axis=1), minlength=k + 1).tolist() == (
            patterns.row_totals.tolist()
        )


def test_table_of_two():
    """By position or name, champion first."""
    patterns = CorrectnessPatterns.from_counts({"110": 1, "100": 2, "011": 4}, ABC)

    assert (
        ContingencyTable(1, 2, 4, 0)
        == patterns.contingency_table("a", "b")
        == patterns.contingency_table(0, 1)
    )
    assert ContingencyTable(1, 4, 2, 0) == patterns.contingency_table("b", 0)
    for wrong in ("d", 3, -1, True, None):
        with pytest.raises(ValueError, match=r"Unknown classifier .* Known: a, b, c"):
            patterns.contingency_table("a", wrong)


# ------------------------------------------------------------------------- as values


def test_merge():
    """Records of shards in order, at every remainder of bits."""
    for first, second in itertools.product([1, 7, 8, 9, 16, 30], [1, 2, 8, 9, 31]):
        predictions = random_labels(first + second, 3)
        one, other = predictions[:first], predictions[first:]

        merged = CorrectnessPatterns(one) + CorrectnessPatterns(other)

        assert CorrectnessPatterns(predictions) == merged


def test_merge_refuses_others():
    """Shards are of one design and of the same classifiers in one order."""
    patterns = CorrectnessPatterns([[1, 0]], ["a", "b"])

    with pytest.raises(ValueError, match="Only evidence of one design"):
        patterns + CorrectnessPatterns([[1, 0]], ["a", "b"], "kfold")
    with pytest.raises(ValueError, match=r"can be merged\. Got a, b"):
        patterns + patterns.swap()
    with pytest.raises(TypeError):
        patterns + 1


def test_swap():
    """The order of the classifiers is reversed with their names; twice is as before."""
    patterns = CorrectnessPatterns(random_labels(20, 3), ABC)
    swapped = patterns.swap()

    np.testing.assert_array_equal(unpacked(patterns)[:, ::-1], unpacked(swapped))
    assert ("c", "b", "a") == swapped.names
    assert patterns == swapped.swap()
    pair = CorrectnessPatterns(random_labels(20, 2))
    assert pair.contingency_table(0, 1).swap() == pair.swap().contingency_table(0, 1)


def test_equality_and_hash():
    """Equal predictions, names and designs are one value."""
    predictions = random_labels(20, 3)
    patterns = CorrectnessPatterns(predictions)
    same = CorrectnessPatterns.from_predictions(np.ones(20, int), *predictions.T)
    others = [
        CorrectnessPatterns(predictions, ABC),
        CorrectnessPatterns(predictions, design="kfold"),
        CorrectnessPatterns(1 - predictions),
        CorrectnessPatterns(predictions[:19]),
        None,
    ]

    assert patterns == same
    assert hash(patterns) == hash(same)
    assert all(patterns != other for other in others)


def test_frozen():
    """Nothing can be changed, neither in the value nor in what it gives out."""
    predictions = random_labels(20, 3)
    patterns = CorrectnessPatterns(predictions)
    again = pickle.loads(pickle.dumps(patterns))
    predictions[:] = 0

    with pytest.raises(FrozenInstanceError):
        patterns.n = 3
    for value in (patterns, again):
        for array in (value.bits, value.both_correct, value.n_correct):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
    assert patterns == again
    assert patterns.n_correct.any()


def test_packed_bits():
    """Packed predictions with their number make the same value, and the caller keeps
    them.
    """
    predictions = random_labels(21, 3)
    patterns = CorrectnessPatterns(predictions)
    bits = np.packbits(predictions.T, axis=1)

    assert patterns == CorrectnessPatterns(bits, n=21)
    assert bits.flags.writeable
    assert Design("bcv") == replace(patterns, design=Design("bcv")).design


def test_plain_values():
    """Names, counts and design, enough to make all but the order of the records."""
    patterns = CorrectnessPatterns(random_labels(40, 3), ABC, "grouped kfold")
    values = patterns.to_dict()

    again = CorrectnessPatterns.from_counts(**values)

    assert values == again.to_dict()
    assert ["a", "b", "c"] == values["names"]
    assert "grouped kfold" == values["design"]


def test_text():
    """The value says how many records, whose, and how many each predicted correctly."""
    patterns = CorrectnessPatterns.from_counts({"110": 1, "100": 2}, ABC)

    assert (
        "CorrectnessPatterns(n=3, names=['a', 'b', 'c'], n_correct=[3, 1, 0], "
        "design='holdout')" == repr(patterns)
    )


# -------------------------------------------------------------------- what is refused


def test_no_patterns():
    """What is no table of right and wrong is refused, with what was expected."""
    for arguments, message in [
        ([[0, 1, 1]], "must have shape"),
        ([[[0, 2]]], "must be 1 where a prediction is right"),
        ([[[0, np.nan]]], "must be 1 where a prediction is right"),
        ([[["0", "1"]]], "must be 1 where a prediction is right"),
        ([[[0], [1]]], "at least two classifiers and one record. Got 1 classifiers and 2"),
        ([np.zeros((0, 3))], "one record. Got 3 classifiers and 0 records"),
        ([[[0, 1]], ["a"]], "must be 2 different strings"),
        ([[[0, 1]], ["a", "a"]], "must be 2 different strings"),
        ([[[0, 1]], ["a", 1]], "must be 2 different strings"),
        ([[[0, 1]], "ab"], "must be 2 different strings"),
        ([np.zeros((2, 1), np.uint8), None, "holdout", 9], r"\(n_classifiers, 2\)"),
        ([np.zeros((2, 1), int), None, "holdout", 8], "dtype uint8. Got shape"),
        ([np.full((2, 1), 255, np.uint8), None, "holdout", 7], "last record must be 0"),
        ([np.zeros((2, 1), np.uint8), None, "holdout", 7.5], "`n` must be the number"),
    ]:
        with pytest.raises(ValueError, match=message):
            CorrectnessPatterns(*arguments)


def test_no_predictions():
    """Predictions that cannot be about these records are refused by the classifier's
    name.
    """
    for y, predictions, message in [
        ([0, 1], [[0, 1]], "at least two classifiers"),
        ([0, 1], [], "at least two classifiers"),
        ([], [[], []], "one record"),
        ([0, 1], [[0, 1], [0, 1, 1]], "predictions of classifier 2 has 3"),
        (
            [0, 1],
            [[0, 1], [0, None]],
            "`predictions of classifier 2` must not have missing",
        ),
        (
            [0, 1],
            [[0, 1], [0.5, 0.5]],
            "`predictions of classifier 2` must be class labels",
        ),
        ([0, 1], [[0, 1], ["0", "1"]], "has string labels"),
        ([0, 1], [[0, 1], [5, 6]], "`predictions of classifier 2` has no label in common"),
        (["a", "b"], [["a", "b"], ["A", "b"]], "Labels must match exactly"),
        (["a", "b"], [["a", "b"], [0, 1]], "has numeric labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            CorrectnessPatterns.from_predictions(y, *predictions)


def test_never_right_with_a_label_in_common():
    """A classifier that is always wrong is evidence, not an error."""
    patterns = CorrectnessPatterns.from_predictions([0, 1], [0, 1], [1, 0])

    assert [2, 0] == patterns.n_correct.tolist()


def test_no_counts():
    """Counts need patterns of one length with whole numbers of records."""
    for counts in [
        {},
        None,
        [("11", 1)],
        {"12": 1},
        {"": 1},
        {11: 1},
        {"11": 1, "111": 1},
        {"11": -1},
        {"11": 1.5},
        {"11": 0},
        {"1": 4},
    ]:
        with pytest.raises(ValueError, match=r"counts|pattern|classifiers"):
            CorrectnessPatterns.from_counts(counts)
