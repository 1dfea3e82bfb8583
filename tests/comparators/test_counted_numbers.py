"""Comparisons of numbers whose losses are summed where the records are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skcompare import compare
from skcompare.evidence import PairedLosses, TallyRequest, tally_arrays, tally_frame

pl = pytest.importorskip("polars")

N = 700
NUMBERS = ("champion", "challenger", "difference", "low", "high", "pvalue")
PREDICTIONS = {"old": "old", "new": "new"}
SUMMED = [
    "r2",
    "neg_mean_absolute_error",
    "neg_root_mean_squared_error",
    "neg_mean_squared_error",
    "neg_root_mean_squared_log_error",
    "neg_mean_poisson_deviance",
    "neg_mean_gamma_deviance",
    "huber_loss",
]


@pytest.fixture(scope="module")
def frame():
    """Positive numbers, predictions of two regressors, and groups."""
    rng = np.random.default_rng(4)
    y = rng.gamma(3, 40, size=N)
    old, new = y * np.exp(0.2 * rng.normal(size=(2, N)))
    groups = rng.integers(60, size=N)
    return pl.DataFrame({"y": y, "old": old, "new": new, "user": groups})


def assert_same_rows(expected, actual):
    """The rows are the same but for rounding."""
    for one, other in zip(expected.rows, actual.rows, strict=True):
        assert (one.subject, one.test) == (other.subject, other.test)
        assert (one.flags, one.note) == (other.flags, other.note)
        pairs = [(getattr(one, name), getattr(other, name)) for name in NUMBERS]
        for value, own in [*pairs, (one.result.df, other.result.df)]:
            assert value == pytest.approx(own, rel=1e-9)


@pytest.mark.parametrize("groups", [None, "user"])
def test_summed_is_read(frame, groups):
    """Losses that were summed give the report of records that were read, row by row."""
    settings = {"y_true": "y", "groups": groups, "scoring": SUMMED}
    read = compare(frame, PREDICTIONS, **settings)
    for records in (frame, frame.lazy()):
        summed = compare(records, PREDICTIONS, collect=0, **settings)

        assert_same_rows(read, summed)
        assert (read.verdict, read.n_records) == (summed.verdict, summed.n_records)


def test_target_of_columns(frame):
    """Default measures are those of numbers where labels could not be fractions."""
    whole = frame.with_columns(pl.col("y").round().cast(pl.Int64))
    late = frame.with_columns(
        y=pl.when(pl.int_range(N) == N - 1).then(0.5).otherwise(pl.col("y").round())
    )
    for records in (frame, whole, late):
        read = compare(records, PREDICTIONS, y_true="y")
        assert_same_rows(read, compare(records.lazy(), PREDICTIONS, y_true="y", collect=0))
    binary = {"y": [0, 1] * 40, "old": [0.2, 0.7] * 40, "new": [0.1, 0.8] * 40}
    of_classes = compare(pl.LazyFrame(binary), PREDICTIONS, y_true="y", collect=0)
    assert "accuracy" == of_classes.rows[0].measure


def test_same_and_swapped_predictions(frame):
    """Equal predictions give 0 and p = 1, and swapped roles the other sign."""
    settings = {"y_true": "y", "collect": 0}
    same = compare(frame.lazy(), {"old": "old", "new": "old"}, **settings)
    there = compare(frame.lazy(), {"a": "old", "b": "new"}, **settings)
    back = compare(frame.lazy(), {"a": "new", "b": "old"}, **settings)

    assert [(0, 1)] * 3 == [(row.difference, row.pvalue) for row in same.rows]
    for one, other in zip(there.rows, back.rows, strict=True):
        assert_allclose(one.difference, -other.difference, rtol=1e-12)
        assert_allclose(one.pvalue, other.pvalue, rtol=1e-9)


def test_few_records_that_decide(frame):
    """The flag of few records that decide needs no record, but the largest difference."""
    worse = pl.col("y") + 1.2 * (pl.col("old") - pl.col("y"))
    one = frame.with_columns(old=pl.when(pl.int_range(N) == 5).then(400.0).otherwise(worse))
    read = compare(one, PREDICTIONS, y_true="y")
    summed = compare(one.lazy(), PREDICTIONS, y_true="y", collect=0)

    assert "decided-by-few-records" in summed.rows[0].flags
    assert_same_rows(read, summed)
    for name in ("largest_share", "few_records_pvalue"):
        details = [each.rows[0].result.details[name] for each in (read, summed)]
        assert_allclose(*details, rtol=1e-9)


def test_shards_and_units(frame):
    """Tallies of shards add up to that of all, and far targets keep their digits."""
    far = frame.with_columns(pl.col("y", "old", "new") + 1e7)
    requested = TallyRequest(
        losses=("relative_squared_error",), scores=("neg_root_mean_squared_error",)
    )
    tallies = [
        tally_frame(part.lazy(), "y", PREDICTIONS, requested)
        for part in (far[:300], far[300:], far)
    ]
    arrays = {name: far[name].to_numpy() for name in PREDICTIONS}
    y = far["y"].to_numpy()
    tallies += [tally_arrays(y, arrays, requested)]
    expected = compare(y, arrays, scoring=["r2", "neg_root_mean_squared_error"])
    for tally in (tallies[0] + tallies[1], *tallies[2:]):
        assert_same_rows(
            expected, compare(tally, scoring=["r2", "neg_root_mean_squared_error"])
        )


def test_options_of_losses(frame):
    """Options of a loss are those of the sums, and part of the name of the loss."""
    columns = {"y_true": "y", "champion": "old", "challenger": "new"}
    arrays = [frame[name].to_numpy() for name in ("y", "old", "new")]
    for loss, options in (("pinball_loss", {"alpha": 0.9}), ("huber_loss", {"delta": 9})):
        own = PairedLosses.from_frame(frame.lazy(), **columns, loss=loss, **options)
        expected = PairedLosses.from_predictions(*arrays, loss=loss, **options)
        assert expected.loss == own.loss
        assert_allclose(own.means, expected.means, rtol=1e-12)
    tests = {"paired_t": {"loss": "pinball_loss", "alpha": 0.9}}
    settings = {"y_true": "y", "scoring": "neg_mean_absolute_error", "tests": tests}
    read = compare(frame, PREDICTIONS, **settings)
    assert_same_rows(read, compare(frame.lazy(), PREDICTIONS, collect=0, **settings))
    with pytest.raises(ValueError, match="whose options are alpha"):
        TallyRequest(losses=("pinball_loss",), loss_options={"pinball_loss": {"a": 1}})


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("spearman_correlation", "not a function of sums"),
        ("d2_absolute_error_score", "Choose 'neg_mean_absolute_error'"),
        ("explained_variance", "Choose 'r2'"),
    ],
)
def test_what_is_no_sum(frame, measure, message):
    """Measures that sums do not give are refused, with what to do."""
    with pytest.raises(ValueError, match=message):
        compare(frame.lazy(), PREDICTIONS, y_true="y", scoring=measure, collect=0)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_missing_numbers(frame, value):
    """Missing and infinite numbers are refused, with their number."""
    for name in ("y", "new"):
        gaps = frame.with_columns(
            pl.when(pl.int_range(N) == 7).then(value).otherwise(pl.col(name)).alias(name)
        )
        with pytest.raises(ValueError, match=rf"{name}'.* finite numbers\. Got 1 of 700"):
            compare(gaps.lazy(), PREDICTIONS, y_true="y", scoring="r2", collect=0)


def test_numbers_without_a_loss(frame):
    """Numbers outside the domain of a loss are refused, and constant targets for R²."""
    settings = {"y_true": "y", "collect": 0}
    below = frame.with_columns(new=pl.col("new") - 100)
    with pytest.raises(ValueError, match=r"needs predictions above 0\. Got .* of 700"):
        compare(below.lazy(), PREDICTIONS, scoring="neg_mean_gamma_deviance", **settings)
    constant = frame.with_columns(y=pl.lit(0.1))
    with pytest.raises(ValueError, match="targets that are all equal"):
        compare(constant.lazy(), PREDICTIONS, scoring="r2", **settings)
    texts = frame.with_columns(pl.col("new").cast(pl.String))
    with pytest.raises(ValueError, match="must hold numbers"):
        compare(texts.lazy(), PREDICTIONS, scoring="r2", **settings)
