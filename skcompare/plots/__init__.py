"""Displays of comparisons, following the display API of scikit-learn.

A display stores numbers that were computed before: `frame()` returns them, `plot()` draws
them, and the constructors `from_estimators`, `from_predictions`, `from_cv_results` and
`from_result` compute and draw at once. matplotlib is loaded when something is drawn.
"""

from typing import TYPE_CHECKING

from skcompare._lazy import attach as _attach

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
    "AnytimeDisplay": "_sequential",
    "LossDifferenceDisplay": "_losses",
    "PairDisplay": "_base",
    "PairwiseDisplay": "several._pairwise",
    "PowerDisplay": "_power",
    "RelativePrecisionDisplay": "forest._relative_precision",
    "RocComparisonDisplay": "_ranking",
    "SampleSizeDisplay": "_power",
}

__all__ = [
    "AgreementDisplay",
    "CalibrationComparisonDisplay",
    "ContingencyDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "ForestDisplay",
    "AnytimeDisplay",
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
    from skcompare.plots._power import PowerDisplay, SampleSizeDisplay
    from skcompare.plots._ranking import RocComparisonDisplay
    from skcompare.plots._report_figures import Pictures, drawn, pictures_among, pictures_of
    from skcompare.plots._sequential import AnytimeDisplay
    from skcompare.plots.forest._forest import ForestDisplay
    from skcompare.plots.forest._relative_precision import RelativePrecisionDisplay
    from skcompare.plots.several._critical_difference import CriticalDifferenceDisplay
    from skcompare.plots.several._pairwise import PairwiseDisplay
else:
    # Hidden from type checkers, which would accept any name otherwise.
    __getattr__, __dir__ = _attach(__name__, _HOMES, __all__)
