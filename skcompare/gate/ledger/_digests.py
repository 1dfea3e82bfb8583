"""What a ledger knows of records and answers: digests by which it knows them again.

The digest of the answers holds no true label. A digest of both would be one of the few
counts that decide a test, and whoever tries all counts would find out those of a blind
look. For the same reason a blind ledger has no digest of the true labels: that of their
counts is soon tried out, and so is that of all of them where good answers differ from them
in a few records.
"""

import json
from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare.gate._subjects import PairSubject, Subject
from skcompare.predictions import ItemScores, fingerprint, is_text, written


class RecordDigests:
    """Digests of answers to records, whose order by their ids is found once.

    Parameters
    ----------
    subject : PairSubject
        Answers to every record of a hold-out set.
    used : sequence of str
        The columns that slices are cut by; others are no part of a look.
    """

    def __init__(self, subject: PairSubject, used: Sequence[str]) -> None:
        self.subject = subject
        self.columns = _used(subject.columns, used)
        predictions = subject.pair.predictions
        fixed = predictions.records is None and predictions.bounds is None
        if not fixed or predictions.tally is not None or predictions.y is None:
            what = "answers that were counted" if fixed else str(subject.design)
            raise ValueError(
                "A ledger counts looks at the records of one hold-out set. Got "
                f"{what}. Pass labels and answers record by record."
            )
        self.y = predictions.y
        self.classes = [str(label) for label in predictions.classes.tolist()]
        self.ids = None if subject.ids is None else _plain(subject.ids)
        self.order = slice(None) if self.ids is None else _order(self.ids)

    def of_set(self, *, blind: bool) -> dict[str, Any]:
        """What tells one hold-out set from another, whatever the order of its records.

        Without ids it is the number of records of each class, and of each class in each
        group: records that come in another order must not begin a new ledger. Of a blind
        ledger it is the number of records, in all and in each group. Another set that
        agrees in these spends from the same ledger, which costs power and no validity.
        """
        # Classes that no record has come and go with what classifiers answer.
        present = np.unique(self.y)
        names = [self.classes[k] for k in present]
        codes = np.searchsorted(present, self.y)
        if blind:
            names, codes = [""], np.zeros_like(codes)
        groups = self.subject.pair.predictions.groups
        grouped = None
        if self.ids is not None:
            labels, ids = _digest(self.order, codes, names), _digest(self.order, self.ids)
            if groups is not None:
                grouped = _digest(self.order, groups)
        else:
            pairs = sorted(zip(names, np.bincount(codes).tolist(), strict=True))
            labels, ids = fingerprint([json.dumps(pairs)]), None
            if groups is not None:
                cells = groups.astype(np.int64) * len(names) + codes
                grouped = fingerprint(*np.unique(cells, return_counts=True))
        return {
            "n_records": len(self.y),
            "labels": None if blind else labels,
            "ids": ids,
            "groups": grouped,
        }

    def of_answers(self, *, blind: bool) -> str:
        """What tells one pair of answers from another: by ids, or in order without them.

        Numbers count to the last digit.
        """
        pair = self.subject.pair
        answers = [
            array
            for role in pair.roles
            for array in (role.labels, role.proba, role.decision)
        ]
        known = [pair.predictions.groups, self.classes, str(self.subject.pos_label)]
        return _digest(self.order, *answers, *known, *_named(self.columns))


class ItemDigests:
    """Digests of scored items.

    Parameters
    ----------
    scores : ItemScores
        The scores.
    used : sequence of str
        The columns that slices are cut by; others are no part of a look.
    """

    def __init__(self, scores: ItemScores, used: Sequence[str]) -> None:
        self.scores = scores
        self.columns = _used(scores.columns, used)
        self.items = _plain(scores.items)
        self.order = _order(self.items)

    def of_set(self, *, blind: bool) -> dict[str, Any]:
        """What tells one set of items from another, whatever their order."""
        groups = self.scores.groups
        return {
            "n_records": len(self.items),
            "labels": None,
            "ids": _digest(self.order, self.items),
            "groups": None if groups is None else _digest(self.order, groups),
        }

    def of_answers(self, *, blind: bool) -> str:
        """What tells one pair of scores from another.

        Scores are what is right and wrong itself, and those of few items are soon tried
        out: a blind look is not known again.
        """
        if blind:
            return token_hex(16)
        scores = self.scores
        known = (scores.champion, scores.challenger, scores.attempts, scores.groups)
        return _digest(self.order, *known, *_named(self.columns))


def digests_of(subject: Subject, used: Sequence[str]) -> RecordDigests | ItemDigests:
    """The digests of what a gate judges, with the columns that it uses."""
    if isinstance(subject, PairSubject):
        return RecordDigests(subject, used)
    scores = getattr(subject, "scores", None)
    if isinstance(scores, ItemScores):
        return ItemDigests(scores, used)
    raise ValueError(
        "A ledger needs every record, and these are counted where they are. Pass a greater "
        "`collect` where they fit in memory."
    )


def gate_digest(values: dict[str, Any]) -> str:
    """What tells one set of conditions from another; the level is the ledger's."""
    shared = ("alpha", "tell_inconclusive")
    known = {key: value for key, value in values.items() if key not in shared}
    return fingerprint([json.dumps(known, sort_keys=True, default=repr)])


def _digest(order: Any, *parts: Any) -> str:
    """A digest of arrays in the order of the records, and of other parts as they are."""
    return fingerprint(*(_ordered(order, part) for part in parts))


def _ordered(order: Any, part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return _plain(part)[order]
    return part if part is None else [part]


def _order(ids: NDArray[Any]) -> Any:
    """Where the ids are in order; most files have them so."""
    return slice(None) if (ids[1:] > ids[:-1]).all() else np.argsort(ids)


def _used(columns: Mapping[str, Any], used: Sequence[str]) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if name in used}


def _named(columns: Mapping[str, Any]) -> list[Any]:
    return [part for item in sorted(columns.items()) for part in item]


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Values in one type of their kind, however they were stored.

    Ids that are whole numbers are these also where a CSV file has them as text.
    """
    if is_text(array):
        texts = written(array).astype(np.str_)
        if all(one.lstrip("-").isdecimal() and len(one) < 19 for one in texts.tolist()):
            numbers = texts.astype(np.int64)
            if np.array_equal(numbers.astype(np.str_), texts):
                return numbers
        return texts
    kind = array.dtype.kind
    if kind in "iu" and int(array.max(initial=0)) <= np.iinfo(np.int64).max:
        return array.astype(np.int64, copy=False)
    return array.astype(np.float64, copy=False) if kind == "f" else array
