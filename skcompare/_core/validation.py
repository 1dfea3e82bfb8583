"""Validation of input: numbers, arrays, probabilities, class labels and groups."""

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import is_foreign, on_host

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
    return type(value) is int or (
        isinstance(value, Integral) and not isinstance(value, bool)
    )


def unknown_name(what: str, name: object, known: Iterable[str]) -> ValueError:
    """Create the error for an unknown name, with the closest known name."""
    names = sorted(known)
    shorter = str(name).removesuffix("_score")
    near = [shorter] if shorter in names else _abbreviated(shorter, names)
    near = near or difflib.get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    shown = " ".join(repr(name).split())[:LONGEST_SHOWN]
    return ValueError(f"Unknown {what} {shown}.{hint} {_listed(what, name, names)}")


LONGEST_SHOWN, LONGEST_LISTED = 80, 160
"""Most characters of an unknown name, and of a list of known ones, in a message."""

LISTINGS = {
    "test": "see skcompare.stats.paired_tests() or `skcompare list-tests`",
    "scoring": "see get_scorer_names() of skcompare.metrics and of sklearn.metrics",
    "scorer": "see get_scorer_names() of skcompare.metrics and of sklearn.metrics",
}
"""Where the known names of a kind are listed, if they are many."""


def _listed(what: str, name: object, names: Sequence[str]) -> str:
    """Return the known names; of many, those most alike, or where they are listed."""
    if len(text := ", ".join(names)) <= LONGEST_LISTED:
        return f"Known: {text}."
    if what in LISTINGS:
        return f"Known: {LISTINGS[what]}."
    alike = difflib.get_close_matches(str(name), names, n=5, cutoff=0.3) or names[:5]
    return f"Known: {', '.join(alike)} and {len(names) - len(alike)} more."


def unknown_attribute(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """Create the error for an unknown attribute of a module, with the closest name."""
    near = [] if name.startswith("_") else difflib.get_close_matches(name, known, n=1)
    hint = f". Did you mean {near[0]!r}? dir({module}) lists all." if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")


def _abbreviated(name: str, names: Iterable[str]) -> list[str]:
    """Return names of an abbreviation, such as neg_mean_absolute_error of "mae".

    It has the initials of their words, or is a word of three names at most. One character
    abbreviates nothing.
    """
    short = name.lower()
    if len(short) < 2:
        return []
    parts = {known: known.removeprefix("neg_").split("_") for known in names}
    initials = [known for known, own in parts.items() if _initials(own) == short]
    having = [known for known, own in parts.items() if short in own]
    return initials or (having if len(having) <= 3 else [])


def _initials(parts: Iterable[str]) -> str:
    return "".join(part[:1] for part in parts)


def check_choice(what: str, value: object, known: Collection[str]) -> str:
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
    if len(missing) and missing.any():
        raise ValueError(
            f"`{name}` must not have missing labels. Got {int(missing.sum())}, the first "
            f"at position {int(np.argmax(missing))}. Drop these records or name a class "
            "for them."
        )


def missing_in(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Mask of None, NaN, NaT, pandas.NA and infinities, empty for dtypes without these."""
    if array.dtype.kind == "f":
        return ~np.isfinite(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind not in "OT":
        return np.zeros(0, dtype=bool)
    items = array.tolist()
    # Labels are few, and most arrays have no missing ones.
    if not any(map(_is_missing, _distinct(items))):
        return np.zeros(0, dtype=bool)
    return np.array([_is_missing(item) for item in items])


def _distinct(items: list[Any]) -> Iterable[Any]:
    try:
        return set(items)
    except TypeError:
        return items


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
        check_unit_interval(name, proba)
        # Columns are contiguous, because most losses use one of them.
        columns = np.empty((2, len(proba)))
        np.subtract(1, proba, out=columns[0])
        columns[1] = proba
        return columns.T
    if proba.ndim != 2 or proba.shape[1] != n_classes:
        raise ValueError(
            f"`{name}` must be probabilities of shape (n_samples, {n_classes}), one column "
            f"per class in sorted order. Got shape {proba.shape}."
        )
    check_unit_interval(name, proba)
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


def check_unit_interval(name: str, proba: NDArray[np.float64]) -> None:
    """Check that all numbers are between 0 and 1."""
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


def check_comparable(
    name: str, own: NDArray[Any], reference: str, known: NDArray[Any]
) -> None:
    """Raise an error if labels differ in type or spelling, or have none in common.

    Parameters
    ----------
    name, reference : str
        Names of the predictions and of the labels to compare with, in messages.
    own, known : ndarray of shape (n_labels,)
        Distinct labels of each.
    """
    is_text, known_is_text = own.dtype.kind in "US", known.dtype.kind in "US"
    check_no_decimal_comma(name, own)
    check_no_decimal_comma(reference, known)
    if is_text != known_is_text:
        raise ValueError(
            f"`{name}` has {_kind_name(is_text)} labels (such as {some_of(own[:1])}) but "
            f"`{reference}` has {_kind_name(known_is_text)} ones (such as "
            f"{some_of(known[:1])}). Convert one of them."
        )
    extra = np.setdiff1d(own, known)
    if is_text and len(extra):
        folded = {_folded(label): str(label) for label in known}
        for label in extra:
            twin = folded.get(_folded(label))
            if twin is not None:
                raise ValueError(
                    f"`{name}` has the label {str(label)!a} where `{reference}` has "
                    f"{twin!a}. Labels must match exactly, in case, spaces, quotation "
                    "marks and Unicode form."
                )
    if len(extra) == len(own) and len(known) > 1:
        raise ValueError(
            f"`{name}` has no label in common with `{reference}`: {some_of(own)} against "
            f"{some_of(known)}. Map them to the same labels."
        )


DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+\s*")
"""A fraction as it is written in much of Europe, which is text to most readers."""


def check_no_decimal_comma(name: str, values: NDArray[Any]) -> None:
    """Raise an error for text that is numbers with a decimal comma."""
    if values.dtype.kind not in "USO" or not values.size:
        return
    some = [str(value) for value in values.reshape(-1)[:100]]
    if sum(DECIMAL_COMMA.fullmatch(value) is not None for value in some) > len(some) / 2:
        raise ValueError(
            f"`{name}` has numbers with a decimal comma, such as {some[0]!r}, which are "
            "text. Write them with a point, or pass a frame that was read by "
            "pandas.read_csv(..., decimal=',')."
        )


def _folded(label: Any) -> str:
    """Normalise the case, spaces, quotation marks and Unicode form of a label."""
    text = unicodedata.normalize("NFKC", str(label)).strip().strip("'\"").strip()
    return unicodedata.normalize("NFKC", text.casefold())


def _kind_name(is_text: bool) -> str:
    return "string" if is_text else "numeric"


def check_no_other(
    name: str, own: NDArray[Any], reference: str, known: NDArray[Any]
) -> None:
    """Raise an error if predictions have labels other than the known ones."""
    extra = np.setdiff1d(own, known)
    if len(extra):
        may_be_numbers = known.dtype.kind in "iuf" and len(known) > 2
        advice = " A target of numbers is compared by a measure of numbers, such as 'r2'."
        raise ValueError(
            f"`{name}` has labels that no record of `{reference}` has: {some_of(extra)}. "
            f"`{reference}` has {some_of(known)}. Code them in the same way; where they "
            "are classes that these records happen to lack, name all classes by `labels`."
            + advice
            * may_be_numbers
        )


def check_spelled_once(reference: str, known: NDArray[Any]) -> None:
    """Raise an error if two classes are the same text in different Unicode forms."""
    if known.dtype.kind != "U":
        return
    seen: dict[str, str] = {}
    for label in known.tolist():
        twin = seen.setdefault(unicodedata.normalize("NFC", label), label)
        if twin != label:
            raise ValueError(
                f"`{reference}` has the label {label!r} in two Unicode forms, "
                f"{twin!a} and {label!a}. Normalize it, for example by "
                "unicodedata.normalize('NFC', label)."
            )


LARGEST_WHOLE_FLOAT = 2.0**53
"""Largest float below which all integers are exact; all greater floats are whole."""

LONGEST_LABEL = 1000
"""Largest number of characters of a label; longer texts are documents."""

WIDEST_RANGE = 1 << 16
"""Range of integer labels that are encoded by a table instead of by sorting."""

FEW_LABELS = 256
"""Upper bound of integer labels, from 0, that are found without a look-up of each one."""

HEAD = 4096
"""Number of first records, which usually have every label."""

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
"""Unsigned integer types by their number of bytes."""

SLOTS = 20
"""Bits of the hash table of strings: it has 2**20 slots."""


def check_labels(name: str, values: Any) -> NDArray[Any]:
    """Check class labels, and return a one-dimensional array without missing values.

    Strings are returned in a unicode array, which compares and sorts quickly.
    """
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must be class labels of shape (n_samples,). Got an array of shape "
            f"{array.shape}. Multilabel and multi-output targets are not supported."
        )
    check_not_missing(name, array)
    if array.dtype.kind in "OT":
        array = _labels_from_objects(name, array)
    if array.dtype.kind == "f":
        return _integral_labels(name, array)
    if array.dtype.kind not in "biuUS":
        raise ValueError(
            f"`{name}` must be integer, boolean or string labels. Got dtype {array.dtype}."
        )
    return array


def are_plain_labels(arrays: Collection[Any]) -> bool:
    """Whether `check_labels` would return all arrays as they are, and of one length."""
    for array in arrays:
        if type(array) is not np.ndarray or array.ndim != 1:
            return False
        if array.dtype.kind not in "biuUS":
            return False
    lengths = {len(array) for array in arrays}
    return len(lengths) == 1 and 0 not in lengths


def is_continuous(values: Any) -> bool:
    """Whether values are numbers that are not all whole, and so no class labels."""
    try:
        array = as_array(values)
    except (TypeError, ValueError):
        return False
    return array.dtype.kind == "f" and not integral(array[np.isfinite(array)])


def check_same_order(*arrays: Mapping[str, Any]) -> None:
    """Raise an error if Series have the same index in different orders."""
    indexed = [
        (name, values.index)
        for mapping in arrays
        for name, values in mapping.items()
        if hasattr(values, "index") and hasattr(values.index, "equals")
    ]
    for name, index in indexed[1:]:
        first_name, first_index = indexed[0]
        if not index.equals(first_index) and index.sort_values().equals(
            first_index.sort_values()
        ):
            raise ValueError(
                f"`{first_name}` and `{name}` have the same index in different orders. "
                "Bring them into one order, for example by `reindex`, or pass plain arrays."
            )


def check_numbers(name: str, values: Any, *, several: bool = False) -> NDArray[np.float64]:
    """Check finite numbers, one per record, and return them as a vector of floats.

    With `several` outputs they may have one column per output; a single one is a vector.
    """
    array = as_array(values)
    shape = "(n_samples,) or (n_samples, n_outputs)" if several else "(n_samples,)"
    if array.dtype.kind == "O" and not any(isinstance(i, str) for i in array.flat):
        # Decimals, fractions, and None, which is missing.
        with suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        check_no_decimal_comma(name, array)
        raise ValueError(
            f"`{name}` must be numbers of shape {shape}. Got {array.dtype}, such as "
            f"{some_of(array.reshape(-1), 1)}. Convert them to numbers."
        )
    array = array.astype(np.float64, copy=False)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 and not (several and array.ndim == 2 and array.shape[1]):
        advice = "Compare several outputs one at a time."
        if several:
            advice = "Pass one column per output."
        raise ValueError(
            f"`{name}` must be numbers of shape {shape}. Got shape {array.shape}. {advice}"
        )
    finite = np.isfinite(array)
    if not finite.all():
        of_records = finite.reshape(len(finite), -1).all(axis=1)
        raise ValueError(
            f"`{name}` must be finite numbers. Got {int((~finite).sum())} that are missing "
            f"or infinite, the first at position {int(np.argmin(of_records))}. Drop or "
            "impute these records for all models."
        )
    return array


def check_positive(name: str, values: Any, *, several: bool = False) -> NDArray[np.float64]:
    """Check positive numbers as `check_numbers` does, such as standard deviations."""
    array = check_numbers(name, values, several=several)
    if not (array > 0).all():
        raise ValueError(f"`{name}` must be positive. Got {array.min():g}.")
    return array


def _labels_from_objects(name: str, array: NDArray[Any]) -> NDArray[Any]:
    items = array.tolist()
    # Labels are few, so only the distinct ones are checked.
    kinds = {"str" if isinstance(item, str) else "number" for item in _distinct(items)}
    if len(kinds) > 1:
        raise ValueError(
            f"`{name}` must have labels of one type. Got strings and numbers mixed. "
            "Convert them to strings or to numbers."
        )
    longest = max((len(i) for i in _distinct(items) if isinstance(i, str)), default=0)
    if longest > LONGEST_LABEL:
        raise ValueError(
            f"`{name}` must have labels of at most {LONGEST_LABEL} characters. Got one of "
            f"{longest:,}. Pass classes, not texts."
        )
    return np.asarray(items)


def _integral_labels(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if not integral(array):
        raise ValueError(
            f"`{name}` must be class labels. Got numbers that are not whole, for example "
            f"{array[np.trunc(array) != array][0]}. Probabilities are passed as such, and "
            "a continuous target is compared by a measure of numbers, such as 'r2'."
        )
    # As a Python float, because the largest float of two bytes is far below.
    if array.size and float(np.abs(array).max()) > LARGEST_WHOLE_FLOAT:
        raise ValueError(
            f"`{name}` has floats above 2**53, which cannot be distinguished. Got "
            f"{array[np.abs(array) > LARGEST_WHOLE_FLOAT][0]!r}. Pass integers or strings."
        )
    return array.astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Factors:
    """Labels encoded by candidate labels, some of which may not occur."""

    codes: NDArray[Any]
    candidates: NDArray[Any]
    occurring: NDArray[np.intp]

    @property
    def labels(self) -> NDArray[Any]:
        """Distinct labels, sorted."""
        return self.candidates[self.occurring]

    def among(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Positions of the labels in sorted classes, which must include every label."""
        dtype = np.min_scalar_type(-max(len(classes), 1))
        if len(classes) == len(self.occurring) == len(self.candidates):
            return self.codes.astype(dtype)
        position = np.zeros(len(self.candidates), dtype=dtype)
        position[self.occurring] = np.searchsorted(classes, self.labels)
        if np.array_equal(position, np.arange(len(position))):
            return self.codes.astype(dtype)
        return position[self.codes]


def _factorize(array: NDArray[Any]) -> _Factors:
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
        codes, counts = array, np.bincount(array, minlength=2)
        return _Factors(codes, np.array([False, True]), np.flatnonzero(counts))
    few = _few_from_zero(array)
    if few is not None:
        return _Factors(array, np.arange(int(few[-1]) + 1).astype(array.dtype), few)
    if array.dtype.kind in "iu" and len(array):
        low, high = int(array.min()), int(array.max())
        if high - low < WIDEST_RANGE:
            # Signed differences could overflow a small type, unsigned ones cannot.
            wide = array.astype(np.int64) if array.dtype.kind == "i" else array
            codes = wide - wide.dtype.type(low) if low else array
            seen = np.zeros(high - low + 1, dtype=bool)
            seen[codes] = True
            candidates = np.arange(len(seen)).astype(wide.dtype) + wide.dtype.type(low)
            return _Factors(codes, candidates.astype(array.dtype), np.flatnonzero(seen))
    if array.dtype.kind in "US":
        return _factorize_text(array)
    return _sorted_factors(array)


def _few_from_zero(array: NDArray[Any]) -> NDArray[np.intp] | None:
    """Distinct labels if these are small non-negative integers, otherwise None.

    One pass finds the greatest label (negative ones are great as unsigned integers), and
    the first records usually have every label below it.
    """
    dtype = array.dtype
    if dtype.kind not in "iu" or not dtype.isnative or not len(array):
        return None
    greatest = int(np.maximum.reduce(array.view(UNSIGNED[dtype.itemsize])))
    if greatest >= (128 if dtype == np.int8 else FEW_LABELS):
        return None
    # Labels below 256 fit any type; numpy does not count unsigned integers of 64 bits.
    head = array[:HEAD].astype(np.intp, copy=False)
    occurring = np.bincount(head, minlength=greatest + 1).nonzero()[0]
    if len(occurring) <= greatest and len(array) > HEAD:
        seen = np.zeros(greatest + 1, dtype=bool)
        seen[array] = True
        return np.flatnonzero(seen)
    return occurring


def _sorted_factors(array: NDArray[Any]) -> _Factors:
    labels, codes = np.unique(array, return_inverse=True)
    return _Factors(codes, labels, np.arange(len(labels)))


def _factorize_text(array: NDArray[Any]) -> _Factors:
    """Encode strings by hashing, which is faster than sorting.

    Each string points to a string in the same slot of a table. If the two are equal for
    all strings, slots are labels. Different labels that share a slot are distinguished by
    their whole hash, and if that is equal too, by sorting.
    """
    if not array.size or not array.dtype.itemsize:
        return _sorted_factors(array)
    keys = _hashes(array)
    slots = (keys >> np.uint64(64 - SLOTS)).astype(np.intp)
    holder = np.empty(1 << SLOTS, dtype=np.intp)
    holder[slots] = np.arange(len(array))
    pointed = holder[slots]
    if not (array[pointed] == array).all():
        first_index, inverse = np.unique(keys, return_index=True, return_inverse=True)[1:]
        pointed = first_index[inverse]
        if not (array[pointed] == array).all():
            return _sorted_factors(array)
    seen = np.zeros(len(array), dtype=bool)
    seen[pointed] = True
    distinct = np.flatnonzero(seen)
    order = np.argsort(array[distinct])
    code = np.empty(len(array), dtype=np.intp)
    code[distinct[order]] = np.arange(len(distinct))
    return _Factors(code[pointed], array[distinct[order]], np.arange(len(distinct)))


def _hashes(array: NDArray[Any]) -> NDArray[np.uint64]:
    # As few columns as possible: chunks of eight bytes if the width allows it.
    unit = next(size for size in (8, 4, 2, 1) if array.dtype.itemsize % size == 0)
    chunks = np.ascontiguousarray(array).view(UNSIGNED[unit]).reshape(len(array), -1)
    # Multiply-shift hashing: fixed odd multipliers, sums modulo 2**64, high bits used.
    rng = np.random.Generator(np.random.PCG64(0))
    factors = rng.integers(1 << 63, size=chunks.shape[1], dtype=np.uint64) * 2 + 1
    keys = np.zeros(len(array), dtype=np.uint64)
    for column, factor in zip(chunks.T, factors, strict=True):
        keys += column * factor
    return keys


def classes_of(y_true: NDArray[Any], /, **predictions: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted labels that occur, and check that predictions match `y_true`."""
    labels = {name: _distinct_labels(array) for name, array in predictions.items()}
    return _unite("y_true", _distinct_labels(y_true), labels)


def _distinct_labels(array: NDArray[Any]) -> NDArray[Any]:
    few = _few_from_zero(array)
    return _factorize(array).labels if few is None else few.astype(array.dtype)


def encode_labels(
    known: NDArray[Any],
    predictions: Mapping[str, NDArray[Any]],
    *,
    reference: str = "y_true",
    closed: bool = False,
) -> tuple[NDArray[Any], Sequence[NDArray[Any]]]:
    """Return the sorted labels that occur, and the codes of each array.

    Arrays come from :func:`check_labels`. Predictions that do not match the known labels,
    which messages call `reference`, are refused. With `closed`, predictions have no other
    labels than the known ones.
    """
    factors = [_factorize(array) for array in (known, *predictions.values())]
    labels, *predicted_labels = (factor.labels for factor in factors)
    predicted = dict(zip(predictions, predicted_labels, strict=True))
    classes = _unite(reference, labels, predicted)
    if closed:
        for name, own in predicted.items() if len(classes) > len(labels) else ():
            check_no_other(name, own, reference, labels)
        check_spelled_once(reference, labels)
    return classes, [factor.among(classes) for factor in factors]


def _unite(
    reference: str, known: NDArray[Any], predicted: dict[str, NDArray[Any]]
) -> NDArray[Any]:
    different = False
    for name, own in predicted.items():
        # Comparing bytes takes no time if labels are few.
        if own.dtype != known.dtype or own.tobytes() != known.tobytes():
            different = True
            check_comparable(name, own, reference, known)
    if not different:
        return known
    return np.unique(np.concatenate([known, *predicted.values()]))


def united_classes(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Union of the classes of two shards, which must be of the same type."""
    if _text_kind(left) != _text_kind(right):
        raise ValueError(
            "Only evidence about labels of one type can be merged. Got "
            f"{some_of(left)} and {some_of(right)}. Convert the labels of one of them."
        )
    return np.union1d(left, right)


def _text_kind(labels: NDArray[Any]) -> str:
    """Kind of the dtype of text labels, or "" for numbers."""
    return labels.dtype.kind if labels.dtype.kind in "US" else ""


def check_groups(groups: Any) -> NDArray[Any]:
    """Check groups, one per record, and return an array of numbers, strings or dates."""
    array = as_array(groups)
    if array.ndim != 1:
        raise ValueError(
            f"`groups` must have shape (n_samples,). Got {array.shape}. Pass one group per "
            "record."
        )
    check_not_missing("groups", array)
    if array.dtype.kind in "OT":
        array = _labels_from_objects("groups", array)
    if array.dtype.kind not in "biufUSmM":
        raise ValueError(
            f"`groups` must be numbers or strings, all of one type. Got {array.dtype} such "
            f"as {array[0]!r}. Convert them to strings."
        )
    return array


def group_codes(groups: Any) -> NDArray[np.int64]:
    """Encode the group of each record by its position among the sorted groups."""
    factors = _factorize(check_groups(groups))
    return factors.among(factors.labels).astype(np.int64)


def class_codes(name: str, labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Positions of labels in the sorted `classes`, in the smallest signed integer type."""
    factors = _factorize(labels)
    own = factors.labels
    at = np.minimum(np.searchsorted(classes, own), len(classes) - 1)
    unknown = classes[at] != own
    if unknown.any():
        raise ValueError(
            f"`{name}` has labels that are not classes: {some_of(own[unknown])}. "
            f"Known classes: {some_of(classes)}."
        )
    return factors.among(classes)


def in_class_order(
    values: NDArray[Any], source: Any, classes: NDArray[Any]
) -> NDArray[Any]:
    """Sort columns that are named by the classes; other values are returned unchanged."""
    columns = getattr(source, "columns", getattr(source, "column_names", None))
    if columns is None or values.ndim != 2 or values.shape[1] != len(classes):
        return values
    for convert in (lambda label: label, str):
        names, expected = (
            [convert(label) for label in each] for each in (columns, classes.tolist())
        )
        if set(names) == set(expected):
            return values[:, [names.index(label) for label in expected]]
    return values
