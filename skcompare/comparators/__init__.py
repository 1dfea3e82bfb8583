"""scikit-learn estimators that compare classifiers, and functions that do so at once."""

from skcompare.comparators._compare import compare
from skcompare.comparators._compare_cv_results import compare_cv_results
from skcompare.comparators._compare_scores import compare_scores
from skcompare.comparators._cross_compare import cross_compare
from skcompare.comparators._cross_comparison import CrossComparison
from skcompare.comparators._multiple import MultipleComparator
from skcompare.comparators._pair import PairedClassifier
from skcompare.comparators._pair_scorer import make_paired_scorer
from skcompare.comparators._paired import PairedComparator

__all__ = [
    "CrossComparison",
    "MultipleComparator",
    "PairedClassifier",
    "PairedComparator",
    "compare",
    "compare_cv_results",
    "compare_scores",
    "cross_compare",
    "make_paired_scorer",
]
