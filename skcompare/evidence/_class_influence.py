"""How much every record moves the areas under the curves of many classes."""

from dataclasses import dataclass

import numpy as np

from skcompare._typing import FloatArray, IntArray
from skcompare.evidence._class_ranks import pair_ranks
from skcompare.evidence._placement_ranks import placement_counts_of


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """Each class against all others, for one classifier.

    Attributes
    ----------
    aucs : ndarray of shape (n_classes,)
        NaN for a class without records, or without others.
    influence : ndarray of shape (n_samples, n_classes)
        Scaled so that ``influence.T @ influence`` is the covariance of `aucs` for
        unrelated records, and the same of its sums a group for grouped ones. NaN for a
        class whose variance is undefined.
    distinct : int
        The fewest different scores of a class.

    .. versionadded:: 0.1
    """

    aucs: FloatArray
    influence: FloatArray
    distinct: int


@dataclass(frozen=True, slots=True)
class OneVsOne:
    """Each class against each other, for one classifier.

    Attributes
    ----------
    aucs : ndarray of shape (n_classes, n_classes)
        In row j and column k the probability that a record of class j has a higher score
        of class j than a record of class k; NaN in the diagonal and for absent classes.
    influence : ndarray of shape (n_samples, n_classes)
        Of the record's own class c against class k, on the mean of both areas of these
        two classes, scaled as for :class:`OneVsRest`; 0 for its own class.
    distinct : int
        The fewest different scores of a class.

    .. versionadded:: 0.1
    """

    aucs: FloatArray
    influence: FloatArray
    distinct: int

    @property
    def pair_aucs(self) -> FloatArray:
        """The mean of both areas of each two classes, which is symmetric."""
        return (self.aucs + self.aucs.T) / 2


def one_vs_rest(
    scores: tuple[FloatArray, FloatArray], codes: IntArray, units: IntArray
) -> tuple[OneVsRest, OneVsRest]:
    """Areas and influence of each class against the rest, for both classifiers.

    A record of class k adds ``(V10 - A_k) / m_k`` to the area of class k and
    ``(V01 - A_l) / n_l`` to that of any other class l, with its placement values, m
    records of the class and n others (DeLong et al. 1988). The divisor of a sample
    covariance makes these ``sqrt(m (m - 1))`` and ``sqrt(n (n - 1))``; of groups their
    numbers take the place of those of records in the ratio of the two.

    Parameters
    ----------
    scores : pair of ndarray of shape (n_samples, n_classes)
        Of champion and challenger. Of two classes the second column decides, and the first
        area is the same.
    codes : ndarray of shape (n_samples,)
        Class of each record.
    units : ndarray of shape (n_classes, 2)
        Independent units with a record of each class, and with a record of another one.
    """
    n, n_classes = scores[0].shape
    aucs = np.full((2, n_classes), np.nan)
    influence = np.full((2, n_classes, n), np.nan)
    distinct = [n, n]
    first = 1 if n_classes == 2 else 0
    for k in range(first, n_classes):
        is_own = codes == k
        m = int(np.count_nonzero(is_own))
        if not 0 < m < n:
            continue
        columns = np.stack([one[:, k] for one in scores])
        counts, different = placement_counts_of(columns, is_own)
        distinct = list(map(min, distinct, different))
        # Counts add up exactly, so that the order of the records changes no bit.
        aucs[:, k] = counts.sum(axis=1, dtype=np.int64) / (4 * m * (n - m))
        own, others = _factor(units[k, 0]) / m, _factor(units[k, 1]) / (n - m)
        share = np.where(is_own, 1 / (2 * (n - m)), 1 / (2 * m))
        scale = np.where(is_own, own, others)
        for role in (0, 1):
            of_class = influence[role, k]
            np.multiply(counts[role], share, out=of_class)
            of_class -= aucs[role, k]
            of_class *= scale
    if first:
        aucs[:, 0], influence[:, 0] = aucs[:, 1], influence[:, 1]
    champion, challenger = (OneVsRest(aucs[r], influence[r].T, distinct[r]) for r in (0, 1))
    return champion, challenger


def one_vs_one(
    scores: tuple[FloatArray, FloatArray], codes: IntArray, units: IntArray
) -> tuple[OneVsOne, OneVsOne]:
    """Areas and influence of each class against each other, for both classifiers.

    The area of a pair is the mean of that of either class's scores among the records of
    both (Hand and Till 2001). A record of class c moves it by the mean of its two
    placement values, less their mean over the class, divided as in :func:`one_vs_rest`.

    Parameters
    ----------
    scores, codes, units
        As for :func:`one_vs_rest`.
    """
    champion, challenger = (_of_pairs(one, codes, units) for one in scores)
    return champion, challenger


def _of_pairs(scores: FloatArray, codes: IntArray, units: IntArray) -> OneVsOne:
    n, n_classes = scores.shape
    counts = np.bincount(codes, minlength=n_classes)
    aucs = np.full((n_classes, n_classes), np.nan)
    # One row a class, so that what is added at a time lies together.
    influence = np.zeros((n_classes, n))
    present = np.flatnonzero(counts)
    distinct = n
    first = 1 if n_classes == 2 else 0
    for j in present[present >= first].tolist():
        ranks = pair_ranks(scores[:, j], codes, j, n_classes)
        distinct = min(distinct, ranks.distinct)
        others = present[present != j]
        for k in others.tolist():
            below = ranks.below[:, k]
            aucs[j, k] = below.sum() / (2 * counts[j] * counts[k])
            influence[k, ranks.own] += below / (2 * counts[k]) - aucs[j, k]
        expected = aucs[j, codes]
        # The class against itself is no pair.
        expected[ranks.own] = ranks.above[ranks.own] / (2 * counts[j])
        influence[j] += ranks.above / (2 * counts[j]) - expected
    if first:
        aucs[0, 1] = aucs[1, 0]
        influence *= 2
    with np.errstate(divide="ignore", invalid="ignore"):
        influence *= (_factors(units[:, 0]) / (2 * counts))[codes]
    return OneVsOne(aucs, influence.T, distinct)


def _factor(n_units: int) -> float:
    """Root of what turns a mean of squares into an unbiased variance; NaN for one unit."""
    return float(np.sqrt(n_units / (n_units - 1))) if n_units > 1 else np.nan


def _factors(n_units: IntArray) -> FloatArray:
    return np.array([_factor(int(n)) for n in n_units])
