"""How many records two, one or no answers are right about."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import classes_of

PART = 1 << 17
"""Records that are looked at at a time: few enough for the cache."""

HEAD = 4096
"""The first records, which usually have every label."""

MOST_LABELS = 16
"""Texts are compared with so many labels, one after the other; more are sorted."""

TEXT = frozenset("US")
TEXTS = "UUU", "SSS"
"""Kinds of arrays that hold text, and three of one kind."""

Array = NDArray[Any]


def count_cells(first: Any, second: Any, counts: Any = None) -> tuple[int, int, int, int]:
    """Records by who was right, each counted once or as often as `counts` say."""
    kinds = (first & second, first, second, first | True)
    size = np.count_nonzero if counts is None else lambda kind: counts[kind].sum()
    return _cells(*(int(size(kind)) for kind in kinds))


def _cells(both: int, one: int, two: int, n: int) -> tuple[int, int, int, int]:
    return both, one - both, two - both, n - one - two + both


def right_cells(
    truth: Array, champion: Array, challenger: Array
) -> tuple[int, int, int, int]:
    """Records that both, only the champion, only the challenger and neither got right.

    Takes what `check_labels` returns, of one length, and refuses answers that cannot be
    about the truth as `classes_of` does, which looks at the labels of all records. Most
    often that is not needed: an answer that is right is a label in common, and no more is
    asked of numbers. Texts must also be spelt alike, as those are that the truth has too.
    """
    answers = {"champion": champion, "challenger": challenger}
    kinds = "".join(array.dtype.kind for array in (truth, champion, challenger))
    shared = _SharedLabels(truth, champion, challenger) if kinds in TEXTS else None
    if shared is None and not TEXT.isdisjoint(kinds):
        classes_of(truth, **answers)
    both = first = second = 0
    for start in range(0, len(truth), PART):
        part = slice(start, start + PART)
        if shared is None:
            y = truth[part]
            one, two = champion[part] == y, challenger[part] == y
        else:
            one, two = shared.right(part)
        both += int(np.count_nonzero(one & two))
        first += int(np.count_nonzero(one))
        second += int(np.count_nonzero(two))
    if not (first and second) or (shared is not None and not shared.certain):
        classes_of(truth, **answers)
    return _cells(both, first, second, len(truth))


class _SharedLabels:
    """Texts as rows of whole numbers, and whether the truth has all of their labels.

    `certain` becomes False as soon as there is a wrong answer that the first records of
    the truth do not have.
    """

    def __init__(self, *labels: Array) -> None:
        self.labels = labels
        widest = np.result_type(*labels)
        self.dtype = widest if widest.itemsize else np.dtype((widest.type, 1))
        size = self.dtype.itemsize
        self.word = next(f"u{n}" for n in (8, 4, 2, 1) if size % n == 0)
        self.head = self._words(slice(HEAD), labels[0])
        self.known: list[Array] = []
        self.certain = True

    def _words(self, part: slice, labels: Array) -> Array:
        texts = np.ascontiguousarray(labels[part], dtype=self.dtype)
        return texts.view(self.word).reshape(len(texts), -1)

    def right(self, part: slice) -> Iterator[Array]:
        """Which records each answer is right about."""
        truth, *answers = (self._words(part, labels) for labels in self.labels)
        for answer in answers:
            right = _all_equal(answer, truth)
            if self.certain:
                self._look_for(answer.take(np.flatnonzero(~right), axis=0))
            yield right

    def _look_for(self, texts: Array) -> None:
        """Remember labels that the truth has too."""
        found = np.zeros(len(texts), dtype=bool)
        for label in self.known:
            found |= _all_equal(texts, label)
        while self.certain and not found.all():
            label = texts[np.argmin(found)]
            self.known.append(label)
            here = bool(_all_equal(self.head, label).any())
            self.certain = here and len(self.known) <= MOST_LABELS
            found |= _all_equal(texts, label)


def _all_equal(rows: Array, others: Array) -> Array:
    """Which rows are equal in each number; `others` are as many, or one."""
    if others.ndim == 2:
        return reduce(np.logical_and, (rows == others).T)
    columns = zip(rows.T, others, strict=True)
    return reduce(np.logical_and, (column == other for column, other in columns))
