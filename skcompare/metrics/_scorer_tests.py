"""Which tests a scorer can run on two fitted classifiers, and with which options."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skcompare._core.design import HOLDOUT
from skcompare._core.validation import some_of, unknown_name
from skcompare._registry.tests import PairedTestEntry
from skcompare.evidence import PlacementValues, ScoredPair
from skcompare.metrics._measures import Measure, resolve_scoring
from skcompare.metrics._scored_pair import scored_pair
from skcompare.predictions import LABELS, RANKS, SCORES, PairedPredictions, one_class

WITH_DIRECTION = ("difference", "ratio")
"""Kinds of tests whose estimate says which classifier is better."""

SCORING, POS_LABEL = "scoring", "pos_label"
MOST = "max_classes"
"""What evidence calls the number of classes that it can be about."""

NO_SCORE_OPTIONS = {
    "alternative": "A scorer chooses the alternative itself: 'greater', that the "
    "challenger is better, for returns='confidence'. Leave it out.",
    "interval": "A scorer returns one number and has no interval. Got `interval`. Leave "
    "it out.",
}
"""Options of tests that a scorer has no use for, with what it says of them."""


def why_no_scorer(entry: PairedTestEntry) -> str:
    """Why a test cannot score a fitted classifier; empty where it can."""
    if entry.kind not in WITH_DIRECTION:
        return (
            f"{entry.name} has no direction: its estimate does not say which classifier "
            "is better"
        )
    if not entry.valid_for(HOLDOUT):
        return (
            f"{entry.name} is valid for {', '.join(entry.designs)} only, and a scorer "
            "sees two fitted classifiers on one test set without groups. PairedComparator "
            "runs it"
        )
    if not hasattr(entry.needs, "from_pair"):
        return (
            f"{entry.name} needs {entry.needs.__name__}, which is not made from the "
            "answers of two fitted classifiers"
        )
    return ""


def evidence_options(entry: PairedTestEntry) -> tuple[str, ...]:
    """Names of the options by which a scorer makes the evidence of a test."""
    if entry.needs is ScoredPair:
        return SCORING, POS_LABEL
    return entry.evidence_options


def check_options(entry: PairedTestEntry, options: Mapping[str, Any], returns: str) -> None:
    """Refuse options that a scorer of this test would not use."""
    names = dict.fromkeys((*evidence_options(entry), *entry.options))
    known = [name for name in names if name not in NO_SCORE_OPTIONS]
    for name in options:
        if name in NO_SCORE_OPTIONS and name in names:
            raise ValueError(NO_SCORE_OPTIONS[name])
        if name not in known:
            raise unknown_name(f"option of {entry.name}", name, known)
    if "null_value" in options and returns != "confidence":
        raise ValueError(
            "`null_value` says what the confidence is about, and goes with "
            f"returns='confidence'. Got returns={returns!r}. Leave it out."
        )
    if returns == "confidence" and "alternative" not in entry.options:
        raise ValueError(
            f"{entry.name} has no one-sided version, so it has no confidence that the "
            "challenger is better. Choose returns='difference', or another test."
        )


def measure_of(entry: PairedTestEntry, options: Mapping[str, Any]) -> Measure | None:
    """What is compared, where the test leaves that open."""
    if entry.needs is not ScoredPair:
        return None
    scoring = options.get(SCORING, "accuracy")
    measures = resolve_scoring(scoring)
    if len(measures) > 1:
        raise ValueError(
            f"`scoring` of a scorer must be one measure. Got {scoring!r}. Make a scorer "
            "of each."
        )
    return measures[0]


def answers_wanted(entry: PairedTestEntry, measure: Measure | None) -> frozenset[str]:
    """What both classifiers are asked for."""
    if measure is not None:
        return measure.wanted
    wanted: frozenset[str] = getattr(entry.needs, "wanted", frozenset({LABELS, SCORES}))
    return wanted | {RANKS} if entry.needs is PlacementValues else wanted


def evidence_from(
    pair: PairedPredictions,
    entry: PairedTestEntry,
    measure: Measure | None,
    options: Mapping[str, Any],
) -> Any:
    """What a test needs to know of both classifiers' answers."""
    chosen = {name: options[name] for name in evidence_options(entry) if name in options}
    if measure is None:
        return entry.needs.from_pair(pair, **chosen)  # type: ignore[attr-defined]
    positive = chosen.get(POS_LABEL)
    if measure.label is not None:
        pair, positive = one_class(pair, measure.position(pair.predictions.classes)), True
    return scored_pair(pair, measure, positive)


def too_many_classes(
    entry: PairedTestEntry, classes: np.ndarray, others: Mapping[str, PairedTestEntry]
) -> str:
    """Why a test is none for so many classes, and which of the others are."""
    for_more = [
        repr(name)
        for name, other in others.items()
        if not hasattr(other.needs, MOST)
        and other.measures[0].startswith(entry.measures[0])
    ]
    return (
        f"{entry.name} is for {getattr(entry.needs, MOST)} classes, and there are "
        f"{len(classes)}: "
        f"{some_of(classes)}. Choose a test of several classes"
        f"{': test=' if for_more else ''}{' or test='.join(for_more)}."
    )
