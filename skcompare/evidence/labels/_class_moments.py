"""Sums over clusters by class, for tests of precision and related scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse import csc_array

from skcompare._core.validation import check_choice, some_of
from skcompare._typing import FloatArray, IntArray

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

    def chosen(self, classifiers: Any) -> "ClassMoments":
        """Moments of some of the classifiers of one class, in the given order."""
        table = np.ix_(classifiers, classifiers)
        parts = (part[table] for part in (self.rr, self.rh, self.hh))
        return ClassMoments(self.rows[classifiers], self.hits[classifiers], *parts)

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
    record with the predictions of all repetitions. Only counts above 0 are kept, so that a
    thousand classes fit.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    weights : ndarray of shape (n_rows,)
        Number of identical clusters.
    size : ndarray of shape (n_rows,)
        Predictions of each classifier for records of the cluster.
    truth : csc_array of shape (n_rows, n_classes)
        Of these, predictions for records of each class.
    predicted, right : tuple of csc_array of shape (n_rows, n_classes)
        One per classifier: predictions of each class, and those that are correct.
    """

    classes: np.ndarray
    weights: IntArray
    size: IntArray
    truth: Any
    predicted: tuple[Any, ...]
    right: tuple[Any, ...]

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
        shape = (n_rows, len(classes))

        def sums(column: IntArray, kept: Any = slice(None)) -> Any:
            where = (cluster[kept], column[kept])
            return csc_array((values[kept].astype(np.int64), where), shape=shape)

        truth, *predictions = cells.T
        size = np.zeros(n_rows, dtype=np.int64)
        np.add.at(size, cluster, values)
        _check_countable(weights, size)
        return cls(
            classes,
            weights,
            size,
            sums(truth),
            tuple(sums(prediction) for prediction in predictions),
            tuple(sums(prediction, prediction == truth) for prediction in predictions),
        )

    @property
    def n_classifiers(self) -> int:
        """Number of classifiers."""
        return len(self.predicted)

    def position(self, label: Any) -> int:
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
        check_choice("score", score, CLASS_SCORES)
        values = self._of_position(self.position(label))
        rows, hits = np.split(_combinations(score, self.n_classifiers) @ values, 2)
        return OutcomeRows(self.weights, rows.T, hits.T)

    def moments(self, score: str = "precision", label: Any = None) -> ClassMoments:
        """Compute the moments of one class, or of all classes along the first axis."""
        check_choice("score", score, CLASS_SCORES)
        if label is None:
            first, second = _raw_moments(self._matrices(), self.weights, self.size)
        else:
            values = self._of_position(self.position(label))
            weighted = values * self.weights
            first, second = weighted.sum(axis=1), weighted @ values.T
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
        check_choice("score", score, CLASS_SCORES)
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
        sparse: Any = csc_array(self.truth.shape, dtype=np.float64)
        for load, matrix in zip(loads.T[1:], self._matrices(), strict=True):
            if load.any():
                sparse = sparse + matrix.multiply(load[np.newaxis, :])
        constant = loads[:, 0]
        weighted = sparse.multiply(self.weights[:, np.newaxis])
        covariance = (sparse.T @ weighted).toarray()
        if constant.any():
            edge = np.asarray(sparse.T @ (self.weights * self.size)).ravel()
            square = float(self.weights @ self.size.astype(np.float64) ** 2)
            covariance += np.outer(constant, edge) + np.outer(edge, constant)
            covariance += square * np.outer(constant, constant)
        return np.asarray(covariance)

    def _of_position(self, at: int) -> IntArray:
        """Return the sizes and the sums of one class, of shape (n_sums, n_rows)."""
        values = np.zeros((2 + 2 * self.n_classifiers, len(self.size)), dtype=np.int64)
        values[0] = self.size
        for column, matrix in zip(values[1:], self._matrices(), strict=True):
            # Indexing a sparse matrix takes far longer than reading its few numbers.
            part = slice(matrix.indptr[at], matrix.indptr[at + 1])
            column[matrix.indices[part]] = matrix.data[part]
        return values

    def _matrices(self) -> list[Any]:
        """Matrices of truth, then of predictions and correct predictions by classifier."""
        pairs = zip(self.predicted, self.right, strict=True)
        return [self.truth, *(matrix for pair in pairs for matrix in pair)]


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


def _raw_moments(
    matrices: Sequence[Any], weights: IntArray, size: IntArray
) -> tuple[IntArray, IntArray]:
    """Compute sums and sums of products of the size and the matrices, by class."""
    n_classes, width = matrices[0].shape[1], 1 + len(matrices)
    first = np.empty((n_classes, width), dtype=np.int64)
    second = np.empty((n_classes, width, width), dtype=np.int64)
    sized = weights * size
    first[:, 0] = sized.sum()
    second[:, 0, 0] = sized @ size
    for i, matrix in enumerate(matrices, 1):
        first[:, i] = matrix.T @ weights
        second[:, i, 0] = second[:, 0, i] = matrix.T @ sized
        for j, earlier in enumerate(matrices[:i], 1):
            second[:, i, j] = second[:, j, i] = matrix.multiply(earlier).T @ weights
    return first, second
