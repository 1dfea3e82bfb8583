"""Tests of the difference of calibration errors: brute force, levels, and edges."""

import itertools
import math
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

from skcompare._registry.tests import get_test
from skcompare.evidence import PairedCalibration
from skcompare.stats import calibration_cusum, calibration_difference, spiegelhalter
from skcompare.stats.calibration import _calibration_difference as cells
from skcompare.stats.calibration import _calibration_difference as resampling
from skcompare.stats.calibration import _squared_errors as units
from skcompare.stats.calibration._squared_errors import (
    role_sums,
    squared_errors,
    variance_of,
)

METHODS = ("analytic", "bootstrap", "exchangeability")
ALTERNATIVES = ("two-sided", "less", "greater")


def random_labels(n, seed, spread=1.0):
    """Two classifiers that are off in different ways, of one column of outcomes."""
    rng = np.random.default_rng([seed, n])
    p = rng.uniform(0.1, 0.9, size=n)
    first = np.clip(p + spread * rng.normal(0.1, 0.1, size=n), 0, 1)
    second = np.clip(p**spread, 0, 1)
    return (rng.uniform(size=n) < p).astype(int), first, second


def random_calibration(n, seed, spread=1.0, **settings):
    settings = {"n_bins": 5, "labels": [0, 1]} | settings
    return PairedCalibration.from_predictions(*random_labels(n, seed, spread), **settings)


def random_classes(n, seed, **settings):
    rng = np.random.default_rng([seed, n])
    pair = rng.dirichlet([1, 1, 1], size=(2, n))
    return PairedCalibration.from_predictions(
        rng.integers(3, size=n), *pair, n_bins=4, **settings
    )


def grouped_calibration(n, seed, n_groups):
    groups = np.random.default_rng(seed).integers(n_groups, size=n)
    return random_calibration(n, seed, groups=groups)


def units_of(calibration):
    """The unit of each row, written without the code that is tested."""
    record = np.arange(len(calibration.proba[0])) // calibration.rows_per_record
    return record if calibration.groups is None else calibration.groups[record]


def slow_error(calibration, role, kept=None):
    """Debiased squared error by loops over bins and pairs of units, from the rows kept."""
    unit, p = units_of(calibration), calibration.proba[role]
    y, code = calibration.outcomes[role].astype(float), calibration.codes[role]
    rows = np.arange(len(p)) if kept is None else np.flatnonzero(kept)
    total = 0.0
    for b in set(code[rows].tolist()):
        here = rows[code[rows] == b]
        own, share = unit[here], y[here].mean()
        gap = share - p[here].mean()
        pairs = np.not_equal.outer(own, own).sum()
        if not pairs:
            continue
        within = sum((y[here] - share)[own == u].sum() ** 2 for u in set(own.tolist()))
        total += len(here) * (gap**2 - within / pairs)
    return total / len(rows)


def slow_jackknife(calibration):
    """Jackknife variance of the difference, leaving the units out one by one."""
    unit = units_of(calibration)
    units = np.unique(unit)
    values = [
        slow_error(calibration, 0, unit != u) - slow_error(calibration, 1, unit != u)
        for u in units
    ]
    return (len(units) - 1) * np.var(values)


def slow_variance_of_pairs(calibration):
    """The second-order variance, by a double loop over units."""
    unit, n = units_of(calibration), len(calibration.proba[0])
    units = np.unique(unit)
    terms = np.zeros((len(units), len(units)))
    for role, sign in ((0, 1), (1, -1)):
        excess = calibration.outcomes[role] - calibration.proba[role]
        code = calibration.codes[role]
        for b in np.unique(code):
            here = code == b
            size = np.array([np.sum(here & (unit == u)) for u in units], dtype=float)
            added = np.array([excess[here & (unit == u)].sum() for u in units])
            pairs = size.sum() ** 2 - (size**2).sum()
            if pairs == 0:
                continue
            beyond = added - size * added.sum() / size.sum()
            beyond *= math.sqrt(size.sum() ** 2 / pairs)
            terms += sign * np.outer(beyond, beyond) * size.sum() / pairs
    np.fill_diagonal(terms, 0)
    return 2 * (terms**2).sum() / n**2


def slow_null_variance(calibration, jackknife, pairs):
    """The variance if the errors were equal, by loops over bins and rows.

    Returns the whole of it, the part of the pairs, and by what share the records raise it
    that were added. `jackknife` and `pairs` are the variances of these names.
    """
    unit, n = units_of(calibration), len(calibration.proba[0])
    errors = [slow_error(calibration, role) for role in (0, 1)]
    pooled = max(np.mean(errors), 0)
    bins, residuals = [], []
    for role, sign in ((0, 1), (1, -1)):
        events = calibration.outcomes[role].astype(float)
        excess, code = events - calibration.proba[role], calibration.codes[role]
        for b in np.unique(code):
            here = code == b
            size = np.bincount(unit[here], minlength=unit.max() + 1).astype(float)
            count, apart = size.sum(), size.sum() ** 2 - (size**2).sum()
            together = (size**2).sum() / count
            share, gap = events[here].mean(), excess[here].mean()
            cautious = (share * count + together) / (count + 2 * together)
            equal = gap + cautious - share
            if errors[role] < pooled:
                equal = math.copysign(
                    math.hypot(equal, (pooled - errors[role]) ** 0.5), equal
                )
            elif errors[role] > 0:
                equal *= math.sqrt(pooled / errors[role])
            more = max(cautious * (1 - cautious) - share * (1 - share), 0) * together
            beyond = np.bincount(unit[here], excess[here] - gap, len(size))
            residuals.append(beyond * (count / math.sqrt(apart) if apart else 0))
            bins.append((role, sign * gap, sign * equal, more, here, count,
                         sign * count / apart if apart else 0))  # fmt: skip
    alike = calibration.outcomes[0] == calibration.outcomes[1]
    observed = plain = whole = pairs_seen = pairs_whole = 0.0
    for one, first in zip(bins, residuals):
        for other, second in zip(bins, residuals):
            rows = one[4] & other[4] & alike
            if one[0] == other[0]:
                rows = one[4] if one is other else np.zeros(n, dtype=bool)
            seen = first @ second
            cautious = seen + min(one[3], other[3]) * rows.sum()
            observed += 4 * one[1] * other[1] * seen
            whole += 4 * one[2] * other[2] * cautious
            plain += 4 * one[2] * other[2] * seen
            pairs_seen += one[6] * other[6] * seen**2
            pairs_whole += one[6] * other[6] * cautious**2
    mean_squares = [sum(b[5] * b[2] ** 2 for b in bins if b[0] == r) / n for r in (0, 1)]
    sizes = np.bincount(unit).astype(float)
    # Rows of each classifier's bin are counted by unit, and of both together.
    together = sum(
        (np.bincount(unit[b[4]]).astype(float) ** 2).sum() for b in bins
    ) / (2 * sizes.sum())  # fmt: skip
    whole += (2 * sum(math.sqrt(m) for m in mean_squares) * together) ** 2
    second = max(pairs + 2 * (pairs_whole - pairs_seen) / n**2, 0)
    found = [
        max(jackknife + (part - observed) / n**2 - 2 * of_pairs, 0) + of_pairs
        for part, of_pairs in ((whole, second), (plain, pairs), (observed, pairs))
    ]
    return found[0], second, max(found[0], found[2]) / max(found[1:]) - 1


SMALL = {
    "binary": lambda seed: random_calibration(40, seed),
    "few bins": lambda seed: random_calibration(30, seed, n_bins=1),
    "many bins": lambda seed: random_calibration(25, seed, n_bins=20),
    "equal mass": lambda seed: random_calibration(40, seed, strategy="equal_mass"),
    "top label": lambda seed: random_classes(40, seed, kind="top_label"),
    "classwise": lambda seed: random_classes(20, seed, kind="classwise"),
    "groups": lambda seed: grouped_calibration(40, seed, 9),
    "classwise groups": lambda seed: random_classes(
        24, seed, kind="classwise", groups=np.arange(24) % 7
    ),
}


@cache
def small():
    """Evidence of a few records, of every kind."""
    return [made(seed) for made in SMALL.values() for seed in range(2)]


def sums_of(calibration):
    return tuple(role_sums(calibration, role) for role in (0, 1))


def difference_of(calibration):
    """The estimate without its error."""
    return np.subtract(*squared_errors(sums_of(calibration)))


@cache
def slow_variances():
    """Jackknife, variance of pairs, and the null variance of each of the small ones."""
    found = []
    for calibration in small():
        jackknife = slow_jackknife(calibration)
        pairs = slow_variance_of_pairs(calibration)
        null = slow_null_variance(calibration, jackknife, pairs)
        found.append((jackknife, pairs, *null))
    return found


def test_errors_by_pairs():
    """The squared errors are those of a loop over pairs of units."""
    for calibration in small():
        assert [slow_error(calibration, role) for role in (0, 1)] == pytest.approx(
            squared_errors(sums_of(calibration)), rel=1e-12, abs=1e-14
        )


def test_errors_are_those_of_the_evidence():
    """Without groups the errors are the debiased ones that the evidence gives."""
    for calibration in (random_calibration(300, 1), random_classes(200, 2, kind="auto")):
        result = calibration_difference(calibration)
        expected = [
            calibration.error(role, "l2", squared=True, debiased=True) for role in (0, 1)
        ]

        assert expected == pytest.approx([result.champion, result.challenger], rel=1e-12)
        assert expected[0] - expected[1] == pytest.approx(result.estimate, rel=1e-12)
        assert not result.greater_is_better


def test_groups_of_one_record():
    """Groups of one record each are no groups."""
    alone = random_calibration(60, 3)
    groups = np.random.default_rng(0).permutation(60)
    grouped = random_calibration(60, 3, groups=groups)
    one, two = calibration_difference(alone), calibration_difference(grouped)

    for name in ("estimate", "statistic", "pvalue", "df", "champion"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-10), name
    assert (one.design, two.design) == ("hold-out", "hold-out by groups")


@pytest.mark.slow
def test_variance_by_definition():
    """It is the jackknife's less pairs, or that of equal errors, whichever is larger."""
    for calibration, (jackknife, pairs, null, second, _) in zip(
        small(), slow_variances(), strict=True
    ):
        variance = variance_of(sums_of(calibration))
        observed = max(jackknife - 2 * pairs, 0) + pairs

        assert observed == pytest.approx(variance.observed, rel=1e-9)
        assert min(second, max(observed, null)) == pytest.approx(variance.second, rel=1e-9)
        assert max(observed, null) == pytest.approx(variance.total, rel=1e-9)


def test_degrees_of_freedom():
    """They are Satterthwaite's, from the influences of the records."""
    calibration = random_calibration(80, 4)
    keep = ~np.eye(80, dtype=bool)
    influence = np.array(
        [slow_error(calibration, 0, k) - slow_error(calibration, 1, k) for k in keep]
    )
    influence -= influence.mean()
    square = (influence**2).sum()
    spread = (influence**4).sum() - square**2 / 80
    jackknife = square * 79 / 80
    variance = variance_of(sums_of(calibration))
    expected = 2 * square**2 / spread * (variance.total / jackknife) ** 2

    assert expected == pytest.approx(variance.df, rel=1e-9)
    assert expected == pytest.approx(calibration_difference(calibration).df, rel=1e-9)


def moments(draw, n_draws):
    """Variance of the estimates over data sets, and means of the estimated parts."""
    estimates, first, second = [], [], []
    for seed in range(n_draws):
        sums = tuple(role_sums(draw(seed), role) for role in (0, 1))
        champion, challenger = squared_errors(sums)
        variance = variance_of(sums)
        estimates.append(champion - challenger)
        first.append(variance.first)
        second.append(variance.second)
    return np.var(estimates), np.mean(first), np.mean(second)


@pytest.mark.slow
def test_variance_of_calibrated_classifiers():
    """Of two calibrated classifiers the variance is that of pairs, without bias."""

    def draw(seed):
        rng = np.random.default_rng([5, seed])
        x, z = rng.standard_normal((2, 400))
        p = stats.norm.cdf(x + z)
        known = stats.norm.cdf(x / math.sqrt(2))
        return PairedCalibration.from_predictions(
            rng.uniform(size=400) < p, known, p, n_bins=8
        )

    actual, _, second = moments(draw, 500)

    assert 1 == pytest.approx(second / actual, abs=0.2)


@pytest.mark.slow
def test_variance_of_biased_classifiers():
    """Far from calibration the estimated variance is that of the estimates."""

    def draw(seed):
        rng = np.random.default_rng([6, seed])
        p = rng.uniform(0.2, 0.8, size=400)
        return PairedCalibration.from_predictions(
            rng.uniform(size=400) < p, p + 0.1, p - 0.1, n_bins=8
        )

    actual, first, second = moments(draw, 500)

    assert 1 == pytest.approx((first + second) / actual, abs=0.2)
    assert first > 5 * second


def swapped_pvalue(statistic, first, second, rng):
    """P-value of an exchange of two columns in random records."""
    observed = abs(statistic(first, second))
    beyond = 0
    for _ in range(99):
        swap = rng.integers(2, size=len(first)).astype(bool)
        one, two = np.where(swap, second, first), np.where(swap, first, second)
        beyond += abs(statistic(one, two)) >= observed - 1e-12
    return (1 + beyond) / 100


def plug_in(y, p):
    code = np.minimum((p * 10).astype(int), 9)
    return np.abs(np.bincount(code, y - p, 10)).sum() / len(y)


@pytest.mark.slow
def test_calibrated_classifiers_of_unlike_sharpness():
    """Tests of plug-in errors reject two calibrated classifiers; the default does not.

    A plug-in error is larger where probabilities take more bins: here the champion's are
    spread out and the challenger's are all the same.
    """
    rng = np.random.default_rng(7)
    rejected = np.zeros(3)
    for _ in range(100):
        sharp = stats.norm.cdf(rng.normal(scale=1.2, size=300))
        flat = np.full(300, 0.5)
        y = (rng.uniform(size=300) < sharp).astype(int)
        difference = plug_in(y, sharp) - plug_in(y, flat)
        drawn = []
        for _ in range(99):
            i = rng.integers(300, size=300)
            drawn.append(plug_in(y[i], sharp[i]) - plug_in(y[i], flat[i]))
        low, high = np.quantile(drawn, [0.025, 0.975])
        swapped = swapped_pvalue(
            lambda a, b, y=y: plug_in(y, a) - plug_in(y, b), sharp, flat, rng
        )
        calibration = PairedCalibration.from_predictions(y, sharp, flat, n_bins=10)
        p = calibration_difference(calibration).pvalue
        rejected += [not low <= 0 <= high, swapped < 0.05, p < 0.05]
        assert difference == pytest.approx(
            calibration.error(0) - calibration.error(1), abs=1e-12
        )

    bootstrap, exchange, default = rejected / 100
    assert bootstrap > 0.3
    assert exchange > 0.2
    assert default <= 0.1


def opposite_bias(rng, n=500):
    p = rng.uniform(0.2, 0.8, size=n)
    y = (rng.uniform(size=n) < p).astype(int)
    return PairedCalibration.from_predictions(y, p + 0.1, p - 0.1, n_bins=10)


@pytest.mark.slow
def test_equal_errors_by_opposite_bias():
    """Exchanging columns rejects equal errors, because it asks about more than these."""
    rng = np.random.default_rng(8)
    rejected = np.zeros(3)
    for _ in range(150):
        calibration = opposite_bias(rng)
        rejected += [
            calibration_difference(calibration, method=method, n_resamples=99).pvalue < 0.05
            for method in METHODS
        ]

    analytic, bootstrap, exchange = rejected / 150
    assert 0.01 <= analytic <= 0.1
    assert bootstrap <= 0.1
    assert exchange > 0.3


@pytest.mark.slow
def test_power():
    """The default finds a bias of 0.1 as often as published of the bootstrap, or more."""
    rng = np.random.default_rng(9)
    found = np.zeros(2)
    for _ in range(100):
        p = rng.uniform(0.2, 0.8, size=500)
        y = rng.uniform(size=500) < p
        calibration = PairedCalibration.from_predictions(y, p + 0.1, p, n_bins=10)
        found += [
            calibration_difference(calibration, method=method, n_resamples=200).pvalue
            < 0.05
            for method in ("analytic", "bootstrap")
        ]

    assert found[0] >= found[1]
    assert found[0] / 100 > 0.55


@pytest.mark.parametrize("method", ["analytic", "bootstrap"])
def test_limits_by_formula(method):
    """They are quantiles of the standard error apart from the estimate, up to a bound."""
    calibration = random_calibration(200, 1)
    for alternative, tail in (("two-sided", 0.05), ("less", 0.1), ("greater", 0.1)):
        result = calibration_difference(
            calibration, method=method, alternative=alternative, n_resamples=100
        )
        law = stats.t(result.df) if method == "analytic" else stats.norm
        reach = law.isf(tail) * result.details["standard_error"]
        low = -1 if alternative == "less" else result.estimate - reach
        high = 1 if alternative == "greater" else result.estimate + reach

        assert (low, high) == pytest.approx(tuple(result.confidence_interval(0.9)))


@pytest.mark.slow
def test_intervals_hold_the_difference():
    """95 % intervals of a known difference hold it about as often as that."""
    rng = np.random.default_rng(10)
    held = 0
    for _ in range(300):
        p = rng.uniform(0.2, 0.8, size=600)
        calibration = PairedCalibration.from_predictions(
            rng.uniform(size=600) < p, p + 0.1, p - 0.05, n_bins=10
        )
        low, high = calibration_difference(calibration).confidence_interval()
        held += low <= 0.1**2 - 0.05**2 <= high

    assert 0.95 == pytest.approx(held / 300, abs=0.03)


def slow_bootstrap(calibration, n_resamples, seed):
    """Standard deviation of the difference over resamples, by plain loops."""
    rng = np.random.default_rng(seed)
    groups = calibration.groups
    values = []
    for _ in range(n_resamples):
        if groups is None:
            rows = rng.integers(calibration.n, size=calibration.n)
            unit = np.arange(calibration.n)
        else:
            labels = np.unique(groups)
            drawn = rng.choice(labels, size=len(labels))
            parts = [np.flatnonzero(groups == label) for label in drawn]
            rows = np.concatenate(parts)
            unit = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        again = PairedCalibration(
            tuple(each[rows] for each in calibration.proba),
            tuple(each[rows] for each in calibration.outcomes),
            calibration.edges,
            calibration.kind,
            unit,
        )
        values.append(difference_of(again))
    return np.std(values, ddof=1)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [None, 15], ids=["records", "groups"])
def test_bootstrap_by_loops(groups):
    """The bootstrap's standard error is that of rows that are drawn and binned again."""
    calibration = (
        grouped_calibration(120, 1, groups) if groups else random_calibration(120, 1)
    )
    expected = slow_bootstrap(calibration, 1000, 0)
    result = calibration_difference(calibration, method="bootstrap", n_resamples=4000)

    assert expected == pytest.approx(result.details["standard_error"], rel=0.08)


def multisets(members, n):
    """All choices of `n` of the members, without order, with the share of each."""
    for chosen in combinations_with_replacement(members, n):
        times = [chosen.count(each) for each in set(chosen)]
        share = math.factorial(n) / math.prod(map(math.factorial, times))
        yield list(chosen), share / len(members) ** n


def variance_over(values, shares):
    """Mean and variance of values that have each its share."""
    mean = np.dot(shares, values)
    return mean, np.dot(shares, (np.array(values) - mean) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2], ids=["records", "groups"])
def test_bootstrap_by_enumeration(size):
    """The variance over resamples is that of all resamples of five records, or groups."""
    y, first, second = np.array([0, 1, 1, 0, 1]), [0.1, 0.4, 0.8, 0.3, 0.2], np.zeros(5)
    second[:] = [0.3, 0.45, 0.6, 0.9, 0.7]
    if size == 2:
        y = np.concatenate([y, [1, 1, 0, 0, 1]])
        first, second = np.tile(first, 2), np.concatenate([second, second[::-1]])
    units = np.arange(5 * size) % 5
    calibration = PairedCalibration.from_predictions(
        y, first, second, n_bins=2, groups=None if size == 1 else units
    )
    values, shares = [], []
    for drawn, share in multisets(range(5), 5):
        rows = np.concatenate([np.flatnonzero(units == unit) for unit in drawn])
        again = PairedCalibration(
            tuple(p[rows] for p in calibration.proba),
            (y[rows], y[rows]),
            calibration.edges,
            groups=np.repeat(np.arange(5), size),
        )
        values.append(difference_of(again))
        shares.append(share)
    _, variance = variance_over(values, shares)
    result = calibration_difference(
        calibration, method="bootstrap", n_resamples=40_000 if size == 1 else 10_000
    )

    error = result.details["standard_error"]
    assert 1 == pytest.approx(sum(shares))
    assert math.sqrt(variance) == pytest.approx(error, rel=0.02)
    assert result.statistic == pytest.approx(result.estimate / error)
    assert stats.norm.sf(abs(result.statistic)) * 2 == pytest.approx(result.pvalue)


def top_label_cells(seed, n=8):
    """Records of two cells of both roles' bins and events, in turn."""
    rng = np.random.default_rng(seed)
    cell = np.arange(n) % 2
    first, second = (rng.uniform(0.02, 0.48, size=(2, n)) + 0.5 * cell).clip(0, 1)
    events = cell == 0, np.ones(n, dtype=bool)
    edges = [0, 0.5, 1]
    return PairedCalibration((first, second), events, (edges, edges), "top_label")


@pytest.mark.parametrize("counts", [(3, 3), (1, 4), (2, 0)])
def test_moments_given_numbers_a_cell(counts):
    """Mean and variance are those of all draws with so many records from each cell."""
    calibration = top_label_cells(sum(counts))
    found = cells._cells_of(calibration)
    mean, variance, _ = cells._moments(found, np.array(counts, dtype=float)[:, np.newaxis])
    members = [[i for i in range(8) if calibration.codes[0][i] == b] for b in (0, 1)]
    values, shares = [], []
    for (first, one), (second, other) in product(*map(multisets, members, counts)):
        rows = np.array(first + second)
        again = PairedCalibration(
            tuple(p[rows] for p in calibration.proba),
            tuple(y[rows] for y in calibration.outcomes),
            calibration.edges,
            "top_label",
        )
        # Resamples have as many records as there are, here eight.
        values.append(difference_of(again) * len(rows) / 8)
        shares.append(one * other)
    expected, spread = variance_over(values, shares)

    assert [4, 4] == found.size.tolist()
    assert 1 == pytest.approx(sum(shares))
    assert expected == pytest.approx(mean[0], rel=1e-10, abs=1e-14)
    assert spread == pytest.approx(variance[0], rel=1e-9, abs=1e-16)


@pytest.mark.slow
def test_numbers_a_cell_are_drawn_alike(monkeypatch):
    """Numbers by cell and numbers of drawn records have one law; blocks change nothing."""
    calibration = random_calibration(200, 22)
    rng = np.random.default_rng(0)
    size = cells._cells_of(calibration).size
    expected = resampling.bootstrap_error(calibration, 200, 0)
    monkeypatch.setattr(cells, "MOST_NUMBERS", 1)
    in_blocks = resampling.bootstrap_error(calibration, 200, 0)
    by_record = []
    for least in (0, math.inf):
        monkeypatch.setattr(cells, "RECORDS_PER_CELL", least)
        drawn = cells._drawn_counts(size, 4000, rng)
        assert (200 == drawn.sum(axis=1)).all()
        assert size == pytest.approx(drawn.mean(axis=0), abs=1)
        by_record.append(np.cov(drawn.T))

    assert expected == pytest.approx(in_blocks, rel=1e-10)
    assert by_record[0] == pytest.approx(by_record[1], abs=3)


def test_bootstrap_of_nearly_equal_columns():
    """Where the known part would lose its digits, records are drawn."""
    y, first, _ = random_labels(300, 23)
    first = 0.9 * first + 0.01
    near = first + 1e-9 * np.random.default_rng(0).standard_normal(300)
    calibration = PairedCalibration.from_predictions(y, first, near)
    rng = np.random.default_rng(0)

    assert cells.variance_over_resamples(calibration, 200, rng) is None
    result = calibration_difference(calibration, method="bootstrap")
    analytic = variance_of(sums_of(calibration))
    assert math.sqrt(analytic.observed) == pytest.approx(
        result.details["standard_error"], rel=0.2
    )


def test_nearly_equal_columns_do_not_differ():
    """A billionth between all probabilities is nothing that a new record cannot undo."""
    y, first, _ = random_labels(300, 23)
    near = PairedCalibration.from_predictions(
        y, 0.9 * first + 0.01, 0.9 * first + 0.01 + 1e-9
    )

    assert calibration_difference(near).pvalue > 0.99


def test_short_ways_of_single_records(monkeypatch):
    """Records of one row each are summed in a shorter way with the same results."""
    for calibration in (
        random_calibration(150, 24),
        random_calibration(150, 24, n_bins=60),
    ):
        sums = sums_of(calibration)
        expected = variance_of(sums)
        general = variance_of(tuple(replace(each, rows=None) for each in sums))
        monkeypatch.setattr(units, "MOST_CELLS", 0)
        sparse = variance_of(sums)
        monkeypatch.undo()

        for name in ("first", "second", "df"):
            value = getattr(expected, name)
            assert value == pytest.approx(getattr(general, name), rel=1e-9, abs=1e-18)
            assert value == pytest.approx(getattr(sparse, name), rel=1e-9, abs=1e-18)


def test_bootstrap_is_three_times_the_variance_of_pairs():
    """Of calibrated classifiers a bootstrap counts the variance of pairs three times."""
    rng = np.random.default_rng(11)
    ratios = []
    for _ in range(30):
        sharp = stats.norm.cdf(rng.normal(size=500))
        flat = np.full(500, 0.5)
        calibration = PairedCalibration.from_predictions(
            rng.uniform(size=500) < sharp, sharp, flat, n_bins=10
        )
        error = resampling.bootstrap_error(calibration, 300, 0)
        variance = variance_of(sums_of(calibration))
        ratios.append(error**2 / variance.second)

    assert 3 == pytest.approx(np.mean(ratios), abs=0.6)


@pytest.mark.slow
def test_exchange_by_enumeration():
    """The p-value of exchanged columns is that of all exchanges."""
    calibration = random_calibration(10, 5, n_bins=2)
    y, (first, second) = calibration.outcomes[0], calibration.proba
    observed = difference_of(calibration)
    sizes = []
    # The last record stays: an exchange and its opposite differ by the sign.
    for k in range(2**9):
        swap = np.array([k >> i & 1 for i in range(10)], dtype=bool)
        columns = np.where(swap, second, first), np.where(swap, first, second)
        exchanged = PairedCalibration(columns, (y, y), calibration.edges)
        sizes.append(abs(difference_of(exchanged)))
    exact = np.mean(np.array(sizes) >= abs(observed) - 1e-12)
    result = calibration_difference(
        calibration, method="exchangeability", n_resamples=20_000
    )

    assert exact == pytest.approx(result.pvalue, abs=0.012)


@pytest.mark.slow
def test_exchange_of_bins_and_groups():
    """Exchanged columns are binned by the edges of the role they get, group by group."""
    y, first, second = random_labels(40, 12)
    groups = np.repeat(np.arange(8), 5)
    calibration = PairedCalibration.from_predictions(
        y, first, second, n_bins=4, strategy="equal_mass", groups=groups
    )
    sizes = []
    for k in range(2**8):
        swap = np.array([k >> i & 1 for i in range(8)], dtype=bool)[groups]
        columns = np.where(swap, second, first), np.where(swap, first, second)
        exchanged = PairedCalibration(columns, (y, y), calibration.edges, groups=groups)
        sizes.append(abs(difference_of(exchanged)))
    found = resampling.exchanged_differences(calibration, 3000, 0).sizes

    assert set(np.round(sizes, 10)) >= set(np.round(found, 10))
    assert len(set(np.round(found, 10))) > 100


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exchange_decides_as_its_critical_value(alternative):
    """A difference beyond the critical one has a p-value below the level, others not."""
    sizes = np.sort(np.random.default_rng(13).exponential(size=199))
    exchanged = resampling.ExchangedDifferences(sizes)
    for alpha in (0.003, 0.004, 0.01, 0.05, 0.1, 0.333, 0.5, 0.7, 0.9):
        if alternative == "two-sided" and alpha > 0.5:
            continue
        critical = exchanged.critical(alpha, alternative)
        sign = -1 if alternative == "less" else 1
        for each in (*np.linspace(-6, 6, 301), *sizes[::20]):
            difference = float(each) + 1e-7
            rejected = exchanged.pvalue(difference, alternative)[0] < alpha
            size = abs(difference) if alternative == "two-sided" else sign * difference
            assert rejected == (size > critical), (alpha, difference)


@pytest.mark.parametrize("method", METHODS)
def test_draws_do_not_depend_on_order_or_roles(method):
    """A seed means the same draws for records in any order and for swapped roles."""
    order = np.random.default_rng(0).permutation(90)
    y, first, _ = random_labels(90, 14)
    # The roles have the same probabilities, so that only the records tell them apart.
    second = first[np.random.default_rng(1).permutation(90)]

    def run(*columns, strategy, **options):
        calibration = PairedCalibration.from_predictions(
            *columns, n_bins=5, strategy=strategy
        )
        return calibration_difference(calibration, method=method, n_resamples=50, **options)

    for strategy in ("uniform", "equal_mass"):
        result = run(y, first, second, strategy=strategy)
        mixed = run(y[order], first[order], second[order], strategy=strategy)
        swapped = run(y, second, first, strategy=strategy)

        assert result.pvalue == pytest.approx(mixed.pvalue, rel=1e-10)
        assert result.details == pytest.approx(dict(mixed.details), rel=1e-10)
        assert result.pvalue == pytest.approx(swapped.pvalue, rel=1e-10)
        assert -result.estimate == pytest.approx(swapped.estimate, rel=1e-10)
        if method != "analytic":
            other = run(y, first, second, strategy=strategy, random_state=1)
            assert result.confidence_interval() != other.confidence_interval()


@pytest.mark.parametrize("method", METHODS)
def test_the_same_probabilities(method):
    """Equal columns have no difference and nothing to test, and say so."""
    y, first, _ = random_labels(200, 15)
    calibration = PairedCalibration.from_predictions(y, first, first)
    result = calibration_difference(calibration, method=method, n_resamples=20)

    assert (0, 1, 0) == (result.statistic, result.pvalue, result.estimate)
    assert ("degenerate",) == result.flags
    assert (0, 0) == result.confidence_interval()


def wrong_and_right(n):
    """Certain predictions that are all wrong, beside right ones."""
    y = np.array([0, 1] * (n // 2))
    return PairedCalibration.from_predictions(y, 1.0 - y, y * 1.0, n_bins=2)


def test_difference_without_variance():
    """A bootstrap of records that are all alike knows no variation, and says so."""
    result = calibration_difference(wrong_and_right(40), method="bootstrap", n_resamples=20)

    assert (1, 0, 1) == (result.champion, result.challenger, result.estimate)
    assert math.isinf(result.statistic)
    assert math.isnan(result.pvalue)
    assert ("zero-variance",) == result.flags
    assert (-1, 1) == result.confidence_interval()


@pytest.mark.parametrize(("n", "least", "most"), [(4, 0.05, 1), (40, 0, 0.001)])
def test_records_that_are_all_alike(n, least, most):
    """By default one more record of either outcome is reckoned with, and that is said."""
    result = calibration_difference(wrong_and_right(n))

    assert 1 == result.estimate
    assert least < result.pvalue < most
    assert ("calibration-of-few-records",) == result.flags
    exchanged = calibration_difference(wrong_and_right(n), method="exchangeability")
    assert least < exchanged.pvalue < max(most, 0.002)


@pytest.mark.parametrize("reduced", [False, True])
def test_two_errors_of_forty_records(reduced):
    """Where 0.9 of forty records says 0.015 at most, the test cannot say 1e-14."""
    y = np.tile([0, 1], 20)
    hard = y.astype(float)
    hard[:2] = 1 - hard[:2]
    calibration = PairedCalibration.from_predictions(y, np.where(y, 0.9, 0.1), hard)
    result = calibration_difference(calibration.reduced() if reduced else calibration)

    assert result.pvalue > 0.9**40
    assert "calibration-of-few-records" in result.flags
    grouped = PairedCalibration.from_predictions(
        y, np.where(y, 0.9, 0.1), hard, groups=np.arange(40) // 2
    )
    assert calibration_difference(grouped).pvalue > 0.9**20


# How often the hard classifier errs, what it says; what the soft one says, and how often
# it is right: both are off by the same distance.
HARD_AND_SOFT = [
    (0.02, 1.0, 0.96, 0.98),
    (0.05, 0.98, 0.96, 0.99),
    (0.1, 1.0, 0.9, 1.0),
    (0.1, 0.98, 0.9, 0.98),
    (0.1, 0.98, 0.96, 0.88),
]


@pytest.mark.slow
def test_level_of_outputs_near_0_and_1():
    """Equal errors of few wrong records are distinguished no more often than said."""
    for n, (errs, certain, soft, right) in itertools.product([40, 100], HARD_AND_SOFT):
        rng = np.random.default_rng(0)
        rejected = 0
        for _ in range(400):
            y = rng.integers(2, size=n)
            chance = rng.random(n)
            hard = np.where(chance < errs, 1 - y, y)
            named = np.where(chance < 1 - right, 1 - y, y)
            calibration = PairedCalibration.from_predictions(
                y,
                np.where(named == 1, soft, 1 - soft),
                np.where(hard == 1, certain, 1 - certain),
                labels=[0, 1],
            )
            rejected += calibration_difference(calibration).pvalue < 0.05

        assert rejected <= stats.binom.ppf(0.999, 400, 0.05)


def test_one_unit():
    """One record, or one group of records, is refused by its number."""
    for method, n in itertools.product(METHODS, [1, 4]):
        predictions = np.arange(n) % 2, np.full(n, 0.3), np.full(n, 0.6)
        calibration = PairedCalibration.from_predictions(
            *predictions, labels=[0, 1], groups=None if n == 1 else np.zeros(n)
        )
        units = "records. Got 1. One record" if n == 1 else "groups. Got 1. One group"

        with pytest.raises(ValueError, match=f"needs at least 2 {units}"):
            calibration_difference(calibration, method=method, n_resamples=5)


@pytest.mark.parametrize("method", METHODS)
def test_records_alone_in_their_bins(method):
    """Where no bin has two records there is nothing to test."""
    p = np.arange(20) / 20
    calibration = PairedCalibration.from_predictions(
        np.arange(20) % 2, p + 0.01, p + 0.02, n_bins=20
    )
    result = calibration_difference(calibration, method=method, n_resamples=20)

    assert (0, 1) == (result.statistic, result.pvalue)


def test_numbers_of_bins_must_agree():
    """Equal probabilities that leave one classifier fewer bins are an error."""
    y, first, second = random_labels(100, 16)
    calibration = PairedCalibration.from_predictions(
        y, first, (second > 0.5) * 1.0, n_bins=5, strategy="equal_mass"
    )

    with pytest.raises(ValueError, match=r"as many bins.* Got 5 and 2.*strategy='uniform'"):
        calibration_difference(calibration)


def test_too_few_resamples():
    """A standard deviation needs two resamples."""
    for n_resamples in [1, 0, 2.5, True]:
        with pytest.raises(ValueError, match="n_resamples"):
            calibration_difference(random_calibration(20, 1), n_resamples=n_resamples)


def test_growth_by_added_records():
    """It is the share by which records that were added raise the null variance."""
    for calibration, (*_, growth) in zip(small(), slow_variances(), strict=True):
        assert growth == pytest.approx(variance_of(sums_of(calibration)).growth, rel=1e-9)


def test_flags():
    """Few groups, merged bins, and differences that few records make are flagged."""
    few = calibration_difference(grouped_calibration(60, 1, 8))
    many = calibration_difference(grouped_calibration(200, 1, 100))
    merged = replace(random_calibration(300, 2), flags=("merged-bins",))

    assert "few-groups" in few.flags
    assert "few-groups" not in many.flags
    assert "merged-bins" in calibration_difference(merged).flags
    assert "calibration-of-few-records" in few.flags
    assert () == calibration_difference(random_calibration(2000, 2)).flags


@pytest.mark.parametrize("groups", [None, 40], ids=["records", "groups"])
def test_parts_are_the_errors_of_the_evidence(groups):
    """The further errors of each role are those that the evidence gives."""
    calibration = random_calibration(500, 17)
    if groups:
        calibration = replace(calibration, groups=np.arange(500) % groups)
    champion, challenger = calibration_difference(calibration).parts

    assert ("champion", "challenger") == (champion["role"], challenger["role"])
    for role, part in enumerate((champion, challenger)):
        square = (part["squared_calibration_error"], 0)
        expected = {
            "root_calibration_error": math.sqrt(max(square)),
            "expected_calibration_error": calibration.error(role),
            "debiased_expected_calibration_error": calibration.error(role, debiased=True),
            "maximum_calibration_error": calibration.error(role, "max"),
        }
        if not groups:
            assert square[0] == pytest.approx(
                calibration.error(role, "l2", squared=True, debiased=True), abs=1e-11
            )
        assert expected == pytest.approx({name: part[name] for name in expected}, abs=1e-11)


def test_parts_are_tests_of_each_role():
    """Each role has its own tests against perfect calibration, of two and more classes."""
    y, first, second = random_labels(300, 20)
    classes = np.random.default_rng(0).dirichlet([1, 1, 1], size=(2, 300))
    labels = np.random.default_rng(1).integers(3, size=300)
    for truth, pair in ((y, (first, second)), (labels, classes)):
        calibration = PairedCalibration.from_predictions(truth, *pair)
        for proba, part in zip(
            pair, calibration_difference(calibration).parts, strict=True
        ):
            cusum = calibration_cusum(truth, proba, method="asymptotic")

            assert spiegelhalter(truth, proba).pvalue == part["spiegelhalter_pvalue"]
            assert cusum.pvalue == part["calibration_cusum_pvalue"]


def test_parts_without_tests(monkeypatch):
    """Groups, classwise events and too many records have no tests of each role."""
    classwise = random_classes(60, 2, kind="classwise")
    monkeypatch.setattr(
        "skcompare.stats.calibration._calibration_difference.MOST_SORTED", 99
    )
    many, few = random_calibration(100, 1), random_calibration(99, 1)

    for calibration in (classwise, grouped_calibration(60, 1, 20), many):
        for part in calibration_difference(calibration).parts:
            assert not any(name.endswith("pvalue") for name in part)
    for part in calibration_difference(few).parts:
        assert 0 < part["spiegelhalter_pvalue"] < 1


def test_records_that_would_be_enough():
    """At the recommended number of records the standard error is as small as needed."""
    entry = get_test("calibration_difference")
    calibration = random_calibration(300, 18)
    sums = sums_of(calibration)
    variance = variance_of(sums)
    difference = calibration_difference(calibration).estimate
    needed = entry.sample_size(
        calibration, alpha=0.001, power=0.999, alternative="two-sided"
    )
    times = needed / 300
    error = math.sqrt(variance.first / times + variance.second / times**2)
    required = stats.norm.isf(0.0005) + stats.norm.isf(0.001)
    side, other = ("greater", "less") if difference > 0 else ("less", "greater")

    assert times > 1
    assert required == pytest.approx(abs(difference) / error)
    assert needed > entry.sample_size(
        calibration, alpha=0.001, power=0.999, alternative=side
    )
    assert math.inf == entry.sample_size(
        calibration, alpha=0.05, power=0.8, alternative=other
    )


def test_many_classes_without_pairs(monkeypatch):
    """Where pairs of bins are not counted, the variance is the jackknife's."""
    calibration = random_classes(60, 19, kind="classwise")
    sums = sums_of(calibration)
    monkeypatch.setattr("skcompare.stats.calibration._squared_errors.MOST_PRODUCTS", 1)
    variance = variance_of(sums)

    assert slow_jackknife(calibration) == pytest.approx(variance.total)
    assert 0 == variance.second
