"""Tests of one classifier's calibration: statistics, laws, certain predictions, ties."""

import inspect
import itertools
import json
import math
import pickle
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from skcompare.stats import calibration_cusum, spiegelhalter
from skcompare.stats.calibration._calibration_tests import brownian_pvalue
from tests.common.golden import golden

CASES = [
    (case["y"], model["proba"], model["tests"])
    for case in golden("calibration")["cases"]
    for model in case["models"]
    if model["tests"]
]
BOTH = [spiegelhalter, calibration_cusum]
SMALLEST = np.finfo(float).tiny


def random_labels(seed, n=200):
    rng = np.random.default_rng(seed)
    proba = rng.beta(0.8, 0.8, size=n).round(2).clip(0.01, 0.99)
    return (rng.random(n) < proba).astype(int), proba


def outcomes_of(proba):
    """All outcomes with their probabilities, if those of the records are right."""
    outcomes = np.array(list(product([0, 1], repeat=len(proba))))
    return outcomes, np.prod(np.where(outcomes, proba, 1 - np.array(proba)), axis=1)


def walk_slowly(y, proba, name):
    """Range, or distance from 0, of the sums at the ends of equal probabilities."""
    sums = [0.0]
    for p in sorted(set(proba)):
        sums.append(sums[-1] + sum(o - q for o, q in zip(y, proba, strict=True) if q == p))
    sd = math.sqrt(sum(p * (1 - p) for p in proba))
    return (max(sums) - min(sums) if name == "kuiper" else max(map(abs, sums))) / sd


def test_values_of_mapie():
    """Statistics and asymptotic p-values are those of an independent implementation."""
    for y, proba, expected in CASES:
        # It adds noise of 1e-8 to the probabilities.
        assert expected["z"] == pytest.approx(spiegelhalter(y, proba).statistic, rel=1e-10)
        for name in ("kolmogorov", "kuiper"):
            result = calibration_cusum(y, proba, statistic=name, method="asymptotic")
            if expected[name] is not None:
                statistic, pvalue = expected[name]
                assert statistic == pytest.approx(result.statistic, rel=1e-6)
                assert pvalue == pytest.approx(result.pvalue, rel=1e-5, abs=1e-10)


def test_brier_score_of_all_outcomes():
    """z is the Brier score less its mean, over its standard deviation, by enumeration."""
    proba = [0.1, 0.35, 0.35, 0.8, 0.97]
    outcomes, chance = outcomes_of(proba)
    scores = np.mean((outcomes - np.array(proba)) ** 2, axis=1)
    mean = chance @ scores
    sd = math.sqrt(chance @ (scores - mean) ** 2)
    for y, score in zip(outcomes[::3], scores[::3], strict=True):
        result = spiegelhalter(y, proba, labels=[0, 1])

        assert (score - mean) / sd == pytest.approx(result.statistic, rel=1e-10, abs=1e-12)
        assert 2 * norm.sf(abs(result.statistic)) == pytest.approx(result.pvalue, rel=1e-10)


def test_brier_score_of_all_classes():
    """Classwise, the mean and variance are those of drawing one class per record."""
    proba = np.array([[0.2, 0.3, 0.5], [0.7, 0.2, 0.1], [0.05, 0.9, 0.05]])
    truths = np.array(list(product(range(3), repeat=3)))
    chance = np.array([np.prod([proba[i, k] for i, k in enumerate(t)]) for t in truths])
    scores = np.array([np.sum((proba - np.eye(3)[t]) ** 2) for t in truths])
    mean = chance @ scores
    sd = math.sqrt(chance @ (scores - mean) ** 2)
    for y, score in zip(truths, scores, strict=True):
        result = spiegelhalter(y, proba, kind="classwise", labels=[0, 1, 2])

        assert (score - mean) / sd == pytest.approx(result.statistic, rel=1e-10, abs=1e-12)


def test_two_classes_classwise():
    """Of two classes, both together say what the positive one says."""
    y, proba = random_labels(0)
    both = spiegelhalter(y, np.column_stack([1 - proba, proba]), kind="classwise")

    assert spiegelhalter(y, proba).statistic == pytest.approx(both.statistic, rel=1e-10)


@pytest.mark.parametrize("name", ["kuiper", "kolmogorov"])
def test_exact_pvalue_by_enumeration(name):
    """The simulated p-value is that of all outcomes; equal probabilities are one step."""
    proba = [0.2, 0.2, 0.2, 0.45, 0.6, 0.6, 0.9]
    outcomes, chance = outcomes_of(proba)
    statistics = np.array([walk_slowly(y, proba, name) for y in outcomes])
    for y in ([1, 1, 0, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 0, 1, 1]):
        observed = walk_slowly(y, proba, name)
        exact = chance[statistics >= observed - 1e-12].sum()
        result = calibration_cusum(y, proba, statistic=name, n_resamples=20_000)

        assert observed == pytest.approx(result.statistic, rel=1e-12)
        error = math.sqrt(exact * (1 - exact) / 20_000)
        assert exact == pytest.approx(result.pvalue, abs=4 * error + 1e-4)
        assert "simulation" == result.method


def other_series(name, x):
    """The distribution functions as theta series in 1 / x² instead of normal tails."""
    k = np.arange(50) + 0.5
    terms = np.exp(-((k * np.pi / x) ** 2) * (2 if name == "kuiper" else 0.5))
    if name == "kuiper":
        return np.sum((8 / x**2 + 2 / (k * np.pi) ** 2) * terms)
    return np.sum((-1.0) ** np.arange(50) / k * terms) * 2 / np.pi


@pytest.mark.parametrize("name", ["kuiper", "kolmogorov"])
def test_law_of_brownian_motion(name):
    """Asymptotic tails are those of another series for the same law, and fall from 1."""
    levels = np.linspace(0.2, 6, 59)
    tails = np.array([brownian_pvalue(name, x)[0] for x in levels])

    assert 1 - np.array([other_series(name, x) for x in levels]) == pytest.approx(
        tails, abs=1e-12
    )
    assert (np.diff(tails) <= 0).all()
    assert (1.0, 0.0) == brownian_pvalue(name, 0.0)


def test_published_law():
    """MAPIE documents P(range <= 1) = 0.0634; P(distance <= 1) is 4 / pi exp(-pi² / 8)."""
    assert 0.0634 == pytest.approx(1 - brownian_pvalue("kuiper", 1.0)[0], abs=5e-5)
    assert 0.3708 == pytest.approx(1 - brownian_pvalue("kolmogorov", 1.0)[0], abs=5e-5)


def test_far_tail():
    """Far beyond the doubles the logarithm stays exact, and p stays above 0."""
    y, proba = np.zeros(10_000, dtype=int), np.full(10_000, 0.9)
    result = calibration_cusum(y, proba, method="asymptotic", labels=[0, 1])
    expected = math.log(8) + norm.logsf(result.statistic)

    assert SMALLEST == result.pvalue
    assert expected == pytest.approx(result.log_pvalue, rel=1e-12)
    assert result.log_pvalue < -40_000


def test_order_of_records():
    """The order of the records changes nothing, though many probabilities are equal."""
    for test, seed in itertools.product(BOTH, range(3)):
        y, proba = random_labels(seed)
        order = np.random.default_rng(seed).permutation(len(y))
        one, other = test(y, proba), test(y[order], proba[order])

        assert one.statistic == pytest.approx(other.statistic, rel=1e-12)
        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-12)


def test_other_class():
    """Either of two classes may be the positive one."""
    for test, seed in itertools.product(BOTH, range(3)):
        y, proba = random_labels(seed)
        one, other = test(y, proba), test(y, 1 - proba, pos_label=0)

        assert one.statistic == pytest.approx(other.statistic, rel=1e-9)


def test_probabilities_equal_but_for_rounding():
    """Probabilities that differ by rounding are one step of the walk."""
    y = [1, 0, 1, 0, 1, 0]
    exact = calibration_cusum(y, [0.3, 0.3, 0.3, 0.6, 0.6, 0.6])
    rounded = calibration_cusum(
        y, [0.3, 0.1 + 0.2, 0.3, 0.6, 0.6 + 1e-16, np.nextafter(0.6, 0)]
    )

    assert exact.statistic == pytest.approx(rounded.statistic, rel=1e-12)
    assert exact.pvalue == rounded.pvalue


def test_negative_zero():
    """Minus zero is zero, the least of all probabilities."""
    y, proba = [0, 1, 0, 1], [0.0, 0.5, 0.2, 0.7]
    plain = calibration_cusum(y, proba)

    assert plain == calibration_cusum(y, [-0.0, *proba[1:]])


@pytest.mark.slow
def test_error_rate():
    """Calibrated probabilities are refuted about as often as alpha says, not more."""
    for test, options in [
        (spiegelhalter, {}),
        (calibration_cusum, {"method": "asymptotic"}),
        (calibration_cusum, {"method": "simulation", "n_resamples": 199}),
        (
            calibration_cusum,
            {"method": "simulation", "n_resamples": 199, "statistic": "kolmogorov"},
        ),
    ]:
        rng = np.random.default_rng(3)
        refuted = 0
        for k in range(600):
            proba = rng.beta(0.6, 0.6, size=80)
            if "n_resamples" in options:
                options = options | {"random_state": k}
            refuted += test(rng.random(80) < proba, proba, **options).pvalue <= 0.1

        low = 0.04 if options.get("method") == "asymptotic" else 0.065
        assert low <= refuted / 600 <= 0.14


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["top_label", "classwise"])
def test_error_rate_of_several_classes(kind):
    """So are calibrated probabilities of three classes."""
    rng = np.random.default_rng(4)
    refuted = 0
    for _ in range(600):
        proba = rng.dirichlet([0.8, 0.8, 0.8], size=80)
        y = (proba.cumsum(axis=1) < rng.random((80, 1))).sum(axis=1).clip(0, 2)
        refuted += spiegelhalter(y, proba, kind=kind, labels=[0, 1, 2]).pvalue <= 0.1

    assert 0.065 <= refuted / 600 <= 0.14


@pytest.mark.parametrize("test", BOTH)
def test_finds_overconfidence(test):
    """Predictions that are more extreme than the truth are refuted."""
    rng = np.random.default_rng(5)
    truth = rng.uniform(0.2, 0.8, size=500)
    claimed = truth**3 / (truth**3 + (1 - truth) ** 3)
    result = test(rng.random(500) < truth, claimed)

    assert result.pvalue < 0.001
    assert result.statistic > 3


def test_errors_that_cancel():
    """Cumulative differences see errors that leave the Brier score as promised."""
    proba = np.repeat([0.2, 0.8], 200)
    y = np.repeat([0, 1, 0, 1], [140, 60, 20, 180])

    assert 1 == pytest.approx(spiegelhalter(y, proba).pvalue, rel=1e-12)
    assert calibration_cusum(y, proba).pvalue < 0.001


@pytest.mark.parametrize("test", BOTH)
def test_certain_and_right(test):
    """Certain predictions that are all right leave nothing to test: p is 1."""
    result = test([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0])

    assert (0, 1, 0, ("degenerate",)) == (
        result.statistic,
        result.pvalue,
        result.log_pvalue,
        result.flags,
    )
    assert result.degenerate


@pytest.mark.parametrize("proba", [[0.5] * 4, [0.5, 0.5, 1.0, 0.0]])
def test_promise_without_variation(proba):
    """Coin flips have one Brier score only, so that Spiegelhalter's test says nothing."""
    assert (0, 1) == tuple(spiegelhalter([0, 1, 1, 0], proba))
    uniform = spiegelhalter([0, 1, 2], np.full((3, 3), 1 / 3), kind="classwise")
    assert (0, 1, True) == (*uniform, uniform.degenerate)


def test_certain_and_wrong():
    """What has probability 0 cannot happen: p is as small as can be, and a flag says so."""
    for test, (y, proba) in itertools.product(
        BOTH,
        [
            ([0, 1, 1], [0.0, 1.0, 0.0]),
            ([0, 0, 1], [0.3, 1.0, 0.6]),
            ([1, 0, 1], [0.0, 0.4, 0.5]),
        ],
    ):
        result = test(y, proba)

        assert (SMALLEST, -math.inf) == (result.pvalue, result.log_pvalue)
        assert ("impossible-outcome",) == result.flags
        assert not math.isnan(result.statistic)
        assert "p < 1e-300" in str(result)
        assert "which cannot happen" in str(result)


def test_one_class_only():
    """One class in the truth is no error: it may be evidence against the probabilities."""
    for label, test in itertools.product([0, 1], BOTH):
        surprised = test(np.full(50, label), np.full(50, 0.5 - 0.3 * (2 * label - 1)))
        at_ease = test(np.full(50, label), np.full(50, float(label)))

        assert surprised.pvalue < 1e-3
        assert 1 == at_ease.pvalue


def test_auto_method():
    """Few records are simulated, many are not, and the result says which."""
    y, proba = random_labels(0, n=2000)

    assert "simulation" == calibration_cusum(y, proba, n_resamples=99).method
    more = calibration_cusum(np.tile(y, 2), np.tile(proba, 2))
    assert "asymptotic" == more.method


def test_seed():
    """One seed gives one p-value, another seed another one; never 0."""
    y, proba = random_labels(1)
    one, same = (calibration_cusum(y, proba, n_resamples=999) for _ in range(2))
    other = calibration_cusum(y, proba, n_resamples=999, random_state=1)
    drifting = calibration_cusum(y, proba**4, n_resamples=99)

    assert one == same
    assert one.pvalue != other.pvalue == pytest.approx(one.pvalue, abs=0.1)
    assert 0.01 == drifting.pvalue
    assert math.log(0.01) == drifting.log_pvalue


def test_chunks_of_simulation(monkeypatch):
    """How many outcomes are drawn at a time changes nothing."""
    y, proba = random_labels(2)
    expected = calibration_cusum(y, proba, n_resamples=500)
    monkeypatch.setattr("skcompare.stats.calibration._calibration_tests.DRAWS_AT_ONCE", 777)

    assert expected == calibration_cusum(y, proba, n_resamples=500)


@pytest.mark.parametrize("test", BOTH)
def test_top_label(test):
    """More than two classes are collapsed to the predicted one by default."""
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 1, 1], size=60)
    y = rng.integers(3, size=60)
    collapsed = test(y == proba.argmax(axis=1), proba.max(axis=1))

    result = test(y, proba)

    assert "top_label" == result.kind
    assert (collapsed.statistic, collapsed.pvalue) == tuple(result)


@pytest.mark.parametrize("test", BOTH)
def test_result(test):
    """Results unpack, print, pickle and become plain values."""
    result = test(*random_labels(0))
    statistic, pvalue = result

    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    assert result == pickle.loads(pickle.dumps(result))
    plain = json.loads(json.dumps(result.to_dict()))
    assert (pvalue, 200, "binary") == (plain["pvalue"], plain["n"], plain["kind"])
    assert f"statistic {statistic:.4g}" in str(result)
    assert not result.degenerate
    assert [] == result.caveats


def test_error_of_cusum():
    """`details` has the range as a share of the records."""
    result = calibration_cusum([1, 1, 0], [0.2, 0.5, 0.9], n_resamples=9)

    assert 1.3 / 3 == pytest.approx(result.details["error"], rel=1e-12)


def test_bad_options():
    """Unknown options are refused by name."""
    for test, options, message in [
        (calibration_cusum, {"statistic": "ks"}, "Unknown statistic 'ks'"),
        (calibration_cusum, {"method": "exact"}, "Unknown method 'exact'"),
        (calibration_cusum, {"kind": "classwise"}, "Unknown kind 'classwise'"),
        (calibration_cusum, {"n_resamples": 0}, "`n_resamples` must be an integer"),
        (spiegelhalter, {"kind": "classes"}, "Unknown kind 'classes'"),
        (spiegelhalter, {"pos_label": 7}, "`pos_label` must be one of two classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            test([0, 1, 1], [0.2, 0.6, 0.7], **options)


@pytest.mark.parametrize("test", BOTH)
def test_docstring(test):
    """The docstring has all its sections."""
    for section in ("Parameters", "Returns", "Raises", "Notes", "References", "Examples"):
        assert f"\n{section}\n---" in inspect.getdoc(test)
    assert "null hypothesis" in inspect.getdoc(test)
