"""The block jackknife of any score under block-regularized cross-validation."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import Design
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import BlockDifferences
from skcompare.model_selection import BlockRegularizedMx2CV
from skcompare.stats import bcv_jackknife_t, paired_tests
from skcompare.stats.splits._resampled_t import CHANCE, CUT, block_contrasts, block_variance

ALTERNATIVES = ("two-sided", "less", "greater")

# Columns of an array of strength 2, and mean differences, one row per repetition (D.19b of
# the methods, whose figures were computed by two independent programs).
SIDES = np.array(
    [
        [1, -1, 1, -1, 1, -1, 1, -1],
        [1, 1, -1, -1, 1, 1, -1, -1],
        [1, 1, 1, 1, -1, -1, -1, -1],
        [1, -1, -1, 1, 1, -1, -1, 1],
        [1, -1, 1, -1, -1, 1, -1, 1],
    ]
)
UNUSED = np.array([SIDES[1] * SIDES[2], SIDES[0] * SIDES[1] * SIDES[2]])
VALUES = np.array(
    [
        [0.047, 0.071, 0.047, -0.035, 0.075, 0.052, 0.003, 0.059],
        [0.048, 0.045, 0.031, 0.057, -0.007, 0.022, 0.006, 0.06],
        [0.032, 0.015, -0.009, 0.017, 0.03, 0.016, 0.095, 0.08],
        [-0.106, -0.064, 0.021, 0.009, 0.041, 0.041, 0.136, -0.026],
        [0.011, 0.132, 0.062, 0.063, 0.004, -0.052, 0.038, 0.035],
    ]
)


def halves(n, n_repeats=5, seed=0, **settings):
    """Whether records are tested in the first half of a repetition."""
    splitter = BlockRegularizedMx2CV(n_repeats, random_state=seed, **settings)
    y = np.zeros(n)
    in_first = np.zeros((n_repeats, n), dtype=bool)
    for split, (_, test) in enumerate(splitter.split(y, y)):
        in_first[split // 2, test] = split % 2 == 0
    return in_first


def random_blocks(seed, n=203, n_repeats=5, mean=0.1, strata=None, **settings):
    """Differences with effects of records, of training on each side, and of chance."""
    rng = np.random.default_rng([seed, n])
    in_first = halves(n, n_repeats, seed)
    records = rng.normal(mean, 1, n)
    training = rng.normal(0, 0.05, (n_repeats, 2))
    d = records + np.where(in_first, training[:, :1], training[:, 1:])
    d += rng.normal(0, 0.5, d.shape)
    return BlockDifferences.from_records(d, in_first, strata=strata, **settings)


def test_contrasts_and_variances_of_the_methods():
    """The check values of D.19b: half differences, V_OA and V_R, to 1e-12."""
    test, training = block_contrasts(VALUES, SIDES)
    whole = test + training
    others = (VALUES.mean(axis=0) * UNUSED).mean(axis=1)
    beyond = (whole**2 - test**2).mean()

    assert 0.03005 == pytest.approx(VALUES.mean(), rel=1e-12)
    assert [0.003125, -0.00575, -0.02075, -0.027, -0.022625] == pytest.approx(
        test - training, rel=1e-12
    )
    assert 2.1969558035714304e-4 == pytest.approx(
        (np.sum(whole**2) + np.sum(others**2)) / 7, rel=1e-12
    )
    assert 3.81812109375e-4 == pytest.approx(1e-4 + max(0, beyond), rel=1e-12)


def slow_variance(d, in_first, strata):
    """Variance and degrees of freedom by loops over repetitions, blocks and records."""
    m, n = d.shape
    pattern = [tuple(column) for column in in_first.T]
    of_block = {p: [i for i in range(n) if pattern[i] == p] for p in set(pattern)}
    overall = d.mean(axis=1)

    def contrast(r, s):
        return sum(
            (1 if p[r] else -1) * sum(d[s, i] - overall[s] for i in rows)
            for p, rows in of_block.items()
        ) / n  # fmt: skip

    test = [np.mean([contrast(r, s) for s in range(m) if s != r]) for r in range(m)]
    training = [test[r] - contrast(r, r) for r in range(m)]
    cells = [(p, k) for p in of_block for k in set(strata[of_block[p]].tolist())]
    own = np.zeros((m, m))
    for p, k in cells:
        rows = [i for i in of_block[p] if strata[i] == k]
        beyond = d[:, rows] - d[:, rows].mean(axis=1, keepdims=True)
        own += beyond @ beyond.T
    own *= n / (n - len(cells)) / n**2
    part = []
    for r in range(m):
        others = np.array([0 if s == r else 1 / (m - 1) for s in range(m)])
        alone = others - (np.arange(m) == r)
        part.append((others @ own @ alone, alone @ own @ alone))
    covariance = np.mean(
        [2 * (e * f - both) for e, f, (both, _) in zip(test, training, part)]
    )
    squares = np.mean(np.square(training))
    alone = np.mean([f**2 - single for f, (_, single) in zip(training, part)])
    centred = np.eye(m) - 1 / m
    between = np.var(overall, ddof=1) - np.trace(centred @ own) / (m - 1)
    means = d.mean(axis=0)
    records = np.var(means, ddof=1) / n
    deviations = (means - means.mean()) ** 2
    spread = np.sum(deviations**2) - np.sum(deviations) ** 2 / n
    records_df = min(max(1, 2 * np.sum(deviations) ** 2 / spread), n - 1)
    chance = CHANCE / m * max(between, 0)
    total = records + max(chance, covariance + alone - (1 - CHANCE / m) * between)
    c = max(covariance, 0)
    noise = (c**2 + 4 * c * squares + 4 * records * squares + 2 * squares**2) / m
    noise = CUT * (noise + 2 * chance**2 / (m - 1))
    return total, max(2 * total**2 / (2 * records**2 / records_df + noise), m - 1)


def test_variance_by_definition():
    """The statistic is that of plain loops, for unequal blocks and other repetitions."""
    for n_repeats, n in itertools.product([2, 3, 5, 7, 10], [60, 101]):
        rng = np.random.default_rng([n, n_repeats])
        in_first, strata = halves(n, n_repeats), rng.integers(2, size=n)
        d = rng.normal(0.1, 1, n) + rng.normal(0, 0.4, (n_repeats, n))
        total, df = slow_variance(d, in_first, strata)
        result = bcv_jackknife_t(BlockDifferences.from_records(d, in_first, strata=strata))

        assert d.mean() == pytest.approx(result.estimate, rel=1e-12)
        assert math.sqrt(total) == pytest.approx(result.details["se"], rel=1e-10)
        assert df == pytest.approx(result.df, rel=1e-10)
        assert d.mean() / math.sqrt(total) == pytest.approx(result.statistic, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_pvalue_and_limits_of_student(alternative):
    """P-value and limits are those of SciPy's t, and the test turns at the limits."""
    blocks = random_blocks(3)
    result = bcv_jackknife_t(blocks, alternative=alternative)
    tails = {
        "greater": stats.t.sf(result.statistic, result.df),
        "less": stats.t.cdf(result.statistic, result.df),
        "two-sided": 2 * stats.t.sf(abs(result.statistic), result.df),
    }

    assert tails[alternative] == pytest.approx(result.pvalue, rel=1e-10)
    for limit in result.confidence_interval(0.9):
        if math.isfinite(limit):
            moved = replace(blocks, values=blocks.values - limit)
            found = bcv_jackknife_t(moved, alternative=alternative)
            assert 0.1 == pytest.approx(found.pvalue)


def check_variance_where_training_adds_to_testing(n_draws):
    """If effects add up, the variance without its floor is that of the mean difference.

    Each record has an effect as test data and one as training data of all that the other
    side tests, which go together; each training has chance of its own.
    """
    for both, alone in [(0, 0), (0.6, 0.1), (-0.3, 0.4), (0.3, 1.0)]:
        n = 48
        rng = np.random.default_rng([n, round(10 * both) % 100, round(10 * alone)])
        in_first = halves(n)
        patterns, block = np.unique(in_first, axis=1, return_inverse=True)
        sides, order = (
            np.where(patterns, 1, -1),
            np.argsort(block.reshape(-1), kind="stable"),
        )
        block = block.reshape(-1)[order]
        in_first = in_first[:, order]
        effect = rng.normal(size=(n_draws, n))
        trains = (both * effect + alone * rng.normal(size=effect.shape)) * 2 / n
        chance = rng.normal(0, 0.1, (n_draws, 5, 2))
        means = []
        for r, first in enumerate(in_first):
            gains = [(trains * side).sum(axis=1) for side in (~first, first)]
            gains = [gain + chance[:, r, k] for k, gain in enumerate(gains)]
            means.append(np.where(first, *(gain[:, np.newaxis] for gain in gains)))
        d = effect[:, np.newaxis] + np.stack(means, axis=1)
        d += rng.normal(0, 0.5, d.shape)
        size = n // 8
        cells = d.reshape(n_draws, 5, 8, size)
        beyond = (cells - cells.mean(axis=-1, keepdims=True)).reshape(d.shape)
        own = beyond @ beyond.swapaxes(1, 2) * n / (n - 8) / n**2
        records = d.mean(axis=1).var(axis=1, ddof=1) / n
        between = d.mean(axis=2).var(axis=1, ddof=1)
        between -= np.einsum("rs,drs->d", np.eye(5) - 0.2, own) / 4
        found = block_variance(cells.mean(axis=-1), sides, own, records, n - 1.0)
        test, training = block_contrasts(cells.mean(axis=-1), sides)
        others = (1 - np.eye(5)) / 4
        single = others - np.eye(5)
        beyond = (training**2 + 2 * test * training).mean(axis=1)
        beyond -= np.einsum("ir,drs,is->d", single + 2 * others, own, single) / 5
        expected = records + beyond - 0.8 * between

        estimates = d.mean(axis=(1, 2))
        error = math.sqrt(2 / n_draws) + expected.std() / estimates.var() / math.sqrt(
            n_draws
        )
        assert 1 == pytest.approx(expected.mean() / estimates.var(), abs=4 * error)
        assert (found.total >= records).all()


def test_variance_where_training_adds_to_testing():
    """If effects add up, the variance without its floor is that of the mean difference."""
    check_variance_where_training_adds_to_testing(n_draws=2000)


@pytest.mark.slow
def test_variance_where_training_adds_to_testing_by_many_draws():
    """The same, to some four per cent."""
    check_variance_where_training_adds_to_testing(n_draws=20_000)


def share_of_rejections(draw, n_draws=300):
    """How often the default test tells two equal learners apart."""
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(n_draws):
        blocks = draw(rng)
        rejected += bcv_jackknife_t(blocks).pvalue < 0.05
    return rejected


def right_by_the_best(columns, y, in_first):
    """Whether records are predicted correctly by the feature that is right most often."""
    right = columns == y
    found = np.empty(in_first.shape)
    for r, first in enumerate(in_first):
        for test in (first, ~first):
            best = right[:, ~test].mean(axis=1).argmax()
            found[r, test] = right[best, test]
    return found


@pytest.mark.slow
def test_learners_that_select_hold_the_level():
    """Equal learners that pick the best of ten features; of the same ten tables the
    published test tells 12 % of them apart.
    """
    shares = np.r_[0.709, np.full(9, 0.642)][:, np.newaxis]

    def draw(rng):
        n = 296
        y, in_first = rng.integers(2, size=n), halves(n, seed=int(rng.integers(1e6)))
        both = [
            right_by_the_best(np.where(rng.random((10, n)) < shares, y, 1 - y), y, in_first)
            for _ in range(2)
        ]
        return BlockDifferences.from_records(both[1] - both[0], in_first, strata=y)

    assert share_of_rejections(draw) <= stats.binom.ppf(0.999, 300, 0.05)


@pytest.mark.slow
def test_chance_in_training_holds_the_level():
    """Copies whose training moves a whole half by chance, by more than records do."""

    def draw(rng):
        in_first = halves(96, seed=int(rng.integers(1e6)))
        chance = rng.normal(0, 0.5, (5, 2))
        d = rng.normal(0, 1, 96) + np.where(in_first, chance[:, :1], chance[:, 1:])
        return BlockDifferences.from_records(d, in_first)

    assert share_of_rejections(draw) <= stats.binom.ppf(0.999, 300, 0.05)


def test_chance_in_training_is_flagged():
    """Where it is more than half of what records vary by, and only there."""
    rng = np.random.default_rng(5)
    in_first = halves(200)
    records = rng.normal(0, 1, 200)
    flagged = []
    for size in (0.02, 1.0):
        chance = rng.normal(0, size, (5, 2))
        d = records + np.where(in_first, chance[:, :1], chance[:, 1:])
        result = bcv_jackknife_t(BlockDifferences.from_records(d, in_first))
        flagged.append("unstable-training" in result.flags)

    assert [False, True] == flagged


def test_no_difference():
    """Where no record differs, nothing does; rounding is no difference."""
    in_first = halves(40)
    for d in (np.zeros((5, 40)), np.full((5, 40), 1e-17)):
        blocks = BlockDifferences.from_records(d, in_first, champion=0.9, challenger=0.9)
        result = bcv_jackknife_t(blocks)

        assert (0.0, 1.0) == tuple(result)
        assert ("degenerate",) == result.flags


def test_constant_difference():
    """A difference that does not vary has no p-value."""
    result = bcv_jackknife_t(BlockDifferences.from_records(np.ones((5, 40)), halves(40)))

    assert math.inf == result.statistic
    assert math.isnan(result.pvalue)
    assert "zero-variance" in result.flags


def test_unknown_variance():
    """A score without a formula has a difference, and no p-value."""
    result = bcv_jackknife_t(replace(random_blocks(1), variance=math.nan))

    assert math.isfinite(result.estimate)
    assert math.isnan(result.pvalue)
    assert ("unknown-variance",) == result.flags


def test_undefined_half():
    """A score that is undefined on a half leaves an estimate of the others."""
    blocks = random_blocks(1)
    values = blocks.values.copy()
    values[0, blocks.sides[0] > 0] = np.nan
    result = bcv_jackknife_t(replace(blocks, values=values, flags=("undefined-in-split",)))

    assert math.isfinite(result.estimate)
    assert math.isnan(result.pvalue)
    assert "undefined-in-split" in result.flags


def test_default_of_block_regularized_designs():
    """It is the default of accuracy, losses and scores; of groups as well."""
    measures = (
        "accuracy",
        "binary_brier_loss",
        "neg_log_loss",
        "roc_auc",
        "precision",
        "f1",
    )
    measures += ("balanced_accuracy", "matthews_corrcoef", "squared_calibration_error")
    for grouped in (False, True):
        for measure in measures:
            names = [e.name for e in fitting_tests(measure, Design("bcv", 5, 2, grouped))]
            assert ["bcv_jackknife_t"] == names, measure
    assert [] == fitting_tests("average_precision", Design("bcv", 5, 2))


def test_sample_size():
    """At as many records as it says, a difference of this size has the wanted power."""
    blocks = random_blocks(2)
    needed = paired_tests()["bcv_jackknife_t"].sample_size(
        blocks, alpha=0.05, power=0.8, alternative="two-sided"
    )
    result = bcv_jackknife_t(blocks)
    required = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    ratio = required * result.details["se"] / result.estimate

    assert max(203 * ratio**2, 204) == pytest.approx(needed)
