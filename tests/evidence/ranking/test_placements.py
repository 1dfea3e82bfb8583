"""Placement values of scores."""

import pickle
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skcompare._core.design import Design
from skcompare.evidence import PlacementValues
from skcompare.evidence.ranking import _ranks as ranks
from skcompare.predictions import EstimatorPredictions, Predictions


def compared(score, positive):
    """Twice the records of the other class that each record outranks, pair by pair."""
    above = 2 * (score[:, None] > score[None, :]) + (score[:, None] == score[None, :])
    return np.where(positive, above[:, ~positive].sum(1), above[positive].sum(0))


def sample(seed=0, n=60, k=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    y[:4] = 0, 1, 0, 1
    return y, rng.normal(size=(k, n)) + y


def awkward_scores(rng, n):
    """Scores that are hard to order: near, far, tied, tiny, of both signs."""
    yield rng.normal(size=n)
    yield np.round(rng.normal(size=n), 1)
    yield rng.choice([-1e308, 1e308, 0.0, -0.0, 5e-324, -5e-324, 1e-310], n)
    yield 1 + rng.integers(0, 5, n) * np.spacing(1.0)
    yield -1 - rng.integers(0, 5, n) * np.spacing(1.0)
    yield rng.random(n) * 10.0 ** rng.integers(-300, 300, n)
    yield rng.choice([-np.inf, -1.0, 2.0, np.inf], n)
    yield rng.random(n).astype(np.float32).astype(np.float64)
    yield np.zeros(n)


def test_counts_are_those_of_all_pairs():
    """Each record is counted against every record of the other class, ties half."""
    rng = np.random.default_rng(0)
    for n in (2, 3, 7, 40):
        for _ in range(8):
            for score in awkward_scores(rng, n):
                positive = rng.random(n) < 0.4
                counts, distinct = ranks.placement_counts(score, positive)

                np.testing.assert_array_equal(compared(score, positive), counts)
                assert len(np.unique(score)) == distinct


def test_scores_that_differ_in_their_last_bits():
    """Many scores share all bits that fit beside the position, and are distinguished."""
    rng = np.random.default_rng(1)
    n = 1 << 17
    score = 1 + rng.integers(0, 1 << 20, n) * np.spacing(1.0)
    # The ends make the scores span all exponents, so that most bits have no room.
    score[:2] = -1e300, 1e300
    positive = rng.random(n) < 0.3
    below = np.searchsorted(np.sort(score[~positive]), score[positive])
    upto = np.searchsorted(np.sort(score[~positive]), score[positive], side="right")

    counts, distinct = ranks.placement_counts(score, positive)

    np.testing.assert_array_equal(below + upto, counts[positive])
    assert np.unique(score).size == distinct


def counts_by_search(score, positive):
    """Twice the records of the other class that each record outranks, by bisection."""
    counts = np.empty(len(score), dtype=np.int64)
    for own, sign in ((positive, 1), (~positive, -1)):
        others = np.sort(sign * score[~own])
        sides = (
            np.searchsorted(others, sign * score[own], side=s) for s in ("left", "right")
        )
        counts[own] = sum(sides)
    return counts


def test_many_scores_are_counted_into_steps():
    """Whatever the scores: even steps, all in one step, or too far apart for steps."""
    rng = np.random.default_rng(3)
    n = ranks.COUNTED + 7
    outlying = rng.normal(size=n)
    outlying[5] = 1e300
    some = (*awkward_scores(rng, n), outlying, -np.abs(outlying), np.arange(n, 0.0, -1))
    denormal = rng.integers(-9, 9, n) * 5e-324
    for score in (*some, denormal):
        positive = rng.random(n) < 0.4
        counts, distinct = ranks.placement_counts(score, positive)

        np.testing.assert_array_equal(counts_by_search(score, positive), counts)
        assert len(np.unique(score)) == distinct


@pytest.mark.parametrize("n_different", [2, 300, 60_000])
def test_ties_in_several_blocks(n_different):
    """Runs of ties that are few and long, or many and short."""
    rng = np.random.default_rng(5)
    score = rng.integers(0, n_different, 3 * ranks.BLOCK).astype(float)
    positive = rng.random(len(score)) < 0.3

    counts, distinct = ranks.placement_counts(score, positive)

    np.testing.assert_array_equal(counts_by_search(score, positive), counts)
    assert np.unique(score).size == distinct


def test_steps_tell_most_scores_apart():
    """Scores of any spread fall into many steps, which keep their order."""
    for transform in [
        lambda s: s,
        np.exp,
        lambda s: np.sinh(20 * s),
        lambda s: -np.exp(9 * s),
    ]:
        score = transform(np.random.default_rng(4).normal(size=4 * ranks.COUNTED))
        packed, _ = ranks._packed(score)

        steps = ranks._steps(packed, score)

        assert (np.diff(steps[np.argsort(score)]) >= 0).all()
        assert len(np.unique(steps)) > ranks.COUNTED // 10
        np.testing.assert_array_equal(np.sort(packed), ranks._sorted(packed.copy(), score))


def test_one_score_at_a_time_and_two_at_a_time():
    """Threads change nothing."""
    rng = np.random.default_rng(2)
    n = ranks.SIDE_BY_SIDE + 5
    scores, positive = rng.normal(size=(3, n)), rng.random(n) < 0.5

    counts, distinct = ranks.placement_counts_of(scores, positive)

    for score, row, number in zip(scores, counts, distinct, strict=True):
        expected, own = ranks.placement_counts(score, positive)
        np.testing.assert_array_equal(expected, row)
        assert own == number


def test_placements_of_one_score():
    """Values in the order of the records of each class, and their mean."""
    y, (score, _) = sample()
    positive = y == 1
    psi = (score[positive][:, None] > score[~positive]) + 0.5 * (
        score[positive][:, None] == score[~positive]
    )

    placements = PlacementValues(positive, [score])
    v10, v01 = placements.values(0)

    np.testing.assert_allclose(psi.mean(axis=1), v10, rtol=1e-15)
    np.testing.assert_allclose(psi.mean(axis=0), v01, rtol=1e-15)
    assert [psi.mean()] == pytest.approx(placements.aucs, rel=1e-15)


def test_auc_is_that_of_scikit_learn():
    """The area under the curve by trapezoids, ties and all."""
    for seed in range(5):
        y, scores = sample(seed)
        scores[1] = np.round(scores[1])
        placements = PlacementValues.from_predictions(y, *scores)

        expected = [roc_auc_score(y, score) for score in scores]
        assert expected == pytest.approx(placements.aucs.tolist(), rel=1e-14)


def test_covariance_is_that_of_all_pairs():
    """By the matrix of all comparisons, as DeLong et al. (1988) write it."""
    for seed in range(20):
        y, scores = sample(seed, n=25, k=3)
        scores[2] = np.round(scores[2])
        positive = y == 1
        v10, v01 = [], []
        for score in scores:
            one, other = score[positive][:, None], score[~positive][None, :]
            psi = (one > other) + 0.5 * (one == other)
            v10.append(psi.mean(axis=1))
            v01.append(psi.mean(axis=0))
        expected = np.cov(v10) / positive.sum() + np.cov(v01) / (~positive).sum()

        placements = PlacementValues.from_predictions(y, *scores)

        np.testing.assert_allclose(expected, placements.covariance, rtol=1e-11, atol=1e-16)
        for i, (values, others) in enumerate(zip(v10, v01, strict=True)):
            np.testing.assert_allclose(values, placements.values(i)[0], rtol=1e-14)
            np.testing.assert_allclose(others, placements.values(i)[1], rtol=1e-14)


def test_products_of_influence_are_the_covariance():
    """With another number of units the divisors of both classes change."""
    y, scores = sample(3)
    placements = PlacementValues(y == 1, scores)

    influence = placements.influence()
    of_groups = placements.influence((2, 3))

    np.testing.assert_allclose(influence @ influence.T, placements.covariance, rtol=1e-12)
    assert influence.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
    for side, units in ((y == 1, 2), (y == 0, 3)):
        n = side.sum()
        ratio = np.sqrt(units / (units - 1) * (n - 1) / n)
        np.testing.assert_allclose(of_groups[:, side], influence[:, side] * ratio)
    assert np.isnan(placements.influence((1, 3))[:, y == 1]).all()


def test_cells_have_no_influence_of_records():
    cells = PlacementValues([False, True], [[0.0, 1.0]], repeats=[2, 3])

    with pytest.raises(ValueError, match="influence of single records is not known"):
        cells.influence()


def test_sums_are_exact_whatever_the_order():
    """Sums are whole numbers: another order of the records gives the same, bit for bit."""
    y, scores = sample(n=5000)
    order = np.random.default_rng(1).permutation(len(y))

    one = PlacementValues.from_predictions(y, *scores)
    other = PlacementValues.from_predictions(y[order], *scores[:, order])

    assert one.sums == other.sums
    inside = [
        [sum(int(a) * int(b) for a, b in zip(r, s, strict=True)) for s in rows]
        for rows in [one.counts[:, one.positive]]
        for r in rows
    ]
    m, n = one.n_positives, one.n_negatives
    u = [sum(map(int, row[one.positive])) for row in one.counts]
    outside = [
        [sum(int(a) * int(b) for a, b in zip(r, s, strict=True)) for s in rows]
        for rows in [one.counts[:, ~one.positive]]
        for r in rows
    ]
    expected = [
        [
            (m * inside[i][j] - u[i] * u[j]) * (n - 1)
            + (n * outside[i][j] - u[i] * u[j]) * (m - 1)
            for j in range(2)
        ]
        for i in range(2)
    ]
    assert expected == [list(row) for row in one.sums.covariance]


def test_monotone_transforms_leave_every_bit():
    """Only the order of the scores counts."""
    y, (score, _) = sample()
    transforms = (score, 3 * score - 1, np.exp(score), np.arctan(score), score**3)

    placements = PlacementValues.from_predictions(y, *transforms)

    for row in placements.counts[1:]:
        np.testing.assert_array_equal(placements.counts[0], row)


def test_direction_is_never_guessed():
    """A score that ranks the wrong way round has an AUC below a half."""
    y, (score, _) = sample()
    placements = PlacementValues.from_predictions(y, score, -score)

    assert placements.aucs[0] > 0.5
    assert 1 == pytest.approx(placements.aucs.sum())
    np.testing.assert_array_equal(
        PlacementValues.from_predictions(y, score, pos_label=0).aucs,
        PlacementValues.from_predictions(y, -score).aucs,
    )


def test_positive_class():
    """Class 1 is positive unless another is named."""
    for y, pos_label, expected in [
        ([0, 1, 1], None, [False, True, True]),
        ([False, True, True], None, [False, True, True]),
        ([0, 1, 1], 0, [True, False, False]),
        (["ham", "spam", "spam"], "spam", [False, True, True]),
        ([-1, 1, 1], None, [False, True, True]),
        ([1, 2, 2], 2, [False, True, True]),
        ([0, 0, 0], 1, [False, False, False]),
    ]:
        placements = PlacementValues.from_predictions(y, [1, 2, 3], pos_label=pos_label)

        assert expected == placements.positive.tolist()


def test_refused_records():
    """What is wrong with labels, groups or names is said."""
    for y, options, message in [
        (["a", "b", "b"], {}, "Say which of 'a', 'b' is the positive class"),
        ([0, 1, 2], {}, "needs two classes. Got 3"),
        ([0, 1, 1], {"pos_label": 5}, "must be one of two classes. Got 5"),
        ([0, 1], {}, "All arrays must have one entry per record"),
        ([0, 1, np.nan], {}, "must not have missing labels"),
        (
            [0, 1, 1],
            {"groups": [1, 2]},
            r"`groups` must have shape \(n_samples=3,\). Got \(2",
        ),
        ([0, 1, 1], {"names": ["a", "b"]}, "`names` must be 1 different strings"),
    ]:
        with pytest.raises(ValueError, match=message):
            PlacementValues.from_predictions(y, [1, 2, 3], **options)


def test_refused_scores():
    """A score that cannot be ordered as it was given is refused."""
    for score, message in [
        ([1, np.nan, 2], "must be finite. Got nan at position 1"),
        ([np.inf, 1, 2], "must be finite. Got inf at position 0"),
        ([1, None, 2], "must be finite. Got nan at position 1"),
        (["a", "b", "c"], "must be numbers, greater for the positive class"),
        ([1, 2, "c"], "Got 'c' at position 2"),
        ([1j, 2, 3], "Got dtype complex"),
        ([[1, 2], [3, 4], [5, 6]], r"shape \(n_samples,\). Got \(3, 2\)"),
        ([2**53, 2**53 + 1, 0], "9007199254740993 that float64 rounds"),
        (np.array([1, 2, 2**64 - 1], dtype=np.uint64), "that float64 rounds"),
        ([Decimal("0.1"), Decimal("0.2"), Decimal("0.3")], "that float64 rounds"),
    ]:
        with pytest.raises(ValueError, match=message):
            PlacementValues.from_predictions([0, 1, 1], score)


def test_scores_of_any_type():
    """Integers, short floats and columns are scores; huge ones do not overflow."""
    for score in [
        np.array([1, 3, 2], dtype=np.int8),
        np.array([1, 3, 2], dtype=np.float32),
        np.array([1, 3, 2], dtype=np.float16),
        [2**53, 2**60, 2**54],
        np.array([0, 2**63, 2**62], dtype=np.uint64),
        [-1e308, 1e308, 0.0],
        [[1.0], [3.0], [2.0]],
        [Decimal(1), Decimal(3), Decimal(2)],
    ]:
        placements = PlacementValues.from_predictions([0, 1, 1], score)

        assert [1.0] == placements.aucs.tolist()
        assert [[4, 2, 2]] == placements.counts.tolist()


def test_one_class_is_an_error_where_an_auc_is_requested_for():
    """A shard may lack a class; an AUC may not."""
    only = PlacementValues.from_predictions([0, 0], [1, 2], pos_label=1)
    for ask in ("aucs", "counts", "covariance", "n_distinct"):
        with pytest.raises(ValueError, match=r"needs records of both classes. Got 2 neg"):
            getattr(only, ask)

    assert [1.0] == (
        only + PlacementValues.from_predictions([1], [3], pos_label=1)
    ).aucs.tolist()


def test_one_record_of_a_class_has_an_auc_without_variance():
    """The AUC is defined, its variance is not."""
    placements = PlacementValues.from_predictions([0, 1, 0, 0], [1, 3, 4, 2])

    assert [2 / 3] == placements.aucs.tolist()
    assert np.isnan(placements.covariance).all()


def test_merged_shards_are_ranked_anew():
    """Shards give what all records give, whatever the order of the shards."""
    y, scores = sample(n=90)
    groups = np.arange(90) % 7
    whole = PlacementValues.from_predictions(y, *scores, groups=groups)
    shards = [
        PlacementValues.from_predictions(
            y[part], *scores[:, part], groups=groups[part], pos_label=1
        )
        for part in (slice(0, 30), slice(30, 31), slice(31, 90))
    ]

    assert whole == sum(shards)
    assert whole.sums == sum(shards[::-1]).sums
    assert 7 == whole.n_groups
    np.testing.assert_array_equal(groups, whole.group_codes())


def test_shards_that_do_not_go_together():
    """Names, positive class, design and groups must agree."""
    for changes, message in [
        ({"names": ("x", "y")}, "same classifiers"),
        ({"pos_label": "spam"}, "same positive class"),
        ({"design": Design("kfold")}, "of one design"),
        ({"groups": np.arange(60)}, "Only one of the shards has groups"),
    ]:
        y, scores = sample()
        one = PlacementValues.from_predictions(y, *scores)

        with pytest.raises(ValueError, match=message):
            one + replace(one, **{"design": one.design, **changes})
        with pytest.raises(TypeError):
            one + 1


def test_groups_of_different_types_do_not_merge():
    """A group called "1" is not group 1."""
    y, scores = sample()
    numbers = PlacementValues.from_predictions(y, *scores, groups=np.arange(60))
    words = PlacementValues.from_predictions(y, *scores, groups=["a"] * 60)

    with pytest.raises(ValueError, match="labels of one type"):
        numbers + words


def test_evidence_is_frozen():
    """Arrays are copies and read-only, also after pickling; the input is left alone."""
    y, scores = sample()
    before = scores.copy()
    placements = PlacementValues.from_predictions(y, *scores, groups=np.arange(60))
    placements.covariance  # noqa: B018
    again = pickle.loads(pickle.dumps(placements))

    scores[0, 0] = 99.0
    assert before[0, 0] == placements.scores[0, 0]
    assert placements == again
    assert hash(placements) == hash(again)
    for one in (placements, again):
        for array in (one.positive, one.scores, one.groups, one.counts):
            assert not array.flags.writeable
    assert "n_groups=60" in repr(placements)
    zero, minus = (PlacementValues.from_predictions([0, 1], [s, 1]) for s in (0.0, -0.0))
    assert zero == minus
    assert hash(zero) == hash(minus)
    assert placements != placements.swap()
    assert placements == placements.swap().swap()


def test_constructor_checks():
    """Scores and marks made by hand are checked as well."""
    with pytest.raises(ValueError, match="`positive` must be True or False"):
        PlacementValues([0, 2], [[1, 2]])
    with pytest.raises(ValueError, match=r"Got a row of 3"):
        PlacementValues([0, 1], [[1, 2, 3]])
    with pytest.raises(ValueError, match=r"at least. Got"):
        PlacementValues([], [[]])
    with pytest.raises(ValueError, match="one classifier at least"):
        PlacementValues.from_predictions([0, 1])
    with pytest.raises(ValueError, match="The records have no groups"):
        PlacementValues([0, 1], [[1, 2]]).group_codes()


def pair_of(champion, challenger, classes=("ant", "bee"), **settings):
    y = np.array([0, 1, 0, 1, 1])
    predictions = (
        EstimatorPredictions("A", "A", **champion),
        EstimatorPredictions("B", "B", **challenger),
    )
    return Predictions(np.array(classes), y, predictions, **settings).pair("A", "B")


def test_predictions_of_a_pair():
    """Probabilities of the positive class, else decision scores of the second class."""
    proba = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.7, 0.3], [0.1, 0.9]])
    decision = np.array([-2.0, 1.0, 0.5, -0.1, 3.0])
    pair = pair_of({"proba": proba}, {"decision": decision})

    placements = PlacementValues.from_pair(pair)
    first = PlacementValues.from_pair(pair, pos_label="ant")

    np.testing.assert_array_equal([proba[:, 1], decision], placements.scores)
    np.testing.assert_array_equal([proba[:, 0], -decision], first.scores)
    assert ("A", "B") == placements.names
    assert ("bee", "ant") == (placements.pos_label, first.pos_label)
    np.testing.assert_allclose(placements.aucs, first.aucs, rtol=1e-15)
    wide = pair_of({"proba": proba}, {"decision": np.c_[-decision, decision]})
    np.testing.assert_array_equal(placements.scores, PlacementValues.from_pair(wide).scores)


def test_pair_of_several_test_sets():
    """Each prediction is about the record behind it, and in its group."""
    decision = np.array([1.0, 2.0, 3.0])
    pair = pair_of(
        {"decision": decision},
        {"decision": -decision},
        records=np.array([4, 0, 1]),
        groups=np.array([7, 8, 7, 8, 9]),
    )

    placements = PlacementValues.from_pair(pair)

    assert [True, False, True] == placements.positive.tolist()
    assert [9, 7, 8] == placements.groups.tolist()


def test_pair_without_scores():
    """A classifier of labels has no ranking."""
    pair = pair_of({"labels": np.zeros(5, int)}, {"decision": np.zeros(5)})
    with pytest.raises(ValueError, match="The predictions of A have no scores"):
        PlacementValues.from_pair(pair)
    with pytest.raises(ValueError, match=r"need two classes. Got 3"):
        PlacementValues.from_pair(pair_of({}, {}, classes=("a", "b", "c")))
