"""Scores of both roles in the order of time, by the influences of the records."""

from dataclasses import replace
from typing import Any

from skcompare._analysis.measures._measures import Measure
from skcompare._analysis.measures._scores import (
    CALIBRATION,
    OF_ONE_MODEL,
    RANKING_SCORES,
    Contributions,
    PairScores,
)
from skcompare._core.design import IN_TIME
from skcompare._typing import ArrayLike
from skcompare.evidence import OrderedDifferences, order_of
from skcompare.predictions import PairedPredictions

WITHIN_SPLITS = frozenset({*RANKING_SCORES, *OF_ONE_MODEL})
"""Scores of ranks or lines, for which predictions of the models of several splits do not
mix: their mean over the test sets is compared."""


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
        Predictions for a hold-out set, or for splits in time order.
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
    scores = PairScores(pair, measure, pos_label)
    if measure.metric in WITHIN_SPLITS and pair.predictions.n_splits > 1:
        contributions, means, has_formula = _within_splits(scores)
    else:
        contributions, means, has_formula = scores.pooled()
    # Where both are calibrated, records have no influence on errors that are squared.
    if not has_formula or measure.metric == CALIBRATION:
        raise NoInfluenceError(
            f"the influence of a record on {measure.subject} is unknown: it is undefined "
            "for these records, or has no formula; in time order use the mean of a loss, "
            "or a score such as 'roc_auc'"
        )
    sign = 1 if measure.greater_is_better else -1
    ordered = OrderedDifferences.from_influences(
        sign * contributions / len(contributions),
        champion=means[0],
        challenger=means[1],
        measure=measure.subject,
        greater_is_better=measure.greater_is_better,
        **order_of(pair, time, horizon),
    )
    in_time = pair.design.kind == IN_TIME
    return replace(ordered, design=pair.design) if in_time else ordered


def _within_splits(scores: PairScores) -> Contributions:
    """Contributions of records to the mean of the scores of the test sets."""
    splits, subject = scores.differences({}), scores.measure.subject
    if splits.n_undefined:
        raise NoInfluenceError(
            f"{subject} is undefined on {splits.n_undefined} of "
            f"{scores.pair.predictions.n_splits} test sets, and ranks of several models do "
            "not mix; use fewer splits with longer test sets, or the mean of a loss"
        )
    return scores.of_splits(splits)
