"""Scores of both roles by every training, with the influences of the records."""

from collections.abc import Callable
from typing import Any

import numpy as np

from skcompare._analysis.measures._in_time import NoInfluenceError, ordered_scores
from skcompare._analysis.measures._measures import Measure, Watch
from skcompare._analysis.measures._scores import CALIBRATION, SAME, RoleScores
from skcompare._typing import FloatArray
from skcompare.evidence import (
    CrossedDifferences,
    OrderedDifferences,
    ScoreDifferences,
    by_training,
    mean_defined,
    trainings_of,
)
from skcompare.predictions import PairedPredictions


def crossed_scores(
    pair: PairedPredictions, measure: Measure, pos_label: Any = None
) -> CrossedDifferences:
    """Return the values of a score of every record by every training.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions of several trainings for one test set.
    measure : Measure
        Measure with a formula, such as "accuracy", "roc_auc", "f1" or "r2".
    pos_label : label, optional
        The positive one of two classes.

    Raises
    ------
    NoInfluenceError
        If the influences of the records are unknown, or the score is undefined.
    """
    predictions = pair.predictions
    roles = [RoleScores(predictions, role, measure, pos_label) for role in pair.roles]
    order = by_training(predictions)
    parts = [slice(int(own.min()), int(own.max()) + 1) for own in order]
    values: list[FloatArray] = []
    for role, scores in zip(pair.roles, roles, strict=True):
        counted = parts[: trainings_of(role, predictions)]
        rows = [_of_training(scores, part) for part in counted]
        values.append(
            np.stack([row[own - own.min()] for row, own in zip(rows, order, strict=False)])
        )
    champion, challenger = values
    return CrossedDifferences(
        champion,
        challenger,
        measure=measure.subject,
        greater_is_better=measure.greater_is_better,
        by_influence=measure.metric != "accuracy",
        design=pair.design,
    )


def _of_training(scores: RoleScores, part: slice) -> FloatArray:
    """Return the score on a test set plus the influence of each of its records."""
    measure, formula = scores.measure, scores.formula_or_none
    n = part.stop - part.start
    score = scores.of_part(part, Watch())
    slopes, value = None, np.nan
    # Where both are calibrated, records have no influence on errors that are squared.
    if formula is not None and measure.metric != CALIBRATION:
        prepared, once = formula.of_part(part), np.ones((1, n), dtype=np.int32)
        slopes, value = prepared.slopes(once), float(prepared.values(once)[0])
    if slopes is None or not abs(value - score) <= SAME * max(1.0, abs(score)):
        raise NoInfluenceError(
            f"the influence of a record on {measure.subject} is unknown: it is undefined "
            "for these records, or has no formula; of several trainings use the mean of a "
            "loss, or a score such as 'roc_auc'"
        )
    return np.asarray(score + n * slopes[0])


BY_INFLUENCE: dict[type, Callable[..., Any]] = {
    OrderedDifferences: ordered_scores,
    CrossedDifferences: crossed_scores,
}
"""Evidence that is of losses, or of any score by the influences of the records, with the
functions that make it of a score."""


def means_of_trainings(pair: PairedPredictions, scores: ScoreDifferences) -> list[float]:
    """Return the mean score of each role over its own trainings."""
    means = []
    for role, own in zip(pair.roles, (scores.champion, scores.challenger), strict=True):
        values = np.ravel(np.asarray(own))
        means.append(mean_defined(values[: trainings_of(role, pair.predictions)]))
    return means
