"""Estimators and functions that compare classifiers."""

from skcompare.comparators._comparators import MultipleComparator, PairedComparator
from skcompare.comparators._compare import (
    COLLECTED,
    check_collected,
    collected_arrays,
    compare,
    compare_cv_results,
    installed_versions,
    is_table,
    numbers_on_engine,
    pair_on_engine,
    size_in_time,
)
from skcompare.comparators._compare_scores import (
    MEAN_SCORE,
    compare_scores,
    item_tests,
    prepared_scores,
    size_text,
)
from skcompare.comparators._compare_seeds import compare_seeds
from skcompare.comparators._cross_compare import CrossComparison, cross_compare
from skcompare.comparators._paired_estimator import PairedEstimator, make_paired_scorer
from skcompare.comparators._role_names import check_role_names, checked_names

__all__ = [
    "CrossComparison",
    "MultipleComparator",
    "PairedEstimator",
    "PairedComparator",
    "compare",
    "compare_cv_results",
    "compare_scores",
    "compare_seeds",
    "cross_compare",
    "make_paired_scorer",
]
