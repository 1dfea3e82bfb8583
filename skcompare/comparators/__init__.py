"""scikit-learn estimators that compare classifiers, and functions that do so at once."""

from skcompare.comparators._compare import compare
from skcompare.comparators._paired import PairedComparator

__all__ = ["PairedComparator", "compare"]
