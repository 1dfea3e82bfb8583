"""Wilcoxon's signed-rank test: other people's numbers, and what defines it.

`wilcoxon.json` has figures of scipy, R `wilcox.test` and R `coin`, and a textbook's.
"""

import itertools
import math
import tracemalloc
from bisect import bisect_left
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

from skcompare._core.validation import alpha_of
from skcompare.evidence import PairedLosses
from skcompare.stats import paired_tests, wilcoxon
from skcompare.stats.losses import _wilcoxon as null
from skcompare.stats.losses import _wilcoxon as walsh
from skcompare.stats.losses._wilcoxon import WalshSums, in_units
from tests.common.golden import golden

GOLDEN = golden("wilcoxon")
EXACT = [case for case in GOLDEN["cases"] if "exact" in case["values"]]
ALTERNATIVES = ("two-sided", "greater", "less")
ZEROS = ("wilcox", "pratt")
NORMAL = {
    "wilcox": False,
    "pratt": False,
    "wilcox_corrected": True,
    "pratt_corrected": True,
}

DEPRESSION = (
    np.array(
        [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
    ),
    np.array(
        [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
    ),
)


def losses_of(gains):
    """Losses that differ by these gains."""
    return PairedLosses.from_losses(np.asarray(gains, dtype=float), np.zeros(len(gains)))


def run(gains, **options):
    return wilcoxon(losses_of(gains), **options)


def rough(rng, n, n_values=4):
    """Gains with many ties and zeros."""
    return rng.integers(-n_values, n_values + 2, n) / 10


def averages(gains):
    """All Walsh averages, sorted."""
    i, j = np.triu_indices(len(gains))
    return np.sort((gains[i] + gains[j]) / 2)


def enumerated(gains, zeros):
    """Sums of positive ranks under all choices of signs, and the observed one."""
    gains = np.round(gains, 12)
    if zeros == "wilcox":
        gains = gains[gains != 0]
    ranks = stats.rankdata(np.abs(gains))
    ranks, signs = ranks[gains != 0], gains[gains != 0] > 0
    sums = np.array(list(product((0, 1), repeat=len(ranks)))) @ ranks
    return sums, float(ranks @ signs)


# ------------------------------------------------------- other people's numbers


def test_normal_approximation_of_independent_packages():
    """scipy, R and coin agree, with and without ties, zeros and continuity correction."""
    for case in GOLDEN["cases"]:
        values = case["values"]
        for name, correction in NORMAL.items():
            zeros = name.removesuffix("_corrected")
            result = run(
                case["differences"], method="normal", zeros=zeros, correction=correction
            )

            assert values[name] == pytest.approx(result.pvalue, rel=1e-10)
            assert values["n_zeros"] == result.details["n_zeros"]
            if zeros == "pratt":
                assert values["pratt_w"] == result.statistic
            else:
                assert values["w_plus"] == result.details["w_plus"]
                assert values["w_minus"] == result.details["w_minus"]
                assert min(values["w_plus"], values["w_minus"]) == result.statistic


def test_exact_pvalue_of_independent_packages():
    """scipy and R, few records without ties."""
    for case in EXACT:
        result = run(case["differences"], method="exact")

        assert case["values"]["exact"] == pytest.approx(result.pvalue, rel=1e-12)


def test_worked_example_of_two_classes():
    """The textbook's rank sums 11 and 10, although two of its losses differ in noise."""
    worked = GOLDEN["worked"][0]
    losses = PairedLosses.from_predictions(worked["y"], worked["A"], worked["B"])
    result = wilcoxon(losses)

    assert worked["w_plus"] == result.details["w_plus"]
    assert worked["w_minus"] == result.details["w_minus"]
    assert (10, worked["exact"]) == tuple(result)
    assert worked["normal"] == pytest.approx(
        wilcoxon(losses, method="normal").pvalue, abs=5e-5
    )


def test_worked_example_of_three_classes():
    """The textbook's losses, W = 9 and p = 0.84375."""
    worked = GOLDEN["worked"][1]
    result = wilcoxon(PairedLosses.from_losses(worked["losses_A"], worked["losses_B"]))

    assert (worked["w"], worked["exact"]) == tuple(result)


def test_critical_value():
    """Of six differences, W must not be above the textbook's critical value 0."""
    critical = GOLDEN["worked"][0]["critical_value"]
    for w in range(4):
        # One rank is negative: W is that rank.
        gains = [-rank if rank == w else rank for rank in range(1, critical["n"] + 1)]
        result = run(gains)

        assert w == result.statistic
        rejected = result.pvalue <= critical["alpha"]
        assert rejected == (w <= critical["largest_rejected"])


def test_published_example():
    """Hollander and Wolfe (1973), section 3.1: W 40 and p 0.020, estimate 0.46, limits
    0.010 and 0.786 at 96 %.
    """
    result = wilcoxon(PairedLosses.from_losses(*DEPRESSION), alternative="greater")
    both = wilcoxon(PairedLosses.from_losses(*DEPRESSION))

    assert 40 == result.details["w_plus"]
    assert 0.01953 == pytest.approx(result.pvalue, abs=5e-6)
    assert 0.46 == pytest.approx(result.estimate)
    assert (0.010, 0.786) == pytest.approx(tuple(both.confidence_interval(0.96)))


# --------------------------------------------------------- what defines p-values


def test_exact_pvalue_counts_all_choices_of_signs():
    """With ties and zeros as they are, to the last bit."""
    for zeros in ZEROS:
        rng = np.random.default_rng(3)
        for n in (1, 2, 5, 8, 11):
            for _ in range(3):
                gains = rough(rng, n)
                sums, observed = enumerated(gains, zeros)
                above, below = np.mean(sums >= observed), np.mean(sums <= observed)
                expected = {
                    "greater": above,
                    "less": below,
                    "two-sided": min(1, 2 * min(above, below)),
                }
                for alternative, pvalue in expected.items():
                    result = run(
                        gains, method="exact", zeros=zeros, alternative=alternative
                    )

                    assert pvalue == result.pvalue


def test_variance_is_that_of_all_choices():
    """The corrections for ties and zeros give mean and variance of all choices of signs."""
    for zeros, correction in itertools.product(ZEROS, [False, True]):
        rng = np.random.default_rng(4)
        for n in (4, 7, 10):
            gains = np.append(rough(rng, n), [0.1, 0.0])
            sums, observed = enumerated(gains, zeros)
            distance = observed - sums.mean()
            for alternative, sign in (("greater", 1), ("less", -1)):
                z = (sign * distance - correction / 2) / sums.std()
                result = run(
                    gains,
                    method="normal",
                    zeros=zeros,
                    correction=correction,
                    alternative=alternative,
                )

                assert stats.norm.sf(z) == pytest.approx(result.pvalue, rel=1e-12)
                expected = math.copysign(max(0, abs(distance) - correction / 2), distance)
                assert expected / sums.std() == pytest.approx(
                    result.details["z"], abs=1e-12
                )


def test_scipy_where_it_is_right():
    """Exact without ties and zeros, up to where its distribution has its digits."""
    for alternative in ALTERNATIVES:
        rng = np.random.default_rng(5)
        for n in (1, 6, 25, 120):
            gains = rng.normal(0.2, 1, n).round(9)
            expected = stats.wilcoxon(gains, method="exact", alternative=alternative)
            result = run(gains, method="exact", alternative=alternative)

            assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "method", "exact"),
    [(1000, "auto", True), (1001, "auto", False), (1001, "exact", True)],
)
def test_auto_is_exact_up_to_1000_ranked_differences(n, method, exact):
    """Zeros that are left out do not count."""
    gains = np.append(np.random.default_rng(n).normal(size=n), np.zeros(40))

    assert exact == run(gains, method=method).method.startswith("exact")
    assert not run(gains, method=method, zeros="pratt").method.startswith(
        "exact" if method == "auto" else "normal"
    )


def test_normal_approximation_meets_the_exact_pvalue():
    """Where "auto" changes, the two differ by less than a hundredth of p."""
    gains = np.random.default_rng(6).normal(0.06, 1, 1000)
    exact, normal = (run(gains, method=method).pvalue for method in ("exact", "normal"))

    assert exact != normal
    assert exact == pytest.approx(normal, rel=0.01)


# ------------------------------------------------------------ estimate and limits


def test_estimate_is_the_median_of_walsh_averages():
    """All pairs are listed here; "wilcox" leaves zeros out."""
    for zeros in ZEROS:
        rng = np.random.default_rng(7)
        for n in (1, 2, 3, 10, 41, 150):
            for gains in (rough(rng, n), rng.normal(size=n).round(12)):
                kept = gains[gains != 0] if zeros == "wilcox" and gains.any() else gains

                expected = np.median(averages(kept))

                assert expected == pytest.approx(
                    run(gains, zeros=zeros).estimate, abs=1e-12
                )


def test_limits_without_ties_are_order_statistics():
    """The usual limits: the k-th Walsh average from either end, P(W < k) below the tail."""
    rng = np.random.default_rng(8)
    for n in (6, 9, 14, 60):
        gains = rng.normal(size=n).round(10)
        result, listed = run(gains), averages(gains)
        doubled = 2 * np.arange(1, n + 1)
        for level in (0.5, 0.9, 0.95):
            k = bisect_left(
                range(len(listed)),
                (1 - level) / 2,
                key=lambda w, ranks=doubled: null.subset_sum_chance(ranks, 2 * w)[0],
            )

            expected = listed[k - 1], listed[len(listed) - k]

            assert expected == pytest.approx(tuple(result.confidence_interval(level)))


def test_limits_hold_the_shifts_that_are_not_rejected():
    """With ties: between two Walsh averages a shift is inside exactly if p is not small."""
    for method, alternative in itertools.product(["exact", "normal"], ALTERNATIVES):
        rng = np.random.default_rng(9)
        for n in (7, 14):
            gains = rough(rng, n)
            # Levels below 1/2 too, whose one-sided tails are beyond the mean.
            listed = np.unique(averages(gains).round(3))
            between = [listed[0] - 1, *[sum(pair) / 2 for pair in pairwise(listed)]]
            options = {"method": method, "zeros": "pratt", "alternative": alternative}
            pvalues = [
                run(gains, null_value=shift, **options).pvalue
                for shift in (*between, listed[-1] + 1)
            ]
            for level in (0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99):
                low, high = run(gains, **options).limits(level, alternative)
                for shift, pvalue in zip((*between, listed[-1] + 1), pvalues, strict=True):
                    assert (pvalue >= alpha_of(level)) == (low < shift < high)


def test_pvalue_grows_with_the_shift():
    """Through ties and ranked zeros too, so that the shifts not rejected are one range."""
    for method in ("exact", "normal"):
        rng = np.random.default_rng(10)
        for n in (3, 6, 11, 18):
            gains = rough(rng, n, n_values=2)
            shifts = np.unique(np.concatenate([averages(gains), averages(gains) + 0.01]))
            pvalues = [
                run(
                    gains,
                    method=method,
                    zeros="pratt",
                    null_value=shift,
                    alternative="greater",
                ).pvalue
                for shift in shifts.round(3)
            ]

            assert (np.diff(pvalues) >= -1e-12).all()


@pytest.mark.slow
def test_interval_excludes_zero_exactly_when_p_is_small():
    """Ties and zeros of every amount, all alternatives."""
    for zeros, method in itertools.product(ZEROS, ["exact", "normal", "corrected"]):
        rng = np.random.default_rng(11)
        correction = method == "corrected"
        options = {"zeros": zeros, "correction": correction}
        options["method"] = "normal" if correction else method
        seen = set()
        for n in (2, 9, 25):
            for n_values in (1, 30):
                gains = rough(rng, n, n_values)
                for alternative in ALTERNATIVES:
                    result = run(gains, alternative=alternative, **options)
                    for level in (0.5, 0.9, 0.99):
                        significant = result.pvalue < alpha_of(level)
                        seen.add(significant)
                        low, high = result.confidence_interval(level)
                        assert significant == (not low <= 0 <= high)
                        low, high = result.limits(level, alternative)
                        beyond = max(low, -high)
                        assert beyond == 0 or significant == (beyond > 0)

        assert {True, False} == seen


def test_margin_is_a_shift():
    """A null value is taken off the gains and put back on estimate and limits."""
    for alternative, zeros in itertools.product(ALTERNATIVES, ZEROS):
        gains = np.random.default_rng(12).normal(0.1, 1, 30).round(3)
        options = {"alternative": alternative, "zeros": zeros}
        result = run(gains, null_value=-0.25, **options)
        shifted = run(gains + 0.25, **options)

        assert shifted.pvalue == result.pvalue
        assert -0.25 == result.null_value
        assert shifted.estimate - 0.25 == pytest.approx(result.estimate)
        assert [limit - 0.25 for limit in shifted.confidence_interval()] == pytest.approx(
            list(result.confidence_interval())
        )


def test_few_records_have_no_finite_limits():
    """The signs of 5 (one-sided 4) differences are never rarer than 1 in 20."""
    for alternative in ALTERNATIVES:
        n = {"two-sided": 5}.get(alternative, 4)
        gains = np.arange(1.0, n + 1)
        result = run(gains, alternative=alternative)
        more = run([*gains, n + 1], alternative=alternative)

        assert ("few-differences",) == result.flags
        assert (-math.inf, math.inf) == tuple(result.confidence_interval())
        assert () == more.flags
        assert 1 == sum(map(math.isfinite, more.confidence_interval())) or (
            alternative == "two-sided"
            and all(map(math.isfinite, more.confidence_interval()))
        )


def test_no_difference_at_all():
    """Statistic 0, p 1, flagged; zeros of many records narrow the interval to 0."""
    for zeros in ZEROS:
        for n in (1, 4, 5, 6, 30):
            result = run(np.zeros(n), zeros=zeros)

            assert (0, 1, 0, 0) == (*result, result.estimate, result.log_pvalue)
            assert ("degenerate",) == result.flags
            expected = (0, 0) if n > 5 else (-math.inf, math.inf)
            assert expected == tuple(result.confidence_interval())


def test_zeros_decide_what_is_estimated():
    """Most records have no difference, and the others favour the challenger."""
    gains = np.append(np.zeros(100), np.arange(1, 11) / 10)
    left_out, ranked = (run(gains, zeros=zeros) for zeros in ZEROS)

    assert 2**-9 == left_out.pvalue == ranked.pvalue
    assert 0.55 == pytest.approx(left_out.estimate)
    assert 0 == ranked.estimate
    assert 100 == ranked.details["n_zeros"] == left_out.details["n_zeros"]
    assert 10 == ranked.details["n_ranked"] == left_out.details["n_ranked"]


def test_rank_biserial_correlation():
    """The share of favourable ranks less that of the others."""
    result = run([0.1, -0.2, 0.3, 0.4])

    assert (8 - 2) / 10 == result.details["rank_biserial"]


# ------------------------------------------------------- faults of other libraries


def test_scipy_exact_pvalue_is_zero():
    """scipy's exact p is 0.0 for 54 gains and 2e-16 for 59: it subtracts from 1."""
    for n in (54, 59, 900):
        result = run(np.arange(1.0, n + 1))

        assert math.ldexp(1, 1 - n) == pytest.approx(result.pvalue, rel=1e-12)
    vast = run(np.arange(1.0, 1201), method="exact")
    assert -1199 * math.log(2) == pytest.approx(vast.log_pvalue, rel=1e-14)
    assert vast.pvalue > 0


def test_scipy_is_undefined_for_equal_losses():
    """scipy's normal approximation is NaN where no record has a difference."""
    for method in ("normal", "exact"):
        assert (0, 1) == tuple(run(np.zeros(30), method=method))


def test_scipy_ranks_rounding_noise():
    """scipy takes 0.3² and (0.7 - 1)² for different, and gives the tied sizes two ranks."""
    y = [0, 1, 0, 1, 0]
    losses = PairedLosses.from_predictions(
        y, [0.3, 0.9, 0.5, 0.6, 0.3], [0.1, 0.7, 0.2, 0.7, 0.2]
    )
    noisy = losses.differences
    sizes = np.round(np.abs(noisy), 12)
    assert len(np.unique(np.abs(noisy))) > len(np.unique(sizes))

    sums, observed = enumerated(noisy, "wilcox")

    assert observed == wilcoxon(losses).details["w_plus"]
    assert np.mean(sums >= observed) == wilcoxon(losses, alternative="greater").pvalue
    assert wilcoxon(losses).pvalue != stats.wilcoxon(noisy, method="exact").pvalue


def test_ties_forced_into_the_exact_test_without_them():
    """Elsewhere ties get the distribution of untied ranks, or a normal approximation."""
    gains = [1, 1, 1, 1, 1, 1, 1, -1, 1, 1, 1, -1]

    # All sizes are tied, which leaves the signs: the sign test.
    expected = stats.binomtest(2, 12).pvalue

    assert expected == pytest.approx(run(gains, method="exact").pvalue, rel=1e-14)


# ------------------------------------------------------------------ many records


def test_walsh_averages_need_not_be_listed(monkeypatch):
    """Order statistics found by counting are those of all averages."""
    for kind in ["smooth", "rounded", "mostly zero", "heavy tails"]:
        monkeypatch.setattr(walsh, "MOST_LISTED", 500)
        rng = np.random.default_rng(13)
        n = 700
        gains = {
            "smooth": rng.normal(size=n),
            "rounded": rng.integers(-30, 30, n) / 10,
            "mostly zero": np.where(rng.random(n) < 0.9, 0, rng.integers(-5, 90, n)),
            "heavy tails": rng.standard_cauchy(n),
        }[kind]
        values, _ = in_units(np.sort(gains).astype(float))
        i, j = np.triu_indices(n)
        listed = np.sort(values[i] + values[j])
        sums = WalshSums(values)

        assert len(listed) == sums.number
        assert np.median(listed) == pytest.approx(sums.median(), rel=1e-15)
        for position in (1, 2, len(listed), *rng.integers(1, len(listed), 20)):
            assert listed[position - 1] == sums.at(int(position))
        for bound in rng.choice(listed, 10):
            assert (listed <= bound).sum() == sums.count(int(bound))


def test_many_records_take_little_memory():
    """The Walsh averages of 20 000 records would take 1.6 GB."""
    rng = np.random.default_rng(14)
    losses = losses_of(rng.normal(0.01, 1, 20_000))
    tracemalloc.start()
    result = wilcoxon(losses)
    low, high = result.confidence_interval()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 50e6
    assert low < result.estimate < high
    # The interval of a mean of normal numbers is narrower by sqrt(3 / pi).
    assert 2 * 1.96 / math.sqrt(20_000 * 3 / math.pi) == pytest.approx(high - low, rel=0.02)


def test_large_values_keep_their_ranks():
    """Losses of any size are whole numbers in some unit."""
    gains = np.array([3.0, -1.0, 4.0, 1.5, -5.5, 9.0, 2.5])
    for size in (1e3, 1e9, 1e100):
        result = run(gains * size)

        assert run(gains).pvalue == result.pvalue
        assert run(gains).estimate * size == pytest.approx(result.estimate)


def test_vanishing_differences_are_none():
    """What differs after 12 decimals is noise."""
    assert run([1e-13, -2e-13, 4e-13]).degenerate


# --------------------------------------------------------------- planning and errors


def test_sample_size_is_noether_s():
    """From the share of pairs of records whose gains add to more than 0."""
    gains = np.random.default_rng(15).normal(0.15, 1, 40).round(6)
    pairs = [gains[i] + gains[j] > 0 for i in range(40) for j in range(i)]
    reach = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)

    expected = reach**2 / (3 * (np.mean(pairs) - 0.5) ** 2)

    needed = paired_tests()["wilcoxon"].sample_size
    options = {"alpha": 0.05, "power": 0.8}
    found = needed(losses_of(gains), alternative="two-sided", **options)
    assert expected == pytest.approx(found)
    assert math.inf == needed(losses_of(gains), alternative="less", **options)
    with pytest.raises(ValueError, match=r"`power` must be between 0 and 1\. Got 80"):
        needed(losses_of(gains), alternative="less", alpha=0.05, power=80)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "exact", "correction": True}, "continuity correction"),
        ({"null_value": math.nan}, "`null_value` must be a finite number"),
        ({"null_value": "0"}, "`null_value` must be a finite number"),
    ],
)
def test_options_that_cannot_be(options, message):
    """Each is refused with what to do."""
    with pytest.raises(ValueError, match=message):
        run([1.0, 2.0, -3.0], **options)


def test_correction_is_true_or_false():
    """A number is not taken for one of them."""
    with pytest.raises(TypeError, match="`correction` must be True or False"):
        run([1.0, 2.0, -3.0], correction=0.5)


def test_exact_is_refused_for_too_many():
    """The bound is named, and what to use."""
    with pytest.raises(ValueError, match=r'5000 ranked differences\. Got 5001.*"normal"'):
        run(np.arange(1.0, 5002), method="exact")


def test_the_estimate_is_computed_once_when_it_is_read(monkeypatch):
    """A p-value does not wait for the Hodges-Lehmann estimate."""
    calls, median = [], WalshSums.median
    monkeypatch.setattr(WalshSums, "median", lambda sums: calls.append(1) or median(sums))
    result = run([0.3, -0.1, 0.2, 0.5, 0.4, 0.6])

    assert 0 < result.pvalue < 1
    assert [] == calls
    assert 0.35 == pytest.approx(result.estimate)
    assert result.to_dict()["estimate"] == result.estimate
    assert [1] == calls


def test_moments_have_no_ranks():
    """Losses that were not kept cannot be ranked."""
    moments = PairedLosses.from_moments(
        20, (0.2, 0.1), variances=(0.01, 0.01), covariance=0.002
    )

    with pytest.raises(ValueError, match="moments"):
        wilcoxon(moments)
