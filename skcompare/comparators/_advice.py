"""Whether to combine the two classifiers, for every comparison that can tell."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from skcompare.evidence import JointCounts, PairedCalibration, PairedLosses
from skcompare.evidence._agreement import MOST_CLASSES
from skcompare.predictions import PairedPredictions
from skcompare.stats import EnsembleAdvice, recommend_ensemble

__all__ = ["advice_for", "beside_verdict"]

LOSS = "brier_score"
"""The loss that the advice looks at."""


def advice_for(
    pair: PairedPredictions, evidence: Callable[..., Any]
) -> EnsembleAdvice | None:
    """The advice for trained classifiers on a hold-out set; None for anything else.

    `evidence(type)` makes evidence of the pair, or has it already.

    Its tests are of trained classifiers and unrelated records, so that it is not given for
    splits that train anew and not for groups.
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
    if lacks or not all(role.has_proba for role in pair.roles):
        return recommend_ensemble(counts)
    return recommend_ensemble(
        counts, evidence(PairedLosses, loss=LOSS), evidence(PairedCalibration)
    )


def beside_verdict(advice: EnsembleAdvice | None, winner: str) -> EnsembleAdvice | None:
    """The advice, which goes by accuracy, as it may stand beside the verdict's winner."""
    if advice is None or advice.model is None or winner == advice.model:
        return advice
    if winner not in ("champion", "challenger"):
        return advice
    return replace(advice, sentence=f"by accuracy, {advice.sentence}")
