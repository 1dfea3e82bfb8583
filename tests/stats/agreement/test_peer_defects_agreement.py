"""Faults of other libraries in tests of agreement and symmetry, on the same inputs.

Each test names what is wrong elsewhere; the correct prediction is asserted here.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import (
    bhapkar,
    bowker,
    cohen_kappa,
    error_kappa,
    stuart_maxwell,
    symmetry_permutation,
)


def matrix_of(counts):
    return AgreementMatrix(counts, range(len(counts)))


def test_one_zero_cell():
    """Elsewhere zero cells become 0.5 by default, and 3.5 turns into 2.29."""
    result = bowker(matrix_of([[10, 0, 1], [3, 10, 3], [1, 5, 10]]))

    assert 3.5 == result.statistic


def test_evidence_is_not_written_to():
    """Elsewhere the zeros of the caller's own array become 0.5."""
    counts = np.array([[10.0, 0.0], [3.0, 10.0]])

    for test in (bowker, stuart_maxwell, bhapkar, cohen_kappa, symmetry_permutation):
        test(AgreementMatrix(counts, [0, 1]))

    assert [[10.0, 0.0], [3.0, 10.0]] == counts.tolist()


def test_pairs_without_records_have_no_degree_of_freedom():
    """Elsewhere an unused class gives df 3 and p 0.73."""
    counts = [[20, 5, 0], [2, 15, 0], [0, 0, 0]]
    result = bowker(matrix_of(counts))

    assert 1 == result.df
    assert stats.chi2.sf(9 / 7, 1) == pytest.approx(result.pvalue)
    # Only on request is it counted.
    assert 0.732528123940765 == pytest.approx(bowker(matrix_of(counts), df="full").pvalue)


def test_identical_raters():
    """Elsewhere the statistic is NaN, with a warning of a singular matrix."""
    for test in [stuart_maxwell, bhapkar, bowker, symmetry_permutation]:
        result = test(matrix_of(np.diag([20, 15, 12])))

        assert (0, 1) == tuple(result)
        assert result.degenerate


@pytest.mark.parametrize("test", [stuart_maxwell, bhapkar])
def test_singular_blocks(test):
    """Elsewhere df is 3, and p 0.134 or 0.126, though only two rates are free."""
    result = test(matrix_of([[50, 10, 0, 0], [4, 50, 0, 0], [0, 0, 50, 3], [0, 0, 9, 50]]))

    assert 2 == result.df
    assert stats.chi2.sf(result.statistic, 2) == pytest.approx(result.pvalue)
    assert 0.0550 < result.pvalue < 0.0617


def test_unused_class_of_marginal_homogeneity():
    """Elsewhere df is 2 and p 0.526 for two classes, because a third exists."""
    result = stuart_maxwell(matrix_of([[20, 5, 0], [2, 15, 0], [0, 0, 0]]))

    assert 1 == result.df
    assert stats.chi2.sf(9 / 7, 1) == pytest.approx(result.pvalue)


def test_far_tail_of_marginal_homogeneity():
    """Elsewhere p is 1 - cdf, 0 for a statistic of 394."""
    result = stuart_maxwell(matrix_of([[0, 400], [2, 0]]))

    assert stats.chi2.sf(398**2 / 402, 1) == pytest.approx(result.pvalue, rel=1e-10)
    assert 0 < result.pvalue


def test_classes_with_equal_rates_stay_in():
    """Elsewhere a class whose rates match is dropped with its disagreements."""
    matched = np.array([[20, 9, 12], [14, 20, 8], [4, 13, 20]])
    assert matched.sum(axis=1)[1] == matched.sum(axis=0)[1]
    result = stuart_maxwell(matrix_of(matched))

    # By hand: d = (3, 0, -3), V = [[39, -23], [-23, 44]] without the last class.
    assert 2 == result.df
    assert 9 * 44 / (39 * 44 - 23**2) == pytest.approx(result.statistic, rel=1e-14)
    dropped = np.delete(np.delete(matched, 1, axis=0), 1, axis=1)
    assert stuart_maxwell(matrix_of(dropped)).statistic != pytest.approx(result.statistic)


def test_upper_limit_of_kappa():
    """Elsewhere the upper limits of near-perfect tables are 1.28, 1.19, 1.09 and 1.14."""
    for counts, interval in itertools.product(
        [(19, 1, 0, 1), (50, 0, 1, 2), (95, 1, 1, 3), (10, 1, 0, 4)], ["agreeing", "wald"]
    ):
        result = error_kappa(ContingencyTable(*counts), interval=interval)

        for level in (0.8, 0.95, 0.9999):
            low, high = result.confidence_interval(level)
            assert -1 <= low < result.estimate < high <= 1


def test_single_class_of_kappa():
    """Elsewhere NaN without a word; here NaN with one, and 0 where one rater varies."""
    one_class = cohen_kappa(matrix_of([[5, 0], [0, 0]]))

    assert math.isnan(one_class.estimate)
    assert "undefined-kappa" in one_class.flags
    constant = cohen_kappa(matrix_of([[5, 3], [0, 0]]))
    assert (0, 1) == (constant.estimate, constant.pvalue)
    assert constant.degenerate


def test_sum_of_differences_is_no_excuse():
    """Elsewhere p is 1 if the first differences of label counts happen to sum to 0."""
    counts = [[5, 30, 0], [2, 5, 0], [0, 0, 5]]
    result = stuart_maxwell(matrix_of(counts))

    assert 28**2 / 32 == pytest.approx(result.statistic)
    assert result.pvalue < 1e-5
