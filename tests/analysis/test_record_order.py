"""Hold-outs whose gains are alike where records follow each other are flagged."""

import numpy as np
import pytest
from scipy.signal import lfilter

from skcompare import compare
from skcompare.evidence import OrderedDifferences
from skcompare.gate import Gate, NonInferior, Superior
from skcompare.gate._decision import next_steps_of
from skcompare.reports._next_steps import next_steps
from skcompare.stats import serial_correlation
from skcompare.stats.time import correlation_in_order

FLAG = "serially-correlated"
MAE = "neg_mean_absolute_error"


def drifting(n=500, seed=0, correlation=0.95, accuracy=0.0):
    """Truth and labels of two models of which one is right in a fifth; which one drifts."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    drift = lfilter([1.0], [1.0, -correlation], rng.normal(size=n)) + accuracy
    differs = rng.random(n) < 0.2
    old = np.where(differs & (drift > 0), 1 - y, y)
    new = np.where(differs & (drift <= 0), 1 - y, y)
    return y, {"old": old, "new": new}


def in_order(y, models, order):
    """Records in another order."""
    return y[order], {name: each[order] for name, each in models.items()}


def flagged(y, models, **options):
    """Whether each row of a comparison is flagged."""
    return [FLAG in row.flags for row in compare(y, models, **options).rows]


def test_next_step_is_to_pass_the_time():
    """It comes first, and not where the order tells nothing."""
    y, models = drifting()
    shuffled = in_order(y, models, np.random.default_rng(0).permutation(len(y)))

    assert "compare them again with time=" in next_steps(compare(y, models))[0]
    assert not any("time=" in step for step in next_steps(compare(*shuffled)))


def test_drifting_disagreement_is_flagged():
    """It is in the order of time, with the factor of the variance, and not if shuffled."""
    y, models = drifting()
    comparison = compare(y, models, scoring=["accuracy", "f1_macro"])
    order = np.random.default_rng(1).permutation(len(y))

    assert [True, True] == [FLAG in row.flags for row in comparison.rows]
    assert "the difference is 2.2 times that of independent" in comparison.rows[0].note
    assert "pass `time=`" in " ".join(str(comparison).split())
    assert [False] == flagged(*in_order(y, models, order))


@pytest.mark.slow
def test_drifting_disagreement_of_equal_models():
    """McNemar's test finds them to differ too often, and is flagged by the inflation.

    A fifth of 500 records differs, and which model is right there is the sign of an
    autoregression of 0.95. With the times the default test is Diebold and Mariano's.
    """
    days, draws = np.arange("2024-01-01", 500, dtype="datetime64[D]"), 40
    rejected, unflagged = np.zeros(2), 0
    for seed in range(draws):
        y, models = drifting(seed=seed)
        row, timed = (compare(y, models, time=time).rows[0] for time in (None, days))
        gains = (models["old"] != y).astype(float) - (models["new"] != y)
        found = serial_correlation(OrderedDifferences.from_differences(gains))

        assert ("mcnemar", "diebold_mariano") == (row.test, timed.test)
        assert (FLAG in row.flags) is found.matters
        assert found.inflation > 1.2 or not found.matters
        assert FLAG not in timed.flags
        rejected += [row.pvalue < 0.05, timed.pvalue < 0.05]
        unflagged += row.pvalue < 0.05 and FLAG not in row.flags

    assert rejected[0] > 0.3 * draws
    assert rejected[1] < 0.15 * draws
    assert unflagged < 0.1 * draws


def test_numbers_are_flagged_by_their_loss():
    """The gain of the loss that is compared counts, in either unit of the target."""
    rng = np.random.default_rng(0)
    drift = lfilter([1.0], [1.0, -0.95], rng.normal(size=600))
    y = rng.normal(size=600)
    models = {"old": y + drift, "new": y + 3 * rng.normal(size=600)}
    scaled = {name: 1e6 * each for name, each in models.items()}

    assert [True] == flagged(y, models, scoring=MAE)
    assert [True] == flagged(1e6 * y, scaled, scoring=MAE)
    order = rng.permutation(600)
    assert [False] == flagged(*in_order(y, models, order), scoring=MAE)


def test_files_sorted_by_the_truth_are_not_flagged():
    """Neighbours of one class, or of similar targets, are alike in any case."""
    rng = np.random.default_rng(0)
    y = np.repeat([2, 0, 1], 200)
    rates = np.array([[0.95, 0.6], [0.8, 0.8], [0.6, 0.95]])[y]
    right = rng.random((600, 2)) < rates
    models = {name: np.where(own, y, (y + 1) % 3) for name, own in zip(["a", "b"], right.T)}
    target = np.sort(rng.uniform(0, 10, size=600))
    numbers = {
        "a": target * 1.1 + rng.normal(size=600),
        "b": target - 0.5 + rng.normal(size=600),
    }

    assert [False] == flagged(y, models)
    assert correlation_in_order((models["b"] == y) * 1.0 - (models["a"] == y)) is not None
    assert [False] == flagged(target, numbers, scoring=MAE)
    # Also beside a drift, which is still found.
    late = np.arange(600) % 200 > 100
    models["b"] = np.where(late, y, models["b"])
    models["a"] = np.where(late, (y + 1) % 3, models["a"])
    assert [True] == flagged(y, models)


def test_designs_of_which_the_order_does_not_count():
    """Groups and cross-validation are no hold-out of independent records."""
    y, models = drifting()

    assert [False] == flagged(y, models, groups=np.arange(len(y)) // 10)
    assert [False] == flagged(y[:40], {name: each[:40] for name, each in models.items()})


@pytest.mark.parametrize("n", [3000, 8191, 8192, 20_001])
def test_long_series_are_searched_in_blocks(n):
    """The shortcut finds what the whole series shows, and nothing in random order."""
    rng = np.random.default_rng(n)
    drift = lfilter([1.0], [1.0, -0.8], rng.normal(size=n))
    found = correlation_in_order(drift)

    assert 9 == pytest.approx(found.inflation, rel=0.4)
    assert correlation_in_order(rng.permutation(drift)) is None
    signs = np.sign(drift).astype(np.int8)
    assert correlation_in_order(signs).inflation > 3
    assert correlation_in_order(np.ones(n, dtype=np.int8)) is None


def test_it_is_the_correlation_of_the_test():
    """The numbers are those of `serial_correlation`."""
    y, models = drifting()
    gains = (models["new"] == y).astype(float) - (models["old"] == y)
    ordered = OrderedDifferences.from_differences(gains)

    assert correlation_in_order(gains) == serial_correlation(ordered)


def test_a_gate_concludes_nothing_of_neighbours_that_are_alike():
    """Unless the policy says that the order does not count; a failure remains one."""
    y, models = drifting(accuracy=2.0)
    better = Gate(Superior("accuracy")).decide(y, models)
    ignored = Gate(Superior("accuracy"), ignore_order=True).decide(y, models)
    swapped = {"old": models["new"], "new": models["old"]}
    worse = Gate(NonInferior("accuracy", 0.01)).decide(y, swapped)
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = Gate(Superior("accuracy")).decide(*in_order(y, models, order))

    assert "inconclusive" == better.status
    assert "neighbouring records are correlated" in better.outcomes[0].reasons[0]
    assert better.outcomes[0].blocked
    assert better.outcomes[0].pvalue < 0.05
    assert "passed" == ignored.status == shuffled.status
    assert "failed" == worse.status
    for decision in (better, worse):
        assert "with time=..., the time of each record" in next_steps_of(decision)[0]
    flags = [each.outcomes[0].flags for each in (better, ignored, worse, shuffled)]
    assert [True, True, True, False] == [FLAG in own for own in flags]
