"""The anytime-valid test of bounded losses: wealth, limits, moments, bounds, levels."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp

from skcompare import compare
from skcompare.evidence import PairedLosses, record_losses
from skcompare.stats import anytime_losses, paired_tests
from skcompare.stats.sequential._e_values import LOG_WEIGHTS, SHARES, CountBets, loss_bets

ALTERNATIVES = ("two-sided", "less", "greater")
BOUND = -math.log(0.05)


def losses_of(x):
    """Losses with these differences, in [0, 1] where the differences are in [-1, 1]."""
    return PairedLosses.from_losses(np.maximum(x, 0), np.maximum(-np.asarray(x), 0))


def drawn(n, seed=0, mean=0.05):
    rng = np.random.default_rng(seed)
    return np.clip(mean + 0.3 * rng.standard_normal(n), -1, 1)


def brute_force(x, null, alternative, bound=1.0):
    """The e-value by multiplying what each share gains, record by record."""
    total = weights = 0.0
    for k in range(1, 65):
        for sign in (-1, 1):
            if {"greater": 1, "less": -1}.get(alternative, sign) != sign:
                continue
            kappa = sign * 2 ** (-k / 4) / bound
            wealth = math.prod((1 + kappa * v) / (1 + kappa * null) for v in x)
            total += wealth / (8 + k)
            weights += 1 / (8 + k)
    return total / weights


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_evalue_is_the_mean_wealth_of_all_bets(alternative):
    """Multiplied out, the bets of the docstring give the e-value, on any scale."""
    x = drawn(40)
    for null in (0.0, -0.1, 0.3):
        for scale in (1.0, 250.0):
            settings = {"null_value": null * scale, "alternative": alternative}
            result = anytime_losses(losses_of(x * scale), bound=scale, **settings)
            expected = brute_force(x, null, alternative)
            assert expected == pytest.approx(result.details["e_value"], rel=1e-11)
            assert min(1.0, 1 / expected) == pytest.approx(result.pvalue, rel=1e-11)


def test_growth_of_many_records():
    """Power series and products of factors sum the logarithms to 13 digits."""
    for n in [1, 63, 64, 65, 16_384, 20_000]:
        x = np.random.default_rng(n).uniform(-1, 1, n)
        x[0] = -1.0
        chosen = np.r_[0:4, 14:18, 60:68, 110:114, 124:128]
        found = loss_bets(losses_of(x) if n > 1 else losses_of([-1.0]), 1.0).growth[chosen]
        expected = [math.fsum(np.log1p(share * x)) for share in SHARES[chosen]]

        assert expected == pytest.approx(found, rel=1e-12, abs=1e-12 * n)


def test_grid():
    """Shares are symmetric, inside (-1, 1), and their probabilities add up to 1."""
    assert SHARES.tolist() == (-SHARES[::-1]).tolist()
    assert LOG_WEIGHTS.tolist() == LOG_WEIGHTS[::-1].tolist()
    assert np.abs(SHARES).max() < 0.85
    assert 0 == pytest.approx(logsumexp(LOG_WEIGHTS), abs=1e-14)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limits_are_where_the_evalue_is_at_its_bound(alternative):
    """At a limit inside the bound the e-value is 1 / alpha."""
    for n in (2, 30, 3000):
        losses = losses_of(drawn(n))
        words = {"bound": 1, "alternative": alternative}
        for limit in anytime_losses(losses, **words).confidence_interval():
            if abs(limit) < 1:
                again = anytime_losses(losses, null_value=limit, **words)
                assert BOUND == pytest.approx(again.details["log_e_value"], abs=1e-8)


def test_shards_add_up():
    """Bets on shards add up to those on all records."""
    x = drawn(500)
    bets = loss_bets(losses_of(x[:200]), 1.0) + loss_bets(losses_of(x[200:]), 1.0)
    whole = loss_bets(losses_of(x), 1.0)

    assert whole.growth == pytest.approx(bets.growth, abs=1e-11)
    assert (whole.n, whole.mean) == pytest.approx((bets.n, bets.mean))
    assert whole.deviation == pytest.approx(bets.deviation)


# -------------------------------------------------------------------------- moments


def test_moments_never_give_more():
    """Of any few records, also at the bound, and against any null value."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 5) * 10:
        x = rng.choice([-1.0, -0.999, 0.0, 0.4, 1.0, *rng.uniform(-1, 1, 2)], size=n)
        losses = losses_of(x)
        one, other = (
            loss_bets(each, 1.0) for each in (losses, replace(losses, values=None))
        )
        assert (one.growth - other.growth).min() >= -1e-12
        for null in (-0.999, 0.5):
            for side in ALTERNATIVES:
                most = one.log_wealth(null, side)
                assert other.log_wealth(null, side) <= most + 1e-12


def test_moments_give_less_and_nearly_as_much():
    """Of moments each share has gained no more, and of small differences hardly less."""
    for n, kept in ((20, 0.4), (500, 0.5), (50_000, 0.9)):
        losses = losses_of(drawn(n, mean=2 / math.sqrt(n)))
        reduced = replace(losses, values=None)
        one, other = loss_bets(losses, 1.0), loss_bets(reduced, 1.0)
        assert (one.growth - other.growth).min() >= -1e-9
        e_values = [b.log_wealth(0.0, "two-sided") for b in (one, other)]
        assert kept * e_values[0] <= e_values[1] <= e_values[0] + 1e-9
    assert "bets on moments" == anytime_losses(reduced, bound=1).method
    assert "bets on records" == anytime_losses(losses, bound=1).method


# --------------------------------------------------------------------------- bounds


def test_known_bounds_hold():
    """No two losses of a record differ by more than the bound of their registered loss."""
    rng = np.random.default_rng(0)
    for name, entry in record_losses().items():
        if entry.bound is None or entry.target == "numbers":
            continue
        n_classes = 2 if name == "binary_brier_loss" else 3
        codes = rng.integers(n_classes, size=400)
        proba = rng.dirichlet(np.full(n_classes, 0.05), size=400)
        found = entry.function(codes, proba)
        assert 0.9 * entry.bound < np.ptp(found) <= entry.bound + 1e-12, name
    assert record_losses()["log_loss"].bound is None


def test_bound_of_the_loss_is_the_default():
    """Brier losses need no bound, and the bound that was used is in the details."""
    y = [1, 0, 1, 0] * 5
    proba = np.linspace(0.1, 0.9, 20)
    for loss, bound in (
        ("binary_brier_loss", 1),
        ("multiclass_brier_loss", 2),
        ("cost_weighted_loss", 1),
    ):
        losses = PairedLosses.from_predictions(y, proba, proba[::-1], loss=loss)
        assert bound == anytime_losses(losses).details["bound"]


def test_losses_without_a_bound_are_refused():
    """The message says what to do for the log loss, costs of one's own and own losses."""
    y, proba = [1, 0, 1, 0], [0.9, 0.2, 0.8, 0.4]
    costs = {"loss": "cost_weighted_loss", "cost_matrix": [[0, 5], [1, 0]]}
    for words in ({"loss": "log_loss"}, costs):
        losses = PairedLosses.from_predictions(y, proba, proba, **words)
        with pytest.raises(ValueError, match=r"Pass `bound`.*fixed before the records"):
            anytime_losses(losses)
        assert 1 == anytime_losses(losses, bound=5).pvalue
    with pytest.raises(ValueError, match="'losses' has none"):
        anytime_losses(losses_of(drawn(5)))


def test_bound_must_be_a_number():
    """Bounds that are none are refused."""
    for bound in [0, -1, 1e-200, math.inf, math.nan, "1", True]:
        with pytest.raises(ValueError, match="`bound` must be a number above 0"):
            anytime_losses(losses_of(drawn(5)), bound=bound)


def test_differences_beyond_the_bound_are_refused():
    """Of records and of moments, one clear error; rounding is forgiven."""
    for losses in (losses_of([0.5, -1.5]), PairedLosses.from_losses([2, 3], [0, 0])):
        with pytest.raises(ValueError, match=r"at most `bound`, 1\. Got a difference of"):
            anytime_losses(losses, bound=1)
    reduced = PairedLosses.from_losses([3, 0, 3], [0, 3, 0], keep_values=False)
    with pytest.raises(ValueError, match="at most `bound`"):
        anytime_losses(reduced, bound=2)
    assert 0 < anytime_losses(losses_of([1 + 1e-12, 0.5]), bound=1).pvalue
    single = PairedLosses.from_losses(np.full(5, 0.1, np.float32), np.zeros(5))
    assert 0 < anytime_losses(single, bound=0.1).pvalue <= 1


def test_null_value_is_within_the_bound():
    """A gain at the bound or beyond it is refused."""
    for null in (1, -1, 3.0, math.nan, "0"):
        with pytest.raises(ValueError, match="between -1 and 1"):
            anytime_losses(losses_of(drawn(5)), bound=1, null_value=null)


def test_equal_losses():
    """Equal losses say nothing of equal means, and something of a margin."""
    losses = losses_of(np.zeros(400))
    equal = anytime_losses(losses, bound=1)
    margin = anytime_losses(losses, bound=1, null_value=-0.05, alternative="greater")

    assert (0, 1, 0) == (equal.statistic, equal.pvalue, equal.log_pvalue)
    assert ("degenerate",) == equal.flags
    assert margin.pvalue < 1e-3
    assert () == margin.flags


def test_zero_one_losses_are_much_as_counts():
    """With a loss of 0 or 1 the e-values are within what the two mixtures differ."""
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.8, 0.15], size=400)
    counted = CountBets(int(np.sum(x < 0)), int(np.sum(x > 0)), 400)
    found = loss_bets(losses_of(x), 1.0)
    for side in ALTERNATIVES[::2]:
        expected = counted.log_wealth(0.0, side)
        assert expected == pytest.approx(found.log_wealth(0.0, side), abs=1.5)


# ------------------------------------------------------------------- levels and power


@pytest.mark.slow
def test_ever_rejected():
    """Of streams of skewed losses that are watched throughout, less than 5 % reject."""
    rng = np.random.default_rng(0)
    n_streams, n = 300, 300
    x = np.where(rng.random((n_streams, n)) < 0.1, 0.9, -0.1)
    grown = np.zeros((n_streams, len(SHARES)))
    ever = np.zeros(n_streams, bool)
    for k in range(n):
        grown += np.log1p(np.multiply.outer(x[:, k], SHARES))
        ever |= logsumexp(grown + LOG_WEIGHTS, axis=1) > BOUND

    assert 0 < ever.mean() <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_number_of_records_has_its_power(alternative):
    """At the number of records the test rejects as often as asked, within 3 points."""
    x = drawn(100)
    pilot = losses_of(x - x.mean() + 0.04)
    sample_size = paired_tests()["anytime_losses"].sample_size
    settings = {"alternative": alternative, "bound": 1, "power": 0.8}
    needed = int(sample_size(pilot, alpha=0.05, **settings))
    rng = np.random.default_rng(1)
    found = []
    for _ in range(1500):
        x = rng.choice(pilot.differences, size=needed)
        bets = loss_bets(losses_of(x), 1.0)
        found.append(bets.log_wealth(0.0, alternative) > BOUND)

    assert 0.8 == pytest.approx(np.mean(found), abs=0.03)


def test_comparison_takes_a_bound():
    """A comparison runs the test by name, with a bound where the loss has none."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    proba = {
        name: np.clip(0.5 + skill * (y - 0.5) + 0.1 * rng.standard_normal(200), 0.01, 0.99)
        for name, skill in (("old", 0.2), ("new", 0.6))
    }
    words = {"scoring": "neg_log_loss", "tests": {"anytime_losses": {"bound": 4.7}}}
    report = compare(y, proba, **words)

    assert "challenger" == report.verdict
    assert 4.7 == report.results["anytime_losses"].result.details["bound"]
