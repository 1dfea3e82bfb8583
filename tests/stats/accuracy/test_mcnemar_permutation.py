"""McNemar's test by exchanging right and wrong within records."""

import itertools
import math

import numpy as np
import pytest

from skcompare._core.validation import alpha_of
from skcompare.evidence import ContingencyTable
from skcompare.stats import PairedResult, mcnemar

ALTERNATIVES = ("two-sided", "less", "greater")
OPPOSITE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
TABLES = [
    ContingencyTable(*cells)
    for cells in [(150, 25, 15, 10), (4, 2, 7, 3), (0, 6, 6, 0), (3, 0, 5, 1), (9, 0, 0, 2)]
]


def drawn(table, n_resamples=999, **options):
    """The test by random draws."""
    return mcnemar(table, method="permutation", n_resamples=n_resamples, **options)


def test_all_permutations_are_the_exact_test():
    """Without draws p-value, statistic and interval are those of "exact"."""
    for alternative, table in itertools.product(ALTERNATIVES, TABLES):
        exact = mcnemar(table, method="exact", alternative=alternative)
        permutation = mcnemar(table, method="permutation", alternative=alternative)

        expected, actual = exact.to_dict(), permutation.to_dict()
        assert ("exact", "permutation") == (expected.pop("method"), actual.pop("method"))
        assert expected == actual


def test_all_exchanges_within_records():
    """Enumerated: a record's predictions kept or exchanged, concordant records too."""
    champion = np.array([1, 1, 0, 0, 1, 0, 0, 0])
    challenger = np.array([1, 0, 1, 1, 1, 0, 1, 1])
    observed = (challenger - champion).sum()
    differences = [
        np.where(exchanged, champion - challenger, challenger - champion).sum()
        for exchanged in itertools.product([False, True], repeat=8)
    ]
    table = ContingencyTable.from_predictions(np.ones(8, dtype=int), champion, challenger)
    for alternative, extreme in (
        ("two-sided", np.abs(differences) >= abs(observed)),
        ("greater", np.array(differences) >= observed),
        ("less", np.array(differences) <= observed),
    ):
        result = mcnemar(table, method="permutation", alternative=alternative)
        assert extreme.mean() == pytest.approx(result.pvalue)


def test_draws_are_near_the_exact_pvalue():
    """Within five standard errors of 20 000 draws."""
    for alternative, table in itertools.product(ALTERNATIVES, TABLES):
        exact = mcnemar(table, method="exact", alternative=alternative).pvalue

        result = drawn(table, 20_000, alternative=alternative)

        error = math.sqrt(exact * (1 - exact) / 20_000) + 1e-4
        assert abs(result.pvalue - exact) < 5 * error
        assert "permutation, monte-carlo, 20000 resamples" == result.method
        expected = math.sqrt(result.pvalue * (1 - result.pvalue) / 20_001)
        assert expected == pytest.approx(result.details["monte_carlo_error"])


def test_pvalue_of_draws_counts_the_observed_one():
    """It is a whole number of 1 / (R + 1), and never below one of them."""
    for table in TABLES:
        for n_resamples in (1, 9, 99):
            pvalue = drawn(table, n_resamples).pvalue
            count = pvalue * (n_resamples + 1)
            assert round(count) == pytest.approx(count)
            assert 1 <= count
    assert 1 / 100 == pytest.approx(drawn(ContingencyTable(0, 0, 300, 0), 99).pvalue)
    assert 1 == drawn(TABLES[2]).pvalue == drawn(TABLES[4]).pvalue
    assert 0 == drawn(TABLES[4]).log_pvalue


def test_seeds():
    """The same seed gives the same p-value, by default too, and another one another."""
    table = TABLES[0]

    assert drawn(table).pvalue == drawn(table, random_state=0).pvalue
    assert drawn(table).pvalue != drawn(table, random_state=1).pvalue
    generator = np.random.RandomState(0)
    assert drawn(table).pvalue == drawn(table, random_state=generator).pvalue


def test_mirrored_roles():
    """Exchanged roles have the same draws, so the same p-value and the mirrored limits."""
    for alternative, table in itertools.product(ALTERNATIVES, TABLES):
        one = drawn(table, alternative=alternative)
        other = drawn(table.swap(), alternative=OPPOSITE[alternative])
        low, high = other.confidence_interval(0.9)

        assert one.pvalue == other.pvalue
        assert (-high, -low) == pytest.approx(one.confidence_interval(0.9), abs=1e-12)


@pytest.mark.slow
def test_interval_agrees_with_the_draws():
    """Few draws err, and the limit beside 0 errs with them; else it is the exact one."""
    seen = set()
    for alternative, seed, table in itertools.product(ALTERNATIVES, [0, 2], TABLES):
        exact = mcnemar(table, method="exact", alternative=alternative)
        result = drawn(table, 39, alternative=alternative, random_state=seed)
        between = sorted([exact.pvalue, result.pvalue])
        for alpha in {0.05, 0.3, min(0.5, sum(between) / 2)}:
            level = 1 - alpha
            low, high = result.confidence_interval(level)
            rejected = result.pvalue < alpha_of(level)
            assert rejected == (not low <= 0 <= high)
            assert (low, high) == result.limits(level, alternative)
            if not between[0] <= alpha <= between[1]:
                assert exact.limits(level, alternative) == (low, high)
            elif exact.pvalue != result.pvalue:
                seen.add((alternative, rejected))

    assert set(itertools.product(ALTERNATIVES, [True, False])) == seen


def test_intervals_of_draws_nest():
    """A higher confidence has an interval around the lower one."""
    for table in TABLES:
        for alternative in ALTERNATIVES:
            result = drawn(table, 39, alternative=alternative)
            # The limit beside 0 is moved where the p-value is the level.
            beside = [1 - result.pvalue - 1e-6, 1 - result.pvalue + 1e-6]
            levels = sorted({0.5, 0.8, 0.95, 0.99, *(k for k in beside if 0.5 < k < 1)})
            limits = [result.confidence_interval(level) for level in levels]
            lows, highs = np.array(limits).T
            assert (np.diff(lows) <= 0).all()
            assert (np.diff(highs) >= 0).all()


def test_result_of_draws_is_plain():
    """It survives being written and read."""
    result = drawn(TABLES[0])

    assert result.to_dict() == PairedResult.from_dict(result.to_dict()).to_dict()


def test_wrong_number_of_draws():
    """Draws are counted."""
    for wrong in [0, -1, 2.5, "many", True]:
        with pytest.raises(
            ValueError, match="`n_resamples` must be an integer of at least 1"
        ):
            drawn(TABLES[0], wrong)


def test_draws_go_with_permutation_only():
    """Other methods draw nothing, so the number is refused rather than ignored."""
    for method in ["mid-p", "exact", "asymptotic", "exact-unconditional"]:
        with pytest.raises(
            ValueError, match=r"`n_resamples` goes with method='permutation'"
        ):
            mcnemar(TABLES[0], method=method, n_resamples=99)


def test_null_value_of_zero_only():
    """Exchanging is no symmetry of accuracies that differ, and the error says so."""
    with pytest.raises(ValueError, match=r"tests equal accuracies.*can be exchanged"):
        mcnemar(TABLES[0], method="permutation", null_value=-0.05)


def test_fractional_counts_cannot_be_exchanged():
    """Averaged tables are refused."""
    with pytest.raises(ValueError, match="needs whole counts"):
        drawn(ContingencyTable(7.5, 1.5, 2.5, 3.5))
