"""Arrays of other libraries, such as torch and CuPy, and frozen dataclasses with arrays.

Only this module decides what an array of another library is. Computations on its own device
are in `skcompare.evidence.core._device` and the modules named after it.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.design import Design, as_design

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
            "off. Turn it on with sklearn.set_config(array_api_dispatch=True), or pass a "
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


def slices_of(n: int, size: int) -> Iterator[slice]:
    """Return slices that split `n` elements into parts of at most `size`."""
    # The array API has no slices beyond the end.
    return (slice(start, min(n, start + size)) for start in range(0, n, size))


def array_namespace(values: Any) -> Any:
    """Return the functions of the array API standard for an array."""
    if isinstance(values, np.ndarray):
        return np
    # Imported when there is such an array, because most programs have none.
    from skcompare._core.sklearn_private import array_api_compat

    return array_api_compat().array_namespace(values)


class ArrayOperations:
    """Operations of an expression of columns on arrays, see :func:`record_loss`.

    Parameters
    ----------
    xp : module, default=numpy
        The functions of the array API standard.
    """

    def __init__(self, xp: Any = np) -> None:
        self.xp = xp
        self.floor, self.abs, self.log, self.sqrt = xp.floor, xp.abs, xp.log, xp.sqrt
        self.exp = xp.exp

    @classmethod
    def of(cls, values: Any) -> "ArrayOperations":
        """Return the operations on an array of any library."""
        return cls(array_namespace(values))

    def where(self, condition: Any, value: Any, otherwise: Any) -> Any:
        """Select `value` where a condition is true, and else `otherwise`."""
        if self.xp is not np:
            # Not all libraries take numbers.
            zeros = self.flag(condition) * 0.0
            value, otherwise = value + zeros, otherwise + zeros
        return self.xp.where(condition, value, otherwise)

    def let(self, *values: Any) -> tuple[Any, ...]:
        """Return the values, which arrays hold already."""
        return values

    def floats(self, values: Any) -> Any:
        """Convert integers or truth values to floats."""
        if self.xp is np:
            return np.asarray(values).astype(np.float64, copy=False)
        return self.xp.astype(values, self.xp.float64)

    flag = floats

    def checked(self, values: Any, condition: Any, expected: str, advice: str) -> Any:
        """Return the values if a condition holds for all, or raise an error."""
        if not bool(self.xp.all(condition)):
            holds = self.flag(condition)
            raise ValueError(
                f"{expected}. Got {int(self.xp.sum(1.0 - holds))} others, the first at "
                f"position {int(self.xp.argmin(holds))}. {advice}"
            )
        return values

    def share(self, part: Any, whole: int) -> Any:
        """Quotient of a number and an integer, rounded once."""
        return part / float(whole)


HASHED = 16
"""Number of elements of an array that its hash depends on."""


def array_of(check: Callable[[str, Any], Any], *shape: str) -> dict[str, Any]:
    """Metadata of a field that holds an array: its check, and a name for each dimension."""
    return {"check": check, "shape": shape}


def as_read_only(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody writes to: a copy of one that somebody may."""
    return values.copy() if values.flags.writeable else values


AS_DESIGN: dict[str, Any] = {"check": lambda name, value: as_design(value)}
"""Metadata of a field that holds a design, or its name."""

AS_TUPLE: dict[str, Any] = {"check": lambda name, value: tuple(value)}
"""Metadata of a field that holds a few values, such as flags."""


class ArrayValues:
    """Base class of frozen dataclasses that hold arrays; decorate them with ``eq=False``.

    Two are equal if they are of one class with equal fields. They are pickled by the
    arguments of their constructor, so that arrays come back read-only. Fields say in their
    metadata how they are checked; one whose default is None may be None:

    - ``{"check": rule}`` with a function of the name and the value of a field, which
      raises an error or returns the value to keep, such as an array of its dtype;
    - ``{"shape": names}`` with a name for each dimension of such an array; dimensions of
      one name have one size in all fields. :func:`array_of` states both.

    Then `_check_together` checks what depends on several fields.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        checks, shapes = _declared(kind)
        checked: dict[str, Any] = {}
        for name, check, optional in checks:
            value = getattr(self, name)
            if value is not None or not optional:
                checked[name] = check(name, value)
        sizes: dict[str, int] = {}
        for name, dimensions in shapes:
            if name in checked:
                _check_shape(name, checked[name].shape, dimensions, sizes)
        self._set(**checked)
        self._check_together()

    def _check_together(self) -> None:
        """Check fields that depend on each other, once each is checked by itself."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(are_equal, self._arguments(), other._arguments()))

    def __hash__(self) -> int:
        return hash(tuple(map(_hashable, self._arguments())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments()

    def _arguments(self) -> tuple[Any, ...]:
        """Arguments of the constructor that make an equal object."""
        own: Any = self
        return tuple(getattr(self, field.name) for field in fields(own) if field.init)

    def _set(self, **values: Any) -> None:
        """Set fields of a new object, with arrays made read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)


def plain_values(value: Any) -> dict[str, Any]:
    """Fields of a dataclass as built-in types: lists for arrays, text for a design."""
    return {
        field.name: _plain(getattr(value, field.name))
        for field in fields(value)
        if field.init
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Design):
        return value.name
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return plain_values(value) if is_dataclass(value) else value


def are_equal(first: Any, second: Any) -> bool:
    """Whether two values are equal, with arrays compared as wholes."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        numbers = first.dtype.kind == second.dtype.kind == "f"
        return np.array_equal(first, second, equal_nan=numbers)
    if isinstance(first, dict) and isinstance(second, dict):
        same = first.keys() == second.keys()
        return same and all(are_equal(first[name], second[name]) for name in first)
    if isinstance(first, tuple) and isinstance(second, tuple):
        pairs = zip(first, second)
        return len(first) == len(second) and all(
            a is b or are_equal(a, b) for a, b in pairs
        )
    # An array is unequal to anything else, whatever its elements.
    one_array = isinstance(first, np.ndarray) or isinstance(second, np.ndarray)
    return not one_array and bool(first == second)


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset(value)
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if not isinstance(value, np.ndarray):
        return value
    # Equal arrays of other types have equal elements, and NaN has many hashes.
    elements = value.ravel()[:HASHED].tolist()
    return value.shape, tuple(element for element in elements if element == element)


@cache
def _declared(
    kind: Any,
) -> tuple[list[tuple[str, Any, bool]], list[tuple[str, tuple[str, ...]]]]:
    """Return the checks of fields, which may be None, and the shapes, vectors first.

    Sizes are those of the vectors, such as the labels of classes, so that a table that does
    not fit them is named.
    """
    declared = [each for each in fields(kind) if "check" in each.metadata]
    checks = [
        (each.name, each.metadata["check"], each.default is None) for each in declared
    ]
    shapes = [(each.name, each.metadata.get("shape", ())) for each in declared]
    shapes = [(name, dimensions) for name, dimensions in shapes if dimensions]
    shapes.sort(key=lambda pair: len(pair[1]))
    return checks, shapes


def _check_shape(
    name: str, shape: tuple[int, ...], dimensions: tuple[str, ...], sizes: dict[str, int]
) -> None:
    """Check a shape, and add the sizes of dimensions that no field had before."""
    if len(shape) == len(dimensions):
        for dimension, size in zip(dimensions, shape, strict=True):
            if sizes.setdefault(dimension, size) != size:
                break
        else:
            return
    known = [f"{each}={sizes[each]}" if each in sizes else each for each in dimensions]
    expected = f"({', '.join(known)}{',' if len(known) == 1 else ''})"
    raise ValueError(f"`{name}` must have shape {expected}. Got {shape}.")
