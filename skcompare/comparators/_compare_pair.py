"""Comparison of the predictions of two classifiers."""

from collections.abc import Callable
from typing import Any

from skcompare._analysis import (
    EvidenceBehind,
    PairEngine,
    usual_options,
    with_adjusted,
    with_classes,
)
from skcompare._core.validation import check_pos_label
from skcompare.comparators._settings import Settings, installed_versions
from skcompare.evidence import MOST_CLASSES, JointCounts, PairedCalibration, PairedLosses
from skcompare.metrics import Measure
from skcompare.predictions import PairedPredictions
from skcompare.reports import Comparison, decide
from skcompare.stats import EnsembleAdvice, recommend_ensemble
from skcompare.stats.agreement import MOST_CALIBRATION_ERROR, ROLES

LOSS = "brier_score"
"""Loss that the advice is based on."""

RANKINGS = ("roc_auc", "average_precision")
"""Prefixes of ranking measures, of which labels and calibration say nothing."""


def advice_for(
    pair: PairedPredictions,
    evidence: Callable[..., Any],
    primary: Measure | None,
    winner: str,
) -> EnsembleAdvice | None:
    """Return ensemble advice for trained classifiers on a hold-out set, or None.

    `evidence(type)` returns evidence of the pair.

    The tests behind it are of trained classifiers and independent records, so there is no
    advice for cross-validation and for groups. It is based on labels and probabilities, so
    there is none beside a verdict on rankings whose scores are not calibrated
    probabilities, and none that would discard the winner of the verdict.
    """
    predictions = pair.predictions
    has_labels = all(role.has_labels for role in pair.roles)
    if predictions.y is None or pair.design.name != "holdout" or not has_labels:
        return None
    if not 2 <= len(predictions.classes) <= MOST_CLASSES:
        return None
    counts = evidence(JointCounts)
    tally = predictions.tally
    lacks_losses = tally is not None and not (tally.plan.kind and LOSS in tally.plan.losses)
    is_ranked = primary is not None and str(primary.metric).startswith(RANKINGS)
    if lacks_losses or not all(role.has_proba for role in pair.roles):
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
    """Return the advice, or None if it contradicts the winner of the verdict."""
    if advice is None or winner not in ROLES or advice.advice == "combine":
        return advice
    return advice if advice.model == winner else None


def compare_pair(
    pair: PairedPredictions,
    settings: Settings,
    *,
    n_fits: int = 0,
    seconds: float | None = None,
    random_state: Any = None,
) -> Comparison:
    """Test every measure and base the verdict on the first one.

    Each measure gets the default test of the design and the requested tests of it; a
    requested test of none of the measures gets a row of its own. Without true labels
    there is no measure, and the predictions are compared with each other.
    """
    predictions, pos_label = pair.predictions, settings.pos_label
    measures, alternative = settings.measures, settings.alternative
    alpha, adjust = settings.alpha, settings.adjust
    check_pos_label(pos_label, predictions.classes)
    has_truth = predictions.y is not None
    requested = with_classes(settings.requested, predictions.classes)
    engine = PairEngine(pair, requested, alternative, alpha, pos_label)
    needed, primary = None, measures[0] if has_truth else None
    if has_truth:
        rows = [
            row
            for k, measure in enumerate(measures)
            for row in engine.about(measure).rows(measure, k == 0)
        ]
        rows += engine.rows_of_other_tests(measures)
        needed = engine.about(measures[0]).records_needed(rows[0], measures[0])
    else:
        if alternative != "two-sided":
            raise ValueError(
                f"alternative={alternative!r} needs true labels: without them no "
                "classifier is better. Pass `y_true`, or leave `alternative` out."
            )
        rows = engine.rows_without_truth()
    rows = with_adjusted(rows, adjust)
    conclusion = decide(
        rows[0],
        alpha=alpha,
        alternative=alternative,
        records_needed=needed,
        flags=predictions.flags,
    )
    return Comparison(
        rows=tuple(rows),
        conclusion=conclusion,
        champion=pair.champion.description,
        challenger=pair.challenger.description,
        design=pair.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        seconds=seconds,
        alpha=alpha,
        alternative=alternative,
        adjust=adjust,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
        advice=advice_for(pair, engine.evidence, primary, conclusion.winner),
        source=EvidenceBehind(pair, pos_label, usual_options(requested)),
    )
