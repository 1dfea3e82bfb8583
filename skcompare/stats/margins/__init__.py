"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._margin_test import SMALLEST, MarginTest, margin_result
