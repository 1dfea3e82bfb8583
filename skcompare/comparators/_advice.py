"""Whether to combine the two classifiers, for every comparison that can tell."""

from collections.abc import Callable
from typing import Any

from skcompare.evidence import JointCounts, PairedCalibration, PairedLosses
from skcompare.evidence._agreement import MOST_CLASSES
from skcompare.metrics import Measure
from skcompare.predictions import PairedPredictions
from skcompare.stats import EnsembleAdvice, recommend_ensemble
from skcompare.stats._ensemble import MOST_CALIBRATION_ERROR, ROLES

LOSS = "brier_score"
"""The loss that the advice looks at."""

RANKINGS = ("roc_auc", "average_precision")
"""What measures of rankings begin with: labels and calibration say nothing of them."""


def advice_for(
    pair: PairedPredictions,
    evidence: Callable[..., Any],
    primary: Measure | None,
    winner: str,
) -> EnsembleAdvice | None:
    """The advice for trained classifiers on a hold-out set; None for anything else.

    `evidence(type)` makes evidence of the pair, or has it already.

    Its tests are of trained classifiers and unrelated records, so that it is not given for
    splits that train anew and not for groups. It goes by labels and by probabilities, so
    that it is not given beside a verdict on rankings whose scores are no calibrated
    probabilities, and not where it would send away the winner of the verdict.
    """
    predictions = pair.predictions
    has_labels = all(role.has_labels for role in pair.roles)
    if predictions.y is None or pair.design.name != "holdout" or not has_labels:
        return None
    if not 2 <= len(predictions.classes) <= MOST_CLASSES:
        return None
    counts = evidence(JointCounts)
    tally = predictions.tally
    lacks = tally is not None and not (tally.plan.kind and LOSS in tally.plan.losses)
    is_ranked = primary is not None and str(primary.metric).startswith(RANKINGS)
    if lacks or not all(role.has_proba for role in pair.roles):
        advice = None if is_ranked else recommend_ensemble(counts)
        return _beside(advice, winner)
    calibration = evidence(PairedCalibration)
    if is_ranked and any(
        calibration.error(role, norm="l1") > MOST_CALIBRATION_ERROR for role in ROLES
    ):
        return None
    losses = evidence(PairedLosses, loss=LOSS)
    return _beside(recommend_ensemble(counts, losses, calibration), winner)


def _beside(advice: EnsembleAdvice | None, winner: str) -> EnsembleAdvice | None:
    """The advice, unless it is to deploy another one than the verdict's winner, or none."""
    if advice is None or winner not in ROLES or advice.advice == "combine":
        return advice
    return advice if advice.model == winner else None
