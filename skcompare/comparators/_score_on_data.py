"""Scores of fitted classifiers on real records, by any measure of a comparison."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from skcompare._core.labels import check_labels
from skcompare.metrics import Measure, Watch, class_order, one_score, stored_part
from skcompare.predictions import Predictions, collect_fitted, one_class_of


def scores_of(
    predictions: Predictions, measure: Measure, X: Any, pos_label: Any = None
) -> tuple[list[float], Watch]:
    """The score of every classifier on one test set; NaN where it is undefined.

    A custom scorer sees stored answers and the records as they are.
    """
    if measure.label is not None:
        position = measure.position(predictions.classes)
        predictions, pos_label = one_class_of(predictions, position), True
    classes, order = class_order(predictions.classes, pos_label)
    y = classes[order[predictions.y_answered()]]
    everything, watch = slice(0, predictions.n_records), Watch()
    scores = []
    for answers in predictions.answers:
        stored = stored_part(answers, everything, classes, order)
        scores.append(one_score(measure, answers.name, stored, X, y, watch))
    return scores, watch


def told(measure: Measure, scores: list[float], watch: Watch) -> list[float]:
    """The scores, with a warning where one is undefined or its scorer has warned."""
    if not np.isfinite(scores).all():
        why = "" if watch.error is None else f": {watch.error}"
        warnings.warn(
            f"scoring {measure.subject!r} is undefined on this test set, and is set to "
            f"NaN{why}",
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
    """A measure of one class against the rest as a scorer of scikit-learn.

    Parameters
    ----------
    measure : Measure
        One with a class in brackets, of which more is better.
    """

    measure: Measure

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """The score of a fitted classifier; NaN, with a warning, where it is undefined."""
        predictions = collect_fitted(
            [("the classifier", estimator)],
            X,
            check_labels("y", y),
            wanted=self.measure.wanted,
        )
        return told(self.measure, *scores_of(predictions, self.measure, X))[0]

    def get_metadata_routing(self) -> MetadataRequest:
        """Nothing beside records and labels."""
        return MetadataRequest(owner=repr(self.measure.subject))

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer among several, with routing off.
        return False
