"""Whether one classifier is really better than another.

:class:`PairedComparator` compares two scikit-learn classifiers by a valid test, and
:func:`compare` compares answers that exist already.
"""

__version__ = "0.1.0.dev0"

from skcompare.comparators import PairedComparator, compare
from skcompare.model_selection import BlockRegularized5x2CV, BlockRegularizedMx2CV
from skcompare.reports import Comparison, MultipleComparison

__all__ = [
    "BlockRegularized5x2CV",
    "BlockRegularizedMx2CV",
    "Comparison",
    "MultipleComparison",
    "PairedComparator",
    "__version__",
    "compare",
]
