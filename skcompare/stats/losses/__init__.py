"""Tests of mean losses per record, and bands of their differences."""

from skcompare.stats.losses._bands import (
    RangeMeans,
    means_by_range,
    quantile_band,
    range_limits,
)
