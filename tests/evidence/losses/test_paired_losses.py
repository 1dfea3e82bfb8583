"""Paired losses: how they are made, merged, and what is left of them in floating point."""

import itertools
import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from skcompare.evidence import PairedLosses
from skcompare.evidence.losses._record_losses import log
from skcompare.predictions import predictions_from_arrays

FIELDS = (
    "champion",
    "challenger",
    "gain",
    "champion_squares",
    "challenger_squares",
    "gain_squares",
    "products",
)


def random_losses(seed, n=50, groups=False, offset=0.0):
    rng = np.random.default_rng(seed)
    first, second = offset + rng.random((2, n))
    labels = rng.integers(7, size=n) if groups else None
    return PairedLosses.from_losses(first, second, labels)


def exact_moments(losses):
    """The moments in rational numbers."""
    a, b = ([Fraction(x) for x in values.tolist()] for values in losses.values)
    d = [x - y for x, y in zip(a, b, strict=True)]
    n = len(a)
    means = [sum(each) / n for each in (a, b, d)]
    rest = [[x - m for x in each] for each, m in zip((a, b, d), means, strict=True)]
    squares = [sum(x * x for x in each) for each in rest]
    products = sum(x * y for x, y in zip(*rest[:2], strict=True))
    return [float(value) for value in (*means, *squares, products)]


def moments_of(losses):
    return [getattr(losses.moments, name) for name in FIELDS]


# ------------------------------------------------------- moments


def test_extreme_differences(tmp_path):
    """Smallest and largest difference of all shards, also exchanged and stored."""
    parts = [random_losses(seed, n) for seed, n in enumerate((1, 40, 20_000))]
    merged = sum(parts)
    gains = merged.differences
    expected = gains.min(), gains.max()
    merged.save(tmp_path / "x.json")

    assert expected == merged.moments.extremes
    assert (-expected[1], -expected[0]) == merged.swap().moments.extremes
    assert expected == PairedLosses.load(tmp_path / "x.json").moments.extremes
    share = ((gains - gains.mean()) ** 2).max() / (len(gains) * gains.var())
    assert share == pytest.approx(merged.moments.largest_share, rel=1e-12)
    assert math.isnan(parts[0].moments.largest_share)


def test_extremes_of_sums_are_unknown():
    """Moments from elsewhere have none, nor has what they are merged with."""
    known = random_losses(0)
    sums = PairedLosses.from_moments(9, (1, 2), variances=(1, 1), covariance=0)

    for losses in (sums, sums + known, known + sums.swap()):
        assert losses.moments.extremes is None
        assert math.isnan(losses.moments.largest_share)


def test_moments_by_exact_arithmetic():
    """Means and sums of squares to the last digits, even of losses of 1e8 and a little."""
    for offset, n in itertools.product([0.0, 1e8], [1, 2, 50]):
        losses = random_losses(1, n, offset=offset)

        assert exact_moments(losses) == pytest.approx(
            moments_of(losses), rel=1e-12, abs=1e-300
        )


def test_merged_moments():
    """Shards have the moments of all records, however they are cut."""
    for offset, cut in itertools.product([0.0, 1e8], [1, 20, 49]):
        whole = random_losses(2, offset=offset)
        first, second = (
            PairedLosses.from_losses(*whole.values[:, part])
            for part in (slice(cut), slice(cut, None))
        )
        expected = exact_moments(whole)

        assert expected == pytest.approx(moments_of(first + second), rel=1e-12)
        assert expected == pytest.approx(moments_of(second + first), rel=1e-12)


def test_many_shards():
    """A sum of shards of one record each is the evidence of all of them."""
    whole = random_losses(3, groups=True)
    codes = whole.groups.labels[whole.groups.codes]
    shards = [
        PairedLosses.from_losses(*whole.values[:, [i]], codes[[i]]) for i in range(whole.n)
    ]

    together = sum(shards)

    assert moments_of(whole) == pytest.approx(moments_of(together), rel=1e-12)
    assert whole.values.tolist() == together.values.tolist()
    assert whole.groups.labels.tolist() == together.groups.labels.tolist()
    assert whole.groups.codes.tolist() == together.groups.codes.tolist()
    assert whole.groups.gains == pytest.approx(together.groups.gains, rel=1e-12)


def test_long_losses_in_parts():
    """Moments that are computed part by part are those of numpy."""
    losses = random_losses(4, 50_000)
    a, b = losses.values

    assert (a.mean(), b.mean()) == pytest.approx(losses.means, rel=1e-12)
    assert np.cov(a, b)[0, 1] == pytest.approx(losses.moments.products / 49_999, rel=1e-9)
    assert np.std(a - b, ddof=1) == pytest.approx(losses.moments.gain_deviation, rel=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e8])
def test_long_losses_in_longer_floats(offset):
    """Parts whose means are large relative to their variation lose no digits either."""
    losses = random_losses(5, 20_000, offset=offset)
    a, b = losses.values.astype(np.longdouble)
    rest = np.stack([a, b, a - b])
    means = rest.mean(axis=1)
    rest -= means[:, None]
    expected = [*map(float, [*means, *(rest**2).sum(axis=1), (rest[0] * rest[1]).sum()])]

    assert expected == pytest.approx(moments_of(losses), rel=1e-11)
    alone = PairedLosses.from_losses(*losses.values, keep_values=False)
    assert losses.moments == alone.moments
    assert alone.values is None


def test_bad_losses_of_long_arrays():
    """One loss that is too large, or missing, is found among many records."""
    for bad in (1e141, np.inf, np.nan):
        second = np.random.default_rng(6).random(20_000)
        second[17_000] = bad

        with pytest.raises(ValueError, match=r"`challenger` .* first at position 17000"):
            PairedLosses.from_losses(np.zeros(20_000), second)
    y, wrong = np.zeros(40_000, dtype=int), np.zeros(40_000)
    y[[0, 39_000]], wrong[0] = 1, 0.5
    with pytest.raises(ValueError, match=r"'log_loss.* first at position 39000"):
        PairedLosses.from_predictions(y, wrong / 2, wrong, loss="log_loss", eps=0)


def test_moments_of_a_publication():
    """Variances of the losses with their covariance, or with that of the differences."""
    losses = random_losses(5)
    a, b = losses.values
    given = {"variances": (a.var(ddof=1), b.var(ddof=1))}

    by_covariance = PairedLosses.from_moments(
        50, losses.means, covariance=np.cov(a, b)[0, 1], **given
    )
    by_difference = PairedLosses.from_moments(
        50, losses.means, difference_variance=(a - b).var(ddof=1), **given
    )

    assert moments_of(losses) == pytest.approx(moments_of(by_covariance), rel=1e-10)
    assert moments_of(losses) == pytest.approx(moments_of(by_difference), rel=1e-10)
    with pytest.raises(ValueError, match="reduced to their moments"):
        _ = by_difference.differences


def test_impossible_moments():
    """Moments that no losses have are refused."""
    for changed, message in [
        ({"n": 1}, "`n` must be an integer of at least 2"),
        ({"n": 2.0}, "`n` must be an integer of at least 2"),
        ({"covariance": 0.0}, "`covariance` or `difference_variance`, one of them"),
        ({"difference_variance": None}, "one of them. Got None and None"),
        ({"means": (0.1,)}, "must each hold two finite numbers"),
        ({"means": (0.1, math.nan)}, "must each hold two finite numbers"),
        ({"variances": (0.1, -0.1)}, "A variance must not be negative"),
        ({"difference_variance": 10.0}, "covariance must not be more than the product"),
        ({"difference_variance": -0.1}, "covariance must not be more than the product"),
    ]:
        given = {
            "n": 5,
            "means": (0.1, 0.2),
            "variances": (1.0, 1.0),
            "difference_variance": 0.5,
        }
        with pytest.raises(ValueError, match=message):
            PairedLosses.from_moments(**(given | changed))


# ------------------------------------------------------- from probabilities


def test_columns_and_labels():
    """One column is of the greater number or of `pos_label`; two are in sorted order."""
    y, p = np.array([2, 1, 2, 1]), np.array([0.9, 0.2, 0.6, 0.4])
    expected = PairedLosses.from_predictions(y, np.column_stack([1 - p, p]), p)
    names = np.where(y == 2, "yes", "no")

    named = PairedLosses.from_predictions(names, p, 1 - p, pos_label="yes")
    other = PairedLosses.from_predictions(names, 1 - p, p, pos_label="no")

    assert expected.champion == pytest.approx(expected.challenger, rel=1e-12)
    assert expected.champion == pytest.approx(named.champion, rel=1e-12)
    assert expected.champion == pytest.approx(other.champion, rel=1e-12)
    with pytest.raises(ValueError, match=r"one of 'no', 'yes'. Say which"):
        PairedLosses.from_predictions(names, p, p)


def test_labels_that_do_not_occur():
    """With `labels`, probabilities may have columns of classes that no record has."""
    proba = [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]

    losses = PairedLosses.from_predictions(
        ["b", "c"], proba, proba, loss="log_loss", labels=["a", "b", "c"]
    )

    assert [-np.log(0.5), -np.log(0.8)] == pytest.approx(losses.champion)
    for some in (["b", "c"], ["b", "b"]):
        with pytest.raises(ValueError, match=r"`y_true` has only 'b'.* as `labels`"):
            PairedLosses.from_predictions(some, proba, proba, loss="log_loss")
    with pytest.raises(ValueError, match=r"at least 2 classes, .* has only 1\. Pass all"):
        PairedLosses.from_predictions([1, 1], [0.2, 0.3], [0.2, 0.3])


def test_labels_and_columns_in_another_order():
    """Columns that are named by the classes are found; labels must be in sorted order."""
    frames = pytest.importorskip("pandas")
    p, names = np.array([0.9, 0.2, 0.6, 0.3]), ["yes", "no", "no", "yes"]
    sorted_columns = np.column_stack([1 - p, p])
    expected = PairedLosses.from_predictions(names, sorted_columns, p, pos_label="yes")
    frame = frames.DataFrame({"yes": p, "no": 1 - p})

    named = PairedLosses.from_predictions(names, frame, p, pos_label="yes")

    assert expected == named
    as_they_are = frame.set_axis(["p", "q"], axis=1)
    assert expected.champion.tolist() == pytest.approx(
        PairedLosses.from_predictions(names, 1 - as_they_are, frame).champion
    )
    for labels in (["yes", "no"], ["no", "no", "yes"]):
        with pytest.raises(ValueError, match="`labels` must be different and sorted"):
            PairedLosses.from_predictions(names, sorted_columns, frame, labels=labels)


def test_bad_probabilities():
    """Lengths, NaN, scores of another scale and rows that do not sum to 1 are refused."""
    for champion, message in [
        ([0.1, 0.2], "y_true has 3, champion_proba has 2"),
        ([0.1, 0.2, np.nan], "missing values"),
        ([0.1, 0.2, 1.2], r"in \[0, 1\]"),
        ([[0.1, 0.2]] * 3, "must sum to 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedLosses.from_predictions([0, 1, 1], champion, [0.1, 0.2, 0.3])


def test_clipped_probabilities_are_counted():
    """Records below `eps` are counted for each role, flagged, and add up."""
    y, p = [0, 1, 1, 0], [0.0, 0.0, 1e-3, 0.5]
    losses = PairedLosses.from_predictions(y, p, [0.5] * 4, loss="log_loss")
    wide = PairedLosses.from_predictions(y, p, [0.5] * 4, loss="log_loss", eps=0.01)

    assert (1, 0) == losses.clipped
    assert (2, 0) == wide.clipped
    assert (0, 1) == losses.swap().clipped
    assert (2, 0) == (losses + losses).clipped
    assert ("clipped-probabilities",) == losses.flags
    assert (
        () == PairedLosses.from_predictions(y, [0.5] * 4, [0.5] * 4, loss="log_loss").flags
    )
    with pytest.raises(ValueError, match="Only losses of one kind"):
        losses + wide


def test_infinite_losses_are_refused():
    """Without `eps` an impossible class has an infinite loss, which no test takes."""
    with pytest.raises(ValueError, match=r"first at position 1.*leave `eps` above 0"):
        PairedLosses.from_predictions(
            [0, 1], [0.0, 0.0], [0.5, 0.5], loss="log_loss", eps=0
        )
    with pytest.raises(ValueError, match="`challenger` must be finite losses, of a"):
        PairedLosses.from_losses([1.0], [np.inf])


def absolute(codes, proba):
    return 1 - proba[np.arange(len(codes)), codes]


def test_loss_of_ones_own():
    """A function of codes and probabilities is a loss by its own name."""
    losses = PairedLosses.from_predictions([0, 1], [0.2, 0.9], [0.5, 0.5], loss=absolute)

    assert [0.2, 0.1] == pytest.approx(losses.champion)
    assert "absolute" == losses.loss
    with pytest.raises(ValueError, match=r"one number per record, of shape \(2,\)"):
        PairedLosses.from_predictions([0, 1], [0.2, 0.9], [0.5, 0.5], loss=lambda c, p: p)


def test_pair_and_arrays_agree():
    """Losses of a pair are those of its arrays, in scikit-learn's convention by default."""
    rng = np.random.default_rng(6)
    y, groups = rng.integers(3, size=30), rng.integers(5, size=30)
    first, second = rng.dirichlet(np.ones(3), size=(2, 30))
    predictions = predictions_from_arrays(y, {"a": first, "b": second}, groups=groups)
    expected = PairedLosses.from_predictions(
        y, first, second, loss="brier_score", groups=groups
    )

    actual = PairedLosses.from_pair(predictions.pair("a", "b"))

    assert expected == actual
    assert "grouped holdout" == actual.design.name
    as_log = PairedLosses.from_pair(predictions.pair("a", "b"), loss="log_loss", eps=1e-3)
    assert "log_loss(eps=0.001)" == as_log.loss
    labels = predictions_from_arrays(y, {"a": y, "b": y}).pair("a", "b")
    with pytest.raises(ValueError, match="a has no probabilities"):
        PairedLosses.from_pair(labels)


def test_losses_beyond_reason():
    """Losses whose squares overflow are refused, with where they are."""
    predictions = [0, 1], [0.2, 0.9], [0.5, 0.5]
    for size in [1e141, -1e141, np.inf, -np.inf, np.nan]:

        def too_large(codes, proba, size=size):
            return np.where(codes, size, 1)

        words = r"at most 1e\+140\. Got 1 others, .* position 1"
        with pytest.raises(ValueError, match=words):
            PairedLosses.from_losses([1.0, size], [1.0, 1.0])
        words = r"at most 1e\+140\. Got 1 records .* position 1"
        with pytest.raises(ValueError, match=words):
            PairedLosses.from_predictions(*predictions, loss=too_large)
    largest = PairedLosses.from_losses([1e140, -1e140], [0, 0])
    assert math.sqrt(2) * 1e140 == pytest.approx(largest.moments.gain_deviation)


def test_kept_losses_are_doubles():
    """Whatever comes, so that tests that rank them do not depend on how it was stored."""
    losses = PairedLosses.from_losses([1.0, 2.0], [2.0, 4.0])
    short = np.array([[1, 2], [2, 4]], dtype=np.float32)
    again = replace(losses, values=short)

    assert (np.float64, False) == (again.values.dtype, again.values.flags.writeable)
    assert losses == again
    with pytest.raises(
        ValueError, match=r"`values` must have shape \(n_roles, n_samples\)"
    ):
        replace(losses, values=short[0])


def test_name_of_ones_own_loss():
    """Options that are bound to a loss leave its name, and what has none is an own loss."""
    names = [
        PairedLosses.from_predictions([0, 1], [0.2, 0.9], [0.5, 0.5], loss=loss).loss
        for loss in (partial(absolute), partial(log, eps=0.1), lambda c, p: p[:, 0])
    ]

    assert ["absolute", "log", "own loss"] == names


# ------------------------------------------------------- groups


def test_groups_are_added_up():
    """Sizes and sums of differences, group by group, by their labels."""
    losses = PairedLosses.from_losses([3, 2, 4, 1], [1, 1, 1, 3], ["b", "a", "b", "c"])

    assert ["a", "b", "c"] == losses.groups.labels.tolist()
    assert [1, 2, 1] == losses.groups.sizes.tolist()
    assert [1, 5, -2] == losses.groups.gains.tolist()
    assert [1, 0, 1, 2] == losses.groups.codes.tolist()
    assert 3 == losses.groups.n_groups
    assert [-1, -5, 2] == losses.swap().groups.gains.tolist()


def test_groups_of_shards():
    """A group may be in both shards; other labels are added."""
    one = PairedLosses.from_losses([3, 2], [1, 1], ["b", "a"])
    two = PairedLosses.from_losses([4, 1], [1, 3], ["b", "c"])
    whole = PairedLosses.from_losses([3, 2, 4, 1], [1, 1, 1, 3], ["b", "a", "b", "c"])

    assert whole == one + two
    with pytest.raises(ValueError, match="labels of one type"):
        one + PairedLosses.from_losses([4, 1], [1, 3], [1, 2])
    with pytest.raises(ValueError, match="Only evidence of one design"):
        one + PairedLosses.from_losses([4, 1], [1, 3])


def test_moments_only():
    """Without values, moments and sums of groups stay, and what needs values says so."""
    rng = np.random.default_rng(7)
    y, p, q = rng.integers(2, size=20), rng.random(20), rng.random(20)
    groups = rng.integers(4, size=20)
    kept = PairedLosses.from_predictions(y, p, q, groups=groups)
    reduced = PairedLosses.from_predictions(y, p, q, groups=groups, keep_values=False)

    assert moments_of(kept) == moments_of(reduced)
    assert kept.groups.gains.tolist() == reduced.groups.gains.tolist()
    assert reduced.values is reduced.groups.codes is None
    assert (kept + reduced).values is None
    for name in ("champion", "challenger", "differences", "rounded_differences"):
        with pytest.raises(ValueError, match="Keep them by keep_values=True"):
            getattr(reduced, name)


# ------------------------------------------------------- as a value


def test_rounded_differences():
    """(0.7 - 1)² and 0.3² are tied, and what differs by rounding is 0; 1e8 is kept."""
    losses = PairedLosses.from_losses(
        [(0.7 - 1) ** 2, 0.3**2, 0.1 + 0.2, 1e8 + 0.5], [0.0, 0.0, 0.3, 0.25]
    )
    first, second, third, last = losses.rounded_differences.tolist()

    assert first == second
    assert losses.differences[0] != losses.differences[1]
    assert 0 == third
    assert 1e8 + 0.25 == last


@pytest.mark.parametrize("groups", [False, True])
def test_swap(groups):
    """Exchanged roles twice are the losses themselves, and differences change sign."""
    losses = random_losses(8, groups=groups)

    assert (-losses.differences).tolist() == losses.swap().differences.tolist()
    assert losses.means == losses.swap().means[::-1]
    assert -losses.gain == losses.swap().gain
    assert losses == losses.swap().swap()
    assert losses != losses.swap()


@pytest.mark.parametrize("groups", [False, True])
def test_equality_and_pickling(groups):
    """Equal losses are equal and hash alike; a pickled copy is one, and read-only."""
    losses, again = random_losses(9, groups=groups), random_losses(9, groups=groups)
    copy = pickle.loads(pickle.dumps(losses))

    assert losses == again == copy
    assert hash(losses) == hash(again) == hash(copy)
    assert losses != random_losses(10, groups=groups)
    assert losses != replace(losses, design="kfold")
    assert losses != replace(losses, values=None)
    assert losses != "losses"
    for value in (losses, copy, losses.swap(), losses + again):
        assert not value.values.flags.writeable
        assert not groups or not value.groups.gains.flags.writeable


def test_arrays_are_not_shared():
    """A later change of what was passed changes nothing."""
    first, second = np.ones(3), np.zeros(3)
    losses = PairedLosses.from_losses(first, second)
    first[0] = 7

    assert 1 == losses.champion[0]


def test_plain_values_and_text():
    """`to_dict` is JSON, and the representation says what is there."""
    losses = PairedLosses.from_losses([3, 2], [1, 1], ["b", "a"], loss="squared error")

    values = json.loads(json.dumps(losses.to_dict()))

    assert 2 == values["n"]
    assert 1.5 == values["gain"]
    assert [[3, 2], [1, 1]] == values["values"]
    assert {"labels": ["a", "b"], "sizes": [1, 1], "gains": [1, 2]} == values["groups"]
    assert "grouped holdout" == values["design"]
    assert (
        "PairedLosses(n=2, n_groups=2, loss='squared error', champion=2.5, challenger=1, "
        "design='grouped holdout')" == repr(losses)
    )
    assert repr(replace(losses, values=None)).endswith(", moments only)")


def test_bad_losses():
    """Shapes and lengths are checked."""
    with pytest.raises(ValueError, match=r"losses of shape \(n_samples,\)\. Got shape"):
        PairedLosses.from_losses([[1.0]], [1.0])
    with pytest.raises(ValueError, match=r"`challenger` must be losses .* numbers"):
        PairedLosses.from_losses([1.0], ["a"])
    with pytest.raises(ValueError, match="`loss` must be the name"):
        PairedLosses.from_losses([1.0], [1.0], loss=None)
    with pytest.raises(ValueError, match="champion has 2, challenger has 1"):
        PairedLosses.from_losses([1, 2], [1])
    with pytest.raises(ValueError, match="losses has 2, groups has 1"):
        PairedLosses.from_losses([1, 2], [1, 2], [0])
    with pytest.raises(ValueError, match="at least one record"):
        PairedLosses.from_losses([], [])
