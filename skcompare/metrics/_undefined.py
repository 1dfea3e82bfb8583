"""Scores that are undefined on a test set."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import UndefinedMetricWarning

__all__ = ["undefined_as_nan"]


@contextmanager
def undefined_as_nan() -> Iterator[None]:
    """Make scikit-learn's warning of an undefined metric an error to catch.

    Metrics that warn return 0 or NaN depending on the metric; an undefined score must
    not count as a number.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        yield
