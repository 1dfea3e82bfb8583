"""The least and the greatest value of a measure."""

from skcompare.metrics import Measure
from skcompare.stats._measure_ranges import range_of


def bounds_of(measure: Measure | None) -> tuple[float, float]:
    """The least and the greatest value of a measure; infinite where that is not known."""
    return range_of(None if measure is None else measure.metric)


def widest(measure: Measure | None) -> float:
    """The largest difference that two classifiers can have by a measure."""
    least, most = bounds_of(measure)
    return most - least
