"""Comparisons of what other packages keep: runs and models of MLflow, reports of skore."""

from skcompare.integrations._mlflow import (
    compare_mlflow_models,
    compare_mlflow_runs,
    log_to_mlflow,
)
from skcompare.integrations._skore import compare_skore_reports

__all__ = [
    "compare_mlflow_models",
    "compare_mlflow_runs",
    "compare_skore_reports",
    "log_to_mlflow",
]
