"""Scores of fitted classifiers on new records, by any measure of a comparison."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from skcompare._analysis.measures import Measure, Watch, score_of_part
from skcompare._core.validation import check_labels
from skcompare.predictions import Predictions, collect_fitted, one_class_of


def scores_of(
    predictions: Predictions, measure: Measure, X: Any, pos_label: Any = None
) -> tuple[list[float], Watch]:
    """Return the score of each classifier on one test set, with NaN for undefined scores.

    A custom scorer sees stored predictions and the records as they are.
    """
    if measure.label is not None:
        position = measure.position(predictions.classes)
        predictions, pos_label = one_class_of(predictions, position), True
    everything, watch = slice(0, predictions.n_records), Watch()
    scores = [
        score_of_part(predictions, role, measure, pos_label, everything, watch, X)
        for role in predictions.estimators
    ]
    return scores, watch


def checked_scores(measure: Measure, scores: list[float], watch: Watch) -> list[float]:
    """Warn if a score is undefined or its scorer has warned, and return the scores."""
    if not np.isfinite(scores).all():
        reason = "" if watch.error is None else f": {watch.error}"
        warnings.warn(
            f"scoring {measure.subject!r} is undefined on this test set, and is set to "
            f"NaN{reason}",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    elif watch.warned:
        warnings.warn(
            f"The scorer of {measure.subject!r} warned about this test set. Call it alone "
            "on these records to see of what.",
            UserWarning,
            stacklevel=4,
        )
    return scores


@dataclass(frozen=True)
class ClassScorer:
    """Scorer for scikit-learn by a measure of one class against the rest.

    Parameters
    ----------
    measure : Measure
        A measure with a class in brackets; greater is better.
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the score of a fitted classifier, or NaN with a warning if undefined."""
        predictions = collect_fitted(
            [("the classifier", estimator)],
            X,
            check_labels("y", y),
            required=self.measure.required,
        )
        return checked_scores(self.measure, *scores_of(predictions, self.measure, X))[0]

    def get_metadata_routing(self) -> MetadataRequest:
        """Return an empty metadata request."""
        return MetadataRequest(owner=repr(self.measure.subject))

    def _accept_sample_weight(self) -> bool:
        # scikit-learn calls this for each of several scorers, with routing off.
        return False
