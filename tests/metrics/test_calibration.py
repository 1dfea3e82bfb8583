"""Calibration errors and curves: values of others, worked examples, conventions."""

import itertools
from itertools import pairwise

import numpy as np
import pytest
from sklearn.calibration import calibration_curve as sklearn_curve
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB

from skcompare import PairedComparator
from skcompare.evidence import PairedCalibration
from skcompare.metrics import (
    calibration_curve,
    classwise_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
    resolve_scoring,
    smooth_calibration_error,
    squared_calibration_error,
    sweep_calibration_error,
)
from tests.common.golden import golden

GOLDEN = golden("calibration")
WORKED = {example["id"]: example for example in GOLDEN["worked"]}
CASES = [
    (case, model, kind)
    for case in GOLDEN["cases"]
    for model in case["models"]
    for kind in model["errors"]
]
ERRORS = [
    expected_calibration_error,
    squared_calibration_error,
    maximum_calibration_error,
    classwise_calibration_error,
]


def random_labels(seed, n=200, n_classes=2):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.8), size=n)
    y = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, n_classes - 1)
    y[:n_classes] = np.arange(n_classes)
    return y, proba


def test_values_of_others():
    """Errors are those that independent implementations give for the same bins."""
    for case, model, kind in CASES:
        proba = np.array(model["proba"]).astype(case["dtype"])
        for known in model["errors"][kind]:
            options = {name: known[name] for name in ("n_bins", "strategy", "norm")}
            actual = expected_calibration_error(case["y"], proba, kind=kind, **options)

            assert known["value"] == pytest.approx(actual, rel=1e-10, abs=1e-14)


def test_worked_examples():
    """The textbook's ECE of two classifiers, of top labels, and of every class."""
    two, top = WORKED["000-14.8-bins"]["inputs"], WORKED["000-14.12-top"]["inputs"]
    every = WORKED["000-14.12-classwise"]["recomputed_value"]
    labels, proba = np.array(top["y"]), np.array(top["P"])

    for name, expected in (("p1", 0.2416667), ("p2", 0.225)):
        error = expected_calibration_error(two["y"], two[name], n_bins=2)
        assert expected == pytest.approx(error, abs=5e-8)
    error = expected_calibration_error(labels, proba, n_bins=2)
    assert 0.2666667 == pytest.approx(error, abs=5e-8)
    error = classwise_calibration_error(labels, proba, n_bins=2)
    assert 0.1777778 == pytest.approx(error, abs=5e-8)
    for k, expected in enumerate(every["per_class"]):
        error = expected_calibration_error(labels == k, proba[:, k], n_bins=2)
        assert expected == pytest.approx(error, rel=1e-12)


def test_curve_of_sklearn():
    """Off the edges the curve is scikit-learn's, without leaving out empty bins."""
    for seed, strategy in itertools.product(range(3), ["uniform", "quantile"]):
        y, proba = random_labels(seed, n=60)
        share, mean = sklearn_curve(y, proba[:, 1], n_bins=7, strategy=strategy)
        # scikit-learn's bins hold their upper edge, so that those of quantiles, which are
        # probabilities themselves, are left to the test of golden values.
        curve = calibration_curve(y, proba, n_bins=7, strategy="uniform")
        if strategy == "quantile":
            edges = np.quantile(proba[:, 1], np.arange(8) / 7)
            middle = np.nextafter(edges[1:-1], 2)
            curve = calibration_curve(y, proba, edges=[0, *middle, 1])

        full = curve.count > 0
        assert share == pytest.approx(curve.mean_outcome[full], rel=1e-12)
        assert mean == pytest.approx(curve.mean_proba[full], rel=1e-12)


def test_wilson_limits():
    """Limits of a bin by statsmodels 0.15.0, proportion_confint(method="wilson")."""
    for share, n, level, low, high in [
        (0, 2, 0.95, 0.0, 0.657619772493347),
        (1, 2, 0.95, 0.342380227506653, 1.0),
        (0.3, 10, 0.95, 0.10779126740630104, 0.6032218525388546),
        (7 / 9, 9, 0.9, 0.5036427823767538, 0.9235052624456037),
    ]:
        y = np.arange(n) < round(share * n)
        curve = calibration_curve(y, np.full(n, 0.5), n_bins=1, confidence_level=level)

        assert [low] == pytest.approx(curve.low, rel=1e-12)
        assert [high] == pytest.approx(curve.high, rel=1e-12)


def test_evidence_has_the_same_errors():
    """A metric and the evidence of two classifiers are computed in one place."""
    for strategy, kind in itertools.product(
        ["uniform", "equal_mass", "quantile"], ["binary", "top_label", "classwise"]
    ):
        y, proba = random_labels(0, n_classes=2 if kind == "binary" else 3)
        options = {"n_bins": 8, "strategy": strategy, "kind": kind}
        evidence = PairedCalibration.from_predictions(y, proba, proba, **options)

        for norm in ("l1", "l2"):
            for debiased in (False, True):
                assert evidence.error(
                    0, norm, debiased=debiased
                ) == expected_calibration_error(
                    y, proba, norm=norm, debiased=debiased, **options
                )
        for debiased in (False, True):
            expected = evidence.error(0, "l2", squared=True, debiased=debiased)
            actual = squared_calibration_error(y, proba, debiased=debiased, **options)
            assert expected == actual
        assert evidence.error(0, "max") == maximum_calibration_error(y, proba, **options)
        if kind == "classwise":
            del options["kind"]
            assert evidence.error(0) == classwise_calibration_error(y, proba, **options)


def test_reliability_of_the_brier_score():
    """Where each probability has a bin, the square is the reliability term of Murphy."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        proba = rng.integers(10, size=80) / 10
        y = rng.random(80) < proba
        resolution = sum(
            np.mean(proba == p) * (y[proba == p].mean() - y.mean()) ** 2 for p in set(proba)
        )
        uncertainty = y.mean() * (1 - y.mean())
        expected = brier_score_loss(y, proba) + resolution - uncertainty

        assert expected == pytest.approx(
            squared_calibration_error(y, proba, n_bins=10, debiased=False), rel=1e-10
        )


def test_chance_adds_to_the_error():
    """Calibrated probabilities have errors by chance, which the correction takes out."""
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(300):
        proba = rng.random(100)
        y = rng.random(100) < proba
        plain.append(expected_calibration_error(y, proba))
        corrected.append(squared_calibration_error(y, proba))

    # Measured for 15 bins and 100 records: 0.120.
    assert 0.12 == pytest.approx(np.mean(plain), abs=0.01)
    assert 0 == pytest.approx(np.mean(corrected), abs=0.002)


def test_probability_of_one_is_in_the_last_bin():
    """Certain predictions share the last bin with those that are nearly so."""
    assert 0.45 == pytest.approx(expected_calibration_error([1, 0], [0.9, 1.0], n_bins=10))


@pytest.mark.parametrize("probability", [0.3, 0.6, 0.7])
def test_probability_on_an_edge(probability):
    """A probability on an edge is in the bin above, in spite of rounding."""
    # In one bin the two gaps cancel, in two they would not.
    above = probability + 0.05
    error = expected_calibration_error([1, 0], [probability, above], n_bins=10)

    assert abs(0.5 - (probability + 0.025)) == pytest.approx(error)


@pytest.mark.parametrize("strategy", ["uniform", "equal_mass", "quantile"])
def test_all_zeros(strategy):
    """Probabilities that are all 0 have the share of events as their error."""
    y = [0, 1, 0, 0]

    error = expected_calibration_error(y, [0.0] * 4, strategy=strategy)

    assert 0.25 == error


def test_one_class_only():
    """One class in the truth is no obstacle: the error is that of one share."""
    for label, error in itertools.product([0, 1], ERRORS[:3]):
        proba = np.array([0.2, 0.4, 0.3])
        gap = abs(label - proba.mean())

        # A share of 0 or 1 has no variance to correct for.
        actual = error([label] * 3, proba, n_bins=1)

        assert (gap**2 if error is squared_calibration_error else gap) == pytest.approx(
            actual
        )


def test_perfect_predictions():
    """Certain and correct predictions have no error."""
    for error, n_classes in itertools.product(
        [*ERRORS, sweep_calibration_error, smooth_calibration_error], [2, 4]
    ):
        y = np.random.default_rng(0).permutation(np.arange(20) % n_classes)

        assert 0 == error(y, np.eye(n_classes)[y])


def test_class_without_records():
    """Classwise, a class counts though no record is of it."""
    proba = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1]]
    error = classwise_calibration_error([0, 1], proba, n_bins=1, labels=[0, 1, 2])

    assert np.mean([0.1, 0.0, 0.1]) == pytest.approx(error)


def sweep_slowly(y, proba):
    """Largest number of groups, one more at a time, with shares in order."""
    order = np.argsort(proba, kind="stable")
    groups = [np.arange(len(y))]
    for n_bins in range(2, len(y) + 1):
        finer = np.array_split(np.arange(len(y)), n_bins)
        shares = [y[order][g].mean() for g in finer]
        if any(a > b + 1e-12 for a, b in pairwise(shares)):
            break
        groups = finer
    gaps = [abs(y[order][g].mean() - proba[order][g].mean()) for g in groups]
    return sum(gap * len(g) for gap, g in zip(gaps, groups, strict=True)) / len(y)


def test_sweep():
    """The sweep stops at the first share out of order."""
    for seed in range(10):
        y, proba = random_labels(seed, n=20 + 13 * seed)
        proba = proba[:, 1]

        assert sweep_slowly(y, proba) == pytest.approx(
            sweep_calibration_error(y, proba), rel=1e-10
        )


def test_sweep_of_nearly_separated_classes():
    """So it does where bins become many, and where one class is nearly all there is."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = 60 + seed
        proba = np.sort(rng.random(n))
        y = (np.arange(n) >= n * rng.random()).astype(int)
        flipped = rng.integers(n, size=1 + seed % 3)
        y[flipped] = 1 - y[flipped]

        expected = sweep_slowly(y, proba)

        assert expected == pytest.approx(sweep_calibration_error(y, proba, labels=[0, 1]))
        other = sweep_calibration_error(1 - y, 1 - proba, labels=[0, 1])
        assert sweep_slowly(1 - y[::-1], 1 - proba[::-1]) == pytest.approx(other)


def test_sweep_of_separated_classes():
    """Where shares never fall, every probability is a bin of its own."""
    y, proba = np.repeat([0, 1], 50), np.linspace(0, 1, 100)

    assert np.mean(np.abs(y - proba)) == pytest.approx(sweep_calibration_error(y, proba))


def test_sweep_does_not_depend_on_order():
    """Equal probabilities stay together, so that the order of records does not matter."""
    y, proba = random_labels(0)
    proba = proba[:, 1].round(1)
    order = np.random.default_rng(0).permutation(len(y))

    assert sweep_calibration_error(y, proba) == pytest.approx(
        sweep_calibration_error(y[order], proba[order]), rel=1e-12
    )


def smoothed_slowly(y, proba, width):
    """Mean absolute excess under a Gaussian kernel reflected many times at 0 and 1."""
    t = np.linspace(0, 1, 4001)
    total = np.zeros_like(t)
    for p, event in zip(proba, y, strict=True):
        for k in range(-3, 4):
            for image in (2 * k + p, 2 * k - p):
                total += (event - p) * np.exp(-(((t - image) / width) ** 2) / 2)
    total = np.abs(total) / (width * np.sqrt(2 * np.pi) * len(y))
    return np.sum((total[1:] + total[:-1]) / 2) / 4000


def test_smooth_error_is_its_own_width():
    """Smoothed by a kernel as wide as the error, the mean absolute excess is the error."""
    for seed in range(4):
        y, proba = random_labels(seed, n=30)
        proba = proba[:, 1] ** (1 + seed)

        error = smooth_calibration_error(y, proba)

        assert smoothed_slowly(y, proba, error) == pytest.approx(error, rel=1e-4)


def test_smooth_error_of_one_sided_probabilities():
    """Where all events are more frequent than promised it is the mean excess."""
    y, proba = np.repeat([1, 0], [90, 10]), np.full(100, 0.6)

    assert 0.3 == pytest.approx(smooth_calibration_error(y, proba), rel=1e-12)


def test_smooth_error_has_no_jumps():
    """A probability that moves across the edge of a bin moves the error hardly at all."""
    y, below = np.arange(40) % 2, np.full(40, 0.5 - 1e-9)
    above = np.where(y == 1, 0.5 + 1e-9, below)
    binned = [expected_calibration_error(y, p, n_bins=2) for p in (below, above)]
    smooth = [smooth_calibration_error(y, p) for p in (below, above)]

    assert 0.5 == pytest.approx(binned[1] - binned[0], abs=1e-6)
    assert smooth[0] == pytest.approx(smooth[1], abs=2e-4)


def test_smooth_error_of_top_labels():
    """More than two classes are collapsed to the predicted one."""
    y, proba = random_labels(0, n_classes=3)
    expected = smooth_calibration_error(y == proba.argmax(axis=1), proba.max(axis=1))

    assert expected == smooth_calibration_error(y, proba)


def test_integer_weights_are_repetition():
    """A record of weight 3 counts as three records, for every kind and norm."""
    for kind, norm, debiased in itertools.product(
        ["binary", "top_label", "classwise"], ["l1", "l2", "max"], [False, True]
    ):
        y, proba = random_labels(1, n=50, n_classes=2 if kind == "binary" else 3)
        weights = np.random.default_rng(0).integers(4, size=50)
        options = {"n_bins": 2, "norm": norm, "kind": kind, "labels": np.unique(y)}
        options["debiased"] = debiased and norm != "max"
        rows = np.arange(50).repeat(weights)
        repeated = expected_calibration_error(y[rows], proba[rows], **options)
        weighted = expected_calibration_error(y, proba, sample_weight=weights, **options)

        assert repeated == pytest.approx(weighted, rel=1e-12)
        assert weighted != expected_calibration_error(y, proba, **options)


@pytest.mark.parametrize("strategy", ["equal_mass", "quantile"])
def test_weights_of_equal_mass(strategy):
    """Bins of equal numbers of records have no use for weights."""
    y, proba = random_labels(0)
    with pytest.raises(ValueError, match="`sample_weight` goes with strategy='uniform'"):
        maximum_calibration_error(y, proba, sample_weight=np.ones(200), strategy=strategy)


def test_weights_of_a_curve():
    """Weights make weighted means, and intervals of Kish's effective numbers of records."""
    y, proba = random_labels(3, n=80)
    weights = np.random.default_rng(1).exponential(size=80)
    curve = calibration_curve(y, proba, n_bins=3, sample_weight=weights)
    in_bin = np.minimum((proba[:, 1] * 3).astype(int), 2)
    for b in range(3):
        w, events = weights[in_bin == b], y[in_bin == b]
        share, n = np.average(events, weights=w), w.sum() ** 2 / (w**2).sum()
        # Wilson's limits are the shares from which it is 1.96 standard deviations away.
        for limit in (curve.low[b], curve.high[b]):
            z = (share - limit) / np.sqrt(limit * (1 - limit) / n)
            assert 1.959963984540054 == pytest.approx(abs(z), rel=1e-9)
        assert w.sum() == pytest.approx(curve.count[b])
        assert share == pytest.approx(curve.mean_outcome[b])


def test_equal_weights_of_a_curve():
    """Weights that are all the same leave shares and intervals as they are."""
    y, proba = random_labels(4, n=60)
    edges = [0, 0.3, 0.35, 1]
    plain = calibration_curve(y, proba, edges=edges)
    weighted = calibration_curve(y, proba, edges=edges, sample_weight=np.full(60, 0.2))

    for name in ("mean_proba", "mean_outcome", "low", "high"):
        expected = getattr(plain, name)
        assert expected == pytest.approx(getattr(weighted, name), rel=1e-9, nan_ok=True)
    assert 0.2 * plain.count == pytest.approx(weighted.count)
    with pytest.raises(ValueError, match="goes with strategy='uniform'"):
        calibration_curve(y, proba, strategy="quantile", sample_weight=np.ones(60))


def test_weights_that_do_not_count():
    """The correction needs numbers of records, so that weights must be whole."""
    y, proba = random_labels(0)
    with pytest.raises(ValueError, match=r"in whole numbers. Got 0.5"):
        squared_calibration_error(y, proba, sample_weight=np.full(200, 0.5))

    plain = squared_calibration_error(y, proba, debiased=False)
    assert plain == pytest.approx(
        squared_calibration_error(
            y, proba, debiased=False, sample_weight=np.full(200, 0.5)
        ),
        rel=1e-12,
    )


def test_positive_class_of_strings():
    """A vector of probabilities needs `pos_label` where no class is 1; columns do not."""
    codes, proba = random_labels(0)
    y = np.array(["sick", "well"])[codes]
    for error in [*ERRORS[:3], sweep_calibration_error]:
        with pytest.raises(ValueError, match="pass `pos_label`"):
            error(y, proba[:, 1])

        expected = error(codes, proba[:, 1])
        assert expected == error(y, proba[:, 1], pos_label="well") == error(y, proba)
        assert error(1 - codes, proba[:, 0]) == error(y, proba[:, 0], pos_label="sick")
        assert error(1 - codes, proba[:, 0]) == error(y, proba, pos_label="sick")


def test_classwise_of_one_column():
    """Of two classes one column stands for both."""
    y, proba = random_labels(0)
    both = classwise_calibration_error(y, proba)

    assert both == pytest.approx(classwise_calibration_error(y, proba[:, 1]), rel=1e-12)


def test_scoring_by_name():
    """Each error is a scorer by its name, with `neg_` a greater-is-better one."""
    for n_classes in (2, 3):
        X, y = make_classification(
            n_samples=200, n_informative=4, n_classes=n_classes, random_state=0
        )
        y = np.array(["a", "b", "c"])[y]
        models = LogisticRegression().fit(X, y), GaussianNB().fit(X, y)
        for error in [*ERRORS, smooth_calibration_error]:
            name = error.__name__
            plain, negated = resolve_scoring([name, f"neg_{name}"])

            for model in models:
                expected = error(y, model.predict_proba(X))
                assert expected == pytest.approx(plain.scorer(model, X, y), rel=1e-9)
                assert -expected == pytest.approx(negated.scorer(model, X, y), rel=1e-9)
            assert (False, True) == (plain.greater_is_better, negated.greater_is_better)


def test_report_has_the_metric():
    """A comparison reports for each classifier what the metric says, corrected as it is."""
    X, y = make_classification(n_samples=200, n_informative=4, random_state=0)
    models = LogisticRegression().fit(X, y), GaussianNB().fit(X, y)
    comparator = PairedComparator(*models, cv="prefit", scoring="squared_calibration_error")
    (row, *_) = comparator.fit(X, y).comparison_.rows

    for model, value in zip(models, (row.champion, row.challenger), strict=True):
        expected = squared_calibration_error(y, model.predict_proba(X))
        assert expected == pytest.approx(value, rel=1e-9)


def test_bad_options():
    """What cannot be is refused with what to do."""
    for options, message in [
        ({"n_bins": 0}, "`n_bins` must be an integer of at least 1"),
        ({"strategy": "adaptive"}, "Unknown strategy 'adaptive'"),
        ({"norm": "l0"}, "Unknown norm 'l0'"),
        ({"kind": "marginal"}, "Unknown kind 'marginal'"),
        ({"norm": "max", "debiased": True}, "no correction is known"),
        ({"labels": [0, 1, 2]}, r"shape \(n_samples, 3\)"),
        ({"pos_label": 5}, "`pos_label` must be one of two classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            expected_calibration_error(*random_labels(0), **options)


def test_bad_switch():
    """`debiased` is True or False, and no name."""
    with pytest.raises(TypeError, match="`debiased` must be True or False"):
        expected_calibration_error(*random_labels(0), debiased="l2")


@pytest.mark.parametrize(
    "function", [sweep_calibration_error, smooth_calibration_error, calibration_curve]
)
def test_one_set_of_bins_only(function):
    """A curve, and bins that the data choose, are of one event per record."""
    with pytest.raises(ValueError, match="Unknown kind 'classwise'"):
        function(*random_labels(0, n_classes=3), kind="classwise")
