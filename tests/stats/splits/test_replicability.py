"""Replicability of decisions, against pairs that are counted one by one."""

import math
import pickle
from dataclasses import FrozenInstanceError
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from skcompare.evidence import ContingencyTable
from skcompare.stats import PairedResult, mcnemar, replicability
from tests.common.golden import golden

GOLDEN = golden("updated_precision")["replicability"]


def decisions(rejections, n):
    return [1] * rejections + [0] * (n - rejections)


def agreeing_pairs(decided):
    """Equation (29) of Gondara: pairs of experiments, one after the other."""
    pairs = list(combinations(decided, 2))
    return sum(one == other for one, other in pairs) / len(pairs)


def test_published_formula():
    """7 rejections of 10 give equations (29) and (30), with the parentheses it lacks."""
    rejections, others = GOLDEN["rejections"], GOLDEN["others"]

    result = replicability(decisions(rejections, rejections + others))

    assert GOLDEN["equation_29"] == pytest.approx(result.value, rel=1e-12)
    assert GOLDEN["equation_30_with_parentheses"] == pytest.approx(result.value, rel=1e-12)
    assert (10, 7) == (result.n, result.rejections)


def test_equals_counted_pairs():
    """Every sequence of decisions has the share of its pairs that agree."""
    for n in [2, 3, 5, 8]:
        for decided in product([False, True], repeat=n):
            assert agreeing_pairs(decided) == pytest.approx(
                replicability(decided).value, abs=1e-14
            )


def test_least_value():
    """Half of the experiments rejecting gives the least value, close to 1/2."""
    for n in [2, 3, 4, 9, 10, 25]:
        values = [replicability(decisions(k, n)).value for k in range(n + 1)]
        expected = 0.5 - (1 / (2 * (n - 1)) if n % 2 == 0 else 1 / (2 * n))

        assert min(values) == pytest.approx(replicability(decisions(1, n)).least)
        assert expected == pytest.approx(min(values))
        assert [0, n] == [k for k, value in enumerate(values) if value == 1]


def test_which_decision_does_not_matter():
    """Rejections and the others exchange their parts."""
    one, other = replicability(decisions(3, 11)), replicability(decisions(8, 11))

    assert one.value == other.value
    assert one.confidence_interval() == pytest.approx(other.confidence_interval())


def test_interval_is_that_of_resampled_experiments():
    """The limits are percentiles of what resampled decisions give, drawn one by one."""
    slack = 4 * math.sqrt(0.25 / 40_000)
    for rejections, n in [(7, 10), (3, 20), (50, 120), (1, 6)]:
        rng = np.random.default_rng(0)
        decided = np.array(decisions(rejections, n))
        drawn = decided[rng.integers(n, size=(40_000, n))].sum(axis=1)
        values = (drawn * (drawn - 1) + (n - drawn) * (n - drawn - 1)) / (n * (n - 1))
        for level in (0.5, 0.9, 0.95):
            tail = (1 - level) / 2

            low, high = replicability(decided).confidence_interval(level)

            assert (values < low - 1e-12).mean() <= tail + slack
            assert (values <= low + 1e-12).mean() >= tail - slack
            assert (values > high + 1e-12).mean() <= tail + slack
            assert (values >= high - 1e-12).mean() >= tail - slack


def test_resampled_values_are_greater_on_average():
    """By (1 - value) / n, because an experiment agrees with itself."""
    n, k = 12, 5
    rng = np.random.default_rng(1)
    drawn = rng.binomial(n, k / n, size=400_000)
    values = (drawn * (drawn - 1) + (n - drawn) * (n - drawn - 1)) / (n * (n - 1))
    value = replicability(decisions(k, n)).value

    assert value + (1 - value) / n == pytest.approx(values.mean(), abs=1e-3)


def test_intervals_nest():
    """A higher level gives an interval around the lower one, within what is possible."""
    result = replicability(decisions(6, 17))
    limits = [result.confidence_interval(level) for level in (0.2, 0.5, 0.9, 0.99)]

    assert sorted((low for low, _ in limits), reverse=True) == [low for low, _ in limits]
    assert sorted(high for _, high in limits) == [high for _, high in limits]
    assert result.least <= limits[-1].low <= limits[-1].high <= 1


def test_all_alike():
    """Experiments that all agree have replicability 1, and an interval of no width."""
    for rejections in (0, 5):
        result = replicability(decisions(rejections, 5))

        assert 1 == result.value
        assert (1, 1) == result.confidence_interval()


def test_several_tests():
    """One column per test: each has the result of its own decisions."""
    rng = np.random.default_rng(2)
    table = rng.random((15, 4)) < [0.1, 0.5, 0.9, 1.0]

    results = replicability(table)

    assert 4 == len(results)
    assert results == tuple(replicability(column) for column in table.T)
    assert results == replicability(table.tolist())


def test_results_reject_at_their_level():
    """Results of tests reject where p is below alpha; an undefined p rejects nothing."""
    tables = [(50, 20, 5, 5), (50, 9, 5, 5), (50, 15, 5, 5)]
    results = [mcnemar(ContingencyTable(*table)) for table in tables]
    values = results[0].to_dict()
    undefined = PairedResult.from_dict({**values, "pvalue": math.nan})
    pvalues = [result.pvalue for result in results]

    for alpha in (0.01, 0.05, 0.3):
        rejected = [p < alpha for p in pvalues]
        assert replicability(rejected) == replicability(results, alpha=alpha)
    assert replicability(results) == replicability(results, alpha=0.05)
    assert 3 == replicability([*results, undefined], alpha=0.5).rejections
    for column in (pd.Series(results), pd.Series(results).to_numpy()):
        assert replicability(results, alpha=0.3) == replicability(column, alpha=0.3)
    two = [[result, undefined] for result in results]
    assert [3, 0] == [one.rejections for one in replicability(two, alpha=0.5)]


def test_kinds_of_decisions():
    """Truth values and ones and zeros of any kind are decisions."""
    for same in [
        [True, False, True],
        (1, 0, 1),
        np.array([1.0, 0.0, 1.0]),
        np.array([True, False, True], dtype=object),
        [np.True_, np.False_, 1],
    ]:
        assert (3, 2) == (replicability(same).n, replicability(same).rejections)


def test_too_few_experiments():
    """One experiment has none to agree with."""
    for few in [[], [1], [[1, 0]], np.empty((0, 3)), 1, True, None]:
        with pytest.raises(ValueError, match=r"at least 2 experiments.*Got"):
            replicability(few)


def test_no_decisions():
    """P-values, missing values and words are no decisions."""
    for wrong in [
        [0.03, 0.4],
        [1, math.nan],
        [1, 2],
        ["yes", "no"],
        [True, None],
        np.array(["1", "0"]),
        [1, -1],
    ]:
        with pytest.raises(ValueError, match=r"must be True or 1.*Got.*p-values"):
            replicability(wrong)


def test_ragged_columns():
    """Tests with different numbers of experiments are no table."""
    with pytest.raises(ValueError, match="at least 2 experiments"):
        replicability([[1, 0], [1]])


def test_alpha_is_of_results_only():
    """A level for decisions that are made, or no level at all, is refused."""
    with pytest.raises(ValueError, match=r"these decisions are made\. Got alpha=0.05"):
        replicability([1, 0, 1], alpha=0.05)
    result = mcnemar(ContingencyTable(50, 20, 5, 5))
    with pytest.raises(ValueError, match="`alpha` must be a number"):
        replicability([result, result], alpha=2)


def test_result_is_a_value():
    """Results are frozen, compare equal, pickle, and say what they are in words."""
    result = replicability(decisions(7, 10))

    assert result == pickle.loads(pickle.dumps(result))
    assert "replicability 0.5333, 95 % interval [0.4444, 1.0000]" in str(result)
    assert "7 of 10 experiments rejected" in str(result)
    with pytest.raises(FrozenInstanceError):
        result.value = 1
    with pytest.raises(ValueError, match="confidence_level"):
        result.confidence_interval(95)
