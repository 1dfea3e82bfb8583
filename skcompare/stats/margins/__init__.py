"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._influence import InfluenceMoments, influence_moments
from skcompare.stats.margins._one_sided import (
    SMALLEST,
    ConstantDifferences,
    MarginResult,
    MarginTest,
    SkewnessAdjusted,
    margin_result,
    margin_test,
)

__all__ = [
    "ConstantDifferences",
    "InfluenceMoments",
    "MarginResult",
    "SkewnessAdjusted",
    "influence_moments",
    "margin_test",
]
