"""Whether records that are judged were among those that a classifier was trained on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._frames import Source, check_column, columns_of
from skcompare.predictions._ids import first_of, is_text, written

__all__ = ["Training"]


@dataclass(frozen=True)
class Training:
    """Records that classifiers were trained on, none of which may be judged.

    Parameters
    ----------
    source : Source
        The training records.
    id : str or None
        The column of ids of the records that are judged.
    own_id : str or None
        That of the training records, where it has another name.
    features : sequence of str
        Columns by which records are recognised where training records have no ids.
    """

    source: Source
    id: str | None
    own_id: str | None
    features: Sequence[str]

    def __post_init__(self) -> None:
        if self.own_id is not None and self.id is not None:
            check_column(self.source, self.own_id, " Name the ids of training records.")
        if not self.by_id and not self.features:
            raise ValueError(
                f"Whether records are in the training data {self.source.words} cannot be "
                "told: both need a column of ids, or `features` by which records are "
                "recognised. Name them."
            )
        for name in () if self.by_id else self.features:
            check_column(self.source, name, " Training records need all `features`.")

    @property
    def by_id(self) -> bool:
        """Whether records are recognised by their ids."""
        return self.id is not None and (self.own_id or self.id) in self.source.names

    @property
    def needed(self) -> list[str]:
        """The columns of the records that are judged, by which they are recognised."""
        ids = [] if self.id is None else [self.id]
        return ids if self.by_id else [*ids, *self.features]

    def check(self, known: Mapping[str, NDArray[Any]], words: str) -> None:
        """Refuse records that are in the training data.

        Parameters
        ----------
        known : mapping of str to ndarray of shape (n_samples,)
            The needed columns of the records that are judged.
        words : str
            What messages call their file.
        """
        found, by = self._found(known)
        if not found.any():
            return
        at = np.flatnonzero(found)
        listed = f"records {first_of(at + 1)}"
        if self.id is not None:
            listed = f"ids {first_of(known[self.id][at])}"
        raise ValueError(
            f"{len(at):,} of {len(found):,} records of {words} are in the training data "
            f"{self.source.words} (by {by}): {listed}. A model is not judged by what it "
            "has seen. Leave these records out."
        )

    def _found(self, known: Mapping[str, NDArray[Any]]) -> tuple[NDArray[np.bool_], str]:
        if self.id is not None and self.by_id:
            name = self.own_id or self.id
            ids = columns_of(self.source, [name], as_written={name})[name]
            return _among(known[self.id], ids), f"column {name!r}"
        rows = columns_of(self.source, self.features)
        ours, theirs = _row_codes([(known[name], rows[name]) for name in self.features])
        return np.isin(ours, theirs), f"equal values of {', '.join(self.features[:5])}"


def _among(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
    """Which ids are among others; those of different types are compared as written."""
    ours, theirs = _whole(ours), _whole(theirs)
    if is_text(ours) or is_text(theirs) or ours.dtype.kind != theirs.dtype.kind:
        seen = set(written(theirs).tolist())
        return np.array([one in seen for one in written(ours).tolist()], dtype=bool)
    return np.isin(ours, theirs)


def _whole(ids: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as such, also where a missing value once made fractions of them."""
    if ids.dtype.kind == "f" and (np.trunc(ids) == ids).all() and (abs(ids) < 2**63).all():
        return ids.astype(np.int64)
    return ids


def _row_codes(
    pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of rows, equal where all values are."""
    n = len(pairs[0][0])
    codes = np.zeros(n + len(pairs[0][1]), dtype=np.int64)
    for ours, theirs in pairs:
        if is_text(ours) or is_text(theirs):
            both = np.concatenate([written(ours).astype(str), written(theirs).astype(str)])
        else:
            both = np.concatenate([ours, theirs])
        _, values = np.unique(both, return_inverse=True)
        # Numbered anew each time, so that products stay small.
        _, codes = np.unique(codes * (int(values.max()) + 1) + values, return_inverse=True)
        codes = codes.astype(np.int64, copy=False)
    return codes[:n], codes[n:]
