"""Input validation, with messages that state the expected and the passed value."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from skcompare._core.array_api import is_foreign, on_host

ALTERNATIVES = ("two-sided", "less", "greater")
PROBABILITY_TOLERANCE = 1e-6
TOLERANCE_BY_BYTES = {2: 3e-2, 4: 1e-3}
"""Tolerances of short floats: exponentials of hundreds lose three more digits."""

BITS_OF_ONE = np.float64(1).view(np.uint64)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def unknown_name(what: str, name: object, known: Iterable[str]) -> ValueError:
    """Create the error for an unknown name, with the closest known name."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ValueError(f"Unknown {what} {name!r}.{hint} Known: {', '.join(names)}.")


def check_choice(what: str, value: object, known: Sequence[str]) -> str:
    """Check that a value is one of the known names, and return it."""
    if not isinstance(value, str) or value not in known:
        raise unknown_name(what, value, known)
    return value


def check_alternative(alternative: object) -> str:
    """Check that an alternative is "two-sided", "less" or "greater", and return it."""
    return check_choice("alternative", alternative, ALTERNATIVES)


def check_alpha(alpha: object) -> float:
    """Check that a significance level is in (0, 0.5], and return it."""
    if is_number(alpha) and 0 < alpha <= 0.5:
        return float(alpha)
    raise ValueError(
        f"`alpha` must be a number in (0, 0.5]. Got {alpha!r} instead. It is the "
        "accepted probability of a verdict when the classifiers are equal; 0.05 is usual."
    )


def check_confidence_level(confidence_level: object) -> float:
    """Check that a confidence level is in (0, 1), and return it."""
    if is_number(confidence_level) and 0 < confidence_level < 1:
        return float(confidence_level)
    raise ValueError(
        "`confidence_level` must be a number between 0 and 1. Got "
        f"{confidence_level!r} instead. Pass 0.95 for a 95 % interval."
    )


def alpha_of(confidence_level: float) -> float:
    """Significance level that corresponds to a confidence level.

    1 - 0.95 is a little more than 0.05, so that p = 0.05 would be below it.
    """
    alpha = 1 - confidence_level
    rounded = round(alpha, 15)
    return rounded if rounded >= 1e-12 else alpha


def check_count(name: str, value: object, *, least: int = 1) -> int:
    """Check that a value is an integer of at least `least`, and return it."""
    if is_whole(value) and value >= least:
        return int(value)
    raise ValueError(
        f"`{name}` must be an integer of at least {least}. Got {value!r} instead."
    )


def check_switches(**switches: object) -> None:
    """Check that all values are True or False."""
    for name, value in switches.items():
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"`{name}` must be True or False. Got {value!r} instead.")


def check_same_length(*arrays: Mapping[str, Any], **named: Any) -> int:
    """Check that named arrays have the same nonzero length, and return the length."""
    pairs = [pair for mapping in (*arrays, named) for pair in mapping.items()]
    for name, values in pairs:
        is_scalar = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
        if is_scalar or not (hasattr(values, "__len__") or is_foreign(values)):
            raise ValueError(
                f"`{name}` must be an array with one entry per record. Got {values!r:.60}."
            )
    # The array API has no len().
    lengths = [
        (name, values.shape[0] if is_foreign(values) else len(values))
        for name, values in pairs
    ]
    if len({n for _, n in lengths}) > 1:
        listed = ", ".join(f"{name} has {n}" for name, n in lengths)
        raise ValueError(
            f"All arrays must have one entry per record, in the same order: {listed}. "
            "Join the predictions for the records first."
        )
    n = lengths[0][1]
    if n == 0:
        raise ValueError(
            f"{', '.join(name for name, _ in pairs)}: expected at least one record. Got "
            "empty arrays."
        )
    return n


def as_array(values: Any) -> NDArray[Any]:
    """Convert values to an array; a list with strings keeps the types of its items.

    numpy would convert numbers and missing values in such a list to strings, and would read
    the masked entries of a masked array as values.
    """
    if isinstance(values, np.ma.MaskedArray):
        array: NDArray[Any] = np.ma.getdata(values)
        mask = np.ma.getmaskarray(values)
        if mask.any():
            array = array.astype(object)
            array[mask] = None
        return array
    is_list = isinstance(values, list | tuple)
    mixed = is_list and any(isinstance(item, str) for item in values)
    return np.asarray(on_host(values), dtype=object if mixed else None)


def check_not_missing(name: str, array: NDArray[Any]) -> None:
    """Check that no label is None, NaN, NaT or pandas.NA."""
    missing = missing_in(array)
    if missing.any():
        raise ValueError(
            f"`{name}` must not have missing labels. Got {int(missing.sum())}, the first "
            f"at position {int(np.argmax(missing))}. Drop these records or name a class "
            "for them."
        )


def missing_in(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask of None, NaN, NaT, pandas.NA and infinities, empty for dtypes without these."""
    if array.dtype.kind in "biuSU":
        return np.zeros(0, dtype=bool)
    if array.dtype.kind == "f":
        return ~np.isfinite(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind in "OT":
        items = array.tolist()
        try:
            # Labels are few, and most arrays have no missing ones.
            if not any(map(_is_missing, set(items))):
                return np.zeros(len(array), dtype=bool)
        except TypeError:
            pass
        return np.array([_is_missing(item) for item in items])
    return np.zeros(len(array), dtype=bool)


def _is_missing(item: Any) -> bool:
    # None of the missing values equals itself as a plain True.
    return item is None or (item != item) is not False


def integral(values: NDArray[Any]) -> bool:
    """Whether all numbers are whole."""
    return bool((np.trunc(values) == values).all())


def some_of(labels: NDArray[Any], most: int = 5) -> str:
    """Format the first few labels."""
    text = ", ".join(map(repr, labels[:most].tolist()))
    return f"{text}, ..." if len(labels) > most else text


def check_pos_label(pos_label: Any, classes: NDArray[Any]) -> int | None:
    """Return the position of the positive class of two, or None if none is declared."""
    if pos_label is None:
        return None
    is_scalar = np.ndim(pos_label) == 0
    positions = np.flatnonzero(classes == pos_label) if is_scalar else np.empty(0)
    if len(classes) != 2 or len(positions) != 1:
        raise ValueError(
            f"`pos_label` must be one of two classes. Got {pos_label!r} and the classes "
            f"{some_of(classes)}. Leave it out for more than two classes."
        )
    return int(positions[0])


def positive_class(classes: NDArray[Any], pos_label: Any) -> Any:
    """Return the label of the positive class of two, by default 1 as in scikit-learn.

    If `pos_label` is passed, the other class may be the only one that occurs.
    """
    occurring, pos_label = classes.tolist(), _scalar_label(pos_label)
    if len(occurring) > 2:
        raise ValueError(
            f"A score of one class needs two classes. Got {len(occurring)}: "
            f"{some_of(classes)}. Use an average over classes, such as a score that ends "
            "in _macro."
        )
    if pos_label is None:
        if 1 not in occurring:
            raise ValueError(
                f"Say which of {some_of(classes)} is the positive class: pass `pos_label`. "
                "Only a class 1 is positive by default."
            )
        return 1
    if np.ndim(pos_label) or (pos_label not in occurring and len(occurring) == 2):
        raise ValueError(
            f"`pos_label` must be one of two classes. Got {pos_label!r} and the classes "
            f"{some_of(classes)}."
        )
    return pos_label


def _scalar_label(value: Any) -> Any:
    """Convert a zero-dimensional array or tensor to a scalar label."""
    label = on_host(value)
    return label[()] if isinstance(label, np.ndarray) and not label.ndim else label


def check_probabilities(
    name: str, values: Any, n_classes: int, *, sums: bool = True
) -> NDArray[np.float64]:
    """Check that probabilities are in [0, 1] and rows sum to 1, and return an array.

    For two classes, a single column is that of the second class. Floats of four or two
    bytes sum to 1 within their precision only, and are normalised here. Without `sums`,
    rows may have any sum; if one differs from 1, all stay as they are.
    """
    array = as_array(values)
    n_bytes = array.dtype.itemsize if array.dtype.kind == "f" else 8
    tolerance = TOLERANCE_BY_BYTES.get(n_bytes, PROBABILITY_TOLERANCE)
    proba = array.astype(np.float64, copy=False)
    if tolerance > PROBABILITY_TOLERANCE:
        rounded = (proba >= -tolerance) & (proba <= 1 + tolerance)
        proba = np.where(rounded, proba.clip(0, 1), proba)
    if proba.ndim == 1 and n_classes == 2:
        _check_unit_interval(name, proba)
        # Columns are contiguous, because most losses use one of them.
        columns = np.empty((2, len(proba)))
        np.subtract(1, proba, out=columns[0])
        columns[1] = proba
        return columns.T
    if proba.ndim != 2 or proba.shape[1] != n_classes:
        raise ValueError(
            f"`{name}` must be probabilities of shape (n_samples, {n_classes}), a column "
            f"a class in sorted order. Got shape {proba.shape}."
        )
    _check_unit_interval(name, proba)
    # A product with ones sums the rows several times faster than sum(axis=1).
    totals = proba @ np.ones(n_classes)
    # Rounding to six decimals changes the sum by half a unit for each class.
    near_enough = tolerance * max(1.0, n_classes / 2)
    off = np.abs(totals - 1) > near_enough
    if sums and off.any():
        raise ValueError(
            f"Each row of `{name}` must sum to 1. Row {int(np.argmax(off))} sums to "
            f"{totals[np.argmax(off)]:.9g}, and {array.dtype} is near enough within "
            f"{near_enough:g}. Normalise the rows, or pass decision scores."
        )
    if tolerance > PROBABILITY_TOLERANCE and not off.any():
        # One class has the rest of the others then, even if that is close to 0.
        proba = proba / totals[:, np.newaxis]
    return proba


def are_probabilities(proba: NDArray[np.float64]) -> bool:
    """Whether all rows sum to 1, as :func:`check_probabilities` requires."""
    most = PROBABILITY_TOLERANCE * max(1.0, proba.shape[1] / 2)
    return bool((np.abs(proba @ np.ones(proba.shape[1]) - 1) <= most).all())


def _check_unit_interval(name: str, proba: NDArray[np.float64]) -> None:
    # Bits of floats of [0, 1] sort like their values, and all others are greater.
    if proba.size and np.maximum.reduce(proba.view(np.uint64), axis=None) <= BITS_OF_ONE:
        return
    # min and max are NaN as soon as one value is, so two passes check everything.
    low, high = (proba.min(), proba.max()) if proba.size else (0.0, 0.0)
    if np.isnan(low):
        raise ValueError(f"`{name}` must not have missing values (NaN).")
    if low < 0 or high > 1:
        raise ValueError(
            f"`{name}` must be probabilities in [0, 1]. Got values from {low:.6g} to "
            f"{high:.6g}. Scores of another scale are passed as decision scores."
        )
