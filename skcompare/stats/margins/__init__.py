"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._loss_ratio import (
    LossRatio,
    is_of_means,
    loss_ratio,
    ratio_result,
)
from skcompare.stats.margins._margin_test import SMALLEST, MarginTest, margin_result
