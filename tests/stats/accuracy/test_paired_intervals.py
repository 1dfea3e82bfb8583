"""The intervals of a difference that can be requested, against other packages."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import ContingencyTable
from skcompare.stats import mcnemar
from skcompare.stats.accuracy._limits import newcombe_limits, wald_limits, wilson_limits
from skcompare.stats.accuracy._mcnemar import limits_by_name
from tests.common.golden import golden

GOLDEN = golden("paired_differences")
FORMULAS = ("wald", "agresti-min", "bonett-price", "newcombe")
NAMED = (*FORMULAS, "score")
ALTERNATIVES = ("two-sided", "less", "greater")
TABLES = [
    ContingencyTable(*cells)
    for cells in [
        (150, 25, 15, 10),
        (1, 1, 7, 12),
        (5, 0, 3, 2),
        (5, 3, 0, 2),
        (9, 0, 0, 4),
        (9, 0, 0, 0),
        (0, 0, 0, 6),
        (0, 4, 0, 0),
        (0, 0, 4, 0),
        (0, 2, 2, 0),
        (1, 0, 0, 0),
        (700_000, 99_000, 101_000, 100_000),
    ]
]


def flipped(limits):
    """Limits of A - B, as those of challenger minus champion."""
    return [-limits[1], -limits[0]]


# ------------------------------------------------------- other people's numbers


def test_interval_of_independent_packages():
    """PropCIs, contingencytables and ratesci agree on it, to ten digits."""
    for interval, case in itertools.product(NAMED, GOLDEN["differences"]):
        known = case[interval]

        result = mcnemar(ContingencyTable(*case["table"]), interval=interval)

        assert pytest.approx(
            flipped(known["limits"]),
            rel=known.get("rtol", 1e-10),
            abs=known.get("atol", 1e-12),
        ) == list(result.confidence_interval())


def test_exact_interval_of_an_independent_package():
    """exact2x2 has Fay and Lumbard's interval, as far as its root finder goes."""
    for case in GOLDEN["differences"]:
        known = case["exact"]

        result = mcnemar(ContingencyTable(*case["table"]), method="exact")

        # R's uniroot stops at 1.2e-4 of the parameter where nothing else is asked of it.
        assert pytest.approx(flipped(known["limits"]), abs=5e-5) == list(
            result.confidence_interval()
        )


def test_difference_of_independent_counts():
    """The estimate is the difference of both accuracies, B's less A's."""
    cases = [case for case in GOLDEN["differences"] if "difference" in case]
    assert cases
    for case in cases:
        result = mcnemar(ContingencyTable(*case["table"]))

        assert -case["difference"] == pytest.approx(result.estimate, abs=1e-15)
        assert case["accuracies"] == pytest.approx([result.champion, result.challenger])


def test_published_interval():
    """What manuals and tests of other packages print comes out to their digits."""
    for case in GOLDEN["published"]:
        table = ContingencyTable(*case["table"])
        for interval in set(NAMED) & set(case):
            result = mcnemar(table, interval=interval)

            assert pytest.approx(flipped(case[interval]), abs=case["abs"]) == list(
                result.confidence_interval()
            ), interval
        for method, pvalue in case.get("pvalues", {}).items():
            assert pvalue == pytest.approx(mcnemar(table, method=method).pvalue, abs=5e-7)


# ----------------------------------------------------------- formulas by other ways


def newcombe_by_wilson(both, b, c, neither, z):
    """Newcombe's method 10 in the notation of the paper, with scipy's Wilson limits."""
    n = both + b + c + neither
    first, second = both + b, both + c
    level = 1 - 2 * stats.norm.sf(z)
    l1, u1 = stats.binomtest(first, n).proportion_ci(level, "wilson")
    l2, u2 = stats.binomtest(second, n).proportion_ci(level, "wilson")
    product = first * (n - first) * second * (n - second)
    top = both * neither - b * c
    if top > n / 2:
        top -= n / 2
    elif top >= 0:
        top = 0
    phi = 0 if product == 0 else top / math.sqrt(product)
    p1, p2 = first / n, second / n
    low = math.sqrt((p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2)
    high = math.sqrt((u2 - p2) ** 2 - 2 * phi * (u2 - p2) * (p1 - l1) + (p1 - l1) ** 2)
    return p2 - p1 - low, p2 - p1 + high


def test_newcombe_is_wilson_squared_and_added():
    """scipy's Wilson limits of both accuracies give the same interval."""
    for table, level in itertools.product(TABLES, [0.5, 0.95, 0.999]):
        cells = [int(cell) for cell in list(table.to_dict().values())[:4]]
        z = stats.norm.isf((1 - level) / 2)
        expected = [max(-1, min(1, limit)) for limit in newcombe_by_wilson(*cells, z)]

        limits = newcombe_limits(ContingencyTable(*cells), level, "two-sided")

        assert pytest.approx(expected, abs=1e-9) == list(limits)


def test_wilson_limits():
    """Both limits are those of scipy, and a negative quantile exchanges them."""
    for k, z in itertools.product([0, 1, 7, 20], [0.1, 1.96, 3.0]):
        expected = stats.binomtest(k, 20).proportion_ci(1 - 2 * stats.norm.sf(z), "wilson")

        assert pytest.approx(list(expected), abs=1e-12) == list(wilson_limits(k, 20, z))
        assert wilson_limits(k, 20, z) == pytest.approx(wilson_limits(k, 20, -z)[::-1])


def test_wilson_limits_keep_their_digits():
    """One success of very many: z² + 2 ± z sqrt(z² + 4), halved, by n."""
    z = 1.96
    middle, reach = (2 + z * z) / 2, z * math.sqrt(z * z + 4) / 2
    for n in (10, 10**6, 10**12):
        expected = [(middle - reach) / n, (middle + reach) / n]

        assert pytest.approx(expected, rel=10 / n + 1e-13) == list(wilson_limits(1, n, z))


def test_adjusted_wald_intervals_add_records():
    """Agresti and Min add half a record to each cell, Bonett and Price one to two cells."""
    for table in TABLES:
        b, c, n = table.only_champion, table.only_challenger, table.n
        half = wald_limits(b + 0.5, c + 0.5, n + 2, 0.9, "two-sided")
        one = wald_limits(b + 1, c + 1, n + 2, 0.9, "two-sided")

        assert half == limits_by_name(table, "agresti-min", "mid-p")(0.9, "two-sided")
        assert one == limits_by_name(table, "bonett-price", "mid-p")(0.9, "two-sided")


# -------------------------------------------------------------------- what must hold


def test_limits_are_on_the_scale_and_mirrored():
    """Limits lie in [-1, 1], in order; exchanged roles mirror them."""
    for interval, table in itertools.product(NAMED, TABLES):
        for level in (0.5, 0.9, 0.999):
            for alternative, other in zip(ALTERNATIVES, ("two-sided", "greater", "less")):
                low, high = mcnemar(
                    table, interval=interval, alternative=alternative
                ).confidence_interval(level)
                mirrored = mcnemar(
                    table.swap(), interval=interval, alternative=other
                ).confidence_interval(level)

                assert -1 <= low <= high <= 1
                assert (-mirrored.high, -mirrored.low) == pytest.approx(
                    (low, high), abs=1e-12
                )


def test_one_sided_limits_are_those_of_twice_the_tail():
    """A one-sided 95 % limit is a two-sided 90 % limit; the other end is open."""
    for interval, table in itertools.product(NAMED, TABLES):
        low, high = mcnemar(table, interval=interval).limits(0.9, "two-sided")

        assert (low, 1.0) == pytest.approx(
            mcnemar(table, interval=interval).limits(0.95, "greater"), abs=1e-12
        )
        assert (-1.0, high) == pytest.approx(
            mcnemar(table, interval=interval).limits(0.95, "less"), abs=1e-12
        )


def test_one_sided_limits_of_low_levels_are_in_order():
    """Limits of ever lower levels come together and go on beyond the estimate."""
    for interval in NAMED:
        result = mcnemar(TABLES[0], interval=interval)
        lows = [result.limits(level, "greater")[0] for level in np.linspace(0.05, 0.95, 19)]
        highs = [result.limits(level, "less")[1] for level in np.linspace(0.05, 0.95, 19)]

        assert (np.diff(lows) < 0).all()
        assert (np.diff(highs) > 0).all()


def test_fractional_tables_have_them():
    """An averaged table of the same shares gives nearly the interval of whole counts."""
    for interval in FORMULAS:
        halves = ContingencyTable(75.0, 12.5, 7.5, 5.0)
        whole = ContingencyTable(150, 25, 15, 10)

        low, high = mcnemar(
            halves, method="asymptotic", interval=interval
        ).confidence_interval()
        inner_low, inner_high = mcnemar(whole, interval=interval).confidence_interval()

        assert low < inner_low < -0.05 < inner_high < high


def test_interval_does_not_look_at_the_method():
    """TallyRequest for by name, an interval is the same whatever the p-value."""
    for interval, method in itertools.product(
        NAMED, ["asymptotic", "exact", "exact-unconditional"]
    ):
        table = TABLES[1]
        expected = mcnemar(table, interval=interval).limits(0.9, "two-sided")

        assert expected == mcnemar(table, method=method, interval=interval).limits(
            0.9, "two-sided"
        )


# ----------------------------------------------------------------------------- edges


def test_wald_interval_without_discordant_pairs_has_no_width():
    """It says that nothing can differ, and so the result is flagged; others do not."""
    table = ContingencyTable(40, 0, 0, 10)
    result = mcnemar(table, interval="wald")

    assert (0.0, 0.0) == result.confidence_interval()
    assert result.degenerate
    for interval in ("agresti-min", "bonett-price", "newcombe", "score"):
        low, high = mcnemar(table, interval=interval).confidence_interval()
        assert low < -0.03
        assert 0.03 < high


def test_wald_interval_is_liberal():
    """Of 20 records, of which few are discordant, it covers 7 of 10 differences."""
    n, shares = 20, (0.01, 0.06)
    covered = dict.fromkeys(FORMULAS, 0.0)
    for b in range(n + 1):
        for c in range(n + 1 - b):
            rest = n - b - c
            likely = stats.multinomial.pmf([b, c, rest], n, [*shares, 1 - sum(shares)])
            table = ContingencyTable(rest - rest // 2, b, c, rest // 2)
            for interval in FORMULAS:
                low, high = mcnemar(table, interval=interval).limits(0.95, "two-sided")
                covered[interval] += likely * (low <= shares[1] - shares[0] <= high)

    assert 0.71 == pytest.approx(covered["wald"], abs=0.01)
    assert min(covered[name] for name in FORMULAS[1:]) > 0.95
