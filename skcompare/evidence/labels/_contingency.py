"""Contingency tables of two classifiers, of one test set or of every split."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import AS_DESIGN
from skcompare._core.design import HOLDOUT, Design, as_design
from skcompare._core.validation import (
    UNSIGNED,
    check_same_length,
    classes_of,
    is_number,
    is_whole,
)
from skcompare._typing import ArrayLike
from skcompare.evidence.core._storage import Mergeable, added
from skcompare.evidence.labels._class_order import counted_labels
from skcompare.evidence.tally._tally import Tally
from skcompare.predictions import LABELS, PairedPredictions, cross_validated_pair

PART = 1 << 17
STRINGS = 1 << 15
"""Records, and strings, that are compared at a time: few enough for the cache."""

HEAD = 4096
"""Number of first records, which usually have every label."""

FIRST = 32
"""Number of first records whose labels are looked up, before the others are compared."""

MOST_LABELS = 16
"""Most labels that strings are compared with one by one; more are sorted."""

TEXT = frozenset("US")
TEXTS = "UUU", "SSS"
"""Kinds of three arrays that all hold text of one kind."""

Array = NDArray[Any]


def count_cells(first: Any, second: Any, counts: Any = None) -> tuple[int, int, int, int]:
    """Count records by which classifiers are correct, each once or `counts` times."""
    kinds = (first & second, first, second, first | True)
    size = np.count_nonzero if counts is None else lambda kind: counts[kind].sum()
    return _cells(*(int(size(kind)) for kind in kinds))


def _cells(both: int, champion: int, challenger: int, n: int) -> tuple[int, int, int, int]:
    return both, champion - both, challenger - both, n - champion - challenger + both


def right_cells(
    truth: Array, champion: Array, challenger: Array
) -> tuple[int, int, int, int]:
    """Count records by correctness: both, only champion, only challenger, neither.

    Takes what `check_labels` returns, of one length, and refuses predictions that cannot be
    about the truth as `classes_of` does, which checks the labels of all records. Mostly
    that is not needed: a correct prediction is a label in common, which is enough for
    numbers. Strings must also be spelt alike, as all are that occur in the truth too.
    """
    predictions = {"champion": champion, "challenger": challenger}
    kinds = "".join(array.dtype.kind for array in (truth, champion, challenger))
    shared = _SharedLabels(truth, champion, challenger) if kinds in TEXTS else None
    if shared is None and not TEXT.isdisjoint(kinds):
        classes_of(truth, **predictions)
    n_both = n_champion = n_challenger = 0
    step = PART if shared is None else STRINGS
    for start in range(0, len(truth), step):
        part = slice(start, start + step)
        if shared is None:
            y = truth[part]
            champion_right, challenger_right = champion[part] == y, challenger[part] == y
        else:
            champion_right, challenger_right = shared.right(part)
        n_both += int(np.count_nonzero(champion_right & challenger_right))
        n_champion += int(np.count_nonzero(champion_right))
        n_challenger += int(np.count_nonzero(challenger_right))
    if not (n_champion and n_challenger) or (shared is not None and not shared.certain):
        classes_of(truth, **predictions)
    return _cells(n_both, n_champion, n_challenger, len(truth))


class _SharedLabels:
    """Strings viewed as integers, and whether the truth has all predicted labels.

    `certain` becomes False as soon as there is an incorrect prediction that the first
    records of the truth do not have.
    """

    def __init__(self, *labels: Array) -> None:
        self.labels = labels
        widest = np.result_type(*labels)
        self.dtype = widest if widest.itemsize else np.dtype((widest.type, 1))
        size = self.dtype.itemsize
        self.unit = next(f"u{n}" for n in (8, 4, 2, 1) if size % n == 0)
        self.head = self._as_numbers(slice(HEAD), labels[0])
        self.first = {label.tobytes() for label in self.head[:FIRST]}
        self.known_labels: list[Array] = []
        self.certain = True

    def _as_numbers(self, part: slice, labels: Array) -> Array:
        strings = np.ascontiguousarray(labels[part], dtype=self.dtype)
        return strings.view(self.unit).reshape(len(strings), -1)

    def right(self, part: slice) -> list[Array]:
        """Return the mask of correctly predicted records of each classifier."""
        truth, *predictions = (self._as_numbers(part, labels) for labels in self.labels)
        correct = [_all_equal(prediction, truth) for prediction in predictions]
        if self.certain:
            pairs = zip(predictions, correct, strict=True)
            wrong = [own.take((~right).nonzero()[0], axis=0) for own, right in pairs]
            self._remember(np.concatenate(wrong))
        return correct

    def _remember(self, strings: Array) -> None:
        """Store the distinct labels of strings, and check that the truth has them."""
        columns = strings.T.copy()
        is_known = np.zeros(len(strings), dtype=bool)
        for label in self.known_labels:
            is_known |= _all_equal_to(label, columns)
        while self.certain and len(strings) and not is_known[at := is_known.argmin()]:
            label = strings[at]
            self.known_labels.append(label)
            occurs = label.tobytes() in self.first or bool(
                _all_equal_to(label, self.head.T).any()
            )
            self.certain = occurs and len(self.known_labels) <= MOST_LABELS
            is_known |= _all_equal_to(label, columns)


def _all_equal(rows: Array, others: Array) -> Array:
    """Return the mask of rows that equal those of another table."""
    same = rows == others
    width = same.shape[1]
    if width in UNSIGNED:
        # The truth values of a row are the bytes of one number.
        return same.view(UNSIGNED[width])[:, 0] == int.from_bytes(b"\1" * width)
    return reduce(np.logical_and, same.T)


def _all_equal_to(label: Array, columns: Array) -> Array:
    """Return the mask of records whose columns equal the parts of one label."""
    pairs = zip(columns, label, strict=True)
    return reduce(np.logical_and, (column == part for column, part in pairs))


CELLS = ("both_correct", "only_champion", "only_challenger", "both_wrong")


@dataclass(frozen=True, slots=True)
class ContingencyTable(Mergeable):
    """Contingency table of correct predictions by two classifiers on the same records.

    Parameters
    ----------
    both_correct, only_champion, only_challenger, both_wrong : int or float
        Records that both, only the champion, only the challenger, or neither predicted
        correctly. Averaged and effective tables hold floats, see `fractional`.
    design : Design or str, default="holdout"
        How the records were collected.

    Raises
    ------
    ValueError
        If a count is negative or not finite, or if there is no record.

    Examples
    --------
    >>> from skcompare.evidence import ContingencyTable
    >>> table = ContingencyTable(150, 25, 15, 10)
    >>> table.n, table.n_discordant
    (200, 40)
    >>> ContingencyTable.from_predictions([0, 1, 1], [0, 0, 1], [0, 1, 0])
    ContingencyTable(both_correct=1, only_champion=1, only_challenger=1, both_wrong=0)
    """

    both_correct: int | float = field(metadata={"merge": added})
    only_champion: int | float = field(metadata={"merge": added, "swap": "only_challenger"})
    only_challenger: int | float = field(metadata={"merge": added, "swap": "only_champion"})
    both_wrong: int | float = field(metadata={"merge": added})
    design: Design = HOLDOUT

    required: ClassVar[frozenset[str]] = frozenset({LABELS})

    def __post_init__(self) -> None:
        cells = self.both_correct, self.only_champion, self.only_challenger, self.both_wrong
        are_counted = {*map(type, cells)} == {int} and min(cells) >= 0 < max(cells)
        if are_counted and self.design is HOLDOUT:
            return
        counts = [_check_cell(name, getattr(self, name)) for name in CELLS]
        if any(isinstance(count, float) for count in counts):
            counts = [float(count) for count in counts]
        if sum(counts) == 0:
            raise ValueError(
                "A contingency table needs at least one record. Got only zeros."
            )
        self._set(**dict(zip(CELLS, counts, strict=True)), design=as_design(self.design))

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in CELLS]
        if self.design != HOLDOUT:
            shown.append(f"design={self.design.name!r}")
        return f"ContingencyTable({', '.join(shown)})"

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, champion: ArrayLike, challenger: ArrayLike
    ) -> "ContingencyTable":
        """Count the records of a hold-out set by which classifiers are correct.

        Parameters
        ----------
        y_true, champion, challenger : array-like of shape (n_samples,)
            True and predicted labels.
        """
        (truth, first, second), counts = counted_labels(
            {"y_true": y_true}, {"champion": champion, "challenger": challenger}
        )
        if counts is None:
            return cls(*right_cells(truth, first, second))
        classes_of(truth, champion=first, challenger=second)
        return cls(*count_cells(first == truth, second == truth, counts))

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "ContingencyTable":
        """Count the pooled predictions of all test sets."""
        y_true = pair.predictions.y_predicted()
        first, second = (labels_of(pair, role) == y_true for role in (0, 1))
        return cls(*count_cells(first, second), pair.design)

    @classmethod
    def from_tally(cls, tally: Tally) -> "ContingencyTable":
        """Construct from a tally of labels."""
        names = ["y", "label_0", "label_1"]
        tallied = tally.cells(names)
        truth, first, second = (tallied.keys[name] for name in names)
        cells = count_cells(first == truth, second == truth, tallied.counts)
        return cls(*cells, tally.plan.design)

    @property
    def n(self) -> int | float:
        """Number of records."""
        return (
            self.both_correct + self.only_champion + self.only_challenger + self.both_wrong
        )

    @property
    def n_discordant(self) -> int | float:
        """Number of records that exactly one of the classifiers predicted correctly."""
        return self.only_champion + self.only_challenger

    @property
    def fractional(self) -> bool:
        """Whether the counts are floats, which exact tests do not accept."""
        return isinstance(self.both_correct, float)

    @property
    def accuracies(self) -> tuple[float, float]:
        """Accuracy of champion and challenger."""
        champion = (self.both_correct + self.only_champion) / self.n
        return champion, (self.both_correct + self.only_challenger) / self.n

    @property
    def difference(self) -> float:
        """Accuracy of the challenger minus that of the champion."""
        return (self.only_challenger - self.only_champion) / self.n


def _as_tables(name: str, tables: Any) -> np.ndarray:
    def plain(item: Any) -> Any:
        if isinstance(item, ContingencyTable):
            return [getattr(item, name) for name in CELLS]
        if isinstance(item, list | tuple):
            return [plain(part) for part in item]
        return item

    counts = np.asarray(plain(tables) if isinstance(tables, list | tuple) else tables)
    if counts.ndim not in (2, 3) or counts.shape[-1] != 4 or counts.size == 0:
        raise ValueError(
            f"`{name}` must have shape (n_repeats, n_folds, 4) or (n_splits, 4). Got "
            f"{counts.shape}. The four counts are {', '.join(CELLS)}."
        )
    numbers = counts.dtype.kind in "iuf" and bool(np.isfinite(counts).all())
    whole = counts.astype(np.int64) if numbers else np.zeros_like(counts)
    if not numbers or (whole != counts).any() or (whole < 0).any():
        raise ValueError(
            f"`{name}` must hold whole counts of at least 0, one table per split."
        )
    if (whole.sum(axis=-1) == 0).any():
        raise ValueError("Each split must test at least one record. Got an empty table.")
    return whole


def _added_tables(first: Array, second: Array) -> Array:
    if first.shape != second.shape:
        raise ValueError(
            "Shards of one cross-validation have tables of one shape. Got "
            f"{first.shape} and {second.shape}."
        )
    return first + second


def _swapped_cells(tables: Array) -> Array:
    return tables[..., [0, 2, 1, 3]]


@dataclass(frozen=True, slots=True, eq=False)
class PairedBlocks(Mergeable):
    """Contingency tables of every split of a cross-validation.

    Parameters
    ----------
    tables : array-like of shape (n_repeats, n_folds, 4) or (n_splits, 4), or sequence
        Counts of each split in the order both correct, only the champion, only the
        challenger, both wrong; or :class:`ContingencyTable` objects, nested in the same
        way.
    design : Design or str, optional
        How the records were split. By default tables of shape (M, 2, 4) with halves of
        nearly equal size are taken to come from M × 2 block-regularized
        cross-validation ("bcv"), and others are "unknown". Pass `design` if they come from
        elsewhere: random halves look the same, and no test can distinguish them.

    Raises
    ------
    ValueError
        If the shape is another, a count is negative or not whole, a table is empty, or
        repetitions of one cross-validation disagree on the number of records.

    Examples
    --------
    >>> from skcompare.evidence import PairedBlocks
    >>> blocks = PairedBlocks([[[40, 4, 2, 4], [41, 3, 3, 3]]] * 5)
    >>> blocks.n_records, blocks.average.only_champion
    (100, 3.5)
    """

    tables: np.ndarray = field(
        metadata={"check": _as_tables, "merge": _added_tables, "swap": _swapped_cells}
    )
    design: Design = field(default=None, metadata=AS_DESIGN)  # type: ignore[assignment]

    required: ClassVar[frozenset[str]] = frozenset({LABELS})

    def _check_together(self) -> None:
        tables, design = self.tables, self.design
        if design is None:
            design = as_design("bcv" if _has_even_halves(tables) else "unknown")
        shape = tables.shape[:-1]
        if design.n_splits != np.prod(shape):
            repeats, folds = shape if len(shape) == 2 else (1, shape[0])
            design = replace(design, n_repeats=repeats, n_folds=folds)
        self._set(design=design)
        if tables.ndim == 3:
            _check_repeats(tables)

    def __repr__(self) -> str:
        return f"PairedBlocks({self.tables.tolist()}, design={self.design.name!r})"

    @classmethod
    def from_predictions(
        cls,
        y_true: Sequence[ArrayLike],
        champion: Sequence[ArrayLike],
        challenger: Sequence[ArrayLike],
        *,
        design: Design | str | None = None,
    ) -> "PairedBlocks":
        """Count the records of every test set by which classifiers are correct.

        Parameters
        ----------
        y_true, champion, challenger : sequence of array-like of shape (n_test,)
            True and predicted labels, one array per split, repetition after repetition.
        design : Design or str, optional
            How the records were split, as for the class. "bcv" reads the splits as
            M pairs.
        """
        check_same_length(y_true=y_true, champion=champion, challenger=challenger)
        first = next(iter(y_true))
        if not np.ndim(first):
            raise ValueError(
                "PairedBlocks needs the labels of every test set, one array per split. Got "
                f"labels of one, such as {first!s:.40}. Pass lists of arrays, or let "
                "PairedComparator(champion, challenger).fit(X, y) split and train."
            )
        tables = [
            ContingencyTable.from_predictions(*split)
            for split in zip(y_true, champion, challenger, strict=True)
        ]
        counts = np.array([[getattr(table, name) for name in CELLS] for table in tables])
        if design is not None and as_design(design).kind in ("bcv", "random 5x2"):
            if len(counts) % 2:
                raise ValueError(
                    "M × 2 cross-validation has an even number of test sets. Got "
                    f"{len(counts)}. Pass both halves of each repetition."
                )
            counts = counts.reshape(-1, 2, 4)
        return cls(counts, design)  # type: ignore[arg-type]

    @classmethod
    def from_cv_results(
        cls,
        champion: Any,
        challenger: Any = None,
        X: Any = None,
        y: Any = None,
        **options: Any,
    ) -> "PairedBlocks":
        """Count the predictions of two outputs of scikit-learn's `cross_validate`.

        One output is enough if it is of a ``PairedEstimator``. They and `cv`, `design` and
        `groups` are as in :func:`~skcompare.predictions.predictions_from_cv_results`.
        """
        return cls.from_pair(cross_validated_pair(champion, challenger, X, y, **options))

    @classmethod
    def from_pair(cls, pair: PairedPredictions) -> "PairedBlocks":
        """Count the predictions of each test set."""
        predictions = pair.predictions
        y_true = predictions.y_predicted()
        first, second = (labels_of(pair, role) == y_true for role in (0, 1))
        tables = np.array(
            [count_cells(first[part], second[part]) for part in predictions.slices()]
        )
        design = pair.design
        if design.n_repeats > 1 or design.kind == "bcv":
            tables = tables.reshape(design.n_repeats, design.n_folds, 4)
        return cls(tables, design)

    @property
    def n_records(self) -> float:
        """Number of records tested per repetition; the mean if repetitions differ."""
        repeats = self.tables.shape[0] if self.tables.ndim == 3 else 1
        total = self.tables.sum() / repeats
        return int(total) if total == int(total) else float(total)

    @property
    def average(self) -> ContingencyTable:
        """Mean of the tables, count by count (equation 6 of the 5×2 BCV paper).

        Shares are not averaged, so halves of unequal size are weighted by their records.
        """
        return self.effective(1.0)

    def effective(self, multiplier: float) -> ContingencyTable:
        """Return the average table times a multiplier, for the effective sample size."""
        both, first, second, neither = self.tables.reshape(-1, 4).mean(axis=0) * multiplier
        return ContingencyTable(
            float(both), float(first), float(second), float(neither), self.design
        )


def labels_of(pair: PairedPredictions, role: int) -> np.ndarray:
    """Return the predicted classes of the champion (0) or challenger (1)."""
    return pair.roles[role].known_labels()


def _check_cell(name: str, count: object) -> int | float:
    if is_whole(count) and count >= 0:
        return int(count)
    if is_number(count) and 0 <= count < math.inf:
        return float(count)
    raise ValueError(
        f"`{name}` must be a count of records, a number of at least 0. Got {count!r}."
    )


def _has_even_halves(tables: np.ndarray) -> bool:
    """Whether tables look like block-regularized halves.

    Halves differ by at most half the number of blocks, and there are at most four blocks
    more than repetitions.
    """
    if tables.ndim != 3 or tables.shape[1] != 2:
        return False
    sizes = tables.sum(axis=2)
    return bool((np.abs(sizes[:, 0] - sizes[:, 1]) <= (len(tables) + 4) / 2).all())


def _check_repeats(tables: np.ndarray) -> None:
    totals = tables.sum(axis=(1, 2))
    if (totals != totals[0]).any():
        raise ValueError(
            "Each repetition of a cross-validation tests every record once. Got "
            f"repetitions of {', '.join(map(str, totals))} records."
        )
