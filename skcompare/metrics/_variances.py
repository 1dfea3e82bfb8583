"""How much the difference of two scores varies within a test set."""

from dataclasses import replace
from typing import Any

import numpy as np

from skcompare._design import HOLDOUT
from skcompare._registry import loss_of
from skcompare._typing import FloatArray
from skcompare.evidence import ScoredPair
from skcompare.metrics._measures import Measure
from skcompare.metrics._scored_pair import SAME, quick_pair
from skcompare.predictions import Answers, PairedPredictions, Predictions

__all__ = ["difference_variances"]


def difference_variances(
    pair: PairedPredictions,
    measure: Measure,
    pos_label: Any,
    scores: tuple[FloatArray, FloatArray],
) -> FloatArray | None:
    """Estimated variance of the difference on each test set; None for unknown scores.

    From what each record adds to the score to first order: its loss, DeLong's placement
    values, or the derivatives of a score of counts. For a mean it is the variance of the
    differences of the records over their number.

    Parameters
    ----------
    pair : PairedPredictions
        Answers to all test sets.
    measure : Measure
        What is compared.
    pos_label : label or None
        The positive one of two classes.
    scores : tuple of two ndarray of shape (n_splits,)
        The scores of both roles as the scorer gives them. A formula that gives others is
        not that of the scorer, and its variance is not used.
    """
    variances = []
    for part, *given in zip(pair.predictions.slices(), *scores, strict=True):
        scored = _known(_split(pair, part), measure, pos_label)
        if scored is None:
            return None
        if np.isnan(given).any():
            variances.append(np.nan)
            continue
        gaps = np.abs(np.subtract(scored.values, given))
        # Losses of certain but wrong answers may be cut off elsewhere by the scorer.
        known = loss_of(measure.metric) is not None
        if not known and not (gaps <= SAME * np.maximum(1, np.abs(given))).all():
            return None
        variances.append(_variance(scored))
    return np.array(variances)


def _known(pair: PairedPredictions, measure: Measure, pos_label: Any) -> ScoredPair | None:
    """The score by its formula; None where the formula cannot take these answers."""
    try:
        return quick_pair(pair, measure, pos_label)
    except ValueError:
        # A scorer that was told its positive class, where the formula was not.
        return None


def _split(pair: PairedPredictions, part: slice) -> PairedPredictions:
    """The answers to one test set, as if to a hold-out set."""
    predictions = pair.predictions
    champion, challenger = (_answers(role, part) for role in pair.roles)
    one = Predictions(
        predictions.classes,
        predictions.y_answered()[part],
        (champion, challenger),
        HOLDOUT,
    )
    return PairedPredictions(one, champion, challenger)


def _answers(answers: Answers, part: slice) -> Answers:
    return replace(
        answers,
        labels=None if answers.labels is None else answers.labels[part],
        proba=None if answers.proba is None else answers.proba[part],
        decision=None if answers.decision is None else answers.decision[part],
    )


def _variance(scored: ScoredPair) -> float:
    """Sum of squared influences of the records on the difference; NaN if one is unknown."""
    once = np.ones((1, scored.n), dtype=np.int32)
    champion, challenger = (prepared.slopes(once) for prepared in scored.prepared())
    if champion is None or challenger is None:
        return float("nan")
    squares = (challenger - champion)[0] ** 2
    if scored.score.name == "roc_auc":
        # DeLong's estimate has a divisor for each class.
        return sum(_unbiased(squares[scored.y == code]) for code in (0, 1))
    return _unbiased(squares)


def _unbiased(squares: FloatArray) -> float:
    """Their sum, as if the mean that they are deviations from were known."""
    n = len(squares)
    return float(squares.sum()) * n / (n - 1) if n > 1 else float("nan")
