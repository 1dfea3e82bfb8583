"""McNemar's test of a difference other than 0, as for non-inferiority."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar, paired_tests
from skcompare.stats.accuracy._limits import (
    Confidence,
    melded_limits,
    melded_pvalue,
    score_limits,
    score_root,
)
from tests.common.golden import golden
from tests.stats.accuracy.test_difference_limits import brute_score
from tests.stats.accuracy.test_melded_limits import brute_probability

GOLDEN = golden("paired_differences")
ALTERNATIVES = ("two-sided", "less", "greater")
METHODS = ("mid-p", "exact", "asymptotic", "corrected")
ALPHAS = (0.01, 0.05, 0.1, 0.3, 0.5)
NULLS = (-0.9, -0.4, -0.05, 0.02, 0.1, 0.6)
TABLES = [
    ContingencyTable(n - b - c, b, c, 0)
    for n in (1, 2, 5)
    for b in range(n + 1)
    for c in range(n + 1 - b)
]


# ------------------------------------------------------- other people's numbers


def test_noninferiority():
    """Both one-sided hypotheses of equivalence, as p-values of Tango's score."""
    for case in GOLDEN["noninferiority"]:
        table, margin = ContingencyTable(*case["table"]), case["margin"]
        # "A is worse by the margin or more" is "the challenger, B, is better by as much".
        lower, upper = (
            mcnemar(table, method="asymptotic", null_value=null, alternative=alternative)
            for null, alternative in ((margin, "less"), (-margin, "greater"))
        )

        assert case["lower"] == pytest.approx(lower.pvalue, rel=1e-9)
        assert case["upper"] == pytest.approx(upper.pvalue, rel=1e-9)


def test_noninferiority_of_the_challenger():
    """With A as the challenger, it is not worse by the margin if the first p is small."""
    case = GOLDEN["noninferiority"][0]
    table = ContingencyTable(*case["table"]).swap()

    result = mcnemar(
        table, method="asymptotic", null_value=-case["margin"], alternative="greater"
    )

    assert case["lower"] == pytest.approx(result.pvalue, rel=1e-9)
    assert result.confidence_interval().low > -case["margin"]


# ------------------------------------------------------------------------ the score


def test_score_by_brute_force():
    """Numeric maximum likelihood under the null value gives the same statistic."""
    for null, (b, c, n) in itertools.product(
        NULLS, [(25, 15, 200), (5, 1, 15), (0, 3, 10), (7, 0, 9)]
    ):
        distance, deviation = brute_score(b, c, n, null)
        table = ContingencyTable(n - b - c, b, c, 0)

        result = mcnemar(table, method="asymptotic", null_value=null)

        assert (distance / deviation) ** 2 == pytest.approx(result.statistic, rel=1e-6)
        assert null == result.null_value
        assert 1 == result.df
        two_sided = stats.chi2.sf((distance / deviation) ** 2, 1)
        assert two_sided == pytest.approx(result.pvalue, rel=1e-5)


def test_score_at_zero_is_mcnemars():
    """At a difference of 0 Tango's statistic is chi-squared, corrected or not."""
    for b, c in ((25, 15), (15, 25), (3, 3), (0, 1), (4, 5)):
        plain, corrected = (score_root(b, c, 60, correction, 0.0) for correction in (0, 1))
        distance = max(0, abs(c - b) - 1)

        assert (c - b) / math.sqrt(b + c) == pytest.approx(plain)
        assert distance / math.sqrt(b + c) == pytest.approx(abs(corrected))


def test_correction_reaches_no_further_than_zero():
    """Within a record of the null value the corrected statistic is 0 and p is 1."""
    table = ContingencyTable(60, 12, 8, 20)
    for null in (-0.049, -0.04, -0.031):
        result = mcnemar(table, method="corrected", null_value=null)

        assert (0.0, 1.0) == tuple(result)


def test_limits_have_pvalue_alpha():
    """At the limits of its interval each p-value is alpha, one-sided and two-sided."""
    table = ContingencyTable(110, 26, 14, 50)
    for method in METHODS:
        for alternative in ALTERNATIVES:
            limits = mcnemar(table, method=method, alternative=alternative).limits(
                0.9, alternative
            )
            for limit in limits:
                if abs(limit) < 1:
                    p = mcnemar(
                        table, method=method, alternative=alternative, null_value=limit
                    ).pvalue
                    assert 0.1 == pytest.approx(p, rel=1e-6)


# ---------------------------------------------------------------- exact and mid-p


@pytest.mark.parametrize(
    "nulls", [[-0.05, 0.1], pytest.param([-0.3, 0.01], marks=pytest.mark.slow)]
)
def test_melded_pvalue_by_the_other_integral(nulls):
    """It is the probability beyond the null value, integrated in another order."""
    for null, (b, c, n), mid in itertools.product(
        nulls,
        [(25, 15, 200), (0, 20, 50), (3, 30, 60), (1, 1, 2)],
        [True, False],
    ):
        tails = []
        for against, favour, value in ((b, c, null), (c, b, -null)):
            share = Confidence(favour, b + c, 0.5 * mid)
            part = Confidence(b + c, n, 0.5 if mid else float(value < 0))
            tail = brute_probability(value, share, part)
            # The limits hold the estimate, so beyond it nothing is rejected.
            tails.append(max(tail, 0.5) if value >= (favour - against) / n else tail)
        greater, less = tails

        for alternative, expected in zip(
            ("greater", "less", "two-sided"), (greater, less, min(1, 2 * min(tails)))
        ):
            pvalue, log_pvalue = melded_pvalue(b, c, n, mid, null, alternative)
            assert expected == pytest.approx(pvalue, rel=1e-5, abs=1e-14)
            assert math.log(pvalue) == pytest.approx(log_pvalue)


def test_melded_pvalue_joins_the_binomial_one():
    """A null value of nearly 0 has nearly the p-value of 0."""
    for method, alternative in itertools.product(["exact", "mid-p"], ALTERNATIVES):
        for cells in ((150, 25, 15, 10), (5, 1, 8, 2), (20, 0, 6, 4)):
            at_zero = mcnemar(
                ContingencyTable(*cells), method=method, alternative=alternative
            )
            for null in (-1e-9, 1e-9):
                near = mcnemar(
                    ContingencyTable(*cells),
                    method=method,
                    alternative=alternative,
                    null_value=null,
                )
                assert at_zero.pvalue == pytest.approx(near.pvalue, rel=1e-5)


def test_pvalues_rise_towards_the_estimate():
    """The farther a null value from the estimate, the smaller its p-value."""
    table = ContingencyTable(110, 26, 14, 50)
    for method in ("exact", "mid-p", "asymptotic"):
        pvalues = [
            mcnemar(table, method=method, null_value=null, alternative="greater").pvalue
            for null in np.linspace(-0.9, -0.07, 40)
        ]
        assert (np.diff(pvalues) > 0).all()


def test_far_tail_of_melded_pvalues():
    """Far out the p-value underflows, and its logarithm goes as the likelihood ratio."""
    b, c, n, null = 19_800, 20_200, 200_000, -0.05
    shares = np.linspace(0.05, 0.1, 50_001)
    likelihood = (
        b * np.log(shares + 0.05)
        + c * np.log(shares)
        + (n - b - c) * np.log1p(-2 * shares - 0.05)
    )
    parts = np.array([b, c, n - b - c])
    ratio = likelihood.max() - parts @ np.log(parts / n)

    for mid in (True, False):
        pvalue, log_pvalue = melded_pvalue(b, c, n, mid, null, "greater")
        assert 2.2250738585072014e-308 == pvalue
        # The tail of a normal variable far out is its density divided by z.
        assert ratio - math.log(math.sqrt(-2 * ratio)) - 0.92 == pytest.approx(
            log_pvalue, abs=0.3
        )


# -------------------------------------------------------------------- what must hold


@pytest.mark.parametrize("null", [-0.05, pytest.param(0.0, marks=pytest.mark.slow)])
def test_interval_agrees_with_the_pvalue_of_some_tables(null):
    """The null value, 0 or another, is outside exactly when p is below alpha."""
    tables = [ContingencyTable(3, 0, 6, 0), ContingencyTable(3, 5, 1, 0)]
    for method, alternative in itertools.product(
        [*METHODS, "exact-unconditional"], ALTERNATIVES
    ):
        seen = set()
        for table in tables:
            result = mcnemar(table, method=method, alternative=alternative, null_value=null)
            for alpha in (0.05, 0.3):
                low, high = result.limits(1 - alpha, alternative)
                rejected = result.pvalue < 1 - (1 - alpha)
                assert -1 <= low <= high <= 1
                beyond = max(low - null, null - high)
                assert rejected == (beyond > 0) or abs(beyond) < 1e-9, (result, alpha)
                low, high = result.confidence_interval(1 - alpha)
                assert rejected == (not low <= null <= high), (result, alpha)
                seen.add(rejected)

        assert {True, False} == seen


@pytest.mark.slow
def test_interval_excludes_the_null_value_when_rejected():
    """For any null value, at all small tables and levels."""
    for method, alternative in itertools.product(METHODS, ALTERNATIVES):
        seen = set()
        for k, table in enumerate(TABLES):
            options = {"method": method, "alternative": alternative}
            plain = mcnemar(table, **options)
            limits = {alpha: plain.limits(1 - alpha, alternative) for alpha in ALPHAS}
            for null in NULLS:
                result = mcnemar(table, null_value=null, **options)
                for alpha, (low, high) in limits.items():
                    rejected = result.pvalue < 1 - (1 - alpha)
                    beyond = max(low - null, null - high)
                    assert rejected == (beyond > 0) or abs(beyond) < 1e-9, (result, alpha)
                    seen.add(rejected)
                # What is shown has the null value on its side to the last bit.
                low, high = result.confidence_interval(1 - ALPHAS[k % len(ALPHAS)])
                rejected = result.pvalue < 1 - (1 - ALPHAS[k % len(ALPHAS)])
                assert rejected == (not low <= null <= high)

        assert {True, False} == seen


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_mirrored_roles(every):
    """Exchanged roles and the negative null value exchange the one-sided p-values.

    Only the unconditional interval depends on the null value, and is mirrored too.
    """
    for method in [*METHODS, "exact-unconditional"]:
        unconditional = method == "exact-unconditional"
        tables = TABLES[:: (6 if unconditional else 3) * every]
        for table, null in itertools.product(tables, NULLS[::2]):
            for alternative, opposite in (("two-sided", "two-sided"), ("greater", "less")):
                one = mcnemar(
                    table, method=method, alternative=alternative, null_value=null
                )
                other = mcnemar(
                    table.swap(), method=method, alternative=opposite, null_value=-null
                )
                assert one.pvalue == pytest.approx(other.pvalue, rel=1e-12)
                assert one.statistic == pytest.approx(other.statistic, rel=1e-12)
                if unconditional:
                    low, high = other.confidence_interval(0.9)
                    assert (-high, -low) == pytest.approx(
                        one.confidence_interval(0.9), abs=1e-12
                    )


def test_interval_does_not_depend_on_the_null_value():
    """But for rounding and the unconditional test, it is that of the data."""
    table = ContingencyTable(20, 6, 9, 5)
    for method in METHODS:
        expected = mcnemar(table, method=method).confidence_interval()
        for null in NULLS:
            result = mcnemar(table, method=method, null_value=null)
            assert expected == pytest.approx(result.confidence_interval(), abs=1e-12)


# ----------------------------------------------------------------------------- edges


def test_without_discordant_pairs():
    """Records that are predicted alike say that the difference is small."""
    table = ContingencyTable(30, 0, 0, 10)
    for null in (-0.2, 0.05):
        z = abs(score_root(0, 0, 40, 0, null))

        asymptotic, mid, exact = (
            mcnemar(table, method=method, null_value=null)
            for method in ("asymptotic", "mid-p", "exact")
        )

        assert 40 * abs(null) / (1 - abs(null)) == pytest.approx(z**2)
        assert z**2 == pytest.approx(asymptotic.statistic)
        assert 2 * stats.norm.sf(z) == pytest.approx(asymptotic.pvalue)
        assert asymptotic.pvalue == pytest.approx(mid.pvalue)
        assert 2 * (1 - abs(null)) ** 40 == pytest.approx(exact.pvalue)
        assert ("no-discordant-pairs", "few-discordant-pairs") == asymptotic.flags
        assert ("no-discordant-pairs",) == exact.flags == mid.flags


def test_wrong_null_value():
    """A null value is a difference inside (-1, 1), and the error says how to use it."""
    for wrong in [-1, 1, 1.5, math.nan, math.inf, "0.05", None, True]:
        with pytest.raises(
            ValueError, match=r"between -1 and 1. Got .* alternative='greater'"
        ):
            mcnemar(ContingencyTable(5, 1, 2, 3), null_value=wrong)


def test_limits_of_low_levels():
    """One-sided limits of level 1/2 are not beyond the estimate."""
    for b, c, n in ((0, 4, 9), (4, 0, 9), (2, 3, 9), (0, 9, 9)):
        for mid in (True, False):
            low, _ = melded_limits(b, c, n, mid, 0.5, "greater")
            _, high = melded_limits(b, c, n, mid, 0.5, "less")
            assert low <= (c - b) / n <= high


# ------------------------------------------------------------------- sample size


def power_beyond(n, shares, null, alpha):
    """Probability that the one-sided asymptotic test rejects, over all tables."""
    against, favour = shares
    total = 0.0
    for b in range(n + 1):
        c = np.arange(n + 1 - b)
        likely = stats.binom.pmf(b, n, against)
        if likely < 1e-7:
            continue
        mass = stats.binom.pmf(c, n - b, favour / (1 - against))
        kept = mass > 1e-7
        rejected = [
            stats.norm.sf(score_root(b, int(k), n, 0, null)) < alpha for k in c[kept]
        ]
        total += likely * mass[kept] @ rejected
    return total


def test_records_needed_for_noninferiority():
    """At the number of records that is predicted, the power is the wanted one."""
    table = ContingencyTable(40, 4, 4, 2)
    needed = paired_tests()["mcnemar"].sample_size(
        table,
        alpha=0.05,
        power=0.8,
        alternative="greater",
        method="asymptotic",
        null_value=-0.08,
    )

    power = power_beyond(math.ceil(needed), (0.08, 0.08), -0.08, 0.05)

    assert 50 < needed < 300
    assert 0.8 == pytest.approx(power, abs=0.02)


def test_records_needed_by_exact_methods():
    """So many have the power, by the p-values of all tables, and seven tenths do not."""
    shares = np.array([4, 6, 1, 0]) / 11

    def power(n, method):
        b, c = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
        tables = np.column_stack([n - b - c, b, c, np.zeros(len(b), int)])
        mass = stats.multinomial.pmf(tables, n, shares)
        likely = mass > 1e-4
        pvalues = [
            mcnemar(ContingencyTable(*table), method=method).pvalue
            for table in tables[likely].tolist()
        ]
        return mass[likely] @ (np.array(pvalues) < 0.05)

    for method in ("permutation", "exact-unconditional"):
        needed = paired_tests()["mcnemar"].sample_size(
            ContingencyTable(4, 6, 1, 0),
            alpha=0.05,
            power=0.8,
            alternative="two-sided",
            method=method,
        )

        assert power(int(needed), method) > 0.79
        assert power(int(0.7 * needed), method) < 0.79


def test_no_number_of_records_shows_the_other_side():
    """A difference below the null value is never shown to be above it."""
    sample_size = paired_tests()["mcnemar"].sample_size
    table = ContingencyTable(40, 9, 4, 2)
    for alternative, null in (("greater", -0.05), ("less", -0.2)):
        needed = sample_size(
            table, alpha=0.05, power=0.8, alternative=alternative, null_value=null
        )
        assert math.inf == needed
    two_sided = sample_size(
        table, alpha=0.05, power=0.8, alternative="two-sided", null_value=0.02
    )
    assert 55 < two_sided < math.inf


def test_score_limits_are_those_of_the_null_values():
    """Tango's interval and the score of each null value are one thing."""
    for b, c, n in ((25, 15, 200), (0, 0, 30), (0, 4, 4)):
        low, high = score_limits(b, c, n, 0, 0.95, "two-sided")
        for limit, z in ((low, 1.959964), (high, -1.959964)):
            if abs(limit) < 1:
                assert z == pytest.approx(score_root(b, c, n, 0, limit), abs=1e-6)
