"""Tests of all pairs of several classifiers, run for a picture that was given answers."""

import math
from typing import Any

import numpy as np

from skcompare._core.validation import (
    check_alpha,
    check_alternative,
    check_choice,
    unknown_name,
)
from skcompare._registry.losses import loss_of, record_losses
from skcompare._registry.metrics import metrics
from skcompare._registry.tests import PairedTestEntry, paired_tests
from skcompare.evidence import CorrectnessPatterns, PlacementValues
from skcompare.plots._run_tests import ACCURACY, LOSS, default_test_of
from skcompare.plots._several import Pair, Several, several_of
from skcompare.predictions import Predictions
from skcompare.stats import PairedResult, adjust_pvalues, pairwise_delong, pairwise_mcnemar
from skcompare.stats._pairwise_rows import PAIRWISE_ADJUSTMENTS, pairs_of
from skcompare.stats._score_limits import interval_level

AUTO, MAX_T, HOLM = "auto", "max-t", "holm"
ROC_AUC = "roc_auc"


def several_of_predictions(
    predictions: Predictions,
    *,
    measure: str = ACCURACY,
    adjust: str = AUTO,
    control: str | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    pos_label: Any = None,
    n_resamples: int = 9999,
    random_state: Any = 0,
) -> Several:
    """All pairs, by the test of the measure that is valid for how they were tested."""
    _check_measure(measure)
    alpha = check_alpha(alpha)
    check_choice("adjust", adjust, (AUTO, *PAIRWISE_ADJUSTMENTS))
    check_alternative(alternative)
    if len(predictions.names) < 2:
        raise ValueError(
            f"At least two classifiers are needed. Got {', '.join(predictions.names)}."
        )
    at_once = predictions.design.name == "holdout" and measure in (ACCURACY, ROC_AUC)
    if not at_once:
        return _pair_by_pair(
            predictions, measure, adjust, control, alternative, alpha, pos_label
        )
    options: dict[str, Any] = {
        "adjust": MAX_T if adjust == AUTO else adjust,
        "control": control,
        "alternative": alternative,
        "confidence_level": 1 - alpha,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    if measure == ACCURACY:
        patterns = CorrectnessPatterns.from_predictions_of(predictions)
        return several_of(pairwise_mcnemar(patterns, **options))
    placements = PlacementValues.from_predictions_of(predictions, pos_label=pos_label)
    return several_of(pairwise_delong(placements, **options))


def _check_measure(measure: str) -> None:
    """Refuse a name that neither a test, nor a loss, nor a metric has."""
    known = {*metrics()}
    known |= {name for test in paired_tests().values() for name in test.measures}
    known |= {name for loss in record_losses().values() for name in loss.measures}
    if measure not in known and loss_of(measure) is None:
        # Those with spaces are words for groups of measures.
        raise unknown_name("measure", measure, (name for name in known if " " not in name))


def _pair_by_pair(
    predictions: Predictions,
    measure: str,
    adjust: str,
    control: str | None,
    alternative: str,
    alpha: float,
    pos_label: Any,
) -> Several:
    """Each pair by the design's default test, where it has one."""
    if adjust == MAX_T:
        raise ValueError(
            "adjust='max-t' is for the accuracy and the AUC on a hold-out. Got "
            f"measure={measure!r} and {predictions.design}. Choose 'holm', which is valid "
            "for every test."
        )
    adjust = HOLM if adjust == AUTO else adjust
    at = pairs_of(predictions.names, control, alternative)
    names = [(predictions.names[i], predictions.names[j]) for i, j in zip(*at)]
    entry = default_test_of(measure, predictions, alternative)
    level = interval_level(1 - alpha, adjust, len(names))
    if entry is None:
        return _untested(predictions, measure, names, adjust, control, alternative, alpha)
    found = [
        _tested(predictions, pair, entry, measure, alternative, pos_label) for pair in names
    ]
    adjusted = np.asarray(adjust_pvalues([one.pvalue for one in found], adjust))
    values, greater = _values(names, found, measure)
    pairs = tuple(
        Pair(
            *pair,
            one.estimate,
            *one.confidence_interval(level),
            one.pvalue,
            float(p),
            one.flags,
        )
        for pair, one, p in zip(names, found, adjusted)
    )
    sign = -1 if greater else 1
    ranked = sorted(values, key=lambda name: _rank(sign * values[name]))
    return Several(
        subject=measure,
        measure=measure,
        test=entry.name,
        names=tuple(ranked),
        values=tuple(values[name] for name in ranked),
        pairs=pairs,
        alpha=alpha,
        interval_level=level,
        alternative=alternative,
        adjust=adjust,
        control=control,
        greater_is_better=greater,
        flags=tuple(dict.fromkeys(flag for pair in pairs for flag in pair.flags)),
        n_records=predictions.n_tested,
        design=str(predictions.design),
    )


def _values(
    names: list[tuple[str, str]], found: list[PairedResult], measure: str
) -> tuple[dict[str, float], bool]:
    """The measure of each classifier, and whether more of it is better."""
    values: dict[str, float] = {}
    for (champion, challenger), one in zip(names, found):
        for name, value in ((champion, one.champion), (challenger, one.challenger)):
            values[name] = math.nan if value is None else value
    greater = found[0].greater_is_better
    if not greater and measure.startswith("neg_"):
        # Tests of a loss have the loss; the measure is what it is negated.
        return {name: -value for name, value in values.items()}, True
    return values, greater


def _tested(
    predictions: Predictions,
    names: tuple[str, str],
    entry: PairedTestEntry,
    measure: str,
    alternative: str,
    pos_label: Any,
) -> PairedResult:
    given, options = {}, {}
    loss = loss_of(measure)
    if loss is not None and LOSS in entry.evidence_options:
        given[LOSS] = loss.name
    if "score" in entry.options:
        options["score"] = measure
    for target, known in ((given, entry.evidence_options), (options, entry.options)):
        if pos_label is not None and "pos_label" in known:
            target["pos_label"] = pos_label
    if "alternative" in entry.options:
        options["alternative"] = alternative
    evidence = entry.needs.from_pair(predictions.pair(*names), **given)  # type: ignore[attr-defined]
    result: PairedResult = entry.function(evidence, **options)
    return result


def _untested(
    predictions: Predictions,
    measure: str,
    names: list[tuple[str, str]],
    adjust: str,
    control: str | None,
    alternative: str,
    alpha: float,
) -> Several:
    """The accuracies and their differences, where no test is valid."""
    note = f"no test of {measure} is valid for {predictions.design}"
    if measure != ACCURACY:
        raise ValueError(
            f"{note[:1].upper()}{note[1:]}, or these answers do not suit it. Compare them "
            "by MultipleComparator, or take answers to a hold-out set."
        )
    truth = predictions.y_answered()
    values = {
        one.name: float(np.mean(one.known_labels() == truth)) for one in predictions.answers
    }
    ranked = sorted(values, key=lambda name: -values[name])
    return Several(
        subject=measure,
        measure=measure,
        test=None,
        names=tuple(ranked),
        values=tuple(values[name] for name in ranked),
        pairs=tuple(Pair(one, other, values[other] - values[one]) for one, other in names),
        alpha=alpha,
        interval_level=1 - alpha,
        alternative=alternative,
        adjust=adjust,
        control=control,
        note=note,
        n_records=predictions.n_tested,
        design=str(predictions.design),
    )


def _rank(value: float) -> tuple[bool, float]:
    """Smallest first, and what is undefined last."""
    return (value != value, value)
