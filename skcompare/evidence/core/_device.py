"""Arrays of torch, CuPy and other libraries, and computations on their devices.

Everything is written in the functions of the array API standard, so that a library is
supported as soon as it follows the standard. Counting, which the standard lacks, is done
by numpy's function of the library where it has one, and by sorting or sums otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import (
    all_on_host,
    array_namespace,
    dispatches,
    is_foreign,
    on_host,
)
from skcompare._core.validation import PROBABILITY_TOLERANCE, check_same_length

READ_ON_CPU = True
"""Whether numpy computes with arrays on the CPU; tests of torch turn it off."""

FEW_BINS = 1 << 6
"""Most bins that are summed one after the other where a library cannot count."""


@dataclass(frozen=True, slots=True)
class Space:
    """Array API namespace and device of arrays.

    Attributes
    ----------
    xp : module
        The functions of the array API standard.
    device : object
        The device, as the library names it.
    """

    xp: Any
    device: Any

    def own(self, values: Any, dtype: str | None = None) -> Any:
        """Return values as an array of this library and device, of `dtype` if specified."""
        xp = self.xp
        kind = None if dtype is None else getattr(xp, dtype)
        if is_foreign(values) and space_at(values) == self:
            if getattr(values, "requires_grad", False):
                values = values.detach()
            return values if kind in (None, values.dtype) else xp.astype(values, kind)
        array = np.asarray(on_host(values), dtype=dtype)
        if xp is np:
            return array
        # torch takes no array that runs backwards, and none that is read-only without a
        # warning.
        if not array.flags.writeable or any(step < 0 for step in array.strides):
            array = array.copy()
        return xp.asarray(array, device=self.device)

    def packed(self, column: Any) -> Any:
        """Return a column of a table, in numpy as one block of memory."""
        return np.ascontiguousarray(column) if self.xp is np else column

    def repeated(self, values: Any, times: int) -> Any:
        """Repeat each entry of a vector."""
        rows = self.xp.broadcast_to(values[:, None], (values.shape[0], times))
        return self.xp.reshape(rows, (-1,))

    def up_to(self, stop: int) -> Any:
        """Return the integers 0, 1, ..., `stop` - 1."""
        if self.xp is np:
            return np.arange(stop)
        return self.xp.arange(stop, dtype=self.xp.int64, device=self.device)

    def floats(self, values: Any) -> Any:
        """Return integers or truth values as operands of floats, which numpy converts."""
        return values if self.xp is np else self.xp.astype(values, self.xp.float64)

    def place(self, edges: Any, values: Any, side: str) -> Any:
        """Return positions of values among sorted edges, as numpy's `searchsorted` does."""
        # torch warns of a column that it has to copy.
        return self.xp.searchsorted(edges, values + 0, side=side)

    def count(self, codes: Any, n: int) -> Any:
        """Count the records of each code below `n`, on the device."""
        xp = self.xp
        bincount = getattr(xp, "bincount", None)
        if bincount is not None:
            return bincount(codes, minlength=n)
        ordered, each_code = xp.sort(codes), self.up_to(n)
        start, stop = (self.place(ordered, each_code, side) for side in ("left", "right"))
        return stop - start

    def counted(self, codes: Any, n: int, weights: Any = None) -> NDArray[Any]:
        """Return the number or weight of records of each code below `n`, in numpy."""
        if weights is None:
            return all_on_host(self.count(codes, n))[0]
        xp = self.xp
        bincount = getattr(xp, "bincount", None)
        if bincount is not None:
            return all_on_host(bincount(codes, weights, minlength=n))[0]
        if n > FEW_BINS:
            return np.bincount(on_host(codes), on_host(weights), minlength=n)
        zeros = xp.zeros_like(weights)
        parts = (xp.where(codes == k, weights, zeros) for k in range(n))
        return np.array([float(xp.sum(part)) for part in parts])


HOST = Space(np, None)
"""Namespace of arrays of numpy."""


def space_of(**arrays: Any) -> Space | None:
    """Return the namespace and device that arrays share, or None to compute with numpy.

    Labels, weights and groups follow the predictions, as they do in scikit-learn. None also
    where scikit-learn's option `array_api_dispatch` is off, for arrays on the CPU, which
    numpy reads without a copy and handles faster, and for devices that lack whole numbers
    or floats of 64 bits, without which no result would agree with numpy.

    Raises
    ------
    ValueError
        If arrays are of different libraries or on different devices.
    """
    foreign = {name: values for name, values in arrays.items() if is_foreign(values)}
    if not foreign or not dispatches():
        return None
    spaces = {name: space_at(values) for name, values in foreign.items()}
    space, *others = spaces.values()
    if any(other != space for other in others):
        listed = ", ".join(
            f"{name} on {_described(where)}" for name, where in spaces.items()
        )
        raise ValueError(
            f"Predictions must be arrays of one library on one device. Got {listed}. Move "
            "them to one of them first."
        )
    in_numpy = READ_ON_CPU and _is_cpu(space)
    return None if in_numpy or not _is_exact(space) else space


def space_at(values: Any) -> Space:
    """Return the namespace and device of an array."""
    if isinstance(values, np.ndarray):
        return HOST
    from skcompare._core.sklearn_private import array_api_compat

    return Space(array_namespace(values), array_api_compat().device(values))


def _is_cpu(space: Space) -> bool:
    # torch calls it the type of a device, and JAX its platform.
    return "cpu" in (getattr(space.device, name, "") for name in ("type", "platform"))


def _described(space: Space) -> str:
    return f"{space.device} ({space.xp.__name__.rpartition('.')[2]})"


def _is_exact(space: Space) -> bool:
    dtypes: Mapping[str, Any] = space.xp.__array_namespace_info__().dtypes(
        device=space.device
    )
    return "float64" in dtypes and "int64" in dtypes


def device_probabilities(
    space: Space, values: Any, n_classes: int, *, of_second: bool
) -> Any:
    """Return probabilities, one column per class, or None if they are invalid.

    A vector is of the second of two classes, or of the first.
    """
    xp, proba = space.xp, space.own(values, "float64")
    if proba.ndim == 1 and n_classes == 2 and _in_unit_interval(space, proba):
        columns = [1 - proba, proba]
        return xp.stack(columns if of_second else columns[::-1], axis=1)
    if (
        proba.ndim != 2
        or proba.shape[1] != n_classes
        or not _in_unit_interval(space, proba)
    ):
        return None
    off = xp.max(xp.abs(xp.sum(proba, axis=1) - 1))
    return proba if off <= PROBABILITY_TOLERANCE * max(1.0, n_classes / 2) else None


def _in_unit_interval(space: Space, proba: Any) -> bool:
    # A missing value is not in it either, and makes the least value missing.
    xp, n = space.xp, proba.shape[0]
    return n > 0 and bool(xp.min(proba) >= 0) and bool(xp.max(proba) <= 1)


def check_weights(values: Any, sample_weight: Any) -> Any:
    """Check that the weights of records are finite, at least 0, and not all 0.

    They are returned on the device of `values`.
    """
    space = space_at(values)
    xp, weights = space.xp, space.own(sample_weight, "float64")
    check_same_length(y_true=values, sample_weight=weights)
    low, high, total = (float(of(weights)) for of in (xp.min, xp.max, xp.sum))
    # A missing value is in no range.
    if not (0 <= low and high < np.inf and total > 0):
        raise ValueError(
            "`sample_weight` must hold finite weights of at least 0, not all 0. Got values "
            f"from {low} to {high}."
        )
    return xp.reshape(weights, (-1,))
