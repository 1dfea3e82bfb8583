"""What a classifier reaches that looks at no feature."""

import numpy as np

from skcompare._flags import register_flag
from skcompare.metrics._measures import Measure
from skcompare.predictions import Predictions

__all__ = ["WORSE_THAN_NO_SKILL", "is_worse_than_no_skill", "value_without_skill"]

WORSE_THAN_NO_SKILL = register_flag(
    "worse-than-no-skill",
    "worse than a classifier without skill (that always gives the commonest class, ranks "
    "at random, or gives everybody the shares of the classes): columns, classes or the "
    "direction of scores may be reversed; check `pos_label`, and that labels and answers "
    "are of the same records",
)


def value_without_skill(measure: Measure | None, predictions: Predictions) -> float | None:
    """What a classifier that looks at no feature reaches, where that is known.

    Of a negated loss it is the loss.
    """
    if measure is None or measure.metric is None or measure.label is not None:
        return None
    counts = predictions.class_counts()
    if not counts.sum():
        return None
    shares = counts / counts.sum()
    shares = shares[shares > 0]
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
        return float(shares[-1])
    return None


def is_worse_than_no_skill(
    measure: Measure, predictions: Predictions, value: float | None
) -> bool:
    """Whether a value of a measure is known to be worse than without skill."""
    least = value_without_skill(measure, predictions)
    if least is None or value is None:
        return False
    least = -least if str(measure.metric).startswith("neg_") else least
    return value < least if measure.greater_is_better else value > least
