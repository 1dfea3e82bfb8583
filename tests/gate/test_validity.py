"""How often gates pass by mistake; the long tables are in
benchmarks/validity/margins/gate.py.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from skcompare.evidence import ContingencyTable, JointCounts, PairedLosses, PlacementValues
from skcompare.gate import Equivalent, Gate, NonInferior, Superior
from skcompare.stats.margins._margin_test import margin_result
from skcompare.stats.planning._records_at_boundary import method_for
from tests.stats.margins.test_one_sided import ready

ALPHA = 0.05


def passing_tables(n, boundary, direction):
    """Discordant counts of all tables of n records that pass a boundary."""
    method = method_for(n, abs(boundary), exact=False)
    found = []
    for b in range(n + 1):
        for c in range(n - b + 1):
            table = ContingencyTable(n - b - c, b, c, 0)
            test = ready("mcnemar", table, method=method)
            if margin_result(test, boundary, direction, ALPHA).pvalue < ALPHA:
                found.append((b, c, n - b - c))
    return np.array(found)


def check_level(n, boundary, direction):
    """Of all tables, at every share of discordant records, at most the level pass."""
    tables = passing_tables(n, boundary, direction)
    shares = abs(boundary) + (1 - abs(boundary)) * np.linspace(0, 1, 40)
    sizes = []
    for share in shares:
        cells = (share - boundary) / 2, (share + boundary) / 2, 1 - share
        sizes.append(multinomial.pmf(tables, n, np.clip(cells, 0, 1)).sum())

    assert 0.4 * ALPHA < max(sizes) <= ALPHA
    # Farther from the boundary on the wrong side it is less.
    away = boundary - 0.05 if direction == "greater" else boundary + 0.05
    worse = [
        multinomial.pmf(tables, n, ((s - away) / 2, (s + away) / 2, 1 - s)).sum()
        for s in np.linspace(abs(away), 1, 10)
    ]
    assert max(worse) <= max(sizes) + 1e-9


def test_accuracy_gates_are_exact():
    """The level is kept without a margin, and at one on either side."""
    for case in ((5, 0.0, "greater"), (5, -0.1, "greater"), (5, 0.2, "less")):
        check_level(*case)


@pytest.mark.slow
def test_larger_accuracy_gates_are_exact():
    """So it is with more records."""
    for case in ((9, 0.0, "greater"), (12, -0.1, "greater"), (10, 0.2, "less")):
        check_level(*case)


def test_large_gates_use_what_is_near_its_level():
    """The method follows from the number of records and the margin."""
    assert "exact-unconditional" == method_for(99, 0.0, exact=False)
    assert "mid-p" == method_for(100, 0.0, exact=False)
    assert "exact-unconditional" == method_for(5000, 0.01, exact=False)
    assert "exact" == method_for(5001, 0.01, exact=False)
    assert "asymptotic" == method_for(5001, 0.02, exact=False)
    assert "exact" == method_for(10**7, 0.02, exact=True)


def check_passes(draw, boundary, name, n_sets, **options):
    """So few gates at the boundary pass that the test can be valid."""
    passed = 0
    for _ in range(n_sets):
        side = margin_result(ready(name, draw(), **options), boundary, "greater", ALPHA)
        passed += side.pvalue < ALPHA

    assert passed <= at_most(n_sets)


def at_most(n_sets, level=ALPHA + 0.01):
    """So many passes are exceeded in one of 10,000 simulations of a valid test."""
    return binom.isf(1e-4, n_sets, level)


def check_rankings(n_sets):
    """AUCs of 0.98 and 0.95 at the margin, where DeLong's test passes 12 % of the time."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 100])

    def draw():
        scores = rng.normal(size=(2, 130))
        scores[1] = 0.8 * scores[0] + 0.6 * scores[1]
        scores += np.sqrt(2) * np.array([[2.0537], [1.6449]]) * y
        return PlacementValues.from_predictions(y, *scores)

    check_passes(draw, -0.03, "delong", n_sets)


def check_losses(n_sets):
    """Log losses of rare events, where the t test passes 9 % of the time."""
    rng = np.random.default_rng(1)

    def draw():
        gains = 1.0 - rng.gamma(0.5, 2.0, size=60)
        return PairedLosses.from_losses(gains + 99, np.full(60, 99.0))

    check_passes(draw, 0.0, "paired_t", n_sets)


def check_scores(n_sets):
    """Balanced accuracy at the margin with a class of 5 %."""
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [20, 380])

    def draw():
        first = rng.random(400) < np.where(y == 1, 0.95, 0.97)
        second = first ^ (rng.random(400) < np.where(y == 1, 1 / 6, 0.01))
        return JointCounts.from_predictions(
            y, *(np.where(one, y, 1 - y) for one in (first, second))
        )

    # Right predictions are lost more often than wrong ones are mended.
    truth = (0.95 * -1 / 6 + 0.05 / 6 + 0.97 * -0.01 + 0.03 * 0.01) / 2
    options = {"score": "balanced_accuracy", "method": "delta"}
    check_passes(draw, truth, "score_difference", n_sets, **options)


def check_failed(n_sets):
    """A condition that holds by nothing is said to have failed at most at its level."""
    rng = np.random.default_rng(3)
    statuses = []
    for _ in range(n_sets):
        y = rng.integers(2, size=250)
        right = rng.random(250) < 0.9
        lost = right & (rng.random(250) < 0.05 / 0.9)
        predictions = {"old": np.where(right, y, 1 - y)}
        predictions["new"] = np.where(right & ~lost, y, 1 - y)
        decision = Gate(Equivalent("accuracy", 0.05)).decide(y, predictions)
        statuses.append(decision.status)

    assert statuses.count("failed") <= at_most(n_sets)
    assert statuses.count("passed") <= at_most(n_sets)


@pytest.mark.slow
def test_mistakes_are_as_rare_as_promised():
    """At the boundary neither a pass nor a failure comes more often than at the level."""
    check_rankings(300)
    check_losses(1000)
    check_scores(400)
    check_failed(150)


@pytest.mark.slow
def test_mistakes_are_not_frequent():
    """A few simulations find what is far from its level."""
    check_rankings(30)
    check_losses(100)
    check_scores(20)
    check_failed(5)


def test_failed_is_shown_beyond_the_boundary_on_the_wrong_side():
    """A much worse challenger fails; the limit is below the boundary."""
    rng = np.random.default_rng(4)
    y = rng.integers(2, size=300)
    predictions = {
        name: np.where(rng.random(300) < rate, y, 1 - y)
        for name, rate in (("old", 0.95), ("new", 0.75))
    }
    for condition in (
        Superior("accuracy"),
        NonInferior("accuracy", 0.05),
        Equivalent("f1_macro", 0.05),
        NonInferior("balanced_accuracy", 0.05),
    ):
        (outcome,) = Gate(condition).decide(y, predictions).outcomes
        assert "failed" == outcome.status, condition.text
        assert outcome.high < condition.boundaries[0][0]
        assert outcome.records_needed is None
        assert not math.isnan(outcome.pvalue)
