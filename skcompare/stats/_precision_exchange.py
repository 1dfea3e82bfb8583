"""Class by class moments of two classifiers whose answers are exchanged at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import JointCounts
from skcompare.evidence._class_rows import ClassMoments
from skcompare.stats._precision_class_tests import CLASS_TESTS

VALUES_AT_ONCE = 1 << 21
"""Numbers of cells and of classes that are drawn at a time."""


def exchanged_pvalues(
    counts: JointCounts, score: str, test: str, n_draws: int, rng: np.random.RandomState
) -> FloatArray:
    """Two-sided p-values of all classes, of answers exchanged record by record.

    Returns
    -------
    pvalues : ndarray of shape (n_draws, n_classes)
        1 where undefined.
    """
    parts = []
    for moments in exchanged_moments(counts, score, n_draws, rng):
        root = CLASS_TESTS[test](moments).root
        parts.append(np.where(np.isfinite(root), 2 * ndtr(-np.abs(root)), 1.0))
    return np.concatenate(parts)


def exchanged_moments(
    counts: JointCounts, score: str, n_draws: int, rng: np.random.RandomState
) -> Iterator[ClassMoments]:
    """Moments of draws and classes along the first two axes, in batches.

    Which of two different answers is whose is a coin for each record, so that of the
    records of one true class with the same two answers a binomial number falls to each
    side. Sums over both classifiers, and what both have in common, stay as they are.
    """
    truth, first, second = counts.cells.T
    k = counts.n_classes
    apart = first != second
    same = ~apart
    low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
    # Both orders of two answers are one cell, whatever the roles are.
    key = np.ravel_multi_index((truth[apart], low, high), (k, k, k))
    kinds, position = np.unique(key, return_inverse=True)
    totals = np.zeros(len(kinds), dtype=np.int64)
    np.add.at(totals, position, counts.counts[apart])
    of, low, high = np.unravel_index(kinds, (k, k, k))
    fixed = _sums(first[same], counts.counts[same], k)
    right = same & (first == truth)
    fixed_right = _sums(first[right], counts.counts[right], k)
    size = {"all": counts.n, "truth": _sums(truth, counts.counts, k)}
    base = counts.class_rows().moments(score)
    incidence = [
        (_incidence(label, np.ones(len(kinds)), k), _incidence(label, label == of, k))
        for label in (low, high)
    ]
    most = max(1, VALUES_AT_ONCE // max(len(kinds), 8 * k))
    for start in range(0, n_draws, most):
        n_drawn = min(most, n_draws - start)
        forward = rng.binomial(totals, 0.5, size=(n_drawn, len(kinds))).astype(np.int64)
        sides = (forward, totals - forward)
        answered = [_answered(pair, incidence, 0) + fixed for pair in (sides, sides[::-1])]
        hits = [
            _answered(pair, incidence, 1) + fixed_right for pair in (sides, sides[::-1])
        ]
        yield _moments(score, np.stack(answered, -1), np.stack(hits, -1), size, base)


def _answered(
    sides: tuple[IntArray, ...], incidence: list[tuple[Any, Any]], which: int
) -> IntArray:
    """Answers of one classifier that name each class, or those that are right."""
    found = [side @ part[which] for side, part in zip(sides, incidence, strict=True)]
    return np.asarray(found[0] + found[1])


def _moments(
    score: str,
    answered: IntArray,
    right: IntArray,
    size: dict[str, Any],
    base: ClassMoments,
) -> ClassMoments:
    """The moments of one draw after the other; every record is a cluster."""
    truth = size["truth"][:, np.newaxis]
    named = score in ("precision", "recall")
    by_answer = score in ("precision", "negative_predictive_value")
    counted = answered if by_answer else np.broadcast_to(truth, answered.shape)
    rows = counted if named else size["all"] - counted
    hits = right if named else size["all"] - answered - truth + right
    both = np.broadcast_to(base.hh[:, 0, 1], rows.shape[:-1])
    shared = np.broadcast_to(base.rr[:, 0, 1], rows.shape[:-1])
    # Where rows are by answer, a row of both with a hit of one is a hit of both.
    crossed = (both, both) if by_answer else (hits[..., 1], hits[..., 0])
    return ClassMoments(
        rows,
        hits,
        _square(rows[..., 0], rows[..., 1], shared, shared),
        _square(hits[..., 0], hits[..., 1], *crossed),
        _square(hits[..., 0], hits[..., 1], both, both),
    )


def _square(first: Any, second: Any, upper: Any, lower: Any) -> IntArray:
    rows = np.stack([first, upper], -1), np.stack([lower, second], -1)
    return np.stack(rows, -2)


def _sums(position: IntArray, values: IntArray, k: int) -> IntArray:
    totals = np.zeros(k, dtype=np.int64)
    np.add.at(totals, position, values)
    return totals


def _incidence(label: IntArray, kept: Any, k: int) -> Any:
    """Which class each cell counts for."""
    values = np.asarray(kept).astype(np.int64)
    return csr_array((values, (np.arange(len(label)), label)), shape=(len(label), k))
