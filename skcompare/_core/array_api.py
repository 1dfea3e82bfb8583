"""Detection and conversion of arrays of other libraries, such as torch and CuPy.

Only this module decides what such an array is. Computations on its own device are in
`skcompare.evidence._device` and the modules named after it.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLAIN = (np.ndarray, np.generic, list, tuple, str, bytes, int, float, type(None))
"""Types of numpy and Python themselves, the most frequent input."""

CLASSES = {"torch": "Tensor", "cupy": "ndarray"}
"""Array classes without the method of the standard, or with it in recent versions only."""

LAZY = ("dask", "ndonnx", "sparse")
"""Libraries of lazy or sparse arrays, which are read as any other array-like."""


def is_foreign(values: object) -> bool:
    """Whether values are an array of another library that follows the array API."""
    if isinstance(values, PLAIN):
        return False
    # There is no array of a library that was not imported yet.
    for library, name in CLASSES.items():
        # Without the class, another module has the name, or the import is not finished.
        if isinstance(values, getattr(sys.modules.get(library), name, ())):
            return True
    cls = type(values)
    follows = hasattr(cls, "__array_namespace__")
    return follows and cls.__module__.partition(".")[0] not in LAZY


def dispatches() -> bool:
    """Whether scikit-learn's option `array_api_dispatch` is on."""
    from sklearn import get_config

    return bool(get_config().get("array_api_dispatch", False))


def on_host(values: Any) -> Any:
    """Convert an array of another library to NumPy; other values are returned unchanged.

    If scikit-learn's option `array_api_dispatch` is on, arrays are copied from any device.
    If it is off, nothing is copied between devices: arrays on the CPU are read, and others
    are refused.
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
    """Apply :func:`on_host` to each of several values."""
    return tuple(map(on_host, values))


def _without_history(values: Any) -> Any:
    """Detach a tensor from its gradients, and convert bfloat16 to a dtype of NumPy."""
    if getattr(values, "requires_grad", False):
        values = values.detach()
    return values.float() if str(values.dtype).endswith("bfloat16") else values


def _copied(values: Any) -> NDArray[Any]:
    # torch, CuPy and dpnp each call it differently.
    for copy in ("cpu", "get", "asnumpy"):
        if hasattr(values, copy):
            return np.asarray(getattr(values, copy)())
    try:
        return np.asarray(values)
    except Exception:
        xp = values.__array_namespace__()
        cpu = xp.__array_namespace_info__().default_device()
        return np.asarray(values.to_device(cpu))
