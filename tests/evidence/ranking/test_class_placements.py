"""Scores of every class: areas and influence against brute force, shards, and edges."""

import itertools
import pickle
from itertools import permutations

import numpy as np
import pytest

from skcompare.evidence import ClassPlacementValues
from skcompare.predictions import EstimatorPredictions, Predictions
from tests.common.golden import golden

CASES = golden("multiclass_auc")["cases"]


def random_labels(n, n_classes, seed, digits=None, strengths=(1.0, 1.4)):
    """True classes and probabilities of two classifiers, rounded to have ties."""
    rng = np.random.default_rng([seed, n, n_classes])
    y = np.concatenate([np.arange(n_classes), np.arange(n_classes)])
    y = np.concatenate([y, rng.integers(n_classes, size=n - len(y))])
    predictions = []
    for strength in strengths:
        odds = np.exp(rng.normal(size=(n, n_classes)) + strength * np.eye(n_classes)[y])
        proba = odds / odds.sum(axis=1, keepdims=True)
        if digits is not None:
            proba = np.round(proba, digits)
            # The last column takes what rounding leaves, so that rows add up to 1.
            proba[:, -1] = np.clip(1 - proba[:, :-1].sum(axis=1), 0, 1).round(digits)
            proba /= proba.sum(axis=1, keepdims=True)
        predictions.append(proba)
    return y, *predictions


def psi(above, below):
    """1 for every pair that is ordered rightly, and a half for ties."""
    return (above[:, None] > below) + 0.5 * (above[:, None] == below)


def rest_slowly(scores, y, k):
    """Area and influence of one class against the rest, from all pairs."""
    own = y == k
    pairs = psi(scores[own], scores[~own])
    m, n = pairs.shape
    influence = np.empty(len(y))
    influence[own] = (pairs.mean(axis=1) - pairs.mean()) / np.sqrt(m * (m - 1))
    influence[~own] = (pairs.mean(axis=0) - pairs.mean()) / np.sqrt(n * (n - 1))
    return pairs.mean(), influence


def ranked_columns(proba):
    """The columns that are ranked: of two classes the second one, both ways."""
    if proba.shape[1] > 2:
        return proba
    return np.column_stack([-proba[:, 1], proba[:, 1]])


def check_by_pairs(values, y, predictions):
    for role, proba in enumerate(predictions):
        scores = ranked_columns(proba)
        rest, one = values.one_vs_rest(role), values.one_vs_one(role)
        expected = np.zeros(one.influence.shape)
        for k in range(values.n_classes):
            area, influence = rest_slowly(scores[:, k], y, k)
            assert area == pytest.approx(rest.aucs[k], abs=1e-14)
            assert influence == pytest.approx(rest.influence[:, k], abs=1e-14)
        for j, k in permutations(range(values.n_classes), 2):
            pairs = psi(scores[y == j, j], scores[y == k, j])
            assert pairs.mean() == pytest.approx(one.aucs[j, k], abs=1e-14)
            expected[y == j, k] += (pairs.mean(axis=1) - pairs.mean()) / 2
            expected[y == k, j] += (pairs.mean(axis=0) - pairs.mean()) / 2
        m = np.bincount(y)
        expected /= np.sqrt(m * (m - 1))[y, None]
        assert expected == pytest.approx(one.influence, abs=1e-14)


def test_all_pairs():
    """Areas and influence are those of every pair of records, with and without ties."""
    for digits, n_classes in itertools.product([None, 1, 2], [2, 3, 5]):
        y, *predictions = random_labels(60, n_classes, 1, digits)

        check_by_pairs(
            ClassPlacementValues.from_predictions(y, *predictions), y, predictions
        )


def test_golden_areas():
    """The areas of each class, and of all pairs, are those of others."""
    for case in CASES:
        y, scores = np.array(case["y"]), np.array(case["scores"])
        for first, second in permutations(range(len(scores)), 2):
            values = ClassPlacementValues.from_predictions(y, scores[first], scores[second])
            for role, at in enumerate((first, second)):
                known = case["values"][at]
                rest, pairs = values.one_vs_rest(role).aucs, values.one_vs_one(role).aucs

                assert pytest.approx(known["per_class"]["value"], rel=1e-12) == rest
                assert (
                    pytest.approx(known["roc_auc_ovr"]["value"], rel=1e-12) == rest.mean()
                )
                expected = known["roc_auc_ovo"]["value"]
                assert pytest.approx(expected, rel=1e-12) == np.nanmean(pairs)


def test_influence_of_many_ties():
    """Scores that are all equal have areas of a half, and no influence."""
    y = np.array([0, 1, 2, 0, 1, 2, 2])
    same = np.full((7, 3), 1 / 3)
    values = ClassPlacementValues.from_predictions(y, same, same)

    assert [0.5, 0.5, 0.5] == values.one_vs_rest(0).aucs.tolist()
    assert not values.one_vs_rest(0).influence.any()
    assert not values.one_vs_one(1).influence.any()
    assert 1 == values.one_vs_rest(0).distinct == values.one_vs_one(0).distinct


def test_distinct_scores():
    """Labels as probabilities have two different scores in each class."""
    y, champion, _ = random_labels(40, 3, 2)
    hard = np.eye(3)[champion.argmax(axis=1)]
    values = ClassPlacementValues.from_predictions(y, champion, hard)

    assert (40, 2) == tuple(values.one_vs_rest(role).distinct for role in (0, 1))
    assert (40, 2) == tuple(values.one_vs_one(role).distinct for role in (0, 1))


def test_second_of_two_columns_decides():
    """Of two classes only the second column is ranked, as by scikit-learn."""
    y = [0, 1, 0, 1]
    tiny = np.array([1e-20, 2e-20, 3e-20, 4e-20])
    values = ClassPlacementValues.from_predictions(
        y, np.column_stack([1 - tiny, tiny]), tiny
    )

    assert [0.75, 0.75] == values.one_vs_rest(0).aucs.tolist()
    assert 0.75 == values.one_vs_one(1).aucs[0, 1] == values.one_vs_one(1).aucs[1, 0]


def test_absent_and_single_classes():
    """An absent class has no area; a single record has one, but no variance."""
    y, *predictions = random_labels(30, 4, 3)
    y[y == 3] = 0
    y[np.flatnonzero(y == 2)[1:]] = 1
    values = ClassPlacementValues.from_predictions(y, *predictions, labels=[0, 1, 2, 3])

    assert 0 == values.counts[3]
    assert 1 == values.counts[2]
    rest, pairs = values.one_vs_rest(0), values.one_vs_one(0)
    assert [False, False, False, True] == np.isnan(rest.aucs).tolist()
    assert np.isnan(rest.influence[y == 2, 2]).all()
    assert np.isnan(pairs.aucs[3]).all()
    assert np.isnan(pairs.aucs[:, 3]).all()
    kept = predictions[0][:, 2]
    assert pytest.approx(psi(kept[y == 2], kept[y == 1]).mean()) == pairs.aucs[2, 1]


# ----------------------------------------------------------------------- evidence


def same(one, other):
    return pickle.dumps(one) == pickle.dumps(other) and one == other


def test_merging():
    """Shards add up to all records, ranked again; so do those of groups."""
    y, *predictions = random_labels(50, 3, 4)
    for groups in (None, np.arange(50) // 4):
        of = [groups[:20], groups[20:]] if groups is not None else [None, None]
        parts = [slice(0, 20), slice(20, 50)]
        shards = [
            ClassPlacementValues.from_predictions(
                y[part], *(one[part] for one in predictions), labels=[0, 1, 2], groups=own
            )
            for part, own in zip(parts, of)
        ]
        whole = ClassPlacementValues.from_predictions(y, *predictions, groups=groups)

        assert same(whole, sum(shards))
        assert same(whole.swap(), shards[0].swap() + shards[1].swap())


def test_merging_what_does_not_fit():
    """Shards of other classes, designs or groups are refused."""
    y, *predictions = random_labels(30, 3, 5)
    values = ClassPlacementValues.from_predictions(y, *predictions)
    renamed = ClassPlacementValues.from_predictions(y + 1, *predictions)
    grouped = ClassPlacementValues.from_predictions(y, *predictions, groups=y)
    named = ClassPlacementValues.from_predictions(y, *predictions, groups=y.astype(str))
    pieces = (y, *predictions, np.arange(3))
    without = ClassPlacementValues(*pieces, design="grouped holdout")

    with pytest.raises(ValueError, match="same classes can be merged"):
        values + renamed
    with pytest.raises(ValueError, match="one design"):
        values + grouped
    with pytest.raises(ValueError, match="labels of one type"):
        grouped + named
    with pytest.raises(ValueError, match="Only one of the shards has groups"):
        grouped + without
    with pytest.raises(TypeError, match="unsupported operand"):
        values + 1


def test_groups():
    """Sums by group, and how many groups hold a class and another one."""
    y, *predictions = random_labels(12, 3, 6)
    groups = np.array(["b", "a", "c"])[np.arange(12) % 3]
    values = ClassPlacementValues.from_predictions(y, *predictions, groups=groups)
    numbers = np.arange(24.0).reshape(12, 2)

    assert ("grouped holdout", 3) == (values.design.name, values.n_units)
    expected = [numbers[groups == group].sum(axis=0).tolist() for group in "abc"]
    assert expected == values.sums_by_unit(numbers).tolist()
    assert [row[0] for row in expected] == values.sums_by_unit(numbers[:, 0]).tolist()
    for k, (own, others) in enumerate(values.units.tolist()):
        assert len(set(groups[y == k])) == own
        assert len(set(groups[y != k])) == others
    assert "n_groups=3" in repr(values)


def test_groups_of_one_record_change_nothing():
    """Influence is that of independent records if every group has one."""
    y, *predictions = random_labels(40, 3, 7)
    alone = ClassPlacementValues.from_predictions(y, *predictions)
    grouped = ClassPlacementValues.from_predictions(y, *predictions, groups=np.arange(40))

    for name in ("one_vs_rest", "one_vs_one"):
        one, other = (getattr(values, name)(1) for values in (alone, grouped))
        assert pytest.approx(one.influence, abs=1e-15) == other.influence


def test_from_pair():
    """Probabilities are taken, decision scores where there are none, records reordered."""
    y, first, second = random_labels(30, 3, 8)
    classes = np.array(["ant", "bee", "cow"])
    decision = np.log(second) + 5
    predictions = (
        EstimatorPredictions("a", "a", proba=first),
        EstimatorPredictions("b", "b", decision=decision),
    )
    pair = Predictions(classes, y, predictions, groups=np.arange(30) // 3).pair("a", "b")
    values = ClassPlacementValues.from_pair(pair)
    expected = ClassPlacementValues.from_predictions(classes[y], first, second)

    assert (classes.tolist(), 30) == (values.classes.tolist(), values.n)
    assert not values.is_grouped
    assert expected.one_vs_rest(0).aucs.tolist() == values.one_vs_rest(0).aucs.tolist()
    # An increasing function of all scores of a record is none of a column.
    assert rest_slowly(decision[:, 0], y, 0)[0] == values.one_vs_rest(1).aucs[0]

    records = np.array([3, 3, 7, 0, 1, 2, 5, 4])
    taken = Predictions(
        classes,
        y,
        tuple(
            EstimatorPredictions(n, n, proba=p[records])
            for n, p in (("a", first), ("b", second))
        ),
        records=records,
        groups=np.arange(30) // 3,
    )
    again = ClassPlacementValues.from_pair(taken.pair("a", "b"))
    assert (y[records].tolist(), [1, 1, 2, 0, 0, 0, 1, 1]) == (
        again.codes.tolist(),
        again.groups.tolist(),
    )


def test_decision_of_two_classes():
    """One column of decision scores speaks for the second class."""
    y = np.array([0, 1, 0, 1, 1])
    scores = np.array([-3.0, 2.0, 1.0, 0.5, 9.0])
    predictions = (
        EstimatorPredictions("a", "a", decision=scores),
        EstimatorPredictions("b", "b", decision=-scores),
    )
    pair = Predictions(np.array(["no", "yes"]), y, predictions).pair("a", "b")

    values = ClassPlacementValues.from_pair(pair)

    expected = psi(scores[y == 1], scores[y == 0]).mean()
    assert expected == values.one_vs_rest(0).aucs[1]
    assert 1 - expected == pytest.approx(values.one_vs_rest(1).aucs[1])


def test_arrays_are_kept_apart_and_read_only():
    """What was passed in may change afterwards, and what is inside may not."""
    y, champion, challenger = random_labels(20, 3, 9)
    values = ClassPlacementValues.from_predictions(y, champion, challenger)
    before = pickle.dumps(values)
    champion[:] = 0
    values.one_vs_rest(0)
    values.one_vs_one(0)

    assert before == pickle.dumps(values)
    assert values == pickle.loads(before)
    assert hash(values) == hash(pickle.loads(before))
    again = pickle.loads(before)
    arrays = (again.codes, again.champion, again.challenger)
    arrays += (values.one_vs_rest(0).influence, values.one_vs_one(0).aucs)
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_wrong_arguments():
    """Each is refused by name."""
    both = "champion", "challenger"
    for change, message in [
        ({"champion": np.zeros((4, 2))}, r"`champion` .* \(n_samples=4, n_classes=3\)"),
        ({"challenger": np.full((4, 3), np.nan)}, "`challenger` must be finite"),
        ({"codes": [0, 1, 2, 3]}, "`codes` must be positions in 3 classes"),
        ({"codes": [0.0, 1, 2, 1]}, "`codes` must be positions"),
        ({"codes": [0, 1, 2]}, r"`champion` .* \(n_samples=3, n_classes=3\)"),
        ({"classes": ["b", "a", "c"]}, "sorted order"),
        ({"classes": ["a"]}, "needs two classes"),
        ({"champion": "a"}, "`champion` must be scores, one column per class. Got 'a'"),
        ({"champion": None}, "`champion` must be finite"),
        ({"groups": [1, 2]}, r"`groups` must have shape \(n_samples=4,\). Got \(2,\)"),
        (
            {"codes": np.zeros(0, dtype=int), **dict.fromkeys(both, np.zeros((0, 3)))},
            "codes: expected at least one record",
        ),
    ]:
        given = {
            "codes": [0, 1, 2, 1],
            "champion": np.zeros((4, 3)),
            "challenger": np.zeros((4, 3)),
            "classes": ["a", "b", "c"],
        }

        with pytest.raises(ValueError, match=message):
            ClassPlacementValues(**given | change)


def test_wrong_predictions():
    """Probabilities must be ones, of all classes that are named."""
    y, champion, challenger = random_labels(20, 3, 10)

    with pytest.raises(ValueError, match=r"`challenger_proba`.* in "):
        ClassPlacementValues.from_predictions(y, champion, challenger + 0.5)
    with pytest.raises(ValueError, match="`champion_proba` must be probabilities of sha"):
        ClassPlacementValues.from_predictions(y, champion[:, :2], challenger)
    with pytest.raises(ValueError, match="labels that are not classes"):
        ClassPlacementValues.from_predictions(y, champion, challenger, labels=[0, 1, 5])
    without = (
        EstimatorPredictions("a", "a", labels=y),
        EstimatorPredictions("b", "b", proba=champion),
    )
    with pytest.raises(ValueError, match="predictions of a have no scores"):
        ClassPlacementValues.from_pair(Predictions(np.arange(3), y, without).pair("a", "b"))
