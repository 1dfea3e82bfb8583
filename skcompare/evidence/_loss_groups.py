"""Differences of losses, added up group by group."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from skcompare._core.labels import encode_labels, united_classes
from skcompare._typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class LossGroups:
    """Records of each group, and the sums of their differences of losses.

    Attributes
    ----------
    labels : ndarray of shape (n_groups,)
        Labels of the groups, sorted.
    sizes : ndarray of shape (n_groups,)
        Records of each group.
    gains : ndarray of shape (n_groups,)
        Sum of the champion's losses less the challenger's, over the records of a group.
    codes : ndarray of shape (n_samples,) or None
        Group of each record as a position in `labels`, where the losses are kept.
    """

    labels: np.ndarray
    sizes: IntArray
    gains: FloatArray
    codes: IntArray | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            array = getattr(self, field.name)
            if array is not None and array.flags.writeable:
                array = array.copy()
                array.setflags(write=False)
                object.__setattr__(self, field.name, array)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Through the constructor, so that the arrays come back read-only.
        return LossGroups, tuple(getattr(self, field.name) for field in fields(self))

    @classmethod
    def of(
        cls, differences: FloatArray, groups: np.ndarray, counts: IntArray | None = None
    ) -> "LossGroups":
        """The sums of differences by the groups of the records.

        With `counts` those by the groups of parts of so many records, of sums of
        differences.
        """
        labels, (codes,) = encode_labels(groups, {})
        gains = np.bincount(codes, differences, len(labels)).astype(np.float64)
        if counts is None:
            return cls(labels, np.bincount(codes, minlength=len(labels)), gains, codes)
        sizes = np.zeros(len(labels), dtype=np.int64)
        np.add.at(sizes, codes, counts)
        return cls(labels[sizes > 0], sizes[sizes > 0], gains[sizes > 0])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    def swap(self) -> "LossGroups":
        """The sums with the roles exchanged."""
        return replace(self, gains=-self.gains)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossGroups):
            return NotImplemented
        if (self.codes is None) != (other.codes is None):
            return False
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
            if getattr(self, field.name) is not None
        )

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: "LossGroups") -> "LossGroups":
        """The sums of two shards; a group may be in both."""
        labels = united_classes(self.labels, other.labels)
        sizes, gains = np.zeros(len(labels), dtype=np.int64), np.zeros(len(labels))
        codes = []
        for one in (self, other):
            place = np.searchsorted(labels, one.labels)
            sizes[place] += one.sizes
            gains[place] += one.gains
            codes.append(None if one.codes is None else place[one.codes])
        kept = [each for each in codes if each is not None]
        together = np.concatenate(kept) if len(kept) == 2 else None
        return LossGroups(labels, sizes, gains, together)

    def to_dict(self) -> dict[str, Any]:
        """Labels, sizes and sums as plain values."""
        return {
            "labels": self.labels.tolist(),
            "sizes": self.sizes.tolist(),
            "gains": self.gains.tolist(),
        }
