"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._one_sided import SMALLEST, MarginTest, margin_result
