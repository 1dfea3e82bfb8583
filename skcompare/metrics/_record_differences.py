"""Differences of two scores, record by record."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skcompare._core.design import HOLDOUT
from skcompare._registry.losses import loss_of
from skcompare._typing import FloatArray
from skcompare.evidence import PairedCalibration
from skcompare.metrics._measures import Measure
from skcompare.metrics._scored_pair import SAME, formula_of
from skcompare.predictions import PairedPredictions, Predictions
from skcompare.stats._calibration_units import record_influences, role_sums, squared_errors

CALIBRATION = "squared_calibration_error"


def record_differences(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any,
    part: slice,
    scores: Sequence[float] | None = None,
) -> FloatArray | None:
    """What the records of a test set add to the difference of two scores.

    For a mean over records it is the difference of the record's values. For other scores it
    is the difference of the scores plus the record's influence on it: the derivative by the
    weight of the record, times the number of records. In both cases the mean over the test
    set is the difference of the scores.

    Parameters
    ----------
    pair : PairedPredictions
        Predictions for all test sets.
    measure : Measure
        What is compared.
    pos_label : label or None
        The positive one of two classes.
    part : slice
        The predictions of the test set.
    scores : sequence of two float, optional
        The scores of both roles as the scorer gives them. A formula that gives others is
        not that of the scorer, and is not used.

    Returns
    -------
    differences : ndarray of shape (n_test,) or None
        Challenger less champion; None where the score has no formula.
    """
    if scores is not None and not np.isfinite(scores).all():
        return None
    find = _of_calibration if measure.metric == CALIBRATION else _of_formula
    found = find(_split(pair, part), measure, pos_label)
    if found is None:
        return None
    values, influence = found
    scores = values if scores is None else scores
    gaps = np.abs(np.subtract(values, scores))
    # Losses of certain but wrong predictions may be cut off elsewhere by the scorer.
    is_loss = loss_of(measure.metric) is not None
    if not is_loss and not (gaps <= SAME * np.maximum(1, np.abs(scores))).all():
        return None
    return influence + (scores[1] - scores[0])


Found = tuple[tuple[float, float], FloatArray] | None
"""Scores of both roles, and the records' influences on their difference."""


def _of_formula(pair: PairedPredictions, measure: Measure, pos_label: Any) -> Found:
    predictions = pair.predictions
    y, once = predictions.y_answered(), np.ones((1, predictions.n_tested), dtype=np.int32)
    found = []
    try:
        formula = formula_of(measure, predictions.classes, y, pos_label)
        for role in pair.roles:
            prepared = None if formula is None else formula.prepared(role)
            slopes = None if prepared is None else prepared.slopes(once)
            if prepared is None or slopes is None:
                return None
            found.append((float(prepared.values(once)[0]), slopes[0] * len(y)))
    except ValueError:
        # A scorer that was told its positive class, where the formula was not.
        return None
    (champion, own), (challenger, other) = found
    return (champion, challenger), other - own


def _of_calibration(pair: PairedPredictions, measure: Measure, pos_label: Any) -> Found:
    """Those of the jackknife, because pairs of records make a calibration error."""
    try:
        calibration = PairedCalibration.from_pair(pair, pos_label=pos_label)
        sums = role_sums(calibration, 0), role_sums(calibration, 1)
    except ValueError:
        return None
    return squared_errors(sums), record_influences(sums)


def _split(pair: PairedPredictions, part: slice) -> PairedPredictions:
    """The predictions for one test set, as if for a hold-out set."""
    predictions = pair.predictions
    champion, challenger = (role.part(part) for role in pair.roles)
    one = Predictions(
        predictions.classes,
        predictions.y_answered()[part],
        (champion, challenger),
        HOLDOUT,
    )
    return PairedPredictions(one, champion, challenger)
