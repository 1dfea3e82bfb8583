"""McNemar's test for block-regularized cross-validation: equations, bounds, edges."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier

from skcompare import PairedComparator
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import bcv_mcnemar, mcnemar
from skcompare.stats.splits._published import effective_multiplier
from tests.common.golden import golden
from tests.common.subjects import random_predictions

PUBLISHED = golden("mcnemar")["published"]
UNSEEN = "training-unseen"


def random_blocks(seed, n_repeats=5, n=80):
    """Tables of M × 2 halves of n records, every repetition testing all of them."""
    rng = np.random.default_rng(seed)
    halves = [n // 2, n - n // 2]
    shares = rng.dirichlet([8, 1, 2, 2])
    return PairedBlocks(
        [[rng.multinomial(half, shares) for half in halves] for _ in range(n_repeats)]
    )


def averages(blocks):
    """Averaged counts (equation 6): only the champion, only the challenger."""
    _, b, c, _ = blocks.tables.reshape(-1, 4).mean(axis=0)
    return b, c


# ------------------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c["name"]) for c in PUBLISHED if c["what"] == "multiplier"],
)
def test_published_multiplier(case):
    """The paper's effective sizes: 20/11 by default, 2 at the limit of Lemma 3."""
    multiplier = effective_multiplier(case["n_repeats"], case["rho1"], case["rho2"])
    blocks = random_blocks(0)
    result = bcv_mcnemar(blocks, rho1=case["rho1"], rho2=case["rho2"])

    assert case["multiplier"] == pytest.approx(multiplier)
    assert case["n_effective_share"] * 80 == pytest.approx(result.details["effective_n"])


def test_published_statistic():
    """Averages of 5 and 12 give M = 4.449, significant beyond 3.841."""
    (case,) = (case for case in PUBLISHED if case["what"] == "bcv")
    blocks = PairedBlocks([[[30, 5, 12, 3], [30, 5, 12, 3]]] * 5)

    result = bcv_mcnemar(blocks)

    assert (5.0, 12.0) == averages(blocks)
    assert case["statistic"] == pytest.approx(result.statistic, rel=case["rtol"])
    assert case["pvalue"] == pytest.approx(result.pvalue, rel=case["rtol"])


def test_equations_13_14_and_15_are_one():
    """Effective counts, averages times t, and the closed form give one statistic."""
    for seed, (rho1, rho2) in itertools.product(
        range(20), [(0.5, 0.5), (0, 0.5), (0.2, 0.1), (0, 0)]
    ):
        blocks = random_blocks(seed)
        b, c = averages(blocks)
        t = 10 / (1 + rho1 + 8 * rho2)
        eq13 = max(0, abs(t * c - t * b) - 1) ** 2 / (t * c + t * b)
        eq14 = t * max(0, abs(c - b) - 1 / t) ** 2 / (c + b)

        result = bcv_mcnemar(blocks, rho1=rho1, rho2=rho2)

        assert eq13 == pytest.approx(result.statistic, abs=1e-12)
        assert eq14 == pytest.approx(result.statistic, abs=1e-12)
        if (rho1, rho2) == (0.5, 0.5):
            eq15 = 20 * max(0, abs(c - b) - 11 / 20) ** 2 / (11 * (c + b))
            assert eq15 == pytest.approx(result.statistic, abs=1e-12)
        assert stats.chi2.sf(eq13, 1) == pytest.approx(result.pvalue)


def test_multiplier_for_any_number_of_repetitions():
    """t = 2M / (1 + rho1 + 2 (M - 1) rho2), from the variance of the mean of 2M."""
    for n_repeats, (rho1, rho2) in itertools.product(
        [1, 2, 3, 5, 10], [(0.5, 0.5), (0, 0.5), (0.3, 0.2)]
    ):
        k = 2 * n_repeats
        correlations = np.full((k, k), float(rho2))
        for j in range(0, k, 2):
            correlations[j : j + 2, j : j + 2] = [[1, rho1], [rho1, 1]]
        variance = correlations.mean()
        blocks = random_blocks(1, n_repeats)

        result = bcv_mcnemar(blocks, rho1=rho1, rho2=rho2)

        assert 1 / variance == pytest.approx(effective_multiplier(n_repeats, rho1, rho2))
        assert 40 / variance == pytest.approx(result.details["effective_n"])
        assert f"{n_repeats}×2" in result.design


def test_lemma_3_is_the_corrected_test_of_one_pass():
    """At (0, 1/2) identical repetitions count as one pass over the records."""
    repeat = [[20, 3, 9, 8], [22, 2, 8, 8]]
    blocks = PairedBlocks([repeat] * 5)
    once = mcnemar(ContingencyTable(42, 5, 17, 16), method="corrected")

    result = bcv_mcnemar(blocks, rho1=0, rho2=0.5)

    assert tuple(once) == pytest.approx(tuple(result))
    assert once.confidence_interval() == pytest.approx(result.confidence_interval())
    assert once.n == result.n == 80


def test_pooled_predictions_would_count_five_times():
    """At rho1 = rho2 = 0 it is the invalid test of all predictions pooled (t = 10)."""
    blocks = random_blocks(3)
    pooled = ContingencyTable(*(int(k) for k in blocks.tables.sum(axis=(0, 1))))

    result = bcv_mcnemar(blocks, rho1=0, rho2=0)

    assert tuple(mcnemar(pooled, method="corrected")) == pytest.approx(tuple(result))
    assert "less-conservative-correlation" in result.flags
    assert "more-effective-than-records" in result.flags


def test_interval_is_that_of_the_effective_table():
    """The interval inverts the corrected statistic of the fractional table."""
    blocks = random_blocks(4)
    effective = blocks.effective(20 / 11)
    expected = mcnemar(effective, method="corrected")

    result = bcv_mcnemar(blocks)

    assert tuple(expected) == pytest.approx(tuple(result))
    assert expected.confidence_interval(0.9) == pytest.approx(
        result.confidence_interval(0.9)
    )


def test_posterior_probability():
    """r given the counts is Beta(c + 1, b + 1); P(r > 1/2) favours the challenger."""
    for seed in range(5):
        blocks = random_blocks(seed)
        b, c = (20 / 11 * average for average in averages(blocks))
        expected = stats.beta(c + 1, b + 1).sf(0.5)

        details = bcv_mcnemar(blocks).details

        assert expected == pytest.approx(details["probability_challenger_better"])
        swapped = bcv_mcnemar(blocks.swap()).details["probability_challenger_better"]
        assert 1 == pytest.approx(swapped + details["probability_challenger_better"])


def test_details_are_the_counts_behind_the_statistic():
    """Averaged and effective discordant counts are reported, champion's first."""
    blocks = PairedBlocks([[[30, 5, 12, 3], [30, 5, 12, 3]]] * 5)
    details = bcv_mcnemar(blocks).details

    assert (5, 12) == (details["only_champion"], details["only_challenger"])
    assert 100 / 11 == pytest.approx(details["effective_only_champion"])
    assert 240 / 11 == pytest.approx(details["effective_only_challenger"])
    assert 1000 / 11 == pytest.approx(details["effective_n"])


def test_one_sided():
    """The better one-sided p-value is half the two-sided one."""
    blocks = PairedBlocks([[[30, 5, 12, 3], [30, 5, 12, 3]]] * 5)
    two_sided, greater, less = (
        bcv_mcnemar(blocks, alternative=alternative).pvalue
        for alternative in ("two-sided", "greater", "less")
    )

    assert two_sided / 2 == pytest.approx(greater)
    assert 1 == pytest.approx(greater + less)


# -------------------------------------------------------------------- traps and edges


def test_clamp():
    """Below one effective record of difference p is 1; it never rises as they near."""
    for distance in [0.0, 0.1, 0.3, 0.5]:
        halves = [[30, 10, 10, 0], [30, 10, 10, 0]]
        tables = np.array([halves] * 5)
        tables[: int(distance * 10), 0, 1:3] = [10, 11]
        tables[: int(distance * 10), 0, 0] = 29
        blocks = PairedBlocks(tables)

        result = bcv_mcnemar(blocks)

        assert (0.0, 1.0) == tuple(result)
        assert not result.degenerate
        b, c = averages(blocks)
        unclamped = (20 / 11 * abs(c - b) - 1) ** 2 / (20 / 11 * (b + c))
        assert unclamped > 0


def test_without_discordant_pairs():
    """Equal predictions are flagged, and have a probability of one half, and some width."""
    blocks = PairedBlocks([[[30, 0, 0, 10], [29, 0, 0, 11]]] * 5)
    result = bcv_mcnemar(blocks)

    assert ("degenerate", "no-discordant-pairs", UNSEEN) == result.flags
    assert 0.5 == pytest.approx(result.details["probability_challenger_better"])
    low, high = result.confidence_interval()
    assert low < 0 < high


def test_records_that_blocks_do_not_divide():
    """The averaged table has n/2 records for every n, and n_e is 10 n / 11."""
    for n in [9, 81, 83, 100, 101]:
        predictions = random_predictions("bcv", n, 3)
        blocks = PairedBlocks.from_pair(predictions.pair("champion", "challenger"))

        result = bcv_mcnemar(blocks)

        assert n / 2 == pytest.approx(blocks.average.n)
        assert n == result.n
        assert 10 * n / 11 == pytest.approx(result.details["effective_n"])


def test_counts_are_averaged_not_shares():
    """Equation 6: unequal halves weigh by their records (equation 7 would differ)."""
    blocks = PairedBlocks([[[4, 1, 2, 3], [5, 0, 6, 0]]] * 5)
    share_difference = (1 / 10 + 6 / 11) / 2

    result = bcv_mcnemar(blocks)

    assert 7 / 21 == pytest.approx(result.estimate)
    assert share_difference != pytest.approx(result.estimate)
    assert 10 / 21 == pytest.approx(result.champion)
    assert 17 / 21 == pytest.approx(result.challenger)


def test_correlations_out_of_bounds():
    """Theorem 2 bounds the correlations, and only numbers are correlations."""
    for rho1, rho2 in [
        (0.5, 0.76),
        (0, 0.51),
        (-1, 0),
        (1.01, 0.5),
        (0.5, -0.01),
        (math.nan, 0.5),
        (0.5, math.nan),
        ("0.5", 0.5),
        (True, 0.5),
        (None, 0.5),
    ]:
        with pytest.raises(ValueError, match=r"`rho1` must be in \(-1, 1\] and `rho2` in"):
            bcv_mcnemar(random_blocks(0), rho1=rho1, rho2=rho2)


def test_correlations_at_the_bounds():
    """The bounds themselves are allowed; more correlation never gains records."""
    for rho1, rho2 in [(1, 1), (0.5, 0.75), (-0.5, 0.25), (0, 0.5)]:
        result = bcv_mcnemar(random_blocks(0), rho1=rho1, rho2=rho2)

        assert 0 < result.pvalue <= 1
        more_than_default = result.details["effective_n"] > 80 * 10 / 11
        assert more_than_default == ("less-conservative-correlation" in result.flags)
        more_than_records = result.details["effective_n"] > 80 * (1 + 1e-12)
        assert more_than_records == ("more-effective-than-records" in result.flags)


def test_default_correlations_carry_no_flag():
    """The recommended 1/2 and 1/2 are not flagged, for any number of repetitions."""
    for n_repeats in (1, 3, 5, 8):
        flags = bcv_mcnemar(random_blocks(5, n_repeats)).flags

        assert "less-conservative-correlation" not in flags


def test_flag_of_more_effective_records_than_records():
    """As many effective records as records are the milder flag, more are both."""
    for n_repeats, rho1 in itertools.product([2, 3, 5, 7], [0.0, 0.2, 0.3, 0.7]):
        # As many: n_repeats = 1 + rho1 + 2 (n_repeats - 1) rho2, Lemma 3 being one case.
        rho2 = (n_repeats - 1 - rho1) / (2 * (n_repeats - 1))
        blocks = random_blocks(6, n_repeats)
        as_many = bcv_mcnemar(blocks, rho1=rho1, rho2=rho2)
        more = bcv_mcnemar(blocks, rho1=rho1, rho2=rho2 - 0.01)

        assert 80 == pytest.approx(as_many.details["effective_n"])
        assert "less-conservative-correlation" in as_many.flags
        assert "more-effective-than-records" not in as_many.flags
        assert {"less-conservative-correlation", "more-effective-than-records"} <= set(
            more.flags
        )


def test_flag_of_few_discordant_pairs():
    """Fewer than 10 effective discordant pairs are flagged; 11 averaged are enough."""
    few = PairedBlocks([[[37, 1, 4, 8], [37, 1, 4, 8]]] * 5)
    enough = PairedBlocks([[[37, 1, 5, 7], [37, 1, 5, 7]]] * 5)

    assert ("few-discordant-pairs", UNSEEN) == bcv_mcnemar(few).flags
    assert (UNSEEN,) == bcv_mcnemar(enough).flags


def test_conservative_beside_the_invalid_test_of_pooled_predictions():
    """More assumed correlation gives larger p-values and wider intervals."""
    blocks = PairedBlocks([[[30, 5, 12, 3], [30, 5, 12, 3]]] * 5)
    chain = [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 0.75), (1, 1)]
    results = [bcv_mcnemar(blocks, rho1=rho1, rho2=rho2) for rho1, rho2 in chain]
    pvalues = [result.pvalue for result in results]
    widths = [high - low for low, high in (r.confidence_interval() for r in results)]

    assert sorted(pvalues) == pvalues
    assert sorted(widths) == widths
    assert pvalues[0] < pvalues[-1]


@pytest.mark.parametrize(
    "tables",
    [
        [[30, 5, 12, 3]] * 10,
        [[[30, 5, 12, 3]] * 5] * 2,
        [[[30, 5, 12, 3]]] * 5,
    ],
)
def test_tables_that_are_no_halves(tables):
    """Ten loose tables or five folds are refused, with the splitter to use."""
    with pytest.raises(ValueError, match=r"both halves.*Split with BlockRegularized5x2"):
        bcv_mcnemar(PairedBlocks(tables))


def test_outlying_split_is_flagged():
    """A split far from the others is flagged, and ordinary variation is not."""
    even = np.tile([70, 10, 10, 10], (5, 2, 1))
    failed = even.copy()
    failed[3, 1] = [30, 50, 10, 10]

    assert "outlying-split" not in bcv_mcnemar(PairedBlocks(even)).flags
    assert "outlying-split" in bcv_mcnemar(PairedBlocks(failed)).flags


# --------------------------------------------------------- chance in the training


@pytest.mark.slow
def test_copies_of_an_unstable_classifier():
    """Real data: copies of an unscaled SGD with other seeds differ by the published test,
    which counts records, and not by the default one.
    """
    X, y = load_breast_cancer(return_X_y=True)
    by_default = published = 0
    for draw in range(12):
        comparator = PairedComparator(
            SGDClassifier(random_state=2 * draw),
            SGDClassifier(random_state=2 * draw + 1),
            random_state=draw,
        ).fit(X, y)
        blocks = PairedBlocks.from_pair(
            comparator.predictions_.pair("champion", "challenger")
        )
        by_default += comparator.verdict_ != "inconclusive"
        published += bcv_mcnemar(blocks).pvalue < 0.05

    assert 0 == by_default
    assert 2 <= published
