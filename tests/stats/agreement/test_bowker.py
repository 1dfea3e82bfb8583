"""Bowker's test of symmetry: published numbers, edges, and the pairs it is made of.

`agreement.json` has figures of statsmodels (`SquareTable(shift_zeros=False).symmetry`), R
`mcnemar.test` and `contingencytables::McNemarBowker_test_paired_cxc`; `bowker_df` counts
all pairs of classes there, and `bowker_df_nonzero_pairs` those with records.
"""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import adjust_pvalues, bowker, mcnemar
from tests.common.golden import golden

GOLDEN = golden("agreement")
CASES = [case for case in GOLDEN["matrices"] if "marginal" in case]
REGULAR = [c for c in CASES if not c["marginal"]["bowker_stat"].get("degenerate")]
DEGENERATE = [c for c in CASES if c["marginal"]["bowker_stat"].get("degenerate")]
WORKED = [[70, 6, 4], [10, 55, 5], [8, 7, 35]]


def matrix_of(counts, classes=None):
    return AgreementMatrix(counts, range(len(counts)) if classes is None else classes)


def enumerated_pvalue(counts):
    """P(statistic at least as large), over all tables with the same pairs, in fractions."""
    counts = np.array(counts)
    pairs = [
        (int(counts[j, k]), int(counts[k, j]))
        for j, k in zip(*np.triu_indices(len(counts), 1))
    ]
    pairs = [pair for pair in pairs if sum(pair)]
    common = math.lcm(*(sum(pair) for pair in pairs))

    def statistic(differences):
        return sum(
            d * d * (common // sum(pair))
            for d, pair in zip(differences, pairs, strict=True)
        )

    observed = statistic([one - other for one, other in pairs])
    as_large = 0
    for forward in product(*(range(sum(pair) + 1) for pair in pairs)):
        differences = [2 * x - sum(pair) for x, pair in zip(forward, pairs, strict=True)]
        if statistic(differences) >= observed:
            as_large += math.prod(
                math.comb(sum(pair), x) for x, pair in zip(forward, pairs, strict=True)
            )
    return as_large / 2 ** sum(sum(pair) for pair in pairs)


# ------------------------------------------------------- other people's numbers


def test_bowker_of_independent_packages():
    """R, statsmodels and contingencytables agree, with either degrees of freedom."""
    for case in REGULAR:
        figures = case["marginal"]
        matrix = matrix_of(case["counts"])

        full, informative = bowker(matrix, df="full"), bowker(matrix)

        for result in (full, informative):
            assert figures["bowker_stat"]["value"] == pytest.approx(
                result.statistic, rel=1e-10, abs=1e-13
            )
        assert figures["bowker_df"]["value"] == full.df
        assert figures["bowker_p"]["value"] == pytest.approx(full.pvalue, rel=1e-10)
        assert figures["bowker_df_nonzero_pairs"]["value"] == informative.df
        assert figures["bowker_p_nonzero_pairs"]["value"] == pytest.approx(
            informative.pvalue, rel=1e-10
        )


def test_identical_predictions_of_golden_cases():
    """Packages give NaN or 0 there; here nothing differs, so p is 1."""
    for case in DEGENERATE:
        for method in ("asymptotic", "exact"):
            result = bowker(matrix_of(case["counts"]), method=method)

            assert (0, 1, 0) == (*result, result.df)
            assert result.degenerate
            assert () == result.parts


def test_worked_example():
    """The textbook's example 14.10, term by term."""
    example = GOLDEN["worked"]["14.10-bowker"]
    result = bowker(matrix_of(WORKED, ["a", "b", "c"]))

    assert example["value"]["statistic"] == pytest.approx(result.statistic, rel=1e-14)
    assert example["value"]["df"] == result.df
    assert example["value"]["pvalue"] == pytest.approx(result.pvalue, rel=1e-12)
    terms = [part["contribution"] for part in result.parts]
    assert sorted(example["value"]["terms"]) == pytest.approx(sorted(terms), rel=1e-14)
    assert 10 / 200 == result.estimate


def test_exact_pvalue_of_the_worked_example():
    """Reference value by full enumeration."""
    expected = GOLDEN["reference"]["A-symmetry-exact"]["value"]["p_bowker"]

    result = bowker(matrix_of(WORKED), method="exact")

    assert expected == pytest.approx(result.pvalue, rel=1e-12)
    assert 8 / 3 == pytest.approx(result.statistic)


def test_odds_of_a_pair_of_independent_packages():
    """scipy, exact2x2, R and others agree on exact limits of discordant odds."""
    for case in GOLDEN["odds"]:
        one, other = case["counts"]
        parts = bowker(matrix_of([[5, one], [other, 5]])).parts
        if one + other == 0:
            assert () == parts
            continue

        for end in ("low", "high"):
            figure = case[end]
            assert figure["value"] == pytest.approx(parts[0][end], rel=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [(25, 15, 0.845069, 3.400194), (12, 2, 1.335744, 55.197091)],
)
def test_published_odds_of_a_pair(one, other, low, high):
    """A worked example, and one of StatsDirect's manual."""
    part = bowker(matrix_of([[0, one], [other, 0]])).parts[0]

    assert one / other == part["odds_ratio"]
    assert (low, high) == pytest.approx((part["low"], part["high"]), abs=1e-6)


# ------------------------------------------------------------------ exact p-value


def test_exact_pvalue_by_enumeration():
    """All tables with the same pairs are gone through, in whole numbers."""
    rng = np.random.default_rng(0)
    for n_classes, largest in ((2, 30), (3, 6), (3, 12), (4, 3)):
        counts = rng.integers(largest, size=(n_classes, n_classes))

        result = bowker(matrix_of(counts), method="exact")

        assert enumerated_pvalue(counts) == pytest.approx(result.pvalue, rel=1e-11)


def test_exact_pvalue_of_two_classes_is_binomial():
    """One pair is a binomial test."""
    for one, other, tolerance in [
        (7, 3, 1e-12),
        (60, 11, 1e-12),
        (400, 20, 1e-11),
        (300_000, 299_000, 1e-7),
    ]:
        expected = mcnemar(ContingencyTable(0, one, other, 0), method="exact")

        result = bowker(matrix_of([[5, one], [other, 9]]), method="exact")

        assert expected.log_pvalue == pytest.approx(result.log_pvalue, rel=tolerance)


def test_exact_pvalue_beyond_the_smallest_double():
    """3000 records that go one way: twice the probability of each."""
    result = bowker(matrix_of([[5, 3000], [0, 9]]), method="exact")

    assert -2999 * math.log(2) == pytest.approx(result.log_pvalue, rel=1e-12)
    assert 0 < result.pvalue


def test_exact_pvalue_of_many_pairs():
    """45 pairs of a few records each; the largest statistic there is has a closed form."""
    counts = np.zeros((10, 10), dtype=int)
    first, second = np.triu_indices(10, 1)
    sizes = np.arange(45) % 6 + 1
    counts[first, second] = sizes

    result = bowker(matrix_of(counts), method="exact")

    # All records go one way, which each pair has two ways of, those of one record both.
    expected = (sizes > 1).sum() - sizes[sizes > 1].sum()
    assert expected * math.log(2) == pytest.approx(result.log_pvalue, rel=1e-12)


def test_exact_pvalue_that_takes_too_long():
    """The error names the test that approximates it."""
    for counts in (
        np.full((12, 12), 57) + np.arange(12)[:, None],
        [[0, 3_000_000], [0, 0]],
    ):
        with pytest.raises(
            ValueError, match=r"symmetry_permutation\(matrix, statistic='bowker'"
        ):
            bowker(matrix_of(counts), method="exact")


# ---------------------------------------------------------------------- the parts


def test_parts_describe_the_pairs():
    """Labels are plain values, p-values binomial, adjusted by Holm, largest first."""
    counts = [[9, 9, 0, 3], [1, 9, 4, 0], [0, 2, 9, 0], [8, 0, 0, 9]]
    result = bowker(matrix_of(counts, list("abcd")))
    ordered = [part["contribution"] for part in result.parts]
    expected = [
        ("a", "b", 9, 1),
        ("a", "d", 3, 8),
        ("b", "c", 4, 2),
    ]

    assert sorted(ordered, reverse=True) == ordered
    assert expected == [
        (part["champion"], part["challenger"], part["count"], part["reverse_count"])
        for part in result.parts
    ]
    pvalues = [stats.binomtest(row[2], row[2] + row[3]).pvalue for row in expected]
    assert pvalues == pytest.approx([part["pvalue"] for part in result.parts])
    assert adjust_pvalues(pvalues).tolist() == pytest.approx(
        [part["adjusted_pvalue"] for part in result.parts]
    )
    assert 3 == result.df == result.details["informative_pairs"]
    assert 27 == result.details["disagreements"]
    assert (8 + 5 + 2) / result.n == result.estimate


def test_number_of_parts():
    """The first parts are the same, adjusted over all pairs."""
    for most in [0, 1, 2, 50]:
        every, some = (bowker(matrix_of(WORKED), max_pairs=n).parts for n in (50, most))

        assert every[:most] == some


def test_a_one_sided_pair_has_infinite_odds():
    """A direction that does not occur: odds 0 or infinite, with one limit."""
    never, always = (
        bowker(matrix_of(counts)).parts[0]
        for counts in ([[1, 0], [6, 1]], [[1, 6], [0, 1]])
    )

    assert (0, 0) == (never["odds_ratio"], never["low"])
    assert (math.inf, math.inf) == (always["odds_ratio"], always["high"])
    assert 1 / never["high"] == pytest.approx(always["low"])


def test_thousand_classes():
    """All pairs of a thousand classes are tested at once; ten are shown."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, size=(1000, 1000))
    counts[3, 5] = 40

    result = bowker(matrix_of(counts))

    assert result.df > 300_000
    assert 10 == len(result.parts)
    first = result.parts[0]
    assert (3, 5) == (first["champion"], first["challenger"])
    assert 1e-6 < first["adjusted_pvalue"] / result.df / first["pvalue"] <= 1 + 1e-12


# -------------------------------------------------------------------- edge cases


def test_two_classes_are_not_mcnemar():
    """Equal label rates and unequal accuracies: Bowker's p is 1, McNemar's 2e-6."""
    example = GOLDEN["reference"]["A-bowker-vs-mcnemar-trap"]["value"]
    truth = np.repeat([1, 0], 60)
    first = truth.copy()
    first[:10], first[60:70] = 0, 1

    labels = AgreementMatrix.from_predictions(first, truth)
    table = ContingencyTable.from_predictions(truth, first, truth)

    assert example["agreement"] == labels.counts.tolist()
    assert example["bowker_statistic"] == bowker(labels).statistic
    assert example["bowker_p"] == bowker(labels).pvalue
    assert example["mcnemar_exact_p"] == pytest.approx(
        mcnemar(table, method="exact").pvalue, rel=1e-12
    )


def test_symmetric_table_is_not_degenerate():
    """Disagreements that balance are evidence of symmetry."""
    result = bowker(matrix_of([[5, 20, 30], [20, 5, 40], [30, 40, 5]]))

    assert (0, 1, 3) == (*result, result.df)
    assert not result.degenerate


def test_unused_class():
    """A class that neither gives adds a degree of freedom to "full" only."""
    result = bowker(matrix_of([[20, 15, 0], [3, 15, 0], [0, 0, 0]]))
    full = bowker(matrix_of([[20, 15, 0], [3, 15, 0], [0, 0, 0]]), df="full")

    assert (1, 3) == (result.df, full.df)
    assert 8 == result.statistic == full.statistic
    assert result.pvalue < full.pvalue


def test_few_disagreements_are_flagged():
    """Cochran's rule; the exact p-value needs no flag."""
    for counts, flagged in [
        ([[5, 5], [4, 5]], True),
        ([[5, 5], [5, 5]], False),
        ([[5, 30, 1], [30, 5, 20], [0, 20, 5]], True),
        ([[5, 30, 12], [30, 5, 20], [9, 20, 5]], False),
    ]:
        assert flagged == ("few-disagreements" in bowker(matrix_of(counts)).flags)
        assert () == bowker(matrix_of(counts), method="exact").flags


def test_other_names_and_order_of_classes():
    """Relabelled classes keep statistic, p and asymmetry."""
    for method in ("asymptotic", "exact"):
        rng = np.random.default_rng(1)
        counts = rng.integers(12, size=(4, 4))
        expected = bowker(matrix_of(counts), method=method)

        for _ in range(5):
            order = rng.permutation(4)
            result = bowker(
                matrix_of(counts[np.ix_(order, order)], list("pqrs")), method=method
            )

            assert expected.statistic == pytest.approx(result.statistic, rel=1e-13)
            assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-11)
            assert expected.estimate == result.estimate


def test_statistic_beyond_the_smallest_double():
    """A huge statistic has a p-value that is not 0, and its logarithm."""
    result = bowker(matrix_of([[0, 4000], [10, 0]]))

    assert 0 < result.pvalue < 1e-300
    expected = math.log(2) + stats.norm.logsf(math.sqrt(result.statistic))
    assert expected == pytest.approx(result.log_pvalue, rel=1e-12)
    assert 0 < result.parts[0]["pvalue"] <= result.parts[0]["adjusted_pvalue"] < 1e-300
