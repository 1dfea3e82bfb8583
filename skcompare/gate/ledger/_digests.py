"""Digests of records and predictions, by which a ledger recognises them.

The digest of the predictions contains no true label. A digest of both would depend on the
few counts that decide a test, and trying all counts would reveal those of a blind look.
For the same reason a blind ledger has no digest of the true labels: few counts of them are
possible, and good predictions differ from all of them in a few records only.
"""

import json
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare.gate._subjects import ItemSubject, PairSubject, Subject, TalliedSubject
from skcompare.predictions import ItemScores, fingerprint, is_text, written


class RecordDigests:
    """Digests of a hold-out set and of the predictions for its records.

    Parameters
    ----------
    subject : PairSubject
        Predictions for every record of a hold-out set.
    used : sequence of str
        The columns that define slices; others are no part of a look.
    """

    def __init__(self, subject: PairSubject, used: Sequence[str]) -> None:
        self.subject = subject
        self.columns = _used_columns(subject.columns, used)
        predictions = subject.pair.predictions
        fixed = predictions.records is None and predictions.bounds is None
        if not fixed or predictions.tally is not None or predictions.y is None:
            got = "predictions that were counted" if fixed else str(subject.design)
            raise ValueError(
                "A ledger counts looks at the records of one hold-out set. Got "
                f"{got}. Pass labels and predictions record by record."
            )
        self.y = predictions.y
        self.classes = [str(label) for label in predictions.classes.tolist()]
        self.ids = None if subject.ids is None else _plain(subject.ids)
        self.order = slice(None) if self.ids is None else _order(self.ids)

    def of_set(self, *, blind: bool) -> dict[str, Any]:
        """Return values that identify the hold-out set, in any order of its records.

        Without ids they are the number of records of each class, and of each class in each
        group: records in another order must not begin a new ledger. For a blind ledger
        they are the number of records, in all and in each group. Another set that agrees
        in these spends from the same ledger, which costs power and no validity.
        """
        # Classes without records depend on the predictions.
        present = np.unique(self.y)
        names = [self.classes[k] for k in present]
        codes = np.searchsorted(present, self.y)
        if blind:
            names, codes = [""], np.zeros_like(codes)
        groups = self.subject.pair.predictions.groups
        group_digest = None
        if self.ids is not None:
            labels, ids = _digest(self.order, codes, names), _digest(self.order, self.ids)
            if groups is not None:
                group_digest = _digest(self.order, groups)
        else:
            pairs = sorted(zip(names, np.bincount(codes).tolist(), strict=True))
            labels, ids = fingerprint([json.dumps(pairs)]), None
            if groups is not None:
                cells = groups.astype(np.int64) * len(names) + codes
                group_digest = fingerprint(*np.unique(cells, return_counts=True))
        return {
            "n_records": len(self.y),
            "labels": None if blind else labels,
            "ids": ids,
            "groups": group_digest,
        }

    def of_predictions(self, *, blind: bool) -> str:
        """Return a digest of the predictions, in the order of the ids if there are any.

        Numbers are compared to the last digit.
        """
        pair = self.subject.pair
        predictions = [
            array
            for role in pair.roles
            for array in (role.labels, role.proba, role.decision)
        ]
        shared = [pair.predictions.groups, self.classes, str(self.subject.pos_label)]
        return _digest(self.order, *predictions, *shared, *_flat(self.columns))


class ItemDigests:
    """Digests of a set of items and of their scores.

    Parameters
    ----------
    scores : ItemScores
        The scores.
    used : sequence of str
        The columns that define slices; others are no part of a look.
    """

    def __init__(self, scores: ItemScores, used: Sequence[str]) -> None:
        self.scores = scores
        self.columns = _used_columns(scores.columns, used)
        self.items = _plain(scores.items)
        self.order = _order(self.items)

    def of_set(self, *, blind: bool) -> dict[str, Any]:
        """Return values that identify the set of items, in any order."""
        groups = self.scores.groups
        return {
            "n_records": len(self.items),
            "labels": None,
            "ids": _digest(self.order, self.items),
            "groups": None if groups is None else _digest(self.order, groups),
        }

    def of_predictions(self, *, blind: bool) -> str:
        """Return a digest of the pair of scores.

        Scores reveal what is correct, and those of few items could be found by trying all:
        a blind look is never recognised again.
        """
        if blind:
            return token_hex(16)
        scores = self.scores
        arrays = (scores.champion, scores.challenger, scores.attempts, scores.groups)
        return _digest(self.order, *arrays, *_flat(self.columns))


def digests_of(subject: Subject, used: Sequence[str]) -> RecordDigests | ItemDigests:
    """Return the digests of a subject, including the columns that define slices."""
    if isinstance(subject, ItemSubject):
        return ItemDigests(subject.scores, used)
    if isinstance(subject, TalliedSubject) and subject.table is not None:
        raise ValueError(
            "A ledger needs every record, and these are counted where they are. Pass a "
            "greater `collect` where they fit in memory."
        )
    return RecordDigests(subject, used)


def gate_digest(values: dict[str, Any]) -> str:
    """Return a digest of the conditions of a gate, without the level."""
    excluded = ("alpha", "tell_inconclusive")
    conditions = {key: value for key, value in values.items() if key not in excluded}
    return fingerprint([json.dumps(conditions, sort_keys=True, default=repr)])


def _digest(order: Any, *parts: Any) -> str:
    """Return a digest of arrays, sorted by `order`, and of other parts."""
    return fingerprint(*(_ordered(order, part) for part in parts))


def _ordered(order: Any, part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return _plain(part)[order]
    return part if part is None else [part]


def _order(ids: NDArray[Any]) -> Any:
    """Return indices that sort the ids, or a slice if the ids are already sorted."""
    return slice(None) if (ids[1:] > ids[:-1]).all() else np.argsort(ids)


def _used_columns(columns: Mapping[str, Any], used: Sequence[str]) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if name in used}


def _flat(columns: Mapping[str, Any]) -> list[Any]:
    return [part for item in sorted(columns.items()) for part in item]


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Convert an array to a common type of its kind.

    Ids that are whole numbers become integers, also from text of a CSV file.
    """
    if is_text(array):
        texts = written(array).astype(np.str_)
        if all(text.lstrip("-").isdecimal() and len(text) < 19 for text in texts.tolist()):
            numbers = texts.astype(np.int64)
            if np.array_equal(numbers.astype(np.str_), texts):
                return numbers
        return texts
    kind = array.dtype.kind
    if kind in "iu" and int(array.max(initial=0)) <= np.iinfo(np.int64).max:
        return array.astype(np.int64, copy=False)
    return array.astype(np.float64, copy=False) if kind == "f" else array
