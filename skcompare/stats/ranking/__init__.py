"""Tests of areas under ROC curves."""

from skcompare.stats.ranking._delong import role_limits
from skcompare.stats.ranking._roc_band import MOST_RATES, curves_at, range_text
