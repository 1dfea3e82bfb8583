"""Comparisons of records whose order in time counts."""

import numpy as np
import pytest

from skcompare import Comparison, MultipleComparison, compare, compare_scores
from skcompare.evidence import OrderedDifferences
from skcompare.predictions import (
    ItemScores,
    Predictions,
    predictions_from_arrays,
    predictions_from_frame,
)
from skcompare.stats import diebold_mariano, plan_time_from_pilot, two_way_t
from skcompare.stats.core._power import Aim
from skcompare.stats.time._diebold_mariano import mean_in_time

pd = pytest.importorskip("pandas")

N = 160
DAYS = np.arange("2024-01-01", N, dtype="datetime64[D]")


def classes(n=N, seed=0):
    """Labels and probabilities of two classifiers, of which the second is better."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    old, new = (
        np.clip(0.5 + share * (y - 0.5) + 0.2 * rng.normal(size=n), 0.01, 0.99)
        for share in (0.3, 0.5)
    )
    return y, {"old": old, "new": new}


def numbers(n=N, seed=0):
    """Numbers and two predictions of them."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return y, {"old": y + rng.normal(size=n), "new": y + 0.8 * rng.normal(size=n)}


def shares(row):
    """What a row says, without the full result."""
    return (row.test, row.difference, row.low, row.high, row.pvalue, row.flags)


def frame(y, predictions, **columns):
    """A frame of the records in another order."""
    return pd.DataFrame({"y": y, **predictions, **columns}).sample(frac=1, random_state=1)


CLASS_MEASURES = [
    *("accuracy", "neg_log_loss", "neg_brier_score", "roc_auc", "average_precision"),
    *("f1", "precision", "recall", "balanced_accuracy", "matthews_corrcoef"),
]
NUMBER_MEASURES = [
    *("r2", "neg_mean_absolute_error", "neg_mean_squared_error"),
    *("neg_root_mean_squared_error", "pearson_correlation", "spearman_correlation"),
]


@pytest.mark.parametrize(
    ("data", "scoring"), [(classes(), CLASS_MEASURES), (numbers(), NUMBER_MEASURES)]
)
def test_default_of_every_measure(data, scoring):
    """Means of losses, and other scores by influences, have Diebold and Mariano's test."""
    comparison = compare(*data, time=DAYS, scoring=scoring)

    assert [row.measure for row in comparison.rows] == scoring
    assert {row.test for row in comparison.rows} == {"diebold_mariano"}
    for row in comparison.rows:
        assert row.low < row.difference < row.high
        assert 0 < row.pvalue < 1
        assert row.challenger - row.champion == pytest.approx(row.difference, abs=1e-12)
        assert ("few-times",) == row.flags


def test_accuracy_is_the_test_of_its_losses():
    """Accuracy by influences is the mean of correct predictions, and labels are enough."""
    y, predictions = classes()
    labels = {name: (proba > 0.5).astype(int) for name, proba in predictions.items()}
    row = compare(y, labels, time=DAYS, horizon=2).results["accuracy"]
    wrong = [(own != y).astype(float) for own in labels.values()]
    expected = diebold_mariano(OrderedDifferences.from_losses(*wrong, horizon=2))

    assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-10)
    assert expected.estimate == pytest.approx(row.difference, rel=1e-10)
    assert expected.statistic == pytest.approx(row.result.statistic, rel=1e-10)


def test_auc_by_placement_values():
    """The influence of a record on an AUC is that of its placement values."""
    y, predictions = classes()
    row = compare(y, predictions, time=DAYS, scoring="roc_auc").results["roc_auc"]
    influences = np.zeros(N)
    for sign, scores in zip((-1, 1), predictions.values(), strict=True):
        wins = (scores[y == 1][:, None] > scores[y == 0]).astype(float)
        wins += 0.5 * (scores[y == 1][:, None] == scores[y == 0])
        influences[y == 1] += sign * (wins.mean(axis=1) - wins.mean()) / (y == 1).sum()
        influences[y == 0] += sign * (wins.mean(axis=0) - wins.mean()) / (y == 0).sum()
    expected = diebold_mariano(
        OrderedDifferences.from_influences(
            influences, champion=row.champion, challenger=row.challenger, measure="roc_auc"
        )
    )

    assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-9)


@pytest.mark.parametrize("data", [classes(), numbers()])
@pytest.mark.parametrize("groups", [None, np.arange(N) % 4])
def test_order_of_records_does_not_matter(data, groups):
    """Records in any order, with their times, have the same rows."""
    y, predictions = data
    scoring = ["accuracy", "roc_auc"] if y.dtype.kind == "i" else ["r2"]
    order = np.random.default_rng(2).permutation(N)
    own = None if groups is None else groups[order]
    expected = compare(y, predictions, time=DAYS, groups=groups, scoring=scoring)
    permuted = compare(
        y[order],
        {name: values[order] for name, values in predictions.items()},
        time=DAYS[order],
        groups=own,
        scoring=scoring,
    )

    for row, other in zip(expected.rows, permuted.rows, strict=True):
        assert row.pvalue == pytest.approx(other.pvalue, rel=1e-9)
        assert row.difference == pytest.approx(other.difference, rel=1e-12)


def test_swapped_roles():
    """The estimate changes its sign, and p stays."""
    y, predictions = classes()
    row = compare(y, predictions, time=DAYS).results["accuracy"]
    swapped = compare(y, {"a": predictions["new"], "b": predictions["old"]}, time=DAYS)

    assert -row.difference == pytest.approx(swapped.rows[0].difference, abs=1e-15)
    assert row.pvalue == pytest.approx(swapped.rows[0].pvalue, rel=1e-12)


@pytest.mark.parametrize("measure", CLASS_MEASURES)
def test_equal_forecasts(measure):
    """The difference is 0 and p is 1."""
    y, predictions = classes()
    same = {"old": predictions["old"], "new": predictions["old"].copy()}
    row = compare(y, same, time=DAYS, scoring=measure).rows[0]

    assert (0, 1, "diebold_mariano") == (row.difference, row.pvalue, row.test)
    assert "degenerate" in row.flags


def test_worked_example():
    """Where who is right drifts, McNemar's test is certain of a difference by chance.

    The disagreement follows a latent autoregression of 0.95, which favours nobody.
    """
    rng = np.random.default_rng(1)
    n, rho = 500, 0.95
    latent = np.empty(n)
    latent[0] = rng.normal()
    for t in range(1, n):
        latent[t] = rho * latent[t - 1] + np.sqrt(1 - rho**2) * rng.normal()
    discordant, better = rng.random(n) < 0.2, latent > 0
    y = rng.integers(2, size=n)
    old = np.where(discordant & better, 1 - y, y)
    new = np.where(discordant & ~better, 1 - y, y)
    unrelated = compare(y, {"old": old, "new": new}).rows[0]
    comparison = compare(y, {"old": old, "new": new}, time=np.arange(n), tests="mcnemar")
    default, by_name = comparison.rows

    assert "mcnemar" == unrelated.test
    assert unrelated.pvalue < 0.001
    assert "diebold_mariano" == default.test
    assert default.pvalue > 0.05
    assert "inconclusive" == comparison.verdict
    assert "invalid-design" in by_name.flags


@pytest.mark.slow
def test_worked_example_again_and_again():
    """Of 200 such series, far fewer differ by the default test than by McNemar's."""
    rejected = np.zeros(2)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, rho = 500, 0.95
        noise = np.sqrt(1 - rho**2) * rng.normal(size=n)
        latent = np.empty(n)
        latent[0] = rng.normal()
        for t in range(1, n):
            latent[t] = rho * latent[t - 1] + noise[t]
        discordant = rng.random(n) < 0.2
        y = np.zeros(n, dtype=int)
        pair = {
            "old": (discordant & (latent > 0)).astype(int),
            "new": (discordant & (latent <= 0)).astype(int),
        }
        settings = {"labels": [0, 1], "time": np.arange(n), "tests": "mcnemar"}
        rows = compare(y, pair, **settings).rows
        rejected += [row.pvalue < 0.05 for row in rows]

    assert rejected[0] / 200 < 0.15
    assert rejected[1] / 200 > 0.3


def test_series():
    """Groups are series: by default these, and by name such series."""
    y, predictions = classes(seed=3)
    day, store = np.arange(N) // 4, np.arange(N) % 4
    comparison = compare(
        y, predictions, time=day, groups=store, tests="two_way_t", scoring="neg_log_loss"
    )
    these, such = comparison.rows
    losses = [-np.log(np.where(y == 1, p, 1 - p)) for p in predictions.values()]
    ordered = OrderedDifferences.from_losses(*losses, time=day, groups=store)

    assert ["diebold_mariano", "two_way_t"] == [these.test, such.test]
    assert diebold_mariano(ordered).pvalue == pytest.approx(these.pvalue, rel=1e-9)
    assert two_way_t(ordered).pvalue == pytest.approx(such.pvalue, rel=1e-9)
    assert "grouped time-ordered holdout" == comparison.design.name
    assert "160 records in 4 series at 40 times, horizon 1" == comparison.size


def test_tests_of_unrelated_records_are_flagged():
    """No test but those of time is valid, and "all" runs none of the others."""
    y, predictions = classes()
    named = compare(y, predictions, time=DAYS, tests=["mcnemar", "paired_t", "delong"])
    everything = compare(y, predictions, time=DAYS, tests="all")

    assert {"mcnemar", "delong"} <= {row.test for row in named.rows}
    for row in named.rows:
        assert (row.test != "diebold_mariano") == ("invalid-design" in row.flags)
    assert {"diebold_mariano"} == {row.test for row in everything.rows}
    assert "diebold_mariano is valid" in named.to_html(pictures=False)


@pytest.mark.parametrize("horizon", [1, 3])
def test_too_few_times(horizon):
    """The row says why there is no p-value, and what to collect."""
    n = 8 * horizon - 1
    y, predictions = classes(n)
    for time, tests in ((np.arange(n), "auto"), (np.arange(n), "diebold_mariano")):
        comparison = compare(y, predictions, time=time, horizon=horizon, tests=tests)
        (row,) = comparison.rows

        assert (None, None) == (row.test, row.pvalue)
        assert f"needs {n + 1} time points, 8 for each step" in row.note
        assert "collect records over a longer time" in row.note
        assert "inconclusive" == comparison.verdict
    twice = compare(np.tile(y, 3), {k: np.tile(v, 3) for k, v in predictions.items()},
                    time=np.tile(np.arange(n), 3), horizon=horizon)  # fmt: skip
    assert twice.rows[0].test is None


def test_unknown_influences():
    """A score without a formula has no test, and says what has one."""
    y, predictions = numbers()
    scoring = ["neg_mean_absolute_error", "neg_median_absolute_error"]
    comparison = compare(y, predictions, time=DAYS, scoring=scoring, tests="two_way_t")
    row = compare(y, predictions, time=DAYS, scoring=scoring).rows[1]

    assert row.test is None
    assert "influence of a record on neg_median_absolute_error is unknown" in row.note
    assert all(row.test != "two_way_t" or row.pvalue is None for row in comparison.rows)


def test_of_one_class():
    """A measure of one of several classes is in the order of time too."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    old, new = (np.where(rng.random(N) < p, y, rng.integers(3, size=N)) for p in (0.5, 0.7))
    row = compare(y, {"old": old, "new": new}, time=DAYS, scoring="precision[2]").rows[0]

    assert ("diebold_mariano", 2) == (row.test, row.label)
    assert (
        "diebold_mariano"
        == compare(y, {"old": old, "new": new}, time=DAYS, scoring="f1_macro").rows[0].test
    )


def test_several():
    """Three models are compared in pairs, and the report has the times."""
    y, predictions = classes()
    models = predictions | {"newest": predictions["new"] ** 1.5}
    comparison = compare(y, models, time=DAYS, horizon=2, scoring=["accuracy", "roc_auc"])

    assert {"diebold_mariano"} == {part.test for part in comparison.comparisons}
    assert all(pair.pvalue is not None for pair in comparison.pairs)
    assert "160 records at 160 times, horizon 2" in str(comparison)
    again = MultipleComparison.from_json(comparison.to_json())
    assert str(comparison) == str(again)
    with pytest.raises(ValueError, match="time-ordered hold-out"):
        compare(y, models, time=DAYS, adjust="max-t")


def test_report():
    """Design, size, conclusion and next steps are about time."""
    y, predictions = classes(seed=1)
    comparison = compare(y, predictions, time=DAYS, horizon=3)
    text, page = str(comparison), comparison.to_html(pictures=False)

    assert "time-ordered hold-out, 160 records at 160 times, horizon 3" in " ".join(
        text.split()
    )
    assert "Consecutive records may be correlated" in page
    assert str(Comparison.from_json(comparison.to_json())) == text
    assert Comparison.from_html(page).size == comparison.size
    worse = {"old": predictions["old"], "new": np.roll(predictions["old"], 0) * 0.97}
    undecided = compare(y, worse, time=DAYS, scoring="neg_log_loss")
    if undecided.conclusion.records_needed is not None:
        steps = undecided.to_html(pictures=False)
        assert "of a longer time" in steps
        assert "anytime_losses" not in steps
        assert "GainOverTimeDisplay" in steps


@pytest.mark.slow
def test_pictures():
    """Pictures of records in time can be drawn."""
    pytest.importorskip("matplotlib")
    y, predictions = classes()
    comparison = compare(y, predictions, time=DAYS, scoring=["accuracy", "roc_auc"])

    assert "<svg" in comparison.to_html(pictures="auto")


TIMES = {
    "numbers": np.arange(N) * 1.5,
    "days": DAYS,
    "text": DAYS.astype(str),
    "seconds with zone": [f"{day}T12:00:00+02:00" for day in DAYS],
    "objects": DAYS.astype(object),
    "pandas": pd.Series(DAYS).dt.tz_localize("Europe/Vienna"),
    "stamps": [pd.Timestamp(day, tz="UTC") for day in DAYS],
}


@pytest.mark.parametrize("kind", TIMES)
def test_kinds_of_times(kind):
    """Numbers, timestamps and text of ISO 8601 have the same order."""
    y, predictions = classes()
    expected = compare(y, predictions, time=np.arange(N)).rows[0]

    assert shares(expected) == shares(compare(y, predictions, time=TIMES[kind]).rows[0])


WRONG_TIMES = {
    "missing number": (np.where(np.arange(N) == 3, np.nan, np.arange(N)), "finite numbers"),
    "NaT": (np.where(np.arange(N) == 3, np.datetime64("NaT"), DAYS), "1 missing"),
    "None": ([None, *DAYS[1:].astype(object)], "1 missing"),
    "text": (["1.2.2024", *DAYS[1:].astype(str)], "Got text, such as '1.2.2024'"),
    "month": (["2024-13-01", *DAYS[1:].astype(str)], "Got text, such as '2024-13-01'"),
    "zones": (
        [f"{DAYS[0]}T00:00Z", *DAYS[1:].astype(str)],
        "all have a time zone, or none of them. Got 1 of 160",
    ),
    "durations": (DAYS - DAYS[0], "Got durations"),
    "mixed": ([3, *DAYS[1:].astype(object)], "all of one kind. Got int"),
    "years": (np.arange("3000", N, dtype="datetime64[Y]"), "years 1678 to 2261"),
    "length": (np.arange(N - 1), "time has 159"),
    "shape": (np.arange(2 * N).reshape(N, 2), "shape"),
}


@pytest.mark.parametrize("kind", WRONG_TIMES)
def test_wrong_times(kind):
    """Times that are missing, mixed or of unknown order are refused in one message."""
    time, message = WRONG_TIMES[kind]
    with pytest.raises(ValueError, match=message):
        compare(*classes(), time=time)


def test_time_zones():
    """Times with zones are compared in UTC."""
    hours = [f"2024-01-01T{12 + k % 3}:00:00+0{k % 3}:00" for k in range(9)]
    evidence = OrderedDifferences.from_differences(np.arange(9.0), time=hours)

    assert 1 == evidence.n_times


def test_wrong_horizon():
    """A horizon is a positive number of time points, which needs times."""
    y, predictions = classes()
    with pytest.raises(ValueError, match="without `time`"):
        compare(y, predictions, horizon=2)
    with pytest.raises(ValueError, match="integer of at least 1"):
        compare(y, predictions, time=DAYS, horizon=0)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".npz", ".parquet"])
@pytest.mark.parametrize("time", ["order", "day"])
def test_files(tmp_path, ending, time):
    """Files have the time in a column: numbers, timestamps, or their text."""
    y, predictions = classes()
    table = frame(y, predictions, order=np.arange(N), day=DAYS)
    path = str(tmp_path / f"records{ending}")
    if ending == ".npz":
        np.savez(path, **{name: table[name].to_numpy() for name in table})
    elif ending == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    elif ending == ".csv":
        table.to_csv(path, index=False)
    else:
        table.assign(day=table["day"].dt.strftime("%Y-%m-%d")).to_json(
            path, orient="records", lines=True
        )
    columns = {"old": "old", "new": "new"}
    expected = compare(y, predictions, time=DAYS, horizon=2).rows[0]
    for data in (path, table):
        row = compare(data, columns, y_true="y", time=time, horizon=2).rows[0]

        assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-9)


def test_lazy_frames(tmp_path):
    """Records of a lazy frame are read if they are few, and refused if not."""
    polars = pytest.importorskip("polars")
    y, predictions = classes()
    lazy = polars.DataFrame({"y": y, **predictions, "day": DAYS}).lazy()
    columns = {"old": "old", "new": "new"}
    settings = {"y_true": "y", "time": "day"}
    expected = compare(y, predictions, time=DAYS).rows[0]

    row = compare(lazy, columns, **settings).rows[0]
    assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-9)
    with pytest.raises(ValueError, match="`time` are read into memory") as error:
        compare(lazy, columns, collect=100, **settings)
    assert "\n" not in str(error.value)


def test_eager_frame_counted():
    """A frame in memory is not counted in the order of time."""
    y, predictions = classes()
    table = frame(y, predictions, day=DAYS)
    with pytest.raises(ValueError, match="Raise `collect`, or leave `time`"):
        compare(table, {"old": "old", "new": "new"}, y_true="y", time="day", collect=0)


def test_joined_frames():
    """The time of records is that of the frame that has it, joined by ids."""
    y, predictions = classes()
    ids = np.arange(N)
    old = pd.DataFrame({"id": ids, "y": y, "old": predictions["old"], "day": DAYS})
    new = frame(y, {"new": predictions["new"]}, id=ids).drop(columns="y")
    columns = {"old": "old", "new": (new, "new")}
    row = compare(old, columns, y_true="y", id="id", time="day").rows[0]

    assert compare(y, predictions, time=DAYS).rows[0].pvalue == pytest.approx(row.pvalue)


def test_predictions(tmp_path):
    """Predictions hold the times, and are saved with them."""
    y, predictions = classes()
    made = predictions_from_arrays(y, predictions, time=DAYS, horizon=4)
    made.save(tmp_path / "predictions.npz")
    loaded = Predictions.load(tmp_path / "predictions.npz")

    assert ("time-ordered holdout", 4, N) == (
        loaded.design.name,
        loaded.horizon,
        loaded.n_times,
    )
    assert np.array_equal(made.time, loaded.time)
    pair = loaded.pair("old", "new")
    ordered = OrderedDifferences.from_pair(pair, loss="log_loss")
    assert (4, N, "time-ordered holdout") == (
        ordered.horizon,
        ordered.n_times,
        ordered.design.name,
    )
    table = frame(y, predictions, day=DAYS)
    framed = predictions_from_frame(
        table, "y", {"old": "old", "new": "new"}, time="day", horizon=4
    )
    assert np.array_equal(made.time, np.sort(framed.time))


def test_counted_records_have_no_time():
    """A tally has no order."""
    from skcompare.evidence import TallyRequest, tally_arrays

    y, predictions = classes()
    tally = tally_arrays(y, predictions, TallyRequest(labels=True))
    with pytest.raises(ValueError, match="Got time as well"):
        compare(tally, time=DAYS)


def scores(n=N, seed=0):
    """Correct answers of two systems."""
    rng = np.random.default_rng(seed)
    return (rng.random(n) < 0.6).astype(int), (rng.random(n) < 0.75).astype(int)


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("groups", [None, np.arange(N) % 5])
def test_scores(greater, groups):
    """Scores of items in the order of time."""
    old, new = scores()
    settings = {"time": DAYS[::-1], "horizon": 2, "group": groups}
    row = compare_scores(old, new, greater_is_better=greater, **settings).rows[0]
    losses = (-old, -new) if greater else (old, new)
    ordered = OrderedDifferences.from_losses(
        *(1.0 * own for own in losses), time=DAYS[::-1], horizon=2
    )
    expected = diebold_mariano(ordered)

    assert ("diebold_mariano", old.mean(), new.mean()) == (
        row.test,
        pytest.approx(row.champion),
        pytest.approx(row.challenger),
    )
    assert expected.pvalue == pytest.approx(row.pvalue, rel=1e-9)
    assert (1 if greater else -1) * (new - old).mean() == pytest.approx(row.difference)


def test_score_files(tmp_path):
    """One of two files has the column of times, which all rows of an item share."""
    old, new = scores()
    first = pd.DataFrame({"item": np.arange(N), "score": old, "day": DAYS.astype(str)})
    second = pd.DataFrame({"item": np.arange(N)[::-1], "score": new[::-1]})
    paths = [str(tmp_path / f"{name}.csv") for name in ("old", "new")]
    first.to_csv(paths[0], index=False)
    second.to_csv(paths[1], index=False)
    comparison = compare_scores(*paths, time="day")
    expected = compare_scores(old, new, time=np.arange(N))

    assert expected.rows[0].pvalue == pytest.approx(comparison.rows[0].pvalue)
    assert "160 items, at 160 times, horizon 1" == comparison.size
    twice = pd.concat([first, first.assign(day="2025-01-01")])
    with pytest.raises(ValueError, match="must agree in 'day'"):
        compare_scores(twice, second, time="day")


def test_few_scores():
    """Few times have a reason; unnamed scores with times are no folds."""
    old, new = scores(20)
    few = compare_scores(old, new, time=np.arange(20), horizon=3)
    enough = compare_scores(old, new, time=np.arange(20), horizon=2)

    assert few.rows[0].test is None
    assert "need 24 time points" in few.rows[0].note
    assert "diebold_mariano" == enough.rows[0].test


def test_item_scores():
    """Slices keep the times, and the digest of items has them."""
    old, new = scores()
    items = ItemScores.from_scores(old, new, time=DAYS, horizon=2)
    kept = items.subset(np.arange(N) < 50)

    assert (50, 2) == (kept.n_times, kept.horizon)
    assert "time-ordered holdout" == items.design.name
    assert items.fingerprint != ItemScores.from_scores(old, new).fingerprint
    with pytest.raises(ValueError, match="Got `time` as well"):
        compare_scores(items, time=DAYS)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_records_needed_are_those_of_a_plan(alternative):
    """The variance over time has few degrees of freedom, which takes more records."""
    rng = np.random.default_rng(3)
    gains = 0.3 + np.convolve(rng.normal(size=123), np.ones(4) / 2, "valid")
    y = rng.normal(size=120)
    predictions = {"old": y + 5, "new": y + 5 - gains}
    comparison = compare(
        y,
        predictions,
        time=np.arange(120),
        scoring="neg_mean_absolute_error",
        alternative=alternative,
    )
    pilot = comparison.evidence(OrderedDifferences, loss="absolute_error")
    plan = plan_time_from_pilot(pilot, alternative=alternative)
    wald = mean_in_time(pilot)
    normal = wald.sample_size(pilot.n, Aim(0.05, 0.8, alternative))

    assert plan.records == comparison.conclusion.records_needed > 1.05 * normal
