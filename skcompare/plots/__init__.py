"""Displays of comparisons, following the display API of scikit-learn.

A display stores numbers that were computed before: `frame()` returns them, `plot()` draws
them, and the constructors `from_estimators`, `from_predictions`, `from_cv_results` and
`from_result` compute and draw at once. matplotlib is loaded when something is drawn.
"""

from skcompare.plots._accuracy import AgreementDisplay, ContingencyDisplay
from skcompare.plots._bland_altman import BlandAltmanDisplay
from skcompare.plots._calibration import CalibrationComparisonDisplay
from skcompare.plots._gain_by_range import GainByRangeDisplay
from skcompare.plots._gain_by_record import GainByRecordDisplay
from skcompare.plots._gain_over_time import GainOverTimeDisplay
from skcompare.plots._losses import LossDifferenceDisplay
from skcompare.plots._power import PowerDisplay, SampleSizeDisplay
from skcompare.plots._ranking import RocComparisonDisplay
from skcompare.plots._report_figures import Pictures, pictures_among, pictures_of
from skcompare.plots._residual_quantiles import ResidualQuantilesDisplay
from skcompare.plots._sequential import AnytimeDisplay
from skcompare.plots._training_variance import TrainingVarianceDisplay
from skcompare.plots.drawing._base import Display, PairDisplay
from skcompare.plots.forest._forest import ForestDisplay, RelativePrecisionDisplay
from skcompare.plots.forest._loss_reductions import LossReductionDisplay
from skcompare.plots.several._critical_difference import CriticalDifferenceDisplay
from skcompare.plots.several._pairwise import PairwiseDisplay

__all__ = [
    "AgreementDisplay",
    "BlandAltmanDisplay",
    "CalibrationComparisonDisplay",
    "ContingencyDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "ForestDisplay",
    "GainByRangeDisplay",
    "GainByRecordDisplay",
    "GainOverTimeDisplay",
    "AnytimeDisplay",
    "LossDifferenceDisplay",
    "LossReductionDisplay",
    "PairDisplay",
    "PairwiseDisplay",
    "PowerDisplay",
    "RelativePrecisionDisplay",
    "ResidualQuantilesDisplay",
    "RocComparisonDisplay",
    "SampleSizeDisplay",
    "TrainingVarianceDisplay",
]
