"""Correctness of several classifiers on each record, packed into bits."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import AS_DESIGN
from skcompare._core.design import HOLDOUT, Design
from skcompare._core.validation import (
    check_labels,
    check_same_length,
    classes_of,
    is_whole,
    unknown_name,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._counting import sums_of
from skcompare.evidence.core._storage import SAME_CLASSIFIERS, Mergeable
from skcompare.evidence.labels._class_order import predictions_right
from skcompare.evidence.labels._contingency import ContingencyTable
from skcompare.predictions import LABELS, PairedPredictions, Predictions

Bits = NDArray[np.uint8]

MOST_INTEGERS = 1023
"""Integers of 64 bits whose bits a 16-bit number can count."""

_count_bits = getattr(np, "bitwise_count", None)  # numpy >= 2.0


def compared(truth: NDArray[Any], predictions: Iterable[NDArray[Any]]) -> Bits:
    """Return bits that are 1 for correct predictions, packed along the records."""
    correct = np.empty(len(truth), dtype=bool)
    # One array of predictions at a time, so that `correct` stays in the cache.
    return np.array(
        [np.packbits(np.equal(labels, truth, out=correct)) for labels in predictions]
    )


def concatenated(first: Bits, n_first: int, second: Bits, n_second: int) -> Bits:
    """Concatenate the packed bits of two sets of records."""
    full, rest = divmod(n_first, 8)
    bits = np.zeros((len(first), -(-(n_first + n_second) // 8)), dtype=np.uint8)
    bits[:, : first.shape[1]] = first
    # The second ones begin within the last octet of the first ones, or right after it.
    bits[:, full : full + second.shape[1]] |= second >> rest
    if rest:
        carried = second[:, : bits.shape[1] - full - 1] << (8 - rest)
        bits[:, full + 1 : full + 1 + carried.shape[1]] |= carried
    return bits


def joint_counts(bits: Bits) -> IntArray:
    """Count the records for which both rows of each pair are 1."""
    integers = _as_integers(bits)
    k, n_parts, _ = integers.shape
    sums = np.zeros((k, k, n_parts), dtype=np.uint16)
    # Allocating memory once costs less than allocating it again for each row.
    both = np.empty_like(integers)
    for i in range(k):
        np.bitwise_and(integers[i], integers[i:], out=both[i:])
        sums[i, i:] = _ones(both[i:])
    joint = sums.sum(axis=-1, dtype=np.int64)
    return np.maximum(joint, joint.T)


def count_mixed(bits: Bits) -> int:
    """Count the records for which some rows are 1 and others 0."""
    mixed = np.bitwise_or.reduce(bits) ^ np.bitwise_and.reduce(bits)
    return int(_ones(_as_integers(mixed[np.newaxis])).sum(dtype=np.int64))


def _as_integers(bits: Bits) -> NDArray[np.uint64]:
    """Return integers of shape (rows, parts, at most MOST_INTEGERS), padded with 0."""
    n_integers = -(-bits.shape[1] // 8)
    n_parts = -(-n_integers // MOST_INTEGERS)
    padded = np.zeros((len(bits), 8 * n_parts * -(-n_integers // n_parts)), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64).reshape(len(bits), n_parts, -1)


def _ones(integers: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count the 1 bits over the last axis, in a short type for faster sums."""
    if _count_bits is None:
        counts = _ones_of_16()[integers.view(np.uint16)]
    else:
        counts = _count_bits(integers)
    return np.add.reduce(counts, axis=-1, dtype=np.uint16)


@cache
def _ones_of_16() -> Bits:
    """Return the number of 1 bits in each 16-bit number."""
    octets = np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2)
    return np.unpackbits(octets, axis=1).sum(axis=1, dtype=np.uint8)


def distinct_columns(block: Bits) -> tuple[Bits, IntArray]:
    """Return the sorted distinct columns, as unpacked rows, and their counts."""
    octets = np.packbits(block, axis=0)
    padded = np.zeros((block.shape[1], -(-len(octets) // 8) * 8), dtype=np.uint8)
    padded[:, : len(octets)] = octets.T
    # As numbers with the first bit in front they sort like the columns.
    integers = padded.view(">u8").astype(np.uint64)
    if integers.shape[1] == 1:
        # Sorting numbers is many times faster than sorting rows.
        values, counts = np.unique(integers, return_counts=True)
        integers = values[:, np.newaxis]
    else:
        integers, counts = np.unique(integers, axis=0, return_counts=True)
    octets = integers.astype(">u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=len(block)), counts


BLOCK = 1 << 22
"""Number of predictions that are unpacked at a time."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrectnessPatterns(Mergeable):
    """Correct and wrong predictions of several classifiers for the same records.

    A prediction takes a bit, so that a million records of twenty classifiers fit into
    2.5 MB, and correct predictions that two classifiers share are counted 64 records at a
    time.

    Parameters
    ----------
    bits : array-like of shape (n_records, n_classifiers)
        1 or True where a classifier predicted a record correctly, and 0 or False where it
        did not. With `n`, these bits as :func:`numpy.packbits` packs them along the
        records, of shape (n_classifiers, ceil(n / 8)).
    names : iterable of str, optional
        Names of the classifiers, all different; by default "classifier 1" and so on.
    design : Design or str, default="holdout"
        How the records were collected.
    n : int, optional
        Number of records, where `bits` are packed.

    Attributes
    ----------
    bits : ndarray of shape (n_classifiers, ceil(n / 8)), dtype uint8
        The packed bits, one row per classifier; bits after the last record are 0.

    Raises
    ------
    ValueError
        If a value is neither 0 nor 1, if there are fewer than two classifiers or no
        record, or if names are not as many as classifiers, or two are equal.

    Examples
    --------
    >>> from skcompare.evidence import CorrectnessPatterns
    >>> patterns = CorrectnessPatterns.from_counts(
    ...     {"111": 80, "110": 2, "100": 2, "011": 9, "010": 1, "001": 3, "000": 3}
    ... )
    >>> patterns.n, patterns.n_correct.tolist()
    (100, [84, 92, 92])
    >>> patterns.contingency_table(0, 1)
    ContingencyTable(both_correct=82, only_champion=2, only_challenger=10, both_wrong=6)
    """

    bits: NDArray[np.uint8]
    names: tuple[str, ...] = None  # type: ignore[assignment]
    design: Design = field(default=HOLDOUT, metadata=AS_DESIGN)
    n: int = None  # type: ignore[assignment]
    # Counting takes longer than any test, and several tests need the same counts.
    _counts: tuple[IntArray, int] | None = field(default=None, init=False)

    required: ClassVar[frozenset[str]] = frozenset({LABELS})

    def _check_together(self) -> None:
        if self.n is None:
            bits, n = _packed(self.bits)
        else:
            bits, n = _checked_bits(self.bits, self.n), int(self.n)
        _check_size(len(bits), n)
        names = check_classifier_names(self.names, len(bits))
        self._set(bits=bits, n=n, names=names)

    def __repr__(self) -> str:
        return (
            f"CorrectnessPatterns(n={self.n}, names={list(self.names)}, "
            f"n_correct={self.n_correct.tolist()}, design={self.design.name!r})"
        )

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, *predictions: ArrayLike, names: Iterable[str] | None = None
    ) -> "CorrectnessPatterns":
        """Compare predictions for the records of a hold-out set with the true labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        *predictions : array-like of shape (n_samples,)
            Predicted labels, one array per classifier.
        names : iterable of str, optional
            Names of the classifiers.
        """
        on_device = predictions_right(y_true, predictions)
        if on_device is not None:
            return cls(
                *on_device[:1],
                check_classifier_names(names, len(predictions)),
                n=on_device[1],
            )
        truth = _labels("y_true", y_true)
        _check_size(len(predictions), len(truth))
        classifiers = check_classifier_names(names, len(predictions))
        # Titles in messages; a classifier may be called y_true.
        titles = [f"predictions of {name}" for name in classifiers]
        predicted = [_labels(*item) for item in zip(titles, predictions, strict=True)]
        check_same_length(y_true=truth, **dict(zip(titles, predicted, strict=True)))
        if any(array.dtype.kind in "US" for array in (truth, *predicted)):
            classes_of(truth, **dict(zip(titles, predicted, strict=True)))
        bits = compared(truth, predicted)
        # Numeric predictions that fit no true label are never correct; a search for others
        # would take longer than everything else.
        never_correct = {titles[i]: predicted[i] for i in np.flatnonzero(~bits.any(axis=1))}
        if never_correct:
            classes_of(truth, **never_correct)
        return cls(bits, classifiers, HOLDOUT, len(truth))

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[Any, int],
        names: Iterable[str] | None = None,
        design: Design | str = HOLDOUT,
    ) -> "CorrectnessPatterns":
        """Construct from the counts of patterns.

        Parameters
        ----------
        counts : mapping of str or tuple to int
            Records with each pattern. A pattern has a 1 for each classifier that is
            correct and a 0 for each that is wrong, such as "110" or (1, 1, 0).
        names : iterable of str, optional
            Names of the classifiers.
        design : Design or str, default="holdout"
            How the records were collected.
        """
        patterns = [tuple(str(int(mark)) for mark in key) for key in _keys(counts)]
        for pattern, count in zip(patterns, counts.values(), strict=True):
            if len(pattern) != len(patterns[0]) or not is_whole(count) or count < 0:
                raise ValueError(
                    "`counts` must map patterns of one length, such as '110', to whole "
                    f"counts of at least 0. Got {''.join(pattern)!r}: {count!r}."
                )
        rows = np.array(patterns, dtype=np.uint8)
        records = np.array(list(counts.values()), dtype=np.int64)
        bits = np.array([np.packbits(np.repeat(column, records)) for column in rows.T])
        return cls(bits, names, design, int(records.sum()))  # type: ignore[arg-type]

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "CorrectnessPatterns":
        """Compare champion and challenger, as :meth:`from_predictions_of` does."""
        return cls.from_predictions_of(pair.alone)

    @classmethod
    def from_predictions_of(cls, predictions: Predictions) -> "CorrectnessPatterns":
        """Compare all classifiers with the true labels of all test sets."""
        truth = predictions.y_predicted()
        labels = [classifier.known_labels() for classifier in predictions.estimators]
        return cls(
            compared(truth, labels), predictions.names, predictions.design, len(truth)
        )

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return len(self.bits)

    @property
    def both_correct(self) -> IntArray:
        """Number of records that both classifiers of each pair predicted correctly.

        Of shape (n_classifiers, n_classifiers); the diagonal is what each predicted
        correctly.
        """
        return self._counted()[0]

    @property
    def n_correct(self) -> IntArray:
        """Number of records that each classifier predicted correctly."""
        return np.diagonal(self.both_correct)

    @property
    def accuracies(self) -> FloatArray:
        """Accuracy of each classifier."""
        return self.n_correct / self.n

    @property
    def discordant(self) -> IntArray:
        """Number of records correct for the row's but not for the column's classifier."""
        return self.n_correct[:, np.newaxis] - self.both_correct

    @property
    def n_informative(self) -> int:
        """Number of records that some, but not all, classifiers predicted correctly."""
        return self._counted()[1]

    @property
    def row_totals(self) -> IntArray:
        """Number of records with exactly 0, 1, ..., n_classifiers correct predictions."""
        k = self.n_classifiers
        totals = np.zeros(k + 1, dtype=np.int64)
        for block in self._blocks():
            n_correct = block.sum(axis=0, dtype=np.min_scalar_type(k))
            totals += np.bincount(n_correct, minlength=k + 1)
        return totals

    def contingency_table(
        self, champion: int | str, challenger: int | str
    ) -> ContingencyTable:
        """Return the contingency table of two classifiers, by position or name."""
        i, j = self.position(champion), self.position(challenger)
        joint = self.both_correct
        both, first, second = int(joint[i, j]), int(joint[i, i]), int(joint[j, j])
        neither = self.n - first - second + both
        return ContingencyTable(both, first - both, second - both, neither, self.design)

    def position(self, classifier: int | str) -> int:
        """Return the position of a classifier, from a position or name."""
        if is_whole(classifier) and 0 <= classifier < self.n_classifiers:
            return int(classifier)
        if classifier in self.names:
            return self.names.index(str(classifier))
        raise unknown_name("classifier", classifier, self.names)

    def distinct(self) -> tuple[NDArray[np.uint8], IntArray]:
        """Return the sorted patterns that occur, and the number of records of each.

        Returns
        -------
        patterns : ndarray of shape (n_patterns, n_classifiers)
            1 for correct and 0 for wrong.
        counts : ndarray of shape (n_patterns,)
        """
        parts = [distinct_columns(block) for block in self._blocks()]
        if len(parts) == 1:
            return parts[0]
        rows = np.concatenate([rows for rows, _ in parts])
        patterns, positions = np.unique(rows, axis=0, return_inverse=True)
        counts = np.concatenate([counts for _, counts in parts])
        return patterns, sums_of(positions.ravel(), counts, len(patterns))

    def swap(self) -> "CorrectnessPatterns":
        """Reverse the order of the classifiers; exchange the roles if there are two."""
        return CorrectnessPatterns(self.bits[::-1], self.names[::-1], self.design, self.n)

    def _merged(self, other: "CorrectnessPatterns") -> "CorrectnessPatterns":
        self._check_same("names", other, SAME_CLASSIFIERS)
        bits = concatenated(self.bits, self.n, other.bits, other.n)
        return CorrectnessPatterns(bits, self.names, self.design, self.n + other.n)

    def to_dict(self) -> dict[str, Any]:
        """Return names, patterns with their counts, and design as plain values."""
        patterns, counts = self.distinct()
        keys = ["".join(map(str, pattern)) for pattern in patterns.tolist()]
        return {
            "names": list(self.names),
            "counts": dict(zip(keys, counts.tolist(), strict=True)),
            "design": self.design.name,
        }

    def _counted(self) -> tuple[IntArray, int]:
        if self._counts is None:
            joint = joint_counts(self.bits)
            joint.setflags(write=False)
            object.__setattr__(self, "_counts", (joint, count_mixed(self.bits)))
        return self._counts  # type: ignore[return-value]

    def _blocks(self) -> Iterator[NDArray[np.uint8]]:
        """Yield blocks of correct (1) and wrong (0), of shape (n_classifiers, n_block)."""
        octets = max(1, BLOCK // (8 * self.n_classifiers))
        for start in range(0, self.bits.shape[1], octets):
            count = min(8 * octets, self.n - 8 * start)
            part = self.bits[:, start : start + octets]
            yield np.unpackbits(part, axis=1, count=count)


def _packed(values: Any) -> tuple[NDArray[np.uint8], int]:
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(
            "`bits` must have shape (n_records, n_classifiers). Got an array of shape "
            f"{array.shape}. From labels, use CorrectnessPatterns.from_predictions."
        )
    if array.dtype.kind not in "biuf" or not ((array == 0) | (array == 1)).all():
        raise ValueError(
            "`bits` must be 1 where a prediction is right and 0 where it is wrong. Got "
            f"other values, of dtype {array.dtype}. From labels, use "
            "CorrectnessPatterns.from_predictions."
        )
    return np.packbits(np.ascontiguousarray(array.T, dtype=bool), axis=1), len(array)


def _check_size(n_classifiers: int, n: int) -> None:
    if n_classifiers < 2 or n == 0:
        raise ValueError(
            "Patterns need at least two classifiers and one record. Got "
            f"{n_classifiers} classifiers and {n} records."
        )


def _checked_bits(bits: Any, n: object) -> NDArray[np.uint8]:
    if not is_whole(n) or n < 0:
        raise ValueError(f"`n` must be the number of records. Got {n!r}.")
    array = np.array(bits)
    if array.ndim != 2 or array.dtype != np.uint8 or array.shape[1] != -(-n // 8):
        raise ValueError(
            f"Packed bits of {n} records must be of shape (n_classifiers, {-(-n // 8)}) "
            f"and dtype uint8. Got shape {array.shape} and dtype {array.dtype}. Leave `n` "
            "out for predictions that are not packed."
        )
    if n % 8 and (array[:, -1] & (0xFF >> n % 8)).any():
        raise ValueError("Bits after the last record must be 0. Got others.")
    return array


def check_classifier_names(names: Iterable[str] | None, k: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"classifier {i}" for i in range(1, k + 1))
    classifiers = (names,) if isinstance(names, str) else tuple(names)
    if (
        len(classifiers) != k
        or len(set(classifiers)) < k
        or not all(isinstance(s, str) for s in classifiers)
    ):
        raise ValueError(
            f"`names` must be {k} different strings, one per classifier. Got "
            f"{classifiers!r}."
        )
    return classifiers


def _keys(counts: Any) -> list[Any]:
    """Check that the keys of a mapping are patterns of ones and zeros, and return them."""
    if not isinstance(counts, Mapping) or not counts:
        raise ValueError(
            "`counts` must map patterns, such as '110', to counts of records. Got "
            f"{counts!r}."
        )
    for key in counts:
        marks = list(key) if isinstance(key, str | tuple) else []
        if not marks or not all(mark in ("0", "1", 0, 1) for mark in marks):
            raise ValueError(
                "A pattern has a 1 for each classifier that is right and a 0 for each "
                f"that is wrong, such as '110' or (1, 1, 0). Got {key!r}."
            )
    return list(counts)


def _labels(name: str, values: Any) -> NDArray[Any]:
    # Integers have no missing values, the search for which takes a pass over each array.
    plain = isinstance(values, np.ndarray) and values.dtype.kind in "biu"
    return values if plain and values.ndim == 1 else check_labels(name, values)
