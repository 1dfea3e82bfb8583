"""Tests of calibration, for one classifier or for two."""

from skcompare.stats.calibration._calibration_difference import calibration_difference
from skcompare.stats.calibration._calibration_tests import (
    CalibrationConsistency,
    CalibrationTestResult,
    calibration_consistency,
    calibration_cusum,
    spiegelhalter,
)
from skcompare.stats.calibration._squared_errors import (
    record_influences,
    role_sums,
    squared_errors,
)

__all__ = [
    "CalibrationConsistency",
    "CalibrationTestResult",
    "calibration_consistency",
    "calibration_cusum",
    "calibration_difference",
    "spiegelhalter",
]
