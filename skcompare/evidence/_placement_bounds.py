"""How far AUCs of levels, and their variances, may be from those of the scores.

Two records of different classes in one level are a tie, and the scores themselves would
have decided it one way or the other: it counts 1/2 where it would count 0 or 1. Nothing
else changes. So in a level of p positive and q negative records, of m and n in all, the
placement value of a positive record is at most e = q / (2 n) from the one by the scores,
and that of a negative record at most e = p / (2 m).

The AUC is the mean of either, which gives the bound sum(p q) / (2 m n). It is reached
where all positive records of every level have the greater scores. That is possible for one
classifier and the opposite for another on the same records, so that no smaller bound holds
for a difference than the sum of both, whatever the records have in common.

The variance of w'A is V(x) = sum(u (x - mean)²), x being the placement values weighted by
w, u = 1 / (m (m - 1)) for positive records and 1 / (n (n - 1)) for negative ones, the mean
that of the class. By the scores they are x + d with |d| <= e = sum(|w| e), where

    V(x + d) = V(x) + 2 sum(u (x - mean) d) + V(d),   0 <= V(d) <= sum(u e²),

since a mean of d drops out of the middle sum, and makes the last one smaller. Hence

    V(x) - 2 L <= V(x + d) <= V(x) + 2 L + Q,   L = sum(u |x - mean| e), Q = sum(u e²).

The root of V is a seminorm, so that it also moves by no more than the root of Q. A
covariance is bilinear in the same way; what both deviations do to it together is at most
the root of the product of their Q, by the inequality of Cauchy and Schwarz.

Scores are not out to deceive, so that the error to expect is far smaller. If the p + q
records of a level come in any order equally likely, the undecided pairs won have the
variance of Mann and Whitney's U, p q (p + q + 1) / 12, and levels are independent. What is
systematic, because positive records are the more frequent the higher within a level, falls
with the square of the width of levels: of smooth densities it is about a third of what
changes when the levels are made twice as wide.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skcompare._core.score_bins import Levels
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._placement_cells import totals_of_scores

ROUNDED_UP = 1 + 1e-9
"""Makes up for the rounding of sums, so that bounds stay bounds."""

ROUNDING = 4 * float(np.finfo(np.float64).eps)


class ContrastBounds(NamedTuple):
    """How far a weighted sum of AUCs of levels may be from that of the scores.

    .. versionadded:: 0.1
    """

    estimate: float
    """Of the weighted sum."""

    variance: float
    """Of its variance."""

    standard_error: float
    """Of the root of its variance."""

    expected: float
    """Error of the weighted sum to expect, as a root of a mean square; not a bound."""


class LevelErrors(NamedTuple):
    """Placement values of cells, how far they may be off, and what they weigh."""

    values: FloatArray
    """Less their mean, of shape (n_scores, n_cells)."""

    errors: FloatArray
    """Greatest distance from the placement values by the scores, of the same shape."""

    weights: FloatArray
    """Records over m (m - 1) or n (n - 1), of shape (n_cells,)."""

    shares: FloatArray
    """Records over n_positives for positive cells and 0 for others."""

    @property
    def aucs(self) -> FloatArray:
        """Bounds of the AUCs."""
        bounds: FloatArray = self.errors @ self.shares * ROUNDED_UP
        return bounds

    @property
    def covariance(self) -> FloatArray:
        """Bounds of the covariances, of shape (n_scores, n_scores)."""
        weighted = self.errors * self.weights
        moved = (np.abs(self.values) + ROUNDING) @ weighted.T
        squares = (weighted * self.errors).sum(axis=1)
        both = np.sqrt(np.outer(squares, squares))
        bounds: FloatArray = (moved + moved.T + both) * ROUNDED_UP
        # Scores that are no levels move nothing, not even by rounding.
        bounds[np.ix_(squares == 0, squares == 0)] = 0.0
        return bounds

    def contrast(
        self, weights: FloatArray, variance: float, expected: float
    ) -> ContrastBounds:
        """Bounds of a weighted sum of AUCs of some variance."""
        errors = np.abs(weights) @ self.errors
        if not errors.any():
            return ContrastBounds(0.0, 0.0, 0.0, 0.0)
        estimate = float(errors @ self.shares) * ROUNDED_UP
        # Levels that part the classes nearly, and half of them do not.
        expected = min(expected, estimate)
        if math.isnan(variance):
            return ContrastBounds(estimate, math.nan, math.nan, expected)
        weighted = errors * self.weights
        size = float(np.abs(weights).sum())
        moved = 2 * float((np.abs(weights @ self.values) + size * ROUNDING) @ weighted)
        squares = float(weighted @ errors)
        error, root = math.sqrt(max(0.0, variance)), math.sqrt(squares)
        most = min(error + root, math.sqrt(max(0.0, variance) + moved + squares))
        least = max(0.0, error - root, math.sqrt(max(0.0, variance - moved)))
        return ContrastBounds(
            estimate,
            (moved + squares) * ROUNDED_UP,
            max(most - error, error - least) * ROUNDED_UP,
            expected,
        )


def level_errors(
    counts: IntArray,
    scores: FloatArray,
    positive: NDArray[np.bool_],
    repeats: IntArray,
    levels: Sequence[Levels],
) -> LevelErrors:
    """What bounds are made of, from the counts and the levels of cells."""
    m, n = int(repeats[positive].sum()), int(repeats[~positive].sum())
    others = np.where(positive, n, m)
    values = counts / (2.0 * others)
    errors = np.zeros(scores.shape)
    for row, score, own in zip(errors, scores, levels, strict=True):
        if not own.is_distinct:
            codes, p, q = totals_of_scores(score, positive, repeats)
            row[:] = np.where(positive, q[codes], p[codes]) / (2.0 * others)
    shares = np.where(positive, repeats / m, 0.0)
    values -= (values @ shares)[:, np.newaxis]
    # One record of a class has no variance, and no bound of one.
    per = np.where(positive, m * (m - 1.0), n * (n - 1.0))
    weights = np.divide(repeats, per, out=np.full(len(per), np.nan), where=per > 0)
    return LevelErrors(values, errors, weights, shares)


def order_errors(
    scores: FloatArray,
    positive: NDArray[np.bool_],
    repeats: IntArray,
    levels: Sequence[Levels],
) -> tuple[FloatArray, FloatArray]:
    """What to expect of the errors of AUCs, apart from their bounds.

    Returns
    -------
    deviations : ndarray of shape (n_scores,)
        Standard deviations, if records within a level come in any order.
    halved : ndarray of shape (n_scores,)
        AUCs if every two neighbouring levels were one.
    """
    deviations, halved = np.zeros(len(scores)), np.empty(len(scores))
    for i, (score, own) in enumerate(zip(scores, levels, strict=True)):
        coarser = score if own.is_distinct else score // 2
        _, p, q = totals_of_scores(coarser, positive, repeats)
        halved[i] = auc_of(p, q)
        if not own.is_distinct:
            _, *totals = totals_of_scores(score, positive, repeats)
            many, few = (total.astype(np.float64) for total in totals)
            variance = float((many * few * (many + few + 1)).sum()) / 12
            deviations[i] = math.sqrt(variance) / (many.sum() * few.sum())
    return deviations, halved


def auc_of(positives: IntArray, negatives: IntArray) -> float:
    """The AUC of scores with so many records of each class, by increasing score."""
    won = 2 * (np.cumsum(negatives) - negatives) + negatives
    p, q = positives.tolist(), negatives.tolist()
    pairs = sum(a * b for a, b in zip(p, won.tolist(), strict=True))
    return float(pairs / (2 * sum(p) * sum(q)))
