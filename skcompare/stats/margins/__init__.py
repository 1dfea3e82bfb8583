"""One-sided tests of a difference at a margin."""

from skcompare.stats.margins._one_sided import SMALLEST as SMALLEST
from skcompare.stats.margins._one_sided import Once as Once
from skcompare.stats.margins._one_sided import Side as Side
from skcompare.stats.margins._one_sided import side_of as side_of
from skcompare.stats.margins._skewness import Cautious as Cautious
from skcompare.stats.margins._zero_variation import Still as Still
