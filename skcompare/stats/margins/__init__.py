"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._margin_test import SMALLEST, MarginTest, margin_result
from skcompare.stats.margins._relative_margin import (
    LossReduction,
    check_positive_losses,
    is_of_means,
    loss_reduction,
    reduction_result,
    share_of,
)
