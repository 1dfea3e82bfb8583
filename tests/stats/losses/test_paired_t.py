"""The paired t test of losses: other people's numbers, edges, planning, and t itself."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import HOLDOUT, Design
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import PairedLosses
from skcompare.stats import loss_permutation, paired_t, paired_tests
from skcompare.stats.core._tails import _log_far_tail, student_pvalue, student_quantile
from tests.common.golden import golden

GOLDEN = golden("losses")
ALTERNATIVES = ("two-sided", "less", "greater")


def losses_of(case, loss="brier_score"):
    return PairedLosses.from_predictions(
        case["y"], case["A"], case["B"], loss=case.get("loss", loss)
    )


def random_losses(seed, n=20, shift=0.0):
    rng = np.random.default_rng(seed)
    return PairedLosses.from_losses(rng.random(n) + shift, rng.random(n))


# ------------------------------------------------------- other people's numbers


def test_worked_examples():
    """The textbook's examples, recomputed; two of its printed numbers are wrong."""
    for case in GOLDEN["worked"]:
        result = paired_t(losses_of(case))

        assert case["means"] == pytest.approx(
            [result.champion, result.challenger], rel=1e-12
        )
        assert case["t"] == pytest.approx(result.statistic, rel=1e-12)
        assert case["pvalue"] == pytest.approx(result.pvalue, rel=1e-12)
        assert case["deviation"] == pytest.approx(result.details["deviation"], rel=1e-12)
        assert 5 == result.df
        if "pvalue" not in case["wrong_there"]:
            assert case["printed"]["pvalue"] == pytest.approx(result.pvalue, abs=5e-3)
        assert case["printed"]["t"] != pytest.approx(result.statistic, abs=5e-3)


def test_figures_of_independent_packages():
    """SciPy's ttest_rel and R's t.test."""
    for case in GOLDEN["cases"]:
        expected = {name: figure.get("value") for name, figure in case["paired"].items()}
        result = paired_t(losses_of(case))
        low, high = result.confidence_interval()

        assert expected["difference"] == pytest.approx(
            result.estimate, rel=1e-10, abs=1e-16
        )
        assert expected["df"] == result.df
        if "degenerate" in case["paired"]["t"]:
            assert (0, 1) == tuple(result)
            assert (0, 0) == (low, high)
            continue
        assert expected["deviation"] == pytest.approx(
            result.details["deviation"], rel=1e-10
        )
        assert expected["t"] == pytest.approx(result.statistic, rel=1e-10)
        assert expected["t_pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
        assert expected["t_low"] == pytest.approx(low, rel=1e-10)
        assert expected["t_high"] == pytest.approx(high, rel=1e-10)


def test_alternatives_are_scipys():
    """One-sided p-values and intervals are those of SciPy for the champion's losses."""
    losses = random_losses(1, shift=0.1)
    for alternative in ALTERNATIVES:
        expected = stats.ttest_rel(*losses.values, alternative=alternative)

        result = paired_t(losses, alternative=alternative)

        assert tuple(expected) == pytest.approx(tuple(result), rel=1e-12)
        assert tuple(expected.confidence_interval(0.9)) == pytest.approx(
            tuple(result.confidence_interval(0.9)), rel=1e-12
        )
        assert result.estimate / result.details["deviation"] == pytest.approx(
            result.details["d_z"]
        )


def test_moments_are_enough():
    """Losses that were reduced to their moments have the same result."""
    losses = random_losses(2)
    a, b = losses.values
    reduced = PairedLosses.from_moments(
        20,
        losses.means,
        variances=(a.var(ddof=1), b.var(ddof=1)),
        difference_variance=(a - b).var(ddof=1),
    )

    assert tuple(paired_t(losses)) == pytest.approx(tuple(paired_t(reduced)), rel=1e-10)


def test_large_losses():
    """Losses of 1e8 and a little are compared by the little."""
    little = random_losses(3)
    large = PairedLosses.from_losses(*(np.round(little.values * 1024) + 2.0**27))
    expected = stats.ttest_1samp(large.differences, 0)

    assert tuple(expected) == pytest.approx(tuple(paired_t(large)), rel=1e-12)


# ------------------------------------------------------- edges


def test_no_difference():
    """Equal losses, or equal but for rounding, have statistic 0 and p = 1."""
    x = np.random.default_rng(4).random(10)
    for other in (x, x * (1 + 2e-16)):
        result = paired_t(PairedLosses.from_losses(x, other))

        assert (0, 1) == tuple(result)
        assert ("degenerate",) == result.flags
        assert (0, 0) == pytest.approx(tuple(result.confidence_interval()), abs=1e-15)
        assert "d_z" not in result.details


def test_no_variance():
    """A constant gain has an infinite statistic and no p; the permutation test has one."""
    x = np.random.default_rng(5).random(10)
    for sign in (-1, 1):
        losses = PairedLosses.from_losses(x + sign * 0.1, x)

        result = paired_t(losses)

        assert sign * math.inf == result.statistic
        assert math.isnan(result.pvalue)
        assert math.isnan(result.log_pvalue)
        assert ("zero-variance",) == result.flags
        assert 2 / 2**10 == loss_permutation(losses).pvalue


def test_losses_whose_squares_underflow():
    """What is below 1e-150 is no difference, and never one without variance."""
    for size in (1e-200, 1e-160):
        x, y = np.random.default_rng(6).random((2, 10)) * size
        for result in (
            paired_t(PairedLosses.from_losses(x, y)),
            loss_permutation(PairedLosses.from_losses(x, y)),
        ):
            assert (0, 1) == tuple(result)
            assert ("degenerate",) == result.flags


def test_too_few_records():
    """One record says nothing about how others vary."""
    with pytest.raises(ValueError, match=r"at least 2 records\. Got 1"):
        paired_t(PairedLosses.from_losses([1.0], [0.5]))


def test_clipped_losses_are_flagged():
    """What was clipped shows on the result."""
    losses = PairedLosses.from_predictions(
        [1, 0, 1], [0, 0.2, 0.9], [0.5] * 3, loss="log_loss"
    )

    assert ("clipped-probabilities",) == paired_t(losses).flags


def test_estimate_is_called_a_gain():
    """Beside losses of each role, of which less is better, the difference is a gain."""
    for words, expected in [
        ({}, "gain in mean Brier loss of two classes"),
        ({"loss": "log_loss"}, "gain in mean log loss"),
        ({"loss": "log_loss", "eps": 0.1}, "gain in mean log loss (eps=0.1)"),
        ({"loss": "spherical_loss"}, "gain in mean spherical loss"),
        ({"loss": "cost_weighted_loss"}, "gain in mean cost of the best decision"),
        ({"loss": lambda codes, proba: codes - proba[:, 1]}, "gain in mean own loss"),
    ]:
        losses = PairedLosses.from_predictions([1, 0, 1], [0, 0.2, 0.9], [0.5] * 3, **words)
        result = paired_t(losses)

        assert expected == result.estimate_name
        assert expected == loss_permutation(losses).estimate_name
        assert f"{expected} {result.estimate:+.4f}, 95 % interval" in str(result)


def test_losses_without_a_title():
    """Other losses keep the names that they were given."""
    for loss, words in (
        ("losses", "loss"),
        ("squared error", "squared error"),
        ("Huber", "Huber loss"),
    ):
        losses = PairedLosses.from_losses([1, 2], [2, 4], loss=loss)

        assert f"gain in mean {words}" == paired_t(losses).estimate_name


def test_it_is_the_default_of_losses():
    """The t test comes first for any loss of a hold-out."""
    for measure in ("neg_log_loss", "multiclass_brier_loss", "neg_brier_score"):
        assert "paired_t" == fitting_tests(measure, HOLDOUT)[0].name
    grouped = fitting_tests("neg_log_loss", Design("holdout", grouped=True))
    assert "clustered_t" == grouped[0].name


# ------------------------------------------------------- planning


def test_sample_size():
    """With so many records, the power is the wanted one."""
    losses = random_losses(6, 40, shift=0.05)
    needed = paired_tests()["paired_t"].sample_size(
        losses, alpha=0.05, power=0.8, alternative="two-sided"
    )
    effect = paired_t(losses).details["d_z"]
    shift = abs(effect) * math.sqrt(needed)
    critical = stats.t.isf(0.025, needed - 1)

    assert needed > 40
    assert 0.8 == pytest.approx(stats.nct.sf(critical, needed - 1, shift), abs=0.005)


def test_sample_size_at_the_edges():
    """Never fewer than there are; infinite without a difference, or in the other way."""
    find = paired_tests()["paired_t"].sample_size
    clear, x = random_losses(7, 40, shift=3), np.ones(5)
    settings = {"alpha": 0.05, "power": 0.8}

    assert 41 == find(clear, alternative="two-sided", **settings)
    assert 41 == find(clear, alternative="greater", **settings)
    assert math.inf == find(clear, alternative="less", **settings)
    same = PairedLosses.from_losses(x, x)
    assert math.inf == find(same, alternative="two-sided", **settings)


# ------------------------------------------------------- Student's t


def test_student_tails_are_scipys():
    """Both tails and both sides, with logarithms."""
    for df, t in itertools.product([1, 2, 5, 30, 1e4], [0.0, 0.3, 2.0, 8.0]):
        for alternative, expected in (
            ("two-sided", 2 * stats.t.sf(t, df)),
            ("greater", stats.t.sf(t, df)),
            ("less", stats.t.cdf(t, df)),
        ):
            pvalue, log_pvalue = student_pvalue(t, df, alternative)

            assert expected == pytest.approx(pvalue, rel=1e-11)
            assert math.log(expected) == pytest.approx(log_pvalue, rel=1e-11, abs=1e-15)


def test_far_tail_where_scipy_reaches():
    """The continued fraction agrees with SciPy where that does not underflow."""
    for t, df in [(5, 3), (40, 10), (100, 50), (1e6, 2), (3, 1e4)]:
        assert stats.t.logsf(t, df) == pytest.approx(_log_far_tail(t, df), rel=1e-12)


def test_far_tail_beyond_the_smallest_double():
    """With density f, the tail is below g = f (df + t²) / (df t), above g / (1 + 1 / t²).

    For g has the derivative -f (1 + 1 / t²).
    """
    for t, df in [(60, 10**6), (38, 10**9), (200, 500), (1e4, 100)]:
        pvalue, log_pvalue = student_pvalue(t, df, "greater")
        upper = stats.t.logpdf(t, df) + math.log((df + t * t) / (df * t))
        lower = upper - math.log1p(1 / t**2)

        assert lower < log_pvalue < upper
        assert np.finfo(float).tiny == pvalue or math.log(pvalue) == pytest.approx(
            log_pvalue
        )


def test_student_quantiles():
    """The quantile of a tail has that tail."""
    for df in (1, 3, 40, 10**6):
        for tail in (0.4, 0.025, 1e-6):
            t = student_quantile(tail, df)

            assert tail == pytest.approx(student_pvalue(t, df, "greater")[0], rel=1e-9)
