"""Tests of any score on one test set: resampling, permutation and linearisation."""

from skcompare.stats.scores._confusion_scores import (
    BINARY_SCORES,
    COUNT_SCORES,
    count_score,
    range_of,
)
from skcompare.stats.scores._jackknife import jackknife_difference
from skcompare.stats.scores._permutation import permutation_difference
from skcompare.stats.scores._resampling import ResampledCounts, bootstrap_difference
from skcompare.stats.scores._score_difference import score_difference

__all__ = [
    "bootstrap_difference",
    "jackknife_difference",
    "permutation_difference",
    "score_difference",
]
