"""Tests of any score on one test set: resampling, permutation and linearisation."""

from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    count_score,
    range_of,
)
from skcompare.stats.scores._resampling import ResampledCounts
