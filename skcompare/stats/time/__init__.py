"""Tests of records in time order, whose differences depend on earlier ones."""

from skcompare.stats.time._serial_correlation import SerialCorrelation, correlation_in_order
