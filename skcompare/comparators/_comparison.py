"""Settings of a comparison, and comparisons of predictions by them."""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from time import perf_counter
from typing import Any, Self

from skcompare._analysis import (
    MAX_T,
    EvidenceBehind,
    PairEngine,
    RequestedTests,
    SeveralEngine,
    check_named,
    check_positive,
    named_of_several,
    named_tests,
    usual_options,
    with_adjusted,
    with_classes,
)
from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    check_pos_label,
)
from skcompare._registry.tests import get_test
from skcompare.evidence import MOST_CLASSES, JointCounts, PairedCalibration, PairedLosses
from skcompare.metrics import Measure, resolve_scoring
from skcompare.predictions import PairedPredictions, Predictions
from skcompare.reports import Comparison, MultipleComparison, decide, decide_among
from skcompare.stats import EnsembleAdvice, recommend_ensemble
from skcompare.stats.agreement import MOST_CALIBRATION_ERROR, ROLES
from skcompare.stats.core import ADJUSTMENTS


def check_settings(alternative: Any, alpha: Any, adjust: Any) -> tuple[str, float, str]:
    """Check the alternative, level and adjustment for two classifiers."""
    if isinstance(adjust, str) and adjust == MAX_T:
        raise ValueError(
            "adjust='max-t' is for three or more classifiers. Got two. Choose among "
            f"{', '.join(ADJUSTMENTS)}."
        )
    return _checked(alternative, alpha, adjust, ADJUSTMENTS)


def check_settings_of_several(
    alternative: Any, alpha: Any, adjust: Any, control: Any, names: Sequence[str]
) -> tuple[str, float, str]:
    """Check the settings for three or more classifiers, including the control."""
    settings = _checked(alternative, alpha, adjust, (*ADJUSTMENTS, MAX_T))
    if control is not None:
        check_choice("control", control, tuple(names))
    elif settings[0] != "two-sided":
        raise ValueError(
            f"alternative={alternative!r} needs a control that the others are compared "
            "with, because all pairs have no direction of their own. Pass `control`, or "
            "use alternative='two-sided'."
        )
    return settings


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings of a comparison, with its measures and its requested tests."""

    measures: tuple[Measure, ...]
    requested: RequestedTests
    alternative: str
    alpha: float
    adjust: str
    pos_label: Any
    control: str | None = None

    @classmethod
    def parse(
        cls,
        scoring: Any,
        tests: Any,
        alternative: Any,
        alpha: Any,
        adjust: Any,
        pos_label: Any,
        control: Any = None,
        several: Sequence[str] = (),
    ) -> Self:
        """Check settings, which `several` names of three or more classifiers change."""
        checked = (
            check_settings_of_several(alternative, alpha, adjust, control, several)
            if several
            else check_settings(alternative, alpha, adjust)
        )
        requested = named_of_several(tests, checked[-1]) if several else named_tests(tests)
        measures = resolve_scoring(scoring)
        check_positive(requested, measures)
        if several:
            check_named(requested, measures, checked[-1])
        return cls(measures, requested, *checked, pos_label, control)


def _checked(
    alternative: Any, alpha: Any, adjust: Any, choices: tuple[str, ...]
) -> tuple[str, float, str]:
    return (
        check_alternative(alternative),
        check_alpha(alpha),
        check_choice("adjustment", "none" if adjust is None else adjust, choices),
    )


@cache
def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that a comparison uses."""
    from skcompare._version import __version__

    packages = ("scikit-learn", "numpy", "scipy", "joblib")
    versions = {package: version(package) for package in packages}
    return {"skcompare": __version__, "python": platform.python_version(), **versions}


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


def compare_several(
    predictions: Predictions,
    settings: Settings,
    *,
    n_fits: int = 0,
    start: float,
    random_state: int | None = None,
) -> MultipleComparison:
    """Test all classifiers together and in pairs by every measure, with a verdict."""
    shared: dict[str, Any] = {
        name: getattr(settings, name)
        for name in ("control", "alternative", "alpha", "adjust")
    }
    comparisons = tuple(
        comparison
        for k, measure in enumerate(settings.measures)
        for comparison in SeveralEngine(
            predictions,
            measure,
            settings.requested,
            pos_label=settings.pos_label,
            **shared,
        ).comparisons(k == 0)
    )
    primary = comparisons[0]
    inference = None if primary.test is None else get_test(primary.test).inference
    if "mixed-frozen" in predictions.flags:
        # About trained models and learning algorithms, as the caveat says.
        inference = None
    return MultipleComparison(
        comparisons=comparisons,
        conclusion=decide_among(primary, inference),
        descriptions={role.name: role.description for role in predictions.estimators},
        design=predictions.design,
        n_records=predictions.n_records,
        n_tested=predictions.n_tested,
        n_fits=n_fits,
        seconds=perf_counter() - start,
        random_state=random_state,
        flags=predictions.flags,
        fingerprint=predictions.fingerprint,
        versions=installed_versions(),
        **shared,
    )
