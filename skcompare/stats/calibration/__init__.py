"""Tests of calibration, for one classifier or for two."""

from skcompare.stats.calibration._squared_errors import (
    record_influences,
    role_sums,
    squared_errors,
)
