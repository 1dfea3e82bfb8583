"""Losses of predicted numbers: by scikit-learn's metrics, in their domains, at extremes."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ttest_rel
from sklearn import metrics

from skcompare import compare
from skcompare._core.arrays import ArrayOperations
from skcompare._registry.metrics import by_columns, record_losses
from skcompare.evidence import PairedLosses
from skcompare.stats import paired_t
from tests.common.golden import golden

GOLDEN = golden("number_losses")
ENTRIES = [
    entry
    for entry in record_losses().values()
    if (entry.target, entry.needs) == ("numbers", "values")
]
MERGEABLE = [entry for entry in ENTRIES if not entry.relative]
OF_SCIKIT_LEARN = [
    (entry, name)
    for entry in MERGEABLE
    for name in entry.measures
    if hasattr(metrics, name)
]
RNG = np.random.default_rng(26)
Y = RNG.gamma(2, 3, size=(200))
OLD, NEW = (Y * np.exp(s * RNG.normal(size=200)) for s in (0.4, 0.3))


def loss(name, y, predicted, **options):
    """Losses of a few records."""
    arrays = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    return record_losses()[name].function(*arrays, **options)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["loss"])
def test_losses_of_independent_software(case):
    """Each record's loss, and the mean, by scikit-learn or in 50 digits."""
    losses = loss(case["loss"], case["y"], case["predicted"], **case["options"])

    # scikit-learn's deviances of nearly equal numbers are what rounding leaves.
    atol = 0 if "mpmath" in case["source"] else 1e-14
    assert_allclose(losses, case["losses"], rtol=1e-12, atol=atol)
    assert_allclose(losses.mean(), case["mean"], rtol=1e-12)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_equal_and_swapped_predictions(entry):
    """Equal predictions differ by 0, with p = 1, and roles may be swapped."""
    same = paired_t(Y, OLD, OLD, loss=entry.name)
    there, back = (paired_t(Y, *both, loss=entry.name) for both in ((OLD, NEW), (NEW, OLD)))

    assert (0, 1) == (same.estimate, same.pvalue)
    assert_allclose(
        (back.estimate, back.pvalue), (-there.estimate, there.pvalue), rtol=1e-12
    )


@pytest.mark.parametrize("entry", MERGEABLE, ids=lambda entry: entry.name)
def test_order_and_shards(entry):
    """The order of the records, and that they come in shards, does not matter."""
    order = np.random.default_rng(1).permutation(200)
    whole = PairedLosses.from_predictions(Y, OLD, NEW, loss=entry.name)
    other = PairedLosses.from_predictions(
        *(a[order] for a in (Y, OLD, NEW)), loss=whole.loss
    )
    halves = [
        PairedLosses.from_predictions(*arrays, loss=entry.name)
        for arrays in zip(*(np.split(array, 2) for array in (Y, OLD, NEW)), strict=True)
    ]

    assert_array_equal(whole.champion[order], other.champion)
    assert_array_equal(whole.values, sum(halves).values)
    assert_allclose(paired_t(sum(halves)).pvalue, paired_t(whole).pvalue, rtol=1e-9)
    assert_allclose(paired_t(other).pvalue, paired_t(whole).pvalue, rtol=1e-9)


@pytest.mark.parametrize(
    ("entry", "mean"), OF_SCIKIT_LEARN, ids=[mean for _, mean in OF_SCIKIT_LEARN]
)
def test_scoring_by_a_mean(entry, mean):
    """The mean of a loss is a measure, greater is better with neg_ and worse without."""
    metric = getattr(metrics, mean)
    losses = [entry.function(Y, own) for own in (OLD, NEW)]
    row, plain = (
        compare(Y, {"old": OLD, "new": NEW}, scoring=name).rows[0]
        for name in (f"neg_{mean}", mean)
    )

    assert ("paired_t", True) == (row.test, row.greater_is_better)
    assert_allclose((row.champion, row.challenger), (-metric(Y, OLD), -metric(Y, NEW)))
    assert_allclose(row.pvalue, ttest_rel(*losses).pvalue, rtol=1e-9)
    assert not plain.greater_is_better
    assert_allclose((plain.champion, plain.difference), (-row.champion, row.difference))


def test_measures_that_scikit_learn_lacks():
    """A loss without a scorer there is a measure by its own name, with all tests."""
    comparison = compare(Y, {"old": OLD, "new": NEW}, scoring="neg_huber_loss", tests="all")
    means = [-loss("huber_loss", Y, own).mean() for own in (OLD, NEW)]

    for row in comparison.rows:
        if row.measure == "neg_huber_loss" and row.champion is not None:
            # Beside a reduction stand the losses themselves.
            sign = -1 if row.kind == "reduction" else 1
            expected = [sign * mean for mean in means]
            assert_allclose((row.champion, row.challenger), expected, rtol=1e-12)
    assert {"bootstrap_difference", "wilcoxon"} < {row.test for row in comparison.rows}
    with pytest.raises(ValueError, match="Did you mean 'neg_huber_loss'"):
        compare(Y, {"old": OLD, "new": NEW}, scoring="neg_huber_los")


@pytest.mark.parametrize(
    ("name", "options", "y", "predicted", "message"),
    [
        (
            "poisson_deviance",
            {},
            [1, -1],
            [1, 1],
            r"true numbers of at least 0\. Got 1 oth",
        ),
        (
            "poisson_deviance",
            {},
            [1, 1],
            [1, 0],
            r"predictions above 0\. Got 1 .* position 1",
        ),
        (
            "gamma_deviance",
            {},
            [0, 0, 1],
            [1, 1, 1],
            r"true numbers above 0\. Got 2 others",
        ),
        ("gamma_deviance", {}, [1, 1], [1, -1], r"predictions above 0\. .*squared_error"),
        (
            "tweedie_deviance",
            {"power": -1},
            [-1],
            [0],
            "of power -1 needs predictions above",
        ),
        (
            "tweedie_deviance",
            {"power": 1.5},
            [-1],
            [1],
            "of power 1.5 needs true numbers of",
        ),
        (
            "tweedie_deviance",
            {"power": 3},
            [0],
            [1],
            "of power 3 needs true numbers above 0",
        ),
        (
            "tweedie_deviance",
            {"power": 0.5},
            [1],
            [1],
            r"up to 0, or of at least 1\. Got 0\.5",
        ),
        ("tweedie_deviance", {"power": "1"}, [1], [1], r"of at least 1\. Got '1'"),
        ("squared_log_error", {}, [-1, 0], [0, 0], r"true numbers above -1\. Got 1 others"),
        ("squared_log_error", {}, [0, 0], [0, -2], r"predictions above -1\. Got 1 others"),
        ("pinball_loss", {"alpha": 1}, [1], [1], r"between 0 and 1\. Got 1\."),
        ("pinball_loss", {"alpha": None}, [1], [1], r"between 0 and 1\. Got None"),
        ("huber_loss", {"delta": 0}, [1], [1], r"above 0\. Got 0\."),
        ("huber_loss", {"delta": math.inf}, [1], [1], r"above 0\. Got inf"),
        ("absolute_percentage_error", {"least": -1}, [1], [1], r"at least 0\. Got -1"),
        (
            "absolute_percentage_error",
            {},
            [0, 1],
            [1, 1],
            r"Got 1 below 0\.0005, the first",
        ),
        (
            "absolute_percentage_error",
            {"least": 0},
            [1, 0],
            [1, 1],
            "Got 1 below 0, the fir",
        ),
    ],
)
def test_outside_the_domain(name, options, y, predicted, message):
    """What a loss is not defined for is refused in one line."""
    with pytest.raises(ValueError, match=message):
        loss(name, y, predicted, **options)


def test_domains_are_those_of_scikit_learn():
    """A deviance accepts what mean_tweedie_deviance does, power by power."""
    values = [-1.0, 0.0, 1.0]
    for power in (-1, 0, 1, 1.5, 2, 3):
        for y, predicted in ((a, b) for a in values for b in values):
            try:
                expected = metrics.mean_tweedie_deviance([y], [predicted], power=power)
            except ValueError:
                with pytest.raises(ValueError, match=f"of power {power} needs"):
                    loss("tweedie_deviance", [y], [predicted], power=power)
            else:
                own = loss("tweedie_deviance", [y], [predicted], power=power)
                assert_allclose(own, expected, rtol=1e-12, atol=1e-15)


def test_percentages_near_zero():
    """A target of less than a thousandth of the median is refused, or what is passed."""
    y = np.array([1000.0, 2000, 3000, 1.9])
    name = "absolute_percentage_error"

    assert_allclose(0.1, loss(name, y, 1.1 * y, least=1), rtol=1e-12)
    assert_allclose(0.1, loss(name, [2, 2000, 3000], [2.2, 2200, 3300]), rtol=1e-12)
    # The median is 1500, or 1.5 of a thousandth.
    assert_allclose(0.1, loss(name, y, 0.9 * y), rtol=1e-12)
    with pytest.raises(ValueError, match=r"Got 1 below 1\.5, the first at position 3"):
        loss(name, [1000, 2000, 3000, 1.4], y)


def test_no_overflow_at_extremes():
    """Numbers far apart have the loss of their logarithms, without a warning."""
    extremes = ([1e200, 1e-200], [1e-200, 1e200])
    logs = np.log(1e200) * 2

    assert_allclose(loss("gamma_deviance", *extremes)[1], 2 * (logs - 1), rtol=1e-12)
    rare = loss("poisson_deviance", [1e5], [1e-306])
    assert_allclose(rare, 2e5 * (311 * np.log(10) - 1), rtol=1e-12)
    assert_allclose(loss("log_cosh_loss", *extremes), 1e200, rtol=1e-12)
    assert_allclose(loss("squared_log_error", *extremes), np.log1p(1e200) ** 2, rtol=1e-12)
    # What is too large for its square is refused by its name.
    with pytest.raises(ValueError, match=r"'gamma_deviance' must be finite, and at most"):
        PairedLosses.from_predictions(*extremes, extremes[0], loss="gamma_deviance")


def test_small_logarithms_keep_their_digits():
    """Numbers near 0 have the squared error, not the rounding errors of logarithms."""
    assert_allclose(loss("squared_log_error", [2e-13], [1e-13]), 1e-26, rtol=1e-9)


def test_zero_losses():
    """The truth costs nothing, at least in the domain, and no loss is below 0."""
    near = Y * (1 + 1e-9 * RNG.normal(size=200))
    for entry in ENTRIES:
        powers = (-1, 0, 1, 1.2, 1.7, 2, 2.5, 3) if "power" in entry.options else (None,)
        for power in powers:
            options = {} if power is None else {"power": power}
            assert not entry.function(Y, Y, **options).any()
            assert (entry.function(Y, near, **options) >= 0).all()


def test_functions_are_their_expressions():
    """An expression, which engines evaluate, has the numbers of the function."""
    for entry in ENTRIES:
        if entry.expression is not None:
            options = {"least": 1e-3} if "least" in entry.options else {}
            expected = by_columns(entry.expression)(Y, OLD, **options)
            assert_array_equal(expected, entry.function(Y, OLD, **options))


def test_checked_values():
    """Operations of arrays return what holds, and count what does not."""
    ops, values = ArrayOperations(), np.array([1.0, -2.0, -3.0])

    assert ops.checked(values, values < 2, "Numbers are below 2", "") is values
    with pytest.raises(ValueError, match=r"^Above 0\. Got 2 others, the .* 1\. Drop them"):
        ops.checked(values, values > 0, "Above 0", "Drop them")
