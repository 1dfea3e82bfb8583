"""Evidence of calibration: bins of two classifiers, how they merge, what they refuse."""

import itertools
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skcompare import PairedComparator
from skcompare._core.design import Design
from skcompare.evidence import PairedCalibration
from skcompare.predictions import EstimatorPredictions, Predictions
from tests.common.golden import golden

WORKED = {example["id"]: example for example in golden("calibration")["worked"]}
KINDS = ["binary", "top_label", "classwise"]


def random_labels(seed, n=120, n_classes=3):
    """True labels and probabilities of two classifiers, rounded so that some are equal."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.7), size=(2, n)).round(2)
    proba[..., -1] = 1 - proba[..., :-1].sum(axis=-1)
    proba = proba.clip(0, 1)
    y = (proba[0].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, n_classes - 1)
    y[:n_classes] = np.arange(n_classes)
    return y, proba[0], proba[1]


def evidence(kind, seed=0, **options):
    n_classes = 2 if kind == "binary" else 3
    predictions = random_labels(seed, n_classes=n_classes)
    return PairedCalibration.from_predictions(*predictions, kind=kind, **options)


def same(one, other):
    """Whether two pieces of evidence hold the same records and bins."""
    pairs = [
        (a, b)
        for name in ("proba", "outcomes", "codes")
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True)
    ]
    return (
        all(np.array_equal(a, b) for a, b in pairs)
        and (one.kind, one.n, one.n_bins, one.design, one.flags)
        == (other.kind, other.n, other.n_bins, other.design, other.flags)
        and np.array_equal(one.groups, other.groups)
    )


def errors_slowly(y, proba, n_bins, norm):
    """A calibration error over uniform bins, bin by bin."""
    total = 0.0
    for b in range(n_bins):
        low, high = b / n_bins, (b + 1) / n_bins if b < n_bins - 1 else 2
        inside = (proba >= low) & (proba < high)
        if inside.any():
            gap = abs(np.mean(y[inside]) - np.mean(proba[inside]))
            share = np.mean(inside)
            total = max(total, gap) if norm == "max" else total + share * gap**norm
    return total


def test_two_worked_classifiers():
    """Example 14.8: mean probabilities and shares of two classifiers in two bins."""
    inputs, expected = (WORKED["000-14.8-bins"][k] for k in ("inputs", "recomputed_value"))
    calibration = PairedCalibration.from_predictions(
        inputs["y"], inputs["p1"], inputs["p2"], edges=inputs["edges"]
    )

    for role, name in enumerate(["pbar1", "pbar2"]):
        bins = calibration.bins(role)
        assert expected[name] == pytest.approx(bins.mean_proba, rel=1e-12)
        assert expected["ybar"] == bins.mean_outcome.tolist()
        assert [3, 3] == bins.count.tolist()
    assert 0.2416667 == pytest.approx(calibration.error("champion"), abs=5e-8)
    assert 0.225 == pytest.approx(calibration.error("challenger"), rel=1e-12)
    assert (6, "binary", (2, 2)) == (calibration.n, calibration.kind, calibration.n_bins)


def test_worked_top_label():
    """Example 14.12: the confidence of exactly 1/2 is in the upper bin."""
    inputs, expected = (WORKED["000-14.12-top"][k] for k in ("inputs", "recomputed_value"))
    calibration = PairedCalibration.from_predictions(
        inputs["y"], inputs["P"], inputs["P"], edges=inputs["edges"]
    )
    bins = calibration.bins("champion")

    assert "top_label" == calibration.kind
    assert expected["conf"] == pytest.approx(bins.mean_proba, rel=1e-12)
    assert expected["acc"] == bins.mean_outcome.tolist()
    assert expected["ECE"] == pytest.approx(calibration.error(0), rel=1e-12)
    assert expected["accuracy"] == np.mean(calibration.outcomes[0])


def test_worked_classwise():
    """Example 14.12: the mean over three classes, each with two bins."""
    example = WORKED["000-14.12-classwise"]
    inputs, expected = example["inputs"], example["recomputed_value"]
    calibration = PairedCalibration.from_predictions(
        inputs["y"], inputs["P"], inputs["P"], n_bins=2, kind="classwise"
    )
    bins = calibration.bins(0)
    of_classes = (bins.gap * bins.count).reshape(3, 2).sum(axis=1) / calibration.n

    assert expected["per_class"] == pytest.approx(of_classes, rel=1e-12)
    assert expected["ECE"] == pytest.approx(calibration.error(0), rel=1e-12)
    assert (6, 3, (6, 6)) == (
        calibration.n,
        calibration.rows_per_record,
        calibration.n_bins,
    )


def test_events():
    """Each kind is about the events that it says, whoever predictions."""
    for kind, seed in itertools.product(KINDS, range(3)):
        predictions = random_labels(seed, n_classes=2 if kind == "binary" else 3)
        calibration = PairedCalibration.from_predictions(*predictions, kind=kind)
        y, *probas = predictions
        for role, proba in enumerate(probas):
            if kind == "binary":
                expected = proba[:, 1], y == 1
            elif kind == "top_label":
                expected = proba.max(axis=1), y == proba.argmax(axis=1)
            else:
                expected = proba.ravel(), np.eye(3)[y].ravel() == 1

            assert np.array_equal(expected[0], calibration.proba[role])
            assert np.array_equal(expected[1], calibration.outcomes[role])


def test_equally_probable_top_labels():
    """Of equally probable classes the first one is taken."""
    proba = [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]
    calibration = PairedCalibration.from_predictions([0, 2], proba, proba, labels=[0, 1, 2])

    assert [True, False] == calibration.outcomes[0].tolist()


def test_errors_bin_by_bin():
    """All norms are what going through the bins gives, with empty bins adding nothing."""
    for seed, n_bins in itertools.product(range(3), [1, 4, 15]):
        y, first, second = random_labels(seed, n=30, n_classes=2)
        calibration = PairedCalibration.from_predictions(y, first, second, n_bins=n_bins)
        for role, proba in enumerate([first[:, 1], second[:, 1]]):
            mean, square = (errors_slowly(y, proba, n_bins, power) for power in (1, 2))
            greatest = errors_slowly(y, proba, n_bins, "max")

            assert mean == pytest.approx(calibration.error(role), rel=1e-12)
            assert square == pytest.approx(
                calibration.error(role, "l2", squared=True), rel=1e-12
            )
            assert np.sqrt(square) == pytest.approx(
                calibration.error(role, "l2"), rel=1e-12
            )
            assert greatest == pytest.approx(calibration.error(role, "max"), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_debiased_square(kind):
    """The corrected square subtracts share (1 - share) / (n - 1) from every bin."""
    calibration = evidence(kind, n_bins=6)
    expected = 0.0
    for b in range(calibration.n_bins[1]):
        inside = calibration.codes[1] == b
        if inside.sum() > 1:
            p, y = calibration.proba[1][inside], calibration.outcomes[1][inside]
            spread = y.mean() * (1 - y.mean()) / (len(y) - 1)
            expected += np.mean(inside) * ((y.mean() - p.mean()) ** 2 - spread)

    actual = calibration.error(1, "l2", squared=True, debiased=True)

    assert expected == pytest.approx(actual, rel=1e-12)
    root = calibration.error(1, "l2", debiased=True)
    assert max(expected, 0) ** 0.5 == pytest.approx(root, rel=1e-12)


def test_debiased_mean_gap():
    """The corrected mean gap is that of drawing shares from their normal distribution."""
    bins = evidence("binary", n_bins=5).bins(0)
    share, n = bins.mean_outcome, bins.count
    rng = np.random.default_rng(0)
    drawn = rng.normal(share, np.sqrt(share * (1 - share) / n), size=(200_000, 5))
    expected = 2 * bins.error() - np.mean(np.abs(drawn - bins.mean_proba) @ bins.weight)

    assert expected == pytest.approx(bins.error(debiased=True), abs=3e-4)
    assert bins.error() != pytest.approx(bins.error(debiased=True), abs=3e-3)


def test_debiased_square_is_right_on_average():
    """Probabilities calibrated within bins have corrected square 0 on average."""
    rng = np.random.default_rng(1)
    proba = np.repeat([0.1, 0.4, 0.8], 20)
    errors = [
        PairedCalibration.from_predictions(
            rng.random(60) < proba, proba, proba, labels=[False, True]
        ).error(0, "l2", squared=True, debiased=True)
        for _ in range(300)
    ]

    assert 0 == pytest.approx(np.mean(errors), abs=4 * np.std(errors) / np.sqrt(300))


def test_swap():
    """Exchanging the roles exchanges everything that belongs to them, twice nothing."""
    for strategy, kind in itertools.product(["uniform", "equal_mass", "quantile"], KINDS):
        calibration = evidence(kind, strategy=strategy)
        swapped = calibration.swap()

        for role in (0, 1):
            assert np.array_equal(calibration.codes[role], swapped.codes[1 - role])
            assert calibration.error(role) == swapped.error(1 - role)
        assert same(calibration, swapped.swap())


def test_shards_add_up():
    """Shards with the same edges are the whole, record by record."""
    for kind, grouped in itertools.product(KINDS, [False, True]):
        predictions = random_labels(2, n_classes=2 if kind == "binary" else 3)
        groups = np.random.default_rng(0).choice(["a", "b", "c", "d"], size=120)
        whole = PairedCalibration.from_predictions(
            *predictions, kind=kind, groups=groups if grouped else None
        )
        shards = [
            PairedCalibration.from_predictions(
                *(each[rows] for each in predictions),
                kind=kind,
                labels=np.unique(predictions[0]),
                groups=groups[rows] if grouped else None,
            )
            for rows in (slice(0, 50), slice(50, 51), slice(51, None))
        ]

        assert same(whole, sum(shards))
        assert whole.n == sum(shard.n for shard in shards)


def test_shards_with_edges_of_the_first():
    """Edges that come from the records merge where one shard's are given to the others."""
    for kind, strategy in itertools.product(KINDS, ["equal_mass", "quantile"]):
        one = evidence(kind, 0, strategy=strategy)
        with pytest.raises(ValueError, match="pass `edges` of one shard to the others"):
            one + evidence(kind, 1, strategy=strategy)

        other = evidence(kind, 1, edges=one.edges)
        both = one + other

        assert one.n + other.n == both.n
        assert one.n_bins == both.n_bins
        counts = one.bins(0).count + other.bins(0).count
        assert counts.tolist() == both.bins(0).count.tolist()


def test_what_does_not_merge():
    """Evidence of other events, designs or groups is no shard of this one."""
    y, first, second = random_labels(0)
    top = PairedCalibration.from_predictions(y, first, second)
    with pytest.raises(ValueError, match="Only evidence of one kind of event"):
        top + PairedCalibration.from_predictions(y, first, second, kind="classwise")
    grouped = PairedCalibration.from_predictions(y, first, second, groups=y)
    with pytest.raises(ValueError, match="Only evidence of one design"):
        top + grouped
    plain = PairedCalibration(top.proba, top.outcomes, top.edges, top.kind, None, "kfold")
    coded = PairedCalibration(top.proba, top.outcomes, top.edges, top.kind, y, "kfold")
    with pytest.raises(ValueError, match="Pass `groups` for both, or for neither"):
        plain + coded
    named = PairedCalibration.from_predictions(y, first, second, groups=y.astype(str))
    with pytest.raises(ValueError, match="groups with labels of one type"):
        grouped + named
    with pytest.raises(TypeError):
        top + 1


@pytest.mark.parametrize("kind", KINDS)
def test_frozen_and_pickled(kind):
    """Evidence cannot be changed, and comes back from pickle as it went, read-only."""
    calibration = evidence(kind, groups=np.arange(120) % 7)
    restored = pickle.loads(pickle.dumps(calibration))

    assert same(calibration, restored)
    assert np.arange(7).tolist() == restored.group_labels.tolist()
    for array in (*restored.proba, *restored.outcomes, *restored.codes, restored.groups):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        calibration.kind = "binary"
    assert f"PairedCalibration(n=120, kind={kind!r}" in repr(calibration)
    assert "n_groups=7, design='grouped holdout'" in repr(calibration)


def test_passed_arrays_stay_as_they_are():
    """What is passed is neither kept nor made read-only."""
    y = np.array([0, 1, 1, 0])
    proba = np.array([0.1, 0.9, 0.4, 0.6])
    calibration = PairedCalibration.from_predictions(y, proba, proba)
    proba[0] = 1.0

    assert 0.1 == calibration.proba[0][0]


@pytest.mark.parametrize("strategy", ["uniform", "equal_mass"])
def test_identical_predictions(strategy):
    """The same predictions in both roles have the same errors."""
    y, proba, _ = random_labels(0)
    calibration = PairedCalibration.from_predictions(y, proba, proba, strategy=strategy)

    assert calibration.error("champion") == calibration.error("challenger") > 0


def test_perfect_predictions():
    """Certain and correct predictions have no error in any sense, corrected or not."""
    y = np.array([0, 1, 1, 0, 1])
    for strategy in ("uniform", "equal_mass", "quantile"):
        perfect = PairedCalibration.from_predictions(
            y, y.astype(float), y.astype(float), strategy=strategy
        )
        for norm in ("l1", "l2"):
            assert 0 == perfect.error(0, norm) == perfect.error(0, norm, debiased=True)
        assert 0 == perfect.error(0, "max")


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only(label):
    """With one class in the truth the error is that of the mean probability."""
    proba = np.array([0.2, 0.35, 0.9])
    calibration = PairedCalibration.from_predictions([label] * 3, proba, proba, n_bins=1)

    assert abs(label - proba.mean()) == pytest.approx(calibration.error(0), rel=1e-12)


def test_merged_bins_are_reported():
    """Where equal probabilities take the place of several bins a flag says so."""
    y = np.arange(100) % 2
    zeros = np.where(np.arange(100) < 80, 0.0, np.linspace(0.01, 0.99, 100))
    spread = np.linspace(0, 1, 100)
    short = PairedCalibration.from_predictions(
        y, zeros, spread, n_bins=10, strategy="equal_mass"
    )
    full = PairedCalibration.from_predictions(
        y, spread, spread, n_bins=10, strategy="equal_mass"
    )

    assert ((3, 10), ("merged-bins",)) == (short.n_bins, short.flags)
    assert ((10, 10), ()) == (full.n_bins, full.flags)


def test_curve():
    """The curve has edges, records and limits of each bin, NaN where it is empty."""
    calibration = PairedCalibration.from_predictions(
        [1, 0, 1, 0], [0.9, 0.2, 0.7, 0.3], [0.9, 0.2, 0.7, 0.3], n_bins=3
    )
    curve = calibration.curve("champion")

    assert [0, 1 / 3, 2 / 3] == curve.left.tolist()
    assert [1 / 3, 2 / 3, 1] == curve.right.tolist()
    assert [2, 0, 2] == curve.count.tolist()
    assert [0.25, None, 0.8] == [
        None if np.isnan(p) else pytest.approx(p) for p in curve.mean_proba
    ]
    assert np.isnan([curve.mean_outcome[1], curve.low[1], curve.high[1]]).all()
    # R binom::binom.confint(c(0, 2), 2, methods = "wilson").
    assert [0, 0.3423802] == pytest.approx(curve.low[[0, 2]], abs=5e-8)
    assert [0.6576198, 1] == pytest.approx(curve.high[[0, 2]], abs=5e-8)


def test_classwise_curve_has_the_bins_of_all_classes():
    """Bins of a class follow those of the class before it."""
    calibration = evidence("classwise", n_bins=4)
    curve = calibration.curve(1)

    assert [0, 0.25, 0.5, 0.75] * 3 == curve.left.tolist()
    assert [120] * 3 == curve.count.reshape(3, 4).sum(axis=1).tolist()
    with pytest.raises(ValueError, match="confidence_level"):
        calibration.curve(0, confidence_level=95)


def test_curve_as_frame():
    """The curve is a frame of one row per bin, and plain values."""
    pd = pytest.importorskip("pandas")
    curve = evidence("binary", n_bins=4).curve(0)
    frame = curve.to_frame()

    assert isinstance(frame, pd.DataFrame)
    assert curve.mean_outcome.tolist() == frame["mean_outcome"].tolist()
    assert curve.to_dict()["count"] == frame["count"].tolist()
    assert 0.95 == curve.to_dict()["confidence_level"]


def test_positive_class():
    """Of two columns class 1 is the event, else the second, unless `pos_label` says."""
    for labels, options, positive in [
        ([0, 1], {}, 1),
        ([False, True], {}, True),
        ([-1, 1], {}, 1),
        ([1, 2], {}, 1),
        (["no", "yes"], {}, "yes"),
        (["no", "yes"], {"pos_label": "no"}, "no"),
        ([0, 1], {"pos_label": 0}, 0),
    ]:
        codes, proba, _ = random_labels(0, n_classes=2)
        y = np.array(labels)[codes]
        predictions = Predictions(
            np.array(labels),
            codes,
            (
                EstimatorPredictions("a", "", None, proba),
                EstimatorPredictions("b", "", None, proba),
            ),
        )
        for calibration in (
            PairedCalibration.from_predictions(y, proba, proba, **options),
            PairedCalibration.from_pair(predictions.pair("a", "b"), **options),
        ):
            assert np.array_equal(y == positive, calibration.outcomes[0])
            column = proba[:, labels.index(positive)]
            assert np.array_equal(column, calibration.proba[1])


def test_one_column_is_of_the_positive_class():
    """A vector holds probabilities of `pos_label`, which strings must name."""
    y, proba = ["no", "yes", "no"], [0.2, 0.7, 0.4]
    with pytest.raises(ValueError, match="pass `pos_label`"):
        PairedCalibration.from_predictions(y, proba, proba)

    named = PairedCalibration.from_predictions(y, proba, proba, pos_label="no")

    assert [True, False, True] == named.outcomes[0].tolist()
    assert proba == named.proba[0].tolist()


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_top_label_of_one_column(pos_label):
    """The top label of a vector is the positive class where it has more than 1/2."""
    y, proba = np.array(["no", "yes", "no"]), np.array([0.2, 0.7, 0.9])
    calibration = PairedCalibration.from_predictions(
        y, proba, proba, kind="top_label", pos_label=pos_label
    )

    assert [0.8, 0.7, 0.9] == pytest.approx(calibration.proba[0])
    assert ((proba > 0.5) == (y == pos_label)).tolist() == calibration.outcomes[0].tolist()


def test_from_pair_of_cross_validation():
    """Predictions of all test sets are taken, with their records' truth and groups."""
    codes, first, second = random_labels(0, n=12)
    records = np.array([5, 0, 3, 11, 2, 1])
    predictions = Predictions(
        np.arange(3),
        codes,
        (
            EstimatorPredictions("a", "", None, first[records]),
            EstimatorPredictions("b", "", None, second[records]),
        ),
        design=Design("kfold", 1, 2, grouped=True),
        records=records,
        bounds=np.array([0, 3, 6]),
        groups=np.arange(12) // 3,
    )
    calibration = PairedCalibration.from_pair(predictions.pair("a", "b"), n_bins=4)
    expected = PairedCalibration.from_predictions(
        codes[records],
        first[records],
        second[records],
        n_bins=4,
        labels=[0, 1, 2],
        groups=records // 3,
    )

    assert np.array_equal(expected.codes, calibration.codes)
    assert np.array_equal(expected.outcomes, calibration.outcomes)
    assert [1, 0, 1, 3, 0, 0] == calibration.group_labels[calibration.groups].tolist()
    assert "grouped kfold" == calibration.design.name


@pytest.mark.parametrize("n_classes", [2, 3])
def test_from_estimators(n_classes):
    """Fitted classifiers' own probabilities make the same evidence."""
    X, y = make_classification(
        n_samples=150, n_informative=4, n_classes=n_classes, random_state=0
    )
    models = LogisticRegression().fit(X, y), GaussianNB().fit(X, y)
    comparator = PairedComparator(*models, cv="prefit", scoring="neg_log_loss").fit(X, y)
    pair = comparator.predictions_.pair("champion", "challenger")
    expected = PairedCalibration.from_predictions(y, *(m.predict_proba(X) for m in models))

    actual = PairedCalibration.from_pair(pair)

    assert ("binary" if n_classes == 2 else "top_label") == actual.kind
    assert expected.error(0) == pytest.approx(actual.error(0), rel=1e-9)
    assert expected.error(1) == pytest.approx(actual.error(1), rel=1e-9)


def test_classifier_without_probabilities():
    """Decision scores are no probabilities, and the message says whose they are."""
    decision = LinearSVC().fit([[0], [1]], [0, 1]).decision_function([[0], [1]])
    predictions = (
        EstimatorPredictions("svm", "", None, None, decision),
        EstimatorPredictions("b", "", None, None),
    )
    collected = Predictions(np.arange(2), np.array([0, 1]), predictions)

    with pytest.raises(ValueError, match="svm have no probabilities"):
        PairedCalibration.from_pair(collected.pair("svm", "b"))


def test_bad_options():
    """What cannot be is refused with what to do."""
    for options, message in [
        ({"n_bins": 0}, "`n_bins` must be an integer of at least 1"),
        ({"strategy": "width"}, "Unknown strategy 'width'"),
        ({"kind": "multiclass"}, "Unknown kind 'multiclass'"),
        ({"kind": "binary"}, "kind='binary' needs two classes. Got 3"),
        ({"edges": 10}, "Pass `n_bins` for a number of bins"),
        ({"edges": [0.2, 1]}, "must increase from 0 to 1"),
        ({"edges": [[0, 1], [0, 1], [0, 1]]}, "of champion and challenger"),
        ({"edges": ([[0, 1]] * 2, [0, 1]), "kind": "classwise"}, "for each of 3 classes"),
        ({"groups": [1, 2]}, "groups has 2"),
        ({"labels": [2, 1, 0]}, "`labels` must be different and sorted"),
        ({"labels": [0, 1]}, "not classes: 2"),
        ({"pos_label": 1}, "needs two classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedCalibration.from_predictions(*random_labels(0), **options)


def test_bad_probabilities():
    """Probabilities are in [0, 1], one column per class, and rows sum to 1."""
    for proba, message in [
        ([0.1, np.nan], "missing values"),
        ([0.1, 1.2], r"probabilities in \[0, 1\]"),
        ([-0.1, 1], r"probabilities in \[0, 1\]"),
        ([0.1], "one entry per record"),
        ([], "one entry per record"),
        ([[0.1], [0.2]], "columns|shape"),
        ([[0.1, 0.2], [0.5, 0.5]], "must sum to 1"),
        ([[0.1, 0.2, 0.7], [0.5, 0.5, 0]], "Pass `labels`"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedCalibration.from_predictions([0, 1], proba, [0.5, 0.5])
        with pytest.raises(ValueError, match=message):
            PairedCalibration.from_predictions([0, 1], [0.5, 0.5], proba)


def test_bad_arrays():
    """The constructor checks what it is given."""
    for arguments, message in [
        (([[0.5, 2]] * 2, [[0, 1]] * 2, [[0, 1]] * 2), "`proba` must be two arrays"),
        (([[0.5, np.nan]] * 2, [[0, 1]] * 2, [[0, 1]] * 2), "`proba` must be two arrays"),
        (([[0.5]] * 2, [[2]] * 2, [[0, 1]] * 2), "`outcomes` must be two arrays"),
        (([[0.5]] * 3, [[1]] * 2, [[0, 1]] * 2), "must be pairs"),
        (([[0.5], [0.5, 1]], [[1]] * 2, [[0, 1]] * 2), "same order"),
        (
            ([[0.5]] * 2, [[1]] * 2, [[[0, 1]] * 2] * 2, "classwise"),
            "row per record and class",
        ),
        (([[0.5]] * 2, [[1]] * 2, [[0, 1]] * 2, "auto"), "Unknown kind 'auto'"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairedCalibration(*arguments)


def test_roles_and_norms():
    """Roles go by number or name; norms that do not go together are refused."""
    calibration = evidence("binary")

    assert calibration.error(0) == calibration.error("champion")
    with pytest.raises(ValueError, match="Unknown role 'winner'"):
        calibration.bins("winner")
    with pytest.raises(ValueError, match="`role` must be one of"):
        calibration.bins(2)
    with pytest.raises(ValueError, match="Unknown norm 'l3'"):
        calibration.error(0, "l3")
    with pytest.raises(ValueError, match="squared=True goes with norm='l2'"):
        calibration.error(0, squared=True)
    with pytest.raises(ValueError, match="no correction is known"):
        calibration.error(0, "max", debiased=True)
