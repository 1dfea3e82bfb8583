"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._one_sided import SMALLEST, Once, Side, side_of
from skcompare.stats.margins._skewness import Cautious
from skcompare.stats.margins._zero_variation import Still
