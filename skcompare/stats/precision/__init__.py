"""Tests of precision and of other shares of predictions."""

from skcompare.stats.precision._combine_pvalues import (
    CombinedPvalue,
    lancaster_correlated,
    simes,
)
from skcompare.stats.precision._precision_classes import (
    PrecisionByClass,
    precision_by_class,
)
from skcompare.stats.precision._precision_global import (
    precision_joint,
    precision_lancaster,
    precision_simes,
)
from skcompare.stats.precision._precision_tests import (
    clustered_precision,
    gee_precision,
    precision_both_scores,
    precision_difference,
    precision_score,
    precision_wald,
    precision_weighted_score,
    relative_precision,
)
from skcompare.stats.precision._updated_precision import updated_precision

__all__ = [
    "CombinedPvalue",
    "PrecisionByClass",
    "clustered_precision",
    "gee_precision",
    "lancaster_correlated",
    "precision_both_scores",
    "precision_by_class",
    "precision_difference",
    "precision_joint",
    "precision_lancaster",
    "precision_score",
    "precision_simes",
    "precision_wald",
    "precision_weighted_score",
    "relative_precision",
    "simes",
    "updated_precision",
]
