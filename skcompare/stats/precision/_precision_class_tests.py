"""Tests of one class against the rest, for all classes at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from skcompare._core.validation import check_choice
from skcompare._typing import FloatArray, IntArray
from skcompare.evidence import ClassMoments, ClassRows
from skcompare.stats.core._tails import normal_pvalue
from skcompare.stats.core._target_class import FEW_CLUSTERS, FEW_INFORMATIVE, NO_PREDICTIONS
from skcompare.stats.core._wald import ZERO_VARIANCE
from skcompare.stats.precision._gee_model import BOUNDARY
from skcompare.stats.precision._precision_statistics import (
    Contrast,
    both_scores,
    generalized_score,
    has_predictions,
    log_odds_contrast,
    log_ratio_contrast,
    predicted_alike,
    share_contrast,
    weighted_generalized_score,
)

CLASS_TESTS: dict[str, Callable[[ClassMoments], Contrast]] = {
    "both scores": both_scores,
    "weighted score": weighted_generalized_score,
    "score": generalized_score,
    "wald": log_odds_contrast,
    "difference": share_contrast,
    "relative": log_ratio_contrast,
}
"""Tests of one class by name, two-sided."""

SCORE_TESTS = ("both scores", "weighted score", "score")

OF_RECORDS = ("both scores", "weighted score")
"""Tests that take the predictions of one classifier as independent."""

LEFT_OUT = "unpredicted-classes"


def class_test(test: str, rows: ClassRows) -> str:
    """Resolve the name of the class tests, and check that the clusters allow the test."""
    check_choice("test", test, ("auto", *CLASS_TESTS))
    repeated = bool((rows.size > 1).any())
    if test == "auto":
        return "score" if repeated else "both scores"
    if repeated and test in OF_RECORDS:
        raise ValueError(
            f"test={test!r} takes the predictions of one classifier as independent. Got up "
            f"to {rows.size.max()} in a cluster. Use test='score'."
        )
    return test


class Significance:
    """Tests of all classes with their p-values.

    Attributes
    ----------
    contrast : Contrast
    statistic, pvalue, log_pvalue : ndarray of shape (n_classes,)
        The statistic is chi-squared with one degree of freedom.
    known : ndarray of shape (n_classes,)
        Whether both classifiers have a prediction that counts.
    alike : ndarray of shape (n_classes,)
        Whether both have the same predictions in every cluster.
    degenerate : ndarray of shape (n_classes,)
        Whether there is no difference and no variation.
    """

    def __init__(self, moments: ClassMoments, test: str, alternative: str) -> None:
        if test == "both scores":
            contrast = both_scores(moments, alternative)
        else:
            contrast = CLASS_TESTS[test](moments)
        self.test, self.moments, self.contrast = test, moments, contrast
        self.known = has_predictions(moments)
        self.alike = predicted_alike(moments)
        no_variation = (contrast.variance == 0) | np.isnan(contrast.estimate)
        self.degenerate = self.alike | ((contrast.root == 0) & no_variation)
        roots = np.where(self.degenerate, 0.0, contrast.root)
        self.statistic: FloatArray = np.square(roots)
        tails = [
            (1.0, 0.0) if degenerate else _tail(root, alternative)
            for root, degenerate in zip(
                roots.tolist(), self.degenerate.tolist(), strict=True
            )
        ]
        self.pvalue, self.log_pvalue = np.array(tails).T.copy()

    @property
    def boundary(self) -> Any:
        """Whether the test of each class has an infinite logarithm."""
        return at_boundary(self.moments, self.test)

    def flags(self, informative: IntArray) -> tuple[tuple[str, ...], ...]:
        """Return the codes of the caveats of each class, as in the tests of one class."""
        defined = self.known & ~self.boundary
        infinite = defined & np.isinf(self.contrast.root)
        few = defined & ~infinite & ~self.degenerate & (informative < FEW_INFORMATIVE)
        columns = {
            "degenerate": self.degenerate,
            NO_PREDICTIONS: ~self.known,
            BOUNDARY: self.known & ~defined,
            ZERO_VARIANCE: infinite & ~self.degenerate,
            FEW_CLUSTERS: few,
        }
        rows = np.array(list(columns.values())).T.tolist()
        return tuple(
            tuple(code for code, holds in zip(columns, row, strict=True) if holds)
            for row in rows
        )


def at_boundary(moments: ClassMoments, test: str) -> Any:
    """Whether the test takes the logarithm of a share of 0, or of the odds of 0 or 1."""
    if test not in ("wald", "relative"):
        return np.zeros(moments.rows.shape[:-1], dtype=bool)
    no_hits = moments.hits == 0
    all_hits = moments.hits == moments.rows
    return (no_hits | all_hits if test == "wald" else no_hits).any(axis=-1)


def _tail(root: float, alternative: str) -> tuple[float, float]:
    if math.isfinite(root):
        return normal_pvalue(root, alternative)
    return math.nan, math.nan


def informative_clusters(rows: ClassRows, score: str) -> IntArray:
    """Number of clusters that enter the score of either classifier, by class."""
    by_prediction = score in ("precision", "negative_predictive_value")
    counted = rows.predicted if by_prediction else (rows.truth,)
    if score in ("precision", "recall"):
        present = counted[0].astype(bool)
        for matrix in counted[1:]:
            present = present + matrix.astype(bool)
        return np.asarray(present.T.astype(np.int64) @ rows.weights)
    # All predictions but those of the class count: there are none where all are of it.
    all_of_class = None
    for matrix in counted:
        complete = matrix.tocoo()
        complete.data = (complete.data == rows.size[complete.row]).astype(np.int64)
        all_of_class = (
            complete.tocsc()
            if all_of_class is None
            else all_of_class.multiply(complete.tocsc())
        )
    return np.asarray(rows.weights.sum() - all_of_class.T @ rows.weights)  # type: ignore[union-attr]
