"""Losses of quantiles, intervals, normal distributions and samples, by other software."""

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm, ttest_rel

from skcompare import Comparison, compare
from skcompare._registry.metrics import by_columns, record_losses
from skcompare.evidence import PairedLosses, forecasts_for
from skcompare.evidence.losses import _record_losses
from skcompare.predictions import Predictions, predictions_from_arrays
from skcompare.stats import paired_t
from tests.common.golden import golden

GOLDEN = golden("forecast_losses")
ENTRIES = {
    entry.name: entry for entry in record_losses().values() if entry.needs != "values"
}
LEVELS = 0.05, 0.25, 0.5, 0.75, 0.95
N = 120
RNG = np.random.default_rng(12)
Y = RNG.normal(10, 3, N)


def forecast(values, spread):
    """A forecast in every form, of which a loss takes one."""
    draws = values[:, None] + spread * np.random.default_rng(3).normal(size=(N, 9))
    quantiles = {level: values + spread * norm.ppf(level) for level in LEVELS}
    std = np.full(N, spread)
    return {"values": values, "std": std, "quantiles": quantiles, "samples": draws}


OLD, NEW = (
    forecast(Y + error * RNG.normal(size=N), spread)
    for error, spread in ((1.2, 1.0), (0.8, 0.9))
)
BOTH = {"old": OLD, "new": NEW}


def losses_of(name, y, parts, **options):
    """Losses of a few records by a forecast."""
    stored = predictions_from_arrays(y, {"one": parts}, target="numbers")["one"]
    (arguments,) = forecasts_for(name, [stored])
    return ENTRIES[name].function(np.asarray(y, dtype=float), *arguments, **options)


# ------------------------------------------------------- other people's numbers


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["loss"])
def test_losses_of_independent_software(case):
    """Each record's loss by scoringrules, properscoring, scipy, or in 50 digits."""
    parts = dict(case["forecast"])
    if "quantiles" in parts:
        columns = parts["quantiles"]
        by_level = dict(zip(columns["levels"], columns["columns"], strict=True))
        parts = {"values": case["y"], "quantiles": by_level}

    losses = losses_of(case["loss"], case["y"], parts, **case["options"])
    assert_allclose(losses, case["losses"], rtol=1e-12)


def test_crps_of_many_samples_and_quantiles():
    """Draws and quantiles of a normal distribution have nearly its CRPS."""
    y, m = np.array([-2.0, 0.1, 1.5]), 999
    levels = (np.arange(m) + 0.5) / m
    quantiles = np.tile(norm.ppf(levels), (3, 1))
    exact = losses_of("crps_normal", y, {"values": 0 * y, "std": 1 + 0 * y})

    by_quantiles = {
        "values": 0 * y,
        "quantiles": dict(zip(levels, quantiles.T, strict=True)),
    }
    assert_allclose(losses_of("crps_quantiles", y, by_quantiles), exact, atol=2e-3)
    assert_allclose(losses_of("crps_samples", y, {"samples": quantiles}), exact, atol=2e-3)


def test_unequal_levels_are_weighted():
    """Each quantile stands for the levels nearer to it than to others."""
    levels, quantiles = [0.1, 0.2, 0.8], [1.0, 2.0, 4.0]
    parts = {"values": [0.0], "quantiles": {a: [q] for a, q in zip(levels, quantiles)}}
    pinballs = [
        a * (3 - q) if q < 3 else (1 - a) * (q - 3) for a, q in zip(levels, quantiles)
    ]
    shares = 0.15, 0.35, 0.5

    expected = 2 * sum(s * loss for s, loss in zip(shares, pinballs, strict=True))
    assert_allclose(losses_of("crps_quantiles", [3.0], parts), expected, rtol=1e-12)


def test_crps_of_samples_is_that_of_their_distribution():
    """The plain score is the integral of the squared distance of two step functions."""
    draws, y = np.array([0.3, 1.1, 1.1, 4.0]), 2.0

    def squared_distance(x):
        return (np.mean(draws <= x) - (y <= x)) ** 2

    edges = sorted([*draws, y])
    pieces = pairwise(edges)
    expected = sum(quad(squared_distance, a + 1e-12, b)[0] for a, b in pieces if a < b)
    losses = losses_of("crps_samples", [y], {"samples": [draws]})
    assert_allclose(losses, expected, rtol=1e-9)


def test_fair_score_does_not_depend_on_the_number_of_draws():
    """The mean fair score of few draws is that of the distribution, the plain one not."""
    rng = np.random.default_rng(5)
    y, draws = rng.normal(size=4000), rng.normal(size=(4000, 3))
    exact = losses_of("crps_normal", y, {"values": 0 * y, "std": 1 + 0 * y}).mean()
    fair = losses_of("crps_samples", y, {"samples": draws}, fair=True).mean()
    plain = losses_of("crps_samples", y, {"samples": draws}).mean()

    assert fair == pytest.approx(exact, abs=0.03)
    # Half the mean distance of two draws, 1 / sqrt(pi), over the number of draws.
    assert plain - fair == pytest.approx(1 / math.sqrt(math.pi) / 3, abs=0.02)


def test_offsets_keep_digits():
    """A large common offset, or very unlike scales, leaves what rounding of y leaves."""
    y, draws = np.array([0.5, 2.0]), np.array([[0.0, 1.0, 3.0], [1.0, 2.5, 2.0]])
    near = losses_of("crps_samples", y, {"samples": draws})

    far = losses_of("crps_samples", y + 2.0**40, {"samples": draws + 2.0**40})
    assert_array_equal(near, far)


def test_better_forecasts_have_smaller_means():
    """Proper: the true distribution is better than a shifted, narrow or wide one."""
    n, rng = 5_000, np.random.default_rng(8)
    y = rng.normal(size=n)
    normal = rng.normal(size=(n, 5))

    def mean(name, shift, scale):
        quantiles = {a: np.full(n, shift + scale * norm.ppf(a)) for a in LEVELS}
        parts = {"values": np.full(n, shift), "std": np.full(n, scale)}
        parts |= {"quantiles": quantiles, "samples": shift + scale * normal}
        options = {"fair": True} if name == "crps_samples" else {}
        return losses_of(name, y, parts, **options).mean()

    for name in ENTRIES.keys() - {"miscoverage_loss"}:
        true = mean(name, 0, 1)
        assert true < min(mean(name, *other) for other in ((0.5, 1), (0, 0.5), (0, 2)))
    assert mean("miscoverage_loss", 0, 9) < mean("miscoverage_loss", 0, 1)


# ------------------------------------------------------- invariants


@pytest.mark.parametrize("name", ENTRIES)
def test_every_loss_runs_every_door(name, tmp_path):
    """Equal, swapped, reordered, sharded and stored forecasts, by the name of the mean."""
    measure = f"neg_{name}"
    row = compare(Y, BOTH, scoring=measure).rows[0]
    own = [losses_of(name, Y, parts) for parts in (OLD, NEW)]
    assert ("paired_t", True) == (row.test, row.greater_is_better)
    assert_allclose(row.pvalue, ttest_rel(*own).pvalue, rtol=1e-9)
    assert_allclose((row.champion, row.challenger), [-losses.mean() for losses in own])

    same = compare(Y, {"old": OLD, "copy": OLD}, scoring=measure).rows[0]
    back = compare(Y, {"a": NEW, "b": OLD}, scoring=measure).rows[0]
    assert (0, 1) == (same.difference, same.pvalue)
    assert_allclose((back.difference, back.pvalue), (-row.difference, row.pvalue))

    pair = predictions_from_arrays(Y, BOTH, target="numbers")
    halves = [
        PairedLosses.from_pair(_part(pair, rows), loss=name)
        for rows in (slice(0, 50), slice(50, N))
    ]
    assert_array_equal(np.stack(own), sum(halves).values)
    backwards = PairedLosses.from_pair(_part(pair, slice(None, None, -1)), loss=name)
    assert_array_equal(np.stack(own)[:, ::-1], backwards.values)
    pair.save(tmp_path / "x.npz")
    read = Predictions.load(tmp_path / "x.npz").pair("old", "new")
    assert_array_equal(np.stack(own), PairedLosses.from_pair(read, loss=name).values)
    assert paired_t(Y, OLD, NEW, loss=name).pvalue == row.pvalue


def _part(predictions, rows):
    """Some of the records."""
    shard = {role.name: role.part(rows) for role in predictions.estimators}
    parts = {
        name: {
            "values": role.values,
            "std": role.std,
            "quantiles": dict(zip(role.levels, role.quantiles.T, strict=True)),
            "samples": role.samples,
        }
        for name, role in shard.items()
    }
    return predictions_from_arrays(Y[rows], parts, target="numbers").pair("old", "new")


@pytest.mark.parametrize("name", ["interval_score", "crps_normal", "crps_samples"])
def test_all_tests_of_a_measure(name):
    """Resampling tests call the scorer of columns, and have the same difference."""
    comparison = compare(Y, BOTH, scoring=f"neg_{name}", tests="all")
    rows = [row for row in comparison.rows if row.kind == "difference"]
    rows = [row for row in rows if row.champion is not None]

    assert {"bootstrap_difference", "permutation_difference"} < {row.test for row in rows}
    for row in (row for row in rows if row.kind == "difference"):
        assert_allclose(row.difference, rows[0].difference, rtol=1e-9)
    read = Comparison.from_json(comparison.to_json())
    assert read.rows[0].pvalue == rows[0].pvalue


def test_ensembles_of_different_sizes():
    """Samples may have another number of draws for each model."""
    parts = {"old": {"samples": OLD["samples"]}, "new": {"samples": NEW["samples"][:, :4]}}
    rows = compare(Y, parts, scoring="neg_crps_samples", tests="all").rows
    fair = {"paired_t": {"loss": "crps_samples", "fair": True}}
    by_fair = compare(Y, parts, scoring="neg_mean_absolute_error", tests=fair)

    assert {"paired_t", "bootstrap_difference"} < {row.test for row in rows}
    expected = losses_of("crps_samples", Y, parts["new"], fair=True).mean()
    row = by_fair.results["crps_samples(fair=True)"]
    assert_allclose(row.challenger, expected, rtol=1e-12)


def test_known_bounds_hold():
    """No two losses of a record differ by more than the registered bound."""
    for entry in ENTRIES.values():
        if entry.bound is not None:
            losses = np.stack([losses_of(entry.name, Y, parts) for parts in (OLD, NEW)])
            assert 0 < np.abs(losses[0] - losses[1]).max() <= entry.bound
    assert {"miscoverage_loss"} == {e.name for e in ENTRIES.values() if e.bound}


def test_losses_in_parts(monkeypatch):
    """Chunks that fit the cache have the losses and moments of all records at once."""
    pair = predictions_from_arrays(Y, BOTH, target="numbers").pair("old", "new")
    names = [e.name for e in record_losses().values() if e.target == "numbers"]
    names = [name for name in names if record_losses()[name].expression]
    whole = {name: PairedLosses.from_pair(pair, loss=name) for name in names}
    monkeypatch.setattr(_record_losses, "PART", 50)

    assert {"squared_error", "interval_score", "log_score_normal"} < set(names)
    for name in names:
        parts = PairedLosses.from_pair(pair, loss=name)
        assert_array_equal(whole[name].values, parts.values)
        assert_allclose(parts.means, whole[name].means, rtol=1e-14)
        assert_allclose(paired_t(parts).pvalue, paired_t(whole[name]).pvalue, rtol=1e-9)
    y = np.where(np.arange(N) == 70, -1.0, np.abs(Y))
    with pytest.raises(ValueError, match="Got 1 others, the first at position 70"):
        PairedLosses.from_predictions(y, 1 + 0 * Y, 2 + 0 * Y, loss="poisson_deviance")


def test_functions_are_their_expressions():
    """Expressions of columns, which engines evaluate, have the numbers of functions."""
    for entry in ENTRIES.values():
        if entry.expression is not None:
            stored = predictions_from_arrays(Y, {"one": OLD}, target="numbers")["one"]
            (arguments,) = forecasts_for(entry.name, [stored])
            expected = by_columns(entry.expression)(Y, *arguments)
            assert_array_equal(expected, entry.function(Y, *arguments))


# ------------------------------------------------------- errors


def test_samples_stand_for_numbers():
    """Their mean is the predicted number where none is passed."""
    draws = OLD["samples"]
    stored = predictions_from_arrays(Y, {"one": {"samples": draws}}, target="numbers")[
        "one"
    ]

    assert_array_equal(draws.mean(axis=1), stored.values)
    assert (3, 9) == stored.part(slice(0, 3)).samples.shape
    both = {"values": Y, "samples": draws}
    stored = predictions_from_arrays(Y, {"one": both}, target="numbers")["one"]
    assert_array_equal(Y, stored.values)


INTERVAL = {"values": [1.0], "intervals": {0.8: ([0.0], [2.0])}}


@pytest.mark.parametrize(
    ("name", "parts", "options", "message"),
    [
        ("interval_score", {"quantiles": {0.5: [1.0]}}, {}, r"Got the levels \(0\.5,\)\."),
        (
            "interval_score",
            INTERVAL,
            {"coverage": 0.9},
            r"levels \(0\.05, 0\.95\)\. Got the",
        ),
        ("miscoverage_loss", INTERVAL, {"coverage": 80}, r"between 0 and 1\. Got 80\."),
        (
            "weighted_interval_score",
            INTERVAL,
            {},
            r"needs the median, .*levels \(0\.1, 0\.9",
        ),
        ("crps_samples", {"samples": [[1.0]]}, {"fair": True}, r"2 draws .*\. Got 1\."),
        ("crps_samples", {"samples": [[1.0, 2]]}, {"fair": 1}, r"True or False\. Got 1\."),
        ("crps_samples", {"samples": [1.0]}, {}, r"n_draws\), .*\. Got shape \(1,\)\."),
        ("crps_samples", {"samples": [[]]}, {}, r"Got shape \(1, 0\)\."),
        ("crps_samples", {"samples": [[1, np.nan]]}, {}, "row by row` must be finite"),
        ("crps_samples", {"samples": [["a"]]}, {}, "row by row` must be numbers"),
        ("crps_samples", {"samples": [[1], [2]]}, {}, "has 2"),
        ("crps_samples", INTERVAL, {}, "needs samples, and one predicts none"),
        ("crps_normal", INTERVAL, {}, "needs std, and one predicts none"),
    ],
)
def test_unsuited_forecasts(name, parts, options, message):
    """What a loss needs of a forecast is one clear line."""
    with pytest.raises(ValueError, match=message):
        losses_of(name, [1.0], parts, **options)


def test_measures_without_their_forecasts():
    """A measure says what the predictions lack."""
    plain = {name: parts["values"] for name, parts in BOTH.items()}
    for tests in ("auto", "bootstrap_difference"):
        with pytest.raises(
            ValueError, match="'crps_normal' needs std, and old predicts none"
        ):
            compare(Y, plain, scoring="neg_crps_normal", tests=tests)
