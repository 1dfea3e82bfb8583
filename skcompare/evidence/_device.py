"""Where arrays of torch, CuPy and other libraries are, and what is computed there.

Everything is written in the functions of the array API standard, so that a library is
supported as soon as it follows the standard. What the standard lacks is counted by a
function of numpy's name where the library has one, and by its own functions otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.array_api import all_on_host, dispatches, is_foreign, on_host

READ_ON_CPU = True
"""Whether arrays on the CPU are left to numpy; tests of torch turn it off."""

FEW_BINS = 1 << 6
"""Bins that are summed one after the other where a library cannot count."""


@dataclass(frozen=True, slots=True)
class Space:
    """A library of arrays, and the device that they are on.

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
        """Values as an array of this library on this device, of a type if one is named."""
        xp = self.xp
        kind = None if dtype is None else getattr(xp, dtype)
        if is_foreign(values) and space_at(values) == self:
            if getattr(values, "requires_grad", False):
                values = values.detach()
            return values if kind in (None, values.dtype) else xp.astype(values, kind)
        array = np.asarray(on_host(values), dtype=dtype)
        # torch takes no array that runs backwards, and none that is read-only without a
        # warning.
        if not array.flags.writeable or any(step < 0 for step in array.strides):
            array = array.copy()
        return xp.asarray(array, device=self.device)

    def take(self, values: Any, positions: Any) -> Any:
        """The entries of a vector at positions."""
        return self.xp.take(values, positions, axis=0)

    def up_to(self, stop: int) -> Any:
        """The whole numbers 0, 1, ... before `stop`."""
        return self.xp.arange(stop, dtype=self.xp.int64, device=self.device)

    def place(self, edges: Any, values: Any, side: str) -> Any:
        """Where values belong among sorted edges, as numpy's `searchsorted`."""
        # torch warns of a column that it has to copy.
        return self.xp.searchsorted(edges, values + 0, side=side)

    def count(self, codes: Any, n: int) -> Any:
        """Records at each code below `n`, on the device."""
        xp = self.xp
        bincount = getattr(xp, "bincount", None)
        if bincount is not None:
            return bincount(codes, minlength=n)
        ordered, each = xp.sort(codes), self.up_to(n)
        start, stop = (self.place(ordered, each, side) for side in ("left", "right"))
        return stop - start

    def counted(self, codes: Any, n: int, weights: Any = None) -> NDArray[Any]:
        """Records, or their weight, at each code below `n`, as an array of numpy."""
        if weights is None:
            return all_on_host(self.count(codes, n))[0]
        xp = self.xp
        bincount = getattr(xp, "bincount", None)
        if bincount is not None:
            return all_on_host(bincount(codes, weights, minlength=n))[0]
        if n > FEW_BINS:
            return np.bincount(on_host(codes), on_host(weights), minlength=n)
        nothing = xp.zeros_like(weights)
        own = (xp.where(codes == k, weights, nothing) for k in range(n))
        return np.array([float(xp.sum(each)) for each in own])


def space_of(**answers: Any) -> Space | None:
    """The place that answers share, to compute there; None for numpy on the CPU.

    Labels, weights and groups follow the answers, as they do in scikit-learn. None also
    where scikit-learn's option `array_api_dispatch` is off, for arrays on the CPU, which
    numpy reads where they are and is quicker with, and for devices that lack whole numbers
    or floats of 64 bits, without which nothing would agree with numpy.

    Raises
    ------
    ValueError
        If answers are in different places.
    """
    foreign = {name: values for name, values in answers.items() if is_foreign(values)}
    if not foreign or not dispatches():
        return None
    spaces = {name: space_at(values) for name, values in foreign.items()}
    first, *others = spaces.values()
    if any(other != first for other in others):
        listed = ", ".join(f"{name} on {_words(one)}" for name, one in spaces.items())
        raise ValueError(
            f"Answers must be arrays of one library on one device. Got {listed}. Move them "
            "to one of them first."
        )
    in_numpy = READ_ON_CPU and _is_cpu(first)
    return None if in_numpy or not _is_exact(first) else first


def space_at(values: Any) -> Space:
    """Where an array of another library is."""
    # Imported when there is such an array, because most programs have none.
    from skcompare._core.sklearn_private import array_api_compat

    compat = array_api_compat()
    return Space(compat.array_namespace(values), compat.device(values))


def _is_cpu(space: Space) -> bool:
    # torch calls it the type of a device, and JAX its platform.
    return "cpu" in (getattr(space.device, name, "") for name in ("type", "platform"))


def _words(space: Space) -> str:
    return f"{space.device} ({space.xp.__name__.rpartition('.')[2]})"


def _is_exact(space: Space) -> bool:
    known: Mapping[str, Any] = space.xp.__array_namespace_info__().dtypes(
        device=space.device
    )
    return "float64" in known and "int64" in known
