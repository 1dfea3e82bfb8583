"""Statistical tests, each a pure function of one piece of evidence."""

from skcompare._registry.tests import PairedTestEntry, paired_test, paired_tests, sort_tests
from skcompare.stats import (
    accuracy,
    agreement,
    calibration,
    core,
    losses,
    margins,
    planning,
    precision,
    ranking,
    scores,
    sequential,
    several,
    splits,
)
from skcompare.stats.accuracy import *
from skcompare.stats.agreement import *
from skcompare.stats.calibration import *
from skcompare.stats.core import *
from skcompare.stats.losses import *
from skcompare.stats.margins import *
from skcompare.stats.planning import *
from skcompare.stats.precision import *
from skcompare.stats.ranking import *
from skcompare.stats.scores import *
from skcompare.stats.sequential import *
from skcompare.stats.several import *
from skcompare.stats.splits import *

__all__ = ["PairedTestEntry", "paired_test", "paired_tests"]
__all__ += accuracy.__all__
__all__ += agreement.__all__
__all__ += calibration.__all__
__all__ += core.__all__
__all__ += losses.__all__
__all__ += margins.__all__
__all__ += planning.__all__
__all__ += precision.__all__
__all__ += ranking.__all__
__all__ += scores.__all__
__all__ += sequential.__all__
__all__ += several.__all__
__all__ += splits.__all__

sort_tests()
