"""Tests of records in time order, whose differences depend on earlier ones."""

from skcompare.stats.time._diebold_mariano import (
    FEWEST_HORIZONS,
    TimeSpread,
    spread_in_time,
)
from skcompare.stats.time._long_run_variance import FEWEST_COSINES, cosines_at
from skcompare.stats.time._serial_correlation import SerialCorrelation, correlation_in_order
