"""5×2 tests, t and F: figures of others, exact arithmetic, inverted tests, edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import Design
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.stats import (
    calibrated_5x2_f,
    combined_5x2_f,
    combined_5x2_t,
    paired_5x2_t,
    paired_tests,
)
from skcompare.stats.core._tails import _log_lower_beta, f_pvalue, f_quantile
from tests.common.golden import golden

CASES = {
    case["name"]: case
    for case in golden("resampling")["cases"]
    if case["design"] == "random 5x2"
}
T_TESTS = (paired_5x2_t, combined_5x2_t)
F_TESTS = (combined_5x2_f, calibrated_5x2_f)
TESTS = (*T_TESTS, *F_TESTS)
ALTERNATIVES = ("two-sided", "less", "greater")


def scores_of(case):
    return ScoreDifferences.from_scores(
        case["A"], case["B"], case["n_train"], case["n_test"], design=case["design"]
    )


def differences(values, design="random 5x2", **words):
    return ScoreDifferences(values, 100, 100, design=design, **words)


def random_percents(seed, shift=3):
    """Differences in whole percents, so that they can be fractions."""
    rng = np.random.default_rng(seed)
    return rng.integers(-10 + shift, 11 + shift, size=(5, 2))


def slow_sums(percents):
    """All ten differences, and the sum of the variances s², in exact fractions."""
    p = [[Fraction(int(percent), 100) for percent in row] for row in percents]
    variances = []
    for first, second in p:
        mean = (first + second) / 2
        variances.append((first - mean) ** 2 + (second - mean) ** 2)
    return [x for row in p for x in row], sum(variances)


# ------------------------------------------------------- other people's numbers


def test_paired_t_of_independent_packages():
    """mlxtend's paired_ttest_5x2cv, and R."""
    expected = {name: f.get("value") for name, f in CASES["rand0"]["figures"].items()}
    result = paired_5x2_t(scores_of(CASES["rand0"]))

    assert -expected["t"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["t_pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert expected["t_df"] == result.df
    assert CASES["rand0"]["A"][0][0] == result.champion
    assert CASES["rand0"]["B"][0][0] == result.challenger


def test_combined_f_of_independent_packages():
    """mlxtend's combined_ftest_5x2cv, and R."""
    expected = {name: f.get("value") for name, f in CASES["rand0"]["figures"].items()}
    result = combined_5x2_f(scores_of(CASES["rand0"]))

    assert expected["f"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["f_pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert expected["f_df1"] == result.details["df1"]
    assert expected["f_df2"] == result.details["df2"]


def test_identical_scores():
    """Elsewhere NaN, or a division by zero."""
    for test in TESTS:
        result = test(scores_of(CASES["identical"]))

        assert "degenerate" in CASES["identical"]["figures"]["t"]
        assert (0, 1) == tuple(result)
        assert 0 == result.log_pvalue
        assert result.degenerate
        assert (0, 0) == tuple(result.confidence_interval())


def test_constant_difference():
    """Elsewhere p is 0; a difference without any variation has no p-value."""
    for test in TESTS:
        result = test(scores_of(CASES["constant_diff"]))

        assert "degenerate" in CASES["constant_diff"]["figures"]["t"]
        assert math.inf == abs(result.statistic)
        assert math.isnan(result.pvalue)
        assert math.isnan(result.log_pvalue)
        assert -0.25 == result.estimate
        assert (-0.25, -0.25) == tuple(result.confidence_interval())
        assert "zero-variance" in result.flags
        assert "empty-interval" not in result.flags


# ------------------------------------------------------- exact arithmetic


def test_t_by_exact_fractions():
    """Dietterich's and Yildiz's statistics, and SciPy's t."""
    for seed, alternative in itertools.product(range(20), ALTERNATIVES):
        percents = random_percents(seed)
        p, sum_of_variances = slow_sums(percents)
        pooled = float(sum_of_variances / 5)
        expected = {
            paired_5x2_t: float(p[0]) / math.sqrt(pooled),
            combined_5x2_t: math.sqrt(10) * float(sum(p) / 10) / math.sqrt(pooled),
        }
        for test, t in expected.items():
            result = test(differences(percents / 100), alternative=alternative)
            tail = {
                "two-sided": 2 * stats.t.sf(abs(t), 5),
                "less": stats.t.cdf(t, 5),
                "greater": stats.t.sf(t, 5),
            }[alternative]

            assert t == pytest.approx(result.statistic, rel=1e-12, abs=1e-14)
            assert tail == pytest.approx(result.pvalue, rel=1e-10)
            assert 5 == result.df


def test_f_by_exact_fractions():
    """Alpaydin's statistic with SciPy's F, and the same one with F(7, 5)."""
    for seed, (test, df1) in itertools.product(
        range(20), [(combined_5x2_f, 10), (calibrated_5x2_f, 7)]
    ):
        percents = random_percents(seed)
        p, sum_of_variances = slow_sums(percents)
        expected = sum(x**2 for x in p) / (2 * sum_of_variances)

        result = test(differences(percents / 100))

        assert float(expected) == pytest.approx(result.statistic, rel=1e-12)
        assert stats.f.sf(float(expected), df1, 5) == pytest.approx(
            result.pvalue, rel=1e-10
        )
        assert float(sum(p) / 10) == pytest.approx(result.estimate, abs=1e-15)
        assert float(sum_of_variances) == pytest.approx(result.details["sum_of_variances"])


# ------------------------------------------------------- the ten variants


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_variants_are_the_test_in_another_order(alternative):
    """Each part is the result with that half put first."""
    values = random_percents(4) / 100
    result = paired_5x2_t(differences(values), alternative=alternative)
    places = [(repetition, half) for repetition in range(1, 6) for half in (1, 2)]

    assert places == [(part["repetition"], part["half"]) for part in result.parts]
    for part in result.parts:
        j, k = part["repetition"] - 1, part["half"] - 1
        order = [j, *(i for i in range(5) if i != j)]
        first = paired_5x2_t(
            differences(values[order][:, [k, 1 - k]]), alternative=alternative
        )

        assert values[j, k] == part["difference"]
        assert (part["statistic"], part["pvalue"]) == pytest.approx(tuple(first))


def test_dependence_on_the_order_is_flagged():
    """The flag says that some orders reject at .05 and others do not."""
    flagged = set()
    for seed in range(30):
        values = random_percents(seed, shift=6) / 100
        pvalues = [
            paired_5x2_t(differences(np.roll(np.roll(values, -j, 0), -k, 1))).pvalue
            for j in range(5)
            for k in range(2)
        ]
        result = paired_5x2_t(differences(values))

        disagree = min(pvalues) < 0.05 <= max(pvalues)
        assert disagree == ("depends-on-fold-order" in result.flags)
        flagged.add(disagree)
    assert {True, False} == flagged


def test_f_sees_no_order():
    """Halves and repetitions in another order have the same combined F."""
    values = random_percents(1) / 100
    first, last = (combined_5x2_f(differences(v)) for v in (values, values[::-1, ::-1]))

    assert tuple(first) == pytest.approx(tuple(last), rel=1e-12)


def test_estimate_is_the_first_difference():
    """Its scores are those of the first half, and the mean is among the details."""
    champion, challenger = np.random.default_rng(3).random((2, 5, 2))
    scores = ScoreDifferences.from_scores(
        champion, challenger, 100, 100, design="random 5x2", score="accuracy"
    )

    result = paired_5x2_t(scores)

    assert champion[0, 0] == result.champion
    assert challenger[0, 0] == result.challenger
    assert challenger[0, 0] - champion[0, 0] == result.estimate
    assert scores.mean == pytest.approx(result.details["mean"])
    assert scores.means == pytest.approx(
        (combined_5x2_t(scores).champion, combined_5x2_t(scores).challenger)
    )


# ------------------------------------------------------- intervals


def test_t_limits_are_where_the_test_turns():
    """Differences less a limit of the interval have p = alpha."""
    for test, alternative in itertools.product(T_TESTS, ALTERNATIVES):
        values = random_percents(5) / 100
        result = test(differences(values), alternative=alternative)

        for limit in result.confidence_interval(0.9):
            if math.isfinite(limit):
                moved = test(differences(values - limit), alternative=alternative)
                assert 0.1 == pytest.approx(moved.pvalue, rel=1e-9)


def test_f_limits_are_where_the_test_turns():
    """Differences less a limit have p = alpha, and less any between them more."""
    for test, seed in itertools.product(F_TESTS, range(6)):
        values = random_percents(seed) / 100
        result = test(differences(values))
        grid = np.linspace(-0.5, 0.5, 41)
        pvalues = [test(differences(values - d)).pvalue for d in grid]
        for level in (0.5, 0.8, 0.95, 0.999):
            low, high = result.confidence_interval(level)
            if math.isnan(low):
                assert max(pvalues) < 1 - level
                continue
            for limit in (low, high):
                moved = test(differences(values - limit))
                assert 1 - level == pytest.approx(moved.pvalue, rel=1e-8)
            inside = (grid > low) & (grid < high)
            assert inside.tolist() == [p > 1 - level for p in pvalues]


@pytest.mark.parametrize("test", F_TESTS)
def test_empty_interval(test):
    """Where the repetitions differ much more than their halves, all is rejected."""
    levels = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    values = np.column_stack([levels, levels + 0.01])
    result = test(differences(values))

    assert result.pvalue < 0.05
    assert all(map(math.isnan, result.confidence_interval()))
    assert "empty-interval" in result.flags
    assert not math.isnan(result.confidence_interval(1 - 1e-7).low)
    assert test(differences(values - 0.005)).estimate == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("test", F_TESTS)
def test_empty_only_at_low_confidence(test):
    """An interval that is empty at 50 % only is not flagged."""
    values = random_percents(2) / 100
    spread = np.repeat(np.linspace(-0.1, 0.1, 5), 2).reshape(5, 2)
    result = test(differences(values + spread))

    assert math.isnan(result.confidence_interval(0.1).low)
    assert not math.isnan(result.confidence_interval(0.95).low)
    assert "empty-interval" not in result.flags


def test_no_direction():
    """F tests have no one-sided version."""
    for test in F_TESTS:
        with pytest.raises(TypeError, match="alternative"):
            test(differences(random_percents(0)), alternative="greater")


# ------------------------------------------------------- edges


def test_rounding_is_no_difference():
    """0.1 + 0.2 is 0.3, and 1e-17 is 0."""
    for test in TESTS:
        champion = np.full((5, 2), 0.3)
        challenger = champion.copy()
        challenger[:3, 0] = 0.1 + 0.2
        assert (champion != challenger).any()
        known = ScoreDifferences.from_scores(
            champion, challenger, 100, 100, design="random 5x2"
        )
        for scores in (known, differences(np.full((5, 2), 1e-17))):
            result = test(scores)

            assert (0, 1) == tuple(result)
            assert 0 == result.estimate
            assert result.degenerate


def test_rounding_is_no_variance():
    """Differences of 0.1 that vary by rounding have no variance."""
    for test in TESTS:
        champion = np.array([[0.1, 0.2], [0.7, 0.6], [0.3, 0.4], [0.5, 0.1], [0.2, 0.8]])
        scores = ScoreDifferences.from_scores(champion, champion + 0.1, 100, 100)
        assert np.ptp(scores.values) > 0

        result = test(scores)

        assert math.inf == result.statistic
        assert math.isnan(result.pvalue)
        assert "zero-variance" in result.flags
        assert (0.1, 0.1) == pytest.approx(tuple(result.confidence_interval()))


def test_halves_agree_and_repetitions_do_not():
    """Without variance within repetitions p is undefined, unless the first is 0."""
    values = np.array([[0.1, 0.1], [0.0, 0.0], [0.2, 0.2], [-0.1, -0.1], [0.0, 0.0]])
    for test in TESTS:
        result = test(differences(values))
        assert math.inf == result.statistic
        assert math.isnan(result.pvalue)
        assert "zero-variance" in result.flags

    for test in F_TESTS:
        assert "empty-interval" in test(differences(values)).flags
    first_is_zero = paired_5x2_t(differences(values[::-1]))
    assert (0, 1) == tuple(first_is_zero)
    assert first_is_zero.degenerate
    statistics = [part["statistic"] for part in first_is_zero.parts]
    assert [0, 0, -math.inf, -math.inf, math.inf, math.inf, 0, 0] == statistics[:8]
    assert "depends-on-fold-order" not in first_is_zero.flags


def test_undefined_split():
    """A half without a score leaves statistic, p and interval undefined."""
    for test in TESTS:
        values = random_percents(6) / 100
        values[3, 1] = math.nan
        result = test(differences(values))

        assert all(map(math.isnan, (*result, result.log_pvalue)))
        assert all(map(math.isnan, result.confidence_interval()))
        assert ("undefined-in-split", *result.flags[1:]) == result.flags
        assert "empty-interval" not in result.flags
        mean = result.details["mean"] if test is paired_5x2_t else result.estimate
        assert np.nanmean(values) == pytest.approx(mean)


def test_other_shapes_are_refused():
    """They are defined for both halves of five repetitions."""
    for test in TESTS:
        for shape in ((3, 2), (10,), (2, 5), (1, 2), (10, 1)):
            words = rf"{test.__name__} needs .*5 repetitions.*\(5, 2\).*Got"
            with pytest.raises(ValueError, match=words):
                test(differences(np.ones(shape), design="unknown"))


def test_halves_in_one_row():
    """Ten differences in a row are those of halves where the design says so."""
    for test in TESTS:
        values = random_percents(7) / 100

        assert tuple(test(differences(values))) == tuple(test(differences(values.ravel())))


def test_whole_numbers_are_numbers():
    """Differences may come as integers, such as counts of errors."""
    for test in TESTS:
        values = random_percents(8)

        assert tuple(test(differences(values.astype(float)))) == tuple(
            test(differences(values))
        )


def test_huge_statistics():
    """p stays positive, and its logarithm goes with it."""
    for test in TESTS:
        values = np.ones((5, 2)) + np.array([0, 1e-11])
        result = test(differences(values))

        assert 0 < result.pvalue < 1e-40
        assert math.log(result.pvalue) == pytest.approx(result.log_pvalue)


# ------------------------------------------------------- Snedecor's F


@pytest.mark.parametrize(("df1", "printed"), [(10, 4.74), (7, 4.88)])
def test_quantiles_of_printed_tables(df1, printed):
    """Tables of F print 4.74 and 4.88 for 5 % and 5 denominator degrees of freedom."""
    assert printed == pytest.approx(f_quantile(0.05, df1, 5), abs=0.005)
    for tail in (1e-12, 0.001, 0.3, 0.5, 0.99):
        quantile = f_quantile(tail, df1, 5)
        # SciPy's own inverse has five digits of the smallest tail.
        assert stats.f.isf(tail, df1, 5) == pytest.approx(quantile, rel=2e-5)
        assert stats.f.sf(quantile, df1, 5) == pytest.approx(tail, rel=1e-10)
        assert tail == pytest.approx(f_pvalue(quantile, df1, 5)[0], rel=1e-10)


def test_tail_of_f():
    """It is SciPy's, and its logarithm where the tail is small is that of the series."""
    for df1, df2 in [(10, 5), (7, 5), (1, 3), (4, 60)]:
        for statistic in (1e-8, 0.3, 1.0, 4.7, 50.0, 1e4):
            pvalue, log_pvalue = f_pvalue(statistic, df1, df2)

            assert stats.f.sf(statistic, df1, df2) == pytest.approx(pvalue, rel=1e-10)
            assert math.log(pvalue) == pytest.approx(log_pvalue, rel=1e-12, abs=1e-15)
            if statistic > 4:
                series = _log_lower_beta(df2 / 2, df1 / 2, df1 * statistic / df2)
                assert series == pytest.approx(log_pvalue, rel=1e-11)
        assert (1.0, 0.0) == f_pvalue(0.0, df1, df2)


def test_far_tail_of_f():
    """With 2 numerator degrees of freedom the tail is (1 + 2 F / df)^(-df / 2)."""
    for df2 in (5, 40, 900):
        for statistic in (1.0, 100.0, 1e20, 1e150, 1e300):
            log_tail = -df2 / 2 * math.log1p(2 * statistic / df2)
            pvalue, log_pvalue = f_pvalue(statistic, 2, df2)

            assert log_tail == pytest.approx(log_pvalue, rel=1e-11)
            assert max(np.finfo(float).tiny, math.exp(log_tail)) == pytest.approx(
                pvalue, rel=1e-9
            )


# ------------------------------------------------------- where they run


def test_they_run_by_name_only():
    """All of them are liberal; the calibrated test is for five repetitions alone."""
    entries = paired_tests()
    for name in ("paired_5x2_t", "combined_5x2_t", "combined_5x2_f", "calibrated_5x2_f"):
        assert "liberal" == entries[name].caution
    for design in (Design("random 5x2", 5, 2), Design("bcv", 5, 2)):
        names = {entry.name for entry in fitting_tests("roc_auc", design)}
        assert not {"paired_5x2_t", "combined_5x2_f", "calibrated_5x2_f"} & names
    assert entries["calibrated_5x2_f"].valid_for(Design("bcv", 5, 2))
    assert not entries["calibrated_5x2_f"].valid_for(Design("bcv", 3, 2))
    assert ("liberal",) == combined_5x2_t(differences(random_percents(9))).flags
