"""The difference of calibration errors from sums over cells is that from the records."""

import math
from dataclasses import replace

import numpy as np
import pytest

from skcompare.evidence import PairedCalibration
from skcompare.evidence.core._bins import SUMS, cell_sums
from skcompare.stats import calibration_difference
from skcompare.stats.calibration._calibration_difference import variance_over_resamples
from skcompare.stats.calibration._squared_errors import (
    role_sums,
    squared_errors,
    variance_of,
)

N = 400


def of_arrays(y, p, q, **options):
    return PairedCalibration.from_predictions(
        np.asarray(y, dtype=int), p, q, labels=[0, 1], **{"n_bins": 6} | options
    )


def random_arrays(n=N, seed=0):
    rng = np.random.default_rng([seed, n])
    p = rng.uniform(0, 1, size=n)
    y = rng.random(n) < p
    return y, np.clip(p + rng.normal(0.05, 0.1, size=n), 0, 1), p**1.3


def random_classes(seed=0, n=N):
    rng = np.random.default_rng(seed)
    pair = rng.dirichlet([1, 1, 1], size=(2, n))
    return PairedCalibration.from_predictions(rng.integers(3, size=n), *pair, n_bins=6)


def apart(share):
    """A classifier, and one that differs in a share of the records."""
    y, p, q = random_arrays()
    return y, p, np.where(np.arange(N) < share * N, q, p)


Y, P, Q = random_arrays()
CASES = {
    "two records": of_arrays(*random_arrays(2)),
    "three records": of_arrays(*random_arrays(3, 1)),
    "a record a cell": of_arrays(*random_arrays(20), n_bins=200),
    "one bin": of_arrays(Y, P, Q, n_bins=1),
    "empty bins": of_arrays(Y, P / 3, Q / 4, n_bins=20),
    "top label": random_classes(),
    "all events": of_arrays(np.ones(N), P, Q),
    "no events": of_arrays(np.zeros(N), P, Q),
    "few values": of_arrays(Y, (P * 4).round() / 4, (Q * 3).round() / 3),
    "constant": of_arrays(Y, np.full(N, 0.3), np.full(N, 0.55)),
    "impossible": of_arrays(Y, np.where(P < 0.3, 0.0, P), Q),
    "perfect": of_arrays(Y, Y.astype(float), Q),
    "few differ": of_arrays(*apart(0.05)),
    "other edges": of_arrays(Y, P, Q, edges=([0, 0.2, 0.3, 1], [0, 0.4, 0.7, 1])),
}


def same(one, other, rel=1e-11):
    """Whether two results say the same."""
    for name in ("estimate", "champion", "challenger", "statistic", "pvalue", "df"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        assert a is None or a == pytest.approx(b, rel=rel, abs=1e-15, nan_ok=True), name
    assert one.flags == other.flags
    assert dict(one.details) == pytest.approx(dict(other.details), rel=rel, abs=1e-17)
    assert one.confidence_interval() == pytest.approx(
        other.confidence_interval(), rel=rel, abs=1e-14
    )


def test_analytic():
    """Estimate, error, degrees of freedom, p-value, flags and parts are the same."""
    for whole in CASES.values():
        one, other = (calibration_difference(each) for each in (whole, whole.reduced()))

        same(one, other)
        for records, sums in zip(one.parts, other.parts, strict=True):
            assert "calibration_cusum_pvalue" not in sums
            known = {name: records[name] for name in sums}
            assert known.pop("role") == sums.pop("role")
            assert known == pytest.approx(sums, rel=1e-9, abs=1e-12)


def test_bootstrap():
    """The same numbers a cell have the same moments, and so the same variance."""
    for whole in CASES.values():
        one, other = (
            variance_over_resamples(each, 20, np.random.default_rng(0))
            for each in (whole, whole.reduced())
        )

        assert (one is None) == (other is None)
        assert other is None or one == pytest.approx(other, rel=1e-9, abs=1e-20)


def test_bootstrap_of_sums():
    """The bootstrap of sums is that of the records but for its draws, in either role."""
    y, p, q = random_arrays(3000)
    whole = of_arrays(y, p, q)
    options = {"method": "bootstrap", "n_resamples": 500}
    one, other, swapped = (
        calibration_difference(each, **options)
        for each in (whole, whole.reduced(), whole.reduced().swap())
    )

    error = one.details["standard_error"]
    assert error == pytest.approx(other.details["standard_error"], rel=0.1)
    assert other.pvalue == pytest.approx(swapped.pvalue, rel=1e-12)
    assert -other.estimate == swapped.estimate


@pytest.mark.parametrize("method", ["analytic", "bootstrap"])
def test_against_itself(method):
    """A classifier against itself has difference 0 and p = 1, flagged."""
    for columns in ((P, P), (Y.astype(float),) * 2, (np.full(N, 0.3),) * 2):
        reduced = of_arrays(Y, *columns).reduced()
        result = calibration_difference(reduced, method=method)

        assert (0.0, 1.0) == tuple(result)
        assert "degenerate" in result.flags


@pytest.mark.parametrize(("n", "pair"), [(20, (0.2, 1.0)), (2000, (0.3, 0.2))])
def test_error_that_is_rounding(n, pair):
    """Records that are all alike have no bootstrap, whatever rounding leaves of it."""
    columns = [np.full(n, p) for p in pair]
    for y in (np.zeros(n), np.ones(n)):
        calibration = of_arrays(y, *columns, n_bins=15)
        for each in (calibration, calibration.reduced()):
            result = calibration_difference(each, method="bootstrap", n_resamples=20)

            assert math.isnan(result.pvalue)
            assert ("zero-variance",) == result.flags
            assert 0.0 == result.details["standard_error"]
        same(*map(calibration_difference, (calibration, calibration.reduced())))


@pytest.mark.parametrize("size", [1e-3, 1e-6])
def test_nearly_the_same(size):
    """Sums of differences keep the digits of classifiers that hardly differ."""
    rng = np.random.default_rng(3)
    close = np.clip(P + size * rng.normal(size=N), 0, 1)
    whole = of_arrays(Y, P, close)
    sums, reduced = (
        variance_of(tuple(role_sums(each, role) for role in (0, 1)))
        for each in (whole, whole.reduced())
    )

    assert sums.total == pytest.approx(reduced.total, rel=1e-3)


def test_swap():
    """Exchanged roles turn the sign, and keep the p-value."""
    reduced = of_arrays(Y, P, Q).reduced()
    one, other = (calibration_difference(each) for each in (reduced, reduced.swap()))

    assert -one.statistic == pytest.approx(other.statistic, rel=1e-12)
    assert one.pvalue == pytest.approx(other.pvalue, rel=1e-12)


def test_shards():
    """The sum of the sums of shards says what all records say."""
    shards = [
        of_arrays(Y[rows], P[rows], Q[rows], keep_values=False)
        for rows in (slice(0, 150), slice(150, 151), slice(151, None))
    ]

    same(calibration_difference(of_arrays(Y, P, Q)), calibration_difference(sum(shards)))


def raw_sums(y, p, q):
    """All records of one bin, summed one after another as an engine may do."""
    events = y.astype(np.int64)
    terms = cell_sums((p, q), (events, events))
    cells = [[0, 0, 0, 0], [0, 0, 1, 1]]
    sums = {
        name: [np.cumsum(values[events == k], dtype=float)[-1] for k in (0, 1)]
        for name, values in terms.items()
    }
    return PairedCalibration.from_cells(cells, np.bincount(events), sums, [0, 1])


@pytest.mark.parametrize("n", [50_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_very_many_records_in_one_bin(n):
    """Plain sums of many probabilities near 1 lose no digits that matter."""
    rng = np.random.default_rng(4)
    p = rng.uniform(0.93, 1, size=n)
    y = rng.random(n) < p
    q = np.clip(p + rng.normal(-0.01, 0.01, size=n), 0, 1)
    sums = [
        tuple(role_sums(each, role) for role in (0, 1))
        for each in (of_arrays(y, p, q, n_bins=1), raw_sums(y, p, q))
    ]

    # The gap of a bin is a small difference of sums, of which rounding is 1e-14 a record.
    one, other = map(squared_errors, sums)
    assert one == pytest.approx(other, abs=1e-15)
    one, other = map(variance_of, sums)
    assert one.total == pytest.approx(other.total, rel=1e-8)
    assert one.df == pytest.approx(other.df, rel=1e-8)


@pytest.mark.parametrize(("n_bins", "most"), [(5, 1e-2), (15, 1e-4)])
def test_degrees_of_freedom_without_high_powers(n_bins, most):
    """Fewer sums tell the same but for the degrees of freedom, and these nearly."""
    rng = np.random.default_rng(100)
    p = rng.uniform(0, 1, size=100)
    close = np.clip(p**3 + rng.normal(0, 0.05, size=100), 0, 1)
    reduced = of_arrays(rng.random(100) < p, p, close, n_bins=n_bins).reduced()
    cells = reduced.cells
    lower = replace(cells, sums=cells.sums[: len(SUMS)])
    found, fewer = (
        calibration_difference(each) for each in (reduced, replace(reduced, cells=lower))
    )

    assert (8, 4) == (cells.degree, lower.degree)
    assert found.statistic == fewer.statistic
    assert found.df != fewer.df
    assert found.df == pytest.approx(fewer.df, rel=most)
    assert found.pvalue == pytest.approx(fewer.pvalue, rel=most / 10)


def test_what_needs_the_records():
    """Exchanging the roles of records needs them, and the message says what to do."""
    reduced = of_arrays(Y, P, Q).reduced()
    with pytest.raises(ValueError, match="Keep them by keep_values=True, or pass a sample"):
        calibration_difference(reduced, method="exchangeability")
    nearly = of_arrays(Y, P, np.clip(P + 1e-9, 0, 1)).reduced()
    with pytest.raises(ValueError, match="nearly the same needs the records"):
        calibration_difference(nearly, method="bootstrap")


def test_hidden_spread():
    """An event of a probability that rounding hides refutes it all the same."""
    y = np.arange(N) == 0
    tiny = np.where(np.arange(N) % 2, 1e-17, 0.5)
    tiny[0] = 1e-17
    sums = calibration_difference(of_arrays(y, tiny, Q).reduced()).parts[0]

    assert sums["spiegelhalter_pvalue"] < 1e-12
