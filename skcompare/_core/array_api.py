"""Arrays of other libraries, such as torch and CuPy: known as such, and brought to numpy.

What such an array is, is said here alone. What can be computed where it is, on its device,
is in `skcompare.evidence._device` and the modules named after it.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLAIN = (np.ndarray, np.generic, list, tuple, str, bytes, int, float, type(None))
"""Types that are numpy's or Python's own, most of what comes."""

CLASSES = {"torch": "Tensor", "cupy": "ndarray"}
"""Arrays that lack the method of the standard, or have had it for a short time only."""

LAZY = ("dask", "ndonnx", "sparse")
"""Libraries whose arrays are not computed, or not dense, and are read as any array-like."""


def is_foreign(values: object) -> bool:
    """Whether values are an array of another library that follows the array API."""
    if isinstance(values, PLAIN):
        return False
    # An array of a library cannot come before the library was imported.
    for library, name in CLASSES.items():
        # Without the class, something else has the name, or it is being imported.
        if isinstance(values, getattr(sys.modules.get(library), name, ())):
            return True
    of = type(values)
    follows = hasattr(of, "__array_namespace__")
    return follows and of.__module__.partition(".")[0] not in LAZY


def dispatches() -> bool:
    """Whether scikit-learn's option `array_api_dispatch` is on."""
    from sklearn import get_config

    return bool(get_config().get("array_api_dispatch", False))


def on_host(values: Any) -> Any:
    """Values as they are, but arrays of other libraries as arrays of numpy.

    Where scikit-learn's option `array_api_dispatch` is on, they are copied from whatever
    device they are on. Where it is off nothing is copied between devices unasked: what is
    on the CPU is read, and what is not is refused.
    """
    if not is_foreign(values):
        return values
    plain = _without_history(values)
    if dispatches():
        return _copied(plain)
    try:
        return np.asarray(plain)
    except Exception as error:
        library = type(values).__module__.partition(".")[0]
        device = getattr(values, "device", "a device")
        if str(device).startswith("cpu"):  # not dense, for example
            raise
        raise ValueError(
            "Arrays that are not on the CPU are taken where scikit-learn's option "
            f"`array_api_dispatch` is on. Got one of {library} on {device} while it is "
            "off. Turn it on by sklearn.set_config(array_api_dispatch=True), or pass a "
            "copy on the CPU."
        ) from error


def all_on_host(*values: Any) -> tuple[Any, ...]:
    """:func:`on_host` of each of several values."""
    return tuple(map(on_host, values))


def _without_history(values: Any) -> Any:
    """An array without the gradients that torch keeps, and of a type that numpy has."""
    if getattr(values, "requires_grad", False):
        values = values.detach()
    return values.float() if str(values.dtype).endswith("bfloat16") else values


def _copied(values: Any) -> NDArray[Any]:
    # torch, CuPy and dpnp each have a name of their own for it.
    for copy in ("cpu", "get", "asnumpy"):
        if hasattr(values, copy):
            return np.asarray(getattr(values, copy)())
    try:
        return np.asarray(values)
    except Exception:
        xp = values.__array_namespace__()
        cpu = xp.__array_namespace_info__().default_device()
        return np.asarray(values.to_device(cpu))
