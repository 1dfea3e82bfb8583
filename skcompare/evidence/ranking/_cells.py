"""Cells: counts of records with equal class and scores."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skcompare._core.arrays import slices_of
from skcompare._core.score_bins import ScoreBins
from skcompare._core.validation import (
    as_array,
    check_labels,
    check_same_length,
    encode_labels,
    positive_class,
)
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._counting import cell_numbers, located, sums_of
from skcompare.evidence.labels._patterns import check_classifier_names
from skcompare.predictions import EstimatorPredictions

BoolArray = NDArray[np.bool_]

MOST_RECORDS = 1 << 61
"""Limit of records, so that doubled counts fit into eight bytes."""

MOST_KEYS = 1 << 62

TABLE = 1 << 20
"""Limit of whole scores that are looked up in a table."""


def check_repeats(name: str, repeats: Any) -> IntArray:
    """Check the number of records of each cell; return a copy as int64."""
    array = np.asarray(repeats)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise ValueError(
            f"`{name}` must be whole numbers of records, one per row of scores. Got "
            f"{array.dtype} of shape {array.shape}"
            f"{', some below 0' if array.dtype.kind == 'i' and (array < 0).any() else ''}. "
            "Round weights, or compare records one by one."
        )
    total = sum(array.tolist())
    if not 0 < total < MOST_RECORDS:
        raise ValueError(
            f"`{name}` must add up to 1 record at least, and fewer than 2**61. Got {total}."
        )
    return array.astype(np.int64)


def combined_cells(
    positive: BoolArray, scores: FloatArray, repeats: IntArray
) -> tuple[BoolArray, FloatArray, IntArray]:
    """Merge cells of equal class and scores, sort them, and drop empty cells."""
    occupied = repeats > 0
    if not occupied.all():
        positive, repeats = positive[occupied], repeats[occupied]
        scores = scores[:, occupied]
    key: IntArray = positive.astype(np.int64)
    n_keys = 2
    for score in scores:
        codes, n_values = _positions(score)
        if n_keys * n_values >= MOST_KEYS:
            unique, key = np.unique(key, return_inverse=True)
            n_keys = len(unique)
        key = key * n_values + codes
        n_keys *= n_values
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    return positive[index], scores[:, index], sums_of(inverse, repeats, len(index))


def totals_of_scores(
    score: FloatArray, positive: BoolArray, repeats: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the positions of cells among distinct scores, and counts by score and class.

    Returns
    -------
    codes : ndarray of shape (n_cells,)
        Position among the different scores, which increase.
    positives, negatives : ndarray of shape (n_distinct,)
    """
    codes, n_values = _positions(score)
    totals = sums_of(codes + n_values * positive, repeats, 2 * n_values)
    return codes, totals[n_values:], totals[:n_values]


def _positions(score: FloatArray) -> tuple[IntArray, int]:
    """Return positions of scores among the distinct scores, and the number of those."""
    if score.min() >= 0 and score.max() < TABLE:
        whole = score.astype(np.int64)
        if (whole == score).all():
            # Looking up bins in a table is faster than sorting them.
            present = np.zeros(int(whole.max()) + 1, dtype=bool)
            present[whole] = True
            return (np.cumsum(present) - 1)[whole], int(np.count_nonzero(present))
    values, codes = np.unique(score, return_inverse=True)
    return codes, len(values)


def cell_counts(
    scores: FloatArray, positive: BoolArray, repeats: IntArray
) -> tuple[IntArray, list[int]]:
    """Return the counts of ``placement_counts_of`` for one record of each cell.

    Twice the records of the other class that it outranks, a tie being 1, one row per
    score; and the number of different scores in each row.
    """
    counts = np.empty(scores.shape, dtype=np.int64)
    distinct = []
    for row, score in zip(counts, scores, strict=True):
        codes, p, q = totals_of_scores(score, positive, repeats)
        distinct.append(len(p))
        below, above = np.cumsum(q) - q, p.sum() - np.cumsum(p)
        row[:] = np.where(positive, (2 * below + q)[codes], (2 * above + p)[codes])
    return counts, distinct


def check_score(name: str, values: Any) -> FloatArray:
    """Check that scores are finite and exact in float64; return shape (n_samples,).

    Only the order of the scores is used, so scores whose order float64 may change are
    refused.
    """
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must have shape (n_samples,). Got {array.shape}. Of probabilities "
            "pass the column of the positive class."
        )
    if array.dtype.kind not in "biufO":
        raise ValueError(
            f"`{name}` must be numbers, greater for the positive class. Got dtype "
            f"{array.dtype}. Predicted labels are compared by tests of labels."
        )
    try:
        score = array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"`{name}` must be numbers, greater for the positive class. Got "
            f"{_not_a_number(array)}."
        ) from None
    _check_finite(name, score)
    if array.dtype.kind in "iuO" or array.dtype.itemsize > score.dtype.itemsize:
        _check_exact(name, array, score)
    return score


def _not_a_number(array: np.ndarray) -> str:
    for position, value in enumerate(array.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{value!r} at position {position}"
    return "objects that cannot be converted together"


def _check_finite(name: str, score: FloatArray) -> None:
    # A sum is not finite as soon as a value is not, and faster than checking each.
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(score.sum())
    if finite or np.isfinite(score).all():
        return
    i = int(np.argmin(np.isfinite(score)))
    raise ValueError(
        f"`{name}` must be finite. Got {score[i]} at position {i}. Drop records without "
        "a score, and write infinite ones as numbers beyond all others."
    )


def _check_exact(name: str, array: np.ndarray, score: FloatArray) -> None:
    """Raise an error if float64 rounds a number, because rounding may create ties."""
    if array.dtype.kind in "iu" and (
        array.dtype.itemsize < 8 or np.abs(score).max(initial=0.0) < 2.0**53
    ):
        return
    pairs = zip(array.tolist(), score.tolist(), strict=True)
    rounded = next((number for number, as_float in pairs if number != as_float), None)
    if rounded is not None:
        raise ValueError(
            f"`{name}` has numbers such as {rounded!r} that float64 rounds, so that "
            "different scores may become one. Pass their ranks."
        )


def check_mask(name: str, positive: Any) -> NDArray[np.bool_]:
    """Check the mask of positive records; return a copy of dtype bool."""
    array = np.asarray(positive)
    if not array.size:
        raise ValueError(f"`{name}` must have a record at least. Got {array.shape}.")
    is_plain = array.dtype.kind in "iuf" and ((array == 0) | (array == 1)).all()
    if array.dtype.kind != "b" and not is_plain:
        raise ValueError(
            f"`{name}` must be True or False. Got other values, of dtype "
            f"{array.dtype}. From labels, use PlacementValues.from_predictions."
        )
    return array.astype(bool)


def check_scores(scores: Any, names: Sequence[str], n: int) -> FloatArray:
    """Check the scores; return a copy of shape (n_scores, n_samples)."""
    rows = np.empty((len(names), n))
    for row, name, values in zip(rows, names, scores, strict=True):
        score = check_score(f"scores of {name}", values)
        if len(score) != n:
            raise ValueError(
                f"`scores` must have shape (n_scores, {n}), one row per classifier. Got a "
                f"row of {len(score)}."
            )
        row[:] = score
    return rows


def check_names(names: Iterable[str] | None, k: int) -> tuple[str, ...]:
    """Check that classifier names are distinct, or make default names."""
    if not k:
        raise ValueError(
            "Placement values need scores of one classifier at least. Got none. Pass one "
            "array per classifier after `y_true`."
        )
    return check_classifier_names(names, k)


def scores_of(predictions: EstimatorPredictions) -> FloatArray:
    """Return the scores of each class, greater for that class."""
    if predictions.proba is not None:
        return predictions.proba
    decision = predictions.decision
    if decision is None:
        raise ValueError(
            f"The predictions of {predictions.name} have no scores. Pass probabilities or "
            "decision scores, or use a test of labels, such as mcnemar."
        )
    # One column of decision scores is greater for the second class.
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision


Cells = tuple[NDArray[np.bool_], FloatArray, IntArray]

BLOCK = 1 << 19
"""Number of records that are handled at a time."""

MOST_COUNTED = 1 << 22
"""Most cells of a table that is added up as a whole."""

SAMPLE = 1 << 16
"""Most records that bins are fitted to."""


def check_score_bins(score_bins: Any, k: int) -> tuple[ScoreBins, ...] | None:
    """Check the score bins of each classifier; return None if no score is binned."""
    if score_bins is None:
        return None
    sequence = score_bins if isinstance(score_bins, Iterable) else (score_bins,)
    per_classifier = (
        (score_bins,) * k if isinstance(score_bins, ScoreBins) else tuple(sequence)
    )
    if len(per_classifier) != k or not all(
        isinstance(item, ScoreBins) for item in per_classifier
    ):
        raise ValueError(
            f"`score_bins` must be ScoreBins, for all or each of {k} classifiers. Got "
            f"{score_bins!r:.80}. Make them by ScoreBins.uniform or ScoreBins.fitted; a "
            "number of bins is `n_score_bins`."
        )
    return None if all(item.is_distinct for item in per_classifier) else per_classifier


def plain_score_bins(
    score_bins: tuple[ScoreBins, ...] | None, k: int
) -> tuple[ScoreBins, ...]:
    """Return the score bins of each classifier, with distinct scores by default."""
    return (ScoreBins.distinct(),) * k if score_bins is None else score_bins


def check_bin_codes(
    scores: FloatArray, names: Sequence[str], score_bins: tuple[ScoreBins, ...]
) -> None:
    """Raise an error unless binned scores are codes of `score_bins`."""
    for name, score, bins in zip(names, scores, score_bins, strict=True):
        if bins.n_score_bins is None:
            continue
        low, high = float(score.min()), float(score.max())
        if low < 0 or high >= bins.n_score_bins or (score != np.trunc(score)).any():
            raise ValueError(
                f"`scores` of {name} must be bins from 0 to {bins.n_score_bins - 1}, as "
                f"`score_bins` says. Got numbers from {low:g} to {high:g}. Make them by "
                "score_bins.codes(score), or use PlacementValues.from_predictions."
            )


def checked_scores(placements: Any) -> dict[str, Any]:
    """Check the scores of placement values, and count records of equal cells if binned."""
    positive, repeats = placements.positive, placements.repeats
    n = len(positive)
    names = check_names(placements.names, len(placements.scores))
    scores = check_scores(placements.scores, names, n)
    score_bins = check_score_bins(placements.score_bins, len(names))
    if score_bins is not None:
        check_bin_codes(scores, names, score_bins)
        repeats = np.ones(n, np.int64) if repeats is None else repeats
    if repeats is not None:
        positive, scores, repeats = combined_cells(positive, scores, repeats)
    if repeats is not None and placements.groups is not None:
        raise ValueError(
            "Records that are counted in cells have no groups. Got `groups`. Leave out "
            "`repeats`, `score_bins` and `n_score_bins`, so that records stay apart."
        )
    return {
        "positive": positive,
        "scores": scores,
        "names": names,
        "repeats": repeats,
        "score_bins": score_bins,
    }


def counted_parts(
    y_true: Any,
    scores: Sequence[Any],
    names: tuple[str, ...],
    pos_label: Any,
    n_score_bins: int | None,
    score_bins: ScoreBins | Sequence[ScoreBins] | None,
) -> tuple[Any, ...]:
    """Count records by cell, and return the arguments of :class:`PlacementValues`."""
    truth, rows = as_array(y_true), [as_array(score) for score in scores]
    titles = [f"scores of {name}" for name in names]
    check_same_length({"y_true": truth}, dict(zip(titles, rows, strict=True)))
    bins = check_score_bins(score_bins, len(rows))
    if n_score_bins is not None:
        bins = _score_bins_for(rows, names, n_score_bins)
    bins = plain_score_bins(bins, len(rows))
    classes = _classes(truth)
    label = positive_class(classes, pos_label)
    label = label.item() if isinstance(label, np.generic) else label
    occurs = label in classes.tolist()
    blocks = (
        (
            # Labels cannot be compared with a missing class of another type.
            (_labels(truth, block) == label)
            if occurs
            else np.zeros(block.stop - block.start, dtype=bool),
            [
                own_bins.codes(_score(name, score, block))
                for name, score, own_bins in zip(names, rows, bins, strict=True)
            ],
        )
        for block in slices_of(len(truth), BLOCK)
    )
    positive, cells, repeats = _cells_of(blocks, bins)
    return positive, cells, names, None, None, label, repeats, bins


def _score_bins_for(
    scores: Sequence[Any], names: Sequence[str], n_score_bins: int
) -> tuple[ScoreBins, ...]:
    """Return the bins of each classifier: its scores if few, else fitted to a sample."""
    rng = np.random.default_rng(0)
    n = len(scores[0])
    # Refuses a number that no bins can have.
    ScoreBins.uniform(n_score_bins)
    bins = []
    for name, score in zip(names, scores, strict=True):
        if _has_few(name, score, n_score_bins):
            bins.append(ScoreBins.distinct())
            continue
        rows = np.sort(rng.integers(n, size=SAMPLE)) if n > SAMPLE else slice(None)
        sample = check_score(f"scores of {name}", score[rows])
        bins.append(ScoreBins.quantised(sample, n_score_bins))
    return tuple(bins)


def _has_few(name: str, score: Any, n_score_bins: int) -> bool:
    """Whether a score has at most `n_score_bins` distinct values."""
    values = np.empty(0)
    for block in slices_of(len(score), BLOCK):
        values = np.union1d(values, _score(name, score, block))
        if len(values) > n_score_bins:
            return False
    return True


def _cells_of(
    blocks: Iterator[tuple[BoolArray, list[Any]]], score_bins: tuple[ScoreBins, ...]
) -> Cells:
    """Count records in a table of all possible cells, or merge the cells of blocks."""
    shape = [2, *(bins.n_score_bins or 0 for bins in score_bins)]
    n_cells = math.prod(shape)
    if not 0 < n_cells <= MOST_COUNTED:
        cells = [
            combined_cells(positive, np.array(codes, float), np.ones(len(positive), int))
            for positive, codes in blocks
        ]
        positive, scores, repeats = map(partial(np.concatenate, axis=-1), zip(*cells))
        return positive, scores, repeats
    table = np.zeros(n_cells, dtype=np.int64)
    for positive, codes in blocks:
        numbers = cell_numbers([positive.astype(np.int64), *codes], shape)
        table += np.bincount(numbers, minlength=n_cells)
    occupied = np.flatnonzero(table)
    is_positive, *bins = np.unravel_index(occupied, tuple(shape))
    return is_positive == 1, np.array(bins, dtype=np.float64), table[occupied]


def _classes(y_true: NDArray[Any]) -> NDArray[Any]:
    blocks = slices_of(len(y_true), BLOCK)
    parts = [encode_labels(_labels(y_true, block), {})[0] for block in blocks]
    return np.unique(np.concatenate(parts))


def _labels(y_true: NDArray[Any], block: slice) -> NDArray[Any]:
    with located(lambda: check_labels("y_true", y_true)):
        return check_labels("y_true", y_true[block])


def _score(name: str, score: NDArray[Any], block: slice) -> FloatArray:
    with located(lambda: check_score(f"scores of {name}", score)):
        return check_score(f"scores of {name}", as_array(score[block]))
