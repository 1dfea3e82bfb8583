"""Tests of areas under ROC curves."""

from skcompare.stats.ranking._clustered_delong import clustered_delong
from skcompare.stats.ranking._delong import AUCInterval, auc_interval, delong
from skcompare.stats.ranking._delong_joint import auc_contrast, delong_joint
from skcompare.stats.ranking._delong_ovo import delong_ovo
from skcompare.stats.ranking._delong_ovr import delong_classes, delong_ovr
from skcompare.stats.ranking._placement_moments import role_limits
from skcompare.stats.ranking._roc_band import (
    MOST_RATES,
    RocDifferenceBand,
    range_text,
    roc_difference_band,
    usual_rates,
)
from skcompare.stats.ranking._roc_curves import RocCurve, Rows
from skcompare.stats.ranking._unpaired_delong import unpaired_delong

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
