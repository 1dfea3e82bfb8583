"""Comparison of classifiers and of regressors: is one really better than another?

:class:`PairedComparator` compares two scikit-learn estimators by a valid test,
:class:`MultipleComparator` several of them, and :func:`compare` existing predictions.
"""

from collections.abc import Callable as _Callable
from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from skcompare._registry.scorer_names import make_names_known as _make_names_known
from skcompare._version import __version__

__all__ = [
    "BlockRegularized5x2CV",
    "BlockRegularizedMx2CV",
    "Comparison",
    "MultipleComparison",
    "MultipleComparator",
    "PairedEstimator",
    "PairedComparator",
    "__version__",
    "compare",
    "compare_cv_results",
    "compare_scores",
    "compare_seeds",
    "cross_compare",
    "make_paired_scorer",
]

# Everything is loaded at the first access, so that `import skcompare` costs little
# more than the part of scikit-learn it extends. A new name goes into three places: here,
# below for type checkers, and `__all__`; a test holds them together.
_HOMES = {
    "BlockRegularized5x2CV": "model_selection",
    "BlockRegularizedMx2CV": "model_selection",
    "Comparison": "reports",
    "MultipleComparison": "reports",
    "MultipleComparator": "comparators",
    "PairedEstimator": "comparators",
    "PairedComparator": "comparators",
    "compare": "comparators",
    "compare_cv_results": "comparators",
    "compare_scores": "comparators",
    "compare_seeds": "comparators",
    "cross_compare": "comparators",
    "make_paired_scorer": "comparators",
}
_PACKAGES = {
    "cli",
    "comparators",
    "datasets",
    "evidence",
    "exceptions",
    "gate",
    "integrations",
    "metrics",
    "model_selection",
    "plots",
    "predictions",
    "reports",
    "stats",
}
_HAVE_MANY_NAMES = ("stats", "evidence", "metrics", "plots", "gate")

# The command line, the integrations and the gate are left out: modules below them may not
# import them, and some of these import the version from here.
if TYPE_CHECKING:
    from skcompare import comparators as comparators
    from skcompare import datasets as datasets
    from skcompare import evidence as evidence
    from skcompare import exceptions as exceptions
    from skcompare import metrics as metrics
    from skcompare import model_selection as model_selection
    from skcompare import plots as plots
    from skcompare import predictions as predictions
    from skcompare import reports as reports
    from skcompare import stats as stats
    from skcompare.comparators import (
        MultipleComparator,
        PairedComparator,
        PairedEstimator,
        compare,
        compare_cv_results,
        compare_scores,
        compare_seeds,
        cross_compare,
        make_paired_scorer,
    )
    from skcompare.model_selection import BlockRegularized5x2CV, BlockRegularizedMx2CV
    from skcompare.reports import Comparison, MultipleComparison
else:
    # Hidden from type checkers, which would accept any name otherwise.
    def __getattr__(name):
        if name in _PACKAGES:
            return _import_module(f"{__name__}.{name}")
        if name not in _HOMES:
            raise _unknown(name)
        value = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def _unknown(name):
        """Create the error for an unknown name, which another package may have."""
        from skcompare._core.validation import unknown_attribute

        for package in () if name.startswith("_") else _HAVE_MANY_NAMES:
            if name in _import_module(f"{__name__}.{package}").__all__:
                return AttributeError(
                    f"module {__name__!r} has no attribute {name!r}, and "
                    f"{__name__}.{package} has it: from {__name__}.{package} import {name}."
                )
        return unknown_attribute(__name__, name, (*__all__, *_PACKAGES))

    def __dir__():
        return sorted({*globals(), *__all__, *_PACKAGES})


def _get_scorer(name: str) -> "_Callable[..., float]":
    """Scorer of a name, loaded with all scorers."""
    from skcompare.metrics import get_scorer

    return get_scorer(name)


_make_names_known(_get_scorer)
