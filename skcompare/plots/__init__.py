"""Pictures of comparisons, in scikit-learn's convention of displays.

A display stores numbers that were computed before: `frame()` returns them, `plot()` draws
them, and the constructors `from_estimators`, `from_predictions`, `from_cv_results` and
`from_result` compute and draw at once. matplotlib is loaded when something is drawn.
"""

from importlib import import_module as _import_module
from sys import modules as _modules
from typing import TYPE_CHECKING

# Each display is loaded on first use: the report needs only some.
_HOMES = {
    "pictures_of": "_report_figures",
    "pictures_among": "_report_figures",
    "drawn": "_report_figures",
    "Pictures": "_report_figures",
    "AgreementDisplay": "_accuracy",
    "CalibrationComparisonDisplay": "_calibration",
    "ContingencyDisplay": "_accuracy",
    "CriticalDifferenceDisplay": "several._critical_difference",
    "Display": "_base",
    "ForestDisplay": "forest._forest",
    "LooksDisplay": "_sequential",
    "LossDifferenceDisplay": "_losses",
    "PairDisplay": "_base",
    "PairwiseDisplay": "several._pairwise",
    "PowerDisplay": "_power",
    "RelativePrecisionDisplay": "forest._relative_precision",
    "RocComparisonDisplay": "_ranking",
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
    from skcompare.plots._accuracy import AgreementDisplay, ContingencyDisplay
    from skcompare.plots._base import Display, PairDisplay
    from skcompare.plots._calibration import CalibrationComparisonDisplay
    from skcompare.plots._losses import LossDifferenceDisplay
    from skcompare.plots._power import PowerDisplay
    from skcompare.plots._ranking import RocComparisonDisplay
    from skcompare.plots._report_figures import Pictures, drawn, pictures_among, pictures_of
    from skcompare.plots._sample_size import SampleSizeDisplay
    from skcompare.plots._sequential import LooksDisplay
    from skcompare.plots.forest._forest import ForestDisplay
    from skcompare.plots.forest._relative_precision import RelativePrecisionDisplay
    from skcompare.plots.several._critical_difference import CriticalDifferenceDisplay
    from skcompare.plots.several._pairwise import PairwiseDisplay
else:
    # Hidden from type checkers, which would accept any name otherwise.
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
