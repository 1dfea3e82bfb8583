"""Results, tail probabilities, limits and sample sizes shared by all tests."""

from skcompare.stats.core._adjust import ADJUSTMENT_REFERENCES, ADJUSTMENTS
from skcompare.stats.core._limits import interval_level
from skcompare.stats.core._target_class import class_label, class_text
