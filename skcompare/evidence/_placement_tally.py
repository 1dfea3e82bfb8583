"""Counting records into cells, a block at a time."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.labels import check_labels, encode_labels
from skcompare._core.score_bins import Levels
from skcompare._core.validation import as_array, check_same_length, positive_class
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._placement_cells import combined_cells
from skcompare.evidence._placement_checks import check_score

Cells = tuple[NDArray[np.bool_], FloatArray, IntArray]

BLOCK = 1 << 19
"""Records that are handled at a time."""

MOST_COUNTED = 1 << 22
"""Cells of a table that is added to as a whole."""

SAMPLE = 1 << 16
"""Records that levels are fitted to."""


def check_levels(levels: Any, k: int) -> tuple[Levels, ...] | None:
    """The levels of each classifier, or None where all are the scores themselves."""
    if levels is None:
        return None
    given = levels if isinstance(levels, Iterable) else (levels,)
    each = (levels,) * k if isinstance(levels, Levels) else tuple(given)
    if len(each) != k or not all(isinstance(one, Levels) for one in each):
        raise ValueError(
            f"`levels` must be Levels, for all or for each of {k} classifiers. Got "
            f"{levels!r:.80}. Make them by Levels.uniform or Levels.fitted; a number of "
            "levels is `n_levels`."
        )
    return None if all(one.is_distinct for one in each) else each


def plain_levels(levels: tuple[Levels, ...] | None, k: int) -> tuple[Levels, ...]:
    """The levels of each classifier, also where they are the scores themselves."""
    return (Levels.distinct(),) * k if levels is None else levels


def check_level_codes(
    scores: FloatArray, names: Sequence[str], levels: tuple[Levels, ...]
) -> None:
    """Refuse scores that are no levels where they should be."""
    for name, score, own in zip(names, scores, levels, strict=True):
        if own.n_levels is None:
            continue
        low, high = float(score.min()), float(score.max())
        if low < 0 or high >= own.n_levels or (score != np.trunc(score)).any():
            raise ValueError(
                f"`scores` of {name} must be levels from 0 to {own.n_levels - 1}, as "
                f"`levels` says. Got numbers from {low:g} to {high:g}. Make them by "
                "levels.codes(score), or use PlacementValues.from_predictions."
            )


def counted_parts(
    y_true: Any,
    scores: Sequence[Any],
    names: tuple[str, ...],
    pos_label: Any,
    n_levels: int | None,
    levels: Levels | Sequence[Levels] | None,
) -> tuple[Any, ...]:
    """Arguments of the placement values of cells, from labels and scores of records."""
    truth, rows = as_array(y_true), [as_array(score) for score in scores]
    whose = [f"scores of {name}" for name in names]
    check_same_length({"y_true": truth}, dict(zip(whose, rows, strict=True)))
    each = check_levels(levels, len(rows))
    if n_levels is not None:
        each = _levels_for(rows, names, n_levels)
    each = plain_levels(each, len(rows))
    classes = _classes(truth)
    label = positive_class(classes, pos_label)
    label = label.item() if isinstance(label, np.generic) else label
    occurs = label in classes.tolist()
    blocks = (
        (
            # Labels of another type than the class that is missing do not compare.
            (_labels(truth, some) == label) if occurs else _none(some),
            [
                own.codes(_score(name, score, some))
                for name, score, own in zip(names, rows, each, strict=True)
            ],
        )
        for some in _blocks(len(truth))
    )
    positive, cells, repeats = _tally(blocks, each)
    return positive, cells, names, None, None, label, repeats, each


def _levels_for(
    scores: Sequence[Any], names: Sequence[str], n_levels: int
) -> tuple[Levels, ...]:
    """Levels of each classifier: its scores if they are few, else fitted to a sample."""
    rng = np.random.default_rng(0)
    n = len(scores[0])
    # Any n_levels is refused that no levels could have.
    Levels.uniform(n_levels)
    found = []
    for name, score in zip(names, scores, strict=True):
        if _has_few(name, score, n_levels):
            found.append(Levels.distinct())
            continue
        at = np.sort(rng.integers(n, size=SAMPLE)) if n > SAMPLE else slice(None)
        sample = check_score(f"scores of {name}", score[at])
        found.append(Levels.quantised(sample, n_levels))
    return tuple(found)


def _has_few(name: str, score: Any, n_levels: int) -> bool:
    """Whether a score has at most so many different values."""
    known = np.empty(0)
    for some in _blocks(len(score)):
        known = np.union1d(known, _score(name, score, some))
        if len(known) > n_levels:
            return False
    return True


def _tally(blocks: Iterator[tuple[Any, list[Any]]], levels: tuple[Levels, ...]) -> Cells:
    sizes = [own.n_levels for own in levels]
    n_cells = np.prod([2.0, *(size or np.inf for size in sizes)])
    if n_cells <= MOST_COUNTED:
        return _counted(blocks, [int(size or 0) for size in sizes])
    return _merged(blocks)


def _none(some: slice) -> NDArray[np.bool_]:
    return np.zeros(some.stop - some.start, dtype=bool)


def _counted(blocks: Iterator[tuple[Any, list[Any]]], sizes: list[int]) -> Cells:
    """Add up in a table of all cells there may be."""
    shape = (2, *sizes)
    table = np.zeros(int(np.prod(shape)), dtype=np.int64)
    for positive, codes in blocks:
        key = positive.astype(np.int64)
        for size, code in zip(sizes, codes, strict=True):
            key *= size
            key += code
        table += np.bincount(key, minlength=len(table))
    found = np.flatnonzero(table)
    positive, *codes = np.unravel_index(found, shape)
    return positive == 1, np.array(codes, dtype=np.float64), table[found]


def _merged(blocks: Iterator[tuple[Any, list[Any]]]) -> Cells:
    """Combine the cells of blocks, whenever they are as many as those before."""
    done: Cells | None = None
    waiting: list[Cells] = []
    n_waiting = 0
    for positive, codes in blocks:
        scores = np.array(codes, dtype=np.float64)
        cells = combined_cells(positive, scores, np.ones(len(positive), dtype=np.int64))
        waiting.append(cells)
        n_waiting += len(cells[0])
        if done is None or n_waiting >= len(done[0]):
            done, waiting, n_waiting = _together(done, waiting), [], 0
    return _together(done, waiting)


def _together(done: Cells | None, waiting: list[Cells]) -> Cells:
    every = waiting if done is None else [done, *waiting]
    if len(every) == 1:
        return every[0]
    positive, scores, repeats = (
        np.concatenate(parts, axis=-1) for parts in zip(*every, strict=True)
    )
    return combined_cells(positive, scores, repeats)


def _classes(y_true: NDArray[Any]) -> NDArray[Any]:
    found = [encode_labels(_labels(y_true, some), {})[0] for some in _blocks(len(y_true))]
    return np.unique(np.concatenate(found))


def _labels(y_true: NDArray[Any], some: slice) -> NDArray[Any]:
    try:
        return check_labels("y_true", y_true[some])
    except ValueError:
        # The message names positions among all labels.
        check_labels("y_true", y_true)
        raise


def _score(name: str, score: NDArray[Any], some: slice) -> FloatArray:
    try:
        return check_score(f"scores of {name}", as_array(score[some]))
    except ValueError:
        check_score(f"scores of {name}", score)
        raise


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(n, start + BLOCK)) for start in range(0, n, BLOCK))
