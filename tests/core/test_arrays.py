"""Arrays of other libraries, known by what they have; stand-ins need no library."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from skcompare._core import arrays
from skcompare._core.arrays import all_on_host, is_foreign, on_host
from skcompare._core.validation import (
    as_array,
    check_probabilities,
    check_same_length,
    positive_class,
)
from skcompare.evidence import JointCounts, PlacementValues
from skcompare.exceptions import MissingDependencyError
from skcompare.metrics import accuracy, binary_brier_loss, sensitivity


class OnDevice:
    """An array like CuPy's: numpy cannot read it, and `get` copies it."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.dtype, self.shape, self.ndim = self.values.dtype, self.values.shape, 1
        self.device = "<device 0>"

    def __array_namespace__(self, api_version=None):
        raise AssertionError("nothing is computed on this device")

    def __array__(self, *words, **named):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self):
        """A copy in numpy."""
        return self.values


@pytest.fixture
def dispatch(monkeypatch):
    """The option is on, but this device has too little to compute anything."""
    monkeypatch.setattr(arrays, "dispatches", lambda: True)


def test_plain_values_are_not_foreign():
    """Arrays, lists, scalars, frames and None are read as ever."""
    frame = pd.DataFrame({"a": [1, 2]})
    for values in (np.arange(3), np.float64(1), [1], (1,), "a", 1, None, frame, frame["a"]):
        assert not is_foreign(values)
        assert on_host(values) is values


def test_lazy_arrays_are_not_foreign():
    """Arrays of Dask follow the standard, but are not there yet."""
    lazy = type("Array", (), {"__module__": "dask.array.core"})
    lazy.__array_namespace__ = OnDevice.__array_namespace__

    assert not is_foreign(lazy())
    assert is_foreign(OnDevice([1]))


@pytest.mark.parametrize(("library", "name"), [("torch", "Tensor"), ("cupy", "ndarray")])
def test_tensors_are_foreign(library, name, monkeypatch):
    """Classes without the method are requested only where their library was imported."""
    module, cls = ModuleType(library), type(name, (), {})
    monkeypatch.setitem(sys.modules, library, module)
    assert not is_foreign(cls())
    setattr(module, name, cls)

    assert is_foreign(cls())
    assert not is_foreign(object())


def test_arrays_that_numpy_cannot_read():
    """On the CPU the library says why itself, and no option is blamed."""
    sparse = OnDevice([0, 1])
    sparse.device = "cpu"
    with pytest.raises(TypeError, match="Implicit conversion"):
        on_host(sparse)


def test_a_label_may_be_a_tensor(dispatch):
    """The positive class is a scalar, also where it came as an array."""
    label = OnDevice(0)
    label.ndim = 0

    assert 0.5 == sensitivity([0, 0, 1], [0, 1, 1], pos_label=label)
    assert type(positive_class(np.array([0, 1]), label)) is np.int64


def test_off_by_default():
    """Nothing is copied from a device unasked; the error names device and switch."""
    labels, scores = OnDevice([0, 1, 1]), OnDevice([0.1, 0.7, 0.4])
    words = r"Got one of \w+ on <device 0> while it is off.*array_api_dispatch=True"
    for call in (
        lambda: as_array(labels),
        lambda: check_probabilities("p", scores, 2),
        lambda: JointCounts.from_predictions(labels, labels, labels),
        lambda: PlacementValues.from_predictions([0, 1, 1], scores),
        lambda: accuracy([0, 1, 1], labels),
        lambda: binary_brier_loss([0, 1, 1], scores),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_copied_where_it_is_on(dispatch):
    """An array is copied by what its library has for it."""
    first, second = all_on_host(OnDevice([1, 2]), [3])

    assert [1, 2] == first.tolist()
    assert second == [3]


def test_gradients_and_short_floats(dispatch):
    """A tensor is detached, and brain floats, which numpy lacks, become longer."""

    class Tensor(OnDevice):
        def __init__(self, values, dtype="torch.bfloat16", requires_grad=True):
            super().__init__(values)
            self.dtype, self.requires_grad = dtype, requires_grad

        def detach(self):
            return Tensor(self.values, self.dtype, requires_grad=False)

        def float(self):
            assert not self.requires_grad
            return Tensor(self.values, "torch.float32", requires_grad=False)

        def cpu(self):
            assert self.dtype == "torch.float32"
            return self.values

    assert [0.5] == on_host(Tensor([0.5])).tolist()


def test_length_without_len():
    """The standard has no len(), so that shapes are asked."""
    assert check_same_length(first=OnDevice([1, 2]), second=[1, 2]) == 2
    with pytest.raises(ValueError, match="first has 3, second has 2"):
        check_same_length(first=OnDevice([1, 2, 3]), second=[1, 2])


def test_the_package_that_is_missing(monkeypatch):
    """Without array-api-compat the error says how to install it."""
    from skcompare._core.sklearn_private import array_api_compat

    for name in ("sklearn.externals.array_api_compat", "array_api_compat"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="pip install array-api-compat"):
        array_api_compat()
