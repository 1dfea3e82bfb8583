"""Scores of both roles in the order of time, by the influences of the records."""

from typing import Any

from skcompare._analysis.measures._measures import Measure
from skcompare._analysis.measures._scores import CALIBRATION, PairScores
from skcompare._typing import ArrayLike
from skcompare.evidence import OrderedDifferences, order_of
from skcompare.predictions import PairedPredictions


class NoInfluenceError(ValueError):
    """Error about a score of which the influences of the records are unknown."""


def ordered_scores(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any = None,
    *,
    time: ArrayLike | None = None,
    horizon: int | None = None,
) -> OrderedDifferences:
    """Return the differences of a score in the order of time.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for a hold-out set.
    measure : Measure
        Measure with a formula, such as "accuracy", "roc_auc", "f1" or "r2".
    pos_label : label, optional
        The positive one of two classes.
    time, horizon
        Time of each record, and time points ahead; by default those of the predictions.

    Raises
    ------
    NoInfluenceError
        If the influences of the records are unknown, or the score is undefined.
    """
    contributions, means, has_formula = PairScores(pair, measure, pos_label).pooled()
    # Where both are calibrated, records have no influence on errors that are squared.
    if not has_formula or measure.metric == CALIBRATION:
        raise NoInfluenceError(
            f"the influence of a record on {measure.subject} is unknown: it is undefined "
            "for these records, or has no formula; in time order use the mean of a loss, "
            "or a score such as 'roc_auc'"
        )
    sign = 1 if measure.greater_is_better else -1
    return OrderedDifferences.from_influences(
        sign * contributions / len(contributions),
        champion=means[0],
        challenger=means[1],
        measure=measure.subject,
        greater_is_better=measure.greater_is_better,
        **order_of(pair, time, horizon),
    )
