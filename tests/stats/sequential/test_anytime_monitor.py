"""The monitor of a stream: looks, what they show together, files."""

import json
import math
import os
from functools import cache

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, JointCounts, PairedLosses
from skcompare.stats import AnytimeMonitor, anytime_losses, anytime_mcnemar
from skcompare.stats.sequential._sequential_tests import FILE

TABLES = [
    ContingencyTable(80, 3, 9, 8),
    ContingencyTable(84, 2, 10, 4),
    ContingencyTable(70, 12, 3, 15),
]
RNG = np.random.default_rng(0)
LOSSES = [
    PairedLosses.from_losses(*RNG.random((2, n)) * [[1.0], [0.8]], loss="binary_brier_loss")
    for n in (50, 1, 200)
]
SETTINGS = [
    ("anytime_mcnemar", TABLES, {}),
    ("anytime_mcnemar", TABLES, {"alternative": "greater", "null_value": -0.05}),
    (
        "anytime_mcnemar",
        TABLES,
        {"prior": 0.5, "confidence_level": 0.8, "alternative": "less"},
    ),
    ("anytime_losses", LOSSES, {"alternative": "less"}),
    ("anytime_losses", LOSSES, {"bound": 3, "null_value": 0.1}),
]
TESTS = {"anytime_mcnemar": anytime_mcnemar, "anytime_losses": anytime_losses}


def watched(test, batches, settings):
    monitor = AnytimeMonitor(test, **settings)
    for batch in batches:
        monitor.update(batch)
    return monitor


@cache
def finished(number):
    """The monitor of such settings after all their batches, to look at."""
    return watched(*SETTINGS[number])


def test_an_update_returns_its_look():
    """It is the last one of the history."""
    monitor = AnytimeMonitor("anytime_losses", bound=1)
    looks = [monitor.update(batch) for batch in LOSSES]

    assert looks == list(monitor.history)


@pytest.mark.slow
def test_looks_are_tests_of_all_records_so_far():
    """Each look is the test of the merged batches; together they are the best ones."""
    for number, (test, batches, settings) in enumerate(SETTINGS):
        monitor = finished(number)
        settings = dict(settings)
        level = settings.pop("confidence_level", 0.95)
        so_far, results = None, []
        for batch, look in zip(batches, monitor.history, strict=True):
            so_far = batch if so_far is None else so_far + batch
            result = TESTS[test](so_far, **settings)
            limits = result.confidence_interval(level)
            expected = (
                so_far.n,
                result.estimate,
                *limits,
                result.pvalue,
                result.log_pvalue,
            )
            assert expected == pytest.approx(look, rel=1e-9, abs=1e-9)
            results.append((limits, result.pvalue))

        lows, highs = zip(*(limits for limits, _ in results), strict=True)
        low, high = max(lows), min(highs)
        smallest = min(p for _, p in results)
        assert smallest == pytest.approx(monitor.pvalue)
        assert math.log(smallest) == pytest.approx(monitor.log_pvalue)
        assert so_far.n == monitor.n
        if low <= high:
            assert (low, high) == pytest.approx(monitor.confidence_interval(), abs=1e-9)
            assert () == monitor.flags
        assert (smallest < 1 - level) == monitor.decided


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_decided_exactly_where_the_null_value_is_outside(alternative):
    """Also of null values at a limit, where rounding would say one or the other."""
    settings = {"alternative": alternative, "confidence_level": 0.8}
    low, high = watched("anytime_mcnemar", TABLES[:1], settings).confidence_interval()
    limit = high if alternative == "less" else low
    for null in (limit, math.nextafter(limit, 1), math.nextafter(limit, -1)):
        monitor = AnytimeMonitor(null_value=null, **settings)
        for table in TABLES[: 2 if null == limit else 1]:
            monitor.update(table)
            low, high = monitor.confidence_interval()
            assert monitor.decided == (not low <= null <= high)


def test_a_decision_stays():
    """Later looks cannot take back what was found."""
    monitor = watched("anytime_mcnemar", TABLES[:2], {"alternative": "greater"})
    before = monitor.pvalue
    look = monitor.update(TABLES[2])

    assert look.pvalue > before
    assert before == monitor.pvalue < 0.05
    assert monitor.decided
    assert "decided" in str(monitor)


def test_a_difference_that_changes_is_seen():
    """If no difference is in all intervals, there is none, and the flag says why."""
    monitor = AnytimeMonitor()
    monitor.update(ContingencyTable(100, 0, 100, 0))
    monitor.update(ContingencyTable(100, 900, 0, 0))

    assert ("empty-intersection",) == monitor.flags
    assert all(math.isnan(limit) for limit in monitor.confidence_interval())
    assert "empty-intersection" in str(monitor)
    last = monitor.history[-1]
    assert last.low < last.estimate < last.high


def test_before_the_first_batch():
    """Nothing is known: p is 1, and there is no estimate."""
    monitor = AnytimeMonitor()

    assert (0, 1.0, 0.0, False, ()) == (
        monitor.n,
        monitor.pvalue,
        monitor.log_pvalue,
        monitor.decided,
        monitor.flags,
    )
    assert "no records yet" in str(monitor)
    for ask in (monitor.confidence_interval, lambda: monitor.estimate):
        with pytest.raises(ValueError, match="Call `update` with the first batch"):
            ask()


def test_files_go_on(tmp_path):
    """A monitor that is stored between all batches ends like one that never was."""
    path = tmp_path / "watch.json"
    for number in (1, 2, 3, 4):
        test, batches, settings = SETTINGS[number]
        AnytimeMonitor(test, **settings).save(path)
        for batch in batches:
            again = AnytimeMonitor.load(path)
            again.update(batch)
            again.save(path)
        expected, again = finished(number), AnytimeMonitor.load(path)

        assert expected.history == again.history
        assert str(expected) == str(again)
        assert ["watch.json"] == os.listdir(tmp_path)


def test_numbers_of_numpy_are_stored(tmp_path):
    """Settings of numpy's types, also before the first batch, and files that stay alike."""
    path = tmp_path / "watch.json"
    for words in ({"null_value": np.float32(-0.5)}, {"bound": np.int64(1)}):
        AnytimeMonitor("anytime_losses", **words).save(path)
        first = path.read_bytes()
        AnytimeMonitor.load(path).save(path)
        assert first == path.read_bytes()


def content_of(path):
    """The content of a file of a monitor, as plain values."""
    return FILE.read(path, dict)


def test_damaged_files_are_refused(tmp_path):
    """Every damage is one clear error, and never another stream."""
    path = tmp_path / "watch.json"
    finished(3).save(path)
    good, half = content_of(path), path.read_text()[:200]
    damages = [
        good | {"history": []},
        good | {"history": good["history"][:2]},
        good | {"history": [[1, 2]]},
        good | {"bets": None},
        good | {"bets": good["bets"] | {"growth": [0.0]}},
        good | {"bets": good["bets"] | {"n": "many"}},
        good | {"settings": {"test": "mcnemar"}},
        good | {"settings": good["settings"] | {"other": 1}},
        good | {"history": [[*good["history"][0][:4], -1, 0], *good["history"][1:]]},
        good | {"history": good["history"][::-1]},
        good | {"bets": good["bets"] | {"bound": 2.0}},
        good | {"bets": good["bets"] | {"mean": 0.5}},
        good | {"bets": good["bets"] | {"growth": [1.0] * 128}},
        {},
        [],
        7,
    ]
    finished(0).save(path)
    counts = content_of(path)
    for wrong in ({"only_champion": -5}, {"only_champion": 10**6}, {"prior": 2.0}):
        damages.append(counts | {"bets": counts["bets"] | wrong})
    for content in damages:
        FILE.write(path, content)
        with pytest.raises(ValueError, match="cannot be read as an AnytimeMonitor"):
            AnytimeMonitor.load(path)
    finished(3).save(path)
    stored = json.loads(path.read_text())
    others = [stored | {"format": "other"}, stored | {"version": 2}]
    for text in ["", "\xff", half, "NaN", "[" * 100_000, *map(json.dumps, others)]:
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ValueError, match="cannot be read as an AnytimeMonitor"):
            AnytimeMonitor.load(path)
    with pytest.raises(FileNotFoundError):
        AnytimeMonitor.load(tmp_path / "none.json")


def test_frame_of_looks():
    """One row per look, for plots."""
    pl = pytest.importorskip("polars")
    frame = finished(0).to_frame("polars")

    assert isinstance(frame, pl.DataFrame)
    assert [100, 200, 300] == frame["n"].to_list()
    assert ["n", "estimate", "low", "high", "pvalue", "log_pvalue"] == frame.columns


def test_wrong_batches_change_nothing():
    """Other evidence, designs, losses and bounds are refused, and nothing is added."""
    counts, losses = finished(0), finished(3)
    before = counts.history, losses.history
    joint = JointCounts.from_predictions([0, 1], [0, 1], [1, 1])
    for monitor, wrong in ((counts, LOSSES[0]), (losses, TABLES[0]), (counts, joint)):
        with pytest.raises(TypeError, match="needs batches of"):
            monitor.update(wrong)
    with pytest.raises(ValueError, match="of the design 'holdout'"):
        counts.update(ContingencyTable(1, 2, 3, 4, "kfold"))
    with pytest.raises(ValueError, match="whole counts"):
        counts.update(ContingencyTable(1.5, 2, 3, 4))
    with pytest.raises(ValueError, match="Monitor one loss at a time"):
        losses.update(PairedLosses.from_losses([1, 0], [0, 1], loss="cost_weighted_loss"))
    with pytest.raises(ValueError, match="at most `bound`"):
        losses.update(PairedLosses.from_losses([5, 0], [0, 1], loss="binary_brier_loss"))

    assert before == (counts.history, losses.history)


def test_wrong_settings():
    """Options of the other test, and values that are none, are refused."""
    for words, match in [
        ({"test": "mcnemar"}, "Unknown test 'mcnemar'"),
        ({"alternative": "larger"}, "Unknown alternative"),
        ({"confidence_level": 1}, "`confidence_level`"),
        ({"bound": 1}, "takes no `bound`"),
        ({"test": "anytime_losses", "prior": 1}, "takes no `prior`"),
        ({"prior": -1}, "`prior` must be a number from"),
        ({"test": "anytime_losses", "null_value": math.nan}, "must be a gain"),
        ({"test": "anytime_losses", "null_value": "0"}, "must be a gain"),
        ({"null_value": 2}, "between -1 and 1"),
        ({"test": "anytime_losses", "bound": 0}, "`bound` must be a number above 0"),
        ({"test": "anytime_losses", "bound": 1, "null_value": 2}, "between -1 and 1"),
    ]:
        with pytest.raises(ValueError, match=match):
            AnytimeMonitor(**words)
    with pytest.raises(ValueError, match="'losses' has none that is known"):
        AnytimeMonitor("anytime_losses").update(PairedLosses.from_losses([1, 0], [0, 1]))


def test_mean_of_a_batch_is_one_step():
    """The looks are those of records that have the mean losses of the batches."""
    by_batch = AnytimeMonitor("anytime_losses", unit="batch")
    by_record = AnytimeMonitor("anytime_losses")
    for batch in LOSSES:
        by_batch.update(batch)
        means = ([mean] for mean in batch.means)
        by_record.update(PairedLosses.from_losses(*means, loss="binary_brier_loss"))

    assert by_record.history == by_batch.history
    assert 3 == by_batch.n
    assert "3 batches, 3 looks" in str(by_batch)
    assert "3 records, 3 looks" in str(by_record)


def test_batches_of_tables_and_moments():
    """Shares of correct predictions differ by at most 1, and moments are enough."""
    monitor = AnytimeMonitor("anytime_losses", unit="batch")
    for table in TABLES:
        look = monitor.update(table)
    expected = np.mean([table.difference for table in TABLES])
    reduced = AnytimeMonitor("anytime_losses", unit="batch")
    kept = AnytimeMonitor("anytime_losses", unit="batch")
    for batch in LOSSES:
        reduced.update(PairedLosses(batch.moments, loss=batch.loss))
        kept.update(batch)

    assert ("zero_one_loss", 1.0) == (monitor.loss, monitor.bound)
    assert expected == pytest.approx(look.estimate)
    assert kept.history == reduced.history
    with pytest.raises(ValueError, match="takes batches of ContingencyTable too"):
        AnytimeMonitor(unit="batch")
    with pytest.raises(TypeError, match="needs batches of PairedLosses"):
        AnytimeMonitor("anytime_losses").update(TABLES[0])
    with pytest.raises(ValueError, match=r"differ by at most `bound`, 0\.01"):
        AnytimeMonitor("anytime_losses", unit="batch", bound=0.01).update(TABLES[0])


def test_records_of_a_batch_may_depend_on_each_other():
    """Groups and time are no design of single records, and one of batches."""
    groups = np.arange(50) // 5
    losses = PairedLosses.from_losses(
        *RNG.random((2, 50)), groups=groups, loss="binary_brier_loss"
    )
    monitor = AnytimeMonitor("anytime_losses", unit="batch")

    assert losses.gain == pytest.approx(monitor.update(losses).estimate)
    with pytest.raises(ValueError, match="with unit='batch'"):
        AnytimeMonitor("anytime_losses").update(losses)


def test_a_named_batch_is_counted_once(tmp_path):
    """Also by a job that goes on from a file; files without names are read."""
    path = tmp_path / "watch.json"
    monitor = AnytimeMonitor()
    monitor.update(TABLES[0], name="monday")
    monitor.update(TABLES[1])
    monitor.save(path)
    again = AnytimeMonitor.load(path)

    assert ("monday", None) == again.names
    with pytest.raises(ValueError, match="'monday' was added before, up to 100 records"):
        again.update(TABLES[2], name="monday")
    with pytest.raises(TypeError, match="must be text"):
        again.update(TABLES[2], name=3)
    assert monitor.history == again.history
    stored = json.loads(path.read_text())
    assert str(stored).count("monday") == 1
    names = FILE.read(path, lambda content: content)
    for wrong in ([], ["monday"], ["a", "a"], [1, 2]):
        FILE.write(path, {**names, "names": wrong})
        with pytest.raises(ValueError, match="names of its batches"):
            AnytimeMonitor.load(path)
    old = {**names, "settings": {**names["settings"]}}
    del old["names"], old["settings"]["unit"]
    FILE.write(path, old)
    assert (None, None) == AnytimeMonitor.load(path).names


@pytest.mark.slow
def test_batches_of_a_drifting_stream_keep_the_level():
    """Records that are alike are rejected too often, one by one, and not by batch."""
    rng = np.random.default_rng(0)
    rejected = np.zeros(2)
    for _ in range(60):
        drift = np.zeros(2000)
        noise = rng.normal(size=2000)
        for t in range(1, 2000):
            drift[t] = 0.95 * drift[t - 1] + noise[t]
        gains = np.sign(drift) * (rng.random(2000) < 0.2)
        one = AnytimeMonitor()
        other = AnytimeMonitor("anytime_losses", unit="batch", bound=0.5)
        for day in gains.reshape(-1, 100):
            b, c = int((day < 0).sum()), int((day > 0).sum())
            table = ContingencyTable(100 - b - c, b, c, 0)
            one.update(table)
            other.update(table)
        rejected += one.decided, other.decided

    assert rejected[0] > 15
    assert rejected[1] <= 6
