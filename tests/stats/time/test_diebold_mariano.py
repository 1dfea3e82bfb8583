"""Diebold and Mariano's test, with each of its variances."""

import math
import time

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import t as student

from skcompare.evidence import OrderedDifferences, ScoredPair
from skcompare.stats import (
    diebold_mariano,
    giacomini_white,
    influence_difference,
    margin_test,
    two_way_t,
)
from skcompare.stats.time._diebold_mariano import by_truncation
from skcompare.stats.time._long_run_variance import (
    FixedBandwidth,
    autocovariance,
    bartlett_variance,
    bias_of_band,
    chosen_smoothing,
    squared_cosines,
)
from skcompare.stats.time._turns import takes_few_turns
from tests.common.golden import golden

GOLDEN = golden("time_order")
CASES = GOLDEN["cases"]
SURVEY = GOLDEN["survey"]
WWW_USAGE = ["WWWusage, squares", "WWWusage, absolute", "WWWusage, h=10"]


def drift(n, correlation, seed):
    """A normal autoregression of variance 1."""
    noise = np.random.default_rng(seed).standard_normal(n)
    noise[1:] *= math.sqrt(1 - correlation**2)
    return lfilter([1.0], [1.0, -correlation], noise)


def ordered(case):
    return OrderedDifferences.from_losses(
        case["champion"], case["challenger"], horizon=case["horizon"]
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"h={case['horizon']}")
def test_cosines_by_loops(case):
    """Statistics and p-values of cosines are those of loops over the definitions."""
    for number, expected in case["ewc"].items():
        result = diebold_mariano(ordered(case), n_cosines=int(number))

        assert expected == pytest.approx(result.statistic, rel=1e-10)
        assert case["ewc_pvalue"][number] == pytest.approx(result.pvalue, rel=1e-10)
        assert int(number) == result.df
        assert case["mean"] == pytest.approx(result.estimate, rel=1e-10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"h={case['horizon']}")
def test_periodogram_by_loops(case):
    """So are those of the periodogram, whose degrees of freedom are twice as many."""
    for number, expected in case["wpe"].items():
        result = diebold_mariano(ordered(case), method="wpe", n_cosines=int(number))

        assert expected == pytest.approx(result.statistic, rel=1e-10)
        assert int(number) == result.df


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"h={case['horizon']}")
def test_bartlett_weights_of_statsmodels(case):
    """Standard errors with Bartlett weights are those of statsmodels."""
    differences = np.subtract(case["champion"], case["challenger"])
    centred, n = differences - differences.mean(), len(differences)
    for lags, expected in case["newey_west"].items():
        error = math.sqrt(bartlett_variance(centred, int(lags) + 1) / n)

        assert expected["se"] == pytest.approx(error, rel=1e-10)


def test_bartlett_in_the_test():
    """The test has the variance and the reference of its bandwidth."""
    case = CASES[2]
    result = diebold_mariano(ordered(case), method="newey-west", n_cosines=6)
    differences = np.subtract(case["champion"], case["challenger"])
    n, bandwidth = len(differences), int(result.details["bandwidth"])
    error = math.sqrt(bartlett_variance(differences - differences.mean(), bandwidth) / n)
    reference = FixedBandwidth.bartlett(bandwidth / n)

    assert math.ceil(1.5 / 6 * n) == bandwidth
    assert differences.mean() / error == pytest.approx(result.statistic, rel=1e-12)
    assert reference.log_pvalue(result.statistic) == result.log_pvalue


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"h={case['horizon']}")
def test_truncation_of_another_package(case):
    """The corrected statistic is that of R's dm.test, by a package that follows it."""
    result = diebold_mariano(ordered(case), method="hln")

    assert case["hln"]["statistic"] == pytest.approx(result.statistic, rel=1e-10)
    assert case["hln"]["pvalue"] == pytest.approx(result.pvalue, rel=1e-7)


@pytest.mark.parametrize("case", GOLDEN["published"], ids=["h=1", "h=3", *WWW_USAGE])
def test_published_truncation(case):
    """Printed statistics and p-values, some of series that are too short for the test."""
    losses = np.abs(case["errors"]) ** case["power"]
    differences = losses[0] - losses[1]
    n, h = len(differences), case["horizon"]

    long_run, _ = by_truncation(differences - differences.mean(), h)
    statistic = differences.mean() / math.sqrt(long_run.variance / n)
    pvalues = {
        "pvalue": 2 * student.sf(abs(statistic), long_run.df),
        "pvalue_less": student.cdf(statistic, long_run.df),
        "pvalue_greater": student.sf(statistic, long_run.df),
    }

    if "statistic" in case:
        assert case["statistic"] == pytest.approx(statistic, abs=5e-5)
    for name in case.keys() & pvalues:
        decimals = len(str(case[name])) - len("0.")
        assert case[name] == pytest.approx(pvalues[name], abs=0.5 * 10.0**-decimals)


@pytest.mark.parametrize("case", GOLDEN["published"][2:4], ids=WWW_USAGE[:2])
def test_published_example_of_r(case):
    """The example of R's dm.test has its p-values of all three alternatives."""
    losses = np.abs(case["errors"]) ** case["power"]
    evidence = OrderedDifferences.from_losses(*losses)
    for name, alternative in (
        ("pvalue", "two-sided"),
        ("pvalue_less", "less"),
        ("pvalue_greater", "greater"),
    ):
        result = diebold_mariano(evidence, method="hln", alternative=alternative)

        assert case[name] == pytest.approx(result.pvalue, abs=5e-5)


def survey():
    """Squared errors of forecasts of the Treasury bill rate."""
    y, *forecasts = (np.array(SURVEY[name]) for name in ("y", "champion", "challenger"))
    return OrderedDifferences.from_losses(*((y - forecast) ** 2 for forecast in forecasts))


@pytest.mark.parametrize("method", ["ewc", "wpe", "hln"])
def test_survey_of_forecasters(method):
    """Statistics with ForeComp's degrees of freedom, and statsmodels' corrected one."""
    expected = SURVEY[method]
    number = None if method == "hln" else expected["df"]
    result = diebold_mariano(survey(), method=method, n_cosines=number)

    assert expected["statistic"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["pvalue"] == pytest.approx(result.pvalue, rel=1e-9)
    assert expected.get("df", 119) == result.df


@pytest.mark.parametrize("bandwidth", SURVEY["bartlett"])
def test_survey_with_bartlett_weights(bandwidth):
    """A loop over lags and statsmodels agree, and fixed-b decisions are ForeComp's."""
    expected = SURVEY["bartlett"][bandwidth]
    result = diebold_mariano(
        survey(), method="newey-west", n_cosines=round(180 / int(bandwidth))
    )

    assert int(bandwidth) == result.details["bandwidth"]
    assert expected["statistic"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["statsmodels"] == pytest.approx(result.statistic, rel=1e-10)
    for alpha, rejected in expected["rejected"].items():
        assert rejected == (result.pvalue < float(alpha))


def test_survey_given_the_last_difference():
    """Giacomini and White's test is n R² of a regression by statsmodels."""
    expected = SURVEY["giacomini_white"]
    result = giacomini_white(survey())

    assert expected["statistic"] == pytest.approx(result.statistic, rel=1e-10)
    assert expected["pvalue"] == pytest.approx(result.pvalue, rel=1e-9)


def test_panel_of_statsmodels():
    """Sums at each time have Driscoll and Kraay's standard error of the mean."""
    panel, case = GOLDEN["panel"], CASES[GOLDEN["panel"]["case"]]
    series, time = np.divmod(np.arange(128), panel["n_times"])
    evidence = OrderedDifferences.from_losses(
        case["champion"], case["challenger"], time=time, groups=series
    )
    result = diebold_mariano(evidence, method="newey-west", n_cosines=6)

    assert panel["bandwidth"] == result.details["bandwidth"]
    assert panel["se"] == pytest.approx(result.details["se"], rel=1e-10)
    assert panel["t"] == pytest.approx(result.statistic, rel=1e-10)


def test_bartlett_is_a_sum_over_lags():
    """The mean square of window sums is the weighted sum of autocovariances."""
    values = drift(57, 0.5, 0)
    values -= values.mean()
    for bandwidth in (1, 2, 3, 10, 40, 57):
        expected = autocovariance(values, 0) + 2 * sum(
            (1 - lag / bandwidth) * autocovariance(values, lag)
            for lag in range(1, bandwidth)
        )

        assert expected == pytest.approx(bartlett_variance(values, bandwidth), rel=1e-12)


@pytest.mark.parametrize("tail", ["0.05", "0.025"])
def test_published_fixed_b(tail):
    """Quantiles are those of Kiefer and Vogelsang's table, as far as its cubic fits."""
    for share in (0.02, 0.1, 0.3, 0.5, 0.8, 1.0):
        cubic = np.polynomial.Polynomial(GOLDEN["fixed_b"][tail])(share)
        quantile = FixedBandwidth.bartlett(share).quantile(float(tail))

        assert cubic == pytest.approx(quantile, abs=0.05)


def test_equal_weights_are_student():
    """With equal weights the reference is Student's t, far into its tail."""
    reference = FixedBandwidth((0.2,) * 5)
    for statistic in (1e-6, 0.01, 0.5, 2.0, 10.0, 1e3, 1e6):
        expected = math.log(2) + student.logsf(statistic, 5)

        assert expected == pytest.approx(reference.log_pvalue(statistic), rel=1e-9)
    assert student.isf(0.01, 5) == pytest.approx(reference.quantile(0.01), rel=1e-9)
    assert math.isfinite(reference.log_pvalue(1e100))


def test_number_of_cosines_follows_the_dependence():
    """Many for independent records, few for records that are alike for long."""
    numbers = {
        rho: [
            chosen_smoothing(squared_cosines(drift(500, rho, seed)), 1).number
            for seed in range(20)
        ]
        for rho in (0.0, 0.8, 0.95)
    }

    assert 25 == max(numbers[0.0]) == np.quantile(numbers[0.0], 0.7)
    assert np.median(numbers[0.8]) in range(6, 13)
    assert 4 == np.median(numbers[0.95])
    assert 4 == min(map(min, numbers.values()))


def test_a_season_hides_no_dependence():
    """A line in the spectrum does not make the rest of it look flat: that has 25."""
    season = 3 * np.cos(2 * np.pi * np.arange(500) / 7)
    for seed in range(5):
        drifting = drift(500, 0.95, seed)
        alone = chosen_smoothing(squared_cosines(drifting), 1).number
        with_season = chosen_smoothing(squared_cosines(drifting + season), 1).number

        assert 4 == alone
        assert with_season <= 11


def test_horizon_limits_the_number():
    """At most half of the horizons in the series, and never below 4."""
    squares = [squared_cosines(drift(2000, 0.0, seed)) for seed in range(8)]

    assert [61, 18, 8, 4] == [
        max(chosen_smoothing(each, horizon).number for each in squares)
        for horizon in (1, 50, 125, 250)
    ]


@pytest.mark.parametrize("method", ["ewc", "wpe", "newey-west", "hln"])
def test_a_constant_difference_has_no_variance(method):
    """One that is not 0 has no p-value, and an interval of all numbers."""
    ones = np.ones(40)
    result = diebold_mariano(
        OrderedDifferences.from_losses(0.3 * ones, 0.2 * ones), method=method
    )

    assert math.isnan(result.pvalue)
    assert ("zero-variance",) == result.flags
    assert (-math.inf, math.inf) == result.confidence_interval()


def test_rounding_is_no_difference():
    """Losses that differ by rounding errors are equal."""
    losses = np.random.default_rng(0).random(50)
    result = diebold_mariano(OrderedDifferences.from_losses(losses, losses + 1e-17 * 3))

    assert (0, 1) == (result.statistic, result.pvalue)
    assert ("degenerate",) == result.flags


@pytest.mark.parametrize("method", ["ewc", "wpe", "newey-west", "hln"])
def test_unit_does_not_matter(method):
    """Losses in another unit give the same statistic, however small or large it is."""
    champion, challenger = 2 + drift(100, 0.5, 1), 1.9 + drift(100, 0.5, 2)
    evidence = OrderedDifferences.from_losses(champion, challenger)
    expected = diebold_mariano(evidence, method=method).statistic
    for unit in (1e-100, 1e-9, 1e9, 1e100):
        scaled = OrderedDifferences.from_losses(unit * champion, unit * challenger)

        assert expected == pytest.approx(
            diebold_mariano(scaled, method=method).statistic, rel=1e-9
        )


def test_too_short_a_series_is_refused():
    """Fewer than 8 time points a step of the horizon say too little."""
    evidence = OrderedDifferences.from_differences(drift(39, 0.5, 0), horizon=5)
    with pytest.raises(ValueError, match=r"at least 40 time points.*Got 39\. Collect"):
        diebold_mariano(evidence)


def test_wrong_number_of_cosines():
    """At least 2, and below half of the time points."""
    evidence = OrderedDifferences.from_differences(drift(40, 0.5, 0))
    with pytest.raises(ValueError, match="at least 2"):
        diebold_mariano(evidence, n_cosines=1)
    with pytest.raises(ValueError, match=r"below half of the time points, 20\. Got 20"):
        diebold_mariano(evidence, n_cosines=20)


def test_long_dependence_is_flagged():
    """Records of which few are independent, and lags that the truncation leaves out."""
    evidence = OrderedDifferences.from_differences(drift(120, 0.97, 0))
    plain = diebold_mariano(OrderedDifferences.from_differences(drift(1000, 0.0, 0)))

    assert ("too-few-independent-times",) == diebold_mariano(evidence).flags
    assert "correlated-beyond-horizon" in diebold_mariano(evidence, method="hln").flags
    assert () == plain.flags


@pytest.mark.parametrize("n_cosines", [None, 4])
def test_few_times_are_flagged(n_cosines):
    """Drift under noise does not show in fewer than 1000 time points, whatever the data."""

    def flags(values):
        ordered = OrderedDifferences.from_differences(values)
        return diebold_mariano(ordered, n_cosines=n_cosines).flags

    noise = drift(1000, 0.0, 1)

    assert ("few-times",) == flags(noise[:999])
    assert () == flags(noise)
    assert ("degenerate",) == flags(np.zeros(100))


def test_few_times_count_records_of_one_time_once():
    """Series are added up at each time, so that many records may have few times."""
    ordered = OrderedDifferences.from_differences(
        drift(2000, 0.0, 1), time=np.repeat(np.arange(500), 4), groups=np.arange(2000) % 4
    )

    assert "few-times" in diebold_mariano(ordered).flags
    assert "few-times" in two_way_t(ordered).flags


def test_few_times_leave_the_pvalue_of_a_margin():
    """The flag is a caveat, where too few independent times leave no p-value."""
    ordered = OrderedDifferences.from_differences(drift(300, 0.0, 1))

    assert 0 < margin_test(ordered, "diebold_mariano", -1.0).pvalue < 0.05


def test_signs_that_change_as_in_random_order_are_many():
    """Two of 13 in the minority, one by one, change sign as often as is expected."""
    at = [1, 3, 8, 10, 11, 18, 21, 22, 27, 32, 36, 47, 59]
    sums = np.zeros(60)
    sums[at] = 1.0
    assert takes_few_turns(sums)
    sums[[32, 47]] = -1.0
    assert not takes_few_turns(sums)
    sums[[32, 36]], sums[47] = -1.0, 1.0
    assert takes_few_turns(sums)


def test_largest_allowance():
    """Later cosines of a random walk know little of its variance; a tenth of it is left."""
    walk = np.cumsum(np.random.default_rng(0).normal(size=400))
    bias, allowance = bias_of_band(squared_cosines(walk - walk.mean()), 20, 20)

    assert 0.8 < bias < allowance == 0.9


def test_truncation_without_a_variance():
    """Alternating differences have a sum of autocovariances that is not positive."""
    values = np.tile([1.0, -1.0], 20) + 0.01 * drift(40, 0.0, 0)
    evidence = OrderedDifferences.from_differences(values, horizon=2)
    with pytest.raises(ValueError, match=r"not positive\. Use method='ewc'"):
        diebold_mariano(evidence, method="hln")


def test_accuracy_by_influences_is_that_by_losses():
    """For a mean, the influences are the differences of the records."""
    rng = np.random.default_rng(4)
    y, champion, challenger = rng.integers(2, size=(3, 150))
    pair = ScoredPair.from_predictions(y, champion, challenger)
    by_loss = OrderedDifferences.from_losses(champion != y, challenger != y)

    expected = diebold_mariano(by_loss)
    result = diebold_mariano(OrderedDifferences.from_scored_pair(pair))

    assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
    assert (result.champion, result.challenger) == pytest.approx(
        (1 - expected.champion, 1 - expected.challenger)
    )
    assert "difference of accuracy" == result.estimate_name


def test_area_by_influences():
    """Of independent records an AUC has about the standard error without time."""
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=4000)
    champion, challenger = y + rng.normal(size=(2, 4000))
    pair = ScoredPair.from_predictions(y, champion, challenger, score="roc_auc")
    evidence = OrderedDifferences.from_scored_pair(pair)

    expected = influence_difference(pair)
    result = diebold_mariano(evidence, n_cosines=400)

    assert expected.estimate == pytest.approx(result.estimate, abs=1e-12)
    assert expected.details["standard_error"] == pytest.approx(
        result.details["se"], rel=0.1
    )


def test_time_points_of_several_records():
    """Records of one time are one observation, however many they are."""
    rng = np.random.default_rng(6)
    times = np.sort(rng.integers(60, size=400))
    values = drift(60, 0.8, 7)[times] + rng.normal(size=400)
    sums, counts = np.bincount(times, values), np.bincount(times)

    result = diebold_mariano(OrderedDifferences.from_differences(values, time=times))
    squares = squared_cosines(sums - values.mean() * counts)
    smoothing = chosen_smoothing(squares, 1)
    variance = squares[: smoothing.number].mean() / (1 - smoothing.allowance)

    assert 60 == result.details["n_times"]
    assert 400 == result.n
    assert math.sqrt(60 * variance) / 400 == pytest.approx(result.details["se"], rel=1e-12)


def test_drifting_disagreement():
    """Tests of independent records find equal classifiers to differ, this one does not."""
    rng = np.random.default_rng(12)
    rejected = 0
    for seed in range(60):
        favour = np.sign(drift(510, 0.95, seed))
        values = np.where(rng.random(510) < 0.2, favour, 0.0)
        naive = values.sum() ** 2 / np.abs(values).sum()
        result = diebold_mariano(OrderedDifferences.from_differences(values))
        rejected += np.array([naive > 3.84, result.pvalue < 0.05])

    assert rejected[0] > 20
    assert rejected[1] < 9


@pytest.mark.slow
def test_a_million_records_take_a_few_transforms():
    """At most six times one, and the evidence of sorted timestamps about as long again."""
    losses = np.random.default_rng(0).random((2, 10**6))
    stamps = np.datetime64("2020-01-01", "ns") + 10**9 * np.arange(10**6)

    def seconds(run):
        took = []
        for _ in range(5):
            start = time.perf_counter()
            run()
            took.append(time.perf_counter() - start)
        return min(took)

    evidence = OrderedDifferences.from_losses(*losses, time=stamps)
    transform = seconds(lambda: np.fft.rfft(losses[0]))

    assert seconds(lambda: diebold_mariano(evidence)) < 6 * transform
    assert (
        seconds(lambda: OrderedDifferences.from_losses(*losses, time=stamps))
        < 6 * transform
    )
