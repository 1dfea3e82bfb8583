"""Yule's Q: published numbers, its exact limits, and what its ends mean.

`agreement.json` has figures of R `DescTools::YuleQ` and `psych::Yule`.
"""

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skcompare._core.validation import alpha_of
from skcompare.evidence import ContingencyTable
from skcompare.stats import yule_q
from tests.common.golden import golden

GOLDEN = golden("agreement")
DEFINED = [case for case in GOLDEN["tables"] if case["yule_q"]["value"] is not None]
WITH_ZERO = [
    (80, 10, 10, 0),
    (80, 0, 10, 7),
    (80, 9, 0, 7),
    (80, 0, 0, 7),
    (0, 10, 3, 2),
    (0, 5, 4, 0),
    (3, 0, 5, 3),
    (1, 0, 0, 1),
    (12, 1, 30, 0),
]


SPARSE = [(95, 2, 2, 1), (30, 20, 5, 1), (990, 4, 4, 2), (3, 9, 20, 1), (5, 1, 2, 1)]
"""Tables without a zero, but with an expected count below 5."""


def as_q(odds):
    """Q of an odds ratio."""
    return 1.0 if math.isinf(odds) else (odds - 1) / (odds + 1)


# ------------------------------------------------------- other people's numbers


def test_q_of_independent_packages():
    """DescTools and psych agree."""
    for case in DEFINED:
        result = yule_q(ContingencyTable(*case["table"]))

        assert case["yule_q"]["value"] == pytest.approx(result.estimate, rel=1e-10)


def test_worked_examples():
    """The textbook's examples 14.1, 14.4 and 14.5."""
    for name in ("14.1-Q", "14.4", "14.5-left", "14.5-right"):
        example = GOLDEN["worked"][name]
        value = example["value"]["Q"] if isinstance(example["value"], dict) else None
        expected = example["value"] if value is None else value
        table = ContingencyTable(
            *(example["inputs"][k] for k in ("n11", "n10", "n01", "n00"))
        )

        assert expected == pytest.approx(yule_q(table).estimate, rel=1e-12)


def test_standard_error_and_interval():
    """Reference values of the delta method and of tanh(log odds ratio / 2)."""
    value = GOLDEN["reference"]["A-yule-ci"]["value"]

    result = yule_q(ContingencyTable(150, 25, 15, 10), method="asymptotic")

    assert value["se"] == pytest.approx(result.details["se"], rel=1e-12)
    assert value["ci"] == pytest.approx(list(result.confidence_interval()), rel=1e-12)
    assert 4 == result.details["odds_ratio"]


@pytest.mark.parametrize("counts", [(150, 25, 15, 10), (20, 30, 25, 25), (9, 4, 3, 11)])
def test_interval_of_the_odds_ratio_of_scipy(counts):
    """scipy's interval of the sample odds ratio, mapped to Q, and the p at its edge."""
    a, b, c, d = counts
    result = yule_q(ContingencyTable(*counts), method="asymptotic")
    theirs = stats.contingency.odds_ratio([[a, b], [c, d]], kind="sample")

    for level in (0.5, 0.9, 1 - result.pvalue):
        low, high = theirs.confidence_interval(level)
        assert (as_q(low), as_q(high)) == pytest.approx(
            result.confidence_interval(level), rel=1e-9, abs=1e-9
        )
    near_zero = min(abs(limit) for limit in result.confidence_interval(1 - result.pvalue))
    assert 0 == pytest.approx(near_zero, abs=1e-12)


# ------------------------------------------------------------ few expected records


def assert_exact(counts, result, rel=1e-6):
    """Twice Fisher's smaller tail, and scipy's conditional limits, mapped to Q."""
    a, b, c, d = counts
    tails = [
        stats.fisher_exact([[a, b], [c, d]], alternative=side)[1]
        for side in ("less", "greater")
    ]
    theirs = stats.contingency.odds_ratio([[a, b], [c, d]], kind="conditional")

    assert "exact" == result.method
    assert a == result.statistic
    assert min(1, 2 * min(tails)) == pytest.approx(result.pvalue, rel=1e-10)
    for level in (0.5, 0.999):
        low, high = theirs.confidence_interval(level)
        assert (as_q(low), as_q(high)) == pytest.approx(
            result.confidence_interval(level), rel=rel, abs=1e-9
        )


def test_sparse_tables_are_exact():
    """The exact test and its limits where a cell is expected to have less than 5."""
    for counts in SPARSE:
        result = yule_q(ContingencyTable(*counts))

        assert_exact(counts, result)
        assert () == result.flags
        assert "se" in result.details


def test_exact_on_request():
    """A table with many records in each cell has the same exact test."""
    counts = (150, 30, 20, 20)

    assert "asymptotic" == yule_q(ContingencyTable(*counts)).method
    assert_exact(counts, yule_q(ContingencyTable(*counts), method="exact"))


def test_normal_pvalue_on_request_is_flagged():
    """A normal p of few expected records; without a standard error it is exact."""
    normal = yule_q(ContingencyTable(990, 4, 4, 2), method="asymptotic")
    empty = yule_q(ContingencyTable(80, 10, 10, 0), method="asymptotic")

    assert ("small-expected-counts",) == normal.flags
    z = math.log(990 * 2 / 16) / math.sqrt(1 / 990 + 1 / 4 + 1 / 4 + 1 / 2)
    assert z == pytest.approx(normal.statistic, rel=1e-13)
    assert ("zero-cell",) == empty.flags
    assert "exact" == empty.method


def test_fractional_sparse_tables():
    """Averaged tables keep the normal p, flagged; the exact one refuses them."""
    table = ContingencyTable(95.0, 2.0, 2.0, 1.0)

    assert ("small-expected-counts",) == yule_q(table).flags
    with pytest.raises(ValueError, match=r"needs whole counts.*fractional"):
        yule_q(table, method="exact")


def assert_exact_intervals(tables):
    """0 is outside exactly when p is below alpha, and Q always inside."""
    significant = 0
    for counts in tables:
        result = yule_q(ContingencyTable(*counts), method="exact")
        for level in (0.5, 0.8, 0.95):
            low, high = result.confidence_interval(level)

            assert -1 <= low <= result.estimate <= high <= 1, counts
            assert (result.pvalue < alpha_of(level)) == (not low <= 0 <= high), (
                counts,
                level,
            )
            significant += result.pvalue < alpha_of(level)
    assert significant > len(tables) / 11


def test_exact_intervals_of_small_tables():
    """They agree with exact p-values."""
    assert_exact_intervals([*product((1, 2, 5), (1, 3), (1, 2), (1, 4))])


@pytest.mark.slow
def test_exact_intervals_of_every_small_table():
    """The same of all tables of up to 16 records without an empty cell."""
    assert_exact_intervals([*product(range(1, 6), range(1, 4), range(1, 4), range(1, 6))])


@pytest.mark.parametrize("counts", [(250_100, 250_000, 249_000, 250_300), (10**6, 9, 7, 3)])
def test_exact_limits_of_a_full_million(counts):
    """Under each limit so large a number has probability 0.025, by the normal tail."""
    exact = yule_q(ContingencyTable(*counts), method="exact")
    normal = yule_q(ContingencyTable(*counts), method="asymptotic")

    close = min(counts) > 1000
    for one, other in zip(exact.confidence_interval(), normal.confidence_interval()):
        assert one == pytest.approx(other, abs=2e-5 if close else 0.2)
    if close:
        assert normal.pvalue == pytest.approx(exact.pvalue, rel=0.02)


# ------------------------------------------------------------------ an empty cell


def test_exact_test_and_limits_of_scipy():
    """Twice Fisher's smaller tail, and scipy's conditional limits, mapped to Q."""
    for counts in WITH_ZERO:
        result = yule_q(ContingencyTable(*counts))

        assert_exact(counts, result, rel=1e-7)
        assert ("zero-cell",) == result.flags


def test_exact_interval_excludes_zero_exactly_when_rejected():
    """At the p-value's own level 0 is a limit."""
    for counts in WITH_ZERO:
        result = yule_q(ContingencyTable(*counts))
        if result.pvalue == 1:
            assert 0 <= max(
                limit * result.estimate for limit in result.confidence_interval()
            )
            continue

        for alpha, outside in (
            (result.pvalue * 1.001, True),
            (result.pvalue * 0.999, False),
        ):
            low, high = result.confidence_interval(1 - alpha)
            assert outside == (not low <= 0 <= high)


def test_exact_limits_by_brute_force():
    """The observed table has probability alpha / 2 under the limit, all tables summed."""
    few, many, rest = 6, 9, 4
    low, high = yule_q(ContingencyTable(few, 0, rest, many)).confidence_interval(0.9)
    odds = (1 + low) / (1 - low)
    weights = [
        1
        / math.prod(math.factorial(cell) for cell in (few - k, k, rest + k, many - k))
        * odds ** (few - k)
        for k in range(few + 1)
    ]

    assert 1 == high
    assert 0.05 == pytest.approx(weights[0] / sum(weights), rel=1e-9)


def test_exact_limits_of_a_million_records():
    """The tail at the limit is alpha / 2, its weights summed one by one.

    Q has few digits left of odds as large as these.
    """
    for counts in [
        (999_999, 0, 0, 1),
        (800_000, 0, 100_000, 100_000),
        (500_000, 0, 0, 500_000),
        (999_000, 500, 500, 0),
        (400_000, 300_000, 300_000, 0),
    ]:
        a, b, c, d = counts
        result = yule_q(ContingencyTable(*counts))
        low, high = result.confidence_interval(0.95)
        limit = low if result.estimate > 0 else high
        odds = (1 + limit) / (1 - limit)
        if result.estimate > 0:
            filled, rest = sorted((a, d)), max(b, c)
        else:
            filled, rest, odds = sorted((b, c)), max(a, d), 1 / odds
        logs, log_weight = [0.0], 0.0
        for k in range(min(filled[0], 2000)):
            log_weight += math.log(
                (filled[0] - k) * (filled[1] - k) / (k + 1) / (rest + k + 1)
            )
            log_weight -= math.log(odds)
            logs.append(log_weight)

        assert 1 / 0.025 == pytest.approx(math.fsum(map(math.exp, logs)), rel=1e-4)
        assert 0 < result.pvalue <= 1


def test_pvalue_beyond_the_smallest_double():
    """Independent errors are impossible, and the logarithm says how much."""
    for n in (500, 5000):
        result = yule_q(ContingencyTable(n, 0, 0, n))

        expected = math.log(2) - (math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1))
        assert expected == pytest.approx(result.log_pvalue, rel=1e-12)
        assert 0 < result.pvalue < 1e-298


def test_billions_of_records_take_no_memory():
    """Factorials are approximated, not multiplied."""
    for counts, log_tail in [
        # few! many! rest! over the whole, from products of a few factors
        ((10**9, 0, 10, 2), math.log(11 * 12) - math.log((10**9 + 11) * (10**9 + 12))),
        ((10**9, 0, 10**9, 1), -math.log1p(10**9 / (10**9 + 1))),
        # and from logarithms of factorials where p is so small that they have digits left
        (
            (10**9, 0, 10**9, 10**9),
            math.lgamma(2e9 + 1)
            - math.lgamma(3e9 + 1)
            - math.lgamma(1e9 + 1)
            + math.lgamma(2e9 + 1),
        ),
        (
            (10**7, 0, 10**7, 10**7),
            math.lgamma(2e7 + 1)
            - math.lgamma(3e7 + 1)
            - math.lgamma(1e7 + 1)
            + math.lgamma(2e7 + 1),
        ),
    ]:
        tracemalloc.start()
        try:
            result = yule_q(ContingencyTable(*counts))
            low, high = result.confidence_interval()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert min(0.0, math.log(2) + log_tail) == pytest.approx(
            result.log_pvalue, rel=1e-10
        )
        assert -1 < low < high == 1
        assert peak < 20e6


def test_exact_test_refuses_fractional_counts():
    """Without an empty cell fractions are fine; with one they are not."""
    assert 0.6 == pytest.approx(yule_q(ContingencyTable(75.0, 12.5, 7.5, 5.0)).estimate)
    with pytest.raises(ValueError, match="count of 0 needs whole counts"):
        yule_q(ContingencyTable(75.0, 12.5, 7.5, 0.0))


# -------------------------------------------------------------------- edge cases


def test_undefined_without_variation():
    """One of the two is always right, or always wrong."""
    for counts in [
        (5, 0, 0, 0),
        (0, 0, 0, 5),
        (5, 3, 0, 0),
        (5, 0, 3, 0),
        (0, 5, 0, 3),
        (0, 0, 5, 3),
    ]:
        result = yule_q(ContingencyTable(*counts))

        assert all(
            math.isnan(value)
            for value in (*result, result.estimate, *result.confidence_interval())
        )
        assert ("undefined-q",) == result.flags
        assert "" == result.remark


def test_identical_predictions():
    """Q is 1, with a lower limit that says how little is known."""
    few, many = (yule_q(ContingencyTable(n, 0, 0, n)) for n in (2, 50))

    assert 1 == few.estimate == many.estimate
    assert few.confidence_interval().low < 0.5 < many.confidence_interval().low
    assert 2 / math.comb(4, 2) == pytest.approx(few.pvalue)


def test_independent_errors_are_exactly_zero():
    """ad = bc gives Q, statistic and p without rounding."""
    normal = yule_q(ContingencyTable(21, 49, 3, 7), method="asymptotic")
    exact = yule_q(ContingencyTable(21, 49, 3, 7))

    assert (0, 0, 1) == (normal.estimate, *normal)
    assert (0, 21, 1) == (exact.estimate, *exact)


def test_turned_predictions_turn_the_sign():
    """A challenger that is wrong where it was right has -Q, to the last bit."""
    for counts in [(150, 25, 15, 10), (30, 20, 5, 1), (80, 10, 10, 0), (7, 0, 4, 6)]:
        a, b, c, d = counts
        one, other = (
            yule_q(ContingencyTable(a, b, c, d)),
            yule_q(ContingencyTable(b, a, d, c)),
        )
        low, high = one.confidence_interval()

        assert -one.estimate == other.estimate
        assert one.pvalue == other.pvalue
        assert (-high, -low) == other.confidence_interval()


def test_million_records():
    """Large counts neither overflow nor lose the sign of a small difference."""
    result = yule_q(ContingencyTable(250_001, 250_000, 250_000, 250_000))

    assert 0 < result.estimate < 1e-5
    assert 0.001 == pytest.approx(result.statistic, rel=1e-5)


# ---------------------------------------------------------------- what it means


def test_ends_say_what_they_mean():
    """Q = ±1 does not say that one is right exactly when the other is, or is not."""
    one_sided = yule_q(ContingencyTable(60, 0, 25, 15))
    mostly_agreeing = yule_q(ContingencyTable(80, 10, 10, 0))

    assert 1 == one_sided.estimate
    assert "perfect positive association: one of the two is never the only correct one" == (
        one_sided.remark
    )
    assert -1 == mostly_agreeing.estimate
    assert (
        "perfect negative association: the two are never both wrong, or never both correct"
        == mostly_agreeing.remark
    )


def test_ends_are_reached_exactly_with_an_empty_cell():
    """Q = 1 just where bc = 0 and ad > 0, Q = -1 just where ad = 0 and bc > 0."""
    for a, b, c, d in product((0, 1, 7), repeat=4):
        if a * d == b * c == 0:
            continue
        q = yule_q(ContingencyTable(a, b, c, d)).estimate

        assert (b * c == 0) == (q == 1)
        assert (a * d == 0) == (q == -1)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((40, 10, 10, 40), "errors tend to fall on the same records"),
        (
            (10, 40, 40, 10),
            "errors tend to fall on different records, which helps an ensemble",
        ),
        ((25, 25, 25, 25), "errors are about independent"),
    ],
)
def test_q_in_text(counts, words):
    """Between the ends the sign is what counts."""
    assert words == yule_q(ContingencyTable(*counts)).remark


def test_size_of_the_exact_test():
    """With fixed margins a p below alpha has at most this probability."""
    n_right, n_wrong, challenger_right = 9, 5, 8
    support = np.arange(max(0, challenger_right - n_wrong), challenger_right + 1)
    chances = stats.hypergeom(n_right + n_wrong, n_right, challenger_right).pmf(support)
    ends = [
        (x, chance)
        for x, chance in zip(support.tolist(), chances.tolist())
        if 0 in (x, n_right - x, challenger_right - x, n_wrong - challenger_right + x)
    ]
    assert ends

    for x, chance in ends:
        counts = (x, n_right - x, challenger_right - x, n_wrong - challenger_right + x)
        assert min(1, 2 * chance) == pytest.approx(
            yule_q(ContingencyTable(*counts)).pvalue, rel=1e-10
        )
