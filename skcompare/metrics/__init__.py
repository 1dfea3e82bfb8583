"""Metrics, measures and scorers."""

from skcompare._analysis.measures import (
    Measure,
    block_differences,
    resolve_scoring,
    score_differences,
    scored_pair,
)
from skcompare._registry.metrics import MetricEntry, metric, metrics
from skcompare.metrics._calibration import (
    ScoreDecomposition,
    calibration_curve,
    classwise_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
    score_decomposition,
    smooth_calibration_error,
    squared_calibration_error,
    sweep_calibration_error,
)
from skcompare.metrics._scores import (
    accuracy,
    binary_brier_loss,
    brier_skill_score,
    cost_weighted_loss,
    multiclass_brier_loss,
    negative_predictive_value,
    sensitivity,
    sensitivity_at_specificity,
    specificity,
    specificity_at_sensitivity,
    spherical_loss,
)
from skcompare.metrics.scorers._scorers import (
    CalibrationScorer,
    DeLongScorer,
    McNemarScorer,
    PairedScorer,
    PrecisionScorer,
    get_scorer,
    get_scorer_names,
    register_scorers,
)

__all__ = [
    "CalibrationScorer",
    "DeLongScorer",
    "McNemarScorer",
    "Measure",
    "MetricEntry",
    "PairedScorer",
    "PrecisionScorer",
    "ScoreDecomposition",
    "accuracy",
    "block_differences",
    "binary_brier_loss",
    "brier_skill_score",
    "calibration_curve",
    "classwise_calibration_error",
    "cost_weighted_loss",
    "expected_calibration_error",
    "get_scorer",
    "get_scorer_names",
    "maximum_calibration_error",
    "metric",
    "metrics",
    "multiclass_brier_loss",
    "negative_predictive_value",
    "register_scorers",
    "resolve_scoring",
    "score_decomposition",
    "score_differences",
    "scored_pair",
    "sensitivity",
    "sensitivity_at_specificity",
    "smooth_calibration_error",
    "specificity",
    "specificity_at_sensitivity",
    "spherical_loss",
    "squared_calibration_error",
    "sweep_calibration_error",
]

# `import skcompare` has made the names known; from here on they have their scorers.
register_scorers()
