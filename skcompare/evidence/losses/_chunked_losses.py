"""Losses of probabilities, computed at once or in chunks of records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from skcompare._core.arrays import ArrayValues, slices_of
from skcompare._core.validation import (
    check_groups,
    check_same_length,
    encode_labels,
    united_classes,
)
from skcompare._typing import ArrayLike, FloatArray, IntArray
from skcompare.evidence.core._bins import EPS
from skcompare.evidence.core._counting import located, sums_of
from skcompare.evidence.labels._class_order import ClassColumns
from skcompare.evidence.losses._loss_moments import CHUNK, Row, merged_rows, moment_rows
from skcompare.evidence.losses._record_losses import (
    OF_SECOND,
    check_loss,
    n_clipped,
    named_loss,
    shaped_loss,
)


@dataclass(frozen=True, slots=True, eq=False)
class LossGroups(ArrayValues):
    """Number of records in each group, and sums of the differences of losses.

    Attributes
    ----------
    labels : ndarray of shape (n_groups,)
        Labels of the groups, sorted.
    sizes : ndarray of shape (n_groups,)
        Records of each group.
    gains : ndarray of shape (n_groups,)
        Sum of the champion's losses minus the challenger's, over the records of a group.
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
                self._set(**{field.name: array.copy()})

    @classmethod
    def of(
        cls, differences: FloatArray, groups: np.ndarray, counts: IntArray | None = None
    ) -> "LossGroups":
        """Sum the differences by group.

        With `counts`, each difference is the sum over a part with that many records.
        """
        labels, (codes,) = encode_labels(groups, {})
        gains = np.bincount(codes, differences, len(labels)).astype(np.float64)
        if counts is None:
            return cls(labels, np.bincount(codes, minlength=len(labels)), gains, codes)
        sizes = sums_of(codes, counts, len(labels))
        return cls(labels[sizes > 0], sizes[sizes > 0], gains[sizes > 0])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    def swap(self) -> "LossGroups":
        """Return the sums with the roles exchanged."""
        return replace(self, gains=-self.gains)

    def __add__(self, other: "LossGroups") -> "LossGroups":
        """Merge the sums of two shards; a group may be in both."""
        labels = united_classes(self.labels, other.labels)
        sizes, gains = np.zeros(len(labels), dtype=np.int64), np.zeros(len(labels))
        codes = []
        for shard in (self, other):
            place = np.searchsorted(labels, shard.labels)
            sizes[place] += shard.sizes
            gains[place] += shard.gains
            codes.append(None if shard.codes is None else place[shard.codes])
        kept = [each for each in codes if each is not None]
        together = np.concatenate(kept) if len(kept) == 2 else None
        return LossGroups(labels, sizes, gains, together)

    def to_dict(self) -> dict[str, Any]:
        """Return labels, sizes and sums as plain values."""
        return {
            "labels": self.labels.tolist(),
            "sizes": self.sizes.tolist(),
            "gains": self.gains.tolist(),
        }


PART = 4 * CHUNK
"""Records whose losses are computed at a time: few enough for the cache."""


class Losses(NamedTuple):
    """Losses of both roles, name of the loss, and numbers of losses clipped at `eps`."""

    name: str
    champion: FloatArray
    challenger: FloatArray
    clipped: tuple[int, int] = (0, 0)


def losses_of(
    codes: Any,
    probas: Sequence[FloatArray],
    loss: Any,
    options: Mapping[str, Any],
) -> Losses:
    """Compute the losses of probabilities, from the positions of the true classes.

    Of a target of numbers they are the true and the predicted ones; a tuple has all that is
    predicted of a role.
    """
    losses = unchecked_losses(codes, probas, loss, options)
    first, second = (
        shaped_loss(losses.name, own, len(codes))
        for own in (losses.champion, losses.challenger)
    )
    return losses._replace(champion=first, challenger=second)


def check_losses(losses: Losses) -> None:
    """Check that all losses are finite and not too large."""
    check_loss(losses.name, losses.champion)
    check_loss(losses.name, losses.challenger)


def unchecked_losses(
    codes: Any, probas: Sequence[Any], loss: Any, options: Mapping[str, Any]
) -> Losses:
    """Compute losses on the device of the probabilities, as the loss returns them."""
    name, function = named_loss(loss, **options)
    first, second = (
        function(codes, *(each if isinstance(each, tuple) else (each,))) for each in probas
    )
    if loss != "log_loss":
        return Losses(name, first, second)
    eps = EPS if options["eps"] is None else options["eps"]
    champion, challenger = (
        n_clipped(codes, proba, own, eps)
        for proba, own in zip(probas, (first, second), strict=True)
    )
    return Losses(name, first, second, (champion, challenger))


def can_be_parted(predictions: Mapping[str, Any], loss: Any) -> bool:
    """Whether losses can be computed in chunks of records with the same result.

    Functions of the user's own may depend on all records.
    """
    return isinstance(loss, str) and all(
        isinstance(values, np.ndarray) for values in predictions.values()
    )


def parted_losses(
    truth: ClassColumns,
    predictions: Mapping[str, Any],
    loss: str,
    options: Mapping[str, Any],
    groups: ArrayLike | None,
    keep_values: bool,
) -> dict[str, Any]:
    """Compute fields of paired losses in chunks that stay in the cache.

    Either the losses are kept or their sums by group.
    """
    n = check_same_length({"y_true": truth.codes}, predictions)
    grouping = None
    if groups is not None and not keep_values:
        group_labels = check_groups(groups)
        check_same_length(losses=truth.codes, groups=group_labels)
        grouping = encode_labels(group_labels, {})
        gains = np.zeros(len(grouping[0]))
    values = np.empty((2, n)) if keep_values else None
    moments: list[Row] = []
    clipped = np.zeros(2, dtype=np.int64)

    of_second = loss in OF_SECOND
    items = predictions.items()
    readers = [truth.reader(*item, of_second=of_second) for item in items]

    def losses(rows: slice) -> Losses:
        probas = [read(rows) for read in readers]
        return losses_of(truth.codes[rows], probas, loss, options)

    for rows in slices_of(n, PART):
        with located(lambda: losses(slice(None))):
            part = losses(rows)
        kept = None if values is None else values[:, rows]
        moments += moment_rows(part.champion, part.challenger, kept, n)
        clipped += part.clipped
        if grouping is not None:
            np.add.at(gains, grouping[1][0][rows], part.champion - part.challenger)
    sums = None
    if grouping is not None:
        labels, (codes,) = grouping
        sums = LossGroups(labels, np.bincount(codes, minlength=len(labels)), gains)
    if values is not None:
        values.setflags(write=False)
    merged = merged_rows(moments)
    if not merged.are_moderate:
        check_losses(losses(slice(None)))
    return {
        "moments": merged,
        "values": values,
        "groups": sums,
        "loss": part.name,
        "clipped": (int(clipped[0]), int(clipped[1])),
    }
