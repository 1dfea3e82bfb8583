"""Placement values of cells: exactly what their records give."""

import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from skcompare.evidence import PlacementValues, ScoreBins
from skcompare.stats import (
    auc_contrast,
    auc_interval,
    delong,
    delong_joint,
    pairwise_delong,
    unpaired_delong,
)


def cells(seed=0, k=2, n=12, most=4, values=4):
    """Cells with some records of both classes, and the records themselves."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    scores = rng.integers(0, values, (k, n)) / 8
    repeats = rng.integers(0, most, n)
    repeats[:2] += 2
    return positive, scores, repeats


def both(seed=0, k=2, **settings):
    positive, scores, repeats = cells(seed, k, **settings)
    names = list("abcde")[:k]
    some = np.random.default_rng(seed).permutation(
        np.repeat(np.arange(len(repeats)), repeats)
    )
    return (
        PlacementValues(positive, scores, names, repeats=repeats),
        PlacementValues(positive[some], scores[:, some], names),
    )


def test_cells_are_their_records():
    """Whole numbers, so that AUCs and covariances agree to the last bit."""
    for seed in range(40):
        counted, single = both(seed, k=1 + seed % 4, n=2 + seed, values=1 + seed % 7)

        assert single.sums == counted.sums
        assert single.n_distinct == counted.n_distinct
        assert (single.n, single.n_positives) == (counted.n, counted.n_positives)
        np.testing.assert_array_equal(single.aucs, counted.aucs)
        np.testing.assert_array_equal(single.covariance, counted.covariance)
        assert len(counted.repeats) == len(
            np.unique(single.scores * 100 + single.positive, axis=1).T
        )


def test_whole_scores_are_ranked_like_any_others():
    """By a table instead of a sort, wherever they begin and whatever is left out."""
    positive, scores, repeats = cells(9, n=200, values=40)
    expected = PlacementValues(positive, scores, repeats=repeats)
    for whole in (scores * 8, scores * 80 + 7, scores * 8 - 3):
        actual = PlacementValues(positive, whole, repeats=repeats)
        assert expected.sums == actual.sums
        assert expected.n_distinct == actual.n_distinct
        np.testing.assert_array_equal(expected.repeats, actual.repeats)


def test_tests_of_cells_are_those_of_records():
    """Every test that needs sums alone finds the same in either."""
    for seed in range(5):
        for counted, single in (both(seed, k=3), both(seed + 5, k=3, n=40, values=9)):
            assert delong_joint(single).to_dict() == delong_joint(counted).to_dict()
            weights = [-1, 0.5, 0.5]
            expected = auc_contrast(single, weights)
            assert expected.to_dict() == auc_contrast(counted, weights).to_dict()
            for adjust in ("holm", "max-t"):
                expected = pairwise_delong(single, adjust=adjust, n_resamples=99)
                actual = pairwise_delong(counted, adjust=adjust, n_resamples=99)
                assert str(expected) == str(actual)
        counted, single = both(seed, n=30)
        assert delong(single).to_dict() == delong(counted).to_dict()
        counted, single = both(seed, k=1, n=30)
        assert auc_interval(single) == auc_interval(counted)
        expected = unpaired_delong(single, single).to_dict()
        assert expected == unpaired_delong(single, counted).to_dict()


def test_perfect_reversed_and_constant_scores():
    """The ends of what an AUC can be."""
    scores = [[0, 1], [1, 0], [3, 3]]
    placements = PlacementValues([False, True], scores, repeats=[7, 5])

    assert [1.0, 0.0, 0.5] == placements.aucs.tolist()
    assert not placements.covariance.any()
    assert [2, 2, 1] == placements.n_distinct


def test_a_class_may_be_missing_until_an_auc_is_requested_for():
    """A shard can lack a class; its AUC cannot."""
    shard = PlacementValues([True, True], [[0, 1]], repeats=[7, 5])

    assert (12, 12, 0) == (shard.n, shard.n_positives, shard.n_negatives)
    with pytest.raises(ValueError, match="records of both classes"):
        _ = shard.aucs
    assert 0.0 == (shard + PlacementValues([False], [[2]], repeats=[3])).aucs[0]


def test_one_record_of_a_class_has_no_variance():
    """As of single records: NaN, and an error of the test."""
    placements = PlacementValues([True, False, False], [[1, 0, 1]], repeats=[1, 5, 5])

    assert 0.75 == placements.aucs[0]
    assert np.isnan(placements.covariance).all()
    with pytest.raises(ValueError, match="at least two records of each class"):
        delong(PlacementValues([True, False], [[1, 0]] * 2, repeats=[1, 5]))


def exact_auc_and_variance(score, positive, repeats):
    """DeLong's formulas in fractions of Python's whole numbers."""
    rows = list(zip(score.tolist(), positive.tolist(), map(int, repeats), strict=True))
    sides = []
    for own in (True, False):
        others = [(s, r) for s, p, r in rows if p != own]
        total = sum(r for _, r in others)
        sign = 1 if own else -1
        sides.append(
            [
                (
                    Fraction(
                        sum(r * (2 * (sign * (s - t) > 0) + (s == t)) for t, r in others),
                        2 * total,
                    ),
                    w,
                )
                for s, p, w in rows
                if p == own
            ]
        )
    auc, variance = None, Fraction(0)
    for side in sides:
        size = sum(w for _, w in side)
        auc = sum(v * w for v, w in side) / size
        variance += sum(w * (v - auc) ** 2 for v, w in side) / (size - 1) / size
    return auc, variance


@pytest.mark.parametrize("most", [10**6, 10**12, 5 * 10**16])
def test_numbers_of_any_length_are_exact(most):
    """Products of counts far beyond 64 bits."""
    rng = np.random.default_rng(3)
    positive, scores, _ = cells(n=40, values=9)
    repeats = rng.integers(most // 2, most, 40)
    placements = PlacementValues(positive, scores, repeats=repeats)

    assert int(repeats.sum()) == placements.n
    for i, score in enumerate(scores):
        auc, variance = exact_auc_and_variance(score, positive, repeats)
        sums = placements.sums
        assert auc == Fraction(sums.totals[i], sums.total_of_one)
        assert variance == Fraction(sums.covariance[i][i], sums.scale)
        assert float(auc) == placements.aucs[i]
        assert float(variance) == placements.covariance[i, i]
    difference, spread = delong(placements), placements.covariance
    expected = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    assert expected == pytest.approx(difference.details["standard_error"] ** 2, rel=1e-9)


def test_too_many_records():
    """Counts of eight bytes hold fewer than 2**61 records."""
    with pytest.raises(ValueError, match=r"fewer than 2\*\*61"):
        PlacementValues([True, False], [[0, 1]], repeats=[1 << 60, 1 << 60])


def test_many_cells_in_several_blocks(monkeypatch):
    """Blocks of products do not change their sums, nor does the width of their parts."""
    counted, single = both(n=3000, values=97)
    monkeypatch.setattr("skcompare.evidence.ranking._ranks.BLOCK", 256)

    assert single.sums == counted.sums


def test_order_and_equal_rows_do_not_matter():
    """Cells are sorted and different, so that equal evidence is equal."""
    for seed in range(6):
        positive, scores, repeats = cells(seed, n=30)
        placements = PlacementValues(positive, scores, repeats=repeats)
        order = np.random.default_rng(seed).permutation(30)
        again = PlacementValues(positive[order], scores[:, order], repeats=repeats[order])
        assert placements == again
        assert hash(placements) == hash(again)
        assert (again.repeats > 0).all()

        twice = PlacementValues(
            np.tile(positive, 2),
            np.tile(scores, 2),
            repeats=np.concatenate([repeats, 0 * repeats]),
        )
        assert placements == twice
        for array in (twice.repeats, twice.scores, twice.positive):
            assert not array.flags.writeable


def test_shards_add_up():
    """Cells, records and both together give the cells of all records."""
    positive, scores, repeats = cells(4, n=40)
    some = np.arange(40) % 3 == 0
    every = PlacementValues(positive, scores, repeats=repeats)
    first = PlacementValues(positive[some], scores[:, some], repeats=repeats[some])
    rest = PlacementValues(positive[~some], scores[:, ~some], repeats=repeats[~some])
    at = np.repeat(np.flatnonzero(some), repeats[some])
    records = PlacementValues(positive[at], scores[:, at])

    assert every == first + rest == rest + first == sum([first, rest])
    assert every == records + rest == rest + records
    assert every != records
    assert every == pickle.loads(pickle.dumps(every))
    assert every == every.swap().swap()
    np.testing.assert_array_equal(every.aucs[::-1], every.swap().aucs)


def test_key_of_many_scores(monkeypatch):
    """Scores of many classifiers, of more combinations than a whole number holds."""
    monkeypatch.setattr("skcompare.evidence.ranking._cells.MOST_KEYS", 50)
    counted, single = both(8, k=5, n=60)

    assert single.sums == counted.sums
    assert (np.diff(counted.positive.astype(int)) >= 0).all()
    rows = np.vstack([counted.positive, counted.scores]).T.tolist()
    assert sorted(rows) == rows


def test_repeats_that_count_nothing():
    """Whole numbers of records, one at least in all."""
    for repeats, message in [
        ([1], r"shape \(n_samples=2,\)"),
        ([[1], [2]], r"of shape \(2, 1\)"),
        (5, r"of shape \(\)"),
        ([1.5, 2.0], "float64"),
        ([3, -1], "some below 0"),
        ([0, 0], "1 record at least"),
        ([True, False], "bool"),
    ]:
        with pytest.raises(ValueError, match=message):
            PlacementValues([True, False], [[0, 1]], repeats=repeats)


def test_what_needs_single_records_is_refused():
    """Values record by record, and groups."""
    counted, _ = both()
    with pytest.raises(ValueError, match="counted in cells"):
        counted.values(0)
    with pytest.raises(ValueError, match="have no groups"):
        counted.group_codes()
    with pytest.raises(ValueError, match="have no groups"):
        PlacementValues([True, False], [[0, 1]], groups=[1, 2], repeats=[3, 4])
    with pytest.raises(ValueError, match="one design"):
        counted + PlacementValues([True, False], [[0, 1]] * 2, list("ab"), groups=[1, 2])


def records(n=500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, rng.beta(1 + y, 2 - y), rng.random(n) * 8 // 1 + y


def test_few_different_scores_are_counted_exactly():
    """At most n_score_bins different scores are levels of their own."""
    y, _, few = records()
    single = PlacementValues.from_predictions(y, few, -few)
    counted = PlacementValues.from_predictions(y, few, -few, n_score_bins=9)

    assert single.sums == counted.sums
    assert counted.is_exact
    assert counted.score_bins is None
    assert not counted.auc_bounds.any()
    assert not counted.covariance_bounds.any()
    assert (0.0, 0.0, 0.0, 0.0) == counted.contrast_bounds()
    assert "n_cells=" in repr(counted)


def test_many_different_scores_are_put_into_levels():
    """Only those of the classifier that has many, by its own levels."""
    y, many, few = records()
    single = PlacementValues.from_predictions(y, many, few)
    counted = PlacementValues.from_predictions(y, many, few, n_score_bins=9)

    assert (9, None) == tuple(one.n_score_bins for one in counted.score_bins)
    assert not counted.is_exact
    assert single.aucs[1] == counted.aucs[1]
    assert [True, False] == (counted.auc_bounds > 0).tolist()
    codes = counted.score_bins[0].codes(many)
    expected = PlacementValues.from_predictions(y, codes, few)
    assert expected.sums == counted.sums


@pytest.mark.parametrize("most", [0, 1 << 22])
def test_counting_in_blocks(monkeypatch, most):
    """In a table of all cells, or by merging the cells of blocks."""
    monkeypatch.setattr("skcompare.evidence.ranking._cells.BLOCK", 64)
    monkeypatch.setattr("skcompare.evidence.ranking._cells.MOST_COUNTED", most)
    monkeypatch.setattr("skcompare.evidence.ranking._cells.SAMPLE", 100)
    y, many, few = records()
    score_bins = [ScoreBins.uniform(16), ScoreBins.uniform(8, 0, 9)]
    expected = PlacementValues(
        y,
        [level.codes(score) for level, score in zip(score_bins, (many, few), strict=True)],
        ["champion", "challenger"],
        repeats=np.ones(500, dtype=int),
        score_bins=score_bins,
    )

    counted = PlacementValues.from_predictions(
        np.where(y, "yes", "no"),
        many.tolist(),
        few[:, np.newaxis],
        pos_label="yes",
        names=["champion", "challenger"],
        score_bins=score_bins,
    )

    assert expected.sums == counted.sums
    np.testing.assert_array_equal(expected.repeats, counted.repeats)
    np.testing.assert_array_equal(expected.scores, counted.scores)
    assert "yes" == counted.pos_label
    assert PlacementValues.from_predictions(y, many, few, n_score_bins=16).n == 500


def test_counting_needs_little_memory(monkeypatch):
    """Blocks and cells, and nothing as long as the records."""
    monkeypatch.setattr("skcompare.evidence.ranking._cells.BLOCK", 1 << 13)
    monkeypatch.setattr("skcompare.evidence.ranking._cells.SAMPLE", 1 << 13)
    n = 1 << 19
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n, dtype=np.int8)
    scores = rng.random((2, n))
    tracemalloc.start()
    try:
        counted = PlacementValues.from_predictions(y, *scores, n_score_bins=64)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert n == counted.n
    assert peak < 4 * n


def test_streaming_with_fixed_levels():
    """Batches of the same levels give the cells of all records, to the last bit."""
    y, first, second = records()
    score_bins = [ScoreBins.fitted(first[:100], 32), ScoreBins.distinct()]
    every = PlacementValues.from_predictions(y, first, second, score_bins=score_bins)
    batches = [
        PlacementValues.from_predictions(
            y[at : at + 100],
            first[at : at + 100],
            second[at : at + 100],
            score_bins=score_bins,
        )
        for at in range(0, 500, 100)
    ]
    assert every == sum(batches)
    assert every == pickle.loads(pickle.dumps(every))
    assert score_bins[::-1] == list(every.swap().score_bins)
    np.testing.assert_allclose(every.auc_bounds, every.swap().auc_bounds[::-1], rtol=1e-12)

    raw = PlacementValues.from_predictions(y[:100], first[:100], second[:100])
    assert every == raw + sum(batches[1:])
    other = PlacementValues.from_predictions(
        y, first, second, score_bins=ScoreBins.uniform(32)
    )
    with pytest.raises(ValueError, match="Make ScoreBins once"):
        every + other
    assert every != other


def test_shard_of_one_class():
    """A block of one class needs the name of the other."""
    shard = PlacementValues.from_predictions(
        ["a"] * 4, [0, 1, 2, 3], pos_label="b", n_score_bins=8
    )
    assert (0, 4) == (shard.n_positives, shard.n_negatives)
    shard = PlacementValues.from_predictions(
        np.zeros(4), [0, 1, 2, 3], pos_label="b", n_score_bins=8
    )
    assert "b" == shard.pos_label


def test_options_that_contradict():
    """Refused, with what to do."""
    for options, message in [
        ({"n_score_bins": 4, "score_bins": ScoreBins.uniform(4)}, "only one"),
        ({"n_score_bins": 4, "groups": np.arange(500)}, "only one"),
        ({"n_score_bins": 0}, "n_score_bins"),
        ({"n_score_bins": 1 << 30}, "at most"),
        ({"score_bins": "uniform"}, "must be ScoreBins"),
        ({"score_bins": 512}, "a number of bins is `n_score_bins`"),
        ({"score_bins": [ScoreBins.uniform()] * 3}, "must be ScoreBins"),
        ({"n_score_bins": 4, "pos_label": 7}, "pos_label"),
    ]:
        y, first, second = records()
        with pytest.raises(ValueError, match=message):
            PlacementValues.from_predictions(y, first, second, **options)


def test_messages_name_positions_among_all_records(monkeypatch):
    """Not those of a block."""
    monkeypatch.setattr("skcompare.evidence.ranking._cells.BLOCK", 64)
    y, first, second = records()
    second[400] = np.nan
    with pytest.raises(ValueError, match=r"scores of classifier 2.* position 400"):
        PlacementValues.from_predictions(y, first, second, n_score_bins=4)
    truth = np.where(y, 1.0, 0.0)
    truth[300] = np.nan
    with pytest.raises(ValueError, match="position 300"):
        PlacementValues.from_predictions(truth, first, first, n_score_bins=4)
    with pytest.raises(ValueError, match="scores of classifier 2"):
        PlacementValues.from_predictions(y, first, first[:-1], n_score_bins=4)


@pytest.mark.parametrize("score", [[0.5, 1.0], [-1.0, 0.0], [0.0, 4.0]])
def test_scores_that_are_no_levels(score):
    """Levels are whole and below their number."""
    with pytest.raises(ValueError, match="must be bins from 0 to 3"):
        PlacementValues([True, False], [score], score_bins=ScoreBins.uniform(4))


def test_rows_of_levels_without_repeats():
    """One record a row."""
    placements = PlacementValues(
        [True, False, False], [[3, 0, 0]], score_bins=ScoreBins.uniform(4)
    )

    assert [2, 1] == placements.repeats.tolist()
