"""Values of measures without skill: of classifiers that look at no feature."""

from typing import Any

import numpy as np

from skcompare._flags import register_flag
from skcompare._validation import positive_class
from skcompare.metrics._measures import Measure
from skcompare.predictions import Predictions

__all__ = ["WORSE_THAN_NO_SKILL", "no_skill_flags", "value_without_skill"]

WORSE_THAN_NO_SKILL = register_flag(
    "worse-than-no-skill",
    "worse than a classifier without skill (that always gives the commonest class, ranks "
    "at random, or gives everybody the shares of the classes): columns, classes or the "
    "direction of scores may be reversed; check `pos_label`, and that labels and answers "
    "are of the same records",
)


def value_without_skill(
    measure: Measure | None, predictions: Predictions, pos_label: Any = None
) -> float | None:
    """The value of a classifier that looks at no feature, where that is known.

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
    if name == "brier_loss":
        return float(shares.prod()) if len(shares) == 2 else None
    if name in ("multiclass_brier_loss", "brier_score"):
        return float(1 - (shares**2).sum())
    if name == "log_loss":
        return float(-(shares * np.log(shares)).sum())
    if name == "average_precision" and len(shares) == 2:
        positive = positive_class(predictions.classes, pos_label)
        return float(of_class[predictions.classes == positive][0])
    return None


def no_skill_flags(
    measure: Measure,
    predictions: Predictions,
    values: tuple[float | None, float | None],
    pos_label: Any = None,
) -> tuple[str, ...]:
    """The flag of two values that are both worse than without skill."""
    if predictions.y is None:
        return ()
    least = value_without_skill(measure, predictions, pos_label)
    if least is None:
        return ()
    sign = 1 if measure.greater_is_better else -1
    # A negated loss is greater where it is better.
    least = -least if str(measure.metric).startswith("neg_") else least
    are_worse = (value is not None and sign * value < sign * least for value in values)
    return (WORSE_THAN_NO_SKILL,) * all(are_worse)
