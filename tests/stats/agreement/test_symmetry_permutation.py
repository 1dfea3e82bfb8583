"""The permutation test of symmetry: exact distributions by enumeration, and draws."""

import itertools
import math
from functools import reduce
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skcompare.evidence import AgreementMatrix, ContingencyTable
from skcompare.stats import bowker, mcnemar, stuart_maxwell, symmetry_permutation
from skcompare.stats.agreement import _symmetry
from tests.common.golden import golden

REFERENCE = golden("agreement")["reference"]["A-symmetry-exact"]
STATISTICS = ("total-asymmetry", "bowker", "stuart-maxwell")
WORKED = [[70, 6, 4], [10, 55, 5], [8, 7, 35]]


def matrix_of(counts, classes=None):
    return AgreementMatrix(counts, range(len(counts)) if classes is None else classes)


def pairs_of(counts):
    first, second = np.triu_indices(len(counts), 1)
    forward, backward = np.array(counts)[first, second], np.array(counts)[second, first]
    return first, second, forward, backward


def statistic_of(name, counts):
    """The statistic, from its definition."""
    counts = np.array(counts, dtype=float)
    _, _, forward, backward = pairs_of(counts)
    if name == "total-asymmetry":
        return float(np.abs(forward - backward).sum())
    if name == "bowker":
        seen = forward + backward > 0
        return float(((forward - backward)[seen] ** 2 / (forward + backward)[seen]).sum())
    difference = counts.sum(axis=1) - counts.sum(axis=0)
    variance = -(counts + counts.T)
    np.fill_diagonal(variance, 0)
    variance -= np.diag(variance.sum(axis=1))
    return float(difference @ np.linalg.pinv(variance, hermitian=True) @ difference)


def enumerated_pvalue(name, counts):
    """P(statistic at least as large), table after table."""
    first, second, forward, backward = pairs_of(counts)
    totals = (forward + backward).tolist()
    observed = statistic_of(name, counts)
    as_large = 0
    for drawn in product(*(range(total + 1) for total in totals)):
        table = np.zeros((len(counts),) * 2)
        table[first, second] = drawn
        table[second, first] = np.subtract(totals, drawn)
        if statistic_of(name, table) >= observed - 1e-9:
            ways = (math.comb(total, x) for total, x in zip(totals, drawn, strict=True))
            as_large += math.prod(ways)
    return as_large / 2 ** sum(totals)


def convolved(totals):
    """Tables with each sum of |2X - t|, by convolution in whole numbers."""

    def folded(total):
        ways = [0] * (total + 1)
        for x in range(total + 1):
            ways[abs(2 * x - total)] += math.comb(total, x)
        return np.array(ways, dtype=object)

    return reduce(np.convolve, map(folded, totals)).tolist()


# ------------------------------------------------------------- exact p-values


def test_exact_pvalues_of_the_worked_example():
    """Reference values by full enumeration; the textbook's Monte Carlo p is about 0.4."""
    total = symmetry_permutation(matrix_of(WORKED))
    other = symmetry_permutation(matrix_of(WORKED), statistic="bowker")

    assert 10 == total.statistic
    assert REFERENCE["value"]["p_S"] == pytest.approx(total.pvalue, rel=1e-12)
    assert 8 / 3 == pytest.approx(other.statistic)
    assert REFERENCE["value"]["p_bowker"] == pytest.approx(other.pvalue, rel=1e-12)
    assert "total-asymmetry, exact" == total.method
    assert "bowker, exact" == other.method


def test_exact_pvalues_by_enumeration():
    """All tables with the same disagreements, with empty pairs and unused classes."""
    for statistic in STATISTICS:
        rng = np.random.default_rng(0)
        sizes = [(2, 25), (3, 7), (3, 3), (4, 2)]
        tables = [rng.integers(largest, size=(k, k)) for k, largest in sizes]
        tables.append(np.array([[1, 4, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 3, 0, 2]]))
        for counts in tables:
            result = symmetry_permutation(
                matrix_of(counts), statistic=statistic, method="exact"
            )

            assert statistic_of(statistic, counts) == pytest.approx(
                result.statistic, abs=1e-12
            )
            assert enumerated_pvalue(statistic, counts) == pytest.approx(
                result.pvalue, rel=1e-11
            )


def test_small_pvalues_keep_their_digits():
    """Convolution in whole numbers, from the middle to where doubles end."""
    totals = [1, 2, 2, 5, 33, 33, 80, 147, 300, 480]
    ways = convolved(totals)
    for share in [0.5, 0.55, 0.7, 0.9, 0.99, 1.0]:
        forward = [round(share * total) for total in totals]
        counts = np.zeros((5, 5), dtype=int)
        first, second = np.triu_indices(5, 1)
        counts[first, second] = forward
        counts[second, first] = np.subtract(totals, forward)

        result = symmetry_permutation(matrix_of(counts))

        # Logarithms of whole numbers that are no doubles.
        expected = math.log(sum(ways[int(result.statistic) :])) - math.log(2 ** sum(totals))
        assert expected == pytest.approx(result.log_pvalue, rel=1e-12, abs=1e-11)
        assert 0 < result.pvalue <= 1


def test_two_classes_are_an_exact_binomial_test():
    """One pair of classes, by every statistic, as McNemar's exact test of it."""
    for one, other in ((9, 2), (5, 5), (40, 4), (900, 100)):
        expected = mcnemar(ContingencyTable(0, one, other, 0), method="exact")
        for statistic in STATISTICS:
            result = symmetry_permutation(
                matrix_of([[3, one], [other, 8]]), statistic=statistic, method="exact"
            )

            assert expected.log_pvalue == pytest.approx(
                result.log_pvalue, rel=1e-10, abs=1e-12
            )


def test_exact_pvalue_of_very_many_disagreements():
    """Twenty thousand disagreements are close to what the normal law says."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(220, size=(10, 10))
    result = symmetry_permutation(matrix_of(counts))
    _, _, forward, backward = pairs_of(counts)
    totals = forward + backward
    mean = np.sqrt(2 * totals / np.pi).sum()
    spread = math.sqrt((totals * (1 - 2 / np.pi)).sum())

    assert "total-asymmetry, exact" == result.method
    assert result.details["disagreements"] > 19_000
    expected = stats.norm.sf((result.statistic - mean) / spread)
    assert expected == pytest.approx(result.pvalue, abs=0.02)


def test_exact_and_chi_squared_pvalues_meet():
    """With many disagreements Bowker's exact p is that of chi-squared."""
    matrix = matrix_of([[0, 330, 280], [290, 0, 300], [310, 260, 0]])

    exact = symmetry_permutation(matrix, statistic="bowker")

    assert "bowker, exact" == exact.method
    assert bowker(matrix).pvalue == pytest.approx(exact.pvalue, rel=0.02)
    assert bowker(matrix, method="exact").pvalue == exact.pvalue


# --------------------------------------------------------------------- the draws


def test_draws_agree_with_the_exact_pvalue():
    """Monte Carlo is within four of its standard errors, with few and with many pairs."""
    for statistic in STATISTICS:
        rng = np.random.default_rng(2)
        tables = [np.array(WORKED), rng.poisson(0.25, size=(7, 7))]
        if statistic != "stuart-maxwell":
            # So many equal pairs that they are drawn together.
            tables.append(rng.poisson(0.7, size=(12, 12)))
        for counts in tables:
            exact, drawn = (
                symmetry_permutation(
                    matrix_of(counts),
                    statistic=statistic,
                    method=method,
                    n_resamples=20_000,
                )
                for method in ("exact", "monte-carlo")
            )

            assert exact.statistic == drawn.statistic
            error = drawn.details["monte_carlo_error"]
            assert abs(exact.pvalue - drawn.pvalue) <= 4 * error
            p = drawn.pvalue
            assert math.sqrt(p * (1 - p) / 20_001) == pytest.approx(error)
            assert f"{statistic}, monte-carlo, 20000 resamples" == drawn.method


def test_draws_of_the_stuart_maxwell_statistic_are_chi_squared():
    """Of many disagreements the drawn p is that of the asymptotic test."""
    matrix = matrix_of(np.array(WORKED) * 40 + [[0, 60, 0], [0, 0, 0], [0, 0, 0]])

    result = symmetry_permutation(matrix, statistic="stuart-maxwell")

    assert result.method.startswith("stuart-maxwell, monte-carlo")
    assert stuart_maxwell(matrix).statistic == result.statistic
    error = result.details["monte_carlo_error"]
    assert abs(stuart_maxwell(matrix).pvalue - result.pvalue) < 5 * error


def test_draws_never_give_zero():
    """The smallest p-value is one in the number of draws and one."""
    for statistic in STATISTICS:
        result = symmetry_permutation(
            matrix_of([[0, 90, 0], [0, 0, 90], [0, 9, 0]]),
            statistic=statistic,
            method="monte-carlo",
            n_resamples=199,
        )

        assert 1 / 200 == pytest.approx(result.pvalue, rel=1e-12)


def test_draws_count_ties():
    """A statistic that every table reaches has p = 1, whatever was rounded.

    Single records move nothing, and neither do classes in a row.
    """
    matrix = matrix_of([[4, 1, 0], [0, 4, 0], [1, 0, 4]])
    for statistic in STATISTICS:
        for method in ("exact", "monte-carlo"):
            result = symmetry_permutation(
                matrix, statistic=statistic, method=method, n_resamples=99
            )

            assert 2 == pytest.approx(result.statistic)
            assert 1 == pytest.approx(result.pvalue, rel=1e-12)


def test_seed():
    """The same seed gives the same p-value, another one another."""
    for statistic in STATISTICS:
        settings = {"statistic": statistic, "method": "monte-carlo", "n_resamples": 500}
        first, again, other, from_state = (
            symmetry_permutation(matrix_of(WORKED), random_state=seed, **settings).pvalue
            for seed in (0, 0, 1, np.random.RandomState(0))
        )

        assert first == again == from_state
        assert first != other
        assert first == symmetry_permutation(matrix_of(WORKED), **settings).pvalue


def test_batches_draw_so_many(monkeypatch):
    """More draws than are held at a time are drawn in batches, each draw once."""
    monkeypatch.setattr(_symmetry, "VALUES_AT_ONCE", 1 << 12)
    n = 30_001
    result = symmetry_permutation(
        matrix_of([[0, 1], [1, 0]]), method="monte-carlo", n_resamples=n
    )

    assert 1 == result.pvalue
    rare = symmetry_permutation(
        matrix_of([[0, 2], [0, 0]]), method="monte-carlo", n_resamples=n
    )
    # Four standard errors of the draws.
    assert 0.5 == pytest.approx(rare.pvalue, abs=4 * 0.0029)


def test_other_names_and_order_of_classes():
    """Relabelled classes keep the p-value, that of the draws too."""
    for method, statistic in itertools.product(
        ["exact", "monte-carlo"], ["total-asymmetry", "bowker"]
    ):
        rng = np.random.default_rng(3)
        counts = rng.poisson(2, size=(5, 5))
        settings = {"statistic": statistic, "method": method, "n_resamples": 999}
        expected = symmetry_permutation(matrix_of(counts), **settings)

        for _ in range(3):
            order = rng.permutation(5)
            result = symmetry_permutation(
                matrix_of(counts[np.ix_(order, order)], list("pqrst")), **settings
            )

            assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-11)
            assert expected.estimate == result.estimate


def test_other_order_of_classes_of_the_stuart_maxwell_statistic():
    """Its exact p-value does not depend on names either."""
    counts = np.array([[5, 7, 1], [2, 5, 6], [0, 3, 5]])
    expected = symmetry_permutation(matrix_of(counts), statistic="stuart-maxwell")

    for order in ([1, 2, 0], [2, 1, 0]):
        result = symmetry_permutation(
            matrix_of(counts[np.ix_(order, order)]), statistic="stuart-maxwell"
        )
        assert expected.pvalue == pytest.approx(result.pvalue, rel=1e-12)


# -------------------------------------------------------------------- edge cases


def test_identical_predictions():
    """Nothing can be exchanged: p is 1, and not drawn."""
    for method, statistic in itertools.product(
        ["auto", "exact", "monte-carlo"], STATISTICS
    ):
        result = symmetry_permutation(
            matrix_of([[4, 0], [0, 7]]), statistic=statistic, method=method
        )

        assert (0, 1, 0) == (*result, result.log_pvalue)
        assert ("degenerate",) == result.flags
        assert f"{statistic}, exact" == result.method


def test_exact_pvalue_that_takes_too_long():
    """ "exact" refuses what "auto" draws."""
    counts = np.full((12, 12), 57) + np.arange(12)[:, None]
    for statistic in ("bowker", "stuart-maxwell"):
        with pytest.raises(ValueError, match="Use method='auto' or 'monte-carlo'"):
            symmetry_permutation(matrix_of(counts), statistic=statistic, method="exact")
        drawn = symmetry_permutation(matrix_of(counts), statistic=statistic, n_resamples=99)
        assert f"{statistic}, monte-carlo, 99 resamples" == drawn.method


def test_exact_total_asymmetry_has_a_limit():
    """Ten million disagreements are drawn, not transformed."""
    counts = np.full((6, 6), 400_000) + np.arange(36).reshape(6, 6) ** 2

    result = symmetry_permutation(matrix_of(counts), n_resamples=99)

    assert "total-asymmetry, monte-carlo, 99 resamples" == result.method


def test_number_of_draws_is_checked():
    """At least one whole draw."""
    for n_resamples in [0, -1, 2.5, None]:
        with pytest.raises(
            ValueError, match="`n_resamples` must be an integer of at least 1"
        ):
            symmetry_permutation(matrix_of(WORKED), n_resamples=n_resamples)


@pytest.mark.slow
def test_size_of_the_exact_test():
    """Over all tables with given pairs, p <= alpha has at most probability alpha."""
    totals = (4, 3, 5)
    levels = np.array([0.01, 0.05, 0.1, 0.25])
    found = {name: np.zeros(len(levels)) for name in STATISTICS}
    for drawn in product(*(range(total + 1) for total in totals)):
        chance = math.prod(math.comb(t, x) for t, x in zip(totals, drawn)) / 2**12
        (a, b, c), (d, e, f) = drawn, np.subtract(totals, drawn).tolist()
        for name in STATISTICS:
            pvalue = symmetry_permutation(
                matrix_of([[3, a, b], [d, 3, c], [e, f, 3]]), statistic=name
            ).pvalue
            found[name] += chance * (pvalue <= levels * (1 + 1e-9))

    for size in found.values():
        assert (size <= levels * (1 + 1e-9)).all()
        assert size[-1] > 0.1
