"""Estimators and functions that compare classifiers."""

from skcompare.comparators._compare import checked_names, compare, is_table
from skcompare.comparators._compare_cv_results import compare_cv_results
from skcompare.comparators._compare_scores import (
    MEAN_SCORE,
    compare_scores,
    item_tests,
    prepared_scores,
    size_text,
)
from skcompare.comparators._cross_compare import CrossComparison, cross_compare
from skcompare.comparators._multiple_comparator import MultipleComparator
from skcompare.comparators._out_of_core import COLLECTED, pair_on_engine
from skcompare.comparators._paired_comparator import PairedComparator
from skcompare.comparators._paired_estimator import PairedEstimator, make_paired_scorer
from skcompare.comparators._settings import installed_versions

__all__ = [
    "CrossComparison",
    "MultipleComparator",
    "PairedEstimator",
    "PairedComparator",
    "compare",
    "compare_cv_results",
    "compare_scores",
    "cross_compare",
    "make_paired_scorer",
]
