"""Uncorrected and corrected t tests of many splits: figures of others, edges, planning."""

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from skcompare._core.design import Design
from skcompare._core.flags import FLAG_TEXTS
from skcompare._registry.tests import tests_for as fitting_tests
from skcompare.evidence import ScoreDifferences
from skcompare.stats import (
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
    kfold_t,
    paired_tests,
    repeated_holdout_t,
)
from skcompare.stats.core._limits import Wald
from tests.common.golden import golden

CASES = {case["name"]: case for case in golden("resampling")["cases"]}
UNCORRECTED = {"kfold": kfold_t, "repeated holdout": repeated_holdout_t}
CORRECTED = {
    "kfold": corrected_repeated_kfold_t,
    "repeated kfold": corrected_repeated_kfold_t,
    "repeated holdout": corrected_repeated_holdout_t,
}
TESTS = (
    repeated_holdout_t,
    kfold_t,
    corrected_repeated_holdout_t,
    corrected_repeated_kfold_t,
)
ALTERNATIVES = ("two-sided", "less", "greater")


def scores_of(case):
    return ScoreDifferences.from_scores(
        case["A"], case["B"], case["n_train"], case["n_test"], design=case["design"]
    )


def random_scores(seed, n_splits=10, design="kfold", shift=0.02):
    rng = np.random.default_rng(seed)
    champion = rng.normal(0.8, 0.03, n_splits)
    challenger = champion + rng.normal(shift, 0.03, n_splits)
    return ScoreDifferences.from_scores(champion, challenger, 90, 10, design=design)


def differences(values, n_train=90, n_test=10, design="kfold", **words):
    return ScoreDifferences(values, n_train, n_test, design=design, **words)


def figures(case, prefix):
    """Values of one test in a golden case, without the degenerate ones."""
    return {
        name.removeprefix(prefix): figure["value"]
        for name, figure in case["figures"].items()
        if name.startswith(prefix) and "value" in figure
    }


@pytest.mark.parametrize("correction", [None, "tripled", 2.0])
def test_a_correction_is_known_by_its_name(correction):
    """The uncorrected test is another one."""
    for test in (corrected_repeated_holdout_t, corrected_repeated_kfold_t):
        with pytest.raises(ValueError, match="Unknown correction"):
            test(random_scores(0), correction=correction)


# ------------------------------------------------------- other people's numbers


@pytest.mark.parametrize("name", ["k5_0", "J30_700_300"])
def test_uncorrected_figures_of_independent_packages(name):
    """mlxtend, SciPy's ttest_rel and R's t.test."""
    case = CASES[name]
    expected = figures(case, "t")
    result = UNCORRECTED[case["design"]](scores_of(case))

    assert -expected[""] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["_pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert expected["_df"] == result.df


@pytest.mark.parametrize("name", ["k5_0", "J30_700_300", "r5_k5"])
def test_corrected_figures_of_independent_packages(name):
    """R correctR: resampled_ttest and repkfold_ttest."""
    case = CASES[name]
    expected = figures(case, "corrected_")
    result = CORRECTED[case["design"]](scores_of(case), correction="published")
    low, high = result.confidence_interval()

    assert -expected["t"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)
    assert expected["df"] == result.df
    if "low" in expected:
        assert -expected["high"] == pytest.approx(low, rel=1e-10)
        assert -expected["low"] == pytest.approx(high, rel=1e-10)
    assert np.mean(case["A"]) == pytest.approx(result.champion, rel=1e-14)
    assert np.mean(case["B"]) == pytest.approx(result.challenger, rel=1e-14)


def test_identical_scores():
    """Elsewhere NaN; here no difference is statistic 0 and p = 1."""
    case = CASES["k10_identical"]
    assert "degenerate" in case["figures"]["t"]
    for test in (kfold_t, corrected_repeated_kfold_t):
        result = test(scores_of(case))

        assert (0, 1) == tuple(result)
        assert 0 == result.log_pvalue
        assert result.degenerate
        assert (0, 0) == tuple(result.confidence_interval())


# ------------------------------------------------------- independent derivations


def test_uncorrected_is_scipys_one_sample_test():
    """Statistic, p-value and interval are those of scipy.stats.ttest_1samp."""
    for seed, alternative in itertools.product(range(5), ALTERNATIVES):
        scores = random_scores(seed, 3 + 2 * seed)
        expected = stats.ttest_1samp(scores.values, 0, alternative=alternative)

        result = kfold_t(scores, alternative=alternative)

        assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
        # SciPy before 1.12 has eight digits of the quantile.
        assert tuple(expected.confidence_interval(0.9)) == pytest.approx(
            tuple(result.confidence_interval(0.9)), abs=1e-9
        )


def slow_corrected(percents, sizes, weight=1):
    """Squared statistic in exact fractions, with a sum over all pairs for the variance."""
    p = [Fraction(percent, 100) for percent in percents]
    n = len(p)
    mean = sum(p) / n
    variance = sum((x - y) ** 2 for x in p for y in p) / (2 * n * (n - 1))
    ratio = sum(Fraction(n_test, n_train) for n_train, n_test in sizes) / n
    return mean**2 / ((Fraction(1, n) + weight * ratio) * variance)


def test_corrected_by_exact_fractions():
    """Folds of unequal size count by the mean of n_test / n_train."""
    for design, (correction, weight), seed in itertools.product(
        ["repeated holdout", "repeated kfold"],
        [("published", 1), ("doubled", 2)],
        range(5),
    ):
        rng = np.random.default_rng(seed)
        n_splits = 2 * (2 + seed)
        percents = rng.integers(-10, 15, n_splits).tolist()
        n_test = rng.integers(5, 30, n_splits)
        n_train = rng.integers(40, 90, n_splits)
        sizes = list(zip(n_train.tolist(), n_test.tolist(), strict=True))
        shape = (2, -1) if design == "repeated kfold" else (-1, 1)
        scores = differences(
            np.reshape(percents, shape) / 100, n_train, n_test, design=design
        )
        square = slow_corrected(percents, sizes, weight)

        result = CORRECTED[design](scores, correction=correction)

        assert float(square) == pytest.approx(result.statistic**2, rel=1e-12)
        assert stats.t.sf(math.sqrt(square), n_splits - 1) * 2 == pytest.approx(
            result.pvalue, rel=1e-10
        )
        assert np.mean([b / a for a, b in sizes]) == pytest.approx(
            result.details["test_train_ratio"]
        )
        assert n_splits == result.details["n_splits"]


def test_correction_is_that_of_a_correlation():
    """With correlation n2 / (n1 + n2), Var(mean) over E(s²) is 1 / J + n2 / n1."""
    for n_splits, n_train, n_test in ((15, 9, 1), (10, 2, 1), (4, 7, 3)):
        rho = Fraction(n_test, n_train + n_test)
        of_mean = rho + (1 - rho) / n_splits
        expected = of_mean / (1 - rho)

        result = corrected_repeated_holdout_t(
            differences(np.arange(n_splits), n_train, n_test, "repeated holdout"),
            correction="published",
        )

        assert float(expected) == pytest.approx(result.details["variance_factor"])


@pytest.mark.slow
def test_level_where_the_correlation_holds():
    """Normal differences with correlation n2 / (n1 + n2) are rejected 5 % of the time."""
    rng = np.random.default_rng(8)
    n_splits, rho, n_draws = 15, 0.1, 4000
    shared = rng.standard_normal((n_draws, 1)) * math.sqrt(rho)
    draws = shared + rng.standard_normal((n_draws, n_splits)) * math.sqrt(1 - rho)
    published = partial(corrected_repeated_holdout_t, correction="published")
    rejected = dict.fromkeys((repeated_holdout_t, published), 0)
    for draw in draws:
        scores = differences(draw, 90, 10, "repeated holdout")
        for test in rejected:
            rejected[test] += test(scores).pvalue < 0.05

    bounds = stats.binom.ppf([0.001, 0.999], n_draws, 0.05)
    assert bounds[0] <= rejected[published] <= bounds[1]
    # The uncorrected t is that of the corrected test times the root of 1 + J n2 / n1.
    factor = math.sqrt(1 + n_splits / 9)
    liberal = 2 * stats.t.sf(stats.t.isf(0.025, n_splits - 1) / factor, n_splits - 1)
    bounds = stats.binom.ppf([0.001, 0.999], n_draws, liberal)
    assert bounds[0] <= rejected[repeated_holdout_t] <= bounds[1]
    assert liberal > 0.2


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limits_are_where_the_test_turns(alternative):
    """Differences less a limit of the interval have p = alpha."""
    scores = random_scores(3)
    result = corrected_repeated_kfold_t(scores, alternative=alternative)

    for limit in result.confidence_interval(0.9):
        if math.isfinite(limit):
            moved = differences(scores.values - limit)
            tested = corrected_repeated_kfold_t(moved, alternative=alternative)
            assert 0.1 == pytest.approx(tested.pvalue, rel=1e-9)


# ------------------------------------------------------- edges


def test_constant_difference():
    """Equal differences other than 0 leave p undefined, and say so."""
    for test in TESTS:
        for sign in (1, -1):
            result = test(differences([sign * 0.25] * 6))

            assert sign * math.inf == result.statistic
            assert math.isnan(result.pvalue)
            assert math.isnan(result.log_pvalue)
            assert "zero-variance" in result.flags
            assert (sign * 0.25, sign * 0.25) == tuple(result.confidence_interval())


def test_rounding_is_no_difference():
    """0.1 + 0.2 is 0.3, and 1e-17 is 0, whether or not the scores are known."""
    for test in TESTS:
        champion, challenger = (
            [0.3, 0.7, 0.3, 0.1],
            [0.1 + 0.2, 0.7, 0.1 + 0.2, 0.1 + 1e-17],
        )
        known = ScoreDifferences.from_scores(champion, challenger, 75, 25, design="kfold")
        for scores in (known, differences([1e-17, -3e-17, 0, 1e-17])):
            result = test(scores)

            assert (0, 1) == tuple(result)
            assert 0 == result.estimate
            assert result.degenerate


def test_rounding_is_no_variance():
    """Differences of 0.1 that vary by rounding have no variance."""
    for test in TESTS:
        champion = np.array([0.1, 0.2, 0.7, 0.6])
        scores = ScoreDifferences.from_scores(champion, champion + 0.1, 75, 25)
        assert np.ptp(scores.values) > 0

        result = test(scores)

        assert math.inf == result.statistic
        assert "zero-variance" in result.flags


def test_small_differences_of_small_scores():
    """Rounding is measured by the scores: losses of 1e-9 differ by 1e-13."""
    champion = np.array([3e-9, 5e-9, 4e-9, 6e-9])
    challenger = champion - np.array([1e-13, 3e-13, 2e-13, 2e-13])
    small = ScoreDifferences.from_scores(
        champion, challenger, 75, 25, greater_is_better=False
    )
    large = ScoreDifferences.from_scores(
        champion * 2**30, challenger * 2**30, 75, 25, greater_is_better=False
    )

    assert tuple(kfold_t(large)) == pytest.approx(tuple(kfold_t(small)), rel=1e-12)
    assert kfold_t(small).estimate > 0


def test_undefined_split():
    """A split without a score leaves statistic, p and interval undefined."""
    for test in TESTS:
        result = test(differences([0.1, math.nan, 0.3, 0.2]))

        assert all(map(math.isnan, (*result, result.log_pvalue)))
        assert all(map(math.isnan, result.confidence_interval()))
        assert 0.2 == pytest.approx(result.estimate)
        assert "undefined-in-split" in result.flags
        for alternative in ("less", "greater"):
            one_sided = test(
                differences([0.1, math.nan, 0.3, 0.2]), alternative=alternative
            )
            assert all(map(math.isnan, one_sided.confidence_interval()))


def test_no_split_is_defined():
    """Where no split has a score, neither has the estimate."""
    result = kfold_t(differences([math.nan] * 4))

    assert math.isnan(result.estimate)
    assert math.isnan(result.pvalue)


def test_flags_of_the_evidence():
    """Caveats of the scores are caveats of the result, each once."""
    scores = differences([0.1, math.nan], flags=("undefined-in-split", "scorer-warning"))

    flags = corrected_repeated_kfold_t(scores).flags
    assert ("undefined-in-split", "scorer-warning", "selection-unseen") == flags


def test_what_folds_do_not_show_is_said():
    """Learners that select are distinguished too often: in every result, in numbers."""
    for test in (corrected_repeated_kfold_t, corrected_repeated_holdout_t):
        assert "selection-unseen" in test(differences([0.1, 0.2, 0.3])).flags
    assert "12 %" in FLAG_TEXTS["selection-unseen"]


def test_one_split():
    """One split says nothing about how others vary."""
    for test in TESTS:
        with pytest.raises(
            ValueError, match=rf"{test.__name__} needs .* at least 2 .* Got 1"
        ):
            test(differences([0.1]))


@pytest.mark.parametrize("test", [corrected_repeated_holdout_t, corrected_repeated_kfold_t])
def test_unknown_training_size(test):
    """The correction needs the size of the training sets; the others do not."""
    with pytest.raises(ValueError, match=r"Got n_train=0\. Pass n_train"):
        test(differences([0.1, 0.2, 0.3], n_train=0))
    assert kfold_t(differences([0.1, 0.2, 0.3], n_train=0)).pvalue < 1


def test_whole_numbers_are_numbers():
    """Differences may come as integers, such as counts of errors."""
    for test in TESTS:
        assert tuple(test(differences([1.0, 3.0, 0.0]))) == tuple(
            test(differences([1, 3, 0]))
        )


def test_pvalue_below_the_smallest_double():
    """p is never 0, and its logarithm stays exact."""
    for test in TESTS:
        values = 1 + np.tile([0, 1e-10], 200)
        result = test(differences(values))
        nearly = -399 * math.log(result.statistic) + 399 / 2 * math.log(399)

        assert result.statistic > 1e8
        assert np.finfo(float).tiny == result.pvalue
        # The tail of t falls as the power df of the statistic.
        assert nearly == pytest.approx(result.log_pvalue, rel=1e-2)


def test_interval_of_shares_has_no_impossible_values():
    """Accuracies differ by 1 at most; percentages, and scores not known, by any number."""
    champion, challenger = [0.1, 0.9, 0.2], [0.9, 0.2, 0.8]

    def limits(alternative="two-sided", factor=1, score="accuracy"):
        scores = ScoreDifferences.from_scores(
            np.multiply(champion, factor),
            np.multiply(challenger, factor),
            90,
            10,
            score=score,
        )
        return tuple(kfold_t(scores, alternative=alternative).confidence_interval(0.99))

    low, high = limits(score="profit")
    assert low < -1
    assert high > 1
    assert (-1, 1) == limits()
    assert (low * 100, high * 100) == pytest.approx(limits(factor=100))
    assert (-1, pytest.approx(limits("less", score="profit")[1])) != limits("less")
    assert limits("greater") == (-1, 1)
    assert -math.inf == limits("less", score="profit")[0]
    unknown = differences(np.subtract(challenger, champion), score="accuracy")
    assert (low, high) == pytest.approx(kfold_t(unknown).confidence_interval(0.99))


def test_losses_are_gains():
    """Of losses the estimate is what is saved, and positive favours the challenger."""
    scores = ScoreDifferences.from_scores(
        [0.5, 0.6, 0.4],
        [0.3, 0.5, 0.1],
        90,
        10,
        design="kfold",
        score="binary_brier_loss",
        greater_is_better=False,
    )

    result = corrected_repeated_kfold_t(scores)

    assert 0.2 == pytest.approx(result.estimate)
    assert (0.5, 0.3) == pytest.approx((result.champion, result.challenger))
    assert "gain in binary_brier_loss" == result.estimate_name
    assert not result.greater_is_better


def test_unknown_scores_have_no_roles():
    """Differences alone say nothing of either role."""
    result = kfold_t(differences([0.1, 0.2, 0.4]))

    assert result.champion is None
    assert result.challenger is None


# ------------------------------------------------------- planning, and where they run


@pytest.mark.parametrize("test", [corrected_repeated_holdout_t, corrected_repeated_kfold_t])
def test_sample_size(test):
    """At that many records the standard error is the difference over the quantiles."""
    entry = paired_tests()[test.__name__]
    scores = random_scores(5, shift=0.005)
    result = test(scores)
    required = stats.norm.isf(0.025) + stats.norm.isf(0.2)

    needed = entry.sample_size(scores, alpha=0.05, power=0.8, alternative="two-sided")

    error = result.details["se"] * math.sqrt(result.n / needed)
    assert abs(result.estimate) / required == pytest.approx(error)
    wrong_way = "less" if result.estimate > 0 else "greater"
    assert math.inf == entry.sample_size(
        scores, alpha=0.05, power=0.8, alternative=wrong_way
    )
    sure = differences([0.2, 0.2, 0.21, 0.2])
    assert 101 == entry.sample_size(sure, alpha=0.05, power=0.8, alternative="two-sided")
    none = differences([0.0, 0.0])
    assert math.inf == entry.sample_size(
        none, alpha=0.05, power=0.8, alternative="two-sided"
    )


@pytest.mark.parametrize(
    ("test", "design"),
    [(repeated_holdout_t, "repeated holdout"), (kfold_t, "kfold")],
)
def test_uncorrected_tests_call_for_caution(test, design):
    """They are flagged, and never run unless they are named."""
    result = test(differences([0.1, 0.2, 0.4], design=design))

    assert ("liberal",) == result.flags
    assert test.__name__ not in {e.name for e in fitting_tests("roc_auc", Design(design))}


@pytest.mark.parametrize(
    ("design", "name"),
    [
        (Design("repeated holdout", 15), "corrected_repeated_holdout_t"),
        (Design("kfold", 1, 10), "corrected_repeated_kfold_t"),
        (Design("repeated kfold", 10, 10), "corrected_repeated_kfold_t"),
    ],
)
def test_corrected_tests_are_the_defaults(design, name):
    """Of any score, for repeated hold-outs and cross-validation."""
    assert name == fitting_tests("roc_auc", design)[0].name


def test_splits_too_alike():
    """One different prediction a fold is little to go by, whatever the t test says of
    it.
    """
    n_test = np.array([21, 20, 20, 20, 20])
    wins = 1 / n_test
    variances = wins * (1 - wins) / (n_test - 1)
    scores = ScoreDifferences(wins, 101 - n_test, n_test, variances, design="kfold")
    unknown = ScoreDifferences(wins, 101 - n_test, n_test, design="kfold")
    varied = ScoreDifferences(
        np.array([0, 2, 1, 2, 0]) / n_test, 101 - n_test, n_test, variances, design="kfold"
    )

    for test in (corrected_repeated_kfold_t, kfold_t):
        assert test(scores).pvalue < 1e-6
        assert "splits-too-alike" in test(scores).flags
        assert "splits-too-alike" not in test(unknown).flags
        assert "splits-too-alike" not in test(varied).flags


def test_one_kfold_has_one_correction():
    """No record is in two test sets of one cross-validation, so that nothing is doubled."""
    values = [0.02, 0.0, 0.04, 0.02, 0.03]
    for given, design in ((values, "kfold"), ([values], "repeated kfold")):
        scores = differences(given, 80, 20, design)
        default = corrected_repeated_kfold_t(scores)

        assert 0.45 == pytest.approx(default.details["variance_factor"])
        assert (
            default.pvalue
            == corrected_repeated_kfold_t(scores, correction="published").pvalue
        )


def test_random_halves_have_no_default():
    """The rule was not made for them: it runs flagged, and their own tests by name."""
    design = Design("random 5x2", 5, 2)
    values = np.random.default_rng(1).normal(size=(5, 2))
    scores = differences(values, 50, 50, design)
    result = corrected_repeated_kfold_t(scores, correction="published")

    assert 1.1 == pytest.approx(result.details["variance_factor"])
    assert 9 == result.df
    assert ("selection-unseen", "invalid-design") == result.flags
    assert [] == fitting_tests("roc_auc", design)


# ------------------------------------------------------- the normal form


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_without_degrees_of_freedom_t_is_normal(alternative):
    """Tests that know their standard error share the edges and the interval."""
    fields = Wald(0.3, 0.2).fields(alternative)
    statistic, (pvalue, log_pvalue), flags = fields["tested"]
    low, high = fields["limits"](0.95, alternative)
    tails = {"two-sided": 2 * stats.norm.sf(1.5), "greater": stats.norm.sf(1.5)}

    assert 1.5 == pytest.approx(statistic)
    assert tails.get(alternative, stats.norm.cdf(1.5)) == pytest.approx(pvalue)
    assert math.log(pvalue) == pytest.approx(log_pvalue)
    assert () == flags
    reach = stats.norm.isf(0.025 if alternative == "two-sided" else 0.05) * 0.2
    assert low == (-math.inf if alternative == "less" else pytest.approx(0.3 - reach))
    assert high == (math.inf if alternative == "greater" else pytest.approx(0.3 + reach))
