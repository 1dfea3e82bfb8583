"""The least and the greatest value of a measure, by its name."""

import math

from skcompare._registry.losses import loss_of

ONE = frozenset(
    {
        "accuracy",
        "balanced_accuracy",
        "roc_auc",
        "average_precision",
        "f1",
        "precision",
        "recall",
        "jaccard",
        "sensitivity",
        "specificity",
        "negative_predictive_value",
        "squared_calibration_error",
        "roc_auc_ovo",
        "roc_auc_ovr",
        "roc_auc_ovo_weighted",
        "roc_auc_ovr_weighted",
        "cohen_kappa",
    }
)
"""Measures between 0 and 1, but for their ending "_macro", "_micro" or "_weighted"."""

TWO = frozenset({"matthews_corrcoef"})
"""Measures between -1 and 1."""


def range_of(name: str | None) -> tuple[float, float]:
    """The least and the greatest value of a measure; infinite where that is not known.

    Parameters
    ----------
    name : str or None
        Name of a metric or of a scorer; None where there is none.
    """
    if name is None:
        return -math.inf, math.inf
    whole = name
    name = name.removeprefix("neg_")
    for ending in ("_macro", "_micro", "_weighted"):
        name = name if name in ONE else name.removesuffix(ending)
    if name in TWO:
        return -1.0, 1.0
    if name in ONE:
        return 0.0, 1.0
    loss = loss_of(whole)
    if loss is not None and loss.bound is not None:
        return 0.0, float(loss.bound)
    return -math.inf, math.inf
