"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._influence import InfluenceMoments, influence_moments
from skcompare.stats.margins._one_sided import (
    SMALLEST,
    MarginResult,
    MarginTest,
    margin_result,
    margin_test,
)
from skcompare.stats.margins._skewness import SkewnessAdjusted
from skcompare.stats.margins._zero_variation import ConstantDifferences

__all__ = [
    "ConstantDifferences",
    "InfluenceMoments",
    "MarginResult",
    "SkewnessAdjusted",
    "influence_moments",
    "margin_test",
]
