"""Values of measures for classifiers without skill, which use no feature."""

from typing import Any

import numpy as np

from skcompare._analysis.measures._measures import Measure
from skcompare._core.validation import positive_class
from skcompare._typing import IntArray
from skcompare.predictions import (
    LABELS,
    EstimatorPredictions,
    PairedPredictions,
    Predictions,
)

WORSE_THAN_NO_SKILL = "worse-than-no-skill"


def value_without_skill(
    measure: Measure | None, predictions: Predictions, pos_label: Any = None
) -> float | None:
    """Value of a measure for a classifier that uses no feature, or None if unknown.

    Of a negated loss it is the loss, and of an average precision the share of the
    positive class, which `pos_label` names.
    """
    if measure is None or measure.metric is None or measure.label is not None:
        return None
    counts = predictions.class_counts()
    if not counts.sum():
        return None
    of_class = counts / counts.sum()
    shares = of_class[of_class > 0]
    name = measure.metric.removeprefix("neg_")
    if name == "accuracy":
        return float(shares.max())
    if name == "balanced_accuracy":
        return 1 / len(shares)
    if name.startswith("roc_auc"):
        return 0.5
    if name == "matthews_corrcoef":
        return 0.0
    if name == "binary_brier_loss":
        return float(shares.prod()) if len(shares) == 2 else None
    if name in ("multiclass_brier_loss", "brier_score"):
        return float(1 - (shares**2).sum())
    if name == "log_loss":
        return float(-(shares * np.log(shares)).sum())
    if name == "average_precision" and len(shares) == 2:
        positive = positive_class(predictions.classes, pos_label)
        return float(of_class[predictions.classes == positive][0])
    return None


def is_worse_than_no_skill(
    measure: Measure | None,
    predictions: Predictions,
    role: EstimatorPredictions,
    value: float | None,
    greater_is_better: bool,
    pos_label: Any = None,
) -> bool:
    """Whether a classifier's score and predictions are worse than those without skill.

    Scores alone do not show it: a classifier that weighs rare classes has a lower accuracy
    than the share of the most common class, and an overconfident one a larger loss than
    the shares of the classes. Columns or classes are reversed where its predictions also
    agree with the truth less than by chance.

    Parameters
    ----------
    measure : Measure or None
        The measure of the score.
    predictions : Predictions
        With the true labels.
    role : EstimatorPredictions
        Predictions of the classifier.
    value : float or None
        Its score, which may be a loss, or a negated one.
    greater_is_better : bool
        Whether it is a score, where the greater is better, and not a loss.
    pos_label : label, optional
        The positive one of two classes.
    """
    if predictions.y is None and predictions.tally is None:
        return False
    least = value_without_skill(measure, predictions, pos_label)
    if measure is None or least is None or value is None:
        return False
    if greater_is_better and str(measure.metric).startswith("neg_"):
        least = -least
    is_worse = value < least if greater_is_better else value > least
    return is_worse and not _agrees_more_than_by_chance(
        predictions, role, measure.required == {LABELS}
    )


def are_worse_than_no_skill(
    measure: Measure | None,
    pair: PairedPredictions,
    values: tuple[float | None, float | None],
    greater_is_better: bool,
    pos_label: Any = None,
) -> list[bool]:
    """Whether champion and challenger are each worse than a classifier without skill."""
    return [
        is_worse_than_no_skill(
            measure, pair.predictions, role, value, greater_is_better, pos_label
        )
        for role, value in zip(pair.roles, values, strict=True)
    ]


def _agrees_more_than_by_chance(
    predictions: Predictions, classifier: EstimatorPredictions, by_labels: bool
) -> bool:
    """Whether labels or probabilities agree with the truth more than by chance."""
    # As in Cohen's kappa.
    n_classes = len(predictions.classes)
    if predictions.tally is not None:
        k = [role.name for role in predictions.estimators].index(classifier.name)
        cells = predictions.tally.cells(["y", f"label_{k}"])
        y, labels = cells.keys["y"], cells.keys[f"label_{k}"]
        return _labels_agree(y, labels, cells.counts, n_classes)
    y = predictions.y_predicted().astype(np.intp)
    if classifier.labels is not None and (by_labels or classifier.proba is None):
        return _labels_agree(y, classifier.labels, np.ones(len(y)), n_classes)
    if classifier.proba is None:
        return False
    true_proba = np.take_along_axis(classifier.proba, y[:, np.newaxis], axis=1)
    shares = np.bincount(y, minlength=n_classes) / len(y)
    return bool(true_proba.mean() >= shares @ classifier.proba.mean(axis=0))


def _labels_agree(y: IntArray, labels: IntArray, counts: Any, n_classes: int) -> bool:
    """Whether labels agree with the truth at least as often as by chance."""
    n = counts.sum()
    true, predicted = (np.bincount(a, counts, n_classes) / n for a in (y, labels))
    return bool(counts[y == labels].sum() / n >= true @ predicted)
