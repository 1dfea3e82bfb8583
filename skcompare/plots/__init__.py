"""Pictures of comparisons, in scikit-learn's convention of displays.

A display stores numbers that were computed before: `frame()` returns them, `plot()` draws
them, and the constructors `from_estimators`, `from_predictions`, `from_cv_results` and
`from_result` compute and draw at once. matplotlib is loaded when something is drawn.
"""

from importlib import import_module as _import_module
from sys import modules as _modules
from typing import TYPE_CHECKING

# Each display is loaded when it is first asked for: the report needs only some.
_HOMES = {
    "AgreementDisplay": "_agreement",
    "CalibrationComparisonDisplay": "_calibration",
    "ContingencyDisplay": "_contingency",
    "CriticalDifferenceDisplay": "_critical_difference",
    "Display": "_base",
    "ForestDisplay": "_forest",
    "LooksDisplay": "_looks",
    "LossDifferenceDisplay": "_loss_difference",
    "PairDisplay": "_base",
    "PairwiseDisplay": "_pairwise",
    "PowerDisplay": "_power",
    "RelativePrecisionDisplay": "_relative_precision",
    "RocComparisonDisplay": "_roc",
    "SampleSizeDisplay": "_sample_size",
}

__all__ = [
    "AgreementDisplay",
    "CalibrationComparisonDisplay",
    "ContingencyDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "ForestDisplay",
    "LooksDisplay",
    "LossDifferenceDisplay",
    "PairDisplay",
    "PairwiseDisplay",
    "PowerDisplay",
    "RelativePrecisionDisplay",
    "RocComparisonDisplay",
    "SampleSizeDisplay",
]

if TYPE_CHECKING:
    from skcompare.plots._agreement import AgreementDisplay
    from skcompare.plots._base import Display, PairDisplay
    from skcompare.plots._calibration import CalibrationComparisonDisplay
    from skcompare.plots._contingency import ContingencyDisplay
    from skcompare.plots._critical_difference import CriticalDifferenceDisplay
    from skcompare.plots._forest import ForestDisplay
    from skcompare.plots._looks import LooksDisplay
    from skcompare.plots._loss_difference import LossDifferenceDisplay
    from skcompare.plots._pairwise import PairwiseDisplay
    from skcompare.plots._power import PowerDisplay
    from skcompare.plots._relative_precision import RelativePrecisionDisplay
    from skcompare.plots._roc import RocComparisonDisplay
    from skcompare.plots._sample_size import SampleSizeDisplay
else:
    # Hidden from type checkers, which would take any name at all otherwise.
    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(
                f"module 'skcompare.plots' has no attribute {name!r}",
                name=name,
                obj=_modules[__name__],
            )
        value = getattr(_import_module(f"skcompare.plots.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
