"""Whether one classifier is really better than another.

:class:`PairedComparator` compares two scikit-learn classifiers by a valid test,
:class:`MultipleComparator` several of them, and :func:`compare` answers that exist already.
"""

__version__ = "0.1.0.dev0"

from skcompare.comparators import (
    MultipleComparator,
    PairedClassifier,
    PairedComparator,
    compare,
    compare_cv_results,
    cross_compare,
    make_paired_scorer,
)
from skcompare.model_selection import BlockRegularized5x2CV, BlockRegularizedMx2CV
from skcompare.reports import Comparison, MultipleComparison

__all__ = [
    "BlockRegularized5x2CV",
    "BlockRegularizedMx2CV",
    "Comparison",
    "MultipleComparison",
    "MultipleComparator",
    "PairedClassifier",
    "PairedComparator",
    "__version__",
    "compare",
    "compare_cv_results",
    "cross_compare",
    "make_paired_scorer",
]
