"""Stuart-Maxwell and Bhapkar: published numbers, singular variances, and class by class.

`agreement.json` has figures of statsmodels (`SquareTable(shift_zeros=False).homogeneity`)
and R: contingencytables, `DescTools::StuartMaxwellTest`, `coin::mh_test`.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import bhapkar, mcnemar, stuart_maxwell
from tests.common.golden import golden

GOLDEN = golden("agreement")
CASES = [case for case in GOLDEN["matrices"] if "marginal" in case]
REGULAR = [c for c in CASES if not c["marginal"]["stuart_maxwell_stat"].get("degenerate")]
DEGENERATE = [c for c in CASES if c["marginal"]["stuart_maxwell_stat"].get("degenerate")]
TESTS = {"stuart_maxwell": stuart_maxwell, "bhapkar": bhapkar}
WORKED = [[70, 6, 4], [10, 55, 5], [8, 7, 35]]


def matrix_of(counts, classes=None):
    return AgreementMatrix(counts, range(len(counts)) if classes is None else classes)


def by_pseudo_inverse(counts):
    """The statistic and its degrees of freedom, by brute force."""
    counts = np.asarray(counts, dtype=float)
    difference = counts.sum(axis=1) - counts.sum(axis=0)
    variance = -(counts + counts.T)
    np.fill_diagonal(variance, 0)
    variance -= np.diag(variance.sum(axis=1))
    inverse = np.linalg.pinv(variance, rcond=1e-11, hermitian=True)
    return difference @ inverse @ difference, np.linalg.matrix_rank(variance, tol=1e-9)


def bhapkar_by_contrasts(counts):
    """Bhapkar's statistic from the unrestricted covariance of all but one class."""
    shares = np.asarray(counts, dtype=float) / np.sum(counts)
    difference = (shares.sum(axis=1) - shares.sum(axis=0))[:-1]
    covariance = (np.diag(shares.sum(axis=1) + shares.sum(axis=0)) - shares - shares.T)[
        :-1, :-1
    ] - np.outer(difference, difference)
    return np.sum(counts) * difference @ np.linalg.solve(covariance, difference)


# ------------------------------------------------------- other people's numbers


def test_statistics_of_independent_packages():
    """R and statsmodels agree on statistic, degrees of freedom and p-value."""
    for name, case in itertools.product(TESTS, REGULAR):
        figures = case["marginal"]

        result = TESTS[name](matrix_of(case["counts"]))

        assert figures[f"{name}_stat"]["value"] == pytest.approx(
            result.statistic, rel=1e-10, abs=1e-13
        )
        assert figures[f"{name}_df"]["value"] == result.df
        assert figures[f"{name}_p"]["value"] == pytest.approx(result.pvalue, rel=1e-10)


def test_identical_predictions_of_golden_cases():
    """Packages give NaN or an error there; here nothing differs, so p is 1."""
    for name, case in itertools.product(TESTS, DEGENERATE):
        result = TESTS[name](matrix_of(case["counts"]))

        assert (0, 1, 0) == (*result, result.df)
        assert ("degenerate",) == result.flags
        assert () == result.parts


def test_worked_example():
    """29/11 of the textbook's table, which prints 2.0."""
    example = GOLDEN["worked"]["14.10-stuart-maxwell"]
    reference = GOLDEN["reference"]["A-marginal-homogeneity"]["value"]
    matrix = matrix_of(example["inputs"]["N"])

    score, wald = stuart_maxwell(matrix), bhapkar(matrix)

    assert float(Fraction(29, 11)) == pytest.approx(score.statistic, rel=1e-14)
    assert 0.26762144432855794 == pytest.approx(score.pvalue, rel=1e-10)
    assert reference["stuart_maxwell"] == pytest.approx(score.statistic, rel=1e-12)
    assert reference["bhapkar"] == pytest.approx(wald.statistic, rel=1e-12)
    assert reference["df"] == score.df == wald.df
    assert "wrong" == example["status"]
    assert example["printed"]["statistic"] != pytest.approx(score.statistic, rel=0.1)


def test_two_groups_of_classes():
    """Groups that are never confused with each other add up, with a df each."""
    reference = GOLDEN["reference"]["A-SM-disconnected"]
    result = stuart_maxwell(matrix_of(reference["inputs"]["N"]))
    groups = [
        mcnemar(ContingencyTable(0, b, c, 0), method="asymptotic").statistic
        for b, c in ((10, 4), (3, 9))
    ]

    assert reference["value"]["statistic"] == pytest.approx(result.statistic, rel=1e-12)
    assert sum(groups) == pytest.approx(result.statistic, rel=1e-14)
    assert reference["value"]["df"] == result.df
    assert reference["value"]["pvalue"] == pytest.approx(result.pvalue, rel=1e-10)


# -------------------------------------------------------------------- by hand


def test_statistic_by_pseudo_inverse():
    """Brute force finds statistic and rank, in sparse tables with unused classes too."""
    rng = np.random.default_rng(0)
    ranks = set()
    for n_classes in (2, 3, 5, 8):
        for density in (0.15, 0.4, 5.0):
            counts = rng.poisson(density, size=(n_classes, n_classes))
            counts[0, 0] += 1
            statistic, rank = by_pseudo_inverse(counts)

            result = stuart_maxwell(matrix_of(counts))

            assert statistic == pytest.approx(result.statistic, rel=1e-9, abs=1e-9)
            assert rank == result.df
            ranks.add(n_classes - rank)
    assert ranks >= {1, 2, 3}


def test_bhapkar_by_unrestricted_covariance():
    """Bhapkar's own definition gives the same statistic."""
    rng = np.random.default_rng(1)
    for n_classes in (2, 3, 6):
        counts = rng.integers(1, 30, size=(n_classes, n_classes))

        result = bhapkar(matrix_of(counts))

        assert bhapkar_by_contrasts(counts) == pytest.approx(result.statistic, rel=1e-10)
        assert stats.chi2.sf(result.statistic, n_classes - 1) == pytest.approx(
            result.pvalue
        )


def test_counts_of_very_different_size():
    """Weights from 1 to a hundred million lose no digits."""
    counts = [[0, 100_000_000, 1], [99_990_000, 0, 3], [0, 1, 5]]
    b, c = 100_000_000, 99_990_000
    # By hand: class 2 left out, the variance of the others is a 2 by 2 matrix.
    v00, v11, v01 = b + c + 1, b + c + 4, -(b + c)
    d0, d1 = b + 1 - c, c + 3 - b - 1
    exact = Fraction(
        d0 * d0 * v11 - 2 * d0 * d1 * v01 + d1 * d1 * v00, v00 * v11 - v01 * v01
    )

    assert float(exact) == pytest.approx(
        stuart_maxwell(matrix_of(counts)).statistic, rel=1e-12
    )


# -------------------------------------------------------------------- edge cases


@pytest.mark.parametrize(
    "counts",
    [[[0, 5], [0, 0]], [[0, 1], [0, 0]], [[0, 0, 0], [0, 0, 7], [0, 0, 0]]],
)
def test_all_records_go_one_way(counts):
    """Bhapkar's variance is 0: an infinite statistic, p undefined; the score has one."""
    score, wald = stuart_maxwell(matrix_of(counts)), bhapkar(matrix_of(counts))
    n = np.sum(counts)

    assert n == pytest.approx(score.statistic)
    assert stats.chi2.sf(n, 1) == pytest.approx(score.pvalue)
    assert math.inf == wald.statistic
    assert math.isnan(wald.pvalue)
    assert "zero-variance" in wald.flags
    assert 1 == wald.estimate


def test_chain_that_goes_one_way():
    """Classes in a row, each record one step up: Bhapkar's variance is 0 here too."""
    counts = np.diag([400, 250, 7], k=1)

    assert math.inf == bhapkar(matrix_of(counts)).statistic
    counts[0, 2] = 1
    assert math.isfinite(bhapkar(matrix_of(counts)).statistic)


def test_one_record_on_the_diagonal_makes_bhapkar_finite():
    """Of a million records one agreement leaves a variance, and a huge statistic."""
    result = bhapkar(matrix_of([[1, 999_999], [0, 0]]))

    assert 999_999 / (1 - 999_999 / 1_000_000) == pytest.approx(result.statistic, rel=1e-6)
    assert 0 < result.pvalue < 1e-300


def test_equal_rates_with_disagreements():
    """A cycle keeps all rates: statistic 0 and p 1, with degrees of freedom."""
    for test in TESTS.values():
        result = test(matrix_of([[9, 12, 0], [0, 9, 12], [12, 0, 9]]))

        assert (0, 1, 2) == (*result, result.df)
        assert not result.degenerate
        assert 0 == result.estimate


def test_few_disagreements_are_flagged():
    """Fewer than 25 records with different labels."""
    for test in TESTS.values():
        assert ("few-disagreements",) == test(matrix_of([[90, 14], [10, 80]])).flags
        assert () == test(matrix_of([[90, 14], [11, 80]])).flags


def test_few_disagreements_for_many_classes_are_flagged():
    """Fewer than 5 for each degree of freedom, which groups of classes have fewer of."""
    for n_groups in (1, 3):
        size, df = 12 // n_groups, 12 - n_groups
        enough = np.zeros((12, 12), dtype=int)
        for group in np.arange(12).reshape(n_groups, size):
            enough[group, np.roll(group, 1)] = 1
        enough[0, 1] += 5 * df - enough.sum()
        np.fill_diagonal(enough, 9)
        too_few = enough.copy()
        too_few[0, 1] -= 1

        for test in TESTS.values():
            result = test(matrix_of(enough))
            assert (df, 5 * df) == (result.df, result.details["disagreements"])
            assert () == result.flags
            assert ("few-disagreements",) == test(matrix_of(too_few)).flags


@pytest.mark.slow
def test_bhapkar_rejects_too_often_for_many_classes():
    """Pairs of classes with a record each make the score n alike, whichever way they go.

    Its size is far above 0.05 there, and the score test's below.
    """
    rng = np.random.default_rng(4)
    n_classes, n, draws = 100, 400, 150
    rates = 1 / np.arange(1, n_classes + 1)
    rates /= rates.sum()
    rejected = dict.fromkeys(TESTS, 0)
    for _ in range(draws):
        first = rng.choice(n_classes, size=n, p=rates)
        other = rng.choice(n_classes, size=n, p=rates)
        second = np.where(rng.random(n) < 0.4, other, first)
        matrix = AgreementMatrix.from_predictions(first, second)
        for name, test in TESTS.items():
            result = test(matrix, max_classes=0)
            rejected[name] += result.pvalue < 0.05
            assert ("few-disagreements",) == result.flags

    assert rejected["bhapkar"] > 0.12 * draws
    assert rejected["stuart_maxwell"] <= 0.05 * draws


def test_other_names_and_order_of_classes():
    """Relabelled classes keep statistic, p and distance."""
    for test in TESTS.values():
        rng = np.random.default_rng(2)
        counts = rng.poisson(4, size=(5, 5))
        expected = test(matrix_of(counts))

        for _ in range(5):
            order = rng.permutation(5)
            result = test(matrix_of(counts[np.ix_(order, order)], list("pqrst")))

            assert expected.statistic == pytest.approx(result.statistic, rel=1e-12)
            assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
            assert expected.estimate == result.estimate


def test_two_classes_are_mcnemar_of_labels():
    """One degree of freedom: McNemar's chi-squared of the two labels."""
    result = stuart_maxwell(matrix_of([[50, 12], [5, 33]]))

    expected = mcnemar(ContingencyTable(50, 12, 5, 33), method="asymptotic")
    assert expected.statistic == pytest.approx(result.statistic, rel=1e-14)
    assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert abs(expected.estimate) == pytest.approx(result.estimate)


# ---------------------------------------------------------------------- the parts


def test_parts_describe_the_classes():
    """Rates by role, challenger - champion, simultaneous Tango intervals."""
    result = stuart_maxwell(matrix_of(WORKED, ["a", "b", "c"]))

    assert ["a", "c", "b"] == [part["label"] for part in result.parts]
    assert [0.04, -0.03, -0.01] == pytest.approx(
        [part["difference"] for part in result.parts]
    )
    assert (0.4, 0.44) == (result.parts[0]["champion"], result.parts[0]["challenger"])
    # Class a against the rest is a 2 × 2 table, at 1 - 0.05 / 3.
    one = mcnemar(ContingencyTable(70, 10, 18, 102), method="asymptotic")
    assert one.confidence_interval(1 - 0.05 / 3) == pytest.approx(
        (result.parts[0]["low"], result.parts[0]["high"])
    )
    assert 0.04 == pytest.approx(result.estimate)


def test_parts_leave_out_classes_without_disagreement():
    """A class on which both always agree is no comparison, and none is adjusted for it."""
    with_third = [[50, 12, 0], [5, 33, 0], [0, 0, 40]]
    result = stuart_maxwell(matrix_of(with_third))

    assert {0, 1} == {part["label"] for part in result.parts}
    one = mcnemar(ContingencyTable(50, 12, 5, 73), method="asymptotic")
    assert one.confidence_interval(0.975) == pytest.approx(
        next((part["low"], part["high"]) for part in result.parts if part["label"] == 0)
    )


def test_number_of_parts():
    """The first parts are the same, adjusted over all classes."""
    for test in TESTS.values():
        every = test(matrix_of(WORKED)).parts

        for most in (0, 1, 2, 50):
            assert every[:most] == test(matrix_of(WORKED), max_classes=most).parts
        with pytest.raises(
            ValueError, match="`max_classes` must be an integer of at least 0"
        ):
            test(matrix_of(WORKED), max_classes=-1)


def test_thousand_classes():
    """A thousand classes in groups of ten, as if each group were compared for itself."""
    rng = np.random.default_rng(3)
    counts = np.zeros((1000, 1000), dtype=int)
    expected, df = 0.0, 0
    for start in range(0, 1000, 10):
        group = slice(start, start + 10)
        counts[group, group] = rng.poisson(0.3, size=(10, 10))
        statistic, rank = by_pseudo_inverse(counts[group, group])
        expected, df = expected + statistic, df + rank

    result = stuart_maxwell(matrix_of(counts))

    assert df == result.df < 900
    assert expected == pytest.approx(result.statistic, rel=1e-10)
    assert 10 == len(result.parts)
