"""Tests of areas under ROC curves."""

from skcompare.stats.ranking._clustered_delong import clustered_delong
from skcompare.stats.ranking._delong import (
    AUCInterval,
    auc_interval,
    delong,
    role_limits,
    unpaired_delong,
)
from skcompare.stats.ranking._delong_joint import auc_contrast, delong_joint
from skcompare.stats.ranking._multiclass_auc import delong_classes, delong_ovo, delong_ovr
from skcompare.stats.ranking._roc_band import (
    MOST_RATES,
    RocCurve,
    RocDifferenceBand,
    Rows,
    range_text,
    roc_difference_band,
    usual_rates,
)

__all__ = [
    "AUCInterval",
    "RocDifferenceBand",
    "auc_contrast",
    "auc_interval",
    "clustered_delong",
    "delong",
    "delong_classes",
    "delong_joint",
    "delong_ovo",
    "delong_ovr",
    "roc_difference_band",
    "unpaired_delong",
]
