"""The public test of a margin: what a gate decides by, and its refusals."""

import math

import numpy as np
import pytest

from skcompare.evidence import ContingencyTable, PairedLosses
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.stats import (
    influence_moments,
    loss_permutation,
    margin_test,
    mcnemar,
    paired_t,
)
from skcompare.stats.margins._margin_test import _inverted


def losses(n=200, seed=0):
    return PairedLosses.from_losses(*np.random.default_rng(seed).exponential(size=(2, n)))


def test_equal_accuracies_by_the_test_itself():
    """At 0 it is McNemar's one-sided test, whichever side."""
    table = ContingencyTable(160, 9, 21, 10)
    for alternative in ("greater", "less"):
        expected = mcnemar(table, alternative=alternative)
        actual = margin_test(table, "mcnemar", alternative=alternative)
        low, high = expected.confidence_interval(0.95)

        assert expected.pvalue == actual.pvalue
        assert (low if alternative == "greater" else high) == actual.limit
        assert "" == actual.reason


def test_a_margin_by_the_interval():
    """Student's interval excludes the margin at the level that is the p-value."""
    evidence = losses()
    expected = paired_t(evidence, alternative="greater")
    actual = margin_test(evidence, "paired_t", -0.2)
    low, _ = actual.result.confidence_interval(1 - actual.pvalue)

    assert expected.estimate == actual.result.estimate
    # The skewness that is allowed for can only add to p.
    assert -0.2 <= low
    assert actual.limit <= expected.confidence_interval(0.95)[0]


def test_a_gate_decides_by_it():
    """Level and margin give the gate's p-value and limit."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=400)
    labels = {
        name: np.where(rng.random(400) < share, y, 1 - y)
        for name, share in (("old", 0.8), ("new", 0.86))
    }
    table = ContingencyTable.from_predictions(y, *labels.values())
    conditions = NonInferior("accuracy", margin=0.02), Superior("accuracy")
    for condition, null_value in zip(conditions, (-0.02, 0.0), strict=True):
        outcome = Gate(condition).decide(y, labels).outcomes[0]
        method = {"method": "exact-unconditional"} if null_value else {}
        expected = margin_test(table, "mcnemar", null_value, **method)

        assert expected.pvalue == pytest.approx(outcome.pvalue, rel=1e-9)
        assert expected.limit == pytest.approx(outcome.low, rel=1e-9)


def test_pvalue_by_inversion_goes_with_the_interval():
    """At a margin the p-value is the level at which the interval just reaches it."""
    result = loss_permutation(losses(), alternative="greater")
    pvalue = _inverted(result, -0.2, "greater", 0.05)
    low = {
        factor: result.confidence_interval(1 - factor * pvalue).low for factor in (0.9, 1.1)
    }

    assert 0.001 < pvalue < 0.2
    assert low[0.9] < -0.2 < low[1.1]


def test_few_records_have_a_reason():
    """29 records have no p-value from a standard error, and no limit."""
    result = margin_test(losses(29), "paired_t", -9.0)

    assert math.isnan(result.pvalue)
    assert -math.inf == result.limit
    assert "29 records" in result.reason


def test_bounded_losses_that_are_all_equal():
    """A bound of one difference is taken where the loss declares none."""
    same = PairedLosses.from_losses(np.full(50, 0.5), np.full(50, 0.5))

    unknown = margin_test(same, "paired_t", -0.1)
    known = margin_test(same, "paired_t", -0.1, bound=1.0)

    assert math.isnan(unknown.pvalue)
    assert "nothing varies" in unknown.reason
    assert 0.9**50 == pytest.approx(known.pvalue)


def test_moments_are_those_of_the_differences():
    """Standard error and skewness of a mean, by their definitions."""
    evidence = losses()
    d = evidence.differences - evidence.differences.mean()
    moments = influence_moments(evidence)

    assert d.std(ddof=1) / math.sqrt(200) == pytest.approx(moments.error, rel=1e-12)
    skewness = (d**3).mean() / d.std() ** 3 / math.sqrt(200)
    assert skewness == pytest.approx(moments.skewness, rel=1e-12)
    assert (200, "records", True) == (moments.units, moments.name, moments.observed)


def test_wrong_settings():
    """Each has one message that says what to do."""
    table = ContingencyTable(160, 9, 21, 10)
    wrong = [
        (("mcnemar", math.nan), {}, ValueError, "null_value must be a finite"),
        (("mcnemar", "0"), {}, ValueError, "null_value must be a finite"),
        (("mcnemar",), {"alternative": "two-sided"}, ValueError, "Unknown alternative"),
        (("mcnemar",), {"alpha": 0}, ValueError, "alpha"),
        (("mcnemr",), {}, ValueError, "Did you mean 'mcnemar'"),
        (("relative_accuracy",), {}, ValueError, "Got 'relative_accuracy' of kind ratio"),
        (("combined_5x2_f",), {}, ValueError, "with an alternative. Got 'combined_5x2_f'"),
        (("delong",), {}, TypeError, "delong needs"),
        (("mcnemar",), {"method": "exat"}, ValueError, "Unknown method"),
    ]
    for arguments, options, error, message in wrong:
        with pytest.raises(error, match=message):
            margin_test(table, *arguments, **options)
