"""Guard of hold-outs whose records follow each other in time: their gains are alike."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from skcompare._core.formatting import format_number
from skcompare.evidence import OrderedDifferences, PairedLosses
from skcompare.predictions import PairedPredictions
from skcompare.stats.time import SerialCorrelation, correlation_in_order

Row = TypeVar("Row", bound=Any)

IN_ORDER = "serially-correlated"
"""Flag of tests of independent records whose consecutive gains are correlated."""


def correlation_of_records(
    pair: PairedPredictions, evidence: Any
) -> SerialCorrelation | None:
    """Return the serial correlation of the gains of a hold-out if it matters, or None.

    The gains are those of the loss of each record, if the evidence has it, and otherwise
    those of the 0/1 loss, or of the absolute error. In a file that is sorted by the true
    values, neighbours are alike for this reason: the gains of each class are then taken
    from the mean of the class, and those of sorted numbers are left out.

    Parameters
    ----------
    pair : PairedPredictions
        The predictions.
    evidence : object
        Evidence of a test of them.
    """
    if pair.design.name != "holdout" or isinstance(evidence, OrderedDifferences):
        return None
    gains = _gains(pair, evidence)
    correlation = None if gains is None else correlation_in_order(gains)
    if (
        correlation is None
        or gains is None
        or not _is_sorted(pair.predictions.y_predicted())
    ):
        return correlation
    return None if pair.predictions.is_numeric else _within_classes(pair, gains)


def _gains(pair: PairedPredictions, evidence: Any) -> np.ndarray | None:
    """Gain of each record, or None if it is unknown."""
    if isinstance(evidence, PairedLosses) and evidence.values is not None:
        return evidence.differences
    champion, challenger = pair.roles
    if pair.predictions.y is None or pair.predictions.tally is not None:
        return None
    y = pair.predictions.y_predicted()
    if pair.predictions.is_numeric:
        if champion.values is None or challenger.values is None:
            return None
        gains = np.abs(champion.values - y) - np.abs(challenger.values - y)
        return np.asarray(gains if gains.ndim == 1 else gains.sum(axis=1))
    if champion.labels is None or challenger.labels is None:
        return None
    first, second = champion.labels == y, challenger.labels == y
    return np.asarray(second.view(np.int8) - first.view(np.int8))


def _is_sorted(y: np.ndarray) -> bool:
    """Whether records of equal true values follow each other, in any order of these.

    Numbers are sorted if they increase or decrease.
    """
    if y.dtype.kind == "f" or y.ndim > 1:
        steps = np.diff(y, axis=0)
        return bool((steps >= 0).all() or (steps <= 0).all())
    changes = int(np.count_nonzero(y[1:] != y[:-1]))
    return changes == len(np.unique(y)) - 1


def _within_classes(pair: PairedPredictions, gains: np.ndarray) -> SerialCorrelation | None:
    """Return the serial correlation of the distances from the mean of each class."""
    y = pair.predictions.y_predicted()
    sums, counts = np.bincount(y, weights=gains), np.bincount(y)
    means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
    return correlation_in_order(gains - means[y])


def order_text(correlation: SerialCorrelation) -> str:
    """Text on how much the order of the records inflates the variance."""
    times = format_number(correlation.inflation, 1)
    return (
        "in the order of the records, the variance of the difference is "
        f"{times} times that of independent ones"
    )


def flagged_by_order(row: Row, pair: PairedPredictions, evidence: Callable[[], Any]) -> Row:
    """Return the row of a test, flagged if its gains are alike where records follow.

    Parameters
    ----------
    row : ComparisonRow
        The row; one without p-value stays as it is.
    pair : PairedPredictions
        The predictions.
    evidence : callable
        Returns the evidence of the test.
    """
    correlation = None if row.pvalue is None else correlation_of_records(pair, evidence())
    if correlation is None:
        return row
    # Said once: the factors of other rows are much alike.
    text = order_text(correlation) if row.primary else ""
    note = "; ".join(filter(None, (row.note, text)))
    return replace(row, flags=(*row.flags, IN_ORDER), note=note)
