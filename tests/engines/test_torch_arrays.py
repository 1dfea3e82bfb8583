"""Tensors as a network leaves them: with gradients, of short types, on a device.

What they come to is checked for every class and metric in
`tests/evidence/test_array_api.py`; here are the habits of torch, and of a graphics
processor where there is one.
"""

import numpy as np
import pytest
import sklearn

from skcompare.evidence import (
    ClusterSums,
    CorrectnessPatterns,
    JointCounts,
    PairedCalibration,
    PairedLosses,
    PlacementValues,
)
from skcompare.evidence.core import _device
from skcompare.metrics import (
    accuracy,
    binary_brier_loss,
    expected_calibration_error,
    metrics,
)
from skcompare.stats import delong

torch = pytest.importorskip("torch")

N = 20_000
DEVICES = ["cpu", "cpu as a device", "cuda"]


@pytest.fixture(params=DEVICES)
def device(request, monkeypatch):
    """The CPU, as it is read by numpy and as a device, and CUDA where there is one."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no CUDA device")
    monkeypatch.setattr(_device, "READ_ON_CPU", request.param == "cpu")
    return request.param.partition(" ")[0]


@pytest.fixture
def dispatch(monkeypatch):
    """scikit-learn's option that lets tensors through."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    try:
        with sklearn.config_context(array_api_dispatch=True):
            yield
    except ImportError as error:
        pytest.skip(str(error))


@pytest.fixture
def outputs(device):
    """True classes, and what two networks give, as tensors on the device."""
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(3, (N,), generator=generator)
    right = torch.nn.functional.one_hot(y, 3)
    logits = [
        torch.randn(N, 3, generator=generator) + strength * right for strength in (1.0, 1.5)
    ]
    return y.to(device), [each.to(device) for each in logits]


def in_numpy(tensor):
    """The same in numpy."""
    return tensor.detach().cpu().numpy()


def test_a_pair_of_networks(dispatch, outputs):
    """Labels, ranks, losses and bins of softmax outputs are those of numpy."""
    y, logits = outputs
    first, second = (torch.softmax(each.double(), dim=1) for each in logits)
    labels = [each.argmax(dim=1) for each in logits]
    groups = y * 0 + torch.arange(N, device=y.device) // 7
    for make, arguments, named in (
        (JointCounts.from_predictions, [y, *labels], {}),
        (CorrectnessPatterns.from_predictions, [y, *labels], {}),
        (ClusterSums.from_predictions, [y, *labels], {"groups": groups}),
        (PlacementValues.from_predictions, [y == 1, first[:, 1], second[:, 1]], {}),
    ):
        expected = make(
            *map(in_numpy, arguments), **{key: in_numpy(one) for key, one in named.items()}
        )
        assert expected == make(*arguments, **named)

    ranks = PlacementValues.from_predictions(y == 1, first[:, 1], second[:, 1])
    plain = PlacementValues.from_predictions(
        *map(in_numpy, (y == 1, first[:, 1], second[:, 1]))
    )
    assert plain.sums == ranks.sums
    assert delong(plain).pvalue == delong(ranks).pvalue

    for make in (PairedLosses.from_predictions, PairedCalibration.from_predictions):
        expected = make(
            *map(in_numpy, (y, first, second)), keep_values=False, **requested(make)
        )
        actual = make(y, first, second, keep_values=False, **requested(make))
        assert sums_of(expected) == pytest.approx(sums_of(actual), rel=1e-11, abs=1e-9)


def requested(make):
    """A loss for three classes; bins need nothing."""
    return (
        {"loss": "log_loss"} if "Losses" in make.__qualname__ + str(make.__self__) else {}
    )


def sums_of(evidence):
    """The floats of evidence that has sums only."""
    if isinstance(evidence, PairedLosses):
        moments = evidence.moments
        return np.array([*evidence.means, moments.gain_squares, moments.products])
    return evidence.cells.sums


def test_gradients_are_left_behind(dispatch, outputs):
    """A tensor that is part of a graph is read as its values, and stays in the graph."""
    y, logits = outputs
    leaf = logits[0].double().requires_grad_()
    proba = torch.softmax(leaf, dim=1)

    for measure in (
        expected_calibration_error,
        metrics()["multiclass_brier_loss"].function,
    ):
        expected = measure(in_numpy(y), in_numpy(proba))
        assert expected == pytest.approx(measure(y, proba), rel=1e-12)
    assert proba.requires_grad


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_short_floats(dispatch, outputs, kind):
    """Scores of two and four bytes are ranked as what they are, with their ties."""
    y, logits = outputs
    scores = [each[:, 1].to(getattr(torch, kind)) for each in logits]
    expected = PlacementValues.from_predictions(
        in_numpy(y == 1), *(in_numpy(each.float()) for each in scores)
    )

    assert expected == PlacementValues.from_predictions(y == 1, *scores)
    assert expected.sums == PlacementValues.from_predictions(y == 1, *scores).sums


def test_views_without_a_copy(dispatch, outputs):
    """Columns, reversed and strided views are taken without a warning of torch."""
    y, logits = outputs
    proba = torch.softmax(logits[0].double(), dim=1)
    every = (y == 1)[::2], proba[::2, 1]

    assert binary_brier_loss(*map(in_numpy, every)) == pytest.approx(
        binary_brier_loss(*every), rel=1e-12
    )
    expected = expected_calibration_error(*map(in_numpy, every))
    assert expected == pytest.approx(expected_calibration_error(*every), rel=1e-12)


def test_without_the_option(outputs, device):
    """Tensors on the CPU are read as ever; elsewhere the error names the switch."""
    y, logits = outputs
    labels = logits[0].argmax(dim=1)
    if device == "cpu":
        assert accuracy(in_numpy(y), in_numpy(labels)) == accuracy(y, labels)
        assert (
            0
            < binary_brier_loss(y == 1, torch.sigmoid(logits[0][:, 1].requires_grad_()))
            < 1
        )
    else:
        with pytest.raises(ValueError, match=r"set_config\(array_api_dispatch=True\)"):
            accuracy(y, labels)


def test_cupy(dispatch):
    """CuPy's arrays, where there is a device for them."""
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("there is no CUDA device")
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(2, size=N), rng.random(N).round(3), rng.random(N)
    expected = PlacementValues.from_predictions(y, a, b)
    actual = PlacementValues.from_predictions(*map(cupy.asarray, (y, a, b)))

    assert expected.sums == actual.sums
    assert expected_calibration_error(y, a) == pytest.approx(
        expected_calibration_error(cupy.asarray(y), cupy.asarray(a)), rel=1e-12
    )
