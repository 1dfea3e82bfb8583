"""Scores that are undefined on a test set, and warnings of scorers."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning


@dataclass
class Watch:
    """What happened while scorers ran.

    `undefined` is about the last call; `warned` and `error` about all of them.
    """

    undefined: bool = False
    warned: bool = False
    error: ValueError | None = None


@contextmanager
def watched(watch: Watch | None = None) -> Iterator[None]:
    """Note the warnings of a scorer instead of passing them on.

    Metrics that are undefined warn and return 0 or NaN, depending on the metric; such a
    score must not count as a number. Other warnings are caveats about the data.
    """
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        yield
    if watch is not None:
        kinds = [issubclass(warning.category, UndefinedMetricWarning) for warning in caught]
        watch.undefined = any(kinds)
        watch.warned |= not all(kinds)
