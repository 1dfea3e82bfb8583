"""The permutation test of losses: enumeration, draws, limits, symmetry."""

import itertools
import math
import pickle

import numpy as np
import pytest

from skcompare._core.validation import alpha_of
from skcompare.evidence import PairedLosses
from skcompare.stats import loss_permutation, paired_t
from skcompare.stats.core._sign_flip import MOST_ENUMERATED, flipped_sums
from tests.common.golden import golden

CASES = [c for c in golden("losses")["cases"] if "sign_flip_pvalue" in c["paired"]]
ALTERNATIVES = ("two-sided", "less", "greater")


def losses_of(differences):
    return PairedLosses.from_losses(differences, np.zeros(len(differences)))


def brute_force(differences, alternative, delta=0.0):
    """The p-value from all choices of signs, one after another."""
    values = np.asarray(differences) - delta
    signs = np.array(list(itertools.product([1, -1], repeat=len(values))))
    sums, observed = signs @ values, values.sum()
    slack = 1e-10 * np.abs(values).sum()
    if alternative == "two-sided":
        return np.mean(np.abs(sums) >= abs(observed) - slack)
    sign = 1 if alternative == "greater" else -1
    return np.mean(sign * sums >= sign * observed - slack)


# ------------------------------------------------------- exact


def test_figures_of_independent_packages():
    """SciPy's permutation_test over all choices of signs."""
    for case in CASES:
        losses = PairedLosses.from_predictions(case["y"], case["A"], case["B"])
        result = loss_permutation(losses)

        assert case["paired"]["sign_flip_pvalue"]["value"] == pytest.approx(
            result.pvalue, rel=1e-12
        )
        assert "all signs" == result.method


def test_enumeration():
    """All choices of signs, for differences with ties and zeros and without."""
    for alternative, seed in itertools.product(ALTERNATIVES, range(6)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 11))
        differences = rng.normal(0.3, 1, n) if seed % 2 else rng.integers(-2, 4, n) / 10
        result = loss_permutation(losses_of(differences), alternative=alternative)

        assert brute_force(differences, alternative) == pytest.approx(
            result.pvalue, rel=1e-12
        )
        assert math.log(result.pvalue) == pytest.approx(result.log_pvalue, abs=1e-12)
        assert differences.mean() == pytest.approx(result.statistic, abs=1e-15)


def test_limits_invert_the_enumeration():
    """Just inside the limits a difference is not rejected, just outside it is."""
    for alternative, seed in itertools.product(ALTERNATIVES, range(4)):
        rng = np.random.default_rng(seed)
        differences = rng.normal(0.5, 1, 8)
        result = loss_permutation(losses_of(differences), alternative=alternative)
        for level in (0.6, 0.9, 0.95):
            low, high = result.confidence_interval(level)
            for limit, outward in ((low, -1e-7), (high, 1e-7)):
                if math.isinf(limit):
                    continue
                outside = brute_force(differences, alternative, limit + outward)
                inside = brute_force(differences, alternative, limit - outward)
                assert outside < alpha_of(level) <= inside


def test_few_records_leave_the_interval_infinite():
    """Where no p-value is below alpha, no difference is excluded."""
    result = loss_permutation(losses_of([1.0, 2.0, 3.0]))

    assert 0.25 == result.pvalue
    assert (-math.inf, math.inf) == result.confidence_interval(0.95)
    assert all(map(math.isfinite, result.confidence_interval(0.7)))


# ------------------------------------------------------- random


def test_draws_estimate_the_exact_pvalue(monkeypatch):
    """Random signs are about the p-value of all of them, within their standard error."""
    rng = np.random.default_rng(1)
    for shift in (0.0, 0.2, 0.4):
        losses = losses_of(rng.normal(shift, 1, 18))
        for alternative in ALTERNATIVES:
            exact = loss_permutation(losses, alternative=alternative)
            with monkeypatch.context() as patch:
                patch.setattr("skcompare.stats.core._sign_flip.MOST_ENUMERATED", 0)
                drawn = loss_permutation(losses, alternative=alternative)
                low, high = drawn.confidence_interval(0.9)

            error = drawn.details["monte_carlo_error"]
            assert abs(exact.pvalue - drawn.pvalue) < 4 * error
            assert "9999 Monte-Carlo signs" == drawn.method
            assert tuple(exact.confidence_interval(0.9)) == pytest.approx(
                (low, high), abs=0.05
            )


def slow_signs(differences, n_resamples, seed):
    """The sums that the bytes of the generator stand for, sign by sign."""
    order = np.lexsort((np.sign(differences), np.abs(differences)))
    sizes = np.abs(differences)[order]
    seeds = np.random.RandomState(seed).randint(1 << 32, size=4, dtype=np.uint64)
    bits = np.random.SFC64(seeds.tolist())
    sums = np.zeros(n_resamples)
    for start in range(0, len(sizes), 8):
        words = bits.random_raw(-(-n_resamples // 8)).astype("<u8")
        states = np.frombuffer(words.tobytes(), dtype=np.uint8)[:n_resamples]
        for place, size in enumerate(sizes[start : start + 8]):
            sums += np.where(states >> place & 1, -size, size)
    return sums


def test_random_signs_one_by_one():
    """Looking up eight signs at once adds up what adding them one by one does."""
    for n in [21, 24, 25, 4100]:
        differences = np.random.default_rng(n).normal(0.05, 1, n)
        expected = slow_signs(differences, 101, 7)

        flipped = flipped_sums(differences, n_resamples=101, random_state=7)

        assert expected == pytest.approx(flipped.sums, rel=1e-9, abs=1e-9)
        far = np.sum(np.abs(expected) >= abs(differences.sum()))
        assert (1 + far) / 102 == flipped.pvalue("two-sided")[0]


def test_signs_are_fair_and_unrelated():
    """Each sign is positive half of the time, and no two go together."""
    n, n_resamples = 24, 20_000
    # Powers of two are distinguished in their sum.
    flipped = flipped_sums(2.0 ** np.arange(n), n_resamples=n_resamples, random_state=1)
    coded = ((flipped.sums + 2.0**n - 1) / 2).astype(np.int64)
    signs = 2.0 * (coded[:, np.newaxis] >> np.arange(n) & 1) - 1

    assert [0] * n == pytest.approx(signs.mean(axis=0), abs=5 / math.sqrt(n_resamples))
    together = signs.T @ signs / n_resamples - np.eye(n)
    assert np.abs(together).max() < 5 / math.sqrt(n_resamples)
    assert signs.sum(axis=1).tolist() == flipped.balances[0].tolist()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", ["continuous", "ties", "zeros", "symmetric"])
def test_limits_invert_the_same_draws(kind, alternative):
    """The p-value of the same signs for a difference beside a limit is beside alpha."""
    rng = np.random.default_rng(3)
    values = {
        "continuous": rng.normal(0.2, 1, 40),
        "ties": rng.integers(-3, 5, 40) / 4,
        "zeros": np.where(np.arange(40) < 25, 0, rng.normal(0.2, 1, 40)),
        "symmetric": np.repeat([-1.0, 1.0], 20),
    }[kind]
    flipped = flipped_sums(values, n_resamples=499, random_state=0)
    result = loss_permutation(losses_of(values), alternative=alternative, n_resamples=499)

    def pvalue(delta):
        # The sums of values less delta, for every way of giving signs to ties.
        sums = np.concatenate([flipped.sums - delta * row for row in flipped.balances])
        observed = values.sum() - delta * len(values)
        together = np.concatenate(
            [sums, -sums, *[[observed, -observed]] * len(flipped.balances)]
        )
        if alternative == "two-sided":
            return np.mean(np.abs(together) >= abs(observed) - 1e-9)
        sign = 1 if alternative == "greater" else -1
        return np.mean(sign * together >= sign * observed - 1e-9)

    assert result.pvalue == pytest.approx(pvalue(0.0), rel=1e-12)
    for level in (0.6, 0.9, 0.95):
        low, high = result.confidence_interval(level)
        for limit, outward in ((low, -1e-6), (high, 1e-6)):
            if math.isfinite(limit):
                assert pvalue(limit + outward) < alpha_of(level) <= pvalue(limit - outward)


@pytest.mark.parametrize("kind", ["ties", "zeros", "symmetric"])
def test_exchanged_roles_and_records(kind):
    """Ties, zeros and symmetric differences, too, give mirrored intervals in any order."""
    rng = np.random.default_rng(4)
    values = {
        "ties": rng.integers(-3, 5, 60) / 4,
        "zeros": np.where(np.arange(60) < 45, 0, rng.normal(0.2, 1, 60)),
        "symmetric": np.repeat([-1.0, 1.0], 30),
    }[kind]
    result = loss_permutation(losses_of(values))
    mirrored = loss_permutation(losses_of(-rng.permutation(values)))
    low, high = mirrored.confidence_interval()

    assert result.pvalue == mirrored.pvalue
    assert (-high, -low) == pytest.approx(tuple(result.confidence_interval()), abs=1e-12)


def test_seeds():
    """A seed gives one result, and another seed another one; generators are taken."""
    losses = losses_of(np.random.default_rng(5).normal(0.2, 1, 50))
    one = loss_permutation(losses, random_state=1)

    assert one.pvalue == loss_permutation(losses, random_state=1).pvalue
    assert one.pvalue != loss_permutation(losses, random_state=2).pvalue
    state = np.random.RandomState(1)
    assert one.pvalue == loss_permutation(losses, random_state=state).pvalue
    for wrong in (0, -1, 2.5, None):
        with pytest.raises(ValueError, match="`n_resamples` must be an integer"):
            loss_permutation(losses, n_resamples=wrong)


def test_smallest_pvalues():
    """Draws never give 0, and a one-sided p-value is half of the two-sided one."""
    losses = losses_of(1 + np.random.default_rng(6).random(60))

    assert 1 / 1000 == loss_permutation(losses, n_resamples=999).pvalue
    one_sided = loss_permutation(losses, n_resamples=999, alternative="greater")
    assert 1 / 2000 == one_sided.pvalue
    assert one_sided.confidence_interval(0.99).low > 1
    other = loss_permutation(losses, n_resamples=999, alternative="less")
    assert 1 == other.pvalue


def test_many_records_are_like_the_t_test():
    """Of many records both tests, and both intervals, say about the same."""
    losses = losses_of(np.random.default_rng(8).normal(0.03, 1, 3000))
    permuted, t = loss_permutation(losses), paired_t(losses)

    assert t.pvalue == pytest.approx(permuted.pvalue, abs=0.02)
    assert tuple(t.confidence_interval()) == pytest.approx(
        tuple(permuted.confidence_interval()), abs=0.002
    )


# ------------------------------------------------------- edges


def test_no_difference():
    """Without any difference p is 1, flagged."""
    for n in (2, MOST_ENUMERATED, MOST_ENUMERATED + 1):
        result = loss_permutation(losses_of(np.zeros(n)))

        assert (0, 1) == tuple(result)
        assert ("degenerate",) == result.flags


def test_size_of_the_losses_does_not_matter():
    """Tiny losses and large ones have the same p-value, and sums stay equal."""
    values = np.random.default_rng(10).integers(-3, 5, 15) / 10
    expected = loss_permutation(losses_of(values))

    for scale in (1e-15, 1e9):
        result = loss_permutation(losses_of(values * scale))
        assert expected.pvalue == result.pvalue
        assert np.multiply(scale, expected.confidence_interval()) == pytest.approx(
            result.confidence_interval(), rel=1e-9
        )


def test_what_it_needs():
    """Values are needed, and two records."""
    with pytest.raises(ValueError, match="Keep them by keep_values=True"):
        loss_permutation(
            PairedLosses.from_losses([1.0, 2.0], [0.0, 0.0], keep_values=False)
        )
    with pytest.raises(ValueError, match=r"at least 2 records\. Got 1"):
        loss_permutation(losses_of([1.0]))


def test_exact_results_are_small():
    """A result keeps the differences, and not the half million sums of their signs."""
    result = loss_permutation(losses_of(np.arange(20.0) - 5))

    assert len(pickle.dumps(result)) < 10_000


# ------------------------------------------------------- as a result


def test_plain_numbers():
    """A result has Python's numbers, whatever type numpy's counts have."""
    for n, alternative in itertools.product([5, 30], ALTERNATIVES):
        losses = losses_of(np.random.default_rng(n).normal(size=n))
        result = loss_permutation(losses, alternative=alternative)

        for value in (*result, result.log_pvalue, *result.confidence_interval()):
            assert float is type(value)


def test_differences_that_are_rounding():
    """Losses that differ in their last bits are equal, as for the t test."""
    x = np.random.default_rng(11).random(12)
    for n in (12, 40):
        x = np.random.default_rng(n).random(n)
        losses = PairedLosses.from_losses(np.nextafter(x, 2), x)
        for result in (paired_t(losses), loss_permutation(losses)):
            assert (0, 1) == tuple(result)
            assert ("degenerate",) == result.flags
            assert (0, 0) == pytest.approx(tuple(result.confidence_interval()), abs=1e-15)
