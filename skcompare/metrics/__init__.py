"""What is measured, and how reports and scorers ask for it."""

from skcompare._registry.metrics import MetricEntry, metric, metrics
from skcompare.metrics._block_differences import block_differences
from skcompare.metrics._calibration import (
    classwise_calibration_error,
    expected_calibration_error,
    maximum_calibration_error,
    squared_calibration_error,
)
from skcompare.metrics._calibration_curve import (
    calibration_curve,
    sweep_calibration_error,
)
from skcompare.metrics._calibration_scorer import CalibrationScorer
from skcompare.metrics._decomposition import (
    ScoreDecomposition,
    score_decomposition,
)
from skcompare.metrics._delong_scorer import DeLongScorer
from skcompare.metrics._labels import (
    accuracy,
    negative_predictive_value,
    sensitivity,
    specificity,
)
from skcompare.metrics._losses import (
    brier_loss,
    brier_skill_score,
    cost_weighted_loss,
    spherical_loss,
)
from skcompare.metrics._mcnemar_scorer import McNemarScorer
from skcompare.metrics._measures import Measure, resolve_scoring
from skcompare.metrics._operating_points import (
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from skcompare.metrics._paired_scorer import PairedScorer
from skcompare.metrics._precision_scorer import PrecisionScorer
from skcompare.metrics._probabilities import multiclass_brier_loss
from skcompare.metrics._scored_pair import scored_pair
from skcompare.metrics._scorers import get_scorer, get_scorer_names, register_scorers
from skcompare.metrics._scores import score_differences
from skcompare.metrics._smooth_calibration import smooth_calibration_error

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
    "brier_loss",
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
