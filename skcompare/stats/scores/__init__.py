"""Tests of any score on one test set: resampling, permutation and linearisation."""

from skcompare.stats.scores._bootstrap import bootstrap_difference
from skcompare.stats.scores._confusion_scores import BINARY_SCORES as BINARY_SCORES
from skcompare.stats.scores._confusion_scores import COUNT_SCORES as COUNT_SCORES
from skcompare.stats.scores._confusion_scores import count_score as count_score
from skcompare.stats.scores._confusion_scores import range_of as range_of
from skcompare.stats.scores._jackknife import jackknife_difference
from skcompare.stats.scores._permutation import permutation_difference
from skcompare.stats.scores._resampling import ResampledCounts as ResampledCounts
from skcompare.stats.scores._score_difference import score_difference

__all__ = [
    "bootstrap_difference",
    "jackknife_difference",
    "permutation_difference",
    "score_difference",
]
