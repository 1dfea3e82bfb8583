"""Scores of two systems item by item: joined, averaged over attempts, checked."""

import pickle

import numpy as np
import pytest

from skcompare.predictions import ItemScores

pd = pytest.importorskip("pandas")

OLD = {"item": ["b", "a", "b", "c"], "score": [1, 0.5, 0, 1], "topic": list("xyxx")}
NEW = {"item": ["a", "c", "b"], "score": [1, 0.25, 0.5], "topic": list("yxx")}


def old(**columns):
    return pd.DataFrame(OLD | columns)


def new(**columns):
    return pd.DataFrame(NEW | columns)


def test_items_are_joined_by_their_ids():
    """Rows in any order; the score of an item is the mean of its attempts."""
    scores = ItemScores.from_frames(old(), new(), group="topic", columns=["topic"])

    assert ["a", "b", "c"] == scores.items.tolist()
    assert [0.5, 0.5, 1] == scores.champion.tolist()
    assert [1, 0.5, 0.25] == scores.challenger.tolist()
    assert [[1, 1], [2, 1], [1, 1]] == scores.attempts.tolist()
    assert ["y", "x", "x"] == scores.groups.tolist()
    assert ["y", "x", "x"] == scores.columns["topic"].tolist()
    assert (3, 2, (4, 3)) == (scores.n, scores.n_groups, scores.n_attempts)
    assert "grouped holdout" == scores.design.name
    assert scores.means == pytest.approx((2 / 3, 1.75 / 3))
    assert [0.5, 0, -0.75] == scores.differences.tolist()


def test_order_of_rows_does_not_matter():
    """Not even by rounding: the same value comes from any order of the rows."""
    rng = np.random.default_rng(0)
    item, score = np.repeat(np.arange(40), 7), rng.random((2, 280))
    expected = ItemScores.from_scores(*score, items=item, groups=item // 3)
    one, two = rng.permutation(280), rng.permutation(280)
    shuffled = ItemScores.from_scores(
        score[0, one],
        score[1, two],
        champion_items=item[one],
        challenger_items=item[two],
        groups=item[one] // 3,
    )

    assert expected == shuffled
    assert hash(expected) == hash(shuffled)
    assert expected.fingerprint == expected.swap().fingerprint
    assert expected.fingerprint != expected.subset(expected.items > 0).fingerprint


def test_files_of_all_kinds(tmp_path):
    """JSON lines, CSV and frames give the same scores; ids are compared as written."""
    one, two = (
        {"item": [1, 2, 3], "score": [1, 0, 1]},
        {"item": [3, 1, 2], "score": [0] * 3},
    )
    expected = ItemScores.from_frames(pd.DataFrame(one), pd.DataFrame(two))
    for name, write in (
        ("x.jsonl", lambda f, p: f.to_json(p, orient="records", lines=True)),
        ("x.csv", lambda f, p: f.to_csv(p, index=False)),
    ):
        first, second = str(tmp_path / f"old-{name}"), str(tmp_path / f"new-{name}")
        write(pd.DataFrame(one), first)
        write(pd.DataFrame(two), second)
        found = ItemScores.from_frames(first, second)
        assert (first, second) == found.names
        assert expected.champion.tolist() == found.champion.tolist()
        mixed = ItemScores.from_frames(first, pd.DataFrame(two))
        assert [0, 0, 0] == mixed.challenger.tolist()


def test_two_columns_of_one_frame():
    """One frame may have the scores of both, and then names them by its columns."""
    frame = pd.DataFrame({"id": [1, 1, 2], "s": [True, False, True], "t": [1, 1, 0]})
    scores = ItemScores.from_frames(frame, score=("s", "t"), item="id")

    assert ("s", "t") == scores.names
    assert [0.5, 1] == scores.champion.tolist()
    assert [1, 0] == scores.challenger.tolist()


def test_a_column_of_one_frame_only():
    """What one frame says of an item the other need not repeat, whichever it is."""
    for frames in (
        (old(), new().drop(columns="topic")),
        (new().drop(columns="topic"), old()),
    ):
        assert ["y", "x", "x"] == ItemScores.from_frames(
            *frames, group="topic"
        ).groups.tolist()


def test_pairs_of_scores_need_no_items():
    """Without items each pair of scores is one."""
    scores = ItemScores.from_scores([True, False], [1, 1], names=("a", "b"), bounds=(0, 1))

    assert [0, 1] == scores.items.tolist()
    assert scores.right_or_wrong
    assert (0, 1) == scores.bounds


@pytest.mark.parametrize(
    ("champion", "challenger", "items", "expected"),
    [
        ([0, 1], [1, 1], None, True),
        ([0, 0.5], [1, 1], None, False),
        ([0, 0, 1], [1, 1, 1], [1, 1, 2], False),
    ],
)
def test_right_or_wrong(champion, challenger, items, expected):
    """Rightly or wrongly predicted are items with one attempt each that score 0 or 1."""
    scores = ItemScores.from_scores(champion, challenger, items=items)

    assert expected is scores.right_or_wrong


def test_equal_attempts_have_their_score_as_mean():
    """Three times 0.1 is 0.1, and not beside it by rounding."""
    scores = ItemScores.from_scores([0.1] * 3, [0.1] * 3, items=[1, 1, 1])

    assert [0.1] == scores.champion.tolist()


def test_subset_swap_and_pickle():
    """Slices keep what belongs to their items; swapping twice changes nothing."""
    scores = ItemScores.from_frames(old(), new(), group="topic", columns=["topic"])
    part = scores.subset(scores.columns["topic"] == "x")

    assert ["b", "c"] == part.items.tolist()
    assert ["x", "x"] == part.columns["topic"].tolist() == part.groups.tolist()
    assert [[2, 1], [1, 1]] == part.attempts.tolist()
    assert scores.swap().differences.tolist() == (-scores.differences).tolist()
    assert scores == scores.swap().swap() == pickle.loads(pickle.dumps(scores))
    assert scores != part
    assert scores != "scores"
    assert "ItemScores(n=2, attempts=(1 to 2, 1), n_groups=1" in repr(part)
    with pytest.raises(ValueError, match="read-only"):
        scores.champion[0] = 1


def test_bad_slices():
    """A slice is chosen by True and False, and has an item."""
    scores = ItemScores.from_scores([0, 1], [1, 1])

    with pytest.raises(ValueError, match="must be True or False for each of 2 items"):
        scores.subset([0, 1])
    with pytest.raises(ValueError, match="At least one of 2 items must be kept"):
        scores.subset([False, False])


def test_what_cannot_be_compared():
    """One clear message for each fault."""
    for columns, words, message in [
        ({"item": ["a", "c", "d"]}, {}, r"frame lacks 1 of them \('b'\) and .* \('d'\)"),
        ({"item": [1, 2, 3]}, {}, r"lacks 3 of them \('a', 'b', 'c'\)"),
        (
            {"item": [None, "b", "c"]},
            {},
            "`item` must not have missing .* of the challenger's frame",
        ),
        ({"score": [1, None, 0]}, {}, "`score` must not have .* of the challenger's frame"),
        (
            {"score": [1, np.inf, 0]},
            {},
            r"finite scores.* Got 1 others.* position 1 \(inf\)",
        ),
        ({"score": [1, 1e200, 0]}, {}, r"size of at most 1e\+140"),
        (
            {"score": ["C", "I", "C"]},
            {},
            "Write 1 for a correct prediction and 0 for a wrong",
        ),
        ({"score": [1, 2, 0]}, {"bounds": (0, 1)}, r"from 0 to 1.* position 1 \(2\)"),
        ({}, {"bounds": (1, 0)}, "`bounds` must be two finite numbers"),
        ({}, {"bounds": 1}, "`bounds` must be two finite numbers"),
        ({}, {"names": ["a"]}, "`names` must be two names"),
        ({}, {"group": "nothing"}, "Unknown column 'nothing'"),
        ({}, {"score": "nothing"}, "Unknown column 'nothing'"),
        ({}, {"score": ("a", "b", "c")}, "`score` must be a column, or a pair"),
        ({}, {"score": "item"}, "must be in a column of their own"),
        ({"topic": list("xxx")}, {"group": "topic"}, r"1 items that differ: 'a' has 'y'"),
    ]:
        with pytest.raises(ValueError, match=message):
            ItemScores.from_frames(old(), new(**columns), **words)


def test_group_that_is_not_one_for_an_item():
    """All rows of an item are of one group."""
    with pytest.raises(ValueError, match="item 'b' has 'x' and 'z'"):
        ItemScores.from_frames(old(topic=list("xyzx")), new(), group="topic")


def test_attempts_tell_repeated_rows():
    """With a column of attempts a row that is there twice is refused."""
    first, second = old(n=[1, 1, 2, 1]), new(n=[1, 1, 1])

    assert 3 == ItemScores.from_frames(first, second, attempt="n").n
    again = pd.concat([first, first.iloc[:1]])
    with pytest.raises(ValueError, match=r"one more often for 1 of them \('b'\)"):
        ItemScores.from_frames(again, second, attempt="n")


def test_one_column_against_itself():
    """The same scores on both sides are refused."""
    frame = old()

    with pytest.raises(ValueError, match="must be two columns of scores"):
        ItemScores.from_frames(frame, frame)
    with pytest.raises(ValueError, match="must be two columns of scores"):
        ItemScores.from_frames(frame)


def test_bad_arrays():
    """What is no score, and what does not fit together, is refused."""
    for scores, words, message in [
        (([1, 0], [1]), {}, "`challenger` must have one entry for each of 2 others"),
        (([], []), {}, "at least one row"),
        (([[1, 0]], [[1, 1]]), {}, "one score per row"),
        (([1, None], [1, 0]), {}, "must have a value in every row.* position 1"),
        (([1, "0"], [1, 0]), {}, "scores that are numbers"),
        (([1, 0], [1, 0]), {"items": [1]}, "`items` must have one entry for each of 2"),
        (
            ([1, 0], [1, 0]),
            {"items": ["a", None]},
            "`items` must have a value in every row",
        ),
        (([1, 0], [1, 0]), {"items": ["a", 1]}, "values of one type"),
        (([1, 0], [1, 0]), {"items": [[1], [2]]}, "one value per row"),
        (([1, 0], [1, 0]), {"groups": [1]}, "`groups` must have one entry"),
        (([1, 0], [1, 0]), {"champion_items": [1, 2]}, "both `champion_items` and"),
        (([1, 0], [1, 0]), {"items": [1, 2], "champion_items": [1, 2]}, "Pass `items`"),
        (([1, 0], [1, 0]), {"items": [1j, 2]}, "numbers, dates or text"),
    ]:
        with pytest.raises(ValueError, match=message):
            ItemScores.from_scores(*scores, **words)


def test_bad_values():
    """The value checks what it is made of."""
    for words, message in [
        ({"items": [1, 1]}, "Each of `items` must occur once"),
        ({"attempts": [[1, 0], [1, 1]]}, "`attempts` must be whole numbers"),
        ({"attempts": [1, 1]}, "`attempts` must be whole numbers"),
        ({"groups": [1]}, "`groups` must have one entry"),
        ({"columns": {"topic": [1]}}, "`topic` must have one entry"),
        ({"champion": [1]}, "`champion` must have one entry"),
    ]:
        values = {"items": [1, 2], "champion": [1, 0], "challenger": [0, 1]}

        with pytest.raises(ValueError, match=message):
            ItemScores(**values | words)
