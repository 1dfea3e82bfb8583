"""Arrays of torch and of a strict array API: the numbers of numpy, computed where they are.

What is refused is refused in the same words, so that each check runs both ways and compares
what came out, a value or an error.
"""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
import sklearn

import skcompare._core.arrays as arrays
from skcompare import compare
from skcompare._registry import metrics as registry
from skcompare.evidence import (
    AgreementMatrix,
    AgreementMoments,
    ClassPlacementValues,
    ClusterSums,
    ContingencyTable,
    CorrectnessPatterns,
    CorrelationMoments,
    JointCounts,
    JointLosses,
    OrderedDifferences,
    PairedBlocks,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
    ScoredPair,
    record_losses,
)
from skcompare.evidence.core import _device
from skcompare.metrics import (
    calibration_curve,
    metric,
    metrics,
    score_decomposition,
    sweep_calibration_error,
)

N = 257
PAGE = Path(__file__).parents[2] / "doc" / "user_guide" / "array_api.rst"


def torch_place(read_on_cpu=False):
    """A function that makes tensors on the CPU of what numpy has."""
    torch = pytest.importorskip("torch")
    _device.READ_ON_CPU = read_on_cpu
    return torch.asarray


def strict_place(device):
    """A function that makes arrays which have nothing but the standard."""
    strict = pytest.importorskip("array_api_strict")
    if device != "CPU_DEVICE" and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip("array_api_strict copies from its devices by a function of numpy 2")
    on = strict.Device(device)
    return lambda values: strict.asarray(values, device=on)


PLACES = {
    "torch": torch_place,
    "torch, read by numpy": lambda: torch_place(read_on_cpu=True),
    "strict": lambda: strict_place("CPU_DEVICE"),
    "strict elsewhere": lambda: strict_place("device1"),
}


@pytest.fixture(autouse=True)
def as_elsewhere(monkeypatch):
    """What tests say of tensors on the CPU ends with the test."""
    monkeypatch.setattr(_device, "READ_ON_CPU", True)


@pytest.fixture(params=list(PLACES))
def place(request, as_elsewhere):
    """What brings arrays of numpy to another library."""
    return PLACES[request.param]()


@pytest.fixture
def dispatch(monkeypatch):
    """scikit-learn's option that lets arrays of other libraries through."""
    # scikit-learn wants scipy to have been told as well, which is not used here.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    try:
        with sklearn.config_context(array_api_dispatch=True):
            yield
    except ImportError as error:
        pytest.skip(str(error))


@pytest.fixture
def copies(monkeypatch):
    """Numbers of elements of the arrays that are copied from a device."""
    sizes = []
    copied = arrays._copied

    def watched(values):
        found = copied(values)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(arrays, "_copied", watched)
    return sizes


def made(seed=0, n=N):
    """Predictions for the same records in every form that is taken."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    labels = [
        np.where(rng.random(n) < share, y, rng.integers(3, size=n)) for share in (0.6, 0.8)
    ]
    proba = [rng.dirichlet(np.ones(3), size=n) for _ in range(2)]
    scores = [np.round(rng.random(n), 2), rng.random(n)]
    return {
        "y": y,
        "labels": labels,
        "proba": proba,
        "binary": (y > 0).astype(np.int64),
        "called": [(one > 0).astype(np.int64) for one in labels],
        "scores": scores,
        "groups": rng.integers(9, size=n),
        "weights": rng.integers(4, size=n).astype(np.float64),
    }


def moved(values, place):
    """Arrays of numpy brought to another library, wherever they are in a value."""
    if isinstance(values, np.ndarray):
        return place(values)
    if isinstance(values, dict):
        return {name: moved(value, place) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(moved(value, place) for value in values)
    return values


def outcome(function, *positional, **named):
    """What a function returns, or the words of its error."""
    try:
        return function(*positional, **named)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def check_same(expected, actual):
    """Refuse values that differ: whole numbers at all, floats by more than rounding."""
    if dataclasses.is_dataclass(expected):
        assert type(expected) is type(actual)
        for field in dataclasses.fields(expected):
            # Sums that are made when they are requested may have been made already.
            if not field.name.startswith("_"):
                check_same(getattr(expected, field.name), getattr(actual, field.name))
    elif isinstance(expected, tuple | list):
        assert len(expected) == len(actual)
        for one, other in zip(expected, actual, strict=True):
            check_same(one, other)
    elif isinstance(expected, np.ndarray) and expected.dtype.kind == "f":
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-13)
    elif isinstance(expected, np.ndarray):
        assert expected.dtype == actual.dtype
        np.testing.assert_array_equal(actual, expected)
    elif isinstance(expected, float):
        assert expected == pytest.approx(actual, rel=1e-12, abs=1e-13, nan_ok=True)
    else:
        assert expected == actual


def check_both(place, function, *positional, **named):
    """Compare what comes of arrays of numpy with what comes of those of a library."""
    expected = outcome(function, *positional, **named)
    actual = outcome(function, *moved(positional, place), **moved(named, place))
    check_same(expected, actual)
    return expected, actual


BRIER = "binary_brier_loss"


def evidence_calls(n=N):
    """Every evidence class that is made from predictions, with arguments for it."""
    a = made(n=n)
    y, binary, groups = a["y"], a["binary"], a["groups"]
    halves = [[one[: n // 2], one[n // 2 :]] for one in (y, *a["labels"])]
    sums = {"keep_values": False}
    return {
        "AgreementMatrix": (AgreementMatrix, a["labels"], {}),
        "AgreementMoments": (AgreementMoments, a["scores"], {}),
        "ClassPlacementValues": (ClassPlacementValues, [y, *a["proba"]], {}),
        "ClusterSums": (ClusterSums, [y, *a["labels"]], {"groups": groups}),
        "ContingencyTable": (ContingencyTable, [y, *a["labels"]], {}),
        "CorrelationMoments": (CorrelationMoments, [binary, *a["scores"]], {}),
        "CorrectnessPatterns": (CorrectnessPatterns, [y, *a["labels"]], {}),
        "JointCounts": (JointCounts, [y, *a["labels"]], {}),
        "JointLosses": (JointLosses, [binary, *a["scores"]], {"loss": BRIER}),
        "OrderedDifferences": (OrderedDifferences, [binary, *a["scores"]], {}),
        "PairedBlocks": (PairedBlocks, halves, {}),
        "PairedCalibration": (PairedCalibration, [binary, *a["scores"]], sums),
        "PairedCalibration, records": (PairedCalibration, [y, *a["proba"]], {}),
        "PairedLosses": (PairedLosses, [binary, *a["scores"]], sums),
        "PairedLosses, records": (PairedLosses, [binary, *a["scores"]], {}),
        "PlacementValues": (PlacementValues, [binary, *a["scores"]], {}),
        "ScoredPair": (ScoredPair, [binary, *a["scores"]], {"score": "roc_auc"}),
    }


def test_evidence_is_that_of_numpy(place, dispatch):
    """Counts and sums of placements are identical, floats agree to rounding."""
    for name in list(evidence_calls()):
        kind, positional, named = evidence_calls()[name]

        check_both(place, kind.from_predictions, *positional, **named)


def test_every_evidence_class_is_checked_here():
    """A class that is added has arguments above."""
    import skcompare.evidence as evidence

    every = {
        name
        for name in evidence.__all__
        if hasattr(getattr(evidence, name), "from_predictions")
    }

    assert every == {name.partition(",")[0] for name in evidence_calls()}


def metric_arguments(entry, seed=0):
    """Predictions of two and of three classes that a registered metric may be given."""
    a = made(seed)
    if entry.response_method == "predict":
        return [(a["binary"], a["called"][0]), (a["y"], a["labels"][0])]
    two = np.column_stack([1 - a["scores"][0], a["scores"][0]])
    return [(a["binary"], a["scores"][0]), (a["binary"], two), (a["y"], a["proba"][0])]


def test_metrics_are_those_of_numpy(place, dispatch):
    """Every registered metric, weighted or not, has one value wherever the arrays are."""
    for name in list(metrics()):
        entry = metrics()[name]
        for predictions in metric_arguments(entry):
            for words in ({}, {"sample_weight": made()["weights"]}):
                _, actual = check_both(place, entry.function, *predictions, **words)

                assert isinstance(actual, float | str)


def test_bins_of_every_kind(place, dispatch):
    """Bins that the data choose, curves and sweeps are those of numpy."""
    for strategy in ["uniform", "equal_mass", "quantile"]:
        a = made()
        error = metrics()["expected_calibration_error"].function
        check_both(place, error, a["y"], a["proba"][0], strategy=strategy)
        check_both(place, error, a["binary"], a["scores"][0], n_bins=1, strategy=strategy)
        check_both(place, calibration_curve, a["binary"], a["scores"][0], strategy=strategy)
        check_both(place, sweep_calibration_error, a["binary"], a["scores"][0])
        check_both(place, score_decomposition, a["y"], a["proba"][0])


def test_losses_are_those_of_numpy(place, dispatch):
    """Every registered loss, of two and of three classes, with its values or without."""
    for name, entry in record_losses().items():
        a = made()
        both = ((a["binary"], *a["scores"]), (a["y"], *a["proba"]))
        for predictions in both[:1] if entry.target == "numbers" else both:
            for keep_values in (True, False):
                words = {"loss": name, "keep_values": keep_values}
                check_both(place, PairedLosses.from_predictions, *predictions, **words)


def test_expressions_of_losses_on_a_device(place, dispatch, monkeypatch):
    """A loss that is only an expression of columns is computed where the arrays are."""
    monkeypatch.setattr(registry, "_losses", dict(registry._losses))

    @registry.record_loss("toy_loss", expression=True)
    def toy_loss(ops, y, proba):
        """Miss of the first class, but for the surest."""
        miss = ops.flag(y == 0) - proba[0]
        return ops.where(miss * miss < 0.01, 0.0, ops.sqrt(miss * miss))

    a = made()
    expected = PairedLosses.from_predictions(a["y"], *a["proba"], loss="toy_loss")
    assert 0 < expected.champion.min(where=expected.champion > 0, initial=1) < 0.2
    check_both(place, PairedLosses.from_predictions, a["y"], *a["proba"], loss="toy_loss")


def test_options_of_losses(place, dispatch):
    """A least probability, costs, groups and a loss of one's own work as in numpy."""
    a = made()
    sure = [np.round(one) for one in a["scores"]]
    given = {"groups": a["groups"], "keep_values": False}
    costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [1.0, 5.0, 0.0]])
    make = PairedLosses.from_predictions
    check_both(place, make, a["binary"], *sure, loss="log_loss", eps=0.01)
    check_both(place, make, a["binary"], *sure, loss="log_loss", eps=0)
    check_both(
        place, make, a["y"], *a["proba"], loss="cost_weighted_loss", cost_matrix=costs
    )
    check_both(place, make, a["binary"], *a["scores"], **given)
    check_both(place, make, a["y"], *a["proba"], loss=lambda y, p: (p**3).sum(axis=1))


def with_fault(values, fault):
    """Values with one entry changed."""
    changed = np.array(values, dtype=np.float64)
    changed[(3,) * changed.ndim if changed.ndim < 2 else (3, 0)] = fault
    return changed


def faulty_calls():
    """Calls that are refused, one for each reason."""
    a = made()
    y, (first, second), proba = a["binary"], a["scores"], a["proba"]
    brier = metrics()["binary_brier_loss"].function
    error = metrics()["expected_calibration_error"].function
    accuracy = metrics()["accuracy"].function
    labels = a["labels"]
    return {
        "label missing": (JointCounts.from_predictions, [with_fault(y, np.nan), y, y]),
        "label not whole": (accuracy, [with_fault(y, 0.5), y]),
        "labels of others": (JointCounts.from_predictions, [y, y + 7, y]),
        "never right": (CorrectnessPatterns.from_predictions, [y, y + 7, y]),
        "lengths": (ContingencyTable.from_predictions, [y, y[1:], y]),
        "no records": (AgreementMatrix.from_predictions, [y[:0], y[:0]]),
        "too many axes": (AgreementMatrix.from_predictions, [proba[0], proba[0]]),
        "score missing": (
            PlacementValues.from_predictions,
            [y, with_fault(first, np.nan), second],
        ),
        "three classes ranked": (PlacementValues.from_predictions, [a["y"], first]),
        "probability missing": (brier, [y, with_fault(first, np.nan)]),
        "probability above 1": (error, [y, with_fault(first, 1.5)]),
        "rows do not add up": (
            metrics()["spherical_loss"].function,
            [a["y"], with_fault(proba[0], 0.9)],
        ),
        "too few columns": (error, [a["y"], proba[0][:, :2]]),
        "one class only": (metrics()["brier_skill_score"].function, [y * 0, first]),
        "weight below 0": (accuracy, [a["y"], labels[0]], with_fault(a["weights"], -1)),
        "weights missing": (brier, [y, first], with_fault(a["weights"], np.nan)),
        "weights all 0": (error, [y, first], np.zeros(N)),
        "losses infinite": (
            lambda *predictions: PairedLosses.from_predictions(
                *predictions, loss="log_loss", eps=0
            ),
            [y, y * 0.0, first],
        ),
    }


def test_what_is_refused_is_refused_in_the_same_text(place, dispatch):
    """Errors do not tell where arrays were."""
    for name in list(faulty_calls()):
        function, positional, *weights = faulty_calls()[name]
        named = {"sample_weight": weights[0]} if weights else {}

        expected, _ = check_both(place, function, *positional, **named)

        assert isinstance(expected, str)


def test_placement_sums_are_identical(place, dispatch):
    """Ties, negative and repeated scores: all whole numbers are those of numpy."""
    a = made()
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=N).round(1), a["groups"], a["scores"][1] > 0.5, -a["y"] * 0.0]
    expected = PlacementValues.from_predictions(a["binary"], *scores)
    actual = PlacementValues.from_predictions(*moved([a["binary"], *scores], place))

    assert expected == actual
    assert expected.sums == actual.sums
    assert expected.n_distinct == actual.n_distinct
    check_same(expected.counts, actual.counts)


def test_labels_of_every_type(place, dispatch):
    """Booleans, small and wide numbers, floats, and labels of numpy beside predictions."""
    a = made()
    y, predictions = a["y"], a["labels"]
    wide = np.array([-(10**12), 5, 10**15])
    for change in (
        lambda one: one > 0,
        lambda one: one.astype(np.int8),
        lambda one: one.astype(np.uint8),
        lambda one: one.astype(np.float32) - 1,
        lambda one: wide[one],
    ):
        arguments = [change(one) for one in (y, *predictions)]
        check_both(place, JointCounts.from_predictions, *arguments)
        check_both(place, CorrectnessPatterns.from_predictions, *arguments)
    expected = JointCounts.from_predictions(y, *predictions)

    assert expected == JointCounts.from_predictions(y.tolist(), *moved(predictions, place))
    assert expected == JointCounts.from_predictions(moved(y, place), *predictions)
    named = ClusterSums.from_predictions(
        y, *moved(predictions, place), groups=[f"user {k}" for k in a["groups"]]
    )
    assert named.n_groups == 9


def test_many_labels_are_counted_without_a_table(place, dispatch):
    """Labels that are nearly all different need no cell for every three of them."""
    rng = np.random.default_rng(0)
    labels = [rng.integers(10**6, size=N) for _ in range(2)]

    check_both(place, JointCounts.from_predictions, labels[0], labels[1], labels[0])


def test_single_precision(place, dispatch):
    """Floats of four bytes are made eight first, as numpy does it."""
    a = made()
    scores = [one.astype(np.float32) for one in a["scores"]]
    check_both(place, PlacementValues.from_predictions, a["binary"], *scores)
    check_both(place, metrics()["binary_brier_loss"].function, a["binary"], scores[0])


def test_only_small_arrays_come_back(dispatch, copies):
    """What the guide says comes back is what comes back, of a library that can count."""
    n, place = 8000, torch_place()
    for name, (kind, positional, named) in evidence_calls(n).items():
        copies.clear()
        kind.from_predictions(*moved(positional, place), **moved(named, place))

        assert (what_comes_back(name) == "records") == (max(copies) > n // 4), name


def what_comes_back(name):
    """What the table of the guide says of evidence."""
    return cells_of(name)[1]


def cells_of(name):
    """The first words of the cells beside a name in a table of the guide."""
    rows = r"(?ms)^   \* - (``.*?)\n     - (\w+)(?:\n     - (\w+))?"
    (found,) = [
        cells for names, *cells in re.findall(rows, page()) if f"``{name}``" in names
    ]
    return found


def page():
    """The page of the guide, which may have been left out beside an installed package."""
    if not PAGE.exists():
        pytest.skip("the documentation is not here")
    return PAGE.read_text(encoding="utf-8")


def test_the_guide_lists_the_metrics():
    """Every metric of ours stands in the guide's table, as computed where its flag says."""
    for entry in metrics().values():
        if entry.function.__module__.startswith("skcompare."):
            where = "device" if entry.array_api else "CPU"
            assert where == cells_of(entry.name)[0], entry


def test_a_metric_of_ones_own_gets_numpy(place, dispatch):
    """A registered function need not know of other libraries."""

    @metric("toy_gap", response_method="predict_proba", greater_is_better=False)
    def toy_gap(y_true, y_proba, *, sample_weight=None):
        """How far is the mean probability from the share?"""
        assert all(isinstance(one, np.ndarray) for one in (y_true, y_proba))
        return float(abs(y_true.mean() - y_proba.mean()))

    a = made()
    check_both(place, toy_gap, a["binary"], a["scores"][0])


def test_tensors_on_the_cpu_are_read_in_place(dispatch):
    """numpy is quicker there; elsewhere the device ranks, before it is asked to."""
    a = made()
    arguments = [a["binary"], *a["scores"]]
    here = PlacementValues.from_predictions(*moved(arguments, torch_place(True)))
    there = PlacementValues.from_predictions(*moved(arguments, torch_place()))
    strict = PlacementValues.from_predictions(*moved(arguments, strict_place("device1")))

    assert here._sums is None
    assert here.sums == there._sums == strict._sums


def without_time(report):
    """A report in JSON without the seconds that it took."""
    return re.sub(r'"seconds": [^,]*', "", report)


def test_comparisons_take_them(place, dispatch):
    """`compare` gives the results of numpy."""
    a = made()
    predictions = dict(zip(("old", "new"), a["proba"], strict=True))
    expected = compare(a["y"], predictions).to_json()
    actual = compare(moved(a["y"], place), moved(predictions, place)).to_json()

    assert without_time(expected) == without_time(actual)


def test_predictions_must_be_in_one_place(dispatch):
    """Two libraries or two devices are refused, and both are named."""
    a = made()
    one, other = strict_place("device1"), strict_place("device2")
    with pytest.raises(
        ValueError, match=r"Predictions must be .* Got champion on .*device1"
    ):
        JointCounts.from_predictions(a["y"], one(a["labels"][0]), other(a["labels"][1]))


def test_truth_follows_the_predictions(dispatch):
    """Labels, weights and groups are brought to the device of the predictions."""
    a = made()
    one, other = strict_place("device1"), strict_place("device2")
    expected = JointCounts.from_predictions(a["y"], *a["labels"])
    accuracy = metrics()["accuracy"].function

    assert expected == JointCounts.from_predictions(one(a["y"]), *moved(a["labels"], other))
    assert accuracy(a["y"], a["labels"][0], sample_weight=a["weights"]) == accuracy(
        one(a["y"]), other(a["labels"][0]), sample_weight=a["weights"].tolist()
    )


def test_devices_without_long_floats_are_left(dispatch):
    """Where there is no float64, everything is computed on the CPU."""
    a = made()
    short = strict_place("no_float64")
    scores = [one.astype(np.float32) for one in a["scores"]]

    check_both(short, PlacementValues.from_predictions, a["binary"], *scores)
    check_both(short, metrics()["binary_brier_loss"].function, a["binary"], scores[0])


def test_without_the_option_nothing_leaves_a_device():
    """An array elsewhere is refused with the switch to turn; one on the CPU is read."""
    a = made()
    here, there = strict_place("CPU_DEVICE"), strict_place("device1")
    expected = JointCounts.from_predictions(a["y"], *a["labels"])

    assert expected == JointCounts.from_predictions(*moved([a["y"], *a["labels"]], here))
    for call in (
        lambda: JointCounts.from_predictions(*moved([a["y"], *a["labels"]], there)),
        lambda: PlacementValues.from_predictions(
            *moved([a["binary"], *a["scores"]], there)
        ),
        lambda: metrics()["binary_brier_loss"].function(a["binary"], there(a["scores"][0])),
        lambda: compare(a["y"], dict(zip("ab", moved(a["labels"], there), strict=True))),
    ):
        with pytest.raises(ValueError, match=r"set_config\(array_api_dispatch=True\)"):
            call()
