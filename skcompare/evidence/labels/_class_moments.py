"""Sums over clusters by class, for tests of precision and related scores."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse import csc_array

from skcompare._core.validation import check_choice, some_of
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence.core._counting import sums_of

ClassScore = Literal["precision", "recall", "specificity", "negative_predictive_value"]
CLASS_SCORES: tuple[str, ...] = get_args(ClassScore)
"""Scores of one class against the rest: shares of the predictions that count."""

LARGEST_SUM = 2.0**62
"""Limit of sums of squares; from here on they may not fit into 64 bits."""


class OutcomeRows(NamedTuple):
    """Predictions that count towards a score of one class, by cluster.

    Attributes
    ----------
    weights : ndarray of shape (n_rows,)
        Number of identical clusters.
    rows, hits : ndarray of shape (n_rows, n_classifiers)
        Predictions of each classifier that count, and those of them with the outcome: for
        precision, predictions of the class, and those of them that are correct.
    """

    weights: IntArray
    rows: IntArray
    hits: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ClassMoments:
    """First and second moments of rows and hits over the clusters.

    Every Wald and score test of shares of clustered predictions is a function of them. The
    leading axes, if there are any, are classes.

    Attributes
    ----------
    rows, hits : ndarray of shape (..., n_classifiers)
        Predictions that count, and those of them with the outcome.
    rr, rh, hh : ndarray of shape (..., n_classifiers, n_classifiers)
        Sums over the clusters of products: of rows with rows, of the rows of the first
        with the hits of the second classifier, and of hits with hits.
    """

    rows: IntArray
    hits: IntArray
    rr: IntArray
    rh: IntArray
    hh: IntArray

    @property
    def shares(self) -> FloatArray:
        """Score of each classifier; NaN if none of the predictions counts."""
        defined = self.rows > 0
        return np.where(defined, self.hits / np.where(defined, self.rows, 1), np.nan)

    def swap(self) -> "ClassMoments":
        """Exchange the two classifiers."""
        parts = (part[..., ::-1, ::-1] for part in (self.rr, self.rh, self.hh))
        return ClassMoments(self.rows[..., ::-1], self.hits[..., ::-1], *parts)

    def __getitem__(self, index: Any) -> "ClassMoments":
        """Moments at an index of the leading axes."""
        parts = self.rows, self.hits, self.rr, self.rh, self.hh
        return ClassMoments(*(part[index] for part in parts))

    def chosen(self, classifiers: Any) -> "ClassMoments":
        """Moments of some of the classifiers of one class, in the given order.

        Rows of positions give moments with one entry for each row along the first axis.
        """
        at = np.asarray(classifiers)
        table = at[..., :, np.newaxis], at[..., np.newaxis, :]
        parts = (part[table] for part in (self.rr, self.rh, self.hh))
        return ClassMoments(self.rows[at], self.hits[at], *parts)

    def covariance(self, at: Any = None) -> FloatArray:
        """Compute the cluster-robust covariance of the shares, without small-sample factor.

        The sum over clusters of the outer products of ``(hits - p rows) / total rows``,
        the sandwich of a marginal model with a share for each classifier.

        Parameters
        ----------
        at : array-like of shape (..., n_classifiers), optional
            The shares p that residuals are taken from; the observed ones by default.

        Returns
        -------
        covariance : ndarray of shape (..., n_classifiers, n_classifiers)
            NaN for a classifier without predictions that count.
        """
        p = self.shares if at is None else np.asarray(at, dtype=np.float64)
        first, second = p[..., :, np.newaxis], p[..., np.newaxis, :]
        crossed = np.swapaxes(self.rh, -1, -2)
        sums = self.hh - first * self.rh - second * crossed + first * second * self.rr
        total = np.where(self.rows > 0, self.rows, np.nan)
        return sums / (total[..., :, np.newaxis] * total[..., np.newaxis, :])


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """Predictions of several classifiers, counted by cluster and class.

    A cluster is a record, or records that belong together, such as those of a patient, or a
    record with the predictions of all repetitions. Only classes that occur in a cluster
    have counts, so that a thousand classes fit.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    weights : ndarray of shape (n_rows,)
        Number of identical clusters.
    size : ndarray of shape (n_rows,)
        Predictions of each classifier for records of the cluster.
    position, row : ndarray of shape (n_counts,)
        Positions of the class and of the cluster that counts belong to, sorted.
    counts : ndarray of shape (n_counts, 1 + 2 * n_classifiers)
        Predictions for records of the class, then for each classifier its predictions of
        the class, and those that are correct.
    """

    classes: np.ndarray
    weights: IntArray
    size: IntArray
    position: IntArray
    row: IntArray
    counts: IntArray

    @classmethod
    def from_cells(
        cls,
        classes: np.ndarray,
        cells: IntArray,
        counts: IntArray,
        cluster: IntArray | None = None,
    ) -> "ClassRows":
        """Construct from cells of equal predictions, summed by cluster.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            Class labels.
        cells : ndarray of shape (n_cells, 1 + n_classifiers)
            Positions in `classes` of the truth and of each classifier's prediction.
        counts : ndarray of shape (n_cells,)
            Records in each cell.
        cluster : ndarray of shape (n_cells,), optional
            Position of the cluster of each cell; by default every record is a cluster.
        """
        n_rows = len(cells)
        weights, values = counts, np.ones_like(counts)
        if cluster is not None:
            n_rows = int(cluster.max()) + 1
            weights, values = np.ones(n_rows, dtype=np.int64), counts
        else:
            cluster = np.arange(n_rows)
        size = sums_of(cluster, values, n_rows)
        _check_countable(weights, size)
        pairs, inverse = np.unique(cells.T * n_rows + cluster, return_inverse=True)
        truth, *predictions = inverse.reshape(cells.T.shape)
        sums = np.zeros((len(pairs), 1 + 2 * len(predictions)), dtype=np.int64)
        np.add.at(sums[:, 0], truth, values)
        for k, prediction in enumerate(predictions):
            correct = prediction == truth
            np.add.at(sums[:, 1 + 2 * k], prediction, values)
            np.add.at(sums[:, 2 + 2 * k], truth[correct], values[correct])
        return cls(classes, weights, size, *np.divmod(pairs, n_rows), sums)

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return self.counts.shape[1] // 2

    def label_position(self, label: Any) -> int:
        """Return the position of a class."""
        positions = np.flatnonzero(self.classes == label)
        if np.ndim(label) or len(positions) != 1:
            raise ValueError(
                f"`label` must be one of the classes {some_of(self.classes)}. Got "
                f"{label!r}."
            )
        return int(positions[0])

    def of_class(self, label: Any, score: str = "precision") -> OutcomeRows:
        """Return the predictions that count towards a score of one class."""
        part = self._part(self.label_position(label))
        values = np.zeros((len(self.size), 1 + self.counts.shape[1]), dtype=np.int64)
        values[:, 0] = self.size
        values[self.row[part], 1:] = self.counts[part]
        rows, hits = np.split(_combinations(score, self.n_classifiers) @ values.T, 2)
        return OutcomeRows(self.weights, rows.T, hits.T)

    def moments(self, score: str = "precision", label: Any = None) -> ClassMoments:
        """Compute the moments of one class, or of all classes along the first axis."""
        if label is None:
            raw = [self._raw_moments(at) for at in range(len(self.classes))]
            first, second = (np.array(moments) for moments in zip(*raw, strict=True))
        else:
            first, second = self._raw_moments(self.label_position(label))
        # Clusters without counts of a class have a size.
        first[..., 0] = self.weights @ self.size
        second[..., 0, 0] = (self.weights * self.size) @ self.size
        parts = _combinations(score, self.n_classifiers)
        totals = first @ parts.T
        products = parts @ second @ parts.T
        k = self.n_classifiers
        return ClassMoments(
            totals[..., :k],
            totals[..., k:],
            products[..., :k, :k],
            products[..., :k, k:],
            products[..., k:, k:],
        )

    def influence_covariance(self, score: str, weight: FloatArray) -> FloatArray:
        """Covariance between classes of weighted sums of the classifiers' shares.

        Parameters
        ----------
        score : str
            One of `CLASS_SCORES`.
        weight : ndarray of shape (n_classes, n_classifiers)
            Weight of each share: (-1, 1) for the difference of two classifiers. A share
            without predictions that count adds nothing.

        Returns
        -------
        covariance : ndarray of shape (n_classes, n_classes)
        """
        moments = self.moments(score)
        parts = _combinations(score, self.n_classifiers)
        shares = np.nan_to_num(moments.shares)
        defined = moments.rows > 0
        factor = np.where(defined, weight / np.where(defined, moments.rows, 1), 0.0)
        k = self.n_classifiers
        # Influence of a cluster: a combination of its size and of its sums, class by class.
        loads = np.einsum("ck,kj->cj", factor, parts[k:]) - np.einsum(
            "ck,kj->cj", factor * shares, parts[:k]
        )
        influence = (loads[self.position, 1:] * self.counts).sum(axis=1)
        starts = np.searchsorted(self.position, np.arange(len(self.classes) + 1))
        shape = (len(self.size), len(self.classes))
        sparse: Any = csc_array((influence, self.row, starts), shape=shape)
        weighted: Any = csc_array(
            (influence * self.weights[self.row], self.row, starts), shape=shape
        )
        covariance = (sparse.T @ weighted).toarray()
        constant = loads[:, 0]
        if constant.any():
            edge = np.asarray(sparse.T @ (self.weights * self.size)).ravel()
            square = float(self.weights @ self.size.astype(np.float64) ** 2)
            covariance += np.outer(constant, edge) + np.outer(edge, constant)
            covariance += square * np.outer(constant, constant)
        return np.asarray(covariance)

    def informative_clusters(self, score: str) -> IntArray:
        """Count the clusters that enter the score of any classifier, by class."""
        by_prediction = score in ("precision", "negative_predictive_value")
        counted = self.counts[:, 1::2] if by_prediction else self.counts[:, :1]
        if score in ("precision", "recall"):
            return self._clusters_where((counted > 0).any(axis=1))
        # All predictions but those of the class count: none where all are of it.
        complete = (counted == self.size[self.row, np.newaxis]).all(axis=1)
        return self.weights.sum() - self._clusters_where(complete)

    def _clusters_where(self, condition: Any) -> IntArray:
        """Count the clusters whose counts satisfy a condition, by class."""
        weights = self.weights[self.row[condition]]
        return sums_of(self.position[condition], weights, len(self.classes))

    def _part(self, at: int) -> slice:
        """Return the place of the counts of the class at a position."""
        return slice(*np.searchsorted(self.position, [at, at + 1]))

    def _raw_moments(self, at: int) -> tuple[IntArray, IntArray]:
        """Sum the size and counts of the class at a position, and their products."""
        part = self._part(at)
        row = self.row[part]
        values = np.column_stack([self.size[row], self.counts[part]])
        weighted = values * self.weights[row, np.newaxis]
        return weighted.sum(axis=0), weighted.T @ values


def _check_countable(weights: IntArray, size: IntArray) -> None:
    """Raise an error if the sums of squares of clusters would overflow 64 bits."""
    if float(weights @ np.square(size, dtype=np.float64)) >= LARGEST_SUM:
        raise ValueError(
            "The squares of the predictions of each cluster must add up to less than "
            f"{LARGEST_SUM:.3g}. Got a cluster of {int(size.max()):,} predictions. Count "
            "fewer repetitions, or make smaller clusters."
        )


def _combinations(score: str, k: int) -> IntArray:
    """Return coefficients of the raw sums for the rows, then the hits, by classifier.

    The raw sums are those of size, truth, and predictions and correct predictions of each
    classifier: predictions of other classes, and records of others, are the rest of the
    size.
    """
    check_choice("score", score, CLASS_SCORES)
    size, truth = np.eye(2 + 2 * k, dtype=np.int64)[:2]
    rows, hits = [], []
    for i in range(k):
        predicted, correct = np.eye(2 + 2 * k, dtype=np.int64)[2 + 2 * i : 4 + 2 * i]
        of_class = score in ("precision", "recall")
        by_prediction = score in ("precision", "negative_predictive_value")
        counted = predicted if by_prediction else truth
        rows.append(counted if of_class else size - counted)
        hits.append(correct if of_class else size - predicted - truth + correct)
    return np.array(rows + hits)
