"""What is measured, and how reports and scorers ask for it."""

from skcompare._registry import MetricEntry, metric, metrics
from skcompare.metrics._labels import accuracy, sensitivity, specificity
from skcompare.metrics._measures import Measure, resolve_scoring
from skcompare.metrics._probabilities import multiclass_brier_loss
from skcompare.metrics._scores import score_differences

__all__ = [
    "Measure",
    "MetricEntry",
    "accuracy",
    "metric",
    "metrics",
    "multiclass_brier_loss",
    "resolve_scoring",
    "score_differences",
    "sensitivity",
    "specificity",
]
