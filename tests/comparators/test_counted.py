"""Comparisons of records that are counted where they are."""

from dataclasses import replace

import numpy as np
import pytest

from skcompare import compare
from skcompare.evidence import ScoreBins, TallyRequest, tally_arrays, tally_frame
from skcompare.stats import paired_tests

pl = pytest.importorskip("polars")

N = 600
BY_RECORD = {
    "bootstrap_difference",
    "jackknife_difference",
    "permutation_difference",
    "wilcoxon",
    "loss_permutation",
    "anytime_losses",
    "cochran_q",
    "delong_ovr",
    "delong_ovo",
    "delong_classes",
    "clustered_delong",
}
MEASURES = [
    "accuracy",
    "roc_auc",
    "binary_brier_loss",
    "neg_binary_brier_loss",
    "neg_log_loss",
    "spherical_loss",
    "squared_calibration_error",
    "expected_calibration_error",
    "neg_maximum_calibration_error",
    "f1",
    "balanced_accuracy",
    "precision[1]",
    "recall[0]",
]


@pytest.fixture(scope="module")
def frame():
    """Predictions of two classifiers, with few different probabilities, and groups."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    columns = {"y": y}
    for name, skill in (("old", 0.3), ("new", 0.5)):
        p = 0.5 + skill * (y - 0.5) + 0.25 * rng.standard_normal(N)
        columns[name] = p.clip(0.02, 0.98).round(2)
    return pl.DataFrame(columns | {"user": rng.integers(60, size=N)})


PREDICTIONS = {"champion": "old", "challenger": "new"}


def numbers_of(row):
    """What must be the same, counted or not."""
    names = "champion", "challenger", "difference", "low", "high", "pvalue"
    return [np.nan if getattr(row, n) is None else getattr(row, n) for n in names]


def assert_same_rows(expected, comparison):
    """The rows are the same but for rounding."""
    assert [(r.subject, r.test) for r in expected.rows] == [
        (r.subject, r.test) for r in comparison.rows
    ]
    for one, other in zip(expected.rows, comparison.rows, strict=True):
        assert numbers_of(one) == pytest.approx(numbers_of(other), rel=1e-8, nan_ok=True)
        assert one.flags == other.flags
        assert one.note == other.note


def test_counted_is_read(frame):
    """Counted records give the report of records that were read, row by row."""
    read = compare(frame, PREDICTIONS, y_true="y", scoring=MEASURES)
    for records in (frame, frame.lazy()):
        counted = compare(records, PREDICTIONS, y_true="y", scoring=MEASURES, collect=0)

        assert_same_rows(read, counted)
        assert (read.verdict, read.n_records) == (counted.verdict, counted.n_records)
        assert str(read.advice) == str(counted.advice)
        assert type(read).from_json(counted.to_json()).verdict == read.verdict


@pytest.mark.slow
def test_all_tests_but_those_of_records(frame):
    """tests="all" takes every test that needs no single record, with the same numbers."""
    read = compare(frame, PREDICTIONS, y_true="y", tests="all")
    counted = compare(frame.lazy(), PREDICTIONS, y_true="y", tests="all", collect=0)
    by_test = {(row.measure, row.label, row.test): row for row in read.rows}

    assert {test for *_, test in by_test} - {row.test for row in counted.rows} <= BY_RECORD
    for row in counted.rows:
        # Moments have a correlation that is none of ranks, and no record to leave out.
        if row.test not in ("error_correlation", "relative_loss"):
            expected = numbers_of(by_test[row.measure, row.label, row.test])
            assert expected == pytest.approx(numbers_of(row), rel=1e-8, nan_ok=True)


def test_tests_of_records_are_told_apart():
    """The registry says which tests need each record where their evidence is sums."""
    of_records = {name for name, entry in paired_tests().items() if entry.of_records}

    expected = {"wilcoxon", "loss_permutation", "clustered_delong", "anytime_losses"}
    resampled = {f"{n}_difference" for n in ("bootstrap", "jackknife", "permutation")}
    assert expected | resampled | {"clustered_relative_loss"} == of_records


def test_groups(frame):
    """Grouped labels and losses are counted group by group."""
    measures = ["accuracy", "neg_binary_brier_loss"]
    settings = {"y_true": "y", "groups": "user", "scoring": measures}
    read = compare(frame, PREDICTIONS, **settings)
    counted = compare(frame.lazy(), PREDICTIONS, collect=0, **settings)

    assert "clustered_t" == counted.rows[1].test
    assert_same_rows(read, counted)


def test_labels_of_several_classes(frame):
    """Text labels of three classes, with a class that only predictions have."""
    names = np.array(["ant", "bee", "cow", "dog"])
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=N)
    labels = {"y": names[y]}
    for name in ("old", "new"):
        labels[name] = names[np.where(rng.random(N) < 0.7, y, rng.integers(4, size=N))]
    few = pl.DataFrame(labels)
    settings = {"y_true": "y", "scoring": ["accuracy", "f1_macro", "precision[bee]"]}
    for lazy in (few, few.lazy()):
        with pytest.raises(ValueError, match="labels that no record"):
            compare(lazy, PREDICTIONS, collect=0, **settings)
    settings["labels"] = names

    read = compare(few, PREDICTIONS, **settings)
    assert_same_rows(read, compare(few.lazy(), PREDICTIONS, collect=0, **settings))


def test_small_lazy_frames_are_read(frame):
    """Up to `collect` records every test has the records, so that AUCs are exact."""
    rng = np.random.default_rng(2)
    many = frame.with_columns(old=pl.Series(rng.random(N)), new=pl.Series(rng.random(N)))
    settings = {"y_true": "y", "scoring": "roc_auc"}
    read = compare(many.lazy(), PREDICTIONS, collect=N, **settings)
    counted = compare(many.lazy(), PREDICTIONS, collect=N - 1, **settings)

    assert "binned-scores" not in read.rows[0].flags
    assert "binned-scores" in counted.rows[0].flags
    assert read.rows[0].difference == pytest.approx(counted.rows[0].difference, abs=1e-3)


def test_what_needs_records_is_refused(frame):
    """What cannot be counted is refused before anything is, with what to do."""
    for requested in [
        {"scoring": "average_precision"},
        {"scoring": "roc_auc[1]"},
        {"scoring": lambda estimator, X, y: float(len(X))},
        {"tests": "wilcoxon"},
        {"tests": "bootstrap_difference"},
        {"tests": {"calibration_difference": {"strategy": "quantile"}}},
        {"tests": {"paired_t": {"loss": lambda codes, proba: codes * 1.0}}},
        {"scoring": "cost_weighted_loss"},
    ]:
        with pytest.raises(ValueError, match=r"every record|in memory"):
            compare(frame.lazy(), PREDICTIONS, y_true="y", collect=0, **requested)


def test_two_ways_of_counting_are_refused(frame):
    """The records are binned in one way; another one for another test is refused."""
    tests = {"calibration_difference": {"n_bins": 5, "pos_label": 0}}

    with pytest.raises(ValueError, match="counted in one way"):
        compare(frame.lazy(), PREDICTIONS, y_true="y", collect=0, tests=tests)


def batches(frame, requested, n=4):
    """A tally a batch of records."""
    for part in np.array_split(np.arange(N), n):
        rows = frame[part]
        predictions = {
            name: rows[column].to_numpy() for name, column in PREDICTIONS.items()
        }
        yield tally_arrays(rows["y"].to_numpy(), predictions, requested)


def test_tally_of_batches(frame):
    """Batches of a stream, counted and added up, are compared as the whole is."""
    measures = ["accuracy", "roc_auc", "neg_binary_brier_loss", "squared_calibration_error"]
    requested = TallyRequest(
        labels=True,
        losses=("binary_brier_loss",),
        calibration=True,
        ranking=True,
        score_bins=ScoreBins.distinct(),
    )
    counted = compare(sum(batches(frame, requested)), scoring=measures)

    assert_same_rows(compare(frame, PREDICTIONS, y_true="y", scoring=measures), counted)


def test_tally_that_lacks_something(frame):
    """A tally that was made for less says what it has to be made with."""
    (tally,) = batches(frame, TallyRequest(labels=True, losses=("binary_brier_loss",)), n=1)

    with pytest.raises(
        ValueError, match=r"losses=\('binary_brier_loss', 'log_loss'\), calibration=True"
    ):
        compare(tally, scoring=["neg_log_loss", "squared_calibration_error"])
    with pytest.raises(ValueError, match=r"has truth and predictions in it\. Got y_true"):
        compare(tally, y_true="y")


def test_labels_beside_probabilities(frame):
    """A classifier with a threshold of its own gives labels and probabilities."""
    y = frame["y"].to_numpy()
    predictions = {}
    for name, column in PREDICTIONS.items():
        p = frame[column].to_numpy()
        predictions[name] = {"labels": (p > 0.3).astype(int), "proba": p}
    both = compare(y, predictions, scoring=["accuracy", "roc_auc"])
    labels = compare(y, {name: one["labels"] for name, one in predictions.items()})
    scores = compare(y, {n: a["proba"] for n, a in predictions.items()}, scoring="roc_auc")

    assert numbers_of(labels.rows[0]) == numbers_of(both.rows[0])
    assert numbers_of(scores.rows[0]) == numbers_of(both.rows[1])
    with pytest.raises(ValueError, match=r"'labels' and 'proba' where it is a dict"):
        compare(y, {"old": {"labels": y}, "new": y})


@pytest.mark.parametrize("collect", [0, N], ids=["counted", "read"])
def test_columns_of_labels_beside_probabilities(frame, collect):
    """Columns of a lazy frame are labels and probabilities, as arrays are."""
    with_labels = frame.with_columns(
        a=(pl.col("old") > 0.3).cast(pl.Int8), b=(pl.col("new") > 0.6).cast(pl.Int8)
    )
    measures = ["accuracy", "binary_brier_loss", "squared_calibration_error", "roc_auc"]
    arrays = {
        "champion": {
            "labels": with_labels["a"].to_numpy(),
            "proba": frame["old"].to_numpy(),
        },
        "challenger": {
            "labels": with_labels["b"].to_numpy(),
            "proba": frame["new"].to_numpy(),
        },
    }
    columns = {
        "champion": {"labels": "a", "proba": "old"},
        "challenger": {"labels": "b", "proba": "new"},
    }
    expected = compare(frame["y"].to_numpy(), arrays, scoring=measures)
    lazy = with_labels.lazy()

    assert_same_rows(
        expected, compare(lazy, columns, y_true="y", scoring=measures, collect=collect)
    )
    with pytest.raises(ValueError, match="'labels' and 'proba' where it is a dict"):
        compare(lazy, columns | {"champion": {"labels": "a"}}, y_true="y", collect=collect)


def test_labels_that_are_not_the_likeliest(frame):
    """Events of calibration follow the probabilities, and accuracy the labels."""
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=N)
    predictions = {}
    for name in PREDICTIONS:
        proba = rng.dirichlet([1, 1, 1], size=N)
        proba[np.arange(N), y] += 0.5
        labels = np.where(rng.random(N) < 0.2, 0, proba.argmax(axis=1))
        predictions[name] = {"labels": labels, "proba": proba / 1.5}
    columns = {"y": y}
    named = {}
    for name, given in predictions.items():
        own = [f"{name} {k}" for k in range(3)]
        columns |= {f"{name} label": given["labels"]}
        columns |= dict(zip(own, given["proba"].T, strict=True))
        named[name] = {"labels": f"{name} label", "proba": own}
    settings = {"scoring": ["accuracy", "squared_calibration_error", "neg_log_loss"]}

    read = compare(y, predictions, **settings)
    lazy = pl.DataFrame(columns).lazy()
    assert_same_rows(read, compare(lazy, named, y_true="y", collect=0, **settings))


def test_one_scan(frame):
    """One group-by of everything holds the same as two."""
    requested = TallyRequest(
        labels=True, losses=("binary_brier_loss",), calibration=True, ranking=True
    )
    both = [
        tally_frame(frame.lazy(), "y", PREDICTIONS, replace(requested, one_scan=one))
        for one in (False, True)
    ]
    measures = ["accuracy", "roc_auc", "binary_brier_loss", "squared_calibration_error"]

    assert [2, 1] == [len(tally.tables) for tally in both]
    assert_same_rows(*(compare(tally, scoring=measures) for tally in both))
    with pytest.raises(ValueError, match=r"one plan can be merged\. Got one_scan"):
        both[0] + both[1]


def test_dataset(frame, tmp_path):
    """A dataset of pyarrow has columns that can be named."""
    dataset = pytest.importorskip("pyarrow.dataset")
    frame.write_parquet(tmp_path / "predictions.parquet")
    files = dataset.dataset(tmp_path / "predictions.parquet")

    assert_same_rows(
        compare(frame, PREDICTIONS, y_true="y"),
        compare(files, PREDICTIONS, y_true="y", collect=0),
    )
