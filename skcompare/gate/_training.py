"""Training records of the classifiers of a gate, none of which may be judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._io.columns import check_column, columns_of
from skcompare._io.readers import Source
from skcompare.predictions import KINDS, first_of, is_text, value_of, written


@dataclass(frozen=True)
class Training:
    """Training records of classifiers, none of which may be judged.

    Parameters
    ----------
    source : Source
        The training records.
    id : str or None
        The column of ids of the judged records.
    own_id : str or None
        The column of ids of the training records, where it has another name.
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
                f"Records cannot be looked up in the training data {self.source.text}: "
                "both need a column of ids, or `features` by which records are recognised. "
                "Name them."
            )
        for name in () if self.by_id else self.features:
            check_column(self.source, name, " Training records need all `features`.")

    @property
    def by_id(self) -> bool:
        """Whether records are recognised by their ids."""
        return self.id is not None and (self.own_id or self.id) in self.source.names

    @property
    def needed(self) -> list[str]:
        """Columns that identify the judged records among the training records."""
        ids = [] if self.id is None else [self.id]
        return ids if self.by_id else [*ids, *self.features]

    def check(self, known: Mapping[str, NDArray[Any]], text: str) -> str:
        """Check that no record is in the training data, and describe the comparison.

        Parameters
        ----------
        known : mapping of str to ndarray of shape (n_samples,)
            The needed columns of the judged records.
        text : str
            Name of their file in messages.
        """
        seen, by, n_rows = self._seen(known)
        if not seen.any():
            return (
                f"none of {len(seen):,} among the {n_rows:,} of the training data "
                f"{self.source.text} (by {by})"
            )
        at = np.flatnonzero(seen)
        listed = f"records {first_of(at + 1)}"
        if self.id is not None:
            listed = f"ids {first_of(known[self.id][at])}"
        raise ValueError(
            f"{len(at):,} of {len(seen):,} records of {text} are in the training data "
            f"{self.source.text} (by {by}): {listed}. A model must not be evaluated on "
            "records that it has seen. Leave these records out."
        )

    def _seen(
        self, columns: Mapping[str, NDArray[Any]]
    ) -> tuple[NDArray[np.bool_], str, int]:
        """Return a mask of known records, the criterion, and the size of the data."""
        if self.id is not None and self.by_id:
            name = self.own_id or self.id
            ids = columns_of(self.source, [name], as_written={name})[name]
            return self._among(columns[self.id], ids), f"column {name!r}", len(ids)
        rows = columns_of(self.source, self.features)
        ours, theirs = _row_codes([(columns[name], rows[name]) for name in self.features])
        by = f"equal values of {', '.join(self.features[:5])}"
        return np.isin(ours, theirs), by, len(theirs)

    def _among(self, ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask of the ids that occur in the training data, in any notation of numbers.

        Ids that cannot be compared are refused, since none of them would be found.
        """
        own, training = _comparable(ours, theirs)
        if not _forms(own) & _forms(training):
            raise ValueError(
                "Records cannot be looked up in the training data by ids of different "
                f"formats, such as {first_of(ours, 1)} and, in {self.source.text}, "
                f"{first_of(theirs, 1)}. Write them in the same format."
            )
        return np.isin(own, training)


NUMBER = "\x1f"
"""Prefix of a text that represents a number; no text from a file begins with it."""


def _kind(values: NDArray[Any]) -> str:
    """Return "numbers", "text", or else the kind of the NumPy dtype."""
    if values.dtype.kind in "biuf":
        return "numbers"
    return "text" if is_text(values) else KINDS.get(values.dtype.kind, str(values.dtype))


def _forms(values: NDArray[Any]) -> set[str]:
    """Return the kinds of values, where texts may represent numbers."""
    if not is_text(values):
        return {_kind(values)}
    are_numbers = np.char.startswith(values, NUMBER).tolist()
    return {"numbers" if is_number else "text" for is_number in set(are_numbers)}


def _comparable(
    ours: NDArray[Any], theirs: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Convert values to one type, with numbers in text normalised, such as 01 to 1."""
    if {_kind(ours), _kind(theirs)} in ({"text"}, {"text", "numbers"}):
        return _plain(ours), _plain(theirs)
    if {ours.dtype, theirs.dtype} == {np.dtype(np.float32), np.dtype(np.float64)}:
        return ours.astype(np.float32), theirs.astype(np.float32)
    return ours, theirs


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Convert values to text, equal for equal numbers."""
    different, places = np.unique(written(values).astype(np.str_), return_inverse=True)
    parsed = [value_of(text) for text in different.tolist()]
    texts = [value if isinstance(value, str) else f"{NUMBER}{value}" for value in parsed]
    return np.array(texts)[places]


def _row_codes(
    pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Encode rows as integers, equal if all values are equal."""
    n = len(pairs[0][0])
    codes = np.zeros(n + len(pairs[0][1]), dtype=np.int64)
    for ours, theirs in pairs:
        both = np.concatenate(_comparable(ours, theirs))
        _, values = np.unique(both, return_inverse=True)
        # Renumbered each time, so that products stay small.
        _, codes = np.unique(codes * (int(values.max()) + 1) + values, return_inverse=True)
        codes = codes.astype(np.int64, copy=False)
    return codes[:n], codes[n:]
