"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._loss_ratio import (
    LossRatio,
    check_positive_losses,
    is_of_means,
    loss_ratio,
    ratio_result,
    share_of,
)
from skcompare.stats.margins._margin_test import SMALLEST, MarginTest, margin_result
