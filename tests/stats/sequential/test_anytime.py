"""The anytime-valid McNemar test: e-values, limits, all paths, numbers of records."""

import math

import numpy as np
import pytest
from scipy.special import betaln, logsumexp
from scipy.stats import binom

from skcompare import compare
from skcompare._core.design import HOLDOUT
from skcompare._core.validation import alpha_of
from skcompare._registry import tests
from skcompare.evidence import ContingencyTable
from skcompare.stats import anytime_mcnemar, mcnemar, paired_tests
from skcompare.stats.sequential._e_values import CountBets, counted_power, normal_power
from tests.common.golden import golden

ALTERNATIVES = ("two-sided", "less", "greater")
COUNTS = [(15, 25, 200), (0, 0, 50), (0, 12, 12), (30, 2, 60), (4, 3, 1000)]


def table_of(b, c, n):
    return ContingencyTable(n - b - c, b, c, 0)


def log_e(b, c, n, **settings):
    return anytime_mcnemar(table_of(b, c, n), **settings).details["log_e_value"]


# ------------------------------------------------------------------------- e-values


def test_closed_form_of_equal_accuracies():
    """The e-value is that of the beta-binomial mixture: 0.6667 and 8531 as published."""
    assert 0.6667 == pytest.approx(math.exp(log_e(15, 25, 200)), abs=5e-5)
    assert 8531 == pytest.approx(math.exp(log_e(3, 27, 30)), abs=0.5)
    for b, c, n in [*COUNTS, (500, 700, 5000)]:
        for prior in (0.5, 1.0, 3.0):
            expected = (b + c) * math.log(2) + betaln(prior + c, prior + b)
            expected -= betaln(prior, prior)
            found = log_e(b, c, n, prior=prior)
            assert expected == pytest.approx(found, abs=1e-11)


def test_golden_values():
    """E-values and limits of another program, with 25 digits, also at the ends."""
    for case in golden("anytime")["cases"]:
        b, c, n = case["only_champion"], case["only_challenger"], case["n"]
        names = "null_value", "prior", "alternative"
        result = anytime_mcnemar(table_of(b, c, n), **{name: case[name] for name in names})
        found = result.details["log_e_value"]

        assert case["log_e_value"] == pytest.approx(found, rel=1e-12, abs=1e-11)
        expected = case["low"], case["high"]
        assert expected == pytest.approx(result.confidence_interval(), rel=1e-9, abs=1e-15)


def test_concordant_records_change_nothing_for_equal_accuracies():
    """Only discordant records count where the null value is 0."""
    assert log_e(9, 4, 13) == pytest.approx(log_e(9, 4, 13_000), abs=1e-12)


def test_sides_average_to_both():
    """The two-sided e-value is the mean of the one-sided ones."""
    for b, c, n in COUNTS:
        for null in (0.0, -0.05):
            sides = [log_e(b, c, n, null_value=null, alternative=a) for a in ALTERNATIVES]
            expected = logsumexp(sides[1:]) - math.log(2)
            assert expected == pytest.approx(sides[0], abs=1e-12)


@pytest.mark.parametrize("size", [10**6, 10**9])
def test_many_records(size):
    """A billion records keep the digits that formulas of gamma functions lose.

    By Laplace's method the e-value is exp(z²/2) sqrt(pi / (2 m)) for m discordant records.
    """
    step = round(2 * math.sqrt(2 * size))
    b, c = size, size + step
    z = step / math.sqrt(b + c)
    expected = z**2 / 2 + math.log(math.pi / (2 * (b + c))) / 2
    assert expected == pytest.approx(log_e(b, c, 3 * size), abs=20 / size + 1e-8)

    low, high = anytime_mcnemar(table_of(b, c, 3 * size)).confidence_interval()
    assert low < step / (3 * size) < high
    assert high - low < 12 * math.sqrt(2 * size) / (3 * size)


def test_extreme_tables():
    """All records for one classifier, or none discordant, and one record."""
    all_won = anytime_mcnemar(table_of(0, 10**9, 10**9))
    assert -math.log(2) * 10**9 + math.log(10**9 + 1) == pytest.approx(all_won.log_pvalue)
    assert 0 < all_won.pvalue < 1e-300
    assert "e_value" not in all_won.details
    assert 1 == all_won.confidence_interval().high
    low, high = anytime_mcnemar(table_of(0, 0, 10**9)).confidence_interval()
    assert -low == high < 6e-9
    one = anytime_mcnemar(table_of(0, 1, 1))
    assert 1 == one.pvalue
    assert (-1, 1) == pytest.approx(one.confidence_interval(), abs=0.02)


def test_no_discordant_records():
    """They say nothing of equal accuracies, and something of a margin."""
    table = table_of(0, 0, 300)
    equal = anytime_mcnemar(table)
    margin = anytime_mcnemar(table, null_value=-0.05, alternative="greater")

    assert (0, 1, 0) == (equal.statistic, equal.pvalue, equal.log_pvalue)
    assert ("degenerate", "no-discordant-pairs") == equal.flags
    assert margin.pvalue < 1e-4
    assert ("no-discordant-pairs",) == margin.flags


@pytest.mark.parametrize("prior", [0.2, 1e6])
def test_ends_of_the_range_of_priors(prior):
    """They have the digits of others: smaller ones would lose the integral's tails."""
    for b, c, n in [(0, 0, 5), (0, 12, 100), (3, 9, 60)]:
        expected = (b + c) * math.log(2) + betaln(prior + c, prior + b)
        expected -= betaln(prior, prior)
        assert expected == pytest.approx(log_e(b, c, n, prior=prior), abs=5e-9)


def test_null_values_next_to_nothing():
    """The smallest numbers are as 0, without warnings."""
    for null in (5e-324, -5e-324, 1e-308):
        for alternative in ALTERNATIVES:
            found = log_e(0, 0, 50, null_value=null, alternative=alternative)
            assert 0 == pytest.approx(found, abs=1e-12)


# --------------------------------------------------------------------------- limits


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limits_are_where_the_evalue_is_at_its_bound(alternative):
    """At a limit inside (-1, 1) the e-value is 1 / alpha, and between them below.

    Limits of level 0.95 are among the golden values.
    """
    for (b, c, n), level in zip(COUNTS[:4], (0.5, 0.999, 0.5, 0.999), strict=True):
        result = anytime_mcnemar(table_of(b, c, n), alternative=alternative)
        limits = result.confidence_interval(level)
        for limit in limits:
            if abs(limit) < 1:
                found = log_e(b, c, n, null_value=limit, alternative=alternative)
                assert -math.log(alpha_of(level)) == pytest.approx(found, abs=1e-6)
        inner = np.linspace(*limits, 5)[1:-1]
        for null in inner:
            found = log_e(b, c, n, null_value=null, alternative=alternative)
            assert found < -math.log(alpha_of(level)) + 1e-9


def test_evalue_is_convex_and_small_at_the_estimate():
    """In the null value the e-value is convex, and at most 1 where that is the mean."""
    for b, c, n in COUNTS:
        bets = CountBets(b, c, n)
        nulls = np.linspace(-0.98, 0.98, 15)
        values = np.array([bets.log_wealth(null, "two-sided") for null in nulls])
        scaled = np.exp(values - values.max())
        assert (np.diff(scaled, 2) > -1e-12).all()
        assert bets.log_wealth(max(-0.999, min(0.999, bets.mean)), "two-sided") <= 1e-9


def test_narrower_than_nothing_wider_than_one_look():
    """The interval is wider than that of one look, and not by much."""
    table = ContingencyTable(800, 60, 90, 50)
    low, high = anytime_mcnemar(table).confidence_interval()
    once = mcnemar(table, method="asymptotic").confidence_interval()

    assert low < once.low < once.high < high
    assert 1.3 < (high - low) / (once.high - once.low) < 1.8


# ------------------------------------------------------------- all paths of a stream

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)


def many_log_e(b, c, n, null, alternative):
    """Logarithms of the e-values of many tables, by Gauss' rule over kappa."""
    low = 0.0 if alternative == "greater" else -1.0
    kappa = low + (NODES + 1) * (1 - low) / 2
    grown = np.multiply.outer(c, np.log1p(kappa)) + np.multiply.outer(b, np.log1p(-kappa))
    return logsumexp(grown - n * np.log1p(kappa * null), b=WEIGHTS / 2, axis=-1)


def ever_rejected(b_share, c_share, records, null, alternative, alpha=0.05):
    """Probability of ever p < alpha with a look after each record, by all tables."""
    most = 40
    b, c = np.meshgrid(np.arange(most), np.arange(most), indexing="ij")
    alive = np.zeros((most, most))
    alive[0, 0] = 1.0
    for n in range(1, records + 1):
        grown = alive * (1 - b_share - c_share)
        grown[1:] += b_share * alive[:-1]
        grown[:, 1:] += c_share * alive[:, :-1]
        likely = grown > 1e-10
        found = many_log_e(b[likely], c[likely], n, null, alternative)
        grown[likely] = np.where(found > -math.log(alpha), 0.0, grown[likely])
        alive = grown
    return 1 - alive.sum()


def ever_rejected_pairs(pairs, rejects):
    """The same for equal accuracies, where only discordant records count."""
    alive = np.ones(1)
    for m in range(1, pairs + 1):
        alive = (np.append(alive, 0.0) + np.append(0.0, alive)) / 2
        c = np.arange(m + 1)
        alive[rejects(m - c, c)] = 0.0
    return 1 - alive.sum()


def test_gauss_is_the_library():
    """What decides the paths below is what the library says."""
    for b, c, n in [(3, 9, 60), (0, 0, 200), (20, 5, 200)]:
        for null in (0.0, -0.1):
            for side in ("two-sided", "greater"):
                expected = float(many_log_e(np.array(b), np.array(c), n, null, side))
                found = log_e(b, c, n, null_value=null, alternative=side)
                assert expected == pytest.approx(found, abs=1e-10)


def test_ever_rejected_with_equal_accuracies():
    """With a look at each of 200 discordant records it is below 0.05, exactly.

    McNemar's test, looked at as often, rejects a quarter of the streams and more.
    """
    bound = -math.log(0.05)
    found = ever_rejected_pairs(
        200, lambda b, c: many_log_e(b, c, 0, 0.0, "two-sided") > bound
    )
    often = ever_rejected_pairs(
        200, lambda b, c: 2 * binom.cdf(np.minimum(b, c), b + c, 0.5) < 0.05
    )

    assert 0.02 < found < 0.05
    assert often > 0.25


@pytest.mark.parametrize(
    ("b", "c", "alternative"), [(0.12, 0.02, "two-sided"), (0.1, 0.0, "greater")]
)
def test_ever_rejected_at_a_margin(b, c, alternative):
    """At the margin's boundary the level holds for all looks at 80 records, exactly."""
    found = ever_rejected(b, c, 80, -0.1, alternative)

    assert 0.01 < found <= 0.05


# --------------------------------------------------------------- numbers of records


@pytest.mark.parametrize(
    ("b", "c", "null", "alternative"),
    [
        (35, 55, 0.0, "two-sided"),
        (1, 1, -0.05, "greater"),
        pytest.param(2, 10, 0.0, "two-sided", marks=pytest.mark.slow),
        pytest.param(5, 8, 0.0, "greater", marks=pytest.mark.slow),
    ],
)
def test_number_of_records_has_its_power(b, c, null, alternative):
    """At the number of records the test rejects as often as asked, within 3 points."""
    settings = {"alternative": alternative, "null_value": null}
    sample_size = paired_tests()["anytime_mcnemar"].sample_size
    needed = sample_size(table_of(b, c, 100), alpha=0.05, power=0.8, **settings)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(int(needed), [b / 100, c / 100, 1 - (b + c) / 100], 2000)
    found = many_log_e(draws[:, 0], draws[:, 1], int(needed), null, alternative)

    assert 0.8 == pytest.approx(np.mean(found > -math.log(0.05)), abs=0.03)


def test_both_ways_to_find_power_agree():
    """Sums over all tables and the normal formula differ by less than 3 points."""
    for b, c, null, n in [(50, 80, 0.0, 1500), (30, 30, -0.03, 1100)]:
        bets = CountBets(b, c, 1000)
        settings = {"null": null, "alpha": 0.05, "alternative": "greater"}
        summed = counted_power(bets, n, **settings)
        assert summed == pytest.approx(normal_power(bets, n, **settings), abs=0.03)
        assert 0.3 < summed < 0.9


def test_number_of_records_of_no_and_wrong_differences():
    """Infinitely many for no difference, and more than were seen otherwise."""
    sample_size = paired_tests()["anytime_mcnemar"].sample_size
    settings = {"alpha": 0.05, "power": 0.8, "alternative": "greater"}

    assert math.inf == sample_size(table_of(5, 5, 100), **settings)
    assert math.inf == sample_size(table_of(9, 5, 100), **settings)
    assert 201 == sample_size(table_of(0, 100, 200), **settings)


# ------------------------------------------------------------------ beside the others


def test_defaults_stay():
    """No design has an anytime-valid test as its default."""
    assert "mcnemar" == tests.tests_for("accuracy", HOLDOUT)[0].name
    for loss in ("binary_brier_loss", "log_loss", "neg_brier_score", "spherical_loss"):
        names = [entry.name for entry in tests.tests_for(loss, HOLDOUT)]
        assert "paired_t" == names[0]
        assert "anytime_losses" in names[1:]


def test_requested_for_by_name():
    """A comparison runs it with its options, and it decides where it comes first."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    predictions = {
        name: np.where(rng.random(300) < accuracy, y, 1 - y)
        for name, accuracy in (("old", 0.7), ("new", 0.9))
    }
    report = compare(y, predictions, tests={"anytime_mcnemar": {"prior": 2.0}})
    row = report.results["anytime_mcnemar"]
    table = ContingencyTable.from_predictions(y, *predictions.values())

    assert anytime_mcnemar(table, prior=2.0).pvalue == row.pvalue
    assert "challenger" == report.verdict


def test_refused():
    """Fractional tables, other null values and priors are refused with what to do."""
    with pytest.raises(ValueError, match="needs whole counts"):
        anytime_mcnemar(ContingencyTable(1.5, 2, 3, 4))
    with pytest.raises(ValueError, match="between -1 and 1"):
        anytime_mcnemar(table_of(1, 2, 9), null_value=1)
    for prior in (0, 0.1, 1e7, math.inf, math.nan, "1", True):
        with pytest.raises(ValueError, match="`prior` must be a number from"):
            anytime_mcnemar(table_of(1, 2, 9), prior=prior)
