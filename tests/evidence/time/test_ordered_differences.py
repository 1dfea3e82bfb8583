"""Differences in the order in which records were observed."""

import datetime

import numpy as np
import pytest

from skcompare.evidence import (
    OrderedDifferences,
    PairedLosses,
    ScoredPair,
    load_evidence,
    merge_evidence,
)

LOSSES = np.array([[1.0, 0.5, 2.0, 1.5], [0.5, 1.0, 1.0, 1.5]])
DAYS = ["2024-01-02", "2024-01-01", "2024-01-03", "2024-01-02"]


def test_records_of_a_time_are_one_point():
    """In time order, with sums and counts, whatever the order of the records."""
    evidence = OrderedDifferences.from_losses(*LOSSES, time=[2, 1, 3, 2])

    assert [-0.5, 0.5, 1.0] == evidence.sums.tolist()
    assert [1, 2, 1] == evidence.counts.tolist()
    assert [1, 2, 3] == evidence.times.tolist()
    assert (4, 3, 0.25) == (evidence.n, evidence.n_times, evidence.estimate)
    assert (1.25, 1.0) == evidence.means


def test_timestamps_of_many_kinds():
    """numpy, datetime and pandas, with a time zone too, are the same times."""
    pandas = pytest.importorskip("pandas")
    stamps = np.array(DAYS, dtype="datetime64[D]")
    expected = OrderedDifferences.from_losses(*LOSSES, time=stamps)
    series = pandas.Series(pandas.to_datetime(DAYS, utc=True)).dt.tz_convert("Asia/Tokyo")
    for time in (stamps.astype("datetime64[s]"), stamps.astype(datetime.datetime), series):
        assert expected == OrderedDifferences.from_losses(*LOSSES, time=time)


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (["1.2.2024", *DAYS[1:]], "Got text, such as '1.2.2024'"),
        (np.array([*DAYS[:3], "NaT"], dtype="datetime64[D]"), "1 missing"),
        ([1.0, 2.0, np.nan, 3.0], "finite numbers"),
        ([1, 2, 3], "time has 3"),
    ],
)
def test_wrong_times(time, message):
    """Text, missing times and another number of records are refused."""
    with pytest.raises(ValueError, match=message):
        OrderedDifferences.from_losses(*LOSSES, time=time)


def test_times_must_increase():
    """The arguments of the class are those of time points in order."""
    with pytest.raises(ValueError, match="must increase"):
        OrderedDifferences([1.0, 2.0], [1, 1], times=[2, 1])
    with pytest.raises(ValueError, match="at least 1"):
        OrderedDifferences([1.0, 2.0], [1, 0])


def test_shards_with_times_merge_in_any_order():
    """By their times, also where both have records of one time."""
    rng = np.random.default_rng(0)
    losses, time = rng.integers(9, size=(2, 30)) / 8, rng.integers(12, size=30)
    whole = OrderedDifferences.from_losses(*losses, time=time, horizon=2)
    shards = [
        OrderedDifferences.from_losses(*losses[:, part], time=time[part], horizon=2)
        for part in (slice(0, 11), slice(11, 14), slice(14, 30))
    ]

    assert whole == merge_evidence(shards) == merge_evidence(reversed(shards))


def test_shards_without_times_follow_each_other():
    """The order of addition is that of time."""
    first = OrderedDifferences.from_losses(*LOSSES[:, :2])
    second = OrderedDifferences.from_losses(*LOSSES[:, 2:])

    assert OrderedDifferences.from_losses(*LOSSES) == first + second
    assert [1.0, 0.0, 0.5, -0.5] == (second + first).sums.tolist()


def test_shards_that_do_not_fit():
    """Times for one only, numbers and timestamps, other horizons, and influences."""
    plain = OrderedDifferences.from_losses(*LOSSES)
    timed = OrderedDifferences.from_losses(*LOSSES, time=[1, 2, 3, 4])
    dated = OrderedDifferences.from_losses(*LOSSES, time=np.array(DAYS, "datetime64[D]"))
    ahead = OrderedDifferences.from_losses(*LOSSES, horizon=3)
    area = OrderedDifferences.from_influences(
        [0.1, -0.1], champion=0.7, challenger=0.8, measure="roc_auc"
    )
    for first, second, message in (
        (plain, timed, "with and without times"),
        (timed, dated, "numbers and timestamps"),
        (plain, ahead, "one horizon"),
        (area, area, "not a mean over records"),
    ):
        with pytest.raises(ValueError, match=message):
            first + second


def test_saved_and_restored(tmp_path):
    """Times and all come back as they were."""
    for time in (None, [2, 1, 3, 2], np.array(DAYS, dtype="datetime64[D]")):
        evidence = OrderedDifferences.from_losses(*LOSSES, time=time)
        for ending in ("npz", "json"):
            evidence.save(tmp_path / f"evidence.{ending}")

            assert evidence == load_evidence(tmp_path / f"evidence.{ending}")


def test_influences_keep_the_scores():
    """The estimate is the difference of the scores, and the influences are centred."""
    evidence = OrderedDifferences.from_influences(
        [0.2, -0.1, -0.1], champion=0.7, challenger=0.8, measure="roc_auc", time=[3, 1, 2]
    )

    assert 0.1 == pytest.approx(evidence.estimate)
    assert [-0.3, -0.3, 0.6] == pytest.approx(evidence.centred.tolist())
    assert (0.7, 0.8) == pytest.approx(evidence.means)
    assert -0.1 == pytest.approx(evidence.swap().estimate)


def test_a_score_without_influences_is_refused():
    """A function of all records says nothing of one of them."""
    pair = ScoredPair.from_predictions(
        [1, 0, 1], [1, 1, 0], [0, 0, 1], score=lambda y, predicted: 0.5
    )
    with pytest.raises(ValueError, match="influence of a record on 'score' is unknown"):
        OrderedDifferences.from_scored_pair(pair)


def test_losses_that_were_kept():
    """Paired losses have an order, unless they are moments."""
    losses = PairedLosses.from_losses(*LOSSES, loss="absolute_error")
    evidence = OrderedDifferences.from_paired_losses(losses, time=[1, 2, 3, 4], horizon=2)

    assert losses.differences.tolist() == evidence.sums.tolist()
    assert ("absolute_error", 2) == (evidence.measure, evidence.horizon)
    moments = PairedLosses.from_losses(*LOSSES, keep_values=False)
    with pytest.raises(ValueError, match="reduced to their moments"):
        OrderedDifferences.from_paired_losses(moments)


def test_only_differences():
    """Without the losses of each role these are unknown."""
    evidence = OrderedDifferences.from_differences([0.5, -0.5, 1.0, 0.0])

    assert evidence.means is None
    assert "difference=0.25" in repr(evidence)


def test_arrays_of_the_user_stay_their_own():
    """Differences can be changed afterwards, and change nothing here."""
    differences = np.array([0.5, -0.5, 1.0, 0.0])
    times = np.arange(4)
    evidence = OrderedDifferences.from_differences(differences, time=times)
    differences[0], times[0] = 9.0, -9

    assert 0.5 == evidence.sums[0]
    assert 0 == evidence.times[0]


def test_weighted_losses():
    """The gain of weighted losses, of records in any order and of shards."""
    rng = np.random.default_rng(3)
    first, second = rng.random((2, 40))
    time = rng.permutation(np.repeat(np.arange(20), 2))
    ordered = OrderedDifferences.from_losses(first, second, time=time)
    expected = OrderedDifferences.from_losses(1.02 * first, second, time=time)
    weighted = ordered.weighted(1.02)

    assert expected.sums.tolist() == pytest.approx(weighted.sums.tolist(), rel=1e-12)
    assert expected.means == pytest.approx(weighted.means)
    assert "losses(weights=1.02:1)" == weighted.measure
    shards = [
        OrderedDifferences.from_losses(first[rows], second[rows], time=time[rows])
        for rows in (slice(0, 15), slice(15, 40))
    ]
    merged = (shards[0] + shards[1]).weighted(1.02)
    assert weighted.sums.tolist() == pytest.approx(merged.sums.tolist(), rel=1e-12)
    swapped = ordered.swap().weighted(1.0, 1.02)
    assert weighted.sums.tolist() == pytest.approx((-swapped.sums).tolist(), rel=1e-12)


def test_weights_need_the_losses_of_both():
    """Differences alone have no share of the champion's loss."""
    only = OrderedDifferences.from_differences([0.1, 0.2, -0.1])
    with pytest.raises(ValueError, match="only differences are known"):
        only.weighted(1.02)
    with pytest.raises(ValueError, match=r"weight of `champion`.*Got 0"):
        OrderedDifferences.from_losses([1.0, 2.0], [1.5, 1.0]).weighted(0)
