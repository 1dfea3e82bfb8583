"""Results, tail probabilities, limits and sample sizes shared by all tests."""

from skcompare.stats.core._adjust import ADJUSTMENTS, adjust_pvalues
from skcompare.stats.core._limits import interval_level
from skcompare.stats.core._power import (
    bcv_mcnemar_sample_size,
    mcnemar_power,
    mcnemar_sample_size,
)
from skcompare.stats.core._result import ConfidenceInterval, PairedResult
from skcompare.stats.core._target_class import class_label, class_text

__all__ = [
    "ConfidenceInterval",
    "PairedResult",
    "adjust_pvalues",
    "bcv_mcnemar_sample_size",
    "mcnemar_power",
    "mcnemar_sample_size",
]
