"""The naive K-fold McNemar test: statsmodels' sums, the clamp, shapes, edges."""

import math

import numpy as np
import pytest
from scipy import stats

from skcompare.datasets import make_epsilon
from skcompare.evidence import ContingencyTable, PairedBlocks
from skcompare.stats import mcnemar, naive_kfold_mcnemar, paired_tests
from tests.common.golden import golden

GOLDEN = golden("resampling_z")
CASES = GOLDEN["naive_kfold"]["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_other_implementation(case):
    """Statistics of statsmodels, fold by fold, and their sum."""
    result = naive_kfold_mcnemar(PairedBlocks(case["tables"], design="kfold"))
    terms = {part["fold"]: part["statistic"] for part in result.parts}

    assert case["terms"] == pytest.approx([terms[k] for k in sorted(terms)], rel=1e-12)
    assert case["statistic"] == pytest.approx(result.statistic, rel=1e-12)
    assert case["p"] == pytest.approx(result.pvalue, rel=1e-10)
    assert len(case["tables"]) == result.df


def test_sum_of_corrected_tests():
    """Each fold adds what mcnemar(method="corrected") finds in its table."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tables = rng.multinomial(20, [0.8, 0.08, 0.07, 0.05], size=8)
        expected = sum(
            mcnemar(ContingencyTable(*table.tolist()), method="corrected").statistic
            for table in tables
        )

        result = naive_kfold_mcnemar(PairedBlocks(tables, design="kfold"))

        assert expected == pytest.approx(result.statistic, abs=1e-12)
        assert stats.chi2.sf(expected, 8) == pytest.approx(result.pvalue)
        differences = tables[:, 2] - tables[:, 1]
        assert differences.sum() / 160 == pytest.approx(result.estimate, abs=1e-15)


def test_one_fold_is_the_corrected_test():
    """Of a single table it is McNemar's corrected test."""
    table = ContingencyTable(70, 3, 17, 10)
    once = mcnemar(table, method="corrected")
    result = naive_kfold_mcnemar(PairedBlocks([[70, 3, 17, 10]], design="kfold"))

    assert tuple(once) == pytest.approx(tuple(result))
    assert (once.estimate, once.champion) == (result.estimate, result.champion)


def test_correction_stops_at_zero():
    """Folds whose counts differ by one or less add nothing, however many there are."""
    blocks = PairedBlocks([[10, 3, 3, 1], [10, 2, 3, 1], [10, 4, 3, 1]], design="kfold")
    result = naive_kfold_mcnemar(blocks)

    assert (0, 1) == tuple(result)
    assert not result.degenerate


def test_folds_without_discordance_keep_their_degree_of_freedom():
    """They add 0 to the statistic and 1 to the degrees of freedom."""
    one = PairedBlocks([[10, 1, 9, 1]], design="kfold")
    three = PairedBlocks([[10, 1, 9, 1], [20, 0, 0, 1], [5, 0, 0, 16]], design="kfold")

    assert naive_kfold_mcnemar(one).statistic == naive_kfold_mcnemar(three).statistic == 4.9
    assert stats.chi2.sf(4.9, 3) == pytest.approx(naive_kfold_mcnemar(three).pvalue)


def test_no_discordance():
    """Statistic 0, p 1."""
    result = naive_kfold_mcnemar(PairedBlocks([[10, 0, 0, 1]] * 4, design="kfold"))

    assert (0, 1, 0) == (result.statistic, result.pvalue, result.log_pvalue)
    assert ("degenerate", "no-discordant-pairs", "naive") == result.flags


def test_opposite_folds_add_up():
    """The statistic has no direction: folds against each other are as good as alike."""
    alike = PairedBlocks([[10, 0, 9, 1], [10, 0, 9, 1]], design="kfold")
    opposite = PairedBlocks([[10, 0, 9, 1], [10, 9, 0, 1]], design="kfold")

    assert tuple(naive_kfold_mcnemar(alike)) == tuple(naive_kfold_mcnemar(opposite))
    assert 0 == naive_kfold_mcnemar(opposite).estimate
    assert not naive_kfold_mcnemar(alike).has_interval


def test_fold_order():
    """The order of the folds changes nothing but their numbers."""
    tables = [[14, 1, 6, 2], [14, 4, 8, 2], [14, 0, 0, 9], [14, 2, 5, 2]]
    one = naive_kfold_mcnemar(PairedBlocks(tables, design="kfold"))
    two = naive_kfold_mcnemar(PairedBlocks(tables[::-1], design="kfold"))

    assert tuple(one) == tuple(two)
    assert [0, 1, 3, 2] == [part["fold"] for part in one.parts]
    assert [3, 2, 0, 1] == [part["fold"] for part in two.parts]


def test_one_repetition():
    """Tables of shape (1, K, 4) are those of shape (K, 4)."""
    tables = [[14, 1, 6, 2], [14, 4, 8, 2]]
    flat = naive_kfold_mcnemar(PairedBlocks(tables, design="kfold"))
    nested = naive_kfold_mcnemar(PairedBlocks([tables], design="kfold"))

    assert tuple(flat) == tuple(nested)
    assert flat.n == nested.n == 51


def test_several_repetitions():
    """Repetitions count records again, and are refused."""
    blocks = PairedBlocks([[[14, 1, 6, 2], [14, 4, 8, 2]]] * 5)
    with pytest.raises(ValueError, match=r"one cross-validation.*Got \(5, 2, 4\)"):
        naive_kfold_mcnemar(blocks)


def test_leave_one_out_has_no_power():
    """One record a fold: the correction takes all there is."""
    blocks = PairedBlocks([[0, 0, 1, 0]] * 30, design="kfold")
    result = naive_kfold_mcnemar(blocks)

    assert 1 == result.estimate
    assert (0, 1) == tuple(result)


def test_far_tail():
    """p does not underflow to 0, and its logarithm stays exact."""
    result = naive_kfold_mcnemar(PairedBlocks([[0, 0, 900, 0]] * 4, design="kfold"))

    assert 0 < result.pvalue < 1e-300
    # Four degrees of freedom have a tail in closed form: exp(-x / 2) (1 + x / 2).
    half = result.statistic / 2
    assert math.log1p(half) - half == pytest.approx(result.log_pvalue, rel=1e-12)


def test_caution():
    """It is not recommended, and every result says so."""
    entry = paired_tests()["naive_kfold_mcnemar"]
    result = naive_kfold_mcnemar(PairedBlocks([[14, 1, 6, 2]] * 3, design="kfold"))

    assert "naive" == entry.caution
    assert "algorithms" == result.inference
    assert any("does not recommend" in caveat for caveat in result.caveats)


def test_published_error_rate():
    """On the epsilon data with K = 10 it hardly ever rejects, as printed."""
    (rate,) = (r for r in GOLDEN["epsilon"]["rates"] if r["test"] == "naive_kfold_mcnemar")
    champion, challenger = make_epsilon(300, 0.1, n_repetitions=1000, random_state=0)
    order = np.random.default_rng(0).permutation(300)
    champion, challenger = (
        losses[:, order].reshape(1000, 10, 30) for losses in (champion, challenger)
    )
    cells = [
        (champion == a) & (challenger == b) for a, b in [(0, 0), (0, 1), (1, 0), (1, 1)]
    ]
    tables = np.stack([cell.sum(axis=2) for cell in cells], axis=2)
    rejected = [
        naive_kfold_mcnemar(PairedBlocks(table, design="kfold")).pvalue < 0.05
        for table in tables
    ]

    assert rate["printed"] == pytest.approx(np.mean(rejected), abs=0.01)
